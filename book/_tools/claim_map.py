"""The map of the book: which claims rest on which, as a picture with links and as tables.

Everything is drawn from the field `uses` of `book/claims.yml`. The picture shows the *key* claims:
those that two or more others rest on, that rest on three or more, that have a link to another
chapter, or that are theorems; and those beside one that would have no line. A line leads from a key claim to the next one above it, also where
lesser claims lie between, and is left out where a chain of other lines says the same. The tables
list every claim and every link.
"""

from __future__ import annotations

import html
import json
import re
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import ledger
import numpy as np
from notebooks import numbered
from scipy.optimize import linear_sum_assignment

BOOK = Path(__file__).resolve().parents[1]
STATEMENT = re.compile(
    r"\{(?:prf:[a-z]+|exercise(?:-start)?)\}[ \t]*([^\n]*)\n(?::[^\n]*\n)*?:label: (\S+)"
)
# A title that says nothing away from its place is called something else here.
NAMES = {
    "BD-Def7": "Less informative channels",
    "BD-Lem1": "Le Cam's lemma",
    "BD-Prop1": "Approximate privacy as a test",
    "BD-Prop5": "Density under differential privacy",
    "BD-Thm1": "Conditional tests and approximate privacy",
    "BD-Obs1": "Post-processing, other definitions",
    "BD-eq16": "People needed for a private mean",
    "BD-eq19": "Histogram with a curator",
    "Boul-JIMI-size": "Exact size of private JIMI",
    "Boul-LapMech": "Laplace mechanism",
    "Boul-gen": "Data from seeds",
    "Boul-normal": "Moments of a private proportion",
    "Klein-Lap-est": "Mean of Laplace reports",
    "Klein-exp": "What the experiment promises",
    "Klein-hist-DP": "The local histogram is private",
    "Klein-hist-K": "Number of bins",
    "Klein-hist-MISE-exact": "Risk of the private histogram",
    "Klein-hist-bias": "Bias of a histogram",
    "Klein-hist-rate": "Rate of the private histogram",
    "Smith-DP-equiv": "Points suffice for privacy",
    "Smith-Ex3-repeat": "One question many times",
    "Smith-GS-histogram": "Sensitivity of standard queries",
    "Smith-Lap-hist": "Private proportion and histogram",
    "Smith-Lap-tail": "Size of Laplace noise",
    "Smith-RR-exI": "The budgets of the die",
    "Smith-kanon-compose-Adi": "Adi in two tables",
}
# Pixels. A row holds COLUMNS boxes at most, and a box three lines of WIDE letters; lines between
# chapters run down in lanes, in a margin of LANES to the left of the boxes.
COLUMNS, PITCH, BOX, TALL, GAP, HEAD, WIDE = 5, 117, 110, 40, 24, 60, 17
LANES, HUES = 108, 5


@dataclass(frozen=True)
class Node:
    id: str
    title: str
    chapter: str
    row: int
    column: float


@cache
def chapters() -> dict[str, str]:
    """The numbered chapters in the order of the book, with their titles."""
    return {
        path.stem: _sources(path)[0].splitlines()[0].lstrip("# ")
        for path in numbered()
    }


@cache
def titles() -> dict[str, str]:
    """What each labelled statement of the chapters is called there."""
    found = {}
    for path in numbered():
        for source in _sources(path):
            for title, label in STATEMENT.findall(source):
                found[label] = NAMES.get(label, title or label)
    return found


def _sources(path: Path) -> list[str]:
    """The texts of a chapter's cells of prose."""
    cells = json.loads(path.read_text())["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]


def key_claims(claims: dict[str, ledger.Claim]) -> list[str]:
    """The claims that the picture shows."""
    serves = ledger.served(claims)

    def is_key(claim: ledger.Claim) -> bool:
        near = [*claim.uses, *serves[claim.id]]
        return claim.placed and (
            len(serves[claim.id]) >= 4
            or len(claim.uses) >= 5
            or any(claims[other].chapter != claim.chapter for other in near)
            or bool(near)
            and claim.kind == "theorem"
        )

    key = {name for name, claim in claims.items() if is_key(claim)}
    # A claim that would stand without a line brings those that rest on it, or else what it rests on.
    lonely = key - {name for pair in _links(claims, key) for name in pair}
    key |= {name for one in lonely for name in serves[one] or claims[one].uses}
    return [name for name in claims if name in key]


def links(claims: dict[str, ledger.Claim]) -> list[tuple[str, str]]:
    """Pairs (lower, upper) of key claims: the fewest from which all others follow in a chain."""
    return _links(claims, set(key_claims(claims)))


def _links(
    claims: dict[str, ledger.Claim], key: set[str]
) -> list[tuple[str, str]]:
    def below(name: str) -> set[str]:
        found: set[str] = set()
        for other in claims[name].uses:
            found |= {other} if other in key else below(other)
        return found

    direct = {name: below(name) for name in key}

    def all_below(name: str) -> set[str]:
        return direct[name].union(*map(all_below, direct[name]))

    return sorted(
        (lower, upper)
        for upper, lowers in direct.items()
        for lower in lowers
        if not any(lower in all_below(other) for other in lowers - {lower})
    )


def layout(claims: dict[str, ledger.Claim]) -> tuple[list[Node], list[str]]:
    """A place for each key claim, and the chapter of each row.

    Within a chapter a claim stands below those that it rests on. The places in a row are chosen so
    that the lines to the rows around it are short.
    """
    named, pairs, key = titles(), links(claims), key_claims(claims)
    within = {
        n: [
            a
            for a, b in pairs
            if b == n and claims[a].chapter == claims[n].chapter
        ]
        for n in key
    }

    def depth(name: str) -> int:
        return max((1 + depth(other) for other in within[name]), default=0)

    rows: list[list[str]] = []
    owners: list[str] = []
    for chapter in chapters():
        own = [name for name in key if claims[name].chapter == chapter]
        for level in range(1 + max(map(depth, own), default=-1)):
            row = [name for name in own if depth(name) == level]
            # A row that is too long is cut into equal ones.
            cuts = -(-len(row) // COLUMNS)
            for i in range(cuts):
                rows.append(row[i::cuts])
                owners.append(chapter)
    place = {
        name: column + (COLUMNS - len(row)) / 2
        for row in rows
        for column, name in enumerate(row)
    }
    near = {
        n: [b if a == n else a for a, b in pairs if n in (a, b)] for n in key
    }
    for sweep in range(24):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            shift = 0.5 * ((COLUMNS - len(row)) % 2)
            slots = np.arange(COLUMNS - (1 if shift else 0)) + shift
            cost = [
                [
                    sum((slot - place[other]) ** 2 for other in near[name])
                    + 1e-3 * (slot - (COLUMNS - 1) / 2) ** 2
                    for slot in slots
                ]
                for name in row
            ]
            for i, j in zip(*linear_sum_assignment(cost)):
                place[row[i]] = float(slots[j])
    nodes = [
        Node(name, named[name], claims[name].chapter, i, place[name])
        for i, row in enumerate(rows)
        for name in sorted(row, key=place.get)
    ]
    return nodes, owners


def tops(owners: list[str]) -> tuple[list[float], float]:
    """The height at which each row begins, and that of the whole picture."""
    found, y = [], 0.0
    for i, owner in enumerate(owners):
        y += HEAD if i == 0 or owners[i - 1] != owner else GAP
        found.append(y)
        y += TALL
    return found, y + GAP


def draw(claims: dict[str, ledger.Claim], uri) -> str:
    """The picture as SVG; `uri(claim)` is the address of a claim's place."""
    nodes, owners = layout(claims)
    top, height = tops(owners)
    at = {node.id: node for node in nodes}
    pairs = links(claims)
    across = [p for p in pairs if claims[p[0]].chapter != claims[p[1]].chapter]
    # All lines that leave a claim for other chapters share one lane.
    lanes = sorted(
        {lower for lower, _ in across},
        key=lambda n: (at[n].row, at[n].column),
    )
    left, apart = 10 + LANES, LANES / max(len(lanes), 1)
    width = left + PITCH * COLUMNS
    x = {n.id: left + PITCH * n.column for n in nodes}

    out = [
        f'<svg class="claim-map" role="group" aria-label="Map of {len(nodes)} key claims, '
        'each a link to its place; the same links are listed below" '
        f'viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}">'
    ]
    order = chapters()
    for number, (chapter, head) in enumerate(order.items(), 1):
        rows = [i for i, owner in enumerate(owners) if owner == chapter]
        if rows:
            y, low = top[rows[0]] - HEAD + 16, top[rows[-1]] + TALL + 8
            out.append(
                f'<rect class="band" x="{left - 8}" y="{y:g}" width="{width - left + 8}" '
                f'height="{low - y:g}" rx="6"/><text class="band-name" x="{left}" y="{y + 18:g}">'
                f"{number}. {html.escape(head)}</text>"
            )
    rules = []
    for number, (lower, upper) in enumerate(pairs):
        a, b = at[lower], at[upper]
        x1, x2 = x[lower] + BOX / 2, x[upper] + BOX / 2
        y1, y2 = top[a.row] + TALL, top[b.row]
        if a.chapter == b.chapter:
            bend = (y2 - y1) / 2
            kind = "inside"
            way = f"C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2:g}"
        else:
            lane = lanes.index(lower)
            kind = f"across hue-{lane % HUES}" + (
                " back" if b.row < a.row else ""
            )
            shift = 3 * (lane % HUES)
            x1, x2 = x1 + 2 * shift - 12, x2 + 2 * shift - 12
            way = (
                f"V{y1 + 4 + shift:g} H{4 + apart * lane:g} V{y2 - 5 - shift:g} "
                f"H{x2:g} V{y2:g}"
            )
        out.append(
            f'<path id="claim-link-{number}" class="{kind}" d="M{x1:g} {y1:g} {way}"/>'
        )
        rules += [
            f".claim-map:has(#map-{end}:is(:hover,:focus-visible)) #claim-link-{number}"
            for end in (lower, upper)
        ]
    serves = ledger.served(claims)
    for node in nodes:
        claim, y = claims[node.id], top[node.row]
        lines = textwrap.wrap(node.title, WIDE)
        if len(lines) > 3:
            lines = [*lines[:2], lines[2] + " …"]
        told = f"{node.id}: {node.title}."
        if claim.uses:
            told += f" Rests on {', '.join(claim.uses)}."
        if serves[node.id]:
            told += f" Serves {', '.join(serves[node.id])}."
        told = html.escape(told)
        middle, first = (
            x[node.id] + BOX / 2,
            y + TALL / 2 + 4 - 6 * (len(lines) - 1),
        )
        words = "".join(
            f'<tspan x="{middle:g}" y="{first + 12 * k:g}">{html.escape(line)}</tspan>'
            for k, line in enumerate(lines)
        )
        out.append(
            f'<a id="map-{node.id}" href="{html.escape(uri(claim))}" aria-label="{told}">'
            f'<title>{told}</title><rect class="claim is-{claim.kind}" x="{x[node.id]:g}" '
            f'y="{y:g}" width="{BOX}" height="{TALL}" rx="4"/><text>{words}</text></a>'
        )
    lit = "stroke: var(--pst-color-link); stroke-width: 3; opacity: 1;"
    out.append(f"<style>{','.join(rules)} {{ {lit} }}</style></svg>")
    return "\n".join(out)


def setup(app):
    """Register the directives with Sphinx."""
    from docutils import nodes
    from drawn import claim_link, joined, row, table
    from sphinx.util.docutils import SphinxDirective

    class Map(SphinxDirective):
        """The picture, in a box of its own that scrolls."""

        def run(self):
            self.env.note_dependency(str(ledger.CLAIMS))
            for name in chapters():
                self.env.note_dependency(str(BOOK / f"{name}.ipynb"))

            def uri(claim):
                page = self.env.app.builder.get_relative_uri(
                    self.env.docname, f"book/{claim.chapter}"
                )
                return f"{page}#{claim.id}"

            picture = draw(ledger.boxes(ledger.load()), uri)
            box = (
                '<div class="claim-map-box" tabindex="0" role="region" '
                f'aria-label="Map of the claims">{picture}</div>'
            )
            return [nodes.raw("", box, format="html")]

    class Links(SphinxDirective):
        """One table for each chapter: claim, rests on, serves."""

        def run(self):
            self.env.note_dependency(str(ledger.CLAIMS))
            claims, named = ledger.boxes(ledger.load()), titles()
            serves, out = ledger.served(claims), []

            def links_to(names):
                return joined(self.link(claims[name]) for name in names)

            placed = [claim for claim in claims.values() if claim.placed]
            linked = [c for c in placed if c.uses or serves[c.id]]
            for chapter, head in chapters().items():
                rows = [
                    row(
                        [
                            [self.link(c), nodes.Text(f" {named[c.id]}")],
                            links_to(c.uses),
                            links_to(serves[c.id]),
                        ]
                    )
                    for c in linked
                    if c.chapter == chapter
                ]
                section = nodes.section(ids=[f"map-of-{chapter}"])
                section += nodes.title("", head)
                heads = ("claim", "rests on", "serves")
                section += table(heads, rows, "claim-links")
                out.append(section)
            alone = [c.id for c in placed if c not in linked]
            line = nodes.paragraph(
                "", "Stated and settled without any other claim: "
            )
            line += [*links_to(alone), nodes.Text(".")]
            return [*out, line] if alone else out

        def link(self, claim):
            return claim_link(self.env.app, self.env.docname, claim)

    app.add_directive("claims-map", Map)
    app.add_directive("claims-links", Links)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
