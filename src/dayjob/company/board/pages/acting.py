"""What people do to one item: change its facts and its text, comment, link, relate, put away, delete."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.board.api.call import project_lite
from dayjob.company.board.errors import Forbidden, NotThere, Refused
from dayjob.company.board.pages import text
from dayjob.company.board.pages.home import by_key
from dayjob.company.board.pages.item import RELATIONS
from dayjob.company.board.pages.page import PROJECT, Page, page, sentence
from dayjob.company.board.rows import Comment, Item
from dayjob.company.board.store import accounts, cycles, item_lists, items, talk
from dayjob.company.board.store.plans import MODULES

ITEM = PROJECT + "/issues/{item_id}"


def _item(page: Page, id: str) -> Item:
    return items.item(page.db, page.project.id, id)


def _back(page: Page, item: Item, notice: str = "") -> Response:
    return page.done(f"{page.here}/issues/{item.id}/", notice)


# -- its facts ---------------------------------------------------------------------------------------------------


def _changed(page: Page, name: str) -> str | None:
    """A field's new value; None when it is as it was when the page was made, so that nobody undoes a colleague."""
    if name not in page.form:
        return None
    value = page.form.line(name)
    return None if value == page.form.get(f"was.{name}") else value


def _changed_list(page: Page, name: str) -> tuple[list[str], list[str]] | None:
    """What was ticked and what was unticked since the page was made."""
    if f"was.{name}" not in page.form:
        return None
    was, now = page.form[f"was.{name}"].split(), page.form.all(name)
    added, removed = [one for one in now if one not in was], [one for one in was if one not in now]
    return (added, removed) if added or removed else None


@page("POST", ITEM)
def save(page: Page, item_id: str) -> Response:
    item = _item(page, item_id)
    facts: dict[str, Any] = {}
    for name in ("state", "priority"):
        if value := _changed(page, name):
            facts[name] = value
    for name in ("start_date", "target_date"):
        if (value := _changed(page, name)) is not None:
            facts[name] = value or None
    had_people, had_labels = items.people_and_labels(page.db, [item.id])
    for name, had in (("assignees", had_people[item.id]), ("labels", had_labels[item.id])):
        if change := _changed_list(page, name):
            facts[name] = [one for one in had if one not in change[1]] + [one for one in change[0] if one not in had]
    if facts:
        page.do("PATCH", f"./issues/{item.id}/", facts)
    _plan(page, item)
    return _back(page, item)


def _plan(page: Page, item: Item) -> None:
    """Into and out of the cycle and the modules."""
    cycle = _changed(page, "cycle")
    if cycle:
        page.do("POST", f"./cycles/{cycle}/cycle-issues/", {"issues": [item.id]})
    elif cycle == "":
        here = cycles.cycle_of(page.db, item.id)
        if here is not None:
            page.do("DELETE", f"./cycles/{here.cycle}/cycle-issues/{item.id}/")
    if change := _changed_list(page, "modules"):
        inside = {place.module for place in MODULES.places_of(page.db, item.id)}
        for module in change[0]:
            page.do("POST", f"./modules/{module}/module-issues/", {"issues": [item.id]})
        for module in inside.intersection(change[1]):
            page.do("DELETE", f"./modules/{module}/module-issues/{item.id}/")


# -- its text ----------------------------------------------------------------------------------------------------


def _editing(page: Page, item: Item, name: str, description: str, back: str, problem: str = "") -> Response:
    return page.show(
        "item-edit.html", 400 if problem else 200, item=item, key=items.named(page.db, item), name=name,
        description=description, back=back or f"{page.here}/issues/{item.id}/", problem=problem,
    )  # fmt: skip


@page("GET", ITEM + "/edit")
def edit(page: Page, item_id: str) -> Response:
    item = _item(page, item_id)
    return _editing(page, item, item.name, text.source(item.description_html), page.came_from(""))


@page("POST", ITEM + "/edit")
def save_text(page: Page, item_id: str) -> Response:
    item, form = _item(page, item_id), page.form
    facts: dict[str, Any] = {"name": form.line("name")}
    # A text that was not touched stays as it is stored, whatever Markdown would make of it.
    written = form.get("description", "")
    if written.strip() != text.source(item.description_html).strip():
        facts["description_html"] = text.stored(written)
    try:
        page.do("PATCH", f"./issues/{item.id}/", facts)
    except Refused as refusal:
        if page.wants_part:
            raise
        return _editing(page, item, form.line("name"), written, form.line("back"), sentence(refusal))
    return _back(page, item, f"{items.named(page.db, item)} saved.")


# -- comments ----------------------------------------------------------------------------------------------------


@page("POST", ITEM + "/comments")
def comment(page: Page, item_id: str) -> Response:
    item, written = _item(page, item_id), page.form.line("comment")
    if not written:
        raise Refused(400, {"error": "The comment is empty."})
    page.do("POST", f"./issues/{item.id}/comments/", {"comment_html": text.stored(written)})
    return _back(page, item, "Comment added.")


def _own(page: Page, item: Item, comment_id: str, *, or_admin: bool = False) -> Comment:
    """The person's own comment. The API would let everyone of the project; here each speaks for themselves."""
    found = talk.comment(page.db, item.id, comment_id)
    if found.actor != page.user.id and not (or_admin and page.role == accounts.ADMIN):
        raise Forbidden("Only whoever wrote a comment can change it")
    if not page.may(project_lite):
        raise Forbidden
    return found


@page("GET", ITEM + "/comments/{comment_id}")
def edit_comment(page: Page, item_id: str, comment_id: str) -> Response:
    item = _item(page, item_id)
    found = _own(page, item, comment_id)
    back = page.came_from(f"{page.here}/issues/{item.id}/")
    return page.show("comment-edit.html", item=item, comment=found, written=text.source(found.comment_html), back=back)


@page("POST", ITEM + "/comments/{comment_id}")
def save_comment(page: Page, item_id: str, comment_id: str) -> Response:
    item, written = _item(page, item_id), page.form.line("comment")
    found = _own(page, item, comment_id)
    if not written:
        raise Refused(400, {"error": "The comment is empty."})
    if written != text.source(found.comment_html).strip():
        page.do("PATCH", f"./issues/{item.id}/comments/{found.id}/", {"comment_html": text.stored(written)})
    return _back(page, item, "Comment saved.")


@page("POST", ITEM + "/comments/{comment_id}/delete")
def delete_comment(page: Page, item_id: str, comment_id: str) -> Response:
    item = _item(page, item_id)
    found = _own(page, item, comment_id, or_admin=True)
    page.do("DELETE", f"./issues/{item.id}/comments/{found.id}/")
    return _back(page, item, "Comment deleted.")


# -- links -------------------------------------------------------------------------------------------------------


@page("GET", ITEM + "/links/new", ITEM + "/links/{link_id}")
def edit_link(page: Page, item_id: str, link_id: str = "") -> Response:
    item = _item(page, item_id)
    found = talk.link(page.db, item.id, link_id) if link_id else None
    back = page.came_from(f"{page.here}/issues/{item.id}/")
    return page.show("link-edit.html", item=item, link=found, back=back)


@page("POST", ITEM + "/links", ITEM + "/links/{link_id}")
def save_link(page: Page, item_id: str, link_id: str = "") -> Response:
    item = _item(page, item_id)
    facts = {"url": page.form.line("url"), "title": page.form.line("title")}
    if link_id:
        page.do("PATCH", f"./issues/{item.id}/links/{link_id}/", facts)
    else:
        page.do("POST", f"./issues/{item.id}/links/", facts)
    return _back(page, item, "Link saved.")


@page("POST", ITEM + "/links/{link_id}/delete")
def delete_link(page: Page, item_id: str, link_id: str) -> Response:
    item = _item(page, item_id)
    page.do("DELETE", f"./issues/{item.id}/links/{link_id}/")
    return _back(page, item, "Link removed.")


# -- other items -------------------------------------------------------------------------------------------------


def _choices(page: Page, item: Item) -> list[tuple[str, str]]:
    """The project's items to choose from, latest first."""
    rows = item_lists.others(page.project, item).rows(page.db, limit=200)
    return [(f"{page.project.identifier}-{one.sequence_id}", one.name) for one in rows]


def named(page: Page, words: str) -> Item:
    """The item that somebody named: TREL-12, or only 12, with or without its title behind it."""
    key = (words.split() or [""])[0].rstrip(":")
    try:
        return by_key(page, f"{page.project.identifier}-{key}" if key.isdigit() else key)
    except NotThere:
        words = f"There is no work item {key}. Write its number, such as {page.project.identifier}-1."
        raise Refused(400, {"error": words}) from None


@page("GET", ITEM + "/parent", ITEM + "/relations/new", ITEM + "/children/new")
def choose(page: Page, item_id: str) -> Response:
    item, path = _item(page, item_id), page.request.url.path.rstrip("/")
    what = "parent" if path.endswith("/parent") else "child" if path.endswith("/children/new") else "relation"
    return page.show(
        "item-choose.html", item=item, key=items.named(page.db, item), what=what, relations=list(RELATIONS.items()),
        choices=_choices(page, item), back=page.came_from(f"{page.here}/issues/{item.id}/"),
    )  # fmt: skip


@page("POST", ITEM + "/parent")
def set_parent(page: Page, item_id: str) -> Response:
    item, words = _item(page, item_id), page.form.line("other")
    parent = named(page, words).id if words else None
    page.do("PATCH", f"./issues/{item.id}/", {"parent": parent})
    return _back(page, item, "Parent set." if parent else "Parent removed.")


@page("POST", ITEM + "/children")
def add_child(page: Page, item_id: str) -> Response:
    item, child = _item(page, item_id), named(page, page.form.line("other"))
    page.do("PATCH", f"./issues/{child.id}/", {"parent": item.id})
    return _back(page, item, f"{items.named(page.db, child)} is a sub-item of {items.named(page.db, item)}.")


@page("POST", ITEM + "/relations")
def relate(page: Page, item_id: str) -> Response:
    item, other = _item(page, item_id), named(page, page.form.line("other"))
    if other.id == item.id:
        raise Refused(400, {"error": "A work item cannot be related to itself."})
    kind = page.form.line("kind") or "relates_to"
    page.do("POST", f"./issues/{item.id}/relations/", {"relation_type": kind, "issues": [other.id]})
    return _back(page, item, "Relation added.")


@page("POST", ITEM + "/relations/{other_id}/delete")
def unrelate(page: Page, item_id: str, other_id: str) -> Response:
    item = _item(page, item_id)
    page.do("POST", f"./issues/{item.id}/relations/remove/", {"related_issue": other_id})
    return _back(page, item, "Relation removed.")


# -- away --------------------------------------------------------------------------------------------------------


@page("POST", ITEM + "/archive")
def archive(page: Page, item_id: str) -> Response:
    item = _item(page, item_id)
    page.do("POST", f"./issues/{item.id}/archive/")
    return page.done(f"{page.here}/issues/", f"{items.named(page.db, item)} archived.")


@page("POST", ITEM + "/restore")
def restore(page: Page, item_id: str) -> Response:
    item = _item(page, item_id)
    page.do("DELETE", f"./issues/{item.id}/unarchive/")
    return _back(page, item, f"{items.named(page.db, item)} restored.")


@page("POST", ITEM + "/delete")
def delete(page: Page, item_id: str) -> Response:
    item = _item(page, item_id)
    key = items.named(page.db, item)
    page.do("DELETE", f"./issues/{item.id}/")
    gone = items.by_id(page.db, item.id) is None
    return page.done(f"{page.here}/issues/", f"{key} deleted." if gone else "")
