"""Hostile submissions: what each tries, in a cell of its own, and how it must end.

A cell that got what it wanted prints GOT. HOME, SOURCE, OTHER, SECRET and PORT stand for places and
things of the machine of whoever marks, which the test puts in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

GOT = "it got through"
CALL = "import ctypes, os\ncall = ctypes.CDLL(None, use_errno=True).syscall\n"
REFUSED = "raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n"
HANDLES = "import os\nhandles = [int(h) for h in os.listdir('/proc/self/fd')]\n"


@dataclass(frozen=True)
class Attack:
    """What is tried, by which code, and one of which words the note must hold ('' for no note).

    `answers` are given in place of right ones, and `lost` are the tests that they lose.
    """

    title: str
    code: str
    note: tuple[str, ...]
    answers: dict[str, str] = field(default_factory=dict)
    lost: frozenset[str] = frozenset()


DIED = ("the sandbox died",)
SLOW = ("time limit",)
NOTHING = ("",)
NO_FILE = ("FileNotFoundError",)
NO_RIGHT = ("PermissionError", "OSError")
CROWD = ("too many processes", "memory", "time limit", "BlockingIOError")
WRONG = {"six": "six = 7", "double": "double = lambda x: x"}
BOTH = frozenset({"six-test", "double-test"})


def told(line: str, which: str) -> str:
    """Lines of JSON, made by an expression for each of some values, into every open pipe."""
    return (
        HANDLES + f"import json\nlines = [{line} {which}]\n"
        "text = '\\n' + '\\n'.join(map(json.dumps, lines)) + '\\n'\nfor handle in handles:\n"
        "    try:\n        os.write(handle, text.encode())\n    except OSError:\n        pass"
    )


ATTACKS = [
    Attack("fork bomb", "import os\nwhile True:\n    os.fork()", CROWD),
    Attack(
        "memory bomb in one process",
        "rows = [0] * 10**6\nwhile True:\n    rows = rows + rows",
        ("memory",),
    ),
    Attack(
        "memory bomb spread over processes",
        "import os, time\nfor _ in range(12):\n    if not os.fork():\n"
        "        rows = bytearray(100 * 2**20)\n        time.sleep(1000)\ntime.sleep(1000)",
        ("memory",),
    ),
    Attack(
        "memory that no process owns",
        CALL + f"if call(319, b'x', 0) >= 0 or call(29, 0, 2**30, 0o1600) >= 0:\n"
        f"    print('{GOT}')\n{REFUSED}",
        NO_RIGHT,
    ),
    Attack(
        "filling the disk",
        "with open('/tmp/x', 'wb') as file:\n    while True:\n        file.write(bytes(2**20))",
        NO_RIGHT,
    ),
    Attack("endless output", "while True:\n    print('x' * 10**6)", ("time limit", "memory")),
    Attack(
        "endless output on the marker's own line",
        HANDLES + "while True:\n    for handle in handles:\n        try:\n"
        "            os.write(handle, b'x' * 2**16)\n        except OSError:\n            pass",
        ("endless output",),
    ),
    Attack("reading the instructor's home", "print(open(HOME + '/notes').read())", NO_FILE),
    Attack("reading the reference answers", "print(open(SOURCE).read())", NO_FILE),
    Attack("reading another submission", "print(open(OTHER).read())", NO_FILE),
    Attack(
        "a symbolic link to the reference answers",
        "import os\nos.symlink(SOURCE, '/tmp/link')\nprint(open('/tmp/link').read())",
        NO_FILE,
    ),
    Attack(
        "reading environment variables",
        "import glob\nfor path in glob.glob('/proc/[0-9]*/environ'):\n"
        "    with open(path) as file:\n        print(file.read())",
        NOTHING,
    ),
    Attack(
        "the network",
        "import socket\nsocket.create_connection(('127.0.0.1', PORT), timeout=2)",
        ("ConnectionRefusedError",),
    ),
    Attack("writing outside its folder", "open('/usr/x', 'w').write('x')", NO_RIGHT),
    Attack(
        "settings of the kernel",
        # Opened only, so that a wall that has this hole is told without harm.
        f"with open('/proc/sys/kernel/core_pattern', 'r+'):\n    print('{GOT}')",
        NO_RIGHT,
    ),
    Attack(
        "devices",
        "import os\nfor path in os.listdir('/dev'):\n"
        "    if path in ('mem', 'kmsg', 'kvm', 'fuse', 'sda', 'vda', 'nvme0n1'):\n"
        f"        print('{GOT}')\nopen('/dev/mem', 'rb')",
        ("FileNotFoundError", "PermissionError"),
    ),
    Attack(
        "the keys of the kernel",
        CALL + f"if call(250, 0, -3, 1) >= 0:\n    print('{GOT}')\n{REFUSED}",
        NO_RIGHT,
    ),
    Attack(
        "a namespace of its own",
        CALL + f"if call(272, 0x10000000) == 0:\n    print('{GOT}')\n{REFUSED}",
        NO_RIGHT,
    ),
    Attack(
        "tracing the judge",
        CALL + "import os\nfor process in map(int, filter(str.isdigit, os.listdir('/proc'))):\n"
        f"    if process != os.getpid() and call(101, 16, process, 0, 0) == 0:\n"
        f"        print('{GOT}')\n{REFUSED}",
        NO_RIGHT,
    ),
    Attack(
        "finding the judge in /proc",
        "import glob\nfor path in glob.glob('/proc/[0-9]*/cmdline'):\n"
        "    with open(path) as file:\n        line = file.read()\n"
        "    if 'forkserver' in line or 'course.py' in line or 'pytest' in line:\n"
        f"        print('{GOT}')",
        NOTHING,
    ),
    Attack(
        "killing every process it can",
        "import os, signal\nos.kill(1, 9)\nos.kill(os.getppid(), 9)\n"
        "try:\n    os.kill(-1, 9)\nexcept ProcessLookupError:\n    pass",
        NOTHING,
    ),
    Attack(
        "a daemon that stays",
        "import os\nif not os.fork():\n    os.setsid()\n    if not os.fork():\n"
        "        os.execlp('sleep', 'sleep', '86399')\n    os._exit(0)",
        NOTHING,
    ),
    Attack(
        "another interpreter in its place",
        "import os, sys\nos.execv(sys.executable, ['python', '-c', 'while True: pass'])",
        ("the sandbox died", "time limit"),
    ),
    Attack("ending its own process", "import os\nos._exit(0)", DIED),
    Attack(
        "ignoring every signal",
        "import signal\nfor number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "    signal.signal(number, signal.SIG_IGN)\nwhile True:\n    pass",
        SLOW,
    ),
    Attack("sleeping", "import time\ntime.sleep(10**6)", SLOW),
    Attack(
        "a thousand threads",
        "import threading, time\nfor _ in range(1000):\n"
        "    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
        "time.sleep(1000)",
        ("too many threads", "too many processes", "time limit", "memory"),
    ),
    Attack(
        "deleting what it can",
        "import json, os, shutil\nfor path in ('/tmp', '/dev', os.path.dirname(json.__file__)):\n"
        "    shutil.rmtree(path, ignore_errors=True)\nif not os.path.exists(json.__file__):\n"
        f"    print('{GOT}')",
        NOTHING,
    ),
    Attack(
        "work left for the end of the process",
        "import atexit, time\natexit.register(time.sleep, 10**6)",
        NOTHING,
    ),
    Attack(
        "a huge printed form", "class A:\n    def __repr__(self): return 'x' * 10**8\nA()", NOTHING
    ),
    Attack("a module that is not there", "import pandas", ("missing module: pandas",)),
    Attack(
        "objects that say they equal anything",
        "class Anything:\n    __class__ = float\n    def __eq__(self, other): return True\n"
        "    def __le__(self, other): return True\n    def __ge__(self, other): return True\n"
        "    def __float__(self): return 6.0\n"
        "    def __reduce__(self): return (print, ('reduced',))\n",
        NOTHING,
        {"six": "six = Anything()", "double": "double = lambda x: Anything()"},
        BOTH,
    ),
    Attack(
        "patching the libraries of its side",
        "import builtins, json, math\nmath.isclose = lambda *a, **k: True\n"
        "builtins.abs = lambda x: 0\njson.JSONEncoder.iterencode = json.JSONEncoder.encode",
        DIED,
        WRONG,
        BOTH,
    ),
    Attack(
        "a forged verdict on every open pipe",
        told(
            "{'cell': i, 'test': t, 'reason': None, 'error': None}",
            "for i in range(20) for t in ('six-test', 'double-test')",
        ),
        NOTHING,
        WRONG,
        BOTH,
    ),
    Attack(
        "forged replies for all questions to come",
        told(
            "{'id': i, 'text': '', 'error': None, 'data': {'value': True}}", "for i in range(100)"
        ),
        NOTHING,
        WRONG,
        BOTH,
    ),
]
