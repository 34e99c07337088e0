"""`script:obedient`, a model that plays a colleague by their prompt and nothing else.

It says what the present part of the prompt says it may and should, word for word, and names the facts in it. It has no
wit: what nobody told it to say, it does not. The leads below are those of `dayjob.npc.llm_prompt`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from dayjob.llm.script_file import Action, Conversation

_PRESENT = re.compile(r"^It is \d{4}-\d\d-\d\d \d\d:\d\d, a \w+day\.", re.MULTILINE)
_FACTS = "You may tell when asked (id: fact):\n"
_BY_NAME = "You know more: "
_ASKED = "They seem to ask for: "
_DECLINES = "They ask for something that you keep to yourself"
_CHANNEL = "This is a channel:"
_NEEDS = "when the matter comes up:\n"
_DEEDS = "You may do, when asked (id: what):\n"
_WAITED = re.compile(r"you waited for\.(?: Say in your words: “(.*?)”)?(?: Tell them now: (.*?)\.)?$", re.M | re.S)
_FACT = re.compile(
    r"^- ([\w-]+)(?: \(([^()]*)\))?: (.*?)(?: Why: .*?)?(?=\n- [\w-]+(?: \([^()]*\))?: |\Z)", re.MULTILINE | re.DOTALL
)
_NEED = re.compile(r"^- “(.*?)”(?: \(because .*\))?$", re.M | re.S)
_DEED = re.compile(r"^- ([\w-]+): ([\w.]+)", re.M)
_AT_ONCE = "tell it unasked"
_NOT_SENT = "Your last reply was not sent: it gives away"
_PLEASANT = re.compile(r"\b(?:thanks?|thank you|bye|good(?:bye| day| night)|see you|great|perfect)\b", re.IGNORECASE)
_REQUEST = re.compile(r"\?|\b(?:please|could you|can you|would you|ready for|go ahead)\b", re.IGNORECASE)


class Obedient:
    """In place of a script's rules."""

    def fresh(self) -> Obedient:
        return self

    def answer(self, asked: Conversation) -> Action:
        """The turn that the prompt leads to."""
        return Action(json.dumps(_turn(asked), ensure_ascii=False))


def _turn(asked: Conversation) -> dict[str, Any]:
    begins = [one.start() for one in _PRESENT.finditer(asked.system)]
    now = asked.system[begins[-1] :] if begins else ""
    said = _newest(asked.last)
    if _CHANNEL in now:
        return _speak(["Write to me in a direct message about that, please."])
    if _NOT_SENT in asked.last:
        return _speak(["I would rather say no more about that."])
    facts = {id: (text, marks or "") for id, marks, text in _FACT.findall(_section(now, _FACTS))}
    waited = _WAITED.findall(now)
    wanted = [id for _, ids in waited for id in _ids(ids)] + _ids(_line(now, _ASKED))
    if missing := [id for id in wanted if id in _ids(_line(now, _BY_NAME))]:
        return _speak([], missing)
    words = [one for one, _ in waited if one]
    bare = not _REQUEST.search(said) and _PLEASANT.search(said) is not None
    if not bare:
        wanted += [id for id, (text, marks) in facts.items() if _AT_ONCE in marks and not _told(asked, text)]
    told = [id for id in dict.fromkeys(wanted) if id in facts]
    words += [facts[id][0] for id in told]
    if not bare:
        missing = [one for one in _NEED.findall(_section(now, _NEEDS)) if not words or not _told(asked, one)]
        words += missing[:1]
    if _DECLINES in now:
        words.append("That one I keep to myself, sorry.")
    done = [id for id, act in _DEED.findall(_section(now, _DEEDS)) if _wishes(said, f"{id} {act}")]
    if not words:
        words.append("I will do that." if done else "I do not know that." if "?" in said else "Thank you.")
    return _speak(words, told, done)


def _speak(words: list[str], facts: list[str] | None = None, done: list[str] | None = None) -> dict[str, Any]:
    return {"action": "speak", "message": " ".join(words), "facts": facts or [], "promises": [], "do": done or []}


def _section(now: str, lead: str) -> str:
    """The list below a lead, to the next part of the prompt."""
    rest = now.partition(lead)[2]
    end = re.search(r"\n\n(?!- )", rest)
    return rest[: end.start()] if end else rest


def _line(now: str, lead: str) -> str:
    found = re.search(rf"^{re.escape(lead)}([^.\n]*)\.", now, re.MULTILINE)
    return found[1] if found else ""


def _ids(names: str) -> list[str]:
    return [one.strip() for one in names.split(",") if one.strip()]


def _newest(last: str) -> str:
    """What was written here since the model's last answer."""
    texts = []
    for line in last.rpartition("\nHere:\n")[2].splitlines():
        if line.startswith("{"):
            try:
                texts.append(str(json.loads(line)["text"]))
            except (ValueError, KeyError, TypeError):
                continue  # no line of chat
    return "\n".join(texts)


def _told(asked: Conversation, text: str) -> bool:
    """Whether the model has said this here before: its own turns stand in the prompt as JSON."""
    talk = asked.everything.removeprefix(asked.system)
    return json.dumps(text, ensure_ascii=False)[1:-1] in talk


def _wishes(said: str, deed: str) -> bool:
    """Whether somebody asks for a deed: a word of its name in a request."""
    spoken = set(re.findall(r"[a-z]+", said.casefold()))
    wanted = {one for one in re.findall(r"[a-z]+", deed.casefold()) if len(one) > 3}
    return _REQUEST.search(said) is not None and bool(spoken & wanted)
