"""The warm interpreter: the system's Python with what every grader imports already loaded, forked for each grading.

It starts with an empty environment, loads only what belongs to the system and to us (never a task's files), and does
not read what it is asked: the forked child does, once the parent's memory is no longer its own. So no grader finds
anything of another trial in its memory. A child enters its room and gives up its powers as any command's does; then,
instead of starting a program, it becomes the interpreter that `python_default -I -c` would have started.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import signal
import site
import socket
import sys
import time
import traceback
import types
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
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


class _Shown(SourceFileLoader):
    """Loads a module of our layers under the path it has in a room, from where the layer is on the host."""

    folders: Mapping[str, str] = {}  # set once, before anything is loaded
    """Where on the host the folders of a room's path are."""
    packages = ""

    @classmethod
    def on_host(cls, path: str) -> str:
        shown = next(one for one in cls.folders if path.startswith(f"{one}/"))
        return cls.folders[shown] + path[len(shown) :]

    def path_stats(self, path: str) -> object:  # type: ignore[override]  # what the base class returns
        return super().path_stats(self.on_host(path))

    def get_data(self, path: str) -> bytes:
        return super().get_data(self.on_host(path))

    def set_data(self, *_: object, **__: object) -> None:
        """Nothing is ever written into a layer."""


class _Layers:
    """Finds the modules of our layers."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        for folder in _Shown.folders if path is None else path:
            place = f"{folder}/{name.rpartition('.')[2]}"
            if not folder.startswith(tuple(_Shown.folders)):
                continue
            for file, inner in ((f"{place}/__init__.py", [place]), (f"{place}.py", None)):
                if os.path.isfile(_Shown.on_host(file)):
                    loader = _Shown(name, file)
                    return importlib.util.spec_from_file_location(
                        name, file, loader=loader, submodule_search_locations=inner
                    )
        return None


def _load(folders: Mapping[str, str], packages: str) -> list[str]:
    """Be what a fresh interpreter of a room is after its own start, with the usual modules loaded; returns their names.

    `folders`: where on the host the folders of a room's path are; `packages` is the one with graders' packages.
    """
    _Shown.folders, _Shown.packages = folders, packages
    sys.meta_path.append(_Layers)
    del sys.path[0]  # ours
    known = site.removeduppaths()
    for folder in site.getsitepackages():
        if folder == packages:
            sys.path.append(packages)
        elif os.path.isdir(folder):
            site.addsitedir(folder, known)
    site.setquit()
    site.setcopyright()
    site.sethelper()
    for name in _LOADED:
        importlib.import_module(name)
    sys.meta_path.remove(_Layers)
    if _UTILS in folders:
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
    sys.meta_path.insert(0, _Layers)  # before a `dayjob` that is installed for everybody
    try:
        for name in _GRADING:
            importlib.import_module(name)
    finally:
        sys.meta_path.remove(_Layers)
        _grading.update(_taken_out())
        sys.modules.update(ours)
    for name in _READS_ENVIRONMENT:
        code = _Shown(name, str(_grading[name].__file__)).get_code(name)
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
        sys.path.insert(1 + sys.path.index(_Shown.packages), _STANDINS)
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
