"""The warm process: what companies import is loaded here once, and the process is forked for each company.

It is started afresh (exec), so that callers with threads can use it, with an empty environment, so that it knows no
key. It has no event loop and no thread of its own, holds nothing of any trial, and ends, with every company, when the
socket to its driver closes.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from dayjob.company.database import can_map
from dayjob.trial.company_process import confine
from dayjob.trial.company_process.channel import receive_frame, send_frame

# Sizes of free parts, largest first, of which most are small; and how much is left at the end of the heap.
_GAPS = (65536, 32768, 16384, 8192, 4096, 2048, *range(1040, 8, -16))
_MOST_GAPS = 20_000
_TOP = 512 * 1024

_FILLING: list[object] = []
"""What takes the free places of Python's own heap."""

_REHEARSALS = 8  # as often as a function runs before Python rewrites it for speed

# Programs of their own, not parts of a company.
_NOT_LOADED = ("dayjob.company.drive.previews.worker",)


def main(arguments: Sequence[str]) -> None:
    sock = socket.socket(fileno=int(arguments[0]))
    sock.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a person's Ctrl-C is the driver's to handle
    _die_with_driver()
    ended_here, ended = os.pipe()
    for end in (ended_here, ended):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(ended)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    can_map()  # finds out, and remembers, how databases are cloned here
    rooted = confine.make_root()
    gc.disable()
    loaded: set[str] = set()
    waiting = select.poll()
    waiting.register(sock, select.POLLIN)
    waiting.register(ended_here, select.POLLIN)
    companies: set[int] = set()
    while True:
        ready = {fd for fd, _ in waiting.poll()}
        if ended_here in ready:
            os.read(ended_here, 4096)
            _report(sock, companies)
        if sock.fileno() in ready:
            frame = receive_frame(sock)
            if frame is None:
                return
            message, fds = frame
            _load(loaded, message["with"]["services"])
            if message["do"] == "load":
                continue
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                for fd in (sock.fileno(), ended_here, ended):
                    os.close(fd)
                _become_company(message["with"], fds, rooted)
            companies.add(pid)
            for fd in fds:
                os.close(fd)
            send_frame(sock, {"answer": message["call"], "value": {"pid": pid}})


def _load(loaded: set[str], services: Sequence[str]) -> None:
    """Import everything that a company with these services runs, unless that was done before."""
    missing = {f"dayjob.company.{name}" for name in services} - loaded
    if not loaded:
        for name in ("uvloop", "anyio._backends._asyncio", "dayjob.trial.company_process.serving"):
            importlib.import_module(name)
        _rehearse()
    elif not missing:
        return
    for package in missing:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if module.name not in _NOT_LOADED:
                importlib.import_module(module.name)
    loaded |= {"dayjob.company", *missing}
    for found in gc.get_objects():
        if issubclass(type(found), type):  # asked so that nothing is looked up behind a weak reference
            getattr(found, "__init__", None)  # gives a class its number, which is noted in the class
    _fill_pools()
    # Companies share this memory for as long as nobody writes to it, and a collector would.
    gc.freeze()
    _fill_gaps()


def _rehearse() -> None:
    """Serve a few connections: what Python notes about a function or a class at its first uses is then shared, too."""
    import uvloop
    from websockets.asyncio.client import connect

    from dayjob.http.server import Server, bind

    async def echo(_: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})

    async def main() -> None:
        async with Server() as server:
            for _ in range(_REHEARSALS):
                listener = await server.listen(echo, bind())
                place = f"ws://127.0.0.1:{listener.address[1]}/"
                async with connect(place, compression=None, ping_interval=None, proxy=None) as line:
                    await line.send("")
                    await line.recv()

    uvloop.run(main())


def _fill_pools() -> None:
    """The same for Python's own small objects: a company's new ones go to fresh pages, not between what is loaded."""
    if not hasattr(os, "memfd_create"):
        return  # another system than Linux, on which memory is not counted this closely
    gc.collect()
    kept, told = os.dup(2), os.memfd_create("told")
    os.dup2(told, 2)
    try:
        sys._debugmallocstats()  # tells of the free places, of each size, and only here
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    with open(told, encoding="ascii", errors="replace") as file:
        file.seek(0)
        lines = file.read().splitlines()
    for line in lines:
        words = line.split()
        if len(words) == 5 and all(word.isdigit() for word in words):
            _, size, _, _, free = map(int, words)
            _FILLING.extend(_of_size(size) for _ in range(free))


def _of_size(size: int) -> object:
    """A new object of so many bytes, or a little less."""
    if size <= 16:
        return object()
    return bytes(size - sys.getsizeof(b"")) if size > 48 else float(len(_FILLING)) if size <= 32 else bytes(8)


def _fill_gaps() -> None:
    """Take the free parts between what is loaded: a company that put its own things there would copy whole pages."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "malloc_trim"):
        return  # another C library, whose memory is laid out in another way
    libc.malloc.restype = libc.sbrk.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    libc.malloc_trim(0)
    top = libc.sbrk(0) - _TOP
    for size in _GAPS:
        for _ in range(_MOST_GAPS):
            found = libc.malloc(size)
            if not found or found >= top:
                libc.free(found)
                break


def _report(sock: socket.socket, companies: set[int]) -> None:
    """Tell the driver how companies have ended."""
    for pid in tuple(companies):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            companies.discard(pid)
            send_frame(sock, {"do": "ended", "with": {"pid": pid, "code": os.waitstatus_to_exitcode(status)}})


def _become_company(asked: dict[str, Any], fds: list[int], rooted: bool) -> NoReturn:
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        gc.set_threshold(10_000, 10, 10)  # seldom: most of what a company makes is never part of a circle
        gc.enable()
        from dayjob.trial.company_process.serving import run

        parent = os.getppid()
        allowance = confine.Allowance(**asked["allowance"])
        missing = confine.enter(allowance, asked["snapshot"], asked["groups"], rooted=rooted)
        _die_with_driver()  # again, since becoming another uid has undone it
        if os.getppid() == parent:
            run(asked, fds, missing, rooted)
            code = 0
    except BaseException as error:
        os.write(2, f"dayjob: a company's process: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(code)


def _die_with_driver() -> None:
    if sys.platform == "linux":
        from dayjob.sandbox import kernel

        kernel.die_with_parent()


if __name__ == "__main__":
    main(sys.argv[1:])
