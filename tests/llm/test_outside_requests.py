"""An examinee's requests make the provider think, and nothing else: no way out of the company through a model."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.llm.outside_requests import REDIRECTING, reaches_outside
from dayjob.llm.settings import load_settings
from tests.llm.gateways import open_gateway, run

TALK = [{"role": "user", "content": "Hello"}]
PICTURE = "https://example.test/solution.png"


def shown(**part: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [part]}]}


OUTSIDE: list[tuple[str, dict[str, Any]]] = [
    ("/v1/chat/completions", {"messages": TALK, "web_search_options": {"search_context_size": "low"}}),
    ("/v1/chat/completions", {"messages": TALK, "tools": [{"google_search": {}}]}),
    ("/v1/chat/completions", {"messages": TALK, "plugins": [{"id": "web"}]}),
    ("/v1/chat/completions", shown(type="image_url", image_url={"url": PICTURE})),
    ("/v1/responses", {"input": "x", "tools": [{"type": "web_search"}]}),
    ("/v1/responses", {"input": "x", "tools": [{"type": "mcp", "server_url": "https://example.test"}]}),
    ("/v1/responses", {"input": "x", "tools": [{"type": "code_interpreter"}]}),
    ("/v1/responses", {"input": [{"role": "user", "content": [{"type": "input_file", "file_url": PICTURE}]}]}),
    ("/v1/responses", {"input": [{"type": "function_call_output", "output": [{"image_url": PICTURE}]}]}),
    (
        "/v1/messages",
        {"messages": TALK, "max_tokens": 5, "tools": [{"type": "web_fetch_20250910", "name": "web_fetch"}]},
    ),
    ("/v1/messages", {"messages": TALK, "max_tokens": 5, "mcp_servers": [{"url": "https://example.test"}]}),
    ("/v1/messages", {**shown(type="image", source={"type": "url", "url": PICTURE}), "max_tokens": 5}),
    (
        "/v1/messages",
        {
            **shown(type="tool_result", content=[{"type": "image", "source": {"type": "url", "url": PICTURE}}]),
            "max_tokens": 5,
        },
    ),
]


@pytest.mark.parametrize(("path", "body"), OUTSIDE[::4])
def test_what_would_reach_outside_is_refused_and_is_no_fault(path: str, body: dict[str, Any]) -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}]) as opened:
            answer = await opened.client.post(path, json=body)
            assert answer.status_code == 400
            assert "outside the company" in answer.json()["error"]["message"]
            assert opened.model.asked == []
            assert opened.access.faults == []

    run(main())


CARRIED_OUT = ("function", "custom", "bash_20250124", "text_editor_20250728", "computer_20250124", "memory_20250818",
               "local_shell", "shell", "apply_patch")  # fmt: skip
NOTHING: tuple[Any, ...] = (None, [], {})
SEARCHES = ("web_search_options", "search_parameters", "mcp_servers", "plugins", "container")
ADDRESSED = ("image_url", "file_url", "video_url", "audio_url")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        *((body, None) for _, body in OUTSIDE),
        *(({"messages": TALK, field: {"x": 1}}, f"'{field}'") for field in SEARCHES),
        *((shown(**{field: PICTURE}), f"the address {PICTURE}, which the provider would fetch") for field in ADDRESSED),
        *((shown(**{field: {"url": PICTURE}}), f"the address {PICTURE}, which") for field in ADDRESSED),
        ({"system": [{"image_url": PICTURE}]}, f"the address {PICTURE}"),
        (shown(content=[{"output": [{"source": {"image_url": PICTURE}}]}]), f"the address {PICTURE}"),
        (shown(type="image", source={"type": "url", "url": PICTURE}), f"the address {PICTURE}"),
        (shown(image_url="x" * 99), f"the address {'x' * 80}, which"),
        ({"tools": [{"type": 3}]}, "the tool '3', which runs at the provider"),
        ({"tools": [{"type": "y" * 99}]}, f"the tool '{'y' * 60}', which"),
        ({"tools": [{"zeal": 1, "search": 1}]}, "the tool 'search, zeal', which runs at the provider"),
        ({"tools": [{"type": "function"}, {"type": "web_search"}]}, "the tool 'web_search', which"),
        ({"tools": [{"type": "my_function"}]}, "the tool 'my_function'"),
    ],
)
def test_what_would_reach_outside_is_named(body: dict[str, Any], said: str | None) -> None:
    found = reaches_outside(body)
    assert found is not None
    assert said is None or found.startswith(said)


@pytest.mark.parametrize(
    "body",
    [
        *({"tools": [{"type": kind}]} for kind in CARRIED_OUT),
        *({"messages": TALK, field: nothing} for field in SEARCHES for nothing in NOTHING),
        *(shown(**{field: "data:image/png;base64,aGk="}) for field in ADDRESSED),
        *(shown(**{field: {"url": "data:x"}}) for field in ADDRESSED),
        {"metadata": {"image_url": PICTURE}},
        {"tools": ["misshapen", {"name": "bash"}]},
        {"messages": TALK, "tools": [{"type": "function", "function": {"name": "web_search"}}]},
        {"messages": TALK, "tools": [{"name": "bash", "input_schema": {}}, {"type": "bash_20250124", "name": "bash"}]},
        {"input": "see https://example.test", "tools": [{"type": "custom", "name": "x"}, {"type": "local_shell"}]},
        shown(type="image_url", image_url={"url": "data:image/png;base64,aGk="}),
        shown(type="image", source={"type": "base64", "media_type": "image/png", "data": "aGk="}),
        {"messages": "misshapen", "tools": "misshapen", "input": 3},
    ],
)
def test_what_the_caller_carries_out_itself_passes(body: dict[str, Any]) -> None:
    assert reaches_outside(body) is None


def test_the_settings_may_allow_it(tmp_path: Any) -> None:
    (tmp_path / "dayjob.toml").write_text("[llm.roles.examinee]\nmodel = 'openai/x'\noutside = true\n", "utf-8")
    found = load_settings(tmp_path / "dayjob.toml", {"OPENAI_API_KEY": "a-key"})
    assert found.roles["examinee"].outside


def test_another_model_or_server_cannot_be_asked_for() -> None:
    assert {
        "api_base",
        "api_key",
        "api_version",
        "base_url",
        "custom_llm_provider",
        "extra_headers",
        "fallbacks",
        "models",
        "provider",
        "route",
    } == REDIRECTING

    async def main() -> None:
        async with open_gateway([{"say": "ok"}]) as opened:
            await opened.chat(**dict.fromkeys(REDIRECTING, "elsewhere"))
            assert not REDIRECTING & opened.model.asked[0].keys()

    run(main())
