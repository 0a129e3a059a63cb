"""The types that signatures share.

A function that broadcasts like a ufunc returns a `Real`: a number where all its arguments are
numbers, an array where one of them is an array.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Integer", "Real", "Rng"]

Array = NDArray[np.float64]
Real = float | Array
Integer = int | NDArray[np.int64]
Rng = np.random.Generator | int | None
