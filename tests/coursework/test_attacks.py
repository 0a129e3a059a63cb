"""Every listed attack against a real marker: contained, noted, and nobody else's trouble."""

from __future__ import annotations

import json
import platform
import socket
from pathlib import Path

import nbformat
import psutil
import pytest
from attacks import ATTACKS, GOT, Attack
from marking.course import generate, mark
from marking.sets import COURSE, fill
from sheets import by_student

SECRET = "a-secret-of-the-instructor"
LIMITS = {"cell": 4.0, "submission": 90.0, "memory": 2**30}
RIGHT = {"six": "six = 6", "double": "def double(x):\n    return 2 * x"}
NAME = "tiny"


def tiny(course: Path) -> None:
    """A course of one set with two questions, of one point each."""

    def cell(key: str, source: str, **more: object) -> nbformat.NotebookNode:
        about = {"grade_id": key, "schema_version": 3, "task": False, "locked": True}
        about |= {"grade": False, "solution": False, **more}
        return nbformat.v4.new_code_cell(source, id=key, metadata={"nbgrader": about})

    cells = [nbformat.v4.new_code_cell("STUDENT = ''", id="student")]
    hidden = {"six": 'near(answer("six"), 6)', "double": 'same(answer("double"), twice, [(3,)])'}
    for key, test in hidden.items():
        blank = f"### BEGIN SOLUTION\n{RIGHT[key]}\n### END SOLUTION"
        if key == "double":
            test = f"twice = lambda x: 2 * x\n{test}"
        test = f"{key}\n### BEGIN HIDDEN TESTS\n{test}\n### END HIDDEN TESTS"
        cells += [
            cell(key, blank, solution=True, locked=False),
            cell(f"{key}-test", test, grade=True, points=1),
        ]
    place = course / "source" / NAME / f"{NAME}.ipynb"
    place.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), place)
    (course / "order.txt").write_text(NAME)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    tiny(folder)
    return folder


def student(index: int) -> str:
    return f"attack-{index:02d}"


@pytest.fixture(scope="module")
def marked(a_wall: str, course: Path, tmp_path_factory: pytest.TempPathFactory) -> dict:
    """All attacks marked together, two at a time, beside two honest submissions."""
    base = tmp_path_factory.mktemp("attacked")
    folder, out, home = base / "in", base / "out", base / "home"
    folder.mkdir()
    home.mkdir()
    (home / "notes").write_text(SECRET)
    blank = generate(NAME, base / "scratch", course)
    source = course / "source" / NAME / f"{NAME}.ipynb"
    places = {"HOME": str(home), "SOURCE": str(source), "OTHER": str(folder / "zoe.ipynb")}
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("A_SECRET", SECRET)
        places |= {"PORT": server.getsockname()[1]}
        told = "\n".join(f"{name} = {value!r}" for name, value in places.items())
        for index, attack in enumerate(ATTACKS):
            notebook = fill(blank, RIGHT | attack.answers, student(index))
            notebook.cells.insert(1, nbformat.v4.new_code_cell(f"{told}\n{attack.code}"))
            (folder / f"{student(index)}.ipynb").write_text(json.dumps(notebook))
        for honest in ("anna", "zoe"):
            (folder / f"{honest}.ipynb").write_text(json.dumps(fill(blank, RIGHT, honest)))
        before = {path: path.read_bytes() for path in [source, *folder.iterdir()]}
        path = mark(NAME, folder, out, course, limits=LIMITS)
    return {"rows": by_student(path), "out": out, "before": before}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.title)
def test_attack_is_contained_and_noted(attack: Attack, marked: dict) -> None:
    if "call(" in attack.code and platform.machine() != "x86_64":
        pytest.skip("the numbers of the calls are those of x86_64")
    who = student(ATTACKS.index(attack))
    row = marked["rows"][who]
    record = json.loads((marked["out"] / "records" / f"{who}.json").read_text())
    lost = {test for test in ("six-test", "double-test") if float(row[test]) == 0}
    assert lost == attack.lost, row
    assert any(word in row["note"] for word in attack.note) and bool(row["note"]) == (
        attack.note != ("",)
    ), row["note"]
    seen = json.dumps(record)
    assert GOT not in seen and SECRET not in seen and "solution" not in seen.lower()


def test_the_honest_are_marked_as_if_alone(marked: dict) -> None:
    for who in ("anna", "zoe"):
        assert marked["rows"][who]["score"] == "2.0" and marked["rows"][who]["note"] == ""


def test_nothing_is_changed_and_nothing_stays(marked: dict) -> None:
    for path, data in marked["before"].items():
        assert path.read_bytes() == data
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or [])
        assert "86399" not in line and "serve(encode" not in line


def test_the_guide_says_how_each_attack_ends() -> None:
    guide = (COURSE / "instructor.md").read_text()
    assert len({attack.title for attack in ATTACKS}) == len(ATTACKS) >= 20
    missing = [attack.title for attack in ATTACKS if attack.title not in guide]
    assert not missing, missing
