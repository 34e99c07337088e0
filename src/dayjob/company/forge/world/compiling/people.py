"""Accounts and groups as rows, and what groups and projects have alike: members, labels, milestones."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.store.users import digest, personal_namespace
from dayjob.company.forge.world.compiling.rows import Rows
from dayjob.company.forge.world.model import Group, Label, Milestone, Outsider
from dayjob.company.forge.world.reader import START
from dayjob.company.passwords import hash_password
from dayjob.company.rows import packed

SCOPES = ["api", "read_user", "read_repository", "write_repository", "sudo", "admin_mode"]


def add_accounts(rows: Rows) -> None:
    world = rows.build.world
    admin = world.info.accounts.get("forge", {})
    username = str(admin.get("username", "root"))
    if world.person(username) is None:
        name, email = str(admin.get("name", "Administrator")), str(admin.get("email", f"admin@{world.info.host}"))
        _account(rows, username, name, email, admin=True, password=admin.get("password"), token=admin.get("token"))
    for person in world.people:
        own = person.more.get("forge")
        more: dict[str, Any] = dict(own) if isinstance(own, dict) else {}
        mine = person.username == username
        _account(
            rows,
            person.username,
            person.name,
            person.email,
            admin=mine or bool(more.get("admin")),
            password=more.get("password", person.password if not mine else admin.get("password")),
            token=more.get("token", admin.get("token") if mine else None),
            profile={
                "job_title": person.title,
                "bio": str(person.more.get("bio") or ""),
                "organization": world.info.name,
            },
        )


def _account(
    rows: Rows, username: str, name: str, email: str, *, admin: bool = False, external: bool = False,
    bot: bool = False, password: Any = None, token: Any = None, profile: Any = None,
) -> None:  # fmt: skip
    user_id = rows.insert(
        "users",
        username=username,
        name=name,
        email=email,
        admin=int(admin),
        external=int(external),
        bot=int(bot),
        profile=packed(profile or {}),
        created_at=START,
        confirmed_at=START,
    )
    rows.users[username] = user_id
    rows.names[username] = name
    if password is not None:
        rows.insert("passwords", user_id=user_id, hash=hash_password(str(password), rows.build.ids.hex(16)))
    if token is not None:
        rows.insert(
            "tokens",
            kind="personal",
            user_id=user_id,
            name=f"{username}'s token",
            scopes=packed(SCOPES),
            created_at=START,
            hash=digest(str(token)),
        )
    if not bot:
        rows.namespaces[username] = rows.insert("namespaces", **personal_namespace(user_id, username, name, START))


def add_outsiders(rows: Rows, outsiders: list[Outsider]) -> None:
    """Those who wrote something and are not of the company: nobody can sign in as one of them."""
    host = rows.build.world.info.host
    for one in outsiders:
        email = one.email or f"{one.username}@users.noreply.{host}"
        _account(rows, one.username, one.name, email, external=not one.ghost, bot=one.ghost)


def add_group(rows: Rows, group: Group) -> None:
    parent = group.path.rpartition("/")[0]
    group_id = rows.insert(
        "namespaces",
        kind="group",
        name=group.name,
        path=group.path.rpartition("/")[2],
        full_path=group.path,
        parent_id=rows.namespaces.get(parent),
        visibility=group.visibility,
        description=group.description,
        created_at=group.created,
        milestones_seq=group.milestones[-1].number if group.milestones else 0,
    )
    rows.namespaces[group.path] = group_id
    add_members(rows, "Namespace", group_id, group.members, group.created)
    add_labels(rows, group.labels, group_id=group_id)
    add_milestones(rows, group.milestones, group.created, group_id=group_id)


def add_members(rows: Rows, kind: str, source: int, members: dict[str, int], at: str) -> None:
    for username, level in members.items():
        rows.insert(
            "members",
            source_type=kind,
            source_id=source,
            user_id=rows.users[username],
            access_level=level,
            created_at=at,
        )


def add_labels(rows: Rows, labels: list[Label], **place: int) -> None:
    for label in labels:
        rows.insert("labels", name=label.name, color=label.color, description=label.description, **place)


def add_milestones(rows: Rows, milestones: list[Milestone], at: str, **place: int) -> None:
    for one in milestones:
        rows.insert(
            "milestones",
            iid=one.number,
            title=one.title,
            description=one.description,
            state=one.state,
            due_date=one.due,
            start_date=one.start,
            created_at=at,
            updated_at=at,
            **place,
        )
