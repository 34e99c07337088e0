"""What the examinee said, as an evaluator hears it: over the company's own sockets."""

from __future__ import annotations

from typing import Any

import requests

from tests.company.serving import Served
from tests.grading.sandbox import Utils
from tests.grading.test_against_company import SAM, served, utils

__all__ = ["served", "utils"]  # fixtures

SEEN = (
    "[[m.text, m.channel, sorted(m.people), m.thread is None, m.is_to('mara.lindqvist')] for m in messages_from({!r})]"
)


def post(served: Served, **content: Any) -> str:
    api = f"{served.url('chat')}/api/v1"
    account = requests.post(f"{api}/login", json={"user": SAM[0], "password": SAM[1]}, timeout=10).json()["data"]
    headers = {"X-Auth-Token": account["authToken"], "X-User-Id": account["userId"]}
    answer = requests.post(f"{api}/chat.postMessage", json=content, headers=headers, timeout=10)
    answer.raise_for_status()
    message_id: str = answer.json()["message"]["_id"]
    return message_id


def test_messages_come_in_order_with_their_place_and_their_people(served: Served, utils: Utils) -> None:
    first = post(served, channel="#launch", text="Who has the plan?")
    post(served, channel="@mara.lindqvist", text="You, perhaps?")
    post(served, channel="#launch", text="Mara has it.", tmid=first)
    post(served, channel="#launch", text="samara is a place")
    assert utils.ask(f"answer = {SEEN.format('sam.reed')}") == [
        ["Who has the plan?", "launch", [], True, False],
        ["You, perhaps?", "", ["mara.lindqvist"], True, True],
        ["Mara has it.", "launch", [], False, True],
        ["samara is a place", "launch", [], True, False],
    ]


def test_who_said_nothing_has_no_messages(served: Served, utils: Utils) -> None:
    assert utils.ask(f"answer = {SEEN.format('mara.lindqvist')}") == []
