"""The runner beside `dayjob company serve`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from dayjob.cli.served_runner import served_runner
from dayjob.company.company import Company
from dayjob.company.host import Host
from dayjob.company.world import build_snapshot
from dayjob.http.server import bind
from tests.trial.offices import office


def test_a_push_to_a_served_company_is_tested(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYJOB_CACHE", str(cache))

    async def main() -> tuple[str, str]:
        company = Company(build_snapshot(office(tmp_path), cache=cache))
        async with Host() as host, served_runner(company, host) as about:
            listener = await host.serve(company, "forge", bind())
            api = f"http://127.0.0.1:{listener.address[1]}/api/v4"
            headers = {"PRIVATE-TOKEN": "token-in-the-world"}
            async with httpx.AsyncClient(base_url=api, headers=headers, timeout=60) as forge:
                project = (await forge.post("/projects", json={"name": "app"})).json()["id"]
                ci = {"action": "create", "file_path": ".gitlab-ci.yml", "content": "job: {script: [echo hello]}"}
                body = {"branch": "main", "commit_message": "Test it", "actions": [ci]}
                assert (await forge.post(f"/projects/{project}/repository/commits", json=body)).status_code == 201
                assert await company.settle()
                (job,) = (await forge.get(f"/projects/{project}/jobs")).json()
        company.close()
        return about, job["status"]

    about, status = asyncio.run(main())
    assert about.startswith("jobs run in rooms of this machine")
    assert status == "success"
