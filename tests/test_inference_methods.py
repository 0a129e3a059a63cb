"""Tests, intervals, fiducial laws and clipping: optimality, coverage, agreement of two routes."""

from __future__ import annotations

from fractions import Fraction

import laws
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import betainc

from minimaxdp import inference as inf

exact = settings(derandomize=True, deadline=None, max_examples=25)


@pytest.mark.parametrize("n, theta0, theta1, epsilon, delta", [
    (10, 0.5, 0.7, 1.0, 0.0),
    (12, 0.3, 0.5, 0.3, 0.0),
    (12, 0.05, 0.3, 2.0, 0.0),
    (10, 0.5, 0.7, 1.0, 0.01),
    (12, 0.3, 0.5, 0.3, 0.001),
    (12, 0.6, 0.9, 1.5, 0.2),
])  # fmt: skip
def test_optimal_tests_reach_the_linear_programme(n, theta0, theta1, epsilon, delta):
    best, phi = inf.optimal_power(theta1, n, theta0, epsilon, delta)
    assert abs(inf.one_sided_power(theta1, n, theta0, epsilon, delta) - best) < 1e-8
    # Nothing but the constraints is asked of the programme: check them on its answer.
    growth = np.exp(epsilon) * phi + delta + 1e-8
    assert np.all(phi[1:] <= growth[:-1]) and np.all(phi[:-1] <= growth[1:])
    best, _ = inf.optimal_power(theta1, n, theta0, epsilon, delta, unbiased=True)
    distance = inf.unbiased_power(theta1, n, theta0, epsilon, delta, release="distance")
    count = inf.unbiased_power(theta1, n, theta0, epsilon, delta)
    assert abs(distance - best) < 1e-8
    assert count <= best + 1e-8


@pytest.mark.long
@exact
@given(n=st.integers(1, 60), theta0=st.floats(0.05, 0.95), epsilon=st.floats(0.1, 5),
       delta=st.sampled_from([0.0, 0.01]))  # fmt: skip
def test_two_sided_tests_are_unbiased(n, theta0, epsilon, delta):
    low, high = inf.unbiased_region(n, theta0, epsilon, delta)
    step = 1e-5
    for release in ("count", "distance"):
        about = inf.unbiased_power(
            [theta0 - step, theta0, theta0 + step], n, theta0, epsilon, delta, release=release
        )
        assert abs(about[1] - 0.05) < 1e-9
        assert abs(about[2] - about[0]) / (2 * step) < 1e-5 * n
    p = inf.p_value([low, high], n, theta0, epsilon, delta, alternative="unbiased")
    assert np.allclose(p, 0.05, rtol=1e-6)


def test_p_values_of_all_alternatives_are_consistent():
    z = np.linspace(-20, 60, 81)
    p = {s: inf.p_value(z, 40, 0.4, 0.8, alternative=s)
         for s in ("greater", "less", "two-sided", "unbiased")}  # fmt: skip
    assert np.allclose(p["greater"] + p["less"], 1, rtol=1e-13)
    assert np.allclose(p["two-sided"], np.minimum(1, 2 * np.minimum(p["greater"], p["less"])))
    assert np.all(np.diff(p["greater"]) < 0) and np.all(p["unbiased"] <= 1)
    symmetric = inf.p_value([12.0, 28.0], 40, 0.5, 0.8, alternative="unbiased")
    doubled = inf.p_value([12.0, 28.0], 40, 0.5, 0.8, alternative="two-sided")
    assert np.allclose(symmetric, doubled, rtol=1e-9)  # at 1/2 the two tests agree
    assert inf.p_value(np.zeros((2, 3)), 5, 0.2, 1.0).shape == (2, 3)
    laplace = inf.p_value(30.0, 40, 0.4, 0.8, noise="laplace")
    assert laplace == inf.LaplaceRelease(40, 0.4, 0.8).sf(30.0)


def test_exact_sizes_of_the_approximate_tests():
    cases = [(30, 1.0, 0.5), (30, 1.0, 0.2), (30, 1.0, 0.95), (100, 1.0, 0.99), (30, 0.1, 0.5)]

    def size(method):
        return [inf.one_sided_power(t, n, t, e, method=method) for n, e, t in cases]

    assert np.allclose(size("jimi"), [0.05075, 0.05072, 0.05302, 0.05313, 0.05002], atol=5e-6)
    expected = [0.04959, 0.05387, 0.04073, 0.04194, 0.04856]
    assert np.allclose(size("normal"), expected, atol=5e-6)
    assert size("jimi-rounded")[2] == 0
    for method in ("tulap", "laplace"):
        assert np.allclose(size(method), 0.05, rtol=1e-12)


@pytest.mark.parametrize("method", inf.TEST_METHODS)
def test_exact_power_is_that_of_simulated_releases(method):
    rng = np.random.default_rng(5)
    n, theta0, theta, epsilon = 30, 0.3, 0.45, 0.9
    count = rng.binomial(n, theta, 200_000)
    if method == "tulap":
        released = inf.Tulap(epsilon).privatize(count, rng=rng)
    else:
        released = count + rng.laplace(scale=1 / epsilon, size=count.size)
    for alternative, sign in (("greater", 1), ("less", -1)):
        args = {"method": method, "alternative": alternative}
        z = inf.critical_value(n, theta0, epsilon, **args)
        laws.assert_mean(
            sign * released > sign * z, inf.one_sided_power(theta, n, theta0, epsilon, **args)
        )


@pytest.mark.parametrize("n", [10, 100, 1000])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_exact_intervals_cover_exactly_on_a_grid(n, epsilon):
    theta = np.array([0.001, 0.02, 0.1, 0.3, 0.5, 0.8, 0.99])
    for level in (0.8, 0.95):
        for method, delta in (("tulap", 0.0), ("laplace", 0.0), ("tulap", 1e-3)):
            covered = inf.coverage(theta, n, epsilon, delta, level=level, method=method)
            assert np.allclose(covered, level, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("method", inf.INTERVAL_METHODS)
@pytest.mark.parametrize("n, epsilon", [(8, 0.5), (40, 3.0)])
def test_coverage_by_the_intervals_themselves(method, n, epsilon):
    """Over a fine grid of releases, the set whose interval holds theta is the acceptance set."""
    theta = 0.37
    z = np.linspace(-6 / epsilon, n + 6 / epsilon, 41)
    low, high = inf.interval(z, n, epsilon, method=method)
    start, end = inf.acceptance(theta, n, epsilon, method=method)
    assert np.array_equal((low <= theta) & (theta <= high), (start <= z) & (z <= end))
    if method != "ignore":  # without the noise no proportion explains a release below 0
        assert np.all(np.diff(low) >= -1e-12) and np.all(np.diff(high) >= -1e-12)
    assert np.all((low >= 0) & (high <= 1) & (low <= high))


@pytest.mark.parametrize("method, delta", [("tulap", 0.0), ("tulap", 0.01), ("laplace", 0.0),
                                           ("jimi", 0.0), ("normal", 0.0)])  # fmt: skip
def test_ends_of_intervals_solve_their_equation(method, delta):
    z, n, epsilon = 13.7, 50, 0.7
    low, high = inf.interval(z, n, epsilon, delta, level=0.9, method=method)
    for theta, p in ((low, 0.05), (high, 0.95)):
        if method == "jimi":
            found = inf.jimi_cdf(theta, z, n, epsilon)
        elif method == "normal":
            found = inf.normal_p_value(z, n, theta, epsilon)
        else:
            found = inf.p_value(z, n, theta, epsilon, delta, noise=method)
        assert abs(found - p) < 1e-12
    bound = inf.confidence_bound(z, n, epsilon, delta, level=0.95, method=method)
    assert np.isclose(bound, low, rtol=1e-12)


def test_far_releases_get_the_nearest_end():
    for method in inf.INTERVAL_METHODS[:4]:
        low, high = inf.interval([-300.0, 400.0], 50, 0.7, method=method)
        assert (low[0], high[0]) == (0, 0) and (low[1], high[1]) == (1, 1), method
    low, high = inf.interval(-1.0, 50, 0.7)
    assert low == 0 < high < 0.2


@pytest.mark.long
@pytest.mark.parametrize(
    ("length", "n", "theta", "method"),
    [(0.25, 100, 0.5, "tulap"), (0.2, 300, 0.05, "laplace"), (0.5, 20, 0.0, "tulap")],
)
def test_a_budget_for_a_length_suffices_and_a_little_less_does_not(length, n, theta, method):
    found = inf.budget_for_length(length, n, theta, method=method)
    at = [inf.expected_length(theta, n, found * c, method=method, points=1_000) for c in (1, 0.99)]
    assert at[0] == pytest.approx(length, rel=2e-3) and at[1] > at[0]


def test_no_budget_makes_an_interval_shorter_than_sampling_does():
    assert inf.budget_for_length(0.01, 50) is None
    assert inf.budget_for_length(0.9999, 10**4) == 1e-4


@pytest.mark.long
def test_expected_length_is_the_average_length():
    rng = np.random.default_rng(6)
    count = rng.binomial(20, 0.25, 300)
    for method in ("tulap", "jimi", "normal"):
        released = count + rng.laplace(scale=1 / 1.2, size=count.size)
        if method == "tulap":
            released = inf.Tulap(1.2).privatize(count, rng=rng)
        low, high = inf.interval(released, 20, 1.2, method=method)
        laws.assert_mean(high - low, inf.expected_length(0.25, 20, 1.2, method=method))


@pytest.mark.parametrize("n, epsilon, z", [
    (5, 1.0, 2.2), (30, 0.1, -4.0), (30, 20.0, 29.7), (200, 1.0, 0.3), (1000, 0.5, 412.6),
])  # fmt: skip
def test_quadrature_of_the_fiducial_law(n, epsilon, z):
    theta = float(np.clip(z / n + 0.01, 0.003, 0.995))

    def density(t):
        return epsilon / 2 * np.exp(-epsilon * abs(t - z)) * betainc(
            t + 0.5, n - t + 0.5, theta)  # fmt: skip

    knots = np.unique(np.clip(np.concatenate([[0, z, n], z + np.linspace(-45, 45, 91) / epsilon,
                                              np.linspace(0, n, 41)]), 0, n))  # fmt: skip
    inside = sum(integrate.quad(density, a, b, epsabs=1e-15, epsrel=1e-12)[0]
                 for a, b in zip(knots, knots[1:], strict=False))  # fmt: skip
    wanted = inside + stats.laplace.cdf(-z * epsilon)
    assert abs(inf.jimi_cdf(theta, z, n, epsilon) - wanted) < 1e-11
    k = np.arange(n + 1)
    edge = stats.laplace.cdf((np.append(k[1:] - 0.5, np.inf) - z) * epsilon)
    weights = np.diff(np.append(0.0, edge))
    direct = weights @ betainc(k + 0.5, n - k + 0.5, theta)
    assert abs(inf.jimi_cdf(theta, z, n, epsilon, form="rounded") - direct) < 1e-13


@pytest.mark.parametrize("form", ["beta", "rounded"])
def test_draws_follow_the_exact_fiducial_law(form):
    draws = inf.jimi_draws(3.2, 20, 0.6, 40_000, form=form, rng=7)
    for theta in (0.001, 0.1, 0.3, 0.9):
        laws.assert_mean(draws <= theta, inf.jimi_cdf(theta, 3.2, 20, 0.6, form=form))
    assert (np.count_nonzero(draws == 0) > 0) == (form == "beta")
    if form == "beta":
        laws.assert_mean(draws == 0, inf.jimi_cdf(0.0, 3.2, 20, 0.6))


@exact
@given(n=st.integers(1, 12), k=st.integers(0, 12), seed=st.integers(0, 99))
def test_solutions_reproduce_the_count(n, k, seed):
    k = min(k, n)
    u = np.random.default_rng(seed).random((5, n))
    low, high = inf.solution_interval(u, k)
    for theta in (high, (low + high) / 2):
        assert np.all((u < theta[:, None]).sum(axis=1) == k)
    if k > 0:
        assert np.all((u < low[:, None]).sum(axis=1) == k - 1)


@pytest.mark.parametrize("k, n", [(0, 1), (1, 1), (0, 7), (2, 10), (9, 10), (10, 10)])
@pytest.mark.parametrize("selection", ["jeffreys", "uniform"])
def test_fiducial_law_without_privacy(k, n, selection):
    draws = inf.selection_draws(k, n, 40_000, selection=selection, rng=8)
    ends = [inf.fiducial_interval(k, n, level=a, selection=selection) for a in (0.2, 0.6, 0.9)]
    for theta in np.ravel(ends):
        value = inf.fiducial_cdf(theta, k, n, selection=selection)
        laws.assert_mean(draws <= theta, value)
        mirrored = 1 - inf.fiducial_cdf(1 - theta, n - k, n, selection=selection)
        assert abs(value - mirrored) < 1e-10
    assert inf.fiducial_cdf([0.0, 1.0], k, n, selection=selection).tolist() == [0, 1]
    low, high = inf.fiducial_interval(k, n, selection=selection)
    values = inf.fiducial_cdf([low, high], k, n, selection=selection)
    assert np.allclose(values, [0.025, 0.975], atol=1e-9)


def test_uniform_selection_has_its_own_mean_and_no_beta_law():
    n, k = 10, 2
    area = integrate.quad(lambda t: 1 - inf.fiducial_cdf(t, k, n, selection="uniform"), 0, 1)[0]
    assert abs(area - Fraction(2 * k + 1, 2 * n + 2)) < 1e-9
    gap = abs(inf.fiducial_cdf(0.2, k, n, selection="uniform") - stats.beta.cdf(0.2, k + 1, 9))
    assert gap > 0.02
    # One person, no event: the product of two uniform variables.
    t = 0.3
    assert abs(inf.fiducial_cdf(t, 0, 1, selection="uniform") - (t - t * np.log(t))) < 1e-12


def test_the_uniform_selection_is_known_for_many_people():
    for n in (1000, 10**6, 2**31):
        found = [
            inf.fiducial_cdf(0.3, 3 * n // 10, n, selection=s) for s in ("uniform", "jeffreys")
        ]
        assert abs(found[0] - found[1]) < 1 / n


def test_normal_approximation_converges_inside_and_not_at_the_edge():
    inside = [inf.normal_distance(n, 0.3, 1.0) for n in (50, 500, 5_000)]
    assert inside[0] > inside[1] > inside[2] and inside[2] < 0.001
    edge = [inf.normal_distance(n, 1 / n, 1.0) for n in (500, 20_000)]
    assert min(edge) > 0.03
    law = inf.LaplaceRelease(50, 0.3, 1.0)
    mean = (law.probabilities() * np.arange(51)).sum()
    assert np.isclose(mean, 15) and np.isclose(
        inf.release_variance(0.3, 50, 1.0) * 50**2, 50 * 0.21 + 2
    )


@pytest.mark.parametrize("n, theta, epsilon", [
    (10**6, 0.5, 0.3), (10**6, 0.5, 1.0), (10**6, 0.5, 3.0), (10**6, 0.3, 50.0),
    (10**6, 0.5, 700.0), (100, 0.5, 700.0), (20_000, 0.05, 1.0), (20_000, 0.5, 30.0),
])  # fmt: skip
def test_the_waves_of_the_lattice_are_part_of_the_distance(n, theta, epsilon):
    """Against many points about each count near the mean, where the waves are highest."""
    law = inf.LaplaceRelease(n, theta, epsilon)
    deviation = n * np.sqrt(inf.release_variance(theta, n, epsilon))
    beside = np.concatenate([np.linspace(0, 1, 401), *(s + np.geomspace(1e-4, 0.5, 99) * c
                             for s, c in ((0, 1), (1, -1)))])  # fmt: skip
    z = (np.rint(n * theta) + np.arange(-300, 300)[:, None] + beside).ravel()
    z = z[abs(z - n * theta) < 8 * deviation]
    fine = abs(law.cdf(z) - stats.norm.cdf((z - n * theta) / deviation)).max()
    found = inf.normal_distance(n, theta, epsilon)
    assert fine * (1 - 1e-3) <= found
    assert found <= fine * 1.02 or theta == 0.05  # skewness is largest further out


@pytest.mark.parametrize("n", [1, 2, 3, 10, 11, 100])
@pytest.mark.parametrize("epsilon, delta", [(0.3, 0.0), (1.0, 0.0), (30.0, 0.0), (1.0, 0.05)])
def test_unbiased_tests_of_one_half_are_symmetric(n, epsilon, delta):
    for alpha in (0.05, 0.55, 0.9, 0.99):
        low, high = inf.unbiased_region(n, 0.5, epsilon, delta, alpha=alpha)
        assert low == n - high
        law = inf.TulapRelease(n, 0.5, epsilon, delta)
        assert abs(law.cdf(low) + law.sf(high) - alpha) < 1e-11
        power = inf.unbiased_power([0.5, 0.3, 0.7], n, 0.5, epsilon, delta, alpha=alpha)
        assert abs(power[0] - alpha) < 1e-11 and abs(power[1] - power[2]) < 1e-11
    steps = np.arange(0, 4 * n + 1) / 4
    p = inf.p_value([n / 2 - steps, n / 2 + steps], n, 0.5, epsilon, delta, alternative="unbiased")
    assert np.array_equal(p[0], p[1]) and np.all(np.diff(p[0]) <= 0)
    assert p[0, 0] == pytest.approx(1.0, rel=1e-14)


def test_unbiased_tests_where_the_mode_is_a_plateau():
    low, high = inf.unbiased_region(10, 0.5, 1.0, alpha=0.9)
    assert (round(low, 9), round(high, 9)) == (4.750378956, 5.249621044)
    p = inf.p_value([4.6, 5.4], 10, 0.5, 1.0, alternative="unbiased")
    assert p[0] == p[1] == pytest.approx(0.8397571, abs=1e-7)
    # With 9 people at 0.3 the counts 2 and 3 are equally likely, and hardly any noise is added.
    for alpha in (0.05, 0.7, 0.9, 0.99):
        low, high = inf.unbiased_region(10, 0.3, 600.0, alpha=alpha)
        law, fewer = inf.TulapRelease(10, 0.3, 600.0), inf.TulapRelease(9, 0.3, 600.0)
        assert abs(law.cdf(low) + law.sf(high) - alpha) < 1e-11
        windows = [fewer.cdf(z) - fewer.cdf(z - 1) for z in (low, high)]
        assert abs(windows[0] - windows[1]) < 1e-12
        if alpha > 0.75:  # both ends are on the plateau from 2.5 to 3.5
            assert low + high == pytest.approx(6.0, abs=1e-12)
    p = inf.p_value(3 + np.linspace(-0.5, 0.5, 11), 10, 0.3, 600.0, alternative="unbiased")
    assert np.allclose(p, p[::-1], rtol=1e-12) and np.all(np.diff(p[:6]) > 0)


def test_optimal_distance_tests_of_any_size():
    for alpha in (0.05, 0.6, 0.9, 0.999):
        centre, margin = inf.unbiased_test(10, 0.5, 0.01, alpha=alpha)
        phi = inf.Tulap(0.01).sf(margin - abs(np.arange(11) - centre))
        assert abs(stats.binom.pmf(np.arange(11), 10, 0.5) @ phi - alpha) < 1e-12
        assert abs(centre - 5) < 1e-6


def test_far_releases_and_large_budgets_stay_finite():
    for method in inf.TEST_METHODS:
        for bound in inf.interval([1e308, -1e308, 1e200], 5, 700.0, method=method):
            # Moved to the nearest count, a far release is no farther than n.
            assert method == "jimi-rounded" or bound.tolist() == [1, 0, 1]
            assert np.all((bound >= 0) & (bound <= 1)) and bound[0] == bound[2]
        assert np.isfinite(inf.critical_value(5, 0.3, 700.0, method=method)) or "jimi" in method
    for side in ("greater", "less", "two-sided", "unbiased"):
        p = inf.p_value([1e308, -1e308], 5, 0.3, 700.0, alternative=side)
        assert np.all((p >= 0) & (p <= 1))
    assert inf.normal_p_value([1e308, -1e308], 5, 0.3, 700.0).tolist() == [0, 1]
    assert inf.jimi_cdf(0.3, [1e308, -1e308], 5, 700.0).tolist() == [0, 1]
    assert np.isfinite(inf.release_variance(0.3, 1, 1e-150))
    # At 700 nats the release is the count and its rounding, nothing else.
    law = inf.TulapRelease(3, 0.5, 700.0)
    assert law.sf(1.5) == pytest.approx(1 / 2, rel=1e-14)
    assert law.sf(2.75) == pytest.approx(1 / 8 * 3 / 4, rel=1e-14)


def test_what_is_left_out_is_what_the_signature_says():
    z, n, e = 13.7, 50, 0.7
    assert inf.p_value(z, n, 0.3, e) == inf.p_value(
        z, n, 0.3, e, 0.0, alternative="greater", noise="tulap"
    )
    given = {"level": 0.95, "method": "tulap"}
    assert inf.interval(z, n, e) == inf.interval(z, n, e, 0.0, **given)
    assert inf.acceptance(0.3, n, e) == inf.acceptance(0.3, n, e, 0.0, **given)
    assert inf.coverage(0.3, n, e) == inf.coverage(0.3, n, e, 0.0, **given)
    assert inf.confidence_bound(z, n, e) == inf.confidence_bound(
        z, n, e, 0.0, side="lower", **given
    )
    assert inf.expected_length(0.3, 9, e) == inf.expected_length(
        0.3, 9, e, 0.0, points=200, **given
    )
    tested = {"alpha": 0.05, "method": "tulap", "alternative": "greater"}
    assert inf.critical_value(n, 0.3, e) == inf.critical_value(n, 0.3, e, 0.0, **tested)
    assert inf.one_sided_power(0.4, n, 0.3, e) == inf.one_sided_power(0.4, n, 0.3, e, 0.0, **tested)
    assert inf.unbiased_region(n, 0.3, e) == inf.unbiased_region(n, 0.3, e, 0.0, alpha=0.05)
    assert inf.unbiased_test(9, 0.3, e) == inf.unbiased_test(9, 0.3, e, 0.0, alpha=0.05)
    assert inf.unbiased_power(0.4, 9, 0.3, e) == inf.unbiased_power(
        0.4, 9, 0.3, e, 0.0, alpha=0.05, release="count"
    )
    assert inf.optimal_power(0.4, 9, 0.3, e)[0] == inf.optimal_power(
        0.4, 9, 0.3, e, 0.0, alpha=0.05, unbiased=False
    )[0]  # fmt: skip
    assert inf.Tulap(e) == inf.Tulap(e, 0.0) == inf.Tulap.from_parameters(np.exp(-0.7))
    assert inf.TulapRelease(9, 0.3, e) == inf.TulapRelease(9, 0.3, e, 0.0)
    assert inf.jimi_cdf(0.3, z, n, e) == inf.jimi_cdf(0.3, z, n, e, form="beta")
    assert np.array_equal(inf.jimi_draws(z, n, e, 9, rng=0),
                          inf.jimi_draws(z, n, e, 9, form="beta", rng=0))  # fmt: skip
    assert inf.fiducial_interval(3, 9) == inf.fiducial_interval(
        3, 9, level=0.95, selection="jeffreys"
    )
    assert inf.fiducial_cdf(0.2, 3, 9) == inf.fiducial_cdf(0.2, 3, 9, selection="jeffreys")
    assert np.array_equal(inf.selection_draws(3, 9, 9, rng=0),
                          inf.selection_draws(3, 9, 9, selection="jeffreys", rng=0))  # fmt: skip
    assert inf.clipped_interval(1.0, 1.0, 9, 0, 1, e) == inf.clipped_interval(
        1.0, 1.0, 9, 0, 1, e, level=0.95
    )
    asked = []
    inf.match([1.0], lambda t: asked.append(1) or t, 0.0, 2.0)
    assert len(asked) == 50


def test_matching_solves_seed_by_seed():
    rng = np.random.default_rng(9)
    u = rng.random((300, 25))
    levels = stats.nbinom.cdf(np.arange(4), 0.6, 0.3)
    direct = np.minimum(stats.nbinom.ppf(u, 0.6, 0.3), 4).mean(axis=1)
    assert np.allclose(inf.threshold_mean(u, np.tile(levels, (300, 1))), direct, rtol=1e-13)

    def simulate(t):
        return inf.threshold_mean(u, stats.poisson.cdf(np.arange(4), t[:, None]))

    found = inf.match(np.full(300, 1.5), simulate, 1e-6, 20.0)
    assert np.all(simulate(found + 1e-9) >= 1.5) and np.all(simulate(found - 1e-9) < 1.5)
    assert inf.match([-1.0, 99.0], np.sqrt, 0.0, 4.0).round(9).tolist() == [0, 4]
    released = [inf.clipped_release([0, 1, 9], 0, 2, 0.5, rng=s) for s in range(4_000)]
    laws.assert_mean(released, 1.0)
    laws.assert_mean((np.array(released) - 1) ** 2, 2 * (2 / 1.5) ** 2)


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4), (2, 1, 3, 4)])
def test_solutions_of_many_draws_are_those_of_each(shape):
    u = np.random.default_rng(5).random(shape)
    for k in range(5):
        low, high = inf.solution_interval(u, k)
        assert np.shape(low) == np.shape(high) == shape[:-1]
        for place in np.ndindex(shape[:-1]):
            knots = [0.0, *sorted(u[place]), 1.0]
            assert (low[place], high[place]) == (knots[k], knots[k + 1])


BAD = [
    (lambda: inf.p_value(np.nan, 10, 0.3, 1.0), ValueError, "released must be finite, got nan"),
    (lambda: inf.p_value([1, np.inf], 10, 0.3, 1.0), ValueError, "released must be finite"),
    (lambda: inf.p_value("3", 10, 0.3, 1.0), TypeError, "released must be real numbers"),
    (lambda: inf.p_value(3.0, 0, 0.3, 1.0), ValueError, "n must be at least 1, got 0"),
    (lambda: inf.p_value(3.0, 10.0, 0.3, 1.0), TypeError, "n must be integers, got 10.0"),
    (lambda: inf.p_value([3.0, 4.0], [9] * 3, 0.3, 1.0), ValueError, "must broadcast"),
    (lambda: inf.p_value(3.0, 10, 1.2, 1.0), ValueError, "theta0 must be at most 1, got 1.2"),
    (lambda: inf.p_value(3.0, 10, np.nan, 1.0), ValueError, "theta0 must be finite, got nan"),
    (lambda: inf.p_value(3.0, 10, 0.3, 0.0), ValueError, "epsilon must be greater than 0"),
    (lambda: inf.p_value(3.0, 10, 0.3, 1.0, 1.0), ValueError, "delta must be less than 1"),
    (lambda: inf.p_value(3.0, 10, 0.3, 1.0, -0.1), ValueError, "delta must be at least 0"),
    (lambda: inf.p_value(3.0, 10, 0.3, 1.0, 0.1, noise="laplace"), ValueError, "delta must be 0"),
    (lambda: inf.p_value(3.0, 10, 0.3, 1.0, alternative="up"), ValueError, "alternative must be"),
    (lambda: inf.p_value(3.0, 10, 0.3, 1.0, noise="gauss"), ValueError, "noise must be one of"),
    (lambda: inf.p_value(3.0, 9, 0.0, 1.0, alternative="unbiased"), ValueError, "strictly between"),
    (lambda: inf.interval(np.nan, 10, 1.0), ValueError, "released must be finite"),
    (lambda: inf.interval(3.0, 10, 1.0, level=1.0), ValueError, "level must be less than 1"),
    (lambda: inf.interval(3.0, 10, 1.0, level=0), ValueError, "level must be greater than 0"),
    (lambda: inf.interval(3.0, 10, 1.0, method="exact"), ValueError, "method must be one of"),
    (lambda: inf.interval(3.0, 10, 1.0, 0.1, method="jimi"), ValueError, "delta must be 0 for"),
    (lambda: inf.confidence_bound(3.0, 10, 1.0, side="left"), ValueError, "side must be one of"),
    (lambda: inf.coverage(0.0, 10, 1.0), ValueError, "theta must be greater than 0"),
    (lambda: inf.expected_length(1.5, 10, 1.0), ValueError, "theta must be at most 1"),
    (lambda: inf.budget_for_length(1.0, 10), ValueError, "length must be less than 1"),
    (lambda: inf.budget_for_length(0.1, 10**6), ValueError, "n must be at most"),
    (lambda: inf.budget_for_length(0.1, 10, 1.5), ValueError, "theta must be at most 1"),
    (lambda: inf.budget_for_length(0.1, 10, method="ignore"), ValueError, "method must be"),
    (lambda: inf.expected_length(0.5, 10, 1.0, points=3), ValueError, "points must be at least"),
    (lambda: inf.one_sided_power(0.5, 10, -0.1, 1.0), ValueError, "theta0 must be at least 0"),
    (lambda: inf.one_sided_power(0.5, 10, 0.5, 1.0, alpha=2), ValueError, "alpha must be less"),
    (lambda: inf.critical_value(9, 0.5, 1.0, alternative="both"), ValueError, "alternative must"),
    (lambda: inf.unbiased_region(10, 1.0, 1.0), ValueError, "theta0 must be less than 1"),
    (lambda: inf.unbiased_test(10, 0.0, 1.0), ValueError, "theta0 must be greater than 0"),
    (lambda: inf.unbiased_power(0.5, 9, 0.5, 1.0, release="x"), ValueError, "release must be one"),
    (lambda: inf.optimal_power(1.1, 10, 0.5, 1.0), ValueError, "theta1 must be at most 1"),
    (lambda: inf.Tulap(np.inf), ValueError, "epsilon must be finite"),
    (lambda: inf.Tulap([1.0, 2.0]), ValueError, "epsilon must be a single number"),
    (lambda: inf.Tulap.from_parameters(1.0), ValueError, "b must be less than 1"),
    (lambda: inf.Tulap.from_parameters(0.5, 1.0), ValueError, "q must be less than 1"),
    (lambda: inf.Tulap(1.0).isf(0.0), ValueError, "probability must be greater than 0"),
    (lambda: inf.Tulap(1.0).sf(np.nan), ValueError, "x must be finite"),
    (lambda: inf.Tulap(1.0).privatize(1.5), TypeError, "count must be integers"),
    (lambda: inf.Tulap(1.0).privatize(-1), ValueError, "count must be at least 0"),
    (lambda: inf.TulapRelease(5, 0.5, 1.0).sf(np.nan), ValueError, "z must be finite, got nan"),
    (lambda: inf.jimi_cdf(2.0, 3.0, 10, 1.0), ValueError, "theta must be at most 1"),
    (lambda: inf.jimi_cdf(0.2, 3.0, 10, 1.0, form="x"), ValueError, "form must be one of"),
    (lambda: inf.jimi_draws(np.nan, 10, 1.0, 5), ValueError, "released must be finite"),
    (lambda: inf.jimi_draws(3.0, 10, 1.0, 0), ValueError, "size must be at least 1"),
    (lambda: inf.fiducial_cdf(0.5, 11, 10), ValueError, "count must be at most 10"),
    (lambda: inf.fiducial_interval(3, 10, selection="x"), ValueError, "selection must be one of"),
    (lambda: inf.selection_draws(3, 10, 2.5), TypeError, "size must be integers"),
    (lambda: inf.solution_interval(0.5, 0), ValueError, "uniforms must hold the seeds"),
    (lambda: inf.solution_interval([0.5, 1.5], 0), ValueError, "uniforms must be at most 1"),
    (lambda: inf.release_variance(0.5, 0, 1.0), ValueError, "n must be at least 1"),
    (lambda: inf.clipped_release([[1.0]], 0, 1, 1.0), ValueError, "data must be a vector"),
    (lambda: inf.clipped_release([1.0], 1, 1, 1.0), ValueError, "high must be greater than low"),
    (lambda: inf.clipped_interval(1, 0.0, 9, 0, 1, 1.0), ValueError, "deviation must be greater"),
    (lambda: inf.match([1.0], np.sum, 0, 1), ValueError, "simulate must return shape"),
    (lambda: inf.match([np.nan], np.sqrt, 0, 1), ValueError, "target must be finite"),
    (lambda: inf.threshold_mean([0.5], [0.5]), ValueError, "must be matrices"),
    (lambda: inf.match([1.0], None, 0, 1), TypeError, "^simulate must be callable, got None"),
    (lambda: inf.match([1.0], lambda t: t * np.nan, 0, 1), ValueError, "^simulate must return nu"),
    (lambda: inf.match([1.0], np.sqrt, 0, 1, steps=10**9), ValueError, "^steps must be at most"),
    (lambda: inf.Tulap(1e-151), ValueError, "^epsilon must be at least 1e-150"),
    (lambda: inf.Tulap.from_parameters(1e-320), ValueError, "^b must be at least"),
    (lambda: inf.Tulap.from_parameters(0.1, 0.9), ValueError, "^q must leave delta below 1, got q"),
    (lambda: inf.LaplaceRelease(5, 0.5, 1e-320), ValueError, "^epsilon must be at least 1e-150"),
    (lambda: inf.release_variance(0.5, 5, 1e-320), ValueError, "^epsilon must be at least 1e-150"),
    (lambda: inf.interval(3.0, 10, 1e-320, method="normal"), ValueError, "^epsilon must be at le"),
    (lambda: inf.jimi_cdf(0.3, 3.0, 10, 1e-320), ValueError, "^epsilon must be at least 1e-150"),
    (lambda: inf.jimi_draws(3.0, 10, 1e-320, 5), ValueError, "^epsilon must be at least 1e-150"),
    (lambda: inf.clipped_release([1.0], 0, 1, 1e-320), ValueError, "^.high - low. / .epsilon n. m"),
    (lambda: inf.clipped_release([1.0], -1e308, 1e308, 1.0), ValueError, "^.high - low. / .epsi"),
    (lambda: inf.clipped_release([1.0], 0, 1e-320, 700.0), ValueError, "^.high - low. / .epsi"),
    (lambda: inf.clipped_interval(1, 1e308, 9, 0, 1, 1.0), ValueError, "^deviation must be at mo"),
    (lambda: inf.clipped_interval(1, 1.0, 9, 0, 1e308, 1.0), ValueError, "^.high - low. / .eps"),
    # Too large for any memory: refused at once.
    (lambda: inf.TulapRelease(10**9, 0.5, 1.0), ValueError, "^n must leave arrays of at most 2 G"),
    (lambda: inf.TulapRelease(10, 0.5, 1e-12, 1e-11), ValueError, "^n and delta must leave arrays"),
    (lambda: inf.LaplaceRelease(10**12, 0.5, 1.0), ValueError, "^n must leave arrays of at most"),
    (lambda: inf.p_value(3.0, 10**9, 0.5, 1.0), ValueError, "^n must leave arrays of at most 2 G"),
    (lambda: inf.interval(3.0, 10**9, 1.0), ValueError, "^n must leave arrays of at most 2 GiB"),
    (lambda: inf.interval(3.0, 10**9, 1.0, method="jimi"), ValueError, "^n must leave arrays of"),
    (lambda: inf.coverage(0.3, 10**9, 1.0), ValueError, "^n must leave arrays of at most 2 GiB"),
    (lambda: inf.jimi_cdf(0.3, 3.0, 10**18, 1e-18), ValueError, "^n must leave arrays of at most"),
    (lambda: inf.jimi_cdf(0.3, 3.0, 10**9, 1.0, form="rounded"), ValueError, "^n must leave arr"),
    (lambda: inf.jimi_draws(3.0, 10, 1.0, 10**10), ValueError, "^size must leave arrays of at mo"),
    (lambda: inf.optimal_power(0.6, 10**5, 0.5, 1.0), ValueError, "^n must leave arrays of at mo"),
    (lambda: inf.selection_draws(3, 10, 10**9), ValueError, "^size and n must leave arrays of at"),
    (lambda: inf.expected_length(0.5, 10, 1.0, points=10**6), ValueError, "^points must be at mo"),
    (lambda: inf.Tulap(1.0).privatize(1, size=10**10), ValueError, "^size must leave arrays"),
    (lambda: inf.Tulap(1.0).privatize(1, size="x"), TypeError, "^size must be an integer or a tu"),
    (lambda: inf.Tulap(1.0).privatize([1, 2], size=3), ValueError, "^size must be a shape that"),
    (lambda: inf.Tulap(1.0).privatize(1, rng="abc"), TypeError, "^rng must be a Generator"),
    (lambda: inf.Tulap(1.0, 0.1).privatize(1, rng=-1), ValueError, "^rng must be a seed"),
    (lambda: inf.jimi_draws(3.0, 10, 1.0, 5, rng=1.5), TypeError, "^rng must be a Generator"),
    (lambda: inf.selection_draws(3, 10, 5, rng=True), TypeError, "^rng must be a Generator"),
    (lambda: inf.clipped_release([1.0], 0, 1, 1.0, rng=np.random), TypeError, "^rng must be a Ge"),
    (lambda: inf.optimal_power(0.6, 9, 0.5, 1.0, unbiased="no"), TypeError, "^unbiased must be T"),
    (lambda: inf.p_value(3.0, 9, 0.5, 1.0, noise=["tulap"]), TypeError, "^noise must be one of"),
    (lambda: inf.p_value(3.0, 9, 0.5, 1.0, "x", noise="laplace"), TypeError, "^delta must be real"),
    (lambda: inf.unbiased_region(9, [0.5], 1.0), ValueError, "^theta0 must be a single number"),
    (lambda: inf.normal_p_value(3.0, 9, [0.5, 0.6], 1.0), ValueError, "^theta0 must be a single"),
    (lambda: inf.TulapRelease(9, 0.5, 1.0).sf(np.ma.array([1.0, 9.0], mask=[0, 1])), TypeError,
     "^z must not be a masked array"),
    (lambda: inf.Tulap(701.0), ValueError, "^epsilon must be at most 700, got 701"),
    (lambda: inf.TulapRelease(9, 0.5, 701.0), ValueError, "^epsilon must be at most 700, got 701"),
    (lambda: inf.interval(3.0, 9, 701.0), ValueError, "^epsilon must be at most 700, got 701"),
    (lambda: inf.jimi_cdf(0.5, 3.0, 9, 701.0), ValueError, "^epsilon must be at most 700, got 701"),
    (lambda: inf.optimal_power(0.6, 9, 0.5, 701.0), ValueError, "^epsilon must be at most 700, "),
    (lambda: inf.release_variance(0.6, 9, 701.0), ValueError, "^epsilon must be at most 700, got"),
    (lambda: inf.clipped_release([1.0], 0, 1, 701.0), ValueError, "^epsilon must be at most 700"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, message", BAD)
def test_bad_input_is_refused_by_name(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("method", ["tulap", "laplace", "jimi"])
@pytest.mark.parametrize(("n", "epsilon"), [(1, 0.1), (10, 1.0), (1_000, 5.0)])
def test_one_sided_bounds_of_releases_far_out_are_the_ends(method, n, epsilon):
    far = np.array([-3 / epsilon, n + 3 / epsilon])
    for side in ("lower", "upper"):
        found = inf.confidence_bound(far, n, epsilon, side=side, method=method)
        assert np.array_equal(found, [0.0, 1.0]), side


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(5.0, 1e-307), (20.0, 1e-305), (700.0, 1e-10), (0.5, 1e-3), (1.0, 0.4)]
)
def test_tulap_noise_is_cut_where_the_probability_beyond_has_hardly_a_digit(epsilon, delta):
    with mp.workdps(60):
        e, d = mp.mpf(epsilon), mp.mpf(delta)
        q = 2 * d / (mp.expm1(e) + 2 * d)
        level = mp.log(2 / (q * (1 + mp.exp(-e)))) / e
        last = mp.ceil(level) - 1
        share = mp.expm1(-e * (level - last)) / mp.expm1(-e)
    assert inf.Tulap(epsilon, delta).cut() == (last, pytest.approx(float(share), rel=1e-12))
