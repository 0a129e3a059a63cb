r"""Rates as symbolic mathematics: bias balanced against variance, with every constant kept.

Nearly every rate in the book comes from one minimisation, a term that grows with a tuning
parameter against one that falls. :func:`balance` solves it in general; :func:`exponent` reads
off the power of n, epsilon or d in the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from numbers import Number

import sympy as sp

from minimaxdp import _validate

__all__ = ["Balance", "balance", "exponent"]


@dataclass(frozen=True)
class Balance:
    """The solution of a bias-variance problem.

    Attributes
    ----------
    argument : sympy.Expr
        The optimal tuning parameter.
    value : sympy.Expr
        The risk at the optimum, constants included.
    """

    argument: sp.Expr
    value: sp.Expr


def balance(first: sp.Expr, second: sp.Expr, variable: sp.Symbol) -> Balance:
    r"""Minimise the sum of a growing and a falling power of a positive variable.

    .. math:: \min_{h > 0} A h^p + B h^{-q}
              \quad\text{at}\quad h^\star = \Big(\frac{q B}{p A}\Big)^{1/(p+q)}

    The two powers may come in either order; coefficients may hold any positive symbols.

    Parameters
    ----------
    first, second : sympy.Expr
        Monomials in `variable`, one with a positive and one with a negative power.
    variable : sympy.Symbol
        The tuning parameter, positive.

    Returns
    -------
    Balance
        The optimum and the least value, simplified. That the derivative vanishes there is
        verified symbolically before it is returned.

    Raises
    ------
    TypeError
        If a term is no expression of sympy, or the variable no symbol.
    ValueError
        If a term is no monomial in the variable, or the two powers do not have opposite signs.

    Notes
    -----
    Used first for Klein's article, number of bins of a private histogram (claim
    ``Klein-hist-K``).

    Examples
    --------
    >>> K, N = sp.symbols("K N", positive=True)
    >>> balance(K**-2, K**2 / N, K)
    Balance(argument=N**(1/4), value=2/sqrt(N))
    """
    first, second = _expression("first", first), _expression("second", second)
    variable = _validate.instance("variable", variable, sp.Symbol)
    a, p = _monomial(first, variable)
    b, q = _monomial(second, variable)
    if not (p * q).is_negative:
        raise ValueError(f"first and second must have powers of opposite sign, got {p} and {q}")
    if a.is_negative or b.is_negative:
        raise ValueError(f"first and second must have positive coefficients, got {a} and {b}")
    argument = sp.powdenest(sp.simplify((-q * b / (p * a)) ** (1 / (p - q))), force=True)
    # The derivative vanishes where growth and fall are equal; their log-ratio is linear in the
    # logarithms of all symbols, so that it simplifies also where a power is symbolic.
    ratio = (-first.diff(variable) / second.diff(variable)).subs(variable, argument)
    residual = sp.simplify(sp.expand_log(sp.log(ratio), force=True))
    if not (residual.is_number and abs(sp.N(residual)) < 1e-12):  # a float coefficient rounds
        raise ArithmeticError(f"the derivative at {argument} does not simplify to zero")
    total = a * argument**p * (1 - p / q)  # where growth and fall are equal
    return Balance(argument, sp.simplify(sp.powdenest(total, force=True)))


def exponent(expression: sp.Expr, symbol: sp.Symbol) -> sp.Expr:
    r"""The power with which an expression grows in a symbol.

    .. math:: \lim_{s \to \infty} \frac{\mathrm d \ln f(s)}{\mathrm d \ln s}

    Parameters
    ----------
    expression : sympy.Expr
        Positive for large values of the symbol.
    symbol : sympy.Symbol
        A positive symbol.

    Returns
    -------
    sympy.Expr

    Raises
    ------
    TypeError
        If the expression is none of sympy's, or the symbol no symbol.
    ValueError
        If the symbol is not declared positive.

    Examples
    --------
    >>> n = sp.Symbol("n", positive=True)
    >>> exponent(3 / n + 5 / n**2, n)
    -1
    """
    expression = _expression("expression", expression)
    if not _validate.instance("symbol", symbol, sp.Symbol).is_positive:
        raise ValueError(f"symbol must be declared positive, got {symbol}")
    return sp.simplify(_growth(expression, symbol))


def _expression(name: str, value: sp.Expr) -> sp.Expr:
    """An expression or a number; a text would be run as a programme by sympify."""
    if isinstance(value, bool) or not isinstance(value, sp.Expr | Number):
        raise TypeError(f"{name} must be an expression of sympy, got {value!r}")
    return sp.sympify(value)


def _monomial(term: sp.Expr, variable: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """Coefficient and power of c * variable**power."""
    if not variable.is_positive:
        raise ValueError(f"variable must be declared positive, got {variable}")
    logarithm = sp.expand_log(sp.log(term), force=True)
    power = sp.simplify(variable * logarithm.diff(variable))
    coefficient = sp.simplify(term.subs(variable, 1))
    if variable in power.free_symbols:  # a constant elasticity makes a monomial
        raise ValueError(f"each term must be a monomial in {variable}, got {term}")
    return coefficient, power


def _growth(f: sp.Expr, s: sp.Symbol) -> sp.Expr:
    """The exponent by rules where they hold, as sympy's limits err on symbolic powers."""
    if s not in f.free_symbols:
        return sp.S.Zero
    if f == s:
        return sp.S.One
    if f.is_Mul:
        return sp.Add(*(_growth(g, s) for g in f.args))
    if f.is_Pow and s not in f.exp.free_symbols:
        return f.exp * _growth(f.base, s)
    if f.func in (sp.Add, sp.Max, sp.Min) and all(g.is_nonnegative for g in f.args):
        sign = -1 if f.func is sp.Min else 1  # of positive terms the fastest counts
        return sign * reduce(_larger, [sign * _growth(g, s) for g in f.args])
    return sp.limit(sp.simplify(s * sp.diff(sp.log(f), s)), s, sp.oo)


def _larger(x: sp.Expr, y: sp.Expr) -> sp.Expr:
    gap = sp.factor(sp.simplify(x - y))
    if gap.is_nonnegative:
        return x
    return y if gap.is_nonpositive else sp.Max(x, y)
