"""Which inputs are neighbours: pairs of rows, and the graphs of small worlds of data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array

__all__ = [
    "datasets",
    "distances",
]

# Data sets enumerated at most, and doubles held at once while pairs are compared.
_LARGEST_WORLD = 2**17
_CHUNK = 2**20

Pairs = ArrayLike | None


def datasets(
    alphabet: int, n: int, relation: Literal["replacement", "add-remove"] = "replacement"
) -> tuple[list[tuple[int, ...]], NDArray[np.int64]]:
    r"""Every data set of a small world, and which of them are neighbours.

    .. math:: x \sim x' \iff x' \text{ arises from } x \text{ by replacing one record}

    or, under the other relation, by adding or removing one.

    Parameters
    ----------
    alphabet : int
        Number of values a record can take, at least 1.
    n : int
        Number of records, at least 1; the largest number under "add-remove".
    relation : {"replacement", "add-remove"}
        Replacement compares the data sets of exactly n records; add-remove all those of 0 to
        n records, where a record may be inserted anywhere.

    Returns
    -------
    worlds : list of tuple of int
        The data sets, shorter ones first, each length in lexicographic order; those of one
        length are numbered as in :func:`minimaxdp.channels.power`.
    pairs : ndarray of int, shape (m, 2)
        Neighbours by their positions in the list, each pair once.

    Raises
    ------
    TypeError, ValueError
        If a number is not a positive integer, the relation is unknown, or there are more than
        131,072 data sets.

    Notes
    -----
    Smith's slides, data sets that differ in one entry (claim ``Smith-DP-setup``). Smith's
    formal definition is replacement; the phrase "add or remove" names the other relation.

    Examples
    --------
    >>> worlds, pairs = datasets(2, 2)
    >>> worlds
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    >>> pairs.tolist()
    [[0, 1], [0, 2], [1, 3], [2, 3]]
    """
    alphabet = _validate.one_integer("alphabet", alphabet, minimum=1)
    n = _validate.one_integer("n", n, minimum=1)
    _validate.choice("relation", relation, ("replacement", "add-remove"))
    lengths = [n] if relation == "replacement" else range(n + 1)
    # The logarithm first: the power itself may be a number of a million digits.
    few = n * np.log2(alphabet) < 64 and len(lengths) <= _LARGEST_WORLD
    if not few or sum(alphabet**m for m in lengths) > _LARGEST_WORLD:
        raise ValueError(
            f"n must leave at most {_LARGEST_WORLD} data sets, got n = {n}, alphabet = {alphabet}"
        )
    _validate.memory("n", sum(m * alphabet**m for m in lengths))
    worlds = [world for m in lengths for world in product(range(alphabet), repeat=m)]
    if relation == "replacement":
        index = np.arange(len(worlds))
        found = []
        for place in alphabet ** np.arange(n):
            digit = index // place % alphabet
            for step in range(1, alphabet):
                low = index[digit + step < alphabet]
                found.append(np.column_stack([low, low + step * place]))
        pairs = np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)
    else:
        place_of = {world: i for i, world in enumerate(worlds)}
        links = {
            (place_of[world[:i] + world[i + 1 :]], place_of[world])
            for world in worlds
            for i in range(len(world))
        }
        pairs = np.array(sorted(links), dtype=np.int64)
    return worlds, pairs[np.lexsort(pairs.T[::-1])]


def distances(worlds: Sequence[Sequence[int]], metric: ArrayLike | None = None) -> Array:
    r"""Distance between every two data sets of equal size.

    .. math:: d_\varrho(x, x') = \sum_i \varrho(x_i, x_i')

    Parameters
    ----------
    worlds : sequence of tuples of int, all of one length
        Data sets, such as :func:`datasets` lists them.
    metric : array_like, shape (alphabet, alphabet), optional
        The semimetric on records: symmetric, zero on the diagonal, between 0 and 1. By default
        1 off the diagonal, which makes the distance Hamming's.

    Returns
    -------
    ndarray, shape (worlds, worlds)
        At most the Hamming distance.

    Raises
    ------
    ValueError
        If the data sets differ in length or the metric violates a condition.

    Notes
    -----
    Barber and Duchi (2014), before equation 1 (claim ``BD-Def2``).

    Examples
    --------
    >>> distances([(0, 0), (0, 1), (1, 1)])
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """
    if not isinstance(worlds, Sequence) and (np.ndim(worlds) == 0 or not len(worlds)):
        raise TypeError(f"worlds must be a list of data sets, got {worlds!r}")
    worlds = list(worlds)
    if any(np.ndim(world) != 1 for world in worlds) or len({len(world) for world in worlds}) != 1:
        raise ValueError("worlds must hold data sets of one length, at least one of them")
    records = np.asarray(_validate.integer("worlds", worlds, minimum=0))
    size = int(records.max()) + 1
    if metric is None:
        _validate.memory("worlds", size, size)
        table = 1.0 - np.eye(size)
    else:
        table = np.asarray(_validate.real("metric", metric, minimum=0, maximum=1))
        if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < size:
            raise ValueError(f"metric must be a square matrix on {size} values, got {table.shape}")
        if np.any(np.diag(table) != 0) or np.any(table != table.T):
            raise ValueError("metric must be symmetric with a zero diagonal")
    _validate.memory("worlds", len(records), len(records))
    total = np.zeros((len(records), len(records)))
    for column in records.T:
        total += table[np.ix_(column, column)]
    return total


def _falling(p: Array, q: Array) -> tuple[Array, Array]:
    """Both laws in falling order of q/p; outputs without any mass come last."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # A ratio beyond the range of a double still comes after those that are infinite.
        ratio = np.where(p > 0, np.minimum(q / p, np.finfo(float).max), np.inf)
        order = np.argsort(-np.where(p + q > 0, ratio, -1.0), axis=-1, kind="stable")
    return np.take_along_axis(p, order, -1), np.take_along_axis(q, order, -1)


def _chunks(
    channel: Array, both: NDArray[np.int64], weight: int = 1
) -> Iterator[NDArray[np.int64]]:
    """The pairs in pieces whose rows, times a weight, fit a bounded memory."""
    _validate.memory("channel", channel.shape[1], weight)
    size = max(1, _CHUNK // (channel.shape[1] * weight))
    for start in range(0, len(both), size):
        yield both[start : start + size]


def _worst(
    channel: Array,
    both: NDArray[np.int64],
    level: Callable[[Array, Array], Any],
    weight: int = 1,
) -> Any:
    """Largest value of level(p, q) over the pairs, which run along its first axis."""
    return np.max(
        [
            np.max(level(channel[piece[:, 0]], channel[piece[:, 1]]), axis=0)
            for piece in _chunks(channel, both, weight)
        ],
        axis=0,
    )[()]
