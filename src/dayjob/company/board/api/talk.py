"""Comments, links, relations and the worklogs of an item."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity, project_lite, spellings
from dayjob.company.board.api.lists import paged
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.errors import NotThere, Refused
from dayjob.company.board.rows import Comment, Item, Link, Worklog
from dayjob.company.board.shapes.payloads import (
    Choice,
    Document,
    Form,
    Id,
    Moment,
    Several,
    Text,
    Whole,
    Wrong,
    read_form,
)
from dayjob.company.board.store import items, talk, worklogs

# -- comments ----------------------------------------------------------------------------------------------------

_COMMENT: Form = {
    "comment_html": Text(blank=True),
    "comment_json": Document(),
    "access": Choice(of=("INTERNAL", "EXTERNAL")),
    **OUTSIDE,
}
_NEW_COMMENT: Form = {
    **_COMMENT,
    "created_by": Id(table="users"),
    "created_at": Moment(),
    "parent": Id(table="comments", null=True),
}


def _comment_facts(call: Call, form: Form) -> dict[str, Any]:
    facts = read_form(form, call.payload(), call.db)
    facts.pop("comment_json", None)  # the editor's own form of the same text; the HTML is what is shown
    return facts


def _comment(call: Call) -> Comment:
    call.open_project()
    return talk.comment(call.db, call.item().id, call.params["comment_id"])


def _comment_shape(call: Call, comment: Comment) -> shapes.Shape:
    shape = shapes.comment(comment)
    return shapes.trimmed(call.db, shape, call.words("fields"), call.words("expand"))


@endpoint("GET", *spellings("/{issue_id}/comments"), permission=project_lite)
def list_comments(call: Call) -> Reply:
    item = call.item().id if call.project().archived_at is None else ""
    return paged(call, talk.comments(item), lambda rows: [shapes.comment(one) for one in rows])


@endpoint("POST", *spellings("/{issue_id}/comments"), permission=project_lite)
def create_comment(call: Call) -> Reply:
    item = call.item()
    id = talk.add_comment(call.store, item, _comment_facts(call, _NEW_COMMENT))
    return Reply(201, shapes.comment(talk.comment(call.db, item.id, id)))


@endpoint("GET", *spellings("/{issue_id}/comments/{comment_id}"), permission=project_lite)
def read_comment(call: Call) -> Reply:
    return Reply(200, _comment_shape(call, _comment(call)))


@endpoint("PATCH", *spellings("/{issue_id}/comments/{comment_id}"), permission=project_lite)
def edit_comment(call: Call) -> Reply:
    talk.edit_comment(call.store, call.item(), _comment(call), _comment_facts(call, _COMMENT))
    return Reply(200, _comment_shape(call, _comment(call)))


@endpoint("DELETE", *spellings("/{issue_id}/comments/{comment_id}"), permission=project_lite)
def delete_comment(call: Call) -> Reply:
    talk.remove_comment(call.store, call.item(), _comment(call))
    return Reply(204)


# -- links -------------------------------------------------------------------------------------------------------

_HOST = re.compile(r"([a-z0-9]([a-z0-9_-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?\.?", re.IGNORECASE)


class _Url(Text):
    """An address on the web."""

    def clean(self, value: Any, db: Any) -> str:
        text = super().clean(value, db)
        try:
            parts = urlsplit(text)
            host, _ = parts.hostname or "", parts.port
        except ValueError:
            raise Wrong("Invalid URL format.") from None
        if any(sign.isspace() for sign in text) or len(text) > 2048:
            raise Wrong("Invalid URL format.")
        if parts.scheme not in ("http", "https"):
            raise Wrong("Invalid URL scheme." if parts.scheme in ("ftp", "ftps") else "Invalid URL format.")
        if not (_HOST.fullmatch(host) or (host and parts.netloc.rpartition("@")[2].startswith("["))):
            raise Wrong("Invalid URL format.")
        return text


_LINK: Form = {"url": _Url(), "title": Text(limit=255, blank=True, null=True), "metadata": Document()}


def _link(call: Call) -> Link:
    call.open_project()
    return talk.link(call.db, call.item().id, call.params["link_id"])


@endpoint("GET", *spellings("/{issue_id}/links"), permission=project_entity)
def list_links(call: Call) -> Reply:
    item = call.item().id if call.project().archived_at is None else ""
    return paged(call, talk.links(item))


@endpoint("POST", *spellings("/{issue_id}/links"), permission=project_entity)
def create_link(call: Call) -> Reply:
    item = call.item()
    id = talk.add_link(call.store, item, read_form(_LINK, call.payload(), call.db, required=("url",)))
    return Reply(201, shapes.plain(talk.link(call.db, item.id, id)))


@endpoint("GET", *spellings("/{issue_id}/links/{link_id}"), permission=project_entity)
def read_link(call: Call) -> Reply:
    return Reply(200, shapes.trimmed(call.db, shapes.plain(_link(call)), call.words("fields"), call.words("expand")))


@endpoint("PATCH", *spellings("/{issue_id}/links/{link_id}"), permission=project_entity)
def edit_link(call: Call) -> Reply:
    talk.edit_link(call.store, call.item(), _link(call), read_form(_LINK, call.payload(), call.db))
    return Reply(200, shapes.plain(_link(call)))


@endpoint("DELETE", *spellings("/{issue_id}/links/{link_id}"), permission=project_entity)
def delete_link(call: Call) -> Reply:
    talk.remove_link(call.store, call.item(), _link(call))
    return Reply(204)


# -- relations ---------------------------------------------------------------------------------------------------

_RELATION: Form = {"relation_type": Choice(of=talk.RELATIONS), "issues": Several(of=Id(), empty=False)}
_SHOWN = (
    "blocking", "blocked_by", "duplicate", "relates_to", "start_after", "start_before", "finish_after",
    "finish_before",
)  # fmt: skip
_DEPENDENCIES = ("blocking", "blocked_by", "start_before", "start_after", "finish_before", "finish_after")


@endpoint("GET", *spellings("/{issue_id}/relations"), permission=project_entity)
def list_relations(call: Call) -> Reply:
    found = talk.relations(call.db, call.item().id)
    return Reply(200, {kind: [one.id for one in call.seen(found[kind])] for kind in _SHOWN})


@endpoint("POST", *spellings("/{issue_id}/relations"), permission=project_entity)
def create_relations(call: Call) -> Reply:
    facts = read_form(_RELATION, call.payload(), call.db, required=("relation_type", "issues"))
    others = [one.id for one in call.seen(facts["issues"])]
    made = talk.relate(call.store, call.item(), facts["relation_type"], others)
    return Reply(201, [shapes.related_item(one, facts["relation_type"]) for one in made])


@endpoint("POST DELETE", *spellings("/{issue_id}/relations/remove"), permission=project_entity)
def remove_relation(call: Call) -> Reply:
    payload = call.payload() or {"related_issue": call.query.get("related_issue")}
    facts = read_form({"related_issue": Id()}, payload, call.db, required=("related_issue",))
    try:
        talk.unrelate(call.store, call.item(), facts["related_issue"])
    except NotThere:
        raise Refused(404, {"error": "Relation not found"}) from None
    return Reply(204)


@endpoint("GET", *spellings("/{issue_id}/dependencies"), permission=project_entity)
def list_dependencies(call: Call) -> Reply:
    """The relations that order work in time, with the items spelled out."""
    found = talk.relations(call.db, call.item().id)

    seen = {kind: call.seen(found[kind]) for kind in _DEPENDENCIES}
    return Reply(200, {kind: [detailed(call, one, kind) for one in rows] for kind, rows in seen.items()})


def detailed(call: Call, one: Item, kind: str) -> shapes.Shape:
    """An item at the other end of a relation, with how the relation reads."""
    people, labels = items.assignees(call.db, [one.id])[one.id], items.labels(call.db, [one.id])[one.id]
    return {**shapes.related_item(one, kind), "assignee_ids": people, "label_ids": labels}


@endpoint("POST", *spellings("/{issue_id}/dependencies"), permission=project_entity)
def create_dependencies(call: Call) -> Reply:
    form: Form = {"relation_type": Choice(of=_DEPENDENCIES), "work_item_ids": Several(of=Id(), empty=False)}
    facts = read_form(form, call.payload(), call.db, required=("relation_type", "work_item_ids"))
    others = [one.id for one in call.seen(facts["work_item_ids"])]
    made = talk.relate(call.store, call.item(), facts["relation_type"], others)
    return Reply(201, [detailed(call, one, facts["relation_type"]) for one in made])


@endpoint("DELETE", *spellings("/{issue_id}/dependencies/{related_id}"), permission=project_entity)
def remove_dependency(call: Call) -> Reply:
    talk.unrelate(call.store, call.item(), call.params["related_id"])
    return Reply(204)


# -- time spent --------------------------------------------------------------------------------------------------

_WORKLOG: Form = {"description": Text(blank=True), "duration": Whole(low=0)}


def _worklog_shape(one: Worklog) -> shapes.Shape:
    return {**shapes.plain(one), "project_id": one.project, "workspace_id": one.workspace}


def _timed_item(call: Call) -> Item:
    worklogs.tracked(call.project())
    return call.item()


@endpoint("GET", *spellings("/{issue_id}/worklogs"), permission=project_entity)
def list_worklogs(call: Call) -> Reply:
    return Reply(200, [_worklog_shape(one) for one in worklogs.of_item(call.db, _timed_item(call).id)])


@endpoint("POST", *spellings("/{issue_id}/worklogs"), permission=project_entity)
def create_worklog(call: Call) -> Reply:
    item = _timed_item(call)
    facts = read_form(_WORKLOG, call.payload(), call.db, required=("duration",))
    return Reply(201, _worklog_shape(worklogs.add(call.store, item, facts)))


@endpoint("PATCH", *spellings("/{issue_id}/worklogs/{worklog_id}"), permission=project_entity)
def edit_worklog(call: Call) -> Reply:
    log = worklogs.own_worklog(call.store, _timed_item(call).id, call.params["worklog_id"])
    return Reply(200, _worklog_shape(worklogs.edit(call.store, log, read_form(_WORKLOG, call.payload(), call.db))))


@endpoint("DELETE", *spellings("/{issue_id}/worklogs/{worklog_id}"), permission=project_entity)
def delete_worklog(call: Call) -> Reply:
    worklogs.remove(call.store, worklogs.worklog(call.store, _timed_item(call).id, call.params["worklog_id"]))
    return Reply(204)


@endpoint("GET", PROJECT + "/total-worklogs", permission=project_entity)
def total_worklogs(call: Call) -> Reply:
    totals = worklogs.totals(call.db, worklogs.tracked(call.project()).id)
    return Reply(200, [{"issue_id": issue, "duration": seconds} for issue, seconds in totals])
