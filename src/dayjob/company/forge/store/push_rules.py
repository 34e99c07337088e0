"""Push rules of projects and groups. They are stored and shown; git itself does not enforce them here."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import not_found, refused
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import records
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.members import Source

DEFAULTS: dict[str, Any] = {
    "commit_message_regex": "",
    "commit_message_negative_regex": "",
    "branch_name_regex": "",
    "deny_delete_tag": False,
    "member_check": False,
    "prevent_secrets": False,
    "author_email_regex": "",
    "file_name_regex": "",
    "max_file_size": 0,
    "commit_committer_check": False,
    "commit_committer_name_check": False,
    "reject_unsigned_commits": False,
    "reject_non_dco_commits": False,
}


def find(store: Store, source: Source) -> dict[str, Any] | None:
    return records.setting(store, "push_rule", _scope(source), source.id)


def create(store: Store, source: Source, values: dict[str, Any]) -> dict[str, Any]:
    """A project or group has one rule."""
    if find(store, source) is not None:
        project = isinstance(source, Project)
        raise refused(422, "Project push rule exists" if project else "Group push rule exists, try updating")
    new = {"id": source.id, f"{_scope(source)}_id": source.id, "created_at": store.now()}
    return _set(store, source, {**DEFAULTS, **new, **values})


def change(store: Store, source: Source, values: dict[str, Any]) -> dict[str, Any]:
    return _set(store, source, {**DEFAULTS, **_existing(store, source), **values})


def delete(store: Store, source: Source) -> None:
    _existing(store, source)
    records.delete_setting(store, "push_rule", _scope(source), source.id)


def _scope(source: Source) -> str:
    return "project" if isinstance(source, Project) else "group"


def _existing(store: Store, source: Source) -> dict[str, Any]:
    rule = find(store, source)
    if rule is None:
        raise not_found("Push Rule")
    return rule


def _set(store: Store, source: Source, rule: dict[str, Any]) -> dict[str, Any]:
    records.set_setting(store, "push_rule", _scope(source), source.id, rule)
    return rule
