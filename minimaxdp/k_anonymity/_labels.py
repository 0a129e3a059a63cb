"""The notation of a generalised cell: a label, and the set of values that it stands for."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from minimaxdp import _validate
from minimaxdp.k_anonymity._cells import BOUND, INTERVAL, MASK, SET, text

__all__ = ["covers"]

Names = Mapping[str, Collection[Hashable]]


def covers(
    label: Any, values: Collection[Hashable], *, names: Names | None = None
) -> NDArray[np.bool_]:
    r"""Which values a generalised cell may stand for.

    .. math:: \text{label} \mapsto \{ v : v \text{ is a possible original of the cell} \}

    A cell of a released table stands for a set of original values, and is read as follows:

    ==========================  ==================================================
    label                       stands for
    ==========================  ==================================================
    ``*``                       every value, missing ones too
    ``130**``                   every text of five characters that begins with 130
    ``<30``, ``≥40``            numbers beyond the bound
    ``[30, 39]``, ``[30, 40)``  numbers in the interval, ends included or not
    ``{a, b}``                  the values listed
    a key of `names`            the values listed there, as for a node of a tree
    NaN or None                 a missing value
    anything else               itself
    ==========================  ==================================================

    Parameters
    ----------
    label : object
        One cell of a released table.
    values : collection, length m
        Original values: numbers, texts, or missing.
    names : mapping of str to collection, optional
        What the names of tree nodes stand for.

    Returns
    -------
    ndarray of bool, shape (m,)

    Raises
    ------
    TypeError
        If the label is no single cell, the values are no collection, or the names no mapping to
        collections.

    Notes
    -----
    Smith's slides, generalization replaces "a single value with a set of possible values".

    Examples
    --------
    >>> covers("130**", ["13012", "14853"]).tolist()
    [True, False]
    >>> covers("3*", [28, 30, 39]).tolist()
    [False, True, True]
    >>> covers("<30", [28, 30]).tolist()
    [True, False]
    """
    if not isinstance(label, Hashable) or isinstance(label, tuple):
        raise TypeError(f"label must be a single cell, got {label!r}")
    if names is not None:
        names = _validate.mapping("names", names)
    listed = _validate.items("values", values)
    originals = np.empty(len(listed), dtype=object)
    originals[:] = listed
    absent = np.asarray(pd.isna(originals), dtype=bool)
    if pd.isna(label):
        return absent
    if label == "*":
        return np.ones(originals.size, dtype=bool)
    written = text(label)
    if names and written in names:
        below = _validate.items(f"names[{written!r}]", names[written])
        return ~absent & _among(originals, {text(value) for value in below})
    if match := INTERVAL.fullmatch(written):
        numbers, low, high = _numbers(originals), float(match[2]), float(match[3])
        above = numbers >= low if match[1] == "[" else numbers > low
        below = numbers <= high if match[4] == "]" else numbers < high
        return above & below
    if match := BOUND.fullmatch(written):
        numbers, bound = _numbers(originals), float(match[2])
        compare = {"<": np.less, "≤": np.less_equal, ">": np.greater, "≥": np.greater_equal}
        return compare[match[1]](numbers, bound)
    if match := SET.fullmatch(written):
        return ~absent & _among(originals, set(match[1].split(", ")))
    if MASK.fullmatch(written):
        stem = written.rstrip("*")
        texts = [text(value) for value in originals]
        fits = [len(t) == len(written) and t.startswith(stem) for t in texts]
        return ~absent & np.array(fits, dtype=bool)
    return ~absent & _among(originals, {written})


def _among(originals: NDArray[Any], listed: set[str]) -> NDArray[np.bool_]:
    return np.fromiter((text(value) in listed for value in originals), bool, originals.size)


def _numbers(originals: NDArray[Any]) -> NDArray[np.float64]:
    return pd.to_numeric(pd.Series(originals), errors="coerce").to_numpy(dtype=float)
