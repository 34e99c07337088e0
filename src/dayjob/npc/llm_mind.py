"""The LLM mind: the engine keeps state and gates, a model finds the words, and limits hold afterwards.

What others write reaches the model as quoted data, never as instructions. What the model writes is checked before
anybody sees it: a reply that gives something away is thrown away and asked for again. A model that gives no usable
reply is no fault, since whoever writes to it could make it so: the colleague has a plain word for them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar

from dayjob.llm.faults import ModelFault
from dayjob.llm.reply_text import served_by
from dayjob.npc.acquaintance import Acquaintance
from dayjob.npc.evidence import Turn
from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.llm_prompt import RULES, digest, fixed_part, free_part, present_part, spoken_of
from dayjob.npc.llm_talk import Message, Telling
from dayjob.npc.llm_turn import SCHEMA, Action, ModelTurn, split_message, text_in, turn_in
from dayjob.npc.looking import about_work
from dayjob.npc.minds import Briefing, Decision, Mind, Models
from dayjob.npc.opening import Opening, open_now
from dayjob.npc.part import Part
from dayjob.npc.voice import Voice, filled
from dayjob.task.colleague_sheet import ColleagueSheet, Deed
from dayjob.task.secrecy import Guard, standing_nowhere

_TRIES = 3
_TOKENS = 2000
_TEMPERATURE = 0.3
_QUOTED = 600
_SILENT = "it is silent to a question"
_GIVES_AWAY = "it gives away "


@dataclass(slots=True)
class _Asking:
    """One decision under way: what is asked, and what came of it so far."""

    prompt: list[Message]
    guard: Guard
    question: bool
    at: datetime
    work: str
    meant: list[Line]
    how: dict[str, Any] = field(default_factory=dict)

    def throw_away(self, answer: str | None, because: str) -> None:
        self.how["thrown_away"].append({"answer": answer, "because": because})

    @property
    def reasons(self) -> list[str]:
        return [str(one["because"]) for one in self.how["thrown_away"]]


class LlmMind(Mind):
    """Asks the model of the role `npc`."""

    kind: ClassVar[str] = "llm"
    recalls: ClassVar[bool] = True
    leaves_for_good: ClassVar[bool] = False

    def __init__(self, briefing: Briefing, access: Models) -> None:
        super().__init__(briefing)
        self._access = access
        self.part = Part(briefing.scenario.sheet or ColleagueSheet({}), briefing.persona.facts)
        self.voice = Voice(self.part.sheet.reacts, briefing.persona.voice)
        self._fixed = fixed_part(briefing)
        self._free = free_part(briefing)
        self._usual = {one.username for one in briefing.people}
        self._known: dict[str, Acquaintance] = {}
        self._unsaid: dict[str, list[str]] = {}
        """Steps that were reached and are not spoken of yet, by who reached them."""
        drawn = hashlib.sha256(f"{briefing.seed}/{briefing.persona.username}".encode()).digest()
        self._seed = int.from_bytes(drawn[:4], "big") >> 1

    # -- memory ----------------------------------------------------------------------------------------------

    @property
    def memory(self) -> dict[str, Any]:
        return {"known": {who: one.memory for who, one in self._known.items()}, "unsaid": self._unsaid}

    def recall(self, memory: Mapping[str, Any]) -> None:
        self._known = {who: Acquaintance.recalled_from(one) for who, one in memory["known"].items()}
        self._unsaid = {who: list(steps) for who, steps in memory["unsaid"].items()}

    def knows(self, who: str) -> Acquaintance:
        """What passed between them and somebody."""
        return self._known.setdefault(who, Acquaintance())

    @property
    def prompt_digest(self) -> str:
        return digest(self._fixed)

    # -- deciding --------------------------------------------------------------------------------------------

    async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
        now = self._opening(conversation, meant)
        asking = await self._asking(conversation, meant, now)
        turn = await self._turn(asking, now)
        return self._decided(conversation, now, asking, turn)

    async def able(self) -> bool:
        """Whether the model's provider answers a plain greeting."""
        greeting = json.dumps({"from": "guest", "name": "A guest", "text": "Hello."})
        talk = [
            {"role": "system", "content": self._fixed},
            {"role": "user", "content": f"You are in direct messages.\n{greeting}"},
        ]
        try:
            await self._access.complete(self._request(talk))
        except ModelFault:
            return False
        return True

    def word_for(self, kind: str, turn: Turn) -> str:
        if kind == "did" and turn.said:
            return ""  # the model's words were about it
        place = f"{turn.heard[-1].room}/{turn.thread}" if turn.heard else ""
        return self._plain_word(kind, turn.heard[-1].sender if turn.heard else "", place)

    def _opening(self, conversation: Conversation, meant: list[Line]) -> Opening:
        people = {who: self.knows(who) for who in dict.fromkeys(one.sender for one in meant)}
        unsaid = self._unsaid.setdefault(meant[-1].sender, [])
        return open_now(self.part, people, conversation, meant, unsaid)

    async def _asking(self, conversation: Conversation, meant: list[Line], now: Opening) -> _Asking:
        briefing, senders = self.briefing, tuple(now.people)
        at = briefing.now()
        looks = briefing.own_work is not None and any(about_work(one.text) for one in meant)
        work = await briefing.own_work(senders[0]) if looks and briefing.own_work is not None else ""
        present = self._present(now, at, work, meant)
        kept_back = tuple(" ".join((*one.says, *one.again, one.why)) for one in now.kept_back)
        open_facts = (" ".join((*one.says, *one.again, one.why)) for one in now.facts)
        standing = Guard(briefing.scenario.secrets, kept_back, (self._free, present, *open_facts))
        telling = Telling(briefing.persona.username, self._usual, at)
        others = telling.elsewhere(
            conversation, self.conversations(), senders, lambda text: standing.given_away_by(text) is None
        )
        talk = telling.talk(conversation, senders, others)
        heard = [one.text for one in conversation.known if one.sender != briefing.persona.username]
        prompt = [{"role": "system", "content": f"{self._fixed}\n\n{present}"}, *talk]
        guard = replace(standing, free=(*standing.free, *heard), rules=(RULES,))
        question = bool(now.asked) or any("?" in line.text for line in meant)
        how = {"prompt": prompt, "prompt_hash": self.prompt_digest, "tokens": 0, "thrown_away": []}
        return _Asking(prompt, guard, question, at, work, meant, how)

    def _present(self, now: Opening, at: datetime, work: str, meant: list[Line]) -> str:
        return present_part(now, at, work, spoken_of(self.briefing, "\n".join(one.text for one in meant)))

    async def _turn(self, asking: _Asking, now: Opening) -> ModelTurn | None:
        """What the model wants, once it gives a usable reply; None when it gives none."""
        while len(asking.reasons) < _TRIES:
            answer = await self._access.complete(self._request(self._reminded(asking)))
            text = self._note(asking.how, answer)
            try:
                turn = turn_in(answer)
            except ValueError as error:
                asking.throw_away(text, str(error))
                continue
            if self._looks_up(asking, now, turn):
                continue
            if (because := self._unfit(asking, turn)) is not None:
                asking.throw_away(text, because)
                continue
            return turn
        return None

    def _looks_up(self, asking: _Asking, now: Opening, turn: ModelTurn) -> bool:
        """Once in a decision the model is told the words of facts that it knew by name, and asked again."""
        wanted = [one for one in turn.facts or () if one in now.by_name]
        if not wanted or "looked_up" in asking.how:
            return False
        asking.how["looked_up"] = wanted
        now.near.update(wanted)
        present = self._present(now, asking.at, asking.work, asking.meant)
        asking.prompt[0] = {"role": "system", "content": f"{self._fixed}\n\n{present}"}
        return True

    @staticmethod
    def _unfit(asking: _Asking, turn: ModelTurn) -> str | None:
        """Why a turn is not taken; None when it is."""
        if turn.action == "speak" and not turn.message:
            return "it speaks without a message"
        if turn.action == "silent" and asking.question:
            if asking.reasons[-1:] == [_SILENT]:
                asking.how["silent_to_a_question"] = True
            elif len(asking.reasons) + 1 < _TRIES:
                return _SILENT
        leak = asking.guard.given_away_by(turn.message)
        return None if leak is None else _GIVES_AWAY + leak

    def _request(self, messages: list[Message]) -> dict[str, Any]:
        return {
            "messages": messages,
            "temperature": _TEMPERATURE,
            "seed": self._seed,
            "max_tokens": _TOKENS,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "turn", "strict": True, "schema": SCHEMA},
            },
        }

    @staticmethod
    def _note(how: dict[str, Any], answer: dict[str, Any]) -> str | None:
        """Keep what the provider says of its answer; the answer's words."""
        how["answer"] = text = text_in(answer)
        usage = answer.get("usage")
        used = usage.get("total_tokens") if isinstance(usage, dict) else None
        how["tokens"] = how["tokens"] + used if isinstance(used, int) and how["tokens"] is not None else None
        how["served"] = served_by(answer)
        return text

    @staticmethod
    def _reminded(asking: _Asking) -> list[Message]:
        """The prompt, and after a reply that was no use why it was none: said by the last `user`, as some models take
        no `system` so late and no two of one kind in a row."""
        if not asking.how["thrown_away"]:
            return asking.prompt
        last = asking.how["thrown_away"][-1]
        why = str(last["because"])
        if why == _SILENT:
            said = "You were asked something. Answer, or say that you do not know; be silent only if it is not for you."
        elif why.startswith(_GIVES_AWAY):
            said = "Reply again without that, and without saying that there is something."
        else:
            said = "Reply with the JSON object described above alone, and keep the message short."
        quoted = json.dumps((last["answer"] or "")[:_QUOTED], ensure_ascii=False)
        reminder = f"Your last reply was not sent: {why}. {said} Your reply was: {quoted}"
        *before, final = asking.prompt
        return [*before, {**final, "content": f"{final['content']}\n\n{reminder}"}]

    # -- what comes of it ------------------------------------------------------------------------------------

    def _decided(self, conversation: Conversation, now: Opening, asking: _Asking, turn: ModelTurn | None) -> Decision:
        how, place = asking.how, f"{conversation.room}/{conversation.thread}"
        messages: list[str] = []
        told: list[str] = []
        chosen: list[Deed] = []
        if turn is not None:
            messages += split_message(turn.message)
            told = now.told_in(turn.message, turn.facts)
            chosen = [one for one in now.deeds if one.id in turn.do]
            self._dropped(how, now, turn)
            if turn.promises:
                how["promises"] = list(turn.promises)
            if invented := standing_nowhere(turn.message, [one["content"] for one in asking.prompt]):
                how["stands_nowhere"] = sorted(invented)
        messages += self._owed(now, messages, told)
        open_here = {one.id for one in now.facts}
        told += [id for step in now.reached for id in step.tells if id in open_here and id not in told]
        # Another conversation with the same person may have led to it while the model was thinking.
        done = {id for known in now.people.values() for id in known.did}
        deeds = [one for one in (*now.at_once, *chosen) if one.id not in done]
        self._keep(now, how, told, deeds, " ".join(messages))
        for known in now.people.values():
            for one in messages:
                known.wrote(place, one)
        if turn is None and not messages:
            messages += self._instead(conversation, now, asking)
        elif turn is not None and turn.message:
            deeds = [replace(one, says="") for one in deeds]  # it was worded already
        spoken = bool(messages or deeds)
        action: Action = "leave" if turn is not None and turn.action == "leave" else "speak" if spoken else "silent"
        return Decision(action, tuple(messages), how, tuple(deeds))

    @staticmethod
    def _owed(now: Opening, messages: list[str], told: list[str]) -> list[str]:
        """What comes with a step that was reached and is not in the model's words, in the sheet's own."""
        owed = [] if messages else [one for step in now.reached for one in step.says]
        owed += now.untold(" ".join(messages), told)
        return [filled(one, {"sender": now.sender}) for one in owed]

    def _instead(self, conversation: Conversation, now: Opening, asking: _Asking) -> list[str]:
        """A plain word for whoever gets no answer of the model: it gave something away each time, or made no sense."""
        gave_away = any(one.startswith(_GIVES_AWAY) for one in asking.reasons)
        if not gave_away:
            asking.how["unusable"] = asking.reasons[-1]
        place = f"{conversation.room}/{conversation.thread}"
        word = self._plain_word("decline" if gave_away else "ask_what", next(reversed(now.people)), place)
        return [word] if word else []

    def _keep(self, now: Opening, how: dict[str, Any], told: list[str], deeds: list[Deed], message: str) -> None:
        now.keep(told, deeds, message)
        for who in now.people:
            self._unsaid.pop(who, None)
        how["facts"] = told
        for name, found in (("reached", now.reached), ("deeds", deeds)):
            if found:
                how[name] = [one.id for one in found]
        if now.asked:
            how["asked"] = now.asked

    @staticmethod
    def _dropped(how: dict[str, Any], now: Opening, turn: ModelTurn) -> None:
        """Note what the model named that is not open."""
        facts = {one.id for one in now.facts}
        deeds = {one.id for one in (*now.deeds, *now.at_once)}
        dropped = [one for one in turn.facts or () if one not in facts] + [one for one in turn.do if one not in deeds]
        if dropped:
            how["dropped"] = dropped

    def _plain_word(self, kind: str, who: str, place: str) -> str:
        known = self.knows(who)
        name = next((one.first_name for one in self.briefing.people if one.username == who), who)
        text = self.voice.pick(kind, known, place, sender=name)
        known.wrote(place, text)
        return text
