"""The ledger is held to the book: every claim has its place, every place its evidence."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest
import yaml
from ledger import load, served
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


def ledger_of(tmp_path: Path, **uses: list[str]) -> Path:
    entry = {"document": "001", "kind": "lemma", "chapter": "privacy", "evidence": ["exact"]}
    path = tmp_path / "claims.yml"
    path.write_text(yaml.safe_dump({name: entry | {"uses": found} for name, found in uses.items()}))
    return path


def test_uses_are_read_and_turned_around(tmp_path: Path) -> None:
    claims = load(ledger_of(tmp_path, a=[], b=["a"], c=["a", "b"]))
    assert claims["c"].uses == ("a", "b")
    assert served(claims) == {"a": ["b", "c"], "b": ["c"], "c": []}


@pytest.mark.parametrize(
    ("uses", "condition"),
    [
        ({"a": ["b"]}, "a: uses must be claims"),
        ({"a": [], "b": ["a", "a"]}, "each named once"),
        ({"a": ["a"]}, "circle of claims: a uses a"),
        ({"a": ["c"], "b": ["a"], "c": ["b"]}, "circle of claims"),
    ],
)
def test_uses_that_cannot_be_are_refused(tmp_path: Path, uses: dict, condition: str) -> None:
    with pytest.raises(ValueError, match=condition):
        load(ledger_of(tmp_path, **uses))


def test_a_circle_is_told_in_its_order(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="circle") as caught:
        load(ledger_of(tmp_path, a=["c"], b=["a"], c=["b"]))
    names = str(caught.value).split(": ")[1].split(" uses ")
    assert {("a", "c"), ("b", "a"), ("c", "b")} == set(zip(names, names[1:], strict=False))


def test_a_placed_claim_rests_on_placed_claims() -> None:
    for claim in PLACED:
        assert all(CLAIMS[name].placed for name in claim.uses), claim.id


def below(name: str) -> set[str]:
    return set(CLAIMS[name].uses).union(*map(below, CLAIMS[name].uses))


@pytest.mark.parametrize("stem", sorted({claim.chapter for claim in PLACED}))
def test_what_a_statement_or_its_proof_refers_to_is_among_what_it_uses(stem: str) -> None:
    prose = "\n\n".join(c.source for c in NOTEBOOKS[stem].cells if c.cell_type == "markdown")
    name = None
    for kind, text in re.findall(r"^(`{3,}\{prf:\w+)\}(.*?)^`{3,}$", prose, re.M | re.S):
        label = re.search(r"^:label: (\S+)", text, re.M)
        if not kind.endswith("proof"):
            name = label[1] if label else None
        if name in CLAIMS:
            for other in re.findall(r"\{prf:ref\}`([^`<]+)`", text):
                assert other not in CLAIMS or other in below(name), (name, other)


def test_claims_file_lists_nothing_twice() -> None:
    names = re.findall(r"^(\S+):$", (BOOK / "claims.yml").read_text(), flags=re.MULTILINE)
    assert len(names) == len(set(names)) == len(CLAIMS)
