"""Our own code in the environment of another library: its interpreter, our source, one cache."""

from __future__ import annotations

import os
from pathlib import Path

from tests.clients import ROOT, client_python


def program(name: str, command: str) -> str:
    """A command that the library has installed."""
    return str(client_python(name).parent / command)


def surroundings(cache: Path, folder: Path, **more: str) -> dict[str, str]:
    """For a process that works in `folder`."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "DAYJOB_CACHE": str(cache),
        "HOME": str(folder),  # where these libraries keep settings and what they have fetched
        **more,
    }
