"""YAML of others: each bound at its edge and one beyond, counted with aliases written out."""

from __future__ import annotations

import pytest
import yaml

from dayjob.company import outside_yaml
from dayjob.company.outside_yaml import DEEPEST, EXPANDED, LONGEST, NODES, YamlTooLarge, dump, load


def sequence(values: int) -> str:
    """A document of so many values, the list itself among them."""
    return "\n".join(["- 1"] * (values - 1))


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def repeated(size: int, times: int) -> str:
    """A list of a text under a name and of the name so often: 1, 1 + size, and 2 + size for each alias."""
    return "\n".join([f"- &a {'x' * size}", *["- *a"] * times])


def test_the_bounds_are_these() -> None:
    assert (LONGEST, EXPANDED, NODES, DEEPEST) == (262_144, 1_048_576, 20_000, 50)


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        (sequence(NODES), sequence(NODES + 1)),
        (deep(DEEPEST), deep(DEEPEST + 1)),
        ("#" * LONGEST, "#" * (LONGEST + 1)),
        # 1 + 1 + 104,855 + 9 * (2 + 104,855) = 1,048,570, and 1 + 5 more make 1024 * 1024.
        (repeated(104_855, 9) + "\n- xxxxx", repeated(104_855, 9) + "\n- xxxxxx"),
    ],
    ids=["values", "depth", "length", "signs with aliases written out"],
)
def test_a_document_at_its_bound_is_read_and_one_beyond_is_refused(within: str, beyond: str) -> None:
    load(within)
    with pytest.raises(YamlTooLarge, match="The parsed YAML is too big"):
        load(beyond)


def test_an_alias_of_a_collection_counts_everything_in_it() -> None:
    inner = ", ".join(["1"] * 99)  # with the list itself, a hundred values
    lines = [f"- &a [{inner}]", *["- *a"] * 197]  # 1 + 100 + 197 * 101 = 19,998
    assert len(load("\n".join(lines))) == 198
    assert len(load("\n".join([*lines, "- 1", "- 2"]))) == 200
    with pytest.raises(YamlTooLarge):
        load("\n".join([*lines, "- 1", "- 2", "- 3"]))


def test_an_alias_of_a_single_value_counts_as_two() -> None:
    lines = ["- &a 1", *["- *a"] * 9_999]  # 1 + 1 + 9,999 * 2
    assert len(load("\n".join(lines))) == 10_000
    with pytest.raises(YamlTooLarge):
        load("\n".join([*lines, "- 1"]))


def test_aliases_of_aliases_are_refused_before_they_are_written_out() -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    with pytest.raises(YamlTooLarge):
        load("\n".join(lines))


def test_a_document_that_holds_itself_is_refused() -> None:
    with pytest.raises(YamlTooLarge):
        load("&a [*a]")
    assert load("a: &a [1]\nb: *a") == {"a": [1], "b": [1]}


def test_a_reference_is_kept_as_a_list_and_another_tag_is_refused() -> None:
    assert load("!reference [a, b]") == ["a", "b"]
    assert load("!reference a") is None
    with pytest.raises(yaml.YAMLError):
        load("!other [a]")


@pytest.mark.parametrize(
    ("text", "kind"),
    [("!!bool maybe", "bool"), ("!!timestamp soon", "timestamp"), ("!!int ''", "int"), ("!!float ''", "float")],
)
def test_a_tag_that_promises_what_the_value_is_not_is_told_with_its_line(text: str, kind: str) -> None:
    with pytest.raises(yaml.constructor.ConstructorError, match=f"a value of type {kind}, not") as told:
        load(f"a: 1\nb: {text}")
    assert told.value.problem_mark is not None
    assert told.value.problem_mark.line == 1


@pytest.mark.parametrize(("digits", "is_number"), [(100, True), (101, False)])
def test_a_number_of_more_than_a_hundred_signs_is_text(digits: int, is_number: bool) -> None:
    assert load("1" * digits) == (int("1" * digits) if is_number else "1" * digits)
    fraction = "1." + "5" * (digits - 2)
    assert load(fraction) == (float(fraction) if is_number else fraction)


def test_a_document_is_written_in_the_order_it_has() -> None:
    assert dump({"b": 1, "a": [2]}) == "b: 1\na:\n- 2\n"
    assert load(outside_yaml.dump({"b": 1, "a": [2]})) == {"b": 1, "a": [2]}
