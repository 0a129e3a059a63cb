"""The commands of the guide, on a copy of the course: release, mark, write the marks again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from marking import batch, course
from marking.proofs import code
from marking.sets import COURSE, ProblemSet, fill, names, reference
from sheets import by_student, rows, write

NAME = "density"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course as a clean clone holds it, without what is made from the sources."""
    folder = tmp_path_factory.mktemp("clone") / "coursework"
    shutil.copytree(COURSE, folder, ignore=shutil.ignore_patterns("__pycache__", "release"))
    return folder


@pytest.fixture(scope="module")
def released(clone: Path) -> Path:
    run(clone, "release")
    return clone / "release"


def run(clone: Path, *arguments: str) -> str:
    command = [sys.executable, str(clone / "course.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=clone.parent)
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return done.stdout


def test_the_version_of_a_gradebook_is_the_one_that_nbgrader_would_ask_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = "import nbgrader.api; print(nbgrader.api.get_alembic_version())"
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert course.gradebook_version() == done.stdout.strip()


def test_release_is_exactly_what_the_sources_generate(released: Path) -> None:
    made = sorted(path.relative_to(released) for path in released.rglob("*") if path.is_file())
    ours = COURSE / "release"
    kept = sorted(path.relative_to(ours) for path in ours.rglob("*") if path.is_file())
    assert made == kept and len(made) == len(names()) + 1
    for path in made:
        assert (released / path).read_bytes() == (COURSE / "release" / path).read_bytes(), path


def test_releasing_again_changes_no_byte(clone: Path, released: Path) -> None:
    before = {path: path.read_bytes() for path in released.rglob("*") if path.is_file()}
    run(clone, "release", NAME)
    assert before == {path: path.read_bytes() for path in released.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("a_wall")
def test_three_kinds_of_submission_are_marked_and_proofs_added(
    clone: Path, released: Path, tmp_path: Path
) -> None:
    folder, out = tmp_path / "submissions", tmp_path / "marks"
    blank = nbformat.read(released / NAME / f"{NAME}.ipynb", as_version=4)
    problem_set = ProblemSet.load(NAME)
    right = reference(problem_set)
    places = {
        "anna": folder / "anna.ipynb",
        "ben@example.org": folder / "ben@example.org" / f"{NAME}.ipynb",
        "carla-7": folder / "carla-7" / NAME / f"{NAME}.ipynb",
    }
    contents = {
        "anna": fill(blank, right, "anna"),
        "ben@example.org": blank,
        "carla-7": fill(blank, right | {"attack": "def attack(sent):\n    return [0]"}, "anna"),
    }
    for student, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(contents[student], place)
    assert run(clone, "mark", NAME, str(folder), str(out)).strip() == str(out / "marks.csv")
    marks, proof = by_student(out / "marks.csv"), problem_set.points["bias"]
    scores = {student: float(row["score"]) for student, row in marks.items()}
    assert scores == {"anna": 20 - proof, "ben@example.org": 0, "carla-7": 17 - proof}
    assert [marks[student]["proofs_to_mark"] for student in places] == ["1", "0", "1"]
    run_of = json.loads((out / "run.json").read_text())
    reasons = run_of["reasons"]["carla-7"]
    assert reasons["attack-test"] and sum(bool(reason) for reason in reasons.values()) == 1

    sheet = out / "proofs.csv"
    answers = rows(sheet)
    given = {code(run_of["seed"], "anna"): "4", code(run_of["seed"], "carla-7"): "1.5"}
    assert [row["code"] for row in answers] == sorted(given)
    for row in answers:
        row["points"] = given[row["code"]]
    write(sheet, answers)
    run(clone, "marks", str(out))
    marks = by_student(out / "marks.csv")
    scores = {student: float(row["score"]) for student, row in marks.items()}
    assert scores == {"anna": 20, "ben@example.org": 0, "carla-7": 14.5}
    assert all(row["proofs_to_mark"] == "0" for row in marks.values())


@pytest.mark.parametrize("kind", ["empty", "already there", "no wall"])
def test_what_cannot_be_marked_is_refused(clone: Path, tmp_path: Path, kind: str) -> None:
    folder, out = tmp_path / "submissions", tmp_path / "marks"
    folder.mkdir()
    if kind != "empty":
        (folder / "anna.ipynb").write_text("{}")
    if kind == "already there":
        (out / "course").mkdir(parents=True)
    command = [sys.executable, str(clone / "course.py"), "mark", NAME, str(folder), str(out)]
    search = {"PATH": str(tmp_path)} if kind == "no wall" else {}
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | search)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    said = {"empty": "no submission", "already there": "holds marks already"}
    assert said.get(kind, "Install bubblewrap") in done.stderr
    assert not (out / "marks.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mark", NAME, "a.ipynb", "out"), "Not a directory"),
        (("mark", NAME, "missing", "out"), "No such file"),
        (("marks", "missing"), "No such file"),
        (
            ("collect", "moodle", ".", "in", "--set", NAME, "--roster", "."),
            "Is a directory",
        ),
        (("try", NAME, "a.ipynb"), "the cell with the id cannot be read"),
    ],
)
def test_a_wrong_argument_is_told_in_a_line(
    clone: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    cell = nbformat.v4.new_code_cell("STUDENT = 0123")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "a.ipynb")
    command = [sys.executable, str(clone / "course.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and words in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "out").exists()


def test_two_commands_do_not_work_in_one_folder(tmp_path: Path) -> None:
    with batch.alone(tmp_path / "out"):
        with (
            pytest.raises(ValueError, match="another command is at work in"),
            batch.alone(tmp_path / "out"),
        ):
            pass
        with batch.alone(tmp_path / "other"):
            pass
    with batch.alone(tmp_path / "out"):
        pass
