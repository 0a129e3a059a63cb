"""Bits rebuilt from the counts of subsets of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array

__all__ = ["Reconstruction", "from_subset_counts", "wrong_bits_bound"]

Method = Literal["linear programme", "least squares"]
_METHODS = ("linear programme", "least squares")
# Of the matrix of a linear programme; beyond, it takes minutes.
_MOST_ENTRIES = 2**21


@dataclass(frozen=True)
class Reconstruction:
    """What `from_subset_counts` rebuilt.

    Parameters
    ----------
    bits : ndarray of int, shape (n,)
        One for each person.
    estimate : ndarray of float, shape (n,)
        What was rounded.
    error : float
        The largest distance between an answer and what `estimate` would answer.

    Examples
    --------
    >>> from_subset_counts([[1, 0], [1, 1]], [0, 1]).bits.tolist()
    [0, 1]
    """

    bits: NDArray[np.int64]
    estimate: Array
    error: float


def from_subset_counts(
    queries: ArrayLike, answers: ArrayLike, *, method: Method = "linear programme"
) -> Reconstruction:
    r"""Rebuild everybody's bit from counts over subsets of the people, each a little wrong.

    The linear programme

    .. math:: \min_{z \in [0, 1]^n} \max_i |(Q z)_i - a_i|

    or least squares, :math:`\min_z \lVert Q z - a \rVert_2`, and then each :math:`z_j` rounded to
    0 or 1 (one half to 0). :func:`wrong_bits_bound` says how many bits may be wrong.

    Parameters
    ----------
    queries : array_like of 0 and 1, shape (m, n)
        One row for each subset, a one for each person in it.
    answers : array_like, shape (m,)
        The published counts: how many in each subset have the bit 1, with an error.
    method : {"linear programme", "least squares"}
        The first serves for some 500 people, the second for thousands.

    Returns
    -------
    Reconstruction

    Raises
    ------
    TypeError, ValueError
        If the queries are no matrix of zeros and ones, there are not as many answers as queries, an
        answer is not finite, the columns of the queries are dependent (least squares), or the
        linear programme has more than two million entries.

    Notes
    -----
    Dinur and Nissim (2003), with the largest error minimized so that it need not be known
    (claim ``recon-lp``).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> secret, queries = rng.integers(0, 2, 30), rng.integers(0, 2, (60, 30))
    >>> answers = queries @ secret + rng.uniform(-1, 1, 60)
    >>> int((from_subset_counts(queries, answers).bits != secret).sum())
    0
    """
    _validate.choice("method", method, _METHODS)
    queries = _checked_queries(queries)
    answers = np.asarray(_validate.real("answers", answers, minimum=-1e12, maximum=1e12))
    if answers.shape != (len(queries),):
        raise ValueError(
            f"answers must be as many as queries, shape ({len(queries)},), got {answers.shape}"
        )
    if method == "linear programme":
        estimate = _least_largest_error(queries, answers)
    else:
        estimate = _least_squares(queries, answers)
    error = float(np.abs(queries @ estimate - answers).max())
    return Reconstruction((estimate > 0.5).astype(np.int64), estimate, error)


def wrong_bits_bound(
    queries: ArrayLike, error: ArrayLike, *, method: Method = "linear programme"
) -> float | Array:
    r"""How many bits `from_subset_counts` gets wrong at most, if no answer errs by more than that.

    .. math:: \min\Big(n, \frac{16 E^2 m}{\sigma^2}\Big)
        \quad\text{or}\quad \min\Big(n, \frac{4 E^2 m}{\sigma^2}\Big)

    for the linear programme and for least squares, where :math:`\sigma` is the smallest singular
    value of the queries; :math:`n` if it is zero.

    Parameters
    ----------
    queries : array_like of 0 and 1, shape (m, n)
    error : array_like
        The bound E on the error of each answer, from 0 to 1e12.
    method : {"linear programme", "least squares"}

    Returns
    -------
    float or ndarray, shape of error
        A number of people, from 0 to n; it need not be whole.

    Raises
    ------
    TypeError, ValueError
        If the queries are no matrix of zeros and ones, or an error is negative or too large.

    Notes
    -----
    Claim ``recon-lp``.

    Examples
    --------
    >>> wrong_bits_bound([[1, 0], [0, 1]], 0.1)
    0.32
    """
    _validate.choice("method", method, _METHODS)
    queries = _checked_queries(queries)
    error = np.asarray(_validate.real("error", error, minimum=0, maximum=1e12))
    m, n = queries.shape
    values = np.linalg.svd(queries, compute_uv=False)
    least = values[-1] if m >= n and values[-1] > values[0] * 1e-12 * m else 0.0
    factor = 16 if method == "linear programme" else 4
    if least == 0:
        return np.full(error.shape, float(n))[()]
    return np.minimum(n, factor * error**2 * m / least**2)[()]


def _checked_queries(queries: ArrayLike) -> Array:
    found = _validate.bits("queries", queries)
    if found.ndim != 2:
        raise ValueError(f"queries must be a matrix (queries, people), got {found.ndim} axes")
    _validate.memory("queries", 2, *found.shape)
    return found.astype(float)


def _least_largest_error(queries: Array, answers: Array) -> Array:
    from scipy.optimize import linprog

    m, n = queries.shape
    if 2 * m * (n + 1) > _MOST_ENTRIES:
        raise ValueError(
            f"queries must have at most {_MOST_ENTRIES // 2:,} entries for the linear programme, "
            f"got {m * n:,}: use method='least squares'"
        )
    slack = -np.ones((m, 1))
    done = linprog(
        np.r_[np.zeros(n), 1],
        A_ub=np.block([[queries, slack], [-queries, slack]]),
        b_ub=np.r_[answers, -answers],
        bounds=[(0, 1)] * n + [(0, None)],
        method="highs-ipm",
    )
    if done.x is None:
        raise RuntimeError(f"the linear programme failed: {done.message}")
    return done.x[:n]


def _least_squares(queries: Array, answers: Array) -> Array:
    from scipy.linalg import LinAlgError, cho_solve, cholesky

    gram = queries.T @ queries  # whole numbers, so exact
    try:
        factor = cholesky(gram, lower=True)
        dependent = np.diag(factor).min() ** 2 < 1e-9 * gram.max()
    except LinAlgError:
        dependent = True
    if dependent:
        raise ValueError("queries must tell all people apart, but their columns are dependent")
    return cho_solve((factor, True), queries.T @ answers)
