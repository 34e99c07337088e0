"""What a fuzzer says: values that are plausible, and values that nobody expects where they stand."""

from __future__ import annotations

import json
import random
from typing import Any

WORDS = (
    "general",
    "larkspur",
    "api-server",
    "README.md",
    "main",
    "sam.reed",
    "mara.lindqvist",
    "root",
    "admin",
    "open",
)
DATES = ("2026-03-09", "2026-03-09T09:00:00Z", "0000-00-00", "9999-12-31T23:59:59.999999+14:00", "yesterday")
SIGNS = "[](){}<>*_`~|#!@:/\\\"'%&;=+-$^.,? \n\t"
NASTY_TEXTS = (
    "", " ", "\0", "a\0b", "\ud800", "\udfff\ud800", "\uffff", "\U0010ffff", "e\u0301" * 50, "\u202e",
    "../../../etc/passwd",
    "..", ".", "/", "//", "%00", "%2e%2e%2f", "%", "%zz", "-1", "0", "1e999", "NaN", "' OR 1=1 --", "\"'`;", "\r\nX: y",
    "{{7*7}}", "${7*7}", "<script>alert(1)</script>", "^(a+)+$", "(?=a)", "(", "[", "*" * 300, "refs/heads/main",
    "HEAD~9999",
    "main..main", "@{-1}", ":/x", "a" * 300, "\n" * 300, "data:,x", "http://[", "http://[::1", "https://" + "a" * 300,
    "/close\n/label ~x\n/assign @sam.reed", "!important", "null", "true", "[]", "{}",
)  # fmt: skip
NASTY_OTHERS: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**400, 1.5, -0.0, 1e308, [], {}, [[]], [{}],
    {"": ""}, {"$date": 1e300}, {"$regex": "^(a+)+$"}, {"$in": [[]]}, [None], [1, "a", None, {}], {"a": {"b": [1]}},
)  # fmt: skip


def text(dice: random.Random) -> str:
    kind = dice.random()
    if kind < 0.35:
        return dice.choice(WORDS)
    if kind < 0.7:
        return dice.choice(NASTY_TEXTS)
    if kind < 0.8:
        return dice.choice(DATES)
    if kind < 0.9:
        return "".join(dice.choice(SIGNS) for _ in range(dice.randrange(1, 60)))
    if kind < 0.97:
        return str(dice.randrange(-5, 60))
    return dice.choice(("a", "[", "> ", "|a", "- ", "é", "a/", "`", "\\", "#1 ", "@a ", "x\n")) * dice.randrange(
        2000, 20000
    )


def value(dice: random.Random) -> Any:
    kind = dice.random()
    if kind < 0.55:
        return text(dice)
    if kind < 0.7:
        return dice.randrange(0, 30)
    if kind < 0.95:
        return dice.choice(NASTY_OTHERS)
    return [text(dice) for _ in range(dice.randrange(4))]


def json_body(dice: random.Random, names: list[str]) -> bytes:
    kind = dice.random()
    if kind < 0.93:
        chosen = names if dice.random() < 0.5 else [name for name in names if dice.random() < 0.5]
        return json.dumps({name: value(dice) for name in chosen}).encode()
    if kind < 0.95:
        depth = dice.choice((40, 900, 20_000))
        return b'{"a":' * depth + b"1" + b"}" * depth
    if kind < 0.97:
        depth = dice.choice((40, 900, 100_000))
        return b"[" * depth
    return dice.choice(
        (b"", b"{", b"nul", b"[]", b"1", b'"a"', b"null", b"\xff\xfe", b'{"a":NaN}', b'{"a":1e999}',
         b'{"a":' + b"9" * 5000 + b"}",
         b'{"a":"\\ud800"}', b"[" + b"1," * 200_000 + b"1]", b'{"a":1,"a":2}', b"\xef\xbb\xbf{}")
    )  # fmt: skip


def multipart_body(dice: random.Random, names: list[str]) -> tuple[bytes, str]:
    """(body, content type); a file part may stand where text belongs."""
    boundary = "fuzz"
    parts = []
    for name in names or ["file"]:
        if dice.random() < 0.6:
            file = f'; filename="{dice.choice(("a.png", "../x", "a.csv", ""))}"' if dice.random() < 0.4 else ""
            content = text(dice).encode("utf-8", "surrogatepass")
            head = f'Content-Disposition: form-data; name="{name}"{file}'
            parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n")
    end = f"--{boundary}--\r\n".encode() if dice.random() < 0.9 else b""
    declared = "multipart/form-data" + (f"; boundary={boundary}" if dice.random() < 0.95 else "")
    return b"".join(parts) + end, declared
