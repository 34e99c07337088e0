"""A colleague with a sheet and nobody else: what is said to them, and what they answer, without a company."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from dayjob.npc.acquaintance import Acquaintance
from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.minds import Briefing, Decision
from dayjob.npc.persona import Persona
from dayjob.npc.sheet_mind import SheetMind
from dayjob.task.reading import parse_plain_yaml
from dayjob.task.rules import Rule
from dayjob.task.scenario import read_scenarios
from dayjob.task.schema import schema_error

SAM = "sam.reed"
MONDAY = datetime(2026, 3, 9, 10, 0, tzinfo=UTC)


class Talk:
    """Conversations with one colleague, on Monday 9 March at ten."""

    def __init__(
        self, sheet: str | Mapping[str, Any], *, goes_to: Callable[[str], str] | None = None, **persona: Any
    ) -> None:
        entry = parse_plain_yaml(sheet, "colleagues.yml", Rule.SCENARIOS) if isinstance(sheet, str) else sheet
        found = {"Lena Fischer": entry}
        assert schema_error("colleagues.yml", found) is None
        who = Persona("Lena Fischer", "lena.fischer", **persona)
        scenario = read_scenarios(found)["Lena Fischer"]
        self.briefing = Briefing(who, scenario, now=lambda: MONDAY, goes_to=goes_to)
        self.mind = SheetMind(self.briefing)
        self.rooms: dict[tuple[str, str], Conversation] = {}
        self.said = 0

    def hear(
        self, *texts: str, who: str = SAM, kind: str = "d", thread: str = "", mentions: tuple[str, ...] = ()
    ) -> Decision:
        """Say something in one burst; what the colleague makes of it."""
        room = f"{kind}-{who}" if kind == "d" else kind
        conversation = self.rooms.setdefault((room, thread), Conversation(room, kind, "launch", thread))
        lines = []
        for text in texts:
            self.said += 1
            name = " ".join(part.title() for part in who.split("."))
            lines.append(Line(f"m{self.said}", room, who, name, text, self.said, thread, mentions))
        conversation.lines += lines
        return asyncio.run(self.mind.decide(conversation, lines))

    def say(self, *texts: str, **how: Any) -> str:
        """The same, and only the answer."""
        return "\n".join(self.hear(*texts, **how).messages)

    def known(self, who: str = SAM) -> Acquaintance:
        return self.mind.knows(who)

    def forked(self) -> Talk:
        """Another colleague with the memory of this one, through JSON."""
        other = object.__new__(Talk)
        other.__dict__ |= self.__dict__
        other.mind = SheetMind(self.briefing)
        other.mind.recall(json.loads(json.dumps(self.mind.memory)))
        other.rooms = {
            key: Conversation.recalled_from(json.loads(json.dumps(one.memory))) for key, one in self.rooms.items()
        }
        return other
