"""Which trials are under way, written down so that what a killed process left behind can be found and removed.

An entry names its process by pid and start time, so a reused pid is not mistaken for it. Processes, mounts and
namespaces end with the warden; what can remain are control groups and folders, and those are listed here.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dayjob.sandbox.embedded.cgroups import remove_folders


def registry() -> Path:
    """The folder of live trials, this user's own."""
    place = os.environ.get("XDG_RUNTIME_DIR")
    if place and os.access(place, os.W_OK):
        folder = Path(place, "dayjob")
    elif os.geteuid() == 0 and os.access("/run", os.W_OK):
        folder = Path("/run/dayjob")
    else:
        folder = Path(tempfile.gettempdir(), f"dayjob-{os.geteuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to somebody else; remove it, or set XDG_RUNTIME_DIR")
    return folder


def start_time(pid: int) -> str | None:
    """When a process started, in the kernel's ticks; None when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]


@dataclass(slots=True)
class Entry:
    """One live trial."""

    path: Path

    def note(self, cgroups: Sequence[Path] = (), folders: Sequence[Path] = ()) -> None:
        facts = {
            "pid": os.getpid(),
            "start": start_time(os.getpid()),
            "cgroups": [str(one) for one in cgroups],
            "folders": [str(one) for one in folders],
        }
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(facts))
        part.replace(self.path)

    def close(self) -> None:
        self.path.unlink(missing_ok=True)


def enter(name: str) -> Entry:
    return Entry(registry() / f"{name}.json")


def entries() -> list[dict[str, Any]]:
    """Every entry, with its own `path`."""
    found = []
    for path in sorted(registry().glob("*.json")):
        try:
            found.append({**json.loads(path.read_text()), "path": path})
        except (OSError, ValueError):
            continue  # just removed by its owner, or by another sweep
    return found


def stale() -> list[dict[str, Any]]:
    """The entries whose process has ended."""
    return [facts for facts in entries() if start_time(facts["pid"]) != facts["start"]]


def sweep() -> list[str]:
    """Remove what ended processes left; returns a sentence for each."""
    done = []
    for facts in stale():
        remove_folders(facts["cgroups"])
        for folder in facts["folders"]:
            shutil.rmtree(folder, ignore_errors=True)
        facts["path"].unlink(missing_ok=True)
        done.append(f"{facts['path'].stem}: removed what process {facts['pid']} left")
    return done
