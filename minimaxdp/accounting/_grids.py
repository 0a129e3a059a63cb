r"""Sums of many privacy losses, enclosed between two roundings of the losses to a grid.

Write x = exp(-L). Then delta(epsilon) is the mean of :math:`(1 - e^\varepsilon x_1 \cdots x_k)_+`,
which is convex and falling in every x. So delta grows if the mass of a cell is moved to the ends
of the cell with its mean of x unchanged, and falls if it is gathered at that mean, or at a smaller
loss. Both laws live on a grid, where sums are convolutions, taken by a fast Fourier transform of
the masses times :math:`e^{\lambda L}`: the tilt brings the tail that decides to the middle, so
that rounding is relative to the delta that is sought.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from minimaxdp._types import Array
from minimaxdp.guarantees import FinitePair, LaplacePair

__all__ = ["DUST", "LARGEST", "SMALLEST", "Plan", "Tail"]

# Mass left out of each release at either end of the support, in all releases together.
DUST = 1e-30
# Mass of the tilted sum that may lie outside the window, as a logarithm.
_OUTSIDE = 50.0
# Tilts among which the best is sought, every twelfth first.
_TILTS, _STRIDE = np.geomspace(1e-5, 1e5, 241), 12
SMALLEST, LARGEST = 2**14, 2**20
_UNIT = 2.0**-53
_FIXED = "without replacement"

Part = tuple[Any, int]


@dataclass(frozen=True)
class Tail:
    """The upper tail of a sum of losses: delta as a function of epsilon, with its error.

    Attributes
    ----------
    losses : ndarray
        Rising values of the sum.
    masses : ndarray
        Their probabilities times exp(tilt (loss - centre)) / scale.
    infinite : float
        Probability of an infinite loss.
    error : float
        To be added (or subtracted, if negative) at the centre.
    """

    losses: Array
    masses: Array
    tilt: float
    centre: float
    log_scale: float
    infinite: float
    error: float
    relative: float

    def __post_init__(self) -> None:
        away = np.clip(self.losses - self.centre, -500 / (1 + self.tilt), None)
        first = self.masses * np.exp(-self.tilt * away)
        second = first * np.exp(-away)
        object.__setattr__(self, "_first", first[::-1].cumsum()[::-1])
        object.__setattr__(self, "_second", second[::-1].cumsum()[::-1])

    @property
    def least(self) -> float:
        """Below this epsilon nothing is known."""
        return self.centre - 400 / (1 + self.tilt)

    def delta(self, epsilon: float) -> float:
        """Between 0 and 1; 1 where nothing is known of an upper bound, 0 of a lower."""
        if epsilon < self.least:
            return 1.0 if self.relative >= 0 else 0.0
        i = int(np.searchsorted(self.losses, epsilon, side="right"))
        tail = 0.0
        if i < len(self.losses):
            away = np.exp(min(epsilon - self.centre, 700.0))
            tail = max(float(self._first[i] - away * self._second[i]), 0.0)  # type: ignore[attr-defined]
        tail += self.error * np.exp(min(-self.tilt * (epsilon - self.centre), 700.0))
        with np.errstate(over="ignore"):
            found = self.infinite + max(tail, 0.0) * np.exp(self.log_scale)
        return float(min(max(found * (1 + self.relative), 0.0), 1.0))

    def epsilon(self, delta: float) -> float:
        """A bound on the least epsilon of at least 0 at which delta is not exceeded.

        The lower end is the largest epsilon found at which delta is surely exceeded.
        """
        low, high = max(0.0, self.least), float(max(self.losses[-1], 0.0)) + 1.0
        if self.error < 0 or self.relative < 0:
            near = np.geomspace(1e-9, 1.0, 60)
            tried = np.concatenate(
                [self.centre - near * self.centre, self.centre + near * (high - self.centre)]
            )
            tried = np.append(tried[(tried > low) & (tried < high)], low)
            tried = np.sort(np.append(tried, np.linspace(low, high, 200)))
            exceeded = [x for x in tried if self.delta(x) > delta]
            if not exceeded:
                return 0.0
            low = float(max(exceeded))
        elif self.delta(low) <= delta:
            return low
        while self.delta(high) > delta:
            if high > 1e7:
                return np.inf
            high *= 2
        for _ in range(100):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            if self.delta(middle) > delta:
                low = middle
            else:
                high = middle
        return low if self.relative < 0 else high


class Plan:
    """How the tail around an epsilon is computed: the tilt, the window and its error bounds.

    Parameters
    ----------
    parts : sequence of (pair, int)
    seek : callable
        Finds the tilt from a list of tilts and the log moments of the sum at them.
    """

    def __init__(self, parts: Sequence[Part], seek: Callable[[Array, Array], float]) -> None:
        self.parts, self.counts = parts, [count for _, count in parts]
        self.supports = [support(pair, DUST / sum(self.counts)) for pair, _ in parts]
        coarse = [
            _rounded_up(pair, low, (high - low) / 2048, 2051)
            for (pair, _), (low, high) in zip(parts, self.supports, strict=True)
        ]

        def log_moment(tilts: Array) -> Any:
            return sum(
                count * _log_moments(grid, tilts)
                for grid, count in zip(coarse, self.counts, strict=True)
            )

        self.tilt = _where_least(lambda tilts: seek(tilts, log_moment(tilts)))
        here = log_moment(np.array([self.tilt]))[0]

        def end(sign: float) -> tuple[float, float]:
            """How far the tilted sum goes up (or down) by Chernoff's bound, and at which tilt."""

            def reach(tilts: Array) -> Any:
                return (log_moment(self.tilt + sign * tilts) - here + _OUTSIDE) / tilts

            best = _where_least(lambda tilts: float(tilts[reach(tilts).argmin()]))
            return float(reach(np.array([best]))[0]), best

        (down, below), (up, above) = end(-1.0), end(1.0)
        self.window, self.ends = (-down, up), (below, above)
        nudge = self.tilt * 1e-6
        self.centre = float((log_moment(np.array([self.tilt + nudge]))[0] - here) / nudge)

    def tails(self, nodes: int) -> tuple[Tail, Tail]:
        """The tail rounded down and up, on so many nodes."""
        widest = max(high - low for low, high in self.supports)
        step = max((self.window[1] - self.window[0]) * 1.02 / nodes, widest / (2 * nodes))
        step = _aligned(self.parts, self.supports, step)
        found = []
        for rounding in (_rounded_down, _rounded_up):
            grids = []
            for (pair, _), (low, high) in zip(self.parts, self.supports, strict=True):
                # Samples of fixed size have an atom at 0, which is to be a node.
                if getattr(pair, "sampling", "") == _FIXED:
                    low = step * np.floor(low / step)
                grids.append(rounding(pair, low, step, int(np.ceil((high - low) / step)) + 2))
            found.append(_convolved(self, grids, step, nodes))
        return found[0], found[1]


@dataclass(frozen=True)
class _Grid:
    """One release: losses base, base + step, ... with probabilities above 0, and the rest."""

    losses: Array
    p: Array
    base: float
    place: Any
    infinite: float
    up: bool


def _tail(pair: Any, x: float) -> float:
    return float(pair.cells(np.array([x, np.inf]))[0][0])


def support(pair: Any, dust: float) -> tuple[float, float]:
    """Ends of the loss beyond which hardly any mass lies."""
    if isinstance(pair, LaplacePair):
        return -pair.epsilon, pair.epsilon
    if isinstance(pair, FinitePair):
        values = pair.losses[0]
        values = values[np.isfinite(values)]
        low, high = float(values[0]), float(values[-1])
        return (low, high) if high > low else (low - 1e-3, high + 1e-3)

    def edge(beyond: Callable[[float], bool], sign: float) -> float:
        far = 1e-6
        while not beyond(sign * far):
            far *= 2
            if far > 1e5:
                raise ValueError("release must have privacy losses below 1e5")
        near = 0.0 if far == 1e-6 else far / 2
        for _ in range(12):
            middle = (near + far) / 2
            near, far = (near, middle) if beyond(sign * middle) else (middle, far)
        return sign * far

    high = edge(lambda x: _tail(pair, x) <= dust, 1.0)
    low = edge(lambda x: float(pair.cells(np.array([-np.inf, x]))[0][0]) <= dust, -1.0)
    return low, high


def _aligned(parts: Sequence[Part], supports: Sequence[tuple[float, float]], step: float) -> float:
    """A step not smaller than a given one by which the atoms of a release fall on the grid."""
    for (pair, _), (low, high) in zip(parts, supports, strict=True):
        spacing = None
        if isinstance(pair, LaplacePair):
            spacing = high - low
        elif isinstance(pair, FinitePair):
            values = pair.losses[0]
            gaps = np.diff(values[np.isfinite(values)])
            gaps = gaps[gaps > 1e-9]
            if len(gaps):
                least = gaps.min()
                if np.allclose(gaps / least, np.round(gaps / least), rtol=0, atol=1e-7):
                    spacing = (high - low) / np.round((high - low) / least)
        if spacing is not None:
            return float(spacing / max(np.floor(spacing / step), 1.0)) if spacing > step else step
    return step


def _rounded_up(pair: Any, low: float, step: float, size: int) -> _Grid:
    """Each cell's mass on the two ends of the cell, with its mean of exp(-L)."""
    nodes = np.asarray(low + step * np.arange(size), dtype=float)
    p, q = pair.cells(np.concatenate([[-np.inf], nodes, [np.inf]]))
    masses = np.zeros(size)
    masses[0] = p[0]  # what lies below the grid
    inner, other = p[1:-1], q[1:-1]
    with np.errstate(over="ignore", invalid="ignore"):
        share = (inner - other * np.exp(nodes[:-1])) / -np.expm1(-step)
    # Where the second law is next to nothing, all of a cell is moved to its upper end.
    share = np.clip(np.where(np.isfinite(share), share, np.inf), 0.0, inner)
    masses[:-1] += inner - share
    masses[1:] += share
    return _made(masses, nodes, p[-1] + pair.impossible, step, True)


def _rounded_down(pair: Any, low: float, step: float, size: int) -> _Grid:
    """Each cell's mass on its middle, or the next one below, all shifted below the means."""
    nodes = np.asarray(low + step * np.arange(size), dtype=float)
    edges = np.append(nodes - step / 2, nodes[-1] + step / 2)
    p, q = pair.cells(np.append(edges, np.inf))
    p, q = p[:-1], q[:-1]
    used = (p > 1e-290) & (q > 1e-290)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where(used, nodes + np.log(q) - np.log(p), 0.0)
    # A shift that all cells need but for those that hardly matter, which move by a whole cell.
    weights = np.where(used, p, 0.0)
    order = np.argsort(-below, kind="stable")
    cost = np.maximum(below[order], 0.0) + step * (weights[order].cumsum() - weights[order])
    shift = max(0.0, float(below[order][cost.argmin()]))
    lower = used & (below > shift)
    masses = np.where(used & ~lower, p, 0.0)
    masses[:-1] += np.where(lower, p, 0.0)[1:]
    return _made(masses, nodes - shift, pair.impossible, step, False)


def _made(masses: Array, nodes: Array, infinite: float, step: float, up: bool) -> _Grid:
    # Masses are right to a few units of rounding over the number of cells, and so are their means.
    slack = (1e-13 + 4 * _UNIT * len(nodes)) * (1 if up else -1)
    kept = np.flatnonzero(masses > 0)
    return _Grid(nodes[kept] + slack, masses[kept], nodes[0] + slack, kept, float(infinite), up)


def _log_moment(grid: _Grid, tilt: float) -> float:
    return float(logsumexp(np.log(grid.p) + tilt * grid.losses))


def _log_moments(grid: _Grid, tilts: Array) -> Array:
    """The same at several tilts, for a search."""
    exponents = np.log(grid.p) + tilts[:, None] * grid.losses
    largest = exponents.max(axis=1, keepdims=True)
    exponents -= largest
    return np.log(np.exp(exponents, out=exponents).sum(axis=1)) + largest[:, 0]


def _where_least(seek: Callable[[Array], float]) -> float:
    """The tilt of all tilts that a search prefers, which falls first and then rises."""
    rough = seek(_TILTS[::_STRIDE])
    near = int(np.searchsorted(_TILTS, rough))
    return seek(_TILTS[max(near - _STRIDE, 0) : near + _STRIDE + 1])


def _power(spectrum: Any, count: int) -> Any:
    """By squaring: each entry is right to `count` roundings of a product, 5**0.5 units each."""
    found = spectrum if count % 2 else np.ones_like(spectrum)
    while count > 1:
        spectrum, count = spectrum * spectrum, count // 2
        if count % 2:
            found = found * spectrum
    return found


def _norm(masses: Any) -> float:
    """The root of the sum of squares, without the threads of a matrix library."""
    return float(np.sqrt(np.square(masses).sum()))


def _convolved(plan: Plan, grids: Sequence[_Grid], step: float, nodes: int) -> Tail:
    counts, tilt, start = plan.counts, plan.tilt, plan.window[0]
    up = grids[0].up
    spectrum: Any = np.ones(nodes // 2 + 1, dtype=complex)
    log_scale, base, finite = 0.0, 0.0, 0.0
    rounding = 0.0  # of all masses, as the norm of a vector
    for grid, count in zip(grids, counts, strict=True):
        log_moment = _log_moment(grid, tilt)
        tilted = np.bincount(
            grid.place % nodes, np.exp(np.log(grid.p) + tilt * grid.losses - log_moment), nodes
        )
        spectrum = spectrum * _power(np.fft.rfft(tilted), count)
        log_scale += count * log_moment
        base += count * grid.base
        finite += count * np.log1p(-grid.infinite) if grid.infinite < 1 else -np.inf
        # A transform errs by 8 units of rounding for each of its layers, relative to the norm
        # (Higham 2002, Theorem 24.2), and no other factor of the product exceeds 1.
        rounding += count * 8 * _UNIT * np.log2(nodes) * _norm(tilted)
    masses = np.fft.irfft(spectrum, nodes)
    first = int(np.floor((start - base) / step))
    masses = np.roll(masses, -(first % nodes))
    losses = np.asarray(base + step * (first + np.arange(nodes)), dtype=float)
    # What lies outside the window has come in at the other end.
    here = sum(c * _log_moment(g, tilt) for g, c in zip(grids, counts, strict=True))
    above, below = (
        sum(c * _log_moment(g, tilt + t) for g, c in zip(grids, counts, strict=True)) - here - t * x
        for t, x in ((plan.ends[1], losses[-1] + step), (-plan.ends[0], losses[0]))
    )
    outside = float(np.exp(min(above, 0.0)) + np.exp(min(below, 0.0)))
    # A weight exp(-tilt u)(1 - exp(-u)) is at most this, and its root of a sum of squares this.
    most = (tilt / (1 + tilt)) ** tilt / (1 + tilt)
    u = step * np.arange(nodes)
    square = np.sqrt((np.exp(-2 * tilt * u) * (1 - np.exp(-u)) ** 2).sum())
    total = sum(counts)
    rounding += 8 * _UNIT * (np.log2(nodes) + total) * _norm(masses)
    error = float(rounding * square + outside * most)
    return Tail(
        losses,
        np.maximum(masses, 0.0),
        tilt,
        plan.centre,
        float(log_scale - tilt * plan.centre),
        float(-np.expm1(finite)),
        error if up else -error,
        (1 if up else -1) * (1e-9 + 1e-12 * total),
    )
