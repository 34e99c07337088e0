"""Colleagues who write first after something real happened: on the forge and on the drive, over their own wires."""

from __future__ import annotations

from typing import Any

import httpx

from dayjob.company.world import Snapshot
from dayjob.http.server import bind
from tests.npc.casting import Stage, run, scene

TRELLIS = "/api/v4/projects/larkspur%2Ftrellis"


async def client(stage: Stage, service: str, **options: Any) -> httpx.AsyncClient:
    sock = bind()
    listener = await stage.host.serve(stage.company, service, sock, "examinee")
    return httpx.AsyncClient(base_url=f"http://127.0.0.1:{listener.address[1]}", trust_env=False, timeout=20, **options)


def test_real_events_of_the_forge_make_a_colleague_write(larkspur: Snapshot) -> None:
    async def main() -> None:
        events = ("issue", "issue_closed", "push", "merge_request", "merge")
        scenarios = {"Jonas Weber": {"initiates": [{"after": one, "say": f"I saw: {one}."} for one in events]}}
        token = {"PRIVATE-TOKEN": str(larkspur.info.accounts["forge"]["token"])}
        async with scene(larkspur, scenarios) as (stage, cast, sam):
            cast.begin()
            before = len(await sam.history("jonas.weber"))
            async with await client(stage, "forge", headers=token) as forge:

                async def ask(method: str, path: str, **facts: Any) -> Any:
                    answer = await forge.request(method, TRELLIS + path, json=facts)
                    assert answer.status_code < 300, answer.text
                    return answer.json()

                issue = await ask("POST", "/issues", title="A new one")
                await ask("PUT", f"/issues/{issue['iid']}", state_event="close")
                action = {"action": "create", "file_path": "notes.txt", "content": "new"}
                await ask(
                    "POST",
                    "/repository/commits",
                    branch="notes",
                    start_branch="main",
                    commit_message="Add notes",
                    actions=[action],
                )
                request = await ask(
                    "POST", "/merge_requests", source_branch="notes", target_branch="main", title="Notes"
                )
                await ask("PUT", f"/merge_requests/{request['iid']}/merge")
            heard = await sam.hears("jonas.weber", before + len(events))
            assert set(heard[-len(events) :]) == {f"I saw: {one}." for one in events}
            assert cast.faults == []

    run(main())


def test_a_file_on_the_drive_makes_a_colleague_write(larkspur: Snapshot) -> None:
    async def main() -> None:
        scenarios = {"Mara Lindqvist": {"initiates": [{"after": "file", "say": "Thank you for the file."}]}}
        async with scene(larkspur, scenarios) as (stage, cast, sam):
            cast.begin()
            known = len(await sam.history("mara.lindqvist"))
            async with await client(stage, "drive", auth=("sam.reed", "sam-reed-first-day")) as drive:
                assert (await drive.put("/remote.php/webdav/Operations/done.md", content=b"done")).status_code == 201
            assert (await sam.hears("mara.lindqvist", known + 1))[-1] == "Thank you for the file."
            assert cast.faults == []

    run(main())
