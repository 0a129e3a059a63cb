"""Mechanisms tested for privacy: the exact law of their noise, fresh and independent draws.

A mechanism is a function of the student whose last argument is a numpy generator. Each check here
refuses a right one with probability at most `LEVEL`, which its parts share. What the parts notice,
by exact laws: noise that is 10 per cent too large or too small, with probability at least 0.99 from
`ENOUGH` draws on; a tail cut nearer than ln(draws) - 3.6 scales; a fixed seed, a seed of few
values, a generator that is not the one given; a grid in place of chance; one output without noise;
noise that is used twice, mirrored, or shared by rows, columns or calls.
"""

import copy
import math
from functools import cache

import numpy as np
from scipy import stats

from .checks import LEVEL, Undecided, Wrong, plain, require, values

ENOUGH = 8_000
SHORT_CALLS = 40
PARTS = 16
TIES = 3
NOTHING = 1e-12
GRID = 1e-11


def laplace(z):
    """The distribution function of standard Laplace noise."""
    tail = np.exp(-np.abs(z)) / 2
    return np.where(z < 0, tail, 1 - tail)


def additive(function, cases, noise, rng, cdf=laplace, level=LEVEL):
    """Test the noise of a mechanism: its law, and that it is fresh, independent and everywhere.

    cases: tuples of the arguments before the generator, the first one short; noise: a function from
    a case and the output there to the noise in it, in units of its scale, as rows and columns; cdf:
    the continuous law of that noise, symmetric about 0. In all at least `ENOUGH` draws.
    """
    cases, share = list(cases), level / PARTS
    outputs = fresh(function, cases[0], rng)
    outputs += values(function, [(*case, _generator(rng)) for case in cases[1:]])
    asked = [cases[0]] * SHORT_CALLS + cases[1:]
    blocks = [_block(noise, case, output) for case, output in zip(asked, outputs, strict=True)]
    draws = np.concatenate([block.ravel() for block in blocks])
    if len(draws) < ENOUGH:
        raise ValueError(f"cases must give at least {ENOUGH} draws, got {len(draws)}")
    require((np.abs(draws) > NOTHING).all(), "an output carries no noise")
    ties = len(draws) - len(np.unique(np.round(np.abs(draws) / GRID)))
    require(ties <= TIES, "values of the noise repeat: it is shared, mirrored, cut or rounded")
    for side in (1, -1):
        beyond = (side * draws).max()
        # The largest of independent draws is at most x with chance F(x)^size.
        chance = len(draws) * math.log(max(float(cdf(np.array(beyond))), 1e-300))
        require(chance >= math.log(share), "the noise never goes far out: its tails are cut")
    _scale(cdf(draws), share)
    _shape(cdf(draws), share)
    _independent(blocks, share)


def bits(function, short, case, truth, chance, rng, level=LEVEL):
    """Test bits that are each flipped, independently, with a chance of their own law.

    short, case: the arguments before the generator, for a few people and for at least `ENOUGH`, the
    same ones first; truth: the rows and columns of the true bits; chance: that a reported bit is
    true.
    """
    rows, columns = truth.shape
    if rows < ENOUGH:
        raise ValueError(f"case must have at least {ENOUGH} people, got {rows}")
    share = level / (PARTS + columns * (columns - 1) // 2)
    few = np.array(fresh(function, short, rng))
    require(few.shape[1:] in {(n, columns) for n in range(1, rows)}, "the shape is not (n, d)")
    few = few == truth[: few.shape[1]]
    for person in range(few.shape[1]):
        # A share of the level for all people together.
        each = share / few.shape[1]
        _count(
            few[:, person], chance, each, "a person's bits are not true as often as they should be"
        )
    # Chance scatters; of a grid every call has the same number of true bits. The chance that some
    # number comes so often is at most the sum over all numbers.
    size = few[0].size
    counts = np.bincount(few.reshape(len(few), -1).sum(axis=1), minlength=size + 1)
    likely = stats.binom.pmf(np.arange(size + 1), size, chance).max()
    most = stats.binom.isf(share / (size + 1), len(few), likely)
    require(counts.max() <= most, "the bits are more even than chance: a grid, not random")
    right = []
    for output in values(function, [(*case, _generator(rng)) for _ in range(2)]):
        shown = _numbers(output)
        require(shown.shape == truth.shape, f"the shape is {shown.shape}, not {truth.shape}")
        require(np.isin(shown, (0, 1)).all(), "a report is not a bit")
        right.append(shown == truth)
    first, second = right
    for own in (True, False):
        _count(first[truth == own], chance, share, "a bit is not true as often as it should be")
    _count(first, chance, share, "the bits are not true as often as they should be")
    both = chance**2
    for j in range(columns):
        for k in range(j):
            together = first[:, j] & first[:, k]
            _count(together, both, share, "the bits of one person are not independent")
    half = rows // 2
    pairs = first[: 2 * half : 2] & first[1 : 2 * half : 2]
    _count(pairs[:, 0], both, share, "the people are not independent")
    _count(first[:half] & first[-half:], both, share, "the people are not independent")
    same = chance**2 + (1 - chance) ** 2
    _count(first == second, same, share, "two calls are not independent")


def contract(function, epsilon, d, rng):
    """Hold a student's unary randomized response to the contract of the book's own mechanisms.

    It is refused only if it breaks the contract twice, with fresh draws: the contract refuses a
    right one with probability about 1e-6 each time.
    """
    import sys

    from .sets import COURSE

    root = str(COURSE.parents[1])
    if root not in sys.path:
        sys.path.append(root)
    try:
        from minimaxdp.mechanisms import check_mechanism
        from minimaxdp.randomized_response import SymmetricUnary
    except ImportError as error:
        raise Undecided(f"the book's package cannot be loaded: {error}") from None

    class Students(SymmetricUnary):
        """The book's mechanism, with the bits that the student's function reports."""

        def privatize(self, categories, *, rng=None):
            super().privatize(categories, rng=rng)  # which refuses what is no input
            seed = rng if isinstance(rng, int) else getattr(rng, "integers", _seed)(2**62)
            case = (np.asarray(categories), d, epsilon, np.random.default_rng(seed))
            shown = _numbers(values(function, [case])[0])
            require(shown.shape == (len(case[0]), d), "the shape is not (n, d)")
            return shown.astype(int)

    for attempt in (1, 2):
        try:
            return check_mechanism(Students(epsilon=epsilon, d=d), runs=2_000, rng=_generator(rng))
        except Wrong:
            raise
        except AssertionError as broken:
            reason = str(broken).split(") ", 1)[-1]
            if attempt == 2:
                raise Wrong(f"the mechanism {reason}"[:200]) from None


def _seed(limit):
    return int(np.random.default_rng().integers(limit))


def withholds(function, cases):
    """Refuse a mechanism that answers these cases by numbers: without a budget it must stop."""
    for case in cases:
        try:
            (output,) = values(function, [case])
        except Wrong:
            continue
        try:
            shown = np.asarray(output, dtype=float)
        except (TypeError, ValueError):
            continue
        require(
            not shown.size or not np.isfinite(shown).any(),
            "without a budget nothing may be released",
        )


def shaped(output, shape):
    """The output as an array of this shape."""
    shown = _numbers(output)
    require(shown.shape == shape, f"the shape is {shown.shape}, not {shape}")
    return shown


def _generator(rng):
    return np.random.default_rng(int(rng.integers(2**62)))


def fresh(function, case, rng):
    """Call a mechanism again and again on one case; return independent outputs.

    Two calls with one generator differ, equal generators agree, and no two others give one output.
    """
    one = _generator(rng)
    again = copy.deepcopy(one)
    # Both calls share `one` as they arrive: the second draws what the first left.
    first, second, repeated = values(function, [(*case, one), (*case, one), (*case, again)])
    others = values(function, [(*case, _generator(rng)) for _ in range(SHORT_CALLS - 2)])
    shown = [_numbers(output) for output in (first, second, repeated, *others)]
    require(all(x.shape == shown[0].shape for x in shown), "two calls differ in their shape")
    require(
        np.array_equal(shown[0], shown[2]),
        "equal generators must give equal answers: draw from rng alone",
    )
    require(not np.array_equal(shown[0], shown[1]), "two calls give the same noise")
    seen = {x.tobytes() for index, x in enumerate(shown) if index != 2}
    require(len(seen) == SHORT_CALLS, "calls with different generators give the same noise")
    return [first, second, *others]


def _numbers(output):
    try:
        shown = np.array(plain(output), dtype=float)
    except (TypeError, ValueError):
        raise Wrong("numbers are asked for") from None
    require(np.isfinite(shown).all(), "a value is not finite")
    return shown


def _block(noise, case, output):
    block = np.asarray(noise(case, _numbers(output)), dtype=float)
    return block[:, None] if block.ndim == 1 else block


def _scale(u, share):
    """The sum of -ln(2 min(u, 1 - u)) over uniform u is a Gamma variable of their number."""
    with np.errstate(divide="ignore"):
        total = -np.log(np.maximum(2 * np.minimum(u, 1 - u), 1e-300)).sum()
    low, high = _gamma(len(u), share)
    require(total >= low, "the noise is too small")
    require(total <= high, "the noise is too large")


def _shape(u, share):
    """The exact law of Kolmogorov's statistic, from both sides: chance is never too even."""
    u, size = np.sort(u), len(u)
    steps = np.arange(size + 1) / size
    gap = max((steps[1:] - u).max(), (u - steps[:-1]).max())
    low, high = _kolmogorov(size, share)
    require(gap <= high, "the noise does not have the right law")
    require(gap >= low, "the noise is more even than chance: a grid, not random")


def _independent(blocks, share):
    """Signs and sizes of neighbours in rows, in columns and in calls agree as often as coins."""
    pairs = {"columns": [], "rows": [], "calls": []}
    for block in blocks:
        for kind in (block > 0, np.abs(block) > np.log(2)):
            pairs["columns"].append((kind[:, 1:] == kind[:, :-1]).ravel())
            pairs["rows"].append((kind[1:] == kind[:-1]).ravel())
    for one, other in zip(blocks[:SHORT_CALLS], blocks[1:SHORT_CALLS]):
        pairs["calls"].append(((one > 0) == (other > 0)).ravel())
    for where, found in pairs.items():
        signs, sizes = (found, []) if where == "calls" else (found[::2], found[1::2])
        for agree in (signs, sizes):
            if agree and sum(map(len, agree)):
                _count(np.concatenate(agree), 0.5, share, f"the noise of two {where} is related")


def _count(hits, chance, share, reason):
    """The exact binomial law of a number of successes."""
    hits = np.asarray(hits)
    low, high = _binomial(hits.size, round(float(chance), 15), share)
    require(low <= int(hits.sum()) <= high, reason)


@cache
def _gamma(size, share):
    return stats.gamma.ppf(share, size), stats.gamma.isf(share, size)


@cache
def _kolmogorov(size, share):
    return stats.kstwo.ppf(share, size), stats.kstwo.isf(share, size)


def _binomial(size, chance, share):
    return stats.binom.ppf(share / 2, size, chance), stats.binom.isf(share / 2, size, chance)


__all__ = ["additive", "bits", "contract", "fresh", "laplace", "shaped", "withholds"]
