"""Risks by simulation, with their standard errors, and the exponents fitted to them.

A simulated number never stands alone here: :func:`monte_carlo` returns it with its standard
error, and :meth:`MonteCarlo.agrees_with` turns a comparison into a test with a stated error rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing import Pool
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng

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
        Its estimated standard deviation; infinite where the squares of the losses are beyond
        the range of a double.
    replications : int
        How many replications were averaged, at least 2.

    Raises
    ------
    TypeError, ValueError
        If the average is not finite, the error is negative or NaN, or there are fewer than two
        replications.
    """

    mean: Real
    standard_error: Real
    replications: int

    def __post_init__(self) -> None:
        _validate.real("mean", self.mean)
        _validate.real("standard_error", self.standard_error, minimum=0, infinite=True)
        _validate.broadcast(mean=self.mean, standard_error=self.standard_error)
        replications = _validate.one_integer("replications", self.replications, minimum=2)
        _validate.freeze(self, replications=replications)

    def interval(self, level: float = 0.95) -> tuple[Real, Real]:
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
        TypeError, ValueError
            If the level is no number in (0, 1).

        Examples
        --------
        >>> low, high = MonteCarlo(1.0, 0.1, 10_000).interval(0.95)
        >>> f"{low:.3f} {high:.3f}"
        '0.804 1.196'
        """
        level = _validate.one_real("level", level, above=0, below=1)
        reach = scipy.stats.t.isf((1 - level) / 2, self.replications - 1) * self.standard_error
        return self.mean - reach, self.mean + reach

    def z_score(self, value: ArrayLike) -> Real:
        """How many standard errors the average lies above a value.

        Parameters
        ----------
        value : array_like
            One number, or one for each column.

        Returns
        -------
        float or ndarray
            For losses that never varied 0 at the average itself, and infinite elsewhere.

        Raises
        ------
        TypeError, ValueError
            If the value is no finite number.

        Examples
        --------
        >>> float(MonteCarlo(1.5, 0.25, 100).z_score(1.0))
        2.0
        """
        gap = np.asarray(self.mean - _validate.real("value", value))
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return np.where(gap == 0, 0.0, gap / self.standard_error)[()]

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
        TypeError, ValueError
            If the value is no finite number, or the error rate lies outside (0, 1).

        Examples
        --------
        >>> result = MonteCarlo(1.0, 0.1, 10_000)
        >>> result.agrees_with(1.2), result.agrees_with(2.0)
        (True, False)
        """
        error_rate = _validate.one_real("error_rate", error_rate, above=0, below=1)
        gap = abs(np.asarray(self.mean - _validate.real("value", value)))
        limit = scipy.stats.t.isf(error_rate / gap.size / 2, self.replications - 1)
        return bool(np.all(gap <= limit * self.standard_error))  # no 0/0 for a constant loss


def monte_carlo(
    loss: Loss,
    replications: int,
    *,
    rng: Rng | np.random.SeedSequence = None,
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
        As in scipy: an int up to 1024 is a number of processes (-1 for all cores; `loss` must
        then be picklable), and a callable such as ``multiprocessing.Pool.map`` or
        ``concurrent.futures.Executor.map`` is used in place of ``map``.

    Returns
    -------
    MonteCarlo

    Raises
    ------
    TypeError, ValueError
        If a number is not a positive integer, the losses would not fit memory, `loss` is no
        function or returns the wrong shape or a value that is not finite, or `workers` does not
        do what ``map`` does.

    Examples
    --------
    >>> result = monte_carlo(lambda rng, size: rng.random(size), 10_000, rng=0)
    >>> result.agrees_with(0.5)
    True
    """
    replications = _validate.one_integer("replications", replications, minimum=2)
    loss = _validate.function("loss", loss)
    block = _validate.one_integer("block", block, minimum=1)
    _validate.memory("replications", replications)
    _validate.memory("block", -(-replications // block), itemsize=1024)  # a generator for each
    sizes = [min(block, replications - start) for start in range(0, replications, block)]
    streams = _validate.generator(rng).spawn(len(sizes))
    tasks = [(loss, stream, size) for stream, size in zip(streams, sizes, strict=True)]
    blocks = _map(_one_block, tasks, workers)
    if len({part.shape[1:] for part in blocks}) > 1:
        raise ValueError("loss must return as many columns every time")
    losses = np.concatenate(blocks)
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
        value = _validate.one_real("value", value)
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
        p-value of the chi-square test that nothing but a power law is in the data. NaN where no
        standard errors were given: the residuals are then the only measure of the noise, and
        cannot be tested against themselves, not even if they are all zero.
    """

    constant: float
    exponents: dict[str, Exponent]
    misfit: float

    def __call__(self, **factors: ArrayLike) -> Real:
        """The fitted value at given factors: a positive number or array for each, by name.

        Infinite where it is beyond the range of a double.

        Examples
        --------
        >>> n = np.array([10, 100, 1000, 10000])
        >>> round(float(fit_power_law(3 / n, n=n)(n=50)), 6)
        0.06
        """
        if set(factors) != set(self.exponents):
            raise ValueError(
                f"factors must be {', '.join(self.exponents)}, got {', '.join(factors)}"
            )
        checked = {name: _validate.real(name, factors[name], above=0) for name in self.exponents}
        _validate.broadcast(**checked)
        # A sum of logarithms, as one power may be infinite where another one is zero.
        with np.errstate(divide="ignore", over="ignore"):
            value: Real = np.log(self.constant)
            for name, exponent in self.exponents.items():
                value = value + exponent.estimate * np.log(checked[name])
            return np.exp(value)


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
        If a number is not positive, lengths differ, a standard error is below 1e-150 of its
        value, or the factors do not determine the fit.

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
            raise ValueError(
                f"{name} must have the shape of values, {values.shape}, got {checked.shape}"
            )
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
                f"standard_errors must have the shape of values, {values.shape}, got {errors.shape}"
            )
        with np.errstate(over="ignore"):
            weights = values / errors
        if weights.max() > 1e150:
            raise ValueError(f"standard_errors must be at least 1e-150 values, got {errors.min()}")
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


def _one_block(task: tuple[Loss, np.random.Generator, int]) -> Array:
    loss, rng, size = task
    return _validate.losses("loss", loss(rng, size), size)


def _map(function: Callable[[Any], Any], tasks: list[Any], workers: int | MapLike) -> list[Array]:
    if callable(workers):
        found = workers(function, tasks)
        blocks = list(found) if np.iterable(found) else []
        if len(blocks) != len(tasks) or not all(isinstance(block, np.ndarray) for block in blocks):
            raise TypeError(f"workers must return one result for each task, as map, got {found!r}")
        return blocks
    number = _validate.processes(workers, "a map-like callable")
    if number == 1:
        return list(map(function, tasks))
    with Pool(number) as pool:
        return pool.map(function, tasks)
