"""The variables a job finds: what the forge says of itself, the file's own, those people have set, and the caller's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from dayjob.company.forge.git.reading import commit_of, message_of, signature_text, when
from dayjob.company.forge.rows.ci import Job, Pipeline
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import ci_variables, jobs, merge_requests, namespaces, projects, users
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.ci_variables import Variable
from dayjob.company.forge.store.namespaces import VISIBILITY

_SPOKEN_OF = re.compile(r"\$\$|\$(?P<name>[A-Za-z_]\w*)|\$\{(?P<braced>[A-Za-z_]\w*)\}|%(?P<percent>[A-Za-z_]\w*)%")
EXPANDED_LIMIT = 64 * 1024
"""Characters of one value with the variables it speaks of written out."""
DEPLOYED = "CI_ENVIRONMENT_NAME"


def slug(text: str) -> str:
    """A name that fits into a host's: lower case, digits and dashes, at most 63."""
    return re.sub(r"[^a-z0-9]", "-", text.lower())[:63].strip("-")


def expanded(variables: Sequence[Variable]) -> list[Variable]:
    """Each name once, the last value that was given; values that are not raw with those they speak of written out.
    What is not known stays as it is written, and so does what speaks of itself."""
    last = {one.key: one for one in variables}
    done: dict[str, Variable] = {}

    def value_of(name: str, on_the_way: frozenset[str]) -> Variable | None:
        if name in done:
            return done[name]
        one = last.get(name)
        if one is None or name in on_the_way:
            return None
        if one.raw or ("$" not in one.value and "%" not in one.value):
            done[name] = one
            return one

        def written_out(found: re.Match[str]) -> str:
            other = found["name"] or found["braced"] or found["percent"]
            if other is None:
                return found[0]
            known = value_of(other, on_the_way | {name}) if len(on_the_way) < 50 else None
            return found[0] if known is None or known.file else known.value

        whole = _SPOKEN_OF.sub(written_out, one.value)[:EXPANDED_LIMIT]
        result = Variable(one.key, whole, one.public, one.masked, one.file, one.raw)
        if not on_the_way:
            done[name] = result
        return result

    return [found for key in last if (found := value_of(key, frozenset())) is not None]


def expand(text: str, variables: Iterable[Variable]) -> str:
    """A text of the file with the variables it speaks of."""
    known = {one.key: one.value for one in variables}

    def written_out(found: re.Match[str]) -> str:
        name = found["name"] or found["braced"] or found["percent"]
        return known.get(name, found[0]) if name else found[0]

    return _SPOKEN_OF.sub(written_out, text)[:EXPANDED_LIMIT]


# -- what the forge says -----------------------------------------------------------------------------------------


def _server(store: Store, base: str) -> dict[str, str]:
    parts = urlsplit(base)
    return {
        "CI": "true",
        "GITLAB_CI": "true",
        "CI_SERVER": "yes",
        "CI_SERVER_NAME": "GitLab",
        "CI_SERVER_URL": base,
        "CI_SERVER_HOST": parts.hostname or "",
        "CI_SERVER_FQDN": parts.netloc,
        "CI_SERVER_PORT": str(parts.port or 80),
        "CI_SERVER_PROTOCOL": parts.scheme,
        "CI_SERVER_VERSION": "17.9.1",
        "CI_SERVER_VERSION_MAJOR": "17",
        "CI_SERVER_VERSION_MINOR": "9",
        "CI_SERVER_VERSION_PATCH": "1",
        "CI_API_V4_URL": f"{base}/api/v4",
        "CI_API_GRAPHQL_URL": f"{base}/api/graphql",
        "GITLAB_FEATURES": "",
    }


def _project(store: Store, project: Project, base: str) -> dict[str, str]:
    space = namespaces.find(store, project.namespace_id)
    visibility = next(name for name, number in VISIBILITY.items() if number == project.visibility)
    return {
        "CI_PROJECT_ID": str(project.id),
        "CI_PROJECT_NAME": project.path,
        "CI_PROJECT_TITLE": project.name,
        "CI_PROJECT_DESCRIPTION": project.description or "",
        "CI_PROJECT_PATH": project.full_path,
        "CI_PROJECT_PATH_SLUG": slug(project.full_path),
        "CI_PROJECT_NAMESPACE": project.full_path.rpartition("/")[0],
        "CI_PROJECT_NAMESPACE_ID": str(project.namespace_id),
        "CI_PROJECT_NAMESPACE_SLUG": slug(space.full_path if space else ""),
        "CI_PROJECT_ROOT_NAMESPACE": project.full_path.partition("/")[0],
        "CI_PROJECT_URL": f"{base}/{project.full_path}",
        "CI_PROJECT_VISIBILITY": visibility,
        "CI_DEFAULT_BRANCH": project.default_branch or "",
        "CI_CONFIG_PATH": project.options["ci_config_path"] or ".gitlab-ci.yml",
    }


def _commit(store: Store, project: Project, ref: str, sha: str, before: str, tag: bool) -> dict[str, str]:
    found = {
        "CI_COMMIT_SHA": sha,
        "CI_COMMIT_SHORT_SHA": sha[:8],
        "CI_COMMIT_BEFORE_SHA": before,
        "CI_COMMIT_REF_NAME": ref,
        "CI_COMMIT_REF_SLUG": slug(ref),
        "CI_COMMIT_REF_PROTECTED": "false",
    }
    commit = commit_of(store.repos.open(project.id), sha)
    if commit is not None:
        message = message_of(commit)
        title, _, rest = message.partition("\n")
        name, email = signature_text(commit.author)
        found |= {
            "CI_COMMIT_MESSAGE": message,
            "CI_COMMIT_TITLE": title,
            "CI_COMMIT_DESCRIPTION": rest.strip("\n"),
            "CI_COMMIT_AUTHOR": f"{name} <{email}>",
            "CI_COMMIT_TIMESTAMP": when(commit.committer),
        }
    if tag:
        found["CI_COMMIT_TAG"] = ref
    return found


def of_pipeline(store: Store, project: Project, pipeline: Pipeline, base: str) -> dict[str, str]:
    """What rules and jobs know of a pipeline."""
    in_request = pipeline.merge_request_id is not None
    request = merge_requests.get(store, pipeline.merge_request_id) if pipeline.merge_request_id else None
    name = request.source_branch if request is not None else pipeline.ref
    found = {
        **_server(store, base),
        **_project(store, project, base),
        **_commit(store, project, name, pipeline.sha, pipeline.before_sha, bool(pipeline.tag)),
        "CI_PIPELINE_ID": str(pipeline.id),
        "CI_PIPELINE_IID": str(pipeline.iid),
        "CI_PIPELINE_SOURCE": pipeline.source,
        "CI_PIPELINE_URL": f"{base}/{project.full_path}/-/pipelines/{pipeline.id}",
        "CI_PIPELINE_CREATED_AT": pipeline.created_at,
    }
    if jobs.is_protected(store, project, pipeline):
        found["CI_COMMIT_REF_PROTECTED"] = "true"
    if pipeline.source == "trigger":
        found["CI_PIPELINE_TRIGGERED"] = "true"
    if request is not None:
        target = projects.get(store, request.project_id)
        source = projects.find(store, request.source_project_id or 0)
        found |= {
            "CI_MERGE_REQUEST_ID": str(request.id),
            "CI_MERGE_REQUEST_IID": str(request.iid),
            "CI_MERGE_REQUEST_TITLE": request.title,
            "CI_MERGE_REQUEST_REF_PATH": pipeline.ref,
            "CI_MERGE_REQUEST_PROJECT_ID": str(target.id),
            "CI_MERGE_REQUEST_PROJECT_PATH": target.full_path,
            "CI_MERGE_REQUEST_PROJECT_URL": f"{base}/{target.full_path}",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": request.source_branch,
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": (request.head_sha or "") if pipeline.source_sha else "",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": request.target_branch,
            "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": (request.start_sha or "") if pipeline.source_sha else "",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": request.base_sha or "",
            "CI_MERGE_REQUEST_EVENT_TYPE": "merged_result" if pipeline.source_sha else "detached",
            "CI_MERGE_REQUEST_LABELS": ",".join(request.label_names),
            "CI_OPEN_MERGE_REQUESTS": f"{target.full_path}!{request.iid}",
        }
        if source is not None:
            found |= {
                "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": str(source.id),
                "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": source.full_path,
                "CI_MERGE_REQUEST_SOURCE_PROJECT_URL": f"{base}/{source.full_path}",
            }
    if not in_request and not pipeline.tag:
        found["CI_COMMIT_BRANCH"] = pipeline.ref
    return {key: value or "" for key, value in found.items()}


def _of_job(store: Store, job: Job, base: str, project: Project, token: str) -> list[Variable]:
    options = job.options
    facts = {
        "CI_JOB_ID": str(job.id),
        "CI_JOB_NAME": job.name,
        "CI_JOB_NAME_SLUG": slug(job.name),
        "CI_JOB_STAGE": job.stage,
        "CI_JOB_STATUS": "running",
        "CI_JOB_URL": f"{base}/{project.full_path}/-/jobs/{job.id}",
        "CI_JOB_STARTED_AT": job.started_at or "",
        "CI_JOB_TIMEOUT": str(options.get("timeout") or project.options["build_timeout"]),
        "CI_NODE_TOTAL": str((options.get("parallel") or {}).get("total", 1)),
        "CI_REGISTRY_USER": "gitlab-ci-token",
        "CI_DEPENDENCY_PROXY_USER": "gitlab-ci-token",
    }
    if options.get("parallel"):
        facts["CI_NODE_INDEX"] = str(options["parallel"]["number"])
    if job.when_run == "manual":
        facts["CI_JOB_MANUAL"] = "true"
    starter = users.by_id(store, job.user_id)
    if starter is not None:
        facts |= {
            "GITLAB_USER_ID": str(starter.id),
            "GITLAB_USER_LOGIN": starter.username,
            "GITLAB_USER_NAME": starter.name,
            "GITLAB_USER_EMAIL": starter.email,
        }
    if job.environment:
        facts |= {"CI_ENVIRONMENT_NAME": job.environment, "CI_ENVIRONMENT_SLUG": slug(job.environment)[:24]}
        if url := (options.get("environment") or {}).get("url"):
            facts["CI_ENVIRONMENT_URL"] = url
    address = base.replace("://", f"://gitlab-ci-token:{token}@", 1)
    return [
        *(Variable(key, value, public=True) for key, value in facts.items()),
        Variable("CI_JOB_TOKEN", token, masked=True),
        Variable("CI_BUILD_TOKEN", token, masked=True),
        Variable("CI_REGISTRY_PASSWORD", token, masked=True),
        Variable("CI_REPOSITORY_URL", f"{address}/{project.full_path}.git", masked=True),
    ]


def of_job(store: Store, job: Job, base: str, token: str, more: Sequence[Variable] = ()) -> list[Variable]:
    """Everything a job finds, by rising precedence folded to one value a name; `more` are reports of earlier jobs."""
    project = projects.get(store, job.project_id)
    pipeline = jobs.pipeline_of(store, job)
    protected = jobs.is_protected(store, project, pipeline)
    return expanded([
        *(Variable(key, value, public=True, raw=True) for key, value in
          of_pipeline(store, project, pipeline, base).items()),
        *_of_job(store, job, base, project, token),
        *(Variable(one["key"], one["value"], public=True, raw=bool(one.get("raw")))
          for one in job.options.get("variables", [])),
        *more,
        *ci_variables.stored(store, project, protected=protected, environment=job.environment),
        *(given(one) for one in pipeline.given),
    ])  # fmt: skip


def given(one: dict[str, Any]) -> Variable:
    """A variable that whoever started the pipeline gave it."""
    return Variable(
        str(one["key"]), str(one["value"]), file=one.get("variable_type") == "file", raw=bool(one.get("raw"))
    )


def masked_values(store: Store, job: Job) -> list[str]:
    """What may not be read in the job's log."""
    project = projects.get(store, job.project_id)
    protected = jobs.is_protected(store, project, jobs.pipeline_of(store, job))
    found = ci_variables.stored(store, project, protected=protected, environment=job.environment)
    return [one.value for one in found if one.masked]
