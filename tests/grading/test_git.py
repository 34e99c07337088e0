"""Which git commands of an evaluator run directly, with what, and which go to a workbench.

The git here is a small program that notes how it was started.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dayjob.grading import git, stand_in, workbench
from dayjob.grading.git import Call, environment
from tests.grading.bench_host import BenchHost

URL = "http://forge.test/root/thing.git"

FAKE = """#!/bin/sh
{ pwd; for word; do printf '%s\\n' "$word"; last=$word; done; echo; } >> "$FAKE_GIT_SEEN"
env > "$FAKE_GIT_SEEN.env"
case " $* " in
    *" wrong "*) exit 3 ;;
    *" --bare "*) mkdir -p "$last" ;;
    *" clone "* | *" init "*) mkdir -p "$last/.git" ;;
esac
"""


@dataclass
class Desk:
    """A grader's folders: its own state, a place to work in, and what the git program was started with."""

    folder: Path
    run: Callable[..., int]
    monkeypatch: pytest.MonkeyPatch

    def commands(self) -> list[tuple[list[str], str]]:
        """Every command line that the git program was started with, and where."""
        seen = self.folder / "seen"
        calls = seen.read_text().split("\n\n")[:-1] if seen.exists() else []
        return [(call.split("\n")[1:], call.split("\n")[0]) for call in calls]

    def environment(self) -> dict[str, str]:
        """What it was started with last."""
        lines = (self.folder / "seen.env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def known(self) -> list[str]:
        state = self.folder / "utils" / "verdict" / "git.json"
        found: list[str] = json.loads(state.read_text()) if state.exists() else []
        return found


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    folder = Path(os.path.realpath(tmp_path))
    for name in ("core", "utils/verdict", "work"):
        (folder / name).mkdir(parents=True)
    program = folder / "core" / "git"
    program.write_text(FAKE)
    program.chmod(0o755)
    monkeypatch.setattr(git, "GIT_FOLDERS", (str(folder / "absent"), str(folder / "core")))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(git.STATE, str(folder / "utils" / "verdict" / "git.json"))
    monkeypatch.setenv(stand_in.FAULTS, str(folder / "faults"))
    monkeypatch.setenv("FAKE_GIT_SEEN", str(folder / "seen"))
    monkeypatch.delenv(workbench.PORT, raising=False)
    monkeypatch.chdir(folder / "work")
    return Desk(folder, lambda *words: git.main(words), monkeypatch)


# -- what git is told -------------------------------------------------------------------------------------------------


def test_the_settings_that_win_over_any_repository_are_these() -> None:
    assert git.SETTINGS == {
        "safe.directory": "*",
        "safe.bareRepository": "explicit",
        "core.fsmonitor": "false",
        "core.hooksPath": "/dev/null",
        "core.sshCommand": "false",
        "core.pager": "cat",
        "core.editor": "true",
        "core.symlinks": "false",
        "credential.helper": "",
        "protocol.allow": "never",
        "protocol.http.allow": "always",
        "protocol.https.allow": "always",
        "gpg.program": "false",
        "maintenance.auto": "false",
        "gc.auto": "0",
    }


def test_settings_travel_as_variables_and_replace_those_that_were_given() -> None:
    found = environment(
        {"PATH": "/bin", "GIT_DIR": "x", "GIT_CONFIG_COUNT": "9", "GIT_CONFIG_KEY_8": "a"}, {"k": "v", "l": ""}
    )
    assert found == {
        "PATH": "/bin",
        "GIT_DIR": "x",
        "GIT_CONFIG_KEY_0": "k",
        "GIT_CONFIG_VALUE_0": "v",
        "GIT_CONFIG_KEY_1": "l",
        "GIT_CONFIG_VALUE_1": "",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_TEMPLATE_DIR": "",
        "GIT_PAGER": "cat",
    }


def test_git_run_directly_has_our_settings_the_graders_home_and_no_place_from_the_variables(desk: Desk) -> None:
    desk.monkeypatch.setenv("GIT_DIR", "/workspace/.git")
    desk.monkeypatch.setenv("GIT_WORK_TREE", "/workspace")
    desk.monkeypatch.setenv("GIT_AUTHOR_NAME", "G")
    desk.monkeypatch.setenv("HOME", "/root")
    assert desk.run("ls-remote", URL) == 0
    env = desk.environment()
    utils = str(desk.folder / "utils")
    assert [env.get(name) for name in ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_AUTHOR_NAME")] == [
        utils,
        utils,
        f"{utils}/.gitconfig",
        "G",
    ]
    assert "GIT_DIR" not in env
    assert "GIT_WORK_TREE" not in env
    keys = [env[f"GIT_CONFIG_KEY_{number}"] for number in range(int(env["GIT_CONFIG_COUNT"]))]
    assert keys == list(git.SETTINGS)


# -- reading a command line -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "options", "subcommand", "rest", "here", "git_dir", "work_tree"),
    [
        ("", (), "", (), "/h", None, None),
        ("log -1", (), "log", ("-1",), "/h", None, None),
        ("-C a -C b log", (), "log", (), "/h/a/b", None, None),
        ("-C /c log", (), "log", (), "/c", None, None),
        ("-c k=v log", ("-c", "k=v"), "log", (), "/h", None, None),
        ("--namespace n --config-env=a=b log", ("--namespace", "n", "--config-env=a=b"), "log", (), "/h", None, None),
        ("--super-prefix s --config-env c l", ("--super-prefix", "s", "--config-env", "c"), "l", (), "/h", None, None),
        ("--no-pager -P log", ("--no-pager", "-P"), "log", (), "/h", None, None),
        ("--git-dir g --work-tree=w log", (), "log", (), "/h", "/h/g", "/h/w"),
        ("-C x --git-dir=/g --work-tree /w log", (), "log", (), "/h/x", "/g", "/w"),
        ("--git-dir= log", (), "log", (), "/h", None, None),
        ("-C", (), "", (), "/h", None, None),
        ("log -C x", (), "log", ("-C", "x"), "/h", None, None),
    ],
)  # fmt: skip
def test_a_command_line_is_read_as_git_reads_it(
    line: str, options: tuple[str, ...], subcommand: str, rest: tuple[str, ...], here: str,
    git_dir: str | None, work_tree: str | None,
) -> None:  # fmt: skip
    call = Call.read(line.split(), {}, "/h")
    assert call == Call(options, subcommand, rest, here, git_dir, work_tree)


def test_places_come_from_variables_where_the_command_line_names_none() -> None:
    env = {"GIT_DIR": "g", "GIT_WORK_TREE": "/w"}
    call = Call.read(["log"], env, "/h")
    assert (call.git_dir, call.work_tree) == ("/h/g", "/w")
    assert Call.read(["--git-dir=x", "log"], env, "/h").git_dir == "/h/x"


WITH_VALUE = (
    "-b --branch --depth -o --origin -c --config -j --jobs --filter --shallow-since --shallow-exclude --server-option "
    "--initial-branch --object-format --ref-format"
)


@pytest.mark.parametrize("option", WITH_VALUE.split())
def test_the_value_of_an_option_is_no_name(option: str) -> None:
    assert Call.read(["clone", option, "value", URL, "there"], {}, "/").named == [URL, "there"]


def test_words_after_two_dashes_are_names_and_other_options_take_none() -> None:
    assert Call.read(["clone", "-q", "--", "-b", URL], {}, "/").named == ["-b", URL]
    assert Call.read(["clone", "--branch=x", URL, "-b"], {}, "/").named == [URL]


# -- where a command goes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["clone", "init"])
@pytest.mark.parametrize(
    "option",
    ["-u", "--upload-pack", "--reference", "--reference-if-able", "--template", "--separate-git-dir", "--bundle-uri"],
)
def test_options_that_bring_in_other_programs_and_settings_are_refused(
    desk: Desk, capfd: pytest.CaptureFixture[str], where: str, option: str
) -> None:
    assert desk.run(where, option, "/workspace/x", URL) == 128
    assert desk.run(where, f"{option}=/workspace/x", URL) == 128
    assert capfd.readouterr().err == f"git: {where} {option} cannot be used while grading\n" * 2
    assert desk.commands() == []


def test_the_same_options_of_other_commands_are_not(desk: Desk) -> None:
    assert desk.run("ls-remote", "--upload-pack", URL) == 0


@pytest.mark.parametrize(
    ("line", "started", "made"),
    [
        (f"clone {URL}", f"clone {URL} WORK/thing", "WORK/thing/.git"),
        (f"clone -q {URL} there", f"clone -q {URL} WORK/there", "WORK/there/.git"),
        (f"clone {URL} same -b same", f"clone {URL} WORK/same -b same", None),
        (f"clone -b same {URL} same", f"clone -b same {URL} WORK/same", "WORK/same/.git"),
        ("clone https://forge.test/a/b/", "clone https://forge.test/a/b/ WORK/b", "WORK/b/.git"),
        ("clone https://forge.test/a/b/.git", "clone https://forge.test/a/b/.git WORK/b", "WORK/b/.git"),
        (f"clone --bare {URL}", f"clone --bare {URL} WORK/thing.git", "WORK/thing.git"),
        (f"clone --mirror --bare {URL} m", f"clone --mirror --bare {URL} WORK/m", "WORK/m"),
        (f"-C sub clone {URL}", f"clone {URL} WORK/sub/thing", "WORK/sub/thing/.git"),
        (f"-c a=b clone {URL}", f"-c a=b clone {URL} WORK/thing", "WORK/thing/.git"),
        (f"ls-remote {URL}", f"ls-remote {URL}", None),
        ("init", "init WORK", "WORK/.git"),
        ("init -q new", "init -q WORK/new", "WORK/new/.git"),
        ("init new -b new", "init -b new WORK/new", "WORK/new/.git"),
        ("version", "version", None),
        ("help", "help", None),
        ("--version", "--version", None),
        ("config --global user.name G", "config --global user.name G", None),
    ],
)
def test_what_touches_nobodys_repository_runs_directly_in_a_folder_of_our_own(
    desk: Desk, line: str, started: str, made: str | None
) -> None:
    work = str(desk.folder / "work")
    assert desk.run(*line.split()) == 0
    assert desk.commands() == [(started.replace("WORK", work).split(), str(desk.folder / "utils" / "verdict"))]
    if made is not None or "clone" not in line:
        assert desk.known() == ([made.replace("WORK", work)] if made else [])


def test_a_mirror_without_a_name_is_bare(desk: Desk) -> None:
    desk.run("clone", "--mirror", URL)
    assert desk.commands()[0][0][-1] == str(desk.folder / "work" / "thing.git")


@pytest.mark.parametrize("command", [["clone", URL, "--depth", "wrong"], ["init", "-b", "wrong"]])
def test_what_was_not_made_is_not_ours(desk: Desk, command: list[str]) -> None:
    assert desk.run(*command) == 3
    assert desk.known() == []


def test_repositories_of_our_own_are_remembered_one_after_the_other(desk: Desk) -> None:
    desk.run("init", "one")
    desk.run("clone", URL, "two")
    assert desk.known() == [str(desk.folder / "work" / name / ".git") for name in ("one", "two")]


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("-C one log -1", "--git-dir=WORK/one/.git --work-tree=WORK/one log -1"),
        ("-C one/below log", "--git-dir=WORK/one/.git --work-tree=WORK/one log"),
        ("--git-dir=one/.git log", "--git-dir=WORK/one/.git --work-tree=WORK/one log"),
        ("--git-dir=one/.git --work-tree=other log", "--git-dir=WORK/one/.git --work-tree=WORK/other log"),
        ("--git-dir=bare.git log", "--git-dir=WORK/bare.git log"),
        ("-c a=b -C one config user.name G", "-c a=b --git-dir=WORK/one/.git --work-tree=WORK/one config user.name G"),
    ],
)
def test_a_repository_that_we_made_is_named_to_git(desk: Desk, line: str, where: str) -> None:
    work = str(desk.folder / "work")
    desk.run("init", "one")
    desk.run("clone", "--bare", URL, "bare.git")
    for name in ("one/below", "other"):
        (desk.folder / "work" / name).mkdir()
    assert desk.run(*line.split()) == 0
    assert desk.commands()[-1][0] == where.replace("WORK", work).split()


def plant(folder: Path, what: str) -> None:
    """Something of a stranger's inside a repository that we made, in `folder`."""
    inside = folder / "below" / "deep"
    inside.mkdir(parents=True)
    if what == "repository":
        (inside / ".git").mkdir()
    elif what == "pointer elsewhere":
        (inside / ".git").write_text("gitdir: /workspace/.git\n")
    elif what == "pointer beside":
        (inside / ".git").write_text("gitdir: ../../.git/modules-not/x\n")
    elif what == "link":
        (folder / ".git" / "modules" / "x").mkdir(parents=True)
        (inside / ".git").symlink_to(folder / ".git" / "modules" / "x")
    elif what == "link to a file":
        (folder / ".git" / "modules").mkdir()
        (folder / ".git" / "modules" / "x").write_text("gitdir: ../../.git/modules/x")
        (inside / ".git").symlink_to(folder / ".git" / "modules" / "x")
    elif what == "submodule":
        (inside / ".git").write_text("gitdir: ../../.git/modules/x\n")
    elif what == "file":
        (inside / "git").write_text("")


@pytest.mark.parametrize(
    ("what", "directly"),
    [
        ("repository", False),
        ("pointer elsewhere", False),
        ("pointer beside", False),
        ("link", False),
        ("link to a file", False),
        ("submodule", True),
        ("file", True),
        ("nothing", True),
    ],
)
def test_a_repository_of_ours_is_used_directly_while_nobody_elses_is_inside(
    desk: Desk, capfd: pytest.CaptureFixture[str], what: str, directly: bool
) -> None:
    desk.run("init", "one")
    plant(desk.folder / "work" / "one", what)
    assert (desk.run("-C", "one", "status") == 0) is directly
    assert len(desk.commands()) == (2 if directly else 1)


@pytest.mark.parametrize("name", [".git", "HEAD", "config", "below/.git"])
def test_an_init_where_something_of_a_repository_is_goes_to_a_workbench(desk: Desk, name: str) -> None:
    place = desk.folder / "work" / name
    place.parent.mkdir(exist_ok=True)
    place.symlink_to("nowhere")
    assert desk.run("init") == 128
    assert desk.commands() == []


def stranger(desk: Desk) -> Path:
    repo = desk.folder / "work" / "theirs"
    (repo / ".git").mkdir(parents=True)
    (repo / "below").mkdir()
    return repo


@pytest.mark.parametrize(
    ("line", "subcommand", "top"),
    [
        ("-C theirs log", "log", "theirs"),
        ("-C theirs/below status", "status", "theirs"),
        ("--git-dir=theirs/.git log", "log", "theirs"),
        ("-C theirs clone . ../copy", "clone", "theirs"),
        ("clone theirs copy", "clone", ""),
        ("-C theirs ls-remote origin", "ls-remote", "theirs"),
        ("-C bare log", "log", "bare"),
        ("init --git-dir-is-not-this theirs", "init", ""),
        ("log", "log", ""),
        ("-C theirs config user.name", "config", "theirs"),
        ("--git-dir=new/.git init", "init", "new"),
        ("-C not-bare log", "log", "not-bare"),
    ],
)
def test_everything_else_goes_to_a_workbench_as_it_was_asked(
    desk: Desk, bench_host: BenchHost, line: str, subcommand: str, top: str
) -> None:
    stranger(desk)
    work = desk.folder / "work"
    for name in ("HEAD", "objects", "refs"):
        (work / "bare" / name).mkdir(parents=True)
    (work / "not-bare" / "HEAD").mkdir(parents=True)
    desk.monkeypatch.setenv("TMPDIR", str(desk.folder))
    bench_host.ended = {"exit": 7}
    bench_host.stdout = b""
    assert desk.run(*line.split()) == 7
    assert desk.commands() == []
    (ran,) = bench_host.runs()
    assert ran["argv"] == ["git", *line.split()]
    assert ran["cwd"] == str(work)
    writes = subcommand in ("config", "init", "clone")
    assert bool(ran["collect"]) is writes
    if subcommand in ("config", "init"):
        assert ran["collect"] == [str(work / top).rstrip("/")]


def test_git_in_a_workbench_has_the_settings_that_hold_there_and_the_callers_own_variables(
    desk: Desk, bench_host: BenchHost
) -> None:
    stranger(desk)
    desk.monkeypatch.setenv("GIT_AUTHOR_NAME", "G")
    desk.monkeypatch.setenv("SECRET", "s")
    assert desk.run("-C", "theirs", "log") == 0
    env = bench_host.runs()[0]["env"]
    count = int(env["GIT_CONFIG_COUNT"])
    settings = {env[f"GIT_CONFIG_KEY_{number}"]: env[f"GIT_CONFIG_VALUE_{number}"] for number in range(count)}
    assert settings == {
        "safe.directory": "*",
        "core.pager": "cat",
        "core.editor": "true",
        "maintenance.auto": "false",
        "gc.auto": "0",
    }
    assert env["GIT_AUTHOR_NAME"] == "G"
    assert "SECRET" not in env


def test_without_a_workbench_it_is_a_fault_and_not_a_result(desk: Desk, capfd: pytest.CaptureFixture[str]) -> None:
    stranger(desk)
    assert desk.run("-C", "theirs", "log") == 128
    (line,) = (desk.folder / "faults").read_text().splitlines()
    assert json.loads(line).startswith("git could not be run apart from the grader: there is no workbench here")
    assert capfd.readouterr().err.startswith("git: there is no workbench here")
    desk.monkeypatch.delenv(stand_in.FAULTS)
    assert desk.run("-C", "theirs", "log") == 128


def test_without_a_state_nothing_is_ours_and_our_folder_is_the_root(desk: Desk) -> None:
    desk.monkeypatch.delenv(git.STATE)
    assert desk.run("init", "one") == 0
    assert desk.commands()[0][1] == "/"
    assert desk.run("-C", "one", "status") == 128


def test_a_state_that_cannot_be_read_makes_nothing_ours(desk: Desk) -> None:
    desk.run("init", "one")
    (desk.folder / "utils" / "verdict" / "git.json").write_text("{")
    assert desk.run("-C", "one", "status") == 128


def test_a_folder_that_is_gone_counts_as_the_root(desk: Desk) -> None:
    gone = desk.folder / "gone"
    gone.mkdir()
    desk.monkeypatch.chdir(gone)
    gone.rmdir()
    assert desk.run("version") == 0
    desk.monkeypatch.chdir("/")


# -- which program ----------------------------------------------------------------------------------------------------


def test_the_git_on_the_path_is_taken_where_gits_own_folder_has_none_and_never_ourselves(
    desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    core, ours = desk.folder / "core", desk.folder / "ours"
    ours.mkdir()
    (ours / "git").write_text("#!/bin/sh\nexit 99\n")
    (ours / "git").chmod(0o755)
    (core / "real").mkdir()
    (core / "git").rename(core / "real" / "git")
    (core / "git").symlink_to(ours / "git")  # a link there is the one that lies over the image's own
    desk.monkeypatch.setattr("sys.argv", [str(ours / "git")])
    desk.monkeypatch.setenv("PATH", f"{ours}:{core / 'real'}:/usr/bin:/bin")
    assert desk.run("version") == 0
    assert len(desk.commands()) == 1
    desk.monkeypatch.setenv("PATH", str(ours))
    assert desk.run("version") == 127
    assert capfd.readouterr().err == "git: not installed in this image\n"
