"""Reads one document from standard input and writes what a page shows of it as JSON: `python -m … KIND < document`.

It limits itself before it looks at a byte: ten seconds of processor, a gigabyte of memory, no file but its libraries.
"""

from __future__ import annotations

import json
import mimetypes
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from dayjob.company.drive.previews.confinement import Unconfined, confine_this_process, landlock_version
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
_OPEN_DOCUMENT = ("odf.opendocument", "odf.load", "odf.teletype", "odf.namespaces")
_LIBRARIES = {
    "docx": ("docx",),
    "xlsx": ("openpyxl", "openpyxl.chartsheet"),
    "pptx": ("pptx",),
    "odt": _OPEN_DOCUMENT,
    "ods": _OPEN_DOCUMENT,
    "odp": _OPEN_DOCUMENT,
    "pdf": ("pypdfium2", "PIL.Image"),
    "image": ("PIL.Image",),
}
_ENCODINGS = ("ascii", "cp437", "cp1252", "idna", "latin_1", "utf_8", "utf_8_sig", "utf_16", "utf_16_be", "utf_16_le")
Reader = Callable[[bytes], dict[str, Any]]


def load(kind: str) -> None:
    """Import all that reading such a document takes, for when no file can be opened any more."""
    for name in (*_LIBRARIES[kind], *(f"encodings.{one}" for one in _ENCODINGS), "_strptime"):
        import_module(name)
    import_module(f"dayjob.company.drive.previews.{_READERS[kind]}")
    mimetypes.init()
    if "PIL.Image" in _LIBRARIES[kind]:
        import_module("PIL.Image").init()


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
        if not landlock_version():
            load(kind)
        confine_this_process()
        found = read(kind, sys.stdin.buffer.read(LARGEST + 1))
    except (Unreadable, Unconfined) as error:
        found = {"problem": str(error)}
    except (MemoryError, RecursionError):
        found = {"problem": "This document needs more memory than a preview may have."}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
