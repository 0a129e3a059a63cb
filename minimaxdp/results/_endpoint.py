r"""The end of a support under pure privacy: the exponential mechanism, by simulation."""

from __future__ import annotations

import numpy as np

from minimaxdp import _validate, risk
from minimaxdp._types import Array, Rng
from minimaxdp.guarantees import Guarantee, Pure

__all__ = ["exponential_endpoint_risk"]


def exponential_endpoint_risk(
    n: int,
    privacy: Guarantee,
    theta: float = 1.0,
    *,
    replications: int = 2_000,
    rng: Rng = 0,
) -> risk.MonteCarlo:
    r"""Absolute error of the exponential mechanism for the end of a support, simulated.

    .. math:: q(t \mid x) \propto \frac{1}{t \ln n} e^{-\frac\varepsilon2 |N(t) - m|}, \quad
              \tfrac1n \le t \le 1, \qquad
              q(0 \mid x) \propto e^{-\frac\varepsilon2 (N(1/n) - m)_+}

    with :math:`N(t) = \#\{i : x_i > t\}`,
    :math:`m = \lceil \frac2\varepsilon \ln \max\{2, n^2 \varepsilon / 4\} \rceil` and the estimate
    :math:`\hat\theta = \min\{1, t / (1 - m/(n + 1))\}`. Exactly epsilon-differentially private, as
    replacing a record moves every N(t) by at most one. The base measure is uniform on the
    logarithmic scale, so that small ends are found as well as large ones; the error is of order
    :math:`\frac1{n \varepsilon} + \frac{\sqrt m}n`.

    Parameters
    ----------
    n : int
        Number of people, at least 2.
    privacy : Guarantee
        Pure, or what implies it.
    theta : float
        True end, in (0, 1].
    replications : int
        At least 2.
    rng : Generator, int or None

    Returns
    -------
    MonteCarlo

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The largest values of a uniform sample are drawn from the top by exponential spacings, as
    many as can matter: further down the output falls with probability below exp(-40).

    Examples
    --------
    >>> exponential_endpoint_risk(10_000, Pure(1.0)).mean < 0.002
    True
    """
    n = _validate.one_integer("n", n, minimum=2)
    _validate.instance("privacy", privacy, Guarantee)
    epsilon = _validate.scalar("privacy", np.asarray(privacy.implies(Pure).epsilon))
    theta = _validate.one_real("theta", theta, above=0, maximum=1)
    m = min(n // 2, int(np.ceil(2 / epsilon * np.log(max(2.0, n**2 * epsilon / 4)))))
    top = min(n, m + int(np.ceil(80 / epsilon)) + 1)
    _validate.memory("n", top, 16)
    steps, least = n - np.arange(top), 1 / n

    def loss(rng: np.random.Generator, size: int) -> Array:
        largest = theta * np.exp(-np.cumsum(rng.exponential(size=(size, top)) / steps, axis=1))
        ends = np.full((size, 1), 1.0), np.full((size, 1), least)
        edges = np.concatenate([ends[0], np.maximum(largest, least), ends[1]], axis=1)
        score = np.exp(-epsilon / 2 * abs(np.arange(top + 1) - m))
        width = np.log(edges[:, :-1] / edges[:, 1:]) / np.log(max(n, 2))
        above = (largest > least).sum(axis=1, keepdims=True)
        zero = np.exp(-epsilon / 2 * np.maximum(above - m, 0))
        mass = np.cumsum(np.concatenate([zero, width * score], axis=1), axis=1)
        chosen = (mass < rng.random((size, 1)) * mass[:, -1:]).sum(axis=1)[:, None]
        high = np.take_along_axis(edges, np.maximum(chosen - 1, 0), 1)
        low = np.take_along_axis(edges, np.maximum(chosen, 1), 1)
        t = np.where(chosen == 0, 0.0, low * (high / low) ** rng.random((size, 1)))
        return abs(np.minimum(1.0, t / (1 - m / (n + 1))) - theta)[:, 0]

    return risk.monte_carlo(loss, replications, rng=rng, block=max(1, min(500, 2**22 // top)))
