r"""Linear programmes with exact optimal values.

A solution and its multipliers are found in floating point. Which variables are positive and which
constraints are tight says where the optimum is, and two systems of linear equations, solved in
rational numbers, say what it is. The certificate is that pair of vectors: both feasible, with one
and the same value, which proves both optimal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from minimaxdp import _validate
from minimaxdp.certify._statements import Refused, fraction

__all__ = ["Optimum", "optimum"]

Row = tuple[tuple[int, Fraction], ...]  # the entries of a row that are not zero, by column
_MOST = 2**20  # entries of a programme
_TOLERANCES = (1e-9, 1e-7, 1e-6, 1e-5)


@dataclass(frozen=True)
class Optimum:
    r"""The exact least value of a linear programme, with its proof.

    .. math:: \min c^\top x \quad\text{subject to}\quad A x \le b,\; E x = f,\; x_j \ge 0
              \text{ unless } j \text{ is free}

    is proved by a feasible `primal` and multipliers :math:`\lambda \ge 0, \mu` (`dual`) with
    :math:`c + A^\top \lambda - E^\top \mu \ge 0` (equal to 0 at free variables) and
    :math:`c^\top x = f^\top \mu - b^\top \lambda`.

    Attributes
    ----------
    cost : sequence of Fraction
    at_most, equal : pair
        Rows and right sides, as for :func:`optimum`.
    free : tuple of int
    primal, dual : sequence of Fraction
        The dual holds first the multipliers of `at_most`, then those of `equal`.

    Examples
    --------
    >>> Optimum([1, 1], ([[-1, -2]], [-1]), ([], []), (), [0, "1/2"], [0])
    Traceback (most recent call last):
        ...
    TypeError: primal must be an exact rational number, got '1/2'
    >>> half = Fraction(1, 2)
    >>> found = Optimum([1, 1], ([[-1, -2]], [-1]), ([], []), (), [0, half], [half])
    >>> found.verify(), found.value
    (True, Fraction(1, 2))
    """

    cost: Any
    at_most: Any
    equal: Any
    free: Any
    primal: Any
    dual: Any
    _rows: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        cost = _vector("cost", self.cost)
        (a, b), (e, f) = (
            _system(name, system, len(cost))
            for name, system in (("at_most", self.at_most), ("equal", self.equal))
        )
        free = _indices(self.free, len(cost))
        primal, dual = _vector("primal", self.primal), _vector("dual", self.dual)
        for name, found, wanted in (
            ("primal", primal, len(cost)),
            ("dual", dual, len(b) + len(f)),
        ):
            if len(found) != wanted:
                raise ValueError(f"{name} must have {wanted} entries, got {len(found)}")
        _validate.freeze(self, cost=cost, free=free, primal=primal, dual=dual, _rows=(a, b, e, f))

    @property
    def value(self) -> Fraction:
        """The least value."""
        return sum((c * x for c, x in zip(self.cost, self.primal, strict=True) if x), Fraction(0))

    @property
    def rows_of_equal(self) -> tuple[Row, ...]:
        """The rows of `equal`, each by its entries that are not zero: (column, entry)."""
        return tuple(self._rows[2])

    @property
    def size(self) -> int:
        """Variables and constraints together."""
        return len(self.primal) + len(self.dual)

    def verify(self) -> bool:
        """Check both vectors in fractions; True, or `Refused`."""
        a, b, e, f = self._rows
        for j, x in enumerate(self.primal):
            if x < 0 and j not in self.free:
                raise Refused(f"primal must not be negative, but is at {j}: {x}", {"variable": j})
        for rows, sides, equal in ((a, b, False), (e, f, True)):
            for i, (row, side) in enumerate(zip(rows, sides, strict=True)):
                left = sum((v * self.primal[j] for j, v in row), Fraction(0))
                if left > side or (equal and left != side):
                    kind = "equal" if equal else "at_most"
                    raise Refused(f"primal violates row {i} of {kind}", {kind: i})
        slope, bound = list(self.cost), Fraction(0)
        for i, y in enumerate(self.dual):
            inequality = i < len(b)
            if inequality and y < 0:
                raise Refused(f"dual must be at least 0 at {i}, got {y}", {"multiplier": i})
            row = a[i] if inequality else e[i - len(b)]
            sign = 1 if inequality else -1
            bound -= sign * y * (b[i] if inequality else f[i - len(b)])
            for j, v in row:
                slope[j] += sign * y * v
        for j, s in enumerate(slope):
            if s < 0 or (s > 0 and j in self.free):
                raise Refused(f"dual leaves a gain at variable {j}: {s}", {"variable": j})
        if self.value != bound:
            gap = {"solution": self.value, "bound": bound}
            raise Refused(f"primal has the value {self.value}, but dual the bound {bound}", gap)
        return True

    def __str__(self) -> str:
        return (
            f"least value {self.value}, by a solution with {len(self.primal)} entries and "
            f"{len(self.dual)} multipliers"
        )


def optimum(
    cost: Sequence[Any],
    at_most: tuple[Any, Any] = ((), ()),
    equal: tuple[Any, Any] = ((), ()),
    free: Sequence[int] = (),
    *,
    value: Any = None,
) -> Optimum:
    r"""Solve a linear programme exactly.

    .. math:: \min c^\top x \quad\text{subject to}\quad A x \le b,\; E x = f,\; x_j \ge 0
              \text{ unless } j \text{ is free}

    Parameters
    ----------
    cost : sequence of rational numbers, shape (variables,)
        int, Fraction or rationals of sympy; nothing rounded.
    at_most, equal : pair (rows, sides)
        The matrix A with b, and E with f; rows are sequences as long as the cost, or dicts from
        columns to entries.
    free : sequence of int
        Variables that may be negative.
    value : rational number, optional
        A claim about the least value, refused unless it is exactly that.

    Returns
    -------
    Optimum
        The certificate, verified.

    Raises
    ------
    TypeError, ValueError
        If shapes do not fit or a number is not exact, or no point is feasible, or the value has no
        lower bound.
    Refused
        If `value` is claimed and wrong, or no exact solution was found.

    Examples
    --------
    A report about one bit, private with odds of at most 3, is wrong with probability 1/4 at least:

    >>> rows = [[1, 0, -3, 0], [-3, 0, 1, 0], [0, 1, 0, -3], [0, -3, 0, 1]]
    >>> sums = [[1, 1, 0, 0], [0, 0, 1, 1]]
    >>> half = Fraction(1, 2)
    >>> print(optimum([0, half, half, 0], (rows, [0, 0, 0, 0]), (sums, [1, 1])))
    least value 1/4, by a solution with 4 entries and 6 multipliers
    """
    costs = _vector("cost", cost)
    a, b = _system("at_most", at_most, len(costs))
    e, f = _system("equal", equal, len(costs))
    free_ = _indices(free, len(costs))
    claimed = None if value is None else fraction("value", value)
    found = linprog(
        [float(c) for c in costs],
        A_ub=_floats(a, len(costs)),
        b_ub=[float(x) for x in b] or None,
        A_eq=_floats(e, len(costs)),
        b_eq=[float(x) for x in f] or None,
        bounds=[(None, None) if j in free_ else (0, None) for j in range(len(costs))],
        method="highs-ds",
    )
    if found.status == 2:
        raise ValueError("equal and at_most must have a common solution, but they have none")
    if found.status == 3:
        raise ValueError("cost must be bounded from below on the solutions, but it is not")
    if found.status != 0:
        raise Refused(f"cost, at_most and equal were not solved: {found.message}")
    slacks = found.ineqlin.residual if b else np.empty(0)
    multipliers = np.concatenate(
        [-found.ineqlin.marginals if b else [], found.eqlin.marginals if f else []]
    )
    gains = np.asarray(found.lower.marginals)
    for tolerance in _TOLERANCES:
        exact = _primal(found.x, slacks, (a, b, e, f), free_, tolerance)
        dual = _dual(multipliers, gains, (a, b, e, f), costs, free_, tolerance)
        if exact is None or dual is None:
            continue
        certificate = Optimum(costs, at_most, equal, free_, exact, dual)
        try:
            certificate.verify()
        except Refused:
            continue
        if claimed is not None and claimed != certificate.value:
            raise Refused(
                f"value is not the least value, which is {certificate.value}, got {claimed}",
                {"solution": certificate.primal, "multipliers": certificate.dual},
            )
        return certificate
    raise Refused("cost, at_most and equal have no exact solution near the floating-point one")


def _primal(
    x: Any, slacks: Any, rows: Any, free: frozenset[int], tolerance: float
) -> list[Fraction] | None:
    a, b, e, f = rows
    support = [j for j in range(len(x)) if x[j] > tolerance or j in free]
    tight = [i for i in range(len(b)) if slacks[i] < tolerance]
    system = [(a[i], b[i]) for i in tight] + list(zip(e, f, strict=True))
    found = _solved(system, support, lambda j: Fraction(float(x[j])).limit_denominator(10**6))
    if found is None:
        return None
    return [found.get(j, Fraction(0)) for j in range(len(x))]


def _dual(
    y: Any, gains: Any, rows: Any, cost: Any, free: frozenset[int], tolerance: float
) -> list[Fraction] | None:
    a, b, e, _ = rows
    support = [i for i in range(len(y)) if i >= len(b) or y[i] > tolerance]
    columns: dict[int, list[tuple[int, Fraction]]] = {j: [] for j in range(len(cost))}
    for i in support:
        for j, v in a[i] if i < len(b) else e[i - len(b)]:
            columns[j].append((i, v if i < len(b) else -v))
    system = [(tuple(columns[j]), -cost[j]) for j in columns if gains[j] < tolerance or j in free]
    found = _solved(system, support, lambda i: Fraction(float(y[i])).limit_denominator(10**6))
    if found is None:
        return None
    return [found.get(i, Fraction(0)) for i in range(len(y))]


def _solved(
    system: list[tuple[Any, Fraction]],
    unknowns: list[int],
    near: Callable[[int], Fraction],
) -> dict[int, Fraction] | None:
    """An exact solution of linear equations; what they leave open is rounded from nearby."""
    from flint import fmpq, fmpq_mat

    place = {j: k for k, j in enumerate(unknowns)}
    width = len(unknowns) + 1
    lines = []
    for row, side in system:
        line = [fmpq(0)] * width
        for j, v in row:
            if j in place:
                line[place[j]] = fmpq(v.numerator, v.denominator)
        line[-1] = fmpq(side.numerator, side.denominator)
        if any(line):
            lines.append(line)
    if not unknowns:
        return None if lines else {}
    reduced: list[list[Any]] = []
    if lines:
        matrix, rank = fmpq_mat(len(lines), width, [v for line in lines for v in line]).rref()
        reduced = matrix.tolist()[:rank]
    pivots = [next(k for k, v in enumerate(line) if v != 0) for line in reduced]
    if width - 1 in pivots:
        return None
    found = {k: near(j) for k, j in enumerate(unknowns) if k not in set(pivots)}
    for pivot, line in zip(pivots, reduced, strict=True):
        exact = _plain(line[-1]) - sum(
            (_plain(line[k]) * v for k, v in found.items() if line[k] != 0 and k not in pivots),
            Fraction(0),
        )
        found[pivot] = exact
    return {j: found[k] for j, k in place.items()}


def _plain(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _floats(rows: list[Row], columns: int) -> Any:
    if not rows:
        return None
    entries = [(float(v), i, j) for i, row in enumerate(rows) for j, v in row]
    values, i, j = zip(*entries, strict=True) if entries else ((), (), ())
    return sparse.csr_array((values, (i, j)), shape=(len(rows), columns))


def _vector(name: str, values: Any) -> tuple[Fraction, ...]:
    return tuple(fraction(name, value) for value in _validate.items(name, values))


def _system(name: str, system: Any, columns: int) -> tuple[list[Row], tuple[Fraction, ...]]:
    if not isinstance(system, tuple | list) or len(system) != 2:
        raise TypeError(f"{name} must be a pair of rows and right sides")
    sides = _vector(name, system[1])
    rows = _validate.items(name, system[0])
    if len(rows) != len(sides):
        raise ValueError(f"{name} must have one side for each row, got {len(rows)}, {len(sides)}")
    found = []
    for row in rows:
        if isinstance(row, dict):
            entries = list(row.items())
            if not all(type(j) is int and 0 <= j < columns for j, _ in entries):
                raise ValueError(f"{name} must have columns 0 to {columns - 1}, got {list(row)}")
        else:
            entries = list(enumerate(_validate.items(name, row)))
            if len(entries) != columns:
                raise ValueError(
                    f"{name} must have rows as long as cost, {columns}, got {len(entries)}"
                )
        found.append(tuple((j, v) for j, v in ((j, fraction(name, v)) for j, v in entries) if v))
    if sum(map(len, found)) > _MOST:
        raise ValueError(f"{name} must have at most {_MOST} entries")
    return found, sides


def _indices(free: Any, columns: int) -> frozenset[int]:
    found = _validate.items("free", free)
    if not all(type(j) is int for j in found):
        raise TypeError(f"free must be integers, got {found}")
    if not all(0 <= j < columns for j in found):
        raise ValueError(f"free must name variables 0 to {columns - 1}, got {found}")
    return frozenset(found)
