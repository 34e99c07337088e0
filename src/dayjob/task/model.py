"""A task folder, typed: `Task.load(path)` gives everything the rest of the project needs, or a `TaskError`.

Loading says whether a task can be run; whether it is a good task is `lint`'s question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dayjob.service_names import SERVICES, WIRES
from dayjob.task.dockerfile import Dockerfile, parse_dockerfile
from dayjob.task.family import SUFFIX, VARIANT, is_family
from dayjob.task.findings import TaskError
from dayjob.task.paraphrases import Paraphrases, load_paraphrases
from dayjob.task.reading import (
    line_of,
    newer_python,
    parse_json,
    parse_plain_yaml,
    parse_python,
    parse_toml,
    parse_yaml,
    read_text,
)
from dayjob.task.rubric import parse_rubric
from dayjob.task.rules import Rule
from dayjob.task.settings import PUBLISHED, Settings, parse_settings

REQUIRED = ("task.md", "checkpoints.md", "evaluator.py", "Dockerfile", "dependencies.yml")
# What only a task has.
_SIGNS = ("task.md", "evaluator.py", "checkpoints.md", f"task.md{SUFFIX}", f"evaluator.py{SUFFIX}")
INIT_STEPS = ("pre_init", "populate_data", "post_init")


@dataclass(frozen=True)
class Mutant:
    """A wrong solution, or a right one in another form, and the score it must get."""

    name: str
    path: Path
    result: int
    why: str
    right: bool = False


@dataclass(frozen=True)
class Task:
    """One task folder."""

    path: Path
    name: str
    instruction: str
    services: tuple[str, ...]
    dockerfile: Dockerfile
    settings: Settings
    scenarios: dict[str, dict[str, Any]]
    """Colleague by full name, as written in colleagues.yml or scenarios.json, which match their schemas."""
    init_scripts: tuple[Path, ...]
    solution: Path | None
    mutants: tuple[Mutant, ...]
    references: Path | None
    world_overlay: Path | None

    @property
    def points(self) -> int | None:
        """What the task is worth, as its checkpoints.md says; None when that cannot be read from it."""
        rubric = parse_rubric(read_text(self.path, "checkpoints.md"))
        return rubric.total or rubric.stated

    @cached_property
    def paraphrases(self) -> Paraphrases | None:
        """Right answers in other words, and near misses; read when first asked for, since few trials need them."""
        return load_paraphrases(self.path)

    @classmethod
    def load(cls, path: Path) -> Task:
        """Load the folder, or raise `TaskError` at the first thing that makes it unusable."""
        if not is_task_folder(path):
            raise not_a_task(path)
        if is_family(path):
            raise TaskError(
                Rule.NOT_A_TASK,
                VARIANT,
                0,
                "this is a family, of which only variants are tasks",
                "Run it with dayjob run, which makes them, or name a made one",
            )
        for name in REQUIRED:
            read_text(path, name)
        instruction = read_text(path, "task.md")
        if not instruction.strip():
            raise TaskError(
                Rule.EMPTY_TASK, "task.md", 0, "it says nothing", "Describe what the examinee shall achieve"
            )
        evaluator = read_text(path, "evaluator.py")
        try:
            parse_python(evaluator, "evaluator.py", Rule.EVALUATOR_SYNTAX)
        except TaskError as error:
            if newer_python(evaluator, error) is None:
                raise
        return cls(
            path=path,
            name=path.resolve().name,
            instruction=instruction,
            services=parse_dependencies(read_text(path, "dependencies.yml")),
            dockerfile=parse_dockerfile(read_text(path, "Dockerfile")),
            settings=load_settings(path),
            scenarios=load_scenarios(path),
            init_scripts=find_init_scripts(path),
            solution=find_script(path, "solution"),
            mutants=load_mutants(path),
            references=_folder(path, "references"),
            world_overlay=_folder(path, "world"),
        )


def is_task_folder(path: Path) -> bool:
    """Is this a folder with at least one of the files only a task has?"""
    try:
        return path.is_dir() and any((path / name).exists() for name in _SIGNS)
    except OSError:
        return False


def not_a_task(path: Path) -> TaskError:
    """The error for a path that holds no task."""
    return TaskError(
        Rule.NOT_A_TASK,
        str(path),
        0,
        "this is not a task folder: there is no task.md, evaluator.py or checkpoints.md in it",
        "Name a task folder, or a folder of task folders",
    )


def load_settings(path: Path) -> Settings:
    """The folder's task.toml, or the defaults when it has none."""
    return parse_settings(read_text(path, "task.toml")) if (path / "task.toml").exists() else PUBLISHED


def parse_dependencies(text: str) -> tuple[str, ...]:
    """The services of dependencies.yml by their own names, in order."""
    name = "dependencies.yml"
    found = parse_yaml(text, name, Rule.DEPENDENCIES)
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise TaskError(
            Rule.DEPENDENCIES,
            name,
            1,
            "it must be a list of service names, or empty",
            "Write one '- rocketchat' a line",
        )
    services: list[str] = []
    for each in found:
        line = line_of(text, each)
        if each not in SERVICES:
            known = ", ".join(WIRES.values())
            raise TaskError(Rule.UNKNOWN_SERVICE, name, line, f"there is no service '{each}'", f"Choose from {known}")
        if SERVICES[each] in services:
            again = text.find(each, text.find(each) + 1)
            line = text.count("\n", 0, again) + 1 if again >= 0 else line
            raise TaskError(Rule.REPEATED_SERVICE, name, line, f"'{each}' is there already", "Keep one of them")
        services.append(SERVICES[each])
    return tuple(services)


def load_scenarios(path: Path) -> dict[str, dict[str, Any]]:
    """The folder's colleagues, from colleagues.yml and scenarios.json; none when it has neither."""
    found: dict[str, dict[str, Any]] = {}
    for name, parse in COLLEAGUES.items():
        if not (path / name).exists():
            continue
        text = read_text(path, name)
        part = parse(text, name, Rule.SCENARIOS)
        check_scenarios(name, part, text)
        for colleague in part:
            if colleague in found:
                line = line_of(text, colleague)
                raise TaskError(
                    Rule.SCENARIOS, name, line, f"'{colleague}' is in colleagues.yml too", "Keep one of the two"
                )
        found |= part
    return found


_UNKNOWN_KEY = re.compile(r"must not contain \{'([^']+)'")


def check_scenarios(name: str, found: Any, text: str) -> None:
    """Hold a file of colleagues against its published schema; the error names the colleague."""
    from dayjob.task.schema import schema_error  # late: compiling the schema is only worth it for tasks with NPCs

    wrong = schema_error(name, found) or _beyond_schema(found)
    if wrong is None:
        return
    where, message = wrong
    colleague = where[0] if where else ""
    quote = '"' if name == "scenarios.json" else ""
    line = next((at for part in reversed(where) if (at := line_of(text, f"{quote}{part}{quote}"))), 1)
    if not quote and (unknown := _UNKNOWN_KEY.search(message)) is not None:
        line = line_of(text, f"{unknown[1]}:") or line
    about = f"'{colleague}': " if colleague else ""
    raise TaskError(Rule.SCENARIOS, name, line, f"{about}{message}", _FIXES[name])


COLLEAGUES: Mapping[str, Callable[[str, str, Rule], Any]] = {
    "colleagues.yml": parse_plain_yaml,
    "scenarios.json": parse_json,
}
_FIXES = {
    "colleagues.yml": "Write 'Full Name:' and below it facts, steps and the like: docs/colleagues.md",
    "scenarios.json": 'Write {"Full Name": {"extra_info": "…", "strategy_hint": "…"}}',
}


def _beyond_schema(found: dict[str, Any]) -> tuple[list[str], str] | None:
    """What a schema cannot see (a step no rule leads to, a reply that reveals a secret), where it is worth a look."""
    if all(each.keys() <= {"extra_info", "strategy_hint"} for each in found.values()):
        return None
    from dayjob.task.scenario import problems_in

    problems = problems_in(found)
    if not problems:
        return None
    place = ".".join(problems[0].where)
    return [problems[0].colleague, *problems[0].where], f"{place}: {problems[0].sentence}"


def find_script(path: Path, stem: str) -> Path | None:
    """`stem.py`, or `stem.sh`, or neither."""
    for suffix in (".py", ".sh"):
        script = path / f"{stem}{suffix}"
        if script.is_file():
            return script
    return None


def find_init_scripts(path: Path) -> tuple[Path, ...]:
    """The init scripts the folder has, in the order they are run."""
    scripts = (find_script(path, step) for step in INIT_STEPS)
    return tuple(script for script in scripts if script is not None)


def load_mutants(path: Path) -> tuple[Mutant, ...]:
    """Each `mutants/NAME.py|sh` with its `[NAME]` in `mutants/expected.toml`; both sides must be there."""
    if not (path / "mutants").is_dir():
        return ()
    name = "mutants/expected.toml"
    text = read_text(path, name)
    expected = parse_toml(text, name, Rule.MUTANT_SCORE)
    if expected.pop("format", None) != 1:
        raise TaskError(Rule.MUTANT_SCORE, name, 1, "'format = 1' is missing or newer", "Write 'format = 1' at the top")
    scripts = {each.stem: each for each in sorted((path / "mutants").iterdir()) if each.suffix in (".py", ".sh")}
    for orphan in sorted(scripts.keys() - expected.keys()):
        raise TaskError(
            Rule.MUTANT_SCORE,
            f"mutants/{scripts[orphan].name}",
            0,
            "no score is expected of it",
            f"Add [{orphan}] to {name}",
        )
    mutants = []
    for mutant, row in expected.items():
        line = line_of(text, f"[{mutant}]")
        if mutant not in scripts:
            raise TaskError(
                Rule.MUTANT_SCORE,
                name,
                line,
                f"there is no mutant '{mutant}'",
                f"Add mutants/{mutant}.py, or remove this",
            )
        if not isinstance(row, dict) or type(row.get("result")) is not int or row["result"] < 0:
            raise TaskError(
                Rule.MUTANT_SCORE, name, line, f"'{mutant}' has no expected score", "Write result = 0 below it"
            )
        if not isinstance(row.get("why", ""), str):
            raise TaskError(Rule.MUTANT_SCORE, name, line, f"why '{mutant}' is wrong must be text", "Put it in quotes")
        if not isinstance(row.get("right", False), bool):
            raise TaskError(
                Rule.MUTANT_SCORE, name, line, f"whether '{mutant}' is right is yes or no", "Write right = true"
            )
        mutants.append(
            Mutant(mutant, scripts[mutant], row["result"], row.get("why", ""), right=row.get("right", False))
        )
    return tuple(mutants)


def _folder(path: Path, name: str) -> Path | None:
    return path / name if (path / name).is_dir() else None
