"""The figures that can be dragged, continued: what no private method can do.

As in `minimaxdp.book.gallery`, each is one function without arguments, which a chapter calls.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from minimaxdp.book.explorables import Control, Explorable, Panel
from minimaxdp.lower_bounds._sphere import longest_mean, tail

__all__ = ["caps"]


def caps() -> Explorable:
    """Chapter `lower_bounds`: what a private output can say about a direction, at most.

    Its likelihood may vary over the sphere by a factor of exp(x). The longest posterior mean has
    the high value on a cap, whose height is the length of that mean.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = caps()
    >>> figure
    Explorable('caps', 160 states)
    >>> figure.numbers_at()
    {'length': 0.400212, 'left': 0.8398304, 'share': 0.2158665}
    """
    budgets, turn = np.round(np.geomspace(0.1, 20, 40), 3), np.linspace(0, 2 * np.pi, 61)

    @cache
    def length(x: float, d: float) -> float:
        return float(longest_mean(x, int(d)))

    def arc(x: float, d: float) -> Any:
        return np.arccos(length(x, d)) * np.linspace(-1, 1, 13)

    sphere = Panel("The sphere from the side", "along the direction", "", (-1.1, 1.1), (-1.1, 1.1))
    sphere.line(np.cos(turn), np.sin(turn), "guide", "all directions")
    sphere.line(
        lambda x, d: np.cos(arc(x, d)), lambda x, d: np.sin(arc(x, d)), "other", "the likelier cap"
    )
    sphere.line(lambda x, d: [0, length(x, d)], [0, 0], "truth", "posterior mean, at its longest")
    sphere.point(length, 0, "here")
    left = Panel(
        "Error that is left",
        "x = number of records × ε",
        "error at least",
        (0.1, 20),
        (0, 1),
        "log",
    )
    left.line(
        budgets, lambda d: [1 - length(float(b), d) ** 2 for b in budgets], "floor", "lower bound"
    )
    left.point(lambda x: x, lambda x, d: 1 - length(x, d) ** 2, "here", drag="x", along="x")
    return Explorable(
        "caps",
        [
            Control("x", budgets, "records × ε", "{:.2f}", 23),
            Control("d", [2, 5, 20, 100], "dimension", "{:.0f}", 1),
        ],
        [sphere, left],
        {
            "length": length,
            "left": lambda x, d: 1 - length(x, d) ** 2,
            "share": lambda x, d: float(tail(length(x, d), int(d))[0]),
        },
        "With x = {x} in {d} dimensions the likelier cap is {share:.1%} of the sphere, the "
        "posterior mean has length {length:.2f} at most, and the squared error is at least "
        "{left:.2f}.",
        "Left, a circle for the sphere with an arc for the likelier cap and the posterior mean, "
        "which ends where the cap is cut off. Right, the error that is left against records times "
        "budget: near one at the left and falling towards zero, later in higher dimension.",
    )
