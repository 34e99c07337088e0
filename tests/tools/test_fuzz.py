"""A bounded run of the fuzzer; `python -m tools.fuzz` sends a hundred thousand."""

from __future__ import annotations

from tools.fuzz.__main__ import ROOT, fuzz, report


def test_two_thousand_generated_requests_break_stall_and_swell_nothing() -> None:
    findings = fuzz(2000, "14", ROOT / "worlds" / "larkspur")
    report(findings)
    assert findings.broken == []
    assert findings.failures == []
    assert findings.stalls == []
    assert findings.clean
    assert sum(found.total() for found in findings.statuses.values()) == 2000
