"""A forge asked without sockets: people, groups, projects and what is in them, made in a line each."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.errors import Refused
from dayjob.company.forge.rows.items import Issue, MergeRequest
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.service import Forge
from dayjob.company.forge.store import issues, merge_requests, namespaces, projects, users
from dayjob.company.forge.store.base import Store
from tests.company.bare import Bare

LEVELS = {"guest": 10, "planner": 15, "reporter": 20, "developer": 30, "maintainer": 40, "owner": 50}
PRIVATE, INTERNAL, PUBLIC = 0, 10, 20


class Office:
    """A forge with nobody in it but its administrator."""

    def __init__(self) -> None:
        self.company = Bare("forge")
        forge = self.company.service("forge")
        assert isinstance(forge, Forge)
        self.store: Store = forge.store
        self.root = self.person("root", admin=True)

    def person(self, name: str, **facts: Any) -> User:
        return users.create(
            self.store, username=name, name=name.title(), email=f"{name}@bare.test", password=None, **facts
        )

    def group(self, path: str, parent: Namespace | None = None, visibility: int = PRIVATE) -> Namespace:
        return namespaces.create_group(self.store, None, name=path, path=path, parent=parent, visibility=visibility)

    def project(self, path: str, group: Namespace | None = None, visibility: int = PRIVATE, **facts: Any) -> Project:
        place = group or namespaces.find(self.store, "root")
        assert place is not None
        return projects.create(self.store, self.root, place, name=path, path=path, visibility=visibility, **facts)

    def join(self, place: Project | Namespace, user: User, level: int, until: str | None = None) -> None:
        kind = "Project" if isinstance(place, Project) else "Namespace"
        self.store.insert(
            "members", source_type=kind, source_id=place.id, user_id=user.id, access_level=level, expires_at=until,
            created_at=self.store.now(),
        )  # fmt: skip

    def share(self, place: Project | Namespace, group: Namespace, level: int, until: str | None = None) -> None:
        kind = "Project" if isinstance(place, Project) else "Namespace"
        self.store.insert(
            "group_links", source_type=kind, source_id=place.id, group_id=group.id, access_level=level, expires_at=until
        )

    def issue(self, project: Project, author: User | None = None, **facts: Any) -> Issue:
        return issues.create(self.store, author or self.root, project, "An issue", **facts)

    def request(self, project: Project, author: User | None = None, **facts: Any) -> MergeRequest:
        now = self.store.now()
        made = self.store.insert(
            "merge_requests", project_id=project.id, source_project_id=project.id, source_branch="topic",
            iid=self.store.next_iid("projects", project.id, "merge_requests_seq"), target_branch="main",
            title="A request", author_id=(author or self.root).id, created_at=now, updated_at=now, **facts,
        )  # fmt: skip
        return merge_requests.get(self.store, made)

    def listed(self, table: str, condition: str) -> set[int]:
        """The ids of the rows that a list with this condition shows."""
        return set(self.store.values(f"SELECT t.id FROM {table} t WHERE {condition}"))


def refused(what: Any, *args: Any, **more: Any) -> int:
    """The status something is refused with; a reason always comes with it."""
    with pytest.raises(Refused) as found:
        what(*args, **more)
    assert found.value.body.get("message") or found.value.body.get("error")
    return found.value.status
