"""Change the package in one place at a time, and see whether a test notices.

``python tests/mutation.py --sample 200 --seed 1 --jobs 2 --out mutants.jsonl`` runs the suite once
to see which tests reach which lines, draws places of the package at random, changes each in a copy
of the package, and runs the tests that reach it, the quickest first, and between them those that
ask whether a public callable says something else; then what is left of its module's, and chapters.
What survives is printed; the score is the share of changes that some test noticed. A run that was
stopped goes on from its file and from the folder beside it, which tells what the tests reach.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from queue import SimpleQueue

import reach
from equivalent_mutants import EQUIVALENT
from reach import PACKAGE, ROOT, Reach

MEMORY = 8 * 2**30  # bytes of address space for the tests of one mutant
PATIENCE = 5  # times what the tests take of the package as it is, before a mutant counts as killed
OPTIONS = ("--doctest-modules", "-p", "no:nbval")
NOTEBOOK = ("--nbval", "--nbval-current-env")
MOST_CHAPTERS = 4  # that a mutant meets
RECORDED = "tests/test_recorded.py::test_it_says_what_it_said"  # of one argument moved, or two
FUZZ = "tests/test_fuzz.py::"
QUICK, SLOW = 20, 240  # seconds of tests that reach a line: at first, and if these pass

OPERATORS: dict[type[ast.AST], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-", "*")),
    ast.Sub: ("-", ("+", "*")),
    ast.Mult: ("*", ("/", "+")),
    ast.Div: ("/", ("*", "-")),
    ast.FloorDiv: ("//", ("/", "*")),
    ast.Mod: ("%", ("//", "*")),
    ast.Pow: ("**", ("*", "/")),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
    ast.BitXor: ("^", ("|", "&")),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
    ast.Lt: ("<", ("<=", ">")),
    ast.LtE: ("<=", ("<", ">=")),
    ast.Gt: (">", (">=", "<")),
    ast.GtE: (">=", (">", "<=")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
    ast.And: ("and", ("or",)),
    ast.Or: ("or", ("and",)),
}

# Functions for which a slip of the pen, or of the mind, writes another.
NAMES = {
    "all": "any",
    "any": "all",
    "argmax": "argmin",
    "argmin": "argmax",
    "cdf": "sf",
    "ceil": "floor",
    "comb": "perm",
    "cos": "sin",
    "cosh": "sinh",
    "cumprod": "cumsum",
    "cumsum": "cumprod",
    "exp": "expm1",
    "expm1": "exp",
    "floor": "ceil",
    "isf": "ppf",
    "log": "log1p",
    "log1p": "log",
    "log2": "log",
    "logaddexp": "maximum",
    "logsf": "logcdf",
    "logcdf": "logsf",
    "max": "min",
    "maximum": "minimum",
    "mean": "sum",
    "min": "max",
    "minimum": "maximum",
    "ones": "zeros",
    "ppf": "isf",
    "prod": "sum",
    "round": "floor",
    "sf": "cdf",
    "sin": "cos",
    "sinh": "tanh",
    "sqrt": "square",
    "square": "sqrt",
    "std": "var",
    "sum": "mean",
    "tanh": "sinh",
    "var": "std",
    "zeros": "ones",
}
# As plain names only these exist without an import.
BUILTINS = {"all", "any", "max", "min"}


@dataclass(frozen=True)
class Place:
    """A span of a file, in bytes, and what may stand there instead."""

    file: str  # below the package
    line: int
    start: int
    end: int
    kind: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Mutant:
    """One change."""

    file: str
    line: int
    start: int
    end: int
    kind: str
    new: str
    before: str  # the line, without its indentation
    after: str

    def apply(self, source: str) -> str:
        text = source.encode()
        return (text[: self.start] + self.new.encode() + text[self.end :]).decode()

    @property
    def reason(self) -> str:
        """Why the change is none; empty if it is one."""
        for file, before, after, reason in EQUIVALENT:
            if (file, before, after) == (self.file, self.before, self.after):
                return reason
        return ""


# --- where a file can be changed ----------------------------------------------------------------


class _Finder(ast.NodeVisitor):
    def __init__(self, file: str, source: str) -> None:
        self.file = file
        self.text = source.encode()
        self.blank = _without_comments(source).encode()
        self.starts = [0]
        for line in self.text.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.places: list[Place] = []
        self.depth = 0  # of functions
        self.default = False

    def span(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def add(self, start: int, end: int, kind: str, *choices: str) -> None:
        line = self.text.count(b"\n", 0, start) + 1
        self.places.append(Place(self.file, line, start, end, kind, choices))

    def between(self, left: ast.expr, right: ast.expr, operator: ast.AST, kind: str) -> None:
        """An operator, which has no place of its own in the tree."""
        if type(operator) not in OPERATORS:
            return
        sign, choices = OPERATORS[type(operator)]
        start, end = self.span(left)[1], self.span(right)[0]
        pattern = re.escape(sign) if not sign[0].isalpha() else rf"\b{sign.replace(' ', '[ ]+')}\b"
        found = re.search(pattern.encode(), self.blank[start:end])
        assert found, (self.file, left.lineno, sign)
        self.add(start + found.start(), start + found.end(), kind, *choices)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        # Outside of functions | joins types.
        if self.depth or not isinstance(node.op, ast.BitOr):
            self.between(node.left, node.right, node.op, "operator")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.between(node.target, node.value, node.op, "operator")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for left, right, operator in zip(sides, sides[1:], node.ops, strict=False):
            self.between(left, right, operator, "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between(left, right, node.op, "and/or")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        start, end = self.span(node)[0], self.span(node.operand)[0]
        signs = {ast.USub: ("-", "sign"), ast.Not: ("not", "not")}
        if type(node.op) in signs:
            sign, kind = signs[type(node.op)]
            assert self.text[start:end].startswith(sign.encode())
            self.add(start, start + len(sign), kind, "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value, kind = node.value, "default" if self.default else "constant"
        if isinstance(value, bool):
            self.add(*self.span(node), kind, str(not value))
        elif isinstance(value, int | float):
            others = dict.fromkeys(f"{other!r}" for other in (value + 1, 2 * value, 0 * value))
            choices = [other for other in others if other != repr(value) and other != "inf"]
            self.add(*self.span(node), kind, *choices)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "TypeVar":
            return  # of which only the check of types knows
        function, end = node.func, self.span(node.func)[1]
        if isinstance(function, ast.Attribute) and function.attr in NAMES:
            self.add(end - len(function.attr), end, "name", NAMES[function.attr])
        elif isinstance(function, ast.Name) and function.id in BUILTINS:
            self.add(end - len(function.id), end, "name", NAMES[function.id])
        for keyword in node.keywords:
            if keyword.arg is not None:
                start, end = self.span(keyword)
                comma = re.match(rb"\s*,", self.blank[end:])
                self.add(start, end + (comma.end() if comma else 0), "keyword", "")
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Defaults and the body; decorators and annotations change nothing that is computed."""
        self.default = True
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        self.default = False
        self.depth += 1
        for statement in node.body:
            self.visit(statement)
        self.depth -= 1

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(isinstance(name, ast.Name) and name.id == "__all__" for name in node.targets):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Nothing: what is raised is a message."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Nothing: a text."""


def _without_comments(source: str) -> str:
    """The source with each comment replaced by as many blanks (as bytes)."""
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            line = lines[row - 1]
            blanks = " " * len(token.string.encode())
            lines[row - 1] = line[:column] + blanks + line[column + len(token.string) :]
    return "".join(lines)


def places(file: str, source: str) -> list[Place]:
    """All places where a file can be changed."""
    finder = _Finder(file, source)
    finder.visit(ast.parse(source))
    return sorted(finder.places, key=lambda place: (place.start, place.kind))


def mutants(place: Place, source: str) -> Iterator[Mutant]:
    """The changes at a place, as far as they make another program, and one that compiles."""
    tree = _tree(source)
    for new in place.choices:
        mutant = Mutant(place.file, place.line, place.start, place.end, place.kind, new, "", "")
        changed = mutant.apply(source)
        try:
            other = _tree(changed)
        except SyntaxError:
            continue
        if other != tree:
            before, after = (
                text.splitlines()[place.line - 1].strip() for text in (source, changed)
            )
            yield Mutant(**asdict(mutant) | {"before": before, "after": after})


@lru_cache(maxsize=256)
def _tree(source: str) -> str:
    return ast.dump(ast.parse(source))


def draw(sample: int, seed: int, only: str = "") -> list[Mutant]:
    """Places of the package, each as likely as any other, and a change at each."""
    sources = {
        path.relative_to(PACKAGE).as_posix(): path.read_text()
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    found = [
        place
        for file, source in sources.items()
        if file.startswith(only)
        for place in places(file, source)
    ]
    rng = random.Random(seed)
    rng.shuffle(found)
    drawn: list[Mutant] = []
    for place in found:
        if len(drawn) == sample:
            break
        choices = list(mutants(place, sources[place.file]))
        if choices:
            drawn.append(rng.choice(choices))
    return drawn


# --- which tests -------------------------------------------------------------------------------


def module_of(file: str) -> str:
    """The public module, or the check, that a file belongs to."""
    return Path(file).parts[0].removesuffix(".py")


def near(file: str, tests: Iterable[str]) -> list[str]:
    """Of the tests those named after a file's module, its doctests, and its bad values, which run
    in a process of their own, unmeasured."""
    module = module_of(file)
    stem = re.escape(module.removeprefix("_"))
    named = re.compile(
        rf"minimaxdp/{re.escape(module)}(\.py|/)|tests/test_{stem}(_\w+)?\.py::"
        rf"|tests/test_fuzz\.py::\w+\[{stem}\]$"
    )
    return [test for test in tests if named.match(test)]


@lru_cache
def chapters(module: str) -> list[str]:
    """Notebooks that use a module, its own first: their printed outputs are tests as well."""
    used = re.compile(rf"minimaxdp\.{module}\b|\b{module} as\b|\b{module}\.(?!ipynb|html|md)\w")
    found = [path for path in ROOT.glob("book/*.ipynb") if used.search(path.read_text())]
    return [str(path) for path in sorted(found, key=lambda path: (path.stem != module, path.stem))]


def placed(test: str) -> str:
    """Where a copy of the package finds a test: its doctests in itself, the others here."""
    return test if test.startswith("minimaxdp/") else str(ROOT / test)


# --- running them ------------------------------------------------------------------------------


class Copy:
    """A copy of the package, in which one file at a time is changed."""

    _clock = count(1_000_000_000)  # no two versions of a file look alike to the cache of bytecode

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, folder / "minimaxdp", ignore=ignored)

    def write(self, file: str, source: str) -> None:
        path = self.folder / "minimaxdp" / file
        path.write_text(source)
        stamp = next(self._clock)
        os.utime(path, (stamp, stamp))

    def run(self, tests: list[str], limit: float, *options: str) -> tuple[int, str]:
        """What pytest returns, and says; -9 if it is not done in time."""
        environment = os.environ | {
            "PYTHONPATH": str(self.folder),
            "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode"),
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        # Nothing is read from another cache, so that each run would compile all of scipy again.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "--no-header"]
        command += ["--assert=plain"]  # what fails is told by its name
        command += ["-p", "no:cacheprovider", "-o", "addopts="]
        command += [f"--rootdir={ROOT}", "-c", str(ROOT / "pyproject.toml"), "-p", "minimaxdp"]
        listed = self.folder / "tests.txt"  # too many for a command
        listed.write_text("\n".join(tests))
        process = subprocess.Popen(
            [*command, *options, f"@{listed}"],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        try:
            out, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return -9, f"not done after {limit:.0f} s"
        finally:
            with suppress(ProcessLookupError):  # with what a mutant may have started
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        told = [line for line in out.splitlines() if line.startswith(("FAILED", "ERROR"))]
        told = told or out.splitlines()[-1:]
        return process.returncode, told[0][:200] if told else ""


class Runner:
    """Copies of the package for so many mutants at once."""

    def __init__(self, folder: Path, jobs: int, reached: Reach) -> None:
        self.copies: SimpleQueue[Copy] = SimpleQueue()
        for i in range(jobs):
            self.copies.put(Copy(folder / str(i)))
        self.reached = reached

    def check(self) -> None:
        """Every test is found by its name: what is not found must not count as a failure. And a
        copy that cannot be imported fails each of them."""
        copy = self.copies.get()
        known = [*map(placed, self.reached.names)]
        code, told = copy.run(known, 1_800, *OPTIONS, "--collect-only", "-qq")
        if code:
            raise RuntimeError(f"not every test is found by its name: {told}")
        first = {test.partition("::")[0]: test for test in near("risk.py", self.reached.seconds)}
        some = [([placed(test)], OPTIONS) for test in first.values()]
        some.append((chapters("risk")[:1], NOTEBOOK))
        for broken in (False, True):
            if broken:
                copy.write("risk.py", "raise ImportError")
            for tests, options in some:
                code, told = copy.run(tests, 600, *options)
                if broken == (code == 0):
                    raise RuntimeError(f"{tests} with a copy {broken=} end with {code}: {told}")
        copy.write("risk.py", (PACKAGE / "risk.py").read_text())
        self.copies.put(copy)

    def stages(self, file: str, line: int) -> Iterator[tuple[list[str], float, tuple[str, ...]]]:
        """Tests to run one after the other, how long they may take, and options of pytest."""
        found = self.reached.tests(file, line)
        kept = [test for test in found if test.startswith(RECORDED)]
        found = [test for test in found if test not in kept]
        quick = self.reached.within(found, QUICK)
        slow = self.reached.within(found[len(quick) :], SLOW)
        left = sorted(self.reached.seconds.keys() - {*kept, *quick, *slow})
        if found:  # what does not reach a line notices it only in a process that is not measured
            left = [test for test in left if test in found or test.startswith(FUZZ)]
        others = near(file, left)
        for tests in (quick, kept, slow, others):
            if tests:
                yield [*map(placed, tests)], 30 + PATIENCE * self.reached.time(tests), OPTIONS
        for page in chapters(module_of(file))[:MOST_CHAPTERS]:
            yield [page], 300, NOTEBOOK

    def judge(self, mutant: Mutant) -> dict[str, object]:
        """Run the tests of a mutant: what a line of the output holds."""
        copy = self.copies.get()
        source = (PACKAGE / mutant.file).read_text()
        start = time.perf_counter()
        status, by = "survived", ""
        try:
            for tests, limit, options in self.stages(mutant.file, mutant.line):
                copy.write(mutant.file, mutant.apply(source))
                try:
                    code, told = copy.run(tests, limit, *options)
                finally:
                    copy.write(mutant.file, source)
                if code:
                    status, by = "killed", told
                    break
        finally:
            self.copies.put(copy)
        seconds = round(time.perf_counter() - start, 1)
        return asdict(mutant) | {"status": status, "by": by, "seconds": seconds}


def shown(mutant: Mutant) -> str:
    """A change as a diff of its line."""
    lines = difflib.ndiff([mutant.before], [mutant.after])
    marked = "\n".join(f"    {line.rstrip()}" for line in lines if not line.startswith("?"))
    return f"minimaxdp/{mutant.file}:{mutant.line} ({mutant.kind})\n{marked}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200, help="how many changes")
    parser.add_argument("--seed", type=int, help="of the sample; a new one if none is given")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--only", default="", help="files below minimaxdp that begin so")
    parser.add_argument("--out", type=Path, help="a file of JSON lines, taken up if it is there")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    head = {"seed": seed, "sample": options.sample, "only": options.only}
    lines: list[str] = []
    if options.out and options.out.exists():
        lines = [line for line in options.out.read_text().splitlines() if line.endswith("}")]
    if lines:
        old = json.loads(lines.pop(0))
        if options.seed is not None and old != head:
            parser.error(f"{options.out} holds another sample: {old}")
        head = old
    drawn = draw(head["sample"], head["seed"], head["only"])
    fields = Mutant.__dataclass_fields__
    results = [json.loads(line) for line in lines]
    done = {Mutant(**{name: result[name] for name in fields}) for result in results}
    if done - set(drawn):
        parser.error(f"{options.out} is of another version of the package")
    print(f"seed {head['seed']}: {len(drawn)} mutants, {len(done)} of them done", flush=True)
    out = options.out.open("w") if options.out else None

    def note(result: dict[str, object]) -> None:
        if out:
            out.write(json.dumps(result) + "\n")
            out.flush()

    for record in (head, *results):
        note(record)
    left = [mutant for mutant in drawn if mutant not in done and not mutant.reason]
    with (
        tempfile.TemporaryDirectory(prefix="mutation-") as folder,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        reached = options.out.with_suffix(".reach") if options.out else Path(folder) / "reach"
        if not (reached / "seconds.json").exists():
            reach.measure(reached)
        runner = Runner(Path(folder), options.jobs, reach.read(reached))
        try:
            runner.check()
            for number, result in enumerate(pool.map(runner.judge, left), len(done) + 1):
                results.append(result)
                note(result)
                print(number, result["status"], f"{result['seconds']} s", flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    killed = sum(result["status"] == "killed" for result in results)
    survived = [
        Mutant(**{name: result[name] for name in fields})
        for result in results
        if result["status"] == "survived"
    ]
    survived = [mutant for mutant in survived if not mutant.reason]
    for mutant in sorted(survived, key=lambda mutant: (mutant.file, mutant.line)):
        print(shown(mutant))
    equivalent = sum(bool(mutant.reason) for mutant in drawn)
    print(
        f"killed {killed} of {killed + len(survived)}: "
        f"{killed / max(1, killed + len(survived)):.1%}; {equivalent} equivalent"
    )


if __name__ == "__main__":
    main()
