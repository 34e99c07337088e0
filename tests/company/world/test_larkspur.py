"""Larkspur says the same everywhere: one person, one date, one number, in chat, on board, forge and drive."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import openpyxl  # type: ignore[import-untyped]  # openpyxl ships no types
import pytest
import yaml

from tests.company.serving import WORLDS

LARKSPUR = WORLDS / "larkspur"
FACTS: dict[str, Any] = tomllib.loads((WORLDS.parent / "tools/larkspur/facts.toml").read_text("utf-8"))
NOW: datetime = FACTS["dates"]["now"]
GHENT = ZoneInfo("Europe/Brussels")


def read(path: Path) -> Any:
    return yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)


PEOPLE: dict[str, dict[str, Any]] = {path.stem: read(path) for path in sorted((LARKSPUR / "people").glob("*.yml"))}
CHANNELS: dict[str, dict[str, Any]] = {
    path.stem: read(path) for path in sorted((LARKSPUR / "chat/channels").glob("*.yml"))
}
DIRECT: dict[str, dict[str, Any]] = {path.stem: read(path) for path in sorted((LARKSPUR / "chat/direct").glob("*.yml"))}
BOARDS: dict[str, dict[str, Any]] = {
    one["identifier"]: one for one in map(read, sorted((LARKSPUR / "board/projects").glob("*.yml")))
}


@dataclass(frozen=True)
class Said:
    """Something somebody wrote: in a room or on an item."""

    where: str
    who: str
    at: datetime
    text: str


def members(room: dict[str, Any]) -> set[str]:
    if "between" in room:
        return set(room["between"])
    if room.get("members") == "everyone":
        return set(PEOPLE)
    joined = {name for name, person in PEOPLE.items() if room["name"] in person["channels"]}
    return {*room.get("members", []), *joined} | ({room["owner"]} if "owner" in room else set())


def lines(room: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in room["messages"]:
        yield message
        yield from message.get("thread", [])


def in_chat() -> list[Said]:
    rooms = {**{f"#{name}": room for name, room in CHANNELS.items()}, **DIRECT}
    return [Said(name, one["from"], one["at"], one["text"]) for name, room in rooms.items() for one in lines(room)]


def on_board() -> list[Said]:
    said = []
    for identifier, board in BOARDS.items():
        for number, item in enumerate(board["items"], 1):
            where = f"{identifier}-{number}"
            text = f"{item['name']}\n{item.get('description', '')}"
            said.append(Said(where, item["created_by"], item["created"], text))
            said += [Said(where, one["by"], one["at"], one["text"]) for one in item.get("comments", [])]
    return said


def on_forge() -> list[Said]:
    said = []
    for path in sorted((LARKSPUR / "forge/projects").rglob("*.yml")):
        if path.name in ("issues.yml", "merge_requests.yml"):
            for entry in read(path) or []:
                for one in (entry, *entry.get("comments", [])):
                    text = f"{one.get('title', '')}\n{one.get('description', '')}\n{one.get('body', '')}"
                    said.append(Said(f"{path.parent.name}/{path.stem}", one["author"], one["at"], text))
    return said


EVERYTHING = [*in_chat(), *on_board(), *on_forge()]


def names(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


def day(value: Any) -> date:
    return value.date() if isinstance(value, datetime) else date.fromisoformat(str(value))


# -- people ------------------------------------------------------------------------------------------------------


def test_people_are_those_of_the_facts() -> None:
    told = {
        one["username"]: (one["name"], one["title"], one.get("lead"), one["since"]) for one in FACTS["people"]
    }  # fmt: skip
    written = {
        name: (one["name"], one["title"], one.get("manager"), one["joined"]) for name, one in PEOPLE.items()
    }  # fmt: skip
    assert written == told
    assert all(one["username"] == name for name, one in PEOPLE.items())


def test_teams_have_one_lead_who_leads_them_or_is_led_by_the_chief() -> None:
    people = {one["username"]: one for one in FACTS["people"]}
    for one in people.values():
        lead = people.get(one.get("lead"))
        if lead is not None:
            assert lead["team"] in (one["team"], "Leadership"), one["name"]
    assert [one["name"] for one in people.values() if "lead" not in one] == ["Ines Carvalho"]


def test_everybody_has_a_character_of_their_own() -> None:
    personas = {name: " ".join(one["persona"].split()) for name, one in PEOPLE.items()}
    assert len(set(personas.values())) == len(PEOPLE) == 21
    for name, persona in personas.items():
        assert 2 <= len(re.findall(r"[.:!?](?: |$)", persona)) <= 6, name


def test_nobody_writes_before_their_first_day_or_after_now() -> None:
    for one in EVERYTHING:
        assert one.at <= NOW, one
        assert one.at.astimezone(GHENT).date() >= PEOPLE[one.who]["joined"], one


def test_people_write_on_working_days_at_working_hours() -> None:
    for one in EVERYTHING:
        local = one.at.astimezone(GHENT)
        assert local.weekday() < 5, one
        assert 7 <= local.hour < 20, one
        assert local.date().isoformat() not in FACTS["holidays"], one


# -- what is named exists ----------------------------------------------------------------------------------------


def test_whoever_is_mentioned_works_here() -> None:
    mentioned = [(name, one) for one in EVERYTHING for name in re.findall(r"@([\w-]+(?:\.[\w-]+)*)", one.text)]
    assert len(mentioned) > 10
    assert [(name, one.where) for name, one in mentioned if name not in PEOPLE] == []


def test_channels_that_are_named_exist_and_are_the_sixteen() -> None:
    assert set(CHANNELS) == {
        "general", "random", "launch", "engineering", "operations", "finance", "people", "support", "sales", "product",
        "design", "data", "platform", "releases", "kudos", "office",
    }  # fmt: skip
    named = [(name, one.where) for one in EVERYTHING for name in re.findall(r"(?<!\w)#([a-z][\w-]*)", one.text)]
    assert [one for one in named if one[0] not in CHANNELS] == []
    assert {name for name, room in CHANNELS.items() if room.get("type") == "private"} == {"finance", "people"}


def test_who_writes_or_reacts_is_in_the_room() -> None:
    for name, room in {**CHANNELS, **DIRECT}.items():
        inside = members(room)
        for one in lines(room):
            reacted = {who for people in one.get("reactions", {}).values() for who in people}
            assert {one["from"]} | reacted <= inside, (name, one["at"])
            assert one["from"] not in reacted, f"{one['from']} applauds themselves in {name} at {one['at']}"


def test_paths_on_the_drive_that_are_named_exist() -> None:
    paths = [(path, one.where) for one in EVERYTHING for path in re.findall(r"(?<!\S)`?(/[A-Z][\w./-]*\w)", one.text)]
    assert len(paths) >= 5
    assert [one for one in paths if not (LARKSPUR / "drive/files" / one[0][1:]).exists()] == []


def test_repositories_that_are_named_exist() -> None:
    text = "\n".join(one.text for one in EVERYTHING)
    named = {name for name in FACTS["repositories"] if re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w-])", text)}
    assert {"trellis", "trellis-web", "catalogue-import", "timesheets"} <= named
    for name in sorted(named):
        assert (LARKSPUR / "forge/projects/larkspur" / name / "project.yml").exists(), name


def test_items_that_are_named_existed_by_then() -> None:
    numbers = "|".join(BOARDS)
    named = [(one, *found) for one in in_chat() for found in re.findall(rf"\b({numbers})-(\d+)\b", one.text)]
    assert named
    for said, identifier, number in named:
        item = BOARDS[identifier]["items"][int(number) - 1]
        assert item["created"] <= said.at, (said, item["name"])


def requests() -> dict[str, tuple[list[str], datetime]]:
    """What customers wish for: who asked, and since when it is on the board."""
    found = {}
    for item in BOARDS["CARE"]["items"]:
        if item.get("labels") == "request":
            asked = re.match(r"Asked for by: ([^.]*)\.", item["description"])
            assert asked is not None, item["name"]
            found[item["name"]] = (asked[1].split(", "), item["created"])
    return found


def test_customers_who_wish_for_something_are_customers() -> None:
    customers = {one["name"] for one in FACTS["customers"]}
    assert len(requests()) == 9
    for name, (asked, _) in requests().items():
        assert set(asked) <= customers, name


def test_the_handbook_s_rule_ranks_the_wishes_in_one_way() -> None:
    sheet = openpyxl.load_workbook(LARKSPUR / "drive/files/Customers/customer-list.xlsx", read_only=True)["Customers"]
    rows = list(sheet.iter_rows(values_only=True))
    name, sites = rows[0].index("name"), rows[0].index("sites")
    has = {str(row[name]): int(str(row[sites])) for row in rows[1:]}

    def rank(wish: str) -> tuple[int, int, datetime]:
        asked, since = requests()[wish]
        return -len(asked), -sum(has[one] for one in asked), since

    assert sorted(requests(), key=rank) == [
        "Copy last year's week",
        "A site's own closing days in the plan",
        "Own words for tasks",
        "Print the week on one page",
        "See who changed a shift",
        "Send the plan as a text message to seasonal workers",
        "See the plan for two days without internet",
        "A colour of their own for people with the same first name",
        "A swap between three people",
    ]


# -- numbers and dates -------------------------------------------------------------------------------------------


def test_projects_and_sprints_are_those_of_the_facts() -> None:
    assert {identifier: board["name"] for identifier, board in BOARDS.items()} == FACTS["boards"]
    sprints = [(one["name"], one["start"], one["end"]) for one in FACTS["sprints"]]
    for identifier in ("TREL", "PLAT"):
        assert [(one["name"], day(one["start"]), day(one["end"])) for one in BOARDS[identifier]["cycles"]] == sprints
    named = {int(found) for one in EVERYTHING for found in re.findall(r"Sprint (\d+)", one.text)}
    assert named <= {3, 4, 5, 6, 7, 8}


@pytest.mark.parametrize("identifier", sorted(BOARDS))
def test_the_board_tells_a_possible_story(identifier: str) -> None:
    board = BOARDS[identifier]
    inside = set(board["members"])
    cycles = {one["name"]: one for one in board["cycles"]}
    made = [one["created"] for one in board["items"]]
    assert made == sorted(made), "items are numbered in the order they were made"
    for item in board["items"]:
        name, finished = item["name"], item.get("completed")
        people = {item["created_by"], *names(item.get("assignees")), *(one["by"] for one in item.get("comments", []))}
        assert people <= inside, name
        assert all(item["created"] <= one["at"] for one in item.get("comments", [])), name
        assert finished is None or (item["state"] == "Done" and item["created"] <= finished <= NOW), name
        if item["state"] == "Done":
            assert day(finished or item["due"]) <= NOW.date(), name
            if "cycle" in item:
                assert day(finished or item["due"]) <= day(cycles[item["cycle"]]["end"]), name


def test_past_sprints_are_closed_but_for_the_last() -> None:
    left = [
        (board["identifier"], item["name"], item["cycle"])
        for board in (BOARDS["TREL"], BOARDS["PLAT"])
        for item in board["items"]
        if item.get("cycle") in {"Sprint 3", "Sprint 4", "Sprint 5", "Sprint 6"}
        and item["state"] not in ("Done", "Cancelled")
    ]
    assert {(identifier, cycle) for identifier, _, cycle in left} == {("TREL", "Sprint 6")}
    assert len(left) == 5


def test_prices_and_the_launch_have_one_figure() -> None:
    prices = {int(found) for one in EVERYTHING for found in re.findall(r"(\d+) € a month per site", one.text)}
    assert prices == {FACTS["prices"]["from_launch"]}
    text = "\n".join(one.text for one in EVERYTHING)
    assert not re.search(r"\bGBP\b|£|Bristol|London", text)
    launch = FACTS["dates"]["launch"].astimezone(GHENT)
    assert f"Monday {launch.day} March {launch.year}, {launch:%H:%M}" in CHANNELS["launch"]["topic"]
    counted = [int(found) for one in on_board() for found in re.findall(r"with (\d+) garden centres", one.text)]
    assert counted == [FACTS["company"]["customers"]]
