"""The ledger is held to the book: every claim has its place, every place its evidence."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest
import yaml
from cells import assert_it_can_fail
from known import SURE, judged, summary
from ledger import OWN, WITHOUT_STANDING, boxes, load, of_documents, served
from notebooks import BOOK, chapters

CLAIMS = load()
BOXES = boxes(CLAIMS)
PLACED = [claim for claim in CLAIMS.values() if claim.placed]
NOTEBOOKS = {path.stem: nbformat.read(path, as_version=4) for path in chapters()}
LABEL = re.compile(r"\{[\w:-]+\}[^\n]*\n(?::[^\n]*\n)*?:label: (\S+)")


def labels(stem: str) -> list[str]:
    cells = NOTEBOOKS[stem].cells
    return [name for c in cells if c.cell_type == "markdown" for name in LABEL.findall(c.source)]


def blocks(stem: str) -> list[tuple[str | None, str, str]]:
    """Statements and proofs of a page in order: (the label it belongs to, its kind, its text)."""
    prose = "\n\n".join(c.source for c in NOTEBOOKS[stem].cells if c.cell_type == "markdown")
    found, name = [], None
    for kind, text in re.findall(r"^`{3,}\{prf:(\w+)\}(.*?)^`{3,}$", prose, re.M | re.S):
        if kind != "proof":
            label = re.search(r"^:label: (\S+)", text, re.M)
            name = label[1] if label else None
        found.append((name, kind, text))
    return found


def evidence_cells(stem: str, claim: str) -> list[str]:
    tag = f"claim:{claim}"
    return [c.source for c in NOTEBOOKS[stem].cells if tag in c.metadata.get("tags", [])]


def test_all_claims_of_the_five_documents_are_listed() -> None:
    listed = of_documents(CLAIMS)
    prefixes = Counter(name.split("-")[0] for name in listed)
    assert prefixes == {"Klein": 30, "Smith": 31, "Boul": 33, "BD": 39, "Tang": 25}
    documents = {"Klein": "000", "Smith": "001", "Boul": "002", "BD": "003", "Tang": "004"}
    assert all(c.document == documents[name.split("-")[0]] for name, c in listed.items())


@pytest.mark.parametrize("claim", PLACED, ids=lambda claim: claim.id)
def test_a_placed_claim_has_its_label_and_its_evidence(claim) -> None:
    assert claim.chapter in NOTEBOOKS, f"no chapter {claim.chapter}"
    assert labels(claim.chapter).count(claim.box) == 1, f"no box labelled {claim.box}"
    cells = evidence_cells(claim.chapter, claim.id)
    # A proof is evidence enough for a statement of the book's own.
    enough = claim.evidence == ("cited",) or (claim.document, claim.standing) == (OWN, "proved")
    assert cells or enough, f"tag the cell that checks it claim:{claim.id}"
    for source in cells:
        assert_it_can_fail(source)


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
                assert CLAIMS[label].box == label, f"{label} stands under {CLAIMS[label].box}"


def test_corrections_name_entries_of_the_errata() -> None:
    for claim in CLAIMS.values():
        for entry in claim.corrected:
            assert re.fullmatch(rf"E{claim.document}-\d\d", entry), (claim.id, entry)


def test_readme_counts_the_placed_claims() -> None:
    readme = " ".join((BOOK.parent / "README.md").read_text().split())
    listed = of_documents(CLAIMS).values()
    placed = sum(claim.placed for claim in listed)
    assert f"all {len(listed)} statements" in readme
    assert f"So far {placed} are placed" in readme or placed == len(listed)


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
    return set(BOXES[name].uses).union(*map(below, BOXES[name].uses))


@pytest.mark.parametrize("stem", sorted({claim.chapter for claim in PLACED}))
def test_what_a_statement_or_its_proof_refers_to_is_among_what_it_uses(stem: str) -> None:
    for name, kind, text in blocks(stem):
        if name in BOXES:
            for other in re.findall(r"\{prf:ref\}`([^`<]+)`", text):
                assert other not in BOXES or other in below(name), (kind, name, other)


@pytest.mark.parametrize("stem", sorted({claim.chapter for claim in PLACED}))
def test_what_is_proved_has_its_proof(stem: str) -> None:
    found = {name for name, kind, _ in blocks(stem) if kind == "proof"}
    for name, claim in BOXES.items():
        if claim.placed and claim.chapter == stem and claim.standing == "proved":
            if claim.follows is None:
                assert name in found, f"{name} is called proved: put a prf:proof after its box"
            else:
                source = BOXES.get(claim.follows)
                assert source and source.standing == "proved", f"{name} follows from {source}"


def test_only_what_can_be_known_has_a_standing() -> None:
    for claim in PLACED:
        if claim.standing:
            assert claim.kind not in WITHOUT_STANDING, f"{claim.id}: a {claim.kind} has no standing"
            assert (claim.standing == "cited") <= bool(claim.reason), f"{claim.id}: say why"
        shared = {c.standing for c in PLACED if c.box == claim.box and c.standing}
        assert len(shared) <= 1, f"{claim.box}: one box has one standing, not {shared}"


def test_what_is_not_proved_says_what_it_covers_and_what_is_missing() -> None:
    for claim in BOXES.values():
        if claim.placed and claim.standing not in (None, *SURE):
            assert claim.covers, f"{claim.id}: say under `covers` for which cases it is known"
            assert claim.missing or claim.reason, f"{claim.id}: say what is `missing`"
        elif claim.covers or claim.missing:
            assert claim.standing not in (None, "proved"), (
                f"{claim.id} is proved: nothing is missing"
            )


def test_every_statement_says_of_what_it_speaks() -> None:
    missing = [claim.id for claim in judged(CLAIMS) if not claim.for_all]
    assert not missing, f"say under `for_all` over what they speak: {missing}"
    for claim in CLAIMS.values():
        if claim.for_all:
            assert claim.standing, f"{claim.id}: a {claim.kind} has nothing to be known"
            told = claim.for_all
            assert told == told.strip() and not told.endswith(".") and len(told) <= 160, claim.id
            assert not set("$'\\") & set(told), f"{claim.id}: write it in plain characters"


def test_a_box_says_once_of_what_it_speaks() -> None:
    times = Counter(claim.box for claim in CLAIMS.values() if claim.for_all)
    assert max(times.values()) == 1, times.most_common(3)


def test_most_of_what_can_be_known_is_proved_or_certified() -> None:
    found = judged(CLAIMS)
    sure = sum(claim.standing in SURE for claim in found)
    assert sure >= 0.9 * len(found)
    assert f"{sure} of {len(found)}" in summary(found)


def test_claims_file_lists_nothing_twice() -> None:
    names = re.findall(r"^(\S+):$", (BOOK / "claims.yml").read_text(), flags=re.MULTILINE)
    assert len(names) == len(set(names)) == len(CLAIMS)
