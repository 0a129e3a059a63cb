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

property_test = settings(max_examples=15, deadline=None, derandomize=True)


def bits_world(n):
    counts = np.arange(n + 1)
    return np.column_stack([counts[:-1], counts[1:]])


@given(st.floats(0.05, 5.0), st.integers(2, 5))
@property_test
def test_guessing_a_category_is_answered_by_kary(epsilon, d):
    best = lb.minimax_channel(np.eye(d), 1 - np.eye(d), epsilon=epsilon)
    assert best.risk == pytest.approx(1 - rr.KAry(epsilon, d).truth_probability, abs=1e-9)
    assert best.prior.sum() == pytest.approx(1) and best.prior.min() >= 0
    assert privacy.pure_epsilon(best.channel) <= epsilon + 1e-6


@pytest.mark.parametrize("alpha", [0.1, 0.4, 0.9])
def test_guessing_under_total_variation(alpha):
    best = lb.minimax_channel(np.eye(2), 1 - np.eye(2), epsilon=0.0, delta=alpha)
    assert best.risk == pytest.approx((1 - alpha) / 2, abs=1e-9)
    assert divergences.total_variation(*best.channel) == pytest.approx(alpha, abs=1e-8)


@pytest.mark.parametrize("n", [1, 4, 9, 20])
def test_without_privacy_the_risk_is_that_of_hodges_and_lehmann(n):
    found = lb.bernoulli_minimax(n)
    assert found.lower <= lb.mean_nonprivate(n) <= found.upper
    assert found.upper - found.lower < 2e-3


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_one_person_is_randomized_response(epsilon):
    # Estimates -c and c have the risk theta^2 (1 - 2 c t) + c^2 with t = tanh(epsilon / 2).
    t2 = np.tanh(epsilon / 2) ** 2
    exact = 1 - t2 if t2 < 1 / 2 else 1 / (4 * t2)
    for local in (False, True):
        found = lb.bernoulli_minimax(1, epsilon=epsilon, local=local, outputs=401)
        assert found.lower - 1e-9 <= exact <= found.upper + 1e-9
        assert found.upper - found.lower < 1e-3 * exact + 1e-5


@pytest.mark.parametrize(("n", "value"), [(1, 0.7864), (5, 0.1986), (20, 0.0453)])
def test_values_computed_elsewhere(n, value):
    found = lb.bernoulli_minimax(n, epsilon=1.0, outputs=121)
    assert found.lower - 1e-4 <= value <= found.upper + 1e-4


@pytest.mark.parametrize(
    "setting",
    [{"epsilon": 0.5}, {"epsilon": 0.5, "delta": 0.01}, {"epsilon": 0.0, "delta": 0.15}],
)
def test_the_channel_is_private_and_has_the_risk(setting):
    n = 6
    found = lb.bernoulli_minimax(n, **setting)
    delta = privacy.approximate_delta(found.channel, setting["epsilon"], bits_world(n))
    assert delta <= setting.get("delta", 0.0) + 1e-8
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
    best = lb.minimax_channel(laws, loss, pairs=pairs, epsilon=1.0)
    average = best.prior @ np.einsum("ts,sa,ta->t", laws, best.channel, loss)
    assert average == pytest.approx(best.risk, abs=1e-8)
    rng, risks = np.random.default_rng(0), []
    for _ in range(200):
        # The exponential mechanism, whose scores a record moves by at most one half.
        centres = rng.uniform(-2, 6, rng.integers(2, 12))
        channel = np.exp(-abs(table[:, :1] - centres) / 2)
        channel /= channel.sum(axis=1, keepdims=True)
        assert privacy.pure_epsilon(channel, pairs) <= 1 + 1e-12
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
    full = lb.minimax_channel(ordered, loss, pairs=pairs, epsilon=0.7)
    table, near = lb.histograms(alphabet, n)
    short = lb.minimax_channel(lb.histogram_laws(table, laws), loss, pairs=near, epsilon=0.7)
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


@pytest.mark.parametrize(
    ("n", "setting"),
    [(n, s) for n in (2, 6, 12) for s in ({"epsilon": 0.3}, {"epsilon": 1.5})],
)
def test_no_floor_exceeds_the_exact_risk(n, setting):
    epsilon = setting["epsilon"]
    central = lb.bernoulli_minimax(n, epsilon=epsilon)
    assert lb.mean_dp_sharp(n, epsilon, 1) <= central.upper * (1 + 1e-9)
    local = lb.bernoulli_minimax(n, epsilon=epsilon, local=True)
    assert lb.mean_local(n, epsilon) <= local.upper
    assert central.lower <= local.upper  # a private report is private in the centre too
    alpha = np.tanh(epsilon / 2)
    tv = lb.bernoulli_minimax(n, epsilon=0.0, delta=alpha)
    assert tv.lower <= central.upper
    assert lb.mean_tv(n, alpha) <= lb.mean_tv_sharp(n, alpha) <= tv.upper * (1 + 1e-9)


@pytest.mark.parametrize(("n", "alpha"), [(2, 0.2), (5, 0.1), (10, 0.03), (20, 0.02)])
def test_total_variation_below_one_half_is_solved(n, alpha):
    found = lb.bernoulli_minimax(n, epsilon=0.0, delta=alpha)
    assert found.upper == pytest.approx(1 - n * alpha, rel=1e-6)
    assert lb.mean_tv_sharp(n, alpha) == pytest.approx(1 - n * alpha, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("d", [2, 3, 5, 6])
def test_subset_selection_is_the_best_staircase(epsilon, d):
    value, channel = lb.staircase(lb.fisher_trace, epsilon, d)
    assert privacy.pure_epsilon(channel) <= epsilon * (1 + 1e-9)
    uniform = rr.subset_selection_risk(epsilon, np.full(d, 1 / d), 1)
    assert (d - 1) ** 2 / value == pytest.approx(uniform, rel=1e-8)


def test_staircase_attains_the_total_variation_coefficient():
    rng = np.random.default_rng(5)
    for epsilon in (0.1, 1.0, 4.0):
        p, q = rng.dirichlet(np.ones(5), size=2)
        value, channel = lb.staircase(lb.variation_utility(p, q), epsilon, 5)
        bound = lb.contraction_coefficient(epsilon) * divergences.total_variation(p, q)
        assert value == pytest.approx(bound, rel=1e-9)
        found = divergences.total_variation(p @ channel, q @ channel)
        assert found == pytest.approx(value, rel=1e-9)


BAD = [
    (lambda: lb.minimax_channel([[0.5, 0.4]], [[1.0]]), ValueError, "laws"),
    (lambda: lb.minimax_channel(np.eye(2), [[1.0, 0.0]]), ValueError, "laws and loss"),
    (lambda: lb.minimax_channel(np.eye(2), np.eye(2), epsilon=-1.0), ValueError, "epsilon"),
    (lambda: lb.minimax_channel(np.eye(2), np.eye(2), epsilon=1.0, delta=1.0), ValueError, "delta"),
    (lambda: lb.minimax_channel([[1.0]], [[1.0]], epsilon=1, pairs=[[0, 1]]), ValueError, "pairs"),
    (lambda: lb.minimax_channel([[1.0]], [[1.0]], epsilon=1, pairs=[0, 0]), ValueError, "pairs"),
    (lambda: lb.minimax_channel(np.eye(600), np.eye(600), epsilon=1.0), ValueError, "programme"),
    (lambda: lb.bernoulli_minimax(0), ValueError, "n"),
    (lambda: lb.bernoulli_minimax(2.0), TypeError, "n"),
    (lambda: lb.bernoulli_minimax(2, local=True), ValueError, "local"),
    (lambda: lb.bernoulli_minimax(2, epsilon=1.0, delta=0.1, local=True), ValueError, "local"),
    (lambda: lb.bernoulli_minimax(2, outputs=1), ValueError, "outputs"),
    (lambda: lb.histograms(10, 30), ValueError, "n must leave"),
    (lambda: lb.histogram_laws([[1, 1]], [[1.0, 0.0, 0.0]]), ValueError, "laws"),
    (lambda: lb.staircase(lb.fisher_trace, 1.0, 15), ValueError, "d"),
    (lambda: lb.staircase(lambda c: c, 1.0, 3), ValueError, "utility"),
    (lambda: lb.variation_utility([1.0], [0.5, 0.5]), ValueError, "first"),
    (lambda: lb.fisher_trace([[0.0]]), ValueError, "columns"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "name"), BAD)
def test_bad_input_is_named(call, error, name):
    with pytest.raises(error, match=name):
        call()
