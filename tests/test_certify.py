"""Certificates: true statements get one that verifies, false ones are refused where they fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from math import comb, inf

import numpy as np
import pytest
import sympy
from mpmath import iv, mp
from scipy.optimize import linprog

from minimaxdp.certify import (
    Inequality,
    Piece,
    PolynomialBound,
    Refused,
    induction,
    inequality,
    optimum,
    polynomial_bound,
)
from minimaxdp.certify._intervals import enclosure, interval, precision

x, y, n, f, g, b, p = sympy.symbols("x y n f g b p")
k, N = sympy.Symbol("k", integer=True), sympy.Symbol("N", integer=True)
oo, exp, tanh, log = sympy.oo, sympy.exp, sympy.tanh, sympy.log
HALF = sympy.Rational(1, 2)

TRUE = [
    (exp(x) - 1 - x - x**2 / 2, {x: (0, oo)}),
    (exp(x) - 1 - x, {x: (-oo, 0)}),
    (x - tanh(x), {x: (0, oo)}),
    (sympy.sinh(x) - x - x**3 / 6, {x: (0, oo)}),
    (x - log(1 + x), {x: (0, oo)}),
    (sympy.cosh(x) - exp(x**2 / 2) * 0 - 1, {x: (0, 5)}),
    (exp(x**2 / 2) - sympy.cosh(x), {x: (0, 3)}),
    (1 - sympy.erf(x), {x: (-3, 3)}),
    ((1 - x) ** 3 * x**2, {x: (0, 1)}),
    (sympy.pi - sympy.Rational(22, 7) + x, {x: (F(13, 10000), 1)}),
    (sympy.sqrt(1 + x) - 1 - x / 2 + x**2 / 8, {x: (0, 10)}),
    (2 - sympy.sqrt(x), {x: (0, 1)}),  # the root of zero has no logarithm
    (sympy.Max(x, 1 - x) - sympy.Rational(49, 100), {x: (0, 1)}),
    (sympy.Abs(x) + 1 - x, {x: (-4, 4)}),
    (sympy.atanh(x) - x - x**3 / 3, {x: (0, F(99, 100))}),
    (sympy.coth(x) - 1, {x: (F(1, 10), 5)}),
    (x * y + 1 - x * y**2, {x: (0, 3), y: (0, 1)}),
    (exp(x + y) - x - y - HALF, {x: (-1, 1), y: (-1, 1)}),
]


@pytest.mark.parametrize(("expression", "ranges"), TRUE, ids=str)
def test_a_true_inequality_is_certified_and_verified(expression, ranges) -> None:
    found = inequality(expression, ranges)
    assert found.verify() and 1 <= found.size <= 500
    assert str(found).startswith(f"{expression} > 0 for all ")


FALSE = [
    (x - tanh(2 * x), {x: (0, oo)}),
    (x**2 - x**3 / 1000, {x: (0, oo)}),  # fails from 1000 on
    (exp(x) - 1 - x - x**2 * F(51, 100), {x: (0, 1)}),  # fails near 0 alone
    (tanh(x) - x, {x: (0, oo)}),
    ((1 - 2 * x) ** 2, {x: (0, 1)}),  # touches 0 inside
    ((x - sympy.sqrt(2)) ** 2, {x: (0, 2)}),  # at a point that no bisection meets
    ((3 * x - 1) ** 2 - F(1, 10**12), {x: (0, 1)}),  # below 0 on a millionth
    (-x, {x: (-oo, oo)}),
    (x, {x: (-oo, 1)}),
    (sympy.cosh(x) - exp(x**2 / 2), {x: (-1, 1)}),
    (sympy.Rational(5, 4) * x**2 - (exp(x) - 1) ** 2 * 2 / (exp(x) + 2), {x: (0, 1)}),
    (17 * x**2 - 4 * (1 - exp(x)) ** 2 * 3, {x: (0, 1)}),
    (x * y - F(1, 10), {x: (0, 1), y: (0, 1)}),
    (x**2 + y**2 - 2 * x * y, {x: (0, 1), y: (0, 1)}),  # zero on the diagonal
    (1 - x**2 - y**2, {x: (-1, 1), y: (-1, 1)}),
]


@pytest.mark.parametrize(("expression", "ranges"), FALSE, ids=str)
def test_a_false_inequality_is_refused_where_it_fails(expression, ranges) -> None:
    with pytest.raises(Refused) as refusal:
        inequality(expression, ranges)
    where = refusal.value.where
    assert set(where) == {str(s) for s in ranges}
    if all(isinstance(at, F) for at in where.values()):
        values = {
            s: sympy.Rational(at.numerator, at.denominator)
            for s, at in zip(ranges, where.values(), strict=True)
        }
        assert float(expression.subs(values)) <= 0
    else:  # a box that holds a point where it fails
        points = np.linspace(
            *[
                np.array([float(low if i == 0 else high) for low, high in where.values()])
                for i in (0, 1)
            ]
        )
        points = points[np.isfinite(points).all(axis=1)]
        function = sympy.lambdify(list(ranges), expression, "math")
        assert not len(points) or min(function(*point) for point in points) < 1e-12


@pytest.mark.parametrize("expression", [t for t, r in TRUE if len(r) == 1], ids=str)
def test_enclosures_contain_what_another_library_computes(expression) -> None:
    """Values at random points, by mpmath with fifty digits."""
    rng = np.random.default_rng(1)
    function = sympy.lambdify(x, expression, "mpmath")
    for low in rng.uniform(0.02, 0.9, 20):
        low, high = F(low), F(low) + F(1, 50)
        with precision(53):
            found = enclosure(expression, {x: interval(low, high)})
        with mp.workdps(50):
            for at in (low, (low + high) / 2, high):
                value = function(mp.mpf(at.numerator) / at.denominator)
                assert float(found.low) <= value * (1 + 1e-15) + 1e-300 or float(found.low) <= value
                assert float(found.high) >= value or float(found.high) >= value * (1 - 1e-15)


def test_pieces_hold_by_the_intervals_of_another_library() -> None:
    found = inequality(x / 2 - tanh(x / 2), {x: (F(1, 4), 30)})
    checked = 0
    for piece in found.pieces:
        if piece.reason == "value":
            ends = [iv.mpf(end.numerator) / end.denominator for end in (piece.low, piece.high)]
            whole = iv.mpf([ends[0].a, ends[1].b])
            assert (whole / 2 - 1 + 2 / (iv.exp(whole) + 1)).a > 0
            checked += 1
    assert checked


def test_a_certificate_for_something_else_is_refused() -> None:
    found = inequality(exp(x) - 1 - x, {x: (0, 3)})
    with pytest.raises(Refused, match="must verify"):
        replace(found, expression=exp(x) - 1 - 2 * x).verify()
    with pytest.raises(Refused, match="end at"):
        replace(found, ranges={x: (0, 4)}).verify()
    with pytest.raises(Refused, match="none begins at"):
        replace(found, pieces=(Piece(F(1), F(3), "value"),)).verify()
    whole = Piece(F(0), F(3), "value")
    with pytest.raises(Refused):
        Inequality(x - 1, {x: (0, 3)}, (whole,)).verify()
    box = inequality(x * y + 1, {x: (0, 1), y: (0, 1)})
    with pytest.raises(Refused, match="the box"):
        replace(box, expression=x * y - 1).verify()
    with pytest.raises(Refused, match="tree"):
        replace(box, pieces=(x, ())).verify()


@pytest.mark.parametrize(
    ("expression", "ranges", "error", "told"),
    [
        (log(x), {x: (-1, 1)}, ValueError, "expression must be defined"),
        (1 / x**2, {x: (-1, 1)}, ValueError, "expression must be defined"),
        (sympy.atanh(x), {x: (0, 2)}, ValueError, "expression must be defined"),
        (sympy.sqrt(x), {x: (-1, 1)}, ValueError, "expression must be defined"),
        (1 / (x - y), {x: (0, 1), y: (0, 1)}, ValueError, "expression must be defined"),
        (x, {x: (1, 1)}, ValueError, "ranges must not be empty"),
        (x, {x: (2, 1)}, ValueError, "ranges must not be empty"),
        (x + y, {x: (0, oo), y: (0, 1)}, ValueError, "ranges must be finite"),
        (x + y, {x: (0, 1)}, ValueError, "ranges must be given"),
        (x, {x: (0.5, 1)}, TypeError, "exact rational"),
        (x, {x: 1}, TypeError, "two ends"),
        (x, {"x": (0, 1)}, TypeError, "symbols"),
        (x, [0, 1], TypeError, "mapping"),
        (x + 0.5, {x: (0, 1)}, ValueError, "exact"),
        ("x", {x: (0, 1)}, TypeError, "expression of sympy"),
        (sympy.sin(x), {x: (0, 1)}, TypeError, "elementary"),
        (sympy.Function("tanh")(x), {x: (0, 1)}, TypeError, "elementary"),
    ],
)  # fmt: skip
def test_bad_ranges_and_functions_are_named(expression, ranges, error, told) -> None:
    with pytest.raises(error, match=told):
        inequality(expression, ranges)


# --- linear programmes ----------------------------------------------------------------------------


def test_random_programmes_have_the_value_of_highs() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        rows, columns = rng.integers(2, 7, size=2)
        a, c = rng.integers(-4, 5, size=(rows, columns)), rng.integers(0, 6, size=columns)
        side = rng.integers(-3, 6, size=rows)
        expected = linprog(c, A_ub=a, b_ub=side)
        if expected.status == 2:
            with pytest.raises(ValueError, match="no|common"):
                optimum(c.tolist(), (a.tolist(), side.tolist()))
            continue
        found = optimum(c.tolist(), (a.tolist(), side.tolist()))
        assert float(found.value) == pytest.approx(expected.fun, abs=1e-9)
        assert found.verify()


ROWS = ([[-1, -2], [-3, -1]], [-4, -6])  # x + 2y >= 4, 3x + y >= 6


@pytest.mark.parametrize("value", [F(14, 5) + F(1, 10**30), F(14, 5) - F(1, 10**30), 3, 0, -1])
def test_a_wrong_optimal_value_is_refused(value) -> None:
    assert optimum([1, 1], ROWS, value=F(14, 5)).value == F(14, 5)
    with pytest.raises(Refused, match="value is not") as refusal:
        optimum([1, 1], ROWS, value=value)
    assert refusal.value.where["solution"] == (F(8, 5), F(6, 5))


def test_a_certificate_of_another_programme_is_refused() -> None:
    found = optimum([1, 1], ROWS)
    for changed, told in (
        ({"primal": (F(3), F(1, 2))}, "bound"),
        ({"primal": (F(0), F(0))}, "primal violates row 0"),
        ({"primal": (F(-1), F(9))}, "primal must not be negative"),
        ({"dual": (F(-1), F(0))}, "dual must be at least 0"),
        ({"dual": (F(1), F(1))}, "gain"),
        ({"dual": (F(0), F(0))}, "bound"),
        ({"cost": (F(1), F(2))}, "bound"),
        ({"free": (0,)}, "bound|gain"),
    ):
        if "free" in changed:  # the same optimum, since both multipliers keep it tight
            assert replace(found, **changed).verify()
            continue
        with pytest.raises(Refused, match=told):
            replace(found, **changed).verify()


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        (([1, 0.5],), TypeError, "cost must be an exact"),
        (([1], ([[1, 2]], [1])), ValueError, "at_most must have rows as long as cost, 1"),
        (([1], ([[1]], [1, 2])), ValueError, "at_most must have one side"),
        (([1], ([{3: 1}], [1])), ValueError, "at_most must have columns"),
        (([1], ([[1]], [-1])), ValueError, "common solution"),
        (([-1],), ValueError, "bounded from below"),
        (([1], (), ([[1]], [1])), TypeError, "at_most must be a pair"),
        (([1], ([], []), ([], []), [1]), ValueError, "free must name"),
        (([1], ([], []), ([], []), [True]), TypeError, "free must be integers"),
    ],
)
def test_bad_programmes_are_named(arguments, error, told) -> None:
    with pytest.raises(error, match=told):
        optimum(*arguments)


# --- induction ------------------------------------------------------------------------------------


def pmf(j):
    return sympy.binomial(N, j) * p**j * (1 - p) ** (N - j)


INDUCTIONS = [
    (n * (n + 1) * (2 * n + 1) / 6, f + (n + 1) ** 2, [0], n, [f]),
    (n / (1 - b) - b / (1 - b) ** 2, b * f + n + 1, [-b / (1 - b) ** 2], n, [f]),
    (b**n, (b + 1 / b) * g - f, [1, b], n, [f, g]),
    (2**n, 2 * f, [8], n, [f], 3),
    (sympy.factorial(n), (n + 1) * f, [1], n, [f]),
    (-N * sympy.binomial(N - 1, k) * p**k * (1 - p) ** (N - 1 - k),
     f + sympy.diff(pmf(k + 1), p), [-N * (1 - p) ** (N - 1)], k, [f]),
]  # fmt: skip


@pytest.mark.parametrize("arguments", INDUCTIONS, ids=lambda a: str(a[0]))
def test_a_closed_form_is_shown(arguments) -> None:
    assert induction(*arguments).verify()


@pytest.mark.parametrize(
    "arguments",
    [
        (n * (n + 1) * (2 * n + 2) / 6, f + (n + 1) ** 2, [0], n, [f]),
        (n * (n + 1) / 2, f + n, [0], n, [f]),
        (2**n, 2 * f, [2], n, [f]),
        (b**n, (b + 1 / b) * g - f, [1, 1 / b], n, [f, g]),
        (n + n * (n - 1) * (n - 2) * (n - 3), f + 1, [0], n, [f]),  # true of 0, 1, 2 and 3
        (n / (1 - b) - b / (1 - b) ** 3, b * f + n + 1, [-b / (1 - b) ** 2], n, [f]),
        (sympy.factorial(n) + 1, (n + 1) * f, [1], n, [f]),
        (sympy.prod(n - i for i in range(14)), f, [0], n, [f]),  # true of the first fourteen
    ],
    ids=lambda a: str(a[0]),
)
def test_a_wrong_closed_form_is_refused(arguments) -> None:
    with pytest.raises(Refused) as refusal:
        induction(*arguments)
    assert str(arguments[3]) in refusal.value.where


@pytest.mark.parametrize(
    ("changed", "error", "told"),
    [
        ({"closed": "n"}, TypeError, "closed must be an expression"),
        ({"step": f + 0.5}, ValueError, "step must have exact"),
        ({"base": []}, ValueError, "previous must have a symbol for each"),
        ({"previous": [f, g]}, ValueError, "previous must have"),
        ({"previous": [n]}, ValueError, "differ"),
        ({"n": 3}, TypeError, "n must be a symbol"),
        ({"start": 0.5}, TypeError, "start"),
        ({"closed": f}, ValueError, "must not contain"),
    ],
)
def test_bad_inductions_are_named(changed, error, told) -> None:
    good = {"closed": n, "step": f + 1, "base": [0], "n": n, "previous": [f]}
    assert induction(**good).verify()
    with pytest.raises(error, match=told):
        induction(**(good | changed))


# --- polynomials ----------------------------------------------------------------------------------


def test_a_bound_holds_between_all_points() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        c = [F(int(v), 10) for v in rng.integers(0, 11, size=rng.integers(2, 9))]
        theta = np.linspace(0, 1, 2001)
        m = len(c) - 1
        least = sum(
            float(v) * comb(m, j) * theta**j * (1 - theta) ** (m - j) for j, v in enumerate(c)
        ).min()
        below = F(float(least)) - F(1, 1000)
        assert polynomial_bound(c, below).verify()
        with pytest.raises(Refused, match="bound is above") as refusal:
            polynomial_bound(c, below + F(1, 400))
        at = refusal.value.where["theta"]
        assert sum(
            v * comb(m, j) * at**j * (1 - at) ** (m - j) for j, v in enumerate(c)
        ) < below + F(1, 400)


@pytest.mark.parametrize(
    "claim",
    [
        ([1, 0, 1], F(501, 1000), 0, 1),
        ([1, 0, 1], F(51, 100), F(45, 100), F(55, 100)),
        ([0, 1], F(1, 10**9), 0, 1),
        ([1, 1, 1], F(1) + F(1, 10**20), 0, 1),
    ],
)
def test_a_false_bound_is_refused(claim) -> None:
    with pytest.raises(Refused, match="bound is above"):
        polynomial_bound(*claim)


def test_a_bound_with_other_cuts_is_refused() -> None:
    with pytest.raises(Refused, match="not shown by"):
        PolynomialBound([1, 0, 1], F(1, 2), [0, 1]).verify()
    for cuts, told in (([0], "two"), ([1, 0], "rise"), ([0, 2], r"\[0, 1\]")):
        with pytest.raises(ValueError, match=told):
            PolynomialBound([1, 0, 1], F(1, 2), cuts)
    for arguments, error in (
        (([], 0), ValueError), (([0.5], 0), TypeError), (([1], 0, 1, 0), ValueError),
        (([1], 0, 0, 2), ValueError), (([1], inf), TypeError), (("ab", 0), TypeError),
    ):  # fmt: skip
        with pytest.raises(error):
            polynomial_bound(*arguments)


@pytest.mark.long
def test_no_function_that_dips_below_zero_is_certified() -> None:
    """Random functions, moved so that they fail by a hair on a short stretch, and hold by one."""
    rng = np.random.default_rng(5)
    shapes = [exp(x), sympy.cosh(x - 1), tanh(3 * x - 2), log(1 + x), sympy.sqrt(2 + x), x**3, -x]
    theta = np.linspace(0, 2, 20_001)
    for _ in range(12):
        weights = [sympy.Integer(int(w)) for w in rng.integers(-4, 5, size=len(shapes))]
        mixed = sum(w * s for w, s in zip(weights, shapes, strict=True))
        if not mixed.free_symbols:
            continue
        least = sympy.Rational(float(np.min(sympy.lambdify(x, mixed)(theta))))
        with pytest.raises(Refused):
            inequality(mixed - least - sympy.Rational(1, 10**6), {x: (0, 2)})
        assert inequality(mixed - least + sympy.Rational(1, 100), {x: (0, 2)}).verify()


def test_a_piece_has_a_length() -> None:
    for high in (F(1), F(1, 2)):
        with pytest.raises(ValueError, match="high must be greater than low"):
            Piece(F(1), high, "value")


def test_a_polynomial_is_refused_at_the_end_of_its_interval() -> None:
    # The chance of no success in one toss, 1 - theta, on [1/4, 3/4].
    assert polynomial_bound([1, 0], F(1, 4), F(1, 4), F(3, 4)).verify()
    with pytest.raises(Refused, match=r"at theta = 3/4, 0\.25$"):
        polynomial_bound([1, 0], F(3, 10), F(1, 4), F(3, 4))
    with pytest.raises(Refused, match=r"at theta = 1/4, 0\.25$"):
        polynomial_bound([0, 1], F(3, 10), F(1, 4), F(3, 4))
