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

from .wire import Formula, Remote, decode, encode

LEVEL = 1e-6
POINTS = 12
MOST_LOOKED_AT = 500


class Wrong(AssertionError):
    """The answer is not the right one."""


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
        return [_here(function(*case)) for case in pickle.loads(pickle.dumps(cases))]
    except Exception as error:
        raise Wrong(f"the function raised {type(error).__name__}") from None


def _here(value):
    """An answer of this process, as it would arrive from another."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.copy()
    return decode(encode(value))


def number(value):
    """A finite real number, from a number or from a formula without symbols."""
    if isinstance(value, Formula) and not value.symbols:
        value = float(value())
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    real = isinstance(value, int | float) and not isinstance(value, bool)
    require(real and math.isfinite(value), "a finite number is asked for")
    return float(value)


def near(got, expected, rtol=1e-7, atol=1e-10):
    """Refuse numbers, or arrays of numbers, that are not equal up to rounding."""
    if np.ndim(expected) == 0:
        got = number(got)
    try:
        array = np.asarray(got, dtype=float)
    except (TypeError, ValueError):
        raise Wrong("numbers are asked for") from None
    expected = np.asarray(expected, dtype=float)
    require(array.shape == expected.shape, f"the shape is {array.shape}, not {expected.shape}")
    require(np.allclose(array, expected, rtol=rtol, atol=atol), "a value is not the right one")


def equal(got, expected):
    """Refuse what is not exactly equal; lists, tuples and arrays of the same entries are."""
    require(_plain(got) == _plain(expected), "a value is not the right one")


def _plain(value):
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(_plain(item) for item in value)
    if isinstance(value, set | frozenset):
        return {_plain(item) for item in value}
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value


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
    formula = answer if isinstance(answer, Formula) else decode(encode(answer))
    if isinstance(formula, int | float) and not isinstance(formula, bool):
        formula = Formula(["Float", float(formula)])
    require(isinstance(formula, Formula), "a formula is asked for")
    unknown = formula.symbols - set(ranges)
    require(not unknown, f"the formula has unknown symbols {sorted(unknown)}")
    points = {
        name: rng.uniform(*span, POINTS) if isinstance(span, tuple) else rng.choice(span, POINTS)
        for name, span in ranges.items()
    }
    try:
        got = np.broadcast_to(np.asarray(formula(**points), dtype=float), (POINTS,))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise Wrong(f"the formula cannot be evaluated: {error}") from None
    expected = np.broadcast_to(np.asarray(truth(**points), dtype=float), (POINTS,))
    require(np.allclose(got, expected, rtol=rtol, atol=0), "the formula has another value")


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
    try:
        draws = np.array(draws, dtype=float)
    except (TypeError, ValueError):
        raise Wrong("numbers are asked for") from None
    require(draws.shape == (size,), f"the shape is {draws.shape}, not {(size,)}")
    require(np.isfinite(draws).all(), "a draw is not finite")
    return draws
