"""Points for nothing that reading an evaluator can tell of, and the evaluators in which there are none."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from dayjob.task.evaluator import Evaluator
from dayjob.task.free_points import FreePoints

SILENT = (
    "print", "str", "int", "len", "bool", "float", "repr", "format", "log.info", "logger.warning", "logging.error",
)  # fmt: skip


def free(text: str) -> FreePoints:
    return FreePoints(Evaluator(ast.parse(dedent(text))))


def lines(text: str) -> dict[str, list[int]]:
    """The lines of what is given away, by the way in which it is."""
    found = free(text)
    kinds = {
        "cannot fail": found.cannot_fail,
        "same": found.same_both_ways,
        "literal": found.literal_trajectories,
        "nothing": found.without_evidence,
    }
    return {kind: [place.line for place in places] for kind, places in kinds.items() if places}


@pytest.mark.parametrize(
    ("body", "always"),
    [
        ("return True", True),
        ("return 1", True),
        *((f"{name}(1); return True", True) for name in SILENT),
        ("other(1); return True", False),
        ("print.other(1); return True", False),
        ("return False", False),
        ("return x", False),
        ("pass", False),
        ("assert x; return True", False),
        ("x[0]; return True", False),
        ("import a; return True", True),
        ("from a import b; return 2", True),
        ("return Points(2, 'why')", True),
        ("return Points(0, 'why')", False),
        ("return Points(look(), 'why')", False),
        ("import a; a.check(); return True", False),
        ("return not False", True),
        ("return not True", False),
        ("return 1 if x else 2", True),
        ("return 1 if x else 0", False),
        ("return x or True", True),
        ("return x or y", False),
        ("return True and 1", True),
        ("return x and True", False),
        ("return int(True)", True),
        ("return bool(x)", False),
        ("return fine()", True),
        ("return fine() and looked()", False),
        ("return looked()", False),
        ("passed = True; return passed", True),
        ("points = 1; points += 1; return points", True),
        ("points = 0; points += 1; return points", False),
        ("points = 2; points -= 1; return points", False),
        ("passed = x; return passed", False),
        ("passed = True; passed = x; return passed", False),
        ("passed, other = True, False; return passed", False),
        ("accessed('drive', '/'); return True", True),
        ("Path('/workspace/a').exists(); return True", True),
        ("Path('/workspace/a').read_text(); return True", False),
        ("again(); return True", False),
    ],
)
def test_a_check_that_can_only_give_points_is_known(body: str, always: bool) -> None:
    rest = "\ndef fine():\n    return True\ndef looked():\n    return look()\ndef again():\n    return again()\n"
    text = f"@grader\ndef f(): {body}\n{rest}"
    assert lines(text).get("cannot fail") == ([2] if always else None)


ALWAYS = {
    "both sides": """
        if os.path.exists(PLACE):
            return True
        else:
            return True
        """,
    "less on the side that fails, and still something": """
        if accessed("drive", "/"):
            return 2
        elif Path(PLACE).is_file():
            return 1
        else:
            return 1
        """,
    "a handler, too": """
        try:
            return 1 if look() == 3 else 2
        except Exception:
            return 1
        """,
    "a flag that nothing lowers": """
        passed = True
        for name in NAMES:
            if not os.path.exists(name):
                print("missing", name)
        return passed
        """,
    "a message first": """
        import numpy
        logging.info("numpy is there")
        return True
        """,
}
NOT_ALWAYS = {
    "what is read may not be there": """
        text = open(PLACE).read()
        if "word" in text:
            return 2
        return 1
        """,
    "a side without points": """
        if os.path.exists(PLACE):
            return 1
        """,
    "a flag that something lowers": """
        passed = True
        for name in NAMES:
            if not os.path.exists(name):
                passed = False
        return passed
        """,
    "a loop lowers it": """
        passed = True
        for passed in look():
            pass
        return passed
        """,
    "one case is refused": """
        if not os.path.exists(PLACE):
            raise ValueError("missing")
        return True
        """,
    "only set on one side": """
        if look():
            passed = True
        return passed
        """,
}


def check(body: str, name: str = "grade_it", arguments: str = "") -> str:
    """An evaluator with one check."""
    inner = "\n".join(f"    {line}" for line in dedent(body).strip().splitlines())
    head = 'PLACE = "/workspace/a"\nNAMES = ["/workspace/a"]\n'
    rest = f'def grade_checkpoints(trajectory=""):\n    return Result([Checkpoint(1, int({name}({arguments})))])\n'
    return f"{head}@grader\ndef {name}({arguments}):\n{inner}\n{rest}"


@pytest.mark.parametrize("body", ALWAYS.values(), ids=ALWAYS)
def test_whichever_way_it_goes_there_are_points(body: str) -> None:
    assert lines(check(body)) == {"cannot fail": [4]}


@pytest.mark.parametrize("body", NOT_ALWAYS.values(), ids=NOT_ALWAYS)
def test_a_check_that_may_fail_is_none_of_these(body: str) -> None:
    assert lines(check(body)) == {}


def test_an_import_may_fail_where_the_examinees_files_are_on_the_path() -> None:
    text = check("import app\nreturn True")
    assert lines(text) == {"cannot fail": [4]}
    assert lines(f"sys.path.insert(0, '/workspace')\n{text}") == {}


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        ("cs.append(Checkpoint(1, 1))", [3]),
        ("cs.append(Checkpoint(total=1, result=True))", [3]),
        ("cs.append(Checkpoint(1, int(True)))", [3]),
        ("passed = True\n    cs.append(Checkpoint(1, int(passed)))", [4]),
        ("passed = True\n    passed = look()\n    cs.append(Checkpoint(1, int(passed)))", None),
        ("passed = True\n    if not look():\n        passed = False\n    cs.append(Checkpoint(1, passed))", None),
        ("cs.append(Checkpoint(1, 0))", None),
        ("cs.append(Checkpoint(1, int(look())))", None),
        ("if look():\n        cs.append(Checkpoint(1, 1))\n    else:\n        cs.append(Checkpoint(1, 0))", None),
        ("for each in look():\n        cs.append(Checkpoint(1, 1))", None),
    ],
)
def test_a_checkpoint_made_with_its_points_is_passed_by_everybody(statements: str, found: list[int] | None) -> None:
    text = f"def grade_checkpoints(trajectory=''):\n    cs = []\n    {statements}\n    return Result(cs)\n"
    assert lines(text).get("cannot fail") == found


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ("x = look()\nif x.right:\n    return True\nelse:\n    return True", 2),
        ("x = look()\nif x.right:\n    return 1\nreturn 1", 2),
        ("x = look()\nif x.right:\n    print('yes')\n    return 1\nelse:\n    logging.info('no')\n    return 1", 2),
        ("x = look()\nif x.a:\n    return 2\nelif x.b:\n    return 1\nelse:\n    return 1", 4),
        ("return 2 if look() else 2", 1),
        ("return Points(2, 'a') if look() else Points(2, 'b')", 1),
        ("return Points(2, 'a') if look() else Points(1, 'b')", None),
        ("with look() as x:\n    if x.a:\n        return 1\n    return 1", 2),
        ("x = look()\nif x.right:\n    return 2\nelse:\n    return 1", None),
        ("x = look()\nif x.right:\n    return False\nreturn False", None),
        ("x = look()\nif x.right:\n    return True\nx = look()\nreturn True", None),
        ("x = look()\nif x.right:\n    tell(x)\n    return True\nreturn True", None),
        ("x = look()\nif x.right:\n    return x\nreturn x", None),
    ],
)
def test_a_condition_that_decides_nothing_is_known(body: str, same: int | None) -> None:
    assert lines(check(body)) == ({} if same is None else {"same": [4 + same]})


@pytest.mark.parametrize(
    ("call", "literal"),
    [
        ("grade_page(\"ACTION: goto('http://x')\")", True),
        ("grade_page(f\"goto('{SERVER_HOSTNAME}/home')\")", True),
        ("grade_page(visited)", True),
        ("grade_page(trajectory='goto')", True),
        ("grade_page('goto ' + URL)", True),
        ("grade_page(WRITTEN)", True),
        ("grade_page(longer)", True),
        ("grade_page(told)", False),
        ("grade_page(trajectory)", False),
        ("grade_page(f'{trajectory}')", False),
        ("grade_page(trajectory + ' ')", False),
        ("grade_page(' '.join(trajectory))", False),
        ("grade_page(read_trajectory())", False),
        ("grade_page(asked)", False),
        ("grade_page(either)", False),
        ("grade_word('word')", False),
    ],
)
def test_a_text_of_the_evaluators_own_is_no_trajectory(call: str, literal: bool) -> None:
    text = f"""
    WRITTEN = "goto"

    @grader
    def grade_page(trajectory):
        return "goto" in trajectory and look()

    @grader
    def grade_word(word):
        return word in look()

    def grade_checkpoints(trajectory=""):
        visited = f"goto('{{URL}}')"
        asked = look()
        longer = "go"
        longer = longer + "to " + URL
        told = "go"
        told = told + asked
        either = "goto"
        either = trajectory
        return Result([Checkpoint(1, int({call}))])

    if __name__ == "__main__":
        grade_page("goto")
    """
    assert lines(text) == ({"literal": [21]} if literal else {})


NOTHING = {
    "words of its own": ("return 'a' in WORDS and len(WORDS) == 2", ""),
    "a computation": ("total = sum(NUMBERS)\nif total > 3:\n    return 1\nreturn 0", ""),
    "what it is always told": ("return word.lower() == 'yes'", "word='yes'"),
    "its own helper": ("return helper(3) > 1", ""),
    "a pattern": ("return re.match('a', 'abc') is not None", ""),
}
SOMETHING = {
    "a call nobody knows": ("return 'a' in WORDS and look()", ""),
    "a file": ("return open('/workspace/a').read() == 'a'", ""),
    "what it is told": ("return word == 'yes'", "word=look()"),
    "the trajectory": ("return 'goto' in trajectory", "trajectory=trajectory"),
    "what was read when it was imported": ("return READ == 'a'", ""),
    "what it imports": ("from answers import GIVEN\nreturn GIVEN == 3", ""),
    "a name of common's": ("return PROJECT_FILES == 3", ""),
    "its own helper, which looks": ("return looks() > 1", ""),
    "a refusal": ("return False", ""),
    "a function within": ("return sorted(WORDS, key=lambda word: look(word)) == []", ""),
    "what another check kept": ("return len(KEPT) > 0", ""),
    "what another check counted": ("return COUNTED['a'] > 0", ""),
    "what is filled elsewhere": ("return len(FILLED) > 0", ""),
    "an object's method": ("return client.users() == 3", ""),
}


def told(body: str, given: str) -> str:
    inner = "\n".join(f"    {line}" for line in body.splitlines())
    return "\n".join([
        "WORDS = ['a', 'b']", "NUMBERS = [1, 2, 3]", "READ = open('/workspace/a').read()", "client = connect()",
        "KEPT = []", "COUNTED = {}", "FILLED = []",
        "def keeps():", "    KEPT.append(look()); COUNTED['a'] = look(); fill(FILLED)",
        "def helper(x):", "    return x + len(WORDS)", "def looks():", "    return look()",
        "@grader", f"def grade_it({given.partition('=')[0]}):", inner,
        "def grade_checkpoints(trajectory=''):", f"    return Result([Checkpoint(1, int(grade_it({given})))])",
    ])  # fmt: skip


@pytest.mark.parametrize(("body", "given"), NOTHING.values(), ids=NOTHING)
def test_a_check_that_looks_at_nothing_is_known(body: str, given: str) -> None:
    assert lines(told(body, given)) == {"nothing": [15]}


@pytest.mark.parametrize(("body", "given"), SOMETHING.values(), ids=SOMETHING)
def test_a_check_that_may_look_at_something_is_left_alone(body: str, given: str) -> None:
    assert lines(told(body, given)) == {}


def test_a_check_whose_callers_are_not_all_known_is_left_alone() -> None:
    text = told("return word == 'yes'", "word='yes'")
    assert lines(text) == {"nothing": [15]}
    assert lines(text + "\nCHECKS = [grade_it]\n") == {}
    assert lines(text.replace("(grade_it(word='yes'))", "(3)")) == {"cannot fail": [18]}


def test_an_evaluator_made_to_be_hard_to_read_is_read_at_once() -> None:
    calls = " or ".join(f"f{number}()" for number in range(40))
    functions = "".join(f"@grader\ndef f{number}():\n    return {calls}\n" for number in range(40))
    sums = "".join(f"    text = text + text + trajectory + {'x' * 3}\n" for _ in range(40))
    chain = " + ".join(["trajectory", *["'a'"] * 400])
    text = f"{functions}def grade_checkpoints(trajectory=''):\n    text = 'a'\n{sums}    g(text)\n    g({chain})\n"
    assert lines(f"{text}def g(trajectory):\n    return trajectory\n") == {}
