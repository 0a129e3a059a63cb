r"""Additive noise: how much a query may move, and how much noise hides the move.

- sensitivity: :func:`global_sensitivity` by enumeration over a finite domain,
  :func:`standard_sensitivity` and :func:`ball_sensitivity` by formula;
- mechanisms of a trusted curator: :class:`Laplace`, :class:`Gaussian`,
  :class:`DiscreteLaplace`, :class:`Staircase`;
- the mechanism of a person who trusts nobody: :class:`LocalLaplace`;
- accuracy: :func:`simultaneous_radius`, :func:`union_radius`, :func:`expected_maximum`.
"""

from minimaxdp.laplace.accuracy import (
    expected_maximum,
    log_maximum_tail,
    simultaneous_radius,
    union_radius,
)
from minimaxdp.laplace.local import LocalLaplace, laplace_sum
from minimaxdp.laplace.mechanisms import Gaussian, Laplace
from minimaxdp.laplace.sensitivity import (
    ball_sensitivity,
    global_sensitivity,
    standard_sensitivity,
)
from minimaxdp.laplace.steps import DiscreteLaplace, Staircase

__all__ = [
    "DiscreteLaplace",
    "Gaussian",
    "Laplace",
    "LocalLaplace",
    "Staircase",
    "ball_sensitivity",
    "expected_maximum",
    "global_sensitivity",
    "laplace_sum",
    "log_maximum_tail",
    "simultaneous_radius",
    "standard_sensitivity",
    "union_radius",
]
