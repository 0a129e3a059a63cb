"""The table of contents: which pages the book has, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

TOC = Path(__file__).resolve().parents[2] / "_toc.yml"


def listed(entries: Iterable[dict]) -> Iterator[str]:
    """The pages of these entries and of the sections below them."""
    for entry in entries:
        yield entry["file"]
        yield from listed(entry.get("sections", []))


def pages(numbered: bool = False) -> list[str]:
    """Every page by the path of its source, without the end; or the numbered chapters alone."""
    contents = yaml.safe_load(TOC.read_text())
    parts = [p for p in contents["parts"] if p.get("numbered") or not numbered]
    root = [] if numbered else [contents["root"]]
    return root + [page for part in parts for page in listed(part["chapters"])]
