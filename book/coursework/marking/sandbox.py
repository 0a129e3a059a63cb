"""One submission in its own process and folder, with limits.

The task comes and the verdicts leave, one for each cell, through a pipe that the kernel of the
submission does not inherit. What is hidden is in no file and no argument of this process. If a cell
loops, it is interrupted; if it goes on, or the kernel dies, the kernel is replaced, the cells
before are run again, and only the question of that cell is lost.
"""

from __future__ import annotations

import base64
import inspect
import json
import os
import pickle
import queue
import resource
import tempfile
import time

from . import wire
from .checks import Wrong

MIME = "application/x-coursework"
GRACE = 4.0
MOST_STARTS = 3
MOST_RESTARTS = 3
MOST_TEXT = 20_000
MOST_DATA = 20_000_000
MOST_FILE = 50_000_000
KERNEL_CODE = "\n".join(
    ["import json, pickle, base64"]
    + [inspect.getsource(f) for f in (wire.encode, wire.encode_array, wire.encode_formula)]
    + [
        inspect.cleandoc(
            """
            name, cases = pickle.loads(base64.b64decode(job))
            if name not in user:
                data = None
            elif cases is None:
                data = json.dumps({"value": encode(user[name])})
            else:
                data = json.dumps([encode(user[name](*case)) for case in cases])
            shell.display_pub.publish({"%s": data or "undefined"})
            """
        )
        % MIME
    ]
)


class Dead(Exception):
    """The kernel died or did not answer."""


class Over(Exception):
    """The marking of this submission ends here, and why."""


class Kernel:
    """A kernel with a time limit on everything that it is asked."""

    def __init__(self, seconds: float, end: float) -> None:
        self.seconds, self.end = seconds, end
        self.restarts = 0
        self.history: list[str] = []
        self.folder = tempfile.mkdtemp(prefix="submission-")
        self.start()

    def start(self) -> None:
        """A kernel that answers; one that does not come up is no fault of the submission."""
        from jupyter_client.manager import KernelManager

        arguments = ["--HistoryManager.enabled=False", "--InteractiveShell.colors=NoColor"]
        for _ in range(MOST_STARTS):
            # Sockets in this process's own folder: a port would be free when it is chosen and
            # could be another kernel's when this one asks for it.
            sockets = os.path.join(tempfile.mkdtemp(), "socket")
            self.manager = KernelManager(kernel_name="python3", transport="ipc", ip=sockets)
            self.manager.start_kernel(cwd=self.folder, extra_arguments=arguments)
            self.client = self.manager.blocking_client()
            self.client.start_channels()
            try:
                return self.client.wait_for_ready(timeout=60)
            except RuntimeError:
                self.stop()
        raise Over("no kernel could be started: mark this submission again")

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def replace(self) -> None:
        """A new kernel that has run what the old one ran to the end."""
        self.stop()
        self.restarts += 1
        if self.restarts > MOST_RESTARTS:
            raise Over("too many cells stopped the kernel")
        self.start()
        for source in self.history:
            try:
                self._run(source)
            except Dead:
                raise Over("a cell that had run stopped the kernel when run again") from None

    def run(self, source: str, keep: bool = True) -> tuple[list[dict], str | None]:
        """Run a cell; return its outputs and the name of its error, if it has one."""
        try:
            outputs, error = self._run(source)
        except Dead as death:
            self.replace()
            return [], str(death)
        if keep:
            self.history.append(source)
        return outputs, error

    def _run(self, source: str) -> tuple[list[dict], str | None]:
        now = time.monotonic()
        if now > self.end:
            raise Over("the time for the whole submission is over")
        deadline, interrupted, written = now + self.seconds, False, 0
        message = self.client.execute(source, allow_stdin=False, stop_on_error=False)
        outputs: list[dict] = []
        error = None
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                if interrupted:
                    raise Dead("the time limit, and no interrupt stops it")
                self.manager.interrupt_kernel()
                interrupted, deadline = True, time.monotonic() + GRACE
                continue
            try:
                reply = self.client.get_iopub_msg(timeout=min(left, 0.5))
            except queue.Empty:
                if not self.manager.is_alive():
                    raise Dead("the kernel died") from None
                continue
            if reply["parent_header"].get("msg_id") != message:
                continue
            kind, content = reply["msg_type"], reply["content"]
            if kind == "status" and content["execution_state"] == "idle":
                break
            if kind == "error":
                error = str(content["ename"])[:80]
                written_now = f"{error}: {content['evalue']}"[:500]
                outputs.append(
                    {
                        "output_type": "error",
                        "ename": error,
                        "evalue": written_now,
                        "traceback": [written_now],
                    }
                )
            elif kind == "display_data" and MIME in content["data"]:
                outputs.append({"data": content["data"][MIME]})
            elif kind == "stream" and written < MOST_TEXT:
                text = content["text"][: MOST_TEXT - written]
                written += len(text)
                outputs.append({"output_type": "stream", "name": "stdout", "text": text})
            elif kind == "execute_result" and written < MOST_TEXT:
                text = str(content["data"].get("text/plain", ""))[: MOST_TEXT - written]
                written += len(text)
                outputs.append({"output_type": "stream", "name": "stdout", "text": f"{text}\n"})
        if interrupted:
            error = "the time limit"
        return outputs, error

    def ask(self, name: str, cases: list[tuple] | None) -> object:
        """The object of this name, or the values of the function of this name."""
        job = base64.b64encode(pickle.dumps((name, cases))).decode()
        code = base64.b64encode(KERNEL_CODE.encode()).decode()
        call = (
            f"exec(compile(__import__('base64').b64decode('{code}'), 'question', 'exec'),"
            f" {{'user': globals(), 'shell': get_ipython(), 'job': '{job}'}})"
        )
        outputs, error = self.run(call, keep=False)
        if error:
            raise Wrong(f"the answer stopped with {error}")
        data = next((output["data"] for output in outputs if "data" in output), None)
        if not isinstance(data, str) or len(data) > MOST_DATA:
            raise Wrong("no answer, or far too long a one")
        if data == "undefined":
            raise Wrong(f"{name} is not defined")
        return json.loads(data)

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


def mark(task: dict, report: object) -> None:
    """Run the cells of a submission in order and report the verdict on each test."""
    from .judge import generator, judge, setting

    limits = task["limits"]
    end = time.monotonic() + limits["submission"]
    names = setting(task["setup"], task["student"])
    kernel = None
    try:
        kernel = Kernel(limits["cell"], end)
        for index, cell in enumerate(task["cells"]):
            outputs, error = kernel.run(cell["source"])
            test, reason = cell.get("test"), None
            if test and error:
                reason = f"the visible test stopped with {error}"
            elif test:
                rng = generator(task["seed"], task["student"], test)
                reason = judge(task["hidden"][test], names, kernel.answer, rng)
            shown = [output for output in outputs if "output_type" in output]
            report(
                {"cell": index, "test": test, "reason": reason, "error": error, "outputs": shown}
            )
        report({"note": f"{kernel.restarts} cells stopped the kernel" if kernel.restarts else ""})
    except Over as over:
        report({"note": str(over)})
    finally:
        if kernel:
            kernel.stop()


def work(task: dict, environment: dict[str, str], channel: object) -> None:
    """Mark one task in this process, which holds nothing else, and send a line for each cell."""
    os.setsid()
    os.environ.update(environment)
    os.chdir(environment["TMPDIR"])
    tempfile.tempdir = environment["TMPDIR"]
    # The kernel must not inherit a way to speak to the marker.
    quiet = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(quiet, standard)
    # The kernel inherits these limits: memory, the size of a file, no core dump.
    for kind, limit in (
        (resource.RLIMIT_AS, task["limits"]["memory"]),
        (resource.RLIMIT_FSIZE, MOST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))

    def report(line: dict) -> None:
        channel.send_bytes(json.dumps(line).encode())

    try:
        mark(task, report)
    except Exception as error:
        # The person who marks must learn of it: this process has no terminal to print on.
        report({"note": f"the marker failed: {type(error).__name__}: {error}"[:500]})
