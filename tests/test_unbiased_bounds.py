"""Bodies, the least ellipsoid and its certificate, floors in many dimensions, and the noise."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import assert_mean
from scipy import integrate, stats

from minimaxdp import unbiased_bounds as ub
from minimaxdp.guarantees import (
    ZCDP,
    Approximate,
    ChiSquare,
    GaussianDP,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
)
from minimaxdp.unbiased_bounds import _ellipsoids, _min_trace_dual

property_test = settings(max_examples=25, deadline=None, derandomize=True)
seeds = st.integers(0, 10_000)
CORNERS = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


def directions(d, size=50, seed=0):
    return np.random.default_rng(seed).normal(size=(size, d))


def gauges(points, matrix):
    """v' V^+ v by a route of its own."""
    return np.einsum("ij,jk,ik->i", points, np.linalg.pinv(matrix, hermitian=True), points)


# Bodies


@pytest.mark.parametrize("d", [1, 2, 5])
def test_support_of_a_polytope_is_the_maximum_over_its_vertices(d):
    theta = directions(d)
    bodies = [
        ub.hypercube_body(d, 0.5),
        ub.cross_polytope(d, 3.0),
        ub.zonotope(directions(d, 4, 1)),
    ]
    bodies += [ub.simplex(d)] if d > 1 else []
    bodies.append(ub.minkowski_sum(*bodies[:2]))
    bodies.append(ub.image(directions(d, d, 2), bodies[1]))
    for body in bodies:
        brute = (theta @ body.vertices.T).max(axis=1)
        np.testing.assert_allclose(body.support(theta), brute, rtol=1e-12, atol=1e-14)
        low = (theta @ body.vertices.T).min(axis=1)
        np.testing.assert_allclose(body.width(theta), brute - low, rtol=1e-12, atol=1e-14)


@given(seeds)
@property_test
def test_support_of_an_ellipsoid_is_attained_and_not_passed(seed):
    rng = np.random.default_rng(seed)
    u, c, theta = rng.normal(size=(3, 2)), rng.normal(size=3), rng.normal(size=3)
    body = ub.ellipsoid(u, c)
    ball = rng.normal(size=(1_000, 2))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    assert ((c + ball @ u.T) @ theta).max() <= body.support(theta) * (1 + 1e-12) + 1e-12
    best = u.T @ theta / np.linalg.norm(u.T @ theta)
    assert (c + u @ best) @ theta == pytest.approx(body.support(theta), rel=1e-12)
    assert body.width(theta) == pytest.approx(2 * np.linalg.norm(u.T @ theta), rel=1e-9)


def test_support_adds_and_pulls_back():
    theta = directions(3)
    a, one, other = directions(3, 3, 5), ub.ellipsoid(directions(3, 3, 6)), ub.hypercube_body(3)
    total = ub.minkowski_sum(one, other)
    np.testing.assert_allclose(total.support(theta), one.support(theta) + other.support(theta))
    assert total.vertices is None and ub.hypercube_body(17).vertices is None
    np.testing.assert_allclose(
        ub.image(a, one).support(theta), ub.ellipsoid(a @ directions(3, 3, 6)).support(theta)
    )


def test_a_cube_of_any_dimension_has_its_support_at_once():
    assert ub.hypercube_body(10**6).vertices is None
    assert ub.hypercube_body(10**6).support(np.ones(10**6)) == 10**6


# The least ellipsoid


@pytest.mark.parametrize("d", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("fit", ["free", "fixed"])
def test_cube_and_cross_polytope_to_eight_digits(d, fit):
    shift = 5.0 if fit == "free" else 0.0
    cube = ub.min_trace_ellipsoid(ub.hypercube_body(d).vertices + shift, fit=fit)
    cross = ub.min_trace_ellipsoid(ub.cross_polytope(d).vertices + shift, fit=fit)
    assert abs(cube.primal - d**2) < 1e-8 and abs(cross.primal - d) < 1e-8
    assert max(cube.gap, cross.gap) < 1e-8


def test_a_tolerance_out_of_reach_ends_after_twelve_rounds(monkeypatch):
    newton, rounds = _min_trace_dual._newton, []
    monkeypatch.setattr(_min_trace_dual, "_newton", lambda *a: rounds.append(1) or newton(*a))
    points = np.random.default_rng(0).normal(size=(40, 3))
    weights = _min_trace_dual.ascend(points, True, -1.0)
    assert len(rounds) == 12
    assert _min_trace_dual._evaluate(points, weights, True).excess == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("d", [2, 3, 7, 20])
def test_simplex_meets_jung_s_constant(d):
    points = ub.simplex(d).vertices
    free, half = ub.min_trace_ellipsoid(points), ub.min_trace_ellipsoid(points, fit="difference")
    r = d - 1
    assert free.rank == half.rank == r
    assert free.primal / half.primal == pytest.approx(2 * r / (r + 1), rel=1e-8)
    # From the origin the simplex is not flat: contacts e_i, V = identity.
    assert ub.min_trace_ellipsoid(points, fit="fixed").primal == pytest.approx(d, rel=1e-8)


@given(seeds, st.integers(1, 5), st.integers(2, 40), st.sampled_from(["free", "fixed"]))
@property_test
def test_the_certificate_proves_itself(seed, d, size, fit):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(size, d)) @ np.diag(np.geomspace(1, 100, d)) + rng.normal(size=d)
    found = ub.min_trace_ellipsoid(points, fit=fit)
    assert found.gap <= 1e-8
    # Primal: every point is inside; dual: recomputed from contacts and weights.
    assert found.gauge(points).max() <= 1 + 1e-9
    if found.rank == d:
        assert gauges(points - found.centre, found.matrix).max() <= 1 + 1e-6
    assert found.primal == pytest.approx(np.trace(found.matrix), rel=1e-10)
    centre = found.weights @ found.contacts if fit == "free" else np.zeros(d)
    np.testing.assert_allclose(found.centre, centre, atol=1e-9 * abs(points).max())
    z = (found.contacts - centre) * np.sqrt(found.weights)[:, None]
    assert np.linalg.norm(z, ord="nuc") ** 2 == pytest.approx(found.dual, rel=1e-9)
    assert found.weights.sum() == pytest.approx(1, rel=1e-12) and found.weights.min() > 0


@given(seeds)
@property_test
def test_no_random_ellipsoid_around_the_points_is_smaller(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3))
    least = ub.min_trace_ellipsoid(points)
    for _ in range(50):
        root = np.eye(3) + 0.3 * rng.normal(size=(3, 3))
        trial = root @ least.matrix @ root.T
        centre = least.centre + 0.1 * rng.normal(size=3)
        trial *= gauges(points - centre, trial).max()
        assert np.trace(trial) >= least.dual


@given(seeds, st.integers(1, 4), st.integers(3, 12))
@property_test
def test_difference_body_against_all_pairs(seed, d, size):
    points = np.random.default_rng(seed).normal(size=(size, d))
    halves = (points[:, None] - points).reshape(-1, d) / 2
    pairs = ub.min_trace_ellipsoid(points, fit="difference")
    assert pairs.primal == pytest.approx(
        ub.min_trace_ellipsoid(halves, fit="fixed").primal, rel=1e-8
    )
    assert pairs.gauge(halves).max() <= 1 + 1e-9
    # A quarter of the fit at a centre in the body, this one, the free one, Jung's theorem.
    free = ub.min_trace_ellipsoid(points)
    r = pairs.rank
    held = ub.min_trace_ellipsoid(points - points[0], fit="fixed")
    assert pairs.primal * (1 + 1e-8) >= held.dual / 4
    assert free.primal * (1 + 1e-8) >= pairs.dual
    assert free.dual <= 2 * r / (r + 1) * pairs.primal * (1 + 1e-8)


def test_difference_body_by_search_against_all_pairs():
    points = np.random.default_rng(3).normal(size=(400, 4))  # 79800 pairs: too many to list
    halves = (points[:, None] - points)[np.triu_indices(400, 1)] / 2
    found = ub.min_trace_ellipsoid(points, fit="difference")
    listed = ub.min_trace_ellipsoid(halves, fit="fixed")
    assert found.gap <= 1e-8
    assert found.primal == pytest.approx(listed.primal, rel=1e-8)
    assert found.gauge(halves).max() <= 1 + 1e-9


def test_flat_clouds_are_fitted_within_their_span():
    rng = np.random.default_rng(4)
    basis = np.linalg.qr(rng.normal(size=(7, 3)))[0]
    inner = rng.normal(size=(60, 3))
    for fit in ("free", "fixed", "difference"):
        flat = ub.min_trace_ellipsoid(inner @ basis.T, fit=fit)
        full = ub.min_trace_ellipsoid(inner, fit=fit)
        assert flat.rank == 3 and flat.gap <= 1e-8
        assert flat.primal == pytest.approx(full.primal, rel=1e-8)
        np.testing.assert_allclose(flat.matrix, basis @ full.matrix @ basis.T, atol=1e-4)
    off = basis @ inner[0] + np.linalg.svd(basis)[0][:, 6]
    assert np.isinf(ub.min_trace_ellipsoid(inner @ basis.T).gauge(off))
    thin = inner * [1, 1, 1e-6]  # thin, but not flat
    assert ub.min_trace_ellipsoid(thin, fit="fixed").rank == 3


def hard_cloud(name, d):
    rng = np.random.default_rng(8)
    normal = rng.normal(size=(2_500, d))
    return {
        "normal": normal,
        "sphere": normal / np.linalg.norm(normal, axis=1, keepdims=True),  # all near contacts
        "signs": np.sign(normal),
        "lattice": rng.integers(-2, 3, normal.shape).astype(float),
        "cauchy": rng.standard_cauchy(normal.shape),  # a few points far outside the rest
        "clusters": 0.1 * normal + rng.normal(size=(20, d))[rng.integers(0, 20, 2_500)],
    }[name]


@pytest.mark.parametrize("name", ["normal", "sphere", "signs", "lattice", "cauchy", "clusters"])
def test_hard_clouds_are_certified(name):
    points = hard_cloud(name, 12)
    for fit in ("fixed", "free", "difference"):
        found = ub.min_trace_ellipsoid(points, fit=fit)
        assert found.gap <= 1e-8, fit
        if fit != "difference":
            assert found.gauge(points).max() <= 1 + 1e-9


@pytest.mark.long
def test_ten_thousand_points_in_fifty_dimensions():
    points = np.random.default_rng(0).normal(size=(10_000, 50))
    found = ub.min_trace_ellipsoid(points)
    assert found.gap <= 1e-8
    # The certificate again, through a matrix root of its own.
    moved = points - found.centre
    root = np.linalg.cholesky(found.matrix)
    assert (np.linalg.solve(root, moved.T) ** 2).sum(axis=0).max() <= 1 + 1e-9
    held = (found.contacts - found.centre) * np.sqrt(found.weights)[:, None]
    assert np.linalg.norm(held, ord="nuc") ** 2 >= found.primal * (1 - 1e-8)


def test_repeated_and_inner_points_change_nothing():
    points = np.random.default_rng(5).normal(size=(30, 3))
    one = ub.min_trace_ellipsoid(points)
    many = ub.min_trace_ellipsoid(np.vstack([points] * 5 + [points * 0.5 + 0.5 * one.centre]))
    assert many.primal == pytest.approx(one.primal, rel=1e-8)


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e150])
def test_the_unit_of_length_does_not_matter(scale):
    points = np.random.default_rng(6).normal(size=(50, 4))
    one, other = ub.min_trace_ellipsoid(points), ub.min_trace_ellipsoid(points * scale)
    assert other.primal / scale**2 == pytest.approx(one.primal, rel=1e-8)


def test_least_trace_of_an_image_of_the_ball_is_the_frobenius_norm():
    u = directions(3, 2, 7).T  # three by two
    angle = np.linspace(0, np.pi, 2_000)
    rim = np.stack([np.cos(angle), np.sin(angle)], 1) @ u.T
    found = ub.min_trace_ellipsoid(rim, fit="fixed")
    # The rim is sampled: the inscribed polygon falls short by 1 - cos(step / 2).
    short = np.cos(angle[1] / 2) ** 2
    assert short * (u**2).sum() <= found.primal <= (u**2).sum() * (1 + 1e-9)


# Thin bodies


def largest_gauge(found, rows):
    """Of vectors from the centre, in the rational numbers that the doubles stand for."""
    d = found.rank
    worst = Fraction(0)
    for row in rows:
        # Gauss and Jordan on root | row.
        system = [
            [
                Fraction(float(a)) * Fraction(float(b))
                for a, b in zip(line, found.lengths, strict=True)
            ]
            + [x]
            for line, x in zip(found.axes, row, strict=True)
        ]
        for k in range(d):
            pivot = max(range(k, d), key=lambda i: abs(system[i][k]))
            system[k], system[pivot] = system[pivot], system[k]
            for i in range(d):
                if i != k and system[i][k]:
                    share = system[i][k] / system[k][k]
                    system[i] = [a - share * b for a, b in zip(system[i], system[k], strict=True)]
        worst = max(worst, sum((system[k][d] / system[k][k]) ** 2 for k in range(d)))
    return worst ** Fraction(1, 2)


def moves(points, found, fit):
    exact = [[Fraction(float(x)) for x in row] for row in points]
    if fit == "difference":
        return [
            [(a - b) / 2 for a, b in zip(*pair, strict=True)] for pair in combinations(exact, 2)
        ]
    return [
        [a - Fraction(float(c)) for a, c in zip(row, found.centre, strict=True)] for row in exact
    ]


fits = pytest.mark.parametrize("fit", ["fixed", "free", "difference"])


@fits
@pytest.mark.parametrize("ratio", [1.0, 1e6, 1e9, 1e11, 1e50, 1e150, 1e300])
def test_a_box_keeps_its_thin_side_at_every_ratio(ratio, fit):
    long = min(ratio, 1e150)
    box = np.array([[0.0, 0.0], [long, 0.0], [0.0, long / ratio], [long, long / ratio]])
    found = ub.min_trace_ellipsoid(box, fit=fit)
    assert found.rank == 2 and found.gap <= 1e-8
    assert largest_gauge(found, moves(box, found, fit)) <= 1 + 1e-9
    extent = np.linalg.norm(found.root / found.lengths.max(), axis=1) * found.lengths.max()
    assert np.all(extent >= np.array([long, long / ratio]) / 2)
    assert np.all(np.diag(found.matrix) > 0)
    if fit != "fixed":  # the box of half-sides h has the least trace (sum of h)^2
        assert found.primal == pytest.approx((long + long / ratio) ** 2 / 4, rel=1e-8)


@fits
@pytest.mark.parametrize("scales", [(1, 1e-7, 1e-12), (1e-200, 1, 1e-100), (1, 1e-11, 1)])
def test_columns_in_any_units_are_contained(scales, fit):
    points = np.random.default_rng(2).normal(size=(8, 3)) * scales
    found = ub.min_trace_ellipsoid(points, fit=fit)
    assert found.rank == 3 and found.gap <= 1e-6
    assert largest_gauge(found, moves(points, found, fit)) <= 1 + 1e-9
    z = (found.contacts - found.centre) * np.sqrt(found.weights)[:, None]
    assert np.linalg.norm(z, ord="nuc") ** 2 == pytest.approx(found.dual, rel=1e-6)


@fits
@pytest.mark.parametrize("shift", [0.0, 1e4, 1e6])
@pytest.mark.parametrize("thickness", [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13])
def test_a_thin_cloud_in_a_rotated_frame_is_contained(thickness, shift, fit):
    rng = np.random.default_rng(3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    points = (rng.normal(size=(8, 3)) * [1, 1, thickness]) @ turn.T + shift
    found = ub.min_trace_ellipsoid(points, fit=fit)
    assert found.rank == 3 and found.gap <= 1e-4
    assert largest_gauge(found, moves(points, found, fit)) <= 1 + 1e-9
    inside = points if fit != "difference" else (points - points[0]) / 2
    assert found.gauge(inside).max() <= 1 + 1e-9


@pytest.mark.parametrize(
    ("size", "thin", "far", "gap"), [(40, 1e-3, 1e6, 1e-6), (12, 1e-5, 1e9, 1e-4)]
)
@pytest.mark.parametrize("seed", [1, 2, 8])
def test_far_from_the_origin_the_rounding_of_the_centre_is_allowed_for(seed, size, thin, far, gap):
    points = np.random.default_rng(seed).normal(size=(size, 2)) * [1, thin] + far
    found = ub.min_trace_ellipsoid(points)
    assert found.gap <= gap
    assert largest_gauge(found, moves(points, found, "free")) <= 1 + 1e-9


def test_what_is_off_a_flat_body_by_more_than_rounding_is_outside():
    rng = np.random.default_rng(4)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    points = rng.normal(size=(20, 2)) @ turn[:, :2].T
    found = ub.min_trace_ellipsoid(points)
    assert found.rank == 2 and found.gauge(points).max() <= 1 + 1e-9
    assert np.isinf(found.gauge(points[0] + 1e-12 * turn[:, 2]))
    # A column of its own unit: what is a trifle beside the others is far outside here.
    units = points * [1, 1, 1e-6]
    found = ub.min_trace_ellipsoid(units)
    assert found.rank == 2 and found.gauge(units).max() <= 1 + 1e-9
    assert np.isinf(found.gauge(units[0] + [0, 0, 1e-12]))
    level = np.column_stack([points[:, :2], np.full(20, 0.1)])
    found = ub.min_trace_ellipsoid(level)
    assert found.rank == 2 and found.gauge(level).max() <= 1 + 1e-9
    assert np.isinf(found.gauge(level[0] + [0, 0, 1e-13]))


def test_columns_that_are_short_and_nearly_alike_are_told_apart():
    x = np.random.default_rng(5).normal(size=(9, 3))
    points = np.column_stack([x[:, 0], 1e-8 * x[:, 1], 1e-8 * (x[:, 1] + 1e-9 * x[:, 2])])
    found = ub.min_trace_ellipsoid(points, fit="difference")
    assert found.rank == 3
    assert largest_gauge(found, moves(points, found, "difference")) <= 1 + 1e-9


def test_a_direction_that_no_point_takes_is_not_a_thin_axis():
    a, b = np.random.default_rng(3).normal(size=(2, 50))
    cloud = np.column_stack([a, 2 * a, 1e-12 * b])
    thick, thin = _ellipsoids._graded_span(cloud, np.ptp(cloud, axis=0), _ellipsoids._THIN)
    assert thick.shape == thin.shape == (3, 1)
    assert abs(thin[:, 0]) == pytest.approx([0, 0, 1])
    assert ub.min_trace_ellipsoid(cloud).rank == 2


def test_the_search_starts_from_each_pair_once():
    cloud = np.random.default_rng(7).normal(size=(300, 3))
    first, second = _ellipsoids._starting_pairs(cloud)
    assert np.all(first < second) and len({*zip(first, second, strict=True)}) == len(first)


@pytest.mark.parametrize("size", [1e-299, 1e-200, 1e-160])
def test_the_gap_is_known_where_the_squares_are_not(size):
    found = ub.min_trace_ellipsoid(np.array([[0, 0], [1, 0], [0, 1]]) * size)
    unit = ub.min_trace_ellipsoid([[0, 0], [1, 0], [0, 1]])
    assert found.gap == pytest.approx(unit.gap, abs=1e-12)
    np.testing.assert_allclose(found.lengths / size, unit.lengths, rtol=1e-12)


@pytest.mark.parametrize("privacy", [ZCDP(1.0), Pure(1.0)], ids=str)
def test_no_column_that_records_change_is_released_without_noise(privacy):
    points = np.array([[0, 0], [1e6, 0], [0, 1e-5], [1e6, 1e-5]])
    noise = ub.EllipsoidNoise.for_points(points, 10, privacy)
    answer = np.array([5e5, 3e-6])
    assert np.all(noise.privatize(answer, rng=0) != answer)
    assert np.all(np.diag(noise.covariance) > 0)
    assert noise.ellipsoid.gauge((points[:, None] - points) / 2).max() <= 1 + 1e-9
    assert ub.unbiased_floor(points, 10, privacy).covariance[1, 1] > 0


def test_what_rounding_leaves_beside_a_flat_body_is_not_released():
    points = [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
    noise = ub.EllipsoidNoise.for_points(points, 5, ZCDP(1.0))
    assert noise.ellipsoid.rank == 1
    beside = 2e-15 * np.array([1, -1])
    one, other = (noise.privatize(np.array([0.5, 1.5]) + s * beside, rng=0) for s in (1, -1))
    assert abs((one - other) @ [1, -1]) < 5e-16
    with pytest.raises(ValueError, match="^answer"):
        noise.privatize([7.0, 0.0], rng=0)


@pytest.mark.parametrize("r", [2, 3])
@pytest.mark.parametrize(
    ("privacy", "law"),
    [(ZCDP(0.6), "gaussian"), (Pure(0.6), "laplace"), (Pure(0.6), "l2_laplace")],
    ids=("gaussian", "laplace", "l2_laplace"),
)
def test_the_worst_move_spends_exactly_the_budget(privacy, law, r):
    n, budget = 7, 0.6
    points = np.random.default_rng(6).normal(size=(9, r))
    noise = ub.EllipsoidNoise.for_points(points, n, privacy, law)
    # In the axes of V a record moves the mean by 2 / n; the diagonal is the worst direction.
    move = noise.ellipsoid.root @ np.ones(r) * 2 / (n * np.sqrt(r))
    far = 1e3 * move
    loss = noise.log_density(far) - noise.log_density(far + move)
    if law == "gaussian":
        assert move @ np.linalg.inv(noise.covariance) @ move / 2 == pytest.approx(budget, rel=1e-9)
    else:
        assert loss == pytest.approx(budget, rel=1e-9)


# Floors and noise


def test_floor_of_a_symmetric_body_and_its_noise():
    for d, n, rho in product((2, 5), (1, 30), (0.01, 1.0)):
        tips = ub.cross_polytope(d).vertices
        zcdp = ZCDP(rho)
        floor = ub.unbiased_floor(tips, n, zcdp)
        assert floor.trace == pytest.approx(d / (n**2 * np.expm1(2 * rho)), rel=1e-8)
        noise = floor.noise
        assert (noise.law, noise.n, noise.privacy) == ("gaussian", n, zcdp)
        assert floor.gap < 1e-8
        assert np.trace(floor.covariance) / floor.trace - 1 == pytest.approx(floor.gap, abs=1e-12)
        assert np.trace(noise.covariance) == pytest.approx(2 * d / (rho * n**2), rel=1e-8)
        ratio = noise.error**2 / floor.trace
        assert ratio == pytest.approx(2 * np.expm1(2 * rho) / rho, rel=1e-8)
        private = ub.unbiased_floor(tips, n, Pure(1.0))
        assert private.noise.law == "l2_laplace"
        assert private.noise.error**2 == pytest.approx(4 * d * (d + 1) / n**2, rel=1e-8)
        pure = private.trace
        assert pure == pytest.approx(d / (4 * n**2 * np.sinh(0.5) ** 2), rel=1e-8)
        at = ub.unbiased_floor(tips, max(n, 2 * d), zcdp, records=tips)
        everywhere = ub.unbiased_floor(tips, max(n, 2 * d), zcdp)
        assert at.trace >= everywhere.trace * (1 - 1e-8)


@given(seeds)
@property_test
def test_floor_at_a_data_set_is_above_the_floor_everywhere(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(8, 2))
    mixed = rng.dirichlet(np.ones(8), size=3) @ points
    everywhere = ub.unbiased_floor(points, 5, Pure(0.7))
    here = ub.unbiased_floor(points, 5, Pure(0.7), records=mixed)
    assert here.trace >= everywhere.trace * (1 - 1e-8)
    # Along each direction the covariance of either floor obeys the bound.
    theta = directions(2)
    spread = np.sqrt(np.einsum("ij,jk,ik->i", theta, everywhere.covariance, theta))
    bound = ub.directional_floor(ub.polytope(points).width(theta), 5, Pure(0.7))
    assert np.all(spread >= bound * (1 - 1e-8))


LAWS = [("gaussian", ZCDP), ("laplace", Pure), ("l2_laplace", Pure)]


@pytest.mark.parametrize(("law", "definition"), LAWS)
def test_noise_has_its_covariance_and_its_guarantee(law, definition):
    points = np.array([[0.0, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0]])  # flat
    noise = ub.EllipsoidNoise.for_points(points, 3, definition(0.8), law=law)
    sample = noise.privatize(np.zeros((200_000, 3)), rng=1)
    assert_mean(sample[:, :2], [0, 0])
    assert_mean(sample[:, :2] ** 2, np.diag(noise.covariance)[:2])
    assert_mean(sample[:, 0] * sample[:, 1], noise.covariance[0, 1])
    assert np.all(abs(sample[:, 2]) < 1e-12)
    assert noise.error**2 == pytest.approx(np.trace(noise.covariance), rel=1e-12)
    moves = (points[:, None] - points).reshape(-1, 3) / 3
    for move in moves[np.any(moves != 0, axis=1)]:
        ratio = noise.log_density(sample) - noise.log_density(sample - move)
        if law == "gaussian":
            rho = (move @ np.linalg.pinv(noise.covariance) @ move) / 2
            assert rho <= 0.8 * (1 + 1e-6)
            assert_mean(ratio, rho)
        else:
            assert abs(ratio).max() <= 0.8 * (1 + 1e-6)


@pytest.mark.parametrize(("law", "definition"), LAWS)
def test_log_density_integrates_to_one(law, definition):
    ellipse = ub.min_trace_ellipsoid([[0.0, 0], [2, 0], [0, 1]], fit="difference")
    noise = ub.EllipsoidNoise(ellipse, 1, definition(6.0), law)
    scale = 14 * noise.error
    density = lambda y, x: np.exp(noise.log_density([x, y]))  # noqa: E731
    grid = np.linspace(-scale, scale, 801)
    x, y = np.meshgrid(grid, grid)
    mass = np.exp(noise.log_density(np.stack([x, y], -1)))
    total = integrate.trapezoid(integrate.trapezoid(mass, grid), grid)
    assert total == pytest.approx(1, abs=3e-3)
    assert density(0, 0) == mass.max()


def test_gaussian_noise_attains_its_renyi_divergence_between_extreme_records():
    noise = ub.EllipsoidNoise.for_points(CORNERS, 4, ZCDP(0.3))
    move = np.array([2.0, 2.0]) / 4
    rho = move @ np.linalg.inv(noise.covariance) @ move / 2
    assert rho == pytest.approx(0.3, rel=1e-9)


def test_packing_floor_is_below_every_mechanism_and_crosses_at_69():
    d = np.arange(2, 400)
    n, epsilon = 10**9, 1e-6
    packing = ub.packing_floor(n, d, Pure(epsilon))
    hcr = d / (n * ub.max_chi_divergence(Pure(epsilon))) ** 2
    assert np.all(packing <= 4 * d * (d + 1) / (n * epsilon) ** 2)
    first = d[np.argmax(packing > hcr)]
    assert first == 69 and np.all((packing > hcr) == (d >= 69))
    assert ub.packing_floor(3, 100, Pure(1e-3)) == 1 / 32  # all records replaced
    assert ub.packing_floor(3, 100, Local(Pure(1e-3))) == 1 / 32


def test_the_largest_chi_divergence_is_attained():
    epsilon, rho = 0.9, 0.4
    p = np.array([np.exp(epsilon), 1]) / (1 + np.exp(epsilon))
    assert ((p - p[::-1]) ** 2 / p[::-1]).sum() == pytest.approx(
        ub.max_chi_divergence(Pure(epsilon)) ** 2, rel=1e-12
    )
    shift = np.sqrt(2 * rho)
    square = integrate.quad(lambda y: stats.norm.pdf(y, shift) ** 2 / stats.norm.pdf(y), -12, 12)[0]
    for privacy in (ZCDP(rho), GaussianDP(shift)):
        assert square - 1 == pytest.approx(ub.max_chi_divergence(privacy) ** 2, rel=1e-8)
    assert ub.max_chi_divergence(ChiSquare(0.49)) == pytest.approx(0.7, rel=1e-12)
    assert ub.max_chi_divergence(ZCDP(1e-14)) ** 2 == pytest.approx(2e-14, rel=1e-9)
    assert ub.max_chi_divergence(Pure(1e-14)) == pytest.approx(1e-14, rel=1e-12)


@pytest.mark.filterwarnings("error")
def test_a_floor_beneath_the_smallest_number_is_zero():
    # The squared divergence and the squared number of people are past the doubles together.
    floor = ub.unbiased_floor([[0.0], [1.0]], 10**9, Pure(700.0))
    assert 0 <= floor.trace < 1e-300 and 0 <= floor.covariance[0, 0] < 1e-300
    floor = ub.unbiased_floor([[0.0], [1.0]], 10**12, Pure(700.0))
    assert floor.trace == floor.error == floor.covariance[0, 0] == 0


# Bad input


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ub.ellipsoid([1.0, 2.0]), ValueError, "matrix must have two axes"),
        (lambda: ub.ellipsoid(np.eye(2), [1, 2, 3]), ValueError, r"shape \(2,\)"),
        (lambda: ub.polytope([[np.nan, 1]]), ValueError, "vertices must be finite"),
        (lambda: ub.hypercube_body(0), ValueError, "d must be at least 1"),
        (lambda: ub.hypercube_body(2, -1.0), ValueError, "half_width must be greater than 0"),
        (lambda: ub.cross_polytope(2.5), TypeError, "d must be integers"),
        (lambda: ub.simplex(1), ValueError, "at least 2"),
        (lambda: ub.image(np.eye(3), ub.hypercube_body(2)), ValueError, "2 columns"),
        (lambda: ub.image(np.eye(3), np.eye(3)), TypeError, "must be a ConvexBody"),
        (
            lambda: ub.minkowski_sum(ub.hypercube_body(2), ub.hypercube_body(3)),
            ValueError,
            "one dimension",
        ),
        (
            lambda: ub.minkowski_sum(ub.hypercube_body(2), 3),
            TypeError,
            "bodies must be a ConvexBody",
        ),
        (lambda: ub.cross_polytope(10**5), ValueError, "d must leave arrays"),
        (lambda: ub.simplex(10**5), ValueError, "d must leave arrays"),
        (lambda: ub.ConvexBody("2", lambda theta: theta), TypeError, "d must be integers"),
        (lambda: ub.ConvexBody(2, 3.0), TypeError, "support_function must be callable"),
        (
            lambda: ub.ConvexBody(2, lambda theta: theta, [1.0, 2.0]),
            ValueError,
            "vertices must have",
        ),
        (lambda: ub.ConvexBody(2, lambda theta: theta, [[1.0]]), ValueError, "vertices must have"),
        (lambda: ub.hypercube_body(2).support([1, 2, 3]), ValueError, "theta must have 2 entries"),
        (lambda: ub.min_trace_ellipsoid([1, 2, 3]), ValueError, "two axes"),
        (lambda: ub.min_trace_ellipsoid([[1, 2]]), ValueError, "must not coincide"),
        (lambda: ub.min_trace_ellipsoid([[0, 0]], fit="fixed"), ValueError, "must not coincide"),
        (lambda: ub.min_trace_ellipsoid([[0.1, 0.7]] * 3), ValueError, "must not coincide"),
        (
            lambda: ub.min_trace_ellipsoid([[0, 0], [1e153, 1]]),
            ValueError,
            "points must be at most",
        ),
        (lambda: ub.min_trace_ellipsoid([[0.0], [1e-301]]), ValueError, "points must extend over"),
        (
            lambda: ub.min_trace_ellipsoid([[0, 0], [1e152, 1e-152]]),
            ValueError,
            "points must extend along their columns",
        ),
        (lambda: ub.min_trace_ellipsoid(CORNERS, fit="best"), ValueError, "fit must be"),
        (lambda: ub.min_trace_ellipsoid(CORNERS, fit=np.array(["free"])), TypeError, "fit must be"),
        (lambda: ub.min_trace_ellipsoid(CORNERS, tolerance=0), ValueError, "tolerance"),
        (lambda: ub.min_trace_ellipsoid(CORNERS).gauge([1]), ValueError, "2 entries"),
        (lambda: ub.max_chi_divergence(1.0), TypeError, "^privacy must be a Guarantee"),
        (lambda: ub.max_chi_divergence(Approximate(1.0, 0.1)), ValueError, "does not"),
        (lambda: ub.max_chi_divergence(TotalVariation(0.1)), ValueError, "does not"),
        (lambda: ub.max_chi_divergence(NonPrivate()), ValueError, "does not"),
        (lambda: ub.max_chi_divergence(ZCDP(400.0)), ValueError, "^rho must be at most 354"),
        (lambda: ub.directional_floor(-1, 1, ZCDP(1.0)), ValueError, "^width must be at least"),
        (lambda: ub.directional_floor(1, 0, ZCDP(1.0)), ValueError, "^n must be at least 1"),
        (lambda: ub.directional_floor(1, 1, 1.0), TypeError, "^privacy must be a Guarantee"),
        (lambda: ub.directional_floor(1, 1, ZCDP(1.0), extreme=1), TypeError, "^extreme must be"),
        (lambda: ub.unbiased_floor(CORNERS, 3, 1.0), TypeError, "^privacy must be a Guarantee"),
        (lambda: ub.unbiased_floor(CORNERS, 3, ZCDP([1, 2])), ValueError, "^privacy must be a sin"),
        (lambda: ub.unbiased_floor(CORNERS, 0, ZCDP(1.0)), ValueError, "^n must be at least 1"),
        (lambda: ub.unbiased_floor(CORNERS, 3, ZCDP(1.0), records=[1]), ValueError, "^records"),
        (
            lambda: ub.unbiased_floor(CORNERS, 3, ZCDP(1.0), records=CORNERS),
            ValueError,
            "^records must be at most n",
        ),
        (
            lambda: ub.unbiased_floor(CORNERS, 3, ZCDP(1.0), records=CORNERS[:1]).noise,
            ValueError,
            "^records must not be given",
        ),
        (lambda: ub.packing_floor(5, 1, Pure(1.0)), ValueError, "^d must be at least 2"),
        (lambda: ub.packing_floor(0, 2, Pure(1.0)), ValueError, "^n must be at least 1"),
        (lambda: ub.packing_floor(5, 2, 1.0), TypeError, "^privacy must be a Guarantee"),
        (lambda: ub.EllipsoidNoise(np.eye(2), 1, ZCDP(1.0)), TypeError, "MinTraceEllipsoid"),
        (lambda: ub.EllipsoidNoise.for_points(CORNERS, 1, 1.0), TypeError, "^privacy"),
        (lambda: ub.EllipsoidNoise.for_points(CORNERS, 0, ZCDP(1.0)), ValueError, "^n must be"),
        (lambda: ub.EllipsoidNoise.for_points(CORNERS, 1, ZCDP(1.0), "t"), ValueError, "^law must"),
        (
            lambda: ub.EllipsoidNoise.for_points(CORNERS, 1, ZCDP(1.0)).privatize([1]),
            ValueError,
            "^answer",
        ),
        (
            lambda: ub.EllipsoidNoise.for_points(CORNERS, 1, Pure(1e-120)),
            ValueError,
            "privacy's scale of",
        ),
        (
            lambda: ub.EllipsoidNoise.for_points(CORNERS, 1, ZCDP(1.0)).privatize([1, 1], rng="a"),
            TypeError,
            "rng must be",
        ),
        (
            lambda: ub.EllipsoidNoise.for_points(CORNERS, 1, Pure(1.0), np.array(["laplace"])),
            TypeError,
            "law must be",
        ),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_an_ellipsoid_shows_its_two_values_and_none_of_its_arrays():
    found = ub.min_trace_ellipsoid([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    assert repr(found) == f"MinTraceEllipsoid(primal={found.primal!r}, dual={found.dual!r})"


def test_sizes_whose_squares_are_doubles_depend_on_the_dimension_alone():
    line = np.array([[0.0], [0.3], [0.9]]) * _ellipsoids._LARGEST
    assert ub.min_trace_ellipsoid(line).lengths.max() > 0
    with pytest.raises(ValueError, match="for their squares to be doubles"):
        ub.min_trace_ellipsoid(np.hstack([line, line[::-1]]))
