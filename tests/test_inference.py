"""Tulap noise and the law of a released count: accuracy, privacy, inversion, sampling."""

from __future__ import annotations

import laws
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from minimaxdp.inference import (
    LaplaceRelease,
    Tulap,
    TulapRelease,
    interval,
    optimal_power,
    p_value,
    unbiased_region,
    unbiased_test,
)
from minimaxdp.inference._binomial import (
    SCALE,
    decayed_sums,
    exp_product,
    scaled_probabilities,
    windowed_sums,
)

exact = settings(derandomize=True, deadline=None, max_examples=30)
epsilons = st.floats(0.02, 8)


def tulap_tail(x, epsilon, delta=0.0):
    """The printed distribution function, in 60 digits."""
    b, d, x = mp.exp(-mp.mpf(epsilon)), mp.mpf(delta), mp.mpf(x)
    j, size = mp.nint(abs(x)), abs(x)
    tail = b**j / (1 + b) * (b + (j - size + mp.mpf(1) / 2) * (1 - b))
    tail = tail if x >= 0 else 1 - tail
    q = 2 * d * b / (1 - b + 2 * d * b)
    return min(mp.mpf(1), max(mp.mpf(0), (tail - q / 2) / (1 - q)))


def tails(z, n, theta, tail):
    """P(X + N >= z) and P(X + N <= z) term by term, in 60 digits."""
    theta, z = mp.mpf(theta), mp.mpf(z)
    p = (1 - theta) ** n
    upper = lower = mp.mpf(0)
    for x in range(n + 1):
        upper += p * tail(z - x)
        lower += p * tail(x - z)
        p = p * (n - x) / (x + 1) * theta / (1 - theta)
    return upper, lower


def error(found, wanted):
    return abs(float((mp.mpf(float(found)) - wanted) / wanted))


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(60):
        yield


@pytest.mark.parametrize("epsilon", [0.003, 0.1, 1.0, 3.7, 30.0])
@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-3, 0.4])
def test_tulap_tails_to_twelve_digits(epsilon, delta):
    noise = Tulap(epsilon, delta)
    for x in np.concatenate([[0.0, 0.5, -0.5, 2.5], np.linspace(-9.3, 650 / epsilon, 9)]):
        wanted = tulap_tail(x, epsilon, delta)
        # At the very end of the cut noise what is left is the rounding of x itself.
        if wanted > 1e-300 and abs(abs(x) - noise.reach) > 1e-3 * noise.reach:
            assert error(noise.sf(x), wanted) < 1e-12
            assert error(noise.cdf(-x), wanted) < 1e-12
            assert abs(noise.logsf(x) - float(mp.log(wanted))) < 1e-11 * max(1, abs(x) * epsilon)
    assert noise.sf(noise.reach + 1e-9) == 0 if delta else noise.sf(50 / epsilon) > 0


def test_logarithm_of_a_tail_that_underflows():
    assert np.isclose(Tulap(1.0).logsf(2000.0), -2000 - np.log1p(np.exp(-1)) + np.log(0.5 * (
        1 + np.exp(-1))), rtol=1e-15)  # fmt: skip
    assert Tulap(1.0).sf(2000.0) == 0


def excess(reach, epsilon):
    """The delta of Tulap noise cut at a given reach: what lies where one step ends it."""
    return (tulap_tail(reach - 1, epsilon) - tulap_tail(reach, epsilon)) / (
        1 - 2 * tulap_tail(reach, epsilon)
    )


@pytest.mark.parametrize("epsilon", [1e-150, 1e-12, 1e-8, 1e-3, 1.0, 30.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.2, 0.4, 0.5, 0.6, 0.99])
def test_the_guarantee_of_the_cut_law_keeps_its_digits(epsilon, delta):
    with mp.workdps(400):
        noise = Tulap(epsilon, delta)
        # Where the law falls steeply, the rounding of the reach itself shows.
        rounding = 1e-13 * delta if epsilon <= 1 else 4e-15
        assert abs(excess(mp.mpf(noise.reach), epsilon) - mp.mpf(delta)) < rounding
        drawn = noise.isf(1e-300)  # the largest value that can be drawn
        assert abs(drawn / noise.reach - 1) < 1e-15
        for p in (1e-9, 0.1, 0.3, 0.49):
            assert abs(tulap_tail(noise.isf(p), epsilon, delta) - p) < 1e-14
            assert noise.isf(1 - p) == pytest.approx(-noise.isf(p), rel=1e-7, abs=0)


def test_reaches_of_small_budgets():
    assert Tulap(1e-8, 0.5).reach == pytest.approx(1.0, rel=1e-15, abs=0)
    assert Tulap(1e-12, 0.2).reach == pytest.approx(2.5 - 2e-12, rel=1e-15, abs=0)
    # So much budget that q underflows: its logarithm does not.
    assert Tulap(700.0, 1e-300).q == 0 and Tulap(700.0, 1e-300).reach == 1.5


def variance_term_by_term(epsilon, delta):
    """Sum over the cells of the cut law, in long arithmetic."""
    epsilon, delta = mp.mpf(epsilon), mp.mpf(delta)
    b = mp.exp(-epsilon)
    level = mp.log((mp.expm1(epsilon) + 2 * delta) / (delta * (1 + b)))
    last = max(int(mp.ceil(level / epsilon)) - 1, 0)
    reach = last - mp.mpf(1) / 2 + (1 - mp.exp(epsilon * last - level)) / (1 - b)
    total = mass = mp.mpf(0)
    for j in range(-last, last + 1):
        low, high = max(j - mp.mpf(1) / 2, -reach), min(j + mp.mpf(1) / 2, reach)
        total += b ** abs(j) * (high**3 - low**3) / 3
        mass += b ** abs(j) * (high - low)
    return total / mass


@pytest.mark.parametrize("epsilon", [1e-150, 1e-9, 0.01, 0.7, 20.0])
@pytest.mark.parametrize("delta", [1e-3, 0.02, 0.2, 0.4, 0.9])
def test_variance_of_the_cut_law_is_its_sum(epsilon, delta):
    with mp.workdps(400):
        assert error(Tulap(epsilon, delta).variance, variance_term_by_term(epsilon, delta)) < 1e-14


def test_variance_of_a_wide_law_needs_no_table():
    # 1.7e9 cells, of which next to nothing is cut: the variance is that of Laplace noise.
    assert Tulap(1e-8, 1e-12).variance == pytest.approx(1.982083844514675e16, rel=1e-9, abs=0)
    assert Tulap(1e-8, 1e-40).variance == pytest.approx(2e16, rel=1e-12, abs=0)
    # delta far above epsilon: a uniform law of half width 1 / (2 delta).
    assert Tulap(1e-30, 1e-9).variance == pytest.approx((5e8) ** 2 / 3, rel=1e-8, abs=0)


def test_tails_far_beyond_every_double_of_cells():
    for noise in (Tulap(1.0), Tulap(1e-150), Tulap(1.0, 0.1), Tulap(700.0)):
        assert noise.sf([1e308, -1e308]).tolist() == [0, 1]
        assert noise.cdf([1e308, -1e308]).tolist() == [1, 0]
    assert Tulap(1.0).logsf([1e308, -1e308]).tolist() == [-1e308, 0]
    assert Tulap(1.0).pdf(1e308) == 0
    wide = Tulap(1e-20)
    assert wide.sf(1e20) == pytest.approx(np.exp(-1) / 2, rel=1e-14)
    for law in (TulapRelease(9, 0.3, 1e-20), LaplaceRelease(9, 0.3, 1e-20)):
        assert law.sf(1e20) == pytest.approx(np.exp(-1) / 2, rel=1e-14)
        np.testing.assert_allclose(law.sf([1e308, -1e308]), [0, 1], rtol=1e-15)
        np.testing.assert_allclose(law.cdf([1e308, -1e308]), [1, 0], rtol=1e-15)


@exact
@given(epsilon=epsilons, delta=st.sampled_from([0.0, 1e-6, 0.01, 0.3]), p=st.floats(1e-8, 1 - 1e-8))
def test_quantiles_invert_and_density_integrates(epsilon, delta, p):
    noise = Tulap(epsilon, delta)
    x = noise.quantile(p)
    assert np.isclose(noise.cdf(x), p, rtol=1e-10)
    assert np.isclose(noise.isf(p), -x)
    edges = np.arange(np.floor(abs(x)) + 1) + 0.5
    edges = np.concatenate([[0.0], edges[edges < abs(x)], [abs(x)]])
    area = (noise.pdf((edges[1:] + edges[:-1]) / 2) * np.diff(edges)).sum()
    assert np.isclose(0.5 + area, max(p, 1 - p), rtol=1e-9)


@exact
@given(epsilon=epsilons, delta=st.floats(0, 0.5))
def test_the_guarantee_is_exact(epsilon, delta):
    """The area by which the density exceeds e^epsilon times its shift is delta."""
    noise = Tulap(epsilon, delta)
    end = min(noise.reach, 40 / epsilon + 2)
    knots = np.concatenate([np.arange(-np.ceil(end) - 1, np.ceil(end) + 2) + 0.5, [end, -end]])
    knots = np.unique(np.concatenate([knots, [end + 1, 1 - end]]))
    middle, width = (knots[1:] + knots[:-1]) / 2, np.diff(knots)
    excess = noise.pdf(middle) - np.exp(epsilon) * noise.pdf(middle - 1)
    area = (np.maximum(excess * (1 - 1e-12), 0) * width).sum()
    assert abs(area - delta) < 1e-9


def test_parameters_of_the_slides():
    noise = Tulap(0.7, 0.01)
    again = Tulap.from_parameters(noise.b, noise.q)
    assert np.allclose([again.epsilon, again.delta], [0.7, 0.01], rtol=1e-14)
    assert np.isclose(noise.q, 2 * 0.01 * noise.b / (1 - noise.b + 2 * 0.01 * noise.b))
    assert np.isclose(noise.kept, 1 - noise.q, rtol=1e-15)


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.6])
def test_draws_have_the_law_and_the_variance(delta):
    noise = Tulap(0.8, delta)
    draws = noise.privatize(7, rng=1, size=40_000) - 7
    assert stats.kstest(draws, noise.cdf).pvalue > laws.ERROR_RATE
    laws.assert_mean(draws**2, noise.variance)
    assert abs(draws).max() <= noise.reach
    assert noise.privatize([1, 2, 3], rng=0).shape == (3,)


@pytest.mark.parametrize("n, theta", [(1, 0.3), (50, 1e-9), (300, 0.5), (300, 0.97), (4, 1 / 3)])
def test_binomial_probabilities_to_fourteen_digits(n, theta):
    found = scaled_probabilities(n, theta)
    for x in range(0, n + 1, max(1, n // 20)):
        wanted = mp.binomial(n, x) * mp.mpf(theta) ** x * (1 - mp.mpf(theta)) ** (n - x)
        if wanted > mp.mpf("1e-370"):
            assert error(found[x], wanted * mp.mpf(SCALE)) < 3e-14
    assert list(scaled_probabilities(2, 0.0) / SCALE) == [1, 0, 0]
    assert list(scaled_probabilities(2, 1.0) / SCALE) == [0, 0, 1]


@exact
@given(size=st.integers(1, 60), epsilon=st.floats(0.01, 400), width=st.integers(1, 80))
def test_geometric_sums_are_their_definition(size, epsilon, width):
    values = np.random.default_rng(size).random(size)
    k, x = np.arange(size + width - 1), np.arange(size)
    weights = np.where(k[:, None] >= x, np.exp(-epsilon * abs(k[:, None] - x)), 0)
    window = np.where(k[:, None] - x < width, weights, 0) @ values
    assert np.allclose(decayed_sums(values, epsilon), (weights @ values)[:size], rtol=1e-13)
    found = windowed_sums(values, epsilon, width)
    assert np.allclose(found, window, rtol=1e-13, atol=1e-290)


def test_product_inside_the_exponential_is_not_rounded():
    steps = np.array([6993.0, 12345.0, 69999.0])
    for found, step in zip(exp_product(0.01, steps), steps, strict=True):
        assert error(found, mp.exp(-mp.mpf(0.01) * step)) < 5e-16


WORLDS = [
    (1, 0.4, 1.0, 0.0),
    (30, 0.3, 1.0, 0.0),
    (200, 0.9, 0.1, 0.0),
    (500, 0.5, 0.01, 0.0),
    (400, 0.123, 5.0, 0.0),
    (30, 0.3, 1.0, 1e-3),
    (40, 0.2, 0.1, 1e-2),
    (40, 0.2, 0.5, 0.51),
    (50, 0.7, 2.0, 1e-12),
    (150, 0.4, 0.004, 1e-5),
]


@pytest.mark.parametrize("n, theta, epsilon, delta", WORLDS)
def test_p_values_to_thirteen_digits_in_both_tails(n, theta, epsilon, delta):
    law = TulapRelease(n, theta, epsilon, delta)
    rng = np.random.default_rng(n)
    z = np.append(rng.uniform(-8, n + 8, 10), [n + 3.0, 0.5, n + 600 / epsilon, -600 / epsilon])
    checked = 0
    for value in z:
        upper, lower = tails(value, n, theta, lambda x: tulap_tail(x, epsilon, delta))
        for found, wanted in ((law.sf(value), upper), (law.cdf(value), lower)):
            if wanted > 1e-300:
                assert error(found, wanted) < 1e-13
                checked += 1
            else:
                assert found <= 1.1e-300
    assert checked >= 14
    assert np.array_equal(law.sf([np.inf, -np.inf]), [0, 1])
    assert np.array_equal(law.cdf([np.inf, -np.inf]), [1, 0])


@pytest.mark.long
def test_p_values_to_thirteen_digits_at_a_hundred_thousand():
    """Against sums of positive terms, of the lattice law, in long arithmetic."""
    n, theta, epsilon = 100_000, 0.3, 0.1
    law = TulapRelease(n, theta, epsilon)
    mp.mp.dps = 30
    odds, b = mp.mpf(theta) / (1 - mp.mpf(theta)), mp.exp(-mp.mpf(epsilon))
    points = [30_500.3, 34_390.887, 36_144.9]
    totals, p = [mp.mpf(0)] * 3, (1 - mp.mpf(theta)) ** n
    powers = [b ** int(np.rint(z)) for z in points]
    for x in range(n + 1):
        for i, z in enumerate(points):
            k = int(np.rint(z))
            rest = mp.mpf(k) - mp.mpf(z) + mp.mpf(1) / 2
            if x <= k:
                totals[i] += p * powers[i] * (b + rest * (1 - b)) / (1 + b)
                powers[i] /= b
            elif x - k < 1_000:
                totals[i] += p * (1 - b ** (x - k) * (b + (1 - rest) * (1 - b)) / (1 + b))
            else:
                totals[i] += p
        p = p * (n - x) / (x + 1) * odds
    assert 1e-230 < totals[2] < 1e-200
    assert all(error(law.sf(z), w) < 1e-13 for z, w in zip(points, totals, strict=True))


@pytest.mark.parametrize("n, theta, epsilon", [(30, 0.3, 1.0), (200, 0.9, 0.1), (100, 0.02, 6.0)])
def test_laplace_release_to_thirteen_digits(n, theta, epsilon):
    law = LaplaceRelease(n, theta, epsilon)

    def tail(x):
        size = mp.exp(-abs(x) * mp.mpf(epsilon)) / 2
        return size if x >= 0 else 1 - size

    for z in [-3.7, 0.0, n * theta, n / 2 + 0.25, n - 0.5, float(n), n + 200 / epsilon]:
        upper, lower = tails(z, n, theta, tail)
        assert error(law.sf(z), upper) < 1e-13
        assert error(law.cdf(z), lower) < 1e-13


@exact
@given(
    n=st.integers(1, 80),
    theta=st.floats(0, 1),
    epsilon=epsilons,
    delta=st.sampled_from([0.0, 0.0, 1e-4, 0.2]),
    p=st.one_of(st.floats(1e-6, 1 - 1e-6), st.sampled_from([1e-200, 1e-30])),
)
def test_quantiles_of_a_release_invert_its_law(n, theta, epsilon, delta, p):
    release = [TulapRelease(n, theta, epsilon, delta)]
    if delta == 0:
        release.append(LaplaceRelease(n, theta, epsilon))
    elif p < 1e-6:
        return  # at the end of the cut noise, beyond the resolution of z
    for law in release:
        for tail, z, sign in ((law.sf, law.isf(p), 1), (law.cdf, law.quantile(p), -1)):
            step = 4e-14 * max(1, abs(z), n)  # the rounding of z
            assert tail(z + sign * step) * (1 - 1e-11) <= p <= tail(z - sign * step) * (1 + 1e-11)


def test_a_release_is_a_binomial_count_plus_noise():
    rng = np.random.default_rng(3)
    count = rng.binomial(40, 0.3, 20_000)
    for delta in (0.0, 0.05):
        released = Tulap(0.6, delta).privatize(count, rng=rng)
        law = TulapRelease(40, 0.3, 0.6, delta)
        assert stats.kstest(released, law.cdf).pvalue > laws.ERROR_RATE
        p = p_value(released, 40, 0.3, 0.6, delta)
        assert stats.kstest(p, "uniform").pvalue > laws.ERROR_RATE
    released = count + rng.laplace(scale=1 / 0.6, size=count.size)
    law = LaplaceRelease(40, 0.3, 0.6)
    assert stats.kstest(released, law.cdf).pvalue > laws.ERROR_RATE
    assert law == LaplaceRelease(40, 0.3, 0.6) != LaplaceRelease(40, 0.31, 0.6)


def test_mean_of_a_release_by_its_tails():
    law = TulapRelease(12, 0.4, 1.3)
    # Between half-integers the law is linear, so that trapezoids are exact.
    up = np.concatenate([[4.8], np.arange(5, 60) + 0.5])
    down = np.concatenate([np.arange(-50, 4) + 0.5, [4.5, 4.8]])
    above = np.trapezoid(law.sf(up), up)
    below = np.trapezoid(law.cdf(down), down)
    assert abs(above - below) < 1e-12
    assert np.isclose(law.probabilities().sum(), 1, rtol=1e-14)


def test_two_sided_tests_are_refused_where_doubles_cannot_balance_them() -> None:
    least = "^epsilon must be at least 1e-06, got 9e-07"
    for call in (unbiased_test, unbiased_region):
        with pytest.raises(ValueError, match=least):
            call(30, 0.3, 9e-7)
        # The ends scale with the noise: a unit budget's digits are those of all smaller ones.
        ends = np.array([call(30, 0.3, e) for e in (1e-6, 1e-5)]) * [[1e-6], [1e-5]]
        assert ends[0] == pytest.approx(ends[1], abs=2e-4)
    with pytest.raises(ValueError, match=least):
        interval(3.0, 30, 9e-7, method="unbiased")
    assert p_value(3.0, 30, 0.3, 1e-150) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="^alpha must be at least 1e-06"):
        optimal_power(0.7, 10, 0.5, 1.0, alpha=9e-7)
    power, phi = optimal_power(0.7, 10, 0.5, 1.0, alpha=1e-6)
    assert stats.binom.pmf(np.arange(11), 10, 0.5) @ phi == pytest.approx(1e-6, rel=1e-3)
    assert 1e-6 < power < 1e-4
