r"""How fast the power of a private test can grow, and the Bayes risks that follow from it.

For neighbouring data sets a test of power p on the one has power at most F(p) on the other, F
concave: :func:`power_step`. An estimate of one number is a test for every threshold c, "the
estimate exceeds c", and its error is an integral over c of weighted errors of these tests. In each
the weight of the power changes sign once, so that the best test grows as fast as F allows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import scipy
from scipy.special import betaln, expit, xlog1py, xlogy

from minimaxdp._types import Array
from minimaxdp.guarantees import KL, ZCDP, Approximate, Guarantee, Pure, TotalVariation
from minimaxdp.lower_bounds._curator_means import level

__all__ = ["counted_floor", "power_step", "end_by_tests"]


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

    def kept(p: Array, above: Array) -> Array:
        there = xlogy(above, above / p) + xlogy(1 - above, (1 - above) / (1 - p))
        back = xlogy(p, p / above) + xlogy(1 - p, (1 - p) / (1 - above))
        worst = np.maximum(1 / (p * (1 - p)), 1 / (above * (1 - above)))
        found: Array = (np.maximum(there, back) <= nats) & ((above - p) ** 2 * worst <= square)
        return found

    def step(p: Array) -> Array:
        p = np.asarray(p, dtype=float)
        low, high = p, np.minimum(1.0, p + alpha)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for _ in range(40):
                middle = (low + high) / 2
                inside = kept(p, middle)
                low, high = np.where(inside, middle, low), np.where(inside, high, middle)
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
def counted_floor(n: float, q: float, privacy: Guarantee) -> float:
    r"""Lower bound for the mean in [-1, 1] of signs that n people hold with probability q.

    Who holds a sign is revealed. Given the number N of them, the power of a test that sees i
    positive ones is at most F of its power at i - 1. The least Bayes risk of all tests that grow
    like this is summed over N, of which it is a decreasing function.
    """
    # Up to a larger number the risk is at least its own; the few beyond are left out.
    reach = 3.5 * np.sqrt(n * q * (1 - q)) + 1e-9
    numbers = np.unique(np.clip(np.ceil(n * q + reach * np.linspace(-1, 1, 17)), 0, n))
    mass = np.diff(scipy.stats.binom.cdf(numbers, n, q), prepend=0.0)
    middle = float(np.ceil(n * q))
    fine = min(80 * level(privacy, TotalVariation), 2e4 / (1 + middle) ** 1.5)
    tests = _orbits(privacy, int(np.ceil(fine)))
    priors = [_prior(middle, privacy, b) for b in (-0.5, 0.0, 1.0)]

    def risk(people: float, prior: tuple[Array, Array]) -> float:
        return _count_risk(int(people), *prior, *tests)

    best = max(priors, key=lambda prior: risk(middle, prior))
    return float(mass @ [risk(k, best) for k in numbers])


def _prior(n: float, privacy: Guarantee, b: float) -> tuple[Array, Array]:
    """Means and their weights, as far as some standard errors."""
    rate = 1 / np.sqrt(n + 1) + 2 / ((n + 1) * level(privacy, TotalVariation))
    x = np.linspace(-1, 1, 41)
    weight = np.maximum(1 - x**2, 1e-3) ** b
    return min(1.0, 6 * rate) * x, weight / weight.sum()


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


def _count_risk(n: int, atoms: Array, prior: Array, powers: Array, fine: int) -> float:
    """The Bayes risk for squared error from below, over all tests of a count of n signs."""
    k = np.arange(n + 1.0)
    yes = (1 + atoms[:, None]) / 2
    law = np.exp(-np.log(n + 1) - betaln(k + 1, n - k + 1) + xlogy(k, yes) + xlog1py(n - k, -yes))
    seen, first = prior @ law, (prior * atoms) @ law
    kept = seen > 1e-7  # what is left out only lowers the bound
    second = ((prior * atoms**2) @ law)[kept]
    seen, first = seen[kept], first[kept]
    n, g = seen.size - 1, first / seen
    known = float(second.sum() - first @ g)  # the posterior variance
    # Test t has at i the power number t + i * fine; beyond the list it is 0 or 1.
    padded = np.r_[np.zeros((n + 1) * fine), powers, np.ones((n + 1) * fine)]
    shifts = np.arange(padded.size - n * fine)
    power = padded[shifts + fine * np.arange(n + 1)[:, None]]
    wrong, missed = seen[:, None] * power, seen[:, None] * (1 - power)
    # At the threshold g_j; between two shifts the lower power counts below it, the higher above.
    over = g[:, None] * wrong.cumsum(0) - (g[:, None] * wrong).cumsum(0)
    under = (g[:, None] * missed)[::-1].cumsum(0)[::-1] - g[:, None] * missed[::-1].cumsum(0)[::-1]
    error = (over[:, :-1] + under[:, 1:]).min(axis=1)
    # Concave between two thresholds, as a minimum of linear functions: above its chords.
    return float(known + ((error[1:] + error[:-1]) * np.diff(g)).sum()) * (1 - 1e-3)


# --- the end of a support -------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def end_by_tests(n: float, privacy: Guarantee) -> float:
    r"""Lower bound on the absolute error of the end of a support, threshold by threshold.

    The law with the end :math:`\theta e^h` is :math:`e^{-h}` times that with the end
    :math:`\theta`, and something else. So the power of a test, as a function of
    :math:`s = \ln \theta`, grows at most like the solution of :math:`G' = n (F(G) - G)`.
    """
    x, power = _growth(privacy)
    scale = float(np.interp(0.9, power, x) - np.interp(0.1, power, x)) / (4 * n)
    best = 0.0
    for span in (15.0, 45.0):
        s = np.linspace(-min(14.0, span * scale), 0, 200)
        cuts = np.arange(s[0] - 6 * scale, 6 * scale, (s[1] - s[0]) / 5)
        powers = np.interp(n * (s[:, None] - cuts), x, power, left=0.0, right=1.0)
        for b in (0.0, 1.0, 4.0, 16.0):
            prior = np.exp(-b * s / s[0])
            best = max(best, _end_risk(np.exp(s), prior / prior.sum(), powers))
    return best * (1 - 1e-4)


def _growth(privacy: Guarantee) -> tuple[Array, Array]:
    """Where the fastest power is, for n = 1: x, and the powers.

    The midpoint rule for the convex 1/(F(p) - p) is below the integral: no growth is faster.
    """
    z = np.linspace(-16, 16, 4_000)
    power, middle = expit(z), expit((z[1:] + z[:-1]) / 2)
    width = np.where(z[1:] <= 0, np.diff(power), -np.diff(expit(-z)))
    gain = power_step(privacy)(middle) - middle
    x = np.r_[0.0, np.cumsum(width / np.maximum(gain, 1e-300))]
    return x - x[z.size // 2], power


def _end_risk(ends: Array, prior: Array, powers: Array) -> float:
    """The Bayes risk for absolute error, of the best of tests at every threshold.

    One row of powers an end, one column a test, in falling order. Between two of them the lower
    power counts for ends below the threshold, and the higher for those above it.
    """
    over = prior[:, None] * powers
    under = prior[:, None] - over
    np.cumsum(over, axis=0, out=over)
    np.cumsum(under[::-1], axis=0, out=under[::-1])
    below = prior.cumsum()[:-1]
    tests = (over[:-1, 1:] + under[1:, :-1]).min(axis=1)
    error = np.minimum(tests, np.minimum(below, 1 - below))
    return float(error @ np.diff(ends))
