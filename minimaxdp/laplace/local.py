"""Laplace noise added by each person to their own number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate

__all__ = ["LocalLaplace", "laplace_sum"]

Rng = np.random.Generator | int | None


def laplace_sum(
    n: ArrayLike,
    scale: ArrayLike = 1.0,
    *,
    rng: Rng = None,
    size: int | tuple[int, ...] | None = None,
) -> Any:
    r"""The sum of n independent Laplace variables, drawn as two Gamma variables.

    .. math:: \sum_{i \le n} W_i \stackrel d= G - G', \qquad
              G, G' \sim \Gamma(n, \lambda) \text{ independent}

    since each Laplace variable is a difference of two exponential ones.

    Parameters
    ----------
    n : array_like of int
        Number of variables, at least 1.
    scale : array_like
        Scale lambda of each, positive.
    rng : Generator, int or None
    size : int or tuple of int, optional
        Shape of the result, as in numpy.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> float(laplace_sum(10**9, rng=0)) / 10**4.5 < 10
    True
    """
    n = _validate.integer("n", n, minimum=1)
    scale = _validate.real("scale", scale, above=0)
    rng = np.random.default_rng(rng)
    return rng.gamma(n, scale, size) - rng.gamma(n, scale, size)


@dataclass(frozen=True)
class LocalLaplace:
    r"""Each person clips their number to a declared range and adds Laplace noise.

    .. math:: Z_i = \Pi_{[l, u]}(X_i) + \frac{u - l}{\varepsilon} W_i, \qquad
              W_i \sim \mathrm{Lap}(1)

    Exactly epsilon-locally private, because the clipped number lies in a range of width u - l;
    the range must be declared before the data are seen.

    Parameters
    ----------
    epsilon : float
        Privacy budget of each person in nats, positive.
    low, high : float
        Declared range, finite, low < high.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Klein's article (claims ``Klein-Lap-mech``, ``Klein-Lap-est``), there with the range [-M, M].

    Examples
    --------
    >>> mechanism = LocalLaplace(1.0, low=-1.0, high=1.0)
    >>> mechanism.scale, mechanism.noise_variance
    (2.0, 8.0)
    >>> reports = mechanism.privatize([0.2, -0.7, 5.0], rng=0)  # 5.0 is clipped to 1.0
    """

    epsilon: float
    low: float
    high: float

    def __post_init__(self) -> None:
        low = _validate.one_real("low", self.low)
        checked = {
            "epsilon": _validate.one_epsilon(self.epsilon),
            "low": low,
            "high": _validate.one_real("high", self.high, above=low),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def scale(self) -> float:
        """Scale of each person's noise, in the units of the data."""
        return (self.high - self.low) / self.epsilon

    @property
    def noise_variance(self) -> float:
        """Variance of each person's noise: twice the squared scale."""
        return 2 * self.scale**2

    def clip(self, values: ArrayLike) -> NDArray[np.float64]:
        """What the mechanism sees of the data: the nearest number in the range."""
        return np.clip(_validate.real("values", values), self.low, self.high)

    def privatize(self, values: ArrayLike, *, rng: Rng = None) -> Any:
        """Clip every number and add independent noise: any shape to the same."""
        clipped = self.clip(values)
        reports = np.random.default_rng(rng).laplace(scale=self.scale, size=np.shape(clipped))
        reports += clipped
        return reports[()]

    def privatize_mean(
        self,
        clipped_mean: ArrayLike,
        n: int,
        *,
        rng: Rng = None,
        size: int | tuple[int, ...] | None = None,
    ) -> Any:
        """The mean of n reports, drawn from the mean of the clipped data alone.

        Equal in law to averaging the output of :meth:`privatize`, at a cost that does not
        depend on n.

        Parameters
        ----------
        clipped_mean : array_like
            Mean of the clipped numbers, in [low, high] up to rounding.
        n : int
            Number of people, at least 1.
        rng : Generator, int or None
        size : int or tuple of int, optional
            Shape of the result, as in numpy; by default that of `clipped_mean`.
        """
        n = _validate.one_integer("n", n, minimum=1)
        # The mean of numbers at an end may be rounded beyond it.
        slack = _validate.SUM_TOLERANCE * max(abs(self.low), abs(self.high))
        low, high = self.low - slack, self.high + slack
        mean = _validate.real("clipped_mean", clipped_mean, minimum=low, maximum=high)
        shape = np.shape(mean) if size is None else size
        return mean + laplace_sum(n, self.scale, rng=rng, size=shape) / n

    def variance(self, data_variance: ArrayLike, n: ArrayLike) -> Any:
        r"""Variance of the mean report for independent clipped numbers.

        .. math:: \frac{\mathrm{Var}(\Pi(X))}{n} + \frac{2 (u - l)^2}{n \varepsilon^2}

        Parameters
        ----------
        data_variance : array_like
            Variance of one clipped number, at least 0.
        n : array_like of int
            Number of people, at least 1.
        """
        data_variance = _validate.real("data_variance", data_variance, minimum=0)
        n = _validate.integer("n", n, minimum=1)
        return (data_variance + self.noise_variance) / n
