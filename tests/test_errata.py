"""The errata are held to the page, to the ledger, and to the statements that they touch."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest
from cells import assert_it_can_fail
from errata import SEVERITIES, load, touched
from ledger import load as load_claims
from notebooks import BOOK

ERRATA = load()
CLAIMS = load_claims()
CELLS = nbformat.read(BOOK / "errata.ipynb", as_version=4).cells
PROSE = "\n\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
TAGS = Counter(
    tag
    for cell in CELLS
    for tag in cell.metadata.get("tags", [])
    if tag.startswith(("erratum:", "claim:"))
)
# How many entries the list of each document has; their numbers run without a gap.
ENTRIES = {"000": 25, "001": 11, "002": 21, "003": 14, "004": 12}
SECTIONS = [name for name, erratum in ERRATA.items() if not erratum.slip]


def section(name: str) -> list[nbformat.NotebookNode]:
    """The cells from the anchor of an entry to the next anchor."""
    starts = [i for i, cell in enumerate(CELLS) if re.search(r"^\(\S+\)=$", cell.source, re.M)]
    start = next(i for i in starts if f"({name.lower()})=" in CELLS[i].source.splitlines())
    after = [i for i in starts if i > start]
    return CELLS[start : after[0] if after else len(CELLS)]


def test_every_entry_of_the_five_documents_is_listed_once_and_in_order() -> None:
    expected = [f"E{d}-{i:02d}" for d, count in ENTRIES.items() for i in range(1, count + 1)]
    assert list(ERRATA) == expected
    names = re.findall(r"^(\S+):$", (BOOK / "errata.yml").read_text(), flags=re.MULTILINE)
    assert names == expected
    assert all(e.document == name[1:4] for name, e in ERRATA.items())
    assert {e.severity for e in ERRATA.values()} == set(SEVERITIES)


def test_titles_are_distinct() -> None:
    titles = [erratum.title for erratum in ERRATA.values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", SECTIONS)
def test_an_entry_has_anchor_heading_quotation_and_links(name: str) -> None:
    erratum = ERRATA[name]
    assert PROSE.count(f"({erratum.anchor})=\n### {name}: {erratum.title}\n") == 1
    assert PROSE.count(f"```{{erratum}} {name}\n```") == 1
    text = "\n".join(c.source for c in section(name) if c.cell_type == "markdown")
    assert re.search(r"^> \S", text, flags=re.MULTILINE), "nothing is quoted"
    # More is said than quoted and linked.
    own = [line for line in text.splitlines() if line and line[0] not in "(#`>"]
    assert len(" ".join(own)) > 60, own


@pytest.mark.parametrize("name", SECTIONS)
def test_a_counterexample_runs_in_its_section(name: str) -> None:
    cells = [c for c in section(name) if f"erratum:{name}" in c.metadata.get("tags", [])]
    assert len(cells) == TAGS[f"erratum:{name}"] == 1
    assert_it_can_fail(cells[0].source)


def test_no_cell_speaks_of_anything_else() -> None:
    assert set(TAGS) == {f"erratum:{name}" for name in SECTIONS}
    mentioned = set(re.findall(r"E\d{3}-\d\d", PROSE))
    assert mentioned <= set(ERRATA)


def test_entries_stand_in_the_section_of_their_document() -> None:
    place = {d: PROSE.index(f"(errata-{d})=") for d in ENTRIES}
    ends = {**place, "end": PROSE.index("(errata-slips)=")}
    for (document, start), end in zip(place.items(), list(ends.values())[1:], strict=True):
        found = re.findall(r"^### (E\S+):", PROSE[start:end], flags=re.MULTILINE)
        assert found == [name for name in SECTIONS if name[1:4] == document]
    assert PROSE.count("```{errata-slips}") == PROSE.count("```{errata-summary}") == 1


@pytest.mark.parametrize("name", ERRATA)
def test_the_claims_of_an_entry_exist_and_belong_to_its_document(name: str) -> None:
    erratum = ERRATA[name]
    for claim in erratum.claims:
        assert CLAIMS[claim].document == erratum.document, claim
    if erratum.claims:
        assert erratum.chapter in {CLAIMS[claim].chapter for claim in erratum.claims}


def test_the_ledger_and_the_errata_name_each_other() -> None:
    entries = touched(ERRATA)
    for name, claim in CLAIMS.items():
        met = {erratum.id for erratum in entries.get(name, [])}
        assert set(claim.corrected) <= met, (name, "corrected names what errata.yml does not")
        if claim.placed:
            assert met <= set(claim.corrected), (name, "errata.yml names what corrected does not")


def test_a_wrong_entry_is_refused(tmp_path: Path) -> None:
    good = {
        "document": '"000"', "severity": "A", "title": "x", "where": "x", "chapter": "laplace",
        "claims": "[]",
    }  # fmt: skip
    for change in (
        {"document": '"005"'},
        {"severity": "D"},
        {"severity": "T"},  # a slip says what is printed
        {"printed": "x", "right": "y"},  # and only a slip
    ):
        file = tmp_path / "errata.yml"
        entry = "".join(f"  {key}: {value}\n" for key, value in (good | change).items())
        file.write_text(f"E000-01:\n{entry}")
        with pytest.raises(ValueError, match="E000-01"):
            load(file)
