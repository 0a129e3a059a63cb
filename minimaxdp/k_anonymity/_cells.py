"""How values and generalised cells are written."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_NUMBER = r"(-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf))"
INTERVAL = re.compile(rf"([\[(]){_NUMBER}, {_NUMBER}([\])])")
BOUND = re.compile(rf"([<>≤≥]) ?{_NUMBER}")
SET = re.compile(r"\{(.*)\}")
MASK = re.compile(r".*\*")


def text(value: Any) -> str:
    """A value as it is written in a cell: 28.0 as 28, everything else as str writes it."""
    if isinstance(value, (float, np.floating)) and np.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def plain(name: str, value: Any) -> str:
    """The text of a raw value, refused if it would read as a generalised cell or split a set."""
    written = text(value)
    if any(p.fullmatch(written) for p in (INTERVAL, BOUND, SET, MASK)) or ", " in written:
        raise ValueError(
            f"{name} must not read as a generalised cell and must hold no comma, got {value!r}"
        )
    return written
