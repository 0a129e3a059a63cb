"""Additive noise: exact densities, exact guarantees, and samplers that follow them."""

from dataclasses import FrozenInstanceError

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import ERROR_RATE, assert_frequencies
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from minimaxdp.laplace import (
    DiscreteLaplace,
    Gaussian,
    Laplace,
    LocalLaplace,
    Staircase,
)

property_test = settings(max_examples=50, deadline=None, derandomize=True)
epsilons = st.floats(1e-3, 50)
sensitivities = st.floats(1e-3, 1e3)
fractions = st.floats(0, 1)


def near(value, rel):
    """Equal up to a relative error alone: the absolute one of approx would hide small numbers."""
    return pytest.approx(value, rel=rel, abs=0)


def assert_independent_noise(noise, cdf):
    """Rows of two coordinates: each follows the cdf, and they are independent of each other."""
    place = cdf(noise)
    for column in place.T:
        assert stats.kstest(column, stats.uniform.cdf).pvalue > ERROR_RATE
    cells = np.minimum((4 * place).astype(int), 3)  # a value of 1 by rounding is in the last cell
    assert_frequencies(np.bincount(cells @ [4, 1], minlength=16), np.full(16, 1 / 16))


# ---------------------------------------------------------------- all mechanisms

MECHANISMS = [
    Laplace(0.7, 2.0),
    Gaussian(1.5, 2.0),
    DiscreteLaplace(0.7, 2),
    Staircase(0.7, 2.0, 0.3),
    LocalLaplace(0.7, -1.0, 3.0),
]
by_name = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)


@by_name
def test_mechanisms_are_values_that_nobody_changes(mechanism):
    for name, value in vars(mechanism).items():
        with pytest.raises(FrozenInstanceError):
            setattr(mechanism, name, value)
    assert type(mechanism)(**vars(mechanism)) == mechanism
    arrays = {name: np.array(value) for name, value in vars(mechanism).items()}
    assert len({mechanism, type(mechanism)(**arrays)}) == 1  # hashed as numbers


@by_name
def test_noise_keeps_shape_seed_and_input(mechanism):
    answer = np.array([[1, 2, 3], [0, 1, 2]])
    released = mechanism.privatize(answer, rng=0)
    assert released.shape == (2, 3) and np.unique(released - answer).size > 1
    np.testing.assert_array_equal(answer, [[1, 2, 3], [0, 1, 2]])
    np.testing.assert_array_equal(released, mechanism.privatize(answer.tolist(), rng=0))
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(released, mechanism.privatize(answer, rng=rng))
    assert not np.array_equal(released, mechanism.privatize(answer, rng=rng))
    alone = mechanism.privatize(2, rng=0)
    assert isinstance(alone, np.int64 if isinstance(mechanism, DiscreteLaplace) else float)


# ---------------------------------------------------------------- Laplace


@given(epsilons, sensitivities)
@property_test
def test_laplace_density_integrates_to_one_and_to_its_variance(epsilon, sensitivity):
    mechanism, scale = Laplace(epsilon, sensitivity), sensitivity / epsilon

    def integral(power):  # in units of the scale, beyond 60 of which there is exp(-60)
        def part(u):
            return u**power * np.exp(mechanism.log_density(u * scale)) * scale

        return quad(part, 0, 60)[0] + quad(part, -60, 0)[0]

    variance = (mechanism.standard_deviation / scale) ** 2
    assert integral(0) == near(1, rel=1e-9)
    assert integral(2) == near(variance, rel=1e-9)
    assert mechanism.scale == near(scale, rel=1e-15)


@given(epsilons, sensitivities, fractions)
@property_test
def test_laplace_spends_exactly_epsilon_in_one_dimension(epsilon, sensitivity, part):
    mechanism = Laplace(epsilon, sensitivity)
    noise = np.linspace(-3, 3, 601) * sensitivity
    ratio = mechanism.log_density(noise) - mechanism.log_density(noise + sensitivity)
    rounding = 1e-13 * abs(mechanism.log_density(4 * sensitivity)) + 1e-13
    assert abs(ratio).max() == pytest.approx(epsilon, abs=rounding)
    ratio = mechanism.log_density(noise) - mechanism.log_density(noise + part * sensitivity)
    assert abs(ratio).max() == pytest.approx(part * epsilon, abs=rounding)


@given(epsilons, st.integers(2, 6), st.integers(0, 2**32))
@property_test
def test_laplace_spends_exactly_epsilon_in_many_dimensions(epsilon, d, seed):
    rng = np.random.default_rng(seed)
    moved = rng.dirichlet(np.ones(d)) * rng.choice([-1, 1], d) * 2.5  # l1 size 2.5
    mechanism = Laplace(epsilon, 2.5)

    def loss(noise):
        there = mechanism.log_density(noise - moved)
        return (mechanism.log_density(noise) - there).sum(axis=-1)

    rounding = 1e-11 * (1 + epsilon)
    assert np.all(abs(loss(rng.laplace(size=(500, d)) * 3)) <= epsilon + rounding)
    assert loss(-moved) == pytest.approx(epsilon, abs=rounding)
    # The l2 size of a move bounds nothing here: along the diagonal the loss is sqrt(d) larger.
    moved = np.full(d, 2.5 / np.sqrt(d))
    assert loss(-moved) == pytest.approx(epsilon * np.sqrt(d), abs=rounding)


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(0.01, 1.0), (1.0, 3.0), (30.0, 1e-3)])
def test_laplace_noise_follows_its_law(epsilon, sensitivity):
    mechanism, answer = Laplace(epsilon, sensitivity), np.array([0.3, -2.0])
    noise = mechanism.privatize(np.tile(answer, (30_000, 1)), rng=1) - answer
    law = stats.laplace(scale=sensitivity / epsilon)
    assert_independent_noise(noise, law.cdf)
    grid = np.linspace(-5, 5, 101) * sensitivity
    np.testing.assert_allclose(
        mechanism.log_density(grid), law.logpdf(grid), rtol=1e-13, atol=1e-13
    )


@pytest.mark.parametrize("mechanism", [Laplace(0.5, 2.0), Gaussian(2.0)], ids=["laplace", "normal"])
@pytest.mark.parametrize("level", [0.01, 0.5, 0.95, 1 - 1e-9])
@pytest.mark.parametrize("shape", [(), (1,), (7,), (20, 50)])
def test_intervals_cover_exactly_all_coordinates_together(mechanism, level, shape):
    released = np.zeros(shape)
    low, high = mechanism.interval(released, level)
    assert np.shape(low) == np.shape(high) == shape
    np.testing.assert_array_equal(low, -high)
    laws = {Laplace: stats.laplace(scale=4.0), Gaussian: stats.norm(scale=2.0)}
    # Through the tail: near the level 1 the coverage itself keeps no digits.
    outside = 2 * laws[type(mechanism)].sf(np.ravel(high)[0])
    missed = -np.expm1(np.size(released) * np.log1p(-outside))
    assert missed == near(1 - level, rel=1e-12)
    moved, _ = mechanism.interval(released + 8.0, level)
    np.testing.assert_allclose(moved, low + 8, rtol=1e-14)


# ---------------------------------------------------------------- Gaussian


@pytest.mark.parametrize("rho", [1e-3, 0.5, 3.0])
@pytest.mark.parametrize("sensitivity", [0.02, 1.0])
def test_gaussian_renyi_divergence_is_rho_times_the_order(rho, sensitivity):
    mechanism = Gaussian.from_zcdp(rho, sensitivity)
    assert mechanism.rho == near(rho, rel=1e-14)
    sigma = mechanism.sigma
    for order in (1.001, 1.5, 2, 7, 32):
        centre = order * sensitivity  # of the integrand, a normal density up to a constant
        grid = centre + np.linspace(-12, 12, 2001) * sigma
        p = stats.norm.logpdf(grid, sensitivity, sigma)
        q = stats.norm.logpdf(grid, 0, sigma)
        integral = logsumexp(order * p + (1 - order) * q) + np.log(24 * sigma / 2000)
        assert integral / (order - 1) == pytest.approx(rho * order, rel=1e-10, abs=1e-11)


def test_gaussian_noise_follows_its_law():
    for mechanism in (Gaussian(0.03), Gaussian.from_zcdp(0.125, 2.0)):
        noise = mechanism.privatize(np.tile([0.5, 7.0], (30_000, 1)), rng=2) - [0.5, 7.0]
        assert_independent_noise(noise, stats.norm(scale=mechanism.standard_deviation).cdf)


def exact_delta(epsilon, sigma, sensitivity):
    with mp.workdps(40):
        epsilon, mu = mp.mpf(epsilon), mp.mpf(sensitivity) / mp.mpf(sigma)
        first = mp.ncdf(mu / 2 - epsilon / mu)
        return float(first - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu))


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 8.0, 50.0])
@pytest.mark.parametrize("delta", [1e-15, 1e-6, 0.05, 0.7])
@pytest.mark.parametrize("sensitivity", [1.0, 0.004])
def test_gaussian_attains_the_delta_asked_for(epsilon, delta, sensitivity):
    mechanism = Gaussian.from_approximate(epsilon, delta, sensitivity)
    # Delta is at most a power (epsilon sigma)^2 of sigma, whose own error is 1e-14.
    assert exact_delta(epsilon, mechanism.sigma, sensitivity) == near(delta, rel=1e-11)
    assert mechanism.delta(epsilon) == near(delta, rel=1e-11)
    less = Gaussian(mechanism.sigma * (1 - 1e-9), sensitivity)
    assert exact_delta(epsilon, less.sigma, sensitivity) > delta


@given(st.floats(1e-3, 1), st.floats(-30, -1e-3), sensitivities)
@property_test
def test_gaussian_needs_no_more_noise_than_the_textbook(epsilon, exponent, sensitivity):
    delta = 10**exponent
    textbook = sensitivity * np.sqrt(2 * np.log(1.25 / delta)) / epsilon
    assert Gaussian.from_approximate(epsilon, delta, sensitivity).sigma < textbook


def test_gaussian_delta_falls_and_never_vanishes():
    for sigma in (0.5, 1.0, 4.0):
        epsilon = np.linspace(0, 30 / sigma, 301)  # farther out a double underflows
        delta = Gaussian(sigma).delta(epsilon)
        assert np.all(np.diff(delta) < 0) and np.all(delta > 0)
        assert np.all(Gaussian(1.01 * sigma).delta(epsilon) < delta)


# ---------------------------------------------------------------- discrete Laplace


@given(st.floats(0.05, 50), st.integers(1, 3))
@property_test
def test_discrete_probabilities_sum_to_one_and_to_the_variance(epsilon, sensitivity):
    mechanism = DiscreteLaplace(epsilon, sensitivity)
    z = np.arange(-(reach := int(50 * sensitivity / epsilon) + 2), reach + 1)  # up to exp(-50)
    law = np.exp(mechanism.log_probability(z))
    assert law.sum() == near(1, rel=1e-13)
    assert law @ z**2 == near(mechanism.variance, rel=1e-12)
    b = np.exp(-epsilon / sensitivity)
    np.testing.assert_allclose(law, (1 - b) / (1 + b) * b ** abs(z), rtol=1e-11)


@given(st.floats(1e-6, 50), st.integers(1, 3))
@property_test
def test_discrete_noise_spends_exactly_epsilon(epsilon, sensitivity):
    mechanism, z = DiscreteLaplace(epsilon, sensitivity), np.arange(-50, 51)
    for shift in range(sensitivity + 1):
        ratio = mechanism.log_probability(z) - mechanism.log_probability(z - shift)
        spent = epsilon * shift / sensitivity
        # The logarithms reach 50 epsilon, or 14 + log at the smallest budget.
        assert abs(ratio).max() == pytest.approx(spent, abs=1e-14 * (50 * epsilon + 15))


@pytest.mark.parametrize(("epsilon", "sensitivity"), [(1.0, 1), (1.0, 3), (3.0, 2)])
def test_discrete_noise_follows_its_law(epsilon, sensitivity):
    mechanism, answer = DiscreteLaplace(epsilon, sensitivity), np.array([3, 10])
    noise = mechanism.privatize(np.tile(answer, (40_000, 1)), rng=3) - answer
    edge = 2 * int(np.ceil(sensitivity / epsilon))  # values beyond it are counted with it
    b, z = np.exp(-epsilon / sensitivity), np.arange(-edge, edge + 1)
    law = (1 - b) / (1 + b) * b ** abs(z)
    law[[0, -1]] = b**edge / (1 + b)
    cells = np.clip(noise, -edge, edge) + edge
    joint = np.bincount(cells @ [z.size, 1], minlength=z.size**2)
    assert_frequencies(joint, np.outer(law, law).ravel())


def test_discrete_noise_is_still_there_at_the_smallest_rate():
    mechanism = DiscreteLaplace(1e-14)
    noise = mechanism.privatize(np.zeros((20_000, 2), dtype=int), rng=4)
    assert_independent_noise(noise, stats.laplace(scale=1e14).cdf)
    assert mechanism.variance == near(2e28, rel=1e-12)
    assert not DiscreteLaplace(700.0).privatize(np.zeros(1000, dtype=int), rng=0).any()


# ---------------------------------------------------------------- staircase


def pieces(epsilon, sensitivity, gamma):
    """Ends of the pieces of the positive half of the density, and its height on each."""
    b, reach = np.exp(-epsilon), int(60 / epsilon) + 2
    steps = np.arange(reach)
    ends = sensitivity * np.append(np.column_stack([steps, steps + gamma]).ravel(), reach)
    top = (1 - b) / (2 * sensitivity * (gamma + b * (1 - gamma)))
    return ends, top * np.column_stack([b**steps, b ** (steps + 1)]).ravel()


# A step nearer to an end than rounding can tell apart is at the end.
gammas = st.sampled_from([0.0, 1.0]) | st.floats(1e-6, 1 - 1e-6)
stairs = (st.floats(0.2, 12), st.sampled_from([0.25, 1.0, 3.0]), gammas)


@given(*stairs)
@property_test
def test_staircase_density_is_that_of_the_formula(epsilon, sensitivity, gamma):
    noise = Staircase(epsilon, sensitivity, gamma)
    ends, heights = pieces(epsilon, sensitivity, gamma)
    for place in (0.01, 0.5, 0.99):
        inside = (1 - place) * ends[:-1] + place * ends[1:]
        wide = np.diff(ends) > 0
        density = np.exp(noise.log_density(inside[wide]))
        np.testing.assert_allclose(density, heights[wide], rtol=1e-11)
        np.testing.assert_array_equal(density, np.exp(noise.log_density(-inside[wide])))


@given(*stairs)
@property_test
def test_staircase_moments_by_quadrature(epsilon, sensitivity, gamma):
    noise = Staircase(epsilon, sensitivity, gamma)
    ends, _ = pieces(epsilon, sensitivity, gamma)
    middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2
    keep = half > 0
    nodes = (middle + half * np.array([[-1], [1]]) / np.sqrt(3))[:, keep]  # exact for cubics
    weights = 2 * half[keep] * np.exp(noise.log_density(nodes))  # both signs
    for power, moment in ((0, 1), (1, noise.mean_absolute), (2, noise.variance)):
        assert (weights * nodes**power).sum() == near(moment, rel=1e-8)


@given(*stairs)
@property_test
def test_staircase_spends_exactly_epsilon(epsilon, sensitivity, gamma):
    noise = Staircase(epsilon, sensitivity, gamma)
    grid = np.arange(-256, 257) / 64 * sensitivity  # exact in binary, as are the shifts
    shifts = np.arange(65)[:, None] / 64 * sensitivity
    ratio = noise.log_density(grid) - noise.log_density(grid + shifts)
    assert abs(ratio).max() == near(epsilon, rel=1e-12)
    # One grid point farther the density can fall by two steps.
    far = noise.log_density(grid) - noise.log_density(grid + 129 / 64 * sensitivity)
    assert abs(far).max() > 1.9 * epsilon


@pytest.mark.parametrize("loss", ["absolute", "squared"])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 4.0, 12.0])
def test_staircase_optimum_is_found_by_search_too(loss, epsilon):
    def risk(gamma):
        noise = Staircase(epsilon, 2.0, gamma)
        return noise.mean_absolute if loss == "absolute" else noise.variance

    best = Staircase.optimal(epsilon, 2.0, loss=loss)
    found = minimize_scalar(risk, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert risk(best.gamma) <= found.fun * (1 + 1e-14)
    # Two values of the risk agree to rounding within the square root of rounding of gamma, and
    # the curvature falls as epsilon squared.
    assert best.gamma == pytest.approx(found.x, abs=3e-8 / min(epsilon, 1))
    assert (best.epsilon, best.sensitivity) == (epsilon, 2.0)


@given(st.floats(1e-6, 600))
@property_test
def test_staircase_optimum_is_that_of_the_formula(epsilon):
    with mp.workdps(60):
        b = mp.exp(-mp.mpf(epsilon))
        root = mp.cbrt(b - 2 * b**2 + 2 * b**4 - b**5)
        squared = float(-b / (1 - b) + root / (mp.cbrt(2) * (1 - b) ** 2))
        absolute = float(1 / (1 + mp.exp(mp.mpf(epsilon) / 2)))
    assert Staircase.optimal(epsilon).gamma == near(squared, rel=1e-13)
    assert Staircase.optimal(epsilon, loss="absolute").gamma == near(absolute, rel=1e-13)


@given(st.floats(0.01, 600), sensitivities)
@property_test
def test_staircase_minima_have_closed_forms_and_beat_laplace(epsilon, sensitivity):
    absolute = Staircase.optimal(epsilon, sensitivity, loss="absolute").mean_absolute
    squared = Staircase.optimal(epsilon, sensitivity).variance
    b = np.exp(-epsilon)
    closed = (2 ** (-2 / 3) * (b * (1 + b)) ** (2 / 3) + b) / np.expm1(-epsilon) ** 2
    least = sensitivity / (2 * np.sinh(epsilon / 2))  # exp(eps/2) / (exp(eps) - 1)
    assert absolute == near(least, rel=1e-12)
    assert squared == near(sensitivity**2 * closed, rel=1e-12)
    laplace = Laplace(epsilon, sensitivity)
    assert absolute < laplace.scale and squared < laplace.standard_deviation**2


def test_staircase_gain_over_laplace():
    epsilon = [0.1, 1.0, 5.0, 10.0]
    gain = [2 / e**2 / Staircase.optimal(e).variance for e in epsilon]
    assert [f"{g:.3g}" for g in gain] == ["1", "1.04", "2.69", "23.6"]


@pytest.mark.parametrize("gamma", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("epsilon", "sensitivity"), [(0.4, 1.0), (3.0, 2.0)])
def test_staircase_noise_follows_its_density(gamma, epsilon, sensitivity):
    noise = Staircase(epsilon, sensitivity, gamma)
    drawn = noise.privatize(np.tile([5.0, -1.0], (30_000, 1)), rng=5) - [5.0, -1.0]
    ends, heights = pieces(epsilon, sensitivity, gamma)
    right = 0.5 + np.append(0, np.cumsum(heights * np.diff(ends)))
    assert right[-1] == near(1, rel=1e-12)

    def cdf(w):  # linear on every piece
        return np.where(w < 0, 1 - np.interp(-w, ends, right), np.interp(w, ends, right))

    assert_independent_noise(drawn, cdf)
