"""Tulap noise: discrete Laplace noise spread evenly over unit cells, and cut at the ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp.inference._binomial import exp_product

__all__ = ["Tulap"]

Rng = np.random.Generator | int | None


@dataclass(frozen=True)
class Tulap:
    r"""Truncated-uniform-Laplace noise for a count.

    .. math:: N_0 = G_1 - G_2 + U, \qquad \Pr(G_i = g) = (1 - b) b^g, \quad
              U \sim \mathrm{Unif}(-\tfrac12, \tfrac12), \qquad b = e^{-\varepsilon}

    With delta > 0 the noise is :math:`N_0` conditioned on its central part of probability
    :math:`1 - q`, :math:`q = 2 \delta b / (1 - b + 2 \delta b)`. Added to a count that one
    person moves by at most 1, it is exactly (epsilon, delta)-differentially private.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive.
    delta : float
        Probability of an excess, from 0 to 1 (1 excluded).

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-Tulap``), after Awan and Slavkovic (2018).

    Examples
    --------
    >>> noise = Tulap(epsilon=1.0)
    >>> float(noise.cdf(0.0)), round(float(noise.sf(0.5)), 6)
    (0.5, 0.268941)
    >>> released = noise.privatize(41, rng=0)  # publish this
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        delta = _validate.one_real("delta", self.delta, minimum=0, below=1)
        object.__setattr__(self, "epsilon", _validate.one_epsilon(self.epsilon))
        object.__setattr__(self, "delta", delta)

    @classmethod
    def from_parameters(cls, b: float, q: float = 0.0) -> Tulap:
        r"""The law of the slides' parameters, centred at 0.

        .. math:: \varepsilon = -\ln b, \qquad \delta = \frac{q (1 - b)}{2 b (1 - q)}
        """
        b = _validate.one_real("b", b, above=0, below=1)
        q = _validate.one_real("q", q, minimum=0, below=1)
        return cls(-np.log(b), q * (1 - b) / (2 * b * (1 - q)))

    @property
    def b(self) -> float:
        """Ratio of the probabilities of neighbouring cells, exp(-epsilon)."""
        return float(np.exp(-self.epsilon))

    @property
    def q(self) -> float:
        """Probability that is cut off, half of it at each end."""
        return float(2 * self.delta / (np.expm1(self.epsilon) + 2 * self.delta))

    @property
    def kept(self) -> float:
        """1 - q, without cancellation."""
        growth = np.expm1(self.epsilon)
        return float(growth / (growth + 2 * self.delta))

    @property
    def cell(self) -> float:
        """Height of the density of the uncut law at 0, tanh(epsilon / 2)."""
        return float(np.tanh(self.epsilon / 2))

    def cut(self) -> tuple[float, float]:
        r"""Number K of the cell that is cut, and the share rho of it that is kept.

        The noise lies in :math:`|x| \le K - \frac12 + \rho`; (inf, 1) if nothing is cut. If the
        central cell itself is cut (K = 0), the share is measured from :math:`-\frac12`.
        """
        if self.delta == 0:
            return np.inf, 1.0
        # K is the last cell whose lower end has a tail b^K / (1 + b) above q / 2.
        level = np.log(2) - np.log(self.q) - np.log1p(self.b)
        last = max(float(np.ceil(level / self.epsilon)) - 1, 0.0)
        share = -np.expm1(self.epsilon * last - level) / -np.expm1(-self.epsilon)
        return last, float(np.clip(share, 0.0, 1.0))

    @property
    def reach(self) -> float:
        """Largest value of the noise; infinite if delta is 0."""
        last, share = self.cut()
        return last - 0.5 + share

    def pdf(self, x: ArrayLike) -> Any:
        """Density, constant on cells of unit length."""
        x = _validate.real("x", x)
        inside = abs(x) <= self.reach
        return np.where(inside, exp_product(self.epsilon, abs(np.rint(x))), 0.0)[()] * (
            self.cell / self.kept
        )

    def logsf(self, x: ArrayLike) -> Any:
        """Logarithm of :meth:`sf`, finite where the probability itself would underflow."""
        x = np.asarray(_validate.real("x", x))
        with np.errstate(divide="ignore"):
            far = np.log(self._tail_over_decay(abs(x))) - self.epsilon * np.rint(abs(x))
            return np.where(x >= 0, far, np.log1p(-np.exp(far)))[()]

    def sf(self, x: ArrayLike) -> Any:
        r"""Survival function :math:`\Pr(N > x)`, with full relative accuracy in both tails.

        Uncut, with j the integer nearest to x:
        :math:`\frac{b^j}{1 + b} \{b + (j - x + \tfrac12)(1 - b)\}` for :math:`x \ge 0`.
        """
        x = np.asarray(_validate.real("x", x))
        far = self._tail_over_decay(abs(x)) * exp_product(self.epsilon, np.rint(abs(x)))
        return np.where(x >= 0, far, 1 - far)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """Distribution function; the law is symmetric, so it is sf(-x)."""
        return self.sf(-np.asarray(_validate.real("x", x)))[()]

    def isf(self, probability: ArrayLike) -> Any:
        """The x with sf(x) = probability, from the cell it lies in."""
        p = np.asarray(_validate.real("probability", probability, above=0, below=1))
        small = np.minimum(p, 1 - p) * self.kept + self.q / 2  # tail of the uncut law
        level = -np.log(small) - np.log1p(self.b)
        j = np.maximum(np.ceil(level / self.epsilon) - 1, 0.0)
        share = np.expm1(self.epsilon * j - level) / np.expm1(-self.epsilon)
        x = np.minimum(j - 0.5 + np.clip(share, 0, 1), self.reach)
        x = np.where(p == 0.5, 0.0, x)
        return np.where(p < 0.5, x, -x)[()]

    def quantile(self, probability: ArrayLike) -> Any:
        """The x with cdf(x) = probability."""
        return -self.isf(probability)

    @property
    def variance(self) -> float:
        r"""Of the noise: :math:`\frac{2 b}{(1 - b)^2} + \frac1{12}` if nothing is cut."""
        last, share = self.cut()
        if np.isinf(last):
            return float(1 / (2 * np.sinh(self.epsilon / 2) ** 2) + 1 / 12)
        j = np.arange(-last, last + 1)
        low = np.where(j == -last, -self.reach, j - 0.5)
        high = np.where(j == last, self.reach, j + 0.5)
        mass = exp_product(self.epsilon, abs(j)) * self.cell / self.kept
        return float((mass * (high**3 - low**3)).sum() / 3)

    def privatize(self, count: ArrayLike, *, rng: Rng = None, size: Any = None) -> Any:
        """Add independent noise to counts.

        Parameters
        ----------
        count : array_like of int
            At least 0.
        rng : Generator, int or None
        size : int or tuple of int, optional
            Shape of the result; by default that of `count`.

        Returns
        -------
        float or ndarray
        """
        count = np.asarray(_validate.integer("count", count, minimum=0))
        shape = count.shape if size is None else size
        rng = np.random.default_rng(rng)
        if self.delta > 0:
            uniform = np.maximum(rng.random(shape), 2.0**-54)
            return (count + self.quantile(uniform))[()]
        # A geometric number of steps is the whole part of an exponential variable.
        up, down = (np.floor(rng.exponential(1 / self.epsilon, shape)) for _ in range(2))
        return (count + up - down + rng.uniform(-0.5, 0.5, shape))[()]

    def _tail_over_decay(self, x: Any) -> Any:
        """sf(x) * exp(epsilon * round(x)) for x >= 0: positive terms only."""
        j, b = np.rint(x), self.b
        rest = j - x + 0.5  # share of the cell beyond x
        last, share = self.cut()
        if np.isinf(last):
            # b + rest (1 - b), through expm1 for small epsilon
            return (b - rest * np.expm1(-self.epsilon)) / (1 + b)
        between = np.maximum(last - 1 - j, 0)
        full = rest * self.cell - b * np.expm1(-self.epsilon * between) / (1 + b)
        full += share * self.cell * np.exp(-self.epsilon * np.maximum(last - j, 0))
        edge = np.where(j == last, np.clip(share - 0.5 + j - x, 0, None) * self.cell, 0.0)
        return np.where(j < last, full, edge) / self.kept
