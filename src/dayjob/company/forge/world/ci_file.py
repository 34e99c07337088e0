"""The CI file that a project's history comes to: read as the forge will read it, before anything is compiled."""

from __future__ import annotations

from dayjob.company.forge.ci import file as ci
from dayjob.company.forge.ci.mistakes import Mistake
from dayjob.company.forge.world.model import Project
from dayjob.company.forge.world.patches import Tree
from dayjob.company.forge.world.reader import Reader

_ON_PURPOSE = "where it is wrong on purpose, write 'broken_ci: true' in project.yml."


def check_ci_file(reader: Reader, project: Project, folder: str, tree: Tree, written: dict[str, int]) -> None:
    """`tree` has the files of the default branch, `written` the line of history.yml that last wrote each."""
    path = str(project.settings.get("ci_config_path") or ci.FILE)

    def read(name: str) -> str | None:
        content = tree.get(name.lstrip("/"))
        return content[0].decode("utf-8", "replace") if content is not None else None

    content = read(path)
    if content is None:
        return
    found = ci.lint(content, read, path)
    for mistake in found.mistakes:
        name, line = found.sources.place_of(mistake)
        source = f"{folder}/source/{name}"
        if source in reader.files and reader.files.path(source).read_bytes() == (tree.get(name) or (b"",))[0]:
            _tell(reader, source, line, mistake, "")
        else:
            _tell(reader, f"{folder}/history.yml", written.get(name, 0), mistake, f" ({name} line {line})")


def _tell(reader: Reader, file: str, line: int, mistake: Mistake, place: str) -> None:
    fix = f"{mistake.fix[0].upper()}{mistake.fix[1:]}; {_ON_PURPOSE}"
    reader.wrong(file, line, f"{mistake.sentence}{place}.", fix, "ci-file")
