"""What the drive says no with. Each has the HTTP status of WebDAV and the exception name the wire carries, which is its
own name unless it says otherwise."""

from __future__ import annotations

from dayjob.company.errors import Refused


class DriveError(Refused):
    """A refusal whose body is the sentence a client reads; the wire puts it into XML."""

    status = 500
    wire_name = "Sabre\\DAV\\Exception"

    def __init_subclass__(cls, status: int, wire_name: str = "") -> None:
        cls.status = status
        cls.wire_name = wire_name or f"Sabre\\DAV\\Exception\\{cls.__name__}"

    def __init__(self, message: str = "") -> None:
        super().__init__(self.status, message)


class BadRequest(DriveError, status=400): ...


class NotAuthenticated(DriveError, status=401): ...


class Forbidden(DriveError, status=403): ...


class NotFound(DriveError, status=404): ...


class MethodNotAllowed(DriveError, status=405): ...


class Conflict(DriveError, status=409): ...


class PreconditionFailed(DriveError, status=412): ...


class TooLarge(DriveError, status=413, wire_name="OCA\\DAV\\Connector\\Sabre\\Exception\\EntityTooLarge"): ...


class UnsupportedMedia(DriveError, status=415, wire_name="Sabre\\DAV\\Exception\\UnsupportedMediaType"): ...


class RangeNotSatisfiable(DriveError, status=416, wire_name="Sabre\\DAV\\Exception\\RequestedRangeNotSatisfiable"):
    def __init__(self, message: str, size: int) -> None:
        super().__init__(message)
        self.size = size


class Locked(DriveError, status=423):
    """Someone else's lock is in the way; `href` is set by the wire, which knows how the place is addressed."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class NotImplementedHere(DriveError, status=501, wire_name="Sabre\\DAV\\Exception\\NotImplemented"): ...


class InsufficientStorage(DriveError, status=507): ...
