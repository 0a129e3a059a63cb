r"""A certificate that tables determine a data set, which no search has to be trusted for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd

from minimaxdp import _validate
from minimaxdp.certify import Optimum, Refused, optimum
from minimaxdp.reconstruction._tables import _Cells, _checked_kinds, count_table

__all__ = ["OnlySolution", "only_solution"]


@dataclass(frozen=True)
class OnlySolution:
    r"""That a data set is the only one with its tables, even among fractions of people.

    Attributes
    ----------
    outside : Optimum
        The largest number of people of kinds that the data set does not have. It is zero, and the
        multipliers show that the tables leave no room for anybody else.
    inverse : tuple of tuple of Fraction
        Of the tables' equations in the kinds that it has, restricted to `cells`: so their numbers
        follow from the tables.
    cells : tuple of int
        As many published cells as there are such kinds.

    Examples
    --------
    >>> kinds = pd.DataFrame({"sex": ["F", "F", "M", "M"], "adult": [True, False] * 2})
    >>> people = kinds.iloc[[0, 0, 2]]
    >>> tables = {name: count_table(people, kinds, [name]) for name in kinds}
    >>> found = only_solution(tables, kinds, people)
    >>> OnlySolution(found.outside, found.inverse, found.cells).verify()
    True
    """

    outside: Optimum
    inverse: tuple[tuple[Fraction, ...], ...]
    cells: tuple[int, ...]

    def __post_init__(self) -> None:
        _validate.instance("outside", self.outside, Optimum)
        rows = self.outside.rows_of_equal
        size = sum(c == 0 for c in self.outside.cost)
        cells = _validate.items("cells", self.cells)
        if not all(type(cell) is int and 0 <= cell < len(rows) for cell in cells):
            raise ValueError(f"cells must number cells from 0 to {len(rows) - 1}, got {cells}")
        inverse = _validate.items("inverse", self.inverse)
        if not all(isinstance(row, tuple) and len(row) == size for row in inverse):
            raise ValueError(f"inverse must be a square matrix of {size} rows")
        if len(inverse) != size or len(cells) != size:
            raise ValueError(f"inverse and cells must have {size} entries")
        if not all(isinstance(v, Fraction) for row in inverse for v in row):
            raise TypeError("inverse must hold fractions")

    @property
    def size(self) -> int:
        """Entries of the programme and rows of the inverse."""
        return self.outside.size + len(self.cells)

    def verify(self) -> bool:
        """Check both parts in fractions; True, or :class:`minimaxdp.certify.Refused`."""
        if self.outside.value != 0:
            raise Refused(f"outside must be zero, got {-self.outside.value}", None)
        self.outside.verify()
        rows = [dict(row) for row in self.outside.rows_of_equal]
        here = [j for j, cost in enumerate(self.outside.cost) if cost == 0]
        for i, weights in enumerate(self.inverse):
            used = [(w, rows[cell]) for w, cell in zip(weights, self.cells, strict=True) if w]
            for k, j in enumerate(here):
                if sum((w * row.get(j, 0) for w, row in used), Fraction(0)) != (i == k):
                    raise Refused("inverse is not one", {"row": i, "column": k})
        return True

    def __str__(self) -> str:
        return f"the only solution, by {len(self.outside.dual)} multipliers and an inverse"


def only_solution(
    tables: Mapping[str, pd.Series], kinds: pd.DataFrame, people: pd.DataFrame
) -> OnlySolution:
    r"""Show that a data set is the only one which agrees with published tables.

    .. math:: A z = A x, \; z \ge 0 \qquad\Longrightarrow\qquad z = x

    for the numbers x of people of each kind, for all real z and so for all whole ones.

    Parameters
    ----------
    tables : mapping of str to Series
        Counts, as for :func:`solutions`.
    kinds : DataFrame
        One row for each kind of person that there might be.
    people : DataFrame
        One row for each person, with the columns of `kinds`.

    Returns
    -------
    OnlySolution
        The certificate, verified.

    Raises
    ------
    TypeError, ValueError
        If `people` do not agree with the tables, or a table is none.
    Refused
        If another data set in whole numbers or in fractions agrees with the tables.

    Examples
    --------
    >>> kinds = pd.DataFrame({"sex": ["F", "F", "M", "M"], "adult": [True, False] * 2})
    >>> people = kinds.iloc[[0, 0, 2]]
    >>> tables = {name: count_table(people, kinds, [name]) for name in kinds}
    >>> print(only_solution(tables, kinds, people))
    the only solution, by 4 multipliers and an inverse
    """
    from flint import fmpq_mat

    kinds = _checked_kinds(kinds)
    cells = _Cells.of(tables, kinds, whole=True)
    counts = count_table(people, kinds, list(kinds.columns)).to_numpy()
    if not np.array_equal(cells.sums(counts), cells.counts):
        raise ValueError("people must agree with the tables")
    matrix = cells.matrix.toarray().astype(int)
    rows = [{int(j): 1 for j in np.flatnonzero(row)} for row in matrix]
    cost = [-int(count == 0) for count in counts]
    outside = optimum(cost, equal=(rows, cells.counts.tolist()))
    if outside.value != 0:
        raise Refused(
            f"people are not the only solution of the tables: {-outside.value} of them could be "
            "of other kinds",
            {"counts": outside.primal},
        )
    here = np.flatnonzero(counts)
    if not len(here):
        return OnlySolution(outside, (), ())
    part = matrix[:, here]
    reduced, rank = fmpq_mat(len(here), len(part), part.T.ravel().tolist()).rref()
    if rank < len(here):
        raise Refused("people are not the only solution of the tables: their kinds can be traded")
    chosen = [next(j for j in range(len(part)) if reduced[i, j] != 0) for i in range(rank)]
    inverse = fmpq_mat(rank, rank, part[chosen].ravel().tolist()).inv()
    found = OnlySolution(
        outside,
        tuple(tuple(Fraction(int(v.p), int(v.q)) for v in row) for row in inverse.tolist()),
        tuple(chosen),
    )
    found.verify()
    return found
