r"""The end of a support under pure privacy: the exponential mechanism, by simulation."""

from __future__ import annotations

import numpy as np

from minimaxdp import _validate, risk
from minimaxdp._types import Array, Rng
from minimaxdp.guarantees import Guarantee, Pure

__all__ = ["exponential_endpoint_risk", "usual_target"]


def exponential_endpoint_risk(
    n: int,
    privacy: Guarantee,
    theta: float = 1.0,
    *,
    target: int | None = None,
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
        True end, from 1e-300 to 1.
    target : int, optional
        Another m, from 1 to n/2: a smaller one errs less, and misses more often.
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
    The records are drawn, and the mean over the outputs is exact given them: an output far too
    large is rare, but weighs. The largest values of a uniform sample are drawn from the top by
    exponential spacings, as many as can matter: further down the output falls with probability
    below exp(-40).

    Examples
    --------
    >>> exponential_endpoint_risk(10_000, Pure(1.0)).mean < 0.002
    True
    """
    n = _validate.one_integer("n", n, minimum=2)
    _validate.instance("privacy", privacy, Guarantee)
    epsilon = _validate.scalar("privacy", np.asarray(privacy.implies(Pure).epsilon))
    theta = _validate.one_real("theta", theta, minimum=1e-300, maximum=1)
    m = usual_target(n, epsilon)
    if target is not None:
        m = _validate.one_integer("target", target, minimum=1, maximum=max(1, n // 2))
    top = min(n, m + int(np.ceil(80 / epsilon)) + 1)
    _validate.memory("n", top, 16)
    steps = n - np.arange(top)

    stretch, log_theta, scale = -np.log1p(-m / (n + 1)), np.log(theta), np.log(max(n, 2))
    score = np.exp(-epsilon / 2 * abs(np.arange(top + 1) - m))

    def missed(v: Array) -> Array:
        """Antiderivative of |min{e^v, 1/theta} - 1|: the relative error over ln t."""
        inside = np.minimum(v, -log_theta)
        beyond = (1 / theta - 1) * np.maximum(v + log_theta, 0)
        whole: Array = np.sign(inside) * (np.expm1(inside) - inside) + beyond
        return whole

    def loss(rng: np.random.Generator, size: int) -> Array:
        # The estimate is theta e^v before it is capped: v at the edges between which N is constant.
        largest = -np.cumsum(rng.exponential(size=(size, top)) / steps, axis=1)
        lowest = -scale - log_theta  # of t = 1/n
        ends = np.full((size, 1), -log_theta), np.full((size, 1), lowest)
        edges = np.concatenate([ends[0], np.maximum(largest, lowest), ends[1]], axis=1) + stretch
        above = (largest > lowest).sum(axis=1)
        zero = np.exp(-epsilon / 2 * np.maximum(above - m, 0))
        # Given the records, the mean over the outputs is a sum: nothing rare is left to chance.
        error = theta * (zero - np.diff(missed(edges), axis=1) @ score / scale)
        found: Array = error / (zero - np.diff(edges, axis=1) @ score / scale)
        return found

    return risk.monte_carlo(loss, replications, rng=rng, block=max(1, min(500, 2**22 // top)))


def usual_target(n: int, epsilon: float) -> int:
    """The rank m at which an output far too large is rare."""
    return min(n // 2, int(np.ceil(2 / epsilon * np.log(max(2.0, n**2 * epsilon / 4)))))
