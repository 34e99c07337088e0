"""Notices when an evaluator runs the examinee's files by itself, in its own room, where nothing can make that safe.

`watch` looks at what Python is about to start or execute and writes a sentence for each to a file, for the outcome's
notes; nothing is prevented, because published evaluators do it. `is_run` is the rule, which `dayjob check` uses too.
Standard library only.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Container, Sequence

# Programs that run what they find in files or in the current folder.
RUNNERS = frozenset({
    "python", "python_default", "pypy", "node", "deno", "bun", "ruby", "perl", "php", "java", "go", "cargo", "make",
    "cmake", "npm", "npx", "yarn", "pnpm", "pytest", "py.test", "tox", "nox", "pip", "pipx", "poetry", "uv", "gradle",
    "gradlew", "mvn", "dotnet", "rscript", "julia", "lua", "tclsh", "ipython", "jupyter", "flask", "uvicorn",
    "gunicorn", "coverage",
})  # fmt: skip
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_BEFORE_OTHERS = frozenset({"env", "timeout", "nohup", "xargs", "sudo", "nice", "exec", "time"})
_VERSION = re.compile(r"[\d.]+$")
_BETWEEN = re.compile(r"[;&|()`\n]+")
_ASSIGNMENT = re.compile(r"\w+=")
_MOST = 20


def program_of(word: str) -> str:
    """A program's name without its folder and version."""
    name = os.path.basename(word).lower()
    return name if name in RUNNERS else _VERSION.sub("", name)


def is_run(words: Sequence[str], in_folder: bool, is_theirs: Callable[[str], bool], apart: Container[str] = ()) -> bool:
    """Whether a command runs files of the examinee's; `in_folder`: it is started in a folder of theirs.

    Programs that are `apart` run in a workbench, whatever they are given.
    """
    if not words or words[0] in apart:
        return False
    if is_theirs(words[0]) or (in_folder and words[0].startswith("./")):
        return True
    program = program_of(words[0])
    if program in _BEFORE_OTHERS:
        known = (n for n, one in enumerate(words) if n and (program_of(one) in RUNNERS | SHELLS or is_theirs(one)))
        return is_run(words[next(known, len(words)) :], in_folder, is_theirs, apart)
    if program in SHELLS:
        flags = [number for number, word in enumerate(words) if re.fullmatch(r"-[a-z]*c", word)]
        if flags:
            return _text_runs(words[flags[0] + 1 :][:1], in_folder, is_theirs, apart)
        return any(is_theirs(word) for word in words[1:]) or (in_folder and any(word[0] != "-" for word in words[1:]))
    if program not in RUNNERS:
        return False
    isolated = program.startswith("python") and any(re.fullmatch(r"-[a-zA-Z]*[IP][a-zA-Z]*", word) for word in words)
    return (in_folder and not isolated) or any(is_theirs(word) for word in words[1:])


def _text_runs(text: Sequence[str], in_folder: bool, is_theirs: Callable[[str], bool], apart: Container[str]) -> bool:
    """The same for a shell's text: each of its commands, and the folder it has changed to by then."""
    for command in (part for one in text for part in _BETWEEN.split(one)):
        words = [word.strip("'\"") for word in command.split()]
        while words and _ASSIGNMENT.match(words[0]):
            words.pop(0)
        if words[:1] == ["cd"]:
            in_folder = any(is_theirs(word) for word in words[1:])
        elif is_run(words, in_folder, is_theirs, apart):
            return True
    return False


def watch(place: str, folders: Sequence[str], apart: Container[str] = ()) -> None:
    """Write down, in the file `place`, whatever of these folders this process runs from now on.

    `apart` as in `is_run`.
    """
    seen: set[str] = set()

    def is_theirs(word: str) -> bool:
        path = os.path.abspath(word) if word.startswith("/") else ""
        return any(path == folder or path.startswith(f"{folder}/") for folder in folders)

    def note(sentence: str) -> None:
        if sentence not in seen and len(seen) < _MOST:
            seen.add(sentence)
            with open(place, "a", encoding="utf-8") as file:
                file.write(json.dumps(sentence) + "\n")

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "exec":
            name = getattr(arguments[0], "co_filename", "")
            if isinstance(name, str) and is_theirs(name):
                note(f"the evaluator ran {name} in its own room")
        elif event in _STARTING:
            words, cwd = _STARTING[event](arguments)
            if is_run(words, is_theirs(cwd or os.getcwd()), is_theirs, apart):
                note(f"the evaluator started {words[0]} on the examinee's files in its own room")
        elif event == "ctypes.dlopen" and is_theirs(str(arguments[0])):
            note(f"the evaluator loaded {arguments[0]} in its own room")

    sys.addaudithook(hook)


def _words(command: object) -> list[str]:
    if isinstance(command, list | tuple):
        return [os.fsdecode(word) if isinstance(word, str | bytes | os.PathLike) else str(word) for word in command]
    return ["sh", "-c", os.fsdecode(command) if isinstance(command, str | bytes) else str(command)]


_STARTING: dict[str, Callable[[tuple[object, ...]], tuple[list[str], str]]] = {
    "subprocess.Popen": lambda given: (_words(given[1]), os.fsdecode(given[2]) if given[2] else ""),  # type: ignore[arg-type]  # what Popen was given
    "os.system": lambda given: (_words(given[0]), ""),
    "os.exec": lambda given: (_words(given[1]), ""),
    "os.posix_spawn": lambda given: (_words(given[1]), ""),
}
