"""What is uploaded to an index: a README that works away from the repository, and one version."""

from __future__ import annotations

import email
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
import release

ROOT = Path(__file__).resolve().parents[1]
BASE = "https://example.org/book/"
README = (ROOT / "README.md").read_text()


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_every_link_of_the_readme_leads_to_the_site_or_is_text() -> None:
    told = release.absolute(README, BASE)
    assert all(link.startswith("https://") for link in links(told))
    on_the_site = [link for link in links(told) if link.startswith(BASE)]
    assert len(on_the_site) > 20
    pages = release.pages()
    for link in on_the_site:
        path = link.removeprefix(BASE)
        picture = path.startswith("_static/") and (ROOT / "book" / path).is_file()
        assert picture or path.removesuffix(".html") in pages, link
    assert "![People needed" in told and f"({BASE}_static/cover.png)" in told
    assert "[Get the book](https://example.org/book/book/get.html)" in told
    # Files that no page shows are named, so that they are found in the source distribution.
    assert "MIT licence (`LICENSE`)" in told and "see CONTRIBUTING.md" in told


def test_without_an_address_no_link_is_broken() -> None:
    told = release.absolute(README, "")
    assert all(link.startswith("https://") for link in links(told)) and "![" not in told
    # Nothing but links is lost.
    plain = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", README)
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain).split()
    left = iter(told.split())
    assert all(any(word.strip(".,;:()") in seen for seen in left) for word in words)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[a](book/laplace.ipynb)", f"[a]({BASE}book/laplace.html)"),
        ("[a](book/coursework/index.md#top)", f"[a]({BASE}book/coursework/index.html)"),
        ("[a](https://x.org/y)", "[a](https://x.org/y)"),
        ("[a](#part)", "[a](#part)"),
        ("[the licence](LICENSE)", "the licence (`LICENSE`)"),
        ("[VISION.md](VISION.md)", "VISION.md"),
        ("![a](book/nothing.png)", ""),
    ],
)
def test_links_are_rewritten_one_by_one(text: str, told: str) -> None:
    assert release.absolute(text, BASE) == told


def test_wheel_and_source_distribution_carry_that_readme(tmp_path: Path) -> None:
    wheel, archive = release.build(tmp_path, BASE)
    with tarfile.open(archive) as file:
        inside = {name.partition("/")[2] for name in file.getnames()}
    assert {"README.md", "paper/paper.md", "tests/test_release.py", "book/index.ipynb"} <= inside
    with zipfile.ZipFile(wheel) as file:
        about = next(name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        told = email.message_from_bytes(file.read(about))
        assert not [name for name in file.namelist() if name.startswith("tests")]
    assert told["Description-Content-Type"] == "text/markdown"
    body = told.get_payload()
    assert all(link.startswith("https://") for link in links(body)) and len(links(body)) > 20


def test_a_release_that_is_not_ready_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "git", lambda *words: " M README.md")
    missing = release.unready("9.9.9")
    assert [what.split()[0] for what in missing[:3]] == [
        "CHANGELOG.md", "CITATION.cff", "minimaxdp/__init__.py",
    ]  # fmt: skip
    assert missing[-1] == "the working tree has changes that are not committed"


def test_the_paper_cites_what_its_list_holds_and_the_list_agrees_with_the_book() -> None:
    text, listed = (ROOT / "paper" / name for name in ("paper.md", "paper.bib"))
    cited = set(re.findall(r"@(\w+)", text.read_text().partition("# Summary")[2]))
    entries = re.findall(r"^@\w+\{(\w+),\n(.*?)^\}$", listed.read_text(), re.MULTILINE | re.DOTALL)
    assert cited == {key for key, _ in entries}
    book = (ROOT / "book" / "references.bib").read_text()
    for key, fields in entries:
        assert f"{{{key}," not in book or fields in book, f"{key} is another in references.bib"
    for part in ("Summary", "Statement of need", "Learning objectives", "State of the field"):
        assert f"\n# {part}\n" in text.read_text()
