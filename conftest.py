"""Examples in docstrings print numbers as people write them: 0.39, not np.float64(0.39)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _plain_numbers(request: pytest.FixtureRequest) -> Iterator[None]:
    if not isinstance(request.node, pytest.DoctestItem):
        yield
        return
    with np.printoptions(legacy="1.25"):
        yield
