"""The wall and the judge beside it: what they do when the trouble is their own, and refusals."""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from marking import driver, sandbox, wall
from marking.sets import COURSE

LIMITS = {"cell": 10.0, "submission": 120.0, "memory": 3 * 2**30}
behind_a_wall = pytest.mark.usefixtures("a_wall")


def walled(tmp_path: Path, **changed: float) -> sandbox.Sandbox:
    limits = {**LIMITS, **changed}
    end = time.monotonic() + limits["submission"]
    return sandbox.Sandbox(sandbox.WALLS[0], limits, end, folder=str(tmp_path))


def choose(private: list[Path]) -> str:
    return sandbox.choose(COURSE / "order.txt", private, LIMITS["memory"])


def failing(monkeypatch: pytest.MonkeyPatch, times: int) -> list[int]:
    """Let the first trees die before they answer; return a list that counts the starts."""
    start, starts = wall.Tree.__init__, []

    def started(self: wall.Tree, *arguments: object) -> None:
        start(self, *arguments)
        starts.append(1)
        if len(starts) <= times:
            self._end()

    monkeypatch.setattr(wall.Tree, "__init__", started)
    return starts


@behind_a_wall
def test_a_sandbox_that_dies_on_its_way_up_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = failing(monkeypatch, times=2)
    box = walled(tmp_path)
    assert box.run("1 + 1") == ("2\n", None) and len(starts) == 3
    box.stop()


@behind_a_wall
def test_sandboxes_that_never_come_up_are_told_as_the_markers_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, times=sandbox.MOST_STARTS)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    lines: list[dict] = []
    task = {
        "limits": LIMITS,
        "setup": (),
        "student": "a",
        "wall": sandbox.WALLS[0],
        "token": "a",
        "cells": [{"source": "1", "where": "a", "test": None}],
    }
    sandbox.mark(task, lines.append)
    assert len(lines) == 1 and lines[0]["again"]
    assert lines[0]["note"].startswith("no sandbox could be started: mark this submission again")


@behind_a_wall
def test_a_cell_that_stops_the_sandbox_only_when_run_again_ends_the_marking(tmp_path: Path) -> None:
    box = walled(tmp_path)
    box.run("import os\nbefore = sorted(os.environ)")
    box.history.append("os._exit(1)")
    with pytest.raises(sandbox.Over, match="when run again"):
        box.run("os._exit(1)")
    box.stop()


ASKED = "import resource\nresource.getrlimit(resource.RLIMIT_NPROC)[0]"


@behind_a_wall
def test_behind_the_wall_the_number_of_processes_is_limited(tmp_path: Path) -> None:
    box = walled(tmp_path)
    assert box.run(ASKED) == (f"{driver.MOST_PROCESSES}\n", None)
    box.stop()


def test_without_a_wall_what_else_the_user_runs_does_not_count(tmp_path: Path) -> None:
    """The kernel would count every thread of the user, and a desktop has hundreds."""
    end = time.monotonic() + LIMITS["submission"]
    box = sandbox.Sandbox("none", LIMITS, end, folder=str(tmp_path))
    own, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    assert box.run(ASKED) == (f"{own}\n", None)
    box.stop()


def test_limits_are_named_as_a_container_of_another_system_numbers_them() -> None:
    code = wall.sealed(LIMITS["memory"])
    assert "'RLIMIT_AS': 3221225472" in code and "getattr(resource, kind)" in code


def test_a_mac_sets_no_limit_that_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: tried.append(kind))
    for system in ("linux", "darwin"):
        monkeypatch.setattr(sys, "platform", system)
        wall.limit(LIMITS["memory"], "none")
    assert tried.count(resource.RLIMIT_AS) == 1 and tried.count(resource.RLIMIT_NOFILE) == 2


@behind_a_wall
def test_what_a_submission_wrote_is_gone_with_its_sandbox(tmp_path: Path) -> None:
    box = walled(tmp_path)
    box.run("open('/tmp/left', 'w').write('x')")
    box.replace("a trial")
    assert box.run("import os\nos.path.exists('/tmp/left')")[0] == "True\n"  # it was run again
    box.history.clear()
    box.replace("a trial")
    assert box.run("import os\nos.path.exists('/tmp/left')")[0] == "False\n"
    assert sorted(path.name for folder in tmp_path.iterdir() for path in folder.iterdir()) == [
        "trouble"
    ] * len(list(tmp_path.iterdir()))
    box.stop()


@behind_a_wall
@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.default_int_handler])
def test_a_loop_is_interrupted_and_its_names_stay(tmp_path: Path, handler: Any) -> None:
    before = signal.signal(signal.SIGINT, handler)  # ignored by what a shell runs behind it
    try:
        box = walled(tmp_path, cell=3.0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert box.run("kept = 1\nwhile True:\n    pass")[1] == ("time limit", "")
    assert box.run("kept")[0] == "1\n" and box.restarts == 0
    box.stop()


def asleep(seconds: str) -> list:
    """The processes that sleep so long."""
    import psutil

    found = psutil.process_iter(["cmdline", "status"])
    return [
        p for p in found if p.info["cmdline"] == ["sleep", seconds] and p.info["status"] != "zombie"
    ]


def until_asleep(seconds: str) -> list:
    """The same, once there is one: a process that has been split off has yet to begin."""
    end = time.monotonic() + 30
    while not (found := asleep(seconds)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


@behind_a_wall
def test_no_process_outlives_its_tree(tmp_path: Path) -> None:
    box = walled(tmp_path)
    box.run(
        "import os\nif not os.fork():\n    os.setsid()\n    os.execlp('sleep', 'sleep', '4711')"
    )
    assert len(until_asleep("4711")) == 1
    box.stop()
    assert not asleep("4711")


def test_without_a_wall_what_stays_is_ended_by_its_token(tmp_path: Path) -> None:
    token = os.urandom(8).hex()
    end = time.monotonic() + LIMITS["submission"]
    box = sandbox.Sandbox("none", LIMITS, end, token, str(tmp_path))
    daemon = (
        "import os\nif not os.fork():\n    os.setsid()\n    os.execlp('sleep', 'sleep', '4712')"
    )
    assert box.run(daemon)[1] is None and box.run("2 + 2")[0] == "4\n"
    assert len(until_asleep("4712")) == 1
    box.stop()
    assert not asleep("4712")


def test_the_container_is_started_with_every_limit() -> None:
    """Where no engine is at hand, what is asked of it is compared with what bubblewrap enforces."""
    command = " ".join(wall.container("a-token", 2**30))
    for part in (
        "--network=none --read-only --cap-drop=ALL",
        "--security-opt=no-new-privileges --user=",
        f"--pids-limit={driver.MOST_PROCESSES} --ulimit=nproc={driver.MOST_PROCESSES}",
        f"--memory={2**30} --memory-swap={2**30}",
        f"--tmpfs=/tmp:rw,size={wall.SCRATCH}",
        f"--label {wall.TOKEN}=a-token",
    ):
        assert part in command, part
    assert command.endswith(wall.IMAGE) and "--volume" not in command and "-v " not in command


def test_verdicts_without_the_right_signature_are_no_verdicts() -> None:
    key, line = os.urandom(32), json.dumps({"cell": 1}).encode()
    assert sandbox.opened(key, sandbox.signed(key, line)) == line
    forged = sandbox.signed(os.urandom(32), line)
    for message in (forged, line, b"", sandbox.signed(key, line) + b" "):
        assert sandbox.opened(key, message) is None


@pytest.mark.skipif(sys.platform != "linux", reason="what is asked is a matter of Linux")
def test_the_judge_keeps_its_memory_to_itself() -> None:
    code = (
        "import sys, ctypes\nfrom marking import wall\nwall.keep_private()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=COURSE, check=True
    )
    assert done.stdout == "0\n"


def test_the_filter_of_calls_is_whole_on_each_machine() -> None:
    for machine, kinds in wall.REFUSED_CALLS.items():
        numbers = [number for kind in kinds.values() for number in kind]
        steps = len(wall.refused_calls(machine)) // 8
        assert len(set(numbers)) == len(numbers) >= 25
        assert steps == 2 * len(numbers) + (7 if machine == "x86_64" else 5)


# Refusals


@pytest.fixture
def no_container(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where bubblewrap is refused, the image of the Containerfile is not tried instead."""
    monkeypatch.setattr(sandbox, "WALLS", ("bubblewrap",))


@pytest.mark.usefixtures("no_container")
@pytest.mark.parametrize("place", ["/usr/share/course", "environment"])
def test_what_the_wall_would_show_is_not_marked_from_there(place: str) -> None:
    path = Path(sys.prefix, "lib", "course") if place == "environment" else Path(place)
    assert wall.exposed([path, COURSE]) == [path.resolve()]
    if shutil.which("bwrap") is None:
        pytest.skip("bwrap is not installed")
    with pytest.raises(wall.NoWall, match="lies in /usr or in Python's environment"):
        choose([path])


def test_no_wall_is_a_refusal_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sandbox, "WALLS", wall.WALLS)
    with pytest.raises(wall.NoWall, match="bwrap is not installed") as refusal:
        choose([])
    for word in ("Install bubblewrap", "Containerfile", "--unprotected", "neither podman nor"):
        assert word in str(refusal.value)


@pytest.mark.usefixtures("a_wall", "no_container")
def test_a_wall_that_shows_a_secret_is_no_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    made = wall.bubblewrap

    def leaky(*handles: int) -> list[str]:
        command = made(*handles)
        last = command.index("--remount-ro")  # after it no folder can be made
        return [*command[:last], "--ro-bind", str(COURSE), str(COURSE), *command[last:]]

    monkeypatch.setattr(wall, "bubblewrap", leaky)
    with pytest.raises(wall.NoWall, match="a sandbox saw what it must not: True"):
        choose([])


@pytest.mark.usefixtures("a_wall", "no_container")
def test_a_wall_with_a_network_is_no_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    made = wall.bubblewrap
    monkeypatch.setattr(wall, "bubblewrap", lambda *h: [*made(*h)[:-1], "--share-net", "--"])
    import socket

    if [name for _, name in socket.if_nameindex()] == ["lo"]:
        pytest.skip("this machine has no network")
    with pytest.raises(wall.NoWall, match="a sandbox saw what it must not: False"):
        choose([])


@pytest.mark.usefixtures("no_container")
def test_a_kind_of_machine_without_a_filter_has_no_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(wall.NoWall, match="not on linux and riscv64"):
        choose([])
