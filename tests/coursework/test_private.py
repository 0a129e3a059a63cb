"""A private course from its secret to its marks, and a practice set tried by a student."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from marking.proofs import code
from marking.sets import COURSE, ProblemSet, fill, reference
from sheets import by_student, rows, write

NAME = "accounting"


def run(*arguments: object, fails: bool = False) -> str:
    command = [sys.executable, str(COURSE / "course.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("private") / "course"
    assert str(folder / "source" / NAME / f"{NAME}.ipynb") in run("new-course", folder)
    run("release", NAME, "--course", folder)
    return folder


def test_references_get_full_marks_and_blanks_none_and_proofs_theirs(
    course: Path, tmp_path: Path
) -> None:
    blank = nbformat.read(course / "release" / NAME / f"{NAME}.ipynb", as_version=4)
    text = nbformat.writes(blank)
    assert "BEGIN" not in text and "Reference" not in text and "YOUR ANSWER HERE" in text
    assert text.count("personal_check(lambda") == 5
    problem_set = ProblemSet.load(NAME, course)
    (proof,) = problem_set.proofs
    right = reference(problem_set)
    (tmp_path / "in").mkdir()
    nbformat.write(fill(blank, right, "anna"), tmp_path / "in" / "anna.ipynb")
    nbformat.write(blank, tmp_path / "in" / "ben.ipynb")
    out = tmp_path / "out"
    run("mark", NAME, tmp_path / "in", out, "--course", course)
    marks = by_student(out / "marks.csv")
    assert {student: float(row["score"]) for student, row in marks.items()} == {
        "anna": 20 - problem_set.points[proof],
        "ben": 0,
    }
    assert [marks[student]["proofs_to_mark"] for student in ("anna", "ben")] == ["1", "0"]
    # Nothing waited for the checks by which students help themselves.
    assert "personal_check(lambda" not in (out / "records" / "anna.json").read_text()
    (line,) = rows(out / "proofs.csv")
    assert line["code"] == code(json.loads((out / "run.json").read_text())["seed"], "anna")
    page = (out / "proofs" / f"{proof}.html").read_text()
    assert line["code"] in page and "<math" in page and "anna" not in page
    write(out / "proofs.csv", [line | {"points": "3.5", "comment": "(b) at both?"}])
    run("marks", out)
    assert by_student(out / "marks.csv")["anna"]["score"] == "19.5"
    run("mark", NAME, tmp_path / "in", out, "--course", course, "--only", "anna")
    row = by_student(out / "marks.csv")["anna"]
    assert row["score"] == "19.5" and row["proofs_to_mark"] == "0"
    assert rows(out / "proofs.csv")[0]["comment"] == "(b) at both?"


def test_a_set_that_is_not_there_and_a_folder_that_is_none_are_named(tmp_path: Path) -> None:
    assert "set must be one of" in run("mark", "nothing", tmp_path, tmp_path / "out", fails=True)
    assert "no private course" in run("check", tmp_path, fails=True)


def test_a_student_tries_a_practice_set(tmp_path: Path) -> None:
    blank = nbformat.read(COURSE / "release" / "density" / "density.ipynb", as_version=4)
    answers = reference(ProblemSet.load("density"))
    answers["attack"] = "def attack(sent):\n    return np.zeros(len(sent), dtype=int)"
    answers["variance"] = answers["variance"].replace("8 * K**2", "4 * K**2")
    nbformat.write(fill(blank, answers, "anna"), tmp_path / "mine.ipynb")
    lines = dict(
        line.split(": ", 1) for line in run("try", "density", tmp_path / "mine.ipynb").splitlines()
    )
    assert lines["attack-test"].startswith("0 of 3, ") and "(read “" in lines["attack-test"]
    assert lines["rates-test"] == "2 of 2"
    assert "noise without its own variance of two (read" in lines["variance-test"]
    assert "proof" in lines["bias"]
