"""What a node must know to ask the same models: the settings and keys, in a value that shows neither.

It is handed from the driver to each node's worker directly, in a call, and never put into a spec, an object store or
a log; keys that are in files on the driver's machine travel as variables of the worker's environment.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dayjob.llm.settings import ROLES, SettingsError, load_settings
from dayjob.llm.settings import Role as ModelRole
from dayjob.trial.spec import TrialSpec

SETTINGS = Path("dayjob.toml")
FOR_MODELS = re.compile(r"DAYJOB_(\w+_)?MODEL|(LITELLM|OPENAI|ANTHROPIC)_\w+")
FIELDS: Mapping[ModelRole, str] = {"examinee": "model", "npc": "npc_model", "judge": "judge_model"}


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """The text of a dayjob.toml, and the variables it is read with."""

    settings: str
    environment: Mapping[str, str] = field(repr=False)


def node_settings(file: Path, environment: Mapping[str, str]) -> NodeSettings:
    """What this process would read. Raises `SettingsError` for what cannot travel."""
    whole = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    found = load_settings(file, environment)
    if found.record or found.replay:
        raise SettingsError("Calls are recorded and replayed on one machine: take --on ray away, or record and replay.")
    given = {name: value for name, value in environment.items() if FOR_MODELS.fullmatch(name)}
    for number, facts in enumerate(whole.get("llm", {}).get("providers", {}).values()):
        if path := facts.pop("key_file", None):
            facts["key_env"] = f"DAYJOB_KEY_{number}"
            given[facts["key_env"]] = Path(path).expanduser().read_text("utf-8").strip()
        elif (name := facts.get("key_env")) in environment:
            given[name] = environment[name]
    return NodeSettings("".join(f"{key} = {_toml(value)}\n" for key, value in whole.items()), given)


def _toml(value: Any) -> str:
    """A value as TOML writes it in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value) if isinstance(value, str | bool | int | float) else str(value)


def scripts_of(spec: TrialSpec, file: Path, environment: Mapping[str, str]) -> dict[str, Path]:
    """The files of the scripted models that a trial's roles have, by the spec's field that names each."""
    flags: dict[ModelRole, str] = {role: name for role in ROLES if (name := getattr(spec, FIELDS[role])) is not None}
    roles = load_settings(file, environment, flags).roles
    return {FIELDS[role]: one.provider.script for role, one in roles.items() if one.provider.script is not None}
