"""The ledger is held to the book: every claim has its place, every place its evidence."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter

import nbformat
import pytest
from ledger import load
from notebooks import BOOK, chapters

CLAIMS = load()
PLACED = [claim for claim in CLAIMS.values() if claim.placed]
NOTEBOOKS = {path.stem: nbformat.read(path, as_version=4) for path in chapters()}
LABEL = re.compile(r"\{[\w:-]+\}[^\n]*\n(?::[^\n]*\n)*?:label: (\S+)")


def labels(stem: str) -> list[str]:
    cells = NOTEBOOKS[stem].cells
    return [name for c in cells if c.cell_type == "markdown" for name in LABEL.findall(c.source)]


def evidence_cells(stem: str, claim: str) -> list[str]:
    tag = f"claim:{claim}"
    return [c.source for c in NOTEBOOKS[stem].cells if tag in c.metadata.get("tags", [])]


def test_all_claims_of_the_five_documents_are_listed() -> None:
    prefixes = Counter(name.split("-")[0] for name in CLAIMS)
    assert prefixes == {"Klein": 30, "Smith": 31, "Boul": 33, "BD": 39, "Tang": 25}
    documents = {"Klein": "000", "Smith": "001", "Boul": "002", "BD": "003", "Tang": "004"}
    assert all(c.document == documents[name.split("-")[0]] for name, c in CLAIMS.items())


@pytest.mark.parametrize("claim", PLACED, ids=lambda claim: claim.id)
def test_a_placed_claim_has_its_label_and_its_evidence(claim) -> None:
    assert claim.chapter in NOTEBOOKS, f"no chapter {claim.chapter}"
    assert labels(claim.chapter).count(claim.id) == 1
    cells = evidence_cells(claim.chapter, claim.id)
    assert cells or claim.evidence == ("cited",), "no cell is tagged with the claim"
    for source in cells:
        asserted = [n.test for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Assert)]
        assert asserted, "the cell asserts nothing"
        # An assertion about constants cannot fail.
        for test in asserted:
            assert any(isinstance(n, ast.Name | ast.Call) for n in ast.walk(test))


@pytest.mark.parametrize("claim", PLACED, ids=lambda claim: claim.id)
def test_a_placed_claim_names_a_function_that_exists(claim) -> None:
    if claim.function is None:
        return
    module, *rest = claim.function.split(".")
    found = importlib.import_module(module)
    for name in rest:
        try:
            found = getattr(found, name)
        except AttributeError:
            found = importlib.import_module(f"{found.__name__}.{name}")
    assert callable(found) or isinstance(found, property)
    assert found.__doc__


@pytest.mark.parametrize("claim", PLACED, ids=lambda claim: claim.id)
def test_a_cited_claim_says_why(claim) -> None:
    assert ("cited" in claim.evidence) == bool(claim.reason)


def test_no_cell_or_label_speaks_of_a_claim_that_the_ledger_does_not_place() -> None:
    placed = {claim.id: claim.chapter for claim in PLACED}
    for stem, notebook in NOTEBOOKS.items():
        tags = {tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])}
        for tag in tags:
            if tag.startswith("claim:"):
                assert placed.get(tag.removeprefix("claim:")) == stem, tag
        for label in labels(stem):
            if label in CLAIMS:
                assert placed.get(label) == stem, label


def test_corrections_name_entries_of_the_errata() -> None:
    for claim in CLAIMS.values():
        for entry in claim.corrected:
            assert re.fullmatch(rf"E{claim.document}-\d\d", entry), (claim.id, entry)


def test_readme_counts_the_placed_claims() -> None:
    readme = " ".join((BOOK.parent / "README.md").read_text().split())
    assert f"all {len(CLAIMS)} statements" in readme
    assert f"So far {len(PLACED)} are placed" in readme or len(PLACED) == len(CLAIMS)


def test_claims_file_lists_nothing_twice() -> None:
    names = re.findall(r"^(\S+):$", (BOOK / "claims.yml").read_text(), flags=re.MULTILINE)
    assert len(names) == len(set(names)) == len(CLAIMS)
