"""`voice`, `about` and `facts` of a person's file: what is read, and every mistake named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob.company.world import Fact, build_snapshot, load_world, read_about, read_facts, read_voice
from dayjob.company.world.files import Problem
from dayjob.company.world.snapshot import check_world

ADA = """\
name: Ada Byron
about: [seed orders, greenhouse plan]
voice:
  greeting:
    - Hello ${sender}, what is it?
    - Good morning.
  refer: ["Ask ${who}."]
  "yes": [Yes.]
facts:
  shed-key:
    says: It hangs behind my door.
    again: Behind the door, ${sender}.
    asked: [shed key, key of the shed]
  kettle:
    says: In the kitchen.
    asked: [kettle]
"""


def _world(folder: Path, person: str) -> Path:
    (folder / "people").mkdir(parents=True)
    (folder / "world.toml").write_text('name = "Acme"\nhost = "acme.test"\n')
    (folder / "people" / "ada.yml").write_text(person)
    return folder


def _found(folder: Path, person: str) -> list[Problem]:
    return check_world(_world(folder / "acme", person))


def test_what_a_person_says_and_knows_is_read_from_their_file(tmp_path: Path) -> None:
    world = _world(tmp_path / "acme", ADA)
    assert check_world(world) == []
    ada = load_world(world).people[0].more
    assert read_voice(ada).phrases == {
        "greeting": ("Hello ${sender}, what is it?", "Good morning."),
        "refer": ("Ask ${who}.",),
        "yes": ("Yes.",),
    }
    assert read_about(ada) == ("seed orders", "greenhouse plan")
    assert read_facts(ada) == (
        Fact("shed-key", "It hangs behind my door.", "Behind the door, ${sender}.", ("shed key", "key of the shed")),
        Fact("kettle", "In the kitchen.", "", ("kettle",)),
    )


def test_a_compiled_world_has_the_same_words(tmp_path: Path) -> None:
    world = _world(tmp_path / "acme", ADA)
    written, compiled = load_world(world).people[0].more, build_snapshot(world, cache=tmp_path).info.people[0].more
    assert (read_voice(compiled), read_about(compiled), read_facts(compiled)) == (
        read_voice(written),
        read_about(written),
        read_facts(written),
    )


def test_a_person_without_the_three_keys_says_and_knows_nothing() -> None:
    assert (read_voice({}).phrases, read_about({}), read_facts({})) == ({}, (), ())


@pytest.mark.parametrize(
    ("lines", "line", "says"),
    [
        ("voice: [hello]", 2, "'voice' must be a mapping."),
        ("voice:\n  greetings: [Hello.]", 3, "'greetings' is nothing that a voice has words for. Did"),
        ("voice:\n  yes: [Yes.]", 3, "'True' is nothing that a voice has words for."),
        ("voice:\n  thanks: Gladly.", 3, "'thanks' must be a list of texts, none of them empty."),
        ("voice:\n  thanks: []", 3, "'thanks' must be a list of texts, none of them empty."),
        ("voice:\n  thanks: [Gladly., '']", 3, "'thanks' must be a list of texts, none of them empty."),
        ("voice:\n  thanks: [Gladly., 7]", 3, "'thanks' must be a list of texts, none of them empty."),
        ("voice:\n  thanks: [Gladly., Gladly.]", 3, "'thanks' has 'Gladly.' twice."),
        ("voice:\n  thanks: [Gladly.]\n  refer: [Ask somebody.]", 4, "'refer' needs ${who}: 'Ask somebody.'."),
        ("voice:\n  works: [Fine.]", 3, "'works' needs ${when}: 'Fine.'."),
        ("voice:\n  not_then: [Not then.]", 3, "'not_then' needs ${when}: 'Not then.'."),
        ("voice:\n  again: [As I said.]", 3, "'again' needs ${fact}: 'As I said.'."),
        ("voice:\n  again: ['${fact}, ${fact}.']", 3, "'again' says ${fact} more than once: '${fact}, ${fact}.'."),
        ("voice:\n  noted: ['Noted, ${sendr}.']", 3, "Nobody fills in ${sendr}: 'Noted, ${sendr}.'. Did you"),
        ("voice:\n  noted: ['Noted, ${who}.']", 3, "Nobody fills in ${who}: 'Noted, ${who}.'."),
        ("about: payroll", 2, "'about' must be a list of texts, none of them empty."),
        ("about: [payroll, [keys]]", 2, "'about' must be a list of texts, none of them empty."),
        ("facts: [The key is here.]", 2, "'facts' must be a mapping."),
        ("facts:\n  key: It is here.", 3, "The fact 'key' is not a mapping."),
        ("facts:\n  key:\n    asked: [key]", 4, "The fact 'key' has no 'says' that is a text."),
        ("facts:\n  key:\n    says: Here.\n    asked: key", 5, "'asked' of the fact 'key' must be a list of texts"),
        ("facts:\n  key:\n    says: Here.", 4, "'asked' of the fact 'key' must be a list of texts"),
        ("facts:\n  key:\n    says: Here.\n    again: 7\n    asked: [key]", 5, "The fact 'key' has no 'again'"),
        ("facts:\n  key:\n    says: Here.\n    ask: [key]\n    asked: [key]", 5, "'ask' means nothing in the fact"),
        ("facts:\n  key:\n    says: 'Here, ${who}.'\n    asked: [key]", 4, "Nobody fills in ${who}: 'Here, ${who}.'."),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_and_line(tmp_path: Path, lines: str, line: int, says: str) -> None:
    (only,) = _found(tmp_path, f"name: Ada Byron\n{lines}\n")
    assert (only.rule, only.file, only.line) == ("person", "people/ada.yml", line)
    assert only.message.startswith(says)
    assert only.fix


def test_a_bare_yes_is_told_to_stand_in_quotes(tmp_path: Path) -> None:
    (only,) = _found(tmp_path, "name: Ada Byron\nvoice:\n  no: [No.]\n")
    assert only.fix == 'Write "no" in quotes.'


def test_the_nearest_name_is_suggested(tmp_path: Path) -> None:
    (only,) = _found(tmp_path, "name: Ada Byron\nvoice:\n  greetings: [Hello.]\n")
    assert only.message.endswith("Did you mean 'greeting'?")
