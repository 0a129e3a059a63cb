"""The judge of one submission: a process of its own, on the safe side of the wall.

The task comes and the verdicts leave, one for each cell and each signed, through a pipe that ends
in this process. What is hidden is in no file and no argument. If a cell loops, it is interrupted;
if it goes on, or its sandbox dies, a new sandbox takes its place, the cells before are run again,
and only the question of that cell is lost.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import pickle
import platform
import re
import select
import shutil
import sys
import tempfile
import time
from pathlib import Path

from . import wire
from .checks import Wrong
from .driver import MOST_REPLY, MOST_TEXT
from .wall import (
    IMAGE,
    PATIENCE,
    REFUSED_CALLS,
    WALLS,
    NoWall,
    Tree,
    exposed,
    has_image,
    keep_private,
    limit,
)

GRACE = 4.0
MOST_STARTS = 3
MOST_RESTARTS = 3
MOST_LINES = 10_000
# Errors of the machine, which a note names: a wrong answer raises others.
TROUBLES = {"time limit", "too many processes", "endless output", "the sandbox died"} | {
    error.__name__
    for error in [OSError, *OSError.__subclasses__(), *ConnectionError.__subclasses__()]
}


class Dead(Exception):
    """The sandbox died or did not answer, and why."""


class Over(Exception):
    """The marking of this submission ends here, and why."""


class Sandbox:
    """A tree of processes behind the wall, with a time limit on everything that it is asked."""

    def __init__(
        self,
        wall: str,
        limits: dict[str, float],
        end: float,
        token: str = "",
        folder: str | None = None,
    ) -> None:
        self.wall, self.limits, self.end, self.token = wall, limits, end, token
        self.folder = folder
        self.restarts, self.asked = 0, 0
        self.history: list[str] = []
        self.stopped: list[str] = []
        self.start()

    def start(self) -> None:
        """A sandbox that answers; one that does not come up is no fault of the submission."""
        trouble = ""
        for _ in range(MOST_STARTS):
            try:
                folder = tempfile.mkdtemp(prefix="submission-", dir=self.folder)
                self.tree = Tree(self.wall, int(self.limits["memory"]), self.token, folder)
            except (NoWall, OSError) as error:
                trouble = str(error)
                continue
            self.buffer, self.lines = bytearray(), []
            try:
                if self._request({"run": ""}, PATIENCE) is not None:
                    return
            except Dead:
                trouble = self.tree.said()
            self.stop()
        raise Over(f"no sandbox could be started: mark this submission again ({trouble})")

    def stop(self) -> None:
        self.tree.kill()

    def replace(self, death: str) -> None:
        """A new sandbox that has run what the old one ran to the end."""
        self.stop()
        self.stopped.append(death)
        self.restarts += 1
        if self.restarts > MOST_RESTARTS:
            raise Over("too many cells stopped the sandbox")
        self.start()
        for source in self.history:
            try:
                self._execute(source)
            except Dead:
                raise Over("a cell that had run stopped the sandbox when run again") from None

    def run(self, source: str) -> tuple[str, tuple[str, str] | None]:
        """Run a cell; return its output and the name and words of its error, if it has one."""
        try:
            text, error = self._execute(source)
        except Dead as death:
            self.replace(str(death))
            return "", (str(death), "")
        self.history.append(source)
        return text, error

    def _execute(self, source: str) -> tuple[str, tuple[str, str] | None]:
        reply, interrupted = self._limited({"run": source})
        text, error = reply.get("text"), self._error(reply)
        text = text[:MOST_TEXT] if isinstance(text, str) else ""
        return text, ("time limit", "") if interrupted else error

    @staticmethod
    def _error(reply: dict) -> tuple[str, str] | None:
        error = reply.get("error")
        if error is None:
            return None
        if not isinstance(error, list) or len(error) != 2:
            return ("an error", "")
        return str(error[0])[:80], str(error[1])[:500]

    def ask(self, name: str, cases: list[tuple] | None) -> object:
        """The object of this name, or the values of the function of this name."""
        job = None if cases is None else base64.b64encode(pickle.dumps(cases)).decode()
        try:
            reply, interrupted = self._limited({"ask": name, "cases": job})
        except Dead as death:
            self.replace(str(death))
            raise Wrong(f"the answer stopped with {death}") from None
        error = ("time limit", "") if interrupted else self._error(reply)
        if error:
            raise Wrong(f"the answer stopped with {error[0]}")
        data = reply.get("data")
        if data == "undefined":
            raise Wrong(f"{name} is not defined")
        if not isinstance(data, dict | list):
            raise Wrong("no answer, or far too long a one")
        return data

    def answer(self, name: str) -> object:
        """The student's object of this name, with a stand-in for a function."""

        def many(cases: list[tuple]) -> list:
            replies = self.ask(name, list(cases))
            if not isinstance(replies, list):
                raise Wrong("no answers")
            return [wire.decode(reply) for reply in replies]

        reply = self.ask(name, None)
        try:
            return wire.decode(reply["value"], wire.Remote(many))
        except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
            raise Wrong(f"{name} is not what is asked for") from None

    def _limited(self, request: dict) -> tuple[dict, bool]:
        """The reply to a request within the time for a cell, and whether it was interrupted."""
        if time.monotonic() > self.end:
            raise Over(f"time limit: {self.limits['submission']:g} s for the whole submission")
        reply = self._request(request, self.limits["cell"])
        if reply is not None:
            return reply, False
        reply = self._request({"interrupt": self.asked}, GRACE)
        if reply is None:
            raise Dead("time limit")
        return reply, True

    def _request(self, request: dict, seconds: float) -> dict | None:
        """Send a request and wait for its reply; None if there is none in time."""
        deadline = time.monotonic() + seconds
        if "interrupt" not in request:
            self.asked += 1
            request = {"id": self.asked, **request}
        rest = memoryview(json.dumps(request).encode() + b"\n")
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                if rest:
                    raise Dead("time limit")
                return None
            readable, writable, _ = select.select(
                [self.tree.stdout], [self.tree.stdin] if rest else [], [], left
            )
            try:
                if writable:
                    rest = rest[os.write(self.tree.stdin, rest) :]
                if readable:
                    self._receive()
            except BlockingIOError:
                continue
            except OSError:
                raise Dead(self._death()) from None
            reply = self._next()
            if reply is not None:
                return reply

    def _receive(self) -> None:
        part = os.read(self.tree.stdout, 2**16)
        if not part:
            raise Dead(self._death())
        *whole, rest = part.split(b"\n")
        if whole:
            whole[0] = bytes(self.buffer) + whole[0]
            self.lines += whole
            self.buffer = bytearray()
        self.buffer += rest
        if len(self.buffer) > MOST_REPLY + 10 * MOST_TEXT or len(self.lines) > MOST_LINES:
            raise Dead("endless output")

    def _next(self) -> dict | None:
        """The reply to the last request, if its line is there; other lines are nobody's."""
        while self.lines:
            line = self.lines.pop(0)
            try:
                reply = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(reply, dict) and reply.get("id") == self.asked:
                return reply
        return None

    def _death(self) -> str:
        # The watcher may be about to say why.
        self.tree.kill()
        return self.tree.pressure or "the sandbox died"


def in_words(where: str, error: tuple[str, str]) -> str | None:
    """What the note says of an error in a cell: a trouble of the machine, not of the answer."""
    name, message = error
    if "MemoryError" in name or name == "memory":
        return f"memory: {where}"
    if name == "RuntimeError" and "new thread" in message:
        return f"too many threads: {where}"
    if name == "ModuleNotFoundError":
        missing = re.search(r"'([\w.]+)'", message)
        return f"missing module: {missing[1] if missing else 'unknown'} ({where})"
    return f"{name}: {where}" if name in TROUBLES else None


def mark(task: dict, report: object) -> None:
    """Run the cells of a submission in order and report the verdict on each test."""
    from .judge import generator, judge, setting

    end = time.monotonic() + task["limits"]["submission"]
    names = setting(task["setup"], task["student"])
    box, notes, again = None, [], False
    try:
        box = Sandbox(task["wall"], task["limits"], end, task["token"])
        # What a sandbox takes to start is not the student's time.
        box.end = time.monotonic() + task["limits"]["submission"]
        for index, cell in enumerate(task["cells"]):
            where, deaths = cell["where"], len(box.stopped)
            text, error = box.run(cell["source"])
            test, reason = cell["test"], None
            if error:
                notes.append(in_words(where, error))
            if test and (not error or error[0] == "AssertionError"):
                rng = generator(task["seed"], task["student"], test)
                reason = judge(task["hidden"][test], names, box.answer, rng)
                if reason and reason.endswith("stopped with time limit"):
                    notes.append(f"time limit: {where}")
                notes += [in_words(where, (death, "")) for death in box.stopped[deaths:]]
            # What the hidden test says is clearer than that a visible one failed.
            if test and error and reason is None:
                reason = f"the visible test stopped with {error[0]}"
            line = {"cell": index, "test": test, "reason": reason, "text": text, "error": error}
            report(line)
    except Over as over:
        if box:
            notes += [in_words(where, (death, "")) for death in box.stopped[deaths:]]
        notes.append(str(over))
        again = True
    finally:
        if box:
            again = again or bool(box.stopped)
            box.stop()
    said = list(dict.fromkeys(note for note in notes if note))
    # What ran beside it may be the reason for a limit: that is seen when it runs alone.
    again = again or any(note.startswith("time limit") for note in said)
    report({"note": "; ".join(said), "again": again})


def signed(key: bytes, line: bytes) -> bytes:
    """A line with its signature, which only those make who have the key."""
    return hmac.new(key, line, hashlib.sha256).digest() + line


def opened(key: bytes, message: bytes) -> bytes | None:
    """The line of a signed message, or None if the signature is not right."""
    line = message[hashlib.sha256().digest_size :]
    return line if hmac.compare_digest(signed(key, line), message) else None


def work(task: dict, folder: str, channel: object, key: bytes) -> None:
    """Mark one task in this process, which holds nothing else, and send a line for each cell."""
    os.setsid()
    keep_private()
    os.chdir(folder)
    tempfile.tempdir = folder
    quiet = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(quiet, standard)
    limit(int(task["limits"]["memory"]), task["wall"])

    def report(line: dict) -> None:
        channel.send_bytes(signed(key, json.dumps(line).encode()))

    try:
        mark(task, report)
    except Exception as error:
        # The person who marks must learn of it: this process has no terminal to print on.
        trouble = f"the marker failed: {type(error).__name__}: {error}"[:500]
        report({"note": trouble, "again": True})


def choose(secret: Path, private: list[Path], memory: float) -> str:
    """The first wall that holds here, tried with a sandbox that looks for a secret file and for a
    network; NoWall says what is missing."""
    troubles = []
    for wall in WALLS:
        trouble = _trouble(wall, secret, private, memory)
        if trouble is None:
            return wall
        troubles.append(f"{wall}: {trouble}")
    raise NoWall(
        "submissions run behind a wall, and none can be had here. Install bubblewrap (Linux) or "
        "build the image of the Containerfile; --unprotected runs them with your own rights.\n"
        + "\n".join(troubles)
    )


def _trouble(wall: str, secret: Path, private: list[Path], memory: float) -> str | None:
    """Why this wall cannot be had, or None if it holds."""
    if wall == "bubblewrap":
        if sys.platform != "linux" or platform.machine() not in REFUSED_CALLS:
            return f"not on {sys.platform} and {platform.machine()}"
        if not shutil.which("bwrap"):
            return "bwrap is not installed"
        open_to_it = exposed([secret, *private])
        if open_to_it:
            return f"{open_to_it[0]} lies in /usr or in Python's environment, which it shows"
    elif not has_image():
        return f"neither podman nor docker runs here with an image {IMAGE}"
    look = f"""
import os, socket
print(os.path.exists({str(secret)!r}), [name for _, name in socket.if_nameindex()])
"""
    limits = {"memory": memory, "cell": 20.0}
    with tempfile.TemporaryDirectory() as folder:
        try:
            box = Sandbox(wall, limits, time.monotonic() + 3 * PATIENCE, folder=folder)
            seen, _ = box.run(look)
            box.stop()
        except Over as over:
            return str(over)
    return None if seen == "False ['lo']\n" else f"a sandbox saw what it must not: {seen}"
