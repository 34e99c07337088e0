"""What graders and init scripts have on the base image without asking: a Python, and the modules it can import."""

from __future__ import annotations

import sys

from dayjob.grading import STANDINS
from dayjob.task.base_packages import MODULES, PYTHON_VERSION

# By the names that programs import: what the system's packages supply, and what graders' own do.
BASE_MODULES = MODULES | {"certifi", "charset_normalizer", "idna", "requests", "urllib3"}

# What stands in /utils: the grading set, and stand-ins for what published evaluators import.
GRADING_MODULES = frozenset({
    "common", "config", "dayjob", "eval", "evaluator", "scoring",
    *(name.partition("/")[0].removesuffix(".py") for name in STANDINS),
})  # fmt: skip

# Modules of the standard library that some versions have and others have not.
ADDED = {
    "graphlib": (3, 9), "zoneinfo": (3, 9), "tomllib": (3, 11), "annotationlib": (3, 14), "compression": (3, 14),
}  # fmt: skip
REMOVED = {
    "formatter": (3, 10), "parser": (3, 10), "symbol": (3, 10), "binhex": (3, 11), "asynchat": (3, 12),
    "asyncore": (3, 12), "distutils": (3, 12), "imp": (3, 12), "smtpd": (3, 12), "aifc": (3, 13), "audioop": (3, 13),
    "cgi": (3, 13), "cgitb": (3, 13), "chunk": (3, 13), "crypt": (3, 13), "imghdr": (3, 13), "lib2to3": (3, 13),
    "mailcap": (3, 13), "msilib": (3, 13), "nis": (3, 13), "nntplib": (3, 13), "ossaudiodev": (3, 13),
    "pipes": (3, 13), "sndhdr": (3, 13), "spwd": (3, 13), "sunau": (3, 13), "telnetlib": (3, 13), "uu": (3, 13),
    "xdrlib": (3, 13),
}  # fmt: skip


def in_standard_library(module: str, version: tuple[int, int] = PYTHON_VERSION) -> bool:
    """Whether a version of Python has a module, whichever version this is."""
    if module in ADDED or module in REMOVED:
        return ADDED.get(module, (0, 0)) <= version < REMOVED.get(module, (99, 0))
    return module in sys.stdlib_module_names


def written(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
