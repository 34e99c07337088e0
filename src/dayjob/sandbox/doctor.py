"""What this machine can run, why not, and what to install; and what killed processes left behind."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dayjob import owned, seccomp
from dayjob.sandbox import cgroups, kernel
from dayjob.sandbox.docker import site as docker
from dayjob.sandbox.embedded import site as embedded
from dayjob.sandbox.embedded.base import HOST, layer_store, own_is_made, own_obstacle, remove_old
from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.uid_ranges import SHARED_COUNTERS
from dayjob.sandbox.sandbox import Capabilities
from dayjob.task.base_packages import RELEASE


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `needed`: without it the embedded sandbox cannot start at all."""

    name: str
    works: bool
    says: str
    fix: str = ""
    needed: bool = False


def examine(cache: Path) -> list[Finding]:
    """Look at everything a trial needs here."""
    return [
        _linux(),
        _bwrap(),
        _namespaces(),
        _overlay(),
        _attributes(),
        _python(),
        _groups(),
        _filter(),
        _uids(cache),
        _system(cache),
        _docker(),
    ]


def abilities(cache: Path) -> dict[str, Capabilities]:
    """What each sandbox that works here can promise."""
    store = layer_store(cache)
    known = embedded.capabilities(store)
    if known.separate_uid:
        known = embedded.with_uids(known, asyncio.run(embedded.why_uids_are_shared(store)))
    found = {"embedded": known}
    if _docker().works:
        found["docker"] = docker.capabilities(asyncio.run(docker.security_options()))
    return found


def leftovers() -> list[str]:
    """What ended processes have left, in words."""
    groups = sorted({path.name for path in cgroups.abandoned()})
    return [
        *(f"the control group {name}" for name in groups),
        *(f"the folder {path}" for path in owned.abandoned_folders()),
    ]


def clean(cache: Path) -> list[str]:
    """Remove leftovers, half-made layers and containers among them; returns what was done."""
    store = layer_store(cache)
    store.sweep()
    done = [*remove_old(store), *cgroups.sweep(), *owned.sweep_folders()]
    if _docker().works:
        done += asyncio.run(docker.sweep())
    return done


def _linux() -> Finding:
    works = platform.system() == "Linux"
    return Finding("linux", works, platform.platform(), "" if works else "Use the docker sandbox here.", needed=True)


def _bwrap() -> Finding:
    path = shutil.which("bwrap")
    if path is None:
        return Finding("bubblewrap", False, "not installed", "apt-get install bubblewrap", needed=True)
    said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.strip()
    return Finding("bubblewrap", True, said, needed=True)


def _namespaces() -> Finding:
    name = "user namespaces"
    if not shutil.which("unshare"):
        return Finding(name, False, "the command unshare is missing", "apt-get install util-linux", needed=True)
    tried = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "true"],
        capture_output=True,
        text=True,
    )
    if tried.returncode == 0:
        return Finding(name, True, "may be made by this user", needed=True)
    fix = "Allow unprivileged user namespaces, or run as root."
    restricted = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if restricted.exists() and restricted.read_text().strip() == "1":
        fix = (
            "AppArmor restricts them here (Ubuntu 23.10 and newer): "
            "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run as root."
        )
    return Finding(name, False, tried.stderr.strip(), fix, needed=True)


def _overlay() -> Finding:
    known = "overlay" in Path("/proc/filesystems").read_text() if Path("/proc/filesystems").exists() else False
    release = tuple(int(part) for part in platform.release().split(".")[:2] if part.isdigit())
    if os.geteuid() != 0 and release < (5, 11):
        return Finding("overlayfs", False, f"kernel {platform.release()}", "Needs Linux 5.11, or root.", needed=True)
    return Finding(
        "overlayfs", known, "available" if known else "not loaded", "" if known else "modprobe overlay", True
    )


def _attributes() -> Finding:
    name = "removing folders"
    if platform.system() != "Linux" or kernel.memory_keeps_attributes():
        return Finding(name, True, "folders that came with an image can be removed in a room")
    says = f"kernel {platform.release()}: folders that came with an image can be emptied in a room, but not removed"
    return Finding(name, False, says, "Use Linux 6.6 or newer, or the docker sandbox for tasks that need it.")


def _python() -> Finding:
    works = os.access("/usr/bin/python3", os.X_OK)
    return Finding("system python", works, "/usr/bin/python3", "" if works else "apt-get install python3", needed=True)


def _groups() -> Finding:
    groups = cgroups.available()
    limited = {"memory": "memory", "pids": "processes", "cpu": "CPU"}
    if groups and not groups.missing:
        return Finding("control groups", True, f"version {groups.version}: memory, processes and CPU are limited")
    if groups:
        unlimited = " and ".join(limited[name] for name in groups.missing)
        fix = f"Delegate {' and '.join(groups.missing)} too (Delegate= of the service user@.service), or run as root."
        return Finding("control groups", False, f"version {groups.version}: {unlimited} not limited", fix)
    fix = (
        "Without them limits hold per process only; run as root, or in a delegated group: "
        "systemd-run --user --scope -p Delegate=yes dayjob …"
    )
    return Finding("control groups", False, groups.reason, fix)


def _filter() -> Finding:
    try:
        seccomp.program()
    except LookupError as error:
        return Finding("system call filter", False, str(error), "Use the docker sandbox for tasks you do not trust.")
    return Finding("system call filter", True, f"for {platform.machine()}, no wider than Docker's default")


def _uids(cache: Path) -> Finding:
    name = "separate uids"
    if not of_this_user().separate:
        says = f"an ordinary user has one uid to give; shared by all its rooms: {SHARED_COUNTERS}"
        return Finding(name, False, says, "Run as root for more.")
    why = asyncio.run(embedded.why_uids_are_shared(layer_store(cache)))
    if why is not None:
        return Finding(name, False, f"all rooms have the same uids, and share {SHARED_COUNTERS}", why)
    return Finding(name, True, "each room has uids of its own; root inside is an ordinary uid outside")


def _system(cache: Path) -> Finding:
    name = "a system of its own"
    why = own_obstacle(layer_store(cache))
    if why is not None:
        told = f"rooms show {HOST} and have the host's time: what a task means may depend on this machine"
        return Finding(name, False, told, why)
    if own_is_made(layer_store(cache)):
        return Finding(name, True, f"rooms stand on {RELEASE}, which is made")
    return Finding(name, True, f"rooms stand on {RELEASE}, which the first run makes from Debian's packages")


def _docker() -> Finding:
    if shutil.which("docker") is None:
        return Finding("docker", False, "not installed", "apt-get install --no-install-recommends docker.io")
    asked = subprocess.run(["docker", "version", "--format", "{{.Server.Version}}"], capture_output=True, text=True)
    if asked.returncode:
        return Finding("docker", False, "no daemon answers", "Start the Docker daemon, or set DOCKER_HOST.")
    return Finding("docker", True, f"its daemon runs, version {asked.stdout.strip()}")
