"""What the instruments share: the error for what is not so, and the check of expressions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from minimaxdp import _validate

__all__ = ["Certified", "Refused", "fraction", "expression", "symbols_of"]


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


@dataclass(frozen=True)
class Certified:
    """A statement about a whole range, with the certificates that prove it.

    Attributes
    ----------
    words : str
        What is proved.
    claims : tuple of str
        The statements of the book that it belongs to, by their names in the ledger.
    parts : dict
        By what each of them says, the certificates; their ranges may be infinite.

    Examples
    --------
    >>> import sympy
    >>> from minimaxdp.certify import inequality
    >>> x = sympy.Symbol("x")
    >>> bound = inequality(sympy.exp(x) - 1 - x, {x: (0, sympy.oo)})
    >>> print(Certified("for all x: exp(x) > 1 + x", ("Tang-lemma",), {"tangent": bound}))
    certified for all x: exp(x) > 1 + x; 1 certificate, 1 piece
    """

    words: str
    claims: tuple[str, ...]
    parts: dict[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.words, str):
            raise TypeError(f"words must be a text, got {self.words!r}")
        claims = tuple(_validate.items("claims", self.claims))
        if not all(isinstance(name, str) for name in claims):
            raise TypeError("claims must be names of the ledger")
        for name, part in _validate.mapping("parts", self.parts).items():
            if not callable(getattr(part, "verify", None)):
                raise TypeError(f"parts must be certificates, got {part!r} for {name!r}")
        _validate.freeze(self, claims=claims)

    @property
    def size(self) -> int:
        """Pieces, equations and parts of all certificates together."""
        return sum(getattr(part, "size", 1) for part in self.parts.values())

    def verify(self) -> bool:
        """Verify every certificate anew; True, or :class:`Refused`."""
        return all(part.verify() for part in self.parts.values())

    def __str__(self) -> str:
        many = f"{len(self.parts)} certificate{'s' * (len(self.parts) != 1)}"
        return f"certified {self.words}; {many}, {self.size} piece{'s' * (self.size != 1)}"


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
