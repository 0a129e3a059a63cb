"""Data sets that agree with published tables of counts.

A *kind* of person is a combination of values, a row of the DataFrame `kinds`; people of one kind
are alike in every table. A table is a Series of counts whose index names columns of `kinds`, as
`count_table` or pandas' `groupby(...).size()` make it. A cell that a table leaves out was not
published and says nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from minimaxdp import _validate

__all__ = ["Solutions", "closest", "count_table", "solutions"]

Counts = NDArray[np.int64]
_MOST_KINDS, _MOST_TABLES, _MOST_PEOPLE = 5_000, 100, 10_000


@dataclass(frozen=True)
class Solutions:
    """The data sets that agree with tables, as `solutions` finds them.

    Parameters
    ----------
    kinds : DataFrame
        The kinds of people.
    counts : ndarray of int, shape (s, kinds)
        How many people of each kind each data set has; all rows are different.
    complete : bool
        Whether these are all. If not, there is at least one more.

    Examples
    --------
    >>> kinds = pd.DataFrame({"sex": ["F", "F", "M", "M"], "adult": [True, False] * 2})
    >>> sex = pd.Series({"F": 1, "M": 1}).rename_axis("sex")
    >>> found = solutions({"sex": sex}, kinds)
    >>> print(found)
    4 data sets agree with the tables
    >>> len(found.people(0))
    2
    """

    kinds: pd.DataFrame
    counts: Counts
    complete: bool

    def __len__(self) -> int:
        return len(self.counts)

    def __str__(self) -> str:
        if not self.complete:
            return f"more than {len(self):,} data sets agree with the tables (the search stopped)"
        if len(self) == 1:
            return "1 data set agrees with the tables"
        return f"{len(self):,} data sets agree with the tables"

    def people(self, which: int = 0) -> pd.DataFrame:
        """One of the data sets, a row for each person.

        Parameters
        ----------
        which : int
            From 0 to the number of data sets less one.

        Returns
        -------
        DataFrame
            With the columns of `kinds`, in their order.

        Raises
        ------
        TypeError, ValueError
            If there is no data set of that number.
        """
        which = _validate.one_integer("which", which, minimum=0, maximum=len(self) - 1)
        return _people(self.kinds, self.counts[which])

    @property
    def certain(self) -> int:
        """How many people are the same in all data sets that agree with the tables.

        Zero unless the list is complete, for nothing is certain then.
        """
        return int(self.counts.min(axis=0).sum()) if self.complete else 0


def count_table(
    people: pd.DataFrame, kinds: pd.DataFrame, columns: Sequence[Hashable]
) -> pd.Series:
    """Count people by some columns, with a zero for each combination that nobody has.

    Parameters
    ----------
    people : DataFrame
        One row for each person; it may be empty.
    kinds : DataFrame
        One row for each kind of person that there might be.
    columns : sequence of column names
        Of both; at least one.

    Returns
    -------
    Series of int
        Indexed by the combinations that occur among the kinds.

    Raises
    ------
    TypeError, ValueError
        If a column is missing in either, or somebody is of no kind.

    Examples
    --------
    >>> kinds = pd.DataFrame({"sex": ["F", "M"]})
    >>> count_table(pd.DataFrame({"sex": ["M", "M"]}), kinds, ["sex"]).tolist()
    [0, 2]
    """
    kinds = _checked_kinds(kinds)
    people = _validate.instance("people", people, pd.DataFrame)
    columns = _validate.items("columns", columns)
    if not columns:
        raise ValueError("columns must name at least one column, got none")
    for name in columns:
        for called, table in (("people", people), ("kinds", kinds)):
            if not isinstance(name, Hashable) or name not in table.columns:
                raise ValueError(f"columns must be columns of {called}, got {name!r}")
    cells = pd.MultiIndex.from_frame(kinds[columns].drop_duplicates())
    own = pd.MultiIndex.from_frame(people[columns])
    place = cells.get_indexer(own)
    if np.any(place < 0):
        raise ValueError(f"people must be of the kinds listed, got {own[place < 0][0]}")
    counts = np.bincount(place, minlength=len(cells))
    index = cells if len(columns) > 1 else cells.get_level_values(0)
    return pd.Series(counts, index=index)


def solutions(
    tables: Mapping[str, pd.Series],
    kinds: pd.DataFrame,
    *,
    limit: int = 1_000,
    most_people: int = 200,
) -> Solutions:
    r"""All data sets that agree with published tables, up to a limit.

    .. math:: \{ x \in \mathbb{Z}_{\ge 0}^{\text{kinds}} : A x = b \}

    where each row of :math:`A` marks the kinds that are counted in one published cell. Two data
    sets are the same if they have equally many people of each kind: who is who is not in them.

    Parameters
    ----------
    tables : mapping of str to Series
        Counts, by the name of their table; the names of the index are columns of `kinds`.
    kinds : DataFrame
        One row for each kind of person that there might be, at most 5000; no two alike.
    limit : int
        Stop once there are more data sets than this, from 1 to 10,000.
    most_people : int
        The most people that the tables may count, from 1 to 10,000.

    Returns
    -------
    Solutions
        If `complete`, the list of all data sets that agree with the tables, and so the one that
        they were made from. If not, `limit` of them.

    Raises
    ------
    TypeError, ValueError
        If a table is no Series of whole numbers, misses a value or names what no kind has; if
        tables contradict each other, count more people than allowed, or leave the number of
        people of some kind open.

    Notes
    -----
    An integer programme (scipy's `milp`) decides whether there is any data set, and again in each
    branch after one that had none; in between, the least and the largest number of people of each
    kind are tightened cell by cell.

    Examples
    --------
    >>> kinds = pd.DataFrame({"sex": ["F", "F", "M", "M"], "adult": [True, False] * 2})
    >>> sex = pd.Series({"F": 2, "M": 1}).rename_axis("sex")
    >>> adult = pd.Series({True: 3, False: 0}).rename_axis("adult")
    >>> found = solutions({"sex": sex, "adult": adult}, kinds)
    >>> print(found)
    1 data set agrees with the tables
    >>> found.counts.tolist()
    [[2, 0, 1, 0]]
    """
    kinds = _checked_kinds(kinds)
    limit = _validate.one_integer("limit", limit, minimum=1, maximum=10_000)
    most = _validate.one_integer("most_people", most_people, minimum=1, maximum=_MOST_PEOPLE)
    cells = _Cells.of(tables, kinds, whole=True)
    cells.refuse_totals(most)
    low = np.zeros(len(kinds), dtype=np.int64)
    high = cells.most()
    if np.any(high < 0):
        kind = kinds.iloc[int(np.argmax(high < 0))].to_dict()
        raise ValueError(
            f"tables must limit the number of people of each kind, but none counts {kind}"
        )
    if _feasible(cells, low, high) is None:
        raise ValueError(
            f"tables[{cells.first_contradiction()!r}] contradicts the tables before it: "
            "no data set has these counts"
        )
    found: list[Counts] = []
    branches, astray = [(low, high)], False
    while branches and len(found) <= limit:
        branch = cells.tightened(*branches.pop())
        # Tightening sees one cell at a time. Where it has missed a contradiction, ask the solver.
        if branch is None or (astray and _feasible(cells, *branch) is None):
            astray = True
            continue
        low, high = branch
        free = np.flatnonzero(high > low)
        if free.size == 0:
            found.append(low)
            astray = False
            continue
        kind = free[np.argmin((high - low)[free])]
        for value in range(low[kind], high[kind] + 1):
            ends = low.copy(), high.copy()
            ends[0][kind] = ends[1][kind] = value
            branches.append(ends)
    return Solutions(kinds, np.array(found[:limit]), len(found) <= limit)


def closest(
    tables: Mapping[str, pd.Series], kinds: pd.DataFrame, *, most_people: int = 200
) -> pd.DataFrame:
    r"""A data set whose tables come closest to the published ones.

    .. math:: \min_{x \in \mathbb{Z}_{\ge 0}^{\text{kinds}}} \lVert A x - b \rVert_1

    For tables that contradict each other, since noise was added to them or people were swapped.
    What it returns is one of the best data sets, and there may be many; nothing says that it is
    near the one that the tables were made from.

    Parameters
    ----------
    tables : mapping of str to Series
        As for :func:`solutions`, but any finite numbers.
    kinds : DataFrame
        One row for each kind of person that there might be, at most 5000; no two alike.
    most_people : int
        The most people of one kind, from 1 to 10,000.

    Returns
    -------
    DataFrame
        A row for each person, with the columns of `kinds`.

    Raises
    ------
    TypeError, ValueError
        If a table is no Series of finite numbers, or names what no kind has.

    Examples
    --------
    >>> kinds = pd.DataFrame({"sex": ["F", "M"]})
    >>> noisy = {"sex": pd.Series({"F": 1.8, "M": -0.7}).rename_axis("sex")}
    >>> closest(noisy, kinds)["sex"].tolist()
    ['F', 'F']
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import eye_array, hstack

    kinds = _checked_kinds(kinds)
    most = _validate.one_integer("most_people", most_people, minimum=1, maximum=_MOST_PEOPLE)
    cells = _Cells.of(tables, kinds, whole=False)
    size = len(cells.counts)
    # Each count misses by a surplus and a deficit, and their sum is made small.
    matrix = hstack([cells.matrix, eye_array(size), -eye_array(size)], format="csr")
    done = milp(
        np.r_[np.zeros(len(kinds)), np.ones(2 * size)],
        constraints=LinearConstraint(matrix, cells.counts, cells.counts),
        bounds=Bounds(0, np.r_[np.full(len(kinds), most), np.full(2 * size, np.inf)]),
        integrality=np.r_[np.ones(len(kinds)), np.zeros(2 * size)],
    )
    if done.x is None:
        raise RuntimeError(f"the integer programme failed: {done.message}")
    return _people(kinds, np.rint(done.x[: len(kinds)]).astype(np.int64))


@dataclass(frozen=True)
class _Cells:
    """The published cells in one row, and in which cell of each table a kind is counted."""

    names: list[str]
    place: NDArray[np.intp]  # (tables, kinds): the cell, or the number of cells if there is none
    counts: NDArray[Any]  # (cells,)
    tables: NDArray[np.intp]  # (cells,): the table of each

    @classmethod
    def of(cls, tables: Mapping[str, pd.Series], kinds: pd.DataFrame, *, whole: bool) -> _Cells:
        tables = _validate.mapping("tables", tables)
        if not 1 <= len(tables) <= _MOST_TABLES:
            raise ValueError(f"tables must hold from 1 to {_MOST_TABLES} tables, got {len(tables)}")
        checked = {n: _checked_table(f"tables[{n!r}]", t, kinds, whole) for n, t in tables.items()}
        size = sum(len(table) for table in checked.values())
        place = np.full((len(checked), len(kinds)), size)
        start = 0
        for row, table in zip(place, checked.values(), strict=True):
            columns = list(table.index.names)
            own = _index(kinds[columns])
            inside = _index(table.index.to_frame()).get_indexer(own)
            row[inside >= 0] = start + inside[inside >= 0]
            start += len(table)
        return cls(
            list(checked),
            place,
            np.concatenate([table.to_numpy() for table in checked.values()]),
            np.repeat(np.arange(len(checked)), [len(table) for table in checked.values()]),
        )

    @cached_property
    def matrix(self) -> Any:
        """One row for each cell, with ones at the kinds that it counts."""
        from scipy.sparse import csr_array

        _, kinds = np.nonzero(self.place < len(self.counts))
        cells = self.place[self.place < len(self.counts)]
        shape = (len(self.counts), self.place.shape[1])
        return csr_array((np.ones(len(cells)), (cells, kinds)), shape=shape)

    def first(self, number: int) -> _Cells:
        """The first tables alone."""
        kept = self.tables < number
        size = int(kept.sum())
        place = np.where(self.place[:number] < len(self.counts), self.place[:number], size)
        return _Cells(self.names[:number], place, self.counts[kept], self.tables[kept])

    def refuse_totals(self, most: int) -> None:
        """Whole tables must count the same number of people, and not too many."""
        totals = np.bincount(self.tables, self.counts, len(self.names)).astype(np.int64)
        whole = np.flatnonzero((self.place < len(self.counts)).all(axis=1))
        for table in range(len(self.names)):
            if totals[table] > most:
                raise ValueError(
                    f"tables[{self.names[table]!r}] must count at most most_people = {most} "
                    f"people, got {totals[table]}"
                )
        for table in whole:
            if totals[table] != totals[whole[0]]:
                raise ValueError(
                    f"tables[{self.names[table]!r}] contradicts tables[{self.names[whole[0]]!r}]: "
                    f"it counts {totals[table]} people, and not {totals[whole[0]]}"
                )

    def most(self) -> Counts:
        """For each kind the smallest count of its cells; -1 if it is in none."""
        counts = np.append(self.counts, np.iinfo(np.int64).max)
        found = counts[self.place].min(axis=0)
        return np.where(found == np.iinfo(np.int64).max, -1, found)

    def sums(self, counts: Counts) -> Counts:
        """What each cell would count."""
        size = len(self.counts) + 1  # the last one gathers what a table leaves out
        weights = np.broadcast_to(counts, self.place.shape).ravel()
        return np.bincount(self.place.ravel(), weights, size)[:-1].astype(np.int64)

    def tightened(self, low: Counts, high: Counts) -> tuple[Counts, Counts] | None:
        """Ends that follow from ends, cell by cell; None if a cell cannot be met."""
        far = np.iinfo(np.int64).max // 4
        while True:
            room = self.counts - self.sums(low)  # what may be added to the least
            excess = self.sums(high) - self.counts  # what must be taken from the largest
            if np.any(room < 0) or np.any(excess < 0):
                return None
            new_high = np.minimum(high, low + np.append(room, far)[self.place].min(axis=0))
            new_low = np.maximum(low, high - np.append(excess, far)[self.place].min(axis=0))
            if np.any(new_low > new_high):
                return None
            if np.array_equal(new_low, low) and np.array_equal(new_high, high):
                return low, high
            low, high = new_low, new_high

    def first_contradiction(self) -> str:
        """The first table that has no solution together with those before it."""
        for number in range(1, len(self.names)):
            some = self.first(number)
            high = some.most()
            high = np.where(high < 0, some.counts.max(), high)
            if _feasible(some, np.zeros_like(high), high) is None:
                return self.names[number - 1]
        return self.names[-1]


def _feasible(cells: _Cells, low: Counts, high: Counts) -> Counts | None:
    """A data set between two ends that agrees with the cells, if there is one."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    if np.any(low > high):
        return None
    done = milp(
        np.zeros(low.size),
        constraints=LinearConstraint(cells.matrix, cells.counts, cells.counts),
        bounds=Bounds(low, high),
        integrality=np.ones(low.size),
    )
    if done.status == 2:  # infeasible
        return None
    if done.x is None:
        raise RuntimeError(f"the integer programme failed: {done.message}")
    found = np.rint(done.x).astype(np.int64)
    if not np.array_equal(cells.sums(found), cells.counts):
        raise RuntimeError("the integer programme returned no data set: its answer is not whole")
    return found


def _checked_kinds(kinds: Any) -> pd.DataFrame:
    kinds = _validate.instance("kinds", kinds, pd.DataFrame)
    if kinds.empty or len(kinds) > _MOST_KINDS:
        raise ValueError(f"kinds must have from 1 to {_MOST_KINDS} rows, got {len(kinds)}")
    if not kinds.columns.is_unique:
        raise ValueError("kinds must have columns of different names")
    if kinds.isna().to_numpy().any():
        raise ValueError("kinds must not miss a value, got NaN or None")
    if kinds.duplicated().any():
        raise ValueError(
            f"kinds must be different, got {kinds[kinds.duplicated()].iloc[0].to_dict()} twice"
        )
    return kinds


def _checked_table(name: str, table: Any, kinds: pd.DataFrame, whole: bool) -> pd.Series:
    """A table of counts, its cells among those that the kinds may fall into."""
    table = _validate.instance(name, table, pd.Series)
    if table.empty:
        raise ValueError(f"{name} must publish at least one cell")
    for column in table.index.names:
        if column not in kinds.columns:
            raise ValueError(f"{name} must be indexed by columns of kinds, got {column!r}")
    if len(set(table.index.names)) < table.index.nlevels:
        raise ValueError(f"{name} must name each column once, got {list(table.index.names)}")
    if not table.index.is_unique:
        twice = table.index[table.index.duplicated()][0]
        raise ValueError(f"{name} must publish each cell once, got {twice!r} twice")
    counts = np.asarray(_validate.real(name, table.to_numpy(), maximum=1e12))
    if whole:
        counts = np.asarray(_validate.real(name, counts, minimum=0))
        if np.any(counts != np.rint(counts)):
            raise ValueError(
                f"{name} must hold whole numbers, got {counts[counts != np.rint(counts)][0]:g}"
            )
        counts = counts.astype(np.int64)
    known = _index(kinds[list(table.index.names)])
    strange = ~_index(table.index.to_frame()).isin(known)
    if strange.any():
        raise ValueError(
            f"{name} must count people of the kinds listed, got {table.index[strange][0]!r}"
        )
    return pd.Series(counts, index=table.index)


def _index(frame: pd.DataFrame) -> pd.Index:
    """The rows of a frame as values that can be looked up; one column is no tuple."""
    return pd.MultiIndex.from_frame(frame)


def _people(kinds: pd.DataFrame, counts: Counts) -> pd.DataFrame:
    return kinds.loc[kinds.index.repeat(counts)].reset_index(drop=True)
