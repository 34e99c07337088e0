"""dependencies.yml, colleagues and the init scripts: the services a task uses, who takes part, its set-up."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from dayjob.service_names import WIRES
from dayjob.task.colleagues import find_world, names_in
from dayjob.task.findings import Finding, TaskError
from dayjob.task.lint.sheet import Sheet
from dayjob.task.model import COLLEAGUES, INIT_STEPS
from dayjob.task.reading import line_of
from dayjob.task.rules import Rule

_MENTIONS = {
    "chat": re.compile(r"rocket\.?chat|:3000\b", re.IGNORECASE),
    "forge": re.compile(r"\bgitlab\b|:8929\b", re.IGNORECASE),
    "board": re.compile(r":8091\b|\bplane\b(?= (?:project|issue|board|service|workspace))", re.IGNORECASE),
    "drive": re.compile(r"own\s?cloud|:8092\b", re.IGNORECASE),
}


def check(sheet: Sheet) -> Iterator[Finding]:
    yield from _services(sheet)
    yield from _colleagues(sheet)
    yield from _init_scripts(sheet)


def _services(sheet: Sheet) -> Iterator[Finding]:
    declared = sheet.services
    if declared is None:
        return
    used = dict(sheet.evaluator.services) if sheet.evaluator else {}
    task = sheet.text("task.md") or ""
    for service, line in used.items():
        if service not in declared:
            yield Finding(
                Rule.UNDECLARED_SERVICE,
                "evaluator.py",
                line,
                f"the evaluator uses {WIRES[service]}, which dependencies.yml does not list",
                f"Add '- {WIRES[service]}' to dependencies.yml",
            )
    if sheet.scenarios and "chat" not in declared:
        yield Finding(
            Rule.UNDECLARED_SERVICE,
            sheet.colleagues,
            0,
            "colleagues live in rocketchat, which dependencies.yml does not list",
            "Add '- rocketchat' to dependencies.yml",
        )
    for service, pattern in _MENTIONS.items():
        mention = pattern.search(task)
        if mention and service not in declared and service not in used:
            yield Finding(
                Rule.MENTIONED_SERVICE,
                "task.md",
                task.count("\n", 0, mention.start()) + 1,
                f"the examinee is sent to {WIRES[service]}, which dependencies.yml does not list",
                f"Add '- {WIRES[service]}' to dependencies.yml",
            )
    everything = "\n".join(sheet.text(name) or "" for name in _texts(sheet))
    for service in declared:
        colleagues = service == "chat" and bool(sheet.scenarios)
        if service not in used and not colleagues and not _MENTIONS[service].search(everything):
            yield Finding(
                Rule.UNUSED_SERVICE,
                "dependencies.yml",
                line_of(sheet.text("dependencies.yml") or "", WIRES[service]),
                f"nothing in this task uses {WIRES[service]}",
                "Remove it: each declared service is checked and made clean before the task",
            )


def _texts(sheet: Sheet) -> list[str]:
    scripts = [f"{step}{suffix}" for step in INIT_STEPS for suffix in (".py", ".sh")]
    return [name for name in ("task.md", "evaluator.py", *scripts, "solution.py", "solution.sh") if sheet.has(name)]


def _colleagues(sheet: Sheet) -> Iterator[Finding]:
    settings = sheet.settings
    if settings is None:
        return
    if sheet.is_published:
        if sheet.scenarios:
            yield Finding(
                Rule.WORLD_ELSEWHERE,
                sheet.colleagues,
                0,
                "this task plays in another world, so its colleagues were not checked",
                "Name its world in task.toml once it is here",
            )
        return
    world = find_world(sheet.path, settings.world)
    if world is None:
        line = line_of(sheet.text("task.toml") or "", "world")
        file = "task.toml" if line else "."
        yield Finding(
            Rule.UNKNOWN_WORLD,
            file,
            line,
            f"there is no world '{settings.world}'",
            "Name a folder of worlds/ in task.toml",
        )
        return
    try:
        people = names_in(world)
    except TaskError as error:
        yield error.finding
        return
    overlay = sheet.path / "world" / "people"
    if overlay.is_dir():
        people |= names_in(sheet.path / "world")
    for colleague in sheet.scenarios or {}:
        if colleague not in people:
            file = next((one for one in COLLEAGUES if colleague in (sheet.text(one) or "")), sheet.colleagues)
            yield Finding(
                Rule.UNKNOWN_COLLEAGUE,
                file,
                line_of(sheet.text(file) or "", colleague),
                f"nobody called '{colleague}' works in {settings.world}",
                f"Use the full name of one of its people/: {', '.join(sorted(people)[:3])}, …",
            )


def _init_scripts(sheet: Sheet) -> Iterator[Finding]:
    for step in INIT_STEPS:
        if sheet.has(f"{step}.py"):
            sheet.python(f"{step}.py", Rule.INIT_SYNTAX)
        if sheet.has(f"{step}.sh") and (finding := shell_syntax(sheet, f"{step}.sh", Rule.INIT_SYNTAX)):
            yield finding


def shell_syntax(sheet: Sheet, name: str, rule: Rule) -> Finding | None:
    """What bash says about a script without running it; None when it is content, or there is no bash to ask."""
    text, bash = sheet.text(name), shutil.which("bash")
    if text is None or bash is None:
        return None
    done = subprocess.run([bash, "-n"], input=text.encode(), capture_output=True, timeout=20, check=False)
    if done.returncode == 0:
        return None
    words = done.stderr.decode(errors="replace").splitlines() or ["it does not parse"]
    place = re.search(r"line (\d+): (.*)", words[0])
    line, message = (int(place.group(1)), place.group(2)) if place else (0, Path(words[0]).name)
    return Finding(rule, name, line, f"bash refuses it ({message})", "Correct the syntax")
