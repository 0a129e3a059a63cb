"""Bands, unknown smoothness, polynomials in bins and noise that is a function."""

from __future__ import annotations

import re

import numpy as np
import pytest
from laws import assert_mean, assert_same_law
from scipy import stats

from minimaxdp.density_estimation import (
    BinnedPolynomial,
    GaussianMixture,
    GaussianProcessDensity,
    Grid,
    Histogram,
    PrivateHaar,
    Release,
    best_bandwidth,
    binned_polynomial_ceiling,
    boundary,
    haar_level,
    histogram_ceiling,
    histogram_risk,
    holder,
    kernel_density,
    kernel_mise,
    linear,
    private_density,
    ripple,
)
from minimaxdp.density_estimation._release import _noise_radius

MODELS = ("central", "local")
HEAPED = np.array([0.55, 0.3, 0.1, 0.04, 0.01 - 1e-4, 1e-4, 0, 0])


def bands(method: str, n: int, runs: int, level: float, p=HEAPED, epsilon: float = 0.7):
    """Whether the simultaneous band covered every cell, run by run, and how wide it was."""
    h = Histogram(Grid(0.0, 4.0, p.size), None if method == "none" else epsilon, method)
    rng, truth = np.random.default_rng(n), p / h.grid.volume
    covered, widths = [], []
    for _ in range(runs):
        if method == "subset":
            totals = h.privatize(rng.choice(p.size, size=n, p=p) * 0.5 + 0.25, rng=rng)
        else:
            totals = h.privatize_counts(rng.multinomial(n, p), rng=rng)
        raw = h.heights(totals, n)
        low, high = Release(h, n, raw, raw, 0.0, 0.0).simultaneous_band(level)
        assert np.all((low >= 0) & (low <= high) & (high <= 1 / h.grid.volume))
        covered.append(np.all((low <= truth + 1e-12) & (truth <= high + 1e-12)))
        widths.append(high - low)
    return np.array(covered), np.array(widths)


@pytest.mark.parametrize("method", ["none", "central", "laplace", "unary", "subset"])
@pytest.mark.parametrize("n", [7, 400])
def test_a_simultaneous_band_covers_whatever_the_law(method, n):
    runs = 100 if method == "subset" else 400
    covered, _ = bands(method, n, runs, 0.9)
    # A true claim fails with probability 1e-6.
    assert covered.sum() >= stats.binom.ppf(1e-6, runs, 0.9)


def test_a_simultaneous_band_narrows_and_pays_for_the_noise():
    few, many = (bands("central", n, 5, 0.9)[1].mean() for n in (10**3, 10**9))
    assert many < few / 50
    plain, noisy = (bands(method, 1000, 5, 0.9)[1].mean() for method in ("none", "laplace"))
    assert noisy > 2 * plain
    tight, loose = (bands("central", 1000, 5, level)[1].mean() for level in (0.5, 0.999))
    assert tight < loose


def test_clopper_and_pearson_stand_behind_a_band_without_noise():
    data = np.repeat([0.1, 0.6], [3, 17])
    release = private_density(data, 0, 1, None, method="none", bins=2)
    low, high = release.simultaneous_band(0.9)
    exact = stats.binomtest(3, 20).proportion_ci(0.95, method="exact")
    assert low[0] / 2 == pytest.approx(exact.low) and high[0] / 2 == pytest.approx(exact.high)
    # Some of these shares, times their number, are off a whole number by a rounding.
    for n in (25, 49, 107):
        for count in range(n + 1):
            data = np.repeat([0.1, 0.6], [count, n - count])
            release = private_density(data, 0, 1, None, method="none", bins=2)
            low, high = release.simultaneous_band(0.9)
            exact = stats.binomtest(count, n).proportion_ci(0.95, method="exact")
            assert [low[0] / 2, high[0] / 2] == pytest.approx([exact.low, exact.high])


@pytest.mark.parametrize("method", ["central", "laplace"])
def test_a_noisy_band_is_that_of_the_whole_counts_within_the_noise(method):
    n, level = 60, 0.9
    h = Histogram(Grid(0.0, 1.0, 3), 1.5, method)
    counts = np.array([1.3, 20.6, 37.4])
    raw = h.heights(counts, n)
    low, high = Release(h, n, raw, raw, 0.0, 0.0).simultaneous_band(level)
    radius = _noise_radius(h, n, (1 - level) / 2)
    for i, count in enumerate(counts):
        near = [k for k in range(n + 1) if abs(k - count) <= radius]
        exact = [
            stats.binomtest(k, n).proportion_ci(1 - (1 - level) / 2 / h.grid.cells, method="exact")
            for k in (near[0], near[-1])
        ]
        assert [low[i] / 3, high[i] / 3] == pytest.approx([exact[0].low, exact[1].high], rel=1e-9)


@pytest.mark.parametrize("n", [1, 5, 1000])
def test_the_radius_of_summed_noise_is_a_bound(n):
    p = np.array([0.5, 0.5])
    h = Histogram(Grid(0.0, 1.0, 2), 1.0, "laplace")
    raw = h.heights(np.zeros(2) + n / 2, n)
    low, high = Release(h, n, raw, raw, 0.0, 0.0).simultaneous_band(0.5)
    noise = np.random.default_rng(n).laplace(scale=2.0, size=(4_000, n, 2)).sum(axis=1)
    # The band holds p = 1/2 at every count that the noise leaves possible.
    assert low[0] <= 0.5 * 2 <= high[0]
    radius = _noise_radius(h, n, 0.25)
    beyond = (abs(noise).max(axis=1) > radius).sum()
    assert beyond <= stats.binom.ppf(1 - 1e-6, 4_000, 0.25)
    assert radius < 5 * np.sqrt(8 * n) + 20 and p.sum() == 1


def test_a_band_refuses_a_level_that_is_none():
    release = private_density([0.1, 0.6], 0, 1, 1.0, bins=2, rng=0)
    for level in (0, 1, np.nan, "a"):
        with pytest.raises((ValueError, TypeError), match="level"):
            release.simultaneous_band(level)


# --- polynomials in bins ---------------------------------------------------------------------


@pytest.mark.parametrize("degree", [0, 1, 2, 5])
@pytest.mark.parametrize("bins", [1, 3])
def test_the_functions_of_bins_are_orthonormal(bins, degree):
    poly = BinnedPolynomial(1.0, bins, degree)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    for b in range(bins):
        x = (b + (nodes + 1) / 2) / bins
        f = poly._features(x)
        np.testing.assert_allclose((f.T * weights / 2 / bins) @ f, np.eye(degree + 1), atol=1e-12)
        assert np.all(poly._place(x) == b)
    # The largest step of a record is what the scale says.
    x = np.linspace(0, 1, 4001)
    step = 2 * abs(poly._features(x)).sum(axis=1).max()
    assert step <= poly.scale * (1 + 1e-12)
    if degree == 0:
        assert poly.scale == pytest.approx(2 * np.sqrt(bins))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("degree", [0, 2])
def test_the_risk_of_a_polynomial_agrees_with_simulation(model, degree):
    f, n, poly = boundary(), 300, BinnedPolynomial(2.0, 3, degree, model)
    rng = np.random.default_rng(1)
    theta = poly.coefficients(f)
    found = np.array([poly.release(f.sample(n, rng=rng), rng=rng) for _ in range(4_000)])
    assert_mean(found.reshape(4_000, -1), theta.ravel())
    bias = f.squared_integral - (theta**2).sum()
    assert_mean(bias + ((found - theta) ** 2).sum(axis=(1, 2)), poly.risk(f, n))


@pytest.mark.parametrize("model", MODELS)
def test_degree_zero_is_a_histogram(model):
    poly = BinnedPolynomial(0.3, 8, 0, model)
    method = "central" if model == "central" else "laplace"
    for f in (ripple(0.8), linear(1.0)):
        old = histogram_risk(f.probabilities(8), 1000, 0.3, method, bias=f.bias(8))
        assert poly.risk(f, 1000) == pytest.approx(old, rel=1e-9)
    new = binned_polynomial_ceiling(8, 1000, 0.3, model, degree=0, beta=1.0)
    old = histogram_ceiling(8, 1000, 0.3, method)
    # A Taylor polynomial at the centre and not the mean; and K people's worth in place of K - 1.
    assert new == pytest.approx(old + 1 / 1000, rel=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_the_ceiling_of_a_polynomial_is_above_smooth_densities(model):
    f = ripple(0.5)
    second = 0.5 * (2 * np.pi) ** 2  # the largest second derivative
    for bins in (1, 2, 5, 20, 100):
        for degree in (1, 2):
            poly = BinnedPolynomial(1.0, bins, degree, model)
            high = binned_polynomial_ceiling(
                bins, 10**6, 1.0, model, degree=degree, beta=2.0, constant=second
            )
            assert poly.risk(f, 10**6) <= high
    # Its bias falls with the fourth power of the number of bins, its noise rises with the second.
    biases = [binned_polynomial_ceiling(k, 10**18, 1.0, constant=1e3, degree=1) for k in (10, 20)]
    assert biases[0] / biases[1] == pytest.approx(16, rel=1e-3)


def test_a_polynomial_reads_its_own_curve():
    poly = BinnedPolynomial(1.0, 4, 1)
    x = np.linspace(0, 1, 33)
    np.testing.assert_allclose(poly.density(poly.coefficients(linear(1.0)), x), 0.5 + x, atol=1e-12)
    for bad in (np.zeros((4, 3)), np.zeros(8)):
        with pytest.raises(ValueError, match="theta"):
            poly.density(bad, x)
    with pytest.raises(ValueError, match="data"):
        poly.release(np.zeros((2, 2)))


# --- noise that is a function ----------------------------------------------------------------


def test_the_process_adds_what_its_guarantee_needs():
    process = GaussianProcessDensity(0.5, 0.2)
    x = np.linspace(-0.5, 1.5, 25)
    draws = np.array([process.values([0.3, 0.5], x, rng=seed) for seed in range(4_000)])
    clean = kernel_density(x, [0.3, 0.5], 0.2)
    assert_mean(draws, clean)
    noise = draws - clean
    assert_mean(noise**2, process.noise_sd(2) ** 2)
    at = np.exp(-((x[0] - x[5]) ** 2) / (2 * 0.2**2)) * process.noise_sd(2) ** 2
    assert_mean(noise[:, 0] * noise[:, 5], at)


def test_the_divergence_of_two_released_functions_stays_below_the_level():
    rho, h, n = 0.3, 0.15, 7
    process = GaussianProcessDensity(rho, h)
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(200):
        a, b = rng.random(2)
        x = np.append(rng.random(6), [a, b])[rng.permutation(8)]
        gap = np.exp(-((x - a) ** 2) / (2 * h**2)) - np.exp(-((x - b) ** 2) / (2 * h**2))
        gap /= n * h * np.sqrt(2 * np.pi)
        covariance = process.noise_sd(n) ** 2 * np.exp(
            -((x[:, None] - x) ** 2) / (2 * h**2)
        ) + 1e-12 * np.eye(8)
        worst = max(worst, gap @ np.linalg.solve(covariance, gap) / 2)
    assert 0.6 * rho < worst <= rho * (1 + 1e-6)
    # Two records far apart, read where they are, use all of it.
    ends = np.array([0.0, 1.0]) * 40 * h
    two = np.array([1, -1]) / (n * h * np.sqrt(2 * np.pi))
    full = (two**2).sum() / (2 * process.noise_sd(n) ** 2)
    assert full == pytest.approx(rho) and ends[1] > 0


def test_the_risk_of_the_process_agrees_with_simulation():
    normal = GaussianMixture([0.4, 0.6], [0.3, 0.7], [0.1, 0.15])
    process, n = GaussianProcessDensity(0.2, 0.08), 40
    x = (np.arange(40) + 0.5) / 40
    rng = np.random.default_rng(2)
    losses = [
        ((process.values(normal.sample(n, rng=rng)[:, 0], x, rng=rng) - normal.pdf(x)) ** 2).mean()
        for _ in range(500)
    ]
    # The midpoint rule on a smooth curve: an error far below that of the simulation.
    assert_mean(losses, process.risk(normal, n, 0, 1))


# --- unknown smoothness ----------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_haar_releases_are_unbiased_with_their_variance(model):
    haar, f, n = PrivateHaar(1.5, 3, model), linear(2.0), 90
    rng = np.random.default_rng(3)
    records = np.array([haar.release(f.sample(n, rng=rng), rng=rng) for _ in range(3_000)])
    drawn = haar.simulate(f, n, rng=rng, size=3_000)
    true = haar.coefficients(f)
    assert_mean(records, true)
    for k in range(7):
        assert_same_law(records[:, k], drawn[:, k])
    energy = haar.noise_energy(n)
    for level, (y, t) in enumerate(zip(haar.split(drawn), haar.split(true), strict=True)):
        exact = energy[level] - (t**2).sum() / haar.people(n)
        assert_mean(((y - t) ** 2).sum(axis=1), exact)


def test_haar_coefficients_and_heights_are_inverse():
    haar, f = PrivateHaar(1.0, 6), boundary()
    theta = haar.coefficients(f)
    np.testing.assert_allclose(haar.heights(theta), 64 * f.probabilities(64), rtol=1e-12)
    for level, y in enumerate(haar.split(theta)):
        assert y.size == 2**level
        assert (y**2).sum() == pytest.approx(haar_level(f, level).energy, abs=1e-15)
    assert haar.loss(theta, f) == pytest.approx(f.bias(64), rel=1e-9)
    assert haar.loss(np.zeros(63), f) == pytest.approx(f.squared_integral - 1)


def within(haar, drawn, f, radii):
    """Whether the errors of all levels stay within their radii, draw by draw."""
    errors = haar.split(drawn - haar.coefficients(f))
    return np.all([np.linalg.norm(e, axis=1) <= r for e, r in zip(errors, radii, strict=True)], 0)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n", [100, 10**6])
def test_the_radii_hold_together(model, n):
    for f in (linear(2.0), boundary(1.0)):
        haar = PrivateHaar(0.8, 6, model, f.maximum)
        drawn = haar.simulate(f, n, rng=4, size=1_000)
        inside = within(haar, drawn, f, haar.radii(n, 0.2))
        assert inside.sum() >= stats.binom.ppf(1e-6, 1_000, 0.8)


@pytest.mark.parametrize("model", MODELS)
def test_the_loss_of_kept_levels_is_bounded_where_the_radii_hold(model):
    f, n = holder(0.5), 10**6
    haar = PrivateHaar(1.0, 8, model)
    radii = haar.radii(n)
    drawn = haar.simulate(f, n, rng=5, size=300)
    kept = haar.keep(drawn, n, radii)
    energy = np.array([(t**2).sum() for t in haar.split(haar.coefficients(f))])
    bound = np.minimum(energy, 9 * radii**2).sum() + f.bias(2**8)
    good = within(haar, drawn, f, radii)
    assert good.sum() >= 285 and np.all(haar.loss(kept, f)[good] <= bound * (1 + 1e-12))
    for y, k in zip(haar.split(drawn), haar.split(kept), strict=True):
        zero = (k == 0).all(axis=1)
        assert np.all(zero | (k == y).all(axis=1))
    # The plain rule: half of the energy of a kept level is more than its noise has on average.
    plain = haar.split(haar.keep(drawn, n))
    for y, k, e in zip(haar.split(drawn), plain, haar.noise_energy(n), strict=True):
        assert np.array_equal((k != 0).any(axis=1), (y**2).sum(axis=1) > 2 * e)


@pytest.mark.parametrize("model", MODELS)
def test_adaptation_costs_a_small_factor_at_a_billion_people(model):
    for f in (holder(0.5), linear(1.0), ripple(0.8, 2)):
        n, haar = 10**9, PrivateHaar(1.0, 11, model)
        mean = haar.loss(haar.keep(haar.simulate(f, n, rng=6, size=100), n), f).mean()
        method = "central" if model == "central" else "laplace"
        oracle = min(
            histogram_risk(f.probabilities(2**j), n, 1.0, method, bias=f.bias(2**j))
            for j in range(11)
        )
        assert oracle / 3 < mean < 4 * oracle


def test_haar_refuses_what_is_no_release():
    haar = PrivateHaar(1.0, 3)
    for bad in (np.zeros(4), 0.0, np.full(7, np.nan)):
        with pytest.raises(ValueError, match="theta"):
            haar.heights(bad)
    with pytest.raises(ValueError, match="radii"):
        haar.keep(np.zeros(7), 10, [1.0, 2.0])
    with pytest.raises(ValueError, match="n must"):
        haar.people(2)
    with pytest.raises(ValueError, match="data"):
        haar.release([0.5])


@pytest.mark.parametrize(
    "mixture",
    [
        GaussianMixture([1.0], [0.0], [1.0]),
        GaussianMixture([0.999, 0.001], [0.0, 0.0], [1.0, 1e-3]),
        GaussianMixture([0.5, 0.5], [0.0, 1.0], [1e-3, 1.0]),
        GaussianMixture([0.1] * 10, np.arange(10) * 100.0, [1.0] * 10),
    ],
)
@pytest.mark.parametrize("n", [1, 3, 100, 10**6])
def test_the_best_bandwidth_is_found_where_deviations_or_means_lie_far_apart(mixture, n):
    h, risk = best_bandwidth(mixture, n)
    every = kernel_mise(mixture, np.exp(np.linspace(-14, 10, 4_001)), n)
    assert risk == pytest.approx(every.min(), rel=1e-4) and risk <= every.min()
    assert risk == kernel_mise(mixture, h, n)


@pytest.mark.parametrize(("d", "order"), [(1, 6), (3, 4)])
def test_bandwidths_and_deviations_have_the_same_ends(d, order):
    def risk(h, sigma):
        return kernel_mise(GaussianMixture([1.0], [[0.0] * d], [[sigma] * d]), h, 100, order=order)

    with pytest.raises(ValueError, match="h must be") as told:
        risk(1e300, 1.0)
    most = float(str(told.value).split("at most ")[1].split(",")[0])
    for size in (1.001 / most, 0.999 * most):
        assert np.isfinite(risk(1.0, size))
    with pytest.raises(ValueError, match=re.escape(f"at order {order} must be at most {most:g}")):
        risk(1.0, 1.001 * most)
