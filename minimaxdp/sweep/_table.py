"""The table of a sweep: a file of JSON lines that survives the death of its writer.

The first line says which sweep it is; every other line is one chunk, written in one piece when
the chunk is done. A writer that is killed leaves at most one torn line, the last; the next one
cuts it off and goes on. The finished table is put in order, so that its bytes are the same
whoever computed it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minimaxdp import _validate
from minimaxdp.risk import MonteCarlo

if TYPE_CHECKING:
    import pandas as pd

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no record locks of this kind
    fcntl = None  # type: ignore[assignment]

__all__ = ["Result", "frame", "read"]

Key = tuple[int, int]


@dataclass(frozen=True)
class Result:
    """One cell of the grid and its simulated risk.

    Attributes
    ----------
    cell : dict
        The setting, by name.
    risk : MonteCarlo
        Average loss with its standard error, one of each for each column of the losses.

    Raises
    ------
    TypeError
        If the cell is no mapping or the risk no MonteCarlo.
    """

    cell: dict[str, Any]
    risk: MonteCarlo

    def __post_init__(self) -> None:
        _validate.mapping("cell", self.cell)
        _validate.instance("risk", self.risk, MonteCarlo)

    def row(self) -> dict[str, Any]:
        """The result as one flat row, for ``pandas.DataFrame`` or ``csv.DictWriter``.

        Examples
        --------
        >>> Result({"n": 10}, MonteCarlo(0.25, 0.125, 4)).row()
        {'n': 10, 'replications': 4, 'mean': 0.25, 'standard_error': 0.125}
        """
        about = {"replications": self.risk.replications}
        return (
            self.cell | about | {"mean": self.risk.mean, "standard_error": self.risk.standard_error}
        )


def read(path: str | os.PathLike[str]) -> list[Result]:
    r"""Results of a sweep so far, in the order of the grid.

    The chunks of a cell are put together in their order, by

    .. math:: \bar y = \frac1N \sum_c N_c \bar y_c, \qquad
              \mathrm{se}^2 = \frac{1}{N (N - 1)} \sum_c \big( S_c + N_c (\bar y_c - \bar y)^2 \big)

    with :math:`S_c` the sum of squares about the mean :math:`\bar y_c` of chunk c.

    Parameters
    ----------
    path : path
        A table begun by :func:`~minimaxdp.sweep.run`; it is not changed.

    Returns
    -------
    list of Result
        One for each cell with at least two replications done.

    Raises
    ------
    TypeError
        If `path` is no path.
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not the table of a sweep, or a line of it was altered.

    Examples
    --------
    >>> import tempfile
    >>> from minimaxdp import sweep
    >>> from minimaxdp.book import experiments
    >>> cells = sweep.grid(problem="proportion", mechanism="binary", n=[100, 200], epsilon=1.0, d=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = folder + "/table.jsonl"
    ...     results = sweep.run(experiments.simulate, cells, path, replications=500, seed=0)
    ...     read(path) == results
    True
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be a path, got {path!r}")
    data = Path(path).read_bytes()
    head, chunks, _ = _parse(data, Path(path))
    return _combine(head["cells"], chunks)


def frame(results: Iterable[Result]) -> pd.DataFrame:
    """Results as a table of pandas: one row for each cell of the grid.

    Losses of several columns make one row for each of them, told apart by the number in `column`.

    Parameters
    ----------
    results : iterable of Result
        From :func:`~minimaxdp.sweep.run` or :func:`read`.

    Returns
    -------
    DataFrame
        The settings by name, then `column` where losses have several, `replications`, `mean` and
        `standard_error`.

    Raises
    ------
    TypeError
        If `results` holds anything but results.

    Notes
    -----
    Needs pandas, the extra `tables`.

    Examples
    --------
    >>> one = Result({"n": 10}, MonteCarlo(0.25, 0.125, 4))
    >>> two = Result({"n": 20}, MonteCarlo(0.5, 0.25, 4))
    >>> frame([one, two])
        n  replications  mean  standard_error
    0  10             4  0.25           0.125
    1  20             4  0.50           0.250
    """
    import pandas as pd

    rows = []
    for result in _validate.items("results", results):
        _validate.instance("results", result, Result)
        about = result.row()
        mean, error = np.atleast_1d(about.pop("mean")), np.atleast_1d(about.pop("standard_error"))
        count = about.pop("replications")
        for i in range(mean.size):
            column = {"column": i} if np.ndim(result.risk.mean) else {}
            numbers = {"replications": count, "mean": mean[i], "standard_error": error[i]}
            rows.append(about | column | numbers)
    return pd.DataFrame(rows)


def _combine(cells: list[dict[str, Any]], chunks: Mapping[Key, dict[str, Any]]) -> list[Result]:
    """Chunks to results, always summed in the order of their numbers."""
    parts: dict[int, list[dict[str, Any]]] = {}
    for cell, chunk in sorted(chunks):
        parts.setdefault(cell, []).append(chunks[cell, chunk])
    results = []
    for cell, lines in parts.items():
        sizes = np.array([line["replications"] for line in lines], dtype=float)
        total = int(sizes.sum())
        if total < 2:
            continue
        means = np.array([line["mean"] for line in lines])
        weights = sizes.reshape(-1, *[1] * (means.ndim - 1))
        mean = (weights * means).sum(axis=0) / total
        squares = np.array([line["squares"] for line in lines]) + weights * (means - mean) ** 2
        error = np.sqrt(squares.sum(axis=0) / (total - 1) / total)
        results.append(Result(dict(cells[cell]), MonteCarlo(_plain(mean), _plain(error), total)))
    return results


class _Table:
    """A table open for writing, by one writer at a time."""

    def __init__(self, path: Path, head: dict[str, Any], extend: bool = False) -> None:
        self.path, self.head, self.extend = path, head, extend
        self._names = [json.dumps(cell)[:-1] for cell in head["cells"]]
        self._open()
        try:
            self.chunks = self._recover()
        except BaseException:
            self._file.close()
            raise

    def write(self, key: Key, chunk: dict[str, Any]) -> None:
        """Append one chunk."""
        self._append(self._line(key, chunk))
        self.chunks[key] = chunk

    def finish(self) -> None:
        """Put the lines in order, by replacing the whole file at once."""
        if list(self.chunks) != sorted(self.chunks):
            self._replace(self.chunks)

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def _replace(self, chunks: Mapping[Key, dict[str, Any]]) -> None:
        """Put a table of these chunks, in their order, in the place of the file."""
        lines = [_dump(self.head), *(self._line(key, chunks[key]) for key in sorted(chunks))]
        beside = self.path.with_name(self.path.name + ".new")
        beside.write_bytes(b"".join(lines))
        os.replace(beside, self.path)

    def _recover(self) -> dict[Key, dict[str, Any]]:
        # Read through the file that is locked: closing another one would give the lock back.
        self._file.seek(0)
        data, first = self._file.read(), _dump(self.head)
        if first.startswith(data):  # nothing yet, or a first line that was torn
            self._file.truncate(0)
            self._append(first)
            return {}
        head, chunks, end = _parse(data, self.path)
        differs = [name for name in self.head if head.get(name) != self.head[name]]
        for name in differs:
            if not (self.extend and name in ("replications", "cells")):
                more = "; extend=True adds to it" if name in ("replications", "cells") else ""
                raise ValueError(
                    f"path must hold a table of this sweep: in {self.path} {name} is "
                    f"{_short(head.get(name))}, not {_short(self.head[name])}{more}"
                )
        if differs:
            return self._extended(head, chunks)
        self._file.truncate(end)
        return chunks

    def _extended(
        self, old: dict[str, Any], chunks: dict[Key, dict[str, Any]]
    ) -> dict[Key, dict[str, Any]]:
        """Turn the file into a table of more replications or cells, all at once."""
        replications, cells = self.head["replications"], self.head["cells"]
        if old["replications"] > replications:
            raise ValueError(
                f"replications must be at least the {old['replications']} of the table to "
                f"extend, got {replications}"
            )
        if old["cells"] != cells[: len(old["cells"])]:
            raise ValueError(
                f"cells must begin with the {len(old['cells'])} cells of the table to extend"
            )
        # The last chunk of a cell may have been a short one, which is drawn anew at full length.
        size = self.head["chunk"]
        whole = {
            key: chunk
            for key, chunk in chunks.items()
            if chunk["replications"] == min(size, replications - key[1] * size)
        }
        self._replace(whole)
        self._file.close()
        self._open()
        return dict(sorted(whole.items()))

    def _line(self, key: Key, chunk: dict[str, Any]) -> bytes:
        numbers = json.dumps({"cell": key[0], "chunk": key[1]} | chunk)
        return f"{self._names[key[0]]}, {numbers[1:]}\n".encode()

    def _append(self, line: bytes) -> None:
        done = self._file.write(line)
        while done < len(line):  # a disk may take less than it is given, and say so
            done += self._file.write(line[done:])

    def _open(self) -> None:
        # Unbuffered and appending: a line is one call of the system, done or not done.
        self._file = self.path.open("a+b", buffering=0)
        if fcntl is None:
            return
        try:  # a lock of this process alone: workers that outlive it do not inherit it
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another run may have put a new file in the place of the one just opened.
            if not os.path.samestat(os.fstat(self._file.fileno()), self.path.stat()):
                raise OSError
        except OSError:
            self._file.close()
            raise ValueError(f"path must not be in use by another run: {self.path}") from None


def _parse(data: bytes, path: Path) -> tuple[dict[str, Any], dict[Key, dict[str, Any]], int]:
    """First line, chunks by key, and the length of what is whole."""
    end = data.rfind(b"\n") + 1
    lines: Iterable[bytes] = data[:end].splitlines()
    head: dict[str, Any] | None = None
    chunks: dict[Key, dict[str, Any]] = {}
    for number, text in enumerate(lines, start=1):
        try:
            line = json.loads(text)
            if head is None:
                head = line if isinstance(line["cells"], list) and "sweep" in line else None
                if head is None:
                    raise KeyError("sweep")
                continue
            key = (line["cell"], line["chunk"])
            chunk = {name: line[name] for name in ("replications", "mean", "squares")}
            cell = head["cells"][key[0]]
            if any(line[name] != value for name, value in cell.items()):
                raise KeyError("cell")
        except (ValueError, KeyError, TypeError, IndexError):
            raise ValueError(
                f"path must hold the table of a sweep, got {path} with line {number} {_short(text)}"
            ) from None
        if chunks.setdefault(key, chunk) != chunk:
            raise ValueError(f"path must hold each chunk once, got {path} with two of {key}")
    if head is None:
        raise ValueError(f"path must hold the table of a sweep, got {path} without a first line")
    return head, chunks, end


def _dump(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _plain(value: Any) -> Any:
    return value.tolist() if np.ndim(value) == 0 else value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
