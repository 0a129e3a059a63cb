"""Generalisation hierarchies: the steps by which the values of one column are coarsened."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp.k_anonymity import _cells

__all__ = ["Hierarchy", "intervals", "prefixes", "set_hierarchy", "tree_hierarchy"]


@dataclass(frozen=True)
class Hierarchy:
    """The values of one column and the label that each carries at each level.

    Level 0 holds the values themselves; each further level merges labels of the level before.
    A missing value keeps to itself, except where a level has the single label ``*``.
    Use :func:`intervals`, :func:`prefixes`, :func:`set_hierarchy` or :func:`tree_hierarchy` to make
    one.

    Parameters
    ----------
    values : tuple
        The distinct values of the column, none of them missing.
    labels : tuple of tuples of str
        One tuple for each level, with a label for each value.
    names : mapping of str to frozenset of str
        What those labels stand for that are names (see :func:`~minimaxdp.k_anonymity.covers`).

    Raises
    ------
    TypeError, ValueError
        If a value is missing or double, a level has the wrong length, some level parts values
        that the level before has merged, or the names are no mapping.

    Examples
    --------
    >>> hierarchy = Hierarchy((28, 31, 36), (("28", "31", "36"), ("28", "3*", "3*")))
    >>> hierarchy.height
    1
    """

    values: tuple[Hashable, ...]
    labels: tuple[tuple[str, ...], ...]
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _validate.instance("values", self.values, tuple)
        _validate.instance("labels", self.labels, tuple)
        _validate.mapping("names", self.names)
        if not self.values:
            raise ValueError("values must hold at least one value")
        if not self.labels:
            raise ValueError("labels must hold at least one level")
        if pd.isna(np.array(self.values, dtype=object)).any():
            raise ValueError("values must not be missing: a missing value needs no hierarchy")
        if len(set(self.values)) < len(self.values):
            raise ValueError("values must be distinct")
        for level, labels in enumerate(self.labels):
            _validate.instance(f"labels[{level}]", labels, tuple)
            if len(labels) != len(self.values):
                raise ValueError(
                    f"labels of level {level} must be {len(self.values)}, got {len(labels)}"
                )
        for level in range(1, len(self.labels)):
            pairs = set(zip(self.labels[level - 1], self.labels[level], strict=True))
            if len(pairs) > len(set(self.labels[level - 1])):
                raise ValueError(f"level {level} must not part what level {level - 1} has merged")
            if set(self.labels[level - 1]) == {"*"} != set(self.labels[level]):
                raise ValueError(f"level {level} must be '*' throughout, as the level before it")

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.labels) - 1

    def codes(self, level: int) -> tuple[NDArray[np.intp], list[str]]:
        """The label of each value at a level as a number, and the labels in that order."""
        level = _validate.one_integer("level", level, minimum=0, maximum=self.height)
        codes, labels = pd.factorize(np.array(self.labels[level], dtype=object))
        return codes, list(labels)


def intervals(values: ArrayLike, *cuts: ArrayLike, suppress: bool = True) -> Hierarchy:
    """Numbers into intervals between cut points.

    Parameters
    ----------
    values : array_like
        The values of the column; repeated and missing ones are dropped.
    *cuts : array_like
        One increasing list of cut points for each level from 1 on, each among those of the
        level before. Cuts 30 and 40 make the labels ``<30``, ``[30, 40)`` and ``≥40``.
    suppress : bool
        Whether a last level ``*`` follows.

    Returns
    -------
    Hierarchy

    Raises
    ------
    TypeError, ValueError
        If a value or a cut is no number, cuts do not increase, or a level has a new cut.

    Examples
    --------
    >>> intervals([21, 35, 58], [30, 40], [30]).labels[1:]
    (('<30', '[30, 40)', '≥40'), ('<30', '≥30', '≥30'), ('*', '*', '*'))
    """
    distinct = _distinct(values)
    numbers = np.asarray(_validate.real("values", np.array(distinct)))
    levels = [tuple(_cells.text(value) for value in distinct)]
    finer: set[float] | None = None
    for i, points in enumerate(cuts):
        edges = np.atleast_1d(np.asarray(_validate.real(f"cuts[{i}]", points)))
        if edges.ndim != 1:
            raise ValueError(f"cuts[{i}] must be a list of cut points, got shape {edges.shape}")
        if np.any(np.diff(edges) <= 0):
            raise ValueError(f"cuts[{i}] must increase, got {edges.tolist()}")
        if finer is not None and not set(edges) <= finer:
            raise ValueError(f"cuts[{i}] must be among the cuts of the level before it")
        finer = set(edges)
        texts = [_cells.text(edge) for edge in edges]
        middle = [f"[{low}, {high})" for low, high in zip(texts, texts[1:], strict=False)]
        labels = [f"<{texts[0]}", *middle, f"≥{texts[-1]}"]
        levels.append(tuple(labels[j] for j in np.searchsorted(edges, numbers, side="right")))
    return _with_top(distinct, levels, suppress)


def prefixes(values: Collection[str], *, suppress: bool = True) -> Hierarchy:
    """Texts of one length, such as zip codes, whose last characters are starred one by one.

    Parameters
    ----------
    values : collection of str
        The values of the column; repeated and missing ones are dropped.
    suppress : bool
        Whether the level without any character is there, as ``*``.

    Returns
    -------
    Hierarchy
        As many levels as characters, and the last one.

    Raises
    ------
    TypeError, ValueError
        If a value is no text, is of another length or reads as a generalised cell.

    Examples
    --------
    >>> prefixes(["13053", "13068"]).labels[1:3]
    (('1305*', '1306*'), ('130**', '130**'))
    """
    distinct = _distinct(values)
    texts = [value for value in distinct if isinstance(value, str)]
    if len(texts) < len(distinct):
        [value, *_] = (value for value in distinct if not isinstance(value, str))
        raise TypeError(f"values must be texts, got {value!r} of type {type(value).__name__}")
    for text in texts:
        _cells.plain("values", text)
    lengths = {len(text) for text in texts}
    if len(lengths) > 1 or 0 in lengths:
        raise ValueError(f"values must have one length, got lengths {sorted(lengths)}")
    (length,) = lengths
    levels = [
        tuple(text[: length - starred] + "*" * starred for text in texts)
        for starred in range(length)
    ]
    return _with_top(distinct, levels, suppress)


def set_hierarchy(
    values: Collection[Hashable],
    *partitions: Collection[Collection[Hashable]],
    suppress: bool = True,
) -> Hierarchy:
    """Values into sets that are written out, as Male into {Female, Male}.

    Parameters
    ----------
    values : collection
        The values of the column; repeated and missing ones are dropped.
    *partitions : collection of collections
        For each level from 1 on, disjoint sets that hold every value; a set of one value is
        written as that value.
    suppress : bool
        Whether a last level ``*`` follows.

    Returns
    -------
    Hierarchy

    Raises
    ------
    TypeError, ValueError
        If a partition is no collection of collections, a value stands in no set or in two, or a
        level parts what the one before has merged.

    Examples
    --------
    >>> set_hierarchy(["a", "b", "c"], [["a", "b"], ["c"]]).labels[1]
    ('{a, b}', '{a, b}', 'c')
    """
    distinct = _distinct(values)
    levels = [tuple(_cells.plain("values", value) for value in distinct)]
    for i, partition in enumerate(partitions):
        label_of: dict[Hashable, str] = {}
        name = f"partitions[{i}]"
        for block in _validate.items(name, partition):
            found = _validate.items(f"each set of {name}", block)
            members = [_cells.plain(name, value) for value in found]
            label = members[0] if len(members) == 1 else "{" + ", ".join(members) + "}"
            for value in found:
                if not isinstance(value, Hashable):
                    raise TypeError(f"{name} must hold sets of single values, got {value!r} in one")
                if value in label_of:
                    raise ValueError(f"{name} must hold {value!r} once")
                label_of[value] = label
        absent = [value for value in distinct if value not in label_of]
        if absent:
            raise ValueError(f"{name} must hold every value in values, got none for {absent[0]!r}")
        levels.append(tuple(label_of[value] for value in distinct))
    return _with_top(distinct, levels, suppress)


def tree_hierarchy(values: Collection[Hashable], parents: Mapping[Hashable, str]) -> Hierarchy:
    """Values into the nodes of a tree of categories, as France into Europe into ``*``.

    A leaf that hangs higher than the deepest one stays as it is until its turn comes, so that
    all columns reach the root at the same level.

    Parameters
    ----------
    values : collection
        The values of the column, leaves of the tree; repeated and missing ones are dropped.
    parents : mapping
        The parent of each value and of each node but the root; the root is ``*``.

    Returns
    -------
    Hierarchy
        With the leaves below each node in `names`.

    Raises
    ------
    TypeError, ValueError
        If the parents are no mapping, a value has no path to ``*``, is a node itself, or a name
        reads as a generalised cell.

    Examples
    --------
    >>> parents = {"France": "Europe", "Italy": "Europe", "Japan": "Asia"}
    >>> parents |= {"Europe": "*", "Asia": "*"}
    >>> tree_hierarchy(["Italy", "Japan"], parents).labels[1]
    ('Europe', 'Asia')
    >>> sorted(tree_hierarchy(["Italy", "Japan"], parents).names["Europe"])
    ['France', 'Italy']
    """
    parents = _validate.mapping("parents", parents)
    distinct = _distinct(values)
    inner = set(parents.values())
    leaves = [node for node in parents if node not in inner]
    paths = {node: _path(node, parents) for node in leaves}
    for value in distinct:
        if value not in paths:
            raise ValueError(f"parents must hold each of values as a leaf below '*', got {value!r}")
    below: dict[Hashable, set[str]] = {}
    for leaf, path in paths.items():
        for node in path[1:-1]:
            below.setdefault(node, set()).add(_cells.plain("values", leaf))
    height = max(len(path) for path in paths.values()) - 1
    levels = []
    for level in range(height + 1):
        at = [paths[value][max(len(paths[value]) - 1 - height + level, 0)] for value in distinct]
        levels.append(tuple(_cells.text(node) for node in at))
    names = {_cells.plain("parents", node): frozenset(found) for node, found in below.items()}
    return Hierarchy(tuple(distinct), tuple(levels), names)


def _path(node: Hashable, parents: Mapping[Hashable, str]) -> list[Hashable]:
    path = [node]
    while path[-1] != "*":
        if path[-1] not in parents or parents[path[-1]] in path:
            raise ValueError(f"parents must lead from {node!r} to '*', got stuck at {path[-1]!r}")
        path.append(parents[path[-1]])
    return path


def _distinct(values: ArrayLike | Collection[Hashable]) -> list[Hashable]:
    """The distinct values that are not missing, sorted where they can be."""
    if np.ndim(np.asarray(values, dtype=object)) != 1:
        raise ValueError("values must be a list of values")
    listed = pd.Series(values).tolist()
    for value in listed:
        if not isinstance(value, Hashable):
            raise TypeError(f"values must be single values, got {value!r} among them")
    found = [value for value in dict.fromkeys(listed) if not pd.isna(value)]
    if not found:
        raise ValueError("values must hold at least one value that is not missing")
    try:
        return sorted(found)
    except TypeError:
        return found


def _with_top(values: list[Hashable], levels: list[tuple[str, ...]], suppress: bool) -> Hierarchy:
    suppress = _validate.flag("suppress", suppress)
    top = [("*",) * len(values)] if suppress else []
    return Hierarchy(tuple(values), tuple(levels + top))
