r"""What a mechanism is, and one contract that every mechanism keeps.

A mechanism is an object that can `privatize` its input (or `release` an answer from data) and
states its guarantee as a value in `privacy`. What else it tells makes the contract sharper:

- ``channel()``, with ``inputs`` and ``outputs``: the exact law on a finite world;
- ``log_density(noise)`` with ``sensitivity``: additive noise;
- ``neighbours``: two inputs that it hides from each other, for an audit;
- ``variance``: of the noise in one coordinate;
- ``estimate``: an unbiased estimate from what was reported, which spends nothing.

:func:`check_mechanism` holds any of them to what they say, a reader's own among them;
:func:`find_mechanisms` finds those of the package.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy
from numpy.typing import ArrayLike

import minimaxdp
from minimaxdp import _validate, definitions, privacy
from minimaxdp._types import Array, Rng
from minimaxdp.guarantees import Approximate, Guarantee, Local, NonPrivate, Pure, TotalVariation

__all__ = ["Contract", "Mechanism", "check_mechanism", "find_mechanisms"]

# Each statistical check rejects a mechanism that keeps its word with at most this probability.
ERROR_RATE = 1e-6
# Relative rounding that an exact level may show.
_ROUNDING = 1e-9


@runtime_checkable
class Mechanism(Protocol):
    """Anything that states its guarantee and can be run."""

    @property
    def privacy(self) -> Guarantee:
        """What the output promises about the input."""

    def privatize(self, x: Any, *, rng: Rng = None) -> Any:
        """The private output for an input, or for each of several."""


@dataclass(frozen=True)
class Contract:
    """What was checked of a mechanism, and how.

    Attributes
    ----------
    checks : dict of str to str
        From the name of a check to how it was made.
    """

    checks: dict[str, str]

    def __str__(self) -> str:
        return "\n".join(f"{name}: {how}" for name, how in self.checks.items())


def check_mechanism(
    mechanism: Any, *, neighbours: tuple[Any, Any] | None = None, runs: int = 20_000, rng: Rng = 0
) -> Contract:
    """Hold a mechanism to what it says: its guarantee, its law, its moments, its arguments.

    The guarantee is compared with the exact one where the mechanism has a ``channel`` or a
    ``log_density``, and audited otherwise. Each statistical check rejects a mechanism that keeps
    its word with probability at most 1e-6, and with a fixed seed either always or never.

    Parameters
    ----------
    mechanism : Mechanism
        With ``privacy`` and ``privatize`` or ``release``; see the head of this module for what
        else is used if it is there.
    neighbours : pair, optional
        Two inputs that it hides from each other, for an audit; by default its own ``neighbours``,
        or what ``inputs`` or ``sensitivity`` tell.
    runs : int
        Runs on each input of every statistical check, at least 1000.
    rng : Generator, int or None
        Source of randomness.

    Returns
    -------
    Contract
        What was checked, and how.

    Raises
    ------
    AssertionError
        If the mechanism breaks its word; the message says which and by how much.
    TypeError, ValueError
        If it is no mechanism, or nothing says which inputs it hides.

    Examples
    --------
    >>> from minimaxdp.randomized_response import BinaryRR
    >>> print(check_mechanism(BinaryRR(1.0)))
    guarantee: exact, by the channel
    law: 2 inputs, 20000 runs each, against the channel
    unbiased: 20000 runs
    seeds: the same seed gives the same output, another one another
    bad input: refused by name
    """
    runs = _validate.one_integer("runs", runs, minimum=1000, maximum=10**7)
    if neighbours is not None and not (isinstance(neighbours, tuple) and len(neighbours) == 2):
        raise TypeError(f"neighbours must be a pair of inputs, got {neighbours!r}")
    generator = _validate.generator(rng)
    if not isinstance(getattr(mechanism, "privacy", None), Guarantee):
        raise TypeError(f"mechanism must state its privacy as a Guarantee, got {mechanism!r}")
    run = _runner(mechanism)
    checks: dict[str, str] = {}
    if hasattr(mechanism, "channel"):
        checks["guarantee"] = _exact_by_channel(mechanism)
        checks["law"] = _law_of_channel(mechanism, runs, generator)
    elif _additive(mechanism):
        checks["guarantee"] = _exact_by_density(mechanism)
        checks["law"] = _law_of_noise(mechanism, runs, generator)
    else:
        pair = neighbours or getattr(mechanism, "neighbours", None)
        if pair is None:
            raise ValueError("neighbours must be given: nothing says which inputs are hidden")
        checks["guarantee"] = _audited(mechanism, run, pair, runs, generator)
    first = _first_input(mechanism, neighbours)
    try:
        run(first, rng=0)
    except (TypeError, ValueError) as error:
        raise ValueError(f"neighbours must be inputs of the mechanism: {error}") from None
    if how := _moments(mechanism, first, runs, generator):
        checks["unbiased"] = how
    if not isinstance(mechanism.privacy, NonPrivate):
        checks["seeds"] = _seeds(run, first)
    checks["bad input"] = _bad_input(run, first)
    return Contract(checks)


def find_mechanisms() -> dict[str, type]:
    """The classes of the package that are mechanisms, by module and name.

    Returns
    -------
    dict of str to type
        Every exported class with ``privacy`` and ``privatize`` or ``release``.

    Examples
    --------
    >>> "randomized_response.BinaryRR" in find_mechanisms()
    True
    """
    found: dict[str, type] = {}
    for module in pkgutil.iter_modules(minimaxdp.__path__):
        if module.name.startswith("_") or module.name in ("mechanisms", "book"):
            continue
        face = importlib.import_module(f"minimaxdp.{module.name}")
        for name in getattr(face, "__all__", ()):
            thing = getattr(face, name)
            if inspect.isclass(thing) and not inspect.isabstract(thing) and _is_mechanism(thing):
                found[f"{module.name}.{name}"] = thing
    return found


def _is_mechanism(kind: type) -> bool:
    runs = hasattr(kind, "privatize") or hasattr(kind, "release")
    states = isinstance(getattr(kind, "privacy", None), property)
    return runs and (states or "privacy" in getattr(kind, "__dataclass_fields__", {}))


def _runner(mechanism: Any) -> Any:
    """The method that spends the budget."""
    run = getattr(mechanism, "privatize", None) or getattr(mechanism, "release", None)
    if run is None:
        raise TypeError(f"mechanism must have privatize or release, got {mechanism!r}")
    return run


def _additive(mechanism: Any) -> bool:
    law = hasattr(mechanism, "log_density") or hasattr(mechanism, "log_probability")
    return law and hasattr(mechanism, "sensitivity") and getattr(mechanism, "d", 1) == 1


def _first_input(mechanism: Any, neighbours: Any) -> Any:
    if neighbours is not None:
        return neighbours[0]
    if _additive(mechanism):
        return _answers(mechanism, 64)
    if hasattr(mechanism, "neighbours"):
        return mechanism.neighbours[0]
    return np.repeat(np.asarray(mechanism.inputs)[:1], 64, axis=0)


def _answers(mechanism: Any, size: int) -> Any:
    """The same true answer many times, whole where the mechanism takes whole numbers."""
    whole = isinstance(mechanism.sensitivity, int)
    start = mechanism.neighbours[0] if hasattr(mechanism, "neighbours") else 0
    return np.full(size, start, dtype=int if whole else float)


# --- the guarantee ------------------------------------------------------------------------------


def _pairs(mechanism: Any, inputs: int) -> Any:
    """Every two inputs of a person, or consecutive ones of a curator."""
    if isinstance(mechanism.privacy, Local):
        return None
    return list(pairwise(range(inputs)))


def _inner(stated: Guarantee) -> Guarantee:
    """What is promised for the one record of a local mechanism, or for the data of a curator."""
    return stated.inner if isinstance(stated, Local) else stated


def _exact_by_channel(mechanism: Any) -> str:
    channel, stated = np.asarray(mechanism.channel()), mechanism.privacy
    pairs = _pairs(mechanism, len(channel))
    inner = _inner(stated)
    true = definitions.guarantee_of(channel, type(inner), pairs, **inner.held())
    for name, level in true.levels.items():
        promised = getattr(inner, name)
        assert level <= promised * (1 + _ROUNDING) + 1e-15, (
            f"{mechanism!r} promises {stated} but keeps only {true}"
        )
    return "exact, by the channel"


def _log_law(mechanism: Any, points: Array) -> Array:
    if hasattr(mechanism, "log_probability"):
        return np.asarray(mechanism.log_probability(points.astype(np.int64)))
    return np.asarray(mechanism.log_density(points))


def _grid(mechanism: Any) -> tuple[Array, float]:
    """Points that carry all but 1e-9 of the noise, and the weight of each."""
    if hasattr(mechanism, "log_probability"):
        reach, step = 64, 1.0
        while np.exp(_log_law(mechanism, np.array([reach * 1.0]))[0]) > 1e-13:
            reach *= 2
        return np.arange(-reach, reach + 1.0), step
    step = float(40 * np.sqrt(mechanism.variance) / 2**19)
    return np.asarray((np.arange(-(2**19), 2**19) + 0.5) * step, dtype=float), step


def _exact_by_density(mechanism: Any) -> str:
    points, step = _grid(mechanism)
    shift = mechanism.sensitivity
    here, there = _log_law(mechanism, points), _log_law(mechanism, points - shift)
    stated = mechanism.privacy
    if stated.can_imply(Pure):
        worst = float(abs(here - there).max())
        epsilon = float(stated.implies(Pure).epsilon)
        assert worst <= epsilon * (1 + 1e-9) + 1e-9, (
            f"{mechanism!r} promises {stated}, but a ratio of densities reaches exp({worst})"
        )
        return "exact, by the ratio of densities"
    for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0):
        excess = np.maximum(np.exp(here) - np.exp(epsilon + there), 0).sum() * step
        promised = float(_delta(stated, epsilon))
        # A sum over cells errs by at most their width times the variation of a unimodal density.
        rule = 2 * step * (1 + np.exp(epsilon)) * np.exp(here.max())
        assert excess <= promised + rule, (
            f"{mechanism!r} promises delta {promised} at epsilon {epsilon}, but has {excess}"
        )
    return "exact, by integrals of the density"


def _delta(stated: Guarantee, epsilon: float) -> float:
    if isinstance(stated, Approximate) and epsilon == stated.epsilon:
        return stated.delta
    return stated.implies(Approximate, epsilon=epsilon).delta


def _audited(mechanism: Any, run: Any, pair: Any, runs: int, rng: np.random.Generator) -> str:
    stated = mechanism.privacy
    if isinstance(stated, NonPrivate):
        return "nothing is promised"
    inner = _inner(stated)
    if inner.can_imply(Pure):
        epsilon, delta = float(inner.implies(Pure).epsilon), 0.0
    elif isinstance(inner, TotalVariation):
        epsilon, delta = 0.0, float(inner.alpha)
    elif isinstance(inner, Approximate):
        epsilon, delta = float(inner.epsilon), float(inner.delta)
    else:
        epsilon, delta = float(inner.implies(Approximate, delta=1e-3).epsilon), 1e-3

    # Along the line on which the two inputs differ most in the mean of a few outputs.
    sample = [_flat(run(x, rng=rng)) for x in pair for _ in range(50)]
    direction = np.mean(sample[50:], axis=0) - np.mean(sample[:50], axis=0)
    direction /= np.linalg.norm(direction) or 1.0

    def along(x: Any, rng: np.random.Generator, size: int) -> Array:
        return np.array([_flat(run(x, rng=rng)) @ direction for _ in range(size)])

    runs = min(runs, 4_000)  # one call a run
    found = privacy.audit(along, *pair, runs=runs, delta=delta, level=1 - ERROR_RATE, rng=rng)
    assert not found.refutes(epsilon), (
        f"{mechanism!r} promises {stated}, but an audit finds epsilon {found.epsilon:.3g} "
        f"at delta {delta:g}"
    )
    return f"audited along one direction, {runs} runs: at least {found.epsilon:.3g} is spent"


def _flat(output: Any) -> Array:
    return np.asarray(output, dtype=float).ravel()


# --- the law ------------------------------------------------------------------------------------


def _law_of_channel(mechanism: Any, runs: int, rng: np.random.Generator) -> str:
    channel, inputs = np.asarray(mechanism.channel()), np.asarray(mechanism.inputs)
    outputs = np.asarray(mechanism.outputs, dtype=float).reshape(channel.shape[1], -1)
    place = {tuple(row): i for i, row in enumerate(outputs.round(9).tolist())}
    chosen = np.unique(np.linspace(0, len(inputs) - 1, 4).astype(int))
    for row in chosen:
        told = np.asarray(mechanism.privatize(np.repeat(inputs[[row]], runs, axis=0), rng=rng))
        told = told.reshape(runs, -1).astype(float).round(9)
        kinds, counts = np.unique(told, axis=0, return_counts=True)
        seen = np.zeros(channel.shape[1])
        for kind, count in zip(kinds.tolist(), counts, strict=True):
            assert tuple(kind) in place, f"{mechanism!r} gives {kind}, which is not in its outputs"
            seen[place[tuple(kind)]] = count
        _fits(mechanism, seen, channel[row], f"input {inputs[row]!r}", len(chosen))
    return f"{len(chosen)} inputs, {runs} runs each, against the channel"


def _fits(mechanism: Any, seen: Array, law: Array, where: str, tests: int) -> None:
    """A chi-square test, rare outcomes together."""
    expected = seen.sum() * law
    rare = expected < 5
    if rare.any():
        seen = np.append(seen[~rare], seen[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    assert not np.any((expected == 0) & (seen > 0)), (
        f"{mechanism!r} at {where} gives what its law rules out"
    )
    seen, expected = seen[expected > 0], expected[expected > 0]
    if len(seen) < 2:
        return
    p_value = scipy.stats.chisquare(seen, expected * seen.sum() / expected.sum()).pvalue
    assert p_value > ERROR_RATE / tests, (
        f"{mechanism!r} at {where} does not follow its law (p = {p_value:.1e})"
    )


def _law_of_noise(mechanism: Any, runs: int, rng: np.random.Generator) -> str:
    discrete = hasattr(mechanism, "log_probability")
    points, step = _grid(mechanism)
    mass = np.exp(_log_law(mechanism, points)) * step
    rule = 1e-9 if discrete else 2 * mass.max() + 1e-6  # of a unimodal density, by cells
    assert abs(mass.sum() - 1) <= rule, f"{mechanism!r} has a density that sums to {mass.sum()}"
    answers = _answers(mechanism, runs)
    noise = np.asarray(mechanism.privatize(answers, rng=rng) - answers, dtype=float)
    # Forty cells of equal probability, so that every one of them is well filled.
    total = mass.cumsum()
    edges = np.unique(points[np.searchsorted(total, np.linspace(0, 1, 41)[1:-1] * total[-1])])
    edges = edges + (0.5 if discrete else step / 2)
    seen = np.bincount(np.searchsorted(edges, noise), minlength=len(edges) + 1)
    law = np.bincount(np.searchsorted(edges, points), weights=mass, minlength=len(edges) + 1)
    _fits(mechanism, seen.astype(float), law / law.sum(), "answer 0", 1)
    return f"{runs} runs against its {'probabilities' if discrete else 'density'}"


# --- moments, seeds, arguments ------------------------------------------------------------------


def _moments(mechanism: Any, first: Any, runs: int, rng: np.random.Generator) -> str | None:
    """Unbiased, and of the stated variance, where the mechanism adds noise to an answer."""
    if hasattr(mechanism, "channel") and hasattr(mechanism, "outputs"):
        if not hasattr(mechanism, "estimate"):
            return None
        inputs = np.asarray(mechanism.inputs)
        records = np.repeat(inputs, runs // len(inputs), axis=0)
        reports = mechanism.privatize(records, rng=rng)
        tally = mechanism.tally(reports) if hasattr(mechanism, "tally") else int(reports.sum())
        found = np.atleast_1d(mechanism.estimate(tally, len(records)))
        share = np.full(found.shape, 1 / len(inputs))
        spread = np.sqrt(
            np.atleast_1d(mechanism.risk(share if len(share) > 1 else 0.5, len(records)))
        )
        limit = scipy.stats.norm.isf(ERROR_RATE / found.size / 2) * spread
        assert np.all(abs(found - share) <= limit), (
            f"{mechanism!r} estimates {found} where the truth is {share}"
        )
        return f"{runs} runs"
    if not _additive(mechanism):
        return None
    answers = _answers(mechanism, runs)
    noise = np.asarray(mechanism.privatize(answers, rng=rng) - answers, dtype=float)
    error = np.sqrt(mechanism.variance / runs)
    limit = scipy.stats.norm.isf(ERROR_RATE / 2) * error
    assert abs(noise.mean()) <= limit, f"{mechanism!r} has a bias: {noise.mean():.3g}"
    fourth = float((noise**4).mean())
    gap = abs(float((noise**2).mean()) - mechanism.variance)
    assert gap <= scipy.stats.norm.isf(ERROR_RATE / 2) * np.sqrt(fourth / runs), (
        f"{mechanism!r} states variance {mechanism.variance:.4g}, has {(noise**2).mean():.4g}"
    )
    return f"{runs} runs, and of the stated variance"


def _seeds(run: Any, first: Any) -> str:
    one, same, other = (_flat(run(first, rng=seed)) for seed in (7, 7, 8))
    assert np.array_equal(one, same), "the same seed must give the same output"
    more = [_flat(run(first, rng=seed)) for seed in range(9, 40)]
    differs = any(not np.array_equal(one, x) for x in [other, *more])
    assert differs, "another seed must give another output"
    _flat(run(first))  # a fresh generator
    return "the same seed gives the same output, another one another"


_BAD: tuple[ArrayLike, ...] = ("text", [np.nan], [[1.0], [1.0, 2.0]], [], [1j], [None])  # type: ignore


def _bad_input(run: Any, first: Any) -> str:
    bad = [*_BAD, np.ma.array(np.asarray(first), mask=True)]
    for value in bad:
        try:
            out = run(value, rng=0)
        except (TypeError, ValueError) as error:
            name = next(iter(inspect.signature(run).parameters))
            assert name in str(error), f"bad input {value!r} is refused without its name: {error}"
        else:
            raise AssertionError(f"bad input {value!r} goes through and gives {out!r}")
    for seed in ("seed", 1.5, -1):
        try:
            run(first, rng=seed)
        except (TypeError, ValueError) as error:
            assert "rng" in str(error), f"a bad seed is refused without its name: {error}"
        else:
            raise AssertionError(f"the seed {seed!r} goes through")
    return "refused by name"
