r"""Noisy frequencies projected on the simplex: what the largest error costs, not the sum of all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minimaxdp import randomized_response as rr
from minimaxdp._types import Array

__all__ = ["concave_envelope", "projected_frequencies", "projected_reports", "shares"]


def projected_frequencies(n: int, d: int, noise_log_mgf: Callable[[Array], Array]) -> float:
    r"""Bound on the risk of projected frequencies with independent noise on every count.

    .. math:: \mathbb E \|\Pi y - \theta\|^2 \le \mathbb E \max_j (y_j - \theta_j)
              \le \min_l \frac1l \ln\Big(d\, \hat h_l\big(\tfrac1d\big)\Big), \qquad
              h_l(\theta_j) = \mathbb E e^{l (y_j - \theta_j)}

    for unbiased y, with the concave envelope of h over [0, 1], on a grid.
    """

    def log_h(x: Array, theta: Array) -> Array:  # x = l/n
        return n * np.log1p(theta * np.expm1(x)) - n * x * theta + noise_log_mgf(x)

    return _least(n, d, log_h, np.geomspace(1e-6, 30, 200))


def projected_reports(n: int, d: int, epsilon: float) -> float:
    """The same for subset selection without a trusted curator."""
    w = int(rr.best_subset_size(d, epsilon))
    # How often the true category and another one are reported.
    true = w * np.exp(epsilon) / (w * np.exp(epsilon) + d - w)
    other = (w - true) / (d - 1)

    def log_h(x: Array, theta: Array) -> Array:  # x = l/(n (p - q))
        yes = other + (true - other) * theta
        return n * np.log1p(yes * np.expm1(x)) - n * x * yes

    return _least(n, d, log_h, np.geomspace(1e-6, 30, 200)) / (true - other)


def _least(n: int, d: int, log_h: Callable[[Array, Array], Array], x: Array) -> float:
    """The least over x of ln(d h(1/d))/(n x)."""
    theta = shares(d)
    with np.errstate(over="ignore", invalid="ignore"):
        values = log_h(x[:, None], theta)
    values = np.where(np.isfinite(values), values, 1e5)
    top = values.max(axis=1, keepdims=True)
    envelope = concave_envelope(np.exp(values - top), theta, 1 / d)
    bound = (np.log(d) + np.log(envelope) + top[:, 0]) / (n * x)
    return float(bound.min()) * (1 + 1e-3)


def shares(d: int) -> Array:
    """A grid of probabilities, with 1/d."""
    found: Array = np.unique(np.r_[0.0, np.geomspace(0.02 / d, 1, 90), 1 / d])
    return found


def concave_envelope(values: Array, theta: Array, share: float) -> Array:
    """The concave envelope of rows of values at theta, at the share among them."""
    left, right = theta[theta <= share], theta[theta > share]
    a, b = values[:, : left.size, None], values[:, None, left.size :]
    weight = (share - left[:, None]) / (right - left[:, None])
    chords: Array = ((1 - weight) * a + weight * b).max(axis=(1, 2))
    return np.maximum(values[:, left.size - 1], chords)
