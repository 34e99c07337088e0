"""A referral chain of 17 colleagues, walked to the end: by script, by a scripted model, and by a replayed cassette."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dayjob.company.world import Snapshot
from dayjob.llm.cassette import Cassette
from dayjob.llm.gateway import Gateway
from dayjob.llm.settings import LlmSettings
from dayjob.npc.cast import Cast
from tests.llm.gateways import open_gateway
from tests.npc.casting import Stage, on_stage, run, snapshot_of, world_of

LENGTH = 17


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("chain")
    with world_of(folder / "world", LENGTH) as world:
        return snapshot_of(world, folder / "cache")


def line_of(number: int) -> str:
    if number == LENGTH:
        return "You found me. The answer is 42."
    return f"Not me. Please talk to colleague.{number + 1} about the key."


def scripts() -> dict[str, Any]:
    return {
        f"Colleague Number{number}": {
            "extra_info": line_of(number),
            "strategy_hint": "Only help when asked for the key.",
            "script": [{"on": {"topic": "key"}, "reply": line_of(number)}],
        }
        for number in range(1, LENGTH + 1)
    }


MODEL = [
    {
        "when": {"system": r"share when asked:\n- (?P<line>[^\n]+)", "last": "the key"},
        "json": {"action": "speak", "message": "${line}"},
    },
    {"json": {"action": "silent", "message": ""}},
]


async def walk(stage: Stage, cast: Cast) -> list[str]:
    """Do as one is told until nobody refers any further; who was asked, and the answer last."""
    asked, username = [], "colleague.1"
    async with stage.examinee() as sam:
        while True:
            asked.append(username)
            await sam.write(f"@{username}", "Hello, who has the key?")
            (said,) = await sam.hears(username, 1)
            referral = re.search(r"colleague\.\d+", said)
            if referral is None:
                assert await cast.quiet()
                assert cast.faults == []
                assert len(cast.evidence.turns) == len(asked)
                return [*asked, said]
            username = referral[0]


EXPECTED = [*(f"colleague.{number}" for number in range(1, LENGTH + 1)), "You found me. The answer is 42."]


def test_by_script(chain: Snapshot) -> None:
    async def main() -> None:
        async with on_stage(chain) as stage, stage.cast(scripts()) as cast:
            assert set(cast.minds.values()) == {"script"}
            assert await walk(stage, cast) == EXPECTED

    run(main())


def test_by_a_scripted_model_and_then_from_its_cassette_without_one(chain: Snapshot, tmp_path: Path) -> None:
    async def main() -> None:
        recording = Cassette(tmp_path, "record")
        async with open_gateway(MODEL, role="npc", trial="chain.1", cassette=recording) as opened:
            async with on_stage(chain) as stage, stage.cast(scripts(), access=opened.access) as cast:
                assert set(cast.minds.values()) == {"llm"}
                assert await walk(stage, cast) == EXPECTED
            tokens = opened.access.usage.as_dict()
        async with Gateway(LlmSettings(), cassette=Cassette(tmp_path, "replay")) as gateway:
            access = gateway.admit("chain.1", "npc")
            async with on_stage(chain) as stage, stage.cast(scripts(), access=access) as cast:
                assert set(cast.minds.values()) == {"llm"}
                assert await walk(stage, cast) == EXPECTED
            assert access.usage.as_dict() == tokens

    run(main())
