"""What cannot work is said before the first trial: exit 2, one sentence with the fix, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayjob.cli.regrade import regrade
from dayjob.cli.resume import resume
from dayjob.cli.run import run
from dayjob.cli.shell import shell
from dayjob.cli.test import test as prove
from dayjob.trial.readiness import asks_a_judge
from dayjob.trial.run_folder import open_run
from dayjob.trial.spec import TrialSpec
from tests.trial.offices import office, task
from tests.trial.test_colleagues import JUDGING

CALLED = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LITELLM_BASE_URL", "DAYJOB_MODEL")


class Desk:
    """A folder with a task and a world, and commands that are run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.task = task(folder)
        self.world = office(folder)
        self.out = folder / "run"

    def run(self, *options: str) -> Result:
        given = [str(self.task), "-o", str(self.out), *options]
        if "--world" not in options:
            given += ["--world", str(self.world)]
        return CliRunner().invoke(run, given)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAYJOB_CACHE", str(tmp_path / "cache"))
    for name in CALLED:
        monkeypatch.delenv(name, raising=False)
    return Desk(tmp_path)


def refused(result: Result, *words: str) -> None:
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    [sentence] = result.output.strip().splitlines()
    for word in words:
        assert word in sentence


SETTINGS = '[llm.providers.lab]\nbase_url = "http://127.0.0.1:9/v1"\nkey_env = "LAB_KEY"\n'
WRONG: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    "an agent nobody knows": (("-a", "orcale"), "", ("no agent 'orcale'", "Did you mean 'oracle'?")),
    "an agent that cannot be imported": (("-a", "no.such:Agent"), "", ("no.such:Agent", "cannot be imported")),
    "a mutant the task does not have": (("-a", "mutant:nobody"), "", ("no mutant 'nobody'",)),
    "a program that is not here": (("-a", "host-command:no-such-program"), "", ("no program 'no-such-program'",)),
    "no model for an agent that needs one": (("-a", "worker"), "", ("worker needs a model", "-m")),
    "a provider nobody knows": (("-a", "worker", "-m", "lap/any"), SETTINGS, ("'lap/any'", "Did you mean 'lab'?")),
    "a key that is not set": (("-a", "worker", "-m", "lab/any"), SETTINGS, ("needs a key", "LAB_KEY")),
    "a script that is not there": (("-m", "script:none.yml"), "", ("there is no script none.yml",)),
    "settings that are no TOML": ((), "[llm\n", ("dayjob.toml is not valid TOML",)),
    "settings with a word nobody knows": ((), "[llm]\nbudgets = 3\n", ("'budgets' means nothing here",)),
    "a world nobody knows": (("--world", "larkspurr"), "", ("no world 'larkspurr'", "Did you mean 'larkspur'?")),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_run_with(what: str, desk: Desk) -> None:
    options, settings, words = WRONG[what]
    if settings:
        (desk.folder / "dayjob.toml").write_text(settings)
    refused(desk.run(*options), *words)
    assert not desk.out.exists()


def test_no_daemon_for_docker(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{desk.folder}/nobody.sock")
    refused(desk.run("--sandbox", "docker"), "The docker sandbox cannot be used")
    assert not desk.out.exists()


def test_a_task_that_asks_a_judge_needs_one_in_every_command(desk: Desk) -> None:
    task(desk.folder, evaluator__py=JUDGING)
    words = ("its evaluator asks a judge (judge)", "--judge-model")
    refused(desk.run(), *words)
    refused(CliRunner().invoke(prove, [str(desk.task), "--world", str(desk.world)]), *words)
    refused(CliRunner().invoke(shell, [str(desk.task), "--world", str(desk.world), "-o", str(desk.out)]), *words)
    assert not desk.out.exists()
    spec = TrialSpec(str(desk.task), "oracle", str(desk.out / "small-task.oracle.1"), world=str(desk.world))
    with open_run(desk.out, [spec]):
        pass
    refused(CliRunner().invoke(resume, [str(desk.out)]), *words)


def test_regrading_needs_no_agent_but_its_judge(desk: Desk) -> None:
    desk.run("-a", "oracle")
    assert CliRunner().invoke(regrade, [str(desk.out)]).exit_code == 0
    task(desk.folder, evaluator__py=JUDGING)
    refused(CliRunner().invoke(regrade, [str(desk.out)]), "asks a judge")


@pytest.mark.parametrize(
    ("evaluator", "helper"),
    [
        ("from common import *\nok = evaluate_with_llm('a', 'b')\n", "evaluate_with_llm"),
        ("import common\nok = common.judge('a', 'b')\n", "judge"),
        ("def judge(a):\n    return a\nok = judge(1)\n", None),
        ("# judge( evaluate_with_llm(\nok = 'judge()'\n", None),
        ("this is no Python", None),
    ],
)
def test_an_evaluator_says_by_what_it_calls_whether_it_needs_a_judge(evaluator: str, helper: str | None) -> None:
    assert asks_a_judge(evaluator) == helper
