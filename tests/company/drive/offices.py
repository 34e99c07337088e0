"""A drive asked without sockets: people with a few files each, made in a line."""

from __future__ import annotations

from dayjob.company.drive.errors import DriveError
from dayjob.company.drive.rows import GROUP_SHARE, USER_SHARE, Share
from dayjob.company.drive.service import Drive
from dayjob.company.drive.store import sharing
from dayjob.company.drive.store.view import View
from tests.company.bare import Bare


class Office:
    """A drive with the given accounts, each with a group of their own name and an `s` (`ann` is in `anns`)."""

    def __init__(self, *people: str, quota: int = 10**6) -> None:
        self.company = Bare("drive")
        drive = self.company.service("drive")
        assert isinstance(drive, Drive)
        self.drive = drive
        for key, value in {"instance": "bare", "quota": str(quota), "account": "company"}.items():
            drive.db.execute("INSERT INTO settings VALUES (?,?)", (key, value))
        for name in people:
            drive.accounts.add(name, "secret")
            drive.accounts.add_group(f"{name}s")
            drive.accounts.join(name, f"{name}s")

    def view(self, name: str) -> View:
        return View(self.drive, name)

    def fill(self, name: str, *paths: str) -> None:
        """Make folders (their paths end with a slash) and files that hold their own path."""
        view = self.view(name)
        for path in paths:
            if path.endswith("/"):
                view.make_folder(path[:-1])
            else:
                view.write(path, self.company.blobs.put(path.encode()), None, "")

    def share(self, name: str, path: str, whom: str, permissions: int | None = None, until: str | None = None) -> Share:
        kind = GROUP_SHARE if self.drive.accounts.has_group(whom) else USER_SHARE
        place = self.view(name).locate(path)
        return sharing.share_with(self.drive, name, place, kind, whom, permissions, until)

    def listed(self, name: str) -> set[str]:
        """Every path in somebody's drive."""
        view = self.view(name)
        return {one.seen for one in view.walk(view.locate("/"))}

    def may(self, what: object, *args: object) -> bool:
        """Whether the drive does it; what it does is undone."""
        assert callable(what)
        try:
            with self.drive.transaction():
                what(*args)
                raise _UndoneError
        except _UndoneError:
            return True
        except DriveError:
            return False


class _UndoneError(Exception):
    pass
