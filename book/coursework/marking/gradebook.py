"""All sets of a course in one table, for yourself or as Canvas and Moodle import it."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

from .batch import write_whole
from .collecting import Roster, harmless, table, written

FORMS = ("table", "canvas", "moodle")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = ("Identifier", "Username", "ID number", "Email address", "Full name")


def write(outs: list[Path], roster_path: Path, to: Path, form: str = "table") -> Path:
    """Write the marks of all these folders of marks, a row for everybody in the roster."""
    roster = Roster(roster_path)
    sets = [json.loads((out / "run.json").read_text())["set"] for out in outs]
    if len(set(sets)) < len(sets):
        raise ValueError(f"one set twice: {', '.join(sorted(sets))}")
    for who, why in roster.trouble:
        print(f"{roster_path}: {who or 'a row without a name'}: {why}", file=sys.stderr)
    marks = {name: _marks(roster, out) for name, out in zip(sets, outs, strict=True)}
    waiting = {
        name: sum(int(row["proofs_to_mark"]) for row in rows.values())
        for name, rows in marks.items()
    }
    for name, count in waiting.items():
        if count:
            print(f"{name}: {count} proofs are not marked yet", file=sys.stderr)
    for name, rows in marks.items() if form != "table" else ():
        strangers = sorted(rows.keys() - roster.rows.keys())
        if strangers and len(strangers) == len(rows):
            raise ValueError(
                f"the roster must give the ids under which {name} was marked, such as "
                f"{strangers[0]}; it gives {', '.join([*roster.rows][:3])}"
            )
        if strangers:
            print(f"{name}: not in the roster, left out: {', '.join(strangers)}", file=sys.stderr)
    if form == "table":
        text = _table(roster, marks)
    elif form == "canvas":
        text = _canvas(roster, marks)
    else:
        text = _moodle(roster, marks)
    write_whole(to, text)
    return to


def _marks(roster: Roster, out: Path) -> dict[str, dict[str, str]]:
    """The rows of a folder of marks by the ids of the roster, in which a letter may be small
    where the other is large."""
    alike: dict[str, list[str]] = {}
    for student in roster.rows:
        alike.setdefault(student.casefold(), []).append(student)
    found: dict[str, dict[str, str]] = {}
    for row in table(out / "marks.csv"):
        student = row["student"]
        if student not in roster.rows and len(alike.get(student.casefold(), [])) == 1:
            (student,) = alike[student.casefold()]
        found.setdefault(student, row)
    return found


def _points(marks: dict, name: str, student: str) -> float:
    row = marks[name].get(student)
    return float(row["score"]) if row else 0.0


def _table(roster: Roster, marks: dict) -> str:
    """Points and days late of each set, totals, and the notes; strangers to the roster too."""
    columns = ["student"]
    columns += [column for name in marks for column in (name, f"{name}_days_late")]
    columns += ["total", "days_late", "proofs_to_mark", "note"]
    strangers = {student for rows in marks.values() for student in rows} - set(roster.rows)
    rows = []
    for student in [*sorted(roster.rows), *sorted(strangers)]:
        parts, late, proofs = [], 0, 0
        notes = ["not in the roster"] if student in strangers else []
        for name, known in marks.items():
            row = known.get(student)
            if row is None:
                parts += [0.0, 0]
                notes.append(f"{name}: nothing was handed in")
                continue
            parts += [float(row["score"]), int(row["days_late"])]
            late += int(row["days_late"])
            proofs += int(row["proofs_to_mark"])
            notes += [f"{name}: {row['note']}"] if row["note"] else []
        rows.append([student, *parts, sum(parts[::2]), late, proofs, "; ".join(notes)])
    return written(columns, rows)


def _canvas(roster: Roster, marks: dict) -> str:
    """What Canvas imports: the columns of its own export, a row of points possible, the marks.

    A column of the export that begins with the name of a set, such as `laplace (4711)`, is filled;
    for another set Canvas makes an assignment.
    """
    if "ID" not in roster.columns or "Student" not in roster.columns:
        raise ValueError("for Canvas the roster must be the gradebook that Canvas exports")
    about = [column for column in CANVAS if column in roster.columns]
    titles = {name: _column(roster, name) for name in marks}
    most = [_most(marks, name) for name in marks]
    possible = ["    Points Possible", *[""] * (len(about) - 1), *most]
    rows = [possible]
    for student, row in roster.rows.items():
        rows.append([*[row[c] for c in about], *[_points(marks, n, student) for n in marks]])
    return written([*about, *titles.values()], rows)


def _column(roster: Roster, name: str) -> str:
    wanted = _plain(name)
    for column in roster.columns:
        if _plain(column.partition("(")[0]) == wanted:
            return column
    return name


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in text if letter.isalnum())


def _most(marks: dict, name: str) -> float:
    return max((float(row["max_score"]) for row in marks[name].values()), default=0.0)


def _moodle(roster: Roster, marks: dict) -> str:
    """What Moodle imports: the grading worksheet of one set filled in, or else, for the import of
    a gradebook, a column for each set beside what the roster says of each person."""
    if {"Identifier", "Grade"} <= set(roster.columns) and len(marks) == 1:
        (name,) = marks
        rows = []
        for student, row in roster.rows.items():
            known = marks[name].get(student, {})
            filled = row | {"Grade": f"{_points(marks, name, student):g}"}
            if "Feedback comments" in row:
                filled["Feedback comments"] = harmless(known.get("note", ""))
            rows.append([filled[column] for column in roster.columns])
        return written(roster.columns, rows)
    about = [column for column in MOODLE if column in roster.columns]
    if not about:
        raise ValueError(f"for Moodle the roster needs one of the columns {', '.join(MOODLE)}")
    rows = [
        [*[row[c] for c in about], *[_points(marks, n, student) for n in marks]]
        for student, row in roster.rows.items()
    ]
    return written([*about, *marks], rows)
