"""The wall around a submission: a tree of processes that sees and may use only what it needs.

It rests on the kernel of the machine and not on Python. `bubblewrap` makes it of the namespaces of
Linux; `container` is the same by podman or docker, from the image of the `Containerfile`. With
`none` the code runs with the rights of whoever marks.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import json
import os
import platform
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import driver, wire

WALLS = ("bubblewrap", "container")
IMAGE = "coursework-marking"
INSIDE = "/opt/marking/bin/python"  # of the image
TOKEN = "COURSEWORK_MARKING"
SCRATCH = 64 * 2**20
MOST_FILE = 50_000_000
MOST_OPEN = 256
LIMITED = ("RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE")
PERIOD = 0.1
PASSES = 50
PATIENCE = 120.0
SINGLE_THREADED = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
ENVIRONMENT = {**SINGLE_THREADED, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
SERVING = f"{inspect.getsource(wire)}\n{inspect.getsource(driver)}\n"
CODE = SERVING + "serve(encode)\n"
# Without a namespace the kernel would count whatever else the user runs.
BARE = SERVING + "serve(encode, None)\n"
SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Calls that a submission needs for nothing, and that would reach what is not in a namespace (the
# keys of the kernel) or memory that no limit counts; by number, on each kind of machine.
REFUSED_CALLS = {
    "x86_64": {
        "keys": (248, 249, 250),
        "memory in files without a name": (319, 447),
        "System V memory, semaphores and messages": (29, 64, 68, 240),
        "other processes": (101, 310, 311, 438),
        "namespaces and mounts": (155, 165, 166, 272, 304, 308, 428, 429, 430, 442),
        "the kernel": (298, 321, 323, 425, 426, 427),
    },
    "aarch64": {
        "keys": (217, 218, 219),
        "memory in files without a name": (279, 447),
        "System V memory, semaphores and messages": (180, 186, 190, 194),
        "other processes": (117, 270, 271, 438),
        "namespaces and mounts": (39, 40, 41, 97, 265, 268, 428, 429, 430, 442),
        "the kernel": (241, 280, 282, 425, 426, 427),
    },
}
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


class NoWall(RuntimeError):
    """No wall can be had on this machine, and why."""


def refused_calls(machine: str) -> bytes:
    """The filter of system calls, as the kernel reads it."""
    load, equal, at_least, end = 0x20, 0x15, 0x35, 0x06
    kill, refuse, allow = 0x80000000, 0x00050001, 0x7FFF0000
    program = [(load, 0, 0, 4), (equal, 1, 0, ARCHITECTURE[machine]), (end, 0, 0, kill)]
    program += [(load, 0, 0, 0)]
    if machine == "x86_64":  # whose calls have other numbers in its second convention
        program += [(at_least, 0, 1, 0x40000000), (end, 0, 0, refuse)]
    for numbers in REFUSED_CALLS[machine].values():
        for number in numbers:
            program += [(equal, 0, 1, number), (end, 0, 0, refuse)]
    program += [(end, 0, 0, allow)]
    return b"".join(struct.pack("HBBI", *step) for step in program)


def environment_folders() -> list[str]:
    """The parts of Python's own environment, and nothing that lies beside them."""
    found = []
    for prefix in (sys.prefix, sys.base_prefix, os.path.realpath(sys.base_prefix)):
        for part in ("bin", "lib", "lib64", "pyvenv.cfg"):
            path = os.path.join(prefix, part)
            if os.path.exists(path) and not path.startswith("/usr/") and path not in SYSTEM:
                found.append(path)
    return list(dict.fromkeys(found))


def exposed(private: Iterable[Path]) -> list[Path]:
    """Which of these places a submission could read behind bubblewrap's wall."""
    seen = [Path(path).resolve() for path in ("/usr", *SYSTEM, *environment_folders())]
    return [
        place for place in private if any(place.resolve().is_relative_to(path) for path in seen)
    ]


@functools.cache
def _knows(option: str) -> bool:
    done = subprocess.run(["bwrap", "--help"], capture_output=True, text=True)
    return option in done.stdout


def bubblewrap(info: int, calls: int) -> list[str]:
    """The command that puts what follows it behind a wall of namespaces."""
    command = ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"]
    command += ["--cap-drop", "ALL", "--hostname", "submission", "--uid", "65534"]
    command += ["--gid", "65534", "--ro-bind", "/usr", "/usr"]
    if _knows("--disable-userns"):
        command.append("--disable-userns")
    for path in SYSTEM:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            command += ["--ro-bind", path, path]
    for path in ("/etc/ld.so.cache", "/etc/alternatives"):
        command += ["--ro-bind-try", path, path]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for path in ("/dev/shm", "/tmp"):
        command += ["--size", str(SCRATCH), "--tmpfs", path]
    for path in environment_folders():  # after /tmp, below which it may lie
        command += ["--ro-bind", path, path]
    # All of /proc: its settings of the kernel would be open to a marker who is root.
    for path in ("/proc", "/dev", "/"):
        command += ["--remount-ro", path]
    command += ["--chdir", "/tmp", "--clearenv"]
    for name, value in {**ENVIRONMENT, "HOME": "/tmp", "IPYTHONDIR": "/tmp/.ipython"}.items():
        command += ["--setenv", name, value]
    return [*command, "--info-fd", str(info), "--seccomp", str(calls), "--"]


def engine() -> str | None:
    """podman or docker, if one is installed."""
    return shutil.which("podman") or shutil.which("docker")


def has_image() -> bool:
    """Whether the image of the Containerfile can be run."""
    if engine() is None:
        return False
    return asked("image", "inspect", "--format", "{{.Id}}", IMAGE).strip() != ""


_lifting = threading.Lock()


@contextlib.contextmanager
def lifted() -> Iterator[None]:
    """Without the limits of this process, which an engine of containers would inherit; what runs
    in a container has those of the container."""
    with _lifting:
        kinds = [getattr(resource, name) for name in LIMITED]
        before = {kind: resource.getrlimit(kind) for kind in kinds}
        for kind, (_, hard) in before.items():
            resource.setrlimit(kind, (hard, hard))
        try:
            yield
        finally:
            for kind, pair in before.items():
                resource.setrlimit(kind, pair)


def asked(*words: str) -> str:
    """What the engine of containers answers; nothing if it fails."""
    with lifted():
        done = subprocess.run([engine(), *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def first_inside(token: str, began: float) -> int | None:
    """The first process of the container of a submission, as it is called outside.

    None while there is none, and where containers run in a machine of their own: the number then
    is none of ours, or that of a process that was there before the container.
    """
    import psutil

    names = asked("ps", "--quiet", "--filter", f"label={TOKEN}={token}").split()
    told = asked("inspect", "--format", "{{.State.Pid}}", *names).split() if names else []
    with contextlib.suppress(psutil.Error):
        if told and told[0] != "0" and psutil.Process(int(told[0])).create_time() > began:
            return int(told[0])
    return None


def container(token: str, memory: int) -> list[str]:
    """The command that puts what follows it into a container.

    The kernel counts processes by user, and so each submission is a user of its own.
    """
    user = 1_000 + int.from_bytes(hashlib.sha256(token.encode()).digest()) % 60_000
    command = [engine() or "podman", "run", "--rm", "--interactive", "--label", f"{TOKEN}={token}"]
    command += ["--network=none", "--read-only", "--cap-drop=ALL", "--pull=never"]
    command += ["--security-opt=no-new-privileges", f"--user={user}:{user}", "--workdir=/tmp"]
    command += [f"--pids-limit={driver.MOST_PROCESSES}", f"--ulimit=nproc={driver.MOST_PROCESSES}"]
    command += [f"--memory={memory}", f"--memory-swap={memory}", f"--shm-size={SCRATCH}"]
    command += [f"--tmpfs=/tmp:rw,size={SCRATCH},mode=1777"]
    command += ["--ulimit=core=0", f"--ulimit=nofile={MOST_OPEN}"]
    for name, value in {**ENVIRONMENT, "HOME": "/tmp", "IPYTHONDIR": "/tmp/.ipython"}.items():
        command += ["--env", f"{name}={value}"]
    return [*command, IMAGE]


def limits(memory: int) -> dict[str, int]:
    """What each process of a submission may use: memory, the size of a file, files; no core.

    By name, as the numbers differ between systems, and a container has one of its own.
    """
    return dict(zip(LIMITED, (memory, MOST_FILE, MOST_OPEN, 0), strict=True))


def sealed(memory: int) -> str:
    """Code by which a process in a container takes on what bubblewrap sets from outside: limits for
    each process, and the filter of system calls."""
    filters = {machine: refused_calls(machine) for machine in REFUSED_CALLS}
    return f"""
import ctypes, os, resource
for kind, most in {limits(memory)}.items():
    resource.setrlimit(getattr(resource, kind), (most, most))
class Program(ctypes.Structure):
    _fields_ = [("size", ctypes.c_ushort), ("steps", ctypes.c_char_p)]
steps = {filters}[os.uname().machine]
program = Program(len(steps) // 8, steps)
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
    raise OSError(ctypes.get_errno(), "the filter of system calls was refused")
del Program, kind, libc, most, program, steps
"""


class Tree:
    """The processes of one submission, behind a wall, with a pipe in and a pipe out.

    `pressure` says which limit of the whole tree was passed, if one was; the tree is then dead.
    """

    def __init__(self, wall: str, memory: int, token: str, folder: str) -> None:
        self.wall, self.memory, self.token = wall, memory, token
        self.pressure: str | None = None
        self._handle: int | None = None
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        python = [sys.executable, "-I", "-c", CODE]
        own = {"PATH": os.environ.get("PATH", os.defpath)}
        self._trouble = os.path.join(folder, "trouble")
        with open(self._trouble, "wb") as trouble:
            if wall == "bubblewrap":
                root = self._behind_namespaces(python, pipes, trouble)
            else:
                if wall == "container":
                    code = sealed(memory) + CODE
                    command = [*container(token, memory), INSIDE, "-I", "-c", code]
                    own["HOME"] = os.environ.get("HOME", "/")
                else:
                    command = [sys.executable, "-I", "-c", BARE]
                    own = {**ENVIRONMENT, "HOME": folder, "IPYTHONDIR": folder, TOKEN: token}
                apart = {"cwd": folder, "env": own, "start_new_session": True}
                with lifted() if wall == "container" else contextlib.nullcontext():
                    self.process = subprocess.Popen(command, **pipes, stderr=trouble, **apart)
                root = None if wall == "container" else self.process.pid
        self.stdin, self.stdout = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.stdin, False)
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, args=(root,), daemon=True)
        self._watcher.start()

    def _behind_namespaces(self, python: list[str], pipes: dict, trouble: object) -> int:
        """Start the tree; return the process id, outside, of the first process inside."""
        info, told = os.pipe()
        calls, written = os.pipe()
        os.write(written, refused_calls(platform.machine()))
        os.close(written)
        try:
            # What is in this environment can be read inside, from the first process.
            self.process = subprocess.Popen(
                [*bubblewrap(told, calls), *python],
                **pipes,
                stderr=trouble,
                cwd="/",
                env={"PATH": os.environ.get("PATH", os.defpath)},
                pass_fds=(told, calls),
            )
        finally:
            os.close(told)
            os.close(calls)
        text = b""
        while select.select([info], [], [], PATIENCE)[0]:
            part = os.read(info, 4096)
            text += part
            if not part or b"}" in text:
                break
        os.close(info)
        try:
            first = json.loads(text)["child-pid"]
            self._handle = os.pidfd_open(first)
        except (ValueError, OSError):
            self.process.kill()
            raise NoWall(f"bubblewrap makes no namespaces here: {self.said()}") from None
        return first

    def said(self) -> str:
        """What the wall itself, or Python on its way up, had to complain of."""
        return Path(self._trouble).read_text(errors="replace")[-500:].strip()

    def alive(self) -> bool:
        return self.process.poll() is None

    def _watch(self, root: int | None) -> None:
        """End the tree when all of it together takes too much memory or has too many processes."""
        import psutil

        began = psutil.Process().create_time()  # before any container of this submission
        # An engine is asked less often, as each question starts a process.
        while not self._over.wait(5 * PERIOD if root is None else PERIOD):
            memory = threads = 0
            if root is None and (root := first_inside(self.token, began)) is None:
                continue
            with contextlib.suppress(psutil.Error):
                first = psutil.Process(root)
                for process in [first, *first.children(recursive=True)]:
                    with contextlib.suppress(psutil.Error):
                        memory += process.memory_info().rss
                        threads += process.num_threads()
            if memory > self.memory:
                self.pressure = "memory"
            elif threads > 2 * driver.MOST_PROCESSES:
                self.pressure = "too many processes"
            if self.pressure:
                self._end()
                return

    def _end(self) -> None:
        with contextlib.suppress(OSError):
            if self._handle is not None:
                # The first process of the namespace: all others end with it.
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            if self.wall == "none" and self.alive():
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        if self.wall != "bubblewrap":
            sweep(self.wall, self.token)

    def kill(self) -> None:
        """End every process of the tree and wait for it."""
        self._over.set()
        self._end()
        self._watcher.join()
        self.process.wait()
        self.process.stdout.close()
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        if self._handle is not None:
            # It ends after all others of its namespace.
            select.select([self._handle], [], [], PATIENCE)
            os.close(self._handle)
            self._handle = None


def sweep(wall: str, token: str) -> None:
    """End what a submission left running: every process or container that carries its token."""
    import psutil

    if wall == "container":
        label = f"label={TOKEN}={token}"
        for identity in asked("ps", "--all", "--quiet", "--filter", label).split():
            asked("rm", "--force", identity)
    elif wall == "none":
        # A process that is being replaced by another has no environment to read for a moment, and
        # one that was killed takes a moment to end: look until twice nothing is left.
        quiet = 0
        for _ in range(PASSES):
            quiet += 1
            for process in psutil.process_iter():
                with contextlib.suppress(psutil.Error, OSError):
                    if process.environ().get(TOKEN) == token:
                        process.kill()
                        quiet = 0
            if quiet == 2:
                return
            time.sleep(PERIOD)


def limit(memory: int, wall: str) -> None:
    """Set what each process of the tree, and this one, may use: memory, files, no core dump."""
    for name, most in limits(memory).items():
        if name == "RLIMIT_AS" and sys.platform == "darwin":
            continue  # where no such limit can be set
        kind = getattr(resource, name)
        # An engine of containers, which has its own limits, must be able to lift them.
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most, hard if wall == "container" else most))


def keep_private() -> None:
    """Let no other process of this user read this one's memory, pipes or environment (Linux)."""
    if sys.platform == "linux":
        import ctypes

        undumpable = 4
        if ctypes.CDLL(None, use_errno=True).prctl(undumpable, 0, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "PR_SET_DUMPABLE")
