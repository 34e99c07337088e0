"""What the doctor finds on machines of every kind, and what it says to do."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from pathlib import Path

import pytest

from dayjob.sandbox import cgroups, doctor, kernel
from dayjob.sandbox.cgroups import Available
from dayjob.sandbox.doctor import Finding


class Machine:
    """A machine with these programs and nothing else on its path."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch
        folder.mkdir()
        monkeypatch.setenv("PATH", str(folder))

    def has(self, name: str, script: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / name).chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path / "bin", monkeypatch)


def test_a_finding_is_plain_data() -> None:
    assert asdict(Finding("a", True, "b")) == {"name": "a", "works": True, "says": "b", "fix": "", "needed": False}


def test_what_is_looked_at_has_these_names_and_order(tmp_path: Path) -> None:
    names = [one.name for one in doctor.examine(tmp_path)]
    assert names == [
        "linux", "bubblewrap", "user namespaces", "overlayfs", "removing folders", "system python", "control groups",
        "system call filter", "separate uids", "a system of its own", "docker",
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "works"), [("Linux", True), ("Darwin", False)])
def test_another_system_than_linux_is_for_docker(machine: Machine, name: str, works: bool) -> None:
    machine.monkeypatch.setattr(platform, "system", lambda: name)
    found = doctor._linux()
    assert (found.works, found.needed, bool(found.fix)) == (works, True, not works)


def test_bubblewrap_is_there_or_is_to_be_installed(machine: Machine) -> None:
    missing = Finding("bubblewrap", False, "not installed", "apt-get install bubblewrap", needed=True)
    assert doctor._bwrap() == missing
    machine.has("bwrap", '[ "$1" = --version ] && echo "bubblewrap 1.2"')
    assert doctor._bwrap() == Finding("bubblewrap", True, "bubblewrap 1.2", needed=True)


def test_user_namespaces_can_be_made_or_are_to_be_allowed(machine: Machine) -> None:
    found = doctor._namespaces()
    assert (found.works, found.says, found.fix) == (
        False, "the command unshare is missing", "apt-get install util-linux",
    )  # fmt: skip
    machine.has("unshare", '[ "$*" = "--user --map-root-user --net --mount --pid --fork true" ]')
    assert doctor._namespaces() == Finding("user namespaces", True, "may be made by this user", needed=True)
    machine.has("unshare", "echo ' not permitted ' >&2; exit 1")
    real = Path.exists

    def restricted(says: str | None) -> None:
        name = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
        machine.monkeypatch.setattr(Path, "exists", lambda self: says is not None if str(self) == name else real(self))
        machine.monkeypatch.setattr(Path, "read_text", lambda self, *_: f"{says}\n")

    for says, apparmor in ((None, False), ("0", False), ("1", True)):
        restricted(says)
        found = doctor._namespaces()
        assert (found.works, found.says, found.needed) == (False, "not permitted", True)
        assert ("AppArmor" in found.fix) is apparmor
        assert "run as root" in found.fix


@pytest.mark.parametrize(
    ("uid", "release", "works"),
    [(0, "5.4.0", True), (1000, "5.10.1", False), (1000, "5.11.0", True), (1000, "6.1.0-13-amd64", True)],
)
def test_an_ordinary_user_needs_a_newer_kernel_for_overlays(
    machine: Machine, uid: int, release: str, works: bool
) -> None:
    machine.monkeypatch.setattr(os, "geteuid", lambda: uid)
    machine.monkeypatch.setattr(platform, "release", lambda: release)
    machine.monkeypatch.setattr(Path, "read_text", lambda self, *_: "nodev\toverlay\n")
    found = doctor._overlay()
    assert (found.works, found.needed, bool(found.fix)) == (works, True, not works)
    machine.monkeypatch.setattr(Path, "read_text", lambda self, *_: "nodev\ttmpfs\n")
    found = doctor._overlay()
    assert found.works is False
    assert found.fix == ("modprobe overlay" if works else "Needs Linux 5.11, or root.")


@pytest.mark.parametrize(
    ("keeps", "system", "works"), [(True, "Linux", True), (False, "Linux", False), (False, "Darwin", True)]
)
def test_an_old_kernel_cannot_remove_folders_of_an_image(
    machine: Machine, keeps: bool, system: str, works: bool
) -> None:
    machine.monkeypatch.setattr(kernel, "memory_keeps_attributes", lambda: keeps)
    machine.monkeypatch.setattr(platform, "system", lambda: system)
    found = doctor._attributes()
    assert (found.name, found.works, found.needed, bool(found.fix)) == ("removing folders", works, False, not works)


@pytest.mark.parametrize(
    ("groups", "works", "says"),
    [
        (Available(2, {"": Path("/x")}), True, "version 2: memory, processes and CPU are limited"),
        (Available(1, {"": Path("/x")}, missing=("cpu",)), False, "version 1: CPU not limited"),
        (Available(2, {"": Path("/x")}, missing=("pids", "cpu")), False, "version 2: processes and CPU not limited"),
        (Available(0, {}, "there are none"), False, "there are none"),
    ],
)
def test_which_limits_control_groups_keep(machine: Machine, groups: Available, works: bool, says: str) -> None:
    machine.monkeypatch.setattr(cgroups, "available", lambda: groups)
    found = doctor._groups()
    assert (found.name, found.works, found.says, bool(found.fix)) == ("control groups", works, says, not works)
    if groups.missing:
        assert f"Delegate {' and '.join(groups.missing)} too" in found.fix


def test_a_machine_without_a_filter_is_for_tasks_that_are_trusted(machine: Machine) -> None:
    machine.monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    assert doctor._filter() == Finding("system call filter", True, "for x86_64, no wider than Docker's default")
    machine.monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    found = doctor._filter()
    assert (found.works, found.fix) == (False, "Use the docker sandbox for tasks you do not trust.")
    assert "riscv64" in found.says


def test_docker_is_there_answers_or_is_to_be_installed(machine: Machine) -> None:
    install = "apt-get install --no-install-recommends docker.io"
    assert doctor._docker() == Finding("docker", False, "not installed", install)
    machine.has("docker", '[ "$*" = "version --format {{.Server.Version}}" ] && echo " 24.0 "')
    assert doctor._docker() == Finding("docker", True, "its daemon runs, version 24.0")
    machine.has("docker", "exit 1")
    start = "Start the Docker daemon, or set DOCKER_HOST."
    assert doctor._docker() == Finding("docker", False, "no daemon answers", start)


@pytest.mark.parametrize("there", [True, False])
def test_the_systems_python_grades(machine: Machine, there: bool) -> None:
    machine.monkeypatch.setattr(
        os, "access", lambda path, mode: there and (path, mode) == ("/usr/bin/python3", os.X_OK)
    )
    fix = "" if there else "apt-get install python3"
    assert doctor._python() == Finding("system python", there, "/usr/bin/python3", fix, needed=True)


def test_leftovers_are_told_in_words(machine: Machine) -> None:
    machine.monkeypatch.setattr(cgroups, "abandoned", lambda: [Path("/b/two"), Path("/a/one"), Path("/c/one")])
    machine.monkeypatch.setattr("dayjob.owned.abandoned_folders", lambda: [Path("/tmp/x")])
    assert doctor.leftovers() == ["the control group one", "the control group two", "the folder /tmp/x"]
