r"""How fast the power of a private test can grow, and the Bayes risks that follow from it.

For neighbouring data sets a test of power p on the one has power at most F(p) on the other, F
concave: :func:`power_step`. An estimate of one number is a test for every threshold c, "the
estimate exceeds c", and its error is an integral over c of weighted errors of these tests. In each
the weight of the power changes sign once, so that the best test grows as fast as F allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial

import numpy as np
import scipy
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import betaln, expit, xlog1py, xlogy

from minimaxdp._types import Array
from minimaxdp.guarantees import KL, ZCDP, Approximate, Guarantee, Pure, TotalVariation
from minimaxdp.lower_bounds._curator_means import level

__all__ = ["best_counted_floor", "counted_floor", "end_by_tests", "end_risks", "power_step"]
__all__ += ["sign_law"]


def power_step(privacy: Guarantee) -> Callable[[Array], Array]:
    r"""F: from the power of a test on a data set to the most it can be on a neighbour.

    .. math:: \min\{e^\varepsilon p + \delta,\; 1 - e^{-\varepsilon} (1 - p - \delta)\}, \qquad
              \min\{1, p + \alpha\}

    under approximate privacy and total variation; under bounds on divergences in both orders the
    largest p' at which the two binary laws keep them. It is never below the truth.
    """
    if privacy.can_imply(Pure):
        return lambda p: _odds_step(p, level(privacy, Pure), 0.0)
    if isinstance(privacy, Approximate):
        return lambda p: _odds_step(p, float(privacy.epsilon), float(privacy.delta))
    alpha = level(privacy, TotalVariation)
    if not privacy.can_imply(KL):
        return lambda p: np.minimum(1.0, p + alpha)
    nats = level(privacy, KL)
    square = np.expm1(min(2 * level(privacy, ZCDP), 600.0)) if privacy.can_imply(ZCDP) else np.inf

    def step(p: Array) -> Array:
        p = np.asarray(p, dtype=float)
        low, high = p, np.minimum(1.0, p + alpha)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log_p, log_q = np.log(p), np.log1p(-p)
            for _ in range(30):
                middle = (low + high) / 2
                up, down = np.log(middle) - log_p, log_q - np.log1p(-middle)
                there, back = middle * up - (1 - middle) * down, (1 - p) * down - p * up
                room = square * np.minimum(p * (1 - p), middle * (1 - middle))
                kept = (np.maximum(there, back) <= nats) & ((middle - p) ** 2 <= room)
                low, high = np.where(kept, middle, low), np.where(kept, high, middle)
        return np.where((p > 0) & (p < 1), high, np.minimum(1.0, p + alpha))

    return step


def _odds_step(p: Array, epsilon: float, delta: float) -> Array:
    """The two inequalities of approximate privacy, for a test and for its opposite."""
    epsilon = min(epsilon, 600.0)
    up = np.minimum(np.exp(epsilon) * p, 1.0) + delta
    found: Array = np.minimum(1.0, np.minimum(up, 1 - np.exp(-epsilon) * (1 - p - delta)))
    return found


# --- signs ----------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)  # a table asks for the same ones more than once
def counted_floor(n: float, q: float, privacy: Guarantee, reach: float = 1.0) -> float:
    r"""Lower bound for the mean in [-reach, reach] of signs that n people hold with probability q.

    Who holds a sign is revealed. Given the number N of them, the power of a test that sees i
    positive ones is at most F of its power at i - 1. The least Bayes risk of all tests that grow
    like this is summed over N, of which it is a decreasing function.
    """
    # Up to a larger number the risk is at least its own; the few beyond are left out.
    away = 3.5 * np.sqrt(n * q * (1 - q)) + 1e-9
    numbers = np.unique(np.clip(np.ceil(n * q + away * np.linspace(-1, 1, 17)), 0, n))
    mass = np.diff(scipy.stats.binom.cdf(numbers, n, q), prepend=0.0)
    _, prior, risk = _known_risk(int(np.ceil(n * q)), privacy, reach)
    return float(mass @ [risk(int(k), *prior) for k in numbers])


def best_counted_floor(
    n: float, privacy: Guarantee, options: Iterable[tuple[float, float, float]]
) -> float:
    """The best of some weights times :func:`counted_floor` at a q and a reach.

    It takes long, and is computed where it is likely to be the best: by the mean number of signs
    alone and fewer priors, which can be wrong by a quarter.
    """
    likely = {
        (weight, q, reach): weight
        * _known_risk(int(np.ceil(n * q)), privacy, reach, (-1.5, 0.0))[0]
        for weight, q, reach in options
    }
    enough = 0.75 * max(likely.values(), default=0.0)
    return max(
        (
            weight * counted_floor(n, q, privacy, reach)
            for (weight, q, reach), about in likely.items()
            if about >= enough
        ),
        default=0.0,
    )


Prior = tuple[Array, Array]  # means, and their weights


def _known_risk(
    n: int, privacy: Guarantee, reach: float, shapes: tuple[float, ...] = (-1.5, -0.5, 0.0, 1.0)
) -> tuple[float, Prior, Callable[[int, Array, Array], float]]:
    """The Bayes risk for the mean of n signs under the worst prior tried, that, and its risks."""
    if privacy.can_imply(Pure):
        risk = partial(_geometric_risk, level(privacy, Pure))
    else:
        fine = min(80 * level(privacy, TotalVariation), 2e4 / (1 + n) ** 1.5)
        risk = partial(_count_risk, _orbits(privacy, int(np.ceil(fine))))
    priors = [_prior(n, privacy, b, reach) for b in shapes]
    found = [(risk(n, *prior), prior, risk) for prior in priors]
    return max(found, key=lambda known: known[0])


def sign_law(n: int, epsilon: float, local: bool, means: Array) -> Array:
    """Law of what is seen, one row a mean: a count of responses, or a count with geometric noise.

    For every prior nothing private tells more: locally every report on a bit is a garbling of
    randomized response, and with a curator the best tests for all thresholds are functions of the
    count with two-sided geometric noise, cut to [0, n].
    """
    if n == 0:
        return np.ones((means.size, 1))  # where both cuts are one
    k = np.arange(n + 1.0)
    contrast = np.tanh(epsilon / 2) if local else 1.0
    yes = (1 + contrast * means[:, None]) / 2
    log_choose = -np.log(n + 1) - betaln(k + 1, n - k + 1)
    law: Array = np.exp(log_choose + xlogy(k, yes) + xlog1py(n - k, -yes))
    if local:
        return law
    b = np.exp(-epsilon)
    up = scipy.signal.lfilter([1.0], [1.0, -b], law, axis=1)
    down = scipy.signal.lfilter([1.0], [1.0, -b], law[:, ::-1], axis=1)[:, ::-1]
    fall = -np.expm1(-epsilon)  # 1 - b, which would be 0 at a tiny budget
    noisy: Array = (up + down - law) * fall / (1 + b)
    noisy[:, 0] /= fall
    noisy[:, -1] /= fall
    return noisy


def _geometric_risk(epsilon: float, n: int, atoms: Array, prior: Array) -> float:
    """The Bayes risk for squared error under pure privacy: that of a count with geometric noise."""
    law = prior[:, None] * sign_law(n, epsilon, False, atoms)
    seen = law.sum(axis=0)
    kept = seen > 0
    told = float(((atoms @ law)[kept] ** 2 / seen[kept]).sum())
    return float(prior @ atoms**2 - told) * (1 - 1e-9)  # for rounding


def _prior(n: float, privacy: Guarantee, b: float, reach: float) -> Prior:
    """Means and their weights, as far as some standard errors."""
    rate = 1 / np.sqrt(n + 1) + 2 / ((n + 1) * level(privacy, TotalVariation))
    x = np.linspace(-1, 1, 41)
    weight = np.maximum(1 - x**2, 1e-3) ** b
    return min(reach, 6 * rate) * x, weight / weight.sum()


@lru_cache(maxsize=256)
def _orbits(privacy: Guarantee, fine: int) -> tuple[Array, int]:
    """Powers that grow as fast as they may, `fine` tests side by side: from 0 to 1.

    Every `fine`-th belongs to one test. What is within 1e-4 of an end is put there.
    """
    step = power_step(privacy)
    start = np.linspace(0.5, float(step(np.array([0.5]))[0]), fine + 1)[:-1]
    up, down = [start], [start]
    while up[-1][0] < 1 - 1e-4 and len(up) < 20_000:
        up.append(step(up[-1]))
    while down[-1][-1] > 1e-4 and len(down) < 20_000:
        down.append(1 - step(1 - down[-1]))
    powers = np.concatenate(down[:0:-1] + up)
    powers[powers < 1e-4], powers[powers > 1 - 1e-4] = 0.0, 1.0
    return powers, fine


def _count_risk(tests: tuple[Array, int], n: int, atoms: Array, prior: Array) -> float:
    """The Bayes risk for squared error from below, over all tests of a count of n signs."""
    k = np.arange(n + 1.0)
    yes = (1 + atoms[:, None]) / 2
    law = np.exp(-np.log(n + 1) - betaln(k + 1, n - k + 1) + xlogy(k, yes) + xlog1py(n - k, -yes))
    seen, first = prior @ law, (prior * atoms) @ law
    # What is left out at both ends only lowers the bound; between two counts a step is a step.
    often = np.flatnonzero(seen > 1e-7)
    kept = slice(often[0], often[-1] + 1)
    second = ((prior * atoms**2) @ law)[kept]
    seen, first = seen[kept], first[kept]
    n, g = seen.size - 1, first / seen
    powers, fine = tests
    known = float(second.sum() - first @ g)  # the posterior variance
    # Test t has at i the power number t + i * fine; beyond the list it is 0 or 1.
    padded = np.r_[np.zeros((n + 1) * fine), powers, np.ones((n + 1) * fine)]
    power = sliding_window_view(padded, padded.size - n * fine)[::fine]
    # At the threshold g_j; between two shifts the lower power counts below it, the higher above.
    # As sums and not as products of matrices, whose threads get in each other's way.
    alarms = (seen[:, None] * power).cumsum(0)
    over = np.zeros_like(alarms)
    np.cumsum(np.diff(g)[:, None] * alarms[:-1], axis=0, out=over[1:])
    # Above the threshold what sets off an alarm follows from the sums below it; the rest is missed.
    alarmed = (g[-1] - g)[:, None] * alarms[-1] - over[-1] + over
    above = (first[::-1].cumsum() - g[::-1] * seen[::-1].cumsum())[::-1]
    under = above[:, None] - alarmed
    error = (over[:, :-1] + under[:, 1:]).min(axis=1)
    # Concave between two thresholds, as a minimum of linear functions: above its chords.
    return float(known + ((error[1:] + error[:-1]) * np.diff(g)).sum()) * (1 - 1e-3)


# --- the end of a support -------------------------------------------------------------------------

_POWERS = expit(np.linspace(-12, 12, 601))  # of the tests that are tried
MOST_JUMPS = 800  # records that change one after the other


@lru_cache(maxsize=1024)
def end_by_tests(n: float, privacy: Guarantee) -> float:
    r"""Lower bound on the absolute error of the end of a support, threshold by threshold.

    Of n values below u those above t, of which there are :math:`K \sim \mathrm{Bin}(n, 1 - t/u)`,
    can be drawn anew below t. So a test of power p at the end t has at most the power
    :math:`\mathbb E F^K(p)` at the end u.
    """
    x, power = _growth(privacy)
    scale = float(np.interp(0.9, power, x) - np.interp(0.1, power, x)) / (4 * n)

    def best(span: float, ends: int) -> float:
        s = np.linspace(-min(14.0, span * scale), 0, ends)
        priors = np.exp(-np.outer([0.0, 1.0, 2.0, 4.0, 8.0, 16.0], s / s[0]))
        priors /= priors.sum(axis=1, keepdims=True)
        return float(end_risks(s, priors, partial(_up, n, privacy)).max())

    span = max((15.0, 25.0, 45.0), key=lambda span: best(span, 60))
    return best(span, 200) * (1 - 1e-4)


def end_risks(s: Array, priors: Array, up: Callable[[Array], Array]) -> Array:
    """The Bayes risks for absolute error at the ends e^s, of the best of tests at every threshold.

    One row a prior. `up` has one row for each distance of two ends in s, and says how far each of
    the powers can rise. Between two powers the lower counts for ends below the threshold, and the
    higher for those above it.
    """
    unit = 1e-6 * np.diff(s).min()
    steps, at = np.unique(np.round(np.abs(s[:, None] - s) / unit), return_inverse=True)
    at = at.reshape(s.size, s.size)
    higher = up(steps * unit)
    lower = np.array([_before(row) for row in higher])

    def weighted(prior: Array, pairs: Array, errors: Array) -> Array:
        """For each threshold above the end j, the sum over some ends i of their errors."""
        weight, (j, i) = np.zeros((s.size, steps.size)), np.nonzero(pairs)
        weight[j, at[j, i]] = prior[i]
        found: Array = weight @ errors
        return found

    risks = np.zeros(len(priors))
    for k, prior in enumerate(priors):
        wrong = weighted(prior, np.tri(s.size, dtype=bool), lower)
        missed = weighted(prior, ~np.tri(s.size, dtype=bool), 1 - higher)
        least = (wrong[:, :-1] + missed[:, 1:]).min(axis=1)
        # Below the first of the powers only misses count, above the last only wrong alarms.
        least = np.minimum(least, np.minimum(missed[:, 0], wrong[:, -1]))
        risks[k] = least[:-1] @ np.diff(np.exp(s))
    return risks


def _up(n: float, privacy: Guarantee, h: Array) -> Array:
    """How far the powers rise from one end to another, at distances h of their logarithms."""
    changed = _changed(privacy)
    if changed is None:  # so many records that their number hardly varies: G' = n (F(G) - G)
        x, power = _growth(privacy)
        found: Array = np.interp(np.interp(_POWERS, power, x) + n * h[:, None], x, power, right=1.0)
        return found
    mass = scipy.stats.binom.pmf(np.arange(len(changed)), n, -np.expm1(-h)[:, None])
    # More changes than are listed may lead to any power.
    return np.minimum(1.0, mass @ changed + np.maximum(0.0, 1 - mass.sum(axis=1))[:, None])


@lru_cache(maxsize=64)
def _changed(privacy: Guarantee) -> Array | None:
    """The most that the powers are when 0, 1, 2, ... records change; None if this takes long."""
    x, power = _growth(privacy)
    if np.interp(_POWERS[-1], power, x) - np.interp(_POWERS[0], power, x) > MOST_JUMPS:
        return None
    step, found = power_step(privacy), [_POWERS]
    while found[-1][0] < _POWERS[-1]:
        found.append(step(found[-1]))
    return np.array(found)


def _before(risen: Array) -> Array:
    """The least powers that can rise to the powers, from what these rise to: an inverse, below.

    What the powers rise to is concave in them: above a power it stays below the chord to its left.
    """
    p = np.r_[0.0, _POWERS]
    known = np.r_[0.0, risen]
    i = np.searchsorted(known, _POWERS, side="right") - 1
    left = np.maximum(i - 1, 0)
    slope = np.where(i > 0, (known[i] - known[left]) / np.maximum(p[i] - p[left], 1e-300), np.inf)
    after = p[np.minimum(i + 1, p.size - 1)]
    return np.minimum(p[i] + (_POWERS - known[i]) / np.maximum(slope, 1e-300), after)


@lru_cache(maxsize=256)
def _growth(privacy: Guarantee) -> tuple[Array, Array]:
    """Where the fastest power is, for n = 1: x, and the powers.

    The midpoint rule for the convex 1/(F(p) - p) is below the integral: no growth is faster at
    these points. Between them it is interpolated, which can lose 5e-5: the factor of
    :func:`end_by_tests` covers it.
    """
    z = np.linspace(-16, 16, 4_000)
    power, middle = expit(z), expit((z[1:] + z[:-1]) / 2)
    width = np.where(z[1:] <= 0, np.diff(power), -np.diff(expit(-z)))
    gain = power_step(privacy)(middle) - middle
    x = np.r_[0.0, np.cumsum(width / np.maximum(gain, 1e-300))]
    return x - x[z.size // 2], power
