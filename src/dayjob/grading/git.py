"""`git` as an evaluator finds it in a trial: a repository's own settings and hooks never run as the grader.

A clone that this program made over HTTP is used directly, for as long as its settings are as it left them. Everything
else may be the examinee's, and runs as `run_as_examinee` does: without network, without the grader's files.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from dayjob.grading import isolation

STATE = "DAYJOB_GIT_STATE"
FAULTS = "DAYJOB_HELPER_FAULTS"

# Options that take the next word as their value: of git itself, and of those commands whose arguments we read.
_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"})
_CLONE_WITH_VALUE = frozenset({
    "-b", "--branch", "--depth", "-o", "--origin", "-u", "--upload-pack", "--reference", "--reference-if-able",
    "--template", "--separate-git-dir", "-c", "--config", "-j", "--jobs", "--filter", "--shallow-since",
    "--shallow-exclude", "--server-option", "--bundle-uri",
})  # fmt: skip

# Stronger than what a repository says. What it names freely (filters, drivers) they cannot reach: so it is isolated.
_SETTINGS = {
    "safe.directory": "*",
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.sshCommand": "false",
    "core.pager": "cat",
    "protocol.ext.allow": "never",
    "gpg.program": "false",
    "maintenance.auto": "false",
    "gc.auto": "0",
}


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The variables git runs with: what the evaluator gave it, and settings that win over a repository's."""
    kept = {name: value for name, value in given.items() if not name.startswith("GIT_CONFIG")}
    for number, (key, value) in enumerate(_SETTINGS.items()):
        kept |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return kept | {
        "GIT_CONFIG_COUNT": str(len(_SETTINGS)),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
    }


def main(arguments: Sequence[str]) -> int:
    """Run git with these arguments, directly or as the examinee; returns its exit code."""
    program = _real_git()
    if program is None:
        print("git: not installed in this image", file=sys.stderr)
        return 127
    subcommand, rest = _subcommand(arguments)
    over_network = any(word.startswith(("http://", "https://")) for word in rest)
    if subcommand in ("clone", "ls-remote") and over_network:
        code = _directly(program, arguments)
        if subcommand == "clone" and code == 0:
            _remember(program, arguments, _clone_target(rest))
        return code
    if subcommand in ("", "version", "help") or (subcommand == "config" and "--global" in rest):
        return _directly(program, arguments)
    known = _known()
    place = _git_folder(program, arguments)
    if place is not None and known.get(place) == _settings_of(place):
        code = _directly(program, arguments)
        _note({**known, place: _settings_of(place)})
        return code
    return _as_the_examinee(program, arguments)


def _directly(program: str, arguments: Sequence[str]) -> int:
    return subprocess.run([program, *arguments], env=environment(os.environ)).returncode


def _as_the_examinee(program: str, arguments: Sequence[str]) -> int:
    given = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}
    env = environment({**isolation.ENVIRONMENT, **given}) | {"GIT_CONFIG_GLOBAL": "/dev/null"}
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = "/"
    done = subprocess.run(isolation.command([program, *arguments], cwd=here, env=env), env={})
    if done.returncode == isolation.FAILURE and (place := os.environ.get(FAULTS)):
        # Never a zero: whoever reads the verdict must know that this was not the examinee's doing.
        with open(place, "a", encoding="utf-8") as file:
            file.write(json.dumps("git could not be run apart from the grader") + "\n")
    return done.returncode


def _real_git() -> str | None:
    """The git behind us on the path."""
    ours = os.path.realpath(os.path.dirname(sys.argv[0]))
    folders = os.environ.get("PATH", os.defpath).split(":")
    return shutil.which("git", path=":".join(one for one in folders if os.path.realpath(one) != ours))


def _subcommand(arguments: Sequence[str]) -> tuple[str, list[str]]:
    words = list(arguments)
    while words and words[0].startswith("-"):
        taken = words.pop(0)
        if taken in _WITH_VALUE and words:
            words.pop(0)
    return (words[0], words[1:]) if words else ("", [])


def _clone_target(rest: Sequence[str]) -> str:
    """The folder a clone goes to, as git works it out."""
    words, found = list(rest), list[str]()
    while words:
        word = words.pop(0)
        if word == "--":
            found += words
            break
        if word.startswith("-"):
            if word in _CLONE_WITH_VALUE and words:
                words.pop(0)
        else:
            found.append(word)
    if len(found) > 1:
        return found[1]
    return urlsplit(found[0]).path.rstrip("/").rpartition("/")[2].removesuffix(".git")


def _git_folder(program: str, arguments: Sequence[str], *more: str) -> str | None:
    """The repository these arguments mean; asking runs nothing of it."""
    subcommand, rest = _subcommand(arguments)
    before = list(arguments[: len(arguments) - len(rest) - bool(subcommand)])
    asked = [program, *before, *more, "rev-parse", "--absolute-git-dir"]
    said = subprocess.run(asked, env=environment(os.environ), capture_output=True, text=True)
    return os.path.realpath(said.stdout.strip()) if said.returncode == 0 else None


def _settings_of(place: str) -> str:
    """A digest of what a repository configures."""
    total = hashlib.sha256()
    for name in ("config", "config.worktree", "commondir"):
        path = Path(place, name)
        total.update(name.encode() + (path.read_bytes() if path.is_file() else b"-"))
    return total.hexdigest()


def _known() -> dict[str, str]:
    """The clones we made, and their settings as we left them."""
    try:
        found: dict[str, str] = json.loads(Path(os.environ[STATE]).read_text("utf-8"))
    except (KeyError, OSError, ValueError):
        return {}
    return found


def _remember(program: str, arguments: Sequence[str], target: str) -> None:
    place = _git_folder(program, arguments, "-C", target)
    if place is not None:
        _note({**_known(), place: _settings_of(place)})


def _note(known: Mapping[str, str]) -> None:
    if STATE in os.environ:
        Path(os.environ[STATE]).write_text(json.dumps(known), "utf-8")
