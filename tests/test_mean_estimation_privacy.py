"""What each noise promises, exactly; the reports of single people; the floors in d dimensions."""

from itertools import product

import laws
import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from minimaxdp import divergences, privacy
from minimaxdp import lower_bounds as lb
from minimaxdp import mean_estimation as me
from minimaxdp.cube import Hypercube, alignment

ONE = {"n": 50, "d": 3, "k": 4, "r": 2.0}


def worst_shift(mechanism, d):
    """The move of the mean on which l1- and l2-distances are both largest."""
    return mechanism.sensitivity * np.ones(d) / np.sqrt(d)


@pytest.mark.parametrize("level", [0.01, 0.7, 3.0])
@pytest.mark.parametrize("d", [1, 2, 7])
def test_levels_are_spent_exactly_at_the_worst_neighbours(level, d):
    setting = ONE | {"d": d}
    for definition, printed in product(["pure", "smooth"], [False, True]):
        m = me.PrivateMean.calibrated(definition, level=level, printed=printed, **setting)
        assert m.noise.log_ratio(worst_shift(m, d)) == pytest.approx(level, rel=1e-12)
    for definition in ("kl", "zcdp"):
        m = me.PrivateMean.calibrated(definition, level=level, **setting)
        assert m.noise.kl(worst_shift(m, d)) == pytest.approx(level, rel=1e-12)
    m = me.PrivateMean.calibrated("approximate", level=level, delta=1e-7, **setting)
    assert m.noise.delta(level, worst_shift(m, d)) == pytest.approx(1e-7, rel=1e-9)
    if level <= 1:
        m = me.PrivateMean.calibrated("tv", level=level, **setting)
        assert m.noise.total_variation(worst_shift(m, d)) == pytest.approx(level, rel=1e-12)
        m = me.PrivateMean.calibrated("tv", level=level, printed=True, **setting)
        assert m.noise.total_variation(worst_shift(m, d)) < level
        m = me.PrivateMean.calibrated(
            "approximate", level=level, delta=1e-7, printed=True, **setting
        )
        assert m.noise.delta(level, worst_shift(m, d)) < 1e-7


def test_total_variation_noise_of_tiny_levels_keeps_its_digits():
    with mpmath.workdps(40):
        for alpha in (1e-12, 1e-5, 0.5, 0.999):
            mu = 2 * mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(alpha))
            exact = float(4 / mu**2)
            assert me.energy_factor("tv", 1, 1, alpha) == pytest.approx(exact, rel=1e-9)
    assert me.energy_factor("tv", 1, 1, 1e-6) * 1e-12 == pytest.approx(2 / np.pi, rel=1e-6)


def test_smooth_privacy_of_records_that_move_a_little():
    rng = np.random.default_rng(5)
    for printed in (False, True):
        m = me.PrivateMean.calibrated("smooth", level=0.8, printed=printed, **ONE)
        for _ in range(200):
            x, y = rng.standard_normal((2, 50, 3)) * 2
            moved = np.linalg.norm(x - y, axis=1) / (2 * m.radius)
            budget = 0.8 * np.minimum(moved, 1).sum()
            shift = m.truncated_mean(x) - m.truncated_mean(y)
            assert m.noise.log_ratio(shift) <= budget * (1 + 1e-12)


@pytest.mark.parametrize(
    "noise", [me.GaussianNoise(0.7), me.CoordinateLaplace(0.7), me.NormLaplace(0.7)]
)
def test_noise_in_one_dimension_by_quadrature(noise):
    def density(w):
        return np.exp(noise.log_density(np.asarray(w)[..., None]))

    grid = {"limit": 200, "points": [0.0, 0.5]}
    assert integrate.quad(density, -40, 40, **grid)[0] == pytest.approx(1, abs=1e-9)
    energy = integrate.quad(lambda w: w**2 * density(w), -40, 40, **grid)[0]
    assert energy == pytest.approx(noise.energy, rel=1e-8)
    if isinstance(noise, me.GaussianNoise):
        tv = integrate.quad(lambda w: abs(density(w) - density(w - 0.5)) / 2, -20, 20, limit=400)[0]
        assert tv == pytest.approx(noise.total_variation([0.5]), abs=1e-6)


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_norm_noise_in_d_dimensions(d):
    noise = me.NormLaplace(0.4, d)
    draws = noise.sample(20_000, rng=d)
    laws.assert_mean((draws**2).sum(axis=1), noise.energy)
    laws.assert_mean(draws, np.zeros(d))
    # The density integrates to one: importance weights against a normal law.
    spread = stats.multivariate_normal(np.zeros(d), 9 * noise.energy / d * np.eye(d))
    points = np.atleast_2d(spread.rvs(200_000, random_state=1).reshape(-1, d))
    weights = np.exp(noise.log_density(points) - spread.logpdf(points))
    laws.assert_mean(weights, 1.0)
    if d == 1:
        laws.assert_same_law(draws, me.CoordinateLaplace(0.4).sample(20_000, rng=9))


@pytest.mark.parametrize("kind", ["norm", "laplace"])
def test_energy_of_the_two_pure_noises(kind):
    n, d, epsilon, rho = 100, 9, 0.5, 2.0
    printed = kind == "laplace"
    m = me.PrivateMean.calibrated("pure", n=n, d=d, level=epsilon, rho=rho, printed=printed)
    formula = {"norm": 4 * d * (d + 1), "laplace": 8 * d**2}[kind] * (rho / (n * epsilon)) ** 2
    assert m.energy == pytest.approx(formula, rel=1e-12)
    laws.assert_mean((m.noise.sample(20_000, rng=2) ** 2).sum(axis=1), formula)


@pytest.mark.parametrize("definition", ["pure", "kl"])
def test_audit_finds_no_more_than_was_promised_and_a_broken_one_more(definition):
    m = me.PrivateMean.calibrated("pure", n=20, d=2, level=1.0, k=np.inf)
    direction = np.array([1.0, 0.0])
    first = np.zeros((20, 2)) + [0.2, 0.0]
    second = first.copy()
    first[0], second[0] = direction, -direction

    def along(scale):
        def run(data, rng, size):
            noise = me.NormLaplace(m.noise.scale * scale, 2).sample(size, rng=rng)
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
    for cap in (me.Cap(epsilon, d, 2.0), me.Cap.best(epsilon, d, 2.0)):
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
    assert me.Cap.best(epsilon, d).magnitude <= me.Cap(epsilon, d).magnitude


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("best", [False, True])
def test_cap_samples_its_law(d, best):
    cap = me.Cap.best(2.0, d) if best else me.Cap(2.0, d)
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
        assert me.Cap(epsilon, d).magnitude == pytest.approx(float(exact), rel=1e-11)
        assert me.local_energy("ball", epsilon, d) <= (
            (np.pi * d / 2 if d > 1 else np.pi / 2) / np.tanh(epsilon / 2) ** 2
        )


def test_local_energies_and_their_order():
    epsilon, d = np.array([0.5, 1.0, 4.0])[:, None], np.array([2, 5, 20])
    energy = {m: me.local_energy(m, epsilon, d) for m in me.METHODS}
    assert energy["norm"].shape == (3, 3)
    assert np.all(energy["cap"] <= energy["ball"] * (1 + 1e-9))
    assert np.all(energy["norm"] <= energy["laplace"])
    assert np.all(energy["ball"] <= energy["cube"])
    expected = (
        d * (np.array([[Hypercube(e, int(m)).magnitude for m in d] for e in (0.5, 1.0, 4.0)])) ** 2
    )
    assert np.allclose(energy["cube"], expected, rtol=1e-12)


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
    assert privacy.pure_epsilon(naive) == pytest.approx(expected, rel=1e-12)
    assert privacy.pure_epsilon(Hypercube(epsilon, d).channel()) == pytest.approx(epsilon)


def test_alignment_by_enumeration():
    for d in range(1, 11):
        sums = np.array(list(product([-1, 1], repeat=d))).sum(axis=1)
        assert alignment(d) == pytest.approx(abs(sums).mean() / d, rel=1e-12)


def test_local_sandwich():
    for n, d, epsilon, k in product(
        [100, 10**4, 10**6], [1, 4, 30], [0.3, 1.0, 3.0], [2, 4, np.inf]
    ):
        floor = lb.mean_local(n, epsilon, k, d=d)
        for method in ("ball", "cube", "norm", "laplace"):
            assert floor <= me.local_ceiling(method, n, epsilon, d, k) * (1 + 1e-12)


def test_local_floor_in_d_dimensions():
    assert lb.mean_local(10**4, 0.5, 4, 2.0) == lb.mean_local(10**4, 0.5, 4, 2.0, d=1)
    n, d = 10**7, 20
    ratio = me.local_ceiling("ball", n, 0.5, d) / lb.mean_local(n, 0.5, d=d)
    assert 1 < ratio < 5
    # The two-sign problem on each axis, against the exact channel contraction it rests on.
    kappa = lb.hellinger_contraction(0.5)
    values = [
        (p**2 / d) * (1 - kappa * p**2 / d**2) ** (2 * n) for p in np.linspace(1e-4, 1, 20_000)
    ]
    assert lb.mean_local(n, 0.5, d=d) == pytest.approx(max(values), rel=1e-3)


# --- floors that came with this chapter -------------------------------------------------------


def test_divergence_over_groups_of_records():
    # Any chain of laws with rho-zCDP steps: the ends are at most b^2 rho apart.
    rng = np.random.default_rng(8)
    for _ in range(30):
        steps = np.cumsum(rng.normal(0, 0.2, size=(5, 6)), axis=0)
        chain = np.exp(steps) / np.exp(steps).sum(axis=1, keepdims=True)
        near = np.column_stack([np.arange(4), np.arange(1, 5)])
        rho = privacy.zcdp(chain, near).high
        for b in (1, 2, 3, 4):
            for i in range(5 - b):
                assert divergences.kl(chain[i], chain[i + b]) <= b**2 * rho * (1 + 1e-9)


def test_zcdp_floors():
    for n, rho, d, k in product(
        [1, 30, 10**4], [1e-5, 0.05, 2.0], [1, 2, 9, 100, 2_000], [2, 5, np.inf]
    ):
        sharp, plain = lb.mean_zcdp(n, rho, d, k, r=1.5), lb.mean_zcdp_plain(n, rho, d, k, r=1.5)
        assert plain <= sharp <= me.ceiling("zcdp", n, d, rho, k, 1.5)
        assert lb.mean_nonprivate(n, 1.5) <= plain
    # The dimension is in the floor: the ratio to the ceiling stays bounded.
    ratios = [
        me.ceiling("zcdp", 10**5, d, 1e-7, 4) / lb.mean_zcdp(10**5, 1e-7, d, 4)
        for d in (5, 50, 300, 500)
    ]
    assert ratios == sorted(ratios) and max(ratios) < 50


def test_zcdp_floor_is_below_the_exact_risk_of_a_pure_mechanism():
    # Pure privacy implies zCDP at epsilon tanh(epsilon/2): its minimax risk is larger.
    for n, epsilon in product([2, 8, 20], [0.3, 1.0]):
        exact = lb.bernoulli_minimax(n, epsilon=epsilon)
        assert lb.mean_zcdp(n, epsilon * np.tanh(epsilon / 2), 1) <= exact.upper


def test_total_variation_floor_on_the_axes():
    for n, alpha, d, k in product([5, 400], [0.02, 0.7], [1, 3, 40, 1_000], [2, 5, np.inf]):
        value = lb.mean_tv_axes(n, alpha, d, k, 1.5) / 1.5**2
        power, best = 2 - 2 / k, lb.mean_nonprivate(n)
        for m in {d, min(d, max(1, int(2 * n * alpha)))}:
            p = np.linspace(1e-4, 1, 20_001)
            best = max(best, (p**power / m * (1 - n * alpha * p / m)).max())
        assert value == pytest.approx(best, rel=1e-5)
        assert value <= me.ceiling("tv", n, d, alpha, k)
    # Bounded data: ceiling and floor are a constant apart in every dimension.
    dims = np.unique(np.geomspace(1, 10**5, 60).astype(int))
    ratio = me.ceiling("tv", 10**6, dims, 1e-4) / lb.mean_tv_axes(10**6, 1e-4, dims)
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
        exact = lb.minimax_channel(laws, loss, pairs=pairs, epsilon=0.0, delta=alpha).risk
        assert exact >= p**2 / m * (1 - load * p / m) - 1e-9


def test_multinomial_floor_of_a_curator():
    for n, alpha in product([3, 20, 500], [0.05, 0.4, 1.0]):
        for d in (2, 3, 8, 31):
            m = 2 * (d // 2)
            tilt = np.linspace(1e-4, 1, 20_000)
            best = (tilt**2 / m * (1 - 2 * n * alpha * tilt / m)).max()
            assert lb.multinomial_tv(n, alpha, d) == pytest.approx(
                max(best, lb.multinomial(n, d)), rel=1e-6
            )
    for n, epsilon in product([4, 15], [0.2, 1.0]):
        exact = lb.bernoulli_minimax(n, epsilon=epsilon)  # loss of a mean in [-1, 1]: twice l2
        assert lb.multinomial_tv(n, np.tanh(epsilon / 2), 2) <= exact.upper / 2


BAD = [
    (lambda: me.GaussianNoise(0.0), "sigma"),
    (lambda: me.NormLaplace(1.0, 0), "d"),
    (lambda: me.CoordinateLaplace(1.0, 2).log_ratio([1.0]), "shift"),
    (lambda: me.NormLaplace(1.0, 2).log_density(3.0), "w"),
    (lambda: me.Cap(0.0, 2), "epsilon"),
    (lambda: me.Cap(1.0, 1, gamma=0.5), "gamma"),
    (lambda: me.Cap(1.0, 3, gamma=1.0), "gamma"),
    (lambda: me.Cap(1.0, 3).privatize([[1.0, 1.0, 0.0]]), "vectors"),
    (lambda: me.Cap(1.0, 3).privatize([1.0, 0.0, 0.0]), "vectors"),
    (lambda: me.local_energy("cone", 1.0, 2), "method"),
    (lambda: me.local_ceiling("ball", 10, 1.0, 2, k=1.0), "k"),
    (lambda: me.both_halves_epsilon(-1.0), "epsilon"),
    (lambda: alignment(0), "d"),
    (lambda: lb.mean_zcdp(10, 0.0, 2), "rho"),
    (lambda: lb.mean_zcdp_plain(10, 1.0, 2, 1.5), "k"),
    (lambda: lb.multinomial_tv(10, 1.5, 3), "alpha"),
    (lambda: lb.mean_tv_axes(10, 0.0, 3), "alpha"),
    (lambda: lb.mean_local(10, 1.0, d=0), "d"),
]


@pytest.mark.parametrize(("call", "name"), BAD)
def test_bad_input_is_named(call, name):
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        call()
