"""Which mutants a piece of source has, and what is left alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.mutants.operators import mutants_of
from tools.mutants.sql import is_sql

ROOT = Path(__file__).parents[3]


def changed(source: str) -> set[str]:
    """Every mutant of a source of one line, as that line."""
    return {mutant.text.decode() for mutant in mutants_of("src/dayjob/x.py", source.encode())}


def kinds(source: str) -> set[str]:
    return {mutant.edit.kind for mutant in mutants_of("src/dayjob/x.py", source.encode())}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a < b", "a <= b"),
        ("a <= b", "a < b"),
        ("a > b", "a >= b"),
        ("a >= b", "a > b"),
        ("a == b", "a != b"),
        ("a != b", "a == b"),
        ("a in b", "a not in b"),
        ("a not in b", "a in b"),
        ("a is b", "a is not b"),
        ("a is not b", "a is b"),
        ("(a) < (b)", "(a) <= (b)"),
        ("a < b < c", "a < b <= c"),
    ],
)
def test_a_comparison_moves_by_one_step(before: str, after: str) -> None:
    assert after in changed(before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a and b", {"(a or b)", "(a)", "(b)"}),
        ("a or b", {"(a and b)", "(a)", "(b)"}),
        ("a and b and c", {"(a or b or c)", "True and b and c", "a and True and c", "a and b and True"}),
        ("not a", {"a"}),
        ("x if a else y", {"x if not (a) else y"}),
        ("[x for x in y if x]", {"[x for x in y if True]"}),
        ("a + b", {"a - b"}),
        ("a - b", {"a + b"}),
        ("a * b", {"a / b"}),
        ("a // b", {"a / b"}),
        ("a | b", {"a & b"}),
        ("x = 3", {"x = 4", "x = 2"}),
        ("x = 0", {"x = 1"}),
        ("x = 0.5", {"x = 1.0"}),
        ("x = True", {"x = False"}),
        ("x = 'open'", {"x = 'openX'"}),
        ("x = ''", {"x = 'X'"}),
        ("f(a, b=c)", {"pass", "f(a)"}),
        ("f(b=c, d=e)", {"pass", "f(d=e)", "f(b=c)"}),
        ("await f(a)", {"pass"}),
        ("x += y", {"x -= y"}),
        ("ROLES = (A, B)", {"ROLES = (B,)", "ROLES = (A,)"}),
        ("ROLES = frozenset({A, B})", {"ROLES = frozenset({B})", "ROLES = frozenset({A})"}),
        ("x in (A, B)", {"x not in (A, B)", "x in (B,)", "x in (A,)"}),
        ("TABLE = {A: B, C: D}", {"TABLE = {C: D}", "TABLE = {A: B}"}),
        ("if a: raise b", {"pass", "if not (a): raise b"}),
        ("if a: return", {"pass", "if not (a): return"}),
    ],
)
def test_the_mutants_of_a_line_are_these(before: str, after: set[str]) -> None:
    assert changed(before) == after


def test_a_default_is_changed_in_its_place() -> None:
    assert changed("def f(a=3, *, b=False): ...") == {
        "def f(a=4, *, b=False): ...",
        "def f(a=2, *, b=False): ...",
        "def f(a=3, *, b=True): ...",
    }


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring of one word."""',
        "x: Literal['a', 'b']",
        "def f(a: Literal['a']) -> dict[str, Literal[1]]: ...",
        "__all__ = ['a', 'b']",
        "if TYPE_CHECKING:\n    x = 1",
        "if __name__ == '__main__':\n    x = 1",
        "log.warning('it', 1)",
        "assert a, 'it'",
        "f'{1 + 2}'",
        "x = 'two words'",
        "x = '<b>'",
        "row['name']",
        "@dataclass(frozen=True, slots=True)\nclass A: ...",
        "def __repr__(self): return 'a'",
    ],
)
def test_what_no_rule_rests_on_is_left_alone(source: str) -> None:
    assert changed(source) == set()


def test_an_errors_sentence_is_left_alone_and_its_raising_is_not() -> None:
    assert changed("raise Refused('no', 3)") == {"pass"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("WHERE a=? AND b=?", {"WHERE (a=? OR 1) AND b=?", "WHERE a=? AND (b=? OR 1)"}),
        ("WHERE a=? OR b=?", {"WHERE (a=? OR 1) OR b=?", "WHERE a=? OR (b=? AND 0)"}),
        ("WHERE a<? LIMIT 1", {"WHERE a<=? LIMIT 1", "WHERE (a<? OR 1) LIMIT 1"}),
        ("WHERE a >= ?", {"WHERE a > ?", "WHERE (a >= ? OR 1)"}),
        ("WHERE a IS NULL", {"WHERE a IS NOT NULL", "WHERE (a IS NULL OR 1)"}),
        ("WHERE (a=? OR b=?)", {"WHERE ((a=? OR b=?) OR 1)", "WHERE (a=? OR (b=? AND 0))"}),
        ("WHERE a IN (", set()),
        ("WHERE a IN", set()),
        ("SELECT a FROM b ORDER BY c DESC", {"SELECT a FROM b ORDER BY c"}),
        ("LEFT JOIN a ON a.x=b.x", {"JOIN a ON a.x=b.x", "LEFT JOIN a ON (a.x=b.x OR 1)"}),
        ("WHERE a BETWEEN ? AND ?", {"WHERE (a BETWEEN ? OR 1) AND ?"}),
    ],
)
def test_sql_loses_a_condition_or_moves_a_boundary(before: str, after: set[str]) -> None:
    found = {text.removeprefix('x = "').removesuffix('"') for text in changed(f'x = "{before}"')}
    assert found == after


def test_sql_in_an_f_string_is_reached() -> None:
    assert 'x = f"WHERE {a} AND (b=? OR 1)"' in changed('x = f"WHERE {a} AND b=?"')


@pytest.mark.parametrize(
    ("text", "is_one"), [("SELECT a FROM b", True), ("a=? AND b=?", True), ("this and that", False)]
)
def test_sql_is_told_from_other_text(text: str, is_one: bool) -> None:
    assert is_sql(text) is is_one


def test_a_mutant_says_where_it_is() -> None:
    source = (
        "x = 1\nclass A:\n    def f(self):\n        if (self.a\n           and self.b):\n            return 'ä' == b\n"
    )
    found = {(one.function, one.line, one.first, one.last, one.diff) for one in mutants_of("x.py", source.encode())}
    assert ("", 1, 1, 1, ("x = 1", "x = 2")) in found
    assert ("A.f", 6, 6, 6, ("return 'ä' == b", "return 'ä' != b")) in found
    assert ("A.f", 4, 4, 5, ("if (self.a and self.b):", "if ((self.a)):")) in found


def test_every_mutant_of_a_real_file_differs_from_it_in_one_place_and_nearly_all_compile() -> None:
    path = "src/dayjob/company/forge/store/access.py"
    text = (ROOT / path).read_bytes()
    found = mutants_of(path, text)
    assert len({one.text for one in found}) == len(found) > 150
    assert text not in {one.text for one in found}
    assert sum(one.compiles() for one in found) > 0.97 * len(found)
    assert {one.edit.kind for one in found} >= {"SQL", "comparison", "guard removed", "string", "element dropped"}
    for one in found:
        if one.compiles():
            assert ast.dump(ast.parse(one.text)) != ast.dump(ast.parse(text)), one.diff
