"""The page "How it is known": every statement by its standing, drawn from the ledger.

For each statement the ledger says under `for_all` of what it speaks: its quantifiers. For one that
is not proved it has two fields more: `covers`, the cases for which it is known, and `missing`, what
keeps it from being proved. Which steps hold for a whole range by a certificate is told by the
certificates themselves (`minimaxdp.book.certificates`).
"""

from __future__ import annotations

from collections import Counter

import ledger
from claim_map import chapters, titles

SURE = ("proved", "certified")


def judged(claims: dict[str, ledger.Claim]) -> list[ledger.Claim]:
    """The boxes about which there is something to be known, in the order of the ledger."""
    boxes = ledger.boxes(claims).values()
    return [c for c in boxes if c.placed and c.standing]


def summary(claims: list[ledger.Claim]) -> str:
    """How many statements have each standing."""
    counts = Counter(claim.standing for claim in claims)
    parts = [
        f"{counts[word]} {word}" for word in ledger.STANDINGS if counts[word]
    ]
    sure = sum(counts[word] for word in SURE)
    return (
        f"There are {len(claims)} statements about which there is something to be known: "
        f"{', '.join(parts)}. So {sure} of {len(claims)}, or {100 * sure / len(claims):.0f} %, are "
        "proved or certified for all cases that they speak of."
    )


def setup(app):
    """Register the directive with Sphinx."""
    from docutils import nodes
    from drawn import claim_link, joined, row, table
    from sphinx.util.docutils import SphinxDirective

    class Known(SphinxDirective):
        """Counts, what is not proved and why, the certificates, and what is proved."""

        def run(self):
            self.env.note_dependency(str(ledger.CLAIMS))
            claims = ledger.load()
            found = judged(claims)
            out = [nodes.paragraph("", summary(found)), self.counts(found)]
            for word in ledger.STANDINGS:
                those = [c for c in found if c.standing == word]
                if word not in SURE and those:
                    out.append(self.open(word, those))
            out.append(self.certificates(claims))
            for word in SURE:
                those = [c for c in found if c.standing == word]
                if those:
                    out.append(self.settled(word, those))
            return out

        def section(self, name, title, text):
            section = nodes.section(ids=[name])
            section += nodes.title("", title)
            section += nodes.paragraph("", text)
            return section

        def link(self, claim, words=None):
            named = nodes.Text(words or titles()[claim.id])
            return claim_link(self.env.app, self.env.docname, claim, named)

        def counts(self, found):
            words = [
                w
                for w in ledger.STANDINGS
                if any(c.standing == w for c in found)
            ]
            rows = []
            for chapter, head in chapters().items():
                here = Counter(
                    c.standing for c in found if c.chapter == chapter
                )
                numbers = [str(here[w]) if here[w] else "" for w in words]
                cells = [[nodes.Text(text)] for text in (head, *numbers)]
                if here:
                    rows.append(row(cells))
            return table(("chapter", *words), rows, "known")

        def open(self, word, those):
            section = self.section(
                f"known-{word}",
                f"What is {word}",
                f"Their standing means: {ledger.STANDINGS[word]}.",
            )
            rows = [
                row(
                    [
                        [self.link(claim)],
                        [nodes.Text(claim.for_all)],
                        [nodes.Text(claim.covers or "")],
                        [nodes.Text(claim.missing or claim.reason or "")],
                    ]
                )
                for claim in those
            ]
            heads = ("statement", "speaks of", "known for", "what is missing")
            section += table(heads, rows, "known")
            return section

        def certificates(self, claims):
            from minimaxdp.book.certificates import all_certificates

            section = self.section(
                "known-certificates",
                "Steps with a certificate",
                "A proof may lean on an inequality for every budget, on the optimum of a programme, "
                "or on a closed form for every n. These have certificates, which the tests verify "
                "anew, in exact fractions or in balls of real numbers.",
            )
            rows = []
            for certified in all_certificates().values():
                links = joined(
                    self.link(ledger.boxes(claims)[claims[name].box])
                    for name in certified.claims
                )
                size = f"{len(certified.parts)} ({certified.size})"
                rows.append(
                    row(
                        [
                            [nodes.Text(certified.words)],
                            links,
                            [nodes.Text(size)],
                        ]
                    )
                )
            heads = ("certified", "belongs to", "certificates (pieces)")
            section += table(heads, rows, "known")
            return section

        def settled(self, word, those):
            from minimaxdp.book.certificates import all_certificates

            claims = ledger.load()
            steps = {
                claims[name].box
                for certified in all_certificates().values()
                for name in certified.claims
            }
            section = self.section(
                f"known-{word}",
                f"What is {word}",
                f"Their standing means: {ledger.STANDINGS[word]}. So each is known for all that the "
                "third column names. The fourth says what the page runs besides: exact and simulated "
                "checks cover the cases that their fold names, symbolic ones the formulas in general, "
                "and a certificate the range in the table above.",
            )
            rows = [
                row(self.told(head, claim, claim.id in steps))
                for chapter, head in chapters().items()
                for claim in those
                if claim.chapter == chapter
            ]
            heads = ("chapter", "statement", "known for", "checked")
            section += table(heads, rows, "known")
            return section

        def told(self, chapter, claim, certified):
            checks = [*claim.evidence, *["certificate"] * certified]
            yield [nodes.Text(chapter)]
            yield [self.link(claim)]
            yield [nodes.Text(claim.for_all)]
            yield [nodes.Text(", ".join(checks))]

    app.add_directive("how-known", Known)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
