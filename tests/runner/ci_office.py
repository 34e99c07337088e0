"""An office whose pushes are tested: a company in its process, a trial's runner beside it, and a way to push to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx

from dayjob.company.world import build_snapshot
from dayjob.http.server import bind
from dayjob.sandbox.choose import make_site
from dayjob.sandbox.sandbox import Site
from dayjob.trial.ci_runner import TrialRunner
from dayjob.trial.company_process import CompanyProcesses, TrialCompany
from tests.trial.offices import office

T = TypeVar("T")
ROOT = {"username": "root", "password": "for-this-test", "token": "for-this-test-alone"}


@dataclass
class Ran:
    """A job that has ended, and its log."""

    facts: dict[str, Any]
    log: str

    @property
    def status(self) -> str:
        return str(self.facts["status"])

    @property
    def reason(self) -> str | None:
        return self.facts.get("failure_reason")


class CiOffice:
    def __init__(
        self, site: Site, company: TrialCompany, runner: TrialRunner, forge: httpx.AsyncClient, control: str
    ) -> None:
        self.control = control
        self.site = site
        self.company = company
        self.runner = runner
        self.forge = forge
        self._projects = 0

    async def ask(self, method: str, path: str, **options: Any) -> Any:
        said = await self.forge.request(method, path, **options)
        assert said.status_code < 300, (method, path, said.status_code, said.text[:500])
        return said.json() if "json" in said.headers.get("content-type", "") else said

    async def project(self, **settings: Any) -> int:
        self._projects += 1
        facts = await self.ask("POST", "/projects", json={"name": f"p{self._projects}", **settings})
        return int(facts["id"])

    async def commit(self, project: int, files: dict[str, str], branch: str = "main", **more: Any) -> str:
        shown = {"ref": more.get("start_branch", branch), "recursive": True}
        tree = await self.forge.get(f"/projects/{project}/repository/tree", params=shown)
        there = {one["path"] for one in tree.json()} if tree.status_code == 200 else set()
        actions = [
            {"action": "update" if path in there else "create", "file_path": path, "content": content}
            for path, content in files.items()
        ]
        body = {"branch": branch, "commit_message": "A change", "actions": actions, **more}
        return str((await self.ask("POST", f"/projects/{project}/repository/commits", json=body))["id"])

    async def jobs(self, project: int, sha: str) -> dict[str, Ran]:
        """The jobs of a commit's pipelines, once nothing runs any more."""
        await self.over()
        found = {}
        for pipeline in await self.ask("GET", f"/projects/{project}/pipelines", params={"sha": sha}):
            for job in await self.ask("GET", f"/projects/{project}/pipelines/{pipeline['id']}/jobs"):
                log = await self.ask("GET", f"/projects/{project}/jobs/{job['id']}/trace")
                found[job["name"]] = Ran(job, log.text)
        return found

    async def over(self) -> None:
        """Return when the runner has heard of everything, and done it."""
        async with asyncio.timeout(120):
            await asyncio.sleep(0.05)
            await self.runner.idle()

    async def run(self, ci: str, files: dict[str, str] | None = None) -> dict[str, Ran]:
        """The jobs of a new project with this CI file."""
        project = await self.project()
        return await self.jobs(project, await self.commit(project, {".gitlab-ci.yml": ci, **(files or {})}))

    async def script(self, *commands: str, files: dict[str, str] | None = None, **keys: Any) -> Ran:
        """A single job of these commands."""
        import json

        return (await self.run(json.dumps({"job": {"script": list(commands), **keys}}), files))["job"]


@asynccontextmanager
async def opened(
    cache: Path, folder: Path, sandbox: str = "embedded", world: Path | None = None
) -> AsyncIterator[CiOffice]:
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(make_site(sandbox, cache))
        companies = await stack.enter_async_context(CompanyProcesses())
        snapshot = build_snapshot(world or office(folder), cache=cache)
        company = await companies.open(
            snapshot, folder / "written", seed="0", journal=folder / "journal.jsonl", colleagues=None, phase="work"
        )
        (folder / "runner").mkdir()
        runner = await stack.enter_async_context(
            TrialRunner(site, company, folder / "runner", options={"clock": company.page})
        )
        await company.set_secrets({"forge": ROOT})
        sock, control = stack.enter_context(bind()), stack.enter_context(bind())
        await company.open("examinee", {"forge": sock, "control": control})
        address = f"http://127.0.0.1:{sock.getsockname()[1]}/api/v4"
        headers = {"PRIVATE-TOKEN": ROOT["token"]}
        forge = await stack.enter_async_context(httpx.AsyncClient(base_url=address, headers=headers, timeout=60))
        yield CiOffice(site, company, runner, forge, f"http://127.0.0.1:{control.getsockname()[1]}")


class Loop:
    """An office on a loop of its own, for the tests of a module."""

    def __init__(self, loop: asyncio.Runner, office: CiOffice) -> None:
        self.loop = loop
        self.office = office

    def __call__(self, doing: Coroutine[Any, Any, T]) -> T:
        return self.loop.run(doing)


@contextmanager
def office_loop(cache: Path, folder: Path, sandbox: str = "embedded") -> Iterator[Loop]:
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop:
        stack = AsyncExitStack()
        found = loop.run(stack.enter_async_context(opened(cache, folder, sandbox)))
        try:
            yield Loop(loop, found)
        finally:
            loop.run(stack.aclose())
