"""YAML whose values know the line they stand on, so that a problem can name it."""

from __future__ import annotations

import datetime
from typing import Any

import yaml

from dayjob.company.world.files import WorldFiles

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Located(dict[str, Any]):
    """A mapping that remembers its own line and that of each key."""

    line: int
    lines: dict[str, int]

    def at(self, key: str) -> int:
        return self.lines.get(key, self.line)


class _LineLoader(_Loader):  # type: ignore[misc]  # the C loader has no type information
    pass


def _construct_mapping(loader: Any, node: yaml.MappingNode) -> Located:
    found = Located()
    found.line = node.start_mark.line + 1
    found.lines = {}
    loader.flatten_mapping(node)
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            key = str(key)
        if key in found.lines:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key '{key}' stands here twice", key_node.start_mark
            )
        found[key] = loader.construct_object(value_node, deep=True)
        found.lines[key] = key_node.start_mark.line + 1
    return found


def _construct_timestamp(loader: Any, node: yaml.ScalarNode) -> str:
    """Dates stay as text, whole, so that each reader decides what they mean."""
    value = loader.construct_scalar(node)
    assert isinstance(value, str)
    return value


_LineLoader.add_constructor("tag:yaml.org,2002:map", _construct_mapping)
_LineLoader.add_constructor("tag:yaml.org,2002:timestamp", _construct_timestamp)


def load_yaml(files: WorldFiles, relative: str) -> Any:
    """The document in a file of the world; None when it is empty or (with a problem noted) cannot be read."""
    return _parse(files, relative, files.text(relative))


def load_layers(files: WorldFiles, relative: str) -> list[Any]:
    """The documents of a file's layers, the world's own first: for what an overlay adds to instead of replacing."""
    return [_parse(files, relative, files.text_of(path, relative)) for path in files.layers(relative)]


def _parse(files: WorldFiles, relative: str, text: str | None) -> Any:
    if text is None:
        return None
    try:
        return yaml.load(text, Loader=_LineLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        files.problems.add("syntax", relative, line, f"This is not valid YAML: {error.problem}.")
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        files.problems.add("syntax", relative, 0, f"This is not valid YAML: {str(error).splitlines()[0]}.")
    return None


def parse_moment(value: object) -> datetime.datetime | None:
    """A date or a moment written in ISO 8601, in UTC unless it says otherwise; None when it is not one."""
    try:
        found = datetime.datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)
