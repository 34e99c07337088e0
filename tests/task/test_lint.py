"""Every rule of `dayjob check`: a good task has no finding, and each way to spoil it has exactly the one expected."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dayjob.task.lint import check, find_tasks
from dayjob.task.rules import Rule, Severity
from tests.task.folders import add, drop, good_task, link, put, rules_of, swap

Spoil = Callable[[Path], object]

GRADER = "@grader\ndef grade_answer"
SERVED = """

def helper():
    return requests.get("http://x").json()
"""
SUMS = "    checkpoints.append(Checkpoint(2, grade_answer()))"

# Rule, how the good task is spoiled, and the line the finding must name (0: the whole file, None: not said).
CASES: list[tuple[str, Spoil, int | None]] = [
    ("DJ101", drop("task.md"), 0),
    ("DJ101", drop("checkpoints.md"), 0),
    ("DJ101", drop("evaluator.py"), 0),
    ("DJ101", drop("Dockerfile"), 0),
    ("DJ101", drop("dependencies.yml"), 0),
    ("DJ103", put("README.md", "hello"), 0),
    ("DJ103", put("readme.txt", "hello"), 0),
    ("DJ104", put("task.md", " \n\n"), 0),
    ("DJ105", link("notes.md", "/etc/hostname"), 0),
    ("DJ105", link("task.md", "/etc/hostname"), 0),
    ("DJ105", link("elsewhere", ".."), 0),
    ("DJ106", put("task.md", b"a" * 1_000_001), 0),
    ("DJ107", put("evaluator.py", b"import os\n\x7fELF\0\0"), 2),
    ("DJ107", put("task.md", "caf\u00e9\nna\u00efve".encode("latin-1")), 1),
    ("DJ108", link("task.md", "task.md"), 0),
    ("DJ201", add("task.md", "\nCheckpoint 1 is the file.\n"), None),
    ("DJ201", add("task.md", "\nSee evaluator.py for what is checked.\n"), None),
    ("DJ202", add("task.md", "\nThe file (2 pts) must exist.\n"), None),
    ("DJ202", add("task.md", "\nThe rubric is strict.\n"), None),
    (
        "DJ202",
        add(
            "task.md",
            "\n/workspace/answer.txt gives the right number, in words. One point is given for it in digits.\n",
        ),
        None,
    ),
    ("DJ203", add("task.md", "\nHint: forty-two watering cans\n"), None),
    ("DJ204", add("task.md", "\n1. Open it\n2. Read it\n3. Copy it\n4. Send it\n5. Close it\n"), None),
    ("DJ205", add("task.md", "\nOn GitLab, use root; the password is theagentcompany.\n"), None),
    ("DJ205", add("task.md", "\nGitLab answers to PRIVATE-TOKEN: abc.\n"), None),
    ("DJ301", add("evaluator.py", "\ndef broken(:\n"), None),
    ("DJ302", swap("evaluator.py", "def grade_checkpoints(", "def grade_everything("), 0),
    ("DJ302", swap("evaluator.py", 'def grade_checkpoints(trajectory="")', "def grade_checkpoints()"), None),
    ("DJ302", swap("evaluator.py", 'def grade_checkpoints(trajectory="")', "def grade_checkpoints(trajectory)"), None),
    ("DJ302", swap("evaluator.py", 'grade_checkpoints(trajectory="")', 'grade_checkpoints(a, trajectory="")'), None),
    ("DJ303", add("evaluator.py", '\nif __name__ == "__main__":\n    grade_checkpoints()\n'), None),
    ("DJ303", add("evaluator.py", "\ndef main():\n    grade_checkpoints()\n"), None),
    ("DJ304", swap("evaluator.py", "@grader\n", ""), 0),
    ("DJ305", swap("evaluator.py", GRADER, "def grade_answer"), None),
    (
        "DJ306",
        swap(
            "evaluator.py",
            "def grade_checkpoints",
            "@grader\ndef grade_extra():\n    return True\n\n\ndef grade_checkpoints",
        ),
        None,
    ),
    ("DJ306", swap("evaluator.py", SUMS, SUMS.replace("grade_answer()", "2")), None),
    (
        "DJ307",
        swap(
            "evaluator.py",
            "    result = Result(checkpoints)\n",
            "    result = Result(checkpoints)\n    accessed('chat', '/')\n",
        ),
        None,
    ),
    (
        "DJ307",
        swap(
            "evaluator.py",
            "    result = Result(checkpoints)\n",
            "    result = Result(checkpoints)\n    requests.get('http://x')\n",
        ),
        None,
    ),
    (
        "DJ307",
        lambda folder: (
            swap(
                "evaluator.py", "    result = Result(checkpoints)\n", "    result = Result(checkpoints)\n    helper()\n"
            )(folder),
            add("evaluator.py", SERVED)(folder),
        ),
        None,
    ),
    ("DJ308", add("evaluator.py", "\nrocket = create_rocketchat_client()\n"), None),
    (
        "DJ309",
        add("evaluator.py", '\n@grader\ndef grade_page(trajectory):\n    return "http://x" in trajectory.lower()\n'),
        None,
    ),
    ("DJ310", add("evaluator.py", '\ndef run(link):\n    subprocess.run(f"curl {link}", shell=True)\n'), None),
    ("DJ310", add("evaluator.py", "\ndef run(link):\n    os.system('curl ' + link)\n"), None),
    (
        "DJ311",
        add(
            "evaluator.py",
            "\n@grader\ndef grade_x():\n    try:\n        return look()\n    except Exception:\n        return True\n",
        ),
        None,
    ),
    ("DJ313", add("evaluator.py", "\ndef run():\n    subprocess.run(['python3', '/workspace/app.py'])\n"), None),
    ("DJ401", swap("checkpoints.md", "## Checkpoint 1 (1 pt)", "## Checkpoint 1 (3 pts)"), 5),
    ("DJ402", add("checkpoints.md", "\n## Checkpoint 6 (1 pt)\n\nMore.\n"), None),
    ("DJ403", swap("checkpoints.md", "has 6 points", "has 7 points"), 3),
    ("DJ404", put("checkpoints.md", "# Checkpoints\n\nIt must be good.\n"), 0),
    (
        "DJ405",
        swap(
            "evaluator.py",
            SUMS,
            "    for each in range(1):\n        checkpoints.append(Checkpoint(2, int(grade_answer())))",
        ),
        None,
    ),
    ("DJ501", add("Dockerfile", "INSTALL pandas\n"), 2),
    ("DJ501", add("Dockerfile", "RUN <<EOF\necho hello\nEOF\n"), 2),
    ("DJ501", add("Dockerfile", "RUN\n"), 2),
    ("DJ502", put("Dockerfile", "FROM python:3.12-slim\n"), 1),
    ("DJ502", put("Dockerfile", "# nothing\n"), 0),
    ("DJ502", put("Dockerfile", "FROM dayjob/task-base:1 AS first\nRUN true\nFROM debian\n"), 3),
    ("DJ503", add("Dockerfile", 'CMD ["bash"]\n'), 2),
    ("DJ503", add("Dockerfile", "entrypoint sleep 1\n"), 2),
    ("DJ503", add("Dockerfile", "ONBUILD CMD sleep 1\n"), 2),
    ("DJ503", add("Dockerfile", "C\\\nMD sleep 1\n"), 2),
    ("DJ504", add("Dockerfile", "ENV OPENAI_API_KEY=abcdef\n"), 2),
    ("DJ504", add("Dockerfile", "ENV DB_PASSWORD hunter2\n"), 2),
    ("DJ504", add("Dockerfile", "ARG WORD=sk-abcdefghijklmnopqrstu\n"), 2),
    ("DJ505", add("Dockerfile", "COPY references/answer.txt /workspace/\n"), 2),
    ("DJ505", add("Dockerfile", "COPY . /workspace\n"), 2),
    ("DJ505", add("Dockerfile", 'ADD ["evaluator.py", "/workspace/"]\n'), 2),
    ("DJ506", add("Dockerfile", "RUN pip install --no-cache-dir pandas==2.2.3 openpyxl && true\n"), 2),
    ("DJ507", add("Dockerfile", "COPY data.csv /workspace/\n"), 2),
    ("DJ601", put("dependencies.yml", "rocketchat: yes\n"), 1),
    ("DJ601", put("dependencies.yml", "- rocketchat\n- [\n"), None),
    ("DJ602", add("dependencies.yml", "- jira\n"), 5),
    ("DJ603", add("dependencies.yml", "- chat\n"), None),
    ("DJ604", swap("dependencies.yml", "- owncloud\n", ""), None),
    (
        "DJ606",
        lambda folder: (
            put("dependencies.yml", "")(folder),
            put("evaluator.py", MINIMAL)(folder),
            put("checkpoints.md", "## Checkpoint 1 (1 pt)\n")(folder),
            drop("colleagues.yml")(folder),
        ),
        None,
    ),
    (
        "DJ605",
        lambda folder: (
            put("task.md", "Write a poem to /workspace/poem.txt.\n")(folder),
            put("evaluator.py", MINIMAL)(folder),
            put("checkpoints.md", "## Checkpoint 1 (1 pt)\n")(folder),
            put("solution.py", "pass\n")(folder),
        ),
        None,
    ),
    ("DJ611", put("scenarios.json", "[]"), None),
    ("DJ611", put("scenarios.json", '{\n  "Tomas Okafor": {\n    "extra_info": 3\n  }\n}\n'), 3),
    ("DJ611", put("scenarios.json", '{\n  "Tomas Okafor": {\n    "secret": "x"\n  }\n}\n'), 2),
    ("DJ611", put("scenarios.json", '{\n  "Tomas Okafor": {},\n}\n'), None),
    ("DJ611", put("scenarios.json", '{"Tomas Okafor": {}, "Tomas Okafor": {}}'), 1),
    ("DJ612", put("colleagues.yml", "Nobody Atall:\n  facts: {a: Yes.}\n"), 1),
    ("DJ613", swap("task.toml", 'world = "larkspur"', 'world = "atlantis"'), 2),
    (
        "DJ614",
        lambda folder: (add("task.md", "\nhttp://the-agent-company.com:3000\n")(folder), drop("task.toml")(folder)),
        0,
    ),
    ("DJ621", put("pre_init.py", "def (:\n"), 1),
    ("DJ621", put("post_init.sh", "echo ok\nif true; then\n"), None),
    ("DJ701", put("task.toml", "format = 1\nworld = \n"), 2),
    ("DJ701", put("task.toml", "format = 2\n"), 1),
    ("DJ701", put("task.toml", 'world = "larkspur"\n'), 1),
    ("DJ701", put("task.toml", "format = 1\n[timeouts]\nwork = 0\n"), 3),
    ("DJ701", put("task.toml", 'format = 1\ndifficulty = "impossible"\n'), 2),
    ("DJ701", put("task.toml", 'format = 1\nminutes = "soon"\n'), 2),
    ("DJ702", swap("task.toml", "tags = []", "tagz = []"), 5),
    ("DJ703", add("task.toml", '\n[[ignore]]\nrule = "DJ204"\n'), None),
    ("DJ703", add("task.toml", '\n[[ignore]]\nrule = "X1"\nreason = "because"\n'), None),
    ("DJ711", put("solution.py", "def (:\n"), 1),
    ("DJ711", put("mutants/lazy.py", "def (:\n"), 1),
    ("DJ712", put("mutants/forgotten.py", "pass\n"), 0),
    ("DJ712", drop("mutants/lazy.py"), 3),
    ("DJ712", swap("mutants/expected.toml", "result = 0", "result = 6"), 3),
    ("DJ712", swap("mutants/expected.toml", "result = 0", 'result = "0"'), 3),
    ("DJ712", swap("mutants/expected.toml", "result = 0", "result = 0\nright = true"), 3),
    ("DJ712", swap("mutants/expected.toml", "result = 0", 'result = 6\nright = "yes"'), 3),
    ("DJ306", add("evaluator.py", "\n@grader\ndef grade_x():\n    import numpy\n    return True\n"), None),
    (
        "DJ314",
        add("evaluator.py", "\nWORDS = ['a', 'b']\n\n\n@grader\ndef grade_x():\n    return 'a' in WORDS\n"),
        None,
    ),
    (
        "DJ315",
        lambda folder: (
            add("evaluator.py", "\n@grader\ndef grade_x(trajectory):\n    return look(trajectory)\n")(folder),
            swap("evaluator.py", SUMS, SUMS.replace("grade_answer()", "grade_x('goto(home)')"))(folder),
        ),
        None,
    ),
    (
        "DJ316",
        add(
            "evaluator.py",
            "\n@grader\ndef grade_x():\n    if is_right():\n        return 1\n    else:\n        return 1\n",
        ),
        None,
    ),
    ("DJ317", swap("evaluator.py", "import re\n", "import re\nimport no_such_module\n"), 4),
    ("DJ317", swap("evaluator.py", "import re\n", "import re\nimport telnetlib\n"), 4),
    ("DJ317", put("pre_init.py", "from no_such_module import part\n"), 1),
    ("DJ318", add("evaluator.py", "\ndef run():\n    subprocess.run(['pip', 'install', 'flask'])\n"), None),
    ("DJ318", add("evaluator.py", "\ndef ask():\n    requests.get('https://api.github.com/zen')\n"), None),
    ("DJ319", add("task.toml", '\n[grading]\npython = "3.99"\n'), 12),
    (
        "DJ319",
        lambda folder: (
            add("task.toml", '\n[grading]\npython = "3.10"\n')(folder),
            swap("evaluator.py", "import re\n", "import re\nimport tomllib\n")(folder),
        ),
        4,
    ),
    ("DJ701", add("task.toml", "\n[grading]\npython = 3.12\n"), 12),
    ("DJ713", swap("paraphrases.yml", "without: [write_answer]", "without: [jot_down]"), 3),
    ("DJ713", swap("paraphrases.yml", "file: /workspace/answer.txt", "file: answer.txt"), 6),
    ("DJ713", swap("paraphrases.yml", "near:\n", "near:\n  - {text: forty-two, wrong: it is right}\n"), 29),
    ("DJ713", swap("paraphrases.yml", "near:\n", "near:\n  - {text: sixty, wrong: too many, result: 6}\n"), 29),
    ("DJ714", put("paraphrases.yml", "format: 1\nwithout: [solve]\ndeliverables: {a: {file: /workspace/a}}\n"), 0),
    ("DJ715", put("key.yml", "- {what: x, is: 1, about: y}\n- {what: x, is: 1}\n"), 2),
    (
        "DJ716",
        lambda folder: (put("key.yml", "")(folder), put("evaluator.py", "RENT = 310\n" + MINIMAL)(folder)),
        1,
    ),
    ("DJ801", put("variant.py", "values = 1\n"), 0),
    ("DJ801", put("variant.py", "def draw():\n    return {}\n"), 1),
    ("DJ801", put("variant.py", "def draw(random:\n"), 1),
    ("DJ802", put("variant.py", "import json\nimport numpy\ndef draw(random):\n    return {}\n"), 2),
    ("DJ802", put("variant.py", "def draw(random):\n    from .solution import a\n    return a\n"), 2),
    ("DJ806", lambda folder: (put("variant.py", "def draw(random): ...\n")(folder), put("task.md.j2", "x")(folder)), 0),
    ("DJ611", put("scenarios.json", '{\n  "Tomas Okafor": {}\n}\n'), 2),
    ("DJ611", put("colleagues.yml", "Tomas Okafor:\n  secret: x\n"), 2),
    ("DJ611", put("colleagues.yml", "Tomas Okafor:\n  facts: {a: [}\n"), None),
]

MINIMAL = """from pathlib import Path
from common import grader
from scoring import Checkpoint, Result


@grader
def grade_poem():
    return Path("/workspace/poem.txt").exists()


def grade_checkpoints(trajectory="") -> Result:
    return Result([Checkpoint(1, int(grade_poem()))])
"""


def test_a_good_task_has_no_finding(tmp_path: Path) -> None:
    assert check(good_task(tmp_path)) == []


def test_a_right_answer_in_another_form_may_get_full_marks(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    swap("mutants/expected.toml", "result = 0", "result = 6\nright = true")(folder)
    assert check(folder) == []


@pytest.mark.parametrize(("rule", "spoil", "line"), CASES, ids=[f"{case[0]}-{at}" for at, case in enumerate(CASES)])
def test_a_spoiled_task_is_found_out(tmp_path: Path, rule: str, spoil: Spoil, line: int | None) -> None:
    folder = good_task(tmp_path)
    spoil(folder)
    found = [finding for finding in check(folder) if finding.rule.id == rule]
    assert found, rules_of(folder)
    if line is not None:
        assert found[0].line == line
    for finding in check(folder):
        assert finding.message
        assert finding.fix


def test_every_rule_is_shown_to_find_something(tmp_path: Path) -> None:
    elsewhere = {"DJ100", "DJ102", "DJ312"}  # each has a test of its own below
    elsewhere |= {"DJ803", "DJ804", "DJ805", "DJ807", "DJ808", "DJ809"}  # in tests/trial/test_variants.py
    elsewhere.add("DJ810")  # in tests/cli/test_families.py
    assert {case[0] for case in CASES} | elsewhere == {rule.id for rule in Rule}


@pytest.mark.parametrize(
    "line",
    [
        "subprocess.run(['/workspace/run.sh'])",
        "subprocess.run(['./run.sh'], cwd='/workspace/app')",
        "subprocess.check_output('cd /workspace && make test', shell=True)",
        "subprocess.run(['pytest', '-q'], cwd=APP)",
        "subprocess.run(['timeout', '10', 'node', str(APP / 'index.js')])",
        "subprocess.Popen([sys.executable, '-m', 'app'], cwd=str(APP))",
        "os.system('bash /workspace/build.sh')",
        "os.execv('/usr/bin/python3', ['python3', '/workspace/app.py'])",
        "sys.path.insert(0, '/workspace')",
        "sys.path += [str(APP)]",
        "exec(open('/workspace/app.py').read())",
        "runpy.run_path(APP / 'app.py')",
        "spec_from_file_location('app', APP / 'app.py')",
        "pytest.main([str(APP)])",
        "pickle.load(open('/workspace/model.pkl', 'rb'))",
    ],
)
def test_running_the_examinees_files_beside_the_evaluator_is_found(tmp_path: Path, line: str) -> None:
    folder = good_task(tmp_path)
    before = "\nfrom importlib.util import spec_from_file_location\nAPP = Path('/workspace') / 'app'\n"
    add("evaluator.py", f"{before}def run():\n    {line}\n")(folder)
    assert "DJ313" in rules_of(folder)


@pytest.mark.parametrize(
    "line",
    [
        "run_as_examinee(['python3', '/workspace/app.py'])",
        "subprocess.run(['git', '-C', '/workspace/repo', 'log'])",
        "subprocess.run(['cat', '/workspace/answer.txt'])",
        "subprocess.run('grep -r word /workspace | wc -l', shell=True)",
        "subprocess.run(['python3', str(Path(__file__).parent / 'references' / 'count.py')])",
        "sys.path.insert(0, str(Path(__file__).parent / 'references'))",
        "open('/workspace/app.py').read()",
    ],
)
def test_looking_at_the_examinees_files_is_no_running_of_them(tmp_path: Path, line: str) -> None:
    folder = good_task(tmp_path)
    add("evaluator.py", f"\ndef run():\n    {line}\n")(folder)
    assert "DJ313" not in rules_of(folder)


def test_a_folder_name_that_is_no_name_is_found_out(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    for name in ("Good Task", "good--task", "-good", "x" * 81):
        target = folder.with_name(name)
        os.rename(folder, target)
        assert "DJ102" in rules_of(target)
        os.rename(target, folder)
    for name in ("sde-write-a-unit-test-for-append_file-function", "a1"):
        target = folder.with_name(name)
        os.rename(folder, target)
        assert rules_of(target) == set()
        os.rename(target, folder)


def test_a_folder_that_is_no_task_is_said_to_be_none(tmp_path: Path) -> None:
    (finding,) = check(tmp_path)
    assert finding.rule is Rule.NOT_A_TASK
    (finding,) = check(tmp_path / "absent")
    assert finding.rule is Rule.NOT_A_TASK


def test_an_f_string_of_python_3_12_is_a_note_and_not_an_error(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    add("evaluator.py", "\nx = {'a': 1}\ny = f'{x['a']}'\n")(folder)
    found = rules_of(folder)
    assert found in (set(), {"DJ312"})


def test_a_checkpoint_that_asserts_can_fail(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    add("evaluator.py", "\n@grader\ndef grade_x():\n    assert ANSWER.exists()\n    return True\n")(folder)
    add("evaluator.py", "\n@grader\ndef grade_y():\n    if ANSWER.exists():\n        return True\n")(folder)
    assert "DJ306" not in rules_of(folder)


@pytest.mark.parametrize(
    ("checkpoint", "known"),
    [
        ("checkpoints.append(Checkpoint(2, int(grade_answer()) if ANSWER else 0))", True),
        ("checkpoints += [Checkpoint(total=1 + 1, result=int(grade_answer()))]", True),
        (
            "if ANSWER:\n        checkpoints.append(Checkpoint(2, 1))\n"
            "    else:\n        checkpoints.append(Checkpoint(2, 0))",
            True,
        ),
        ("checkpoints += [Checkpoint(2, int(grade_answer())) for _ in range(1)]", False),
        ("checkpoints += [Checkpoint(2, int(grade_answer()))] if ANSWER else []", False),
        ("if ANSWER:\n        checkpoints.append(Checkpoint(2, int(grade_answer())))", False),
        ("checkpoints.append(Checkpoint(len('ab'), int(grade_answer())))", False),
    ],
)
def test_totals_are_compared_where_they_can_be_known(tmp_path: Path, checkpoint: str, known: bool) -> None:
    folder = good_task(tmp_path)
    swap("evaluator.py", SUMS.strip(), checkpoint)(folder)
    assert rules_of(folder) == (set() if known else {"DJ405"})


def test_a_guarded_call_outside_grader_is_fine(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    guarded = "\n    try:\n        page = requests.get('http://x')\n    except Exception:\n        page = None\n"
    swap("evaluator.py", "    result = Result(checkpoints)\n", f"    result = Result(checkpoints){guarded}")(folder)
    assert rules_of(folder) == set()


def test_a_constant_command_may_use_a_shell(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    add("evaluator.py", '\ndef run():\n    subprocess.run("ls /workspace | wc -l", shell=True)\n')(folder)
    assert rules_of(folder) == set()


def test_an_ignore_with_a_reason_silences_a_rule_in_that_task_only(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    put("README.md", "hello")(folder)
    assert rules_of(folder) == {"DJ103"}
    add("task.toml", '\n[[ignore]]\nrule = "DJ103"\nreason = "a test"\n')(folder)
    assert rules_of(folder) == set()


def test_select_and_ignore_take_ids_and_prefixes(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    put("README.md", "hello")(folder)
    put("task.md", "")(folder)
    assert {f.rule.id for f in check(folder, select=("DJ103",))} == {"DJ103"}
    assert {f.rule.id for f in check(folder, select=("dj1",))} == {"DJ103", "DJ104"}
    assert {f.rule.id for f in check(folder, select=("DJ1",), ignore=("DJ103",))} == {"DJ104"}


def test_a_folder_of_tasks_means_the_tasks_in_it(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    (tmp_path / "not-a-task").mkdir()
    assert find_tasks(tmp_path) == [folder]
    assert find_tasks(folder) == [folder]


PUBLISHED = """import logging
from typing import List
from common import *
from scoring import Result, Checkpoint, bonus_for_completing_final
import urllib

POINTS = 2
rocket = create_rocketchat_client()


def get_page():
    try:
        response = make_gitlab_request(f"{GITLAB_USER}/project", "wikis")
        response.raise_for_status()
        return response.json()
    except Exception as e:
        logging.error(e)
        return None


@grader
def grade_checkpoint1(trajectory):
    return f"{GITLAB_BASEURL}/root/project" in trajectory


@grader
def grade_checkpoint2(page):
    messages = get_rocketchat_personal_chat_history(rocket, "Somebody Else")
    return page is not None and len(messages) > 0


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: List[Checkpoint] = []
    result = Result(checkpoints, bonus_for_completing_final)
    page = get_page()

    passed1 = grade_checkpoint1(trajectory)
    checkpoints.append(Checkpoint(1, int(passed1)))

    passed2 = passed1 and grade_checkpoint2(page)
    checkpoints.append(Checkpoint(POINTS, POINTS * int(passed2)))

    return result
"""


def test_a_task_in_the_shape_of_the_published_ones_has_no_error(tmp_path: Path) -> None:
    folder = tmp_path / "sde-add-page"
    folder.mkdir()
    put("evaluator.py", PUBLISHED)(folder)
    put("task.md", "Clone http://the-agent-company.com:8929/root/project and tell Li Ming on RocketChat.\n")(folder)
    put(
        "checkpoints.md",
        "# Checkpoints\n\nThis task has 3 points in total.\n\n## Checkpoint 1 (1pt)\n\n## Checkpoint 2 (2pts)\n",
    )(folder)
    put("Dockerfile", "FROM ghcr.io/theagentcompany/task-base-image:1.0.0\n\nCOPY golden_answer.csv /utils\n")(folder)
    put("golden_answer.csv", "a\n")(folder)
    put("dependencies.yml", "- rocketchat\n- gitlab\n")(folder)
    hints = '"extra_info": "", "strategy_hint": "", "clarification_hint": ""'
    put("scenarios.json", f'{{"Li Ming": {{{hints}}}}}')(folder)
    assert rules_of(folder) == {"DJ308", "DJ309", "DJ614"}


def test_what_an_author_got_wrong_is_a_warning_where_the_task_is_published(tmp_path: Path) -> None:
    folder = tmp_path / "sde-add-page"
    folder.mkdir()
    bare = PUBLISHED.replace("@grader\n", "").replace('trajectory=""', "trajectory")
    put("evaluator.py", bare + "\nif __name__ == '__main__':\n    pass\n")(folder)
    put("task.md", "Clone http://the-agent-company.com:8929/root/project.\n")(folder)
    put("checkpoints.md", "# Checkpoints\n\n## Checkpoint 1 (1pt)\n\n## Checkpoint 2 (1pt)\n")(folder)
    put("Dockerfile", "FROM ghcr.io/theagentcompany/task-base-image:1.0.0\n")(folder)
    put("dependencies.yml", "- rocketchat\n- gitlab\n- telephone\n")(folder)
    found = {finding.rule.id: finding.severity for finding in check(folder)}
    assert {found[id] for id in ("DJ303", "DJ304", "DJ401")} == {Severity.WARNING}
    assert {id for id, severity in found.items() if severity is Severity.ERROR} == {"DJ602"}, "it cannot be run"
    put("task.toml", "world = 'larkspur'\n")(folder)
    errors = {finding.rule.id for finding in check(folder) if finding.severity is Severity.ERROR}
    assert errors >= {"DJ302", "DJ303", "DJ304"}
