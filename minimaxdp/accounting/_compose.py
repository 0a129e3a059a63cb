r"""Composition: what a sequence of releases promises, as a certified interval."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from minimaxdp import _validate
from minimaxdp._tails import log_moment_factor
from minimaxdp._types import Array, Real
from minimaxdp.accounting._grids import LARGEST, SMALLEST, Part, Plan, Tail
from minimaxdp.accounting._pairs import Loss, dominating_pair
from minimaxdp.guarantees import (
    Approximate,
    FinitePair,
    GaussianPair,
    Guarantee,
    gaussian_delta,
    gaussian_epsilon,
)

__all__ = ["Composition", "Interval", "compose"]

_MOST_RELEASES = 10_000
# Enumerated outcomes of finite losses, and how many values a loss may have for it.
_MOST_COUNTS, _MOST_VALUES = 2_000_000, 8
# Rounding of closed forms and of sums over counts.
_RELATIVE = 1e-9
_LEAST_DELTA = 1e-25


class Interval(NamedTuple):
    """A number that lies between two others; the upper one is safe to promise.

    Attributes
    ----------
    low, high : float or ndarray
    """

    low: Any
    high: Any


def compose(releases: Any, *, times: int = 1, relation: str | None = None) -> Composition:
    r"""What several releases about the same people promise together.

    Each release may be chosen after the earlier outputs were seen.

    Parameters
    ----------
    releases : Mechanism, Guarantee, DominatingPair, or a list of them
        See :func:`dominating_pair`; and :class:`Subsampled`.
    times : int
        How often the whole list is run, at least 1; at most ten thousand releases in all.
    relation : {"replacement", "add-remove"}, optional
        Which inputs are neighbours, where the releases do not say: the sensitivity of added
        noise is then the one under this relation.

    Returns
    -------
    Composition
        With `epsilon(delta)`, `delta(epsilon)` and `guarantee(...)`.

    Raises
    ------
    TypeError, ValueError
        If a release says nothing of its loss, two of them have different relations of
        neighbours, or there are too many.

    Notes
    -----
    Losses of independent releases add up; adaptive ones are dominated by the product of their
    pairs (Zhu, Dong and Wang 2022).

    Examples
    --------
    >>> from minimaxdp.guarantees import GaussianDP, Pure
    >>> low, high = compose(Pure(0.1), times=10).epsilon(delta=1e-6)
    >>> round(high, 4), high - low < 1e-9
    (0.9994, True)
    >>> print(compose([Pure(0.1), GaussianDP(0.2)], times=5).guarantee(delta=1e-6))
    (2.22564, 1e-06)-DP
    """
    times = _validate.one_integer("times", times, minimum=1, maximum=_MOST_RELEASES)
    listed = _listed(releases)
    if not listed:
        raise ValueError("releases must hold at least one release")
    if len(listed) * times > _MOST_RELEASES:
        raise ValueError(
            f"releases must be at most {_MOST_RELEASES} in all, got {len(listed) * times}"
        )
    found = _relation(listed, relation)
    counts: dict[Any, int] = {}
    known: dict[Any, Any] = {}
    # Thousands of releases are mostly one object, which is hashed once.
    occurs = Counter(map(id, listed))
    for release in {id(release): release for release in listed}.values():
        key = _key(release)
        if key not in known:
            try:
                known[key] = dominating_pair(release)
            except (TypeError, ValueError) as error:
                raise type(error)(f"releases must each have a privacy loss: {error}") from None
        pair = known[key]
        counts[pair] = counts.get(pair, 0) + times * occurs[id(release)]
    return Composition(tuple(counts.items()), found)


def _key(release: Any) -> Any:
    """Equal releases have one pair; what has no hash, such as an array, equals itself alone."""
    try:
        hash(release)
    except TypeError:
        return id(release)
    return release


def _listed(releases: Any) -> list[Any]:
    """The releases one by one: a list of numbers is a channel."""
    if isinstance(releases, np.ndarray) or not isinstance(releases, list | tuple):
        return [releases]
    first: Any = releases[0] if releases else None
    is_row = isinstance(first, list | tuple) or getattr(first, "ndim", 0) == 1
    is_channel = is_row and all(isinstance(p, numbers.Real) for p in first)
    return [releases] if is_channel else list(releases)


def _relation(listed: list[Any], wanted: str | None) -> Any:
    if wanted is not None:
        _validate.choice("relation", wanted, ("replacement", "add-remove"))
    stated = set()
    for release in {id(release): release for release in listed}.values():
        own = getattr(release, "relation", None)
        if own is None and isinstance(getattr(release, "privacy", None), Guarantee):
            own = release.privacy.relation
            if wanted is not None and hasattr(release, "sensitivity"):
                own = wanted
        if own is not None:
            stated.add(own)
    if wanted is not None and stated - {wanted}:
        raise ValueError(f"relation must be that of the releases, {stated}, got {wanted!r}")
    if len(stated) > 1:
        raise ValueError(
            "releases must have one relation of neighbours, got replacement and add-remove; "
            "relation=... says under which the sensitivities of added noise are meant"
        )
    return stated.pop() if stated else wanted or "replacement"


def _merged(counts: dict[Any, int]) -> tuple[Part, ...]:
    """Normal losses are one normal loss."""
    normal = [(pair.mu, count) for pair, count in counts.items() if isinstance(pair, GaussianPair)]
    rest = [part for part in counts.items() if not isinstance(part[0], GaussianPair)]
    if normal:
        mu = float(np.sqrt(sum(count * mu**2 for mu, count in normal)))
        rest.append((GaussianPair(mu), 1))
    return tuple(rest)


@dataclass(frozen=True)
class Composition:
    """Several releases together; made by :func:`compose`.

    Parameters
    ----------
    parts : tuple of (pair, int)
        The pairs of laws, each with how often it occurs.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If a part is not a pair of laws with a positive number.

    Examples
    --------
    >>> from minimaxdp.guarantees import GaussianPair
    >>> several = Composition(((GaussianPair(1.0), 4),))
    >>> round(several.delta(1.0).high, 6)
    0.509862
    """

    parts: tuple[Part, ...]
    relation: str = "replacement"

    def __post_init__(self) -> None:
        if not isinstance(self.parts, tuple) or not self.parts:
            raise TypeError(f"parts must be a tuple of pairs with numbers, got {self.parts!r}")
        for part in self.parts:
            if not isinstance(part, tuple) or len(part) != 2 or not isinstance(part[0], Loss):
                raise TypeError(f"parts must be pairs of laws with numbers, got {part!r}")
            _validate.one_integer("parts", part[1], minimum=1, maximum=_MOST_RELEASES)
        _validate.choice("relation", self.relation, ("replacement", "add-remove"))
        counts: dict[Any, int] = {}
        for pair, count in self.parts:
            counts[pair] = counts.get(pair, 0) + count
        _validate.freeze(self, parts=_merged(counts))

    @property
    def _orders(self) -> list[tuple[Part, ...]]:
        """The parts, and the parts with every pair swapped unless that changes nothing."""
        swapped = tuple((pair.swapped, count) for pair, count in self.parts)
        same = all(a is b for (a, _), (b, _) in zip(self.parts, swapped, strict=True))
        return [self.parts] if same else [self.parts, swapped]

    @property
    def pure_epsilon(self) -> float:
        """The sum of the largest losses: pure privacy, or infinite where there is none."""
        return max(sum(count * _largest(pair) for pair, count in parts) for parts in self._orders)

    def delta(self, epsilon: ArrayLike, *, rtol: float = 1e-3) -> Interval:
        """Least delta at each epsilon, as an interval.

        Parameters
        ----------
        epsilon : array_like
            Nats, from 0 to 700.
        rtol : float
            Relative width that is aimed at, from 1e-6 to 1.

        Returns
        -------
        Interval
            The upper end is never below the truth. Below 1e-25 the lower end is 0.

        Examples
        --------
        >>> from minimaxdp.guarantees import LaplacePair
        >>> low, high = compose(LaplacePair(0.1), times=100).delta([0.5, 2.0])
        >>> high.round(6).tolist(), bool(np.all(high - low < 1e-3 * high))
        ([0.232206, 0.018576], True)
        """
        epsilon = _validate.real("epsilon", epsilon, minimum=0, maximum=700)
        rtol = _validate.one_real("rtol", rtol, minimum=1e-6, maximum=1)
        return _each(epsilon, lambda e: self._one_delta(e, rtol))

    def epsilon(self, delta: ArrayLike, *, rtol: float = 1e-3) -> Interval:
        """Least epsilon at each delta, as an interval.

        Parameters
        ----------
        delta : array_like
            From 1e-25 to below 1, or 0 for pure privacy.
        rtol : float
            Relative width that is aimed at, from 1e-6 to 1.

        Returns
        -------
        Interval
            Nats; the upper end is never below the truth, and infinite where no epsilon will do.

        Examples
        --------
        >>> from minimaxdp.guarantees import LaplacePair
        >>> low, high = compose(LaplacePair(0.1), times=1000).epsilon(1e-6)
        >>> round(high, 3), high - low < 1e-3 * high
        (18.95, True)
        """
        delta = _validate.real("delta", delta, minimum=0, below=1)
        if np.any((np.asarray(delta) > 0) & (np.asarray(delta) < _LEAST_DELTA)):
            raise ValueError(f"delta must be 0 or at least {_LEAST_DELTA:g}, got {delta}")
        rtol = _validate.one_real("rtol", rtol, minimum=1e-6, maximum=1)
        return _each(delta, lambda d: self._one_epsilon(d, rtol))

    def guarantee(self, *, epsilon: float | None = None, delta: float | None = None) -> Guarantee:
        """The promise at one epsilon or delta, with the safe end of the interval.

        Parameters
        ----------
        epsilon, delta : float
            One of them.

        Returns
        -------
        Approximate

        Raises
        ------
        ValueError
            If not exactly one of them is given, or the other would be a delta of 1, to the last
            digit of a double, or an epsilon above 700.

        Examples
        --------
        >>> from minimaxdp.guarantees import GaussianDP
        >>> print(compose(GaussianDP(0.1), times=25).guarantee(delta=1e-6))
        (2.25408, 1e-06)-DP
        """
        if (epsilon is None) == (delta is None):
            raise ValueError("epsilon or delta must be given, and not both")
        theorem = "the privacy loss of the composition, rounded up"
        if delta is None:
            epsilon = _validate.one_real("epsilon", epsilon, minimum=0, maximum=700)
            delta = self.delta(epsilon).high
            if delta >= 1:
                raise ValueError(f"epsilon must leave a delta below 1, got {epsilon}")
        else:
            delta = _validate.one_real("delta", delta, minimum=0, below=1)
            epsilon = self.epsilon(delta).high
            if epsilon > 700:
                raise ValueError(f"delta must leave an epsilon of at most 700, got {delta}")
        return Approximate(epsilon, delta, relation=self.relation, theorem=theorem)  # type: ignore[arg-type]

    @property
    def _tells_all(self) -> bool:
        """Whether no output of some release is possible under both inputs."""
        # A sample of everybody is no sample.
        whole = [pair.base if getattr(pair, "rate", 0) == 1 else pair for pair, _ in self.parts]
        finite = [pair.losses[0] for pair in whole if isinstance(pair, FinitePair)]
        return any(not np.isfinite(losses).any() for losses in finite)

    def _one_delta(self, epsilon: float, rtol: float) -> Interval:
        if self._tells_all:
            return Interval(1.0, 1.0)
        found = [_delta(parts, epsilon, rtol) for parts in self._orders]
        return Interval(max(f.low for f in found), max(f.high for f in found))

    def _one_epsilon(self, delta: float, rtol: float) -> Interval:
        pure = self.pure_epsilon
        if delta == 0:
            return Interval(pure, pure * (1 + 1e-12))
        if self._tells_all:
            return Interval(np.inf, np.inf)
        found = [_epsilon(parts, delta, rtol) for parts in self._orders]
        low, high = max(f.low for f in found), max(f.high for f in found)
        return Interval(low, min(high, pure * (1 + 1e-12)))


def _each(values: Real, one: Callable[[float], Interval]) -> Interval:
    flat = [one(float(value)) for value in np.ravel(values)]
    if np.ndim(values) == 0:
        return flat[0]
    low, high = (np.reshape([f[i] for f in flat], np.shape(values)) for i in (0, 1))
    return Interval(low, high)


def _largest(pair: Any) -> float:
    """The largest loss, infinite if there is none."""
    if pair.impossible > 0:
        return np.inf
    if isinstance(pair, FinitePair):
        return float(pair.losses[0][-1])
    if isinstance(pair, GaussianPair):
        return np.inf
    if hasattr(pair, "base"):
        inner = _largest(pair.base)
        if pair.sampling == "poisson" and pair.reverse:  # the least loss of the other order
            return float(-np.log1p(pair.rate * np.expm1(-inner))) if pair.rate < 1 else inner
        return float(np.log1p(pair.rate * np.expm1(inner))) if inner < 700 else inner
    return float(pair.renyi(np.inf))


def _delta(parts: tuple[Part, ...], epsilon: float, rtol: float) -> Interval:
    if len(parts) == 1 and isinstance(parts[0][0], GaussianPair):
        exact = float(gaussian_delta(epsilon, 1 / parts[0][0].mu))
        return Interval(exact * (1 - _RELATIVE), min(exact * (1 + _RELATIVE), 1.0))

    def seek(tilts: Array, moments: Array) -> float:
        return float(tilts[(moments - tilts * epsilon + log_moment_factor(np.log(tilts))).argmin()])

    def wide(found: Interval, times: float) -> bool:
        return found.high - found.low > times * rtol * found.high and found.high >= _LEAST_DELTA

    return _refined(parts, seek, lambda tail: tail.delta(epsilon), Interval(0.0, 1.0), wide)


def _epsilon(parts: tuple[Part, ...], delta: float, rtol: float) -> Interval:
    if len(parts) == 1 and isinstance(parts[0][0], GaussianPair):
        exact = float(gaussian_epsilon(delta, 1 / parts[0][0].mu))
        return Interval(exact * (1 - _RELATIVE), exact * (1 + _RELATIVE))

    def seek(tilts: Array, moments: Array) -> float:
        bounds = moments + log_moment_factor(np.log(tilts)) - np.log(delta)
        return float(tilts[(bounds / tilts).argmin()])

    def wide(found: Interval, times: float) -> bool:
        return found.high - found.low > times * rtol * found.high

    return _refined(parts, seek, lambda tail: tail.epsilon(delta), Interval(0.0, np.inf), wide)


def _refined(
    parts: tuple[Part, ...],
    seek: Callable[[Array, Array], float],
    read: Callable[[Tail], float],
    known: Interval,
    wide: Callable[[Interval, float], bool],
) -> Interval:
    """A number read off the law of the loss: by counts, or on grids ever finer while it is wide."""
    counted = _by_counts(parts)
    if counted is not None:
        return Interval(*map(read, counted))
    plan, nodes = Plan(parts, seek), SMALLEST
    while nodes <= LARGEST:
        down, up = plan.tails(nodes)
        known = Interval(max(known.low, read(down)), min(known.high, read(up)))
        if not wide(known, 1):
            break
        nodes *= 4 if wide(known, 4) else 2  # the width falls as the square of the step
    return known


def _by_counts(parts: tuple[Part, ...]) -> tuple[Tail, Tail] | None:
    """Exact law of the sum by how often each value of a loss occurs, where these are few."""
    outcomes = 1
    for pair, count in parts:
        if not isinstance(pair, FinitePair):
            return None
        values = int(np.isfinite(pair.losses[0]).sum())
        if values > _MOST_VALUES:
            return None
        outcomes *= comb(count + values - 1, values - 1)
        if outcomes > _MOST_COUNTS:
            return None
    losses, logs, finite = np.zeros(1), np.zeros(1), 0.0
    for pair, count in parts:
        values, masses = pair.losses
        possible = np.isfinite(values)
        values, masses = values[possible], masses[possible]
        finite += count * np.log1p(-pair.impossible)
        table = _counts(count, len(values))
        own = table @ values
        chance = gammaln(count + 1) - gammaln(table + 1).sum(axis=1) + table @ np.log(masses)
        losses = np.add.outer(losses, own).ravel()
        logs = np.add.outer(logs, chance).ravel()
    order = np.argsort(losses, kind="stable")
    losses, masses = losses[order], np.exp(logs[order])
    slack = 1e-12 * max(1.0, float(abs(losses).max()))
    infinite = float(-np.expm1(finite))
    down, up = (
        Tail(losses + sign * slack, masses, 0.0, 0.0, 0.0, infinite, 0.0, sign * _RELATIVE)
        for sign in (-1, 1)
    )
    return down, up


def _counts(total: int, kinds: int) -> Array:
    """All ways to spread a total over kinds, one a row."""
    table = np.arange(total + 1)[:, None]
    for _ in range(kinds - 2):
        left = total - table.sum(axis=1)
        rows = np.repeat(np.arange(len(table)), left + 1)
        last = np.arange(len(rows)) - np.repeat((left + 1).cumsum() - (left + 1), left + 1)
        table = np.column_stack([table[rows], last])
    if kinds == 1:
        return np.full((1, 1), float(total))
    return np.column_stack([table, total - table.sum(axis=1)]).astype(float)
