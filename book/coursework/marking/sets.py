"""A problem set read from its source notebook, and a submission put back on its skeleton."""

from __future__ import annotations

import ast
import re
import runpy
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode

COURSE = Path(__file__).resolve().parents[1]
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
ID_LINE = re.compile(r"^STUDENT\s*=", re.MULTILINE)
ID_WHOLE = re.compile(r"^STUDENT\s*=(?!=).*$", re.MULTILINE)
# Where students check themselves; nothing is marked there.
CHECK = "-check"
NEEDS = re.compile(r"Needs “([^”]+)” in the chapter `(\w+)`")
IMAGES = {"image/png", "image/jpeg", "image/gif"}
PASTED = re.compile(r"!\[([^\]]*)\]\(data:(image/(?:png|jpeg|gif));base64,([A-Za-z0-9+/=\s]+)\)")
IMAGE_NAME = re.compile(r"[\w.() -]{1,100}")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
MOST_BYTES = 5_000_000


def about(cell: NotebookNode) -> dict:
    """What nbgrader knows of a cell."""
    known = cell.get("metadata", {}).get("nbgrader", {})
    return known if isinstance(known, dict) else {}


def role(cell: NotebookNode) -> str:
    """One of: student, setup, answer, test, check, proof, text."""
    known = about(cell)
    if is_id_cell(cell):
        return "student"
    if known.get("grade"):
        return "proof" if known.get("solution") else "test"
    if known.get("solution"):
        return "answer"
    if not known.get("locked") or cell.cell_type != "code":
        return "text"
    return "check" if known.get("grade_id", "").endswith(CHECK) else "setup"


def is_id_cell(cell: NotebookNode) -> bool:
    """Whether this is the cell where the student's id stands."""
    return (
        cell.cell_type == "code"
        and not about(cell).get("grade_id")
        and bool(ID_LINE.search(str(cell.source)))
    )


def split(source: str) -> tuple[str, str]:
    """The visible and the hidden part of a test cell."""
    visible, _, rest = source.partition(BEGIN_HIDDEN)
    return visible.rstrip(), rest.partition(END_HIDDEN)[0].strip()


@dataclass(frozen=True)
class ProblemSet:
    """A problem set as its source notebook states it."""

    name: str
    notebook: NotebookNode
    wrong: Path | None = None

    @classmethod
    def load(cls, name: str, course: Path = COURSE) -> ProblemSet:
        path = course / "source" / name / f"{name}.ipynb"
        return cls(name, nbformat.read(path, as_version=4), course / "wrong" / f"{name}.py")

    def cells(self, *roles: str) -> list[NotebookNode]:
        return [cell for cell in self.notebook.cells if role(cell) in roles]

    @cached_property
    def setup(self) -> tuple[str, ...]:
        """The locked code cells, which define the student's variant."""
        return tuple(cell.source for cell in self.cells("setup"))

    @cached_property
    def hidden(self) -> dict[str, str]:
        """The hidden test of each marked cell, by the cell's name."""
        return {about(cell)["grade_id"]: split(cell.source)[1] for cell in self.cells("test")}

    @cached_property
    def explained(self) -> dict[str, str]:
        """The hidden tests, each with the listed wrong answers that it may meet."""
        if self.wrong is None or not self.wrong.is_file():
            return self.hidden
        right, known = reference(self), runpy.run_path(str(self.wrong))["WRONG"]
        answers = [about(cell)["grade_id"] for cell in self.cells("answer")]
        found = {}
        for test, source in self.hidden.items():
            listed = {
                title: "\n\n".join({**right, **cells}[key] for key in answers)
                for title, (cells, lost) in known.items()
                if test in lost and title != "hard-coded outputs"
            }
            found[test] = f"LISTED = {listed!r}\n{source}"
        return found

    @cached_property
    def points(self) -> dict[str, float]:
        """The points of every marked cell, proofs included, in the order of the notebook."""
        return {
            about(c)["grade_id"]: float(about(c)["points"]) for c in self.cells("test", "proof")
        }

    @cached_property
    def needs(self) -> dict[str, str]:
        """What to read for each marked cell, as its question says."""
        found, current = {}, ""
        for cell in self.notebook.cells:
            if role(cell) == "text":
                match = NEEDS.search(cell.source)
                current = f"{match[1]}” in the chapter {match[2]}" if match else ""
            elif role(cell) in ("test", "proof") and current:
                found[about(cell)["grade_id"]] = f"“{current}"
        return found

    def advice(self, test: str, reason: str | None) -> str | None:
        """The reason for a lost test, with what to read; None for a test that was passed."""
        read = self.needs.get(test)
        return f"{reason} (read {read})" if reason and read else reason

    @cached_property
    def proofs(self) -> tuple[str, ...]:
        """The cells that a person marks."""
        return tuple(about(cell)["grade_id"] for cell in self.cells("proof"))


def names(course: Path = COURSE) -> list[str]:
    """The problem sets, in the order in which the course gives them."""
    order = (course / "order.txt").read_text().split()
    found = {path.parent.name for path in (course / "source").glob("*/*.ipynb")}
    if set(order) != found:
        raise ValueError(f"order.txt and source/ differ: {sorted(set(order) ^ found)}")
    return order


def read_submission(data: bytes) -> NotebookNode:
    """A notebook from the bytes of a submission; ValueError says what is wrong with it."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"the file is larger than {MOST_BYTES} bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of cells without ids, or with one id twice
            notebook = nbformat.reads(data.decode("utf-8"), as_version=4)
        for cell in notebook.cells:
            if not isinstance(cell.source, str) or cell.cell_type not in (
                "code",
                "markdown",
                "raw",
            ):
                raise ValueError
    except Exception:
        raise ValueError("the file is not a notebook") from None
    return notebook


def rebuild(release: NotebookNode, submission: NotebookNode, student: str) -> NotebookNode:
    """Put a submission back on the released skeleton.

    Locked cells, points and order are those of the release, whatever became of them. Answers are
    the student's: the first cell of that name, and behind it, as Jupyter would run them, what was
    split from it or copied. Cells of the student's own stay behind the released cell that they
    followed. The cell with the student's id holds the id under which the submission came in, and
    what else stood there becomes a cell of its own. Where students check themselves nothing is
    left, for marking need not wait for it.
    """
    locked = {
        about(cell)["grade_id"]: about(cell)["locked"]
        for cell in release.cells
        if "grade_id" in about(cell)
    }
    answers: dict[str, NotebookNode] = {}
    own: dict[str, list[NotebookNode]] = {}
    after = ""
    for cell in submission.cells:
        name = about(cell).get("grade_id")
        if name in locked:
            after = name
            if name not in answers:
                answers[name] = cell
            elif not locked[name]:
                own.setdefault(name, []).append(_own(cell))
        elif is_id_cell(cell):
            rest = ID_WHOLE.sub("", cell.source).strip()
            if re.search(r"^[^#\s]", rest, re.MULTILINE):
                own.setdefault(after, []).append(nbformat.v4.new_code_cell(rest))
        else:
            own.setdefault(after, []).append(_own(cell))
    first = nbformat.v4.new_code_cell(f"STUDENT = {student!r}")
    cells = [first, *own.get("", [])]
    for cell in release.cells:
        name = about(cell).get("grade_id")
        if name is None:
            continue
        cell = nbformat.from_dict(cell)
        if not about(cell)["locked"] and name in answers:
            cell.source = answers[name].source
            if cell.cell_type == "markdown":
                cell.source, cell.attachments = with_images(answers[name])
        cells += [cell] * (role(cell) != "check") + own.get(name, [])
    whole = nbformat.v4.new_notebook(cells=cells, metadata=release.metadata)
    for index, cell in enumerate(whole.cells):
        cell.id = f"cell-{index}"
    return whole


def _own(cell: NotebookNode) -> NotebookNode:
    if cell.cell_type == "code":
        return nbformat.v4.new_code_cell(cell.source)
    source, attached = with_images(cell)
    return nbformat.v4.new_markdown_cell(source, attachments=attached)


def with_images(cell: NotebookNode) -> tuple[str, dict[str, dict[str, str]]]:
    """The text of a cell and the images attached to it, with those that stand in the text itself,
    as some editors put them there."""
    found = images(cell)

    def attach(match: re.Match[str]) -> str:
        name = f"pasted-{len(found)}.{match[2].partition('/')[2]}"
        found[name] = {match[2]: match[3]}
        return f"![{match[1]}](attachment:{name})"

    return PASTED.sub(attach, cell.source), found


def student_in(notebook: NotebookNode) -> str:
    """The id that stands in a notebook; ValueError if there is none."""
    for cell in notebook.cells:
        if is_id_cell(cell):
            try:
                parts = ast.parse(cell.source).body
            except SyntaxError:
                raise ValueError("the cell with the id cannot be read") from None
            for node in parts:
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                    return str(node.value.value)
    raise ValueError("the notebook has no cell with an id")


def images(cell: NotebookNode) -> dict[str, dict[str, str]]:
    """The images that are attached to a cell, in the kinds that hold no program."""
    attached = cell.get("attachments")
    found: dict[str, dict[str, str]] = {}
    for name, forms in attached.items() if isinstance(attached, dict) else ():
        for kind, data in forms.items() if isinstance(forms, dict) else ():
            known = kind in IMAGES and IMAGE_NAME.fullmatch(name)
            if known and isinstance(data, str) and BASE64.fullmatch(data):
                found.setdefault(name, {})[kind] = data
    return found


def fill(release: NotebookNode, answers: dict[str, str], student: str) -> NotebookNode:
    """A submission: the released notebook with an id and with these answers in its blanks."""
    notebook = nbformat.from_dict(release)
    for cell in notebook.cells:
        if is_id_cell(cell):
            cell.source = f"STUDENT = {student!r}"
        elif about(cell).get("grade_id") in answers:
            cell.source = answers[about(cell)["grade_id"]]
    return notebook


def reference(problem_set: ProblemSet) -> dict[str, str]:
    """The reference answers, as a student would have written them."""
    clean = re.compile(r"^[ \t]*### (BEGIN|END) SOLUTION[^\n]*\n?", re.MULTILINE)
    return {
        about(cell)["grade_id"]: clean.sub("", cell.source).rstrip()
        for cell in problem_set.cells("answer", "proof")
    }
