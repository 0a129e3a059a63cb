"""What a hidden test may call. Each check returns quietly or raises `Wrong` with a reason fit for
the student.

Every comparison of random quantities has level `LEVEL`: a right answer is refused with at most this
probability. The bounds hold at every sample size, but for `estimate`, which takes a mean of many
repetitions to be normal.
"""

import math
import pickle

import numpy as np
from scipy import stats

from .wire import Formula, Remote, Unknown, decode, encode, hashable

LEVEL = 1e-6
POINTS = 12
MOST_LOOKED_AT = 500
FOR_A_PERSON = "for a person to decide: "


class Wrong(AssertionError):
    """The answer is not the right one."""


class Undecided(Wrong):
    """The marker cannot tell whether the answer is right: a person does."""

    def __init__(self, note):
        super().__init__(f"{FOR_A_PERSON}{note}")


def require(condition, reason):
    """Refuse the answer with this reason unless the condition holds."""
    if not condition:
        raise Wrong(reason)


def values(function, cases):
    """The answers of a student's function to many tuples of arguments, each on arguments of its
    own."""
    cases = list(cases)
    if isinstance(function, Remote):
        return function.many(cases)
    require(callable(function), "a function is asked for")
    try:
        # By the same road as an answer from another process.
        return [decode(encode(function(*case))) for case in pickle.loads(pickle.dumps(cases))]
    except Exception as error:
        raise Wrong(f"the answer stopped with {type(error).__name__}") from None


def plain(value):
    """Answers as numbers, booleans, lists, sets and dicts, whatever kind of number they came as."""
    if isinstance(value, Unknown):
        raise Undecided(f"the answer is of type {value.kind}: {value.shown}")
    if isinstance(value, Formula) and not value.symbols:
        whole = value.tree[0] in ("Integer", "Zero", "One", "NegativeOne")
        try:
            found = np.asarray(value())
        except (TypeError, ValueError) as error:
            raise Undecided(f"the number cannot be evaluated: {error}") from None
        return int(found) if whole else found.item()
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return {hashable(plain(item)) for item in value}
    if isinstance(value, dict):
        return {hashable(plain(key)): plain(item) for key, item in value.items()}
    return value


def number(value):
    """A finite real number, in any form: a formula without symbols, or an array of one element."""
    value = plain(value)
    while isinstance(value, list) and len(value) == 1:
        (value,) = value
    real = isinstance(value, int | float) and not isinstance(value, bool)
    require(real and math.isfinite(value), "a finite number is asked for")
    return float(value)


def near(got, expected, rtol=1e-7, atol=1e-10):
    """Refuse numbers, or arrays of numbers, that are not equal up to rounding."""
    if np.ndim(expected) == 0:
        got = number(got)
    array, expected = _array(got), np.asarray(expected, dtype=float)
    if array.size == expected.size == 1:
        array = array.reshape(expected.shape)
    require(array.shape == expected.shape, f"the shape is {array.shape}, not {expected.shape}")
    require(np.allclose(array, expected, rtol=rtol, atol=atol), "a value is not the right one")


def _array(value):
    try:
        return np.array(plain(value), dtype=float)
    except (TypeError, ValueError):
        raise Wrong("numbers are asked for") from None


def equal(got, expected):
    """Refuse what is not exactly equal; lists, tuples and arrays of the same entries are."""
    require(plain(got) == plain(expected), "a value is not the right one")


def same(function, truth, cases, rtol=1e-7, atol=1e-10):
    """Compare a student's function with the truth on each tuple of arguments."""
    cases = list(cases)
    got = values(function, cases)
    require(len(got) == len(cases), "a value is missing")
    for case, value in zip(cases, got, strict=True):
        expected = truth(*case)
        if expected is None or isinstance(expected, bool | str | set | dict | tuple):
            equal(value, expected)
        else:
            near(value, expected, rtol, atol)


def equivalent(answer, truth, rng, rtol=1e-8, **ranges):
    """Compare a formula with the truth by value, at random points of the ranges of its symbols.

    A range is a pair (low, high), or an array of the values to draw from.
    """
    if type(answer).__module__.startswith("sympy"):
        answer = decode(encode(answer))
    formula = answer if isinstance(answer, Formula) and answer.symbols else plain(answer)
    while isinstance(formula, list) and len(formula) == 1:
        (formula,) = formula
    if isinstance(formula, int | float) and not isinstance(formula, bool):
        formula = Formula(["Float", float(formula)])
    require(isinstance(formula, Formula), "a formula is asked for")
    if formula.strange:
        raise Undecided(f"{min(formula.strange)} is not part of a closed form")
    unknown = formula.symbols - set(ranges)
    require(not unknown, f"the formula has unknown symbols {sorted(unknown)}")
    points = {
        name: rng.uniform(*span, POINTS) if isinstance(span, tuple) else rng.choice(span, POINTS)
        for name, span in ranges.items()
    }
    try:
        got = np.broadcast_to(np.asarray(formula(**points), dtype=float), (POINTS,))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise Undecided(f"the formula cannot be evaluated: {error}") from None
    expected = np.broadcast_to(np.asarray(truth(**points), dtype=float), (POINTS,))
    right = np.isclose(got, expected, rtol=rtol, atol=0)
    if np.isnan(got).any() and (right | np.isnan(got)).all() and formula.symbols:
        raise Undecided("the formula has no real value at some points")
    require(right.all(), "the formula has another value")


def law(draws, cdf, size, atoms=None, level=LEVEL):
    """Test that independent draws have this distribution function.

    The Dvoretzky-Kiefer-Wolfowitz bound with Massart's constant: the largest gap between the
    empirical and the true distribution function exceeds sqrt(ln(2 / level) / (2 size)) with
    probability at most `level`. For a discrete law give its `atoms`, between which both functions
    are flat.
    """
    draws = _sample(draws, size)
    draws.sort()
    allowed = math.sqrt(math.log(2 / level) / (2 * size))
    if atoms is not None:
        atoms = np.sort(np.asarray(atoms, dtype=float))
        require(np.isin(draws, atoms).all(), "a draw is not a possible value")
        gap = np.abs(np.searchsorted(draws, atoms, side="right") / size - cdf(atoms)).max()
    else:
        # Some of the draws are enough: the largest gap among them is no larger than among all.
        chosen = np.arange(0, size, max(1, size // MOST_LOOKED_AT))
        true = cdf(draws[chosen])
        gap = max(((chosen + 1) / size - true).max(), (true - chosen / size).max())
    require(gap <= allowed, "the draws do not have the right law")


def mean(draws, expected, low, high, size, level=LEVEL):
    """Test the mean of independent draws in [low, high] by Hoeffding's bound."""
    draws = _sample(draws, size)
    require(draws.min() >= low - 1e-9 and draws.max() <= high + 1e-9, "a draw is out of range")
    allowed = (high - low) * math.sqrt(math.log(2 / level) / (2 * size))
    require(abs(draws.mean() - expected) <= allowed, "the mean of the draws is not the right one")


def frequency(successes, trials, chance, level=LEVEL):
    """Test that a success has this chance: two-sided, by the exact binomial law."""
    low = stats.binom.sf(successes - 1, trials, chance)
    high = stats.binom.cdf(successes, trials, chance)
    require(2 * min(low, high) >= level, "the frequency is not the right one")


def at_least(successes, trials, chance, level=LEVEL):
    """Test that a success has this chance or a greater one, by the exact binomial law."""
    require(stats.binom.cdf(successes, trials, chance) >= level, "it succeeds too rarely")


def estimate(answer, expected, error, rtol=0.25, level=LEVEL):
    """Test a simulated number that comes with its standard error.

    The number may be off by the normal quantile of the level times the true standard error, and the
    stated standard error must be right within `rtol`.
    """
    require(
        isinstance(answer, list) and len(answer) == 2,
        "a pair (estimate, standard error) is asked for",
    )
    got, stated = map(number, answer)
    require(abs(stated - error) <= rtol * error, "the standard error is not the right one")
    allowed = stats.norm.isf(level / 2) * error
    require(abs(got - expected) <= allowed, "the estimate is too far from the truth")


def _sample(draws, size):
    draws = _array(draws)
    require(draws.shape == (size,), f"the shape is {draws.shape}, not {(size,)}")
    require(np.isfinite(draws).all(), "a draw is not finite")
    return draws
