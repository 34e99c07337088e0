"""The runner's small parts: secrets in a stream, variables in variables, what a shell is told, what is packed."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import zipfile
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.runner import in_room
from dayjob.runner.forge_client import ForgeClient
from dayjob.runner.images import normal
from dayjob.runner.masking import LONGEST_LINE, LONGEST_SECRET, MASKED, MOST_SECRETS, Masking
from dayjob.runner.payload import BadPayload, Job, Variable, expanded, read_job
from dayjob.runner.shell import SHELL, script
from dayjob.runner.trace import Trace

PAYLOAD = {
    "id": 7,
    "token": "job-token",
    "git_info": {"repo_url": "http://gitlab-ci-token:job-token@office.test:8929/sam/app.git", "sha": "a" * 40},
    "steps": [{"name": "script", "script": ["true"], "timeout": 60}],
}


# -- masking ----------------------------------------------------------------------------------------------------------


@given(st.lists(st.text("ab", min_size=1, max_size=5), max_size=4), st.lists(st.binary(max_size=6), max_size=12))
def test_no_secret_is_seen_wherever_the_stream_is_cut(secrets: list[str], cuts: list[bytes]) -> None:
    parts = [bytes(b"ab"[byte % 2] for byte in cut) for cut in cuts]
    masking = Masking(secrets)
    said = b"".join(masking.feed(part) for part in parts) + masking.rest()
    whole = Masking(secrets)
    assert said == whole.feed(b"".join(parts)) + whole.rest()
    if secrets:
        left = said.split(MASKED)
        assert not any(secret.encode() in part for secret in secrets for part in left)


def test_a_secret_that_begins_like_a_shorter_one_is_masked_whole() -> None:
    masking = Masking(["abc", "abcdef"])
    assert masking.feed(b"x abc") + masking.feed(b"def y abc.") + masking.rest() == b"x [MASKED] y [MASKED]."


def test_whole_lines_leave_at_once() -> None:
    masking = Masking(["secret"])
    assert masking.feed(b"no such thing\nhalf a") == b"no such thing\n"
    assert masking.feed(b" line\r") == b"half a line\r"


@given(st.integers(0, 30), st.integers(1, 20))
def test_a_secret_in_a_line_without_an_end_is_not_seen_either(before: int, part: int) -> None:
    masking, text = Masking(["s3cret"]), b"." * (LONGEST_LINE - before) + b"s3cret" + b"." * LONGEST_LINE * 2
    size = len(text) // part + 1
    said = [masking.feed(text[start : start + size]) for start in range(0, len(text), size)]
    assert b"".join((*said, masking.rest())) == text.replace(b"s3cret", MASKED)
    assert sum(map(len, said)) >= LONGEST_LINE


def test_secrets_have_bounds_that_no_honest_job_meets() -> None:
    many = [f"secret-{number:03}" for number in range(MOST_SECRETS + 1)]
    said = Masking(many).feed(" ".join(many).encode() + b"\n")
    assert said == b"[MASKED] " * MOST_SECRETS + many[-1].encode() + b"\n"
    long = "x" * (LONGEST_SECRET + 3)
    assert Masking([long]).feed(long.encode() + b"\n") == b"[MASKED]xxx\n"
    assert Masking(["one\ntwo"]).feed(b"one, two\n") == b"[MASKED], [MASKED]\n"


# -- payload ----------------------------------------------------------------------------------------------------------


def test_variables_are_filled_in_except_in_raw_ones_and_files() -> None:
    variables = [
        Variable("A", "1"),
        Variable("B", "$A-${A}-$$A-$NONE"),
        Variable("RAW", "$A", raw=True),
        Variable("FILE", "$A", file=True),
        Variable("LOOP", "x$LOOP"),
        Variable("THERE", "$BACK"),
        Variable("BACK", "$THERE"),
    ]
    assert expanded(variables, {"CI_PROJECT_DIR": "/builds/$A"}) == {
        "A": "1", "B": "1-1-$A-", "RAW": "$A", "FILE": "$A", "LOOP": "x$LOOP", "THERE": "$THERE", "BACK": "$THERE",
        "CI_PROJECT_DIR": "/builds/$A",
    }  # fmt: skip


def test_variables_that_would_grow_without_end_are_cut() -> None:
    """Each one a thousand times the next: worked out naively, more than the memory of any machine."""
    nested = [Variable(f"V{number}", f"$V{number + 1}" * 1000) for number in range(8)]
    found = expanded([*nested, Variable("V8", "x" * 100), *(Variable(f"W{one}", "$V0") for one in range(100))], {})
    assert found["V7"] == "x" * 100_000
    assert len(found["V6"]) == 256 * 1024
    assert sum(map(len, found.values())) <= 5 * 1024 * 1024


@pytest.mark.parametrize(
    "git",
    [
        {"sha": "main"},
        {"refspecs": ["--upload-pack=touch /tmp/x"]},
        {"refspecs": ["+refs/heads/main:/etc/passwd"]},
        {"repo_url": "http://office.test/../../etc.git"},
        {"repo_url": "http://office.test/sam/app;rm -rf.git"},
    ],
)
def test_what_could_be_taken_for_an_option_or_another_path_is_no_job(git: dict[str, object]) -> None:
    with pytest.raises(BadPayload):
        read_job({**PAYLOAD, "git_info": {**PAYLOAD["git_info"], **git}})  # type: ignore[dict-item]


def test_a_job_is_read_and_variables_that_no_shell_takes_are_left_out() -> None:
    variables = [{"key": "GOOD", "value": "1"}, {"key": "no good", "value": "2"}, {"key": "NUL", "value": "a\0b"}]
    job = read_job({**PAYLOAD, "variables": [*variables, {"key": "GOOD", "value": "3", "masked": True}]})
    assert job.project_path == "sam/app"
    assert job.clean_url == "http://office.test:8929/sam/app.git"
    assert [(one.key, one.value) for one in job.variables] == [("GOOD", "3")]
    assert job.secrets() == ["job-token", "3"]


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("python", "python:latest"),
        ("docker.io/library/python:3", "python:3"),
        ("registry.test:5000/a/b", "registry.test:5000/a/b:latest"),
        ("python:3.13*", "python:3.13*"),
    ],
)
def test_an_images_name_is_read_as_docker_reads_it(name: str, full: str) -> None:
    assert normal(name) == full


# -- the log ----------------------------------------------------------------------------------------------------------


class Told:
    """A forge that takes logs."""

    def __init__(self) -> None:
        self.log = b""

    async def append(self, job: Job, data: bytes, start: int) -> tuple[int, str]:
        await asyncio.sleep(0)
        self.log = self.log[:start] + data
        return len(self.log), "running"

    async def update(self, job: Job, state: str) -> str:
        return "running"


def test_a_log_is_sent_whole_whenever_it_ends() -> None:
    async def main() -> set[bytes]:
        found = set()
        for turns in range(50):
            forge = Told()
            async with asyncio.timeout(20), Trace(cast(ForgeClient, forge), read_job(PAYLOAD), lambda: 0.0) as trace:
                trace.output(b"first ")
                for _ in range(turns):
                    await asyncio.sleep(0)
                trace.say("last")
            found.add(forge.log)
        return found

    assert asyncio.run(main()) == {b"first last\n"}


# -- the shell --------------------------------------------------------------------------------------------------------


def run(folder: Path, commands: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    path = folder / "script"
    path.write_text(script(str(folder), variables, commands))
    return subprocess.run([*SHELL, str(path)], stdin=subprocess.DEVNULL, capture_output=True, text=True)


def test_commands_are_told_and_the_first_that_fails_ends_the_script(tmp_path: Path) -> None:
    done = run(tmp_path, ["echo one; pwd", "false | cat", "echo never"])
    assert done.returncode == 1
    assert done.stdout == f"\x1b[32;1m$ echo one; pwd\x1b[0;m\none\n{tmp_path}\n\x1b[32;1m$ false | cat\x1b[0;m\n"


def test_a_command_of_several_lines_is_told_by_its_first(tmp_path: Path) -> None:
    done = run(tmp_path, ["if true\nthen\n  echo $WORD >&2\nfi"], WORD='it\'s "so"\nand `so`')
    assert done.stdout == '\x1b[32;1m$ if true # collapsed multi-line command\x1b[0;m\nit\'s "so" and `so`\n'
    assert done.returncode == 0


def test_a_script_may_end_by_itself(tmp_path: Path) -> None:
    assert run(tmp_path, ["exit 7", "echo never"]).returncode == 7


# -- packing ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    for name in ("dist/a.js", "dist/deep/b.js", "dist/deep/b.map", "report.xml", ".git/config", "src/x[1].py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "dist/deep/b.js").chmod(0o755)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("paths", "exclude", "kept"),
    [
        (["dist/"], [], {"dist", "dist/a.js", "dist/deep", "dist/deep/b.js", "dist/deep/b.map"}),
        (["dist/*.js"], [], {"dist/a.js"}),
        (["**/*.js"], [], {"dist/a.js", "dist/deep/b.js"}),
        (["dist/**/*.{js,map}"], ["**/*.map"], {"dist/a.js", "dist/deep/b.js"}),
        (["dist"], ["dist/deep/**"], {"dist", "dist/a.js", "dist/deep"}),
        (["src/x[1].py", "?eport.xml"], [], {"src/x[1].py", "report.xml"}),
        (["../secret", "/etc/passwd", "nothing*"], [], set()),
        ([".git", ".git/config"], [], set()),
        (["link"], [], {"link"}),
    ],
)
def test_patterns_choose_as_gitlab_reads_them(
    project: Path, paths: list[str], exclude: list[str], kept: set[str]
) -> None:
    assert set(in_room.chosen(paths, exclude, False)) == kept


def test_an_archive_comes_out_as_it_went_in(project: Path, tmp_path: Path) -> None:
    archive, there = str(tmp_path / "a.zip"), tmp_path / "there"
    assert in_room.main(["archive", str(project), archive, "zip", "2", "dist", "link", "0"]) == 0
    there.mkdir()
    assert in_room.main(["unpack", str(there), archive]) == 0
    assert (there / "dist/deep/b.js").read_text() == "dist/deep/b.js"
    assert [os.access(there / "dist" / name, os.X_OK) for name in ("deep/b.js", "a.js")] == [True, False]
    assert os.readlink(there / "link") == "/etc/passwd"


def test_nothing_to_keep_is_said_and_told_apart(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert in_room.main(["archive", str(project), str(tmp_path / "a.zip"), "zip", "1", "none/", "0"]) == 3
    assert "none/: no matching files" in capsys.readouterr().out


def test_an_archive_that_leads_elsewhere_leaves_nothing_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, outside, archive = tmp_path / "there", tmp_path / "outside", tmp_path / "a.zip"
    for folder in (there, outside):
        folder.mkdir()
    link = zipfile.ZipInfo("out")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("../outside/a", "1")
        out.writestr(str(outside / "b"), "1")
        out.writestr(link, str(outside))
        out.writestr("out/c", "1")
        out.writestr("good", "1")
    assert in_room.main(["unpack", str(there), str(archive)]) == 0
    assert not list(outside.iterdir())
    assert sorted(path.name for path in there.iterdir()) == ["good", "out"]


def test_a_report_is_packed_as_gzip(project: Path, tmp_path: Path) -> None:
    import gzip

    packed = tmp_path / "r.gz"
    assert in_room.main(["archive", str(project), str(packed), "gzip", "1", "report.xml", "0"]) == 0
    assert gzip.GzipFile(fileobj=io.BytesIO(packed.read_bytes())).read() == b"report.xml"
