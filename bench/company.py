"""What a company costs: cloning, memory, reads and paging, each beside a limit or a peer in the same run.

python -m bench.company
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import uvloop
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from bench import big_world
from dayjob.company.company import Company
from dayjob.company.host import Host
from dayjob.company.world import Snapshot, build_snapshot
from dayjob.http.server import Listener, bind
from dayjob.service_names import NAMES

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache" / "bench"
ROUNDS = 5


def big_snapshot() -> Snapshot:
    folder = CACHE / "big-world"
    if not (folder / "world.toml").exists():
        part = CACHE / "big-world.part"
        shutil.rmtree(part, ignore_errors=True)
        big_world.write(part, people=1000, messages=100_000, issues=10_000, repositories=200)
        part.rename(folder)
    return build_snapshot(folder, cache=CACHE)


def small_snapshot() -> Snapshot:
    folder = CACHE / "small-world"
    if not (folder / "world.toml").exists():
        big_world.write(folder, people=10, messages=100, issues=20, repositories=2)
    return build_snapshot(folder, cache=CACHE)


async def open_company(host: Host, snapshot: Snapshot) -> tuple[Company, dict[str, Listener]]:
    company = Company(snapshot)
    return company, {name: await host.serve(company, name, bind()) for name in (*NAMES, "control")}


async def sign_in(port: int, snapshot: Snapshot) -> bytes:
    """Log in to chat: a request that reads and writes the new company's database."""
    account = snapshot.info.accounts["chat"]
    return await ask(port, "/api/v1/login", {"user": account["username"], "password": account["password"]})


async def ask(port: int, path: str, body: dict[str, str] | None = None) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    content = json.dumps(body).encode() if body else b""
    writer.write(
        f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode()
        + content
    )
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
    return answer


async def clone_times(snapshot: Snapshot, count: int = 60) -> list[float]:
    """Milliseconds from nothing to a log-in answered by a freshly cloned company with all its listeners open."""
    times = []
    async with Host() as host:
        for _ in range(count):
            started = time.perf_counter()
            company, listeners = await open_company(host, snapshot)
            await sign_in(listeners["chat"].address[1], snapshot)
            times.append((time.perf_counter() - started) * 1000)
            host.forget(*listeners.values())
            company.close()
    return times


def resident() -> int:
    """Bytes of memory this process occupies; a page of the image that many companies map counts once."""
    rollup = Path("/proc/self/smaps_rollup").read_text()
    return int(rollup.split("Pss:")[1].split()[0]) * 1024


async def memory(snapshot: Snapshot, count: int = 200) -> tuple[float, float]:
    """Megabytes of memory per company: idle with listeners open, and after each service was asked once."""
    async with Host() as host:
        warm, listeners = await open_company(host, snapshot)
        await touch(listeners)
        before = resident()
        companies = [await open_company(host, snapshot) for _ in range(count)]
        idle = (resident() - before) / count / 1e6
        for _, listeners in companies:
            await touch(listeners)
        used = (resident() - before) / count / 1e6
        for company, _ in companies:
            company.close()
        warm.close()
    return idle, used


async def touch(listeners: dict[str, Listener]) -> None:
    for wire in ("rocketchat", "gitlab", "plane", "owncloud"):
        await ask(listeners["control"].address[1], f"/api/healthcheck/{wire}")
    await ask(listeners["drive"].address[1], "/status.php")


# -- reads under load, each server in a process of its own ----------------------------------------------------------


async def hello(_: Request) -> JSONResponse:
    return JSONResponse({"hello": "world", "success": True})


def serve_forever(snapshot: Snapshot, ports: multiprocessing.Queue[dict[str, int]]) -> None:
    from starlette.applications import Starlette

    async def main() -> None:
        async with Host() as host:
            _, listeners = await open_company(host, snapshot)
            listeners["hello"] = await host.listen(Starlette(routes=[Route("/", hello)]), bind())
            ports.put({name: listener.address[1] for name, listener in listeners.items()})
            await asyncio.sleep(3600)

    uvloop.run(main())


def wrk(url: str, headers: dict[str, str], seconds: int = 2) -> float:
    """Requests per second over 16 connections. A `{n}` in the address is another number every time."""
    arguments = ["wrk", "-t1", "-c16", f"-d{seconds}s"]
    if "{n}" in url:
        path = "/" + url.split("/", 3)[3]
        script = CACHE / "another.lua"
        script.write_text(
            "local n = 0\nrequest = function()\n  n = n + 1\n"
            f"  return wrk.format(nil, (string.gsub('{path}', '{{n}}', tostring(n))))\nend\n"
        )
        arguments += ["-s", str(script)]
        url = url.replace("{n}", "0")
    for name, value in headers.items():
        arguments += ["-H", f"{name}: {value}"]
    output = subprocess.run([*arguments, url], capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in output, output
    found = re.search(r"Requests/sec:\s+([\d.]+)", output)
    assert found is not None, output
    return float(found[1])


def post(url: str, body: dict[str, str]) -> dict[str, dict[str, str]]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        found: dict[str, dict[str, str]] = json.load(answer)
        return found


def get(url: str, headers: dict[str, str]) -> dict[str, dict[str, str]]:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        found: dict[str, dict[str, str]] = json.load(answer)
        return found


class Server:
    """A company in a process of its own, signed in to chat."""

    def __init__(self, snapshot: Snapshot) -> None:
        context = multiprocessing.get_context("spawn")
        queue: multiprocessing.Queue[dict[str, int]] = context.Queue()
        self.process = context.Process(target=serve_forever, args=(snapshot, queue), daemon=True)
        self.process.start()
        self.ports = queue.get(timeout=60)
        account = snapshot.info.accounts["chat"]
        self.chat = f"http://127.0.0.1:{self.ports['chat']}/api/v1"
        data = post(f"{self.chat}/login", {"user": account["username"], "password": account["password"]})["data"]
        self.headers = {"X-Auth-Token": data["authToken"], "X-User-Id": data["userId"]}

    def stop(self) -> None:
        self.process.terminate()
        self.process.join()


def middle(measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(ROUNDS))


def reads(snapshot: Snapshot) -> None:
    server = Server(snapshot)
    try:
        room = get(f"{server.chat}/channels.info?roomName=general", server.headers)["channel"]["_id"]
        rates: dict[str, list[float]] = {}
        for _ in range(ROUNDS):  # one after the other in every round, so that noise meets them all alike
            for name, url in {
                "bare Starlette hello-JSON": f"http://127.0.0.1:{server.ports['hello']}/",
                "chat `me`": f"{server.chat}/me",
                "chat `users.info`": f"{server.chat}/users.info?username=sam.reed",
                "chat `users.info`, never the same twice": f"{server.chat}/users.info?username=sam.reed&n={{n}}",
                "chat `channels.info`": f"{server.chat}/channels.info?roomId={room}",
                "chat `channels.info`, never the same twice": f"{server.chat}/channels.info?roomId={room}&n={{n}}",
                "drive `status.php`": f"http://127.0.0.1:{server.ports['drive']}/status.php",
            }.items():
                rates.setdefault(name, []).append(wrk(url, server.headers))
        limit = statistics.median(rates["bare Starlette hello-JSON"])
        print("\n| hot read, one process | requests/s | of bare Starlette |\n| --- | --- | --- |")
        for name, found in rates.items():
            print(f"| {name} | {statistics.median(found):,.0f} | {statistics.median(found) / limit:.0%} |")
    finally:
        server.stop()


def paging(small: Snapshot, big: Snapshot) -> None:
    servers = {"small": Server(small), "big": Server(big)}
    try:
        print("\n| page of 10 | small world, ms | big world, ms | ratio |\n| --- | --- | --- | --- |")
        for name, path in {
            "newest messages of #general (100 / 2,500)": "channels.history?roomName=general&count=10",
            "search in #general": "chat.search?roomId=GENERAL&searchText=tulip&count=10",
            "people (10 / 1,000)": "users.list?count=10",
            "channels": "channels.list?count=10",
        }.items():
            times: dict[str, list[float]] = {"small": [], "big": []}
            for _ in range(40):
                for which, server in servers.items():
                    started = time.perf_counter()
                    get(f"{server.chat}/{path}", server.headers)
                    times[which].append((time.perf_counter() - started) * 1000)
            one, other = (statistics.median(times[which]) for which in ("small", "big"))
            print(f"| {name} | {one:.2f} | {other:.2f} | {other / one:.2f} |")
    finally:
        for server in servers.values():
            server.stop()


def main() -> None:
    if shutil.which("wrk") is None:
        sys.exit("This measurement needs wrk: apt-get install wrk")
    CACHE.mkdir(parents=True, exist_ok=True)
    larkspur = build_snapshot(ROOT / "worlds" / "larkspur", cache=CACHE)
    small, big = small_snapshot(), big_snapshot()
    print("| clone to first answered request | median ms | worst ms | limit |\n| --- | --- | --- | --- |")
    for name, snapshot, limit in (("larkspur", larkspur, 15), ("1,000 people, 100,000 messages", big, 30)):
        times = uvloop.run(clone_times(snapshot))
        print(f"| {name} | {statistics.median(times):.1f} | {max(times):.1f} | {limit} |")
    idle, used = uvloop.run(memory(larkspur))
    print("\n| 200 larkspur companies in one process | MB each | limit |\n| --- | --- | --- |")
    print(f"| idle, listeners open | {idle:.3f} | 3 |\n| after each service was asked | {used:.2f} | 3 |")
    reads(larkspur)
    paging(small, big)


if __name__ == "__main__":
    main()
