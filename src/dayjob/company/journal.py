"""What the services saw: every request and every change, who and when, written where the examinee cannot reach.

One line of JSON per record, appended with a single write before the answer leaves, so a killed company has lost
nothing that anybody was told. `Visit` is a request in progress; the store's triggers hang their changes on it.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

Role = Literal["people", "examinee", "npc", "init", "grader", "company"]
Phase = Literal["serve", "init", "work", "grade"]

# Query parameters that carry a secret; their values never reach the journal.
_SECRET_PARAMETERS = frozenset(
    {"private_token", "access_token", "token", "password", "rc_token", "job_token", "resume", "api_key"}
)

# A quick look that most queries pass; a name may also be percent-encoded.
_MAYBE_SECRET = re.compile("%|" + "|".join(sorted(_SECRET_PARAMETERS)), re.IGNORECASE)

_quoted = json.encoder.encode_basestring_ascii


@dataclass(slots=True)
class Visit:
    """One request (or one realtime call) as it happens. `account` is filled in by whoever authenticates it."""

    service: str
    role: Role
    phase: Phase
    method: str
    path: str
    query: str = ""
    account: str | None = None
    status: int = 0
    pending: list[tuple[str, str, str, str | None, str | None]] = field(default_factory=list)
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A request as the journal keeps it."""

    seq: int
    time: str
    phase: str
    role: str
    service: str
    account: str | None
    method: str
    path: str
    query: str
    status: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Change:
    """One row of one table that was added, removed or changed, with its values before and after."""

    seq: int
    time: str
    phase: str
    role: str
    service: str
    account: str | None
    table: str
    op: str
    key: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


current: ContextVar[Visit | None] = ContextVar("visit", default=None)


def identify(account: str | None) -> None:
    """Say whose request this is; called by a service once it has checked the credentials."""
    visit = current.get()
    if visit is not None:
        visit.account = account


def without_secrets(query: str) -> str:
    """The query string with the values of secret parameters blanked."""
    if not _MAYBE_SECRET.search(query):
        return query
    pairs = parse_qsl(query, keep_blank_values=True)
    if not any(name.lower() in _SECRET_PARAMETERS for name, _ in pairs):
        return query
    return urlencode([(name, "***" if name.lower() in _SECRET_PARAMETERS else value) for name, value in pairs])


class JournalFull(OSError):
    """What happened can no longer be written down."""


class Journal:
    """An append-only file of requests and changes: at a path, or open already (a descriptor to read and append).

    Without either it is an unnamed file that ends with the process.
    """

    def __init__(self, place: Path | int | None = None) -> None:
        self.path = path = place if isinstance(place, Path) else None
        self.trouble = ""
        """Why something that happened could not be written down; whoever was told "500" for it is not to blame."""
        if isinstance(place, int):
            self._fd = place
        elif path is None:
            self._fd = os.memfd_create("journal", os.MFD_CLOEXEC) if hasattr(os, "memfd_create") else _unnamed()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._seq = self._mend()

    def _mend(self) -> int:
        """Cut off a line that a crash left half written; return the last sequence number."""
        text = self._read()
        whole = text.rfind(b"\n") + 1
        if whole != len(text):
            os.ftruncate(self._fd, whole)
        last = 0
        for line in text[:whole].splitlines():
            last = max(last, json.loads(line)["seq"])
        os.lseek(self._fd, 0, os.SEEK_END)
        return last

    def record(self, visit: Visit, time: str) -> None:
        """Write the visit's request (once) and the changes it has made since the last call, in one write."""
        if visit.recorded and not visit.pending:
            return
        # Put together by hand: this is on every request's way, and a JSON encoder costs more than the rest of it.
        who = (
            f'"time":"{time}","phase":"{visit.phase}","role":"{visit.role}","service":"{visit.service}",'
            f'"account":{_quoted(visit.account) if visit.account is not None else "null"}'
        )
        lines = []
        for table, op, key, before, after in visit.pending:
            self._seq += 1
            lines.append(
                f'{{"kind":"change","seq":{self._seq},{who},"table":"{table}","op":"{op}","key":{_quoted(key)},'
                f'"before":{before or "null"},"after":{after or "null"}}}\n'
            )
        if not visit.recorded:
            self._seq += 1
            lines.append(
                f'{{"kind":"request","seq":{self._seq},{who},"method":{_quoted(visit.method)},'
                f'"path":{_quoted(visit.path)},"query":{_quoted(without_secrets(visit.query))},"status":{visit.status}}}\n'
            )
        self._append("".join(lines).encode("utf-8", "surrogatepass"))
        visit.pending.clear()
        visit.recorded = True

    def _append(self, text: bytes) -> None:
        """All of it or, on a full disk, none: the request then fails rather than go unseen."""
        try:
            written = os.write(self._fd, text)
        except OSError as error:
            self.trouble = f"The journal {self.path} cannot be written: {error.strerror}."
            raise JournalFull(self.trouble) from error
        if written != len(text):
            os.ftruncate(self._fd, os.fstat(self._fd).st_size - written)
            self.trouble = f"The journal {self.path} cannot be written whole: the disk is full."
            raise JournalFull(self.trouble)

    def _read(self) -> bytes:
        with open(os.dup(self._fd), "rb") as file:
            file.seek(0)
            return file.read()

    def _rows(self, kind: str) -> Iterator[dict[str, Any]]:
        mark = f'{{"kind":"{kind}"'.encode()
        for line in self._read().splitlines():
            if line.startswith(mark):
                row = json.loads(line.decode("utf-8", "replace"))
                del row["kind"]
                yield row

    def requests(
        self,
        service: str | None = None,
        path: str | None = None,
        *,
        method: str | None = None,
        account: str | None = None,
        role: str | None = None,
        since: int = 0,
    ) -> list[Request]:
        """Requests that match, oldest first. `path` matches itself and everything below it."""
        return [
            Request(**row)
            for row in self._rows("request")
            if row["seq"] > since
            and (service is None or row["service"] == service)
            and (path is None or _below(row["path"], path))
            and (method is None or row["method"] == method.upper())
            and (account is None or row["account"] == account)
            and (role is None or row["role"] == role)
        ]

    def accessed(self, service: str, path: str, **where: Any) -> bool:
        """Whether anyone working here (not init, graders or colleagues) got an answer at or below `path`.

        Being sent elsewhere, such as to the log-in page, is none; what follows a posted form (303) and what a browser
        still has (304) is.
        """
        return any(
            (row.status < 300 or row.status in (303, 304)) and row.role in ("examinee", "people")
            for row in self.requests(service, path, **where)
        )

    def changes(self, service: str | None = None) -> list[Change]:
        """Every single change, oldest first; `changes.differences` folds them into what is different now."""
        return [Change(**row) for row in self._rows("change") if service is None or row["service"] == service]

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _below(path: str, prefix: str) -> bool:
    prefix = prefix.rstrip("/")
    return path == prefix or path.startswith((prefix + "/", prefix + "?")) or not prefix


def _unnamed() -> int:
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
