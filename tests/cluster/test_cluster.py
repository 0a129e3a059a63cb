"""A sweep on a real cluster of dask: a worker or the scheduler is killed, the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster

from minimaxdp import sweep
from minimaxdp.book import experiments

CELLS = sweep.grid(
    problem="frequencies",
    mechanism=["unary", "kary", "optimised", "hadamard"],
    n=[10**3, 10**9],
    epsilon=[0.5, 2.0],
    d=16,
)
# 16 cells of 5 chunks.
SETTING = {"replications": 480, "seed": 7, "chunk": 100}


def slow(rng: np.random.Generator, size: int, **cell: object) -> np.ndarray:
    time.sleep(0.02)
    return experiments.simulate(rng, size, **cell)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_a_cluster_writes_the_bytes_of_the_calling_thread(tmp_path: Path, client: Client) -> None:
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    expected = sweep.run(slow, CELLS, alone, **SETTING)
    results = sweep.run(slow, CELLS, spread, workers=client.get_executor(), **SETTING)
    assert spread.read_bytes() == alone.read_bytes()
    assert [result.row() for result in results] == [result.row() for result in expected]


def test_a_worker_killed_in_the_middle_leaves_no_trace(tmp_path: Path, client: Client) -> None:
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    sweep.run(slow, CELLS, alone, **SETTING)
    client.wait_for_workers(3)
    pids = list(client.run(os.getpid).values())
    assert len(set(pids)) == 3 and os.getpid() not in pids
    killed: list[int] = []

    def kill_one(done: int, total: int) -> None:
        if done >= total // 4 and not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)
            assert done < total

    sweep.run(slow, CELLS, spread, workers=client.get_executor(), progress=kill_one, **SETTING)
    assert killed and not _runs(killed[0])
    assert spread.read_bytes() == alone.read_bytes()


def test_a_scheduler_killed_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    alone, spread, meeting = tmp_path / "alone", tmp_path / "spread", tmp_path / "scheduler.json"
    sweep.run(slow, CELLS, alone, **SETTING)
    running: list[subprocess.Popen[bytes]] = []

    def start(module: str, *options: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *options]
        # What a worker unpickles lies in this file's folder.
        about = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])
        }
        running.append(subprocess.Popen(command, env=about, stderr=subprocess.DEVNULL))

    try:
        where = ("--scheduler-file", str(meeting))
        start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", *where)
        for _ in range(2):
            start("dask_worker", "--no-nanny", "--nthreads", "1", "--death-timeout", "30", *where)
        deadline = time.monotonic() + 60
        while not meeting.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        with Client(scheduler_file=str(meeting), timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            seen: list[int] = []

            def kill_the_scheduler(done: int, total: int) -> None:
                seen.append(done)
                if done == total // 4:
                    running[0].kill()

            run = {"workers": client.get_executor(), "progress": kill_the_scheduler, **SETTING}
            with pytest.raises(RuntimeError, match="gave a chunk back undone"):
                sweep.run(slow, CELLS, spread, **run)
        kept = spread.read_bytes()
        # Every chunk that came back is in the table, whole.
        assert kept.endswith(b"\n") and kept.count(b"\n") == 1 + seen[-1] < 81
        assert sum(result.risk.replications for result in sweep.read(spread)) > 0
    finally:
        for process in running:
            process.kill()
            process.wait()
    sweep.run(slow, CELLS, spread, **SETTING)
    assert spread.read_bytes() == alone.read_bytes()


def _runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
