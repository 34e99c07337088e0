"""YAML that somebody else wrote, such as a pushed `.gitlab-ci.yml`: bounded before anything is built from it.

The document is read twice. The first pass looks at events alone and counts what the document would be with every alias
written out, so that a few lines of aliases of aliases are refused and not expanded.
"""

from __future__ import annotations

from typing import Any

import yaml

LONGEST = 256 * 1024
"""Characters of a document."""
EXPANDED = 1024 * 1024
"""Characters of it with every alias written out."""
NODES = 20_000
"""Values in it, likewise."""
DEEPEST = 50
_LONGEST_NUMBER = 100
_MERGE = "tag:yaml.org,2002:merge"


class YamlTooLarge(ValueError):
    """The document is too long, too deep, or would be too large when its aliases are written out."""

    def __init__(self) -> None:
        super().__init__("The parsed YAML is too big")


_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc, valid-type]  # libyaml's loader where there is one; both have one interface
    """Safe YAML with GitLab's `!reference` tag, which is kept as a list, and without numbers of endless length."""


class Reference(list[Any]):
    """The path that a `!reference` names."""


def _reference(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    return Reference(loader.construct_sequence(node)) if isinstance(node, yaml.SequenceNode) else None


def _number(kind: str) -> Any:
    construct = yaml.SafeLoader.yaml_constructors[f"tag:yaml.org,2002:{kind}"]

    def short(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
        # `1:1:1:…` is a number to the base of 60, whose digits cost more than their square.
        return construct(loader, node) if len(node.value) <= _LONGEST_NUMBER else node.value

    return short


def _sound(kind: str, construct: Any) -> Any:
    """What looks like a number or a date and is none (`2026-13-40`), or says so (`!!bool maybe`), is told with its
    line."""

    def sound(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
        try:
            return construct(loader, node)
        except ValueError as error:
            raise yaml.constructor.ConstructorError(None, None, f"{error}", node.start_mark) from None
        except (LookupError, AttributeError):  # what its own constructors do with what only a tag makes theirs
            said = f"the tag promises a value of type {kind}, not {node.value[:40]!r}"
            raise yaml.constructor.ConstructorError(None, None, said, node.start_mark) from None

    return sound


_Loader.add_constructor("!reference", _reference)
for _kind in ("int", "float", "bool", "timestamp"):
    _tag = f"tag:yaml.org,2002:{_kind}"
    _known = _number(_kind) if _kind in ("int", "float") else yaml.SafeLoader.yaml_constructors[_tag]
    _Loader.add_constructor(_tag, _sound(_kind, _known))


def load(content: str) -> Any:
    """What the document says; `yaml.YAMLError` or `ValueError` for what cannot be read, `YamlTooLarge` among them."""
    if len(content) > LONGEST:
        raise YamlTooLarge
    _measure(content)
    return yaml.load(content, Loader=_Loader)


def dump(data: Any) -> str:
    """The data as a document, in the order it has."""
    found: str = yaml.dump(data, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False)
    return found


def key_lines(content: str) -> dict[tuple[str, ...], int]:
    """On which line each key and each entry of a list stands: `("test", "rules", "0", "if")`. What an alias stands
    for has the line of its anchor. For a document that could be read, whose aliases are bounded by that."""
    lines: dict[tuple[str, ...], int] = {}

    def note(path: tuple[str, ...], node: yaml.Node) -> None:
        if isinstance(node, yaml.SequenceNode):
            for number, one in enumerate(node.value):
                lines.setdefault((*path, str(number)), one.start_mark.line + 1)
                note((*path, str(number)), one)
        elif isinstance(node, yaml.MappingNode):
            brought = []
            for key, value in reversed(node.value):  # of two that are alike the last one counts
                if key.tag == _MERGE:
                    brought.append(value)
                elif isinstance(key, yaml.ScalarNode):
                    name = key.value.removeprefix(":")
                    lines.setdefault((*path, name), key.start_mark.line + 1)
                    note((*path, name), value)
            for value in brought:
                for one in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    note(path, one)

    root = yaml.compose(content, Loader=_Loader)
    if root is not None:
        note((), root)
    return lines


def _measure(content: str) -> None:
    """Refuse a document that is too deep, or too large with its aliases written out."""
    sizes: dict[str | None, tuple[int, int]] = {}
    nodes = size = 0
    open_nodes: list[tuple[str | None, int, int]] = []
    for event in yaml.parse(content, Loader=_Loader):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, nodes_before, size_before = open_nodes.pop()
            if anchor is not None:
                sizes[anchor] = nodes - nodes_before, size - size_before
        elif isinstance(event, yaml.AliasEvent):
            if any(anchor == event.anchor for anchor, _, _ in open_nodes):
                raise YamlTooLarge  # it holds itself: written out, it has no end
            more_nodes, more_size = sizes.get(event.anchor, (0, 0))
            nodes, size = nodes + 1 + more_nodes, size + 1 + more_size
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, nodes, size))
            nodes, size = nodes + 1, size + 1
        elif isinstance(event, yaml.ScalarEvent):
            nodes, size = nodes + 1, size + 1 + len(event.value)
            if event.anchor is not None:
                sizes[event.anchor] = 1, 1 + len(event.value)
        if nodes > NODES or size > EXPANDED or len(open_nodes) > DEEPEST:
            raise YamlTooLarge
