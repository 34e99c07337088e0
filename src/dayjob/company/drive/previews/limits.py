"""What a document may cost and what it may hold, checked before a library opens it."""

from __future__ import annotations

import resource
import zipfile
from io import BytesIO

LARGEST = 40 * 1024 * 1024
SECONDS = 10
_MEMORY = 1024 * 1024 * 1024
_UNPACKED = 120 * 1024 * 1024
_PARTS = 5000


class Unreadable(Exception):
    """Why a document cannot be shown; a sentence for the reader of the page."""


def limit_this_process() -> None:
    for what, most in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def check_package(content: bytes) -> None:
    """Refuse a zip that unpacks to far more than a document, or that defines entities, before any library opens it."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as package:
            parts = package.infolist()
            if len(parts) > _PARTS or sum(part.file_size for part in parts) > _UNPACKED:
                raise Unreadable("This document unpacks to more than can be shown here.")
            for part in parts:
                if part.filename.endswith((".xml", ".rels")):
                    with package.open(part) as file:
                        if b"<!ENTITY" in file.read(64 * 1024):
                            raise Unreadable("This document defines XML entities, which none does that can be trusted.")
    except zipfile.BadZipFile as error:
        raise Unreadable("This document is damaged: it is not a whole package.") from error
