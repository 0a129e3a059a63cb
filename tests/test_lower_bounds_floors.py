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
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    GaussianDP,
    Local,
    NonPrivate,
    Pure,
    Smooth,
    TotalVariation,
)
from minimaxdp.lower_bounds import _densities
from minimaxdp.lower_bounds._sphere import longest_mean

property_test = settings(max_examples=40, deadline=None, derandomize=True)


def nonprivate(n):
    return lb.mean_floor(n, 1, NonPrivate())


def budget(epsilon, delta):
    return Approximate(epsilon, delta) if delta else Pure(epsilon)


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
    guarantee = TotalVariation(alpha)
    best = lb.minimax_channel(samples, 1 - np.eye(2), guarantee, pairs=pairs)
    separated = 1 - 2 * best.risk
    sharp, plain = (lb.private_distance(n, guarantee, tv, variant=v) for v in ("best", "paper"))
    assert plain == pytest.approx(min(1, n * alpha * tv), rel=1e-12)
    assert separated <= sharp + 1e-9 <= plain + 1e-9
    product_bound = 1 - (1 - tv) ** n
    assert sharp <= product_bound + 1e-12


def test_theorem_2_has_constant_one():
    # Disjoint laws and a channel that looks at a share of the records: equality at n alpha <= 1.
    for n, alpha in ((1, 0.3), (3, 0.2), (5, 0.2)):
        table, pairs = lb.histograms(2, n)
        samples = lb.histogram_laws(table, np.eye(2))
        guarantee = TotalVariation(alpha)
        best = lb.minimax_channel(samples, 1 - np.eye(2), guarantee, pairs=pairs)
        assert 1 - 2 * best.risk == pytest.approx(n * alpha, abs=1e-9)
        assert lb.private_distance(n, guarantee, 1.0) == pytest.approx(n * alpha, abs=1e-12)


@given(st.integers(1, 60), st.floats(0.001, 1), st.floats(0, 1))
@property_test
def test_private_distance_is_its_expectation(n, alpha, tv):
    b = np.arange(n + 1)
    brute = binom.pmf(b, n, tv) @ np.minimum(1, alpha * b)
    value = lb.private_distance(n, TotalVariation(alpha), tv)
    assert value == pytest.approx(brute, rel=1e-9, abs=1e-12)


def test_private_distance_for_many_people():
    value = lb.private_distance(10**9, TotalVariation(1e-9), np.array([1e-6, 0.5, 1.0]))
    np.testing.assert_allclose(value, [1e-6, 0.5, 1.0], rtol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("p", [0.3, 0.7, 1.0])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.4, 0.0), (1.2, 0.0), (0.5, 0.02)])
def test_theorem_3_against_the_exact_error(n, m, p, epsilon, delta):
    table, pairs = lb.histograms(m + 1, n)
    rows = np.column_stack([np.full(m, 1 - p), p * np.eye(m)])
    samples = lb.histogram_laws(table, rows)
    guarantee = budget(epsilon, delta)
    exact = lb.minimax_channel(samples, 1 - np.eye(m), guarantee, pairs=pairs).risk
    plain, sharp = (lb.packing_error(n, p, m, guarantee, variant=v) for v in ("paper", "best"))
    assert plain <= sharp + 1e-12 <= exact + 1e-9
    if p == 1.0 and delta == 0.0:
        assert sharp == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize(("n", "p", "epsilon", "m"), [(6, 0.4, 0.5, 9), (12, 0.1, 2.0, 40)])
def test_the_sharp_equation_is_solved(n, p, epsilon, m):
    b = np.arange(n + 1)
    mass, error = binom.pmf(b, n, p), lb.packing_error(n, p, m, Pure(epsilon))
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
    half, one = Pure(0.5), Pure(1.0)
    sharp = [lb.packing_error(n, 10 / n, 2.0**20, half) for n in (10**2, 10**4, 10**6, 10**8)]
    assert np.ptp(sharp) < 0.05 and 0.5 < min(sharp) < 1
    assert lb.packing_error(100, 0.5, 4, Approximate(1.0, 0.9)) == 0.0
    assert lb.packing_error(10, 0.5, 1e300, one) > 0.99
    assert lb.packing_error(9, 0.4, np.log(50), one, log=True) == pytest.approx(
        lb.packing_error(9, 0.4, 50, one), rel=1e-12
    )
    assert lb.packing_error(10**5, 1.0, 2e5, one, log=True) > 0.99


@pytest.mark.parametrize(
    ("n", "p", "c"), [(1, 0.3, 1), (7, 0.25, 2), (40, 0.5, 20), (1_000, 0.9, 900)]
)
@pytest.mark.parametrize("epsilon", [1e-3, 0.2, 1.5])
@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-4])
@pytest.mark.parametrize("m", [2, 5, 2.0**40])
def test_theorem_3_as_printed(n, p, c, epsilon, delta, m):
    # The formula term by term, at fifty digits.
    with mpmath.workdps(50):
        e = mpmath.exp(-mpmath.mpf(epsilon))
        leak = delta * (1 - e**c) / (1 - e)
        exact = (m - 1) * (e**c / 2 - leak) / (1 + (m - 1) * e**c)
        exact = float(max(exact, 0))
    guarantee = budget(epsilon, delta)
    value = lb.packing_error(n, p, m, guarantee, variant="paper")
    assert value == pytest.approx(exact, rel=1e-9, abs=1e-300)
    by_log = lb.packing_error(n, p, np.log(m), guarantee, variant="paper", log=True)
    assert by_log == pytest.approx(exact, rel=1e-9, abs=1e-300)


def test_theorem_3_as_printed_by_hand():
    # c = 2, e^-eps = 1/2 and m = 5: (4 (1/8 - 0.02 (1 + 1/2))) / (1 + 4/4).
    guarantee = Approximate(np.log(2), 0.02)
    assert lb.packing_error(4, 0.5, 5, guarantee, variant="paper") == pytest.approx(0.19, rel=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("n", "p", "m", "guarantee"),
    [
        (1_000, 0.9, 2.0, Approximate(1.0, 1e-6)),
        (100, 1.0, 4, Approximate(10.0, 1e-6)),
        (10**6, 0.001, 2.0, Approximate(1.0, 1e-6)),
    ],
)
def test_theorem_3_promises_nothing_where_its_formula_is_negative(n, p, m, guarantee):
    assert lb.packing_error(n, p, m, guarantee, variant="paper") == 0.0
    assert lb.packing_error(n, p, np.log(m), guarantee, variant="paper", log=True) == 0.0


def eq17(n, epsilon, d, k, delta):
    """The proof of Proposition 4, replayed without simplification."""
    room = d / 2 - epsilon
    if delta:
        room = min(room, np.log(-np.expm1(-epsilon) / (4 * delta * np.exp(epsilon))))
    p = min(1.0, room / (n * epsilon))
    error = lb.packing_error(n, p, 2.0**d, budget(epsilon, delta), variant="paper")
    return (p ** (1 - 1 / k) / 4) ** 2 * error


@pytest.mark.parametrize("n", [1, 10, 1000])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("d", [2, 7, 60])
@pytest.mark.parametrize("k", [2, 3, np.inf])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-3])
def test_proposition_4_keeps_what_its_proof_gives(n, epsilon, d, k, delta):
    guarantee = budget(epsilon, delta)
    value = lb.mean_floor(n, d, guarantee, k, variant="paper")
    assert value <= max(eq17(n, epsilon, d, k, delta), nonprivate(n)) * (1 + 1e-12)
    sharp = lb.mean_floor(n, d, guarantee, k, method="packing")
    assert sharp >= nonprivate(n)
    assert lb.mean_floor(n, d, guarantee, k) >= sharp


@pytest.mark.parametrize("n", [3, 40, 2000])
@pytest.mark.parametrize("alpha", [0.01, 0.2, 1.0])
@pytest.mark.parametrize("k", [2, 4, np.inf])
def test_proposition_2_and_its_sharpening(n, alpha, k):
    p = min(1, 1 / (2 * n * alpha))
    plain = p ** (2 - 2 / k) * (1 - min(1, n * alpha * p)) / 2
    guarantee = TotalVariation(alpha)
    value = lb.mean_floor(n, 1, guarantee, k, 3.0, variant="paper")
    if p < 1:
        assert value == pytest.approx(9 * max(plain, nonprivate(n)))
    else:  # there 1 - n alpha is replaced by one half
        assert value <= 9 * max(plain, nonprivate(n)) and value >= 9 / 4

    def bound(log_p):
        p = np.exp(log_p)
        return -(p ** (2 - 2 / k)) * (1 - lb.private_distance(n, guarantee, p))

    grid = np.linspace(np.log(1e-4 / n), 0, 4000)
    top = grid[np.argmin(bound(grid))]
    best = minimize_scalar(bound, bounds=(top - 0.01, min(top + 0.01, 0)), method="bounded")
    best = max(-best.fun, -bound(0.0), nonprivate(n))
    sharp = lb.mean_floor(n, 1, guarantee, k, method="le_cam")
    assert 0.998 * best <= sharp <= best * (1 + 1e-6)
    # Under Kullback-Leibler privacy the paper takes its level from Pinsker's inequality.
    through = lb.mean_floor(n, 1, KL(2 * alpha**2), k, 3.0, variant="paper")
    assert through == pytest.approx(value, rel=1e-12)
    # Two laws far apart need no second coordinate: le_cam does not see the dimension.
    assert lb.mean_floor(n, 50, guarantee, k, method="le_cam") == sharp


@pytest.mark.parametrize("n", [1, 30, 10**5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("k", [2, 3.5, np.inf])
def test_the_local_floor_is_optimal_over_p(n, epsilon, k):
    kappa = lb.hellinger_contraction(epsilon)
    p = np.geomspace(1e-5, 1, 20_000)
    h = np.minimum(kappa * p**2, 1 - 1e-12)
    brute = (p ** (2 - 2 / k) * np.exp(2 * n * np.log1p(-h))).max()
    value = lb.mean_floor(n, 1, Local(Pure(epsilon)), k, method="contraction")
    assert value == pytest.approx(max(brute, nonprivate(n)), rel=1e-5)


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


@pytest.mark.filterwarnings("error")
def test_crossovers_solve_their_equations():
    for epsilon, d, k, delta in product([0.05, 1.0], [3, 40], [2.5, 6, np.inf], [0.0, 1e-3]):
        n = lb.privacy_crossover_n(d, budget(epsilon, delta), k)
        size = min(d, -np.log(delta)) if delta else d
        assert (size / (n * epsilon)) ** (2 - 2 / k) == pytest.approx(1 / n, rel=1e-9)
    for n, k in product([10, 10**6], [2, 3, np.inf]):
        alpha = lb.privacy_crossover_level(n, k)
        assert (n * alpha) ** -(2 - 2 / k) == pytest.approx(1 / n, rel=1e-9)
    # Close to k = 2 no number of people is enough.
    assert lb.privacy_crossover_n(6, Pure(0.3), 2.001) == np.inf


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9, 7.0])
def test_proposition_3_is_its_maximum(load):
    n, alpha = 100, load / 100
    delta = np.linspace(0, 1, 100_001)
    guarantee = TotalVariation(alpha)
    paper = lb.endpoint_floor(n, guarantee, variant="paper")
    assert paper == pytest.approx((delta / 4 * (1 - load * delta)).max(), rel=1e-8)
    sharp = lb.endpoint_floor(n, guarantee)
    assert 2 * 0.999 * paper <= sharp
    brute = (delta[1:] / 2 * (1 - lb.private_distance(n, guarantee, delta[1:]))).max()
    # Joined with the bound without privacy.
    brute = max(brute, (delta / 2 * (1 - delta) ** n).max())
    assert 0.999 * brute <= sharp <= brute * (1 + 1e-6)
    closed = lb.endpoint_floor(n, guarantee, variant="closed")
    assert 2 * paper <= closed * (1 + 1e-12) and closed <= sharp * (1 + 1e-3)


@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_the_floor_of_an_end_without_privacy_is_its_maximum(n):
    # The laws on [0, 1] and [0, 1 - delta]: a sample shows the difference unless all of it fits.
    delta = np.linspace(0, 1, 200_001)
    brute = (delta / 2 * (1 - delta) ** n).max()
    assert lb.endpoint_floor(n, NonPrivate()) == pytest.approx(brute, rel=1e-6)
    m = np.unique(np.geomspace(1, n, 9).astype(int))
    assert np.all(lb.endpoint_floor(n, TotalVariation(m / n)) >= brute * (1 - 1e-6))


@pytest.mark.parametrize("n", [1, 30, 10**4])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_local_floor_of_an_end_is_near_the_best_of_its_bounds(n, epsilon):
    kappa, gap = lb.hellinger_contraction(epsilon), np.geomspace(1e-6, 1, 20_000)
    same = np.maximum(0.0, 1 - kappa * gap**2) ** (2 * n)
    brute = (gap / 2 * (1 - np.sqrt(1 - same))).max()
    closed = lb.endpoint_floor(n, Local(Pure(epsilon)), variant="closed")
    plain = lb.endpoint_floor(n, NonPrivate())
    assert 0.98 * max(brute, plain) <= closed <= max(brute, plain) * (1 + 1e-6)
    alone = lb.endpoint_floor(n, TotalVariation(np.tanh(epsilon / 2)))
    best = lb.endpoint_floor(n, Local(Pure(epsilon)))
    assert best == pytest.approx(max(closed, alone), rel=1e-12)


@pytest.mark.parametrize("n", [4, 50, 3000])
def test_the_subset_maximum_stays_above_the_floor(n):
    m = np.arange(1, n + 1)
    assert np.all(lb.subset_maximum_risk(m) >= lb.endpoint_floor(n, TotalVariation(m / n)))


@pytest.mark.parametrize(("n", "m"), [(4, 1), (4, 2), (5, 3), (5, 5)])
def test_the_subset_maximum_is_private(n, m):
    from itertools import combinations

    worlds, pairs = privacy.datasets(3, n)
    subsets = list(combinations(range(n), m))
    maxima = np.array([[max(world[i] for i in s) for s in subsets] for world in worlds])
    channel = np.stack([(maxima == v).mean(axis=1) for v in range(3)], axis=1)
    worst = privacy.privacy_profile(channel, 1e-300, pairs)
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
    pure = Pure(0.1)
    none = np.array([lb.density_floor(int(m), d, NonPrivate()) for m in n])
    # The private part alone: the larger of the two is the first one at these n.
    dp = np.array([_densities._private(int(m), d, pure) for m in n])
    both = [lb.density_floor(int(m), d, pure) for m in n[:2]]
    np.testing.assert_array_equal(both, np.maximum(none, dp)[:2])
    # A small budget costs more than few people do.
    assert lb.density_floor(10**4, d, Pure(1e-3)) > 1.2 * none[1]
    # What implies a pure budget has the floor of that budget, and local privacy does.
    for guarantee in (Smooth(0.05, 2.0), Local(pure)):
        assert lb.density_floor(1_000, d, guarantee) == both[0]
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
    bound = lb.contraction_coefficient(Local(Pure(epsilon)), divergence)
    rng, f = np.random.default_rng(1), functions[divergence]
    from minimaxdp.randomized_response import BinaryRR

    for _ in range(200):
        columns = np.exp(epsilon * rng.integers(0, 2, (3, 5))) * rng.dirichlet(np.ones(5))
        channel = columns / columns.sum(axis=1, keepdims=True)
        p, q = rng.dirichlet(np.ones(3), size=2)
        spent = Local(Pure(privacy.dp_epsilon(channel) + 1e-12))
        limit = lb.contraction_coefficient(spent, divergence)
        assert f(p @ channel, q @ channel) <= limit * f(p, q) * (1 + 1e-9)
    near = np.array([[0.5 + 1e-4, 0.5 - 1e-4], [0.5, 0.5]])
    after = near @ BinaryRR(epsilon).channel()
    assert f(*after) / f(*near) == pytest.approx(bound, rel=1e-3)


def test_hockey_stick_bounds_total_variation():
    rng = np.random.default_rng(3)
    for _ in range(200):
        channel = rng.dirichlet(np.full(4, 0.5), size=2)
        delta = privacy.privacy_profile(channel, 0.8)
        bound = lb.contraction_coefficient(Approximate(0.8, delta))
        assert divergences.total_variation(*channel) <= bound + 1e-12


# --- one function a problem, under any definition ------------------------------------------------


def test_a_mean_floor_is_the_best_of_its_methods():
    sharper = ("volume", "cap", "axes", "cube", "shannon", "signs")
    cases = {
        NonPrivate(): (),
        TotalVariation(0.03): ("le_cam", "assouad", "axes", "signs"),
        KL(0.02): ("le_cam", "assouad", "axes", "cube", "signs"),
        GaussianDP(0.2): ("le_cam", "assouad", "fano", "axes", "cube", "shannon", "signs"),
        ZCDP(0.02): ("le_cam", "assouad", "fano", "axes", "cube", "shannon", "signs"),
        Approximate(0.2, 1e-6): (
            "le_cam", "assouad", "packing", "axes", "cube", "population", "signs",
        ),
        Pure(0.2): ("le_cam", "assouad", "packing", "fano", *sharper),
        Smooth(0.2): ("le_cam", "assouad", "packing", "fano", *sharper),
        Local(Pure(0.2)): (
            "le_cam", "assouad", "packing", "fano", "contraction", "information", "sphere", "ball",
            "signs",
        ),
    }  # fmt: skip
    for (guarantee, allowed), (n, d, k) in product(
        cases.items(), [(3, 1, np.inf), (100, 7, 2), (5_000, 60, 4)]
    ):
        some = [m for m in allowed if d > 1 or m != "sphere"]
        parts = [lb.mean_floor(n, d, guarantee, k, method=method) for method in some]
        best = max([nonprivate(n), *parts])
        assert lb.mean_floor(n, d, guarantee, k) == pytest.approx(best, rel=1e-12), guarantee
        told = lb.mean_floors(n, d, guarantee, k)
        assert set(told) <= {"plain", *some} and list(told.values()) == sorted(told.values())[::-1]
        assert next(iter(told.values())) == pytest.approx(best, rel=1e-12)
        closed = lb.mean_floor(n, d, guarantee, k, variant="closed")
        assert nonprivate(n) <= closed <= best * (1 + 1e-9), guarantee
        for method in {"le_cam", "assouad", "packing", "fano", "contraction"} - set(allowed):
            with pytest.raises(ValueError, match=r"^method\b"):
                lb.mean_floor(n, d, guarantee, k, method=method)


@pytest.mark.parametrize("method", ["le_cam", "assouad", "packing", "fano"])
def test_a_floor_under_pure_privacy_uses_what_it_implies(method):
    implied = {
        "le_cam": TotalVariation, "assouad": TotalVariation, "packing": Pure, "fano": ZCDP
    }[method]  # fmt: skip
    pure = Pure(0.4)
    value = lb.mean_floor(50, 9, pure, 3, method=method)
    other = lb.mean_floor(50, 9, pure.implies(implied), 3, method=method)
    assert value == pytest.approx(other, rel=1e-12)


@pytest.mark.parametrize(
    ("guarantee", "method"),
    [
        (NonPrivate(), None),
        (TotalVariation(0.05), "le_cam"),
        (TotalVariation(0.05), "assouad"),
        (Pure(0.1), "packing"),
        (ZCDP(0.01), "fano"),
        (Local(Pure(0.5)), "contraction"),
        (Local(Pure(0.5)), None),
        (Pure(0.1), None),
    ],
    ids=str,
)
def test_a_mean_floor_scales_with_the_squared_radius(guarantee, method):
    for k in (2, 5, np.inf):
        one, three = (lb.mean_floor(200, 4, guarantee, k, r, method=method) for r in (1.0, 3.0))
        assert three == pytest.approx(9 * one, rel=1e-12)


@pytest.mark.parametrize("r", [0.5, 1.0, 7.0])
def test_the_local_floor_by_hand(r):
    # One axis, the best share: p = 1 while kappa <= 1/(2 n + 1), and the signs survive 2 n times.
    n, guarantee = 10, Local(Pure(0.2))
    kappa = lb.hellinger_contraction(0.2)
    by_hand = r**2 * (1 - kappa) ** (2 * n)
    value = lb.mean_floor(n, 1, guarantee, r=r, method="contraction")
    assert kappa < 1 / (2 * n + 1) and value == pytest.approx(by_hand, rel=1e-12)


def test_assouad_at_a_small_load_by_hand():
    # n alpha = 1/100: on one axis p = 1, and the sign is known with probability 1/100 at most.
    guarantee = TotalVariation(0.001)
    for k in (2, 4, np.inf):
        value = lb.mean_floor(10, 3, guarantee, k, method="assouad")
        assert value == pytest.approx(0.99, rel=1e-12)
    # One axis is still the best of three at 3/5; at 3/2 it is all three. The best p is 1.
    value = lb.mean_floor(10, 3, TotalVariation(0.06), method="assouad")
    assert value == pytest.approx(0.4, rel=1e-12)
    value = lb.mean_floor(10, 3, TotalVariation(0.15), method="assouad")
    assert value == pytest.approx((1 - 0.5) / 3, rel=1e-12)


def test_levels_broadcast_against_people():
    n, alpha = np.array([10, 1_000]), np.array([0.01, 0.1, 0.5])[:, None]
    for floor in (
        lambda n, a: lb.mean_floor(n, 3, TotalVariation(a), 4),
        lambda n, a: lb.multinomial_floor(n, 5, TotalVariation(a)),
        lambda n, a: lb.endpoint_floor(n, TotalVariation(a)),
        lambda n, a: lb.mean_floor(n, 3, Pure(a), 4),
        lambda n, a: lb.endpoint_floor(n, Local(Pure(a))),
    ):
        table = floor(n, alpha)
        assert table.shape == (3, 2)
        for i, j in product(range(3), range(2)):
            assert table[i, j] == pytest.approx(floor(int(n[j]), float(alpha[i, 0])), rel=1e-12)


TV, PURE, LOCAL = TotalVariation(0.1), Pure(0.1), Local(Pure(1.0))
BAD = [
    (lambda: lb.le_cam(-1.0, 0.5), ValueError, "loss"),
    (lambda: lb.le_cam(1.0, 1.5), ValueError, "distance"),
    (lambda: lb.le_cam_mixtures(1.0, [[0.5, 0.5]], [[1.0]]), ValueError, "first and second"),
    (lambda: lb.le_cam_mixtures(1, [[1]], [[1]], weights=([0.5, 0.5], [1])), ValueError, "weights"),
    (lambda: lb.fano(-0.1, 3), ValueError, "information"),
    (lambda: lb.fano(0.1, 1), ValueError, "m"),
    (lambda: lb.assouad(1.0, 0.1, 0), ValueError, "d"),
    (lambda: lb.private_distance(3, 0.2, 0.1), TypeError, "privacy"),
    (lambda: lb.private_distance(3, NonPrivate(), 0.1), ValueError, "target"),
    (lambda: lb.private_distance(3, TV, 1.1), ValueError, "distance"),
    (lambda: lb.private_distance(3, TV, 0.1, variant="sharp"), ValueError, "variant"),
    (lambda: lb.packing_error(3, 0.0, 3, PURE), ValueError, "p"),
    (lambda: lb.packing_error(3, 0.5, 1.5, PURE), ValueError, "m"),
    (lambda: lb.packing_error(3, 0.5, 2, Approximate(0.0, 0.1)), ValueError, "privacy"),
    (lambda: lb.packing_error(3, 0.5, 2, KL(0.1)), ValueError, "privacy"),
    (lambda: lb.packing_error(3, 0.5, 2, 0.1), TypeError, "privacy"),
    (lambda: lb.packing_error(3, 0.5, 2, PURE, variant="sharp"), ValueError, "variant"),
    (lambda: lb.packing_error(3, 0.5, 2, PURE, log=1), TypeError, "log"),
    (lambda: lb.mean_floor(10, 3, Pure(1.5), variant="paper"), ValueError,
     "epsilon must be less than d/2"),
    (lambda: lb.mean_floor(10, 3, Approximate(0.1, 0.05), variant="paper"), ValueError,
     "delta must be less than"),
    (lambda: lb.mean_floor(10, 3, Pure(np.array([0.5, 1.5])), variant="paper"), ValueError,
     "epsilon must be less than d/2"),
    (lambda: lb.mean_floor(10, 3, Approximate(0.1, np.array([0.0, 0.05])), variant="paper"),
     ValueError, "delta must be less than"),
    (lambda: lb.mean_floor(10, 1, PURE, variant="paper"), ValueError, "d"),
    (lambda: lb.mean_floor(10, 3, LOCAL, variant="paper"), ValueError, "variant"),
    (lambda: lb.mean_floor(10, 3, ZCDP(0.1), variant="paper"), ValueError, "variant"),
    (lambda: lb.mean_floor(10, 3, TV, variant="sharp"), ValueError, "variant"),
    (lambda: lb.mean_floor(10, 3, TV, method="van trees"), ValueError, "method"),
    (lambda: lb.mean_floor(10, 3, 0.1), TypeError, "privacy"),
    (lambda: lb.mean_floor(10, 1, TV, 1.5), ValueError, "k"),
    (lambda: lb.mean_floor(10, 1, TV, np.nan), ValueError, "k"),
    (lambda: lb.mean_floor(10, 1, TV, "2"), TypeError, "k"),
    (lambda: lb.mean_floor(10, 1, NonPrivate(), r=0.0), ValueError, "r"),
    (lambda: lb.mean_floor(0, 1, TV), ValueError, "n"),
    (lambda: lb.mean_floor(10, 0, TV), ValueError, "d"),
    (lambda: lb.privacy_crossover_n(3, PURE, 2), ValueError, "k must be greater than 2"),
    (lambda: lb.privacy_crossover_n(3, TV, 3), ValueError, "privacy"),
    (lambda: lb.privacy_crossover_n(0, PURE, 3), ValueError, "d"),
    (lambda: lb.tv_modulus(1.2), ValueError, "t"),
    (lambda: lb.endpoint_floor(10, 0.1), TypeError, "privacy"),
    (lambda: lb.endpoint_floor(0, TV), ValueError, "n"),
    (lambda: lb.endpoint_floor(10, TV, variant="sharp"), ValueError, "variant"),
    (lambda: lb.subset_maximum([0.1, 0.2], 3), ValueError, "m"),
    (lambda: lb.subset_maximum(0.1, 1), ValueError, "values"),
    (lambda: lb.subset_maximum_risk(3, power=3), ValueError, "power"),
    (lambda: lb.sphere_packing_size(1, 0.5), ValueError, "d"),
    (lambda: lb.sphere_packing(3, 3.0), ValueError, "distance"),
    (lambda: lb.separation([[1.0, 2.0]]), ValueError, "points"),
    (lambda: lb.log_binary_packing_size(4, 5), ValueError, "distance"),
    (lambda: lb.bump_energy(0, 1.0), ValueError, "d"),
    (lambda: lb.density_floor(0, 1, PURE), ValueError, "n"),
    (lambda: lb.density_floor(10, 0, PURE), ValueError, "d"),
    (lambda: lb.density_floor(10, 1, 0.1), TypeError, "privacy"),
    (lambda: lb.contraction_coefficient(LOCAL, "renyi"), ValueError, "divergence"),
    (lambda: lb.contraction_coefficient(1.0), TypeError, "privacy"),
    (lambda: lb.local_contraction(400.0, variant="paper"), ValueError, "epsilon"),
    (lambda: lb.extremal_channel(-1.0), ValueError, "epsilon"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "name"), BAD)
def test_bad_input_is_named(call, error, name):
    with pytest.raises(error, match=rf"^{name}"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: lb.contraction_coefficient(Approximate(1.0, 0.1), "kl"),
        lambda: lb.density_floor(10, 1, TV),
        lambda: lb.density_floor(10, 1, Approximate(1.0, 0.1)),
    ],
)
def test_what_a_definition_does_not_imply_is_said(call):
    with pytest.raises(ValueError, match="must follow from"):
        call()


@pytest.mark.parametrize("inner", [Approximate(0.01, 0.9), TotalVariation(0.9)], ids=str)
@pytest.mark.parametrize("variant", ["best", "closed"])
def test_reports_that_are_not_purely_private_may_tell_the_truth(inner, variant):
    # Who tells the truth with probability 0.9, and else nothing, keeps both: some 900 records.
    n, local = 1_000, Local(inner)
    assert lb.mean_floor(n, 1, local, variant=variant) <= 2 / n
    assert lb.endpoint_floor(n, local, variant=variant) <= 2 / n
    assert lb.multinomial_floor(n, 4, local, variant=variant) <= 2 / n


def test_approximate_privacy_without_an_epsilon_is_total_variation():
    for n, d, k in [(3, 1, np.inf), (50, 9, 3)]:
        value = lb.mean_floor(n, d, Approximate(0.0, 0.1), k)
        assert value == lb.mean_floor(n, d, TotalVariation(0.1), k)


@pytest.mark.parametrize(
    "call",
    [
        lambda: lb.mean_floor([1, 2], 3, TotalVariation([0.2, 0.3, 0.4])),
        lambda: lb.multinomial_floor([1, 2], [2, 3, 4], NonPrivate()),
        lambda: lb.multinomial_floor([1, 2], 3, TotalVariation([0.2, 0.3, 0.4])),
        lambda: lb.endpoint_floor([1, 2], TotalVariation([0.2, 0.3, 0.4])),
        lambda: lb.private_distance([1, 2], TotalVariation([0.2, 0.3, 0.4]), 0.1),
    ],
)
def test_shapes_that_do_not_fit_are_named(call):
    with pytest.raises(ValueError, match=r"^n and .* must broadcast"):
        call()


def test_more_categories_than_fit_into_memory_are_refused():
    with pytest.raises(ValueError, match=r"^d\b"):
        lb.multinomial_floor(10, 10**12, LOCAL)


@pytest.mark.filterwarnings("error")
def test_the_floor_of_an_end_has_no_warning_at_a_huge_budget():
    value = lb.endpoint_floor(10**9, Local(Pure(700.0)))
    assert value == pytest.approx(lb.endpoint_floor(10**9, NonPrivate()), rel=1e-12)


@pytest.mark.parametrize("d", [2, 5, 40, 1_000])
@pytest.mark.parametrize("k", [2, 4, np.inf])
def test_assouad_takes_the_best_number_of_axes(d, k):
    alpha, power = np.geomspace(1e-3, 1, 200), 2 - 2 / k
    load, axes = 100 * alpha[:, None], np.arange(1, d + 1)
    p = np.minimum(1, power * axes / ((power + 1) * load))
    brute = (p**power / axes * (1 - load * p / axes)).max(axis=1)
    value = lb.mean_floor(100, d, TotalVariation(alpha), k, method="assouad")
    np.testing.assert_allclose(value, np.maximum(brute, nonprivate(100)), rtol=1e-12)
    assert np.all(np.diff(value) <= 0)


@pytest.mark.parametrize("epsilon", [1e-20, 1e-100])
def test_the_least_budgets_are_as_good_as_none(epsilon):
    # A sum of signs under so much noise tells nothing: the prior's own risk is left.
    for n in (1, 10, 100):
        floors = lb.mean_floors(n, 3, Pure(epsilon))
        assert floors["signs"] == pytest.approx(1.0, rel=1e-9) and max(floors.values()) <= 1


def test_the_tracing_floor_vanishes_at_the_largest_budgets():
    floors = [lb.tracing_floor(10, 3, Approximate(e, 1e-12)) for e in (1.0, 20.0, 300.0, 600.0)]
    assert floors[0] > floors[1] > floors[2] >= floors[3] >= 0


def test_beyond_700_nats_a_mean_is_at_most_one():
    within, beyond = longest_mean(np.array([700.0, 700.5]), 10**6)
    assert within < 0.04 and beyond == 1.0
