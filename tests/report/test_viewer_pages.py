"""Every page is made from any evidence: misshapen files are shown as far as they can be, never a crash."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dayjob.report.viewer.index import Index
from dayjob.report.viewer.lost import checkpoint_shares, lost_points
from dayjob.report.viewer.pages import Context, Pages
from dayjob.trial.outcome import EXHAUSTED
from tests.report.runs import step, trajectory, write_trial

ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ROW = st.dictionaries(
    st.sampled_from(
        ["kind", "time", "role", "service", "table", "op", "key", "before", "after", "words", "status", "path"]
    ),
    st.sampled_from(["request", "change", "chat", "messages", "added", "2026-03-09T09:00:00Z", "2026-03-09"]) | ANY,
)
STEP = st.dictionaries(
    st.sampled_from(
        ["source", "message", "timestamp", "tool_calls", "observation", "metrics", "extra", "reasoning_content"]
    ),
    ANY | st.just({"results": [{"content": [{"source": {"path": "../x"}}]}]}) | st.just([{"function_name": 1}, 2]),
)
PAGES = ("index", "steps", "delivered", "chat", "changes", "journal", "files", "evidence")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any") / "run"


# Without shrinking: an example that fails is small already, and each takes eight pages.
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.generate],
)
@given(
    journal=st.lists(ROW | ANY, max_size=5),
    changes=st.lists(ROW, max_size=4) | ANY,
    steps=st.lists(STEP, max_size=4) | ANY,
    agent=ANY,
)
def test_any_evidence_makes_pages(folder: Path, journal: list[Any], changes: Any, steps: Any, agent: Any) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    trial = write_trial(folder, "alpha", document={"agent": agent, "steps": steps})
    (trial / "changes.json").write_text(json.dumps(changes))
    (trial / "journal.jsonl").write_text("".join(json.dumps(row) + "\n" for row in journal))
    index = Index([folder])
    index.refresh()
    pages = Pages(index)
    for name in PAGES:
        answer, _ = pages.answer(f"r/run/t/alpha.worker.1/{name}.html")
        assert answer.status == 200, answer.body.decode()
    key = "run/alpha.worker.1"
    answer, _ = pages.answer("compare.html", {"a": key, "b": key})
    assert answer.status == 200, answer.body.decode()
    pages.close()
    index.close()


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("timings", "soon"),
        ("checkpoints", [1]),
        ("task", 5),
        ("made_of", []),
        ("result", "x"),
        ("faults", None),
        ("label", []),
    ],
)
def test_a_misshapen_outcome_is_a_fault_of_that_trial_alone(tmp_path: Path, part: str, value: Any) -> None:
    trial = write_trial(tmp_path / "run", "alpha")
    facts = json.loads((trial / "outcome.json").read_text())
    (trial / "outcome.json").write_text(json.dumps({**facts, part: value}))
    (trial / "spec.json").write_text(json.dumps({"task": "a\0b"}))
    write_trial(tmp_path / "run", "beta")
    index = Index([tmp_path / "run"])
    index.refresh()
    pages = Pages(index)
    answer, _ = pages.answer("r/run/t/alpha.worker.1/index.html")
    assert answer.status == 200
    assert b"outcome.json cannot be read" in answer.body
    assert pages.answer("r/run/index.html")[0].status == 200
    assert index.runs()[0].scored == 1
    index.close()


class NoAttempts(Index):
    def attempts(self, run: str) -> list[tuple[int, int]]:
        raise ValueError(f"nothing about {run}")


def test_a_page_that_cannot_be_made_says_so_and_the_others_stand(tmp_path: Path) -> None:
    write_trial(tmp_path / "run", "alpha")
    index = NoAttempts([tmp_path / "run"])
    index.refresh()
    pages = Pages(index)
    broken, _ = pages.answer("r/run/index.html")
    assert broken.status == 500
    assert b"cannot be made from its evidence: ValueError: nothing about run" in broken.body
    assert pages.answer("matrix.html")[0].status == 200
    index.close()


def test_pages_of_a_long_trajectory_are_turned_one_by_one(tmp_path: Path) -> None:
    document = trajectory([step(number, "agent", f"thought {number}") for number in range(1, 52)])
    write_trial(tmp_path / "run", "alpha", document=document)
    index = Index([tmp_path / "run"])
    index.refresh()
    pages = Pages(index)
    base = "r/run/t/alpha.worker.1"
    last, links = pages.answer(f"{base}/steps-3.html")
    assert b"thought 51" in last.body
    assert f"{base}/steps-2.html" in links
    assert f"{base}/steps-4.html" not in links
    assert pages.answer(f"{base}/steps-4.html")[0].status == 404
    index.close()


def test_links_are_relative_and_quoted() -> None:
    context = Context("r/a/t/b/index.html", {}, False)
    assert context.link("r/a/index.html") == "../../index.html"
    assert context.link("r/a/t/b/steps.html") == "steps.html"
    assert context.link("r/a b/t/50%?#.x/index.html") == "../../../a%20b/t/50%25%3F%23.x/index.html"
    assert Context("index.html", {}, False).link("javascript:alert(1)").startswith("javascript%3A")
    assert context.link("search.html", q="a&b") == "../../../../search.html?q=a%26b"


def test_a_trial_that_exhausted_its_company_is_counted_apart_and_has_its_marks(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_trial(run, "alpha", result=0)
    folder = write_trial(run, "beta", result=0, reason="exhausted its company: it needed more memory", how=EXHAUSTED)
    outcome = json.loads((folder / "outcome.json").read_text())
    (folder / "outcome.json").write_text(json.dumps({**outcome, "checkpoints": []}))
    index = Index([run])
    index.refresh()
    pages = Pages(index)
    (summary,) = index.runs()
    assert (summary.scored, summary.faults, summary.exhausted) == (2, 0, 1)
    assert b"<strong>1</strong> failed by exhausting its company" in pages.answer("r/run/index.html")[0].body
    shown = pages.answer("r/run/t/beta.worker.1/index.html")[0].body.decode()
    assert "<strong>0 of 3</strong> marks" in shown
    assert "<p>It exhausted its company" in shown
    assert "exhausted its company" not in pages.answer("r/run/t/alpha.worker.1/index.html")[0].body.decode()
    pages.close()
    index.close()


def test_alike_losses_stand_together_and_checkpoints_have_their_share_by_agent(tmp_path: Path) -> None:
    run = tmp_path / "run"
    for agent, attempt, result, reason in (
        ("worker", 1, 1, "the total is missing"),
        ("worker", 2, 1, "the total is missing"),
        ("other", 1, 0, "no report"),
        ("good", 1, 3, ""),
    ):
        folder = write_trial(run, "alpha", agent, attempt, result=result)
        outcome = json.loads((folder / "outcome.json").read_text())
        outcome["checkpoints"][0]["reason"] = reason
        (folder / "outcome.json").write_text(json.dumps(outcome))
    index = Index([run])
    index.refresh()
    lost = lost_points(index, "run", ["alpha"])
    assert [(one.place, one.reason, one.trials, one.points, one.entrants) for one in lost] == [
        (2, "", 3, 3, "other,worker"),
        (1, "the total is missing", 2, 2, "worker"),
        (1, "no report", 1, 2, "other"),
    ]
    shares = checkpoint_shares(index, "run", ["alpha"])
    assert shares == {
        ("alpha", 1): {"good": 1.0, "other": 0.0, "worker": 0.5},
        ("alpha", 2): {"good": 1.0, "other": 0.0, "worker": 0.0},
    }
    pages = Pages(index)
    shown = pages.answer("r/run/lost.html")[0].body.decode()
    assert "the total is missing" in shown
    assert '<td class="cell heat is-partial">50%</td>' in shown
    assert pages.answer("r/run/lost-2.html")[0].status == 404
    pages.close()
    shutil.rmtree(run / "alpha.other.1")
    index.refresh()
    assert [one.entrants for one in lost_points(index, "run", ["alpha"])] == ["worker", "worker"]
    index.close()
