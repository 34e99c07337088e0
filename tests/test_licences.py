"""Every distribution we pin goes with an MIT project: permissive, or with a stated reason why it is no burden."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]

PERMISSIVE = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "PSF-2.0",
    "Python-2.0",
    "Unlicense",
}
# As older packages spell them, in their classifiers or their free-text licence field.
SPELLINGS = {
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
}
# Not permissive, and why each is no burden for those who use or redistribute Dayjob.
REASONS = {
    "certifi": ("MPL-2.0", "copyleft for its own files only, which we do not change"),
    "hypothesis": ("MPL-2.0", "copyleft for its own files only, and a tool of the tests"),
    "pathspec": ("MPL-2.0", "copyleft for its own files only, and a tool of the tests"),
    "numpy": (
        "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0",
        "Zlib is permissive and CC0 a waiver; for Gymnasium's tests, not part of what we ship",
    ),
    "odfpy": (
        "Apache-2.0 OR GNU General Public License (GPL) OR GNU Library or Lesser General Public License (LGPL)",
        "ours to choose, and we choose Apache",
    ),
    "pygit2": ("GPLv2 with linking exception", "the exception allows linking from works under any licence"),
    "pypdfium2": (
        "BSD-3-Clause, Apache-2.0, dependency licenses",
        "permissive; the rest are the notices of what PDFium itself is built from",
    ),
    "python-gitlab": ("LGPL-3.0-or-later", "a client the tests call as it is; it is not part of what we ship"),
}


def pinned(lock: str) -> list[Requirement]:
    """The pins of a lock file that apply to this machine."""
    lines = (ROOT / "requirements" / lock).read_text(encoding="utf-8").splitlines()
    found = [Requirement(line.rstrip("\\ ")) for line in lines if re.match(r"[A-Za-z0-9]", line)]
    return [each for each in found if each.marker is None or each.marker.evaluate()]


def licence_of(name: str) -> str:
    """What the distribution says its licence is: the expression, else the field, else the classifiers."""
    metadata = importlib.metadata.metadata(name).json
    expression = metadata.get("license_expression")
    if expression:
        return str(expression)
    field = str(metadata.get("license") or "").strip()
    plain = SPELLINGS.get(field.lower(), field)
    if plain in PERMISSIVE or any(plain == licence for licence, _ in REASONS.values()):
        return plain
    classifiers = [str(each) for each in metadata.get("classifier") or [] if str(each).startswith("License ::")]
    names = [each.rpartition(" :: ")[2] for each in classifiers]
    known = sorted({SPELLINGS.get(each.lower(), each) for each in names})
    return " OR ".join(known) or plain


def is_permissive(expression: str) -> bool:
    """SPDX as far as it is used here: all of an AND, one of an OR."""
    return any(
        all(part.strip("() ") in PERMISSIVE for part in re.split(r"\s+AND\s+", choice))
        for choice in re.split(r"\s+OR\s+", expression)
    )


@pytest.mark.parametrize("lock", ["run.txt", "dev.txt"])
def test_every_pinned_distribution_has_a_licence_we_can_live_with(lock: str) -> None:
    requirements = pinned(lock)
    assert len(requirements) > 10
    unknown = []
    for requirement in requirements:
        licence = licence_of(requirement.name)
        excused = REASONS.get(requirement.name)
        if not is_permissive(licence) and (excused is None or excused[0] != licence):
            unknown.append(f"{requirement.name}: {licence or 'no licence stated'}")
    assert unknown == []


def test_no_excuse_is_kept_longer_than_needed() -> None:
    names = {requirement.name for requirement in pinned("dev.txt")} | {each.name for each in pinned("run.txt")}
    assert REASONS.keys() <= names


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("MIT", True),
        ("MIT AND PSF-2.0", True),
        ("GPL-3.0 OR MIT", True),
        ("GPL-3.0", False),
        ("MIT AND GPL-3.0", False),
    ],
)
def test_the_test_itself_can_fail(expression: str, answer: bool) -> None:
    assert is_permissive(expression) is answer
