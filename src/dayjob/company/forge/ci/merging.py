"""How the parts of a CI file become one: `include`, `!reference`, `extends` and `default`, each within bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import yaml

from dayjob.company import outside_yaml
from dayjob.company.forge.ci.mistakes import NO_JOBS, Mistake, Unfit, near, unreadable
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


def _unfit(sentence: str, fix: str) -> Unfit:
    """Of an entry or a job whose place is still to be added."""
    return Unfit(Mistake(sentence, fix))


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

    def __init__(self, read: Reader | None, file: str, texts: dict[str, str]) -> None:
        self._read = read
        self._file = file
        self._texts = texts
        self._characters = 0
        self.found: list[dict[str, Any]] = []

    def whole(self, data: dict[str, Any], on_the_way: tuple[str, ...] = ()) -> dict[str, Any]:
        """A file with what it includes below it."""
        wanted = data.pop("include", None)
        below: dict[str, Any] = {}
        for number, entry in enumerate(wanted if isinstance(wanted, list) else [] if wanted is None else [wanted]):
            place = ("include", str(number)) if isinstance(wanted, list) else ("include",)
            try:
                below = merged(below, self._one(entry, on_the_way))
            except Unfit as error:
                # What an included file says itself has its place already.
                if error.mistake.path or error.mistake.place:
                    raise
                file = on_the_way[-1] if on_the_way else self._file
                raise Unfit(replace(error.mistake, path=place, place=self._line(file, place))) from None
        return merged(below, data)

    def _line(self, file: str, path: tuple[str, ...]) -> tuple[str, int] | None:
        """Of an entry in an included file; those of the file itself are looked up with everything else."""
        if file == self._file:
            return None
        lines = outside_yaml.key_lines(self._texts[file])
        return file, lines.get(path, lines.get(path[:1], 1))

    def _one(self, entry: Any, on_the_way: tuple[str, ...]) -> dict[str, Any]:
        path = _local(entry)
        if path in on_the_way:
            return {}
        text = self._read(path) if self._read is not None else None
        if text is None:
            raise _unfit(f"Local file `{path}` does not exist!", "add the file, or correct its path")
        if not text.strip():
            raise _unfit(f"Local file `{path}` is empty!", "write jobs into it, or do not include it")
        self._characters += len(text)
        self.found.append({"type": "local", "location": path, "blob": None, "raw": None, "extra": {}})
        if len(self.found) > INCLUDES:
            raise _unfit(f"Maximum of {INCLUDES} nested includes are allowed!", "include fewer files")
        if self._characters > CHARACTERS:
            raise _unfit("The included files are too large", f"keep them under {CHARACTERS} characters together")
        try:
            data = outside_yaml.load(text)
        except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
            found = unreadable(error, path, path)
            raise Unfit(replace(found, sentence=f"`{path}`: {found.sentence}")) from None
        if not isinstance(data, dict):
            raise Unfit(Mistake(f"`{path}`: Invalid configuration format", NO_JOBS, place=(path, 1)))
        # Of two files with the same key the later one counts, so that it is the later one of these, too.
        self._texts.pop(path, None)
        self._texts[path] = text
        return self.whole(plain(data), (*on_the_way, path))


def _local(entry: Any) -> str:
    """The path of a file of the repository that an entry of `include` names."""
    if isinstance(entry, str):
        entry = {"remote" if entry.startswith(("http://", "https://")) else "local": entry}
    if not isinstance(entry, Mapping):
        sentence = "include config should be a string, a hash or an array of strings or hashes"
        raise _unfit(sentence, "write `include: path/of/a/file.yml`")
    for kind in ("remote", "template", "project", "component"):
        if kind in entry:
            raise _unfit(
                f"include:{kind} is not offered by this instance",
                "put the file into the repository and include it with `local`",
            )
    path = entry.get("local")
    if not isinstance(path, str) or not path.strip("/"):
        sentence = "include config should name a file of the repository with `local`"
        raise _unfit(sentence, "write `local: path/of/a/file.yml`")
    if further := sorted(set(entry) - {"local"}):
        raise _unfit(f"include:{further[0]} is not offered by this instance", "write `local` alone")
    path = path.lstrip("/")
    if not path.endswith((".yml", ".yaml")):
        raise _unfit(f"Included file `{path}` does not have YAML extension!", "name a .yml or .yaml file")
    return path


# -- !reference --------------------------------------------------------------------------------------------------


class References:
    """Puts what `!reference [job, key]` names in its place."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._copied = 0

    def resolved(self, value: Any, path: tuple[str, ...] = (), depth: int = 0) -> Any:
        """A value of the file; `path` is where it stands."""
        self._copied += 1
        if self._copied > KEYS:
            raise outside_yaml.YamlTooLarge
        if isinstance(value, Reference):
            if depth >= _DEEP_REFERENCES:
                sentence = f"!reference {_written(value)} is nested too deeply, or is part of itself"
                raise Unfit(Mistake(sentence, "write out what it stands for", path))
            return self.resolved(self._named(value, path), path, depth + 1)
        if isinstance(value, dict):
            return {key: self.resolved(one, (*path, key), depth) for key, one in value.items()}
        if isinstance(value, list):
            found: list[Any] = []
            for number, one in enumerate(value):
                whole = self.resolved(one, (*path, str(number)), depth)
                # Lists that are referred to in a list are part of it.
                found += whole if isinstance(one, Reference) and isinstance(whole, list) else [whole]
            return found
        return value

    def _named(self, wanted: Reference, path: tuple[str, ...]) -> Any:
        place: Any = self._data
        for key in wanted:
            if not isinstance(place, dict) or key not in place:
                fix = "name a job and a key of it that this file or an included one has"
                raise Unfit(Mistake(f"!reference {_written(wanted)} could not be found", fix, path))
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

    def job(self, name: str, job: dict[str, Any]) -> dict[str, Any]:
        try:
            found = self._above(job, ())[0]
        except Unfit as error:
            raise Unfit(replace(error.mistake, sentence=f"{name}: {error}", path=(name, "extends"))) from None
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
        if not isinstance(bases, str | list):
            raise _unfit("extends config should be an array of strings or a string", "name a job of this file")
        found: dict[str, Any] = {}
        levels = 0
        for base in [bases] if isinstance(bases, str) else bases:
            if not isinstance(base, str) or not isinstance(self._data.get(base), dict):
                jobs = [key for key, one in self._data.items() if isinstance(one, dict)]
                raise _unfit(f"unknown keys in `extends` ({base})", near(str(base), jobs, "name a job of this file"))
            if base in on_the_way:
                raise _unfit("circular dependency detected in `extends`", f"take `{base}` out of one of them")
            if len(on_the_way) > _EXTENDS_LEVELS:
                raise _unfit("nesting too deep in `extends`", f"extend over at most {_EXTENDS_LEVELS} levels")
            if base not in self._merged:
                self._merged[base] = self._above(self._data[base], (*on_the_way, base))
            above, below = self._merged[base]
            levels = max(levels, below + 1)
            self._count(_size(above))
            found = merged(found, above)
        if levels > _EXTENDS_LEVELS:
            raise _unfit("nesting too deep in `extends`", f"extend over at most {_EXTENDS_LEVELS} levels")
        self._count(_size(found))
        return merged(found, {key: value for key, value in job.items() if key != "extends"}), levels


def _size(value: dict[str, Any]) -> int:
    return len(value) + sum(_size(one) for one in value.values() if isinstance(one, dict))
