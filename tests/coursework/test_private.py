"""A private course from its secret to its marks, and a practice set tried by a student."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from marking.sets import COURSE, ProblemSet, fill, reference

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


def test_references_get_full_marks_and_blanks_none(course: Path, tmp_path: Path) -> None:
    blank = nbformat.read(course / "release" / NAME / f"{NAME}.ipynb", as_version=4)
    assert "BEGIN" not in nbformat.writes(blank)
    right = fill(blank, reference(ProblemSet.load(NAME, course)), "anna")
    (tmp_path / "in").mkdir()
    nbformat.write(right, tmp_path / "in" / "anna.ipynb")
    nbformat.write(blank, tmp_path / "in" / "ben.ipynb")
    run("mark", NAME, tmp_path / "in", tmp_path / "out", "--course", course)
    with (tmp_path / "out" / "marks.csv").open(newline="") as file:
        scores = {row["student"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == {"anna": 20, "ben": 0}


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
