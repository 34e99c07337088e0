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
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from typing import NoReturn

from dayjob.sandbox.embedded import kernel
from dayjob.sandbox.embedded.child import Child
from dayjob.sandbox.embedded.errands import serve
from dayjob.sandbox.embedded.inside import in_room, settle

MOST_DESCRIPTORS = 32

# What the grading set imports, and what that imports in turn.
_LOADED = (
    "argparse", "asyncio", "base64", "contextlib", "contextvars", "dataclasses", "datetime", "functools", "importlib",
    "inspect", "json", "logging", "operator", "os", "pathlib", "re", "requests", "requests.auth", "shutil",
    "subprocess", "tempfile", "threading", "time", "typing", "urllib.parse", "xml.etree.ElementTree",
)  # fmt: skip


class _Shown(SourceFileLoader):
    """Loads a module of the packages layer under the path it has in a room, from where the layer is on the host."""

    packages = ""
    shown = ""

    @classmethod
    def on_host(cls, path: str) -> str:
        return cls.packages + path[len(cls.shown) :]

    def path_stats(self, path: str) -> object:  # type: ignore[override]  # what the base class returns
        return super().path_stats(self.on_host(path))

    def get_data(self, path: str) -> bytes:
        return super().get_data(self.on_host(path))

    def set_data(self, *_: object, **__: object) -> None:
        """Nothing is ever written into a layer."""


class _Packages:
    """Finds the modules of the packages layer."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        for folder in (_Shown.shown,) if path is None else path:
            place = f"{folder}/{name.rpartition('.')[2]}"
            if not folder.startswith(_Shown.shown):
                continue
            for file, inner in ((f"{place}/__init__.py", [place]), (f"{place}.py", None)):
                if os.path.isfile(_Shown.on_host(file)):
                    loader = _Shown(name, file)
                    return importlib.util.spec_from_file_location(
                        name, file, loader=loader, submodule_search_locations=inner
                    )
        return None


def _load(packages: str, shown: str) -> list[str]:
    """Be what a fresh interpreter of a room is after its own start, with the usual modules loaded; returns their names.

    `packages` is the layer's folder of packages on the host, `shown` the path it has in a room.
    """
    _Shown.packages, _Shown.shown = packages, shown
    sys.meta_path.append(_Packages)
    del sys.path[0]  # ours
    known = site.removeduppaths()
    for folder in site.getsitepackages():
        if folder == shown:
            sys.path.append(shown)
        elif os.path.isdir(folder):
            site.addsitedir(folder, known)
    site.setquit()
    site.setcopyright()
    site.sethelper()
    for name in _LOADED:
        importlib.import_module(name)
    sys.meta_path.remove(_Packages)
    return sorted({name.partition(".")[0] for name in sys.modules} - {"__main__", "dayjob"})


def main(arguments: Sequence[str]) -> None:
    sock = socket.socket(fileno=int(arguments[0]))
    sock.set_inheritable(False)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        asked = json.loads(sock.recv(65536))
        sock.send(json.dumps({"id": 0, "loaded": _load(asked["packages"], asked["shown"])}).encode())
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
    for name in [name for name in sys.modules if name.partition(".")[0] == "dayjob"]:
        del sys.modules[name]  # the room has its own
    sys.path_importer_cache.clear()
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
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
