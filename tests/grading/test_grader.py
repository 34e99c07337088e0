"""`@grader`: whatever happens in a checkpoint stays in it, and an outage is told apart from a failure."""

from __future__ import annotations

import asyncio
import inspect
import logging
import subprocess
from collections.abc import Iterator

import pytest
import requests

from dayjob.grading import config
from dayjob.grading.faults import JudgeFault, ServiceFault, faults, forget_faults, raised, record_fault
from dayjob.grading.grader import grader
from dayjob.scoring import Checkpoint, Points


@pytest.fixture(autouse=True)
def _no_faults_yet() -> Iterator[None]:
    forget_faults()
    yield
    forget_faults()


def test_an_exception_is_false_and_logged_with_name_and_traceback(caplog: pytest.LogCaptureFixture) -> None:
    @grader
    def grade_the_report() -> bool:
        report: dict[str, bool] = {}
        return report["missing"]

    with caplog.at_level(logging.ERROR):
        given = grade_the_report()
    assert given == 0
    assert given.reason == "the check failed: KeyError: 'missing'"
    assert raised() == ["grade_the_report raised KeyError: 'missing'"]
    assert "grade_the_report" in caplog.text
    assert "KeyError" in caplog.text
    assert "Traceback" in caplog.text
    assert faults() == []


def test_nothing_is_false_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    @grader
    def grade_checkpoint1() -> None:
        return None

    assert grade_checkpoint1() == 0
    assert "grade_checkpoint1 returned nothing" in caplog.text


def test_an_evaluator_that_exits_in_a_checkpoint_fails_that_checkpoint_only() -> None:
    @grader
    def grade_checkpoint1() -> bool:
        raise SystemExit(3)

    assert grade_checkpoint1() == 0


def test_a_keyboard_interrupt_is_not_swallowed() -> None:
    @grader
    def grade_checkpoint1() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade_checkpoint1()


def test_name_docstring_arguments_and_signature_survive() -> None:
    @grader
    def grade_checkpoint1(trajectory: str, *, limit: int = 3) -> int:
        """Counts."""
        return len(trajectory) + limit

    assert grade_checkpoint1("ab", limit=1) == 3
    assert grade_checkpoint1.__name__ == "grade_checkpoint1"
    assert grade_checkpoint1.__doc__ == "Counts."
    assert list(inspect.signature(grade_checkpoint1).parameters) == ["trajectory", "limit"]


class bool_:
    """Stands for numpy's bool."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return self.value


class int64:
    """Stands for numpy's integers."""

    def __index__(self) -> int:
        return 2


def test_bools_and_integers_of_other_libraries_become_pythons_own() -> None:
    assert grader(lambda: bool_(True))() is True
    assert grader(lambda: bool_(False))() is False
    assert grader(lambda: True)() is True
    counted = grader(lambda: int64())()
    assert counted == 2
    assert type(counted) is int


def test_partial_credit_stays_a_number() -> None:
    assert grader(lambda: 2)() == 2


def test_an_async_checkpoint_is_run_to_completion() -> None:
    @grader
    async def grade_checkpoint1(value: bool) -> bool:
        await asyncio.sleep(0)
        return value

    assert grade_checkpoint1(True) is True

    async def from_inside_a_loop() -> object:
        return grade_checkpoint1(False), grade_checkpoint1(True)

    assert asyncio.run(from_inside_a_loop()) == (False, True)


@pytest.mark.parametrize("inside_a_loop", [False, True])
def test_an_outage_in_an_async_checkpoint_is_a_fault_of_that_checkpoint(inside_a_loop: bool) -> None:
    @grader
    async def grade_checkpoint1() -> bool:
        raise ServiceFault("the chat is down")

    async def evaluator() -> object:
        return grade_checkpoint1()

    assert (asyncio.run(evaluator()) if inside_a_loop else grade_checkpoint1()) == 0
    assert [(fault.checkpoint, fault.source) for fault in faults()] == [("grade_checkpoint1", "service")]


@pytest.mark.parametrize("inside_a_loop", [False, True])
def test_what_an_async_checkpoint_notices_on_its_way_is_its_own(inside_a_loop: bool) -> None:
    @grader
    async def grade_checkpoint1() -> bool:
        record_fault("chat", "no answer")
        return True

    async def evaluator() -> object:
        return grade_checkpoint1()

    assert (asyncio.run(evaluator()) if inside_a_loop else grade_checkpoint1()) is True
    assert [fault.checkpoint for fault in faults()] == ["grade_checkpoint1"]


@pytest.mark.parametrize("inside_a_loop", [False, True])
def test_an_async_checkpoint_cannot_end_the_evaluator(inside_a_loop: bool) -> None:
    @grader
    async def grade_checkpoint1() -> bool:
        raise SystemExit(3)

    async def evaluator() -> object:
        return grade_checkpoint1()

    assert (asyncio.run(evaluator()) if inside_a_loop else grade_checkpoint1()) == 0


def test_a_keyboard_interrupt_in_an_async_checkpoint_is_not_swallowed_either() -> None:
    @grader
    async def grade_checkpoint1() -> bool:
        raise KeyboardInterrupt

    seen: list[BaseException] = []

    async def evaluator() -> None:
        try:
            grade_checkpoint1()
        except KeyboardInterrupt as error:  # caught here: it would end the loop itself
            seen.append(error)

    asyncio.run(evaluator())
    assert len(seen) == 1


def test_a_fault_is_recorded_under_the_checkpoint_it_was_found_in() -> None:
    @grader
    def grade_inner() -> bool:
        record_fault("chat", "inner")
        return True

    @grader
    def grade_outer() -> bool:
        record_fault("chat", "before")
        inner = grade_inner()
        record_fault("chat", "after")
        return bool(inner)

    @grader
    def grade_failing() -> bool:
        raise ServiceFault("down")

    assert grade_outer() is True
    assert grade_failing() == 0
    record_fault("chat", "outside")
    assert [(fault.checkpoint, fault.sentence) for fault in faults()] == [
        ("grade_outer", "before"),
        ("grade_inner", "inner"),
        ("grade_outer", "after"),
        ("grade_failing", "ServiceFault: down"),
        ("", "outside"),
    ]


def test_the_same_fault_of_a_checkpoint_is_told_once() -> None:
    for source, sentence in (("chat", "a"), ("chat", "a"), ("chat", "b"), ("forge", "a")):
        record_fault(source, sentence)
    assert [(fault.source, fault.sentence) for fault in faults()] == [("chat", "a"), ("chat", "b"), ("forge", "a")]


def request_to(url: str) -> requests.PreparedRequest:
    return requests.Request("GET", url).prepare()


@pytest.mark.parametrize(
    ("error", "source"),
    [
        (requests.ConnectionError("refused", request=request_to(config.ROCKETCHAT_URL)), "chat"),
        (requests.Timeout("slow", request=request_to(config.OWNCLOUD_URL + "/remote.php/webdav/a")), "drive"),
        (requests.ConnectionError("no address known"), "service"),
        (ServiceFault("the board is restarting"), "service"),
        (JudgeFault("no verdict"), "judge"),
    ],
)
def test_an_outage_is_recorded_as_a_fault_of_its_source(error: Exception, source: str) -> None:
    @grader
    def grade_checkpoint2() -> bool:
        raise error

    assert grade_checkpoint2() == 0
    assert [(fault.checkpoint, fault.source) for fault in faults()] == [("grade_checkpoint2", source)]


def test_an_outage_wrapped_in_another_exception_is_still_a_fault() -> None:
    @grader
    def grade_checkpoint1() -> bool:
        try:
            raise requests.ConnectionError("refused", request=request_to(config.GITLAB_BASEURL))
        except requests.ConnectionError as error:
            raise RuntimeError("could not look") from error

    assert grade_checkpoint1() == 0
    assert [fault.source for fault in faults()] == ["forge"]


def test_a_server_the_examinee_did_not_start_is_no_fault() -> None:
    @grader
    def grade_checkpoint1() -> bool:
        raise requests.ConnectionError("refused", request=request_to("http://localhost:5000/health"))

    assert grade_checkpoint1() == 0
    assert faults() == []


@pytest.mark.parametrize(("status", "recorded"), [(500, True), (503, True), (404, False), (401, False)])
def test_only_a_broken_services_status_is_a_fault(status: int, recorded: bool) -> None:
    response = requests.Response()
    response.status_code = status
    response.url = config.PLANE_BASEURL + "/api/v1/workspaces/"

    @grader
    def grade_checkpoint1() -> bool:
        response.raise_for_status()
        return True

    assert grade_checkpoint1() == 0
    assert [fault.source for fault in faults()] == (["board"] if recorded else [])


def test_points_keep_their_reason_and_a_plain_number_needs_none() -> None:
    assert grader(lambda: Points(2, "two of three are there"))().reason == "two of three are there"
    assert type(grader(lambda: True)()) is bool
    assert type(grader(lambda: 2)()) is int
    assert Checkpoint(3, grader(lambda: Points(2, "two of three"))()) == Checkpoint(3, 2, "two of three")


def test_a_command_of_the_examinees_that_does_not_end_is_a_reason_and_no_mistake_of_the_check() -> None:
    def grade_program() -> bool:
        raise subprocess.TimeoutExpired(["python3", "app.py"], 30)

    given = grader(grade_program)()
    assert (given, given.reason) == (0, "a command did not end within 30 s: python3 app.py")
    assert raised() == []


def test_an_outage_is_a_reason_and_no_mistake_of_the_check() -> None:
    def grade_chat() -> bool:
        raise ServiceFault("the chat is down")

    assert grader(grade_chat)().reason == "something did not answer: ServiceFault: the chat is down"
    assert raised() == []


def test_the_same_mistake_is_told_once_and_a_grading_begins_without_any() -> None:
    def grade_list() -> bool:
        return [True][3]

    for _ in range(3):
        grader(grade_list)()
    assert raised() == ["grade_list raised IndexError: list index out of range"]
    forget_faults()
    assert raised() == []
