"""What the forge costs: 50 MB over HTTP beside `file://`, 10,000 issues page by page, 200 repositories cloned.

python -m bench.forge

Each ratio comes from one run on one machine: the same git, the same repository, rounds taken in turn. The pages are
read over one connection; first and last pages of the list are compared. A company's clone is made and asked one
question (who is root), which is what makes it open its database.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import requests
import uvloop
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from bench import big_world
from dayjob.company.company import Company
from dayjob.company.host import Host
from dayjob.company.world import Snapshot, build_snapshot
from dayjob.http.server import bind

ROOT = Path(__file__).parents[1]
SIZE = 50 * 1024 * 1024
ROUNDS = 5
ISSUES = 10_000
REPOSITORIES = 200
CLONES = 50
READS = 2000


def _run(snapshot: Snapshot, pipe: Connection) -> None:
    async def main() -> None:
        async with Host() as host:
            sock = bind()
            await host.serve(Company(snapshot), "forge", sock)
            pipe.send(sock.getsockname()[1])
            await asyncio.get_running_loop().run_in_executor(None, pipe.recv)

    uvloop.run(main())


def _process(target: Callable[..., None], *args: object) -> Iterator[str]:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=target, args=(*args, theirs), daemon=True)
    process.start()
    try:
        yield f"127.0.0.1:{ours.recv()}"
    finally:
        ours.send(None)
        process.join(10)
        if process.is_alive():
            process.terminate()


@contextmanager
def served(snapshot: Snapshot) -> Iterator[str]:
    """The forge of a fresh company in a process of its own; gives `host:port`."""
    yield from _process(_run, snapshot)


def _greet(pipe: Connection) -> None:
    async def hello(scope: Scope, receive: Receive, send: Send) -> None:
        await JSONResponse({"hello": "world"})(scope, receive, send)

    async def main() -> None:
        async with Host() as host:
            sock = bind()
            await host.listen(hello, sock)
            pipe.send(sock.getsockname()[1])
            await asyncio.get_running_loop().run_in_executor(None, pipe.recv)

    uvloop.run(main())


@contextmanager
def greeting() -> Iterator[str]:
    """A bare Starlette answer in a process of its own; gives `host:port`."""
    yield from _process(_greet)


def git(*args: object, cwd: Path | None = None) -> None:
    environment = {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "B", "GIT_AUTHOR_EMAIL": "b@bench.test",
        "GIT_COMMITTER_NAME": "B", "GIT_COMMITTER_EMAIL": "b@bench.test",
    }  # fmt: skip
    subprocess.run(["git", *map(str, args)], cwd=cwd, env=environment, check=True, capture_output=True, timeout=300)


def make_repository(folder: Path) -> None:
    """Fifty megabytes that do not compress, in files of every size, over ten commits."""
    git("init", "-qb", "main", folder)
    left, number = SIZE, 0
    for commit in range(10):
        share = SIZE // 10
        while share > 0:
            size = min(share, (1 + number % 40) * 20_000)
            path = folder / f"d{number % 13}" / f"f{number}.bin"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(os.urandom(size))
            share -= size
            left -= size
            number += 1
        git("add", "-A", cwd=folder)
        git("commit", "-qm", f"Part {commit}", cwd=folder)
    git("gc", "-q", cwd=folder)


def transfer(place: Path) -> list[tuple[str, float, float]]:
    """(what, seconds over HTTP, seconds over file://), medians of rounds in turn."""
    work = place / "work"
    make_repository(work)
    results: dict[str, list[float]] = {name: [] for name in ("push http", "push file", "clone http", "clone file")}
    with served(build_snapshot(ROOT / "worlds" / "blank", cache=place / "cache")) as address:
        for number in range(ROUNDS):
            requests.post(
                f"http://{address}/api/v4/projects",
                json={"name": f"p{number}"},
                headers={"PRIVATE-TOKEN": "root-token"},
                timeout=30,
            ).raise_for_status()
            bare = place / f"bare{number}.git"
            git("init", "-q", "--bare", bare)
            # The same rules for both: objects are checked on the way in.
            git("-C", bare, "config", "receive.fsckObjects", "true")
            url = f"http://root:blank-root-pass@{address}/root/p{number}.git"
            for kind, target in (("http", url), ("file", f"file://{bare}")):
                start = time.perf_counter()
                git("push", "-q", target, "main", cwd=work)
                results[f"push {kind}"].append(time.perf_counter() - start)
            for kind, target in (("http", url), ("file", f"file://{bare}")):
                start = time.perf_counter()
                git("clone", "-q", "--bare", target, place / f"clone-{kind}-{number}")
                results[f"clone {kind}"].append(time.perf_counter() - start)
    middle = {name: statistics.median(times) for name, times in results.items()}
    return [(what, middle[f"{what} http"], middle[f"{what} file"]) for what in ("clone", "push")]


def pages(snapshot: Snapshot) -> tuple[float, float, float, int]:
    """Milliseconds of the first and last twenty pages and of all, and how many issues were seen."""
    with served(snapshot) as address, requests.Session() as session:
        session.headers["PRIVATE-TOKEN"] = "root-token"
        times, seen, page = [], 0, "1"
        while page:
            start = time.perf_counter()
            answer = session.get(
                f"http://{address}/api/v4/projects/1/issues", params={"per_page": "20", "page": page}, timeout=60
            )
            times.append((time.perf_counter() - start) * 1000)
            seen += len(answer.json())
            page = answer.headers["X-Next-Page"]
    return statistics.median(times[1:21]), statistics.median(times[-20:]), statistics.median(times), seen


def rate(address: str, path: str) -> float:
    """Requests a second for one path over one connection kept open."""
    head = f"GET {path} HTTP/1.1\r\nHost: {address}\r\nPRIVATE-TOKEN: root-token\r\n\r\n".encode()
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port))) as connection:
        stream = connection.makefile("rb")

        def once() -> None:
            connection.sendall(head)
            length = 0
            while line := stream.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            stream.read(length)

        for _ in range(200):
            once()
        start = time.perf_counter()
        for _ in range(READS):
            once()
        return READS / (time.perf_counter() - start)


def reads(snapshot: Snapshot) -> tuple[float, float]:
    """Requests a second: one issue read again and again, and a bare application that says hello in JSON."""
    with served(snapshot) as forge, greeting() as hello:
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(rate(forge, "/api/v4/projects/1/issues/1"))
            theirs.append(rate(hello, "/"))
    return statistics.median(ours), statistics.median(theirs)


def clones(snapshot: Snapshot) -> tuple[float, int]:
    """Milliseconds of one company's clone with a question to its forge, and the bytes it wrote to disk."""
    times, written = [], 0
    for _ in range(CLONES):
        start = time.perf_counter()
        company = Company(snapshot)
        company.database("forge").execute("SELECT id FROM users WHERE username='root'").fetchone()
        times.append((time.perf_counter() - start) * 1000)
        if company._temporary is not None:
            written += sum(one.stat().st_size for one in company._temporary.rglob("*"))
        company.close()
    return statistics.median(times), written


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dayjob-bench-") as place_:
        place = Path(place_)
        rows = [
            (f"{what} 50 MB", f"{http:.2f} s", f"{plain:.2f} s over file://", f"{http / plain:.2f}×")
            for what, http, plain in transfer(place)
        ]
        world = place / "world"
        # Half of the issues the generator writes are in the first project.
        big_world.write(world, people=50, messages=0, issues=2 * ISSUES, repositories=REPOSITORIES)
        start = time.perf_counter()
        snapshot = build_snapshot(world, cache=place / "cache")
        rows.append(
            (
                f"compile {REPOSITORIES} repositories, {2 * ISSUES:,} issues",
                f"{time.perf_counter() - start:.1f} s",
                "",
                "",
            )
        )
        first, last, middle, seen = pages(snapshot)
        rows.append(
            (
                f"a page of {seen:,} issues, last 20 pages",
                f"{last:.2f} ms",
                f"{first:.2f} ms for the first 20 (median of all {middle:.2f})",
                f"{last / first:.2f}×",
            )
        )
        ours, hello = reads(snapshot)
        rows.append(
            (
                "one issue, read again",
                f"{ours:,.0f} a second",
                f"{hello:,.0f} for a hello in JSON",
                f"{ours / hello:.2f}×",
            )
        )
        milliseconds, written = clones(snapshot)
        rows.append(
            (
                f"a company with {REPOSITORIES} repositories, cloned",
                f"{milliseconds:.2f} ms",
                f"{written} bytes written",
                "",
            )
        )
    print("| what | figure | beside | ratio |\n|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
