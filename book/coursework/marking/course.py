"""Release a problem set, mark a folder of submissions, and write the marks.

nbgrader makes the release, keeps the gradebook and turns verdicts into scores; what runs a
submission is `sandbox`.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from . import proofs
from .batch import (
    LIMITS,
    UNPROTECTED,
    Submission,
    Terms,
    joined,
    run_all,
    write_whole,
)
from .collecting import submissions, table, written
from .sandbox import choose
from .sets import COURSE, ProblemSet, about, names, rebuild, role
from .wall import SINGLE_THREADED

ARCHIVE = "problem_sets.zip"


def configured(folder: Path, **more: object) -> object:
    """nbgrader's settings for a course in this folder."""
    from traitlets.config import Config

    config = Config()
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.db_url = f"sqlite:///{folder / 'gradebook.db'}"
    config.IncludeHeaderFooter.header = ""
    config.Exchange.enabled = False
    for name, settings in more.items():
        config[name].update(settings)
    return config


def converter(
    kind: type, folder: Path, assignment: str, student: str = "*", **more: object
) -> None:
    """Run one of nbgrader's converters on one assignment, of one student or of all."""
    import logging

    import nbgrader.api
    from nbgrader.coursedir import CourseDirectory

    config = configured(folder, **more)
    directory = CourseDirectory(config=config)
    directory.assignment_id, directory.student_id = assignment, student
    made = kind(coursedir=directory, config=config)
    made.force = True
    made.log.setLevel(logging.ERROR)
    # nbgrader would start alembic for it, by its name, which takes longer than all that follows.
    nbgrader.api.get_alembic_version = gradebook_version
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies
        made.start()


def gradebook_version() -> str:
    """The version of the tables in nbgrader's gradebook, as alembic numbers them."""
    import nbgrader
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(Path(nbgrader.__file__).parent / "alembic")).get_current_head()


def generate(name: str, folder: Path, course: Path = COURSE) -> NotebookNode:
    """Make the student version of a set in a course folder, with its gradebook, by nbgrader."""
    from nbgrader.converters import GenerateAssignment

    shutil.copytree(course / "source" / name, folder / "source" / name, dirs_exist_ok=True)
    converter(GenerateAssignment, folder, name)
    path = folder / "release" / name / f"{name}.ipynb"
    return nbformat.read(path, as_version=4)


def release(chosen: list[str], to: Path, course: Path = COURSE) -> list[Path]:
    """Write the student versions of these sets, and one archive of all that stand in the folder
    then."""
    written = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in chosen:
            path = to / name / f"{name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(nbformat.writes(generate(name, Path(scratch), course)) + "\n")
            written.append(path)
    with zipfile.ZipFile(to / ARCHIVE, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(to.glob("*/*.ipynb")):
            # A fixed date: the archive depends on its contents alone.
            archive.writestr(zipfile.ZipInfo(path.name, (2000, 1, 1, 0, 0, 0)), path.read_bytes())
    return [*written, to / ARCHIVE]


def verdicts(items: list[Submission]) -> type:
    """An nbgrader preprocessor that writes the verdicts into the test cells, in place of an
    execution."""
    from nbgrader.preprocessors import NbGraderPreprocessor

    by_student = {item.student: item for item in items}

    class Verdicts(NbGraderPreprocessor):
        def preprocess(self, notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
            item = by_student[resources["nbgrader"]["student"]]
            outputs = {cell.id: cell.get("outputs", []) for cell in item.notebook.cells}
            for cell in notebook.cells:
                if cell.cell_type != "code":
                    continue
                cell.outputs = outputs.get(cell.id, [])
                reason = (
                    item.reasons.get(about(cell).get("grade_id")) if role(cell) == "test" else None
                )
                if reason is not None:
                    cell.outputs = [
                        nbformat.v4.new_output(
                            "error", ename="Wrong", evalue=reason, traceback=[reason]
                        )
                    ]
            return notebook, resources

    return Verdicts


def mark(
    name: str,
    folder: Path,
    out: Path,
    course: Path = COURSE,
    processes: int = 2,
    seed: str | None = None,
    limits: dict[str, float] | None = None,
    unprotected: bool = False,
    resume: bool = False,
    only: tuple[str, ...] = (),
) -> Path:
    """Mark every submission of a set and write OUT/marks.csv, OUT/proofs.csv with the pages of
    OUT/proofs, and OUT/course, an nbgrader course.

    What became of each student stands in OUT/records as soon as it is known. `resume` goes on with
    a batch that was stopped; `only` marks these students again, and keeps all points of proofs
    whose text is the same. The seed of the hidden inputs is drawn afresh unless it is given.
    """
    from nbgrader.converters import Autograde
    from nbgrader.preprocessors import CheckCellMetadata, SaveAutoGrades

    started = time.monotonic()
    if set(str(out)) & set("[]*?"):
        raise ValueError(f"{out}: nbgrader cannot work in a folder with one of [ ] * ? in its path")
    items, refused = submissions(folder, name)
    unknown = sorted(set(only) - {item.student for item in items})
    if unknown:
        raise ValueError(f"no submission of {', '.join(unknown)} in {folder}")
    problem_set = ProblemSet.load(name, course)
    before = _before(out, name, resume or bool(only), seed)
    if only and "notes" not in before:
        raise ValueError(f"the batch in {out} is not complete: `mark --resume` first, then --only")
    limits = {**LIMITS, **(limits or {})}
    wall = "none"
    if not unprotected:
        wall = choose(course / "order.txt", [course, folder, out], limits["memory"])
    home = out / "course"
    home.mkdir(parents=True, exist_ok=True)
    released = generate(name, home, course)
    os.environ.update(SINGLE_THREADED)
    seed = before.get("seed") or seed or secrets.token_hex(16)
    terms = Terms(problem_set, released, seed, wall, limits)
    record = {**before, "set": name, "wall": wall, "seed": seed}
    write_whole(out / "run.json", json.dumps(record, indent=1))
    here = {item.student for item in items}
    for old in (home / "submitted").glob("*"):
        if not only and old.name not in here:  # whose file was removed, or named anew
            shutil.rmtree(old)
    chosen = [item for item in items if item.student in only] if only else items
    troubled = run_all(chosen, terms, out / "records", processes, afresh=bool(only))
    if troubled:
        print(f"to be marked again, with --resume: {', '.join(troubled)}", file=sys.stderr)
    for item in chosen:
        if wall == "none":
            item.note = joined(UNPROTECTED, item.note)
        if item.notebook is None:
            # What cannot be read counts as blank; the note says why.
            item.notebook = rebuild(released, nbformat.v4.new_notebook(), item.student)
        path = home / "submitted" / item.student / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(item.notebook, path)
    order = [verdicts(chosen), SaveAutoGrades, CheckCellMetadata]
    for student in only or ("*",):
        converter(Autograde, home, name, student, Autograde={"autograde_preprocessors": order})
    told = {
        "notes": {item.student: item.note for item in chosen},
        "days_late": {item.student: item.days_late for item in chosen},
        "reasons": {item.student: item.reasons for item in chosen},
    }
    for part, of_students in told.items():
        record[part] = {**(record.get(part, {}) if only else {}), **of_students}
    record["refused"] = refused
    record["seconds"] = round(time.monotonic() - started, 1)
    withdrawn = proofs.write(problem_set, chosen, released, out, seed, keep_others=bool(only))
    record["to_read"] = [[row["code"], row["question"]] for row in table(out / "proofs.csv")]
    write_whole(out / "run.json", json.dumps(record, indent=1))
    return write_marks(out, withdrawn)


def _before(out: Path, name: str, goes_on: bool, seed: str | None) -> dict:
    """What is known of a batch in this folder that was marked, or begun."""
    path = out / "run.json"
    if not goes_on:
        if path.exists() or (out / "course").exists():
            raise ValueError(
                f"{out} holds marks already: choose another folder, or --resume a batch that was"
                " stopped, or mark --only some again, or `marks` to write the marks again"
            )
        return {}
    if not path.exists():
        return {}
    before = json.loads(path.read_text())
    if before["set"] != name:
        raise ValueError(f"{out} holds marks of the set {before['set']}, not {name}")
    if seed not in (None, before["seed"]):
        raise ValueError(f"the batch in {out} began with another seed")
    return before


def write_marks(out: Path, withdrawn: Sequence[tuple[str, str]] = ()) -> Path:
    """Take the points of proofs.csv into the gradebook and write marks.csv, a row for each id and
    for each file that could not be a submission.

    `withdrawn` names the students and questions whose points for another text are void.
    """
    from nbgrader.api import Gradebook

    record = json.loads((out / "run.json").read_text())
    if "notes" not in record:
        raise ValueError(f"the batch in {out} was stopped: go on with `mark --resume`")
    name = record["set"]
    problem_set = ProblemSet.load(name, out / "course")
    points = problem_set.points
    rows, waiting = [], Counter()
    sheet = table(out / "proofs.csv")
    had, now = {tuple(pair) for pair in record.get("given", [])}, set()
    students = {proofs.code(record["seed"], student): student for student in record["notes"]}
    _complete(sheet, record.get("to_read"), students)
    with Gradebook(f"sqlite:///{out / 'course' / 'gradebook.db'}") as book:
        for student, question in withdrawn:
            grade = book.find_grade(question, name, name, student)
            grade.manual_score, grade.needs_manual_grade = None, question in problem_set.proofs
            _comment(book, problem_set, question, student, None)
        for row in sheet:
            question, student = row["question"], students[row["code"]]
            _comment(book, problem_set, question, student, row["comment"] or None)
            if row["points"]:
                grade = book.find_grade(question, name, name, student)
                grade.manual_score, grade.needs_manual_grade = proofs.given(row, student), False
                now.add((student, question))
            else:
                if (student, question) in had:  # points that were taken back
                    grade = book.find_grade(question, name, name, student)
                    grade.manual_score = None
                    grade.needs_manual_grade = question in problem_set.proofs
                waiting[student] += 1
        book.db.commit()
        for submission in book.assignment_submissions(name):
            (notebook,) = submission.notebooks
            grades = {grade.name: grade for grade in notebook.grades}
            scores = [grades[question].score for question in points]
            student = submission.student_id
            late = record["days_late"].get(student, 0)
            note = record["notes"].get(student, "no longer among the submissions")
            most = sum(points.values())
            rows.append([student, name, sum(scores), most, waiting[student], *scores, late, note])
    record["given"] = sorted(now)
    write_whole(out / "run.json", json.dumps(record, indent=1))
    rows.sort()
    by_student = {row[0]: row for row in rows}
    for file, note in record["refused"]:
        if file in by_student:  # a stray file of somebody who has marks
            by_student[file][-1] = joined(by_student[file][-1], note)
            continue
        rows.append([file, name, 0, sum(points.values()), 0, *[0] * len(points), 0, note])
    columns = ["student", "set", "score", "max_score", "proofs_to_mark", *points]
    write_whole(out / "marks.csv", written([*columns, "days_late", "note"], rows))
    return out / "marks.csv"


def _complete(
    sheet: list[dict[str, str]], to_read: list[list[str]] | None, students: dict[str, str]
) -> None:
    """Whether a sheet of points has a row for each answer to read, and no other."""
    if sheet and not {"code", "question", "points", "of", "comment"} <= sheet[0].keys():
        raise ValueError("proofs.csv must have the columns code, question, points, of and comment")
    for row in sheet:
        if row["code"] not in students:
            raise ValueError(f"proofs.csv: the code {row['code']!r} is nobody's")
    found = Counter((row["code"], row["question"]) for row in sheet)
    wanted = found if to_read is None else Counter(map(tuple, to_read))
    for what, rows in (("is missing", wanted - found), ("is not wanted", found - wanted)):
        for code, question in rows:
            raise ValueError(f"proofs.csv: the row of {code} for {question} {what}")


def _comment(
    book: object, problem_set: ProblemSet, question: str, student: str, words: str | None
) -> None:
    """Keep a comment on a proof where nbgrader's feedback shows it."""
    if question in problem_set.proofs:
        name = problem_set.name
        book.find_comment(question, name, name, student).manual_comment = words


__all__ = ["LIMITS", "generate", "mark", "names", "release", "write_marks"]
