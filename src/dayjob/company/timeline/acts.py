"""Carrying out one line of a timeline: the requests a person's own client would make, in process and as that person."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote

from dayjob.company.acting import Answer, Doer

_SHARES = "/ocs/v1.php/apps/files_sharing/api/v1/shares"
_READ, _EDIT = 1, 15
_OLDER = 200
"""How far back a message to be edited is looked for."""


class NotDone(Exception):
    """The company did not let the person do it, or what it is about is no longer there."""


async def carry_out(doer: Doer, act: str, facts: Mapping[str, Any]) -> None:
    """Do it. Raises `NotDone` with the reason when it cannot be done."""
    await _ACTS[act](doer, facts)


def _must(answer: Answer) -> Answer:
    if not answer.ok:
        raise NotDone(answer.sentence)
    return answer


# -- chat --------------------------------------------------------------------------------------------------------


async def _post(doer: Doer, facts: Mapping[str, Any]) -> None:
    body = {"channel": facts["in"], "text": facts["text"]}
    _must(await doer.do("chat", "POST", "/api/v1/chat.postMessage", body))


async def _edit(doer: Doer, facts: Mapping[str, Any]) -> None:
    place = facts["in"]
    if place.startswith("#"):
        found = await doer.read("chat", "/api/v1/channels.history", roomName=place[1:], count=_OLDER)
        found = found or await doer.read("chat", "/api/v1/groups.history", roomName=place[1:], count=_OLDER)
    else:
        rooms = await doer.read("chat", "/api/v1/im.list", count=_OLDER) or {}
        names = {doer.username, place[1:]}
        room = next((one["_id"] for one in rooms.get("ims", []) if set(one.get("usernames", [])) == names), "")
        found = await doer.read("chat", "/api/v1/im.history", roomId=room, count=_OLDER)
    for message in (found or {}).get("messages", []):
        if message["u"]["username"] == doer.username and facts["was"] in message.get("msg", ""):
            body = {"roomId": message["rid"], "msgId": message["_id"], "text": facts["text"]}
            _must(await doer.do("chat", "POST", "/api/v1/chat.update", body))
            return
    raise NotDone(f"{doer.username} has no message with '{facts['was']}' in {place}")


async def _status(doer: Doer, facts: Mapping[str, Any]) -> None:
    body = {"status": facts["status"], "message": ""}
    _must(await doer.do("chat", "POST", "/api/v1/users.setStatus", body))


async def _invite(doer: Doer, facts: Mapping[str, Any]) -> None:
    person = await doer.read("chat", "/api/v1/users.info", username=facts["with"])
    if person is None:
        raise NotDone(f"{doer.username} finds nobody called {facts['with']} in chat")
    for kind in ("channels", "groups"):
        room = await doer.read("chat", f"/api/v1/{kind}.info", roomName=facts["in"][1:])
        if room is not None:
            body = {"roomId": room[kind.removesuffix("s")]["_id"], "userId": person["user"]["_id"]}
            _must(await doer.do("chat", "POST", f"/api/v1/{kind}.invite", body))
            return
    raise NotDone(f"{doer.username} sees no channel {facts['in']}")


async def _channel(doer: Doer, facts: Mapping[str, Any]) -> None:
    kind = "groups" if facts.get("private") else "channels"
    body = {"name": facts["name"], "members": facts.get("members", [])}
    _must(await doer.do("chat", "POST", f"/api/v1/{kind}.create", body))


# -- the forge ---------------------------------------------------------------------------------------------------


def _project(facts: Mapping[str, Any]) -> str:
    return f"/api/v4/projects/{quote(facts['project'], safe='')}"


async def _push(doer: Doer, facts: Mapping[str, Any]) -> None:
    project = _project(facts)
    about = await doer.read("forge", project)
    if about is None:
        raise NotDone(f"{doer.username} sees no project {facts['project']}")
    branch = facts.get("branch") or about["default_branch"]
    start = facts.get("from") or about["default_branch"]
    known = await doer.read("forge", f"{project}/repository/branches/{quote(branch, safe='')}") is not None
    actions = []
    for path, content in facts["files"].items():
        file = f"{project}/repository/files/{quote(path, safe='')}"
        there = await doer.read("forge", file, ref=branch if known else start) is not None
        kind = "delete" if content is None else "update" if there else "create"
        actions.append({"action": kind, "file_path": path, **({} if content is None else {"content": content})})
    body = {"branch": branch, "commit_message": facts["message"], "actions": actions}
    if not known:
        body["start_branch"] = start
    _must(await doer.do("forge", "POST", f"{project}/repository/commits", body))


async def _ids(doer: Doer, names: list[str]) -> list[int]:
    found = [await doer.read("forge", "/api/v4/users", username=name) for name in names]
    return [one[0]["id"] for one in found if one]


async def _open(doer: Doer, facts: Mapping[str, Any]) -> None:
    project = _project(facts)
    body: dict[str, Any] = {"description": facts.get("description", ""), "labels": ",".join(facts.get("labels", []))}
    if facts.get("assignees"):
        body["assignee_ids"] = await _ids(doer, facts["assignees"])
    if "issue" in facts:
        _must(await doer.do("forge", "POST", f"{project}/issues", {**body, "title": facts["issue"]}))
        return
    about = await doer.read("forge", project) or {}
    body |= {"source_branch": facts["source"], "target_branch": facts.get("target") or about.get("default_branch")}
    if facts.get("reviewers"):
        body["reviewer_ids"] = await _ids(doer, facts["reviewers"])
    _must(await doer.do("forge", "POST", f"{project}/merge_requests", {**body, "title": facts["merge_request"]}))


async def _item(doer: Doer, facts: Mapping[str, Any]) -> str:
    """The address of the issue or merge request that a number or a title means; of two with a title the newest."""
    kind = "issue" if "issue" in facts else "merge_request"
    which, place = facts[kind], f"{_project(facts)}/{kind}s"
    if isinstance(which, str):
        listed = await doer.read("forge", place, scope="all", search=which, **{"in": "title"}) or []
        which = next((one["iid"] for one in listed if one["title"] == which), None)
        if which is None:
            raise NotDone(f"{doer.username} sees no {kind.replace('_', ' ')} '{facts[kind]}' in {facts['project']}")
    return f"{place}/{which}"


async def _close(doer: Doer, facts: Mapping[str, Any]) -> None:
    _must(await doer.do("forge", "PUT", await _item(doer, facts), {"state_event": "close"}))


async def _reopen(doer: Doer, facts: Mapping[str, Any]) -> None:
    _must(await doer.do("forge", "PUT", await _item(doer, facts), {"state_event": "reopen"}))


async def _merge(doer: Doer, facts: Mapping[str, Any]) -> None:
    _must(await doer.do("forge", "PUT", f"{await _item(doer, facts)}/merge"))


async def _approve(doer: Doer, facts: Mapping[str, Any]) -> None:
    _must(await doer.do("forge", "POST", f"{await _item(doer, facts)}/approve"))


async def _review(doer: Doer, facts: Mapping[str, Any]) -> None:
    """A review that asks for changes is a thread, open until somebody resolves it."""
    _must(await doer.do("forge", "POST", f"{await _item(doer, facts)}/discussions", {"body": facts["text"]}))


async def _assign(doer: Doer, facts: Mapping[str, Any]) -> None:
    if "card" not in facts:
        ids = await _ids(doer, facts["assignees"])
        _must(await doer.do("forge", "PUT", await _item(doer, facts), {"assignee_ids": ids}))
        return
    place, project = await _card(doer, facts["card"])
    listed = await doer.read("board", f"{project}/members/") or []
    by_mail = {one["email"]: one["id"] for one in listed}
    mails = {person.username: person.email for person in doer.company.world.people}
    for name in facts["assignees"]:
        if mails.get(name) not in by_mail:
            raise NotDone(f"{name} is not in the project of {facts['card']}")
    body = {"assignees": [by_mail[mails[name]] for name in facts["assignees"]]}
    _must(await doer.do("board", "PATCH", f"{place}/", body))


async def _comment(doer: Doer, facts: Mapping[str, Any]) -> None:
    if "card" not in facts:
        _must(await doer.do("forge", "POST", f"{await _item(doer, facts)}/notes", {"body": facts["text"]}))
        return
    place, _ = await _card(doer, facts["card"])
    body = {"comment_html": "".join(f"<p>{_escaped(line)}</p>" for line in facts["text"].splitlines())}
    _must(await doer.do("board", "POST", f"{place}/comments/", body))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# -- the board ---------------------------------------------------------------------------------------------------


async def _card(doer: Doer, name: str) -> tuple[str, str]:
    """The address of a card and of its project."""
    workspace = f"/api/v1/workspaces/{doer.company.world.accounts.get('board', {}).get('workspace', '')}"
    found = await doer.read("board", f"{workspace}/work-items/{name}/")
    if found is None:
        raise NotDone(f"{doer.username} sees no card {name}")
    project = f"{workspace}/projects/{found['project']}"
    return f"{project}/work-items/{found['id']}", project


async def _move(doer: Doer, facts: Mapping[str, Any]) -> None:
    place, project = await _card(doer, facts["card"])
    listed = await doer.read("board", f"{project}/states/") or {}
    states = listed["results"] if isinstance(listed, dict) else listed
    state = next((one["id"] for one in states if one["name"] == facts["to"]), None)
    if state is None:
        raise NotDone(f"{doer.username} sees no state '{facts['to']}' in the project of {facts['card']}")
    _must(await doer.do("board", "PATCH", f"{place}/", {"state": state}))


# -- the drive ---------------------------------------------------------------------------------------------------


async def _upload(doer: Doer, facts: Mapping[str, Any]) -> None:
    blob = facts.get("blob")
    content = doer.company.blobs.path(blob).read_bytes() if blob else facts["content"].encode()
    place = f"/remote.php/dav/files/{quote(doer.username)}{quote(facts['path'])}"
    _must(await doer.do("drive", "PUT", place, raw=content))


async def _rename(doer: Doer, facts: Mapping[str, Any]) -> None:
    home = f"/remote.php/dav/files/{quote(doer.username)}"
    headers = {"destination": f"{home}{quote(facts['to'])}", "overwrite": "F"}
    _must(await doer.do("drive", "MOVE", f"{home}{quote(facts['path'])}", headers=headers))


async def _share(doer: Doer, facts: Mapping[str, Any]) -> None:
    """A new share, or another right in one that is there."""
    permissions = _EDIT if facts.get("may") == "edit" else _READ
    there = await _shared(doer, facts)
    if there is not None and there["permissions"] & _EDIT != permissions:
        body = {"permissions": permissions}
        _ocs(_must(await doer.do("drive", "PUT", f"{_SHARES}/{there['id']}?format=json", form=body)))
        return
    form = {"path": facts["path"], "shareType": 0, "shareWith": facts["with"], "permissions": permissions}
    answer = _must(await doer.do("drive", "POST", f"{_SHARES}?format=json", form=form))
    _ocs(answer)


async def _shared(doer: Doer, facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """The person's own share of this path with somebody."""
    found = await doer.read("drive", _SHARES, path=facts["path"], format="json") or {"ocs": {"data": []}}
    return next((one for one in found["ocs"]["data"] or [] if one.get("share_with") == facts["with"]), None)


def _ocs(answer: Answer) -> Any:
    """What an OCS answer holds; it says 200 over the wire even to what it refuses."""
    found = json.loads(answer.body)["ocs"]
    if found["meta"]["statuscode"] not in (100, 200):
        raise NotDone(f"{found['meta']['statuscode']} {found['meta'].get('message') or 'refused'}")
    return found["data"]


async def _unshare(doer: Doer, facts: Mapping[str, Any]) -> None:
    share = await _shared(doer, facts)
    if share is None:
        raise NotDone(f"{facts['path']} is not shared with {facts['with']}")
    _ocs(_must(await doer.do("drive", "DELETE", f"{_SHARES}/{share['id']}?format=json")))


_ACTS: dict[str, Callable[[Doer, Mapping[str, Any]], Awaitable[None]]] = {
    "post": _post, "edit": _edit, "status": _status, "push": _push, "open": _open, "close": _close, "reopen": _reopen,
    "merge": _merge, "approve": _approve, "review": _review, "assign": _assign, "comment": _comment, "move": _move,
    "upload": _upload, "rename": _rename, "share": _share, "unshare": _unshare, "invite": _invite, "channel": _channel,
}  # fmt: skip
