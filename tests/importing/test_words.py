"""How sentences of task texts are read: documents and their folders, people, issues, board projects, what is made."""

from __future__ import annotations

import ast

import pytest

from dayjob.importing.checkout import PublishedTask
from dayjob.importing.documents import firm_folders, read_documents
from dayjob.importing.making import Making, sentences
from dayjob.importing.programs import read_program
from dayjob.importing.words import (
    Title,
    boards_in,
    cycles_in,
    emptied_by,
    labels_taken_off,
    milestones_in,
    people_in,
    titles_in,
)

HOST = "http://the-agent-company.com"
FILES = f"{HOST}:8092/index.php/apps/files/"
FORGE, BOARD = frozenset({"forge"}), frozenset({"board"})


def task(text: str, services: tuple[str, ...] = (), files: tuple[str, ...] = ()) -> PublishedTask:
    return PublishedTask("one", text, (), "", (), "", "", frozenset(services), frozenset(files))


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("See Documents/Sail Loft/Old Ropes on ownCloud.", ["Documents/Sail Loft/Old Ropes"]),
        ("See Documents/Sail Loft on ownCloud.", ["Documents/Sail Loft"]),
        ('See "Documents/sails and ropes" on ownCloud.', ["Documents/sails and ropes"]),
        ("See `/Documents/Sail Loft/`, please.", ["Documents/Sail Loft"]),
        ("See “Documents/Sail Loft”.", ["Documents/Sail Loft"]),
        ("See **Documents/Sail Loft**.", ["Documents/Sail Loft"]),
        (f"See [the loft]({FILES}?dir=/Documents/Sail%20Loft&fileid=9).", ["Documents/Sail Loft"]),
        (f"See [the loft](<{FILES}?dir=/Documents/Sail Loft>).", ["Documents/Sail Loft"]),
        (f"See [Documents/Sail Loft]({FILES}?dir=%2FDocuments%2FSail+Loft).", ["Documents/Sail Loft"]),
        (f"See {FILES}?dir=/Documents/Sail Loft/Old, then go.", ["Documents/Sail Loft/Old"]),
        (f"See {HOST}:8092/remote.php/webdav/Documents/Sail%20Loft/a.pdf.", ["Documents/Sail Loft"]),
        (f"See {HOST}:8092/Documents/Sail%20Loft.", ["Documents/Sail Loft"]),
        (f'See the "Sail Loft" folder at {HOST}:8092?dir=/Documents.', ["Documents", "Documents/Sail Loft"]),
        ("On ownCloud, look into the directory 'Sail Loft'.", ["Documents/Sail Loft"]),
        ("On ownCloud, look into the Lofts/Sail Loft folder.", ["Documents/Lofts/Sail Loft"]),
        ("On ownCloud, go to Documents - Sail Loft - ropes, please.", ["Documents/Sail Loft/ropes"]),
        ("On ownCloud, go to Documents > Sail Loft.", ["Documents/Sail Loft"]),
        ("Go to Documents/Sail\nLoft of ownCloud.", ["Documents/Sail Loft"]),
        ('Put it into the "out" folder of /workspace, not on ownCloud.', []),
        ("See ../Documents/x and Documents/../y on ownCloud.", []),
    ],
)
def test_a_folder_s_name_is_whole(text: str, folders: list[str]) -> None:
    found = read_documents(task(text), firm_folders(task(text)))
    assert sorted({path for path, _ in found.folders}) == folders


def test_a_folder_that_another_task_writes_whole_is_known_in_plain_text() -> None:
    known = firm_folders(task('See "Documents/Sails and Ropes/of old".'))
    assert known == {"Documents/Sails and Ropes", "Documents/Sails and Ropes/of old"}
    found = read_documents(task("See Documents/Sails and Ropes/of old/a.pdf and Documents/Sails and Bo."), known)
    assert found.documents == [("Documents/Sails and Ropes/of old/a.pdf", False)]
    assert ("Documents/Sails", False) in found.folders


@pytest.mark.parametrize(
    ("text", "documents", "loose"),
    [
        ("Read Documents/Sail Loft/i-9.pdf on ownCloud.", [("Documents/Sail Loft/i-9.pdf", False)], []),
        ("Read knots_survey.pdf on ownCloud.", [], [("knots_survey.pdf", False)]),
        ("Read knots.xlsx. It is on ownCloud.", [], [("knots.xlsx", False)]),
        ('Read "Top Ten Knots.xlsx". It is on ownCloud.', [], [("Top Ten Knots.xlsx", False)]),
        ("Read [Top Ten Knots.xlsx], on ownCloud.", [], [("Top Ten Knots.xlsx", False)]),
        ("Read wages.txt. It is on ownCloud.", [], [("wages.txt", False)]),
        ("Read knots.xlsx in Documents/Loft of ownCloud.", [("Documents/Loft/knots.xlsx", False)], []),
        ("Look into Documents/Loft. Read knots.xlsx there.", [("Documents/Loft/knots.xlsx", False)], []),
        ("Read a.xlsx in Documents/A or Documents/B.", [], [("a.xlsx", False)]),
        (
            "Use a.csv in 'Documents/Loft', and save the sum as b.csv.",
            [("Documents/Loft/a.csv", False), ("Documents/Loft/b.csv", True)],
            [],
        ),
        ("Using a.csv of ownCloud, create b.csv.", [], [("a.csv", False), ("b.csv", True)]),
        ("On ownCloud, b.docx must be uploaded from a.csv.", [], [("b.docx", True), ("a.csv", False)]),
        ("Read a.csv on ownCloud. Save it locally as b.csv, and /workspace/c.csv.", [], [("a.csv", False)]),
        ("Read given.csv, then ask on ownCloud.", [], []),
        ("Read given.csv in Documents/Loft of ownCloud.", [("Documents/Loft/given.csv", False)], []),
        (f"Clone {HOST}:8929/root/kite, and change data.csv and README.md.", [], []),
        ("Read README.md and requirements.txt on ownCloud.", [], []),
        ("Read the notes.md of the project. The rest is on ownCloud.", [], []),
        ("Read the plan.docx that Bo sent.", [], [("plan.docx", False)]),
    ],
)
def test_a_document_is_found_by_its_extension(
    text: str, documents: list[tuple[str, bool]], loose: list[tuple[str, bool]]
) -> None:
    found = read_documents(task(text, files=("given.csv",)), set())
    assert (found.documents, found.loose) == (documents, loose)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Ask Orla Quint about it.", ["Orla Quint"]),
        ("Message the line keeper Bo Ferris, and inform Zoë van Dyck.", ["Bo Ferris", "Zoë van Dyck"]),
        ("Send the sum to **Nell Brook** on Rocket.Chat.", ["Nell Brook"]),
        ("Invite Orla Quint, Bo Ferris and Nell Brook to it.", ["Orla Quint", "Bo Ferris", "Nell Brook"]),
        ("Reach out to\nOrla Quint's team.", ["Orla Quint"]),
        ("Ask the Human Resources Team, or tell Rocket Chat.", []),
        ("Orla Quint wrote a book.", []),
    ],
)
def test_people_are_those_whom_a_task_has_written_to(text: str, people: list[str]) -> None:
    assert people_in(text) == people


@pytest.mark.parametrize(
    ("text", "services", "titles"),
    [
        ('Close the issue "Mast creaks".', FORGE, [Title("forge", "Mast creaks", False)]),
        ("Close the “Mast creaks” issue.", FORGE, [Title("forge", "Mast creaks", False)]),
        (
            "Close these issues:\n- 'Mast creaks'\n- `Jib torn, again`\n\nTell 'Bo Ferris'.",
            FORGE,
            [Title("forge", "Mast creaks", False), Title("forge", "Jib torn, again", False)],
        ),
        (
            'Move the tasks "Mast creaks" and "Jib torn" to "Done".',
            BOARD,
            [Title("board", "Mast creaks", False), Title("board", "Jib torn", False)],
        ),
        ('Create an issue titled "Mast creaks".', BOARD, [Title("board", "Mast creaks", True)]),
        (
            'Create the following issues:\n- "Mast creaks"\n',
            FORGE,
            [Title("forge", "Mast creaks", True)],
        ),
        ('In Plane, close the issue "Mast creaks".', FORGE | BOARD, [Title("board", "Mast creaks", False)]),
        ('Close the issue "Mast creaks".', FORGE | BOARD, []),
        ('Close every issue with "mast" in its title, and set the issue to "Done".', FORGE, []),
    ],
)
def test_issues_are_found_by_title(text: str, services: frozenset[str], titles: list[Title]) -> None:
    assert titles_in(text, services) == titles


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Remove the “bug” label from all issues.", ["bug"]),
        ('Delete label "to do" everywhere.', ["to do"]),
        ('Give it the label "bug".', []),
        ('Remove "bug" from its title.', []),
    ],
)
def test_a_label_that_is_taken_off_was_there(text: str, labels: list[str]) -> None:
    assert labels_taken_off(text) == labels


@pytest.mark.parametrize(
    ("text", "also_forge", "boards"),
    [
        ("In Plane, open the Tall Ships project.", True, [("Tall Ships", False)]),
        ("Open the project named 'Tall Ships' on Plane.", True, [("Tall Ships", False)]),
        ('Open the "Tall Ships" project.', False, [("Tall Ships", False)]),
        ('Open the "Tall Ships" project.', True, []),
        ('Create a new project "Tall Ships" on Plane.', False, [("Tall Ships", True)]),
        ("Open the Plane project.", False, []),
    ],
)
def test_projects_of_the_board_are_found_by_name(text: str, also_forge: bool, boards: list[tuple[str, bool]]) -> None:
    assert boards_in(text, also_forge) == boards


@pytest.mark.parametrize(
    ("text", "name", "services", "emptied"),
    [
        ("Close all open pull requests.", "one", FORGE, ["merge requests"]),
        ("Be quick.", "close-all-prs", FORGE, ["merge requests"]),
        ("Delete every stale branch of it.", "one", FORGE, ["branches"]),
        ("Close all the issues there are.", "one", FORGE, ["issues"]),
        ("Close all the issues there are.", "one", BOARD, ["items"]),
        ("Remove the label of the mast from all issues.", "one", FORGE, []),
        ("Close the issue.", "close-issue", FORGE, []),
    ],
)
def test_a_task_that_wants_none_left_is_told(
    text: str, name: str, services: frozenset[str], emptied: list[str]
) -> None:
    assert emptied_by(text, name, services) == emptied


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ('Close the milestone named "tide-1.9".', {"tide-1.9": False}),
        ("Move it to the 'Spring tide' milestone.", {"Spring tide": False}),
        ("Add a new 'Spring tide' milestone.", {"Spring tide": True}),
        ('Change their milestone to "tide-2".', {"tide-2": False}),
        ('Close the milestone "a" and create a milestone "b". Set the milestone to "b".', {"a": False, "b": True}),
        ('Close the issue "Spring tide".', {}),
    ],
)
def test_milestones_are_found_by_title_and_made_ones_are_told(text: str, titles: dict[str, bool]) -> None:
    assert milestones_in(text) == titles


def test_cycles_are_found_by_number() -> None:
    assert cycles_in("Move it from sprint 3 to Sprint 4; a cycle is two weeks, and cycle 3 was short.") == [
        "Sprint 3",
        "Sprint 4",
        "Cycle 3",
    ]


@pytest.mark.parametrize(
    ("program", "accounts"),
    [
        ("get_rocketchat_personal_chat_history(rocket, 'Tove Lind')", {"Tove Lind"}),
        ("evaluate_chat_history_with_llm(rocket, username='tove_lind', predicate='so')", {"tove_lind"}),
        ("WHO = ['tove_lind', 'bo']\nnum_rocketchat_users_contacted(rocket, WHO)", {"tove_lind", "bo"}),
        ("def one(username):\n    rocket.users_info(username=username)\nif 1:\n    username = 'bo'\n", {"bo"}),
        ("rocket.users_list(username='bo')", set()),
    ],
)
def test_whom_a_program_asks_the_chat_for_is_seen(program: str, accounts: set[str]) -> None:
    assert read_program(ast.parse(program), {}).accounts == accounts


@pytest.mark.parametrize(
    ("program", "milestones", "made"),
    [
        ("make_gitlab_request('root/vane', 'milestones', params={'search': 'Spring'})", {"Spring"}, set()),
        ("make_gitlab_request('root/vane', 'milestones', method='POST', params={'title': 'Fall'})", {"Fall"}, {"Fall"}),
        ("make_gitlab_request('root/vane', 'issues', params={'search': 'Spring'})", set(), set()),
    ],
)
def test_a_grader_s_milestones_are_told_from_those_that_an_init_script_makes(
    program: str, milestones: set[str], made: set[str]
) -> None:
    found = read_program(ast.parse(program), {})
    assert (found.milestones, found.made_milestones) == (milestones, made)


@pytest.mark.parametrize(
    ("text", "kind", "name", "made"),
    [
        ("Create a new wiki page there called Sea_rules.", "page", "Sea_rules", True),
        ("Write a wiki page called 'Sea rules'.", "page", "Sea-rules", True),
        ("Read the wiki page Sea_rules.", "page", "Sea_rules", False),
        ("Set up a 'regatta crew' channel.", "channel", "regatta-crew", True),
        ("Please create a\nnew repository called vane.", "project", "vane", True),
        ("Add a new folder called Ropes.", "folder", "Ropes", True),
        ("Add Bo to the channel regatta.", "channel", "regatta", False),
    ],
)
def test_what_the_examinee_makes_is_told_from_what_is_there(text: str, kind: str, name: str, made: bool) -> None:
    assert Making(text).names(kind, name) == made


def test_lines_of_a_paragraph_are_one_sentence_and_items_of_a_list_are_not() -> None:
    text = "# Rules\nGo to the\nharbour. Then\nsail:\n- out\n- back\n\nand rest"
    assert list(sentences(text)) == ["# Rules", "Go to the harbour.", "Then sail:", "- out", "- back", "and rest"]


@pytest.mark.parametrize(
    ("program", "issues"),
    [
        ("MAST_ISSUE_IID = 200\nmake_gitlab_request()", {200}),
        ("ISSUES = [3, 4]\nmake_gitlab_request()", {3, 4}),
        ("NUM_ISSUES = 5\nissue_count = 6\nmake_gitlab_request()", set()),
        ("make_gitlab_request('root/vane', 'issues/31/notes')", {31}),
        ("NUMBER = 31\nmake_gitlab_request('root/vane', f'issues/{NUMBER}')", {31}),
        ("def check(project, issue):\n    make_gitlab_request(project, f'issues/{issue}')\ncheck(1, 31)", {31}),
        ("def check(issue_iid):\n    make_gitlab_request()\ncheck(issue_iid=31)", {31}),
        ("MAST_ISSUE = 200\nget_plane_project_id('Vane')", set()),
    ],
)
def test_a_grader_s_issues_are_found_by_number(program: str, issues: set[int]) -> None:
    assert read_program(ast.parse(program), {}).issues == issues


@pytest.mark.parametrize(
    ("program", "running", "clock"),
    [
        ("requests.get(f'{url}/cycles/')", True, False),
        ("get_plane_issues_by_project_cycle(a, b)", True, False),
        ("now = datetime.now(timezone.utc)", False, True),
        ("print('done')", False, False),
    ],
)
def test_a_grader_s_wish_for_the_running_cycle_and_the_machine_s_clock_is_seen(
    program: str, running: bool, clock: bool
) -> None:
    found = read_program(ast.parse(program), {})
    assert (found.running_cycles, found.asks_clock) == (running, clock)


@pytest.mark.parametrize("unit", ['"a" ', "send a ", "**a", "Bo Ferris, ", "Documents - A "])
def test_a_text_that_is_no_prose_is_read_to_its_end(unit: str) -> None:
    text = unit * (10_000 // len(unit))
    assert titles_in(text, FORGE) == []
    assert emptied_by(text, "one", FORGE) == []
    assert set(people_in(text)) <= {"Bo Ferris"}
    assert not read_documents(task(text), set()).loose
