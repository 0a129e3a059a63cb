"""Practice sets: a student's own work, judged as it would be if it counted."""

from __future__ import annotations

import secrets
from pathlib import Path

import nbformat

from .batch import LIMITS, Submission, Terms, run_alone
from .sets import COURSE, ProblemSet, read_submission, student_in


def judged(problem_set: ProblemSet, path: Path) -> Submission:
    """Judge a notebook by the code that marks, on inputs drawn afresh."""
    data, name = path.read_bytes(), problem_set.name
    item = Submission(student_in(read_submission(data)), data)
    released = nbformat.read(COURSE / "release" / name / f"{name}.ipynb", as_version=4)
    # What is one's own needs no wall.
    run_alone(item, Terms(problem_set, released, secrets.token_hex(16), "none", LIMITS))
    return item


def report(name: str, path: Path) -> str:
    """A line for each test: its points, and the first cause if they are lost."""
    problem_set = ProblemSet.load(name)
    item = judged(problem_set, path)
    lines = []
    for test, reason in item.reasons.items():
        points = problem_set.points[test]
        lines.append(
            f"{test}: {0 if reason else points:g} of {points:g}{reason and f', {reason}' or ''}"
        )
    lines += [f"{proof}: a proof, compare it with the solution" for proof in problem_set.proofs]
    return "\n".join([*lines, *([item.note] if item.note else [])])
