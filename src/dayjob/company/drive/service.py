"""The drive of one company: its parts over one database, and the facts every part needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dayjob.company.changes import Difference
from dayjob.company.drive import words
from dayjob.company.drive.api import wire as owncloud
from dayjob.company.drive.names import encode_path
from dayjob.company.drive.store.accounts import Accounts
from dayjob.company.drive.store.locks import Locks
from dayjob.company.drive.store.properties import Properties
from dayjob.company.drive.store.settings import Settings
from dayjob.company.drive.store.shares import Shares
from dayjob.company.drive.store.trash import Trash
from dayjob.company.drive.store.tree import Tree
from dayjob.company.drive.store.uploads import Uploads
from dayjob.company.service import Service

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dayjob.company.company import Company
    from dayjob.company.database import Database


_MEMO_LIMIT = 2000

# The address the current request was made to, for links in its answer.
_base_url: ContextVar[str] = ContextVar("drive_base_url", default="")


class Drive(Service):
    """Files, folders and shares, on ownCloud's wire."""

    name = "drive"

    def __init__(self, company: Company) -> None:
        super().__init__(company)
        self.accounts = Accounts(self)
        self.tree = Tree(self)
        self.shares = Shares(self)
        self.locks = Locks(self)
        self.properties = Properties(self)
        self.trash = Trash(self)
        self.uploads = Uploads(self)
        self.settings = Settings(self)
        self._memo: dict[Any, Any] = {}
        self._memo_mark: tuple[int, int] = (0, 0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await owncloud.answer(self, scope, receive, send)

    def failure(self, status: int, message: str) -> Response:
        return owncloud.failure(status, message)

    def describe(self, difference: Difference) -> str:
        return words.describe(difference, self.company_account)

    def set_secrets(self, account: Mapping[str, Any]) -> None:
        user = self.accounts.get(account["username"])
        if user is not None:
            self.accounts.change(user, password=account["password"])

    def on_reset(self) -> None:
        self.settings.forget()
        self._memo.clear()
        self._memo_mark = (0, 0)

    @contextmanager
    def transaction(self) -> Iterator[Database]:
        try:
            with super().transaction() as db:
                yield db
        except BaseException:
            # What was found in between belongs to a state that never came to be.
            self._memo_mark = (0, 0)
            raise

    def memo(self) -> dict[Any, Any]:
        """What was found since the last write to the database: every hot read asks the same few questions again."""
        db = self.db
        mark = (id(db), db.total_changes)
        if mark != self._memo_mark or len(self._memo) > _MEMO_LIMIT:
            self._memo = {}
            self._memo_mark = mark
        return self._memo

    # -- facts ---------------------------------------------------------------------------------------------------

    @property
    def instance(self) -> str:
        """The instance's name, part of every `oc:id` and the name of its session cookie."""
        return self.settings["instance"]

    @property
    def default_quota(self) -> int:
        return int(self.settings["quota"])

    @property
    def company_account(self) -> str:
        """The account that owns the files everybody shares."""
        return self.settings["account"]

    def today(self) -> str:
        return self.company.clock.now().date().isoformat()

    def principal(self, username: str) -> str:
        return f"/remote.php/dav/principals/users{encode_path('/' + username)}/"

    def base_url(self) -> str:
        """`http://host:port` as the client of the current request wrote it."""
        return _base_url.get() or self.company.world.url("drive")

    @staticmethod
    def note_base_url(url: str) -> None:
        _base_url.set(url)
