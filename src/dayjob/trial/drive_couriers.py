"""Bring to the drive what is delivered there: text, workbooks, documents, names of files, public links."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from dayjob.task.paraphrases import Act
from dayjob.trial.courier import Courier, NotDelivered, done


class OnDrive(Courier):
    """A text file on the drive."""

    async def bring(self, act: Act) -> None:
        await self._put(act.text.encode())

    async def _call(self, method: str, path: str, content: bytes | None = None, **about: Any) -> httpx.Response:
        who = (self.desk.who.username, self.desk.who.password)
        path = f"/remote.php/webdav{quote(path)}"
        return await self.desk.ask("drive", method, path, content=content, auth=who, **about)

    async def _put(self, content: bytes) -> None:
        path = self.what.place
        answer = await self._call("PUT", path, content)
        if answer.status_code in (404, 409):
            for parent in reversed(list(Path(path).parents)[:-1]):
                await self._call("MKCOL", str(parent))
            answer = await self._call("PUT", path, content)
        done(answer, self.what.id)


class Sheet(OnDrive):
    """Cells of a workbook on the drive or of a copy of a form, or a new workbook from a table in CSV."""

    _begun = False

    async def bring(self, act: Act) -> None:
        import openpyxl  # type: ignore[import-untyped]  # it has no types; late: most tasks have no workbook

        page = self.what.more.get("page")
        if act.cells:
            form = self.what.more.get("from") if not self._begun else None
            answer = await self._call("GET", form or self.what.place)
            done(answer, self.what.id)
            book = openpyxl.load_workbook(io.BytesIO(answer.content))
            sheet = book[page] if page else book.active
            for cell, value in act.cells.items():
                sheet[cell] = value
        else:
            book = openpyxl.Workbook()
            book.active.title = page or "Sheet"
            for row in csv.reader(io.StringIO(act.text)):
                book.active.append([_number(cell) for cell in row])
        content = io.BytesIO()
        book.save(content)
        await self._put(content.getvalue())
        self._begun = True


class Document(OnDrive):
    """A document for a word processor, from a little Markdown: headings, paragraphs, lists, tables."""

    async def bring(self, act: Act) -> None:
        import docx  # late: most tasks have no document

        page = docx.Document()
        for block in act.text.strip().split("\n\n"):
            lines = [line.strip() for line in block.strip().splitlines()]
            if lines and lines[0].startswith("#"):
                signs, _, words = lines.pop(0).partition(" ")
                page.add_heading(words, len(signs) - 1)
            if lines and all(line.startswith("|") for line in lines):
                _add_table(page, lines)
            elif lines and all(line.startswith("- ") for line in lines):
                for line in lines:
                    page.add_paragraph(line.removeprefix("- "), "List Bullet")
            elif lines:
                page.add_paragraph(" ".join(lines))
        content = io.BytesIO()
        page.save(content)
        await self._put(content.getvalue())


def _add_table(page: Any, lines: list[str]) -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rows = [row for row in rows if set("".join(row)) - set("-: ")]
    grid = page.add_table(rows=0, cols=max(map(len, rows)))
    for row in rows:
        for cell, value in zip(grid.add_row().cells, row, strict=False):
            cell.text = value


class Names(OnDrive):
    """New names for files of a folder, a line each: `old -> new`. A line that ends with the arrow deletes."""

    async def bring(self, act: Act) -> None:
        for line in act.text.strip().splitlines():
            old, arrow, new = (part.strip() for part in line.partition("->"))
            if not arrow:
                raise NotDelivered(f"{self.what.id}: '{line}' is no 'old -> new'")
            path = f"{self.what.place}/{old}"
            if new:
                place = f"/remote.php/webdav{quote(f'{self.what.place}/{new}')}"
                address = f"http://{self.desk.world.host}:{self.desk.world.ports['drive']}{place}"
                answer = await self._call("MOVE", path, headers={"Destination": address, "Overwrite": "F"})
            else:
                answer = await self._call("DELETE", path)
            done(answer, self.what.id)


class Link(OnDrive):
    """A public link, with what is said of it in lines such as `password: …`. Later texts have its address as {id}."""

    async def bring(self, act: Act) -> None:
        said = dict(line.split(": ", 1) for line in act.text.strip().splitlines())
        asked = {"path": self.what.place, "shareType": "3", "permissions": "1", **said}
        who = (self.desk.who.username, self.desk.who.password)
        path = "/ocs/v1.php/apps/files_sharing/api/v1/shares?format=json"
        headers = {"OCS-APIREQUEST": "true"}
        answer = await self.desk.ask("drive", "POST", path, data=asked, auth=who, headers=headers)
        made = done(answer, self.what.id)["ocs"]
        if made["meta"]["statuscode"] != 100:
            raise NotDelivered(f"{self.what.id}: {made['meta']['message']}")
        self.desk.made[self.what.id] = made["data"]["url"]


def _number(cell: str) -> str | float | None:
    text = cell.strip()
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None
