"""The forge as tools: projects, issues, merge requests, files; cloning and pushing is git's own work."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from dayjob.agent.tools.tool import Parameter, Tool
from dayjob.agent.tools.web import Web, text_of

_API = "/api/v4"
_PROJECT = Parameter("string", "a project's path, as group/name")
_STATE = Parameter("string", "opened, closed or all", needed=False)


class Forge:
    """The forge as one account sees it."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def tools(self) -> list[Tool]:
        search = Parameter("string", "words to look for", needed=False)
        number = Parameter("integer", "its number in the project")
        path = Parameter("string", "a file's path in the repository")
        branch = Parameter("string", "a branch")
        title = Parameter("string", "its title")
        about = Parameter("string", "its description, in Markdown", needed=False)
        found = {"project": _PROJECT, "state": _STATE, "search": search}
        comment = {"project": _PROJECT, "number": number, "text": Parameter("string", "the comment")}
        edit = {
            "project": _PROJECT,
            "number": number,
            "changes": Parameter("object", "fields of the issues API, as title, labels, assignee_ids, state_event"),
        }
        ref = Parameter("string", "a branch, tag or commit (the default branch)", needed=False)
        write = {
            "project": _PROJECT,
            "path": path,
            "branch": branch,
            "content": Parameter("string", "all of its text"),
            "message": Parameter("string", "the commit's message"),
        }
        propose = {"project": _PROJECT, "source": branch, "target": branch, "title": title, "description": about}
        create = {"project": _PROJECT, "title": title, "description": about}
        return [
            Tool("forge_projects", "The projects you can see.", self.projects, {"search": search}),
            Tool("forge_issues", "A project's issues.", self.issues, found),
            Tool("forge_issue", "An issue with its comments.", self.issue, {"project": _PROJECT, "number": number}),
            Tool("forge_create_issue", "Open an issue.", self.create_issue, create, reads=False),
            Tool("forge_edit_issue", "Change, close or reopen an issue.", self.edit_issue, edit, reads=False),
            Tool("forge_comment", "Comment on an issue.", self.comment, comment, reads=False),
            Tool("forge_merge_requests", "A project's merge requests.", self.merge_requests, found),
            Tool("forge_open_merge_request", "Open a merge request.", self.propose, propose, reads=False),
            Tool("forge_read_file", "A text file.", self.read, {"project": _PROJECT, "path": path, "ref": ref}),
            Tool("forge_write_file", "Commit one text file to a branch.", self.write, write, reads=False),
        ]

    def _of(self, project: str) -> str:
        return f"{_API}/projects/{quote(project, safe='')}"

    async def projects(self, search: str = "") -> str:
        rows = await self._web.json("GET", f"{_API}/projects", params={"per_page": 100, "search": search})
        return _rows(rows, ("path_with_namespace", "description", "default_branch"))

    async def issues(self, project: str, state: str = "opened", search: str = "") -> str:
        params = {"per_page": 100, "state": state, "search": search}
        rows = await self._web.json("GET", f"{self._of(project)}/issues", params=params)
        return _rows(rows, ("iid", "title", "state", "labels"))

    async def issue(self, project: str, number: int) -> str:
        one = await self._web.json("GET", f"{self._of(project)}/issues/{number}")
        notes = await self._web.json("GET", f"{self._of(project)}/issues/{number}/notes", params={"sort": "asc"})
        keys = ("iid", "title", "state", "labels", "description", "due_date")
        found = {key: one.get(key) for key in keys}
        found["assignees"] = [who["username"] for who in one.get("assignees") or []]
        found["comments"] = [{"from": note["author"]["username"], "text": note["body"]} for note in notes]
        return json.dumps(found, ensure_ascii=False, indent=1)

    async def create_issue(self, project: str, title: str, description: str = "") -> str:
        body = {"title": title, "description": description}
        made = await self._web.json("POST", f"{self._of(project)}/issues", json=body)
        return f"Opened issue {made['iid']}."

    async def edit_issue(self, project: str, number: int, changes: dict[str, Any]) -> str:
        made = await self._web.json("PUT", f"{self._of(project)}/issues/{number}", json=changes)
        return f"Issue {number} is changed; it is {made['state']}."

    async def comment(self, project: str, number: int, text: str) -> str:
        await self._web.json("POST", f"{self._of(project)}/issues/{number}/notes", json={"body": text})
        return f"Commented on issue {number}."

    async def merge_requests(self, project: str, state: str = "opened", search: str = "") -> str:
        params = {"per_page": 100, "state": state, "search": search}
        rows = await self._web.json("GET", f"{self._of(project)}/merge_requests", params=params)
        return _rows(rows, ("iid", "title", "state", "source_branch", "target_branch"))

    async def propose(self, project: str, source: str, target: str, title: str, description: str = "") -> str:
        body = {"source_branch": source, "target_branch": target, "title": title, "description": description}
        made = await self._web.json("POST", f"{self._of(project)}/merge_requests", json=body)
        return f"Opened merge request {made['iid']}."

    async def read(self, project: str, path: str, ref: str = "HEAD") -> str:
        place = f"{self._of(project)}/repository/files/{quote(path, safe='')}/raw"
        return text_of(await self._web.ask("GET", place, params={"ref": ref}))

    async def write(self, project: str, path: str, branch: str, content: str, message: str) -> str:
        place = f"{self._of(project)}/repository/files/{quote(path, safe='')}"
        tree = f"{self._of(project)}/repository/tree"
        folder = path.rpartition("/")[0]
        there = await self._web.json("GET", tree, params={"path": folder, "ref": branch, "per_page": 100})
        method = "PUT" if any(one["path"] == path for one in there) else "POST"
        await self._web.json(method, place, json={"branch": branch, "content": content, "commit_message": message})
        return f"Committed {path} to {branch}."


def _rows(rows: Iterable[Mapping[str, Any]], keys: tuple[str, ...]) -> str:
    lines = [json.dumps({key: row.get(key) for key in keys}, ensure_ascii=False) for row in rows]
    return "\n".join(lines) or "There are none."
