"""`import_tac`: a World from a checkout of TheAgentCompany, with a list of everything that the checkout does not hold.

The same checkout gives the same files. Nothing of the checkout is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dayjob.company.world.gaps import FILE
from dayjob.importing import board_files, world_files
from dayjob.importing.cast import read_cast
from dayjob.importing.checkout import read_checkout
from dayjob.importing.gaps import Gap, as_json, as_markdown
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
    cast = read_cast(
        checkout, frozenset({world_files.WORD, world_files.ADMIN, "agent", "rocket.cat"}), world_files.WORD
    )
    mentions = read_mentions(checkout)
    draft = world_files.Draft(target, gaps=list(checkout.gaps), counts={"tasks": len(checkout.tasks)})
    world_files.settings(draft, checkout.constants)
    world_files.people(draft, cast, mentions)
    world_files.channels(draft, checkout, cast, mentions)
    world_files.forge(draft, checkout, cast, mentions)
    board_files.board(draft, mentions)
    world_files.drive(draft, mentions)
    world_files.emptied(draft, mentions)
    gaps = sorted(set(draft.gaps), key=lambda gap: (gap.kind, gap.thing, gap.why))
    draft.files[FILE] = as_json(gaps, draft.files)
    draft.files[GAPS] = as_markdown(draft.counts, gaps)
    return Imported(draft.counts, gaps, target.write(draft.files))
