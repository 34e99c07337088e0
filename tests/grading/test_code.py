"""Code on the forge as an evaluator gets at it: a real company, a real merge request, folders on the disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.company.serving import Served, serve
from tests.grading.sandbox import Utils
from tests.grading.test_against_company import nook, utils

__all__ = ["utils"]  # a fixture

FILES = {"pots/__init__.py": "SIZE = 9\n", "tests/test_pots.py": "assert True\n", "README.md": "Pots.\n"}


class Forge:
    """The forge as somebody with this account uses it."""

    def __init__(self, address: str, **account: str) -> None:
        self.api = f"{address}/api/v4"
        answer = requests.post(f"{address}/oauth/token", json={"grant_type": "password", **account}, timeout=10).json()
        self.headers = {"Authorization": f"Bearer {answer['access_token']}"}

    def ask(self, method: str, path: str, **content: Any) -> Any:
        answer = requests.request(method, f"{self.api}/{path}", json=content, headers=self.headers, timeout=10)
        answer.raise_for_status()
        return answer.json()

    def commit(self, branch: str, action: str, files: dict[str, str], **more: str) -> None:
        actions = [{"action": action, "file_path": path, "content": text} for path, text in files.items()]
        self.ask("POST", f"{POTS}/repository/commits", branch=branch, commit_message="Work", actions=actions, **more)


POTS = "projects/sam.reed%2Fpots"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(nook(tmp_path_factory.mktemp("worlds")), role="examinee", phase="work") as served:
        sam = Forge(served.url("forge"), username="sam.reed", password="sam-word")
        sam.ask("POST", "projects", name="pots")
        sam.commit("main", "create", FILES)
        yield served


def test_the_newest_open_merge_request_comes_with_its_changes_and_its_files(served: Served, utils: Utils) -> None:
    newest = "answer = (newest_merge_request('sam.reed/pots', 'sam.reed') or {}).get('title')"
    assert utils.ask(newest) is None
    sam = Forge(served.url("forge"), username="sam.reed", password="sam-word")
    for number, size in enumerate(("10", "11", "12"), start=1):
        branch = f"size-{size}"
        sam.commit(branch, "update", {"pots/__init__.py": f"SIZE = {size}\n"}, start_branch="main")
        sam.ask("POST", f"{POTS}/merge_requests", source_branch=branch, target_branch="main", title=branch)
        if size == "12":
            sam.ask("PUT", f"{POTS}/merge_requests/{number}", state_event="close")
    answer = utils.ask(
        "found = newest_merge_request('sam.reed/pots', 'sam.reed')\n"
        "branch = gitlab_tree('sam.reed/pots', found['sha'])\n"
        "base = gitlab_tree('sam.reed/pots', found['diff_refs']['base_sha'])\n"
        "(branch / 'tests/new.py').write_text('')\n"
        "mixed = with_parts_of(branch, base, 'pots', 'README.md', 'missing.md')\n"
        "answer = [found['title'], [c['new_path'] for c in found['changes']],"
        " (branch / 'pots/__init__.py').read_text(), (mixed / 'pots/__init__.py').read_text(),"
        " (mixed / 'tests/new.py').exists(), (mixed / 'missing.md').exists(),"
        " oct(branch.parent.stat().st_mode), newest_merge_request('sam.reed/pots', 'root')]"
    )
    assert answer == ["size-11", ["pots/__init__.py"], "SIZE = 11\n", "SIZE = 9\n", True, False, "0o40755", None]


def test_a_part_that_is_a_file_in_one_tree_and_a_folder_in_the_other_becomes_what_it_is_there(utils: Utils) -> None:
    answer = utils.ask(
        "import tempfile\nfrom pathlib import Path\n"
        "one, other = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())\n"
        "(one / 'part').write_text('file')\n(other / 'part').mkdir()\n(other / 'part/inside').write_text('folder')\n"
        "there, back = with_parts_of(one, other, 'part'), with_parts_of(other, one, 'part')\n"
        "answer = [(there / 'part/inside').read_text(), (back / 'part').read_text()]"
    )
    assert answer == ["folder", "file"]


def test_a_project_that_is_not_there_raises_and_a_forge_that_is_not_there_is_a_fault(utils: Utils) -> None:
    evaluator = (
        "from common import *\nfrom scoring import Checkpoint, Result\n"
        "@grader\ndef grade():\n    return bool(get_from_gitlab('sam.reed/none', 'issues'))\n"
        "def grade_checkpoints(trajectory=''):\n    return Result([Checkpoint(1, int(grade()))])\n"
    )
    graded = utils.grade(evaluator)
    assert graded.result is not None
    assert graded.result["final_score"]["result"] == 0
    assert not graded.faults
    utils.environment["GITLAB_PORT"] = "9"
    assert utils.grade(evaluator).faults
