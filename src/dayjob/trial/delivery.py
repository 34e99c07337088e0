"""Delivers a task's answer as its examinee would: over the services' own wires, or as a file of its own.

One class for each kind of deliverable that `task/paraphrases.py` knows; `COURIERS` is the table of them.
"""

from __future__ import annotations

import base64
import os
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from dayjob.agent import Account
from dayjob.company.forge.world.patches import BadPatch, apply
from dayjob.company.world.model import WorldInfo
from dayjob.task.paraphrases import Act, Deliverable
from dayjob.trial.courier import Courier, NotDelivered, done
from dayjob.trial.drive_couriers import Document, Link, Names, OnDrive, Sheet

# Nothing here is asked over TLS; a context of one's own for each client would take longer than what it is used for.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
_SECONDS = 30.0


class Desk:
    """Where the examinee sits: who it is, at which ports of this machine its services answer, where its files are."""

    def __init__(self, world: WorldInfo, who: Account, ports: Mapping[str, int], files: Path) -> None:
        self.world = world
        self.who = who
        self.files = files
        self.made: dict[str, str] = {}
        """Addresses of what was made here, by the deliverable's id; a text names one as {id}."""
        self._ports = ports
        self._client = httpx.AsyncClient(verify=_NO_TLS, timeout=_SECONDS, trust_env=False)

    async def ask(self, service: str, method: str, path: str, **about: Any) -> httpx.Response:
        """One request, by the name that the service has in the company."""
        if service not in self._ports:
            raise NotDelivered(f"the task does not use {service}; name it in dependencies.yml")
        headers = {"Host": f"{self.world.host}:{self.world.ports[service]}", **about.pop("headers", {})}
        address = f"http://127.0.0.1:{self._ports[service]}{path}"
        return await self._client.request(method, address, headers=headers, **about)

    async def deliver(self, what: Deliverable, acts: Iterable[Act]) -> None:
        """Do what is to be done with one deliverable, one after the other."""
        courier: Courier = COURIERS[what.kind](self, what)
        for act in acts:
            text = act.text
            for id, address in self.made.items():
                text = text.replace(f"{{{id}}}", address)
            await courier.do(replace(act, text=text))

    async def leave(self) -> None:
        await self._client.aclose()


class Message(Courier):
    """In a channel or in direct messages."""

    def __init__(self, desk: Desk, what: Deliverable) -> None:
        super().__init__(desk, what)
        self._signed_in: dict[str, str] = {}
        self._first: dict[str, Any] | None = None
        self._latest: dict[str, Any] | None = None

    async def _call(self, call: str, **said: Any) -> httpx.Response:
        if not self._signed_in:
            given = {"user": self.desk.who.username, "password": self.desk.who.password}
            answer = done(await self.desk.ask("chat", "POST", "/api/v1/login", json=given), self.what.id)["data"]
            self._signed_in = {"X-Auth-Token": answer["authToken"], "X-User-Id": answer["userId"]}
        return await self.desk.ask("chat", "POST", f"/api/v1/{call}", json=said, headers=self._signed_in)

    async def do(self, act: Act) -> None:
        text = act.text.strip("\n")
        if act.do == "new":
            await self._send(text, **await self._place())
        elif self._latest is None or self._first is None:
            raise NotDelivered(f"{self.what.id}: there is no message yet to {act.do}")
        elif act.do == "reply":
            await self._send(text, roomId=self._first["rid"], tmid=self._first["_id"])
        elif act.do == "edit":
            said = {"roomId": self._latest["rid"], "msgId": self._latest["_id"], "text": text}
            done(await self._call("chat.update", **said), self.what.id)
        else:
            said = {"roomId": self._latest["rid"], "msgId": self._latest["_id"]}
            done(await self._call("chat.delete", **said), self.what.id)

    async def _place(self) -> dict[str, str]:
        names = [name.removeprefix("@") for name in self.what.place.split()]
        if len(names) == 1:
            return {"channel": self.what.place}
        room = done(await self._call("im.create", usernames=", ".join(names)), self.what.id)["room"]
        return {"roomId": room["_id"]}

    async def _send(self, text: str, **where: str) -> None:
        answer = await self._call("chat.postMessage", text=text, **where)
        if not answer.is_success and self.what.place.startswith("#"):
            await self._call("channels.join", roomName=self.what.place[1:])  # what it refuses, posting refuses again
            answer = await self._call("chat.postMessage", text=text, **where)
        self._latest = done(answer, self.what.id)["message"]
        self._first = self._first or self._latest


class _Forge(Courier):
    _token = ""

    async def _call(self, method: str, path: str, **said: Any) -> httpx.Response:
        if not self._token:
            who = self.desk.who
            asked = {"grant_type": "password", "username": who.username, "password": who.password}
            answer = await self.desk.ask("forge", "POST", "/oauth/token", json=asked)
            self._token = done(answer, self.what.id)["access_token"]
        headers = {"Authorization": f"Bearer {self._token}"}
        return await self.desk.ask("forge", method, f"/api/v4/projects/{path}", json=said, headers=headers)


class Issue(_Forge):
    """A new issue: the first line is its title, the rest its description."""

    _number = 0

    async def bring(self, act: Act) -> None:
        title, description = _titled(act.text)
        said = {"title": title, "description": description, **self.what.more}
        project = quote(self.what.place, safe="")
        if act.do == "edit" and self._number:
            done(await self._call("PUT", f"{project}/issues/{self._number}", **said), self.what.id)
        else:
            answer = done(await self._call("POST", f"{project}/issues", **said), self.what.id)
            self._number = answer["iid"]


class Comment(_Forge):
    """Below an issue (`#`) or a merge request (`!`)."""

    _note = 0

    async def bring(self, act: Act) -> None:
        sign = "#" if "#" in self.what.place else "!"
        project, _, number = self.what.place.rpartition(sign)
        kind = "issues" if sign == "#" else "merge_requests"
        notes = f"{quote(project, safe='')}/{kind}/{number}/notes"
        if act.do == "edit" and self._note:
            done(await self._call("PUT", f"{notes}/{self._note}", body=act.text), self.what.id)
        else:
            self._note = done(await self._call("POST", notes, body=act.text), self.what.id)["id"]


class MergeRequest(_Forge):
    """From a branch into `main`: the first line is its title, the rest its description."""

    _number = 0

    async def bring(self, act: Act) -> None:
        title, description = _titled(act.text)
        project = quote(self.what.place, safe="")
        said: dict[str, Any] = {"title": title, "description": description}
        if act.do == "edit" and self._number:
            done(await self._call("PUT", f"{project}/merge_requests/{self._number}", **said), self.what.id)
            return
        said |= {"source_branch": self.what.more.get("branch", ""), "target_branch": "main"}
        if reviewer := self.what.more.get("reviewer"):
            said["reviewer_ids"] = [await self._person(project, reviewer)]
        answer = done(await self._call("POST", f"{project}/merge_requests", **said), self.what.id)
        self._number = answer["iid"]

    async def _person(self, project: str, username: str) -> int:
        found = done(await self._call("GET", f"{project}/users?search={username}"), self.what.id)
        if not found:
            raise NotDelivered(f"{self.what.id}: there is no '{username}' in {self.what.place}")
        return int(found[0]["id"])


class Code(_Forge):
    """A file of a branch, which begins at `main` if it is not there yet: a commit with its whole text, or with the
    hunks of a patch (`@@`), as in the histories of a world."""

    async def bring(self, act: Act) -> None:
        project, _, rest = self.what.place.partition("@")
        branch, _, path = rest.partition(":")
        project = quote(project, safe="")
        there = (await self._call("GET", f"{project}/repository/branches/{quote(branch, safe='')}")).is_success
        ref = branch if there else "main"
        known = await self._call("GET", f"{project}/repository/files/{quote(path, safe='')}?ref={quote(ref)}")
        text = act.text if not act.text.startswith("@@\n") else self._patched(path, known, act.text)
        action = {"action": "update" if known.is_success else "create", "file_path": path, "content": text}
        said = {"branch": branch, "commit_message": f"Change {path}", "actions": [action]}
        begin = {} if there else {"start_branch": "main"}
        done(await self._call("POST", f"{project}/repository/commits", **said, **begin), self.what.id)

    def _patched(self, path: str, known: httpx.Response, patch: str) -> str:
        text = base64.b64decode(done(known, self.what.id)["content"]).decode()
        try:
            return apply(text, patch, path)
        except BadPatch as error:
            raise NotDelivered(f"{self.what.id}: {error}") from error


class Wiki(_Forge):
    """A page of a project's wiki, written or rewritten."""

    async def bring(self, act: Act) -> None:
        project, _, page = self.what.place.partition(":")
        place = f"{quote(project, safe='')}/wikis"
        answer = await self._call("PUT", f"{place}/{quote(page, safe='')}", content=act.text)
        if answer.status_code == 404:
            answer = await self._call("POST", place, title=page, content=act.text)
        done(answer, self.what.id)


class _Board(Courier):
    async def _call(self, method: str, path: str, said: Mapping[str, Any] | None = None) -> Any:
        me = next((one for one in self.desk.world.people if one.username == self.desk.who.username), None)
        key = (me.more.get("board") or {}).get("api_key") if me is not None else None
        if not key:
            raise NotDelivered(f"{self.desk.who.username} has no API key on the board; write board: {{api_key: …}}")
        workspace = self.desk.world.accounts["board"]["workspace"]
        path = f"/api/v1/workspaces/{workspace}/{path}"
        answer = await self.desk.ask("board", method, path, json=said, headers={"x-api-key": str(key)})
        return done(answer, self.what.id)

    async def _named(self, path: str, name: str) -> str:
        """The id of what has this name, identifier, e-mail address or user name in a list."""
        found = await self._call("GET", path)
        for one in found["results"] if isinstance(found, dict) else found:
            known = {str(one.get(key)) for key in ("name", "identifier", "email", "display_name")}
            if name in known or str(one.get("email", "")).partition("@")[0] == name:
                return str(one["id"])
        raise NotDelivered(f"{self.what.id}: there is no '{name}' in {path}")


class Card(_Board):
    """A new item: the first line is its name, the rest its description."""

    _id = ""

    async def bring(self, act: Act) -> None:
        name, description = _titled(act.text)
        project = await self._named("projects/", self.what.place)
        said: dict[str, Any] = {"name": name, **({"description_html": _html(description)} if description else {})}
        if state := self.what.more.get("state"):
            said["state"] = await self._named(f"projects/{project}/states/", state)
        if assignee := self.what.more.get("assignee"):
            said["assignees"] = [await self._named("members/", assignee)]
        if due := self.what.more.get("due"):
            said["target_date"] = due
        if act.do == "edit" and self._id:
            await self._call("PATCH", f"projects/{project}/issues/{self._id}/", said)
        else:
            self._id = (await self._call("POST", f"projects/{project}/issues/", said))["id"]


class CardComment(_Board):
    """Below an item of the board."""

    _id = ""

    async def bring(self, act: Act) -> None:
        item = await self._call("GET", f"issues/{self.what.place}/")
        comments = f"projects/{item['project']}/issues/{item['id']}/comments/"
        said = {"comment_html": _html(act.text)}
        if act.do == "edit" and self._id:
            await self._call("PATCH", f"{comments}{self._id}/", said)
        else:
            self._id = (await self._call("POST", comments, said))["id"]


class Items(_Board):
    """Items that are there already, a change a line: `WEB-12 state: Done`, and module or due likewise."""

    async def bring(self, act: Act) -> None:
        project = await self._named("projects/", self.what.place)
        for line in act.text.strip().splitlines():
            said, _, value = line.strip().partition(": ")
            number, field = said.split(" ")
            item = (await self._call("GET", f"issues/{number}/"))["id"]
            if field == "module":
                module = await self._named(f"projects/{project}/modules/", value)
                added = f"projects/{project}/modules/{module}/module-issues/"
                await self._call("POST", added, {"issues": [item]})
            elif field == "state":
                state = await self._named(f"projects/{project}/states/", value)
                await self._call("PATCH", f"projects/{project}/issues/{item}/", {"state": state})
            else:
                await self._call("PATCH", f"projects/{project}/issues/{item}/", {"target_date": value})


class InWorkspace(Courier):
    """A file among the examinee's own."""

    async def bring(self, act: Act) -> None:
        path = self.desk.files / self.what.place.lstrip("/")
        missing = [folder for folder in reversed(path.parents) if not folder.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(act.text, "utf-8")
        owner = (self.desk.files / "workspace").stat()
        for one in (*missing, path):
            os.chown(one, owner.st_uid, owner.st_gid)


def _titled(text: str) -> tuple[str, str]:
    title, _, rest = text.strip().partition("\n")
    return title.strip().removeprefix("# "), rest.strip()


def _html(text: str) -> str:
    from markdown_it import MarkdownIt  # late: most tasks have no board

    return str(MarkdownIt().render(text))


COURIERS: Mapping[str, type[Courier]] = {
    "message": Message,
    "issue": Issue,
    "comment": Comment,
    "merge-request": MergeRequest,
    "code": Code,
    "wiki": Wiki,
    "card": Card,
    "card-comment": CardComment,
    "items": Items,
    "drive": OnDrive,
    "sheet": Sheet,
    "document": Document,
    "names": Names,
    "link": Link,
    "file": InWorkspace,
}
