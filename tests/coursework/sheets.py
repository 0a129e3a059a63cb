"""Tables as the marker writes them and as a person fills them in."""

from __future__ import annotations

import csv
from pathlib import Path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def by_student(path: Path) -> dict[str, dict[str, str]]:
    """The rows with a student, by the student."""
    return {row["student"]: row for row in rows(path) if row["student"]}


def write(path: Path, lines: list[dict[str, str]]) -> None:
    """The same columns, as a spreadsheet saves them."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)
