"""What the marker does when the trouble is its own: kernels that do not come up, and replays."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager
from marking import sandbox


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that a kernel leaves goes to a folder of its own, as in the marking process."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))


def kernel() -> sandbox.Kernel:
    return sandbox.Kernel(5.0, time.monotonic() + 60)


def failing(monkeypatch: pytest.MonkeyPatch, times: int) -> list[int]:
    """Let the first kernels die before they answer; return a list that counts the starts."""
    start, starts = KernelManager.start_kernel, []

    def started(self: KernelManager, **options: object) -> None:
        start(self, **options)
        starts.append(1)
        if len(starts) <= times:
            self.provisioner.process.kill()

    monkeypatch.setattr(KernelManager, "start_kernel", started)
    return starts


def test_a_kernel_that_dies_on_its_way_up_is_started_again(
    here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = failing(monkeypatch, times=2)
    started = kernel()
    assert started.run("1 + 1")[0][0]["text"] == "2\n" and len(starts) == 3
    started.stop()


def test_kernels_that_never_come_up_are_told_as_the_markers_trouble(
    here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, times=sandbox.MOST_STARTS)
    lines: list[dict] = []
    task = {
        "limits": {"cell": 5.0, "submission": 60.0},
        "setup": (),
        "student": "a",
        "cells": [{"source": "1"}],
    }
    sandbox.mark(task, lines.append)
    assert [line["note"] for line in lines] == [
        "no kernel could be started: mark this submission again"
    ]


def test_a_cell_that_stops_the_kernel_only_when_run_again_ends_the_marking(here: None) -> None:
    started = kernel()
    flag = "import os, pathlib\nflag = pathlib.Path('flag')\n"
    started.run(flag + "if flag.exists():\n    os._exit(1)\nflag.touch()")
    with pytest.raises(sandbox.Over, match="when run again"):
        started.run("os._exit(1)")
    started.stop()


def test_two_kernels_share_no_port(here: None) -> None:
    started = kernel()
    assert started.manager.transport == "ipc" and Path(f"{started.manager.ip}-1").is_socket()
    started.stop()
