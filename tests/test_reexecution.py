"""Running a chapter again changes nothing: the committed outputs are what the code says today."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import matplotlib.image
import nbformat
import numpy as np
import pytest
from notebooks import chapters, execute


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.stem)
def test_a_second_run_changes_nothing(path: Path) -> None:
    committed, again = nbformat.read(path, as_version=4), execute(path)
    for old, new in zip(pictures(committed), pictures(again), strict=True):
        # Pixels, as another processor may round the odd edge of a line to the next shade;
        # what a figure says is asserted by the chapter, on the data it plots.
        assert old.shape == new.shape
        assert abs(old - new).mean() < 1e-3
    assert again == committed


def pictures(notebook: nbformat.NotebookNode) -> list[np.ndarray]:
    """Take the PNG images out of a notebook, decoded."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                png = base64.b64decode(output.data.pop("image/png"))
                found.append(matplotlib.image.imread(io.BytesIO(png)))
    return found
