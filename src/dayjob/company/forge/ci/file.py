"""What a `.gitlab-ci.yml` says, and what is wrong with it: each problem a sentence in GitLab's words, with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pygit2
import yaml

from dayjob.company import outside_yaml
from dayjob.company.forge.ci import checks
from dayjob.company.forge.ci.merging import Extends, Includes, Reader, References, Unfit, plain, said_of
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
    warnings: list[str] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    workflow: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    workflow_variables: list[dict[str, Any]] = field(default_factory=list)
    includes: list[dict[str, Any]] = field(default_factory=list)
    merged: str = ""

    @property
    def valid(self) -> bool:
        return not self.errors


def lint(content: str, read: Reader | None = None) -> Configuration:
    """Read a CI file; `read` finds what it includes."""
    found = Configuration()
    try:
        data = outside_yaml.load(content)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        found.errors.append(said_of(error, "<unknown>"))
        return found
    if not isinstance(data, dict):
        found.errors.append(
            "Invalid configuration format" if content.strip() else "Please provide content of .gitlab-ci.yml"
        )
        return found
    try:
        _read(found, plain(data), read)
    except (Unfit, ValueError, RecursionError) as error:
        found.errors.append(str(error) or "The file is nested too deeply")
    if found.errors:
        _add_lines(found, content)
    return found


def _read(found: Configuration, data: dict[str, Any], read: Reader | None) -> None:
    includes = Includes(read)
    data = includes.whole(data)
    found.includes = includes.found
    data = References(data).resolved(data)
    stages = data.get("stages", data.get("types", STAGES[1:4]))
    if not isinstance(stages, list) or not all(isinstance(one, str) for one in stages):
        raise Unfit("stages config should be an array of strings")
    named = list(dict.fromkeys(one for one in stages if one not in (".pre", ".post")))
    found.stages = [".pre", *named, ".post"]
    found.workflow = data["workflow"] if isinstance(data.get("workflow"), dict) else {}
    found.variables = data["variables"] if isinstance(data.get("variables"), dict) else {}
    found.errors += checks.of_file(data)
    extends = Extends(data)
    for name, job in data.items():
        if name in _GLOBAL or name.startswith("."):
            continue
        if not isinstance(job, dict):
            found.errors.append(f"jobs {name} config should implement the script:, run:, or trigger: keyword")
            continue
        try:
            found.jobs[name] = extends.job(job)
        except Unfit as error:
            raise Unfit(f"{name}: {error}") from None
    for name, job in found.jobs.items():
        found.errors += checks.of_job(name, job, found.stages)
    if not found.errors:
        found.errors += checks.between_jobs(found.jobs, found.stages)
    if sum(expressions_size(one) for one in (found.workflow, *found.jobs.values())) > EXPRESSIONS_LIMIT:
        found.errors.append(f"The expressions of rules, only and except exceed {EXPRESSIONS_LIMIT} characters")
    if not found.jobs and not found.errors:
        found.errors.append("jobs config should contain at least one visible job")
    found.merged = outside_yaml.dump(data) if found.valid else ""


def _add_lines(found: Configuration, content: str) -> None:
    """Say of each problem where in the file it is, as far as a key of the file is named."""
    lines = outside_yaml.key_lines(content)
    found.errors = [
        f"{one} ({FILE} line {line})" if (line := _line(one, lines)) else one for one in dict.fromkeys(found.errors)
    ]


def _line(error: str, lines: dict[tuple[str, ...], int]) -> int | None:
    if error.startswith(("Local file", "Included file")):
        return lines.get(("include",))
    if found := re.match(r"The pipeline has circular dependencies: (.+?) -> ", error):
        return lines.get((found[1], "needs"), lines.get((found[1],)))
    names = sorted({path[0] for path in lines if len(path) == 1}, key=len, reverse=True)
    for name in names:
        for start in (f"jobs:{name}:", f"jobs:{name} ", f"jobs {name} ", f"{name} job:", f"'{name}' job", f"{name}: ",
                      f"{name} config", f"{name}:"):  # fmt: skip
            if error.startswith(start):
                words = [form for word in re.findall(r"\w+", error[len(start) :]) for form in (word, f"{word}s")]
                return next((lines[(name, word)] for word in words if (name, word) in lines), lines[(name,)])
    return None


# -- in repositories ---------------------------------------------------------------------------------------------


def configuration(repo: pygit2.Repository, sha: str, path: str = FILE) -> Configuration | None:
    commit = commit_of(repo, sha)
    blob = entry_at(commit, path) if commit is not None else None
    if not isinstance(blob, pygit2.Blob):
        return None
    if size_of(repo, blob.id) > 4 * outside_yaml.LONGEST:
        return Configuration(errors=[str(outside_yaml.YamlTooLarge())])
    return lint(text(blob.data), reader(repo, sha))


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
