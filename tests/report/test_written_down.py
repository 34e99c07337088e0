"""What reports and the viewer say of two furnished runs, word for word, in `written/`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from dayjob.cli.report import report
from dayjob.report.viewer.index import Index
from dayjob.report.viewer.site import write_site
from tests.company.talks.outline import outline
from tests.company.talks.talk import kept
from tests.report.furnished import furnish

WRITTEN = Path(__file__).with_name("written")


@pytest.mark.parametrize("form", ["text", "markdown", "json", "csv", "html"])
@pytest.mark.parametrize("comparing", [False, True])
def test_a_report_says_what_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, comparing: bool
) -> None:
    furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ["before", "after", "--compare"] if comparing else ["after"]
    done = CliRunner().invoke(report, [*words, "--format", form])
    assert done.exit_code == 0, done.output
    text = "\n".join(outline(done.stdout)) if form == "html" else done.stdout
    lines = [f"{number}: {line.rstrip()}" for number, line in enumerate(text.splitlines(), 1)]
    assert kept(WRITTEN / f"{form}{'-compared' if comparing else ''}.txt", lines) == []


@pytest.mark.parametrize("trial", ["roof.worker.1", "roof.nop.1"])
def test_the_story_of_one_trial_is_told_as_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trial: str
) -> None:
    furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(report, [f"after/{trial}"])
    lines = [f"{number}: {line.rstrip()}" for number, line in enumerate(done.stdout.splitlines(), 1)]
    assert kept(WRITTEN / f"{trial}.txt", lines) == []


def test_the_viewers_pages_show_what_is_written_down(tmp_path: Path) -> None:
    runs = furnish(tmp_path)
    index = Index(runs, tmp_path / "index.sqlite")
    index.refresh()
    write_site(index, tmp_path / "site")
    index.close()
    lines = []
    for page in sorted((tmp_path / "site").rglob("*.html")):
        shown = json.dumps(outline(page.read_text().replace(str(tmp_path), "/runs")), ensure_ascii=False)
        # Its size is that of the folder's name, which is another each time.
        shown = re.sub(r'"spec\.json", "\d+ B"', '"spec.json", "… B"', shown)
        lines.append(f"{page.relative_to(tmp_path / 'site')}: {shown}")
    assert kept(WRITTEN / "site.txt", lines) == []
