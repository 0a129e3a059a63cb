"""Symbolic rates: balances against a numerical optimiser, exponents against known limits."""

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import minimize_scalar

from minimaxdp.rates import balance, exponent

K, N, h, n, epsilon, beta, d, a, b = sp.symbols("K N h n epsilon beta d a b", positive=True)
AT = {N: 5000, n: 700, epsilon: sp.Rational(3, 10), beta: sp.Rational(3, 2), d: 4, a: 2, b: 7}

SYMBOLIC = [
    (K**-2, K**2 / N),
    (K**-2, K**2 * (1 + epsilon) / N),
    (K ** (-2 * beta), K**2 / N),
    (K ** (-2 * beta), K / N),
    (a * h ** (2 * beta), b / (n * h)),
    (h ** (2 * beta), 1 / (n * epsilon**2 * h**2)),
    (d * h ** (2 * beta), d**2 / (n * h**d * epsilon**2)),
    (K**-2, d * K / (n * (sp.exp(epsilon) - 1) ** 2)),
    (a * h**a, b * h**-b),
]


def assert_is_the_minimum(first, second, variable, result):
    """A bounded search in the logarithm finds the same place and the same value."""
    risk = sp.lambdify(variable, (first + second).subs(AT), "numpy")
    place, value = (float(x.subs(AT)) for x in (result.argument, result.value))
    found = minimize_scalar(
        lambda u: np.log(float(risk(np.exp(u)))),
        bounds=(-40, 40),
        method="bounded",
        options={"xatol": 1e-10},
    )
    # An optimum is found to the root of the machine precision only; its value in full.
    assert np.log(place) == pytest.approx(found.x, abs=1e-6)
    assert np.log(value) == pytest.approx(found.fun, abs=1e-12)
    assert float(risk(place)) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("seed", range(25))
def test_random_monomials_against_an_optimiser(seed):
    rng = np.random.default_rng(seed)
    coefficients = rng.integers(1, 50, size=(2, 2))
    powers = rng.integers(1, 8, size=(2, 2))
    first, second = (
        sp.Rational(*map(int, c)) * K ** (sign * sp.Rational(*map(int, p)))
        for c, p, sign in zip(coefficients, powers, (1, -1), strict=True)
    )
    assert_is_the_minimum(first, second, K, balance(first, second, K))


@pytest.mark.parametrize("seed", range(10))
def test_random_floats_against_an_optimiser(seed):
    c1, c2, p1, p2 = map(float, np.random.default_rng(seed).uniform(0.1, 5, 4))
    assert_is_the_minimum(c1 * K**p1, c2 * K**-p2, K, balance(c1 * K**p1, c2 * K**-p2, K))


@pytest.mark.parametrize(("first", "second"), SYMBOLIC)
def test_symbols_against_an_optimiser(first, second):
    variable = h if h in first.free_symbols else K
    assert_is_the_minimum(first, second, variable, balance(first, second, variable))


@pytest.mark.parametrize(("first", "second"), SYMBOLIC)
def test_the_order_of_the_terms_is_irrelevant(first, second):
    variable = h if h in first.free_symbols else K
    one, other = balance(first, second, variable), balance(second, first, variable)
    for x, y in ((one.argument, other.argument), (one.value, other.value)):
        assert float((x / y).subs(AT)) == pytest.approx(1, rel=1e-14)


def test_the_private_histogram():
    result = balance(K ** (-2 * beta), K**2 / N, K)
    expected = (beta * N) ** (1 / (2 * beta + 2))
    assert sp.simplify(sp.expand_log(sp.log(result.argument / expected), force=True)) == 0
    assert sp.simplify(exponent(result.argument, N) - 1 / (2 * beta + 2)) == 0
    assert sp.simplify(exponent(result.value, N) + beta / (beta + 1)) == 0


def test_the_classical_density_rate():
    result = balance(h ** (2 * beta), 1 / (n * h), h)
    assert sp.simplify(exponent(result.value, n) + 2 * beta / (2 * beta + 1)) == 0


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (K**2, K, "first and second must have powers of opposite sign, got 2 and 1"),
        (K**-2, 1 / K, "first and second must have powers of opposite sign, got -2 and -1"),
        (K**2, N, "first and second must have powers of opposite sign, got 2 and 0"),
        (K**a, K**b, "first and second must have powers of opposite sign, got a and b"),
        (K ** (a - b), 1 / K, "first and second must have powers of opposite sign"),
        (K**2 + K, 1 / K, "each term must be a monomial in K"),
        (1 / K, sp.exp(K), "each term must be a monomial in K"),
        (sp.log(K), 1 / K, "each term must be a monomial in K"),
        (-(K**2), -1 / K, "first and second must have positive coefficients, got -1 and -1"),
        (K**2, -N / K, "first and second must have positive coefficients, got 1 and -N"),
    ],
)
def test_refusals(first, second, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        balance(first, second, K)


@pytest.mark.parametrize(
    ("left", "taken"), [(K, False), (1.1e-12, False), (-0.9e-12, True), (sp.Float("1e-13"), True)]
)
def test_a_balance_is_told_only_where_the_derivative_vanishes(left, taken, monkeypatch):
    known = sp.simplify

    def simplify(expression):
        return sp.sympify(left) if expression == 0 else known(expression)

    monkeypatch.setattr(sp, "simplify", simplify)
    if taken:
        assert balance(K**-2, K**2, K).argument == 1
        return
    with pytest.raises(ArithmeticError, match="the derivative at 1 does not simplify to zero"):
        balance(K**-2, K**2, K)


def test_symbols_must_be_positive():
    x = sp.Symbol("x")
    with pytest.raises(ValueError, match="^variable must be declared positive, got x"):
        balance(x**2, 1 / x, x)
    with pytest.raises(ValueError, match="^symbol must be declared positive, got x"):
        exponent(x**2, x)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sp.Integer(3), 0),
        (epsilon, 0),
        (n, 1),
        (7 * n**-beta, -beta),
        (n**2 * n**beta / epsilon, 2 + beta),
        (3 / n + 5 / n**2, -1),
        (1 / n + 1 / (n * epsilon) ** 2, -1),
        (n**beta + n ** (2 * beta), 2 * beta),
        (n**-beta + n ** (-2 * beta), -beta),
        # The price of privacy for a density: of the two rates the slower one stays.
        (
            (n * epsilon**2) ** (-beta / (beta + 1)) + n ** (-2 * beta / (2 * beta + 1)),
            -beta / (beta + 1),
        ),
        (n**-a + n**-b, sp.Max(-a, -b)),
        (sp.sqrt(n + n**2 * epsilon), 1),
        (1 / (n + n**2 * epsilon), -2),
        (n * epsilon / (n + epsilon), 0),  # like min(n, epsilon)
        (n**2 / (n + n**3), -1),
        (sp.Min(1, 1 / n), -1),
        (sp.Max(1, 1 / n), 0),
        (sp.Min(1, 1 / sp.sqrt(n) + 1 / (n * epsilon)), -sp.Rational(1, 2)),
        (sp.log(n) ** 2 / n, -1),
        (n * sp.log(n), 1),
        ((1 - 1 / n) / n, -1),
        (sp.sqrt(n + 1) - sp.sqrt(n), -sp.Rational(1, 2)),  # leading terms that cancel
        (sp.sinh(1 / n) ** 2, -2),
        ((sp.exp(epsilon) - 1) ** 2 / n, -1),
        (sp.exp(n), sp.oo),
        (sp.exp(-n), -sp.oo),
    ],
)
def test_exponents(expression, expected):
    result = exponent(expression, n)
    assert result == expected or sp.simplify(result - expected) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: balance("n", 1 / n, n), "first must be an expression of sympy, got 'n'"),
        (lambda: balance(n, [1], n), "second must be an expression of sympy"),
        (lambda: balance(n, 1 / n, "n"), "variable must be a Symbol, got 'n'"),
        (lambda: exponent("n", n), "expression must be an expression of sympy, got 'n'"),
        (lambda: exponent(n, 3), "symbol must be a Symbol, got 3"),
    ],
)
def test_what_is_not_of_sympy_is_refused(call, message):
    with pytest.raises(TypeError, match=f"^{message}"):
        call()
