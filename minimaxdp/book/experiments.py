"""What the book's sweeps simulate: four problems, each with its mechanisms and exact risks; and how
far apart lower bounds and methods are at random settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from minimaxdp import _validate, results
from minimaxdp._types import Array
from minimaxdp.density_estimation import Grid, Histogram, histogram_risk
from minimaxdp.guarantees import standard_guarantees
from minimaxdp.laplace import Laplace, LocalLaplace
from minimaxdp.randomized_response import (
    BinaryRR,
    Encoding,
    HadamardResponse,
    KaryRR,
    OptimizedUnary,
    SymmetricUnary,
)

__all__ = ["EXPERIMENTS", "exact_risk", "gap", "simulate"]

THETA = 0.3
_ENCODINGS: dict[str, Callable[[float, int], Encoding]] = {
    "unary": SymmetricUnary,
    "kary": KaryRR,
    "optimised": OptimizedUnary,
    "hadamard": HadamardResponse,
}


@dataclass(frozen=True)
class _Problem:
    mechanisms: tuple[str, ...]
    losses: Callable[[np.random.Generator, int, str, int, float, int], Array]
    risk: Callable[[str, int, float, int], float]


def simulate(
    rng: np.random.Generator,
    size: int,
    *,
    problem: str,
    mechanism: str,
    n: int,
    d: int,
    epsilon: float,
) -> Array:
    r"""Squared errors of a private estimate, one for each of `size` independent data sets.

    ============  ==========================================  ===============================
    problem       to be estimated                             mechanisms
    ============  ==========================================  ===============================
    proportion    P(one) = 0.3 of a bit (d = 2)               binary, central
    mean          mean of fair 0 and 1 in [0, 1] (d = 1)      local, central
    frequencies   a law on d categories, linear in j          unary, kary, optimised, hadamard
    histogram     the same law as a density on [0, 1]         laplace, unary, central
    ============  ==========================================  ===============================

    Everything is drawn through counts or sums, exactly in law, at a cost that does not depend
    on n. The mean is one of numbers in [0, 1] with the largest variance.

    Parameters
    ----------
    rng : Generator, int or None
    size : int
        Number of data sets, at least 1.
    problem, mechanism : str
        From the table.
    n : int
        Number of people, at least 1.
    d : int
        Number of categories or of bins.
    epsilon : float
        Privacy budget in nats, from 1e-100 to 700.

    Returns
    -------
    ndarray, shape (size,)

    Raises
    ------
    TypeError, ValueError
        If a problem or mechanism is unknown or a number out of its range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cell = {"problem": "frequencies", "mechanism": "unary", "n": 10**6, "epsilon": 1.0, "d": 8}
    >>> simulate(rng, 3, **cell).shape
    (3,)
    """
    kind = _checked(problem, mechanism, n, epsilon, d)
    size = _validate.one_integer("size", size, minimum=1)
    _validate.memory("size and d", 4, size, d)  # counts, reports, estimates and their errors
    return kind.losses(_validate.generator(rng), size, mechanism, n, epsilon, d)


def exact_risk(*, problem: str, mechanism: str, n: int, d: int, epsilon: float) -> float:
    """Expected loss of :func:`simulate`, by formula.

    Parameters
    ----------
    problem, mechanism, n, epsilon, d
        As for :func:`simulate`.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a problem or mechanism is unknown or a number out of its range.

    Examples
    --------
    >>> round(exact_risk(problem="proportion", mechanism="central", n=10, epsilon=1.0, d=2), 6)
    0.041
    """
    return float(_checked(problem, mechanism, n, epsilon, d).risk(mechanism, n, epsilon, d))


def gap(rng: np.random.Generator, size: int, *, problem: str, definition: str) -> Array:
    r"""How far apart a lower bound and the best method are, at random settings of the results.

    With n from 5 to :math:`10^7`, d from 2 to 200 and :math:`\varepsilon` from 0.02 to 3, uniform
    on the logarithmic scale, k uniform from 2 to 8, and :math:`\beta = 1`; the definition stands at
    the level that :math:`\varepsilon`-differential privacy implies, approximate privacy with
    :math:`\delta = 10^{-6}`.

    Parameters
    ----------
    rng : Generator, int or None
    size : int
        Number of settings, at least 1.
    problem : str
        One of ``minimaxdp.results.PROBLEMS``.
    definition : str
        "pure", "approximate", "zcdp", "kl", "tv" or "local".

    Returns
    -------
    ndarray, shape (size, 3)
        The logarithm of risk over lower bound; whether it is above 2; whether it is above 5.

    Raises
    ------
    TypeError, ValueError
        If a name is unknown or the size out of its range.
    RuntimeError
        If a lower bound is above the risk, by more than six standard errors where it is simulated.

    Examples
    --------
    >>> gap(np.random.default_rng(0), 2, problem="unbiased mean", definition="tv").round(2)
    array([[0.67, 0.  , 0.  ],
           [0.67, 0.  , 0.  ]])
    """
    _validate.choice("problem", problem, results.PROBLEMS)
    names = [privacy.name for privacy in standard_guarantees(1.0, 1e-6)[1:]]
    _validate.choice("definition", definition, names)
    rng = _validate.generator(rng)
    size = _validate.one_integer("size", size, minimum=1)
    _validate.memory("size", size, 3)
    found = np.empty((size, 3))
    for row in found:
        n, d = int(10 ** rng.uniform(0.7, 7)), int(10 ** rng.uniform(0.302, 2.302))
        epsilon, k = 10 ** rng.uniform(-1.7, 0.5), rng.uniform(2, 8)
        promises = standard_guarantees(epsilon, 1e-6)
        privacy = next(privacy for privacy in promises if privacy.name == definition)
        cell = results.cell(problem, privacy, results.Setting(n=n, d=d, k=k))
        if cell.floor > cell.risk * (1 + 1e-9) + 6 * cell.standard_error:
            raise RuntimeError(f"the lower bound is above the risk at {n=}, {d=}, {k=}: {cell}")
        row[:] = np.log(cell.gap), cell.gap > 2, cell.gap > 5
    return found


def _checked(problem: str, mechanism: str, n: int, epsilon: float, d: int) -> _Problem:
    _validate.choice("problem", problem, EXPERIMENTS)
    kind, fixed = EXPERIMENTS[problem], {"proportion": 2, "mean": 1}
    _validate.choice("mechanism", mechanism, kind.mechanisms)
    _validate.one_integer("n", n, minimum=1)
    _validate.one_epsilon(epsilon, minimum=1e-100)
    _validate.one_integer("d", d, minimum=1 if problem == "mean" else 2)
    if d != fixed.get(problem, d):
        raise ValueError(f"d must be {fixed[problem]} for {problem}, got {d}")
    return kind


def _proportion(
    rng: np.random.Generator, size: int, mechanism: str, n: int, epsilon: float, d: int
) -> Array:
    ones = rng.binomial(n, THETA, size)
    if mechanism == "central":
        return np.asarray((Laplace(epsilon, 1 / n).privatize(ones / n, rng=rng) - THETA) ** 2)
    survey = BinaryRR(epsilon)
    return np.asarray((survey.estimate(survey.privatize_counts(ones, n, rng=rng), n) - THETA) ** 2)


def _proportion_risk(mechanism: str, n: int, epsilon: float, d: int) -> float:
    if mechanism == "binary":
        return float(BinaryRR(epsilon).risk(THETA, n))
    return THETA * (1 - THETA) / n + 2 / (n * epsilon) ** 2


def _mean(
    rng: np.random.Generator, size: int, mechanism: str, n: int, epsilon: float, d: int
) -> Array:
    mean = rng.binomial(n, 0.5, size) / n
    if mechanism == "central":
        return np.asarray((Laplace(epsilon, 1 / n).privatize(mean, rng=rng) - 0.5) ** 2)
    local = LocalLaplace(epsilon, 0.0, 1.0)
    return np.asarray((local.privatize_mean(mean, n, rng=rng) - 0.5) ** 2)


def _mean_risk(mechanism: str, n: int, epsilon: float, d: int) -> float:
    if mechanism == "local":
        return float(LocalLaplace(epsilon, 0.0, 1.0).variance(1 / 4, n))
    return 1 / 4 / n + 2 / (n * epsilon) ** 2


def _law(d: int) -> Array:
    weights = np.arange(1.0, d + 1)
    return weights / weights.sum()


def _frequencies(
    rng: np.random.Generator, size: int, mechanism: str, n: int, epsilon: float, d: int
) -> Array:
    law, encoding = _law(d), _ENCODINGS[mechanism](epsilon, d)
    tally = encoding.privatize_counts(rng.multinomial(n, law, size), rng=rng)
    return ((encoding.estimate(tally, n) - law) ** 2).sum(axis=-1)


def _frequencies_risk(mechanism: str, n: int, epsilon: float, d: int) -> float:
    return float(_ENCODINGS[mechanism](epsilon, d).risk(_law(d), n))


def _histogram(
    rng: np.random.Generator, size: int, mechanism: str, n: int, epsilon: float, d: int
) -> Array:
    law, histogram = _law(d), Histogram(Grid(0.0, 1.0, d), epsilon, mechanism)  # type: ignore[arg-type]
    totals = histogram.privatize_counts(rng.multinomial(n, law, size), rng=rng)
    return ((histogram.heights(totals, n) - d * law) ** 2).mean(axis=-1)


def _histogram_risk(mechanism: str, n: int, epsilon: float, d: int) -> float:
    return float(histogram_risk(_law(d), n, epsilon, mechanism))  # type: ignore[arg-type]


#: Problems by name, with their mechanisms.
EXPERIMENTS = {
    "proportion": _Problem(("binary", "central"), _proportion, _proportion_risk),
    "mean": _Problem(("local", "central"), _mean, _mean_risk),
    "frequencies": _Problem(tuple(_ENCODINGS), _frequencies, _frequencies_risk),
    "histogram": _Problem(("laplace", "unary", "central"), _histogram, _histogram_risk),
}
