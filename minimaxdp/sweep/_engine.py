"""Run a sweep: cut it into chunks, hand them out, write down what comes back."""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from itertools import product
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol

import numpy as np

import minimaxdp
from minimaxdp import _validate
from minimaxdp.sweep._table import Key, Result, _combine, _Table

__all__ = ["grid", "run"]

Simulate = Callable[..., Any]
Progress = bool | Callable[[int, int], object]
# Chunks handed out and not yet back: enough to keep a cluster busy, few enough to remember.
_PENDING = 256
# What the call of `simulate`, a line of the table and a row of the frame name themselves.
_OWN_NAMES = {
    *("rng", "size", "cell", "chunk", "replications"),
    *("mean", "squares", "standard_error", "column"),
}
_KINDS = (str, bool, int, float, type(None))


class _Executor(Protocol):
    """What a sweep needs of an executor: of concurrent.futures, of dask, or of any other kind."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Return a future, with ``result`` and ``add_done_callback``."""


def grid(**axes: Any) -> list[dict[str, Any]]:
    """Every combination of settings, the last named varying fastest.

    Parameters
    ----------
    **axes
        By name, one value or a sequence of values: strings, finite numbers, booleans or None.

    Returns
    -------
    list of dict

    Raises
    ------
    TypeError, ValueError
        If no axis is named, or one is empty or holds anything else.

    Examples
    --------
    >>> grid(mechanism="binary", n=[10, 100], epsilon=[0.5, 1.0])[1]
    {'mechanism': 'binary', 'n': 10, 'epsilon': 1.0}
    """
    if not axes:
        raise ValueError("axes must name at least one setting")
    columns = []
    for name, values in axes.items():
        one = isinstance(values, str | bytes) or not np.iterable(values)
        columns.append([values] if one else list(values))
        if not columns[-1]:
            raise ValueError(f"{name} must hold at least one value")
        for value in columns[-1]:
            if not isinstance(_plain(value), _KINDS):
                raise TypeError(
                    f"{name} must hold strings, numbers, booleans or None, got {value!r}"
                )
            if isinstance(_plain(value), float) and not np.isfinite(value):
                raise ValueError(f"{name} must be finite, got {value!r}")
    return [dict(zip(axes, row, strict=True)) for row in product(*columns)]


def run(
    simulate: Simulate,
    cells: Sequence[Mapping[str, Any]],
    path: str | os.PathLike[str],
    *,
    replications: int,
    seed: int,
    chunk: int = 1_000,
    workers: int | _Executor = 1,
    progress: Progress = False,
    extend: bool = False,
) -> list[Result]:
    """Average a random loss in every cell of a grid, writing each chunk down as it is done.

    Chunk c of cell i draws from ``SeedSequence(seed, spawn_key=(i, c))``; so the table depends
    on the seed and the chunk alone, to the last bit, and not on the workers. A run that was
    killed is taken up where it stopped by calling it again with the same arguments.

    Parameters
    ----------
    simulate : callable
        ``simulate(rng, size, **cell)`` returns `size` independent losses: shape (size,) or
        (size, columns). For workers in other processes it is a function at the top of a module
        that they can import; a cluster of dask takes any.
    cells : sequence of dict
        The grid, such as :func:`grid` makes; all different, all with the same names.
    path : path
        The table: a new file, or the one to take up again.
    replications : int
        Of each cell, at least 2.
    seed : int
        At least 0; without one there would be nothing to take up.
    chunk : int
        Replications asked of `simulate` at once; bounds its memory and what a kill can lose.
    workers : int or executor
        1 is the calling thread, a larger number up to 1024 is that many processes, and -1 one for
        each core; anything with a ``submit`` method that returns futures is used as it is.
    progress : bool or callable
        True draws one line on stderr; a callable receives the chunks done and the chunks in all.
    extend : bool
        Whether the file may be the table of a smaller sweep, with fewer replications or with only
        the first of `cells`. What it holds is kept, and in the end it is what one run of the
        larger sweep would have written. Only the last chunk of a cell is drawn anew where it was
        shorter than `chunk`.

    Returns
    -------
    list of Result
        One for each cell, in the order of `cells`.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range, the file is the table of another sweep or in use,
        `simulate` cannot be sent to the processes that are to run it, or returns the wrong shape
        or a value that is not finite.
    RuntimeError
        If the executor gives chunks back undone.

    Notes
    -----
    An error of `simulate`, the loss of a pool of processes or of a cluster's scheduler ends the
    run; what was done stands in the table. A cluster of dask runs the chunks of a lost worker
    elsewhere.

    Examples
    --------
    >>> import tempfile
    >>> from minimaxdp import sweep
    >>> from minimaxdp.book import experiments
    >>> cells = grid(problem="proportion", mechanism="binary", n=[100, 10**9], epsilon=1.0, d=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run(experiments.simulate, cells, folder + "/t", replications=2_000, seed=0)
    >>> [result.risk.agrees_with(experiments.exact_risk(**result.cell)) for result in results]
    [True, True]
    """
    _validate.function("simulate", simulate)
    replications = _validate.one_integer("replications", replications, minimum=2)
    seed = _validate.one_integer("seed", seed, minimum=0)
    chunk = _validate.one_integer("chunk", chunk, minimum=1)
    _validate.memory("chunk", min(chunk, replications))
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be a path, got {path!r}")
    if not callable(progress):
        progress = _validate.flag("progress", progress)
    extend = _validate.flag("extend", extend)
    workers = _checked_workers(workers, simulate)
    checked = _checked_cells(cells)
    head = {
        "sweep": getattr(simulate, "__qualname__", type(simulate).__qualname__),
        "minimaxdp": minimaxdp.__version__,
        "numpy": np.__version__,  # its streams change between releases
        "seed": seed,
        "replications": replications,
        "chunk": chunk,
        "cells": checked,
    }
    table = _Table(Path(path), head, extend)
    try:
        tasks = _tasks(simulate, head, table)
        total = len(checked) * -(-replications // chunk)
        report = _reporter(progress, len(table.chunks), total)
        for key, done in _results(tasks, workers):
            table.write(key, done)
            report(len(table.chunks), total)
        table.finish()
        return _combine(checked, table.chunks)
    finally:
        table.close()


def _tasks(simulate: Simulate, head: dict[str, Any], table: _Table) -> Iterator[tuple[Any, ...]]:
    done = frozenset(table.chunks)
    for i, cell in enumerate(head["cells"]):
        for c, start in enumerate(range(0, head["replications"], head["chunk"])):
            if (i, c) not in done:
                size = min(head["chunk"], head["replications"] - start)
                yield simulate, cell, head["seed"], (i, c), size


def _compute(
    simulate: Simulate, cell: dict[str, Any], seed: int, key: Key, size: int
) -> tuple[Key, dict[str, Any]]:
    """One chunk, wherever it runs: its mean and its sum of squares about it."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
    losses = _validate.losses("simulate", simulate(rng, size, **cell), size)
    mean = losses.mean(axis=0)
    squares = ((losses - mean) ** 2).sum(axis=0)
    return key, {"replications": size, "mean": mean.tolist(), "squares": squares.tolist()}


def _results(
    tasks: Iterator[tuple[Any, ...]], workers: int | _Executor
) -> Iterator[tuple[Key, dict[str, Any]]]:
    if hasattr(workers, "submit"):
        yield from _submitted(tasks, workers)
        return
    if workers == 1:
        for task in tasks:
            yield _compute(*task)
        return
    with _processes(workers) as pool:
        yield from _submitted(tasks, pool)


def _submitted(
    tasks: Iterator[tuple[Any, ...]], executor: _Executor
) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Results as they come in, with a bounded number of chunks handed out at any time."""
    done: SimpleQueue[Any] = SimpleQueue()
    pending: set[Any] = set()
    try:
        while True:
            for task in tasks:
                future = executor.submit(_compute, *task)
                pending.add(future)
                future.add_done_callback(done.put)
                if len(pending) >= _PENDING:
                    break
            if not pending:
                return
            future = done.get()
            pending.discard(future)
            try:
                yield future.result()
            except CancelledError:
                raise RuntimeError(
                    "workers gave a chunk back undone, as when the scheduler of a cluster is lost; "
                    "what was done stands in the table, and the same call goes on from there"
                ) from None
    finally:
        for future in pending:
            with suppress(Exception):  # an executor that has died cannot take anything back
                future.cancel()


@contextmanager
def _processes(number: int) -> Iterator[_Executor]:
    # Spawned, not forked: a fork copies locks that another thread may hold.
    pool = ProcessPoolExecutor(number, get_context("spawn"), initializer=_end_with_the_parent)
    try:
        yield pool
    finally:
        pool.shutdown()


def _end_with_the_parent() -> None:
    """In a worker: leave as soon as whoever started it is gone, even if it was killed."""
    parent = parent_process()
    if parent is not None:

        def watch() -> None:
            connection.wait([parent.sentinel])
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()


def _reporter(progress: Progress, start: int, total: int) -> Callable[[int, int], object]:
    if callable(progress):
        return progress
    if not progress:
        return lambda done, total: None
    began, shown = time.monotonic(), [0.0]

    def line(done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - shown[0] < 0.2:
            return
        shown[0] = now
        left = (now - began) / max(1, done - start) * (total - done)
        text = f"\r{done} of {total} chunks, {100 * done // total} %, {left:.0f} s left "
        sys.stderr.write(text + ("\n" if done == total else ""))
        sys.stderr.flush()

    return line


def _plain(value: Any) -> Any:
    """A number of numpy's as one of Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _checked_cells(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    if isinstance(cells, Mapping) or not np.iterable(cells):
        raise TypeError(f"cells must be a sequence of dicts, got {type(cells).__name__}")
    checked: list[dict[str, Any]] = []
    for cell in cells:
        if not isinstance(cell, Mapping):
            raise TypeError(f"cells must be dicts, got {cell!r}")
        plain = {name: _plain(value) for name, value in cell.items()}
        for name, value in plain.items():
            if not isinstance(name, str) or not isinstance(value, _KINDS) or value != value:
                raise TypeError(
                    f"cells must name strings, numbers, booleans or None, got {name!r}: {value!r}"
                )
            if value in (np.inf, -np.inf):  # JSON knows none of it
                raise ValueError(f"cells must name finite numbers, got {name!r}: {value!r}")
        if _OWN_NAMES & set(plain):
            raise ValueError(f"cells must not use a name of the table itself, got {sorted(plain)}")
        checked.append(plain)
    if not checked or not checked[0]:
        raise ValueError("cells must hold at least one setting")
    if any(set(cell) != set(checked[0]) for cell in checked):
        raise ValueError("cells must all have the same names")
    if len({json.dumps(cell, sort_keys=True) for cell in checked}) < len(checked):
        raise ValueError("cells must all be different")
    return checked


def _checked_workers(workers: int | _Executor, simulate: Simulate) -> Any:
    if not hasattr(workers, "submit"):
        workers = _validate.processes(workers, "an executor")
    if isinstance(workers, ProcessPoolExecutor) or (isinstance(workers, int) and workers > 1):
        _check_that_it_travels(simulate)
    return workers


def _check_that_it_travels(simulate: Simulate) -> None:
    """Refuse, before a process is started, a function that no other process could find."""
    name = getattr(simulate, "__qualname__", repr(simulate))
    try:
        pickle.dumps(simulate)
    except Exception as error:  # pickle raises errors of several kinds
        raise ValueError(
            "simulate must be a function at the top of a module, so that other processes can "
            f"import it, got {name}, which stays here: {error}"
        ) from None
    prompt = not hasattr(sys.modules["__main__"], "__file__")
    if getattr(simulate, "__module__", None) == "__main__" and prompt:
        raise ValueError(
            "simulate must be a function of a module in a file, so that other processes can "
            f"import it, got {name}, which was defined at a prompt or in a notebook"
        )
