"""A `docker` on the path that notes what it is asked and answers what a test says: no daemon, no container."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

_PROGRAM = """#!/bin/sh
{ for word; do printf '%s\\037' "$word"; done; printf '\\036'; } >> "$FAKE_DOCKER/asked"
env > "$FAKE_DOCKER/env"
if [ -f "$FAKE_DOCKER/on-$1" ]; then . "$FAKE_DOCKER/on-$1"; fi
"""

# A sidecar as a process of the host's own: the mounted folder is what the command line says it is.
_SIDECAR = """
case "$*" in *sidecar.py*)
    for word; do
        case "$word" in
            *:/run/dayjob) folder=${word%:/run/dayjob} ;;
            *:/sidecar.py:ro) script=${word%:/sidecar.py:ro} ;;
        esac
    done
    while [ "$1" != /run/dayjob/host.sock ]; do shift; done
    shift
    "$FAKE_PYTHON" "$script" "$folder/host.sock" "$@" > /dev/null 2>&1 &
    echo $! > "$FAKE_DOCKER/sidecar"
    exit 0 ;;
esac
case "$*" in *python_default*)
    while [ "$1" != python_default ]; do shift; done
    shift
    exec "$FAKE_PYTHON" "$@" ;;
esac
"""
_WAIT = """exec tail --pid="$(cat "$FAKE_DOCKER/sidecar")" -f /dev/null\n"""
_RM = """[ -f "$FAKE_DOCKER/sidecar" ] && kill "$(cat "$FAKE_DOCKER/sidecar")" 2> /dev/null; true\n"""


class FakeDocker:
    """What was asked, and what is answered: `on("build", script)` runs a shell script for that subcommand."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        folder.mkdir()
        program = folder / "bin" / "docker"
        program.parent.mkdir()
        program.write_text(_PROGRAM)
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        monkeypatch.setenv("FAKE_DOCKER", str(folder))
        monkeypatch.setenv("FAKE_PYTHON", sys.executable)

    def on(self, subcommand: str, script: str) -> None:
        (self.folder / f"on-{subcommand}").write_text(script)

    def has_networks(self) -> None:
        """Sidecars run as processes of this machine."""
        self.on("run", _SIDECAR)
        self.on("wait", _WAIT)
        self.on("rm", _RM)

    def asked(self) -> list[list[str]]:
        """Every command line so far."""
        place = self.folder / "asked"
        calls = place.read_text().split("\036")[:-1] if place.exists() else []
        return [call.split("\037")[:-1] for call in calls]

    def forget(self) -> None:
        (self.folder / "asked").unlink(missing_ok=True)

    def environment(self) -> dict[str, str]:
        """The variables it was last started with."""
        lines = (self.folder / "env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def text(self, name: str) -> str:
        """What a script has written to `$FAKE_DOCKER/name`."""
        return (self.folder / name).read_text()


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, 60))
