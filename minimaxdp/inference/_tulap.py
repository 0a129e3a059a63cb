"""Tulap noise: discrete Laplace noise spread evenly over unit cells, and cut at the ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Approximate, Guarantee, Pure
from minimaxdp.inference._binomial import LEAST_EPSILON, exp_product
from minimaxdp.laplace import AdditiveMechanism

__all__ = ["Tulap"]


@dataclass(frozen=True)
class Tulap(AdditiveMechanism):
    r"""Truncated-uniform-Laplace noise for a count.

    .. math:: N_0 = G_1 - G_2 + U, \qquad \Pr(G_i = g) = (1 - b) b^g, \quad
              U \sim \mathrm{Unif}(-\tfrac12, \tfrac12), \qquad b = e^{-\varepsilon}

    With delta > 0 the noise is :math:`N_0` conditioned on its central part of probability
    :math:`1 - q`, :math:`q = 2 \delta b / (1 - b + 2 \delta b)`. Added to a count that one
    person moves by at most 1, it is, over the real numbers, exactly
    (epsilon, delta)-differentially private; :mod:`minimaxdp.inference` says what doubles change.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700.
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
        epsilon = _validate.one_epsilon(self.epsilon, minimum=LEAST_EPSILON)
        delta = _validate.one_real("delta", self.delta, minimum=0, below=1)
        _validate.freeze(self, epsilon=epsilon, delta=delta)

    @classmethod
    def from_parameters(cls, b: float, q: float = 0.0) -> Tulap:
        r"""The law of the slides' parameters, centred at 0.

        .. math:: \varepsilon = -\ln b, \qquad \delta = \frac{q (1 - b)}{2 b (1 - q)}

        Parameters
        ----------
        b : float
            Strictly between 0 and 1, at least exp(-700).
        q : float
            From 0 to 1 (1 excluded), so small that delta is below 1.

        Examples
        --------
        >>> round(Tulap.from_parameters(0.5).epsilon, 6)
        0.693147
        """
        b = _validate.one_real("b", b, above=0, below=1, minimum=float(np.exp(-700)))
        q = _validate.one_real("q", q, minimum=0, below=1)
        delta = q * (1 - b) / (2 * b * (1 - q))
        if delta >= 1:
            raise ValueError(f"q must leave delta below 1, got q = {q:g} and so delta = {delta:g}")
        return cls(min(-np.log(b), 700.0), delta)

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
        # K is the last cell whose lower end has a tail b^K / (1 + b) above q / 2, that is, for
        # which epsilon K is below this level: the logarithm of 2 / (q (1 + b)).
        fall = -np.expm1(-self.epsilon)
        if self.q >= 0.5:  # near 1, and its excess over 1 is a sum of positive terms
            growth = np.expm1(self.epsilon)
            level = np.log1p((growth + self.delta * fall) / (self.delta * (1 + self.b)))
        elif self.q >= np.finfo(float).tiny:
            level = np.log(2) - np.log(self.q) - np.log1p(self.b)
        else:  # q has lost its digits, its logarithm has not
            log_half_q = np.log(self.delta) - self.epsilon - np.log(fall + 2 * self.delta * self.b)
            level = -log_half_q - np.log1p(self.b)
        last = max(float(np.ceil(level / self.epsilon)) - 1, 0.0)
        share = -np.expm1(self.epsilon * last - level) / -np.expm1(-self.epsilon)
        return last, float(np.clip(share, 0.0, 1.0))

    @property
    def reach(self) -> float:
        """Largest value of the noise; infinite if delta is 0."""
        last, share = self.cut()
        return last - 0.5 + share

    @property
    def sensitivity(self) -> int:
        """One: a record changes a count by at most that."""
        return 1

    @property
    def privacy(self) -> Guarantee:
        """Pure or approximate privacy for a count, attained at every first error of a test."""
        return Approximate(self.epsilon, self.delta) if self.delta else Pure(self.epsilon)

    def log_density(self, noise: ArrayLike) -> Real:
        """Logarithm of :meth:`pdf`; -inf beyond the reach.

        Examples
        --------
        >>> round(float(Tulap(1.0).log_density(0.0) - Tulap(1.0).log_density(2.0)), 12)
        2.0
        """
        noise = _validate.real("noise", noise)
        far = np.log(self.cell / self.kept) - self.epsilon * abs(np.rint(noise))
        return np.where(abs(noise) <= self.reach, far, -np.inf)[()]

    def pdf(self, x: ArrayLike) -> Real:
        """Density, constant on cells of unit length.

        Examples
        --------
        >>> float(Tulap(1.0).pdf(0.1)) == float(Tulap(1.0).pdf(0.4))
        True
        """
        x = _validate.real("x", x)
        inside = abs(x) <= self.reach
        return np.where(inside, exp_product(self.epsilon, abs(np.rint(x))), 0.0)[()] * (
            self.cell / self.kept
        )

    def logsf(self, x: ArrayLike) -> Real:
        """Logarithm of :meth:`sf`, finite where the probability itself would underflow;
        minus infinity beyond the end of cut noise.

        Examples
        --------
        >>> round(float(Tulap(1.0).logsf(1000.5)), 6)
        -1001.313262
        """
        x = np.asarray(_validate.real("x", x))
        with np.errstate(divide="ignore", over="ignore"):
            far = np.log(self._tail_over_decay(abs(x))) - self.epsilon * np.rint(abs(x))
            return np.where(x >= 0, far, np.log1p(-np.exp(far)))[()]

    def sf(self, x: ArrayLike) -> Real:
        r"""Survival function :math:`\Pr(N > x)`, with full relative accuracy in both tails.

        Uncut, with j the integer nearest to x:
        :math:`\frac{b^j}{1 + b} \{b + (j - x + \tfrac12)(1 - b)\}` for :math:`x \ge 0`.
        """
        x = np.asarray(_validate.real("x", x))
        far = self._tail_over_decay(abs(x)) * exp_product(self.epsilon, np.rint(abs(x)))
        return np.where(x >= 0, far, 1 - far)[()]

    def cdf(self, x: ArrayLike) -> Real:
        """Distribution function; the law is symmetric, so it is sf(-x)."""
        return self.sf(-np.asarray(_validate.real("x", x)))

    def isf(self, probability: ArrayLike) -> Real:
        """The x with sf(x) = probability, from the cell it lies in."""
        p = np.asarray(_validate.real("probability", probability, above=0, below=1))
        smaller = np.minimum(p, 1 - p)
        if self.q < 0.5:
            small = smaller * self.kept + self.q / 2  # tail of the uncut law
            level = -np.log(small) - np.log1p(self.b)
        else:  # close to 1/2, from which its distance is known to all digits
            level = -np.log1p(-self.kept * (1 - 2 * smaller))
            level = level - np.log1p(np.expm1(-self.epsilon) / 2)
        j = np.maximum(np.ceil(level / self.epsilon) - 1, 0.0)
        share = np.expm1(self.epsilon * j - level) / np.expm1(-self.epsilon)
        x = np.minimum(j - 0.5 + np.clip(share, 0, 1), self.reach)
        x = np.where(p == 0.5, 0.0, x)
        return np.where(p < 0.5, x, -x)[()]

    def quantile(self, probability: ArrayLike) -> Real:
        """The x with cdf(x) = probability.

        Examples
        --------
        >>> round(float(Tulap(1.0).cdf(Tulap(1.0).quantile(0.975))), 12)
        0.975
        """
        return -self.isf(probability)

    @property
    def variance(self) -> float:
        r"""Of the noise: :math:`\frac{2 b}{(1 - b)^2} + \frac1{12}` if nothing is cut."""
        last, share = self.cut()
        if np.isinf(last):
            return float(1 / (2 * np.sinh(self.epsilon / 2) ** 2) + 1 / 12)
        height, reach = self.cell / self.kept, self.reach
        if last == 0:
            return float(2 * height * reach**3 / 3)
        cells, _, squares = _weighted_powers(height, self.epsilon, int(last))
        whole = 2 * squares + (2 * cells - height) / 12  # both sides, the central cell once
        inner = last - 0.5
        cut = share * (reach**2 + reach * inner + inner**2) / 3  # (reach^3 - inner^3) / 3
        return float(whole + 2 * height * exp_product(self.epsilon, last) * cut)

    def privatize(
        self,
        count: ArrayLike,
        *,
        rng: Rng = None,
        size: int | tuple[int, ...] | None = None,
    ) -> Real:
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

        Raises
        ------
        TypeError, ValueError
            If a count is not an integer of at least 0, or size is no shape for the counts.
        """
        count = np.asarray(_validate.integer("count", count, minimum=0))
        size = _validate.draws(size, count.shape)
        shape = count.shape if size is None else size
        rng = _validate.generator(rng)
        if self.delta > 0:
            uniform = np.maximum(rng.random(shape), 2.0**-54)
            return (count + self.quantile(uniform))[()]
        # A geometric number of steps is the whole part of an exponential variable.
        noise = np.asarray(rng.exponential(1 / self.epsilon, shape))
        np.floor(noise, out=noise)
        down = np.asarray(rng.exponential(1 / self.epsilon, shape))
        noise -= np.floor(down, out=down)
        noise += count
        noise += rng.uniform(-0.5, 0.5, shape)
        return noise[()]

    def _tail_over_decay(self, x: Array) -> Array:
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


def _weighted_powers(height: float, epsilon: float, steps: int) -> tuple[float, float, float]:
    """Sums of height * exp(-epsilon j) times 1, j and j^2 over 0 <= j < steps.

    By doubling: the second half of 2m terms is the first one moved by m. All terms are positive,
    so nothing cancels, however small epsilon is.
    """
    ones = firsts = squares = 0.0
    done = 0
    for digit in f"{steps:b}":
        fall = float(exp_product(epsilon, done))
        squares += fall * (squares + 2 * done * firsts + done**2 * ones)
        firsts += fall * (firsts + done * ones)
        ones += fall * ones
        done *= 2
        if digit == "1":
            term = height * float(exp_product(epsilon, done))
            ones, firsts, squares = ones + term, firsts + done * term, squares + done**2 * term
            done += 1
    return ones, firsts, squares
