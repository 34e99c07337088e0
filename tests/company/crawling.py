"""Somebody who asks for every address there is: each GET of a service with every plausible name, and every link found.

Secrets are words whose first half may be searched for and whose second half nobody can guess: an answer that holds the
whole word has given it away, however it was asked.
"""

from __future__ import annotations

import base64
import gzip
import html
import http.client
import io
import itertools
import re
import secrets
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote, urljoin, urlsplit

SEARCHED = "umbra"
"""What every secret begins with."""
MOST_LINKS = 1500
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{16,}={0,2}")
_LINK = re.compile(r"""(?:href|src|action)=["']([^"'#]+)""")
Values = Mapping[str, Sequence[object]]


def secret(what: str) -> str:
    return f"{SEARCHED}{what}{secrets.token_hex(4)}"


def filled(patterns: Iterable[str], values: Values) -> Iterator[str]:
    """Every pattern with every value: `values["projects/id"]` for the `{id}` after `projects`, else `values["id"]`."""
    for pattern in patterns:
        parts = pattern.split("/")
        choices: list[Sequence[object]] = []
        for before, part in itertools.pairwise(["", *parts]):
            name = part.strip("{}").removesuffix(":rest")
            if not part.startswith("{"):
                choices.append([part])
            else:
                found = values.get(f"{before.strip('{}')}/{name}", values.get(name))
                assert found, f"{pattern} needs a value for {name}"
                choices.append([quote(str(one), safe="/" if ":rest" in part else "") for one in found])
        yield from ("/".join(map(str, one)) for one in itertools.product(*choices))


def crawl(
    base: str, headers: dict[str, str], paths: Iterable[str], *, method: str = "GET", links: bool = False
) -> dict[str, str]:
    """What each address answers; with `links`, also what the pages among the answers lead to."""
    server = urlsplit(base)
    connection = http.client.HTTPConnection(server.hostname or "", server.port, timeout=60)
    found: dict[str, str] = {}
    waiting = list(dict.fromkeys(paths))
    known, followed = set(waiting), 0
    for path in waiting:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        text = readable(answer.read(), answer.getheaders())
        assert answer.status < 500, (path, answer.status, text)
        found[path] = text
        if links and answer.getheader("content-type", "").startswith("text/html"):
            for link in _LINK.findall(text):
                target = urlsplit(urljoin(path, html.unescape(link)))
                way = target.path + (f"?{target.query}" if target.query else "")
                if not target.netloc and way.startswith("/") and way not in known and followed < MOST_LINKS:
                    known.add(way)
                    waiting.append(way)
                    followed += 1
    connection.close()
    return found


def readable(body: bytes, headers: Iterable[tuple[str, str]]) -> str:
    """An answer as text, with what is packed or encoded in it."""
    parts = [str(list(headers)).encode(), body]
    if body.startswith(b"\x1f\x8b"):
        parts.append(gzip.decompress(body))
    elif body.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            parts += [archive.read(name) for name in archive.namelist()] + [" ".join(archive.namelist()).encode()]
    for run in _BASE64.findall(body):
        parts.append(base64.b64decode(run[: len(run) // 4 * 4]))
    return b"\n".join(parts).decode("utf-8", "replace")


def given_away(answers: Mapping[str, str], words: Mapping[str, str]) -> dict[str, list[str]]:
    """Which secrets stand in which answers."""
    found = {name: [path for path, text in answers.items() if word in text] for name, word in words.items()}
    return {name: paths for name, paths in found.items() if paths}
