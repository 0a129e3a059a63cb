r"""The test behind a definition: the least second error that a first error allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real
from minimaxdp.privacy._neighbours import Pairs, _falling, _worst

__all__ = [
    "tradeoff",
    "tradeoff_curve",
]


def tradeoff_curve(p: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    r"""Corners of the exact trade-off curve between two laws, by Neyman and Pearson.

    .. math:: T(P, Q)(\alpha) = \min_\psi \{ Q(\psi = 0) : P(\psi = 1) \le \alpha \}

    Between neighbouring corners the curve is straight: a test may toss a coin.

    Parameters
    ----------
    p, q : array_like, shape (k,)
        The laws of the two hypotheses.

    Returns
    -------
    alpha, beta : ndarray, at most k + 1 corners
        First and second error of the tests that reject on the outputs of largest q/p. The
        first corner lies at alpha 0, the last is (1, 0).

    Raises
    ------
    ValueError
        If a vector is not a law, or there is more than one on either side.

    Notes
    -----
    The tests of Barber and Duchi (2014), Proposition 1 (claim ``BD-Prop1``).

    Examples
    --------
    >>> alpha, beta = tradeoff_curve([0.75, 0.25], [0.25, 0.75])
    >>> alpha.tolist(), beta.tolist()
    ([0.0, 0.25, 1.0], [1.0, 0.25, 0.0])
    """
    p, q = _falling(*_validate.two_laws(p, q))
    alpha = np.concatenate([[0.0], p.cumsum()])
    beta = np.concatenate([q[::-1].cumsum()[::-1], [0.0]])
    alpha[-1] = 1.0
    beta[0] = 1.0
    free = np.flatnonzero(p > 0)[0]  # outputs that the first law rules out cost no error
    return np.concatenate([[0.0], alpha[free + 1 :]]), beta[free:]


def tradeoff(channel: ArrayLike, alpha: ArrayLike, pairs: Pairs = None) -> Real:
    r"""Least second error of a test between neighbours, at a given first error.

    .. math:: \min_{x \sim x'} T\big(Q(\cdot \mid x), Q(\cdot \mid x')\big)(\alpha)

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    alpha : array_like
        First error, between 0 and 1.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.

    Returns
    -------
    float or ndarray, the shape of alpha
        Between 0 and 1 - alpha.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic, a pair does not name two of its rows, or alpha
        lies outside [0, 1].

    Notes
    -----
    The curve is the largest of the lines through its edges, which is how it is evaluated
    (claim ``BD-Prop1``).

    Examples
    --------
    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> [float(beta) for beta in tradeoff(flip, [0.0, 0.125, 0.25, 1.0])]
    [1.0, 0.625, 0.25, 0.0]
    """
    channel, both = _validate.neighbours(channel, pairs)
    alpha = np.asarray(_validate.real("alpha", alpha, minimum=0, maximum=1))
    flat = alpha.ravel()

    def level(p: Array, q: Array) -> Array:
        p, q = _falling(p, q)
        first = p.cumsum(axis=-1)[:, None]
        second = (q[:, ::-1].cumsum(axis=-1)[:, ::-1] - q)[:, None]
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            slope = np.divide(q, p, out=np.zeros_like(p), where=p > 0)[:, None]
            line = second + slope * (first - flat[:, None])
            # A slope beyond the range of a double times a piece of p may be a number all the same.
            piece = np.clip((first - flat[:, None]) / p[:, None], -1e300, 1e300)
            line = np.where(np.isinf(slope), second + q[:, None] * piece, line)
        return -np.maximum(np.where(p[:, None] > 0, line, 0.0), 0.0).max(axis=-1)

    return np.reshape(-_worst(channel, both, level, weight=flat.size), alpha.shape)[()]
