"""Bad values for every parameter of the public face: a named error comes out, or numbers.

What counts as a failure, and how the face and its calls are found, is told in `fuzzing`.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import fuzzing
import numpy as np
import pytest
from fuzzing import Worker, bad_values, face, judged, not_finite, public_modules, table

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker() as worker:
        yield worker


@pytest.mark.parametrize("name", public_modules())
def test_bad_values_end_in_a_named_error(name: str, worker: Worker) -> None:
    failures = worker.examine(name)
    if failures:
        pytest.fail(f"{len(failures)} bad values:\n{table(failures)}", pytrace=False)


@pytest.mark.long
@pytest.mark.parametrize("name", public_modules())
def test_ends_that_meet_end_in_a_named_error(name: str, worker: Worker) -> None:
    failures = worker.examine(name, met=True)
    if failures:
        pytest.fail(f"{len(failures)} pairs of ends:\n{table(failures)}", pytrace=False)


def test_the_face_is_all_that_a_module_exports() -> None:
    module = importlib.import_module("minimaxdp.laplace")
    found = {target.name.partition(".")[2]: target.kind for target in face(module)}
    abstract = {name for name in module.__all__ if inspect.isabstract(getattr(module, name))}
    assert set(module.__all__) - abstract <= set(found)  # these only in what inherits from them
    assert found["Laplace"] == "class"
    assert set(found.values()) == {"function", "class", "classmethod", "method", "property"}
    assert not [name for name in found if "._" in name]


def test_each_docstring_is_told_before_it_is_run() -> None:
    """On a busy machine all of them together are silent for longer than a call may be."""
    module = importlib.import_module("minimaxdp.channels")
    found = list(fuzzing.examples(module, face(module)))
    assert {f"minimaxdp.channels.{name}" for name in module.__all__} <= set(found)


@pytest.mark.parametrize("rule", [*fuzzing.EXCLUDED, *fuzzing.UNBOUNDED], ids=" ".join)
def test_what_is_left_out_still_exists(rule: tuple[str, str]) -> None:
    name, parameter = rule
    targets = face(importlib.import_module(f"minimaxdp.{name.partition('.')[0]}"))
    (target,) = (target for target in targets if target.name == name)
    assert parameter in [found.name for found in target.parameters]


def test_each_bad_value_is_made_anew() -> None:
    values = bad_values()
    assert len(values) > 50
    make = values["a generator"]
    assert list(make()) == list(make()) != []


def named() -> None:
    raise ValueError("operand must be positive")


def unnamed() -> None:
    raise ValueError("it must be positive")


def failing() -> None:
    len(None + 1)  # the message says "operand" too


def endless() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("call", "doc", "told"),
    [
        (named, "", ""),
        (unnamed, "", "ValueError: it must be positive"),
        (failing, "", "TypeError: unsupported operand"),
        (lambda: np.float64(1e308) * 10, "", "RuntimeWarning: overflow"),
        (lambda: np.empty(2**50), "", "MemoryError"),
        (lambda: [][0], "", "IndexError"),
        (lambda: 1.0, "", ""),
        (lambda: {"a": (1.0, np.array([1.0, np.nan]))}, "", "returns NaN"),
        (lambda: math.nan, "NaN where nothing was drawn.", ""),
        (lambda: math.inf, "", "returns infinity"),
        (lambda: math.inf, "It may be infinite.", ""),
        (endless, "", "not done after 0.05 s"),
    ],
)
def test_what_comes_out_is_judged(call: Callable[[], object], doc: str, told: str) -> None:
    not_finite([1.0])  # what it imports at first takes longer than the call may
    outcome, _ = judged(call, ["operand"], doc, package=HERE, seconds=0.05)
    assert outcome.startswith(told) and bool(outcome) == bool(told)


def test_numbers_are_found_wherever_they_are() -> None:
    import pandas as pd
    import sympy

    assert not_finite([1, "nan", None, {"a": 2.0}, b"", range(3)]) == set()
    assert not_finite([{"a": np.array([1, math.inf], dtype=object)}]) == {"inf"}
    assert not_finite(pd.DataFrame({"a": [1.0, math.nan]})) == {"nan"}
    assert not_finite(value for value in (sympy.nan, sympy.oo)) == {"nan", "inf"}
    assert not_finite(complex(math.inf, math.nan)) == {"nan"}


MODULE = '''"""A face with one fault in each function."""

from __future__ import annotations

import operator
import os
from dataclasses import dataclass

__all__ = ["Raw", "exits", "good", "kept", "silent"]


@dataclass
class Raw:
    """A number is checked, and what was handed over is kept.

    >>> raw = Raw(1)
    """

    n: int

    def __post_init__(self) -> None:
        try:
            operator.index(self.n)
        except TypeError:
            raise TypeError("n must be an integer") from None


def good(n: int, *parts: int, **factors: int) -> int:
    """No fault.

    >>> good(1, 2, a=3)
    6
    """
    for name, values in {"n": [n], "parts": parts, **{k: [v] for k, v in factors.items()}}.items():
        if not all(isinstance(value, int) for value in values):
            raise TypeError(f"{name} must be integers")
    return n + sum(parts) + sum(factors.values())


def kept(n: int) -> int:
    """An operation fails that should have been guarded.

    >>> kept(1)
    2
    """
    return n if isinstance(n, str) else n + 1


def exits(n: int) -> int:
    """The process ends.

    >>> exits(1)
    1
    """
    if n == 2**62:
        os._exit(3)
    return 1


def silent(n: int) -> int:
    """No example."""
    return n
'''


def test_each_fault_of_a_face_is_found(tmp_path: Path) -> None:
    package = tmp_path / "minimaxdp"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "faulty.py").write_text(MODULE)
    with Worker(package) as worker:
        failures = worker.examine("faulty")
    told = {(f.target, f.parameter): f.outcome for f in reversed(failures)}
    at_n = {(f"faulty.{name}", "n") for name in ("Raw", "exits", "kept")}
    assert set(told) == {*at_n, ("faulty.silent", "")}
    assert told["faulty.Raw", "n"] == "is kept as ndarray, not as int"
    assert told["faulty.exits", "n"] == "ends the process, with code 3"
    assert told["faulty.kept", "n"].startswith("TypeError: unsupported operand")
    assert told["faulty.silent", ""] == "no example calls it: add an example to its docstring"
    assert "faulty.exits(n): 2**62 -> ends the process" in table(failures)


MEETING = '''"""A face on which each number alone is fine."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Ratio"]


@dataclass(frozen=True)
class Ratio:
    """A number over others.

    >>> Ratio(1.0).power(2.0)
    0.0009765625
    """

    top: float

    def __post_init__(self) -> None:
        if not 1e-30 < self.top < 1e30:
            raise ValueError("top is out of range")

    def power(self, bottom: float) -> float:
        if not 1e-30 < bottom < 1e30:
            raise ValueError("bottom is out of range")
        return (self.top / bottom) ** 10
'''


def test_ends_that_meet_are_found(tmp_path: Path) -> None:
    package = tmp_path / "minimaxdp"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "guarantees.py").write_text("class Guarantee: pass")
    (package / "meeting.py").write_text(MEETING)
    with Worker(package) as worker:
        (failure,) = worker.examine("meeting", met=True)
    assert failure.parameter == "bottom=1e-20 & top=1e+20"
    assert failure.outcome.startswith("OverflowError")
