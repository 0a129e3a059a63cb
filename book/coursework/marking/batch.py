"""A folder of submissions: each is run on its own, and what became of it is kept at once.

One file for each student holds the verdicts, so that a batch that is stopped goes on where it was.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import multiprocessing
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from . import sandbox, wall
from .sets import ProblemSet, about, read_submission, rebuild, role, student_in

LIMITS = {"cell": 10.0, "submission": 120.0, "memory": 3 * 2**30}
UNPROTECTED = "marked without a wall"
STOPPED = "the marking of this submission was stopped"
# Notes of a machine in trouble: such a record is made again when a batch goes on.
OF_THE_MACHINE = (STOPPED, "no sandbox could be started", "the marker failed")


@dataclass
class Submission:
    """What came in from a student, and what became of it."""

    student: str
    data: bytes | None
    note: str = ""
    days_late: int = 0
    notebook: NotebookNode | None = None
    reasons: dict[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Terms:
    """What every submission of a batch is marked by."""

    problem_set: ProblemSet
    released: NotebookNode
    seed: str
    wall: str
    limits: dict[str, float]


def write_whole(path: Path, text: str) -> None:
    """Write a file so that, whenever the power fails, it holds all of the text or none of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".being-written-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


@contextlib.contextmanager
def alone(out: Path) -> Iterator[None]:
    """Let no other command of this user work in a folder of marks."""
    name = hashlib.sha256(str(out.resolve()).encode()).hexdigest()[:16]
    path = os.path.join(tempfile.gettempdir(), f"marking-{os.getuid()}-{name}.lock")
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise ValueError(f"another command is at work in {out}") from None
    try:
        yield
    finally:
        os.close(handle)


def clean(text: str) -> str:
    """Text that every file can hold: half of a surrogate pair, which JSON can bring, becomes ?."""
    return text.encode("utf-8", "replace").decode()


def run_all(
    items: list[Submission], terms: Terms, records: Path, processes: int, afresh: bool = False
) -> list[str]:
    """Run all submissions, several at a time, but for those that have a record (unless `afresh`).

    What was stopped or met a limit is run once more, alone: what ran beside it may be the reason.
    Whose record tells of trouble of the machine is returned.
    """
    record: dict[str, dict] = {}
    ready = [item for item in items if prepare(item, terms)]
    for item in ready:
        kept = None if afresh else _recorded(item, terms, records)
        if kept is not None:
            record[item.student] = kept

    def once(item: Submission, runs: int = 1) -> None:
        made = run(item, terms) | {"runs": runs}
        write_whole(records / f"{item.student}.json", json.dumps(made, indent=1))
        record[item.student] = made

    pool = ThreadPoolExecutor(processes)
    try:
        list(pool.map(once, [item for item in ready if item.student not in record]))
    finally:
        pool.shutdown(cancel_futures=True)
    for item in ready:
        if record[item.student]["again"] and record[item.student]["runs"] == 1:
            once(item, runs=2)
        _apply(item, record[item.student], terms.problem_set)
    return [item.student for item in ready if _of_the_machine(record[item.student])]


def run_alone(item: Submission, terms: Terms) -> None:
    """Run one submission and keep no record of it."""
    if prepare(item, terms):
        _apply(item, run(item, terms), terms.problem_set)


def prepare(item: Submission, terms: Terms) -> bool:
    """Put a submission back on the released skeleton; a note says why that cannot be done."""
    item.reasons = dict.fromkeys(terms.problem_set.hidden, "no answer")
    if item.data is None:
        return False
    try:
        submission = read_submission(item.data)
        for cell in submission.cells:
            cell.source = clean(cell.source)
        item.notebook = rebuild(terms.released, submission, item.student)
    except Exception as error:  # a file that nobody thought of must not end the batch
        said = str(error) if isinstance(error, ValueError) else "the file is not a notebook"
        item.note = joined(item.note, said)
        return False
    there = {about(cell).get("grade_id") for cell in submission.cells}
    known = {
        about(cell)["grade_id"]: cell for cell in terms.released.cells if "grade_id" in about(cell)
    }
    if not known.keys() & there:
        item.note = joined(item.note, f"no cell of the set {terms.problem_set.name} is in it")
        return True
    missing = [
        name
        for name, cell in known.items()
        if name not in there and role(cell) in ("answer", "proof")
    ]
    if missing:
        item.note = joined(item.note, f"missing cells: {', '.join(missing)}")
    with contextlib.suppress(ValueError):
        said = student_in(submission)
        if said.strip().lower() != item.student.strip().lower():
            shown = "".join(letter for letter in said if letter.isprintable())[:60]
            item.note = joined(item.note, f"the notebook says STUDENT = {shown!r}")
    return True


def joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _digest(item: Submission, terms: Terms) -> str:
    """What a record belongs to: these bytes of this student, on these inputs of this set."""
    parts = [item.student, terms.seed, terms.wall, json.dumps(terms.limits, sort_keys=True)]
    parts += [nbformat.writes(terms.released), json.dumps(terms.problem_set.hidden)]
    return hashlib.sha256("\0".join(parts).encode() + item.data).hexdigest()


def _recorded(item: Submission, terms: Terms, records: Path) -> dict | None:
    """The record of a submission, if it was run already, just as it is and on the same terms."""
    try:
        record = json.loads((records / f"{item.student}.json").read_text())
    except (OSError, ValueError):
        return None
    known = record["of"] == _digest(item, terms) and not _of_the_machine(record)
    return record if known else None


def _of_the_machine(record: dict) -> bool:
    return any(words in record["note"] for words in OF_THE_MACHINE)


def _where(cell: NotebookNode, before: str) -> str:
    """How a note names a cell."""
    return about(cell).get("grade_id") or (f"own cell after {before}" if before else "own cell")


def run(item: Submission, terms: Terms) -> dict:
    """Run one submission in a process of its own; return the record of what came back."""
    cells, before = [], ""
    for cell in item.notebook.cells:
        if cell.cell_type == "code":
            test = about(cell)["grade_id"] if role(cell) == "test" else None
            cells.append({"source": cell.source, "test": test, "where": _where(cell, before)})
        before = about(cell).get("grade_id") or before
    token = secrets.token_hex(8)
    task = {
        "student": item.student,
        "seed": terms.seed,
        "setup": terms.problem_set.setup,
        "hidden": terms.problem_set.explained,
        "cells": cells,
        "limits": terms.limits,
        "wall": terms.wall,
        "token": token,
    }
    lines = _work(task, terms.limits["submission"] + 60)
    last = next((line for line in lines if "note" in line), None)
    return {
        "student": item.student,
        "of": _digest(item, terms),
        "lines": [line for line in lines if "cell" in line],
        "note": last["note"] if last else STOPPED,
        "again": last["again"] if last else True,
    }


def _apply(item: Submission, record: dict, problem_set: ProblemSet) -> None:
    """Take the verdicts, the outputs and the note of a record."""
    code = [cell for cell in item.notebook.cells if cell.cell_type == "code"]
    for line in record["lines"]:
        cell, outputs = code[line["cell"]], []
        if line["text"]:
            text = clean(line["text"])
            outputs.append(nbformat.v4.new_output("stream", name="stdout", text=text))
        if line["error"]:
            name, message = map(clean, line["error"])
            said = f"{name}: {message}"
            outputs.append(
                nbformat.v4.new_output("error", ename=name, evalue=said, traceback=[said])
            )
        cell.outputs = [] if line["test"] else outputs
        if line["test"]:
            reason = line["reason"] and clean(line["reason"])
            item.reasons[line["test"]] = problem_set.advice(line["test"], reason)
    item.note = joined(item.note, clean(record["note"]))


def _work(task: dict, seconds: float) -> list[dict]:
    """Run the judge on a task; return the lines that it sent before it ended or was ended."""
    # A process that has loaded the libraries and seen no submission; the judges are copies of it.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["marking.sandbox", "marking.judge", "sympy", "psutil"])
    lines, key, end = [], secrets.token_bytes(32), time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="marking-", ignore_cleanup_errors=True) as scratch:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=sandbox.work, args=(task, scratch, theirs, key))
        process.start()
        theirs.close()
        try:
            while ours.poll(max(0.0, end - time.monotonic())):
                line = sandbox.opened(key, ours.recv_bytes())
                if line is not None:
                    lines.append(json.loads(line))
        except (EOFError, OSError):
            pass
        finally:
            process.kill()
            process.join()
            wall.sweep(task["wall"], task["token"])
    return lines
