"""Run by an examinee in a trial: looks at the time in every way there is, and asks the company before and after each.

The company's own word is the date that its control API answers with. Writes /workspace/observations.json: a list of
what was looked at, what it said (seconds since 1970), and the company's time before and after.
"""

import calendar
import datetime
import email.utils
import json
import logging
import os
import re
import sqlite3
import subprocess
import tarfile
import tempfile
import time
import uuid
import zipfile
from xml.etree import ElementTree

import requests

HOST = "office.test"
CONTROL = f"http://{HOST}:2999/api/healthcheck/owncloud"
CHAT, FORGE, BOARD, DRIVE = (f"http://{HOST}:{port}" for port in (3000, 8929, 8091, 8092))
SAM, PASSWORD = "sam.reed", "sam-first-day"
WORK = "/workspace/looks"
found: list[dict[str, object]] = []
session = requests.Session()


def company() -> float:
    return email.utils.parsedate_to_datetime(session.get(CONTROL, timeout=60).headers["Date"]).timestamp()


def look(what: str, seen: object) -> None:
    """Note what something says now; `seen` is called for it."""
    before = company()
    said = float(seen())  # type: ignore[operator]  # each is a function
    found.append({"what": what, "said": said, "before": before, "after": company()})


def run(*command: str, **options: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=WORK, **options)  # type: ignore[call-overload]  # a test's own
    return str(done.stdout).strip()


def sh(command: str) -> str:
    return run("bash", "-c", command)


def iso(text: str) -> float:
    return datetime.datetime.fromisoformat(text).timestamp()


def http(text: str) -> float:
    return email.utils.parsedate_to_datetime(text).timestamp()


def place(name: str) -> str:
    return f"{WORK}/{name}"


def fresh(name: str) -> str:
    with open(place(name), "w") as file:
        file.write("text\n")
    return place(name)


def spelt(text: str, form: str) -> float:
    """A time without a zone, which is UTC here."""
    return calendar.timegm(time.strptime(text, form))


def programs() -> None:
    look("date", lambda: run("date", "+%s"))
    look("date in words", lambda: spelt(run("date", "-u", "+%a %b %d %H:%M:%S %Y"), "%a %b %d %H:%M:%S %Y"))
    look("date with nothing in its environment", lambda: run("env", "-i", "/bin/date", "+%s"))
    look("date in another zone", lambda: iso(run("date", "-Iseconds", env={**os.environ, "TZ": "Asia/Tokyo"})))
    look("bash, printf", lambda: sh("printf '%(%s)T' -1"))
    look("bash, EPOCHREALTIME", lambda: sh("echo $EPOCHREALTIME"))
    look("perl", lambda: run("perl", "-e", "print time"))
    look("awk", lambda: run("awk", "BEGIN { print systime() }"))
    look("sqlite3", lambda: run("sqlite3", ":memory:", "select strftime('%s', 'now')"))
    look("jq", lambda: run("jq", "-n", "now"))
    look("a background process's child", lambda: sh("(sleep 0.05; date +%s) & wait"))
    look("after a timeout", lambda: sh("timeout 0.05 sleep 5; date +%s"))
    look("another user", lambda: sh('python3 -c \'import os; os.setuid(65534); os.execlp("date", "date", "+%s")\''))


def compiled() -> None:
    with open(place("now.c"), "w") as file:
        file.write(
            "#include <stdio.h>\n#include <sys/time.h>\n#include <time.h>\n"
            "int main(void) { struct timespec a, b; struct timeval c; clock_gettime(CLOCK_REALTIME_COARSE, &a);"
            " timespec_get(&b, TIME_UTC); gettimeofday(&c, 0);"
            ' printf("%ld %ld %ld %ld %s %s", (long)time(0), a.tv_sec, b.tv_sec, c.tv_sec, __DATE__, __TIME__); }\n'
        )
    run("gcc", "now.c", "-o", "now")
    for number, name in enumerate(("time", "clock_gettime", "timespec_get", "gettimeofday")):
        look(f"C, {name}", lambda number=number: run("./now").split()[number])
    look("the compiler's own date", lambda: spelt(
        " ".join(sh("gcc now.c -o now2 && ./now2").split()[4:]), "%b %d %Y %H:%M:%S"))  # fmt: skip


_FORKS = "import os, time\nif os.fork() == 0: print(time.time())\nelse: os.wait()"


def python() -> None:
    look("Python, time.time", time.time)
    look("Python, datetime", lambda: datetime.datetime.now().timestamp())
    look("Python, gmtime", lambda: calendar.timegm(time.gmtime()))
    look("Python, localtime", lambda: time.mktime(time.localtime()))
    look("Python, a thread that waited", _in_a_thread)
    look("Python, logging", lambda: logging.LogRecord("", 0, "", 0, "", None, None).created)
    look("Python, uuid1", lambda: (uuid.uuid1().time - 0x01B21DD213814000) / 1e7)
    look("Python, sqlite3", lambda: sqlite3.connect(":memory:").execute("select unixepoch('now')").fetchone()[0])
    look("Python, a fork", lambda: run("python3", "-c", _FORKS))


def _in_a_thread() -> float:
    import queue
    import threading

    told: queue.Queue[float] = queue.Queue()
    waiting = threading.Event()

    def wait() -> None:
        waiting.wait(0.05)
        told.put(time.time())

    threading.Thread(target=wait).start()
    return told.get(timeout=60)


def files() -> None:
    look("a file's mtime, Python", lambda: os.stat(fresh("a")).st_mtime)
    look("a file's ctime, Python", lambda: os.lstat(fresh("b")).st_ctime)
    look("an open file", lambda: os.fstat(os.open(fresh("c"), os.O_RDONLY)).st_mtime)
    look("stat", lambda: run("stat", "-c", "%Y", fresh("d")))
    look("stat, ctime", lambda: run("stat", "-c", "%Z", fresh("e")))
    look("ls", lambda: run("ls", "-l", "--time-style=+%s", fresh("f")).split()[5])
    look("find", lambda: run("find", fresh("g"), "-printf", "%T@"))
    look("touch", lambda: sh("touch h; stat -c %Y h"))
    look("touch, an hour ago", lambda: int(sh("touch -d '1 hour ago' i; stat -c %Y i")) + 3600)
    look("touch, tomorrow", lambda: int(sh("touch -d '1 day' j; stat -c %Y j")) - 86400)
    look("mktemp", lambda: os.stat(run("mktemp")).st_mtime)
    look("tempfile", lambda: os.stat(tempfile.mkdtemp()).st_mtime)
    look("a copy that keeps its date", lambda: sh("touch k; cp -p k l; stat -c %Y l"))
    look("tar", lambda: spelt(" ".join(sh("touch m; tar -cf m.tar m; tar --full-time --utc -tvf m.tar").split()[3:5]),
                              "%Y-%m-%d %H:%M:%S"))  # fmt: skip
    look("unpacked by tar", lambda: sh("touch n; tar -cf n.tar n; rm n; tar -xf n.tar; stat -c %Y n"))
    look("tarfile", _by_tarfile)
    look("zip", lambda: calendar.timegm((*zipfile.ZipFile(_zipped()).getinfo("o").date_time, 0, 0, 0)))
    look("an archive of gzip", lambda: int.from_bytes(subprocess.run(
        ["gzip", "-c", fresh("p")], capture_output=True, check=True).stdout[4:8], "little"))  # fmt: skip


def _by_tarfile() -> float:
    with tarfile.open(place("q.tar"), "w") as tar:
        tar.add(fresh("q"), "q")
    with tarfile.open(place("q.tar")) as tar:
        return tar.getmember("q").mtime


def _zipped() -> str:
    sh("touch o; zip -q o.zip o")
    return place("o.zip")


def made() -> None:
    """What make thinks of files and clocks."""
    with open(place("Makefile"), "w") as file:
        file.write("out: in\n\tdate +%s > out\n")
    look("make", lambda: _make())
    said = sh("touch in; make 2>&1; sleep 0.01; make 2>&1")
    assert "skew" not in said, said
    assert "up to date" in said, said
    assert sh("find . -name out -newermt '1 minute ago' ! -newermt '1 minute'") == "./out"


def _make() -> str:
    sh("touch in; rm -f out; make 2>&1")
    return open(place("out")).read()


def git_and_forge() -> None:
    token = session.post(f"{FORGE}/oauth/token", json={"grant_type": "password", "username": SAM, "password": PASSWORD},
                         timeout=60)  # fmt: skip
    token.raise_for_status()
    look("a token", lambda: token.json()["created_at"])
    headers = {"Authorization": f"Bearer {token.json()['access_token']}"}
    project = session.post(f"{FORGE}/api/v4/projects", json={"name": "looks"}, headers=headers, timeout=60)
    project.raise_for_status()
    look("forge, a project", lambda: iso(project.json()["created_at"]))
    where = f"{FORGE}/api/v4/projects/{project.json()['id']}"
    os.environ |= {"GIT_AUTHOR_NAME": "Sam", "GIT_COMMITTER_NAME": "Sam",
                   "GIT_AUTHOR_EMAIL": "sam@office.test", "GIT_COMMITTER_EMAIL": "sam@office.test"}  # fmt: skip
    run("git", "init", "-q", "-b", "main", "repository")
    in_it = ("git", "-C", "repository")
    look("git, an author's date", lambda: run(*in_it, "commit", "-q", "--allow-empty", "-m", "one")
         or run(*in_it, "log", "-1", "--format=%at"))  # fmt: skip
    look("git, a committer's date", lambda: run(*in_it, "commit", "-q", "--allow-empty", "-m", "two")
         or run(*in_it, "log", "-1", "--format=%ct"))  # fmt: skip
    look("git, a reflog", lambda: run(*in_it, "commit", "-q", "--allow-empty", "-m", "three")
         or run(*in_it, "reflog", "-1", "--date=unix", "--format=%gd").partition("{")[2].rstrip("}"))  # fmt: skip

    def pushed() -> float:
        run(*in_it, "commit", "-q", "--allow-empty", "-m", "four")
        run(*in_it, "push", "-q", f"http://{SAM}:{PASSWORD}@{HOST}:8929/{SAM}/looks.git", "main")
        newest = session.get(f"{where}/repository/commits", headers=headers, timeout=60).json()[0]
        assert newest["title"] == "four", newest
        return iso(newest["committed_date"])

    look("forge, a commit that was pushed", pushed)
    look("forge, its activity", lambda: iso(session.get(f"{where}/events", headers=headers, timeout=60)
                                            .json()[0]["created_at"]))  # fmt: skip

    def written() -> float:
        change = {"branch": "main", "content": "a", "commit_message": "five"}
        session.post(f"{where}/repository/files/a.txt", headers=headers, timeout=60, json=change).raise_for_status()
        newest = session.get(f"{where}/repository/commits/main", headers=headers, timeout=60).json()
        assert newest["title"] == "five", newest
        return iso(newest["created_at"])

    look("forge, a commit of its own", written)
    look("forge, an issue", lambda: iso(session.post(
        f"{where}/issues", json={"title": "late"}, headers=headers, timeout=60).json()["created_at"]))  # fmt: skip
    look("git, cloned", lambda: os.stat(run("git", "clone", "-q", f"{FORGE}/{SAM}/looks.git".replace(
        "http://", f"http://{SAM}:{PASSWORD}@"), "clone") or place("clone/a.txt")).st_mtime)  # fmt: skip


def services() -> None:
    for name, url in (("chat", CHAT), ("forge", FORGE), ("board", BOARD), ("drive", DRIVE)):
        look(f"{name}, Date", lambda url=url: http(session.get(url, allow_redirects=False, timeout=60).headers["Date"]))
        look(f"{name}, Date, by curl", lambda url=url: http(
            re.search(r"(?im)^date: (.+)\r?$", run("curl", "-sI", url))[1].strip()))  # type: ignore[index]  # it has one  # fmt: skip
    logged = session.post(f"{CHAT}/api/v1/login", json={"user": SAM, "password": PASSWORD}, timeout=60).json()["data"]
    as_sam = {"X-Auth-Token": logged["authToken"], "X-User-Id": logged["userId"]}
    look("chat, a message", lambda: iso(session.post(
        f"{CHAT}/api/v1/chat.postMessage", json={"channel": "@mara.lind", "text": "hello"}, headers=as_sam, timeout=60,
    ).json()["message"]["ts"]))  # fmt: skip
    key = {"X-API-Key": "plane_api_sam_first_day"}
    at_board = f"{BOARD}/api/v1/workspaces/office/projects/"
    shed = session.post(at_board, json={"name": "Shed", "identifier": "SHED"}, headers=key, timeout=60)
    shed.raise_for_status()
    look("board, an item", lambda: iso(session.post(
        f"{at_board}{shed.json()['id']}/issues/", json={"name": "late"}, headers=key, timeout=60,
    ).json()["created_at"]))  # fmt: skip
    note = f"{DRIVE}/remote.php/webdav/note.txt"
    sam = (SAM, PASSWORD)
    look("drive, Last-Modified", lambda: http((session.put(note, data=b"x", auth=sam, timeout=60) and session.get(
        note, auth=sam, timeout=60)).headers["Last-Modified"]))  # fmt: skip

    def listed() -> float:
        session.put(note, data=b"y", auth=sam, timeout=60).raise_for_status()
        answer = session.request("PROPFIND", note, auth=sam, headers={"Depth": "0"}, timeout=60)
        return http(str(ElementTree.fromstring(answer.content).findtext(".//{DAV:}getlastmodified")))

    look("drive, WebDAV", listed)
    look("curl -R, the date of what it fetched", lambda: (run(
        "curl", "-sR", "-u", ":".join(sam), "-o", "fetched", note), os.stat(place("fetched")).st_mtime)[1])  # fmt: skip
    entered = requests.post(f"{BOARD}/auth/sign-in/", timeout=60, allow_redirects=False,
                            data={"email": "sam.reed@office.test", "password": PASSWORD})  # fmt: skip
    for cookie in entered.headers.get("Set-Cookie", "").splitlines():
        assert "expires" not in cookie.lower(), cookie


def main() -> None:
    os.makedirs(WORK, exist_ok=True)
    for part in (programs, compiled, python, files, made, git_and_forge, services):
        part()
    with open("/workspace/observations.json", "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
