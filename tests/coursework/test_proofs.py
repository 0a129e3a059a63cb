"""What a person marks: pages without names that run nothing, and a sheet that keeps its points."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from time import process_time

import nbformat
import pytest
from marking import proofs
from marking.batch import Submission
from marking.sets import COURSE, ProblemSet, about, fill, names, rebuild, reference
from sheets import rows, write

NAME, SEED = "laplace", "a seed"
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "![a](javascript:alert(1))",
    "$\\href{javascript:alert(1)}{x}$",
    "$<script>alert(1)</script>$",
    "$$\\begin{x}<script>alert(1)</script>\\end{x}$$",
    "```html\n<script>alert(1)</script>\n```",
    "![a](attachment:missing.png)",
    "<iframe src='https://example.org'></iframe>",
    "$" + "\\frac{" * 2_000,
    "[" * 15_000,
    "*a_" * 6_000,
    "> " * 9_000,
    "\x00\x1b[0m",
]


class Seen(HTMLParser):
    """The elements of a page, and their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))


def submission(
    student: str, proof: str, *own: nbformat.NotebookNode, images: dict | None = None
) -> Submission:
    """A submission whose proof is this, with the student's own cells behind it."""
    released = nbformat.read(COURSE / "release" / NAME / f"{NAME}.ipynb", as_version=4)
    notebook = fill(released, {"private": proof} if proof else {}, student)
    place = next(i for i, c in enumerate(notebook.cells) if about(c).get("grade_id") == "private")
    notebook.cells[place].attachments = images or {}
    notebook.cells[place + 1 : place + 1] = own
    item = Submission(student, b"")
    item.notebook = rebuild(released, notebook, student)
    return item


def written(out: Path, *items: Submission, others: bool = False) -> list[tuple[str, str]]:
    released = nbformat.read(COURSE / "release" / NAME / f"{NAME}.ipynb", as_version=4)
    return proofs.write(ProblemSet.load(NAME), list(items), released, out, SEED, others)


def test_pages_show_question_reference_proof_own_cells_and_images_and_no_name(
    tmp_path: Path,
) -> None:
    own = [
        nbformat.v4.new_markdown_cell("A remark behind it."),
        nbformat.v4.new_code_cell("print(1 < 2)"),
    ]
    image = {"graph.png": {"image/png": PIXEL}}
    anna = submission("anna", "It is $e^\\varepsilon$. ![g](attachment:graph.png)", images=image)
    ben = submission("ben", "", *own)
    written(tmp_path, anna, ben, submission("carla", ""))
    page = (tmp_path / "proofs" / "private.html").read_text()
    for words in ("Prove that", "2 for (a)", "Reference", "A remark behind it.", "1 &lt; 2"):
        assert words in page, words
    tags = Seen(page).found
    sources = [attributes["src"] for tag, attributes in tags if tag == "img"]
    assert sources == [f"data:image/png;base64,{PIXEL}"]
    assert sum(tag == "math" for tag, _ in tags) > 10
    shown = [attributes["id"] for tag, attributes in tags if tag == "section"]
    assert shown == sorted(proofs.code(SEED, student) for student in ("anna", "ben"))
    sheet = rows(tmp_path / "proofs.csv")
    assert [row["code"] for row in sheet] == shown and sheet[0]["of"] == "4.0"
    everything = page + (tmp_path / "proofs.csv").read_text()
    assert not re.search("anna|ben|carla", everything)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_a_student_wrote_is_shown_and_never_run(tmp_path: Path, text: str) -> None:
    began = process_time()
    written(tmp_path, submission("anna", text))
    page = (tmp_path / "proofs" / "private.html").read_text()
    assert "content=\"default-src 'none'; img-src data:;" in page
    for tag, attributes in Seen(page).found:
        assert tag not in ("script", "iframe", "object", "link", "form"), tag
        assert not any(name.startswith("on") for name in attributes)
        for place in ("src", "href"):
            assert not (attributes.get(place) or "").strip().lower().startswith("javascript:")
    assert process_time() - began < 20


def test_images_of_other_kinds_and_names_are_left_out() -> None:
    images = {
        "a.svg": {"image/svg+xml": "<svg onload='alert(1)'/>"},
        "b.png": {"image/png": '" onerror="alert(1)'},
        "../\ud800": {"image/png": PIXEL},
        "c.png": {"image/png": 3},
        "d.png": "no",
        "e.png": {"image/png": PIXEL, "image/svg+xml": "<svg/>"},
    }
    (cell,) = [
        cell
        for cell in submission("anna", "See.", images=images).notebook.cells
        if about(cell).get("grade_id") == "private"
    ]
    assert cell.attachments == {"e.png": {"image/png": PIXEL}}


def test_points_and_comments_stay_with_the_answer_that_they_are_for(tmp_path: Path) -> None:
    items = [submission(student, f"{student[0]} says so") for student in ("anna", "ben")]
    assert written(tmp_path, *items) == []
    write(
        tmp_path / "proofs.csv",
        [row | {"points": "3", "comment": "why?"} for row in rows(tmp_path / "proofs.csv")],
    )
    assert written(tmp_path, *items) == []
    assert {(row["points"], row["comment"]) for row in rows(tmp_path / "proofs.csv")} == {
        ("3", "why?")
    }
    picture = submission("ben", "b says so", images={"x.png": {"image/png": PIXEL}})
    page = tmp_path / "proofs" / "private.html"
    for changed in (picture, submission("ben", "b says more"), submission("ben", "")):
        assert written(tmp_path, changed, others=True) == [("ben", "private")]
        sheet = {row["code"]: row["points"] for row in rows(tmp_path / "proofs.csv")}
        assert sheet.pop(proofs.code(SEED, "anna")) == "3" and set(sheet.values()) <= {""}
        assert proofs.code(SEED, "anna") in page.read_text()
        write(
            tmp_path / "proofs.csv",
            [row | {"points": "3"} for row in rows(tmp_path / "proofs.csv")],
        )
    assert proofs.code(SEED, "ben") not in page.read_text()


def test_codes_are_words_of_consonants_that_the_seed_decides() -> None:
    students = [f"student-{index}" for index in range(2_000)]
    codes = {proofs.code(SEED, student) for student in students}
    assert len(codes) == 2_000 and all(re.fullmatch("[b-df-hj-np-tv-z]{8}", one) for one in codes)
    assert not codes & {proofs.code("another seed", student) for student in students}


@pytest.mark.parametrize("name", names())
def test_every_reference_and_question_is_typeset_whole(name: str) -> None:
    """No formula of the book's own is left as it was typed."""
    problem_set = ProblemSet.load(name)
    for question in problem_set.proofs:
        for cell in proofs._asked(problem_set, question):
            page = proofs.rendered(cell)
            assert "<math" in page and "$" not in page and "<code>\\" not in page


@pytest.mark.parametrize("name", names())
def test_of_a_blank_there_is_nothing_to_read(name: str) -> None:
    released = nbformat.read(COURSE / "release" / name / f"{name}.ipynb", as_version=4)
    item = Submission("anna", b"", notebook=rebuild(released, released, "anna"))
    assert list(proofs.to_read(ProblemSet.load(name), item, released, SEED)) == []


def test_a_long_text_is_shown_as_it_was_typed() -> None:
    cell = nbformat.v4.new_markdown_cell("$x$" * proofs.MOST_RENDERED)
    assert proofs.rendered(cell) == f"<pre>{cell.source}</pre>"


def test_the_reference_stands_on_the_page_of_its_question() -> None:
    problem_set = ProblemSet.load(NAME)
    asked, right = proofs._asked(problem_set, "private")
    assert asked.source.startswith("## 8.") and right.source == reference(problem_set)["private"]
