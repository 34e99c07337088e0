"""How the parts of a CI file become one: `include`, `!reference`, `extends` and `default`, each within bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import yaml

from dayjob.company import outside_yaml
from dayjob.company.outside_yaml import Reference

Reader = Callable[[str], str | None]
"""A file of the repository by its path; None where there is none."""
INCLUDES = 150
"""Files that one file may include, with what these include."""
CHARACTERS = 1024 * 1024
"""Characters of all of them together."""
_DEEP_REFERENCES = 10
_EXTENDS_LEVELS = 11
KEYS = 50_000
"""Keys and values that references, `extends` and `default` of a file may copy together."""
DEFAULTS = (
    "after_script", "artifacts", "before_script", "cache", "hooks", "id_tokens", "image", "interruptible", "retry",
    "services", "tags", "timeout",
)  # fmt: skip
"""What `default` may say for all jobs."""
OLD_DEFAULTS = ("image", "services", "cache", "before_script", "after_script")
"""What may stand at the top of a file for the same purpose."""


class Unfit(ValueError):
    """What the file says cannot be put together; the sentence says why."""


def said_of(error: Exception, place: str) -> str:
    """A sentence for a document that cannot be read."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return str(error).split("\n", 1)[0]
    mark = error.problem_mark
    where = f" at line {mark.line + 1} column {mark.column + 1}" if mark else ""
    return f"({place}): {error.problem}{where}"


def plain(value: Any) -> Any:
    """Keys written as Ruby symbols (`:script:`) are the same keys."""
    if isinstance(value, dict):
        return {str(key).removeprefix(":"): plain(one) for key, one in value.items()}
    if isinstance(value, Reference):
        return Reference(str(one) for one in value)
    return [plain(one) for one in value] if isinstance(value, list) else value


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """One mapping laid over another, mappings in it likewise; lists and values of the upper one win."""
    found = dict(below)
    for key, value in above.items():
        lower = found.get(key)
        found[key] = merged(lower, value) if isinstance(lower, dict) and isinstance(value, dict) else value
    return found


# -- include -----------------------------------------------------------------------------------------------------


class Includes:
    """The files that a file includes, and these in turn."""

    def __init__(self, read: Reader | None) -> None:
        self._read = read
        self._characters = 0
        self.found: list[dict[str, Any]] = []

    def whole(self, data: dict[str, Any], on_the_way: tuple[str, ...] = ()) -> dict[str, Any]:
        """A file with what it includes below it."""
        wanted = data.pop("include", None)
        below: dict[str, Any] = {}
        for entry in wanted if isinstance(wanted, list) else [] if wanted is None else [wanted]:
            below = merged(below, self._one(entry, on_the_way))
        return merged(below, data)

    def _one(self, entry: Any, on_the_way: tuple[str, ...]) -> dict[str, Any]:
        if isinstance(entry, str):
            entry = {"remote" if entry.startswith(("http://", "https://")) else "local": entry}
        if not isinstance(entry, Mapping):
            raise Unfit("include config should be a string, a hash or an array of strings or hashes")
        for kind in ("remote", "template", "project", "component"):
            if kind in entry:
                raise Unfit(
                    f"include:{kind} is not offered by this instance: put the file into the repository and include it "
                    "with `local`"
                )
        path = entry.get("local")
        if not isinstance(path, str) or not path.strip("/"):
            raise Unfit("include config should name a file of the repository with `local`")
        if set(entry) - {"local"}:
            raise Unfit(
                f"include:{sorted(set(entry) - {'local'})[0]} is not offered by this instance: write `local` alone"
            )
        path = path.lstrip("/")
        if not path.endswith((".yml", ".yaml")):
            raise Unfit(f"Included file `{path}` does not have YAML extension!")
        if path in on_the_way:
            return {}
        text = self._read(path) if self._read is not None else None
        if text is None:
            raise Unfit(f"Local file `{path}` does not exist!")
        if not text.strip():
            raise Unfit(f"Local file `{path}` is empty!")
        self._characters += len(text)
        self.found.append({"type": "local", "location": path, "blob": None, "raw": None, "extra": {}})
        if len(self.found) > INCLUDES:
            raise Unfit(f"Maximum of {INCLUDES} nested includes are allowed!")
        if self._characters > CHARACTERS:
            raise Unfit("The included files are too large")
        try:
            data = outside_yaml.load(text)
        except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
            raise Unfit(f"`{path}`: {said_of(error, path)}") from None
        if not isinstance(data, dict):
            raise Unfit(f"`{path}`: Invalid configuration format")
        return self.whole(plain(data), (*on_the_way, path))


# -- !reference --------------------------------------------------------------------------------------------------


class References:
    """Puts what `!reference [job, key]` names in its place."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._copied = 0

    def resolved(self, value: Any, depth: int = 0) -> Any:
        self._copied += 1
        if self._copied > KEYS:
            raise outside_yaml.YamlTooLarge
        if isinstance(value, Reference):
            if depth >= _DEEP_REFERENCES:
                raise Unfit(f"!reference {_written(value)} is nested too deeply, or is part of itself")
            return self.resolved(self._named(value), depth + 1)
        if isinstance(value, dict):
            return {key: self.resolved(one, depth) for key, one in value.items()}
        if isinstance(value, list):
            found: list[Any] = []
            for one in value:
                whole = self.resolved(one, depth)
                # Lists that are referred to in a list are part of it.
                found += whole if isinstance(one, Reference) and isinstance(whole, list) else [whole]
            return found
        return value

    def _named(self, path: Reference) -> Any:
        place: Any = self._data
        for key in path:
            if not isinstance(place, dict) or key not in place:
                raise Unfit(f"!reference {_written(path)} could not be found")
            place = place[key]
        return place


def _written(path: Reference) -> str:
    return "[" + ", ".join(f'"{one}"' for one in path) + "]"


# -- extends and default -----------------------------------------------------------------------------------------


class Extends:
    """Jobs with what they `extends` merged in; each is worked out once, however many others build on it."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        default = data.get("default")
        self._default: dict[str, Any] = {key: data[key] for key in OLD_DEFAULTS if key in data}
        self._default |= default if isinstance(default, dict) else {}
        self._merged: dict[str, tuple[dict[str, Any], int]] = {}
        self._keys = 0

    def job(self, job: dict[str, Any]) -> dict[str, Any]:
        found = self._above(job, ())[0]
        inherit = found.get("inherit")
        wanted = inherit.get("default", True) if isinstance(inherit, dict) else True
        for key, value in self._default.items():
            if key not in found and key in DEFAULTS and (key in wanted if isinstance(wanted, list) else wanted):
                self._count(1)
                found[key] = value
        return found

    def _count(self, keys: int) -> None:
        self._keys += keys
        if self._keys > KEYS:
            raise outside_yaml.YamlTooLarge

    def _above(self, job: dict[str, Any], on_the_way: tuple[str, ...]) -> tuple[dict[str, Any], int]:
        """(the job with its bases, how many levels those have)"""
        bases = job.get("extends", [])
        found: dict[str, Any] = {}
        levels = 0
        for base in [bases] if isinstance(bases, str) else bases if isinstance(bases, list) else []:
            if not isinstance(base, str) or not isinstance(self._data.get(base), dict):
                raise Unfit(f"unknown keys in `extends` ({base})")
            if base in on_the_way:
                raise Unfit("circular dependency detected in `extends`")
            if len(on_the_way) > _EXTENDS_LEVELS:
                raise Unfit("nesting too deep in `extends`")
            if base not in self._merged:
                self._merged[base] = self._above(self._data[base], (*on_the_way, base))
            above, below = self._merged[base]
            levels = max(levels, below + 1)
            self._count(_size(above))
            found = merged(found, above)
        if levels > _EXTENDS_LEVELS:
            raise Unfit("nesting too deep in `extends`")
        self._count(_size(found))
        return merged(found, {key: value for key, value in job.items() if key != "extends"}), levels


def _size(value: dict[str, Any]) -> int:
    return len(value) + sum(_size(one) for one in value.values() if isinstance(one, dict))
