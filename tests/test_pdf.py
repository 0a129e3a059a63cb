"""The printed book: its order, its links, and a small one made by the browser."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pdf
from bs4 import BeautifulSoup
from pypdf import PdfReader

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]


def test_every_link_of_the_whole_leads_to_a_place_in_it(site: Path) -> None:
    names = pdf.pages(ROOT / "_toc.yml")
    assert names[0] == "book/index" and {"book/laplace", "book/ledger", "book/errata"} <= set(names)
    whole = BeautifulSoup(pdf.combine(site, names), "html.parser")
    ids = {element["id"] for element in whole.select("[id]")}
    assert [article["id"] for article in whole.select("main > article")] == names
    inside = [a["href"] for a in whole.select("main a[href]") if a["href"].startswith("#")]
    assert len(inside) > 1_000 and {href[1:] for href in inside} <= ids
    assert all((site / image["src"]).is_file() for image in whole.select("main img"))


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
    assert "nothing is asserted here" in text and "Warner" in text
    assert [entry.title for entry in printed.outline if not isinstance(entry, list)][-1].startswith(
        "References"
    )
    assert sum(len(sheet.images) for sheet in printed.pages) >= 1
    notes = [note.get_object() for sheet in printed.pages for note in sheet.get("/Annots", [])]
    assert any("/Dest" in note or note.get("/A", {}).get("/D") for note in notes)
