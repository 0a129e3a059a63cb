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
from functools import cache
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
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, written: int) -> dict[str, Claim]:
    # Once for each state of the file: a build asks for it hundreds of times.
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
    import drawn
    from docutils import nodes
    from sphinx.util.docutils import SphinxDirective

    heads = ("claim", "kind", "chapter", "evidence", "corrected", "function")

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
                f"these kinds (a claim may have several): {counted}."
            )
            if waiting := len(claims) - len(placed):
                text += f" The other {waiting} wait for their chapter."
            out = [nodes.paragraph("", text)]
            for document, author in DOCUMENTS.items():
                rows = [claim for claim in claims if claim.document == document]
                done = sum(claim.placed for claim in rows)
                section = nodes.section(ids=[f"document-{document}"])
                section += nodes.title(
                    "", f"{author} ({document}): {done} of {len(rows)}"
                )
                section += drawn.table(
                    heads, [drawn.row(self.cells(claim)) for claim in rows]
                )
                out.append(section)
            return out

        def cells(self, claim):
            app, docname = self.env.app, self.env.docname
            function = claim.function or ""
            short = function.removeprefix("minimaxdp.")
            yield [drawn.claim_link(app, docname, claim)]
            yield [nodes.Text(claim.kind)]
            yield [nodes.Text(claim.chapter.replace("_", " "))]
            yield [nodes.Text(", ".join(claim.evidence))]
            yield drawn.joined(
                drawn.link(
                    app, docname, "book/errata", e.lower(), nodes.Text(e)
                )
                for e in claim.corrected
            )
            yield (
                [drawn.code_link(docname, "obj", function, short)]
                if function
                else []
            )

    app.add_directive("claims-ledger", ClaimsLedger)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
