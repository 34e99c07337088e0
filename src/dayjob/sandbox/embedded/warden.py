"""The warden: one small process per host process that forks a child for each errand in a namespace.

It exists because a process can only enter user and PID namespaces while it has one thread, and because forking the
host would copy its secrets. It starts with an empty environment, knows nothing of trials, and ends, with every room,
when the socket to the host closes.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Sequence

from dayjob import owned
from dayjob.sandbox.embedded.warden_requests import serve

# A message larger than this travels in a memory file, as its first descriptor.
LARGEST_MESSAGE = 64 * 1024
MOST_DESCRIPTORS = 200

# As many as systemd lets a service have: a program that closes every number below its limit still ends.
_OPEN_FILES = 524_288


def main(arguments: Sequence[str]) -> None:
    sock = socket.socket(fileno=int(arguments[0]))
    sock.set_inheritable(False)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children answer for themselves; nobody waits for them
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a person's Ctrl-C is the host's to handle
    _raise_open_files()
    # Children share this memory for as long as nobody writes to it, and a collector would.
    gc.disable()
    gc.freeze()
    me, host = os.getpid(), owned.mark_of(os.getppid())
    try:
        _serve_all(sock, me)
    finally:
        if os.getpid() == me:
            # Only now: an errand's process is to hold no more than it needs.
            from dayjob.sandbox.cgroups import thaw

            thaw(host)


def _serve_all(sock: socket.socket, me: int) -> None:
    """Fork a child for each errand, until the host is gone."""
    while True:
        try:
            message, fds, _, _ = socket.recv_fds(sock, LARGEST_MESSAGE, MOST_DESCRIPTORS)
        except ConnectionResetError:
            return  # the host was killed with answers unread
        if not message:
            return
        if message == b"file":
            with open(fds.pop(0), "rb") as file:
                file.seek(0)
                message = file.read()
        if os.fork() == 0:
            serve(sock, {**json.loads(message), "warden": me}, fds)
        for fd in fds:
            os.close(fd)


def _raise_open_files() -> None:
    """A login's soft limit of 1,024 is too small for many rooms with their listeners."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


if __name__ == "__main__":
    main(sys.argv[1:])
