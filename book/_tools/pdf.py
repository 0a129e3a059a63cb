"""Print the whole book: the built site as one document, set by headless Chromium.

    .venv/bin/jupyter-book build .
    .venv/bin/python book/_tools/pdf.py            # writes _build/minimaxdp.pdf

The pages stand in the order of the contents, each on a new sheet; links between them lead inside the
document, formulas are set by the site's own MathJax, and the headings become the outline.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import yaml
from browsing import chromium, serving
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[2]
WHOLE = "whole.html"
STYLE = """
  body { font-size: 10.5pt; }
  main { max-width: 46rem; margin: 0 auto; }
  article { break-before: page; }
  article:first-of-type { break-before: auto; }
  figure, .math, .sig, table tr, .cell_input, h1, h2, h3, h4 { break-inside: avoid; }
  h1, h2, h3, h4 { break-after: avoid; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  table { display: table !important; width: 100%; font-size: 8pt; }
  td, th { overflow-wrap: break-word; white-space: normal !important; }
  td code, td .pre { overflow-wrap: anywhere; }
  .headerlink, .copybtn, button, noscript { display: none !important; }
  details:not([open]), form { display: none !important; }
"""


def pages(toc):
    """Names of all pages in the order of the contents, the package's reference left out."""
    contents = yaml.safe_load(Path(toc).read_text())
    listed = [contents["root"]]
    for part in contents["parts"]:
        for entry in part["chapters"]:
            listed.append(entry["file"])
    return [name for name in listed if not name.startswith("book/api")]


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
        body.append(article)
    if not whole.select_one("script[src*=mathjax]"):
        source = "_static/mathjax/tex-mml-chtml.js"
        whole.head.append(
            whole.new_tag("script", attrs={"src": source, "defer": ""})
        )
    return str(whole)


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
            page.evaluate("window.MathJax?.startup?.promise")
            page.pdf(
                path=target,
                format="A4",
                margin=dict.fromkeys(
                    ("top", "bottom", "left", "right"), "18mm"
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
        write(chosen.site, pages(ROOT / "_toc.yml"), chosen.output, browser)
    print(chosen.output)


if __name__ == "__main__":
    main(sys.argv[1:])
