"""A placed `/utils` folder and a small company to grade against, both real: a subprocess and HTTP on 127.0.0.1.

The company answers in the documented shapes of the real services, on one port; each test says what it answers.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from dayjob import grading
from dayjob.grading import common, config
from dayjob.grading.code import gitlab_tree, newest_merge_request
from dayjob.grading.said import messages_from


@dataclass(frozen=True)
class Asked:
    """One request as the company saw it."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What a route gives back; content that is not bytes is sent as JSON."""

    content: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Route = Callable[[Asked], Answer]


class SmallCompany:
    """An HTTP server on a free port. Unrouted paths are 404."""

    def __init__(self) -> None:
        self.routes: dict[tuple[str, str], Route] = {}
        self.asked: list[Asked] = []
        company = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                parts = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked = Asked(self.command, parts.path, dict(parse_qsl(parts.query)), dict(self.headers), body)
                company.asked.append(asked)
                route = company.routes.get((asked.method, asked.path))
                answer = route(asked) if route else Answer({"error": "not found"}, 404)
                raw = answer.content if isinstance(answer.content, bytes) else json.dumps(answer.content).encode()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = do_PUT = do_PROPFIND = handle_any

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def on(self, method: str, path: str, answer: Answer | Route | Any) -> None:
        """Say what `path` answers: a route, an answer, or content for a plain 200."""
        if callable(answer):
            self.routes[method, path] = answer
        else:
            fixed = answer if isinstance(answer, Answer) else Answer(answer)
            self.routes[method, path] = lambda _: fixed

    def variables(self) -> dict[str, str]:
        """The environment of a grader whose services are all this company."""
        ports = ("ROCKETCHAT_PORT", "GITLAB_PORT", "PLANE_PORT", "OWNCLOUD_PORT", "DAYJOB_CONTROL_PORT")
        return dict.fromkeys(ports, str(self.port)) | {
            "SERVER_HOSTNAME": "127.0.0.1",
            "ROCKETCHAT_USERNAME": "grader",
            "ROCKETCHAT_PASSWORD": "chat-word",
            "OWNCLOUD_USERNAME": "grader",
            "OWNCLOUD_PASSWORD": "drive-word",
            "GITLAB_ACCESS_TOKEN": "forge-token",
            "PLANE_WORKSPACE_SLUG": "larkspur",
            "PLANE_API_KEY": "board-key",
            "DAYJOB_CONTROL_TOKEN": "control-token",
        }

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class Here:
    """The helpers that evaluators import, in this process: the same as in a sandbox, without starting a Python."""

    def __init__(self, folder: Path, process: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._process = process
        process.chdir(folder)

    def set(self, **variables: str) -> None:
        """Read the settings again, with these variables."""
        for name, value in variables.items():
            self._process.setenv(name, value)
        importlib.reload(config)

    def ask(self, code: str) -> Any:
        """Run code after `from common import *`; what it leaves in `answer` comes back as it would through JSON."""
        names: dict[str, Any] = {**vars(common), **vars(config), "os": os}
        for function in (messages_from, newest_merge_request, gitlab_tree):
            function.cache_clear()
        exec(code, names)
        return json.loads(json.dumps(names["answer"]))


@dataclass
class Graded:
    """How one run of eval.py ended."""

    code: int
    log: str
    result: dict[str, Any] | None
    faults: list[dict[str, str]]


class Utils:
    """A folder placed as a sandbox would have it, and a Python that runs in it the way a sandbox does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment: dict[str, str] = {}
        grading.place(folder)

    def company(self, company: SmallCompany) -> None:
        """Point every service at this company."""
        self.environment.update(company.variables())

    def run(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run the isolated interpreter with these arguments."""
        return subprocess.run(
            [sys.executable, "-I", *arguments],
            cwd=cwd or self.folder,
            env={"PATH": os.environ["PATH"], **self.environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def ask(self, code: str) -> Any:
        """Run code after `from common import *`; what it leaves in `answer` comes back."""
        script = self.folder / "asked.py"
        script.write_text(
            f"import sys; sys.path.insert(0, {str(self.folder)!r})\n"
            f"import json\nfrom common import *\n{code}\nprint('ANSWER', json.dumps(answer))\n",
            encoding="utf-8",
        )
        done = self.run(str(script))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.rpartition("ANSWER ")[2])

    def grade(self, evaluator: str, *arguments: str) -> Graded:
        """Run eval.py on this evaluator."""
        (self.folder / "evaluator.py").write_text(evaluator, encoding="utf-8")
        path = self.folder / "result.json"
        done = self.run(str(self.folder / "eval.py"), "--result_path", str(path), *arguments)
        faults = self.folder / "result.json.faults.json"
        return Graded(
            done.returncode,
            done.stderr,
            json.loads(path.read_text()) if path.exists() else None,
            json.loads(faults.read_text())["faults"] if faults.exists() else [],
        )
