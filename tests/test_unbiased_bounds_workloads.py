"""Workloads of linear queries, the matrix mechanism, and floors averaged over data sets."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import assert_mean
from scipy.optimize import linprog

from minimaxdp import unbiased_bounds as ub
from minimaxdp.guarantees import KL, ZCDP, Approximate, Local, NonPrivate, Pure, TotalVariation

property_test = settings(max_examples=20, deadline=None, derandomize=True)
COMES = ZCDP(0.5, relation="add-remove")  # noise of standard deviation 1 for sensitivity 1


def test_workloads_by_brute_force():
    x = np.array([5, 0, 2, 7, 1])
    assert (ub.prefix_workload(5) @ x).tolist() == [x[: i + 1].sum() for i in range(5)]
    ranges = [x[i : j + 1].sum() for i in range(5) for j in range(i, 5)]
    assert (ub.range_workload(5) @ x).tolist() == ranges
    table = np.arange(24).reshape(2, 3, 4)
    two = ub.marginal_workload([2, 3, 4], 2) @ table.ravel()
    wanted = [table.sum(axis=a).ravel() for a in (2, 1, 0)]  # attributes 01, 02, 12
    assert two.tolist() == np.concatenate(wanted).tolist()
    assert (ub.marginal_workload([2, 3, 4], 0) @ table.ravel()).tolist() == [table.sum()]
    assert np.array_equal(ub.marginal_workload([2, 3, 4], 3), np.eye(24))


@pytest.mark.parametrize(("m", "branching"), [(1, 2), (8, 2), (13, 2), (13, 3), (9, 20)])
def test_a_tree_has_every_cell_in_one_node_of_each_level(m, branching):
    tree = ub.tree_strategy(m, branching)
    assert np.all(tree[0] == 1) and set(np.unique(tree)) <= {0.0, 1.0}
    for row in np.eye(m):
        assert (tree == row).all(axis=1).sum() == 1  # each cell is a leaf
    depth = tree.sum(axis=0)
    assert depth.max() - depth.min() <= 1
    assert depth.max() == 1 + int(np.ceil(np.log(m) / np.log(branching) - 1e-12))


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 9))
@property_test
def test_floor_and_mechanism_meet_and_no_strategy_is_better(seed, m, q):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(q, m))
    floor, mechanism = ub.workload_floor(w, COMES), ub.MatrixMechanism.least(w, COMES)
    assert floor.gap <= 1e-9
    # The factorization: W = L A with columns of A of length at most 1 and |L|^2 = T.
    assert np.linalg.norm(floor.strategy, axis=0).max() == pytest.approx(1, abs=1e-8)
    assert mechanism.total_variance == pytest.approx(floor.ellipsoid.dual, rel=1e-7)
    assert floor.trace * np.expm1(1.0) == pytest.approx(floor.ellipsoid.dual, rel=1e-12)
    # The bound from below for any weights is a nuclear norm; equal weights are those of the svd.
    svd = np.linalg.svd(w, compute_uv=False).sum() ** 2 / m
    assert svd <= floor.ellipsoid.primal * (1 + 1e-12)
    for _ in range(10):
        other = floor.strategy + 0.3 * rng.normal(size=floor.strategy.shape)
        other = np.vstack([other, np.eye(m) * 0.5])
        assert ub.MatrixMechanism(w, other, COMES).total_variance >= floor.ellipsoid.dual * (
            1 - 1e-9
        )


@pytest.mark.parametrize(("sizes", "order"), [([2, 2, 2], 1), ([3, 4], 1), ([2, 3, 2], 2)])
def test_marginals_are_symmetric_and_attain_the_bound_of_the_singular_values(sizes, order):
    w = ub.marginal_workload(sizes, order)
    floor = ub.workload_floor(w, COMES)
    nuclear = np.linalg.svd(w, compute_uv=False).sum()
    assert floor.ellipsoid.dual == pytest.approx(nuclear**2 / w.shape[1], rel=1e-7)
    assert floor.mechanism.total_variance == pytest.approx(floor.ellipsoid.dual, rel=1e-7)


@pytest.mark.parametrize("m", [1, 2, 7, 64])
def test_the_identity_and_the_total_have_their_closed_forms(m):
    assert ub.workload_floor(np.eye(m), COMES).ellipsoid.primal == pytest.approx(m, rel=1e-9)
    total = ub.workload_floor(np.ones((3, m)), COMES)  # one question asked three times
    assert total.ellipsoid.rank == 1 and total.ellipsoid.primal == pytest.approx(3, rel=1e-9)


def test_two_prefix_sums_by_hand():
    # Columns (1, 1) and (0, 1): weights u, 1 - u give tr M^(1/2) with trace 1 + u and
    # determinant u (1 - u), so its square is 1 + u + 2 sqrt(u (1 - u)), largest at
    # u = (1 + 1 / sqrt 5) / 2.
    found = ub.workload_floor(ub.prefix_workload(2), COMES).ellipsoid
    u = (1 + 1 / np.sqrt(5)) / 2
    assert found.dual == pytest.approx(1 + u + 2 * np.sqrt(u * (1 - u)), rel=1e-9)
    assert found.dual == pytest.approx((3 + np.sqrt(5)) / 2, rel=1e-9)


@pytest.mark.parametrize("make", [ub.prefix_workload, ub.range_workload])
def test_shaped_noise_is_better_than_tree_identity_and_queries_one_by_one(make):
    w = make(32)
    best = ub.MatrixMechanism.least(w, COMES).total_variance
    for strategy in (ub.tree_strategy(32), np.eye(32), w):
        assert ub.MatrixMechanism(w, strategy, COMES).total_variance > 1.3 * best


def test_all_ranges_of_many_cells_are_certified():
    floor = ub.workload_floor(ub.range_workload(128), COMES)
    assert floor.gap <= 1e-9
    assert floor.ellipsoid.dual == pytest.approx(55767.242733, rel=1e-7)


def test_answers_are_unbiased_consistent_and_of_the_stated_variances():
    w, counts = ub.range_workload(5), np.array([3, 0, 7, 2, 1])
    for strategy in (ub.tree_strategy(5), ub.workload_floor(w, COMES).strategy):
        mechanism = ub.MatrixMechanism(w, strategy, COMES)
        answers = mechanism.privatize(np.tile(counts, (20_000, 1)), rng=3)
        assert answers.shape == (20_000, 15)
        for j in (0, 4, 8, 14):
            # At the error rate of `laws`; the variance below at about 1e-6.
            assert_mean(answers[:, j], float(w[j] @ counts))
            ratio = answers[:, j].var() / mechanism.variances[j]
            assert abs(ratio - 1) < 4.9 * np.sqrt(2 / 20_000)
        # Cells 0 to 4 are cells 0 to 1 and cells 2 to 4, in every single release.
        assert abs(answers[:, 4] - answers[:, 1] - answers[:, 11]).max() < 1e-9
    assert mechanism.total_variance == pytest.approx(mechanism.variances.sum())


def test_the_budget_is_spent_by_the_worst_cell_and_by_no_other():
    mechanism = ub.MatrixMechanism(ub.range_workload(6), ub.tree_strategy(6), ZCDP(
        0.02, relation="add-remove"
    ))  # fmt: skip
    moves = np.linalg.norm(np.asarray(mechanism.strategy), axis=0)
    spent = (moves / mechanism.sigma) ** 2 / 2
    assert spent.max() == pytest.approx(0.02, rel=1e-12)
    one, other = mechanism.neighbours
    assert abs(one - other).sum() == 1 and spent[other.argmax()] == spent.max()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ub.workload_floor([[1, 0], [0, 0]], COMES), "^workload must not have a row of"),
        (lambda: ub.workload_floor([[1, np.nan]], COMES), "^workload must"),
        (lambda: ub.workload_floor([1, 2], COMES), "^workload must have two axes"),
        (lambda: ub.workload_floor(np.eye(2), ZCDP(0.5)), "^privacy must have the relation"),
        (lambda: ub.MatrixMechanism(np.eye(2), np.eye(3), COMES), "^strategy must have one col"),
        (lambda: ub.MatrixMechanism(np.eye(2), [[1, 1]], COMES), "^strategy must determine"),
        (lambda: ub.MatrixMechanism(np.eye(2), [[1, np.inf]], COMES), "^strategy must"),
        (lambda: ub.MatrixMechanism(np.eye(2), np.eye(2), Pure(1.0)), "^privacy must have"),
        (
            lambda: ub.MatrixMechanism(np.eye(2), np.eye(2), Pure(1.0, relation="add-remove")),
            "^privacy's scale of gaussian noise must be finite",
        ),
        (lambda: ub.MatrixMechanism.least(np.eye(2), COMES).privatize([-1, 0]), "^counts must"),
        (lambda: ub.MatrixMechanism.least(np.eye(2), COMES).privatize([1, 0, 0]), "^counts must"),
        (lambda: ub.prefix_workload(0), "^m must"),
        (lambda: ub.range_workload(10**5), "^m must leave arrays"),
        (lambda: ub.marginal_workload([2, 0], 1), "^sizes must"),
        (lambda: ub.marginal_workload([2, 3], 3), "^order must"),
        (lambda: ub.marginal_workload([10**6] * 3, 3), "^sizes must leave arrays"),
        (lambda: ub.tree_strategy(4, 1), "^branching must"),
        (lambda: ub.average_floor(np.ones((3, 2)), 5, Pure(1.0)), "^points must not coincide"),
        (lambda: ub.average_floor([[0.0], [1.0]], 5, NonPrivate()), "^privacy must be a curator"),
        (lambda: ub.average_floor([[0.0], [1.0]], 5, Local(Pure(1.0))), "^privacy must be a cur"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# On average over data sets


def least_average(n, outputs, epsilon, delta):
    """Least mean of the variances over counts 0, ..., n, by linear programme."""
    m, k = n + 1, len(outputs)
    cost = (outputs[None, :] - np.arange(m)[:, None]) ** 2 / m
    steps = [(t, u) for t in range(m) for u in (t - 1, t + 1) if 0 <= u < m]
    size = m * k + len(steps) * k
    rows, limits = [], []
    for i, (t, u) in enumerate(steps):
        slack = m * k + i * k
        for y in range(k):
            row = np.zeros(size)
            row[t * k + y], row[u * k + y], row[slack + y] = 1, -np.exp(epsilon), -1
            rows.append(row)
            limits.append(0.0)
        row = np.zeros(size)
        row[slack : slack + k] = 1
        rows.append(row)
        limits.append(delta)
    equal, right = [], []
    for t in range(m):
        for values, total in ((np.ones(k), 1.0), (outputs, float(t))):
            row = np.zeros(size)
            row[t * k : (t + 1) * k] = values
            equal.append(row)
            right.append(total)
    solved = linprog(np.append(cost.ravel(), np.zeros(len(steps) * k)), rows, limits, equal, right)
    assert solved.status == 0
    return solved.fun


@pytest.mark.parametrize(
    ("n", "epsilon", "delta"), list(product([1, 2, 4], [0.0, 0.5, 2.0], [0.05, 0.3]))
)
def test_no_average_is_above_the_least_of_all_unbiased_mechanisms(n, epsilon, delta):
    outputs = np.unique(np.append(np.linspace(-4 / (delta + epsilon), n + 4 / (delta + epsilon), 41), range(n + 1)))  # fmt: skip  # noqa: E501
    exact = least_average(n, outputs, epsilon, delta)
    floor = ub.average_floor([[0.0], [1.0]], n, Approximate(epsilon, delta)) * n**2
    # Beyond a factor 4 the bound would say little; the ends cost the factor (n + 1) / n.
    assert floor <= exact * (1 + 1e-9) and exact <= 4 * floor


def test_average_floor_of_each_definition():
    tips, n = ub.cross_polytope(3).vertices, 10**6
    many = 3 / n / (n + 5)  # T over n (n + m - 1)
    t = np.tanh(0.25)
    for privacy, tau in [
        (Pure(0.5), t**2),
        (KL(0.5 * t), t**2),
        (TotalVariation(0.2), 0.2),
        (Approximate(0.5, 0.1), 0.1 + 0.9 * t**2),
    ]:
        found = ub.average_floor(tips, n, privacy)
        assert found == pytest.approx(many * (1 / tau - 1), rel=1e-7), privacy
    # The Gaussian mechanism meets it where n is large and rho is small.
    rho = 1e-4
    noise = ub.EllipsoidNoise.for_points(tips, n, ZCDP(rho))
    assert noise.error**2 / ub.average_floor(tips, n, ZCDP(rho)) == pytest.approx(1, rel=1e-4)
    # No floor is above what a mechanism has at every data set.
    for privacy in (Pure(2.0), ZCDP(1.5), Approximate(0.3, 1e-5)):
        noise = ub.EllipsoidNoise.for_points(tips, 20, privacy)
        assert ub.average_floor(tips, 20, privacy) <= noise.error**2


# Neighbours, and noise that doubles cannot hold


def test_a_promise_for_records_that_come_and_go_covers_two_steps_of_a_mean():
    both = Pure(0.5, relation="add-remove")
    square = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    twice = Pure(1.0)
    assert ub.unbiased_floor(square, 9, both).trace == ub.unbiased_floor(square, 9, twice).trace
    assert ub.directional_floor(1.0, 9, both) == ub.directional_floor(1.0, 9, twice)
    assert ub.packing_floor(9, 5, both) == ub.packing_floor(9, 5, twice)
    assert ub.average_floor(square, 9, both) == ub.average_floor(square, 9, twice)
    with pytest.raises(ValueError, match="^privacy must have the relation"):
        ub.EllipsoidNoise.for_points(square, 9, ZCDP(0.5, relation="add-remove"))


@pytest.mark.parametrize("law", ["gaussian", "l2_laplace", "laplace"])
@pytest.mark.parametrize("far", [0.0, 1e3, 1e6, 1e9, 1e15])
def test_noise_that_rounding_would_swallow_is_refused(far, law):
    privacy = ZCDP(1.0) if law == "gaussian" else Pure(1.0)
    for n in (1, 10**3, 10**6, 10**9):
        for side in (1.0, 1e-6, 1e-12):
            points = far + side * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
            if len(np.unique(points, axis=0)) < 4:
                continue
            lost = side / n < 1e-16 * far
            try:
                noise = ub.EllipsoidNoise.for_points(points, n, privacy, law)
            except ValueError as error:
                assert str(error).startswith("n must leave noise that doubles")  # noqa: PT017
                assert side / n < 1e-12 * far  # and not without need
                continue
            assert not lost
            answers = np.tile(points.mean(axis=0), (200, 1))
            released = noise.privatize(answers, rng=1)
            # Not one coordinate comes out as it is: at most 1 in 64 noises rounds to nothing.
            assert (released == answers).mean() <= 0.05


@pytest.mark.parametrize("ratio", [1e3, 1e12, 1e40, 1e150, 1e300])
@pytest.mark.parametrize("turned", [False, True])
def test_every_coordinate_that_records_change_gets_noise(ratio, turned):
    long = min(ratio, 1e150)
    points = np.array([[0, 0, 0], [long, 0, 0], [0, long / ratio, 0], [0, 0, 1.0], [long, 0, 1]])
    if turned:
        angle = 0.3
        points = points @ np.array(
            [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
        )
    for privacy in (ZCDP(1.0), Pure(1.0)):
        noise = ub.EllipsoidNoise.for_points(points, 10, privacy)
        answers = np.tile(points.mean(axis=0), (100, 1))
        moved = noise.privatize(answers, rng=0) != answers
        assert moved.mean() > 0.95 and noise.ellipsoid.gap <= 1e-6


def test_an_ellipsoid_made_by_hand_must_be_one():
    good = ub.min_trace_ellipsoid(np.eye(3))
    flat = {"centre": good.centre, "contacts": good.contacts, "weights": good.weights}
    for lengths, axes, message in [
        ([1.0, 0.0, 1.0], np.eye(3), "positive finite length"),
        ([1.0, np.inf, 1.0], np.eye(3), "positive finite length"),
        ([1.0, 1.0, 1.0], np.ones((3, 3)), "orthonormal"),
        ([1.0, 1.0], np.eye(3), "one axis for each length"),
    ]:
        made = ub.MinTraceEllipsoid(
            lengths=np.array(lengths), axes=np.array(axes), primal=3.0, dual=3.0, **flat
        )
        with pytest.raises(ValueError, match=message):
            ub.EllipsoidNoise(made, 5, ZCDP(1.0))
