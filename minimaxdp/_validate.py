"""Checks of arguments, made before any work is done.

Every function returns the checked value as numpy sees it, or raises a TypeError (wrong kind)
or a ValueError (wrong value) whose message names the argument, the value and the condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import wraps
from inspect import signature
from operator import index
from os import cpu_count
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")
P = ParamSpec("P")

# What one call may hold at once. Beyond it a machine of a reader swaps, or the kernel dies.
MOST_BYTES = 2**31

# Rows given in decimals, such as thirds to ten digits, are laws; rows off by more are mistakes.
SUM_TOLERANCE = 1e-9


def real(
    name: str,
    value: ArrayLike,
    *,
    above: float | None = None,
    below: float | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    infinite: bool = False,
) -> Any:
    """Finite real numbers, or infinite too, within bounds that are strict (above, below) or not."""
    array = _numeric(name, value, "iuf", "real numbers").astype(float)
    if infinite:
        _refuse(name, array, ~(array > -np.inf), "must be a number or plus infinity")
    else:
        _refuse(name, array, ~np.isfinite(array), "must be finite")
    _within(name, array, above, below, minimum, maximum)
    return array[()]


def epsilon(
    value: ArrayLike, name: str = "epsilon", *, minimum: float | None = None, maximum: float = 700
) -> Any:
    """A privacy budget in nats: positive, and small enough for exp(epsilon) to be a double."""
    return real(name, value, above=0, minimum=minimum, maximum=maximum)


def scale(name: str, value: ArrayLike) -> Any:
    """The scale of noise: positive, neither it nor its square too large or small for a double."""
    return real(name, value, above=0, minimum=1e-150, maximum=1e150)


def moment(k: ArrayLike) -> Any:
    """The order of a bounded moment, from 2 to a million; infinite for bounded data."""
    found = np.asarray(real("k", k, minimum=2, infinite=True))
    _refuse("k", found, (found > 1e6) & np.isfinite(found), "must be at most 1e+06, or infinite")
    return found[()]


def fraction(
    name: str,
    value: Any,
    *,
    above: Fraction | int | None = None,
    below: Fraction | int | None = None,
    minimum: Fraction | int | None = None,
    maximum: Fraction | int | None = None,
) -> Fraction:
    """An exact number that stands alone, within bounds as for `real`."""
    found = instance(name, value, Fraction)
    _within(name, found, above, below, minimum, maximum)
    return found


def integer(name: str, value: ArrayLike, *, minimum: int, maximum: int | None = None) -> Any:
    """Integers of an integer type, at least `minimum`; 3.0 is refused as a likely slip."""
    array = _numeric(name, value, "iu", "integers")
    _refuse(name, array, array < minimum, f"must be at least {minimum}")
    if maximum is not None:
        _refuse(name, array, array > maximum, f"must be at most {maximum}")
    # Sums and products of narrow or unsigned integers would wrap around.
    return _signed(name, array)[()]


def scalar(name: str, value: Any) -> Any:
    """A checked number that must stand alone, for parameters that do not broadcast."""
    if np.ndim(value) != 0:
        raise ValueError(f"{name} must be a single number, got an array of shape {np.shape(value)}")
    return value.item()


def single_levels(privacy: T) -> T:
    """A guarantee whose levels are single numbers, for functions that do not broadcast it."""
    for name, level in privacy.levels_as_arrays().items():  # type: ignore[attr-defined]
        scalar(f"privacy's {name}", level)
    return privacy


def one_real(name: str, value: Any, **bounds: Any) -> float:
    """A real number that stands alone, within bounds as for `real`."""
    return scalar(name, real(name, value, **bounds))


def one_integer(name: str, value: Any, **bounds: Any) -> int:
    """An integer that stands alone, within bounds as for `integer`."""
    return scalar(name, integer(name, value, **bounds))


def one_epsilon(value: Any, name: str = "epsilon", **bounds: float) -> float:
    """A single privacy budget, within bounds as for `epsilon`."""
    return scalar(name, epsilon(value, name, **bounds))


def one_scale(name: str, value: Any) -> float:
    """A single scale."""
    return scalar(name, scale(name, value))


def interval(low: Any, high: Any, **bounds: Any) -> tuple[float, float]:
    """The ends of a range, the first below the second, each within bounds as for `real`."""
    low, high = one_real("low", low, **bounds), one_real("high", high, **bounds)
    if low >= high:
        raise ValueError(f"high must be greater than low, got low = {low:g} and high = {high:g}")
    return low, high


def numbers(name: str, values: ArrayLike) -> NDArray[Any]:
    """Real numbers as they are, without a copy; whether they are finite is not checked."""
    return _numeric(name, values, "iuf", "real numbers")


def bits(name: str, values: ArrayLike) -> NDArray[np.uint8]:
    """Zeros and ones (or booleans), at least one of them; the caller's array if it fits."""
    array = _numeric(name, values, "biu", "0 and 1 of an integer or boolean type")
    _records(name, array)
    # All digits of all entries together: one pass over the data, where a range takes two.
    if array.dtype != bool and np.bitwise_or.reduce(array, axis=None) not in (0, 1):
        _refuse(name, array, (array < 0) | (array > 1), "must be 0 or 1")
    return array.astype(np.uint8, copy=False)


def categories(name: str, values: ArrayLike, d: int) -> NDArray[np.integer]:
    """Category numbers 0, ..., d - 1, at least one of them."""
    array = _numeric(name, values, "iu", "integers")
    _records(name, array)
    if array.min() < 0 or array.max() >= d:  # no temporary unless it fails: data are large
        _refuse(name, array, (array < 0) | (array >= d), f"must lie in 0, ..., {d - 1}")
    return _signed(name, array) if array.dtype == np.uint64 else array


def distribution(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Probability vectors along the last axis."""
    array = np.asarray(real(name, values, minimum=0, maximum=1 + SUM_TOLERANCE))
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(f"{name} must hold at least one probability along its last axis")
    total = array.sum(axis=-1)
    _refuse(name, total, abs(total - 1) > SUM_TOLERANCE, "must sum to one along the last axis")
    return array


def two_laws(p: ArrayLike, q: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two probability vectors on the same outcomes."""
    p, q = distribution("p", p), distribution("q", q)
    if p.ndim != 1 or p.shape != q.shape:
        raise ValueError(f"p and q must be two laws on one set, got {p.shape} and {q.shape}")
    return p, q


def channel(name: str, matrix: ArrayLike) -> NDArray[np.float64]:
    """A row-stochastic matrix: one row an input, one column an output."""
    array = distribution(name, matrix)
    if array.ndim != 2:
        raise ValueError(f"{name} must be a matrix (inputs, outputs), got {array.ndim} axes")
    return array


def counts(name: str, values: ArrayLike) -> NDArray[np.integer]:
    """How many records hold each value, along the last axis: integers, not all zero."""
    array = np.asarray(integer(name, values, minimum=0))
    if array.ndim == 0:
        raise ValueError(f"{name} must be a vector of counts, got a single number")
    if np.any(array.sum(axis=-1) == 0):
        raise ValueError(f"{name} must count at least one record")
    return array


def vectors(name: str, values: ArrayLike, d: int) -> NDArray[np.float64]:
    """Real vectors with d entries along the last axis."""
    return entries(name, np.asarray(real(name, values)), d)


def entries(name: str, array: NDArray[Any], d: int) -> NDArray[Any]:
    """A checked array, if it has d entries along its last axis."""
    if array.ndim == 0 or array.shape[-1] != d:
        raise ValueError(f"{name} must have {d} entries along its last axis, got {array.shape}")
    return array


def rows(name: str, array: NDArray[Any], d: int) -> NDArray[Any]:
    """A checked array, if it is a matrix of d columns."""
    if array.ndim != 2 or array.shape[1] != d:
        raise ValueError(f"{name} must have shape (n, {d}), got {array.shape}")
    return array


def pairs(values: ArrayLike | None, inputs: int) -> NDArray[np.int64]:
    """Neighbours among inputs (all of them if none are named) in both orders, shape (2m, 2)."""
    if values is None:
        memory("pairs", inputs, inputs, 2)
        found = np.column_stack(np.triu_indices(inputs, 1))
    else:
        found = np.asarray(integer("pairs", values, minimum=0, maximum=inputs - 1))
        if found.ndim != 2 or found.shape[1] != 2:
            raise ValueError(f"pairs must have shape (m, 2), got {found.shape}")
    return np.concatenate([found, found[:, ::-1]])


def neighbours(matrix: ArrayLike, values: ArrayLike | None) -> tuple[Any, NDArray[np.int64]]:
    """A channel of at least two inputs, and its neighbours in both orders."""
    checked = channel("channel", matrix)
    if len(checked) < 2:
        raise ValueError("channel must have at least two inputs, got 1")
    return checked, pairs(values, len(checked))


def losses(name: str, values: ArrayLike, size: int) -> NDArray[np.float64]:
    """What a function of that name returned: as many losses as asked for, or rows of them."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must return real numbers, got {_brief(values)}")
    array = array.astype(float, copy=False)
    if array.ndim not in (1, 2) or array.shape[0] != size:
        raise ValueError(
            f"{name} must return shape ({size},) or ({size}, columns), got {array.shape}"
        )
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must return finite values, got NaN or infinity")
    return array


def choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """One of a few words."""
    allowed = tuple(allowed)
    words = ", ".join(allowed)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {words}, got {_brief(value)}")
    if value not in allowed:
        raise ValueError(f"{name} must be one of {words}, got {value!r}")


def flag(name: str, value: Any) -> bool:
    """True or False, and nothing that only counts as one of them, such as "no"."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {_brief(value)}")
    return bool(value)


def instance(name: str, value: Any, kind: type[T]) -> T:
    """An object of a class."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, got {_brief(value)}")
    return value


def mapping(name: str, value: T) -> T:
    """Something like a dict."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping such as a dict, got {_brief(value)}")
    return value


def function(name: str, value: T) -> T:
    """Something that can be called."""
    if not callable(value):
        raise TypeError(f"{name} must be callable, got {_brief(value)}")
    return value


def items(name: str, values: Any) -> list[Any]:
    """The entries of a list, a set, an array or the like; a text is one value and no list."""
    if isinstance(values, str | bytes | np.ma.MaskedArray) or not np.iterable(values):
        raise TypeError(f"{name} must be a list of values, got {_brief(values)}")
    return list(values)


def generator(rng: Any, name: str = "rng") -> np.random.Generator:
    """A source of randomness: a Generator as it is, one from a seed, or a fresh one for None."""
    if rng is None or isinstance(
        rng, np.random.Generator | np.random.SeedSequence | np.random.BitGenerator
    ):
        return np.random.default_rng(rng)
    if isinstance(rng, bool | np.bool_) or not isinstance(rng, int | np.integer):
        raise TypeError(f"{name} must be a Generator, a seed or None, got {_brief(rng)}")
    if rng < 0:
        raise ValueError(f"{name} must be a seed of at least 0, got {rng}")
    return np.random.default_rng(int(rng))


def size(value: Any, name: str = "size") -> int | tuple[int, ...] | None:
    """How many draws: a number, a shape, or None; small enough to be held."""
    if value is None:
        return None
    parts = value if isinstance(value, tuple) else (value,)
    shape = []
    for part in parts:
        if isinstance(part, bool | np.bool_):
            raise TypeError(f"{name} must be integers, got {part}")
        try:
            shape.append(index(part))
        except TypeError:
            raise TypeError(
                f"{name} must be an integer or a tuple of them, got {_brief(value)}"
            ) from None
    if any(part < 0 for part in shape):
        raise ValueError(f"{name} must be at least 0, got {value}")
    memory(name, *shape)
    return tuple(shape) if isinstance(value, tuple) else shape[0]


def processes(value: Any, other: str) -> int:
    """How many worker processes, from 1 to 1024, with -1 for one on each core."""
    number = one_integer("workers", value, minimum=-1, maximum=1024)
    if number == 0:
        raise ValueError(f"workers must be -1, a positive integer or {other}, got 0")
    return (cpu_count() or 1) if number == -1 else number


def memory(name: str, *shape: float, itemsize: int = 8) -> None:
    """Refuse, before anything is allocated, an array of that shape that would be too large."""
    needed = float(itemsize)
    for part in shape:
        needed *= float(min(part, 1e30))  # an int may be too large for a double
    if needed > MOST_BYTES:
        raise ValueError(
            f"{name} must leave arrays of at most {MOST_BYTES / 2**30:g} GiB, "
            f"but these would need {needed / 2**30:.3g} GiB"
        )


def broadcast(**values: Any) -> tuple[int, ...]:
    """The common shape of arguments that broadcast against each other."""
    shapes = [np.shape(value) for value in values.values()]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"{' and '.join(values)} must broadcast, got shapes {shapes}") from None


def broadcasting(function: Callable[P, T]) -> Callable[P, T]:
    """A function whose arguments broadcast: of shapes that do not, its error names the arguments.

    It looks at them only where numpy has refused them, and so costs a call that is good nothing.
    """

    @wraps(function)
    def run(*args: P.args, **given: P.kwargs) -> T:
        try:
            return function(*args, **given)
        except ValueError as error:
            if "be broadcast" in str(error):  # words of numpy, and not of a check here
                broadcast(**_arrays(signature(function).bind(*args, **given).arguments))
            raise

    return run


def draws(
    value: Any, *parameters: tuple[int, ...], name: str = "size"
) -> int | tuple[int, ...] | None:
    """A number of draws as for `size`, to which parameters of the given shapes broadcast."""
    shape = size(value, name)
    if shape is not None:
        wanted = shape if isinstance(shape, tuple) else (shape,)
        together = np.broadcast_shapes(*parameters)
        try:
            fits = np.broadcast_shapes(wanted, together) == wanted
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"{name} must be a shape that {together} broadcasts to, got {value}")
    return shape


def freeze(target: Any, **values: Any) -> None:
    """Set the checked fields of a frozen dataclass, from its `__post_init__` alone."""
    for name, value in values.items():
        object.__setattr__(target, name, value)


def _numeric(name: str, value: ArrayLike, kinds: str, wanted: str) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        # np.asarray would drop the mask, and what was masked would be used and released.
        raise TypeError(f"{name} must not be a masked array: fill it or leave the entries out")
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of unequal length
        raise ValueError(f"{name} must be a rectangular array: {error}") from None
    if array.size == 0:
        raise ValueError(f"{name} must not be empty")
    if array.dtype.kind not in kinds:
        raise TypeError(f"{name} must be {wanted}, got {_shown(array)} of type {array.dtype}")
    return array


def _signed(name: str, array: NDArray[np.integer]) -> NDArray[np.int64]:
    limit = np.iinfo(np.int64).max
    if array.dtype == np.uint64:
        _refuse(name, array, array > limit, f"must be at most {limit}")
    return array.astype(np.int64, copy=False)


def _arrays(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with axes, and levels of a guarantee that have them, by name."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if hasattr(value, "levels_as_arrays"):
            levels = value.levels_as_arrays().items()
            found |= {f"{name}'s {level}": held for level, held in levels}
        elif isinstance(value, list | tuple | np.ndarray):
            found[name] = value
    return {name: value for name, value in found.items() if np.ndim(value)}


def _records(name: str, array: NDArray[Any]) -> None:
    if array.ndim == 0:
        raise ValueError(f"{name} must be an array of records, got the single value {array[()]!r}")


def _within(
    name: str,
    values: Any,
    above: float | Fraction | None,
    below: float | Fraction | None,
    minimum: float | Fraction | None,
    maximum: float | Fraction | None,
) -> None:
    """Refuse what is not within bounds that are strict (above, below) or not."""
    if above is not None:
        _refuse(name, values, values <= above, f"must be greater than {float(above):g}")
    if below is not None:
        _refuse(name, values, values >= below, f"must be less than {float(below):g}")
    if minimum is not None:
        _refuse(name, values, values < minimum, f"must be at least {float(minimum):g}")
    if maximum is not None:
        _refuse(name, values, values > maximum, f"must be at most {float(maximum):g}")


def _refuse(name: str, array: NDArray[Any], bad: NDArray[np.bool_] | Any, condition: str) -> None:
    if np.count_nonzero(bad):  # as np.any, and faster on a single number
        raise ValueError(f"{name} {condition}, got {np.asarray(array)[np.asarray(bad)].flat[0]!s}")


def _brief(value: Any) -> str:
    """A value for a message: its type alone where its text would fill the screen."""
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _shown(array: NDArray[Any]) -> str:
    return repr(array.flat[0].item() if array.dtype.kind != "O" else array.flat[0])
