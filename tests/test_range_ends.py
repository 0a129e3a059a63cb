"""Ends of ranges that a formula sets: what lies just within is taken, what lies just beyond not.

Bounds on an argument itself are on record; those below are on what follows from several."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from minimaxdp import (
    accounting,
    certify,
    density_estimation,
    divergences,
    laplace,
    randomized_response,
)
from minimaxdp.guarantees import GaussianPair, LaplacePair


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
]


@pytest.mark.parametrize(("call", "within", "beyond", "message"), ENDS)
def test_a_range_ends_where_it_says(
    call: Callable[..., Any], within: tuple[Any, ...], beyond: tuple[Any, ...], message: str
) -> None:
    call(*within)
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call(*beyond)
