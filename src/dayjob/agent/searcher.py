"""An agent that searches its sandbox, as root, for anything of the task's that only graders may see.

It compares whole files and long lines by their digests; the secrets themselves never enter the sandbox.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from dayjob.agent.agent import Agent, AgentError, Assignment
from dayjob.agent.trajectory import Step, ToolCall, Trajectory
from dayjob.sandbox.sandbox import MIB, Sandbox
from dayjob.task import Task

LONG_LINE = 40
_SECRET_NAMES = (
    "evaluator.py", "checkpoints.md", "colleagues.yml", "scenarios.json", "expected.toml", "key.yml", "paraphrases.yml",
    "variant.py", "build.py",
)  # fmt: skip
_SECRET_STEMS = ("solution", "pre_init", "populate_data", "post_init")
_SECRET_FOLDERS = ("references", "mutants", "world")

# Run inside. Prints {digest: place} of every file, and of every long line of every process and every file but programs.
_SEARCH = """
import hashlib, json, os, sys
longest, found = int(sys.argv[1]), {}
def note(data, place):
    found[hashlib.sha256(data).hexdigest()[:24]] = place
    if data.startswith(b"\\x7fELF"):
        return
    for line in data.splitlines():
        line = line.strip()
        if len(line) >= longest:
            found[hashlib.sha256(line).hexdigest()[:24]] = place
def read(path):
    try:
        with open(path, "rb") as file:
            data = file.read(4_000_000)
        note(data.replace(b"\\0", b"\\n") if path.startswith("/proc") else data, path)
    except OSError:
        pass
system = ("lib", "lib64", "share", "include", "libexec", "src")
skipped = {"/proc", "/sys", "/dev", *("/usr/" + name for name in system)}
for folder, below, names in os.walk("/"):
    below[:] = [name for name in below if os.path.join(folder, name) not in skipped]
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path):
            read(path)
for process in filter(str.isdigit, os.listdir("/proc")):
    if process != str(os.getpid()):
        read(f"/proc/{process}/environ")
        read(f"/proc/{process}/cmdline")
print(json.dumps(found))
"""


class Searcher(Agent):
    """Fails loudly, as the task's fault, when it finds something."""

    name = "searcher"

    def __init__(self, task: Task) -> None:
        self.secrets = secrets_of(task.path)

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        call = ToolCall("search", {})
        trajectory.steps.append(Step("agent", tool_calls=[call]))
        command = ["python_default", "-c", _SEARCH, str(LONG_LINE)]
        done = await sandbox.exec(command, user="root", keep=64 * MIB)
        if not done.ok or done.dropped:
            raise AgentError(f"the search of the sandbox did not end: {done.error_text.strip()[-300:]}")
        places: dict[str, str] = json.loads(done.text)
        hits = sorted({f"{self.secrets[digest]} in {places[digest]}" for digest in self.secrets.keys() & places.keys()})
        call.observation = "\n".join(hits) or f"nothing among {len(places)} files and lines"
        if hits:
            raise AgentError(f"the examinee can read what only graders may see: {'; '.join(hits[:5])}")


def secrets_of(folder: Path) -> dict[str, str]:
    """Digest to file name, for what of a task must stay out of its sandbox; what its open files say is no secret."""
    secret: dict[str, str] = {}
    public: set[str] = set()
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and "__pycache__" not in each.parts):
        relative = path.relative_to(folder)
        data = path.read_bytes()
        digests = {_digest(data)} if data.strip() else set()
        digests |= {_digest(line.strip()) for line in data.splitlines() if len(line.strip()) >= LONG_LINE}
        if _is_secret(relative):
            secret |= {digest: str(relative) for digest in digests}
        else:
            public |= digests
    return {digest: name for digest, name in secret.items() if digest not in public}


def _is_secret(relative: Path) -> bool:
    if len(relative.parts) > 1:
        return relative.parts[0] in _SECRET_FOLDERS
    return relative.name in _SECRET_NAMES or relative.stem in _SECRET_STEMS


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]
