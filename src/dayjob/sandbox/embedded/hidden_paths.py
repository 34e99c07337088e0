"""What lies in the host's /usr and is in no room: dayjob itself, and the tasks, worlds, results and caches in use.

A room shows the host's /usr as it is. Where dayjob is installed there for all users, that would show every world; an
empty folder (or file) is laid over each such place instead. The path says that something was there, never what.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import dayjob

_NAME = "*dayjob*"
# Where in a folder of the system it may be, whoever installed it: at the top, in its documents, in a Python's packages.
_PLACES = ("", "doc/", "python*/*-packages/", "pypy*/*-packages/")


def installations(system: tuple[str, ...]) -> list[Path]:
    """Every installation of dayjob in these folders, and this very one: packages, their records, programs, data."""
    package = Path(dayjob.__file__).resolve().parent
    checkout = package.parents[1]
    found = [checkout if (checkout / "pyproject.toml").is_file() else package]
    for folder in map(Path, system):
        for place in _PLACES:
            found += folder.glob(place + _NAME)
    return found


def collection(folder: Path, system: tuple[str, ...]) -> Path:
    """The folder that a task or world lies in, with others of its kind; itself where that is a folder of the system."""
    parent = folder.resolve().parent
    shared = str(parent) in system or parent.name.endswith("-packages")
    return folder if shared else parent


def covered(paths: Iterable[Path], system: tuple[str, ...]) -> list[str]:
    """Those of the paths that a room with these host folders would show, none below another."""
    places = sorted({os.path.realpath(path) for path in paths})
    shown = [place for place in places if any(f"{place}/".startswith(f"{folder}/") for folder in system)]
    return [
        place
        for place in shown
        if os.path.exists(place) and not any(place.startswith(f"{other}/") for other in shown if other != place)
    ]
