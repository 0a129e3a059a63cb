"""What runs behind the wall: the cells of one submission, and questions about its objects.

The text of `wire` and of this module is all that goes behind the wall; it holds no secret. Requests
come as lines on standard input, and each gets one line on standard output. Whatever a submission
does here, to these lines too, changes nothing but its own answers.
"""

MOST_PROCESSES = 64
MOST_TEXT = 20_000
MOST_REPLY = 20_000_000


def serve(encode, most=MOST_PROCESSES):
    """Answer requests until standard input ends, with so many threads at most, or any number.

    A request is {"id", "run": source}, {"id", "ask": name, "cases": pickle or null}, or
    {"interrupt": id}; a reply is {"id", "text", "error": [name, message] or null, "data"}.
    """
    import base64
    import contextlib
    import importlib
    import io
    import json
    import os
    import pickle
    import queue
    import resource
    import signal
    import sys
    import threading

    if most is not None:
        # Counted in the sandbox's own user namespace, so it can only be set inside.
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)

    # Who marks in the background starts every process with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # No cell should spend its time on these, and a busy machine takes long.
    for library in ("numpy", "scipy.stats", "sympy"):
        with contextlib.suppress(ImportError):
            importlib.import_module(library)
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = InteractiveShell.instance(config=config)
    shell.displayhook.write_output_prompt = lambda: None
    shell._showtraceback = lambda *parts: None
    waiting = queue.SimpleQueue()
    main, running = threading.main_thread().ident, [None]

    class Text(io.TextIOBase):
        """What a cell prints, as far as it is kept."""

        def __init__(self):
            self.parts, self.room = [], MOST_TEXT

        def write(self, text):
            if self.room > 0:
                self.parts.append(text[: self.room])
                self.room -= len(text)
            return len(text)

    def listen():
        with contextlib.suppress(Exception), os.fdopen(requests) as lines:
            for line in lines:
                request = json.loads(line)
                if "interrupt" not in request:
                    waiting.put(request)
                elif request["interrupt"] == running[0]:
                    signal.pthread_kill(main, signal.SIGINT)
        os._exit(0)

    def question(name, cases):
        user = shell.user_ns
        if name not in user:
            return "undefined"
        if cases is None:
            return {"value": encode(user[name])}
        return [encode(user[name](*case)) for case in pickle.loads(base64.b64decode(cases))]

    def perform(request):
        error = data = None
        try:
            running[0] = request["id"]
            if "run" in request:
                done = shell.run_cell(request["run"], store_history=False)
                error = done.error_before_exec or done.error_in_exec
            else:
                data = question(request["ask"], request["cases"])
        except BaseException as stopped:
            error = stopped
        finally:
            running[0] = None
        return error, data

    def named(error):
        if error is None:
            return None
        message = ""
        with contextlib.suppress(BaseException):
            message = str(error)[:500]
        return [type(error).__name__[:80], message]

    threading.Thread(target=listen, daemon=True).start()
    while True:
        # An interrupt that comes late, after its cell, must not end this loop.
        with contextlib.suppress(KeyboardInterrupt):
            request = waiting.get()
            text = sys.stdout = sys.stderr = Text()
            error, data = perform(request)
            reply = {"id": request["id"], "text": "".join(text.parts), "error": named(error)}
            line = json.dumps(reply | {"data": data})
            if len(line) > MOST_REPLY:
                line = json.dumps(reply | {"data": "too long"})
            rest = memoryview(line.encode() + b"\n")
            while rest:
                rest = rest[os.write(replies, rest) :]
