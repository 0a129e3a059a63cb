"""Algorithms that make a table k-anonymous: the lattice of levels, and Mondrian."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from minimaxdp import _validate
from minimaxdp.k_anonymity import _cells, _encode
from minimaxdp.k_anonymity._hierarchies import Hierarchy

__all__ = ["Lattice", "generalize", "minimal_generalizations", "mondrian"]


@dataclass(frozen=True)
class Lattice:
    """Result of a search for the minimal full-domain generalisations.

    Attributes
    ----------
    minimal : DataFrame
        One row for each minimal node: the level of each column, then ``k`` and ``classes`` of
        the table it makes and its ``loss`` (as
        :func:`~minimaxdp.k_anonymity.information_loss`, over the values of the hierarchies);
        the least loss first.
    nodes : int
        Number of nodes of the lattice.
    evaluated : int
        Number of nodes whose classes were counted; the others were decided by monotonicity.
    """

    minimal: pd.DataFrame
    nodes: int
    evaluated: int


def generalize(
    table: pd.DataFrame,
    hierarchies: Mapping[Hashable, Hierarchy],
    levels: Mapping[Hashable, int],
    *,
    missing: _encode.Missing = "refuse",
) -> pd.DataFrame:
    """Raise each column of a table to one level of its hierarchy: a full-domain generalisation.

    Parameters
    ----------
    table : DataFrame
    hierarchies : mapping of column name to Hierarchy
    levels : mapping of column name to int
        Between 0 and the height of the hierarchy.
    missing : {"refuse", "value"}
        Whether a missing value raises, or stays missing up to a level with the single label
        ``*``, where it becomes ``*``.

    Returns
    -------
    DataFrame
        Same index, rows and columns; the columns named are categorical. The order of the rows
        is kept, for the attacks; who publishes a table shuffles it first.

    Raises
    ------
    TypeError, ValueError
        If a column is not in the table, a value is not in its hierarchy, or a level is not.

    Examples
    --------
    >>> from minimaxdp.k_anonymity import intervals
    >>> table = pd.DataFrame({"age": [28, 31, 36], "visits": [0, 2, 1]})
    >>> age = intervals(table["age"], [30])
    >>> generalize(table, {"age": age}, {"age": 1})["age"].tolist()
    ['<30', '≥30', '≥30']
    """
    _encode.checked_missing(missing)
    names = _checked_hierarchies(table, hierarchies)
    levels = _validate.mapping("levels", levels)
    if set(levels) != set(names):
        raise ValueError(f"levels must name the columns {names!r}, got {list(levels)!r}")
    released = table.copy()
    for name in names:
        hierarchy = hierarchies[name]
        level = _validate.one_integer(
            f"levels[{name!r}]", levels[name], minimum=0, maximum=hierarchy.height
        )
        codes, labels = hierarchy.codes(level)
        lifted = _lift(codes, labels)[_domain_codes(table, name, hierarchy, missing)]
        lifted = np.where(lifted == len(labels), -1, lifted)
        released[name] = pd.Categorical.from_codes(lifted, categories=labels)
    return released


def minimal_generalizations(
    table: pd.DataFrame,
    hierarchies: Mapping[Hashable, Hierarchy],
    k: int,
    *,
    missing: _encode.Missing = "refuse",
) -> Lattice:
    r"""All minimal full-domain generalisations that make a table k-anonymous, exactly.

    .. math:: \{ \ell : k(\ell) \ge k \text{ and } k(\ell - e_j) < k
              \text{ for every } j \text{ with } \ell_j > 0 \}

    A node of the lattice gives each column one level. Going up merges classes, so that k never
    falls: one count decides all nodes above a node that satisfies k, or all nodes below one
    that does not. The heights are tried in the order of a bisection.

    Parameters
    ----------
    table : DataFrame
    hierarchies : mapping of column name to Hierarchy
        The quasi-identifiers and how each is coarsened.
    k : int
        At least 1.
    missing : {"refuse", "value"}
        As in :func:`generalize`.

    Returns
    -------
    Lattice
        Without rows in `minimal` if not even the highest level of all columns satisfies k.

    Raises
    ------
    TypeError, ValueError
        As in :func:`generalize`, if k is no positive integer, or if the lattice would not fit
        memory.

    Notes
    -----
    Cost: with q columns of heights :math:`h_j` and m distinct rows at level 0, one pass over
    the table and at most :math:`\prod_j (h_j + 1)` counts of m weighted rows,
    O(m q) each; the result says how many were made. At the least every minimal node and every
    highest node that falls short must be counted. The number of nodes is exponential in q: use
    :func:`mondrian` for many columns.

    Examples
    --------
    >>> from minimaxdp.k_anonymity import intervals, prefixes
    >>> table = pd.DataFrame({"zip": ["13053", "13068", "13053"], "age": [28, 29, 21]})
    >>> age = intervals(table["age"], [25])
    >>> lattice = minimal_generalizations(table, {"zip": prefixes(table["zip"]), "age": age}, 3)
    >>> lattice.minimal[["zip", "age", "k"]].values.tolist()
    [[2, 2, 3]]
    """
    _encode.checked_missing(missing)
    names = _checked_hierarchies(table, hierarchies)
    k = _validate.one_integer("k", k, minimum=1)
    rows = [_domain_codes(table, name, hierarchies[name], missing) for name in names]
    radices = [len(hierarchies[name].values) + 1 for name in names]
    ids, weights = _encode.dense(*_encode.row_keys(list(zip(rows, radices, strict=True))))
    first = _encode.first_rows(ids, weights.size)
    base = [codes[first] for codes in rows]
    lifts, losses = [], []
    for name, codes in zip(names, base, strict=True):
        levels = [hierarchies[name].codes(level) for level in range(hierarchies[name].height + 1)]
        lifts.append([(_lift(*level)[codes], len(level[1]) + 1) for level in levels])
        losses.append([_loss(*level, codes, weights) for level in levels])

    def sizes(node: tuple[int, ...]) -> NDArray[np.int64]:
        keys, span = _encode.row_keys([lifts[j][level] for j, level in enumerate(node)])
        ids, counts = _encode.dense(keys, span)
        return np.bincount(ids, weights=weights, minlength=counts.size).astype(np.int64)

    shape = tuple(len(levels) for levels in lifts)
    _validate.memory("hierarchies", *shape, itemsize=128)  # a tuple for each node
    satisfied = np.zeros(shape, dtype=bool)
    open_nodes = np.ones(shape, dtype=bool)
    evaluated = 0
    for node in _bisecting(shape):
        if not open_nodes[node]:
            continue
        evaluated += 1
        above, below = tuple(slice(j, None) for j in node), tuple(slice(j + 1) for j in node)
        if sizes(node).min() >= k:
            satisfied[above], open_nodes[above] = True, False
        else:
            open_nodes[below] = False
    minimal = []
    for node in zip(*(axis.tolist() for axis in np.nonzero(_lowest(satisfied))), strict=True):
        found = sizes(node)
        loss = float(np.mean([losses[j][level] for j, level in enumerate(node)]))
        minimal.append([*node, int(found.min()), found.size, loss])
    frame = pd.DataFrame(minimal, columns=[*names, "k", "classes", "loss"])
    frame = frame.sort_values("loss", kind="stable", ignore_index=True)
    return Lattice(frame, satisfied.size, evaluated)


def mondrian(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    k: int,
    *,
    missing: _encode.Missing = "refuse",
) -> pd.DataFrame:
    """Partition a table into small boxes of at least k rows each, by halving (Mondrian).

    Each class is cut in two at the value next to its median, along the column in which it is
    widest relative to the table, among those columns and values that leave at least k rows on
    either side; a class that no cut leaves so is final, and its cells are written as tight as
    possible: ``[27, 32]``, ``{a, b}``, or the value itself.

    Parameters
    ----------
    table : DataFrame
    quasi_identifiers : sequence of column names
        Numbers are cut in their order, categories in the order of their levels, and texts in
        their own order; a set lists all occurring categories between its first and its last.
    k : int
        From 1 to the number of rows.
    missing : {"refuse", "value"}
        Whether a missing value raises, or stands before all others; a cell is ``*`` if its
        class has missing and other values in the column, and missing if it has no other.

    Returns
    -------
    DataFrame
        Same index, rows and columns; the columns named are categorical. The order of the rows
        is kept, for the attacks; who publishes a table shuffles it first.

    Raises
    ------
    TypeError, ValueError
        If a column is not in the table or k is out of range.

    Notes
    -----
    LeFevre, DeWitt and Ramakrishnan (2006), strict partitioning. All classes are cut at once in
    passes over the table: about log2(n/k) passes, each a few sorts of the rows still open.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [21, 23, 28, 36, 37, 39], "zip": list("abcabc")})
    >>> mondrian(table, ["age", "zip"], 3)["age"].tolist()
    ['[21, 28]', '[21, 28]', '[21, 28]', '[36, 39]', '[36, 39]', '[36, 39]']
    """
    _encode.checked_missing(missing)
    names = _encode.checked_columns("quasi_identifiers", table, quasi_identifiers)
    k = _validate.one_integer("k", k, minimum=1, maximum=len(table))
    axes = [_Axis.of(table, name, missing) for name in names]
    codes = np.stack([axis.codes for axis in axes])
    places = np.stack([axis.places[axis.codes] for axis in axes])
    ids = _partition(codes, places, k)
    released = table.copy()
    low, high = _extremes(codes, ids)
    for j, name in enumerate(names):
        ends, inverse = np.unique(
            low[j].astype(np.int64) * len(axes[j].places) + high[j], return_inverse=True
        )
        labels = [axes[j].label(*divmod(int(end), len(axes[j].places))) for end in ends]
        values, kinds = _without_missing(labels)
        released[name] = pd.Categorical.from_codes(kinds[inverse][ids], categories=values)
    return released


@dataclass(frozen=True)
class _Axis:
    """A quasi-identifier as Mondrian sees it: ranks, and where they lie between 0 and 1."""

    codes: NDArray[np.int64]
    values: list[Hashable]
    places: NDArray[np.float64]
    numeric: bool

    @classmethod
    def of(cls, table: pd.DataFrame, name: Hashable, missing: _encode.Missing) -> _Axis:
        raw, values = _encode.column_codes(table, name, missing, sort=True)
        present = np.bincount(raw, minlength=len(values)) > 0
        codes, kept = (np.cumsum(present) - 1)[raw], list(values[present])
        dtype = table[name].dtype
        numeric = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
        if pd.isna(kept[-1]):  # missing values come last from the encoder, and go first here
            codes = (codes + 1) % len(kept)
            kept = kept[-1:] + kept[:-1]
        places = np.array(kept, dtype=float) if numeric else np.arange(len(kept), dtype=float)
        if not numeric:
            kept = [v if pd.isna(v) else _cells.plain(f"table[{name!r}]", v) for v in kept]
        places = places - np.nanmin(places) if len(kept) > 1 else np.zeros(1)
        places = np.nan_to_num(places / max(np.nanmax(places), 1e-300))
        return cls(codes, kept, places, numeric)

    def label(self, low: int, high: int) -> Hashable:
        if low == high:
            value = self.values[low]
            return value if pd.isna(value) else _cells.text(value)
        if pd.isna(self.values[low]):
            return "*"
        if self.numeric:
            return f"[{_cells.text(self.values[low])}, {_cells.text(self.values[high])}]"
        return "{" + ", ".join(str(value) for value in self.values[low : high + 1]) + "}"


def _partition(codes: NDArray[np.int64], places: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Cut classes until no cut leaves k rows on either side; return the class of each row."""
    ids = np.zeros(codes.shape[1], dtype=np.int64)
    classes, active = 1, np.arange(ids.size)
    while active.size:
        _, own = np.unique(ids[active], return_inverse=True)
        order = np.argsort(own, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(own[order]) > 0])
        boxes = places[:, active[order]]
        width = np.maximum.reduceat(boxes, starts, axis=1)
        width -= np.minimum.reduceat(boxes, starts, axis=1)
        widest = np.argsort(-width, axis=0, kind="stable")
        cut = np.zeros(starts.size, dtype=bool)
        for axis in widest:
            open_rows = np.flatnonzero(~cut[own])
            if not open_rows.size:
                break
            rows, group = active[open_rows], own[open_rows]
            upper, done = _cut(group, codes[axis[group], rows], k, starts.size)
            numbers = np.cumsum(done) - 1 + classes
            ids[rows[upper]] = numbers[group[upper]]
            classes += int(done.sum())
            cut |= done
        active = active[cut[own]]
    return np.unique(ids, return_inverse=True)[1]


def _cut(
    group: NDArray[np.int64], value: NDArray[np.int64], k: int, groups: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Cut each group next to its median: which rows go up, and which groups could be cut."""
    span = int(value.max()) + 1
    keys = group * span + value
    order = np.argsort(keys, kind="stable")
    sizes = np.bincount(group, minlength=groups)
    starts = np.cumsum(sizes) - sizes
    sorted_keys = keys[order]
    change = np.flatnonzero(np.diff(sorted_keys)) + 1  # the first row above a possible cut
    owner = sorted_keys[change] // span
    left = change - starts[owner]
    allowed = (left >= k) & (sizes[owner] - left >= k)
    change, owner, left = change[allowed], owner[allowed], left[allowed]
    nearest = np.lexsort((abs(2 * left - sizes[owner]), owner))
    found, first = np.unique(owner[nearest], return_index=True)
    threshold = np.full(groups, np.iinfo(np.int64).max)
    threshold[found] = sorted_keys[change[nearest[first]]]
    done = np.zeros(groups, dtype=bool)
    done[found] = True
    return keys >= threshold[group], done


def _extremes(
    codes: NDArray[np.int64], ids: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The least and the greatest code of each class in each column."""
    order = np.argsort(ids, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(ids[order]) > 0])
    sorted_codes = codes[:, order]
    low = np.minimum.reduceat(sorted_codes, starts, axis=1)
    return low, np.maximum.reduceat(sorted_codes, starts, axis=1)


def _without_missing(labels: list[Hashable]) -> tuple[list[Hashable], NDArray[np.int64]]:
    """Distinct labels, and for each given one its number; -1 where it is missing."""
    number: dict[Hashable, int] = {}
    kinds = [-1 if pd.isna(label) else number.setdefault(label, len(number)) for label in labels]
    return list(number), np.array(kinds)


def _checked_hierarchies(
    table: pd.DataFrame, hierarchies: Mapping[Hashable, Hierarchy]
) -> list[Hashable]:
    _validate.mapping("hierarchies", hierarchies)
    for name, hierarchy in hierarchies.items():
        _validate.instance(f"hierarchies[{name!r}]", hierarchy, Hierarchy)
    return _encode.checked_columns("hierarchies", table, list(hierarchies))


def _domain_codes(
    table: pd.DataFrame, name: Hashable, hierarchy: Hierarchy, missing: _encode.Missing
) -> NDArray[np.int64]:
    """Codes of a column in the values of its hierarchy; missing takes the code after the last."""
    codes, values = _encode.column_codes(table, name, missing)
    place = {value: i for i, value in enumerate(hierarchy.values)}
    used = np.unique(codes)
    lookup = np.zeros(len(values), dtype=np.int64)
    for code in used:
        value = values[code]
        if pd.isna(value):
            lookup[code] = len(place)
        elif value in place:
            lookup[code] = place[value]
        else:
            raise ValueError(f"hierarchies[{name!r}] must hold every value, got none for {value}")
    return lookup[codes]


def _lift(codes: NDArray[np.intp], labels: list[str]) -> NDArray[np.int64]:
    """From codes of values to codes of labels, with the code of missing at the end."""
    return np.append(codes, 0 if labels == ["*"] else len(labels)).astype(np.int64)


def _loss(
    codes: NDArray[np.intp],
    labels: list[str],
    base: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> float:
    """Average share of the values of a hierarchy that a cell no longer excludes."""
    lifted = _lift(codes, labels)
    domain = lifted if np.any(base == len(codes)) else lifted[:-1]
    width = np.bincount(domain, minlength=len(labels) + 1)
    return float(np.average((width[lifted[base]] - 1) / max(domain.size - 1, 1), weights=weights))


def _bisecting(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All nodes of a lattice, those of middle height first, then of the quarters, and so on."""
    top = sum(shape) - len(shape)
    turn: dict[int, int] = {}
    queue = deque([(0, top)])
    while queue:
        low, high = queue.popleft()
        if low <= high:
            middle = (low + high) // 2
            turn[middle] = len(turn)
            queue.extend([(low, middle - 1), (middle + 1, high)])
    return sorted(product(*map(range, shape)), key=lambda node: turn[sum(node)])


def _lowest(satisfied: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The satisfied nodes without a satisfied one just below them."""
    lowest = satisfied.copy()
    for axis in range(satisfied.ndim):
        upper = [slice(None)] * satisfied.ndim
        lower = upper.copy()
        upper[axis], lower[axis] = slice(1, None), slice(-1)
        lowest[tuple(upper)] &= ~satisfied[tuple(lower)]
    return lowest
