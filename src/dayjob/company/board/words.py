"""What changed on the board, as a sentence: who did what to which item, cycle or project."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, Literal

from dayjob.company.board import markup
from dayjob.company.board.store import names
from dayjob.company.board.store.accounts import ROLE_SLUGS
from dayjob.company.changes import Difference

Facts = dict[str, Any]

_PLAIN = {
    "states": "state", "labels": "label", "cycles": "cycle", "modules": "module", "estimates": "estimate",
    "pages": "page", "stickies": "sticky", "projects": "project", "workspaces": "workspace",
}  # fmt: skip
_FIELDS = {
    "name": "name", "priority": "priority", "start_date": "start date", "target_date": "due date",
    "parent": "parent", "point": "points", "estimate_point": "estimate",
}  # fmt: skip
_ADDED = {"added": "added", "removed": "removed", "changed": "changed"}


class Teller:
    """Puts differences into words with the names that the ids stand for now."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def tell(self, one: Difference) -> str:
        who = one.by or "someone"
        teller: Callable[[Difference], str] | None = getattr(self, f"_{one.table}", None)
        if teller is not None:
            return f"{who} {teller(one)}"
        facts = one.after or one.before or {}
        noun = _PLAIN.get(one.table, one.table.rstrip("s").replace("_", " "))
        name = f' "{facts["name"]}"' if facts.get("name") else ""
        place = f" in {self._project(facts['project'])}" if facts.get("project") and one.table != "projects" else ""
        if one.op == "changed":
            changes = ", ".join(self._change(column, one) for column in one.changed_columns())
            return f"{who} changed the {noun}{name}{place}: {changes}"
        return f"{who} {_ADDED[one.op]} the {noun}{name}{place}"

    # -- names ---------------------------------------------------------------------------------------------------

    def _project(self, id: Any) -> str:
        return names.project(self.db, id)

    def _person(self, id: Any) -> str:
        return names.person(self.db, id)

    def _named(self, table: Literal["states", "labels", "cycles", "modules"], id: Any) -> str:
        return names.named(self.db, table, id)

    def _item(self, id: Any) -> str:
        return names.item(self.db, id)

    def _label_of(self, facts: Facts) -> str:
        return f'{self._project(facts["project"])}-{facts["sequence_id"]} "{facts["name"]}"'

    def _change(self, column: str, one: Difference) -> str:
        before, after = (one.before or {}).get(column), (one.after or {}).get(column)
        return f"{column.replace('_', ' ')} from {_shown(before)} to {_shown(after)}"

    # -- one table each ------------------------------------------------------------------------------------------

    def _items(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        if one.op == "added":
            return f"created {self._label_of(facts)} in {self._named('states', facts['state'])}"
        if one.op == "removed":
            return f"deleted {self._label_of(facts)}"
        before, after, told = one.before or {}, one.after or {}, []
        changed = set(one.changed_columns()) - {"completed_at"}
        item = self._label_of({**after, "name": before.get("name")})
        if "state" in changed:
            was, now = self._named("states", before["state"]), self._named("states", after["state"])
            told.append(f"moved {item} from {was} to {now}")
        if "archived_at" in changed:
            told.append(f"{'archived' if after['archived_at'] else 'restored'} {item}")
        if "description_html" in changed:
            told.append(f"rewrote the description of {item}")
        for column in sorted(changed - {"state", "archived_at", "description_html"}):
            old, new = before.get(column), after.get(column)
            if column == "parent":
                old, new = (self._item(id) if id else None for id in (old, new))
            told.append(f"set the {_FIELDS.get(column, column)} of {item} from {_shown(old)} to {_shown(new)}")
        return ", and ".join(told) or f"touched {item}"

    def _item_assignees(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        person, item = self._person(facts["assignee"]), self._item(facts["issue"])
        return f"gave {item} to {person}" if one.op == "added" else f"took {item} from {person}"

    def _item_labels(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        label, item = self._named("labels", facts["label"]), self._item(facts["issue"])
        return f'labelled {item} "{label}"' if one.op == "added" else f'took the label "{label}" off {item}'

    def _cycle_items(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        item = self._item(facts["issue"])
        if one.op == "changed":
            was, now = (self._named("cycles", (side or {})["cycle"]) for side in (one.before, one.after))
            return f'moved {item} from cycle "{was}" to cycle "{now}"'
        cycle = self._named("cycles", facts["cycle"])
        return f'put {item} into cycle "{cycle}"' if one.op == "added" else f'took {item} out of cycle "{cycle}"'

    def _module_items(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        item, module = self._item(facts["issue"]), self._named("modules", facts["module"])
        return f'put {item} into module "{module}"' if one.op == "added" else f'took {item} out of module "{module}"'

    def _module_members(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        person, module = self._person(facts["member"]), self._named("modules", facts["module"])
        verb = "added" if one.op == "added" else "removed"
        return f'{verb} {person} {"to" if one.op == "added" else "from"} module "{module}"'

    def _comments(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        verb = {"added": "wrote", "removed": "deleted the comment", "changed": "edited the comment"}[one.op]
        return f'{verb} "{_short(markup.plain(facts["comment_html"]))}" on {self._item(facts["issue"])}'

    def _links(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        return f"{one.op} the link {facts['url']} on {self._item(facts['issue'])}"

    def _attachments(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        name = facts["asset"].rpartition("/")[2].partition("-")[2]
        verb = {"added": "attached", "removed": "removed", "changed": "changed"}[one.op]
        return f'{verb} the file "{name}" on {self._item(facts["issue"])}'

    def _relations(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        kind = facts["relation_type"].replace("_", " ")
        ends = f"{self._item(facts['issue'])} {kind} {self._item(facts['related_issue'])}"
        return f"{one.op} the relation {ends}"

    def _custom_relations(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        kind = names.relation(self.db, facts["definition"])
        return f"{one.op} the relation {self._item(facts['issue'])} {kind} {self._item(facts['related_issue'])}"

    def _milestone_items(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        item = self._item(facts["issue"])
        title = names.milestone(self.db, facts["milestone"])
        return f'put {item} to milestone "{title}"' if one.op == "added" else f'took {item} from milestone "{title}"'

    def _intake_items(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        status = {-2: "pending", -1: "rejected", 0: "snoozed", 1: "accepted", 2: "duplicate"}.get(facts["status"])
        item = self._item(facts["issue"])
        if one.op == "added":
            return f"suggested {item} in the intake"
        return f"marked {item} {status} in the intake" if one.op == "changed" else f"took {item} out of the intake"

    def _worklogs(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        return f"{one.op} {facts['duration']} logged on {self._item(facts['issue'])}"

    def _invitations(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        verb = {"added": "invited", "removed": "withdrew the invitation of", "changed": "changed the invitation of"}
        return f"{verb[one.op]} {facts['email']} as {ROLE_SLUGS.get(facts['role'], facts['role'])}"

    def _project_members(self, one: Difference) -> str:
        facts = one.after or one.before or {}
        person, project = self._person(facts["member"]), self._project(facts["project"])
        role = ROLE_SLUGS.get(facts["role"], str(facts["role"]))
        if one.op == "added":
            return f"added {person} to {project} as {role}"
        if not facts["is_active"] or one.op == "removed":
            return f"removed {person} from {project}"
        return f"made {person} {role} of {project}"


def _shown(value: Any) -> str:
    return "none" if value in (None, "") else f'"{_short(str(value))}"' if isinstance(value, str) else str(value)


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
