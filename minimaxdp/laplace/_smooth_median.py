"""The median with noise as large as data like these need it: smooth sensitivity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, Pure
from minimaxdp.laplace._private_data import records

__all__ = ["SmoothMedian"]

# Of the width of the range: a constant keeps a smooth bound smooth, where exp would underflow.
_LEAST = 1e-12


@dataclass(frozen=True)
class SmoothMedian:
    r"""The median plus Student noise, scaled to a smooth bound on the local sensitivity.

    With :math:`A_k(x)` the largest step of the median that can start within k replacements of x,

    .. math:: S(x) = \max_{k \ge 0} e^{-k \beta} A_k(x), \qquad
              A(x) = \operatorname{med}(x) + \frac{S(x)}{\alpha} T_\nu

    is epsilon-differentially private if
    :math:`\varepsilon = \frac{\nu + 1}{2 \sqrt \nu} \alpha + \nu \beta`; half of the budget goes to
    either term. Records outside the declared range are clipped to it. For study: the noise is made
    of doubles.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, from 1e-6 to 700.
    low, high : float
        Declared range of a record.
    degrees : int
        Degrees of freedom nu of the noise, from 1 (Cauchy, no mean) to 100; from 3 on it has a
        variance.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or high is not above low.

    Notes
    -----
    K. Nissim, S. Raskhodnikova, A. Smith, "Smooth sensitivity and sampling in private data
    analysis", STOC 2007; M. Bun, T. Steinke, "Average-case averages", NeurIPS 2019. The median of
    an even number of records is the lower of the two in the middle.

    Examples
    --------
    >>> mechanism = SmoothMedian(1.0, 0.0, 100.0)
    >>> ages = np.arange(101.0) / 4 + 30
    >>> round(mechanism.smooth_sensitivity(ages), 3)  # the global one is 100
    0.652
    >>> released = mechanism.privatize(ages, rng=0)
    """

    epsilon: float
    low: float
    high: float
    degrees: int = 3

    def __post_init__(self) -> None:
        epsilon = _validate.one_real("epsilon", self.epsilon, minimum=1e-6, maximum=700)
        low, high = _validate.interval(self.low, self.high, minimum=-1e100, maximum=1e100)
        _validate.scale("high - low", high - low)
        degrees = _validate.one_integer("degrees", self.degrees, minimum=1, maximum=100)
        _validate.freeze(self, epsilon=epsilon, low=low, high=high, degrees=degrees)

    @property
    def alpha(self) -> float:
        r"""Smooth bound over scale of the noise: :math:`\varepsilon \sqrt \nu / (\nu + 1)`."""
        return float(self.epsilon * np.sqrt(self.degrees) / (self.degrees + 1))

    @property
    def beta(self) -> float:
        r"""How smooth the bound is, :math:`\varepsilon / 2 \nu`: neighbours differ by exp(beta)."""
        return self.epsilon / (2 * self.degrees)

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon."""
        return Pure(self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Five records at the ends of the range, whose median one replacement moves across."""
        return (
            np.array([self.low] * 3 + [self.high] * 2),
            np.array([self.low] * 2 + [self.high] * 3),
        )

    def smooth_sensitivity(self, x: ArrayLike) -> float:
        r"""The smooth bound S(x): not private.

        .. math:: A_k(x) = \max_{0 \le t \le k + 1} \big(x_{(m + t)} - x_{(m + t - k - 1)}\big)

        with records beyond the first and the last at the ends of the range.
        """
        return self._bound(self._ordered(x))

    def scale(self, x: ArrayLike) -> float:
        """Scale of the noise for these records: not private.

        Examples
        --------
        >>> round(SmoothMedian(1.0, 0.0, 100.0).scale(np.arange(101.0) / 4 + 30), 3)
        1.505
        """
        return self.smooth_sensitivity(x) / self.alpha

    def log_density(self, x: ArrayLike, released: ArrayLike) -> Real:
        """Log-density of outputs for these records: not private.

        Examples
        --------
        >>> mechanism = SmoothMedian(1.0, 0.0, 1.0)
        >>> x, other = mechanism.neighbours
        >>> z = np.linspace(-50, 50, 1001)
        >>> bool(abs(mechanism.log_density(x, z) - mechanism.log_density(other, z)).max() <= 1.0)
        True
        """
        ordered = self._ordered(x)
        released = _validate.real("released", released, minimum=-1e100, maximum=1e100)
        scale = self._bound(ordered) / self.alpha
        median = ordered[(ordered.size - 1) // 2]
        return scipy.stats.t.logpdf((released - median) / scale, self.degrees) - np.log(scale)

    def privatize(self, x: ArrayLike, *, rng: Rng = None) -> float:
        """The noisy median of the records, which may lie outside the range.

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
        """
        generator = _validate.generator(rng)
        ordered = self._ordered(x)
        median = ordered[(ordered.size - 1) // 2]
        noise = generator.standard_t(self.degrees)
        return float(median + self._bound(ordered) / self.alpha * noise)

    def _ordered(self, x: ArrayLike) -> Array:
        return np.sort(np.clip(records("x", x), self.low, self.high))

    def _bound(self, ordered: Array) -> float:
        n, width = ordered.size, self.high - self.low
        m = (n - 1) // 2 + n + 1
        padded = np.concatenate([[self.low] * (n + 1), ordered, [self.high] * (n + 1)])
        worst = _LEAST * width
        for k in range(n + 1):
            shrunk = float(np.exp(-k * self.beta))
            if shrunk * width <= worst:  # no larger step is left to find
                break
            # The window of k + 2 records slides over the middle one.
            steps = padded[m : m + k + 2] - padded[m - k - 1 : m + 1]
            worst = max(worst, shrunk * float(steps.max()))
        return worst
