"""A clip chosen privately: a quantile by the exponential mechanism, then a noisy clipped mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, Pure
from minimaxdp.laplace._private_data import records
from minimaxdp.laplace._selection import ExponentialMechanism

__all__ = ["ClipErrors", "PrivateQuantile", "PrivatelyClippedMean", "clip_errors"]


@dataclass(frozen=True)
class ClipErrors:
    """The three parts of the squared error of a noisy clipped mean.

    Attributes
    ----------
    clipping : float or ndarray
        Squared bias: the clipped mean against the mean.
    sampling : float or ndarray
        Variance of the mean of n clipped records.
    privacy : float or ndarray
        Variance of the noise.
    """

    clipping: Real
    sampling: Real
    privacy: Real

    @property
    def total(self) -> Real:
        """Expected squared error."""
        return self.clipping + self.sampling + self.privacy


def clip_errors(
    x: ArrayLike, clip: ArrayLike, n: ArrayLike, epsilon: ArrayLike, *, low: float = 0.0
) -> ClipErrors:
    r"""Exact error of a Laplace mean of n draws from x, each clipped to [low, clip].

    .. math:: \big(\mathbb E X_c - \mathbb E X\big)^2 + \frac{\mathrm{Var}(X_c)}{n}
              + \frac{2 (c - \mathrm{low})^2}{n^2 \varepsilon^2},
              \qquad X_c = \max(\min(X, c), \mathrm{low})

    Parameters
    ----------
    x : array_like, shape (m,)
        The population, each record equally likely.
    clip : array_like
        Upper end c of the declared range, above `low`.
    n : array_like of int
        Size of the sample.
    epsilon : array_like
        Budget of the noise.
    low : float
        Lower end of the declared range.

    Returns
    -------
    ClipErrors
        Its parts of the common shape of `clip`, `n` and `epsilon`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> parts = clip_errors([0.0, 1.0, 5.0], clip=2.0, n=100, epsilon=0.5)
    >>> round(parts.clipping, 6), round(parts.privacy, 6)
    (1.0, 0.0032)
    """
    x = records("x", x)
    low = _validate.one_real("low", low, minimum=-1e100, maximum=1e100)
    clip = np.asarray(_validate.real("clip", clip, maximum=1e100))
    if np.any(clip <= low):
        raise ValueError(f"clip must be greater than low = {low:g}, got {clip.min():g}")
    n = np.asarray(_validate.integer("n", n, minimum=1))
    epsilon = np.asarray(_validate.real("epsilon", epsilon, minimum=1e-9, maximum=700))
    _validate.broadcast(clip=clip, n=n, epsilon=epsilon)
    ordered = np.clip(np.sort(x), low, 1e100)
    # Of the k smallest: their mean above the smallest, and their squared deviations from it, of
    # which each adds to those before, so that nothing cancels.
    above_least, k = ordered - ordered[0], np.arange(1, x.size + 1)
    means = np.concatenate([[0.0], np.cumsum(above_least) / k])
    added = (above_least - means[:-1]) ** 2 * (k - 1) / k
    spread = np.concatenate([[0.0], np.cumsum(added)])
    inside = np.searchsorted(ordered, clip, side="right")
    between = (clip - ordered[0] - means[inside]) ** 2 * (inside / x.size) * (1 - inside / x.size)
    variance = spread[inside] / x.size + between
    # What is cut off, summed by itself: exactly zero where nothing is.
    above = np.concatenate([np.cumsum(ordered[::-1])[::-1], [0.0]])[inside]
    cut = (above - (x.size - inside) * clip) / x.size
    bias = cut - np.maximum(low - x, 0).mean()
    return ClipErrors(
        (bias**2 + 0.0 * (n * epsilon))[()],
        (variance / n + 0.0 * epsilon)[()],
        (2 * ((clip - low) / (n * epsilon)) ** 2)[()],
    )


@dataclass(frozen=True)
class PrivateQuantile:
    r"""One of a list of candidates, close in rank to a quantile of the records.

    The exponential mechanism with the score

    .. math:: s(c) = -\big|\#\{i : x_i \le c\} - q n\big|,

    of sensitivity 1 under replacement, ties or not. The promise is about one record: whoever
    owns m of them is protected by m epsilon. For study: the draw is made in doubles.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive, at most 700.
    candidates : array_like, shape (k,)
        At least 2 numbers in increasing order, chosen without looking at the data.
    level : float
        Which quantile q, in [0, 1].

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or candidates repeat or do not increase.

    Notes
    -----
    A. Smith, "Privacy-preserving statistical estimation with optimal convergence rates", STOC
    2011.

    Examples
    --------
    >>> choose = PrivateQuantile(epsilon=1.0, candidates=[1, 2, 5, 10, 20], level=0.9)
    >>> visits = np.repeat([0, 1, 3, 8, 30], [40, 30, 20, 9, 1])
    >>> choose.probabilities(visits).round(3)
    array([0.   , 0.   , 0.978, 0.011, 0.011])
    """

    epsilon: float
    candidates: Any
    level: float = 0.5

    def __post_init__(self) -> None:
        found = np.array(_validate.real("candidates", self.candidates), dtype=float)
        if found.ndim != 1 or found.size < 2:
            raise ValueError("candidates must be a vector of at least 2 numbers")
        if np.any(np.diff(found) <= 0):
            raise ValueError("candidates must be distinct and in increasing order")
        found.flags.writeable = False
        _validate.freeze(
            self,
            epsilon=_validate.one_epsilon(self.epsilon),
            candidates=found,
            level=_validate.one_real("level", self.level, minimum=0, maximum=1),
        )

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon."""
        return Pure(self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Two data sets that differ in one record, which moves the rank of one candidate."""
        return _step(self.candidates)

    def scores(self, x: ArrayLike) -> Array:
        """Minus the distance of each candidate's rank from the one that is sought: not private."""
        x = records("x", x)
        ranks = np.searchsorted(np.sort(x), self.candidates, side="right")
        return -abs(ranks - self.level * x.size)

    def probabilities(self, x: ArrayLike) -> Array:
        """The exact law of the choice for these records: not private."""
        return self._choice.probabilities(self.scores(x))

    def privatize(self, x: ArrayLike, *, rng: Rng = None) -> float:
        """The candidate chosen for the records.

        Parameters
        ----------
        x : array_like, shape (n,)
        rng : Generator, int or None

        Returns
        -------
        float

        Raises
        ------
        TypeError, ValueError
            If there are no records, or one is not a finite number; the message does not show it.

        Examples
        --------
        >>> PrivateQuantile(50.0, [1, 2, 5, 10], 0.5).privatize([0, 3, 4, 4, 9], rng=0)
        5.0
        """
        generator = _validate.generator(rng)
        return float(self.candidates[self._choice.privatize(self.scores(x), rng=generator)])

    def rank_error(self, beta: float) -> float:
        r"""How much worse than the best the rank may be, except with probability beta.

        .. math:: \frac{2}{\varepsilon} \ln \frac{k}{\beta}

        Examples
        --------
        >>> round(PrivateQuantile(0.1, [1, 2, 5, 10], 0.9).rank_error(0.05), 1)
        87.6
        """
        beta = _validate.one_real("beta", beta, above=0, below=1)
        return float(2 / self.epsilon * (np.log(len(self.candidates)) - np.log(beta)))

    @property
    def _choice(self) -> ExponentialMechanism:
        return ExponentialMechanism(self.epsilon)


@dataclass(frozen=True)
class PrivatelyClippedMean:
    r"""A mean of records of unknown scale: a private quantile sets the clip, noise hides the rest.

    A share of the budget pays for :class:`PrivateQuantile`, whose choice times `multiple` is the
    clip c; the remainder pays for Laplace noise on the mean of the records clipped to [0, c]. The
    promise is about one record under replacement. For study: the noise is made of doubles.

    Parameters
    ----------
    epsilon : float
        Whole budget in nats, positive, at most 700.
    candidates : array_like, shape (k,)
        At least 2 positive numbers in increasing order.
    level : float
        Which quantile sets the scale. It should leave well more than
        ``2 ln(k) / (share epsilon)`` records above it.
    multiple : float
        How many times the quantile is the clip, positive: a guess about the tail.
    share : float
        Of the budget for the choice, strictly between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> mean = PrivatelyClippedMean(1.0, [1, 2, 5, 10], level=0.9, multiple=3)
    >>> visits = np.repeat([0, 1, 3, 8, 30], [400, 300, 200, 90, 10])
    >>> mean.clip_law(visits).round(3)
    array([0.   , 0.   , 0.989, 0.011])
    >>> released = mean.privatize(visits, rng=0)
    """

    epsilon: float
    candidates: Any
    level: float = 0.9
    multiple: float = 1.0
    share: float = 0.1

    def __post_init__(self) -> None:
        epsilon = _validate.one_epsilon(self.epsilon)
        share = _validate.one_real("share", self.share, above=0, below=1)
        multiple = _validate.one_real("multiple", self.multiple, above=0)
        _validate.scale("multiple", multiple)
        choice = PrivateQuantile(share * epsilon, self.candidates, self.level)
        _validate.scale("candidates", choice.candidates)
        _validate.scale("multiple times candidates", multiple * choice.candidates)
        _validate.freeze(
            self,
            epsilon=epsilon,
            candidates=choice.candidates,
            level=choice.level,
            multiple=multiple,
            share=share,
        )

    @property
    def choice(self) -> PrivateQuantile:
        """The mechanism that chooses, with its share of the budget."""
        return PrivateQuantile(self.share * self.epsilon, self.candidates, self.level)

    @property
    def noise_epsilon(self) -> float:
        """What is left for the noise."""
        return (1 - self.share) * self.epsilon

    @property
    def clips(self) -> Array:
        """The clip that goes with each candidate."""
        return np.asarray(self.multiple * self.candidates)

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon: the two budgets add up."""
        return Pure(self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Two data sets that differ in one record."""
        return _step(self.candidates)

    def clip_law(self, x: ArrayLike) -> Array:
        """The exact law of the clip for these records: not private."""
        return self.choice.probabilities(x)

    def squared_errors(self, x: ArrayLike) -> Array:
        """Expected squared error against the mean of these records, for each clip: not private."""
        x = records("x", x)
        parts = clip_errors(x, self.clips, x.size, self.noise_epsilon)
        return np.asarray(parts.clipping + parts.privacy)

    def risk(self, x: ArrayLike) -> float:
        """Expected squared error against the mean of these records, exactly: not private.

        Examples
        --------
        >>> visits = np.repeat([0, 1, 3, 8, 30], [400, 300, 200, 90, 10])
        >>> round(PrivatelyClippedMean(1.0, [1, 2, 5, 10], multiple=3).risk(visits), 4)
        0.0229
        """
        return float(self.clip_law(x) @ self.squared_errors(x))

    def privatize(self, x: ArrayLike, *, rng: Rng = None) -> float:
        """The noisy mean of the records.

        Parameters
        ----------
        x : array_like, shape (n,)
            Records below zero count as zero.
        rng : Generator, int or None

        Returns
        -------
        float

        Raises
        ------
        TypeError, ValueError
            If there are no records, or one is not a finite number; the message does not show it.
        """
        generator, x = _validate.generator(rng), records("x", x)
        clip = self.multiple * self.choice.privatize(x, rng=generator)
        scale = clip / x.size / self.noise_epsilon
        return float(np.clip(x, 0, clip).mean() + generator.laplace(scale=scale))


def _step(candidates: Array) -> tuple[Array, Array]:
    """Ten records at the ends of the candidates, and the same with one of them moved."""
    here = np.repeat(candidates[[0, -1]], 5)
    there = here.copy()
    there[0] = candidates[-1]
    return here, there
