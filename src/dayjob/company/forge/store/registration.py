"""Registration tokens: with one, a program registers a runner of the instance, a group or a project."""

from __future__ import annotations

import secrets

from dayjob.company.forge.errors import forbidden
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import Project, Record
from dayjob.company.forge.store import records
from dayjob.company.forge.store.base import Store

PREFIX = "GR1348941"


def token(store: Store, scope: str, scope_id: int) -> str:
    """The place's token; made when first asked for."""
    found = records.named(store, "runners_token", scope, scope_id, "")
    return str(found[0].secrets["token"]) if found else reset(store, scope, scope_id)


def reset(store: Store, scope: str, scope_id: int) -> str:
    secret = PREFIX + secrets.token_urlsafe(15)
    found = records.named(store, "runners_token", scope, scope_id, "")
    if found:
        records.change(store, found[0], {}, {"token": secret})
    else:
        records.create(store, "runners_token", scope, scope_id, "", {}, {"token": secret})
    return secret


def place_of(store: Store, secret: str) -> tuple[str, Project | Namespace | None]:
    """The kind of runner that the token registers, and where; 403 for a token that is none."""
    for record in store.all(Record, "kind='runners_token'"):
        if secrets.compare_digest(str(record.secrets.get("token")).encode(), secret.encode()):
            if record.scope == "instance":
                return "instance_type", None
            if record.scope == "group":
                return "group_type", store.get(Namespace, record.scope_id)
            return "project_type", store.get(Project, record.scope_id)
    raise forbidden("Invalid registration token")
