"""Independent coins of a given probability, by few random bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["coins"]


def coins(probability: float, tossed: NDArray[np.bool_], rng: np.random.Generator) -> None:
    """Fill a contiguous array with coins, each true with the same probability, independently.

    A uniform number is compared with the probability: its first 16 bits, and 53 more only where
    those are equal, once in 65536 times. So the law is exact to 2**-69, where a comparison of a
    double with the probability, which takes twice as long, is exact to 2**-53.
    """
    whole, part = divmod(probability * 2**16, 1.0)  # not rounded: a power of two, a remainder
    first = _uniform_16_bits(tossed.size, rng)
    np.less(first, int(whole), out=tossed)
    tied = np.flatnonzero(first == int(whole))
    tossed[tied] = rng.random(tied.size) < part


def _uniform_16_bits(size: int, rng: np.random.Generator) -> NDArray[np.uint16]:
    """Uniform integers of 16 bits, four from each word of 64, the same on every machine."""
    words = rng.integers(0, 2**64, -(-size // 4), dtype=np.uint64)
    return words.astype("<u8", copy=False).view("<u2")[:size]
