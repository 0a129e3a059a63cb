r"""Inequalities of elementary functions, for all points of a range.

A range is cut into pieces, and on each piece one of three reasons is enough for :math:`f > 0`:

- *value*: the enclosure of f on the piece is positive;
- *slope*: so is :math:`f(m) + f'(I)(I - m)`, with the middle m of the piece I;
- *left* or *right* of order k: at that end of the piece f and its derivatives below the k-th,
  taken away from the end, are at least 0, and the k-th is positive on the whole piece. This is
  what holds where f is 0 at an end, and on pieces that are infinitely long.

A certificate is the list of pieces with their reasons; nothing else that was done to find it is
used to verify it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from minimaxdp import _validate
from minimaxdp.certify._intervals import Interval, Outside, enclosure, interval, precision
from minimaxdp.certify._statements import Refused, expression, fraction, symbols_of

__all__ = ["Inequality", "Piece", "inequality"]

_FINDING, _VERIFYING = 64, 160  # bits
_HIGHEST = 8  # order of the derivatives that are tried
_MOST = 20_000  # pieces or boxes
_REASONS = ("value", "slope", "left", "right")
End = Fraction | float


@dataclass(frozen=True)
class Piece:
    """A part of a range and the reason why the function is positive there.

    Attributes
    ----------
    low, high : Fraction or float
        Its ends; a float only if it is infinite.
    reason : str
        "value", "slope", "left" or "right".
    order : int
        Which derivative is positive; 0 for the first two reasons.

    Examples
    --------
    >>> Piece(Fraction(1), Fraction(2), "value").order
    0
    """

    low: End
    high: End
    reason: str
    order: int = 0

    def __post_init__(self) -> None:
        low, high = _range("low", self.low), _range("high", self.high)
        if not low < high:
            raise ValueError(f"high must be greater than low = {low}, got {high}")
        _validate.choice("reason", self.reason, _REASONS)
        order = _validate.one_integer("order", self.order, minimum=0, maximum=_HIGHEST)
        _validate.freeze(self, low=low, high=high, order=order)


@dataclass(frozen=True)
class Inequality:
    r"""That a function is positive: :math:`f(x) > 0` for all x of an open range or a closed box.

    Attributes
    ----------
    expression : sympy.Expr
    ranges : dict
        Of each variable its two ends, fractions or infinite.
    pieces : tuple
        For one variable pieces from left to right; for several, a tree of boxes: a box whose
        enclosure is positive is ``()``, and one that is halved ``(variable, lower, upper)``.

    Examples
    --------
    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> found = inequality(sympy.exp(x) - 1 - x, {x: (0, sympy.oo)})
    >>> print(found)
    -x + exp(x) - 1 > 0 for all x in (0, oo), on 1 piece
    >>> Inequality(found.expression, found.ranges, found.pieces).verify()
    True
    """

    expression: Any
    ranges: Mapping[Any, tuple[End, End]]
    pieces: tuple[Any, ...]

    def __post_init__(self) -> None:
        ranges = _ranges(expression("expression", self.expression), self.ranges)
        if not isinstance(self.pieces, tuple):
            raise TypeError("pieces must be a tuple")
        if len(ranges) == 1 and not all(isinstance(piece, Piece) for piece in self.pieces):
            raise TypeError("pieces must be of the class Piece for one variable")
        _validate.freeze(self, ranges=ranges)

    @property
    def size(self) -> int:
        """How many pieces or boxes the range is cut into."""
        return len(self.pieces) if len(self.ranges) == 1 else sum(1 for _ in _leaves(self.pieces))

    def verify(self) -> bool:
        """Check the certificate anew; True, or `Refused`."""
        with precision(_VERIFYING):
            if len(self.ranges) > 1:
                _verify_tree(self.expression, dict(self.ranges), self.pieces)
                return True
            ((x, (low, high)),) = self.ranges.items()
            line = _Line(self.expression, x)
            at = low
            for piece in self.pieces:
                if piece.low != at:
                    raise Refused(
                        f"pieces must cover the range, but none begins at {at}", {str(x): at}
                    )
                if at != low and not line.value(at, at).low > 0:
                    raise Refused(
                        f"expression is not shown to be positive at {x} = {at}", {str(x): at}
                    )
                if not line.positive(piece):
                    ends = (piece.low, piece.high)
                    raise Refused(f"pieces must verify, but {piece} does not", {str(x): ends})
                at = piece.high
            if at != high:
                raise Refused(f"pieces must cover the range, but they end at {at}", {str(x): at})
        return True

    def __str__(self) -> str:
        words = [f"{x} in {_shown(ends, len(self.ranges))}" for x, ends in self.ranges.items()]
        kind = "piece" if len(self.ranges) == 1 else "box"
        many = kind if self.size == 1 else f"{kind}{'es' if kind == 'box' else 's'}"
        return f"{self.expression} > 0 for all {', '.join(words)}, on {self.size} {many}"


def inequality(expression: Any, ranges: Mapping[Any, tuple[Any, Any]]) -> Inequality:
    r"""Show that an elementary function is positive on a whole range.

    .. math:: f(x) > 0 \qquad \text{for all } x \in (a, b)

    In one variable the range is open and its ends may be infinite. At a finite end f must still be
    defined, and may vanish there to any order up to 8; at an infinite one it must not tend to 0.
    In several variables the range is a closed bounded box, on which f must be strictly positive.
    How f is written decides how well it is enclosed: clear denominators that vanish, and collect
    the terms that dominate at infinity.

    Parameters
    ----------
    expression : sympy.Expr
        Made of rational numbers, pi, the variables, sums, products, powers, exp, log, sinh, cosh,
        tanh, coth, asinh, atanh, erf, Abs, Max and Min.
    ranges : dict
        For each variable of the expression its two ends: int, Fraction, rational or infinite
        numbers of sympy.

    Returns
    -------
    Inequality
        The certificate, verified.

    Raises
    ------
    TypeError, ValueError
        If the expression is of another kind, is not defined on the range, or a range is empty,
        rounded or, in several variables, not finite.
    Refused
        If the statement is false, with a point where it fails, or cannot be decided, with a box.

    Examples
    --------
    Local privacy: the bias of randomized response is below half the budget, for every budget.

    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> print(inequality(x / 2 - sympy.tanh(x / 2), {x: (0, sympy.oo)}))
    x/2 - tanh(x/2) > 0 for all x in (0, oo), on 2 pieces
    """
    expression_ = _formula(expression)
    found = _ranges(expression_, ranges)
    with precision(_FINDING):
        if len(found) == 1:
            ((x, (low, high)),) = found.items()
            pieces = tuple(_search(_Line(expression_, x), low, high))
        else:
            pieces = _halved(expression_, found, list(found), _Count())
    certificate = Inequality(expression_, found, pieces)
    certificate.verify()
    return certificate


def _formula(value: Any) -> Any:
    return expression("expression", value)


class _Line:
    """A function of one variable with its derivatives."""

    def __init__(self, expression: Any, x: Any) -> None:
        self.x, self.derivatives = x, [expression]

    def derivative(self, k: int) -> Any:
        while len(self.derivatives) <= k:
            self.derivatives.append(self.derivatives[-1].diff(self.x))
        return self.derivatives[k]

    def value(self, low: End, high: End, k: int = 0) -> Interval:
        try:
            return enclosure(self.derivative(k), {self.x: interval(low, high)})
        except TypeError:
            if k == 0:
                raise
            raise Outside("no elementary derivative") from None  # of Abs, Max or Min

    def at_end(self, end: End, k: int) -> int:
        """The sign of a derivative at a point, 0 only if it is exactly that."""
        try:
            value = self.value(end, end, k)
        except Outside:
            return -1
        if value.low > 0 or value.high < 0:
            return 1 if value.low > 0 else -1
        import sympy

        there = sympy.Rational(end.numerator, end.denominator)  # type: ignore[union-attr]
        return 0 if sympy.simplify(self.derivative(k).subs(self.x, there)) == 0 else -1

    def positive(self, piece: Piece) -> bool:
        """Whether the reason of a piece holds."""
        try:
            return self._positive(piece.low, piece.high, piece.reason, piece.order)
        except Outside:
            return False

    def _positive(self, low: End, high: End, reason: str, order: int) -> bool:
        if reason == "value":
            return bool(self.value(low, high).low > 0)
        if reason == "slope":
            middle = _middle(low, high)
            width = interval(low, high) - interval(middle, middle)
            return bool((self.value(middle, middle) + self.value(low, high, 1) * width).low > 0)
        end = low if reason == "left" else high
        if isinstance(end, float):
            return False
        turn = [1 if reason == "left" or k % 2 == 0 else -1 for k in range(order + 1)]
        highest = self.value(low, high, order)
        above = highest.low > 0 if turn[order] == 1 else highest.high < 0
        return bool(above) and all(
            (sign := self.at_end(end, k)) == 0 or sign == turn[k] for k in range(order)
        )


def _search(line: _Line, low: End, high: End) -> Iterator[Piece]:
    """Pieces that cover the range, from left to right."""
    inner_low, first = _end_piece(line, low, high, "left")
    inner_high, last = _end_piece(line, high, low, "right")
    if first and last and inner_low >= inner_high:
        # One of the two ends may reach all the way; otherwise they meet in the middle.
        if first.high == high:
            yield first
            return
        if last.low == low:
            yield last
            return
        inner_low = inner_high = _middle(max(low, last.low), min(high, first.high))
        first, last = (
            Piece(low, inner_low, first.reason, first.order),
            Piece(inner_low, high, last.reason, last.order),
        )
    if first:
        yield first
    if inner_low < inner_high:
        yield from _bisected(line, inner_low, inner_high)
    if last:
        yield last


def _end_piece(line: _Line, end: End, other: End, side: str) -> tuple[End, Piece | None]:
    """Where the piece at an end of the range stops, and the piece, if that end needs one."""
    for step in range(60):
        if isinstance(end, float):
            start = Fraction(0) if isinstance(other, float) else Fraction(other)
            stop: End = start + (
                Fraction(2) ** (step - 2) if end > 0 else -(Fraction(2) ** (step - 2))
            )
            if step > 40:
                break
        elif isinstance(other, float):
            stop = Fraction(end) + (1 if other > 0 else -1) * Fraction(2) ** (3 - step)
            stop = other if step == 0 else stop
        else:
            stop = Fraction(end) + (Fraction(other) - Fraction(end)) / 2**step
        low, high = (end, stop) if side == "left" else (stop, end)
        # At an infinite end the derivatives are known at the other end of the piece.
        near = side if not isinstance(end, float) else "left" if side == "right" else "right"
        if isinstance(end, float):
            _refute(line, stop)
        elif step == 0 and line.at_end(end, 0) == 1:
            return end, None
        for order in range(_HIGHEST + 1):
            reason = "value" if order == 0 else near
            piece = Piece(low, high, reason, order)
            if line.positive(piece):
                return stop, piece
            if isinstance(end, float) and line.at_end(stop, order) == -1:
                break
    where = {str(line.x): (end, other)}
    if not isinstance(end, float):
        _refute(line, (Fraction(end) * 999 + _finite(other, end)) / 1000)
        return end, None
    raise Refused(f"expression is not decided on the ranges near {line.x} = {_named(end)}", where)


def _finite(other: End, end: End) -> Fraction:
    if isinstance(other, float):
        return Fraction(end) + (1 if other > 0 else -1)
    return Fraction(other)


def _bisected(line: _Line, low: End, high: End) -> Iterator[Piece]:
    waiting, used = [(low, high)], 0
    while waiting:
        low, high = waiting.pop()
        used += 1
        if used > _MOST or high - low < Fraction(1, 2**60):
            box = {str(line.x): (low, high)}
            raise Refused(
                f"expression is not decided on the ranges for {line.x} from {low} to {high}", box
            )
        reasons = ("value", "slope")
        piece = next((p for r in reasons if line.positive(p := Piece(low, high, r))), None)
        if piece:
            yield piece
        else:
            middle = _middle(low, high)
            _refute(line, middle)
            waiting += [(middle, high), (low, middle)]


def _refute(line: _Line, point: End) -> None:
    """Refuse the statement if it fails at a point."""
    name = str(line.x)
    try:
        value = line.value(point, point)
    except Outside as error:
        raise ValueError(
            f"expression must be defined on the range, but at {name} = {point} it has {error}"
        ) from None
    if value.high <= 0 or (value.low <= 0 and line.at_end(point, 0) == 0):
        raise Refused(
            f"expression is not positive on the ranges: at {name} = {point} it is "
            f"{float(value.low):.6g}",
            {name: point},
        )


# --- several variables ----------------------------------------------------------------------------


class _Count:
    def __init__(self) -> None:
        self.boxes = 0


def _halved(
    expression: Any, box: dict[Any, Any], axes: list[Any], count: _Count
) -> tuple[Any, ...]:
    count.boxes += 1
    ends = {str(x): range_ for x, range_ in box.items()}
    if count.boxes > _MOST:
        raise Refused(f"expression is not decided on the ranges {ends}", ends)
    try:
        if enclosure(expression, {x: interval(*box[x]) for x in box}).low > 0:
            return ()
    except Outside:
        pass
    middle = {x: _middle(*box[x]) for x in box}
    point = {str(x): at for x, at in middle.items()}
    try:
        value = enclosure(expression, {x: interval(at, at) for x, at in middle.items()})
    except Outside as error:
        raise ValueError(
            f"expression must be defined on the box, but at {point} it has {error}"
        ) from None
    if value.high <= 0:
        raise Refused(f"expression is not positive on the ranges: at {point} it is not", point)
    widest = max(axes, key=lambda x: box[x][1] - box[x][0])
    if box[widest][1] - box[widest][0] < Fraction(1, 2**50):
        raise Refused(f"expression is not decided on the ranges {ends}", ends)
    halves = [
        _halved(expression, box | {widest: half}, axes, count)
        for half in ((box[widest][0], middle[widest]), (middle[widest], box[widest][1]))
    ]
    return (widest, *halves)


def _verify_tree(expression: Any, box: dict[Any, Any], tree: Any) -> None:
    ends = {str(x): range_ for x, range_ in box.items()}
    if tree == ():
        try:
            if enclosure(expression, {x: interval(*box[x]) for x in box}).low > 0:
                return
        except Outside:
            pass
        raise Refused(f"pieces must verify, but the box {ends} does not", ends)
    if not isinstance(tree, tuple) or len(tree) != 3 or tree[0] not in box:
        raise Refused(f"pieces must be a tree of boxes, got {tree!r}", ends)
    x, lower, upper = tree
    middle = _middle(*box[x])
    _verify_tree(expression, box | {x: (box[x][0], middle)}, lower)
    _verify_tree(expression, box | {x: (middle, box[x][1])}, upper)


def _leaves(tree: Any) -> Iterator[Any]:
    if tree == ():
        yield tree
    else:
        for half in tree[1:]:
            yield from _leaves(half)


# --- ranges ---------------------------------------------------------------------------------------


def _ranges(expression: Any, ranges: Any) -> dict[Any, tuple[End, End]]:
    found = {}
    for x, ends in _validate.mapping("ranges", ranges).items():
        if getattr(x, "is_Symbol", False) is not True:
            raise TypeError(f"ranges must name symbols of sympy, got {_validate._brief(x)}")
        if not isinstance(ends, tuple | list) or len(ends) != 2:
            raise TypeError(f"ranges must give two ends for {x}, got {_validate._brief(ends)}")
        low, high = (_range(f"ranges[{x}]", end) for end in ends)
        if not low < high:
            raise ValueError(f"ranges must not be empty, got {low} to {high} for {x}")
        found[x] = low, high
    if not found or set(found) != set(symbols_of(expression)):
        raise ValueError(
            f"ranges must be given for the variables of the expression, "
            f"{symbols_of(expression)}, got {list(found)}"
        )
    if len(found) > 1 and any(isinstance(end, float) for ends in found.values() for end in ends):
        raise ValueError("ranges must be finite in several variables")
    return found


def _range(name: str, value: Any) -> End:
    """An end of a range: a fraction, or an infinity as a float."""
    if getattr(value, "is_infinite", False) is True and getattr(value, "is_extended_real", False):
        return inf if value.is_extended_positive else -inf
    if isinstance(value, float) and value in (inf, -inf):
        return value
    return fraction(name, value)


def _middle(low: End, high: End) -> Fraction:
    return (Fraction(low) + Fraction(high)) / 2


def _named(end: End) -> str:
    return ("oo" if end > 0 else "-oo") if isinstance(end, float) else str(end)


def _shown(ends: tuple[End, End], variables: int) -> str:
    left, right = "()" if variables == 1 else "[]"
    return f"{left}{_named(ends[0])}, {_named(ends[1])}{right}"
