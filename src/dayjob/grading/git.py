"""`git` as an evaluator finds it in a trial: nothing that an examinee wrote configures it or is started by it.

It stands first on a grader's path, and over the image's own git. What touches the company over HTTP, and every
repository that this program itself made, runs directly: from a folder of our own or with its repository named, with our
settings over everybody's. Any other repository, folder or subcommand runs in a workbench (`git_workbench`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from dayjob.grading import GIT_FOLDERS, git_workbench
from dayjob.grading.stand_in import record

STATE = "DAYJOB_GIT_STATE"

_BROKEN = 128  # as git itself says it

# Options that take the next word as their value: of git itself, and of the commands whose arguments we read.
_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"})
_PLACES = ("-C", "--git-dir", "--work-tree")
_MAKING_WITH_VALUE = frozenset({
    "-b", "--branch", "--depth", "-o", "--origin", "-c", "--config", "-j", "--jobs", "--filter", "--shallow-since",
    "--shallow-exclude", "--server-option", "--initial-branch", "--object-format", "--ref-format",
})  # fmt: skip
# They name folders whose programs or settings git would take over.
_REFUSED = (
    "-u", "--upload-pack", "--reference", "--reference-if-able", "--template", "--separate-git-dir", "--bundle-uri",
)  # fmt: skip

# Stronger than what any repository says.
SETTINGS = {
    "safe.directory": "*",
    "safe.bareRepository": "explicit",
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.sshCommand": "false",
    "core.pager": "cat",
    "core.editor": "true",
    "core.symlinks": "false",  # a link in a commit could lead a reader to the grader's own files
    "credential.helper": "",
    "protocol.allow": "never",
    "protocol.http.allow": "always",
    "protocol.https.allow": "always",
    "gpg.program": "false",
    "maintenance.auto": "false",
    "gc.auto": "0",
}
# In a workbench the repository is somebody's own: only what would need a person or the network is turned off.
_APART = {key: SETTINGS[key] for key in ("safe.directory", "core.pager", "core.editor", "maintenance.auto", "gc.auto")}


def environment(given: Mapping[str, str], settings: Mapping[str, str] = SETTINGS) -> dict[str, str]:
    """The variables git runs with: what the evaluator gave it, and settings that win over a repository's."""
    kept = {name: value for name, value in given.items() if not name.startswith("GIT_CONFIG")}
    for number, (key, value) in enumerate(settings.items()):
        kept |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return kept | {
        "GIT_CONFIG_COUNT": str(len(settings)),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_TEMPLATE_DIR": "",
        "GIT_PAGER": "cat",
    }


@dataclass(frozen=True, slots=True)
class Call:
    """A command line of git's, read."""

    options: tuple[str, ...]
    """Those before the subcommand that name no place."""
    subcommand: str
    rest: tuple[str, ...]
    here: str
    """The folder it means."""
    git_dir: str | None
    work_tree: str | None

    @classmethod
    def read(cls, arguments: Sequence[str], env: Mapping[str, str], here: str) -> Call:
        words, options = list(arguments), list[str]()
        places: dict[str, str | None] = {"--git-dir": env.get("GIT_DIR"), "--work-tree": env.get("GIT_WORK_TREE")}
        while words and words[0].startswith("-"):
            name, equals, value = words.pop(0).partition("=")
            if name in _WITH_VALUE and not equals:
                value = words.pop(0) if words else ""
            if name == "-C":
                here = os.path.join(here, value)
            elif name in _PLACES:
                places[name] = value
            else:
                options += [f"{name}={value}"] if equals else [name, value] if name in _WITH_VALUE else [name]
        git_dir, work_tree = (os.path.join(here, place) if place else None for place in places.values())
        first, *rest = words or [""]
        return cls(tuple(options), first, tuple(rest), os.path.realpath(here), git_dir, work_tree)

    @property
    def named(self) -> list[str]:
        """The words after the subcommand that are no options: for those that make a repository."""
        return [self.rest[place] for place in self.named_at]

    @property
    def named_at(self) -> list[int]:
        """Their places in `rest`: the same word may be an option's value too."""
        found, place = list[int](), 0
        while place < len(self.rest):
            word = self.rest[place]
            if word == "--":
                return [*found, *range(place + 1, len(self.rest))]
            if not word.startswith("-"):
                found.append(place)
            place += 2 if word in _MAKING_WITH_VALUE else 1
        return found


def main(arguments: Sequence[str]) -> int:
    """Run git with these arguments, directly or in a workbench; returns its exit code."""
    program = _real_git()
    if program is None:
        print("git: not installed in this image", file=sys.stderr)
        return 127
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = "/"
    call = Call.read(arguments, os.environ, here)
    if call.subcommand in ("clone", "init") and (refused := _refused(call)):
        print(f"git: {call.subcommand} {refused} cannot be used while grading", file=sys.stderr)
        return _BROKEN
    if call.subcommand in ("clone", "ls-remote") and _is_remote(call.named[:1]):
        return _over_network(program, call)
    if call.subcommand in ("", "version", "help") or (call.subcommand == "config" and "--global" in call.rest):
        return _directly([program, *call.options, *filter(None, [call.subcommand]), *call.rest], _own_folder())
    if call.subcommand == "init" and not call.git_dir and _is_free(_target(call)):
        return _init(program, call)
    if (own := _own_repository(call)) is not None:
        git_dir, work_tree = own
        named = [f"--git-dir={git_dir}", *([f"--work-tree={work_tree}"] if work_tree else [])]
        return _directly([program, *call.options, *named, call.subcommand, *call.rest], call.here)
    return _apart(call, arguments, here)


def _apart(call: Call, arguments: Sequence[str], here: str) -> int:
    given = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}
    place = call.git_dir or _repository(call.here) or call.here
    top = os.path.dirname(place) if os.path.basename(place) == ".git" else place
    made = [_target(call)] if call.subcommand == "clone" and call.named else []
    try:
        return git_workbench.run(arguments, here, environment(given, _APART), top, call.subcommand, call.rest, made)
    except git_workbench.NotIsolated as error:
        record("git", error)
        return _BROKEN


# -- directly -----------------------------------------------------------------------------------------------------


def _directly(command: Sequence[str], folder: str) -> int:
    """Run git where we know all that it reads: our settings, no home but the grader's, no place from the variables."""
    utils = str(Path(_own_folder()).parent)
    env = {name: value for name, value in os.environ.items() if name not in ("GIT_DIR", "GIT_WORK_TREE")}
    ours = {"GIT_CONFIG_GLOBAL": f"{utils}/.gitconfig", "HOME": utils, "XDG_CONFIG_HOME": utils}
    return subprocess.run(command, env={**environment(env), **ours}, cwd=folder).returncode


def _own_folder() -> str:
    """A folder that is in no repository, and where nobody but the grader writes."""
    return os.path.dirname(os.environ[STATE]) if STATE in os.environ else "/"


def _over_network(program: str, call: Call) -> int:
    rest = list(call.rest)
    target = _target(call)
    if call.subcommand == "clone":
        if len(call.named) > 1:
            rest[call.named_at[1]] = target
        else:
            rest.append(target)
    code = _directly([program, *call.options, call.subcommand, *rest], _own_folder())
    if call.subcommand == "clone" and code == 0:
        _remember(target)
    return code


def _init(program: str, call: Call) -> int:
    target = _target(call)
    rest = [word for place, word in enumerate(call.rest) if place not in call.named_at]
    code = _directly([program, *call.options, "init", *rest, target], _own_folder())
    if code == 0:
        _remember(target)
    return code


def _target(call: Call) -> str:
    """The folder that a clone or an init makes a repository of, as git works it out."""
    if call.subcommand == "init":
        return os.path.join(call.here, *call.named[:1])
    if len(call.named) > 1:
        return os.path.join(call.here, call.named[1])
    name = urlsplit(call.named[0]).path.rstrip("/").removesuffix("/.git").rpartition("/")[2] if call.named else ""
    bare = any(word in ("--bare", "--mirror") for word in call.rest)
    return os.path.join(call.here, name.removesuffix(".git") + (".git" if bare else ""))


def _is_remote(words: Sequence[str]) -> bool:
    return any(word.startswith(("http://", "https://")) for word in words)


def _refused(call: Call) -> str | None:
    return next((one for word in call.rest for one in _REFUSED if word == one or word.startswith(f"{one}=")), None)


def _real_git() -> str | None:
    """The program itself: in git's own folder, since ours may lie over the one on the path."""
    for folder in GIT_FOLDERS:
        place = Path(folder, "git")
        if place.is_file() and not place.is_symlink():
            return str(place)
    ours = os.path.realpath(os.path.dirname(sys.argv[0]))
    folders = os.environ.get("PATH", os.defpath).split(":")
    return shutil.which("git", path=":".join(one for one in folders if os.path.realpath(one) != ours))


# -- whose a repository is ----------------------------------------------------------------------------------------


def _repository(folder: str) -> str | None:
    """The repository that a folder is in, as git would find it, without asking git."""
    for place in (Path(folder), *Path(folder).parents):
        if os.path.lexists(place / ".git"):
            return str(place / ".git")
        if (place / "HEAD").exists() and (place / "objects").exists() and (place / "refs").exists():
            return str(place)
    return None


def _own_repository(call: Call) -> tuple[str, str | None] | None:
    """The repository and working folder that a call means, when this program made them and nothing else is inside."""
    found = call.git_dir or _repository(call.here)
    if found is None or os.path.realpath(found) not in _known():
        return None
    git_dir = os.path.realpath(found)
    bare = os.path.basename(git_dir) != ".git"
    work_tree = call.work_tree or (None if bare else os.path.dirname(git_dir))
    if work_tree is not None and not _is_pure(work_tree, git_dir):
        return None
    return git_dir, work_tree


def _is_pure(work_tree: str, git_dir: str) -> bool:
    """Whether no folder inside is somebody else's repository, whose settings git would read as a submodule's."""
    for folder, folders, files in os.walk(work_tree):
        if folder == os.path.dirname(git_dir):
            folders.remove(".git")
            continue
        if ".git" in folders or (".git" in files and not _leads_into(Path(folder, ".git"), git_dir)):
            return False
    return True


def _leads_into(file: Path, git_dir: str) -> bool:
    """Whether a submodule's pointer leads to the place where git keeps the submodules of `git_dir`."""
    if file.is_symlink():
        return False
    target = file.read_text("utf-8", "replace").strip().removeprefix("gitdir: ")
    return os.path.realpath(file.parent / target).startswith(f"{git_dir}/modules/")


def _is_free(folder: str) -> bool:
    """Whether a repository of our own can be made of a folder: there is none in it, nor anywhere below."""
    if any(os.path.lexists(os.path.join(folder, name)) for name in (".git", "HEAD", "config")):
        return False
    return not any(".git" in (*folders, *files) for _, folders, files in os.walk(folder))


def _known() -> list[str]:
    """The repositories we made."""
    try:
        found: list[str] = json.loads(Path(os.environ[STATE]).read_text("utf-8"))
    except (KeyError, OSError, ValueError):
        return []
    return found


def _remember(target: str) -> None:
    inner = os.path.join(target, ".git")
    place = os.path.realpath(inner if os.path.isdir(inner) else target)
    if STATE in os.environ:
        Path(os.environ[STATE]).write_text(json.dumps([*_known(), place]), "utf-8")
