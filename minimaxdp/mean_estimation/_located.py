r"""The mean where nobody knows where the data lie, and what bias buys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, Pure
from minimaxdp.mean_estimation._ceilings import balanced, noise_second_moment
from minimaxdp.mean_estimation._release import PrivateMean

__all__ = ["LocatedMean", "location_floor", "variance_floor"]

_FURTHEST = 1e6  # of the reach over r
_MASSES = 2_000  # among which the best is taken


@dataclass(frozen=True)
class LocatedMean:
    r"""The mean of numbers of which only the spread is known, and a very long range.

    The laws have :math:`|\mathbb E X| \le R` and :math:`\mathbb E |X - \mathbb E X|^k \le r^k`.
    The first m people choose a centre c among J points of [-R, R], at most r/2 apart, by the
    exponential mechanism: the score of a point is the number of records within
    :math:`w = 4^{1/k} r + r/4` of it. The other n - m people give the truncated mean about c, of
    the radius for the moment r + a with :math:`a = 2 \cdot 4^{1/k} r + r/4`. Every record enters
    one of the two stages, so the whole is epsilon-private.

    Parameters
    ----------
    n : int
        Number of people, at least 2.
    epsilon : float
        Budget in nats, from 1e-100 to 600.
    k : float
        Bounded central moment, at least 2; may be infinite.
    r : float
        Its bound, from 1e-150 to 1e140.
    reach : float
        R, from r to a million times r.
    m : int
        How many people choose the centre, from 1 to n - 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Two stages as in Karwa and Vadhan, "Finite sample differentially private confidence
    intervals", ITCS 2018, with the exponential mechanism in place of a stable histogram.

    Examples
    --------
    >>> mean = LocatedMean.calibrated(2_000, 0.5, k=4, r=1.0, reach=1e6)
    >>> mean.m, bool(mean.failure < 1e-12)
    (551, True)
    >>> data = 123_456 + np.random.default_rng(0).standard_normal(2_000)
    >>> abs(mean.release(data, rng=1)[0] - 123_456) < 0.1
    True
    """

    n: int
    epsilon: float
    k: float
    r: float
    reach: float
    m: int

    def __post_init__(self) -> None:
        n = _validate.one_integer("n", self.n, minimum=2)
        r = _validate.one_real("r", self.r, minimum=1e-150, maximum=1e140)
        _validate.freeze(
            self,
            n=n,
            epsilon=_validate.one_real("epsilon", self.epsilon, minimum=1e-100, maximum=600),
            k=_validate.scalar("k", np.asarray(_validate.moment(self.k))),
            r=r,
            reach=_validate.one_scale("reach", self.reach),
            m=_validate.one_integer("m", self.m, minimum=1, maximum=n - 1),
        )
        if not r <= self.reach <= _FURTHEST * r:
            raise ValueError(
                f"reach and r must satisfy r <= reach <= {_FURTHEST:g} r, got {self.reach}, {r}"
            )

    @classmethod
    def calibrated(cls, n: int, epsilon: float, *, k: float, r: float, reach: float) -> LocatedMean:
        """The number of people for the first stage with the least :meth:`ceiling`."""
        whole = cls(n, epsilon, k, r, reach, 1)
        # Far fewer than this many make a wrong centre improbable beyond the doubles.
        enough = 200 * (1 + np.log(whole.points)) / min(whole.epsilon, 1.0)
        sizes = np.unique(np.geomspace(1, min(whole.n - 1, enough), 60).astype(int))
        made = [cls(n, epsilon, k, r, reach, int(m)) for m in sizes]
        return min(made, key=lambda mean: mean.ceiling)

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon: each record enters one stage."""
        return Pure(self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Two data sets that differ in one record of the second stage, by twice the reach."""
        _validate.memory("n", 2, self.n)
        _validate.memory("n", self.n, 2)
        first, second = np.zeros(self.n), np.zeros(self.n)
        first[-1], second[-1] = -self.reach, self.reach
        return first, second

    @property
    def window(self) -> float:
        """Within this of a centre w a record speaks for it."""
        return float(4 ** (1 / self.k) * self.r + self.r / 4)

    @property
    def points(self) -> int:
        """Number J of possible centres."""
        return int(np.ceil(4 * self.reach / self.r)) + 1

    @property
    def failure(self) -> float:
        r"""Bound on the probability that the centre is further than a from the mean.

        .. math:: \mathbb E \min\big\{1,\; J e^{-\varepsilon (m - 2F)/2}\big\},
                  \qquad F \sim \mathrm{Bin}(m, \tfrac14)

        With infinite k nobody is further than r from the mean, and F is 0.
        """
        if np.isinf(self.k):
            return float(np.exp(min(0.0, np.log(self.points) - self.epsilon * self.m / 2)))
        f = np.arange(self.m + 1)
        weight = scipy.stats.binom.pmf(f, self.m, 0.25)
        wrong = np.log(self.points) - self.epsilon * (self.m - 2 * f) / 2
        return float(min(1.0, weight @ np.exp(np.minimum(wrong, 0.0))))

    @property
    def ceiling(self) -> float:
        r"""Bound on the risk over the class.

        .. math:: \min\Big\{R^2,\; \frac{r^2}{n - m} + (r + a)^2 h_k C^{1 - 1/k}
                  + \beta (2R + r)^2\Big\}

        with C the noise of n - m people, :math:`h_k C^{1-1/k}` its balance with the bias, and
        beta the probability of :attr:`failure`.
        """
        C = np.asarray(noise_second_moment(self.n - self.m, 1, Pure(self.epsilon)))
        about = (self.r + self._off) ** 2 * float(balanced(C, np.asarray(self.k)))
        lost = self.failure * (2 * self.reach + self.r) ** 2
        return float(min(self.reach**2, self.r**2 / (self.n - self.m) + about + lost))

    def release(self, data: ArrayLike, *, rng: Rng = None) -> Array:
        """The private mean of n numbers: shape (1,)."""
        x = np.asarray(_validate.real("data", data), dtype=float)
        if x.shape != (self.n,):
            raise ValueError(f"data must have shape ({self.n},), got {x.shape}")
        rng = _validate.generator(rng)
        centre = self._centre(x[: self.m], rng)
        about = np.clip(x[self.m :] - centre, -1e154, 1e154)
        return centre + self._second.release(about, rng=rng)

    @property
    def _off(self) -> float:
        """How far a good centre may be from the mean: a."""
        return float(2 * 4 ** (1 / self.k) * self.r + self.r / 4)

    @cached_property
    def _second(self) -> PrivateMean:
        return PrivateMean.calibrated(
            Pure(self.epsilon), n=self.n - self.m, d=1, k=self.k, r=self.r + self._off
        )

    def _centre(self, x: Array, rng: np.random.Generator) -> float:
        """The exponential mechanism over the grid of centres."""
        grid = np.linspace(-self.reach, self.reach, self.points)
        ordered = np.sort(x)
        score = np.searchsorted(ordered, grid + self.window, "right")
        score = score - np.searchsorted(ordered, grid - self.window, "left")
        weight = np.exp(self.epsilon / 2 * (score - score.max()))
        total = weight.cumsum()
        place = np.searchsorted(total, rng.random() * total[-1], "right")
        return float(grid[min(int(place), grid.size - 1)])


def location_floor(n: ArrayLike, d: ArrayLike, epsilon: ArrayLike, reach: ArrayLike) -> Real:
    r"""Lower bound on the risk of every epsilon-private estimator of a place in a ball.

    .. math:: R^2\, \frac{d}{d + 2}\, e^{-2 n \varepsilon / d}

    It holds where all n records are equal and their common place is anywhere in a ball of
    radius R: only privacy is in the way.

    Parameters
    ----------
    n, d : array_like of int
        Number of people and dimension, at least 1.
    epsilon : array_like
        Budget in nats, positive, at most 700.
    reach : array_like
        Radius R, from 1e-150 to 1e150.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> round(location_floor(20, 1, 0.5, 1e6), 1)
    687.1
    """
    n, d = _validate.integer("n", n, minimum=1), _validate.integer("d", d, minimum=1)
    epsilon, reach = _validate.epsilon(epsilon), _validate.scale("reach", reach)
    _validate.broadcast(n=n, d=d, epsilon=epsilon, reach=reach)
    d = np.asarray(d, dtype=float)
    return (reach**2 * d / (d + 2) * np.exp(-2 * np.asarray(n) * epsilon / d))[()]


def variance_floor(
    bias: ArrayLike,
    n: ArrayLike,
    d: ArrayLike,
    epsilon: ArrayLike,
    k: ArrayLike,
    r: ArrayLike = 1.0,
) -> Real:
    r"""Least variance of a private mean whose bias is bounded at every law of the class.

    .. math:: \max_p\; d\, \frac{(r p^{1 - 1/k} - 2 \beta)_+^2}{4 \sinh^2(\eta/2)}, \qquad
              \eta = n \ln\big(1 + p (e^\varepsilon - 1)\big)

    The variance is that at the law of records that are all 0.

    Parameters
    ----------
    bias : array_like
        Largest length beta of the bias, positive, at most 1e150.
    n, d : array_like of int
        Number of people and dimension, at least 1.
    epsilon : array_like
        Budget in nats, positive, at most 700.
    k : array_like
        Bounded moment about the origin, at least 2, finite.
    r : array_like
        Its bound, from 1e-150 to 1e150.

    Returns
    -------
    float or ndarray
        About :math:`d\, (1 - \frac1k)^2 r^2 (r/(2 k \beta))^{2/(k-1)} / (n \varepsilon)^2` for a
        small bias; infinite where that is beyond the doubles.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The trade-off is that of Kamath, Mouzakis, Regehr, Singhal, Steinke and Ullman, "A
    bias-accuracy-privacy trilemma for statistical estimation" (2023), here with a constant.

    Examples
    --------
    >>> [round(variance_floor(b, 1_000, 1, 0.1, 2), 6) for b in (0.01, 0.001)]
    [0.014096, 1.412633]
    """
    bias = np.asarray(_validate.real("bias", bias, above=0, maximum=1e150))
    n, d = _validate.integer("n", n, minimum=1), _validate.integer("d", d, minimum=1)
    epsilon, r = _validate.epsilon(epsilon), _validate.scale("r", r)
    k = np.asarray(_validate.real("k", k, minimum=2, maximum=1e6))
    _validate.broadcast(bias=bias, n=n, d=d, epsilon=epsilon, k=k, r=r)
    shape = np.broadcast_shapes(*map(np.shape, (bias, n, d, epsilon, k, r)))
    _validate.memory("bias", _MASSES, *shape)
    bias, n, d, epsilon, k, r = (
        np.asarray(x, dtype=float)[..., None] for x in (bias, n, d, epsilon, k, r)
    )
    # At p = (2 beta / r)^(k/(k-1)) the numerator is 0; it is best at k^(k/(k-1)) times that.
    least = np.minimum(1.0, (2 * np.minimum(bias / r, 1.0)) ** (k / (k - 1)))
    p = np.maximum(least, 1e-300) ** np.linspace(1, 0, _MASSES)
    apart = np.maximum(r * p ** (1 - 1 / k) - 2 * bias, 0.0)
    eta = np.maximum(n * np.log1p(p * np.expm1(epsilon)), 1e-290)
    with np.errstate(over="ignore", under="ignore"):
        inverse = np.exp(-eta / 2) / -np.expm1(-eta)  # 1 / (2 sinh(eta/2)) without overflow
        return (d * (apart * inverse) ** 2).max(axis=-1)[()]
