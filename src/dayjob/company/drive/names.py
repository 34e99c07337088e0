"""Paths and file names: what the wire may say, what ownCloud accepts, and how a path is written in an address.

A path inside the drive starts with `/`, has no trailing slash, no empty, `.` or `..` part, and is in Unicode's composed
form, so that two spellings of one name cannot be two files.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from urllib.parse import quote, unquote_to_bytes

from dayjob.company.drive.errors import BadRequest

NAME_LIMIT = 250
PATH_LIMIT = 4000
_REFUSED_NAMES = frozenset({".htaccess", ".user.ini"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def name_problem(name: str) -> str | None:
    """Why ownCloud would refuse a file name, or None when it takes it."""
    if name in ("", ".", ".."):
        return "a name cannot be empty, '.' or '..'"
    if "/" in name or "\\" in name:
        return "a name cannot hold a slash or a backslash"
    if _CONTROL.search(name):
        return "a name cannot hold control characters"
    if not name.strip():
        return "a name cannot be only spaces"
    if len(name.encode("utf-8", "replace")) > NAME_LIMIT:
        return f"a name cannot be longer than {NAME_LIMIT} bytes"
    if name.lower() in _REFUSED_NAMES:
        return "this name is reserved by the web server"
    if name.lower().endswith(".part"):
        return "names ending in .part are reserved for unfinished uploads"
    return None


def clean_path(text: str) -> str:
    """A decoded path in its one proper spelling; `BadRequest` when it cannot be one."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadRequest("The path is not valid UTF-8.") from error
    if len(text) > PATH_LIMIT:
        raise BadRequest("The path is too long.")
    parts = [part for part in unicodedata.normalize("NFC", text).split("/") if part]
    for part in parts:
        if problem := name_problem(part):
            raise BadRequest(f"The path is not valid: {problem}.")
    return "/" + "/".join(parts)


@functools.lru_cache(4096)
def decode_path(raw: str) -> str:
    """The drive path in a percent-encoded address; `BadRequest` when it is not UTF-8 or would leave the drive."""
    try:
        text = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest("The path is not valid UTF-8.") from error
    return clean_path(text)


@functools.lru_cache(4096)
def encode_path(path: str) -> str:
    """A path as ownCloud writes it in an href: lower-case escapes, round brackets left alone."""
    escaped = quote(path, safe="/()~")
    return re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), escaped) if "%" in escaped else escaped


def parent_of(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


def join(folder: str, name: str) -> str:
    return f"/{name}" if folder == "/" else f"{folder}/{name}"


def chain(path: str) -> list[str]:
    """The path and every folder above it, the root last."""
    found = []
    while path != "/":
        found.append(path)
        path = parent_of(path)
    return [*found, "/"]


def below(path: str) -> tuple[str, str]:
    """Bounds of the paths under a folder: `low <= path < high`, in byte order."""
    return ("/", "0") if path == "/" else (f"{path}/", f"{path}0")


def free_name(name: str, taken: set[str]) -> str:
    """`name`, or `name (2)`, `name (3)` … before the extension, whichever nobody has."""
    if name not in taken:
        return name
    stem, dot, extension = name.rpartition(".")
    if not stem:
        stem, dot, extension = name, "", ""
    number = 2
    while (found := f"{stem} ({number}){dot}{extension}") in taken:
        number += 1
    return found
