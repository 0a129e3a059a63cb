"""The references: every work is cited, can be found, and no citation leads nowhere."""

from __future__ import annotations

import re

import nbformat
from notebooks import BOOK, chapters
from pybtex.database import parse_file

WORKS = parse_file(BOOK / "references.bib").entries
# Lecture slides and a blog have no identifier, nor has this volume of its journal.
WITHOUT = {"klein", "smith", "boulaguiem", "tang", "hannig2009"}
CITATION = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")


def cited() -> set[str]:
    """The keys of every citation in the book."""
    texts = [path.read_text() for path in BOOK.rglob("*.md") if "_build" not in path.parts]
    for path in chapters():
        cells = nbformat.read(path, as_version=4).cells
        texts += [cell.source for cell in cells if cell.cell_type == "markdown"]
    return {
        key.strip() for text in texts for keys in CITATION.findall(text) for key in keys.split(",")
    }


def test_works_and_citations_are_the_same() -> None:
    assert cited() == set(WORKS)


def test_every_work_has_an_identifier_or_an_address() -> None:
    assert {key for key, work in WORKS.items() if not {"doi", "url"} & set(work.fields)} == WITHOUT
    for work in WORKS.values():
        if "doi" in work.fields:
            assert re.fullmatch(r"10\.\d{4,5}/[\w.()/-]+", work.fields["doi"])
            # What is on arXiv alone is named by its number in both places.
            number = re.search(r"arXiv:([\d.]+)", work.fields.get("note", ""))
            if number and "arXiv" in work.fields["doi"]:
                assert work.fields["doi"] == f"10.48550/arXiv.{number[1]}"


def test_works_of_the_paper_are_cited_and_have_an_identifier_or_an_address() -> None:
    folder = BOOK.parent / "paper"
    works = parse_file(folder / "paper.bib").entries
    assert set(re.findall(r"@(\w+)", (folder / "paper.md").read_text())) == set(works)
    assert {key for key, work in works.items() if "doi" not in work.fields} == {
        "gaboardi2020",
        "near2021",
    }
    for work in works.values():
        doi, url = (work.fields.get(field, "") for field in ("doi", "url"))
        assert re.fullmatch(r"10\.\d{4,5}/\S+", doi) or url.startswith("https://")
    shared = set(works) & set(WORKS)
    assert shared
    assert all(works[key].fields.get("doi") == WORKS[key].fields.get("doi") for key in shared)
