"""What reports of jobs say: tests (JUnit) of a pipeline, and variables (dotenv) for later jobs. Both come from outside:
they are read within bounds, and what cannot be read is said in the report."""

from __future__ import annotations

import gzip
import io
import re
import xml.parsers.expat
import zlib
from collections.abc import Iterable
from typing import Any

from dayjob.company.forge.rows.ci import Artifact, Job, Pipeline
from dayjob.company.forge.store import artifacts, progress
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.ci_variables import Variable

READ_LIMIT = 8 * 1024 * 1024
"""Bytes of a report, unpacked."""
CASES_LIMIT = 10_000
_DOTENV = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)")
DOTENV_LIMIT = 50
"""Variables of one dotenv report."""
_TEXT_LIMIT = 64 * 1024


def _content(store: Store, artifact: Artifact) -> bytes | None:
    """The report's bytes; None if it is too large or cannot be unpacked."""
    data = store.company.blobs.path(artifact.blob).read_bytes()
    if artifact.file_format != "gzip":
        return data if len(data) <= READ_LIMIT else None
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            found = file.read(READ_LIMIT + 1)
    except (OSError, EOFError, zlib.error):
        return None
    return found if len(found) <= READ_LIMIT else None


def _reports(store: Store, job: Job, kind: str) -> list[Artifact]:
    return [one for one in artifacts.of(store, job) if one.file_type == kind]


def dotenv_of(store: Store, jobs: Iterable[Job]) -> list[Variable]:
    """The variables that jobs have left for those after them."""
    found: list[Variable] = []
    for job in jobs:
        for artifact in _reports(store, job, "dotenv"):
            lines = (_content(store, artifact) or b"").decode("utf-8", "replace").splitlines()
            matched = [match for line in lines if (match := _DOTENV.fullmatch(line))]
            found += [Variable(match[1], match[2].strip().strip("\"'"), raw=True) for match in matched[:DOTENV_LIMIT]]
    return found


class _Suites:
    """JUnit's XML as it is read: cases with their outcome. Entities are not followed, and there is an end to it."""

    def __init__(self) -> None:
        self.cases: list[dict[str, Any]] = []
        self._case: dict[str, Any] | None = None
        self._into: str | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            if len(self.cases) >= CASES_LIMIT:
                raise ValueError("too many test cases")
            self._case = {
                "status": "success",
                "name": attributes.get("name", ""),
                "classname": attributes.get("classname", ""),
                "file": attributes.get("file"),
                "execution_time": _seconds(attributes.get("time")),
                "system_output": None,
                "stack_trace": None,
            }
            self.cases.append(self._case)
        elif self._case is not None and name in ("failure", "error", "skipped"):
            self._case["status"] = {"failure": "failed", "error": "error", "skipped": "skipped"}[name]
            self._case["system_output"] = attributes.get("message") or ""
            self._into = name

    def end(self, name: str) -> None:
        if name == "testcase":
            self._case = None
        elif name == self._into:
            self._into = None

    def text(self, data: str) -> None:
        if self._case is not None and self._into is not None:
            self._case["system_output"] = (self._case["system_output"] + data)[:_TEXT_LIMIT]


def _seconds(text: str | None) -> float:
    try:
        return float((text or "0").replace(",", ""))
    except ValueError:
        return 0.0


def _refuse_entities(*_: object) -> None:
    raise ValueError("entities are not taken")


def test_cases(data: bytes) -> list[dict[str, Any]]:
    """The cases of a JUnit file; ValueError for what is none."""
    parser = xml.parsers.expat.ParserCreate()
    suites = _Suites()
    parser.StartElementHandler = suites.start
    parser.EndElementHandler = suites.end
    parser.CharacterDataHandler = suites.text
    parser.EntityDeclHandler = _refuse_entities
    try:
        parser.Parse(data, True)
    except xml.parsers.expat.ExpatError as error:
        raise ValueError(f"JUnit XML parsing failed: {error}") from None
    return suites.cases


def test_suites(store: Store, pipeline: Pipeline) -> list[dict[str, Any]]:
    """One suite a job that has left a report of tests."""
    found = []
    for job in progress.jobs_of(store, pipeline):
        for artifact in _reports(store, job, "junit"):
            error = None
            cases: list[dict[str, Any]] = []
            data = _content(store, artifact)
            try:
                cases = test_cases(data) if data is not None else []
                error = None if data is not None else "JUnit data parsing failed: the report is too large"
            except ValueError as problem:
                error = str(problem)
            count = {
                status: sum(case["status"] == status for case in cases)
                for status in ("success", "failed", "skipped", "error")
            }
            found.append(
                {
                    "name": job.name,
                    "job_id": job.id,
                    "total_time": round(sum(case["execution_time"] for case in cases), 6),
                    "total_count": len(cases),
                    **{f"{status}_count": number for status, number in count.items()},
                    "suite_error": error,
                    "test_cases": cases,
                }
            )
    return found
