"""A container of the docker sandbox: how it is started, what is run in it, and files in and out; without a daemon."""

from __future__ import annotations

import asyncio
import io
import signal
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dayjob import owned
from dayjob.sandbox.docker.sandbox import DockerSandbox
from dayjob.sandbox.docker.site import DockerImage, DockerSite
from dayjob.sandbox.sandbox import MIB, Frozen, Limits, SandboxError
from tests.sandbox.docker.fake_docker import FakeDocker, run

IMAGE = DockerImage(key="sha256:1", tag="sha256:1", name="a-task")
NAMED = ["--label", "dayjob=1", "--label", f"dayjob.owner={owned.mark()}"]


def sandbox(**options: Any) -> DockerSandbox:
    return DockerSandbox(DockerSite(), IMAGE, **{"listen": None, **options})


LIMITS = Limits(memory=100, disk=50 * MIB, file=30, processes=7, cpus=1.5, files=10, open_files=20)
FIRST = "while :; do sleep 1000 & wait $!; done"


def started(name: str, image: str, hosts: list[str], *more: str) -> list[str]:
    return [
        "run", "-d", "--name", name, *NAMED, "--network", "none", *hosts, "--memory", "100", "--memory-swap", "100",
        "--cpus", "1.5", "--pids-limit", "7", "--ulimit", "fsize=30", "--ulimit", "nofile=20", "--ulimit", "core=0",
        "--security-opt", "no-new-privileges", *more, "--entrypoint", "", image, "/bin/sh", "-c", FIRST,
    ]  # fmt: skip


def test_an_examinees_container_is_limited_and_may_send_no_raw_packets(fake: FakeDocker) -> None:
    async def main() -> DockerSandbox:
        one = sandbox(name="A Task: with_signs" + "x" * 60, limits=LIMITS, hosts={"office.test": "127.0.0.1"})
        assert (await one.start()).listeners == {}
        await one.stop()
        return one

    one = run(main())
    assert one.name.startswith("dayjob-a-task-with-signsxxx")
    assert len(one.name) == len("dayjob-") + 40 + 1 + 12
    hosts = ["--add-host", "localhost:127.0.0.1", "--add-host", "office.test:127.0.0.1"]
    assert fake.asked() == [started(one.name, "sha256:1", hosts, "--cap-drop", "NET_RAW"), ["rm", "-f", "-v", one.name]]


def frozen_at(folder: Path, *more: str) -> Frozen:
    for name in ("workspace", "tmp"):
        (folder / name).mkdir(parents=True)
        (folder / name / "a").write_text(name)
    for path in more:
        (folder / path[1:]).mkdir(parents=True)
    return Frozen(folder, ("/workspace", "/tmp", *more))


TAKE = 'cat > "$FAKE_DOCKER/tar"\n'


def brought(fake: FakeDocker) -> dict[str, tuple[int, bytes]]:
    """The owner and content of every file in what was last sent."""
    with tarfile.open(fake.folder / "tar", "r|") as tar:
        found = {}
        for entry in tar:
            content = tar.extractfile(entry)
            found[entry.name] = (entry.uid, content.read() if content is not None else b"")
    return found


def test_the_page_with_the_companys_time_is_shown_where_nobody_can_write_it(fake: FakeDocker, tmp_path: Path) -> None:
    async def main() -> None:
        one = sandbox(clock=tmp_path / "clock")
        await one.start()
        await one.stop()

    run(main())
    (begun,) = [words for words in fake.asked() if words[0] == "run"]
    mount = begun[begun.index("--mount") + 1]
    assert mount == f"type=bind,src={tmp_path}/clock,dst=/run/company-clock,readonly"


def test_an_evaluators_container_is_read_only_but_for_scratch_and_frozen_files(
    fake: FakeDocker, tmp_path: Path
) -> None:
    fake.on("build", "echo sha256:grader")
    fake.on("exec", 'case "$*" in *tar*) cat > "$FAKE_DOCKER/tar" ;; esac\n')

    async def main() -> str:
        one = sandbox(kind="evaluator", limits=LIMITS, frozen=frozen_at(tmp_path / "f"), files={"/utils/t.txt": "told"})
        await one.start()
        await one.stop()
        return one.name

    name = run(main())
    scratch = [
        "--cap-drop", "ALL", "--cap-add", "CHOWN", "--cap-add", "DAC_OVERRIDE", "--cap-add", "FOWNER", "--read-only",
        "--mount", "type=volume,dst=/workspace,volume-nocopy", "--mount", "type=volume,dst=/tmp,volume-nocopy",
        "--mount", "type=volume,dst=/utils", "--tmpfs", f"/var/tmp:rw,exec,nosuid,nodev,mode=1777,size={50 * MIB}",
    ]  # fmt: skip
    way_in = ["exec", "-i", "-u", "0", "-e", "COMPANY_CLOCK=host", name, "tar", "-xpf", "-", "-C"]
    assert fake.asked() == [
        ["build", "-q", "-"],
        started(name, "sha256:grader", ["--add-host", "localhost:127.0.0.1"], *scratch),
        [*way_in, "/"],
        ["exec", "-u", "0", name, "mkdir", "-p", "/utils"],
        [*way_in, "/utils"],
        ["rm", "-f", "-v", name],
    ]
    assert brought(fake) == {"t.txt": (0, b"told")}


def test_a_workbench_has_the_frozen_files_as_its_users_own_and_nothing_withheld(
    fake: FakeDocker, tmp_path: Path
) -> None:
    fake.on("cp", TAKE)
    fake.on("exec", 'case "$*" in *"id -u") echo 1234 ;; esac\n')
    fake.on("inspect", "echo 77\n")

    async def main() -> str:
        withheld = ("/utils/", "/workspace/secret", "/srv/")
        one = sandbox(kind="workbench", frozen=frozen_at(tmp_path / "f", "/srv/data"), withheld=withheld)
        await one.start()
        await one.stop()
        return one.name

    name = run(main())
    root = ["exec", "-u", "0", name, "find"]
    emptied = ["/workspace/", "/tmp/", "/srv/data/", "/utils/"]
    kept = [part for path in emptied for part in ("!", "-path", path)]
    assert fake.asked()[1:] == [
        [*root, *emptied, "/workspace/secret", "/srv/", *kept, "!", "-path", "/srv/", "-delete"],
        ["exec", name, "id", "-u"],
        ["cp", "-", f"{name}:/"],
        # What is withheld from where the examinee's files are may have come with them.
        [*root, "/workspace/secret", "/srv/", "!", "-path", "/srv/", "-delete"],
        ["inspect", "--size", "--format", "{{.SizeRw}}", name],
        ["rm", "-f", "-v", name],
    ]
    found = brought(fake)
    assert {path: content for path, (_, content) in found.items() if content} == {
        "workspace/a": b"workspace",
        "tmp/a": b"tmp",
    }
    assert {uid for uid, _ in found.values()} == {1234}


def test_a_system_as_it_was_left_is_put_in_place_last_and_once(fake: FakeDocker, tmp_path: Path) -> None:
    fake.on("cp", TAKE)
    fake.on("exec", 'case "$*" in *"id -u") echo 0 ;; esac\n')
    fake.on("inspect", "echo 77\n")
    fake.on("commit", "echo sha256:placed\n")
    plain = frozen_at(tmp_path / "f", "/usr/bin", "/etc")
    (tmp_path / "f/usr/bin/greet").write_text("#!/bin/sh\n")
    gone = tuple(f"/usr/share/{number}" for number in range(501))
    frozen = replace(plain, paths=("/workspace", "/tmp"), system=("/usr", "/etc", "/var"), gone=gone)
    site = DockerSite()

    async def main() -> list[str]:
        names = []
        for installed in (True, True, False):
            one = DockerSandbox(site, IMAGE, listen=None, kind="workbench", frozen=frozen, installed=installed)
            await one.start()
            await one.stop()
            names.append(one.name)
        await site.forget(frozen)
        await site.forget(frozen)
        return names

    first, again, without = run(main())
    root = ["exec", "-u", "0", first, "find"]
    asked = fake.asked()
    of_first = [one for one in asked if first in " ".join(one)]
    assert of_first[-6:-2] == [
        [*root, *gone[:500], "-delete"],
        [*root, gone[500], "-delete"],
        ["cp", "-", f"{first}:/"],
        ["commit", "--change", f"LABEL dayjob.owner={owned.mark()}", first],
    ]
    run_again, looked_at, _ = (one for one in asked if again in " ".join(one))
    assert run_again[-4:] == ["sha256:placed", "/bin/sh", "-c", FIRST]
    assert looked_at[0] == "inspect"
    assert next(one for one in asked if without in " ".join(one))[-4] == IMAGE.tag
    assert asked[-1] == ["image", "rm", "-f", "sha256:placed"]
    assert [one[0] for one in asked].count("image") == 1


@pytest.mark.parametrize(("lines", "kept"), [(80, True), (81, False)])
def test_a_list_of_changes_that_is_too_long_is_not_read_to_its_end(
    fake: FakeDocker, tmp_path: Path, lines: int, kept: bool
) -> None:
    # 10 files of at most 80 bytes each; every line has ten.
    fake.on("diff", f"for number in $(seq 1 {lines}); do echo 'D /usr/12'; done\n")

    async def main() -> Frozen:
        return await sandbox(limits=LIMITS).snapshot(tmp_path / "f", ("/workspace",), system=True)

    found = run(main())
    assert found.system == (("/usr",) if kept else ())
    assert found.left_out == (
        () if kept else ("what was changed in /usr, /etc, /opt, /var: more than 10 files and folders",)
    )


def test_a_system_that_cannot_be_kept_is_put_in_place_each_time(fake: FakeDocker, tmp_path: Path) -> None:
    fake.on("cp", TAKE)
    fake.on("exec", 'case "$*" in *"id -u") echo 0 ;; esac\n')
    fake.on("commit", "exit 1\n")
    frozen = replace(frozen_at(tmp_path / "f", "/etc"), paths=("/workspace",), system=("/etc",))
    site = DockerSite()

    async def main() -> None:
        for _ in range(2):
            one = DockerSandbox(site, IMAGE, listen=None, kind="workbench", frozen=frozen, installed=True)
            await one.start()
            await one.stop()

    run(main())
    assert [one[0] for one in fake.asked()].count("cp") == 4


def test_a_container_that_does_not_start_is_removed(fake: FakeDocker) -> None:
    fake.on("run", "echo no memory >&2; exit 125\n")

    async def main() -> None:
        await sandbox().start()

    with pytest.raises(SandboxError, match="docker run: no memory"):
        run(main())
    assert [call[0] for call in fake.asked()] == ["run", "rm"]


COMMAND = """
for word; do case "$word" in --env-file=*) cat "${word#--env-file=}" > "$FAKE_DOCKER/variables" ;; esac; done
echo out; echo err >&2; cat; exit 5
"""


def command_of(fake: FakeDocker) -> list[str]:
    return next(call for call in fake.asked() if call[0] == "exec" and "setsid" in call)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, []),
        ({"user": "root"}, ["-u", "root"]),
        ({"grader": True}, ["-u", "60000"]),
        ({"grader": True, "user": "root"}, ["-u", "60000"]),
        ({"cwd": "/srv"}, ["-w", "/srv"]),
    ],
)
def test_a_command_is_run_with_its_user_folder_and_variables(
    fake: FakeDocker, options: dict[str, Any], words: list[str]
) -> None:
    fake.on("exec", COMMAND)
    heard: list[tuple[str, bytes]] = []

    async def main() -> Any:
        one = sandbox(env={"A": "1", "B": "2"})
        await one.start()
        env = {"B": "3", "LONG": "two\nlines"}
        done = await one.exec(["do", "it"], env=env, stdin=b"in", on_output=lambda *said: heard.append(said), **options)
        await one.stop()
        return one.name, done

    name, done = run(main())
    assert (done.exit_code, done.stdout, done.stderr, done.timed_out, done.dropped) == (
        5,
        b"out\nin",
        b"err\n",
        False,
        0,
    )
    assert b"".join(data for stream, data in heard if stream == "stderr") == b"err\n"
    assert fake.text("variables") == "A=1\nB=3\n"
    call = command_of(fake)
    file = next(word for word in call if word.startswith("--env-file="))
    assert file.startswith("--env-file=/dev/fd/")
    start = ["exec", "-i", *words, file, "-e", "LONG", name, "setsid", "-w", "/bin/sh", "-c"]
    assert call[: len(start)] == start
    wrapper, *rest = call[len(start) :]
    assert ("tee -p" in wrapper) is not bool(options.get("grader"))
    assert rest[:2] == ["dayjob", "/tmp"]
    assert rest[3:] == ["do", "it"]
    assert len(rest[2]) == 16


def test_a_text_goes_through_a_shell_and_its_output_is_kept_from_both_ends(fake: FakeDocker) -> None:
    fake.on("exec", "printf 'a%.0s' $(seq 500); printf 'z%.0s' $(seq 500)\n")

    async def main() -> Any:
        one = sandbox(kind="evaluator")
        one._running = True
        return await one.exec("echo $HOME", keep=100)

    done = run(main())
    assert done.stdout == b"a" * 50 + b"z" * 50
    assert done.dropped == 900
    call = command_of(fake)
    assert call[-3:] == ["/bin/sh", "-c", "echo $HOME"]
    assert call[call.index("dayjob") + 1] == "/var/tmp"


def test_a_command_that_takes_too_long_is_ended_inside_and_out(fake: FakeDocker) -> None:
    fake.on("exec", 'case "$*" in *"kill -9"*) exit 0 ;; esac\nexec sleep 600\n')

    async def main() -> Any:
        one = sandbox()
        one._running = True
        return one.name, await one.exec(["sleep"], within=0.05)

    name, done = run(main())
    assert (done.exit_code, done.timed_out) == (-signal.SIGKILL, True)
    mark = command_of(fake)[command_of(fake).index("dayjob") + 2]
    end = f"kill -9 -$(cat /tmp/.dayjob-commands/{mark}) 2>/dev/null"
    assert fake.asked()[-1] == ["exec", "-u", "0", name, "/bin/sh", "-c", end]


def test_a_container_that_has_written_too_much_stands_still_for_good(
    fake: FakeDocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dayjob.sandbox.docker.sandbox._LOOK_EVERY", {"work": 0.01, "workbench": 0.01})
    fake.on("inspect", f"echo {50 * MIB + 1}\n")
    fake.on("exec", "exec sleep 600\n")

    async def main() -> Any:
        one = sandbox(limits=LIMITS)
        await one.start()
        first, second = await one.exec(["write"]), await one.exec(["more"])
        await one.stop()
        return one.name, first, second

    name, first, second = run(main())
    sentence = b"dayjob: more than 50 MiB were written; the sandbox stands still\n"
    for done in (first, second):
        assert (done.exit_code, done.stderr, done.timed_out) == (-signal.SIGKILL, sentence, False)
    assert fake.asked().count(["pause", name]) == 1
    assert len([call for call in fake.asked() if call[0] == "exec"]) == 1


@pytest.mark.parametrize(("size", "still"), [(50 * MIB, False), (50 * MIB + 1, True), (None, False)])
def test_the_edge_of_the_disk_is_still_allowed(
    fake: FakeDocker, monkeypatch: pytest.MonkeyPatch, size: int | None, still: bool
) -> None:
    monkeypatch.setattr("dayjob.sandbox.docker.sandbox._LOOK_EVERY", {"work": 0.0})
    fake.on("inspect", f"echo {size or 'nobody knows'}\n")

    async def main() -> bool:
        one = sandbox(limits=LIMITS)
        watching = asyncio.create_task(one._watch_disk(0))
        await asyncio.wait({watching}, timeout=30 if still else 0.3)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        return one._full.is_set()

    assert run(main()) is still


def test_nothing_is_run_or_reached_where_nothing_is_started(fake: FakeDocker) -> None:
    async def main() -> None:
        one = sandbox()
        with pytest.raises(SandboxError, match="not running"):
            await one.exec(["true"])
        with pytest.raises(SandboxError, match="not running"):
            await one.connect(80)
        assert await one.open_ports() == []
        assert one.used() == {}

    run(main())


# -- files ------------------------------------------------------------------------------------------------------------


def tar_of(**files: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name.replace("__", "/"))
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def test_files_are_put_removed_and_unpacked_as_root(fake: FakeDocker) -> None:
    fake.on("cp", TAKE)

    async def main() -> str:
        one = sandbox()
        await one.put(b"text", "/srv/deep/a.txt", mode=0o600)
        assert brought(fake) == {"a.txt": (0, b"text")}
        await one.put(b"text", "/top")
        await one.remove("/a", "/b[1]/", "/c")
        await one.remove()
        await one.unpack(io.BytesIO(tar_of(srv__x=b"x")))
        assert brought(fake) == {"srv/x": (0, b"x")}
        with pytest.raises(SandboxError, match="the files could not be copied in"):
            await one.unpack(io.BytesIO(b"no tar at all"))
        return one.name

    name = run(main())
    root = ["exec", "-u", "0", name]
    assert fake.asked()[:6] == [
        [*root, "mkdir", "-p", "/srv/deep"],
        ["cp", "-", f"{name}:/srv/deep"],
        [*root, "mkdir", "-p", "/"],
        ["cp", "-", f"{name}:/"],
        [*root, "find", "/a", "/b[1]/", "/c", "!", "-path", r"/b\[1]/", "-delete"],
        ["cp", "-", f"{name}:/"],
    ]


def test_files_are_got_within_bounds(fake: FakeDocker, tmp_path: Path) -> None:
    (fake.folder / "out.tar").write_bytes(tar_of(a=b"12345"))
    fake.on("cp", 'cat "$FAKE_DOCKER/out.tar"\n')

    async def main() -> str:
        one = sandbox(limits=LIMITS)
        await one.get("/srv/a", tmp_path / "got", limit=5)
        with pytest.raises(SandboxError, match="there is more than the 4 bytes allowed"):
            await one.get("/srv/a", tmp_path / "less", limit=4)
        await one.get("/srv/a", tmp_path / "all")
        return one.name

    name = run(main())
    assert (tmp_path / "got" / "a").read_bytes() == (tmp_path / "all" / "a").read_bytes() == b"12345"
    assert fake.asked()[0] == ["cp", f"{name}:/srv/a", "-"]


def test_a_snapshot_is_taken_while_everything_stands_still(fake: FakeDocker, tmp_path: Path) -> None:
    (fake.folder / "workspace.tar").write_bytes(tar_of(workspace__a=b"12345", workspace__b=b"x" * 2000))
    (fake.folder / "tmp.tar").write_bytes(tar_of(tmp=b"a file where a folder was"))
    fake.on("cp", 'cat "$FAKE_DOCKER/${2##*/}.tar" || exit 1\n')

    async def main() -> Any:
        one = sandbox(limits=Limits(disk=1000))
        return one.name, await one.snapshot(tmp_path / "f", ("/workspace", "/tmp", "/gone"))

    name, frozen = run(main())
    assert [call[0] for call in fake.asked()] == ["pause", "cp", "cp", "cp", "unpause"]
    assert fake.asked()[1] == ["cp", f"{name}:/workspace", "-"]
    assert (frozen.folder, frozen.paths, frozen.whole) == (tmp_path / "f", ("/workspace", "/tmp", "/gone"), True)
    assert len(frozen.left_out) == 1
    assert frozen.left_out[0].startswith("workspace/b")
    found = sorted(str(one.relative_to(tmp_path / "f")) for one in (tmp_path / "f").rglob("*"))
    assert found == ["gone", "tmp", "workspace", "workspace/a"]
    fake.forget()
    fake.on("pause", "exit 1\n")

    async def again() -> Any:
        return await sandbox(limits=Limits(disk=1000)).snapshot(tmp_path / "w", ("/workspace",), whole=True)

    assert run(again()).left_out == ()
    assert [call[0] for call in fake.asked()] == ["pause", "cp"]
