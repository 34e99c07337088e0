"""Lines of a comment that are orders: `/close`, `/label ~bug`, `/assign @sam.reed`, `/due 2026-03-20` …"""

from __future__ import annotations

import re
from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.noteables import Noteable
from dayjob.company.forge.store import access, issues, items, merge_requests, users
from dayjob.company.forge.store.issue_text import seconds
from dayjob.company.forge.store.labels import TABLES, Milestone, reach

_ORDER = re.compile(
    r"^/(close|reopen|label|unlabel|relabel|assign|unassign|milestone|remove_milestone|due|remove_due_date|weight|title"
    r"|estimate|spend)(?:[ \t]+(.*))?$"
)
_LABELS = re.compile(r"~(?:\"([^\"]+)\"|(\S+))")


def obey(call: Call, thing: Noteable, text: str) -> tuple[str, dict[str, Any]]:
    """Do what the lines order; returns the text without them and what was changed."""
    if "/" not in text or thing.kind not in TABLES:
        return text, {}
    level = access.project_level(call.store, call.me, thing.project)
    kept, done = [], {}
    fenced = False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith("```")
        found = None if fenced else _ORDER.match(line.rstrip())
        if found is None or level < access.PLANNER:
            kept.append(line)
        else:
            _one(call, thing, found[1], (found[2] or "").strip())
            done[found[1]] = found[2] or True
    return ("\n".join(kept) if done else text), done


def _one(call: Call, thing: Noteable, order: str, rest: str) -> None:
    store, me, project, kind = call.store, call.me, thing.project, thing.kind
    table = TABLES[kind]
    if order in ("close", "reopen"):
        if kind == "Issue":
            issues.set_state(store, me, issues.get(store, thing.id), project, order)
        else:
            merge_requests.set_state(store, me, merge_requests.get(store, thing.id), project, order)
    elif order in ("label", "unlabel", "relabel"):
        names = [quoted or plain for quoted, plain in _LABELS.findall(rest)]
        before = items.label_names(store, kind, thing.id)
        after = {
            "label": [*before, *names],
            "relabel": names,
            "unlabel": [one for one in before if one not in names] if names else [],
        }
        items.set_labels(store, me, project, kind, thing.id, after[order])
    elif order in ("assign", "unassign"):
        names = [one.lstrip("@") for one in re.split(r"[\s,]+", rest) if one]
        people = [me if name == "me" else users.find(store, name) for name in names]
        ids = [one.id for one in people if one is not None]
        before_ids = store.values(
            "SELECT user_id FROM people WHERE item_type=? AND item_id=? AND role='assignee' ORDER BY position",
            kind,
            thing.id,
        )
        wanted = [*before_ids, *ids] if order == "assign" else [one for one in before_ids if ids and one not in ids]
        items.set_people(store, me, project, kind, thing.id, "assignee", wanted)
    elif order in ("milestone", "remove_milestone"):
        condition, args = reach(store, project)
        found_milestone = (
            store.all(Milestone, f"{condition} AND title=?", *args, rest.lstrip("%").strip('"'))
            if order == "milestone"
            else []
        )
        item = issues.get(store, thing.id) if kind == "Issue" else merge_requests.get(store, thing.id)
        items.set_milestone(store, me, project, kind, item, found_milestone[0].id if found_milestone else None)
    elif order in ("due", "remove_due_date") and kind == "Issue":
        if order == "remove_due_date" or re.fullmatch(r"\d{4}-\d\d-\d\d", rest):
            store.update(table, thing.id, due_date=rest or None)
    elif order == "weight" and kind == "Issue" and rest.isdigit():
        store.update(table, thing.id, weight=int(rest[:9]))
    elif order == "title" and rest:
        store.update(table, thing.id, title=rest[:255])
    elif order in ("estimate", "spend") and (amount := seconds(rest)) is not None:
        column = "time_estimate" if order == "estimate" else "time_spent"
        old = store.value(f"SELECT {column} FROM {table} WHERE id=?", thing.id)
        store.update(table, thing.id, **{column: max(0, amount if order == "estimate" else old + amount)})
