"""Whether a model answers can be asked: by `doctor`, and by an init script with a pass."""

from __future__ import annotations

from pathlib import Path

from dayjob.llm.check import check_models
from dayjob.llm.settings import LlmSettings, script_model
from tests.llm.gateways import open_gateway, run


def test_each_role_s_model_is_asked_once(tmp_path: Path) -> None:
    (tmp_path / "up.yml").write_text("rules: [{say: ready}]", "utf-8")
    (tmp_path / "down.yml").write_text("rules: [{fault: {status: 401, message: no such key}}]", "utf-8")

    async def main() -> None:
        roles = {"npc": script_model(tmp_path / "up.yml"), "judge": script_model(tmp_path / "down.yml")}
        up, down = await check_models(LlmSettings(roles))  # type: ignore[arg-type]  # the keys are roles
        assert (up.role, up.ready, up.label) == ("npc", True, "")
        assert (down.role, down.ready, down.label) == ("judge", False, "refused")
        assert "no such key" in down.sentence

    run(main())


def test_an_init_script_asks_over_the_wire_until_the_model_answers() -> None:
    async def main() -> None:
        rules = [{"fault": {"status": 401}, "once": True}, {"say": "ready"}]
        async with open_gateway(rules, role="npc") as opened:
            answers = [await opened.client.get("/v1/ready") for _ in range(3)]
            assert [one.status_code for one in answers] == [503, 200, 200]
            assert answers[0].json()["label"] == "refused"
            assert answers[1].json()["ready"] is True
            assert len(opened.model.asked) == 2
            assert opened.access.faults == []

    run(main())
