"""evaluator.py: can it be called, can it survive a failure, can it fail an examinee."""

from __future__ import annotations

from collections.abc import Iterator

from dayjob.task.evaluator import Evaluator
from dayjob.task.findings import Finding
from dayjob.task.free_points import FreePoints
from dayjob.task.lint.sheet import Sheet
from dayjob.task.own_room import runs_in_own_room
from dayjob.task.rules import Rule

FILE = "evaluator.py"


def check(sheet: Sheet) -> Iterator[Finding]:
    evaluator = sheet.evaluator
    if evaluator is None:
        return
    problem = evaluator.signature_problem
    if problem and not (sheet.is_published and problem.endswith("has no default") and _takes_one(evaluator)):
        line = evaluator.grade_checkpoints.lineno if evaluator.grade_checkpoints else 0
        yield Finding(
            Rule.SIGNATURE,
            FILE,
            line,
            problem,
            'Write `def grade_checkpoints(trajectory="") -> Result:` and return one',
        )
    if main := evaluator.main:
        yield Finding(Rule.MAIN_BLOCK, FILE, main.line, "eval.py is the only entry point", "Remove the main function")
    if not evaluator.graded:
        yield Finding(
            Rule.NO_GRADER,
            FILE,
            0,
            "no function is under @grader, so one error fails the whole task",
            "Write @grader above each function that grades a checkpoint",
        )
    else:
        for place in evaluator.ungraded:
            yield Finding(
                Rule.UNGRADED_FUNCTION,
                FILE,
                place.line,
                f"'{place.name}' grades a checkpoint",
                "Write @grader above it",
            )
    yield from _free_points(FreePoints(evaluator))
    for place in evaluator.points_on_error:
        yield Finding(
            Rule.POINT_ON_ERROR,
            FILE,
            place.line,
            f"'{place.name}' gives the point when something goes wrong",
            "Let the exception pass: @grader makes it a zero",
        )
    for place in evaluator.unguarded_calls:
        yield Finding(
            Rule.MAY_RAISE,
            FILE,
            place.line,
            f"'{place.name}' raises when its service is down, and is not under @grader",
            "Call it inside a function under @grader",
        )
    for place in evaluator.import_calls:
        yield Finding(
            Rule.LOGIN_AT_IMPORT,
            FILE,
            place.line,
            f"'{place.name}' is called while the module is imported",
            "Call it inside a function under @grader",
        )
    for place in evaluator.trajectory_only:
        yield Finding(
            Rule.TRAJECTORY_ONLY,
            FILE,
            place.line,
            f"'{place.name}' believes what the trajectory says",
            "Ask the journal with accessed(), or look at what was changed",
        )
    for place in evaluator.shells:
        yield Finding(
            Rule.SHELL,
            FILE,
            place.line,
            f"'{place.name}' gives a shell text that is not a constant",
            "Pass a list of arguments, without shell=True",
        )
    for place in runs_in_own_room(evaluator):
        yield Finding(
            Rule.OWN_ROOM,
            FILE,
            place.line,
            f"'{place.name}' runs files of the examinee's beside the evaluator, and nothing can make that safe",
            "Run them with run_as_examinee(), which uses a workbench",
        )


def _free_points(free: FreePoints) -> Iterator[Finding]:
    for place in free.cannot_fail:
        yield Finding(
            Rule.CANNOT_FAIL,
            FILE,
            place.line,
            f"'{place.name}' gives its points whatever the examinee does",
            "Look at what the examinee left behind",
        )
    for place in free.same_both_ways:
        yield Finding(
            Rule.SAME_BOTH_WAYS,
            FILE,
            place.line,
            f"'{place.name}' gives the same points whether or not this holds",
            "Give fewer on the side that fails, or remove the condition",
        )
    for place in free.literal_trajectories:
        yield Finding(
            Rule.LITERAL_TRAJECTORY,
            FILE,
            place.line,
            f"'{place.name}' is given a text that stands here in place of the examinee's trajectory",
            "Pass on the trajectory that grade_checkpoints is given",
        )
    for place in free.without_evidence:
        yield Finding(
            Rule.NO_EVIDENCE,
            FILE,
            place.line,
            f"'{place.name}' looks at nothing that an examinee could have done",
            "Look at what the examinee left behind",
        )


def _takes_one(evaluator: Evaluator) -> bool:
    """Whether all it asks for is what it is always given, the trajectory: it runs without a default too."""
    function = evaluator.grade_checkpoints
    return function is not None and len(function.args.args) == 1 and not function.args.posonlyargs
