"""A notebook for download: its prose in the plain Markdown that every notebook program shows.

The committed notebooks are written in MyST, whose roles and directives only the book's builder
knows. Here each becomes what the built page shows in its place: a glued number its value, a
reference its number, a citation its authors and year, a statement a title in bold and its words.
What the book draws from its own data (the counts of the errata) has no such text and is left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field

import quiz

FENCE = re.compile(
    r"^ {0,3}(?P<mark>`{3,}|~{3,}|:{3,})(?:\{(?P<name>[^}]+)\})?(?P<title>.*)$"
)
OPTION = re.compile(r"^:([\w-]+):\s*(.*)$")
# In code and formulas nothing is a role or a link.
TOKEN = re.compile(
    r"\{(?P<role>[\w:.+-]+)\}`(?P<text>[^`]+)`"
    r"|(?P<code>`+)(?!`).+?(?<!`)(?P=code)(?!`)"
    r"|\$\$.+?\$\$|(?<!\\)\$[^$]+?(?<!\\)\$"
    r"|(?<!!)\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]*)\)(?:\{[.#][^}]*\})?",
    flags=re.DOTALL,
)
CITES = ("cite", "cite:p", "cite:t", "cite:ps", "cite:ts")
REFERENCES = ("prf:ref", "numref", "ref", "eq")


@dataclass
class Book:
    """What the built book knows of its labels, pages and sources."""

    names: dict[str, str] = field(default_factory=dict)
    """What a label is called: "Theorem 4.1", "Fig. 4.2", the words of a heading."""
    titles: dict[str, str] = field(default_factory=dict)
    """The title of each page, by its name without suffix."""
    authors: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Authors and year of each source."""
    sources: dict[str, str] = field(default_factory=dict)
    """The entry of each source in a list of references."""
    address: Callable[[str], str | None] = lambda page: None
    """Where a page or a label can be read, if that is known."""


class Prose:
    """Turns the cells of one notebook, one after the other, into plain Markdown."""

    def __init__(self, book: Book, glued: dict[str, str]) -> None:
        self.book, self.glued = book, glued
        self.cited: list[str] = []

    def cell(self, text: str) -> str:
        """One Markdown cell."""
        return re.sub(
            r"\n{3,}", "\n\n", self._blocks(text.splitlines())
        ).strip()

    def _blocks(self, lines: list[str]) -> str:
        """Directives one by one; what stands between them as running text."""
        done, running = [], []
        rest = iter(lines)
        for line in rest:
            fence = FENCE.match(line)
            if not fence:
                running.append(line)
                continue
            done.append(self._running(running))
            running = []
            inside = []
            for inner in rest:
                closing = inner.strip()
                if closing and set(closing) == {fence["mark"][0]}:
                    if len(closing) >= len(fence["mark"]):
                        break
                inside.append(inner)
            if fence["name"]:
                done.append(self._directive(fence, inside))
            else:
                done.append("\n".join([line, *inside, fence["mark"]]))
        done.append(self._running(running))
        return "\n\n".join(part.strip("\n") for part in done if part.strip())

    def _directive(self, fence: re.Match[str], inside: list[str]) -> str:
        name, title = fence["name"], self._inline(fence["title"].strip())
        options: dict[str, str] = {}
        while inside and (option := OPTION.match(inside[0])):
            options[option[1]] = option[2]
            inside = inside[1:]
        kind = name.rpartition(":")[2]
        if kind in ("code-block", "code", "code-cell", "sourcecode"):
            return "\n".join([f"```{title}", *inside, "```"])
        if kind == "math":
            return "\n".join(["$$", *inside, "$$"])
        if kind == "quiz":
            return self._quiz(quiz.read("\n".join(inside)))
        if kind == "list-table":
            return self._table(inside)
        body = self._blocks(inside)
        if name == "prf:proof":
            about = f" ({title})" if title else ""
            return f"*Proof{about}.*\n\n{body}\n\n∎"
        if kind in ("solution", "solution-start"):
            about = self.book.names.get(fence["title"].strip(), "the exercise")
            return f"**Solution to {about}.**\n\n{body}"
        if name.startswith("prf:") or kind in ("exercise", "exercise-start"):
            kind = kind.removesuffix("-start").capitalize()
            head = self.book.names.get(options.get("label", ""), kind)
            return f"**{head}{f' ({title})' if title else ''}.**\n\n{body}"
        if not body:
            return ""  # drawn by the book from its data, or the end of what began above
        return f"**{title or kind.capitalize()}.**\n\n{body}"

    def _quiz(self, questions: list[dict]) -> str:
        told = []
        for question in questions:
            told.append(f"**{self._inline(question['ask'])}**")
            told.append(
                "\n".join(
                    f"- {self._inline(answer['say'])}"
                    for answer in question["answers"]
                )
            )
            why = [
                f"- {self._inline(answer['say'])} "
                + ("*Right.* " if answer.get("right") else "*No.* ")
                + self._inline(answer["why"])
                for answer in question["answers"]
            ]
            told.append("<details><summary>Answers</summary>")
            told += ["\n".join(why), "</details>"]
        return "\n\n".join(told)

    def _table(self, lines: list[str]) -> str:
        """A list of lists as rows between bars."""
        rows: list[list[str]] = []
        for line in lines:
            begun = re.match(r"^\s*(\* )?\s*- (.*)$", line)
            if begun and begun[1]:
                rows.append([begun[2]])
            elif begun:
                rows[-1].append(begun[2])
            elif line.strip():
                rows[-1][-1] += " " + line.strip()
        drawn = [
            "| " + " | ".join(map(self._inline, cells)) + " |" for cells in rows
        ]
        drawn.insert(1, "|" + " --- |" * len(rows[0]))
        return "\n".join(drawn)

    def _running(self, lines: list[str]) -> str:
        """Paragraphs, without the labels, comments and breaks that only MyST knows."""
        kept: list[str] = []
        for line in lines:
            if re.match(
                r"^(\([^)\s]+\)=|%.*|\+\+\+.*|\{[.#][^}]*\})\s*$", line
            ):
                continue
            line = re.sub(r"\$\$\s*\([\w:-]+\)\s*$", "$$", line)
            if line.startswith(": ") and kept and kept[-1].strip():
                kept[-1] = f"- **{kept[-1].strip()}**: {line[2:]}"
                continue
            kept.append(line)
        return self._inline("\n".join(kept))

    def _inline(self, text: str) -> str:
        """Roles and links, outside of code and formulas."""
        return TOKEN.sub(self._token, text)

    def _token(self, found: re.Match[str]) -> str:
        if found["role"]:
            return self._role(found["role"], found["text"])
        if found["target"] is not None:
            return self._link(found["words"], found["target"])
        return found[0]

    def _role(self, role: str, text: str) -> str:
        shown = re.fullmatch(r"(.*?)\s*<([^>]+)>", text, flags=re.DOTALL)
        words, target = (shown[1], shown[2]) if shown else ("", text)
        if role.startswith("glue:"):
            return self.glued.get(target, "")
        if role in CITES:
            return self._cite(role, re.split(r"\s*,\s*", target))
        if role in REFERENCES:
            name = self.book.names.get(target, target)
            words = words.replace("%s", name) if words else name
            return self._linked(words, target)
        if role == "doc":
            page = target.rpartition("/")[2]
            return self._linked(words or self.book.titles.get(page, page), page)
        if role.partition(":")[0] in ("py", "func", "class", "mod", "meth"):
            return f"`{words or target.lstrip('~').rpartition('.')[2]}`"
        return words or target

    def _cite(self, role: str, keys: list[str]) -> str:
        self.cited += [key for key in keys if key not in self.cited]
        sources = [self.book.authors.get(key, (key, "")) for key in keys]
        if role.endswith(("t", "ts")) and ":" in role:
            return ", ".join(
                f"{who} ({year})" if year else who for who, year in sources
            )
        return f"({'; '.join(', '.join(filter(None, source)) for source in sources)})"

    def _link(self, words: str, target: str) -> str:
        text = self._inline(words)
        if re.match(r"[a-z]+:", target):
            return f"[{text}]({target})"
        path, _, label = target.partition("#")
        if not path:
            return self._linked(
                text or self.book.names.get(label, label), label
            )
        page, _, suffix = path.rpartition(".")
        known = self.book.address(page)
        if known is None and suffix == "ipynb":
            return f"[{text}]({path})"  # the notebook beside this one
        return f"[{text}]({known}{'#' * bool(label)}{label})" if known else text

    def _linked(self, words: str, target: str) -> str:
        known = self.book.address(target)
        return f"[{words}]({known})" if known else words


def values(notebook: dict) -> dict[str, str]:
    """The glued values of a notebook, as its pages show them."""
    found = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            about = output.get("metadata", {}).get("scrapbook")
            if about:
                data = output["data"]
                (shown,) = [
                    data[kind] for kind in data if kind.endswith("text/plain")
                ]
                text = shown if isinstance(shown, str) else "".join(shown)
                quoted = text.startswith(("'", '"'))
                found[about["name"]] = (
                    ast.literal_eval(text) if quoted else text
                )
    return found


def notebook(source: dict, book: Book, first: str) -> dict:
    """A copy of a notebook for download; `first` is the text of a cell at its head."""
    copy = deepcopy(source)
    prose = Prose(book, values(copy))
    cells = []
    for cell in copy["cells"]:
        if cell["cell_type"] == "markdown":
            text = cell["source"]
            cell["source"] = prose.cell(
                text if isinstance(text, str) else "".join(text)
            )
            if not cell["source"]:
                continue
        # A run draws the pictures again; without them a chapter weighs a tenth.
        if "outputs" in cell:
            cell["outputs"] = [
                output
                for output in cell["outputs"]
                if "image/png" not in output.get("data", {})
            ]
        cells.append(cell)
    added = [("to-run-it", first)]
    if prose.cited:
        entries = [f"- {book.sources.get(key, key)}" for key in prose.cited]
        added.append(("sources", "## Sources\n\n" + "\n".join(entries)))
    made = [
        {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}
        for name, text in added
    ]
    copy["cells"] = [made[0], *cells, *made[1:]]
    return copy
