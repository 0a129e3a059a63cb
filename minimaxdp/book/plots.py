"""The figure style of the book, the look of each thing in it, and its two standing figures.

The colours of the cycle are those of Okabe and Ito, with brown for the orange that is too
pale for white paper; readers with any common form of colour blindness tell them apart. Lines
differ in dash as well, so that a figure also reads in print without colour.
"""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array

__all__ = ["COLORS", "LOOKS", "STYLE", "look", "loglog", "sandwich", "use_style"]

COLORS = {
    "black": "#000000",
    "blue": "#0072B2",
    "vermillion": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "brown": "#6E4A00",
    "sky": "#2F8FCB",
    "grey": "#6B6B6B",
}

_DASHES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1))]


# Each mechanism, definition and role has one look in the whole book: a colour and a dash.
LOOKS: dict[str, tuple[str, Any]] = {
    # What is done for privacy.
    "no privacy": ("black", (0, (1, 1))),
    "direct question": ("vermillion", "--"),
    "randomized response": ("blue", "-"),
    "unary": ("purple", "-."),
    "optimized unary": ("brown", (0, (5, 1, 1, 1, 1, 1))),
    "subset selection": ("green", "--"),
    "Hadamard": ("sky", ":"),
    "shuffled": ("vermillion", (0, (1, 1))),
    "Laplace": ("vermillion", "-"),
    "discrete Laplace": ("vermillion", ":"),
    "staircase": ("brown", (0, (5, 1, 1, 1, 1, 1))),
    "Gaussian": ("green", "--"),
    "Tulap": ("purple", "-."),
    "exponential": ("sky", "--"),
    "ellipsoid": ("purple", "--"),
    # Definitions of privacy.
    "pure": ("blue", "-"),
    "approximate": ("vermillion", "--"),
    "zcdp": ("green", "-."),
    "renyi": ("purple", ":"),
    "gaussian dp": ("brown", (0, (5, 1, 1, 1, 1, 1))),
    "total variation": ("sky", (0, (1, 1))),
    "kl": ("black", "--"),
    # Whom one trusts.
    "curator": ("green", "--"),
    "local": ("blue", "-"),
    # Parts of an argument.
    "truth": ("black", "-"),
    "floor": ("blue", "-."),
    "ceiling": ("vermillion", "--"),
    "bias": ("sky", "--"),
    "sampling": ("green", ":"),
    "noise": ("vermillion", "-."),
    "before": ("grey", "--"),
    "after": ("blue", "-"),
    "wrong": ("vermillion", "--"),
    # Two neighbours, or two laws that a test tells apart; a line to compare with; what is dragged.
    "one": ("blue", "-"),
    "other": ("vermillion", "--"),
    "guide": ("grey", ":"),
    "here": ("green", "-"),
}

# Drawn at most 5 inches wide, so that letters stay letters on a phone.
STYLE: dict[str, Any] = {
    "figure.figsize": (5.0, 3.3),
    "figure.dpi": 150,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "legend.fontsize": 9,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "legend.handlelength": 2.8,
}


def look(name: str) -> dict[str, Any]:
    """How a thing is drawn wherever the book draws it.

    Parameters
    ----------
    name : str
        One of `LOOKS`: a mechanism, a definition, or a part of an argument.

    Returns
    -------
    dict
        The keywords `color` and `ls` for matplotlib.

    Raises
    ------
    ValueError
        If the name is not in the table.

    Examples
    --------
    >>> look("Laplace")
    {'color': '#D55E00', 'ls': '-'}
    """
    _validate.choice("name", name, LOOKS)
    color, dash = LOOKS[name]
    return {"color": COLORS[color], "ls": dash}


def use_style() -> None:
    """Set matplotlib's parameters for every figure that follows.

    Examples
    --------
    >>> use_style()
    >>> mpl.rcParams["axes.spines.top"]
    False
    """
    names = ["blue", "vermillion", "green", "purple", "brown", "black"]
    cycle = cycler(color=[COLORS[c] for c in names]) + cycler(ls=_DASHES)
    style: Any = STYLE | {"axes.prop_cycle": cycle}  # matplotlib types each key by itself
    mpl.rcParams.update(style)


def loglog(
    ax: Axes,
    x: ArrayLike,
    y: ArrayLike,
    *,
    standard_error: ArrayLike | None = None,
    level: float = 0.95,
    **line: Any,
) -> None:
    """Draw a rate on logarithmic axes, simulated points with their intervals.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    x, y : array_like, shape (m,)
        Positive numbers.
    standard_error : array_like, shape (m,), optional
        From 0 to 1e300. If given, points with error bars are drawn in place of a line.
    level : float
        Coverage of the bars (normal), strictly between 0 and 1.
    **line
        Passed on to matplotlib (label, color, ...).

    Raises
    ------
    TypeError, ValueError
        If a coordinate is not positive, the shapes differ, or the level lies outside (0, 1).

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> _, ax = plt.subplots()
    >>> loglog(ax, [1, 10, 100], [1, 0.1, 0.01], label="1/n")
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    >>> plt.close()
    """
    from scipy.stats import norm

    ax = _validate.instance("ax", ax, Axes)
    x, y = _validate.real("x", x, above=0), _validate.real("y", y, above=0)
    if np.shape(x)[:1] != np.shape(y)[:1]:
        raise ValueError(f"y must be as long as x, {np.shape(x)}, got {np.shape(y)}")
    level = _validate.one_real("level", level, above=0, below=1)
    if standard_error is not None:
        standard_error = _validate.real("standard_error", standard_error, minimum=0, maximum=1e300)
        if np.shape(standard_error) not in ((), np.shape(y)):
            raise ValueError(
                f"standard_error must have the shape of y, {np.shape(y)}, "
                f"got {np.shape(standard_error)}"
            )
    ax.set_xscale("log")
    ax.set_yscale("log")
    if standard_error is None:
        ax.plot(x, y, **line)
    else:
        reach = norm.isf((1 - level) / 2) * standard_error
        style: dict[str, Any] = {"marker": "o", "ms": 4.5, "capsize": 2.5, "elinewidth": 1.2}
        style = style | line | {"ls": "none"}
        ax.errorbar(x, y, yerr=reach, **style)


def sandwich(
    ax: Axes,
    x: ArrayLike,
    *,
    floor: ArrayLike,
    ceiling: ArrayLike,
    risk: ArrayLike,
    at: ArrayLike | None = None,
    standard_error: ArrayLike | None = None,
    names: tuple[str, str, str] = ("floor", "risk", "ceiling"),
) -> Array:
    """Floor, truth and ceiling of a problem on one pair of logarithmic axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    x : array_like, shape (m,)
        The parameter that varies, positive.
    floor, ceiling : array_like, shape (m,)
        A lower bound on every procedure, and an upper bound on this one.
    risk : array_like, shape (m,), or the shape of `at`
        The risk of this one.
    at : array_like, optional
        Where the risk is known, if not at every x.
    standard_error : array_like, same shape as risk, optional
        Of the risk, where it is simulated; an exact risk is drawn as a line.
    names : tuple of str
        Legend entries for floor, risk and ceiling.

    Returns
    -------
    ndarray, shape (m,)
        The ratio of ceiling to floor.

    Raises
    ------
    TypeError, ValueError
        If a value is not positive, shapes differ, or the exact risk leaves the sandwich. A
        simulated risk is not judged here: compare it with the bounds by a test with a stated
        error rate.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> _, ax = plt.subplots()
    >>> float(sandwich(ax, [1, 10], floor=[1, 1], risk=[1, 2], ceiling=[2, 2])[0])
    2.0
    >>> plt.close()
    """
    ax = _validate.instance("ax", ax, Axes)
    x = np.asarray(_validate.real("x", x, above=0))
    if not isinstance(names, tuple | list) or [type(name) for name in names] != [str] * 3:
        raise TypeError(f"names must be three words, got {names!r}")
    checked = {"floor": floor, "risk": risk, "ceiling": ceiling}
    low, mid, high = (
        np.asarray(_validate.real(name, value, above=0)) for name, value in checked.items()
    )
    for name, value in (("floor", low), ("ceiling", high)):
        if value.shape != x.shape:
            raise ValueError(f"{name} must have the shape of x, {x.shape}, got {value.shape}")
    if at is None and mid.shape != x.shape:
        raise ValueError(f"risk must have the shape of x, {x.shape}, got {mid.shape}")
    if np.any(low > high):
        raise ValueError("floor must not exceed ceiling")
    slack = 1 + 1e-12  # an exact risk that attains a bound may round to either side of it
    if standard_error is None and at is not None:
        raise ValueError("at is for simulated risks: give the exact risk at every x")
    if standard_error is None and np.any((mid * slack < low) | (mid > high * slack)):
        raise ValueError("risk must lie between floor and ceiling")
    ax.fill_between(x, low, high, color=COLORS["grey"], alpha=0.12, lw=0)
    loglog(ax, x, high, label=names[2], **look("ceiling"))
    point: dict[str, Any] = {"color": COLORS["black"], "label": names[1]}
    if standard_error is None:
        loglog(ax, x, mid, ls="-", **point)
    else:
        loglog(ax, x if at is None else at, mid, standard_error=standard_error, **point)
    loglog(ax, x, low, label=names[0], **look("floor"))
    return high / low
