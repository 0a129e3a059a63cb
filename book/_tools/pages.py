"""The rules of a page, each with what to do about it.

    python book/_tools/pages.py                 # every page
    python book/_tools/pages.py book/NAME.ipynb # the pages named

A reader must be able to live in the argument alone: prose, statements with their proofs, pictures,
and short cells that show something. The rules count what can be counted of this.
"""

from __future__ import annotations

import ast
import base64
import re
import struct
import sys
from pathlib import Path

import nbformat
from folds import is_evidence_line
from nbformat import NotebookNode
from notebooks import BOOK, chapters, numbered

# These pages are still in their old form. The list only shrinks.
TO_REWRITE: frozenset[str] = frozenset()
LINES, LONGER, LONGEST, VISIBLE = 12, 20, 3, 250
WORDS, FURTHER = 4_500, 2_500
WIDTH, LETTERS = 5.0, 9.0
STEPS = ("look", "state", "derive", "check", "sandwich", "break", "evidence")
HEAD = ("**You need**", "**Time**", "**Skip**")
FOOT = ("**Proved**", "**Computed**", "**Cited**", "**Open**")
FOLDED = {"evidence", "hide-input", "setup", "remove-cell"}
DIRECTIVE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[\w:-]+)\}.*?^(?P=fence)\s*$",
    re.M | re.S,
)
SOLUTION = re.compile(
    r"^`{3,}\{solution-start\}.*?^`{3,}\{solution-end\}", re.M | re.S
)


def tags(cell: NotebookNode) -> set[str]:
    return set(cell.metadata.get("tags", []))


def text(cell: NotebookNode) -> str:
    """What a cell printed to the standard stream."""
    return "".join(
        o.text for o in cell.outputs if o.output_type == "stream"
    ).strip()


def outside_solutions(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells of code that do not belong to a folded solution."""
    found, inside = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for gate in re.findall(r"\{solution-(start|end)\}", cell.source):
                inside = gate == "start"
        elif not inside:
            found.append(cell)
    return found


def visible(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells of code that a reader sees without opening anything."""
    return [
        cell for cell in outside_solutions(notebook) if not tags(cell) & FOLDED
    ]


def lines(cell: NotebookNode) -> int:
    return sum(bool(line.strip()) for line in cell.source.splitlines())


def prose(notebook: NotebookNode) -> str:
    return "\n\n".join(
        c.source for c in notebook.cells if c.cell_type == "markdown"
    )


def words(markdown: str) -> int:
    """Words of prose: without proofs, exercises, solutions and quizzes; a formula is one word."""
    bare = SOLUTION.sub("", markdown)
    apart = ("prf:proof", "exercise", "exercise-start", "solution", "quiz")
    bare = DIRECTIVE.sub(lambda m: "" if m["name"] in apart else m[0], bare)
    bare = re.sub(r"\$\$.*?\$\$|\$[^$]*\$", " formula ", bare, flags=re.S)
    bare = re.sub(r"\{[\w:]+\}`[^`]*`", " reference ", bare)
    bare = re.sub(r"^(?:`{3,}|:{3,}).*$|^:\w+:.*$", "", bare, flags=re.M)
    return len(re.findall(r"\w[\w'’-]*", bare))


def split_further(markdown: str) -> tuple[str, str]:
    """The text, and its part under the heading *Going further*."""
    match = re.search(r"^## Going further.*?(?=^## |\Z)", markdown, re.M | re.S)
    if not match:
        return markdown, ""
    return markdown[: match.start()] + markdown[match.end() :], match[0]


def pictures(notebook: NotebookNode) -> list[tuple[NotebookNode, int]]:
    """Each picture's cell, with the picture's width in dots."""
    found = []
    for cell in outside_solutions(notebook):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                png = base64.b64decode(output.data["image/png"])
                found.append((cell, struct.unpack(">I", png[16:20])[0]))
    return found


def first_line(cell: NotebookNode) -> str:
    return repr(cell.source.partition("\n")[0][:60])


def about_code(notebook: NotebookNode):
    long = []
    for cell in visible(notebook):
        if not cell.outputs:
            yield (
                f"the cell {first_line(cell)} shows nothing: let it print what the next sentence "
                "uses, or tag it evidence (it only asserts) or setup (it only imports)"
            )
        if lines(cell) > LINES:
            long.append(cell)
    for cell in sorted(long, key=lines, reverse=True):
        if lines(cell) > LONGER or len(long) > LONGEST:
            yield (
                f"the visible cell {first_line(cell)} has {lines(cell)} lines: at most {LINES}, "
                f"and three of up to {LONGER}; split it, or move work into minimaxdp"
            )
    total = sum(map(lines, visible(notebook)))
    if total > VISIBLE:
        yield f"{total} visible lines of code: at most {VISIBLE}"
    for cell in outside_solutions(notebook):
        if "evidence" in tags(cell):
            if not is_evidence_line(text(cell)) or len(cell.outputs) != 1:
                yield (
                    f"the evidence {first_line(cell)} must print one line, 'Checked: ...', and "
                    "nothing else"
                )
            if not any(
                isinstance(n, ast.Assert)
                for n in ast.walk(ast.parse(cell.source))
            ):
                yield f"the evidence {first_line(cell)} asserts nothing"


def about_prose(notebook: NotebookNode, is_chapter: bool):
    source = prose(notebook)
    main, further = split_further(source)
    for part, limit, name in (
        (main, WORDS, "the text"),
        (further, FURTHER, "Going further"),
    ):
        if words(part) > limit:
            yield f"{name} has {words(part)} words: at most {limit}"
    for heading in re.findall(r"^#+ (.*)$", source, re.M):
        if re.match(rf"({'|'.join(STEPS)})\b", heading, re.I):
            yield f"the heading {heading!r} names a step of the method: name its content"
    if is_chapter:
        start = source.split("\n## ")[0]
        for item in HEAD:
            if item not in start:
                yield f"the head of the page must say {item} (before the first ## heading)"
        for item in FOOT:
            if item not in source.rpartition("## What is known")[2]:
                yield f"the part '## What is known' at the foot must say {item}"


def about_pictures(notebook: NotebookNode, is_chapter: bool):
    from minimaxdp.book.plots import STYLE

    # The notebook adds a margin of 0.1 inches on each side.
    widest = (WIDTH + 0.2) * STYLE["figure.dpi"]
    for cell, width in pictures(notebook):
        if width > widest:
            yield f"the figure {first_line(cell)} is {width / STYLE['figure.dpi']:.1f} inches wide: at most {WIDTH:g}"
    for cell in outside_solutions(notebook):
        for size in re.findall(r"fontsize=([\d.]+)", cell.source):
            if float(size) < LETTERS:
                yield f"letters of {size} pt in {first_line(cell)}: at least {LETTERS:g}"
        colours = set(re.findall(r"COLORS\[\"(\w+)\"\]", cell.source)) - {
            "grey",
            "black",
        }
        if colours and "setup" not in tags(cell):
            yield (
                f"the cell {first_line(cell)} picks {', '.join(sorted(colours))} by hand: what it "
                "draws has one look in the whole book, plots.look(name)"
            )
    played = re.compile(r"\bgallery\w*\.")
    cells = outside_solutions(notebook)
    if is_chapter and not any(played.search(cell.source) for cell in cells):
        yield "the chapter has nothing to play with: call one of minimaxdp.book.gallery"


def faults(path: Path) -> list[str]:
    """What is wrong with a page, each with what to do."""
    notebook = nbformat.read(path, as_version=4)
    is_chapter = path in numbered()
    return [
        *about_code(notebook),
        *about_prose(notebook, is_chapter),
        *about_pictures(notebook, is_chapter),
    ]


def ruled() -> list[Path]:
    """The pages that the rules are for: all. What a chapter must have, `faults` asks of chapters alone."""
    return chapters()


def main(arguments: list[str]) -> int:
    named = [Path(a).resolve() for a in arguments]
    found = 0
    for path in named or [p for p in ruled() if p.stem not in TO_REWRITE]:
        for fault in faults(BOOK / path.name):
            print(f"{path.stem}: {fault}")
            found += 1
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
