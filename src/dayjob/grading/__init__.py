"""What runs inside a sandbox to grade, and how it gets there.

`place(folder)` writes the set that evaluators and init scripts know as `/utils`: the modules `scoring`, `common`
and `config`, and the entry point `eval.py`. Each is a small door to the same file of this package, copied beside it,
so what a sandbox runs is exactly what is tested here.
"""

from __future__ import annotations

import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
TRAVELS = ("__init__.py", "scoring.py", "service_names.py", "whole_files.py", "grading")

# Where git keeps the programs it starts, itself among them; and what stands before it where a grader works.
GIT_FOLDERS = ("/usr/lib/git-core", "/usr/libexec/git-core")
GIT_DOOR = "/utils/bin/git"

_MODULE_DOOR = '''"""The evaluators' module `{name}`: a door to {target}."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import {target}  # noqa: E402  # only importable from here on

sys.modules[__name__] = sys.modules["{target}"]
'''

_ENTRY_DOOR = '''"""Grades this task: python_default eval.py --trajectory_path FILE --result_path FILE."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from dayjob.grading.eval import main  # noqa: E402  # only importable from here on

if __name__ == "__main__":
    sys.exit(main(utils=HERE))
'''

# What existing evaluators and init scripts import: a chat client, which is ours, and names they make no use of. They
# stand at the end of the path, so the real libraries win where a task installs them.
STANDINS = {
    "litellm.py": '"""Stands in for litellm, of which evaluators only import `logging`."""\n\nimport logging\n',
    "rocketchat_API/__init__.py": '"""Stands in for rocketchat_API, of which scripts import a client."""\n',
    "rocketchat_API/rocketchat.py": '"""The client."""\n\nfrom dayjob.grading.chat import ChatClient as RocketChat\n',
    "sotopia/__init__.py": '"""Stands in for sotopia, of which evaluators only import a name."""\n',
    "sotopia/database.py": '"""The name evaluators import."""\n\n\nclass AgentProfile:\n    pass\n',
}


_PROGRAM_DOOR = '''#!/usr/local/bin/python_default -I
"""Stands in for {name} on a grader's path: see {target}."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE) if (HERE / "dayjob").is_dir() else "/utils")  # one also lies over the image's own git

from {target} import main  # noqa: E402  # only importable from here on

sys.exit(main({arguments}))
'''
_PROGRAM_DOORS = (
    ("git", "git", "dayjob.grading.git", "sys.argv[1:]"),
    ("installed", "what the examinee installed", "dayjob.grading.installed", "sys.argv"),
)


def place(folder: Path) -> None:
    """Write the grading set into `folder`, which is made when missing; files of the same names are replaced."""
    package = folder / "dayjob"
    package.mkdir(parents=True, exist_ok=True)
    for name in TRAVELS:
        source = PACKAGE / name
        if source.is_dir():
            shutil.copytree(source, package / name, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        else:
            shutil.copyfile(source, package / name)
    for name, target in (
        ("scoring", "dayjob.scoring"),
        ("common", "dayjob.grading.common"),
        ("config", "dayjob.grading.config"),
    ):
        (folder / f"{name}.py").write_text(_MODULE_DOOR.format(name=name, target=target), encoding="utf-8")
    (folder / "eval.py").write_text(_ENTRY_DOOR, encoding="utf-8")
    (folder / "bin").mkdir(exist_ok=True)
    for file, name, target, arguments in _PROGRAM_DOORS:
        text = _PROGRAM_DOOR.format(name=name, target=target, arguments=arguments)
        (folder / "bin" / file).write_text(text, encoding="utf-8")
        (folder / "bin" / file).chmod(0o755)
    for name, text in STANDINS.items():
        path = folder / "standins" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
