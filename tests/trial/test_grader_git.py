"""The git that evaluators use: nothing an examinee wrote configures it or is started by it, and it still does its work.

What was planted (`PLANTED`) shows itself only where it finds the evaluator, so a repository's own programs may run in a
workbench as they like.
"""

from __future__ import annotations

import re
from pathlib import Path

from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, task
from tests.trial.test_red_team import gained_nothing, sandbox
from tests.trial.test_workbench_attacks import MAKE
from tests.trial.workbench_attacks import program

__all__ = ["sandbox"]  # a fixture

BEFORE = r"""
import os, subprocess, tempfile
from pathlib import Path
from common import *
from scoring import Checkpoint, Result

URL = f"http://{GITLAB_USER}:{GITLAB_ACCESS_TOKEN}@{SERVER_HOSTNAME}:{GITLAB_PORT}/root/thing.git"
OUTPUT = []

def git(*arguments, cwd="/", program="git", **more):
    done = subprocess.run([program, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120, **more)
    OUTPUT.append(done.stdout + done.stderr)
    return done
"""

# Succeeded before there were workbenches: `ls-remote` and `clone` in a folder of the examinee's (its credential helper,
# its other addresses, its proxy), and a repository of the examinee's inside a clone of the grader's own. The rest held.
HOSTILE = (
    BEFORE
    + r"""
COMMANDS = ["status", "diff", "log -p", "show HEAD", "ls-remote", "ls-remote origin", f"ls-remote {URL}",
            "fetch origin", f"fetch {URL}", "pull", f"archive --remote={URL} HEAD", "archive HEAD",
            "submodule update --init", "submodule status", "add .", "commit -m x", "stash", "checkout -- file.txt",
            "st", "gc", "fsck", "remote update", "blame file.txt", "push origin main", "merge main", "rebase main",
            "cat-file --textconv HEAD:file.txt", "describe --all", "var GIT_EDITOR", "bisect start", "credential fill",
            "worktree list", "verify-commit HEAD", "grep one", "-c alias.x=!true x",
            "http-fetch -a HEAD http://office.test/x", "check-attr -a file.txt", "config -l", "init"]
# One of each way in which git runs what a repository names: filter, hook, helper, alias, driver, submodule.
TELLING = ["status", "diff", "ls-remote origin", f"fetch {URL}", "submodule update --init", "commit -m x", "st",
           "checkout -- file.txt", "cat-file --textconv HEAD:file.txt", "credential fill", "archive HEAD", "add .",
           "stash", "show HEAD"]

@grader
def grade_commands():
    print("COMMITS", git("log", "--format=%s", "--no-show-signature", cwd="/workspace/repo").stdout.split())
    folders = ["/workspace", "/workspace/repo/sub", "/workspace/repo/.git"]
    for number, command in enumerate(COMMANDS if EVERYWHERE else TELLING):
        git(*command.split(), cwd="/workspace/repo")
        if EVERYWHERE:
            git(*command.split(), cwd=folders[number % 3])
    for command in ("status", f"ls-remote {URL}", "ls-remote origin", "diff", "fetch origin")[: 5 if EVERYWHERE else 2]:
        git(*command.split(), cwd="/workspace/repo", program="/usr/bin/git")
        git("-C", "/workspace/repo", *command.split())
        git("--git-dir=/workspace/repo/.git", "--work-tree=/workspace/repo", *command.split())
        for home in ("/root", "/workspace") if EVERYWHERE else ("/root",):
            env = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home}
            git(*command.split(), cwd="/workspace", env=env)
            git(*command.split(), cwd="/workspace", program="/usr/bin/git", env={"HOME": home, "PATH": "/usr/bin:/bin"})
            git(*command.split(), env={**os.environ, "GIT_DIR": "/workspace/repo/.git", "HOME": home})
    for number, source in enumerate(("/workspace/repo", "file:///workspace/repo", URL)):
        for more in ("", "--recurse-submodules", "--template=/workspace/template", "--reference=/workspace/repo")[
            : 4 if EVERYWHERE else 2
        ]:
            git("clone", *filter(None, [more]), source, f"/var/tmp/clone{number}{more[:5]}", cwd="/workspace")
    astray = [one for one in ("helped", "moved", "proxied", "watched")
              if "refs/heads/main" not in git("ls-remote", URL, cwd="/workspace/" + one).stdout]
    for number, name in enumerate(("helped", "watched")):
        git("ls-remote", URL.replace(f"{GITLAB_USER}:{GITLAB_ACCESS_TOKEN}@", ""), cwd="/workspace/" + name)
        git("clone", URL.replace(GITLAB_ACCESS_TOKEN + "@", "wrong@"), f"/tmp/astray{number}", cwd="/workspace/" + name)
        git("status", cwd="/workspace/" + name)
    owned = os.path.exists("/tmp/owned") or any("owned" in one for one in OUTPUT) or bool(astray)
    print("RAN", len(OUTPUT), "TAKEN" if owned else "KEPT", astray, [one for one in OUTPUT if "owned" in one][:3])
    return owned

@grader
def grade_own_clone_with_a_stranger_inside():
    import shutil
    git("clone", "-q", URL, "/var/tmp/mine")
    shutil.copytree("/workspace/repo", "/var/tmp/mine/theirs", symlinks=True)
    for command in ("status", "add .", "status", "diff", "submodule status"):
        git(*command.split(), cwd="/var/tmp/mine")
    return os.path.exists("/tmp/owned")

def grade_checkpoints(trajectory=""):
    return Result([Checkpoint(1, int(grade_commands())), Checkpoint(1, int(grade_own_clone_with_a_stranger_inside()))])
"""
)


def test_nothing_planted_for_git_runs_beside_the_grader(cache: Path, tmp_path: Path, sandbox: str) -> None:
    path = task(
        tmp_path,
        solution__py=program({}, planted=True),
        # The program is the same in both. In docker each command has a container of its own: one of each kind is tried.
        evaluator__py=f"EVERYWHERE = {sandbox == 'embedded'}\n{HOSTILE}",
        pre_init__py=MAKE,
        dependencies__yml="- owncloud\n- gitlab\n",
        task__toml="format = 1\n[timeouts]\ngrade = 1800\n",
    )
    tried = attempt(cache, tmp_path, path, sandbox=sandbox)
    gained_nothing(tried)
    ran = re.search(r"RAN (\d+) KEPT", tried.log("grade"))
    assert ran is not None, tried.log("grade")[-4000:]
    assert "COMMITS ['sub', 'one']" in tried.log("grade")  # and it can be read
    assert int(ran[1]) > (120 if sandbox == "embedded" else 25)
    assert tried.outcome.faults == []


WORKING = (
    BEFORE
    + r"""
@grader
def grade_reading():
    repo = "/workspace/repo"
    assert git("-C", repo, "log", "--format=%s").stdout.split() == ["two", "one"]
    assert git("log", "--format=%s", cwd=repo + "/folder").stdout.split() == ["two", "one"]
    assert git("-C", repo, "show", "HEAD:file.txt").stdout == "two\n"
    assert git("-C", repo, "status", "--porcelain").stdout == "?? new.txt\n"
    assert git("rev-parse", "--abbrev-ref", "HEAD", cwd=repo).stdout == "main\n"
    assert git("-C", repo, "nonsense").returncode == 1
    assert git("--version").stdout.startswith("git version")
    assert git("-C", repo, "hash-object", "--stdin", input="two\n").stdout.strip() == \
        git("-C", repo, "rev-parse", "HEAD:file.txt").stdout.strip()
    return True

@grader
def grade_changing():
    repo = "/workspace/repo"
    assert git("-C", repo, "checkout", "-q", "HEAD~1").returncode == 0
    assert Path(repo, "file.txt").read_text() == "one\n"
    assert Path(repo, "new.txt").read_text() == "not committed"
    assert git("-C", repo, "log", "--format=%s").stdout.split() == ["one"]
    assert git("-C", repo, "checkout", "-q", "main").returncode == 0
    assert git("clone", "-q", repo, "/var/tmp/copy").returncode == 0
    assert Path("/var/tmp/copy/file.txt").read_text() == "two\n"
    assert git("clone", "-q", repo, "/var/tmp/copy").returncode == 128
    assert git("-C", "/var/tmp/copy", "log", "--format=%s").stdout.split() == ["two", "one"]
    assert git("-C", repo, "archive", "-o", "/var/tmp/all.tar", "HEAD").returncode == 0
    assert Path("/var/tmp/all.tar").stat().st_size > 1000
    return True

@grader
def grade_links():
    '''Neither a commit nor a changed folder leads a reader to the grader's own files.'''
    assert git("clone", "-q", "/workspace/linked", "/var/tmp/linked").returncode == 0
    assert not Path("/var/tmp/linked/sly").exists()
    assert os.readlink("/var/tmp/linked/fine") == "file.txt"
    assert git("-C", "/workspace/linked", "push", "-q", URL, "main:linked").returncode != 0  # no way to the company
    return True

@grader
def grade_own():
    assert git("clone", "-q", URL, "/var/tmp/thing").returncode == 0
    assert git("clone", "-q", URL, cwd="/tmp").returncode == 0
    assert Path("/tmp/thing/README.md").exists()
    one = "/var/tmp/thing"
    assert git("-C", one, "checkout", "-q", "-b", "other").returncode == 0
    os.symlink("/utils/references/answer.txt", one + "/sly")
    Path(one, "more.txt").write_text("more")
    assert git("config", "--global", "user.name", "G").returncode == 0
    assert git("-C", one, "config", "user.email", "g@example.com").returncode == 0
    assert git("add", ".", cwd=one).returncode == 0
    assert git("commit", "-qm", "more", cwd=one).returncode == 0
    assert git("-C", one, "log", "-1", "--format=%an %ae").stdout == "G g@example.com\n"
    assert git("-C", one, "fetch", "origin").returncode == 0
    assert git("-C", one, "push", "-q", "origin", "other").returncode == 0
    assert "refs/heads/other" in git("ls-remote", URL, cwd="/workspace/repo").stdout
    assert git("clone", "-q", "--branch", "other", URL, "/var/tmp/again").returncode == 0
    assert not os.path.islink("/var/tmp/again/sly")
    assert Path("/var/tmp/again/sly").read_text() == "/utils/references/answer.txt"
    assert git("clone", "-q", "--bare", URL, "/var/tmp/bare.git").returncode == 0
    assert "README" in git("--git-dir=/var/tmp/bare.git", "ls-tree", "--name-only", "HEAD").stdout
    return True

@grader
def grade_init():
    folder = tempfile.mkdtemp()
    Path(folder, "a.txt").write_text("a")
    assert git("init", "-q", folder).returncode == 0
    assert git("-C", folder, "add", ".").returncode == 0
    assert git("-C", folder, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "a").returncode == 0
    assert git("diff", "--no-index", "--stat", folder + "/a.txt", "/workspace/repo/file.txt").returncode == 1
    return True

def grade_checkpoints(trajectory=""):
    each = (grade_reading, grade_changing, grade_links, grade_own, grade_init)
    result = Result([Checkpoint(1, int(one())) for one in each])
    print("SAID", OUTPUT[-3:])
    return result
"""
)

REPOSITORIES = """
import os, subprocess
def git(*words):
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.com", *words], check=True)
for name in ("repo", "linked"):
    git("init", "-q", "-b", "main", "/workspace/" + name)
    os.chdir("/workspace/" + name)
    for text in ("one", "two"):
        open("file.txt", "w").write(text + "\\n")
        git("add", ".")
        git("commit", "-qm", text)
os.symlink("/utils/references/answer.txt", "sly")
os.symlink("file.txt", "fine")
git("add", ".")
git("commit", "-qm", "links")
os.mkdir("/workspace/repo/folder")
open("/workspace/repo/new.txt", "w").write("not committed")
"""


def test_git_does_its_work_for_an_evaluator(cache: Path, tmp_path: Path, sandbox: str) -> None:
    path = task(
        tmp_path,
        solution__py=REPOSITORIES,
        evaluator__py=WORKING,
        pre_init__py=MAKE,
        dependencies__yml="- owncloud\n- gitlab\n",
        task__toml="format = 1\n[timeouts]\ngrade = 900\n",
    )
    tried = attempt(cache, tmp_path, path, sandbox=sandbox)
    assert tried.outcome.label is Label.RESOLVED, tried.log("grade")[-5000:]
    assert tried.outcome.faults == []
