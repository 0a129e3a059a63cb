r"""Closed forms of ceilings, each stated once for numbers and symbols.

Every function takes the operations `m` (:class:`minimaxdp._operations.Operations`) and then its
arguments as numbers, arrays or symbols; nothing is checked here. Laws have r = 1.
"""

from __future__ import annotations

from typing import Any

from minimaxdp._operations import Operations as M

__all__ = [
    "balanced_form",
    "ball_form",
    "bias_form",
    "gaussian_form",
    "l2_laplace_form",
    "shrunk_form",
]


def bias_form(m: M, k: Any) -> Any:
    """c_k = (k - 1)^(k - 1) / k^k, in the form that overflows nowhere."""
    return m.exp((k - 1) * m.log1p(-1 / k)) / k


def balanced_form(m: M, factor: Any, k: Any) -> Any:
    """Squared bias and noise at the best radius together, for noise of factor C."""
    head = k / (k - 1) * ((k - 1) * bias_form(m, k) ** 2) ** (1 / k)
    return head * factor ** (1 - 1 / k)


def shrunk_form(m: M, factor: Any, n: Any) -> Any:
    """Worst risk of the shrunk noisy mean on the unit ball: concave in C, along C/(1 + C) and,
    before 1/sqrt(n), along its tangent."""
    noise = m.largest(factor, 1 / m.sqrt(n))
    missing = m.largest(0, 1 / m.sqrt(n) - factor)
    return 1 / (1 + 1 / noise) - missing / (1 + noise) ** 2  # one for infinite noise


def l2_laplace_form(m: M, n: Any, d: Any, epsilon: Any) -> Any:
    """Second moment of noise of density exp(-|w|/scale) that hides moves of length 2/n."""
    return 4 * d * (d + 1) / (n * epsilon) ** 2


def gaussian_form(m: M, n: Any, d: Any, mu_squared: Any) -> Any:
    """Second moment of normal noise that hides moves of length 2/n."""
    return 4 * d / (n**2 * mu_squared)


def ball_form(m: M, d: Any, epsilon: Any) -> Any:
    """At least the squared length of a report of the ball mechanism."""
    return m.pi * d / 2 / m.tanh(epsilon / 2) ** 2
