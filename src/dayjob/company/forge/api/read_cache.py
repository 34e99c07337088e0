"""Answers to reads, kept until anything in the forge's database changes.

Every change, a push included, is a change of a row; so an answer to the same question by the same caller on the same
day is still right as long as SQLite has counted no further change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.types import Scope

from dayjob.company.forge.api.call import Json

if TYPE_CHECKING:
    from dayjob.company.forge.store.base import Store

ENTRIES = 512
LONGEST = 256 * 1024
_ASKED_BY = frozenset({b"host", b"private-token", b"authorization", b"cookie", b"sudo", b"job-token"})
Key = tuple[Any, ...]


class ReadCache:
    """One company's kept answers, each with the account it was for."""

    def __init__(self) -> None:
        self._version = -1
        self._answers: dict[Key, tuple[str | None, Response]] = {}

    def key(self, store: Store, scope: Scope) -> Key:
        """Everything an answer may depend on: the question, who asks, the day; and a fresh start after a change."""
        version = store.db.total_changes
        if version != self._version:
            self._answers.clear()
            self._version = version
        asked_by = tuple(value for name, value in scope["headers"] if name in _ASKED_BY)
        return (scope["method"], scope["raw_path"], scope["query_string"], asked_by, store.now()[:10])

    def find(self, key: Key) -> tuple[str | None, Response] | None:
        return self._answers.get(key)

    def keep(self, store: Store, key: Key, account: str | None, answer: Response) -> None:
        """Keep a good answer, unless finding it has changed something."""
        if store.db.total_changes != self._version or type(answer) is not Json or answer.status_code != 200:
            return
        if len(answer.body) <= LONGEST:
            if len(self._answers) >= ENTRIES:
                self._answers.clear()
            self._answers[key] = (account, answer)

    def forget(self) -> None:
        self._version = -1
        self._answers.clear()
