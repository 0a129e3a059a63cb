"""The map of the book: it draws what the ledger says, all of it, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace

import claim_map
import pytest
from bs4 import BeautifulSoup
from ledger import Claim, boxes, load, served

CLAIMS = boxes(load())
KEY = claim_map.key_claims(CLAIMS)
PAIRS = claim_map.links(CLAIMS)


def small(**uses: str) -> dict[str, Claim]:
    """A ledger of theorems in one chapter; each is given what it uses, as letters."""
    return {
        name: Claim(name, "001", "theorem", "privacy", ("exact",), uses=tuple(used))
        for name, used in uses.items()
    }


def above(pairs: list[tuple[str, str]], name: str) -> set[str]:
    direct = {b for a, b in pairs if a == name}
    return direct.union(*(above(pairs, other) for other in direct))


def test_a_line_that_a_chain_implies_is_left_out() -> None:
    assert claim_map.links(small(a="", b="a", c="ab", d="ac")) == [
        ("a", "b"),
        ("b", "c"),
        ("c", "d"),
    ]


def test_a_line_leads_through_lesser_claims() -> None:
    claims = small(a="", b="", c="", x="abc", y="x", z="y")
    for name in "yz":
        claims[name] = replace(claims[name], kind="lemma")
    claims["t"] = replace(claims["a"], id="t", uses=("z",))
    assert "y" not in claim_map.key_claims(claims) and "z" not in claim_map.key_claims(claims)
    assert ("x", "t") in claim_map.links(claims)


def test_claims_without_a_place_are_not_drawn() -> None:
    claims = small(a="", b="a", c="a")
    claims["c"] = replace(claims["c"], evidence=("planned",))
    assert claim_map.key_claims(claims) == ["a", "b"] and served(claims)["a"] == ["b"]


def test_lines_say_what_the_ledger_says_of_the_key_claims() -> None:
    every = [(used, claim.id) for claim in CLAIMS.values() if claim.placed for used in claim.uses]
    assert 60 <= len(PAIRS) <= 180 and 50 <= len(KEY) <= 140
    for name in KEY:
        assert above(PAIRS, name) == above(every, name) & set(KEY)


def test_every_box_has_a_line_and_a_theorem_its_box() -> None:
    assert {name for pair in PAIRS for name in pair} == set(KEY)
    for claim in CLAIMS.values():
        if claim.placed and claim.kind == "theorem":
            assert claim.id in KEY


def test_boxes_lie_apart_and_below_what_they_rest_on() -> None:
    nodes, owners = claim_map.layout(CLAIMS)
    at = {node.id: node for node in nodes}
    assert set(at) == set(KEY) and len(nodes) == len(KEY)
    order = list(claim_map.chapters())
    assert [order.index(owner) for owner in owners] == sorted(map(order.index, owners))
    for node in nodes:
        assert owners[node.row] == node.chapter == CLAIMS[node.id].chapter
        assert 0 <= node.column <= claim_map.COLUMNS - 1
        for other in nodes:
            if other is not node and other.row == node.row:
                assert abs(other.column - node.column) >= 1
    for lower, upper in PAIRS:
        if at[lower].chapter == at[upper].chapter:
            assert at[lower].row < at[upper].row


@pytest.mark.parametrize("name", [c.id for c in CLAIMS.values() if c.placed])
def test_every_placed_claim_has_a_name_that_fits_a_box(name: str) -> None:
    title = claim_map.titles()[name]
    assert title and not re.match(r"(Its|The same|And|It)\b", title)


def test_names_are_given_to_claims_and_only_where_needed() -> None:
    assert set(claim_map.NAMES) <= set(CLAIMS)


def test_drawing_is_the_same_in_every_process() -> None:
    code = (
        "import claim_map, ledger;"
        "print(claim_map.draw(ledger.boxes(ledger.load()), lambda c: c.id))"
    )
    drawn = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(claim_map.BOOK / "_tools")},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(drawn) == 1


def test_drawing_links_every_box_and_escapes_what_it_says() -> None:
    drawing = BeautifulSoup(claim_map.draw(CLAIMS, lambda c: f"p.html#{c.id}"), "html.parser")
    boxes = drawing.find_all("a")
    assert [box["href"] for box in boxes] == [f"p.html#{n.id}" for n in claim_map.layout(CLAIMS)[0]]
    for box in boxes:
        name = box["href"].partition("#")[2]
        told = box["aria-label"]
        assert told.startswith(f"{name}: ") and told == box.find("title").text
        assert all(used in told for used in CLAIMS[name].uses)
        shown = " ".join(span.text for span in box.find_all("tspan"))
        assert shown.replace("- ", "-") == claim_map.titles()[name].replace("- ", "-")
    assert len(drawing.find_all("path")) == len(PAIRS)
