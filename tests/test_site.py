"""The built site: no warning, nothing asked of another host, no broken link, no bare picture."""

from __future__ import annotations

import html
import json
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from bs4 import BeautifulSoup
from errata import load as load_errata
from ledger import load
from marking.sets import ProblemSet, names
from notebooks import BOOK

ROOT = BOOK.parent


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, BeautifulSoup]:
    """Every page of the book, by its path in the site."""
    return {
        str(path.relative_to(site)): BeautifulSoup(path.read_text(), "html.parser")
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }


def test_nothing_is_fetched_from_another_host(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    fetching = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
    for name, page in pages.items():
        for tag, attribute in fetching.items():
            for element in page.find_all(tag):
                target = element.get(attribute, "")
                assert not re.match(r"(https?:)?//", target), (name, target)
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//|@import\s+['\"]http", sheet.read_text())


def test_every_link_and_anchor_leads_somewhere(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    anchors = {
        name: {element["id"] for element in page.find_all(id=True)} for name, page in pages.items()
    }
    for name, page in pages.items():
        for element in page.find_all(["a", "link", "script", "img"]):
            target = element.get("href") or element.get("src")
            if not target or re.match(r"[a-z]+:", target):
                continue
            path, fragment = urldefrag(urljoin(name, unquote(target)))
            path = path.split("?")[0] or name
            assert (site / path).is_file(), f"{name} leads to {target}"
            if fragment and path in anchors:
                assert fragment in anchors[path], f"{name} leads to {target}"


def test_every_picture_has_alt_text(pages: dict[str, BeautifulSoup]) -> None:
    for name, page in pages.items():
        for image in page.select("main img"):
            assert image.get("alt", "").strip(), (name, image.get("src"))


def test_maths_is_served_from_the_site(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    scripts = [
        s["src"] for s in pages["book/randomized_response.html"].find_all("script", src=True)
    ]
    mathjax = [s for s in scripts if "mathjax" in s.lower()]
    assert len(mathjax) == 1 and (site / urljoin("book/", mathjax[0].split("?")[0])).is_file()
    assert len(list(site.glob("_static/mathjax/output/chtml/fonts/woff-v2/*.woff"))) >= 20


def test_ledger_page_leads_to_every_placed_claim(pages: dict[str, BeautifulSoup]) -> None:
    page = pages["book/ledger.html"]
    rows = {row.find("code").text: row for row in page.select("table.ledger tbody tr")}
    claims = load()
    assert set(rows) == set(claims)
    for name, claim in claims.items():
        links = [a["href"] for a in rows[name].find_all("a")]
        assert (f"{claim.chapter}.html#{name}" in links) == claim.placed
    placed = sum(claim.placed for claim in claims.values())
    assert f"{placed} of {len(claims)} claims" in page.text


def test_statements_ledger_and_errata_lead_to_each_other(pages: dict[str, BeautifulSoup]) -> None:
    claims, errata, page = load(), load_errata(), pages["book/errata.html"]
    rows = {row.find("code").text: row for row in pages["book/ledger.html"].select("tbody tr")}
    for name, erratum in errata.items():
        place = page.find(id=erratum.anchor)
        place = place if erratum.slip else place.find_parent("section")
        assert name in place.text
        links = {a["href"] for a in place.find_all("a")}
        for claim in erratum.claims:
            assert (f"{claims[claim].chapter}.html#{claim}" in links) == claims[claim].placed
    for name, claim in claims.items():
        wanted = [f"errata.html#{entry.lower()}" for entry in claim.corrected]
        links = [a["href"] for a in rows[name].find_all("a")]
        assert [link for link in links if link.startswith("errata.html")] == wanted
        if claim.placed:
            statement = pages[f"book/{claim.chapter}.html"].find(id=name)
            pointers = statement.select("p.erratum-pointer a")
            assert sorted(a["href"] for a in pointers) == sorted(wanted), name
    total = page.select("table.errata-summary tbody tr")[-1].find_all("td")[-1].text
    assert total == str(len(errata))


def test_map_and_statements_say_what_rests_on_what(pages: dict[str, BeautifulSoup]) -> None:
    claims, page = load(), pages["book/map.html"]

    def place(name: str) -> str:
        return f"{claims[name].chapter}.html#{name}"

    drawn = [a["href"] for a in page.select("svg.claim-map a")]
    assert drawn and set(drawn) <= {place(c.id) for c in claims.values() if c.placed}
    rows = {row.find("code").text: row for row in page.select("table.claim-links tbody tr")}
    for name, claim in claims.items():
        if not claim.placed:
            assert name not in rows
            continue
        serves = [c.id for c in claims.values() if c.placed and name in c.uses]
        if claim.uses or serves:
            shown = [[a["href"] for a in cell.find_all("a")] for cell in rows[name].find_all("td")]
            assert shown == [[place(name)], [*map(place, claim.uses)], [*map(place, serves)]]
        statement = pages[f"book/{claim.chapter}.html"].find(id=name)
        told = {a["href"] for a in statement.select("p.uses-pointer a")}
        assert {link.partition("#")[2] for link in told} == set(claim.uses)


def test_solutions_are_folded_on_the_page(pages: dict[str, BeautifulSoup]) -> None:
    page = pages["book/randomized_response.html"]
    solutions = page.select("div.solution")
    assert len(solutions) >= 5
    assert all("dropdown" in solution["class"] for solution in solutions)


def test_no_page_speaks_of_a_remote_kernel(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    for name in pages:
        text = (site / name).read_text()
        assert "unpkg" not in text and "x-thebe-config" not in text, name


def secrets() -> set[str]:
    """Lines of the coursework that no student may read: solutions, proofs, hidden tests."""
    found = set()
    for name in names():
        for cell in ProblemSet.load(name).cells("answer", "test", "proof"):
            inside = cell.cell_type == "markdown"
            for line in cell.source.splitlines():
                if line.lstrip().startswith(("### BEGIN", "### END")):
                    inside = "BEGIN" in line
                elif inside and len(line.strip()) >= 35:
                    found.add(" ".join(line.split()))
    return found


def readable(path: Path) -> str:
    """All text that a reader can get out of a file, without markup."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            text = "\n".join(archive.read(name).decode() for name in archive.namelist())
    else:
        text = path.read_text(errors="ignore")
    if path.suffix in (".ipynb", ".zip"):
        text = re.sub(r'\\"', '"', text.replace("\\n", "\n").replace("\\\\", "\\"))
    if path.suffix == ".html":
        text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return " ".join(text.split())


def test_no_solution_and_no_hidden_test_is_in_the_site(site: Path) -> None:
    hidden = secrets()
    assert len(hidden) > 300
    kinds = {".html", ".ipynb", ".txt", ".md", ".js", ".json", ".zip", ".py", ".inv"}
    files = [path for path in site.rglob("*") if path.suffix in kinds]
    for path in files:
        text = readable(path)
        assert not [line for line in hidden if line in text], path
    # The search would find what it looks for.
    line = max(hidden, key=len)
    assert line in " ".join(f"x {line} y".split())
    names_in_site = {path.name for path in files}
    assert not names_in_site & {"course.py", "judge.py", "coursework_runs.py"}


def test_every_problem_set_can_be_downloaded(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    page = pages["book/coursework/index.html"]
    links = [unquote(a["href"]) for a in page.select("main a.download")]
    files = {Path(link).name: site / urljoin("book/coursework/", link) for link in links}
    assert set(files) == {f"{name}.ipynb" for name in names()} | {"problem_sets.zip"}
    for name in names():
        assert json.loads(files[f"{name}.ipynb"].read_text())["cells"]
    assert page.find(id="how-to-submit") and page.find(id="what-is-marked")


def test_site_is_light(site: Path) -> None:
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) <= 25_000_000
    scripts = [path for path in (site / "_static").rglob("*.js") if "mathjax" not in path.parts]
    assert scripts and not any("sourceMappingURL" in path.read_text() for path in scripts)
