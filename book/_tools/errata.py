"""The errata: reading them, and what the site makes of them.

`book/errata.yml` has one entry for each place where a document is wrong, ambiguous or misspelt:

    E000-10:
      document: "000"               # key of DOCUMENTS
      severity: A                   # key of SEVERITIES
      title: The risk lost its square
      where: Randomized responses   # the place in the document
      chapter: randomized_response  # the page that meets it
      claims: [Klein-RR-risk]       # the statements that it touches
      printed: ...                  # severity T alone: what stands there
      right: ...                    # severity T alone: what should

An entry of severity A, B or C has its own section on the errata page, under the anchor `e000-10`,
and a code cell there is tagged `erratum:E000-10`. The tests hold the page to this.

Three directives draw from the file: `errata-summary` the table of counts, `erratum` the line below
an entry's heading, `errata-slips` the table of the slips. Every statement whose print was wrong
leads to its entries (see `statements.py`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import ledger
import yaml

ERRATA = Path(__file__).resolve().parents[1] / "errata.yml"
PAGE = "book/errata"
SEVERITIES = {
    "A": "false as stated",
    "B": "imprecise, but its meaning can be recovered",
    "C": "ambiguous, or a condition is missing",
    "T": "a slip of the pen, or wording",
}


@dataclass(frozen=True)
class Erratum:
    id: str
    document: str
    severity: str
    title: str
    where: str
    chapter: str
    claims: tuple[str, ...]
    printed: str | None = None
    right: str | None = None

    @property
    def anchor(self) -> str:
        return self.id.lower()

    @property
    def slip(self) -> bool:
        return self.severity == "T"


def load(path: Path = ERRATA) -> dict[str, Erratum]:
    """Read the errata; an entry with a wrong field, document or severity is refused."""
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, written: int) -> dict[str, Erratum]:
    # Once for each state of the file: a build asks for it hundreds of times.
    errata = {}
    for name, entry in yaml.safe_load(path.read_text()).items():
        erratum = Erratum(id=name, claims=tuple(entry.pop("claims")), **entry)
        if erratum.document not in ledger.DOCUMENTS:
            raise ValueError(f"{name}: unknown document {erratum.document}")
        if erratum.severity not in SEVERITIES:
            raise ValueError(f"{name}: unknown severity {erratum.severity}")
        if erratum.slip != bool(erratum.printed and erratum.right):
            raise ValueError(
                f"{name}: printed and right belong to slips, and to all of them"
            )
        errata[name] = erratum
    return errata


def touched(errata: dict[str, Erratum]) -> dict[str, list[Erratum]]:
    """The entries that each claim meets."""
    found: dict[str, list[Erratum]] = {}
    for erratum in errata.values():
        for claim in erratum.claims:
            found.setdefault(claim, []).append(erratum)
    return found


def setup(app):
    """Register the directives with Sphinx."""
    from docutils import nodes
    from docutils.statemachine import StringList
    from drawn import claim_link, joined, row, table
    from sphinx.util.docutils import SphinxDirective

    class Page(SphinxDirective):
        def start(self):
            self.env.note_dependency(str(ERRATA))
            self.env.note_dependency(str(ledger.CLAIMS))
            return load()

        def statements(self, erratum):
            """Links to the claims of an entry."""
            claims, app = ledger.load(), self.env.app
            return joined(
                claim_link(app, self.env.docname, claims[name])
                for name in erratum.claims
            )

        def inline(self, text):
            """A short text of an entry, with its formulas."""
            holder = nodes.container()
            self.state.nested_parse(StringList([text], str(ERRATA)), 0, holder)
            return holder.children[0].children if holder.children else []

    class Summary(Page):
        """How many entries of each severity each document has."""

        def run(self):
            errata = self.start()
            counts = Counter((e.document, e.severity) for e in errata.values())
            rows = []
            for document, author in ledger.DOCUMENTS.items():
                numbers = [counts[document, s] for s in SEVERITIES]
                uri = f"#errata-{document}"
                name = nodes.reference(
                    "", f"{author} ({document})", refuri=uri, internal=True
                )
                cells = [[nodes.Text(str(n))] for n in [*numbers, sum(numbers)]]
                rows.append(row([[name], *cells]))
            totals = [
                sum(counts[d, s] for d in ledger.DOCUMENTS) for s in SEVERITIES
            ]
            cells = [[nodes.Text(str(n))] for n in [*totals, len(errata)]]
            rows.append(row([[nodes.Text("all")], *cells]))
            text = (
                f"{len(errata)} entries. "
                + "; ".join(
                    f"{s}: {meaning} ({n})"
                    for (s, meaning), n in zip(SEVERITIES.items(), totals)
                )
                + "."
            )
            heads = ["document", *SEVERITIES, "all"]
            return [
                nodes.paragraph("", text),
                table(heads, rows, "errata-summary"),
            ]

    class Entry(Page):
        """The line below the heading of an entry: severity, place, statements."""

        required_arguments = 1

        def run(self):
            erratum = self.start()[self.arguments[0]]
            grade = nodes.strong(
                "", f"{erratum.severity}: {SEVERITIES[erratum.severity]}"
            )
            line = nodes.paragraph(classes=["erratum"])
            line += [grade, nodes.Text(f". {erratum.where}. ")]
            if erratum.claims:
                line += nodes.Text("Set right at ")
                line += self.statements(erratum)
                line += nodes.Text(".")
            return [line]

    class Slips(Page):
        """The table of slips; its rows are the anchors of their entries."""

        def run(self):
            rows = []
            for erratum in self.start().values():
                if erratum.slip:
                    self.env.get_domain("std").note_hyperlink_target(
                        erratum.anchor,
                        self.env.docname,
                        erratum.anchor,
                        erratum.title,
                    )
                    place = [nodes.Text(erratum.where)]
                    if erratum.claims:
                        place += [nodes.Text(": ")]
                        place += self.statements(erratum)
                    cells = [
                        [nodes.Text(erratum.id)],
                        place,
                        self.inline(erratum.printed),
                        self.inline(erratum.right),
                    ]
                    rows.append(row(cells, ids=[erratum.anchor]))
            heads = ["entry", "where", "printed", "right"]
            return [table(heads, rows, "errata-slips")]

    app.add_directive("errata-summary", Summary)
    app.add_directive("erratum", Entry)
    app.add_directive("errata-slips", Slips)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
