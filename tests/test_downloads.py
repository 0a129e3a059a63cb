"""What the site offers to take home: the wheel, the zip, plain notebooks, and the lines to type."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import downloads
import plain
import pytest
from address import SETTING
from bs4 import BeautifulSoup
from notebooks import BOOK, chapters

ROOT = BOOK.parent


def test_wheel_is_the_package_and_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made.append(downloads.write_wheel(tmp_path / name))
    assert made[0].read_bytes() == made[1].read_bytes()
    with zipfile.ZipFile(made[0]) as wheel:
        inside = wheel.namelist()
        (about,) = [name for name in inside if name.endswith("METADATA")]
        told = wheel.read(about).decode()
    assert {"minimaxdp/py.typed", "minimaxdp/laplace/__init__.py"} <= set(inside)
    assert {Path(name).parts[0].partition("-")[0] for name in inside} == {"minimaxdp"}
    assert "Provides-Extra: notebooks" in told and f"Version: {downloads.version()}" in told
    assert not (ROOT / "build").exists()


def test_zip_is_the_repository_without_tests_and_answers(tmp_path: Path) -> None:
    first = downloads.write_zip(tmp_path).read_bytes()
    assert downloads.write_zip(tmp_path).read_bytes() == first
    with zipfile.ZipFile(tmp_path / "minimaxdp-book.zip") as archive:
        names = {name.removeprefix("minimaxdp-book/") for name in archive.namelist()}
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    left_out = set(listed) - names
    answers = ("course.py", "marking", "order.txt", "requirements", "ruff.toml", "source")
    answers += ("templates", "wrong")
    for name in left_out:
        assert name.startswith(
            (".", "tests/", "MANIFEST.in", "VISION.md", "book/_static/.")
            + tuple(f"book/coursework/{part}" for part in answers)
        ), f"the zip lacks {name}: add it to BOOK in book/_tools/downloads.py"
    coursework = {name for name in names if name.startswith("book/coursework/")}
    assert "book/coursework/release/problem_sets.zip" in coursework
    assert all(re.match(r"book/coursework/(release/|\w+\.md$)", name) for name in coursework)


BOOKLET = plain.Book(
    names={"thm": "Theorem 2.1", "fig-a": "Fig. 1", "ex": "Exercise 3", "part": "Part two"},
    titles={"ledger": "Ledger"},
    authors={"warner": ("Warner", "1965"), "two": ("A and B", "2013")},
)


@pytest.mark.parametrize(
    ("myst", "shown"),
    [
        ("costs {glue:text}`price` times", "costs 22 times"),
        ("by {prf:ref}`thm` ({numref}`fig-a`)", "by Theorem 2.1 (Fig. 1)"),
        ("{cite:t}`two`, {cite}`warner,two`", "A and B (2013), (Warner, 1965; A and B, 2013)"),
        ("a {term}`budget` and {term}`noises <noise>`", "a budget and noises"),
        ("see {doc}`/book/ledger` and {ref}`part`", "see Ledger and Part two"),
        ("[Start](laplace.ipynb){.start} here", "[Start](laplace.ipynb) here"),
        ("[ledger](ledger.md), [next](laplace.ipynb)", "ledger, [next](laplace.ipynb)"),
        ("`{term}` of $f(x)$ and {term}`a`, {term}`b`", "`{term}` of $f(x)$ and a, b"),
        ("```{prf:theorem} A $k$\n:label: thm\n\nx\n```", "**Theorem 2.1 (A $k$).**\n\nx"),
        ("```{prf:proof}\n:class: folded\nx\n```", "*Proof.*\n\nx\n\n∎"),
        ("````{note} N\n```{math}\nx\n```\n````", "**N.**\n\n$$\nx\n$$"),
        ("````{solution-start} ex\n:class: d\n````\n\nx", "**Solution to Exercise 3.**\n\nx"),
        ("(label)=\n## Head\n\n% said\n\n$$x$$ (eq)", "## Head\n\n$$x$$"),
        ("word\n: what it is", "- **word**: what it is"),
        ("```{list-table}\n:header-rows: 1\n* - a\n  - b\n* - 1\n  - 2\n```",
         "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("```python\nx = '{term}`a`'\n```", "```python\nx = '{term}`a`'\n```"),
    ],
)  # fmt: skip
def test_myst_becomes_what_the_page_shows(myst: str, shown: str) -> None:
    assert plain.Prose(BOOKLET, {"price": "22"}).cell(myst) == shown


def prose(notebook: dict) -> str:
    cells = notebook["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.stem)
def test_downloaded_notebook_is_plain_and_says_what_to_install(site: Path, path: Path) -> None:
    copy = json.loads((site / "_sources" / "book" / path.name).read_text())
    committed = json.loads(path.read_text())
    text = prose(copy)
    raw = re.findall(r"\{[\w:.+-]+\}`|^[`:]{3,}\{.*|^:\w+:|^\(\S+\)=|\{\{", text, re.M)
    assert not raw, f"teach book/_tools/plain.py to write {raw[0]!r} in plain Markdown"
    assert f'pip install "{downloads.wheel_name()}[notebooks]"' in copy["cells"][0]["source"]
    code = [
        [c["source"] for c in n["cells"] if c["cell_type"] == "code"] for n in (copy, committed)
    ]
    assert code[0] == code[1]


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.stem)
def test_notebook_needs_what_the_lines_install_and_nothing_beside(path: Path) -> None:
    cells = json.loads(path.read_text())["cells"]
    source = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    asked = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            asked |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            asked.add((node.module or "").partition(".")[0])
    known = {"minimaxdp", "numpy", "scipy", "matplotlib", "sympy", "pandas"}
    known |= {"myst_nb", "statsmodels", "IPython"}
    unknown = asked - known - set(sys.stdlib_module_names)
    assert not unknown, f"add {unknown} to the extra `notebooks` of pyproject.toml, and here"
    read = set(re.findall(r"Path\(\s*\"([^\"]+)\"", source))
    assert read <= {downloads.BESIDE.get(path.stem)}, f"name {read} under BESIDE in downloads.py"


def test_page_says_what_to_type_and_its_files_are_there(site: Path) -> None:
    page = BeautifulSoup((site / "book" / "get.html").read_text(), "html.parser")
    links = {link["href"] for link in page.select("main a[href^='../get/']")}
    assert links == {f"../get/{downloads.wheel_name()}", "../get/minimaxdp-book.zip"}
    typed = [block.get_text() for block in page.select("main pre")]
    assert len(typed) == 3 and not any("://" in lines for lines in typed)
    assert f'install "{downloads.wheel_name()}[notebooks]" jupyterlab' in typed[0]
    readme = (ROOT / "README.md").read_text()
    assert "".join(typed[2].split("\n", 2)[2]).strip().replace("\n", " && ") in readme


CONF = """
project = html_title = "A book"
root_doc = "book/index"
extensions = ["sphinxext.opengraph", "address"]
ogp_image = "_static/cover.png"
ogp_social_cards = {"enable": False}
"""


@pytest.mark.parametrize("address", ["", "https://example.org/dp"])
def test_addresses_stand_on_the_pages_only_if_the_site_has_one(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "conf.py").write_text(CONF)
    (tmp_path / "book" / "index.rst").write_text("A book\n======\n\nAbout privacy.\n")
    monkeypatch.setenv(SETTING, address)
    monkeypatch.setenv("PYTHONPATH", str(BOOK / "_tools"))
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", str(tmp_path), str(tmp_path / "html")],
        check=True,
        capture_output=True,
    )
    page = BeautifulSoup((tmp_path / "html/book/index.html").read_text(), "html.parser")
    root = BeautifulSoup((tmp_path / "html/index.html").read_text(), "html.parser")
    assert root.html["lang"] == "en" and root.title.text == "A book"
    assert root.select_one("a[href='book/index.html']")
    told = {
        tag.get("property") or tag["name"]: tag["content"]
        for tag in page.select("meta[property^='og:'], meta[name^='twitter:']")
    }
    canonical = [link["href"] for link in page.select("link[rel=canonical]")]
    made = {name for name in ("404.html", "sitemap.xml", "robots.txt")
            if (tmp_path / "html" / name).exists()}  # fmt: skip
    if not address:
        assert not made and not canonical and set(told) == {
            "og:title", "og:type", "og:site_name", "og:description"
        }  # fmt: skip
        return
    here = "https://example.org/dp/book/index.html"
    assert canonical == [here] == [told["og:url"]]
    assert told["og:image"] == told["twitter:image"] == "https://example.org/dp/_static/cover.png"
    assert made == {"404.html", "sitemap.xml", "robots.txt"}
    assert f"<loc>{here}</loc>" in (tmp_path / "html/sitemap.xml").read_text()
    assert (
        "Sitemap: https://example.org/dp/sitemap.xml" in (tmp_path / "html/robots.txt").read_text()
    )
    lost = BeautifulSoup((tmp_path / "html/404.html").read_text(), "html.parser")
    assert lost.html["lang"] == "en" and lost.title.text
    # A host shows it for any address, so that a relative link would lead astray.
    assert all(a["href"].startswith("https://example.org/dp/") for a in lost.select("a"))


def test_lines_lead_to_the_site_where_it_has_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "https://example.org/dp")
    wheel = f"https://example.org/dp/get/{downloads.wheel_name()}"
    said = downloads.first_cell("benchmarks")
    assert f'pip install "minimaxdp[notebooks] @ {wheel}"' in said
    assert "(https://example.org/dp/book/get.html)" in said and "benchmarks.json" in said
    monkeypatch.delenv(SETTING)
    assert "://" not in downloads.first_cell("laplace")


def test_an_address_without_a_scheme_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "example.org")
    with pytest.raises(Exception, match=r"must begin with https://"):
        downloads.address()
