"""Two noisy counts, a noisy covariate, planning, and quantiles: each against a second route."""

from __future__ import annotations

from functools import cache

import laws
import numpy as np
import pytest
from scipy import integrate, stats

from minimaxdp import inference as inf

# --- two proportions -----------------------------------------------------------------------------


@cache
def direct_tail(d: float, n1: int, n2: int, theta1: float, theta2: float, epsilon: float) -> float:
    """P(D >= d) by a sum over both counts of a quadrature over the second noise."""
    a, b = 1 / (epsilon * n1), 1 / (epsilon * n2)
    total = 0.0
    for x1, p1 in enumerate(stats.binom.pmf(np.arange(n1 + 1), n1, theta1)):
        for x2, p2 in enumerate(stats.binom.pmf(np.arange(n2 + 1), n2, theta2)):
            t = d - x1 / n1 + x2 / n2

            def reached(v: float, t: float = t) -> float:
                return stats.laplace.pdf(v, scale=b) * stats.laplace.sf(t + v, scale=a)

            knots = sorted({-60 * b, min(max(-t, -60 * b), 60 * b), 0.0, 60 * b})
            pieces = [integrate.quad(reached, *ends, epsabs=1e-13)[0]
                      for ends in zip(knots, knots[1:], strict=False)]  # fmt: skip
            total += p1 * p2 * sum(pieces)
    return total


@pytest.mark.parametrize("n1, n2, theta1, theta2, epsilon, d", [
    (5, 5, 0.3, 0.3, 1.0, 0.2), (4, 7, 0.5, 0.5, 0.4, -0.3), (7, 3, 0.2, 0.6, 3.0, 0.05),
])  # fmt: skip
def test_the_law_of_a_difference_is_its_double_sum(n1, n2, theta1, theta2, epsilon, d):
    wanted = direct_tail(d, n1, n2, theta1, theta2, epsilon)
    test = inf.TwoSampleTest(d, n1, n2, epsilon)
    assert abs(test.p_value(theta1, theta2) - wanted) < 1e-9
    less = inf.TwoSampleTest(d, n1, n2, epsilon, "less").p_value(theta1, theta2)
    assert abs(less + wanted - 1) < 1e-9
    both = inf.TwoSampleTest(d, n1, n2, epsilon, "two-sided").p_value(theta1, theta2)
    ends = [direct_tail(abs(d), n1, n2, theta1, theta2, epsilon),
            direct_tail(-abs(d), n1, n2, theta1, theta2, epsilon)]  # fmt: skip
    assert abs(both - (1 + ends[0] - ends[1])) < 1e-9


@pytest.mark.parametrize("n1, n2, epsilon", [(60, 60, 0.3), (50, 90, 1.0)])
def test_p_values_of_two_samples_are_uniform_at_the_truth(n1, n2, epsilon):
    rng, runs, theta = np.random.default_rng(1), 2_000, 0.3
    first = rng.binomial(n1, theta, runs) + rng.laplace(scale=1 / epsilon, size=runs)
    second = rng.binomial(n2, theta, runs) + rng.laplace(scale=1 / epsilon, size=runs)
    p = [inf.TwoSampleTest(d, n1, n2, epsilon).p_value(theta)
         for d in first / n1 - second / n2]  # fmt: skip
    assert stats.kstest(p, "uniform").pvalue > laws.ERROR_RATE


def test_the_supremum_is_no_smaller_than_any_proportion_and_the_set_is_honest():
    test = inf.TwoSampleTest(0.05, 400, 300, 0.5)
    p, theta = test.supremum()
    assert abs(p - test.p_value(theta)) < 1e-12
    assert p >= max(test.p_value(t) for t in np.linspace(0, 1, 301)) - 1e-12
    # For smaller proportions the counts vary less, so that a set of them helps.
    released, n = [40.0, 8.0], [400, 300]
    whole = inf.two_sample_p_value(released, n, 0.5)
    near = inf.two_sample_p_value(released, n, 0.5, nuisance="confidence", share=1e-4)
    assert near < whole
    assert inf.two_sample_p_value([400.0, 0.0], n, 2.0, nuisance="confidence") == 1e-3
    assert inf.two_sample_p_value([-500.0, 900.0], n, 0.5) > 0.999
    assert inf.two_sample_p_value([9.0, 9.0], [20, 20], 1.0) == pytest.approx(0.5, abs=1e-12)
    swapped = inf.two_sample_p_value(released[::-1], n[::-1], 0.5, alternative="less")
    assert swapped == pytest.approx(whole, rel=1e-12)


def test_the_search_for_the_worst_proportion_is_close_to_a_bound_over_all_of_them():
    """Raising the first proportion and lowering the second can only raise the p-value."""
    test = inf.TwoSampleTest(0.12, 60, 40, 0.7)
    edges = np.sin(np.linspace(0, np.pi / 2, 1_001)) ** 2
    bound = max(test.p_value(b, a) for a, b in zip(edges, edges[1:], strict=False))
    found, _ = test.supremum()
    assert found <= bound <= found + 0.006


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("d, n1, n2, epsilon", [
    (0.12, 60, 40, 0.7), (0.3, 5, 3, 700.0), (-0.02, 17, 90, 5.0), (0.9, 200, 150, 0.3),
    (0.2, 1, 1, 3.0), (0.5, 2, 1, 9.0),
])  # fmt: skip
def test_no_proportion_of_an_interval_exceeds_its_supremum(d, n1, n2, epsilon, alternative):
    test = inf.TwoSampleTest(d, n1, n2, epsilon, alternative)
    for low, high in [(0.0, 1.0), (0.0, 0.3), (0.42, 0.43), (0.7, 1.0), (0.2, 0.2), (0.0, 0.0)]:
        p, theta = test.supremum(low, high)
        assert low <= theta <= high
        assert p == pytest.approx(test.p_value(theta), rel=1e-11)
        values = [test.p_value(t) for t in np.linspace(low, high, 201)]
        assert max(values) <= p * (1 + 1e-12)


def test_confidence_set_and_supremum_keep_the_size():
    """Simulated, error rate 1e-6 a setting: at the nominal 5 % neither rejects more often."""
    rng, runs, n, epsilon = np.random.default_rng(2), 150, [40, 60], 0.8
    for theta in (0.05, 0.5):
        counts = np.stack([rng.binomial(k, theta, runs) for k in n], axis=1)
        released = counts + rng.laplace(scale=1 / epsilon, size=counts.shape)
        for nuisance in ("supremum", "confidence"):
            small = sum(
                inf.two_sample_p_value(z, n, epsilon, nuisance=nuisance) <= 0.05 for z in released
            )
            assert stats.binom.sf(small - 1, runs, 0.05) > laws.ERROR_RATE


# --- a noisy covariate ---------------------------------------------------------------------------


def test_moments_of_a_noisy_covariate_are_exact():
    rng = np.random.default_rng(3)
    x = np.array([0.0, 1.0, 1.0, 3.0, 4.0, 5.0])
    y = np.array([2.0, 0.0, 1.0, 5.0, 3.0, 8.0])
    noise = rng.laplace(scale=1.5, size=(200_000, 6))  # variance 4.5
    w = x + noise - (x + noise).mean(axis=1, keepdims=True)
    products = np.stack([w @ (y - y.mean()), (w**2).sum(axis=1)], axis=1) / 5
    laws.assert_mean(products, [np.cov(x, y)[0, 1], x.var(ddof=1) + 4.5])
    slope = np.cov(x, y)[0, 1] / x.var(ddof=1)
    assert inf.corrected_slope(x, y, 0.0) == pytest.approx(slope, rel=1e-14)
    shrunk = np.cov(x, y)[0, 1] / (x.var(ddof=1) + 4.5)
    assert inf.attenuation(x.var(ddof=1), 4.5) * slope == pytest.approx(shrunk, rel=1e-14)
    assert inf.corrected_slope([1.0, 1.0], [0.0, 1.0], 0.0) == 0.0


def test_slope_intervals_cover_and_give_up_where_nothing_is_known():
    """Simulated with 2,000 runs, error rate 1e-6 against a coverage of 93 to 97 per cent."""
    rng, runs, m, s = np.random.default_rng(4), 2_000, 800, 2.0
    held = 0
    for _ in range(runs):
        x = rng.normal(size=m)
        y = 2 * x + rng.normal(size=m)
        low, high = inf.slope_interval(x + rng.laplace(size=m), y, s)
        held += low <= 2 <= high
    assert stats.binom.cdf(held, runs, 0.93) > laws.ERROR_RATE
    assert stats.binom.sf(held - 1, runs, 0.97) > laws.ERROR_RATE
    noise = rng.laplace(scale=50, size=200)
    assert inf.slope_interval(noise, rng.normal(size=200), 2 * 50**2) == (-np.inf, np.inf)
    low, high = inf.slope_interval([0.0, 1, 2, 3, 4], [0.1, 1, 2.1, 3, 3.9], 0.0)
    assert low < inf.corrected_slope([0.0, 1, 2, 3, 4], [0.1, 1, 2.1, 3, 3.9], 0.0) < high


# --- planning, and what a test does --------------------------------------------------------------


@pytest.mark.parametrize("theta0, theta1, epsilon, delta", [
    (0.3, 0.5, 0.5, 0.0), (0.5, 0.3, 1.0, 0.0), (0.1, 0.2, 0.3, 0.01), (0.2, 0.9, 5.0, 0.0),
])  # fmt: skip
def test_people_for_power_is_the_first_number_that_is_enough(theta0, theta1, epsilon, delta):
    n = inf.people_for_power(theta0, theta1, epsilon, delta)
    side = "greater" if theta1 > theta0 else "less"
    powers = [float(inf.one_sided_power(theta1, k, theta0, epsilon, delta, alternative=side))
              for k in range(1, n + 3)]  # fmt: skip
    assert powers[n - 1] >= 0.8 and all(p < 0.8 for p in powers[: n - 1])
    assert np.all(np.diff(powers) > -1e-12)  # another person never hurts


def test_an_open_survey_is_a_budget_of_seven_hundred():
    n = inf.people_for_power(0.3, 0.5, 700.0)

    def power(n: int) -> float:
        """Of the most powerful test, randomized at its edge."""
        c = stats.binom.isf(0.05, n, 0.3)
        share = (0.05 - stats.binom.sf(c, n, 0.3)) / stats.binom.pmf(c, n, 0.3)
        return stats.binom.sf(c, n, 0.5) + share * stats.binom.pmf(c, n, 0.5)

    assert power(n) >= 0.8 > power(n - 1)


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_what_an_optimal_test_does_with_each_count(delta):
    n, theta0, epsilon = 12, 0.4, 0.7
    setting = (n, theta0, epsilon, delta)
    null = stats.binom.pmf(np.arange(n + 1), n, theta0)
    for alternative in ("greater", "less", "unbiased", "distance"):
        phi = inf.critical_function(*setting, alternative=alternative)
        assert abs(null @ phi - 0.05) < 1e-12
        most = np.exp(epsilon) * phi + delta + 1e-12
        least = np.exp(epsilon) * (1 - phi) + delta + 1e-12
        assert np.all(phi[1:] <= most[:-1]) and np.all(phi[:-1] <= most[1:])
        assert np.all(1 - phi[1:] <= least[:-1]) and np.all(1 - phi[:-1] <= least[1:])
        if alternative in ("unbiased", "distance"):
            assert abs((np.arange(n + 1) - n * theta0) * null @ phi) < 1e-9
    best, programme = inf.optimal_power(0.7, *setting)
    phi = inf.critical_function(*setting)
    assert abs(stats.binom.pmf(np.arange(n + 1), n, 0.7) @ phi - best) < 1e-8
    assert np.allclose(phi, programme, atol=1e-5)


# --- unbiased intervals, many surveys at once, quantiles ------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("n, epsilon, delta", [(15, 0.5, 0.0), (40, 2.0, 0.0), (15, 0.5, 0.01)])
def test_unbiased_intervals_hold_what_their_test_does_not_reject(n, epsilon, delta):
    for z in (-3.0, 0.4, 6.3, n + 1.0):
        low, high = inf.interval(z, n, epsilon, delta, method="unbiased")
        assert 0 <= low <= high <= 1
        for theta in np.linspace(0.01, 0.99, 11):
            p = inf.p_value(z, n, theta, epsilon, delta, alternative="unbiased")
            if min(abs(theta - low), abs(theta - high)) > 1e-9:
                assert (low < theta < high) == (p > 0.05), (z, theta)
        mirrored = inf.interval(n - z, n, epsilon, delta, method="unbiased")
        assert np.allclose([low, high], [1 - mirrored[1], 1 - mirrored[0]], atol=1e-9)
    theta = np.array([0.01, 0.2, 0.5, 0.8])
    assert np.allclose(inf.coverage(theta, n, epsilon, delta, method="unbiased"), 0.95, atol=1e-9)
    start, end = inf.acceptance(0.2, n, epsilon, delta, method="unbiased")
    held = inf.interval([start + 1e-6, end + 1e-6], n, epsilon, delta, method="unbiased")
    assert held[0][0] < 0.2 < held[1][0] and held[0][1] > 0.2


def test_many_surveys_at_once_are_each_alone():
    z, n, e = np.array([3.2, 8.0, 41.0]), np.array([10, 25, 90]), np.array([[0.3], [2.0]])
    for alternative in ("greater", "less", "two-sided", "unbiased"):
        p = inf.p_value(z, n, 0.4, e, alternative=alternative)
        alone = [[inf.p_value(a, int(b), 0.4, float(c), alternative=alternative)
                  for a, b in zip(z, n, strict=True)] for c in e.ravel()]  # fmt: skip
        assert np.array_equal(p, alone)
    for method in inf.INTERVAL_METHODS:
        low, high = inf.interval(z, n, e, method=method)
        alone = [[inf.interval(a, int(b), float(c), method=method)
                  for a, b in zip(z, n, strict=True)] for c in e.ravel()]  # fmt: skip
        assert np.array_equal(np.stack([low, high], axis=-1), alone)
    bounds = inf.confidence_bound(z, n, 0.5, side="upper")
    assert bounds.shape == (3,) and bounds[0] == inf.confidence_bound(3.2, 10, 0.5, side="upper")


@pytest.mark.parametrize("form", ["beta", "rounded"])
def test_fiducial_quantiles_invert_the_law(form):
    p = np.array([[0.001], [0.025], [0.5], [0.9], [0.999]])
    z = np.array([-2.0, 0.3, 7.7, 21.0])
    found = inf.jimi_quantile(p, z, 20, 0.8, form=form)
    assert found.shape == (5, 4) and np.all(np.diff(found, axis=0) >= 0)
    inside = (found > 0) & (found < 1)
    law = inf.jimi_cdf(found, z, 20, 0.8, form=form)
    assert np.allclose(law[inside], np.broadcast_to(p, found.shape)[inside], atol=1e-10)
    assert np.all(inf.jimi_cdf(0.0, z, 20, 0.8, form=form) >= np.where(found == 0, p, 0))
    assert np.any(inside) and (form == "rounded" or not np.all(inside))
    low, high = inf.interval(7.7, 20, 0.8, method="jimi" if form == "beta" else "jimi-rounded")
    ends = inf.jimi_quantile([0.025, 0.975], 7.7, 20, 0.8, form=form)
    assert np.allclose(ends, [low, high], atol=1e-10)
    for selection in ("jeffreys", "uniform"):
        found = inf.fiducial_quantile(p, 3, 9, selection=selection)
        assert np.allclose(inf.fiducial_cdf(found, 3, 9, selection=selection), p, atol=1e-11)


def test_what_is_left_out_here_is_what_the_signature_says():
    z, n = [9.0, 5.0], [20, 30]
    assert inf.two_sample_p_value(z, n, 1.0) == inf.two_sample_p_value(
        z, n, 1.0, alternative="greater", nuisance="supremum"
    )
    given = {"nuisance": "confidence"}
    assert inf.two_sample_p_value(z, n, 1.0, **given) == inf.two_sample_p_value(
        z, n, 1.0, share=1e-3, **given
    )
    assert inf.TwoSampleTest(0.1, 9, 9, 1.0).supremum() == inf.TwoSampleTest(
        0.1, 9, 9, 1.0, "greater"
    ).supremum(0.0, 1.0)
    w, y = [0.0, 1.0, 2.0, 4.0], [0.0, 1.5, 1.7, 4.4]
    assert inf.slope_interval(w, y, 0.1) == inf.slope_interval(w, y, 0.1, level=0.95)
    assert inf.people_for_power(0.3, 0.6, 1.0) == inf.people_for_power(
        0.3, 0.6, 1.0, 0.0, alpha=0.05, power=0.8
    )
    assert np.array_equal(
        inf.critical_function(9, 0.3, 1.0),
        inf.critical_function(9, 0.3, 1.0, 0.0, alpha=0.05, alternative="greater"),
    )
    assert inf.jimi_quantile(0.3, 4.0, 9, 1.0) == inf.jimi_quantile(0.3, 4.0, 9, 1.0, form="beta")
    assert inf.fiducial_quantile(0.3, 4, 9) == inf.fiducial_quantile(
        0.3, 4, 9, selection="jeffreys"
    )


BAD = [
    (lambda: inf.p_value([1.0, 2.0], [10, 20, 30], 0.3, 1.0), ValueError, "must broadcast"),
    (lambda: inf.p_value(1.0, [10, -2], 0.3, 1.0), ValueError, "^n must be at least 1"),
    (lambda: inf.p_value(1.0, 10, 0.3, [1.0, np.nan]), ValueError, "^epsilon must be finite"),
    (lambda: inf.p_value(1.0, 9, 0.3, 1.0, alternative="unbiased", noise="laplace"), ValueError,
     "^alternative 'unbiased' needs Tulap noise"),
    (lambda: inf.interval(1.0, [10, 0], 1.0), ValueError, "^n must be at least 1"),
    (lambda: inf.interval(1.0, 10, 1.0, 0.1, method="laplace"), ValueError, "^delta must be 0 for"),
    (lambda: inf.interval(1.0, 10**9, 1.0, method="unbiased"), ValueError, "^n must leave arrays"),
    (lambda: inf.confidence_bound(1.0, 10, 1.0, method="unbiased"), ValueError, "^method must be"),
    (lambda: inf.critical_value(10, 0.5, 1.0, method="unbiased"), ValueError, "^method must be"),
    (lambda: inf.critical_function(10, 0.5, 1.0, alternative="x"), ValueError, "^alternative must"),
    (lambda: inf.critical_function(10, 0.0, 1.0, alternative="distance"), ValueError, "^theta0 "),
    (lambda: inf.critical_function(10, 1.5, 1.0), ValueError, "^theta0 must be at most 1, got 1.5"),
    (lambda: inf.people_for_power(0.3, 0.3, 1.0), ValueError, "^theta1 must differ from theta0"),
    (lambda: inf.people_for_power(0.3, 0.3001, 1e-6), ValueError, "^theta1 must be so far from"),
    (lambda: inf.people_for_power(0.3, 0.5, 1.0, power=0.05), ValueError, "^power must be greater"),
    (lambda: inf.TwoSampleTest(np.nan, 5, 5, 1.0), ValueError, "^difference must be finite"),
    (lambda: inf.TwoSampleTest(0.1, 0, 5, 1.0), ValueError, "^n1 must be at least 1"),
    (lambda: inf.TwoSampleTest(0.1, 5, 5, 1.0, "x"), ValueError, "^alternative must be one of"),
    (lambda: inf.TwoSampleTest(0.1, 10**6, 10**6, 1.0), ValueError, "^n1 and n2 must leave"),
    (lambda: inf.TwoSampleTest(0.1, 5, 5, 1.0).p_value(1.1), ValueError, "^theta1 must be at most"),
    (lambda: inf.TwoSampleTest(0.1, 5, 5, 1.0).p_value(1, -1), ValueError, "^theta2 must be at le"),
    (lambda: inf.TwoSampleTest(0.1, 5, 5, 1.0).supremum(0.5, 0.4), ValueError, "^high must be at"),
    (lambda: inf.two_sample_p_value([1.0], [5, 5], 1.0), ValueError, "^released must hold two"),
    (lambda: inf.two_sample_p_value([1.0, 2.0], [5], 1.0), ValueError, "^n must hold two numbers"),
    (lambda: inf.two_sample_p_value([1.0, np.nan], [5, 5], 1.0), ValueError, "^released must be f"),
    (lambda: inf.two_sample_p_value([1.0, 2], [5, -5], 1.0), ValueError, "^n must be at least 1"),
    (lambda: inf.two_sample_p_value([1.0, 2], [5, 5], 1.0, nuisance="x"), ValueError, "^nuisance"),
    (lambda: inf.two_sample_p_value([1.0, 2], [5, 5], 1.0, share=0.0), ValueError, "^share must b"),
    (lambda: inf.attenuation(0.0, 1.0), ValueError, "^variance must be greater than 0"),
    (lambda: inf.attenuation(1.0, -1.0), ValueError, "^noise_variance must be at least 0"),
    (lambda: inf.corrected_slope([1.0], [1.0], 0.0), ValueError, "^reports must be a vector of at"),
    (lambda: inf.corrected_slope([1.0, 2], [1.0, 2, 3], 0.0), ValueError, "^y must have as many"),
    (lambda: inf.slope_interval([1.0, 2], [1.0, np.nan], 0.0), ValueError, "^y must be finite"),
    (lambda: inf.slope_interval([1.0, 2], [1.0, 2], 0.0, level=1), ValueError, "^level must be le"),
    (lambda: inf.jimi_quantile(0.0, 3.0, 9, 1.0), ValueError, "^probability must be greater"),
    (lambda: inf.jimi_quantile([0.1, 0.2], [1.0, 2, 3], 9, 1.0), ValueError, "must broadcast"),
    (lambda: inf.fiducial_quantile(1.0, 3, 9), ValueError, "^probability must be less than 1"),
    (lambda: inf.fiducial_quantile(0.5, 10, 9), ValueError, "^count must be at most 9"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, message", BAD)
def test_bad_input_is_refused_by_name(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
