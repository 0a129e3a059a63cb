"""Intervals that enclose the values of an elementary function, with ends rounded outward.

Ends are exact numbers of python-flint, or infinite. A number times an infinite end is a limit, so
that zero times infinity is zero. What lies outside the domain of a function raises `Outside`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce
from math import inf
from operator import methodcaller
from typing import Any

__all__ = ["Interval", "Outside", "enclosure", "interval", "precision"]

End = Any  # an exact ball of flint, or a float that is infinite


class Outside(Exception):
    """A function is asked for values outside its domain."""


class Interval:
    """All numbers from low to high."""

    __slots__ = ("high", "low")

    def __init__(self, low: End, high: End) -> None:
        self.low, self.high = low, high

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __add__(self, other: Interval) -> Interval:
        low = -inf if _endless(self.low, other.low) else _down(self.low + other.low)
        high = inf if _endless(self.high, other.high) else _up(self.high + other.high)
        return Interval(low, high)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        ends = [_product(x, y) for x in (self.low, self.high) for y in (other.low, other.high)]
        return Interval(_least(map(_down, ends)), _largest(map(_up, ends)))

    def inverse(self) -> Interval:
        if self.low <= 0 <= self.high:
            raise Outside("a division by zero")
        low = _zero() if self.high == inf else _down(1 / self.high)
        return Interval(low, _zero() if self.low == -inf else _up(1 / self.low))

    def power(self, k: int) -> Interval:
        if k < 0:
            return self.power(-k).inverse()
        if k % 2 == 0 and self.low < 0:
            size = _largest([-self.low, self.high])
            nearest = _zero() if self.high >= 0 else -self.high
            return Interval(nearest, size).power(k)
        low = self.low if _endless(self.low) else _down(self.low**k)
        return Interval(low, self.high if _endless(self.high) else _up(self.high**k))

    def rising(self, f: Callable[[Any], Any], below: float, above: float) -> Interval:
        """The image under a rising function with these limits at minus and plus infinity."""
        low = below if _endless(self.low) else _down(f(self.low))
        high = above if _endless(self.high) else _up(f(self.high))
        return Interval(_ball(low), _ball(high))

    def logarithm(self) -> Interval:
        if self.low <= 0:
            raise Outside("a logarithm of what is not positive")
        return self.rising(lambda x: x.log(), -inf, inf)

    def artanh(self) -> Interval:
        if self.low <= -1 or self.high >= 1:
            raise Outside("an artanh outside (-1, 1)")
        return self.rising(lambda x: x.atanh(), -inf, inf)

    def root(self) -> Interval:
        if self.low < 0:
            raise Outside("a root of a negative number")
        return self.rising(lambda x: x.sqrt(), -inf, inf)

    def size(self) -> Interval:
        if self.low >= 0:
            return self
        nearest = _zero() if self.high >= 0 else -self.high
        return Interval(nearest, _largest([-self.low, self.high]))


def precision(bits: int) -> Any:
    """A context in which balls have so many bits."""
    from flint import ctx

    return ctx.workprec(bits)


def interval(low: Fraction | float, high: Fraction | float) -> Interval:
    """The interval between two fractions, or infinite ends."""
    return Interval(
        low if low == -inf else _down(_fraction(low)),
        high if high == inf else _up(_fraction(high)),
    )


def enclosure(expression: Any, values: dict[Any, Interval]) -> Interval:
    """The values of a sympy expression on a box; TypeError for what it cannot be made of."""
    found: dict[Any, Interval] = dict(values)

    def value(part: Any) -> Interval:
        if part not in found:
            found[part] = _applied(part, value)
        return found[part]

    return value(expression)


def _applied(part: Any, value: Callable[[Any], Interval]) -> Interval:
    import sympy

    if part.is_Rational:
        return interval(*[Fraction(int(part.p), int(part.q))] * 2)
    if part is sympy.pi or part is sympy.E:
        from flint import arb

        ball = arb.pi() if part is sympy.pi else arb(1).exp()
        return Interval(_down(ball), _up(ball))
    if part.is_Add:
        return reduce(lambda x, y: x + y, map(value, part.args))
    if part.is_Mul:
        return reduce(lambda x, y: x * y, map(value, part.args))
    if part.is_Pow and not isinstance(part, sympy.exp) and part.base is not sympy.E:
        base, k = part.base, part.exp
        if k.is_Integer:
            return value(base).power(int(k))
        if k == sympy.Rational(1, 2):
            return value(base).root()
        return (value(base).logarithm() * value(k)).rising(lambda x: x.exp(), 0, inf)
    if isinstance(part, sympy.Max | sympy.Min):
        found, largest = [value(a) for a in part.args], isinstance(part, sympy.Max)
        pick = _largest if largest else _least
        return Interval(pick(i.low for i in found), pick(i.high for i in found))
    argument = value(part.exp if part.is_Pow else part.args[0]) if part.args else None
    if argument is None:
        raise TypeError(f"expression must be made of numbers and its variables, got {part}")
    if part.is_Pow or isinstance(part, sympy.exp):
        return argument.rising(lambda x: x.exp(), 0, inf)
    if isinstance(part, sympy.log):
        return argument.logarithm()
    if isinstance(part, sympy.atanh):
        return argument.artanh()
    if isinstance(part, sympy.Abs):
        return argument.size()
    if isinstance(part, sympy.cosh):
        return argument.size().rising(lambda x: x.cosh(), 0, inf)
    if isinstance(part, sympy.coth):
        return argument.rising(lambda x: x.tanh(), -1, 1).inverse()
    limits = {"sinh": (-inf, inf), "tanh": (-1, 1), "asinh": (-inf, inf), "erf": (-1, 1)}
    name = part.func.__name__
    if name in limits and part.func is getattr(sympy, name):
        return argument.rising(methodcaller(name), *limits[name])
    raise TypeError(f"expression must be made of elementary functions, got {name}")


def _fraction(value: Any) -> Any:
    from flint import arb, fmpq

    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


def _zero() -> Any:
    from flint import arb

    return arb(0)


def _endless(*ends: End) -> bool:
    return any(isinstance(end, float) for end in ends)


def _ball(end: Any) -> End:
    from flint import arb

    return arb(end) if isinstance(end, int) else end


def _down(ball: End) -> End:
    if _endless(ball):
        return ball
    low = ball.lower()
    return low if low.is_finite() else -inf


def _up(ball: End) -> End:
    if _endless(ball):
        return ball
    high = ball.upper()
    return high if high.is_finite() else inf


def _product(x: End, y: End) -> End:
    if not _endless(x, y):
        return x * y
    if x == 0 or y == 0:
        return _zero()
    return inf if (x > 0) == (y > 0) else -inf


def _least(ends: Iterable[End]) -> End:
    return reduce(lambda x, y: y if y < x else x, ends)


def _largest(ends: Iterable[End]) -> End:
    return reduce(lambda x, y: y if y > x else x, ends)
