"""Randomized response: exact laws, exact guarantees, exact risks, and samplers that follow them."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import assert_frequencies, assert_mean, assert_same_law
from scipy.optimize import brentq
from scipy.stats import binom, binomtest, multinomial

from minimaxdp import channels, privacy, risk
from minimaxdp import randomized_response as rr
from minimaxdp._coins import coins
from minimaxdp.randomized_response import BinaryRR, KaryRR, SymmetricUnary

property_test = settings(max_examples=50, deadline=None, derandomize=True)
epsilons = st.floats(1e-3, 10)
sizes = st.integers(2, 6)


def mechanisms(epsilon, d):
    return BinaryRR(epsilon), SymmetricUnary(epsilon, d), KaryRR(epsilon, d)


def reports_of(mechanism):
    """Every report as its tally, in the order of the channel's columns."""
    if isinstance(mechanism, BinaryRR):
        return np.array([0, 1])
    if isinstance(mechanism, KaryRR):
        return np.eye(mechanism.d, dtype=int)
    return np.array(list(product([0, 1], repeat=mechanism.d)))


@given(epsilons, sizes)
@property_test
def test_rows_are_laws_and_the_guarantee_is_exact(epsilon, d):
    for mechanism in mechanisms(epsilon, d):
        channel = mechanism.channel()
        np.testing.assert_allclose(channel.sum(axis=1), 1, rtol=1e-14)
        assert privacy.dp_epsilon(channel) == pytest.approx(epsilon, rel=1e-12)


@given(epsilons, sizes)
@property_test
def test_channels_are_those_of_the_formulas(epsilon, d):
    e, half = np.exp(epsilon), np.exp(epsilon / 2)
    np.testing.assert_allclose(
        BinaryRR(epsilon).channel(), np.array([[e, 1], [1, e]]) / (1 + e), rtol=1e-13
    )
    unary, kary = SymmetricUnary(epsilon, d).channel(), KaryRR(epsilon, d).channel()
    for x in range(d):
        for column, z in enumerate(product([0, 1], repeat=d)):
            right = sum(z[j] == (x == j) for j in range(d))
            assert unary[x, column] == pytest.approx(half**right / (1 + half) ** d, rel=1e-12)
        for z in range(d):
            assert kary[x, z] == pytest.approx((e if z == x else 1) / (e + d - 1), rel=1e-13)


@given(epsilons)
@property_test
def test_kary_on_two_categories_is_binary(epsilon):
    binary, kary = BinaryRR(epsilon), KaryRR(epsilon, 2)
    np.testing.assert_allclose(kary.channel(), binary.channel(), rtol=1e-14)
    np.testing.assert_allclose(
        kary.estimate([4, 6], 10)[1], binary.estimate(6, 10), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(kary.risk([0.7, 0.3], 10), 2 * binary.risk(0.3, 10), rtol=1e-12)


def test_a_full_budget_for_every_bit_is_caught():
    broken = SymmetricUnary(2 * 1.0, 4)  # whose bits each spend the whole of 1
    assert broken.bit == BinaryRR(1.0)
    assert privacy.dp_epsilon(broken.channel()) == pytest.approx(2 * 1.0, rel=1e-13)


@given(epsilons, sizes)
@property_test
def test_estimate_is_unbiased_under_the_law_of_one_report(epsilon, d):
    for mechanism in mechanisms(epsilon, d):
        estimates = mechanism.estimate(reports_of(mechanism), 1)
        expected = np.array([0, 1]) if isinstance(mechanism, BinaryRR) else np.eye(d)
        # Two terms of order 1/epsilon cancel to give the indicator.
        np.testing.assert_allclose(mechanism.channel() @ estimates, expected, atol=1e-14 / epsilon)


@given(epsilons, st.floats(0, 1), st.integers(1, 6))
@property_test
def test_binary_risk_and_variance_by_enumeration(epsilon, theta, n):
    mechanism = BinaryRR(epsilon)
    p, q = mechanism.channel()[:, 1][::-1]
    counts = np.arange(n + 1)
    errors = mechanism.estimate(counts, n)
    for ones in range(n + 1):  # every data set, up to the order of its records
        law = np.convolve(
            binom.pmf(np.arange(ones + 1), ones, p), binom.pmf(np.arange(n - ones + 1), n - ones, q)
        )
        variance = law @ (errors - ones / n) ** 2
        assert mechanism.variance(n) == pytest.approx(variance, rel=1e-10)
        assert rr.binary_variance(epsilon, n) == mechanism.variance(n)
    law = binom.pmf(counts, n, q + (p - q) * theta)
    brute = law @ (errors - theta) ** 2
    assert mechanism.risk(theta, n) == pytest.approx(brute, rel=1e-10)


@pytest.mark.parametrize("make", [SymmetricUnary, KaryRR])
@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 2), (3, 2), (1, 3), (2, 3)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_risk_by_enumeration_of_all_data_and_all_reports(make, n, d, epsilon):
    mechanism = make(epsilon, d)
    channel, reports = mechanism.channel(), reports_of(mechanism)
    tallies = np.array([sum(c) for c in product(reports, repeat=n)])
    estimates = mechanism.estimate(tallies, n)
    laws = np.array([np.full(d, 1 / d), np.eye(d)[0], np.arange(1, d + 1) / (d * (d + 1) / 2)])
    brute = []
    for theta in laws:
        law_of_data = channels.power(theta[None], n)
        law = channels.marginal(channels.power(channel, n), law_of_data)[0]
        brute.append(law @ ((estimates - theta) ** 2).sum(axis=1))
    np.testing.assert_allclose(mechanism.risk(laws, n), brute, rtol=1e-12)


def test_risks_broadcast():
    epsilon, n = np.array([[0.5], [1.0]]), np.array([10, 20, 30])
    theta = np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])
    for function in (rr.unary_risk, rr.kary_risk, rr.effective_sample_size):
        together = function(epsilon, theta, n)
        assert together.shape == (2, 3)
        for i, j in product(range(2), range(3)):
            assert together[i, j] == pytest.approx(
                function(epsilon[i, 0], theta[j], n[j]), rel=1e-15
            )
    assert rr.binary_variance(epsilon, n).shape == (2, 3)


def test_privatize_follows_the_channel():
    for mechanism in mechanisms(1.2, 3):
        channel = mechanism.channel()
        for x, row in enumerate(channel):
            reports = mechanism.privatize(np.full(30_000, x), rng=x)
            if isinstance(mechanism, SymmetricUnary):
                reports = reports @ [4, 2, 1]
            assert_frequencies(np.bincount(reports, minlength=row.size), row)


def test_binary_keeps_shape_type_and_input():
    bits = np.zeros((4, 5), dtype=bool)
    reports = BinaryRR(0.1).privatize(bits, rng=0)
    assert reports.shape == (4, 5) and reports.dtype == np.uint8 and reports.any()
    assert not bits.any()
    for mechanism in (SymmetricUnary(0.1, 3), KaryRR(0.1, 3)):
        records = np.arange(30) % 3
        mechanism.privatize(records, rng=0)
        np.testing.assert_array_equal(records, np.arange(30) % 3)


def test_binary_counts_have_the_exact_law():
    mechanism, ones, n = BinaryRR(0.8), 4, 10
    p, q = mechanism.truth_probability, mechanism.flip_probability
    law = np.convolve(
        binom.pmf(range(ones + 1), ones, p), binom.pmf(range(n - ones + 1), n - ones, q)
    )
    drawn = mechanism.privatize_counts(ones, n, rng=0, size=400_000)
    assert_frequencies(np.bincount(drawn, minlength=n + 1), law)


def test_unary_counts_have_the_exact_law():
    mechanism, counts = SymmetricUnary(1.5, 3), np.array([2, 0, 1])
    p, q = mechanism.bit.truth_probability, mechanism.bit.flip_probability
    law = np.ones(1)
    for own in counts:
        one = np.convolve(binom.pmf(range(own + 1), own, p), binom.pmf(range(4 - own), 3 - own, q))
        law = np.kron(law, one)  # given the data the three sums are independent
    drawn = mechanism.privatize_counts(counts, rng=0, size=400_000)
    assert_frequencies(np.bincount(drawn @ [16, 4, 1], minlength=64), law)
    # The same from the records, every one of the 8^3 joint reports counted.
    joint = channels.power(mechanism.channel(), 3)[np.ravel_multi_index((0, 0, 2), (3, 3, 3))]
    tallies = np.array([sum(c) for c in product(reports_of(mechanism), repeat=3)])
    exact = np.bincount(tallies @ [16, 4, 1], weights=joint, minlength=64)
    np.testing.assert_allclose(law, exact, rtol=1e-12)


def test_kary_counts_have_the_exact_law():
    mechanism, counts = KaryRR(1.0, 3), [2, 0, 1]
    channel, law = mechanism.channel(), np.zeros((4, 4, 4))
    for first in product(range(3), repeat=3):
        if sum(first) == 2:
            for z in range(3):
                total = tuple(np.array(first) + np.eye(3, dtype=int)[z])
                law[total] += multinomial.pmf(first, 2, channel[0]) * channel[2, z]
    drawn = mechanism.privatize_counts(counts, rng=0, size=200_000)
    assert_frequencies(np.bincount(drawn @ [16, 4, 1], minlength=64), law.ravel())


@pytest.mark.parametrize("mechanism", mechanisms(0.7, 3), ids=["binary", "unary", "kary"])
def test_counts_agree_with_records(mechanism):
    repeats = 4_000
    if isinstance(mechanism, BinaryRR):
        data = np.repeat([0, 1], [30, 12])
        records = mechanism.privatize(np.tile(data, (repeats, 1)), rng=1).sum(axis=1)
        counted = mechanism.privatize_counts(12, 42, rng=2, size=repeats)
        assert_same_law(records, counted)
        assert_mean(mechanism.estimate(counted, 42), 12 / 42)
        return
    data, rng = np.repeat([0, 1, 2], [12, 5, 25]), np.random.default_rng(1)
    records = np.array(
        [mechanism.tally(mechanism.privatize(data, rng=rng)) for _ in range(repeats)]
    )
    counted = mechanism.privatize_counts([12, 5, 25], rng=2, size=repeats)
    for weights in ([1, 0, 0], [0, 0, 1], [1, 3, 7]):  # a projection sees dependence too
        assert_same_law(records @ weights, counted @ weights)
    assert_mean(mechanism.estimate(counted, 42), np.array([12, 5, 25]) / 42)


def test_replications_come_first():
    counts = np.arange(1, 13).reshape(4, 3)
    for mechanism in (SymmetricUnary(1.0, 3), KaryRR(1.0, 3)):
        assert mechanism.privatize_counts(counts[0], rng=0).shape == (3,)
        assert mechanism.privatize_counts(counts, rng=0).shape == (4, 3)
        assert mechanism.privatize_counts(counts, rng=0, size=5).shape == (5, 4, 3)
        assert mechanism.estimate(np.ones((4, 3), dtype=int), 3).shape == (4, 3)
    assert BinaryRR(1.0).privatize_counts([1, 2], 5, rng=0).shape == (2,)
    assert BinaryRR(1.0).privatize_counts([1, 2], 5, rng=0, size=(4, 2)).shape == (4, 2)
    assert isinstance(BinaryRR(1.0).estimate(3, 5), float)


@pytest.mark.parametrize("d", [2, 16, 300, 2**19 + 1])
def test_every_chunk_of_unary_reports_is_perturbed(d):
    n = 5 if d > 1000 else 2**20 // d + 3  # more than two chunks, the last one short
    records = np.arange(n) % d
    truth = np.zeros((n, d), dtype=np.uint8)
    truth[np.arange(n), records] = 1
    np.testing.assert_array_equal(SymmetricUnary(700.0, d).privatize(records, rng=3), truth)
    flips = (SymmetricUnary(1.0, d).privatize(records, rng=3) ^ truth).reshape(-1)
    flip = SymmetricUnary(1.0, d).bit.flip_probability
    for part in np.array_split(flips, 8):  # each wrong once in a million runs
        assert binomtest(int(part.sum()), part.size, flip).pvalue > 1e-6


class Stated:
    """A generator that returns what it was told to."""

    def __init__(self, words, uniforms):
        self.words, self.uniforms = words, uniforms

    def integers(self, low, high, size, dtype):
        assert (low, high, size) == (0, 2**64, -(-len(self.words) // 4))
        padded = np.resize(np.array(self.words, dtype="<u2"), 4 * size)
        return padded.view("<u8").astype(dtype)

    def random(self, size):
        assert size == len(self.uniforms)
        return np.array(self.uniforms)


def test_coins_compare_sixteen_bits_and_then_the_rest():
    tossed, chance = np.empty(6, dtype=bool), (19660 + 0.75) / 2**16
    words = [0, 19659, 19660, 19660, 19661, 65535]
    coins(chance, tossed, Stated(words, [0.7499, 0.75]))
    assert tossed.tolist() == [True, True, True, False, False, False]


@pytest.mark.parametrize("chance", [0.0, 2.0**-60, 1.0])
def test_coins_that_always_fall_alike(chance):
    tossed = np.empty(100_001, dtype=bool)
    coins(chance, tossed, np.random.default_rng(0))  # 2**-60: wrong once in 10^13 runs
    assert np.all(tossed == (chance == 1))


def test_coins_that_are_rarer_than_sixteen_bits_can_say():
    tossed = np.empty(2**22, dtype=bool)
    coins(3 / 2**18, tossed, np.random.default_rng(0))
    assert binomtest(int(tossed.sum()), tossed.size, 3 / 2**18).pvalue > 1e-6  # its error rate


def test_unary_needs_little_memory_beside_its_output():
    n, d = 200_000, 128
    records = np.arange(n) % d
    tracemalloc.start()
    try:
        reports = SymmetricUnary(1.0, d).privatize(records, rng=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert reports.nbytes == n * d
    assert peak <= reports.nbytes + 8 * 2**20


@given(st.floats(0.5, 1, exclude_min=True, exclude_max=True))
@property_test
def test_truth_probability_round_trip(truth):
    assert BinaryRR.from_truth_probability(truth).truth_probability == pytest.approx(
        truth, rel=1e-15
    )


@given(st.floats(1e-300, 0.5, exclude_max=True))
@property_test
def test_delta_round_trip(delta):
    mechanism = BinaryRR.from_delta(delta)
    assert np.tanh(mechanism.epsilon / 2) / 2 == pytest.approx(delta, rel=1e-14)
    assert mechanism.truth_probability == pytest.approx(0.5 + delta, rel=1e-15)


@pytest.mark.parametrize("value", [0, 0.5, 1, -0.1, 2, np.nan, np.inf])
def test_no_mechanism_without_privacy_or_information(value):
    with pytest.raises(ValueError, match="^truth must be"):
        BinaryRR.from_truth_probability(value)
    with pytest.raises(ValueError, match="^delta must be"):
        BinaryRR.from_delta(value)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0, 12.0])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_interval_covers_exactly(epsilon, n, level):
    mechanism, counts = BinaryRR(epsilon), np.arange(n + 1)
    low, high = mechanism.interval(counts, n, level)
    assert np.all(np.diff(low) >= 0) and np.all(np.diff(high) >= 0)
    assert np.all((low >= 0) & (low <= high) & (high <= 1))
    p, q = mechanism.truth_probability, mechanism.flip_probability
    for theta in np.concatenate([np.linspace(0, 1, 41), low, high]):  # coverage dips at the ends
        law = binom.pmf(counts, n, q + (p - q) * theta)
        assert law[(low <= theta) & (theta <= high)].sum() >= level - 1e-12


def test_interval_of_one_count():
    low, high = BinaryRR(1.0).interval(60, 100)
    assert np.ndim(low) == np.ndim(high) == 0
    assert low < BinaryRR(1.0).estimate(60, 100) < high
    assert BinaryRR(1.0).interval(60, 100, 0.5)[0] > low


vectors = st.lists(st.floats(-1e12, 1e12) | st.floats(-2, 2), min_size=1, max_size=6).map(np.array)


@given(vectors, st.integers(0, 2**32))
@property_test
def test_projection_is_the_nearest_law(v, seed):
    w = rr.project_to_simplex(v)
    assert np.all(w >= 0)
    assert w.sum() == pytest.approx(1, rel=1e-14)
    np.testing.assert_allclose(rr.project_to_simplex(w), w, rtol=1e-14, atol=1e-15)
    # Optimality: v - w is one constant on the support, and nowhere more off it.
    scale = 1e-15 * max(1, abs(v).max())
    multiplier = v - w
    on = w > 0
    assert np.ptp(multiplier[on]) <= 4 * scale
    assert np.all(multiplier[~on] <= multiplier[on].min() + 4 * scale)
    # The obtuse angle at w, which also brings it nearer to every law than v was.
    for law in np.random.default_rng(seed).dirichlet(np.ones(v.size), size=5):
        assert (v - w) @ (law - w) <= 8 * v.size * scale
        assert np.linalg.norm(w - law) <= np.linalg.norm(v - law) + 8 * v.size * scale


@given(st.lists(st.floats(1e-3, 1), min_size=1, max_size=6))
@property_test
def test_laws_stay_where_they_are(weights):
    law = np.array(weights) / np.sum(weights)
    np.testing.assert_allclose(rr.project_to_simplex(law), law, rtol=1e-13)


def test_projection_of_many_vectors_equals_a_loop():
    v = np.random.default_rng(0).normal(size=(4, 5, 3))
    together = rr.project_to_simplex(v)
    for i, j in product(range(4), range(5)):
        np.testing.assert_array_equal(together[i, j], rr.project_to_simplex(v[i, j]))


def test_projection_of_huge_numbers_is_a_law():
    # What an estimate looks like when the budget is 1e-17.
    np.testing.assert_array_equal(rr.project_to_simplex([1e17, 1e17, -2e17]), [0.5, 0.5, 0])


@pytest.mark.parametrize("theta", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("evasion", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_both_surveys_are_as_good_at_the_crossover(theta, evasion, epsilon):
    crossover = rr.survey_crossover(theta, evasion, epsilon)

    def gap(n):  # the two risks at a real sample size, from their values at one person
        told = theta * (1 - evasion)
        bias = (theta - told) ** 2
        direct = bias + (rr.evasive_survey_risk(theta, evasion, 1) - bias) / n
        return BinaryRR(epsilon).risk(theta, 1) / n - direct

    assert crossover == pytest.approx(brentq(gap, 1e-6, 1e9, xtol=1e-12, rtol=1e-13), rel=1e-9)
    before, after = int(np.floor(crossover)), int(np.ceil(crossover)) + 1
    assert BinaryRR(epsilon).risk(theta, after) < rr.evasive_survey_risk(theta, evasion, after)
    if before >= 1:
        assert BinaryRR(epsilon).risk(theta, before) >= rr.evasive_survey_risk(
            theta, evasion, before
        )


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 12))
@property_test
def test_evasive_survey_risk_by_enumeration(theta, evasion, n):
    counts = np.arange(n + 1)
    brute = binom.pmf(counts, n, theta * (1 - evasion)) @ (counts / n - theta) ** 2
    assert rr.evasive_survey_risk(theta, evasion, n) == pytest.approx(brute, rel=1e-11, abs=1e-15)


THETA = np.array([0.5, 0.3, 0.2])


def binary_loss(rng, size):
    ones = rng.binomial(1_000, 0.3, size)
    mechanism = BinaryRR(0.5)
    return (mechanism.estimate(mechanism.privatize_counts(ones, 1_000, rng=rng), 1_000) - 0.3) ** 2


def multinomial_losses(rng, size):
    counts = rng.multinomial(1_000, THETA, size)
    mechanisms = SymmetricUnary(0.5, 3), KaryRR(0.5, 3)
    tallies = [mechanism.privatize_counts(counts, rng=rng) for mechanism in mechanisms]
    estimates = [m.estimate(t, 1_000) for m, t in zip(mechanisms, tallies, strict=True)]
    return np.column_stack([((e - THETA) ** 2).sum(axis=1) for e in estimates])


def evasive_loss(rng, size):
    return (rng.binomial(200, 0.3 * 0.8, size) / 200 - 0.3) ** 2


def test_risks_by_monte_carlo():
    simulated = risk.monte_carlo(binary_loss, 20_000, rng=0)
    assert simulated.agrees_with(BinaryRR(0.5).risk(0.3, 1_000))
    assert not simulated.agrees_with(1.1 * BinaryRR(0.5).risk(0.3, 1_000))
    simulated = risk.monte_carlo(multinomial_losses, 20_000, rng=1)
    exact = [SymmetricUnary(0.5, 3).risk(THETA, 1_000), KaryRR(0.5, 3).risk(THETA, 1_000)]
    assert simulated.agrees_with(exact)
    assert not simulated.agrees_with(exact[::-1])
    simulated = risk.monte_carlo(evasive_loss, 20_000, rng=2)
    assert simulated.agrees_with(rr.evasive_survey_risk(0.3, 0.2, 200))


def test_effective_sample_size_has_its_limits():
    uniform, n = np.full(10, 0.1), 10**6
    small = 0.9 * n * 1e-4**2 / (4 * 10)
    assert rr.effective_sample_size(1e-4, uniform, n) == pytest.approx(small, rel=1e-6)
    assert rr.effective_sample_size(100, uniform, n) == pytest.approx(n, rel=1e-15)
    values = rr.effective_sample_size(np.geomspace(1e-3, 40, 50), uniform, n)
    assert np.all(np.diff(values) > 0) and np.all((values > 0) & (values < n))
    assert rr.effective_sample_size(700, [1.0, 0.0], n) == 0  # a point law has no variance


@pytest.mark.parametrize("epsilon", [1e-8, 50.0, 700.0])
@pytest.mark.parametrize("d", [2, 5])
def test_extreme_budgets(epsilon, d):
    uniform, n = np.full(d, 1 / d), 10
    for mechanism in (SymmetricUnary(epsilon, d), KaryRR(epsilon, d)):
        channel = mechanism.channel()
        assert np.all(np.isfinite(channel))
        np.testing.assert_allclose(channel.sum(axis=1), 1, rtol=1e-14)
        assert np.all(np.isfinite(mechanism.estimate(np.eye(d, dtype=int)[0], 1)))
        assert mechanism.risk(uniform, n) >= (1 - 1 / d) / n * (1 - 1e-15)
        reports = mechanism.privatize(np.arange(n) % d, rng=0)
        assert mechanism.tally(reports).shape == (d,)
    binary = BinaryRR(epsilon)
    assert 0 < binary.flip_probability < 0.5 <= binary.truth_probability <= 1
    assert binary.risk(0.5, n) >= 0.25 / n
    low, high = binary.interval(np.arange(n + 1), n)
    assert np.all((low >= 0) & (low <= high) & (high <= 1))
    if epsilon < 1:
        # Risks grow like 1 / epsilon^2: d / (n (eps/2)^2) and (d - 1) d^2 / d / (n eps^2).
        assert SymmetricUnary(epsilon, d).risk(uniform, n) == pytest.approx(
            4 * d / n / epsilon**2, rel=1e-7
        )
        assert KaryRR(epsilon, d).risk(uniform, n) == pytest.approx(
            (d - 1) * d / n / epsilon**2, rel=1e-7
        )
        assert binary.variance(n) == pytest.approx(1 / n / epsilon**2, rel=1e-15)
    else:
        records = np.arange(n) % d  # a lie has probability 1e-11 at most
        np.testing.assert_array_equal(KaryRR(epsilon, d).privatize(records, rng=0), records)
        assert binary.estimate(3, n) == pytest.approx(0.3, rel=1e-15)


@pytest.mark.parametrize("epsilon", [30.0, 200.0, 700.0])
def test_noise_beneath_rounding_is_kept(epsilon):
    # The point law has no sampling error, which leaves the noise, far below 1e-16, alone.
    noise = 3 * np.exp(-epsilon / 2) / 10
    assert rr.unary_risk(epsilon, [1.0, 0.0, 0.0], 10) == pytest.approx(
        noise, rel=3 * np.exp(-epsilon / 2) + 1e-14
    )


# ---------------------------------------------------------------- ends of the ranges, and refusals

ENCODINGS = [SymmetricUnary, KaryRR, rr.OptimizedUnary, rr.SubsetSelection, rr.HadamardResponse]


def test_variances_at_the_ends_of_the_doubles():
    assert rr.binary_variance(700.0, 10**9) == 0  # 1e-313, and no warning
    assert rr.binary_variance(700.0, 1) == pytest.approx(np.exp(-700), rel=1e-12, abs=0)
    assert rr.binary_variance(1e-300, 1) == np.inf
    quarter = rr.binary_variance(1.0, 2**60)
    for n in (2**61, 2**62, 2**63 - 1):  # four times n is no longer a 64-bit integer
        assert rr.binary_variance(1.0, n) == pytest.approx(quarter * 2**60 / n, rel=1e-15)
        assert rr.binary_variance(1.0, np.array([n]))[0] == rr.binary_variance(1.0, n)
    law = np.full(3, 1 / 3)
    for risk_of in (rr.unary_risk, rr.kary_risk, rr.optimized_unary_risk, rr.hadamard_risk,
                    rr.subset_selection_risk):  # fmt: skip
        assert risk_of(1e-300, law, 1) == np.inf
        assert np.isfinite(risk_of(700.0, law, 10**9))
        assert risk_of(1e-100, law, 1) > 1e200


@pytest.mark.parametrize("make", ENCODINGS)
def test_the_largest_budget_is_700(make):
    mechanism = make(700.0, 3)
    assert mechanism.epsilon == 700
    np.testing.assert_array_equal(mechanism.channel().sum(axis=1).round(12), 1)
    theta = np.array([0.2, 0.3, 0.5])
    # At so large a budget only the sampling is left; optimised unary keeps a fair coin.
    extra = {rr.OptimizedUnary: 1.0, rr.HadamardResponse: 2.0}.get(make, 0.0)
    assert mechanism.risk(theta, 10) == pytest.approx((1 - theta @ theta + extra) / 10, rel=1e-12)
    for budget in (700.0000001, 701):
        with pytest.raises(ValueError, match="^epsilon must be at most 700, got 70"):
            make(budget, 3)
        with pytest.raises(ValueError, match="^epsilon must be at most 700, got 70"):
            BinaryRR(budget)


def test_what_is_left_out_is_what_the_signature_says():
    assert BinaryRR(1.0).interval(30, 100) == BinaryRR(1.0).interval(30, 100, 0.95)
    mechanism = rr.SubsetSelection(1.0, 8)
    assert mechanism == rr.SubsetSelection(1.0, 8, rr.best_subset_size(8, 1.0))
    law = np.full(8, 1 / 8)
    assert rr.subset_selection_risk(1.0, law, 5) == rr.subset_selection_risk(1.0, law, 5, w=2)
    assert BinaryRR(1.0).privatize_counts([3, 4], 9, rng=0).shape == (2,)
    for make in ENCODINGS:
        assert make(1.0, 3).privatize_counts([3, 4, 5], rng=0).shape == (3,)
    assert SymmetricUnary(1.0, 3).privatize_counts([3, 4, 5], rng=0, size=0).shape == (0, 3)


@pytest.mark.parametrize("make", ENCODINGS)
def test_encodings_refuse_bad_seeds_and_sizes(make):
    mechanism, counts = make(1.0, 3), [3, 4, 5]
    for rng, kind in (("abc", TypeError), (1.5, TypeError), (True, TypeError), (-1, ValueError)):
        with pytest.raises(kind, match="^rng must be a"):
            mechanism.privatize([0, 1], rng=rng)
        with pytest.raises(kind, match="^rng must be a"):
            mechanism.privatize_counts(counts, rng=rng)
    for size, kind in ((1.5, TypeError), (True, TypeError), ("x", TypeError), ((2, 3), ValueError),
                       (-1, ValueError), (10**10, ValueError)):  # fmt: skip
        with pytest.raises(kind, match="^size must"):
            mechanism.privatize_counts(counts, size=size)


HUGE = [
    (lambda: KaryRR(1.0, 10**5).channel(), "d must leave arrays of at most 2 GiB"),
    (lambda: KaryRR(1.0, 10**5).privatize_counts(np.ones(10**5, int)), "d must leave arrays of at"),
    (lambda: KaryRR(1.0, 10**12).tally([3]), "d must leave arrays of at most 2 GiB"),
    (
        lambda: SymmetricUnary(1.0, 10**6).privatize(np.zeros(10**4, int)),
        "d must leave arrays of at most",
    ),
    (lambda: SymmetricUnary(1.0, 10**12).privatize([0]), "d must leave arrays of at most 2 GiB"),
    (lambda: SymmetricUnary(1.0, 10**9).channel(), "d must be at most 16"),
    (lambda: rr.OptimizedUnary(1.0, 10**6).privatize(np.zeros(10**4, int)), "d must leave arrays"),
    (lambda: rr.OptimizedUnary(1.0, 10**12).channel(), "d must be at most 16"),
    (lambda: rr.SubsetSelection(1.0, 10**6).privatize(np.zeros(10**4, int)), "d must leave array"),
    (lambda: rr.SubsetSelection(1.0, 10**9).channel(), "d must leave at most 65536 subsets"),
    (lambda: rr.HadamardResponse(1.0, 10**12).tally([3]), "d must leave arrays of at most 2 GiB"),
    (
        lambda: BinaryRR(1.0).privatize_counts(3, 9, size=10**10),
        "size must leave arrays of at most",
    ),
    (lambda: BinaryRR(1.0).privatize_counts([3, 4], 9, size=3), "size must be a shape that"),
]


@pytest.mark.parametrize(("call", "message"), HUGE)
def test_what_would_not_fit_into_memory_is_refused_at_once(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


def test_bits_refuse_bad_seeds_and_sizes():
    for rng in ("abc", 1.5, True):
        with pytest.raises(TypeError, match="^rng must be a Generator, a seed or None"):
            BinaryRR(1.0).privatize([0, 1], rng=rng)
        with pytest.raises(TypeError, match="^rng must be a Generator, a seed or None"):
            BinaryRR(1.0).privatize_counts(3, 9, rng=rng)
    with pytest.raises(TypeError, match="^size must be an integer or a tuple of them"):
        BinaryRR(1.0).privatize_counts(3, 9, size=1.5)
