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

from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project, Record
from dayjob.company.forge.store import hooks, namespaces

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

TITLES = {
    "push": "Push Hook", "tag_push": "Tag Push Hook", "issues": "Issue Hook", "merge_requests": "Merge Request Hook",
    "confidential_issues": "Confidential Issue Hook", "note": "Note Hook", "releases": "Release Hook",
    "confidential_note": "Confidential Note Hook", "wiki_page": "Wiki Page Hook", "pipeline": "Pipeline Hook",
    "job": "Job Hook",
}  # fmt: skip
NAMES = {
    "push": "push", "tag_push": "tag_push", "issues": "issue", "confidential_issues": "confidential_issue",
    "merge_requests": "merge_request", "note": "note", "confidential_note": "confidential_note",
    "wiki_page": "wiki_page", "releases": "release", "pipeline": "pipeline", "job": "build",
}  # fmt: skip
TIMEOUT = 10


class Deliveries:
    """Sends one company's hooks; each delivery is a task this object holds until it is done."""

    def __init__(self, forge: Forge) -> None:
        self._forge = forge
        self._tasks: set[asyncio.Task[None]] = set()

    def announce(self, project: Project, user: User, kind: str, facts: dict[str, Any]) -> None:
        """Something happened in a project: tell its hooks and its groups'."""
        listening = hooks.listening(self._forge.store, project)
        if not listening:
            return
        payload = self.payload(project, user, kind, facts)
        for hook in listening:
            if hooks.hears(hook, kind, facts.get("ref", "")):
                self.send(hook, kind, payload)

    def payload(self, project: Project, user: User, kind: str, facts: dict[str, Any]) -> dict[str, Any]:
        base = self._forge.company.world.url("forge")
        space = namespaces.find(self._forge.store, project.namespace_id)
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
            "object_kind": NAMES[kind].removeprefix("confidential_"),
            "event_name": NAMES[kind],
            **who,
            "project_id": project.id,
            "project": about,
            **facts,
        }

    def send(self, hook: Record, kind: str, payload: dict[str, Any]) -> None:
        if self._forge.company.phase != "serve":
            hooks.note_attempt(self._forge.store, hook, kind, "not sent: a trial's hooks do not leave the company")
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            hooks.note_attempt(self._forge.store, hook, kind, "not sent: nothing is being served")
            return
        task = loop.create_task(self._deliver(hook, kind, payload))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, hook: Record, kind: str, payload: dict[str, Any]) -> None:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "GitLab/17.9.1",
            "X-Gitlab-Event": TITLES[kind],
            "X-Gitlab-Event-UUID": str(uuid.uuid4()),
            "X-Gitlab-Instance": self._forge.company.world.url("forge"),
        }
        if token := hook.secrets.get("token"):
            headers["X-Gitlab-Token"] = token
        try:
            found = await asyncio.to_thread(
                requests.post,
                hook.values["url"],
                data=json.dumps(payload).encode(),
                headers=headers,
                timeout=TIMEOUT,
                verify=bool(hook.values["enable_ssl_verification"]),
                allow_redirects=False,
            )
            outcome = str(found.status_code)
        except requests.RequestException as error:
            outcome = type(error).__name__
        hooks.note_attempt(self._forge.store, hook, kind, outcome)
