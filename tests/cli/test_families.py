"""docs/families.md works as written, and families are run, resumed, graded again and kept private from the commands."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayjob.cli import dayjob as commands_of_dayjob
from dayjob.trial.variants import VariantKey
from tests.trial.families import family
from tests.trial.offices import office

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "families.md"
_BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.DOTALL | re.MULTILINE)
SECRET = "a-secret-of-many-letters-and-more"


def dayjob(*words: str | Path) -> Result:
    return CliRunner().invoke(commands_of_dayjob, [str(word) for word in words])


def outcomes(folder: Path) -> dict[str, dict[str, object]]:
    return {path.parent.name: json.loads(path.read_text()) for path in sorted(folder.glob("*/outcome.json"))}


def test_the_ten_minutes_lead_to_a_proven_family(tmp_path: Path) -> None:
    commands = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    said = {}
    for block in _BLOCK.finditer(GUIDE.read_text("utf-8").replace("/tmp/families.key", str(tmp_path / "key"))):
        if block["title"]:
            (tmp_path / block["title"]).write_text(block["text"], "utf-8")
            continue
        for line in block["text"].splitlines() if block["kind"] == "sh" else ():
            done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            said[line] = done.stdout
    assert "25 of 25 claims hold." in said["dayjob test count-the-cans --variants 10"]
    assert "11 of 11 claims hold." in said["dayjob test count-the-cans --variants 3"]
    assert len(outcomes(tmp_path / "runs" / "five")) == 10
    assert [name.split(".")[1] for name in outcomes(tmp_path / "runs" / "seven")] == ["v7"]


def test_every_variant_is_run_so_many_times_beside_tasks_that_are_no_families(tmp_path: Path) -> None:
    folder = family(tmp_path / "tasks")
    shutil.copytree(ROOT / "tasks" / "example", tmp_path / "tasks" / "example")
    done = dayjob("run", tmp_path / "tasks", "-a", "nop", "--variants", "3", "-k", "2", "-o", tmp_path / "run")
    assert done.exit_code == 0, done.output
    found = outcomes(tmp_path / "run")
    assert sorted(found) == [
        *(f"example.nop.{attempt}" for attempt in (1, 2)),
        *(f"shelf.v{number}.nop.{attempt}" for number in (0, 1, 2) for attempt in (1, 2)),
    ]
    assert found["shelf.v2.nop.1"]["variant"] == 2
    assert found["example.nop.1"]["variant"] is None
    assert len({str(found[f"shelf.v{number}.nop.1"]["made_of"]) for number in range(3)}) == 3
    report = dayjob("report", tmp_path / "run", "--format", "json")
    rows = json.loads(report.output)
    assert {row["variant"] for row in rows["trials"] if row["task"] == "shelf"} == {0, 1, 2}
    tasks = {group["name"]: group for group in rows["by"]["task"]}
    assert tasks["shelf"]["trials"] == 6
    assert folder.is_dir()


def test_a_family_without_a_number_is_its_canonical_variant(tmp_path: Path) -> None:
    folder = family(tmp_path)
    assert dayjob("run", folder, "-o", tmp_path / "run").exit_code == 0
    found = outcomes(tmp_path / "run")["shelf.v0.oracle.1"]
    assert (found["variant"], found["label"]) == (0, "resolved")
    assert "4711" in str(found["checkpoints"])


def test_variants_of_what_is_no_family_are_refused(tmp_path: Path) -> None:
    done = dayjob("run", ROOT / "tasks" / "example", "--variants", "2", "-o", tmp_path / "run")
    assert done.exit_code == 2
    assert "is no family" in done.output
    done = dayjob("run", family(tmp_path), "--variants", "2", "--variant", "1", "-o", tmp_path / "run")
    assert done.exit_code == 2
    assert "say one of them" in done.output
    assert not (tmp_path / "run").exists()


def test_a_private_set_leaves_its_values_and_its_key_nowhere_but_in_the_examinees_own_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYJOB_CACHE", str(tmp_path / "cache"))
    folder, file, run = family(tmp_path), tmp_path / "key", tmp_path / "run"
    file.write_text(SECRET)
    key = VariantKey.read(file)
    done = dayjob("run", folder, "--variants", "2", "--variant-key", file, "-o", run, "-a", "nop")
    assert done.exit_code == 0, done.output
    found = outcomes(run)
    assert {(one["variant"], one["variant_set"]) for one in found.values()} == {
        (0, key.fingerprint),
        (1, key.fingerprint),
    }
    numbers = [
        re.findall(r'"number": (\d+)', path.read_text())[0]
        for path in tmp_path.glob("cache/variants/*/shelf/variant.py")
    ]
    assert len(numbers) == 2
    assert not any({"image", "snapshot"} & set(dict(one["made_of"])) for one in found.values())  # type: ignore[call-overload]
    for path in [path for path in run.rglob("*") if path.is_file()]:
        content = path.read_bytes()
        assert SECRET.encode() not in content, path
        if "kept" not in path.name and not path.name.endswith(".tar.gz"):
            assert not any(number.encode() in content for number in numbers), path
    told = dayjob("report", run).output + dayjob("report", run, "--format", "json").output
    told += dayjob("report", run / next(iter(found))).output
    assert key.fingerprint in told
    assert not any(number in told for number in numbers)


def test_resume_and_regrade_of_a_private_set_need_the_key_where_the_cache_has_it_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYJOB_CACHE", str(tmp_path / "cache"))
    folder, file, run = family(tmp_path), tmp_path / "key", tmp_path / "run"
    file.write_text(SECRET)
    assert dayjob("run", folder, "--variant", "1", "--variant-key", file, "-o", run).exit_code == 0
    assert dayjob("regrade", run).exit_code == 0
    shutil.rmtree(tmp_path / "cache" / "variants")
    (path,) = run.glob("*/outcome.json")
    path.unlink()
    refused = dayjob("resume", run)
    assert refused.exit_code == 2
    assert "--variant-key" in refused.output
    file.with_name("other").write_text(SECRET[::-1])
    wrong = dayjob("resume", run, "--variant-key", tmp_path / "other")
    assert wrong.exit_code == 2
    assert "is of" in wrong.output
    assert dayjob("resume", run, "--variant-key", file).exit_code == 0
    (found,) = outcomes(run).values()
    assert found["label"] == "resolved"
    assert "reason" not in str(found["checkpoints"])


def test_a_family_that_cannot_be_drawn_is_the_tasks_fault_and_checked_as_such(tmp_path: Path) -> None:
    folder = family(tmp_path, variant__py="def draw(random):\n    raise ValueError('no')\n")
    done = dayjob("run", folder, "-a", "nop", "-o", tmp_path / "run")
    assert done.exit_code == 1
    (found,) = outcomes(tmp_path / "run").values()
    assert found["label"] == "init_error"
    assert "variant.py:2: ValueError: no" in str(found["reason"])
    checked = dayjob("check", folder)
    assert checked.exit_code == 1
    assert "DJ801" in checked.output


def test_a_finding_in_a_made_file_names_its_template(tmp_path: Path) -> None:
    folder = family(tmp_path, task__md__j2="Checkpoint 1 is about {{ things }}.\n")
    done = dayjob("check", folder)
    assert f"{folder}/task.md.j2: error DJ201" in done.output


def test_where_there_is_no_room_only_the_folder_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = dayjob("check", family(tmp_path))
    assert done.exit_code == 0, done.output
    assert "DJ810" in done.output


@pytest.mark.parametrize(
    ("file", "number", "variants"), [("key__yml__j2", "{{ key.number }}", 3), ("key__yml", "4711", 1)]
)
def test_a_key_that_is_a_template_is_looked_for_in_every_variant(
    tmp_path: Path, file: str, number: str, variants: int
) -> None:
    folder = family(tmp_path, **{file: f"- what: the number of things\n  is: {number}\n  about: shelf\n"})
    done = dayjob("test", folder, "--variants", "3", "--paraphrases", "none", "--json")
    claims = [json.loads(line) for line in done.output.splitlines()]
    found = [claim["claim"] for claim in claims if "key rests on" in claim["claim"]]
    sentence = "what the key rests on is contradicted nowhere in the company"
    assert found == [sentence, f"variant 1: {sentence}", f"variant 2: {sentence}"][:variants]


WORDS = """\
format: 1
without: [tell]
deliverables: {answer: {file: /workspace/answer.txt}}
right: ["NUMBER"]
near: [{wrong: one more, text: "NUMBER0"}]
"""
TELLS = """\
from variant import VALUES

def tell():
    open("/workspace/answer.txt", "w").write(str(VALUES["key"]["number"]))

tell()
"""


@pytest.mark.parametrize(
    ("file", "number", "variants"), [("paraphrases__yml__j2", "{{ key.number }}", 3), ("paraphrases__yml", "4711", 1)]
)
def test_other_words_that_are_a_template_are_tried_in_every_variant(
    tmp_path: Path, file: str, number: str, variants: int
) -> None:
    folder = family(tmp_path, solution__py=TELLS, **{file: WORDS.replace("NUMBER", number)})
    done = dayjob("test", folder, "--world", office(tmp_path), "--variants", "3", "--json")
    claims = [json.loads(line) for line in done.stdout.splitlines()]
    assert [claim["claim"] for claim in claims if not claim["holds"]] == []
    found = [claim["claim"] for claim in claims if "other words" in claim["claim"] or "near miss" in claim["claim"]]
    right, near = "1 right answer in other words gets full marks", "1 near miss gets less"
    assert found == [
        f"{which}{one}" for which in ("", "variant 1: ", "variant 2: ")[:variants] for one in (right, near)
    ]
