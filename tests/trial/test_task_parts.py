"""What a task folder brings into a sandbox besides its named parts: modules for its graders, and what it copies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dayjob.sandbox.context import Context, dockerfile_copies, withheld_copies
from dayjob.task.dockerfile import parse_dockerfile
from dayjob.task.model import Task
from dayjob.trial.extra_folders import extra_folders
from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, task

EVALUATOR = """
    import os
    from common import *
    from scoring import Checkpoint, Result
    from wording import WORD

    @grader
    def grade_word():
        return open("/workspace/answer.txt").read() == WORD == open("/utils/words.txt").read()

    @grader
    def grade_solution_is_not_there():
        return "solution.py" not in os.listdir("/utils")

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, int(grade_word())), Checkpoint(1, int(grade_solution_is_not_there()))])
    """
SOLUTION = """
    import os
    assert os.listdir("/workspace") == ["notes.txt"], os.listdir("/workspace")
    assert sorted(os.listdir("/lists")) == ["notes.txt"]
    assert not os.path.exists("/utils/wording.py"), "a module of the grader's is nothing for the examinee"
    open("/workspace/answer.txt", "w").write("shipshape")
    """
PARTS = {
    "wording.py": 'WORD = "shipshape"\n',
    "notes.txt": "a note\n",
    "words.txt": "shipshape",
}
DOCKERFILE = """
FROM dayjob/task-base:1
COPY notes.txt /workspace
COPY words.txt /utils
RUN mkdir -p /lists
COPY notes.txt /lists
"""


def try_parts(tmp_path: Path, sandbox: str) -> None:
    path = task(tmp_path, Dockerfile=DOCKERFILE, evaluator__py=EVALUATOR, solution__py=SOLUTION, **PARTS)
    tried = attempt(tmp_path / "cache", tmp_path, path, sandbox=sandbox)
    assert tried.outcome.label is Label.RESOLVED, tried.outcome.reason


def test_a_grader_has_its_modules_and_a_copy_to_a_folder_goes_into_it(tmp_path: Path) -> None:
    try_parts(tmp_path, "embedded")


@pytest.mark.xdist_group("docker")
@pytest.mark.usefixtures("daemon")
def test_docker_gives_a_grader_the_same(tmp_path: Path) -> None:
    try_parts(tmp_path, "docker")


def test_an_init_script_may_import_the_client_that_scripts_were_written_for(tmp_path: Path) -> None:
    init = """
        import os
        from rocketchat_API.rocketchat import RocketChat
        address = f"http://{os.environ['SERVER_HOSTNAME']}:{os.environ['ROCKETCHAT_PORT']}"
        client = RocketChat(os.environ["ROCKETCHAT_USERNAME"], os.environ["ROCKETCHAT_PASSWORD"], server_url=address)
        made = client.channels_create("harbour").json()["channel"]["_id"]
        mara = client.users_info(username="mara.lind").json()["user"]["_id"]
        assert client.channels_invite(made, mara).json()["success"]
        assert client.channels_add_moderator(made, user_id=mara).json()["success"]
        there = client.channels_moderators(channel="harbour").json()["moderators"]
        assert [one["username"] for one in there] == ["mara.lind"], there
        try:
            client.channels_paint(made)
        except AttributeError as error:
            assert "channels_paint" in str(error)
        """
    path = task(tmp_path, dependencies__yml="- rocketchat\n", populate_data__py=init)
    tried = attempt(tmp_path / "cache", tmp_path, path)
    assert tried.outcome.label is Label.RESOLVED, tried.outcome.reason


@pytest.mark.parametrize(
    ("lines", "places"),
    [
        ("COPY evaluator.py /workspace", ["/workspace/evaluator.py"]),
        ("COPY evaluator.py /answers", ["/answers"]),
        ("RUN mkdir -p /answers && true\nCOPY evaluator.py /answers", ["/answers/evaluator.py"]),
        ("WORKDIR /answers\nCOPY evaluator.py .", ["/answers/evaluator.py"]),
        ("COPY notes.txt /answers/\nCOPY evaluator.py /answers", ["/answers/evaluator.py"]),
    ],
)
def test_what_is_withheld_is_known_where_it_is_copied_to(tmp_path: Path, lines: str, places: list[str]) -> None:
    path = task(tmp_path, **PARTS)
    context, dockerfile = Context(path), parse_dockerfile(f"FROM dayjob/task-base:1\n{lines}\n")
    assert withheld_copies(context, dockerfile) == places
    assert all(os.path.isabs(copy.target) for copy in dockerfile_copies(context, dockerfile))


FURTHER = """
    import os
    from common import *
    from scoring import Checkpoint, Result

    @grader
    def grade_work():
        return open("/ledger/made/total.txt").read() == "7" and os.path.exists("/ledger/by-init.txt")

    @grader
    def grade_reference_is_as_it_was():
        return sorted(os.listdir("/ledger")) == ["by-init.txt", "made", "rates"] and os.listdir("/ledger/rates") == [
            "rates.csv"
        ] and open("/ledger/rates/rates.csv").read() == "a,1\\n"

    def grade_checkpoints(trajectory=""):
        return Result([Checkpoint(1, int(grade_work())), Checkpoint(1, int(grade_reference_is_as_it_was()))])
    """
AT_WORK = """
    import os, shutil
    assert open("/ledger/rates/rates.csv").read() == "a,1\\n"
    os.makedirs("/ledger/made")
    open("/ledger/made/total.txt", "w").write("7")
    shutil.rmtree("/ledger/rates")
    os.symlink("/etc", "/ledger/rates")
    """


def try_further(tmp_path: Path, sandbox: str) -> None:
    path = task(
        tmp_path,
        Dockerfile="FROM dayjob/task-base:1\nRUN mkdir -p /ledger/rates\nCOPY rates.csv /ledger/rates\n",
        evaluator__py=FURTHER,
        solution__py=AT_WORK,
        populate_data__py="open('/ledger/by-init.txt', 'w').write('x')\n",
        **{"rates.csv": "a,1\n"},
    )
    tried = attempt(tmp_path / "cache", tmp_path, path, sandbox=sandbox, gradings=2)
    assert tried.outcome.label is Label.RESOLVED, (tried.outcome.reason, tried.outcome.checkpoints)


def test_a_grader_sees_what_was_left_in_another_folder_of_the_task_and_its_reference_untouched(tmp_path: Path) -> None:
    try_further(tmp_path, "embedded")


@pytest.mark.xdist_group("docker")
@pytest.mark.usefixtures("daemon")
def test_docker_shows_a_grader_the_same_folders(tmp_path: Path) -> None:
    try_further(tmp_path, "docker")


@pytest.mark.parametrize(
    ("grader", "text", "dockerfile", "folders"),
    [
        ('open("/ledger/a.db")', "Write /ledger/a.db.", "", ("/ledger",)),
        ('open("/ledger/a.db")', "Write it.", "RUN mkdir /ledger", ("/ledger",)),
        ('open("/opt/a.db")', "Write /opt/a.db.", "", ("/opt",)),
        ('open("/ledger/a.db")', "Write it.", "", ()),
        ('drive("/Ledger/a.csv")', "Put it at /Ledger/a.csv on the drive.", "", ()),
        ('get("/tac/projects/x")', "Open http://office.test:8091/tac/projects/x.", "", ()),
        ('open("/utils/a"), open("/etc/b"), open("/workspace/c")', "/utils/a /etc/b /workspace/c", "", ()),
    ],
)
def test_a_further_folder_is_one_that_grader_and_task_name(
    tmp_path: Path, grader: str, text: str, dockerfile: str, folders: tuple[str, ...]
) -> None:
    path = task(
        tmp_path,
        evaluator__py=f"{grader}\n",
        task__md=f"{text}\n",
        Dockerfile=f"FROM dayjob/task-base:1\n{dockerfile}\n",
    )
    assert extra_folders(Task.load(path)) == folders
