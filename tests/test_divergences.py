"""Divergences: the laws they obey, and their digits against fifty-digit arithmetic."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minimaxdp import divergences as dv

ORDERS = [1e-9, 0.5, 0.999999, 1, 1.000001, 1.5, 2, 30, np.inf]
ALL = {
    "total_variation": dv.total_variation,
    "squared_hellinger": dv.squared_hellinger,
    "chi_square": dv.chi_square,
    "kl": dv.kl,
    "max_divergence": dv.max_divergence,
    "hockey_stick(0.3)": lambda p, q: dv.hockey_stick(p, q, 0.3),
} | {f"renyi({a})": lambda p, q, a=a: dv.renyi(p, q, a) for a in ORDERS}

property_test = settings(max_examples=40, deadline=None, derandomize=True)
each_divergence = pytest.mark.parametrize("divergence", ALL.values(), ids=ALL)


def laws(k):
    """Probability vectors with some exact zeros."""
    weight = st.one_of(st.just(0.0), st.floats(1e-6, 1.0))
    rows = st.lists(weight, min_size=k, max_size=k).filter(lambda w: sum(w) > 0)
    return rows.map(lambda w: np.array(w) / np.sum(w))


@st.composite
def pairs(draw):
    k = draw(st.integers(2, 5))
    return draw(laws(k)), draw(laws(k))


@st.composite
def pairs_and_channel(draw):
    p, q = draw(pairs())
    m = draw(st.integers(1, 4))
    return p, q, np.array([draw(laws(m)) for _ in p])


def is_at_most(a, b):
    """a <= b up to rounding, infinities included."""
    return a <= b * (1 + 1e-12) + 1e-14


@each_divergence
@given(pairs_and_channel())
@property_test
def test_data_processing(divergence, world):
    p, q, channel = world
    assert is_at_most(divergence(p @ channel, q @ channel), divergence(p, q))


@each_divergence
@given(pairs())
@property_test
def test_nonnegative_and_zero_at_equal_laws(divergence, pair):
    p, q = pair
    assert divergence(p, q) >= 0
    assert divergence(p, p) == 0
    if abs(p - q).max() > 1e-12 and divergence is not ALL["hockey_stick(0.3)"]:
        assert divergence(p, q) > 0


@given(pairs())
@property_test
def test_symmetric_distances(pair):
    p, q = pair
    assert dv.total_variation(p, q) == dv.total_variation(q, p)
    assert dv.squared_hellinger(p, q) == dv.squared_hellinger(q, p)
    assert is_at_most(dv.total_variation(p, q), 1) and is_at_most(dv.squared_hellinger(p, q), 1)


@given(pairs())
@property_test
def test_classical_inequalities(pair):
    p, q = pair
    tv, h2, kl = dv.total_variation(p, q), dv.squared_hellinger(p, q), dv.kl(p, q)
    assert is_at_most(2 * tv**2, kl)  # Pinsker
    assert is_at_most(h2, tv) and is_at_most(tv**2, h2 * (2 - h2))  # Le Cam
    assert is_at_most(kl, np.log1p(dv.chi_square(p, q)))


@given(pairs())
@property_test
def test_renyi_is_monotone_in_the_order(pair):
    p, q = pair
    values = [dv.renyi(p, q, a) for a in [0.01, 0.5, 0.99, 1, 1.01, 1.5, 2, 10, 300, np.inf]]
    assert all(is_at_most(a, b) for a, b in zip(values[:-1], values[1:], strict=True))


@given(pairs())
@property_test
def test_renyi_special_orders(pair):
    p, q = pair
    assert dv.renyi(p, q, 1) == dv.kl(p, q)
    assert dv.renyi(p, q, np.inf) == dv.max_divergence(p, q)
    np.testing.assert_allclose(dv.renyi(p, q, 2), np.log1p(dv.chi_square(p, q)), rtol=1e-12)
    np.testing.assert_allclose(
        -np.expm1(-dv.renyi(p, q, 0.5) / 2), dv.squared_hellinger(p, q), rtol=1e-12, atol=1e-15
    )
    # Skew symmetry, which joins the orders below one half to those above.
    np.testing.assert_allclose(0.7 * dv.renyi(p, q, 0.3), 0.3 * dv.renyi(q, p, 0.7), rtol=1e-12)


def test_renyi_tends_to_its_limits():
    p, q = np.array([0.7, 0.2, 0.1]), np.array([0.3, 0.3, 0.4])
    # The slope at order 1 is half the variance of the log-ratio, and the gap at a large order
    # a is at most ln(1/p_max) / (a - 1): both are tolerances by calculus.
    half_variance = (p @ np.log(p / q) ** 2 - dv.kl(p, q) ** 2) / 2
    for step in [1e-4, 1e-6, 1e-8, -1e-8, -1e-6, -1e-4]:
        slope = (dv.renyi(p, q, 1 + step) - dv.kl(p, q)) / step
        assert abs(slope - half_variance) < abs(step) + 1e-14 / abs(step)
    for order in [1e2, 1e4, 1e8]:
        gap = dv.max_divergence(p, q) - dv.renyi(p, q, order)
        assert 0 <= gap <= (np.log(1 / 0.7) + dv.max_divergence(p, q)) / (order - 1)


@given(pairs())
@property_test
def test_hockey_stick(pair):
    p, q = pair
    np.testing.assert_allclose(
        dv.hockey_stick(p, q, 0.0), dv.total_variation(p, q), rtol=1e-12, atol=1e-15
    )
    events = np.indices((2,) * p.size).reshape(p.size, -1).T
    for epsilon in [0.1, 1.0, 800.0]:  # exp(800) is no double
        with np.errstate(over="ignore"):
            factor = np.exp(epsilon)
        terms = p - np.where(q > 0, factor * np.where(q > 0, q, 1), 0)
        finite = np.where(events == 1, terms, 0).sum(axis=1)
        np.testing.assert_allclose(
            dv.hockey_stick(p, q, epsilon), finite.max(), rtol=1e-12, atol=1e-15
        )
    top = dv.max_divergence(p, q)
    if top < np.inf:
        assert dv.hockey_stick(p, q, top) < 1e-15
        assert top < 1e-9 or dv.hockey_stick(p, q, 0.9 * top) > 0


@given(pairs())
@property_test
def test_max_divergence_is_the_supremum_over_events(pair):
    p, q = pair
    events = np.indices((2,) * p.size).reshape(p.size, -1).T[1:]
    top, bottom = events @ p, events @ q
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(top > 0, np.log(top / bottom), -np.inf)
    np.testing.assert_allclose(dv.max_divergence(p, q), ratios.max(), rtol=1e-12, atol=1e-15)


@given(pairs())
@property_test
def test_f_divergence_reproduces_the_named_ones(pair):
    p, q = pair
    same = {"rtol": 1e-12, "atol": 1e-14}
    tv = dv.f_divergence(p, q, lambda t: abs(t - 1) / 2, slope_at_infinity=0.5)
    np.testing.assert_allclose(tv, dv.total_variation(p, q), **same)
    chi = dv.f_divergence(p, q, lambda t: (t - 1) ** 2, slope_at_infinity=np.inf)
    np.testing.assert_allclose(chi, dv.chi_square(p, q), **same)
    # t ln t - t + 1 adds nothing to t ln t, as both laws sum to one, but does not cancel.
    kl = dv.f_divergence(
        p,
        q,
        lambda t: t * np.log(np.where(t > 0, t, 1)) - t + 1,
        slope_at_infinity=np.inf,
    )
    np.testing.assert_allclose(kl, dv.kl(p, q), **same)


@each_divergence
def test_broadcasting_equals_a_loop(divergence):
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.ones(4), size=(3, 1)), rng.dirichlet(np.ones(4), size=5)
    q[2, 0], q[2, 1] = 0.0, q[2, 0] + q[2, 1]  # one law with a zero among the others
    together = divergence(p, q)
    assert together.shape == (3, 5)
    apart = [[divergence(x[0], y) for y in q] for x in p]
    np.testing.assert_allclose(together, apart, rtol=1e-13)
    assert np.ndim(divergence(p[0, 0], q[0])) == 0


def test_orders_and_budgets_broadcast():
    p, q = [0.7, 0.2, 0.1], [[0.3, 0.3, 0.4], [1.0, 0.0, 0.0]]
    orders = np.array(ORDERS)[:, None]
    expected = [[dv.renyi(p, row, a) for row in q] for a in ORDERS]
    np.testing.assert_allclose(dv.renyi(p, q, orders), expected, rtol=1e-14)
    budgets = np.array([0.0, 0.5, 3.0])[:, None]
    expected = [[dv.hockey_stick(p, row, e) for row in q] for e in budgets[:, 0]]
    np.testing.assert_allclose(dv.hockey_stick(p, q, budgets), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("divergence", "expected"),
    [(dv.total_variation, 1), (dv.squared_hellinger, 1)]
    + [(divergence, np.inf) for divergence in (dv.chi_square, dv.kl, dv.max_divergence)]
    + [(lambda p, q, a=a: dv.renyi(p, q, a), np.inf) for a in ORDERS]
    + [(lambda p, q: dv.hockey_stick(p, q, 1.0), 1)],
)
def test_disjoint_supports(divergence, expected):
    assert divergence([0.5, 0.5, 0, 0], [0, 0, 0.25, 0.75]) == expected


def test_zero_entries():
    p, q = [0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.5, 0.0]  # p lies inside q, not the reverse
    assert dv.kl(p, q) == pytest.approx(np.log(2), rel=1e-15)
    assert dv.chi_square(p, q) == 1
    for order in ORDERS:
        assert dv.renyi(p, q, order) == pytest.approx(np.log(2), rel=1e-14)
    assert dv.kl(q, p) == dv.chi_square(q, p) == dv.max_divergence(q, p) == np.inf
    assert dv.renyi(q, p, 2) == dv.renyi(q, p, 1) == np.inf
    # Below order 1 mass outside the support only lowers the moment: (1/2)^a here.
    assert dv.renyi(q, p, 0.5) == pytest.approx(np.log(2), rel=1e-14)


# At fifty digits, on the very floats the package sees. A law of floats sums to one only up to
# 1e-16, which at t = 1e-9 would swamp a divergence of 1e-18; so both sides sum the term that
# is nonnegative by itself, such as p ln(p/q) - p + q.


def _exact(name, p, q):
    p, q = [mp.mpf(float(x)) for x in p], [mp.mpf(float(x)) for x in q]
    if name == "kl":
        return mp.fsum(a * mp.log(a / b) - a + b for a, b in zip(p, q, strict=True))
    if name == "chi_square":
        return mp.fsum((a - b) ** 2 / b for a, b in zip(p, q, strict=True))
    if name == "squared_hellinger":
        return mp.fsum((mp.sqrt(a) - mp.sqrt(b)) ** 2 for a, b in zip(p, q, strict=True)) / 2
    if name == "max_divergence":
        return max(mp.log(a / b) for a, b in zip(p, q, strict=True))
    order = mp.mpf(name)
    moment = mp.fsum(
        a**order * b ** (1 - order) - b - order * (a - b) for a, b in zip(p, q, strict=True)
    )
    return mp.log(1 + moment) / (order - 1)


@pytest.mark.parametrize("t", [1e-9, 1e-6, 1e-3, 0.03, 0.099, 0.101, 0.5])
@pytest.mark.parametrize(
    "name",
    ["kl", "chi_square", "squared_hellinger", "max_divergence"]
    + [1e-9, 1e-3, 0.3, 0.5, 0.999, 0.999999, 1 + 1e-9, 1.000001, 1.5, 2, 5, 30, 200],
)
def test_thirteen_digits(name, t):
    rng = np.random.default_rng(2)
    for size in [2, 2, 3, 3, 5, 8]:
        q = rng.dirichlet(np.ones(size))
        tilt = rng.uniform(-1, 1, size)
        tilt -= q @ tilt
        p = q * (1 + t * tilt / abs(tilt).max())
        computed = dv.renyi(p, q, name) if not isinstance(name, str) else ALL[name](p, q)
        with mp.workdps(50):
            exact = _exact(name, p, q)
            assert abs(mp.mpf(float(computed)) - exact) <= 1e-13 * abs(exact)


# At the ends of the range of a double


@pytest.mark.parametrize("tiny", [5e-324, 1e-320, 1e-308, 1e-200])
def test_ratios_beyond_the_range_of_a_double(tiny):
    p, q = np.array([0.5, 0.5]), np.array([tiny, 1.0])
    with mp.workdps(50):
        assert dv.kl(p, q) == pytest.approx(float(_exact("kl", p, q)), rel=1e-14)
        for order in (0.5, 1.5, 2, 30):
            # The textbook sum: at this distance nothing cancels, and q need not sum to one.
            moment = mp.fsum(
                mp.mpf(a) ** order * mp.mpf(b) ** (1 - mp.mpf(order))
                for a, b in zip(p.tolist(), q.tolist(), strict=True)
            )
            expected = float(mp.log(moment) / (mp.mpf(order) - 1))
            assert dv.renyi(p, q, order) == pytest.approx(expected, rel=1e-14)
    assert dv.renyi(p, q, 1e308) == dv.renyi(p, q, np.inf) == dv.max_divergence(p, q)


def test_chi_square_of_large_ratios_is_finite_where_it_is():
    assert dv.chi_square([0.5, 0.5], [1e-200, 1.0]) == pytest.approx(0.25e200, rel=1e-14)
    found = dv.chi_square([1e-150, 1.0], [1e-310, 1.0])  # the ratio itself just fits a double
    assert found == pytest.approx(1e10, rel=1e-12)
    assert dv.chi_square([0.5, 0.5], [1e-320, 1.0]) == np.inf  # 2.5e319


def test_hockey_stick_where_the_factor_overflows_and_the_product_does_not():
    # exp(710) is beyond a double, and exp(710) 5e-324 is 1.1e-15.
    with mp.workdps(50):
        expected = float(mp.mpf(1e-14) - mp.exp(710) * mp.mpf(5e-324))
    assert dv.hockey_stick([1e-14, 1.0], [5e-324, 1.0], 710.0) == pytest.approx(expected, rel=1e-12)


def test_a_function_that_returns_no_number_is_refused():
    with pytest.raises(ValueError, match="^p must be at most 1.8e308 times q"):
        dv.f_divergence([0.5, 0.5], [1e-320, 1.0], lambda t: t - 1)
    with pytest.raises(ValueError, match="^f must return one number for each of shape"):
        dv.f_divergence([0.0, 1.0], [0.5, 0.5], lambda t: np.where(t > 0, t - 1, np.nan))
    with pytest.raises(ValueError, match="^f must return one number for each of shape"):
        dv.f_divergence([0.5, 0.5], [0.5, 0.5], lambda t: t[:1] - 1)
    with pytest.raises(TypeError, match="^f must be callable, got 3"):
        dv.f_divergence([0.5, 0.5], [0.5, 0.5], 3)
    with pytest.raises(TypeError, match="^slope_at_infinity must be real numbers"):
        dv.f_divergence([0.5, 0.5], [1.0, 0.0], lambda t: t - 1, "1")
    reverse = dv.f_divergence([0.0, 1.0], [0.5, 0.5], lambda t: np.where(t > 0, 1 - t, np.inf))
    assert reverse == np.inf  # f(0) may be infinite


def test_laws_that_do_not_broadcast_are_refused():
    with pytest.raises(ValueError, match="^p and q must broadcast"):
        dv.kl(np.full((2, 3), 1 / 3), np.full((4, 3), 1 / 3))
