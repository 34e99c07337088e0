"""What the docker sandbox asks of docker, word for word, and what it makes of the answers; no daemon is needed."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import socket
import tarfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from dayjob import grading, owned
from dayjob.sandbox.docker import site as site_module
from dayjob.sandbox.docker.agents import with_agent
from dayjob.sandbox.docker.command import docker, receiving, sending
from dayjob.sandbox.docker.made import built_on
from dayjob.sandbox.docker.network import DescriptorNetwork, DescriptorsStay, Ways
from dayjob.sandbox.docker.sandbox import DockerSandbox
from dayjob.sandbox.docker.site import BASE_TAG, DockerImage, DockerSite, capabilities, security_options, sweep
from dayjob.sandbox.docker.streams import StreamNetwork
from dayjob.sandbox.sandbox import MIB, BuildError, BuiltImage, Frozen, Limits, SandboxError
from dayjob.task.dockerfile import Instruction
from tests.sandbox.docker.fake_docker import FakeDocker

IMAGE = DockerImage(key="sha256:1", tag="sha256:1", name="a-task")
NAMED = ["--label", "dayjob=1", "--label", f"dayjob.owner={owned.mark()}"]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeDocker:
    return FakeDocker(tmp_path / "docker", monkeypatch)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, 60))


# -- one command ------------------------------------------------------------------------------------------------------


def test_a_command_has_the_classic_builder_and_its_answer_comes_back(fake: FakeDocker) -> None:
    fake.on("build", "cat; echo ' and more '; echo wrong >&2")
    said = run(docker("build", "a b", stdin=b"given"))
    assert (said.code, said.out, said.err, said.text) == (0, b"given and more \n", b"wrong\n", "given and more")
    assert fake.asked() == [["build", "a b"]]
    found = fake.environment()
    assert (found["DOCKER_BUILDKIT"], found["DOCKER_CLI_HINTS"]) == ("0", "false")


def test_a_failure_is_said_in_dockers_own_words_unless_nobody_minds(fake: FakeDocker) -> None:
    fake.on("build", "printf 'y%.0s' $(seq 2000) >&2; echo ' at last' >&2; exit 4")
    with pytest.raises(SandboxError, match=r"^docker build: y{792} at last$"):
        run(docker("build"))
    assert run(docker("build", check=False)).code == 4


def test_no_docker_is_said_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxError, match="docker is not installed; install it with: apt-get install"):
        run(docker("ps"))


def test_streams_go_in_and_out_and_a_failure_is_noticed(fake: FakeDocker) -> None:
    fake.on("cp", 'cat > "$FAKE_DOCKER/got"; [ "$2" != bad ] || { echo broken >&2; exit 1; }')
    with sending("cp", "good") as out:
        out.write(b"bytes")
    assert fake.text("got") == "bytes"
    with pytest.raises(SandboxError, match="docker cp: broken"), sending("cp", "bad") as out:
        out.write(b"bytes")
    fake.on("cp", 'echo said; [ "$2" != bad ] || { echo broken >&2; exit 1; }')
    with receiving("cp", "good") as source:
        assert source.read() == b"said\n"
    with pytest.raises(SandboxError, match="docker cp: broken"), receiving("cp", "bad") as source:
        source.read()
    with receiving("cp", "bad", check=False) as source:
        assert source.read(2) == b"sa"


def test_a_stream_that_nobody_takes_is_a_failure_and_one_that_nobody_reads_is_ended(fake: FakeDocker) -> None:
    fake.on("cp", "exec 0<&-; echo no room >&2; exit 1")
    with pytest.raises(SandboxError, match="docker cp: no room"), sending("cp") as out:
        out.write(b"x" * (1 << 22))
    fake.on("cp", "exec cat /dev/zero")
    with receiving("cp") as source:
        assert source.read(10) == bytes(10)


# -- images -----------------------------------------------------------------------------------------------------------

NOTE_BUILD = """for word; do [ "$word" != - ] || cat >> "$FAKE_DOCKER/dockerfiles"; done
echo -- >> "$FAKE_DOCKER/dockerfiles"; echo built
"""


def test_an_agent_is_installed_apart_from_any_task_and_copied_on_top(fake: FakeDocker) -> None:
    fake.on("build", NOTE_BUILD)
    fake.on("image", '[ "$3" = --format ] && echo sha256:both || exit 1\n')
    install = [Instruction("RUN", "pip install agent", 0), Instruction("RUN", "true", 0)]
    assert run(with_agent("task:" + "9" * 40, "base:1", install)) == ("sha256:both", "built\nbuilt\n")
    first, second = fake.text("dockerfiles").split("--\n")[:2]
    assert first == "FROM base:1\nRUN mkdir -p /opt/agents\nRUN pip install agent\nRUN true\n"
    inspected, built, copied, asked = fake.asked()
    agent = built[3]
    assert agent.startswith("dayjob-agent:")
    assert len(agent.partition(":")[2]) == 24
    assert inspected == ["image", "inspect", agent]
    assert built == ["build", "--force-rm", "-t", agent, "-"]
    both = f"dayjob-examinee:{agent.partition(':')[2]}-{'9' * 24}"
    assert copied == ["build", "--force-rm", "-t", both, "-"]
    assert second == f"FROM task:{'9' * 40}\nCOPY --from={agent} /opt/agents /opt/agents\n"
    assert asked == ["image", "inspect", "--format", "{{.Id}}", both]
    fake.forget()
    fake.on("image", "echo sha256:both\n")
    assert run(with_agent("task:1", "base:1", install))[1] == "built\n"
    assert [call[0] for call in fake.asked()] == ["image", "build", "image"]


@pytest.mark.parametrize(("says", "last"), [("echo one; echo two >&2; echo", "two"), (":", "it said nothing")])
def test_an_agent_that_cannot_be_installed_is_not_the_tasks_fault(fake: FakeDocker, says: str, last: str) -> None:
    fake.on("build", f"{says}\nexit 1\n")
    fake.on("image", "exit 1\n")
    with pytest.raises(BuildError, match=f"^below the task, {last}$") as error:
        run(with_agent("task:1", "base:1", []))
    assert error.value.of_task is False


def test_an_image_of_somebody_elses_gets_our_parts_and_the_tasks(fake: FakeDocker) -> None:
    fake.on("build", NOTE_BUILD)
    assert run(built_on("their:1", Path("/base"), Path("/task"), "tag")) == "built\nbuilt\n"
    first, second = fake.asked()
    between = first[2]
    assert first == ["build", "-t", between, "--build-arg", "BASE=their:1", "/base"]
    assert second == ["build", "--force-rm", "-t", "tag", "-f", "-", "/task"]
    assert fake.text("dockerfiles").split("--\n")[1] == f"FROM {between}\n"
    assert len(between.removeprefix("dayjob-made:")) == 24


@pytest.mark.parametrize(
    ("when", "sentence"),
    [
        ("true", "a task cannot be run in the image 'their:1': no luck"),
        ('[ "$2" = --force-rm ]', "the task's parts do not fit on the image 'their:1': no luck"),
    ],
)
def test_an_image_that_does_not_fit_says_so(fake: FakeDocker, when: str, sentence: str) -> None:
    fake.on("build", f"if {when}; then echo no luck; exit 1; fi\n")
    with pytest.raises(BuildError, match=sentence) as error:
        run(built_on("their:1", Path("/base"), Path("/task"), "tag"))
    assert error.value.log.endswith("no luck\n")


def test_the_base_image_is_built_once_for_what_it_holds(fake: FakeDocker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAYJOB_DOCKER_BASE", raising=False)
    fake.on(
        "build", 'echo "$7" > "$FAKE_DOCKER/label"; ls "$8" "$8/utils" "$8/packages" > "$FAKE_DOCKER/held"; echo ok'
    )
    fake.on("image", 'cut -d= -f2- "$FAKE_DOCKER/label" 2> /dev/null')
    place = DockerSite()
    assert run(place.build_base()) == "ok\n"
    looked, built, tagged = fake.asked()
    assert looked == ["image", "inspect", "--format", '{{index .Config.Labels "dayjob.base"}}', BASE_TAG]
    folder = built[-1]
    label = built[6]
    assert built == ["build", "-t", BASE_TAG, "--build-arg", "BASE=python:3.12-slim", "--label", label, folder]
    assert label.startswith("dayjob.base=")
    assert label.endswith("-python:3.12-slim")
    assert len(label) == len("dayjob.base=") + 24 + len("-python:3.12-slim")
    assert tagged == ["tag", BASE_TAG, "ghcr.io/theagentcompany/task-base-image:1.0.0"]
    held = fake.text("held").split()
    for name in (
        "Dockerfile",
        "utils",
        "packages",
        "init.sh",
        "eval.py",
        "standins",
        "requests",
        "dayjob-standins.pth",
    ):
        assert name in held
    assert not os.path.exists(folder)
    fake.forget()
    assert run(place.build_base()) == ""
    assert [call[0] for call in fake.asked()] == ["image"]
    fake.forget()
    assert run(DockerSite("other:1").build_base()) == "ok\n"
    monkeypatch.setenv("DAYJOB_DOCKER_BASE", "third:1")
    assert DockerSite().base == "third:1"
    assert DockerSite("other:1").base == "other:1"


def test_a_base_image_that_does_not_build_says_on_what(fake: FakeDocker) -> None:
    fake.on("build", "echo no such image; exit 1")
    fake.on("image", "exit 1")
    with pytest.raises(BuildError, match="the base image does not build on other:1: no such image") as error:
        run(DockerSite("other:1").build_base())
    assert error.value.log == "no such image\n"


def test_a_graders_image_owns_utils_and_has_our_git_over_its_own(fake: FakeDocker) -> None:
    fake.on("build", 'cat > "$FAKE_DOCKER/text"; echo sha256:grader')
    place = DockerSite()
    assert [run(place.grader_image("sha256:1")) for _ in range(2)] == ["sha256:grader"] * 2
    assert fake.asked() == [["build", "-q", "-"]]
    assert fake.text("text") == (
        "FROM sha256:1\nUSER 0\n"
        "RUN chown -R 60000 /utils; for folder in /usr/lib/git-core /usr/libexec/git-core; do \\\n"
        "    if [ -f $folder/git ] && [ ! -L $folder/git ] && [ -f /usr/bin/git ]; then cp /utils/bin/git /usr/bin/git;"
        " fi; done\n"
    )
    assert (grading.GIT_DOOR, grading.GIT_FOLDERS) == ("/utils/bin/git", ("/usr/lib/git-core", "/usr/libexec/git-core"))
    fake.on("build", "echo one >&2; echo two >&2; exit 1")
    with pytest.raises(SandboxError, match="an image to grade with cannot be made: two"):
        run(place.grader_image("sha256:2"))


def test_containers_of_ended_processes_are_removed_and_no_others(
    fake: FakeDocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool]] = []

    def is_gone(owner: str, *, other_boots: bool) -> bool:
        asked.append((owner, other_boots))
        return owner.startswith("gone")

    monkeypatch.setattr(owned, "is_gone", is_gone)
    monkeypatch.setattr(owned, "pid_of", lambda owner: owner.removeprefix("gone-"))
    fake.on("ps", "echo 'a gone-7 running'; echo 'b here-8 exited'; echo 'c gone-9 exited'\n")
    assert run(sweep()) == [
        "a: removed the container of process 7, which has ended",
        "c: removed the container of process 9, which has ended",
    ]
    assert asked == [("gone-7", False), ("here-8", True), ("gone-9", True)]
    form = '{{.Names}} {{.Label "dayjob.owner"}} {{.State}}'
    assert fake.asked() == [
        ["ps", "-a", "--filter", "label=dayjob.owner", "--format", form],
        ["rm", "-f", "-v", "a"],
        ["rm", "-f", "-v", "c"],
    ]


@pytest.mark.parametrize(
    ("options", "filtered", "apart"),
    [
        ([], False, False),
        (["name=seccomp,profile=builtin"], True, False),
        (["name=userns"], False, True),
        (["name=rootless", "name=seccomp"], True, True),
        (["name=apparmor"], False, False),
    ],
)
def test_what_containers_can_promise_is_what_the_daemon_says(
    fake: FakeDocker, options: list[str], filtered: bool, apart: bool
) -> None:
    fake.on("info", f"echo '{json.dumps(options)}'\n")
    assert run(security_options()) == options
    found = capabilities(options)
    assert (found.filter, found.separate_uid) == (filtered, apart)
    assert found.uids == ("one range for all containers" if apart else "the host's own")
    assert len(found.notes) == 1 + (not apart) + (not filtered)
    assert (found.name, found.egress, found.writable_system, found.snapshot) == (
        "docker", ("none", "list", "full"), True, True,
    )  # fmt: skip
    assert (found.memory, found.processes, found.cpu, found.disk, found.file) == (
        "docker --memory", "docker --pids-limit", "docker --cpus",
        "watched: a container that has written more is paused for good", "ulimit fsize",
    )  # fmt: skip


def test_a_daemon_without_options_has_none(fake: FakeDocker) -> None:
    fake.on("info", "echo null\n")
    assert run(security_options()) == []


def test_another_sandboxs_image_is_refused() -> None:
    with pytest.raises(SandboxError, match="built for another sandbox"):
        DockerSite().sandbox(BuiltImage(key="x"))


# -- a container ------------------------------------------------------------------------------------------------------


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


def frozen_at(folder: Path) -> Frozen:
    for name in ("workspace", "tmp"):
        (folder / name).mkdir(parents=True)
        (folder / name / "a").write_text(name)
    return Frozen(folder, ("/workspace", "/tmp"))


TAKE = 'cat > "$FAKE_DOCKER/tar"\n'


def brought(fake: FakeDocker) -> dict[str, tuple[int, bytes]]:
    """The owner and content of every file in what was last sent."""
    with tarfile.open(fake.folder / "tar", "r|") as tar:
        found = {}
        for entry in tar:
            content = tar.extractfile(entry)
            found[entry.name] = (entry.uid, content.read() if content is not None else b"")
    return found


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
    way_in = ["exec", "-i", "-u", "0", name, "tar", "-xpf", "-", "-C"]
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
        one = sandbox(kind="workbench", frozen=frozen_at(tmp_path / "f"), withheld=("/utils/", "/workspace/secret"))
        await one.start()
        await one.stop()
        return one.name

    name = run(main())
    assert fake.asked()[1:] == [
        ["exec", "-u", "0", name, "find", "/workspace/", "/tmp/", "-mindepth", "1", "-delete"],
        ["exec", name, "id", "-u"],
        ["cp", "-", f"{name}:/"],
        ["exec", "-u", "0", name, "find", "/utils/", "-mindepth", "1", "-delete"],
        ["exec", "-u", "0", name, "find", "/workspace/secret", "-delete"],
        ["inspect", "--size", "--format", "{{.SizeRw}}", name],
        ["rm", "-f", "-v", name],
    ]
    found = brought(fake)
    assert {path: content for path, (_, content) in found.items() if content} == {
        "workspace/a": b"workspace",
        "tmp/a": b"tmp",
    }
    assert {uid for uid, _ in found.values()} == {1234}


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
        await one.remove("/a", "/b/", "/c")
        await one.remove()
        await one.unpack(io.BytesIO(tar_of(srv__x=b"x")))
        assert brought(fake) == {"srv/x": (0, b"x")}
        with pytest.raises(SandboxError, match="the files could not be copied in"):
            await one.unpack(io.BytesIO(b"no tar at all"))
        return one.name

    name = run(main())
    root = ["exec", "-u", "0", name]
    assert fake.asked()[:7] == [
        [*root, "mkdir", "-p", "/srv/deep"],
        ["cp", "-", f"{name}:/srv/deep"],
        [*root, "mkdir", "-p", "/"],
        ["cp", "-", f"{name}:/"],
        [*root, "find", "/b/", "-mindepth", "1", "-delete"],
        [*root, "find", "/a", "/c", "-delete"],
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


# -- networks ---------------------------------------------------------------------------------------------------------


async def spoken(sock: socket.socket) -> bytes:
    """What somebody who connects to a listening socket hears from us, seen from their side."""
    loop = asyncio.get_running_loop()
    sock.setblocking(False)
    accepting = asyncio.ensure_future(loop.sock_accept(sock))
    near, _ = await accepting
    with near:
        await loop.sock_sendall(near, b"from the host")
    return b""


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@pytest.mark.parametrize("kind", ["descriptors", "streams"])
def test_a_network_has_ports_of_ours_and_leads_to_those_inside(fake: FakeDocker, kind: str) -> None:
    fake.has_networks()

    async def main() -> tuple[str, int]:
        ways = Ways(kind == "descriptors")
        port = free_port()
        network, sockets = await ways.open("box", "image:1", ["--label", "x"], [port], {"office.test": "127.0.0.1"})
        try:
            assert list(sockets) == [port]
            assert port in await network.ports()
            answering = asyncio.create_task(spoken(sockets[port]))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await reader.read(13) == b"from the host"
            writer.close()
            await answering

            async def inside(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                writer.write(b"heard " + await reader.readline())
                writer.close()

            server = await asyncio.start_server(inside, "127.0.0.1", 0)
            there = server.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection(sock=await network.connect(there))
            writer.write(b"hello\n")
            assert await reader.read() == b"heard hello\n"
            writer.close()
            server.close()
            with pytest.raises(ConnectionRefusedError):
                await network.connect(free_port())
        finally:
            await network.stop()
            for sock in sockets.values():
                sock.close()
        with pytest.raises(SandboxError, match="not running"):
            await network.ports()
        return network.container, port

    container, port = run(main())
    assert container == "box-network"
    call = fake.asked()[0]
    alike = ["--name", "box-network", "--label", "x", "--network", "none", "--add-host", "office.test:127.0.0.1"]
    safe = ["--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--memory"]
    if kind == "descriptors":
        assert call[:2] == ["run", "-d"]
        assert call[2 : 2 + len(alike) + len(safe)] == alike + safe
        rest = call[2 + len(alike) + len(safe) :]
        assert rest[:4] == ["64m", "--pids-limit", "16", "-v"]
        assert rest[4].endswith(":/run/dayjob")
        assert rest[6].endswith("sidecar.py:/sidecar.py:ro")
        assert rest[7:] == [
            "--entrypoint",
            "",
            "image:1",
            "python_default",
            "/sidecar.py",
            "/run/dayjob/host.sock",
            str(port),
        ]
    else:
        assert call[:2] == ["run", "-i"]
        assert call[2 : 2 + len(alike) + len(safe)] == alike + safe
        rest = call[2 + len(alike) + len(safe) :]
        assert rest[:5] == ["128m", "--pids-limit", "16", "--log-driver", "none"]
        assert rest[5:10] == ["--entrypoint", "", "image:1", "python_default", "-c"]
        assert rest[11:] == [str(port)]
    assert ["rm", "-f", "-v", "box-network"] in fake.asked()


def test_where_descriptors_do_not_travel_streams_carry_from_then_on(fake: FakeDocker) -> None:
    fake.has_networks()
    script = (fake.folder / "on-run").read_text()
    fake.on("run", f'case "$*" in *sidecar.py*) echo 1 > "$FAKE_DOCKER/sidecar"; exit 0 ;; esac\n{script}')
    fake.on("wait", "exit 0\n")
    fake.on("rm", "true\n")

    async def main() -> Ways:
        ways = Ways()
        for _ in range(2):
            network, sockets = await ways.open("box", "image:1", [], [], {})
            assert isinstance(network, StreamNetwork)
            assert sockets == {}
            await network.stop()
        return ways

    assert run(main()).descriptors is False
    assert [call[1] for call in fake.asked() if call[0] == "run"] == ["-d", "-i", "-i"]


def test_a_sidecar_that_does_not_start_says_why(fake: FakeDocker) -> None:
    fake.on("run", "echo no such image >&2; exit 125\n")

    async def main() -> None:
        await Ways(descriptors=False).open("box", "image:1", [], [], {})

    with pytest.raises(SandboxError, match="the sidecar did not start: no such image"):
        run(main())
    assert fake.asked()[-1] == ["rm", "-f", "-v", "box-network"]


def test_a_network_that_never_calls_leaves_no_folder(fake: FakeDocker) -> None:
    fake.on("wait", "exit 0\n")

    async def main() -> Path:
        network = DescriptorNetwork("box", "image:1", [])
        with pytest.raises(DescriptorsStay):
            await network.start([], {})
        await network.stop()
        return network._folder

    assert not run(main()).exists()


def test_the_base_image_comes_with_the_checkout() -> None:
    assert (site_module.base_image_folder() / "Dockerfile").is_file()
