"""The figures that can be dragged in the chapter on inference: one function for each."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from minimaxdp._types import Array
from minimaxdp.book.explorables import Control, Explorable, Panel
from minimaxdp.inference import (
    TulapRelease,
    coverage,
    critical_function,
    one_sided_power,
    p_value,
)

__all__ = ["exact_coverage", "noisy_count", "rival_test"]


def rival_test() -> Explorable:
    """Chapter `inference`: the optimal private test and a rival that climbs less steeply.

    The rival uses a share of the budget. It crosses the optimal test once, and is therefore less
    powerful at every larger proportion.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = rival_test()
    >>> figure
    Explorable('rival-test', 840 states)
    >>> figure.numbers_at()["crossing"]
    9.0
    """
    n, null = 20, 0.3
    counts = np.arange(n + 1)
    thetas = np.round(np.linspace(0.1, 0.9, 21), 3)
    laws = stats.binom.pmf(counts, n, thetas[:, None])

    @cache
    def test(epsilon: float, share: float) -> Array:
        if share == 0:  # a coin that ignores the data
            return np.full(n + 1, 0.05)
        return critical_function(n, null, epsilon * share)

    def power(epsilon: float, share: float) -> Array:
        return laws @ test(epsilon, share)

    def at(theta: float, epsilon: float, share: float) -> float:
        return float(stats.binom.pmf(counts, n, theta) @ test(epsilon, share))

    def crossing(epsilon: float, share: float) -> int:
        """First count at which the optimal test rejects more often."""
        return int(np.argmax(test(epsilon, 1.0) > test(epsilon, share)))

    shape = Panel("Chance to reject against the count", "true count", "chance to reject",
                  (0, n), (0, 1))  # fmt: skip
    shape.line(counts, lambda epsilon: test(epsilon, 1.0), "Tulap", "optimal test")
    shape.line(counts, test, "other", "rival test")
    shape.line(
        lambda epsilon, share: [crossing(epsilon, share) - 0.5] * 2, [0, 1], "guide", "crossing"
    )
    reached = Panel("Power against the proportion", "true proportion", "power", (0.1, 0.9), (0, 1))
    reached.line(thetas, lambda epsilon: power(epsilon, 1.0), "Tulap", "optimal test")
    reached.line(thetas, power, "other", "rival test")
    reached.line([null, null], [0, 1], "guide", "hypothesis")
    reached.point(
        lambda theta: theta,
        lambda theta, epsilon: at(theta, epsilon, 1.0),
        "here",
        drag="theta",
        along="x",
    )
    return Explorable(
        "rival-test",
        [
            Control("theta", thetas, "true proportion θ", "{:.2f}", 10),
            Control("epsilon", [0.1, 0.2, 0.5, 1, 2], "budget ε", "{:g}", 3),
            Control(
                "share", [0, 0.1, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9], "rival's share of ε", "{:g}", 3
            ),
        ],
        [shape, reached],
        {
            "best": lambda theta, epsilon: at(theta, epsilon, 1.0),
            "other": at,
            "crossing": crossing,
        },
        "From a count of {crossing:.0f} on the optimal test rejects more often than a rival that "
        "uses {share} of the budget ε = {epsilon}, and before that less often. At a proportion of "
        "{theta} the optimal test has power {best:.3f}, the rival {other:.3f}.",
        "Left, the chance to reject against the count: two rising curves that cross once, the "
        "optimal one below before the crossing and above after it. Right, their power against the "
        "proportion: equal at 0.3, the optimal one above at every larger proportion.",
    )


def exact_coverage() -> Explorable:
    """Chapter `inference`: exact coverage of 95 % intervals, by proportion, people and budget.

    Exact intervals lie on the line. Forgetting the noise is worst with few people and a small
    budget; the normal approximation is about a point low where the noise dominates.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = exact_coverage()
    >>> figure
    Explorable('exact-coverage', 228 states)
    >>> figure.numbers_at()
    {'normal': 0.9440675, 'fiducial': 0.949917, 'ignore': 0.7533988}
    """
    thetas = np.array(
        [0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8,
         0.9, 0.96, 0.99]
    )  # fmt: skip

    @cache
    def covered(n: float, epsilon: float, method: str) -> Array:
        return np.asarray(coverage(thetas, int(n), epsilon, method=method))

    def at(theta: float, n: float, epsilon: float, method: str) -> float:
        return float(covered(n, epsilon, method)[int(np.argmin(abs(thetas - theta)))])

    panel = Panel("Coverage against the proportion", "proportion", "coverage", (0, 1), (0, 1))
    panel.line([0, 1], [0.95, 0.95], "truth", "exact methods")
    panel.line(thetas, lambda n, epsilon: covered(n, epsilon, "normal"), "guide", "normal")
    panel.line(thetas, lambda n, epsilon: covered(n, epsilon, "jimi"), "after", "fiducial")
    panel.line(thetas, lambda n, epsilon: covered(n, epsilon, "ignore"), "wrong", "noise ignored")
    panel.point(
        lambda theta: theta,
        lambda theta, n, epsilon: at(theta, n, epsilon, "ignore"),
        "here",
        drag="theta",
        along="x",
    )
    return Explorable(
        "exact-coverage",
        [
            Control("theta", thetas, "proportion θ", "{:g}", 9),
            Control("n", [10, 30, 100], "people n", "{:.0f}", 2),
            Control("epsilon", [0.1, 0.2, 0.5, 1], "budget ε", "{:g}", 1),
        ],
        [panel],
        {
            "normal": lambda theta, n, epsilon: at(theta, n, epsilon, "normal"),
            "fiducial": lambda theta, n, epsilon: at(theta, n, epsilon, "jimi"),
            "ignore": lambda theta, n, epsilon: at(theta, n, epsilon, "ignore"),
        },
        "With {n} people, a budget of {epsilon} and a proportion of {theta}, the interval that "
        "ignores the noise covers {ignore:.1%}, the normal one {normal:.1%}, the fiducial one "
        "{fiducial:.1%}, and the exact ones 95%.",
        "Coverage of four kinds of intervals against the proportion: exact methods on a level line "
        "at 0.95, the fiducial one within 0.3 points of it, the normal one within 1.3 points, and "
        "the one that ignores the noise below it, far below for a small budget.",
    )


def noisy_count() -> Explorable:
    """Chapter `inference`: a noisy count, its tail under the null hypothesis, its p-value.

    The shaded tail is the p-value. The same count without noise has a much smaller one where the
    budget is small, and almost the same where it is not.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = noisy_count()
    >>> figure
    Explorable('noisy-count', 104 states)
    >>> figure.numbers_at(count=5)["plain"]
    0.5626853
    """
    n, null, level = 40, 0.5, 0.05
    counts, grid = np.arange(15, 41), np.linspace(10, 40, 121)

    @cache
    def release(epsilon: float) -> TulapRelease:
        return TulapRelease(n, null, epsilon)

    def density(epsilon: float) -> Any:
        """By differences of the exact distribution function, a tenth apart."""
        law = release(epsilon)
        return 10 * (law.cdf(grid + 0.05) - law.cdf(grid - 0.05))

    def private(count: float, epsilon: float) -> float:
        return float(p_value(count, n, null, epsilon))

    def plain(count: float) -> float:
        return float(stats.binom.sf(count - 1, n, null))

    shares = np.linspace(null, 1, 26)
    law = Panel("Law of the noisy count", "noisy count", "density if θ = 1/2", (10, 40), (0, 0.13))
    law.area(grid, density, "Tulap", "p-value", low=lambda count: count)
    law.line(grid, density, "Tulap")
    law.line(lambda count: [count, count], [0, 0.12], "truth")
    law.point(lambda count: count, 0.12, "here", drag="count", along="x")
    tail = Panel("p-value of a count", "count", "p-value", (15, 40), (1e-5, 1), yscale="log")
    tail.line(counts, lambda epsilon: p_value(counts, n, null, epsilon), "Tulap", "noisy count")
    tail.line(counts, [plain(float(c)) for c in counts], "no privacy", "the count without noise")
    tail.line([15, 40], [level, level], "guide", "level 5%")
    tail.point(lambda count: count, plain, "no privacy")
    tail.point(lambda count: count, private, "here", drag="count", along="x")
    power = Panel("Power of the test", "true share θ", "power at 5%", (0.5, 1), (0, 1))
    power.line(
        shares,
        lambda epsilon: one_sided_power(shares, n, null, epsilon, alpha=level),
        "Tulap",
        "most powerful private test",
    )
    power.line(shares, _plain_power(shares, n, null, level), "no privacy", "without privacy")
    power.point(0.7, lambda epsilon: one_sided_power(0.7, n, null, epsilon, alpha=level), "here")
    return Explorable(
        "noisy-count",
        [
            Control("count", counts, "count", "{:.0f}", 12),
            Control("epsilon", [0.1, 0.3, 1, 3], "budget ε", "{:g}", 1),
        ],
        [law, tail, power],
        {
            "private": private,
            "plain": plain,
            "power": lambda epsilon: float(one_sided_power(0.7, n, null, epsilon, alpha=level)),
            "free": float(_plain_power(0.7, n, null, level)),
        },
        "A noisy count of {count} out of 40 has the p-value {private:.4f}; without noise it would "
        "be {plain:.4f}. If the true share is 0.7, the test rejects with probability "
        "{power:.1%}, without privacy with {free:.1%}.",
        "Three panels: the law of a noisy count with its tail shaded; p-values of noisy and of "
        "plain counts on a logarithmic axis, the plain ones smaller in the tail; and the power of "
        "both tests against the true share, the private one lower.",
    )


def _plain_power(share: ArrayLike, n: int, null: float, level: float) -> Any:
    """Power of the most powerful test without privacy, randomized so as to have the level."""
    count = int(stats.binom.isf(level, n, null))
    chance = (level - stats.binom.sf(count, n, null)) / stats.binom.pmf(count, n, null)
    return stats.binom.sf(count, n, share) + chance * stats.binom.pmf(count, n, share)
