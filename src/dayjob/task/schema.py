"""The schemas of scenarios.json and colleagues.yml, compiled once; the same files are published in docs/schemas/."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

SCHEMAS = {
    "scenarios.json": Path(__file__).with_name("scenarios.schema.json"),
    "colleagues.yml": Path(__file__).with_name("colleagues.schema.json"),
}


@cache
def _validator(file: str) -> Any:
    import fastjsonschema

    return fastjsonschema.compile(json.loads(SCHEMAS[file].read_text(encoding="utf-8")))


def schema_error(file: str, found: Any) -> tuple[list[str], str] | None:
    """Where it does not match (as a path of keys) and what must hold there; None when it does."""
    import fastjsonschema

    try:
        _validator(file)(found)
    except fastjsonschema.JsonSchemaValueException as error:
        where, message = _told(error)
        subject, _, rule = message.partition(" must ")
        return where, f"{where[-1] if where else 'the file'} must {rule}" if rule else subject
    return None


def _told(error: Any) -> tuple[list[str], str]:
    """Where and what. What may be a text or an object, and is an object, is held against that for a better sentence."""
    import fastjsonschema

    where = [str(part) for part in error.path[1:]]
    if error.rule == "anyOf" and isinstance(error.value, dict):
        for one in error.definition["anyOf"]:
            if one.get("type") == "object":
                try:
                    fastjsonschema.compile(one)(error.value)
                except fastjsonschema.JsonSchemaValueException as closer:
                    below, message = _told(closer)
                    return where + below, message
    return where, error.message
