"""What every public callable says stands as it was recorded; `recorded` tells how it is kept."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import further_calls
import fuzzing
import numpy as np
import pytest
import recorded
from fuzzing import INSIDE, Recorded, Target, Worker, public_modules
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from recorded import AS, BOTH, CHECKS, FIELD, INSTEAD, alike, cases, differences, digest

from minimaxdp import _validate, laplace
from minimaxdp.book.explorables import Control, Explorable, Panel
from minimaxdp.guarantees import ZCDP, Pure
from minimaxdp.lower_bounds._curator_means import level
from minimaxdp.unbiased_bounds import MatrixMechanism

VERSIONS, KNOWN = recorded.read()


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker() as worker:
        yield worker


same_versions = pytest.mark.skipif(
    recorded.versions() != VERSIONS, reason=f"recorded with {VERSIONS}"
)


@same_versions
@pytest.mark.long
@pytest.mark.parametrize("name", public_modules())
def test_it_says_what_it_said(name: str, worker: Worker) -> None:
    asked_again(name, worker, further=False)


@same_versions
@pytest.mark.long
@pytest.mark.parametrize("name", public_modules())
def test_it_says_what_it_said_at_two_moves_and_from_other_examples(
    name: str, worker: Worker
) -> None:
    asked_again(name, worker, further=True)


@same_versions
@pytest.mark.long
@pytest.mark.parametrize("name", public_modules())
def test_it_says_what_it_said_inside(name: str, worker: Worker) -> None:
    known = {
        target: told for target, told in KNOWN.items() if target.split(".")[0] == name + INSIDE
    }
    now = worker.recorded(name + INSIDE, known)
    # A function that is no longer there is nobody's loss, and a new one is not on record yet.
    common = known.keys() & now.keys()
    compared(*({target: told[target] for target in common} for told in (known, now)))
    assert len(common) >= 0.9 * len(known), "most is another function: run python tests/recorded.py"


def is_further(label: str) -> bool:
    """Two arguments are moved, a field of one, one to another or in its place; or another example
    than the first is."""
    number, _, move = label.removesuffix(CHECKS).partition(" ")
    of_two = any(sign in move for sign in (BOTH, INSTEAD, AS)) or FIELD.match(label) is not None
    return of_two or (move != "" and number != "0")


def asked_again(name: str, worker: Worker, further: bool) -> None:
    known = {
        target: {label: value for label, value in told.items() if is_further(label) is further}
        for target, told in KNOWN.items()
        if target.split(".")[0] == name
    }
    now = worker.recorded(name, known)
    for told in now.values() if further else ():
        del told[""]  # the parameters, which have been compared
    compared(known, now)


def compared(known: dict[str, Any], now: dict[str, Any]) -> None:
    found = differences(known, now)
    if found:
        told = "\n".join(found[:20])
        pytest.fail(f"if it is meant, run python tests/recorded.py\n{told}", pytrace=False)


FURTHER = [call for call in vars(further_calls).values() if inspect.isfunction(call)]


@pytest.mark.parametrize("call", FURTHER, ids=lambda call: call.__name__)
def test_further_calls_are_of_a_module_and_run(call: Any) -> None:
    assert call.__name__ in public_modules()
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder().find(call):
        found = runner.run(test)
        assert found.attempted and not found.failed


def test_every_module_has_calls_on_record() -> None:
    for name in public_modules():
        targets = {
            target.name for target in fuzzing.face(importlib.import_module(f"minimaxdp.{name}"))
        }
        assert targets <= KNOWN.keys()
    assert sum(map(len, KNOWN.values())) > 20 * len(KNOWN)


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (1.0, 1.0 + 1e-5),
        ((1e6, 1e-6), (1e6, 2e-6)),
        (np.arange(100.0), np.arange(100.0)[::-1]),
        (np.ones(100), np.ones((10, 10))),
        (np.ones(2), (1.0, 1.0)),
        ("a", "b"),
        (None, False),
        (math.inf, 1e301),
        ({"a": 1.0}, {"b": 1.0}),
        (fuzzing.Failure("a", "b", "c", "d"), 0.0),
    ],
)
def test_another_value_is_seen(value: object, other: object) -> None:
    assert alike(digest(value), digest(value))
    assert not alike(digest(value), digest(other))


@pytest.mark.parametrize("size", [1, 3, 300])
def test_rounding_is_not(size: int) -> None:
    value = np.geomspace(1e-9, 1e9, size)
    assert alike(digest(value), digest(value * (1 + 1e-12)))
    assert not alike(digest(value), digest(value * (1 + 1e-4)))


def twice(n: int, scale: float = 2.0, *, exact: bool = False) -> float:
    """A function."""
    return n * scale


def test_one_argument_is_moved_or_two() -> None:
    target = Target("m.twice", "function", twice, twice, "")  # type: ignore[arg-type]
    call = Recorded({"n": 3, "scale": 0.5, "exact": False}, direct=True)
    labels = [label for label, _, _ in cases(target, [call])]
    assert len(set(labels)) == len(labels)
    assert {"0", "0 n=4", "0 n=-1", "0 scale=default", "0 scale=10.0", "0 exact=other"} <= {*labels}
    assert len([label for label in labels if BOTH in label]) >= 3
    for label, _, changed in cases(target, [call]):
        assert len(changed) == label.count("=")


def test_one_value_that_may_be_refused_stands_next_to_a_good_one() -> None:
    target = Target("m.twice", "function", twice, twice, "")  # type: ignore[arg-type]
    call = Recorded({"n": 3, "scale": 0.5, "exact": False}, direct=True)
    moves = {label: changed for label, _, changed in cases(target, [call])}
    assert moves["0 scale=next to -0.5"]["scale"].tolist() == [0.5, -0.5]
    assert moves["0 n=next to 0"]["n"].tolist() == [3, 0]
    assert not any(BOTH in label and recorded.NEXT in label for label in moves)
    inner = Target("m inside.twice", "function", twice, twice, "")  # type: ignore[arg-type]
    assert not any(recorded.NEXT in label for label, _, _ in cases(inner, [call]))


def test_entries_of_an_array_differ_where_an_example_has_them_alike() -> None:
    parameter = inspect.Parameter("sizes", inspect.Parameter.KEYWORD_ONLY)
    for held in (np.array([2, 2]), np.array([[0.5, 0.5]]), [2, 2], (0.5, 0.5)):
        moves = dict(recorded.moved(parameter, held))
        assert len(set(np.ravel(moves["rising"]).tolist())) == 2
    assert list(dict(recorded.moved(parameter, [2, "b"]))) == [
        "twice",
        "first",
        "reversed",
        "none",
        "uneven",
    ]


def test_of_a_class_the_object_is_kept_that_the_call_makes() -> None:
    targets = {target.name: target for target in fuzzing.face(laplace)}
    held = laplace.Laplace(1.0, 2.0)
    call = Recorded({"self": held, "epsilon": 1.0, "sensitivity": 2.0}, direct=True)
    for changed, made in (({}, held), ({"epsilon": 3.0}, laplace.Laplace(3.0, 2.0))):
        told = recorded.said(targets["laplace.Laplace"], call, changed, 60.0)
        assert told == digest(made)
        assert len(told[1]) > 3 or len(told) == 3  # with its properties, such as the variance


def test_arrays_of_shapes_that_do_not_fit_meet() -> None:
    target = Target("m.twice", "function", twice, twice, "")  # type: ignore[arg-type]
    call = Recorded({"n": 3, "scale": 0.5, "exact": False}, direct=True)
    moves = {label: changed for label, _, changed in cases(target, [call])}
    name = min(label for label in moves if label.count("several") == 2)
    assert name in ("0 n=several & scale=several", "0 scale=several & n=several")
    assert sorted(map(np.size, moves[name].values())) == [2, 3]


def test_no_error_on_record_is_in_words_of_numpy() -> None:
    """Of two arrays whose shapes do not fit numpy says which shapes, and not whose."""
    foreign = re.compile("could not be broadcast|objects cannot be broadcast")
    found = [
        (name, label)
        for name, told in KNOWN.items()
        if INSIDE not in name.partition(".")[0] and name != "privacy.audit"  # of the reader's own
        for label, value in told.items()
        if isinstance(value[0], str) and foreign.search(value[0])
    ]
    assert not found, f"{found[:5]}: @_validate.broadcasting names the arguments"


def chosen(n: int, way: str = "up") -> float:
    """A function."""
    if way not in ("up", "down", "level"):
        raise ValueError(f"way must be one of up, down, level, got {way!r}")
    return n * 2.0


def test_a_word_becomes_each_other_word_alone_and_beside_other_moves() -> None:
    target = Target("m.chosen", "function", chosen, chosen, "")  # type: ignore[arg-type]
    for way in ("up", "down"):
        call = Recorded({"n": 3, "way": way}, direct=True)
        labels = [label for label, _, _ in cases(target, [call])]
        assert "0 way=level" in labels and f"0 way={way}" not in labels
        assert any(BOTH in label and "way=level" in label for label in labels)


def test_properties_are_kept_and_what_has_been_asked_before_makes_no_difference() -> None:
    fresh, asked, other = (
        MatrixMechanism(np.eye(3), np.eye(3), ZCDP(rho, relation="add-remove")) for rho in (1, 1, 2)
    )
    assert asked.sigma < 1
    assert digest(fresh) == digest(asked) != digest(other)
    assert {"sigma", "total_variance"} <= {*recorded._properties(MatrixMechanism)}


def test_caches_of_the_package_are_emptied() -> None:
    level.cache_clear()
    for _ in range(2):
        fuzzing.forget()
        level(Pure(1.0), ZCDP)
        assert level.cache_info().currsize == level.cache_info().misses == 1


@dataclass(frozen=True)
class Sized:
    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("size must be at least 0")

    def doubled(self) -> int:
        return 2 * self.size

    def is_over(self, least: int) -> bool:
        return self.size > least


Sized.__module__ = "minimaxdp.part"


def of_two(one: Sized, other: int) -> float:
    return one.size / other


def test_an_object_that_is_handed_over_or_asked_is_moved_in_one_field() -> None:
    target = Target("m.of_two", "function", of_two, of_two, "")  # type: ignore[arg-type]
    method = Target("m.Sized.doubled", "method", Sized.doubled, Sized, "")  # type: ignore[arg-type]
    call = Recorded({"one": Sized(3), "other": 2}, direct=True)
    own = Recorded({"self": Sized(3)}, direct=True)
    moves = {label: changed for label, _, changed in cases(target, [call])}
    assert recorded.said(target, call, moves["0 one.size=21"], 1.0) == ["", [10.5]]
    refused = recorded.said(target, call, moves["0 one.size=-1"], 1.0)
    assert refused == ["ValueError: size must be at least 0"]
    asked = {label: changed for label, _, changed in cases(method, [own])}
    assert recorded.said(method, own, asked["0 self.size=21"], 1.0) == ["", [42.0]]
    assert FIELD.match("0 self.size=21") and is_further("0 self.size=21")
    assert not FIELD.match("0 privacy=Pure(epsilon=0.05)")


def either(n: int, one: float | None = None, other: float | None = None) -> float:
    """A function."""
    if (one is None) == (other is None):
        raise ValueError("one of one and other must be given")
    return n * one if one is not None else n + other  # type: ignore[operator]


def test_what_is_left_out_is_given_beside_others_and_instead() -> None:
    target = Target("m.either", "function", either, either, "")  # type: ignore[arg-type]
    call = Recorded({"n": 3, "one": 0.5, "other": None}, direct=True)
    moves = {label: changed for label, _, changed in cases(target, [call])}
    refused = recorded.said(target, call, moves["0 other=0.5"], 1.0)
    assert refused == ["ValueError: one of one and other must be given"]
    assert recorded.said(target, call, moves["0 other=0.5 instead of one"], 1.0) == ["", [3.5]]
    assert is_further("0 other=0.5 instead of one")


def above(low: Fraction, high: Fraction, n: int = 3) -> bool:
    return low < high


def test_each_number_becomes_what_another_of_its_kind_is() -> None:
    target = Target("m.above", "function", above, above, "")  # type: ignore[arg-type]
    call = Recorded({"low": Fraction(1), "high": Fraction(2), "n": 3}, direct=True)
    moves = {label: changed for label, _, changed in cases(target, [call])}
    assert recorded.said(target, call, moves["0 low=2"], 1.0) == [digest(False)[0], []]
    assert moves["0 low as high"] == {"low": Fraction(2)}
    assert moves["0 high as low"] == {"high": Fraction(1)}
    assert [label for label in moves if " as " in label] == ["0 low as high", "0 high as low"]
    assert is_further("0 low as high")
    method = Target("m.Sized.is_over", "method", Sized.is_over, Sized, "")  # type: ignore[arg-type]
    asked = Recorded({"self": Sized(3), "least": 2}, direct=True)
    moves = {label: changed for label, _, changed in cases(method, [asked])}
    assert moves["0 least as self.size"] == {"least": 3}


def test_ranges_and_sizes_that_are_asked_for_are_kept() -> None:
    with recorded.noted() as found:
        _validate.one_epsilon(1.0, minimum=0.5)
        _validate.memory("n", 3, itemsize=2)
        _validate.fraction("x", Fraction(1), below=Fraction(5, 2))
        with pytest.raises(ValueError, match="^d must be"):
            _validate.one_integer("d", 0, minimum=1, maximum=10)
    assert found == {
        "real epsilon above=0 minimum=0.5 maximum=700",
        "memory n 3 itemsize=2",
        "fraction x below=2.5",
        "integer d minimum=1 maximum=10",
    }
    assert not is_further("1") and not is_further("1" + CHECKS)


def test_what_a_figure_draws_is_kept() -> None:
    def figure(end: float) -> Explorable:
        panel = Panel("a", "x", "y", (0, 1), (0, 1))
        panel.line([0, 1], [0, end], "truth", "a line")
        return Explorable("a", [Control("x", [0, 1], "x", "{:g}", 0)], [panel], {}, "a", "b")

    assert digest(figure(1.0)) == digest(figure(1.0)) != digest(figure(0.5))


def test_what_is_drawn_on_axes_is_kept() -> None:
    def axes(**looks: Any) -> Axes:
        ax = Figure().add_subplot()
        ax.plot([1, 2], [3, 4], **looks)
        return ax

    assert digest(axes()) == digest(axes())
    for looks in ({"lw": 5}, {"ls": ":"}, {"color": "red"}, {"marker": "o"}):
        assert digest(axes()) != digest(axes(**looks)), looks


def test_what_a_function_does_to_its_arguments_is_kept() -> None:
    def fill(values: list[float]) -> None:
        values.append(2.0)

    target = Target("m.fill", "function", fill, fill, "")  # type: ignore[arg-type]
    call = Recorded({"values": [1.0]}, direct=True)
    assert recorded.said(target, call, {}, 1.0) == ["", [1.0, 2.0]]


def test_what_is_inside_a_module_is_found() -> None:
    module = importlib.import_module("minimaxdp.lower_bounds")
    inside = {target.name: target for target in fuzzing.inside(module)}
    for name in ("_power.end_by_tests", "_mean_methods.packing_floor", "_power.end_risks"):
        assert f"lower_bounds{INSIDE}.{name}" in inside  # one is cached, one np.vectorize
    face = {target.function for target in fuzzing.face(module)}
    assert not face & {target.function for target in inside.values()}


def test_a_moved_default_is_seen() -> None:
    target = Target("m.twice", "function", twice, twice, "")  # type: ignore[arg-type]
    assert recorded.face_of(target) == "P n, P scale=2.0, K exact=False"


def test_what_moved_is_told() -> None:
    old = {"a": {"": ["P n"], "0": ["", [1.0]]}, "b": {}}
    new = {"a": {"": ["P n=1"]}, "c": {}}
    told = differences(old, new)
    assert told == [
        "a []: ['P n'] became ['P n=1']",
        "a [0]: cannot be asked any more",
        "b is gone",
        "c is new",
    ]


@pytest.mark.long
def test_a_changed_package_is_noticed(tmp_path: Path) -> None:
    """A number moved inside, a default, and the end of a range."""
    package = tmp_path / "minimaxdp"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "guarantees.py").write_text("class Guarantee: pass\n" + OTHERS)
    part = package / "part.py"
    part.write_text(MODULE)

    fresh = {"PYTHONDONTWRITEBYTECODE": "1"}  # versions of one second look alike to its cache

    def told(known: dict[str, dict[str, list[object]]]) -> dict[str, dict[str, list[object]]]:
        with Worker(package, fresh) as worker:
            return worker.recorded("part", known)

    known = told({})
    assert known["part.share"]["0"] == ["", [0.5]]
    assert not differences(known, told(known))
    for old, new in (("1 / n", "1.1 / n"), ("int = 1", "int = 2"), ("n < 1", "n < 2")):
        part.write_text(MODULE.replace(old, new))
        assert differences(known, told(known)), old


OTHERS = "Pure = Approximate = ZCDP = KL = TotalVariation = NonPrivate = Local = Guarantee\n"
MODULE = '''"""A face."""

__all__ = ["share"]


def share(n: int, power: int = 1) -> float:
    """A share.

    >>> share(2, 1)
    0.5
    """
    if n < 1:
        raise ValueError("n must be positive")
    return (1 / n) ** power
'''
