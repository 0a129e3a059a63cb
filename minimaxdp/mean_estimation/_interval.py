r"""A mean of bounded numbers with a confidence interval that holds for every law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, Pure

__all__ = ["CertifiedMean"]

_NODES = 256  # of the quadrature over the noise of the mean square


@dataclass(frozen=True)
class CertifiedMean:
    r"""Mean of n numbers between 0 and a bound, with an interval of certified coverage.

    Two numbers are released, the mean and the mean square, with Laplace noise of scales

    .. math:: b_1 = \frac{B}{n \varepsilon_1}, \qquad b_2 = \frac{B^2}{n \varepsilon_2}, \qquad
              \varepsilon_1 + \varepsilon_2 = \varepsilon .

    With :math:`\hat q` the second, :math:`L_2 = \ln(5 / \alpha)`, :math:`\beta = L_2 B^2 / n` and
    :math:`A = \hat q + b_2 L_2`, the second moment of a record is at most

    .. math:: q = A + \beta + \sqrt{\beta^2 + 2 A \beta + 4 L_2 b_2^2}

    except with probability :math:`\alpha/5`; and the first is off by at most

    .. math:: h = \sqrt{2 V L} + L \max\{b_1, \tfrac{B}{3n}\}, \qquad
              V = \frac{\min\{q, B^2/4\}}{n} + 2 b_1^2, \qquad L = \ln \frac{5}{2 \alpha}

    except with probability :math:`4\alpha/5`. Larger numbers count as B, negative ones as 0: the
    interval is one for the mean of the numbers so cut.

    Parameters
    ----------
    n : int
        Number of people, at least 1, public.
    bound : float
        B, declared before the data are seen, from 1e-150 to 1e150.
    epsilon : float
        Whole budget in nats, positive, at most 700.
    share : float
        Of the budget for the mean, strictly between 0 and 1.
    level : float
        Coverage of the interval :math:`1 - \alpha`, strictly between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The sum of bounded numbers and Laplace noise is sub-gamma: see Boucheron, Lugosi and Massart,
    "Concentration inequalities" (2013), sections 2.4 and 2.8. Proved in the chapter.

    Examples
    --------
    >>> visits = np.random.default_rng(0).geometric(0.3, 5_000) - 1
    >>> mean = CertifiedMean(5_000, 52.0, 1.0)
    >>> told = mean.release(visits, rng=1)
    >>> mean.interval(told).round(2)
    array([2.05, 2.7 ])
    >>> mean.privacy
    Pure(1.0)
    """

    n: int
    bound: float
    epsilon: float
    share: float = 0.7
    level: float = 0.95

    def __post_init__(self) -> None:
        _validate.freeze(
            self,
            n=_validate.one_integer("n", self.n, minimum=1),
            bound=_validate.one_scale("bound", self.bound),
            epsilon=_validate.one_epsilon(self.epsilon),
            share=_validate.one_real("share", self.share, above=0, below=1),
            level=_validate.one_real("level", self.level, above=0, below=1),
        )

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon: the budgets of the two numbers add up."""
        return Pure(self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Two data sets that differ in one record, from one end of the range to the other."""
        _validate.memory("n", 2, self.n)
        _validate.memory("n", self.n, 2)
        first, second = np.zeros(self.n), np.zeros(self.n)
        second[0] = self.bound
        return first, second

    @property
    def scales(self) -> tuple[float, float]:
        r"""Scales :math:`b_1, b_2` of the noise of the mean and of the mean square."""
        one = self.bound / self.n / (self.epsilon * self.share)
        return one, self.bound**2 / self.n / (self.epsilon * (1 - self.share))

    def release(self, data: ArrayLike, *, rng: Rng = None) -> Array:
        """The noisy mean and the noisy mean square of n numbers: shape (2,)."""
        x = np.asarray(_validate.real("data", data))
        if x.shape != (self.n,):
            raise ValueError(f"data must have shape ({self.n},), got {x.shape}")
        cut = np.clip(x, 0, self.bound)
        noise = _validate.generator(rng).laplace(scale=self.scales)
        return np.array([cut.mean(), (cut**2).mean()]) + noise

    def half_width(self, square: ArrayLike) -> Real:
        """Half the length h of the interval, from a released mean square; free of charge."""
        q, b = np.asarray(_validate.real("square", square)), self.scales
        rare = (1 - self.level) / 5
        sure = -np.log(rare)
        beta = sure * self.bound**2 / self.n
        top = q + b[1] * sure
        with np.errstate(over="ignore"):  # then the moment is at its largest
            inside = np.maximum(beta**2 + 2 * top * beta + 4 * sure * b[1] ** 2, 0)
        moment = np.clip(top + beta + np.sqrt(inside), 0, self.bound**2 / 4)
        spread = moment / self.n + 2 * b[0] ** 2
        log_odds = -np.log(2 * rare)
        scale = max(b[0], self.bound / (3 * self.n))
        return (np.sqrt(2 * spread * log_odds) + scale * log_odds)[()]

    def interval(self, released: ArrayLike) -> Array:
        """From what was released the ends of the interval, in [0, B]: (..., 2) to (..., 2)."""
        told = np.asarray(_validate.vectors("released", released, 2))
        half = np.asarray(self.half_width(told[..., 1]))
        ends = told[..., :1] + half[..., None] * np.array([-1.0, 1.0])
        return np.clip(ends, 0, self.bound)

    def coverage(self, value: ArrayLike, p: ArrayLike) -> Real:
        r"""Probability that the interval holds the mean of a two-point law.

        The law is :math:`\Pr(X = v) = p`, :math:`\Pr(X = 0) = 1 - p`. The number of records
        that are v is binomial; given it the interval is right with a probability that is an
        integral over the noise of the mean square.

        Parameters
        ----------
        value : array_like
            The number v, in [0, B].
        p : array_like
            Its probability, in [0, 1].

        Returns
        -------
        float or ndarray
            Exact up to the quadrature, about 1e-6.

        Examples
        --------
        >>> bool(CertifiedMean(1_000, 1.0, 0.5).coverage(1.0, 0.3) > 0.95)
        True
        """
        value = np.asarray(_validate.real("value", value, minimum=0, maximum=self.bound))
        p = np.asarray(_validate.real("p", p, minimum=0, maximum=1))
        shape = _validate.broadcast(value=value, p=p)
        pairs = zip(
            np.broadcast_to(value, shape).ravel(), np.broadcast_to(p, shape).ravel(), strict=True
        )
        return np.array([self._coverage(v, q) for v, q in pairs]).reshape(shape)[()]

    def _coverage(self, value: Any, p: Any) -> float:
        spread = 12 * np.sqrt(self.n * p * (1 - p)) + 40
        low, high = max(0, int(self.n * p - spread)), min(self.n, int(self.n * p + spread))
        counts = np.arange(low, high + 1)
        weight = scipy.stats.binom.pmf(counts, self.n, p)
        nodes, mass = np.polynomial.legendre.leggauss(_NODES // 2)
        u = np.concatenate([(nodes + 1) / 4, (nodes + 3) / 4])  # the law has a kink in the middle
        other = self.scales[1] * scipy.stats.laplace.ppf(u)
        half = np.asarray(self.half_width(counts[:, None] / self.n * value**2 + other))
        miss = counts[:, None] / self.n * value - p * value
        noise = scipy.stats.laplace(scale=self.scales[0])
        inside = noise.cdf(half - miss) - noise.cdf(-half - miss)
        return float(weight @ inside @ np.concatenate([mass, mass]) / 4)
