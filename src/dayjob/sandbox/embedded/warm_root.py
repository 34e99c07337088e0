"""Where the warm interpreter lives: the layers that every room of a base has, put together as its root.

So it is the interpreter of those rooms, with their paths, before it has entered any. Of the host it keeps what it needs
to enter rooms (/proc, /sys, /dev), and our own source while it starts.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from typing import NoReturn

from dayjob.sandbox import kernel
from dayjob.sandbox.embedded.client import SOURCE, START

_PYTHON = "/usr/bin/python3"
_STAGE = "/tmp"
_ROOT = f"{_STAGE}/root"
_OURS = "/run/dayjob"


def main(arguments: Sequence[str]) -> NoReturn:
    sock = socket.socket(fileno=int(arguments[0]))
    asked = json.loads(sock.recv(65536))
    _enter(asked["layers"], asked["system"])
    sock.send(b'{"id": 0}')
    reading, writing = os.pipe()
    os.write(writing, _OURS.encode())
    os.close(writing)
    os.dup2(reading, 0)
    sock.set_inheritable(True)
    program = START.format(module="dayjob.sandbox.embedded.warm")
    os.execve(_PYTHON, [_PYTHON, "-I", "-c", program, str(sock.fileno())], dict(os.environ))


def _enter(layers: Sequence[str], system: Sequence[str]) -> None:
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    opened = [os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC) for folder in layers]
    source = os.open(SOURCE, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    kernel.mount("stage", _STAGE, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1m,mode=0755")
    for name in ("root", "upper", "work"):
        os.mkdir(f"{_STAGE}/{name}")
    lower = []
    for number, fd in enumerate(opened):
        os.mkdir(place := f"{_STAGE}/{number}")
        kernel.mount(f"/proc/self/fd/{fd}", place, "", kernel.MS_BIND)
        lower.append(place)
    options = f"lowerdir={':'.join(lower)},upperdir={_STAGE}/upper,workdir={_STAGE}/work,userxattr"
    kernel.mount("overlay", _ROOT, "overlay", kernel.MS_NODEV, options)
    for path in ("/proc", "/sys", "/dev", *system):
        os.makedirs(_ROOT + path, exist_ok=True)
        kernel.mount(path, _ROOT + path, "", kernel.MS_BIND | kernel.MS_REC)
    os.makedirs(_ROOT + _OURS)
    kernel.mount(f"/proc/self/fd/{source}", _ROOT + _OURS, "", kernel.MS_BIND)
    os.chroot(_ROOT)
    os.chdir("/")
