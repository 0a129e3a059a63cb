"""Levels of the cousins of differential privacy, against brute force and linear programmes."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from worlds import events, finite_channels, four_point

from minimaxdp import channels, definitions, divergences, guarantees, privacy


def test_smooth_epsilon_is_the_steepest_slope():
    worlds, pairs = privacy.datasets(3, 2)
    matrix = np.random.default_rng(3).dirichlet(np.ones(4), size=9)
    metric = np.array([[0, 0.2, 1], [0.2, 0, 0.9], [1, 0.9, 0]])
    table = privacy.distances(worlds, metric)
    steepest = max(
        np.log(matrix[i] / matrix[j]).max() / table[i, j] for i, j in permutations(range(9), 2)
    )
    assert definitions.metric_dp_epsilon(matrix, table) == pytest.approx(steepest, rel=1e-12)
    assert definitions.metric_dp_epsilon(matrix, table) >= privacy.dp_epsilon(matrix, pairs)


def test_inputs_at_distance_zero_must_look_alike():
    nowhere = np.zeros((2, 2))
    assert definitions.metric_dp_epsilon([[0.5, 0.5], [0.5, 0.5]], nowhere) == 0
    assert definitions.metric_dp_epsilon([[0.6, 0.4], [0.5, 0.5]], nowhere) == np.inf


@given(finite_channels(zeros=False))
def test_bounded_range_lies_between_epsilon_and_twice_epsilon(matrix):
    ratio = np.log(matrix[0] / matrix[1])
    spread = definitions.bounded_range(matrix)
    assert spread == pytest.approx(ratio.max() - ratio.min(), rel=1e-9, abs=1e-12)
    assert privacy.dp_epsilon(matrix) <= spread <= 2 * privacy.dp_epsilon(matrix)


def conditional_by_lp(p, q, eta, t):
    """Best value with mass eta under p and t under q, and the range of t if t is None."""
    k = len(p)
    rows = np.array([np.r_[p, p], np.r_[q, q]])
    disjoint = np.hstack([np.eye(k), np.eye(k)])

    def solve(cost, equal, right):
        found = linprog(cost, disjoint, np.ones(k), equal, right, bounds=(0, 1))
        return found.fun if found.status == 0 else None

    if t is None:
        return solve(rows[1], rows[:1], [eta]), -solve(-rows[1], rows[:1], [eta])
    value = solve(np.r_[-(p / eta - q / t), np.zeros(k)], rows, [eta, t])
    return -np.inf if value is None else -value


@settings(max_examples=25)
@given(finite_channels(most=4), st.floats(0.02, 0.95))
def test_inherited_chtp_is_the_optimum_of_linear_programmes(matrix, eta):
    value = definitions.chtp_epsilon(matrix, eta)
    best = 0.0
    for p, q in (matrix, matrix[::-1]):
        low, high = conditional_by_lp(p, q, eta, None)
        low = max(low, eta)
        if low > high:
            continue
        found = [conditional_by_lp(p, q, eta, t) for t in np.linspace(low, high, 21)[1:-1]]
        best = max(best, *found)
    assert best <= value + 1e-9
    # The programmes are solved at 19 masses, 1/20 of the range apart: they come close.
    assert value - best < 0.05


@given(finite_channels(inputs=3), st.floats(0.02, 0.95))
def test_chtp_to_the_letter_tries_every_event(matrix, eta):
    best = 0.0
    for event in events(matrix.shape[1]).astype(bool):
        for i, j in combinations(range(3), 2):
            masses = matrix[[i, j]][:, event].sum(axis=1)
            if masses.min() >= eta:
                given_event = matrix[[i, j]][:, event] / masses[:, None]
                best = max(best, 0.5 * abs(given_event[0] - given_event[1]).sum())
    value = definitions.chtp_epsilon(matrix, eta, inherited=False)
    assert value == pytest.approx(best, rel=1e-9, abs=1e-14)
    assert value <= definitions.chtp_epsilon(matrix, eta) + 1e-12


@settings(max_examples=20)
@given(finite_channels(most=4), st.floats(0.05, 0.9), st.integers(0, 2**32 - 1))
def test_no_post_processing_exceeds_the_inherited_level(matrix, eta, seed):
    kernel = np.random.default_rng(seed).dirichlet(np.full(8, 0.3), size=matrix.shape[1])
    processed = channels.cascade(matrix, kernel)
    level = definitions.chtp_epsilon(matrix, eta)
    assert definitions.chtp_epsilon(processed, eta, inherited=False) <= level + 1e-12
    assert definitions.chtp_epsilon(processed, eta) <= level + 1e-12


@pytest.mark.parametrize(
    ("epsilon", "delta", "eta"), [(1.0, 0.01, 0.1), (0.3, 0.05, 0.06), (2.0, 0.0, 0.5)]
)
def test_the_forward_constant_is_attained(epsilon, delta, eta):
    assert definitions.chtp_epsilon(four_point(epsilon, delta), eta) == pytest.approx(
        guarantees.approximate_to_chtp(epsilon, delta, eta), rel=1e-12
    )


def test_small_events_turn_chtp_into_bounded_range():
    matrix = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
    level = definitions.chtp_epsilon(matrix, 1e-9)
    assert 4 * np.arctanh(level) == pytest.approx(definitions.bounded_range(matrix), rel=1e-9)


def test_conditional_privacy_need_not_be_inherited():
    matrix = np.array([[0.09, 0.0, 0.91], [0.0, 0.09, 0.91]])
    assert definitions.chtp_epsilon(matrix, 0.1, inherited=False) == pytest.approx(0.09, rel=1e-12)
    assert definitions.chtp_epsilon(matrix, 0.1) == pytest.approx(0.9, rel=1e-12)
    split = channels.cascade(matrix, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1 / 91, 90 / 91]])
    assert definitions.chtp_epsilon(split, 0.1, inherited=False) == pytest.approx(0.9, rel=1e-12)


@settings(max_examples=20)
@given(finite_channels(zeros=False), st.floats(0, 2), st.sampled_from([1.0, 1.5, 2.0, 8.0]))
def test_no_channel_beats_the_delta_of_its_renyi_level(matrix, epsilon, order):
    level = privacy.worst_divergence(matrix, divergences.renyi, order=order)
    delta = privacy.privacy_profile(matrix, epsilon)
    assert delta <= guarantees.renyi_to_delta(order, level, epsilon) + 1e-12


def test_the_delta_of_a_renyi_level_is_attained_by_a_bit():
    order, level, epsilon = 2.0, 0.4, 0.5
    best = 0.0
    for p in np.linspace(0.01, 0.99, 99):
        q = np.linspace(0.0005, p, 2000)
        bits = np.stack(
            [np.stack([np.full_like(q, p), 1 - p - 0 * q], -1), np.stack([q, 1 - q], -1)]
        )
        allowed = np.maximum(
            divergences.renyi(bits[0], bits[1], order), divergences.renyi(bits[1], bits[0], order)
        )
        best = max(best, (p - np.exp(epsilon) * q)[allowed <= level].max(initial=0.0))
    bound = guarantees.renyi_to_delta(order, level, epsilon)
    assert 0 <= bound - best < 1e-3  # the width of the grid
    bit = guarantees.worst_binary_channel(order, level, epsilon)
    assert privacy.privacy_profile(bit, epsilon) == pytest.approx(bound, rel=1e-12)
    attained = privacy.worst_divergence(bit, divergences.renyi, order=order)
    assert attained == pytest.approx(level, rel=1e-9)


@given(finite_channels(zeros=False))
def test_kl_bounds_total_variation_sharper_than_pinsker(matrix):
    level = privacy.worst_divergence(matrix, divergences.kl)
    distance = privacy.worst_divergence(matrix, divergences.total_variation)
    bound = guarantees.kl_to_total_variation(level)
    assert distance <= bound * (1 + 1e-12)
    assert bound <= np.sqrt(level / 2) * (1 + 1e-12)


def violates_only_just(p, epsilon, delta):
    q = (p - delta) * np.exp(-epsilon)
    return np.array([[p, 1 - p], [q, 1 - q]])


def test_the_converse_constant_is_never_beaten():
    # Every pair of bits on the border of (epsilon, delta): its level must reach tanh(epsilon/4).
    for level in (0.02, 0.2, 0.4, 0.5):
        epsilon = guarantees.chtp_to_approximate(level)
        for delta in (1e-4, 0.01, 0.3, 0.8):
            for p in np.linspace(delta, 1, 41)[1:]:
                found = definitions.chtp_epsilon(violates_only_just(p, epsilon, delta), delta)
                assert found >= level * (1 - 1e-9)


def test_the_converse_stops_at_one_half():
    matrix = violates_only_just(0.01, 50.0, 0.01)  # mass delta, seen under one input only
    assert definitions.chtp_epsilon(matrix, 0.01) == pytest.approx(1 / (2 - 0.01), rel=1e-9)


def test_the_report_gathers_the_same_numbers():
    matrix = np.random.default_rng(5).dirichlet(np.ones(4), size=3)
    table = definitions.report(matrix, distances=1 - np.eye(3), etas=(0.1, 0.3))
    assert table.pure == table.smooth == privacy.dp_epsilon(matrix)
    assert table.delta_at[0.5] == privacy.privacy_profile(matrix, 0.5)
    assert table.epsilon_at[0.01] == privacy.epsilon_at_delta(matrix, 0.01)
    assert table.chi_square == pytest.approx(np.expm1(table.renyi[2.0]), rel=1e-12)
    assert table.chtp[0.3] == definitions.chtp_epsilon(matrix, 0.3) <= table.chtp[0.1]
    assert table.zcdp == guarantees.zcdp_rho(matrix)
    text = str(table).splitlines()
    assert len(text) == 15 and text[0].endswith(f"{table.pure:.6g}")


FLIP = [[0.75, 0.25], [0.25, 0.75]]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: definitions.chtp_epsilon(FLIP, 0.1, inherited="no"),
            TypeError,
            "inherited must be T",
        ),
        (
            lambda: definitions.report(FLIP, etas=(e for e in (0.1,))),
            TypeError,
            "etas must be real",
        ),
        (lambda: definitions.report(FLIP, etas=[0.0]), ValueError, "etas must be at least 1e-300"),
        (lambda: definitions.report(FLIP, deltas=[1.5]), ValueError, "deltas must be at most 1"),
        (lambda: definitions.report(FLIP, orders=[0]), ValueError, "orders must be greater than 0"),
        (
            lambda: definitions.report(FLIP, etas=[[], [0.1]]),
            ValueError,
            "etas must be a rectangular",
        ),
        (lambda: definitions.chtp_epsilon(FLIP, 1e-320), ValueError, "eta must be at least 1e-300"),
        (lambda: definitions.report(FLIP, epsilons=1.0), ValueError, "epsilons must be a sequence"),
        (
            lambda: definitions.guarantee_of(FLIP, ["Pure"]),
            TypeError,
            "definition must be one of Pure, ",
        ),
    ],
)
def test_bad_input_is_named(call, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: definitions.metric_dp_epsilon(FLIP, [[0, 1], [2, 0]]),
            "distances must be symmetric",
        ),
        (lambda: definitions.metric_dp_epsilon(FLIP, [[0]]), "distances must have shape"),
        (lambda: definitions.chtp_epsilon(FLIP, 0.0), "eta must be at least 1e-300"),
        (
            lambda: definitions.chtp_epsilon(np.full((2, 17), 1 / 17), 0.5, inherited=False),
            "channel must have at most 16 outputs",
        ),
    ],
)
def test_levels_out_of_range_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_report_may_leave_things_out():
    found = definitions.report(FLIP, epsilons=(), deltas=[], orders=(np.inf,), etas=())
    assert found.delta_at == found.epsilon_at == found.chtp == {}
    assert found.renyi[np.inf] == privacy.dp_epsilon(FLIP)
