"""An answer that the marker cannot read gets no silent zero: it waits for a person, with a note."""

from __future__ import annotations

from pathlib import Path

import nbformat
from marking.checks import FOR_A_PERSON
from marking.course import mark, write_marks
from marking.sets import COURSE, ProblemSet, fill, reference
from sheets import rows, write

NAME = "laplace"
# The right value, in a form that no marker evaluates.
INTEGRAL = (
    "x = sp.Symbol('x')\nlocal = v / n + 8 * M**2 / (n * alpha**2) * sp.Integral(1, (x, 0, 1))"
)


def test_an_undecided_answer_waits_for_a_person(tmp_path: Path) -> None:
    blank = nbformat.read(COURSE / "release" / NAME / f"{NAME}.ipynb", as_version=4)
    problem_set = ProblemSet.load(NAME)
    answers = reference(problem_set)
    answers["local"] = INTEGRAL
    (tmp_path / "in").mkdir()
    nbformat.write(fill(blank, answers, "anna"), tmp_path / "in" / "anna.ipynb")
    (row,) = rows(mark(NAME, tmp_path / "in", tmp_path / "out"))
    assert float(row["local-test"]) == 0 and row["proofs_to_mark"] == "2"
    sheet = tmp_path / "out" / "proofs.csv"
    lines = rows(sheet)
    (waiting,) = [line for line in lines if line["question"] == "local-test"]
    assert waiting["answer"].startswith(FOR_A_PERSON) and INTEGRAL in waiting["answer"]
    assert waiting["points"] == "" and float(waiting["of"]) == 2
    waiting["points"] = "2"
    write(sheet, lines)
    (row,) = rows(write_marks(tmp_path / "out"))
    assert float(row["local-test"]) == 2 and row["proofs_to_mark"] == "1"
