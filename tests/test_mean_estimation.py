"""Truncation, ceilings and the private mean: by brute force, by sympy, by simulation."""

from itertools import combinations, product

import laws
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from minimaxdp import divergences, privacy
from minimaxdp import lower_bounds as lb
from minimaxdp import mean_estimation as me

property_test = settings(max_examples=40, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 5), st.floats(0.1, 5))
@property_test
def test_projection_is_the_nearest_point_and_never_lengthens_a_distance(seed, d, rho):
    rng = np.random.default_rng(seed)
    x, y = 3 * rng.standard_normal((2, 50, d))
    cut, other = me.project(x, rho), me.project(y, rho)
    assert np.all(np.linalg.norm(cut, axis=1) <= rho * (1 + 1e-12))
    inside = rho * rng.random((50, 1)) ** (1 / d) * x / np.linalg.norm(x, axis=1, keepdims=True)
    candidates = np.concatenate([inside, cut[::-1]])
    distance = np.linalg.norm(x[:, None] - candidates, axis=2).min(axis=1)
    gap = np.linalg.norm(x - cut, axis=1)
    assert np.all(gap <= distance + 1e-12)
    moved = np.linalg.norm(cut - other, axis=1)
    bound = np.minimum(np.linalg.norm(x - y, axis=1), 2 * rho)
    assert np.all(moved <= bound + 1e-12)  # equation (21), one record


def test_projection_at_the_ends_of_the_doubles():
    assert np.allclose(me.project([1e300, 1e300], 1.0), np.sqrt(0.5))
    assert np.all(me.project([[0.0, 0.0]], 1e-300) == 0)
    assert np.all(me.project([1e-320, 0.0], 1.0) == [1e-320, 0.0])
    x = np.array([[5.0, -7.0]])
    assert np.all(me.project(x, np.inf) == x)


@given(seeds, st.floats(1.05, 12), st.floats(0.05, 20))
@property_test
def test_bias_of_truncation_on_random_laws(seed, k, rho):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((6, 3)) * 10.0 ** rng.uniform(-1, 2, (6, 1))
    law = me.FiniteLaw(points, rng.dirichlet(np.full(6, 0.4)))
    r = law.moment(k) ** (1 / k)
    sharp, paper = (me.bias_bound(rho, k, r, sharp=s) for s in (True, False))
    assert law.bias(rho) <= sharp * (1 + 1e-9) + 1e-12
    assert sharp <= paper * (1 + 1e-12)
    assert law.truncated(rho).variance <= law.variance * (1 + 1e-12)  # Lemma 4


@pytest.mark.parametrize("k", [1.5, 2, 3, 8, 50])
@pytest.mark.parametrize("rho", [1.0, 2.0, 30.0])
def test_sharp_bias_is_attained(k, rho):
    p = (rho * k / (k - 1)) ** -k  # mass at distance rho k / (k - 1)
    law = me.spike(k, p)
    assert law.moment(k) == pytest.approx(1, rel=1e-12)
    assert law.bias(rho) == pytest.approx(me.bias_bound(rho, k), rel=1e-10)


def test_bias_constant_limits():
    assert me.bias_constant(np.inf) == 0
    assert me.bias_constant(1 + 1e-9) == pytest.approx(1, rel=1e-6)
    assert me.bias_constant(1e8) == pytest.approx(1 / np.e / 1e8, rel=1e-6)
    assert me.bias_bound([0.4, 1.0, 2.0], np.inf) == pytest.approx([0.6, 0, 0])


def test_best_radius_and_ceiling_by_sympy():
    rho, c, C, r, n = sp.symbols("rho c C r n", positive=True)
    for k in (2, 3, 4, 7):
        total = c**2 * r ** (2 * k) / rho ** (2 * k - 2) + C * rho**2
        best = r * ((k - 1) * c**2 / C) ** sp.Rational(1, 2 * k)
        assert sp.simplify(sp.diff(total, rho).subs(rho, best)) == 0
        least = sp.Rational(k, k - 1) * ((k - 1) * c**2) ** sp.Rational(1, k)
        claim = r**2 * least * C ** sp.Rational(k - 1, k)
        values = {c: float(me.bias_constant(k)), C: 3e-4, r: 1.7}
        assert float((total.subs(rho, best) - claim).subs(values)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("definition", me.DEFINITIONS)
@pytest.mark.parametrize("k", [2, 2.5, 4, 20, np.inf])
def test_ceiling_is_the_least_bound_over_the_radius(definition, k):
    level = None if definition == "none" else 0.3
    delta = 1e-5 if definition == "approximate" else None
    n, d, r = 5_000, 6, 1.3
    C = me.energy_factor(definition, n, d, level, delta=delta)
    value = me.ceiling(definition, n, d, level, k, r, delta=delta)
    rho = me.radius(C, k, r)
    at_best = me.risk_bound(rho, C, n, k, r)
    subset = r**2 / me.subset_size(n, level) if definition == "tv" else np.inf
    assert value == pytest.approx(min(at_best, subset), rel=1e-12)
    if definition != "none" and k < np.inf:  # bounded data: shrink rather than cut
        found = minimize_scalar(
            lambda u: float(me.risk_bound(np.exp(u), C, n, k, r)),
            bounds=(np.log(rho) - 0.5, np.log(rho) + 0.5),
            method="bounded",
        )
        assert at_best <= found.fun * (1 + 1e-9)
    if definition != "none":
        # Over laws of the class the exact worst risk lies below, and not far.
        truth = me.spike_risk(rho, C, n, k, r)
        assert 0.5 * at_best <= truth <= at_best * (1 + 1e-9)
    paper = me.ceiling(definition, n, d, level, k, r, delta=delta, printed=True)
    assert value <= paper * (1 + 1e-12)


@pytest.mark.parametrize("definition", ["pure", "approximate", "kl"])
def test_proposition_6_as_printed(definition):
    for n, d, level, k in product([50, 10**4, 10**6], [1, 5, 40], [0.1, 1.0], [2, 4, 9]):
        delta = 1e-6 if definition == "approximate" else None
        rate = {
            "kl": d / (n**2 * level),
            "pure": (d / (n * level)) ** 2,
            "approximate": d * np.log(1e6) / (n * level) ** 2,
        }[definition]
        a = {"kl": 2, "pure": 8, "approximate": 8 * np.log(1.25e6) / np.log(1e6)}[definition]
        formula = min(1, 1 / n + (a + 1 / (k - 1) ** 2) * rate ** (1 - 1 / k))
        value = me.ceiling(definition, n, d, level, k, delta=delta, printed=True)
        assert value == pytest.approx(formula, rel=1e-12)
        C = me.energy_factor(definition, n, d, level, delta=delta, printed=True)
        rho = me.radius(rate, k, printed=True)
        exact = me.risk_bound(rho, C, n, k, sharp=False)
        assert value == pytest.approx(exact, rel=1e-9)


FLOORS = {
    "none": lambda n, d, level, k: lb.mean_nonprivate(n),
    "pure": lambda n, d, level, k: lb.mean_dp_sharp(n, level, d, k),
    "approximate": lambda n, d, level, k: lb.mean_dp_sharp(n, level, d, k, delta=1e-6),
    "zcdp": lambda n, d, level, k: lb.mean_zcdp(n, level, d, k),
    "kl": lambda n, d, level, k: lb.mean_tv_sharp(n, np.sqrt(level / 2), k),
    "tv": lambda n, d, level, k: lb.mean_tv_sharp(n, level, k),
}


@pytest.mark.parametrize("definition", FLOORS)
def test_floor_truth_ceiling_at_many_settings(definition):
    settings = list(product([(20, 0.9), (10**3, 0.1), (10**5, 0.4)], [2, 12, 200], [2, 4, np.inf]))
    assert len(settings) >= 20
    for (n, eps), d, k in settings:
        delta = 1e-6 if definition == "approximate" else None
        level = None if definition == "none" else eps
        floor = FLOORS[definition](n, d, eps, k)
        high = me.ceiling(definition, n, d, level, k, delta=delta)
        if definition == "none":
            assert floor <= me.shrunk_ceiling(0.0, n) * (1 + 1e-12) <= high
            continue
        C = me.energy_factor(definition, n, d, level, delta=delta)
        truth = me.spike_risk(me.radius(C, k), C, n, k)
        if definition == "tv":  # the better of noise and the random subset
            truth = min(truth, 1 / max(1, me.subset_size(n, eps)))
        assert floor <= min(truth, 1) <= high * (1 + 1e-12)


def test_subset_has_no_rounding_and_its_exact_level():
    for n in range(1, 200):
        m = np.arange(0, n + 1)[1:]
        assert np.all(me.subset_size(n, m / n) == m)
        assert np.all(me.subset_size(n, np.nextafter(m / n, 0)) == m - 1)
    worlds, near = privacy.datasets(2, 4)
    groups = list(combinations(range(4), 2))
    sums = np.array([[w[i] + w[j] for i, j in groups] for w in worlds])
    channel = np.stack([(sums == v).mean(axis=1) for v in range(3)], axis=1)
    worst = privacy.divergence_level(channel, divergences.total_variation, near)
    assert worst == pytest.approx(0.5)


@given(seeds, st.integers(1, 2_000), st.floats(0, 3))
@property_test
def test_shrunk_ceiling_is_a_saddle_value(seed, n, C):
    value, s = me.shrunk_ceiling(C, n), me.shrinkage(C, n)

    def worst(s):
        return max(s**2 * (1 - t) / n + (1 - s) ** 2 * t for t in (0, 1)) + s**2 * C

    assert worst(s) == pytest.approx(value, rel=1e-12)
    grid = np.linspace(0, 1, 2_001)
    assert min(worst(x) for x in grid) >= value - 1e-12
    assert value <= 1


@pytest.mark.parametrize("n", [1, 3, 10, 25])
def test_shrunk_mean_is_above_the_exact_minimax_risk(n):
    for epsilon in (0.3, 1.0, 3.0):
        exact = lb.bernoulli_minimax(n, epsilon=epsilon)
        C = me.energy_factor("pure", n, 1, epsilon)
        assert exact.lower <= me.shrunk_ceiling(C, n) * (1 + 1e-9)
    exact = lb.bernoulli_minimax(n)
    assert exact.lower <= me.shrunk_ceiling(0.0, n) <= exact.upper


def test_risk_of_a_finite_law_by_enumeration():
    law = me.FiniteLaw([[0.0, 0.0], [3.0, 1.0], [-1.0, 0.5]], [0.5, 0.2, 0.3])
    rho, n, energy = 1.2, 4, 0.07
    cut = me.project(law.points, rho)
    total = 0.0
    for chosen in product(range(3), repeat=n):
        weight = np.prod(law.probabilities[list(chosen)])
        total += weight * ((cut[list(chosen)].mean(axis=0) - law.mean) ** 2).sum()
    assert law.risk(rho, n, energy) == pytest.approx(total + energy, rel=1e-12)


def test_heavy_tail_has_its_moment_and_no_more():
    law = me.heavy_tail(3, d=4, r=2.0)
    assert law.moment(3) ** (1 / 3) == pytest.approx(2)
    assert me.heavy_tail(3, levels=60).moment(4) > 100 * me.heavy_tail(3, levels=40).moment(4)
    assert np.allclose(me.heavy_tail(3, d=4, tilt=0).mean, 0)
    assert law.d == 4 and len(law.points) == 320


@pytest.mark.parametrize("definition", ["none", "pure", "approximate", "zcdp", "kl", "tv"])
@pytest.mark.parametrize("printed", [False, True])
def test_simulation_agrees_with_the_exact_risk(definition, printed):
    law = me.heavy_tail(4, d=10)
    mechanism = me.PrivateMean.calibrated(
        definition,
        n=10**6,
        d=10,
        level=None if definition == "none" else 0.01,
        k=4,
        delta=1e-6 if definition == "approximate" else None,
        printed=printed,
        rho=1e12 if definition == "none" else None,
    )
    run = me.simulated_risk(mechanism, law, 500, rng=7)
    assert run.agrees_with(mechanism.risk(law))
    if definition != "none":
        level = {"level": 0.01, "delta": 1e-6 if definition == "approximate" else None}
        assert mechanism.risk(law) <= me.ceiling(
            definition, 10**6, 10, k=4, printed=printed, **level
        )


def test_records_and_counts_have_one_law():
    law = me.heavy_tail(3, d=2)
    mechanism = me.PrivateMean.calibrated("kl", n=60, d=2, level=0.3, k=3)
    rng = np.random.default_rng(3)
    one = [mechanism.estimate(law.sample(60, rng=rng), rng=rng)[0] for _ in range(2_000)]
    cut = law.truncated(mechanism.radius)
    other = mechanism.privatize_mean(cut.sample_means(60, 2_000, rng=rng), rng=rng)[:, 0]
    laws.assert_same_law(one, other)
    sampled = me.simulated_risk(
        mechanism, lambda rng, m: law.sample(m, rng=rng), 500, mean=law.mean, rng=4
    )
    assert sampled.agrees_with(mechanism.risk(law))


def test_chunks_change_nothing(monkeypatch):
    data = np.random.default_rng(0).standard_normal((1_000, 3)) * 4
    mechanism = me.PrivateMean(1.5, 1_000)
    whole = mechanism.truncated_mean(data)
    monkeypatch.setattr(me.release, "_CHUNK", 100)
    assert np.allclose(mechanism.truncated_mean(data), whole, rtol=1e-12)
    assert np.allclose(whole, me.project(data, 1.5).mean(axis=0))


def test_one_call_and_the_subset():
    data = np.random.default_rng(1).uniform(-1, 1, 400)
    open_data = me.private_mean(data, "none", k=np.inf, r=1.0)
    assert open_data[0] == pytest.approx(data.mean())
    by_seed = [me.private_mean(data, "pure", 1.0, k=np.inf, r=1.0, rng=5)[0] for _ in range(2)]
    assert by_seed[0] == by_seed[1] != data.mean()
    assert me.subset_mean(data, 400)[0] == pytest.approx(data.mean())
    runs = [me.subset_mean(data, 20, rng=i)[0] for i in range(2_000)]
    laws.assert_mean(runs, data.mean())


BAD = [
    (lambda: me.project(1.0, 1.0), "x"),
    (lambda: me.project([[1.0]], 0.0), "radius"),
    (lambda: me.project([[np.nan]], 1.0), "x"),
    (lambda: me.bias_constant(1.0), "k"),
    (lambda: me.bias_bound(0.0, 2), "radius"),
    (lambda: me.FiniteLaw([1.0, 2.0], [1.0]), "probabilities"),
    (lambda: me.FiniteLaw([1.0, 2.0], [0.5, 0.6]), "probabilities"),
    (lambda: me.spike(2, 0.0), "p"),
    (lambda: me.heavy_tail(2, tilt=2.0), "tilt"),
    (lambda: me.energy_factor("chi", 10, 1, 1.0), "definition"),
    (lambda: me.energy_factor("pure", 10, 1), "level"),
    (lambda: me.energy_factor("none", 10, 1, 1.0), "level"),
    (lambda: me.energy_factor("pure", 10, 1, 1.0, delta=0.1), "delta"),
    (lambda: me.energy_factor("approximate", 10, 1, 1.0), "delta"),
    (lambda: me.energy_factor("approximate", 10, 1, 2.0, delta=0.1, printed=True), "level"),
    (lambda: me.energy_factor("tv", 10, 1, 1.0), "level"),
    (lambda: me.energy_factor("pure", 0, 1, 1.0), "n"),
    (lambda: me.energy_factor("pure", 10, 0, 1.0), "d"),
    (lambda: me.radius(-1.0, 2), "factor"),
    (lambda: me.radius(1.0, 1.5), "k"),
    (lambda: me.risk_bound(np.inf, 1.0, 10, 2), "rho"),
    (lambda: me.ceiling("pure", 10, 1, 1.0, k=np.nan), "k"),
    (lambda: me.subset_size(10, 0.0), "alpha"),
    (lambda: me.shrinkage(-0.1, 10), "factor"),
    (lambda: me.shrunk_ceiling(0.1, 10, 0.0), "r"),
    (lambda: me.spike_risk(0.0, 0.1, 10, 2), "rho"),
    (lambda: me.PrivateMean(np.inf, 10, me.GaussianNoise(1.0)), "radius"),
    (lambda: me.PrivateMean(1.0, 10).estimate(np.zeros((9, 1))), "data"),
    (lambda: me.PrivateMean(1.0, 9, me.GaussianNoise(1.0, 2)).estimate(np.zeros((9, 1))), "data"),
    (lambda: me.PrivateMean(1.0, 2).estimate([1.0, np.inf]), "data"),
    (lambda: me.PrivateMean(1.0, 2).estimate(["a", "b"]), "data"),
    (lambda: me.private_mean([[[1.0]]], "none", k=2, r=1.0), "data"),
    (lambda: me.subset_mean([1.0, 2.0], 3), "m"),
    (lambda: me.simulated_risk(me.PrivateMean(1.0, 5), lambda g, m: np.zeros((m, 1)), 5), "mean"),
    (
        lambda: me.simulated_risk(me.PrivateMean(1.0, 5), lambda g, m: np.zeros(m), 5, mean=[0.0]),
        "law",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "name"), BAD)
def test_bad_input_is_named(call, name):
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        call()
