"""A verdict counts only with this trial's nonce, in time, and whole; and its room has a home of its own."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.sandbox.sandbox import Finished, Limits, Sandbox
from dayjob.trial.grade import (
    FROZEN_PATHS,
    GraderError,
    GradingInputs,
    Verdict,
    _evaluate,
    _verdict,
    _workbench,
    ports_left,
)

NONCE = "0123456789abcdef"
RESULT = {"checkpoints": [{"total": 2, "result": 1}], "final_score": {"total": 2, "result": 1}}
FAULT = {"checkpoint": "one", "source": "chat", "sentence": "chat is down"}


def said(**facts: Any) -> bytes:
    return json.dumps({"nonce": NONCE, "exit": 0, "result": RESULT, "faults": [], "notes": [], **facts}).encode()


def finished(stdout: bytes, **facts: Any) -> Finished:
    return Finished(
        **{"exit_code": 0, "stdout": stdout, "stderr": b"ERROR one\nERROR two\nmore", "seconds": 1.5, **facts}
    )


def read(done: Finished) -> Verdict:
    return _verdict(NONCE, done, 30)


def test_a_verdict_with_the_nonce_is_taken_as_it_was_said() -> None:
    found = read(finished(said(notes=["a note"], faults=[FAULT, "no fault"])))
    assert found == Verdict(RESULT, [FAULT], "ERROR one\nERROR two\nmore", 1.5, ("a note",))


@pytest.mark.parametrize(
    "stdout",
    [
        said(nonce="another"),
        said(nonce=NONCE[:-1]),
        said(nonce=NONCE + "0"),
        said(nonce=""),
        said(nonce=None),
        said(nonce=[NONCE]),
        json.dumps({"result": RESULT}).encode(),
        json.dumps([NONCE]).encode(),
        json.dumps(NONCE).encode(),
    ],
)
def test_a_verdict_without_this_trials_nonce_is_none(stdout: bytes) -> None:
    with pytest.raises(GraderError, match="does not carry this trial's nonce") as refusal:
        read(finished(stdout))
    assert refusal.value.log == "ERROR one\nERROR two\nmore"


@pytest.mark.parametrize(
    ("done", "sentence"),
    [
        (finished(said(), timed_out=True), "did not end within 30 s"),
        (finished(b"", exit_code=7), "ended with 7 and gave no verdict"),
        (finished(said()[:-1], exit_code=-9), "ended with -9 and gave no verdict"),
        (finished(said(result=None, exit=3)), "ended with 3 and no result: ERROR two"),
        (finished(said(result=None, exit=3), stderr=b"first\nlast\n"), "ended with 3 and no result: last"),
        (finished(said(result=None, exit=3), stderr=b" \n"), "ended with 3 and no result: it printed nothing"),
        (finished(said(result={"checkpoints": [{"total": 1, "result": 2}]})), "the result is not one"),
        (finished(said(result=[1])), "the result is not one"),
    ],
)
def test_what_is_no_verdict_says_why(done: Finished, sentence: str) -> None:
    with pytest.raises(GraderError, match=sentence):
        read(done)


def test_no_result_beside_a_fault_is_the_faults_doing() -> None:
    found = read(finished(said(result=None, faults=[FAULT])))
    assert (found.result, found.faults) == (None, [FAULT])


def test_the_score_is_worked_out_again_from_what_was_said() -> None:
    found = read(finished(said(result={"checkpoints": [{"total": 2, "result": True}]})))
    assert found.result == RESULT


def test_output_that_was_dropped_is_told_in_the_log() -> None:
    assert read(finished(said(), dropped=12)).log.endswith("[12 bytes of output were dropped]\n")
    assert "dropped" not in read(finished(said())).log


class Room:
    """A room that notes how it was asked to evaluate, and answers with the nonce it was told."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    async def evaluate(self, code: str, **asked: Any) -> Finished:
        self.asked = asked
        return finished(said(nonce=asked["stdin"].decode()))


def test_an_evaluator_has_a_home_of_its_own_and_a_nonce_that_is_new_each_time() -> None:
    room, given = Room(), {"HOME": "/root", "TMPDIR": "/tmp", "PYTHONNOUSERSITE": "", "ROCKETCHAT_PORT": "3000"}
    found = asyncio.run(_evaluate(cast(Sandbox, room), given, 30))
    assert found.result == RESULT
    assert room.asked["env"] == {
        "HOME": "/utils",
        "TMPDIR": "/var/tmp",
        "PYTHONNOUSERSITE": "1",
        "ROCKETCHAT_PORT": "3000",
    }
    assert (room.asked["cwd"], room.asked["within"]) == ("/workspace", 30)
    first = room.asked["stdin"]
    assert len(first) >= 32
    asyncio.run(_evaluate(cast(Sandbox, room), given, 30))
    assert room.asked["stdin"] != first


# -- the rooms ---------------------------------------------------------------------------------------------------


def test_a_grader_sees_every_place_an_examinee_may_leave_its_work_in() -> None:
    assert FROZEN_PATHS == ("/workspace", "/home", "/root", "/tmp", "/srv", "/mnt")


def test_without_a_log_there_is_none() -> None:
    assert GraderError("no verdict").log == ""


@pytest.mark.parametrize(
    ("open_ports", "left"),
    [
        ([], []),
        ([8000], [8000]),
        ([3000, 8000, 2999], [8000]),
        (list(range(5000, 5064)), list(range(5000, 5064))),
        (list(range(5000, 5065)), list(range(5000, 5064))),
        ([3000, *range(5000, 5065)], list(range(5000, 5064))),
    ],
)
def test_what_was_left_running_is_all_but_ours_and_at_most_64(open_ports: list[int], left: list[int]) -> None:
    class Examinee:
        async def open_ports(self) -> list[int]:
            return open_ports

    assert asyncio.run(ports_left(cast(Sandbox, Examinee()), [2999, 3000])) == left


class Places:
    """Notes which room is asked for."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def sandbox(self, image: Any, **asked: Any) -> Any:
        self.asked = {"image": image, **asked}


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize(("ports", "listen"), [(True, ()), (False, None)])
def test_a_workbench_has_the_frozen_files_and_nothing_that_only_graders_may_see(
    ports: bool, listen: Any, installed: bool
) -> None:
    world = SimpleNamespace(host="office.test")
    plain = SimpleNamespace()
    image = SimpleNamespace(withheld=("/utils",), without_grading=lambda: plain)
    site, limits = Places(), Limits(processes=7)
    bench = SimpleNamespace(
        site=site, image=image, company=SimpleNamespace(world=world, page="the clock"), limits=limits,
        frozen="the frozen files",
    )  # fmt: skip
    _workbench(cast(GradingInputs, bench), ports, installed)
    assert site.asked == {
        "image": plain,
        "name": "workbench",
        "kind": "workbench",
        "listen": listen,
        "hosts": {"office.test": "127.0.0.1", "llm.test": "127.0.0.1"},
        "limits": limits,
        "frozen": "the frozen files",
        "installed": installed,
        "withheld": ("/utils",),
        "clock": "the clock",
    }
