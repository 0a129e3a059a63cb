"""What was handed in: a folder as it is, or what Moodle and Canvas give to download.

Nothing that lies there can stop a batch: a file that cannot be a submission becomes a row with the
reason. Symbolic links are never followed, and no name inside an archive is ever used as a path.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import stat
import sys
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from math import ceil
from pathlib import Path

from .batch import Submission, joined, write_whole
from .sets import MOST_BYTES

SYSTEMS = ("moodle", "canvas")
COLLECTED = "collected.csv"
COLUMNS = ["student", "file", "handed_in", "days_late", "note"]
MOST_ENTRIES = 20_000
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
NOTHING = "nothing was handed in"
# Notes on a notebook that was taken.
HARMLESS = NEWEST, FIRST, LATE = "the newest of", "the first of", "late, says the system"
csv.field_size_limit(2**31 - 1)  # a proof may be long, and hold a picture
ONE_DOWNLOAD = timedelta(minutes=10)
FEW_FILES = 3  # or more: of fewer files the times tell nothing
# What the systems put into their archives beside what was handed in.
NOISE = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


def is_id(text: str) -> bool:
    """Whether a text can be an id: letters of any language, digits and . _ - @ + ' only."""
    return (
        0 < len(text) <= 100
        and text[0] not in ".-@+'"
        and all(letter.isalnum() or letter in "._-@+'" for letter in text)
    )


def shown(text: str) -> str:
    """A name as a table can hold it, whatever bytes it was made of."""
    plain = text.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in plain)[:200]


def harmless(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, as any spreadsheet may have saved it."""
    data = path.read_bytes()
    try:
        # What a spreadsheet calls Unicode text is in two bytes a letter, and says so.
        text = data.decode("utf-16" if data[:2] in UTF_16 else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    head = text.partition("\n")[0]
    mark = max(",;\t", key=head.count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=mark)
    return [
        {(key or "").strip(): (value or "").strip() for key, value in row.items() if key}
        for row in rows
    ]


def written(columns: list[str], rows: list[list]) -> str:
    """The text of a CSV file; what came from outside is no formula in it."""
    file = io.StringIO()
    sheet = csv.writer(file, lineterminator="\n")
    sheet.writerow(columns)
    sheet.writerows([[harmless(v) if isinstance(v, str) else v for v in row] for row in rows])
    return file.getvalue()


def read(path: Path) -> bytes:
    """The bytes of an ordinary file; ValueError says why there are none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        link = path.is_symlink()
        raise ValueError(
            "a symbolic link" if link else f"no reading it: {error.strerror}"
        ) from None
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("not an ordinary file")
        if about.st_size > MOST_BYTES:
            raise ValueError(f"the file is larger than {MOST_BYTES} bytes")
        try:
            return file.read(MOST_BYTES + 1)
        except OSError as error:
            raise ValueError(f"no reading it: {error.strerror}") from None


def submissions(folder: Path, name: str) -> tuple[list[Submission], list[tuple[str, str]]]:
    """Read every submission of a set: FOLDER/ID/NAME/NAME.ipynb, FOLDER/ID/NAME.ipynb or
    FOLDER/ID.ipynb; and the files that are none, each with the reason.

    All of them are in memory before the first one runs.
    """
    found: dict[str, list[tuple[float, Submission]]] = {}
    refused: list[tuple[str, str]] = []
    late: dict[str, int] = {}
    told: dict[str, str] = {}
    laid: set[str] = set()  # for whom a notebook was put into the folder
    if (folder / COLLECTED).is_file():
        for row in table(folder / COLLECTED):
            if row["student"]:
                told[row["student"]] = joined(told.get(row["student"], ""), row["note"])
                late[row["student"]] = int(row["days_late"] or 0)
                if row["file"] and not _why(row["note"]):
                    laid.add(row["student"])
            else:
                refused.append((row["file"], row["note"]))
    for entry in sorted(folder.iterdir(), key=lambda path: os.fsencode(path.name)):
        if entry.name.startswith(".") or entry.name == COLLECTED or entry.name in NOISE:
            continue
        plain = unicodedata.normalize("NFC", entry.name)
        folder_of_one = entry.is_dir() and not entry.is_symlink()
        student = plain if folder_of_one else plain.removesuffix(".ipynb")
        if not is_id(student):
            refused.append((shown(plain), "the name is not an id: letters, digits and . _ - @ + '"))
        elif entry.is_symlink():
            refused.append((shown(plain), "a symbolic link"))
        elif not folder_of_one and not plain.endswith(".ipynb"):
            refused.append((shown(plain), "not a notebook"))
        elif folder_of_one and student == name:
            raise ValueError(f"{entry} is a folder of the set and not of a student: name it itself")
        else:
            changed, item = _of_one(entry, student, name, folder_of_one)
            found.setdefault(student, []).append((changed, item))
    lost = sorted(student for student in told if not is_id(student))
    lost += sorted(laid - set(found) - set(lost))
    if lost:
        raise ValueError(
            f"{COLLECTED} does not agree with the folder: nothing lies there for {', '.join(lost)} "
            "(a spreadsheet may have changed ids)"
        )
    for student in set(told) - set(found):
        if is_id(student):
            found[student] = [(0.0, Submission(student, None))]
    items = []
    for student, all_of_one in sorted(found.items()):
        _, item = max(all_of_one, key=lambda pair: (pair[1].data is not None, pair[0]))
        many = "the newest of several files" if len(all_of_one) > 1 else ""
        known = told.get(student, "")
        if item.data is not None and known == NOTHING:
            known = ""  # it came later
        item.note = joined(known, many, item.note)
        item.days_late = late.get(student, 0)
        items.append(item)
    if not items and not refused:
        raise ValueError(f"{folder} holds no submission")
    return items, refused


def _why(note: str) -> str:
    """What of a note on a collected file says why there is no notebook."""
    return joined(*[part for part in note.split("; ") if not part.startswith(HARMLESS)])


def _of_one(entry: Path, student: str, name: str, folder_of_one: bool) -> tuple[float, Submission]:
    """The submission in one place, and when it was changed."""
    path, note = entry, ""
    if folder_of_one:
        inner = entry / name
        if inner.is_symlink():
            return 0.0, Submission(student, None, "a symbolic link")
        exact = [inner / f"{name}.ipynb", entry / f"{name}.ipynb"]
        there = [place for place in exact if os.path.lexists(place)]
        path = max(there, key=lambda place: place.lstat().st_mtime, default=None)
        if len(there) > 1:
            note = "the newest of several files"
        if path is None:
            others = [
                place
                for place in [*entry.glob("*.ipynb"), *inner.glob("*.ipynb")]
                if place.is_file() and not place.name.startswith(".")
            ]
            if not others:
                return 0.0, Submission(student, None, f"no file {name}.ipynb")
            path = max(others, key=lambda place: place.lstat().st_mtime)
            note = f"read from {shown(path.name)}"
    try:
        return path.lstat().st_mtime, Submission(student, read(path), note)
    except (ValueError, OSError) as error:
        return 0.0, Submission(student, None, joined(note, str(error)))


# Downloads of learning-management systems


@dataclass(frozen=True)
class Handed:
    """One file of a download: whose it seems to be, and what is in it."""

    file: str
    name: str
    key: str
    time: datetime | None
    marked_late: bool
    data: bytes | None
    note: str = ""
    upload: int = 0  # which Canvas counts, so that a later file has a larger one


def person(text: str) -> str:
    """A name as it can be compared: one form of each letter, no case, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def squashed(text: str) -> str:
    """A name as Canvas writes it into the name of a file: plain small letters only."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


MOODLE = re.compile(
    r"^(?P<name>.+?)_(?P<key>\d+)_assignsubmission_(file|onlinetext)_?(?P<rest>.*)$"
)
CANVAS = re.compile(r"^(?P<name>[^_]+)_(?P<late>LATE_)?(?P<key>\d+)_(?P<upload>\d+)_.+$")


def parsed(system: str, path: str) -> dict[str, str] | None:
    """Whose file this is, by the way in which the system names it; None if it is another way."""
    found = (MOODLE if system == "moodle" else CANVAS).match(path)
    return found.groupdict() if found else None


def handed_in(system: str, place: Path) -> Iterator[Handed]:
    """Every file of a download, an archive or a folder."""
    for name, data, time, note in _archived(place) if place.is_file() else _lying(place):
        name = unicodedata.normalize("NFC", name)
        base = name.rpartition("/")[2]
        if name.startswith(NOISE) or base in NOISE or base.startswith("._"):
            continue
        whose = parsed(system, name if system == "moodle" else name.rpartition("/")[2])
        if data is not None and not name.endswith(".ipynb"):
            data, note = None, "not a notebook"
        if whose is None:
            note = joined("the name is not as the system makes it", note)
            whose = {"name": "", "key": ""}
        late = bool(whose.get("late"))
        upload = int(whose.get("upload", 0))
        yield Handed(shown(name), whose["name"], whose["key"], time, late, data, note, upload)


def _archived(place: Path) -> Iterator[tuple[str, bytes | None, datetime | None, str]]:
    try:
        archive = zipfile.ZipFile(place)
    except (zipfile.BadZipFile, OSError) as error:
        raise ValueError(f"{place} is not an archive that can be read: {error}") from None
    with archive:
        if len(archive.infolist()) > MOST_ENTRIES:
            raise ValueError(f"{place} holds more than {MOST_ENTRIES} files")
        for entry in archive.infolist():
            if entry.is_dir():
                continue
            name = entry.filename
            if not entry.flag_bits & 0x800:  # no encoding is stated: most often it is UTF-8
                try:
                    name = name.encode("cp437").decode("utf-8")
                except UnicodeError:
                    pass
            try:
                time = datetime(*entry.date_time)
            except ValueError:
                time = None
            data, note = None, ""
            if stat.S_ISLNK(entry.external_attr >> 16):
                note = "a symbolic link"
            elif entry.file_size > MOST_BYTES:
                note = f"the file is larger than {MOST_BYTES} bytes"
            else:
                try:
                    with archive.open(entry) as file:
                        data = file.read(MOST_BYTES + 1)
                except Exception as error:  # torn, encrypted, packed in an unknown way
                    note = f"no reading it: {error}"
            yield name, data, time, note


def _lying(place: Path) -> Iterator[tuple[str, bytes | None, datetime | None, str]]:
    for folder, inner, files in os.walk(place):
        inner.sort()
        links = [name for name in inner if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*files, *links]):
            path = Path(folder, name)
            data, time, note = None, None, ""
            try:
                time = datetime.fromtimestamp(int(path.lstat().st_mtime))
                data = read(path)
            except (ValueError, OSError) as error:
                note = str(error)
            yield path.relative_to(place).as_posix(), data, time, note


IDS = ("sis login id", "id", "username", "id number", "email address")


class Roster:
    """Who is in the class: the ids, and how the system names each person.

    A CSV file with a header: one of your own, or a gradebook or list of participants that the
    system exports. The id is in the first of the columns `IDS` that is there; the name in `name`,
    `Student`, `Full name`, or `First name` and `Last name`; the system's own key in `Identifier`
    (Moodle) or `ID` (Canvas).
    """

    def __init__(self, path: Path, system: str | None = None) -> None:
        self.rows: dict[str, dict[str, str]] = {}
        self.trouble: list[tuple[str, str]] = []
        self.columns: list[str] = []
        self._by: dict[tuple[str, str], set[str]] = {}
        self.ambiguous: set[str] = set()  # whose files may be another's
        for row in table(path):
            self.columns = list(row)
            if _first(row, "student", "name").casefold() == "points possible":
                continue
            student = unicodedata.normalize("NFC", _first(row, *IDS))
            if not student:
                if any(row.values()):
                    self.trouble.append((shown(_name(row)), "no id in the roster"))
            elif not is_id(student):
                self.trouble.append((shown(student), "the id in the roster is not an id"))
            elif student in self.rows:
                self.trouble.append((shown(student), "twice in the roster"))
            else:
                self.rows[student] = row
                self._learn(student, row, system)
        if not self.rows:
            raise ValueError(f"{path} names nobody: it needs a header with a column `id` and rows")

    def _learn(self, student: str, row: dict[str, str], system: str | None) -> None:
        key = re.sub(r"\D", "", row.get("Identifier", "")) if system == "moodle" else ""
        if system == "canvas":
            key = row.get("ID", "")
        name = _name(row)
        first, last = _first(row, "first name"), _first(row, "last name", "surname")
        if "," in name:
            last, _, first = (part.strip() for part in name.partition(","))
        elif not last and " " in name:
            first, _, last = name.rpartition(" ")
        for kind, value in (
            ("key", key),
            ("name", person(name)),
            ("name", person(f"{first} {last}")),
            ("short", squashed(last + first)),
            ("short", squashed(name)),
        ):
            if value:
                self._by.setdefault((kind, value), set()).add(student)

    def whose(self, system: str, handed: Handed) -> tuple[str, str]:
        """The id of who handed a file in, and a note; the id is empty if nobody can be told."""
        kinds = [("key", handed.key), ("name", person(handed.name))]
        for kind, value in [*kinds, ("short", squashed(handed.name))]:
            found = self._by.get((kind, value), set()) if value else set()
            if len(found) == 1:
                return next(iter(found)), ""
            if found:
                self.ambiguous |= found
                return "", f"several in the roster are named {shown(handed.name)}"
        return "", "nobody in the roster is named so"


def _first(row: dict[str, str], *columns: str) -> str:
    lower = {key.casefold(): value for key, value in row.items()}
    return next((lower[name] for name in columns if lower.get(name)), "")


def _name(row: dict[str, str]) -> str:
    whole = _first(row, "name", "full name", "student")
    parts = (_first(row, "first name"), _first(row, "last name", "surname"))
    return whole or " ".join(filter(None, parts))


def collect(
    system: str, place: Path, roster_path: Path, name: str, to: Path, due: datetime | None = None
) -> Path:
    """Sort a download into TO/ID/NAME.ipynb and write TO/collected.csv, a row for every file and
    for everybody in the roster.

    Of several files of one student the newest notebook is taken. Days late are counted from the
    time of the file, begun days as whole ones; not where the times are those of the download.
    """
    if to.exists() and any(to.iterdir()):
        raise ValueError(f"{to} is not empty")
    roster = Roster(roster_path, system)
    rows: list[list] = [["", who, "", "", why] for who, why in roster.trouble]
    by_student: dict[str, list[Handed]] = {student: [] for student in roster.rows}
    files = list(handed_in(system, place))
    if _of_the_download(files, due):
        print(
            "all files bear the time of the download: days late are not counted from it, so enter "
            f"them into {COLLECTED} as the system shows them",
            file=sys.stderr,
        )
        files = [replace(handed, time=None) for handed in files]
    for handed in files:
        student, why = roster.whose(system, handed) if handed.name or handed.key else ("", "")
        if student:
            by_student[student].append(handed)
        else:
            rows.append(["", handed.file, _time(handed), "", joined(why, handed.note)])
    for student, own in by_student.items():
        if not own:
            several = "a file under this name fits several in the roster"
            rows.append([student, "", "", "", several if student in roster.ambiguous else NOTHING])
            continue
        taken = max(own, key=partial(_newest, name))
        late = _days_late(taken, due)
        known = taken.time or taken.upload
        note = joined(
            taken.note,
            f"{NEWEST if known else FIRST} {len(own)} files" if len(own) > 1 else "",
            LATE if taken.marked_late else "",
        )
        if taken.data is not None:
            path = to / student / f"{name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(taken.data)
        rows.append([student, taken.file, _time(taken), late, note])
    write_whole(to / COLLECTED, written(COLUMNS, rows))
    return to / COLLECTED


def _of_the_download(files: list[Handed], due: datetime | None) -> bool:
    """Whether the times of the files are those at which an archive was made: all within minutes,
    or all too late, as nobody's class hands in."""
    times = [handed.time for handed in files if handed.time]
    if len(times) < FEW_FILES:
        return False
    return max(times) - min(times) <= ONE_DOWNLOAD or (due is not None and min(times) > due)


def _newest(name: str, handed: Handed) -> tuple[bool, datetime, int, bool]:
    """What is compared of several files of one student; at last, whether it has the set's name."""
    named = handed.file.rpartition("/")[2].endswith(f"{name}.ipynb")
    return handed.data is not None, handed.time or datetime.min, handed.upload, named


def due_time(text: str) -> datetime:
    """When a set is due, in local time: a date alone means its last second, and a minute too."""
    try:
        day = date.fromisoformat(text)
    except ValueError:  # it has a time as well
        due = datetime.fromisoformat(text)
    else:
        due = datetime(day.year, day.month, day.day, 23, 59)
    if due.tzinfo is not None:
        due = due.astimezone().replace(tzinfo=None)
    return due if due.second else due.replace(second=59)


def _time(handed: Handed) -> str:
    return handed.time.isoformat(" ", "minutes") if handed.time else ""


def _days_late(handed: Handed, due: datetime | None) -> int:
    over = (handed.time - due).total_seconds() if due and handed.time else 0.0
    return max(ceil(over / 86_400), int(handed.marked_late), 0)
