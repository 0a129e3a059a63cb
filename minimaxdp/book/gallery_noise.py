"""The figures that can be dragged in the chapters on noise: one function for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate, accounting, guarantees
from minimaxdp._types import Array
from minimaxdp.book.explorables import Control, Explorable, Panel
from minimaxdp.laplace import ClipErrors, clip_errors

__all__ = ["clipped_mean", "many_releases", "subset_counts"]


def clipped_mean(x: ArrayLike) -> Explorable:
    """Chapter `laplace`: whose the error of a noisy clipped mean is, by clip, budget and people.

    A narrow clip is biased, a wide one noisy; with more people the best one moves to the right
    and privacy's share of the error falls.

    Parameters
    ----------
    x : array_like, shape (m,)
        The population from which people are drawn: numbers of at least 0, some above 1.

    Returns
    -------
    Explorable

    Raises
    ------
    TypeError, ValueError
        If x is not a vector of such numbers.

    Examples
    --------
    >>> figure = clipped_mean(np.repeat([0, 1, 3, 8, 30], [400, 300, 200, 90, 10]))
    >>> figure
    Explorable('clipped-mean', 720 states)
    >>> figure.numbers_at()["error"]
    0.03819267
    """
    population = np.asarray(_validate.real("x", x, minimum=0, maximum=1e6))
    if population.ndim != 1 or population.max() <= 1:
        raise ValueError("x must be a vector with numbers above 1")
    clips = np.array([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 85, 100])
    budgets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

    def parts(clip: ArrayLike, epsilon: float, n: float) -> ClipErrors:
        return clip_errors(population, clip, int(n), epsilon)

    def total(clip: ArrayLike, epsilon: float, n: float) -> ArrayLike:
        return np.sqrt(parts(clip, epsilon, n).total)

    def share(part: str) -> Callable[[float, float, float], float]:
        def of(clip: float, epsilon: float, n: float) -> float:
            found = parts(clip, epsilon, n)
            return float(getattr(found, part) / found.total)

        return of

    panel = Panel(
        "Three errors and their total against the clip",
        "clip",
        "root mean squared error",
        (1, 130),
        (1e-3, 10),
        "log",
        "log",
    )
    clipping = np.sqrt(parts(clips, 1.0, 1).clipping)
    panel.line(clips[clipping > 0], clipping[clipping > 0], "bias", "clipping")
    panel.line(clips, lambda n: np.sqrt(parts(clips, 1.0, n).sampling), "sampling", "sampling")
    panel.line(
        clips, lambda epsilon, n: np.sqrt(parts(clips, epsilon, n).privacy), "noise", "privacy"
    )
    panel.line(clips, lambda epsilon, n: total(clips, epsilon, n), "truth", "total")
    panel.point(lambda clip: clip, total, "here", drag="clip", along="x")
    return Explorable(
        "clipped-mean",
        [
            Control("clip", clips, "clip", "{:.0f}", 14),
            Control("epsilon", budgets, "budget ε", "{:g}", 3),
            Control("n", [200, 2_000, 20_000, 200_000], "people n", "{:.0f}", 2),
        ],
        [panel],
        {
            "error": total,
            "clipping": share("clipping"),
            "sampling": share("sampling"),
            "privacy": share("privacy"),
        },
        "With {n} people, a budget of {epsilon} and a clip of {clip}, the error is {error:.3f}: "
        "{clipping:.0%} of its square comes from clipping, {sampling:.0%} from sampling and "
        "{privacy:.0%} from privacy.",
        "Root mean squared error against the clip on logarithmic axes: the error of clipping "
        "falls, that of privacy rises in a straight line, that of sampling rises and levels off, "
        "and their total first falls and then rises, with a dot at the chosen clip.",
    )


def subset_counts() -> Explorable:
    """Chapter `reconstruction`: the share of bits rebuilt from noisy counts, by noise and number.

    The same noise that hides everybody from a few counts hides nobody from many: only noise that
    grows with the root of their number does.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = subset_counts()
    >>> figure
    Explorable('subset-counts', 164 states)
    >>> figure.numbers_at()
    {'squares': 0.7492574, 'best': 0.8434915, 'unit': 0.3500179}
    """
    from scipy import stats

    people, numbers = 64, [128, 512, 2048, 8192]
    noises = np.round(np.geomspace(0.5, 50, 41), 2)

    @cache
    def design(m: int) -> tuple[Array, Array]:
        """For each person, in how many of m random subsets, and the variance of least squares."""
        subsets = np.random.default_rng(0).integers(0, 2, (m, people))
        return subsets.sum(axis=0), np.diag(np.linalg.inv(subsets.T @ subsets))

    def squares(noise: ArrayLike, m: float) -> Array:
        spread = np.sqrt(design(int(m))[1])
        return stats.norm.cdf(1 / (2 * np.multiply.outer(noise, spread))).mean(axis=-1)

    def best(noise: ArrayLike, m: float) -> Array:
        inside = np.sqrt(design(int(m))[0])
        return stats.norm.cdf(inside / (2 * np.expand_dims(noise, -1))).mean(axis=-1)

    panel = Panel(
        "Bits rebuilt against the noise",
        "standard deviation of the noise",
        "share of bits rebuilt",
        (0.5, 50),
        (0.45, 1),
        "log",
    )
    panel.line(noises, lambda m: best(noises, m), "floor", "no attack does better")
    panel.line(noises, lambda m: squares(noises, m), "ceiling", "least squares")
    panel.line([0.5, 50], [0.5, 0.5], "before", "a coin")
    panel.line(lambda m: [m**0.5, m**0.5], [0.45, 1], "guide", "root of the number of counts")
    panel.point(
        lambda noise: noise,
        lambda noise, m: float(squares(noise, m)),
        "here",
        drag="noise",
        along="x",
    )
    return Explorable(
        "subset-counts",
        [
            Control("noise", noises, "noise", "{:.1f}", 24),
            Control("m", numbers, "counts", "{:.0f}", 1),
        ],
        [panel],
        {
            "squares": lambda noise, m: float(squares(noise, m)),
            "best": lambda noise, m: float(best(noise, m)),
            "unit": lambda noise, m: noise / m**0.5,
        },
        "From {m} counts over random subsets of 64 people, each with noise {noise}, which is "
        "{unit:.2f} times the root of {m}, least squares rebuilds {squares:.1%} of the bits, and "
        "no attack more than {best:.1%}.",
        "Share of bits rebuilt against the noise on a logarithmic axis: near one where noise is "
        "far below the root of the number of counts, falling to one half beyond it; with more "
        "counts the curves lie further to the right.",
    )


def many_releases() -> Explorable:
    """Chapter `accounting`: which share of the sum of its budgets many releases really spend.

    For few releases it is all of the sum. For many, the exact curves and the bounds fall, at
    small budgets nearly to zero, at large ones to the mean of the loss.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = many_releases()
    >>> figure
    Explorable('many-releases', 70 states)
    >>> {name: round(value, 3) for name, value in figure.numbers_at().items()}
    {'basic': 10.0, 'advanced': 5.756, 'zcdp': 5.219, 'optimal': 4.775, 'laplace': 4.693}
    """
    delta = 1e-6
    numbers = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])

    @cache
    def exact(pair: guarantees.DominatingPair, k: int) -> float:
        return float(accounting.compose(pair, times=k).epsilon(delta).high)

    def basic(k: ArrayLike, epsilon: float) -> Array:
        return np.asarray(k) * epsilon

    def advanced(k: ArrayLike, epsilon: float) -> ArrayLike:
        return accounting.advanced_epsilon(np.asarray(k).astype(int), epsilon, delta)

    def zcdp(k: ArrayLike, epsilon: float) -> Array:
        rho = np.asarray(k) * guarantees.pure_to_zcdp(epsilon)
        found = guarantees.zcdp_to_approximate(rho, delta=delta).epsilon
        return np.minimum(found, basic(k, epsilon))

    def optimal(k: ArrayLike, epsilon: float) -> Array:
        pair = guarantees.ResponsePair(epsilon)
        return np.vectorize(lambda m: exact(pair, int(m)))(k)

    def laplace(k: ArrayLike, epsilon: float) -> Array:
        pair = guarantees.LaplacePair(epsilon)
        return np.vectorize(lambda m: exact(pair, int(m)))(k)

    def share(rule: Callable[..., ArrayLike], k: ArrayLike, epsilon: float) -> Array:
        return np.asarray(rule(k, epsilon)) / basic(k, epsilon)

    panel = Panel(
        "The epsilon of many releases over the sum of their budgets",
        "number of releases k",
        "total ε at δ = 1e-6, over kε",
        (0.9, 1500),
        (0, 1.05),
        "log",
    )
    for rule, style, name in (
        (advanced, "ceiling", "advanced composition"),
        (zcdp, "zcdp", "by zCDP"),
        (optimal, "pure", "best for pure privacy"),
        (laplace, "Laplace", "Laplace noise"),
    ):
        panel.line(numbers, lambda epsilon, rule=rule: share(rule, numbers, epsilon), style, name)
    panel.point(
        lambda k: k, lambda k, epsilon: share(laplace, k, epsilon), "Laplace", drag="k", along="x"
    )
    return Explorable(
        "many-releases",
        [
            Control("k", numbers, "releases k", "{:.0f}", 6),
            Control("epsilon", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1], "ε of each", "{:g}", 3),
        ],
        [panel],
        {
            "basic": basic,
            "advanced": advanced,
            "zcdp": zcdp,
            "optimal": optimal,
            "laplace": laplace,
        },
        "{k} releases of {epsilon}-private Laplace noise are ({laplace:.2f}, 1e-6)-private. For "
        "any {epsilon}-private releases it is {optimal:.2f}; zCDP says {zcdp:.2f}, advanced "
        "composition {advanced:.2f}, and the sum of the budgets is {basic:.2f}.",
        "Epsilon at delta one millionth, as a share of the sum of the budgets, against the number "
        "of releases on a logarithmic axis. All curves start at one. Laplace noise, with a dot at "
        "the chosen number, and just above it the best bound for pure privacy leave it first and "
        "fall furthest; the bound by zCDP follows, and advanced composition is the last.",
    )
