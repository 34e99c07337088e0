"""The virtual machine for control groups of version 2, before it starts. `make cgroup2` starts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import cgroup2_vm


def test_the_machine_gets_the_projects_packages_and_what_they_need_in_turn() -> None:
    names = {one.metadata["Name"].lower() for one in cgroup2_vm.needed_distributions()}
    assert {"click", "starlette", "pytest", "pluggy", "urllib3"} <= names
    assert not {"ray", "mypy", "playwright"} & names


def test_a_missing_program_is_one_sentence_with_its_fix(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(cgroup2_vm, "PROGRAMS", {"no-such-emulator": "emulator-of-nothing"})
    monkeypatch.setenv("DAYJOB_CACHE", str(tmp_path))
    assert cgroup2_vm.main(["true"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "error: emulator-of-nothing is missing; apt-get install --no-install-recommends emulator-of-nothing\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_could_not_be_made_is_not_taken_for_one(tmp_path: Path) -> None:
    def half(folder: Path) -> None:
        (folder / "disk").write_text("half of it")
        raise cgroup2_vm.Impossible("no more room")

    with pytest.raises(cgroup2_vm.Impossible):
        cgroup2_vm._made(tmp_path / "vm" / "root", half)
    assert list((tmp_path / "vm").iterdir()) == []


def test_a_new_disk_takes_the_place_of_an_older_one_of_its_kind(tmp_path: Path) -> None:
    def make(folder: Path) -> None:
        (folder / "disk").write_text("all of it")

    for name in ("root-1", "packages-1", "root-2"):
        cgroup2_vm._made(tmp_path / name, make)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["packages-1", "root-2"]
