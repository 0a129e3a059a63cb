"""Checks that keep squares, ratios and products of a few arguments within the range of doubles."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array
from minimaxdp.density_estimation._densities import Density
from minimaxdp.guarantees import Guarantee, Local, Pure

Model = Literal["central", "local"]
MODELS: tuple[Model, ...] = ("central", "local")
SMALL, LARGE = 1e-100, 1e100


def pure(model: str, level: float) -> Guarantee:
    """Pure privacy of a curator's release, or of everybody's own report."""
    return Pure(level) if model == "central" else Local(Pure(level))


def epsilon(value: ArrayLike | None) -> Any:
    """A privacy budget whose inverse square is a double, times any number of cells."""
    return _validate.epsilon(value, minimum=SMALL)  # type: ignore[arg-type]


def one_epsilon(value: ArrayLike | None) -> float:
    """A single privacy budget."""
    return _validate.scalar("epsilon", epsilon(value))


def positive(name: str, value: ArrayLike) -> Any:
    """Positive numbers, neither so large nor so small that their squares are not doubles."""
    return _validate.real(name, value, above=0, minimum=SMALL, maximum=LARGE)


def one_positive(name: str, value: ArrayLike) -> float:
    """A single positive number of such a size."""
    return _validate.scalar(name, positive(name, value))


def density(value: Any) -> Density:
    """A density on the unit interval."""
    return _validate.instance("density", value, Density)


def coefficients(name: str, value: ArrayLike) -> Any:
    """Numbers along a last axis."""
    array = _validate.real(name, value)
    if array.ndim == 0:
        raise ValueError(f"{name} must hold coefficients along its last axis, got a single number")
    return array


def points(name: str, x: ArrayLike, d: int, **bounds: Any) -> Array:
    """Points of d coordinates, shape (n, d) or in one dimension (n,), within bounds."""
    array = np.asarray(_validate.real(name, x, **bounds))
    array = array[:, None] if array.ndim == 1 and d == 1 else array
    return _validate.rows(name, array, d)
