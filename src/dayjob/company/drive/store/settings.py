"""What a drive is set up with: the name of its instance, the quota of an account, whose the shared files are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive


class Settings:
    """Read once: nothing changes them while a drive runs."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self._read: dict[str, str] | None = None

    def __getitem__(self, key: str) -> str:
        if self._read is None:
            self._read = dict(self.drive.db.execute("SELECT key, value FROM settings").fetchall())
        return self._read[key]

    def forget(self) -> None:
        """After a reset."""
        self._read = None
