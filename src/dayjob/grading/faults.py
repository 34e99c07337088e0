"""Faults: a service, judge or model that did not answer while grading.

A fault is never the examinee's doing, and `@grader` turns every exception into a zero; so faults are collected here and
leave beside the result. Whoever runs the trial treats a graded result with any fault as no grade at all.
An address that is not one of the trial's own (a server the examinee was to start, a link it supplied) gives no fault.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from dayjob.grading import config
from dayjob.grading.workbench import NotIsolated


class ServiceFault(Exception):
    """A service of the company did not answer, or answered that it is broken."""

    source = "service"


class JudgeFault(ServiceFault):
    """The model behind a judge did not answer, or its answer was no verdict."""

    source = "judge"


@dataclass(frozen=True)
class Fault:
    """What did not answer (`source`), which checkpoint was being graded, and a sentence for the log."""

    checkpoint: str
    source: str
    sentence: str


current_checkpoint: ContextVar[str] = ContextVar("current_checkpoint", default="")
_recorded: list[Fault] = []
_raised: list[str] = []
_left_out: dict[str, None] = {}

# Seconds to wait where an evaluator says nothing: for the trial's own services, and for anybody else's.
_OWN_PATIENCE = 120.0
_PATIENCE = 30.0

_MOST_RAISED = 50

# The sources that are models.
_MODELS = ("judge", "model")

# Raised by model clients that an evaluator may use on its own.
_MODEL_CLIENTS = ("openai", "litellm", "anthropic")
_MODEL_OUTAGES = {
    "APIConnectionError",
    "APITimeoutError",
    "Timeout",
    "InternalServerError",
    "ServiceUnavailableError",
    "RateLimitError",
}


def faults() -> list[Fault]:
    """Every fault so far, oldest first."""
    return list(_recorded)


def forget_faults() -> None:
    """Start over, for a process that grades more than once."""
    _recorded.clear()
    _raised.clear()
    _left_out.clear()


def raised() -> list[str]:
    """What graded functions raised, in words, oldest first: mistakes of the evaluator rather than faults."""
    return list(_raised)


def record_raised(sentence: str) -> None:
    """Remember what a graded function raised, once."""
    if sentence not in _raised and len(_raised) < _MOST_RAISED:
        _raised.append(sentence)


def left_out() -> list[str]:
    """The graded functions that asked a model where models are left out."""
    return list(_left_out)


def record_fault(source: str, sentence: str) -> None:
    """Remember that `source` did not answer; the same sentence about the same checkpoint is remembered once."""
    if config.WITHOUT_MODELS and source in _MODELS:
        _left_out[current_checkpoint.get()] = None
        return
    fault = Fault(current_checkpoint.get(), source, sentence)
    if fault not in _recorded:
        _recorded.append(fault)


def record_fault_behind(error: BaseException) -> bool:
    """Record a fault when `error`, or anything it was raised from, is an outage. Says whether it was."""
    for each in _chain(error):
        source = _outage(each)
        if source is not None:
            record_fault(source, _sentence(each))
            return True
    return False


def record_helpers_faults(place: str | None) -> None:
    """Record what programs that an evaluator started have written down, one JSON text a line."""
    try:
        lines = Path(place).read_text("utf-8").splitlines() if place else []
    except OSError:
        return  # no such file: no such fault
    for line in lines:
        record_fault("sandbox", str(json.loads(line)))


def watch_requests() -> Callable[[], None]:
    """Record outages of the trial's own services even where an evaluator swallows the exception, and wait for nobody
    for ever: an evaluator's request, or socket, without a time limit gets one.

    Returns the function that ends the watch.
    """
    original = requests.Session.send
    patience = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_PATIENCE)

    def send(self: requests.Session, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        if kwargs.get("timeout") is None:
            kwargs["timeout"] = _OWN_PATIENCE if config.service_at(request.url or "") else _PATIENCE
        try:
            response = original(self, request, **kwargs)
        except requests.RequestException as error:
            record_fault_behind(error)
            raise
        service = config.service_at(request.url or "")
        if service and response.status_code >= 500:
            plain = f"{service} answered {response.status_code} to {request.method} {request.url}"
            record_fault(service, why_refused(response) or plain)
        return response

    def stop() -> None:
        socket.setdefaulttimeout(patience)
        requests.Session.send = original  # type: ignore[method-assign]  # puts back what was there

    requests.Session.send = send  # type: ignore[method-assign]  # the one place all of requests goes through
    return stop


def why_refused(response: requests.Response) -> str:
    """The reason that the trial's gateway to models gives with an error; empty when there is none."""
    try:
        return str(response.json()["error"]["message"])
    except (ValueError, LookupError, TypeError):
        return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _outage(error: BaseException) -> str | None:
    """The source that failed, or None when this is an ordinary error."""
    if isinstance(error, ServiceFault | NotIsolated):
        return error.source
    if type(error).__module__.split(".")[0] in _MODEL_CLIENTS and type(error).__name__ in _MODEL_OUTAGES:
        return "model"
    if isinstance(error, requests.HTTPError):
        response = error.response
        if response is None or response.status_code < 500:
            return None
        return config.service_at(response.url or "")
    if isinstance(error, (requests.ConnectionError, requests.Timeout)):
        # Without an address nobody can say it was the examinee's server: not grading is the lesser harm.
        url = error.request.url if error.request is not None else None
        return config.service_at(url) if url else "service"
    return None


def _sentence(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
