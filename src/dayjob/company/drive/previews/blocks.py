"""What a written document is made of, as plain values that become JSON: headings, paragraphs of runs, lists, tables."""

from __future__ import annotations

from typing import Any

MOST_BLOCKS = 3000
MOST_ROWS = 400
MOST_COLUMNS = 50

Block = dict[str, Any]


def run(text: str, *, bold: bool = False, italic: bool = False) -> dict[str, Any]:
    return {"text": text, "bold": bold, "italic": italic}


def paragraph(runs: list[dict[str, Any]]) -> Block:
    return {"is": "paragraph", "runs": runs}


def heading(text: str, level: int) -> Block:
    return {"is": "heading", "text": text, "level": max(1, min(level, 4))}


def item(runs: list[dict[str, Any]], *, numbered: bool = False) -> Block:
    return {"is": "item", "runs": runs, "numbered": numbered}


def table(rows: list[list[str]]) -> Block:
    return {"is": "table", "rows": rows}


def picture(words: str) -> Block:
    return {"is": "picture", "text": words}


def gather(blocks: list[Block]) -> list[Block]:
    """Neighbouring list items become one list; what is empty goes."""
    found: list[Block] = []
    for block in blocks:
        if block["is"] in ("paragraph", "item") and not any(one["text"].strip() for one in block["runs"]):
            continue
        if block["is"] != "item":
            found.append(block)
        elif found and found[-1]["is"] == "list" and found[-1]["numbered"] == block["numbered"]:
            found[-1]["items"].append(block["runs"])
        else:
            found.append({"is": "list", "numbered": block["numbered"], "items": [block["runs"]]})
    return found


def written(blocks: list[Block], notes: list[str]) -> dict[str, Any]:
    """A whole text document; long ones end where the page would become too long."""
    found = gather(blocks[:MOST_BLOCKS])
    if len(blocks) > MOST_BLOCKS:
        notes.append("This is the beginning of a long document. Download it to read the rest.")
    return {"blocks": found, "notes": notes}
