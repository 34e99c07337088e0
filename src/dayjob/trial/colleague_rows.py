"""What an outcome says of colleagues: counts of the audit, and the faults that can have cost a point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dayjob.scoring import clean_reason

COUNTED = (
    "asked", "answered", "unknown", "ignored", "withheld", "repeated", "contradicted", "invented", "leaked", "promised",
)  # fmt: skip
SHOWN = {**{name: name for name in COUNTED}, "promised": "not done"}
"""What a reader calls each count: what was promised counts where it was not done."""
_FAULT = ("colleague", "kind", "fact", "quote", "said", "message")


def clean_fault(row: Mapping[str, Any]) -> dict[str, str]:
    """A fault as plain lines: models and examinees wrote its words."""
    return {name: clean_reason(row[name], f"a colleague_fault's {name}") for name in _FAULT}


def clean_counts(row: Mapping[str, Any]) -> dict[str, Any]:
    """One colleague's counts; what has no sheet has fewer of them."""
    found = {name: row[name] for name in COUNTED if name in row}
    if not all(isinstance(count, int) for count in found.values()):
        raise ValueError("a count of a colleague is no number")
    return {"mind": clean_reason(row.get("mind", "")), "sheet": row.get("sheet") is True, **found}


def fault_in_words(fault: Mapping[str, str]) -> str:
    """`Mara Lind did not tell “budget”, though asked: “What is the budget?”`"""
    who, fact, quote = fault["colleague"], fault["fact"], fault["quote"]
    said = f"; said: “{fault['said']}”" if fault["said"] else ""
    if fault["kind"] == "contradicted":
        return f"{who} told “{fact}” wrongly: it is “{quote}”{said}"
    how = "gave no answer" if fault["kind"] == "ignored" else "did not tell it"
    return f"{who} was asked for “{fact}” and {how}: “{quote}”{said}"
