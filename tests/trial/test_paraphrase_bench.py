"""Answers in other words, delivered to kept work and graded: what a grader refuses or pays for is told by entry."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from dayjob.cli.test import test as prove
from dayjob.task import Task
from dayjob.trial.local_driver import run_trials
from dayjob.trial.outcome import Label
from dayjob.trial.paraphrase_bench import Base, Graded, grade_all
from dayjob.trial.proof import UNDELIVERED, claims
from tests.trial.offices import TASK, office, write

SOLUTION = """
    from pathlib import Path

    def tell():
        Path("/workspace/answer.txt").write_text("shipshape")

    Path("/workspace/notes.txt").write_text("asked everybody")
    tell()
    """
IN_FILE = """\
format: 1
without: [tell]
deliverables: {answer: {file: /workspace/deep/answer.txt}}
right: [shipshape, It is shipshape., {answer: [tidy, shipshape]}]
near: [{text: tidy, wrong: another word, result: 1}]
"""
GRADER = """
    from pathlib import Path
    from common import *
    from scoring import Checkpoint, Points, Result

    @grader
    def grade_notes():
        return Points(Path("/workspace/notes.txt").exists() and bool(said()), "there are notes")

    @grader
    def grade_answer():
        return Points("shipshape" in said(), f"the answer is {said()!r}")

    def said():
        path = Path("/workspace/deep/answer.txt")
        return path.read_text().strip() if path.exists() else ""

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, grade_notes()), Checkpoint(1, grade_answer())])
    """


def graded(tmp_path: Path, files: dict[str, str]) -> list[Graded]:
    """What came of every entry of a task with these files."""
    task = Task.load(write(tmp_path / "errand", {**TASK, "solution.py": SOLUTION, "evaluator.py": GRADER, **files}))
    (claim,) = [
        one
        for one in claims(task, tmp_path / "out", world=str(office(tmp_path)), paraphrases=True)
        if one.spec.agent == UNDELIVERED
    ]
    (outcome,) = run_trials([claim.spec])
    assert claim.verdict(outcome) is None
    assert outcome.label is not Label.RESOLVED
    found: list[Graded] = []
    assert task.paraphrases is not None
    grade_all(
        [Base(task, claim.spec, task.paraphrases.entries)], parallel=2, on_graded=lambda _, one: found.append(one)
    )
    return found


def test_a_file_of_the_examinees_is_written_in_other_words(tmp_path: Path) -> None:
    found = graded(tmp_path, {"paraphrases.yml": IN_FILE})
    assert [(one.entry.name, one.result, one.why) for one in found] == [
        ("right 1", 2, None),
        ("right 2", 2, None),
        ("right 3", 2, None),
        ("near 1", 1, None),
    ]


WIRES = """\
format: 1
without: [tell]
deliverables:
  mara: {message: "@mara.lind", usual: done}
  plan: {drive: /Notes/new/answer.md}
right:
  - [one, {edit: two}, {reply: three}, four, {delete: the last}]
  - {mara: [], plan: "# shipshape"}
near:
  - {text: {plan: [old, new]}, wrong: the file was written twice}
"""
SEEN = """
    import json
    from common import *
    from scoring import Checkpoint, Points, Result

    @grader
    def grade():
        said = [(one.text, bool(one.thread)) for one in messages_from("sam.reed") if "mara.lind" in one.people]
        file = (get_binary_file_content_owncloud("answer.md", "Notes/new") or b"").decode()
        return Points(0, json.dumps([said, file, accessed("owncloud", "/remote.php/webdav/Notes", method="PUT")]))

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, grade())])
    """


def test_it_is_the_examinee_who_delivers_over_the_wires_and_the_journal_sees_it(tmp_path: Path) -> None:
    files = {"paraphrases.yml": WIRES, "evaluator.py": SEEN, "dependencies.yml": "- owncloud\n- rocketchat\n"}
    found = graded(tmp_path, files)
    reasons = [json.loads(str(one.why).partition("checkpoint 1, 0/1: ")[2]) for one in found if one.entry.right]
    assert reasons == [
        [[["two", False], ["three", True]], "", False],
        [[], "# shipshape", True],
    ]
    assert found[2].why is None


@pytest.mark.parametrize("share", ["all", "none"])
def test_a_grader_that_refuses_a_paraphrase_is_refuted_with_line_score_and_reason(tmp_path: Path, share: str) -> None:
    strict = GRADER.replace('"shipshape" in said()', 'said() == "shipshape"').replace("deep/", "")
    files = {"solution.py": SOLUTION, "evaluator.py": strict, "paraphrases.yml": IN_FILE.replace("deep/", "")}
    folder = write(tmp_path / "errand", {**TASK, **files})
    asked = [str(folder), "--world", str(office(tmp_path)), "--paraphrases", share]
    done = CliRunner().invoke(prove, asked, catch_exceptions=False)
    refuted = dedent("""\
        ✗ errand: 3 right answers in other words get full marks: 1 of 3 did not
            paraphrases.yml:4 (right 2) “It is shipshape.”: got 1 of 2, and is right
              checkpoint 1, 1/1: there are notes
              checkpoint 2, 0/1: the answer is 'It is shipshape.'
        ✓ errand: 1 near miss gets less
        """)
    assert (refuted in done.output) == (share == "all"), done.output
    assert done.exit_code == (1 if share == "all" else 0)


def test_a_solution_that_fails_without_its_answer_is_refuted(tmp_path: Path) -> None:
    files = {"solution.py": "def tell():\n    pass\n\ntell()\nraise ValueError('no answer')\n"}
    folder = write(tmp_path / "errand", {**TASK, **files, "evaluator.py": GRADER, "paraphrases.yml": IN_FILE})
    found = claims(Task.load(folder), tmp_path / "out", world=str(office(tmp_path)), paraphrases=True)[-1]
    (outcome,) = run_trials([found.spec])
    assert str(found.verdict(outcome)).startswith("the solution failed\n    solution.py ended with 1: ValueError")


EVERYWHERE = """\
format: 1
without: [tell]
deliverables:
  issue: {issue: larkspur/handbook, labels: bug}
  comment: {comment: "larkspur/handbook#1"}
  wiki: {wiki: "larkspur/trellis:a-page-of-sams"}
  card: {card: Office, assignee: noor.haddad, due: 2026-03-31, state: Todo}
  remark: {card-comment: WEB-1}
  sheet: {sheet: /Finance/Budgets/2026-q2-budget.xlsx, page: Teams}
  table: {sheet: /Operations/new.xlsx}
right:
  - issue: ["A title\\n\\nand a text", {edit: "Another title\\n\\nand a text"}]
    comment: [first, {edit: second}]
    wiki: ["# One", "# Two"]
    card: ["A card\\n\\nwith *words*", {edit: "A card"}]
    remark: [first, {edit: second}]
    sheet: {D3: 8450, E3: because}
    table: "name,amount\\nsum,12.5\\n"
near:
  - {text: {issue: [], table: "name\\n"}, wrong: there is no sum in the table}
"""
LEFT = """
    import io
    import openpyxl
    from common import *
    from scoring import Checkpoint, Points, Result

    @grader
    def grade():
        book = openpyxl.load_workbook(io.BytesIO(get_binary_file_content_owncloud("new.xlsx", "Operations")))
        words = sorted({row["words"] for name in ("gitlab", "plane", "owncloud") for row in changes(name)})
        return Points(book.active["B2"].value == 12.5 and len(words) >= 6, " | ".join(words))

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, grade())])
    """


def test_every_kind_of_deliverable_reaches_its_place_in_the_company(tmp_path: Path) -> None:
    task = Task.load(
        write(
            tmp_path / "errand",
            {
                **TASK,
                "solution.py": "def tell():\n    pass\n",
                "evaluator.py": LEFT,
                "paraphrases.yml": EVERYWHERE,
                "dependencies.yml": "- gitlab\n- plane\n- owncloud\n",
                "Dockerfile": "FROM dayjob/task-base:1\nRUN pip install --no-cache-dir openpyxl==3.1.5\n",
            },
        )
    )
    claim = claims(task, tmp_path / "out", paraphrases=True)[-1]
    run_trials([claim.spec])
    found: list[Graded] = []
    assert task.paraphrases is not None
    grade_all(
        [Base(task, claim.spec, task.paraphrases.entries)], parallel=1, on_graded=lambda _, one: found.append(one)
    )
    assert [(one.entry.name, one.result, one.why) for one in found] == [("right 1", 1, None), ("near 1", 0, None)]


CHANGES = """\
format: 1
without: [tell]
deliverables:
  board: {items: Office}
  words: {code: "larkspur/catalogue-import@words:README.md"}
  module: {code: "larkspur/catalogue-import@words:catalogue/words.py"}
  request: {merge-request: larkspur/catalogue-import, branch: words, reviewer: lena.fischer}
right:
  - board: "OFF-3 state: Cancelled\\nOFF-3 module: First days\\nOFF-3 due: 2026-03-13"
    words: "@@\\n-# Catalogue import\\n+# Catalogues\\n"
    module: ["WORDS = 1\\n", "@@\\n-WORDS = 1\\n+WORDS = 2\\n"]
    request: "Words\\n\\nCloses #4"
near:
  - {text: {words: "@@\\n-# Nothing of the kind\\n+# Catalogues\\n"}, wrong: it does not fit}
  - {text: {board: "OFF-3 module: Nowhere"}, wrong: there is no such module}
"""
CHANGED = """
    import json
    from common import *
    from scoring import Checkpoint, Points, Result

    @grader
    def grade():
        request = newest_merge_request("larkspur/catalogue-import", "sam.reed")
        code = [line for one in request["changes"] for line in one["diff"].splitlines() if line[:1] in "+-"]
        card = [row["words"] for row in changes("plane")]
        return Points(0, json.dumps([request["reviewers"][0]["username"], code, card]))

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, grade())])
    """


def test_items_are_changed_and_files_patched_and_what_does_not_fit_is_told(tmp_path: Path) -> None:
    files = {
        **TASK,
        "solution.py": "def tell():\n    pass\n",
        "evaluator.py": CHANGED,
        "paraphrases.yml": CHANGES,
        "dependencies.yml": "- gitlab\n- plane\n",
    }
    task = Task.load(write(tmp_path / "errand", files))
    claim = claims(task, tmp_path / "out", paraphrases=True)[-1]
    run_trials([claim.spec])
    found: list[Graded] = []
    assert task.paraphrases is not None
    grade_all(
        [Base(task, claim.spec, task.paraphrases.entries)], parallel=1, on_graded=lambda _, one: found.append(one)
    )
    reviewer, code, card = json.loads(str(found[0].why).partition("checkpoint 1, 0/1: ")[2])
    assert reviewer == "lena.fischer"
    assert code == ["-# Catalogue import", "+# Catalogues", "+WORDS = 2"]
    for said in ("from Done to Cancelled", "First days", 'to "2026-03-13"'):
        assert said in " ".join(card)
    fit, place = (str(one.why).removeprefix("it could not be delivered: ") for one in found[1:])
    assert fit == "words: The hunk that begins with '# Nothing of the kind' stands nowhere in 'README.md'."
    assert place.startswith("board: there is no 'Nowhere' in projects/")
