"""What the drive says no with. Each has the HTTP status of WebDAV and the exception name the wire carries."""

from __future__ import annotations

from dayjob.company.errors import Refused


class DriveError(Refused):
    """A refusal whose body is the sentence a client reads; the wire puts it into XML."""

    status = 500
    wire_name = "Sabre\\DAV\\Exception"

    def __init__(self, message: str = "") -> None:
        super().__init__(self.status, message)


class BadRequest(DriveError):
    status = 400
    wire_name = "Sabre\\DAV\\Exception\\BadRequest"


class NotAuthenticated(DriveError):
    status = 401
    wire_name = "Sabre\\DAV\\Exception\\NotAuthenticated"


class Forbidden(DriveError):
    status = 403
    wire_name = "Sabre\\DAV\\Exception\\Forbidden"


class NotFound(DriveError):
    status = 404
    wire_name = "Sabre\\DAV\\Exception\\NotFound"


class MethodNotAllowed(DriveError):
    status = 405
    wire_name = "Sabre\\DAV\\Exception\\MethodNotAllowed"


class Conflict(DriveError):
    status = 409
    wire_name = "Sabre\\DAV\\Exception\\Conflict"


class PreconditionFailed(DriveError):
    status = 412
    wire_name = "Sabre\\DAV\\Exception\\PreconditionFailed"


class TooLarge(DriveError):
    status = 413
    wire_name = "OCA\\DAV\\Connector\\Sabre\\Exception\\EntityTooLarge"


class UnsupportedMedia(DriveError):
    status = 415
    wire_name = "Sabre\\DAV\\Exception\\UnsupportedMediaType"


class RangeNotSatisfiable(DriveError):
    status = 416
    wire_name = "Sabre\\DAV\\Exception\\RequestedRangeNotSatisfiable"

    def __init__(self, message: str, size: int) -> None:
        super().__init__(message)
        self.size = size


class Locked(DriveError):
    """Someone else's lock is in the way; `href` is set by the wire, which knows how the place is addressed."""

    status = 423
    wire_name = "Sabre\\DAV\\Exception\\Locked"

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class NotImplementedHere(DriveError):
    status = 501
    wire_name = "Sabre\\DAV\\Exception\\NotImplemented"


class InsufficientStorage(DriveError):
    status = 507
    wire_name = "Sabre\\DAV\\Exception\\InsufficientStorage"
