"""Laplace noise at home: exact local privacy, clipping, and sums drawn without their terms."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import ERROR_RATE, assert_mean, assert_same_law
from scipy import stats

from minimaxdp.laplace import LocalLaplace, laplace_sum

property_test = settings(max_examples=50, deadline=None, derandomize=True)
ranges = st.tuples(st.floats(-1e3, 1e3), st.floats(1e-2, 1e3)).map(lambda r: (r[0], r[0] + r[1]))


@given(st.floats(1e-3, 50), ranges)
@property_test
def test_local_laplace_spends_exactly_epsilon(epsilon, interval):
    low, high = interval
    mechanism = LocalLaplace(epsilon, low, high)
    ends = mechanism.clip([low - 1e9, high + 1e9])
    reports = np.linspace(2 * low - high, 2 * high - low, 301)[:, None]
    ratio = np.diff(stats.laplace.logpdf(reports, ends, mechanism.scale), axis=1)
    # Reports and ends are rounded in units of 1e3, then divided by the scale.
    rounding = 1e-12 * (1 + epsilon) + 1e-12 / mechanism.scale
    assert abs(ratio).max() == pytest.approx(epsilon, abs=rounding)
    assert mechanism.noise_variance == pytest.approx(
        stats.laplace.var(0, mechanism.scale), rel=1e-14, abs=0
    )


@given(ranges, st.lists(st.floats(-3e3, 3e3), min_size=1, max_size=8))
@property_test
def test_clipping_goes_to_the_nearest_number_of_the_range(interval, values):
    low, high = interval
    clipped = LocalLaplace(1.0, low, high).clip(values)
    for value, inside in zip(values, clipped, strict=True):
        assert inside == (low if value < low else high if value > high else value)


def test_local_reports_are_laplace_around_the_clipped_number():
    mechanism = LocalLaplace(0.8, -1.0, 3.0)
    for value, centre in ((-50.0, -1.0), (0.3, 0.3), (1e6, 3.0)):
        reports = mechanism.privatize(np.full((30_000, 2), value), rng=6)
        for column in reports.T:
            assert stats.kstest(column, stats.laplace(centre, 4 / 0.8).cdf).pvalue > ERROR_RATE
        sums = 2 * centre + laplace_sum(2, 4 / 0.8, rng=7, size=30_000)
        assert_same_law(reports.sum(axis=1), sums)  # independent of each other


@pytest.mark.parametrize("data", [[0.4], [9.0, 0.0, -9.0], [-1.0, 0.0, 0.5, 1.5, 2.0, 7.0]])
def test_the_mean_of_reports_needs_only_the_mean_of_the_data(data):
    mechanism, repeats, n = LocalLaplace(1.5, -1.0, 2.0), 20_000, len(data)
    averaged = mechanism.privatize(np.tile(data, (repeats, 1)), rng=7).mean(axis=1)
    mean = mechanism.clip(data).mean()
    drawn = mechanism.privatize_mean(mean, n, rng=8, size=repeats)
    assert_same_law(averaged, drawn)
    assert_mean(drawn, mean)
    assert_mean((averaged - mean) ** 2, mechanism.variance(0.0, n))


def test_the_mean_of_reports_has_the_shape_asked_for():
    mechanism = LocalLaplace(1.0, 0.0, 1.0)
    assert isinstance(mechanism.privatize_mean(0.2, 10, rng=0), float)
    together = mechanism.privatize_mean([0.2, 0.3, 0.4], 10, rng=0)
    assert together.shape == (3,) and np.unique(together - [0.2, 0.3, 0.4]).size == 3
    assert mechanism.privatize_mean([0.2, 0.3, 0.4], 10, rng=0, size=(5, 3)).shape == (5, 3)


def test_a_mean_rounded_beyond_the_range_is_accepted():
    mechanism = LocalLaplace(1.0, -0.1, 0.1)
    for value in (-5.0, 5.0):
        mean = mechanism.clip([value] * 3).mean()
        assert abs(mean) > 0.1
        assert np.isfinite(mechanism.privatize_mean(mean, 3, rng=0))


def test_variance_of_the_mean_report():
    mechanism, n, p = LocalLaplace(2.0, -1.0, 3.0), 8, 0.3
    rng = np.random.default_rng(9)
    data = rng.choice([-4.0, 11.0], p=[1 - p, p], size=(50_000, n))  # clipped to the two ends
    means = mechanism.privatize(data, rng=rng).mean(axis=1)
    centre, spread = -1 + 4 * p, 16 * p * (1 - p)
    assert_mean((means - centre) ** 2, mechanism.variance(spread, n))
    np.testing.assert_allclose(mechanism.variance([0, 1], [[2], [4]]), [[4, 4.5], [2, 2.25]])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_laplace_sum_is_a_sum_of_laplaces(n):
    sums = np.random.default_rng(10).laplace(scale=1.7, size=(40_000, n)).sum(axis=1)
    drawn = laplace_sum(n, 1.7, rng=11, size=40_000)
    assert_same_law(sums, drawn)
    if n == 1:
        assert stats.kstest(drawn, stats.laplace(scale=1.7).cdf).pvalue > ERROR_RATE


def test_a_laplace_sum_of_a_billion():
    drawn = laplace_sum(10**9, 0.5, rng=12, size=50_000)
    assert_mean(drawn, 0.0)
    assert_mean(drawn**2, 2 * 10**9 * 0.5**2)


def test_laplace_sums_broadcast():
    n, scale = np.array([1, 10**4, 10**8]), np.array([[1.0], [1e6]])
    drawn = laplace_sum(n, scale, rng=0, size=(4_000, 2, 3))
    for i, j in product(range(2), range(3)):
        assert_mean(drawn[:, i, j] ** 2, 2 * n[j] * scale[i, 0] ** 2)
    assert laplace_sum(n, scale, rng=0).shape == (2, 3)
    assert isinstance(laplace_sum(3, rng=0), float)
