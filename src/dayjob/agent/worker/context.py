"""A conversation kept within a model's window: pictures go first, then old tool answers are shortened, then left out.

Tokens are estimated from characters, on the safe side: no tokenizer is asked, because each model has another.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from dayjob.agent.tools.tool import shortened

Message = dict[str, Any]

CHARACTERS_PER_TOKEN = 3
PICTURE_TOKENS = 1600
DEFAULT_WINDOW = 128_000
_ANSWER = 8  # this part of the window is left for the model's answer
_SHORT = 600
_NO_PICTURE = "[a screenshot, left out to save space]"
_FORGOTTEN = "[left out to save space]"


def room(window: int | None) -> int:
    """How many tokens a conversation may have; a window that nobody knows is taken for a small one."""
    known = window or DEFAULT_WINDOW
    return known - known // _ANSWER


def fitting(messages: list[Message], limit: int) -> list[Message]:
    """The conversation in about `limit` tokens. What comes after the model's last words is never touched."""
    kept = list(messages)
    last_words = max((place for place, one in enumerate(kept) if one["role"] == "assistant"), default=0)
    over = sum(map(_tokens, kept)) - limit
    for make_smaller in (_without_picture, _shortened, _forgotten):
        for place in range(last_words):
            if over <= 0:
                return kept
            smaller = make_smaller(kept[place])
            over -= _tokens(kept[place]) - _tokens(smaller)
            kept[place] = smaller
    return kept


def picture_message(data: str, media_type: str) -> Message:
    """A screenshot as models take it: in a user's message, since not all take one in a tool's."""
    return {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}],
    }


def _tokens(message: Message) -> int:
    if isinstance(message.get("content"), list):
        return PICTURE_TOKENS * len(message["content"])
    return len(json.dumps(message, ensure_ascii=False)) // CHARACTERS_PER_TOKEN + 1


def _without_picture(message: Message) -> Message:
    return {**message, "content": _NO_PICTURE} if isinstance(message.get("content"), list) else message


def _tool_answer(change: Callable[[str], str]) -> Callable[[Message], Message]:
    return lambda message: {**message, "content": change(message["content"])} if message["role"] == "tool" else message


_shortened = _tool_answer(lambda text: shortened(text, _SHORT))
_forgotten = _tool_answer(lambda text: _FORGOTTEN if len(text) > len(_FORGOTTEN) else text)
