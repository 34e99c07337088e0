"""The board as tools: projects, their work items, states and cycles."""

from __future__ import annotations

import json
from typing import Any

from dayjob.agent.tools.tool import Parameter, Tool, ToolError
from dayjob.agent.tools.web import Web

_PROJECT = Parameter("string", "a project's name or identifier")
_ITEM = Parameter("string", "a work item's number, as ABC-7, its name or its id")


class Board:
    """One workspace, as one account sees it."""

    def __init__(self, web: Web, workspace: str) -> None:
        self._web = web
        self._root = f"/api/v1/workspaces/{workspace}"

    def tools(self) -> list[Tool]:
        changes = Parameter("object", "fields of the API, as name, description_html, state, priority, assignees")
        name = Parameter("string", "its name")
        details = Parameter("object", "more fields of the API, as description_html, state, priority", needed=False)
        item = {"project": _PROJECT, "item": _ITEM}
        return [
            Tool("board_projects", "The workspace's projects.", self.projects),
            Tool("board_items", "A project's work items, with their states.", self.items, {"project": _PROJECT}),
            Tool("board_item", "Everything about one work item.", self.item, item),
            Tool("board_states", "A project's states, with their ids.", self.states, {"project": _PROJECT}),
            Tool("board_cycles", "A project's cycles.", self.cycles, {"project": _PROJECT}),
            Tool(
                "board_create_item",
                "Make a work item.",
                self.create,
                {"project": _PROJECT, "name": name, "details": details},
                reads=False,
            ),
            Tool("board_edit_item", "Change a work item.", self.edit, {**item, "changes": changes}, reads=False),
        ]

    async def _list(self, path: str) -> list[dict[str, Any]]:
        """Every page of a list."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            params = {"per_page": 100} | ({"cursor": cursor} if cursor else {})
            page = await self._web.json("GET", path, params=params)
            if isinstance(page, list):
                return page
            found += page["results"]
            if not page.get("next_page_results"):
                return found
            cursor = page["next_cursor"]

    async def _project(self, project: str) -> str:
        return (await self._place(project))[0]

    async def _place(self, project: str) -> tuple[str, str]:
        """Where a project is, and what its items' numbers begin with."""
        for one in await self._list(f"{self._root}/projects/"):
            if project in (one["id"], one["name"], one.get("identifier")):
                return f"{self._root}/projects/{one['id']}", str(one.get("identifier"))
        raise ToolError(f"There is no project '{project}'; board_projects lists them.")

    async def _item(self, project: str, item: str) -> tuple[str, dict[str, Any]]:
        place, identifier = await self._place(project)
        known = await self._list(f"{place}/issues/")
        found = [one for one in known if item in (one["id"], one["name"], f"{identifier}-{one['sequence_id']}")]
        if len(found) != 1:
            raise ToolError(f"{len(found)} work items are called '{item}'; board_items lists them with their ids.")
        return f"{place}/issues/{found[0]['id']}/", found[0]

    async def projects(self) -> str:
        return _rows(await self._list(f"{self._root}/projects/"), "name", "identifier", "id")

    async def items(self, project: str) -> str:
        place, identifier = await self._place(project)
        states = {one["id"]: one["name"] for one in await self._list(f"{place}/states/")}
        rows = [
            {**one, "number": f"{identifier}-{one['sequence_id']}", "state": states.get(one.get("state"))}
            for one in await self._list(f"{place}/issues/")
        ]
        return _rows(rows, "number", "name", "state", "priority", "id")

    async def item(self, project: str, item: str) -> str:
        _, found = await self._item(project, item)
        return json.dumps(found, ensure_ascii=False, indent=1)

    async def states(self, project: str) -> str:
        return _rows(await self._list(f"{await self._project(project)}/states/"), "name", "group", "id")

    async def cycles(self, project: str) -> str:
        return _rows(
            await self._list(f"{await self._project(project)}/cycles/"), "name", "start_date", "end_date", "id"
        )

    async def create(self, project: str, name: str, details: dict[str, Any] | None = None) -> str:
        made = await self._web.json(
            "POST", f"{await self._project(project)}/issues/", json={**(details or {}), "name": name}
        )
        return f"Made '{name}', id {made['id']}."

    async def edit(self, project: str, item: str, changes: dict[str, Any]) -> str:
        place, found = await self._item(project, item)
        await self._web.json("PATCH", place, json=changes)
        return f"Changed '{found['name']}'."


def _rows(rows: list[dict[str, Any]], *keys: str) -> str:
    lines = [json.dumps({key: row.get(key) for key in keys}, ensure_ascii=False) for row in rows]
    return "\n".join(lines) or "There are none."
