"""The colleagues of a checkout as the people of a world: one account each, every name once."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from dayjob.importing.checkout import DEFINITIONS, Checkout, Definition
from dayjob.importing.gaps import Gap

_ALL_OF = re.compile(r"\ball\s+([\w-]+)\s+channels?\b", re.I)
_LISTED = re.compile(r"#([^\s,;#]+)")
CHANNEL = re.compile(r"[0-9A-Za-z_.-]{1,100}")
"""What a channel can be called."""


@dataclass(slots=True)
class Colleague:
    name: str
    username: str
    password: str | None
    title: str = ""
    persona: str = ""
    channels: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Cast:
    people: list[Colleague] = field(default_factory=list)
    channels: list[str] = field(default_factory=list)
    """Every channel that someone is in, as first written."""
    gaps: list[Gap] = field(default_factory=list)


def username_for(name: str) -> str:
    """`Zoë van Dyck` is `zoe_van_dyck`, as the published accounts are formed; empty when nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9.]+", "_", plain).strip("_.")[:60]


def read_cast(checkout: Checkout, own_accounts: frozenset[str], examinee: str) -> Cast:
    """Who is defined, then who only has an account, then who only stands in a scenario; `own_accounts` are taken.

    A definition that has the examinee's account for a first name is the examinee, and no colleague.
    """
    cast = Cast()
    taken = {one.lower() for one in own_accounts}
    scenarios: dict[str, list[str]] = {}
    for task in checkout.tasks:
        for name in task.colleagues:
            scenarios.setdefault(name, []).append(task.name)
    known: dict[str, Definition] = {}
    for one in checkout.definitions:
        if one.name.partition(" ")[0] == examinee:
            continue
        if one.name in known:
            cast.gaps.append(Gap("people", one.name, f"{DEFINITIONS} defines this name twice; the first one counts."))
        known.setdefault(one.name, one)
    for name in [*known, *checkout.credentials, *scenarios]:
        if any(one.name == name for one in cast.people):
            continue
        _join(cast, checkout, taken, name, known.get(name), tuple(sorted(scenarios.get(name, ()))))
    _enter_channels(cast, known)
    return cast


def _join(
    cast: Cast, checkout: Checkout, taken: set[str], name: str, facts: Definition | None, tasks: tuple[str, ...]
) -> None:
    credential = checkout.credentials.get(name)
    wanted = credential.username if credential else username_for(name)
    username = wanted if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", wanted) else username_for(wanted)
    base, number = username or "colleague", 2
    username = base
    while username.lower() in taken:
        username, number = f"{base}_{number}", number + 1
    if name.lower() in taken or name in taken:
        cast.gaps.append(Gap("people", name, "the name is somebody's username; this colleague was left out.", tasks))
        return
    taken |= {username.lower(), name, name.lower()}
    if username != wanted:
        cast.gaps.append(
            Gap("people", name, f"the account is '{username}', because '{wanted}' is taken or cannot be one.", tasks)
        )
    if facts is None:
        source = "the credentials name" if credential else "a scenario names"
        why = f"only {source} them: there is no definition, so they have no title, persona or channels."
        cast.gaps.append(Gap("people", name, why, tasks, f"people/{username}.yml"))
    elif credential is None:
        why = f"no credentials: they can be written to as '{username}', but nobody can sign in as them."
        cast.gaps.append(Gap("people", name, why, tasks, f"people/{username}.yml"))
    cast.people.append(
        Colleague(
            name,
            username,
            credential.password if credential else None,
            facts.title if facts else "",
            facts.persona if facts else "",
        )
    )


def _enter_channels(cast: Cast, known: dict[str, Definition]) -> None:
    spelling: dict[str, str] = {}
    listed: dict[str, list[str]] = {}
    for one in known.values():
        for written in _LISTED.findall(one.channels):
            name = written.strip(".,")
            if not CHANNEL.fullmatch(name):
                why = f"{DEFINITIONS} puts {one.name} there; a channel cannot be called so."
                cast.gaps.append(Gap("channels", f"#{written}", why))
                continue
            listed.setdefault(one.name, []).append(spelling.setdefault(name.lower(), name))
    of_projects = sorted(name for name in spelling.values() if name.lower().startswith("project-"))
    for person in cast.people:
        names = listed.get(person.name, [])
        facts = known.get(person.name)
        for word in _ALL_OF.findall(facts.channels if facts else ""):
            names = [*of_projects, *names]
            if not word.lower().startswith("project"):
                why = f"'all {word} channels' was read as every channel whose name begins with project-."
                cast.gaps.append(Gap("channels", person.name, why, (), f"people/{person.username}.yml"))
        person.channels = list(dict.fromkeys(names))
    cast.channels = list(spelling.values())
