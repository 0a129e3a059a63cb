r"""Relatives of pure privacy that are read off likelihood ratios: smooth, and bounded range."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate, divergences
from minimaxdp.privacy._neighbours import Pairs, _chunks, _worst

__all__ = ["bounded_range", "metric_dp_epsilon"]


def metric_dp_epsilon(channel: ArrayLike, distances: ArrayLike) -> float:
    r"""Smallest epsilon for which a mechanism is epsilon-smooth under a metric.

    .. math:: \max_{x \ne x'} \frac1{d(x, x')} \max_y \ln \frac{Q(y \mid x)}{Q(y \mid x')}

    over all pairs of inputs, at any distance, and not over neighbours alone.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    distances : array_like, shape (inputs, inputs)
        Symmetric, at least 0 and zero on the diagonal, such as
        :func:`minimaxdp.privacy.distances` returns.

    Returns
    -------
    float
        Nats for each unit of distance; infinite if two inputs at distance 0 have different
        laws.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic or the distances violate a condition.

    Notes
    -----
    Barber and Duchi (2014), Definition 2 (claim ``BD-Def2``).

    Examples
    --------
    >>> round(metric_dp_epsilon([[0.75, 0.25], [0.25, 0.75]], [[0, 0.5], [0.5, 0]]), 6)
    2.197225
    """
    channel, both = _validate.neighbours(channel, None)
    table = np.asarray(_validate.real("distances", distances, minimum=0))
    if table.shape != (len(channel), len(channel)):
        raise ValueError(
            f"distances must have shape {(len(channel), len(channel))}, got {table.shape}"
        )
    if np.any(np.diag(table) != 0) or np.any(table != table.T):
        raise ValueError("distances must be symmetric with a zero diagonal")
    reach = np.concatenate(
        [
            divergences.max_divergence(channel[piece[:, 0]], channel[piece[:, 1]])
            for piece in _chunks(channel, both)
        ]
    )
    apart = table[both[:, 0], both[:, 1]]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        ratio = np.where(reach == 0, 0.0, reach / apart)
    return float(ratio.max())


def bounded_range(channel: ArrayLike, pairs: Pairs = None) -> float:
    r"""Largest spread of the log-likelihood ratio between neighbours.

    .. math:: \max_{x \sim x'} \Big(\max_y \ln \frac{Q(y \mid x)}{Q(y \mid x')}
              - \min_y \ln \frac{Q(y \mid x)}{Q(y \mid x')}\Big)

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.

    Returns
    -------
    float
        Nats; between the pure epsilon and twice it.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic or a pair does not name two of its rows.

    Notes
    -----
    The condition into which conditional testing privacy turns on events of any mass (claim
    ``BD-Thm1``); the name is that of Durfee and Rogers (2019).

    Examples
    --------
    >>> round(bounded_range([[2 / 3, 1 / 3], [1 / 3, 2 / 3]]), 12)
    1.38629436112
    """
    channel, both = _validate.neighbours(channel, pairs)
    spread = _worst(
        channel,
        both,
        lambda p, q: divergences.max_divergence(p, q) + divergences.max_divergence(q, p),
    )
    return float(spread)
