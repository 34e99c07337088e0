"""The frozen copy of a room: what differs from its image, within limits, whatever an examinee does about it."""

from __future__ import annotations

import asyncio
import os
import stat
import tarfile
from pathlib import Path

import pytest

from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite
from dayjob.sandbox.sandbox import MIB, Frozen, Limits
from dayjob.unpacking import unpack
from tests.sandbox.rooms import in_room

PATHS = ("/workspace", "/tmp", "/srv")


def _image_files(folder: Path) -> None:
    for name, text in {
        "workspace/kept": "of the image",
        "workspace/changed": "of the image",
        "workspace/gone": "of the image",
        "workspace/piped": "of the image",
        "workspace/sub/one": "of the image",
        "workspace/sub/two": "of the image",
        "workspace/anew/old": "of the image",
        "workspace/anew/deep/old": "of the image",
        "srv/site/page": "of the image",
        "tmp/npm/large": "x" * 3_000_000,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "workspace").chmod(0o750)
    (folder / "tmp").chmod(0o1777)


def graded(cache: Path, into: Path, prepare: str, look: str, again: bool = False) -> tuple[Frozen, str]:
    """What a grader's room shows of what was left in a room whose image has files of its own."""

    async def main() -> tuple[Frozen, str]:
        async with EmbeddedSite(cache) as site:
            base = await site.base()
            key = await asyncio.to_thread(site.layers.make, "test-freezing", _image_files)
            image = Image(key="x", layers=(site.layers.path(key), *base.layers), system=base.system)
            room = EmbeddedSandbox(site, image)
            await room.start()
            done = await room.exec(prepare)
            assert done.ok, done.error_text
            frozen = await room.snapshot(into / "frozen", PATHS)
            await room.stop()
            if again:
                with tarfile.open(into / "kept.tar", "w") as tar:
                    tar.add(frozen.folder, "frozen")
                with tarfile.open(into / "kept.tar") as tar:
                    unpack(tar, into / "again", "fully_trusted", numeric_owner=True)
                frozen = Frozen(into / "again" / "frozen", frozen.paths)
            grader = EmbeddedSandbox(site, image, frozen=frozen)
            await grader.start()
            seen = await grader.exec(look, grader=True)
            await grader.stop()
            return frozen, seen.text + seen.error_text

    return asyncio.run(main())


LOOK = "cd /; find workspace srv tmp -not -type d | sort; cat /workspace/changed"


def test_what_is_byte_for_byte_the_images_is_not_copied_and_the_grader_sees_it(cache: Path, tmp_path: Path) -> None:
    frozen, seen = graded(cache, tmp_path, "echo mine > /workspace/mine; echo new > /workspace/changed", LOOK)
    copied = sorted(str(path.relative_to(frozen.folder)) for path in frozen.folder.rglob("*") if path.is_file())
    assert copied == ["workspace/changed", "workspace/mine"]
    assert seen.splitlines() == [
        "srv/site/page", "tmp/npm/large", "workspace/anew/deep/old", "workspace/anew/old", "workspace/changed",
        "workspace/gone", "workspace/kept", "workspace/mine", "workspace/piped", "workspace/sub/one",
        "workspace/sub/two", "new",
    ]  # fmt: skip


DESTROY = (
    "cd /workspace; rm gone sub/one piped; mkfifo piped; rm -r anew; mkdir -p anew/deep; echo n > anew/new;"
    "rm -r /srv/site; echo f > /srv/site; rm -r /tmp/npm; chmod 600 kept"
)


@pytest.mark.parametrize("again", [False, True], ids=["at once", "kept and unpacked"])
def test_what_was_deleted_stays_deleted(cache: Path, tmp_path: Path, again: bool) -> None:
    look = LOOK + "; find /workspace/anew /srv | sort; stat -c %a /workspace/kept /workspace /tmp; cat /srv/site"
    frozen, seen = graded(cache, tmp_path, DESTROY, look, again)
    assert seen.splitlines() == [
        "srv/site", "workspace/anew/new", "workspace/changed", "workspace/kept", "workspace/sub/two",
        "of the image/srv", "/srv/site", "/workspace/anew", "/workspace/anew/deep", "/workspace/anew/new",
        "600", "750", "1777", "f",
    ]  # fmt: skip
    if not again:
        assert frozen.left_out == ("workspace/piped",)


def test_a_path_that_is_gone_or_replaced_is_empty_and_one_untouched_is_the_images(cache: Path, tmp_path: Path) -> None:
    _, seen = graded(
        cache,
        tmp_path,
        "cd /; rm -r /workspace; ln -s /srv /workspace; rm -r /srv",
        "cd /; find workspace srv; find tmp -type f; stat -c '%a %u' /workspace /srv /tmp",
    )
    assert seen.splitlines()[:3] == ["workspace", "srv", "tmp/npm/large"]
    assert seen.splitlines()[-1] == "1777 0"


def test_deleting_and_making_the_same_again_is_what_was_made(cache: Path, tmp_path: Path) -> None:
    _, seen = graded(
        cache,
        tmp_path,
        "cd /workspace; rm gone; echo back > gone; rm -r sub; mkdir sub",
        "cd /workspace; cat gone; ls sub",
    )
    assert seen == "back\n"


def frozen_after(cache: Path, into: Path, prepare: str, **options: object) -> Frozen:
    async def work(room: EmbeddedSandbox) -> Frozen:
        done = await room.exec(prepare, within=120)
        assert done.ok, done.error_text
        return await room.snapshot(into, PATHS)

    return in_room(cache, work, **options)


def _disk(folder: Path) -> int:
    seen = {(info.st_dev, info.st_ino): info.st_blocks * 512 for info in (one.lstat() for one in folder.rglob("*"))}
    return sum(seen.values())


def test_sixty_names_of_one_file_cost_one_file_on_the_host(cache: Path, tmp_path: Path) -> None:
    link = "for n in $(seq 60); do ln /workspace/big /tmp/link$n; done"
    frozen = frozen_after(cache, tmp_path, f"head -c 20000000 /dev/zero | tr '\\0' x > /workspace/big; {link}")
    assert _disk(tmp_path) < 25 * MIB
    assert len({path.stat().st_ino for path in (tmp_path / "tmp").iterdir()}) == 1
    assert frozen.left_out == ()


def test_more_files_than_a_room_may_have_are_never_there_to_be_frozen(cache: Path, tmp_path: Path) -> None:
    make = "import os; [os.close(os.open(f'/workspace/{n}', os.O_CREAT)) for n in range(9000)]"
    frozen = frozen_after(cache, tmp_path, f'python3 -c "{make}" || true', limits=Limits(files=3000))
    assert 2000 < len(os.listdir(tmp_path / "workspace")) < 3000
    assert frozen.left_out == ()


RACER = """
import os, itertools
os.chdir("/workspace")
for number in itertools.count():
    try:
        os.mkfifo("p"); os.rename("p", "target")
        open("q", "w").write("x" * 5000); os.rename("q", "target")
        os.symlink("/etc/passwd", "r"); os.rename("r", "target")
        os.mkdir("d"); open("d/in", "w").write("y"); os.rename("d", f"moved{number % 20}")
        os.link("target", "linked"); os.unlink("linked")
    except OSError:
        for name in ("p", "q", "r", "d/in", "linked"):
            try: os.unlink(name)
            except OSError: pass
        try: os.rmdir("d")
        except OSError: pass
    if number == 50:
        open("going", "w").close()
"""


def test_an_examinee_that_keeps_swapping_files_cannot_make_freezing_fail(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if nothing had stopped it: some machines have only a signal for that, which a racing fork could miss."""

    async def no(*_: object) -> None:
        return

    monkeypatch.setattr(EmbeddedSandbox, "_stand_still", no)

    async def work(room: EmbeddedSandbox) -> int:
        await room.put(RACER.encode(), "/tmp/race.py")
        await room.exec("python3 /tmp/race.py >/dev/null 2>&1 &")
        assert (await room.exec("until [ -e /workspace/going ]; do sleep 0.02; done", within=60)).ok
        for number in range(25):
            for whole in (False, True):
                frozen = await room.snapshot(tmp_path / f"{number}-{whole}", PATHS, whole=whole)
                for path in (frozen.folder / "workspace").rglob("*"):
                    assert not stat.S_ISFIFO(path.lstat().st_mode)
        return number

    assert in_room(cache, work) == 24


def _without_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dayjob.sandbox.embedded.sandbox.available", lambda: None)


def test_without_control_groups_everything_stands_still_by_signal_and_goes_on(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_groups(monkeypatch)

    async def work(room: EmbeddedSandbox) -> bool:
        await room.put(RACER.encode(), "/tmp/race.py")
        await room.exec("python3 /tmp/race.py >/dev/null 2>&1 &")
        assert (await room.exec("until [ -e /workspace/going ]; do sleep 0.02; done", within=60)).ok
        for number in range(10):
            await room.snapshot(tmp_path / str(number), PATHS)
        await room.exec("rm /workspace/moved*/in")
        return (await room.exec("until ls /workspace/moved*/in; do sleep 0.02; done", within=60)).ok

    assert in_room(cache, work)


LEASE = """
import fcntl, os, signal, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
fd = os.open("/workspace/leased", os.O_RDWR | os.O_CREAT)
os.write(fd, b"mine")
try:
    fcntl.fcntl(fd, 1024, fcntl.F_WRLCK)
except OSError as error:
    pass
open("/workspace/held", "w").close()
time.sleep(600)
"""


def test_a_lease_on_a_file_neither_fails_nor_delays_freezing(cache: Path, tmp_path: Path) -> None:
    async def work(room: EmbeddedSandbox) -> Frozen:
        holding = asyncio.create_task(room.exec(["python3", "-c", LEASE]))
        assert (await room.exec("until [ -e /workspace/held ]; do sleep 0.02; done", within=60)).ok
        frozen = await room.snapshot(tmp_path, PATHS)
        holding.cancel()
        await asyncio.gather(holding, return_exceptions=True)
        return frozen

    frozen = in_room(cache, work)
    assert (tmp_path / "workspace/held").exists()
    copied = (tmp_path / "workspace/leased").exists()
    assert copied or frozen.left_out == ("workspace/leased (Resource temporarily unavailable)",)


def test_what_cannot_be_written_here_is_left_out_and_the_rest_comes(cache: Path, tmp_path: Path) -> None:
    odd = r"""
import os
os.chdir("/workspace")
os.mkdir(b"\xff\xfe"); open(b"\xff\xfe/new\nline", "w").write("odd")
for n in range(300):
    os.mkdir("d"); os.chdir("d")
os.chdir("/workspace")
os.utime(b"\xff\xfe/new\nline", ns=(-10**18, 10**18 * 9))
open("last", "w").write("last")
"""

    async def work(room: EmbeddedSandbox) -> Frozen:
        done = await room.exec(["python3", "-c", odd])
        assert done.ok, done.error_text
        return await room.snapshot(tmp_path, PATHS)

    frozen = in_room(cache, work)
    assert (tmp_path / "workspace/last").read_text() == "last"
    assert Path(os.fsdecode(os.fsencode(tmp_path) + b"/workspace/\xff\xfe/new\nline")).read_text() == "odd"
    assert len(frozen.left_out) == 1
    assert "too deep" in frozen.left_out[0]


@pytest.mark.parametrize("mark", ["opaque", "whiteout", "redirect", "metacopy"])
def test_an_examinee_cannot_set_the_marks_of_layers(cache: Path, tmp_path: Path, mark: str) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        done = await room.exec(
            f"cd /workspace; mkdir d; touch f; python3 -c \"import os; os.setxattr('d', 'user.overlay.{mark}', b'y')\";"
            f"python3 -c \"import os; os.setxattr('f', 'user.overlay.{mark}', b'/etc/passwd')\";"
            "mknod w c 0 0; ls -l w"
        )
        await room.snapshot(tmp_path, PATHS)
        return done.error_text

    assert "mknod: w: Operation not permitted" in in_room(cache, work)
    for path in (tmp_path / "workspace/d", tmp_path / "workspace/f"):
        assert os.listxattr(path) == []
    assert sorted(os.listdir(tmp_path / "workspace")) == ["d", "f"]


def test_more_than_may_be_got_is_an_error_and_so_is_too_much_time(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dayjob.sandbox.embedded.sandbox.COPY_SECONDS", -1.0)

    async def work(room: EmbeddedSandbox) -> Frozen:
        with pytest.raises(Exception, match="not copied within"):
            await room.get("/workspace", tmp_path / "got")
        return await room.snapshot(tmp_path / "frozen", PATHS)

    frozen = in_room(cache, work)
    assert "everything after it: not copied within" in frozen.left_out[0]
    assert all((frozen.folder / path[1:]).is_dir() for path in PATHS)
