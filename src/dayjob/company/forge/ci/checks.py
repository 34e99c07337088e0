"""What is wrong with the keywords of a CI file, in GitLab's sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dayjob.company.forge.ci import planning
from dayjob.company.forge.ci.durations import seconds_of
from dayjob.company.forge.ci.rules import readable

JOBS = 500
"""Jobs that one pipeline may have, copies counted."""
_NESTED = 10
WHEN = ("on_success", "on_failure", "always", "manual", "delayed", "never")
RETRY_WHEN = (
    "always", "unknown_failure", "script_failure", "api_failure", "stuck_or_timeout_failure", "runner_system_failure",
    "runner_unsupported", "stale_schedule", "job_execution_timeout", "archived_failure", "unmet_prerequisites",
    "scheduler_failure", "data_integrity_failure", "missing_dependency_failure",
)  # fmt: skip
KEYWORDS = frozenset({
    "script", "before_script", "after_script", "stage", "image", "services", "variables", "rules", "only", "except",
    "when", "start_in", "allow_failure", "needs", "dependencies", "artifacts", "cache", "tags", "retry", "timeout",
    "parallel", "environment", "coverage", "interruptible", "resource_group", "inherit", "extends", "trigger", "run",
    "release", "secrets", "id_tokens", "hooks", "pages", "publish", "identity", "manual_confirmation",
})  # fmt: skip
_RULE_KEYS = frozenset({
    "if", "changes", "exists", "when", "start_in", "allow_failure", "variables", "needs", "interruptible",
    "auto_cancel",
})  # fmt: skip
_SCRIPT = "config should be a string or a nested array of strings up to 10 levels deep"


def of_file(data: Mapping[str, Any]) -> Iterator[str]:
    variables = data.get("variables")
    if variables is not None and not _is_variables(variables):
        yield "variables config should be a hash of key value pairs, value can be a hash"
    workflow = data.get("workflow")
    if workflow is not None and not isinstance(workflow, dict):
        yield "workflow config should be a hash"
    elif isinstance(workflow, dict) and "rules" in workflow:
        yield from _rules("workflow", workflow["rules"])
    if "default" in data and not isinstance(data["default"], dict):
        yield "default config should be a hash"


def of_job(name: str, job: Mapping[str, Any], stages: list[str]) -> Iterator[str]:
    place = f"jobs:{name}"
    if unknown := sorted(set(job) - KEYWORDS):
        yield f"{place} config contains unknown keys: {', '.join(unknown)}"
    for keyword, instead in (("trigger", "downstream pipelines"), ("run", "steps"), ("release", "releases of jobs")):
        if keyword in job:
            yield f"{place}:{keyword} is not offered by this instance, which has no {instead}: use `script`"
            return
    if "script" not in job:
        yield f"jobs {name} config should implement the script:, run:, or trigger: keyword"
    for keyword in ("script", "before_script", "after_script"):
        if keyword in job and not _is_script(job[keyword]):
            yield f"{place}:{keyword} {_SCRIPT}"
    if "script" in job and _is_script(job["script"]) and not planning.lines(job["script"]):
        yield f"{place}:script {_SCRIPT}"
    stage = job.get("stage", "test")
    if not isinstance(stage, str):
        yield f"{place}:stage config should be a string"
    elif stage not in stages:
        yield f"{name} job: chosen stage {stage} does not exist; available stages are {', '.join(stages)}"
    if "rules" in job and ("only" in job or "except" in job):
        yield f"{place} config key may not be used with `rules`: {'only' if 'only' in job else 'except'}"
    if "rules" in job:
        yield from _rules(place, job["rules"])
    for keyword, check in _CHECKS.items():
        if keyword in job and (problem := check(job[keyword])):
            yield f"{place}{problem}"
    if job.get("when") == "delayed" and seconds_of(planning.said(job.get("start_in"))) is None:
        yield f"{place} start in should be a duration"
    if "start_in" in job and job.get("when") != "delayed" and "rules" not in job:
        yield f"{place} start in must be blank"


def _is_script(value: Any, depth: int = 0) -> bool:
    if isinstance(value, list):
        return depth < _NESTED and all(_is_script(one, depth + 1) for one in value)
    return isinstance(value, str | int | float | bool) if depth else isinstance(value, str)


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str | int | float) for one in value)


def _is_variables(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(one, str | int | float) or one is None or isinstance(one, dict) for one in value.values()
    )


def _image(value: Any) -> str:
    if isinstance(value, str) and value:
        return ""
    if isinstance(value, dict):
        return "" if isinstance(value.get("name"), str) and value["name"] else ":image name should be a string"
    return ":image config should be a hash or a string"


def _services(value: Any) -> str:
    fits = isinstance(value, list) and all(not _image(one) for one in value)
    return "" if fits else ":services config should be a array of hashes or strings"


def _when(value: Any) -> str:
    return "" if value in WHEN else f" when should be one of: {', '.join(WHEN)}"


def _allow_failure(value: Any) -> str:
    if isinstance(value, bool):
        return ""
    if isinstance(value, dict):
        codes = value.get("exit_codes")
        listed = codes if isinstance(codes, list) else [codes]
        if listed and all(isinstance(one, int) and not isinstance(one, bool) for one in listed):
            return ""
        return ":allow_failure exit codes should be an array of integers or an integer"
    return ":allow_failure config should be a hash or a boolean value"


def _tags(value: Any) -> str:
    return "" if _is_strings(value) and len(value) <= 50 else ":tags config should be an array of strings"


def _retry(value: Any) -> str:
    most = value.get("max", 0) if isinstance(value, dict) else value
    if not isinstance(most, int) or isinstance(most, bool):
        return ":retry config should be a hash or an integer"
    if not 0 <= most <= 2:
        return f":retry config should be {'less than or equal to 2' if most > 2 else 'greater than or equal to 0'}"
    reasons = planning.strings(value.get("when")) if isinstance(value, dict) else []
    if unknown := [one for one in reasons if one not in RETRY_WHEN]:
        return f":retry when contains unknown values: {', '.join(unknown)}"
    return ""


def _timeout(value: Any) -> str:
    found = seconds_of(planning.said(value))
    return "" if found and found <= 30 * 86400 else " timeout should be a duration and not exceed the limit"


def _parallel(value: Any) -> str:
    if isinstance(value, dict):
        chosen = planning.combinations(value.get("matrix"))
        if not chosen:
            return ":parallel:matrix config should be an array of hashes"
        most = planning.MOST_COPIES
        return f":parallel:matrix config generates too many jobs (maximum is {most})" if len(chosen) > most else ""
    if not isinstance(value, int) or isinstance(value, bool):
        return ":parallel parallel should be an integer or a hash"
    if value < 1:
        return ":parallel config must be greater than or equal to 1"
    return f":parallel config must be less than or equal to {planning.MOST_COPIES}" if value > 200 else ""


def _needs(value: Any) -> str:
    if not isinstance(value, list):
        return ":needs config can only be a hash or an array"
    for one in value:
        if isinstance(one, dict) and ({"project", "pipeline"} & set(one)):
            return ":needs of other projects and pipelines are not offered by this instance: name jobs of this file"
        if not isinstance(one, str) and not (isinstance(one, dict) and isinstance(one.get("job"), str)):
            return ":needs:need has an unsupported type"
    return ":needs config must be less than or equal to 50" if len(value) > 50 else ""


def _artifacts(value: Any) -> str:
    if not isinstance(value, dict):
        return ":artifacts config should be a hash"
    for key in ("paths", "exclude"):
        if key in value and not _is_strings(value[key]):
            return f":artifacts {key} should be an array of strings"
    if "expire_in" in value and seconds_of(planning.said(value["expire_in"])) is None:
        return ":artifacts expire in should be a duration"
    if value.get("when", "always") not in ("on_success", "on_failure", "always"):
        return ":artifacts when should be one of: on_success, on_failure, always"
    if "reports" in value and not isinstance(value["reports"], dict):
        return ":artifacts:reports config should be a hash"
    return ""


def _variables(value: Any) -> str:
    return "" if _is_variables(value) else ":variables config should be a hash of key value pairs"


def _environment(value: Any) -> str:
    name = value.get("name") if isinstance(value, dict) else value
    return "" if isinstance(name, str) and name else ":environment config should be a hash or a string"


_CHECKS: dict[str, Callable[[Any], str]] = {
    "image": _image, "services": _services, "when": _when, "allow_failure": _allow_failure, "tags": _tags,
    "retry": _retry, "timeout": _timeout, "parallel": _parallel, "needs": _needs, "artifacts": _artifacts,
    "variables": _variables, "environment": _environment,
    "dependencies": lambda value: "" if _is_strings(value) else " dependencies should be an array of strings",
    "cache": lambda value: "" if isinstance(value, dict | list) else ":cache config should be a hash",
    "interruptible": lambda value: "" if isinstance(value, bool) else " interruptible should be a boolean value",
}  # fmt: skip


def _rules(place: str, rules: Any) -> Iterator[str]:
    if not isinstance(rules, list):
        yield f"{place}:rules config should be an array of hashes"
        return
    for rule in rules:
        if not isinstance(rule, dict):
            yield f"{place}:rules:rule config should be a hash"
            continue
        if unknown := sorted(set(rule) - _RULE_KEYS):
            yield f"{place}:rules:rule config contains unknown keys: {', '.join(unknown)}"
        if "if" in rule and not readable(str(rule["if"])):
            yield f"{place}:rules:rule if invalid expression syntax"
        if "when" in rule and rule["when"] not in WHEN:
            yield f"{place}:rules:rule when unknown value: {planning.said(rule['when'])}"


# -- between jobs ------------------------------------------------------------------------------------------------


def between_jobs(jobs: Mapping[str, Mapping[str, Any]], stages: list[str]) -> Iterator[str]:
    number = {name: stages.index(str(job.get("stage", "test"))) for name, job in jobs.items()}
    copies = {name: [one.name for one in planning.planned(name, job)] for name, job in jobs.items()}
    if sum(len(names) for names in copies.values()) > JOBS:
        yield f"The number of jobs has exceeded the limit of {JOBS}. Try splitting the configuration"
    home = {copy: name for name, names in copies.items() for copy in (name, *names)}
    edges: dict[str, set[str]] = {}
    for name, job in jobs.items():
        for need in planning.needs(job.get("needs")):
            other = home.get(need["name"])
            if other is None:
                if not need["optional"]:
                    missing = need["name"]
                    yield f"'{name}' job needs '{missing}' job, but '{missing}' does not exist in the pipeline"
            elif number[other] > number[name]:
                yield f"{name} job: need {need['name']} is not defined in current or prior stages"
            else:
                edges.setdefault(name, set()).add(other)
        for other_name in planning.strings(job.get("dependencies")):
            other = home.get(other_name)
            if other is None:
                yield f"{name} job: undefined dependency: {other_name}"
            elif number[other] >= number[name] and "needs" not in job:
                yield f"{name} job: dependency {other_name} is not defined in current or prior stages"
    if circle := _circle(edges):
        yield f"The pipeline has circular dependencies: {' -> '.join(circle)}"


def _circle(edges: Mapping[str, set[str]]) -> list[str]:
    """Jobs that need each other in a circle, if there are any."""
    waiting = {name: set(needs) for name, needs in edges.items()}
    free = True
    while free:
        free = False
        for name in list(waiting):
            waiting[name] &= set(waiting)
            if not waiting[name]:
                del waiting[name]
                free = True
    if not waiting:
        return []
    path = [min(waiting)]
    while (following := min(waiting[path[-1]])) not in path:
        path.append(following)
    return [*path[path.index(following) :], following]
