"""What is wrong between the jobs of a CI file: needs of jobs that are not there, of later stages, in circles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dayjob.company.forge.ci import planning
from dayjob.company.forge.ci.mistakes import Mistake, near

JOBS = 500
"""Jobs that one pipeline may have, copies counted."""


def between_jobs(jobs: Mapping[str, Mapping[str, Any]], stages: list[str]) -> Iterator[Mistake]:
    number = {name: stages.index(str(job.get("stage", "test"))) for name, job in jobs.items()}
    copies = {name: [one.name for one in planning.planned(name, job)] for name, job in jobs.items()}
    if sum(len(names) for names in copies.values()) > JOBS:
        sentence = f"The number of jobs has exceeded the limit of {JOBS}. Try splitting the configuration"
        yield Mistake(sentence, "write fewer jobs, or fewer copies with `parallel`")
    home = {copy: name for name, names in copies.items() for copy in (name, *names)}
    edges: dict[str, set[str]] = {}
    for name, job in jobs.items():
        for place, need in enumerate(planning.needs(job.get("needs"))):
            other = home.get(need["name"])
            path = (name, "needs", str(place))
            if other is None:
                if not need["optional"]:
                    yield _no_such_job(name, need["name"], jobs, path)
            elif number[other] > number[name]:
                sentence = f"{name} job: need {need['name']} is not defined in current or prior stages"
                yield Mistake(sentence, f"move '{other}' to an earlier stage, or '{name}' to a later one", path)
            else:
                edges.setdefault(name, set()).add(other)
        for place, other_name in enumerate(planning.strings(job.get("dependencies"))):
            other = home.get(other_name)
            path = (name, "dependencies", str(place))
            if other is None:
                fix = near(other_name, jobs, "name a job of this file")
                yield Mistake(f"{name} job: undefined dependency: {other_name}", fix, path)
            elif number[other] >= number[name] and "needs" not in job:
                sentence = f"{name} job: dependency {other_name} is not defined in current or prior stages"
                yield Mistake(sentence, f"move '{other}' to an earlier stage than '{name}'", path)
    if circle := _circle(edges):
        sentence = f"The pipeline has circular dependencies: {' -> '.join(circle)}"
        yield Mistake(sentence, "take one of these out of the other's `needs`", (circle[0], "needs"))


def _no_such_job(name: str, missing: str, jobs: Mapping[str, Any], path: tuple[str, ...]) -> Mistake:
    sentence = f"'{name}' job needs '{missing}' job, but '{missing}' does not exist in the pipeline"
    return Mistake(sentence, near(missing, jobs, "name a job of this file, or write `optional: true`"), path)


def _circle(edges: Mapping[str, set[str]]) -> list[str]:
    """Jobs that need each other in a circle, if there are any."""
    waiting = {name: set(needs) for name, needs in edges.items()}
    needed_by: dict[str, list[str]] = {}
    for name, needs in edges.items():
        for need in needs:
            needed_by.setdefault(need, []).append(name)
    free = [one for one in needed_by if one not in waiting]
    while free:
        done = free.pop()
        for name in needed_by.get(done, ()):
            waiting[name].discard(done)
            if not waiting[name]:
                del waiting[name]
                free.append(name)
    if not waiting:
        return []
    path = [min(waiting)]
    while (following := min(waiting[path[-1]])) not in path:
        path.append(following)
    return [*path[path.index(following) :], following]
