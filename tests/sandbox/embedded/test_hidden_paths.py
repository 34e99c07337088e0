"""Places in the host's /usr that are in no room. A whole installation: tests/trial/test_installed_for_all.py."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dayjob.sandbox.embedded.base import host_system
from dayjob.sandbox.embedded.hidden_paths import collection, covered
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite

SYSTEM = ("/usr/lib", "/usr/share")


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        ("/usr/share/suite/task", "/usr/share/suite"),
        ("/usr/share/task", "/usr/share/task"),
        ("/usr/lib/python3/dist-packages/tasks", "/usr/lib/python3/dist-packages/tasks"),
        ("/usr/lib/python3/dist-packages/tasks/one", "/usr/lib/python3/dist-packages/tasks"),
    ],
)
def test_tasks_beside_one_in_use_are_covered_with_it_and_the_system_is_not(path: str, whole: str) -> None:
    assert collection(Path(path), SYSTEM) == Path(whole)


def test_only_what_a_room_would_show_is_covered_and_nothing_twice(tmp_path: Path) -> None:
    shown = tmp_path / "usr" / "share"
    inner = shown / "suite" / "task"
    inner.mkdir(parents=True)
    (shown / "suite-of-others").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(shown / "suite")
    asked = [
        inner,
        tmp_path / "link",
        shown / "suite-of-others",
        tmp_path / "elsewhere",
        shown / "gone",
    ]
    assert covered(asked, (str(shown),)) == [str(shown / "suite"), str(shown / "suite-of-others")]


def test_a_room_shows_something_empty_that_nobody_can_write_to_in_their_place(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's folder of documents plays the part of a suite of tasks, where rooms show the host's system."""
    monkeypatch.setenv("DAYJOB_ROOT", "host")

    async def main() -> tuple[str, str]:
        async with EmbeddedSite(cache) as site:
            site.keep_out(Path("/usr/share/doc/bash"))
            room = EmbeddedSandbox(site, await site.base(), name="covered")
            await room.start()
            try:
                listed = await room.exec("ls -A /usr/share/doc; ls /usr/share/perl5 | wc -l")
                tried = await room.exec("touch /usr/share/doc/x; rmdir /usr/share/doc; umount /usr/share/doc; true")
                return listed.text, tried.error_text
            finally:
                await room.stop()

    assert "/usr/share" in host_system()
    listed, refused = asyncio.run(main())
    assert listed.splitlines()[:-1] == []
    assert int(listed) > 0
    assert "touch: cannot touch '/usr/share/doc/x': Read-only file system" in refused
    assert "rmdir: failed to remove '/usr/share/doc'" in refused
    assert "umount: /usr/share/doc" in refused
