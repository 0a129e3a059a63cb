"""The integral of a squared density, with interaction and without."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from laws import assert_mean, assert_same_law
from scipy import integrate

from minimaxdp import privacy
from minimaxdp.density_estimation import (
    HaarLevel,
    boundary,
    group_sizes,
    haar_level,
    interactive_ceiling,
    interactive_integral,
    interactive_simulation,
    linear,
    product_integral,
    product_variance,
    rademacher,
)
from minimaxdp.density_estimation._quadratic import _place, _reports


def _arrays(density, level):
    """Cell probabilities and coefficients of a level, by quadrature."""
    edges = np.linspace(0, 1, 2 ** (level + 1) + 1)
    half = [integrate.quad(density.pdf, a, b)[0] for a, b in zip(edges, edges[1:], strict=False)]
    half = np.array(half)
    return half[::2] + half[1::2], 2 ** (level / 2) * (half[::2] - half[1::2])


@pytest.mark.parametrize("level", [0, 1, 3])
def test_a_level_is_summed_up_from_its_coefficients(level):
    p, theta = _arrays(boundary(), level)
    found = haar_level(boundary(), level)
    expected = [
        (theta**2).sum(),
        2**level * (p * theta**2).sum(),
        2**level * (p**2).sum(),
        abs(theta).max(),
    ]
    actual = [found.energy, found.weighted, found.collision, found.peak]
    np.testing.assert_allclose(actual, expected, rtol=1e-10)


def test_the_energies_add_up_to_the_integral():
    for f in (linear(2.0), boundary(1.0)):
        levels = [haar_level(f, level) for level in range(16)]
        assert 1 + sum(v.energy for v in levels) == pytest.approx(f.squared_integral, rel=1e-8)
        for level in levels:  # the integral of f**2, as far as the cells see it
            below = 1 + sum(v.energy for v in levels[: level.level])
            assert level.collision == pytest.approx(below, rel=1e-12)


def test_the_density_of_rademacher_is_known_on_all_levels():
    f, s = rademacher(0.25), 0.25
    x = (np.arange(2**12) + 0.5) / 2**12
    bare = rademacher(0.25, levels=10)
    np.testing.assert_allclose((bare.pdf(x) ** 2).mean(), bare.squared_integral, rtol=1e-12)
    running = np.concatenate([[0], bare.pdf(x).cumsum()]) / 2**12
    np.testing.assert_allclose(bare.cdf(np.arange(2**12 + 1) / 2**12), running, atol=1e-12)
    assert f.pdf(x).min() >= 0 and f.pdf(x).max() <= f.maximum
    for level in range(8):
        energy = ((1 - 2**-s) * 2 ** (-level * s)) ** 2
        found = haar_level(f, level)
        assert found.energy == pytest.approx(energy, rel=1e-10)
        assert found.weighted == pytest.approx(energy, rel=1e-10)
        assert found.peak == pytest.approx(np.sqrt(energy / 2**level), rel=1e-9)


@pytest.mark.parametrize("n, epsilon, level", [(2, 1.0, 0), (5, 0.7, 1), (30, 3.0, 2)])
def test_the_variance_of_pairs_by_simulation(n, epsilon, level):
    f, rng = boundary(), np.random.default_rng(1)
    runs = 20_000
    z = _reports(f.sample(n * runs, rng=rng), level, epsilon, rng).reshape(runs, n, -1)
    pairs = (z.sum(axis=1) ** 2).sum(axis=1) - (z**2).sum(axis=(1, 2))
    found, known = pairs / (n * (n - 1)), haar_level(f, level)
    assert_mean(found, known.energy)
    assert_mean((found - known.energy) ** 2, product_variance(known, n, epsilon))


@pytest.mark.parametrize("n, epsilon, level", [(4, 1.0, 0), (40, 0.7, 2), (10_000, 2.0, 3)])
def test_the_variance_of_two_stages_by_simulation(n, epsilon, level):
    f, rng, runs, m = boundary(), np.random.default_rng(2), 20_000, n // 2
    p, theta = _arrays(f, level)
    known, height = haar_level(f, level), 2 ** (level / 2)
    half = np.ravel(np.column_stack([p + theta / height, p - theta / height]) / 2)
    half /= half.sum()
    means = []
    for _ in range(2):
        counts = rng.multinomial(m, half, size=runs)
        means.append(height * (counts[:, ::2] - counts[:, 1::2]) / m)
    b = 2 * height / epsilon
    # Sums of Laplace variables by their two Gamma variables.
    noise = rng.gamma(m, b, (runs, 2**level)) - rng.gamma(m, b, (runs, 2**level))
    heard = means[0] + noise / m
    peak = abs(heard).max(axis=1)
    last = (rng.gamma(m, b, runs) - rng.gamma(m, b, runs)) * peak / m
    found = (heard * means[1]).sum(axis=1) + last
    assert_mean(found, known.energy)
    # The one term that is not closed enters on both sides; its mean is then exact.
    unknown = 8 * 2**level / epsilon**2 / m * peak**2
    rest = interactive_ceiling(known, n, epsilon, peak_square=0.0)
    assert_mean((found - known.energy) ** 2 - unknown, rest)
    assert unknown.mean() <= interactive_ceiling(known, n, epsilon) - rest


def test_the_bound_on_the_maximum_is_near_it_among_many_cells():
    level, m, epsilon, rng = haar_level(rademacher(0.25), 12), 10**6, 1.0, np.random.default_rng(8)
    b, shape = 2 * 2 ** (level.level / 2) / epsilon, (200, 2**12)
    noise = (rng.gamma(m, b, shape) - rng.gamma(m, b, shape)) / m
    truth = 8 * 2**level.level / epsilon**2 / m * (abs(noise).max(axis=1) ** 2).mean()
    bound = interactive_ceiling(level, 2 * m, epsilon)
    bound -= interactive_ceiling(level, 2 * m, epsilon, peak_square=0.0)
    assert truth < bound < 2 * truth


def test_every_report_is_private_in_both_stages():
    rng = np.random.default_rng(3)
    for level in range(4):
        points = (np.arange(2 ** (level + 1)) + 0.5) / 2 ** (level + 1)
        cell, sign = _place(points, level)
        psi = np.zeros((len(points), 2**level))
        psi[np.arange(len(points)), cell] = 2 ** (level / 2) * sign
        np.testing.assert_allclose(psi.T @ psi / len(points), np.eye(2**level))
        apart = [abs(a - b).sum() for a, b in product(psi, psi)]
        assert max(apart) == pytest.approx(2 * 2 ** (level / 2))
        theta = rng.normal(size=2**level)
        reach = np.ptp(psi @ theta)
        assert reach == pytest.approx(2 * 2 ** (level / 2) * abs(theta).max())


@pytest.mark.parametrize("estimate", [product_integral, interactive_integral])
def test_an_audit_of_a_whole_estimate_of_four_people(estimate):
    # The last person is in the second stage, and two people are heard in the first.
    def mechanism(record, rng, size):
        data = [0.1, 0.2, 0.3, record]
        return np.array([estimate(data, 1, 3.0, rng=rng) for _ in range(size)])

    result = privacy.audit(mechanism, 0.1, 0.9, runs=10_000, rng=11)
    assert result.epsilon > 0.3 and not result.refutes(3.0)


def test_both_estimates_are_unbiased_on_records_and_the_shortcut_has_their_law():
    f, n, levels, epsilon = boundary(), 60, 2, 3.0
    aim = 1 + sum(haar_level(f, level).energy for level in range(levels))
    rng = np.random.default_rng(4)
    data = f.sample(3_000 * n, rng=rng).reshape(3_000, n)
    pairs = np.array([product_integral(x, levels, epsilon, rng=rng) for x in data])
    heard = np.array([interactive_integral(x, levels, epsilon, rng=rng) for x in data])
    assert_mean(pairs, aim)
    assert_mean(heard, aim)
    sizes = group_sizes(n, levels)
    variance = sum(
        product_variance(haar_level(f, level), int(m), epsilon) for level, m in enumerate(sizes)
    )
    assert_mean((pairs - aim) ** 2, variance)
    fast = interactive_simulation(f, n, levels, epsilon, rng=5, size=3_000)
    assert_same_law(heard, fast)


@pytest.mark.parametrize("n, epsilon", [(10, 2.0), (10**6, 0.5), (10**12, 0.1)])
def test_with_one_level_the_risk_of_two_stages_is_closed(n, epsilon):
    # One cell: the maximum is the estimate itself, whose second moment is known.
    f = boundary()
    level = haar_level(f, 0)
    m, noise = group_sizes(n, 1)[0] // 2, 8 / epsilon**2
    first = (level.weighted + noise * level.energy - level.energy**2) / m
    second_moment = level.energy + first / level.energy
    exact = interactive_ceiling(level, int(2 * m), epsilon, peak_square=second_moment)
    found = interactive_simulation(f, n, 1, epsilon, rng=10, size=50_000) - 1
    assert_mean(found, level.energy)
    assert_mean((found - level.energy) ** 2, exact)


def test_the_groups_are_even_and_nobody_serves_twice():
    for n, levels in [(100, 1), (999, 5), (10**12, 20)]:
        sizes = group_sizes(n, levels)
        assert np.all(sizes % 2 == 0) and n - 3 * levels < sizes.sum() <= n
        assert sizes.size == levels and np.all(np.diff(sizes) >= 0)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: haar_level(boundary(), -1), "level"),
        (lambda: haar_level(boundary(), 23), "level"),
        (lambda: group_sizes(10, 5), "n"),
        (lambda: group_sizes(100, 0), "levels"),
        (lambda: product_variance(haar_level(boundary(), 1), 1, 1.0), "n"),
        (lambda: product_variance(haar_level(boundary(), 1), 5, 0.0), "epsilon"),
        (lambda: interactive_ceiling(haar_level(boundary(), 1), 1, 1.0), "n"),
        (lambda: interactive_ceiling(HaarLevel(0, 0, 0, 1, 0), 9, 1.0, peak_square=-1), "peak"),
        (lambda: interactive_ceiling(HaarLevel(0, 0, 0, 1, 0), 9, 1.0, peak_square=2e100), "peak"),
        (lambda: product_integral([0.1, 1.2] * 9, 1, 1.0), "data"),
        (lambda: product_integral([[0.1] * 9], 1, 1.0), "data"),
        (lambda: interactive_integral([0.1] * 9, 23, 1.0), "levels"),
        (lambda: interactive_integral([0.1] * 9, 1, -1.0), "epsilon"),
        (lambda: interactive_simulation(boundary(), 100, 1, 1.0, size=0), "size"),
        (lambda: product_integral([0.1] * 9, 1, 1e-320), "epsilon must be at least"),
        (lambda: interactive_integral([0.1] * 9, 1, 1e-320), "epsilon must be at least"),
        (lambda: interactive_simulation(boundary(), 100, 1, 1e-320), "epsilon must be at least"),
        (lambda: product_variance(haar_level(boundary(), 1), 5, 1e-320), "epsilon must be at"),
        (lambda: interactive_ceiling(haar_level(boundary(), 1), 9, 1e-320), "epsilon must be at"),
        (lambda: product_integral([0.1] * 9, 1, 1.0, rng="a"), "rng must be"),
        (lambda: interactive_integral([0.1] * 9, 1, 1.0, rng=True), "rng must be"),
        (lambda: product_integral(np.linspace(0, 1, 10**5), 22, 1.0), "data must leave"),
        (lambda: interactive_simulation(boundary(), 10**9, 22, 1.0, size=10**5), "size must leave"),
        (lambda: haar_level(3, 1), "density must be a Density"),
        (lambda: interactive_simulation(HaarLevel, 100, 1, 1.0), "density must be a Density"),
        (lambda: product_variance(boundary(), 5, 1.0), "level must be a HaarLevel"),
        (lambda: interactive_ceiling(3, 5, 1.0), "level must be a HaarLevel"),
        (lambda: HaarLevel(2000, 0, 0, 1, 0), "level must be at most"),
        (lambda: HaarLevel(1, np.nan, 0, 1, 0), "energy must be finite"),
        (lambda: rademacher(1.0), "smoothness"),
        (lambda: rademacher(0.5, levels=41), "levels"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
