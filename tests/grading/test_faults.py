"""Faults: which failures are a service's, a model's or the sandbox's, and which are the evaluator's own."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from dayjob.grading import config
from dayjob.grading.faults import (
    Fault,
    JudgeFault,
    ServiceFault,
    faults,
    forget_faults,
    left_out,
    record_fault,
    record_fault_behind,
    record_helpers_faults,
    watch_requests,
    why_refused,
)
from dayjob.grading.grader import grader
from dayjob.grading.llm import evaluate_with_llm, judge
from dayjob.grading.workbench import NotIsolated
from dayjob.scoring import LEFT_OUT, Points
from tests.grading.sandbox import Answer, Here, SmallCompany


@pytest.fixture
def watched(here: Here, office: SmallCompany) -> Iterator[SmallCompany]:
    stop = watch_requests()
    yield office
    stop()


def of_client(module: str, name: str) -> Exception:
    """An exception of this name as a model client of this name would raise it."""
    kind = type(name, (Exception,), {"__module__": module})
    error: Exception = kind("down")
    return error


def http_error(status: int | None, url: str) -> requests.HTTPError:
    if status is None:
        return requests.HTTPError("no response")
    response = requests.Response()
    response.status_code, response.url = status, url
    return requests.HTTPError("bad", response=response)


def unreachable(kind: type[requests.RequestException], url: str | None) -> requests.RequestException:
    return kind("gone", request=requests.Request("GET", url).prepare() if url else None)


FORGE, ELSEWHERE = f"{config.GITLAB_BASEURL}/api", "http://localhost:5000/"


@pytest.mark.parametrize(
    ("error", "source"),
    [
        (ServiceFault("x"), "service"),
        (JudgeFault("x"), "judge"),
        (NotIsolated("x"), "sandbox"),
        (http_error(500, FORGE), "forge"),
        (http_error(599, FORGE), "forge"),
        (http_error(499, FORGE), None),
        (http_error(500, ELSEWHERE), None),
        (http_error(None, FORGE), None),
        (unreachable(requests.ConnectionError, FORGE), "forge"),
        (unreachable(requests.Timeout, FORGE), "forge"),
        (unreachable(requests.ConnectionError, ELSEWHERE), None),
        (unreachable(requests.Timeout, None), "service"),
        (unreachable(requests.TooManyRedirects, FORGE), None),
        (ValueError("x"), None),
        *(
            (of_client(module, name), "model")
            for module in ("openai", "litellm.exceptions", "anthropic._exceptions")
            for name in ("APIConnectionError", "APITimeoutError", "Timeout", "InternalServerError",
                         "ServiceUnavailableError", "RateLimitError")
        ),
        (of_client("openai", "BadRequestError"), None),
        (of_client("somebody", "RateLimitError"), None),
    ],
)  # fmt: skip
def test_whose_fault_an_error_is(here: Here, error: Exception, source: str | None) -> None:
    assert record_fault_behind(error) is (source is not None)
    wanted = [Fault("", source, f"{type(error).__name__}: {error}")] if source else []
    assert faults() == wanted


def raised(error: Exception, way: str) -> Exception:
    try:
        try:
            raise error
        except Exception as inner:
            if way == "cause":
                raise RuntimeError("outer") from inner
            if way == "hidden":
                raise RuntimeError("outer") from None
            raise RuntimeError("outer")  # noqa: B904  # its context is what is tested
    except RuntimeError as outer:
        return outer


@pytest.mark.parametrize("way", ["cause", "context", "hidden"])
def test_an_outage_is_found_behind_another_error_and_once(here: Here, way: str) -> None:
    assert record_fault_behind(raised(ServiceFault("down"), way)) is True
    assert [fault.sentence for fault in faults()] == ["ServiceFault: down"]


def test_errors_that_lead_in_a_circle_end(here: Here) -> None:
    one, other = ValueError("a"), ValueError("b")
    one.__cause__, other.__cause__ = other, one
    assert record_fault_behind(one) is False


def test_faults_are_handed_out_as_a_copy(here: Here) -> None:
    record_fault("chat", "x")
    faults().clear()
    assert len(faults()) == 1


def test_what_helpers_wrote_down_is_recorded(here: Here, tmp_path: Path) -> None:
    place = tmp_path / "helpers"
    record_helpers_faults(None)
    record_helpers_faults(str(place))
    assert faults() == []
    place.write_text('"one"\n"two"\n')
    record_helpers_faults(str(place))
    assert [(fault.source, fault.sentence) for fault in faults()] == [("sandbox", "one"), ("sandbox", "two")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"error": {"message": "the budget is spent"}}, "the budget is spent"),
        ({"error": "plain"}, ""),
        ({"error": {}}, ""),
        ([], ""),
        (b"<html>", ""),
    ],
)
def test_the_gateway_says_why_it_refused(content: object, reason: str) -> None:
    response = requests.Response()
    response._content = content if isinstance(content, bytes) else json.dumps(content).encode()
    assert why_refused(response) == reason


# -- the watch --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "is_fault"), [(200, False), (404, False), (499, False), (500, True), (503, True)])
def test_an_answer_of_ours_from_500_on_is_a_fault_even_if_nobody_looks(
    watched: SmallCompany, status: int, is_fault: bool
) -> None:
    watched.on("GET", "/x", Answer({}, status))
    assert requests.get(f"{watched.url}/x", timeout=5).status_code == status
    sentence = f"chat answered {status} to GET {watched.url}/x"
    assert [(fault.source, fault.sentence) for fault in faults()] == ([("chat", sentence)] if is_fault else [])


def test_the_gateways_own_reason_is_what_is_recorded(watched: SmallCompany) -> None:
    watched.on("GET", "/x", Answer({"error": {"message": "no model"}}, 500))
    requests.get(f"{watched.url}/x", timeout=5)
    assert [fault.sentence for fault in faults()] == ["no model"]


def test_somebody_elses_server_may_be_broken_or_gone(watched: SmallCompany) -> None:
    other = SmallCompany()
    other.on("GET", "/x", Answer({}, 500))
    requests.get(f"{other.url}/x", timeout=5)
    other.stop()
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{other.url}/x", timeout=5)
    assert faults() == []


def test_a_service_of_ours_that_is_gone_is_a_fault_and_still_an_error(watched: SmallCompany) -> None:
    watched.stop()
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{watched.url}/x", timeout=5)
    assert [fault.source for fault in faults()] == ["chat"]


class Recording(requests.adapters.HTTPAdapter):
    """Notes how long a request would have waited, and answers nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: list[object] = []

    def send(self, request: requests.PreparedRequest, **given: object) -> requests.Response:  # type: ignore[override]  # any keywords
        self.waited.append(given["timeout"])
        response = requests.Response()
        response.status_code, response.raw = 200, None
        response.request, response.url = request, str(request.url)
        return response


def patience(ask: Callable[[requests.Session], object]) -> list[object]:
    session, adapter = requests.Session(), Recording()
    session.mount("http://", adapter)
    ask(session)
    return adapter.waited


def test_nobody_is_waited_for_without_end(watched: SmallCompany) -> None:
    assert patience(lambda one: one.get(watched.url)) == [120.0]
    assert patience(lambda one: one.get("http://localhost:1/")) == [30.0]
    assert patience(lambda one: one.get(watched.url, timeout=7)) == [7]
    assert socket.getdefaulttimeout() == 30.0


def test_the_watch_ends_and_leaves_everything_as_it_was(here: Here) -> None:
    send, wait = requests.Session.send, socket.getdefaulttimeout()
    stop = watch_requests()
    assert requests.Session.send is not send
    stop()
    assert requests.Session.send is send
    assert socket.getdefaulttimeout() == wait


def test_checks_that_ask_a_model_are_left_out_and_no_fault_where_models_are(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_faults()
    monkeypatch.setattr(config, "WITHOUT_MODELS", True)
    monkeypatch.setattr(config, "LITELLM_BASE_URL", "")

    @grader
    def grade_by_judge() -> object:
        return judge("it is polite", "Yes.")

    @grader
    def grade_in_the_older_way() -> object:
        return 2 * (1 + evaluate_with_llm("Yes.", "it is polite"))

    @grader
    def grade_by_hand() -> object:
        return Points(1, "it is there")

    found = [grade_by_judge(), grade_in_the_older_way(), grade_by_hand()]
    assert [(int(one), one.reason) for one in found] == [(0, LEFT_OUT), (0, LEFT_OUT), (1, "it is there")]
    assert left_out() == ["grade_by_judge", "grade_in_the_older_way"]
    assert faults() == []
    record_fault("chat", "chat did not answer")
    assert [fault.source for fault in faults()] == ["chat"]
    forget_faults()
    assert left_out() == []
