"""Exact parameters of finite mechanisms, against brute force on small worlds."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import events, finite_channels, four_point, response

from minimaxdp import channels, definitions, divergences, guarantees, privacy

# Neighbours


@pytest.mark.parametrize(("alphabet", "n"), [(1, 1), (2, 3), (3, 2), (2, 4)])
def test_replacement_pairs_are_those_at_hamming_distance_one(alphabet, n):
    worlds, pairs = privacy.datasets(alphabet, n)
    assert worlds == list(product(range(alphabet), repeat=n))
    expected = {
        (i, j)
        for i, j in combinations(range(len(worlds)), 2)
        if sum(a != b for a, b in zip(worlds[i], worlds[j], strict=True)) == 1
    }
    assert {tuple(pair) for pair in pairs.tolist()} == expected
    assert len(pairs) == len(expected)


def test_add_remove_pairs_are_those_of_one_deletion():
    worlds, pairs = privacy.datasets(2, 3, "add-remove")
    assert sorted(worlds) == sorted(w for m in range(4) for w in product(range(2), repeat=m))
    found = {(worlds[i], worlds[j]) for i, j in pairs.tolist()}
    for small, large in product(worlds, worlds):
        deleted = any(small == large[:i] + large[i + 1 :] for i in range(len(large)))
        assert ((small, large) in found) == deleted
    assert len(found) == len(pairs)


def test_histogram_sensitivity_depends_on_the_relation():
    largest = {}
    for relation in ("replacement", "add-remove"):
        worlds, pairs = privacy.datasets(3, 3, relation)
        counts = np.array([[world.count(v) for v in range(3)] for world in worlds])
        largest[relation] = abs(counts[pairs[:, 0]] - counts[pairs[:, 1]]).sum(axis=1).max()
    assert largest == {"replacement": 2, "add-remove": 1}


def test_distances_add_up_record_by_record():
    worlds, _ = privacy.datasets(3, 2)
    metric = np.array([[0, 0.25, 1], [0.25, 0, 0.5], [1, 0.5, 0]])
    table = privacy.distances(worlds, metric)
    for (i, x), (j, y) in product(enumerate(worlds), repeat=2):
        assert table[i, j] == sum(metric[a, b] for a, b in zip(x, y, strict=True))
    assert np.all(table <= privacy.distances(worlds))


# Ratios


@given(finite_channels(inputs=3))
def test_pure_epsilon_is_the_supremum_over_events(matrix):
    masses = matrix @ events(matrix.shape[1]).T
    worst = 0.0
    for i, j in permutations(range(3), 2):
        used = masses[i] > 1e-15
        with np.errstate(divide="ignore"):
            worst = max(worst, np.log(masses[i][used] / masses[j][used]).max())
    assert privacy.dp_epsilon(matrix) == pytest.approx(worst, rel=1e-12)


@given(finite_channels(inputs=3), st.floats(0, 4))
def test_approximate_delta_is_the_supremum_over_events(matrix, epsilon):
    masses = matrix @ events(matrix.shape[1]).T
    worst = max(
        (masses[i] - np.exp(epsilon) * masses[j]).max() for i, j in permutations(range(3), 2)
    )
    assert privacy.privacy_profile(matrix, epsilon) == pytest.approx(worst, rel=1e-12, abs=1e-14)


@given(finite_channels(inputs=3), st.floats(1e-9, 1))
def test_epsilon_at_delta_is_the_least_that_will_do(matrix, delta):
    epsilon = privacy.epsilon_at_delta(matrix, delta)
    if np.isfinite(epsilon):
        assert privacy.privacy_profile(matrix, epsilon) <= delta + 1e-14
        if epsilon > 1e-6:
            less = privacy.privacy_profile(matrix, epsilon * (1 - 1e-6))
            assert less > delta - 1e-14
    else:
        assert privacy.privacy_profile(matrix, 600.0) > delta - 1e-14


@given(finite_channels(inputs=3))
def test_at_delta_zero_approximate_privacy_is_pure(matrix):
    assert privacy.epsilon_at_delta(matrix, 0.0) == pytest.approx(
        privacy.dp_epsilon(matrix), rel=1e-11
    )


def test_arrays_of_budgets_keep_their_shape():
    matrix = response(1.3, 4)
    grid = np.linspace(0, 2, 6).reshape(2, 3)
    deltas = privacy.privacy_profile(matrix, grid)
    assert deltas.shape == (2, 3)
    assert deltas.tolist() == [[privacy.privacy_profile(matrix, e) for e in row] for row in grid]
    back = privacy.epsilon_at_delta(matrix, deltas)
    np.testing.assert_allclose(back, np.minimum(grid, 1.3), rtol=1e-12)


@pytest.mark.parametrize("budget", [1e-6, 0.1, 1.0, 8.0])
@pytest.mark.parametrize("d", [2, 5])
def test_randomized_response_has_its_closed_forms(budget, d):
    matrix = response(budget, d)
    # The matrix holds e**budget only to 1e-16, which is this much of a small budget.
    rel = 1e-12 + 4e-16 / budget
    assert privacy.dp_epsilon(matrix) == pytest.approx(budget, rel=rel)
    for epsilon in (0.0, budget / 3, 2 * budget):
        assert privacy.privacy_profile(matrix, epsilon) == pytest.approx(
            guarantees.randomized_response_delta(epsilon, budget, d), rel=rel, abs=1e-16
        )
    delta = guarantees.randomized_response_delta(budget / 2, budget, d)
    assert guarantees.randomized_response_epsilon(delta, budget, d) == pytest.approx(
        budget / 2, rel=rel
    )
    if d == 2:
        for order in (1, 1.5, 2, 7, np.inf):
            level = privacy.worst_divergence(matrix, divergences.renyi, order=order)
            assert level == pytest.approx(
                guarantees.randomized_response_renyi(order, budget), rel=2 * rel
            )


def test_neighbours_other_than_all_pairs_are_respected():
    worlds, pairs = privacy.datasets(2, 3)
    matrix = channels.power(response(0.7), 3)
    assert privacy.dp_epsilon(matrix, pairs) == pytest.approx(0.7, rel=1e-12)
    assert privacy.dp_epsilon(matrix) == pytest.approx(2.1, rel=1e-12)
    assert definitions.metric_dp_epsilon(matrix, privacy.distances(worlds)) == pytest.approx(0.7)


def test_divergence_level_takes_any_divergence():
    matrix = np.random.default_rng(4).dirichlet(np.ones(3), size=4)
    hellinger = privacy.worst_divergence(
        matrix, divergences.f_divergence, f=lambda t: (1 - np.sqrt(t)) ** 2 / 2
    )
    assert hellinger == pytest.approx(
        privacy.worst_divergence(matrix, divergences.squared_hellinger), rel=1e-12
    )
    both = [divergences.kl(matrix[i], matrix[j]) for i, j in permutations(range(4), 2)]
    assert privacy.worst_divergence(matrix, divergences.kl) == max(both)


# Orders


@given(finite_channels(inputs=2, zeros=False))
def test_the_enclosure_holds_every_order(matrix):
    rho = guarantees.zcdp_rho(matrix)
    orders = 1 + np.geomspace(1e-6, 1e4, 4000)
    p, q = matrix
    curve = np.maximum(
        divergences.renyi(p, q, orders) / orders, divergences.renyi(q, p, orders) / orders
    )
    assert curve.max() <= rho.high * (1 + 1e-13)
    assert rho.low <= rho.high <= rho.low * (1 + 1e-9)
    at = 1 if rho.order == 1 else rho.order
    attained = privacy.worst_divergence(matrix, divergences.renyi, order=at) / at
    assert attained == pytest.approx(rho.low, rel=1e-13)


def test_the_enclosure_narrows_on_request():
    matrix = np.array([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]])
    wide, narrow = guarantees.zcdp_rho(matrix, rtol=1e-2), guarantees.zcdp_rho(matrix, rtol=1e-12)
    assert narrow.high <= narrow.low * (1 + 1e-12)
    assert wide.low <= narrow.high and narrow.low <= wide.high


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 4.0, 30.0])
def test_randomized_response_is_epsilon_tanh_half_epsilon_concentrated(epsilon):
    rho = guarantees.zcdp_rho(response(epsilon))
    expected = guarantees.pure_to_zcdp(epsilon)
    assert rho.low * (1 - 1e-11) <= expected <= rho.high * (1 + 1e-11)


def test_zcdp_of_degenerate_channels():
    assert guarantees.zcdp_rho([[0.5, 0.5], [0.5, 0.5]]) == guarantees.Enclosure(0.0, 0.0, 1.0)
    assert guarantees.zcdp_rho([[1.0, 0.0], [0.5, 0.5]]).low == np.inf


def test_one_bad_pair_decides_the_zcdp_of_many():
    worlds, pairs = privacy.datasets(2, 6)
    matrix = channels.power(response(0.4), 6)
    rho = guarantees.zcdp_rho(matrix, pairs)
    assert rho.low * (1 - 1e-12) <= guarantees.pure_to_zcdp(0.4) <= rho.high * (1 + 1e-12)


@pytest.mark.parametrize("u", [0.01, 1.0, 6.0])
def test_laplace_noise_is_most_concentrated_at_order_one(u):
    rho = guarantees.supremum_over_orders(lambda a: guarantees.laplace_renyi(a, 1.0, u), u)
    assert rho.order == 1
    assert rho.low == pytest.approx(u + np.expm1(-u), rel=1e-12)


# Conditional tests


# Tests


@given(finite_channels())
def test_the_tradeoff_curve_is_the_lower_border_of_all_tests(matrix):
    p, q = matrix
    alpha, beta = privacy.tradeoff_curve(p, q)
    assert alpha[0] == 0 and (alpha[-1], beta[-1]) == (1, 0)
    assert np.all(np.diff(alpha) >= 0) and np.all(np.diff(beta) <= 0)
    tests = events(len(p))
    first, second = tests @ p, (1 - tests) @ q
    assert np.all(second >= np.interp(first, alpha, beta) - 1e-12)
    corners = {(round(a, 12), round(b, 12)) for a, b in zip(first, second, strict=True)}
    assert {(round(a, 12), round(b, 12)) for a, b in zip(alpha, beta, strict=True)} <= corners


def test_an_output_that_only_the_second_law_shows_is_rejected_for_free():
    alpha, beta = privacy.tradeoff_curve([0.0, 1.0], [0.5, 0.5])
    assert (alpha.tolist(), beta.tolist()) == ([0, 1], [0.5, 0])
    both_orders = privacy.tradeoff([[0.0, 1.0], [0.5, 0.5]], [0.0, 0.25, 0.5])
    assert both_orders.tolist() == [0.5, 0.375, 0.0]


@given(finite_channels(inputs=3))
def test_the_tradeoff_of_a_channel_is_that_of_its_worst_pair(matrix):
    grid = np.linspace(0, 1, 31)
    curves = [
        np.interp(grid, *privacy.tradeoff_curve(matrix[i], matrix[j]))
        for i, j in permutations(range(3), 2)
    ]
    np.testing.assert_allclose(privacy.tradeoff(matrix, grid), np.min(curves, axis=0), atol=1e-13)


@given(finite_channels(), st.floats(0, 3))
def test_a_tradeoff_above_the_private_one_is_approximate_privacy(matrix, epsilon):
    delta = privacy.privacy_profile(matrix, epsilon)
    alpha = np.unique(
        np.concatenate(
            [privacy.tradeoff_curve(*matrix)[0], privacy.tradeoff_curve(*matrix[::-1])[0]]
        ).clip(0, 1)
    )
    gap = privacy.tradeoff(matrix, alpha) - guarantees.approximate_tradeoff(epsilon, alpha, delta)
    assert gap.min() >= -1e-12
    if delta > 1e-6:
        tighter = guarantees.approximate_tradeoff(epsilon, alpha, delta * (1 - 1e-3))
        assert np.any(privacy.tradeoff(matrix, alpha) < tighter)


def test_randomized_response_runs_along_the_private_tradeoff():
    grid = np.linspace(0, 1, 101)
    np.testing.assert_allclose(
        privacy.tradeoff(response(1.2), grid),
        guarantees.approximate_tradeoff(1.2, grid),
        rtol=1e-12,
        atol=1e-15,
    )
    np.testing.assert_allclose(
        privacy.tradeoff(four_point(1.2, 0.05), grid),
        guarantees.approximate_tradeoff(1.2, grid, 0.05),
        rtol=1e-12,
        atol=1e-15,
    )


# Implications


def test_posterior_range_is_that_of_randomized_response():
    for epsilon, prior in product((0.1, 1.0, 5.0), (0.01, 0.5, 0.9)):
        low, high = guarantees.posterior_range(prior, epsilon)
        seen = channels.posterior(response(epsilon), [prior, 1 - prior])[:, 0]
        assert seen == pytest.approx([high, low], rel=1e-12)


# Channels


@given(finite_channels(inputs=3), finite_channels(inputs=3))
def test_budgets_add_up_when_both_outputs_are_released(first, second):
    both = channels.adaptive_composition(first, second)
    total = privacy.dp_epsilon(first) + privacy.dp_epsilon(second)
    assert privacy.dp_epsilon(both) <= total * (1 + 1e-12)
    assert privacy.worst_divergence(both, divergences.kl) <= (
        privacy.worst_divergence(first, divergences.kl)
        + privacy.worst_divergence(second, divergences.kl)
    ) * (1 + 1e-12)


def test_an_adaptive_second_release_is_the_law_of_total_probability():
    rng = np.random.default_rng(8)
    first = rng.dirichlet(np.ones(2), size=3)
    second = rng.dirichlet(np.ones(4), size=(2, 3))
    both = channels.adaptive_composition(first, second)
    for x, y, z in product(range(3), range(2), range(4)):
        assert both[x, 4 * y + z] == first[x, y] * second[y, x, z]


@given(finite_channels(inputs=3), st.integers(0, 2**32 - 1))
def test_garbling_recovers_a_post_processing(matrix, seed):
    kernel = np.random.default_rng(seed).dirichlet(np.ones(3), size=matrix.shape[1])
    processed = channels.cascade(matrix, kernel)
    found = channels.garbling(matrix, processed)
    np.testing.assert_allclose(matrix @ found, processed, atol=1e-9)


@given(finite_channels(zeros=False))
def test_every_private_pair_is_a_garbling_of_randomized_response(matrix):
    epsilon = privacy.dp_epsilon(matrix)
    assert channels.garbling(response(epsilon * (1 + 1e-9)), matrix) is not None
    assert channels.garbling(response(epsilon * 0.99), matrix) is None


# The report, and what is refused


FLIP = [[0.75, 0.25], [0.25, 0.75]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: privacy.dp_epsilon([[0.5, 0.6], [0.5, 0.5]]), "channel must sum to one"),
        (lambda: privacy.dp_epsilon([[0.5, 0.5]]), "channel must have at least two inputs"),
        (lambda: privacy.dp_epsilon(FLIP, [[0, 2]]), "pairs must be at most 1, got 2"),
        (lambda: privacy.dp_epsilon(FLIP, [0, 1]), r"pairs must have shape \(m, 2\)"),
        (lambda: privacy.dp_epsilon(FLIP, []), "pairs must not be empty"),
        (lambda: privacy.privacy_profile(FLIP, -0.1), "epsilon must be at least 0, got -0.1"),
        (lambda: privacy.privacy_profile(FLIP, np.nan), "epsilon must be finite, got nan"),
        (lambda: privacy.epsilon_at_delta(FLIP, 1.5), "delta must be at most 1, got 1.5"),
        (lambda: guarantees.zcdp_rho(FLIP, rtol=1e-15), "rtol must be at least 1e-12"),
        (lambda: guarantees.chtp_to_approximate(0.51), "level must be at most 0.5"),
        (lambda: privacy.tradeoff(FLIP, 1.1), "alpha must be at most 1"),
        (lambda: privacy.tradeoff_curve([0.5, 0.5], [1.0]), "p and q must be two laws"),
        (lambda: privacy.datasets(2, 0), "n must be at least 1"),
        (lambda: privacy.datasets(10, 10), "n must leave at most"),
        (lambda: privacy.datasets(2, 2, "other"), "relation must be"),
        (lambda: privacy.distances([(0,), (0, 1)]), "worlds must hold data sets of one length"),
        (lambda: privacy.distances([(0,), (1,)], [[0, 2], [2, 0]]), "metric must be at most 1"),
        (lambda: privacy.distances([(0,), (1,)], [[0, 1], [0, 0]]), "metric must be symmetric"),
        (lambda: guarantees.renyi_to_delta(0.5, 1, 1), "order must be at least 1"),
        (lambda: channels.adaptive_composition(FLIP, [[1.0]]), "second must have shape"),
        (lambda: channels.garbling(FLIP, [[1.0]]), "target must have the 2 inputs"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_wrong_types_are_named():
    with pytest.raises(TypeError, match="pairs must be integers"):
        privacy.dp_epsilon(FLIP, [[0.0, 1.0]])
    with pytest.raises(TypeError, match="n must be integers"):
        privacy.datasets(2, 3.0)
