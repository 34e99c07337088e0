"""Limits on memory, processes and CPU for one trial, through whichever control groups this machine gives us.

`available()` says which version can be used and why not otherwise; a `Cgroup` is one group with its limits, which can
be frozen, counted and removed with everything in it. Version 1 keeps one folder per controller, version 2 one in all.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dayjob import owned
from dayjob.sandbox.sandbox import Limits

_WANTED = ("memory", "pids", "cpu", "freezer", "cpuacct")
_LIMITING = ("memory", "pids", "cpu")


@dataclass(frozen=True, slots=True)
class Available:
    """Where groups can be made: a parent folder per controller (version 1) or a single one (version 2)."""

    version: int
    parents: dict[str, Path]
    reason: str = ""
    missing: tuple[str, ...] = ()
    """Controllers that are not given to us, so that what they limit is not limited."""

    def __bool__(self) -> bool:
        return bool(self.parents)


@functools.cache
def available() -> Available:
    """The control groups this process may make groups in."""
    ours = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for name in controllers.split(","):
            ours[name] = path.lstrip("/")
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    first = {
        name: Path(place, ours.get(name, ""))
        for _, place, kind, options, *_ in mounts
        if kind == "cgroup"
        for name in options.split(",")
        if name in _WANTED
    }
    if "memory" in first and "pids" in first:
        if all(os.access(path, os.W_OK) for path in first.values()):
            return Available(1, first, missing=tuple(name for name in _LIMITING if name not in first))
        return Available(1, {}, "control groups (v1) can only be made by root here")
    for _, place, kind, *_ in mounts:
        if kind == "cgroup2" and "memory" in _words(Path(place, "cgroup.controllers")):
            return _second(Path(place), ours.get("", ""))
    return Available(0, {}, "this machine has no memory and pids control groups")


def _second(top: Path, own: str) -> Available:
    """Version 2: below the top for root, beside our own group otherwise, where both are delegated to this user."""
    parent = top if os.geteuid() == 0 or not own else (top / own).parent
    group = parent / "dayjob"
    try:
        _enable(parent)
        group.mkdir(exist_ok=True)
        _enable(group)
    except OSError as error:
        return Available(2, {}, f"control groups (v2) are not delegated to this user: {error}")
    enabled = _words(group / "cgroup.subtree_control")
    return Available(2, {"": group}, missing=tuple(name for name in _LIMITING if name not in enabled))


def _enable(group: Path) -> None:
    present = set(_words(group / "cgroup.subtree_control"))
    for name in _LIMITING:
        if name in _words(group / "cgroup.controllers") and name not in present:
            (group / "cgroup.subtree_control").write_text(f"+{name}")
    if "memory" not in _words(group / "cgroup.subtree_control"):
        raise OSError("the memory controller cannot be enabled")


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []


class Cgroup:
    """One trial's group."""

    def __init__(self, name: str, limits: Limits, where: Available | None = None) -> None:
        where = where or available()
        self.version = where.version
        self.folders = {
            controller: parent / f"{owned.prefix('room')}{name}" for controller, parent in where.parents.items()
        }
        for folder in self.folders.values():
            folder.mkdir(exist_ok=True)
        # Files live in memory too, within their own limit.
        memory = limits.memory + limits.disk
        if self.version == 1:
            self._set("memory", "memory.limit_in_bytes", memory)
            self._set("pids", "pids.max", limits.processes)
            self._set("cpu", "cpu.cfs_period_us", 100_000)
            self._set("cpu", "cpu.cfs_quota_us", int(limits.cpus * 100_000))
        elif self.version == 2:
            self._set("", "memory.max", memory)
            self._set("", "memory.swap.max", 0)
            self._set("", "pids.max", limits.processes)
            self._set("", "cpu.max", f"{int(limits.cpus * 100_000)} 100000")

    def _set(self, controller: str, file: str, value: object) -> None:
        if controller in self.folders and (path := self.folders[controller] / file).exists():
            path.write_text(str(value))

    @property
    def doors(self) -> list[str]:
        """The files a process writes itself into to join."""
        return [str(folder / "cgroup.procs") for folder in self.folders.values()]

    def freeze(self, still: bool) -> None:
        """Make everything in the group stand still, or go on. Returns when it does."""
        if self.version == 1 and "freezer" in self.folders:
            path = self.folders["freezer"] / "freezer.state"
            path.write_text("FROZEN" if still else "THAWED")
            wanted, ends = ("FROZEN" if still else "THAWED"), time.monotonic() + 5
            while path.read_text().strip() != wanted and time.monotonic() < ends:
                time.sleep(0.001)
        elif self.version == 2:
            (self.folders[""] / "cgroup.freeze").write_text(str(int(still)))
            ends = time.monotonic() + 5
            while f"frozen {int(still)}" not in (self.folders[""] / "cgroup.events").read_text():
                if time.monotonic() > ends:
                    break
                time.sleep(0.001)

    def used(self) -> dict[str, int]:
        """Peak memory in bytes and CPU time in nanoseconds, as far as the kernel counts them here."""
        found = {}
        for controller, file, name in (
            ("memory", "memory.max_usage_in_bytes", "memory_peak"),
            ("cpuacct", "cpuacct.usage", "cpu_nanoseconds"),
            ("", "memory.peak", "memory_peak"),
        ):
            if controller in self.folders:
                text = _words(self.folders[controller] / file)
                if text and text[0].isdigit():
                    found[name] = int(text[0])
        if "" in self.folders:
            words = _words(self.folders[""] / "cpu.stat")
            if "usage_usec" in words:
                found["cpu_nanoseconds"] = int(words[words.index("usage_usec") + 1]) * 1000
        return found

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has ended a process of the group because there was no memory left for it."""
        for controller, file in (("memory", "memory.oom_control"), ("", "memory.events")):
            if controller in self.folders:
                words = _words(self.folders[controller] / file)
                if "oom_kill" in words and int(words[words.index("oom_kill") + 1]):
                    return True
        return False

    def remove(self) -> None:
        remove_folders(self.folders.values())


def remove_folders(folders: Iterable[Path], *, patience: float = 5.0) -> None:
    """Kill what is in the groups and remove them."""
    remaining = list(folders)
    ends = time.monotonic() + patience
    while remaining:
        for folder in list(remaining):
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                _kill_all(folder)
                continue
            remaining.remove(folder)
        if not remaining or time.monotonic() > ends:
            return
        time.sleep(0.002)


def _kill_all(folder: Path) -> None:
    if (kill := folder / "cgroup.kill").exists():
        kill.write_text("1")  # version 2, frozen or not
        return
    if (state := folder / "freezer.state").exists():
        state.write_text("THAWED")
    for word in _words(folder / "cgroup.procs"):
        if word != "0":  # a process of another PID namespace, which we cannot name
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(word), signal.SIGKILL)


def thaw(owner: str) -> None:
    """Let everything in an owner's groups go on: what stands still cannot even be ended."""
    for folder, mark in groups().items():
        if mark == owner:
            for name, word in (("freezer.state", "THAWED"), ("cgroup.freeze", "0")):
                if (state := folder / name).exists():
                    with contextlib.suppress(OSError):  # it is gone by now
                        state.write_text(word)


def groups() -> dict[Path, str]:
    """Every group of a room here, whoever made it, and its owner's mark."""
    found = {}
    for parent in available().parents.values():
        for path in parent.glob("dayjob-*"):
            if owner := owned.mark_in(path.name):
                found[path] = owner
    return found


def abandoned() -> list[Path]:
    """The groups of processes that have ended."""
    return [path for path, owner in groups().items() if owned.is_gone(owner)]


def sweep() -> list[str]:
    """Remove them, with whatever is still in them; returns a sentence for each name."""
    found = abandoned()
    remove_folders(found)
    names = sorted({path.name for path in found})
    return [f"{name}: removed the control group of a process that has ended" for name in names]
