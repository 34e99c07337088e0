"""The key of a private set: variants are drawn by HMAC of it, so that nobody without it can make them.

It stays in the process that was given the file: what is written down names its fingerprint alone.
"""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

SHORTEST = 16
_LONGEST = 4096


class BadKey(Exception):
    """A file that cannot be the key; the sentence says why and what to do."""


class VariantKey:
    """A secret. Neither its text nor its representation shows it."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @classmethod
    def read(cls, path: Path) -> VariantKey:
        """The key in a file; spaces and line ends around it do not count."""
        try:
            with path.open("rb") as file:
                content = file.read(_LONGEST + 1)
        except OSError as error:
            raise BadKey(f"The variant key {path} cannot be read: {error.strerror}.") from error
        secret = content.strip()
        make = f"Make one: openssl rand -hex 32 > {path}"
        if len(secret) < SHORTEST:
            raise BadKey(f"The variant key {path} has {len(secret)} bytes, and {SHORTEST} are the least. {make}")
        if len(content) > _LONGEST:
            raise BadKey(f"The variant key {path} has more than {_LONGEST} bytes. {make}")
        return cls(secret)

    @property
    def fingerprint(self) -> str:
        """What names the set in specs and outcomes."""
        return self._digest("dayjob variant set")[:16]

    def seed(self, task: str, number: int) -> str:
        """What a variant of a task is drawn from."""
        return self._digest(f"dayjob variant\n{task}\n{number}")

    def _digest(self, text: str) -> str:
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()

    def __repr__(self) -> str:
        return f"VariantKey({self.fingerprint})"
