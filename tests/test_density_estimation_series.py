"""Orthogonal series, the hypercube sampler, and kernels."""

from __future__ import annotations

from itertools import product
from math import comb

import mpmath
import numpy as np
import pytest
from laws import assert_frequencies, assert_mean, assert_same_law
from scipy import integrate

from minimaxdp import privacy
from minimaxdp.density_estimation import (
    GaussianMixture,
    PrivateSeries,
    best_bandwidth,
    best_truncation,
    boundary,
    coefficients,
    ellipsoid_norm,
    gaussian_kernel,
    harmonic,
    kernel_density,
    kernel_mise,
    ripple,
    series_risk,
    trigonometric,
)
from minimaxdp.hypercube import HypercubeMechanism

NORMAL = GaussianMixture([1.0], [0.0], [1.0])


def test_the_basis_is_orthonormal():
    x = (np.arange(1000) + 0.5) / 1000
    phi = np.column_stack([np.ones(1000), trigonometric(x, 8)])
    np.testing.assert_allclose(phi.T @ phi / 1000, np.eye(9), atol=1e-12)


def test_coefficients_of_known_densities():
    theta = coefficients(ripple(0.6, waves=2), 6)
    np.testing.assert_allclose(theta, [0, 0, 0.6 / np.sqrt(2), 0, 0, 0], atol=1e-12)
    f = boundary(3.0)
    first = integrate.quad(lambda x: f.pdf(x) * np.sqrt(2) * np.sin(2 * np.pi * x), 0, 1)[0]
    assert coefficients(f, 2)[1] == pytest.approx(first, rel=1e-10)
    assert 1 + (coefficients(f, 400) ** 2).sum() == pytest.approx(f.squared_integral, rel=2e-2)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_hypercube_sampler_is_exactly_private_and_unbiased(d, epsilon):
    cube = HypercubeMechanism(epsilon, d, 1.5)
    channel = cube.channel()
    np.testing.assert_allclose(channel.sum(axis=1), 1)
    found = privacy.dp_epsilon(channel)
    assert found <= epsilon * (1 + 1e-12)
    assert found == pytest.approx(epsilon, rel=1e-9)  # opposite corners attain it
    corners = np.array(list(product([-1, 1], repeat=d)))
    np.testing.assert_allclose(cube.magnitude * channel @ corners, 1.5 * corners, atol=1e-9)


@pytest.mark.parametrize("d", [3, 4, 5, 6])
def test_ties_in_both_halves_break_the_promise_in_even_dimensions(d):
    epsilon, corners = 1.0, np.array(list(product([-1, 1], repeat=d)))
    inner = corners @ corners.T
    told = 1 / (1 + np.exp(-epsilon))
    halves = [(inner >= 0), (inner <= 0)]
    channel = sum(
        weight * half / half.sum(axis=1, keepdims=True)
        for weight, half in zip((told, 1 - told), halves, strict=True)
    )
    spent = privacy.dp_epsilon(channel)
    expected = epsilon if d % 2 else np.log1p(np.exp(epsilon))
    assert spent == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("d", [1, 2, 5, 50, 1001])
def test_the_magnitude_to_many_digits(d):
    with mpmath.workdps(40):
        mean = (
            sum(mpmath.mpf(comb(d, i)) * abs(d - 2 * i) for i in range(d + 1)) / mpmath.mpf(2) ** d
        )
        exact = d / mean * mpmath.coth(mpmath.mpf(1) / 2000)
    assert HypercubeMechanism(0.001, d).magnitude == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize("d", [3, 4])
def test_draws_follow_the_channel(d):
    cube = HypercubeMechanism(1.3, d)
    corner = np.ones((40_000, d))
    signs = cube.privatize(corner, rng=1) > 0
    code = signs @ 2 ** np.arange(d)[::-1]
    observed = np.bincount(code, minlength=2**d)
    assert_frequencies(observed, cube.channel()[-1])
    inside = np.tile(np.linspace(-0.8, 0.9, d), (40_000, 1))
    assert_mean(cube.privatize(inside, rng=2), inside[0])


@pytest.mark.parametrize("k", [3, 4])
def test_series_risk_agrees_with_simulation(k):
    f, n, series = boundary(), 40, PrivateSeries(1.5, k)
    theta = coefficients(f, k)
    tail = f.squared_integral - 1 - (theta**2).sum()
    rng = np.random.default_rng(3)
    found = np.array([series.release(f.sample(n, rng=rng), rng=rng) for _ in range(3_000)])
    assert_mean(found, theta)
    assert_mean(((found - theta) ** 2).sum(axis=1) + tail, series.risk(theta, n, tail=tail))
    grid = np.linspace(0, 1, 2001)
    assert integrate.trapezoid(series.density(found[0], grid), grid) == pytest.approx(1)


def _rounded_exactly(k):
    """The law of the rounded corner under an exponential density, to 25 digits."""
    with mpmath.workdps(25):

        def phi(j, x):
            wave = mpmath.cos if j % 2 else mpmath.sin
            return wave(2 * mpmath.pi * ((j + 1) // 2) * x)

        def integral(v):
            def inside(x):
                told = [(1 + v[j - 1] * phi(j, x)) / 2 for j in range(1, k + 1)]
                return 3 * mpmath.exp(-3 * x) / (1 - mpmath.exp(-3)) * mpmath.fprod(told)

            return float(mpmath.quad(inside, mpmath.linspace(0, 1, 9)))

        return np.array([integral(v) for v in product([-1, 1], repeat=k)])


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_law_of_a_report_to_twelve_digits(k):
    series = PrivateSeries(0.9, k)
    expected = _rounded_exactly(k) @ series.cube.channel()
    np.testing.assert_allclose(series.report_law(boundary(3.0)), expected, rtol=1e-12)


@pytest.mark.parametrize("k", [5, 8, 13])
def test_the_law_of_a_report_has_the_right_means(k):
    series, f = PrivateSeries(0.4, k), boundary(2.0)
    law = series.report_law(f)
    bits = 2 * ((np.arange(2**k)[:, None] >> np.arange(k)[::-1]) & 1) - 1
    np.testing.assert_allclose(series.cube.magnitude * law @ bits, coefficients(f, k), atol=1e-11)
    # Every report keeps a probability of at least a share exp(-epsilon) of the largest.
    assert law.min() * np.exp(0.4) >= law.max() * (1 - 1e-9) and law.min() > 0


@pytest.mark.parametrize("k", [3, 4])
def test_the_shortcut_draws_from_the_law_of_the_records(k):
    f, n, series = boundary(), 60, PrivateSeries(1.5, k)
    rng = np.random.default_rng(6)
    slow = np.array([series.release(f.sample(n, rng=rng), rng=rng) for _ in range(3_000)])
    fast = series.simulate(f, n, rng=7, size=3_000)
    for j in range(k):  # reports are discrete: the same small numbers on both sides
        assert_same_law(slow[:, j].round(9), fast[:, j].round(9))
    assert_same_law((slow**2).sum(axis=1).round(9), (fast**2).sum(axis=1).round(9))
    # The joint law of one person's report, corner by corner.
    one = series.simulate(f, 1, rng=8, size=20_000) > 0
    observed = np.bincount(one @ 2 ** np.arange(k)[::-1], minlength=2**k)
    assert_frequencies(observed, series.report_law(f))


@pytest.mark.parametrize("k, n", [(3, 10), (5, 10**6), (7, 10**12)])
def test_the_shortcut_has_the_exact_risk(k, n):
    f, series = harmonic(k, 0.3), PrivateSeries(1.0, k)
    theta = coefficients(f, k)
    found = series.simulate(f, n, rng=9, size=4_000)
    assert_mean(found, theta)
    assert_mean(((found - theta) ** 2).sum(axis=1), series.risk(theta, n))


@pytest.mark.parametrize("j", [1, 2, 5, 8])
def test_a_harmonic_has_one_coefficient(j):
    f = harmonic(j, -0.4)
    np.testing.assert_allclose(coefficients(f, 9), -0.4 * (np.arange(1, 10) == j), atol=1e-13)
    x = np.linspace(0, 1, 2**12 + 1)
    running = integrate.cumulative_simpson(f.pdf(x), x=x, initial=0)
    np.testing.assert_allclose(f.cdf(x), running, atol=1e-9)
    assert f.squared_integral == pytest.approx(1.16) and f.pdf(x).max() <= f.maximum + 1e-12


def test_series_risk_without_privacy():
    f, n, k = boundary(), 50, 4
    theta = coefficients(f, k)
    x = f.sample(n * 4_000, rng=4).reshape(4_000, n)
    found = trigonometric(x, k).mean(axis=1)
    assert_mean(((found - theta) ** 2).sum(axis=1), series_risk(n, theta, None))


@pytest.mark.parametrize(
    "n, epsilon, beta",
    [(10**5, None, 2.0), (10**5, 0.3, 2.0), (10**5, 2.0, 2.0), (1, 1e-3, 2.0), (10**12, 1.0, 3.0)]
    # An even level is best for a few people.
    + [(2_500, 1.0, 2.0), (600, 1.0, 1.0), (10_000, 0.5, 2.0), (20_000, 1.0, 3.0)],
)
def test_best_truncation_is_best_and_attained(n, epsilon, beta):
    k, bound = best_truncation(n, epsilon, beta=beta)
    levels = range(2, 4 * k + 8, 2) if epsilon is None else range(1, 4 * k + 8)
    values = [(j + 1.0) ** (-2 * beta) + series_risk(n, np.zeros(j), epsilon) for j in levels]
    assert min(values) == pytest.approx(bound) and list(levels)[int(np.argmin(values))] == k
    theta = np.zeros(k + 1)
    theta[k] = (k + 1.0) ** -beta
    assert ellipsoid_norm(theta, beta) == pytest.approx(1.0)
    tail = theta[k] ** 2
    assert series_risk(n, theta[:k], epsilon, tail=tail) == pytest.approx(bound)


@pytest.mark.parametrize("epsilon", [None, 1.0])
@pytest.mark.parametrize(("n", "norm"), [(3, 1e4), (10**4, 100.0), (10**9, 1e-3)])
def test_the_best_level_is_found_in_a_large_and_a_small_ellipsoid(n, norm, epsilon):
    k, bound = best_truncation(n, epsilon, norm=norm)
    levels = range(2, 4 * k + 8, 2) if epsilon is None else range(1, 4 * k + 8)
    risks = [norm**2 * (j + 1.0) ** -4 + series_risk(n, np.zeros(j), epsilon) for j in levels]
    assert min(risks) == pytest.approx(bound) and levels[int(np.argmin(risks))] == k


def test_an_even_level_can_be_best():
    k, bound = best_truncation(2_500, 1.0)
    assert k == 2 and bound == pytest.approx(0.0423, abs=5e-5)
    for odd in (1, 3):
        assert series_risk(2_500, np.zeros(odd), 1.0, tail=(odd + 1.0) ** -4) > 1.15 * bound


@pytest.mark.parametrize("order", [2, 4, 6])
def test_kernels_have_their_order(order):
    def moment(j):
        return integrate.quad(lambda u: u**j * gaussian_kernel(u, order), -15, 15)[0]

    assert moment(0) == pytest.approx(1)
    assert all(abs(moment(j)) < 1e-8 for j in range(1, order))
    assert abs(moment(order)) > 0.5


@pytest.mark.parametrize("order", [2, 4])
def test_kernel_risk_by_quadrature(order):
    mixture, h, n = GaussianMixture([0.4, 0.6], [-1.0, 0.7], [0.5, 0.3]), 0.4, 50
    x = np.linspace(-8, 8, 2001)
    f, step = mixture.pdf(x), x[1] - x[0]
    k = gaussian_kernel((x[:, None] - x) / h, order) / h
    mean, square = k @ f * step, k**2 @ f * step
    risk = ((mean - f) ** 2 + (square - mean**2) / n).sum() * step
    assert kernel_mise(mixture, h, n, order) == pytest.approx(risk, rel=1e-9)


def test_kernel_risk_in_two_dimensions_by_simulation():
    mixture = GaussianMixture([0.5, 0.5], [[0.0, 0.0], [1.0, 0.5]], [[1.0, 0.7], [0.6, 0.9]])
    h, n = 0.6, 20
    axis = np.linspace(-6, 6, 41)
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    f, cell = mixture.pdf(points), (axis[1] - axis[0]) ** 2
    rng = np.random.default_rng(5)
    losses = [
        ((kernel_density(points, mixture.sample(n, rng=rng), h) - f) ** 2).sum() * cell
        for _ in range(300)
    ]
    assert_mean(losses, kernel_mise(mixture, h, n))


@pytest.mark.parametrize("order", [2, 4, 20])
def test_kernels_vanish_far_out(order):
    far = np.array([41.0, 1e15, 1e100, 1e308])
    np.testing.assert_array_equal(gaussian_kernel(np.append(far, -far), order), 0)
    assert kernel_density([0.0, 1e308], [0.0, -1e308], 1e-9, order)[1] == 0
    assert NORMAL.pdf([1e308]) == 0
    assert GaussianMixture([1.0], [0.0], [1e-150]).pdf([1e308]) == 0


@pytest.mark.parametrize("order", [2, 4, 20])
def test_the_risk_of_a_kernel_at_the_ends_of_its_range(order):
    limit = min(1e150, 10.0 ** (300 / (2 * order - 3)))
    whole = 1 / (2 * np.sqrt(np.pi))  # the integral of the squared density
    wide, narrow = kernel_mise(NORMAL, np.array([limit, 1 / limit]) * [0.999, 1.001], 5, order)
    assert wide == pytest.approx(whole, rel=1e-6) and np.isfinite(narrow)
    # Components that are far apart do not see each other.
    apart = GaussianMixture([0.5, 0.5], [0.0, 1e100], [1.0, 1.0])
    one, two = (kernel_mise(mixture, 0.5, 10**18, order) for mixture in (NORMAL, apart))
    # Of integrals of about one third, which cancel.
    assert two == pytest.approx(one / 2, rel=1e-6, abs=1e-16)


def test_best_bandwidth_is_best():
    mixture = GaussianMixture([1.0], [[0.0, 0.0]], [[1.0, 2.0]])
    h, risk = best_bandwidth(mixture, 500)
    grid = h * np.linspace(0.5, 2, 1001)
    assert risk <= kernel_mise(mixture, grid, 500).min() * (1 + 1e-9)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: HypercubeMechanism(0.0, 3), "epsilon"),
        (lambda: HypercubeMechanism(1.0, 0), "d"),
        (lambda: HypercubeMechanism(1.0, 3, -1.0), "radius"),
        (lambda: HypercubeMechanism(1.0, 11).channel(), "d"),
        (lambda: HypercubeMechanism(1.0, 3).privatize([[0.0, 0.0, 1.5]]), "vectors"),
        (lambda: HypercubeMechanism(1.0, 3).privatize([0.0, 0.0, 0.0]), "vectors"),
        (lambda: PrivateSeries(1.0, 3).release([0.2, 1.2]), "data"),
        (lambda: PrivateSeries(1.0, 3).release([[0.2]]), "data"),
        (lambda: PrivateSeries(1.0, 21).report_law(boundary()), "k"),
        (lambda: PrivateSeries(1.0, 3).simulate(boundary(), 0), "n"),
        (lambda: PrivateSeries(1.0, 3).simulate(boundary(), 5, size=0), "size"),
        (lambda: harmonic(0, 0.1), "j"),
        (lambda: harmonic(1, 0.8), "coefficient"),
        (lambda: trigonometric(0.5, 0), "k"),
        (lambda: series_risk(5, [0.1], None), "theta"),
        (lambda: best_truncation(0, 1.0), "n"),
        (lambda: best_truncation(10, 1.0, beta=-1.0), "beta"),
        (lambda: PrivateSeries(1e-320, 3), "epsilon must be at least"),
        (lambda: PrivateSeries(1.0, 3).density([np.nan, 0, 0], [0.5]), "theta must be finite"),
        (lambda: PrivateSeries(1.0, 3).density([0.0, 0.0], [0.5]), "theta must hold 3"),
        (lambda: PrivateSeries(1.0, 3).density(0.0, [0.5]), "theta must hold 3"),
        (lambda: PrivateSeries(1.0, 3).risk(0.5, 10), "theta must hold"),
        (lambda: PrivateSeries(1.0, 3).report_law(0.5), "density must be a Density"),
        (lambda: PrivateSeries(1.0, 3).simulate(0.5, 10), "density must be a Density"),
        (lambda: PrivateSeries(1.0, 3).simulate(boundary(), 5, rng="a"), "rng must be"),
        (lambda: PrivateSeries(1.0, 3).simulate(boundary(), 5, size=10**9), "size must leave"),
        (lambda: PrivateSeries(1.0, 3).release([0.2], rng=1.5), "rng must be"),
        (lambda: coefficients(0.5, 3), "density must be a Density"),
        (lambda: trigonometric(np.zeros(10), 10**9), "k must leave"),
        (lambda: series_risk(5, 0.5, 1.0), "theta must hold coefficients"),
        (lambda: series_risk(5, [1e308], 1.0), "theta must be at most"),
        (lambda: series_risk(5, [0.1, -1.5], 1.0), "theta must be at least"),
        (lambda: series_risk(5, [1.4, 1.4], None), "theta must have squares"),
        (lambda: series_risk(5, [0.5], 1e-320), "epsilon must be at least"),
        (lambda: ellipsoid_norm(0.5, 1.0), "theta must hold coefficients"),
        (lambda: ellipsoid_norm([0.5, 1e200], 1.0), "theta must be at most"),
        (lambda: ellipsoid_norm([0.5, 0.1], 1000.0), "beta must leave"),
        (lambda: best_truncation(10, 1e-320), "epsilon must be at least"),
        (lambda: best_truncation(10, 1.0, norm=1e308), "norm must be at most"),
        (lambda: best_truncation(10**18, None, beta=1e-3), "n and norm must leave"),
        (lambda: gaussian_kernel(0.0, 3), "order"),
        (lambda: kernel_density(0.0, 0.0, 1.0), "data must have shape"),
        (lambda: kernel_density([0.0], [0.0], 1e-320), "h must be at least"),
        (lambda: kernel_density(np.zeros(2 * 10**5), np.zeros(2 * 10**5), 1.0), "x must make"),
        (lambda: kernel_mise(3, 1.0, 5), "mixture must be a GaussianMixture"),
        (lambda: kernel_mise(NORMAL, 1e308, 5), "h must be at most"),
        (lambda: kernel_mise(NORMAL, 1e-9, 5, 20), "h must be at least"),
        (lambda: best_bandwidth(3, 5), "mixture must be a GaussianMixture"),
        (
            lambda: best_bandwidth(GaussianMixture([1.0], [0.0], [1e60]), 5, 4),
            "mixture's sigmas at order 4 must be at most",
        ),
        (lambda: GaussianMixture([1.0], [0.0], [1e-320]), "sigmas must be at least"),
        (lambda: GaussianMixture([1.0], [1e308], [1.0]), "means must be at most"),
        (lambda: NORMAL.sample(None), "n must be integers"),
        (lambda: NORMAL.sample([]), "n must not be empty"),
        (lambda: NORMAL.sample(10**10), "n must leave"),
        (lambda: NORMAL.sample(3, rng=True), "rng must be"),
        (lambda: GaussianMixture([0.5, 0.5], [0.0], [1.0]), "means"),
        (lambda: GaussianMixture([1.0], [0.0], [0.0]), "sigmas"),
        (lambda: kernel_mise(GaussianMixture([1.0], [0.0], [1.0]), 0.0, 5), "h"),
        (lambda: kernel_density([0.0], [[0.0, 1.0]], 1.0), "x"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
