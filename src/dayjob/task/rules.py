"""The rules of `dayjob check`: an enumeration with stable ids, a severity and one line of explanation each.

An id is never reused. The hundreds say what a rule is about: 1 the folder, 2 task.md, 3 the evaluator, 4 points,
5 the Dockerfile, 6 services, colleagues and init scripts, 7 the optional parts, 8 families.
"""

from __future__ import annotations

from enum import Enum


class Severity(Enum):
    """An error fails the check; a warning is worth a look; a note says what could not be checked."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE


class Rule(Enum):
    """One thing that can be wrong with a task folder."""

    NOT_A_TASK = ("DJ100", _E, "The path is not a folder that holds a task.")
    MISSING_FILE = ("DJ101", _E, "A required file is missing.")
    FOLDER_NAME = ("DJ102", _E, "The folder's name is not lower-case letters, digits, hyphens and underscores.")
    STRAY_README = ("DJ103", _W, "Only the example task has a README.")
    EMPTY_TASK = ("DJ104", _E, "task.md says nothing.")
    LEAVES_FOLDER = ("DJ105", _E, "A symbolic link leads out of the task folder.")
    TOO_BIG = ("DJ106", _E, "A file is far bigger than its purpose needs.")
    NOT_TEXT = ("DJ107", _E, "A text file is not UTF-8 text.")
    UNREADABLE = ("DJ108", _E, "A file cannot be read.")

    LEAK_GRADING = ("DJ201", _E, "task.md names the grading: a numbered checkpoint, the evaluator or its files.")
    LEAK_POINTS = ("DJ202", _W, "task.md speaks of points, a rubric, or repeats a sentence of checkpoints.md.")
    LEAK_REFERENCE = ("DJ203", _E, "task.md contains a value from references/.")
    STEP_BY_STEP = ("DJ204", _W, "task.md reads like step-by-step instructions; it should state the goal.")
    FORGE_CREDENTIALS = ("DJ205", _W, "task.md hands over forge credentials the examinee is meant to find.")

    EVALUATOR_SYNTAX = ("DJ301", _E, "evaluator.py is not valid Python.")
    SIGNATURE = ("DJ302", _E, 'evaluator.py needs `def grade_checkpoints(trajectory="") -> Result`.')
    MAIN_BLOCK = ("DJ303", _E, "evaluator.py has a main function or block; eval.py is the only entry point.")
    NO_GRADER = ("DJ304", _E, "No function of evaluator.py is under @grader.")
    UNGRADED_FUNCTION = ("DJ305", _E, "A function that grades a checkpoint is not under @grader.")
    CANNOT_FAIL = ("DJ306", _E, "A checkpoint is passed whatever the examinee does.")
    MAY_RAISE = ("DJ307", _E, "A call outside @grader raises when a service is down, and fails the whole task.")
    LOGIN_AT_IMPORT = ("DJ308", _W, "evaluator.py talks to a service while it is imported.")
    TRAJECTORY_ONLY = ("DJ309", _W, "A checkpoint looks at the trajectory only, which is the last resort.")
    SHELL = ("DJ310", _E, "Text that is not a constant is run through a shell.")
    POINT_ON_ERROR = ("DJ311", _W, "An exception handler gives the point.")
    NEWER_PYTHON = ("DJ312", _N, "evaluator.py needs a newer Python than this one, and was not checked.")
    OWN_ROOM = ("DJ313", _W, "The examinee's files are run in the grader's own room, where they can reach the grader.")

    NO_EVIDENCE = ("DJ314", _E, "A checkpoint's result depends on nothing that an examinee can do.")
    LITERAL_TRAJECTORY = ("DJ315", _E, "A checkpoint is given a text of the evaluator's own as the trajectory.")
    SAME_BOTH_WAYS = ("DJ316", _W, "Both sides of a condition give the same points.")
    NOT_SUPPLIED = ("DJ317", _E, "An evaluator or init script imports a module that nothing supplies.")
    NEEDS_NETWORK = ("DJ318", _W, "The evaluator needs the internet, which graders do not have.")
    PYTHON_TOO_NEW = ("DJ319", _E, "Graders need a newer Python than the base image has, or than task.toml says.")

    TOTAL_DIFFERS = ("DJ401", _E, "The points in checkpoints.md are not those in evaluator.py.")
    COUNT_DIFFERS = ("DJ402", _E, "checkpoints.md and evaluator.py have different numbers of checkpoints.")
    RUBRIC_SUM = ("DJ403", _E, "The total stated in checkpoints.md is not the sum of its checkpoints.")
    NO_POINTS = ("DJ404", _W, "checkpoints.md gives no points that can be read.")
    TOTALS_UNKNOWN = ("DJ405", _N, "The totals in evaluator.py are computed, so they were not compared.")

    DOCKERFILE_SYNTAX = ("DJ501", _E, "The Dockerfile cannot be parsed.")
    BASE_IMAGE = ("DJ502", _E, "The image is not built on the task base image.")
    RUNTIME_COMMAND = ("DJ503", _E, "The Dockerfile has a CMD or ENTRYPOINT.")
    SECRET = ("DJ504", _E, "The Dockerfile puts a secret into the image.")
    ANSWERS_IN_IMAGE = ("DJ505", _E, "Grading files are copied where the examinee can read them.")
    UNPINNED = ("DJ506", _W, "A pip package is installed without a version.")
    COPY_MISSING = ("DJ507", _W, "The Dockerfile copies something that is not in the folder.")

    DEPENDENCIES = ("DJ601", _E, "dependencies.yml is not a list of service names.")
    UNKNOWN_SERVICE = ("DJ602", _E, "dependencies.yml names a service that does not exist.")
    REPEATED_SERVICE = ("DJ603", _E, "dependencies.yml names a service twice.")
    UNDECLARED_SERVICE = ("DJ604", _E, "The evaluator or the scenarios use a service that is not declared.")
    UNUSED_SERVICE = ("DJ605", _W, "A declared service is used nowhere in the task.")
    MENTIONED_SERVICE = ("DJ606", _W, "task.md sends the examinee to a service that is not declared.")
    SCENARIOS = ("DJ611", _E, "colleagues.yml or scenarios.json does not match its schema.")
    UNKNOWN_COLLEAGUE = (
        "DJ612",
        _E,
        "colleagues.yml or scenarios.json names somebody who does not work in the task's world.",
    )
    UNKNOWN_WORLD = ("DJ613", _E, "The task's world does not exist.")
    WORLD_ELSEWHERE = ("DJ614", _N, "The task lives in a world that is not here, so its colleagues were not checked.")
    INIT_SYNTAX = ("DJ621", _E, "An init script does not parse.")

    SETTINGS = ("DJ701", _E, "task.toml is not valid.")
    UNKNOWN_SETTING = ("DJ702", _W, "task.toml has a setting nobody reads.")
    BAD_IGNORE = ("DJ703", _E, "An ignore in task.toml has no reason, or names no rule.")
    SOLUTION_SYNTAX = ("DJ711", _E, "The solution or a mutant does not parse.")
    MUTANT_SCORE = ("DJ712", _E, "A mutant and its expected score in mutants/expected.toml do not match up.")
    PARAPHRASES = ("DJ713", _E, "paraphrases.yml is not valid, or expects what cannot be.")
    FEW_PARAPHRASES = ("DJ714", _W, "paraphrases.yml has fewer than 20 right answers or fewer than 10 near misses.")
    KEY = ("DJ715", _E, "key.yml is not valid.")
    KEY_MISSES = ("DJ716", _W, "A number or a day that the evaluator asks for is not in key.yml.")

    FAMILY_DRAW = ("DJ801", _E, "variant.py has no draw(random), or it raises or does not end.")
    FAMILY_IMPORT = ("DJ802", _E, "variant.py imports what is not in the standard library.")
    FAMILY_REPEAT = ("DJ803", _E, "variant.py draws other values when it is asked again for the same variant.")
    FAMILY_VALUES = ("DJ804", _E, "variant.py draws what is no JSON, too much of it, or no key.")
    TEMPLATE = ("DJ805", _E, "A template does not render.")
    TEMPLATE_TARGET = ("DJ806", _E, "A template and the file that would be made of it are both there.")
    KEY_LEAKS = ("DJ807", _E, "task.md contains a value of the variant's key.")
    SAME_KEY = ("DJ808", _E, "Variants have the same key, so that one answer serves them all.")
    FAMILY_BUILD = ("DJ809", _E, "build.py fails, or makes other files when it is asked again.")
    NOT_MADE = ("DJ810", _N, "The family was not drawn and made here, so only its folder was checked.")

    def __init__(self, id: str, severity: Severity, explanation: str) -> None:
        self.id = id
        self.severity = severity
        self.explanation = explanation


OF_STYLE = frozenset({
    Rule.LEAK_GRADING, Rule.LEAK_REFERENCE, Rule.MAIN_BLOCK, Rule.NO_GRADER, Rule.UNGRADED_FUNCTION, Rule.CANNOT_FAIL,
    Rule.MAY_RAISE, Rule.SHELL, Rule.NO_EVIDENCE, Rule.LITERAL_TRAJECTORY, Rule.TOTAL_DIFFERS, Rule.COUNT_DIFFERS,
    Rule.RUBRIC_SUM, Rule.ANSWERS_IN_IMAGE,
})  # fmt: skip
"""Errors of an author that do not keep a task from being run and graded."""


def matches(rule: Rule, selectors: tuple[str, ...]) -> bool:
    """A selector is an id (`DJ204`) or the beginning of one (`DJ2`), upper or lower case."""
    return any(rule.id.startswith(selector.upper()) for selector in selectors)


def is_selector(text: str) -> bool:
    """Does the selector reach any rule at all?"""
    return bool(text) and any(rule.id.startswith(text.upper()) for rule in Rule)


def as_markdown() -> str:
    """The reference page docs/checks.md; a test compares the two."""
    lines = [
        "# The rules of `dayjob check`",
        "",
        "This page is made from the rules themselves, by",
        "`python -c 'from dayjob.task.rules import as_markdown; print(as_markdown(), end=\"\")' > docs/checks.md`.",
        "",
        "An **error** fails the check, a **warning** fails it with `--strict`, a **note** says what was not checked.",
        "A published task (one that names the-agent-company.com and has no `task.toml`) runs with these errors all the",
        f"same, and there they are warnings: {', '.join(sorted(rule.id for rule in OF_STYLE))}.",
        "Pick rules with `--select` and `--ignore`, by id or by the beginning of one (`DJ3`).",
        "A task ignores a rule in its `task.toml`, with a reason:",
        "",
        "```toml",
        "[[ignore]]",
        'rule = "DJ309"',
        'reason = "the page is served from a cache, so the journal does not see it"',
        "```",
        "",
        "| id | severity | what is wrong |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {rule.id} | {rule.severity.value} | {rule.explanation} |" for rule in Rule]
    return "\n".join(lines) + "\n"
