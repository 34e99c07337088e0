"""What a `.gitlab-ci.yml` says, and what is wrong with it: each problem a sentence with its line and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pygit2
import yaml

from dayjob.company import outside_yaml
from dayjob.company.forge.ci import checks
from dayjob.company.forge.ci.between_jobs import between_jobs
from dayjob.company.forge.ci.merging import Extends, Includes, Reader, References, plain
from dayjob.company.forge.ci.mistakes import MOST_TOLD, NO_JOBS, Mistake, Sources, Unfit, unreadable
from dayjob.company.forge.ci.rules import EXPRESSIONS_LIMIT, expressions_size
from dayjob.company.forge.git.reading import commit_of, entry_at, size_of, text
from dayjob.company.forge.rows.projects import Project

FILE = ".gitlab-ci.yml"
STAGES = [".pre", "build", "test", "deploy", ".post"]
_GLOBAL = {
    "default", "include", "stages", "types", "variables", "workflow", "image", "services", "cache", "before_script",
    "after_script", "spec",
}  # fmt: skip


@dataclass(slots=True)
class Configuration:
    """What a CI file says, or what is wrong with it."""

    errors: list[str] = field(default_factory=list)
    """What the linter says: for most what is told, but GitLab's bare sentence where clients know it as it is."""
    warnings: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """What is wrong, each in a sentence with file, line and fix."""
    stages: list[str] = field(default_factory=list)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    workflow: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    workflow_variables: list[dict[str, Any]] = field(default_factory=list)
    includes: list[dict[str, Any]] = field(default_factory=list)
    merged: str = ""
    mistakes: list[Mistake] = field(default_factory=list)
    """The errors as values."""
    sources: Sources = field(default_factory=lambda: Sources(FILE, ""))

    @property
    def valid(self) -> bool:
        return not self.errors


def lint(content: str, read: Reader | None = None, file: str = FILE) -> Configuration:
    """Read a CI file; `read` finds what it includes."""
    found = Configuration(sources=Sources(file, content))
    found.mistakes = list(islice(_mistakes(found, content, read), MOST_TOLD))
    found.told = list(dict.fromkeys(map(found.sources.told, found.mistakes)))
    whole = [one for one in found.mistakes if one.alone]
    found.errors = [one.sentence for one in whole] or found.told
    found.warnings = [f"{found.sources.where(one)}: {one.fix}" for one in whole]
    return found


def _mistakes(found: Configuration, content: str, read: Reader | None) -> Iterator[Mistake]:
    file = found.sources.file
    try:
        data = outside_yaml.load(content)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        yield unreadable(error, file, "<unknown>")
        return
    if not isinstance(data, dict):
        said = "Invalid configuration format" if content.strip() else "Please provide content of .gitlab-ci.yml"
        yield Mistake(said, NO_JOBS, place=(file, 1), alone=True)
        return
    try:
        yield from _read(found, plain(data), read)
    except Unfit as error:
        yield error.mistake
    except (ValueError, RecursionError) as error:
        yield Mistake(str(error) or "The file is nested too deeply", "write less, and nest it less", place=(file, 1))


def _read(found: Configuration, data: dict[str, Any], read: Reader | None) -> Iterator[Mistake]:
    includes = Includes(read, found.sources.file, found.sources.texts)
    data = includes.whole(data)
    found.includes = includes.found
    found.sources.data = data
    data = References(data).resolved(data)
    found.sources.data = data
    stages = data.get("stages", data.get("types", STAGES[1:4]))
    if not isinstance(stages, list) or not all(isinstance(one, str) for one in stages):
        key = "stages" if "stages" in data else "types"
        raise Unfit(Mistake("stages config should be an array of strings", "write `stages: [build, test]`", (key,)))
    named = list(dict.fromkeys(one for one in stages if one not in (".pre", ".post")))
    found.stages = [".pre", *named, ".post"]
    found.workflow = data["workflow"] if isinstance(data.get("workflow"), dict) else {}
    found.variables = data["variables"] if isinstance(data.get("variables"), dict) else {}
    wrong = list(checks.of_file(data))
    extends = Extends(data)
    for name, job in data.items():
        if name in _GLOBAL or name.startswith("."):
            continue
        if isinstance(job, dict):
            found.jobs[name] = extends.job(name, job)
        else:
            wrong.append(checks.no_script(name))
    yield from wrong
    for name, job in found.jobs.items():
        of_job = list(checks.of_job(name, job, found.stages))
        wrong += of_job
        yield from of_job
    if not wrong:
        wrong = list(between_jobs(found.jobs, found.stages))
        yield from wrong
    if sum(expressions_size(one) for one in (found.workflow, *found.jobs.values())) > EXPRESSIONS_LIMIT:
        sentence = f"The expressions of rules, only and except exceed {EXPRESSIONS_LIMIT} characters"
        yield Mistake(sentence, "write fewer patterns, or shorter ones")
    elif not found.jobs and not wrong:
        yield Mistake("jobs config should contain at least one visible job", NO_JOBS)
    elif not wrong:
        found.merged = outside_yaml.dump(data)


# -- in repositories ---------------------------------------------------------------------------------------------


def configuration(repo: pygit2.Repository, sha: str, path: str = FILE) -> Configuration | None:
    commit = commit_of(repo, sha)
    blob = entry_at(commit, path) if commit is not None else None
    if not isinstance(blob, pygit2.Blob):
        return None
    if size_of(repo, blob.id) > 4 * outside_yaml.LONGEST:
        mistake = unreadable(outside_yaml.YamlTooLarge(), path, path)
        told = [Sources(path, "").told(mistake)]
        return Configuration(errors=told, told=told, mistakes=[mistake])
    return lint(text(blob.data), reader(repo, sha), path)


def reader(repo: pygit2.Repository, sha: str) -> Reader:
    """The files at a commit."""
    commit = commit_of(repo, sha)

    def read(path: str) -> str | None:
        blob = entry_at(commit, path.lstrip("/")) if commit is not None else None
        if not isinstance(blob, pygit2.Blob) or size_of(repo, blob.id) > 4 * outside_yaml.LONGEST:
            return None
        return text(blob.data)

    return read


def project_configuration(project: Project, repo: pygit2.Repository, sha: str) -> Configuration | None:
    """What the project's CI file says at a commit; None where there is none."""
    return configuration(repo, sha, project.options["ci_config_path"] or FILE)
