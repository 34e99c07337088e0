"""OpenDocument texts, spreadsheets and presentations, with odfpy."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from dayjob.company.drive.previews import blocks as make
from dayjob.company.drive.previews.blocks import MOST_BLOCKS, MOST_COLUMNS, MOST_ROWS, Block
from dayjob.company.drive.previews.sheets import trim

_MOST_SHEETS = 40
_MOST_SLIDES = 150
_DEEPEST = 12


def _load(content: bytes) -> Any:
    from odf.opendocument import load  # type: ignore[import-untyped]  # it ships no types

    return load(BytesIO(content))


def _is(node: Any) -> str:
    """`text:p`, `table:table`: the element's name with its usual prefix."""
    from odf.namespaces import nsdict  # type: ignore[import-untyped]  # it ships no types

    namespace, name = getattr(node, "qname", ("", ""))
    return f"{nsdict.get(namespace, '')}:{name}"


def _text(node: Any) -> str:
    from odf.teletype import extractText  # type: ignore[import-untyped]  # it ships no types

    return str(extractText(node))


def odt(content: bytes) -> dict[str, Any]:
    document = _load(content)
    notes: list[str] = []
    blocks: list[Block] = []
    for block in _blocks(document.text, 0):
        if block["is"] == "picture":
            notes = ["Pictures in this document are not shown. Download it to see them."]
            continue
        blocks.append(block)
        if len(blocks) > MOST_BLOCKS:
            break
    return make.written(blocks, notes)


def _blocks(parent: Any, depth: int) -> Iterator[Block]:
    if depth > _DEEPEST:
        return
    for node in parent.childNodes:
        name = _is(node)
        if name == "text:h":
            level = str(node.getAttribute("outlinelevel") or "1")
            yield make.heading(_text(node), int(level) + 1 if level.isdigit() else 2)
        elif name == "text:p":
            yield make.paragraph([make.run(_text(node))])
            yield from _blocks(node, depth + 1)
        elif name == "text:list":
            yield from _items(node, depth + 1)
        elif name == "table:table":
            yield make.table(_rows(node)[0])
        elif name == "draw:image":
            yield make.picture("Picture")
        elif name in ("text:section", "draw:frame", "draw:text-box", "draw:g", "draw:custom-shape"):
            yield from _blocks(node, depth + 1)


def _items(parent: Any, depth: int) -> Iterator[Block]:
    if depth > _DEEPEST:
        return
    for entry in parent.childNodes:
        for node in entry.childNodes:
            name = _is(node)
            if name in ("text:p", "text:h"):
                yield make.item([make.run(_text(node))])
            elif name == "text:list":
                yield from _items(node, depth + 1)


def ods(content: bytes) -> dict[str, Any]:
    document = _load(content)
    found = [node for node in document.spreadsheet.childNodes if _is(node) == "table:table"]
    sheets = []
    for sheet in found[:_MOST_SHEETS]:
        rows, whole = _rows(sheet)
        notes = [] if whole else [f"The first {MOST_ROWS} rows and {MOST_COLUMNS} columns are shown."]
        sheets.append({"name": str(sheet.getAttribute("name") or "Sheet"), "rows": rows, "notes": notes})
    notes = [f"The first {_MOST_SHEETS} of {len(found)} sheets are shown."] if len(found) > _MOST_SHEETS else []
    return {"sheets": sheets, "notes": notes}


def _rows(sheet: Any) -> tuple[list[list[str]], bool]:
    """The cells' texts, and whether they are all. Repeated empty cells at the edges stand for nothing."""
    rows: list[list[str]] = []
    whole = True
    for node in _row_nodes(sheet, 0):
        cells: list[str] = []
        for cell in node.childNodes:
            if _is(cell) in ("table:table-cell", "table:covered-table-cell"):
                text = _text(cell) or str(cell.getAttribute("value") or "")
                repeat = _repeated(cell, "numbercolumnsrepeated")
                whole = whole and (not text or len(cells) + repeat <= MOST_COLUMNS)
                cells += [text] * min(repeat, MOST_COLUMNS - len(cells))
        repeat = _repeated(node, "numberrowsrepeated")
        whole = whole and (not any(cells) or len(rows) + repeat <= MOST_ROWS)
        rows += [cells] * min(repeat, MOST_ROWS - len(rows))
    return trim(rows), whole


def _row_nodes(parent: Any, depth: int) -> Iterator[Any]:
    for node in parent.childNodes:
        name = _is(node)
        if name == "table:table-row":
            yield node
        elif name in ("table:table-header-rows", "table:table-row-group", "table:table-rows") and depth < _DEEPEST:
            yield from _row_nodes(node, depth + 1)


def _repeated(node: Any, attribute: str) -> int:
    text = str(node.getAttribute(attribute) or "1")
    return int(text) if text.isdigit() and len(text) < 10 else 1


def odp(content: bytes) -> dict[str, Any]:
    document = _load(content)
    pages = [node for node in document.presentation.childNodes if _is(node) == "draw:page"]
    slides = []
    for page in pages[:_MOST_SLIDES]:
        title, blocks, remarks = "", [], ""
        for node in page.childNodes:
            name = _is(node)
            if name == "presentation:notes":
                remarks = _text(node)
            elif name == "draw:frame" and not title and str(node.getAttribute("class") or "") == "title":
                title = _text(node)
            elif name.startswith("draw:"):
                blocks += list(_blocks(node, 0))
        slides.append({"title": title, "blocks": make.gather(blocks), "notes": remarks})
    notes = [f"The first {_MOST_SLIDES} of {len(pages)} slides are shown."] if len(pages) > _MOST_SLIDES else []
    return {"slides": slides, "notes": notes}
