"""Checks that students run themselves before they hand in.

An exact answer is compared by a hash with a salt, made slow so that trying every candidate costs
time; of other numbers an interval is told that holds the right one. The text of `TOLD` goes into
the notebooks, where `personal_check` runs, so it needs nothing but the standard library.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Set
from fractions import Fraction

import numpy as np

# A try takes 64 MiB and about 0.2 s.
COST = 2**16
FEWEST = 10_000
RATIO = 1.25


def flat(value):
    """The numbers in a value: of a number itself, of lists and arrays in order."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return [number for item in value for number in flat(item)]
    return [value]


def canonical(value):
    """One text for an exact value in each of its forms: a float counts as a fraction with a
    denominator of at most 1000 if it is one up to rounding."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, set | frozenset):
        return f"{{{','.join(sorted(map(canonical, value)))}}}"
    if isinstance(value, dict):
        return f"{{{','.join(sorted(f'{canonical(k)}:{canonical(v)}' for k, v in value.items()))}}}"
    if type(value).__name__ in ("BooleanTrue", "BooleanFalse"):
        value = bool(value)
    exact = hasattr(value, "numerator") and hasattr(value, "denominator")
    number = Fraction(int(value.numerator), int(value.denominator)) if exact else float(value)
    number = Fraction(number)
    near = number.limit_denominator(1000)
    return str(near if abs(near - number) <= 1e-9 * max(1, abs(number)) else number)


def fingerprint(value, salt, cost):
    """A slow hash of an exact value."""
    text = canonical(value).encode()
    made = hashlib.scrypt(text, salt=salt.encode(), n=cost, r=8, p=1, maxmem=2**28, dklen=16)
    return made.hex()


def outside(value, between):
    """What is wrong with numbers that lie outside of the intervals told, or None."""
    numbers = flat(value)
    if len(numbers) != len(between):
        return f"{len(between)} numbers are expected, got {len(numbers)}"
    for place, (number, (low, high)) in enumerate(zip(numbers, between, strict=True), start=1):
        number, slack = float(number), 1e-7 * max(abs(low), abs(high))
        if not number >= low - slack:
            return f"number {place} is too small: at least {low} is right"
        if not number <= high + slack:
            return f"number {place} is too large: at most {high} is right"
    return None


def personal_check(answer, salt="", told="", cost=1, between=()):
    """Say whether the value of answer() is right, or for a number whether it is far off."""
    try:
        value = answer()
        wrong = outside(value, between) if between else None
        if told and fingerprint(value, salt, cost) != told:
            wrong = "another value is right"
    except NotImplementedError:
        wrong = "no answer yet"
    except Exception as error:
        wrong = f"the answer stopped with {type(error).__name__}: {error}"
    print(wrong or ("neither too small nor too large" if between else "right, at these inputs"))


TOLD = (flat, canonical, fingerprint, outside, personal_check)
TEXT = "import hashlib\nfrom fractions import Fraction\n\n\n" + "\n\n".join(
    inspect.getsource(function) for function in TOLD
)


def arguments(
    value: object, rng: np.random.Generator, cost: int, chance: float = 0.0
) -> str | None:
    """What `personal_check` is told of the right value, as the text of its arguments.

    chance: how far right answers may be from each other, as a share, because they are simulated;
    intervals are made wider by it.

    None if there is nothing to tell: an exact value of which so few are possible that trying them
    all is quick, or a number that an interval of `bracket` cannot hold.
    """
    if _is_exact(value):
        if room(value) < FEWEST:
            return None
        salt = rng.bytes(8).hex()
        return f"salt={salt!r}, told={fingerprint(value, salt, cost)!r}, cost={cost}"
    numbers = [float(number) for number in flat(value)]
    if not all(math.isfinite(number) and number for number in numbers):
        return None
    return f"between={[bracket(number, rng.random(), chance) for number in numbers]!r}"


def _is_exact(value: object) -> bool:
    """Whether a value consists of whole numbers, fractions, booleans and strings alone."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict):
        return all(map(_is_exact, [*value, *value.values()]))
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_exact, value))
    return isinstance(value, int | Fraction | str)


def room(value: object) -> int:
    """How many exact values of the same shape have no larger parts: what must be tried to find
    this one by trying.

    Whole numbers count from minus to plus the number, sets within their span, strings over 26
    letters.
    """
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, str):
        return 26 ** len(value)
    if isinstance(value, bool):
        return 2
    if isinstance(value, set | frozenset):
        return _sets(value)
    if isinstance(value, list | tuple):
        return math.prod(map(room, value))
    if isinstance(value, dict):
        return math.prod(map(room, value.values()))
    return (2 * abs(value.numerator) + 1) * value.denominator


def _sets(values: Set) -> int:
    """How many sets of whole numbers lie in the span of this one."""
    if all(isinstance(value, int) for value in values):
        return 2 ** (max(values) - min(values) + 1) if values else 1
    return math.prod(map(room, values))


def bracket(number: float, offset: float, chance: float = 0.0) -> tuple[float, float]:
    """An interval that holds a number and says no more of it: a cell of a grid of powers of
    `RATIO`, which an offset in [0, 1) that owes nothing to the number has moved.

    The ends are moved outwards by the share `chance`, and rounded outwards to three digits.

    >>> bracket(2.0, 0.5)
    (1.74, 2.19)
    >>> bracket(-2.0, 0.9, chance=0.1)
    (-2.63, -1.71)
    """
    step = math.floor(math.log(abs(number), RATIO) - offset) + offset
    low, high = RATIO**step * (1 - chance), RATIO ** (step + 1) * (1 + chance)
    unit = math.floor(math.log10(low)) - 2
    ends = math.floor(low / 10.0**unit), math.ceil(high / 10.0**unit)
    low, high = (float(f"{end}e{unit}") for end in ends)
    return (low, high) if number > 0 else (-high, -low)
