"""Pipelines as records: a valid `.gitlab-ci.yml` in a push or merge request makes one, with jobs that wait for a runner
that never comes. `lint` says what is wrong with such a file in the forge's own sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pygit2
import yaml

from dayjob.company import outside_yaml
from dayjob.company.forge.ci_rules import EXPRESSIONS_LIMIT, expressions_size, wanted
from dayjob.company.forge.git.reading import commit_of, entry_at, resolve, size_of, text
from dayjob.company.forge.git.repositories import ZERO
from dayjob.company.forge.rows.ci import Pipeline
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import pipelines
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import packed

FILE = ".gitlab-ci.yml"
STAGES = [".pre", "build", "test", "deploy", ".post"]
_GLOBAL = {
    "default", "include", "stages", "types", "variables", "workflow", "image", "services", "cache", "before_script",
    "after_script", "pages", "spec",
}  # fmt: skip
_EXTENDS_LEVELS = 11
_EXTENDED_KEYS = 50_000
"""Keys that `default` and all `extends` of a file may copy together."""


@dataclass(slots=True)
class Configuration:
    """What a CI file says, or what is wrong with it."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    workflow: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    merged: str = ""

    @property
    def valid(self) -> bool:
        return not self.errors


def lint(content: str) -> Configuration:
    """Read a CI file."""
    found = Configuration()
    try:
        data = outside_yaml.load(content)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        problem = (
            str(error).split("\n", 1)[0]
            if not isinstance(error, yaml.MarkedYAMLError)
            else (
                f"(<unknown>): {error.problem}"
                + (
                    f" at line {error.problem_mark.line + 1} column {error.problem_mark.column + 1}"
                    if error.problem_mark
                    else ""
                )
            )
        )
        found.errors.append(problem)
        return found
    if not isinstance(data, dict):
        found.errors.append(
            "Invalid configuration format" if content.strip() else "Please provide content of .gitlab-ci.yml"
        )
        return found
    data = _plain(data)
    stages = data.get("stages", STAGES[1:4])
    if not isinstance(stages, list) or not all(isinstance(one, str) for one in stages):
        found.errors.append("stages config should be an array of strings")
        return found
    found.stages = [".pre", *(one for one in stages if one not in (".pre", ".post")), ".post"]
    found.workflow = data["workflow"] if isinstance(data.get("workflow"), dict) else {}
    found.variables = data["variables"] if isinstance(data.get("variables"), dict) else {}
    extends = _Extends(data)
    for name, job in data.items():
        name = str(name)
        if name in _GLOBAL and name != "pages":
            continue
        if not isinstance(job, dict):
            if not name.startswith("."):
                found.errors.append(f"jobs {name} config should implement the script:, run:, or trigger: keyword")
            continue
        if not name.startswith("."):
            try:
                found.jobs[name] = extends.job(job)
            except ValueError as error:
                found.errors.append(f"{name}: {error}")
                return found
    for name, job in found.jobs.items():
        _check_job(found, name, job)
    if sum(expressions_size(one) for one in (found.workflow, *found.jobs.values())) > EXPRESSIONS_LIMIT:
        found.errors.append(f"The expressions of rules, only and except exceed {EXPRESSIONS_LIMIT} characters")
    if not found.jobs and not found.errors:
        found.errors.append("jobs config should contain at least one visible job")
    found.merged = outside_yaml.dump(data) if found.valid else ""
    return found


def _plain(value: Any) -> Any:
    """Keys written as Ruby symbols (`:script:`) are the same keys."""
    if isinstance(value, dict):
        return {str(key).removeprefix(":"): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list) else value


class _Extends:
    """Jobs with what they `extends` merged in; each is worked out once, however many others build on it."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        default = data.get("default")
        self._default: dict[str, Any] = default if isinstance(default, dict) else {}
        self._merged: dict[str, tuple[dict[str, Any], int]] = {}
        self._keys = 0

    def job(self, job: dict[str, Any]) -> dict[str, Any]:
        self._count(len(self._default))
        return self._above({**self._default, **job}, ())[0]

    def _count(self, keys: int) -> None:
        self._keys += keys
        if self._keys > _EXTENDED_KEYS:
            raise outside_yaml.YamlTooLarge

    def _above(self, job: dict[str, Any], on_the_way: tuple[str, ...]) -> tuple[dict[str, Any], int]:
        """(the job with its bases, how many levels those have)"""
        bases = job.get("extends", [])
        merged: dict[str, Any] = {}
        levels = 0
        for base in [bases] if isinstance(bases, str) else bases if isinstance(bases, list) else []:
            if not isinstance(base, str) or not isinstance(self._data.get(base), dict):
                continue
            if base in on_the_way:
                raise ValueError("circular dependency detected in `extends`")
            if len(on_the_way) > _EXTENDS_LEVELS:
                raise ValueError("nesting too deep in `extends`")
            if base not in self._merged:
                self._merged[base] = self._above(self._data[base], (*on_the_way, base))
            above, below = self._merged[base]
            levels = max(levels, below + 1)
            self._count(len(above))
            merged.update(above)
        if levels > _EXTENDS_LEVELS:
            raise ValueError("nesting too deep in `extends`")
        merged.update(job)
        return merged, levels


def _check_job(found: Configuration, name: str, job: dict[str, Any]) -> None:
    if not any(key in job for key in ("script", "trigger", "run", "extends")):
        found.errors.append(f"jobs {name} config should implement the script:, run:, or trigger: keyword")
    script = job.get("script")
    if script is not None and not isinstance(script, str | list):
        found.errors.append(
            f"jobs:{name}:script config should be a string or a nested array of strings up to 10 levels deep"
        )
    stage = job.get("stage", "test")
    if stage not in found.stages:
        found.errors.append(
            f"{name} job: chosen stage {stage} does not exist; available stages are {', '.join(found.stages)}"
        )
    if "rules" in job and ("only" in job or "except" in job):
        found.errors.append(
            f"jobs:{name} config key may not be used with `rules`: {'only' if 'only' in job else 'except'}"
        )
    needs = job.get("needs") or []
    for need in needs if isinstance(needs, list) else []:
        other = need.get("job") if isinstance(need, dict) else need
        if isinstance(other, str) and other not in found.jobs:
            found.errors.append(f"'{name}' job needs '{other}' job, but '{other}' does not exist in the pipeline")


# -- pipelines ---------------------------------------------------------------------------------------------------


def configuration(repo: pygit2.Repository, sha: str, path: str = FILE) -> Configuration | None:
    commit = commit_of(repo, sha)
    blob = entry_at(commit, path) if commit is not None else None
    if not isinstance(blob, pygit2.Blob):
        return None
    if size_of(repo, blob.id) > 4 * outside_yaml.LONGEST:
        return Configuration(errors=[str(outside_yaml.YamlTooLarge())])
    return lint(text(blob.data))


def project_configuration(project: Project, repo: pygit2.Repository, sha: str) -> Configuration | None:
    """What the project's CI file says at a commit; None where there is none."""
    return configuration(repo, sha, project.options["ci_config_path"] or FILE)


def pipeline_for_push(
    store: Store, user: User, project: Project, repo: pygit2.Repository, ref: str, old: str, new: str
) -> Pipeline | None:
    # An annotated tag is an object of its own, and its pipeline is that of the commit it names.
    commit = resolve(repo, new) if new != ZERO else None
    message = text(commit.raw_message) if commit is not None else ""
    if new == ZERO or "[ci skip]" in message or "[skip ci]" in message:
        return None
    return create(
        store, user, project, repo, ref.split("/", 2)[2], str(commit.id) if commit else new, "push", before=old,
        tag=ref.startswith("refs/tags/"),
    )  # fmt: skip


def pipeline_for_request(
    store: Store, user: User, project: Project, repo: pygit2.Repository, request: MergeRequest
) -> Pipeline | None:
    if not request.head_sha:
        return None
    more = {
        "CI_MERGE_REQUEST_IID": str(request.iid),
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": request.source_branch,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": request.target_branch,
    }
    return create(
        store, user, project, repo, f"refs/merge-requests/{request.iid}/head", request.head_sha, "merge_request_event",
        variables=more,
    )  # fmt: skip


def create(
    store: Store, user: User, project: Project, repo: pygit2.Repository, ref: str, sha: str, source: str, *,
    before: str = ZERO, tag: bool = False, variables: dict[str, str] | None = None,
) -> Pipeline | None:  # fmt: skip
    """A pipeline from the CI file at a commit; None when there is none, it is wrong, or no job wants to run."""
    if project.options.get("builds_access_level") == "disabled":
        return None
    config = project_configuration(project, repo, sha)
    if config is None:
        return None
    if not config.valid:
        return pipelines.create(
            store, user, project, ref, sha, source, "failed", before=before, tag=tag, errors="; ".join(config.errors),
            variables=variables,
        )  # fmt: skip
    known = {
        "CI_PIPELINE_SOURCE": source, "CI_DEFAULT_BRANCH": project.default_branch or "", "CI_COMMIT_REF_NAME": ref,
        "CI_COMMIT_SHA": sha, "CI_PROJECT_PATH": project.full_path, "CI": "true", "GITLAB_CI": "true",
        **({"CI_COMMIT_TAG": ref} if tag else {"CI_COMMIT_BRANCH": ref} if source != "merge_request_event" else {}),
        **{name: str(value) for name, value in config.variables.items() if isinstance(value, str | int | float)},
        **(variables or {}),
    }  # fmt: skip
    if not wanted(
        {"rules": config.workflow["rules"]} if "rules" in config.workflow else {"only": None}, known, tag, workflow=True
    ):
        return None
    jobs = {name: when for name, job in config.jobs.items() if (when := wanted(job, known, tag))}
    if not jobs:
        return None
    pipeline = pipelines.create(
        store, user, project, ref, sha, source, "pending", before=before, tag=tag, variables=variables
    )
    ordered = sorted(jobs, key=lambda name: config.stages.index(config.jobs[name].get("stage", "test")))
    first = next((config.jobs[name].get("stage", "test") for name in ordered if jobs[name] != "manual"), None)
    for name in ordered:
        job = config.jobs[name]
        stage = job.get("stage", "test")
        status = "manual" if jobs[name] == "manual" else "pending" if stage == first else "created"
        pipelines.add_job(
            store, user, pipeline, name, status, kind="build", stage=stage, tag=int(tag), when_run=jobs[name],
            allow_failure=int(job.get("allow_failure") is True),
            tags=packed([str(runner_tag) for runner_tag in job.get("tags") or []]),
        )  # fmt: skip
    if first is None:
        pipelines.set_status(store, pipeline, "manual")
    return pipelines.get(store, pipeline.id)
