"""Risks by simulation, with their standard errors, and the exponents fitted to them.

A simulated number never stands alone here: :func:`monte_carlo` returns it with its standard
error, and :meth:`MonteCarlo.agrees_with` turns a comparison into a test with a stated error rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing import Pool
from os import cpu_count
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate

__all__ = ["Exponent", "MonteCarlo", "PowerLaw", "fit_power_law", "monte_carlo"]

Loss = Callable[[np.random.Generator, int], ArrayLike]
MapLike = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True)
class MonteCarlo:
    """Average of independent replications.

    Attributes
    ----------
    mean : float or ndarray
        The average, one number for each column of the simulated losses.
    standard_error : float or ndarray
        Its estimated standard deviation.
    replications : int
        How many replications were averaged.
    """

    mean: Any
    standard_error: Any
    replications: int

    def interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """Student's t interval for the expected loss.

        Parameters
        ----------
        level : float
            Coverage, strictly between 0 and 1 (exact for normal losses).

        Returns
        -------
        (low, high)

        Raises
        ------
        ValueError
            If the level lies outside (0, 1).

        Examples
        --------
        >>> low, high = MonteCarlo(1.0, 0.1, 10_000).interval(0.95)
        >>> f"{low:.3f} {high:.3f}"
        '0.804 1.196'
        """
        level = _validate.real("level", level, above=0, below=1)
        reach = scipy.stats.t.isf((1 - level) / 2, self.replications - 1) * self.standard_error
        return self.mean - reach, self.mean + reach

    def z_score(self, value: ArrayLike) -> Any:
        """How many standard errors the average lies above a value.

        Examples
        --------
        >>> float(MonteCarlo(1.5, 0.25, 100).z_score(1.0))
        2.0
        """
        return (self.mean - np.asarray(value)) / self.standard_error

    def agrees_with(self, value: ArrayLike, *, error_rate: float = 1e-6) -> bool:
        """Whether a claimed expectation survives a two-sided t test.

        Where several columns are tested at once the rate is split among them (Bonferroni),
        so that `error_rate` bounds the chance that any true claim is rejected.

        Parameters
        ----------
        value : array_like
            The claimed expectation, one for each column.
        error_rate : float
            Probability of rejecting a true claim, for losses with a normal average.

        Returns
        -------
        bool

        Raises
        ------
        ValueError
            If the error rate lies outside (0, 1).

        Examples
        --------
        >>> result = MonteCarlo(1.0, 0.1, 10_000)
        >>> result.agrees_with(1.2), result.agrees_with(2.0)
        (True, False)
        """
        error_rate = _validate.real("error_rate", error_rate, above=0, below=1)
        gap = abs(np.asarray(self.mean - np.asarray(value)))
        limit = scipy.stats.t.isf(error_rate / gap.size / 2, self.replications - 1)
        return bool(np.all(gap <= limit * self.standard_error))  # no 0/0 for a constant loss


def monte_carlo(
    loss: Loss,
    replications: int,
    *,
    rng: np.random.Generator | np.random.SeedSequence | int | None = None,
    block: int = 1_000,
    workers: int | MapLike = 1,
) -> MonteCarlo:
    """Average a random loss over independent replications.

    The replications are cut into blocks, and each block draws from a stream of its own,
    spawned from `rng`; so the numbers depend on the seed and the block size alone, and not on
    who computes which block.

    Parameters
    ----------
    loss : callable
        ``loss(rng, size)`` returns `size` independent losses: shape (size,) or (size, columns).
    replications : int
        At least 2.
    rng : Generator, SeedSequence, int or None
        Source of randomness.
    block : int
        Replications asked of `loss` at once; bounds its memory.
    workers : int or map-like callable
        As in scipy: an int is a number of processes (-1 for all cores; `loss` must then be
        picklable), and a callable such as ``multiprocessing.Pool.map`` or
        ``concurrent.futures.Executor.map`` is used in place of ``map``.

    Returns
    -------
    MonteCarlo

    Raises
    ------
    TypeError, ValueError
        If a number is not a positive integer, or `loss` returns the wrong shape or a value
        that is not finite.

    Examples
    --------
    >>> result = monte_carlo(lambda rng, size: rng.random(size), 10_000, rng=0)
    >>> result.agrees_with(0.5)
    True
    """
    replications = _validate.one_integer("replications", replications, minimum=2)
    block = _validate.one_integer("block", block, minimum=1)
    sizes = [min(block, replications - start) for start in range(0, replications, block)]
    if isinstance(rng, np.random.SeedSequence):
        streams = [np.random.default_rng(seed) for seed in rng.spawn(len(sizes))]
    else:
        streams = np.random.default_rng(rng).spawn(len(sizes))
    tasks = [(loss, stream, size) for stream, size in zip(streams, sizes, strict=True)]
    losses = np.concatenate(_map(_one_block, tasks, workers))
    mean = losses.mean(axis=0)
    error = losses.std(axis=0, ddof=1) / np.sqrt(replications)
    return MonteCarlo(mean[()], error[()], replications)


@dataclass(frozen=True)
class Exponent:
    """A fitted exponent with its confidence interval (low, high)."""

    estimate: float
    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __format__(self, spec: str) -> str:
        spec = spec or ".3f"
        return f"{self.estimate:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


@dataclass(frozen=True)
class PowerLaw:
    """A fit of ``value = constant * product of factor**exponent``.

    Attributes
    ----------
    constant : float
    exponents : dict of str to Exponent
        One for each factor, by name.
    misfit : float
        p-value of the chi-square test that nothing but a power law is in the data;
        NaN where no standard errors were given.
    """

    constant: float
    exponents: dict[str, Exponent]
    misfit: float

    def __call__(self, **factors: ArrayLike) -> Any:
        """The fitted value at given factors."""
        value: Any = self.constant
        for name, exponent in self.exponents.items():
            value = value * np.asarray(factors[name], dtype=float) ** exponent.estimate
        return value


def fit_power_law(
    values: ArrayLike,
    *,
    standard_errors: ArrayLike | None = None,
    level: float = 0.95,
    **factors: ArrayLike,
) -> PowerLaw:
    r"""Fit exponents by least squares on logarithms.

    .. math:: \ln v = \ln c + \sum_j \beta_j \ln x_j

    With standard errors the fit is weighted by the delta method,
    :math:`\mathrm{se}(\ln v) = \mathrm{se}(v) / v`, and intervals are normal; without them the
    residuals give the scale and intervals are Student's.

    Parameters
    ----------
    values : array_like, shape (m,)
        Positive numbers, such as simulated risks.
    standard_errors : array_like, shape (m,), optional
    level : float
        Coverage of each interval, strictly between 0 and 1.
    **factors : array_like, shape (m,)
        Positive regressors by name, such as ``n=...``, ``epsilon=...``.

    Returns
    -------
    PowerLaw

    Raises
    ------
    ValueError
        If a number is not positive, lengths differ, or the factors do not determine the fit.

    Examples
    --------
    >>> n = np.array([10, 100, 1000, 10000])
    >>> rng = np.random.default_rng(0)
    >>> fit = fit_power_law(3 / n * np.exp(0.01 * rng.standard_normal(4)), n=n)
    >>> -1 in fit.exponents["n"]
    True
    """
    values = np.asarray(_validate.real("values", values, above=0))
    level = _validate.one_real("level", level, above=0, below=1)
    if values.ndim != 1:
        raise ValueError(f"values must be a vector, got shape {values.shape}")
    if not factors:
        raise ValueError("factors must hold at least one regressor")
    columns = [np.ones(values.size)]
    for name, factor in factors.items():
        checked = np.asarray(_validate.real(name, factor, above=0))
        if checked.shape != values.shape:
            raise ValueError(f"{name} must have the shape {values.shape}, got {checked.shape}")
        columns.append(np.log(checked))
    design, target = np.column_stack(columns), np.log(values)
    freedom = values.size - design.shape[1]
    if np.linalg.matrix_rank(design) < design.shape[1] or freedom < 1:
        raise ValueError(f"factors must vary independently over more than {design.shape[1]} values")
    if standard_errors is None:
        weights = np.ones(values.size)
    else:
        errors = np.asarray(_validate.real("standard_errors", standard_errors, above=0))
        if errors.shape != values.shape:
            raise ValueError(
                f"standard_errors must have the shape {values.shape}, got {errors.shape}"
            )
        weights = values / errors
    q, r = np.linalg.qr(design * weights[:, None])
    beta = np.linalg.solve(r, q.T @ (target * weights))
    residual = float((((target - design @ beta) * weights) ** 2).sum())
    spread = np.sqrt((np.linalg.inv(r) ** 2).sum(axis=1))
    if standard_errors is None:
        spread = spread * np.sqrt(residual / freedom)
        reach = scipy.stats.t.isf((1 - level) / 2, freedom) * spread
        misfit = float("nan")
    else:
        reach = scipy.stats.norm.isf((1 - level) / 2) * spread
        misfit = float(scipy.stats.chi2.sf(residual, freedom))
    exponents = {
        name: Exponent(float(b), float(b - w), float(b + w))
        for name, b, w in zip(factors, beta[1:], reach[1:], strict=True)
    }
    return PowerLaw(float(np.exp(beta[0])), exponents, misfit)


def _one_block(task: tuple[Loss, np.random.Generator, int]) -> NDArray[np.float64]:
    loss, rng, size = task
    return _validate.losses("loss", loss(rng, size), size)


def _map(
    function: Callable[[Any], Any], tasks: list[Any], workers: int | MapLike
) -> list[NDArray[np.float64]]:
    if callable(workers):
        return list(workers(function, tasks))
    workers = _validate.one_integer("workers", workers, minimum=-1)
    if workers == 0:
        raise ValueError("workers must be -1, a positive integer or a map-like callable, got 0")
    if workers == 1:
        return list(map(function, tasks))
    with Pool(cpu_count() if workers == -1 else workers) as pool:
        return pool.map(function, tasks)
