"""What only drawing and making can tell of a family, for `dayjob check`: faults of its programs, and of its key."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.sandbox.sandbox import Site
from dayjob.task.family import BUILD, KEY, VARIANT, Values, leaves, parts_of
from dayjob.task.findings import Finding, TaskError
from dayjob.task.rules import Rule
from dayjob.trial.ingredients import digest
from dayjob.trial.variants.key import VariantKey
from dayjob.trial.variants.maker_room import maker_room
from dayjob.trial.variants.making import Variant

DRAWS = 20
_MADE = (0, 1, 2)
# Shorter texts and smaller numbers are anybody's words.
_SHORTEST, _SMALLEST = 3, 10


@dataclass(slots=True)
class Looked:
    """What was found, and the canonical variant's folder, if it could be made."""

    findings: list[Finding] = field(default_factory=list)
    made: Path | None = None


async def look(site: Site, family: Path, cache: Path) -> Looked:
    """Draw twenty variants, make three of them, and look at what came of it."""
    looked = Looked()
    variant = Variant(family)
    try:
        drawn = await draw(site, family, DRAWS)
        folders = [await Variant(family, number).made(site, cache) for number in _MADE]
        looked.made = folders[0]
        looked.findings += same_keys(drawn)
        looked.findings += leaks([(drawn[number], _text(folders[number])) for number in _MADE])
        if (family / BUILD).exists() and digest(folders[1]) != await _digest_again(site, family):
            looked.findings.append(
                Finding(
                    Rule.FAMILY_BUILD,
                    BUILD,
                    0,
                    "made twice from the same values, the files differ",
                    "Write nothing that is random or in the order of a set",
                )
            )
    except TaskError as error:
        looked.findings.append(error.finding)
        if looked.made is None:
            looked.made = variant.found(cache)
    return looked


async def draw(site: Site, family: Path, count: int, key: VariantKey | None = None) -> list[Values]:
    """The values of the first so many variants, without making any of them."""
    set = key.fingerprint if key is not None else None
    seeds = [Variant(family, number, set).seed(key) for number in range(count)]
    async with maker_room(site, family, parts_of(family), None) as room:
        return await room.draw(seeds)


async def _digest_again(site: Site, family: Path) -> str:
    place = owned.folder("again")
    try:
        return digest(await Variant(family, 1).made_again(site, place))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def same_keys(drawn: Sequence[Values]) -> list[Finding]:
    """Of variants that follow each other, none may have the whole key of the one before."""
    same = [number for number, (one, other) in enumerate(pairwise(drawn)) if one[KEY] == other[KEY]]
    if not same:
        return []
    if len(same) == len(drawn) - 1:
        said = f"the key is the same in all of {len(drawn)} variants"
    else:
        said = f"the variants {same[0]} and {same[0] + 1} have the same key"
    return [Finding(Rule.SAME_KEY, VARIANT, 0, said, f"Draw what is in '{KEY}' from more possibilities")]


def leaks(made: Sequence[tuple[Values, str]]) -> list[Finding]:
    """What of the key stands in task.md in every one of these variants; what is the same in all gives nothing away."""
    known = [dict(leaves(values[KEY])) for values, _ in made]
    found = [
        {where for where, value in each.items() if _stands_in(value, text)}
        for each, (_, text) in zip(known, made, strict=True)
    ]
    varied = {where for each in known for where in each if any(other.get(where) != each[where] for other in known)}
    return [
        Finding(
            Rule.KEY_LEAKS,
            "task.md",
            0,
            f"it says what {KEY}.{where} is, in every variant",
            "Take it out, or take it out of the key if it is no part of the answer",
        )
        for where in sorted(varied.intersection(*found))
    ]


def _stands_in(value: Any, text: str) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, str):
        return len(value) >= _SHORTEST and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.I) is not None
    if abs(value) < _SMALLEST:
        return False
    forms = {str(value), f"{value:,}", f"{value:,}".replace(",", "."), f"{value:,}".replace(",", " ")}
    if isinstance(value, float):
        forms |= {f"{value:.2f}", f"{value:,.2f}"}
    return any(re.search(rf"(?<![\d.,]){re.escape(form)}(?![.,]?\d)", text) for form in forms)


def _text(folder: Path) -> str:
    return (folder / "task.md").read_text("utf-8", "replace")
