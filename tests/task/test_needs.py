"""What graders and init scripts need and `check` can tell: what supplies their imports, which Python, the internet."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
from pathlib import Path

import pytest

from dayjob.sandbox.grader import PACKAGES
from dayjob.task.base_packages import PYTHON_VERSION, WHEELS
from dayjob.task.base_python import ADDED, BASE_MODULES, REMOVED, in_standard_library
from dayjob.task.dockerfile import parse_dockerfile
from dayjob.task.evaluator import Evaluator
from dayjob.task.findings import TaskError
from dayjob.task.installed import MODULES, installed_modules
from dayjob.task.lint import check
from dayjob.task.model import Task
from dayjob.task.networking import outside_calls
from dayjob.task.reading import newer_python, parse_python
from dayjob.task.rules import Rule
from tests.task.folders import add, good_task, put, rules_of, swap

# -- what supplies them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "some", "not_these"),
    [
        ("pip install pandas==2.2.3", {"pandas", "numpy", "dateutil"}, {"openpyxl"}),
        ("pip3 install --no-cache-dir python-pptx python_docx Pillow", {"pptx", "docx", "PIL", "lxml"}, {"pandas"}),
        ("python3 -m pip install 'pandas>=2,<3'", {"pandas"}, set()),
        ("/usr/bin/python3 -m pip install requests[socks]", {"requests"}, set()),
        ("apt-get update && apt-get install -y python3-pandas python3-pil sqlite3", {"pandas", "PIL"}, {"sqlite3"}),
        ("apt-get install -y --no-install-recommends cmake && pip install numpy", {"numpy"}, {"cmake"}),
        ("pip install -i https://example.org/simple numpy", {"numpy"}, set()),
        ("pip install -r /utils/requirements.txt", {"yaml", "sklearn"}, {"pandas"}),
        ("pip install --requirement=requirements.txt", {"yaml"}, set()),
        ("pip install -rrequirements.txt", {"yaml"}, set()),
        ("echo pip", set(), {"numpy"}),
    ],
)
def test_what_a_dockerfile_installs_is_told_by_its_modules(
    tmp_path: Path, run: str, some: set[str], not_these: set[str]
) -> None:
    put("requirements.txt", "# what it needs\npyyaml==6.0  # yaml\n\nscikit_learn\n")(tmp_path)
    found = installed_modules(parse_dockerfile(f"FROM dayjob/task-base:1\nRUN {run}\n"), tmp_path)
    assert found is not None
    assert found >= some
    assert not found & not_these


@pytest.mark.parametrize(
    "run",
    [
        "pip install some-package-nobody-listed",
        "pip install .",
        "pip install -e /workspace/app",
        "pip install --editable numpy",
        "pip install -e numpy",
        "pip install numpy-2.0.whl",
        "pip install numpy.tar.gz",
        "pip install numpy.zip",
        "pip install --user numpy",
        "pip install --prefix=/opt numpy",
        "pip install $PACKAGES",
        "pip install ./wheels/numpy.whl",
        "pip install git+https://example.org/x",
        "pip install -r not-there.txt",
        "pip install -r links.txt",
        "pip install --target /opt/x numpy",
        "poetry install",
        "uv sync",
        "conda install numpy",
        "apt-get install -y python3-nobody-listed",
    ],
)
def test_what_cannot_be_told_is_not_known(tmp_path: Path, run: str) -> None:
    put("links.txt", "x @ https://example.org/x.zip\n")(tmp_path)
    assert installed_modules(parse_dockerfile(f"FROM dayjob/task-base:1\nRUN {run}\n"), tmp_path) is None


def test_packages_of_the_base_and_of_this_environment_bring_the_modules_that_they_are_said_to() -> None:
    def plain(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name.partition("==")[0]).lower()

    assert {plain(name) for name in WHEELS} <= set(MODULES)
    here: dict[str, set[str]] = {}
    for module, packages in importlib.metadata.packages_distributions().items():
        for name in packages:
            here.setdefault(plain(name), set()).add(module)
    known = {name: MODULES[name] for name in here if name in MODULES}
    assert len(known) > 10
    assert {name: modules for name, modules in known.items() if not modules & here[name]} == {}


def test_the_grading_set_and_the_base_supply_these() -> None:
    assert {name.replace("-", "_") for name in PACKAGES} <= BASE_MODULES
    assert {"pypdf", "openpyxl", "docx", "pptx", "lxml", "PIL", "xlsxwriter", "packaging"} <= BASE_MODULES


@pytest.mark.parametrize(
    ("module", "version", "there"),
    [
        ("json", (3, 13), True),
        ("no_such_module", (3, 13), False),
        ("tomllib", (3, 10), False),
        ("tomllib", (3, 11), True),
        ("telnetlib", (3, 12), True),
        ("telnetlib", (3, 13), False),
        ("imp", (3, 11), True),
        ("imp", (3, 12), False),
        ("compression", (3, 13), False),
        ("compression", (3, 14), True),
    ],
)
def test_the_standard_library_is_that_of_the_version_asked_for(
    module: str, version: tuple[int, int], there: bool
) -> None:
    assert in_standard_library(module, version) is there


def test_what_this_pythons_library_has_agrees_with_the_tables() -> None:
    here = sys.version_info[:2]
    for module in {*ADDED, *REMOVED}:
        assert (module in sys.stdlib_module_names) is in_standard_library(module, here), module


IMPORT = "import re\nimport {}\n"


@pytest.mark.parametrize(
    ("module", "files", "found"),
    [
        ("no_such_module", {}, True),
        ("pandas", {}, True),
        ("pandas", {"Dockerfile": "FROM dayjob/task-base:1\nRUN pip install pandas==2.2.3\n"}, False),
        ("numpy", {"Dockerfile": "FROM dayjob/task-base:1\nRUN pip install pandas==2.2.3\n"}, False),
        ("numpy", {"Dockerfile": "FROM dayjob/task-base:1\nRUN pip install openpyxl==3.1.5\n"}, True),
        ("numpy", {"Dockerfile": "FROM dayjob/task-base:1\nRUN pip install nobody-listed==1\n"}, False),
        ("wording", {"wording.py": "WORD = 1\n"}, False),
        ("wording", {"wording/__init__.py": "WORD = 1\n"}, False),
        ("openpyxl", {}, False),
        ("packaging", {}, False),
        ("litellm", {}, False),
        ("rocketchat_API.rocketchat", {}, False),
        ("sotopia.database", {}, False),
        ("distutils.core", {}, True),
        ("imp", {}, True),
        ("imp", {"imp.py": ""}, False),
        ("wording", {"references/more/wording.py": ""}, False),
        ("sqlite3", {}, False),
    ],
)
def test_an_import_is_found_out_when_nothing_supplies_it(
    tmp_path: Path, module: str, files: dict[str, str], found: bool
) -> None:
    folder = good_task(tmp_path)
    for name, text in files.items():
        put(name, text)(folder)
    swap("evaluator.py", "import re\n", IMPORT.format(module))(folder)
    assert rules_of(folder) == ({"DJ317"} if found else set())


def test_a_published_task_with_such_an_import_cannot_be_graded(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    put("Dockerfile", "FROM ghcr.io/theagentcompany/task-base-image:1.0.0\n")(folder)
    (folder / "task.toml").unlink()
    swap("evaluator.py", "import re\n", IMPORT.format("no_such_module"))(folder)
    (found,) = [one for one in check(folder) if one.rule is Rule.NOT_SUPPLIED]
    assert (found.file, found.line, found.severity.value) == ("evaluator.py", 4, "error")
    assert found.message == "nothing supplies the module 'no_such_module'"


# -- which Python -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("words = f'{x['a']}'", (3, 12)),
        ("type Word = str", (3, 12)),
        ("type Words[T] = list[T]", (3, 12)),
        ("def first[T](words: list[T]) -> T: ...", (3, 12)),
        ("    async def first[T: (int, str)](words): ...", (3, 12)),
        ("class Box[T]: ...", (3, 12)),
        ("class Box[T = int]: ...", (3, 13)),
        ("word = t'{x}'", (3, 14)),
        ('tell(rt"{x}")', (3, 14)),
        ("except ValueError, KeyError:", (3, 14)),
        ("def broken(:", None),
        ("type = = 3", None),
        ("print 'hello'", None),
        ("lazy import json", None),
        ("word = ", None),
        ("class Box[]:", None),
    ],
)
def test_a_line_that_only_a_newer_python_reads_is_known(line: str, version: tuple[int, int] | None) -> None:
    failed = TaskError(Rule.EVALUATOR_SYNTAX, "evaluator.py", 2, "f-string: x" if "f'" in line else "invalid", "")
    newer = version is not None and version > sys.version_info[:2]
    assert newer_python(f"x = 1\n{line}\n", failed) == (version if newer else None)


def test_an_evaluator_for_a_newer_python_is_loaded_and_one_for_none_is_not(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    add("evaluator.py", "\nWORD = t'{ANSWER}'\n")(folder)
    assert Task.load(folder).name == "good-task"
    assert "DJ319" in rules_of(folder)
    add("evaluator.py", "\ndef (:\n")(folder)
    swap("evaluator.py", "WORD = t'{ANSWER}'\n", "")(folder)
    with pytest.raises(TaskError, match="it is not valid Python"):
        Task.load(folder)


@pytest.mark.parametrize(
    ("stated", "line", "message"),
    [
        (None, "match ANSWER:\n    case 3: pass", None),
        ("3.13", "match ANSWER:\n    case 3: pass", None),
        ("3.9", "match ANSWER:\n    case 3: pass", "this needs Python 3.10, and task.toml says 3.9"),
        ("3.10", "match ANSWER:\n    case 3: pass", None),
        ("3.10", "try: pass\nexcept* ValueError: pass", "this needs Python 3.11, and task.toml says 3.10"),
        ("3.11", "type Word = str", "this needs Python 3.12, and task.toml says 3.11"),
        ("3.12", "type Word = str", None),
        (None, "type Word = str", None),
        (None, "word = t'{ANSWER}'", "this needs Python 3.14, and the base image has 3.13"),
        (None, "import annotationlib", "this needs Python 3.14, and the base image has 3.13"),
        ("3.10", "import tomllib", "this needs Python 3.11, and task.toml says 3.10"),
        ("3.14", "", "graders need Python 3.14, and the base image has 3.13"),
        ("3.13", "", None),
    ],
)
def test_graders_may_need_no_newer_python_than_there_is(
    tmp_path: Path, stated: str | None, line: str, message: str | None
) -> None:
    assert PYTHON_VERSION == (3, 13)
    folder = good_task(tmp_path)
    if stated:
        add("task.toml", f'\n[grading]\npython = "{stated}"\n')(folder)
    add("evaluator.py", f"\n{line}\n")(folder)
    found = [one for one in check(folder) if one.rule is Rule.PYTHON_TOO_NEW]
    assert [one.message for one in found] == ([message] if message else [])


def test_a_file_can_be_read_as_an_older_python_would() -> None:
    text = "match x:\n    case 3: pass\n"
    assert parse_python(text, "evaluator.py", Rule.EVALUATOR_SYNTAX, (3, 10))
    with pytest.raises(TaskError, match="only supported in Python 3"):
        parse_python(text, "evaluator.py", Rule.EVALUATOR_SYNTAX, (3, 9))


# -- the internet -----------------------------------------------------------------------------------------------------


def outside(line: str) -> list[str]:
    head = 'import subprocess, requests\nHOME = "https://api.github.com"\nCOMMAND = ["poetry", "install"]\n'
    return [place.name for place in outside_calls(Evaluator(ast.parse(head + line)))]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("subprocess.run(['pip', 'install', 'flask'])", "'pip install'"),
        ("subprocess.run('cd /workspace && pip3 install -r requirements.txt', shell=True)", "'pip3 install'"),
        ("subprocess.run([sys.executable, '-m', 'pip', 'install', '.'])", "'python3 -m pip install'"),
        ("run_as_examinee(['poetry', 'install'], cwd='/workspace')", "'poetry install'"),
        ("subprocess.check_call(COMMAND)", "'poetry install'"),
        ("bench.run(['uv', 'sync'])", "'uv sync'"),
        ("os.system('apt-get install -y sqlite3')", "'apt-get install'"),
        ("subprocess.run(args=['npm', 'ci'])", "'npm ci'"),
        ("subprocess.run(['git', 'clone', 'https://github.com/a/b'])", "'git clone' of github.com"),
        ("subprocess.run(['git', 'clone', 'git@github.com:a/b'])", "'git clone' of github.com"),
        ("subprocess.run(f'curl -s {HOME}/zen', shell=True)", "'curl' of api.github.com"),
        ("requests.get('https://api.github.com/zen')", "asking api.github.com"),
        ("requests.get(HOME + '/zen')", "asking api.github.com"),
        ("requests.get(url=f'{HOME}/zen')", "asking api.github.com"),
        ("requests.request('GET', HOME)", "asking api.github.com"),
        ("urllib.request.urlopen('https://www.python.org')", "asking www.python.org"),
    ],
)
def test_a_grader_that_needs_the_internet_is_known(line: str, name: str) -> None:
    assert outside(line) == [name]


@pytest.mark.parametrize(
    "line",
    [
        "subprocess.run(['pip', 'install', '--no-index', '.'])",
        "subprocess.run(['poetry', 'install', '--offline'])",
        "subprocess.run(['pip', 'list'])",
        "subprocess.run(['pip', '--version'])",
        "subprocess.run(['npm', 'test'])",
        "subprocess.run(['uv', 'run', 'app.py'])",
        "subprocess.run(['git', 'clone', 'http://the-agent-company.com:8929/root/a'])",
        "subprocess.run(['git', 'clone', f'{GITLAB_BASEURL}/root/a'])",
        "subprocess.run(['git', 'clone', 'http://office.test:8929/a'])",
        "subprocess.run(['git', 'clone', '/workspace/a', '/tmp/b'])",
        "subprocess.run('curl localhost:8000', shell=True)",
        "requests.get('http://127.0.0.1:8000/health')",
        "requests.get('http://localhost:8000/health')",
        "requests.get(f'http://{SERVER_HOSTNAME}:8092/status.php')",
        "requests.get(bench.url(8000) + '/health')",
        "requests.get(link)",
        "tell('pip install flask')",
        "answers.get('https://api.github.com')",
        "x = 'https://api.github.com' in read()",
    ],
)
def test_what_stays_in_the_company_needs_no_internet(line: str) -> None:
    assert outside(line) == []
