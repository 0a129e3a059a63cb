"""Make what is uploaded to a package index: `dist/` with a wheel and a source distribution.

    MINIMAXDP_SITE_URL=https://example.org/book/ python book/_tools/release.py

Both are made from the committed files in a folder of their own. The README leads to files beside it,
which an index does not have; in the copy every such link leads to the page of the site that shows the
file, and is plain text where the site has none, or where the setting is missing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from address import SETTING, address
from contents import pages
from downloads import version

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#)([^)#\s]+)(#[^)\s]*)?\)")
# Files that the site shows on a page of another name.
SHOWN = {"book/claims.yml": "book/ledger"}
STATIC = "book/_static/"
BUILD = "import setuptools.build_meta as b, sys; getattr(b, sys.argv[1])(sys.argv[2])"


def target(path: str, base: str) -> str | None:
    """Where the site shows a file of the repository; None if it does not."""
    if not base:
        return None
    if path.startswith(STATIC):
        return f"{base}_static/{path.removeprefix(STATIC)}"
    page = SHOWN.get(path, path.rpartition(".")[0])
    return f"{base}{page}.html" if page in pages() else None


def absolute(text: str, base: str) -> str:
    """Markdown whose links lead to the site at `base`, or are text; a picture without one is left out."""

    def led(match: re.Match[str]) -> str:
        picture, name, path, _ = match.groups()
        where = target(path, base)
        if where:
            return f"{picture}[{name}]({where})"
        if picture:
            return ""
        return name if path in name else f"{name} (`{path}`)"

    return LINK.sub(led, text)


def unready(number: str) -> list[str]:
    """What keeps this tree from being released."""
    missing = []
    for name, wanted in {
        "CHANGELOG.md": rf"^## {re.escape(number)} \(\d{{4}}-\d\d-\d\d\)$",
        "CITATION.cff": rf"^version: {re.escape(number)}$",
        "minimaxdp/__init__.py": rf'^__version__ = "{re.escape(number)}"$',
    }.items():
        if not re.search(wanted, (ROOT / name).read_text(), flags=re.MULTILINE):
            missing.append(f"{name} has no line that fits {wanted}")
    if "## Unreleased" in (ROOT / "CHANGELOG.md").read_text():
        missing.append("CHANGELOG.md still has a part named Unreleased")
    if git("status", "--porcelain", "--untracked-files=no"):
        missing.append("the working tree has changes that are not committed")
    return missing


def git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return done.stdout


def build(folder: Path, base: str) -> list[Path]:
    """Wheel and source distribution in the folder, from a copy of the committed files."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for name in git("ls-files").splitlines():
            copy = Path(place) / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy)
        readme = Path(place) / "README.md"
        readme.write_text(absolute(readme.read_text(), base))
        for kind in ("build_sdist", "build_wheel"):
            command = [sys.executable, "-c", BUILD, kind, str(folder.resolve())]
            subprocess.run(command, cwd=place, check=True, capture_output=True)
    return sorted(folder.iterdir())


def main() -> None:
    missing = unready(version())
    if missing:
        sys.exit("not ready: " + "; ".join(missing))
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    for path in build(dist, address()):
        print(path.relative_to(ROOT))
    if not address():
        print(
            f"without {SETTING} the README of the package has neither links nor picture"
        )


if __name__ == "__main__":
    main()
