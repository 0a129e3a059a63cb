"""The glossary: every term is defined by a link, linked from a page, and in its place."""

from __future__ import annotations

import re
import unicodedata

import nbformat
import pytest
from notebooks import BOOK, chapters, numbered

SOURCE = (BOOK / "glossary.md").read_text()
ENTRIES = dict(
    re.findall(r"^([^\s:`][^\n]*)\n((?:  [^\n]+\n)+)", SOURCE.split(":sorted:\n")[1], re.M)
)
TERM = re.compile(r"\{term\}`(?:[^`<]*<([^`>]+)>|([^`<]+))`")
NUMBERED = [path.stem for path in numbered()]


def key(term: str) -> str:
    """Letters without accents, as an index orders them."""
    plain = unicodedata.normalize("NFD", term.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def linked(text: str) -> list[str]:
    return [key(target or name) for target, name in TERM.findall(text)]


def prose(stem: str) -> str:
    cells = nbformat.read(BOOK / f"{stem}.ipynb", as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


PAGES = {path.stem: linked(prose(path.stem)) for path in chapters()}


def test_terms_are_many_enough_and_in_order() -> None:
    assert 40 <= len(ENTRIES) <= 70
    assert list(ENTRIES) == sorted(ENTRIES, key=key)
    assert len({key(term) for term in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("term", ENTRIES)
def test_definition_leads_to_where_it_is_said_in_full(term: str) -> None:
    definition = " ".join(ENTRIES[term].split())
    assert re.search(r"\{(prf:ref|doc|ref)\}`[^`]+`", definition)
    assert definition.endswith(".") and 60 <= len(definition) <= 400


@pytest.mark.parametrize("term", ENTRIES)
def test_term_is_linked_from_a_page(term: str) -> None:
    assert any(key(term) in found for found in PAGES.values())


@pytest.mark.parametrize("stem", NUMBERED)
def test_chapter_links_the_terms_that_it_introduces(stem: str) -> None:
    found = PAGES[stem]
    assert len(found) >= 5
    # The first use is linked, and only the first.
    assert len(found) == len(set(found))


def test_every_link_is_to_a_term() -> None:
    terms = {key(term) for term in ENTRIES}
    assert set(linked(SOURCE)) <= terms
    for stem, found in PAGES.items():
        assert set(found) <= terms, stem
