r"""Bounds on composed privacy in closed form, and the normal limit with its error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from minimaxdp import _validate
from minimaxdp._types import Real
from minimaxdp.accounting._compose import Interval
from minimaxdp.accounting._grids import DUST, support
from minimaxdp.accounting._pairs import Loss
from minimaxdp.guarantees import gaussian_delta

__all__ = ["NormalLimit", "advanced_epsilon", "normal_limit"]

# Shevtsova (2011), for sums of independent laws of one kind: the constant 0.4748.
_BERRY_ESSEEN = 0.4748


def advanced_epsilon(k: ArrayLike, epsilon: ArrayLike, delta: ArrayLike) -> Real:
    r"""The epsilon of k releases by advanced composition.

    .. math:: k\,\varepsilon \tanh\frac\varepsilon2 + \varepsilon \sqrt{2 k \ln\frac1\delta}

    but never more than the sum :math:`k \varepsilon`.

    Parameters
    ----------
    k : array_like of int
        Number of releases, at least 1.
    epsilon : array_like
        Pure budget of each, positive.
    delta : array_like
        Strictly between 0 and 1.

    Returns
    -------
    float or ndarray
        Nats.

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range.

    Notes
    -----
    Dwork, Rothblum and Vadhan (2010), with the mean of randomized response's loss.

    Examples
    --------
    >>> round(float(advanced_epsilon(1000, 0.1, 1e-6)), 3)
    21.618
    """
    k = _validate.integer("k", k, minimum=1)
    epsilon = _validate.epsilon(epsilon)
    delta = _validate.real("delta", delta, above=0, below=1)
    _validate.broadcast(k=k, epsilon=epsilon, delta=delta)
    spread = epsilon * np.sqrt(-2 * k * np.log(delta))
    return np.minimum(k * epsilon * np.tanh(epsilon / 2) + spread, k * epsilon)


class NormalLimit:
    r"""What k releases promise if their loss were normal, and how wrong that may be.

    Made by :func:`normal_limit`.

    Attributes
    ----------
    mean, variance : float
        Of the sum of the losses.
    mu : float
        Level of the Gaussian privacy of the limit, the root of the variance.
    error : float
        Berry and Esseen's bound on the difference of the distribution functions.

    Examples
    --------
    >>> from minimaxdp.guarantees import LaplacePair
    >>> limit = normal_limit(LaplacePair(0.1), k=1000)
    >>> round(limit.mu, 3), round(limit.error, 4)
    (3.108, 0.0152)
    """

    def __init__(self, mean: float, variance: float, error: float) -> None:
        self.mean = _validate.one_real("mean", mean)
        self.variance = _validate.one_real("variance", variance, above=0)
        self.error = _validate.one_real("error", error, minimum=0)
        self.mu = float(np.sqrt(self.variance))

    def __repr__(self) -> str:
        return f"NormalLimit(mean={self.mean!r}, variance={self.variance!r}, error={self.error!r})"

    def delta(self, epsilon: float) -> Interval:
        r"""The delta at an epsilon, between the normal one minus and plus the error.

        It is the mean of a function of the loss that rises from 0 to 1.

        Parameters
        ----------
        epsilon : float
            Nats, at least 0.

        Returns
        -------
        Interval

        Examples
        --------
        >>> from minimaxdp.guarantees import LaplacePair
        >>> low, high = normal_limit(LaplacePair(0.1), k=1000).delta(10.0)
        >>> bool(low < normal_limit(LaplacePair(0.1), k=1000).normal_delta(10.0) < high)
        True
        """
        middle = self.normal_delta(epsilon)
        return Interval(max(middle - self.error, 0.0), min(middle + self.error, 1.0))

    def normal_delta(self, epsilon: float) -> float:
        r"""The mean of :math:`(1 - e^{\varepsilon - L})_+` for a normal L.

        Parameters
        ----------
        epsilon : float
            Nats, at least 0.

        Examples
        --------
        >>> NormalLimit(0.5, 1.0, 0.0).normal_delta(1.0)
        0.1269
        """
        epsilon = _validate.one_real("epsilon", epsilon, minimum=0)
        if abs(self.mean - self.variance / 2) <= 1e-12 * self.variance:
            return float(gaussian_delta(epsilon, 1 / self.mu))
        z = (self.mean - epsilon) / self.mu
        tilt = np.exp(min(epsilon - self.mean + self.variance / 2, 700.0))
        return float(np.clip(ndtr(z) - tilt * ndtr(z - self.mu), 0.0, 1.0))


def normal_limit(pair: Any, k: int, *, nodes: int = 2**16) -> NormalLimit:
    r"""The central limit of k equal losses, with Berry and Esseen's error.

    .. math:: \sup_x |\Pr(L_1 + \dots + L_k \le x) - \Phi(\cdot)| \le
              \frac{0.4748\; \mathbb E|L - \mathbb E L|^3}{\sigma^3 \sqrt k}

    Parameters
    ----------
    pair : DominatingPair
        Of one release; its losses must be finite.
    k : int
        Number of releases, at least 1.
    nodes : int
        Cells by which the moments are computed, at least 1024.

    Returns
    -------
    NormalLimit

    Raises
    ------
    TypeError, ValueError
        If the pair is none, has infinite losses, or a number lies outside its range.

    Notes
    -----
    The constant is Shevtsova's (2011).

    Examples
    --------
    >>> from minimaxdp.guarantees import ResponsePair
    >>> limit = normal_limit(ResponsePair(0.1), k=100)
    >>> round(limit.mean, 6), round(limit.error, 6)  # 100 * 0.1 * tanh(0.05)
    (0.499584, 0.047658)
    """
    if not isinstance(pair, Loss):
        raise TypeError(f"pair must be a pair of laws, got {pair!r}")
    if pair.impossible > 0:
        raise ValueError("pair must have finite losses for a normal limit")
    k = _validate.one_integer("k", k, minimum=1)
    nodes = _validate.one_integer("nodes", nodes, minimum=1024, maximum=2**20)
    low, high = support(pair, DUST)
    edges = np.linspace(low, high, nodes + 1)
    edges[0], edges[-1] = -np.inf, np.inf
    p, q = pair.cells(edges)
    used = (p > 0) & (q > 0)
    p, losses = p[used], np.log(p[used]) - np.log(q[used])
    mean = float(p @ losses)
    variance = float(p @ (losses - mean) ** 2)
    third = float(p @ abs(losses - mean) ** 3)
    error = _BERRY_ESSEEN * third / variance**1.5 / np.sqrt(k)
    return NormalLimit(k * mean, k * variance, float(min(error, 1.0)))
