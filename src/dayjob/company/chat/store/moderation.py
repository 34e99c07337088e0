"""Reports: of a message or of a person, and what moderators do with them."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Message, Report, User
from dayjob.company.chat.store.base import Page, Part


class Moderation(Part):
    """Open reports; dismissing one hides it."""

    def report_message(self, message: Message, by: User, description: str, copy: str) -> None:
        """`copy` is the message as it stands now, so that a report outlives it."""
        if not description.strip():
            raise ChatError("Invalid description", "error-invalid-description")
        with self.store.change():
            self.store.insert(
                "reports", id=self.store.ids.short(), kind="message", message=copy, message_id=message.id,
                room_id=message.room_id, user_id=message.user_id, description=description, reported_by=by.id,
                at=self.store.now(),
            )  # fmt: skip

    def report_user(self, user: User, by: User, description: str) -> None:
        if not description.strip():
            raise ChatError("Invalid description", "error-invalid-description")
        with self.store.change():
            self.store.insert(
                "reports", id=self.store.ids.short(), kind="user", user_id=user.id, description=description,
                reported_by=by.id, at=self.store.now(),
            )  # fmt: skip

    def reports(self, kind: str, page: Page, **where: Any) -> tuple[list[Report], int]:
        """Open reports of a kind; `where` names columns."""
        clause = "kind = ? AND NOT hidden" + "".join(f" AND {name} = ?" for name in where)
        arguments = (kind, *where.values())
        return self.store.page(Report, f"reports WHERE {clause}", page, "at DESC, id", *arguments)

    def report(self, id: str) -> Report:
        found = self.store.one(Report, "reports WHERE id = ?", id)
        if found is None:
            raise ChatError("Report not found")
        return found

    def by_user(self, kind: str, page: Page) -> tuple[list[tuple[str, int, str, str | None]], int]:
        """(user id, how many, when last, last message) per reported person."""
        total = self.store.value("SELECT count(DISTINCT user_id) FROM reports WHERE kind = ? AND NOT hidden", kind)
        # Beside a single max(), SQLite gives the other columns of the row that has it.
        rows = self.store.rows(
            "SELECT user_id, count(*), max(at), message FROM reports WHERE kind = ? AND NOT hidden "
            "GROUP BY user_id ORDER BY max(at) DESC LIMIT ? OFFSET ?",
            kind, page.limit, page.offset,
        )  # fmt: skip
        return [(str(user), int(count), str(at), message) for user, count, at, message in rows], total

    def dismiss(self, kind: str, **where: Any) -> None:
        clause = "kind = ? AND NOT hidden" + "".join(f" AND {name} = ?" for name in where)
        with self.store.change():
            self.store.run(f"UPDATE reports SET hidden = 1 WHERE {clause}", kind, *where.values())

    def delete_reported(self, user_id: str) -> None:
        """Remove every reported message of a person, and the reports."""
        with self.store.change():
            for report in self.reports("message", Page(count=0), user_id=user_id)[0]:
                message = self.store.messages.get(report.message_id or "")
                if message is not None:
                    self.store.messages.erase(message)
            self.dismiss("message", user_id=user_id)
