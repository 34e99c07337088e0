"""Identifiers that look as each service's own do, and come out the same for the same seed."""

from __future__ import annotations

import hashlib
import uuid

# Rocket.Chat leaves out characters that are easily confused.
_LETTERS = "23456789ABCDEFGHJKLMNPQRSTWXYZabcdefghijkmnopqrstuvwxyz"


class Ids:
    """A stream of identifiers; two streams with one seed give the same ones. Never for secrets: use `secrets`."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.drawn = 0
        """How many were given so far."""

    def bytes(self) -> bytes:
        number, self.drawn = self.drawn, self.drawn + 1
        return hashlib.blake2b(f"{self.seed}/{number}".encode(), digest_size=32).digest()

    def short(self, length: int = 17) -> str:
        """Seventeen letters and digits, as Rocket.Chat names its records."""
        number = int.from_bytes(self.bytes(), "big")
        letters = []
        for _ in range(length):
            number, index = divmod(number, len(_LETTERS))
            letters.append(_LETTERS[index])
        return "".join(letters)

    def uuid(self) -> str:
        """A version 4 UUID in text, as Plane names its records."""
        return str(uuid.UUID(bytes=self.bytes()[:16], version=4))

    def hex(self, length: int = 32) -> str:
        return self.bytes().hex()[:length]
