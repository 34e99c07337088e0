"""Schedules that a project has when a world begins: `schedules.yml`."""

from __future__ import annotations

import re

from dayjob.company.clock import stamp
from dayjob.company.forge.ci.cron import Cron, InvalidCron, zone
from dayjob.company.forge.ci.planning import said
from dayjob.company.forge.world.model import PlannedPipeline, Project
from dayjob.company.forge.world.reader import Reader
from dayjob.company.world import Located

_VARIABLE = re.compile(r"[A-Za-z0-9_]{1,255}")


def read_schedules(reader: Reader, project: Project, file: str) -> None:
    if file not in reader.files:
        return
    for one in reader.mappings(reader.world.yaml(file), file, "schedules"):
        if not isinstance(one.get("cron"), str):
            fix = "Add 'cron: \"0 3 * * 1-5\"', in quotes: minute, hour, day, month, weekday."
            reader.wrong(file, one.at("cron"), "A schedule has a cron line.", fix)
            continue
        reader.keys(one, {"cron", "timezone", "branch", "description", "by", "active", "variables"}, file)
        branch = str(one.get("branch", project.default_branch))
        if project.bundle is None and all(commit.branch != branch for commit in project.history):
            words = f"There is no branch '{branch}'."
            reader.wrong(file, one.at("branch"), words, "Make it in history.yml.", "dangling")
        active = one.get("active", True)
        if not isinstance(active, bool):
            reader.wrong(file, one.at("active"), "'active' is true or false.", "Leave it out for one that runs.")
        owner = reader.person(one.get("by", project.author), file, one.at("by"))
        timezone = str(one.get("timezone", "UTC"))
        cron = one["cron"]
        project.schedules.append(
            PlannedPipeline(
                reader.optional(one, "description") or "Schedule", branch, cron, timezone,
                _next(reader, one, cron, timezone, file), owner, bool(active), _variables(reader, one, file),
            )
        )  # fmt: skip


def _next(reader: Reader, one: Located, cron: str, timezone: str, file: str) -> str | None:
    now = reader.world.info.now
    if now is None:
        words = "Schedules need a world whose clock has a start."
        reader.wrong(file, one.line, words, "Add 'now = …' to world.toml.")
        return None
    try:
        zone(timezone)
    except InvalidCron as error:
        reader.wrong(file, one.at("timezone"), f"{error}.", "Write UTC, or a name such as Europe/Vienna.")
        return None
    try:
        found = Cron(cron).after(now, timezone)
    except InvalidCron as error:
        fix = "Write minute, hour, day, month and weekday: '0 3 * * 1-5'."
        reader.wrong(file, one.at("cron"), f"{error}.", fix)
        return None
    if found is None:
        reader.wrong(file, one.at("cron"), f"'{cron}' never comes.", "Write a day that a year has.")
    return stamp(found) if found is not None else None


def _variables(reader: Reader, one: Located, file: str) -> dict[str, str]:
    given = reader.mapping(one, "variables", file, "names to texts", "Write NAME: text.")
    for name, value in given.items():
        if not _VARIABLE.fullmatch(name) or isinstance(value, dict | list):
            fix = "Use letters, digits and '_', and a text for each."
            reader.wrong(file, given.at(name), f"'{name}' cannot be a variable.", fix)
    return {name: said(value) for name, value in given.items()}
