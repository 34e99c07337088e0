"""Every errand the warden can be sent on, by name, and how one is done: in this process, once, with its answer."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import NoReturn

from dayjob.sandbox import kernel
from dayjob.sandbox.embedded.request_process import Child, Request
from dayjob.sandbox.embedded.room_building import mapping, room, try_mapping
from dayjob.sandbox.embedded.room_commands import bring_in, outgoing, remove, reveal, run, signal_all, take_out

ERRANDS: Mapping[str, Callable[[Child], None]] = {
    "outgoing": outgoing,
    "room": room,
    "mapping": mapping,
    "try_mapping": try_mapping,
    "run": run,
    "bring_in": bring_in,
    "take_out": take_out,
    "remove": remove,
    "reveal": reveal,
    "signal_all": signal_all,
}


def serve(
    sock: socket.socket,
    request: Request,
    fds: list[int],
    errands: Mapping[str, Callable[[Child], None]] = ERRANDS,
) -> NoReturn:
    """Do one errand and end. What goes wrong is the answer."""
    child = Child(sock, request, fds)
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        kernel.die_with_parent()
        if os.getppid() != request["warden"]:
            os._exit(1)
        errands[request["errand"]](child)
    except BaseException as error:
        with contextlib.suppress(OSError):  # without a host nobody hears it
            child.answer({"error": f"{type(error).__name__}: {error}"})
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)
