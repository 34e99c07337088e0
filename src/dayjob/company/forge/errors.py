"""The refusals of the forge, as GitLab words them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dayjob.company import errors


class Refused(errors.Refused):
    """A rule of the forge says no."""

    body: dict[str, Any]


def not_found(what: str = "") -> Refused:
    return Refused(404, {"message": f"404 {what} Not Found" if what else "404 Not Found"})


def forbidden(reason: str = "") -> Refused:
    return Refused(403, {"message": f"403 Forbidden - {reason}" if reason else "403 Forbidden"})


def bad_request(reason: str) -> Refused:
    return Refused(400, {"message": f"400 Bad request - {reason}"})


def bad(reason: str) -> Refused:
    """A parameter that cannot be read or is not taken."""
    return Refused(400, {"error": reason})


def invalid(**problems: Sequence[str]) -> Refused:
    """What the forge says of a record it will not save: field → sentences."""
    return Refused(400, {"message": {name: list(sentences) for name, sentences in problems.items()}})


def no_jobs() -> Refused:
    """A pipeline was asked for in which nothing would run."""
    return invalid(
        base=[
            "Pipeline will not run for the selected trigger. The rules configuration prevented any jobs from being "
            "added to the pipeline."
        ]
    )


def refused(status: int, message: Any) -> Refused:
    return Refused(status, {"message": message})
