"""Exact minimax by linear programming: closed forms, certificates, and audits of the channels."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from minimaxdp import divergences, privacy
from minimaxdp import lower_bounds as lb
from minimaxdp import randomized_response as rr
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    Local,
    NonPrivate,
    Pure,
    Smooth,
    TotalVariation,
)

property_test = settings(max_examples=15, deadline=None, derandomize=True)


def bits_world(n):
    counts = np.arange(n + 1)
    return np.column_stack([counts[:-1], counts[1:]])


@given(st.floats(0.05, 5.0), st.integers(2, 5))
@property_test
def test_guessing_a_category_is_answered_by_kary(epsilon, d):
    best = lb.minimax_channel(np.eye(d), 1 - np.eye(d), Pure(epsilon))
    assert best.risk == pytest.approx(1 - rr.KaryRR(epsilon, d).truth_probability, abs=1e-9)
    assert best.prior.sum() == pytest.approx(1) and best.prior.min() >= 0
    assert privacy.dp_epsilon(best.channel) <= epsilon + 1e-6


@pytest.mark.parametrize("alpha", [0.1, 0.4, 0.9])
def test_guessing_under_total_variation(alpha):
    best = lb.minimax_channel(np.eye(2), 1 - np.eye(2), TotalVariation(alpha))
    assert best.risk == pytest.approx((1 - alpha) / 2, abs=1e-9)
    assert divergences.total_variation(*best.channel) == pytest.approx(alpha, abs=1e-8)


@pytest.mark.parametrize("n", [1, 4, 9, 20])
def test_without_privacy_the_risk_is_that_of_hodges_and_lehmann(n):
    found = lb.bernoulli_minimax(n)
    assert found.lower <= lb.mean_floor(n, 1, NonPrivate()) <= found.upper
    assert found.upper - found.lower < 2e-3


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_one_person_is_randomized_response(epsilon):
    # Estimates -c and c have the risk theta^2 (1 - 2 c t) + c^2 with t = tanh(epsilon / 2).
    t2 = np.tanh(epsilon / 2) ** 2
    exact = 1 - t2 if t2 < 1 / 2 else 1 / (4 * t2)
    for guarantee in (Pure(epsilon), Local(Pure(epsilon))):
        found = lb.bernoulli_minimax(1, guarantee, outputs=401)
        assert found.lower - 1e-9 <= exact <= found.upper + 1e-9
        assert found.upper - found.lower < 1e-3 * exact + 1e-5


@pytest.mark.parametrize(("n", "value"), [(1, 0.7864), (5, 0.1986), (20, 0.0453)])
def test_values_computed_elsewhere(n, value):
    found = lb.bernoulli_minimax(n, Pure(1.0), outputs=121)
    assert found.lower - 1e-4 <= value <= found.upper + 1e-4


@pytest.mark.parametrize(
    ("guarantee", "epsilon", "delta"),
    [
        (Pure(0.5), 0.5, 0.0),
        (Approximate(0.5, 0.01), 0.5, 0.01),
        (TotalVariation(0.15), 0.0, 0.15),
    ],
    ids=str,
)
def test_the_channel_is_private_and_has_the_risk(guarantee, epsilon, delta):
    n = 6
    found = lb.bernoulli_minimax(n, guarantee)
    spent = privacy.privacy_profile(found.channel, epsilon, bits_world(n))
    assert spent <= delta + 1e-8
    theta = np.linspace(-1, 1, 301)
    counts = np.arange(n + 1)
    laws = binom.pmf(counts, n, (1 + theta[:, None]) / 2)
    risks = np.einsum("ts,sa,ta->t", laws, found.channel, (theta[:, None] - found.outputs) ** 2)
    assert risks.max() <= found.upper * (1 + 1e-9)
    assert risks.max() >= found.lower


def test_the_prior_is_a_certificate():
    # Against the prior no private channel does better, even with the posterior mean behind it.
    table, pairs = lb.histograms(2, 4)
    means, grid = np.linspace(-1, 1, 9), np.linspace(-1, 1, 81)
    laws = lb.histogram_laws(table, np.column_stack([(1 - means) / 2, (1 + means) / 2]))
    loss = (means[:, None] - grid) ** 2
    best = lb.minimax_channel(laws, loss, Pure(1.0), pairs=pairs)
    average = best.prior @ np.einsum("ts,sa,ta->t", laws, best.channel, loss)
    assert average == pytest.approx(best.risk, abs=1e-8)
    rng, risks = np.random.default_rng(0), []
    for _ in range(200):
        # The exponential mechanism, whose scores a record moves by at most one half.
        centres = rng.uniform(-2, 6, rng.integers(2, 12))
        channel = np.exp(-abs(table[:, :1] - centres) / 2)
        channel /= channel.sum(axis=1, keepdims=True)
        assert privacy.dp_epsilon(channel, pairs) <= 1 + 1e-12
        joint = best.prior[:, None] * (laws @ channel)
        estimate = means @ joint / joint.sum(axis=0)
        risks.append((joint * (means[:, None] - estimate) ** 2).sum())
    step = grid[1] - grid[0]
    assert best.risk - step**2 / 4 <= min(risks) < 2 * best.risk


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("alphabet", [2, 3])
def test_histograms_lose_nothing(n, alphabet):
    # The same problem over data sets in order, where neighbours differ in one record.
    worlds, pairs = privacy.datasets(alphabet, n)
    rng = np.random.default_rng(n)
    laws = rng.dirichlet(np.ones(alphabet), size=alphabet)
    ordered = np.array([[np.prod(law[list(world)]) for world in worlds] for law in laws])
    loss = rng.random((alphabet, 3))
    full = lb.minimax_channel(ordered, loss, Pure(0.7), pairs=pairs)
    table, near = lb.histograms(alphabet, n)
    short = lb.minimax_channel(lb.histogram_laws(table, laws), loss, Pure(0.7), pairs=near)
    assert short.risk == pytest.approx(full.risk, abs=1e-9)


@pytest.mark.parametrize(("alphabet", "n"), [(1, 3), (2, 5), (3, 4), (4, 2)])
def test_histograms_by_counting(alphabet, n):
    table, pairs = lb.histograms(alphabet, n)
    expected = {
        tuple(np.bincount(x, minlength=alphabet)) for x in product(range(alphabet), repeat=n)
    }
    assert {tuple(row) for row in table.tolist()} == expected and len(table) == len(expected)
    near = {
        (i, j) for i, j in product(range(len(table)), repeat=2)
        if i < j and abs(table[i] - table[j]).sum() == 2
    }  # fmt: skip
    assert {tuple(pair) for pair in pairs.tolist()} == near


@pytest.mark.parametrize("n", [2, 6, 12])
@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_no_floor_exceeds_the_exact_risk(n, epsilon):
    pure, tv = Pure(epsilon), TotalVariation(np.tanh(epsilon / 2))
    central, local = lb.bernoulli_minimax(n, pure), lb.bernoulli_minimax(n, Local(pure))
    looser = lb.bernoulli_minimax(n, tv)
    # Alone or together, and by whatever the definition implies.
    for method in (None, "packing", "le_cam", "assouad", "fano"):
        assert lb.mean_floor(n, 1, pure, method=method) <= central.upper * (1 + 1e-9)
    for method in (None, "contraction"):
        assert lb.mean_floor(n, 1, Local(pure), method=method) <= local.upper
    assert central.lower <= local.upper  # a private report is private in the centre too
    assert looser.lower <= central.upper
    paper, sharp = (
        lb.mean_floor(n, 1, tv, variant="paper"),
        lb.mean_floor(n, 1, tv, method="le_cam"),
    )
    assert paper <= sharp <= looser.upper * (1 + 1e-9)
    assert lb.mean_floor(n, 1, tv) <= looser.upper * (1 + 1e-9)
    # What pure privacy implies keeps fewer mechanisms out: its floors hold for pure privacy.
    for definition in (ZCDP, KL):
        assert lb.mean_floor(n, 1, pure.implies(definition)) <= central.upper * (1 + 1e-9)


@pytest.mark.parametrize("n", [2, 6])
def test_floors_under_a_delta_are_below_the_exact_risk(n):
    for guarantee in (Approximate(0.5, 1e-3), Approximate(1.0, 0.1), Approximate(1e-3, 0.3)):
        exact = lb.bernoulli_minimax(n, guarantee).upper * (1 + 1e-9)
        for method in (None, "packing", "le_cam", "assouad"):
            assert lb.mean_floor(n, 1, guarantee, method=method) <= exact
        assert lb.mean_floor(n, 1, guarantee, variant="closed") <= exact


def test_a_budget_by_any_other_name_is_one_programme():
    by_name = lb.bernoulli_minimax(5, Pure(0.8))
    assert lb.bernoulli_minimax(5, Approximate(0.8, 0.0)).upper == by_name.upper
    assert lb.bernoulli_minimax(5, Smooth(0.4, 2.0)).upper == by_name.upper
    assert lb.bernoulli_minimax(5, NonPrivate()).upper == lb.bernoulli_minimax(5).upper


@pytest.mark.parametrize(("n", "alpha"), [(2, 0.2), (5, 0.1), (10, 0.03), (20, 0.02)])
def test_total_variation_below_one_half_is_solved(n, alpha):
    found = lb.bernoulli_minimax(n, TotalVariation(alpha))
    assert found.upper == pytest.approx(1 - n * alpha, rel=1e-6)
    sharp = lb.mean_floor(n, 1, TotalVariation(alpha), method="le_cam")
    assert sharp == pytest.approx(1 - n * alpha, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("d", [2, 3, 5, 6])
def test_subset_selection_is_the_best_local_channel(epsilon, d):
    value, channel = lb.optimal_local_channel(lb.fisher_trace, d, Local(Pure(epsilon)))
    assert privacy.dp_epsilon(channel) <= epsilon * (1 + 1e-9)
    uniform = rr.subset_selection_risk(epsilon, np.full(d, 1 / d), 1)
    assert (d - 1) ** 2 / value == pytest.approx(uniform, rel=1e-8)


def test_the_best_local_channel_attains_the_total_variation_coefficient():
    rng = np.random.default_rng(5)
    for epsilon in (0.1, 1.0, 4.0):
        p, q = rng.dirichlet(np.ones(5), size=2)
        guarantee = Local(Pure(epsilon))
        value, channel = lb.optimal_local_channel(lb.variation_utility(p, q), 5, guarantee)
        bound = lb.contraction_coefficient(guarantee) * divergences.total_variation(p, q)
        assert value == pytest.approx(bound, rel=1e-9)
        found = divergences.total_variation(p @ channel, q @ channel)
        assert found == pytest.approx(value, rel=1e-9)


ONE = Pure(1.0)
BAD = [
    (lambda: lb.minimax_channel([[0.5, 0.4]], [[1.0]]), ValueError, "laws"),
    (lambda: lb.minimax_channel(np.eye(2), [[1.0, 0.0]]), ValueError, "laws and loss"),
    (lambda: lb.minimax_channel(np.eye(2), np.eye(2), 1.0), TypeError, "privacy"),
    (lambda: lb.minimax_channel(np.eye(2), np.eye(2), ZCDP(1.0)), ValueError, "privacy"),
    (lambda: lb.minimax_channel(np.eye(2), np.eye(2), Pure([1.0, 2.0])), ValueError, "privacy"),
    (lambda: lb.minimax_channel(np.eye(2), np.eye(2), KL(1.0)), ValueError, "privacy"),
    (lambda: lb.minimax_channel([[1.0]], [[1.0]], ONE, pairs=[[0, 1]]), ValueError, "pairs"),
    (lambda: lb.minimax_channel([[1.0]], [[1.0]], ONE, pairs=[0, 0]), ValueError, "pairs"),
    (lambda: lb.minimax_channel(np.eye(600), np.eye(600), ONE), ValueError, "laws and loss"),
    (lambda: lb.bernoulli_minimax(0), ValueError, "n"),
    (lambda: lb.bernoulli_minimax(2.0), TypeError, "n"),
    (lambda: lb.bernoulli_minimax(301), ValueError, "n"),
    (lambda: lb.bernoulli_minimax(2, "local"), TypeError, "privacy"),
    (lambda: lb.bernoulli_minimax(2, KL(1.0)), ValueError, "privacy"),
    (lambda: lb.bernoulli_minimax(2, Local(Approximate(1.0, 0.1))), ValueError, "privacy"),
    (lambda: lb.bernoulli_minimax(2, outputs=1), ValueError, "outputs"),
    (lambda: lb.bernoulli_minimax(2, rtol=0.0), ValueError, "rtol"),
    (lambda: lb.histograms(10, 30), ValueError, "n and alphabet must leave"),
    (lambda: lb.histogram_laws([[1, 1]], [[1.0, 0.0, 0.0]]), ValueError, "laws"),
    (lambda: lb.optimal_local_channel(lb.fisher_trace, 15, Local(ONE)), ValueError, "d"),
    (lambda: lb.optimal_local_channel(lambda c: c, 3, Local(ONE)), ValueError, "utility"),
    (lambda: lb.optimal_local_channel(3.0, 3, Local(ONE)), TypeError, "utility"),
    (lambda: lb.optimal_local_channel(lb.fisher_trace, 3, ONE), ValueError, "privacy"),
    (lambda: lb.variation_utility([1.0], [0.5, 0.5]), ValueError, "first"),
    (lambda: lb.fisher_trace([[0.0]]), ValueError, "columns"),
    (lambda: lb.fisher_trace([[1.0], [0.9e-100]]), ValueError, "columns must be at least 1e-100"),
    (lambda: lb.fisher_trace([[1.0], [1.1e100]]), ValueError, "columns must be at most 1e[+]100"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "name"), BAD)
def test_bad_input_is_named(call, error, name):
    with pytest.raises(error, match=rf"^{name}\b"):
        call()


def test_histograms_of_one_record_are_all_neighbours():
    table, pairs = lb.histograms(1_000, 1)
    assert np.array_equal(table, np.eye(1_000, dtype=int)[::-1])
    assert np.array_equal(pairs, np.column_stack(np.triu_indices(1_000, 1)))
    with pytest.raises(ValueError, match="^n and alphabet must leave arrays of at most 2 GiB"):
        lb.histograms(8_000, 1)


@pytest.mark.parametrize("unit", [1e-200, 1e-20, 3.0, 1e20, 1e300])
def test_a_risk_is_measured_in_the_unit_of_the_loss(unit):
    loss = unit * (1 - np.eye(2))
    best = lb.minimax_channel(np.eye(2), loss, Pure(np.log(3)))
    assert best.risk == pytest.approx(unit / 4, rel=1e-9)
    assert lb.minimax_channel(np.eye(2), 0 * loss, Pure(1.0)).risk == 0
