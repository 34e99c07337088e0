"""Regular expressions that somebody else wrote: matched by RE2, in time that grows with the text and nothing else.

RE2 has no backreferences and no lookaround; a pattern that uses them is invalid here, as is one that is too large.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

LONGEST = 512
"""The most characters a pattern may have."""
_MEMORY = 256 * 1024
"""What one compiled pattern may take; a pattern such as `(a{1000}){1000}` is refused instead of built."""


class InvalidExpression(ValueError):
    """The pattern cannot be used; the text says why."""


class Expression:
    """A compiled pattern."""

    __slots__ = ("_compiled",)

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def found_in(self, text: str) -> bool:
        """Whether the pattern matches somewhere in the text."""
        try:
            return self._compiled.search(text) is not None
        except UnicodeEncodeError:
            return False  # half a surrogate pair is in no pattern's alphabet


@lru_cache(256)
def expression(pattern: str, *, ignore_case: bool = False) -> Expression:
    """The pattern, ready to match; `InvalidExpression` for what RE2 does not take."""
    if len(pattern) > LONGEST:
        raise InvalidExpression(f"the expression is longer than {LONGEST} characters")
    re2 = _re2()
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        return Expression(re2.compile(pattern, options))
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0]
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(error)
        raise InvalidExpression(said) from None


@cache
def _re2() -> Any:
    """Imported late, because few companies are ever asked for an expression."""
    import re2  # type: ignore[import-untyped]  # it has no types of its own

    return re2
