"""What a person marks: a sheet for points and comments, and pages to read from, without names.

On the sheet and the pages a student is a code of eight letters, which the seed of the marking
makes; the order is that of the codes. What a student wrote is shown and never run: the pages hold
no script, and a rule in their head keeps the browser from running or loading any.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from .batch import Submission, write_whole
from .checks import FOR_A_PERSON
from .collecting import harmless, table, written
from .sets import ProblemSet, about, role

COLUMNS = ["code", "question", "points", "of", "comment", "answer"]
# Without vowels no words, and without digits nothing that a spreadsheet takes for a number.
LETTERS = "bcdfghjklmnpqrstvwxz"
MOST_RENDERED = 20_000
MOST_SHOWN = 30_000  # a cell of a spreadsheet holds little more
DIGESTS = "answers.json"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ max-width: 45rem; margin: 2rem auto; padding: 0 1rem; font-family: serif; }}
section {{ border-top: 2px solid; margin-top: 2rem; break-before: page; }}
img {{ max-width: 100%; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.comment {{ border: 1px solid; min-height: 6rem; padding: 0.5rem; margin-top: 1rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
{question}
<details>
<summary>Reference</summary>
{reference}
</details>
{answers}
</body>
</html>
"""
ANSWER = """<section id="{code}">
<h2>{code}</h2>
{note}{body}
<div class="comment">Points, of {most:g}: &emsp;&emsp; Comment:</div>
</section>
"""


@dataclass(frozen=True)
class ToRead:
    """One answer for a person: whose, to which question, its cells, and why it needs a person."""

    code: str
    question: str
    cells: list[NotebookNode]
    note: str = ""

    @property
    def text(self) -> str:
        """All of it, as the sheet holds it: an image is named by its hash."""
        parts = [self.note, *(cell.source.strip() for cell in self.cells)]
        for cell in self.cells:
            for name, forms in cell.get("attachments", {}).items():
                made = hashlib.sha256(repr(sorted(forms.items())).encode()).hexdigest()
                parts.append(f"[image {name}, {made[:8]}]")
        return "\n\n".join(part for part in parts if part)


def code(seed: str, student: str) -> str:
    """The code of a student in one marking: whoever lacks its seed cannot tell the one from the
    other."""
    digest = hmac.new(seed.encode(), student.encode(), hashlib.sha256).digest()
    return "".join(LETTERS[byte % len(LETTERS)] for byte in digest[:8])


def to_read(
    problem_set: ProblemSet, item: Submission, released: NotebookNode, seed: str
) -> Iterator[ToRead]:
    """What of a submission a person marks: each proof that was handed in, with the student's own
    cells behind it, and each answer that the judge could not decide."""
    who, cells = code(seed, item.student), item.notebook.cells
    blank = {about(cell).get("grade_id"): cell.source.strip() for cell in released.cells}
    printed = {cell.source.strip() for cell in released.cells if role(cell) == "text"}
    answer: list[NotebookNode] = []
    for place, cell in enumerate(cells):
        question = about(cell).get("grade_id")
        if question in problem_set.proofs:
            whole = [cell, *_own(cells[place + 1 :], printed)]
            if cell.source.strip() != blank[question] or any(map(_is_text, whole[1:])):
                yield ToRead(who, question, whole)
        elif role(cell) == "answer":
            answer = [cell]
        elif (item.reasons.get(question) or "").startswith(FOR_A_PERSON):
            yield ToRead(who, question, answer, item.reasons[question])


def _own(cells: list[NotebookNode], printed: set[str]) -> Iterator[NotebookNode]:
    """The student's own cells, up to the next one of the set or the words of the next question."""
    for cell in cells:
        if about(cell).get("grade_id") or cell.source.strip() in printed:
            return
        yield cell


def _is_text(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and bool(cell.source.strip() or cell.get("attachments"))


def write(
    problem_set: ProblemSet,
    items: list[Submission],
    released: NotebookNode,
    out: Path,
    seed: str,
    keep_others: bool,
) -> list[tuple[str, str]]:
    """Write OUT/proofs.csv, where points and comments are filled in, and a page for each question
    into OUT/proofs.

    Points and comments that stand there already stay if the answer is still the same; the students
    and questions where it is not are returned. `keep_others` keeps what others handed in.
    """
    path = out / "proofs.csv"
    old = table(path) if path.exists() else []
    now = {code(seed, item.student): item.student for item in items}
    kept = [row for row in old if keep_others and row["code"] not in now]
    rows = [[row[column] for column in COLUMNS] for row in kept]
    given = {(row["code"], row["question"]): row for row in old if row["points"] or row["comment"]}
    # A spreadsheet may change what it shows of an answer: whether it is the same tells its digest.
    digests = json.loads((out / DIGESTS).read_text()) if (out / DIGESTS).exists() else {}
    withdrawn = []
    found = [one for item in items for one in to_read(problem_set, item, released, seed)]
    for one in found:
        answer, most = harmless(one.text), problem_set.points[one.question]
        before, key = given.pop((one.code, one.question), None), f"{one.code}/{one.question}"
        made = hashlib.sha256(" ".join(answer.split()).encode()).hexdigest()
        shown = " ".join(before["answer"].split()) if before else ""
        known = digests.get(key, hashlib.sha256(shown.encode()).hexdigest())
        same = before is not None and known == made
        digests[key] = made
        if before is not None and not same:
            withdrawn.append((now[one.code], one.question))
        points, comment = (before["points"], before["comment"]) if same else ("", "")
        if len(answer) > MOST_SHOWN:
            answer = f"{answer[:MOST_SHOWN]} ... the rest stands on the page"
        rows.append([one.code, one.question, points, most, comment, answer])
    # What was marked, and is no longer handed in.
    withdrawn += [(now[who], question) for who, question in given if who in now]
    order = list(problem_set.points)
    rows.sort(key=lambda row: (order.index(row[1]), row[0]))
    if old:
        write_whole(out / "proofs.csv.before", path.read_text(errors="replace"))
    write_whole(path, written(COLUMNS, rows))
    write_whole(out / DIGESTS, json.dumps(digests, indent=1))
    _write_pages(problem_set, found, out / "proofs", set(now) if keep_others else None)
    return withdrawn


def _write_pages(
    problem_set: ProblemSet, found: list[ToRead], folder: Path, only: set[str] | None
) -> None:
    """A page for each question that has an answer to read. A student's section is kept in a file
    of its own, so that marking one again leaves the others' as they are."""
    for old in folder.glob("*/*.html"):
        if only is None or old.stem in only:
            old.unlink()
    for one in found:
        note = f"<p>{html.escape(one.note)}</p>\n" if one.note else ""
        body = "\n".join(map(rendered, one.cells))
        most = problem_set.points[one.question]
        section = ANSWER.format(code=one.code, note=note, body=body, most=most)
        write_whole(folder / one.question / f"{one.code}.html", section)
    for question in problem_set.points:
        sections = [path.read_text() for path in sorted((folder / question).glob("*.html"))]
        if sections:
            asked, reference = _asked(problem_set, question)
            page = PAGE.format(
                title=f"{problem_set.name}, {question}",
                question=rendered(asked),
                reference=rendered(reference),
                answers="\n".join(sections),
            )
            write_whole(folder / f"{question}.html", page)
        else:
            (folder / f"{question}.html").unlink(missing_ok=True)


def _asked(problem_set: ProblemSet, question: str) -> tuple[NotebookNode, NotebookNode]:
    """The cell with the words of a question, and that with its reference."""
    asked = reference = nbformat.v4.new_markdown_cell("")
    for cell in problem_set.notebook.cells:
        if role(cell) == "text":
            asked = cell
        elif role(cell) in ("answer", "proof"):
            reference = cell
        if about(cell).get("grade_id") == question:
            break
    return asked, reference


def rendered(cell: NotebookNode) -> str:
    """A cell as HTML without anything that a browser runs: Markdown with its formulas and attached
    images; code, and what cannot be read or is very long, as it was typed."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def inline_math(self, body: str) -> str:
            return _formula(body, "inline")

        def block_math(self, body: str) -> str:
            return _formula(body, "block")

        def latex_environment(self, name: str, body: str) -> str:
            return _formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")

    if cell.cell_type == "markdown" and len(cell.source) <= MOST_RENDERED:
        settings = {"escape": True, "allow_harmful_protocols": False}
        renderer = Renderer(
            **settings, exclude_anchor_links=True, attachments=cell.get("attachments", {})
        )
        try:
            return MarkdownWithMath(renderer=renderer).render(cell.source)
        except Exception:  # a student's text may be anything
            pass
    return f"<pre>{html.escape(cell.source)}</pre>"


def _formula(tex: str, display: str) -> str:
    from latex2mathml.converter import convert

    try:
        made = convert(tex, display=display)
        if "href" not in made:
            return made
    except Exception:  # as above
        pass
    # As it was typed: what cannot be read, and what leads elsewhere.
    return f"<code>{html.escape(tex)}</code>"


def given(row: dict[str, str], student: str) -> float:
    """The points that a person gave."""
    where = f"proofs.csv, {row['code']} ({student}), {row['question']}"
    try:
        points, most = float(row["points"].replace(",", ".")), float(row["of"])
    except ValueError:
        raise ValueError(f"{where}: {row['points']!r} is not a number") from None
    if not 0 <= points <= most:
        raise ValueError(f"{where}: {points} is not in [0, {most}]")
    return points
