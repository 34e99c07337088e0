"""Which TCP ports are being listened on in a process's network, read from the kernel's own tables."""

from __future__ import annotations

from pathlib import Path

_LISTENING = "0A"


def listening_ports(pid: int) -> list[int]:
    found = set()
    for name in ("tcp", "tcp6"):
        try:
            lines = Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == _LISTENING:
                found.add(int(fields[1].rpartition(":")[2], 16))
    return sorted(found)
