"""The typesetter of the formulas: what it writes, what it refuses, and the build that it stops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import light
import maths
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

CONFIG = """
extensions = ["maths"]
html_theme = "basic"
numfig = True
mathjax3_config = {"tex": {"macros": {"risk": [r"R(#1)", 1]}}}
"""


@pytest.fixture(scope="module")
def typesetter() -> Iterator[maths.Typesetter]:
    found = maths.Typesetter({"risk": [r"R(#1)", 1]})
    yield found
    found.close()


def test_a_formula_is_glyphs_for_the_eye_and_mathml_for_the_ear(
    typesetter: maths.Typesetter,
) -> None:
    formula = BeautifulSoup(typesetter(r"\risk{x} \le \frac12"), "html.parser")
    seen, read = formula.select_one("mjx-math"), formula.select_one("mjx-assistive-mml math")
    assert seen["aria-hidden"] == "true" and seen["data-latex"] == r"\risk{x} \le \frac12"
    assert [c.text for c in seen.select("mjx-c")] == list("𝑅(𝑥)≤12")
    assert read.select_one("mfrac").text == "12" and read.text == "R(x)≤12"
    assert len(formula.select("[data-latex]")) == 1 and not formula.select("[tabindex]")


def test_a_letter_needs_no_element_but_its_own_unless_it_has_its_own_font(
    typesetter: maths.Typesetter,
) -> None:
    formula = BeautifulSoup(typesetter(r"\mathbb{E} x = 10", display=True), "html.parser")
    seen = formula.select_one("mjx-math")
    letters = {c.text: c for c in seen.select("mjx-c")}
    assert list(letters) == list("𝔼𝑥=10")
    assert letters["𝔼"].parent is not seen
    assert all(letters[letter].parent is seen for letter in "𝑥=")
    assert letters["="]["space"] == "4" and letters["1"].parent["space"] == "4"
    assert "style" not in formula.select_one("mjx-container").attrs


def test_a_long_formula_in_a_line_can_break(typesetter: maths.Typesetter) -> None:
    formula = typesetter("a = b + c + d")
    assert "mjx-break" in formula and 'display="true"' not in formula
    assert 'display="true"' in typesetter("a = b", display=True)


def test_the_same_formula_is_typeset_once(typesetter: maths.Typesetter) -> None:
    assert typesetter("x^{17}") is typesetter("x^{17}")


@pytest.mark.parametrize(
    ("tex", "why"),
    [
        (r"\nosuchcommand", "Undefined control sequence"),
        (r"\frac{1", "Missing close brace"),
        (r"\text{a_b}", "allowed only in math mode"),
        ("a & b", "Misplaced &"),
    ],
)
def test_what_cannot_be_read_is_refused_and_does_no_harm_to_the_next(
    typesetter: maths.Typesetter, tex: str, why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        typesetter(tex)
    assert "mjx-math" in typesetter("y")


def test_the_style_names_fonts_that_are_there(typesetter: maths.Typesetter) -> None:
    typesetter(r"\mathbb{P}\Big\lfloor")
    style = typesetter.style()
    assert "mjx-c.mjx-c230A" in style
    assert all((maths.FONTS / name).is_file() for name in set(maths.FONT.findall(style)))


def test_blank_lines_part_the_formulas_of_a_block() -> None:
    def shown(tex: str, nowrap: bool = False) -> str:
        return maths.displayed(nodes.math_block(tex, tex, nowrap=nowrap))

    assert shown("a = b") == "a = b"
    assert shown(r"a \\ b") == r"\begin{split}a \\ b\end{split}"
    assert shown("a\n\nb") == r"\begin{aligned}a\\b\end{aligned}"
    assert shown("\\begin{align}a\n\nb\\end{align}", nowrap=True).startswith(r"\begin{align}")


def built(folder: Path, text: str) -> str:
    """The one page of a small site."""
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    (source / "conf.py").write_text(CONFIG)
    (source / "index.rst").write_text(text)
    out = folder / "out"
    Sphinx(source, source, out, folder / "doctrees", "html", status=None, warning=None).build()
    return (out / "index.html").read_text()


PAGE = """Title
=====

In a line :math:`\\risk{x}`, and numbered, as :eq:`bound` is:

.. math:: a < b
   :label: bound
"""


def test_a_page_has_numbers_links_and_the_style_of_every_build(tmp_path: Path) -> None:
    page = BeautifulSoup(built(tmp_path, PAGE), "html.parser")
    block = page.select_one("div.math")
    assert page.select_one("p span.math mjx-math") and block.select_one("mjx-math")
    assert block["id"] == "equation-bound" and block.select_one(".eqno").text.startswith("(1)")
    assert page.select_one("a[href='#equation-bound']").text == "(1)"
    assert page.select_one("link[href*='maths/typeset.css']")
    sheet = tmp_path / "out" / "_static" / maths.SHEET
    assert "mjx-c1D45F" not in sheet.read_text()
    built(tmp_path, PAGE.replace("a < b", "r"))  # a second build adds to the style of the first
    assert {"mjx-c3C", "mjx-c1D45F"} <= {f"mjx-c{c}" for c in maths_codes(sheet)}


def maths_codes(sheet: Path) -> set[str]:
    return {
        line.split("mjx-c.mjx-c")[1].split(" ")[0]
        for line in sheet.read_text().split("\n")
        if "mjx-c.mjx-c" in line
    }


def test_a_formula_that_cannot_be_read_ends_the_build_and_is_named(tmp_path: Path) -> None:
    with pytest.raises(maths.FormulaError, match=r"index: Undefined .*, in: \\wrong\{x\}"):
        built(tmp_path, PAGE.replace("a < b", r"\wrong{x}"))


def test_a_page_without_formulas_loads_nothing_for_them(tmp_path: Path) -> None:
    assert "maths" not in built(tmp_path, "Title\n=====\n\nWords.\n").lower()


def test_only_the_first_formulas_of_a_page_are_elements_at_once(tmp_path: Path) -> None:
    words = " ".join(f":math:`x_{{{i}}}`" for i in range(maths.AT_ONCE + 3))
    page = BeautifulSoup(built(tmp_path, f"Title\n=====\n\n{words}\n"), "html.parser")
    assert len(page.select(".math > mjx-container")) == maths.AT_ONCE
    assert len(page.select(".math > noscript > mjx-container")) == 3
    assert len(page.select("mjx-container math")) == maths.AT_ONCE + 3
    assert not page.select("noscript noscript")  # a browser ends the outer one with the inner


def test_a_group_that_says_something_or_may_break_is_kept() -> None:
    one = "<mjx-msub><mjx-c>x</mjx-c></mjx-msub>"
    assert maths.ungrouped(one) == "<mjx-c>x</mjx-c>"
    for kept in (
        '<mjx-msub size="s"><mjx-c>x</mjx-c></mjx-msub>',
        "<mjx-TeXAtom><mjx-break> </mjx-break></mjx-TeXAtom>",
        "<mjx-mi><mjx-c>x</mjx-c></mjx-mi>",
    ):
        assert maths.ungrouped(kept) == kept


def test_the_theme_measures_listings_when_a_page_has_settled(tmp_path: Path) -> None:
    script = tmp_path / light.THEME
    script.parent.mkdir(parents=True)
    script.write_text('x?I():window.addEventListener("load",I)})();')
    light.measure_later(tmp_path)
    once = script.read_text()
    assert '"resize",I,{once:!0}' in once and once.endswith("})();")
    light.measure_later(tmp_path)  # a second build leaves what the first has done
    assert script.read_text() == once
    script.write_text("another theme")
    with pytest.raises(ExtensionError, match="does not measure"):
        light.measure_later(tmp_path)
