"""Anonymous reports of one bit: how private their number is, exactly and for every data set."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.special import expit

from minimaxdp import _validate
from minimaxdp._types import Array, Real
from minimaxdp.guarantees import Approximate, Guarantee

__all__ = ["clones_epsilon", "shuffled_budget", "shuffled_delta", "shuffled_epsilon"]

# Beyond so many standard deviations a binomial has less than 1e-60 of its mass.
_REACH = 17.0
_LARGEST_BUDGET = 100.0


def shuffled_delta(
    n: int, budget: ArrayLike, epsilon: ArrayLike, *, ones: int | None = None
) -> Real:
    r"""How private the number of *yes* is among n anonymous reports of randomized response.

    Each person reports a bit with the local budget :math:`\varepsilon_0`, and somebody whom all
    trust removes the names and the order. What is left is the number S of ones. When one person's
    bit changes, S is :math:`(\varepsilon, \delta)`-indistinguishable with

    .. math:: \delta(\varepsilon) = \sum_s \big[P(S = s) - e^\varepsilon P'(S = s)\big]_+ ,

    a finite sum over the law of S, which depends on the bits of the others. Without `ones` the
    value holds for every data set: a report is a fair coin with probability
    :math:`2 / (1 + e^{\varepsilon_0})` and the truth otherwise, and the reader is also told who
    told the truth; what hides the person is the number C of coins,

    .. math:: \delta(\varepsilon) \le \mathbb E_C \sum_s \big[P(A_C + B = s)
              - e^\varepsilon P(A_C + B' = s)\big]_+, \qquad A_C \sim \mathrm{Bin}(C, \tfrac12),
              \quad C \sim \mathrm{Bin}\Big(n - 1, \frac{2}{1 + e^{\varepsilon_0}}\Big) .

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    budget : array_like
        Local budget :math:`\varepsilon_0` of each report in nats, positive, at most 100.
    epsilon : array_like
        Where delta is asked for, at least 0.
    ones : int, optional
        How many of the other n - 1 people hold a one; then delta is exact, and the larger of the
        two orders of neighbours.

    Returns
    -------
    float or ndarray
        By broadcasting; in [0, 1], and 0 from :math:`\varepsilon = \varepsilon_0` on. Parts of the
        law below 1e-60 are left out; :func:`shuffled_enclosure` has ends that hold the truth.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Notes
    -----
    The mixture is the argument of Balle, Bell, Gascon and Nissim (2019) and of Feldman, McMillan
    and Talwar (2021), evaluated without their inequalities (statement ``rr-shuffle``).

    Examples
    --------
    A budget of 2 for each of a thousand people:

    >>> float(shuffled_delta(1000, 2.0, 0.5)) < 1e-5
    True
    >>> float(shuffled_delta(1, 2.0, 0.5)) == float(shuffled_delta(1, 2.0, 0.5, ones=0))
    True
    """
    n, budget, epsilon = _arguments(n, budget, epsilon=epsilon)
    if ones is not None:
        ones = _validate.one_integer("ones", ones, minimum=0, maximum=n - 1)
    shape = _validate.broadcast(budget=budget, epsilon=epsilon)
    budgets, epsilons = np.broadcast_to(budget, shape), np.broadcast_to(epsilon, shape)
    found = np.zeros(shape)
    for place in np.ndindex(shape):
        local, at = float(budgets[place]), float(epsilons[place])
        if at >= local:  # no order of neighbours exceeds the local promise
            continue
        if ones is None:
            found[place] = _every_data_set(n, local, at)
        else:
            found[place] = _one_data_set(n, local, at, ones)
    return found[()]


def shuffled_epsilon(n: int, budget: float, delta: float) -> float:
    r"""The least epsilon at which n shuffled reports are known to be private, for all data sets.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    budget : float
        Local budget of each report in nats, positive, at most 100.
    delta : float
        Strictly between 0 and 1.

    Returns
    -------
    float
        From 0 to the budget: :func:`shuffled_delta` is `delta` there.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(shuffled_epsilon(10_000, 2.0, 1e-6), 2)
    0.11
    """
    n, local, _ = _arguments(n, budget)
    local, delta = _validate.scalar("budget", local), _level(delta)
    if _every_data_set(n, local, 0.0) <= delta:
        return 0.0
    return float(
        scipy.optimize.brentq(lambda e: _every_data_set(n, local, e) - delta, 0, local, xtol=1e-12)
    )


def shuffled_budget(n: int, privacy: Guarantee) -> float:
    r"""The largest local budget whose n shuffled reports keep a promise to all data sets.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    privacy : Approximate
        What the number of ones is to keep.

    Returns
    -------
    float
        At least epsilon, and at most 100.

    Raises
    ------
    TypeError, ValueError
        If n is not a positive integer, or the promise is not an approximate one with delta > 0.

    Examples
    --------
    >>> from minimaxdp.guarantees import Approximate
    >>> round(shuffled_budget(10_000, Approximate(1.0, 1e-6)), 1)
    5.5
    """
    privacy = _validate.instance("privacy", privacy, Approximate)
    epsilon = _validate.one_epsilon(privacy.implies(Approximate).epsilon, "privacy.epsilon")
    delta = _level(privacy.delta, "privacy.delta")
    n, _, _ = _arguments(n, _LARGEST_BUDGET)
    if epsilon >= _LARGEST_BUDGET or _every_data_set(n, _LARGEST_BUDGET, epsilon) <= delta:
        return max(epsilon, _LARGEST_BUDGET)
    wanted = lambda budget: _every_data_set(n, budget, epsilon) - delta  # noqa: E731
    return float(scipy.optimize.brentq(wanted, epsilon, _LARGEST_BUDGET, xtol=1e-12))


@_validate.broadcasting
def clones_epsilon(n: ArrayLike, budget: ArrayLike, delta: ArrayLike) -> Real:
    r"""Epsilon of n shuffled reports by the closed form of Feldman, McMillan and Talwar.

    .. math:: \varepsilon = \ln\bigg(1 + \tanh\frac{\varepsilon_0}2 \Big(
              8 \sqrt{\frac{e^{\varepsilon_0} \ln(4 / \delta)}{n}}
              + \frac{8 e^{\varepsilon_0}}{n}\Big)\bigg)

    It holds for every local mechanism, not for one bit alone, if
    :math:`\varepsilon_0 \le \ln\frac{n}{16 \ln(2/\delta)}`.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    budget : array_like
        Local budget in nats, positive.
    delta : array_like
        From 1e-300, less than 1.

    Returns
    -------
    float or ndarray
        By broadcasting; nan is never returned: where the condition fails the budget itself is
        the bound.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Notes
    -----
    Feldman, McMillan and Talwar, Hiding among the clones (2021), theorem 3.1; cited.

    Examples
    --------
    >>> round(float(clones_epsilon(10**6, 1.0, 1e-6)), 3)
    0.023
    """
    n = _validate.integer("n", n, minimum=1)
    budget = _validate.real("budget", budget, above=0, maximum=_LARGEST_BUDGET)
    delta = _validate.real("delta", delta, minimum=1e-300, below=1)
    grown = np.exp(budget) / n
    bound = np.log1p(np.tanh(budget / 2) * (8 * np.sqrt(grown * np.log(4 / delta)) + 8 * grown))
    return np.where(grown <= 1 / (16 * np.log(2 / delta)), np.minimum(bound, budget), budget)[()]


def _arguments(n: int, budget: ArrayLike, epsilon: ArrayLike = 0.0) -> tuple[int, Array, Array]:
    n = _validate.one_integer("n", n, minimum=1, maximum=10**9)
    budget = _validate.real("budget", budget, above=0, maximum=_LARGEST_BUDGET)
    return n, np.asarray(budget), np.asarray(_validate.real("epsilon", epsilon, minimum=0))


def _level(delta: float, name: str = "delta") -> float:
    return _validate.one_real(name, delta, above=0, below=1)


def _weights(budget: float, epsilon: float) -> tuple[float, float]:
    """What a term of delta weighs: P - e^eps P' = a W(s - 1) - b W(s), others' law W."""
    truth, lie = expit(budget), expit(-budget)
    # p - e^eps q without cancellation where epsilon is close to the budget.
    return -truth * np.expm1(epsilon - budget), np.exp(epsilon) * truth - lie


def _every_data_set(n: int, budget: float, epsilon: float) -> float:
    """The mean over the number C of coins of delta given C, where the positive terms are a tail."""
    a, b = _weights(budget, epsilon)
    if a <= 0:
        return 0.0
    coins, chance = _binomial(n - 1, 2 * expit(-budget))
    # W(s - 1) / W(s) = s / (C - s + 1) > b / a, counted from s = C + 1 down, so that no rounding of
    # b / (a + b) to 1 loses the last term.
    first = coins + 2 - np.ceil(a / (a + b) * (coins + 1))
    tails = scipy.stats.binom.sf(first - 1, coins, 0.5)
    peaks = scipy.stats.binom.pmf(first - 1, coins, 0.5)
    return float(chance @ np.maximum(a * peaks - (b - a) * tails, 0.0))


def _one_data_set(n: int, budget: float, epsilon: float, ones: int) -> float:
    """The sum over the law of the number of reports that the other people give."""
    a, b = _weights(budget, epsilon)
    if a <= 0:
        return 0.0
    stay, flip = _binomial(ones, expit(budget)), _binomial(n - 1 - ones, expit(-budget))
    others = np.pad(np.convolve(stay[1], flip[1]), 1)
    up = a * others[:-1] - b * others[1:]
    down = a * others[1:] - b * others[:-1]
    return float(max(up[up > 0].sum(), down[down > 0].sum()))


def _binomial(n: int, chance: float) -> tuple[Array, Array]:
    """Where a binomial law has its mass, and the mass."""
    low, high = _mass_range(n, chance)
    values = np.arange(low, high + 1)
    return values.astype(float), scipy.stats.binom.pmf(values, n, chance)


def _mass_range(n: int, chance: float) -> tuple[int, int]:
    """Between which numbers a binomial law has its mass."""
    width = _REACH * np.sqrt(n * chance * (1 - chance)) + _REACH**2
    return max(0, int(n * chance - width)), min(n, int(n * chance + width) + 1)
