r"""Auditing a mechanism that can only be run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._tails import binomial_bounds
from minimaxdp._types import Array, Real, Rng

__all__ = ["Audit", "audit"]

Mechanism = Callable[[Any, np.random.Generator, int], ArrayLike]

# Ends of the intervals that are tried: pooled quantiles, close together in both tails.
_QUANTILES = np.unique(
    np.concatenate([t := np.geomspace(1e-4, 0.5, 40), 1 - t, np.linspace(0, 1, 41)])
)

# Of the outputs that come more than once, so many of the commonest are tried by themselves.
_MOST_ATOMS = 40


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    Attributes
    ----------
    epsilon : float
        Lower confidence bound on the epsilon of the mechanism, at least 0.
    level : float
        Confidence of the bound.
    event : tuple of float
        The closed interval of outputs that was tested, ends possibly infinite.
    likelier : int
        The input, 0 for the first and 1 for the second, under which the event is likelier.
    hits : tuple of int
        How often the event happened under the first and under the second input, in the runs
        that were not used to choose it.
    runs : int
        How many such runs there were of each.

    Raises
    ------
    TypeError, ValueError
        If a field is no number of its kind or out of its range.
    """

    epsilon: float
    level: float
    event: tuple[float, float]
    likelier: int
    hits: tuple[int, int]
    runs: int

    def __post_init__(self) -> None:
        epsilon = _validate.one_real("epsilon", self.epsilon, minimum=0)
        level = _validate.one_real("level", self.level, above=0, below=1)
        ends = _validate.numbers("event", self.event)
        if ends.shape != (2,) or not ends[0] <= ends[1]:
            raise ValueError(f"event must be an interval (low, high), got {self.event!r}")
        likelier = _validate.one_integer("likelier", self.likelier, minimum=0, maximum=1)
        runs = _validate.one_integer("runs", self.runs, minimum=1)
        if np.shape(_validate.integer("hits", self.hits, minimum=0, maximum=runs)) != (2,):
            raise ValueError(f"hits must be two counts, got {self.hits!r}")
        _validate.freeze(self, epsilon=epsilon, level=level, likelier=likelier, runs=runs)

    def refutes(self, epsilon: float) -> bool:
        """Whether a claimed budget lies below the bound.

        A claim that is true is refuted with probability at most 1 - level.

        Examples
        --------
        >>> Audit(0.9, 0.99, (0.0, 1.0), 0, (50, 10), 100).refutes(0.5)
        True
        """
        return bool(self.epsilon > _validate.one_real("epsilon", epsilon, minimum=0))


def audit(
    mechanism: Mechanism,
    first: Any,
    second: Any,
    *,
    runs: int = 100_000,
    delta: float = 0.0,
    level: float = 0.99,
    rng: Rng = None,
) -> Audit:
    r"""Lower confidence bound on the epsilon of a mechanism, from its outputs alone.

    .. math:: \varepsilon \ge \ln \frac{\underline P(E) - \delta}{\overline{P'}(E)}

    for an interval E chosen on one half of the runs, with Clopper and Pearson's lower bound on
    its probability under one input and their upper bound under the other, both from the other
    half and each at error (1 - level)/2. The bound is valid for every mechanism and sample
    size; how close it comes depends on both.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, rng, size)`` returns `size` independent outputs, real numbers.
    first, second : any
        Two neighbouring inputs, handed to the mechanism as they are.
    runs : int
        Runs on each input, at least 20; half of them choose the event.
    delta : float
        The delta of the claim under audit, from 0 to below 1.
    level : float
        Confidence of the bound, strictly between 0 and 1.
    rng : Generator, int or None
        Source of randomness.

    Returns
    -------
    Audit

    Raises
    ------
    TypeError, ValueError
        If an argument lies outside its range, the runs would not fit memory, or the mechanism
        fails on an input or does not return `size` real numbers for it (NaN is no output).

    Notes
    -----
    An attack on the definition of Smith's slides (claim ``Smith-DP-def``).

    Examples
    --------
    >>> def noisy(x, rng, size):
    ...     return x + rng.laplace(0, 1, size)
    >>> result = audit(noisy, 0.0, 1.0, runs=20_000, rng=1)
    >>> result.refutes(1.0), result.refutes(0.7)
    (False, True)
    """
    mechanism = _validate.function("mechanism", mechanism)
    runs = _validate.one_integer("runs", runs, minimum=20)
    _validate.memory("runs", 2, runs)
    delta = _validate.one_real("delta", delta, minimum=0, below=1)
    level = _validate.one_real("level", level, above=0, below=1)
    rng = _validate.generator(rng)
    outputs = [
        _outputs(mechanism, name, data, rng, runs)
        for name, data in (("first", first), ("second", second))
    ]
    half = runs // 2
    tail = (1 - level) / 2
    event, likelier = _best_interval([part[:half] for part in outputs], delta, tail)
    held = [part[half:] for part in outputs]
    hits = [int(np.count_nonzero((part >= event[0]) & (part <= event[1]))) for part in held]
    size = runs - half
    ordered = hits if likelier == 0 else hits[::-1]
    bound = _log_ratio_bound(np.array(ordered[0]), np.array(ordered[1]), size, delta, tail)
    return Audit(float(bound), level, event, likelier, (hits[0], hits[1]), size)


def _outputs(
    mechanism: Mechanism, name: str, data: Any, rng: np.random.Generator, runs: int
) -> Array:
    try:
        values = np.asarray(mechanism(data, rng, runs))
    except Exception as error:  # whatever the caller's function raises on the caller's data
        raise ValueError(f"mechanism must accept {name}, but raised {error!r}") from error
    if values.dtype.kind not in "biuf":
        raise TypeError(f"mechanism must return real numbers, got type {values.dtype} for {name}")
    values = values.astype(float, copy=False)
    if values.shape != (runs,):
        raise ValueError(
            f"mechanism must return {runs} numbers, got shape {values.shape} for {name}"
        )
    if np.any(np.isnan(values)):
        raise ValueError(f"mechanism must return real numbers, got NaN for {name}")
    return values


def _best_interval(
    outputs: list[Array], delta: float, tail: float
) -> tuple[tuple[float, float], int]:
    """The interval, and the order of the inputs, whose bound on these runs is largest."""
    pooled = np.concatenate(outputs)
    ends, times = np.unique(pooled, return_counts=True)
    if len(ends) > len(_QUANTILES):
        atoms = ends[np.argsort(times)[-_MOST_ATOMS:]]
        atoms = atoms[np.isin(atoms, ends[times > 1])]
        quantiles = np.quantile(pooled, _QUANTILES, method="inverted_cdf")
        ends = np.unique(np.concatenate([quantiles, atoms]))
    ends = np.concatenate([[-np.inf], ends, [np.inf]])
    size = len(outputs[0])
    counts = []
    for part in outputs:
        part = np.sort(part)
        below = np.searchsorted(part, ends, side="left")
        upto = np.searchsorted(part, ends, side="right")
        counts.append(np.maximum(upto[None, :] - below[:, None], 0))
    bounds = np.stack(
        [
            _log_ratio_bound(counts[0], counts[1], size, delta, tail),
            _log_ratio_bound(counts[1], counts[0], size, delta, tail),
        ]
    )
    likelier, i, j = np.unravel_index(np.argmax(bounds), bounds.shape)
    return (float(ends[min(i, j)]), float(ends[max(i, j)])), int(likelier)


def _log_ratio_bound(
    high: NDArray[np.int64], low: NDArray[np.int64], size: int, delta: float, tail: float
) -> Real:
    """ln((lower bound on a mass - delta) / upper bound on another), not below 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lower, upper = binomial_bounds(high, low, size, tail)
        return np.log(np.maximum((lower - delta) / upper, 1.0))
