"""Closed forms of noise against high precision and quadrature; the audit of black boxes."""

from time import perf_counter

import mpmath as mp
import numpy as np
import pytest
from laws import ERROR_RATE
from scipy import stats
from scipy.integrate import quad

from minimaxdp import divergences, guarantees, privacy

RNG_BUDGETS = np.random.default_rng(20)
EPSILONS = 10 ** RNG_BUDGETS.uniform(-6, 1.3, 150)
DELTAS = 10 ** RNG_BUDGETS.uniform(-12, -0.3, 150)


def gaussian_by_mpmath(epsilon, sigma):
    with mp.workdps(50):
        epsilon, mu = mp.mpf(float(epsilon)), 1 / mp.mpf(float(sigma))
        first = mp.ncdf(mu / 2 - epsilon / mu)
        return first - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def relative(value, exact):
    return abs(float(mp.mpf(float(value)) / exact - 1))


def test_gaussian_delta_to_twelve_digits_down_to_1e_12():
    sigmas = guarantees.gaussian_sigma(EPSILONS, DELTAS)
    values = guarantees.gaussian_delta(EPSILONS, sigmas)
    exact = [gaussian_by_mpmath(e, s) for e, s in zip(EPSILONS, sigmas, strict=True)]
    assert max(map(relative, values, exact)) < 1e-13
    assert max(map(relative, DELTAS, exact)) < 1e-12  # the sigma that was asked for


@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 1e-3, 1.0, 20.0])
def test_gaussian_delta_at_every_scale_of_noise(epsilon):
    sigmas = np.geomspace(0.02, 50, 25)
    values = guarantees.gaussian_delta(epsilon, sigmas)
    for sigma, value in zip(sigmas, values, strict=True):
        exact = gaussian_by_mpmath(epsilon, sigma)
        if exact > 1e-300:
            # Beyond ten standard deviations the exponent itself costs digits.
            assert relative(value, exact) < 1e-13 * max(1, abs(float(mp.log(exact))))


def test_gaussian_epsilon_inverts_gaussian_delta():
    sigmas = guarantees.gaussian_sigma(EPSILONS, DELTAS)
    back = guarantees.gaussian_epsilon(DELTAS, sigmas)
    np.testing.assert_allclose(guarantees.gaussian_delta(back, sigmas), DELTAS, rtol=1e-12)
    assert guarantees.gaussian_epsilon(0.9, 1.0) == 0  # total variation is already below


def test_ten_thousand_sigmas_take_a_moment():
    sigmas = np.geomspace(0.01, 100, 10_000)
    start = perf_counter()
    values = guarantees.gaussian_delta(1.0, sigmas)
    assert perf_counter() - start < 0.9
    assert np.all(np.diff(values) <= 0)


def test_laplace_delta_to_twelve_digits_down_to_1e_12():
    scales = 10 ** RNG_BUDGETS.uniform(-3, 3, len(DELTAS))
    reach = scales * (EPSILONS - 2 * np.log1p(-DELTAS))
    values = guarantees.laplace_delta(EPSILONS, scales, reach)
    with mp.workdps(50):
        for e, s, r, value in zip(EPSILONS, scales, reach, values, strict=True):
            exact = -mp.expm1((mp.mpf(float(e)) - mp.mpf(float(r)) / mp.mpf(float(s))) / 2)
            assert relative(value, exact) < 1e-14


def test_laplace_epsilon_inverts_laplace_delta():
    epsilon = guarantees.laplace_epsilon([0.0, 1e-9, 0.2, 0.9], 0.5)
    np.testing.assert_allclose(
        guarantees.laplace_delta(epsilon[:3], 0.5), [0, 1e-9, 0.2], atol=1e-15
    )
    assert epsilon[0] == 2 and epsilon[3] == 0


@pytest.mark.parametrize(
    ("law", "delta"),
    [
        (stats.laplace(scale=0.8), lambda e: guarantees.laplace_delta(e, 0.8)),
        (stats.norm(scale=0.8), lambda e: guarantees.gaussian_delta(e, 0.8)),
    ],
)
def test_delta_is_the_integral_of_the_excess(law, delta):
    for epsilon in (0.0, 0.4, 1.0):

        def excess(z, e=epsilon):
            return max(law.pdf(z) - np.exp(e) * law.pdf(z + 1), 0.0)

        by_quadrature = sum(
            quad(excess, a, b, epsabs=1e-13, limit=200)[0]
            for a, b in ((-40, -1), (-1, -0.5), (-0.5, 0), (0, 40))
        )
        assert delta(epsilon) == pytest.approx(by_quadrature, rel=1e-8)


@pytest.mark.parametrize("order", [1, 1 + 1e-9, 1.2, 2, 30, np.inf])
@pytest.mark.parametrize("u", [1e-4, 0.3, 3.0, 20.0])
def test_renyi_curves_to_twelve_digits(order, u):
    with mp.workdps(60):
        a, v = mp.mpf(float(order)), mp.mpf(u)
        if order == 1:
            laplace, response = v + mp.expm1(-v), v * mp.tanh(v / 2)
        elif order == np.inf:
            laplace = response = v
        else:
            down = (a - 1) / (2 * a - 1) * mp.exp(-a * v)
            laplace = mp.log(a / (2 * a - 1) * mp.exp((a - 1) * v) + down) / (a - 1)
            response = mp.log((mp.exp(a * v) + mp.exp((1 - a) * v)) / (1 + mp.exp(v))) / (a - 1)
    assert relative(guarantees.laplace_renyi(order, 1.0, u), laplace) < 1e-12
    assert relative(guarantees.randomized_response_renyi(order, u), response) < 1e-12
    assert guarantees.gaussian_renyi(order, 2.0) == order / 8


@pytest.mark.parametrize("law", [stats.laplace, stats.norm])
def test_renyi_curves_by_quadrature(law):
    def log_ratio_moment(order):
        def density(z):
            return np.exp(order * law.logpdf(z) + (1 - order) * law.logpdf(z - 0.7))

        return sum(quad(density, a, b, epsabs=1e-14)[0] for a, b in ((-40, 0), (0, 0.7), (0.7, 40)))

    curve = guarantees.laplace_renyi if law is stats.laplace else guarantees.gaussian_renyi
    for order in (1.5, 2.0, 4.0):
        expected = np.log(log_ratio_moment(order)) / (order - 1)
        assert curve(order, 1.0, 0.7) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("law", "curve", "shift"),
    [
        (stats.laplace, guarantees.laplace_tradeoff, 0.8),
        (stats.norm, guarantees.gaussian_tradeoff, 0.8),
    ],
)
def test_tradeoff_curves_are_those_of_the_threshold_tests(law, curve, shift):
    threshold = np.linspace(-3, 4, 29)
    first, second = law.sf(threshold), law.cdf(threshold - shift)
    # The likelihood ratio rises with the output, so every threshold test is a best one.
    np.testing.assert_allclose(curve(shift, first), second, rtol=1e-10)


def test_a_fine_histogram_of_laplace_noise_has_its_parameters():
    edges = np.linspace(-20, 21, 41 * 50 + 1)  # 0 and 1 are edges: no bin mixes two slopes
    ends = np.concatenate([[-np.inf], edges, [np.inf]])
    # A bin's mass from the tail it lies in: the other difference cancels.
    rows = np.array(
        [
            np.where(
                ends[1:] <= shift + 1e-9,
                np.diff(stats.laplace.cdf(ends - shift)),
                -np.diff(stats.laplace.sf(ends - shift)),
            )
            for shift in (0.0, 1.0)
        ]
    )
    assert privacy.dp_epsilon(rows) == pytest.approx(1.0, rel=1e-9)
    for epsilon in (0.0, 0.5):
        # Binning is post-processing: it can only lower delta, and by little here.
        exact, binned = (
            guarantees.laplace_delta(epsilon, 1.0),
            privacy.privacy_profile(rows, epsilon),
        )
        assert exact * (1 - 1e-3) < binned < exact * (1 + 1e-12)
    kl = privacy.worst_divergence(rows, divergences.kl)
    assert np.exp(-1) * (1 - 1e-3) < kl < np.exp(-1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: guarantees.gaussian_delta(-1, 1), "epsilon must be at least 0"),
        (lambda: guarantees.gaussian_delta(1, 0), "sigma must be greater than 0"),
        (lambda: guarantees.laplace_delta(1, np.inf), "scale must be finite"),
        (lambda: guarantees.laplace_epsilon(1.0, 1), "delta must be less than 1"),
        (lambda: guarantees.gaussian_sigma(1, 0.0), "delta must be greater than 0"),
        (lambda: guarantees.laplace_renyi(0.5, 1), "order must be at least 1"),
        (lambda: guarantees.randomized_response_delta(1, 0.0), "budget must be greater than 0"),
        (lambda: guarantees.laplace_tradeoff(0.0, 0.5), "epsilon must be greater than 0"),
        (lambda: privacy.audit(print, 0, 1, runs=5), "runs must be at least 20"),
        (lambda: privacy.audit(print, 0, 1, level=1.0), "level must be less than 1"),
        (lambda: privacy.audit(lambda x, r, n: [0.0], 0, 1), "mechanism must return 100000"),
        (
            lambda: privacy.audit(lambda x, r, n: np.full(n, np.nan), 0, 1),
            "mechanism must return real numbers",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# The audit. Data: 20 bits, their sum released; the claim is epsilon = 1.

FIRST = np.array([1] * 5 + [0] * 15)
SECOND = np.array([1] * 6 + [0] * 14)


def laplace_sum(x, rng, size):
    return x.sum() + rng.laplace(0, 1, size)


def geometric_sum(x, rng, size):
    ratio = 1 - np.exp(-1)
    return x.sum() + rng.geometric(ratio, size) - rng.geometric(ratio, size)


def response_bit(x, rng, size):
    return x[5] ^ (rng.random(size) < 1 / (1 + np.e))


def wrong_scale(x, rng, size):
    return x.sum() + rng.laplace(0, 0.5, size)


def wrong_sensitivity(x, rng, size):  # a sum of values up to 4, noise for values up to 1
    return 4 * x.sum() + rng.laplace(0, 1, size)


def data_dependent_noise(x, rng, size):
    return x.sum() + rng.laplace(0, 1 + 3 * x[5], size)


def truncated_support(x, rng, size):
    return np.clip(x.sum() + rng.laplace(0, 1, size), x.sum() - 1, x.sum() + 1)


def no_noise_at_times(x, rng, size):
    return np.where(rng.random(size) < 0.01, x.sum(), x.sum() + rng.laplace(0, 1, size))


@pytest.mark.parametrize("mechanism", [laplace_sum, geometric_sum, response_bit])
def test_the_audit_passes_what_is_private_and_comes_close(mechanism):
    result = privacy.audit(mechanism, FIRST, SECOND, level=1 - ERROR_RATE, rng=1)
    assert not result.refutes(1.0)
    assert result.epsilon > 0.85


@pytest.mark.parametrize(
    "mechanism",
    [wrong_scale, wrong_sensitivity, data_dependent_noise, truncated_support, no_noise_at_times],
)
def test_the_audit_catches_what_is_not(mechanism):
    result = privacy.audit(mechanism, FIRST, SECOND, level=1 - ERROR_RATE, rng=2)
    assert result.refutes(1.0)


def test_the_audit_allows_a_delta():
    def noise(x, rng, size):
        return x.sum() + rng.normal(0, 1, size)

    delta = float(guarantees.gaussian_delta(1.0, 1.0))
    assert privacy.audit(noise, FIRST, SECOND, level=1 - ERROR_RATE, rng=3).refutes(1.0)
    allowed = privacy.audit(noise, FIRST, SECOND, delta=delta, level=1 - ERROR_RATE, rng=3)
    assert not allowed.refutes(1.0)


@pytest.mark.long
def test_the_level_of_the_audit_is_honest():
    # 400 audits of a private mechanism at level 0.8: each errs with probability at most 0.2.
    errors = sum(
        privacy.audit(laplace_sum, FIRST, SECOND, runs=400, level=0.8, rng=seed).refutes(1.0)
        for seed in range(400)
    )
    assert stats.binomtest(errors, 400, 0.2, alternative="greater").pvalue > ERROR_RATE


def test_an_audit_is_repeatable_and_says_what_it_saw():
    result = privacy.audit(truncated_support, FIRST, SECOND, runs=2000, rng=7)
    assert result == privacy.audit(truncated_support, FIRST, SECOND, runs=2000, rng=7)
    assert result.runs == 1000 and max(result.hits) <= 1000
    low, high = result.event
    outputs = truncated_support(SECOND if result.likelier else FIRST, np.random.default_rng(0), 999)
    assert np.any((outputs >= low) & (outputs <= high))
