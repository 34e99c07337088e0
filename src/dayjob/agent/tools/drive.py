"""The drive as tools: folders, text files, moving and deleting."""

from __future__ import annotations

from urllib.parse import quote, unquote

from defusedxml import ElementTree

from dayjob.agent.tools.tool import Parameter, Tool
from dayjob.agent.tools.web import Web, text_of

_DAV = "{DAV:}"
_PATH = Parameter("string", "a path from the drive's root, as /Finance/plan.csv")


class Drive:
    """One account's files."""

    def __init__(self, web: Web) -> None:
        self._root = "/remote.php/webdav"
        self._web = web

    def tools(self) -> list[Tool]:
        two = {"path": _PATH, "to": Parameter("string", "its new path")}
        content = Parameter("string", "all of its text")
        return [
            Tool("drive_list", "What is in a folder; folders end with a slash.", self.list, {"path": _PATH}),
            Tool("drive_read", "A text file.", self.read, {"path": _PATH}),
            Tool(
                "drive_write", "Write a whole text file.", self.write, {"path": _PATH, "content": content}, reads=False
            ),
            Tool("drive_make_folder", "Make a folder.", self.make_folder, {"path": _PATH}, reads=False),
            Tool("drive_move", "Move or rename; nothing is overwritten.", self.move, two, reads=False),
            Tool(
                "drive_delete", "Delete a file, or a folder with all in it.", self.delete, {"path": _PATH}, reads=False
            ),
        ]

    def _place(self, path: str) -> str:
        return f"{self._root}/{quote(path.strip('/'))}"

    async def list(self, path: str) -> str:
        answer = await self._web.ask("PROPFIND", self._place(path), headers={"Depth": "1"})
        rows = []
        for one in ElementTree.fromstring(answer.content).findall(f"{_DAV}response")[1:]:
            name = unquote(one.findtext(f"{_DAV}href", "")).rstrip("/").rpartition("/")[2]
            folder = one.find(f".//{_DAV}collection") is not None
            rows.append(f"{name}/" if folder else f"{name} ({one.findtext(f'.//{_DAV}getcontentlength', '?')} bytes)")
        return "\n".join(rows) or "It is empty."

    async def read(self, path: str) -> str:
        return text_of(await self._web.ask("GET", self._place(path)))

    async def write(self, path: str, content: str) -> str:
        await self._web.ask("PUT", self._place(path), content=content.encode())
        return f"Written: {path}"

    async def make_folder(self, path: str) -> str:
        await self._web.ask("MKCOL", self._place(path))
        return f"Made: {path}"

    async def move(self, path: str, to: str) -> str:
        headers = {"Destination": self._web.url + self._place(to), "Overwrite": "F"}
        await self._web.ask("MOVE", self._place(path), headers=headers)
        return f"Moved: {path} is now {to}"

    async def delete(self, path: str) -> str:
        await self._web.ask("DELETE", self._place(path))
        return f"Deleted: {path}"
