"""Authors who are not people of the company: a name, perhaps an address and a username; or the ghost, who is anybody
whose account is gone."""

from __future__ import annotations

import re
from collections.abc import Collection

from dayjob.company.forge.world.model import Outsider
from dayjob.company.world import Located, World

GHOST = "ghost"
_USERNAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class Outsiders:
    """Those met so far; the same name, address or username means the same account."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.found: list[Outsider] = []
        self.taken: Collection[str] = ()
        """Paths of groups and the administrator's name, in small letters, which no username may have."""

    def ghost(self) -> str:
        if not any(one.username == GHOST for one in self.found):
            self.found.append(Outsider(GHOST, "Ghost User", f"{GHOST}@{self.world.info.host}", ghost=True))
        return GHOST

    def meet(self, facts: Located, file: str) -> str | None:
        """The username of who is described; None, with a problem noted, where nobody can be."""
        texts = {}
        for key, value in facts.items():
            if key not in ("name", "email", "username"):
                self._wrong(file, facts.at(key), f"'{key}' means nothing here.", "Known: email, name, username.")
            elif not isinstance(value, str) or not value.strip():
                self._wrong(file, facts.at(key), f"An author's '{key}' must be text.", "Put it in quotes.")
                return None
            else:
                texts[key] = value.strip()
        name, email, username = (texts.get(key) for key in ("name", "email", "username"))
        if name is None:
            self._wrong(file, facts.line, "This author has no name.", "Write {name: Full Name}, or a username.")
            return None
        if not self._fits(facts, file, email, username):
            return None
        known = self._known(name, email, username)
        if known is None:
            known = Outsider(username or self._free(name), name, email)
            self.found.append(known)
        elif known.name != name:
            mark = username if username == known.username else email
            words = f"'{mark}' is {known.name} elsewhere, not {name}."
            self._wrong(file, facts.at("name"), words, "Write one name for one person.", "duplicate")
        known.email = known.email or email
        return known.username

    def _fits(self, facts: Located, file: str, email: str | None, username: str | None) -> bool:
        if email is not None and not re.fullmatch(r"[^@\s]+@[^@\s]+", email):
            self._wrong(file, facts.at("email"), f"'{email}' is not an e-mail address.", "Write name@example.com.")
            return False
        for person in self.world.people:
            if email is not None and person.email.lower() == email.lower():
                words = f"'{email}' is {person.name}'s address."
                self._wrong(file, facts.at("email"), words, f"Write {person.username} instead.", "duplicate")
                return False
        if username is not None and not _USERNAME.fullmatch(username):
            fix = "Use letters, digits, '.', '_', '-'."
            self._wrong(file, facts.at("username"), f"'{username}' is not a username.", fix)
            return False
        if username is not None and self._is_taken(username):
            words = f"The username '{username}' is taken by a person or a group."
            self._wrong(file, facts.at("username"), words, "Choose another, or leave it out.", "duplicate")
            return False
        return True

    def _known(self, name: str, email: str | None, username: str | None) -> Outsider | None:
        for one in self.found:
            if username is not None and one.username.lower() == username.lower():
                return one
            if email is not None and (one.email or "").lower() == email.lower():
                return one
        if username is not None:
            return None
        return next((one for one in self.found if one.name == name and (email is None or one.email is None)), None)

    def _is_taken(self, username: str) -> bool:
        people = {person.username.lower() for person in self.world.people}
        return username.lower() in people or username.lower() in self.taken or username.lower() == GHOST

    def _free(self, name: str) -> str:
        """A username made from a name, with a number where others have it."""
        wanted = re.sub(r"[^a-z0-9]+", ".", name.lower()).strip(".") or "outsider"
        there = {one.username.lower() for one in self.found}
        found, number = wanted, 1
        while self._is_taken(found) or found in there:
            found, number = f"{wanted}{number}", number + 1
        return found

    def _wrong(self, file: str, line: int, message: str, fix: str, rule: str = "forge") -> None:
        self.world.problems.add(rule, file, line, message, fix)
