"""Bad input is refused by name, with the condition it violates, before any work is done."""

import numpy as np
import pytest

from minimaxdp import _validate, channels, divergences, lower_bounds, privacy, risk
from minimaxdp import randomized_response as rr
from minimaxdp.guarantees import Local, NonPrivate, Pure

FLIP = [[0.75, 0.25], [0.25, 0.75]]
HALF = [0.5, 0.5]
BINARY, UNARY, KARY = rr.BinaryRR(1.0), rr.SymmetricUnary(1.0, 3), rr.KaryRR(1.0, 3)

# What is wrong with a value, as (value, exception, condition in the message).
EPSILONS = [
    (0, ValueError, "must be greater than 0, got 0"),
    (-1.0, ValueError, "must be greater than 0, got -1"),
    (np.nan, ValueError, "must be finite, got nan"),
    (np.inf, ValueError, "must be finite, got inf"),
    (701, ValueError, "must be at most 700, got 701"),
    (True, TypeError, "must be real numbers, got True of type bool"),
    ("1", TypeError, "must be real numbers, got '1'"),
    (None, TypeError, "must be real numbers, got None"),
    (1j, TypeError, "must be real numbers, got 1j"),
    ([], ValueError, "must not be empty"),
]
ARRAYS = [
    ([1, 2], ValueError, r"must be a single number, got an array of shape \(2,\)"),
    ([1], ValueError, r"must be a single number, got an array of shape \(1,\)"),
]
SIZES = [
    (0, ValueError, "must be at least 1, got 0"),
    (-3, ValueError, "must be at least 1, got -3"),
    (10.0, TypeError, "must be integers, got 10.0 of type float64"),
    (True, TypeError, "must be integers, got True of type bool"),
    ("10", TypeError, "must be integers, got '10'"),
    (None, TypeError, "must be integers, got None"),
    (2**63, ValueError, "must be at most 9223372036854775807"),
    (2**70, TypeError, "must be integers, got 1180591620717411303424 of type object"),
]
LAWS = [
    ([0.5, 0.4], ValueError, "must sum to one along the last axis, got 0.9"),
    ([0.5, 0.5 + 2e-9], ValueError, "must sum to one along the last axis"),
    ([1.5, -0.5], ValueError, "must be at least 0, got -0.5"),
    ([1.5, 0.0], ValueError, "must be at most 1, got 1.5"),
    ([0.5, np.nan], ValueError, "must be finite, got nan"),
    ([0.5, np.inf], ValueError, "must be finite, got inf"),
    ([True, False], TypeError, "must be real numbers, got True of type bool"),
    (["a", "b"], TypeError, "must be real numbers, got 'a'"),
    ([], ValueError, "must not be empty"),
    (1.0, ValueError, "must hold at least one probability along its last axis"),
]
CHANNELS = [
    *(([value, HALF], kind, message) for value, kind, message in LAWS[:6]),
    ([], ValueError, "must not be empty"),
    ([[]], ValueError, "must not be empty"),
    ([[1, 0], [1]], ValueError, "must be a rectangular array"),
    ([True, False], TypeError, "must be real numbers"),
    (HALF, ValueError, r"must be a matrix \(inputs, outputs\), got 1 axes"),
    ([FLIP], ValueError, r"must be a matrix \(inputs, outputs\), got 3 axes"),
]
BITS = [
    ([0, 2], ValueError, "must be 0 or 1, got 2"),
    ([0, -1], ValueError, "must be 0 or 1, got -1"),
    ([0, 256], ValueError, "must be 0 or 1, got 256"),  # not taken modulo 256
    ([0.0, 1.0], TypeError, "must be 0 and 1 of an integer or boolean type, got 0.0"),
    ("0110", TypeError, "must be 0 and 1 of an integer or boolean type, got '0110'"),
    ([True, "yes"], TypeError, "must be 0 and 1 of an integer or boolean type, got 'True'"),
    ([1, None], TypeError, "must be 0 and 1 of an integer or boolean type, got 1 of type object"),
    ([], ValueError, "must not be empty"),
    (1, ValueError, "must be an array of records, got the single value"),
    ([[0, 1], [1]], ValueError, "must be a rectangular array"),
]
CATEGORIES = [
    ([0, 3], ValueError, r"must lie in 0, \.\.\., 2, got 3"),
    ([0, -1], ValueError, r"must lie in 0, \.\.\., 2, got -1"),
    ([0.0, 1.0], TypeError, "must be integers, got 0.0 of type float64"),
    ([0, np.nan], TypeError, "must be integers, got 0.0 of type float64"),
    ([True, False], TypeError, "must be integers, got True of type bool"),
    ([True, "yes"], TypeError, "must be integers, got 'True'"),
    (["0", "1"], TypeError, "must be integers, got '0'"),
    ([], ValueError, "must not be empty"),
    (1, ValueError, "must be an array of records, got the single value"),
]
COUNTS = [
    ([0, 0, 0], ValueError, "must count at least one record"),
    ([[1, 0, 0], [0, 0, 0]], ValueError, "must count at least one record"),
    ([2, -1, 0], ValueError, "must be at least 0, got -1"),
    ([1.0, 2.0, 3.0], TypeError, "must be integers, got 1.0"),
    (3, ValueError, "must be a vector of counts, got a single number"),
    ([], ValueError, "must not be empty"),
]
LEVELS = [
    (0, ValueError, "must be greater than 0, got 0"),
    (1, ValueError, "must be less than 1, got 1"),
    (np.nan, ValueError, "must be finite, got nan"),
    ("0.95", TypeError, "must be real numbers, got '0.95'"),
]
PROPORTIONS = [
    (-0.1, ValueError, "must be at least 0, got -0.1"),
    (1.1, ValueError, "must be at most 1, got 1.1"),
    (np.nan, ValueError, "must be finite, got nan"),
]
POSITIVE = [
    ([1.0, 2.0, 0.0], ValueError, "must be greater than 0, got 0"),
    ([1.0, 2.0, -3.0], ValueError, "must be greater than 0, got -3"),
    ([1.0, 2.0, np.inf], ValueError, "must be finite, got inf"),
    (["1", "2", "3"], TypeError, "must be real numbers, got '1'"),
    ([], ValueError, "must not be empty"),
]


def uniform(rng, size):
    return rng.random(size)


def local_floor(n, epsilon, d, **options):
    return lower_bounds.multinomial_floor(n, d, Local(Pure(epsilon)), **options)


# Which argument of which function, as (its name, call with a value, the faults it must refuse).
ARGUMENTS = [
    ("epsilon", rr.BinaryRR, EPSILONS + ARRAYS),
    ("epsilon", lambda v: rr.SymmetricUnary(v, 3), EPSILONS + ARRAYS),
    ("epsilon", lambda v: rr.KaryRR(v, 3), EPSILONS + ARRAYS),
    ("epsilon", lambda v: rr.binary_variance(v, 10), EPSILONS),
    ("epsilon", lambda v: rr.unary_risk(v, HALF, 10), EPSILONS),
    ("epsilon", lambda v: rr.kary_risk(v, HALF, 10), EPSILONS),
    ("epsilon", lambda v: rr.effective_sample_size(v, HALF, 10), EPSILONS),
    ("epsilon", lambda v: rr.survey_crossover(0.3, 0.2, v), EPSILONS),
    ("epsilon", lower_bounds.local_contraction, EPSILONS),
    ("epsilon", lower_bounds.hellinger_contraction, EPSILONS),
    ("epsilon", lambda v: local_floor(10, v, 3), EPSILONS),
    ("epsilon", lambda v: divergences.hockey_stick(HALF, HALF, v), EPSILONS[2:4] + EPSILONS[5:]),
    ("n", lambda v: rr.binary_variance(1.0, v), SIZES),
    ("n", lambda v: rr.unary_risk(1.0, HALF, v), SIZES),
    ("n", lambda v: rr.kary_risk(1.0, HALF, v), SIZES),
    ("n", lambda v: rr.effective_sample_size(1.0, HALF, v), SIZES),
    ("n", lambda v: rr.evasive_survey_risk(0.3, 0.2, v), SIZES),
    ("n", BINARY.variance, SIZES),
    ("n", lambda v: BINARY.risk(0.3, v), SIZES),
    ("n", lambda v: UNARY.risk([0.2, 0.3, 0.5], v), SIZES),
    ("n", lambda v: KARY.risk([0.2, 0.3, 0.5], v), SIZES),
    ("n", lambda v: BINARY.estimate(0, v), SIZES + ARRAYS),
    ("n", lambda v: BINARY.interval(0, v), SIZES + ARRAYS),
    ("n", lambda v: BINARY.privatize_counts(0, v), SIZES + ARRAYS),
    ("n", lambda v: UNARY.estimate([0, 0, 0], v), SIZES + ARRAYS),
    ("n", lambda v: KARY.estimate([0, 0, 0], v), SIZES + ARRAYS),
    ("n", lambda v: channels.power(FLIP, v), SIZES + ARRAYS),
    ("n", lambda v: lower_bounds.multinomial_floor(v, 3, NonPrivate()), SIZES),
    ("n", lambda v: local_floor(v, 1.0, 3), SIZES),
    ("n", lambda v: lower_bounds.mean_floor(v, 3, Pure(1.0)), SIZES),
    ("d", lambda v: lower_bounds.mean_floor(3, v, Pure(1.0)), SIZES),
    ("n", lambda v: lower_bounds.endpoint_floor(v, Pure(1.0)), SIZES),
    ("theta", lambda v: rr.unary_risk(1.0, v, 10), LAWS),
    ("theta", lambda v: rr.kary_risk(1.0, v, 10), LAWS),
    ("theta", lambda v: rr.effective_sample_size(1.0, v, 10), LAWS),
    ("theta", lambda v: rr.SymmetricUnary(1.0, 2).risk(v, 10), LAWS),
    ("theta", lambda v: rr.KaryRR(1.0, 2).risk(v, 10), LAWS),
    ("theta", lambda v: BINARY.risk(v, 10), PROPORTIONS),
    ("theta", lambda v: rr.evasive_survey_risk(v, 0.2, 10), PROPORTIONS),
    ("evasion", lambda v: rr.evasive_survey_risk(0.3, v, 10), PROPORTIONS),
    ("theta", lambda v: rr.survey_crossover(v, 0.2, 1.0), PROPORTIONS[1:]),
    ("evasion", lambda v: rr.survey_crossover(0.3, v, 1.0), PROPORTIONS[1:]),
    ("prior", lambda v: channels.marginal(FLIP, v), LAWS),
    ("prior", lambda v: channels.posterior(FLIP, v), LAWS),
    ("p", lambda v: divergences.total_variation(v, HALF), LAWS),
    ("q", lambda v: divergences.total_variation(HALF, v), LAWS),
    ("p", lambda v: divergences.squared_hellinger(v, HALF), LAWS),
    ("p", lambda v: divergences.chi_square(v, HALF), LAWS),
    ("p", lambda v: divergences.kl(v, HALF), LAWS),
    ("q", lambda v: divergences.renyi(HALF, v, 2), LAWS),
    ("q", lambda v: divergences.max_divergence(HALF, v), LAWS),
    ("q", lambda v: divergences.hockey_stick(HALF, v, 0.1), LAWS),
    ("q", lambda v: divergences.f_divergence(HALF, v, np.log), LAWS),
    ("first", channels.cascade, CHANNELS),
    (r"then\[0\]", lambda v: channels.cascade(FLIP, v), CHANNELS),
    (r"channels\[1\]", lambda v: channels.parallel_product(FLIP, v), CHANNELS),
    ("channel", lambda v: channels.power(v, 2), CHANNELS),
    ("channel", lambda v: channels.marginal(v, HALF), CHANNELS),
    ("channel", lambda v: channels.posterior(v, HALF), CHANNELS),
    ("channel", privacy.dp_epsilon, CHANNELS),
    ("channel", lambda v: channels.sample(v, [0]), CHANNELS),
    ("channel", lambda v: channels.sample_counts(v, [1, 1]), CHANNELS),
    ("bits", BINARY.privatize, BITS),
    ("reports", UNARY.tally, BITS),
    ("categories", UNARY.privatize, CATEGORIES),
    ("categories", KARY.privatize, CATEGORIES),
    ("reports", KARY.tally, CATEGORIES),
    ("inputs", lambda v: channels.sample(np.eye(3), v), CATEGORIES),
    ("counts", UNARY.privatize_counts, COUNTS),
    ("counts", KARY.privatize_counts, COUNTS),
    ("counts", lambda v: channels.sample_counts(np.eye(3), v), COUNTS),
    ("level", lambda v: BINARY.interval(3, 10, v), LEVELS),
    ("level", lambda v: risk.MonteCarlo(1.0, 0.1, 10).interval(v), LEVELS),
    ("level", lambda v: risk.fit_power_law([1, 2, 3], n=[1, 2, 4], level=v), LEVELS),
    ("error_rate", lambda v: risk.MonteCarlo(1.0, 0.1, 10).agrees_with(1, error_rate=v), LEVELS),
    ("values", lambda v: risk.fit_power_law(v, n=[1, 2, 4]), POSITIVE),
    ("n", lambda v: risk.fit_power_law([1, 2, 3], n=v), POSITIVE),
    (
        "standard_errors",
        lambda v: risk.fit_power_law([1, 2, 3], n=[1, 2, 4], standard_errors=v),
        POSITIVE,
    ),
    ("block", lambda v: risk.monte_carlo(uniform, 10, block=v), SIZES + ARRAYS),
]

# Faults of one function only: the whole call, the exception and the message.
CALLS = [
    (lambda: rr.SymmetricUnary(1.0, 1), ValueError, "d must be at least 2, got 1"),
    (lambda: rr.KaryRR(1.0, 1), ValueError, "d must be at least 2, got 1"),
    (lambda: rr.KaryRR(1.0, 3.0), TypeError, "d must be integers, got 3.0 of type float64"),
    (lambda: rr.SymmetricUnary(1.0, True), TypeError, "d must be integers, got True of type bool"),
    (lambda: rr.SymmetricUnary(1.0, [2, 3]), ValueError, "d must be a single number, got an array"),
    (lambda: rr.KaryRR(1.0, [2, 3]), ValueError, "d must be a single number, got an array"),
    (lambda: risk.monte_carlo(uniform, [9, 9]), ValueError, "replications must be a single number"),
    (lambda: rr.SymmetricUnary(1.0, 17).channel(), ValueError, "d must be at most 16"),
    (
        lambda: lower_bounds.multinomial_floor(5, 1, NonPrivate()),
        ValueError,
        "d must be at least 2, got 1",
    ),
    (lambda: local_floor(5, 1.0, 1), ValueError, "d must be at least 2, got 1"),
    (lambda: local_floor(5, 1.0, [2, 1]), ValueError, "d must be at least 2, got 1"),
    (
        lambda: local_floor(5, 1.0, 2, norm="max"),
        ValueError,
        "norm must be one of l1, l2, got 'max'",
    ),
    (lambda: BINARY.estimate(11, 10), ValueError, "reported_ones must be at most 10, got 11"),
    (lambda: BINARY.estimate(-1, 10), ValueError, "reported_ones must be at least 0, got -1"),
    (lambda: BINARY.estimate(1.0, 10), TypeError, "reported_ones must be integers, got 1.0"),
    (lambda: BINARY.interval(11, 10), ValueError, "reported_ones must be at most 10, got 11"),
    (lambda: BINARY.privatize_counts(11, 10), ValueError, "ones must be at most 10, got 11"),
    (lambda: UNARY.estimate([1, 4, 1], 3), ValueError, "tally must be at most 3, got 4"),
    (lambda: UNARY.estimate([1, 1], 3), ValueError, "tally must have 3 entries"),
    (lambda: UNARY.estimate(1, 3), ValueError, "tally must have 3 entries"),
    (lambda: KARY.estimate([1.0, 1.0, 1.0], 3), TypeError, "tally must be integers, got 1.0"),
    (lambda: KARY.estimate([1, 1, 0], 3), ValueError, "tally must sum to n = 3"),
    (lambda: UNARY.tally([[0, 1]]), ValueError, r"reports must have shape \(n, 3\)"),
    (lambda: UNARY.privatize([[0, 1]]), ValueError, "categories must be a vector of records"),
    (lambda: KARY.tally([[0, 1]]), ValueError, "reports must be a vector of records"),
    (lambda: UNARY.privatize_counts([1, 2]), ValueError, "counts must have 3 entries"),
    (lambda: UNARY.risk(HALF, 10), ValueError, "theta must have 3 probabilities, got 2"),
    (lambda: KARY.risk(HALF, 10), ValueError, "theta must have 3 probabilities, got 2"),
    (lambda: rr.kary_risk(1, [1.0], 10), ValueError, "theta must have at least 2 categories"),
    (lambda: rr.survey_crossover(0, 0.2, 1), ValueError, "theta must be greater than 0, got 0"),
    (lambda: rr.survey_crossover(0.3, 0, 1), ValueError, "evasion must be greater than 0, got 0"),
    (lambda: rr.project_to_simplex([np.inf, 0]), ValueError, "vectors must be finite, got inf"),
    (lambda: rr.project_to_simplex(1.0), ValueError, "vectors must have at least one axis"),
    (lambda: rr.project_to_simplex([]), ValueError, "vectors must not be empty"),
    (lambda: rr.project_to_simplex(["a"]), TypeError, "vectors must be real numbers, got 'a'"),
    (lambda: channels.parallel_product(), ValueError, "channels must hold at least one channel"),
    (
        lambda: channels.cascade(FLIP, FLIP, [[1.0]]),
        ValueError,
        r"then\[1\] must have one row for each of the 2 outputs before it, got 1",
    ),
    (
        lambda: channels.marginal(FLIP, [1.0]),
        ValueError,
        "prior must be a law on the 2 inputs of the channel, got 1",
    ),
    (
        lambda: channels.posterior(FLIP, [HALF]),
        ValueError,
        "prior must be a single vector, got 2 axes",
    ),
    (lambda: channels.sample(FLIP, [2]), ValueError, r"inputs must lie in 0, \.\.\., 1, got 2"),
    (
        lambda: channels.sample_counts(FLIP, [1, 2, 3]),
        ValueError,
        "counts must hold one number for each of 2 inputs",
    ),
    (lambda: divergences.kl(HALF, [1.0]), ValueError, "p and q must be laws on the same set"),
    (lambda: divergences.renyi(HALF, HALF, 0), ValueError, "order must be greater than 0, got 0"),
    (lambda: divergences.renyi(HALF, HALF, -1), ValueError, "order must be greater than 0, got -1"),
    (
        lambda: divergences.renyi(HALF, HALF, np.nan),
        ValueError,
        "order must be a number or plus infinity, got nan",
    ),
    (lambda: divergences.renyi(HALF, HALF, "2"), TypeError, "order must be real numbers"),
    (lambda: divergences.renyi(HALF, HALF, True), TypeError, "order must be real numbers"),
    (
        lambda: divergences.hockey_stick(HALF, HALF, -0.1),
        ValueError,
        "epsilon must be at least 0, got -0.1",
    ),
    (
        lambda: divergences.f_divergence(HALF, HALF, np.exp),
        ValueError,
        r"f must satisfy f\(1\) = 0",
    ),
    (
        lambda: divergences.f_divergence(HALF, [1.0, 0.0], lambda t: t - 1),
        ValueError,
        "slope_at_infinity must be given",
    ),
    (
        lambda: risk.monte_carlo(uniform, 1),
        ValueError,
        "replications must be at least 2, got 1",
    ),
    (
        lambda: risk.monte_carlo(uniform, 10.0),
        TypeError,
        "replications must be integers, got 10.0",
    ),
    (lambda: risk.monte_carlo(uniform, 10, workers=0), ValueError, "workers must be -1, a pos"),
    (
        lambda: risk.monte_carlo(uniform, 10, workers=-2),
        ValueError,
        "workers must be at least -1, got -2",
    ),
    (lambda: risk.monte_carlo(uniform, 10, workers=1.5), TypeError, "workers must be integers"),
    (
        lambda: risk.fit_power_law([1, 2, 3], n=[1, 2, 4], level=[0.9, 0.95]),
        ValueError,
        "level must be a single number",
    ),
    (lambda: rr.BinaryRR.from_truth_probability(0.5), ValueError, "truth must be greater than 0.5"),
    (lambda: rr.BinaryRR.from_truth_probability(0.3), ValueError, "truth must be greater than 0.5"),
    (lambda: rr.BinaryRR.from_truth_probability(1), ValueError, "truth must be less than 1, got 1"),
    (
        lambda: rr.BinaryRR.from_truth_probability([0.6]),
        ValueError,
        "truth must be a single number",
    ),
    (lambda: rr.BinaryRR.from_delta(0), ValueError, "delta must be greater than 0, got 0"),
    (lambda: rr.BinaryRR.from_delta(-0.1), ValueError, "delta must be greater than 0, got -0.1"),
    (lambda: rr.BinaryRR.from_delta(0.5), ValueError, "delta must be less than 0.5, got 0.5"),
    (lambda: rr.BinaryRR.from_delta(True), TypeError, "delta must be real numbers, got True"),
]


@pytest.mark.parametrize(
    ("name", "call", "value", "kind", "message"),
    [
        pytest.param(name, call, value, kind, message, id=f"{i}-{name}={value}")
        for i, (name, call, faults) in enumerate(ARGUMENTS)
        for value, kind, message in faults
    ],
)
def test_argument_refused(name, call, value, kind, message):
    with pytest.raises(kind, match=f"^{name} {message}"):
        call(value)


@pytest.mark.parametrize(("call", "kind", "message"), CALLS)
def test_call_refused(call, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        call()


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int32, np.uint32, np.uint64])
def test_integer_types_do_not_wrap_around(dtype):
    n, wide = np.array([100], dtype), np.array([100])
    assert rr.binary_variance(1.0, n) == rr.binary_variance(1.0, wide)
    assert local_floor(n, 1.0, 4) == local_floor(wide, 1.0, 4)
    assert BINARY.interval(n, 127) == BINARY.interval(wide, 127)
    for call in (
        lambda count: BINARY.privatize_counts(count, 1000, rng=0),
        lambda count: UNARY.privatize_counts(np.repeat(count, 3), rng=0),
        lambda count: KARY.privatize_counts(np.repeat(count, 3), rng=0),
        lambda count: KARY.privatize(count // 50, rng=0),
        lambda count: UNARY.privatize(count // 50, rng=0),
        lambda count: channels.sample(np.full((3, 3), 1 / 3), count // 50, rng=0),
    ):
        np.testing.assert_array_equal(call(n), call(wide))


def test_decimals_of_a_law_are_accepted():
    thirds = [0.3333333333, 0.3333333333, 0.3333333333]
    assert divergences.total_variation(thirds, thirds) == 0


def test_scalars_of_other_libraries_are_accepted():
    assert rr.BinaryRR(np.float32(0.5)) == rr.BinaryRR(np.array(0.5)) == rr.BinaryRR(0.5)
    assert rr.KaryRR(np.int8(1), np.uint8(3)) == rr.KaryRR(1.0, 3)


def test_a_masked_record_is_never_used() -> None:
    masked = np.ma.array([0.1, 99.0, 0.3], mask=[False, True, False])
    with pytest.raises(TypeError, match="^values must not be a masked array"):
        _validate.real("values", masked)
    with pytest.raises(TypeError, match="^bits must not be a masked array"):
        BINARY.privatize(np.ma.array([0, 1], mask=[False, True]))


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("abc", TypeError, "must be a Generator, a seed or None, got 'abc'"),
        (1.5, TypeError, "got 1.5"),
        (True, TypeError, "got True"),
        (np.random, TypeError, "got "),
        (-1, ValueError, "must be a seed of at least 0, got -1"),
    ],
)
def test_a_source_of_randomness_is_checked_by_name(
    value: object, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=f"^rng .*{message}"):
        _validate.generator(value)


def test_a_generator_goes_through_as_it_is() -> None:
    rng = np.random.default_rng(0)
    assert _validate.generator(rng) is rng
    assert _validate.generator(3).random() == np.random.default_rng(3).random()


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (1.5, TypeError, "must be an integer or a tuple of them, got 1.5"),
        (True, TypeError, "must be integers, got True"),
        ((2, -1), ValueError, "must be at least 0"),
        (10**10, ValueError, "these would need 74.5 GiB"),
        ((10**5, 10**5), ValueError, "these would need 74.5 GiB"),
    ],
)
def test_a_number_of_draws_is_checked_by_name(
    value: object, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=f"^size .*{message}"):
        _validate.size(value)


def test_flags_words_and_objects_are_checked_by_name() -> None:
    with pytest.raises(TypeError, match="^log must be True or False, got 'no'"):
        _validate.flag("log", "no")
    assert _validate.flag("log", np.bool_(True)) is True
    with pytest.raises(TypeError, match="^side must be one of low, high, got array"):
        _validate.choice("side", np.array(["low", "high"]), ("low", "high"))
    with pytest.raises(TypeError, match="^law must be a dict, got 3"):
        _validate.instance("law", 3, dict)
    with pytest.raises(TypeError, match="^query must be callable, got 3"):
        _validate.function("query", 3)


def test_a_shape_of_draws_holds_the_parameters() -> None:
    assert _validate.draws(None, (2,)) is None
    assert _validate.draws(5, (), (1,)) == 5
    assert _validate.draws((4, 2), (2,), (1, 2)) == (4, 2)
    with pytest.raises(ValueError, match=r"^size must be a shape that \(2,\) broadcasts to, got 3"):
        _validate.draws(3, (2,))


def test_a_scale_of_noise_has_a_square() -> None:
    assert _validate.scale("scale", [1e-150, 1e150]).tolist() == [1e-150, 1e150]
    for value in (0.0, 1e-151, 1e151, np.inf):
        with pytest.raises(ValueError, match="^scale must be"):
            _validate.scale("scale", value)
