"""Talks: what is asked of a service and what it answers, word for word, in files that can be read and compared.

A file is a list of requests, each with the answer it must get, further in:

    sam POST /projects/1/issues {"title": "The roof leaks"}
        201 {"iid": 1, "title": "The roof leaks", …}
    sam GET /projects/1/issues?state=opened | iid title
        200 [{"iid": 1, "title": "The roof leaks"}]
    roof = $.iid of sam GET /projects/1/issues/1

At the end stands what has changed by all of it, in the words that graders read, each after a `~`.

After `|` stand the fields that matter to this request; without it, every one does. `NAME = $.PATH of REQUEST` keeps
something for later requests, which write it as `<NAME>`. `with FILE` begins with the requests of another talk.
Identifiers, hashes and secrets are numbered in the order in which they come: `<id 1>`, `<sha 2>`.

When answers are meant to change: `DAYJOB_WRITE_TALKS=1 pytest …` writes them anew, and the difference is for review.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.company.talks.asking import Answer, Asked
from tests.company.talks.outline import outline

WRITES = "DAYJOB_WRITE_TALKS" in os.environ
_KEPT = re.compile(r"(\w+) = \$((?:\.\w+)+) of (.+)")
_MARKS = (
    ("secret", re.compile(r"(?<=_bot_)[0-9a-f]{16,32}")),
    ("secret", re.compile(r"(?<=/s/)[A-Za-z0-9]{15}\b")),
    ("secret", re.compile(r"\b(?:gl\w+-|plane_api_|GR13|feed_)[\w-]{10,}")),
    ("secret", re.compile(r"\b(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{43}(?![\w-])")),
    ("id", re.compile(r"\b(?=\w*[a-z])(?=\w*[A-Z])(?:[2-9A-HJ-NP-TW-Za-km-z]{17}){1,3}\b")),
    ("id", re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")),
    ("sha", re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\b")),
    ("short sha", re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{8}\b")),
)


_HEADERS = (
    "location", "x-total", "x-next-page", "content-range", "etag", "dav", "allow", "lock-token",
    "oc-fileid", "x-oc-mtime",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A request as it is written, and the answer written below it."""

    text: str
    answer: str = ""
    fields: tuple[str, ...] = ()
    kept: str = ""
    path: str = ""

    @property
    def request(self) -> tuple[str, str, str, str]:
        """Who, method, address, body."""
        who, method, rest = self.text.split(" ", 2)
        address, _, body = rest.partition(" ")
        return who, method, address, body


@dataclass
class Names:
    """Identifiers of one talk: what they are called in its file, and what they are."""

    known: dict[str, str] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)

    def filled(self, text: str) -> str:
        return re.sub(r"<(\w+)>", lambda name: self.known.get(name[1], name[0]), text)

    def learn(self, value: Any) -> None:
        """Tokens look like any word, so they are known by the field they stand in."""
        if isinstance(value, dict):
            for name, one in value.items():
                if name == "token" and isinstance(one, str) and len(one) >= 15:
                    self._name("secret", one)
        for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            self.learn(one)

    def shown(self, text: str) -> str:
        for value in [value for value, name in self.seen.items() if name.startswith("<secret ")]:
            text = text.replace(value, self.seen[value])
        for kind, pattern in _MARKS:
            text = pattern.sub(partial(self._renamed, kind), text)
        return text

    def _renamed(self, kind: str, found: re.Match[str]) -> str:
        return self._name(kind, found[0])

    def _name(self, kind: str, value: str) -> str:
        if value not in self.seen:
            number = sum(name.startswith(f"<{kind} ") for name in self.seen.values()) + 1
            self.seen[value] = f"<{kind} {number}>"
        return self.seen[value]


Ask = Callable[[Asked, str, str, str, str], Answer]
"""How a service is asked: by whom, method, address, body."""


def read(file: Path) -> Iterator[str | Step]:
    """The steps of a talk, and its comments and `with` lines as they are."""
    lines = file.read_text("utf-8").splitlines()
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        if not line.strip() or line.startswith(("#", "with ", "~ ")):
            yield line
            continue
        answer = lines[at].strip() if at < len(lines) and lines[at].startswith("    ") else ""
        at += bool(answer)
        if kept := _KEPT.fullmatch(line):
            yield Step(kept[3], answer, kept=kept[1], path=kept[2])
        else:
            text, _, fields = line.partition(" | ")
            yield Step(text.strip(), answer, tuple(fields.split()))


def replay(file: Path, asked: Asked, ask: Ask) -> list[str]:
    """Ask everything again; what is different, in a line each."""
    names, different, written, changed = Names(), list[str](), list[str](), list[str]()
    for step in read(file):
        if isinstance(step, str):
            (changed if step.startswith("~ ") else written).append(step)
            if step.startswith("with "):
                for earlier in read(file.with_name(f"{step.removeprefix('with ').strip()}.talk")):
                    if isinstance(earlier, Step):
                        _asked(asked, ask, earlier, names)
            continue
        found = _asked(asked, ask, step, names)
        line = f"{step.kept} = ${step.path} of {step.text}" if step.kept else step.text
        written.append(line + (f" | {' '.join(step.fields)}" if step.fields else ""))
        if not step.kept:
            if found.kind.endswith("json") and found.body:
                names.learn(found.json())
            told = names.shown(_told(found, step.fields))
            written.append(f"    {told}")
            if told != step.answer:
                different.append(f"{step.text}\n" + "\n".join(_difference(step.answer, told)))
    now = [f"~ {' '.join(names.shown(one.words).split())}" for one in asked.company.changes(everyone=True)]
    different += [f"{line} (no longer)" for line in changed if line not in now]
    different += [f"{line} (now)" for line in now if line not in changed]
    if WRITES:
        file.write_text("\n".join(written + now) + "\n", "utf-8")
        return []
    return different


def kept(file: Path, lines: list[str]) -> list[str]:
    """What is no longer as the file has it: lines that are gone (`-`) and new ones (`+`)."""
    if WRITES:
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    known = file.read_text("utf-8").splitlines()
    return [f"- {line}" for line in known if line not in lines] + [f"+ {line}" for line in lines if line not in known]


def _asked(asked: Asked, ask: Ask, step: Step, names: Names) -> Answer:
    found = ask(asked, *(names.filled(part) for part in step.request))
    if step.kept:
        value = found.json()
        for part in step.path.strip(".").split("."):
            value = value[int(part) if part.isdigit() else part]
        names.known[step.kept] = str(value)
    return found


def _told(found: Answer, fields: tuple[str, ...]) -> str:
    headers = {name: found.headers[name] for name in _HEADERS if name in found.headers}
    about = f"{found.status} " + (f"{json.dumps(headers)} " if headers else "")
    if not found.body:
        return about.strip()
    if found.kind == "text/html":
        return about + json.dumps(outline(found.body.decode("utf-8")), ensure_ascii=False)
    if not found.kind.endswith("json"):
        try:
            return about + f"{found.kind} {json.dumps(found.body.decode('utf-8'), ensure_ascii=False)}"
        except UnicodeDecodeError:
            return about + f"{found.kind} of bytes"
    return about + json.dumps(_narrowed(found.json(), fields), ensure_ascii=False, sort_keys=True)


def _narrowed(value: Any, fields: tuple[str, ...]) -> Any:
    if not fields:
        return value
    if isinstance(value, list):
        return [_narrowed(one, fields) for one in value]
    if not isinstance(value, dict):
        return value
    wanted: dict[str, list[str]] = {}
    for name in fields:
        first, _, rest = name.partition(".")
        wanted.setdefault(first, []).extend([rest] if rest else [])
    return {name: _narrowed(value[name], tuple(inner)) for name, inner in wanted.items() if name in value}


def _difference(was: str, now: str) -> list[str]:
    """Where two answers differ, field by field."""
    if was.partition(" ")[0] != now.partition(" ")[0]:
        return [f"    answered {was[:300]!r}", f"    answers  {now[:300]!r}"]
    try:
        before, after = (json.JSONDecoder().decode(one.partition(" ")[2]) for one in (was, now))
    except ValueError:
        return [f"    answered {was[:600]!r}", f"    answers  {now[:600]!r}"]
    return [f"    {place}: was {old}, is {new}" for place, old, new in _fields("$", before, after)]


def _fields(place: str, was: Any, now: Any) -> Iterator[tuple[str, str, str]]:
    if isinstance(was, dict) and isinstance(now, dict):
        for name in {**was, **now}:
            yield from _fields(f"{place}.{name}", was.get(name, "(nothing)"), now.get(name, "(nothing)"))
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for number, (one, other) in enumerate(zip(was, now, strict=True)):
            yield from _fields(f"{place}.{number}", one, other)
    elif was != now:
        yield place, json.dumps(was)[:200], json.dumps(now)[:200]
