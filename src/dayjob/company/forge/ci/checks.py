"""What is wrong with the keywords of a CI file, in GitLab's sentences and with what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from dayjob.company.forge.ci import planning
from dayjob.company.forge.ci.durations import seconds_of
from dayjob.company.forge.ci.merging import DEFAULTS
from dayjob.company.forge.ci.mistakes import Mistake, near
from dayjob.company.forge.ci.rules import readable

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
_WORKFLOW_KEYS = frozenset({"rules", "name", "auto_cancel"})
_SCRIPT = "config should be a string or a nested array of strings up to 10 levels deep"
_SCRIPT_FIX = "write the commands as a list of texts, in quotes where they hold `: `"
_PAIRS_FIX = "write each as `NAME: text`"
_DURATION_FIX = "write it as `30 minutes` or `1 week`"


def of_file(data: Mapping[str, Any]) -> Iterator[Mistake]:
    variables = data.get("variables")
    if variables is not None and not _is_variables(variables):
        sentence = "variables config should be a hash of key value pairs, value can be a hash"
        yield Mistake(sentence, _PAIRS_FIX, ("variables", *_unfit_variable(variables)))
    workflow = data.get("workflow")
    if workflow is not None and not isinstance(workflow, dict):
        yield Mistake("workflow config should be a hash", "write `rules` below it", ("workflow",))
    elif isinstance(workflow, dict):
        yield from _unknown("workflow", ("workflow",), workflow, _WORKFLOW_KEYS)
        if "rules" in workflow:
            yield from _rules("workflow", ("workflow", "rules"), workflow["rules"])
    default = data.get("default")
    if default is not None and not isinstance(default, dict):
        yield Mistake("default config should be a hash", "write keywords of jobs below it", ("default",))
    elif isinstance(default, dict):
        for one in _unknown("default", ("default",), default, frozenset((*DEFAULTS, "identity"))):
            yield replace(one, fix="say it in each job") if one.path[1] in KEYWORDS else one


def of_job(name: str, job: Mapping[str, Any], stages: list[str]) -> Iterator[Mistake]:
    place = f"jobs:{name}"
    yield from _unknown(place, (name,), job, KEYWORDS)
    for keyword, instead in (("trigger", "downstream pipelines"), ("run", "steps"), ("release", "releases of jobs")):
        if keyword in job:
            sentence = f"{place}:{keyword} is not offered by this instance, which has no {instead}"
            yield Mistake(sentence, "use `script`", (name, keyword))
            return
    if "script" not in job:
        yield no_script(name)
    for keyword in ("script", "before_script", "after_script"):
        empty = keyword == "script" and "script" in job and not planning.lines(job["script"])
        if keyword in job and (empty or not _is_script(job[keyword])):
            yield Mistake(f"{place}:{keyword} {_SCRIPT}", _SCRIPT_FIX, (name, keyword, *_unfit_line(job[keyword])))
    stage = job.get("stage", "test")
    if not isinstance(stage, str):
        yield Mistake(f"{place}:stage config should be a string", "write one name of `stages`", (name, "stage"))
    elif stage not in stages:
        listed = ", ".join(stages)
        sentence = f"{name} job: chosen stage {stage} does not exist; available stages are {listed}"
        yield Mistake(sentence, near(stage, stages, "choose one of these, or add it to `stages`"), (name, "stage"))
    if "rules" in job and ("only" in job or "except" in job):
        other = "only" if "only" in job else "except"
        sentence = f"{place} config key may not be used with `rules`: {other}"
        yield Mistake(sentence, f"say in `rules` what `{other}` says", (name, other))
    if "rules" in job:
        yield from _rules(place, (name, "rules"), job["rules"])
    for keyword, check in _CHECKS.items():
        if keyword in job and (found := check(job[keyword])):
            sentence, fix, *path = found
            yield Mistake(f"{place}{sentence}", fix, (name, keyword, *path))
    if job.get("when") == "delayed" and seconds_of(planning.said(job.get("start_in"))) is None:
        key = "start_in" if "start_in" in job else "when"
        yield Mistake(f"{place} start in should be a duration", _DURATION_FIX, (name, key))
    if "start_in" in job and job.get("when") != "delayed" and "rules" not in job:
        yield Mistake(f"{place} start in must be blank", "write `when: delayed`, or leave it out", (name, "start_in"))


def no_script(name: str) -> Mistake:
    sentence = f"jobs {name} config should implement the script:, run:, or trigger: keyword"
    return Mistake(sentence, "write `script` with the job's commands, or begin its name with a dot", (name,))


def _unknown(place: str, path: tuple[str, ...], found: Mapping[str, Any], known: frozenset[str]) -> Iterator[Mistake]:
    if unknown := sorted(set(found) - known):
        fix = near(unknown[0], sorted(known), "take it out" if len(unknown) == 1 else "take them out")
        yield Mistake(f"{place} config contains unknown keys: {', '.join(unknown)}", fix, (*path, unknown[0]))


# -- values ------------------------------------------------------------------------------------------------------

_Found = tuple[str, ...]
"""What is wrong with a keyword's value: the sentence behind the job's name, the fix, and the way down to it; empty
for nothing."""


def _is_script(value: Any, depth: int = 0) -> bool:
    if isinstance(value, list):
        return depth < _NESTED and all(_is_script(one, depth + 1) for one in value)
    return isinstance(value, str | int | float | bool) if depth else isinstance(value, str)


def _unfit_line(value: Any) -> _Found:
    """The first command of a script that is none."""
    entries = enumerate(value) if isinstance(value, list) else ()
    return next(((str(number),) for number, one in entries if not _is_script(one, 1)), ())


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str | int | float) for one in value)


def _is_variable(value: Any) -> bool:
    return isinstance(value, str | int | float | dict) or value is None


def _is_variables(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_variable, value.values()))


def _unfit_variable(value: Any) -> _Found:
    entries = value.items() if isinstance(value, dict) else ()
    return next(((key,) for key, one in entries if not _is_variable(one)), ())


def _image(value: Any) -> _Found:
    if isinstance(value, str) and value:
        return ()
    if isinstance(value, dict):
        fits = isinstance(value.get("name"), str) and value["name"]
        return () if fits else (":image name should be a string", "write `name: debian:13`", "name")
    return ":image config should be a hash or a string", "write `image: debian:13`"


def _services(value: Any) -> _Found:
    fits = isinstance(value, list) and all(not _image(one) for one in value)
    return () if fits else (":services config should be a array of hashes or strings", "write a list of images")


def _when(value: Any) -> _Found:
    if value in WHEN:
        return ()
    return f" when should be one of: {', '.join(WHEN)}", near(planning.said(value), WHEN, "write one of these")


def _allow_failure(value: Any) -> _Found:
    if isinstance(value, bool):
        return ()
    if isinstance(value, dict):
        codes = value.get("exit_codes")
        listed = codes if isinstance(codes, list) else [codes]
        if listed and all(isinstance(one, int) and not isinstance(one, bool) for one in listed):
            return ()
        sentence = ":allow_failure exit codes should be an array of integers or an integer"
        return sentence, "write `exit_codes: [3, 4]`", "exit_codes"
    return ":allow_failure config should be a hash or a boolean value", "write true or false"


def _tags(value: Any) -> _Found:
    fits = _is_strings(value) and len(value) <= 50
    return () if fits else (":tags config should be an array of strings", "write `tags: [name]`, 50 at most")


def _retry(value: Any) -> _Found:
    fix = "write 0, 1 or 2"
    most = value.get("max", 0) if isinstance(value, dict) else value
    down = ("max",) if isinstance(value, dict) else ()
    if not isinstance(most, int) or isinstance(most, bool):
        return ":retry config should be a hash or an integer", fix, *down
    if not 0 <= most <= 2:
        bound = "less than or equal to 2" if most > 2 else "greater than or equal to 0"
        return f":retry config should be {bound}", fix, *down
    reasons = planning.strings(value.get("when")) if isinstance(value, dict) else []
    if unknown := [one for one in reasons if one not in RETRY_WHEN]:
        fix = near(unknown[0], RETRY_WHEN, f"write some of {', '.join(RETRY_WHEN)}")
        return f":retry when contains unknown values: {', '.join(unknown)}", fix, "when"
    return ()


def _timeout(value: Any) -> _Found:
    found = seconds_of(planning.said(value))
    fits = found and found <= 30 * 86400
    return () if fits else (" timeout should be a duration and not exceed the limit", "write `1h 30m`, 30 days at most")


def _parallel(value: Any) -> _Found:
    most = planning.MOST_COPIES
    if isinstance(value, dict):
        chosen = planning.combinations(value.get("matrix"))
        if not chosen:
            fix = "write a list of `NAME: [value, value]`"
            return ":parallel:matrix config should be an array of hashes", fix, "matrix"
        if len(chosen) <= most:
            return ()
        return f":parallel:matrix config generates too many jobs (maximum is {most})", "write fewer values", "matrix"
    fix = f"write a number from 1 to {most}, or `matrix`"
    if not isinstance(value, int) or isinstance(value, bool):
        return ":parallel parallel should be an integer or a hash", fix
    if value < 1:
        return ":parallel config must be greater than or equal to 1", fix
    return (f":parallel config must be less than or equal to {most}", fix) if value > most else ()


def _needs(value: Any) -> _Found:
    if not isinstance(value, list):
        return ":needs config can only be a hash or an array", "write `needs: [job]`"
    for number, one in enumerate(value):
        if isinstance(one, dict) and ({"project", "pipeline"} & set(one)):
            sentence = ":needs of other projects and pipelines are not offered by this instance"
            return sentence, "name jobs of this file", str(number)
        if not isinstance(one, str) and not (isinstance(one, dict) and isinstance(one.get("job"), str)):
            return ":needs:need has an unsupported type", "write the job's name, or `job: NAME`", str(number)
    return (":needs config must be less than or equal to 50", "name fewer jobs") if len(value) > 50 else ()


def _artifacts(value: Any) -> _Found:
    if not isinstance(value, dict):
        return ":artifacts config should be a hash", "write `paths: [folder/]` below it"
    for key in ("paths", "exclude"):
        if key in value and not _is_strings(value[key]):
            return f":artifacts {key} should be an array of strings", f"write `{key}: [folder/]`", key
    if "expire_in" in value and seconds_of(planning.said(value["expire_in"])) is None:
        return ":artifacts expire in should be a duration", _DURATION_FIX, "expire_in"
    if value.get("when", "always") not in ("on_success", "on_failure", "always"):
        return ":artifacts when should be one of: on_success, on_failure, always", "write one of these", "when"
    if "reports" in value and not isinstance(value["reports"], dict):
        return ":artifacts:reports config should be a hash", "write `junit: report.xml` below it", "reports"
    return ()


def _variables(value: Any) -> _Found:
    if _is_variables(value):
        return ()
    return ":variables config should be a hash of key value pairs", _PAIRS_FIX, *_unfit_variable(value)


def _environment(value: Any) -> _Found:
    name = value.get("name") if isinstance(value, dict) else value
    fits = isinstance(name, str) and name
    return () if fits else (":environment config should be a hash or a string", "write `environment: production`")


def _policy(keyword: str) -> Callable[[Any], _Found]:
    def check(value: Any) -> _Found:
        listed = value.get("refs", []) if isinstance(value, dict) else value
        if value is None or isinstance(value, str) or _is_strings(listed):
            return ()
        sentence = f":{keyword} has to be either an array of conditions or a hash"
        return sentence, f"write `{keyword}: [branches]`, or use `rules`"

    return check


def _coverage(value: Any) -> _Found:
    if value is None or (isinstance(value, str) and len(value) > 2 and value[0] == value[-1] == "/"):
        return ()
    return ":coverage config must be a regular expression", r"write it between slashes, as '/TOTAL.*? (\d+)%/'"


def _or(fits: Callable[[Any], bool], sentence: str, fix: str) -> Callable[[Any], _Found]:
    return lambda value: () if fits(value) else (sentence, fix)


_CHECKS: dict[str, Callable[[Any], _Found]] = {
    "image": _image, "services": _services, "when": _when, "allow_failure": _allow_failure, "tags": _tags,
    "retry": _retry, "timeout": _timeout, "parallel": _parallel, "needs": _needs, "artifacts": _artifacts,
    "variables": _variables, "environment": _environment, "only": _policy("only"), "except": _policy("except"),
    "coverage": _coverage,
    "dependencies": _or(_is_strings, " dependencies should be an array of strings", "write `dependencies: [job]`"),
    "cache": _or(
        lambda value: isinstance(value, dict | list), ":cache config should be a hash",
        "write `paths: [folder/]` below it",
    ),
    "interruptible": _or(
        lambda value: isinstance(value, bool), " interruptible should be a boolean value", "write true or false"
    ),
    "inherit": _or(
        lambda value: value is None or isinstance(value, dict), ":inherit config should be a hash",
        "write `default: false` below it",
    ),
}  # fmt: skip


# -- rules -------------------------------------------------------------------------------------------------------


def _rules(place: str, path: tuple[str, ...], rules: Any) -> Iterator[Mistake]:
    if not isinstance(rules, list):
        yield Mistake(f"{place}:rules config should be an array of hashes", "write a list: `- if: …`", path)
        return
    for number, rule in enumerate(rules):
        here = (*path, str(number))
        if not isinstance(rule, dict):
            yield Mistake(f"{place}:rules:rule config should be a hash", "write `- if: …` or `- when: …`", here)
            continue
        yield from _unknown(f"{place}:rules:rule", here, rule, _RULE_KEYS)
        if "if" in rule and not readable(str(rule["if"])):
            fix = """write comparisons as `$NAME == "text"`, joined by && and ||"""
            yield Mistake(f"{place}:rules:rule if invalid expression syntax", fix, (*here, "if"))
        if "when" in rule and rule["when"] not in WHEN:
            said = planning.said(rule["when"])
            fix = near(said, WHEN, f"write one of {', '.join(WHEN)}")
            yield Mistake(f"{place}:rules:rule when unknown value: {said}", fix, (*here, "when"))
        for key in ("changes", "exists"):
            patterns = rule.get(key)
            listed = patterns.get("paths") if isinstance(patterns, dict) else patterns
            if patterns is not None and not isinstance(listed, str) and not _is_strings(listed):
                sentence = f"{place}:rules:rule {key} should be an array of strings or a hash"
                yield Mistake(sentence, f"write `{key}: [folder/**/*]`", (*here, key))
        if rule.get("variables") is not None and not _is_variables(rule["variables"]):
            sentence = f"{place}:rules:rule variables config should be a hash of key value pairs"
            yield Mistake(sentence, _PAIRS_FIX, (*here, "variables"))
        if rule.get("needs") is not None and (found := _needs(rule["needs"])):
            yield Mistake(f"{place}:rules:rule{found[0]}", found[1], (*here, "needs", *found[2:]))
        if rule.get("when") == "delayed" and seconds_of(planning.said(rule.get("start_in"))) is None:
            yield Mistake(f"{place}:rules:rule start in should be a duration", _DURATION_FIX, (*here, "when"))
