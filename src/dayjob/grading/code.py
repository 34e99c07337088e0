"""Code of the forge while grading: a merge request, the files of a commit in a folder, and their own tests.

What is run is the examinee's, so it runs as the examinee; what is compared is read by the grader.
"""

from __future__ import annotations

import functools
import io
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import requests

from dayjob.grading.examinee import run_as_examinee
from dayjob.grading.faults import ServiceFault
from dayjob.grading.forge import make_gitlab_request


def get_from_gitlab(project: str, path: str, **params: Any) -> requests.Response:
    """What the forge answers about a project (`group/name`); no answer is a fault, a refusal raises."""
    answer = make_gitlab_request(project, path, params=params)
    if answer is None:
        raise ServiceFault(f"the forge did not answer GET {path}")
    answer.raise_for_status()
    return answer


@functools.cache
def newest_merge_request(project: str, author: str, target: str = "main") -> dict[str, Any] | None:
    """Somebody's newest merge request that is not closed, with what it changes; None when there is none."""
    found = get_from_gitlab(
        project, "merge_requests", author_username=author, target_branch=target, per_page=100
    ).json()
    newest = max((one for one in found if one["state"] != "closed"), key=lambda one: int(one["iid"]), default=None)
    if newest is None:
        return None
    changes: dict[str, Any] = get_from_gitlab(project, f"merge_requests/{newest['iid']}/changes").json()
    return changes


@functools.cache
def gitlab_tree(project: str, ref: str) -> Path:
    """The files of a commit, in a folder that the examinee's code may read."""
    with zipfile.ZipFile(io.BytesIO(get_from_gitlab(project, "repository/archive.zip", sha=ref).content)) as archive:
        folder = Path(tempfile.mkdtemp())
        archive.extractall(folder)
    folder.chmod(0o755)
    return next(folder.iterdir())


def with_parts_of(tree: Path, other: Path, *parts: str) -> Path:
    """A copy of a tree in which these folders and files are those of another tree: its tests with the other's code."""
    folder = Path(tempfile.mkdtemp(), "mixed")
    folder.parent.chmod(0o755)
    shutil.copytree(tree, folder)
    for part in parts:
        place, source = folder / part, other / part
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
        if source.is_dir():
            shutil.copytree(source, place)
        elif source.exists():
            shutil.copy(source, place)
    return folder


def unittests_pass(folder: Path) -> bool:
    """Whether the tests in a folder pass, run as the examinee."""
    return run_as_examinee(["python3", "-m", "unittest"], cwd=str(folder)).returncode == 0
