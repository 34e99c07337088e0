"""One sentence for each difference a grader may ask about: who did what to what."""

from __future__ import annotations

from typing import Any

from dayjob.company.changes import Difference
from dayjob.company.forge.rows.items import Issue, MergeRequest
from dayjob.company.forge.store import namespaces, projects, users
from dayjob.company.forge.store.base import Store

_NOUNS = {
    "users": "the account",
    "emails": "an address",
    "ssh_keys": "the key",
    "tokens": "the token",
    "namespaces": "the group",
    "projects": "the project",
    "members": "a membership",
    "group_links": "a share",
    "stars": "a star",
    "refs": "the ref",
    "protected_refs": "the protection of",
    "labels": "the label",
    "milestones": "the milestone",
    "issues": "issue",
    "merge_requests": "merge request",
    "approvals": "an approval",
    "notes": "a comment",
    "award_emoji": "a reaction",
    "issue_links": "a link between issues",
    "releases": "the release",
    "release_links": "a release's link",
    "wiki_pages": "the wiki page",
    "snippets": "the snippet",
    "packages": "the package",
    "package_files": "the package file",
    "uploads": "the upload",
    "records": "the",
    "settings": "the setting",
}
_VERBS = {"added": "added", "removed": "removed", "changed": "changed"}


def describe(store: Store, difference: Difference) -> str:
    """Such as: `sam.reed closed issue larkspur/trellis#3 "Clock drifts"`."""
    row = difference.after or difference.before or {}
    who = difference.by or "somebody"
    teller = {
        "issues": _issue, "merge_requests": _merge_request, "notes": _note, "refs": _ref, "wiki_pages": _page,
        "members": _member,
    }.get(difference.table)  # fmt: skip
    if teller is not None:
        return f"{who} {teller(store, difference, row)}"
    noun = _NOUNS.get(difference.table, difference.table)
    name = (
        row.get("full_path") or row.get("username") or row.get("name") or row.get("title") or row.get("tag_name") or ""
    )
    if difference.table == "records":
        noun = f"the {row.get('kind', 'record')}"
    place = _project(store, row.get("project_id"))
    where = f" in {place}" if place and difference.table != "projects" else ""
    return f"{who} {_VERBS[difference.op]} {noun}{f' {name}' if name else ''}{where}{_columns(difference)}"


def _columns(difference: Difference) -> str:
    if difference.op != "changed":
        return ""
    names = difference.changed_columns()
    return f" ({', '.join(names)})" if names else ""


def _project(store: Store, project_id: Any) -> str:
    if not project_id:
        return ""
    return projects.path_of(store, project_id) or f"project {project_id}"


def _short(text: Any) -> str:
    plain = " ".join(str(text).split())
    return f'"{plain[:77]}…"' if len(plain) > 78 else f'"{plain}"'


def _issue(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    return _item(difference, f"issue {_project(store, row['project_id'])}#{row['iid']} {_short(row['title'])}")


def _merge_request(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    return _item(difference, f"merge request {_project(store, row['project_id'])}!{row['iid']} {_short(row['title'])}")


def _item(difference: Difference, name: str) -> str:
    if difference.op != "changed":
        return f"{'opened' if difference.op == 'added' else 'deleted'} {name}"
    before, after = difference.before or {}, difference.after or {}
    if before.get("state") != after.get("state"):
        return f"{ {'closed': 'closed', 'merged': 'merged', 'opened': 'reopened'}[after['state']] } {name}"
    return f"changed {name}{_columns(difference)}"


def _note(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    verb = {"added": "commented", "removed": "deleted the comment", "changed": "changed the comment to"}[difference.op]
    row_class: Any = {"Issue": Issue, "MergeRequest": MergeRequest}.get(row["noteable_type"])
    item = store.by_ids(row_class, [row["noteable_id"]]).get(row["noteable_id"]) if row_class else None
    iid = item.iid if item else None
    sign = {"Issue": "#", "MergeRequest": "!"}.get(row["noteable_type"], " ")
    place = f"{_project(store, row['project_id'])}{sign}{iid}" if iid else f"a {row['noteable_type'].lower()}"
    return f"{verb} {_short(row['body'])} on {place}"


def _ref(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    kind, name = ("branch", row["name"][11:]) if row["name"].startswith("refs/heads/") else ("tag", row["name"][10:])
    verb = {"added": "created", "removed": "deleted", "changed": "pushed to"}[difference.op]
    return f"{verb} {kind} {name} of {_project(store, row['project_id'])}"


def _page(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    verb = {"added": "wrote", "removed": "deleted", "changed": "edited"}[difference.op]
    place = _project(store, row["owner_id"]) if row["owner_type"] == "project" else f"group {row['owner_id']}"
    return f"{verb} the wiki page {_short(row['title'])} of {place}"


def _member(store: Store, difference: Difference, row: dict[str, Any]) -> str:
    user = users.by_id(store, row["user_id"])
    name = user.username if user else f"user {row['user_id']}"
    find: Any = projects.find if row["source_type"] == "Project" else namespaces.find
    source = find(store, row["source_id"])
    place = source.full_path if source else "something that is gone"
    verb = {"added": "added", "removed": "removed", "changed": "changed the access of"}[difference.op]
    return f"{verb} {name} {'from' if difference.op == 'removed' else 'in'} {place} (level {row['access_level']})"
