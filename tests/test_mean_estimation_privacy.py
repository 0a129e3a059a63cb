"""What each noise promises, exactly; the reports of single people; the floors in d dimensions."""

from itertools import combinations, product

import laws
import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from minimaxdp import divergences, guarantees, privacy
from minimaxdp import lower_bounds as lb
from minimaxdp import mean_estimation as me
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    ChiSquare,
    ConditionalTesting,
    GaussianDP,
    Local,
    NonPrivate,
    Pure,
    Renyi,
    Smooth,
    TotalVariation,
)
from minimaxdp.hypercube import HypercubeMechanism, alignment
from minimaxdp.laplace import GaussianNoise, L2LaplaceNoise, LaplaceNoise

ONE = {"n": 50, "d": 3, "k": 4, "r": 2.0}


def nonprivate(n):
    return lb.mean_floor(n, 1, NonPrivate())


def local_floor(n, epsilon, d, k=np.inf, r=1.0):
    return lb.mean_floor(n, d, Local(Pure(epsilon)), k, r, method="contraction")


def worst_shift(mechanism, d):
    """The move of the mean on which l1- and l2-distances are both largest."""
    return mechanism.sensitivity * np.ones(d) / np.sqrt(d)


@pytest.mark.parametrize("level", [0.01, 0.7, 3.0])
@pytest.mark.parametrize("d", [1, 2, 7])
def test_levels_are_spent_exactly_at_the_worst_neighbours(level, d):
    setting, build = ONE | {"d": d}, me.PrivateMean.calibrated
    for guarantee in (Pure(level), Smooth(level)):
        for noise in ("l2_laplace", "laplace"):
            m = build(guarantee, noise=noise, **setting)
            assert m.noise.log_ratio(worst_shift(m, d)) == pytest.approx(level, rel=1e-12)
        m = build(guarantee, variant="paper", **setting)
        assert isinstance(m.noise, LaplaceNoise)
        assert m.noise.log_ratio(worst_shift(m, d)) == pytest.approx(level, rel=1e-12)
    for guarantee in (KL(level), ZCDP(level)):
        m = build(guarantee, noise="gaussian", **setting)
        assert m.noise.kl(worst_shift(m, d)) == pytest.approx(level, rel=1e-12)
    m = build(Approximate(level, 1e-7), noise="gaussian", **setting)
    assert m.noise.delta(level, worst_shift(m, d)) == pytest.approx(1e-7, rel=1e-9)
    if level <= 1:
        tv = TotalVariation(level)
        m = build(tv, noise="gaussian", **setting)
        assert m.noise.total_variation(worst_shift(m, d)) == pytest.approx(level, rel=1e-12)
        m = build(tv, variant="paper", **setting)
        assert m.noise.total_variation(worst_shift(m, d)) < level
        m = build(Approximate(level, 1e-7), variant="paper", **setting)
        assert m.noise.delta(level, worst_shift(m, d)) < 1e-7


GUARANTEES = [
    Pure(0.3), Pure(3.0), Smooth(0.3), Smooth(0.2, 2.5), ZCDP(0.05), ZCDP(2.0), KL(0.05), KL(2.0),
    Approximate(0.3, 1e-7), Approximate(2.0, 1e-3), TotalVariation(0.02), TotalVariation(0.7),
    GaussianDP(0.3), GaussianDP(2.0),
]  # fmt: skip


def scale(noise):
    return noise.sigma if isinstance(noise, GaussianNoise) else noise.scale


def allows(made, wanted):
    """Whether a guarantee keeps to a wanted one, but for the last digits of its level."""
    if isinstance(wanted, Smooth):  # its last level is a distance: between neighbours it is pure
        return made <= Pure(wanted.pure_epsilon() * (1 + 1e-9))
    *held, level = wanted.levels.values()
    return made <= type(wanted)(*held, level * (1 + 1e-9))


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=repr)
@pytest.mark.parametrize("d", [1, 2, 40])
def test_a_calibrated_mechanism_keeps_what_it_was_asked_for(guarantee, d):
    setting = ONE | {"d": d}
    # The paper has nothing for Gaussian privacy, and its normal noise only up to epsilon = 1.
    printed = not (isinstance(guarantee, GaussianDP) or guarantee == Approximate(2.0, 1e-3))
    for variant in ("best", "paper") if printed else ("best",):
        m = me.PrivateMean.calibrated(guarantee, variant=variant, **setting)
        assert allows(m.privacy, guarantee), (variant, m.privacy)
    for noise in ("gaussian", "l2_laplace", "laplace"):
        if np.isinf(me.noise_second_moment(50, d, guarantee, noise=noise)):
            continue
        m = me.PrivateMean.calibrated(guarantee, noise=noise, **setting)
        assert allows(m.privacy, guarantee), (noise, m.privacy)
        # And no more than that: with a little less noise it is kept no longer.
        less = type(m.noise)(scale(m.noise) / 1.001, d)
        assert not allows(me.PrivateMean(m.radius, m.n, less).privacy, guarantee), noise


@pytest.mark.parametrize(
    "guarantee",
    [ChiSquare(0.3), Renyi(4.0, 0.5), Renyi(1.0, 0.2), ConditionalTesting(0.1, 0.2)],
    ids=repr,
)
def test_other_definitions_are_kept_as_well(guarantee):
    m = me.PrivateMean.calibrated(guarantee, noise="l2_laplace", **ONE)
    assert allows(m.privacy, guarantee)
    if not isinstance(guarantee, ConditionalTesting):
        m = me.PrivateMean.calibrated(guarantee, noise="gaussian", **ONE)
        assert allows(m.privacy, guarantee)


def test_smooth_privacy_of_records_one_apart_is_that_of_neighbours():
    for variant in ("best", "paper"):
        m = me.PrivateMean.calibrated(Smooth(0.3), variant=variant, **ONE)
        assert m.privacy <= Smooth(0.3 * (1 + 1e-12))
        assert not m.privacy <= Smooth(0.29)


def test_without_noise_nothing_is_promised():
    m = me.PrivateMean.calibrated(NonPrivate(), n=50, d=3, r=2.0)
    assert m.noise is None and m.privacy == NonPrivate() and m.radius == 2.0
    assert me.PrivateMean.calibrated(NonPrivate(), n=50, d=3, k=4).radius == np.inf


def test_total_variation_noise_of_tiny_levels_keeps_its_digits():
    with mpmath.workdps(40):
        for alpha in (1e-12, 1e-5, 0.5, 0.999):
            mu = 2 * mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(alpha))
            exact = float(4 / mu**2)
            factor = me.noise_second_moment(1, 1, TotalVariation(alpha), noise="gaussian")
            assert factor == pytest.approx(exact, rel=1e-9)
    factor = me.noise_second_moment(1, 1, TotalVariation(1e-6), noise="gaussian")
    assert factor * 1e-12 == pytest.approx(2 / np.pi, rel=1e-6)


def test_smooth_privacy_of_records_that_move_a_little():
    rng = np.random.default_rng(5)
    for variant in ("best", "paper"):
        m = me.PrivateMean.calibrated(Smooth(0.8), variant=variant, **ONE)
        for _ in range(200):
            x, y = rng.standard_normal((2, 50, 3)) * 2
            moved = np.linalg.norm(x - y, axis=1) / (2 * m.radius)
            budget = 0.8 * np.minimum(moved, 1).sum()
            shift = m.truncated_mean(x) - m.truncated_mean(y)
            assert m.noise.log_ratio(shift) <= budget * (1 + 1e-12)


@pytest.mark.parametrize("noise", [GaussianNoise(0.7), LaplaceNoise(0.7), L2LaplaceNoise(0.7)])
def test_noise_in_one_dimension_by_quadrature(noise):
    def density(w):
        return np.exp(noise.log_density(np.asarray(w)[..., None]))

    grid = {"limit": 200, "points": [0.0, 0.5]}
    assert integrate.quad(density, -40, 40, **grid)[0] == pytest.approx(1, abs=1e-9)
    moment = integrate.quad(lambda w: w**2 * density(w), -40, 40, **grid)[0]
    assert moment == pytest.approx(noise.second_moment, rel=1e-8)
    assert noise.variance == noise.second_moment
    if isinstance(noise, GaussianNoise):
        tv = integrate.quad(lambda w: abs(density(w) - density(w - 0.5)) / 2, -20, 20, limit=400)[0]
        assert tv == pytest.approx(noise.total_variation([0.5]), abs=1e-6)


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_l2_noise_in_d_dimensions(d):
    noise = L2LaplaceNoise(0.4, d)
    draws = noise.sample(20_000, rng=d)
    laws.assert_mean((draws**2).sum(axis=1), noise.second_moment)
    assert noise.variance == pytest.approx(noise.second_moment / d, rel=1e-12)
    laws.assert_mean(draws, np.zeros(d))
    # The density integrates to one: importance weights against a normal law.
    spread = stats.multivariate_normal(np.zeros(d), 9 * noise.variance * np.eye(d))
    points = np.atleast_2d(spread.rvs(200_000, random_state=1).reshape(-1, d))
    weights = np.exp(noise.log_density(points) - spread.logpdf(points))
    laws.assert_mean(weights, 1.0)
    if d == 1:
        laws.assert_same_law(draws, LaplaceNoise(0.4).sample(20_000, rng=9))


@pytest.mark.parametrize("kind", ["l2_laplace", "laplace"])
def test_second_moment_of_the_two_pure_noises(kind):
    n, d, epsilon, radius = 100, 9, 0.5, 2.0
    m = me.PrivateMean.calibrated(Pure(epsilon), n=n, d=d, radius=radius, noise=kind)
    factor = {"l2_laplace": 4 * d * (d + 1), "laplace": 8 * d**2}[kind]
    formula = factor * (radius / (n * epsilon)) ** 2
    assert m.second_moment == pytest.approx(formula, rel=1e-12)
    paper = me.PrivateMean.calibrated(Pure(epsilon), n=n, d=d, radius=radius, variant="paper")
    assert (paper.noise == m.noise) == (kind == "laplace")
    best = me.PrivateMean.calibrated(Pure(epsilon), n=n, d=d, radius=radius)
    assert (best.noise == m.noise) == (kind == "l2_laplace")
    laws.assert_mean((m.noise.sample(20_000, rng=2) ** 2).sum(axis=1), formula)


def test_audit_finds_no_more_than_was_promised_and_a_broken_one_more():
    m = me.PrivateMean.calibrated(Pure(1.0), n=20, d=2)
    direction = np.array([1.0, 0.0])
    first = np.zeros((20, 2)) + [0.2, 0.0]
    second = first.copy()
    first[0], second[0] = direction, -direction

    def along(scale):
        def run(data, rng, size):
            noise = L2LaplaceNoise(m.noise.scale * scale, 2).sample(size, rng=rng)
            return (m.truncated_mean(data) + noise) @ direction

        return run

    honest = privacy.audit(along(1.0), first, second, runs=20_000, rng=1)
    broken = privacy.audit(along(0.5), first, second, runs=20_000, rng=1)
    assert not honest.refutes(1.0)
    assert broken.refutes(1.0)


# --- reports of single people ---------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3, 8, 50])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_cap_is_exactly_private_normalised_and_unbiased(d, epsilon):
    for cap in (me.PrivUnit(epsilon, d, 2.0), me.PrivUnit.optimal(epsilon, d, 2.0)):
        assert cap.privacy == Local(Pure(epsilon))
        ratio = cap.log_density(1.0) - cap.log_density(-1.0)
        assert ratio == pytest.approx(epsilon, rel=1e-12)
        q = cap.measure
        total = q * np.exp(cap.log_density(1.0)) + (1 - q) * np.exp(cap.log_density(-1.0))
        assert total == pytest.approx(1, rel=1e-12)
        if d > 1:
            shape = (d - 3) / 2
            height = stats.beta((d - 1) / 2, (d - 1) / 2, loc=-1, scale=2)
            above = height.expect(lambda t: t, lb=cap.gamma, ub=1)
            mean = above * (np.exp(cap.log_density(1.0)) - np.exp(cap.log_density(-1.0)))
            assert cap.magnitude * mean == pytest.approx(2.0, rel=1e-7), shape
    assert me.PrivUnit.optimal(epsilon, d).magnitude <= me.PrivUnit(epsilon, d).magnitude


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("best", [False, True])
def test_cap_samples_its_law(d, best):
    cap = me.PrivUnit.optimal(2.0, d) if best else me.PrivUnit(2.0, d)
    x = np.zeros(d)
    x[0], x[-1] = 0.3, 0.5
    reports = cap.privatize(np.tile(x, (40_000, 1)), rng=d)
    assert np.allclose(np.linalg.norm(reports, axis=1), cap.magnitude)
    laws.assert_mean(reports, x)
    whole = np.zeros((20_000, d))
    whole[:, 0] = 1.0
    t = cap.privatize(whole, rng=1)[:, 0] / cap.magnitude
    hits = int((t >= cap.gamma).sum())
    laws.assert_frequencies([hits, 20_000 - hits], [cap.inside, 1 - cap.inside])
    zero = cap.privatize(np.zeros((20_000, d)), rng=3)
    laws.assert_mean(zero, np.zeros(d))


def test_ball_mechanism_has_the_constant_of_its_authors():
    for d, epsilon in product([1, 2, 3, 10, 101], [0.1, 1.0, 5.0]):
        with mpmath.workdps(30):
            e = mpmath.e ** mpmath.mpf(epsilon)
            exact = (
                mpmath.sqrt(mpmath.pi) / 2 * (e + 1) / (e - 1) * d
                * mpmath.gamma(mpmath.mpf(d - 1) / 2 + 1) / mpmath.gamma(mpmath.mpf(d) / 2 + 1)
            )  # fmt: skip
        assert me.PrivUnit(epsilon, d).magnitude == pytest.approx(float(exact), rel=1e-11)
        assert me.report_second_moment(d, epsilon, "l2_ball") <= (
            (np.pi * d / 2 if d > 1 else np.pi / 2) / np.tanh(epsilon / 2) ** 2
        )


def test_second_moments_of_reports_and_their_order():
    epsilon, d = np.array([0.5, 1.0, 4.0])[:, None], np.array([2, 5, 20])
    moment = {method: me.report_second_moment(d, epsilon, method) for method in me.REPORT_METHODS}
    assert moment["l2_laplace"].shape == (3, 3)
    assert np.all(moment["privunit"] <= moment["l2_ball"] * (1 + 1e-9))
    assert np.all(moment["l2_laplace"] <= moment["laplace"])
    assert np.all(moment["l2_ball"] <= moment["hypercube"])
    np.testing.assert_array_equal(me.report_second_moment(d, epsilon), moment["privunit"])
    # One record of the unit ball moves a report by up to 2.
    for method, noise in (("laplace", "laplace"), ("l2_laplace", "l2_laplace")):
        alone = me.noise_second_moment(1, d, Pure(epsilon), noise=noise)
        assert np.allclose(moment[method], 1 + alone, rtol=1e-12)
    expected = (
        d
        * (
            np.array(
                [[HypercubeMechanism(e, int(m)).magnitude for m in d] for e in (0.5, 1.0, 4.0)]
            )
        )
        ** 2
    )
    assert np.allclose(moment["hypercube"], expected, rtol=1e-12)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 6])
def test_ties_in_both_halves_spend_more_in_even_dimensions_only(d):
    corners = np.array(list(product([-1, 1], repeat=d)))
    side = corners @ corners.T
    epsilon = 0.7
    up, down = side >= 0, side <= 0
    p = np.exp(epsilon) / (1 + np.exp(epsilon))
    naive = p * up / up.sum(axis=1, keepdims=True) + (1 - p) * down / down.sum(
        axis=1, keepdims=True
    )
    expected = me.both_halves_epsilon(epsilon) if d % 2 == 0 else epsilon
    assert privacy.dp_epsilon(naive) == pytest.approx(expected, rel=1e-12)
    assert privacy.dp_epsilon(HypercubeMechanism(epsilon, d).channel()) == pytest.approx(epsilon)


def test_alignment_by_enumeration():
    for d in range(1, 11):
        sums = np.array(list(product([-1, 1], repeat=d))).sum(axis=1)
        assert alignment(d) == pytest.approx(abs(sums).mean() / d, rel=1e-12)


def test_local_sandwich():
    for n, d, epsilon, k in product(
        [100, 10**4, 10**6], [1, 4, 30], [0.3, 1.0, 3.0], [2, 4, np.inf]
    ):
        guarantee, floor = Local(Pure(epsilon)), local_floor(n, epsilon, d, k)
        for method in ("l2_ball", "hypercube", "l2_laplace", "laplace"):
            high = me.local_mean_ceiling(n, d, guarantee, k, method=method)
            assert floor <= high * (1 + 1e-12)


def test_local_floor_in_d_dimensions():
    n, d = 10**7, 20
    guarantee = Local(Pure(0.5))
    ratio = me.local_mean_ceiling(n, d, guarantee, method="l2_ball") / local_floor(n, 0.5, d)
    assert 1 < ratio < 5
    best = me.local_mean_ceiling(n, d, guarantee) / lb.mean_floor(n, d, guarantee)
    assert 1 < best <= ratio
    # The two-sign problem on each axis, against the exact channel contraction it rests on.
    kappa = lb.hellinger_contraction(0.5)
    values = [
        (p**2 / d) * (1 - kappa * p**2 / d**2) ** (2 * n) for p in np.linspace(1e-4, 1, 20_000)
    ]
    assert local_floor(n, 0.5, d) == pytest.approx(max(values), rel=1e-3)


# --- floors that came with this chapter -------------------------------------------------------


def test_divergence_over_groups_of_records():
    # Any chain of laws with rho-zCDP steps: the ends are at most b^2 rho apart.
    rng = np.random.default_rng(8)
    for _ in range(30):
        steps = np.cumsum(rng.normal(0, 0.2, size=(5, 6)), axis=0)
        chain = np.exp(steps) / np.exp(steps).sum(axis=1, keepdims=True)
        near = np.column_stack([np.arange(4), np.arange(1, 5)])
        rho = guarantees.zcdp_rho(chain, near).high
        for b in (1, 2, 3, 4):
            for i in range(5 - b):
                assert divergences.kl(chain[i], chain[i + b]) <= b**2 * rho * (1 + 1e-9)


@pytest.mark.long
def test_zcdp_floors():
    for n, rho, d, k in product(
        [1, 30, 10**4], [1e-5, 0.05, 2.0], [1, 2, 9, 100, 2_000], [2, 5, np.inf]
    ):
        guarantee = ZCDP(rho)
        sharp = lb.mean_floor(n, d, guarantee, k, 1.5)
        fano = lb.mean_floor(n, d, guarantee, k, 1.5, method="fano")
        plain = lb.mean_floor(n, d, guarantee, k, 1.5, method="fano", variant="closed")
        assert plain <= fano <= sharp <= me.mean_ceiling(n, d, guarantee, k, 1.5)
        assert 1.5**2 * nonprivate(n) <= plain
        # 2^d points half a radius apart, and rho (n^2 p^2 + n p) nats of what is left of them.
        room = max(0, d / 2 - 1) * np.log(2) / rho
        p = min(1, 2 * room / (n * (np.sqrt(1 + 4 * room) + 1)))
        assert rho * (n**2 * p**2 + n * p) <= room * rho * (1 + 1e-9)
        by_hand = 1.5**2 * max(p ** (2 - 2 / k) / 32, nonprivate(n))
        assert plain == pytest.approx(by_hand, rel=1e-12)
    # The dimension is in the floor: the ratio to the ceiling stays bounded.
    tiny = ZCDP(1e-7)
    ratios = [
        me.mean_ceiling(10**5, d, tiny, 4) / lb.mean_floor(10**5, d, tiny, 4)
        for d in (5, 50, 300, 500)
    ]
    assert max(ratios) < 5


def test_zcdp_floor_is_below_the_exact_risk_of_a_pure_mechanism():
    # Pure privacy implies zCDP at epsilon tanh(epsilon/2): its minimax risk is larger.
    for n, epsilon in product([2, 8, 20], [0.3, 1.0]):
        pure = Pure(epsilon)
        exact = lb.bernoulli_minimax(n, pure)
        assert pure.implies(ZCDP).rho == pytest.approx(epsilon * np.tanh(epsilon / 2), rel=1e-12)
        assert lb.mean_floor(n, 1, pure.implies(ZCDP)) <= exact.upper


def test_total_variation_floor_on_the_axes():
    for n, alpha, d, k in product([5, 400], [0.02, 0.7], [1, 3, 40, 1_000], [2, 5, np.inf]):
        guarantee = TotalVariation(alpha)
        value = lb.mean_floor(n, d, guarantee, k, 1.5, method="assouad") / 1.5**2
        power, best = 2 - 2 / k, nonprivate(n)
        for m in {d, min(d, max(1, int(2 * n * alpha)))}:
            p = np.linspace(1e-4, 1, 20_001)
            best = max(best, (p**power / m * (1 - n * alpha * p / m)).max())
        assert value == pytest.approx(best, rel=1e-5)
        assert value <= me.mean_ceiling(n, d, guarantee, k)
    # Bounded data: ceiling and floor are a constant apart in every dimension.
    dims = np.unique(np.geomspace(1, 10**5, 60).astype(int))
    tiny = TotalVariation(1e-4)
    ratio = me.mean_ceiling(10**6, dims, tiny) / lb.mean_floor(10**6, dims, tiny, method="assouad")
    assert np.all(ratio < 4.6)


def test_total_variation_floor_against_every_channel_of_a_small_world():
    # Two axes, two people: the linear programme over all private channels.
    points = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    signs = np.array(list(product([-1, 1], repeat=2)))
    table, pairs = lb.histograms(4, 2)
    outputs = np.array(list(product(np.linspace(-0.5, 0.5, 9), repeat=2)))
    for alpha in (0.1, 0.3):
        load, m = 2 * alpha, 2
        p = min(1.0, 2 * m / (3 * load))
        spread = np.array([[1 + s[0], 1 - s[0], 1 + s[1], 1 - s[1]] for s in signs]) / 4
        laws = lb.histogram_laws(table, p * spread + (1 - p) / 4)
        means = (p * spread + (1 - p) / 4) @ points
        loss = ((means[:, None] - outputs) ** 2).sum(axis=2)
        exact = lb.minimax_channel(laws, loss, TotalVariation(alpha), pairs=pairs).risk
        assert exact >= p**2 / m * (1 - load * p / m) - 1e-9


def test_multinomial_floor_of_a_curator():
    for n, alpha in product([3, 20, 500], [0.05, 0.4, 1.0]):
        for d in (2, 3, 8, 31):
            m = 2 * (d // 2)
            tilt = np.geomspace(1e-4, 1, 100_001)
            best = (tilt**2 / m * (1 - 2 * n * alpha * tilt / m)).max()
            guarantee = TotalVariation(alpha)
            alone = lb.multinomial_floor(n, d, guarantee, method="assouad")
            assert alone == pytest.approx(best, rel=1e-6)
            plain = lb.multinomial_floor(n, d, NonPrivate())
            value = lb.multinomial_floor(n, d, guarantee)
            assert value == pytest.approx(max(best, plain), rel=1e-6)
    for n, epsilon in product([4, 15], [0.2, 1.0]):
        pure = Pure(epsilon)
        exact = lb.bernoulli_minimax(n, pure)  # loss of a mean in [-1, 1]: twice l2
        assert lb.multinomial_floor(n, 2, pure) <= exact.upper / 2
        implied = lb.multinomial_floor(n, 2, TotalVariation(np.tanh(epsilon / 2)))
        assert lb.multinomial_floor(n, 2, pure) == implied


BAD = [
    (lambda: GaussianNoise(0.0), "sigma"),
    (lambda: L2LaplaceNoise(1.0, 0), "d"),
    (lambda: LaplaceNoise(1.0, 2).log_ratio([1.0]), "shift"),
    (lambda: L2LaplaceNoise(1.0, 2).log_density(3.0), "w"),
    (lambda: me.PrivUnit(0.0, 2), "epsilon"),
    (lambda: me.PrivUnit(1.0, 1, gamma=0.5), "gamma"),
    (lambda: me.PrivUnit(1.0, 3, gamma=1.0), "gamma"),
    (lambda: me.PrivUnit(1.0, 3).privatize([[1.0, 1.0, 0.0]]), "vectors"),
    (lambda: me.PrivUnit(1.0, 3).privatize([1.0, 0.0, 0.0]), "vectors"),
    (lambda: me.report_second_moment(2, 1.0, "cone"), "method"),
    (lambda: me.report_second_moment(0, 1.0), "d"),
    (lambda: me.report_second_moment(2, 0.0), "epsilon"),
    (lambda: me.local_mean_ceiling(10, 2, Local(Pure(1.0)), k=1.0), "k"),
    (lambda: me.local_mean_ceiling(10, 2, Local(Pure(1.0)), r=0.0), "r"),
    (lambda: me.local_mean_ceiling(10, 2, Pure(1.0)), "privacy"),
    (lambda: me.local_mean_ceiling(10, 2, Local(ZCDP(1.0))), "privacy"),
    (lambda: me.local_mean_ceiling(10, 2, Local(Pure(1.0)), method="cap"), "method"),
    (lambda: me.both_halves_epsilon(-1.0), "epsilon"),
    (lambda: alignment(0), "d"),
    (lambda: lb.mean_floor(10, 2, ZCDP(1.0), 1.5, method="fano", variant="closed"), "k"),
    (lambda: lb.mean_floor(10, 2, TotalVariation(0.1), method="fano"), "method"),
    (lambda: lb.mean_floor(10, 0, Local(Pure(1.0)), method="contraction"), "d"),
    (lambda: lb.mean_floor(10, 2, Pure(1.0), method="contraction"), "method"),
]


@pytest.mark.parametrize(("call", "name"), BAD)
def test_bad_input_is_named(call, name):
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        call()


def test_what_a_mean_of_a_curator_cannot_keep_is_refused():
    local = Local(Pure(1.0))
    for call in (
        lambda: me.PrivateMean.calibrated(local, n=10, d=1),
        lambda: me.private_mean([0.1, 0.2], local, k=np.inf, r=1.0),
        lambda: me.PrivateMean.calibrated(Pure([1.0, 2.0]), n=10, d=1),
        lambda: me.private_mean([0.1], Pure([1.0, 2.0]), k=2, r=1.0),
    ):
        with pytest.raises(ValueError, match=r"^privacy\b"):
            call()
    # Normal noise is never purely private: its second moment would have to be infinite.
    with pytest.raises(ValueError, match=r"^noise\b"):
        me.PrivateMean.calibrated(Pure(1.0), n=10, d=1, noise="gaussian")


def test_a_mean_keeps_the_relation_it_was_asked_for():
    # The number of records is public: with one removed there is no mean of n.
    wanted = Pure(1.0, relation="add-remove")
    try:
        made = me.PrivateMean.calibrated(wanted, n=10, d=1).privacy
    except ValueError as error:
        assert str(error).startswith("privacy")
    else:
        assert made <= wanted


@pytest.mark.parametrize(("n", "m", "epsilon"), [(3, 1, 0.7), (3, 2, 0.4), (4, 2, 1.3)])
def test_reports_of_a_subset_keep_their_budget_exactly(n, m, epsilon):
    # In one dimension the output is the number of positive reports, of all subsets alike.
    asked = me.SubsetReports(n, 1, epsilon, m)
    yes = asked.report.inside

    def law(signs):
        total = np.zeros(m + 1)
        for subset in combinations(signs, m):
            one = np.ones(1)
            for sign in subset:
                p = yes if sign > 0 else 1 - yes
                one = np.convolve(one, [1 - p, p])
            total += one
        return total / total.sum()

    worst = 0.0
    for signs in product([-1, 1], repeat=n):
        other = (-signs[0], *signs[1:])
        worst = max(worst, np.log(law(signs) / law(other)).max())
    assert worst <= epsilon * (1 + 1e-9)
    assert worst >= (0.99 if m == 1 else 0.5) * epsilon


def test_the_error_of_a_few_reports():
    asked = me.SubsetReports(6, 3, 0.7, 2)
    rng = np.random.default_rng(5)
    runs = np.array([asked.privatize(np.zeros((6, 3)), rng=rng) for _ in range(4_000)])
    squares = (runs**2).sum(axis=1)
    error = 5 * squares.std() / np.sqrt(len(squares))
    assert abs(squares.mean() - asked.error) < error
    x = np.eye(6, 3)
    runs = np.array([asked.privatize(x, rng=rng) for _ in range(4_000)])
    assert np.all(abs(runs.mean(axis=0) - x.mean(axis=0)) < 5 * runs.std(axis=0) / np.sqrt(4_000))
    losses = ((runs - x.mean(axis=0)) ** 2).sum(axis=1)
    assert losses.mean() < asked.error + 5 * losses.std() / np.sqrt(len(losses))
    best = me.SubsetReports.optimal(500, 30, 0.3)
    others = [me.SubsetReports(500, 30, 0.3, m).error for m in (1, 5, 20, 80, 500)]
    assert best.error <= min(others) * 1.001
    alone = me.local_mean_ceiling(500, 30, Local(Pure(0.3)), 4.0)
    assert me.SubsetReports(500, 30, 0.3, 500).ceiling(4.0) == pytest.approx(alone)
    # The largest budget of a report, 600 nats and the logarithm of 2**62, is one that exists.
    most = me.SubsetReports(2**62, 3, 600.0, 1)
    assert most.report.privacy == Local(Pure(600 + 62 * np.log(2)))
    assert most.ceiling() == pytest.approx(0.25, rel=1e-5)  # half of one vector, told exactly
    with pytest.raises((TypeError, ValueError), match=r"^n\b"):
        me.SubsetReports(2**70, 3, 600.0, 1)
    with pytest.raises(ValueError, match=r"^m\b"):
        me.SubsetReports(5, 3, 0.3, 6)
    with pytest.raises(ValueError, match=r"^vectors\b"):
        asked.privatize(np.zeros((5, 3)))


@pytest.mark.parametrize(
    ("n", "d", "rho"), [(10**4, 9, 0.05), (10**3, 40, 0.5), (10**5, 100, 1e-4)]
)
def test_fano_with_the_unit_vectors_and_their_opposites(n, d, rho):
    p = np.minimum(1.0, np.geomspace(0.05, 20, 120) * np.sqrt(d / rho) / n)
    told = rho * (n**2 * p**2 + n * p * (1 - p))
    least = (p * (1 - (told + np.log(2)) / np.log(2 * d))).max() / 2
    found = lb.mean_floor(n, d, ZCDP(rho), 2.0, method="fano")
    assert least * (1 - 1e-12) <= found <= 20 * least


@pytest.mark.parametrize("epsilon", [4.0, 30.0, 700.0])
def test_caps_in_many_dimensions(epsilon):
    """The measure of a cap underflows long before a height of one."""
    best = me.PrivUnit.optimal(epsilon, 10**6)
    assert 0 < best.gamma < 0.04 and best.magnitude < me.PrivUnit(epsilon, 10**6).magnitude
    for factor in (0.995, 1.005):
        beside = me.PrivUnit(epsilon, 10**6, gamma=factor * best.gamma)
        assert best.magnitude < beside.magnitude
    # Heights are normal with variance 1 / d: the length is that of the limit, times sqrt(d).
    fewer = me.PrivUnit.optimal(epsilon, 10**5 if epsilon < 700 else 10**6 // 2)
    assert best.magnitude**2 / best.d == pytest.approx(fewer.magnitude**2 / fewer.d, rel=2e-3)


def test_a_cap_of_no_measure_is_refused():
    with pytest.raises(ValueError, match="^gamma must leave the cap a measure of at least 1e-305"):
        me.PrivUnit(1.0, 10**6, gamma=0.5)
    for d in (2, 7, 50, 97, 10**6):  # the search stays within
        assert me.PrivUnit.optimal(700.0, d).measure >= 1e-305
