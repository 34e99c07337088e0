"""Graders and init scripts that an image's Python cannot run: said before anybody works, by that Python itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.sandbox import Finished
from dayjob.trial.outcome import Label
from tests.trial.offices import TASK, attempt, task

NEXT = """
    from common import *
    from scoring import Checkpoint, Result
    {line}
    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(2, 2)])
    """
WORKS = 'open("/workspace/answer.txt", "w").write("shipshape")\nraise SystemExit("somebody worked")\n'
CANNOT = r"Python 3\.\d+\.\d+, which graders have here, cannot read it \(.+\)\. Run it"
NOTHING = "nothing supplies the module 'no_such_module' that it imports. Install it"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"evaluator__py": NEXT.format(line='WORD = t"{grader}"')}, rf"evaluator\.py:3: {CANNOT}"),
        (
            {"wording__py": "WORD = 1\nWORD = = 3\n", "evaluator__py": NEXT.format(line="import wording")},
            rf"wording\.py:2: {CANNOT}",
        ),
        ({"pre_init__py": "print('soon')\nreturn 3\n"}, rf"pre_init\.py:2: {CANNOT}"),
        (
            {"task__toml": 'format = 1\n[grading]\npython = "3.99"\n'},
            r"task\.toml: graders need Python 3\.99 and have 3\.\d+\.\d+ here\. Run it",
        ),
        (
            {"evaluator__py": NEXT.format(line="from no_such_module.parts import word")},
            rf"evaluator\.py:3: {NOTHING}",
        ),
        (
            {"wording__py": "import no_such_module\n", "evaluator__py": NEXT.format(line="from wording import *")},
            rf"wording\.py:1: {NOTHING}",
        ),
        ({"post_init__py": "import json\nimport no_such_module\n"}, rf"post_init\.py:2: {NOTHING}"),
        (
            {"evaluator__py": NEXT.format(line="from solution import word")},
            r"evaluator\.py:3: nothing supplies the module 'solution'",
        ),
    ],
)
def test_what_graders_need_and_have_not_ends_the_trial_before_anybody_works(
    cache: Path, tmp_path: Path, files: dict[str, str], reason: str
) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, solution__py=WORKS, **files))
    assert (tried.outcome.label, tried.outcome.step) == (Label.INIT_ERROR, "build")
    assert re.match(reason, tried.outcome.reason), tried.outcome.reason
    assert "work" not in tried.outcome.timings
    assert not (tried.folder / "trajectory.json").exists()


FINE = """
    import sqlite3
    from rocketchat_API.rocketchat import RocketChat
    from litellm import logging
    import requests
    import wording
    from common import *
    from scoring import Checkpoint, Result
    try:
        import no_such_module
    except ImportError:
        no_such_module = None
    if sys.version_info < (3, 3):
        import no_such_old_module

    def nobody_calls_this():
        import no_such_module_either

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(2, 2 * int(wording.WORD == "shipshape"))])

    if __name__ == "__main__":
        import no_such_third_module
    """


def test_a_task_whose_graders_have_all_they_need_is_asked_about_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "evaluator__py": FINE.replace("import sqlite3", "import sqlite3, sys"),
        "wording__py": 'WORD = "shipshape"\n',
        "pre_init__py": "from common import *\nfrom rocketchat_API.rocketchat import RocketChat\nimport tidy\n",
        "tidy__py": "",
        "task__toml": 'format = 1\n[grading]\npython = "3.9"\n',
        "broken__py": "def (:\n",  # which nobody imports
    }
    path, cache = task(tmp_path, **files), tmp_path / "cache"
    tried = attempt(cache, tmp_path, path, "nop")
    assert tried.outcome.label is Label.RESOLVED, tried.outcome.reason
    (mark,) = (cache / "graders").iterdir()

    asked: list[str] = []
    evaluate = EmbeddedSandbox.evaluate

    async def counted(room: EmbeddedSandbox, code: str, **given: Any) -> Finished:
        asked.append(code)
        return await evaluate(room, code, **given)

    monkeypatch.setattr(EmbeddedSandbox, "evaluate", counted)
    assert attempt(cache, tmp_path / "again", path, "nop").outcome.label is Label.RESOLVED
    assert [code for code in asked if "needs" in code] == []
    mark.unlink()
    assert attempt(cache, tmp_path / "third", path, "nop").outcome.label is Label.RESOLVED
    assert len([code for code in asked if "needs" in code]) == 1


def test_what_was_missing_is_found_as_soon_as_it_is_there(cache: Path, tmp_path: Path) -> None:
    path = task(tmp_path, evaluator__py=NEXT.format(line="import late"))
    assert attempt(cache, tmp_path / "1", path, "nop").outcome.label is Label.INIT_ERROR
    (path / "Dockerfile").write_text(TASK["Dockerfile"] + "RUN mkdir -p /utils/late\n")
    assert attempt(cache, tmp_path / "2", path, "nop").outcome.label is Label.RESOLVED


def test_init_scripts_find_what_the_image_puts_on_their_path_and_graders_do_not(cache: Path, tmp_path: Path) -> None:
    dockerfile = TASK["Dockerfile"] + "RUN mkdir -p /opt/more && touch /opt/more/aside.py\nENV PYTHONPATH=/opt/more\n"
    fine = task(tmp_path / "1", Dockerfile=dockerfile, pre_init__py="import aside\n")
    assert attempt(cache, tmp_path / "1", fine).outcome.label is Label.RESOLVED
    other = task(tmp_path / "2", Dockerfile=dockerfile, evaluator__py=NEXT.format(line="import aside"))
    tried = attempt(cache, tmp_path / "2", other, "nop")
    assert tried.outcome.reason.startswith("evaluator.py:3: nothing supplies the module 'aside'")


@pytest.mark.xdist_group("docker")
@pytest.mark.usefixtures("daemon")
def test_docker_says_the_same(tmp_path: Path) -> None:
    path = task(tmp_path, evaluator__py=NEXT.format(line="import no_such_module"))
    tried = attempt(tmp_path / "cache", tmp_path, path, "nop", sandbox="docker")
    assert (tried.outcome.label, tried.outcome.step) == (Label.INIT_ERROR, "build")
    assert tried.outcome.reason.startswith(f"evaluator.py:3: {NOTHING}")
