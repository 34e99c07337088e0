"""How a verdict leaves the grader's room, whatever becomes of the evaluator in it."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dayjob.grading import git, stand_in, verdict, workbench

RESULT = {"checkpoints": [], "final_score": {"total": 0, "result": 0}}


def said(utils: Path, monkeypatch: pytest.MonkeyPatch, evaluate: Callable[..., int]) -> dict[str, Any]:
    """What is written when the evaluator is this function."""
    monkeypatch.setattr("dayjob.grading.eval.main", evaluate)
    monkeypatch.setattr(sys, "stdin", io.StringIO("the nonce"))
    monkeypatch.setattr(sys, "stdout", told := io.StringIO())
    monkeypatch.setenv("TMPDIR", str(utils))
    verdict.main(utils, utils / "trajectory.txt")
    found: dict[str, Any] = json.loads(told.getvalue())
    return found


def place_of(arguments: list[str]) -> Path:
    assert arguments[:1] == ["--trajectory_path"]
    return Path(arguments[arguments.index("--result_path") + 1])


def graded(arguments: list[str], *, utils: Path, before_writing: Callable[[], None]) -> int:
    place = place_of(arguments)
    before_writing()
    place.write_text(json.dumps(RESULT))
    Path(f"{place}.faults.json").write_text(
        json.dumps({"faults": [{"source": "chat"}], "raised": ["grade_it raised KeyError: 'x'"]})
    )
    return 0


def raising(*_: Any, **__: Any) -> int:
    raise RuntimeError("before anything was graded")


def ending(*_: Any, **__: Any) -> int:
    return 3


def leaving(*_: Any, **__: Any) -> int:
    sys.exit(0)


def killed(*_: Any, **__: Any) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def printing(*_: Any, **__: Any) -> int:
    os.write(1, b'{"nonce": "the nonce", "result": {}}')
    return 0 if os.read(0, 1) == b"" else 9  # nobody tells it the nonce


def test_a_result_and_its_faults_leave_with_the_nonce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(tmp_path, monkeypatch, graded) == {
        "nonce": "the nonce",
        "exit": 0,
        "result": RESULT,
        "faults": [{"source": "chat"}],
        "raised": ["grade_it raised KeyError: 'x'"],
        "left_out": [],
        "notes": [],
    }
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("evaluate", "code"), [(raising, 1), (ending, 3), (leaving, 1), (killed, -9), (printing, 0)])
def test_an_evaluator_without_a_result_says_how_it_ended(
    evaluate: Callable[..., int], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = said(tmp_path, monkeypatch, evaluate)
    assert found == {
        "nonce": "the nonce",
        "exit": code,
        "result": None,
        "faults": [],
        "raised": [],
        "left_out": [],
        "notes": [],
    }


def test_what_an_evaluator_prints_goes_to_the_log_and_never_where_the_verdict_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert said(tmp_path, monkeypatch, printing)["result"] is None
    out, err = capfd.readouterr()
    assert out == ""
    assert '{"nonce": "the nonce", "result": {}}' in err


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', "null"])
def test_what_is_no_object_is_no_result(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def writing(arguments: list[str], **_: Any) -> int:
        place_of(arguments).write_text(text)
        return 0

    assert said(tmp_path, monkeypatch, writing)["result"] is None


def test_an_evaluator_is_told_where_it_is_and_what_it_does_is_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv(workbench.FROZEN, "/srv/theirs:/workspace")

    def looking(arguments: list[str], *, utils: Path, before_writing: Callable[[], None]) -> int:
        place = place_of(arguments)
        exec(compile("1", "/srv/theirs/a.py", "exec"))
        exec(compile("1", "/elsewhere/a.py", "exec"))
        names = ("PATH", git.STATE, stand_in.FAULTS, workbench.BEGAN)
        told = {"arguments": arguments, "utils": str(utils), "began": place.with_name("began").is_file()}
        place.write_text(json.dumps({**told, **{n: os.environ[n] for n in names}}))
        return 0

    found = said(tmp_path, monkeypatch, looking)
    result = found["result"]
    folder = Path(result["arguments"][3]).parent
    assert folder.parent == tmp_path
    assert folder.name.startswith("verdict-")
    assert result["arguments"] == [
        "--trajectory_path",
        f"{tmp_path}/trajectory.txt",
        "--result_path",
        f"{folder}/result.json",
    ]
    assert (result["utils"], result["PATH"]) == (str(tmp_path), f"{tmp_path}/bin:/usr/bin")
    assert (result[git.STATE], result[stand_in.FAULTS]) == (f"{folder}/git.json", f"{folder}/helper-faults")
    assert (result[workbench.BEGAN], result["began"]) == (f"{folder}/began", True)
    assert found["notes"] == ["the evaluator ran /srv/theirs/a.py in its own room"]


def test_installed_programs_come_last_on_the_path_and_are_not_the_evaluators_own_doing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv(workbench.FROZEN, "/srv/theirs")
    monkeypatch.setenv(workbench.INSTALLED, "sh:julia:deno")

    def looking(arguments: list[str], *, utils: Path, before_writing: Callable[[], None]) -> int:
        *before, last = os.environ["PATH"].split(":")
        found = {one.name: os.readlink(one) for one in Path(last).iterdir()}
        for program in ("julia", "python3"):
            sys.audit("subprocess.Popen", program, [program, "/srv/theirs/x"], None, None)
        place_of(arguments).write_text(json.dumps({"before": before, "found": found}))
        return 0

    told = said(tmp_path, monkeypatch, looking)
    stand_in_for_all = f"{tmp_path}/bin/installed"
    assert told["result"] == {
        "before": [f"{tmp_path}/bin", "/usr/bin", "/bin"],
        "found": {"julia": stand_in_for_all, "deno": stand_in_for_all},
    }
    assert told["notes"] == ["the evaluator started python3 on the examinee's files in its own room"]


def test_room_for_the_result_is_kept_until_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def looking(arguments: list[str], *, utils: Path, before_writing: Callable[[], None]) -> int:
        reserve = place_of(arguments).with_name("reserve")
        kept = reserve.stat().st_blocks * 512
        before_writing()
        return 0 if kept >= 1 << 20 and not reserve.exists() else 9

    assert said(tmp_path, monkeypatch, looking)["exit"] == 0
