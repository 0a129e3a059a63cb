"""Channels: matrices against brute force, samples against their laws."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import assert_frequencies, assert_mean, assert_same_law
from scipy.stats import multinomial

from minimaxdp import channels, privacy

property_test = settings(max_examples=40, deadline=None, derandomize=True)

FLIP = np.array([[0.75, 0.25], [0.25, 0.75]])
# Zeros first, in the middle and last, and a certain output.
GAPS = np.array([[0.0, 0.3, 0.0, 0.7, 0.0], [0.2, 0.3, 0.1, 0.4, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]])


@st.composite
def stochastic(draw, rows=None, columns=None):
    rows, columns = rows or draw(st.integers(1, 4)), columns or draw(st.integers(1, 4))
    weight = st.floats(0.01, 1.0)
    matrix = np.array(draw(st.lists(weight, min_size=rows * columns, max_size=rows * columns)))
    matrix = matrix.reshape(rows, columns)
    return matrix / matrix.sum(axis=1, keepdims=True)


@st.composite
def chains(draw):
    first = draw(stochastic())
    second = draw(stochastic(rows=first.shape[1]))
    return first, second, draw(stochastic(rows=second.shape[1]))


@given(chains())
@property_test
def test_compose_sums_over_what_lies_between(chain):
    first, second, third = chain
    brute = np.zeros((len(first), third.shape[1]))
    for x, y, z, w in product(*map(range, (*first.shape, *third.shape))):
        brute[x, w] += first[x, y] * second[y, z] * third[z, w]
    np.testing.assert_allclose(channels.cascade(first, second, third), brute, rtol=1e-13)
    np.testing.assert_array_equal(channels.cascade(first), first)


@given(stochastic(), stochastic(), stochastic(rows=2, columns=2))
@property_test
def test_product_numbers_tuples_lexicographically(first, second, third):
    factors = first, second, third
    joint = channels.parallel_product(*factors)
    inputs = list(product(*(range(f.shape[0]) for f in factors)))
    outputs = list(product(*(range(f.shape[1]) for f in factors)))
    assert joint.shape == (len(inputs), len(outputs))
    for (i, x), (j, y) in product(enumerate(inputs), enumerate(outputs)):
        expected = np.prod([f[a, b] for f, a, b in zip(factors, x, y, strict=True)])
        assert joint[i, j] == pytest.approx(expected, rel=1e-14)


@given(stochastic(rows=2, columns=3), st.integers(1, 3))
@property_test
def test_power_is_a_product_of_copies(channel, n):
    np.testing.assert_array_equal(
        channels.power(channel, n), channels.parallel_product(*[channel] * n)
    )


@given(stochastic(rows=3), stochastic(rows=2))
@property_test
def test_independent_inputs_give_independent_outputs(first, second):
    prior, other = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.4])
    np.testing.assert_allclose(
        channels.marginal(channels.parallel_product(first, second), np.kron(prior, other)),
        np.kron(channels.marginal(first, prior), channels.marginal(second, other)),
        rtol=1e-13,
    )


@given(stochastic())
@property_test
def test_output_law_of_a_point_is_a_row(channel):
    points = np.eye(len(channel))
    np.testing.assert_array_equal(channels.marginal(channel, points), channel)


@given(st.integers(2, 4).flatmap(lambda rows: stochastic(rows=rows)), st.data())
@property_test
def test_local_epsilon_is_the_supremum_over_events(channel, data):
    events = np.indices((2,) * channel.shape[1]).reshape(channel.shape[1], -1)[:, 1:]
    masses = channel @ events
    brute = max(
        np.log(masses[x, e] / masses[z, e])
        for x, z in product(range(len(channel)), repeat=2)
        for e in range(events.shape[1])
    )
    assert privacy.dp_epsilon(channel) == pytest.approx(brute, rel=1e-12, abs=1e-14)
    after = channels.cascade(channel, data.draw(stochastic(rows=channel.shape[1])))
    assert privacy.dp_epsilon(after) <= brute * (1 + 1e-12) + 1e-14  # post-processing


def test_local_epsilon_at_the_ends():
    assert privacy.dp_epsilon([[0.4, 0.6]] * 3) == 0
    assert privacy.dp_epsilon([[0.4, 0.6, 0.0], [0.4, 0.6, 0.0]]) == 0  # an unused output
    assert privacy.dp_epsilon([[1.0, 0.0], [0.5, 0.5]]) == np.inf
    # p/q = 1 + 2e-9 up to rounding of the entries, which is 1e-16 / 1e-9 relatively.
    near = privacy.dp_epsilon([[0.5 + 5e-10, 0.5 - 5e-10], [0.5 - 5e-10, 0.5 + 5e-10]])
    assert near == pytest.approx(2e-9, rel=1e-6)


@given(stochastic(rows=2), st.integers(2, 4))
@property_test
def test_power_protects_one_record_by_epsilon_and_all_by_n_epsilon(channel, n):
    epsilon, joint = privacy.dp_epsilon(channel), channels.power(channel, n)
    # All pairs of data sets count, so that n records may change at once.
    assert privacy.dp_epsilon(joint) <= n * epsilon * (1 + 1e-12) + 1e-14
    data = np.array(list(product(range(2), repeat=n)))
    neighbours = [
        privacy.dp_epsilon(joint[[i, j]])
        for i, j in product(range(len(data)), repeat=2)
        if np.sum(data[i] != data[j]) == 1
    ]
    assert max(neighbours) == pytest.approx(epsilon, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_power_of_a_symmetric_channel_attains_n_epsilon(n):
    epsilon = privacy.dp_epsilon(FLIP)
    assert privacy.dp_epsilon(channels.power(FLIP, n)) == pytest.approx(n * epsilon, rel=1e-13)


def test_posterior_against_fractions():
    channel = [[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 7)] * 2]
    channel[1].append(1 - sum(channel[1]))
    prior = [Fraction(2, 9), Fraction(7, 9)]
    result = channels.posterior(np.array(channel, dtype=float), np.array(prior, dtype=float))
    for y in range(3):
        joint = [prior[x] * channel[x][y] for x in range(2)]
        exact = [float(j / sum(joint)) for j in joint]
        np.testing.assert_allclose(result[y], exact, rtol=4e-16)


@given(stochastic(rows=3))
@property_test
def test_posterior_sums_to_one_and_averages_to_the_prior(channel):
    prior = np.array([0.5, 0.5, 0.0])
    rows = channels.posterior(channel, prior)
    np.testing.assert_allclose(rows.sum(axis=1), 1, rtol=1e-14)
    assert np.all(rows[:, 2] == 0)
    np.testing.assert_allclose(channels.marginal(channel, prior) @ rows, prior, rtol=1e-13)


def test_posterior_after_an_impossible_output_is_undefined():
    rows = channels.posterior([[1.0, 0.0], [0.5, 0.5]], [1.0, 0.0])
    np.testing.assert_array_equal(rows[0], [1, 0])
    assert np.all(np.isnan(rows[1]))


def test_sample_follows_the_channel():
    inputs = np.repeat([0, 1, 2], 20_000)
    outputs = channels.sample(GAPS, inputs, rng=3)
    for x in range(2):
        assert_frequencies(np.bincount(outputs[inputs == x], minlength=5), GAPS[x])
    assert np.all(outputs[inputs == 2] == 2)  # a certain output


def test_sample_keeps_the_shape_and_the_seed():
    inputs = np.arange(24).reshape(2, 3, 4) % 3
    first = channels.sample(GAPS, inputs, rng=4)
    assert first.shape == (2, 3, 4)
    np.testing.assert_array_equal(first, channels.sample(GAPS, inputs, rng=4))
    rng = np.random.default_rng(4)
    np.testing.assert_array_equal(first, channels.sample(GAPS, inputs, rng=rng))
    assert not np.array_equal(first, channels.sample(GAPS, inputs, rng=rng))  # the stream moves


class _Ends(np.random.Generator):
    """A generator of the two extreme uniform draws, 0 and the last double below 1."""

    def random(self, size=None):
        return np.resize([0.0, np.nextafter(1, 0)], size)


@pytest.mark.parametrize("channel", [GAPS, [[0.1] * 10 + [0.0]], [[0.0] + [0.1] * 10]])
def test_sample_never_gives_an_impossible_output(channel):
    channel = np.array(channel)  # ten tenths add up to less than one in floats
    inputs = np.repeat(np.arange(len(channel)), 2)
    outputs = channels.sample(channel, inputs, rng=_Ends(np.random.PCG64(0)))
    assert np.all(channel[inputs, outputs] > 0)


@pytest.mark.parametrize("channel", [GAPS, [[0.1] * 10 + [0.0]], [[0.0] + [0.1] * 10]])
def test_sample_counts_never_gives_an_impossible_output(channel):
    channel = np.array(channel)
    # So many records that leftovers of rounding, 1e-16 each, would show.
    counts = 10**18 * np.eye(len(channel), dtype=int)
    tallies = channels.sample_counts(channel, counts, rng=5, size=20)
    assert np.all(tallies[:, channel == 0] == 0)
    assert np.all(tallies.sum(axis=-1) == 10**18)


def test_sample_counts_has_the_exact_law():
    channel, counts, draws = GAPS[:2], [2, 1], 200_000
    law = {}
    for first in product(range(3), repeat=5):
        for second in np.eye(5, dtype=int):
            if sum(first) == 2:
                mass = multinomial.pmf(first, 2, channel[0]) * multinomial.pmf(
                    second, 1, channel[1]
                )
                law[tuple(first + second)] = law.get(tuple(first + second), 0) + mass
    assert sum(law.values()) == pytest.approx(1, rel=1e-14)
    sampled = channels.sample_counts(channel, counts, rng=6, size=draws)
    seen, observed = np.unique(sampled, axis=0, return_counts=True)
    found = dict(zip(map(tuple, seen.tolist()), observed, strict=True))
    assert set(found) <= set(law)
    assert_frequencies([found.get(y, 0) for y in law], list(law.values()))


def test_sample_counts_agrees_with_sample():
    counts, draws = np.array([7, 4, 9]), 20_000
    inputs = np.tile(np.repeat([0, 1, 2], counts), (draws, 1))
    outputs = channels.sample(GAPS, inputs, rng=7)
    record_by_record = (outputs[..., None] == np.arange(5)).sum(axis=1)
    by_counts = channels.sample_counts(GAPS, counts, rng=8, size=draws)
    for weights in ([1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [1, 2, 3, 5, 8]):
        assert_same_law(record_by_record @ weights, by_counts @ weights)
    assert_mean(by_counts[:, :4], (counts @ GAPS)[:4])


def test_replications_come_first():
    counts = np.arange(1, 13).reshape(4, 3)
    assert channels.sample_counts(GAPS, counts, rng=0).shape == (4, 5)
    assert channels.sample_counts(GAPS, counts[0], rng=0, size=7).shape == (7, 5)
    many = channels.sample_counts(GAPS, counts, rng=0, size=7)
    assert many.shape == (7, 4, 5)
    np.testing.assert_array_equal(many.sum(axis=-1), np.tile(counts.sum(axis=-1), (7, 1)))
    assert len(np.unique(many[:, 3], axis=0)) > 1  # drawn anew, not repeated
    assert channels.sample_counts(GAPS, counts, rng=0, size=(2, 3)).shape == (2, 3, 4, 5)


def test_local_budget_of_a_probability_that_is_hardly_a_double():
    # 0.5 / 1e-320 is beyond the range of a double, its logarithm is 736.1.
    found = privacy.dp_epsilon([[0.5, 0.5], [1e-320, 1.0]])
    assert found == np.log(0.5) - np.log(1e-320)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: channels.power(FLIP, 40), "n must leave arrays of at most 2 GiB"),
        (lambda: channels.power(FLIP, 10**9), "n must leave arrays of at most 2 GiB"),
        (
            lambda: channels.parallel_product(*[FLIP] * 25),
            "channels must leave arrays of at most 2 GiB",
        ),
        (
            lambda: channels.adaptive_composition(
                np.full((9, 9000), 1 / 9000), np.full((9, 9000), 1 / 9000)
            ),
            "second must leave arrays of at most 2 GiB",
        ),
        (
            lambda: channels.garbling(np.full((9, 300), 1 / 300), np.full((9, 300), 1 / 300)),
            "target must leave arrays of at most 2 GiB",
        ),
        (
            lambda: channels.sample_counts(FLIP, [1, 1], size=2**27 + 1),
            "size must leave arrays of at most 2 GiB",
        ),
    ],
)
def test_what_would_not_fit_memory_is_refused(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


@pytest.mark.parametrize("draw", [channels.sample, channels.sample_counts])
def test_randomness_and_sizes_are_checked_by_name(draw):
    with pytest.raises(TypeError, match="^rng must be a Generator, a seed or None, got 'abc'"):
        draw(FLIP, [0, 1], rng="abc")
    with pytest.raises(TypeError, match="^size must be an integer"):
        channels.sample_counts(FLIP, [1, 1], size=1.5)


def test_posterior_is_undefined_where_the_output_cannot_happen():
    found = channels.posterior([[1.0, 0.0], [1.0, 0.0]], [0.5, 0.5])
    assert found[0].tolist() == [0.5, 0.5] and np.isnan(found[1]).all()
