"""`import_tac`: a World from a checkout of TheAgentCompany, with a list of everything that the checkout does not hold.

The same checkout gives the same files. Nothing of the checkout is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dayjob.importing import parts
from dayjob.importing.cast import read_cast
from dayjob.importing.checkout import read_checkout
from dayjob.importing.gaps import Gap, as_markdown
from dayjob.importing.mentions import read_mentions
from dayjob.importing.writing import Target, Written

GAPS = "GAPS.md"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made."""

    counts: dict[str, int]
    gaps: list[Gap]
    written: Written


def import_tac(checkout_folder: Path, folder: Path) -> Imported:
    """Write the world into `folder`; `CannotImport` when there is nothing to import or no place for it."""
    target = Target(folder)
    checkout = read_checkout(checkout_folder)
    cast = read_cast(checkout, frozenset({parts.WORD, parts.ADMIN, "agent", "rocket.cat"}), parts.WORD)
    mentions = read_mentions(checkout)
    draft = parts.Draft(target, gaps=list(checkout.gaps), counts={"tasks": len(checkout.tasks)})
    parts.settings(draft, checkout.constants)
    parts.people(draft, cast)
    parts.channels(draft, checkout, cast, mentions)
    parts.forge(draft, checkout, cast, mentions)
    parts.board(draft, mentions)
    parts.drive(draft, mentions)
    gaps = sorted(set(draft.gaps), key=lambda gap: (gap.kind, gap.thing, gap.why))
    draft.files[GAPS] = as_markdown(draft.counts, gaps)
    return Imported(draft.counts, gaps, target.write(draft.files))
