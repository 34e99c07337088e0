"""The warm interpreter: the base's Python with what every grader imports already loaded, forked for each grading.

Its root is the base itself (`warm_root`). It starts with an empty environment, loads only what belongs to the system
and to us (never a task's files), and does not read what it is asked: the forked child does, once the parent's memory is
no longer its own. So no grader finds anything of another trial in its memory. A child enters its room and gives up its
powers as any command's does; then, instead of starting a program, it becomes the interpreter that
`python_default -I -c` would have started.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import site
import socket
import sys
import time
import traceback
import types
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from typing import NoReturn

from dayjob.sandbox import kernel
from dayjob.sandbox.embedded.request_process import Child
from dayjob.sandbox.embedded.room_commands import in_room, settle
from dayjob.sandbox.embedded.warden_requests import serve

MOST_DESCRIPTORS = 32

# What the grading set imports, and what that imports in turn.
_LOADED = (
    "argparse", "asyncio", "base64", "contextlib", "contextvars", "dataclasses", "datetime", "difflib", "functools",
    "grp", "importlib", "inspect", "json", "logging", "operator", "os", "pathlib", "pwd", "re", "requests",
    "requests.auth", "shutil", "subprocess", "tarfile", "tempfile", "threading", "time", "typing", "urllib.parse",
    "xml.etree.ElementTree",
)  # fmt: skip
_UTILS = "/utils"
_STANDINS = "/utils/standins"
_GRADING = ("dayjob.grading.verdict", "dayjob.grading.eval", "dayjob.grading.common")
# Of these, what reads the environment when it is imported, in that order: done again for each grading.
_READS_ENVIRONMENT = ("dayjob.grading.config", "dayjob.grading.common")


def _load(utils: bool) -> list[str]:
    """Have the usual modules loaded, and the grading set if there is one; returns their names."""
    del sys.path[0]  # ours
    sys.path[:] = [one for one in sys.path if one != _STANDINS]  # which a room may have or not
    for name in _LOADED:
        importlib.import_module(name)
    if utils:
        _load_grading()
    return sorted({name.partition(".")[0] for name in sys.modules} - {"__main__", "dayjob"})


def _taken_out() -> dict[str, types.ModuleType]:
    """The modules of the package `dayjob`, which is one thing here and another in a room, no longer loaded."""
    return {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] == "dayjob"}


_grading: dict[str, types.ModuleType] = {}
_again: list[tuple[types.CodeType, types.ModuleType]] = []


def _load_grading() -> None:
    """Have the grading set at hand, beside our own package of the same name."""
    ours = _taken_out()
    sys.path.insert(0, _UTILS)
    try:
        for name in _GRADING:
            importlib.import_module(name)
    finally:
        sys.path.remove(_UTILS)
        _grading.update(_taken_out())
        sys.modules.update(ours)
    for name in _READS_ENVIRONMENT:
        spec = _grading[name].__spec__
        assert spec is not None
        assert isinstance(spec.loader, SourceFileLoader)
        code = spec.loader.get_code(name)
        assert code is not None
        _again.append((code, _grading[name]))


def main(arguments: Sequence[str]) -> None:
    sock = socket.socket(fileno=int(arguments[0]))
    sock.set_inheritable(False)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        asked = json.loads(sock.recv(65536))
        sock.send(json.dumps({"id": 0, "loaded": _load(**asked)}).encode())
    except (ConnectionError, json.JSONDecodeError):
        return  # whoever asks has ended
    del asked
    gc.collect()
    gc.disable()
    gc.freeze()
    me = os.getpid()
    while True:
        try:
            message, fds, _, _ = socket.recv_fds(sock, 16, MOST_DESCRIPTORS)
        except ConnectionResetError:
            return
        if not message:
            return
        if os.fork() == 0:
            with open(fds.pop(0), "rb") as file:
                file.seek(0)
                request = json.load(file)
            serve(sock, {**request, "warden": me}, fds, {"evaluate": evaluate})
        for fd in fds:
            os.close(fd)


def evaluate(child: Child) -> None:
    """Run Python code in a room, as its grader."""
    in_room(child, _evaluate)


def _evaluate(child: Child) -> NoReturn:
    request = child.request
    settle(child)
    kernel.show_memory()
    _taken_out()  # the room has its own
    sys.path_importer_cache.clear()
    if os.path.isdir(_STANDINS):  # as the file for it among the packages has a fresh one do
        sys.path.insert(1 + sys.path.index(site.getsitepackages()[0]), _STANDINS)
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    if request["utils"]:
        sys.path.insert(0, _UTILS)
        if request["loaded"]:
            sys.modules.update(_grading)
            for body, module in _again:
                exec(body, module.__dict__)
    sys.argv = ["-c"]
    sys.executable = request["program"]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    gc.enable()
    code = 1
    try:
        exec(compile(request["code"], "<string>", "exec"), main.__dict__)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
