"""One errand in a process of its own: its request, its descriptors, its answers, and how it enters a user namespace."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Mapping
from typing import Any

from dayjob.sandbox import kernel

Request = Mapping[str, Any]


class Child:
    """One request being served in a process of its own."""

    def __init__(self, sock: socket.socket, request: Request, fds: list[int]) -> None:
        self.sock = sock
        self.request = request
        self.fds = fds

    def answer(self, facts: dict[str, Any], fds: list[int] | None = None) -> None:
        socket.send_fds(self.sock, [json.dumps({"id": self.request["id"], **facts}).encode()], fds or [])

    def take(self, count: int = 1) -> list[int]:
        """The next descriptors that came with the request."""
        taken, self.fds = self.fds[:count], self.fds[count:]
        return taken

    def enter_user_namespace(self, fd: int) -> None:
        kernel.setns(fd, kernel.CLONE_NEWUSER)
        become_root_inside()


def become_root_inside() -> None:
    with contextlib.suppress(PermissionError):  # an ordinary user's namespace has no other groups to drop
        os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
