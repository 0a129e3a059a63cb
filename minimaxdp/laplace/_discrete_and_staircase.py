"""Noise that moves in steps: on the integers, and the staircase that beats Laplace.

For study: see :mod:`minimaxdp.laplace` for what doubles do to the guarantees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Integer, Real, Rng
from minimaxdp.guarantees import Guarantee, Pure
from minimaxdp.laplace._additive import AdditiveMechanism

__all__ = ["DiscreteLaplace", "Staircase"]

# Below it numpy's geometric draws leave the exact integers of a double and, further down, all
# stop at the largest 64-bit one, where the difference of two of them is no noise at all.
_LEAST_RATE = 1e-14
# Numbers worked on at once: two buffers of them stay in the cache.
_CHUNK = 2**14


@dataclass(frozen=True)
class DiscreteLaplace(AdditiveMechanism):
    r"""Two-sided geometric noise for integer queries.

    .. math:: \Pr(Z = z) = \frac{1 - b}{1 + b}\, b^{|z|}, \qquad b = e^{-\varepsilon/\Delta}

    Exactly epsilon-differentially private for an integer query of sensitivity Delta, if the
    geometric draws are exact. An integer plus an integer leaves no trace of either in its low
    bits, which is how sums of doubles leak (Mironov 2012). What it does not avoid: the draws
    come from a sampler that computes in doubles, so that their probabilities are right to about
    15 digits and the rarest values never occur. It is for study too; exact samplers are in
    Canonne, Kamath and Steinke (2020).

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive.
    sensitivity : int
        Global l1-sensitivity Delta of the query, a positive integer.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or epsilon / Delta is below 1e-14.

    Examples
    --------
    >>> noise = DiscreteLaplace(np.log(2))
    >>> round(noise.variance, 12)
    4.0
    >>> noise.privatize([3, 10], rng=0).dtype
    dtype('int64')
    """

    epsilon: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        epsilon = _validate.one_epsilon(self.epsilon)
        step = _validate.one_integer("sensitivity", self.sensitivity, minimum=1)
        if epsilon / step < _LEAST_RATE:
            raise ValueError(
                f"epsilon / sensitivity must be at least {_LEAST_RATE:g}, got {epsilon / step:g}"
            )
        _validate.freeze(self, epsilon=epsilon, sensitivity=step)

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon, attained."""
        return Pure(self.epsilon)

    @property
    def rate(self) -> float:
        """The rate epsilon / Delta at which the log-probability falls from step to step."""
        return self.epsilon / self.sensitivity

    @property
    def variance(self) -> float:
        r"""Of the noise: :math:`2 b / (1 - b)^2 = 1 / (2 \sinh^2(\varepsilon / 2 \Delta))`."""
        return float(1 / (2 * np.sinh(self.rate / 2) ** 2))

    def log_probability(self, noise: ArrayLike) -> Real:
        """Log-probability of an integer noise value.

        Examples
        --------
        >>> round(float(np.exp(DiscreteLaplace(np.log(3)).log_probability(0))), 12)
        0.5
        """
        noise = np.asarray(_validate.integer("noise", noise, minimum=-(2**62)))
        return (np.log(np.tanh(self.rate / 2)) - abs(noise) * self.rate)[()]

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Integer:
        """Add independent integer noise to every coordinate: any shape to the same.

        The noise is a difference of two geometric variables, which has exactly this law.
        """
        answer = _validate.integer("answer", answer, minimum=-(2**62), maximum=2**62)
        rng = _validate.generator(rng)
        stop = -np.expm1(-self.rate)
        shape = np.shape(answer)
        return answer + rng.geometric(stop, shape) - rng.geometric(stop, shape)


@dataclass(frozen=True)
class Staircase(AdditiveMechanism):
    r"""Staircase noise: piecewise constant, and never worse than Laplace.

    For k = 0, 1, ... the density of the size of the noise falls by a factor
    :math:`b = e^{-\varepsilon}` at the points :math:`(k + \gamma) \Delta`:

    .. math:: f(w) = \begin{cases} a\, b^k & k \Delta \le |w| < (k + \gamma) \Delta \\
              a\, b^{k+1} & (k + \gamma) \Delta \le |w| < (k + 1) \Delta \end{cases}, \qquad
              a = \frac{1 - b}{2 \Delta (\gamma + b (1 - \gamma))}

    Over the real numbers the guarantee of epsilon is exact. This implementation is for study:
    the low bits of a sum of doubles tell neighbouring answers apart (Mironov 2012).

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, from 1e-14 to 700.
    sensitivity : float
        Global sensitivity Delta of a one-dimensional query, positive.
    gamma : float
        Where in each interval the step lies, in [0, 1].

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or sensitivity / epsilon lies outside
        [1e-150, 1e150], where the noise or its variance would be no double.

    Notes
    -----
    Geng and Viswanath (2014); the optimal steps are :meth:`optimal`. I. Mironov, "On
    significance of the least significant bits for differential privacy", CCS 2012.

    Examples
    --------
    >>> best = Staircase.optimal(1.0, loss="absolute")
    >>> round(best.mean_absolute, 6) == round(float(np.exp(0.5) / np.expm1(1.0)), 6)
    True
    """

    epsilon: float
    sensitivity: float = 1.0
    gamma: float = 0.5

    def __post_init__(self) -> None:
        epsilon = _validate.one_epsilon(self.epsilon, minimum=_LEAST_RATE)
        sensitivity = _validate.one_real("sensitivity", self.sensitivity, above=0)
        _validate.scale("sensitivity / epsilon", sensitivity / epsilon)
        gamma = _validate.one_real("gamma", self.gamma, minimum=0, maximum=1)
        _validate.freeze(self, epsilon=epsilon, sensitivity=sensitivity, gamma=gamma)

    @classmethod
    def optimal(
        cls,
        epsilon: float,
        sensitivity: float = 1.0,
        loss: Literal["absolute", "squared"] = "squared",
    ) -> Staircase:
        r"""The step that makes the expected loss least.

        .. math:: \gamma_{|\cdot|} = \frac{1}{1 + e^{\varepsilon/2}}, \qquad
                  \gamma_{(\cdot)^2} = -\frac{b}{1 - b}
                  + \frac{(b - 2 b^2 + 2 b^4 - b^5)^{1/3}}{2^{1/3} (1 - b)^2}
        """
        epsilon = _validate.one_epsilon(epsilon)
        _validate.choice("loss", loss, ("absolute", "squared"))
        if loss == "absolute":
            gamma = 1 / (1 + np.exp(epsilon / 2))
        else:
            # b - 2b^2 + 2b^4 - b^5 = b (1 + b) (1 - b)^3; with the factor (1 - b) taken out,
            # gamma = ((b (1 + b) / 2)^(1/3) - b) / (1 - b) does not cancel twice.
            b = np.exp(-epsilon)
            # cbrt(u) - b with u = b (1 + b) / 2, through u - b^3 = b (1 - b) (1 + 2 b) / 2.
            root = np.cbrt(b * (1 + b) / 2)
            gamma = b * (1 + 2 * b) / 2 / (root**2 + root * b + b**2)
        return cls(epsilon, sensitivity, float(gamma))

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon, attained."""
        return Pure(self.epsilon)

    @property
    def mean_absolute(self) -> float:
        """Expected size of the noise."""
        return self.sensitivity * (self._steps(1) + self._place(1))

    @property
    def variance(self) -> float:
        """Variance of the noise."""
        square = self._steps(2) + 2 * self._steps(1) * self._place(1) + self._place(2)
        return self.sensitivity**2 * square

    def log_density(self, noise: ArrayLike) -> Real:
        """Log-density of the noise; -inf where it is too far out for a double.

        Examples
        --------
        >>> law = Staircase(1.0, gamma=0.5)
        >>> round(float(law.log_density(0.2) - law.log_density(0.7)), 12)  # one step
        1.0
        """
        noise = _validate.real("noise", noise)
        with np.errstate(over="ignore"):
            size = np.minimum(abs(noise) / self.sensitivity, np.finfo(float).max)
        steps, place = np.divmod(size, 1.0)
        b = np.exp(-self.epsilon)
        height = -np.expm1(-self.epsilon) / (self.gamma + b * (1 - self.gamma))
        falls = steps + (place >= self.gamma)
        with np.errstate(over="ignore"):  # too far out for a double: -inf
            return np.log(height / (2 * self.sensitivity)) - self.epsilon * falls

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Real:
        """Add independent noise to every coordinate: any shape to the same.

        Sign, number of whole steps and place within the interval are independent. The place is
        the quantile of a uniform number, two straight lines that meet at the step; the number is
        a multiple of 2**-52, and the law of the place right to that much.

        Examples
        --------
        >>> Staircase(1.0).privatize([3.0, 10.0], rng=0).shape
        (2,)
        """
        answer = np.asarray(_validate.real("answer", answer))
        rng = _validate.generator(rng)
        released, data = np.empty(answer.shape), answer.reshape(-1)
        before, after = self._slopes
        # In pieces that stay in the cache. A geometric number of steps is the whole part of an
        # exponential variable.
        signs, others = np.empty((2, min(_CHUNK, data.size)))
        for start in range(0, data.size, _CHUNK):
            noise = released.reshape(-1)[start : start + _CHUNK]
            sign, other = signs[: noise.size], others[: noise.size]
            rng.random(out=sign)
            sign -= 0.5  # twice its size is uniform too, and independent of the sign
            np.abs(sign, out=noise)
            np.subtract(noise, 0.5, out=other)
            other *= 2 * after
            other += 1
            noise *= 2 * before
            np.maximum(noise, other, out=noise)  # the steeper line after the step: it is convex
            rng.standard_exponential(out=other)
            other /= self.epsilon
            noise += np.floor(other, out=other)
            noise *= self.sensitivity
            np.copysign(noise, sign, out=noise)
            noise += data[start : start + _CHUNK]
        return released[()]

    @property
    def _slopes(self) -> tuple[float, float]:
        """Slopes of the quantile of the place before and after the step, 1 over its densities."""
        before = self.gamma + np.exp(-self.epsilon) * (1 - self.gamma)
        return float(before), float(before * np.exp(self.epsilon))

    def _steps(self, power: Literal[1, 2]) -> float:
        """Moments of the number of whole steps, geometric on 0, 1, ..."""
        odds = 1 / np.expm1(self.epsilon)
        return float(odds if power == 1 else odds * (1 + 2 * odds))

    def _place(self, power: Literal[1, 2]) -> float:
        """Moments of the place within an interval, uniform on either side of the step."""
        g = self.gamma
        first = g**power / (power + 1)
        second = (1 + g) / 2 if power == 1 else (1 + g + g**2) / 3
        # Of the order of `first` at the optimal step, however small: 1 - before would lose it.
        rare = np.exp(-self.epsilon) * (1 - g)
        return float((g * first + rare * second) / (g + rare))
