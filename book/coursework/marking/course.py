"""Release a problem set, mark a folder of submissions, and write the marks.

nbgrader makes the release, keeps the gradebook and turns verdicts into scores; what runs a
submission is `sandbox`.
"""

from __future__ import annotations

import contextlib
import csv
import json
import multiprocessing
import os
import secrets
import shutil
import sys
import tempfile
import time
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from . import sandbox
from .sets import COURSE, ProblemSet, about, names, read_submission, rebuild, role

LIMITS = {"cell": 10.0, "submission": 120.0, "memory": 3 * 2**30}
STUDENT_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@")
ARCHIVE = "problem_sets.zip"
TOKEN = "COURSEWORK_MARKING"
SINGLE_THREADED = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}


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


def converter(kind: type, folder: Path, assignment: str, **more: object) -> None:
    """Run one of nbgrader's converters on one assignment."""
    import logging

    from nbgrader.coursedir import CourseDirectory
    from nbgrader.utils import setenv

    config = configured(folder, **more)
    directory = CourseDirectory(config=config)
    directory.assignment_id = assignment
    made = kind(coursedir=directory, config=config)
    made.force = True
    made.log.setLevel(logging.ERROR)
    # nbgrader calls alembic by its name, also when the environment is not activated.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with setenv(PATH=path), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies
        made.start()


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


@dataclass
class Submission:
    """What came in from a student, and what became of it."""

    student: str
    data: bytes | None
    note: str = ""
    notebook: NotebookNode | None = None
    reasons: dict[str, str | None] = field(default_factory=dict)


def collect(folder: Path, name: str) -> list[Submission]:
    """Read every submission of a set: FOLDER/ID/NAME/NAME.ipynb, FOLDER/ID/NAME.ipynb or
    FOLDER/ID.ipynb.

    All of them are in memory before the first one runs, so that none can touch another.
    """
    found = []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        student = entry.name.removesuffix(".ipynb") if entry.is_file() else entry.name
        if entry.is_file() and entry.suffix != ".ipynb":
            continue
        if not student or set(student) - STUDENT_LETTERS:
            raise ValueError(f"{student!r} is not an id: letters, digits and . _ - @ only")
        places = (
            [entry]
            if entry.is_file()
            else [entry / name / f"{name}.ipynb", entry / f"{name}.ipynb"]
        )
        path = next((place for place in places if place.is_file()), None)
        if path is None:
            found.append(Submission(student, None, f"no file {name}.ipynb"))
        elif path.stat().st_size > 50_000_000:
            found.append(Submission(student, None, "the file is far too large"))
        else:
            found.append(Submission(student, path.read_bytes()))
    if not found:
        raise ValueError(f"{folder} holds no submission")
    if len({item.student for item in found}) < len(found):
        raise ValueError("two submissions of one id")
    return found


def run(
    item: Submission,
    problem_set: ProblemSet,
    released: NotebookNode,
    seed: str,
    limits: dict[str, float],
) -> None:
    """Run one submission in a process of its own and keep the verdicts that came back."""
    item.reasons = dict.fromkeys(problem_set.hidden, "no answer")
    if item.data is None:
        return
    try:
        item.notebook = rebuild(released, read_submission(item.data), item.student)
    except ValueError as error:
        item.note = str(error)
        return
    code = [cell for cell in item.notebook.cells if cell.cell_type == "code"]
    cells = [
        {"source": cell.source, "test": about(cell)["grade_id"] if role(cell) == "test" else None}
        for cell in code
    ]
    task = {
        "student": item.student,
        "seed": seed,
        "setup": problem_set.setup,
        "hidden": problem_set.hidden,
        "cells": cells,
        "limits": limits,
    }
    lines = _work(task, limits["submission"] + 60)
    finished = False
    for line in lines:
        if "note" in line:
            item.note, finished = line["note"], True
            continue
        cell = code[line["cell"]]
        cell.outputs = [nbformat.from_dict(output) for output in line["outputs"]]
        cell.outputs = [output for output in cell.outputs if role(cell) != "test"]
        if line["test"]:
            item.reasons[line["test"]] = line["reason"]
    if not finished:
        item.note = "the marking of this submission was stopped"


def _work(task: dict, seconds: float) -> list[dict]:
    """Run the sandbox on a task; return the lines that it sent before it ended or was ended."""
    # A process that has loaded the libraries and seen no submission; marking processes are copies.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["marking.sandbox", "marking.judge", "jupyter_client.manager", "sympy"]
    )
    token, lines, end = secrets.token_hex(8), [], time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="marking-", ignore_cleanup_errors=True) as scratch:
        environment = {
            **SINGLE_THREADED,
            TOKEN: token,
            "TMPDIR": scratch,
            "IPYTHONDIR": scratch,
            "JUPYTER_RUNTIME_DIR": scratch,
            "PYTHONPATH": "",
        }
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=sandbox.work, args=(task, environment, theirs))
        process.start()
        theirs.close()
        try:
            while ours.poll(max(0.0, end - time.monotonic())):
                lines.append(json.loads(ours.recv_bytes()))
        except EOFError:
            pass
        finally:
            process.kill()
            process.join()
            _sweep(token)
    return lines


def _sweep(token: str) -> None:
    """End what a submission left running: every process that carries its token."""
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(TOKEN) == token:
                process.kill()


def verdicts(submissions: list[Submission]) -> type:
    """An nbgrader preprocessor that writes the verdicts into the test cells, in place of an
    execution."""
    from nbgrader.preprocessors import NbGraderPreprocessor

    by_student = {item.student: item for item in submissions}

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
) -> Path:
    """Mark every submission of a set and write OUT/marks.csv, OUT/proofs.csv and OUT/course, an
    nbgrader course.

    The seed of the hidden inputs is drawn afresh unless it is given.
    """
    from nbgrader.converters import Autograde
    from nbgrader.preprocessors import CheckCellMetadata, SaveAutoGrades

    started = time.monotonic()
    submissions = collect(folder, name)
    problem_set = ProblemSet.load(name, course)
    home = out / "course"
    if home.exists():
        raise ValueError(
            f"{home} is there already: choose another folder, or `marks` to write the marks again"
        )
    home.mkdir(parents=True)
    released = generate(name, home, course)
    os.environ.update(SINGLE_THREADED)
    seed, limits = seed or secrets.token_hex(16), {**LIMITS, **(limits or {})}
    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(lambda item: run(item, problem_set, released, seed, limits), submissions))
    for item in submissions:
        if item.notebook is None:
            # What cannot be read counts as blank; the note says why.
            item.notebook = rebuild(released, nbformat.v4.new_notebook(), item.student)
        path = home / "submitted" / item.student / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(item.notebook, path)
    order = [verdicts(submissions), SaveAutoGrades, CheckCellMetadata]
    converter(Autograde, home, name, Autograde={"autograde_preprocessors": order})
    about_run = {
        "set": name,
        "seed": seed,
        "seconds": round(time.monotonic() - started, 1),
        "notes": {item.student: item.note for item in submissions},
        "reasons": {item.student: item.reasons for item in submissions},
    }
    (out / "run.json").write_text(json.dumps(about_run, indent=1))
    _write_proofs(problem_set, submissions, released, out / "proofs.csv")
    return write_marks(out)


def _write_proofs(
    problem_set: ProblemSet, items: list[Submission], released: NotebookNode, path: Path
) -> None:
    """A sheet for the person who marks the proofs: the answer in it, the points to be filled in."""
    blank = {about(cell).get("grade_id"): cell.source for cell in released.cells}
    with path.open("w", newline="") as file:
        sheet = csv.writer(file)
        sheet.writerow(["student", "question", "points", "of", "answer"])
        for question in problem_set.proofs:
            for item in items:
                text = next(
                    c.source for c in item.notebook.cells if about(c).get("grade_id") == question
                )
                if text.strip() != blank[question].strip():
                    sheet.writerow(
                        [item.student, question, "", problem_set.points[question], _cell(text)]
                    )


def _cell(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def write_marks(out: Path) -> Path:
    """Take the points of proofs.csv into the gradebook and write marks.csv, a row for each id."""
    from nbgrader.api import Gradebook

    record = json.loads((out / "run.json").read_text())
    name, notes = record["set"], record["notes"]
    path = out / "marks.csv"
    with Gradebook(f"sqlite:///{out / 'course' / 'gradebook.db'}") as book:
        with (out / "proofs.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                if row["points"].strip():
                    given, most = float(row["points"]), float(row["of"])
                    if not 0 <= given <= most:
                        raise ValueError(
                            f"{row['student']}, {row['question']}: {given} is not in [0, {most}]"
                        )
                    grade = book.find_grade(row["question"], name, name, row["student"])
                    grade.manual_score, grade.needs_manual_grade = given, False
        book.db.commit()
        points = ProblemSet.load(name, out / "course").points
        rows = []
        for submission in book.assignment_submissions(name):
            (notebook,) = submission.notebooks
            grades = {grade.name: grade for grade in notebook.grades}
            scores = [grades[question].score for question in points]
            waiting = sum(bool(grades[question].needs_manual_grade) for question in points)
            student = submission.student_id
            rows.append(
                [student, name, sum(scores), sum(points.values()), waiting, *scores, notes[student]]
            )
    with path.open("w", newline="") as file:
        sheet = csv.writer(file)
        sheet.writerow(["student", "set", "score", "max_score", "proofs_to_mark", *points, "note"])
        sheet.writerows(sorted(rows))
    return path


__all__ = ["LIMITS", "collect", "generate", "mark", "names", "release", "write_marks"]
