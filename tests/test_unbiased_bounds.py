"""Bodies, the least ellipsoid and its certificate, floors in many dimensions, and the noise."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import assert_mean
from scipy import integrate, stats

from minimaxdp import unbiased_bounds as ub

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
    bodies = [ub.cube(d, 0.5), ub.cross_polytope(d, 3.0), ub.zonotope(directions(d, 4, 1))]
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
    a, one, other = directions(3, 3, 5), ub.ellipsoid(directions(3, 3, 6)), ub.cube(3)
    total = ub.minkowski_sum(one, other)
    np.testing.assert_allclose(total.support(theta), one.support(theta) + other.support(theta))
    assert total.vertices is None and ub.cube(17).vertices is None
    np.testing.assert_allclose(
        ub.image(a, one).support(theta), ub.ellipsoid(a @ directions(3, 3, 6)).support(theta)
    )


# The least ellipsoid


@pytest.mark.parametrize("d", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("fit", ["free", "fixed"])
def test_cube_and_cross_polytope_to_eight_digits(d, fit):
    shift = 5.0 if fit == "free" else 0.0
    cube = ub.least_ellipsoid(ub.cube(d).vertices + shift, fit=fit)
    cross = ub.least_ellipsoid(ub.cross_polytope(d).vertices + shift, fit=fit)
    assert abs(cube.primal - d**2) < 1e-8 and abs(cross.primal - d) < 1e-8
    assert max(cube.gap, cross.gap) < 1e-8


@pytest.mark.parametrize("d", [2, 3, 7, 20])
def test_simplex_meets_jung_s_constant(d):
    points = ub.simplex(d).vertices
    free, half = ub.least_ellipsoid(points), ub.least_ellipsoid(points, fit="difference")
    r = d - 1
    assert free.rank == half.rank == r
    assert free.primal / half.primal == pytest.approx(2 * r / (r + 1), rel=1e-8)
    # From the origin the simplex is not flat: contacts e_i, V = identity.
    assert ub.least_ellipsoid(points, fit="fixed").primal == pytest.approx(d, rel=1e-8)


@given(seeds, st.integers(1, 5), st.integers(2, 40), st.sampled_from(["free", "fixed"]))
@property_test
def test_the_certificate_proves_itself(seed, d, size, fit):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(size, d)) @ np.diag(np.geomspace(1, 100, d)) + rng.normal(size=d)
    found = ub.least_ellipsoid(points, fit=fit)
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
    least = ub.least_ellipsoid(points)
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
    pairs = ub.least_ellipsoid(points, fit="difference")
    assert pairs.primal == pytest.approx(ub.least_ellipsoid(halves, fit="fixed").primal, rel=1e-8)
    assert pairs.gauge(halves).max() <= 1 + 1e-9
    # A quarter of the fit at a centre in the body, this one, the free one, Jung's theorem.
    free = ub.least_ellipsoid(points)
    r = pairs.rank
    held = ub.least_ellipsoid(points - points[0], fit="fixed")
    assert pairs.primal * (1 + 1e-8) >= held.dual / 4
    assert free.primal * (1 + 1e-8) >= pairs.dual
    assert free.dual <= 2 * r / (r + 1) * pairs.primal * (1 + 1e-8)


def test_difference_body_by_search_against_all_pairs():
    points = np.random.default_rng(3).normal(size=(400, 4))  # 79800 pairs: too many to list
    halves = (points[:, None] - points)[np.triu_indices(400, 1)] / 2
    found = ub.least_ellipsoid(points, fit="difference")
    listed = ub.least_ellipsoid(halves, fit="fixed")
    assert found.gap <= 1e-8
    assert found.primal == pytest.approx(listed.primal, rel=1e-8)
    assert found.gauge(halves).max() <= 1 + 1e-9


def test_flat_clouds_are_fitted_within_their_span():
    rng = np.random.default_rng(4)
    basis = np.linalg.qr(rng.normal(size=(7, 3)))[0]
    inner = rng.normal(size=(60, 3))
    for fit in ("free", "fixed", "difference"):
        flat = ub.least_ellipsoid(inner @ basis.T, fit=fit)
        full = ub.least_ellipsoid(inner, fit=fit)
        assert flat.rank == 3 and flat.gap <= 1e-8
        assert flat.primal == pytest.approx(full.primal, rel=1e-8)
        np.testing.assert_allclose(flat.matrix, basis @ full.matrix @ basis.T, atol=1e-4)
    off = basis @ inner[0] + np.linalg.svd(basis)[0][:, 6]
    assert np.isinf(ub.least_ellipsoid(inner @ basis.T).gauge(off))
    thin = inner * [1, 1, 1e-6]  # thin, but not flat
    assert ub.least_ellipsoid(thin, fit="fixed").rank == 3


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
        found = ub.least_ellipsoid(points, fit=fit)
        assert found.gap <= 1e-8, fit
        if fit != "difference":
            assert found.gauge(points).max() <= 1 + 1e-9


def test_ten_thousand_points_in_fifty_dimensions():
    points = np.random.default_rng(0).normal(size=(10_000, 50))
    found = ub.least_ellipsoid(points)
    assert found.gap <= 1e-8
    # The certificate again, through a matrix root of its own.
    moved = points - found.centre
    root = np.linalg.cholesky(found.matrix)
    assert (np.linalg.solve(root, moved.T) ** 2).sum(axis=0).max() <= 1 + 1e-9
    held = (found.contacts - found.centre) * np.sqrt(found.weights)[:, None]
    assert np.linalg.norm(held, ord="nuc") ** 2 >= found.primal * (1 - 1e-8)


def test_repeated_and_inner_points_change_nothing():
    points = np.random.default_rng(5).normal(size=(30, 3))
    one = ub.least_ellipsoid(points)
    many = ub.least_ellipsoid(np.vstack([points] * 5 + [points * 0.5 + 0.5 * one.centre]))
    assert many.primal == pytest.approx(one.primal, rel=1e-8)


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e150])
def test_the_unit_of_length_does_not_matter(scale):
    points = np.random.default_rng(6).normal(size=(50, 4))
    one, other = ub.least_ellipsoid(points), ub.least_ellipsoid(points * scale)
    assert other.primal / scale**2 == pytest.approx(one.primal, rel=1e-8)


def test_least_trace_of_an_image_of_the_ball_is_the_frobenius_norm():
    u = directions(3, 2, 7).T  # three by two
    angle = np.linspace(0, np.pi, 2_000)
    rim = np.stack([np.cos(angle), np.sin(angle)], 1) @ u.T
    found = ub.least_ellipsoid(rim, fit="fixed")
    # The rim is sampled: the inscribed polygon falls short by 1 - cos(step / 2).
    short = np.cos(angle[1] / 2) ** 2
    assert short * (u**2).sum() <= found.primal <= (u**2).sum() * (1 + 1e-9)


# Floors and noise


def test_floor_of_a_symmetric_body_and_its_noise():
    for d, n, rho in product((2, 5), (1, 30), (0.01, 1.0)):
        tips = ub.cross_polytope(d).vertices
        floor = ub.unbiased_floor(tips, n, rho=rho)
        assert floor.trace == pytest.approx(d / (n**2 * np.expm1(2 * rho)), rel=1e-8)
        noise = floor.noise
        assert (noise.law, noise.n, noise.budget) == ("gaussian", n, rho)
        assert floor.gap < 1e-8
        assert np.trace(floor.covariance) / floor.trace - 1 == pytest.approx(floor.gap, abs=1e-12)
        assert np.trace(noise.covariance) == pytest.approx(2 * d / (rho * n**2), rel=1e-8)
        ratio = noise.error**2 / floor.trace
        assert ratio == pytest.approx(2 * np.expm1(2 * rho) / rho, rel=1e-8)
        private = ub.unbiased_floor(tips, n, epsilon=1.0)
        assert private.noise.error**2 == pytest.approx(4 * d * (d + 1) / n**2, rel=1e-8)
        pure = private.trace
        assert pure == pytest.approx(d / (4 * n**2 * np.sinh(0.5) ** 2), rel=1e-8)
        at = ub.unbiased_floor(tips, max(n, 2 * d), rho=rho, records=tips)
        everywhere = ub.unbiased_floor(tips, max(n, 2 * d), rho=rho)
        assert at.trace >= everywhere.trace * (1 - 1e-8)


@given(seeds)
@property_test
def test_floor_at_a_data_set_is_above_the_floor_everywhere(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(8, 2))
    mixed = rng.dirichlet(np.ones(8), size=3) @ points
    everywhere = ub.unbiased_floor(points, 5, epsilon=0.7)
    here = ub.unbiased_floor(points, 5, epsilon=0.7, records=mixed)
    assert here.trace >= everywhere.trace * (1 - 1e-8)
    # Along each direction the covariance of either floor obeys the bound.
    theta = directions(2)
    spread = np.sqrt(np.einsum("ij,jk,ik->i", theta, everywhere.covariance, theta))
    bound = ub.direction_floor(ub.polytope(points).width(theta), 5, epsilon=0.7)
    assert np.all(spread >= bound * (1 - 1e-8))


@pytest.mark.parametrize("law", ["gaussian", "laplace", "norm"])
def test_noise_has_its_covariance_and_its_guarantee(law):
    points = np.array([[0.0, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0]])  # flat
    noise = ub.EllipsoidNoise.for_points(points, n=3, budget=0.8, law=law)
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


@pytest.mark.parametrize("law", ["gaussian", "laplace", "norm"])
def test_log_density_integrates_to_one(law):
    ellipse = ub.least_ellipsoid([[0.0, 0], [2, 0], [0, 1]], fit="difference")
    noise = ub.EllipsoidNoise(ellipse, 1, 6.0, law)
    scale = 14 * noise.error
    density = lambda y, x: np.exp(noise.log_density([x, y]))  # noqa: E731
    grid = np.linspace(-scale, scale, 801)
    x, y = np.meshgrid(grid, grid)
    mass = np.exp(noise.log_density(np.stack([x, y], -1)))
    total = integrate.trapezoid(integrate.trapezoid(mass, grid), grid)
    assert total == pytest.approx(1, abs=3e-3)
    assert density(0, 0) == mass.max()


def test_gaussian_noise_attains_its_renyi_divergence_between_extreme_records():
    noise = ub.EllipsoidNoise.for_points(CORNERS, n=4, budget=0.3)
    move = np.array([2.0, 2.0]) / 4
    rho = move @ np.linalg.inv(noise.covariance) @ move / 2
    assert rho == pytest.approx(0.3, rel=1e-9)


def test_packing_floor_is_below_every_mechanism_and_crosses_at_69():
    d = np.arange(2, 400)
    n, epsilon = 10**9, 1e-6
    packing = ub.packing_floor(d, n, epsilon)
    hcr = d / (n * ub.root_chi_square(epsilon=epsilon)) ** 2
    assert np.all(packing <= 4 * d * (d + 1) / (n * epsilon) ** 2)
    first = d[np.argmax(packing > hcr)]
    assert first == 69 and np.all((packing > hcr) == (d >= 69))
    assert ub.packing_floor(100, 3, 1e-3) == 1 / 32  # all records replaced


def test_root_chi_square_is_attained():
    epsilon, rho = 0.9, 0.4
    p = np.array([np.exp(epsilon), 1]) / (1 + np.exp(epsilon))
    assert ((p - p[::-1]) ** 2 / p[::-1]).sum() == pytest.approx(
        ub.root_chi_square(epsilon=epsilon) ** 2, rel=1e-12
    )
    shift = np.sqrt(2 * rho)
    square = integrate.quad(lambda y: stats.norm.pdf(y, shift) ** 2 / stats.norm.pdf(y), -12, 12)[0]
    assert square - 1 == pytest.approx(ub.root_chi_square(rho=rho) ** 2, rel=1e-8)
    assert ub.root_chi_square(rho=1e-14) ** 2 == pytest.approx(2e-14, rel=1e-9)
    assert ub.root_chi_square(epsilon=1e-14) == pytest.approx(1e-14, rel=1e-12)


# Bad input


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ub.ellipsoid([1.0, 2.0]), ValueError, "matrix must have two axes"),
        (lambda: ub.ellipsoid(np.eye(2), [1, 2, 3]), ValueError, r"shape \(2,\)"),
        (lambda: ub.polytope([[np.nan, 1]]), ValueError, "vertices must be finite"),
        (lambda: ub.cube(0), ValueError, "d must be at least 1"),
        (lambda: ub.cube(2, -1.0), ValueError, "half_width must be greater than 0"),
        (lambda: ub.cross_polytope(2.5), TypeError, "d must be integers"),
        (lambda: ub.simplex(1), ValueError, "at least 2"),
        (lambda: ub.image(np.eye(3), ub.cube(2)), ValueError, "2 columns"),
        (lambda: ub.image(np.eye(3), np.eye(3)), TypeError, "must be a Body"),
        (lambda: ub.minkowski_sum(ub.cube(2), ub.cube(3)), ValueError, "one dimension"),
        (lambda: ub.cube(2).support([1, 2, 3]), ValueError, "theta must have 2 entries"),
        (lambda: ub.least_ellipsoid([1, 2, 3]), ValueError, "two axes"),
        (lambda: ub.least_ellipsoid([[1, 2]]), ValueError, "must not coincide"),
        (lambda: ub.least_ellipsoid([[0, 0]], fit="fixed"), ValueError, "must not coincide"),
        (lambda: ub.least_ellipsoid(CORNERS, fit="best"), ValueError, "fit must be"),
        (lambda: ub.least_ellipsoid(CORNERS, tolerance=0), ValueError, "tolerance"),
        (lambda: ub.least_ellipsoid(CORNERS).gauge([1]), ValueError, "2 entries"),
        (lambda: ub.root_chi_square(), ValueError, "epsilon or rho"),
        (lambda: ub.root_chi_square(epsilon=1, rho=1), ValueError, "not both"),
        (lambda: ub.root_chi_square(rho=0), ValueError, "rho must be greater"),
        (lambda: ub.direction_floor(-1, 1, rho=1), ValueError, "width must be at least"),
        (lambda: ub.direction_floor(1, 0, rho=1), ValueError, "n must be at least 1"),
        (lambda: ub.unbiased_floor(CORNERS, 3), ValueError, "epsilon or rho"),
        (lambda: ub.unbiased_floor(CORNERS, 3, rho=[1, 2]), ValueError, "single number"),
        (lambda: ub.unbiased_floor(CORNERS, 3, rho=1, records=[1]), ValueError, "records"),
        (lambda: ub.unbiased_floor(CORNERS, 3, rho=1, records=CORNERS), ValueError, "at most n"),
        (
            lambda: ub.unbiased_floor(CORNERS, 3, rho=1, records=CORNERS[:1]).noise,
            ValueError,
            "records must not be given",
        ),
        (lambda: ub.packing_floor(1, 5, 1), ValueError, "d must be at least 2"),
        (lambda: ub.EllipsoidNoise(np.eye(2), 1, 1.0), TypeError, "LeastEllipsoid"),
        (lambda: ub.EllipsoidNoise.for_points(CORNERS, 1, 0), ValueError, "budget"),
        (lambda: ub.EllipsoidNoise.for_points(CORNERS, 1, 1, "t"), ValueError, "law must be"),
        (lambda: ub.EllipsoidNoise.for_points(CORNERS, 1, 1).privatize([1]), ValueError, "answer"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
