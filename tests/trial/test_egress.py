"""The way out: closed unless the task says otherwise, and then only as far as it says."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayjob.cli import dayjob
from dayjob.task import TaskError
from dayjob.task.settings import parse_settings
from dayjob.trial.addresses import on_the_internet
from dayjob.trial.egress import Policy, Proxy, policy_of
from dayjob.trial.spec import TrialSpec
from tests.trial.offices import attempt, task


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = f"you asked for {self.path}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def through(policy: Policy, request: str, *, anywhere: bool) -> tuple[str, list[dict[str, object]]]:
    """What the proxy answers to a request; `anywhere` lets it reach this very machine, where the tests' server is."""

    async def main() -> tuple[str, list[dict[str, object]]]:
        sock = socket.socket()
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        place = sock.getsockname()
        async with Proxy(policy, sock, (lambda _: True) if anywhere else on_the_internet) as proxy:
            reader, writer = await asyncio.open_connection(*place)
            writer.write(request.encode())
            text = (await asyncio.wait_for(reader.read(), 20)).decode()
            writer.close()
            return text, proxy.seen

    return asyncio.run(main())


def test_an_allowed_host_is_reached(port: int) -> None:
    request = (
        f"GET http://localhost:{port}/page?x=1 HTTP/1.1\r\nHost: localhost\r\nProxy-Connection: keep-alive\r\n\r\n"
    )
    text, seen = through(policy_of(["localhost"]), request, anywhere=True)
    assert text.startswith("HTTP/1.0 200 OK")
    assert text.endswith("you asked for /page?x=1")
    assert seen == [{"host": "localhost", "port": port, "allowed": True}]


def test_a_tunnel_to_an_allowed_host_carries_bytes(port: int) -> None:
    request = f"CONNECT localhost:{port} HTTP/1.1\r\n\r\nGET /inside HTTP/1.0\r\n\r\n"
    text, _ = through(policy_of(["*"]), request, anywhere=True)
    assert text.startswith("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.0 200 OK")
    assert text.endswith("you asked for /inside")


def test_another_host_is_refused_by_name(port: int) -> None:
    text, seen = through(policy_of(["example.com"]), f"CONNECT localhost:{port} HTTP/1.1\r\n\r\n", anywhere=True)
    assert text.startswith("HTTP/1.1 403 Forbidden")
    assert "does not allow localhost" in text
    assert seen == [{"host": "localhost", "port": port, "allowed": False}]


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "169.254.169.254", "10.0.0.1", "172.17.0.1"]
)
def test_the_host_and_its_neighbours_are_refused_whatever_the_policy(host: str) -> None:
    text, _ = through(policy_of(["*"]), f"CONNECT {host}:80 HTTP/1.1\r\n\r\n", anywhere=False)
    assert text.startswith("HTTP/1.1 403 Forbidden")
    assert "not on the public internet" in text


def test_when_the_way_out_is_closed_nothing_of_it_is_still_at_work(port: int) -> None:
    async def main() -> tuple[int, set[str]]:
        sock = socket.create_server(("127.0.0.1", 0))
        async with Proxy(policy_of(["*"]), sock, lambda _: True) as proxy:
            reader, writer = await asyncio.open_connection(*sock.getsockname())
            writer.write(f"CONNECT localhost:{port} HTTP/1.1\r\n\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
            at_work = list(proxy._connections._tasks)
        states = {"ended" if task.done() else "at work" for task in at_work}
        writer.close()
        return len(at_work), states

    assert asyncio.run(main()) == (1, {"ended"})


@pytest.mark.parametrize("request_", ["\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "CONNECT x HTTP/1.1\r\n\r\n", "X" * 70_000])
def test_nonsense_gets_an_answer(request_: str) -> None:
    assert through(policy_of(["*"]), request_, anywhere=True)[0].startswith("HTTP/1.1 502 Bad Gateway")


def test_names_are_matched_whole() -> None:
    policy = policy_of(["example.com", "*.Example.org"])
    allowed = {
        host: policy.allows(host)
        for host in ("example.com", "Example.com.", "deb.example.org", "example.org", "xexample.com")
    }
    assert allowed == {
        "example.com": True,
        "Example.com.": True,
        "deb.example.org": True,
        "example.org": False,
        "xexample.com": False,
    }


def test_task_toml_says_how_far_out() -> None:
    assert parse_settings("format = 1\n").egress == ()
    assert parse_settings('format = 1\negress = "full"\n').egress == ("*",)
    assert parse_settings('format = 1\negress = ["example.com"]\n').egress == ("example.com",)
    with pytest.raises(TaskError, match="egress"):
        parse_settings("format = 1\negress = 5\n")


def test_an_examinee_with_a_policy_has_the_proxy_and_one_without_has_none(cache: Path, tmp_path: Path) -> None:
    program = """
        import os, socket, requests
        print(os.environ.get("https_proxy"), socket.socket().connect_ex(("127.0.0.1", 3128)))
        print(requests.get("http://office.test:8092/status.php").status_code)
        if "https_proxy" in os.environ:
            print(requests.get("http://not-on-the-list.test/").status_code)
            print(requests.get("http://localhost.listed.test/").status_code)
        """
    toml = 'format = 1\negress = ["*.listed.test"]\n'
    path = task(tmp_path, solution__py=program, task__toml=toml)
    tried = attempt(cache, tmp_path, path)
    said = json.loads(tried.text("trajectory.json"))["steps"][0]["observation"]["results"][0]["content"]
    assert said == "http://127.0.0.1:3128 0\n200\n403\n502\n"
    assert json.loads(tried.text("egress.json"))[0] == {"host": "not-on-the-list.test", "port": 80, "allowed": False}
    (path / "task.toml").unlink()
    tried = attempt(cache, tmp_path, path)
    said = json.loads(tried.text("trajectory.json"))["steps"][0]["observation"]["results"][0]["content"]
    assert said == "None 111\n200\n"


def test_a_run_may_say_another_way_out_than_the_task(cache: Path, tmp_path: Path) -> None:
    program = """
        import os, requests
        print(os.environ.get("https_proxy"))
        if "https_proxy" in os.environ:
            print(requests.get("http://not-on-the-list.test/").status_code)
        """
    for toml, egress, expected in (
        ("format = 1\n", "example.test, *.listed.test", "http://127.0.0.1:3128\n403\n"),
        ('format = 1\negress = "full"\n', "none", "None\n"),
    ):
        path = task(tmp_path, solution__py=program, task__toml=toml)
        tried = attempt(cache, tmp_path, path, egress=egress)
        said = json.loads(tried.text("trajectory.json"))["steps"][0]["observation"]["results"][0]["content"]
        assert said == expected


@pytest.mark.parametrize(
    ("said", "hosts"), [("full", ("*",)), ("none", ()), ("a.test,b.test", ("a.test", "b.test")), ("http://x", None)]
)
def test_a_way_out_is_none_full_or_hosts(tmp_path: Path, said: str, hosts: tuple[str, ...] | None) -> None:
    spec = TrialSpec(task="t", agent="nop", out="o", egress=said)
    assert TrialSpec.from_json(spec.to_json()) == spec
    if hosts is not None:
        assert spec.way_out == hosts
        return
    answer = CliRunner().invoke(dayjob, ["run", str(task(tmp_path)), "--egress", said, "-o", str(tmp_path / "run")])
    assert answer.exit_code == 2
    assert "'http://x' is no way out. Write none, full, or host names" in " ".join(answer.output.split())
    assert not (tmp_path / "run").exists()
