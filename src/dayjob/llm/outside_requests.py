"""What an examinee may have a provider do for it: think, and nothing that reaches outside the company.

A sandbox without a way out would be no use if a request could ask the provider to search the web, run code there, or
fetch a picture by its address. Such requests are refused as the caller's error, unless the role's settings say
`outside = true`. Fields that choose another model or server than the settings do are taken out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# Tools the caller itself carries out; whatever else is listed as a tool would run at the provider.
_OWN_TOOLS = ("function", "custom", "bash", "text_editor", "computer", "memory", "local_shell", "shell", "apply_patch")
_OUTSIDE_FIELDS = ("web_search_options", "search_parameters", "mcp_servers", "plugins", "container")
_ADDRESSED = ("image_url", "file_url", "video_url", "audio_url")
# Routers and proxies let a caller name these; the settings decide them here.
REDIRECTING = frozenset(
    {
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
    }
)


def reaches_outside(body: dict[str, Any]) -> str | None:
    """What in a request would reach outside, in a few words; None when nothing does."""
    for field in _OUTSIDE_FIELDS:
        if body.get(field):
            return f"'{field}'"
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        kind = tool.get("type", "function") if isinstance(tool, dict) else "function"
        if not isinstance(kind, str) or not kind.startswith(_OWN_TOOLS):
            return f"the tool '{str(kind)[:60]}', which runs at the provider"
        if isinstance(tool, dict) and "type" not in tool and "name" not in tool:
            return f"the tool '{', '.join(sorted(tool))[:60]}', which runs at the provider"
    address = next(_addresses([body.get("messages"), body.get("input"), body.get("system")]), None)
    return f"the address {address[:80]}, which the provider would fetch" if address else None


def _addresses(value: Any) -> Iterator[str]:
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, list):
            pending += one
        elif isinstance(one, dict):
            for key in _ADDRESSED:
                found = one.get(key)
                text = found.get("url") if isinstance(found, dict) else found
                if isinstance(text, str) and not text.startswith("data:"):
                    yield text
            source = one.get("source")
            if isinstance(source, dict) and source.get("type") == "url":
                yield str(source.get("url"))
            pending += [found for key, found in one.items() if key in ("content", "output", "source")]
