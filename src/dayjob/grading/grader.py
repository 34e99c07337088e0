"""`@grader`: one checkpoint's failure is that checkpoint's zero, never the whole task's.

An exception or None becomes no points with a reason, logged with the checkpoint's name and the traceback; an outage
behind the exception is recorded as a fault, and any other exception as the check's own mistake. Async functions are run
to completion, so every graded function is called the same way.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import logging
import operator
import subprocess
import threading
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec

from dayjob.grading.faults import current_checkpoint, left_out, record_fault_behind, record_raised
from dayjob.grading.llm import Judgement
from dayjob.scoring import LEFT_OUT, Points

P = ParamSpec("P")
log = logging.getLogger("grader")
_FILE = "evaluator.py"


def grader(function: Callable[P, Any]) -> Callable[P, Any]:
    """Mark a function that grades one checkpoint. Its name, docstring and arguments stay what they are."""

    @functools.wraps(function)
    def graded(*args: P.args, **kwargs: P.kwargs) -> Any:
        name = getattr(function, "__name__", repr(function))
        token = current_checkpoint.set(name)
        try:
            passed = function(*args, **kwargs)
            if inspect.isawaitable(passed):
                passed = _run_to_completion(passed)
        except (Exception, SystemExit) as error:  # whatever happens in a checkpoint stays in it
            log.error("%s could not be graded and counts as failed: %r", name, error, exc_info=True)
            if record_fault_behind(error):
                if name in left_out():
                    return Points(0, LEFT_OUT)
                log.error("%s failed because something did not answer; recorded as a fault", name)
                return Points(0, f"something did not answer: {_words(error)}")
            return _failed(name, error)
        finally:
            current_checkpoint.reset(token)
        if name in left_out():
            return Points(0, LEFT_OUT)
        if passed is None:
            log.error("%s returned nothing and counts as failed: every path must return a bool or a number", name)
            return Points(0, "the check returned nothing")
        return _plain(passed)

    return graded


def _failed(name: str, error: BaseException) -> Points:
    """No points, with the exception as the reason. A command that took too long is the examinee's, not the check's."""
    if isinstance(error, subprocess.TimeoutExpired):
        return Points(0, f"a command did not end within {error.timeout:g} s: {_short(error.cmd)}")
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(_FILE)]
    place = f" ({_FILE}, line {lines[-1]})" if lines else ""
    record_raised(f"{name} raised {_words(error)}{place}")
    return Points(0, f"the check failed: {_words(error)}{place}")


def _words(error: BaseException) -> str:
    return _short(f"{type(error).__name__}: {error}".removesuffix(": "))


def _short(what: object) -> str:
    text = " ".join(map(str, what)) if isinstance(what, list | tuple) else str(what)
    return " ".join(text[:300].split())


def _plain(passed: Any) -> Any:
    """Bools and integers of other libraries become Python's own, and a judgement a point with what was said for it.

    Anything else is the evaluator's business.
    """
    if isinstance(passed, Points):
        return passed
    if isinstance(passed, Judgement):
        return Points(passed.verdict, str(passed))
    if type(passed).__name__ in ("bool", "bool_"):
        return bool(passed)
    try:
        return operator.index(passed)
    except TypeError:
        return passed


def _run_to_completion(awaitable: Awaitable[Any]) -> Any:
    async def finish() -> Any:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(finish())
    # A loop cannot be entered twice: an evaluator that is async all the way down gets a loop in a thread of its own.
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            outcome.append(asyncio.run(finish()))
        except BaseException as error:  # carried to the caller's thread, where it is raised
            failure.append(error)

    # A fault that is noticed in there belongs to the checkpoint that is being graded out here.
    thread = threading.Thread(target=contextvars.copy_context().run, args=(body,), name="grader")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
