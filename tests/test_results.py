"""The table of results: order in every cell, one text for numbers and expressions."""

import warnings
from functools import cache, partial

import mpmath
import numpy as np
import pytest
import sympy as sp

from minimaxdp import density_estimation, privacy, results
from minimaxdp import lower_bounds as lb
from minimaxdp import mean_estimation as me
from minimaxdp import randomized_response as rr
from minimaxdp import unbiased_bounds as ub

near = partial(pytest.approx, rel=1e-8)
NAMES = ("n", "d", "epsilon", "delta", "k", "beta")


@cache
def formula_of(key):
    return results.formula(*key)


def tv_floor(n, alpha, d, k):
    return np.maximum(lb.mean_tv(n, alpha, k), lb.mean_tv_axes(n, alpha, d, k))


def random_settings(size, seed=0, largest=6.0):
    rng = np.random.default_rng(seed)
    return {
        "n": np.floor(10 ** rng.uniform(0.5, largest, size)),
        "d": np.floor(10 ** rng.uniform(0.31, 2.5, size)),
        "epsilon": 10 ** rng.uniform(-2.5, 0.6, size),
        "delta": 10 ** rng.uniform(-9, -2, size),
        "k": rng.uniform(2, 12, size),
        "beta": rng.uniform(0.2, 1, size),
    }


@pytest.mark.parametrize("key", results.CLOSED, ids=str)
def test_expression_and_number_are_one_formula(key):
    # At thirty digits the expression has no rounding of its own.
    v = random_settings(30)
    formula = formula_of(key)
    symbols = [sp.Symbol(name, positive=True) for name in NAMES]
    exact = [sp.lambdify(symbols, e, modules="mpmath") for e in (formula.floor, formula.ceiling)]
    numbers = results.closed_bounds(*key, **v)
    with mpmath.workdps(40):
        for i in range(30):
            at = [mpmath.mpf(float(v[name][i])) for name in NAMES]
            for expression, number in zip(exact, numbers, strict=True):
                assert np.broadcast_to(number, 30)[i] == pytest.approx(
                    float(expression(*at)), rel=1e-12
                )


@pytest.mark.parametrize("key", results.CLOSED, ids=str)
def test_lambdified_with_numpy_it_agrees_as_well(key):
    v = random_settings(20, seed=4, largest=3.0)
    formula = formula_of(key)
    symbols = [sp.Symbol(name, positive=True) for name in NAMES]
    for number, expression in zip(
        results.closed_bounds(*key, **v), (formula.floor, formula.ceiling), strict=True
    ):
        value = sp.lambdify(symbols, expression, modules="numpy")(*(v[name] for name in NAMES))
        # (1 - h)^(2 n) rounds 1 - h first: 2 n times the precision of a double.
        assert np.allclose(value, number, rtol=1e-12, atol=0)


@pytest.mark.parametrize("key", results.CLOSED, ids=str)
def test_expressions_are_printable_for_a_browser(key):
    formula = formula_of(key)
    for expression in (formula.floor, formula.ceiling):
        assert {s.name for s in expression.free_symbols} <= set(NAMES)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert "Not supported" not in sp.jscode(expression)


@pytest.mark.parametrize("key", results.CLOSED, ids=str)
def test_closed_floor_is_below_closed_ceiling(key):
    v = random_settings(300, seed=1)
    low, high = np.broadcast_arrays(*results.closed_bounds(*key, **v))
    assert np.all(low > 0) and np.all(low <= high * (1 + 1e-12))


def test_closed_forms_are_those_of_the_package():
    v = random_settings(40, seed=2)
    n, d, epsilon, delta, k, beta = (v[name] for name in NAMES)
    people, dims = n.astype(int), d.astype(int)
    alpha = np.tanh(epsilon / 2)
    rho = epsilon * alpha

    def low(problem, definition):
        return np.broadcast_to(results.closed_bounds(problem, definition, **v)[0], n.shape)

    def high(problem, definition):
        return np.broadcast_to(results.closed_bounds(problem, definition, **v)[1], n.shape)

    close = {"rtol": 1e-12, "atol": 0}
    assert np.allclose(low("proportion", "none"), lb.mean_nonprivate(people, 0.5), **close)
    assert np.allclose(low("proportion", "tv"), lb.mean_tv(people, alpha, np.inf, 0.5), **close)
    assert np.allclose(low("proportion", "local"), lb.mean_local(people, epsilon, r=0.5), **close)
    assert np.allclose(low("moment mean", "tv"), tv_floor(people, alpha, dims, k), **close)
    assert np.allclose(
        low("moment mean", "local"), lb.mean_local(people, epsilon, k, d=dims), **close
    )
    assert np.allclose(low("multinomial", "none"), lb.multinomial(people, dims), **close)
    assert np.allclose(low("multinomial", "tv"), lb.multinomial_tv(people, alpha, dims), **close)
    pinsker = np.minimum(1, np.sqrt(rho / 2))
    zcdp = np.maximum(tv_floor(people, pinsker, dims, k), lb.mean_zcdp_plain(people, rho, dims, k))
    assert np.allclose(low("moment mean", "zcdp"), zcdp, **close)
    assert np.allclose(low("moment mean", "kl"), tv_floor(people, pinsker, dims, k), **close)
    for i in range(40):
        if epsilon[i] < d[i] / 2:
            packing = lb.mean_dp(int(people[i]), epsilon[i], int(dims[i]), k[i])
            assert low("moment mean", "pure")[i] == pytest.approx(
                max(packing, tv_floor(int(people[i]), alpha[i], int(dims[i]), k[i])), rel=1e-12
            )
    best = me.ceiling("pure", people, dims, epsilon, k)
    assert np.allclose(high("moment mean", "pure"), best, **close)
    C = me.energy_factor("pure", people, dims, epsilon)
    assert np.allclose(high("bounded mean", "pure"), me.shrunk_ceiling(C, people), **close)
    C = np.minimum(C, me.energy_factor("zcdp", people, dims, rho))
    assert np.allclose(high("bounded mean", "zcdp"), me.shrunk_ceiling(C, people), **close)
    assert np.allclose(
        high("proportion", "local"), me.local_ceiling("ball", people, epsilon, 1) / 4, **close
    )
    assert np.all(high("bounded mean", "local") >= 0.99 * np.array(
        [me.local_ceiling("ball", a, e, b) for a, e, b in zip(people, epsilon, dims, strict=True)]
    ))  # fmt: skip
    # Approximate privacy in closed form is never cheaper than the exact calibration.
    exact = me.energy_factor("approximate", people, dims, epsilon, delta=delta)
    pure = me.energy_factor("pure", people, dims, epsilon)
    assert np.all(
        high("bounded mean", "approximate")
        >= me.shrunk_ceiling(np.minimum(exact, pure), people) * (1 - 1e-12)
    )


@pytest.mark.parametrize(("n", "d", "epsilon"), [(50, 3, 0.2), (10**6, 23, 5.0), (20, 2, 8.0)])
def test_closed_forms_of_unbiased_means_are_those_of_their_chapter(n, d, epsilon):
    v = {"n": n, "d": d, "epsilon": epsilon}
    rho = results.levels(epsilon)["zcdp"]
    # The least ellipsoid around the tips of the axes is the unit ball.
    tips = np.vstack([np.eye(d), -np.eye(d)])
    pure, zcdp = ub.unbiased_floor(tips, n, epsilon=epsilon), ub.unbiased_floor(tips, n, rho=rho)
    alone = ub.unbiased_floor(tips, 1, epsilon=epsilon)

    low, high = results.closed_bounds("unbiased mean", "pure", **v)
    assert low == near(max(pure.trace, ub.packing_floor(d, n, epsilon)))
    assert high == near(pure.noise.error**2)
    low, high = results.closed_bounds("unbiased mean", "zcdp", **v)
    assert low == near(zcdp.trace)
    assert high == near(min(pure.noise.error**2, zcdp.noise.error**2))
    low, high = results.closed_bounds("unbiased mean", "local", **v)
    assert low == near(alone.trace / n)
    ball = me.local_energy("ball", epsilon, d) / n
    assert ball <= high <= 1.5 * ball


def test_density_formulas_against_those_of_their_chapter():
    for n in (100, 10**4, 10**6):
        for epsilon in (0.1, 1.0):
            v = {"n": float(n), "epsilon": epsilon, "beta": 1.0}
            none, local = (results.closed_bounds("density", x, **v) for x in ("none", "local"))
            pure = results.closed_bounds("density", "pure", **v)
            # The argument there keeps a factor one half that the squared loss does not need.
            assert none[0] >= density_estimation.lipschitz_floor(n) * 1.5
            assert none[0] <= density_estimation.lipschitz_floor(n) * 2 * (1 + 1e-9)
            assert pure[0] >= 0.999 * density_estimation.lipschitz_floor(n, epsilon, "central")
            assert local[0] >= density_estimation.lipschitz_floor(n, epsilon, "local")
    # beta: the floor and the ceiling fall with the exponent of the theory.
    people = np.array([1e6, 1e12])
    for beta in (0.3, 0.7, 1.0):
        low, high = results.closed_bounds("density", "local", n=people, epsilon=0.5, beta=beta)
        power = 2 * beta / (2 * beta + 2)
        for value in (low, high):
            slope = np.log(value[0] / value[1]) / np.log(people[1] / people[0])
            assert slope == pytest.approx(power, abs=0.03)


def test_every_cell_is_in_order_at_many_settings():
    checked = dict.fromkeys(results.CLOSED, 0)
    rng = np.random.default_rng(3)
    for i in range(20):
        setting = results.Setting(
            n=int(10 ** rng.uniform(0.7, 5)),
            d=int(rng.integers(2, 60)),
            epsilon=float(10 ** rng.uniform(-1.3, -0.05)),
            delta=float(10 ** rng.uniform(-8, -4)),
            k=float(rng.uniform(2, 8)),
            beta=1.0 if i % 2 else float(rng.uniform(0.3, 1)),
        )
        for c in results.table(setting):
            slack = 6 * c.standard_error + 1e-9 * c.risk
            assert 0 < c.floor <= c.risk + slack, (setting, c)
            assert c.risk <= c.ceiling + slack, (setting, c)
            assert c.ratio >= 1 - 1e-9 and c.kind in ("exact", "family", "bound", "simulated")
            checked[c.problem, c.definition] += 1
    assert set(checked.values()) == {20}


def test_cells_know_the_truth_where_it_is_known():
    for problem in ("proportion", "multinomial", "bounded mean", "moment mean"):
        assert results.cell(problem, "none").ratio == pytest.approx(1, rel=1e-12)
    few = results.Setting(n=12, epsilon=0.9, d=2)
    exact = lb.bernoulli_minimax(12, epsilon=0.9)
    c = results.proportion("pure", few)
    assert c.floor == pytest.approx(exact.lower / 4) and c.ratio < 1.01
    local = results.multinomial("local", results.Setting(n=10**7, d=12, epsilon=1.0))
    uniform = np.full(12, 1 / 12)
    at = rr.subset_selection_risk(1.0, uniform, 10**7, w=int(rr.best_subset_size(1.0, 12)))
    assert local.risk == pytest.approx(at, rel=1e-3)


def test_levels_are_those_that_pure_privacy_implies():
    at = results.levels(0.8)
    response = np.array([[np.exp(0.8), 1], [1, np.exp(0.8)]]) / (1 + np.exp(0.8))
    found = privacy.report(response)
    assert found.total_variation == pytest.approx(at["tv"])
    assert found.kl == pytest.approx(at["kl"])
    assert found.zcdp.high == pytest.approx(at["zcdp"], rel=1e-6)


def test_exponential_mechanism_on_a_small_world():
    # Enumerated: three values and n = 4, against the weights of its definition.
    n, epsilon = 40, 1.0
    m = min(n // 2, int(np.ceil(2 / epsilon * np.log(max(2.0, n**2 * epsilon / 4)))))
    rng = np.random.default_rng(6)
    losses = []
    grid = np.exp(np.linspace(-np.log(n), 0, 4_001))
    grid = np.sqrt(grid[1:] * grid[:-1])
    for _ in range(3_000):  # record by record, the output on a fine grid
        x = rng.random(n) * 0.7
        above = (x[:, None] > grid).sum(axis=0)
        weight = np.exp(-epsilon / 2 * abs(above - m)) / grid.size
        zero = np.exp(-epsilon / 2 * max((x > 1 / n).sum() - m, 0))
        total = weight.sum() + zero
        guess = np.minimum(1, grid / (1 - m / (n + 1)))
        losses.append((weight @ abs(guess - 0.7) + zero * 0.7) / total)
    run = results.exponential_end_risk(n, epsilon, 0.7, replications=20_000, rng=1)
    error = np.hypot(run.standard_error, np.std(losses) / np.sqrt(len(losses)))
    assert abs(run.mean - np.mean(losses)) < 5 * error + 1e-4  # the grid's step


def test_the_support_is_found_at_every_scale():
    for theta in (1e-5, 1e-3, 0.1, 1.0):
        assert results.exponential_end_risk(10**4, 1.0, theta).mean < 2e-3


BAD = [
    (lambda: results.Setting(n=1), "n"),
    (lambda: results.Setting(d=1), "d"),
    (lambda: results.Setting(epsilon=0.0), "epsilon"),
    (lambda: results.Setting(delta=1.0), "delta"),
    (lambda: results.Setting(k=1.9), "k"),
    (lambda: results.Setting(beta=1.1), "beta"),
    (lambda: results.cell("median", "none"), "problem"),
    (lambda: results.formula("mean", "none"), "problem"),
    (lambda: results.closed_bounds("support", "chtp"), "problem"),
    (lambda: results.closed_bounds("support", "pure", m=3), "parameters"),
    (lambda: results.support("chtp"), "problem"),
    (lambda: results.unbiased_mean("tv"), "problem"),
    (lambda: results.levels(-1.0), "epsilon"),
    (lambda: results.exponential_end_risk(1, 1.0), "n"),
    (lambda: results.exponential_end_risk(10, 1.0, 0.0), "theta"),
]


@pytest.mark.parametrize(("call", "name"), BAD)
def test_bad_input_is_named(call, name):
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        call()


@pytest.mark.parametrize(("problem", "definition"), results.CLOSED)
def test_people_needed_are_enough_and_one_fewer_are_not(problem: str, definition: str) -> None:
    risk = float(results.closed_bounds(problem, definition, n=5_000, d=3, epsilon=0.9)[1])
    found = results.people_needed(problem, definition, risk, d=3, epsilon=0.9)
    assert found is not None and found <= 5_000
    bounds = results.closed_bounds(problem, definition, n=[found - 1, found], d=3, epsilon=0.9)
    assert found == 2 or bounds[1][0] > risk >= bounds[1][1]


def test_people_needed_says_when_none_are_enough_and_refuses_bad_input() -> None:
    assert results.people_needed("bounded mean", "pure", 1e-300) is None
    for wrong in ({"risk": 0.0}, {"risk": np.nan}, {"n": 5}, {"epsilon": -1.0}, {"zeta": 1.0}):
        with pytest.raises((ValueError, TypeError)):
            results.people_needed("bounded mean", "pure", **({"risk": 0.1} | wrong))
