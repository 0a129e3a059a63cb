"""The course's commands; see the instructor's guide.

python book/coursework/course.py release                  every set, into book/coursework/release
python book/coursework/course.py mark SET SUBMISSIONS OUT  into OUT/marks.csv, for a spreadsheet
python book/coursework/course.py marks OUT                 again, with the points of OUT/proofs.csv
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from marking import course  # noqa: E402


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and run one command."""
    parser = argparse.ArgumentParser(description="Release and mark the problem sets of the book.")
    commands = parser.add_subparsers(dest="command", required=True)
    releasing = commands.add_parser("release", help="write the student versions")
    releasing.add_argument("sets", nargs="*", help="the sets, all if none is named")
    releasing.add_argument("--to", type=Path, default=course.COURSE / "release")
    marking = commands.add_parser("mark", help="mark a folder of submissions")
    marking.add_argument("set", choices=course.names())
    marking.add_argument("submissions", type=Path)
    marking.add_argument("out", type=Path)
    marking.add_argument("--processes", type=int, default=2)
    marking.add_argument("--seed", help="mark again on the same hidden inputs")
    again = commands.add_parser(
        "marks", help="write the marks again, with the points given for proofs"
    )
    again.add_argument("out", type=Path)
    given = parser.parse_args(arguments)
    if given.command == "release":
        for path in course.release(given.sets or course.names(), given.to):
            print(path)
    elif given.command == "mark":
        out = given.out.resolve()
        print(
            course.mark(
                given.set, given.submissions, out, processes=given.processes, seed=given.seed
            )
        )
    else:
        print(course.write_marks(given.out.resolve()))


if __name__ == "__main__":
    main()
