r"""The smallest parameter of each definition that a finite mechanism satisfies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate, divergences
from minimaxdp._types import Array, Real
from minimaxdp.privacy._neighbours import Pairs, _falling, _worst

__all__ = [
    "privacy_profile",
    "epsilon_at_delta",
    "worst_divergence",
    "dp_epsilon",
]


def dp_epsilon(channel: ArrayLike, pairs: Pairs = None) -> float:
    r"""Smallest epsilon for which a mechanism is epsilon-differentially private.

    .. math:: \max_{x \sim x'} \max_y \ln \frac{Q(y \mid x)}{Q(y \mid x')}

    On a finite output set the supremum over events equals the maximum over single outputs.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.

    Returns
    -------
    float
        Nats; 0 if neighbours have equal laws, infinite if an output rules one of them out.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic or a pair does not name two of its rows.

    Notes
    -----
    Smith's slides, the definition and its pointwise form (claims ``Smith-DP-def``,
    ``Smith-DP-equiv``); Barber and Duchi (2014), Definition 1 (claim ``BD-Def1``).

    Examples
    --------
    >>> round(dp_epsilon([[2 / 3, 1 / 3], [1 / 3, 2 / 3]]), 12)
    0.69314718056
    """
    channel, both = _validate.neighbours(channel, pairs)
    return float(_worst(channel, both, divergences.max_divergence))


def privacy_profile(channel: ArrayLike, epsilon: ArrayLike, pairs: Pairs = None) -> Real:
    r"""Smallest delta for which a mechanism is (epsilon, delta)-differentially private.

    .. math:: \delta(\varepsilon) = \max_{x \sim x'} \sum_y
              \max\{Q(y \mid x) - e^\varepsilon Q(y \mid x'), 0\}

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    epsilon : array_like
        Nats, at least 0.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.

    Returns
    -------
    float or ndarray, the shape of epsilon
        Between 0 and 1; at epsilon 0 the largest total-variation distance.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic, a pair does not name two of its rows, or epsilon
        is negative.

    Notes
    -----
    Barber and Duchi (2014), Definition 3 (claim ``BD-Def3``).

    Examples
    --------
    >>> round(float(privacy_profile([[0.75, 0.25], [0.25, 0.75]], 0.5)), 6)
    0.33782
    """
    channel, both = _validate.neighbours(channel, pairs)
    epsilon = np.asarray(_validate.real("epsilon", epsilon, minimum=0))
    flat = epsilon.ravel()
    level = _worst(
        channel,
        both,
        lambda p, q: divergences.hockey_stick(p[:, None], q[:, None], flat),
        weight=flat.size,
    )
    return np.reshape(level, epsilon.shape)[()]


def epsilon_at_delta(channel: ArrayLike, delta: ArrayLike, pairs: Pairs = None) -> Real:
    r"""Smallest epsilon for which a mechanism is (epsilon, delta)-differentially private.

    With the outputs in falling order of :math:`Q(y \mid x) / Q(y \mid x')` and :math:`A_j` the
    first j of them,

    .. math:: \varepsilon(\delta) = \max_{x \sim x'} \max_j
              \Big(\ln \frac{Q(A_j \mid x) - \delta}{Q(A_j \mid x')}\Big)_+

    which inverts the piecewise linear :math:`e^\varepsilon \mapsto \delta` exactly.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    delta : array_like
        Between 0 and 1.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.

    Returns
    -------
    float or ndarray, the shape of delta
        Nats; infinite where no epsilon will do.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic, a pair does not name two of its rows, or delta
        lies outside [0, 1].

    Notes
    -----
    :math:`\delta(\varepsilon) = \max_j (Q(A_j|x) - e^\varepsilon Q(A_j|x'))`, because the best
    event of every epsilon is one of the :math:`A_j`; each term falls in epsilon, so all of them
    are at most delta from the largest of their zeros on (claim ``BD-Def3``).

    Examples
    --------
    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> round(float(epsilon_at_delta(flip, privacy_profile(flip, 0.5))), 12)
    0.5
    """
    channel, both = _validate.neighbours(channel, pairs)
    delta = np.asarray(_validate.real("delta", delta, minimum=0, maximum=1))
    flat = delta.ravel()

    def level(p: Array, q: Array) -> Array:
        q, p = _falling(q, p)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            high, low = p.cumsum(axis=-1)[:, None], q.cumsum(axis=-1)[:, None]
            excess = (p - q).cumsum(axis=-1)[:, None] - flat[:, None]
            ratio = np.where(low > 0, excess / np.where(low > 0, low, 1), np.inf)
            # A ratio beyond the range of a double has a logarithm all the same.
            beyond = np.log(high - flat[:, None]) - np.log(low)
            # Where the second law puts nothing, only a first mass above delta matters.
            ratio = np.where((low == 0) & (high <= flat[:, None]), 0.0, ratio)
            level = np.log1p(np.maximum(ratio, 0))
            return np.where((low > 0) & np.isinf(ratio), beyond, level).max(axis=-1)

    return np.reshape(_worst(channel, both, level, weight=flat.size), delta.shape)[()]


def worst_divergence(
    channel: ArrayLike,
    divergence: Callable[..., Any],
    pairs: Pairs = None,
    **parameters: Any,
) -> float:
    r"""Largest divergence between the output laws of neighbours, in either order.

    .. math:: \max_{x \sim x'} D\big(Q(\cdot \mid x) \,\|\, Q(\cdot \mid x')\big)

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    divergence : callable
        Any function of :mod:`minimaxdp.divergences`, or one like them: called with two arrays
        of shape (m, outputs), it returns m values.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.
    **parameters
        Passed on to the divergence, such as ``order=2`` to ``renyi`` or ``f=...`` to
        ``f_divergence``; no arrays.

    Returns
    -------
    float
        Infinite where the divergence is.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic, a pair does not name two of its rows, a parameter
        is an array, or the divergence is no function or does not return m values.

    Notes
    -----
    Barber and Duchi (2014), Definitions 4 and 5 (claims ``BD-Def4``, ``BD-Def5``).

    Examples
    --------
    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> worst_divergence(flip, divergences.total_variation)
    0.5
    >>> round(worst_divergence(flip, divergences.renyi, order=2), 6)
    0.847298
    """
    channel, both = _validate.neighbours(channel, pairs)
    divergence = _validate.function("divergence", divergence)
    for name, value in parameters.items():
        if np.iterable(value) and not isinstance(value, str):
            raise TypeError(f"{name} must be a single value, got a {type(value).__name__}")

    def level(p: Array, q: Array) -> Array:
        found = np.asarray(divergence(p, q, **parameters))
        if found.dtype.kind not in "iuf" or found.shape != (len(p),) or np.isnan(found).any():
            raise ValueError(
                f"divergence must return {len(p)} numbers for {len(p)} pairs of laws, got {found!r}"
            )
        return found

    return float(_worst(channel, both, level))
