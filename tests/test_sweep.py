"""Sweeps: the same table to the last byte, whoever computes it and however often it is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from minimaxdp import results, risk, sweep
from minimaxdp.book import experiments
from minimaxdp.guarantees import Pure
from minimaxdp.sweep import _engine as engine

CELLS = [
    cell
    for problem, kind in experiments.EXPERIMENTS.items()
    for cell in sweep.grid(
        problem=problem,
        mechanism=list(kind.mechanisms),
        n=[100, 10**9],
        epsilon=[0.5, 2.0],
        d={"proportion": 2, "mean": 1}.get(problem, 5),
    )
]
SMALL = sweep.grid(shift=[0.0, 1.0, 2.0])
ARGUMENTS: dict[str, Any] = {"replications": 23, "seed": 5, "chunk": 5}  # 3 cells of 5 chunks


def shifted(rng: np.random.Generator, size: int, *, shift: float) -> np.ndarray:
    return shift + rng.standard_normal((size, 2))


def slow(rng: np.random.Generator, size: int, *, shift: float) -> np.ndarray:
    return shift + rng.standard_normal(size)


def fragile(rng: np.random.Generator, size: int, *, shift: float) -> np.ndarray:
    if shift == 2.0:
        os._exit(1)
    return shifted(rng, size, shift=shift)


def table(path: Path, **changed: Any) -> bytes:
    sweep.run(shifted, SMALL, path, **ARGUMENTS | changed)
    return path.read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return table(tmp_path_factory.mktemp("whole") / "table")


class Backwards:
    """An executor that runs everything at once and reports the last first."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Any]] = []

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, function(*arguments)))
        if len(self.waiting) == 15:
            for each, result in reversed(self.waiting):
                each.set_result(result)
        return future


def test_results_are_the_averages_of_the_named_streams(tmp_path: Path) -> None:
    results = sweep.run(shifted, SMALL, tmp_path / "table", **ARGUMENTS)
    for i, (cell, result) in enumerate(zip(SMALL, results, strict=True)):
        children = np.random.SeedSequence(5).spawn(3)[i].spawn(5)
        losses = np.concatenate(
            [
                shifted(np.random.default_rng(child), size, **cell)
                for child, size in zip(children, [5, 5, 5, 5, 3], strict=True)
            ]
        )
        assert result.cell == cell and result.risk.replications == 23
        np.testing.assert_allclose(result.risk.mean, losses.mean(axis=0), rtol=1e-13)
        error = losses.std(axis=0, ddof=1) / np.sqrt(23)
        np.testing.assert_allclose(result.risk.standard_error, error, rtol=1e-13)


def test_simulated_risks_agree_with_the_exact_ones(tmp_path: Path) -> None:
    results = sweep.run(experiments.simulate, CELLS, tmp_path / "t", replications=4_000, seed=1)
    assert [result.cell for result in results] == CELLS
    for result in results:
        exact = experiments.exact_risk(**result.cell)
        assert result.risk.agrees_with(exact, error_rate=1e-6 / len(CELLS)), result


def test_every_number_of_workers_writes_the_same_bytes(tmp_path: Path, whole: bytes) -> None:
    with ThreadPoolExecutor(3) as threads:
        assert table(tmp_path / "threads", workers=threads) == whole
    assert table(tmp_path / "backwards", workers=Backwards()) == whole
    assert table(tmp_path / "processes", workers=2) == whole


def test_few_chunks_are_handed_out_at_a_time(
    tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_PENDING", 2)
    with ThreadPoolExecutor(3) as threads:
        assert table(tmp_path / "threads", workers=threads) == whole


def test_a_table_cut_anywhere_is_taken_up_again(tmp_path: Path, whole: bytes) -> None:
    path, calls = tmp_path / "table", []

    def counted(rng: np.random.Generator, size: int, *, shift: float) -> np.ndarray:
        calls.append(size)
        return shifted(rng, size, shift=shift)

    counted.__qualname__ = shifted.__qualname__
    for cut in [*range(0, len(whole), 7), len(whole) - 1, len(whole)]:
        path.write_bytes(whole[:cut])
        calls.clear()
        sweep.run(counted, SMALL, path, **ARGUMENTS)
        assert path.read_bytes() == whole
        assert len(calls) == 15 - max(0, whole[:cut].count(b"\n") - 1)  # nothing twice


# What the script writes when nobody kills it, without its sleep.
SLOW = {"replications": 100, "seed": 3, "chunk": 5}
SCRIPT = """
import sys, time
import numpy as np
from minimaxdp import sweep

def slow(rng, size, *, shift):
    time.sleep(0.02)
    return shift + rng.standard_normal(size)

if __name__ == "__main__":
    sweep.run(slow, sweep.grid(shift=[0.0, 1.0]), sys.argv[1], replications=100, seed=3, chunk=5,
              workers=int(sys.argv[2]))
"""


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_killed_run_is_taken_up_again_with_nothing_lost(tmp_path: Path, workers: int) -> None:
    script, path, whole = tmp_path / "slow.py", tmp_path / "table", tmp_path / "whole"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script)]
    running = subprocess.Popen([*command, str(path), str(workers)])
    deadline = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < 6:
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    children = psutil.Process(running.pid).children(recursive=True)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert workers == 1 or len(children) >= workers
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive, "workers outlive the run that started them"
    before = path.read_bytes()
    kept = before[: before.rfind(b"\n") + 1].count(b"\n") - 1
    assert 5 <= kept < 40
    subprocess.run([*command, str(path), "1"], check=True)
    sweep.run(slow, sweep.grid(shift=[0.0, 1.0]), whole, **SLOW)
    assert path.read_bytes() == whole.read_bytes()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    keys = [(line["cell"], line["chunk"]) for line in lines if "cell" in line]
    assert keys == [(i, c) for i in range(2) for c in range(20)]


def test_a_dead_pool_ends_the_run_and_keeps_what_was_done(tmp_path: Path) -> None:
    with pytest.raises(BrokenProcessPool):
        sweep.run(fragile, SMALL, tmp_path / "table", workers=2, **ARGUMENTS)
    for result in sweep.read(tmp_path / "table"):
        assert result.cell["shift"] < 2.0


def test_an_unfinished_table_can_be_read(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "table"
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:7]) + lines[7][:20])
    first, second = sweep.read(path)
    assert (first.risk.replications, second.risk.replications) == (23, 5)
    assert path.read_bytes().endswith(lines[7][:20])  # reading changes nothing
    assert list(first.row()) == ["shift", "replications", "mean", "standard_error"]


def test_progress_is_told_and_otherwise_nothing_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[int, int]] = []
    table(tmp_path / "one", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 15) for done in range(1, 16)]
    assert capsys.readouterr() == ("", "")
    table(tmp_path / "two", progress=True)
    told = capsys.readouterr().err
    assert told.endswith("15 of 15 chunks, 100 %, 0 s left \n")
    # Of the first chunk it is told at once, and the others take as long.
    first = re.match(r"\r1 of 15 chunks, 6 %, (\d+) s left ", told)
    assert first and int(first[1]) < 120


def test_a_long_line_that_is_no_chunk_is_shown_in_sixty_characters(
    tmp_path: Path, whole: bytes
) -> None:
    lines = whole.splitlines(keepends=True)
    path = tmp_path / "table"
    path.write_bytes(b"".join([*lines[:2], b"x" * 200 + b"\n", *lines[2:]]))
    with pytest.raises(ValueError, match=r"with line 3 .{57}\.\.\.$"):
        sweep.read(path)


def test_a_chunk_may_be_larger_than_all_there_is_to_do(tmp_path: Path) -> None:
    first, second = (
        sweep.run(shifted, SMALL, tmp_path / str(chunk), **ARGUMENTS | {"chunk": chunk})
        for chunk in (23, 10**12)
    )
    assert str(first) == str(second)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"seed": 6}, ValueError, "seed is 5, not 6"),
        ({"replications": 24}, ValueError, "replications is 23, not 24"),
        ({"chunk": 4}, ValueError, "chunk is 5, not 4"),
        ({"seed": -1}, ValueError, "seed must be at least 0"),
        ({"seed": None}, TypeError, "seed must be integers"),
        ({"replications": 1}, ValueError, "replications must be at least 2"),
        ({"chunk": 0}, ValueError, "chunk must be at least 1"),
        ({"workers": 0}, ValueError, "workers must be -1"),
        ({"workers": 1025}, ValueError, "workers must be at most 1024"),
        ({"workers": 1.5}, TypeError, "workers must be integers"),
        ({"progress": "no"}, TypeError, "progress must be True or False, got 'no'"),
        ({"replications": 10**12, "chunk": 10**12}, ValueError, "chunk must leave arrays of at mo"),
    ],
)
def test_what_does_not_belong_to_the_table_is_refused(
    tmp_path: Path, whole: bytes, changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    path = tmp_path / "table"
    path.write_bytes(whole)
    with pytest.raises(error, match=message):
        table(path, **changed)
    assert path.read_bytes() == whole
    if "must" in message:
        with pytest.raises(error, match=message):
            table(tmp_path / "new", **changed)
        assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("cells", "error", "message"),
    [
        ([], ValueError, "at least one setting"),
        ([{}], ValueError, "at least one setting"),
        ({"shift": 1.0}, TypeError, "sequence of dicts"),
        ([1.0], TypeError, "must be dicts"),
        ([{"shift": [1.0]}], TypeError, "strings, numbers, booleans or None"),
        ([{"shift": float("nan")}], TypeError, "strings, numbers, booleans or None"),
        ([{"shift": np.inf}], ValueError, "finite numbers, got 'shift': inf"),
        ([{"shift": 1.0}, {"shift": 1.0}], ValueError, "all be different"),
        ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], ValueError, "all be different"),
        ([{"shift": 1.0}, {"n": 1}], ValueError, "same names"),
        ([{"size": 1}], ValueError, "name of the table itself"),
        ([{"standard_error": 1}], ValueError, "name of the table itself"),
    ],
)
def test_bad_cells_are_refused_before_a_file_is_made(
    tmp_path: Path, cells: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        sweep.run(shifted, cells, tmp_path / "table", **ARGUMENTS)
    assert not (tmp_path / "table").exists()


@pytest.mark.parametrize(
    "content", [b"precious", b"precious\n", b'{"a": 1}\n', b"\n", b"[1]\n", b'{"cells": 3}\n']
)
def test_a_file_that_is_no_table_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="path must hold the table"):
        table(path)
    with pytest.raises(ValueError, match="path must hold the table"):
        sweep.read(path)
    assert path.read_bytes() == content


def test_an_altered_line_is_refused_and_a_repeated_one_counted_once(
    tmp_path: Path, whole: bytes
) -> None:
    path, lines = tmp_path / "table", whole.splitlines(keepends=True)
    path.write_bytes(whole + lines[3])
    assert table(path) == whole + lines[3]  # nothing to do
    assert [r.risk.replications for r in sweep.read(path)] == [23, 23, 23]
    other = json.loads(lines[3])
    path.write_bytes(whole + json.dumps(other | {"replications": 4}).encode() + b"\n")
    with pytest.raises(ValueError, match="each chunk once"):
        sweep.read(path)
    path.write_bytes(whole + json.dumps(other | {"shift": 9.0}).encode() + b"\n")
    with pytest.raises(ValueError, match="line 17"):
        sweep.read(path)


@pytest.mark.parametrize(
    ("cells", "replications", "kept"),
    [(SMALL[:2], 23, 10), (SMALL, 15, 9), (SMALL, 13, 6), (SMALL[:1], 10, 2), (SMALL, 23, 15)],
)
def test_a_table_is_extended_to_that_of_the_larger_sweep(
    tmp_path: Path, whole: bytes, cells: list[dict[str, Any]], replications: int, kept: int
) -> None:
    path, seen = tmp_path / "table", []

    def counted(rng: np.random.Generator, size: int, *, shift: float) -> np.ndarray:
        seen.append(size)
        return shifted(rng, size, shift=shift)

    counted.__qualname__ = shifted.__qualname__
    smaller = ARGUMENTS | {"replications": replications}
    sweep.run(shifted, cells, path, **smaller)
    before = path.read_bytes()
    if before != whole:
        with pytest.raises(ValueError, match="extend=True adds to it"):
            sweep.run(counted, SMALL, path, **ARGUMENTS)
    assert path.read_bytes() == before and not seen
    results = sweep.run(counted, SMALL, path, **ARGUMENTS, extend=True)
    assert path.read_bytes() == whole and len(seen) == 15 - kept
    assert str(results) == str(sweep.read(path))
    assert not list(tmp_path.glob("*.new"))


def test_a_killed_extension_is_taken_up_again(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "table"

    class Killed(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 8:
            raise Killed

    sweep.run(shifted, SMALL[:1], path, **ARGUMENTS | {"replications": 15})
    with pytest.raises(Killed):
        sweep.run(shifted, SMALL, path, **ARGUMENTS, extend=True, progress=stop)
    torn = path.read_bytes() + b'{"shift": 1.0, "ce'
    for extend in (False, True):
        path.write_bytes(torn)
        first, second = sweep.read(path)
        assert (first.risk.replications, second.risk.replications) == (23, 15)
        sweep.run(shifted, SMALL, path, **ARGUMENTS, extend=extend)
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("cells", "changed", "message"),
    [
        (SMALL, {"replications": 22}, "replications must be at least the 23 of the table"),
        (SMALL[:2], {}, "cells must begin with the 3 cells of the table"),
        (SMALL[::-1], {}, "cells must begin with the 3 cells of the table"),
        ([*SMALL[1:], {"shift": 9.0}], {}, "cells must begin with the 3 cells of the table"),
        (SMALL, {"chunk": 6}, "chunk is 5, not 6"),
        (SMALL, {"seed": 6, "replications": 50}, "seed is 5, not 6"),
    ],
)
def test_only_a_larger_sweep_extends_a_table(
    tmp_path: Path, whole: bytes, cells: Any, changed: dict[str, Any], message: str
) -> None:
    path = tmp_path / "table"
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=message):
        sweep.run(shifted, cells, path, **ARGUMENTS | changed, extend=True)
    assert path.read_bytes() == whole
    with pytest.raises(TypeError, match="extend must be True or False"):
        table(path, extend="yes")


def test_a_function_that_cannot_travel_is_refused_before_a_process_starts(tmp_path: Path) -> None:
    def local(rng: np.random.Generator, size: int, *, shift: float) -> np.ndarray:
        return shifted(rng, size, shift=shift)

    lock = threading.Lock()
    stays = [lambda rng, size, shift: np.zeros(size), local, partial(shifted, lock=lock)]
    with ProcessPoolExecutor(2) as pool:
        for function in stays:
            for workers in (2, pool):
                with pytest.raises(ValueError, match="^simulate must be a function at the top of"):
                    sweep.run(function, SMALL, tmp_path / "t", workers=workers, **ARGUMENTS)
    assert not (tmp_path / "t").exists()
    with ThreadPoolExecutor(2) as pool:  # nothing travels there
        sweep.run(local, SMALL, tmp_path / "t", workers=pool, **ARGUMENTS)


def test_a_function_of_a_prompt_is_refused_for_processes(tmp_path: Path) -> None:
    code = SCRIPT.replace("int(sys.argv[2])", "2")
    command = [sys.executable, "-c", code, str(tmp_path / "t")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode and "simulate must be a function of a module in a file" in done.stderr


def test_a_frame_has_a_row_for_each_cell_and_column(tmp_path: Path) -> None:
    two = sweep.run(shifted, SMALL, tmp_path / "two", **ARGUMENTS)
    one = sweep.run(slow, SMALL, tmp_path / "one", **ARGUMENTS)
    frame = sweep.frame(one)
    assert list(frame.columns) == ["shift", "replications", "mean", "standard_error"]
    assert frame.to_dict("records") == [result.row() for result in one]
    frame = sweep.frame(two)
    assert list(frame.columns) == ["shift", "column", "replications", "mean", "standard_error"]
    assert frame["column"].tolist() == [0, 1] * 3
    for name in ("mean", "standard_error"):
        wanted = np.concatenate([getattr(result.risk, name) for result in two])
        assert frame[name].tolist() == wanted.tolist()
    for bad in (1.0, [1.0]):
        with pytest.raises(TypeError, match="^results must"):
            sweep.frame(bad)  # type: ignore[arg-type]
    assert sweep.frame([]).empty


def test_two_runs_do_not_share_a_table(tmp_path: Path) -> None:
    script, path = tmp_path / "slow.py", tmp_path / "table"
    script.write_text(SCRIPT)
    running = subprocess.Popen([sys.executable, str(script), str(path), "1"])
    try:
        while not path.exists() or path.read_bytes().count(b"\n") < 2:
            assert running.poll() is None
            time.sleep(0.01)
        with pytest.raises(ValueError, match="in use"):
            sweep.run(slow, sweep.grid(shift=[0.0, 1.0]), path, **SLOW)
    finally:
        running.kill()
        running.wait()


def test_losses_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="finite"):
        sweep.run(
            lambda rng, size, shift: np.full(size, np.inf), SMALL, tmp_path / "a", **ARGUMENTS
        )
    with pytest.raises(ValueError, match="shape"):
        sweep.run(lambda rng, size, shift: np.zeros(1), SMALL, tmp_path / "b", **ARGUMENTS)
    with pytest.raises(TypeError, match="callable"):
        sweep.run(None, SMALL, tmp_path / "c", **ARGUMENTS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"problem": "median"}, "problem must be one of"),
        ({"mechanism": "kary"}, "mechanism must be one of binary, central"),
        ({"n": 0}, "n must be at least 1"),
        ({"epsilon": 0.0}, "epsilon must be greater than 0"),
        ({"d": 3}, "d must be 2 for proportion"),
        ({"d": 1}, "d must be at least 2"),
    ],
)
def test_unknown_problems_are_refused(changed: dict[str, Any], message: str) -> None:
    cell = {"problem": "proportion", "mechanism": "binary", "n": 10, "epsilon": 1.0, "d": 2}
    with pytest.raises(ValueError, match=message):
        experiments.simulate(np.random.default_rng(0), 1, **cell | changed)
    with pytest.raises(ValueError, match=message):
        experiments.exact_risk(**cell | changed)


def test_bad_arguments_of_simulate_are_named(tmp_path: Path) -> None:
    cell = {"problem": "frequencies", "mechanism": "unary", "n": 10, "epsilon": 1.0, "d": 4}
    with pytest.raises(TypeError, match="^rng must be a Generator"):
        experiments.simulate("abc", 5, **cell)  # type: ignore[arg-type]
    for size, error in ((0, ValueError), (1.5, TypeError), (10**9, ValueError)):
        with pytest.raises(error, match="^size (and d )?must"):
            experiments.simulate(np.random.default_rng(0), size, **cell)  # type: ignore[arg-type]
    for name in ("problem", "mechanism"):
        with pytest.raises(TypeError, match=f"^{name} must be one of"):
            experiments.exact_risk(**cell | {name: np.array(["unary", "kary"])})
    with pytest.raises(ValueError, match="^epsilon must be at most 700, got 701"):
        experiments.exact_risk(**cell | {"epsilon": 701})
    for call in (sweep.read, lambda path: sweep.run(shifted, SMALL, path, **ARGUMENTS)):
        with pytest.raises(TypeError, match="^path must be a path, got None"):
            call(None)


def test_grid_is_a_product_with_the_last_axis_fastest() -> None:
    cells = sweep.grid(name="ab", n=range(2), epsilon=np.array([0.5, 1.0]))
    assert [tuple(cell.values()) for cell in cells] == [
        ("ab", 0, 0.5), ("ab", 0, 1.0), ("ab", 1, 0.5), ("ab", 1, 1.0),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="n must hold at least one value"):
        sweep.grid(n=[])
    with pytest.raises(ValueError, match="at least one setting"):
        sweep.grid()
    for value in (float("nan"), np.inf, np.float32("inf")):
        with pytest.raises(ValueError, match="^n must be finite"):
            sweep.grid(n=[10, value])
    for value in (b"x", [[1.0]], [None, 1j]):
        with pytest.raises(TypeError, match="^n must hold strings, numbers, booleans or None"):
            sweep.grid(n=value)


def test_a_result_holds_a_cell_and_a_risk() -> None:
    with pytest.raises(TypeError, match="^cell must be a mapping"):
        sweep.Result([1], risk.MonteCarlo(1.0, 0.1, 2))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^risk must be a MonteCarlo"):
        sweep.Result({"n": 1}, 1.0)  # type: ignore[arg-type]


def test_table_of_one_column_agrees_with_monte_carlo_in_law(tmp_path: Path) -> None:
    cell = {"problem": "frequencies", "mechanism": "unary", "n": 1000, "epsilon": 1.0, "d": 8}
    (result,) = sweep.run(experiments.simulate, [cell], tmp_path / "t", replications=5_000, seed=0)
    other = risk.monte_carlo(
        lambda rng, size: experiments.simulate(rng, size, **cell), 5_000, rng=7
    )
    error = np.hypot(result.risk.standard_error, other.standard_error)
    assert abs(result.risk.mean - other.mean) < 5 * error


GAPS = Path(__file__).parents[1] / "book" / "gaps.jsonl"


@pytest.mark.parametrize("cell", [("unbiased mean", "local"), ("bounded mean", "pure")])
def test_the_sweep_of_gaps_beside_the_book_is_what_the_package_says(cell):
    head, *chunks = map(json.loads, GAPS.read_text().splitlines())
    names = dict(zip(("problem", "definition"), cell, strict=True))
    number = head["cells"].index(names)
    assert head["seed"] == 7 and head["replications"] * len(head["cells"]) == 10_080
    (first,) = (c for c in chunks if (c["cell"], c["chunk"]) == (number, 0))
    stream = np.random.SeedSequence(7, spawn_key=(number, 0))
    found = experiments.gap(np.random.default_rng(stream), first["replications"], **names)
    np.testing.assert_allclose(found.mean(axis=0), first["mean"], rtol=2e-3, atol=1e-6)


def test_gaps_are_asked_of_what_the_results_have():
    rng = np.random.default_rng(0)
    for changed in ({"problem": "mode"}, {"definition": "none"}):
        names = {"problem": "proportion", "definition": "pure"} | changed
        with pytest.raises(ValueError, match=rf"^{next(iter(changed))}\b"):
            experiments.gap(rng, 1, **names)


def test_a_lower_bound_above_a_risk_stops_the_sweep(monkeypatch):
    # 0.1 is six of 1 / 60; a floor that is the risk is none above it.
    for floor, error, stops in (
        (0.2, 0.0, True), (0.2, 0.015, True), (0.2, 0.018, False), (0.1, 0.0, False),
    ):  # fmt: skip
        low = results.Cell("proportion", Pure(1.0), "", floor, 0.1, 0.3, standard_error=error)
        monkeypatch.setattr(results, "cell", lambda *_, low=low: low)
        refused = pytest.raises(RuntimeError, match="above the risk at n=")
        with refused if stops else nullcontext():
            experiments.gap(np.random.default_rng(0), 1, problem="proportion", definition="pure")
