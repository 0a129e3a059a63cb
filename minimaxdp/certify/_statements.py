"""What the instruments share: the error for what is not so, and the check of expressions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from minimaxdp import _validate

__all__ = ["Refused", "fraction", "expression", "symbols_of"]


class Refused(ValueError):
    """A statement that is false or cannot be certified, or a certificate that does not verify.

    Attributes
    ----------
    where : object
        A point (by name) where the statement fails, a box on which nothing is decided (the ends by
        name), or None.

    Examples
    --------
    >>> import sympy
    >>> from minimaxdp.certify import inequality
    >>> x = sympy.Symbol("x")
    >>> try:
    ...     inequality(x - 2, {x: (0, 3)})
    ... except Refused as error:
    ...     print(error.where)
    {'x': Fraction(3, 1000)}
    """

    def __init__(self, message: str, where: Any = None) -> None:
        super().__init__(message)
        self.where = where


def fraction(name: str, value: Any) -> Fraction:
    """An exact rational number: an int, a Fraction or a rational of sympy; no float, no bool."""
    if getattr(value, "is_Rational", False) is True:
        value = Fraction(int(value.p), int(value.q))
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise TypeError(f"{name} must be an exact rational number, got {_validate._brief(value)}")
    if max(abs(value.numerator), value.denominator).bit_length() > 4096:
        raise ValueError(f"{name} must have at most 4096 bits")
    return Fraction(value)


def expression(name: str, value: Any) -> Any:
    """A formula of sympy without rounded numbers."""
    import sympy

    if not isinstance(value, sympy.Expr):
        raise TypeError(f"{name} must be an expression of sympy, got {_validate._brief(value)}")
    if value.has(sympy.Float, sympy.nan, sympy.oo, -sympy.oo, sympy.zoo, sympy.I):
        raise ValueError(f"{name} must have exact, finite, real numbers, got {value}")
    return value


def symbols_of(value: Any) -> list[Any]:
    """The variables of a formula by their names."""
    return sorted(value.free_symbols, key=lambda symbol: symbol.name)
