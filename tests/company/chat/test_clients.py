"""Clients in their own environments: rocketchat_API 1.32, which old tasks use, and rocketchat-async."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.clients import client_python
from tests.company.serving import Served

HERE = Path(__file__).parent


def run(client: str, script: str, *arguments: str) -> None:
    done = subprocess.run(
        [client_python(client), HERE / script, *arguments], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.stdout == "done\n", done.stdout + done.stderr


@pytest.mark.xdist_group("clients")
def test_tasks_written_for_rocketchat_api_1_32_find_what_they_call(blank: Served) -> None:
    run("rocketchat-api-1.32", "client_132.py", blank.url("chat"))


@pytest.mark.xdist_group("clients")
def test_colleagues_on_rocketchat_async_hear_each_other_at_once(larkspur: Served) -> None:
    chat = larkspur.company.service("chat")
    token = larkspur.call(chat.store.accounts.mint_token, "mara.lindqvist")  # type: ignore[attr-defined]  # it is Chat
    address = f"ws://127.0.0.1:{larkspur.port('chat')}/websocket"
    run("rocketchat-async", "client_async.py", address, "sam.reed", "sam-reed-first-day", "mara.lindqvist", token)
    methods = [row.path for row in larkspur.company.journal.requests("chat", method="DDP", account="sam.reed")]
    assert methods.count("method/sendMessage") == 2
