"""Run with the providers' own client libraries, pointed at a gateway by the environment alone; prints what they got."""

from __future__ import annotations

import json
from typing import Any

import anthropic  # type: ignore[import-not-found]  # lives in an environment of its own
import openai  # type: ignore[import-not-found]  # likewise

TOOL = {"type": "object", "properties": {"command": {"type": "string"}}}
TALK: Any = [{"role": "user", "content": "Hello"}]
WORK: Any = [{"role": "user", "content": "work"}]
found: dict[str, Any] = {}

one = openai.OpenAI(max_retries=5)
found["models"] = [each.id for each in one.models.list()]
found["chat"] = one.chat.completions.create(model="any", messages=TALK).choices[0].message.content
pieces = one.chat.completions.create(model="any", messages=TALK, stream=True)
found["chat stream"] = "".join(each.choices[0].delta.content or "" for each in pieces)
tools: Any = [{"type": "function", "function": {"name": "bash", "parameters": TOOL}}]
call = one.chat.completions.create(model="any", messages=WORK, tools=tools).choices[0].message.tool_calls[0]
found["chat tool"] = [call.function.name, json.loads(call.function.arguments)]
found["responses"] = one.responses.create(model="any", input="Hello").output_text
with one.responses.stream(model="any", input="Hello") as stream:
    found["responses stream"] = "".join(each.delta for each in stream if each.type == "response.output_text.delta")
    found["responses end"] = stream.get_final_response().output_text
try:
    list(one.chat.completions.create(model="any", messages=[{"role": "user", "content": "break"}], stream=True))
except openai.APIError as error:
    found["broken stream"] = error.message
try:
    one.chat.completions.create(model="any", messages=[{"role": "user", "content": "down"}])
except openai.APIStatusError as error:
    found["down"] = [error.status_code, error.code]

two = anthropic.Anthropic(max_retries=5)
found["messages"] = two.messages.create(model="any", max_tokens=50, messages=TALK).content[0].text
with two.messages.stream(model="any", max_tokens=50, messages=TALK) as stream:
    found["messages stream"] = "".join(stream.text_stream)
tools = [{"name": "bash", "input_schema": TOOL}]
with two.messages.stream(model="any", max_tokens=50, messages=WORK, tools=tools) as stream:
    block = stream.get_final_message().content[0]
found["messages tool"] = [block.name, block.input]
found["count"] = two.messages.count_tokens(model="any", messages=TALK).input_tokens
try:
    two.messages.create(model="any", max_tokens=50, messages=[{"role": "user", "content": "down"}])
except anthropic.APIStatusError as error:
    found["messages down"] = [error.status_code, error.body["error"]["code"]]
print(json.dumps(found))
