"""Sign vectors and their transform; the sampler is tested where it is used."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.linalg import hadamard

from minimaxdp.cube import corners, walsh_hadamard


@pytest.mark.parametrize("d", [0, 1, 2, 5])
def test_corners_are_all_sign_vectors_in_order(d: int) -> None:
    expected = list(product((-1.0, 1.0), repeat=d))
    assert corners(d).shape == (2**d, d) and [tuple(row) for row in corners(d)] == expected


@pytest.mark.parametrize("length", [1, 2, 8, 64])
def test_transform_is_the_product_with_the_matrix(length: int) -> None:
    values = np.random.default_rng(0).integers(-100, 100, (3, 2, length))
    found = walsh_hadamard(values)
    assert found.dtype == values.dtype and np.array_equal(found, values @ hadamard(length))
    assert np.array_equal(walsh_hadamard(found), length * values)


@pytest.mark.parametrize(
    ("call", "error", "condition"),
    [
        (lambda: corners(25), ValueError, "d must be"),
        (lambda: corners(2.0), TypeError, "d must be"),
        (lambda: walsh_hadamard([1, 2, 3]), ValueError, "power of two"),
        (lambda: walsh_hadamard(1.0), ValueError, "power of two"),
        (lambda: walsh_hadamard(["a", "b"]), TypeError, "real numbers"),
    ],
)
def test_bad_input_is_refused(call, error: type, condition: str) -> None:  # noqa: ANN001
    with pytest.raises(error, match=condition):
        call()
