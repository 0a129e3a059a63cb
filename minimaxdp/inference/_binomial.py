"""Binomial probabilities and sums of them with geometric weights, to nearly full precision.

Everything is scaled by SCALE, a power of two, so that probabilities down to 1e-390 stay
normal numbers: a sum of them that exceeds 1e-300 then has lost nothing to underflow.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp._doubles import exact_product
from minimaxdp._types import Array

__all__ = [
    "LEAST_EPSILON",
    "SCALE",
    "decayed_sums",
    "exp_product",
    "scaled_probabilities",
    "windowed_sums",
]

SCALE = 2.0**300
LEAST_EPSILON = 1e-150  # the variance of the noise is then still a double
_REACH = 300.0  # nats of decay inside one block: exp(300) * SCALE is far from overflow


def exp_product(rate: float, steps: ArrayLike) -> Array:
    """exp(-rate * steps), where the rounding of the product (1e-16 of up to 700) is put back."""
    steps = np.minimum(np.asarray(steps, dtype=float), 1e4 / rate)  # exp(-1e4) is 0 already
    product, rest = exact_product(rate, steps)
    return np.exp(-product) * (1 - rest)


def scaled_probabilities(n: int, theta: float) -> Array:
    """SCALE times the probabilities of 0, ..., n under Binomial(n, theta).

    Products of ratios from the mode outward, divided by their sum: no gamma function, whose
    logarithm near 10^6 would cost ten digits. What rounding does to the odds is the same in
    every step and would add up; it is computed and put back.
    """
    x = np.arange(n + 1.0)
    if theta in (0.0, 1.0):
        return np.where(x == n * theta, SCALE, 0.0)
    mode = min(int((n + 1) * theta), n)
    fail = 1 - theta
    fail_error = (1 - fail) - theta  # fail + fail_error is 1 - theta exactly
    odds = theta / fail
    product, below = exact_product(odds, fail)
    rest = -((product - theta) + below) - odds * fail_error
    slip = rest / theta  # relative error of the odds
    above, below = x[mode + 1 :], x[mode:0:-1]
    up = np.multiply.accumulate(np.append(SCALE, (n - above + 1) / above * odds))
    down = np.multiply.accumulate(np.append(SCALE, below / (n - below + 1) / odds))
    weights = np.concatenate([down[:0:-1], up]) * np.exp((x - mode) * slip)
    weights[weights < 1e-290] = 0.0  # below 1e-380 unscaled; subnormal numbers are slow
    return weights * (SCALE / weights.sum())


def decayed_sums(values: Array, epsilon: float) -> Array:
    """Sums over x <= k of values[x] * exp(-epsilon (k - x)), for every k, in linear time.

    Blocks inside which the weights stay within range are summed by one cumulative sum each,
    and the end of a block is carried to the next. A plain recursion would multiply the rounding
    error of exp(-epsilon) by the number of its steps.
    """
    size = values.size
    length = int(min(max(_REACH // epsilon, 1), size))
    blocks = -(-size // length)
    padded = np.zeros(blocks * length)
    padded[:size] = values
    decay = exp_product(epsilon, np.arange(length + 1.0))
    grown = padded.reshape(blocks, length) / decay[:length]
    inside = np.cumsum(grown, axis=1) * decay[:length]
    ends = scipy.signal.lfilter([1.0], [1.0, -decay[length]], inside[:, -1])
    inside[1:] += ends[:-1, None] * decay[1:]
    return inside.ravel()[:size]


def windowed_sums(values: Array, epsilon: float, width: int) -> Array:
    """Sums over k - width < x <= k of values[x] * exp(-epsilon (k - x)), for k < size + width - 1.

    A window never covers more than the end of one block of its own length and the beginning of
    the next, so that each sum is two cumulative sums of positive terms (van Herk).
    """
    if width * epsilon > _REACH:  # rare: weights of one block would leave the range
        return np.convolve(values, exp_product(epsilon, np.arange(width)))
    length = values.size + width - 1
    padded = np.zeros(-(-length // width) * width)
    padded[: values.size] = values
    blocks = padded.reshape(-1, width)
    decay = exp_product(epsilon, np.arange(width + 1.0))
    sums = np.cumsum(blocks / decay[:width], axis=1) * decay[:width]
    ends = np.cumsum((blocks * decay[width - 1 :: -1])[:, ::-1], axis=1)[:, ::-1]
    sums[1:, :-1] += ends[:-1, 1:] * decay[1:width]
    return sums.ravel()[:length]
