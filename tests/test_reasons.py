"""Reasons: why a check gave or kept back points, from the evaluator to whoever reads the result; never to a terminal's
or a page's harm."""

from __future__ import annotations

import copy
import io
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dayjob.cli.report import report
from dayjob.report.story import tell_worth
from dayjob.report.viewer.index import Index
from dayjob.report.viewer.site import write_site
from dayjob.scoring import LONGEST_REASON, Checkpoint, Points, Result, clean_reason
from dayjob.trial.outcome import Label, Outcome

HOSTILE = "<script>alert(1)</script> [red]no[/red] \x1b]0;owned\x07\x1b[31m \u202eevil\udc80 " + "A" * 10_000_000


def test_points_are_a_number_and_a_checkpoint_takes_their_reason() -> None:
    points = Points(2, "two of the three files are there")
    assert points == 2
    assert points + 1 == 3
    assert not Points(0, "none is")
    assert Checkpoint(3, points) == Checkpoint(3, 2, "two of the three files are there")
    assert Checkpoint(3, points, "said otherwise").reason == "said otherwise"
    assert type(Checkpoint(3, points).result) is int
    assert (Points(True, "it is there"), Points(False)) == (1, 0)
    for again in (copy.deepcopy(points), pickle.loads(pickle.dumps(points))):
        assert (again, again.reason) == (2, points.reason)


def test_a_result_file_has_a_reason_only_where_there_is_one_and_reads_it_back() -> None:
    result = Result([Checkpoint(1, 1), Checkpoint(2, 1, "one of two")])
    stored = result.to_dict()
    assert stored["checkpoints"] == [{"total": 1, "result": 1}, {"total": 2, "result": 1, "reason": "one of two"}]
    assert Result.from_dict(json.loads(json.dumps(stored))).to_dict() == stored


def test_a_result_from_before_there_were_reasons_opens() -> None:
    stored = {"checkpoints": [{"total": 2, "result": 1}], "final_score": {"total": 2, "result": 1}}
    assert Result.from_dict(stored).to_dict() == stored


@pytest.mark.parametrize("reason", [3, None, ["a"], {"a": 1}, b"bytes", True])
def test_a_reason_that_is_no_text_is_refused_with_a_sentence(reason: Any) -> None:
    with pytest.raises(TypeError, match="a checkpoint's reason must be text, not"):
        Checkpoint(1, 1, reason)
    with pytest.raises(TypeError, match="a checkpoint's reason must be text, not"):
        Result.from_dict({"checkpoints": [{"total": 1, "result": 1, "reason": reason}]})
    with pytest.raises(TypeError, match="the reason for points must be text, not"):
        Points(1, reason)


@given(st.text(max_size=2000))
def test_a_reason_is_one_bounded_line_that_steers_nothing(text: str) -> None:
    reason = clean_reason(text)
    assert len(reason) <= LONGEST_REASON
    assert reason.splitlines() in ([], [reason])
    assert reason.encode().decode() == reason
    assert reason.replace(" ", "").isprintable()
    assert clean_reason(reason) == reason


def test_ten_megabytes_are_cut_before_they_are_looked_at() -> None:
    reason = clean_reason(HOSTILE)
    assert reason.startswith("<script>alert(1)</script> [red]no[/red] ]0;owned [31m evil AAA")
    assert len(reason) == LONGEST_REASON
    assert reason.endswith("A…")


def outcome(**more: Any) -> Outcome:
    rows = [{"total": 2, "result": 1, "reason": "one of two"}, {"total": 1, "result": 1}]
    known = {"result": 2, "total": 3, "checkpoints": rows, "timings": {"all": 1.0}}
    return Outcome("tidy-up", "worker", 1, Label.PARTIAL, **{**known, **more})


def judged(reason: str = "A mere claim.") -> list[dict[str, Any]]:
    """A question that was decided two to one."""
    yes = {"verdict": "yes", "reason": "Sam says so.", "quotes": [{"speaker": "sam.reed", "text": "it is Friday"}]}
    no = {"verdict": "no", "reason": reason, "quotes": [{"speaker": "", "text": "Friday"}]}
    return [{"question": "Sam told Mara.", "verdict": "yes", "agreement": "2 of 3", "votes": [yes, no, yes]}]


def test_an_outcome_keeps_reasons_and_one_without_them_opens() -> None:
    kept = outcome(raised=["grade_it raised KeyError: 'x'"], judged=judged())
    assert Outcome.from_json(kept.to_json()) == kept
    old = json.loads(outcome(checkpoints=[{"total": 3, "result": 2}]).to_json())
    del old["raised"], old["judged"]
    assert Outcome.from_json(json.dumps(old)).checkpoints == [{"total": 3, "result": 2}]


def test_a_hostile_outcome_file_is_read_as_plain_words() -> None:
    rows = [{"total": 3, "result": 2, "reason": HOSTILE}]
    found = Outcome.from_json(outcome(checkpoints=rows, raised=[HOSTILE], judged=judged(HOSTILE)).to_json())
    assert found.judged == judged(clean_reason(HOSTILE))
    assert found.checkpoints[0]["reason"] == found.raised[0] == clean_reason(HOSTILE)
    with pytest.raises(TypeError, match="a checkpoint's reason must be text, not 3"):
        Outcome.from_json(outcome(checkpoints=[{"total": 3, "result": 2, "reason": 3}]).to_json())


RUBRIC = "## Checkpoint 1 (2 pts)\n\nBoth files are on the drive.\n\n## Checkpoint 2 (1 pt)\n\nSaid so.\n"


def test_the_panel_at_the_end_has_the_words_of_each_checkpoint_and_its_reason() -> None:
    console = Console(file=io.StringIO(), width=100)
    shown = outcome(raised=["grade_it raised KeyError: 'x'"], reason="see the log", judged=judged())
    tell_worth(console, shown, RUBRIC)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    for words in (
        "tidy-up · worker · partial",
        "◐ 1/2  Both files are on the drive.",
        "→ one of two",
        "✓ 1/1  Said so.",
        "The evaluator failed in a check: grade_it raised KeyError: 'x'",
        "judge  yes, 2 of 3 votes: Sam told Mara.",
        "→ yes: Sam says so. (sam.reed: “it is Friday”)",
        "→ no: A mere claim. (“Friday”)",
        "= 2/3",
        "see the log",
    ):
        assert words in text


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two trials, one with a hostile reason and one from before there were any."""
    for number, one in enumerate((HOSTILE, ""), 1):
        folder = tmp_path / "run" / f"tidy-up.worker.{number}"
        folder.mkdir(parents=True)
        rows = [{"total": 3, "result": 2, **({"reason": one} if one else {})}]
        facts = json.loads(outcome(checkpoints=rows, judged=judged(one) if one else []).to_json())
        (folder / "outcome.json").write_text(json.dumps({**facts, "attempt": number}))
        (folder / "spec.json").write_text(json.dumps({"task": "/nowhere"}))
    return tmp_path / "run"


@pytest.mark.parametrize("form", ["text", "markdown", "json", "csv", "html"])
def test_reports_say_why_points_were_kept_back_and_a_hostile_reason_is_only_words(run: Path, form: str) -> None:
    text = CliRunner().invoke(report, [str(run), "--format", form]).stdout
    assert "alert(1)" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert len(text) < 100_000
    if form == "html":
        assert "<script>" not in text
    if form in ("text", "html"):
        assert "Why points were kept back" in text
        assert "[red]no[/red]" in text
    if form == "json":
        found = json.loads(text)
        assert found["trials"][0]["checkpoints"][0]["reason"] == clean_reason(HOSTILE)
        assert "reason" not in found["trials"][1]["checkpoints"][0]
        assert [one["judged"] for one in found["trials"]] == [judged(clean_reason(HOSTILE)), []]
        assert found["checkpoints"][0]["kept_back"] == [[clean_reason(HOSTILE), 1]]


def test_the_viewer_shows_reasons_as_words(run: Path, tmp_path: Path) -> None:
    index = Index([run], tmp_path / "index.sqlite")
    index.refresh()
    write_site(index, tmp_path / "site")
    index.close()
    pages = {page.relative_to(tmp_path / "site").as_posix(): page for page in (tmp_path / "site").rglob("*.html")}
    shown = next(page.read_text() for name, page in pages.items() if name.endswith("tidy-up.worker.1/index.html"))
    assert '<span class="why">&lt;script&gt;alert(1)&lt;/script&gt; [red]no[/red]' in shown
    assert "<script>alert" not in shown
    assert "\x1b" not in shown
    assert "<strong>yes, 2 of 3 votes</strong> Sam told Mara.<br>" in shown
    assert '<span class="why">yes: Sam says so. (sam.reed: “it is Friday”)</span>' in shown
    assert '<span class="why">no: &lt;script&gt;alert(1)&lt;/script&gt; [red]no[/red]' in shown
    old = next(page.read_text() for name, page in pages.items() if name.endswith("tidy-up.worker.2/index.html"))
    assert 'class="why"' not in old
