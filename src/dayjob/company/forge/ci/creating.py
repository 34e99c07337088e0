"""Pipelines from CI files: for pushes, merge requests, schedules, triggers and whoever asks for one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import pygit2

from dayjob.company.clock import moment
from dayjob.company.forge.ci import planning, variables
from dayjob.company.forge.ci.durations import seconds_of
from dayjob.company.forge.ci.file import Configuration, project_configuration
from dayjob.company.forge.ci.mistakes import Mistake
from dayjob.company.forge.ci.planning import Planned
from dayjob.company.forge.ci.rules import Decision, Setting, decided
from dayjob.company.forge.git.differences import diff_trees
from dayjob.company.forge.git.reading import commit_of, merge_base, resolve, text, tree_entries
from dayjob.company.forge.git.repositories import ZERO, ref_sha
from dayjob.company.forge.git.writing import Author, Conflict, merged_tree
from dayjob.company.forge.git.writing import commit as write_commit
from dayjob.company.forge.rows.ci import Pipeline
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import ci_variables, environments, jobs, pipelines, progress
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.ci_variables import Variable
from dayjob.company.rows import packed

FILES_LIMIT = 50_000
"""Paths that `rules:exists` and `rules:changes` look at."""


class NotCreated(ValueError):
    """No pipeline comes of it: the file is missing, wrong, or wants no job here."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__("; ".join(sentences))
        self.sentences = list(sentences)


def pipeline_for_push(
    store: Store, user: User, project: Project, repo: pygit2.Repository, ref: str, old: str, new: str,
    given: Mapping[str, str] | None = None,
) -> Pipeline | None:  # fmt: skip
    # An annotated tag is an object of its own, and its pipeline is that of the commit it names.
    commit = resolve(repo, new) if new != ZERO else None
    message = text(commit.raw_message) if commit is not None else ""
    if new == ZERO or "[ci skip]" in message.lower() or "[skip ci]" in message.lower():
        return None
    return create(
        store, user, project, repo, ref.split("/", 2)[2], str(commit.id) if commit else new, "push", before=old,
        tag=ref.startswith("refs/tags/"), given=as_given(given or {}),
    )  # fmt: skip


def pipeline_for_request(
    store: Store, user: User, project: Project, repo: pygit2.Repository, request: MergeRequest
) -> Pipeline | None:
    if not request.head_sha:
        return None
    result = _merged_result(store, user, project, repo, request)
    return create(
        store, user, project, repo, f"refs/merge-requests/{request.iid}/{'merge' if result else 'head'}",
        result or request.head_sha, "merge_request_event", request=request,
        source_sha=request.head_sha if result else None,
    )  # fmt: skip


def _merged_result(
    store: Store, user: User, project: Project, repo: pygit2.Repository, request: MergeRequest
) -> str | None:
    """The commit that a merge would make, where the project tests these; None when there are conflicts."""
    target = ref_sha(repo, f"refs/heads/{request.target_branch}")
    head = request.head_sha
    if not project.options["merge_pipelines_enabled"] or target is None or head is None:
        return None
    try:
        tree = merged_tree(repo, target, head)
    except Conflict:
        return None
    who = Author(user.name, str(user.facts.get("commit_email") or user.email), int(moment(store.now()).timestamp()))
    sha = write_commit(repo, tree, [target, head], who, who, f"Merge {head} into {target}")
    repo.references.create(f"refs/merge-requests/{request.iid}/merge", sha, force=True)
    return sha


def as_given(values: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value, "variable_type": "env_var"} for key, value in values.items()]


def create(
    store: Store, user: User, project: Project, repo: pygit2.Repository, ref: str, sha: str, source: str, *,
    before: str = ZERO, tag: bool = False, given: Sequence[dict[str, Any]] = (), request: MergeRequest | None = None,
    source_sha: str | None = None, schedule_id: int | None = None,
) -> Pipeline | None:  # fmt: skip
    """A pipeline from the CI file at a commit; None when there is none or no job wants to run. A file that is wrong
    makes a failed one, with the reason."""
    if project.options.get("builds_access_level") == "disabled":
        return None
    config = project_configuration(project, repo, sha)
    if config is None:
        return None
    with store.transaction():
        pipeline = pipelines.create(
            store, user, project, ref, sha, source, "created" if config.valid else "failed", before=before, tag=tag,
            errors=None if config.valid else "; ".join(config.told), given=given, source_sha=source_sha,
            merge_request_id=request.id if request is not None else None, schedule_id=schedule_id,
            finished_at=None if config.valid else store.now(),
        )  # fmt: skip
        if not config.valid:
            store.forge.pipeline_moved(pipeline)
            return pipeline
        setting = _setting(store, project, repo, pipeline, config, request)
        wants = _wanted(config, setting)
        if not wants:
            pipelines.forget(store, pipeline)
            return None
        try:
            _add_jobs(store, user, project, pipeline, config, wants, setting)
        except NotCreated as error:
            store.update("pipelines", pipeline.id, status="failed", yaml_errors=str(error), finished_at=store.now())
            failed = pipelines.get(store, pipeline.id)
            store.forge.pipeline_moved(failed)
            return failed
        repo.references.create(f"refs/pipelines/{pipeline.id}", sha, force=True)
        _cancel_older(store, project, pipeline)
        return progress.advance(store, pipeline.id)


# -- which jobs --------------------------------------------------------------------------------------------------


def _setting(
    store: Store, project: Project, repo: pygit2.Repository, pipeline: Pipeline, config: Configuration,
    request: MergeRequest | None,
) -> Setting:  # fmt: skip
    known = [
        *(Variable(key, value, raw=True) for key, value in
          variables.of_pipeline(store, project, pipeline, store.company.world.url("forge")).items()),
        *(Variable(one["key"], one["value"], raw=bool(one.get("raw"))) for one in planning.variables(config.variables)),
        *ci_variables.stored(
            store, project, protected=jobs.is_protected(store, project, pipeline), environment=None
        ),
        *(variables.given(one) for one in pipeline.given),
    ]  # fmt: skip
    base = request.base_sha if request is not None else pipeline.before_sha

    @cache
    def changed(compare_to: str | None) -> set[str] | None:
        since = base
        if compare_to is not None:
            other = resolve(repo, compare_to)
            since = merge_base(repo, str(other.id), pipeline.sha) if other is not None else None
        elif request is None and pipeline.source != "push":
            return None
        old, new = commit_of(repo, since) if since and since != ZERO else None, commit_of(repo, pipeline.sha)
        if old is None or new is None:
            return None
        found: set[str] = set()
        for delta in diff_trees(repo, old, new).deltas:
            found |= {delta.old_file.path, delta.new_file.path}
        return found

    @cache
    def files() -> tuple[str, ...]:
        commit = commit_of(repo, pipeline.sha)
        found: list[str] = []
        for entry in tree_entries(commit.tree, recursive=True) if commit is not None else ():
            found.append(entry.path)
            if len(found) >= FILES_LIMIT:
                break
        return tuple(found)

    return Setting({one.key: one.value for one in variables.expanded(known)}, bool(pipeline.tag), changed, files)


def _wanted(config: Configuration, setting: Setting) -> dict[str, Decision]:
    whole = decided(config.workflow, setting, workflow=True) if "rules" in config.workflow else Decision("always")
    if whole is None:
        return {}
    if whole.variables:
        setting.variables.update(  # type: ignore[attr-defined]  # made by `_setting`, a dict
            {one["key"]: one["value"] for one in planning.variables(whole.variables)}
        )
    found = {name: decision for name, job in config.jobs.items() if (decision := decided(job, setting))}
    # `.pre` and `.post` alone are no pipeline.
    if all(config.jobs[name].get("stage") in (".pre", ".post") for name in found):
        return {}
    config.workflow_variables = planning.variables(whole.variables)
    return found


def _add_jobs(
    store: Store, user: User, project: Project, pipeline: Pipeline, config: Configuration,
    wants: Mapping[str, Decision], setting: Setting,
) -> None:  # fmt: skip
    ready = [
        (one, wants[name], config.jobs[name]) for name in wants for one in planning.planned(name, config.jobs[name])
    ]
    names: dict[str, list[str]] = {}
    for one, _, _ in ready:
        names.setdefault(one.group, []).append(one.name)
        if one.name != one.group:
            names.setdefault(one.name, [one.name])
    for one, decision, job in sorted(ready, key=lambda entry: config.stages.index(entry[0].stage)):
        if decision.needs is not None:
            one.config["needs"] = planning.needs(decision.needs)
        if "needs" in one.config:
            one.config["needs"] = _resolved(one, names, config)
        if decision.start_in is not None:
            one.config["start_in"] = seconds_of(planning.said(decision.start_in)) or 0
        if decision.interruptible is not None:
            one.config["interruptible"] = bool(decision.interruptible)
        inherited = _inherited(config, job)
        one.config["variables"] = _merged(inherited, one.config["variables"], planning.variables(decision.variables))
        environment = _environment(store, project, one, setting)
        pipelines.add_job(
            store, user, pipeline, one.name, "created", kind="build", stage=one.stage, tag=pipeline.tag,
            stage_number=config.stages.index(one.stage), when_run=decision.when,
            allow_failure=int(_may_fail(job, decision)), tags=packed(_tags(one, setting)), config=packed(one.config),
            environment=environment,
        )  # fmt: skip


def _inherited(config: Configuration, job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The file's variables, less those a job does not inherit."""
    found = _merged(planning.variables(config.variables), config.workflow_variables)
    inherit = job.get("inherit")
    wanted = inherit.get("variables", True) if isinstance(inherit, Mapping) else True
    if isinstance(wanted, list):
        return [one for one in found if one["key"] in wanted]
    return found if wanted else []


def _merged(*lists: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({one["key"]: one for listed in lists for one in listed}.values())


def _resolved(one: Planned, names: Mapping[str, list[str]], config: Configuration) -> list[dict[str, Any]]:
    """The needs of a job by the names that the pipeline's jobs have; an optional one that is not there is left out."""
    found = []
    for need in one.config["needs"]:
        if need["name"] in names:
            found += [{**need, "name": name} for name in names[need["name"]]]
        elif not need["optional"]:
            missing = need["name"]
            path = (one.group, "needs")
            sentence = (
                f"'{one.name}' job needs '{missing}' job, but '{missing}' does not exist in the pipeline. This might "
                "be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the "
                "pipeline, use needs:optional."
            )
            fix = "write `optional: true` there, or let both jobs run for the same pipelines"
            raise NotCreated([config.sources.told(Mistake(sentence, fix, path))])
    return found


def _may_fail(job: Mapping[str, Any], decision: Decision) -> bool:
    if decision.allow_failure is not None:
        return decision.allow_failure is True
    if "allow_failure" in job:
        return job["allow_failure"] is True
    # A manual job holds nothing up, unless it is a rule that makes it one.
    return decision.when == "manual" and "rules" not in job


def _tags(one: Planned, setting: Setting) -> list[str]:
    known = [Variable(key, value) for key, value in setting.variables.items()]
    known += [Variable(variable["key"], variable["value"]) for variable in one.config["variables"]]
    return [variables.expand(tag, known) for tag in one.tags]


def _environment(store: Store, project: Project, one: Planned, setting: Setting) -> str | None:
    config = one.config.get("environment")
    if config is None:
        return None
    known = [Variable(key, value) for key, value in setting.variables.items()]
    known += [Variable(variable["key"], variable["value"]) for variable in one.config["variables"]]
    name = variables.expand(config["name"], known)
    if "url" in config:
        config["url"] = variables.expand(config["url"], known)
    environments.ensure(store, project, name, config.get("url"))
    return name


def _cancel_older(store: Store, project: Project, pipeline: Pipeline) -> None:
    """A newer pipeline of the same ref makes older ones idle, as far as none of their jobs must not be interrupted."""
    if project.options["auto_cancel_pending_pipelines"] != "enabled" or pipeline.tag:
        return
    for older in pipelines.unfinished_before(store, project, pipeline):
        running = [job for job in progress.jobs_of(store, older) if job.status not in ("created", "pending")]
        if all(job.options.get("interruptible") for job in running):
            jobs.cancel_all(store, older)
