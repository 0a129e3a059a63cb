"""Which tests reach which lines of the package, and how long each of them takes.

``measure(folder)`` runs the suite once, with this file as a plugin of pytest in each worker:
coverage notes for each line the tests that run it, also those that ask a process of their own what
is on record. Tests of pages and of the site are left out, and of those that are marked long all but
the tests of the theory.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "minimaxdp"
FOLDER = "MINIMAXDP_REACH"  # the variable that names where the plugin writes
# Files of tests that are worth their time even where they are marked long.
MODULES = [path.stem for path in PACKAGE.glob("[a-z]*") if path.suffix != ".typed"]
THEORY = ("test_recorded", "test_fuzz", *(f"test_{name}" for name in MODULES))

# --- the plugin: only in a process that is told where to write -----------------------------------

_seconds: Counter[str] = Counter()
_measured: coverage.Coverage | None = None
# The workers run the tests; what they import first must be seen as well.
if FOLDER in os.environ and "PYTEST_XDIST_WORKER" in os.environ:
    _measured = coverage.Coverage(
        data_file=str(Path(os.environ[FOLDER]) / "coverage"),
        data_suffix=True,
        source=[str(PACKAGE)],
        config_file=False,
    )
    _measured.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if _measured:
        _measured.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        if _measured:
            _measured.switch_context("")


def _is_of_the_package(item: pytest.Item) -> bool:
    if {"browser", "site"} & set(getattr(item, "fixturenames", ())):
        return False
    return "long" not in item.keywords or item.path.stem.startswith(THEORY)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept = [item for item in items if _is_of_the_package(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


@contextmanager
def noted(test: str) -> Iterator[None]:
    """For a process that a test has started and may kill: what runs here counts as the test's."""
    assert _measured
    _measured.switch_context(test)
    try:
        yield
    finally:
        _measured.switch_context("")
        _measured.save()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish() -> None:
    if _measured:
        _measured.stop()
        _measured.save()
    elif FOLDER in os.environ:
        (Path(os.environ[FOLDER]) / "seconds.json").write_text(json.dumps(_seconds))


# --- what it wrote -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reach:
    """For each file below the package and each line of it, the tests that run it."""

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    @property
    def names(self) -> list[str]:
        """All tests that run a line of the package."""
        return sorted(
            {test for file in self.lines.values() for tests in file.values() for test in tests}
        )

    def tests(self, file: str, line: int) -> list[str]:
        """Tests that run a statement, the quickest first. Of what runs when the file is imported,
        they are those of the function around it, or of the whole file: it makes no difference
        which test was the first to import it."""
        source, reached = (PACKAGE / file).read_text(), self.lines.get(file, {})
        inside = _bodies(source)
        for span in spans(source, line):
            called = inside & {*span}
            found = {test for at in called for test in reached.get(at, ()) if test in self.seconds}
            if found:
                return sorted(found, key=lambda test: (self.seconds[test], test))
        return []

    def within(self, tests: Iterable[str], budget: float) -> list[str]:
        """As many of the tests, in their order, as take together no more than a time."""
        chosen: list[str] = []
        for test in tests:
            budget -= self.seconds[test]
            if chosen and budget < 0:
                break
            chosen.append(test)
        return chosen

    def time(self, tests: Iterable[str]) -> float:
        return sum(self.seconds[test] for test in tests)


@cache
def _statements(source: str) -> list[tuple[int, int, bool]]:
    """First and last line of each statement, of a compound one its head; and, marked, of each
    function as a whole."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            found.append((node.lineno, max(end, node.lineno), False))
            if isinstance(node, ast.FunctionDef):
                found.append((node.lineno, node.end_lineno or node.lineno, True))
    return found


@cache
def _bodies(source: str) -> set[int]:
    """The lines that run when a function is called, not when the file is imported."""
    return {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        for line in range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
    }


def spans(source: str, line: int) -> Iterator[range]:
    """Lines around a line: its statement, the functions around it, the file."""
    around = [span for span in _statements(source) if span[0] <= line <= span[1]]
    for start, end, _ in sorted(around, key=lambda span: (span[2], span[1] - span[0])):
        yield range(start, end + 1)
    yield range(1, source.count("\n") + 2)


def measure(folder: Path) -> None:
    """Run the suite once, and write into a folder what its tests reach."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "reach", "-p", "no:nbval", "-p"]
    command += ["no:cacheprovider", "-o", "addopts=", "--doctest-modules"]
    command += ["-n2", "--dist=loadfile", "--ignore-glob=*conftest.py", "tests", "minimaxdp"]
    search = f"{ROOT / 'tests'}{os.pathsep}{ROOT}"
    environment = os.environ | {FOLDER: str(folder), "PYTHONPATH": search}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"the tests fail without any change:\n{done.stdout[-3_000:]}")


def read(folder: Path) -> Reach:
    """What `measure` wrote."""
    whole = coverage.Coverage(data_file=str(folder / "coverage"), config_file=False)
    whole.combine([str(folder)], keep=True)
    data = whole.get_data()
    lines = {}
    for path in data.measured_files():
        reached = data.contexts_by_lineno(path)
        lines[Path(path).relative_to(PACKAGE).as_posix()] = {
            line: [test for test in tests if test] for line, tests in reached.items()
        }
    return Reach(lines, json.loads((folder / "seconds.json").read_text()))
