"""A forge on a real socket, python-gitlab to speak to it, and plain git with a home of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gitlab
import pytest
import requests

from dayjob.company.world import Snapshot
from tests.company.serving import WORLDS, Served, serve, snapshot_of

PASSWORD = "long-enough-1"


@pytest.fixture(scope="session")
def blank() -> Snapshot:
    return snapshot_of(WORLDS / "blank")


@pytest.fixture(scope="session")
def larkspur() -> Snapshot:
    return snapshot_of(WORLDS / "larkspur")


@pytest.fixture
def served(blank: Snapshot) -> Iterator[Served]:
    with serve(blank) as found:
        yield found


@pytest.fixture
def gl(served: Served) -> gitlab.Gitlab:
    found = gitlab.Gitlab(served.url("forge"), private_token="root-token")
    found.auth()
    return found


@dataclass
class Git:
    """git with nobody's configuration; `git("push", …)` fails the test unless told otherwise."""

    home: Path

    def __call__(self, *args: object, cwd: Path | None = None, ok: bool = True) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Robin", "GIT_AUTHOR_EMAIL": "robin@blank.test", "GIT_COMMITTER_NAME": "Robin",
            "GIT_COMMITTER_EMAIL": "robin@blank.test", "LC_ALL": "C.UTF-8",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *map(str, args)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        if ok:
            assert done.returncode == 0, done.stderr
        return done

    def commit(self, folder: Path, message: str, **files: str) -> str:
        """Write files (`a__b` is `a/b`, `_md` at the end `.md`), commit, return the SHA."""
        for name, text in files.items():
            path = folder / name.replace("__", "/").replace("_md", ".md").replace("_txt", ".txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self("add", "-A", cwd=folder)
        self("commit", "-qm", message, cwd=folder)
        return self("rev-parse", "HEAD", cwd=folder).stdout.strip()


@pytest.fixture
def git(tmp_path: Path) -> Git:
    home = tmp_path / "home"
    home.mkdir()
    return Git(home)


def with_account(served: Served, path: str, name: str = "root", secret: str = "blank-root-pass") -> str:
    return f"{served.url('forge').replace('://', f'://{name}:{secret}@')}/{path}.git"


def person(gl: gitlab.Gitlab, username: str) -> tuple[Any, gitlab.Gitlab]:
    """A new account and a client that is signed in as it."""
    user = gl.users.create(
        {"username": username, "name": username.title(), "email": f"{username}@blank.test", "password": PASSWORD}
    )
    token = user.impersonationtokens.create({"name": "test", "scopes": ["api"]})
    client = gitlab.Gitlab(gl.url, private_token=token.token)
    client.auth()
    return user, client


def project_with_readme(gl: gitlab.Gitlab, name: str = "garden", **more: Any) -> Any:
    return gl.projects.create({"name": name, "initialize_with_readme": True, **more})


def api(served: Served, method: str, path: str, token: str | None = "root-token", **more: Any) -> requests.Response:
    headers = {"PRIVATE-TOKEN": token} if token else {}
    headers.update(more.pop("headers", {}))
    return requests.request(method, f"{served.url('forge')}/api/v4{path}", headers=headers, timeout=60, **more)
