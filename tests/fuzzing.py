"""Bad values for every parameter of the public face, which is discovered and never listed.

The calls that work are those of the examples in the docstrings: they are run once under a
profiler, which notes the arguments that each public callable received. Then one argument at a time
is replaced by each of the bad values. What may come out is an error of the package's own that names
the parameter, or a value without NaN, and without an infinity that the docstring does not mention.

All of this happens in a process of its own, because a bad value can hang inside compiled code, eat
the memory or start processes. ``python tests/fuzzing.py laplace channels`` prints the failures.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import doctest
import gc
import importlib
import inspect
import io
import json
import math
import numbers
import os
import pkgutil
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, groupby, islice
from opcode import opmap
from pathlib import Path
from typing import Any

# The package that is imported here, which may be a copy.
PACKAGE = Path(importlib.import_module("minimaxdp").__path__[0])

# Of what runs around a function whose arguments broadcast.
WRAPPER = importlib.import_module("minimaxdp._validate").broadcasting(print).__code__

# Of processor time for one call, or twenty times what the example takes: beyond, a guard on the
# size is missing.
SECONDS = 2.0
SILENCE = 60.0  # seconds after which a call is hanging where no signal reaches it
GROWTH = 6 * 2**30  # bytes of address space beyond what the process holds after its imports
SLOW = 0.1  # seconds; a call that takes longer sees only some of the bad values
FEW = 8  # how many
CHEAP = 0.001  # seconds; only a call that takes less sees the large arrays, and
BRIEF = 0.1  # seconds of processor time are enough to see whether one of them exhausts the memory
INTEGERS = "forty thousand integers"
KEPT = 4  # recorded calls of one callable, among which the cheapest is taken
FURTHER = 60  # of those that examples make which stand elsewhere
LATE = "not done after"
SHOWN = 12  # values of one kind in a table
# Ends at which two numbers meet: each is in the range of many arguments.
REAL_ENDS = (0.0, 1e-20, 1.0, 700.0, 1e20)
INTEGER_ENDS = (0, 1, 2, 1_000, 10**6)
MEETINGS = 100  # of two arguments of a callable, at most, and
MEETING = 1.5  # seconds of what the example takes, together
ENOUGH = 0.3  # seconds of processor time for one of them, and three times what the example takes
PROCESSES = 64  # nobody has more cores on one machine; a larger number should be refused

# Operators that a reader uses by their sign and not by their name.
OPERATORS = ("__call__", "__contains__")

# (callable, parameter): why bad values for it are not this package's to refuse.
EXCLUDED = {
    ("book.plots.loglog", "line"): "matplotlib's own keywords, passed on and judged there",
}

# (callable, parameter): why a call may take as long as it is asked to.
UNBOUNDED = {
    ("sweep.run", "replications"): "a sweep keeps no losses, may run for days and can be stopped",
}

_RAISE = opmap["RAISE_VARARGS"]


@dataclasses.dataclass(frozen=True)
class Failure:
    """One bad value and what came out; no parameter if the callable could not be examined."""

    target: str
    parameter: str
    value: str
    outcome: str
    site: str = ""

    def __str__(self) -> str:
        where = f" at {self.site}" if self.site else ""
        return f"{self.target}({self.parameter}={self.value}): {self.outcome}{where}"


def public_modules() -> list[str]:
    """Names of what a reader imports from the package."""
    found = pkgutil.iter_modules([str(PACKAGE)])
    return sorted(module.name for module in found if not module.name.startswith("_"))


# --- the bad values -----------------------------------------------------------------------------


class Opaque:
    """A class that accepts any arguments and is of no use."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        pass

    def __repr__(self) -> str:
        return "Opaque()"


def bad_values() -> dict[str, Callable[[], Any]]:
    """By name, how to make each of them; made anew for each call, for one may be used up."""
    import numpy as np
    import pandas as pd
    import sympy

    nan, inf = math.nan, math.inf
    constants: dict[str, Any] = {
        "None": None,
        "True": True,
        "'text'": "text",
        "''": "",
        "b'x'": b"x",
        "nan": nan,
        "inf": inf,
        "-inf": -inf,
        "0": 0,
        "-1": -1,
        "-0.5": -0.5,
        "1.5": 1.5,
        "1e308": 1e308,
        "-1e308": -1e308,
        "1e-320": 1e-320,
        "2**31": 2**31,
        "2**62": 2**62,
        "2**70": 2**70,
        "-2**70": -(2**70),
        "1j": 1j,
        "[]": [],
        "()": (),
        "{}": {},
        "{'a': 1}": {"a": 1},
        "{1, 2}": {1, 2},
        "[[]]": [[]],
        "[nan]": [nan],
        "[inf, 1.0]": [inf, 1.0],
        "[[1, 2], [3]]": [[1, 2], [3]],
        "['a', 'b']": ["a", "b"],
        "[None]": [None],
        "[1, 2, 3, 4, 5, 6, 7]": [1, 2, 3, 4, 5, 6, 7],
        "[[[0.5]]]": [[[0.5]]],
        "np.array('a')": np.array("a"),
        "np.array(['a', 'b'])": np.array(["a", "b"]),
        "np.array(0.5)": np.array(0.5),
        "np.array(nan)": np.array(nan),
        "np.float32('inf')": np.float32("inf"),
        "np.int8(-128)": np.int8(-128),
        "np.array([1, 2], object)": np.array([1, 2], dtype=object),
        "np.array([True, False])": np.array([True, False]),
        "np.empty((0, 3))": np.empty((0, 3)),
        "np.full((2, 2), nan)": np.full((2, 2), nan),
        "np.datetime64('NaT')": np.datetime64("NaT"),
        "np.ma.masked": np.ma.masked,
        "a masked array": np.ma.masked_array([1.0, 2.0], [False, True]),
        "pd.NA": pd.NA,
        "pd.Series([nan, 1])": pd.Series([nan, 1.0]),
        "datetime": datetime(2020, 1, 1),
        "Decimal('0.5')": Decimal("0.5"),
        "Decimal('nan')": Decimal("nan"),
        "Fraction(1, 2)": Fraction(1, 2),
        "sympy.Integer(2)": sympy.Integer(2),
        "sympy.Symbol('x')": sympy.Symbol("x"),
        "object()": object(),
        "a lambda": lambda *arguments, **options: None,
        "a class": Opaque,
        "np.random": np.random,
    }
    made: dict[str, Callable[[], Any]] = {
        name: partial(_itself, value) for name, value in (constants | large_values()).items()
    }
    made["a generator"] = lambda: (value for value in (1.0, 2.0))
    return made


def _itself(value: Any) -> Any:
    return value


def large_values() -> dict[str, Any]:
    """Arrays whose square does not fit, and that take no memory themselves."""
    import numpy as np

    return {
        "forty thousand ones": np.broadcast_to(1.0, 40_000),
        INTEGERS: np.broadcast_to(1, 40_000),
    }


def values_for(name: str, seconds: float) -> dict[str, Callable[[], Any]]:
    """The bad values for a parameter of that name, of a call that takes so long."""
    values = bad_values()
    if seconds > CHEAP:
        for large in large_values():
            del values[large]
    if seconds > SLOW:
        drawn = sorted(values, key=lambda value: zlib.crc32(f"{name}={value}".encode()))
        values = {value: values[value] for value in drawn[:FEW]}
    return values


# --- the face of a module -----------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Target:
    """A public callable, and how to call it with recorded arguments."""

    name: str  # without that of the package
    kind: str  # "function", "class", "classmethod", "method" or "property"
    function: types.FunctionType  # whose frames the profiler sees
    owner: Any  # the class, or the function itself
    doc: str

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """Without self or cls."""
        found = list(inspect.signature(self.function).parameters.values())
        return found if self.kind == "function" else found[1:]

    @property
    def asked(self) -> str:
        """Name of the parameter that holds the object, or the class, that is asked."""
        return next(iter(inspect.signature(self.function).parameters))

    @property
    def is_idle(self) -> bool:
        """A function without parameters."""
        return self.kind == "function" and not self.parameters

    def is_called_by(self, arguments: Mapping[str, Any]) -> bool:
        """Whether arguments of a frame belong to this class and not to a parent or a brother."""
        if self.kind == "function":
            return True
        asked = arguments[self.asked]
        if self.kind == "class":
            return type(asked) is self.owner
        if self.kind == "classmethod":
            return asked is self.owner
        return isinstance(asked, self.owner)

    def call(self, arguments: dict[str, Any]) -> Any:
        """Call it again with arguments as recorded, one of them perhaps replaced."""
        if self.kind in ("function", "class"):
            called = self.owner
        else:
            method = self.name.rpartition(".")[2]
            # A copy, so that a value that is kept by the object is computed again.
            holder = self.owner if self.kind == "classmethod" else copy.copy(arguments[self.asked])
            called = getattr(holder, method)
            if self.kind == "property":
                return called
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in self.parameters:
            value = arguments[parameter.name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional += value
            elif parameter.kind is parameter.VAR_KEYWORD:
                named |= value
            elif parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        return called(*positional, **named)


def face(module: types.ModuleType) -> list[Target]:
    """Every callable that a public module exports, with what its classes make public."""
    found: list[Target] = []
    seen: set[types.FunctionType] = set()
    function: Any
    if not hasattr(module, "__all__"):  # a package whose modules are imported one by one
        parts = pkgutil.iter_modules(module.__path__, module.__name__ + ".")
        return [target for part in parts for target in face(importlib.import_module(part.name))]
    short = module.__name__.partition(".")[2]
    for name in module.__all__:
        value = getattr(module, name)
        doc = inspect.getdoc(value) or ""
        if not callable(value) or not getattr(value, "__module__", "").startswith("minimaxdp"):
            continue  # a table, or a name for a type
        if not inspect.isclass(value):
            function = inspect.unwrap(value)
            found.append(Target(f"{short}.{name}", "function", function, value, doc))
            continue
        others = (getattr(module, other) for other in module.__all__ if other != name)
        if _is_protocol(value):
            continue  # never made, and its members are those of what follows it
        parent = any(inspect.isclass(other) and issubclass(other, value) for other in others)
        # A parent is made only as one of its children.
        if inspect.isfunction(value.__init__) and not parent:
            found.append(Target(f"{short}.{name}", "class", value.__init__, value, doc))
        found += _members(f"{short}.{name}", value, doc, seen)
    return found


def _members(
    prefix: str, value: type, doc: str, seen: set[types.FunctionType], hidden: bool = False
) -> list[Target]:
    """Methods and properties of a class that were not seen; if asked for, also those it hides."""
    found = []
    for member in dir(value):
        if not hidden and member.startswith("_") and member not in OPERATORS:
            continue
        held = inspect.getattr_static(value, member)
        text = f"{doc}\n{inspect.getdoc(held) or ''}"
        kind, function = "method", held
        if isinstance(held, classmethod):
            kind, function = "classmethod", held.__func__
        elif isinstance(held, staticmethod):
            kind, function = "function", held.__func__
        elif isinstance(held, property):
            kind, function = "property", held.fget
        elif hasattr(held, "func"):  # a cached property
            kind, function = "property", held.func
        function = inspect.unwrap(function)
        if not inspect.isfunction(function) or not function.__module__.startswith("minimaxdp"):
            continue
        if function in seen:  # inherited: once is enough
            continue
        seen.add(function)
        home = next(parent for parent in value.__mro__ if member in vars(parent))
        owner = function if kind == "function" else value if kind == "classmethod" else home
        found.append(Target(f"{prefix}.{member}", kind, function, owner, text))
    return found


INSIDE = " inside"  # follows the module in the names of what is not part of its face


def inside(module: types.ModuleType) -> list[Target]:
    """Every function that is written in the files of a public module and not part of its face."""
    seen, found = {target.function for target in face(module)}, []
    for part in parts_of(module):
        for name, value in vars(part).items():
            short, *rest = part.__name__.split(".")[1:]
            prefix = ".".join([short + INSIDE, *rest, name])
            value = getattr(value, "pyfunc", value)  # of np.vectorize
            if getattr(value, "__module__", None) != part.__name__:
                continue
            if inspect.isclass(value):
                found += _members(prefix, value, "", seen, hidden=True)
                continue
            function = inspect.unwrap(value) if callable(value) else value
            if inspect.isfunction(function) and function not in seen:
                seen.add(function)
                found.append(Target(prefix, "function", function, value, ""))
    return [target for target in found if _is_written(target)]


def _is_written(target: Target) -> bool:
    """Whether it stands in a file, and is no part of how an object comes to be, which a call of
    its class repeats."""
    made = ("__new__", "__init__", "__post_init__", "__init_subclass__", "__setattr__")
    is_here = Path(target.function.__code__.co_filename).is_relative_to(PACKAGE)
    return is_here and target.name.rpartition(".")[2] not in made


def parts_of(module: types.ModuleType) -> list[types.ModuleType]:
    """A module and all it consists of."""
    names = [module.__name__]
    if hasattr(module, "__path__"):
        names += [m.name for m in pkgutil.walk_packages(module.__path__, module.__name__ + ".")]
    return [*map(importlib.import_module, names)]


def _is_protocol(value: Any) -> bool:
    return bool(getattr(value, "_is_protocol", False))


@dataclasses.dataclass
class Recorded:
    """The arguments of a call in an example."""

    arguments: dict[str, Any]
    direct: bool  # by the example itself, and not by the package on its way
    further: bool = False  # than the docstrings go
    new: list[Path] = dataclasses.field(default_factory=list)  # files that it was to make

    def replay(self, target: Target, changed: dict[str, Any]) -> Any:
        for path in self.new:
            path.unlink(missing_ok=True)
        return target.call(self.arguments | changed)


def forget() -> None:
    """Empty the package's caches, and take a figure's style back: what a call says and takes must
    not depend on those before."""
    if style := sys.modules.get("matplotlib"):
        style.rcdefaults()
    for held in _caches():
        held.cache_clear()


@cache
def _caches() -> list[Any]:
    """Those of all of the package, which is imported here."""
    package = importlib.import_module("minimaxdp")
    for found in pkgutil.walk_packages(package.__path__, "minimaxdp."):
        importlib.import_module(found.name)
    kind = type(_caches)
    found = [held for held in gc.get_objects() if isinstance(held, kind)]
    return [held for held in found if str(held.__module__).startswith("minimaxdp")]


def examples(
    module: types.ModuleType, targets: list[Target], more: Any = None
) -> Generator[str, None, dict[str, list[Recorded]]]:
    """Run the examples of a public module and of all it consists of, telling whose is next, and in
    the end those of one that stands elsewhere; return the calls of each target: a few that an
    example makes by itself, and as many that the package makes on its way, of which no docstring
    has more than half; and the same of what stands elsewhere."""
    by_code: dict[int, list[Target]] = {}
    for target in targets:
        by_code.setdefault(id(target.function.__code__), []).append(target)
    calls: dict[str, list[Recorded]] = {target.name: [] for target in targets}
    here: Counter[str] = Counter()  # of the docstring that is run

    def watch(frame: types.FrameType, event: str, _: Any) -> None:
        if event != "call" or id(frame.f_code) not in by_code:
            return
        arguments = dict(frame.f_locals)
        for target in by_code[id(frame.f_code)]:
            caller = frame.f_back
            if caller is not None and caller.f_code is WRAPPER:
                caller = caller.f_back
            direct = caller is not None and caller.f_code.co_filename.startswith("<doctest")
            kind = direct, further
            same = [call for call in calls[target.name] if (call.direct, call.further) == kind]
            most = FURTHER if further and direct else KEPT
            if len(same) == most or (here[target.name] == KEPT // 2 and not direct and not further):
                continue
            if target.is_called_by(arguments):
                here[target.name] += not direct
                made = Recorded(kept(arguments), *kind, _absent(arguments))
                calls[target.name].append(made)

    # Nothing can be handed to these, and what their examples print the suite looks at itself.
    idle = {target.name.rpartition(".")[2] for target in targets if target.is_idle}
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    forget()
    for part in [*parts_of(module), *([more] if more else [])]:
        further = part is more
        for test in finder.find(part):
            if test.name.rpartition(".")[2] in idle:
                continue
            yield test.name
            here.clear()
            sys.setprofile(watch)
            try:
                # Functions of an example look up their globals when they are called again.
                runner.run(test, out=lambda text: None, clear_globs=False)
            finally:
                sys.setprofile(None)
    return calls


def kept(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments, with arrays and sources of randomness in the state in which they were handed
    over."""
    import numpy as np

    return {
        name: copy.deepcopy(value) if isinstance(value, np.random.Generator | np.ndarray) else value
        for name, value in arguments.items()
    }


def _absent(arguments: dict[str, Any]) -> list[Path]:
    """Files in the temporary folder of the example that do not exist yet."""
    paths = [Path(value) for value in arguments.values() if isinstance(value, str | Path)]
    inside = [path for path in paths if path.is_absolute() and path.parent.is_dir()]
    return [path for path in inside if not path.exists()]


# --- one call -----------------------------------------------------------------------------------


class Overtime(BaseException):
    """Not an Exception, which the package may catch."""


class Started(BaseException):
    """A call wanted processes of its own."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Overtime after that much processor time."""

    def stop(*_: Any) -> None:
        raise Overtime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def judged(
    call: Callable[[], Any],
    names: Iterable[str],
    doc: str,
    *,
    value: Any = None,
    package: Path = PACKAGE,
    seconds: float = SECONDS,
) -> tuple[str, str]:
    """What is wrong with what comes out of a call, and where; empty if nothing is."""
    try:
        with limited(seconds), warnings.catch_warnings():
            warnings.simplefilter("error")
            result = call()
            found = not_finite(result)
    except Overtime as error:
        return f"{LATE} {seconds:g} s", _site(error, package)
    except Started as error:
        few = isinstance(value, numbers.Real) and value <= PROCESSES
        return ("", "") if few else ("starts processes", _site(error, package))
    except (TypeError, ValueError) as error:
        if _is_own(error, package) and _names(str(error), names):
            return "", ""
        return _told(error), _site(error, package)
    except OSError as error:
        # A path to a file that is not there is refused by the system, in its own words.
        return ("", "") if error.filename is not None else (_told(error), _site(error, package))
    except BaseException as error:  # AssertionError, SystemExit, what compiled code raises, ...
        return _told(error), _site(error, package)
    if type(result).__module__.startswith("minimaxdp"):
        doc += inspect.getdoc(type(result)) or ""
    if "nan" in found and not re.search(r"\bnan\b", doc, re.IGNORECASE):
        return "returns NaN", ""
    if "inf" in found and not re.search(r"(?<!\\)\b(infinite|infinity|inf)\b", doc, re.IGNORECASE):
        return "returns infinity, which is not documented", ""
    return "", ""


def _told(error: BaseException) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:100]}"


def _names(message: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message) for name in names)


def _is_own(error: BaseException, package: Path) -> bool:
    """Whether a `raise` of the package raised it, and not an operation that failed."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    inside = Path(code.co_filename).is_relative_to(package)
    return inside and code.co_code[trace.tb_lasti] == _RAISE


def _site(error: BaseException, package: Path) -> str:
    """The innermost line of the package, outside its checks if there is one."""
    sites, trace = [], error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.is_relative_to(package):
            sites.append(f"{path.relative_to(package)}:{trace.tb_lineno}")
        trace = trace.tb_next
    outside = [site for site in sites if not site.startswith("_validate")]
    return (outside or sites or [""])[-1]


def not_finite(value: Any) -> set[str]:
    """Of "nan" and "inf", what is among the numbers that can be reached from a value."""
    found: set[str] = set()
    _search(value, found, set(), 6)
    return found


def _search(value: Any, found: set[str], seen: set[int], depth: int) -> None:
    import numpy as np
    import pandas as pd

    if value is None or depth < 0 or isinstance(value, str | bytes | int | type):
        return
    if isinstance(value, np.generic | numbers.Complex | Decimal):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            number = complex(value)
            if math.isnan(number.real) or math.isnan(number.imag):
                found.add("nan")
            elif math.isinf(number.real) or math.isinf(number.imag):
                found.add("inf")
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc":
            if np.isnan(value).any():
                found.add("nan")
            if np.isinf(value).any():
                found.add("inf")
        elif value.dtype.kind == "O" or value.dtype.names:
            parts: Iterable[Any] = islice(value.ravel().tolist(), 10_000)
            for part in parts:
                _search(part, found, seen, depth - 1)
        return
    if isinstance(value, pd.DataFrame | pd.Series):
        _search(value.to_numpy(), found, seen, depth - 1)
        return
    if hasattr(value, "free_symbols"):  # of sympy
        import sympy

        if isinstance(value, sympy.Basic):
            found |= {"nan"} if value.has(sympy.nan, sympy.zoo) else set()
            found |= {"inf"} if value.has(sympy.oo, -sympy.oo) else set()
        return
    if isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset | types.GeneratorType | map | zip):
        parts = islice(value, 10_000)
    elif type(value).__module__.startswith("minimaxdp"):
        parts = [getattr(value, name, None) for name in getattr(type(value), "__slots__", ())]
        parts += vars(value).values() if hasattr(value, "__dict__") else []
    else:
        return
    for part in parts:
        _search(part, found, seen, depth - 1)


# --- one module ---------------------------------------------------------------------------------


def base_call(target: Target, calls: list[Recorded]) -> tuple[Recorded | None, float, str]:
    """The cheapest recorded call that works, what it takes, and what is wrong with its value."""
    working: list[tuple[bool, float, Recorded]] = []
    for call in [call for call in calls if call.direct] or calls:
        seconds = math.inf
        while True:  # a second time where the first may have loaded or kept something
            start = time.process_time()
            wrong, _ = judged(partial(call.replay, target, {}), (), target.doc, seconds=30)
            took = time.process_time() - start
            if took > 0.5 * seconds or took < CHEAP:
                break
            seconds = took
        seconds = min(seconds, took)
        if wrong.startswith("returns"):
            return call, seconds, wrong
        empty = any(
            parameter.kind is parameter.VAR_KEYWORD and not call.arguments[parameter.name]
            for parameter in target.parameters
        )
        if not wrong:
            working.append((empty, seconds, call))
    if not working:
        return None, math.inf, ""
    _, seconds, call = min(working, key=lambda found: found[:2])
    return call, seconds, ""


def replacements(
    target: Target, call: Recorded, parameter: inspect.Parameter
) -> Iterator[tuple[str, tuple[str, ...], Callable[[Any], Any]]]:
    """For each argument of a parameter: its name, the names for it, how to put a value there."""
    name, held = parameter.name, call.arguments[parameter.name]
    if parameter.kind is parameter.VAR_POSITIONAL:
        yield f"*{name}", (name,), lambda value: (value, *held[1:])
    elif parameter.kind is parameter.VAR_KEYWORD:
        for key in held:
            yield key, (key, name), partial(_with, held, key)
    else:
        yield name, (name,), _itself


def _with(held: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    return held | {key: value}


def unchecked(target: Target, call: Recorded) -> Iterator[Failure]:
    """Numbers that an object which checks its fields keeps as they were handed over."""
    import numpy as np

    if target.kind != "class" or not hasattr(target.owner, "__post_init__"):
        return
    for field in dataclasses.fields(target.owner):
        held = call.arguments.get(field.name)
        if field.init and field.type in ("float", "int") and isinstance(held, int | float):
            yield from _kept(target, call, field, np.array(held))


def _kept(
    target: Target, call: Recorded, field: dataclasses.Field[Any], given: Any
) -> Iterator[Failure]:
    kept: list[Any] = []  # nothing where the array is refused, which is as good
    outcome, site = judged(
        lambda: kept.append(getattr(call.replay(target, {field.name: given}), field.name)),
        [field.name],
        target.doc,
    )
    if kept and type(kept[0]).__name__ != field.type:
        outcome = f"is kept as {type(kept[0]).__name__}, not as {field.type}"
    if outcome:
        yield Failure(target.name, field.name, f"np.array({given})", outcome, site)


def examine(name: str, skip: Iterable[str] = ()) -> Iterator[Failure | str]:
    """Every case of a public module that fails; before each case, its name as a text."""
    module = importlib.import_module(f"minimaxdp.{name}")
    targets = face(module)
    calls = yield from examples(module, targets)
    skip, large = set(skip), large_values()
    for target in targets:
        if target.is_idle:
            continue
        yield target.name
        call, seconds, wrong = base_call(target, calls[target.name])
        if call is None and not target.parameters:
            continue  # nothing can be handed to it
        if getattr(target.function, "__isabstractmethod__", False) or (
            target.kind == "class" and inspect.isabstract(target.owner)
        ):
            continue  # those that implement it are examined
        made = call is not None and target.kind == "class" and not call.direct
        if made and not hasattr(target.owner, "__post_init__"):
            continue  # a record that only the package makes, and that checks nothing
        if call is None:
            why = "every example of it fails" if calls[target.name] else "no example calls it"
            yield Failure(target.name, "", "", f"{why}: add an example to its docstring")
            continue
        if wrong:
            yield Failure(target.name, "", "", f"{wrong} in its own example")
        yield from unchecked(target, call)
        for parameter in target.parameters:
            if (target.name, parameter.name) in EXCLUDED:
                continue
            for shown, names, put in replacements(target, call, parameter):
                values = values_for(f"{target.name}({shown})", seconds)
                if isinstance(call.arguments[parameter.name], float):
                    values.pop(INTEGERS, None)  # what is done with them is done with ones
                for label, make in values.items():
                    case = f"{target.name}({shown}={label})"
                    if case in skip:
                        continue
                    yield case
                    value = make()
                    if value is parameter.default:
                        continue
                    changed = {parameter.name: put(value)}
                    brief = label in large or (target.name, parameter.name) in UNBOUNDED
                    outcome, site = judged(
                        partial(call.replay, target, changed),
                        names,
                        target.doc,
                        value=value,
                        seconds=BRIEF if brief else max(SECONDS, 20 * seconds),
                    )
                    if outcome and not (brief and outcome.startswith(LATE)):
                        yield Failure(target.name, shown, label, outcome, site)


# --- two arguments at once ----------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Move:
    """An argument, or the field of the object that is asked, with an end of its range."""

    name: str
    holder: str  # the argument that has it as a field, or nothing
    shown: str
    value: Any


def ends(value: Any, declared: Any = "") -> list[tuple[str, Any]]:
    """By name, the ends of what a number, an array of a few or the levels of a guarantee may be."""
    import numpy as np

    from minimaxdp.guarantees import Guarantee

    if isinstance(value, bool | np.bool_):
        return []
    if isinstance(value, numbers.Integral) and "float" not in str(declared):
        return [(str(end), end) for end in INTEGER_ENDS]
    if isinstance(value, float | np.floating | numbers.Integral):
        return [(repr(end), end) for end in REAL_ENDS]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and 0 < value.size <= 50:
        return [(f"all {end!r}", np.full_like(value, end)) for end in REAL_ENDS]
    found = []
    for field in dataclasses.fields(value) if isinstance(value, Guarantee) else ():
        for label, end in ends(getattr(value, field.name), "float"):
            with contextlib.suppress(ValueError):  # it is no level
                moved = dataclasses.replace(value, **{field.name: end})
                found.append((f"{field.name} {label}", moved))
    return found


def moves(target: Target, call: Recorded) -> list[Move]:
    """Each number of a call at its ends."""
    found = []
    for parameter in target.parameters:
        if (target.name, parameter.name) not in EXCLUDED:
            for label, end in ends(call.arguments[parameter.name], parameter.annotation):
                found.append(Move(parameter.name, "", f"{parameter.name}={label}", end))
    if target.kind in ("method", "property"):
        asked = call.arguments[target.asked]
        # A record that does not check its fields is made by the package alone.
        is_checked = dataclasses.is_dataclass(asked) and hasattr(asked, "__post_init__")
        for field in dataclasses.fields(asked) if is_checked else ():
            for label, end in ends(getattr(asked, field.name), field.type) if field.init else ():
                found.append(Move(field.name, target.asked, f"{field.name}={label}", end))
    return found


def meetings(name: str, skip: Iterable[str] = ()) -> Iterator[Failure | str]:
    """As `examine`, with one or two numbers of a call at ends of their ranges. A call may take long
    or start processes: so many may have been asked for."""
    module = importlib.import_module(f"minimaxdp.{name}")
    targets = face(module)
    calls, skip = (yield from examples(module, targets)), set(skip)
    for target in targets:
        if target.is_idle:
            continue
        call, seconds, _ = base_call(target, calls[target.name])
        if call is None:
            continue
        alone = moves(target, call)
        pairs = [pair for pair in combinations(alone, 2) if pair[0].name != pair[1].name]
        random.Random(target.name).shuffle(pairs)
        most = int(min(MEETINGS, MEETING / max(seconds, CHEAP)))
        for met in [*zip(alone, strict=True), *pairs[:most]]:
            shown = " & ".join(move.shown for move in met)
            case = f"{target.name}({shown})"
            if case in skip:
                continue
            yield case
            outcome, site = judged(
                partial(meet, target, call, met),
                _words(target, call, met),
                target.doc,
                seconds=ENOUGH + 3 * seconds,
            )
            if outcome and not outcome.startswith((LATE, "starts processes")):
                yield Failure(target.name, shown, "", outcome, site)


def meet(target: Target, call: Recorded, met: tuple[Move, ...]) -> Any:
    """Call with these arguments and fields; an object that refuses its fields is as good."""
    changed = {move.name: move.value for move in met if not move.holder}
    fields = {move.name: move.value for move in met if move.holder}
    for holder in {move.holder for move in met if move.holder}:
        try:
            changed[holder] = dataclasses.replace(call.arguments[holder], **fields)
        except (TypeError, ValueError):
            return None
    return call.replay(target, changed)


def _words(target: Target, call: Recorded, met: tuple[Move, ...]) -> list[str]:
    """Names that an error may give: of parameters, and of what an object or a guarantee has."""
    held = [*call.arguments.values(), *(move.value for move in met)]
    ours = [value for value in held if type(value).__module__.startswith("minimaxdp")]
    found = [word for value in ours for word in dir(value) if word[0] != "_"]
    return found + [parameter.name for parameter in target.parameters]


# --- the process --------------------------------------------------------------------------------


def serve() -> None:
    """Examine the modules named on stdin, one a line, or say what they say at their examples;
    report on what was stdout."""
    import recorded  # which needs this module

    report = os.fdopen(os.dup(1), "w", buffering=1)
    requests = os.fdopen(os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):  # so that a path of 0 or 1 reaches nobody
        os.dup2(nothing, descriptor)
    _prepare()
    is_measured = "MINIMAXDP_REACH" in os.environ
    if is_measured:
        recorded.PATIENCE *= 10  # a call takes several times as long
    for line in requests:
        asked = json.loads(line)
        test, met = asked.pop("test"), asked.pop("met", False)
        examined = recorded.examined if "known" in asked else meetings if met else examine
        # Measured is what a record reaches, and no bad value, which has to end in time.
        noted: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if is_measured and "known" in asked:
            noted = importlib.import_module("reach").noted(test)
        with noted:
            for found in examined(**asked):
                report.write(json.dumps(found, default=vars) + "\n")
        report.write("null\n")
    os._exit(0)  # an executor that a bad value left behind may wait for ever


def _prepare() -> None:
    """Imports, limits, and a folder in which nothing is spoilt."""
    import concurrent.futures.process
    import multiprocessing.pool

    bad_values()
    import scipy

    # So that no call is charged for them; and one that is stopped while it imports leaves half of
    # a module behind, which fails those that come after.
    parts = [f"scipy.{name}" for name in scipy.__all__ if (Path(*scipy.__path__) / name).is_dir()]
    for name in ("matplotlib.pyplot", "pandas", "sympy", "flint", *parts):
        importlib.import_module(name)
    _caches()

    def start(*_: Any, **__: Any) -> None:
        raise Started

    multiprocessing.pool.Pool.__init__ = start  # type: ignore[method-assign]
    concurrent.futures.process.ProcessPoolExecutor.__init__ = start  # type: ignore[method-assign]

    @contextlib.contextmanager
    def folder(*_: Any, **__: Any) -> Iterator[str]:
        yield tempfile.mkdtemp()

    tempfile.TemporaryDirectory = folder  # type: ignore[assignment,misc]
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + GROWTH
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


class Worker:
    """The process, started again where it was lost."""

    def __init__(
        self, package: Path = PACKAGE, environment: Mapping[str, str] | None = None
    ) -> None:
        self.package = package
        self.environment = dict(environment or {})
        self.folder = tempfile.mkdtemp(prefix="fuzz-")
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: Any) -> None:
        self._stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self.process = None

    def _start(self) -> subprocess.Popen[bytes]:
        environment = os.environ | {
            "PYTHONPATH": str(self.package.parent),
            "TMPDIR": self.folder,
            "MPLBACKEND": "agg",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        environment |= self.environment
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--serve"],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def examine(self, module: str, *, met: bool = False) -> list[Failure]:
        """All failures of a public module, those included that end the process; of bad values, or
        of ends that meet."""
        failures: dict[Failure, None] = {}
        skip: list[str] = []

        def note(found: dict[str, Any]) -> None:
            failures[Failure(**found)] = None

        while True:
            last, end = self._round({"name": module, "skip": skip, "met": met}, note)
            if not end:
                return list(failures)
            if last in skip or not last.endswith(")"):
                failures[Failure(last or module, "", "", end)] = None
                return list(failures)
            target, _, rest = last[:-1].partition("(")
            parameter, _, value = rest.partition("=")
            failures[Failure(target, parameter, value, end)] = None
            skip.append(last)

    def recorded(self, module: str, known: Mapping[str, Any]) -> dict[str, Any]:
        """What each callable of a public module says at its examples, and beside them."""
        told: dict[str, Any] = {}
        last, end = self._round({"name": module, "known": known}, told.update)
        if end:
            raise RuntimeError(f"{last} {end}")
        return told

    def _round(
        self, asked: Mapping[str, Any], note: Callable[[dict[str, Any]], None]
    ) -> tuple[str, str]:
        """Until the module is done or the process lost: the last case, and how it was lost."""
        if self.process is None:
            self.process = self._start()
        question, answered = self.process.stdin, self.process.stdout
        assert question is not None and answered is not None
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        question.write(json.dumps({**asked, "test": test}).encode() + b"\n")
        question.flush()
        last, rest = "", b""
        while True:
            if not select.select([answered], [], [], SILENCE)[0]:
                self._stop()
                return last, f"hangs for {SILENCE:g} s, where no signal reaches it"
            data = os.read(answered.fileno(), 2**16)
            if not data:
                code = self.process.wait()
                self._stop()
                return last, f"ends the process, with code {code}"
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                found = json.loads(line)
                if found is None:
                    return last, ""
                if isinstance(found, str):
                    last = found
                else:
                    note(found)


def table(failures: Iterable[Failure]) -> str:
    """One line for each callable, parameter and kind of outcome, with the values."""

    def kind(failure: Failure) -> tuple[str, str, str, str]:
        return (
            failure.target,
            failure.parameter,
            failure.outcome.partition(":")[0],
            failure.site,
        )

    out = io.StringIO()
    for (target, parameter, _, site), group in groupby(sorted(failures, key=kind), kind):
        same = list(group)
        values = ", ".join(failure.value for failure in same[:SHOWN])
        values += f", ... ({len(same)} values)" if len(same) > SHOWN else ""
        where = f" [{site}]" if site else ""
        case = f"{target}({parameter}): {values} -> " if parameter else f"{target}: "
        out.write(f"{case}{same[0].outcome}{where}\n")
    return out.getvalue()


def main(names: list[str]) -> None:
    """Print the failures of modules, all if none is named, with counts and times."""
    with Worker() as worker:
        for name in names or public_modules():
            start = time.perf_counter()
            failures = worker.examine(name) + worker.examine(name, met=True)
            seconds = time.perf_counter() - start
            print(f"== {name}: {len(failures)} failures, {seconds:.1f} s")
            print(table(failures), flush=True)


if __name__ == "__main__":
    # As a module, so that what another one imports from here is the same.
    this = importlib.import_module("fuzzing")
    this.serve() if sys.argv[1:] == ["--serve"] else this.main(sys.argv[1:])
