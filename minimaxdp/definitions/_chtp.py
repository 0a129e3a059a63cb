r"""Conditional hypothesis testing privacy: how well one can test after an event is known.

The exact value for randomised events rests on three facts. Weights :math:`c, d \ge 0` with
:math:`c + d \le 1` say how often an output falls into the event and is then taken for the first
or for the second hypothesis. (1) Scaling all weights changes no conditional probability, so
some best event has mass exactly :math:`\eta` under one hypothesis and at least that under the
other. (2) With both masses fixed the problem is a linear programme, and an output enters the
event if a convex function of its likelihood ratio is positive: the event consists of the
outputs of largest ratio and those of smallest ratio, with weights below one at the two
borders. (3) Along this one-parameter family the masses are piecewise linear, and on each piece
the value is a linear function plus a ratio of linear functions, whose stationary points are
roots of a quadratic. Comparing finitely many points is therefore exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array
from minimaxdp.privacy._neighbours import Pairs

__all__ = ["chtp_epsilon"]

_MOST_OUTPUTS = 16
_CHUNK = 2**21


def chtp_epsilon(
    channel: ArrayLike, eta: float, pairs: Pairs = None, *, inherited: bool = True
) -> float:
    r"""Smallest epsilon of conditional hypothesis testing privacy on events of mass eta.

    .. math:: \max_{x \sim x'} \max_A \Big\| \frac{Q(\cdot \cap A \mid x)}{Q(A \mid x)}
              - \frac{Q(\cdot \cap A \mid x')}{Q(A \mid x')} \Big\|_{TV},
              \qquad \min\{Q(A \mid x), Q(A \mid x')\} \ge \eta

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    eta : float
        The mass that an event must have under both inputs, from 1e-300 to 1.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.
    inherited : bool
        If true, A may be a randomised event: the value is the largest over every channel that
        is made from this one by post-processing. If false, A is a set of outputs of this
        channel, which is the definition to the letter; all of them are tried.

    Returns
    -------
    float
        Between 0 and 1; 1 means that some event allows a test without error.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic, eta lies outside its range, or sets of more than 16
        outputs are to be tried.

    Notes
    -----
    Barber and Duchi (2014), Definition 8 (claim ``BD-Def8``). That the two values may differ
    is claim ``BD-CHTP-not-inherited``. A proof that finitely many candidates suffice stands at
    the head of the module.

    Examples
    --------
    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> round(chtp_epsilon(flip, 0.1), 12)
    0.5
    >>> chtp_epsilon([[0.5, 0.0, 0.5], [0.0, 0.5, 0.5]], 0.01)  # one of two records, at random
    1.0
    """
    channel, both = _validate.neighbours(channel, pairs)
    eta = _validate.one_real("eta", eta, minimum=1e-300, maximum=1)
    inherited = _validate.flag("inherited", inherited)
    if not inherited and channel.shape[1] > _MOST_OUTPUTS:
        raise ValueError(
            f"channel must have at most {_MOST_OUTPUTS} outputs to try every set of them, "
            f"got {channel.shape[1]}; inherited=True bounds the value from above"
        )
    best = _best_randomized if inherited else _best_set
    unordered = both[: len(both) // 2]
    return max((best(channel[i], channel[j], eta) for i, j in unordered), default=0.0)


def _best_set(p: Array, q: Array, eta: float) -> float:
    used = p + q > 0
    p, q = p[used], q[used]
    sets = (np.arange(1, 2 ** len(p))[:, None] >> np.arange(len(p))) & 1
    s, t = sets @ p, sets @ q
    # A mass that equals eta but for rounding is allowed.
    allowed = np.minimum(s, t) >= eta * (1 - 1e-12)
    sets, s, t = sets[allowed], s[allowed], t[allowed]
    return _conditional_distance(sets, p, q, s, t)


def _best_randomized(p: Array, q: Array, eta: float) -> float:
    used = p + q > 0
    return max(_pinned_to_first(p[used], q[used], eta), _pinned_to_first(q[used], p[used], eta))


def _pinned_to_first(p: Array, q: Array, eta: float) -> float:
    """The best event of mass eta under p and at least eta under q."""
    with np.errstate(divide="ignore", over="ignore"):
        order = np.argsort(-p / np.where(q > 0, q, 1e-300), kind="stable")
        order = order[np.argsort(-(q[order] == 0).astype(int), kind="stable")]
    p, q = p[order], q[order]
    before = np.concatenate([[0.0], p.cumsum()])
    after = np.concatenate([p[::-1].cumsum()[::-1], [0.0]])
    # The prefix takes mass u of p and the suffix the rest of eta; borders move at these u.
    stops = np.concatenate([[0.0, eta], before, eta - after])
    stops = np.unique(stops[(stops >= 0) & (stops <= eta)])
    spread = np.where(p > 0, p, 1.0)
    with np.errstate(over="ignore"):
        head = np.clip((stops[:, None] - before[:-1]) / spread, 0, 1)
        tail = np.clip((eta - stops[:, None] - after[1:]) / spread, 0, 1)
    # Outputs that only q can show cost no mass of p: at the last stop they leave one way.
    weights = np.where(p > 0, np.minimum(head + tail, 1), 1.0)
    last = np.where(p > 0, weights[-1], 0.0)
    weights = np.vstack([weights, last])
    start, step = weights[:-1], np.diff(weights, axis=0)
    best = 0.0
    rows = max(1, _CHUNK // len(p) ** 2)
    for i in range(0, len(start), rows):
        best = max(best, _best_on_pieces(start[i : i + rows], step[i : i + rows], p, q, eta))
    return best


def _best_on_pieces(
    start: Array,
    step: Array,
    p: Array,
    q: Array,
    eta: float,
) -> float:
    gain = (step * p).cumsum(axis=1) / eta
    b0, b1 = (start * q).cumsum(axis=1), (step * q).cumsum(axis=1)
    t0, t1 = b0[:, -1:], b1[:, -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        # Where the first hypothesis is believed on the first outputs, the value is stationary
        # at t**2 = (b1 t0 - b0 t1) / gain; and t = eta ends the range that is allowed.
        stationary = (np.sqrt((b1 * t0 - b0 * t1) / gain) - t0) / t1
        border = (eta - t0) / t1
    along = np.hstack([np.zeros_like(t0), np.ones_like(t0), border, stationary])
    along = np.where((along >= 0) & (along <= 1), along, 0.0)
    weights = (start[:, None] + along[..., None] * step[:, None]).reshape(-1, len(p))
    t = weights @ q
    allowed = t >= eta * (1 - 1e-12)
    weights, t = weights[allowed], t[allowed]
    return _conditional_distance(weights, p, q, np.full(t.shape, eta), t)


def _conditional_distance(
    weights: Array | NDArray[np.int64],
    p: Array,
    q: Array,
    s: Array,
    t: Array,
) -> float:
    """Largest total variation between the two laws given a weighted event."""
    if not len(s):
        return 0.0
    gap = weights * (p / s[:, None] - q / t[:, None])
    return float(min(np.maximum(gap, 0).sum(axis=1).max(), 1.0))
