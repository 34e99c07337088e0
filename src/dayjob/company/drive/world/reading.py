"""The drive's part of a world: real files in folders, and who they are shared with.

- `drive/files/**` belongs to the company account (`[accounts.drive]`); whatever stands at its top and is not named in
  `shares.yml` is shared with everyone, with all permissions.
- `drive/people/<username>/**` belongs to that person.
- `drive/shares.yml` is a list of `{path, owner, with, permissions, since, password, expires, name, token}`; `with` is a
  username, a list of them, `everyone`, or `public link`; `permissions` is read, edit, all, or (links) upload.
- `drive/times.yml` says when files were made and changed: see `times`.
- A file named `.gitkeep` only keeps its folder.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from dayjob.company.drive.names import chain, name_problem, parent_of
from dayjob.company.drive.rows import ALL, CREATE, DELETE, READ, UPDATE
from dayjob.company.drive.sizes import parse_size
from dayjob.company.drive.world.model import EVERYONE, Account, Section, WorldShare
from dayjob.company.drive.world.times import TIMES, Span, age, moment_of, place_of, read_rules, spans
from dayjob.company.world import Located, World
from dayjob.company.world.model import line_of
from dayjob.company.world.yaml import parse_moment

SHARES = "drive/shares.yml"
PUBLIC_LINK = "public link"
DEFAULT_QUOTA = 100 * 1000**3
_KEEP = ".gitkeep"
_KEYS = {"path", "owner", "with", "permissions", "since", "password", "expires", "name", "token"}
_RIGHTS = {"read": READ, "edit": READ | UPDATE | CREATE | DELETE, "all": ALL, "upload": CREATE}


def load(world: World) -> Section:
    facts = world.info.accounts.get("drive", {})
    account = str(facts.get("username", "admin"))
    section = Section(account, _quota(world))
    section.accounts.append(
        Account(account, str(facts.get("name", account)), _text(facts.get("email")),
                str(facts.get("password", "admin")), True)
    )  # fmt: skip
    for person in world.people:
        if person.username.lower() == account.lower():
            world.problems.add(
                "duplicate", person.file, 1, f"'{account}' is the drive's own account ([accounts.drive]).",
                "Give the person another username.",
            )  # fmt: skip
        elif person.more.get("drive") is not False:
            section.accounts.append(Account(person.username, person.name, person.email, person.password, False))
    _files(world, section)
    _times(world, section)
    _shares(world, section)
    return section


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _quota(world: World) -> int:
    settings = world.settings.get("drive", {})
    wanted = settings.get("quota", DEFAULT_QUOTA) if isinstance(settings, dict) else DEFAULT_QUOTA
    found = parse_size(wanted)
    if found is None:
        world.problems.add(
            "drive-quota", "world.toml", line_of(world.files, "quota"), f"'{wanted}' is not a size.",
            "Write a number of bytes, or '5 GB'.",
        )  # fmt: skip
    return DEFAULT_QUOTA if found is None else found


def _files(world: World, section: Section) -> None:
    usernames = {one.username for one in section.accounts}
    for relative in world.files.under("drive/"):
        if relative in (SHARES, TIMES):
            continue
        parts = relative.split("/")
        if parts[1] == "files" and len(parts) > 2:
            owner, inside = section.account, parts[2:]
        elif parts[1] == "people" and len(parts) > 3:
            owner, inside = parts[2], parts[3:]
            if owner not in usernames:
                world.known(owner, relative, 0)
                continue
        else:
            world.problems.add(
                "drive-place", relative, 0, "This file is in no part of the drive.",
                "Put it under drive/files/ or drive/people/<username>/.",
            )  # fmt: skip
            continue
        if inside[-1] == _KEEP:
            inside = inside[:-1]
            source = None
        else:
            source = world.files.path(relative)
        _add(world, section.files.setdefault(owner, {}), relative, inside, source)


def _add(world: World, tree: dict[str, Path | None], relative: str, parts: list[str], source: Path | None) -> None:
    parts = [unicodedata.normalize("NFC", part) for part in parts]
    for part in parts:
        if problem := name_problem(part):
            world.problems.add("drive-name", relative, 0, f"'{part}' cannot be in a drive: {problem}.", "Rename it.")
            return
    if not parts:
        return
    path = "/" + "/".join(parts)
    for folder in chain(parent_of(path))[:-1]:
        if tree.setdefault(folder, None) is not None:
            world.problems.add(
                "duplicate", relative, 0, f"{folder} is both a file and a folder.", "Rename one of them."
            )
            return
    if path in tree and (source is not None or tree[path] is not None):
        world.problems.add("duplicate", relative, 0, f"{path} is in the drive twice.", "Keep one of them.")
        return
    tree[path] = source


def _times(world: World, section: Section) -> None:
    trees = {one.username: section.files.get(one.username, {}) for one in section.accounts}
    rules = read_rules(
        world, [place_of(section.account, owner, path) for owner, tree in trees.items() for path in tree]
    )
    for owner, tree in trees.items():
        section.times[owner] = spans(place_of(section.account, owner, "/"), tree, rules, age(world))


def _shares(world: World, section: Section) -> None:
    named: set[str] = set()
    if SHARES in world.files:
        listed = world.yaml(SHARES)
        if listed is not None and not isinstance(listed, list):
            world.problems.add("drive-share", SHARES, 1, "Shares are a list.", "Start each with '- path: …'.")
            listed = []
        for entry in listed or []:
            if not isinstance(entry, Located):
                world.problems.add("drive-share", SHARES, 1, f"'{entry}' is not a share.", "Write '- path: …'.")
                continue
            share = _share(world, section, entry)
            if share is None:
                continue
            key = (share.owner, share.path, share.people, share.everyone, share.public, share.name)
            if any(
                key == (one.owner, one.path, one.people, one.everyone, one.public, one.name) for one in section.shares
            ):
                world.problems.add("duplicate", SHARES, entry.line, f"{share.path} is shared like this twice.")
            section.shares.append(share)
            if share.owner == section.account and not share.public:
                named.add(share.path)
    for path in sorted(section.files.get(section.account, {})):
        if parent_of(path) == "/" and path not in named:
            since = section.times[section.account][path].created
            section.shares.append(WorldShare(section.account, path, (), True, False, ALL, since))


def _share(world: World, section: Section, entry: Located) -> WorldShare | None:
    def wrong(key: str, message: str, fix: str = "") -> None:
        world.problems.add("drive-share", SHARES, entry.at(key), message, fix)

    before = len(world.problems.found)
    for key in entry:
        if key not in _KEYS:
            wrong(key, f"'{key}' means nothing in a share.", f"Known: {', '.join(sorted(_KEYS))}.")
    owner = section.account
    if "owner" in entry and str(entry["owner"]) != section.account:
        person = world.known(entry["owner"], SHARES, entry.at("owner"))
        owner = person.username if person else owner
    path = "/" + unicodedata.normalize("NFC", str(entry.get("path", ""))).strip("/")
    if path not in section.files.get(owner, {}):
        wrong("path", f"There is no '{path}' in the files of {owner}.", "Name a file or folder that exists.")
    rights = entry.get("permissions", "read")
    if not isinstance(rights, str) or rights not in _RIGHTS:
        wrong("permissions", f"'{rights}' is not a permission.", "Use read, edit, all, or upload for a public link.")
    whom = entry.get("with")
    names: list[Any] = whom if isinstance(whom, list) else [] if whom in (None, EVERYONE, PUBLIC_LINK) else [whom]
    if whom is None:
        wrong("with", "This share says not with whom.", f"Add 'with: {EVERYONE}', a username, or '{PUBLIC_LINK}'.")
    people = [person.username for name in names if (person := world.known(name, SHARES, entry.at("with")))]
    public = whom == PUBLIC_LINK
    if rights == "upload" and not public:
        wrong("permissions", "Only a public link can be for uploads alone.", "Use read, edit or all.")
    for key in ("password", "token", "name"):
        if key in entry and not public:
            wrong(key, f"Only a public link has a {key}.", "Remove it.")
    expires = entry.get("expires")
    moment = parse_moment(expires) if expires is not None else None
    if expires is not None and moment is None:
        wrong("expires", f"'{expires}' is not a date.", "Write it as 2026-04-30.")
    token = _text(entry.get("token"))
    if token is not None and not re.fullmatch(r"[A-Za-z0-9]{5,64}", token):
        wrong("token", f"'{token}' is not a link's token.", "Use 5 to 64 letters and digits.")
    if token is not None and any(one.token == token for one in section.shares):
        wrong("token", f"The token '{token}' is taken by another link.", "Choose another.")
    since = _since(world, entry, section.times.get(owner, {}).get(path), wrong)
    if len(world.problems.found) > before or since is None:
        return None
    permissions = _RIGHTS[rights] & ~(0 if not public else 16)
    if section.files[owner][path] is not None:
        permissions = READ if public else permissions & ~(CREATE | DELETE)
    return WorldShare(
        owner, path, tuple(people), whom == EVERYONE, public, permissions, since, _text(entry.get("password")),
        moment.date().isoformat() if moment else None, _text(entry.get("name")), token,
    )  # fmt: skip


def _since(world: World, entry: Located, span: Span | None, wrong: Callable[[str, str, str], None]) -> int | None:
    """Since when something is shared: as it says, or since it is there."""
    if "since" not in entry:
        return span.created if span else None
    since = moment_of(world, entry["since"], partial(wrong, "since"))
    if since is not None and span is not None and since < span.created:
        wrong("since", f"'{entry['since']}' is before what is shared was there.", "Choose a later day.")
    return since
