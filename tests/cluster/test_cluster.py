"""A sweep on a real cluster of dask: several processes, one of them killed, the same bytes."""

from __future__ import annotations

import os
import signal
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


def _runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
