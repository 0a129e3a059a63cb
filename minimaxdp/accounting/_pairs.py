r"""The two laws to compare for a mechanism, a guarantee, a channel, or a sample of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real
from minimaxdp.guarantees import (
    Approximate,
    ApproximatePair,
    DominatingPair,
    FinitePair,
    GaussianDP,
    GaussianPair,
    Guarantee,
    Local,
    Pure,
    ResponsePair,
    Smooth,
    TotalVariation,
)

__all__ = ["Loss", "SampledPair", "Subsampled", "dominating_pair", "finite_pair"]

Sampling = Literal["poisson", "without replacement"]
# Probabilities of integer noise below this are left to the infinite loss.
_DUST = 1e-30
# Probabilities below this are rounding where rows of a channel are summed.
_ROUNDING = 1e-15


@runtime_checkable
class Loss(Protocol):
    """What an accountant asks of a pair of laws; a DominatingPair is one."""

    def delta(self, epsilon: ArrayLike) -> Real:
        """Least delta at each epsilon."""

    def cells(self, edges: ArrayLike) -> tuple[Array, Array]:
        """Probabilities of cells of the loss under each law."""

    @property
    def swapped(self) -> Loss:
        """The two laws in the other order."""

    @property
    def impossible(self) -> float:
        """Probability of an infinite loss."""


@dataclass(frozen=True)
class SampledPair:
    r"""The two laws to compare when a mechanism sees only a random sample of the records.

    Of a symmetric pair (P, Q) with privacy loss L. Under Poisson sampling at rate r, where
    neighbours differ by the presence of a record, the laws with and without it are
    :math:`(1 - r) Q + r P` and Q, and the loss is :math:`\ln(1 - r + r e^L)`. Samples of a fixed
    size, where a record is replaced, have this loss where it is positive, its mirror image where
    it is negative, and are silent otherwise.

    Parameters
    ----------
    base : DominatingPair
        Symmetric: its losses have the same law in either order.
    rate : float
        Share of the records in the sample, above 0 and at most 1.
    sampling : {"poisson", "without replacement"}
    reverse : bool
        Whether the law without the record comes first.

    Raises
    ------
    TypeError, ValueError
        If the base is no symmetric pair, the rate lies outside (0, 1], or the sampling is unknown.

    Notes
    -----
    Balle, Barthe and Gaboardi (2018); Zhu, Dong and Wang (2022).

    Examples
    --------
    >>> pair = SampledPair(ResponsePair(1.0), 0.1)
    >>> pair.delta(0.0), 0.1 * ResponsePair(1.0).delta(0.0)
    (0.0462, 0.0462)
    >>> [part.round(4).tolist() for part in pair.cells([-1.0, 0.0, 1.0])]
    [[0.6849, 0.3151], [0.7311, 0.2689]]
    """

    base: Any
    rate: float
    sampling: Sampling = "poisson"
    reverse: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.base, Loss):
            raise TypeError(f"base must be a pair of laws, got {self.base!r}")
        if self.base.swapped is not self.base:
            raise ValueError(f"base must be a symmetric pair, got {self.base!r}")
        rate = _validate.one_real("rate", self.rate, above=0, maximum=1)
        _validate.choice("sampling", self.sampling, ("poisson", "without replacement"))
        _validate.flag("reverse", self.reverse)
        _validate.freeze(self, rate=rate)

    @property
    def swapped(self) -> SampledPair:
        """The laws in the other order; samples of a fixed size treat both orders alike."""
        if self.sampling == "without replacement":
            return self
        return SampledPair(self.base, self.rate, self.sampling, not self.reverse)

    @property
    def impossible(self) -> float:
        """Probability of an infinite loss: the sample must hold the record."""
        rate = (1.0 if self.rate == 1 else 0.0) if self.reverse else self.rate
        return rate * self.base.impossible

    def delta(self, epsilon: ArrayLike) -> Real:
        r"""Privacy profile: :math:`r\,\delta(\ln(1 + (e^\varepsilon - 1)/r))` of the base, or that
        of the other order; where the logarithm exceeds 700, an upper bound."""
        epsilon = np.asarray(_validate.real("epsilon", epsilon, minimum=0, maximum=700))
        r = self.rate
        if not self.reverse:
            # No base is asked beyond 700 nats, where its delta is no smaller than further out.
            held = np.minimum(epsilon, max(700 + np.log(r), 0.0))
            return (r * np.asarray(self.base.delta(np.log1p(np.expm1(held) / r))))[()]
        left = -np.expm1(epsilon + np.log1p(-r)) if r < 1 else np.ones_like(epsilon)
        if r == 1:
            return self.base.delta(epsilon)
        open_ = left > 0
        inner = epsilon + np.log(r) - np.log(np.where(open_, left, 1.0))
        found = np.asarray(self.base.delta(np.maximum(np.where(open_, inner, 0.0), 0.0)))
        return np.where(open_, left * found, 0.0)[()]

    def cells(self, edges: ArrayLike) -> tuple[Array, Array]:
        """Probabilities of cells of the loss, from cells of the base."""
        edges = _validate.numbers("edges", edges).astype(float)
        if edges.ndim != 1 or len(edges) < 2 or not np.all(edges[1:] >= edges[:-1]):
            raise ValueError("edges must be at least two rising numbers")
        if self.sampling == "without replacement":
            return self._both_sides(edges)
        if self.reverse:
            q, p = self._record_in(-edges[::-1])
            return p[::-1], q[::-1]
        return self._record_in(edges)

    def _record_in(self, edges: Array) -> tuple[Array, Array]:
        """Of the loss ln(1 - r + r e^L)."""
        r = self.rate
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            inner = np.log1p(np.maximum(np.expm1(edges) / r, -1.0))
            # exp overflows where the loss of the base is the same but for ln r.
            inner = np.where(edges > 600, edges - np.log(r), inner)
        p, q = self.base.cells(inner)
        if self.base.impossible and r < 1:  # what only the second law shows: loss ln(1 - r)
            least = np.log1p(-r)
            q = q + self.base.impossible * ((edges[:-1] < least) & (least <= edges[1:]))
        return (1 - r) * q + r * p, q

    def _both_sides(self, edges: Array) -> tuple[Array, Array]:
        up = self._record_in(np.maximum(edges, 0.0))
        down = self._record_in(np.maximum(-edges[::-1], 0.0))
        p, q = up[0] + down[1][::-1], up[1] + down[0][::-1]
        above = self._record_in(np.array([0.0, np.inf]))
        still = 1 - self.impossible - above[0][0] - above[1][0]
        zero = np.maximum(still, 0.0) * ((edges[:-1] < 0) & (edges[1:] >= 0))
        return p + zero, q + zero


@dataclass(frozen=True)
class Subsampled:
    r"""A mechanism that is run on a random sample of the records.

    Parameters
    ----------
    mechanism : Mechanism, Guarantee or DominatingPair
        What is run on the sample. Under Poisson sampling its sensitivity is that of one record
        more or less, under sampling without replacement that of one record replaced.
    rate : float
        The probability of a record to be in the sample, above 0 and at most 1.
    sampling : {"poisson", "without replacement"}
        Every record by its own coin, where neighbours differ by the presence of a record; or a
        sample of fixed size, where a record is replaced.

    Raises
    ------
    TypeError, ValueError
        If the mechanism says nothing of its loss, or the rate lies outside (0, 1].

    Examples
    --------
    >>> from minimaxdp.laplace import Laplace
    >>> sampled = Subsampled(Laplace(1.0), rate=0.01)
    >>> sampled.relation, round(float(sampled.pair.delta(0.0)) / 0.01, 6)
    ('add-remove', 0.393469)
    """

    mechanism: Any
    rate: float
    sampling: Sampling = "poisson"

    def __post_init__(self) -> None:
        try:
            base = dominating_pair(self.mechanism)
        except (TypeError, ValueError) as error:
            raise type(error)(f"mechanism must have a privacy loss: {error}") from None
        pair = SampledPair(base, self.rate, self.sampling)
        stated = getattr(self.mechanism, "relation", self.relation)
        if isinstance(self.mechanism, Guarantee) and stated != self.relation:
            raise ValueError(
                f"mechanism must be stated under {self.relation!r} for {self.sampling} sampling, "
                f"got {stated!r}"
            )
        _validate.freeze(self, rate=pair.rate)

    @property
    def relation(self) -> str:
        """Which inputs are neighbours."""
        return "add-remove" if self.sampling == "poisson" else "replacement"

    @property
    def pair(self) -> SampledPair:
        """The two laws to compare."""
        return SampledPair(dominating_pair(self.mechanism), self.rate, self.sampling)


def finite_pair(channel: ArrayLike, pairs: ArrayLike | None = None) -> FinitePair:
    r"""One pair of laws that dominates all neighbours of a finite channel.

    The best tests of all pairs of neighbours, in both orders, span a region of points
    :math:`(P(A), Q(A))`; its convex hull is the region of the pair that is returned. So the
    privacy profile is the largest of theirs at every epsilon.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.

    Returns
    -------
    FinitePair
        Two rows as they are if they are the only neighbours.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic, has one row, or a pair does not name two rows.

    Examples
    --------
    >>> pair = finite_pair([[0.5, 0.5], [0.4, 0.6], [0.9, 0.1]])
    >>> pair.delta(0.0)
    0.5
    """
    channel, both = _validate.neighbours(channel, pairs)
    if len(both) == 2:
        return FinitePair(*channel[both[0]])
    corners = [np.zeros((1, 2)), np.ones((1, 2))]
    for first, second in both:
        p, q = channel[first], channel[second]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(q > 0, p / np.where(q > 0, q, 1), np.where(p > 0, np.inf, -1.0))
        order = np.argsort(-ratio, kind="stable")
        corners.append(np.column_stack([q[order].cumsum(), p[order].cumsum()]))
    upper = _upper_hull(np.unique(np.clip(np.concatenate(corners), 0, 1), axis=0))
    steps = np.diff(upper, axis=0)
    steps = np.where(steps < _ROUNDING, 0.0, steps)  # sums of rows are right to a few units
    q, p = steps[steps.any(axis=1)].T / steps.sum(axis=0)[:, None]
    if np.allclose(p, q[::-1], rtol=1e-9, atol=_ROUNDING):
        p = (p + q[::-1]) / 2
        q = p[::-1]
    return FinitePair(p, q)


def _upper_hull(points: Array) -> Array:
    """The concave upper border of points (q, p) from (0, 0) to (1, 1)."""
    hull: list[Array] = []
    for point in points[np.lexsort((points[:, 1], points[:, 0]))]:
        while hull and point[0] == hull[-1][0] and point[0] > 0 and point[1] >= hull[-1][1]:
            hull.pop()
        while len(hull) > 1:
            (a, b), (c, d) = hull[-2], hull[-1]
            if (c - a) * (point[1] - b) >= (d - b) * (point[0] - a):
                hull.pop()
            else:
                break
        hull.append(point)
    return np.array(hull)


def dominating_pair(release: Any) -> Any:
    r"""The pair of laws that is at least as easy to tell apart as any neighbours.

    Parameters
    ----------
    release : Mechanism, Guarantee, DominatingPair or array_like
        A mechanism that has a `pair`, a finite `channel` or the `log_probability` of integer
        noise (purely private, or of sensitivity 1); a guarantee (pure, approximate, Gaussian,
        total variation, or local); a channel as a matrix; or the pair itself.

    Returns
    -------
    DominatingPair or SampledPair

    Raises
    ------
    TypeError, ValueError
        If it is none of these, promises something that no pair of laws describes, or adds normal
        integer noise of a sensitivity above 1: vectors may then move in several coordinates at
        once, and no pair is known that dominates them all.

    Notes
    -----
    A mechanism that only states a guarantee gets the pair of the worst mechanism that keeps it
    (Kairouz, Oh and Viswanath 2015). Laplace noise on a vector, of reals or of integers, gets
    that of one number, which dominates it (claim ``acc-vector``).

    Examples
    --------
    >>> from minimaxdp.guarantees import Pure
    >>> dominating_pair(GaussianDP(0.5))
    GaussianPair(mu=0.5)
    >>> dominating_pair(Pure(1.0)).delta(1.0)
    0.0
    """
    if isinstance(release, Loss):
        return release
    if isinstance(release, Guarantee):
        return _pair_of_guarantee(release)
    if isinstance(getattr(release, "pair", None), Loss):
        return release.pair
    if hasattr(release, "channel"):
        return finite_pair(release.channel(), getattr(release, "pairs", None))
    if hasattr(release, "log_probability") and isinstance(release.sensitivity, int):
        return _pair_of_integer_noise(release)
    if isinstance(getattr(release, "privacy", None), Guarantee):
        return _pair_of_guarantee(release.privacy)
    if isinstance(release, list | tuple | np.ndarray):
        return finite_pair(_validate.channel("release", release))
    raise TypeError(
        f"release must be a mechanism, a guarantee, a channel or a pair of laws, got {release!r}"
    )


def _pair_of_guarantee(stated: Guarantee) -> DominatingPair:
    inner = _validate.single_levels(stated.inner if isinstance(stated, Local) else stated)
    if isinstance(inner, Pure | Smooth):
        return ResponsePair(float(inner.pure_epsilon()))
    if isinstance(inner, Approximate):
        return ApproximatePair(inner.epsilon, inner.delta)
    if isinstance(inner, TotalVariation) and inner.alpha < 1:
        return ApproximatePair(0.0, inner.alpha)
    if isinstance(inner, GaussianDP):
        return GaussianPair(inner.mu)
    raise ValueError(
        f"release must promise something that a pair of laws describes, such as Approximate; "
        f"{stated} does not (of zero-concentrated budgets add the levels)"
    )


def _pair_of_integer_noise(mechanism: Any) -> FinitePair:
    """Of integers: the noise, and the noise moved by the sensitivity in one coordinate."""
    step = mechanism.sensitivity
    if step > 1 and not isinstance(getattr(mechanism, "privacy", None), Pure):
        raise ValueError(
            f"release must have sensitivity 1 if its integer noise is not purely private, got "
            f"{step}; for a single number give the FinitePair of the noise and the moved noise"
        )
    reach = 64
    while mechanism.log_probability(reach) > np.log(_DUST) - 7:
        reach *= 2
        _validate.memory("sensitivity", reach + step, 8)
    points = np.arange(-reach, reach + step + 1)
    p = np.exp(mechanism.log_probability(points))
    q = np.exp(mechanism.log_probability(points - step))
    if step > reach:  # so far apart that the middle is dust
        raise ValueError(f"sensitivity must be at most {reach} here, got {step}")
    return FinitePair(*_with_few_losses(p, q))


def _with_few_losses(p: Array, q: Array) -> tuple[Array, Array]:
    """Outcomes of equal losses (to rounding) as one outcome."""
    both = (p > 0) & (q > 0)
    loss = np.log(p[both]) - np.log(q[both])
    kinds, place = np.unique(loss.round(10), return_inverse=True)
    one, other = (np.bincount(place, law[both], len(kinds)) for law in (p, q))
    mean = (one + other[::-1]) / 2  # the noise is symmetric, and so is the loss
    return mean / mean.sum(), mean[::-1] / mean.sum()
