"""The claims ledger: reading it, and the directive that draws it as a page.

`book/claims.yml` has one entry for each claim of the five documents:

    Smith-RR-est:
      document: "001"                 # key of DOCUMENTS
      kind: proposition
      chapter: randomized_response    # the page where it stands, or will stand
      evidence: [symbolic]            # kinds from EVIDENCE, or planned
      function: minimaxdp.module.name # what embodies it, if anything does
      corrected: [E001-04]            # where the print is wrong, if it is
      reason: ...                     # why a cited claim cannot be checked
      uses: [Smith-RR-general]        # claims that its statement or its proof rests on

A placed claim has its id as the label of a directive in its chapter, and a code cell there is
tagged `claim:<id>`. The tests hold the ledger to this.

`uses` follows the chapter, not the document: where a proof goes through a statement of this book's
own, which has no row, the claims behind that statement are named.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import yaml

CLAIMS = Path(__file__).resolve().parents[1] / "claims.yml"
DOCUMENTS = {
    "000": "Klein",
    "001": "Smith",
    "002": "Boulaguiem",
    "003": "Barber and Duchi",
    "004": "Tang",
}
EVIDENCE = ("exact", "symbolic", "simulated", "cited")
KINDS = (
    "algorithm",
    "corollary",
    "definition",
    "equation",
    "example",
    "exercise",
    "lemma",
    "observation",
    "proposition",
    "table",
    "theorem",
)


@dataclass(frozen=True)
class Claim:
    id: str
    document: str
    kind: str
    chapter: str
    evidence: tuple[str, ...]
    function: str | None = None
    corrected: tuple[str, ...] = field(default=())
    reason: str | None = None
    uses: tuple[str, ...] = field(default=())

    @property
    def placed(self) -> bool:
        return self.evidence != ("planned",)


def load(path: Path = CLAIMS) -> dict[str, Claim]:
    """Read the ledger; an entry with a wrong field, kind or evidence is refused."""
    claims = {}
    for name, entry in yaml.safe_load(path.read_text()).items():
        evidence, corrected = entry.pop("evidence"), entry.pop("corrected", [])
        uses = entry.pop("uses", [])
        claim = Claim(
            id=name,
            evidence=(evidence,)
            if isinstance(evidence, str)
            else tuple(evidence),
            corrected=tuple(corrected),
            uses=tuple(uses),
            **entry,
        )
        if claim.document not in DOCUMENTS or claim.kind not in KINDS:
            raise ValueError(
                f"{name}: unknown document {claim.document} or kind {claim.kind}"
            )
        if claim.placed and not set(claim.evidence) <= set(EVIDENCE):
            raise ValueError(
                f"{name}: evidence must be planned or some of {EVIDENCE}"
            )
        claims[name] = claim
    for claim in claims.values():
        unknown = set(claim.uses) - set(claims)
        if unknown or len(set(claim.uses)) < len(claim.uses):
            raise ValueError(
                f"{claim.id}: uses must be claims, each named once: {claim.uses}"
            )
    try:
        TopologicalSorter({c.id: c.uses for c in claims.values()}).prepare()
    except CycleError as error:
        circle = " uses ".join(reversed(error.args[1]))
        raise ValueError(f"a circle of claims: {circle}") from None
    return claims


def served(claims: dict[str, Claim]) -> dict[str, list[str]]:
    """For each claim the placed claims that use it, in the order of the ledger."""
    found: dict[str, list[str]] = {name: [] for name in claims}
    for claim in claims.values():
        for name in claim.uses:
            if claim.placed:
                found[name].append(claim.id)
    return found


def setup(app):
    """Register the directive with Sphinx."""
    from docutils import nodes
    from sphinx.addnodes import pending_xref
    from sphinx.util.docutils import SphinxDirective

    class ClaimsLedger(SphinxDirective):
        """The whole ledger: a line of counts, then one table for each document."""

        def run(self):
            self.env.note_dependency(str(CLAIMS))
            claims = load().values()
            placed = [claim for claim in claims if claim.placed]
            kinds = Counter(kind for claim in placed for kind in claim.evidence)
            counted = ", ".join(
                f"{kinds[kind]} {kind}" for kind in EVIDENCE if kinds[kind]
            )
            text = (
                f"{len(placed)} of {len(claims)} claims stand in a chapter, with evidence of "
                f"these kinds (a claim may have several): {counted}. "
                f"The other {len(claims) - len(placed)} wait for their chapter."
            )
            out = [nodes.paragraph("", text)]
            for document, author in DOCUMENTS.items():
                rows = [claim for claim in claims if claim.document == document]
                done = sum(claim.placed for claim in rows)
                section = nodes.section(ids=[f"document-{document}"])
                section += nodes.title(
                    "", f"{author} ({document}): {done} of {len(rows)}"
                )
                section += self.table(rows)
                out.append(section)
            return out

        def table(self, claims):
            heads = (
                "claim",
                "kind",
                "chapter",
                "evidence",
                "corrected",
                "function",
            )
            table = nodes.table(classes=["ledger"])
            group = nodes.tgroup(cols=len(heads))
            group += [nodes.colspec(colwidth=1) for _ in heads]
            head, body = nodes.thead(), nodes.tbody()
            head += self.row(nodes.Text(text) for text in heads)
            body += [self.row(self.cells(claim)) for claim in claims]
            group += [head, body]
            table += group
            return table

        def cells(self, claim):
            name = nodes.literal("", claim.id)
            yield self.place(claim, name) if claim.placed else name
            yield nodes.Text(claim.kind)
            yield nodes.Text(claim.chapter.replace("_", " "))
            yield nodes.Text(", ".join(claim.evidence))
            yield self.corrections(claim)
            yield self.function(claim) if claim.function else nodes.Text("")

        def place(self, claim, name):
            # Theorems and exercises live in different domains; both keep their label as anchor.
            page = self.env.app.builder.get_relative_uri(
                self.env.docname, f"book/{claim.chapter}"
            )
            return nodes.reference(
                "", "", name, refuri=f"{page}#{claim.id}", internal=True
            )

        def corrections(self, claim):
            page = self.env.app.builder.get_relative_uri(
                self.env.docname, "book/errata"
            )
            out = nodes.inline()
            for entry in claim.corrected:
                out += [nodes.Text(", ")] if out.children else []
                out += nodes.reference(
                    "",
                    entry,
                    refuri=f"{page}#{entry.lower()}",
                    internal=True,
                )
            return out

        def function(self, claim):
            short = claim.function.removeprefix("minimaxdp.")
            return pending_xref(
                "",
                nodes.literal("", short),
                refdomain="py",
                reftype="obj",
                reftarget=claim.function,
                refexplicit=True,
                refwarn=True,
                refdoc=self.env.docname,
            )

        def row(self, cells):
            row = nodes.row()
            for cell in cells:
                entry = nodes.entry()
                entry += nodes.paragraph("", "", cell)
                row += entry
            return row

    app.add_directive("claims-ledger", ClaimsLedger)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
