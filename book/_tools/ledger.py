"""The claims ledger: reading it, and the directive that draws it as a page.

`book/claims.yml` has one entry for each claim of the five documents, and one for each
theorem-like statement of the book's own:

    Smith-RR-est:
      document: "001"                 # key of DOCUMENTS, or book
      kind: proposition
      chapter: randomized_response    # the page where it stands, or will stand
      box: rr-estimate                # the label it stands under, if that is not its id
      standing: proved                # how it is known, from STANDINGS
      for_all: ...                    # over what the statement speaks: its quantifiers
      follows: rr-risk                # of which statement it is a corollary, if it is one
      evidence: [symbolic]            # kinds from EVIDENCE, or planned
      function: minimaxdp.module.name # what embodies it, if anything does
      corrected: [E001-04]            # where the print is wrong, if it is
      reason: ...                     # why a cited claim cannot be checked
      covers: ...                     # of what is not proved: the cases for which it is known
      missing: ...                    # and what keeps it from being proved
      uses: [Smith-RR-general]        # claims that its statement or its proof rests on

A placed claim stands in a box of its chapter: a directive labelled with its id, or with `box`, which
several claims may share. A code cell there is tagged `claim:<id>`. `uses` follows the chapter, not
the document. The tests hold the ledger to the pages: a statement that is *proved* has its proof
there, or names the one that it follows from; one that is only cited says why.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
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
OWN = "book"
EVIDENCE = ("exact", "symbolic", "simulated", "cited")
STANDINGS = {
    "proved": "a complete proof stands on the page, or in the statement it follows from",
    "certified": "a computation covers the whole stated range, and its certificate is checked again on the page",
    "computed": "exact, on the finitely many cases that are named",
    "sampled": "a simulation or a random search, with its rate of error",
    "cited": "proved elsewhere; the page says by whom, and why it is not checked here",
}
# These kinds say what a word means, or ask; there is nothing to be known.
WITHOUT_STANDING = ("algorithm", "definition", "exercise")
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
    "remark",
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
    box: str = ""
    standing: str | None = None
    for_all: str | None = None
    follows: str | None = None
    function: str | None = None
    corrected: tuple[str, ...] = field(default=())
    reason: str | None = None
    covers: str | None = None
    missing: str | None = None
    uses: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.box:
            object.__setattr__(self, "box", self.id)

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
        if claim.document not in (*DOCUMENTS, OWN) or claim.kind not in KINDS:
            raise ValueError(
                f"{name}: unknown document {claim.document} or kind {claim.kind}"
            )
        if claim.standing not in (None, *STANDINGS):
            raise ValueError(
                f"{name}: standing must be one of {', '.join(STANDINGS)}"
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


def of_documents(claims: dict[str, Claim]) -> dict[str, Claim]:
    """The claims of the five documents, without the book's own statements."""
    return {n: c for n, c in claims.items() if c.document != OWN}


def boxes(claims: dict[str, Claim]) -> dict[str, Claim]:
    """The statements as they stand on the pages: one for each box, with all that it rests on."""
    found: dict[str, Claim] = {}
    for claim in claims.values():
        uses = [claims[name].box for name in claim.uses]
        if claim.box in found:
            uses = [*found[claim.box].uses, *uses]
        uses = tuple(u for u in dict.fromkeys(uses) if u != claim.box)
        head = found.get(claim.box, claim)
        speaks = head.for_all or claim.for_all
        found[claim.box] = replace(
            head, id=claim.box, uses=uses, for_all=speaks
        )
    return found


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
    from search import body, is_statement, named
    from sphinx.util.docutils import SphinxDirective

    heads = (
        "claim",
        "statement",
        "chapter",
        "standing",
        "evidence",
        "corrected",
        "function",
    )

    class ClaimsLedger(SphinxDirective):
        """The whole ledger: a line of counts, then one table for each document."""

        def run(self):
            self.env.note_dependency(str(CLAIMS))
            claims = load().values()
            placed = [c for c in of_documents(load()).values() if c.placed]
            listed = len(of_documents(load()))
            kinds = Counter(kind for claim in placed for kind in claim.evidence)
            counted = ", ".join(
                f"{kinds[kind]} {kind}" for kind in EVIDENCE if kinds[kind]
            )
            text = (
                f"{len(placed)} of {listed} claims of the five documents stand in a chapter, with evidence of "
                f"these kinds (a claim may have several): {counted}."
            )
            if waiting := listed - len(placed):
                text += f" The other {waiting} wait for their chapter."
            out = [nodes.paragraph("", text)]
            for document, author in [*DOCUMENTS.items(), (OWN, "This book")]:
                rows = [claim for claim in claims if claim.document == document]
                if not rows:
                    continue
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
            says = nodes.inline(classes=["claim-words"])
            says["claim"] = claim.id
            yield [says]
            yield [nodes.Text(claim.chapter.replace("_", " "))]
            yield [nodes.Text(claim.standing or "")]
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

    class Standings(SphinxDirective):
        """What each word beside a title means."""

        def run(self):
            meanings = nodes.definition_list(classes=["standings"])
            for word, meaning in STANDINGS.items():
                item = nodes.definition_list_item()
                item += nodes.term("", word)
                item += nodes.definition("", nodes.paragraph("", f"{meaning}."))
                meanings += item
            return [meanings]

    app.add_directive("standings", Standings)

    def say(app, doctree, docname):
        """Put the words of each claim, as they stand in its box, into its row."""
        claims = load()
        chapters = {}
        for says in doctree.findall(nodes.inline):
            claim = claims.get(says.get("claim"))
            if claim is None:
                continue
            page = f"book/{claim.chapter}"
            if page not in chapters and claim.placed:
                chapters[page] = dict(
                    map(
                        reversed,
                        drawn.statements(app.env.get_doctree(page)),
                    )
                )
            box = chapters[page].get(claim.box) if claim.placed else None
            if box is None or not is_statement(box):
                says += nodes.Text(claim.kind)
                continue
            number, title = named(app.env, page, box)
            head = f"{number} ({title}). " if title else f"{number}. "
            says += [nodes.strong("", head), nodes.Text(body(box))]

    app.connect("doctree-resolved", say)
    app.add_directive("claims-ledger", ClaimsLedger)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
