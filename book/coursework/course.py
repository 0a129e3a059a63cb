"""The course's commands; see the instructor's guide.

python book/coursework/course.py release                   every set, into book/coursework/release
python book/coursework/course.py collect moodle ZIP TO --set SET --roster CSV
python book/coursework/course.py mark SET SUBMISSIONS OUT   into OUT/marks.csv, for a spreadsheet
python book/coursework/course.py marks OUT                  again, with the points of OUT/proofs.csv
python book/coursework/course.py gradebook OUT... --roster CSV --to CSV    all sets in one table
python book/coursework/course.py try SET NOTEBOOK           your own work on a practice set
python book/coursework/course.py new-course FOLDER          sets that count, drawn by a secret
python book/coursework/course.py check FOLDER               its templates, and its sets drawn anew

`release`, `collect` and `mark` take --course FOLDER for the sets of such a folder.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from marking import batch, collecting, course, gradebook, practice, private  # noqa: E402
from marking.wall import NoWall  # noqa: E402


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    whole = argparse.ArgumentParser(description="Release and mark the problem sets of the book.")
    commands = whole.add_subparsers(dest="command", required=True)
    releasing = commands.add_parser("release", help="write the student versions")
    releasing.add_argument("sets", nargs="*", help="the sets, all if none is named")
    releasing.add_argument("--to", type=Path, help="the course's folder `release` if not given")
    sorting = commands.add_parser("collect", help="sort what Moodle or Canvas gives to download")
    sorting.add_argument("system", choices=collecting.SYSTEMS)
    sorting.add_argument("download", type=Path, help="the archive, or the folder it was put into")
    sorting.add_argument("to", type=Path)
    sorting.add_argument("--set", required=True)
    sorting.add_argument("--roster", type=Path, required=True, help="a CSV file; see the guide")
    sorting.add_argument("--due", type=collecting.due_time, help="such as 2026-11-30T23:59")
    marking = commands.add_parser("mark", help="mark a folder of submissions")
    marking.add_argument("set")
    marking.add_argument("submissions", type=Path)
    marking.add_argument("out", type=Path)
    marking.add_argument("--processes", type=int, default=2)
    marking.add_argument("--seed", help="mark again on the same hidden inputs")
    marking.add_argument("--resume", action="store_true", help="go on with a stopped batch")
    marking.add_argument(
        "--only", action="append", default=[], metavar="ID", help="mark this student again"
    )
    marking.add_argument(
        "--unprotected", action="store_true", help="without a wall, with your own rights"
    )
    again = commands.add_parser(
        "marks", help="write the marks again, with the points given for proofs"
    )
    again.add_argument("out", type=Path)
    trying = commands.add_parser("try", help="judge your own work on a practice set")
    trying.add_argument("set", choices=course.names())
    trying.add_argument("notebook", type=Path)
    making = commands.add_parser("new-course", help="make a private course in an empty folder")
    making.add_argument("folder", type=Path)
    checking = commands.add_parser("check", help="check the templates of a private course")
    checking.add_argument("folder", type=Path)
    book = commands.add_parser("gradebook", help="all sets in one table")
    book.add_argument("outs", type=Path, nargs="+", metavar="OUT")
    book.add_argument("--roster", type=Path, required=True)
    book.add_argument("--to", type=Path, required=True)
    book.add_argument("--form", choices=gradebook.FORMS, default="table")
    for command in (releasing, sorting, marking):
        command.add_argument("--course", type=Path, default=course.COURSE)
    return whole


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and run one command."""
    commands = parser()
    given = commands.parse_args(arguments)
    home = given.course.resolve() if "course" in given else course.COURSE
    if given.command in ("collect", "mark") and given.set not in course.names(home):
        commands.error(f"set must be one of {', '.join(course.names(home))}, got {given.set}")
    try:
        run(given, home)
    except (NoWall, ValueError, OSError, SyntaxError, csv.Error) as error:
        sys.exit(f"{given.command}: {error}")


def run(given: argparse.Namespace, home: Path) -> None:
    """Run one command on the sets of a course."""
    if given.command == "release":
        chosen = given.sets or course.names(home)
        for path in course.release(chosen, given.to or home / "release", home):
            print(path)
    elif given.command == "collect":
        where = (given.system, given.download, given.roster, given.set, given.to)
        print(collecting.collect(*where, due=given.due))
    elif given.command == "mark":
        with batch.alone(given.out):
            print(
                course.mark(
                    given.set,
                    given.submissions,
                    given.out.resolve(),
                    course=home,
                    processes=given.processes,
                    seed=given.seed,
                    unprotected=given.unprotected,
                    resume=given.resume,
                    only=tuple(given.only),
                )
            )
    elif given.command == "marks":
        with batch.alone(given.out):
            print(course.write_marks(given.out.resolve()))
    elif given.command == "gradebook":
        print(gradebook.write(given.outs, given.roster, given.to, given.form))
    elif given.command == "try":
        print(practice.report(given.set, given.notebook))
    elif given.command == "new-course":
        for path in private.new_course(given.folder):
            print(path)
    else:
        wrong = private.check_course(given.folder.resolve())
        if wrong:
            sys.exit("\n".join(wrong))
        for path in private.draw_sets(given.folder.resolve()):
            print(path)


if __name__ == "__main__":
    main()
