"""Noise that moves in steps: on the integers, and the staircase that beats Laplace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate

__all__ = ["DiscreteLaplace", "Staircase"]

Rng = np.random.Generator | int | None

# Below it numpy's geometric draws leave the exact integers of a double and, further down, all
# stop at the largest 64-bit one, where the difference of two of them is no noise at all.
_LEAST_RATE = 1e-14


@dataclass(frozen=True)
class DiscreteLaplace:
    r"""Two-sided geometric noise for integer queries.

    .. math:: \Pr(Z = z) = \frac{1 - b}{1 + b}\, b^{|z|}, \qquad b = e^{-\varepsilon/\Delta}

    Exactly epsilon-differentially private for an integer query of sensitivity Delta. An integer
    plus an integer leaves no trace of either in its low bits, as doubles do; the geometric
    draws themselves still come from a sampler in doubles, meant for study.

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
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "sensitivity", step)

    @property
    def rate(self) -> float:
        """The rate epsilon / Delta at which the log-probability falls from step to step."""
        return self.epsilon / self.sensitivity

    @property
    def variance(self) -> float:
        r"""Of the noise: :math:`2 b / (1 - b)^2 = 1 / (2 \sinh^2(\varepsilon / 2 \Delta))`."""
        return float(1 / (2 * np.sinh(self.rate / 2) ** 2))

    def log_probability(self, noise: ArrayLike) -> Any:
        """Log-probability of an integer noise value."""
        noise = np.asarray(_validate.integer("noise", noise, minimum=-(2**62)))
        return (np.log(np.tanh(self.rate / 2)) - abs(noise) * self.rate)[()]

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Any:
        """Add independent integer noise to every coordinate: any shape to the same.

        The noise is a difference of two geometric variables, which has exactly this law.
        """
        answer = _validate.integer("answer", answer, minimum=-(2**62), maximum=2**62)
        rng = np.random.default_rng(rng)
        stop = -np.expm1(-self.rate)
        shape = np.shape(answer)
        return answer + rng.geometric(stop, shape) - rng.geometric(stop, shape)


@dataclass(frozen=True)
class Staircase:
    r"""Staircase noise: piecewise constant, and never worse than Laplace.

    For k = 0, 1, ... the density of the size of the noise falls by a factor
    :math:`b = e^{-\varepsilon}` at the points :math:`(k + \gamma) \Delta`:

    .. math:: f(w) = \begin{cases} a\, b^k & k \Delta \le |w| < (k + \gamma) \Delta \\
              a\, b^{k+1} & (k + \gamma) \Delta \le |w| < (k + 1) \Delta \end{cases}, \qquad
              a = \frac{1 - b}{2 \Delta (\gamma + b (1 - \gamma))}

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive; the guarantee is exact.
    sensitivity : float
        Global sensitivity Delta of a one-dimensional query, positive.
    gamma : float
        Where in each interval the step lies, in [0, 1].

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Geng and Viswanath (2014); the optimal steps are :meth:`optimal`.

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
        checked = {
            "epsilon": _validate.one_epsilon(self.epsilon),
            "sensitivity": _validate.one_real("sensitivity", self.sensitivity, above=0),
            "gamma": _validate.one_real("gamma", self.gamma, minimum=0, maximum=1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

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
        if loss == "absolute":
            gamma = 1 / (1 + np.exp(epsilon / 2))
        elif loss == "squared":
            # b - 2b^2 + 2b^4 - b^5 = b (1 + b) (1 - b)^3; with the factor (1 - b) taken out,
            # gamma = ((b (1 + b) / 2)^(1/3) - b) / (1 - b) does not cancel twice.
            b = np.exp(-epsilon)
            # cbrt(u) - b with u = b (1 + b) / 2, through u - b^3 = b (1 - b) (1 + 2 b) / 2.
            root = np.cbrt(b * (1 + b) / 2)
            gamma = b * (1 + 2 * b) / 2 / (root**2 + root * b + b**2)
        else:
            raise ValueError(f"loss must be 'absolute' or 'squared', got {loss!r}")
        return cls(epsilon, sensitivity, float(gamma))

    @property
    def mean_absolute(self) -> float:
        """Expected size of the noise."""
        return self.sensitivity * (self._steps(1) + self._place(1))

    @property
    def variance(self) -> float:
        """Variance of the noise."""
        square = self._steps(2) + 2 * self._steps(1) * self._place(1) + self._place(2)
        return self.sensitivity**2 * square

    def log_density(self, noise: ArrayLike) -> Any:
        """Log-density of the noise."""
        steps, place = np.divmod(abs(_validate.real("noise", noise)) / self.sensitivity, 1.0)
        b = np.exp(-self.epsilon)
        height = -np.expm1(-self.epsilon) / (self.gamma + b * (1 - self.gamma))
        falls = steps + (place >= self.gamma)
        return np.log(height / (2 * self.sensitivity)) - self.epsilon * falls

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Any:
        """Add independent noise to every coordinate: any shape to the same.

        Sign, number of whole steps, side of the step and place within it are independent.
        """
        answer = _validate.real("answer", answer)
        rng, shape = np.random.default_rng(rng), np.shape(answer)
        steps = rng.geometric(-np.expm1(-self.epsilon), shape) - 1
        before = rng.random(shape) < self._before
        uniform = rng.random(shape)
        place = np.where(before, self.gamma * uniform, self.gamma + (1 - self.gamma) * uniform)
        sign = 2 * rng.integers(0, 2, shape) - 1
        return answer + sign * self.sensitivity * (steps + place)

    @property
    def _before(self) -> float:
        """Probability that the place within an interval lies before its step."""
        return self.gamma / (self.gamma + np.exp(-self.epsilon) * (1 - self.gamma))

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
