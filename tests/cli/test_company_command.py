"""`dayjob company serve`, as a person starts and stops it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from dayjob.company.journal import Journal

ANY_PORT = [f"--port={name}=0" for name in ("chat", "forge", "board", "drive", "control")]


class Serving:
    def __init__(self, process: subprocess.Popen[str], text: str) -> None:
        self.process = process
        self.text = text
        self.urls = dict(re.findall(r"^  (\w+) +[\w ]+? +(http://\S+)$", text, re.MULTILINE))

    def stop(self) -> str:
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=30)
        return rest


@contextmanager
def serving(tmp_path: Path, *options: str) -> Iterator[Serving]:
    process = subprocess.Popen(
        [sys.executable, "-m", "dayjob", "company", "serve", *ANY_PORT, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "DAYJOB_CACHE": str(tmp_path / "cache")},
    )
    lines: list[str] = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        else:
            pytest.fail("it ended before it was open: " + "".join(lines))
        yield Serving(process, "".join(lines))
    finally:
        process.kill()
        process.wait()


def run(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dayjob", "company", "serve", *options],
        capture_output=True,
        text=True,
        timeout=60,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "DAYJOB_CACHE": str(tmp_path / "cache")},
        check=False,
    )


def test_it_names_addresses_and_accounts_that_work_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    with serving(tmp_path, "--world", "larkspur") as company:
        assert {"chat", "drive", "control"} <= set(company.urls)
        assert requests.get(company.urls["control"] + "/api/healthcheck/rocketchat", timeout=10).status_code == 200
        found = re.search(r"username ([^\s,]+), password ([^\s,]+)", company.text)
        assert found is not None
        answer = requests.post(
            company.urls["chat"] + "/api/v1/login", json={"user": found[1], "password": found[2]}, timeout=10
        )
        assert answer.json()["status"] == "success"
        assert "The company is closed." in company.stop()
        assert company.process.returncode == 0


def test_a_kept_company_has_its_files_after_a_restart(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    auth = ("root", "blank-root-pass")
    with serving(tmp_path, "--world", "blank", "--state", state) as company:
        answer = requests.put(company.urls["drive"] + "/remote.php/webdav/a.txt", data="kept", auth=auth, timeout=10)
        assert answer.status_code == 201
        assert state in company.stop()
    with serving(tmp_path, "--world", "blank", "--state", state) as company:
        assert requests.get(company.urls["drive"] + "/remote.php/webdav/a.txt", auth=auth, timeout=10).text == "kept"


def test_a_kept_company_and_its_journal_survive_a_kill(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    auth = ("root", "blank-root-pass")
    with serving(tmp_path, "--world", "blank", "--state", state) as company:
        requests.put(company.urls["drive"] + "/remote.php/webdav/a.txt", data="kept", auth=auth, timeout=10)
        company.process.kill()
        company.process.wait()
    [row] = Journal(Path(state) / "journal.jsonl").requests("drive", method="PUT")
    assert (row.account, row.path, row.status) == ("root", "/remote.php/webdav/a.txt", 201)
    with serving(tmp_path, "--world", "blank", "--state", state) as company:
        assert requests.get(company.urls["drive"] + "/remote.php/webdav/a.txt", auth=auth, timeout=10).text == "kept"


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run(tmp_path, "--world", "blank", *ANY_PORT[1:], f"--port=chat={port}")
    assert ended.returncode == 2
    assert f"127.0.0.1:{port} (chat) cannot be listened on" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--world", "atlantis"], "There is no world 'atlantis'"),
        (["--port", "mail=25"], "'mail=25' is not SERVICE=PORT"),
        (["--port", "chat=99999"], "is not SERVICE=PORT"),
        (["--world", "blank", "--state", "/dev/null"], "cannot hold a company"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_sentence(tmp_path: Path, options: list[str], words: str) -> None:
    ended = run(tmp_path, *options)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
