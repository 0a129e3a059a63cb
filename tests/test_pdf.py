"""The printed book: its order, its links, and a small one made by the browser."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pdf
import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.long
def test_every_link_of_the_whole_leads_to_a_place_in_it(site: Path) -> None:
    names = pdf.printed()
    assert names[0] == "book/index" and {"book/laplace", "book/errata"} <= set(names)
    assert not {"book/ledger", "book/calculator"} & set(names), "they need a screen"
    whole = BeautifulSoup(pdf.combine(site, names), "html.parser")
    ids = {element["id"] for element in whole.select("[id]")}
    assert [article["id"] for article in whole.select("main > article")] == names
    inside = [a["href"] for a in whole.select("main a[href]") if a["href"].startswith("#")]
    assert len(inside) > 1_000 and {href[1:] for href in inside} <= ids
    assert all((site / image["src"]).is_file() for image in whole.select("main img"))


FOLDED = """<article>
  <p class="fold-switches">Show all evidence</p>
  <details class="fold fold-setup"><summary>Imports</summary><pre>import x</pre></details>
  <details class="fold fold-code"><summary>Code of this figure</summary><pre>plot()</pre></details>
  <details class="fold fold-evidence" id="checked-a"><summary>Checked: on 54 settings</summary>
  <pre>assert x</pre></details>
  <details class="fold fold-proof"><summary>Proof</summary><p>By induction.</p></details>
</article>"""


def test_evidence_is_printed_as_its_line_and_no_folded_code_at_all() -> None:
    page = BeautifulSoup(FOLDED, "html.parser")
    pdf.unfold(page, page.article)
    (line,) = page.select("p.checked")
    assert line["id"] == "checked-a" and line.text == "Checked: on 54 settings"
    assert not page.select("pre, .fold-switches") and "Imports" not in page.text
    assert page.select_one("details.fold-proof").has_attr("open")


QUIZ = """<article><div class="quiz"><fieldset><legend>Is <i>q</i> so?</legend>
<input type="radio"><label><span>No.</span></label><p class="quiz-why quiz-wrong"><strong>Not
so.</strong> Else two were one.</p>
<input type="radio"><label><span>Yes.</span></label><p class="quiz-why quiz-right">
<strong>Right.</strong> By induction.</p></fieldset></div></article>"""


def test_a_quiz_is_printed_with_its_answers_below_the_questions() -> None:
    page = BeautifulSoup(QUIZ, "html.parser")
    pdf.list_quiz(page, page.article)
    assert not page.select("input, fieldset, .quiz") and page.p.i
    assert [item.text.strip() for item in page.select("ol[type=a] li")] == ["No.", "Yes."]
    (right,) = page.select("ol:not([type]) li")
    assert right.get_text(" ", strip=True) == "(b) By induction."
    assert "Else" not in page.text


def test_only_what_is_short_is_kept_whole() -> None:
    """A box that must not break leaves the rest of its sheet blank."""
    whole = ("admonition", "cell", "highlight", "proof", "table", "details")
    kept = pdf.STYLE.split("main * { break-inside: auto !important;")[1]
    (selectors,) = [
        line.split("{")[0] for line in kept.splitlines() if "break-inside: avoid !" in line
    ]
    assert not [name for name in whole if name in selectors], "let it break where the sheet ends"


@pytest.mark.long
def test_pages_are_printed_with_figures_formulas_and_links(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    own = tmp_path / "site"  # a page is added to it for a while, which others must not see
    shutil.copytree(site, own)
    target = tmp_path / "two.pdf"
    pdf.write(own, ["book/index", "book/references"], target, browser)
    assert not (own / pdf.WHOLE).exists()
    printed = PdfReader(target)
    text = "".join(sheet.extract_text() for sheet in printed.pages)
    assert "how it is known" in text.replace("\n", " ") and "Warner" in text
    assert [entry.title for entry in printed.outline if not isinstance(entry, list)][-1].startswith(
        "References"
    )
    assert sum(len(sheet.images) for sheet in printed.pages) >= 1
    notes = [note.get_object() for sheet in printed.pages for note in sheet.get("/Annots", [])]
    assert any("/Dest" in note or note.get("/A", {}).get("/D") for note in notes)
