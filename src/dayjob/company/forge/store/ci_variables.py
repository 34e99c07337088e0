"""The variables that people set for the jobs of a project, a group or the whole instance."""

from __future__ import annotations

from dataclasses import dataclass

from dayjob.company.forge.git.reading import matches
from dayjob.company.forge.rows.projects import Project, Record
from dayjob.company.forge.store import namespaces, records
from dayjob.company.forge.store.base import Store


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as a job gets it. One that is not `raw` may speak of others (`$NAME`)."""

    key: str
    value: str
    public: bool = False
    masked: bool = False
    file: bool = False
    raw: bool = False


def stored(store: Store, project: Project, *, protected: bool, environment: str | None) -> list[Variable]:
    """Those of the instance, then of the groups from the top down, then of the project: a later one wins.

    Protected ones are for jobs of protected branches and tags; one with a scope is for jobs of that environment.
    """
    found = [*records.listed(store, "variable", "instance", 0)]
    for group in reversed(namespaces.ancestors(store, project.namespace_id)):
        found += records.listed(store, "variable", "group", group)
    found += records.listed(store, "variable", "project", project.id)
    return [_variable(one) for one in found if _applies(one, protected, environment)]


def _applies(record: Record, protected: bool, environment: str | None) -> bool:
    values = record.values
    if values.get("protected") and not protected:
        return False
    scope = str(values.get("environment_scope") or "*")
    return scope == "*" or (environment is not None and matches(scope, environment))


def _variable(record: Record) -> Variable:
    values = record.values
    return Variable(
        record.name, str(record.secrets.get("value") or ""), masked=bool(values.get("masked")),
        file=values.get("variable_type") == "file", raw=bool(values.get("raw")),
    )  # fmt: skip
