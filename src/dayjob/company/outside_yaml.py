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


_Loader.add_constructor("!reference", _reference)
for _kind in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _number(_kind))


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
    """On which line each key of the document stands, and each key below one: `("test", "script")`. For a document that
    could be read."""
    lines: dict[tuple[str, ...], int] = {}
    path: list[str] = []
    keys: list[bool | None] = []  # of each open node: a mapping that awaits a key, one that awaits a value, a list
    for event in yaml.parse(content, Loader=_Loader):
        if isinstance(event, yaml.CollectionEndEvent):
            keys.pop()
            del path[max(0, len(keys) - 1) :]
            if keys and keys[-1] is False:
                keys[-1] = True
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            if keys and keys[-1]:
                del path[len(keys) - 1 :]
                path.append(event.value if isinstance(event, yaml.ScalarEvent) else "")
                mark = event.start_mark
                if len(keys) <= 2 and mark is not None and all(one is not None for one in keys):
                    lines.setdefault(tuple(path), mark.line + 1)
                keys[-1] = False
            elif keys and keys[-1] is False:
                keys[-1] = True
        elif isinstance(event, yaml.CollectionStartEvent):
            if keys and keys[-1]:
                path.append("")
                keys[-1] = False
            if keys and keys[-1] is None:
                path.append("")
            keys.append(True if isinstance(event, yaml.MappingStartEvent) else None)
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
