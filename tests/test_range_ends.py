"""Ends of ranges that a formula sets: what lies just within is taken, what lies just beyond not.

Bounds on an argument itself are on record; those below are on what follows from several."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from minimaxdp import (
    accounting,
    certify,
    definitions,
    density_estimation,
    divergences,
    hypercube,
    inference,
    laplace,
    lower_bounds,
    mean_estimation,
    privacy,
    randomized_response,
    reconstruction,
    risk,
    unbiased_bounds,
)
from minimaxdp.guarantees import (
    ZCDP,
    Approximate,
    ChiSquare,
    GaussianPair,
    LaplacePair,
    Pure,
    Renyi,
    laplace_epsilon,
)


def a_grid(width: float, d: int = 1) -> Any:
    return density_estimation.Grid(0.0, width, 1, d)


def divergence_that_errs(by: float) -> Any:
    return divergences.f_divergence([0.75, 0.25], [0.25, 0.75], lambda t: t - 1 + by)


def bound_of_bits(bits: int) -> Any:
    return certify.polynomial_bound([1, 0, 1], -Fraction(2 ** (bits - 1)))


def normal_beside_another(mu: float) -> Any:
    return accounting.compose([GaussianPair(mu), LaplacePair(1.0)]).delta(1.0)


def promise_of_two(epsilon: float) -> Any:
    return accounting.compose(LaplacePair(epsilon), times=2).guarantee(delta=0.0)


def packing_floor(privacy: Any) -> Any:
    return lower_bounds.mean_floor(10**4, 4, privacy, k=2, variant="paper")


def power_law(*errors: float) -> Any:
    return risk.fit_power_law([1.0, 2.0, 4.0], n=[1.0, 2.0, 4.0], standard_errors=errors)


def answered_by_the_first(other: float) -> Any:
    people = ZCDP(1.0, relation="add-remove")
    return unbiased_bounds.MatrixMechanism([[1.0, other]], [[1.0, 0.0]], people)


def located(reach: float) -> Any:
    return mean_estimation.LocatedMean(100, 1.0, 2.0, 1.0, reach, 50)


# Of the printed packing bound at one nat.
MOST_DELTA = -np.expm1(-1.0) / 4 * np.exp(-1.0)
QUARTER = np.finfo(float).max / 4

ENDS: list[tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...], str]] = [
    (a_grid, (10**99.9,), (10**100.1,), "high - low must leave a volume"),
    (a_grid, (10**-99.9,), (10**-100.1,), "high - low must leave a volume"),
    (a_grid, (10**33.3, 3), (10**33.4, 3), "high - low must leave a volume"),
    (
        density_estimation.Grid,
        (1.0, 1 + 8 * np.spacing(1.0), 1),
        (1.0, 1 + 7 * np.spacing(1.0), 1),
        "bins must be wide enough",
    ),
    # Cells on either side of 1, above which doubles lie twice as far apart.
    (
        density_estimation.Grid,
        (1 - 2.0**-40, 1 + 2.0**-40, 1000),
        (1 - 2.0**-40, 1 + 2.0**-40, 1100),
        "bins must be wide enough",
    ),
    (
        density_estimation.Grid,
        (-1 - 2.0**-40, -1 + 2.0**-40, 1000),
        (-1 - 2.0**-40, -1 + 2.0**-40, 1100),
        "bins must be wide enough",
    ),
    (density_estimation.ellipsoid_norm, ([0.1] * 10, 50.0), ([0.1] * 10, 50.1), "beta must leave"),
    (density_estimation.group_sizes, (4, 1), (3, 1), "n must leave at least 4 people"),
    (promise_of_two, (349.9,), (350.1,), "delta must leave an epsilon of at most 700"),
    (normal_beside_another, (355.0,), (400.0,), "release must have privacy losses below 1e5"),
    (bound_of_bits, (4096,), (4097,), "bound must have at most 4096 bits"),
    (divergence_that_errs, (0.99e-12,), (1.01e-12,), "f must satisfy"),
    (
        randomized_response.SurveyDesign.forced,
        (0.5, 0.5 - 1.1e-12),
        (0.5, 0.5 - 0.9e-12),
        "yes + no must be less than 1",
    ),
    (
        laplace.NoisyMaximum(1.0).probabilities,
        (np.zeros(1000),),
        (np.zeros(1001),),
        "scores must be a vector of at most 1000",
    ),
    (accounting.compose(LaplacePair(0.1)).epsilon, (1e-25,), (0.99e-25,), "delta must be 0 or at"),
    (
        density_estimation.PrivateHaar(1.0, 3).release,
        ([0.1, 0.5, 0.9],),
        ([0.1, 0.5],),
        "data must be a vector of 3",
    ),
    (
        lambda beta: density_estimation.binned_polynomial_ceiling(10, 100, 1.0, beta=beta),
        (2.0,),
        (2 + 1e-12,),
        "beta must be at most degree + 1",
    ),
    (lambda rho: ZCDP(rho).implies(ChiSquare), (354.0,), (354.1,), "rho must be at most 354"),
    (
        lambda order: Renyi(order, 0.5).implies(ChiSquare),
        (2.0,),
        (2 - 1e-12,),
        "order must be at least 2",
    ),
    (
        lambda order: ChiSquare(0.5).implies(Renyi, order=order),
        (2.0,),
        (2 + 1e-12,),
        "order must be at most 2",
    ),
    (
        lambda order: Renyi(3.0, 0.5).implies(Renyi, order=order),
        (3.0,),
        (3 + 1e-12,),
        "order must be at most 3",
    ),
    (
        lambda delta: Approximate(1.0, 1e-3).implies(Approximate, delta=delta),
        (1e-3,),
        (0.999e-3,),
        "delta must be at least that of",
    ),
    (laplace_epsilon, (0.0, 0.999e150), (0.0, 1.001e150), "sensitivity must be between"),
    (laplace_epsilon, (0.0, 1.001e-150), (0.0, 0.999e-150), "sensitivity must be between"),
    (hypercube.walsh_hadamard, ([QUARTER, 0, 0, 0],), ([1.001 * QUARTER, 0, 0, 0],), "values must"),
    (
        hypercube.walsh_hadamard,
        ([(2**63 - 1) // 4, 0, 0, 0],),
        ([(2**63 - 1) // 4 + 1, 0, 0, 0],),
        "values must lie between",
    ),
    (inference.Tulap.from_parameters, (0.5, 0.66), (0.5, 0.67), "q must leave delta below 1"),
    (laplace.DiscreteLaplace, (1.0, 10**14), (1.0, 10**14 + 10), "epsilon / sensitivity must be"),
    (packing_floor, (Pure(1.999),), (Pure(2.0),), "epsilon must be less than d/2 = 2"),
    (
        packing_floor,
        (Approximate(1.0, MOST_DELTA * (1 - 1e-9)),),
        (Approximate(1.0, MOST_DELTA),),
        "delta must be less than 0.0581",
    ),
    (
        mean_estimation.PrivUnit(1.0, 3, 2.0, 0.1).privatize,
        ([[2 + 1.8e-9, 0, 0]],),
        ([[2 + 2.2e-9, 0, 0]],),
        "vectors must lie in the ball",
    ),
    (located, (1.0,), (1 - 1e-12,), "reach and r must satisfy"),
    (located, (1e6,), (1.001e6,), "reach and r must satisfy"),
    (power_law, (1e-150, 1.0, 1.0), (0.99e-150, 1.0, 1.0), "standard_errors must be at least"),
    (
        lambda *x: risk.fit_power_law(x, n=1 + np.arange(len(x))),
        (1.0, 2.0, 4.0),
        (1.0, 2.0),
        "factors must vary independently",
    ),
    (
        unbiased_bounds.min_trace_ellipsoid,
        ([[0.5e153, 0.0], [0.0, 1.0]],),
        ([[0.501e153, 0.0], [0.0, 1.0]],),
        "points must be at most 1e+153 / d",
    ),
    (
        unbiased_bounds.min_trace_ellipsoid,
        ([[1e-300, 0.0], [0.0, 1e-300]],),
        ([[0.99e-300, 0.0], [0.0, 0.99e-300]],),
        "points must extend over at least",
    ),
    (answered_by_the_first, (0.9e-9,), (1.1e-9,), "strategy must determine every query"),
    (
        lambda sensitivity: accounting.dominating_pair(laplace.DiscreteLaplace(700.0, sensitivity)),
        (64,),
        (65,),
        "sensitivity must be at most 64 here",
    ),
]


@pytest.mark.parametrize(("call", "within", "beyond", "message"), ENDS)
def test_a_range_ends_where_it_says(
    call: Callable[..., Any], within: tuple[Any, ...], beyond: tuple[Any, ...], message: str
) -> None:
    call(*within)
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call(*beyond)


def spent(times: int) -> Any:
    budget = accounting.Budget(Pure(1.0))
    budget.spend(Pure(0.1))
    return budget.spend(Pure(0.1), times=times)


KINDS = pd.DataFrame({"sex": ["F", "M"], "adult": [True, False]})
TABLES = {
    "sex": pd.Series({"F": 1, "M": 1}).rename_axis("sex"),
    "adult": pd.Series({True: 1, False: 1}).rename_axis("adult"),
}
BITS = np.array([[1, 0, 1], [0, 1, 1]])

# Of what a call takes of a limit, by the file and the name of the limit.
LIMITS: list[tuple[str, str, float, Callable[[], Any]]] = [
    ("reconstruction._subsets", "_MOST_ENTRIES", 16,
     lambda: reconstruction.from_subset_counts(BITS, [1, 2])),
    ("reconstruction._tables", "_MOST_TABLES", 2,
     lambda: reconstruction.solutions(TABLES, KINDS)),
    ("reconstruction._tables", "_MOST_KINDS", 2, lambda: reconstruction.solutions(TABLES, KINDS)),
    ("definitions._chtp", "_MOST_OUTPUTS", 3,
     lambda: definitions.chtp_epsilon(np.full((2, 3), 1 / 3), 0.5, inherited=False)),
    ("unbiased_bounds._floors", "_MOST", 6,
     lambda: unbiased_bounds.unbiased_floor(np.eye(3), 2, ZCDP(1.0), records=np.eye(3)[:2])),
    ("accounting._budget", "_MOST", 4, lambda: spent(3)),
    ("accounting._compose", "_MOST_RELEASES", 6,
     lambda: accounting.compose([Pure(0.1), Pure(0.2)], times=3)),
    ("density_estimation._kernels", "_MOST_PAIRS", 6,
     lambda: density_estimation.kernel_density([0.1, 0.5, 0.7], [0.2, 0.6], 0.1)),
    ("laplace._sensitivity", "_MOST", 8,
     lambda: laplace.global_sensitivity(lambda x: x.mean(axis=1), [0, 1], 3)),
    ("lower_bounds._exact", "_LARGEST_PROGRAMME", 9,
     lambda: lower_bounds.minimax_channel(np.eye(3), 1 - np.eye(3), Pure(1.0))),
    ("lower_bounds._exact", "_LARGEST_PROGRAMME", 15,
     lambda: lower_bounds.bernoulli_minimax(2, Pure(1.0), outputs=5)),
    ("lower_bounds._exact", "_MOST_VALUES", 2,
     lambda: lower_bounds.bernoulli_minimax(2, Pure(1.0), outputs=5)),
    ("lower_bounds._exact", "_LARGEST_WORLD", 6, lambda: lower_bounds.histograms(3, 2)),
    ("randomized_response._encodings", "_LARGEST_MATRIX", 10,
     lambda: randomized_response.SubsetSelection(1.0, 5, 2).channel()),
    ("randomized_response._encodings", "_LARGEST_MATRIX", 5,
     lambda: randomized_response.SubsetSelection(1.0, 5, 1).channel()),
    ("privacy._neighbours", "_LARGEST_WORLD", 9, lambda: privacy.datasets(3, 2)),
    ("certify._programmes", "_MOST", 2,
     lambda: certify.optimum([1, 1], at_most=([[-1, -2]], [-1]))),
    ("_validate", "MOST_BYTES", 8 * 8 * 257,
     lambda: accounting.dominating_pair(laplace.ExactDiscreteLaplace(0.5))),
    ("_validate", "MOST_BYTES", 8 * 8 * 3 * 3**2, lambda: lower_bounds.histograms(3, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("file", "name", "taken", "call"), LIMITS)
def test_a_limit_is_reached_by_what_a_call_takes(
    file: str, name: str, taken: float, call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"minimaxdp.{file}.{name}", taken)
    call()
    monkeypatch.setattr(f"minimaxdp.{file}.{name}", taken - 1)
    with pytest.raises(ValueError, match="must"):
        call()
