"""What a world lacks for a task, as the import that made the world wrote it down in GAPS.json.

`{"format": 1, "tasks": {NAME: [{"kind", "thing", "why", "place", "stand_in"}]}, "others": […]}`. `place` is the world's
file that would fill the gap; with `stand_in` something of the import's stands there already.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = "GAPS.json"
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that a task needs and its world does not have, or has only a stand-in for."""

    kind: str
    thing: str
    why: str
    place: str = ""
    stand_in: bool = False


def lacks_of(world: Path, task: str) -> list[Lack]:
    """What the world in this folder lacks for the task of this name. A file that was added since fills its gap."""
    try:
        found = (world / FILE).stat()
    except OSError:  # most worlds have no such list
        return []
    tasks = _read(world / FILE, found.st_mtime_ns, found.st_size)
    if tasks is None:
        return [Lack("files", FILE, "it cannot be read, so nobody knows what is missing; import the world again.")]
    listed = tasks.get(task, ())
    return [one for one in listed if one.stand_in or not one.place or not os.path.isfile(world / one.place)]


def in_a_line(task: str, lacks: list[Lack]) -> str:
    """What somebody should know before the task is run."""
    shown = ", ".join(f"{one.kind} {one.thing}" for one in lacks[:_SHOWN])
    more = f" and {len(lacks) - _SHOWN} more" if len(lacks) > _SHOWN else ""
    what = "1 thing is" if len(lacks) == 1 else f"{len(lacks)} things are"
    return f"{task}: {what} missing in its world or only stood in for: {shown}{more}. GAPS.md there says more."


@lru_cache(maxsize=8)
def _read(file: Path, changed: int, size: int) -> dict[str, tuple[Lack, ...]] | None:
    """None when it is no such list. Remembered for a file as it was: every trial of a run asks for the same one."""
    try:
        tasks = json.loads(file.read_text("utf-8"))["tasks"]
        return {
            str(task): tuple(
                Lack(
                    str(one["kind"]), str(one["thing"]), str(one.get("why", "")), str(one.get("place", "")),
                    one.get("stand_in") is True,
                )
                for one in listed
            )
            for task, listed in tasks.items()
        }  # fmt: skip
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
