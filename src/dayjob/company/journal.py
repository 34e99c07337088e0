"""What the services saw: every request and every change, who and when, written where the examinee cannot reach.

One line of JSON per record, appended with a single write before the answer leaves, so a killed company has lost
nothing that anybody was told. `Visit` is a request in progress; the store's triggers hang their changes on it.

The file has a limit, and so has every value in it. Requests may fill half of it, so that nobody hides a change behind a
flood of them; when it is full, a last row says so and how many were left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlencode

Role = Literal["people", "examinee", "npc", "timeline", "init", "grader", "company", "runner"]
Phase = Literal["serve", "init", "work", "grade"]
WORK_HERE: tuple[Role, ...] = ("people", "examinee")
"""Who works in the company: time goes on for what they look for."""

LIMIT = 64 * 1024 * 1024
"""How large a journal grows unless it is told otherwise."""
_PATH_LIMIT, _QUERY_LIMIT, _NAME_LIMIT = 2048, 4096, 256
VALUE_LIMIT = 64 * 1024
"""The most characters of one column's value that a change keeps."""
_KEPT_OF_VALUE = 4096

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
    formatting: int = 0
    """The work that formatting its texts has taken so far; see `pages.markdown`."""
    comparing: int = 0
    """The bytes of files that were compared for it so far; see `forge.git.differences`."""
    acts_as: str | None = None
    """Who it is done by, where the company itself lets somebody act: no credentials are asked for then."""
    mark: str | None = None
    """What of the timeline it carries out; the first transaction writes that down, so that it happens once."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the journal keeps of everything that happened: when, and who did it where."""

    seq: int
    time: str
    phase: str
    role: str
    service: str
    account: str | None


@dataclass(frozen=True, slots=True)
class Request(Entry):
    """A request as the journal keeps it."""

    method: str
    path: str
    query: str
    status: int


@dataclass(frozen=True, slots=True)
class Change(Entry):
    """One row of one table that was added, removed or changed, with its values before and after."""

    table: str
    op: str
    key: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Note:
    """What the journal says about itself: that it is full."""

    time: str
    text: str


current: ContextVar[Visit | None] = ContextVar("visit", default=None)


def identify(account: str | None) -> None:
    """Say whose request this is; called by a service once it has checked the credentials."""
    visit = current.get()
    if visit is not None:
        visit.account = account


def acting_as() -> str | None:
    """Who acts by the company's own doing; None for everything that came in from outside."""
    visit = current.get()
    return visit.acts_as if visit is not None else None


def without_secrets(query: str) -> str:
    """The query string with the values of secret parameters blanked."""
    if not _MAYBE_SECRET.search(query):
        return query
    pairs = parse_qsl(query, keep_blank_values=True)
    if not any(name.lower() in _SECRET_PARAMETERS for name, _ in pairs):
        return query
    return urlencode([(name, "***" if name.lower() in _SECRET_PARAMETERS else value) for name, value in pairs])


def cut(text: str, limit: int) -> str:
    """The text, or its beginning with a mark that says how long it was."""
    return text if len(text) <= limit else f"{text[:limit]}… [cut: {len(text)} characters]"


def cut_value(value: object) -> object:
    """A column's value, or the beginning of a huge one with its length and its hash, by which two can be told apart."""
    if not isinstance(value, str | bytes) or len(value) <= VALUE_LIMIT:
        return value
    raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    start = value[:_KEPT_OF_VALUE] if isinstance(value, str) else value[:_KEPT_OF_VALUE].hex()
    unit = "characters" if isinstance(value, str) else "bytes"
    return f"{start}… [cut: {len(value)} {unit}, SHA-256 {hashlib.sha256(raw).hexdigest()}]"


class JournalFull(OSError):
    """What happened can no longer be written down."""


class Journal:
    """An append-only file of requests and changes: at a path, or open already (a descriptor to read and append).

    Without either it is an unnamed file that ends with the process.
    """

    def __init__(self, place: Path | int | None = None, limit: int | None = LIMIT) -> None:
        self.path = path = place if isinstance(place, Path) else None
        self.limit = limit
        self.left_out = 0
        """How many rows no longer had room."""
        self.changes_left_out = 0
        """How many of them were changes."""
        self.changed = 0
        """How many changes it was told of by this process, with and without room."""
        self._noted = 0
        self._left_out_at = ""
        self.trouble = ""
        """Why something that happened could not be written down; whoever was told "500" for it is not to blame."""
        if isinstance(place, int):
            self._fd = place
        elif path is None:
            self._fd = os.memfd_create("journal", os.MFD_CLOEXEC) if hasattr(os, "memfd_create") else _unnamed()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._seq = 0
        self._size = self._mend()

    def _mend(self) -> int:
        """Cut off a line that a crash left half written, and go on from the last whole one; returns the file's size."""
        text = self._read()
        whole = text.rfind(b"\n") + 1
        if whole != len(text):
            os.ftruncate(self._fd, whole)
        if whole:
            self._seq = json.loads(text[text.rfind(b"\n", 0, whole - 1) + 1 : whole])["seq"]
            self._find_note(text)
        os.lseek(self._fd, 0, os.SEEK_END)
        return whole

    @property
    def size(self) -> int:
        """Bytes that were written."""
        return self._size

    def content(self) -> bytes:
        """All that was written down, as it is in the file."""
        return self._read()

    def replace(self, content: bytes) -> None:
        """Go on from another journal's content in place of what was written here."""
        os.ftruncate(self._fd, 0)
        os.lseek(self._fd, 0, os.SEEK_SET)
        self._seq = self._size = 0
        self._append(content)
        self._size = self._mend()

    def _find_note(self, text: bytes) -> None:
        """Go on counting from where an earlier process stopped."""
        start = text.rfind(b'\n{"kind":"note",') + 1
        if start or text.startswith(b'{"kind":"note",'):
            note = json.loads(text[start : text.index(b"\n", start)])
            self.left_out = self._noted = note["left_out"]
            self.changes_left_out = note["changes_left_out"]
            self._left_out_at = note["time"]

    def record(self, visit: Visit, time: str) -> None:
        """Write the visit's request (once) and the changes it has made since the last call, in one write."""
        if visit.recorded and not visit.pending:
            return
        # Put together by hand: this is on every request's way, and a JSON encoder costs more than the rest of it.
        who = (
            f'"time":"{time}","phase":"{visit.phase}","role":"{visit.role}","service":"{visit.service}",'
            f'"account":{_quoted(cut(visit.account, _NAME_LIMIT)) if visit.account is not None else "null"}'
        )
        lines = []
        for table, op, key, before, after in visit.pending:
            self._seq += 1
            lines.append(
                f'{{"kind":"change","seq":{self._seq},{who},"table":"{table}","op":"{op}",'
                f'"key":{_quoted(cut(key, _NAME_LIMIT))},"before":{before or "null"},"after":{after or "null"}}}\n'
            )
        if not visit.recorded:
            self._seq += 1
            query = cut(without_secrets(visit.query), _QUERY_LIMIT) if visit.query else ""
            lines.append(
                f'{{"kind":"request","seq":{self._seq},{who},"method":{_quoted(visit.method)},'
                f'"path":{_quoted(cut(visit.path, _PATH_LIMIT))},"query":{_quoted(query)},"status":{visit.status}}}\n'
            )
        text = "".join(lines).encode("utf-8", "surrogatepass")
        room = self.limit if self.limit is None or visit.pending else self.limit // 2
        if room is None or self._size + len(text) <= room:
            self._append(text)
        else:
            self.changes_left_out += len(visit.pending)
            self._leave_out(len(lines), time)
        self.changed += len(visit.pending)
        visit.pending.clear()
        visit.recorded = True

    def _leave_out(self, rows: int, time: str) -> None:
        """Count rows that have no room, and say so in the file whenever their number has doubled."""
        before, self.left_out = self.left_out, self.left_out + rows
        self._left_out_at = time
        if before.bit_length() != self.left_out.bit_length():
            self._write_note()

    def _write_note(self) -> None:
        self._noted = self.left_out
        note = {
            "kind": "note", "seq": self._seq, "time": self._left_out_at, "left_out": self.left_out,
            "changes_left_out": self.changes_left_out, "text": self.notes[0].text,
        }  # fmt: skip
        self._append((json.dumps(note, separators=(",", ":")) + "\n").encode())

    @property
    def notes(self) -> list[Note]:
        """What whoever reads this journal must know about it; empty as long as it is whole."""
        if not self.left_out:
            return []
        text = f"The journal is full; {self.left_out} rows were left out, {self.changes_left_out} of them changes."
        return [Note(self._left_out_at, text)]

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
        self._size += written

    def _read(self) -> bytes:
        with open(os.dup(self._fd), "rb") as file:
            file.seek(0)
            return file.read()

    def _rows(self, kind: str, *parts: str) -> Iterator[dict[str, Any]]:
        """Rows of a kind. Only lines that hold all of `parts`, as they would be written, are taken apart."""
        mark = f'{{"kind":"{kind}"'.encode()
        needles = [part.encode() for part in parts]
        for line in self._read().splitlines():
            if line.startswith(mark) and all(needle in line for needle in needles):
                row = json.loads(line.decode("utf-8", "replace"))
                del row["kind"]
                yield row

    def requests(
        self,
        service: str | None = None,
        path: str | None = None,
        *,
        prefix: str | None = None,
        method: str | None = None,
        account: str | None = None,
        role: str | None = None,
        since: int = 0,
    ) -> list[Request]:
        """Requests that match, oldest first. `path` matches itself and everything below it.

        `prefix` is what a path begins with; to it, percent-encoding makes no difference.
        """
        begins = unquote(prefix) if prefix is not None else None
        parts = [
            f'"{name}":{_quoted(value)}'
            for name, value in (("service", service), ("account", account), ("role", role))
            if value is not None
        ]
        if path is not None:
            parts.append(f'"path":{_quoted(path[:_PATH_LIMIT].rstrip("/"))[:-1]}')
        return [
            Request(**row)
            for row in self._rows("request", *parts)
            if row["seq"] > since
            and (service is None or row["service"] == service)
            and (path is None or _below(row["path"], path))
            and (begins is None or unquote(row["path"]).startswith(begins))
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
        parts = [] if service is None else [f'"service":{_quoted(service)}']
        return [Change(**row) for row in self._rows("change", *parts) if service is None or row["service"] == service]

    def close(self) -> None:
        if self._fd >= 0:
            if self._noted != self.left_out:
                with suppress(JournalFull):  # how many is then told from the last row that did get through
                    self._write_note()
            os.close(self._fd)
            self._fd = -1


def _below(path: str, prefix: str) -> bool:
    prefix = cut(prefix.rstrip("/"), _PATH_LIMIT)
    return path == prefix or path.startswith((prefix + "/", prefix + "?")) or not prefix


def _unnamed() -> int:
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
