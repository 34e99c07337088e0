"""Issue boards: the open issues in columns, one for each label of the board; a card is moved by changing its labels."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.errors import not_found, refused
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import labels

OPEN, CLOSED = "open", "closed"


async def _boards(visit: Visit) -> list[dict[str, Any]]:
    return await visit.everything(visit.at_project("/boards"))


@project("GET", "/boards", "/boards/{board}")
async def boards(visit: Visit) -> Response:
    found = await _boards(visit)
    wanted = visit.number("board") if "board" in visit.params else None
    board = next((one for one in found if wanted in (None, one["id"])), None)
    if wanted is not None and board is None:
        raise not_found("Board")
    lists = [one for one in board["lists"] if one["label"]] if board else []
    columns = await _columns(visit, lists)
    used = {one["label"]["name"] for one in lists}
    return visit.page(
        "board.html", boards=found, board=board, columns=columns,
        labels=[one for one in labels.choices(visit.store, visit.project) if one.name not in used],
    )  # fmt: skip


async def _columns(visit: Visit, lists: list[dict[str, Any]]) -> list[dict[str, Any]]:
    path, args = visit.at_project("/issues"), {"with_labels_details": True, "order_by": "relative_position"}
    opened = await visit.everything(path, args, state="opened")
    closed = await visit.everything(path, {**args, "order_by": "updated_at"}, state="closed", per_page=20)
    names = [one["label"]["name"] for one in lists]

    def has(issue: dict[str, Any], name: str) -> bool:
        return any(label["name"] == name for label in issue["labels"])

    backlog = [one for one in opened if not any(has(one, name) for name in names)]
    found = [{"key": OPEN, "title": "Open", "label": None, "list": None, "issues": backlog}]
    for one in lists:
        label = one["label"]
        cards = [issue for issue in opened if has(issue, label["name"])]
        found.append({"key": str(one["id"]), "title": label["name"], "label": label, "list": one["id"],
                      "issues": cards})  # fmt: skip
    found.append({"key": CLOSED, "title": "Closed", "label": None, "list": None, "issues": closed})
    return found


@project("POST", "/boards/{board}/move")
async def move(visit: Visit) -> Response:
    """A card from one column to another: its labels follow, and so does whether it is open."""
    board = visit.params["board"]
    found = next((one for one in await _boards(visit) if str(one["id"]) == board), None)
    names = {str(one["id"]): one["label"]["name"] for one in found["lists"] if one["label"]} if found else {}
    to, start = visit.text("to"), visit.text("from")
    if to not in (OPEN, CLOSED, *names):
        raise refused(400, "Choose a column to move the issue to.")
    iid = visit.text("iid")
    if not iid.isdigit():
        raise not_found("Issue")
    given: dict[str, Any] = {}
    if to in names:
        given["add_labels"] = names[to]
    if to != CLOSED and (gone := [name for key, name in names.items() if key != to and (key == start or to == OPEN)]):
        given["remove_labels"] = ",".join(gone)
    if to == CLOSED:
        given["state_event"] = "close"
    elif start == CLOSED:
        given["state_event"] = "reopen"
    if given:
        await visit.ask("PUT", visit.at_project(f"/issues/{iid}"), given)
    title = "Open" if to == OPEN else "Closed" if to == CLOSED else names[to]
    return visit.back(f"{visit.base}/boards/{board}" if found else f"{visit.base}/boards", f"#{iid} moved to {title}.")


@project("POST", "/boards")
async def create(visit: Visit) -> Response:
    made = await visit.ask("POST", visit.at_project("/boards"), name=visit.text("name") or "Development")
    return visit.back(f"{visit.base}/boards/{made['id']}", "Board created.")


@project("POST", "/boards/{board}/lists")
async def add_list(visit: Visit) -> Response:
    """A column for a label. A project without a board gets one on the way."""
    board = visit.params["board"]
    if board == "none":
        board = str((await visit.ask("POST", visit.at_project("/boards"), name="Development"))["id"])
    await visit.ask("POST", visit.at_project(f"/boards/{board}/lists"), label_id=visit.text("label_id"))
    return visit.back(f"{visit.base}/boards/{board}", "List added.")


@project("POST", "/boards/{board}/lists/{list}/delete")
async def remove_list(visit: Visit) -> Response:
    board = visit.number("board")
    await visit.ask("DELETE", visit.at_project(f"/boards/{board}/lists/{visit.number('list')}"))
    return visit.back(f"{visit.base}/boards/{board}", "List removed from the board.")


@project("POST", "/boards/{board}/delete")
async def remove(visit: Visit) -> Response:
    await visit.ask("DELETE", visit.at_project(f"/boards/{visit.number('board')}"))
    return visit.back(f"{visit.base}/boards", "Board deleted.")
