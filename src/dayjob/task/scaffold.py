"""`dayjob new`: a task folder that already passes `check` and `test`, to be changed into the task one has in mind.

The text is put together from the services and colleagues asked for; nothing in it is a placeholder that would not run.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dayjob.service_names import SERVICES, WIRES
from dayjob.task.colleagues import examinee_of, host_of, names_in
from dayjob.task.lint.files import NAME, NAME_LIMIT


class ScaffoldError(Exception):
    """A sentence about what was asked for that cannot be made."""


@dataclass(frozen=True)
class Wish:
    """What a new task shall have. Services by their own names; colleagues by their full names."""

    name: str
    services: tuple[str, ...] = ()
    colleagues: tuple[str, ...] = ()
    world: str = "larkspur"
    host: str = "larkspur.test"
    examinee: tuple[str, str] = ("sam.reed", "sam-reed-first-day")
    family: bool = False
    """A small family instead, which needs neither services nor colleagues."""


def wish(name: str, services: tuple[str, ...], colleagues: tuple[str, ...], world: Path) -> Wish:
    """Check what was asked for. Colleagues live in the chat, so they bring it along."""
    if not NAME.fullmatch(name) or len(name) > NAME_LIMIT:
        raise ScaffoldError(
            f"'{name}' cannot be the name of a task: use lower-case letters, digits and hyphens, at most {NAME_LIMIT}"
        )
    wanted = []
    for service in services:
        if service not in SERVICES:
            raise ScaffoldError(f"there is no service '{service}': choose from {', '.join(WIRES.values())}")
        wanted.append(SERVICES[service])
    people = names_in(world)
    for colleague in colleagues:
        if colleague not in people:
            known = ", ".join(sorted(people)) or "nobody"
            raise ScaffoldError(f"nobody called '{colleague}' works in {world.name}; there are: {known}")
    if colleagues:
        wanted.append("chat")
    ordered = tuple(service for service in WIRES if service in wanted)
    examinee = examinee_of(world)
    if examinee is None and {"chat", "drive"} & set(ordered):
        raise ScaffoldError(f"nobody in {world.name} is the examinee: write 'examinee: true' in one of its people/")
    return Wish(name, ordered, tuple(dict.fromkeys(colleagues)), world.name, host_of(world), examinee or ("", ""))


def write(asked: Wish, parent: Path) -> Path:
    """Make the folder whole or not at all; one that exists, even empty, is left alone."""
    target = parent / asked.name
    if target.exists() or target.is_symlink():
        raise ScaffoldError(f"{target} exists already and is left as it is: choose another name, or move it away")
    if not parent.is_dir():
        raise ScaffoldError(f"there is no folder {parent}: make it first, or choose another with --in")
    with tempfile.TemporaryDirectory(dir=parent, prefix=".new-") as temporary:
        folder = Path(temporary) / asked.name
        for name, text in compose(asked).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        os.rename(folder, target)
    return target


def compose(asked: Wish) -> dict[str, str]:
    """Every file of the folder by its name."""
    if asked.family:
        from dayjob.task import scaffold_family  # late: it stands on this module

        return scaffold_family.compose(asked)
    files = {
        "task.md": _task(asked),
        "checkpoints.md": _checkpoints(asked),
        "evaluator.py": _evaluator(asked),
        "Dockerfile": "FROM dayjob/task-base:1\n",
        "dependencies.yml": "".join(f"- {WIRES[service]}\n" for service in asked.services),
        "task.toml": settings_text(asked),
        "solution.py": _solution(asked, "forty-two"),
        "mutants/guesses.py": _solution(asked, "forty-three"),
        "mutants/in-digits.py": _solution(asked, "42"),
        "mutants/expected.toml": (
            'format = 1\n\n[guesses]\nresult = 0\nwhy = "does all that was asked for, with a number it made up"\n'
            '\n[in-digits]\nresult = 1\nwhy = "the number is right, and was asked for in words"\n'
        ),
        "references/answer.txt": "forty-two watering cans\n",
        "paraphrases.yml": _paraphrases(asked),
    }
    if asked.colleagues:
        files["colleagues.yml"] = _colleagues(asked)
    return files


@dataclass(frozen=True)
class _Look:
    """How a service takes part in the scaffold: what task.md says, what proves it, how the oracle does it."""

    sentence: str
    proof: str
    check: str
    act: str


_LOOKS = {
    "chat": _Look(
        "Tell #general on RocketChat (http://{host}:3000) what you found.",
        "#general was told the answer on RocketChat.",
        """    # The journal says the examinee was there: what somebody else posted earns nothing.
    if not (accessed("rocketchat", "/api/v1/") or accessed("rocketchat", "/-/post", method="POST")):
        return Points(0, "the examinee was not in the chat")
    told = check_rocketchat_message_posted(create_rocketchat_client(), "general", [reference()])
    return Points(told, "#general was told the answer" if told else "no message in #general has the answer")""",
        """    chat = f"http://{HOST}:3000/api/v1"
    login = requests.post(f"{chat}/login", json={"user": USERNAME, "password": PASSWORD}, timeout=30).json()["data"]
    headers = {"X-Auth-Token": login["authToken"], "X-User-Id": login["userId"]}
    message = {"channel": "#general", "text": f"We have {ANSWER}."}
    requests.post(f"{chat}/chat.postMessage", json=message, headers=headers, timeout=30).raise_for_status()""",
    ),
    "forge": _Look(
        "The projects on GitLab (http://{host}:8929) have the background.",
        "The projects were looked at on GitLab, and the answer is right.",
        """    if not (accessed("gitlab", "/api/v4/projects") or accessed("gitlab", "/explore")):
        return Points(0, "the projects on GitLab were not looked at")
    return Points(is_right(), f"the projects were looked at; the answer is {'right' if is_right() else 'wrong'}")""",
        '    requests.get(f"http://{HOST}:8929/api/v4/projects", timeout=30).raise_for_status()',
    ),
    "board": _Look(
        "The board on Plane (http://{host}:8091) lists who is waiting for it.",
        "The projects were looked at on Plane, and the answer is right.",
        """    if not accessed("plane", "/"):
        return Points(0, "the projects on Plane were not looked at")
    return Points(is_right(), f"the projects were looked at; the answer is {'right' if is_right() else 'wrong'}")""",
        '    requests.get(f"http://{HOST}:8091/", timeout=30)',
    ),
    "drive": _Look(
        "Put the answer on ownCloud (http://{host}:8092) as /Operations/answer.txt.",
        "/Operations/answer.txt on ownCloud has the answer.",
        """    if not accessed("owncloud", "/remote.php", method="PUT"):
        return Points(0, "nothing was put on the drive")
    content = (get_binary_file_content_owncloud("answer.txt", "Operations") or b"").decode("utf-8", "replace")
    return Points(reference() in content, f"/Operations/answer.txt says: {content or 'nothing'}")""",
        """    drive = f"http://{HOST}:8092/remote.php/webdav"
    content = f"We have {ANSWER}.\\n".encode()
    account = (USERNAME, PASSWORD)
    requests.put(f"{drive}/Operations/answer.txt", data=content, auth=account, timeout=30).raise_for_status()""",
    ),
}


_HELPERS = (
    "accessed",
    "check_rocketchat_message_posted",
    "create_rocketchat_client",
    "get_binary_file_content_owncloud",
)


def _task(asked: Wish) -> str:
    sentences = [_LOOKS[service].sentence.format(host=asked.host) for service in asked.services]
    if asked.colleagues:
        sentences.append(f"{_listed(asked.colleagues)} may know more; ask on RocketChat.")
    sentences.append("Write the answer to /workspace/answer.txt, in one line.")
    if {"chat", "drive"} & set(asked.services):
        username, password = asked.examinee
        sentences.append(f"\nYour user name is `{username}` and your password is `{password}`.")
    return "How many watering cans do we have in stock, in words?\n\n" + "\n".join(sentences) + "\n"


def _checkpoints(asked: Wish) -> str:
    total = 2 + len(asked.services)
    parts = [f"# Checkpoints\n\nThis task has {total} points in total.\n"]
    for number, service in enumerate(asked.services, start=1):
        parts.append(f"## Checkpoint {number} (1 pt)\n\n{_LOOKS[service].proof}\n")
    parts.append(
        f"## Checkpoint {len(asked.services) + 1} (2 pts)\n\n"
        "/workspace/answer.txt gives the right number, in words. One point is given for it in digits.\n"
    )
    return "\n".join(parts)


def _evaluator(asked: Wish) -> str:
    checks = "".join(_LOOKS[service].check for service in asked.services)
    helpers = {"grader"} | {name for name in _HELPERS if f"{name}(" in checks}
    names = sorted(helpers)
    imports = f"from common import {', '.join(names)}" if len(names) <= 3 else _long_import(names)
    parts = [
        f'"""Grades {asked.name}: one function a checkpoint, each under @grader."""\n',
        f"import re\nfrom pathlib import Path\n\n{imports}\nfrom scoring import Checkpoint, Points, Result\n",
        'UTILS = Path(__file__).resolve().parent\nANSWER = Path("/workspace/answer.txt")\n\n',
        "def reference():\n"
        '    """The right answer, which only graders can read."""\n'
        '    return (UTILS / "references" / "answer.txt").read_text(encoding="utf-8").strip()\n\n',
    ]
    parts.append(
        "def answer():\n"
        '    """What the examinee wrote; nothing where it wrote more than a line, to have every number in it."""\n'
        '    text = ANSWER.read_text(encoding="utf-8").strip() if ANSWER.exists() else ""\n'
        '    return text if len(text) < 80 and "\\n" not in text else ""\n\n'
    )
    parts.append(
        "def is_right():\n"
        '    """The number in words, however it is written, and no other beside it to choose from.\n\n'
        '    Asked also where looking counts: somebody who clicks about looks at everything."""\n'
        '    said = " ".join(re.findall(r"\\w+", answer().lower()))\n'
        '    number = " ".join(re.findall(r"\\w+", reference().split()[0]))\n'
        '    return number in said and not re.search(r"\\b(?:or|not|hundred|thousand)\\b", said)\n\n'
    )
    for service in asked.services:
        look = _LOOKS[service]
        parts.append(f'@grader\ndef grade_{service}():\n    """{look.proof}"""\n{look.check}\n\n')
    parts.append(
        "@grader\ndef grade_answer():\n"
        '    """Two points for the right answer, one for the right number in digits."""\n'
        "    said = f\"the answer is: {answer() or 'nothing, or more than a line'}\"\n"
        "    if is_right():\n        return Points(2, said)\n"
        '    return Points(1 if re.search(r"\\b42\\b", answer()) else 0, f"{said}; asked was the number in words")\n\n'
    )
    lines = [f"    checkpoints.append(Checkpoint(1, grade_{service}()))" for service in asked.services]
    parts.append(
        'def grade_checkpoints(trajectory="") -> Result:\n'
        "    checkpoints: list[Checkpoint] = []\n"
        "    result = Result(checkpoints)\n"
        + "".join(f"{line}\n" for line in lines)
        + "    checkpoints.append(Checkpoint(2, grade_answer()))\n"
        "    return result\n"
    )
    return "\n".join(parts)


def _long_import(names: list[str]) -> str:
    return "from common import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def settings_text(asked: Wish) -> str:
    """The task.toml of a new task."""
    return (
        "format = 1\n"
        f'world = "{asked.world}"\n'
        'difficulty = "easy"\n'
        'author = ""\n'
        "tags = []\n"
        f'canary = "dayjob-canary-{secrets.token_hex(8)}"\n'
        "\n[timeouts]\nwork = 900\n"
    )


def _solution(asked: Wish, number: str) -> str:
    uses_services = bool(asked.services)
    parts = ['"""Does the task the way an examinee could: with its own account, and nothing from references/."""\n']
    parts.append("from pathlib import Path\n" + ("\nimport requests\n" if uses_services else ""))
    parts.append(f'ANSWER = "{number} watering cans"\n')
    if uses_services:
        parts[-1] += f'HOST = "{asked.host}"\n'
        if {"chat", "drive"} & set(asked.services):
            username, password = asked.examinee
            parts[-1] += f"USERNAME, PASSWORD = {json.dumps(username)}, {json.dumps(password)}\n"
    parts.append(
        '\ndef write_answer():\n    Path("/workspace/answer.txt").write_text(f"We have {ANSWER}.\\n", encoding="utf-8")'
        "\n\n\ndef solve():\n    write_answer()"
    )
    text = "\n".join(parts) + "\n"
    text += "".join(f"{_LOOKS[service].act}\n" for service in asked.services)
    return text + "\n\nsolve()\n"


_RIGHT = (
    "We have forty-two watering cans.", "Forty-two.", "forty-two", "Forty two watering cans", "FORTY-TWO",
    "There are forty-two of them.", "The answer is forty-two.", "In stock are forty-two watering cans.",
    "We have forty-two in stock.", "It is forty-two watering cans.", "Forty-two (42)", "forty-two cans",
    "The stock is forty-two.", "Exactly forty-two watering cans.", "forty-two watering cans in stock",
    "We hold forty-two of them.", "Watering cans, forty-two", "**forty-two**", "We've got forty-two.",
    "Forty-two, as of today.",
)  # fmt: skip
_NEAR = (
    ("42", "in digits", 1), ("We have 42 watering cans.", "in digits", 1), ("forty-three", "one too many", 0),
    ("We have forty-one watering cans.", "one too few", 0), ("twenty-four", "the digits changed places", 0),
    ("one hundred and forty-two", "a hundred too many", 0), ("forty-two or forty-three", "it leaves open which", 0),
    ("not forty-two", "it says no", 0), ("We have some watering cans.", "no number", 0), ("forty", "rounded", 0),
)  # fmt: skip


def _paraphrases(asked: Wish) -> str:
    elsewhere = len({"chat", "drive"} & set(asked.services))  # what these are told is as it should be
    lines = ["format: 1", "# The functions of solution.py that deliver; each entry below delivers in their place."]
    lines += ["without: [write_answer]", "deliverables:", "  answer:", "    file: /workspace/answer.txt", "right:"]
    lines += [f"  - {json.dumps(text)}" for text in _RIGHT]
    lines.append("near:")
    lines += [
        f"  - {{text: {json.dumps(text)}, wrong: {json.dumps(why)}, result: {got + elsewhere}}}"
        for text, why, got in _NEAR
    ]
    return "\n".join(lines) + "\n"


_SHEET = """\
  matter: [stock, watering can, cans]
  wants: Sam has the number that was counted, and not a guess.
  conduct: Tell the number when you are asked for it, and not before.
  facts:
    count:
      says: I counted yesterday, there are forty-two watering cans.
      again: [Forty-two watering cans., "Forty-two, I counted them twice."]
      asked: [how many, stock, number, counted]
      why: I counted them one by one.
    where: {says: They are in the hall behind the office., asked: [where]}
  reacts:
    done: [Thank you, that helps.]
    not_yet: [No hurry.]
"""


def _colleagues(asked: Wish) -> str:
    return "".join(
        f"{json.dumps(one, ensure_ascii=False) if ':' in one else one}:\n{_SHEET}" for one in asked.colleagues
    )


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
