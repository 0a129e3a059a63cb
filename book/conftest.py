"""A second run of a chapter changes nothing, its pictures included.

nbval runs every cell and compares its text; what it passes over is compared
here, in the same run.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Generator

import matplotlib.image
import nbformat
import numpy as np
import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell
from notebooks import normal_outputs


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """After nbval's comparison, compare all that the cell wrote."""
    result = yield
    if isinstance(item, IPyNbCell):
        committed, again = parts(item.cell.outputs), parts(item.test_outputs)
        for old, new in zip(pictures(committed), pictures(again), strict=True):
            # Pixels, as another processor may round the odd edge of a line to
            # the next shade; what a figure says is asserted by the chapter.
            assert old.shape == new.shape
            assert abs(old - new).mean() < 1e-3
        assert again == committed
    return result


def parts(outputs: list[NotebookNode]) -> list[dict]:
    """Outputs in normal form, without the number of the run."""
    return [
        {
            key: value
            for key, value in output.items()
            if key != "execution_count"
        }
        for output in normal_outputs(nbformat.from_dict(outputs))
    ]


def pictures(outputs: list[dict]) -> list[np.ndarray]:
    """Take the PNG images out of a cell's outputs, decoded."""
    found = []
    for output in outputs:
        if "image/png" in output.get("data", {}):
            png = base64.b64decode(output["data"].pop("image/png"))
            found.append(matplotlib.image.imread(io.BytesIO(png)))
    return found
