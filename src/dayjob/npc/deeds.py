"""What colleagues may do, with the people it names as the services know them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dayjob.company.timeline.checks import ACTS
from dayjob.task.colleague_sheet import ColleagueSheet

_ONE, _MANY = ("with",), ("assignees", "reviewers", "members")


class ImpossibleDeed(Exception):
    """A deed names somebody who does not work here, or lacks what its act needs."""


def with_usernames(sheet: ColleagueSheet, people: Mapping[str, str]) -> ColleagueSheet:
    """The sheet, with usernames for the full names in its deeds. Raises `ImpossibleDeed`."""
    may = tuple(replace(deed, facts=_resolved(deed.facts, people)) for deed in sheet.may)
    for deed in may:
        missing = [one for one in ACTS[deed.act].needed if one not in deed.facts]
        if missing:
            raise ImpossibleDeed(f"'{deed.act}' needs {' and '.join(missing)}")
    return replace(sheet, may=may) if may else sheet


def _resolved(facts: Any, people: Mapping[str, str]) -> Mapping[str, Any]:
    if not isinstance(facts, Mapping):
        return {"status": facts}  # the one act that takes a word
    found = dict(facts)
    for key in _ONE:
        if key in found:
            found[key] = _username(found[key], people)
    for key in _MANY:
        if key in found:
            found[key] = [_username(one, people) for one in found[key]]
    if "in" in found and not str(found["in"]).startswith("#"):
        found["in"] = "@" + _username(found["in"], people)
    return found


def _username(name: Any, people: Mapping[str, str]) -> str:
    if name in people:
        return people[name]
    if name in people.values():
        return str(name)
    raise ImpossibleDeed(f"nobody here is called '{name}'")
