"""What somebody would notice when they next look at their phone: unread messages, to-dos, cards, shares.

It is read as that person and leaves no trace: nothing becomes read by it, and the journal counts it for nobody.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from dayjob.company.acting import Doer
from dayjob.company.clock import moment, stamp
from dayjob.company.moments import shown

if TYPE_CHECKING:
    from dayjob.company.company import Company

MOST_OF_A_ROOM = 10
"""Of more unread messages in one room, the newest are shown."""
LONGEST = 400


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that is new."""

    kind: str
    """`message`, `mention`, `todo`, `card` or `share`."""
    at: str
    sender: str
    where: str
    text: str

    def as_dict(self) -> dict[str, str]:
        found = asdict(self)
        found["from"] = found.pop("sender")
        return found


async def notices_for(company: Company, username: str, since: datetime) -> list[Notice]:
    """Everything unread in chat, and what else is new since a moment; oldest first."""
    found: list[Notice] = []
    doer = Doer(company, username, "company")
    readers = {"chat": _messages, "forge": _todos, "board": _cards, "drive": _shares}
    for service in company.awake:
        found += await readers[service](doer, since)
    return sorted(found, key=lambda one: one.at)


async def _messages(doer: Doer, since: datetime) -> list[Notice]:
    listed = await doer.read("chat", "/api/v1/subscriptions.get") or {}
    found = []
    for one in listed.get("update", []):
        if not (one.get("unread") or one.get("alert")):
            continue
        kind = {"c": "channels", "p": "groups", "d": "im"}.get(one["t"])
        asked = {"roomId": one["rid"], "oldest": one.get("ls") or "", "inclusive": "true", "count": MOST_OF_A_ROOM}
        history = await doer.read("chat", f"/api/v1/{kind}.history", **asked) or {}
        where = "direct message" if one["t"] == "d" else f"#{one.get('fname') or one.get('name')}"
        for message in history.get("messages", []):
            if message["u"]["username"] == doer.username or message.get("t"):
                continue
            named = {str(each.get("username")) for each in message.get("mentions") or []}
            sort = "mention" if named & {doer.username, "all", "here"} else "message"
            sender = str(message["u"].get("name") or message["u"]["username"])
            found.append(Notice(sort, str(message["ts"]), sender, where, _short(message.get("msg"))))
    return found


async def _todos(doer: Doer, since: datetime) -> list[Notice]:
    found = []
    for one in await doer.read("forge", "/api/v4/todos", per_page=100) or []:
        if moment(one["created_at"]) >= since:
            target = one.get("target") or {}
            where = f"{(one.get('project') or {}).get('path_with_namespace', '')} {target.get('title', '')}".strip()
            words = f"{str(one['action_name']).replace('_', ' ')}: {one.get('body') or ''}"
            found.append(Notice("todo", _stamp(one["created_at"]), str(one["author"]["name"]), where, _short(words)))
    return found


async def _cards(doer: Doer, since: datetime) -> list[Notice]:
    from dayjob.company.board import Board
    from dayjob.company.board.store import accounts, activity
    from dayjob.company.board.store.base import stored_moment

    board = doer.company.service("board")
    assert isinstance(board, Board)
    user = accounts.user_by_name(board.db, doer.username)
    if user is None:
        return []
    news = activity.news_for(board.db, user.id, stored_moment(since))
    return [Notice("card", _stamp(at), who, f"{card} {name}", _short(what)) for at, who, card, name, what in news]


async def _shares(doer: Doer, since: datetime) -> list[Notice]:
    asked = {"shared_with_me": "true", "format": "json"}
    listed = await doer.read("drive", "/ocs/v1.php/apps/files_sharing/api/v1/shares", **asked) or {}
    found = []
    for one in (listed.get("ocs") or {}).get("data") or []:
        at = datetime.fromtimestamp(int(one.get("stime") or 0), UTC)
        if at >= since.replace(microsecond=0):
            who = str(one.get("displayname_owner") or one.get("uid_owner"))
            found.append(Notice("share", stamp(at), who, "drive", f"shared {one.get('file_target') or one['path']}"))
    return found


def _stamp(text: Any) -> str:
    return stamp(moment(str(text)))


def _short(text: Any) -> str:
    said = " ".join(str(text or "").split())
    return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"


_WORDS = {"message": "", "mention": " (mentions you)", "todo": " (to-do)", "card": " (card)", "share": ""}


def as_text(found: list[Notice], now: datetime) -> str:
    """The same for reading."""
    lines = [f"It is {shown(now)}."]
    lines += [f"- {shown(moment(one.at))} {one.sender}, {one.where}{_WORDS[one.kind]}: {one.text}" for one in found]
    return "\n".join(lines if found else [*lines, "Nothing new."]) + "\n"
