"""Truncation, ceilings and the private mean: by brute force, by sympy, by simulation."""

from itertools import combinations, product

import laws
import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from minimaxdp import divergences, privacy
from minimaxdp import lower_bounds as lb
from minimaxdp import mean_estimation as me
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    ChiSquare,
    GaussianDP,
    Local,
    NonPrivate,
    Pure,
    Renyi,
    Smooth,
    TotalVariation,
)
from minimaxdp.laplace import GaussianNoise
from minimaxdp.mean_estimation import _release as inner

property_test = settings(max_examples=40, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


def every(level, delta):
    """The definitions of the paper at one level, with no privacy at all."""
    return [
        NonPrivate(), Pure(level), Smooth(level), Approximate(level, delta), ZCDP(level),
        KL(level), TotalVariation(level),
    ]  # fmt: skip


@given(seeds, st.integers(1, 5), st.floats(0.1, 5))
@property_test
def test_projection_is_the_nearest_point_and_never_lengthens_a_distance(seed, d, rho):
    rng = np.random.default_rng(seed)
    x, y = 3 * rng.standard_normal((2, 50, d))
    cut, other = me.project_to_ball(x, rho), me.project_to_ball(y, rho)
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
    assert np.allclose(me.project_to_ball([1e300, 1e300], 1.0), np.sqrt(0.5))
    assert np.all(me.project_to_ball([[0.0, 0.0]], 1e-300) == 0)
    assert np.all(me.project_to_ball([1e-320, 0.0], 1.0) == [1e-320, 0.0])
    x = np.array([[5.0, -7.0]])
    assert np.all(me.project_to_ball(x, np.inf) == x)
    far = me.project_to_ball([[1e308, 0.0], [3e-20, 4e-20]], 1e-20)  # each by its own size
    assert np.allclose(far, [[1e-20, 0.0], [6e-21, 8e-21]], rtol=1e-12, atol=0)


@given(seeds, st.floats(1.05, 12), st.floats(0.05, 20))
@property_test
def test_bias_of_truncation_on_random_laws(seed, k, rho):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((6, 3)) * 10.0 ** rng.uniform(-1, 2, (6, 1))
    law = me.FiniteLaw(points, rng.dirichlet(np.full(6, 0.4)))
    r = law.moment(k) ** (1 / k)
    sharp, paper = (me.bias_bound(rho, k, r, variant=v) for v in ("best", "paper"))
    assert law.bias(rho) <= sharp * (1 + 1e-9) + 1e-12
    assert sharp <= paper * (1 + 1e-12)
    assert law.truncated(rho).variance <= law.variance * (1 + 1e-12)  # Lemma 4


@pytest.mark.parametrize("k", [1.5, 2, 3, 8, 50])
@pytest.mark.parametrize("rho", [1.0, 2.0, 30.0])
def test_sharp_bias_is_attained(k, rho):
    p = (rho * k / (k - 1)) ** -k  # mass at distance rho k / (k - 1)
    law = me.two_point_law(k, p)
    assert law.moment(k) == pytest.approx(1, rel=1e-12)
    assert law.bias(rho) == pytest.approx(me.bias_bound(rho, k), rel=1e-10)


def test_bias_constant_limits():
    assert me.bias_constant(np.inf) == me.bias_constant(np.inf, variant="paper") == 0
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


@pytest.mark.parametrize("guarantee", every(0.3, 1e-5), ids=str)
@pytest.mark.parametrize("k", [2, 2.5, 4, 20, np.inf])
def test_ceiling_is_the_least_bound_over_the_radius(guarantee, k):
    n, d, r = 5_000, 6, 1.3
    C = me.noise_second_moment(n, d, guarantee)
    value = me.mean_ceiling(n, d, guarantee, k, r)
    radius = me.truncation_radius(C, k, r)
    at_best = me.risk_bound(radius, C, n, k, r)
    subset = np.inf
    if isinstance(guarantee, TotalVariation):
        subset = r**2 / me.subset_size(n, guarantee)
    assert value == pytest.approx(min(at_best, subset), rel=1e-12)
    private = not isinstance(guarantee, NonPrivate)
    if private and k < np.inf:  # bounded data: shrink rather than cut
        found = minimize_scalar(
            lambda u: float(me.risk_bound(np.exp(u), C, n, k, r)),
            bounds=(np.log(radius) - 0.5, np.log(radius) + 0.5),
            method="bounded",
        )
        assert at_best <= found.fun * (1 + 1e-9)
    if private:
        # Over laws of the class the exact worst risk lies below, and not far.
        truth = me.two_point_risk(radius, C, n, k, r)
        assert 0.5 * at_best <= truth <= at_best * (1 + 1e-9)
    paper = me.mean_ceiling(n, d, guarantee, k, r, variant="paper")
    assert value <= paper * (1 + 1e-12)


NOISES = ("gaussian", "l2_laplace", "laplace")


@pytest.mark.parametrize(
    "guarantee",
    [*every(0.3, 1e-5), GaussianDP(0.4), ChiSquare(0.2), Renyi(3.0, 0.5)],
    ids=str,
)
@pytest.mark.parametrize("d", [1, 2, 9, 400])
def test_the_noise_is_the_best_of_three(guarantee, d):
    n = 70
    one = {noise: me.noise_second_moment(n, d, guarantee, noise=noise) for noise in NOISES}
    assert me.noise_second_moment(n, d, guarantee) == min(one.values())
    # The scales by hand: neighbours' means in the unit ball are up to 2/n apart.
    if isinstance(guarantee, NonPrivate):
        assert set(one.values()) == {0}
        return
    epsilon, sigma = guarantee.pure_epsilon(), guarantee.gaussian_sigma(2 / n)
    assert one["gaussian"] == pytest.approx(d * sigma**2, rel=1e-12)
    assert one["l2_laplace"] == pytest.approx(d * (d + 1) * (2 / n / epsilon) ** 2, rel=1e-12)
    assert one["laplace"] == pytest.approx(2 * d * (2 / n * np.sqrt(d) / epsilon) ** 2, rel=1e-12)
    for k in (2, 5, np.inf):
        best = min(me.mean_ceiling(n, d, guarantee, k, noise=noise) for noise in NOISES)
        if isinstance(guarantee, TotalVariation):  # under which a random subset competes
            best = min(best, 1 / me.subset_size(n, guarantee))
        assert me.mean_ceiling(n, d, guarantee, k) == best


@pytest.mark.parametrize(
    ("guarantee", "by_hand"),
    [
        # 4/(mu n)^2 a coordinate, with mu = sqrt(2 rho); and 4 (d + 1)/(epsilon n)^2.
        (ZCDP(0.02), {"gaussian": 4 * 3 / (0.04 * 100**2)}),
        (KL(0.02), {"gaussian": 4 * 3 / (0.04 * 100**2)}),
        (GaussianDP(0.2), {"gaussian": 4 * 3 / (0.04 * 100**2)}),
        (Pure(0.2), {"l2_laplace": 48 / (100 * 0.2) ** 2, "laplace": 72 / (100 * 0.2) ** 2}),
        (Smooth(0.1, 2.0), {"l2_laplace": 48 / (100 * 0.2) ** 2}),
        (TotalVariation(np.tanh(0.1)), {"l2_laplace": 48 / (100 * 0.2) ** 2}),
        # No normal noise is purely private.
        (Pure(0.2), {"gaussian": np.inf}),
    ],
    ids=str,
)
def test_noise_by_hand(guarantee, by_hand):
    for noise, value in by_hand.items():
        found = me.noise_second_moment(100, 3, guarantee, noise=noise)
        assert found == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("definition", ["pure", "approximate", "kl", "tv"])
def test_proposition_6_as_printed(definition):
    for n, d, level, k in product([50, 10**4, 10**6], [1, 5, 40], [0.1, 1.0], [2, 4, 9]):
        rate = {
            "kl": d / (n**2 * level),
            "pure": (d / (n * level)) ** 2,
            "approximate": d * np.log(1e6) / (n * level) ** 2,
            "tv": d / (n * level) ** 2,
        }[definition]
        a = {
            "kl": 2, "pure": 8, "approximate": 8 * np.log(1.25e6) / np.log(1e6), "tv": 1
        }[definition]  # fmt: skip
        guarantee = {
            "kl": KL, "pure": Pure, "tv": TotalVariation,
            "approximate": lambda level: Approximate(level, 1e-6),
        }[definition](level)  # fmt: skip
        formula = min(1, 1 / n + (a + 1 / (k - 1) ** 2) * rate ** (1 - 1 / k))
        value = me.mean_ceiling(n, d, guarantee, k, variant="paper")
        assert value == pytest.approx(formula, rel=1e-12)
        factor = me.noise_second_moment(n, d, guarantee, variant="paper")
        assert factor == pytest.approx(a * rate, rel=1e-12)
        radius = me.truncation_radius(rate, k, variant="paper")
        exact = me.risk_bound(radius, factor, n, k, variant="paper")
        assert exact == pytest.approx(formula, rel=1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "guarantee", [Pure(0.2), ZCDP(0.02), Approximate(0.2, 1e-6), TotalVariation(0.1)], ids=str
)
def test_ceilings_of_high_moments_go_over_into_that_of_bounded_data(guarantee):
    # k^k is past the doubles from k = 144 on.
    n, d, k = 10_000, 20, np.array([100.0, 143.4, 143.5, 144.0, 200.0, 1000.0, 1e5, 1e6])
    C = float(me.noise_second_moment(n, d, guarantee, noise="l2_laplace"))
    found = me.mean_ceiling(n, d, guarantee, k, noise="l2_laplace")
    np.testing.assert_allclose(found, [high_precision_ceiling(C, x, n) for x in k], rtol=1e-10)
    limit = me.mean_ceiling(n, d, guarantee, np.inf, noise="l2_laplace")
    assert found[-1] == pytest.approx(limit, rel=1e-4)


def high_precision_ceiling(C, k, n):
    """The bound at its best radius for r = 1, to forty digits."""
    with mpmath.workdps(40):
        k, C = mpmath.mpf(k), mpmath.mpf(C)
        log_c = (k - 1) * mpmath.log(k - 1) - k * mpmath.log(k)
        best = ((k - 1) * mpmath.exp(2 * log_c) / C) ** (1 / (2 * k))
        return float(mpmath.exp(2 * log_c) * best ** (2 - 2 * k) + C * best**2 + mpmath.mpf(1) / n)


FLOORS = {
    NonPrivate: {},
    Pure: {"method": "packing"},
    Approximate: {"method": "packing"},
    ZCDP: {},
    KL: {"method": "le_cam"},
    TotalVariation: {"method": "le_cam"},
}


@pytest.mark.parametrize("definition", FLOORS)
def test_floor_truth_ceiling_at_many_settings(definition):
    settings = list(product([(20, 0.9), (10**3, 0.1), (10**5, 0.4)], [2, 12, 200], [2, 4, np.inf]))
    assert len(settings) >= 20
    for (n, eps), d, k in settings:
        levels = {NonPrivate: (), Approximate: (eps, 1e-6)}.get(definition, (eps,))
        guarantee = definition(*levels)
        floor = lb.mean_floor(n, d, guarantee, k, **FLOORS[definition])
        high = me.mean_ceiling(n, d, guarantee, k)
        if definition is NonPrivate:
            assert floor <= me.shrunk_ceiling(0.0, n) * (1 + 1e-12) <= high
            continue
        C = me.noise_second_moment(n, d, guarantee)
        truth = me.two_point_risk(me.truncation_radius(C, k), C, n, k)
        if definition is TotalVariation:  # the better of noise and the random subset
            truth = min(truth, 1 / max(1, me.subset_size(n, guarantee)))
        assert floor <= min(truth, 1) <= high * (1 + 1e-12)
        assert lb.mean_floor(n, d, guarantee, k) <= high * (1 + 1e-12)  # all methods together


def test_subset_has_no_rounding_and_its_exact_level():
    for n in range(1, 200):
        m = np.arange(0, n + 1)[1:]
        assert np.all(me.subset_size(n, TotalVariation(m / n)) == m)
        assert np.all(me.subset_size(n, TotalVariation(np.nextafter(m / n, 0))) == m - 1)
    worlds, near = privacy.datasets(2, 4)
    groups = list(combinations(range(4), 2))
    sums = np.array([[w[i] + w[j] for i, j in groups] for w in worlds])
    channel = np.stack([(sums == v).mean(axis=1) for v in range(3)], axis=1)
    worst = privacy.worst_divergence(channel, divergences.total_variation, near)
    assert worst == pytest.approx(0.5)


@given(seeds, st.integers(1, 2_000), st.floats(0, 3))
@property_test
def test_shrunk_ceiling_is_a_saddle_value(seed, n, C):
    value, s = me.shrunk_ceiling(C, n), me.shrinkage_factor(C, n)

    def worst(s):
        return max(s**2 * (1 - t) / n + (1 - s) ** 2 * t for t in (0, 1)) + s**2 * C

    assert worst(s) == pytest.approx(value, rel=1e-12)
    grid = np.linspace(0, 1, 2_001)
    assert min(worst(x) for x in grid) >= value - 1e-12
    assert value <= 1


@pytest.mark.parametrize("n", [1, 3, 10, 25])
def test_shrunk_mean_is_above_the_exact_minimax_risk(n):
    for epsilon in (0.3, 1.0, 3.0):
        exact = lb.bernoulli_minimax(n, Pure(epsilon))
        C = me.noise_second_moment(n, 1, Pure(epsilon))
        assert exact.lower <= me.shrunk_ceiling(C, n) * (1 + 1e-9)
    exact = lb.bernoulli_minimax(n)
    assert exact.lower <= me.shrunk_ceiling(0.0, n) <= exact.upper


def test_risk_of_a_finite_law_by_enumeration():
    law = me.FiniteLaw([[0.0, 0.0], [3.0, 1.0], [-1.0, 0.5]], [0.5, 0.2, 0.3])
    rho, n, energy = 1.2, 4, 0.07
    cut = me.project_to_ball(law.points, rho)
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


@pytest.mark.parametrize("k", [3.0, 26.9, 27.0, 50.0, 200.0, 500.0])
def test_a_heavy_tail_of_a_high_moment_keeps_it(k):
    # 2^(39 (k + 1/2)) is past the doubles from k = 26 on: then there are fewer distances.
    for d, r in ((1, 1.0), (3, 2.0)):
        law = me.heavy_tail(k, d=d, r=r)
        assert law.moment(k) == pytest.approx(r**k, rel=1e-9)
        assert np.all(np.isfinite(law.points)) and law.points.max() > 1.5 * law.points[0, 0]


def test_points_of_probability_zero_do_not_count():
    law = me.FiniteLaw([1.0, 2.0, 1e200], [0.5, 0.5, 0.0])
    assert law.moment(np.inf) == 2
    assert law.moment(2) == pytest.approx(2.5, rel=1e-12)
    assert me.FiniteLaw([0.0, 5.0], [1.0, 0.0]).moment(np.inf) == 0


def test_samples_are_drawn_and_projected_a_million_numbers_at_a_time(monkeypatch):
    drawn, projected = [], []
    n, project = 2**20 + 3, inner.project_to_ball

    def law(rng, count):
        drawn.append(count)
        return np.ones((count, 2))

    def watched(vectors, radius):
        projected.append(len(vectors))
        return project(vectors, radius)

    monkeypatch.setattr(inner, "project_to_ball", watched)
    mechanism = me.PrivateMean(1.0, n)
    assert me.simulated_risk(mechanism, law, 2, mean=[1.0, 1.0], rng=0).mean > 0
    assert drawn == 2 * [2**19, 2**19, 3] == projected
    assert mechanism.truncated_mean(np.ones((n, 2))) == pytest.approx(2 * [0.5**0.5], rel=1e-9)
    assert projected[6:] == [2**19, 2**19, 3]


@pytest.mark.parametrize("guarantee", every(0.01, 1e-6), ids=str)
@pytest.mark.parametrize("variant", ["best", "paper"])
def test_simulation_agrees_with_the_exact_risk(guarantee, variant):
    law, open_end = me.heavy_tail(4, d=10), isinstance(guarantee, NonPrivate)
    mechanism = me.PrivateMean.calibrated(
        guarantee, n=10**6, d=10, k=4, variant=variant, radius=1e12 if open_end else None
    )
    run = me.simulated_risk(mechanism, law, 500, rng=7)
    assert run.agrees_with(mechanism.risk(law))
    if not open_end:
        ceiling = me.mean_ceiling(10**6, 10, guarantee, 4, variant=variant)
        assert mechanism.risk(law) <= ceiling


def test_records_and_counts_have_one_law():
    law = me.heavy_tail(3, d=2)
    mechanism = me.PrivateMean.calibrated(KL(0.3), n=60, d=2, k=3)
    rng = np.random.default_rng(3)
    one = [mechanism.release(law.sample(60, rng=rng), rng=rng)[0] for _ in range(2_000)]
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
    monkeypatch.setattr(me._release, "_CHUNK", 100)
    assert np.allclose(mechanism.truncated_mean(data), whole, rtol=1e-12)
    assert np.allclose(whole, me.project_to_ball(data, 1.5).mean(axis=0))


def test_one_call_and_the_subset():
    data = np.random.default_rng(1).uniform(-1, 1, 400)
    open_data = me.private_mean(data, NonPrivate(), k=np.inf, r=1.0)
    assert open_data[0] == pytest.approx(data.mean())
    by_seed = [me.private_mean(data, Pure(1.0), k=np.inf, r=1.0, rng=5)[0] for _ in range(2)]
    assert by_seed[0] == by_seed[1] != data.mean()
    mechanism = me.PrivateMean.calibrated(Pure(1.0), n=400, d=1)
    assert mechanism.release(data, rng=5)[0] == by_seed[0]
    assert me.subset_mean(data, 400)[0] == pytest.approx(data.mean())
    runs = [me.subset_mean(data, 20, rng=i)[0] for i in range(2_000)]
    laws.assert_mean(runs, data.mean())


ONE = Pure(1.0)
BAD = [
    (lambda: me.project_to_ball(1.0, 1.0), "x"),
    (lambda: me.project_to_ball([[1.0]], 0.0), "radius"),
    (lambda: me.project_to_ball([[np.nan]], 1.0), "x"),
    (lambda: me.bias_constant(1.0), "k"),
    (lambda: me.bias_constant(2.0, variant="sharp"), "variant"),
    (lambda: me.bias_bound(0.0, 2), "radius"),
    (lambda: me.FiniteLaw([1.0, 2.0], [1.0]), "probabilities"),
    (lambda: me.FiniteLaw([1.0, 2.0], [0.5, 0.6]), "probabilities"),
    (lambda: me.two_point_law(2, 0.0), "p"),
    (lambda: me.two_point_law(2, 0.5, symmetric="no"), "symmetric"),
    (lambda: me.heavy_tail(2, tilt=2.0), "tilt"),
    (lambda: me.heavy_tail(50.0, levels=40), "levels"),
    (lambda: me.heavy_tail(2, levels=0), "levels"),
    (lambda: me.noise_second_moment(10, 1, "chi"), "privacy"),
    (lambda: me.noise_second_moment(10, 1, 1.0), "privacy"),
    (lambda: me.noise_second_moment(10, 1, ONE, noise="cauchy"), "noise"),
    (lambda: me.noise_second_moment(10, 1, ONE, variant="sharp"), "variant"),
    (lambda: me.noise_second_moment(10, 1, Approximate(2.0, 0.1), variant="paper"), "privacy"),
    (lambda: me.noise_second_moment(10, 1, Approximate(1.0, 0.0), variant="paper"), "privacy"),
    (lambda: me.noise_second_moment(10, 1, GaussianDP(1.0), variant="paper"), "variant"),
    (lambda: me.noise_second_moment(0, 1, ONE), "n"),
    (lambda: me.noise_second_moment(10, 0, ONE), "d"),
    (lambda: me.noise_second_moment([1, 2], [1, 2, 3], ONE), "n and d"),
    (lambda: me.truncation_radius(-1.0, 2), "factor"),
    (lambda: me.truncation_radius(1.0, 1.5), "k"),
    (lambda: me.truncation_radius(1.0, 2, variant="sharp"), "variant"),
    (lambda: me.risk_bound(np.inf, 1.0, 10, 2), "radius"),
    (lambda: me.risk_bound(1.0, 1.0, 10, 2, variant="sharp"), "variant"),
    (lambda: me.mean_ceiling(10, 1, ONE, k=np.nan), "k"),
    (lambda: me.mean_ceiling(10, 1, ONE, r=0.0), "r"),
    (lambda: me.mean_ceiling(10, 1, Local(ONE)), "privacy"),
    (lambda: me.mean_ceiling(10, 1, 1.0), "privacy"),
    (lambda: me.mean_ceiling(10, 1, ONE, variant="sharp"), "variant"),
    (lambda: me.subset_size(10, 0.1), "privacy"),
    (lambda: me.subset_size(10, ONE), "privacy"),
    (lambda: me.subset_size(0, TotalVariation(0.1)), "n"),
    (lambda: me.shrinkage_factor(-0.1, 10), "factor"),
    (lambda: me.shrunk_ceiling(0.1, 10, 0.0), "r"),
    (lambda: me.two_point_risk(0.0, 0.1, 10, 2), "radius"),
    (lambda: me.PrivateMean(np.inf, 10, GaussianNoise(1.0)), "radius"),
    (lambda: me.PrivateMean(1.0, 10, 0.3), "noise"),
    (lambda: me.PrivateMean(1.0, 10).release(np.zeros((9, 1))), "data"),
    (lambda: me.PrivateMean(1.0, 9, GaussianNoise(1.0, 2)).release(np.zeros((9, 1))), "data"),
    (lambda: me.PrivateMean(1.0, 2).release([1.0, np.inf]), "data"),
    (lambda: me.PrivateMean(1.0, 2).release(["a", "b"]), "data"),
    (lambda: me.PrivateMean.calibrated(1.0, n=10, d=1), "privacy"),
    (lambda: me.PrivateMean.calibrated(ONE, n=10, d=1, radius=0.0), "radius"),
    (lambda: me.PrivateMean.calibrated(ONE, n=10, d=1, noise="cauchy"), "noise"),
    (lambda: me.private_mean([[[1.0]]], NonPrivate(), k=2, r=1.0), "data"),
    (lambda: me.private_mean([1.0], 0.5, k=2, r=1.0), "privacy"),
    (lambda: me.subset_mean([1.0, 2.0], 3), "m"),
    (lambda: me.simulated_risk(me.PrivateMean(1.0, 5), lambda g, m: np.zeros((m, 1)), 5), "mean"),
    (
        lambda: me.simulated_risk(me.PrivateMean(1.0, 5), lambda g, m: np.zeros(m), 5, mean=[0.0]),
        "law",
    ),
    (lambda: me.simulated_risk(0.3, me.heavy_tail(3), 5), "mechanism"),
    (lambda: me.risk_bound([1.0, 2.0], 0.1, [9, 10, 11], 2), "radius and factor and n and k and r"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "name"), BAD)
def test_bad_input_is_named(call, name):
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        call()


def test_dimensions_that_fit_no_number_of_people_are_named():
    with pytest.raises(ValueError, match="^n and d and k and r must broadcast"):
        me.local_mean_ceiling([10, 20], [1, 2, 3], Local(Pure(1.0)))
