"""What the board says no to: a status and a body in Plane's own words, raised wherever a rule is found broken."""

from __future__ import annotations

from typing import Any

from dayjob.company import errors


class Refused(errors.Refused):
    """A refusal whose body is an object: `error`, `detail`, or complaints by the name of their field."""

    body: dict[str, Any]


class NotThere(Refused):
    """The thing named in the path does not exist, or not for this person."""

    def __init__(self) -> None:
        super().__init__(404, {"error": "The requested resource does not exist."})


class Forbidden(Refused):
    def __init__(self, error: str | None = None) -> None:
        body = {"error": error} if error else {"detail": "You do not have permission to perform this action."}
        super().__init__(403, body)


class PaymentRequired(Refused):
    """A feature of a paid edition."""

    def __init__(self) -> None:
        super().__init__(402, {"error": "Payment required", "error_code": 1999})


class BadRequest(Refused):
    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(400, {"error": error, **more})


class Unreadable(Refused):
    """A query or a body that cannot be parsed."""

    def __init__(self, detail: str) -> None:
        super().__init__(400, {"detail": detail})


class Invalid(Refused):
    """Fields with wrong values: each field's name with its complaints."""

    def __init__(self, errors: dict[str, Any]) -> None:
        super().__init__(400, errors)

    @classmethod
    def whole(cls, complaint: str) -> Invalid:
        """The fields are right one by one and wrong together."""
        return cls({"non_field_errors": [complaint]})


class Conflict(Refused):
    """Something of that name or outside id exists already."""

    def __init__(self, error: str, id: str) -> None:
        super().__init__(409, {"error": error, "id": id})
