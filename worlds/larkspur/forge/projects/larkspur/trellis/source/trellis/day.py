"""A day's jobs and people as they come from the office: a JSON file, checked before anything is planned."""

import json
from pathlib import Path

from trellis.schedule import Job


class BadDay(Exception):
    """The file cannot be planned; the message says which entry is wrong."""


def read_day(path):
    """The jobs of a day file, in the order they stand there."""
    try:
        facts = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise BadDay(f"{path} is not JSON: line {error.lineno}, {error.msg}") from error
    return [_job(number, entry) for number, entry in enumerate(_listed(facts, "jobs"), 1)]


def _listed(facts, key):
    found = facts.get(key, []) if isinstance(facts, dict) else None
    if not isinstance(found, list):
        raise BadDay(f"'{key}' must be a list")
    return found


def _job(number, entry):
    if not isinstance(entry, dict) or not entry.get("name"):
        raise BadDay(f"job {number} has no name")
    name = str(entry["name"])
    due = entry.get("due", 24)
    if not isinstance(due, int) or not 0 < due <= 24:
        raise BadDay(f"job {number} ({name}): due is an hour from 1 to 24, not {due!r}")
    return Job(name, entry.get("minutes"), due)
