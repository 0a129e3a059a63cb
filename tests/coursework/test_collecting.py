"""Downloads of Moodle and Canvas as classes make them, folders full of anything, and gradebooks."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from marking import collecting, gradebook
from marking.collecting import COLLECTED, collect, submissions
from sheets import by_student, rows

NOTEBOOK = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
DUE = datetime(2026, 11, 30, 23, 59)
ON_TIME, LATE = (2026, 11, 30, 12, 0, 0), (2026, 12, 2, 0, 30, 0)
MOODLE = """Identifier,Full name,ID number,Email address,Grade,Maximum Grade,Feedback comments
Participant 101,Zoë Müller,zmueller,zoe@example.org,,20,
Participant 102,Ann Lee,alee,ann@example.org,,20,
Participant 103,Ann Lee,alee2,ann2@example.org,,20,
Participant 104,Ωmega Ng,ong,omega@example.org,,20,
Participant 105,Absent One,absent,absent@example.org,,20,
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Laplace (4711)
    Points Possible,,,,,20
"Müller, Zoë",501,s1,zmueller,A,
"Lee, Ann",502,s2,alee,A,
"""


def archive(path: Path, files: dict[str, object], time: tuple = ON_TIME) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, data in files.items():
            data, when = data if isinstance(data, tuple) else (data, time)
            made.writestr(zipfile.ZipInfo(name, when), data)
    return path


def roster(folder: Path, text: str, encoding: str = "utf-8-sig") -> Path:
    path = folder / "roster.csv"
    path.write_text(text, encoding=encoding)
    return path


def test_a_download_from_moodle_is_sorted_by_student(tmp_path: Path) -> None:
    download = archive(
        tmp_path / "all.zip",
        {
            "Zoë Müller_101_assignsubmission_file_/laplace.ipynb": NOTEBOOK,
            "Ann Lee_102_assignsubmission_file_/laplace (1).ipynb": (b"old", ON_TIME),
            "Ann Lee_102_assignsubmission_file_/laplace.ipynb": (NOTEBOOK, LATE),
            "Ann Lee_102_assignsubmission_file_/photo.png": b"png",
            "Ann Lee_103_assignsubmission_file_laplace.ipynb": NOTEBOOK,
            "Ωmega Ng_104_assignsubmission_file_/work.pdf": b"pdf",
            "Ann Lee_999_assignsubmission_file_/laplace.ipynb": NOTEBOOK,
            "Nobody Known_998_assignsubmission_file_/laplace.ipynb": NOTEBOOK,
            "readme.txt": b"text",
            "__MACOSX/._laplace.ipynb": b"noise",
        },
    )
    to = tmp_path / "in"
    table = collect("moodle", download, roster(tmp_path, MOODLE), "laplace", to, due=DUE)
    found = by_student(table)
    assert set(found) == {"zmueller", "alee", "alee2", "ong", "absent"}
    assert found["zmueller"]["note"] == "" and found["zmueller"]["days_late"] == "0"
    assert found["alee"]["note"] == "the newest of 3 files" and found["alee"]["days_late"] == "2"
    assert found["ong"]["note"] == "not a notebook"
    assert found["absent"]["note"] == "nothing was handed in"
    assert {row["note"] for row in rows(table) if not row["student"]} == {
        "several in the roster are named Ann Lee",
        "nobody in the roster is named so",
        "the name is not as the system makes it; not a notebook",
    }
    items, refused = submissions(to, "laplace")
    assert [item.student for item in items] == ["absent", "alee", "alee2", "ong", "zmueller"]
    assert [item.data for item in items] == [None, NOTEBOOK, NOTEBOOK, None, NOTEBOOK]
    assert items[1].days_late == 2 and items[0].note == "nothing was handed in"
    assert len(refused) == 3
    with pytest.raises(ValueError, match="is not empty"):
        collect("moodle", download, tmp_path / "roster.csv", "laplace", to)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8", "cp1252"])
def test_a_download_from_canvas_is_sorted_by_student(tmp_path: Path, encoding: str) -> None:
    download = tmp_path / "all"
    download.mkdir()
    (download / "mullerzoe_501_9001_laplace-2.ipynb").write_bytes(NOTEBOOK)
    (download / "leeann_LATE_502_9002_laplace.ipynb").write_bytes(NOTEBOOK)
    text = CANVAS if encoding != "cp1252" else CANVAS.replace(",", ";").replace(";  ", ",  ")
    text = text.replace('"Müller; Zoë"', '"Müller, Zoë"').replace('"Lee; Ann"', '"Lee, Ann"')
    table = collect(
        "canvas", download, roster(tmp_path, text, encoding), "laplace", tmp_path / "in"
    )
    assert {who: row["note"] for who, row in by_student(table).items()} == {
        "zmueller": "",
        "alee": "late, says the system",
    }
    assert by_student(table)["alee"]["days_late"] == "1"


def test_a_name_finds_its_student_where_there_is_no_key(tmp_path: Path) -> None:
    decomposed = "Zoe\u0308 Mu\u0308ller"
    download = archive(
        tmp_path / "all.zip", {f"{decomposed}_7_assignsubmission_file_/a.ipynb": NOTEBOOK}
    )
    names = roster(tmp_path, "id,name\nzoë,Zoë  MÜLLER\n-1,Bad Id\nzoë,Twice\n,No Id\n")
    table = collect("moodle", download, names, "laplace", tmp_path / "in")
    assert by_student(table)["zoë"]["note"] == ""
    assert (tmp_path / "in" / "zoë" / "laplace.ipynb").read_bytes() == NOTEBOOK
    assert {row["note"] for row in rows(table) if not row["student"]} == {
        "the id in the roster is not an id",
        "twice in the roster",
        "no id in the roster",
    }


def test_an_archive_can_do_no_harm(tmp_path: Path) -> None:
    begin = "Ann Lee_102_assignsubmission_file_/"
    link = zipfile.ZipInfo("Zoë Müller_101_assignsubmission_file_/laplace.ipynb", ON_TIME)
    link.external_attr = 0o120777 << 16
    download = tmp_path / "all.zip"
    with zipfile.ZipFile(download, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(f"{begin}../../../../escaped.ipynb", NOTEBOOK)
        made.writestr(link, "/etc/passwd")
        made.writestr("Ωmega Ng_104_assignsubmission_file_/bomb.ipynb", b" " * 10_000_000)
    table = collect("moodle", download, roster(tmp_path, MOODLE), "laplace", tmp_path / "in")
    assert by_student(table)["zmueller"]["note"] == "a symbolic link"
    assert "larger than" in by_student(table)["ong"]["note"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.zip", "in", "roster.csv"]
    assert [path.name for path in (tmp_path / "in").rglob("*.ipynb")] == ["laplace.ipynb"]
    torn = tmp_path / "torn.zip"
    torn.write_bytes(download.read_bytes()[:200])
    with pytest.raises(ValueError, match="not an archive"):
        collect("moodle", torn, tmp_path / "roster.csv", "laplace", tmp_path / "again")


def test_any_file_under_any_name_ends_as_a_row(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "elsewhere.ipynb").write_bytes(NOTEBOOK)
    for name in ("=1+1.ipynb", "laplace (1).ipynb", "a\nb.ipynb", "x.pdf", ".hidden", "-x.ipynb"):
        (folder / name).write_bytes(NOTEBOOK)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.ipynb")).write_bytes(NOTEBOOK)
    (folder / "link.ipynb").symlink_to(tmp_path / "elsewhere.ipynb")
    (folder / "linked").symlink_to(tmp_path)
    for student in ("inner", "pipe", "empty", "other", "both", "deep"):
        (folder / student).mkdir()
    (folder / "inner" / "laplace.ipynb").symlink_to(tmp_path / "elsewhere.ipynb")
    (folder / "deep" / "laplace").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe" / "laplace.ipynb")
    (folder / "other" / "laplace (1).ipynb").write_bytes(NOTEBOOK)
    (folder / "both.ipynb").write_bytes(b"older")
    os.utime(folder / "both.ipynb", (1, 1))
    (folder / "both" / "laplace.ipynb").write_bytes(NOTEBOOK)
    (folder / "huge.ipynb").write_bytes(b" " * 5_000_001)
    (folder / "Zoë.ipynb").write_bytes(NOTEBOOK)
    items, refused = submissions(folder, "laplace")
    assert {item.student: (item.note, item.data is not None) for item in items} == {
        "Zoë": ("", True),
        "both": ("the newest of several files", True),
        "deep": ("a symbolic link", False),
        "empty": ("no file laplace.ipynb", False),
        "huge": ("the file is larger than 5000000 bytes", False),
        "inner": ("a symbolic link", False),
        "other": ("read from laplace (1).ipynb", True),
        "pipe": ("not an ordinary file", False),
    }
    assert dict(refused) == {
        "=1+1.ipynb": "the name is not an id: letters, digits and . _ - @ + '",
        "-x.ipynb": "the name is not an id: letters, digits and . _ - @ + '",
        "laplace (1).ipynb": "the name is not an id: letters, digits and . _ - @ + '",
        "a\\x0ab.ipynb": "the name is not an id: letters, digits and . _ - @ + '",
        "\\udcff\\udcfe.ipynb": "the name is not an id: letters, digits and . _ - @ + '",
        "link.ipynb": "a symbolic link",
        "linked": "a symbolic link",
        "x.pdf": "not a notebook",
    }


def test_what_comes_from_outside_is_no_formula_in_a_table() -> None:
    text = collecting.written(["a", "b"], [["=1+1", 3], ["+x", -2.5], ["@y", 0], ["plain", 1]])
    found = list(csv.reader(io.StringIO(text)))
    assert found[1:] == [["'=1+1", "3"], ["'+x", "-2.5"], ["'@y", "0"], ["plain", "1"]]


@pytest.mark.parametrize("system", ["moodle", "canvas"])
def test_times_of_a_download_are_nobodys(
    system: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Canvas and most versions of Moodle give every file the time at which the archive is made."""
    made, later = (2026, 12, 4, 9, 0, 0), (2026, 12, 4, 9, 4, 0)
    if system == "moodle":
        sheet, files = (
            MOODLE,
            {
                "Zoë Müller_101_assignsubmission_file_/laplace.ipynb": (NOTEBOOK, made),
                "Ann Lee_102_assignsubmission_file_/laplace.ipynb": (NOTEBOOK, made),
                "Ann Lee_103_assignsubmission_file_/laplace.ipynb": (NOTEBOOK, later),
            },
        )
        wanted = {"zmueller": "0", "alee": "0", "alee2": "0"}
    else:
        sheet, files = (
            CANVAS,
            {
                "mullerzoe_501_7002_laplace-1.ipynb": (NOTEBOOK, made),
                "mullerzoe_501_7001_laplace.ipynb": (b"old", later),
                "leeann_LATE_502_8000_laplace.ipynb": (NOTEBOOK, later),
            },
        )
        wanted = {"zmueller": "0", "alee": "1"}
    download = archive(tmp_path / "all.zip", files)
    due = datetime(2026, 12, 1)
    path = collecting.collect(
        system, download, roster(tmp_path, sheet), "laplace", tmp_path / "in", due=due
    )
    found = by_student(path)
    assert {student: found[student]["days_late"] for student in wanted} == wanted
    assert all(row["handed_in"] == "" for row in rows(path))
    assert "the time of the download" in capsys.readouterr().err
    if system == "canvas":  # which numbers what is uploaded
        assert found["zmueller"]["note"] == "the newest of 2 files"
        assert (tmp_path / "in" / "zmueller" / "laplace.ipynb").read_bytes() == NOTEBOOK


def test_ids_that_a_spreadsheet_changed_are_noticed(tmp_path: Path) -> None:
    sheet = "id,name\n00123,Ann Lee\nzoë+1@x.org,Zoë Müller\no'neil,Sean O'Neil\nq,Nobody Here\n"
    download = archive(
        tmp_path / "all.zip",
        {
            "Ann Lee_1_assignsubmission_file_/laplace.ipynb": NOTEBOOK,
            "Zoë Müller_2_assignsubmission_file_/._laplace.ipynb": b"resource",
            "Zoë Müller_2_assignsubmission_file_/Untitled.ipynb": b"draft",
            "Zoë Müller_2_assignsubmission_file_/laplace.ipynb": NOTEBOOK,
            "Sean O'Neil_3_assignsubmission_file_/work.pdf": b"pdf",
        },
    )
    path = collect("moodle", download, roster(tmp_path, sheet), "laplace", tmp_path / "in")
    assert (tmp_path / "in" / "zoë+1@x.org" / "laplace.ipynb").read_bytes() == NOTEBOOK
    items, _ = submissions(tmp_path / "in", "laplace")
    assert [item.student for item in items] == ["00123", "o'neil", "q", "zoë+1@x.org"]
    late = tmp_path / "in" / "q" / "laplace.ipynb"  # which came later
    late.parent.mkdir()
    late.write_bytes(NOTEBOOK)
    items, _ = submissions(tmp_path / "in", "laplace")
    assert {item.student: item.note for item in items}["q"] == ""
    path.write_text(path.read_text().replace("00123", "123"))
    with pytest.raises(ValueError, match=r"nothing lies there for 123 \(a spreadsheet may"):
        submissions(tmp_path / "in", "laplace")


def test_the_newest_of_two_places_is_taken_and_a_folder_of_sets_refused(tmp_path: Path) -> None:
    old, new = (
        tmp_path / "in" / "ann" / part for part in ("laplace/laplace.ipynb", "laplace.ipynb")
    )
    old.parent.mkdir(parents=True)
    for path, data, when in ((old, b"old", 1_000), (new, NOTEBOOK, 2_000)):
        path.write_bytes(data)
        os.utime(path, (when, when))
    (item,), _ = submissions(tmp_path / "in", "laplace")
    assert (item.data, item.note) == (NOTEBOOK, "the newest of several files")
    (tmp_path / "in" / "laplace").mkdir()
    with pytest.raises(ValueError, match="is a folder of the set and not of a student"):
        submissions(tmp_path / "in", "laplace")


def test_a_name_that_fits_several_is_not_called_absent(tmp_path: Path) -> None:
    sheet = "id,name\na,Ann Lee\nb,Ann Lee\nc,Cy Who\n"
    download = archive(tmp_path / "all.zip", {"Ann Lee_9_assignsubmission_file_/x.ipynb": NOTEBOOK})
    found = by_student(
        collect("moodle", download, roster(tmp_path, sheet), "laplace", tmp_path / "in")
    )
    told = "a file under this name fits several in the roster"
    assert [found[who]["note"] for who in "abc"] == [told, told, "nothing was handed in"]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("2026-11-30", datetime(2026, 11, 30, 23, 59, 59)),
        ("2026-11-30T18:00", datetime(2026, 11, 30, 18, 0, 59)),
        ("2026-11-30 18:00:30", datetime(2026, 11, 30, 18, 0, 30)),
        (
            "2026-11-30T18:00:30Z",
            datetime(2026, 11, 30, 18, 0, 30, tzinfo=UTC).astimezone().replace(tzinfo=None),
        ),
    ],
)
def test_a_set_is_due_in_local_time_and_a_day_whole(text: str, due: datetime) -> None:
    assert collecting.due_time(text) == due


def test_a_whole_class_after_the_date_bears_the_time_of_a_long_download(tmp_path: Path) -> None:
    files = {
        f"A B_{i}_assignsubmission_file_/laplace.ipynb": (NOTEBOOK, (2026, 12, 4, 9, 15 * i, 0))
        for i in range(4)
    }
    sheet = "Identifier,id,Full name\n" + "".join(f"Participant {i},x{i},A B\n" for i in range(4))
    path = collect(
        "moodle",
        archive(tmp_path / "all.zip", files),
        roster(tmp_path, sheet),
        "laplace",
        tmp_path / "in",
        due=datetime(2026, 12, 1),
    )
    assert [row["days_late"] for row in rows(path)] == ["0"] * 4


def test_a_roster_in_two_bytes_a_letter_is_read(tmp_path: Path) -> None:
    found = collecting.Roster(roster(tmp_path, "id\tname\nann\tÄnn Lee\n", "utf-16"))
    assert list(found.rows) == ["ann"]


# Gradebooks


def marks(folder: Path, name: str, scores: dict[str, tuple[float, int, int, str]]) -> Path:
    out = folder / f"marks-{name}"
    out.mkdir()
    (out / "run.json").write_text(json.dumps({"set": name}))
    columns = ["student", "set", "score", "max_score", "proofs_to_mark", "days_late", "note"]
    lines = [
        [who, name, score, 20.0, proofs, late, note]
        for who, (score, proofs, late, note) in scores.items()
    ]
    (out / "marks.csv").write_text(collecting.written(columns, lines))
    return out


@pytest.fixture
def outs(tmp_path: Path) -> list[Path]:
    return [
        marks(
            tmp_path, "laplace", {"zmueller": (18.5, 0, 2, "memory: scale"), "x": (1.0, 0, 0, "")}
        ),
        marks(tmp_path, "density", {"zmueller": (11.0, 1, 0, ""), "alee": (20.0, 0, 1, "")}),
    ]


def test_a_gradebook_has_all_sets_days_late_and_notes(
    tmp_path: Path, outs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = gradebook.write(outs, roster(tmp_path, CANVAS), tmp_path / "course.csv")
    found = by_student(path)
    assert list(found) == ["alee", "zmueller", "x"]
    zoe = found["zmueller"]
    assert (zoe["laplace"], zoe["laplace_days_late"], zoe["density"]) == ("18.5", "2", "11.0")
    assert (zoe["total"], zoe["days_late"], zoe["proofs_to_mark"]) == ("29.5", "2", "1")
    assert zoe["note"] == "laplace: memory: scale"
    assert found["alee"]["note"] == "laplace: nothing was handed in"
    assert found["x"]["note"].startswith("not in the roster")
    assert capsys.readouterr().err == "density: 1 proofs are not marked yet\n"
    with pytest.raises(ValueError, match="one set twice: laplace, laplace"):
        gradebook.write([outs[0], outs[0]], tmp_path / "roster.csv", tmp_path / "x.csv")


def test_canvas_gets_its_own_columns_back(tmp_path: Path, outs: list[Path]) -> None:
    path = gradebook.write(outs, roster(tmp_path, CANVAS), tmp_path / "canvas.csv", "canvas")
    assert list(csv.reader(path.read_text().splitlines())) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Laplace (4711)", "density"],
        ["    Points Possible", "", "", "", "", "20.0", "20.0"],
        ["Müller, Zoë", "501", "s1", "zmueller", "A", "18.5", "11.0"],
        ["Lee, Ann", "502", "s2", "alee", "A", "0.0", "20.0"],
    ]
    with pytest.raises(ValueError, match="the gradebook that Canvas exports"):
        gradebook.write(outs, roster(tmp_path, MOODLE), tmp_path / "x.csv", "canvas")


def test_ids_that_differ_in_their_case_are_one_and_trouble_is_told(
    tmp_path: Path, outs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = roster(tmp_path, "id,name\nZMueller,Zoë\nALEE,Ann\n,Nemo\nZMueller,Zoë\n")
    with (outs[0] / "marks.csv").open("a") as file:
        file.write("zmueller,laplace,0,20,0,0,twice in the roster\n")
    found = by_student(gradebook.write(outs, sheet, tmp_path / "course.csv"))
    assert (found["ZMueller"]["total"], found["ALEE"]["total"]) == ("29.5", "20.0")
    told = capsys.readouterr().err
    assert "Nemo: no id in the roster" in told and "ZMueller: twice in the roster" in told


@pytest.mark.parametrize("form", ["canvas", "moodle"])
def test_a_roster_with_other_ids_exports_no_zeros(
    form: str, tmp_path: Path, outs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    own = roster(tmp_path, CANVAS if form == "canvas" else MOODLE)
    gradebook.write(outs, own, tmp_path / "some.csv", form)
    assert "laplace: not in the roster, left out: x\n" in capsys.readouterr().err
    other = roster(
        tmp_path, own.read_text("utf-8-sig").replace("zmueller", "z").replace("alee", "a")
    )
    with pytest.raises(ValueError, match="the roster must give the ids under which laplace was"):
        gradebook.write(outs, other, tmp_path / "none.csv", form)
    assert not (tmp_path / "none.csv").exists()


def test_moodle_gets_its_worksheet_filled_in_or_a_column_for_each_set(
    tmp_path: Path, outs: list[Path]
) -> None:
    names = roster(tmp_path, MOODLE)
    sheet = rows(gradebook.write(outs[:1], names, tmp_path / "one.csv", "moodle"))
    assert list(sheet[0]) == MOODLE.splitlines()[0].split(",")
    assert sheet[0]["Grade"] == "18.5" and sheet[0]["Feedback comments"] == "memory: scale"
    assert [row["Grade"] for row in sheet[1:]] == ["0"] * 4
    both = rows(gradebook.write(outs, names, tmp_path / "both.csv", "moodle"))
    assert both[0] == {
        "Identifier": "Participant 101",
        "ID number": "zmueller",
        "Email address": "zoe@example.org",
        "Full name": "Zoë Müller",
        "laplace": "18.5",
        "density": "11.0",
    }


def test_a_roster_that_names_nobody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="names nobody"):
        collecting.Roster(roster(tmp_path, "a,b\n1,2\n"))
    assert COLLECTED.endswith(".csv")
