"""Writing the board's part of a world into the snapshot.

Everything goes through the store functions that serve requests, so a compiled item has a history like any other.
"""

from __future__ import annotations

import html
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from dayjob.company.board.rows import Item, Project
from dayjob.company.board.store import accounts, cycles, items, modules, projects, talk, workspaces
from dayjob.company.board.store.base import Store, stored_moment
from dayjob.company.board.world.model import ProjectFile, Section, names_in, short_name
from dayjob.company.rows import update
from dayjob.company.world import Build, Located
from dayjob.company.world.yaml import parse_moment

COLORS = ("#EB5757", "#F2994A", "#F2C94C", "#27AE60", "#2F80ED", "#9B51E0", "#4EA7FC", "#BDBDBD")


class _Writer:
    """Compiles a section; moments that files leave out are counted from four weeks before the world's now."""

    def __init__(self, section: Section, build: Build) -> None:
        self.section = section
        self.world = build.world
        start = (build.world.info.now or datetime(2026, 1, 1, tzinfo=UTC)) - timedelta(days=28)
        self.start = stored_moment(start)
        self.store = Store(build.db, build.ids, self.start, "")
        self.users: dict[str, str] = {}
        self.workspace = build.ids.uuid()

    def at(self, moment: Any = None, by: Any = None) -> Store:
        """The store at a moment, in someone's hand."""
        found = parse_moment(moment) if moment is not None else None
        self.store.now = stored_moment(found) if found else self.start
        self.store.actor = self.user(by) or self.users[""]
        return self.store

    def user(self, name: Any) -> str | None:
        person = self.world.person(name) if name is not None else None
        return self.users[person.username] if person else None

    def run(self) -> None:
        self._accounts()
        for project in self.section.projects:
            self._project(project)
        if self.section.rate_limit is not None:
            workspaces.set_rate_limit(self.store.db, self.section.rate_limit)

    def _accounts(self) -> None:
        section, store = self.section, self.store
        email = section.admin_email
        for person in self.world.people:
            id = accounts.add_user(
                store, username=person.username, email=person.email, name=person.name, password=person.password,
                id=section.ids.get(person.username), display_name=section.display_names.get(person.username),
            )  # fmt: skip
            self.users[person.username] = id
            if person.email.lower() == email.lower():
                self.users[""] = id
        taken = {person.username for person in self.world.people}
        if "" not in self.users:
            short = email.partition("@")[0]
            username = email if short in taken else short
            self.users[""] = accounts.add_user(
                store, username=username, email=email, name=username.title(), password=section.admin_password
            )
        admin = self.users[""]
        store.actor = admin
        workspaces.create(store, self.workspace, name=section.name, slug=section.slug, owner=admin)
        accounts.add_workspace_member(store, self.workspace, admin, accounts.ADMIN)
        for person in self.world.people:
            if self.users[person.username] != admin:
                role = section.roles.get(person.username, accounts.MEMBER)
                accounts.add_workspace_member(store, self.workspace, self.users[person.username], role)
        if section.admin_key is not None:
            accounts.add_key(store.db, admin, section.admin_key)
        for username, key in section.keys.items():
            accounts.add_key(store.db, self.users[username], key)

    def _project(self, project: ProjectFile) -> None:
        facts, store = project.facts, self.at(project.facts.get("created"))
        db = store.db
        values = {
            "name": facts["name"], "identifier": facts["identifier"],
            "description": str(facts.get("description", "")).strip(), "project_lead": self.user(facts.get("lead")),
            "intake_view": bool(facts.get("intake")), "network": 0 if facts.get("secret") else 2,
            **_own_id(facts),
        }  # fmt: skip
        id = projects.create(store, self.workspace, values, states=not facts.get("states"))
        for username, role in project.members.items():
            if self.users[username] not in (self.users[""], values["project_lead"]):
                accounts.add_project_member(store, self.workspace, id, self.users[username], role)
        for at, state in enumerate(facts.get("states") or []):
            own = {name: state[name] for name in ("color", "description") if name in state}
            given = {"name": state["name"], "group": state["group"], "color": COLORS[at % len(COLORS)], **own}
            default = bool(state.get("default", at == 0))
            projects.add_state(
                store,
                self.workspace,
                id,
                {**given, "sequence": 15000.0 + 10000 * at, "default": default, **_own_id(state)},
            )
        states = {state.name: state.id for state in projects.states(db, id)}
        labels = {}
        for at, one in enumerate(_entries(facts, "labels")):
            color = one.get("color", COLORS[at % len(COLORS)])
            given = {"name": one["name"], "color": color, "description": one.get("description", ""), **_own_id(one)}
            labels[one["name"]] = projects.add_label(store, self.workspace, id, given)
        row = projects.project(db, self.section.slug, id)
        self._items(row, facts, states, labels, self._cycles(row, facts), self._modules(row, facts))

    def _cycles(self, project: Project, facts: Located) -> dict[str, str]:
        made = {}
        for plan in _entries(facts, "cycles"):
            store = self.at(facts.get("created"), plan.get("owner"))
            given = {"name": plan["name"], "description": str(plan.get("description", "")).strip(), **_own_id(plan)}
            if plan.get("start") is not None:
                given |= {"start_date": _midnight(plan["start"]), "end_date": _midnight(plan["end"])}
            made[plan["name"]] = cycles.create(store, project, given)
        return made

    def _modules(self, project: Project, facts: Located) -> dict[str, str]:
        made = {}
        for one in _entries(facts, "modules"):
            store = self.at(facts.get("created"), one.get("lead"))
            given = {
                "name": one["name"], "description": str(one.get("description", "")).strip(),
                "status": one.get("status", "planned"), "lead": self.user(one.get("lead")),
                "members": [self.user(name) for name in names_in(one.get("members"))],
                "start_date": _day(one.get("start")), "target_date": _day(one.get("due")), **_own_id(one),
            }  # fmt: skip
            made[one["name"]] = modules.create(store, project, given)
        return made

    def _items(
        self, project: Project, facts: Located, states: dict[str, str], labels: dict[str, str], plans: dict[str, str],
        parts: dict[str, str],
    ) -> None:  # fmt: skip
        named: dict[str, str] = {}
        made: list[Item] = []
        entries = _entries(facts, "items")
        for at, one in enumerate(entries):
            fallback = parse_moment(facts.get("created") or self.start)
            assert fallback is not None
            created = one.get("created") or stored_moment(fallback + timedelta(minutes=at))
            store = self.at(created, one.get("created_by"))
            given: dict[str, Any] = {
                "name": one["name"], "priority": one.get("priority", "none"), "start_date": _day(one.get("start")),
                "target_date": _day(one.get("due")),
                "assignees": [self.user(name) for name in names_in(one.get("assignees"))],
                "labels": [labels[name] for name in names_in(one.get("labels"))], **_own_id(one),
            }  # fmt: skip
            if one.get("state"):
                given["state"] = states[one["state"]]
            if one.get("description"):
                given["description_html"] = paragraphs(str(one["description"]))
            if one.get("number") is not None:
                update(store.db, "projects", project.id, {"last_sequence": one["number"] - 1})
            id = named[one["name"]] = items.create(store, project, given)
            self._finish(one, id)
            item = items.by_id(store.db, id)
            assert item is not None
            made.append(item)
            named[short_name(project.identifier, item.sequence_id)] = id
            for name in names_in(one.get("cycle")):
                cycles.place(store, cycles.cycle(store.db, project.id, plans[name]), item)
            for name in names_in(one.get("module")):
                modules.place(store, modules.module(store.db, project.id, parts[name]), item)
            self._talk(one, item, created)
        for one, item in zip(entries, made, strict=True):
            self._relate(one, item, named)

    def _finish(self, one: Located, id: str) -> None:
        """What is done was done when the file says, else on its due day, else at once."""
        when = parse_moment(one.get("completed") or one.get("due") or "")
        row = items.by_id(self.store.db, id)
        if row is not None and row.completed_at is not None and when is not None:
            update(self.store.db, "items", id, {"completed_at": stored_moment(when)})

    def _talk(self, one: Located, item: Item, created: Any) -> None:
        for comment in one.get("comments") or []:
            store = self.at(comment.get("at") or created, comment.get("by"))
            talk.add_comment(store, item, {"comment_html": paragraphs(str(comment["text"]))})
        for link in one.get("links") or []:
            store = self.at(created, one.get("created_by"))
            talk.add_link(store, item, {"url": link["url"], "title": link.get("title")})

    def _relate(self, one: Located, item: Item, named: dict[str, str]) -> None:
        store = self.at(one.get("created"), one.get("created_by"))
        for name in names_in(one.get("parent")):
            update(store.db, "items", item.id, {"parent": named[name]})
        others = [named[name] for name in names_in(one.get("blocked_by"))]
        if others:
            talk.relate(store, item, "blocked_by", others)


def compile(section: Section, build: Build) -> None:
    _Writer(section, build).run()


def _entries(facts: Located, key: str) -> list[Located]:
    """The things in a list; a plain text stands for one with that name."""
    return [one if isinstance(one, Located) else Located(name=one) for one in facts.get(key) or []]


def _own_id(facts: Located) -> dict[str, str]:
    return {"id": facts["id"]} if facts.get("id") is not None else {}


def _day(value: Any) -> str | None:
    found = parse_moment(value) if value is not None else None
    return found.date().isoformat() if found else None


def _midnight(value: Any) -> str:
    return stored_moment(datetime.combine(date.fromisoformat(_day(value) or ""), datetime.min.time(), UTC))


def paragraphs(text: str) -> str:
    """Plain text as HTML: an empty line parts paragraphs, lines that begin with a hyphen are a list."""
    made = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.splitlines()]
        if all(line.startswith("- ") for line in lines):
            made.append("<ul>" + "".join(f"<li>{html.escape(line[2:], quote=False)}</li>" for line in lines) + "</ul>")
        else:
            made.append(f"<p>{html.escape(' '.join(lines), quote=False)}</p>")
    return "".join(made)
