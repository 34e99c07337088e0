"""Reads one document from standard input and writes what a page shows of it as JSON: `python -m … KIND < document`.

It limits itself before it looks at a byte: ten seconds of processor, a gigabyte of memory, no file written.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from dayjob.company.drive.previews.limits import LARGEST, Unreadable, check_package, limit_this_process

_READERS = {
    "docx": "office",
    "xlsx": "sheets",
    "pptx": "office",
    "odt": "opendocument",
    "ods": "opendocument",
    "odp": "opendocument",
    "pdf": "pictures",
    "image": "pictures",
}
Reader = Callable[[bytes], dict[str, Any]]


def read(kind: str, content: bytes) -> dict[str, Any]:
    module = import_module(f"dayjob.company.drive.previews.{_READERS[kind]}")
    reader: Reader = getattr(module, kind)
    try:
        if kind not in ("pdf", "image"):
            check_package(content)
        return reader(content)
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # whatever a library says about a broken document, it says to the reader of the page
        raise Unreadable("This document is damaged and cannot be shown.") from error


def main() -> None:
    kind = sys.argv[1]
    limit_this_process()
    try:
        found = read(kind, sys.stdin.buffer.read(LARGEST + 1))
    except Unreadable as error:
        found = {"problem": str(error)}
    except (MemoryError, RecursionError):
        found = {"problem": "This document needs more memory than a preview may have."}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
