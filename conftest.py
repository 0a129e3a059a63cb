"""What all tests share: one thread of linear algebra each, and numbers as people write them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

# There are as many workers as cores, and their threads would wait for each other. Said before numpy
# is loaded; the workers, and the kernels of the chapters, hear it from here.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402


@pytest.fixture(autouse=True)
def _plain_numbers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Examples in docstrings print 0.39, not np.float64(0.39)."""
    if not isinstance(request.node, pytest.DoctestItem):
        yield
        return
    with np.printoptions(legacy="1.25"):
        yield
