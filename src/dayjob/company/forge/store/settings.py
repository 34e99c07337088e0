"""The instance's settings by name, its appearance and its feature flags; and how much there is of everything."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.namespaces import VISIBILITY
from dayjob.company.rows import packed

DEFAULTS: dict[str, Any] = {
    "id": 1,
    "default_projects_limit": 100000,
    "signup_enabled": False,
    "password_authentication_enabled_for_web": True,
    "password_authentication_enabled_for_git": True,
    "gravatar_enabled": False,
    "enabled_git_access_protocol": "http",
    "default_branch_protection": 2,
    "default_branch_name": None,
    "restricted_visibility_levels": [],
    "max_attachment_size": 100,
    "session_expire_delay": 10080,
    "default_project_visibility": "private",
    "default_snippet_visibility": "private",
    "default_group_visibility": "private",
    "home_page_url": None,
    "after_sign_out_path": None,
    "container_registry_token_expire_delay": 5,
    "repository_storages": ["default"],
    "plantuml_enabled": False,
    "user_oauth_applications": True,
    "bulk_import_enabled": False,
    "deletion_adjourned_period": 7,
    "allow_local_requests_from_web_hooks_and_services": True,
    "allow_local_requests_from_hooks_and_services": True,
    "throttle_authenticated_api_enabled": False,
    "throttle_authenticated_api_requests_per_period": 7200,
    "throttle_authenticated_api_period_in_seconds": 3600,
    "wiki_page_max_content_bytes": 52428800,
    "receive_max_input_size": None,
    "max_import_size": 0,
    "enforce_terms": False,
    "performance_bar_allowed_group_id": None,
    "instance_administration_project_id": None,
    "import_sources": ["gitlab_project"],
    "domain_allowlist": [],
    "domain_denylist_enabled": False,
    "domain_denylist": [],
    "first_day_of_week": 0,
    "version_check_enabled": False,
    "usage_ping_enabled": False,
    "require_admin_approval_after_user_signup": False,
    "project_export_enabled": True,
    "admin_mode": False,
    "disable_feed_token": False,
    "issues_create_limit": 0,
}
VISIBILITIES = ("default_project_visibility", "default_group_visibility", "default_snippet_visibility")
_FEATURE = "feature/"
_APPEARANCE = "appearance"
_COUNTED = {
    "forks": "projects WHERE forked_from IS NOT NULL",
    "issues": "issues",
    "merge_requests": "merge_requests",
    "notes": "notes",
    "snippets": "snippets",
    "ssh_keys": "ssh_keys",
    "milestones": "milestones",
    "users": "users",
    "projects": "projects",
    "groups": "namespaces WHERE kind='group'",
    "active_users": "users WHERE state='active' AND bot=0",
}


def current(store: Store) -> dict[str, Any]:
    """Every setting."""
    changed = {name: json.loads(value) for name, value in store.db.execute("SELECT name, value FROM settings")}
    return {name: changed.get(name, default) for name, default in DEFAULTS.items()}


def get(store: Store, name: str) -> Any:
    value = store.value("SELECT value FROM settings WHERE name=?", name)
    return DEFAULTS[name] if value is None else json.loads(value)


def default_visibility(store: Store, what: str, within: Namespace | None = None) -> int:
    """The visibility of a new `project` or `group` for which nobody names one; no more than that of its group."""
    level = VISIBILITY[get(store, f"default_{what}_visibility")]
    return min(level, within.visibility) if within is not None and within.kind == "group" else level


def change(store: Store, name: str, value: Any) -> None:
    store.db.execute("INSERT OR REPLACE INTO settings VALUES (?,?)", (name, packed(value)))


def appearance(store: Store) -> dict[str, Any]:
    """What was changed of how the instance looks."""
    value = store.value("SELECT value FROM settings WHERE name=?", _APPEARANCE)
    return json.loads(value) if value else {}


def change_appearance(store: Store, values: dict[str, Any]) -> None:
    change(store, _APPEARANCE, values)


def features(store: Store) -> list[dict[str, Any]]:
    """The feature flags that were set, by name."""
    values = store.values("SELECT value FROM settings WHERE name LIKE ? ORDER BY name", f"{_FEATURE}%")
    return [json.loads(value) for value in values]


def set_feature(store: Store, name: str, feature: dict[str, Any]) -> None:
    change(store, _FEATURE + name, feature)


def delete_feature(store: Store, name: str) -> None:
    store.db.execute("DELETE FROM settings WHERE name=?", (_FEATURE + name,))


def statistics(store: Store) -> dict[str, int]:
    return {name: store.value(f"SELECT count(*) FROM {source}") for name, source in _COUNTED.items()}
