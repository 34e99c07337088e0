"""Keys: held in one place, shown nowhere. A `Secret` prints as stars; `Scrubber` takes keys out of any text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

STARS = "***"


class Secret:
    """A key. Only `reveal`, called where a request is sent, gives its value."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return f"Secret({STARS})"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> Any:
        raise TypeError("A key is not pickled: it stays in the process that read it.")


class Scrubber:
    """Replaces known keys and passes with stars in everything that is written down or answered."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._values: list[str] = []
        for secret in secrets:
            self.add(secret)

    def add(self, secret: Secret) -> None:
        value = secret.reveal()
        # A very short "key" (such as the word "none" for a local server) would tear holes into ordinary text.
        if len(value) >= 8 and value not in self._values:
            self._values.append(value)
            escaped = json.dumps(value)[1:-1]
            if escaped != value:
                self._values.append(escaped)
            self._values.sort(key=len, reverse=True)

    def text(self, text: str) -> str:
        for value in self._values:
            if value in text:
                text = text.replace(value, STARS)
        return text

    def data(self, data: bytes) -> bytes:
        for value in self._values:
            coded = value.encode()
            if coded in data:
                data = data.replace(coded, STARS.encode())
        return data
