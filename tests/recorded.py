"""What every public callable says at its examples and a step beside them, kept in a file.

``python tests/recorded.py`` writes `recorded.jsonl`, or with names the lines of these modules: for
each public callable its parameters with their defaults, and what comes out when an example of its
docstring is run again, or run with one argument moved, or two: to other numbers or several at once,
to other guarantees, to each word that its error lists, to objects with another value in one field,
to what another argument is; or with an argument that it leaves out. Of an object its properties are
kept as well, and what a figure draws; of a call with one argument moved also a mark of the ranges
that its numbers are held against and of the memory it asks for, and of an example these in words. A
change of the package that moves a number, a default, the end of a range or the words of an error
fails the suite until the file is written again, and then stands in its diff.

The calls are those of `fuzzing`, and run in its process, with the package's caches empty. Numbers
that depend on the processor or on the order of a set are left out: what is kept came out alike in
processes that differ in both.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import hashlib
import importlib
import inspect
import json
import math
import numbers
import random
import re
import sys
import time
import types
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import combinations, islice, product
from pathlib import Path
from typing import Any
from unittest import mock

import further_calls
import fuzzing
from fuzzing import INSIDE, Recorded, Target, Worker, limited

FILE = Path(__file__).with_name("recorded.jsonl")
LONGEST = 0.05  # seconds of processor time that a kept call may take
SLOW = 0.4  # the same for calls of a callable that take longer, together
ALONE = 6.0  # the same for the one call of a function without parameters
PATIENCE = 20  # times as much, before a call that was kept counts as hanging
RELATIVE = 1e-6  # more than processors differ by in the numbers that are kept
ROUNDING = 1e-14  # of the largest number: smaller ones are rounding
FEW = 8  # numbers are kept one by one
MOVES = 16  # for each call of a function that is not part of the face
SEED = "rng"  # the parameter without which a draw is another one each time
HUGE = 1e300  # beyond, numbers are kept as texts: their sum is infinite
CALLS = 3  # of a callable, whose arguments are moved; the others are only run again
FIELDS = 24  # of objects that are handed over or asked, moved one by one, for each of these calls
PAIRS = 24  # of moves at once, for each of these calls
BESIDE = 5  # moves beside each word that is another than the example's
SEVERAL = "several"
NEXT = "next to "  # in the name of a move to an array: one good value, and one that may be refused
ARRAYS = (SEVERAL, "])")  # ends of names of moves to arrays, also as levels of a guarantee
BOTH = " & "  # in the name of a call with two moves
INSTEAD = " instead of "  # in the name of a call in which one argument takes another's place
AS = " as "  # in the name of a call in which one argument is what another is
GIVEN = (3, 0.5, 1e-6, -1)  # for what is left out
CHECKS = " checks"  # follows the name of a call
CHECKED = ("real", "integer", "fraction", "memory")  # all others come to these
FIELD = re.compile(r"\d+ \w+\.\w+=")  # starts the name of a call with a field moved
# Inside, what is another one each time.
LEFT_OUT = {
    "certify inside._identities._power": "its symbols are counted",
    "k_anonymity inside._encode.first_rows": "its memory is not filled where a class has no row",
    "laplace inside._integer_noise._below": "handed on from draws without a seed",
    "laplace inside._integer_noise._happens": "handed on from draws without a seed",
    "laplace inside._integer_noise._laplace": "handed on from draws without a seed",
    "laplace inside._integer_noise._run": "handed on from draws without a seed",
    "randomized_response inside._categorical.SymmetricUnary._reports": "its memory is not filled",
}
NUMBER = re.compile(r"(\s+|0x[0-9a-f]+)|([-+]?\d+(\.\d*)?(e[-+]?\d+)?)")  # or space, in a text
DEPTH = 4  # of a value in a value
MOST = 10_000  # parts of a value that are looked at
# Processes in which a call must say the same: other orders of sets, other instructions.
MACHINES: tuple[dict[str, str], ...] = (
    {"PYTHONHASHSEED": "1"},
    {"PYTHONHASHSEED": "2", "OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4"},
    {"PYTHONHASHSEED": "3", "OPENBLAS_CORETYPE": "Nehalem"},
    {"PYTHONHASHSEED": "4", "OPENBLAS_CORETYPE": "SkylakeX", "OPENBLAS_NUM_THREADS": "1"},
    {
        "PYTHONHASHSEED": "5",
        "OPENBLAS_CORETYPE": "Sandybridge",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4",
    },
)

EXCLUDED = fuzzing.EXCLUDED | fuzzing.UNBOUNDED

Said = list[Any]  # a mark of the texts and the numbers, or the words of an error


# --- one value ----------------------------------------------------------------------------------


def digest(value: Any) -> Said:
    """A value in short: a mark of its texts and its numbers, of many of them how many, and the
    sums that a change of one of them moves."""
    texts: list[str] = []
    found: list[float] = []
    _collect(value, texts, found, DEPTH)
    finite = [x for x in found if math.isfinite(x) and abs(x) < HUGE]
    texts += [str(x) for x in found if not (math.isfinite(x) and abs(x) < HUGE)]
    mark = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:8] if texts else ""
    if len(finite) <= FEW:
        return [mark, finite]
    weighted = math.fsum(x * math.cos(i) for i, x in enumerate(finite))
    return [f"{mark} {len(finite)}", [math.fsum(map(abs, finite))], weighted]


def alike(one: Said, other: Said) -> bool:
    """Whether two digests are of the same value, but for rounding."""
    if len(one) != len(other) or one[0] != other[0] or len(one) == 1:
        return one == other
    # Beside numbers of size one, what should be 0 is not quite.
    zero = ROUNDING * max(map(abs, one[1]), default=0.0)
    near = partial(math.isclose, rel_tol=RELATIVE, abs_tol=zero)
    if len(one) == 3 and abs(one[2] - other[2]) > RELATIVE * max(*one[1], *other[1]):
        return False
    return len(one[1]) == len(other[1]) and all(map(near, one[1], other[1]))


def _collect(value: Any, texts: list[str], found: list[float], depth: int) -> None:
    import numpy as np
    import pandas as pd

    if value is None or isinstance(value, bool | str | bytes | np.bool_):
        texts.append(str(value))
    elif isinstance(value, np.generic | numbers.Number) and not hasattr(value, "free_symbols"):
        try:
            number = complex(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            texts.append(str(value))
        else:
            found += [number.real, number.imag] if number.imag else [number.real]
    elif isinstance(value, np.ndarray):
        texts.append(str(value.shape))
        if value.dtype.kind in "biufc":
            flat = value.ravel()[:MOST]
            found += map(float, flat.real)
            found += map(float, flat.imag) if flat.dtype.kind == "c" else []
        else:
            _parts(value.ravel().tolist(), texts, found, depth)
    elif isinstance(value, pd.DataFrame | pd.Series):
        names = [axis.to_numpy() for axis in value.axes]
        _parts([*names, value.to_numpy()], texts, found, depth)
    elif hasattr(value, "tocoo"):  # a sparse matrix
        table = value.tocoo()
        _parts([table.shape, table.row, table.col, table.data], texts, found, depth)
    elif hasattr(value, "get_children"):  # what is drawn
        _parts(drawn(value), texts, found, depth)
    elif hasattr(value, "free_symbols"):
        texts.append(str(value))
    elif isinstance(value, Mapping):
        _parts([*value.keys(), *value.values()], texts, found, depth)
    elif isinstance(value, list | tuple | types.GeneratorType | map | zip | range):
        _parts(value, texts, found, depth)
    elif type(value).__module__.startswith("minimaxdp"):
        texts.append(NUMBER.sub("#", f"{value!r} {value}"))
        if callable(getattr(value, "data", None)):  # of what a figure draws
            data = json.dumps(value.data())
            texts.append(NUMBER.sub("#", data))
            found += [float(part[0]) for part in NUMBER.finditer(data) if part[2]]
        held = {name: getattr(value, name, None) for name in getattr(type(value), "__slots__", ())}
        held |= getattr(value, "__dict__", {})
        asked = _properties(type(value))
        # What has been asked of it before is not part of it.
        held = {name: held[name] for name in held if name[0] != "_" and name not in asked}
        if depth == DEPTH:
            held |= {name: _answer(value, name) for name in asked}
        _parts([held[name] for name in sorted(held)], texts, found, depth)
    else:
        texts.append(type(value).__name__)


def drawn(artist: Any) -> list[Any]:
    """Of a figure all that does not depend on fonts and layout: lines, areas, words, looks."""
    from matplotlib.axis import Axis
    from matplotlib.legend import Legend
    from matplotlib.spines import Spine

    if isinstance(artist, Axis | Spine):
        return []
    asked = ["xlim", "ylim", "xscale", "yscale", "text", "xydata", "offsets", "alpha", "zorder"]
    asked += ["color", "facecolor", "edgecolor", "linestyle", "linewidth", "marker", "markersize"]
    asked += ["xlabel", "ylabel", "fillstyle", "markeredgewidth", "markerfacecolor"]
    if isinstance(artist, Legend):
        asked = []
    found: list[Any] = [type(artist).__name__]
    found += [getattr(artist, f"get_{name}")() for name in asked if hasattr(artist, f"get_{name}")]
    if hasattr(artist, "get_paths"):
        found += [path.vertices for path in artist.get_paths()]
    for child in artist.get_children():
        found += drawn(child)
    return found


@cache
def _properties(kind: type) -> list[str]:
    names = [name for name in dir(kind) if name[0] != "_"]
    static = partial(inspect.getattr_static, kind)
    return [name for name in names if isinstance(static(name), property | cached_property)]


def _answer(value: Any, name: str) -> Any:
    try:
        return getattr(value, name)
    except (TypeError, ValueError, AttributeError) as error:
        return str(error)


def _parts(values: Any, texts: list[str], found: list[float], depth: int) -> None:
    if depth and len(found) < MOST:
        for value in islice(values, MOST):
            _collect(value, texts, found, depth - 1)


# --- one call -----------------------------------------------------------------------------------


def said(target: Target, call: Recorded, changed: dict[str, Any], seconds: float) -> Said | None:
    """What comes out of a call; nothing if it is not done in time, or fails of itself."""
    try:
        return _again(target, call, changed, seconds)
    except (TypeError, ValueError) as error:
        return [f"{type(error).__name__}: {error}".splitlines()[0][:120]]
    except (OSError, fuzzing.Overtime, fuzzing.Started):
        return None
    except Exception as error:
        return [type(error).__name__]


@dataclasses.dataclass(frozen=True)
class Moved:
    """An object with another value in one field, made when it is called for: it may be refused."""

    held: Any
    field: str
    value: Any

    def made(self) -> Any:
        return dataclasses.replace(self.held, **{self.field: self.value})


def _again(target: Target, call: Recorded, changed: dict[str, Any], seconds: float) -> Said:
    fresh = {name: _own(value) for name, value in fuzzing.kept(call.arguments).items()}
    # What is drawn from the system is another draw each time.
    unseeded = mock.patch("os.urandom", side_effect=fuzzing.Started)
    with limited(seconds), unseeded, warnings.catch_warnings():
        warnings.simplefilter("error")
        changed = {
            name: value.made() if isinstance(value, Moved) else value
            for name, value in changed.items()
        }
        value = dataclasses.replace(call, arguments=fresh).replay(target, changed)
        returned = inspect.signature(target.function).return_annotation
        if target.kind != "class" and returned in (None, "None"):
            value = [*(fresh | changed).values()]  # it has done something to its arguments
        return digest(value)


@contextlib.contextmanager
def noted() -> Iterator[set[str]]:
    """The ranges that numbers are held against meanwhile, and the sizes that are asked for."""
    found: set[str] = set()
    validate = sys.modules.get("minimaxdp._validate")

    def noting(check: Any) -> Any:
        def run(name: str, *values: Any, **bounds: Any) -> Any:
            # Of a number only its name; the size of what is to be held is all that there is.
            sizes = map(_short, values if check.__name__ == "memory" else ())
            ends = (f"{key}={_short(value)}" for key, value in bounds.items())
            found.add(" ".join([check.__name__, name, *sizes, *ends]))
            return check(name, *values, **bounds)

        return run

    with contextlib.ExitStack() as stack:
        for name in CHECKED if validate else ():
            check = noting(getattr(validate, name))
            stack.enter_context(mock.patch.object(validate, name, check))
        yield found


def _short(value: Any) -> str:
    return f"{float(value):.6g}" if isinstance(value, numbers.Real) else str(value)


def shortened(found: set[str], length: int) -> str:
    """In words as far as a length goes, and a mark of all."""
    text = ", ".join(sorted(found))
    return f"{text[:length]} {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _own(value: Any) -> Any:
    """An object of the package as it was: a call may spend what it holds. Of a figure's axes empty
    ones, and of a list what stood in it."""
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    if isinstance(value, Axes):
        return Figure().add_subplot()
    if isinstance(value, list | dict | set):
        return copy.copy(value)
    if not type(value).__module__.startswith("minimaxdp"):
        return value
    try:
        return copy.deepcopy(value)
    except TypeError:  # of what cannot be copied, such as an open file
        return value


def moved(parameter: inspect.Parameter, value: Any) -> Iterator[tuple[str, Any]]:
    """Other values for an argument, by name."""
    import numpy as np

    from minimaxdp import guarantees

    if parameter.default is not parameter.empty and parameter.name != SEED:
        yield "default", parameter.default
    if isinstance(value, bool | np.bool_):
        yield "other", not value
    elif isinstance(value, numbers.Integral):
        steps = [value - 1, value + 1, 2 * value, 7 * value, -1, 0, 1, 2, 3, 2**31, 2**60]
        for step in dict.fromkeys(map(int, steps)):
            yield str(step), step
        yield SEVERAL, np.array([value, value + 1])
        for step in (-1, 0, 2**60):
            yield f"{NEXT}{step}", np.array([value, step])
    elif isinstance(value, numbers.Real) and isinstance(value, float | np.floating | int):
        steps = [value / 10, 0.7 * value, 1.5 * value, 20 * value, 1e3 * value]
        steps += [-0.5, 0.0, 0.5, 1.0, 2.0, 1e-9, 1e120, 1e-20, 700.0]
        for step in dict.fromkeys(float(f"{step:.6g}") for step in steps):
            yield repr(step), step
        yield SEVERAL, np.array([value, 0.7 * value, 20 * value])
        for end in (-0.5, 0.0, 1e-20, 1.0, 700.0, 1e120):
            yield f"{NEXT}{end!r}", np.array([value, end])
    elif isinstance(value, Fraction):
        steps = [value / 10, 2 * value, 20 * value, -value]
        for step in dict.fromkeys([*steps, *map(Fraction, ("0", "1/2", "1", "1000001"))]):
            yield str(step), step
    elif isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and value.size <= MOST:
        if value.dtype.kind in "iu":  # in few bits a thousand is too large
            value = value.astype(np.int64)
        yield "twice", 2 * value
        yield "half", value / 2
        yield "less", -value
        yield "first", value[:1] if value.ndim else value
        yield "reversed", value[::-1] if value.ndim else value
        yield "none", 0 * value
        if value.ndim:
            yield "uneven", np.concatenate([1_000 * value[:1], value[1:]])
            # No two entries alike: of 2 and 2 the sum is the product.
            yield "rising", value + np.arange(1, value.size + 1).reshape(value.shape)
            yield "faster", value * np.linspace(0.3, 1.0, value.size).reshape(value.shape)
    elif isinstance(value, list | tuple) and value and isinstance(value[0], numbers.Real):
        yield "twice", [2 * x for x in value]
        yield "first", value[:1]
        yield "reversed", value[::-1]
        yield "none", [0 * x for x in value]
        yield "uneven", [1_000 * value[0], *value[1:]]
        if all(isinstance(x, numbers.Real) for x in value):
            yield "rising", [x + i for i, x in enumerate(value, 1)]
    elif isinstance(value, guarantees.Guarantee):
        others = [
            guarantees.Pure(0.05),
            guarantees.Pure(3.0),
            guarantees.Approximate(1.0, 1e-6),
            guarantees.ZCDP(0.5),
            guarantees.KL(0.3),
            guarantees.TotalVariation(0.2),
            guarantees.NonPrivate(),
            guarantees.Local(guarantees.Pure(1.0)),
            guarantees.Pure(40.0),
            guarantees.Approximate(0.05, 0.01),
            guarantees.ZCDP(0.001),
            guarantees.TotalVariation(1e-4),
            guarantees.Local(guarantees.Pure(5.0)),
            guarantees.Local(guarantees.Pure(0.1)),
            guarantees.Pure(np.array([0.5, 3.0])),
            guarantees.Approximate(np.array([0.3, 1.0]), np.array([1e-6, 0.2])),
        ]
        for other in others:
            yield repr(other), other


def cases(target: Target, calls: list[Recorded]) -> Iterator[tuple[str, Recorded, dict[str, Any]]]:
    """By name, the calls of the examples, and the first with one argument moved, or two."""
    ordered = sorted(calls, key=lambda call: (call.further, not call.direct))
    for number, call in enumerate(ordered):
        seeded = {SEED: 7} if call.arguments.get(SEED, 0) is None else {}
        yield f"{number}", call, seeded
        if number >= CALLS:
            continue
        moves, pairs = [*_moves(target, call)], {}
        lone = [move for move in moves if NEXT not in move[0]]
        # Where not all can be kept, each argument has its share.
        rng = random.Random(f"{target.name} {number}")
        rng.shuffle(lone)
        for label, changed in lone[:MOVES] if INSIDE in target.name else moves:
            yield f"{number} {label}", call, seeded | changed
        fields = [field for field in _fields(target, call) if NEXT not in field[0]]
        random.Random(f"{target.name} {number} fields").shuffle(fields)
        for label, changed in fields[:FIELDS]:
            yield f"{number} {label}", call, seeded | changed
        for label, changed in (*_given(target, call), *_equal(target, call)):
            yield f"{number} {label}", call, seeded | changed
        if INSIDE in target.name:
            continue
        # Arrays whose shapes do not fit: the error names both arguments.
        several = [move for move in lone if move[0].endswith(ARRAYS)]
        for (one, first), (other, second) in combinations(several, 2):
            if first.keys().isdisjoint(second):
                pairs[one + BOTH + other] = _cut(first, 2) | _cut(second, 3)
        # Which of two branches is taken often depends on two arguments, or on a word and another.
        starts = [move for move in lone if any(isinstance(x, str) for x in move[1].values())]
        starts = BESIDE * starts + [rng.choice(lone) for _ in range(PAIRS if lone else 0)]
        for one, first in starts:
            other, second = rng.choice(lone)
            if first.keys().isdisjoint(second):
                pairs[one + BOTH + other] = first | second
        for label, changed in pairs.items():
            yield f"{number} {label}", call, seeded | changed


def _cut(changed: dict[str, Any], length: int) -> dict[str, Any]:
    """The same with so many values in each array."""
    import numpy as np

    return {
        name: np.resize(value, length) if isinstance(value, np.ndarray) else value
        for name, value in changed.items()
    }


def _moves(target: Target, call: Recorded) -> Iterator[tuple[str, dict[str, Any]]]:
    """By name, each other value of one argument."""
    for parameter in target.parameters:
        if (target.name, parameter.name) in EXCLUDED:
            continue
        for shown, _, put in fuzzing.replacements(target, call, parameter):
            held = call.arguments[parameter.name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                held = held[0] if held else None
            elif parameter.kind is parameter.VAR_KEYWORD:
                held = held[shown]
            for name, value in moved(parameter, held):
                yield f"{shown}={name}", {parameter.name: put(value)}
            if held is None or isinstance(held, str):
                for word in words(target, call, {parameter.name: put("?")}):
                    if word not in (held, parameter.default):
                        yield f"{shown}={word}", {parameter.name: put(word)}


def _given(target: Target, call: Recorded) -> Iterator[tuple[str, dict[str, Any]]]:
    """By name, each argument that is left out as a number: beside the others, and in the place of
    each that could be left out as well."""
    optional = [p.name for p in target.parameters if p.default is None and p.name != SEED]
    for name in optional:
        if call.arguments[name] is not None or (target.name, name) in EXCLUDED:
            continue
        for value in GIVEN:
            yield f"{name}={value!r}", {name: value}
            for other in optional:
                if call.arguments[other] is not None:
                    label = f"{name}={value!r}{INSTEAD}{other}"
                    yield label, {name: value, other: None}


def _equal(target: Target, call: Recorded) -> Iterator[tuple[str, dict[str, Any]]]:
    """By name, each number or array as another of its kind is, or one that the object has: where
    two are compared, they meet."""
    held = {p.name: call.arguments[p.name] for p in target.parameters}
    others = dict(held)
    if target.kind in ("method", "property"):
        asked = call.arguments[target.asked]
        if dataclasses.is_dataclass(asked):
            names = [field.name for field in dataclasses.fields(asked)]
            others |= {f"{target.asked}.{name}": getattr(asked, name) for name in names}
    for name, other in product(held, others):
        if name == other or (target.name, name) in EXCLUDED or _kind(held[name]) is None:
            continue
        if _kind(held[name]) == _kind(others[other]) and digest(held[name]) != digest(
            others[other]
        ):
            yield f"{name}{AS}{other}", {name: others[other]}


def _kind(value: Any) -> Any:
    """What an argument must have in common with another to take its place."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.kind) if value.dtype.kind in "iuf" else None
    kinds = (numbers.Integral, Fraction, numbers.Real)
    return (
        None if isinstance(value, bool) else next((k for k in kinds if isinstance(value, k)), None)
    )


def _fields(target: Target, call: Recorded) -> Iterator[tuple[str, dict[str, Any]]]:
    """By name, each argument that is an object with another value in one field; a guarantee only
    where it is the one that is asked, as others take its place elsewhere."""
    from minimaxdp import guarantees

    owned = target.kind in ("method", "property")
    asked = target.asked if owned else ""
    for name, held in call.arguments.items():
        is_ours = type(held).__module__.startswith("minimaxdp") and dataclasses.is_dataclass(held)
        if not is_ours or (isinstance(held, guarantees.Guarantee) and name != asked):
            continue
        if target.kind == "class" and name not in {p.name for p in target.parameters}:
            continue  # the object that is to be
        for field in dataclasses.fields(held):
            parameter = inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY)
            for label, value in moved(parameter, getattr(held, field.name)) if field.init else ():
                yield f"{name}.{field.name}={label}", {name: Moved(held, field.name, value)}


def words(target: Target, call: Recorded, changed: dict[str, Any]) -> list[str]:
    """What an argument that is one of a few words may be: its error says so."""
    try:
        _again(target, call, changed, PATIENCE * LONGEST)
    except (Exception, fuzzing.Overtime, fuzzing.Started) as error:
        found = re.search(r"must be one of (.+), got '\?'", str(error))
        return found[1].split(", ") if found else []
    return []


def face_of(target: Target) -> str:
    """Parameters, with their defaults."""
    shown = []
    for parameter in target.parameters:
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        shown.append(f"{parameter.kind.name[0]} {parameter.name}{default.partition(' at 0x')[0]}")
    return ", ".join(shown)


def examined(name: str, known: Mapping[str, Mapping[str, Said]]) -> Iterator[Any]:
    """What each callable of a module says; of a known one only at the calls that are known. Of
    what is inside only values: it need not refuse what nobody hands to it."""
    module = importlib.import_module(f"minimaxdp.{name.removesuffix(INSIDE)}")
    is_inside = name.endswith(INSIDE)
    targets = fuzzing.inside(module) if is_inside else fuzzing.face(module)
    targets = [target for target in targets if target.name not in LEFT_OUT]
    more = getattr(further_calls, module_of(name), None)
    calls = yield from fuzzing.examples(module, targets, more)
    for target in targets:
        yield target.name  # so that it is known if the process is lost
        told: dict[str, Said] = {"": [face_of(target)]}
        wanted = known.get(target.name)
        if is_inside and wanted is None and known:
            continue  # what is written anew
        longest, slow = (ALONE if target.is_idle else LONGEST), SLOW
        most = max(PATIENCE * SLOW, 5 * longest)  # before a call on record counts as hanging
        examples = [Recorded({}, direct=True)] if target.is_idle else calls[target.name]
        for label, call, changed in cases(target, examples):
            if wanted is not None and label not in wanted:
                continue
            yield f"{target.name} [{label}]"
            fuzzing.forget()
            start = time.process_time()
            seconds = most if wanted is not None else max(2 * longest, slow)
            is_checked = BOTH not in label and not is_inside
            with noted() if is_checked else contextlib.nullcontext(set()) as checks:
                value = said(target, call, changed, seconds)
            if value is None and wanted is not None:
                value = ["not done"]
            taken = time.process_time() - start
            if value is None or (wanted is None and taken > max(longest, slow)):
                continue
            if wanted is None and (is_inside or FIELD.match(label)) and len(value) == 1:
                continue
            if taken > longest:
                slow -= taken
            told[label] = value
            if is_checked:
                told[label + CHECKS] = [shortened(checks, 200 if label.isdigit() else 0)]
        yield {target.name: told}


# --- all of them --------------------------------------------------------------------------------


def read() -> tuple[dict[str, str], dict[str, dict[str, Said]]]:
    """Versions with which the file was written, and what it holds."""
    lines = [json.loads(line) for line in FILE.read_text().splitlines()]
    return lines[0], {name: told for line in lines[1:] for name, told in line.items()}


def module_of(name: str) -> str:
    return name.partition(".")[0].removesuffix(INSIDE)


def versions() -> dict[str, str]:
    """Of what computes the numbers."""
    found = {name: importlib.import_module(name).__version__ for name in ("numpy", "scipy")}
    return {"python": ".".join(map(str, sys.version_info[:2])), **found}


def differences(
    before: Mapping[str, Mapping[str, Said]], now: Mapping[str, Mapping[str, Said]]
) -> list[str]:
    """Lines that say what moved."""
    found = []
    for name in sorted(before.keys() | now.keys()):
        if name not in before or name not in now:
            found.append(f"{name} is {'new' if name in now else 'gone'}")
            continue
        old, new = before[name], now[name]
        for label in old:
            if label not in new:
                found.append(f"{name} [{label}]: cannot be asked any more")
            elif not alike(old[label], new[label]):
                found.append(f"{name} [{label}]: {old[label]} became {new[label]}")
    return found


def main(names: list[str]) -> None:
    """Write the file, or the lines of some modules."""
    there = fuzzing.public_modules()
    modules = names or there
    kept = {target: told for target, told in read()[1].items() if module_of(target) in there}

    def run(name: str, machine: dict[str, str]) -> dict[str, dict[str, Said]]:
        # One process for each module: what calls leave in memory would fill it in the end.
        with Worker(environment=machine) as worker:
            return worker.recorded(name, {}) | worker.recorded(name + INSIDE, {})

    with ThreadPoolExecutor(2) as pool:
        asked = {name: [pool.submit(run, name, each) for each in MACHINES] for name in modules}
        for name, futures in asked.items():
            first, *others = (future.result() for future in futures)
            agreed = {target: _agreed(target, first, others) for target in first}
            kept = {target: told for target, told in kept.items() if module_of(target) != name}
            kept |= agreed
            lines = [versions(), *({target: told} for target, told in sorted(kept.items()))]
            FILE.write_text("".join(json.dumps(_rounded(line)) + "\n" for line in lines))
            alike_, all_ = (sum(map(len, told.values())) for told in (agreed, first))
            print(f"{name}: {len(agreed)} callables, {alike_} of {all_} calls", flush=True)


def _agreed(
    target: str, first: dict[str, dict[str, Said]], others: list[dict[str, dict[str, Said]]]
) -> dict[str, Said]:
    """What every machine says of a callable; of a call that is left out no ranges either."""
    kept = {
        label: value
        for label, value in first[target].items()
        if all(label in told[target] and alike(value, told[target][label]) for told in others)
    }
    return {label: kept[label] for label in kept if label.removesuffix(CHECKS) in kept}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, list):
        return [*map(_rounded, value)]
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    return value


if __name__ == "__main__":
    main(sys.argv[1:])
