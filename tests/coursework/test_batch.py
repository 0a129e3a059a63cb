"""A batch that is stopped goes on, a student is marked again, and no file stops the others."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import nbformat
import pytest
import sheets
from marking import batch, course
from marking.batch import write_whole
from marking.proofs import code
from marking.sets import fill
from test_attacks import NAME, RIGHT, tiny

LIMITS = {"cell": 10.0, "submission": 120.0, "memory": 2**30}
# Only what runs a submission is replaced: what is marked here is the batch.
PASSED = [{"cell": 2, "test": "six-test", "reason": None, "text": "", "error": None}]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, nbformat.NotebookNode]:
    """A course of one small set with a proof, and its release."""
    base = tmp_path_factory.mktemp("made")
    tiny(base / "course")
    path = base / "course" / "source" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    about = {"grade_id": "why", "schema_version": 3, "task": False, "locked": False}
    about |= {"grade": True, "solution": True, "points": 2}
    notebook.cells.append(
        nbformat.v4.new_markdown_cell("because", id="why", metadata={"nbgrader": about})
    )
    nbformat.write(notebook, path)
    return base / "course", course.generate(NAME, base / "scratch", base / "course")


@pytest.fixture
def home(made: tuple, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of three submissions, and a marker that trusts its wall."""
    shutil.copytree(made[0], tmp_path / "course")
    nbformat.write(made[1], tmp_path / "blank.ipynb")
    (tmp_path / "in").mkdir()
    for student in ("anna", "ben", "zoë"):
        hand_in(tmp_path, student, f"{student} says so")
    monkeypatch.setattr(course, "choose", lambda *about: "bubblewrap")
    return tmp_path


def hand_in(home: Path, student: str, proof: str, **answers: str) -> None:
    blank = nbformat.read(home / "blank.ipynb", as_version=4)
    notebook = fill(blank, RIGHT | {"why": proof} | answers, student)
    (home / "in" / f"{student}.ipynb").write_text(json.dumps(notebook))


def marker(monkeypatch: pytest.MonkeyPatch, *endings: object) -> list[str]:
    """Let submissions end so, in this order, and then well; return who was run."""
    ran: list[str] = []
    waiting = list(endings)

    def work(task: dict, seconds: float) -> list[dict]:
        ran.append(task["student"])
        ending = waiting.pop(0) if waiting else None
        if isinstance(ending, BaseException):
            raise ending
        return ending if ending is not None else [*PASSED, {"note": "", "again": False}]

    monkeypatch.setattr(batch, "_work", work)
    return ran


def mark(home: Path, **more: object) -> dict[str, dict[str, str]]:
    path = course.mark(
        NAME, home / "in", home / "out", home / "course", processes=1, limits=LIMITS, **more
    )
    return sheets.by_student(path)


def test_a_batch_that_was_stopped_goes_on_where_it_was(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = marker(monkeypatch, None, KeyboardInterrupt(), KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        mark(home)
    assert first[:2] == ["anna", "ben"]
    assert [path.name for path in (home / "out" / "records").iterdir()] == ["anna.json"]
    with pytest.raises(ValueError, match="was stopped: go on with `mark --resume`"):
        course.write_marks(home / "out")
    seed = json.loads((home / "out" / "run.json").read_text())["seed"]
    second = marker(monkeypatch)
    rows = mark(home, resume=True)
    assert second == ["ben", "zoë"] and {row["score"] for row in rows.values()} == {"1.0"}
    assert json.loads((home / "out" / "run.json").read_text())["seed"] == seed
    third = marker(monkeypatch)
    assert mark(home, resume=True) == rows and third == []
    hand_in(home, "ben", "another proof")
    mark(home, resume=True)
    assert third == ["ben"]


def test_a_batch_is_not_begun_over_another(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker(monkeypatch)
    mark(home)
    with pytest.raises(ValueError, match="holds marks already"):
        mark(home)
    with pytest.raises(ValueError, match="began with another seed"):
        mark(home, resume=True, seed="another")
    with pytest.raises(ValueError, match="no submission of carla"):
        mark(home, only=("carla",))


def test_one_student_again_keeps_all_points_of_proofs_that_are_the_same(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker(monkeypatch)
    mark(home)
    sheet = home / "out" / "proofs.csv"
    # As a spreadsheet in another language saves it.
    lines = [line.split(",") for line in sheet.read_text().splitlines()]
    words = '"well done"'
    lines = [
        lines[0],
        *([*who, "1,5", most, words, answer] for *who, _, most, _, answer in lines[1:]),
    ]
    sheet.write_text("\n".join(";".join(line) for line in lines), encoding="utf-8-sig")
    course.write_marks(home / "out")
    ran = marker(monkeypatch)
    hand_in(home, "ben", "ben says so", six="six = 7")
    rows = mark(home, only=("ben",))
    assert ran == ["ben"] and {row["score"] for row in rows.values()} == {"2.5"}
    assert {row["proofs_to_mark"] for row in rows.values()} == {"0"}
    hand_in(home, "ben", "another proof")
    rows = mark(home, only=("ben",))
    seed = json.loads((home / "out" / "run.json").read_text())["seed"]
    who = partial(code, seed)
    assert [rows[who]["score"] for who in ("anna", "ben", "zoë")] == ["2.5", "1.0", "2.5"]
    assert rows["ben"]["proofs_to_mark"] == "1"
    points = {row["code"]: (row["points"], row["comment"]) for row in sheets.rows(sheet)}
    marked = ("1,5", "well done")
    assert points == {who("anna"): marked, who("ben"): ("", ""), who("zoë"): marked}


def test_what_was_stopped_is_run_once_more_alone_before_it_is_called_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = [*PASSED, {"note": "time limit: six", "again": True}]
    ran = marker(monkeypatch, slow, [], None, None, slow)
    rows = mark(home)
    assert ran == ["anna", "ben", "zoë", "anna", "ben"]
    notes = [rows[who]["note"] for who in ("anna", "ben", "zoë")]
    assert notes == ["", "time limit: six", ""]
    again = marker(monkeypatch)
    mark(home, resume=True)
    assert again == []
    marker(monkeypatch, [], [])
    assert "was stopped" in mark(home, only=("zoë",))["zoë"]["note"]


def test_without_a_wall_every_row_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker(monkeypatch)
    (home / "in" / "torn.ipynb").write_text("{")
    rows = mark(home, unprotected=True)
    assert all(row["note"].startswith("marked without a wall") for row in rows.values())
    assert rows["torn"]["note"].endswith("the file is not a notebook")


def test_text_that_no_file_can_hold_stops_nobody(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = "\ud800"
    strange = [
        {"cell": 1, "test": None, "reason": None, "text": half, "error": [half, half]},
        {"cell": 2, "test": "six-test", "reason": half, "text": half, "error": None},
        {"note": half, "again": False},
    ]
    marker(monkeypatch, None, strange)
    hand_in(home, "ben", half, six=f"six = '{half}'")
    rows = mark(home)
    assert [rows[who]["score"] for who in ("anna", "ben", "zoë")] == ["1.0", "0.0", "1.0"]
    assert rows["ben"]["note"] == "?" and rows["ben"]["proofs_to_mark"] == "1"


def notebook(home: Path, student: str) -> nbformat.NotebookNode:
    return nbformat.read(home / "in" / f"{student}.ipynb", as_version=4)


def test_a_proof_with_a_picture_in_its_text_stops_nobody(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = f"![](data:image/png;base64,{'A' * 200_000})"
    hand_in(home, "ben", f"look {picture} here")
    hand_in(home, "zoë", "so " * 70_000)
    marker(monkeypatch)
    assert mark(home)["ben"]["proofs_to_mark"] == "1"
    shown = {row["answer"][:8]: row["answer"] for row in sheets.rows(home / "out" / "proofs.csv")}
    assert shown["look ![]"].startswith("look ![](attachment:pasted-0.png) here")
    assert max(map(len, shown.values())) < 32_767
    page = (home / "out" / "proofs" / "why.html").read_text()
    assert '<img src="data:image/png;base64,AAAA' in page
    course.write_marks(home / "out")


def test_what_a_spreadsheet_makes_of_an_answer_costs_no_points(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(home, "ben", "∀ ε ≤ 1")
    marker(monkeypatch)
    mark(home)
    sheet = home / "out" / "proofs.csv"
    lines = [row | {"points": "2", "comment": "good"} for row in sheets.rows(sheet)]
    sheets.write(
        sheet, [row | {"answer": row["answer"].replace("∀ ε ≤", "? ? ?")} for row in lines]
    )
    course.write_marks(home / "out")
    rows = mark(home, resume=True)
    assert {row["score"] for row in rows.values()} == {"3.0"}
    assert "? ? ?" in (home / "out" / "proofs.csv.before").read_text()


def test_points_are_taken_back_and_every_row_is_wanted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker(monkeypatch)
    mark(home)
    sheet = home / "out" / "proofs.csv"
    lines = sheets.rows(sheet)
    for points, score in (("2", "3.0"), ("", "1.0")):
        sheets.write(sheet, [row | {"points": points} for row in lines])
        rows = sheets.by_student(course.write_marks(home / "out"))
        assert {row["score"] for row in rows.values()} == {score}
    for wrong, words in ((lines[1:], "is missing"), ([*lines, lines[0]], "is not wanted")):
        sheets.write(sheet, wrong)
        with pytest.raises(
            ValueError, match=rf"proofs\.csv: the row of [b-z]{{8}} for why {words}"
        ):
            course.write_marks(home / "out")


def test_cells_that_were_split_copied_or_merged_are_run(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split, merged, missing = (notebook(home, student) for student in ("anna", "ben", "zoë"))
    place = next(i for i, cell in enumerate(split.cells) if "six = 6" in cell.source)
    second = nbformat.from_dict(split.cells[place])
    split.cells[place].source, second.source = "half = 3", "six = 2 * half"
    split.cells.insert(place + 1, second)
    first = next(cell for cell in merged.cells if "STUDENT" in cell.source)
    first.source += "\nimport math\n# a remark"
    del missing.cells[place]
    for student, made in (("anna", split), ("ben", merged), ("zoë", missing)):
        (home / "in" / f"{student}.ipynb").write_text(json.dumps(made))
    marker(monkeypatch)
    rows = mark(home)
    told = {
        student: [
            cell.source
            for cell in nbformat.read(
                home / "out" / "course" / "submitted" / student / NAME / f"{NAME}.ipynb", 4
            ).cells
        ]
        for student in rows
    }
    at = told["anna"].index("half = 3")
    assert told["anna"][at + 1] == "six = 2 * half"
    assert any("import math" in source for source in told["ben"])
    assert rows["zoë"]["note"].startswith("missing cells: ")


def test_an_id_that_is_another_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = notebook(home, "ben")
    first = next(cell for cell in made.cells if "STUDENT" in cell.source)
    first.source = "STUDENT = 'Ben@example.org'"
    (home / "in" / "ben.ipynb").write_text(json.dumps(made))
    marker(monkeypatch)
    assert mark(home)["ben"]["note"] == "the notebook says STUDENT = 'Ben@example.org'"


def test_one_student_again_needs_a_batch_that_is_complete(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker(monkeypatch, None, KeyboardInterrupt(), KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        mark(home)
    with pytest.raises(ValueError, match="is not complete: `mark --resume` first"):
        mark(home, only=("anna",))


def test_a_batch_goes_on_when_a_file_was_named_anew(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker(monkeypatch)
    mark(home)
    (home / "in" / "ben.ipynb").rename(home / "in" / "benny.ipynb")
    rows = mark(home, resume=True)
    assert rows["benny"]["score"] == "1.0"
    assert rows["ben"]["note"] == "no longer among the submissions"


def test_trouble_of_the_machine_is_not_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = [{"note": "no sandbox could be started: mark this submission again ()", "again": True}]
    marker(monkeypatch, None, broken, None, broken)
    assert mark(home)["ben"]["score"] == "0.0"
    assert capsys.readouterr().err.endswith("to be marked again, with --resume: ben\n")
    ran = marker(monkeypatch)
    assert mark(home, resume=True)["ben"]["score"] == "1.0" and ran == ["ben"]
    # What a student writes is no trouble of the machine.
    made = notebook(home, "anna")
    next(
        cell for cell in made.cells if "STUDENT" in cell.source
    ).source = "STUDENT = 'the marker failed'"
    (home / "in" / "anna.ipynb").write_text(json.dumps(made))
    assert mark(home, resume=True)["anna"]["note"].endswith("'the marker failed'")
    assert ran == ["ben", "anna"] and capsys.readouterr().err == ""


def test_a_path_that_nbgrader_cannot_read_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker(monkeypatch)
    with pytest.raises(ValueError, match=r"nbgrader cannot work in a folder with one of \[ \]"):
        course.mark(NAME, home / "in", home / "out [2026]", home / "course", limits=LIMITS)
    assert not (home / "out [2026]").exists()


def test_a_stray_file_of_a_student_takes_no_marks(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "in" / "ben").write_text("stray")
    marker(monkeypatch)
    path = course.mark(NAME, home / "in", home / "out", home / "course", limits=LIMITS)
    (row,) = [row for row in sheets.rows(path) if row["student"] == "ben"]
    assert row["score"] == "1.0" and row["note"] == "not a notebook"


@pytest.mark.parametrize("points", ["many", "-1", "3"])
def test_points_that_cannot_be_are_refused_by_name(
    home: Path, monkeypatch: pytest.MonkeyPatch, points: str
) -> None:
    marker(monkeypatch)
    mark(home)
    sheet = home / "out" / "proofs.csv"
    sheet.write_text(sheet.read_text().replace(",why,,", f",why,{points},"))
    with pytest.raises(ValueError, match=r"proofs\.csv, [b-z]{8} \((anna|ben|zoë)\), why: "):
        course.write_marks(home / "out")


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "folder" / "file"
    write_whole(path, "first")
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", lambda handle: (_ for _ in ()).throw(OSError("no power")))
        with pytest.raises(OSError, match="no power"):
            write_whole(path, "second")
    assert path.read_text() == "first" and [p.name for p in path.parent.iterdir()] == ["file"]
