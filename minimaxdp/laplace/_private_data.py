"""Checks of private data, whose messages show no value: what they show has been released."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate

__all__ = ["records", "scores", "whole"]


def records(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """A vector of finite numbers, at least one."""
    array = _quietly(_validate.real, name, values, "finite numbers")
    if array.ndim != 1:
        raise ValueError(f"{name} must be a vector of records, got {array.ndim} axes")
    return array


def scores(name: str, values: ArrayLike, most: float) -> NDArray[np.float64]:
    """Scores of at least one candidate along the last axis, of a size that doubles can tell."""
    array = _quietly(
        _validate.real, name, values, f"numbers within {most:g}", minimum=-most, maximum=most
    )
    if array.ndim == 0:
        raise ValueError(f"{name} must have the candidates along the last axis, got one number")
    return array


def whole(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """Integers whose sum with noise is one."""
    bounds = {"minimum": -(2**62), "maximum": 2**62}
    return _quietly(_validate.integer, name, values, "integers within 2**62", **bounds)


def _quietly(check: Any, name: str, values: ArrayLike, wanted: str, **bounds: Any) -> Any:
    try:
        return np.asarray(check(name, values, **bounds))
    except TypeError:
        raise TypeError(f"{name} must be {wanted}, at least one, and no masked array") from None
    except ValueError:
        raise ValueError(f"{name} must be {wanted}, at least one, in a regular array") from None
