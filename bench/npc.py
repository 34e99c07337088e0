"""What colleagues and the gateway cost: start, idling, time to a reply, and a model call beside a direct one.

python -m bench.npc
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx
import uvloop

from dayjob.company.company import Company
from dayjob.company.host import Host
from dayjob.company.world import Snapshot, build_snapshot
from dayjob.http.server import bind
from dayjob.llm.gateway import Gateway
from dayjob.llm.script_file import parse_script
from dayjob.llm.scripted import ScriptedModel
from dayjob.llm.secret import Secret
from dayjob.llm.settings import LlmSettings, Provider, RoleModel
from dayjob.npc.cast import Cast
from dayjob.npc.realtime import Realtime
from dayjob.npc.signing_in import with_company
from dayjob.task.scenario import read_scenarios

ROUNDS = 200
IDLE_SECONDS = 5.0
KEY = "the-bench-s-own-key"
ANSWER = {"rules": [{"say": "A short answer.", "usage": {"prompt": 20, "completion": 4}}]}


def write_world(folder: Path, people: int) -> Path:
    (folder / "people").mkdir(parents=True)
    (folder / "world.toml").write_text('format = 1\nname = "Bench"\nhost = "bench.test"\n', "utf-8")
    (folder / "people" / "sam.yml").write_text("name: Sam Reed\nusername: sam.reed\nexaminee: true\n", "utf-8")
    for number in range(people):
        text = f"name: Colleague Number{number}\nusername: colleague.{number}\n"
        (folder / "people" / f"c{number:04d}.yml").write_text(text, "utf-8")
    return folder


class Asker:
    """The examinee on the realtime wire: writes to a colleague and waits for what comes back."""

    def __init__(self) -> None:
        self.connection: Realtime | None = None
        self._answer: asyncio.Future[None] | None = None

    def hear(self, message: dict[str, Any], _: dict[str, Any]) -> None:
        if message["u"]["username"] != "sam.reed" and self._answer is not None and not self._answer.done():
            self._answer.set_result(None)

    async def ask(self, room: str, text: str) -> float:
        assert self.connection is not None
        self._answer = asyncio.get_running_loop().create_future()
        started = time.perf_counter()
        await self.connection.call("sendMessage", {"rid": room, "msg": text})
        await self._answer
        return (time.perf_counter() - started) * 1000


async def colleagues(snapshot: Snapshot, count: int) -> dict[str, float]:
    rule = {"on": {"topic": "key"}, "reply": "Ask somebody else."}
    scenarios = read_scenarios({f"Colleague Number{number}": {"script": [rule]} for number in range(count)})
    company = Company(snapshot, phase="work")
    async with Host() as host:
        sock = bind()
        await host.serve(company, "chat", sock, "npc")
        url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        company.database("chat").execute("SELECT 1")
        cast = Cast.for_company(company, url, scenarios)
        started = time.perf_counter()
        async with cast:
            found = {"start": (time.perf_counter() - started) * 1000}
            before = time.process_time()
            await asyncio.sleep(IDLE_SECONDS)
            found["idle"] = (time.process_time() - before) / IDLE_SECONDS * 100
            asker = Asker()
            login = await with_company(company)("sam.reed")
            asker.connection = await Realtime.open(url, login, asker.hear)
            rooms = [
                str((await asker.connection.call("createDirectMessage", f"colleague.{number % count}"))["rid"])
                for number in range(min(count, 50))
            ]
            times = [await asker.ask(rooms[number % len(rooms)], "Who has the key?") for number in range(ROUNDS)]
            await asker.connection.close()
            assert not cast.faults
    company.close()
    found["p50"] = statistics.median(times)
    found["p95"] = statistics.quantiles(times, n=20)[-1]
    return found


def model_process(pipe: Connection) -> None:
    async def main() -> None:
        async with Host() as host:
            sock = bind()
            await host.listen(ScriptedModel(parse_script(ANSWER), Secret(KEY)), sock)
            pipe.send(sock.getsockname()[1])
            await asyncio.Event().wait()

    uvloop.run(main())


async def calls(port: int) -> dict[str, list[float]]:
    base = f"http://127.0.0.1:{port}/v1"
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Who has the key? " * 50}]}
    # What is measured is the way through the gateway, not the wait of a role that asks more often than it may.
    role = RoleModel(Provider("here", "openai", base, Secret(KEY)), "m", requests_per_minute=None)
    async with Gateway(LlmSettings({"npc": role})) as gateway, Host() as host:
        sock = bind()
        await host.listen(gateway.app(), sock)
        access = gateway.admit("bench.1", "npc")
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/v1"
        async with (
            httpx.AsyncClient(headers={"authorization": f"Bearer {KEY}"}, trust_env=False) as direct,
            httpx.AsyncClient(headers={"authorization": f"Bearer {access.token.reveal()}"}, trust_env=False) as through,
        ):

            async def by(client: httpx.AsyncClient, base: str, streamed: bool) -> None:
                answer = await client.post(f"{base}/chat/completions", json={**body, "stream": streamed})
                assert answer.status_code == 200

            ways: dict[str, Callable[[], Awaitable[Any]]] = {
                "direct": lambda: by(direct, base, False),
                "through the gateway": lambda: by(through, url, False),
                "on the host (`Pass.complete`)": lambda: access.complete(body),
                "direct, streamed": lambda: by(direct, base, True),
                "through the gateway, streamed": lambda: by(through, url, True),
            }
            times: dict[str, list[float]] = {name: [] for name in ways}
            for number in range(ROUNDS + 20):  # in turn, so that noise meets them all alike; the first warm up
                for name, way in ways.items():
                    started = time.perf_counter()
                    await way()
                    if number >= 20:
                        times[name].append((time.perf_counter() - started) * 1000)
            return times


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dayjob-bench-") as folder:
        snapshot = build_snapshot(write_world(Path(folder) / "world", 500), cache=Path(folder) / "cache")
        uvloop.run(colleagues(snapshot, 1))  # imports are not what is measured
        print(f"Message to script reply, {ROUNDS} messages, company, colleagues and examinee in one process.\n")
        print("| colleagues | all present after, ms | idle, % of a core | reply p50, ms | reply p95, ms |")
        print("| ---: | ---: | ---: | ---: | ---: |")
        for count in (1, 17, 500):
            found = uvloop.run(colleagues(snapshot, count))
            print(f"| {count} | {found['start']:.0f} | {found['idle']:.2f} | {found['p50']:.1f} | {found['p95']:.1f} |")
    ours, theirs = multiprocessing.Pipe()
    model = multiprocessing.Process(target=model_process, args=(theirs,), daemon=True)
    model.start()
    try:
        times = uvloop.run(calls(ours.recv()))
    finally:
        model.kill()
    print(f"\nA call to a scripted model in another process, {ROUNDS} each in turn.\n")
    print("| way | p50, ms | p95, ms | over direct, p50 ms |\n| --- | ---: | ---: | ---: |")
    for name, found_times in times.items():
        base = "direct, streamed" if "streamed" in name else "direct"
        over = statistics.median(found_times) - statistics.median(times[base])
        p95 = statistics.quantiles(found_times, n=20)[-1]
        print(f"| {name} | {statistics.median(found_times):.2f} | {p95:.2f} | {over:.2f} |")


if __name__ == "__main__":
    main()
