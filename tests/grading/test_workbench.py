"""What a grader's end of a workbench sends, brings and makes of the answers; the other end is the tests' own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dayjob.grading import examinee, workbench
from dayjob.grading.faults import faults, forget_faults
from dayjob.grading.workbench import NotIsolated, Refused, Workbench, is_there
from tests.grading.bench_host import BenchHost, packed


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The grader's temporary folder; the examinee's frozen folder lies elsewhere."""
    place = Path(os.path.realpath(tmp_path)) / "scratch"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setenv(workbench.FROZEN, f"{place.parent}/theirs:/nowhere/else")
    (place.parent / "theirs").mkdir()
    forget_faults()
    yield place
    forget_faults()


# -- a command --------------------------------------------------------------------------------------------------------


def test_a_command_is_asked_for_in_full_and_its_end_comes_back(bench_host: BenchHost) -> None:
    bench_host.ended, bench_host.stdout, bench_host.stderr = {"exit": 4}, b"out \xff", b"err"
    bench_host.archive = packed({"workspace/made.txt": b"made", "workspace/folder": None, "workspace/folder/a": b"a"})
    done = examinee.run_as_examinee(
        ["make", "all"], env={"A": "b"}, stdin="ä", timeout=7, collect=["made.txt", "/other", "folder", "gone/../x"]
    )
    assert (done.args, done.returncode, done.stdout, done.stderr) == (["make", "all"], 4, "out �", "err")
    assert done.files == {"/workspace/made.txt": b"made", "/workspace/folder/a": b"a"}
    assert done.left_out == ["/other", "/workspace/gone/../x"]
    made, ran = bench_host.asked
    assert made == {"token": "bench-token", "ports": False, "installed": None}
    assert ran == {
        "do": "run",
        "argv": ["make", "all"],
        "cwd": "/workspace",
        "env": {"A": "b"},
        "timeout": 7,
        "collect": ["/workspace/made.txt", "/other", "/workspace/folder", "/workspace/gone/../x"],
        "size": 2,
        "most_output": 4 << 20,
    }
    assert bench_host.stdin == ["ä".encode()]


def test_what_is_not_said_has_a_plain_default(bench_host: BenchHost) -> None:
    examinee.run_as_examinee("make | tail")
    with Workbench() as bench:
        bench.run("make | tail")
        bench.execute(["true"], "/", {})
    assert bench_host.asked[2] == {"token": "bench-token", "ports": True, "installed": None}
    first, second, third = bench_host.runs()
    assert first == second
    assert first["argv"] == ["/bin/sh", "-c", "make | tail"]
    assert (first["cwd"], first["env"], first["timeout"], first["collect"]) == ("/workspace", {}, 60, [])
    assert (third["cwd"], third["timeout"], third["collect"], third["most_output"]) == ("/", 60, [], 4 << 20)
    assert bench_host.stdin == [b"", b"", b""]


def test_what_the_host_left_out_is_named_once(bench_host: BenchHost) -> None:
    bench_host.ended = {"left_out": ["/workspace/large"]}
    done = examinee.run_as_examinee("true", collect=["large", "missing"])
    assert done.left_out == ["/workspace/large", "/workspace/missing"]


def test_a_command_without_end_is_subprocesss_own_exception_with_what_it_said(bench_host: BenchHost) -> None:
    bench_host.ended, bench_host.stdout, bench_host.stderr = {"timed_out": True}, b"so far", b"and"
    with pytest.raises(subprocess.TimeoutExpired) as caught:
        examinee.run_as_examinee(["sleep"], timeout=3)
    expired: Any = caught.value  # its output is the text that a caller of `subprocess` would have
    assert (expired.cmd, expired.timeout, expired.output, expired.stderr) == (["sleep"], 3, "so far", "and")


def test_a_refusal_is_a_failed_command_and_no_fault(bench_host: BenchHost) -> None:
    bench_host.said["run"] = {"refused": "there is no folder"}
    done = examinee.run_as_examinee(["ls"], collect=["a"])
    assert (done.returncode, done.stdout, done.stderr) == (126, "", "workbench: there is no folder\n")
    assert (done.files, done.left_out) == ({}, ["/workspace/a"])
    assert faults() == []


@pytest.mark.parametrize("cmd", [[], ["a\0b"], "a\0b"])
def test_a_command_that_is_none_is_an_error_of_the_graders(bench_host: BenchHost, cmd: list[str] | str) -> None:
    with pytest.raises(ValueError, match="without null characters"), Workbench() as bench:
        bench.run(cmd)


def test_paths_are_taken_as_words(bench_host: BenchHost) -> None:
    examinee.run_as_examinee([Path("/bin/ls"), "-l"], cwd=Path("/srv"), stdin=b"\xff")  # type: ignore[list-item]  # callers do
    assert (bench_host.runs()[0]["argv"], bench_host.runs()[0]["cwd"]) == (["/bin/ls", "-l"], "/srv")
    assert bench_host.stdin == [b"\xff"]


def test_long_output_and_archives_come_whole(bench_host: BenchHost) -> None:
    bench_host.stdout = bytes(range(256)) * 1000
    bench_host.archive = packed({"big": b"x" * (5 << 20)})
    with Workbench() as bench:
        ended = bench.execute(["true"], "/", {})
    assert ended.stdout == bench_host.stdout
    with ended.archive:
        assert ended.archive.read() == bench_host.archive


# -- what is brought --------------------------------------------------------------------------------------------------


def test_what_is_asked_for_is_brought_in_place_of_what_is_there(
    bench_host: BenchHost, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = scratch.parent / "given"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "a").write_text("a")
    (folder / "again").hardlink_to(folder / "inner" / "a")
    (folder / "link").symlink_to("inner")
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)
    with Workbench() as bench:
        bench.bring("inner/..", folder / "inner" / "a")
    (brought,) = bench_host.brought
    assert brought.replace == [str(folder), str(folder / "inner" / "a")]
    name = str(folder)[1:]
    assert set(brought.entries) == {name, *(f"{name}/{one}" for one in ("inner", "inner/a", "again", "link"))}
    assert brought.contents[f"{name}/again"] == brought.contents[f"{name}/inner/a"] == b"a"
    assert brought.entries[f"{name}/link"].linkname == "inner"
    assert {(one.uid, one.gid, one.uname, one.gname) for one in brought.entries.values()} == {(0, 0, "", "")}


def brought(host: BenchHost) -> list[tuple[list[str], list[str]]]:
    """For every message: what it replaces, and the files that came."""
    return [(one.replace, sorted(one.contents)) for one in host.brought]


def test_a_temporary_folder_comes_whole_with_what_lies_beside_the_command(bench_host: BenchHost, scratch: Path) -> None:
    for name in ("one/deep/run.py", "one/data", "two/named", "three/not"):
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).touch()
    with Workbench() as bench:
        bench.run(["run", f"--in={scratch}/two/named", "x=y"], cwd=scratch / "one" / "deep")
    one, two = f"{scratch}/one", f"{scratch}/two/named"
    assert brought(bench_host) == [([one, two], [f"{one}/data"[1:], f"{one}/deep/run.py"[1:], two[1:]])]


@pytest.mark.parametrize(
    ("words", "env", "named"),
    [
        (["cat", "SCRATCH/a"], {}, True),
        (["cat", "--in=SCRATCH/a"], {}, True),
        (["cat"], {"IN": "SCRATCH/a"}, True),
        (["cat"], {"IN": "x=SCRATCH/a"}, True),
        (["cat", "SCRATCH/absent"], {}, False),
        (["cat", "a"], {}, False),
        (["cat", "--in:SCRATCH/a"], {}, False),
        (["cat", "SCRATCH"], {}, False),
        (["cat", "SCRATCH-not/a"], {}, False),
        (["cat", "/etc/passwd"], {}, False),
    ],
)
def test_what_a_command_names_in_the_temporary_folder_comes_along(
    bench_host: BenchHost, scratch: Path, words: list[str], env: dict[str, str], named: bool
) -> None:
    (scratch / "a").write_text("a")
    beside = scratch.parent / "scratch-not"
    beside.mkdir()
    (beside / "a").touch()
    with Workbench() as bench:
        bench.run(
            [word.replace("SCRATCH", str(scratch)) for word in words],
            cwd="/",
            env={name: value.replace("SCRATCH", str(scratch)) for name, value in env.items()},
        )
    assert brought(bench_host) == ([([f"{scratch}/a"], [f"{scratch}/a"[1:]])] if named else [])


def test_of_the_examinees_folders_only_what_the_grader_wrote_comes_and_replaces_nothing(
    bench_host: BenchHost, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = scratch.parent / "theirs"
    (theirs / "deep").mkdir()
    (theirs / "deep" / "old").touch()
    (theirs / "link").symlink_to("deep")
    began = max(one.lstat().st_ctime_ns for one in (theirs, *theirs.rglob("*"))) + 1
    while time.time_ns() < began + 20_000_000:
        pass  # until the file system's clock has ticked
    (scratch / "began").touch()
    (theirs / "deep" / "new").write_text("the grader's")
    monkeypatch.setenv(workbench.BEGAN, str(scratch / "began"))
    with Workbench() as bench:
        bench.run(["true"], cwd=theirs)
        bench.run(["true"], cwd=theirs / "deep" / "old")
        bench.run(["true"], cwd="/")
    (came,) = bench_host.brought
    assert came.replace == []
    assert set(came.entries) == {f"{theirs}/deep"[1:], f"{theirs}/deep/new"[1:]}


def test_without_a_beginning_everything_is_the_graders(bench_host: BenchHost, scratch: Path) -> None:
    (scratch.parent / "theirs" / "a").touch()
    with Workbench() as bench:
        bench.run(["true"], cwd=scratch.parent / "theirs")
    assert set(bench_host.brought[0].entries) == {f"{scratch.parent}/theirs"[1:], f"{scratch.parent}/theirs/a"[1:]}


def test_a_folder_that_is_not_there_yet_is_not_brought(bench_host: BenchHost, scratch: Path) -> None:
    with Workbench() as bench:
        bench.run(["true"], cwd=scratch / "absent")
    assert bench_host.brought == []


def test_what_is_brought_by_wish_comes_with_a_command_too(bench_host: BenchHost, scratch: Path) -> None:
    given = scratch.parent / "given"
    given.write_text("g")
    with Workbench() as bench:
        bench.run(["true"], bring=[given])
        bench.start(["serve"], cwd="/srv", env={"A": "b"}, bring=[given])
        bench.start("serve")
    assert brought(bench_host) == [([str(given)], [str(given)[1:]])] * 2
    started = [one for one in bench_host.asked if one.get("do") == "start"]
    assert started == [
        {"do": "start", "argv": ["serve"], "cwd": "/srv", "env": {"A": "b"}},
        {"do": "start", "argv": ["/bin/sh", "-c", "serve"], "cwd": "/workspace", "env": {}},
    ]


# -- ports ------------------------------------------------------------------------------------------------------------


def test_a_connection_leads_to_a_port_of_this_workbench(bench_host: BenchHost) -> None:
    with Workbench() as bench, bench.connect(8123) as sock:
        sock.sendall(b"hi\n")
        assert sock.makefile("rb").read() == b"hello from the port:hi\n"
    assert bench_host.asked[1] == {"token": "bench-token", "bench": "b1", "port": 8123}


def test_a_port_where_nothing_listens_refuses_and_a_fault_stays_one(bench_host: BenchHost) -> None:
    with Workbench() as bench:
        bench_host.said["connect"] = {"refused": "nothing listens"}
        with pytest.raises(ConnectionRefusedError, match="nothing listens"):
            bench.connect(1)
        with pytest.raises(TimeoutError, match="nothing listens on port 1 of the workbench"):
            bench.url(1, within=0)
        bench_host.said["connect"] = {"fault": "it is gone"}
        with pytest.raises(NotIsolated, match="it is gone"):
            bench.connect(1)
        with pytest.raises(NotIsolated, match="it is gone"):
            bench.url(1, within=0)


def test_an_address_leads_every_connection_to_the_port(bench_host: BenchHost) -> None:
    with Workbench() as bench:
        host, port = bench.url(80).removeprefix("http://").split(":")
        for word in (b"one", b"two"):
            with socket.create_connection((host, int(port))) as sock:
                sock.sendall(word + b"\n")
                sock.shutdown(socket.SHUT_WR)
                assert sock.makefile("rb").read() == b"hello from the port:" + word + b"\n"
        bench_host.said["connect"] = {"refused": "it has ended"}
        with socket.create_connection((host, int(port))) as sock:
            assert sock.recv(1) == b""
    bench.close()  # a second time is no error
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))
    assert host == "127.0.0.1"


def test_every_port_has_an_address_of_its_own(bench_host: BenchHost) -> None:
    with Workbench() as bench:
        doors = {port: int(bench.url(port).rpartition(":")[2]) for port in (80, 81)}
        assert len(set(doors.values())) == 2
        for port, door in doors.items():
            with socket.create_connection(("127.0.0.1", door)) as sock:
                sock.sendall(b"hi\n")
                assert sock.makefile("rb").read() == b"hello from the port:hi\n"
            assert bench_host.asked[-1]["port"] == port


# -- what goes wrong --------------------------------------------------------------------------------------------------


def test_without_a_workbench_nothing_is_run_and_it_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(workbench.PORT, raising=False)
    assert not is_there()
    with pytest.raises(NotIsolated, match="only run in a trial"):
        examinee.run_as_examinee("true")
    assert [fault.source for fault in faults()] == ["sandbox"]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv(workbench.PORT, str(port))
    assert is_there()
    with pytest.raises(NotIsolated, match="the workbench cannot be reached"):
        examinee.run_as_examinee("true")


@pytest.mark.parametrize("kind", ["make", "run", "bring", "start"])
@pytest.mark.parametrize("answer", [{"fault": "no room"}, {"silent": True}])
def test_a_fault_and_a_host_that_goes_are_faults_and_never_results(
    bench_host: BenchHost, kind: str, answer: dict[str, object]
) -> None:
    bench_host.said[kind] = answer

    def use_it() -> None:
        with workbench.workbench() as bench:
            bench.bring("/etc/hostname")
            bench.start("true")
            bench.run("true")

    with pytest.raises(NotIsolated, match="no room" if "fault" in answer else "the workbench is gone"):
        use_it()
    assert [fault.source for fault in faults()] == ["sandbox"]


def test_a_workbench_that_is_gone_before_it_is_asked_is_a_fault(bench_host: BenchHost) -> None:
    bench = Workbench()
    bench.close()
    with pytest.raises(NotIsolated, match="the workbench is gone"):
        bench.run("true")


@pytest.mark.parametrize(("more", "refused"), [(0, False), (1, True)])
def test_a_message_may_have_sixteen_mebibytes_and_not_one_byte_more(
    bench_host: BenchHost, more: int, refused: bool
) -> None:
    asked = {"do": "start", "argv": ["x"], "cwd": "/", "env": {"A": ""}}
    room = (16 << 20) - len(json.dumps(asked))
    with Workbench() as bench:
        if refused:
            with pytest.raises(Refused, match="too long"):
                bench.start(["x"], cwd="/", env={"A": "a" * (room + more)})
        else:
            bench.start(["x"], cwd="/", env={"A": "a" * (room + more)})
    assert (len(bench_host.asked) == 1) is refused


def test_faults_are_remembered_only_where_faults_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(workbench.PORT, raising=False)
    monkeypatch.delitem(sys.modules, "dayjob.grading.faults")
    with pytest.raises(NotIsolated):
        Workbench()
    assert faults() == []
