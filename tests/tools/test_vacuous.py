"""What a test that cannot fail looks like, and that there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.vacuous import findings


def test_every_test_of_this_project_can_fail() -> None:
    assert [str(one) for one in findings()] == []


def found(tmp_path: Path, body: str, name: str = "test_it.py") -> list[str]:
    (tmp_path / "tests").mkdir(exist_ok=True)
    (tmp_path / "tests" / name).write_text(body)
    return [one.sentence for one in findings(tmp_path)]


NOTHING = "asserts nothing."
ALWAYS = "asserts what always holds."


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("def test_a():\n    f()\n", NOTHING),
        ("async def test_a():\n    await f()\n", NOTHING),
        ("def helper():\n    return 1\ndef test_a():\n    helper()\n", NOTHING),
        ("def test_a():\n    run(x, check=False)\n", NOTHING),
        ("def test_a():\n    assert True\n", ALWAYS),
        ("def test_a():\n    assert 'text'\n", ALWAYS),
        ("def test_a():\n    assert (a == b, 'never looked at')\n", ALWAYS),
        ("def test_a():\n    assert a or True\n", ALWAYS),
        ("def test_a():\n    assert 1 == 1\n", ALWAYS),
        ("def test_a():\n    assert a.b == a.b\n", ALWAYS),
        (
            "def test_a():\n    found = f()\n    assert all(one for one in found)\n",
            "`all(…)` over found, which nothing shows to hold anything.",
        ),
        (
            "def test_a():\n    found = f()\n    assert all(one for one in found.a())\n    assert not found.problems\n",
            "`all(…)` over found, which nothing shows to hold anything.",
        ),
        (
            "def test_a():\n    found = f()\n    for one in found:\n        assert one\n",
            "asserts only in a loop over found, which nothing shows to hold anything.",
        ),
        (
            "def test_a():\n    try:\n        assert a\n    except Exception:\n        pass\n",
            "an assertion's failure is caught and dropped.",
        ),
        (
            "def test_a():\n    with suppress(AssertionError):\n        assert a\n",
            "an assertion's failure is suppressed.",
        ),
        ("def test_a(p):\n    p.setattr(it, 'rule', f)\n    assert a\n", "replaces it.rule, which this file tests."),
        (
            "def test_a(p):\n    p.setattr('dayjob.it.rule', f)\n    assert a\n",
            "replaces dayjob.it.rule, which this file tests.",
        ),
        ("def test_a():\n    assert f(Mock())\n", "replaces something by a mock, which this file tests."),
    ],
)
def test_a_test_that_cannot_fail_is_found(tmp_path: Path, body: str, sentence: str) -> None:
    assert found(tmp_path, body) == [sentence]


@pytest.mark.parametrize(
    "body",
    [
        "def test_a():\n    assert f()\n",
        "def test_a():\n    with pytest.raises(ValueError):\n        f()\n",
        "def test_a(page):\n    expect(page).to_have_title('a')\n",
        "def check(a):\n    assert a\ndef deeper(a):\n    check(a)\ndef test_a():\n    deeper(1)\n",
        "def test_a():\n    run(x, check=True)\n",
        "def test_a():\n    f()  # the line that matters is the first\n    raise AssertionError('always')\n",
        "def test_a():  # can fail: it raises\n    f()\n",
        "def test_a():\n    found = f()\n    assert len(found) == 2\n    assert all(one for one in found)\n",
        "def test_a():\n    found = f()\n    assert found and all(one for one in found)\n",
        "def test_a():\n    found = [1, 2]\n    assert all(f(one) for one in found)\n",
        "def test_a():\n    assert all(f(one) for one in range(3))\n",
        "ALL = f()\ndef test_a():\n    assert all(f(one) for one in ALL)\n",
        "def test_a():\n    for one in (1, 2):\n        assert one\n",
        "def test_a():\n    try:\n        assert a\n    except KeyError:\n        pass\n",
        "def test_a(p):\n    p.setattr(it, 'LIMIT', 3)\n    assert a\n",
        "def test_a(p):\n    p.setattr(other, 'rule', f)\n    assert a\n",
        "def test_a():\n    assert f() == f()\n",
        "def helper():\n    pass\n",
    ],
)
def test_a_test_that_can_fail_is_left_alone(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, body) == []


def test_a_file_that_is_no_test_may_do_as_it_likes(tmp_path: Path) -> None:
    assert found(tmp_path, "def test_a():\n    f()\n", name="helping.py") == []
