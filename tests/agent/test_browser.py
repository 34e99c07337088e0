"""The worker with a real Chromium in its sandbox: it signs in to pages, sees only the company, leaves nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dayjob.agent.worker import browser, worker
from dayjob.cli.doctor import doctor
from dayjob.report.export.atif import check
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import run_trial
from tests.agent.test_worker import EXAMPLE, script, turn
from tests.trial.offices import attempt, task

PAGES = "http://office.test"


def click_on(number: int, what: str, action: str = "click", **more: str) -> dict[str, Any]:
    """The element that the page shows as `what`, whatever its ref is."""
    call = {"name": "browser", "arguments": {"action": action, "ref": "${ref}", **more}}
    return {"when": {"turn": number, "last": rf"{what}[^\n]*?\[ref=(?P<ref>\w+)\]"}, "call": call}


def look(number: int, action: str, **more: str) -> dict[str, Any]:
    return turn(number, "browser", action=action, **more)


def observations(folder: Path) -> list[Any]:
    document = json.loads((folder / "trajectory.json").read_text("utf-8"))
    assert list(check(document)) == []
    found = [step["observation"]["results"][0]["content"] for step in document["steps"] if "observation" in step]
    return [one[0]["text"] if isinstance(one, list) else one for one in found]


def test_the_worker_solves_the_example_with_a_browser(tmp_path: Path, cache: Path) -> None:
    """What its script found out it posts to the channel in Chromium; then it looks at the report on the drive."""
    solution = (EXAMPLE / "solution.py").read_text("utf-8")
    spoken = next(line for line in solution.splitlines() if 'say("#launch"' in line)
    model = script(
        tmp_path,
        turn(
            1,
            "write_file",
            path="/tmp/work.py",
            content=solution.replace(spoken, '    print("found:", ", ".join(vendors))'),
        ),
        turn(2, "shell", command="python3 /tmp/work.py"),
        look(3, "open", url="http://larkspur.test:3000/"),
        click_on(4, 'textbox "[^"]*username', "type", text="sam.reed"),
        click_on(5, 'textbox "Password"', "type", text="sam-reed-first-day"),
        look(6, "press", text="Enter"),
        click_on(7, 'link "[^"]*launch'),
        {
            "when": {
                "turn": 8,
                "last": r'textbox "Message[^\n]*?\[ref=(?P<ref>\w+)\]',
                "anywhere": r"found: (?P<vendors>[^\n]+)",
            },
            "call": {
                "name": "browser",
                "arguments": {"action": "type", "ref": "${ref}", "text": "Over their Q1 budget: ${vendors}"},
            },
        },
        look(9, "press", text="Enter"),
        look(10, "screenshot"),
        look(11, "open", url="http://larkspur.test:8092/"),
        click_on(12, 'textbox "[^"]*[Uu]sername', "type", text="sam.reed"),
        click_on(13, 'textbox "Password"', "type", text="sam-reed-first-day"),
        look(14, "press", text="Enter"),
        click_on(15, 'link "Operations'),
        turn(16, "finish", summary="Reported."),
    )
    out = tmp_path / "out"
    outcome = run_trial(TrialSpec(str(EXAMPLE), "worker", str(out), seconds=240, model=model), cache)
    seen = observations(out) if (out / "trajectory.json").exists() else []
    assert outcome.label is Label.RESOLVED, (outcome.reason, outcome.checkpoints, seen[-3:])
    assert "“launch" in seen[6]
    assert "over-budget.md" in seen[14]
    step = next(
        one for one in json.loads((out / "trajectory.json").read_text("utf-8"))["steps"] if one["step_id"] == 12
    )
    picture = step["observation"]["results"][0]["content"][1]
    assert picture == {"type": "image", "source": {"media_type": "image/png", "path": "screenshots/0001.png"}}
    data = (out / "screenshots" / "0001.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20]) > 1000  # as wide as the window
    assert '"url":"<image/png, ' in (out / "models.jsonl").read_text("utf-8")  # as the log shortens a picture
    # The company saw the browser come through the examinee's own doors.
    visits = [json.loads(line) for line in (out / "journal.jsonl").read_text("utf-8").splitlines()]
    pages = [one for one in visits if str(one.get("path")).startswith(("/channel/launch", "/index.php/login"))]
    assert {one["service"] for one in pages} == {"chat", "drive"}
    assert {one["role"] for one in pages} == {"examinee"}
    # Nor does a server of the browser's live on into grading.
    assert outcome.notes == []


PAGE = """<title>Desk</title><button onclick="if (confirm('Sure?')) document.title = 'Agreed'">Ask</button>
<select aria-label="Colour"><option>red</option><option>blue</option></select>
<a href="second.html" target="_blank">Further</a><a href="paper.bin" download>Paper</a>"""


def test_pages_ask_open_others_and_send_files_and_nothing_outside_is_reached(tmp_path: Path, cache: Path) -> None:
    here = "http://127.0.0.1:8765"
    model = script(
        tmp_path,
        turn(
            1,
            "shell",
            command="mkdir /srv/site && cd /srv/site && echo '<h1>Second</h1>' > second.html && echo paper > paper.bin",
        ),
        turn(2, "write_file", path="/srv/site/index.html", content=PAGE),
        turn(
            3,
            "shell",
            command="cd /srv/site; python3 -m http.server 8765 >/dev/null 2>&1 & echo $! > /srv/pid; sleep 1",
        ),
        look(4, "open", url=here),
        click_on(5, 'button "Ask"'),
        click_on(6, 'combobox "Colour"', "select", text="blue"),
        click_on(7, 'link "Paper"'),
        click_on(8, 'link "Further"'),
        look(9, "screenshot"),
        look(10, "open", url="http://example.com/"),
        look(11, "click", ref="e999"),
        look(12, "click"),
        look(13, "fly"),
        look(14, "open", url=here),
        look(15, "open", url=f"{here}/second.html"),
        look(16, "back"),
        click_on(17, 'combobox "Colour"', "read"),
        turn(18, "write_file", path="/srv/site/long.html", content="<ol>" + "<li>a line of a long page</li>" * 2000),
        look(19, "open", url=f"{here}/long.html"),
        turn(20, "shell", command="cat downloads/paper.bin; kill $(cat /srv/pid)"),
        turn(21, "finish", summary=""),
    )
    tried = attempt(cache, tmp_path, task(tmp_path), "worker", model=model, seconds=120)
    assert tried.outcome.label is Label.FAILED, tried.outcome.reason
    seen = observations(tried.folder)
    assert "[the page asked: 'Sure?'; answered with OK]" in seen[4]
    assert "“Agreed”" in seen[4]
    assert 'option "blue" [selected]' in seen[5]
    assert "second.html" in seen[7]
    assert "“Agreed”" not in seen[7]
    assert "net::ERR" in seen[9]
    assert "there is no element 'e999'" in seen[10]
    assert "click needs 'ref'" in seen[11]
    assert "there is no action 'fly'" in seen[12]
    assert "“Desk”" in seen[15]
    assert 'option "blue"' in seen[16]
    assert "Paper" not in seen[16]
    assert len(seen[18]) < 16_000
    assert "characters left out of the tree; read a part by its ref]" in seen[18]
    assert seen[19].startswith("paper")


def test_where_there_is_no_chromium_the_tool_is_not_offered(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "PROGRAM", "no-such-chromium")
    model = script(tmp_path, look(1, "read"), turn(2, "finish", summary=""))
    tried = attempt(cache, tmp_path, task(tmp_path), "worker", model=model, seconds=60)
    document = json.loads(tried.text("trajectory.json"))
    assert "browser" not in [one["function"]["name"] for one in document["agent"]["tool_definitions"]]
    assert observations(tried.folder) == ["there is no tool 'browser'"]


def test_a_model_that_takes_no_pictures_is_offered_and_sent_none(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dayjob.toml").write_text("[llm.roles.examinee]\npictures = false\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    model = script(tmp_path, look(1, "open", url="about:blank"), look(2, "screenshot"), turn(3, "finish", summary=""))
    tried = attempt(cache, tmp_path, task(tmp_path), "worker", model=model, seconds=60)
    [tool] = [
        one["function"]
        for one in json.loads(tried.text("trajectory.json"))["agent"]["tool_definitions"]
        if one["function"]["name"] == "browser"
    ]
    assert "screenshot" not in tool["parameters"]["properties"]["action"]["description"]
    assert "image_url" not in tried.text("models.jsonl")
    assert (tried.folder / "screenshots" / "0001.png").is_file()


def test_doctor_says_what_the_browser_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def finding() -> dict[str, Any]:
        said = json.loads(CliRunner().invoke(doctor, ["--json"]).output)
        return next(one for one in said["findings"] if one["name"] == "browser")

    assert finding()["works"]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert (finding()["works"], finding()["fix"]) == (False, "pip install 'dayjob[browser]'")


@pytest.mark.parametrize("there", [True, False])
def test_chromium_is_brought_along_where_there_is_a_driver_for_it(monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    monkeypatch.setattr(worker, "has_driver", lambda: there)
    assert bool(worker.Worker().install) is there
