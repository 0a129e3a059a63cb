"""Laplace noise added by each person to their own number.

For study: see :mod:`minimaxdp.laplace` for what doubles do to the guarantees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, Local, Pure

__all__ = ["LocalLaplace", "laplace_sum"]


@_validate.broadcasting
def laplace_sum(
    n: ArrayLike,
    scale: ArrayLike = 1.0,
    *,
    rng: Rng = None,
    size: int | tuple[int, ...] | None = None,
) -> Real:
    r"""The sum of n independent Laplace variables, drawn as two Gamma variables.

    .. math:: \sum_{i \le n} W_i \stackrel d= G - G', \qquad
              G, G' \sim \Gamma(n, \lambda) \text{ independent}

    since each Laplace variable is a difference of two exponential ones.

    Parameters
    ----------
    n : array_like of int
        Number of variables, at least 1.
    scale : array_like
        Scale lambda of each, from 1e-150 to 1e150.
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
    scale = _validate.scale("scale", scale)
    size = _validate.draws(size, np.shape(n), np.shape(scale))
    rng = _validate.generator(rng)
    return rng.gamma(n, scale, size) - rng.gamma(n, scale, size)


@dataclass(frozen=True)
class LocalLaplace:
    r"""Each person clips their number to a declared range and adds Laplace noise.

    .. math:: Z_i = \Pi_{[l, u]}(X_i) + \frac{u - l}{\varepsilon} W_i, \qquad
              W_i \sim \mathrm{Lap}(1)

    Over the real numbers exactly epsilon-locally private, because the clipped number lies in a
    range of width u - l, which must be declared before the data are seen. This implementation
    is for study: its reports are doubles, whose low bits tell inputs apart (Mironov 2012).

    Parameters
    ----------
    epsilon : float
        Privacy budget of each person in nats, positive, at most 700.
    low, high : float
        Declared range, finite, low < high.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or (high - low) / epsilon lies outside
        [1e-150, 1e150], where the noise or its variance would be no double.

    Notes
    -----
    Klein's article (claims ``Klein-Lap-mech``, ``Klein-Lap-est``), there with the range [-M, M].
    I. Mironov, "On significance of the least significant bits for differential privacy", CCS
    2012.

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
        epsilon = _validate.one_epsilon(self.epsilon)
        low, high = _validate.interval(self.low, self.high)
        _validate.scale("(high - low) / epsilon", (high - low) / epsilon)
        _validate.freeze(self, epsilon=epsilon, low=low, high=high)

    @property
    def scale(self) -> float:
        """Scale of each person's noise, in the units of the data."""
        return (self.high - self.low) / self.epsilon

    @property
    def privacy(self) -> Guarantee:
        """Local pure privacy at epsilon, attained at the ends of the range."""
        return Local(Pure(self.epsilon))

    @property
    def neighbours(self) -> tuple[float, float]:
        """The ends of the range: two numbers as far apart as they can be."""
        return self.low, self.high

    @property
    def noise_variance(self) -> float:
        """Variance of each person's noise: twice the squared scale."""
        return 2 * self.scale**2

    def clip(self, values: ArrayLike) -> Array:
        """What the mechanism sees of the data: the nearest number in the range."""
        return np.clip(_validate.real("values", values), self.low, self.high)

    def privatize(self, values: ArrayLike, *, rng: Rng = None) -> Real:
        """Clip every number and add independent noise: any shape to the same."""
        rng, clipped = _validate.generator(rng), self.clip(values)
        reports = np.asarray(rng.laplace(scale=self.scale, size=np.shape(clipped)))
        reports += clipped
        return reports[()]

    def privatize_mean(
        self,
        clipped_mean: ArrayLike,
        n: int,
        *,
        rng: Rng = None,
        size: int | tuple[int, ...] | None = None,
    ) -> Real:
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

        Returns
        -------
        float or ndarray

        Raises
        ------
        TypeError, ValueError
            If a mean lies outside the range, or n or size is not a number of people or draws.

        Examples
        --------
        >>> LocalLaplace(1.0, 0.0, 1.0).privatize_mean([0.3, 0.5], 1000, rng=0).shape
        (2,)
        """
        n = _validate.one_integer("n", n, minimum=1)
        # The mean of numbers at an end may be rounded beyond it.
        slack = _validate.SUM_TOLERANCE * max(abs(self.low), abs(self.high))
        low, high = self.low - slack, self.high + slack
        mean = _validate.real("clipped_mean", clipped_mean, minimum=low, maximum=high)
        size = _validate.draws(size, np.shape(mean))
        shape = np.shape(mean) if size is None else size
        return mean + laplace_sum(n, self.scale, rng=rng, size=shape) / n

    @_validate.broadcasting
    def variance(self, data_variance: ArrayLike, n: ArrayLike) -> Real:
        r"""Variance of the mean report for independent clipped numbers.

        .. math:: \frac{\mathrm{Var}(\Pi(X))}{n} + \frac{2 (u - l)^2}{n \varepsilon^2}

        Parameters
        ----------
        data_variance : array_like
            Variance of one clipped number, at least 0.
        n : array_like of int
            Number of people, at least 1.

        Examples
        --------
        >>> round(LocalLaplace(1.0, 0.0, 1.0).variance(0.25, 9), 12)
        0.25
        """
        data_variance = _validate.real("data_variance", data_variance, minimum=0)
        n = _validate.integer("n", n, minimum=1)
        return (data_variance + self.noise_variance) / n
