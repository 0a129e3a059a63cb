"""How far one person moves a query, how far noise strays from it, and what is refused."""

from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from minimaxdp.laplace import (
    DiscreteLaplace,
    Gaussian,
    Laplace,
    LocalLaplace,
    Staircase,
    ball_sensitivity,
    expected_maximum,
    global_sensitivity,
    laplace_sum,
    log_maximum_tail,
    simultaneous_radius,
    standard_sensitivity,
    union_radius,
)

property_test = settings(max_examples=50, deadline=None, derandomize=True)
both_relations = pytest.mark.parametrize("relation", ["replacement", "add-remove"])
both_norms = pytest.mark.parametrize("norm", [1, 2])


def near(value, rel):
    """Equal up to a relative error alone: the absolute one of approx would hide small numbers."""
    return pytest.approx(value, rel=rel, abs=0)


# ---------------------------------------------------------------- sensitivity


def neighbours(x, y):
    if len(x) == len(y):
        return sum(a != b for a, b in zip(x, y, strict=True)) == 1
    return len(x) == len(y) + 1 and any(x[:i] + x[i + 1 :] == y for i in range(len(x)))


@both_relations
@both_norms
@given(st.integers(2, 3), st.integers(2, 4), st.integers(1, 3), st.integers(0, 2**32))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_sensitivity_is_that_of_a_loop_over_all_pairs(relation, norm, size, n, k, seed):
    rng = np.random.default_rng(seed)
    tables = {m: rng.normal(size=(size**m, k)) for m in (n - 1, n)}

    def query(data):  # a random answer for every data set, in whatever order its records are
        places = data @ size ** np.arange(data.shape[1])
        return tables[data.shape[1]][places]

    def answer(x):
        return query(np.array([x]))[0]

    data = list(product(range(size), repeat=n))
    others = data if relation == "replacement" else list(product(range(size), repeat=n - 1))
    worst = max(
        np.linalg.norm(answer(x) - answer(y), ord=norm)
        for x in data
        for y in others
        if neighbours(x, y)
    )
    found = global_sensitivity(query, range(size), n, norm=norm, relation=relation)
    assert found == near(worst, rel=1e-14)
    single = global_sensitivity(
        lambda x: query(x)[:, 0], range(size), n, norm=norm, relation=relation
    )
    assert single <= found * (1 + 1e-15)


def test_sensitivity_of_records_of_any_kind():
    points = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]])
    assert global_sensitivity(lambda x: x.sum(axis=1), points, 2) == 7
    assert global_sensitivity(lambda x: x.sum(axis=1), points, 2, norm=2) == 5
    assert global_sensitivity(lambda x: (x == "yes").sum(axis=1), ["yes", "no", "silent"], 1) == 1
    assert global_sensitivity(lambda x: np.zeros(len(x)), [0, 1], 3) == 0
    # A person may matter at one place of the list only.
    assert global_sensitivity(lambda x: 5 * x[:, -1], [0, 1], 3) == 5


def histogram(x):
    return np.stack([(x == bin_).sum(axis=1) for bin_ in np.unique(DOMAIN)], axis=1)


DOMAIN, BITS, N = [-3.0, -1.0, 0.5, 2.0], np.array(list(product([0, 1], repeat=3))), 3
STANDARD = {
    "count": (lambda x: (x > 0).sum(axis=1), DOMAIN),
    "sum": (lambda x: x.sum(axis=1), DOMAIN),
    "mean": (lambda x: x.mean(axis=1), DOMAIN),
    "histogram": (histogram, DOMAIN),
    "histogram proportions": (lambda x: histogram(x) / N, DOMAIN),
    "counting queries": (lambda x: x.sum(axis=1), BITS),
}


@both_relations
@both_norms
@pytest.mark.parametrize("name", STANDARD)
def test_standard_sensitivities_by_enumeration(name, norm, relation):
    query, domain = STANDARD[name]
    formula = standard_sensitivity(name, n=N, d=3, low=-3.0, high=2.0, norm=norm, relation=relation)
    exact = global_sensitivity(query, domain, N, norm=norm, relation=relation)
    assert isinstance(formula, float)
    assert formula == near(exact, rel=1e-14)


def test_sum_of_positive_numbers_moves_by_the_largest_of_them():
    exact = global_sensitivity(lambda x: x.sum(axis=1), [1.0, 4.0], 2, relation="add-remove")
    assert exact == standard_sensitivity("sum", low=1.0, high=4.0, relation="add-remove") == 4
    assert standard_sensitivity("sum", low=1.0, high=4.0) == 3


@pytest.mark.parametrize("bins", [2, 3])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_proportions_of_those_present_move_twice_as_far(bins, n):
    def proportions(x):
        return np.stack([(x == j).mean(axis=1) for j in range(bins)], axis=1)

    for norm, most in ((1, 2 / n), (2, np.sqrt(2) / n)):
        exact = global_sensitivity(proportions, range(bins), n, norm=norm, relation="add-remove")
        assert exact == near(most, rel=1e-14)
        fixed = standard_sensitivity("histogram proportions", n=n, norm=norm, relation="add-remove")
        assert fixed == 1 / n < exact


@given(st.integers(1, 6), st.integers(1, 9), st.floats(1e-3, 1e3), st.integers(0, 2**32))
@property_test
def test_ball_sensitivity_is_attained_and_never_exceeded(d, n, radius, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(2, 300, d))
    sizes = radius * rng.random((2, 300, 1)) ** (1 / d)  # uniform in the ball
    points *= sizes / np.linalg.norm(points, axis=-1, keepdims=True)
    diagonal, axis = np.full(d, radius / np.sqrt(d)), radius * np.eye(d)[0]
    for norm, end in ((1, diagonal), (2, axis)):
        most = ball_sensitivity(n, d, radius=radius, norm=norm)
        moved = np.linalg.norm(points[0] - points[1], ord=norm, axis=-1) / n
        assert np.all(moved <= most)
        assert np.linalg.norm(2 * end, ord=norm) / n == near(most, rel=1e-14)


def test_ball_sensitivity_broadcasts():
    d, n = np.array([1, 4, 9]), np.array([[2], [5]])
    np.testing.assert_allclose(ball_sensitivity(n, d), [[1, 2, 3], [0.4, 0.8, 1.2]])
    np.testing.assert_allclose(ball_sensitivity(n, d, norm=2), [[1, 1, 1], [0.4, 0.4, 0.4]])
    np.testing.assert_allclose(ball_sensitivity(2, 4, radius=[1, 3]), [2, 6])


# ---------------------------------------------------------------- accuracy

many = st.integers(0, 30).map(lambda j: 2**j) | st.integers(1, 10**9)
risks = st.floats(-300, -1e-3).map(lambda x: 10**x) | st.floats(1e-6, 1 - 1e-9)


def exact_log_tail(t, k, scale):
    with mp.workdps(40):
        inside = k * mp.log1p(-mp.exp(-mp.mpf(t) / mp.mpf(scale)))
        if inside < -40:  # the probability is 1 up to exp(-40), too near for its logarithm
            return float(mp.log1p(-mp.exp(inside)))
        return float(mp.log(-mp.expm1(inside)))


@given(st.floats(1e-9, 1e4) | st.floats(1e-3, 60), many, st.sampled_from([1.0, 0.03, 17.0]))
@property_test
def test_log_tail_to_all_digits(t, k, scale):
    # Near the probability 1 an error of u, of 1e-16 u, is multiplied by up to 745.
    expected = pytest.approx(exact_log_tail(t, k, scale), rel=1e-11, abs=1e-300)
    assert log_maximum_tail(t, k, scale) == expected


@pytest.mark.parametrize("k", [1, 2, 1000, 10**9, 10**15, 10**18])
@pytest.mark.parametrize("t", [30.0, 49.9, 50.1, 55.0, 699.9, 700.1, 1e4])
def test_log_tail_far_out(t, k):
    assert log_maximum_tail(t, k) == near(exact_log_tail(t, k, 1.0), rel=1e-14)
    assert log_maximum_tail(0.0, k) == 0


def test_log_tail_of_one_variable_is_not_rounded():
    t = np.geomspace(1e-20, 1e4, 1000)
    np.testing.assert_array_equal(log_maximum_tail(t, 1, 3.0), -t / 3)


@given(many, risks, st.sampled_from([1.0, 0.03, 17.0]))
@property_test
def test_radii_to_all_digits(k, beta, scale):
    with mp.workdps(40):
        exact = -mp.mpf(scale) * mp.log(-mp.expm1(mp.log1p(-mp.mpf(beta)) / k))
        union = mp.mpf(scale) * mp.log(k / mp.mpf(beta))
    # At k = 1 near beta = 1 either is the logarithm of beta.
    assert simultaneous_radius(k, beta, scale) == near(float(exact), rel=3e-15)
    assert union_radius(k, beta, scale) == near(float(union), rel=1e-15)


@pytest.mark.parametrize("k", [1, 2, 10**9, 10**18])
@pytest.mark.parametrize("beta", [1e-320, 1e-300, 1e-17, 1 - 1e-12, 1 - 2**-53])
def test_radii_at_the_ends(k, beta):
    with mp.workdps(40):
        exact = -mp.log(-mp.expm1(mp.log1p(-mp.mpf(beta)) / k))
    assert simultaneous_radius(k, beta) == near(float(exact), rel=1e-14)


def test_the_union_bound_is_never_smaller_and_equal_for_one_answer_only():
    rng = np.random.default_rng(0)
    beta = 10 ** np.append(rng.uniform(-300, 0, 100_000), rng.uniform(-20, 0, 100_000))
    k = np.floor(10 ** rng.uniform(np.log10(2), 9, beta.size)).astype(int)
    exact, union = simultaneous_radius(k, beta), union_radius(k, beta)
    assert np.all(exact <= union)
    wide = beta > 1e-10  # the gap, about beta (1 - 1/k) / 2, is farther down lost in rounding
    assert np.all(exact[wide] < union[wide])
    np.testing.assert_array_equal(simultaneous_radius(1, beta), union_radius(1, beta))
    np.testing.assert_array_equal(union_radius(1, beta), -np.log(beta))


@given(many, risks, st.sampled_from([1.0, 0.03, 17.0]))
@property_test
def test_the_tail_at_the_radius_is_the_risk(k, beta, scale):
    # The radius is up to 730, its rounding the error of the logarithm.
    tail = log_maximum_tail(simultaneous_radius(k, beta, scale), k, scale)
    assert tail == pytest.approx(np.log(beta), rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("k", [1, 2, 3, 10, 77, 400])
def test_expected_maximum_is_a_harmonic_number(k):
    exact = float(sum(Fraction(1, j) for j in range(1, k + 1)))
    assert expected_maximum(k) == near(exact, rel=1e-15)
    assert expected_maximum(k, 0.25) == near(exact / 4, rel=1e-15)


@pytest.mark.parametrize("k", [1, 2, 50, 10**6, 10**9])
@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_expected_maximum_by_quadrature_of_the_tail(k, scale):
    edge = scale * np.log(k)  # where the tail leaves 1
    cuts = [0, max(edge - 5 * scale, 0), edge, edge + 5 * scale, edge + 50 * scale]

    def tail(t):
        return np.exp(log_maximum_tail(t, k, scale))

    integral = sum(quad(tail, a, b)[0] for a, b in zip(cuts, cuts[1:], strict=False))
    assert expected_maximum(k, scale) == near(integral, rel=1e-9)
    assert np.log(k) * scale < expected_maximum(k, scale) <= (np.log(k) + 1) * scale


def test_accuracy_broadcasts():
    k, x, scale = np.array([1, 5, 10**6]), np.array([[0.1], [0.7]]), 3.0
    for function in (log_maximum_tail, simultaneous_radius, union_radius):
        first = (x, k) if function is log_maximum_tail else (k, x)
        together = function(*first, scale)
        assert together.shape == (2, 3)
        for i, j in product(range(2), range(3)):
            one = (x[i, 0], k[j]) if function is log_maximum_tail else (k[j], x[i, 0])
            assert together[i, j] == near(function(*one, scale), rel=1e-15)
    assert expected_maximum(k, x).shape == (2, 3)


# ---------------------------------------------------------------- what is left out


def test_what_is_left_out_is_what_the_signature_says():
    assert float(log_maximum_tail(3.0, 1)) == -3.0
    assert float(union_radius(1, np.exp(-2))) == near(2.0, 1e-15)
    assert float(simultaneous_radius(1, np.exp(-2))) == near(2.0, 1e-15)
    assert float(expected_maximum(1)) == near(1.0, 1e-15)
    assert laplace_sum(7, rng=3) == laplace_sum(7, 1.0, rng=3)
    assert (Laplace(0.5).scale, Laplace(0.5).sensitivity) == (2.0, 1.0)
    assert Laplace(0.5).interval(1.0) == Laplace(0.5).interval(1.0, 0.95)
    assert (Gaussian(2.0).rho, Gaussian.from_zcdp(0.125).sigma) == (0.125, 2.0)
    assert Gaussian(2.0).interval(1.0) == Gaussian(2.0).interval(1.0, 0.95)
    assert Gaussian.from_approximate(1.0, 1e-3) == Gaussian.from_approximate(1.0, 1e-3, 1.0)
    assert DiscreteLaplace(0.5).rate == 0.5
    assert Staircase(0.5) == Staircase(0.5, 1.0, 0.5)
    assert Staircase.optimal(0.5) == Staircase.optimal(0.5, 1.0, "squared")
    assert float(ball_sensitivity(2, 4)) == 2.0
    assert standard_sensitivity("sum") == 1.0
    assert standard_sensitivity("sum", high=3.0) == standard_sensitivity("sum", low=0.0, high=3.0)
    assert standard_sensitivity("sum", low=-3.0) == 4.0
    assert standard_sensitivity("counting queries", d=4) == 4.0
    assert standard_sensitivity("histogram") == 2.0
    assert global_sensitivity(lambda x: x, [0, 1], 2) == 1.0
    two = np.array([[0, 0], [3, 4]])
    assert global_sensitivity(lambda x: x.sum(axis=1), two, 2) == 7.0


def test_noise_is_still_finite_at_the_ends_of_the_range():
    assert Laplace(700.0).scale == near(1 / 700, 1e-15)
    largest = [Laplace(1e-150), Gaussian(1e150, 1.0), Staircase(1e-14, 1e136),
               LocalLaplace(1e-150, 0.0, 1.0)]  # fmt: skip
    for mechanism in largest:
        released = mechanism.privatize(np.zeros(100), rng=0)
        assert np.all(np.isfinite(released)) and np.unique(released).size == 100
    assert np.isfinite(largest[0].standard_deviation) and np.isfinite(largest[2].variance)
    assert np.isfinite(largest[3].noise_variance)
    assert Gaussian(1e150, 1.0).rho == near(5e-301, 1e-14)
    assert np.all(np.isfinite(Laplace(700.0, 1e-147).log_density([0.0, 1.0])))
    assert LocalLaplace(700.0, 0.0, 1.0).noise_variance == near(2 / 700**2, 1e-15)
    # Too far out for a double the density is 0, and nothing is warned of.
    assert Laplace(700.0).log_density(1e308) == -np.inf
    assert Staircase(700.0).log_density(1e308) == -np.inf
    assert Staircase(1e-3).log_density(1e308) == near(-1e305, 1e-15)
    assert float(log_maximum_tail(1e308, 3, 1e-3)) == -np.inf


# ---------------------------------------------------------------- refused

RANGE = LocalLaplace(1.0, -1.0, 3.0)
ARRAY = ([0.25, 0.5], ValueError, "must be a single number, got an array")
KINDS = [
    (True, TypeError, "must be real numbers"),
    ("1", TypeError, "must be real numbers"),
    (None, TypeError, "must be real numbers"),
    (1j, TypeError, "must be real numbers"),
    ([], ValueError, "must not be empty"),
    (np.nan, ValueError, "must be finite"),
    (np.inf, ValueError, "must be finite"),
    (-np.inf, ValueError, "must be finite"),
]
POSITIVE = [*KINDS, *((v, ValueError, "must be greater than 0") for v in (0, -0.0, -1.0))]
BUDGET = [*POSITIVE, (701.0, ValueError, "must be at most 700"), ARRAY]
INTEGER = [
    (0, ValueError, "must be at least 1, got 0"),
    (-3, ValueError, "must be at least 1, got -3"),
    (2.0, TypeError, "must be integers"),
    (True, TypeError, "must be integers"),
    ("2", TypeError, "must be integers"),
    ([], ValueError, "must not be empty"),
]
OPEN = [*POSITIVE, (1.0, ValueError, "must be less than 1"), (1.5, ValueError, "must be less than")]
WHOLE = [([1, 2], ValueError, "must be a single number, got an array")]

WORDLESS = [(v, TypeError, "must be one of") for v in (None, 1, ["sum"], np.array(["sum", "sum"]))]
SEEDS = [
    ("abc", TypeError, "must be a Generator, a seed or None, got 'abc'"),
    (True, TypeError, "must be a Generator, a seed or None, got True"),
    (-1, ValueError, "must be a seed of at least 0, got -1"),
]
DRAWS = [
    (1.5, TypeError, "must be an integer or a tuple of them, got 1.5"),
    (-1, ValueError, "must be at least 0, got -1"),
    (10**10, ValueError, "must leave arrays of at most 2 GiB"),
    (3, ValueError, r"must be a shape that \(2,\) broadcasts to, got 3"),
    ((2, 1), ValueError, r"must be a shape that \(2,\) broadcasts to, got \(2, 1\)"),
]
NORMS = [
    (np.inf, TypeError, "must be integers"),
    ("l1", TypeError, "must be integers"),
    (True, TypeError, "must be integers"),
    ([1, 2], ValueError, "must be a single number"),
]
# Noise of these scales, or its variance, would be infinite or zero in doubles.
SCALES = [
    (1e151, ValueError, "must be at most 1e.150, got"),
    (1e308, ValueError, "must be"),
    (1e-151, ValueError, "must be at least 1e-150, got"),
    (1e-320, ValueError, "must be"),
]

ARGUMENTS = [
    ("sensitivity / epsilon", SCALES, lambda v: Laplace(1.0, v)),
    ("sensitivity / epsilon", [(1e308, ValueError, "must be finite, got inf")],
     lambda v: Laplace(0.01, v)),
    ("sensitivity / epsilon", [(v, ValueError, "must be") for v in (1e-320, 1e-151)], Laplace),
    ("sensitivity / epsilon", SCALES, lambda v: Staircase(1.0, v)),
    ("epsilon", [(v, ValueError, "must be at least 1e-14") for v in (1e-320, 9e-15)], Staircase),
    (r"\(high - low\) / epsilon", SCALES, lambda v: LocalLaplace(1.0, 0.0, v)),
    (r"\(high - low\) / epsilon", [(1e308, ValueError, "must be finite, got inf")],
     lambda v: LocalLaplace(1.0, -v, v)),
    (r"\(high - low\) / epsilon", [(1e-320, ValueError, "must be finite, got inf")],
     lambda v: LocalLaplace(v, 0.0, 1.0)),
    ("sigma", SCALES, lambda v: Gaussian(v)),
    ("sensitivity", SCALES, lambda v: Gaussian(1.0, v)),
    ("sensitivity / sigma", [(1e-80, ValueError, "must be at most 1e.150, got 1e.160")],
     lambda v: Gaussian(v, 1e80)),
    (r"sensitivity / sqrt\(2 rho\)", [(v, ValueError, "must be") for v in (1e-320, 1e-301, 1e308)],
     Gaussian.from_zcdp),
    ("scale", SCALES, lambda v: laplace_sum(3, v)),
    ("scale", SCALES, lambda v: log_maximum_tail(1.0, 3, v)),
    ("scale", SCALES, lambda v: simultaneous_radius(3, 0.1, v)),
    ("scale", SCALES, lambda v: union_radius(3, 0.1, v)),
    ("scale", SCALES, lambda v: expected_maximum(3, v)),
    ("rng", SEEDS, lambda v: Laplace(1.0).privatize(0.0, rng=v)),
    ("rng", SEEDS, lambda v: Gaussian(1.0).privatize(0.0, rng=v)),
    ("rng", SEEDS, lambda v: DiscreteLaplace(1.0).privatize(0, rng=v)),
    ("rng", SEEDS, lambda v: Staircase(1.0).privatize(0.0, rng=v)),
    ("rng", SEEDS, lambda v: RANGE.privatize(0.0, rng=v)),
    ("rng", SEEDS, lambda v: RANGE.privatize_mean(0.0, 3, rng=v)),
    ("rng", SEEDS, lambda v: laplace_sum(3, rng=v)),
    ("size", DRAWS, lambda v: laplace_sum([1, 2], size=v)),
    ("size", DRAWS, lambda v: RANGE.privatize_mean([0.0, 0.5], 3, size=v)),
    ("norm", NORMS, lambda v: standard_sensitivity("count", norm=v)),
    ("norm", NORMS, lambda v: ball_sensitivity(2, 2, norm=v)),
    ("norm", NORMS, lambda v: global_sensitivity(total, [0, 1], 2, norm=v)),
    ("query", WORDLESS, standard_sensitivity),
    ("relation", WORDLESS, lambda v: standard_sensitivity("count", relation=v)),
    ("relation", WORDLESS, lambda v: global_sensitivity(total, [0, 1], 2, relation=v)),
    ("query", [("sum", TypeError, "must be callable, got 'sum'")],
     lambda v: global_sensitivity(v, [0, 1], 2)),
    ("domain", [(np.ma.array([0, 1, 99], mask=[0, 0, 1]), TypeError, "must not be a masked")],
     lambda v: global_sensitivity(total, v, 2)),
    ("epsilon", BUDGET, lambda v: Laplace(v)),
    ("sensitivity", [*POSITIVE, ARRAY], lambda v: Laplace(1.0, v)),
    ("noise", KINDS, Laplace(1.0).log_density),
    ("answer", KINDS, Laplace(1.0).privatize),
    ("released", KINDS, Laplace(1.0).interval),
    ("level", [*OPEN, ARRAY], lambda v: Laplace(1.0).interval(0.0, v)),
    ("sigma", [*POSITIVE, ARRAY], lambda v: Gaussian(v)),
    ("sensitivity", [*POSITIVE, ARRAY], lambda v: Gaussian(1.0, v)),
    ("rho", [*POSITIVE, ARRAY], lambda v: Gaussian.from_zcdp(v)),
    ("sensitivity", [*POSITIVE, ARRAY], lambda v: Gaussian.from_zcdp(1.0, v)),
    ("epsilon", [*KINDS, ARRAY], lambda v: Gaussian.from_approximate(v, 1e-6)),
    ("epsilon", [(-1.0, ValueError, "must be at least 0")], lambda v: Gaussian(1.0).delta(v)),
    ("delta", [*OPEN, ([0.1], ValueError, "must be a single")],
     lambda v: Gaussian.from_approximate(1.0, v)),
    ("sensitivity", [*POSITIVE, ARRAY], lambda v: Gaussian.from_approximate(1.0, 1e-6, v)),
    ("answer", KINDS, Gaussian(1.0).privatize),
    ("released", KINDS, Gaussian(1.0).interval),
    ("level", [*OPEN, ARRAY], lambda v: Gaussian(1.0).interval(0.0, v)),
    ("epsilon", BUDGET, lambda v: DiscreteLaplace(v)),
    ("sensitivity", [*INTEGER, *WHOLE], lambda v: DiscreteLaplace(1.0, v)),
    ("noise", INTEGER[2:], DiscreteLaplace(1.0).log_probability),
    ("answer", [*INTEGER[2:], ([0.5, 1.0], TypeError, "must be integers")],
     DiscreteLaplace(1.0).privatize),
    ("answer", [(2**62 + 1, ValueError, "must be at most")], DiscreteLaplace(1.0).privatize),
    ("epsilon", BUDGET, lambda v: Staircase(v)),
    ("sensitivity", [*POSITIVE, ARRAY], lambda v: Staircase(1.0, v)),
    ("gamma", [*KINDS, ARRAY], lambda v: Staircase(1.0, 1.0, v)),
    ("gamma", [(-0.1, ValueError, "must be at least 0"), (1.1, ValueError, "must be at most 1")],
     lambda v: Staircase(1.0, 1.0, v)),
    ("epsilon", BUDGET, lambda v: Staircase.optimal(v)),
    ("sensitivity", [*POSITIVE, ARRAY], lambda v: Staircase.optimal(1.0, v)),
    ("loss", [("cubic", ValueError, "must be one of absolute, squared, got 'cubic'"), *WORDLESS],
     lambda v: Staircase.optimal(1.0, loss=v)),
    ("noise", KINDS, Staircase(1.0).log_density),
    ("answer", KINDS, Staircase(1.0).privatize),
    ("epsilon", BUDGET, lambda v: LocalLaplace(v, 0.0, 1.0)),
    ("low", [*KINDS, ARRAY], lambda v: LocalLaplace(1.0, v, 5.0)),
    ("high", [*KINDS, ARRAY], lambda v: LocalLaplace(1.0, 0.0, v)),
    ("high", [(v, ValueError, "must be greater than low, got") for v in (2.0, 1.0)],
     lambda v: LocalLaplace(1.0, 2.0, v)),
    ("values", KINDS, RANGE.clip),
    ("values", KINDS, RANGE.privatize),
    ("clipped_mean", [*KINDS, (-1.1, ValueError, "must be at least -1"),
                      (3.1, ValueError, "must be at most 3")],
     lambda v: RANGE.privatize_mean(v, 10)),
    ("n", [*INTEGER, *WHOLE], lambda v: RANGE.privatize_mean(0.0, v)),
    ("data_variance", [*KINDS, (-1.0, ValueError, "must be at least 0")],
     lambda v: RANGE.variance(v, 10)),
    ("n", INTEGER, lambda v: RANGE.variance(1.0, v)),
    ("n", INTEGER, laplace_sum),
    ("scale", POSITIVE, lambda v: laplace_sum(3, v)),
    ("t", [*KINDS, (-1.0, ValueError, "must be at least 0")], lambda v: log_maximum_tail(v, 3)),
    ("k", INTEGER, lambda v: log_maximum_tail(1.0, v)),
    ("scale", POSITIVE, lambda v: log_maximum_tail(1.0, 3, v)),
    ("k", INTEGER, lambda v: simultaneous_radius(v, 0.1)),
    ("beta", OPEN, lambda v: simultaneous_radius(3, v)),
    ("scale", POSITIVE, lambda v: simultaneous_radius(3, 0.1, v)),
    ("k", INTEGER, lambda v: union_radius(v, 0.1)),
    ("beta", OPEN, lambda v: union_radius(3, v)),
    ("scale", POSITIVE, lambda v: union_radius(3, 0.1, v)),
    ("k", INTEGER, expected_maximum),
    ("scale", POSITIVE, lambda v: expected_maximum(3, v)),
    ("d", INTEGER, lambda v: ball_sensitivity(3, v)),
    ("n", INTEGER, lambda v: ball_sensitivity(v, 3)),
    ("radius", POSITIVE, lambda v: ball_sensitivity(3, 3, radius=v)),
    ("n", [*INTEGER, *WHOLE], lambda v: standard_sensitivity("mean", n=v)),
    ("d", [*INTEGER, *WHOLE], lambda v: standard_sensitivity("counting queries", d=v)),
    ("low", [*KINDS, ARRAY], lambda v: standard_sensitivity("sum", low=v, high=5.0)),
    ("high", [*KINDS, ARRAY], lambda v: standard_sensitivity("sum", high=v)),
    ("high", [(v, ValueError, "must be greater than low, got") for v in (2.0, 1.0)],
     lambda v: standard_sensitivity("sum", low=2.0, high=v)),
    ("n", [*INTEGER, *WHOLE], lambda v: global_sensitivity(total, [0, 1], v)),
]  # fmt: skip


def total(x):
    return x.sum(axis=1)


def asked(query=total, domain=(0, 1), n=2, **options):
    return lambda: global_sensitivity(query, domain, n, **options)


CALLS = [
    (lambda: standard_sensitivity("median"), "query must be one of .* sum, .*, got 'median'"),
    (lambda: standard_sensitivity("mean"), "n must be given for the query 'mean'"),
    (lambda: standard_sensitivity("histogram proportions", d=3), "n must be given for the query"),
    (lambda: standard_sensitivity("counting queries", n=3), "d must be given for the query"),
    (lambda: standard_sensitivity("count", norm=3), "norm must be at most 2, got 3"),
    (lambda: ball_sensitivity(2, 2, norm=0), "norm must be at least 1, got 0"),
    (lambda: standard_sensitivity("count", relation="swap"), "relation must be .*, got 'swap'"),
    (asked(relation="add/remove"), "relation must be one of replacement, add-remove, got 'add/rem"),
    (asked(n=1, relation="add-remove"), "n must be at least 2, got 1"),
    (asked(domain=[1]), r"domain must hold at least 2 records, got \[1\]"),
    (asked(domain=7), "domain must hold at least 2 records, got 7"),
    (asked(n=20), "domain.* must be at most 1000000 data sets, got 2..20$"),
    (asked(domain=range(101), n=3), "domain.* must be at most 1000000 data sets, got 101..3$"),
    (asked(n=10**15), "domain.* must be at most 1000000 data sets"),
    (asked(lambda x: 1.0), r"query must return .* for each of 4 data sets, got shape \(\)"),
    (asked(lambda x: x.sum(axis=0)), r"query must return .* of 4 data sets, got shape \(2,\)"),
    (asked(lambda x: x[:, :, None]), r"query must return .*, got shape \(4, 2, 1\)"),
    (asked(lambda x: x.sum(axis=1) * np.nan), "query must return finite numbers"),
    (asked(lambda x: np.full(len(x), np.inf)), "query must return finite numbers"),
    # One of them would be lost in a maximum: nan > 0 is false.
    (asked(lambda x: np.where(total(x) == 2, np.nan, 0.0)), "query must return finite numbers"),
    (asked(lambda x: np.where(total(x) == 0, -np.inf, 0.0)), "query must return finite numbers"),
    (asked(lambda x: np.column_stack([total(x), np.where(total(x) == 1, np.nan, 0.0)])),
     "query must return finite numbers"),
    (asked(lambda x: np.where(x.sum(axis=1) == 0, np.nan, 0.0)[: 2 ** x.shape[1]],
           relation="add-remove"), "query must return finite numbers"),
    # The list of records itself is longer by one: at n = 2 numpy would broadcast it.
    (asked(lambda x: x, relation="add-remove"), r"query must .* one length, got \(2,\) for 2 rec"),
    (lambda: DiscreteLaplace(1e-15), "epsilon / sensitivity must be at least 1e-14, got 1e-15"),
    (lambda: DiscreteLaplace(1.0, 10**15), "epsilon / sensitivity must be at least 1e-14"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "kind", "condition", "call"),
    [(name, *row, call) for name, rows, call in ARGUMENTS for row in rows],
)
def test_argument_refused(name, value, kind, condition, call):
    with pytest.raises(kind, match=f"^{name} {condition}"):
        call(value)


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_call_refused(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()
