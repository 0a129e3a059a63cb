"""Tables as integer codes: the step before every count, where arguments are checked."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from minimaxdp import _validate

Missing = Literal["refuse", "value"]
Codes = NDArray[np.integer]

# The mixed radix of the columns is folded before it can pass 63 bits.
_RADIX_LIMIT = 2**62


def checked_columns(
    name: str, table: pd.DataFrame, columns: Sequence[Hashable], *, called: str = "table"
) -> list[Hashable]:
    """The named columns of a table with at least one row, each present exactly once."""
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"{called} must be a pandas DataFrame, got {type(table).__name__}")
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise TypeError(f"{name} must be a list of column names, got {columns!r}")
    names = list(columns)
    if not names:
        raise ValueError(f"{name} must name at least one column, got none")
    for column in names:
        if not pd.api.types.is_scalar(column):
            raise TypeError(f"{name} must be a list of column names, got {column!r} among them")
    if len(set(names)) < len(names):
        raise ValueError(f"{name} must name each column once, got {names!r}")
    for column in names:
        found = int((table.columns == column).sum())
        if found != 1:
            raise ValueError(f"{name} must be columns of the table, got {column!r} ({found} found)")
    if len(table) == 0:
        raise ValueError(f"{called} must have at least one row, got none")
    return names


def checked_column(
    name: str, table: pd.DataFrame, column: Hashable, *, called: str = "table"
) -> None:
    """One named column of a table with at least one row."""
    if not pd.api.types.is_scalar(column):
        raise TypeError(f"{name} must be the name of a column, got {column!r}")
    checked_columns(name, table, [column], called=called)


def checked_missing(missing: str) -> None:
    """The caller's choice for missing values."""
    _validate.choice("missing", missing, ("refuse", "value"))


def column_codes(
    table: pd.DataFrame, name: Hashable, missing: Missing, *, sort: bool = False
) -> tuple[Codes, pd.Index]:
    """Codes 0, ..., m - 1 of a column and the m values they stand for.

    Missing values take the last code, and NaN the last place among the values; under
    ``missing="refuse"`` they raise. Categories without a row keep a code, which no row has.
    """
    column = table[name]
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, values = column.cat.codes.to_numpy(), column.cat.categories
    elif isinstance(column.dtype, pd.StringDtype) and column.dtype.storage == "python":
        # pandas hashes texts as any objects, unless it is given the bare array: there it sees that
        # all are texts, and is several times as fast.
        codes, found = pd.factorize(column.to_numpy(dtype=object), sort=sort)
        values = pd.Index(found, dtype=column.dtype)
    else:
        codes, values = pd.factorize(column, sort=sort)
    if codes.min() < 0:
        if missing == "refuse":
            raise ValueError(
                f"column {name!r} must have no missing values, got {int((codes < 0).sum())}; "
                'missing="value" counts them as a value of their own'
            )
        codes = np.where(codes < 0, len(values), codes)
        values = pd.Index([*values, np.nan], dtype=object)
    return codes, values


def row_keys(columns: Sequence[tuple[Codes, int]]) -> tuple[NDArray[np.int64], int]:
    """One integer for each row, equal exactly where all codes are; and a bound above all keys."""
    first, span = columns[0]
    keys = first.astype(np.int64)
    for codes, radix in columns[1:]:
        if span * radix >= _RADIX_LIMIT:
            folded, values = pd.factorize(keys)
            keys, span = folded.astype(np.int64), len(values)
        keys *= radix
        keys += codes
        span *= radix
    return keys, span


def key_counts(keys: NDArray[np.int64], span: int) -> NDArray[np.int64]:
    """How many rows hold each key that occurs."""
    if span > _dense_limit(keys.size):
        keys, _ = pd.factorize(keys)
    counts = np.bincount(keys)
    return counts[counts > 0]


def dense(keys: NDArray[np.int64], span: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the keys that occur 0, 1, ...; return the numbers and how many rows hold each."""
    if span > _dense_limit(keys.size):
        ids, _ = pd.factorize(keys)
        return ids, np.bincount(ids)
    counts = np.bincount(keys, minlength=span)
    present = counts > 0
    return (np.cumsum(present) - 1)[keys], counts[present]


def first_rows(ids: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """The position of the first row of each class."""
    first = np.empty(classes, dtype=np.int64)
    first[ids[::-1]] = np.arange(ids.size - 1, -1, -1)
    return first


def table_keys(
    table: pd.DataFrame, columns: Sequence[Hashable], missing: Missing, *, called: str = "table"
) -> tuple[NDArray[np.int64], int]:
    """Keys of the rows of a table by the named columns."""
    checked_missing(missing)
    names = checked_columns("quasi_identifiers", table, columns, called=called)
    coded = [column_codes(table, name, missing) for name in names]
    return row_keys([(codes, len(values)) for codes, values in coded])


def _dense_limit(rows: int) -> int:
    # A table of counts is worth its memory up to a few cells for each row.
    return max(4 * rows, 2**16)
