"""A script: rules of the scenario, exact and offline. Every message is held against them, in order.

A colleague without rules reads out `extra_info` when first spoken to, since that is what may be shared, and has no more
to say afterwards.
"""

from __future__ import annotations

import re
from typing import ClassVar

from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.minds import Decision, Mind
from dayjob.task.scenario import Condition, Rule, Scenario, words

# Quoted, because authors write it to the colleague ("you keep the budgets"), not to the examinee.
NOTES = "My notes on this: “{}”"
NOTHING_MORE = "That is all I know about it."


class ScriptMind(Mind):
    """Answers by rule."""

    kind: ClassVar[str] = "script"

    async def able(self) -> bool:
        return True  # rules fail nobody: what keeps them from a decision is what they were told, or look at for it

    async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
        scenario = self.briefing.scenario
        if not scenario.script:
            return self._without_rules(conversation, meant)
        return answer_by_rule(scenario, conversation, meant)

    def _without_rules(self, conversation: Conversation, meant: list[Line]) -> Decision:
        first = any(line.sender not in conversation.met for line in meant)
        conversation.met.update(line.sender for line in meant)
        text = "\n".join([self.briefing.scenario.extra_info, *self.briefing.scenario.knows]).strip()
        if not text:
            return Decision("silent", how={"rules": []})
        shared = NOTES.format(text)
        return Decision("speak", (shared if first else NOTHING_MORE,), {"rules": [], "shares": "extra_info"})


def answer_by_rule(scenario: Scenario, conversation: Conversation, meant: list[Line]) -> Decision:
    """What the rules say to these lines; `how["rules"]` is empty where none applies."""
    said: list[str] = []
    used: list[int] = []
    leaves = False
    for line in meant:
        rule, found = _first_rule(scenario, conversation, line)
        conversation.met.add(line.sender)
        if rule is None:
            continue
        used.append(rule.number)
        if rule.once:
            conversation.used.add(rule.number)
        if rule.then:
            conversation.step = rule.then
        said += [filled(text, line, found) for text in rule.replies]
        if rule.then == "leave":
            leaves = True
            break
    # Two messages about one thing get one answer.
    messages = tuple(dict.fromkeys(said))
    how = {"rules": used, "step": conversation.step}
    return Decision("leave" if leaves else "speak" if messages else "silent", messages, how)


def _first_rule(scenario: Scenario, conversation: Conversation, line: Line) -> tuple[Rule | None, re.Match[str] | None]:
    for rule in scenario.script:
        if rule.number not in conversation.used:
            applies, found = applies_to(rule.on, conversation, line)
            if applies:
                return rule, found
    return None, None


def applies_to(on: Condition, conversation: Conversation, line: Line) -> tuple[bool, re.Match[str] | None]:
    """Whether a rule's condition holds for a message, and what its pattern found."""
    if on.first_contact and line.sender in conversation.met:
        return False, None
    if on.sender and on.sender.casefold() not in (line.sender.casefold(), line.name.casefold()):
        return False, None
    if on.step and on.step != conversation.step:
        return False, None
    if on.place and not _in(on.place, conversation):
        return False, None
    if on.topics and not any(about(line.text, topic) for topic in on.topics):
        return False, None
    found = on.pattern.search(line.text) if on.pattern else None
    return on.pattern is None or found is not None, found


def about(text: str, topic: tuple[str, ...]) -> bool:
    """Every word of the topic begins a word of the text: "launch date" is in "the dates of our launch"."""
    said = words(text)
    return all(any(one.startswith(word) for one in said) for word in topic)


def _in(place: str, conversation: Conversation) -> bool:
    if place == "direct":
        return conversation.direct
    if place == "channel":
        return not conversation.direct
    return not conversation.direct and place.removeprefix("#").casefold() == conversation.name.casefold()


def filled(text: str, line: Line, found: re.Match[str] | None) -> str:
    """`${sender}` and the pattern's groups (`${1}`, `${name}`) in a reply."""
    groups = {"sender": line.name.split()[0] if line.name else line.sender, "username": line.sender}
    if found is not None:
        groups |= {str(number): value or "" for number, value in enumerate(found.groups(), 1)}
        groups |= {name: value or "" for name, value in found.groupdict().items()}
    return re.sub(r"\$\{(\w+)\}", lambda mark: groups.get(mark[1], mark[0]), text)
