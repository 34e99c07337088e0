"""Hooks that really deliver: an event becomes an HTTP request to every address that asked for it.

Deliveries leave from the company's own process, so they are sent only when people are served; in a trial, where that
would be a door out of the sandbox, the attempt is written down and nothing is sent.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import TYPE_CHECKING, Any

import requests

from dayjob.company.forge.store import namespaces
from dayjob.company.forge.store.base import dumps
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

TITLES = {
    "push": "Push Hook", "tag_push": "Tag Push Hook", "issues": "Issue Hook", "merge_requests": "Merge Request Hook",
    "note": "Note Hook", "wiki_page": "Wiki Page Hook", "releases": "Release Hook", "pipeline": "Pipeline Hook",
}  # fmt: skip
NAMES = {
    "push": "push", "tag_push": "tag_push", "issues": "issue", "merge_requests": "merge_request", "note": "note",
    "wiki_page": "wiki_page", "releases": "release", "pipeline": "pipeline",
}  # fmt: skip
TIMEOUT = 10
KEPT = 20


class Deliveries:
    """Sends one company's hooks; each delivery is a task this object holds until it is done."""

    def __init__(self, forge: Forge) -> None:
        self._forge = forge
        self._tasks: set[asyncio.Task[None]] = set()

    def announce(self, project: Project, user: User, kind: str, facts: dict[str, Any]) -> None:
        """Something happened in a project: tell its hooks and its groups'."""
        store = self._forge.store
        above = namespaces.ancestors(store, project.namespace_id)
        marks = ",".join("?" * len(above))
        rows = store.db.execute(
            "SELECT id, body, secret FROM records WHERE kind='hook' AND (scope='project' AND scope_id=? OR "
            "scope='group' "
            f"AND scope_id IN ({marks}) OR scope='instance')",
            (project.id, *above),
        ).fetchall()
        if not rows:
            return
        payload = self.payload(project, user, kind, facts)
        for hook_id, body, secret in rows:
            hook = json.loads(body)
            if hook.get(f"{kind}_events"):
                self.send(hook_id, hook["url"], json.loads(secret).get("token"), kind, payload)

    def payload(self, project: Project, user: User, kind: str, facts: dict[str, Any]) -> dict[str, Any]:
        base = self._forge.company.world.url("forge")
        space = self._forge.store.one(Namespace, "id=?", project.namespace_id)
        about = {
            "id": project.id,
            "name": project.name,
            "description": project.description,
            "path_with_namespace": project.full_path,
            "web_url": f"{base}/{project.full_path}",
            "git_http_url": f"{base}/{project.full_path}.git",
            "namespace": space.name if space else "",
            "visibility_level": project.visibility,
            "default_branch": project.default_branch,
            "homepage": f"{base}/{project.full_path}",
        }
        if kind in ("push", "tag_push"):
            who: dict[str, Any] = {
                "user_id": user.id,
                "user_name": user.name,
                "user_username": user.username,
                "user_email": user.email,
            }
        else:
            who = {"user": {"id": user.id, "name": user.name, "username": user.username, "email": user.email}}
        return {
            "object_kind": NAMES[kind],
            "event_name": NAMES[kind],
            **who,
            "project_id": project.id,
            "project": about,
            **facts,
        }

    def send(self, hook_id: int, url: str, token: str | None, kind: str, payload: dict[str, Any]) -> None:
        if self._forge.company.phase != "serve":
            self._note(hook_id, url, kind, "not sent: a trial's hooks do not leave the company")
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._note(hook_id, url, kind, "not sent: nothing is being served")
            return
        task = loop.create_task(self._deliver(hook_id, url, token, kind, payload))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, hook_id: int, url: str, token: str | None, kind: str, payload: dict[str, Any]) -> None:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "GitLab/17.9.1",
            "X-Gitlab-Event": TITLES[kind],
            "X-Gitlab-Event-UUID": str(uuid.uuid4()),
            "X-Gitlab-Instance": self._forge.company.world.url("forge"),
        }
        if token:
            headers["X-Gitlab-Token"] = token
        try:
            found = await asyncio.to_thread(
                requests.post,
                url,
                data=json.dumps(payload).encode(),
                headers=headers,
                timeout=TIMEOUT,
                allow_redirects=False,
            )
            outcome = str(found.status_code)
        except requests.RequestException as error:
            outcome = type(error).__name__
        self._note(hook_id, url, kind, outcome)

    def _note(self, hook_id: int, url: str, kind: str, outcome: str) -> None:
        """Keep the latest attempts, for `…/hooks/:id/events`."""
        store = self._forge.store
        now = store.now()
        body = {"url": url, "trigger": f"{kind}_hooks", "response_status": outcome}
        store.insert(
            "records",
            kind="hook_event",
            scope="hook",
            scope_id=hook_id,
            name=kind,
            body=dumps(body),
            created_at=now,
            updated_at=now,
        )
        store.db.execute(
            "DELETE FROM records WHERE kind='hook_event' AND scope='hook' AND scope_id=? AND id NOT IN "
            "(SELECT id FROM records WHERE kind='hook_event' AND scope='hook' AND scope_id=? ORDER BY id DESC LIMIT ?)",
            (hook_id, hook_id, KEPT),
        )
