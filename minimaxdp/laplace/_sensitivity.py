"""How far one person can move a query: global sensitivity, exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array, Real

__all__ = ["ball_sensitivity", "global_sensitivity", "standard_sensitivity"]

Relation = Literal["replacement", "add-remove"]
Query = Literal["count", "sum", "mean", "histogram", "histogram proportions", "counting queries"]

# Data sets enumerated at most; beyond it the exact answer is a matter for a formula.
_MOST = 10**6


def global_sensitivity(
    query: Callable[[NDArray[Any]], ArrayLike],
    domain: Sequence[Any] | NDArray[Any],
    n: int,
    *,
    norm: Literal[1, 2] = 1,
    relation: Relation = "replacement",
) -> float:
    r"""Exact global sensitivity of a query over a finite domain, by enumeration.

    .. math:: GS_f = \sup_{x \sim x'} \|f(x) - f(x')\|

    Under replacement x and x' are data sets of n records that differ in one; under add/remove
    x has n records and x' all of them but one.

    Parameters
    ----------
    query : callable
        Takes an array of data sets, shape (m, size) or (m, size, ...) for records that are
        vectors, and returns (m,) numbers or (m, k) vectors.
    domain : sequence
        The possible records, at least 2.
    n : int
        Number of records, at least 1 (at least 2 under add/remove).
    norm : {1, 2}
        l1 or l2 distance between answers.
    relation : {"replacement", "add-remove"}

    Returns
    -------
    float
        At least 0, in the units of the query.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, the query returns the wrong shape or a value that
        is not finite, or there are more than a million data sets.

    Notes
    -----
    Smith's slides (claim ``Smith-GS``); Boulaguiem's (``Boul-l1sens``); Tang's (``Tang-GS1``).

    Examples
    --------
    >>> global_sensitivity(lambda x: x.mean(axis=1), [0, 1], n=4)
    0.25
    """
    _validate.function("query", query)
    _check_norm(norm)
    _check_relation(relation)
    least = 1 if relation == "replacement" else 2
    n = _validate.one_integer("n", n, minimum=least)
    if isinstance(domain, np.ma.MaskedArray):
        raise TypeError("domain must not be a masked array: leave the entries out")
    try:
        records = np.asarray(domain)
    except ValueError as error:  # records of unequal length
        raise ValueError(f"domain must hold records of one shape: {error}") from None
    if records.ndim == 0 or len(records) < 2:
        raise ValueError(f"domain must hold at least 2 records, got {domain!r}")
    size = len(records)
    if n >= _MOST.bit_length() or size**n > _MOST:  # at once, however large n is
        raise ValueError(f"domain**n must be at most {_MOST} data sets, got {size}**{n}")

    full = _answers(query, records, n)
    if relation == "add-remove":
        fewer = _answers(query, records, n - 1)
        if fewer.shape[1:] != full.shape[1:]:
            raise ValueError(
                f"query must return answers of one length, got {full.shape[1:]} for {n} records "
                f"and {fewer.shape[1:]} for {n - 1}"
            )
        fewer = fewer.reshape((size,) * (n - 1) + (-1,))
    full = full.reshape((size,) * n + (-1,))
    worst = 0.0
    for axis in range(n):
        by_record = np.moveaxis(full, axis, 0)
        if relation == "replacement":
            pairs = ((by_record[u], by_record[v]) for u, v in combinations(range(size), 2))
        else:
            pairs = ((by_record[u], fewer) for u in range(size))
        for one, other in pairs:
            distance = np.linalg.norm(one - other, ord=norm, axis=-1)
            worst = max(worst, float(distance.max()))
    return worst


def standard_sensitivity(
    query: Query,
    *,
    n: int | None = None,
    d: int | None = None,
    low: float = 0.0,
    high: float = 1.0,
    norm: Literal[1, 2] = 1,
    relation: Relation = "replacement",
) -> float:
    r"""Global sensitivity of the standard queries, by formula.

    =======================  ==================================  =========================
    query                    replacement                         add/remove
    =======================  ==================================  =========================
    count                    1                                   1
    sum in [low, high]       high - low                          max(abs(low), abs(high))
    mean in [low, high]      (high - low) / n                    (high - low) / n
    histogram                2, in l2 :math:`\sqrt 2`            1
    histogram proportions    2 / n, in l2 :math:`\sqrt 2 / n`    1 / n
    counting queries         d, in l2 :math:`\sqrt d`            d, in l2 :math:`\sqrt d`
    =======================  ==================================  =========================

    Histogram proportions divide counts by a fixed, public n. The mean under add/remove
    divides by the number of records that are there, n in the larger data set.

    Parameters
    ----------
    query : str
        One of the names in the table.
    n : int, optional
        Number of records; needed by the mean and by proportions.
    d : int, optional
        Number of counting queries; needed by them.
    low, high : float
        Declared range of a record, for sum and mean.
    norm : {1, 2}
    relation : {"replacement", "add-remove"}

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is missing or out of its range.

    Notes
    -----
    Smith's slides (claims ``Smith-GS-proportion``, ``Smith-GS-histogram``,
    ``Smith-GS-queries``).

    Examples
    --------
    >>> standard_sensitivity("mean", n=50)
    0.02
    >>> standard_sensitivity("histogram"), standard_sensitivity("histogram", relation="add-remove")
    (2.0, 1.0)
    """
    _check_norm(norm)
    _check_relation(relation)
    low, high = _validate.interval(low, high)
    people = 1 if n is None else _validate.one_integer("n", n, minimum=1)
    queries = 1 if d is None else _validate.one_integer("d", d, minimum=1)
    _validate.choice("query", query, get_args(Query))
    if n is None and query in ("mean", "histogram proportions"):
        raise ValueError(f"n must be given for the query {query!r}")
    if d is None and query == "counting queries":
        raise ValueError("d must be given for the query 'counting queries'")
    replaced = relation == "replacement"
    moved = 2.0 ** (1 / norm) if replaced else 1.0  # bins that one person changes
    table = {
        "count": 1.0,
        "sum": float(high - low if replaced else max(abs(low), abs(high))),
        "mean": (high - low) / people,
        "histogram": moved,
        "histogram proportions": moved / people,
        "counting queries": float(queries) ** (1 / norm),
    }
    return table[query]


@_validate.broadcasting
def ball_sensitivity(
    n: ArrayLike, d: ArrayLike, *, radius: ArrayLike = 1.0, norm: Literal[1, 2] = 1
) -> Real:
    r"""Sensitivity of the mean of n points of a Euclidean ball, under replacement.

    .. math:: \sup \frac{\|x - x'\|_1}{n} = \frac{2 r \sqrt d}{n}, \qquad
              \sup \frac{\|x - x'\|_2}{n} = \frac{2 r}{n}

    Parameters
    ----------
    n, d : array_like of int
        Number of points and dimension, at least 1.
    radius : array_like
        Radius r of the ball, from 1e-150 to 1e150.
    norm : {1, 2}

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Tang's slides (claim ``Tang-Lap-ball-sens``).

    Examples
    --------
    >>> float(ball_sensitivity(10, 4)), float(ball_sensitivity(10, 4, norm=2))
    (0.4, 0.2)
    """
    _check_norm(norm)
    d, n = _validate.integer("d", d, minimum=1), _validate.integer("n", n, minimum=1)
    radius = _validate.scale("radius", radius)
    return 2 * radius * (np.sqrt(d) if norm == 1 else np.ones_like(d, dtype=float)) / n


def _answers(query: Callable[[NDArray[Any]], ArrayLike], records: NDArray[Any], n: int) -> Array:
    """The query at every data set of n records, in lexicographic order."""
    choices = np.array(list(product(range(len(records)), repeat=n)))
    try:
        answers = np.asarray(query(records[choices]), dtype=float)
    except TypeError as error:
        raise TypeError(f"query must turn records of the domain into numbers: {error}") from error
    if answers.ndim not in (1, 2) or len(answers) != len(choices):
        raise ValueError(
            f"query must return one number or vector for each of {len(choices)} data sets, "
            f"got shape {answers.shape}"
        )
    if not np.all(np.isfinite(answers)):
        raise ValueError(
            "query must return finite numbers for records of the domain, got NaN or infinity"
        )
    return answers


def _check_norm(norm: int) -> None:
    _validate.one_integer("norm", norm, minimum=1, maximum=2)


def _check_relation(relation: str) -> None:
    _validate.choice("relation", relation, get_args(Relation))
