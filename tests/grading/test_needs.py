"""What a task's Python files need, told by reading them; and what a Python answers that is asked about them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dayjob import grading
from dayjob.grading.needs import Import, needed_imports


def modules(text: str, *, as_script: bool = False) -> list[str]:
    return [one.module for one in needed_imports(ast.parse(text), as_script=as_script)]


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("import a", ["a"]),
        ("import a.b.c as d, e", ["a", "e"]),
        ("from a.b import c", ["a"]),
        ("from . import a", []),
        ("from .a import b", []),
        ("if x:\n    import a", ["a"]),
        ("with x:\n    import a", ["a"]),
        ("try:\n    import a\nexcept ImportError:\n    import b", []),
        ("try:\n    import a\nexcept (ValueError, ModuleNotFoundError):\n    pass", []),
        ("try:\n    import a\nexcept:\n    pass", []),
        ("try:\n    import a\nexcept Exception as error:\n    raise", []),
        ("try:\n    import a\nexcept ValueError:\n    pass", ["a"]),
        ("try:\n    import a\nfinally:\n    pass", ["a"]),
        ("try:\n    pass\nexcept ImportError:\n    pass\nelse:\n    import a", ["a"]),
        ("with contextlib.suppress(ImportError):\n    import a", []),
        ("with suppress(KeyError):\n    import a", ["a"]),
        ("if TYPE_CHECKING:\n    import a", []),
        ("if sys.version_info >= (3, 11):\n    import a\nelse:\n    import b", []),
        ("if importlib.util.find_spec('a'):\n    import a", []),
        ("def nobody():\n    import a", []),
        ("def somebody():\n    import a\nsomebody()", ["a"]),
        ("def grade_checkpoints():\n    first()\ndef first():\n    second()\ndef second():\n    import a", ["a"]),
        ("class Kept:\n    def method(self):\n        import a\nKept()", ["a"]),
        ("CHECKS = [first]\ndef first():\n    import a", ["a"]),
        ("def again():\n    again()\n    import a\nagain()", ["a"]),
        ("sys.path.insert(0, '/workspace')\nimport a", []),
        ("sys.modules['a'] = b\nimport a", []),
        ("import a\nimport a", ["a"]),
    ],
)
def test_an_import_is_needed_unless_somebody_prepared_for_its_failing(text: str, needed: list[str]) -> None:
    assert modules(text) == needed


def test_a_main_block_is_run_in_a_script_alone() -> None:
    text = "if __name__ == '__main__':\n    import a\n"
    assert modules(text) == []
    assert modules(text, as_script=True) == ["a"]


def test_an_import_is_known_with_its_first_line() -> None:
    assert needed_imports(ast.parse("\nimport a.b\nimport a\n")) == [Import("a", 2)]


def asked(utils: Path, files: dict[str, str], *scripts: str, **env: str) -> dict[str, Any]:
    """What this Python answers, started as a grader's is."""
    grading.place(utils)
    code = f"import sys; sys.path.insert(0, {str(utils)!r}); from dayjob.grading.needs import main; main()"
    question = {"files": files, "evaluator": "evaluator.py", "scripts": scripts}
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        input=json.dumps(question),
        text=True,
        capture_output=True,
        check=True,
        env=env,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer.pop("version") == [*sys.version_info[:3]]
    return answer


def test_files_are_read_and_modules_looked_for_and_nothing_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    runs = f"open({str(mark)!r}, 'w')\n"
    files = {
        "evaluator.py": f"{runs}import json, common, first\n",
        "first.py": f"{runs}import second\nimport no_such_module.part\n",
        "second.py": "import first\nreturn 3\n",  # which is read, and not compiled
        "pre_init.py": f"{runs}if __name__ == '__main__':\n    import no_such_script_module\n",
        "post_init.py": "import evaluator\nx = = 3\n",
        "aside.py": "def (:\n",
    }
    found = asked(tmp_path / "utils", files, "pre_init.py", "post_init.py", "absent.py")
    assert [(one["file"], one["line"]) for one in found["unread"]] == [("second.py", 2), ("post_init.py", 2)]
    assert found["missing"] == [
        {"file": "first.py", "line": 3, "module": "no_such_module"},
        {"file": "pre_init.py", "line": 3, "module": "no_such_script_module"},
    ]
    assert not mark.exists()


def test_scripts_have_the_path_that_the_image_sets_and_evaluators_have_not(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "aside.py").touch()
    files = {"evaluator.py": "import aside\n", "pre_init.py": "import aside\n"}
    found = asked(tmp_path / "utils", files, "pre_init.py", PYTHONPATH=f":{tmp_path}/more")
    assert found == {"unread": [], "missing": [{"file": "evaluator.py", "line": 1, "module": "aside"}]}


@pytest.mark.parametrize("text", ["x = 1\0", "x = " + "(" * 500 + ")" * 500])
def test_what_no_python_can_read_is_told_as_well(tmp_path: Path, text: str) -> None:
    (unread,) = asked(tmp_path / "utils", {"evaluator.py": text})["unread"]
    assert unread["file"] == "evaluator.py"
    assert unread["why"]
