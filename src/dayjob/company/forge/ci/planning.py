"""Jobs of a CI file as they are stored and run: every way of writing a thing made one, and copies for `parallel`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dayjob.company.forge.ci.durations import seconds_of

MOST_COPIES = 200
_NESTED = 10


@dataclass(slots=True)
class Planned:
    """A job as it will be: one of the copies, where there are several (`group` is what they are copies of)."""

    name: str
    group: str
    stage: str
    config: dict[str, Any]
    tags: list[str] = field(default_factory=list)


def lines(value: Any, depth: int = 0) -> list[str]:
    """Commands, however deeply their lists are nested."""
    if value is None or depth > _NESTED:
        return []
    if isinstance(value, list):
        return [line for one in value for line in lines(one, depth + 1)]
    return [str(value)]


def strings(value: Any) -> list[str]:
    """A list of strings, or one written alone."""
    if isinstance(value, list):
        return [str(one) for one in value if one is not None and not isinstance(one, dict | list)]
    return [] if value is None or isinstance(value, dict) else [str(value)]


def said(value: Any) -> str:
    """A value of YAML as a variable has it."""
    return ("true" if value else "false") if isinstance(value, bool) else "" if value is None else str(value)


def variables(value: Any) -> list[dict[str, Any]]:
    """`variables` of a job or file: plain values, or mappings with `value` and `expand`."""
    found = []
    for key, one in value.items() if isinstance(value, Mapping) else ():
        raw = isinstance(one, Mapping) and one.get("expand") is False
        text = one.get("value") if isinstance(one, Mapping) else one
        if not isinstance(text, Mapping | list):
            found.append({"key": str(key), "value": said(text), **({"raw": True} if raw else {})})
    return found


def planned(name: str, job: Mapping[str, Any]) -> list[Planned]:
    """The job, or its copies."""
    config = _config(job)
    stage, tags = str(job.get("stage", "test")), strings(job.get("tags"))
    parallel = job.get("parallel")
    if isinstance(parallel, int) and not isinstance(parallel, bool) and parallel > 1:
        return [
            Planned(
                f"{name} {number}/{parallel}", name, stage,
                {**config, "group": name, "parallel": {"number": number, "total": parallel}}, tags,
            )
            for number in range(1, parallel + 1)
        ]  # fmt: skip
    if isinstance(parallel, Mapping):
        chosen = combinations(parallel.get("matrix"))
        return [
            Planned(
                f"{name}: [{', '.join(values.values())}]", name, stage,
                {
                    **config, "group": name, "parallel": {"number": number, "total": len(chosen)},
                    "variables": [*config["variables"], *({"key": key, "value": one} for key, one in values.items())],
                },
                tags,
            )
            for number, values in enumerate(chosen, 1)
        ]  # fmt: skip
    return [Planned(name, name, stage, config, tags)]


def combinations(matrix: Any) -> list[dict[str, str]]:
    """Every combination of a matrix, no more than one past the most there may be."""
    found: list[dict[str, str]] = []
    for entry in matrix if isinstance(matrix, list) else []:
        if isinstance(entry, Mapping) and entry:
            keys = [str(key) for key in entry]
            values = [[said(one) for one in _listed(value)] for value in entry.values()]
            for chosen in itertools.product(*values):
                if len(found) > MOST_COPIES:
                    return found
                found.append(dict(zip(keys, chosen, strict=True)))
    return found


def _config(job: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "script": lines(job.get("script")),
        "before_script": lines(job.get("before_script")),
        "after_script": lines(job.get("after_script")),
        "variables": variables(job.get("variables")),
    }
    if image := _image(job.get("image")):
        found["image"] = image
    if services := [one for one in map(_image, _listed(job.get("services"))) if one]:
        found["services"] = services
    if isinstance(job.get("artifacts"), Mapping):
        found["artifacts"] = _artifacts(job["artifacts"])
    if cache := [_cache(one) for one in _listed(job.get("cache")) if isinstance(one, Mapping)]:
        found["cache"] = cache
    if "needs" in job:
        found["needs"] = needs(job["needs"])
    if "dependencies" in job:
        found["dependencies"] = strings(job["dependencies"])
    if retry := _retry(job.get("retry")):
        found["retry"] = retry
    if (timeout := seconds_of(said(job["timeout"])) if "timeout" in job else None) is not None:
        found["timeout"] = timeout
    if "start_in" in job:
        found["start_in"] = seconds_of(said(job["start_in"])) or 0
    allowed = job.get("allow_failure")
    if isinstance(allowed, Mapping):
        found["allow_failure_codes"] = whole_numbers(allowed.get("exit_codes"))
    environment = job.get("environment")
    if isinstance(environment, str):
        environment = {"name": environment}
    if isinstance(environment, Mapping) and environment.get("name"):
        found["environment"] = {
            key: said(environment[key]) for key in ("name", "url", "action", "on_stop") if key in environment
        }
    if isinstance(job.get("coverage"), str):
        found["coverage"] = job["coverage"]
    if "interruptible" in job:
        found["interruptible"] = bool(job["interruptible"])
    return found


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def whole_numbers(value: Any) -> list[int]:
    return [one for one in _listed(value) if isinstance(one, int) and not isinstance(one, bool)]


def _image(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str) and value:
        return {"name": value}
    if isinstance(value, Mapping) and value.get("name"):
        found: dict[str, Any] = {"name": said(value["name"])}
        for key in ("entrypoint", "command"):
            if isinstance(value.get(key), list):
                found[key] = strings(value[key])
        if value.get("alias"):
            found["alias"] = said(value["alias"])
        if "pull_policy" in value:
            found["pull_policy"] = strings(value["pull_policy"])
        return found
    return None


def _artifacts(value: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"paths": strings(value.get("paths")), "exclude": strings(value.get("exclude"))}
    for key in ("name", "expire_in", "when", "expose_as"):
        if value.get(key) is not None:
            found[key] = said(value[key])
    if value.get("untracked"):
        found["untracked"] = True
    reports = value.get("reports")
    if isinstance(reports, Mapping):
        found["reports"] = {
            str(kind): strings(paths.get("path") if isinstance(paths, Mapping) else paths)
            for kind, paths in reports.items()
        }
    return found


def _cache(value: Mapping[str, Any]) -> dict[str, Any]:
    key = value.get("key")
    if isinstance(key, Mapping):
        key = "-".join([said(key["prefix"])] * ("prefix" in key) + strings(key.get("files")))
    return {
        "key": said(key) or "default",
        "untracked": bool(value.get("untracked")),
        "policy": said(value.get("policy")) or "pull-push",
        "paths": strings(value.get("paths")),
        "when": said(value.get("when")) or "on_success",
        "fallback_keys": strings(value.get("fallback_keys")),
    }


def needs(value: Any) -> list[dict[str, Any]]:
    """The jobs that a job names under `needs`."""
    found = []
    for one in value if isinstance(value, list) else []:
        if isinstance(one, str):
            found.append({"name": one, "artifacts": True, "optional": False})
        elif isinstance(one, Mapping) and isinstance(one.get("job"), str):
            found.append(
                {
                    "name": one["job"],
                    "artifacts": one.get("artifacts") is not False,
                    "optional": bool(one.get("optional")),
                }
            )
    return found


def _retry(value: Any) -> dict[str, Any] | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return {"max": value, "when": ["always"]}
    if isinstance(value, Mapping):
        codes = whole_numbers(value.get("exit_codes"))
        return {
            "max": value["max"] if isinstance(value.get("max"), int) else 2,
            "when": strings(value.get("when")) or ([] if codes else ["always"]),
            **({"exit_codes": codes, "when": strings(value.get("when")) or ["always"]} if codes else {}),
        }
    return None
