"""A program that the examinee installed, as an evaluator starts it: in a workbench, with its output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob.grading import installed, stand_in
from tests.grading.bench_host import BenchHost


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_API_KEY", "secret-of-the-grader")
    monkeypatch.setenv(stand_in.FAULTS, str(tmp_path / "faults"))
    before = os.dup(0)
    with (tmp_path / "typed").open("w+") as file:
        file.write("typed")
        file.seek(0)
        os.dup2(file.fileno(), 0)
        monkeypatch.setattr(sys, "stdin", os.fdopen(os.dup(0)))
        yield tmp_path
        sys.stdin.close()
    os.dup2(before, 0)
    os.close(before)


def test_it_is_run_where_the_examinees_system_is_with_nothing_of_the_graders(
    bench_host: BenchHost, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bench_host.ended, bench_host.stdout, bench_host.stderr = {"exit": 4}, b"out", b"err"
    assert installed.main(["/utils/verdict-1/installed/java", "-version", "x"]) == 4
    assert capfd.readouterr() == ("out", "err")
    made = bench_host.asked[0]
    (ran,) = bench_host.runs()
    assert made["installed"] is True
    assert (ran["argv"], ran["cwd"], ran["env"]) == (["java", "-version", "x"], str(here), {})
    assert bench_host.stdin == [b"typed"]
    assert "secret-of-the-grader" not in json.dumps(bench_host.asked)


def test_a_system_that_cannot_run_it_fails_the_command(
    bench_host: BenchHost, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bench_host.said["make"] = {"refused": "no such loader"}
    assert installed.main(["java"]) == 126
    assert capfd.readouterr().err == "java: no such loader\n"
    assert not (here / "faults").exists()


def test_a_workbench_that_is_not_there_is_a_fault(bench_host: BenchHost, here: Path) -> None:
    bench_host.said["make"] = {"fault": "no space"}
    assert installed.main(["java"]) == 126
    assert json.loads((here / "faults").read_text()) == "java could not be run apart from the grader: no space"


@pytest.mark.parametrize("ended", [{"dropped": 9}, {"timed_out": True}])
def test_output_that_is_not_whole_is_a_failure(bench_host: BenchHost, here: Path, ended: dict[str, object]) -> None:
    bench_host.ended = {"exit": 0, **ended}
    assert installed.main(["java"]) == 126
