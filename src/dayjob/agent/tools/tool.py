"""A tool: what a model is told of it, and the check of what a model gives it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "object": dict,
    "boolean": bool,
    "any": object,
}


class ToolError(Exception):
    """A tool could not do what it was asked; the sentence is for the model."""


class WrongCall(ToolError):
    """It was asked in a way that it does not take."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool: its JSON type, or `any`, and what it means."""

    kind: str
    about: str
    needed: bool = True

    def schema(self) -> dict[str, Any]:
        told = {"description": self.about}
        return told if self.kind == "any" else {"type": self.kind, **told}

    def takes(self, value: object) -> bool:
        if isinstance(value, bool):  # which Python takes for a number
            return self.kind in ("boolean", "any")
        return isinstance(value, _KINDS[self.kind])


@dataclass(frozen=True, slots=True)
class Tool:
    """Something a model can call. `use` gets checked arguments and returns text."""

    name: str
    about: str
    use: Callable[..., Awaitable[str]]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    reads: bool = True
    """It changes nothing."""

    def schema(self) -> dict[str, Any]:
        """Its parameters as a JSON schema."""
        return {
            "type": "object",
            "properties": {name: one.schema() for name, one in self.parameters.items()},
            "required": [name for name, one in self.parameters.items() if one.needed],
        }

    def function(self) -> dict[str, Any]:
        """As chat completions take it."""
        told = {"name": self.name, "description": self.about, "parameters": self.schema()}
        return {"type": "function", "function": told}

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """Check the arguments, then do it. One that may be left out may be null."""
        for name in arguments:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise WrongCall(f"{self.name} has no argument '{name}'; it has {known}.")
        given = {}
        for name, one in self.parameters.items():
            value = arguments.get(name)
            if value is None and not one.needed:
                continue
            if name not in arguments:
                raise WrongCall(f"{self.name} needs '{name}': {one.about}.")
            if not one.takes(value):
                raise WrongCall(f"{self.name} takes a '{name}' of type {one.kind}: {one.about}.")
            given[name] = value
        try:
            return await self.use(**given)
        except (ValueError, RecursionError) as error:  # a null byte in a command, half a character, …
            raise WrongCall(f"{self.name} cannot take this: {error}.") from error


def shortened(text: str, limit: int, of: str = "") -> str:
    """Both ends of a long text, and a word about what is missing."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out{of}]\n{text[-half:]}"
