"""The table of results: order in every cell, one text for numbers and expressions."""

import os
import tracemalloc
import warnings
from functools import cache, partial
from itertools import pairwise

import mpmath
import numpy as np
import pytest
import sympy as sp

from minimaxdp import definitions, density_estimation, results
from minimaxdp import lower_bounds as lb
from minimaxdp import mean_estimation as me
from minimaxdp import randomized_response as rr
from minimaxdp import unbiased_bounds as ub
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    ConditionalTesting,
    GaussianDP,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
    standard_guarantees,
)
from minimaxdp.results import _mechanism_choice

near = partial(pytest.approx, rel=1e-8)
CELLS = [
    pytest.param(problem, definition, id=f"{problem}, {definition.name}")
    for problem in results.PROBLEMS
    for definition in results.DEFINITIONS
    if problem != "unbiased mean" or definition is not NonPrivate
]
each_cell = pytest.mark.parametrize(("problem", "definition"), CELLS)


@cache
def formula_of(problem, definition):
    return results.formula(problem, results.at_budget(definition))


def at(definition, epsilon, delta=1e-6):
    """A definition at what a pure budget implies, level by level of an array."""
    if definition is NonPrivate:
        return NonPrivate()
    if definition is Approximate:
        return Approximate(epsilon, delta)
    return Local(Pure(epsilon)) if definition is Local else Pure(epsilon).implies(definition)


def split(v):
    """People and their like, and the two levels, of a setting of all parameters."""
    return {name: v[name] for name in ("n", "d", "k", "beta")}, (v["epsilon"], v["delta"])


def random_settings(size, seed=0, largest=6.0):
    rng = np.random.default_rng(seed)
    return {
        "n": np.floor(10 ** rng.uniform(0.5, largest, size)).astype(int),
        "d": np.floor(10 ** rng.uniform(0.31, 2.5, size)).astype(int),
        "epsilon": 10 ** rng.uniform(-2.5, 0.6, size),
        "delta": 10 ** rng.uniform(-9, -2, size),
        "k": rng.uniform(2, 12, size),
        "beta": rng.uniform(0.2, 1, size),
    }


def evaluated(expression, modules):
    symbols = [sp.Symbol(name, positive=True) for name in results.SYMBOLS]
    return sp.lambdify(symbols, expression, modules=modules)


@each_cell
def test_expression_and_number_are_one_formula(problem, definition):
    # At forty digits the expression has no rounding of its own.
    v = random_settings(30)
    formula = formula_of(problem, definition)
    exact = [evaluated(e, "mpmath") for e in (formula.floor, formula.ceiling)]
    numbers, levels = split(v)
    found = results.closed_bounds(problem, at(definition, *levels), **numbers)
    with mpmath.workdps(40):
        for i in range(30):
            values = [mpmath.mpf(float(v[name][i])) for name in results.SYMBOLS]
            for expression, number in zip(exact, found, strict=True):
                assert np.broadcast_to(number, 30)[i] == pytest.approx(
                    float(expression(*values)), rel=1e-12
                )


@pytest.mark.parametrize("definition", [ZCDP, KL, TotalVariation, Approximate, Pure, Local])
@pytest.mark.parametrize("problem", ["bounded mean", "density"])
def test_a_formula_may_have_levels_of_its_own(problem, definition):
    v = random_settings(5, seed=7, largest=4.0)
    numbers, levels = split(v)
    guarantee = at(definition, *levels)
    formula = results.formula(problem, definition)
    names = {Local: ["epsilon"]}.get(definition, list(definition.symbolic().levels))
    used = {s.name for s in formula.floor.free_symbols | formula.ceiling.free_symbols}
    assert set(names) <= used <= {"n", "d", "k", "beta", *names}
    own = guarantee.levels_as_arrays()
    symbols = [sp.Symbol(name, positive=True) for name in [*numbers, *own]]
    found = results.closed_bounds(problem, guarantee, **numbers)
    for expression, number in zip((formula.floor, formula.ceiling), found, strict=True):
        function = sp.lambdify(symbols, expression, modules="mpmath")
        with mpmath.workdps(40):
            for i in range(5):
                values = [mpmath.mpf(float(x[i])) for x in [*numbers.values(), *own.values()]]
                assert number[i] == pytest.approx(float(function(*values)), rel=1e-12)


def test_formulas_are_those_of_every_cell_at_one_budget():
    found = results.formulas("unbiased mean")
    private = [definition for definition in results.DEFINITIONS if definition is not NonPrivate]
    assert list(found) == [("unbiased mean", definition.name) for definition in private]
    for definition in private:
        assert found["unbiased mean", definition.name] == formula_of("unbiased mean", definition)


@each_cell
def test_lambdified_with_numpy_it_agrees_as_well(problem, definition):
    v = random_settings(20, seed=4, largest=3.0)
    formula = formula_of(problem, definition)
    numbers, levels = split(v)
    for number, expression in zip(
        results.closed_bounds(problem, at(definition, *levels), **numbers),
        (formula.floor, formula.ceiling),
        strict=True,
    ):
        value = evaluated(expression, "numpy")(*(v[name] * 1.0 for name in results.SYMBOLS))
        # (1 - h)^(2 n) rounds 1 - h first: 2 n times the precision of a double.
        assert np.allclose(value, number, rtol=1e-12, atol=0)


@each_cell
def test_expressions_are_printable_for_a_browser(problem, definition):
    formula = formula_of(problem, definition)
    for expression in (formula.floor, formula.ceiling):
        assert {s.name for s in expression.free_symbols} <= set(results.SYMBOLS)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert "Not supported" not in sp.jscode(expression)


@each_cell
def test_closed_floor_is_below_closed_ceiling(problem, definition):
    numbers, levels = split(random_settings(300, seed=1))
    guarantee = at(definition, *levels)
    low, high = np.broadcast_arrays(*results.closed_bounds(problem, guarantee, **numbers))
    assert np.all(low > 0) and np.all(low <= high * (1 + 1e-12))


@each_cell
def test_closed_bounds_fall_with_people_and_budget(problem, definition):
    n, epsilon = np.unique(np.geomspace(2, 10**8, 60).astype(int)), np.geomspace(1e-3, 5, 60)
    many, _ = results.closed_bounds(problem, at(definition, 0.3), n=n, d=7)
    low, high = results.closed_bounds(problem, at(definition, epsilon), n=1_000, d=7)
    low, high = np.broadcast_to(low, 60), np.broadcast_to(high, 60)
    assert np.all(np.diff(many) <= 1e-12 * many[1:])
    assert np.all(np.diff(low) <= 1e-12 * low[1:])
    if problem != "density":  # whose bins are counted
        assert np.all(np.diff(high) <= 1e-12 * high[1:])


def test_closed_forms_put_together_the_bounds_of_the_chapters():
    v = random_settings(40, seed=2)
    numbers, (epsilon, delta) = split(v)
    people, dims, k = v["n"], v["d"], v["k"]
    alpha = np.tanh(epsilon / 2)
    rho = epsilon * alpha
    pure, tv, local = Pure(epsilon), TotalVariation(alpha), Local(Pure(epsilon))

    def low(problem, guarantee):
        found, _ = results.closed_bounds(problem, guarantee, **numbers)
        return np.broadcast_to(found, people.shape)

    def high(problem, guarantee):
        _, found = results.closed_bounds(problem, guarantee, **numbers)
        return np.broadcast_to(found, people.shape)

    def tv_floor(n, alpha, d, k):
        level = TotalVariation(alpha)
        return np.maximum(
            lb.mean_floor(n, 1, level, k, variant="paper"),
            lb.mean_floor(n, d, level, k, method="assouad"),
        )

    close = {"rtol": 1e-12, "atol": 0}
    assert np.allclose(low("proportion", NonPrivate()), 0.25 / (1 + np.sqrt(people)) ** 2, **close)
    assert np.allclose(low("proportion", tv), tv_floor(people, alpha, 1, np.inf) / 4, **close)
    contraction = lb.mean_floor(people, 1, local, r=0.5, method="contraction")
    assert np.allclose(low("proportion", local), contraction, **close)
    assert np.allclose(low("moment mean", tv), tv_floor(people, alpha, dims, k), **close)
    contraction = lb.mean_floor(people, dims, local, k, method="contraction")
    assert np.allclose(low("moment mean", local), contraction, **close)
    plain = lb.multinomial_floor(people, dims, NonPrivate())
    assert np.allclose(low("multinomial", NonPrivate()), plain, **close)
    assert np.allclose(low("multinomial", tv), lb.multinomial_floor(people, dims, tv), **close)
    pinsker = np.minimum(1, np.sqrt(rho / 2))
    fano = lb.mean_floor(people, dims, ZCDP(rho), k, method="fano", variant="closed")
    zcdp = np.maximum(tv_floor(people, pinsker, dims, k), fano)
    assert np.allclose(low("moment mean", ZCDP(rho)), zcdp, **close)
    assert np.allclose(low("moment mean", KL(rho)), tv_floor(people, pinsker, dims, k), **close)
    volume = lb.mean_floor(people, dims, pure, k, method="volume")
    for i in range(40):
        if epsilon[i] < dims[i] / 2:
            n, d = int(people[i]), int(dims[i])
            packing = lb.mean_floor(n, d, Pure(epsilon[i]), k[i], variant="paper")
            assert low("moment mean", pure)[i] == pytest.approx(
                max(packing, volume[i], tv_floor(n, alpha[i], d, k[i])), rel=1e-12
            )
    best = me.mean_ceiling(people, dims, pure, k)
    assert np.allclose(high("moment mean", pure), best, **close)
    C = me.noise_second_moment(people, dims, pure)
    assert np.allclose(high("bounded mean", pure), me.shrunk_ceiling(C, people), **close)
    # Pure privacy of epsilon implies rho = epsilon^2/2: so much of it does for rho.
    C = me.noise_second_moment(people, dims, Pure(np.sqrt(2 * rho)))
    C = np.minimum(C, me.noise_second_moment(people, dims, ZCDP(rho), noise="gaussian"))
    assert np.allclose(high("bounded mean", ZCDP(rho)), me.shrunk_ceiling(C, people), **close)
    ball = me.local_mean_ceiling(people, 1, local, method="l2_ball") / 4
    assert np.allclose(high("proportion", local), ball, **close)
    balls = [
        me.local_mean_ceiling(a, b, Local(Pure(e)), method="l2_ball")
        for a, e, b in zip(people, epsilon, dims, strict=True)
    ]
    assert np.all(high("bounded mean", local) >= 0.99 * np.array(balls))
    # Approximate privacy in closed form is never cheaper than the exact calibration.
    exact = me.noise_second_moment(people, dims, Approximate(epsilon, delta))
    assert np.all(
        high("bounded mean", Approximate(epsilon, delta))
        >= me.shrunk_ceiling(exact, people) * (1 - 1e-12)
    )


@each_cell
def test_closed_bounds_are_no_better_than_the_best_known(problem, definition):
    for n, d, k, epsilon in [(3, 2, 2.0, 0.9), (200, 9, 4.0, 0.3), (5_000, 3, 12.0, 2.0)]:
        guarantee = at(definition, epsilon)
        low, high = results.closed_bounds(problem, guarantee, n=n, d=d, k=k)
        found = results.cell(problem, guarantee, results.Setting(n=n, d=d, k=k))
        assert low <= found.floor * (1 + 1e-12) and found.ceiling <= high * (1 + 1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("k", [143.0, 143.5, 144.0, 200.0, 1000.0])
def test_high_moments_have_finite_bounds(k):
    # k^k is past the doubles from k = 144 on.
    for guarantee in standard_guarantees(0.2, 1e-6):
        low, high = results.closed_bounds("moment mean", guarantee, n=10**4, d=20, k=k)
        assert 0 < low <= high <= 1
        found = results.cell("moment mean", guarantee, results.Setting(n=10**4, d=20, k=k))
        assert low <= found.floor <= found.ceiling <= high * (1 + 1e-12)
    _, high = results.closed_bounds("moment mean", Pure(0.2), n=10**4, d=20, k=k)
    assert high == pytest.approx(me.mean_ceiling(10**4, 20, Pure(0.2), k), rel=1e-12)
    bounded = me.mean_ceiling(10**4, 20, Pure(0.2), np.inf)
    assert high == pytest.approx(bounded, rel=12 / k)


def test_people_needed_for_a_high_moment():
    found = results.people_needed("moment mean", Pure(0.2), 0.01, d=20, k=200)
    ceilings = me.mean_ceiling(np.array([found - 1, found]), 20, Pure(0.2), 200)
    assert ceilings[0] > 0.01 >= ceilings[1]


@pytest.mark.parametrize(("n", "d", "epsilon"), [(50, 3, 0.2), (10**6, 23, 5.0), (20, 2, 8.0)])
def test_closed_forms_of_unbiased_means_are_those_of_their_chapter(n, d, epsilon):
    pure = Pure(epsilon)
    zcdp, local = pure.implies(ZCDP), Local(pure)
    # The least ellipsoid around the tips of the axes is the unit ball.
    tips = np.vstack([np.eye(d), -np.eye(d)])
    floors = {g: ub.unbiased_floor(tips, n, g) for g in (pure, zcdp)}
    alone = ub.unbiased_floor(tips, 1, pure)

    low, high = results.closed_bounds("unbiased mean", pure, n=n, d=d)
    assert low == near(max(floors[pure].trace, ub.packing_floor(n, d, pure)))
    assert high == near(floors[pure].noise.error ** 2)
    low, high = results.closed_bounds("unbiased mean", zcdp, n=n, d=d)
    assert low == near(floors[zcdp].trace)
    assert high == near(floors[zcdp].noise.error ** 2)
    low, high = results.closed_bounds("unbiased mean", local, n=n, d=d)
    assert low == near(alone.trace / n)
    ball = me.report_second_moment(d, epsilon, "l2_ball") / n
    assert ball <= high <= 1.5 * ball


def test_density_formulas_against_those_of_their_chapter():
    for n in (100, 10**4, 10**6):
        for epsilon in (0.1, 1.0):
            none, pure, local = (
                results.closed_bounds("density", guarantee, n=n, beta=1.0)
                for guarantee in (NonPrivate(), Pure(epsilon), Local(Pure(epsilon)))
            )
            # The argument there keeps a factor one half that the squared loss does not need.
            assert none[0] >= density_estimation.lipschitz_floor(n) * 1.5
            assert none[0] <= density_estimation.lipschitz_floor(n) * 2 * (1 + 1e-9)
            assert pure[0] >= 0.999 * density_estimation.lipschitz_floor(n, epsilon, "central")
            assert local[0] >= density_estimation.lipschitz_floor(n, epsilon, "local")
    # beta: the floor and the ceiling fall with the exponent of the theory.
    people = np.array([10**6, 10**12])
    for beta in (0.3, 0.7, 1.0):
        low, high = results.closed_bounds("density", Local(Pure(0.5)), n=people, beta=beta)
        power = 2 * beta / (2 * beta + 2)
        for value in (low, high):
            slope = np.log(value[0] / value[1]) / np.log(people[1] / people[0])
            assert slope == pytest.approx(power, abs=0.03)


@pytest.mark.parametrize("privacy", [NonPrivate(), Local(Pure(1.0)), Local(Pure(4.0))])
@pytest.mark.parametrize("beta", [0.25, 0.5, 0.8, 1.0])
def test_closed_floor_of_a_density_is_the_best_of_all_numbers_of_cells(privacy, beta):
    w, people = 1 / np.arange(1.0, 4_000), np.array([3, 20, 300, 10**4, 10**6])
    height = 2 ** (-1 - beta) * w**beta
    # Squared Hellinger distance of the two signs of a wave, as one person shows it.
    shown = height**2 / 3 * w / (1 + np.sqrt(1 - height**2))
    told = (1 - shown[:, None]) ** (2 * people)
    if isinstance(privacy, Local):
        epsilon = privacy.inner.epsilon
        kappa = np.sinh(epsilon / 2) ** 2 / (1 + 1 / np.cosh(epsilon / 2))
        kappa *= max(1, 2 / (1 + 2 * np.exp(-epsilon)))
        contracted = np.minimum(1, kappa * (height * w / 2) ** 2)
        told = np.maximum(told, (1 - contracted[:, None]) ** (2 * people))
    best = (height[:, None] ** 2 / 3 * told).max(axis=0)
    low, _ = results.closed_bounds("density", privacy, n=people, beta=beta)
    assert np.all(low <= best * (1 + 1e-9))
    assert np.all(low >= best * (1 - 1e-6))  # without privacy the best width is one of large n


@pytest.mark.parametrize("beta", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("load", [3.0, 30.0, 300.0])
def test_closed_floor_of_a_density_is_at_the_best_number_of_waves(beta, load):
    n, wave = 10**6, 2 ** (-1 - beta)
    width = 1 / np.arange(1, 10_000)
    errors = (wave * width**beta) ** 2 / 3 * (1 - load * wave * width ** (beta + 1) / 2)
    low, _ = results.closed_bounds("density", TotalVariation(load / n), n=n, beta=beta)
    assert low == near(errors.max())


@pytest.mark.parametrize("beta", [0.3, 0.6, 1.0])
def test_closed_ceiling_of_a_density_is_near_that_of_the_best_number_of_bins(beta):
    bins, spread, n = np.arange(1, 10_000), 1 / ((2 * beta + 1) * (2 * beta + 2)), 10**6
    ratio = np.exp(-0.05)
    noise = 2 * ratio / (1 - ratio) ** 2 / n**2  # of a count of which two move by one
    errors = spread * bins ** (-2 * beta) + (bins - 1) / n + noise * bins**2
    _, high = results.closed_bounds("density", Pure(0.1), n=n, beta=beta)
    assert errors.min() * (1 - 1e-9) <= high <= 1.05 * errors.min()


def assert_in_order(row, where=""):
    slack = 6 * row.standard_error + 1e-9 * row.risk
    assert row.floor > 0 or row.risk == 0, (where, row)
    assert row.floor <= row.risk + slack, (where, row)
    assert row.risk <= row.ceiling + slack, (where, row)
    assert row.ratio >= 1 - 1e-9, (where, row)
    assert row.kind in ("exact", "family", "bound", "simulated")


# A run of many settings, wider apart, with some cells at each; or few with all of them.
MANY = int(os.environ.get("MINIMAXDP_SETTINGS", "0"))
SEED = int(os.environ.get("MINIMAXDP_SEED", "3"))
PARTS = 2 if MANY else 1  # of which each may run on a core of its own


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_every_cell_is_in_order_at_random_settings(part):
    checked = {parameter.values: 0 for parameter in CELLS}
    size, share = (MANY, 8) if MANY else (4, len(CELLS))
    for i in range(part, size, PARTS):
        rng = np.random.default_rng([SEED, i])
        n, d = int(10 ** rng.uniform(0.7, 7 if MANY else 5)), int(10 ** rng.uniform(0.31, 2.3))
        epsilon, delta = 10 ** rng.uniform(-2 if MANY else -1.3, 0.5), 10 ** rng.uniform(-10, -3)
        k, beta = rng.uniform(2, 8), 1.0 if i % 2 else rng.uniform(0.3, 1)
        setting = results.Setting(n=n, d=d, k=k, beta=beta)
        promises = {type(privacy): privacy for privacy in standard_guarantees(epsilon, delta)}
        where = f"setting {i} of {size} at seed {SEED}: {setting}, {epsilon=}, {delta=}"
        for c in rng.choice(len(CELLS), share, replace=False):
            problem, definition = CELLS[c].values
            assert_in_order(results.cell(problem, promises[definition], setting), where)
            checked[problem, definition] += 1
    rare = min(checked, key=checked.get)
    told = f"{rare} was drawn {checked[rare]} times only: MINIMAXDP_SETTINGS must be some 500"
    assert checked[rare] >= max(1, size // (10 * PARTS)), told


def test_a_subset_of_nobody_is_not_taken_for_one_of_one():
    # One of twelve people would be private at 1/12 only.
    found = results.cell("density", TotalVariation(0.005), results.Setting(n=12))
    assert_in_order(found)
    assert "subset" not in found.method


def test_the_table_is_its_cells_the_widest_open_first():
    promises = standard_guarantees(0.4, 1e-5)
    rows = results.table(results.Setting(n=700, d=4), promises)
    assert {(row.problem, type(row.privacy)) for row in rows} == {p.values for p in CELLS}
    assert len(rows) == len(CELLS)
    assert all(first.ratio >= second.ratio for first, second in pairwise(rows))


@pytest.mark.parametrize("epsilon", [38.0, 40.0])
def test_the_table_at_budgets_that_hide_next_to_nothing(epsilon):
    # From 38 on the total variation that is implied rounds to one: nothing is promised.
    rows = results.table(results.Setting(), standard_guarantees(epsilon, 1e-6))
    assert len(rows) == len(CELLS)
    for row in rows:
        assert_in_order(row)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_table_of_a_handful_of_people(n):
    rows = results.table(results.Setting(n=n))
    assert len(rows) == len(CELLS)
    for row in rows:
        assert_in_order(row)


def test_the_table_of_any_guarantees():
    mixed = [Pure(0.1), Pure(0.4), KL(0.02), ZCDP(0.02)]
    rows = results.table(results.Setting(n=300, d=3), mixed)
    assert len(rows) == 7 * 4
    by_cell = {(row.problem, row.privacy): row for row in rows}
    for problem in results.PROBLEMS:
        one, other = (by_cell[problem, guarantee] for guarantee in mixed[:2])
        assert one.floor >= other.floor and one.ceiling >= other.ceiling
    for row in rows:
        assert_in_order(row)
        assert row.definition == row.privacy.name
    default = [row.privacy for row in results.table(results.Setting(n=300, d=3))]
    assert set(default) == set(standard_guarantees(0.2, 1e-6))


def test_cells_know_the_truth_where_it_is_known():
    for problem in ("proportion", "multinomial", "bounded mean", "moment mean"):
        assert results.cell(problem, NonPrivate()).ratio == pytest.approx(1, rel=1e-12)
    exact = lb.bernoulli_minimax(12, Pure(0.9))
    found = results.cell("proportion", Pure(0.9), results.Setting(n=12, d=2))
    assert exact.lower / 4 <= found.floor * (1 + 1e-9) and found.ratio < 1.01
    assert found.floor <= exact.upper / 4 <= found.risk * (1 + 1e-9)
    local = results.cell("multinomial", Local(Pure(1.0)), results.Setting(n=10**7, d=12))
    uniform = np.full(12, 1 / 12)
    risk = rr.subset_selection_risk(1.0, uniform, 10**7, w=int(rr.best_subset_size(12, 1.0)))
    assert local.risk == pytest.approx(risk, rel=1e-3)


def test_where_rounding_and_response_are_worse_a_constant_answers():
    found = results.cell("endpoint", Local(Pure(0.2)), results.Setting(n=5))
    assert 0.48 < found.risk < found.ceiling == 0.5  # a Bayes estimate is hardly better
    found = results.cell("endpoint", Pure(1e-3), results.Setting(n=5))
    assert found.risk == found.ceiling == 0.5


def test_a_budget_of_next_to_nothing_needs_next_to_no_memory():
    results.cell("endpoint", Pure(1.0))  # what every budget needs once, imports among it
    tracemalloc.start()
    found = results.cell("endpoint", Pure(1e-9), results.Setting(n=10**9))
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()
    assert_in_order(found)


def test_levels_are_those_that_pure_privacy_implies():
    levels = {guarantee.name: guarantee for guarantee in standard_guarantees(0.8, 1e-6)}
    response = np.array([[np.exp(0.8), 1], [1, np.exp(0.8)]]) / (1 + np.exp(0.8))
    found = definitions.report(response)
    assert found.total_variation == pytest.approx(levels["tv"].alpha)
    assert found.kl == pytest.approx(levels["kl"].level)
    assert found.zcdp.high == pytest.approx(levels["zcdp"].rho, rel=1e-6)
    at_budget = {sp.Symbol("epsilon", positive=True): 0.8, sp.Symbol("delta", positive=True): 1e-6}
    for definition in (Pure, Approximate, ZCDP, KL, TotalVariation):
        made, wanted = results.at_budget(definition), levels[definition.name]
        for name, value in wanted.levels.items():
            number = float(getattr(made, name).subs(at_budget))
            assert number == pytest.approx(value, rel=1e-12)
    assert results.at_budget(Local).inner.epsilon.subs(at_budget) == levels["local"].inner.epsilon


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
    run = results.exponential_endpoint_risk(n, Pure(epsilon), 0.7, replications=20_000, rng=1)
    error = np.hypot(run.standard_error, np.std(losses) / np.sqrt(len(losses)))
    assert abs(run.mean - np.mean(losses)) < 5 * error + 1e-4  # the grid's step


def test_the_endpoint_is_found_at_every_scale():
    for theta in (1e-5, 1e-3, 0.1, 1.0):
        assert results.exponential_endpoint_risk(10**4, Pure(1.0), theta).mean < 2e-3


ONE = Pure(1.0)
BAD = [
    (lambda: results.Setting(n=1), "n"),
    (lambda: results.Setting(n=2**50 + 1), "n"),
    (lambda: results.Setting(d=1), "d"),
    (lambda: results.Setting(k=1.9), "k"),
    (lambda: results.Setting(k=1001.0), "k"),
    (lambda: results.Setting(beta=1.1), "beta"),
    (lambda: results.cell("median", NonPrivate()), "problem"),
    (lambda: results.cell("endpoint", "pure"), "privacy"),
    (lambda: results.cell("endpoint", GaussianDP(1.0)), "privacy"),
    (lambda: results.cell("unbiased mean", NonPrivate()), "privacy"),
    (lambda: results.cell("endpoint", Pure([1.0, 2.0])), "privacy"),
    (lambda: results.cell("endpoint", ONE, {"n": 10}), "setting"),
    (lambda: results.table(results.Setting(n=5), [GaussianDP(1.0)]), "privacies"),
    (lambda: results.table(results.Setting(n=5), ["pure"]), "privacies"),
    (lambda: results.Cell("endpoint", 0.3, "m", 0.1, 0.2, 0.3), "privacy"),
    (lambda: results.Cell("endpoint", ONE, "m", -0.1, 0.2, 0.3), "floor"),
    (lambda: results.Cell("endpoint", ONE, "m", 0.1, 0.2, 0.3, "guess"), "kind"),
    (lambda: results.formula("mean", NonPrivate), "problem"),
    (lambda: results.formula("endpoint", GaussianDP), "definition"),
    (lambda: results.formula("endpoint", "pure"), "definition"),
    (lambda: results.formulas("median"), "problem"),
    (lambda: results.at_budget(GaussianDP), "definition"),
    (lambda: results.closed_bounds("median", ONE), "problem"),
    (lambda: results.closed_bounds("endpoint", ConditionalTesting(0.1, 0.1)), "privacy"),
    (lambda: results.closed_bounds("endpoint", 1.0), "privacy"),
    (lambda: results.closed_bounds("endpoint", ONE, m=3), "parameters"),
    (lambda: results.closed_bounds("endpoint", ONE, epsilon=3), "parameters"),
    (lambda: results.closed_bounds("endpoint", ONE, n=5.0), "n"),
    (lambda: results.exponential_endpoint_risk(1, ONE), "n"),
    (lambda: results.exponential_endpoint_risk(10, ONE, 0.0), "theta"),
    (lambda: results.exponential_endpoint_risk(10, 1.0), "privacy"),
    (lambda: results.people_needed("bounded mean", ONE, 0.0), "risk"),
    (lambda: results.epsilon_needed("bounded mean", Pure, 0.0), "risk"),
    (lambda: results.epsilon_needed("bounded mean", NonPrivate, 0.1), "definition"),
    (lambda: results.epsilon_needed("bounded mean", ONE, 0.1), "definition"),
    (lambda: results.epsilon_needed("median", Pure, 0.1), "problem"),
    (lambda: results.epsilon_needed("bounded mean", Pure, 0.1, delta=0), "delta"),
    (lambda: results.epsilon_needed("bounded mean", Pure, 0.1, d=1), "d"),
    (lambda: results.people_needed("bounded mean", ONE, np.nan), "risk"),
    (lambda: results.people_needed("bounded mean", ONE, 0.1, n=5), "n"),
    (lambda: results.people_needed("bounded mean", 1.0, 0.1), "privacy"),
    (lambda: results.people_needed("bounded mean", ONE, 0.1, d=1), "d"),
]


@pytest.mark.parametrize(("call", "name"), BAD)
def test_bad_input_is_named(call, name):
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        call()


@each_cell
def test_people_needed_are_enough_and_one_fewer_are_not(problem, definition):
    guarantee = at(definition, 0.9)
    risk = float(results.closed_bounds(problem, guarantee, n=5_000, d=3)[1])
    found = results.people_needed(problem, guarantee, risk, d=3)
    assert found is not None and found <= 5_000
    bounds = results.closed_bounds(problem, guarantee, n=[found - 1, found], d=3)
    assert found == 2 or bounds[1][0] > risk >= bounds[1][1]


def test_people_needed_says_when_none_are_enough_and_knows_its_parameters():
    assert results.people_needed("bounded mean", ONE, 1e-300) is None
    with pytest.raises(TypeError, match="zeta"):
        results.people_needed("bounded mean", ONE, 0.1, zeta=1.0)


@pytest.mark.parametrize("problem", results.PROBLEMS)
@pytest.mark.parametrize("definition", results.DEFINITIONS[1:])
def test_a_needed_budget_suffices_and_a_little_less_does_not(problem, definition):
    numbers = {"n": 50_000, "d": 5}

    def ceiling(epsilon):
        by_type = {type(g): g for g in standard_guarantees(epsilon, 1e-5)}
        return results.closed_bounds(problem, by_type[definition], **numbers)[1]

    risk = 1.5 * ceiling(0.7)
    found = results.epsilon_needed(problem, definition, risk, delta=1e-5, **numbers)
    assert found is not None
    assert ceiling(found) <= risk < ceiling(found * (1 - 1e-6))
    assert results.epsilon_needed(problem, definition, 1e-300, **numbers) is None
    assert results.epsilon_needed(problem, definition, 1e40, **numbers) == 1e-9


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "guarantee",
    [
        TotalVariation(1.0), Approximate(0.0, 0.1), Approximate(0.2, 0.0), Approximate(700.0, 0.1),
        Pure(700.0), KL(700.0), ZCDP(300.0), Local(Pure(700.0)),
    ],
    ids=repr,
)  # fmt: skip
def test_cells_at_the_ends_of_the_levels(guarantee):
    for problem in results.PROBLEMS[:-1]:
        for n in (3, 100):
            assert_in_order(results.cell(problem, guarantee, results.Setting(n=n)))
            low, high = results.closed_bounds(problem, guarantee, n=n)
            assert 0 < low <= high * (1 + 1e-12)


def test_local_cells_are_those_of_pure_reports():
    for inner in (Approximate(0.2, 0.1), ZCDP(0.1), TotalVariation(0.5)):
        for call in (
            lambda inner=inner: results.cell("proportion", Local(inner)),
            lambda inner=inner: results.closed_bounds("proportion", Local(inner)),
            lambda inner=inner: results.people_needed("proportion", Local(inner), 0.01),
        ):
            with pytest.raises(ValueError, match=r"^privacy\b"):
                call()
    with pytest.raises(ValueError, match=r"^privacy\b"):
        results.people_needed("proportion", Pure([0.1, 0.2]), 0.01)


def test_a_tiny_budget_for_many_people_runs_in_bounded_memory():
    tracemalloc.start()
    found = results.cell("endpoint", Pure(1e-6), results.Setting(n=10**6))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**30
    assert found.floor <= found.risk <= found.ceiling == 0.5


def test_one_person_now_and_then_is_unbiased_and_nearly_the_best_under_total_variation():
    n, alpha = 10, 0.025
    found = results.cell("unbiased mean", TotalVariation(alpha), results.Setting(n=n, d=200))
    assert found.method == "one person, now and then" and found.gap < 1.05
    # Opposite vectors of length one: the mean is 0 and the error the largest.
    x = np.vstack([np.eye(5), -np.eye(5)])
    outputs, weights = np.vstack([x / (n * alpha), np.zeros(5)]), np.r_[np.full(n, alpha), 0.75]
    assert np.allclose(weights @ outputs, 0)
    assert weights @ (outputs**2).sum(axis=1) == pytest.approx(found.risk)


def test_a_setting_has_the_usual_moment():
    assert results.Setting(n=10).k == 4 and results.Setting(n=10).beta == 1


@pytest.mark.parametrize(("n", "beta"), [(50, 0.5), (3_000, 0.8)])
def test_a_shrunk_histogram_by_hand(n, beta):
    # Its squared bias, and of what is left as much as the sampling error lets through.
    spread = 1 / ((2 * beta + 1) * (2 * beta + 2))
    best = spread
    for bins in range(2, 4 * n):
        bias, error = spread * bins ** (-2 * beta), (bins - 1) / n
        best = min(best, bias + (spread - bias) * error / (spread - bias + error))
    found = results.cell("density", NonPrivate(), results.Setting(n=n, beta=beta))
    assert found.method == "shrunk histogram" and found.risk == pytest.approx(best, rel=1e-12)


def test_the_moments_of_noise_on_a_count() -> None:
    x = np.array([-0.3, 0.1, 0.4])
    for privacy in (ZCDP(0.02), ZCDP(3.0)):
        normal = _mechanism_choice.histogram_log_mgf(privacy, "normal noise")
        # Of counts that move by one in two cells, the noise has the variance 2 sigma^2 = 1 / rho.
        assert normal(x) == pytest.approx(x**2 / (2 * privacy.rho), rel=1e-12)
    geometric = _mechanism_choice.histogram_log_mgf(Pure(2.0), "geometric noise")
    values = np.arange(-400, 401)
    law = np.exp(-abs(values)) * np.tanh(0.5)
    sums = [np.log(law @ np.exp(s * values)) for s in x]
    assert geometric(x) == pytest.approx(sums, rel=1e-12)
    assert geometric(np.array([1.0]))[0] == np.inf
