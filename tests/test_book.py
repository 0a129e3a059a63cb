"""Contracts that every chapter keeps, read off the committed notebooks."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import nbformat
import pytest
from notebooks import BOOK, COVER, COVER_PAGE, chapters, first_picture, normalise, numbered

from minimaxdp.book.explorables import MIME

ROOT = BOOK.parent
PAGES = chapters()
NUMBERED = numbered()
page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
chapter = pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.stem)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose(path: Path) -> str:
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def test_every_numbered_chapter_is_a_page() -> None:
    assert NUMBERED and set(NUMBERED) <= set(PAGES)


@page
def test_every_code_cell_was_run_in_order(path: Path) -> None:
    counts = [cell.execution_count for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1))


@page
def test_no_cell_failed_or_wrote_to_stderr(path: Path) -> None:
    for cell in code_cells(path):
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", output.text


@page
def test_notebook_is_in_normal_form(path: Path) -> None:
    assert path.read_text() == nbformat.writes(normalise(read(path))) + "\n"


@page
def test_no_machine_path_or_address_is_printed(path: Path) -> None:
    assert not re.search(
        r"(?<![\w.])/(home|root|tmp|work|Users)/|at 0x[0-9a-f]{6}", path.read_text()
    )


@page
def test_imports_stand_in_the_first_code_cell(path: Path) -> None:
    for cell in code_cells(path)[1:]:
        nodes = ast.walk(ast.parse(cell.source))
        assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes), cell.source


@page
def test_randomness_is_seeded(path: Path) -> None:
    source = "\n".join(cell.source for cell in code_cells(path))
    assert not re.search(
        r"default_rng\(\s*\)|np\.random\.(?!default_rng|Generator|SeedSequence)", source
    )


@page
def test_every_figure_has_alt_text_caption_and_label(path: Path) -> None:
    text = prose(path)
    for cell in code_cells(path):
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            about = cell.metadata.get("mystnb", {})
            figure, image = about.get("figure", {}), about.get("image", {})
            (data,) = (
                output.data for output in cell.outputs if "image/png" in output.get("data", {})
            )
            alt = json.loads(data[MIME])["alt"] if MIME in data else image.get("alt", "")
            assert len(alt) >= 60, cell.source
            assert len(figure.get("caption", "")) >= 40, cell.source
            assert figure.get("name", "").startswith("fig-"), cell.source
            assert f"{{numref}}`{figure['name']}`" in text, f"{figure['name']} is never referred to"


def test_figure_labels_are_unique() -> None:
    names = [
        cell.metadata["mystnb"]["figure"]["name"]
        for path in PAGES
        for cell in code_cells(path)
        if "figure" in cell.metadata.get("mystnb", {})
    ]
    assert len(names) == len(set(names))


@page
def test_every_glued_number_is_used_and_every_used_one_glued(path: Path) -> None:
    glued = {
        output.metadata["scrapbook"]["name"]
        for cell in code_cells(path)
        for output in cell.outputs
        if "scrapbook" in output.get("metadata", {})
    }
    assert glued == set(re.findall(r"\{glue:\w+\}`([^`]+)`", prose(path)))


@chapter
def test_every_exercise_has_a_folded_solution(path: Path) -> None:
    text = prose(path)
    exercises = re.findall(r"\{exercise(?:-start)?\}[^\n]*\n:label: (\S+)", text)
    solutions = re.findall(r"\{solution(?:-start)?\} (\S+)\n((?::[^\n]*\n)*)", text)
    assert len(exercises) >= 5
    assert sorted(exercises) == sorted(label for label, _ in solutions)
    for label, options in solutions:
        assert ":class: dropdown" in options, label
    for gate in ("exercise", "solution"):
        assert text.count(f"{{{gate}-start}}") == text.count(f"{{{gate}-end}}")


@chapter
def test_chapter_module_and_tests_share_a_name(path: Path) -> None:
    module = ROOT / "minimaxdp" / path.stem
    assert module.is_dir() or module.with_suffix(".py").is_file()
    assert list((ROOT / "tests").glob(f"test_{path.stem}*.py"))
    assert f"automodule:: minimaxdp.{path.stem}\n" in (BOOK / f"api/{path.stem}.md").read_text()
    assert f"\n{path.stem}\n" in (BOOK / "api.md").read_text()
    assert f"book/{path.name}" in (ROOT / "README.md").read_text()


def test_readme_shows_the_figure_of_the_landing_page() -> None:
    assert COVER.read_bytes() == first_picture(read(COVER_PAGE))
    assert str(COVER.relative_to(ROOT)) in (ROOT / "README.md").read_text()
