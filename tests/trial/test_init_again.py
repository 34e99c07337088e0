"""Init scripts that fail: only `pre_init` is run again, once, and each try leaves its log."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, task

FLAKY = """
    import os, sys, requests
    from config import OWNCLOUD_URL
    login = (os.environ["OWNCLOUD_USERNAME"], os.environ["OWNCLOUD_PASSWORD"])
    plan = OWNCLOUD_URL + "/remote.php/webdav/Notes/plan.txt"
    print("found", requests.get(plan, auth=login).text.strip())
    requests.put(plan, data=b"half done", auth=login).raise_for_status()
    if not os.path.exists("/workspace/tried"):
        open("/workspace/tried", "w").close()
        sys.exit(3)
    """


def test_pre_init_starts_over_on_services_reset(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, pre_init__py=FLAKY))
    assert tried.outcome.label is Label.RESOLVED, tried.outcome.reason
    assert tried.log("pre_init") == tried.log("pre_init-2") == "found the plan\n"
    assert "pre_init.py ended with 3 and was run again; see logs/pre_init.log" in tried.outcome.notes


@pytest.mark.parametrize("script", ["populate_data", "post_init"])
def test_what_comes_after_is_not_run_again(cache: Path, tmp_path: Path, script: str) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, **{f"{script}__py": FLAKY}))
    assert tried.outcome.label is Label.INIT_ERROR
    assert tried.outcome.reason == f"{script}.py ended with 3; see logs/{script}.log"
    assert not (tried.folder / "logs" / f"{script}-2.log").exists()


def test_pre_init_that_never_works_fails_the_trial_with_both_logs(cache: Path, tmp_path: Path) -> None:
    tried = attempt(cache, tmp_path, task(tmp_path, pre_init__sh="echo no luck\nexit 4\n"))
    assert (tried.outcome.label, tried.outcome.step) == (Label.INIT_ERROR, "init")
    assert tried.outcome.reason == "pre_init.sh ended with 4; see logs/pre_init-2.log"
    assert tried.log("pre_init") == tried.log("pre_init-2") == "no luck\n"


def test_pre_init_whose_time_is_up_is_not_given_twice_as_much(cache: Path, tmp_path: Path) -> None:
    files = {"task.toml": "format = 1\n[timeouts]\ninit = 1\n"}
    tried = attempt(cache, tmp_path, task(tmp_path, pre_init__sh="sleep 60\n", **files))
    assert tried.outcome.reason == "pre_init.sh did not end within 1 s; see logs/pre_init.log"
