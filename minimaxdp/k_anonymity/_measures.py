"""What a released table looks like: class sizes, k, l-diversity, t-closeness, information."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from minimaxdp import _validate
from minimaxdp._types import Array
from minimaxdp.k_anonymity import _encode
from minimaxdp.k_anonymity._labels import Names, covers

__all__ = [
    "k_of",
    "class_sizes",
    "classes",
    "closeness",
    "diversity",
    "information_loss",
    "uniqueness",
]

# Cells of the (class, value) matrix held at once: 32 MiB of floats.
_CELLS = 2**22


def k_of(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    *,
    missing: _encode.Missing = "refuse",
) -> int:
    r"""The k of a table: the number of rows in its smallest class.

    .. math:: k = \min_{c} \# c

    where the classes c are the sets of rows that agree on all quasi-identifiers. The table is
    k'-anonymous for every k' up to this one; it lies between 1 and the number of rows.

    Parameters
    ----------
    table : DataFrame
        At least one row; any index.
    quasi_identifiers : sequence of column names
    missing : {"refuse", "value"}
        Whether a missing quasi-identifier raises, or counts as a value of its own that agrees
        with other missing ones. Rows are never dropped.

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        If the table is empty or no DataFrame, a column is not in it, or a value is missing
        under ``missing="refuse"``.

    Notes
    -----
    Smith's slides, k-anonymity (claim ``Smith-kanon-def``). Rows become integers in mixed radix
    and are counted: O(rows x columns), without a sort.

    Examples
    --------
    >>> from minimaxdp.k_anonymity import hospital_a
    >>> k_of(hospital_a(), ["Zip code", "Age", "Nationality"])
    4
    """
    keys, span = _encode.table_keys(table, quasi_identifiers, missing)
    return int(_encode.key_counts(keys, span).min())


def class_sizes(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    *,
    missing: _encode.Missing = "refuse",
) -> pd.Series:
    """For each row, how many rows agree with it on the quasi-identifiers, itself included.

    Parameters
    ----------
    table : DataFrame
    quasi_identifiers : sequence of column names
    missing : {"refuse", "value"}
        As in :func:`k_of`.

    Returns
    -------
    Series of int
        With the index of the table.

    Raises
    ------
    TypeError, ValueError
        As in :func:`k_of`.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [28, 28, 31]}, index=["Ann", "Bea", "Cy"])
    >>> class_sizes(table, ["age"]).to_dict()
    {'Ann': 2, 'Bea': 2, 'Cy': 1}
    """
    ids, sizes = _encode.dense(*_encode.table_keys(table, quasi_identifiers, missing))
    return pd.Series(sizes[ids], index=table.index, name="class size")


def uniqueness(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    *,
    missing: _encode.Missing = "refuse",
) -> float:
    r"""The share of rows that no other row resembles.

    .. math:: \frac{1}{n} \#\{ i : \# c(i) = 1 \}

    Between 0 and 1.

    Parameters
    ----------
    table : DataFrame
    quasi_identifiers : sequence of column names
    missing : {"refuse", "value"}
        As in :func:`k_of`.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        As in :func:`k_of`.

    Examples
    --------
    >>> uniqueness(pd.DataFrame({"age": [28, 28, 31, 40]}), ["age"])
    0.5
    """
    keys, span = _encode.table_keys(table, quasi_identifiers, missing)
    return float((_encode.key_counts(keys, span) == 1).sum() / len(table))


def classes(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Hashable | None = None,
    *,
    distance: Literal["categorical", "ordered"] = "categorical",
    missing: _encode.Missing = "refuse",
) -> pd.DataFrame:
    """One row for each class: its quasi-identifiers, its size and, on demand, its diversity.

    Parameters
    ----------
    table : DataFrame
    quasi_identifiers : sequence of column names
    sensitive : column name, optional
        If given, the columns ``distinct`` and ``entropy`` (see :func:`diversity`) and ``t``
        (see :func:`closeness`) are added.
    distance : {"categorical", "ordered"}
        Ground distance of ``t``.
    missing : {"refuse", "value"}
        As in :func:`k_of`, for the sensitive column too.

    Returns
    -------
    DataFrame
        Classes in the order of their first rows.

    Raises
    ------
    TypeError, ValueError
        As in :func:`k_of` and :func:`closeness`.

    Examples
    --------
    >>> from minimaxdp.k_anonymity import hospital_a
    >>> table = classes(hospital_a(), ["Zip code", "Age"], "Condition")
    >>> table[["Age", "size", "distinct"]].values.tolist()
    [['<30', 4, 3], ['≥40', 4, 3], ['3*', 4, 1]]
    """
    ids, sizes = _encode.dense(*_encode.table_keys(table, quasi_identifiers, missing))
    first = _encode.first_rows(ids, sizes.size)
    order = np.argsort(first)
    columns: dict[str, NDArray[Any]] = {"size": sizes}
    if sensitive is not None:
        codes, values = _sensitive(table, sensitive, missing, distance)
        columns["distinct"] = _distinct(ids, sizes, codes, len(values))
        columns["entropy"] = _entropy(ids, sizes, codes, len(values))
        columns["t"] = _distances(ids, sizes, codes, len(values), distance)
    result = table.iloc[first[order]][list(quasi_identifiers)].reset_index(drop=True)
    return result.assign(**{name: column[order] for name, column in columns.items()})


def diversity(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Hashable,
    *,
    kind: Literal["distinct", "entropy"] = "distinct",
    missing: _encode.Missing = "refuse",
) -> float:
    r"""The l of a table: how many sensitive values its poorest class holds.

    .. math:: l_{\text{distinct}} = \min_c \#\{ s : p_c(s) > 0 \}, \qquad
              l_{\text{entropy}} = \min_c \exp\Big( -\sum_s p_c(s) \ln p_c(s) \Big)

    where :math:`p_c` are the frequencies of the sensitive values in class c. At least 1, where
    1 means that some class has a single value; entropy l is at most distinct l.

    Parameters
    ----------
    table : DataFrame
    quasi_identifiers : sequence of column names
    sensitive : column name
    kind : {"distinct", "entropy"}
    missing : {"refuse", "value"}
        As in :func:`k_of`, for the sensitive column too.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        As in :func:`k_of`, or if `kind` is neither of the two.

    Notes
    -----
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007).

    Examples
    --------
    >>> from minimaxdp.k_anonymity import hospital_a, hospital_b
    >>> diversity(hospital_a(), ["Age"], "Condition")
    1.0
    >>> round(diversity(hospital_b(), ["Age"], "Condition", kind="entropy"), 3)
    2.749
    """
    _validate.choice("kind", kind, ("distinct", "entropy"))
    ids, sizes = _encode.dense(*_encode.table_keys(table, quasi_identifiers, missing))
    codes, values = _sensitive(table, sensitive, missing)
    measure = _distinct if kind == "distinct" else _entropy
    return float(measure(ids, sizes, codes, len(values)).min())


def closeness(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    sensitive: Hashable,
    *,
    distance: Literal["categorical", "ordered"] = "categorical",
    missing: _encode.Missing = "refuse",
) -> float:
    r"""The t of a table: how far the frequencies in a class stray from those in the table.

    .. math:: t = \max_c D(p_c, q), \qquad
              D_{\text{categorical}} = \tfrac12 \sum_s |p_c(s) - q(s)|, \qquad
              D_{\text{ordered}} = \frac{1}{m - 1} \sum_{j=1}^{m-1}
              \Big| \sum_{i \le j} \big( p_c(s_i) - q(s_i) \big) \Big|

    Both are earth mover's distances: moving mass costs 1 between any two values, or their
    difference in rank over m - 1, where :math:`s_1 < \dots < s_m` are the values that occur in
    the table. Between 0 (all classes alike) and 1.

    Parameters
    ----------
    table : DataFrame
    quasi_identifiers : sequence of column names
    sensitive : column name
        For the ordered distance numbers, texts (in their own order) or an ordered categorical.
    distance : {"categorical", "ordered"}
    missing : {"refuse", "value"}
        As in :func:`k_of`; a missing sensitive value has no rank, and the ordered distance
        always refuses it.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        As in :func:`k_of`, or if the sensitive values have no order that was asked for.

    Notes
    -----
    Li, Li and Venkatasubramanian (2007).

    Examples
    --------
    >>> table = pd.DataFrame({"age": ["<30", "<30", "≥30", "≥30"], "visits": [0, 1, 2, 3]})
    >>> closeness(table, ["age"], "visits")
    0.5
    >>> round(closeness(table, ["age"], "visits", distance="ordered"), 6)
    0.333333
    """
    ids, sizes = _encode.dense(*_encode.table_keys(table, quasi_identifiers, missing))
    codes, values = _sensitive(table, sensitive, missing, distance)
    return float(_distances(ids, sizes, codes, len(values), distance).max())


def information_loss(
    original: pd.DataFrame,
    released: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable],
    *,
    names: Names | None = None,
) -> float:
    r"""What generalisation costs: the average share of its range that a cell no longer excludes.

    .. math:: \frac{1}{n q} \sum_{i, j} \frac{\#\{ v \in V_j : v \text{ is covered by cell }
              (i, j) \} - 1}{\# V_j - 1}

    where :math:`V_j` are the values of column j in the original, missing ones included. It is 0
    for the original table and 1 if every cell is ``*``; a column of one value counts as 0.

    Parameters
    ----------
    original, released : DataFrame
        The table before and after; the cells of `released` as in
        :func:`~minimaxdp.k_anonymity.covers`.
    quasi_identifiers : sequence of column names
    names : mapping of str to collection, optional
        What the names of tree nodes stand for.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a table is empty, a column is not in it, or a cell covers no original value.

    Examples
    --------
    >>> original = pd.DataFrame({"age": [28, 31, 36]})
    >>> released = pd.DataFrame({"age": ["28", "[31, 36]", "[31, 36]"]})
    >>> round(information_loss(original, released, ["age"]), 6)
    0.333333
    """
    columns = _encode.checked_columns(
        "quasi_identifiers", original, quasi_identifiers, called="original"
    )
    _encode.checked_columns("quasi_identifiers", released, quasi_identifiers, called="released")
    losses = []
    for name in columns:
        values = original[name].unique()
        codes, labels = _encode.column_codes(released, name, "value")
        rows = np.bincount(codes, minlength=len(labels))
        used = np.flatnonzero(rows)
        reach = np.array([covers(labels[code], values, names=names).sum() for code in used])
        if np.any(reach == 0):
            empty = labels[used[reach == 0][0]]
            raise ValueError(f"released[{name!r}] must cover some original value, got {empty!r}")
        losses.append(np.average((reach - 1) / max(len(values) - 1, 1), weights=rows[used]))
    return float(np.mean(losses))


def _sensitive(
    table: pd.DataFrame, name: Hashable, missing: _encode.Missing, distance: str = "categorical"
) -> tuple[_encode.Codes, pd.Index]:
    """Codes of the sensitive column; for the ordered distance these are ranks without gaps."""
    _validate.choice("distance", distance, ("categorical", "ordered"))
    _encode.checked_column("sensitive", table, name)
    if distance == "categorical":
        return _encode.column_codes(table, name, missing)
    dtype = table[name].dtype
    if isinstance(dtype, pd.CategoricalDtype) and not dtype.ordered:
        raise ValueError(f"distance 'ordered' needs an ordered sensitive column, got {name!r}")
    codes, values = _encode.column_codes(table, name, "refuse", sort=True)
    present = np.bincount(codes, minlength=len(values)) > 0
    if present.all():
        return codes, values
    return (np.cumsum(present) - 1)[codes], values[present]


def _pairs(
    ids: NDArray[np.int64], codes: _encode.Codes, m: int, classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The (class, value) pairs that occur: class, value and number of rows of each."""
    keys = ids * m
    keys += codes
    counts = np.bincount(keys) if classes * m <= max(4 * ids.size, 2**16) else None
    if counts is None:
        folded, pairs = pd.factorize(keys)
        counts = np.bincount(folded)
    else:
        pairs = np.flatnonzero(counts)
        counts = counts[pairs]
    return pairs // m, pairs % m, counts


def _distinct(
    ids: NDArray[np.int64], sizes: NDArray[np.int64], codes: _encode.Codes, m: int
) -> NDArray[np.int64]:
    owner, _, _ = _pairs(ids, codes, m, sizes.size)
    return np.bincount(owner, minlength=sizes.size)


def _entropy(
    ids: NDArray[np.int64], sizes: NDArray[np.int64], codes: _encode.Codes, m: int
) -> Array:
    owner, _, counts = _pairs(ids, codes, m, sizes.size)
    share = counts / sizes[owner]
    return np.exp(np.bincount(owner, weights=-share * np.log(share), minlength=sizes.size))


def _distances(
    ids: NDArray[np.int64],
    sizes: NDArray[np.int64],
    codes: _encode.Codes,
    m: int,
    distance: str,
) -> Array:
    overall = np.bincount(codes, minlength=m) / codes.size
    if distance == "categorical":
        # Total variation is the surplus over the table, and only a value in the class has one.
        owner, value, counts = _pairs(ids, codes, m, sizes.size)
        surplus = np.maximum(counts / sizes[owner] - overall[value], 0)
        return np.bincount(owner, weights=surplus, minlength=sizes.size).astype(float, copy=False)
    step = max(_CELLS // m, 1)
    parts = [slice(start, start + step) for start in range(0, sizes.size, step)]
    ahead = []
    for part in parts:
        inside = slice(None) if len(parts) == 1 else (ids >= part.start) & (ids < part.stop)
        own = sizes[part]
        keys = codes[inside].astype(np.int64)
        keys *= own.size
        keys += ids[inside] - part.start
        # Values run along the first axis: sums over them then add whole rows.
        gap = np.bincount(keys, minlength=m * own.size).reshape(m, own.size) / own
        gap -= overall[:, None]
        np.cumsum(gap, axis=0, out=gap)
        np.abs(gap, out=gap)
        ahead.append(gap[:-1].sum(axis=0))
    return np.concatenate(ahead) / max(m - 1, 1)
