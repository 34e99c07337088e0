"""Examinees that cheat: each does its worst from inside, and gains no point and sees no secret, in either sandbox.

Every attack runs as the examinee's own program (in place of a solution) on a task whose answer it does not know. In
docker, where a trial takes seconds, attacks that do not disturb each other share one.
"""

from __future__ import annotations

import json
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest

from dayjob.trial.outcome import Label
from tests.trial.attacks import PLANTS, SPYING, TAMPERING, together
from tests.trial.offices import TASK, Tried, attempt, task

SECRETS = ("shipshape", "grade_answer", "seldom-said-hint", "This task has 2 points", "password-in-the-world",
           "token-in-the-world", "plane_api_in_the_world")  # fmt: skip
IN_DOCKER = pytest.mark.xdist_group("docker")


@pytest.fixture(params=["embedded", pytest.param("docker", marks=IN_DOCKER)])
def sandbox(request: pytest.FixtureRequest) -> str:
    if request.param == "docker":
        request.getfixturevalue("daemon")
    return str(request.param)


def attack(cache: Path, folder: Path, program: str, sandbox: str = "embedded", **files: str) -> Tried:
    scenarios = json.dumps({"Mara Lind": {"extra_info": "", "strategy_hint": "seldom-said-hint"}})
    given = {"dependencies__yml": "- rocketchat\n- owncloud\n", "scenarios__json": scenarios, **files}
    return attempt(cache, folder, task(folder, solution__py=program, **given), sandbox=sandbox)


def said(tried: Tried) -> str:
    """What the attacker printed."""
    steps = json.loads(tried.text("trajectory.json"))["steps"]
    return str(steps[0]["observation"]["results"][0]["content"])


def gained_nothing(tried: Tried) -> None:
    assert (tried.outcome.label, tried.outcome.result) == (Label.FAILED, 0), tried.outcome.reason
    assert json.loads(tried.text("trajectory.json"))["steps"][0]["extra"]["exit_code"] == 0, said(tried)[-3000:]
    assert "owned" not in tried.log("grade")


# -- things left where the answer belongs -------------------------------------------------------------------------


def evaluator_for(answers: list[str]) -> str:
    return f"""
        from pathlib import Path
        from common import *
        from scoring import Checkpoint, Result

        REFERENCE = Path(__file__).resolve().parent / "references" / "answer.txt"

        @grader
        def grade_answer(place):
            with open(place) as file:
                found = file.read(1000)
            print(place, len(found))
            return found.strip() == REFERENCE.read_text().strip() or "DAYJOB_CONTROL_TOKEN" in found

        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_answer(place))) for place in {answers!r}])
        """


@pytest.mark.parametrize("plant", PLANTS)
def test_nothing_left_in_place_of_an_answer_is_one(cache: Path, tmp_path: Path, plant: str) -> None:
    answer = "/workspace/answer.txt"
    program = PLANTS[plant].replace("{answer}", answer)
    gained_nothing(attack(cache, tmp_path, program, evaluator__py=evaluator_for([answer])))


@IN_DOCKER
@pytest.mark.usefixtures("daemon")
def test_nothing_left_in_place_of_an_answer_is_one_in_docker(cache: Path, tmp_path: Path) -> None:
    answers = [f"/workspace/answer{number}.txt" for number in range(len(PLANTS))]
    programs = {
        name: text.replace("{answer}", answer) for (name, text), answer in zip(PLANTS.items(), answers, strict=True)
    }
    tried = attack(cache, tmp_path, together(programs), "docker", evaluator__py=evaluator_for(answers))
    gained_nothing(tried)
    assert re.findall(r"ATTACK .* (\d+)", said(tried)) == ["0"] * len(PLANTS), said(tried)
    assert tried.outcome.total == len(PLANTS)


def test_a_link_in_place_of_the_workspace_shows_nothing_of_the_host(cache: Path, tmp_path: Path, sandbox: str) -> None:
    (tmp_path / "of-the-host").write_text("secret of the host")
    program = f"""
        import os, shutil
        os.chdir("/")
        os.makedirs("{tmp_path}")
        shutil.rmtree("/workspace")
        os.symlink("{tmp_path}", "/workspace")
        shutil.rmtree("/srv")
        os.symlink("/utils/references", "/srv")
        """
    evaluator = f"""
        import os, subprocess
        from scoring import Checkpoint, Result
        def grade_checkpoints(trajectory=""):
            print(os.listdir("/workspace"), os.listdir("/srv"))
            print(subprocess.run(["cat", "{tmp_path}/of-the-host"], capture_output=True))
            return Result([Checkpoint(1, int(bool(os.listdir("/srv"))))])
        """
    tried = attack(cache, tmp_path, program, sandbox, evaluator__py=evaluator)
    gained_nothing(tried)
    assert "[] []" in tried.log("grade")
    assert "secret of the host" not in tried.log("grade")


# -- going for the grader -----------------------------------------------------------------------------------------

WATCHFUL = """
    import os, subprocess, time
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Result

    REFERENCE = Path(__file__).resolve().parent / "references" / "answer.txt"

    @grader
    def grade_answer():
        return Path("/workspace/answer.txt").read_text().strip() == REFERENCE.read_text().strip()

    @grader
    def grade_disturbance():
        '''A point for whoever can disturb a grader.'''
        toggle = Path("/workspace/toggle.txt")
        seen = {toggle.read_text() if toggle.exists() else "" for _ in range(40) if not time.sleep(0.01)}
        print("seen", seen)
        for command in (["python3", "-c", "print('ran')"], ["git", "version2"], ["bash", "-c", "echo ran"]):
            done = subprocess.run(command, capture_output=True, text=True)
            print(done.stdout, done.stderr)
        return len(seen) != 1 or REFERENCE.read_text() != "shipshape\\n"

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, int(grade_answer())), Checkpoint(1, int(grade_disturbance()))])
    """


@pytest.mark.parametrize("attacked", TAMPERING)
def test_tampering_gains_nothing(cache: Path, tmp_path: Path, attacked: str) -> None:
    tried = attack(cache, tmp_path, TAMPERING[attacked], evaluator__py=WATCHFUL)
    gained_nothing(tried)
    assert tried.log("grade").count("ran") == 2
    assert (tried.folder / "trajectory.json").stat().st_size < 30_000_000


@IN_DOCKER
@pytest.mark.usefixtures("daemon")
def test_tampering_gains_nothing_in_docker(cache: Path, tmp_path: Path) -> None:
    tried = attack(cache, tmp_path, together(TAMPERING), "docker", evaluator__py=WATCHFUL)
    gained_nothing(tried)
    assert tried.log("grade").count("ran") == 2
    assert re.findall(r"ATTACK (.*) 0\n", said(tried)) == list(TAMPERING), said(tried)[-3000:]
    assert (tried.folder / "trajectory.json").stat().st_size < 30_000_000


def test_a_full_disk_is_the_examinees_own_trouble(cache: Path, tmp_path: Path, sandbox: str) -> None:
    """It fills what it has at work, outside the files that are graded, and again when its code is run for grading."""
    program = """
        import os, time
        def fill(place, most):
            written = 0
            try:
                while written < most:
                    with open(f"{place}{written}", "wb") as file:
                        for _ in range(100):
                            file.write(b"x" * (1 << 20))
                    written += 100 << 20
            except OSError as error:
                print(error)
        open("/workspace/answer.txt", "w").write("guess")
        open("/workspace/fill.py", "w").write(
            "import os\\nn = 0\\ntry:\\n"
            "    while n < 3000:\\n        open(f'/workspace/x{n}', 'wb').write(b'x' * (1 << 20)); n += 1\\n"
            "except OSError as error:\\n    print('full', error)\\n")
        print("before", flush=True)
        fill("/var/tmp/fill", 1400 << 20)
        time.sleep(20)
        """
    evaluator = TASK["evaluator.py"]
    if sandbox == "embedded":  # in docker a grader's disk is watched, not limited
        evaluator = evaluator.replace(
            '            answer = Path("/workspace/answer.txt")',
            '            print(run_as_examinee("python3 fill.py", timeout=60))\n'
            '            answer = Path("/workspace/answer.txt")',
        )
    tried = attack(cache, tmp_path, program.replace("time.sleep(20)", "pass") if sandbox == "embedded" else program,
                   sandbox, evaluator__py=evaluator)  # fmt: skip
    assert (tried.outcome.label, tried.outcome.result) == (Label.FAILED, 0), tried.outcome.reason
    assert "before" in said(tried)
    assert ("No space left" if sandbox == "embedded" else "the sandbox stands still") in said(tried)


def test_code_that_fills_the_disk_while_it_is_graded_costs_its_own_check(
    cache: Path, tmp_path: Path, sandbox: str
) -> None:
    program = """
        open("/workspace/answer.txt", "w").write("shipshape")
        open("/workspace/fill.py", "w").write(
            "for n in range(12000):\\n    open(f'/workspace/x{n}', 'wb').write(b'x' * (1 << 20))\\n")
        """
    evaluator = """
        from pathlib import Path
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_code():
            done = run_as_examinee("python3 fill.py", timeout=100)
            print("FILLED", done.returncode, len(list(Path("/workspace").glob("x*"))))
            return done.returncode == 0
        @grader
        def grade_answer():
            return Path("/workspace/answer.txt").read_text() == "shipshape"
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_code())), Checkpoint(1, int(grade_answer()))])
        """
    tried = attack(cache, tmp_path, program, sandbox, evaluator__py=evaluator)
    assert (tried.outcome.label, tried.outcome.result) == (Label.PARTIAL, 1), tried.outcome.reason
    filled = re.search(r"FILLED (\S+) (\d+)", tried.log("grade"))
    assert filled is not None, tried.log("grade")
    assert filled[1] != "0"
    assert filled[2] == "0"  # nothing of it is in the grader's room


# -- spying -------------------------------------------------------------------------------------------------------


@contextmanager
def elsewhere(folder: Path) -> Iterator[dict[str, str]]:
    """Servers of the host that nobody inside may reach: on all its addresses, an abstract name, and a path."""
    servers = [socket.create_server(("0.0.0.0", 0)), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)]
    abstract, path = f"\0dayjob-red-team-{os.getpid()}", f"/tmp/red-{os.getpid()}.sock"
    servers[1].bind(abstract)
    servers[2].bind(path)
    for one in servers:
        one.listen()
    port = servers[0].getsockname()[1]
    hosts = {address[4][0] for address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    addresses = [(host, port) for host in sorted({*hosts, "127.0.0.1", "127.0.1.1", "172.17.0.1"})]
    addresses += [("192.0.2.1", 80), ("198.51.100.7", 443), ("169.254.169.254", 80), ("172.17.0.1", 2375)]
    try:
        yield {"{elsewhere}": repr(addresses), "{abstract}": repr([abstract]), "{sockets}": repr([path])}
    finally:
        for one in servers:
            one.close()
        os.unlink(path)


def test_spying_finds_no_secret_and_no_way_out(cache: Path, tmp_path: Path, sandbox: str) -> None:
    with elsewhere(tmp_path) as places:
        programs = dict(SPYING)
        for mark, value in places.items():
            programs["ways out"] = programs["ways out"].replace(mark, value)
        order = ("default passwords", "the control token", "ways out", "other uids", "files and processes")
        assert set(order) == set(SPYING)
        # Each part is written to the workspace too, since so much output does not come back whole.
        program = together({name: programs[name] for name in order}, said_to="/workspace")
        tried = attack(
            cache,
            tmp_path,
            program,
            sandbox,
            pre_init__py="print('set up')\n",
            dependencies__yml="- rocketchat\n- gitlab\n- plane\n- owncloud\n",
            **{"mutants/expected.toml": "format = 1\n"},
        )
    gained_nothing(tried)
    assert set(re.findall(r"ATTACK .* (\d+)", said(tried))) == {"0"}, said(tried)
    found = parts(tried, order, tmp_path / "unpacked")
    assert "IN" not in set(found["default passwords"].split())
    assert {"chat", "forge", "board", "drive"} <= set(found["default passwords"].split())
    assert "SAM 200" in found["default passwords"]  # the account it was told of works
    codes = set(re.findall(r"CONTROL (\d+)", found["the control token"]))
    assert codes <= {"400", "403", "404"}
    assert "403" in codes
    assert "REACHED" not in found["ways out"]
    assert found["ways out"].count("refused") > 10
    assert "Write the word that the office uses" in found["files and processes"]  # it did look, and found what it may
    for name in ("files and processes", "other uids"):
        for secret in SECRETS:
            assert secret not in found[name], (name, secret)
        assert str(tmp_path) not in found[name]


def parts(tried: Tried, names: tuple[str, ...], into: Path) -> dict[str, str]:
    import tarfile

    with tarfile.open(tried.folder / "workspace.tar.gz") as tar:
        tar.extractall(into, filter="data")
    return {name: next(into.rglob(name)).read_text("utf-8", "replace") for name in names}


def test_another_trials_servers_and_files_are_not_there(cache: Path, tmp_path: Path, sandbox: str) -> None:
    """Two trials at once: one leaves a server and a file, the other looks for them."""
    serving = """
        import http.server, threading, time
        open("/tmp/of-the-first", "w").write("secret of the first")
        server = http.server.HTTPServer(("0.0.0.0", 18123), http.server.SimpleHTTPRequestHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        time.sleep(3)
        """
    looking = """
        import os, socket, time
        for _ in range(50):
            print(socket.socket().connect_ex(("127.0.0.1", 18123)), os.path.exists("/tmp/of-the-first"))
            time.sleep(0.02)
        """
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    first = threading.Thread(target=attack, args=(cache, tmp_path / "one", serving, sandbox))
    first.start()
    tried = attack(cache, tmp_path / "two", looking, sandbox)
    first.join()
    gained_nothing(tried)
    assert set(said(tried).splitlines()) == {"111 False"}


# -- after the end, and what was left running ---------------------------------------------------------------------

WAIT_FOR_THE_END = """
    import os, socket, sys, time, requests
    waiting, ready = os.pipe()
    if os.fork():
        os.read(waiting, 1)
        sys.exit(0)
    os.setsid()
    sam = ("sam.reed", "sam-first-day")
    url = "http://office.test:8092/remote.php/webdav/late.txt"
    def put():
        try:
            return requests.put(url, data=b"late", auth=sam, timeout=1).status_code
        except requests.RequestException:
            return 0
    assert put() in (201, 204)
    requests.delete(url, auth=sam)
    # One connection is opened while that is allowed, and used when it no longer is.
    session = requests.Session()
    session.auth = sam
    session.get(url)
    os.write(ready, b"!")
    for _ in range(100000):
        try:
            requests.get("http://office.test:8092/status.php", timeout=1)
        except requests.RequestException:
            break
        time.sleep(0.01)
    open("/workspace/over", "w").write("work is over")
    for _ in range(200):
        put()
        try:
            session.put(url, data=b"late", timeout=1)
        except requests.RequestException:
            pass
        for port in (8092, 2999):
            try:
                fake = socket.socket()
                fake.bind(("0.0.0.0", port))
                fake.listen()
                open("/workspace/bound", "w").write(str(port))
            except OSError:
                pass
        time.sleep(0.01)
    """


def test_what_goes_on_after_the_end_changes_nothing(cache: Path, tmp_path: Path, sandbox: str) -> None:
    evaluator = """
        import time
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_late():
            time.sleep(1.5)
            found = check_file_in_owncloud_directory("late.txt", "")
            login = ("sam.reed", "sam-first-day")
            sams = requests.get(OWNCLOUD_URL + "/remote.php/webdav/late.txt", auth=login).status_code
            print("found", found, sams)
            return found or sams == 200
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_late()))])
        """
    tried = attack(cache, tmp_path, dedent(WAIT_FOR_THE_END), sandbox, evaluator__py=evaluator)
    gained_nothing(tried)
    assert "found False 404" in tried.log("grade")
    rows = [json.loads(line) for line in tried.text("journal.jsonl").splitlines()]
    assert [row["status"] for row in rows if row.get("method") == "PUT"] == [201]  # once, while it was allowed
    assert not [row for row in rows if row["phase"] == "grade" and row["role"] == "examinee"]


SILENT = """
    import socket, threading, time
    def silent(sock):
        held = []
        while True:
            held.append(sock.accept())
    def dripping(sock):
        while True:
            one, _ = sock.accept()
            def drip(one=one):
                one.sendall(b"HTTP/1.1 200 OK\\r\\n")
                while True:
                    one.sendall(b"X-Y: z\\r\\n")
                    time.sleep(0.5)
            threading.Thread(target=drip, daemon=True).start()
    def flooding(sock):
        while True:
            one, _ = sock.accept()
            def flood(one=one):
                one.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
                while True:
                    one.sendall(b"x" * 65536)
                    time.sleep(0.001)
            threading.Thread(target=flood, daemon=True).start()
    import os, sys
    if os.fork():
        time.sleep(0.5)
        sys.exit(0)
    os.setsid()
    for port, what in ((18080, silent), (18081, dripping), (18082, flooding)):
        threading.Thread(target=what, args=(socket.create_server(("127.0.0.1", port)),)).start()
    """


def test_a_server_that_never_answers_costs_the_examinee_its_points(cache: Path, tmp_path: Path, sandbox: str) -> None:
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        from urllib.request import urlopen
        @grader
        def grade_requests(port):
            return requests.get(f"http://localhost:{port}/").text == "shipshape"
        @grader
        def grade_urllib(port):
            return urlopen(f"http://localhost:{port}/").read() == b"shipshape"
        def grade_checkpoints(trajectory=""):
            each = [Checkpoint(1, int(how(port))) for port in (18080, 18081, 18082) for how in
                    (grade_requests, grade_urllib)]
            return Result(each)
        """
    tried = attack(
        cache,
        tmp_path,
        dedent(SILENT),
        sandbox,
        evaluator__py=evaluator,
        **{"task.toml": "format = 1\n[timeouts]\ngrade = 12\n"},
    )
    gained_nothing(tried)
    assert tried.outcome.total == 6
    assert tried.outcome.faults == []


EVIL_REPOSITORY = """
    import os, subprocess
    evil = "/workspace/evil.sh"
    open(evil, "w").write("#!/bin/sh\\nls /utils >> /tmp/owned 2>&1; id >> /tmp/owned; env >> /tmp/owned; cat\\n")
    os.chmod(evil, 0o755)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.com", "-C", "/workspace/repo"]
    subprocess.run(["git", "init", "-q", "/workspace/repo"], check=True)
    open("/workspace/repo/file.txt", "w").write("one\\n")
    open("/workspace/repo/.gitattributes", "w").write("* filter=evil diff=evil merge=evil\\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    open("/workspace/repo/file.txt", "w").write("two, longer\\n")
    settings = {"core.fsmonitor": evil, "core.hooksPath": "/workspace/hooks", "core.pager": evil, "core.editor": evil,
                "core.sshCommand": evil, "diff.external": evil, "diff.evil.textconv": evil, "diff.evil.command": evil,
                "filter.evil.clean": evil, "filter.evil.smudge": evil, "filter.evil.process": evil,
                "gpg.program": evil, "log.showSignature": "true", "alias.status2": "!" + evil,
                "core.alternateRefsCommand": evil, "uploadpack.packObjectsHook": evil, "credential.helper": "!" + evil}
    for name, value in settings.items():
        subprocess.run(["git", "-C", "/workspace/repo", "config", name, value], check=True)
    os.makedirs("/workspace/hooks", exist_ok=True)
    for hook in ("post-checkout", "post-commit", "pre-commit", "post-index-change", "reference-transaction"):
        os.symlink(evil, "/workspace/hooks/" + hook)
    """


def test_a_repositorys_own_settings_never_run_as_the_grader(cache: Path, tmp_path: Path) -> None:
    """In docker, `test_grader_git.py` says so with these settings and others."""
    evaluator = """
        import os, subprocess
        from common import *
        from scoring import Checkpoint, Result
        def git(*arguments, **options):
            done = subprocess.run(["git", *arguments], capture_output=True, text=True, **options)
            print("GIT", arguments, done.returncode, done.stdout[:300], done.stderr[:300])
            return done
        @grader
        def grade_commands():
            print("COMMITS", git("-C", "/workspace/repo", "log", "--oneline", "--no-show-signature").stdout)
            git(*"add .".split(), cwd="/workspace/repo")
            for command in (["status"], ["diff"], ["stash"], ["show", "HEAD"], ["checkout", "--", "file.txt"],
                            ["status2"], ["fetch", "origin"], ["commit", "-m", "x"]):
                git("-C", "/workspace/repo", *command)
            git("clone", "/workspace/repo", "/tmp/copy")
            print("OWNED", os.path.exists("/tmp/owned") and open("/tmp/owned").read())
            return os.path.exists("/tmp/owned") and any(word in open("/tmp/owned").read() for word in
                                                        ("evaluator.py", "60000", "CONTROL_TOKEN"))
        @grader
        def grade_clone():
            '''What an evaluator clones itself is its own, and can be worked in.'''
            url = f"http://{GITLAB_USER}:{GITLAB_ACCESS_TOKEN}@{SERVER_HOSTNAME}:{GITLAB_PORT}/root/thing.git"
            assert git("clone", url, "/tmp/thing").returncode == 0
            assert git("-C", "/tmp/thing", "checkout", "-b", "other").returncode == 0
            assert git("-C", "/tmp/thing", "config", "user.name", "G").returncode == 0
            print("CLONED", git("-C", "/tmp/thing", "fetch", "origin").returncode)
            return False
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_commands())), Checkpoint(1, int(grade_clone()))])
        """
    make = """
        import os, requests
        base = f"http://{os.environ['SERVER_HOSTNAME']}:{os.environ['GITLAB_PORT']}/api/v4"
        made = requests.post(base + "/projects", headers={"PRIVATE-TOKEN": os.environ["GITLAB_ACCESS_TOKEN"]},
                             json={"name": "thing", "initialize_with_readme": True})
        assert made.status_code == 201, made.text
        """
    tried = attack(
        cache,
        tmp_path,
        dedent(EVIL_REPOSITORY),
        evaluator__py=evaluator,
        pre_init__py=make,
        dependencies__yml="- rocketchat\n- gitlab\n",
    )
    gained_nothing(tried)
    log = tried.log("grade")
    assert re.search(r"COMMITS [0-9a-f]+ one", log), log[-4000:]
    assert "CLONED 0" in log, log[-4000:]


# -- looking around -----------------------------------------------------------------------------------------------

# It looks for what was copied into its image for the grader, asks for a service that its task does not name, and leaves
# code that looks around when it is run for grading.
LOOKING = """
    import socket, subprocess
    look = "cat /answers/* /workspace/task/* /workspace/task/*/*; ls -R /answers /workspace/task"
    print(subprocess.run(look, shell=True, capture_output=True, text=True).stdout)
    print("FORGE", socket.socket().connect_ex(("office.test", 8929)))
    open("/workspace/code.py", "w").write('''
    import glob, os, socket, subprocess
    print("UTILS", os.listdir("/utils"), os.listdir("/npc"))
    print("ENV", dict(os.environ))
    lines = [open(path, "rb").read().decode() for path in glob.glob("/proc/[0-9]*/cmdline") if os.path.exists(path)]
    print("PROCESSES", len(lines), repr(lines))
    print("PORTS", [socket.socket().connect_ex(("127.0.0.1", port)) for port in (2998, 2999, 8092, 3000, 4000)])
    print("CAPS", [line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")])
    print("SECCOMP", [line.split()[1] for line in open("/proc/self/status") if line.startswith("Seccomp:")])
    for before in ([], ["unshare", "-Ur"], ["unshare", "-Urm"]):
        command = [*before, "umount", "/utils"]
        print("TRIED", command, subprocess.run(command, capture_output=True).returncode != 0)
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):
        try:
            open(path, "w").write("")
            print("WROTE", path)
        except OSError:
            pass
    open("/workspace/written-by-code", "w").write("here")
    print("UID", os.getuid(), os.stat("/workspace/code.py").st_uid)
    ''')
    """
RUNNING = """
    import os
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Result
    @grader
    def grade_code():
        done = run_as_examinee("python3 code.py", collect=["written-by-code"])
        print(done.stdout, done.stderr)
        print("WRITTEN", done.files["/workspace/written-by-code"])
        print("SEEN", os.path.exists("/workspace/written-by-code"))
        return done.returncode != 0
    @grader
    def grade_answer():
        return Path("/workspace/answer.txt").read_text() == Path("/answers/answer.txt").read_text()
    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, int(grade_code())), Checkpoint(1, int(grade_answer()))])
    """


@pytest.fixture(scope="module", params=["embedded", pytest.param("docker", marks=IN_DOCKER)])
def looked(request: pytest.FixtureRequest, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Tried:
    if request.param == "docker":
        request.getfixturevalue("daemon")
    dockerfile = "FROM dayjob/task-base:1\nCOPY references/ /answers/\nCOPY . /workspace/task\n"
    folder = tmp_path_factory.mktemp("looked")
    down = 'format = 1\ndown = ["gitlab"]\n'
    return attack(cache, folder, LOOKING, request.param, Dockerfile=dockerfile, evaluator__py=RUNNING, task__toml=down)


def test_looking_around_gains_nothing(looked: Tried) -> None:
    gained_nothing(looked)


def test_what_a_dockerfile_copied_for_the_grader_is_withheld_until_grading(looked: Tried) -> None:
    # The grader has it: what it misses is the answer.
    assert "FileNotFoundError: [Errno 2] No such file or directory: '/workspace/answer.txt'" in looked.log("grade")
    for secret in SECRETS:
        assert secret not in said(looked)
    assert "Write the word that the office uses" in said(looked)


def test_a_service_that_is_down_is_not_there(looked: Tried) -> None:
    assert "FORGE 111\n" in said(looked)


def test_code_of_the_examinee_run_while_grading_sees_nothing(looked: Tried) -> None:
    log = looked.log("grade")
    assert "UTILS [] []" in log
    assert "CONTROL" not in re.search(r"ENV .*", log).group()  # type: ignore[union-attr]  # it is there, or this fails
    processes = re.search(r"PROCESSES (\d+) .*", log)
    assert processes is not None, log
    assert int(processes[1]) < 16  # the sandbox's first, what carries the output, the shell, itself
    assert not [word for word in ("verdict", "evaluat", "grading") if word in processes[0]], processes[0]
    assert "PORTS [111, 111, 111, 111, 111]" in log
    assert "CAPS ['0000000000000000', '00000000a80405fb'" in log, log  # what it had at work
    assert "SECCOMP ['2']" in log
    assert log.count("True") >= 3
    assert "TRIED" in log
    assert "SEEN False" in log
    assert log.count("False") == 1
    assert "WROTE" not in log
    assert "WRITTEN b'here'" in log
    assert "UID 0 0" in log
