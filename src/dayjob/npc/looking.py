"""What a colleague finds when a plain question is about an issue, a merge request, a card or a file.

They look as themselves, through the services' own handlers, and tell what whoever asks can see too: nobody learns
through a colleague of what is confidential. Looking leaves no trace in the journal.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dayjob.company.acting import Doer

if TYPE_CHECKING:
    from dayjob.company.company import Company

_REQUEST = re.compile(
    r"(?:(?P<project>[\w./-]+/[\w.-]+))?!(?P<mark>\d{1,9})\b|\b(?:merge request|mr)s?\s*(?:no\.?|number|#"
    r"|!)?\s*(?P<number>\d{1,9})\b",
    re.IGNORECASE,
)
_ISSUE = re.compile(
    r"(?:(?P<project>[\w./-]+/[\w.-]+))?#(?P<mark>\d{1,9})\b|\bissue\s*(?:no\.?|number|#)?\s*(?P<number>\d{1,9})\b",
    re.IGNORECASE,
)
_CARD = re.compile(r"\b[A-Z][A-Z0-9]{1,9}-\d+\b")
_FILE = re.compile(
    r"(?:^|[\s`'\"(])(?P<path>(?:/[\w .-]+)*/?[\w-][\w.-]*\.(?:xlsx|csv|docx|pptx|pdf|md|txt|sqlite|png|jpe?g|ya?ml"
    r"|json|odt|ods))\b"
)
_PROJECT = re.compile(r"\b[a-z][\w-]*(?:/[\w.-]+)+\b")
_OWN_WORK = re.compile(
    r"\bwhat (?:are you|do you) (?:work(?:ing)? on|do(?:ing)?|busy with)|\byour (?:open )?(?:merge requests|issues"
    r"|cards|work items|tasks|to-?dos?)\b|\bon your plate\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"[!#]\d|\b(?:work(?:ing|s)?|busy|doing|plate|merge requests?|mrs?|issues?|reviews?|reviewing|tasks?|assigned"
    r"|state|status"
    r"|progress|how far)\b",
    re.IGNORECASE,
)
_MANY = 3
_THERE = 207


def about_work(text: str) -> bool:
    """Whether words may be about what somebody has open."""
    return _WORK.search(text) is not None


class Looking:
    """One colleague's eyes."""

    def __init__(self, company: Company, username: str) -> None:
        self._company = company
        self._doer = Doer(company, username, "npc")

    async def at(self, text: str, asker: str) -> str:
        """A sentence or two on what the question is about; empty when it is about nothing that can be looked up."""
        other = Doer(self._company, asker, "npc")
        if found := _REQUEST.search(text):
            return await self._item("merge_requests", "!", found, text, other)
        if found := _ISSUE.search(text):
            return await self._item("issues", "#", found, text, other)
        if card := _CARD.search(text):
            return await self._card(card[0], other)
        if path := _FILE.search(text):
            return await self._file(path["path"].strip(), other)
        if _OWN_WORK.search(text):
            return await self.own_work(asker)
        return ""

    # -- the forge -------------------------------------------------------------------------------------------

    async def _item(self, kind: str, sign: str, found: re.Match[str], text: str, other: Doer) -> str:
        number = int(found["mark"] or found["number"])
        project = found["project"] or next((one[0] for one in _PROJECT.finditer(text) if "." not in one[0]), "")
        if project:
            one = await self._doer.read("forge", f"/api/v4/projects/{quote(project, safe='')}/{kind}/{number}")
            every = [one] if one is not None else []
        else:
            listed = await self._doer.read("forge", f"/api/v4/{kind}", scope="all", state="all", per_page=100) or []
            every = [one for one in listed if one["iid"] == number]
            named = [one for one in every if one["references"]["full"].rpartition(sign)[0].rpartition("/")[2] in text]
            every = named or every
        if len(every) != 1 or not await self._sees(other, kind, every[0]):
            return ""
        return self._told(every[0], sign)

    @staticmethod
    async def _sees(other: Doer, kind: str, one: dict[str, Any]) -> bool:
        return await other.read("forge", f"/api/v4/projects/{one['project_id']}/{kind}/{one['iid']}") is not None

    @staticmethod
    def _told(one: dict[str, Any], sign: str) -> str:
        name = f"{sign}{one['iid']} ({one['title']})"
        state = {"opened": "open", "merged": "merged", "closed": "closed"}.get(one["state"], one["state"])
        people = " and ".join(who["name"] for who in one.get("assignees") or ())
        told = f"{name} is {state} on the forge"
        if people and state == "open":
            told += f", assigned to {people}"
        if reviewers := " and ".join(who["name"] for who in one.get("reviewers") or ()):
            told += f", with {reviewers} as reviewer" + ("s" if " and " in reviewers else "")
        return told + "."

    # -- the board -------------------------------------------------------------------------------------------

    async def _card(self, name: str, other: Doer) -> str:
        workspace = f"/api/v1/workspaces/{self._company.world.accounts.get('board', {}).get('workspace', '')}"
        card = await self._doer.read("board", f"{workspace}/work-items/{name}/")
        if card is None or await other.read("board", f"{workspace}/work-items/{name}/") is None:
            return ""
        listed = await self._doer.read("board", f"{workspace}/projects/{card['project']}/states/") or {}
        states = listed["results"] if isinstance(listed, dict) else listed
        state = next((one["name"] for one in states if one["id"] == card["state"]), "")
        return f"On the board {name} ({card['name']}) is in {state}." if state else ""

    # -- the drive -------------------------------------------------------------------------------------------

    async def _file(self, path: str, other: Doer) -> str:
        """Whether a file is there, for both."""
        if not path.startswith("/"):
            return ""
        for one in (self._doer, other):
            place = f"/remote.php/dav/files/{quote(one.username)}{quote(path)}"
            if (await one.look("drive", "PROPFIND", place, headers={"depth": "0"})).status != _THERE:
                return ""
        return f"{path} is there on the drive."

    # -- their own work --------------------------------------------------------------------------------------

    async def own_work(self, asker: str) -> str:
        """A line on what is open and theirs, and no secret to whoever asks; empty when nothing is."""
        other = Doer(self._company, asker, "npc")
        asked = {"scope": "assigned_to_me", "state": "opened", "per_page": _MANY}
        requests = await self._doer.read("forge", "/api/v4/merge_requests", **asked) or []
        issues = await self._doer.read("forge", "/api/v4/issues", **asked) or []
        every = [("merge_requests", "!", one) for one in requests] + [("issues", "#", one) for one in issues]
        names = [
            f"{sign}{one['iid']} ({one['title']})" for kind, sign, one in every if await self._sees(other, kind, one)
        ]
        return f"On the forge I have {', '.join(names[:_MANY])}." if names else ""
