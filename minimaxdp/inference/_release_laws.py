"""The law of a released count: a binomial count plus the noise of a curator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import elementwise

from minimaxdp import _validate
from minimaxdp._types import Array, Real
from minimaxdp.inference._binomial import (
    LEAST_EPSILON,
    SCALE,
    decayed_sums,
    exp_product,
    scaled_probabilities,
    windowed_sums,
)
from minimaxdp.inference._tulap import Tulap

__all__ = ["LaplaceRelease", "TulapRelease", "release_law"]

# Arrays of the length of a table that stand beside each other while it is made.
_TABLES = 10


@dataclass(frozen=True)
class _Release(ABC):
    n: int
    theta: float
    epsilon: float
    _scaled: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        n = _validate.one_integer("n", self.n, minimum=1)
        theta = _validate.one_real("theta", self.theta, minimum=0, maximum=1)
        epsilon = _validate.one_epsilon(self.epsilon, minimum=LEAST_EPSILON)
        _validate.memory("n", _TABLES, n)
        _validate.freeze(self, n=n, theta=theta, epsilon=epsilon)
        _validate.freeze(self, _scaled=scaled_probabilities(n, theta))
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Tabulate what does not depend on the released value."""

    @abstractmethod
    def _tail(self, z: Array, upward: bool) -> Array:
        """SCALE times the probability at or beyond z, on one side."""

    @abstractmethod
    def _inverse(self, p: Array, upward: bool) -> Array:
        """The z beyond which, on one side, there is the probability p, at most 1/2."""

    def probabilities(self) -> Array:
        """Of the true count: Binomial(n, theta) at 0, ..., n."""
        return self._scaled / SCALE

    def sf(self, z: ArrayLike) -> Real:
        """Probability that the released count is at least z, accurate in the far tail.

        Parameters
        ----------
        z : array_like
            Real numbers, any shape; infinities are allowed here.

        Returns
        -------
        float or ndarray, same shape
        """
        z = _released("z", z)
        tail = self._tail(np.where(np.isinf(z), 0.0, z), True) / SCALE
        return np.where(np.isinf(z), z < 0, np.minimum(tail, 1.0))[()]

    def cdf(self, z: ArrayLike) -> Real:
        """Probability that the released count is at most z, accurate in the far tail.

        Parameters
        ----------
        z : array_like

        Returns
        -------
        float or ndarray, same shape
        """
        z = _released("z", z)
        tail = self._tail(np.where(np.isinf(z), 0.0, z), False) / SCALE
        return np.where(np.isinf(z), z > 0, np.minimum(tail, 1.0))[()]

    def isf(self, probability: ArrayLike) -> Real:
        """The z with sf(z) = probability: in closed form, or by bracketed root finding."""
        p = np.asarray(_validate.real("probability", probability, above=0, below=1))
        return self._from_smaller(p, True)

    def quantile(self, probability: ArrayLike) -> Real:
        """The z with cdf(z) = probability.

        Examples
        --------
        >>> round(float(LaplaceRelease(100, 0.5, epsilon=1.0).quantile(0.5)), 6)
        50.0
        """
        p = np.asarray(_validate.real("probability", probability, above=0, below=1))
        return self._from_smaller(p, False)

    def _from_smaller(self, p: Array, upward: bool) -> Real:
        here = self._inverse(np.minimum(p, 0.5), upward)
        return np.where(p <= 0.5, here, self._inverse(np.minimum(1 - p, 0.5), not upward))[()]


@dataclass(frozen=True)
class TulapRelease(_Release):
    r"""A binomial count plus Tulap noise.

    .. math:: Y = X + N, \qquad X \sim \mathrm{Bin}(n, \theta), \quad
              N \sim \mathrm{Tulap}(0, e^{-\varepsilon}, q)

    Building it costs O(n), and then O(1) for each released value: X plus a whole number of
    cells is tabulated, and a released value falls into a cell at some share of it.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    theta : float
        Proportion of the population, in [0, 1].
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700.
    delta : float
        From 0 to 1 (1 excluded). At 0 the noise is not cut, and its reach, kept in the table, is
        infinite. With delta > 0, O(n) becomes O(n) times the width of the noise.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or the tables would not fit into memory.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-UMP-pvalue``).

    Examples
    --------
    >>> law = TulapRelease(100, 0.3, epsilon=1.0)
    >>> f"{law.sf(40.2):.4f} {law.sf(600.0):.3e}"
    '0.0185 1.505e-243'
    """

    delta: float = 0.0
    _parts: dict[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        noise = Tulap(self.epsilon, self.delta)
        last, _ = noise.cut()
        if np.isfinite(last):
            n = _validate.one_integer("n", self.n, minimum=1)
            _validate.memory("n and delta", _TABLES, n + 2 * last)
        _validate.freeze(self, delta=noise.delta)
        super().__post_init__()

    def _prepare(self) -> None:
        noise, p = Tulap(self.epsilon, self.delta), self._scaled
        last, share = noise.cut()
        parts: dict[str, Any] = {"noise": noise, "last": last, "share": share, "low": 0}
        if np.isinf(last):
            below, above = _decayed(p, self.epsilon)
            # Counts above k first fall by one step: the count k itself is in `below`.
            cells = noise.cell * (below + np.append(above[1:], 0.0) * noise.b)
            past = noise.b / (1 + noise.b)
            parts |= {"first": above[0], "end": below[-1], "cells": cells}
            parts |= _tables("", cells, above[0] * past, below[-1] * past)
        else:
            cells = np.zeros(1)
            if last > 0:  # the cells -(last - 1), ..., n + last - 1 are hit by whole cells
                width = int(last)
                cells = np.pad(windowed_sums(p, self.epsilon, width), (width - 1, 0))
                if width > 1:
                    back = windowed_sums(p[::-1], self.epsilon, width - 1)[::-1]
                    cells[: back.size] += noise.b * back
            cells = cells * noise.cell
            parts |= {"low": 1 - int(max(last, 1)), "cells": cells}
            parts |= _tables("", cells) | _tables("count ", p)
        _validate.freeze(self, _parts=parts)

    def _tail(self, z: Array, upward: bool) -> Array:
        parts, k = self._parts, np.rint(z)
        rest = 0.5 + np.where(upward, k - z, z - k)  # share of the cell in the tail
        total = _beyond(parts, "", k - parts["low"], upward)
        total = total + rest * _at(parts["cells"], k - parts["low"])
        if np.isfinite(parts["last"]):
            return (total + self._edges(z - k, k, upward)) / parts["noise"].kept
        steps = np.where(upward, k - self.n, -k)  # past the end on the side of the tail
        far = parts["end" if upward else "first"] * self._step(steps, rest)
        near = parts["first" if upward else "end"] * self._step(-self.n - steps, 1 - rest)
        return np.select([steps > 0, steps < -self.n], [far, SCALE - near], total)

    def _step(self, steps: Array, rest: Array) -> Array:
        noise = self._parts["noise"]
        decay = exp_product(self.epsilon, np.maximum(steps, 0))
        return decay * (noise.b - rest * np.expm1(-self.epsilon)) / (1 + noise.b)

    def _edges(self, f: Array, k: Array, upward: bool) -> Array:
        """What the two cells that are cut contribute, all terms positive."""
        parts, total = self._parts, np.zeros(np.shape(k))
        last, share = parts["last"], parts["share"]
        height = parts["noise"].cell * exp_product(self.epsilon, last)
        for side in (-1, 1) if last > 0 else (0,):
            # This piece of the noise lies at side * last + [low, high].
            low = -0.5 if side > 0 else 0.5 - share
            high = 0.5 if side < 0 else share - 0.5
            f_inside = np.clip(f, low, high)
            kept = high - f_inside if upward else f_inside - low
            at = k - side * last
            total = total + height * (high - low) * _beyond(parts, "count ", at, upward)
            total = total + height * kept * _at(self._scaled, at)
        return total

    def _inverse(self, p: Array, upward: bool) -> Array:
        parts, noise = self._parts, self._parts["noise"]
        if np.isfinite(parts["last"]):
            return self._root(p, upward)
        # A table that decreases away from the other tail, and the cell in which p is reached.
        table, cells, end = parts["beyond"], parts["cells"], parts["end"]
        if not upward:
            table, cells, end = parts["before"][::-1], cells[::-1], parts["first"]
        goal = p * SCALE
        k = np.clip(np.searchsorted(-table, -goal) - 1, 0, self.n)
        z = k + 0.5 - (goal - table[k + 1]) / np.maximum(cells[k], 1e-300)
        # Beyond the table it is the noise alone that reaches so far.
        beyond = goal < table[-1]
        end = max(end, 1e-300)
        far = self.n + noise.isf(np.where(beyond, goal, 0.25 * end) / end)
        z = np.where(beyond, far, z)
        return z if upward else self.n - z

    def _root(self, p: Array, upward: bool) -> Array:
        reach = self._parts["noise"].isf(p)  # noise alone, and n plus noise, lie on either side
        tail = lambda z: self.sf(z) if upward else self.cdf(z)  # noqa: E731
        gap = lambda z, p: np.log(np.maximum(tail(z), 5e-324)) - np.log(p)  # noqa: E731
        slack = np.maximum(1e-9, 1e-14 * abs(reach))
        low, high = reach - slack, reach + self.n + slack
        bracket = (low, high) if upward else (self.n - high, self.n - low)
        return elementwise.find_root(gap, bracket, args=(p,)).x


@dataclass(frozen=True)
class LaplaceRelease(_Release):
    r"""A binomial count plus Laplace noise.

    .. math:: Z = X + L, \qquad X \sim \mathrm{Bin}(n, \theta), \quad
              L \sim \mathrm{Lap}(1/\varepsilon)

    Divided by n it is the private proportion of the slides.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    theta : float
        Proportion of the population, in [0, 1].
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or the tables would not fit into memory.

    Notes
    -----
    Boulaguiem's slides (claims ``Boul-DPprop``, ``Boul-normal``).

    Examples
    --------
    >>> law = LaplaceRelease(100, 0.3, epsilon=1.0)
    >>> f"{law.sf(40.0):.4f}"
    '0.0205'
    """

    _parts: dict[str, Any] = field(init=False, repr=False, compare=False)

    def _prepare(self) -> None:
        below, above = _decayed(self._scaled, self.epsilon)
        parts = {"below": below, "above": above} | _tables("", self._scaled)
        _validate.freeze(self, _parts=parts)

    def _tail(self, z: Array, upward: bool) -> Array:
        parts = self._parts
        k = np.clip(np.floor(z), -1, self.n)  # counts up to k lie at or below z
        under = _at(parts["below"], k) * exp_product(self.epsilon, np.maximum(z - k, 0))
        over = _at(parts["above"], k + 1) * exp_product(self.epsilon, np.maximum(k + 1 - z, 0))
        reach, miss = (under, over) if upward else (over, under)
        # miss / 2 is at most half of what it is taken from: no digits are lost.
        return 0.5 * reach + (_beyond(parts, "", np.where(upward, k, k + 1), upward) - 0.5 * miss)

    def _inverse(self, p: Array, upward: bool) -> Array:
        parts = self._parts
        under, over, table = parts["below"], parts["above"], parts["beyond"]
        if not upward:
            under, over, table = over[::-1], under[::-1], parts["before"][::-1]
        goal, decay = p * SCALE, exp_product(self.epsilon, 1)
        # Tails at the whole numbers; between two of them the tail is a w + c - b / w.
        tails = 0.5 * under + (table[1:] - 0.5 * np.append(over[1:] * decay, 0.0))
        k = np.clip(np.searchsorted(-tails, -goal) - 1, -1, self.n)
        a, c = 0.5 * _at(under, k), table[k + 1] - goal
        b = 0.5 * _at(over, k + 1) * np.where(k >= 0, decay, 1.0)
        # a w^2 + c w - b = 0 for w = exp(-epsilon (z - k)), without cancellation
        root = np.hypot(c, 2 * np.sqrt(a) * np.sqrt(b))
        with np.errstate(divide="ignore", invalid="ignore"):
            w = np.where(c > 0, 2 * b / (c + root), (root - c) / (2 * a))
        # Below 0 there is no count under z; w is then measured from 0.
        z = np.where(k >= 0, k, 0) - np.log(w) / self.epsilon
        return z if upward else self.n - z


def release_law(
    n: int, theta: float, epsilon: float, delta: float, noise: str
) -> TulapRelease | LaplaceRelease:
    """With Tulap noise, or with Laplace noise, by which all other methods release."""
    if noise == "tulap":
        return TulapRelease(n, float(theta), epsilon, delta)
    return LaplaceRelease(n, float(theta), epsilon)


def _decayed(p: Array, epsilon: float) -> tuple[Array, Array]:
    """Geometric sums over the counts up to k, and from k on."""
    return decayed_sums(p, epsilon), decayed_sums(p[::-1], epsilon)[::-1]


def _tables(name: str, values: Array, before: float = 0.0, after: float = 0.0) -> dict[str, Array]:
    """Sums of the first i values, and of those from i on, each from its small end."""
    return {
        name + "before": np.cumsum(np.append(before, values)),
        name + "beyond": np.cumsum(np.append(after, values[::-1]))[::-1],
    }


def _beyond(parts: dict[str, Any], name: str, at: Array, upward: bool) -> Array:
    """Sum of the values at indices above `at`, or below it."""
    table = parts[name + ("beyond" if upward else "before")]
    return table[np.clip(at + 1 if upward else at, 0, table.size - 1).astype(int)]


def _at(values: Array, at: NDArray[Any]) -> Array:
    """values[at], and zero where there is no such index."""
    inside = (at >= 0) & (at < values.size)
    return np.where(inside, values[np.clip(at, 0, values.size - 1).astype(int)], 0.0)


def _released(name: str, z: ArrayLike) -> Array:
    z = _validate.numbers(name, z).astype(float)
    _validate.real(name, np.where(np.isinf(z), 0.0, z))
    return z
