"""The built site: no warning, nothing asked of another host, no broken link, no bare picture."""

from __future__ import annotations

import gc
import html
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from bs4 import BeautifulSoup, Tag
from errata import load as load_errata
from known import judged, summary
from ledger import STANDINGS, Claim, boxes, load, of_documents
from marking.sets import ProblemSet, names
from notebooks import BOOK
from pages import TO_REWRITE

ROOT = BOOK.parent


@pytest.fixture(scope="module")
def pages(site: Path) -> Iterator[dict[str, BeautifulSoup]]:
    """Every page of the book, by its path in the site."""
    # The collector would go through the millions of elements again and again.
    gc.disable()
    found = {
        str(path.relative_to(site)): BeautifulSoup(path.read_text(), "html.parser")
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }
    gc.freeze()
    gc.enable()
    yield found
    gc.unfreeze()


@pytest.fixture(scope="module")
def places(pages: dict[str, BeautifulSoup]) -> dict[str, Tag]:
    """What a link of the book can lead to, by page and anchor."""
    return {
        f"{name}#{element['id']}": element
        for name, page in pages.items()
        for element in page.find_all(id=True)
    }


def statement(places: dict[str, Tag], claim: Claim) -> Tag:
    """The box of a claim."""
    return places[f"book/{claim.chapter}.html#{claim.box}"]


def sharing(claims: dict[str, Claim]) -> dict[str, list[Claim]]:
    """The placed claims that stand in each box."""
    found: dict[str, list[Claim]] = {}
    for claim in claims.values():
        if claim.placed:
            found.setdefault(claim.box, []).append(claim)
    return found


def test_nothing_is_fetched_from_another_host(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    fetching = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
    for name, page in pages.items():
        for tag, attribute in fetching.items():
            for element in page.find_all(tag):
                target = element.get(attribute, "")
                assert not re.match(r"(https?:)?//", target), (name, target)
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//|@import\s+['\"]http", sheet.read_text())


def test_every_link_and_anchor_leads_somewhere(
    site: Path, pages: dict[str, BeautifulSoup], places: dict[str, Tag]
) -> None:
    for name, page in pages.items():
        for element in page.find_all(["a", "link", "script", "img"]):
            target = element.get("href") or element.get("src")
            if not target or re.match(r"[a-z]+:", target):
                continue
            path, fragment = urldefrag(urljoin(name, unquote(target)))
            path = path.split("?")[0] or name
            assert (site / path).is_file(), f"{name} leads to {target}"
            if fragment and path in pages:
                assert f"{path}#{fragment}" in places, f"{name} leads to {target}"


def test_no_page_names_an_address_that_the_site_does_not_have(
    site: Path, pages: dict[str, BeautifulSoup]
) -> None:
    for name, page in pages.items():
        named = page.select(
            "link[rel=canonical], meta[property='og:url'], meta[property='og:image']"
        )
        assert not named, (name, named)
    root = pages["index.html"]
    assert root.html["lang"] == "en" and root.title.text == "Privacy and Statistical Risk"
    assert not (site / "sitemap.xml").exists() and not (site / "404.html").exists()


def test_every_picture_has_alt_text(pages: dict[str, BeautifulSoup]) -> None:
    for name, page in pages.items():
        for image in page.select("main img"):
            assert image.get("alt", "").strip(), (name, image.get("src"))


def test_formulas_are_typeset_and_need_no_script(
    site: Path, pages: dict[str, BeautifulSoup]
) -> None:
    sheet = (site / "_static/maths/typeset.css").read_text()
    fonts = set(re.findall(r"[\w-]+\.woff2", sheet))
    assert len(fonts) >= 20
    assert {path.name for path in (site / "_static/maths").iterdir()} == fonts | {"typeset.css"}
    for name, page in pages.items():
        formulas = page.select(".math")
        assert all(formula.select_one("mjx-math") for formula in formulas), name
        sources = [s["src"] for s in page.find_all("script", src=True)]
        assert not any("mathjax" in source.lower() for source in sources), name
        assert bool(page.select_one("link[href*='maths/typeset.css']")) == bool(formulas), name


def test_ledger_page_leads_to_every_placed_claim(pages: dict[str, BeautifulSoup]) -> None:
    page = pages["book/ledger.html"]
    rows = {row.find("code").text: row for row in page.select("table.ledger tbody tr")}
    claims = load()
    assert set(rows) == set(claims)
    for name, claim in claims.items():
        links = [a["href"] for a in rows[name].find_all("a")]
        assert (f"{claim.chapter}.html#{claim.box}" in links) == claim.placed
    listed = of_documents(claims).values()
    placed = sum(claim.placed for claim in listed)
    assert f"{placed} of {len(listed)} claims" in page.text


def test_statements_ledger_and_errata_lead_to_each_other(
    pages: dict[str, BeautifulSoup], places: dict[str, Tag]
) -> None:
    claims, errata, page = load(), load_errata(), pages["book/errata.html"]
    rows = {row.find("code").text: row for row in pages["book/ledger.html"].select("tbody tr")}
    for name, erratum in errata.items():
        place = places[f"book/errata.html#{erratum.anchor}"]
        place = place if erratum.slip else place.find_parent("section")
        assert name in place.text
        links = {a["href"] for a in place.find_all("a")}
        for claim in erratum.claims:
            there = f"{claims[claim].chapter}.html#{claims[claim].box}"
            assert (there in links) == claims[claim].placed
    for name, claim in claims.items():
        wanted = [f"errata.html#{entry.lower()}" for entry in claim.corrected]
        links = [a["href"] for a in rows[name].find_all("a")]
        assert [link for link in links if link.startswith("errata.html")] == wanted
        if claim.placed:
            told = {a["href"] for a in statement(places, claim).select("p.about a")}
            assert set(wanted) <= told, name
    corrected = {
        f"{box}#{e}"
        for box, inside in sharing(claims).items()
        for e in {e for c in inside for e in c.corrected}
    }
    shown = {
        f"{box['id']}#{a.text}"
        for box in places.values()
        if box.name == "div" and {"proof", "exercise"} & set(box.get("class", []))
        for a in box.select("p.about a[href^='errata.html']")
    }
    assert shown == corrected
    total = page.select("table.errata-summary tbody tr")[-1].find_all("td")[-1].text
    assert total == str(len(errata))


def test_map_and_statements_say_what_rests_on_what(
    pages: dict[str, BeautifulSoup], places: dict[str, Tag]
) -> None:
    claims, shared, page = boxes(load()), sharing(load()), pages["book/map.html"]

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
        links = statement(places, claim).select("p.about a")
        told = {a["href"].partition("#")[2] for a in links}
        documents = {f"document-{c.document}" for c in shared[name]}
        errors = {e.lower() for c in shared[name] for e in c.corrected}
        assert set(claim.uses) <= told <= set(claim.uses) | documents | errors


def test_each_statement_says_how_it_is_known(
    pages: dict[str, BeautifulSoup], places: dict[str, Tag]
) -> None:
    for name, claim in boxes(load()).items():
        titles = statement(places, claim).select("p.admonition-title .standing")
        words = [word.text for word in titles]
        assert words == [claim.standing] * bool(claim.standing), name
    ledger = pages["book/ledger.html"]
    assert ledger.find(id="standing")
    assert [term.text for term in ledger.select("dl.standings dt")] == list(STANDINGS)


def test_the_page_of_standings_leads_to_every_statement(pages: dict[str, BeautifulSoup]) -> None:
    page, found = pages["book/standing.html"], judged(load())
    assert summary(found) in page.text
    links = {a["href"] for a in page.select("article a.reference")}
    assert {f"{claim.chapter}.html#{claim.box}" for claim in found} <= links
    rows = [(row.find("a")["href"], row.text) for row in page.select("table.known tr:has(a)")]
    for claim in found:
        told = [text for href, text in rows if href == f"{claim.chapter}.html#{claim.box}"]
        assert any(claim.for_all in text for text in told), claim.id


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
    if path.suffix in (".zip", ".whl"):
        with zipfile.ZipFile(path) as archive:
            inside = [archive.read(name).decode(errors="ignore") for name in archive.namelist()]
        text = "\n".join(inside)
    else:
        text = path.read_text(errors="ignore")
    if path.suffix in (".ipynb", ".zip", ".whl"):
        text = re.sub(r'\\"', '"', text.replace("\\n", "\n").replace("\\\\", "\\"))
    if path.suffix == ".html":
        text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return " ".join(text.split())


def test_no_solution_and_no_hidden_test_is_in_the_site(site: Path) -> None:
    hidden = secrets()
    assert len(hidden) > 300
    kinds = {".html", ".ipynb", ".txt", ".md", ".js", ".json", ".zip", ".whl", ".py", ".inv"}
    files = [path for path in site.rglob("*") if path.suffix in kinds]
    for path in files:
        text = readable(path)
        assert not [line for line in hidden if line in text], path
    # The search would find what it looks for.
    line = max(hidden, key=len)
    assert line in " ".join(f"x {line} y".split())
    names_in_site = {path.name for path in files}
    for path in site.rglob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            names_in_site |= {Path(name).name for name in archive.namelist()}
    assert not names_in_site & {"course.py", "judge.py", "coursework_runs.py"}


def test_every_problem_set_can_be_downloaded(site: Path, pages: dict[str, BeautifulSoup]) -> None:
    page = pages["book/coursework/index.html"]
    links = [unquote(a["href"]) for a in page.select("main a.download")]
    files = {Path(link).name: site / urljoin("book/coursework/", link) for link in links}
    assert set(files) == {f"{name}.ipynb" for name in names()} | {"problem_sets.zip"}
    for name in names():
        assert json.loads(files[f"{name}.ipynb"].read_text())["cells"]
    assert page.find(id="how-to-submit") and page.find(id="what-is-marked")


def test_every_page_is_put_together_well(pages: dict[str, BeautifulSoup]) -> None:
    problems = []
    for name, page in pages.items():
        if name == "index.html":  # sends the reader on
            continue
        ids = Counter(element["id"] for element in page.find_all(id=True))
        problems += [f"{name}: {id} is the id of {n} elements" for id, n in ids.items() if n > 1]
        if len(page.find_all("h1")) != 1:
            problems.append(f"{name}: one h1 each, not {page.find_all('h1')}")
        empty = [th for th in page.find_all("th") if not th.get_text(strip=True)]
        if empty:
            problems.append(f"{name}: {len(empty)} headings of tables are empty")
        if page.find(id="ethical-ad-placement"):
            problems.append(f"{name}: a place for advertisements")
    assert not problems, "\n".join(problems)
    titles = Counter(  # a listing is called like the page of the reference that it belongs to
        page.title.text
        for name, page in pages.items()
        if name != "index.html" and not name.startswith("_modules")
    )
    assert max(titles.values()) == 1 and "Privacy and Statistical Risk" in titles


def test_parts_of_the_sidebar_hold_more_than_one_page(pages: dict[str, BeautifulSoup]) -> None:
    captions = pages["book/introduction.html"].select("nav.bd-links p.caption")
    assert captions
    for caption in captions:
        below = caption.find_next("ul").find_all("li", recursive=False)
        assert len(below) > 1, f"a heading for one page: {caption.text}"


def test_copied_code_has_no_prompts(site: Path) -> None:
    script = (site / "_static" / "copybutton.js").read_text()
    assert r"'>>> |\\.\\.\\. ', true" in script


def test_site_is_light(site: Path) -> None:
    # Formulas that are typeset beforehand, as glyphs and as MathML, are nearly half of the pages.
    downloads = {"get", "_downloads", "_sources"}
    files = [path for path in site.rglob("*") if path.is_file()]
    shown = [path for path in files if path.relative_to(site).parts[0] not in downloads]
    assert sum(path.stat().st_size for path in shown) <= 45_000_000
    scripts = list((site / "_static").rglob("*.js"))
    assert scripts and not any("sourceMappingURL" in path.read_text() for path in scripts)


def test_a_rewritten_page_has_few_enough_elements(pages: dict[str, BeautifulSoup]) -> None:
    for name, page in pages.items():
        if name.startswith("book/") and Path(name).stem not in TO_REWRITE and "/api/" not in name:
            count = len(page.find_all(True))
            # Folds and proofs, which a reader can hide, count for the whole page alone.
            folded = sum(
                len(fold.find_all(True))
                for fold in page.select("details")
                if not fold.find_parent("details")
            )
            assert count <= 40_000 and count - folded <= 25_000, (
                f"{name} has {count} elements, {folded} in folds: a phone would be slow on it"
            )
