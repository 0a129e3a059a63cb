"""How private the number of anonymous reports is, between two ends that no rounding can move."""

from __future__ import annotations

from math import inf, nextafter
from typing import Any

from minimaxdp import _validate
from minimaxdp.accounting import Interval
from minimaxdp.randomized_response._shuffle import _arguments, _mass_range

__all__ = ["shuffled_enclosure"]

_BITS = (128, 256, 512, 1024)  # of the balls, until the enclosure is narrow
_NARROW = 1e-12
_MOST_PEOPLE = 10**7


def shuffled_enclosure(n: int, budget: float, epsilon: float) -> Interval:
    r"""Two numbers between which the delta of n shuffled reports lies, rounded outward.

    It is the delta that holds for every data set in :func:`shuffled_delta`, the mean over the
    number C of coins of

    .. math:: \sum_{s \ge k} \big[a\, W_C(s - 1) - b\, W_C(s)\big]
              = a\, W_C(k - 1) - (e^\varepsilon - 1) \Pr(W_C \ge k), \qquad
              k = \Big\lfloor \frac{b\,(C + 1)}{a + b} \Big\rfloor + 1 ,

    with :math:`a = p - e^\varepsilon q` and :math:`b = e^\varepsilon p - q`. Both terms are carried
    from C to C - 1 by recurrences in ball arithmetic. The numbers of coins that are left out, far
    from their mean, have a mass below a geometric series, and each costs at most a.

    Parameters
    ----------
    n : int
        Number of people, from 1 to ten million.
    budget : float
        Local budget :math:`\varepsilon_0` of each report in nats, positive, at most 100; the double
        itself is meant, not the number that it rounds.
    epsilon : float
        Where delta is asked for, at least 0.

    Returns
    -------
    Interval
        In [0, 1]. Relative to its upper end it is at most 1e-12 wide wherever that exceeds 1e-40.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.
    ModuleNotFoundError
        Without python-flint (extra ``certificates``).

    Notes
    -----
    Statement ``rr-shuffle``.

    Examples
    --------
    >>> low, high = shuffled_enclosure(1000, 2.0, 0.5)
    >>> f"{low:.12e}" == f"{high:.12e}" == "8.646945857914e-09"
    True
    """
    n = _validate.one_integer("n", n, minimum=1, maximum=_MOST_PEOPLE)
    _arguments(n, budget, epsilon)
    local, at = (_validate.one_real(*pair) for pair in (("budget", budget), ("epsilon", epsilon)))
    if at >= local:  # no order of neighbours exceeds the local promise
        return Interval(0.0, 0.0)
    from flint import arb, ctx

    for bits in _BITS:
        with ctx.workprec(bits):
            found = _outward(*enclosed(n, arb(local).exp(), arb(at).exp()))
        if found.high - found.low <= _NARROW * found.high:
            break
    return found


def enclosed(n: int, odds: Any, factor: Any) -> tuple[Any, Any]:
    """Balls around a lower and an upper bound on delta, from balls around the exponentials."""
    from flint import arb

    a, b = (odds - factor) / (1 + odds), (factor * odds - 1) / (1 + odds)
    if not a > 0:
        return arb(0), arb(1)
    low, high = _mass_range(n - 1, float((2 / (1 + odds)).mid()))
    share = b / (a + b)
    if not share.rad() * (high + 1) < 0.25:  # more than one s may have a term around 0
        return arb(0), arb(1)
    k, unsure = _first(share, high)
    peak, tail = _half_binomial(high, k)
    weight = _weight(n - 1, high, odds)
    outside = weight * _rest((n - 1 - high) * 2 / ((high + 1) * (odds - 1)))
    total = rounding = arb(0)
    for coins in range(high, low - 1, -1):
        total += weight * (a * peak - (factor - 1) * tail)
        if unsure:
            rounding += weight * abs(_tied_term(a, b, coins, k, unsure, peak))
        if coins == low:
            break
        following, unsure = _first(share, coins - 1)
        step = peak * (coins - k + 1) / coins
        if following == k:
            peak, tail = 2 * step, tail - step
        else:
            peak, tail = peak * (2 * (k - 1)) / coins, tail + step
        k = following
        weight *= (odds - 1) * coins / (2 * (n - coins))
    outside += weight * _rest((odds - 1) * low / (2 * (n - low)))
    return total, total + rounding + a * outside


def _first(share: Any, coins: int) -> tuple[int, int]:
    """The least s with a positive term, and the s whose term may be 0 if balls cannot tell."""
    place = share * (coins + 1)
    sure = place.floor().unique_fmpz() is not None
    below, nearest = (int((place.mid() + h).floor().unique_fmpz()) for h in (0, 0.5))
    return below + 1, 0 if sure else nearest


def _tied_term(a: Any, b: Any, coins: int, k: int, s: int, peak: Any) -> Any:
    """a W(s - 1) - b W(s) for s = k or k - 1, from W(k - 1)."""
    if s == k:
        return peak * (a - b * (coins - k + 1) / k)
    return peak * (a * s / (coins - s + 1) - b)


def _half_binomial(coins: int, k: int) -> tuple[Any, Any]:
    """The mass of Bin(coins, 1/2) at k - 1, and of all from k on, k beyond the middle."""
    from flint import arb, ctx

    peak = term = _choose(coins, k - 1) * arb(2) ** -coins
    tail = arb(0)
    for s in range(k, coins + 1):
        ratio = arb(coins - s + 1) / s
        rest = term * _rest(
            ratio
        )  # the ratios fall, so that a geometric series bounds what is left
        if rest < tail * arb(2) ** -ctx.prec:
            return peak, tail + rest * arb(0.5, 0.5)
        term *= ratio
        tail += term
    return peak, tail


def _weight(people: int, coins: int, odds: Any) -> Any:
    """The mass of Bin(people, 2 / (1 + odds)) at a number of coins."""
    coin = 2 / (1 + odds)
    return _choose(people, coins) * coin**coins * (1 - coin) ** (people - coins)


def _choose(n: int, k: int) -> Any:
    from flint import arb

    logs = [arb(m + 1).lgamma() for m in (n, k, n - k)]
    return (logs[0] - logs[1] - logs[2]).exp()


def _rest(ratio: Any) -> Any:
    """The sum of a geometric series after its first term, or infinity."""
    return ratio / (1 - ratio) if ratio < 1 else ratio / 0


def _outward(low: Any, high: Any) -> Interval:
    ends = nextafter(float(low.lower()), -inf), nextafter(float(high.upper()), inf)
    if not high.is_finite():
        return Interval(0.0, 1.0)
    return Interval(max(ends[0], 0.0), min(ends[1], 1.0))
