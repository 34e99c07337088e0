"""Nothing is spent on CI while nobody pushes."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from dayjob.runner import forge_client
from tests.runner.ci_office import opened


def test_a_company_that_nobody_pushes_to_has_no_runner_at_work(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No request, no process, no thread, no socket, no turn of the loop; and one push makes as many as it needs."""
    asked: list[str] = []
    send = forge_client.ForgeClient._send

    async def counted(self: forge_client.ForgeClient, method: str, path: str, **options: object) -> object:
        asked.append(path)
        return await send(self, method, path, **options)

    monkeypatch.setattr(forge_client.ForgeClient, "_send", counted)

    def children() -> set[str]:
        return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())

    async def main() -> None:
        async with opened(cache, tmp_path) as office:
            project = await office.project()
            await office.commit(project, {"README.md": "no CI file\n"})
            before = (children(), threading.active_count(), len(asyncio.all_tasks()))
            await office.ask("GET", f"/projects/{project}/pipelines")
            await office.over()
            assert (children(), threading.active_count(), len(asyncio.all_tasks())) == before
            assert asked == []
            assert not await office.company.was_asked("runner")
            assert not list((tmp_path / "runner").iterdir())
            sha = await office.commit(project, {".gitlab-ci.yml": "job: {script: ['true']}"})
            jobs = await office.jobs(project, sha)
            assert jobs["job"].status == "success"
            done = len(asked)
            await office.ask("GET", f"/projects/{project}/pipelines")
            await office.over()
            assert len(asked) == done
            assert asked.count("/jobs/request") <= 4

    asyncio.run(main())
