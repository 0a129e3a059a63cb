"""The page rules: what a reader meets without opening a fold, on the committed notebooks."""

from __future__ import annotations

import pages
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from minimaxdp.book.plots import STYLE

RULED = pages.ruled()


@pytest.mark.parametrize("path", RULED, ids=lambda path: path.stem)
def test_page_keeps_the_rules(path) -> None:
    found = pages.faults(path)
    if path.stem in pages.TO_REWRITE:
        assert found, f"take {path.stem} off the list TO_REWRITE of book/_tools/pages.py"
    else:
        assert not found, "\n".join(found)


def test_the_list_of_pages_to_rewrite_names_pages() -> None:
    assert {path.stem for path in RULED} >= pages.TO_REWRITE


def test_letters_of_figures_are_large_enough() -> None:
    sizes = {name: STYLE[name] for name in STYLE if name.endswith("size") and "fig" not in name}
    assert sizes and all(size >= pages.LETTERS for size in sizes.values()), sizes
    assert STYLE["figure.figsize"][0] <= pages.WIDTH


def cell(source: str, printed: str = "", *tags: str):
    outputs = [new_output("stream", name="stdout", text=printed)] if printed else []
    return new_code_cell(source, outputs=outputs, metadata={"tags": list(tags)})


LONG = "\n".join(f"x{i} = {i}" for i in range(21))
BROKEN = {
    "shows nothing": [cell("x = 1")],
    "has 21 lines": [cell(LONG, "1")],
    "has 13 lines": [cell("\n".join(["x = 1"] * 13), "1") for _ in range(4)],
    "visible lines of code": [cell("\n".join(["x = 1"] * 12), "1") for _ in range(21)],
    "must print one line": [cell("assert x", "Checked: one\nand two\n", "evidence")],
    "asserts nothing": [cell("print()", "Checked: all\n", "evidence")],
    "names a step": [new_markdown_cell("## Derive: the risk")],
    "the text has 4501 words": [new_markdown_cell("word " * 4501)],
    "Going further has 2501": [new_markdown_cell("## Going further\n" + "word " * 2499)],
    "must say **Time**": [new_markdown_cell("# T\n**You need** **Skip**\n## A\n**Time**")],
    "must say **Open**": [new_markdown_cell("## What is known\n**Proved**")],
    "letters of 7 pt": [cell("ax.text(0, 0, 'a', fontsize=7)", "1")],
    "picks blue by hand": [cell('ax.plot(x, color=COLORS["blue"])', "1")],
    "nothing to play with": [],
}


def told(cells: list) -> str:
    notebook = new_notebook(cells=cells)
    return "\n".join(
        [
            *pages.about_code(notebook),
            *pages.about_prose(notebook, True),
            *pages.about_pictures(notebook, True),
        ]
    )


@pytest.mark.parametrize("fault", BROKEN)
def test_each_rule_catches_what_it_is_for(fault: str) -> None:
    assert fault in told(BROKEN[fault])


def test_what_is_folded_does_not_count() -> None:
    fine = [
        cell(LONG, "", "setup"),
        cell("assert x", "Checked: exactly, on 3 settings", "evidence"),
        cell(LONG, "a figure", "hide-input"),
        new_markdown_cell("````{solution-start} ex\n````"),
        cell(LONG),
        new_markdown_cell("````{solution-end}\n````"),
    ]
    assert not list(pages.about_code(new_notebook(cells=fine)))


def test_words_of_proofs_exercises_and_solutions_are_not_counted() -> None:
    text = """One two three.

```{prf:proof}
Not this.
```

```{exercise} Title
:label: ex
Nor this.
```

````{solution-start} ex
````
nor this
````{solution-end}
````

Four $a + b$ {prf:ref}`six`.
"""
    assert pages.words(text) == 6
