r"""The best locally private channel for a given purpose, by a linear programme in 2^d columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from minimaxdp import _validate
from minimaxdp._types import Array
from minimaxdp.guarantees import Guarantee, Local, Pure

__all__ = ["fisher_trace", "optimal_local_channel", "variation_utility"]

Utility = Callable[[Array], Array]


def optimal_local_channel(utility: Utility, d: int, privacy: Guarantee) -> tuple[float, Array]:
    r"""Largest utility of an epsilon-locally private channel, and a channel that has it.

    .. math:: \max_{w \ge 0} \sum_S w_S\, \mu(S) \quad\text{subject to}\quad
              \sum_S w_S S = 1_d, \qquad S \in \{1, e^\varepsilon\}^d

    for a utility :math:`\sum_y \mu(Q(y \mid \cdot))` that is convex and homogeneous in each
    column: its maximum lies at a channel each of whose columns takes two values only.

    Parameters
    ----------
    utility : callable
        Takes the columns, shape (d, m), and returns the m values of mu.
    d : int
        Number of categories, from 2 to 14.
    privacy : Guarantee
        ``Local(Pure(epsilon))`` with epsilon at most 30.

    Returns
    -------
    value : float
    channel : ndarray, shape (d, outputs)
        Outputs that have no weight are left out: at most d remain.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Kairouz, Oh and Viswanath (2016).

    Examples
    --------
    For three outcomes far apart at a large budget the best channel is 3-ary.

    >>> value, channel = optimal_local_channel(fisher_trace, 3, Local(Pure(4.0)))
    >>> channel.shape
    (3, 3)
    """
    epsilon = _validate.one_real("privacy's epsilon", local_budget(privacy), maximum=30)
    d = _validate.one_integer("d", d, minimum=2, maximum=14)
    high = (np.arange(1, 2**d)[None] >> np.arange(d)[:, None]) & 1  # the constant column once
    # Columns with largest entry one: no coefficient overflows, and utilities are homogeneous.
    columns = np.where(high == 1, 1.0, np.exp(-epsilon))
    try:
        values = np.asarray(_validate.function("utility", utility)(columns), dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"utility must take columns and return numbers: {error}") from None
    if values.shape != (columns.shape[1],):
        raise ValueError(f"utility must return shape ({columns.shape[1]},), got {values.shape}")
    solution = linprog(-values, A_eq=columns, b_eq=np.ones(d), method="highs-ds")
    if solution.status != 0:
        raise ArithmeticError(f"the linear programme was not solved: {solution.message}")
    used = solution.x > 1e-12
    return float(-solution.fun), columns[:, used] * solution.x[used]


def fisher_trace(columns: ArrayLike) -> Array:
    r"""Trace of the Fisher information about d probabilities at the uniform law, by column.

    .. math:: \mu(q) = \frac{\sum_x (q_x - \bar q)^2}{\bar q}

    An estimate from n reports of a channel with trace T has, near the uniform law, an
    asymptotic squared error of at least :math:`\frac{(d-1)^2}{n T}`.

    Parameters
    ----------
    columns : array_like, shape (d, m)
        Positive numbers.

    Returns
    -------
    ndarray, shape (m,)

    Raises
    ------
    TypeError, ValueError
        If an entry is not positive.

    Examples
    --------
    >>> fisher_trace([[3.0], [1.0]]).tolist()
    [1.0]
    """
    columns = np.asarray(_validate.real("columns", columns, above=0, minimum=1e-100, maximum=1e100))
    if columns.ndim == 0:
        raise ValueError("columns must run along the first axis, got a single number")
    mean = columns.mean(axis=0)
    return ((columns - mean) ** 2).sum(axis=0) / mean


def variation_utility(first: ArrayLike, second: ArrayLike) -> Utility:
    r"""Total variation between the reports of two laws, as a utility of channels.

    .. math:: \mu(q) = \tfrac12 \Big|\sum_x (P_1(x) - P_2(x))\, q_x\Big|

    Parameters
    ----------
    first, second : array_like, shape (d,)

    Returns
    -------
    callable

    Raises
    ------
    TypeError, ValueError
        If one is no law or their lengths differ.

    Examples
    --------
    >>> utility = variation_utility([1, 0], [0, 1])
    >>> value, _ = optimal_local_channel(utility, 2, Local(Pure(np.log(3))))
    >>> round(value, 12)
    0.5
    """
    first, second = _validate.distribution("first", first), _validate.distribution("second", second)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError("first and second must be vectors of the same length")
    return lambda columns: abs((first - second) @ columns) / 2


def local_budget(privacy: Guarantee) -> float:
    """The budget of local pure privacy."""
    if not isinstance(privacy, Local) or not privacy.can_imply(Pure):
        raise ValueError(f"privacy must be Local(Pure(epsilon)), got {privacy!r}")
    return _validate.scalar("privacy", np.asarray(privacy.implies(Pure).epsilon))
