"""Print the whole book: the built site as one document, set by headless Chromium.

    .venv/bin/jupyter-book build .
    .venv/bin/python book/_tools/pdf.py            # writes _build/minimaxdp.pdf

The pages stand in the order of the contents, each on a new sheet; links between them lead inside the
document, and the headings become the outline. Evidence is the one line that says what was checked,
and the code of figures is left out. A box breaks where the sheet ends: the theme would keep it
whole and leave the rest of the sheet blank.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from urllib.parse import urldefrag, urljoin

from browsing import chromium, serving
from bs4 import BeautifulSoup
from contents import pages

ROOT = Path(__file__).resolve().parents[2]
WHOLE = "whole.html"
STYLE = """
  html { font-size: 8pt !important; }
  body, main :is(p, li, dd, dt, td, th, figcaption) { line-height: 1.35 !important; }
  main { max-width: 176mm; margin: 0 auto; }
  article { break-before: page; }
  article:first-of-type { break-before: auto; }
  main * { break-inside: auto !important; orphans: 2; widows: 2; }
  figure, figure *, div.math, tr, .sig, h1, h2, h3, h4 { break-inside: avoid !important; }
  h1, h2, h3, h4, p.admonition-title { break-after: avoid; }
  h1 { font-size: 1.8rem; margin-top: 0; }
  h2 { font-size: 1.4rem; }
  h3 { font-size: 1.15rem; }
  h2, h3, h4 { margin: 1em 0 0.4em; }
  main p, main ul, main ol, main .cell, main .cell_output, main figure, main .admonition {
    margin-block: 0.4em !important; }
  figure img { max-height: 5.6cm; width: auto; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 6.8pt; line-height: 1.25;
    padding: 0.4em 0.6em; margin: 0.3em 0; }
  table { display: table !important; width: 100%; font-size: 7pt; }
  td, th { overflow-wrap: break-word; white-space: normal !important; padding: 1px 4px !important; }
  td code, td .pre { overflow-wrap: anywhere; }
  p.checked { font-size: 7pt; border-left: 2pt solid #888; padding-left: 0.6em; }
  .headerlink, .copybtn, button, noscript { display: none !important; }
  details:not([open]), form { display: none !important; }
"""
# What only a reader at a screen can use. What the map and the ledger say also stands below each
# statement; the tables of the benchmarks and the guide for instructors go with the code.
ON_SCREEN = tuple(
    f"book/{name}"
    for name in ("calculator", "get", "map", "ledger", "standing", "benchmarks")
) + ("book/coursework/instructor",)
# A tag for each glyph would be two thirds of the file; a formula is one picture with its text.
ONE_TAG = """() => document.querySelectorAll("mjx-container").forEach(formula => {
  const spoken = formula.querySelector("mjx-assistive-mml");
  if (!spoken) return;
  formula.setAttribute("role", "img");
  formula.setAttribute("aria-label", spoken.textContent.trim());
  spoken.remove();
})"""


def printed():
    """Names of all pages in the order of the contents, without the package's reference and without
    what needs a screen."""
    return [
        name
        for name in pages()
        if not name.startswith("book/api") and name not in ON_SCREEN
    ]


def anchor(page, fragment=""):
    """The id, in the one document, of a place on a page."""
    return f"{page.replace('/', '-')}--{fragment}" if fragment else page


def combine(site, names):
    """The pages as one HTML document, which has to lie at the root of the site."""
    whole = None
    for name in names:
        page = BeautifulSoup((site / f"{name}.html").read_text(), "html.parser")
        article = page.select_one("article")
        for element in article.select("[id]"):
            element["id"] = anchor(name, element["id"])
        for element in article.select("[for]"):
            element["for"] = anchor(name, element["for"])
        for element in article.select("[src]"):
            element["src"] = urljoin(f"{name}.html", element["src"])
        for link in article.select("[href]"):
            lead(link, name, names)
        for script in article.select("script"):
            script.decompose()
        for spoken in article.select(".math noscript"):
            spoken.unwrap()
        unfold(whole or page, article)
        list_quiz(whole or page, article)
        article["id"] = anchor(name)
        if whole is None:
            whole = page
            for link in whole.head.select("[href], [src]"):
                key = "href" if link.has_attr("href") else "src"
                link[key] = urljoin(f"{name}.html", link[key])
            body = whole.new_tag("main", attrs={"class": "bd-content"})
            whole.title.string = page.select_one("h1").get_text().rstrip("#")
            whole.body.clear()
            whole.body.append(body)
            whole.head.append(whole.new_tag("style", string=STYLE))
        for sheet in page.select("head link[rel=stylesheet]"):
            sheet["href"] = urljoin(f"{name}.html", sheet["href"])
            if not whole.head.find("link", href=sheet["href"]):
                whole.head.append(sheet)
        body.append(article)
    return str(whole)


def unfold(page, article):
    """Print the line of each piece of evidence, proofs in full, and no code that a fold holds."""
    for element in article.select(
        ".fold-switches, details.fold-code, details.fold-setup"
    ):
        element.decompose()
    for evidence in article.select("details.fold-evidence"):
        line = page.new_tag("p", attrs={"class": "checked"})
        line.string = evidence.summary.get_text()
        if evidence.get("id"):
            line["id"] = evidence["id"]
        evidence.replace_with(line)
    for proof in article.select("details.fold-proof"):
        proof["open"] = ""


def list_quiz(page, article):
    """Print the questions of a quiz with their answers to choose from, and below all of them which
    is right and why: on the screen a reader sees that only after choosing."""
    for quiz in article.select("div.quiz"):
        answers = page.new_tag("ol")
        for question in quiz.select("fieldset"):
            asked = page.new_tag("p")
            asked.extend(list(question.legend.contents))
            said = page.new_tag("ol", attrs={"type": "a"})
            for place, option in enumerate(question.select("label")):
                item = page.new_tag("li")
                item.extend(list(option.contents))
                said.append(item)
                why = option.find_next_sibling("p")
                if "quiz-right" in why["class"]:
                    why.strong.string = f"({'abcdefgh'[place]})"
                    right = page.new_tag("li")
                    right.extend(list(why.contents))
                    answers.append(right)
            quiz.insert_before(asked, said)
        title = page.new_tag("p")
        title.string = "Answers"
        quiz.replace_with(title, answers)


def lead(link, name, names):
    """Point a link inside the document where it can; take it off where nothing is printed."""
    target = link["href"]
    if target.startswith(("http:", "https:", "mailto:")):
        return
    path, fragment = urldefrag(urljoin(f"{name}.html", target))
    path = path.removesuffix(".html") or name
    if path in names:
        link["href"] = "#" + anchor(path, fragment)
    elif link.name == "a":
        del link["href"]


def write(site, names, target, browser):
    """Set the pages in the browser and write the PDF."""
    site = Path(site)
    page = browser.new_page(color_scheme="light")
    page.set_default_timeout(600_000)
    (site / WHOLE).write_text(combine(site, names))
    try:
        with serving(site) as address:
            page.goto(f"{address}/{WHOLE}")
            page.evaluate("document.fonts.ready")
            page.evaluate(ONE_TAG)
            page.pdf(
                path=target,
                format="A4",
                margin=dict.fromkeys(
                    ("top", "bottom", "left", "right"), "14mm"
                ),
                print_background=True,
                outline=True,
                tagged=True,
                display_header_footer=True,
                header_template="<span></span>",
                footer_template='<div style="font-size:8pt;width:100%;text-align:center">'
                '<span class="pageNumber"></span></div>',
            )
    finally:
        page.close()
        (site / WHOLE).unlink()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--site", default=ROOT / "_build" / "html", type=Path)
    parser.add_argument(
        "--output", default=ROOT / "_build" / "minimaxdp.pdf", type=Path
    )
    chosen = parser.parse_args(arguments)
    if not (chosen.site / "index.html").is_file():
        parser.error(f"no site at {chosen.site}: build it first")
    with chromium() as browser:
        write(chosen.site, printed(), chosen.output, browser)
    print(chosen.output)


if __name__ == "__main__":
    main(sys.argv[1:])
