"""The schema of scenarios.json, compiled once; the same file is published in docs/schemas/."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).with_name("scenarios.schema.json")


@cache
def _validator() -> Any:
    import fastjsonschema

    return fastjsonschema.compile(json.loads(SCHEMA.read_text(encoding="utf-8")))


def schema_error(found: Any) -> tuple[list[str], str] | None:
    """Where it does not match (as a path of keys) and what must hold there; None when it does."""
    import fastjsonschema

    try:
        _validator()(found)
    except fastjsonschema.JsonSchemaValueException as error:
        where = [str(part) for part in error.path[1:]]
        subject, _, rule = error.message.partition(" must ")
        return where, f"{where[-1] if where else 'the file'} must {rule}" if rule else subject
    return None
