"""What is frozen of an examinee's system."""

from __future__ import annotations

import os
from pathlib import Path

from dayjob.sandbox.sandbox import Frozen


def place(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)


def test_programs_are_what_can_be_run_by_its_name(tmp_path: Path) -> None:
    place(tmp_path, "usr/bin/greet", "usr/sbin/greetd", "usr/local/bin/g++-14", "usr/local/sbin/x")
    place(tmp_path, "usr/lib/inner", "usr/bin/folder/inner", "opt/bin/other", "usr/bin/data", "usr/bin/with space")
    place(tmp_path, "usr/bin/a:b", "usr/bin/" + "n" * 65)
    (tmp_path / "usr/bin/data").chmod(0o644)
    (tmp_path / "usr/bin/linked").symlink_to("/usr/lib/nowhere/here")
    os.mkfifo(tmp_path / "usr/bin/pipe")
    frozen = Frozen(tmp_path, ("/workspace",), system=("/usr", "/opt"))
    assert frozen.programs() == ["g++-14", "greet", "greetd", "linked", "x"]


def test_no_more_are_told_than_a_variable_can_hold(tmp_path: Path) -> None:
    place(tmp_path, *(f"usr/bin/{number:04}{'n' * 60}" for number in range(1100)), "usr/bin/z")
    found = Frozen(tmp_path, (), system=("/usr",)).programs()
    assert found == [f"{number:04}{'n' * 60}" for number in range(984)]
    assert 64_000 - 65 < len(":".join(found)) < 64_000


def test_there_are_none_where_the_system_was_left_alone(tmp_path: Path) -> None:
    place(tmp_path, "usr/bin/greet")
    assert Frozen(tmp_path, ("/workspace",)).programs() == []
    assert Frozen(tmp_path, ("/workspace",), system=("/etc",)).programs() == []


def test_folders_that_are_links_are_not_followed(tmp_path: Path) -> None:
    place(tmp_path, "elsewhere/bin/secret", "elsewhere/local/bin/secret")
    (tmp_path / "usr").mkdir()
    (tmp_path / "usr/local").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "usr/bin").symlink_to(tmp_path / "elsewhere/bin")
    assert Frozen(tmp_path, (), system=("/usr",)).programs() == []
    (tmp_path / "usr").rename(tmp_path / "other")
    (tmp_path / "usr").symlink_to(tmp_path / "elsewhere")
    assert Frozen(tmp_path, (), system=("/usr",)).programs() == []
