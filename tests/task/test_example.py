"""The example task: what its graders believe is what the world's files say."""

from __future__ import annotations

import csv
import hashlib
import json
import runpy
import sys
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.grading.sandbox import Utils

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tasks" / "example"
DRIVE = ROOT / "worlds" / "larkspur" / "drive" / "files"
REFERENCE = json.loads((EXAMPLE / "references" / "spending.json").read_text(encoding="utf-8"))


def rows(path: str) -> list[dict[str, str]]:
    with (DRIVE / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def over_budget(*, cancelled: bool = False, credit_notes: bool = True) -> dict[str, str]:
    """Who is over budget, by the rules of task.md or by a mistaken reading of them."""
    spent: dict[str, Decimal] = defaultdict(Decimal)
    for invoice in rows("Finance/vendor-invoices-q1.csv"):
        if invoice["status"] == "cancelled" and not cancelled:
            continue
        if invoice["status"] == "credit note" and not credit_notes:
            continue
        spent[invoice["vendor"]] += Decimal(invoice["amount_eur"])
    budgets = {row["vendor"]: Decimal(row["q1_budget_eur"]) for row in rows("Finance/vendor-budgets-2026.csv")}
    assert budgets.keys() == spent.keys()
    return {vendor: str(spent[vendor] - limit) for vendor, limit in budgets.items() if spent[vendor] > limit}


def test_the_reference_answer_follows_from_the_invoices() -> None:
    assert over_budget() == REFERENCE["over_budget"]
    vendors = {row["vendor"] for row in rows("Finance/vendor-budgets-2026.csv")}
    assert set(REFERENCE["within_budget"]) == vendors - REFERENCE["over_budget"].keys()


def test_each_mistaken_reading_gives_another_answer() -> None:
    assert over_budget(cancelled=True).keys() - over_budget().keys() == {"Pennant Print"}
    assert over_budget(credit_notes=False).keys() - over_budget().keys() == {"Oakline Furniture"}


def test_the_files_to_be_left_alone_are_the_worlds_own() -> None:
    for path, digest in REFERENCE["untouched"].items():
        assert hashlib.sha256((DRIVE / path).read_bytes()).hexdigest() == digest, path


@pytest.fixture
def evaluator(utils: Utils, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The example's evaluator, imported beside a placed `/utils`."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(utils.folder))
    yield runpy.run_path(str(EXAMPLE / "evaluator.py"))
    for name in ("common", "scoring", "config"):
        if name not in before:
            sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("EUR 12.40 over", {12.4}),
        ("12,40 €", {12.4}),
        ("€1,284.00, and 310.5", {1284.0, 310.5}),
        ("1.284,00 EUR", {1284.0}),
        ("1284 euros", {1284.0}),
        ("1 284.00", {1284.0}),
        ("none", set()),
    ],
)
def test_amounts_are_read_however_people_write_them(evaluator: dict[str, Any], text: str, amounts: set[float]) -> None:
    assert set(evaluator["amounts_in"](text)) == amounts
