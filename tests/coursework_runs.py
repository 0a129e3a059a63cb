"""Run a problem set in this process, many times over: right answers and wrong ones.

This is for trusted answers. What a submission does to the marker is tested in tests/coursework.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import warnings
from types import CodeType

import nbformat
import numpy as np
from marking.judge import generator, judge, local, setting
from marking.sets import COURSE, ProblemSet, about, reference, role, split

# A thousand, or any other number, on demand.
RUNS = int(os.environ.get("MINIMAXDP_RUNS", "100"))
# Of each wrong answer, of which there are many more.
WRONG_RUNS = int(os.environ.get("MINIMAXDP_WRONG_RUNS", RUNS // 4))
# A wrong answer must not lose more than its marks. Chance has no part in that: a few runs tell.
SPARED_RUNS = 2
SEED = "many runs"


def wrong_answers(name: str) -> dict[str, tuple[dict[str, str], list[str]]]:
    """The listed wrong answers of a set: the cells they change, and the tests they must fail."""
    return runpy.run_path(str(COURSE / "wrong" / f"{name}.py"))["WRONG"]


def headings(chapter: str) -> set[str]:
    """The headings of a chapter of the book."""
    notebook = nbformat.read(COURSE.parent / f"{chapter}.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return set(re.findall(r"^##+ (.+?)\s*$", text, flags=re.MULTILINE))


class Rehearsal:
    """The cells of a set, compiled once."""

    def __init__(self, name: str) -> None:
        self.set = ProblemSet.load(name)
        answers = reference(self.set)
        self.setup = [compile(source, f"{name}: setup", "exec") for source in self.set.setup]
        self.answers: dict[str, CodeType] = {}
        self.visible: dict[str, CodeType] = {}
        self.order: list[tuple[str, CodeType]] = []
        for cell in self.set.cells("setup", "answer", "test"):
            key = about(cell)["grade_id"]
            source = answers.get(key, split(cell.source)[0])
            code = compile(source, f"{name}: {key}", "exec")
            self.order.append((key, code))
            if role(cell) == "test":
                self.visible[key] = code
        self.hidden = {
            key: compile(source, f"{name}: {key}, hidden", "exec")
            for key, source in self.set.hidden.items()
        }

    def student(self, student: str) -> tuple[dict, dict]:
        """The names of the locked cells, and those after all reference answers, for a student."""
        with contextlib.redirect_stdout(io.StringIO()):
            names = setting(self.setup, student)
            scope = {"STUDENT": student}
            for _, code in self.order:
                exec(code, scope)
        return names, scope

    def verdict(self, test: str, names: dict, scope: dict, student: str) -> str | None:
        """What the judge says of one test."""
        rng = generator(SEED, student, test)
        return judge(self.hidden[test], names, local(scope), rng)

    def stops(self, test: str, scope: dict) -> bool:
        """Whether the visible part of a test stops with an error."""
        try:
            exec(self.visible[test], dict(scope))
        except Exception:
            return True
        return False

    def seen(self, wrong: dict[str, tuple[dict[str, str], list[str]]]) -> dict[str, bool]:
        """Whether the visible tests notice each wrong answer, for one student."""
        _, scope = self.student("a-student")
        found = {}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, (cells, lost) in wrong.items():
                other = dict(scope)
                for code in self.changed(name, cells):
                    with contextlib.suppress(Exception):
                        exec(code, other)
                found[name] = any(self.stops(test, other) for test in lost)
        return found

    def changed(self, name: str, cells: dict[str, str]) -> list[CodeType]:
        """The cells to run last: the wrong ones, and functions below them, which may call them.

        Formulas stand alone, so cells that use sympy need no second run.
        """
        keys = [about(cell)["grade_id"] for cell in self.set.cells("answer")]
        codes, began = [], False
        for key, code in self.order:
            if key in cells:
                codes.append(compile(cells[key], f"{name}: {key}", "exec"))
                began = True
            elif began and key in keys and "sp" not in code.co_names:
                codes.append(code)
        return codes

    def run(self, wrong: dict[str, tuple[dict[str, str], list[str]]], runs: int = RUNS) -> dict:
        """Count right answers refused and wrong answers caught over as many students as runs."""
        changed = {name: (self.changed(name, cells), lost) for name, (cells, lost) in wrong.items()}
        refused = dict.fromkeys(self.hidden, 0)
        caught = {(name, test): 0 for name, (_, lost) in changed.items() for test in lost}
        reasons: dict[str, str] = {}
        robbed: list[tuple[str, str]] = []
        # A wrong answer must be caught by its value, not by a warning on its way.
        with np.errstate(all="ignore"):
            self._students(runs, changed, refused, caught, reasons, robbed)
        return {"refused": refused, "caught": caught, "reasons": reasons, "robbed": robbed}

    def _students(
        self, runs: int, changed: dict, refused: dict, caught: dict, reasons: dict, robbed: list
    ) -> None:
        for index in range(runs):
            student = f"student-{index}"
            names, scope = self.student(student)
            for test in self.hidden:
                reason = self.verdict(test, names, scope, student)
                if reason is not None:
                    refused[test] += 1
                    reasons[test] = reason
            for name, (codes, lost) in changed.items() if index < WRONG_RUNS else ():
                other = dict(scope)
                for code in codes:
                    # What stops with an error leaves its names undefined, as in a notebook.
                    with contextlib.suppress(Exception):
                        exec(code, other)
                for test in lost:
                    seen = self.verdict(test, names, other, student) or self.stops(test, other)
                    caught[name, test] += bool(seen)
                for test in set(self.hidden) - set(lost) if index < SPARED_RUNS else ():
                    if self.stops(test, other) or self.verdict(test, names, other, student):
                        robbed.append((name, test))


def count(name: str) -> dict:
    """All runs of one set."""
    return Rehearsal(name).run(wrong_answers(name))
