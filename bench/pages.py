"""How long the server takes for a page, with a big company behind it, beside a bare Starlette page from a template.

python -m bench.pages [--rounds N]

The bare page is a Jinja2 template with fifty rows and no database. Times are those of one client on a kept connection,
one request after the other, from the first byte sent to the last one received; they hold the client's own work too.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import re
import shutil
import statistics
import time
from html import unescape

import requests
import uvloop
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bench import big_world
from bench.company import CACHE, open_company
from dayjob.company.host import Host
from dayjob.company.world import Snapshot, build_snapshot
from dayjob.http.server import bind

PERSON, ADDRESS, PASSWORD = "person1", "person1@bench.test", "secret"
PAGES = {
    "chat": {"home": "/home", "a room of 2,500 messages": "/channel/general", "search": "/search?q=garden"},
    "forge": {
        "dashboard": "/",
        "a project": "/bench/repository-0",
        "a file": "/bench/repository-0/-/blob/main/src/main.py",
        "5,000 issues, first page": "/bench/repository-0/-/issues",
        "5,000 issues, page 100": "/bench/repository-0/-/issues?page=100",
        "an issue": "/bench/repository-0/-/issues/77",
    },
    "board": {"home": "/", "2,000 items": "PROJECT", "2,000 items as a board": "PROJECT?layout=kanban"},
    "drive": {"files": "/index.php/apps/files", "a folder": "/index.php/apps/files/?dir=/Reports"},
}
_TEMPLATE = """<!doctype html><html lang="en"><head><title>{{ title }}</title></head><body><table>
{% for row in rows %}<tr><td>{{ row.name }}</td><td>{{ row.state }}</td><td>{{ row.who }}</td></tr>
{% endfor %}</table></body></html>"""


def snapshot() -> Snapshot:
    folder = CACHE / "pages-world"
    if not (folder / "world.toml").exists():
        part = CACHE / "pages-world.part"
        shutil.rmtree(part, ignore_errors=True)
        big_world.write(part, people=1000, messages=100_000, issues=10_000, repositories=200, items=2000)
        part.rename(folder)
    return build_snapshot(folder, cache=CACHE)


def serve(world: Snapshot, ports: multiprocessing.Queue[dict[str, int]]) -> None:
    import jinja2
    from starlette.applications import Starlette

    template = jinja2.Environment(autoescape=True).from_string(_TEMPLATE)
    rows = [{"name": f"Row {number}", "state": "open", "who": f"person{number}"} for number in range(50)]

    async def page(_: Request) -> Response:
        return HTMLResponse(template.render(title="Fifty rows", rows=rows))

    async def main() -> None:
        async with Host() as host:
            _, listeners = await open_company(host, world)
            listeners["bare"] = await host.listen(Starlette(routes=[Route("/", page)]), bind())
            ports.put({name: listener.address[1] for name, listener in listeners.items()})
            await asyncio.sleep(3600)

    uvloop.run(main())


def sign_in(service: str, base: str) -> requests.Session:
    """Fill in whatever forms stand between the visitor and the first page."""
    session = requests.Session()
    page = session.get(base + "/", timeout=60)
    for _ in range(3):
        if 'type="password"' not in page.text and 'type="email"' not in page.text:
            break
        form = next(one for one in re.findall(r"<form\b.*?</form>", page.text, re.DOTALL) if "post" in one.lower())
        action = re.search(r'<form\b[^>]*action="([^"]*)"', form)
        fields: dict[str, str] = {}
        for control in re.findall(r"<input\b[^>]*>", form):
            attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', control))
            kind, name = attributes.get("type", "text"), unescape(attributes.get("name", ""))
            filled = {"password": PASSWORD, "email": ADDRESS, "text": PERSON}
            fields[name] = filled.get(kind, unescape(attributes.get("value", "")))
        address = base + unescape(action[1]) if action and action[1].startswith("/") else page.url
        page = session.post(address, fields, headers={"Origin": base}, timeout=60)
    if 'type="password"' in page.text:
        raise SystemExit(f"could not sign in to {service}")
    return session


def measure(session: requests.Session, address: str, rounds: int) -> tuple[float, float, int]:
    """Median and 95th percentile in milliseconds, and the page's size."""
    times, size = [], 0
    for number in range(rounds + 3):
        began = time.perf_counter()
        answer = session.get(address, timeout=60)
        spent = time.perf_counter() - began
        answer.raise_for_status()
        size = len(answer.content)
        if number >= 3:
            times.append(spent * 1000)
    times.sort()
    return statistics.median(times), times[round(0.95 * (len(times) - 1))], size


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    ports: multiprocessing.Queue[dict[str, int]] = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(snapshot(), ports), daemon=True)
    server.start()
    try:
        at = {name: f"http://127.0.0.1:{port}" for name, port in ports.get(timeout=600).items()}
        median, bare, size = measure(requests.Session(), at["bare"] + "/", rounds)
        print("| page | p50 | p95 | p95 beside the bare page | size |")
        print("| --- | ---: | ---: | ---: | ---: |")
        print(f"| a bare Starlette page of fifty rows | {median:.1f} ms | {bare:.1f} ms | 1 | {size / 1000:.0f} KB |")
        for service, pages in PAGES.items():
            session = sign_in(service, at[service])
            for name, path in pages.items():
                median, high, size = measure(session, at[service] + place(session, at[service], path), rounds)
                ratio = f"{high / bare:.0f}×"
                print(f"| {service}: {name} | {median:.1f} ms | {high:.1f} ms | {ratio} | {size / 1000:.0f} KB |")
    finally:
        server.terminate()
        server.join()


def place(session: requests.Session, base: str, path: str) -> str:
    """`PROJECT` stands for the address of the board's only project, which has an id in it."""
    if not path.startswith("PROJECT"):
        return path
    home = session.get(base + "/", timeout=60).text
    found = re.search(r'href="(/[^"]+/projects/[0-9a-f-]{36}/issues/)', home)
    if found is None:
        raise SystemExit("the board's home names no project")
    return path.replace("PROJECT", found[1])


if __name__ == "__main__":
    main()
