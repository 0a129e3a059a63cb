"""The floors one by one: their lemmas by brute force, their formulas, their conditions."""

from itertools import product

import laws
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special
from scipy.optimize import linprog, minimize_scalar
from scipy.stats import binom

from minimaxdp import divergences, privacy
from minimaxdp import lower_bounds as lb

property_test = settings(max_examples=40, deadline=None, derandomize=True)


@given(st.integers(0, 2**32 - 1))
@property_test
def test_le_cam_is_the_best_test_and_the_convex_form_a_bayes_risk(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.dirichlet(np.full(5, 0.7), size=2)
    distance = divergences.total_variation(first, second)
    tests = np.array(list(product([0, 1], repeat=5)))
    errors = (tests @ first + (1 - tests) @ second) / 2
    assert lb.le_cam(1.0, distance) == pytest.approx(errors.min(), abs=1e-12)
    # Two parameters -1 and 1 with equal weight: exact Bayes risks of both losses.
    squared = (2 * first * second / (first + second)).sum()
    assert squared >= lb.le_cam(1.0, distance, convex=True) - 1e-12
    absolute = np.minimum(first, second).sum()
    assert absolute == pytest.approx(lb.le_cam(1.0, distance, convex=True), abs=1e-12)


def test_mixtures():
    rng = np.random.default_rng(2)
    first, second = rng.dirichlet(np.ones(4), size=3), rng.dirichlet(np.ones(4), size=2)
    weights = ([0.2, 0.3, 0.5], [0.9, 0.1])
    distance = divergences.total_variation(weights[0] @ first, weights[1] @ second)
    value = lb.le_cam_mixtures(2.0, first, second, weights=weights)
    assert value == pytest.approx(1 - distance, rel=1e-12)
    uniform = lb.le_cam_mixtures(2.0, first, second)
    distance = divergences.total_variation(first.mean(axis=0), second.mean(axis=0))
    assert uniform == pytest.approx(1 - distance, rel=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
@property_test
def test_fano_is_below_the_error_of_the_best_guess(seed, m):
    outputs = np.random.default_rng(seed).dirichlet(np.full(4, 0.4), size=m)
    error = 1 - outputs.max(axis=0).sum() / m
    information = np.mean([divergences.kl(row, outputs.mean(axis=0)) for row in outputs])
    bound = lb.fano(information, m)
    assert bound <= error + 1e-9
    assert bound >= 1 - (information + np.log(2)) / np.log(m) - 1e-7
    # Equality where all wrong answers are alike:
    e = 0.3 * (1 - 1 / m)
    flat = np.full((m, m), e / (m - 1)) + np.eye(m) * (1 - e - e / (m - 1))
    information = divergences.kl(flat[0], np.full(m, 1 / m))
    assert lb.fano(information, m) == pytest.approx(e, abs=1e-7)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("tv", [0.2, 0.7, 1.0])
def test_theorem_2_against_every_private_channel(n, alpha, tv):
    # The programme finds the channel that separates the two samples best.
    table, pairs = lb.histograms(2, n)
    samples = lb.histogram_laws(table, [[0.5 + tv / 2, 0.5 - tv / 2], [0.5 - tv / 2, 0.5 + tv / 2]])
    best = lb.minimax_channel(samples, 1 - np.eye(2), pairs=pairs, epsilon=0.0, delta=alpha)
    separated = 1 - 2 * best.risk
    sharp, plain = (lb.private_distance(n, alpha, tv, sharp=s) for s in (True, False))
    assert separated <= sharp + 1e-9 <= plain + 1e-9
    product_bound = 1 - (1 - tv) ** n
    assert sharp <= product_bound + 1e-12


def test_theorem_2_has_constant_one():
    # Disjoint laws and a channel that looks at a share of the records: equality at n alpha <= 1.
    for n, alpha in ((1, 0.3), (3, 0.2), (5, 0.2)):
        table, pairs = lb.histograms(2, n)
        samples = lb.histogram_laws(table, np.eye(2))
        best = lb.minimax_channel(samples, 1 - np.eye(2), pairs=pairs, epsilon=0.0, delta=alpha)
        assert 1 - 2 * best.risk == pytest.approx(n * alpha, abs=1e-9)
        assert lb.private_distance(n, alpha, 1.0) == pytest.approx(n * alpha, abs=1e-12)


@given(st.integers(1, 60), st.floats(0.001, 1), st.floats(0, 1))
@property_test
def test_private_distance_is_its_expectation(n, alpha, tv):
    b = np.arange(n + 1)
    brute = binom.pmf(b, n, tv) @ np.minimum(1, alpha * b)
    assert lb.private_distance(n, alpha, tv) == pytest.approx(brute, rel=1e-9, abs=1e-12)


def test_private_distance_for_many_people():
    value = lb.private_distance(10**9, 1e-9, np.array([1e-6, 0.5, 1.0]))
    np.testing.assert_allclose(value, [1e-6, 0.5, 1.0], rtol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("p", [0.3, 0.7, 1.0])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.4, 0.0), (1.2, 0.0), (0.5, 0.02)])
def test_theorem_3_against_the_exact_error(n, m, p, epsilon, delta):
    table, pairs = lb.histograms(m + 1, n)
    rows = np.column_stack([np.full(m, 1 - p), p * np.eye(m)])
    samples = lb.histogram_laws(table, rows)
    exact = lb.minimax_channel(
        samples, 1 - np.eye(m), pairs=pairs, epsilon=epsilon, delta=delta
    ).risk
    plain = lb.packing_error(n, p, epsilon, m, delta=delta, sharp=False)
    sharp = lb.packing_error(n, p, epsilon, m, delta=delta)
    assert plain <= sharp + 1e-12 <= exact + 1e-9
    if p == 1.0 and delta == 0.0:
        assert sharp == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize(("n", "p", "epsilon", "m"), [(6, 0.4, 0.5, 9), (12, 0.1, 2.0, 40)])
def test_the_sharp_equation_is_solved(n, p, epsilon, m):
    b = np.arange(n + 1)
    mass, error = binom.pmf(b, n, p), lb.packing_error(n, p, epsilon, m)
    # Minimise E[t_B] over phi, where t_b lies above every tangent of the convex G_b.
    grid = np.linspace(0, 1, 4001)
    value, rows, limits = grid.copy(), [], []
    for k in range(n + 1):
        slopes = np.diff(value) / np.diff(grid)
        for x, y, slope in zip(grid[::40], value[::40], slopes[::40], strict=False):
            row = np.zeros(2 * (n + 1))
            row[k], row[n + 1 + k] = slope, -1
            rows.append(row)
            limits.append(slope * x - y)
        value = np.maximum(np.exp(-epsilon) * value, 1 - np.exp(epsilon) * (1 - value))
    solution = linprog(
        np.r_[np.zeros(n + 1), mass],
        A_ub=rows,
        b_ub=limits,
        A_eq=[np.r_[mass, np.zeros(n + 1)]],
        b_eq=[1 - error],
        bounds=[(0, 1)] * (n + 1) + [(0, None)] * (n + 1),
    )
    assert error == pytest.approx((m - 1) * solution.fun, rel=2e-3)
    assert error >= (m - 1) * solution.fun * (1 - 1e-9)


def test_packing_error_of_large_worlds():
    sharp = [lb.packing_error(n, 10 / n, 0.5, 2.0**20) for n in (10**2, 10**4, 10**6, 10**8)]
    assert np.ptp(sharp) < 0.05 and 0.5 < min(sharp) < 1
    assert lb.packing_error(100, 0.5, 1.0, 4, delta=0.9) == 0.0
    assert lb.packing_error(10, 0.5, 1.0, 1e300) > 0.99
    assert lb.packing_error(9, 0.4, 1.0, np.log(50), log=True) == pytest.approx(
        lb.packing_error(9, 0.4, 1.0, 50), rel=1e-12
    )
    assert lb.packing_error(10**5, 1.0, 1.0, 2e5, log=True) > 0.99


def eq17(n, epsilon, d, k, delta):
    """The proof of Proposition 4, replayed without simplification."""
    room = d / 2 - epsilon
    if delta:
        room = min(room, np.log(-np.expm1(-epsilon) / (4 * delta * np.exp(epsilon))))
    p = min(1.0, room / (n * epsilon))
    error = lb.packing_error(n, p, epsilon, 2.0**d, delta=delta, sharp=False)
    return (p ** (1 - 1 / k) / 4) ** 2 * error


@pytest.mark.parametrize("n", [1, 10, 1000])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("d", [2, 7, 60])
@pytest.mark.parametrize("k", [2, 3, np.inf])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-3])
def test_proposition_4_keeps_what_its_proof_gives(n, epsilon, d, k, delta):
    value = lb.mean_dp(n, epsilon, d, k, delta=delta)
    assert value <= max(eq17(n, epsilon, d, k, delta), lb.mean_nonprivate(n)) * (1 + 1e-12)
    assert lb.mean_dp_sharp(n, epsilon, d, k, delta=delta) >= lb.mean_nonprivate(n)


@pytest.mark.parametrize("n", [3, 40, 2000])
@pytest.mark.parametrize("alpha", [0.01, 0.2, 1.0])
@pytest.mark.parametrize("k", [2, 4, np.inf])
def test_proposition_2_and_its_sharpening(n, alpha, k):
    p = min(1, 1 / (2 * n * alpha))
    plain = p ** (2 - 2 / k) * (1 - min(1, n * alpha * p)) / 2
    value = lb.mean_tv(n, alpha, k, r=3.0)
    if p < 1:
        assert value == pytest.approx(9 * max(plain, lb.mean_nonprivate(n)))
    else:  # there 1 - n alpha is replaced by one half
        assert value <= 9 * max(plain, lb.mean_nonprivate(n)) and value >= 9 / 4

    def bound(log_p):
        p = np.exp(log_p)
        return -(p ** (2 - 2 / k)) * (1 - lb.private_distance(n, alpha, p))

    grid = np.linspace(np.log(1e-4 / n), 0, 4000)
    top = grid[np.argmin(bound(grid))]
    best = minimize_scalar(bound, bounds=(top - 0.01, min(top + 0.01, 0)), method="bounded")
    best = max(-best.fun, -bound(0.0), lb.mean_nonprivate(n))
    assert 0.998 * best <= lb.mean_tv_sharp(n, alpha, k) <= best * (1 + 1e-6)


@pytest.mark.parametrize("n", [1, 30, 10**5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("k", [2, 3.5, np.inf])
def test_mean_local_is_optimal_over_p(n, epsilon, k):
    kappa = lb.hellinger_contraction(epsilon)
    p = np.geomspace(1e-5, 1, 20_000)
    h = np.minimum(kappa * p**2, 1 - 1e-12)
    brute = (p ** (2 - 2 / k) * np.exp(2 * n * np.log1p(-h))).max()
    value = lb.mean_local(n, epsilon, k)
    assert value == pytest.approx(max(brute, lb.mean_nonprivate(n)), rel=1e-5)


@given(st.floats(0.01, 0.99), st.floats(2, 20), st.integers(0, 2**32 - 1))
@property_test
def test_the_modulus_is_never_exceeded_and_attained(t, k, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(6) * 3
    common, plus, minus = rng.dirichlet(np.full(6, 0.3), size=3)
    first, second = (1 - t) * common + t * plus, (1 - t) * common + t * minus
    r = max((law @ abs(values) ** k) ** (1 / k) for law in (first, second))
    distance = min(divergences.total_variation(first, second), 1.0)
    gap = abs((first - second) @ values)
    assert gap <= lb.tv_modulus(distance, k, r) * (1 + 1e-9)
    outer = t ** (-1 / k)
    assert 2 * t * outer == pytest.approx(lb.tv_modulus(t, k), rel=1e-12)
    assert t * outer**k == pytest.approx(1, rel=1e-9)


def test_people_needed_and_free_level_solve_their_equations():
    for epsilon, d, k, delta in product([0.05, 1.0], [3, 40], [2.5, 6, np.inf], [0.0, 1e-3]):
        n = lb.people_needed(epsilon, d, k, delta)
        size = min(d, -np.log(delta)) if delta else d
        assert (size / (n * epsilon)) ** (2 - 2 / k) == pytest.approx(1 / n, rel=1e-9)
    for n, k in product([10, 10**6], [2, 3, np.inf]):
        alpha = lb.free_level(n, k)
        assert (n * alpha) ** -(2 - 2 / k) == pytest.approx(1 / n, rel=1e-9)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9, 7.0])
def test_proposition_3_is_its_maximum(load):
    n, alpha = 100, load / 100
    delta = np.linspace(0, 1, 100_001)
    assert lb.support_tv(n, alpha) == pytest.approx(
        (delta / 4 * (1 - load * delta)).max(), rel=1e-8
    )
    sharp = lb.support_tv_sharp(n, alpha)
    assert 2 * 0.999 * lb.support_tv(n, alpha) <= sharp
    brute = (delta[1:] / 2 * (1 - lb.private_distance(n, alpha, delta[1:]))).max()
    assert 0.999 * brute <= sharp <= brute * (1 + 1e-6)


@pytest.mark.parametrize("n", [4, 50, 3000])
def test_the_subset_maximum_stays_above_the_floor(n):
    m = np.arange(1, n + 1)
    assert np.all(lb.subset_maximum_risk(m) >= lb.support_tv_sharp(n, m / n))


@pytest.mark.parametrize(("n", "m"), [(4, 1), (4, 2), (5, 3), (5, 5)])
def test_the_subset_maximum_is_private(n, m):
    from itertools import combinations

    worlds, pairs = privacy.datasets(3, n)
    subsets = list(combinations(range(n), m))
    maxima = np.array([[max(world[i] for i in s) for s in subsets] for world in worlds])
    channel = np.stack([(maxima == v).mean(axis=1) for v in range(3)], axis=1)
    worst = privacy.approximate_delta(channel, 1e-300, pairs)
    assert worst == pytest.approx(m / n, abs=1e-12)


def test_the_subset_maximum_by_simulation():
    rng = np.random.default_rng(4)
    draws = rng.random((4000, 12)) * 0.8
    released = np.array([lb.subset_maximum(row, 5, rng=rng) for row in draws])
    errors = np.column_stack([0.8 - released, (0.8 - released) ** 2])
    risks = [lb.subset_maximum_risk(5, 0.8, power=power) for power in (1, 2)]
    laws.assert_mean(errors, risks)


@pytest.mark.parametrize("d", [2, 3, 5, 8])
def test_sphere_packings_are_as_large_as_promised(d):
    for s in (0.5, 0.9, 1.3):
        points = lb.sphere_packing(d, s, rng=d, candidates=4000)
        assert lb.separation(points) >= s * (1 - 1e-12)
        np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1)
        if d <= 3:  # few random candidates fill a small sphere
            assert len(points) >= np.floor(lb.sphere_packing_size(d, s))
    assert lb.sphere_packing_size(d, 0.5) >= 2**d


def test_sphere_caps_by_quadrature():
    for d, s in product([2, 3, 10, 40], [0.2, 0.5, 1.0, np.sqrt(2)]):
        phi = 2 * np.arcsin(s / 2)
        cap = integrate.quad(lambda t, d=d: np.sin(t) ** (d - 2), 0, phi)[0]
        whole = integrate.quad(lambda t, d=d: np.sin(t) ** (d - 2), 0, np.pi)[0]
        assert lb.sphere_packing_size(d, s) == pytest.approx(whole / cap, rel=1e-7)


def test_binary_packings_exist():
    for bits, h in ((4, 2), (6, 3), (8, 4)):
        kept = []
        for x in range(2**bits):
            if all((x ^ y).bit_count() >= h for y in kept):
                kept.append(x)
        promised = np.exp(lb.log_binary_packing_size(bits, h))
        assert len(kept) >= promised - 1e-9
        volume = sum(special.comb(bits, i) for i in range(h))
        assert promised == pytest.approx(2**bits / volume, rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_bump_energy_by_quadrature(d):
    area = 2 * np.pi ** (d / 2) / special.gamma(d / 2)
    whole = integrate.quad(lambda t: area * (0.3 - t) ** 2 * t ** (d - 1), 0, 0.3)[0]
    assert lb.bump_energy(d, 0.3) == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("d", [1, 2])
def test_density_floors_have_their_rates_and_stay_below_a_histogram(d):
    n = 10 ** np.arange(3, 9)
    none = np.array([lb.density_nonprivate(int(m), d) for m in n])
    dp = np.array([lb.density_dp(int(m), 0.1, d) for m in n])
    slope = np.polyfit(np.log(n[-4:]), np.log(none[-4:]), 1)[0]
    assert slope == pytest.approx(-2 / (d + 2), abs=0.05)
    slope = np.polyfit(np.log(n[-4:]), np.log(dp[-4:]), 1)[0]
    assert slope == pytest.approx(-2 / (d + 1), abs=0.08)
    bins = np.arange(1, 3000)[:, None] ** d
    bias = d / 12 * bins ** (-2.0 / d)
    assert np.all(none < (bias + bins / n).min(axis=0))
    assert np.all(dp < (bias + bins / n + 8 * bins**2 / (n * 0.1) ** 2).min(axis=0))


@pytest.mark.parametrize("epsilon", [1e-8, 0.3, 0.69, 0.7, 2.0, 30.0])
def test_extremal_channels_attain_the_contraction(epsilon):
    Q = lb.extremal_channel(epsilon)
    with mpmath.workdps(40):
        e = mpmath.exp(mpmath.mpf(epsilon))
        exact = max(1 / e, 2 / (e + 2)) * (e - 1) ** 2
    assert lb.local_contraction(epsilon) == pytest.approx(float(exact), rel=1e-13)
    value = ((Q[0] - Q[1]) ** 2 / Q[-1]).sum()
    assert value == pytest.approx(float(exact), rel=1e-7 if epsilon < 1e-6 else 1e-9)


@pytest.mark.parametrize("divergence", ["total variation", "kl", "chi square", "hellinger"])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_contraction_coefficients(divergence, epsilon):
    functions = {
        "total variation": divergences.total_variation,
        "kl": divergences.kl,
        "chi square": divergences.chi_square,
        "hellinger": divergences.squared_hellinger,
    }
    bound = lb.contraction_coefficient(epsilon, divergence)
    rng, f = np.random.default_rng(1), functions[divergence]
    from minimaxdp.randomized_response import Binary

    for _ in range(200):
        columns = np.exp(epsilon * rng.integers(0, 2, (3, 5))) * rng.dirichlet(np.ones(5))
        channel = columns / columns.sum(axis=1, keepdims=True)
        p, q = rng.dirichlet(np.ones(3), size=2)
        limit = lb.contraction_coefficient(privacy.pure_epsilon(channel) + 1e-12, divergence)
        assert f(p @ channel, q @ channel) <= limit * f(p, q) * (1 + 1e-9)
    near = np.array([[0.5 + 1e-4, 0.5 - 1e-4], [0.5, 0.5]])
    after = near @ Binary(epsilon).channel()
    assert f(*after) / f(*near) == pytest.approx(bound, rel=1e-3)


def test_hockey_stick_bounds_total_variation():
    from minimaxdp import privacy

    rng = np.random.default_rng(3)
    for _ in range(200):
        channel = rng.dirichlet(np.full(4, 0.5), size=2)
        delta = privacy.approximate_delta(channel, 0.8)
        bound = lb.contraction_coefficient(0.8, delta=min(delta, 1.0))
        assert divergences.total_variation(*channel) <= bound + 1e-12


BAD = [
    (lambda: lb.le_cam(-1.0, 0.5), ValueError, "loss"),
    (lambda: lb.le_cam(1.0, 1.5), ValueError, "distance"),
    (lambda: lb.le_cam_mixtures(1.0, [[0.5, 0.5]], [[1.0]]), ValueError, "outcomes"),
    (lambda: lb.le_cam_mixtures(1, [[1]], [[1]], weights=([0.5, 0.5], [1])), ValueError, "weights"),
    (lambda: lb.fano(-0.1, 3), ValueError, "information"),
    (lambda: lb.fano(0.1, 1), ValueError, "m"),
    (lambda: lb.assouad(1.0, 0.1, 0), ValueError, "d"),
    (lambda: lb.private_distance(3, 1.2, 0.1), ValueError, "alpha"),
    (lambda: lb.packing_error(3, 0.0, 1.0, 3), ValueError, "p"),
    (lambda: lb.packing_error(3, 0.5, 1.0, 1.5), ValueError, "m"),
    (lambda: lb.packing_error(3, 0.5, 0.0, 2), ValueError, "epsilon"),
    (lambda: lb.mean_dp(10, 1.5, 3), ValueError, "epsilon must be less than d/2"),
    (lambda: lb.mean_dp(10, 0.1, 3, delta=0.05), ValueError, "delta must be less than"),
    (lambda: lb.mean_dp(10, 0.1, 1), ValueError, "d"),
    (lambda: lb.mean_tv(10, 0.1, 1.5), ValueError, "k"),
    (lambda: lb.mean_tv(10, 0.1, np.nan), ValueError, "k"),
    (lambda: lb.mean_tv(10, 0.1, "2"), TypeError, "k"),
    (lambda: lb.mean_nonprivate(10, 0.0), ValueError, "r"),
    (lambda: lb.people_needed(0.1, 3, 2), ValueError, "k must be greater than 2"),
    (lambda: lb.tv_modulus(1.2), ValueError, "t"),
    (lambda: lb.support_tv(10, 0.0), ValueError, "alpha"),
    (lambda: lb.subset_maximum([0.1, 0.2], 3), ValueError, "m"),
    (lambda: lb.subset_maximum(0.1, 1), ValueError, "values"),
    (lambda: lb.subset_maximum_risk(3, power=3), ValueError, "power"),
    (lambda: lb.sphere_packing_size(1, 0.5), ValueError, "d"),
    (lambda: lb.sphere_packing(3, 3.0), ValueError, "distance"),
    (lambda: lb.separation([[1.0, 2.0]]), ValueError, "points"),
    (lambda: lb.log_binary_packing_size(4, 5), ValueError, "distance"),
    (lambda: lb.bump_energy(0, 1.0), ValueError, "d"),
    (lambda: lb.density_dp(0, 1.0), ValueError, "n"),
    (lambda: lb.contraction_coefficient(1.0, "renyi"), ValueError, "divergence"),
    (lambda: lb.contraction_coefficient(1.0, "kl", delta=0.1), ValueError, "delta"),
    (lambda: lb.classical_contraction(400.0), ValueError, "epsilon"),
    (lambda: lb.extremal_channel(-1.0), ValueError, "epsilon"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "name"), BAD)
def test_bad_input_is_named(call, error, name):
    with pytest.raises(error, match=name):
        call()
