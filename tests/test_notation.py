"""Conversions between conventions: both ways, against the mechanisms, and to the last digits."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from minimaxdp import divergences, guarantees, privacy
from minimaxdp.book import notation
from minimaxdp.guarantees import approximate_to_total_variation
from minimaxdp.laplace import Gaussian, Laplace, global_sensitivity
from minimaxdp.randomized_response import BinaryRR

property_test = settings(max_examples=100, deadline=None, derandomize=True)
budgets = st.floats(1e-6, 30)


def near(value, rel=1e-12):
    return pytest.approx(value, rel=rel, abs=0)


@property_test
@given(budgets, st.floats(1.1, 100))
def test_logarithms_to_and_fro(epsilon, base):
    assert notation.nats(notation.in_base(epsilon, base), base) == near(epsilon)
    assert base ** notation.in_base(epsilon, base) == near(np.exp(epsilon), rel=1e-10)


@property_test
@given(budgets)
def test_one_budget_under_all_its_names(epsilon):
    mechanism = BinaryRR(epsilon)
    lie, bias = notation.lie_from_epsilon(epsilon), notation.bias_from_epsilon(epsilon)
    alpha = privacy.worst_divergence(mechanism.channel(), divergences.total_variation)
    assert lie == near(mechanism.flip_probability)
    assert bias == near(mechanism.truth_probability - 0.5, rel=1e-9)
    assert 2 * bias == near(approximate_to_total_variation(epsilon))
    assert alpha == near(2 * bias, rel=1e-9)
    # A probability near 1/2 or a bias near 1/2 holds only so many digits of the budget.
    lost = 1e-15 * max(1 / epsilon, np.exp(epsilon))
    assert notation.epsilon_from_lie(lie) == near(epsilon, rel=1e-12 + lost)
    assert notation.epsilon_from_bias(bias) == near(epsilon, rel=1e-12 + lost)
    assert notation.epsilon_from_total_variation(2 * bias) == near(epsilon, rel=1e-12 + lost)


@pytest.mark.parametrize("lie", [1e-300, 1e-9, 0.2, 0.25, 0.2500001, 0.4, 0.5 - 1e-12])
def test_digits_survive_at_both_ends(lie):
    with mp.workdps(50):
        exact = mp.log((1 - mp.mpf(lie)) / mp.mpf(lie))
        assert notation.epsilon_from_lie(lie) == near(float(exact), rel=4e-15)


def test_ends_of_the_ranges():
    assert notation.epsilon_from_lie(0.5) == 0 and notation.lie_from_epsilon(0.0) == 0.5
    assert notation.lie_from_epsilon(700.0) == near(np.exp(-700.0))
    assert notation.bias_from_epsilon(0.0) == notation.epsilon_from_bias(0.0) == 0
    assert notation.replacement_guarantee(3.0, 0.5)[1] == 1


@property_test
@given(st.integers(0, 2**32))
def test_replacement_is_twice_add_or_remove_and_no_more(seed):
    """Any mechanism on the empty data set and those of one record, by its exact parameters."""
    rng = np.random.default_rng(seed)
    channel = rng.dirichlet(np.ones(4), size=3)  # no record, record 0, record 1
    removed, replaced = [(0, 1), (0, 2)], [(1, 2)]
    pure = privacy.dp_epsilon(channel, removed)
    assert privacy.dp_epsilon(channel, replaced) <= notation.replacement_guarantee(pure)[0]
    epsilon = rng.uniform(0, pure)
    delta = privacy.privacy_profile(channel, epsilon, removed)
    double, bound = notation.replacement_guarantee(epsilon, delta)
    assert privacy.privacy_profile(channel, double, replaced) <= bound + 1e-14
    rho = guarantees.zcdp_rho(channel, removed).high
    assert guarantees.zcdp_rho(channel, replaced).low <= notation.replacement_zcdp(rho)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 0.0), (0.3, 1e-3), (1.5, 1e-3)])
def test_replacement_guarantee_is_attained(epsilon, delta):
    least = 1e-3
    middle = np.exp(epsilon) * least + delta
    event = np.array([middle, np.exp(epsilon) * middle + delta, least])
    channel = np.column_stack([event, 1 - event])
    removed, replaced = [(0, 1), (0, 2)], [(1, 2)]
    assert privacy.privacy_profile(channel, epsilon, removed) == near(delta, 1e-9) or delta == 0
    double, bound = notation.replacement_guarantee(epsilon, delta)
    if delta:
        assert privacy.privacy_profile(channel, double, replaced) == near(bound, 1e-9)
    else:
        assert privacy.dp_epsilon(channel, removed) == near(epsilon)
        assert privacy.dp_epsilon(channel, replaced) == near(double)


def test_zcdp_of_a_difference_of_counts_is_four_times():
    def query(x):
        return (x == 0).sum(axis=1) - (x == 1).sum(axis=1)

    moves = [
        global_sensitivity(query, [0, 1], 3, relation=r) for r in ("add-remove", "replacement")
    ]
    one, other = (Gaussian(sigma=2.0, sensitivity=move).rho for move in moves)
    assert other == near(notation.replacement_zcdp(one))


UNIT = stats.laplace.expect(abs)  # an integral, once


@property_test
@given(st.floats(1e-2, 1e3))
def test_every_parameter_of_laplace_noise_gives_its_scale(scale):
    law = stats.laplace(scale=scale)
    mechanism = Laplace(epsilon=1 / scale)
    assert mechanism.scale == near(scale)
    assert notation.laplace_scale(standard_deviation=law.std()) == near(scale)
    assert notation.laplace_scale(standard_deviation=mechanism.standard_deviation) == near(scale)
    assert notation.laplace_scale(variance=law.var()) == near(scale)
    assert notation.laplace_scale(rate=law.pdf(0) * 2) == near(scale)
    assert notation.laplace_scale(mean_absolute=UNIT * scale) == near(scale, rel=1e-6)


@property_test
@given(st.integers(0, 2**32))
def test_chi_square_and_renyi(seed):
    p, q = np.random.default_rng(seed).dirichlet(np.ones(5), size=2)
    renyi, chi_square = divergences.renyi(p, q, 2), divergences.chi_square(p, q)
    assert notation.chi_square_from_renyi(renyi) == near(chi_square, rel=1e-9)
    assert notation.renyi_from_chi_square(chi_square) == near(renyi, rel=1e-9)


def test_small_divergences_keep_their_digits():
    assert notation.chi_square_from_renyi(1e-20) == notation.renyi_from_chi_square(1e-20) == 1e-20


@property_test
@given(st.floats(1e-6, 1e6), st.integers(1, 10**9))
def test_counts_and_proportions(error, n):
    risk = notation.proportion_risk(error, n)
    assert notation.count_error(risk, n) == near(error)
    assert risk * n**2 == near(error**2)


def test_arrays_broadcast():
    table = notation.nats(np.array([1.0, 2.0])[:, None], np.array([2.0, 10.0]))
    assert table.shape == (2, 2) and table[1, 1] == near(2 * np.log(10))
    assert notation.epsilon_from_lie([0.1, 0.4]).shape == (2,)
    assert notation.proportion_risk([1.0, 2.0], [10, 20]).shape == (2,)
    epsilon, delta = notation.replacement_guarantee([0.1, 0.2], 1e-3)
    assert epsilon.shape == delta.shape == (2,)


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (notation.nats, ("1",), TypeError, "value must be real"),
        (notation.nats, (1.0, 1.0), ValueError, "base must be greater than 1"),
        (notation.in_base, (np.nan,), ValueError, "epsilon must be finite"),
        (notation.epsilon_from_lie, (0.0,), ValueError, "lie must be greater than 0"),
        (notation.epsilon_from_lie, (0.6,), ValueError, "lie must be at most 0.5"),
        (notation.lie_from_epsilon, (-1.0,), ValueError, "epsilon must be at least 0"),
        (notation.epsilon_from_bias, (0.5,), ValueError, "bias must be less than 0.5"),
        (notation.bias_from_epsilon, (np.inf,), ValueError, "epsilon must be finite"),
        (notation.epsilon_from_total_variation, (1.0,), ValueError, "alpha must be less than 1"),
        (notation.replacement_guarantee, (400.0,), ValueError, "epsilon must be at most 350"),
        (notation.replacement_guarantee, (1.0, 2.0), ValueError, "delta must be at most 1"),
        (notation.replacement_zcdp, (-1.0,), ValueError, "rho must be at least 0"),
        (notation.chi_square_from_renyi, (-1.0,), ValueError, "divergence must be at least 0"),
        (notation.renyi_from_chi_square, ([],), ValueError, "divergence must not be empty"),
        (notation.proportion_risk, (1.0, 2.0), TypeError, "n must be integers"),
        (notation.proportion_risk, (-1.0, 2), ValueError, "error must be at least 0"),
        (notation.count_error, (1.0, 0), ValueError, "n must be at least 1"),
    ],
)
def test_bad_input_is_named(function, arguments, error, message):
    with pytest.raises(error, match=message):
        function(*arguments)


def test_laplace_scale_wants_exactly_one_positive_parameter():
    with pytest.raises(ValueError, match="exactly one of .* got 0"):
        notation.laplace_scale()
    with pytest.raises(ValueError, match="exactly one of .* got 2"):
        notation.laplace_scale(variance=1.0, rate=1.0)
    for name in ("standard_deviation", "variance", "rate", "mean_absolute"):
        with pytest.raises(ValueError, match=f"{name} must be greater than 0"):
            notation.laplace_scale(**{name: 0.0})


def test_what_no_double_can_hold_is_infinite():
    assert notation.nats(1e308, 1e308) == notation.in_base(1e308, 1 + 2**-52) == np.inf
    assert notation.replacement_zcdp(1e308) == notation.proportion_risk(1e308, 1) == np.inf
    assert notation.laplace_scale(rate=1e-320) == np.inf
