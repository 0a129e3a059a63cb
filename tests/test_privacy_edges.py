"""Privacy at the ends of its ranges: large and tiny budgets, tiny levels, what must be refused."""

import mpmath as mp
import numpy as np
import pytest

from minimaxdp import definitions, divergences, guarantees, privacy

FLIP = [[0.75, 0.25], [0.25, 0.75]]


def response(epsilon):
    lie = 1 / (1 + np.exp(epsilon))
    return np.array([[1 - lie, lie], [lie, 1 - lie]])


# Zero-concentrated privacy where no order is left to try


@pytest.mark.parametrize("epsilon", [37.5, 38.0, 40.0, 100.0, 700.0])
def test_concentrated_privacy_of_large_budgets(epsilon):
    # epsilon tanh(epsilon/2) rounds to epsilon, so that order 1 attains the infinite order.
    found = guarantees.zcdp_rho(response(epsilon))
    assert found.low == pytest.approx(epsilon, rel=1e-15) and found.low <= found.high
    curve = guarantees.supremum_over_orders(
        lambda a: guarantees.randomized_response_renyi(a, epsilon), epsilon
    )
    assert curve.low == pytest.approx(epsilon, rel=1e-15) and curve.high >= curve.low
    assert definitions.report(response(epsilon)).zcdp == found


# The best delta of a Renyi level


def bernoulli_renyi(order, s, t):
    """Between bits of log-odds s and t."""
    laws = [(1 / (1 + mp.exp(-sign * s)), 1 / (1 + mp.exp(-sign * t))) for sign in (1, -1)]
    if order == 1:
        return sum(p * mp.log(p / q) for p, q in laws)
    return mp.log(sum(p**order * q ** (1 - order) for p, q in laws)) / (order - 1)


def best_delta(order, level, epsilon, about):
    """At fifty digits: the border by bisection, its best point near a place by golden sections."""
    with mp.workdps(50):
        order, level, epsilon = mp.mpf(order), mp.mpf(level), mp.mpf(epsilon)

        def delta(t):
            low, high = mp.mpf(0), mp.mpf(400)
            for _ in range(100):
                gap = (low + high) / 2
                both = bernoulli_renyi(order, t + gap, t), bernoulli_renyi(order, t, t + gap)
                low, high = (gap, high) if max(both) < level else (low, gap)
            return 1 / (1 + mp.exp(-t - low)) - mp.exp(epsilon) / (1 + mp.exp(-t))

        left, right = mp.mpf(about) - 1, mp.mpf(about) + 1
        share = (mp.sqrt(5) - 1) / 2
        first, second = right - share * (right - left), left + share * (right - left)
        here, there = delta(first), delta(second)
        for _ in range(50):
            if here > there:
                right, second, there = second, first, here
                first = right - share * (right - left)
                here = delta(first)
            else:
                left, first, here = first, second, there
                second = left + share * (right - left)
                there = delta(second)
        return float(max(here, there))


@pytest.mark.parametrize(
    ("order", "level", "epsilon", "about"),
    [
        (1, 1e-16, 0, 0),
        (1 + 1e-14, 1e-6, 0, 0),
        (2, 1e-12, 1e-7, -0.5),
        (100, 1e-12, 1e-7, -0.5),
        (1, 1e-16, 0.5, -36.5),
        (2, 0.1, 300, -603.6),
        (1.5, 0.3, 0.5, -1),
    ],
)
def test_the_best_delta_at_high_precision(order, level, epsilon, about):
    found = guarantees.renyi_to_delta(order, level, epsilon)
    assert found == pytest.approx(best_delta(order, level, epsilon, about), rel=1e-12, abs=0)


def test_the_best_delta_of_tiny_levels_is_never_too_small():
    for level in (1e-6, 1e-10, 1e-12, 1e-14, 1e-16, 1e-100, 1e-300):
        known = float(guarantees.kl_to_total_variation(level))
        assert guarantees.renyi_to_delta(1, level, 0.0) == pytest.approx(known, rel=1e-14, abs=0)
        # Between bits of even odds D_a is a u^2/8 and delta u/4, up to relative order u^2.
        for order in (2, 7.5):
            if level * order < 1e-9:
                expected = np.sqrt(level / (2 * order))
                found = guarantees.renyi_to_delta(order, level, 0.0)
                assert found == pytest.approx(expected, rel=1e-8, abs=0)


def test_the_best_delta_at_a_corner_of_the_border():
    # Symmetric bits are best here, where both divergences bind and a search only comes near.
    level, order = 5.0, 1.5
    worst = guarantees.worst_binary_channel(order, level, 2.0)
    assert worst[0, 0] == worst[1, 1]
    delta = worst[0, 0] - np.exp(2.0) * worst[1, 0]
    assert guarantees.renyi_to_delta(order, level, 2.0) == pytest.approx(delta, rel=1e-14)


def test_the_best_delta_beyond_all_orders_and_levels():
    assert guarantees.renyi_to_delta(1e308, 0.1, 0.0) == pytest.approx(np.tanh(0.05), rel=1e-12)
    assert guarantees.renyi_to_delta(1, 1e308, 700.0) == 1.0
    nothing = guarantees.renyi_to_delta(1e9, 1.0, 5.0)
    assert nothing == 0 and not np.signbit(nothing)


@pytest.mark.parametrize("level", [0.0, 5e-324, 1e-320, 1e-200, 1e-50])
def test_total_variation_of_tiny_levels(level):
    with mp.workdps(30):
        expected = float(mp.sqrt(mp.mpf(level) / 2))
    assert guarantees.kl_to_total_variation(level) == pytest.approx(expected, rel=1e-15, abs=0)


# Posteriors


@pytest.mark.parametrize(
    ("epsilon", "prior"),
    [(40.0, 1.0), (35.0, 1 - 1e-15), (20.0, 1 - 1e-9), (1.0, 0.0), (700.0, 0.5), (700.0, 1.0)],
)
def test_posterior_range_of_priors_near_one(epsilon, prior):
    with mp.workdps(50):
        odds = mp.exp(mp.mpf(epsilon))
        prior_ = mp.mpf(prior)
        low = float(prior_ / (prior_ + (1 - prior_) * odds))
        high = float(prior_ / (prior_ + (1 - prior_) / odds))
    found = guarantees.posterior_range(prior, epsilon)
    assert found == (pytest.approx(low, rel=1e-15), pytest.approx(high, rel=1e-15))


# Noise: no warning, no NaN


@pytest.mark.parametrize(
    ("delta", "sigma", "expected"), [(1e-3, 1000.0, 0), (0.5, 100.0, 0), (0.999, 0.5, 0)]
)
def test_no_epsilon_where_total_variation_is_below_delta(delta, sigma, expected):
    assert guarantees.gaussian_epsilon(delta, sigma) == expected


@pytest.mark.parametrize("delta", [1e-250, 1e-281, 1e-300, 1e-308, 1e-320])
@pytest.mark.parametrize("epsilon", [1e-5, 1.0, 100.0])
def test_gaussian_noise_at_deltas_that_are_hardly_doubles(epsilon, delta):
    sigma = float(guarantees.gaussian_sigma(epsilon, delta))
    with mp.workdps(60):
        mu, e = 1 / mp.mpf(sigma), mp.mpf(epsilon)
        first = mp.erfc((e / mu - mu / 2) / mp.sqrt(2)) / 2
        second = mp.exp(e) * mp.erfc((e / mu + mu / 2) / mp.sqrt(2)) / 2
        # The exponent of 700 nats costs three digits, a delta of few bits the rest.
        assert float((first - second) / mp.mpf(delta)) == pytest.approx(1, rel=1e-10)
    assert guarantees.gaussian_epsilon(delta, sigma) == pytest.approx(epsilon, rel=1e-10)


def test_gaussian_epsilon_of_hardly_any_noise():
    # Beyond mu = 1e8 the first term is all: epsilon = mu (mu/2 + z) with Phi(-z) = delta.
    for mu in (1e9, 1e11, 1e20, 1e150):
        with mp.workdps(50):
            z = mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf("0.01"))
            expected = float(mp.mpf(mu) * (mp.mpf(mu) / 2 + z))
        assert guarantees.gaussian_epsilon(0.01, 1.0, mu) == pytest.approx(expected, rel=1e-14)


def test_every_function_of_noise_is_a_number_on_its_whole_range():
    epsilons = np.array([0, 5e-324, 1e-320, 1e-100, 1e-8, 1, 700, 2000, 1e8, 1e20, 1e308])
    deltas = np.array([5e-324, 1e-320, 1e-300, 1e-250, 1e-100, 1e-8, 0.5, 1 - 1e-16])
    alphas = np.r_[0, deltas, 1]
    ratios = np.array([1e-150, 1e-100, 1e-20, 1e-3, 1, 1e3, 1e20, 1e100, 1e150])
    orders = np.array([1, 1 + 2e-16, 2, 1e10, 1e299, 1.1e300, 1e308, np.inf])
    scales = np.array([1e-320, 1, 1e302])
    columns = np.s_[:, None]
    values = [
        guarantees.laplace_delta(epsilons[columns], scales[1], ratios),
        guarantees.laplace_delta(epsilons[columns], scales, scales),
        guarantees.laplace_epsilon(deltas[columns], scales[1], ratios),
        guarantees.laplace_renyi(orders[columns], scales[1], ratios),
        guarantees.gaussian_delta(epsilons[columns], scales[1], ratios),
        guarantees.gaussian_epsilon(deltas[columns], scales[1], ratios),
        guarantees.gaussian_sigma(epsilons[columns], deltas),
        guarantees.gaussian_renyi(orders[columns], scales[1], ratios),
        guarantees.randomized_response_renyi(orders[columns], [1e-320, 1e-8, 1.0, 700.0]),
        guarantees.randomized_response_delta(epsilons[columns], [1e-320, 1.0, 700.0]),
        guarantees.randomized_response_epsilon(deltas[columns], [1e-320, 1.0, 700.0]),
        guarantees.pure_to_zcdp(epsilons),
        guarantees.approximate_to_total_variation(epsilons[columns], deltas),
        guarantees.approximate_to_chtp(epsilons[:, None, None], deltas[columns], deltas),
        guarantees.kl_to_total_variation(epsilons),
        guarantees.approximate_tradeoff(epsilons[columns], alphas),
        guarantees.gaussian_tradeoff(epsilons[columns], alphas),
        guarantees.laplace_tradeoff([[1e-320], [1.0], [700.0]], alphas),
    ]
    for value in values:
        assert not np.isnan(value).any() and (value >= 0).all()


def test_laplace_delta_of_scales_at_the_ends():
    expected = -np.expm1(-0.5)
    assert guarantees.laplace_delta(0.0, 1e-320, 1e-320) == pytest.approx(expected, rel=1e-15)
    assert guarantees.laplace_delta(1.0, 1e302, 2e302) == pytest.approx(expected, rel=1e-15)
    assert guarantees.laplace_delta(1.0, 1e302, 1e305) == 1.0
    assert guarantees.laplace_delta([800.0, 2000.0, 1e308], 1.0).tolist() == [0, 0, 0]


def test_the_renyi_curve_ends_in_the_infinite_order():
    assert guarantees.laplace_renyi(1e308, 2.0) == guarantees.laplace_renyi(np.inf, 2.0) == 0.5
    assert (
        guarantees.randomized_response_renyi(1e308, 2.0)
        == guarantees.randomized_response_renyi(np.inf, 2.0)
        == 2.0
    )


def test_a_curve_where_the_factor_overflows_and_the_product_does_not():
    with mp.workdps(50):
        expected = float(1 - mp.exp(720) * mp.mpf(1e-320))
    assert guarantees.approximate_tradeoff(720.0, 1e-320) == pytest.approx(expected, rel=1e-12)


# Probabilities that are hardly doubles

HARDLY = [[0.5, 0.5], [1e-320, 1.0]]


def test_finite_mechanisms_with_probabilities_that_are_hardly_doubles():
    pure = privacy.dp_epsilon(HARDLY)
    assert pure == np.log(0.5) - np.log(1e-320)
    assert privacy.epsilon_at_delta(HARDLY, 0.0) == pure
    with mp.workdps(50):
        expected = float(mp.log((mp.mpf(0.5) - mp.mpf(0.25)) / mp.mpf(1e-320)))
    assert privacy.epsilon_at_delta(HARDLY, 0.25) == pytest.approx(expected, rel=1e-14)
    assert definitions.bounded_range(HARDLY) == pytest.approx(pure + np.log(2), rel=1e-15)
    assert np.isfinite(guarantees.zcdp_rho(HARDLY).high)
    assert definitions.metric_dp_epsilon(FLIP, [[0, 1e-320], [1e-320, 0]]) == np.inf
    for eta in (1e-300, 1e-8, 0.5, 1.0):
        assert 0 <= definitions.chtp_epsilon(HARDLY, eta) <= 1
    alpha, beta = privacy.tradeoff_curve([1e-320, 0.0, 1.0], [0.4, 0.1, 0.5])
    assert beta.tolist() == [0.9, 0.5, 0.0]  # what the first law rules out comes first


def test_a_curve_whose_slope_is_beyond_a_double():
    # One way round the curve falls from 1 to 0.5 within 1e-320, the other way to 0 at 0.5.
    found = privacy.tradeoff(HARDLY, [0.0, 1e-320, 0.25, 0.5, 1.0])
    assert found == pytest.approx([1, 0.5, 0.375, 0, 0], abs=1e-15)


def test_concentrated_privacy_of_a_curve_with_a_distant_limit():
    # The curve is asked up to order 1e70, beyond which D_a/a is below 1e-65.
    found = guarantees.supremum_over_orders(lambda a: np.full_like(a, 1e-80), 1e5)
    assert found.low == 1e-80 and found.high == pytest.approx(1e-65, rel=1e-12)
    with pytest.raises(ValueError, match="^pure must be at most 1e[+]70"):
        guarantees.supremum_over_orders(lambda a: np.full_like(a, 0.5), 1e308)


# What is refused


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: guarantees.renyi_to_delta(1, 1e-320, 0.0),
            ValueError,
            "level must be at least 1e-3",
        ),
        (
            lambda: guarantees.worst_binary_channel(1, 1.0, 701.0),
            ValueError,
            "epsilon must be at most 700",
        ),
        (
            lambda: guarantees.gaussian_delta(1.0, 1e-200),
            ValueError,
            "sensitivity must be between 1e-150 and 1e[+]150 times sigma",
        ),
        (
            lambda: guarantees.laplace_epsilon(0.0, 1e300, 1e-100),
            ValueError,
            "sensitivity must be between 1e-150 and 1e[+]150 times scale",
        ),
        (
            lambda: guarantees.gaussian_sigma(1, 0.1, 1e200),
            ValueError,
            "sensitivity must be at most",
        ),
        (lambda: guarantees.supremum_over_orders(3, 1.0), TypeError, "renyi must be callable"),
        (
            lambda: guarantees.supremum_over_orders(lambda a: a * np.nan, 1.0),
            ValueError,
            "renyi must return finite values",
        ),
        (
            lambda: guarantees.supremum_over_orders(lambda a: 1.0, 1.0),
            ValueError,
            r"renyi must return shape \(1,\)",
        ),
        (
            lambda: guarantees.supremum_over_orders(lambda a: -a, 1.0),
            ValueError,
            "renyi must return 1 divergences of at least 0",
        ),
        (lambda: privacy.worst_divergence(FLIP, "kl"), TypeError, "divergence must be callable"),
        (lambda: privacy.datasets(2, 10**9), ValueError, "n must leave at most 131072 data sets"),
        (lambda: privacy.datasets(2, 10**9, "add-remove"), ValueError, "n must leave at most"),
        (lambda: privacy.datasets(1, 10**9, "add-remove"), ValueError, "n must leave at most"),
        (lambda: privacy.datasets(1, 131_000, "add-remove"), ValueError, "n must leave arrays of"),
        (lambda: privacy.datasets(2, 2, np.array(["a"])), TypeError, "relation must be one of"),
        (lambda: privacy.distances([(0,), (10**9,)]), ValueError, "worlds must leave arrays of"),
        (lambda: privacy.distances(np.zeros((10**5, 1), int)), ValueError, "worlds must leave arr"),
        (lambda: privacy.distances(3), TypeError, "worlds must be a list of data sets, got 3"),
        (lambda: privacy.distances([0, 1]), ValueError, "worlds must hold data sets of one length"),
        (lambda: privacy.dp_epsilon(np.ones((20_000, 1))), ValueError, "pairs must leave arrays"),
        (
            lambda: privacy.Audit(np.nan, 0.9, (0, 1), 0, (1, 1), 9),
            ValueError,
            "epsilon must be fin",
        ),
        (lambda: privacy.Audit(1, 0.9, (1, 0), 0, (1, 1), 9), ValueError, "event must be an inter"),
        (lambda: privacy.Audit(1, 0.9, (0, 1), 0, (1, 10), 9), ValueError, "hits must be at most"),
        (lambda: privacy.Audit(1, 0.9, (0, 1), 0, 1, 9), ValueError, "hits must be two counts"),
        (
            lambda: privacy.audit(lambda x, rng, size: x + np.zeros(size), 0, None),
            ValueError,
            r"mechanism must accept second, but raised TypeError\(",
        ),
        (
            lambda: privacy.worst_divergence(FLIP, divergences.renyi, order=[1, 2]),
            TypeError,
            "order must be a single value, got a list",
        ),
        (
            lambda: privacy.worst_divergence(FLIP, lambda p, q: p),
            ValueError,
            "divergence must return 2 numbers for 2 pairs of laws",
        ),
        (lambda: privacy.datasets(10**9, 2), ValueError, "n must leave .* alphabet = 1000000000"),
        (lambda: privacy.audit(3, 0, 1), TypeError, "mechanism must be callable, got 3"),
        (
            lambda: privacy.audit(lambda x, rng, size: np.zeros(size), 0, 1, runs=10**10),
            ValueError,
            "runs must leave arrays of at most 2 GiB",
        ),
        (
            lambda: privacy.audit(lambda x, rng, size: ["a"] * size, 0, 1),
            TypeError,
            "mechanism must return real numbers, got type",
        ),
        (
            lambda: privacy.audit(lambda x, rng, size: np.zeros(size), 0, 1, rng="abc"),
            TypeError,
            "rng must be a Generator, a seed or None, got 'abc'",
        ),
        (
            lambda: privacy.Audit(1.0, 0.9, (0, 1), 0, (1, 1), 9).refutes([0.5, 2.0]),
            ValueError,
            "epsilon must be a single number",
        ),
    ],
)
def test_bad_input_is_named(call, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        call()
