"""A running company copied whole: rows, files and journal, and what it knows besides: clock, ids, secrets, agenda.

`write_copy` is called on the loop that serves the company, and does not wait: no request sees half of it. The copy is
opened as `Company(begun=folder)` on the unpacked tar, and `recall` makes it the other's twin. Colleagues are not here:
who they are and what they remember is `npc.cast`'s.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, BinaryIO

from dayjob.company.archive import write_archive
from dayjob.company.company import Company

MEMORY, JOURNAL = "memory.json", "journal.jsonl"


def write_copy(company: Company, out: BinaryIO, colleagues: dict[str, Any] | None, *, goes_on: bool = True) -> None:
    """The company as it is now, as a tar; `colleagues` is what the cast remembers.

    In one that does not go on nothing happens any more but what it is asked for.
    """
    memory = {**_memory(company), "colleagues": colleagues}
    memory["begun"] = memory["begun"] and goes_on
    more = {MEMORY: json.dumps(memory).encode(), JOURNAL: company.journal.content()}
    write_archive(company, out, company.touched, more)


def size_of(company: Company) -> int:
    """About how many bytes a copy has."""
    total = company.quota.used + company.journal.size
    for name in company.touched:
        pages, size = (
            company.database(name).execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "page_size")
        )
        total += pages * size
    return total


def _memory(company: Company) -> dict[str, Any]:
    accounts, unset = company.secrets
    return {
        "clock": company.clock.reading(),
        "drawn": company.ids.drawn,
        "phase": company.phase,
        "token": company.control_token,
        "accounts": accounts,
        "unset": unset,
        "services": {name: service.memory() for name, service in company.services.items()},
        "begun": company.agenda.begun,
        "refused": company.timeline.refused if company.timeline is not None else [],
        "heard": company.watching.heard,
        "left_out": company.journal.changes_left_out,
    }


def read_memory(folder: Path) -> dict[str, Any]:
    """What the company in an unpacked copy knew."""
    found: dict[str, Any] = json.loads((folder / MEMORY).read_text("utf-8"))
    return found


def recall_secrets(company: Company, memory: dict[str, Any]) -> None:
    """Before anything of the company is touched."""
    company.phase = memory["phase"]
    company.control_token = memory["token"]
    company.recall_secrets(memory["accounts"], memory["unset"])


def recall(company: Company, folder: Path, memory: dict[str, Any]) -> None:
    """When everybody who was there is there again: be at the moment of the copy, whatever it took to get here."""
    if "chat" in company.touched:
        company.rewind("chat")
    company.clock.set(memory["clock"])
    company.ids.drawn = memory["drawn"]
    company.journal.replace((folder / JOURNAL).read_bytes())
    company.journal.changes_left_out = memory["left_out"]
    company.watching.heard = memory["heard"]
    for name, known in memory["services"].items():
        company.service(name).recall(known)
    if memory["begun"]:
        company.begin_time()
        if company.timeline is not None:
            company.timeline.refused += memory["refused"]


def repeatable(company: Company) -> dict[str, str]:
    """The same of what a seed and the same acts give again: without passwords and tokens, which nobody can foresee."""
    found = {name: _digest_of_rows(company, name) for name in company.touched}
    found["blobs"] = _digest_of(company.folder / "blobs")
    moment = [company.clock.stamp(), company.clock.skipped.total_seconds(), company.ids.drawn, company.agenda.begun]
    found["memory"] = hashlib.sha256(json.dumps(moment).encode()).hexdigest()
    found["journal"] = hashlib.sha256(company.journal.content()).hexdigest()
    return dict(sorted(found.items()))


def _digest_of_rows(company: Company, name: str) -> str:
    """The tracked tables of a service, which leave out what is secret."""
    total, db = hashlib.sha256(), company.database(name)
    for one in company.service(name).schema()[1]:
        columns = [f'"{row[1]}"' for row in db.execute(f"PRAGMA table_info({one.table})") if row[1] not in one.hide]
        for row in db.execute(f"SELECT {', '.join(columns)} FROM {one.table} ORDER BY {', '.join(columns)}"):
            total.update(f"{one.table}{row!r}\n".encode("utf-8", "surrogatepass"))
    return total.hexdigest()


def digests(company: Company) -> dict[str, str]:
    """A hash of each part of the company's state: two with the same are the same company."""
    found = {name: hashlib.sha256(company.image(name)).hexdigest() for name in company.touched}
    for part in ("blobs", "own"):
        found[part] = _digest_of(company.folder / part)
    known = _memory(company)
    found["memory"] = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()
    found["journal"] = hashlib.sha256(company.journal.content()).hexdigest()
    return dict(sorted(found.items()))


def _digest_of(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            total.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
            total.update(path.read_bytes())
    return total.hexdigest()
