"""`ci-images.yml`: what `image:` in a CI file means in a trial, as a table from names to what the base lacks.

    default: debian:13
    images:
      - name: python:3.13*
      - name: [golang:1.24*, golang:latest]
        packages: [golang-go]
        env: {GOFLAGS: -mod=mod}
        run: [go version]

A row without packages and commands is the base itself. Whoever runs jobs makes the rest when it is first needed.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass, field
from typing import Any

from dayjob.company.world.files import WorldFiles
from dayjob.company.world.yaml import Located, load_yaml

FILE = "ci-images.yml"
_KEYS = {"name", "packages", "run", "env"}
_PATTERN = re.compile(r"[a-z0-9*?][a-z0-9._/:*?@-]*")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class CiImage:
    """One row: the names it answers to, and what is laid on the base for it."""

    names: tuple[str, ...]
    packages: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CiImages:
    """The table, and the image of a job that names none."""

    default: str = "debian:13"
    rows: tuple[CiImage, ...] = (
        CiImage(("debian:13*", "debian:trixie*", "debian:stable*", "debian:latest")),
        CiImage(("python:3.13*", "python:3", "python:3-slim", "python:latest")),
    )
    """Those of a world without the file: what the base is, by its names."""

    @classmethod
    def from_facts(cls, facts: Any) -> CiImages:
        """As a snapshot has it."""
        rows = (
            CiImage(tuple(one["names"]), tuple(one["packages"]), tuple(one["run"]), one["env"]) for one in facts["rows"]
        )
        return cls(facts["default"], tuple(rows))


def load_ci_images(files: WorldFiles) -> CiImages:
    """The world's table; what is wrong with it is noted, with its line."""
    if FILE not in files:
        return CiImages()
    facts = load_yaml(files, FILE)
    if not isinstance(facts, Located) or not isinstance(facts.get("images"), list):
        line = facts.line if isinstance(facts, Located) else 1
        _wrong(files, line, "The file needs a list 'images'.", "Write 'images:' and a row for each image.")
        return CiImages()
    for key in set(facts) - {"default", "images"}:
        _wrong(files, facts.at(key), f"'{key}' means nothing here.", "Known: default, images.")
    rows = tuple(row for one in facts["images"] if (row := _row(files, one, facts.at("images"))) is not None)
    default = facts.get("default", CiImages().default)
    if rows and not any(fnmatch.fnmatchcase(str(default), name) for row in rows for name in row.names):
        sentence = f"'{default}', the image of jobs that name none, is in no row of the table."
        _wrong(files, facts.at("default"), sentence, "Add a row for it, or name another as 'default'.")
    return CiImages(str(default), rows)


def _row(files: WorldFiles, one: Any, line: int) -> CiImage | None:
    if not isinstance(one, Located):
        _wrong(files, line, "An image is a mapping.", "Start it with '- name: …'.")
        return None
    for key in set(one) - _KEYS:
        _wrong(files, one.at(key), f"'{key}' means nothing in an image.", f"Known: {', '.join(sorted(_KEYS))}.")
    names = _texts(one.get("name"))
    if not names or not all(_PATTERN.fullmatch(name) for name in names):
        sentence = f"'{one.get('name')}' is not the name of an image, nor a list of names."
        _wrong(files, one.at("name"), sentence, "Write it as python:3.13*; * stands for anything.")
        return None
    packages, run, env = _texts(one.get("packages", [])), _texts(one.get("run", [])), one.get("env", {})
    if packages is None or not all(_PACKAGE.fullmatch(name) for name in packages):
        _wrong(files, one.at("packages"), "'packages' is not a list of Debian's packages.", "As in [golang-go].")
        return None
    if run is None or any("\n" in text for text in run):
        _wrong(files, one.at("run"), "'run' is not a list of commands.", "Write each on one line.")
        return None
    if not isinstance(env, dict) or not all(_VARIABLE.fullmatch(str(key)) for key in env):
        _wrong(files, one.at("env"), "'env' is not a mapping of variables.", "As in {GOFLAGS: -mod=mod}.")
        return None
    return CiImage(tuple(names), tuple(packages), tuple(run), {key: str(value) for key, value in env.items()})


def _texts(found: Any) -> list[str] | None:
    found = [found] if isinstance(found, str) else found
    return found if isinstance(found, list) and all(isinstance(one, str) for one in found) else None


def _wrong(files: WorldFiles, line: int, message: str, fix: str) -> None:
    files.problems.add("ci-images", FILE, line, message, fix)
