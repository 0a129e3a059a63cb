"""Sign vectors and their transform; the sampler is tested where it is used."""

from __future__ import annotations

from itertools import product

import mpmath as mp
import numpy as np
import pytest
from scipy.linalg import hadamard

from minimaxdp.hypercube import HypercubeMechanism, alignment, corners, walsh_hadamard


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
        (lambda: corners(24), ValueError, "d must be"),
        (lambda: corners(2.0), TypeError, "d must be"),
        (lambda: walsh_hadamard([1, 2, 3]), ValueError, "power of two"),
        (lambda: walsh_hadamard(1.0), ValueError, "power of two"),
        (lambda: walsh_hadamard(["a", "b"]), TypeError, "real numbers"),
        (lambda: walsh_hadamard([1.0, np.nan]), ValueError, "values must be finite, got nan"),
        (lambda: walsh_hadamard([2**62, 0]), ValueError, "values must lie between"),
        (lambda: walsh_hadamard([-(2**63), 0]), ValueError, "values must be at least"),
        (lambda: walsh_hadamard([1e308, 1e308]), ValueError, "values must lie between"),
        (lambda: HypercubeMechanism(1e-320, 3), ValueError, "epsilon must leave reports"),
        (lambda: HypercubeMechanism(5e-324, 3), ValueError, "epsilon must leave reports"),
        (lambda: HypercubeMechanism(1.0, 3, 1e308), ValueError, "epsilon must leave reports"),
        (
            lambda: HypercubeMechanism(1.0, 2).privatize([[0.0, 0.0]], rng="abc"),
            TypeError,
            "rng must be a Generator",
        ),
    ],
)
def test_bad_input_is_refused(call, error: type, condition: str) -> None:  # noqa: ANN001
    with pytest.raises(error, match=condition):
        call()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint64", "int64"])
def test_transform_of_narrow_integers_does_not_wrap_around(dtype: str) -> None:
    found = walsh_hadamard(np.array([100, 100, 27, 5], dtype=dtype))
    assert found.dtype == np.int64 and found.tolist() == [232, 22, 168, -22]


def test_transform_reaches_the_last_integer() -> None:
    assert walsh_hadamard([2**62 - 1, 2**62 - 1]).tolist() == [2**63 - 2, 0]
    assert walsh_hadamard([2**63 - 1]).tolist() == [2**63 - 1]


def test_transform_of_short_floats_is_in_long_ones() -> None:
    assert walsh_hadamard(np.array([6e4, 6e4], dtype=np.float16)).tolist() == [120_000, 0]


def test_alignment_in_large_dimensions() -> None:
    for d in (1, 2, 99, 1000, 1001, 2001, 10**6 + 1, 10**12, 2**62, 2**63 - 1):
        with mp.workdps(40):
            m = mp.mpf((d + 1) // 2)
            log = mp.loggamma(2 * m + 1) - 2 * mp.loggamma(m + 1) - 2 * m * mp.log(2)
            expected = float(2 * m / d * mp.exp(log))
        assert alignment(d) == pytest.approx(expected, rel=1e-12 if d <= 1000 else 1e-15)


def test_reports_that_no_double_holds_are_refused() -> None:
    # At a small budget a report is some 4 radius / epsilon.
    assert np.isfinite(HypercubeMechanism(1e-3, 1, radius=4e304).magnitude)
    with pytest.raises(ValueError, match="epsilon must leave reports that are doubles"):
        HypercubeMechanism(1e-3, 1, radius=5e304)
