"""What the docker sandbox asks of docker, word for word, and what it makes of the answers; no daemon is needed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dayjob import grading, owned
from dayjob.sandbox.docker.agents import with_agent
from dayjob.sandbox.docker.command import docker, receiving, sending
from dayjob.sandbox.docker.prebuilt import built_on
from dayjob.sandbox.docker.site import BASE_TAG, DockerSite, capabilities, security_options, sweep
from dayjob.sandbox.sandbox import BuildError, BuiltImage, SandboxError
from dayjob.task.dockerfile import Instruction
from tests.sandbox.docker.fake_docker import FakeDocker, run

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
    assert built == ["build", "-t", BASE_TAG, "--build-arg", "BASE=debian:trixie-slim", "--label", label, folder]
    assert label.startswith("dayjob.base=")
    assert label.endswith("-debian:trixie-slim")
    assert len(label) == len("dayjob.base=") + 24 + len("-debian:trixie-slim")
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
    fake.on("image", 'case "$*" in *inspect*x) echo gone-3 ;; *inspect*y) echo here-4 ;; *ls*) echo x y ;; esac\n')
    assert run(sweep()) == [
        "a: removed the container of process 7, which has ended",
        "c: removed the container of process 9, which has ended",
        "x: removed the image of process 3, which has ended",
    ]
    # An image does not say whether it is in use: another boot's may be another machine's.
    assert asked == [("gone-7", False), ("here-8", True), ("gone-9", True), ("gone-3", False), ("here-4", False)]
    form = '{{.Names}} {{.Label "dayjob.owner"}} {{.State}}'
    label = '{{index .Config.Labels "dayjob.owner"}}'
    assert fake.asked() == [
        ["ps", "-a", "--filter", "label=dayjob.owner", "--format", form],
        ["rm", "-f", "-v", "a"],
        ["rm", "-f", "-v", "c"],
        ["image", "ls", "-q", "--no-trunc", "--filter", "label=dayjob.owner"],
        ["image", "inspect", "--format", label, "x"],
        ["image", "rm", "-f", "x"],
        ["image", "inspect", "--format", label, "y"],
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
