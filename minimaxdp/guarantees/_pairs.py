r"""Dominating pairs: two laws that are at least as easy to tell apart as any neighbours.

The privacy loss of a pair (P, Q) is :math:`L = \ln \frac{dP}{dQ}(Y)` with Y from P; its law says
all there is to say about the guarantee, and independent losses add up under composition.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from minimaxdp import _validate, divergences
from minimaxdp._types import Array, Real
from minimaxdp.guarantees import _closed_forms as closed
from minimaxdp.guarantees import _tradeoffs as curves

__all__ = [
    "ApproximatePair",
    "DominatingPair",
    "FinitePair",
    "GaussianPair",
    "LaplacePair",
    "ResponsePair",
]


class DominatingPair(ABC):
    """Two laws that dominate what a mechanism shows of neighbours: its privacy loss.

    A pair answers exactly: :meth:`delta`, :meth:`renyi`, :meth:`loss_cdf` and :meth:`cells`. The
    pairs of the package are symmetric (either order of the two laws gives the same answers),
    except for :class:`FinitePair`, which takes the laws as they are given.
    """

    @abstractmethod
    def delta(self, epsilon: ArrayLike) -> Real:
        """Privacy profile: the least delta at each epsilon, the hockey-stick divergence."""

    @abstractmethod
    def renyi(self, order: ArrayLike) -> Real:
        """Rényi divergence of an order of at least 1, in nats; may be infinite."""

    @abstractmethod
    def loss_cdf(self, x: ArrayLike) -> Real:
        """Probability that the privacy loss is at most x, under the first law."""

    @abstractmethod
    def cells(self, edges: ArrayLike) -> tuple[Array, Array]:
        """Probabilities that the loss lies above one edge and not above the next, under each law.

        Parameters
        ----------
        edges : array_like, shape (m + 1,)
            Rising; the first may be minus infinity and the last infinity. An infinite loss lies
            in no cell.

        Returns
        -------
        (p, q), each of shape (m,)
        """

    @property
    def swapped(self) -> DominatingPair:
        """The same two laws in the other order; a symmetric pair is its own."""
        return self

    @property
    def impossible(self) -> float:
        """Probability, under the first law, of what the second rules out: an infinite loss."""
        return 0.0


@dataclass(frozen=True)
class GaussianPair(DominatingPair):
    r"""N(mu, 1) against N(0, 1): normal noise, sensitivity over sigma apart.

    The loss is normal with mean :math:`\mu^2/2` and variance :math:`\mu^2`.

    Parameters
    ----------
    mu : float
        Distance of the means in standard deviations, positive.

    Raises
    ------
    TypeError, ValueError
        If mu is not a positive number.

    Examples
    --------
    >>> round(GaussianPair(1.0).delta(1.0), 9)
    0.126936738
    >>> pair = GaussianPair(1.0)
    >>> pair.loss_cdf(0.5), pair.renyi(2.0), pair.tradeoff(0.5)
    (0.5, 1.0, 0.1587)
    >>> [part.round(4).tolist() for part in pair.cells([-np.inf, 0.5, np.inf])]
    [[0.5, 0.5], [0.8413, 0.1587]]
    """

    mu: float

    def __post_init__(self) -> None:
        _validate.freeze(self, mu=_validate.one_real("mu", self.mu, minimum=1e-150, maximum=1e150))

    def delta(self, epsilon: ArrayLike) -> Real:
        """Privacy profile (Balle and Wang 2018)."""
        return closed.gaussian_delta(epsilon, 1 / self.mu)

    def renyi(self, order: ArrayLike) -> Real:
        r"""Rényi divergence :math:`a \mu^2/2`; infinite at infinite order."""
        return closed.gaussian_renyi(order, 1 / self.mu)

    def tradeoff(self, alpha: ArrayLike) -> Real:
        """Least second error at each first error."""
        return curves.gaussian_tradeoff(self.mu, alpha)

    def loss_cdf(self, x: ArrayLike) -> Real:
        """Normal distribution function of the loss."""
        x = _validate.real("x", x, infinite=True)
        return ndtr((x - self.mu**2 / 2) / self.mu)

    def cells(self, edges: ArrayLike) -> tuple[Array, Array]:
        """Probabilities of cells of the loss: normal, of mean plus or minus mu^2/2."""
        edges = _checked_edges(edges)
        return (
            _normal_cells(edges / self.mu - self.mu / 2),
            _normal_cells(edges / self.mu + self.mu / 2),
        )


@dataclass(frozen=True)
class LaplacePair(DominatingPair):
    r"""Two Laplace laws, epsilon scales apart.

    The loss is :math:`\varepsilon` with probability 1/2, :math:`-\varepsilon` with probability
    :math:`e^{-\varepsilon}/2`, and has a density in between.

    Parameters
    ----------
    epsilon : float
        Sensitivity over scale: the pure budget in nats, positive.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not a positive number.

    Examples
    --------
    >>> pair = LaplacePair(1.0)
    >>> pair.delta(1.0), pair.loss_cdf(0.0), pair.loss_cdf(1.0)
    (0.0, 0.3033, 1.0)
    >>> pair.renyi(np.inf), pair.tradeoff(0.5)  # the orders may be infinite
    (1.0, 0.1839)
    >>> [part.round(4).tolist() for part in pair.cells([-1.0, 0.9, 1.0])]
    [[0.2917, 0.5244], [0.3066, 0.1934]]
    """

    epsilon: float

    def __post_init__(self) -> None:
        _validate.freeze(self, epsilon=_validate.one_epsilon(self.epsilon))

    def delta(self, epsilon: ArrayLike) -> Real:
        """Privacy profile."""
        return closed.laplace_delta(epsilon, 1 / self.epsilon)

    def renyi(self, order: ArrayLike) -> Real:
        """Rényi divergence; may be infinite."""
        return closed.laplace_renyi(order, 1 / self.epsilon)

    def tradeoff(self, alpha: ArrayLike) -> Real:
        """Least second error at each first error."""
        return curves.laplace_tradeoff(self.epsilon, alpha)

    def loss_cdf(self, x: ArrayLike) -> Real:
        """Distribution function of the loss: two atoms, and e^((x - eps)/2)/2 in between."""
        x = np.asarray(_validate.real("x", x, infinite=True))
        inside = np.exp((np.minimum(x, self.epsilon) - self.epsilon) / 2) / 2
        return np.where(x < -self.epsilon, 0.0, np.where(x >= self.epsilon, 1.0, inside))[()]

    def cells(self, edges: ArrayLike) -> tuple[Array, Array]:
        """Probabilities of cells of the loss: two atoms, and a density in between."""
        edges, reach = _checked_edges(edges), self.epsilon
        inner = np.clip(edges, -reach, reach)
        share = -np.expm1(-np.diff(inner) / 2) / 2
        p = share * np.exp((inner[1:] - reach) / 2)
        q = share * np.exp((-inner[:-1] - reach) / 2)
        for place, mass, other in (
            (reach, 0.5, np.exp(-reach) / 2),
            (-reach, np.exp(-reach) / 2, 0.5),
        ):
            holds = (edges[:-1] < place) & (place <= edges[1:])
            p, q = p + mass * holds, q + other * holds
        return p, q


@dataclass(frozen=True)
class FinitePair(DominatingPair):
    """Two laws on a finite set.

    Parameters
    ----------
    p, q : array_like, shape (k,)
        The laws; the loss is that of p.

    Raises
    ------
    TypeError, ValueError
        If one is not a law, or they have different outcomes.

    Examples
    --------
    >>> pair = FinitePair([0.75, 0.25], [0.25, 0.75])
    >>> pair.delta(0.0), pair.renyi(2.0), pair.loss_cdf(0.0)
    (0.5, 0.8473, 0.25)
    >>> [part.tolist() for part in pair.cells([-2.0, 0.0, 2.0])]
    [[0.25, 0.75], [0.75, 0.25]]
    """

    p: Any
    q: Any

    def __post_init__(self) -> None:
        p, q = (law.copy() for law in _validate.two_laws(self.p, self.q))
        p.setflags(write=False)
        q.setflags(write=False)
        _validate.freeze(self, p=p, q=q)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FinitePair):
            return NotImplemented
        return np.array_equal(self.p, other.p) and np.array_equal(self.q, other.q)

    def __hash__(self) -> int:
        return hash((self.p.tobytes(), self.q.tobytes()))

    @property
    def losses(self) -> tuple[Array, Array]:
        """Values of the loss, rising, and their probabilities under p."""
        with np.errstate(divide="ignore"):
            loss = np.log(self.p[self.p > 0]) - np.log(self.q[self.p > 0])
        order = np.argsort(loss, kind="stable")
        return loss[order], self.p[self.p > 0][order]

    def delta(self, epsilon: ArrayLike) -> Real:
        """Privacy profile: the hockey-stick divergence."""
        return divergences.hockey_stick(self.p, self.q, epsilon)

    def renyi(self, order: ArrayLike) -> Real:
        """Rényi divergence; may be infinite."""
        return divergences.renyi(self.p, self.q, order)

    def loss_cdf(self, x: ArrayLike) -> Real:
        """Distribution function of the loss."""
        x = np.asarray(_validate.real("x", x, infinite=True))
        loss, mass = self.losses
        total = np.concatenate([[0.0], mass.cumsum()])
        return total[np.searchsorted(loss, x, side="right")][()]

    def cells(self, edges: ArrayLike) -> tuple[Array, Array]:
        """Probabilities of cells of the loss: sums over outcomes."""
        edges = _checked_edges(edges)
        both = (self.p > 0) & (self.q > 0)
        place = np.searchsorted(edges, np.log(self.p[both]) - np.log(self.q[both])) - 1
        inside = (place >= 0) & (place < len(edges) - 1)
        p, q = (
            np.bincount(place[inside], law[both][inside], len(edges) - 1).astype(float)
            for law in (self.p, self.q)
        )
        return p, q

    @property
    def swapped(self) -> DominatingPair:
        """The two laws in the other order; the pair itself if their losses have the same law."""
        there = FinitePair(self.q, self.p)
        same = len(self.losses[0]) == len(there.losses[0]) and all(
            np.allclose(mine, its, rtol=1e-12, atol=1e-15)
            for mine, its in zip(self.losses, there.losses, strict=True)
        )
        return self if same else there

    @property
    def impossible(self) -> float:
        """Probability, under the first law, of the outcomes that the second rules out."""
        return float(self.p[self.q == 0].sum())


class ResponsePair(FinitePair):
    """Randomized response over d categories: two rows of its channel.

    Parameters
    ----------
    epsilon : float
        Nats, positive.
    d : int
        Number of categories, at least 2.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> round(float(ResponsePair(1.0).renyi(1.0)), 6)  # tanh(1/2)
    0.462117
    """

    def __init__(self, epsilon: float, d: int = 2) -> None:
        epsilon = _validate.one_epsilon(epsilon)
        d = _validate.one_integer("d", d, minimum=2)
        # The d - 2 outcomes that tell the two inputs apart in no way are one outcome.
        total = 1 + (d - 1) * np.exp(-epsilon)
        rest = (d - 2) * np.exp(-epsilon) / total
        high, low = 1 / total, np.exp(-epsilon) / total
        super().__init__([high, low, rest], [low, high, rest])


class ApproximatePair(FinitePair):
    """The pair that dominates every (epsilon, delta)-private mechanism.

    With probability delta the truth comes out; otherwise it is randomized response.

    Parameters
    ----------
    epsilon : float
        Nats, at least 0.
    delta : float
        From 0 to below 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Kairouz, Oh and Viswanath (2015).

    Examples
    --------
    >>> round(float(ApproximatePair(1.0, 0.1).delta(1.0)), 12)
    0.1
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        epsilon = _validate.one_real("epsilon", epsilon, minimum=0, maximum=700)
        delta = _validate.one_real("delta", delta, minimum=0, below=1)
        high = (1 - delta) / (1 + np.exp(-epsilon))
        low = high * np.exp(-epsilon)
        super().__init__([delta, high, low, 0.0], [0.0, low, high, delta])


def _checked_edges(edges: ArrayLike) -> Array:
    found = _validate.numbers("edges", edges).astype(float)
    if found.ndim != 1 or len(found) < 2 or not np.all(found[1:] >= found[:-1]):
        raise ValueError("edges must be at least two rising numbers")
    return found


def _normal_cells(z: Array) -> Array:
    """Standard normal probabilities between consecutive points, from the nearer tail."""
    return np.where(z[:-1] > 0, ndtr(-z[:-1]) - ndtr(-z[1:]), ndtr(z[1:]) - ndtr(z[:-1]))
