"""What the site offers to take home, made whenever the site is built.

    get/minimaxdp-X.Y.Z-py3-none-any.whl    the package
    get/minimaxdp-book.zip                  the book with all it is built from
    get/minimaxdp.pdf                       the printed book, if `pdf.py` has made it
    _sources/book/NAME.ipynb                each chapter's notebook, in plain Markdown

Wheel and zip have the same bytes whenever they are made from the same files. The zip is a list of
what goes in, so that nothing of the coursework but the problem sets can slip into it.

The directive `get` writes the lines to type, with the site's address where there is one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import plain
from address import address
from docutils import nodes
from pybtex.database import parse_file
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
FOLDER, PAGE, PDF = "get", "book/get", "minimaxdp.pdf"
ARCHIVE = "minimaxdp-book"
EPOCH = 1_767_225_600  # 2026-01-01: the date of every file in wheel and zip
PACKAGE = ("pyproject.toml", "README.md", "LICENSE", "minimaxdp")
BOOK = (
    *PACKAGE, "LICENSE-TEXT", "CITATION.cff", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md",
    "paper", "requirements.txt", "_config.yml", "_toc.yml", "conftest.py", "book",
)  # fmt: skip
COURSEWORK = Path("book/coursework")
# The marker and the sources of the problem sets answer them; students get the rest.
OPEN_COURSEWORK = ("release", "index.md", "instructor.md")
# What a notebook reads that lies beside it in the book.
BESIDE = {"benchmarks": "benchmarks.json", "results": "gaps.jsonl"}


def version() -> str:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "version"
    ]


def wheel_name() -> str:
    return f"minimaxdp-{version()}-py3-none-any.whl"


def members(names) -> list[Path]:
    """Files of the repository, by their paths in it: those named and those in folders named."""
    found = []
    for name in names:
        path = ROOT / name
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found += [file.relative_to(ROOT) for file in inside if file.is_file()]
    return [path for path in found if offered(path)]


def offered(path: Path) -> bool:
    """Whether a file may be given away: no leftovers of a run, and no answers to the coursework."""
    if path.is_relative_to(COURSEWORK):
        if path.relative_to(COURSEWORK).parts[0] not in OPEN_COURSEWORK:
            return False
    return not any(part.startswith((".", "__pycache__")) for part in path.parts)


def write_wheel(folder: Path) -> Path:
    """Build the wheel out of a copy, so that nothing is left in the tree."""
    with tempfile.TemporaryDirectory() as place:
        for name in members(PACKAGE):
            (Path(place) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, Path(place) / name)
        built = subprocess.run(
            [sys.executable, "-c", "import setuptools.build_meta as b, sys; b.build_wheel(sys.argv[1])"]
            + [str(folder.resolve())],
            cwd=place,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)},
            capture_output=True,
            text=True,
        )  # fmt: skip
    if built.returncode:
        raise ExtensionError(f"the wheel: {built.stderr[-2_000:]}")
    return folder / wheel_name()


def write_zip(folder: Path) -> Path:
    """The book and its package, under one folder."""
    target = folder / f"{ARCHIVE}.zip"
    date = datetime.fromtimestamp(EPOCH, UTC).timetuple()[:6]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in members(BOOK):
            entry = zipfile.ZipInfo(f"{ARCHIVE}/{path.as_posix()}", date)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, (ROOT / path).read_bytes())
    return target


def prepare(app):
    """Make wheel and zip before the pages, which tell their sizes."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    write_wheel(folder)
    write_zip(folder)
    printed = Path(app.outdir).parent / PDF
    if printed.is_file():
        shutil.copyfile(printed, folder / PDF)
    else:
        (folder / PDF).unlink(missing_ok=True)


def first_cell(name: str) -> str:
    """What a downloaded notebook says before anything else."""
    base = address()
    book, page = "*Privacy and Statistical Risk*", "*Get the book*"
    if base:
        book = f"[{book}]({base}book/{name}.html)"
        page = f"[{page}]({base}{PAGE}.html)"
    also = (
        f" It also reads `{BESIDE[name]}`, which lies beside it in the zip of the book."
        if name in BESIDE
        else ""
    )
    return (
        f"This notebook is a page of {book}. To run it, install what it needs, once, with Python 3.11 "
        f"or later:\n\n```sh\n{install_line(base)}\n```\n\n"
        f"The book's page {page} has the file and says more.{also} A run draws the pictures, "
        "which the download leaves out.\n\n---"
    )


def install_line(base: str) -> str:
    """What pip is asked for, with all that the chapters import."""
    if base:
        return f'pip install "minimaxdp[notebooks] @ {base}{FOLDER}/{wheel_name()}"'
    return f'pip install "{wheel_name()}[notebooks]"'


def known(env) -> plain.Book:
    """Labels, titles and sources, as the built pages show them."""
    names, places = {}, {}
    for page, kinds in env.toc_fignumbers.items():
        for kind, labels in kinds.items():
            shown = env.config.numfig_format.get(kind, f"{kind} %s")
            for label, number in labels.items():
                names[label] = shown.replace("%s", ".".join(map(str, number)))
                names[label] = names[label][:1].upper() + names[label][1:]
                places[label] = f"{page}.html#{label}"
    for label, (page, anchor, title) in env.domaindata["std"]["labels"].items():
        names.setdefault(label, title)
        places.setdefault(label, f"{page}.html#{anchor}")
    titles = {
        page.rpartition("/")[2]: t.astext() for page, t in env.titles.items()
    }
    places |= {page.rpartition("/")[2]: f"{page}.html" for page in env.titles}
    places |= {
        page.removeprefix("book/"): f"{page}.html" for page in env.titles
    }
    base = address()
    authors, sources = {}, {}
    for key, entry in parse_file(ROOT / "book/references.bib").entries.items():
        fields = entry.fields
        people = [
            " ".join(person.last_names).replace("{", "").replace("}", "")
            for person in entry.persons.get("author", [])
        ]
        shown = (
            f"{people[0]} et al." if len(people) > 2 else " and ".join(people)
        )
        authors[key] = (shown, fields.get("year", ""))
        about = [
            ", ".join(people),
            fields["title"],
            *map(fields.get, ("journal", "booktitle", "note", "year")),
        ]
        place = (
            f"https://doi.org/{fields['doi']}"
            if "doi" in fields
            else fields.get("url")
        )
        told = ". ".join(filter(None, [*about, place]))
        sources[key] = told.replace("{", "").replace("}", "").replace("--", "–")
    return plain.Book(
        names,
        titles,
        authors,
        sources,
        lambda page: (
            f"{base}{places[page]}" if base and page in places else None
        ),
    )


def write_notebooks(app, exception):
    """Put the plain notebooks where the pages' own download button leads."""
    if exception is not None or app.builder.format != "html":
        return
    book = known(app.env)
    for page in sorted(app.env.found_docs):
        path = Path(app.env.doc2path(page))
        copy = Path(app.outdir) / "_sources" / f"{page}.ipynb"
        if path.suffix == ".ipynb" and copy.parent.is_dir():
            made = plain.notebook(
                json.loads(path.read_text()), book, first_cell(path.stem)
            )
            text = json.dumps(made, indent=1, ensure_ascii=False)
            copy.write_text(text + "\n")


class Get(SphinxDirective):
    """The lines to type for one of the ways to get the book."""

    required_arguments = 1

    def run(self):
        return getattr(self, self.arguments[0])(address())

    def file(self, name: str, words: str) -> nodes.paragraph:
        """A link to a file of the site, with its size."""
        up = "../" * self.env.docname.count("/")
        size = (Path(self.env.app.outdir) / FOLDER / name).stat().st_size
        told = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
        link = nodes.reference(
            "", "", nodes.literal("", name), refuri=f"{up}{FOLDER}/{name}", internal=True
        )  # fmt: skip
        return nodes.paragraph(
            "", "", nodes.Text(words), link, nodes.Text(f" ({told}).")
        )

    def lines(self, *lines: str) -> nodes.literal_block:
        return nodes.literal_block(
            "\n".join(lines), "\n".join(lines), language="sh"
        )

    def notebook(self, base):
        """A chapter on a machine with Python alone."""
        install = f"privacy/bin/{install_line(base)} jupyterlab"
        found = (
            []
            if base
            else [self.file(wheel_name(), "Put beside it the package, ")]
        )
        return [
            *found,
            self.lines(
                "python3 -m venv privacy",
                install,
                "privacy/bin/jupyter lab randomized_response.ipynb",
            ),
        ]

    def package(self, base):
        install = install_line(base).replace("[notebooks]", "")
        return [
            self.file(wheel_name(), "The package is one file, "),
            self.lines(
                "python3 -m venv privacy",
                f"privacy/bin/{install}",
                "privacy/bin/python",
            ),
        ]

    def book(self, base):
        readme = (ROOT / "README.md").read_text()
        command = readme.partition("```sh\n")[2].partition("\n```")[0]
        return [
            self.file(f"{ARCHIVE}.zip", "The zip is "),
            self.lines(
                f"python3 -m zipfile -e {ARCHIVE}.zip .",
                f"cd {ARCHIVE}",
                *command.split(" && "),
            ),
        ]

    def pdf(self, base):
        if (Path(self.env.app.outdir) / FOLDER / PDF).is_file():
            return [self.file(PDF, "To print, or to read on a train: ")]
        return []


def setup(app):
    app.add_directive("get", Get)
    app.connect("builder-inited", prepare)
    # Sizes and the printed book change without the page's own text.
    app.connect("env-get-outdated", lambda *_: [PAGE])
    app.connect("build-finished", write_notebooks)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
