"""A large company, generated: 1,000 people, 100,000 messages, 10,000 issues, 200 repositories. One seed, one world."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path

WORDS = [
    "plan",
    "budget",
    "greenhouse",
    "order",
    "seed",
    "crate",
    "route",
    "invoice",
    "tulip",
    "supplier",
    "delivery",
    "shelf",
    "report",
    "customer",
    "label",
    "schedule",
    "team",
    "release",
    "note",
    "truck",
    "pallet",
    "season",
    "price",
    "stock",
    "watering",
    "frost",
    "sample",
    "garden",
    "meeting",
    "draft",
]
FIRST = [
    "Ada",
    "Bo",
    "Cleo",
    "Dan",
    "Eva",
    "Finn",
    "Gus",
    "Hana",
    "Ivo",
    "Jana",
    "Kai",
    "Lea",
    "Max",
    "Nora",
    "Otto",
    "Pia",
    "Quin",
    "Rosa",
    "Sven",
    "Tess",
]
LAST = [
    "Ash",
    "Birch",
    "Cedar",
    "Dogwood",
    "Elm",
    "Fir",
    "Ginkgo",
    "Hazel",
    "Ivy",
    "Juniper",
    "Kapok",
    "Larch",
    "Maple",
    "Nutmeg",
    "Oak",
    "Pine",
]


def write(
    folder: Path, *, people: int, messages: int, issues: int, repositories: int, items: int = 0, seed: int = 7
) -> None:
    """Write the world's files below `folder`, which must not exist yet; `items` are those of one board project."""
    chance = random.Random(seed)

    def sentence(length: int) -> str:
        return " ".join(chance.choice(WORDS) for _ in range(length)).capitalize() + "."

    def put(name: str, text: str) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    put("world.toml", _world())
    usernames = [f"person{number}" for number in range(people)]
    for number, username in enumerate(usernames):
        name = f"{chance.choice(FIRST)} {chance.choice(LAST)} {number}"
        put(f"people/{username}.yml", f"name: {name}\nusername: {username}\npassword: secret\ntitle: {sentence(2)}\n")
    now = datetime(2025, 1, 6, 8)
    channels = max(1, messages // 2500)
    for channel in range(channels):
        name = "general" if channel == 0 else f"channel-{channel}"
        lines = [f"name: {name}", "members: everyone", "messages:"]
        moment = now
        for _ in range(messages // channels):
            moment += timedelta(seconds=chance.randint(20, 400))
            lines.append(
                f"- {{from: {chance.choice(usernames)}, at: '{moment:%Y-%m-%dT%H:%M:%SZ}', text: '{sentence(9)}'}}"
            )
        put(f"chat/channels/{name}.yml", "\n".join(lines) + "\n")
    for number in range(repositories):
        place = f"forge/projects/bench/repository-{number}"
        put(f"{place}/project.yml", f"description: {sentence(6)}\nvisibility: internal\n")
        put(f"{place}/source/README.md", f"# Repository {number}\n\n{sentence(30)}\n")
        put(f"{place}/source/src/main.py", f"print({number})\n")
        if number == 0 or issues // repositories:
            # Half of all issues are in one project, so that a list can be long.
            count = issues // 2 if number == 0 else issues // 2 // max(1, repositories - 1)
            rows = [
                f"- {{title: '{sentence(5)}', author: {chance.choice(usernames)}, description: '{sentence(20)}'}}"
                for _ in range(count)
            ]
            put(f"{place}/issues.yml", "\n".join(rows) + "\n")
    put("forge/groups.yml", "- path: bench\n  name: Bench\n  visibility: internal\n")
    for number in range(20):
        put(f"drive/files/Reports/report-{number}.md", f"# Report {number}\n\n{sentence(200)}\n")
    if items:
        states = ("Backlog", "Todo", "In Progress", "Done")
        rows = [
            f"- {{name: '{sentence(5)}', state: {chance.choice(states)}, created_by: person1, assignees: person1}}"
            for _ in range(items)
        ]
        head = "name: Bench\nidentifier: BEN\nlead: person1\nmembers: {person1: admin}\nitems:\n"
        put("board/projects/bench.yml", head + "\n".join(rows) + "\n")


def _world() -> str:
    return """format = 1
name = "Bench"
slug = "bench"
host = "bench.test"
now = 2026-03-09T09:00:00Z

[accounts.chat]
username = "admin"
password = "secret"
name = "Administrator"

[accounts.forge]
username = "root"
password = "secret"
token = "root-token"

[accounts.board]
workspace = "bench"
email = "root@bench.test"
password = "secret"
api_key = "plane_api_root"

[accounts.drive]
username = "root"
password = "secret"
"""
