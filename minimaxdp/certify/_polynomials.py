r"""Lower bounds on polynomials, between all points of an interval, by Bernstein coefficients.

.. math:: \sum_{x = 0}^n c_x \binom nx \theta^x (1 - \theta)^{n - x}

is the mean of c at a binomial count. On [0, 1] it is at least the smallest coefficient. On a part
of [0, 1] it has coefficients of its own, which de Casteljau's algorithm finds, and they tend to its
values as the part gets short. A probability of a released count, such as a coverage, is of this
form, with the probabilities given the count as coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from minimaxdp import _validate
from minimaxdp.certify._statements import Refused, fraction

__all__ = ["PolynomialBound", "polynomial_bound"]

_MOST = 4_096  # parts
_DEGREE = 200


@dataclass(frozen=True)
class PolynomialBound:
    r"""That a polynomial is at least v on [a, b].

    .. math:: \sum_x c_x \binom nx \theta^x (1 - \theta)^{n - x} \ge v

    Attributes
    ----------
    coefficients : sequence of Fraction
        c, from x = 0 to n.
    bound : Fraction
        v.
    cuts : sequence of Fraction
        From a to b: between two neighbours all coefficients are at least v.

    Examples
    --------
    >>> PolynomialBound([1, 0, 1], Fraction(1, 2), [0, Fraction(1, 2), 1]).verify()
    True
    """

    coefficients: Any
    bound: Any
    cuts: Any

    def __post_init__(self) -> None:
        coefficients = _coefficients(self.coefficients)
        cuts = tuple(fraction("cuts", c) for c in _validate.items("cuts", self.cuts))
        if len(cuts) < 2 or any(x >= y for x, y in zip(cuts, cuts[1:], strict=False)):
            raise ValueError("cuts must rise, and be at least two")
        _inside("cuts", cuts[0], cuts[-1])
        bound = fraction("bound", self.bound)
        _validate.freeze(self, coefficients=coefficients, cuts=cuts, bound=bound)

    @property
    def size(self) -> int:
        """How many parts the interval is cut into."""
        return len(self.cuts) - 1

    def verify(self) -> bool:
        """Compute the coefficients on every part anew, in fractions; True, or `Refused`."""
        for low, high in zip(self.cuts, self.cuts[1:], strict=False):
            _, right = _split(list(self.coefficients), low)
            share = (high - low) / (1 - low)
            left, _ = _split(right, share)
            if min(left) < self.bound:
                raise Refused(
                    f"bound is not shown by the coefficients and cuts from {low} to {high}",
                    {"theta": (low, high)},
                )
        return True

    def __str__(self) -> str:
        return (
            f"at least {self.bound} for all theta in [{self.cuts[0]}, {self.cuts[-1]}], on "
            f"{self.size} parts"
        )


def polynomial_bound(
    coefficients: Sequence[Any], bound: Any, low: Any = 0, high: Any = 1
) -> PolynomialBound:
    r"""Show that a polynomial stays above a level on a whole interval, exactly.

    .. math:: \sum_{x = 0}^n c_x \binom nx \theta^x (1 - \theta)^{n - x} \ge v
              \qquad \text{for all } \theta \in [a, b]

    Parameters
    ----------
    coefficients : sequence of rational numbers, shape (n + 1,)
        c: for a probability of what is released, its values given the count x.
    bound : rational number
        The level v.
    low, high : rational number
        The interval, within [0, 1].

    Returns
    -------
    PolynomialBound
        The certificate, verified.

    Raises
    ------
    TypeError, ValueError
        If a number is not exact, the interval is empty or not within [0, 1], or the degree exceeds
        200.
    Refused
        If the statement is false, with a theta where it fails, or cannot be decided.

    Examples
    --------
    The chance that two tosses agree is at least a half, whatever the coin:

    >>> print(polynomial_bound([1, 0, 1], Fraction(1, 2)))
    at least 1/2 for all theta in [0, 1], on 2 parts
    """
    c, level = _coefficients(coefficients), fraction("bound", bound)
    low, high = fraction("low", low), fraction("high", high)
    _inside("low and high", low, high)
    _, right = _split(list(c), low)
    whole, _ = _split(right, (high - low) / (1 - low))
    cuts, waiting, tried = [low], [(low, high, whole)], 0
    while waiting:
        a, b, part = waiting.pop()
        tried += 1
        for end, value in ((a, part[0]), (b, part[-1])):
            if value < level:
                raise Refused(
                    f"bound is above the value of coefficients at theta = {end}, "
                    f"{float(value):.6g}",
                    {"theta": end},
                )
        if min(part) >= level:
            cuts.append(b)
        elif tried > _MOST:
            raise Refused(f"bound is not decided from {a} to {b}", {"theta": (a, b)})
        else:
            middle = (a + b) / 2
            left, rest = _split(part, Fraction(1, 2))
            waiting += [(middle, b, rest), (a, middle, left)]
    certificate = PolynomialBound(c, level, cuts)
    certificate.verify()
    return certificate


def _split(c: list[Fraction], t: Fraction) -> tuple[list[Fraction], list[Fraction]]:
    """Coefficients on [0, t] and on [t, 1], by de Casteljau."""
    left, right = [c[0]], [c[-1]]
    while len(c) > 1:
        c = [(1 - t) * x + t * y for x, y in zip(c, c[1:], strict=False)]
        left.append(c[0])
        right.append(c[-1])
    return left, right[::-1]


def _coefficients(values: Any) -> tuple[Fraction, ...]:
    found = tuple(fraction("coefficients", v) for v in _validate.items("coefficients", values))
    if not 1 <= len(found) <= _DEGREE + 1:
        raise ValueError(f"coefficients must be 1 to {_DEGREE + 1} numbers, got {len(found)}")
    return found


def _inside(name: str, low: Fraction, high: Fraction) -> None:
    if not 0 <= low < high <= 1:
        raise ValueError(f"{name} must bound an interval within [0, 1], got {low} and {high}")
