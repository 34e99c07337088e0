"""No zero turned into a retry: whatever an examinee does, its trial is scored, not voided and tried again.

Each entry is something an examinee could try that once voided a trial, or might have. The label is always a scored one.
"""

from __future__ import annotations

import base64
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from dayjob.agent.command import Command
from dayjob.agent.transcript_readers import codex
from dayjob.trial.outcome import Outcome
from dayjob.trial.spec import TrialSpec
from tests.trial.offices import office, task, trial, write
from tests.trial.test_trouble import Provider, providers

__all__ = ["providers"]  # a fixture

BEGUN = "echo begun > /workspace/begun; "

# What a program in the sandbox may do to itself and its surroundings, and be none the worse for.
ONE_AFTER_THE_OTHER = {
    "closes every port": "for p in 2999 4000 8092; do (exec 3<>/dev/tcp/127.0.0.1/$p; exec 3>&-); done",
    "floods its output": "yes | head -c 40000000; yes | head -c 40000000 >&2",
    "prints what is no text": "head -c 3000000 /dev/urandom",
    "names files oddly": r"""cd /workspace; touch "$(printf 'a\377\376b')" "$(printf 'line\nbreak')" '*'""",
    "nests folders": "cd /workspace; for i in $(seq 400); do mkdir ddddddddd && cd ddddddddd; done",
    "links in circles": "cd /workspace; ln -s . here; ln -s / root; ln -s loop loop; mkfifo pipe",
    "fills its disk with files": "cd /workspace; mkdir $(seq -f d%g 3000); for i in d*; do echo x > $i/f; done",
    "breaks its git": "cd /workspace; git init -q .; echo garbage > .git/HEAD; rm -rf .git/objects",
    "leaves much running": "for i in $(seq 50); do sleep 1000 & done; python3 -m http.server 9000 &",
    "takes ports": "for p in 2999 4000 8092; do python3 -m http.server $p & done; sleep 1",
    "sets times far away": "touch -d '1901-01-01' /workspace/begun; touch -d '2400-01-01' /workspace",
    "locks its files": "cd /workspace; mkdir -p a/b; touch a/b/c; chmod -R 000 a; chmod 000 /workspace",
}
# What leaves nothing to do anything else in.
IN_THE_SANDBOX = {
    "does one thing after the other": "".join(f"({one})\n" for one in ONE_AFTER_THE_OTHER.values()) + "exit 1",
    "kills its own shell": "kill -9 $$",
    "kills everything it can": "kill -9 -1; sleep 1; kill -9 -1",
    "kills the first process": "kill -9 1; kill -TERM 1; kill -STOP 1; exit 3",
    "fills its disk": "head -c 20G /dev/zero > /workspace/full; head -c 20G /dev/zero > /tmp/full; exit 1",
    "removes its workspace": "rm -rf /workspace/* /workspace/.[a-z]*; rmdir /workspace; exit 1",
    "puts a file in its workspace's place": "cd /; rm -rf /workspace; echo x > /workspace; exit 1",
    "puts a link in its workspace's place": "cd /; mv /workspace /w; ln -s /etc /workspace; exit 1",
    "breaks its tools": "rm -f /usr/local/bin/* /bin/sh /bin/bash 2>/dev/null; export PATH=; exit 1",
    "stops itself": "kill -STOP $$",
}


def scored(outcome: Outcome) -> None:
    assert outcome.scored, (outcome.label, outcome.step, outcome.reason)
    assert outcome.label != "resolved"


def attempt(cache: Path, folder: Path, agent: str, **options: Any) -> Outcome:
    files = options.pop("files", {})
    spec = TrialSpec(
        str(task(folder, **files)),
        agent,
        str(folder / "out"),
        world=str(office(folder)),
        **{"seconds": 20, **options},
    )
    return trial(spec, cache)


@pytest.mark.parametrize("what", IN_THE_SANDBOX)
def test_an_examinee_that(what: str, cache: Path, tmp_path: Path) -> None:
    seconds = 3 if what == "stops itself" else 60
    line = f"command:bash -c {shlex.quote(BEGUN + IN_THE_SANDBOX[what])}"
    scored(attempt(cache, tmp_path, line, seconds=seconds))


def test_an_examinee_that_kills_its_shell_before_it_began_was_not_set_up(cache: Path, tmp_path: Path) -> None:
    outcome = attempt(cache, tmp_path, "command:bash -c 'kill -9 $$'")
    assert outcome.label == "infra_error"
    assert "before it asked or wrote anything" in outcome.reason


# What a model may say through the worker, which thinks on the host.
SAID: dict[str, dict[str, Any]] = {
    "arguments nested deeply": {"name": "shell", "arguments": json.loads('{"a":' * 120 + "1" + "}" * 120)},
    "a null byte": {"name": "shell", "arguments": {"command": "echo \x00 hi"}},
    "half a character": {"name": "shell", "arguments": {"command": "echo \ud800"}},
    "a command of a megabyte": {"name": "shell", "arguments": {"command": "true " + "x" * 1_000_000}},
    "endless seconds": {"name": "shell", "arguments": {"command": "true", "seconds": 1e308}},
    "a path of a megabyte": {"name": "write_file", "arguments": {"path": "/" + "x" * 1_000_000, "content": "x"}},
    "a number for a command": {"name": "shell", "arguments": {"command": {"a": [1]}}},
    "headers that are none": {"name": "http", "arguments": {"url": "http://x", "headers": 3}},
    "a tool that is none": {"name": "\x00", "arguments": {}},
    "the end of everything": {"name": "shell", "arguments": {"command": "kill -9 -1; kill -9 1"}},
}


def test_a_model_that_says_what_no_tool_can_do(cache: Path, tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"when": {"turn": turn}, "call": call} for turn, call in enumerate(SAID.values(), start=1)
    ]
    write(tmp_path, {"model.yml": json.dumps({"format": 1, "rules": [*rules, {"say": "I give up."}]})})
    outcome = attempt(cache, tmp_path, "worker", model=f"script:{tmp_path / 'model.yml'}")
    scored(outcome)
    assert outcome.ended == "done", outcome.stopped
    steps = json.loads((tmp_path / "out" / "trajectory.json").read_text("utf-8"))["steps"]
    assert len([call for step in steps for call in step.get("tool_calls") or []]) == len(SAID)


# What a program may send to the gateway. The model answers everything but what says so.
ASKING = r"""
import http.client, json, os, socket
key = os.environ["OPENAI_API_KEY"]
path = "/v1/chat/completions"
def ask(body, path=path, method="POST", **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    line = http.client.HTTPConnection("llm.test", 4000, timeout=60)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    line.request(method, path, data, {"authorization": "Bearer " + key, "content-type": "application/json", **given})
    answer = line.getresponse()
    return answer.status, answer.read()
def begin(size):
    line = socket.create_connection(("llm.test", 4000))
    lead = [f"POST {path} HTTP/1.1", "host: llm.test", f"authorization: Bearer {key}"]
    line.sendall("\r\n".join([*lead, "content-type: application/json", f"content-length: {size}", "", ""]).encode())
    return line
def hello(text="hello", **more):
    return {"messages": [{"role": "user", "content": text}], **more}
assert ask(hello())[0] == 200
open("/workspace/begun", "w").close()
"""
NOT_ANSWERED = {
    "a request that its provider refuses": 'assert ask(hello("refuse me"))[0] == 400',
    "a request that breaks its provider": 'assert ask(hello("poison"))[0] == 502',
    "an address that its provider does not have": 'assert ask(hello("nowhere"))[0] == 502',
}
SENT = {
    "JSON 900 deep": 's, b = ask(b\'{"a":\' * 900 + b"1" + b"}" * 900); assert s == 400 and json.loads(b), (s, b)',
    "JSON 100,000 deep": 'assert ask(b"[" * 100000)[0] == 400',
    "an enormous body": r"""
line = begin(900000000)
try:
    for _ in range(100):
        line.sendall(b"x" * 1000000)
except OSError:
    pass
""",
    "half a body": 'line = begin(900); line.sendall(b"{"); line.close()',
    "streams that it gives up": r"""
for _ in range(40):
    body = json.dumps(hello("stream", stream=True)).encode()
    line = begin(len(body))
    line.sendall(body)
    line.close()
assert ask(hello())[0] == 200
""",
    "headers that are none": r"""
for value in ("\xe9\xff", "a" * 5000, "\x01", "\t"):
    try:
        print(ask(hello(), anthropic_beta=value, openai_beta=value))
    except (OSError, ValueError, http.client.HTTPException) as error:
        print(error)
assert ask(hello())[0] == 200
""",
    "addresses that are none": r"""
print(ask(hello(), "/v1/embeddings"))
print(ask(b"", "/v1/../../etc", "GET"), ask(b"", "/%ff%fe", "PUT"))
""",
    "words that are no text": r"""
print(ask(b'{"messages": [{"role": "user", "content": "\\ud800"}]}'))
print(ask(b"\xff\xfe\x00"))
""",
    "strange fields": r"""
print(ask(hello(model={"a": 1}, stream="yes", stream_options=[1], tools=7, user=[[]])))
print(ask({"messages": {"a": 1}}))
""",
}


@pytest.mark.parametrize("what", [*NOT_ANSWERED, "what no provider is asked"])
def test_an_examinee_that_sends(
    what: str, cache: Path, tmp_path: Path, providers: list[Provider], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = NOT_ANSWERED.get(what, "\n".join(SENT.values()))
    rules: list[dict[str, Any]] = [
        {"when": {"last": "refuse"}, "fault": {"status": 400}},
        {"when": {"last": "poison"}, "fault": {"status": 500}},
        {"when": {"last": "nowhere"}, "fault": {"status": 404}},
        {"when": {"last": "stream"}, "say": "One. Two. Three. Four.", "chunk_delay": 0.02},
        {"say": "ok"},
    ]
    providers.append(Provider(tmp_path, rules))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MODEL_KEY", "sk-test")
    code = base64.b64encode(f"{ASKING}\n{sent}\n".encode()).decode()
    line = f"command:python3 -c {shlex.quote(f'import base64; exec(base64.b64decode({code!r}))')}"
    outcome = attempt(cache, tmp_path, line, model="here/any", seconds=120)
    scored(outcome)
    said = json.loads((tmp_path / "out" / "trajectory.json").read_text())["steps"][-1]
    assert outcome.stopped == "command ended with 0", said
    if what not in NOT_ANSWERED:
        assert any("POST /v1/embeddings (1×)" in note for note in outcome.notes), outcome.notes


# What an examinee may do to the rooms in which a colleague is to answer.
CHAT = """
import requests, time
api = "http://office.test:3000/api/v1/"
data = requests.post(api + "login", json={"user": "sam.reed", "password": "sam-first-day"}).json()["data"]
headers = {"X-Auth-Token": data["authToken"], "X-User-Id": data["userId"]}
def post(address, **body):
    return requests.post(api + address, json=body, headers=headers).json()
def asked(name):
    group = post("groups.create", name=name, members=["mara.lind"])["group"]["_id"]
    post("chat.postMessage", roomId=group, text="@mara.lind What is our word?")
    return group
who = requests.get(api + "users.info", params={"username": "mara.lind"}, headers=headers).json()["user"]["_id"]
"""
DONE_TO_A_ROOM = {
    "archived": 'post("groups.archive", roomId=asked("archived"))',
    "deleted": 'post("groups.delete", roomId=asked("deleted"))',
    "left": 'post("groups.kick", roomId=asked("left"), userId=who)',
    "read-only": 'post("groups.setReadOnly", roomId=asked("read-only"), readOnly=True)',
}


# A note is written once for each reason, and a room that is gone is one that the colleague may not write to.
@pytest.mark.parametrize("rooms", [("archived", "deleted", "read-only"), ("left",)], ids=", ".join)
def test_an_examinee_that_asks_in_rooms_and_has_them(rooms: tuple[str, ...], cache: Path, tmp_path: Path) -> None:
    slow = {"Mara Lind": {"script": [{"reply": "shipshape"}], "delay": 1.5}}
    done = "\n".join(f"print({DONE_TO_A_ROOM[room]})" for room in rooms)
    code = base64.b64encode(f"{CHAT}\n{done}\ntime.sleep(4)\n".encode()).decode()
    line = f"command:python3 -c {shlex.quote(f'import base64; exec(base64.b64decode({code!r}))')}"
    files = {"dependencies__yml": "- rocketchat\n", "scenarios__json": json.dumps(slow)}
    outcome = attempt(cache, tmp_path, line, files=files, seconds=60)
    scored(outcome)
    assert outcome.stopped == "command ended with 0", (tmp_path / "out" / "trajectory.json").read_text()
    lost = [note for note in outcome.notes if "Mara Lind could not write to the room" in note]
    assert len(lost) == len(rooms), outcome.notes


# What an agent may write about itself, where a preset's reader looks for it.
COMMAND = '{"type": "item.completed", "item": {"type": "command_execution", "exit_code"'
LINES = {
    "no text": "\\377\\376\\000",
    "half a character": r'{"type": "item.completed", "item": {"type": "agent_message", "text": "\\ud800"}}',
    "a list for everything": '{"type": [], "item": [[]]}',
    "numbers for words": f'{COMMAND}: {{}}, "command": 1}}}}',
    "an exit code nested deeply": f"{COMMAND}: {'[' * 900}{']' * 900}}}}}",
}
RECORDS = {
    "nothing": "",
    "lines that say nothing": "\\n".join(LINES.values()),
    "nesting that nobody can follow": f"{COMMAND}: {'[' * 50_000}",
}


class Recorded(Command):
    """An agent whose own record is what Codex writes."""

    def __init__(self) -> None:
        program = BEGUN + 'printf %b "$(cat /workspace/.record)"; exit 1'
        super().__init__(f"bash -c {shlex.quote(program)}", name="recorded", reader=codex)


@pytest.mark.parametrize("what", RECORDS)
def test_an_agent_that_writes_about_itself(what: str, cache: Path, tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM dayjob/task-base:1\nCOPY record /workspace/.record\n",
        "record": RECORDS[what],
    }
    outcome = attempt(cache, tmp_path, "tests.trial.test_no_retry:Recorded", files=files)
    scored(outcome)
    assert json.loads((tmp_path / "out" / "trajectory.json").read_text("utf-8", "replace"))
