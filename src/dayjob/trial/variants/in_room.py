"""What runs in a room to make a variant: draws values, or renders templates and calls build.py. Never imported here.

A request comes over standard input as JSON, the answer leaves over what was standard output; what the family's own
programs print goes to standard error. Standard library only; Jinja lies beside this file.
"""

import json
import os
import random
import stat
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

FAMILY, MADE, WORLD = Path("/family"), Path("/made"), Path("/world")
MOST_VALUES = 256 * 1024


class Wrong(Exception):
    """What an author has to mend: the rule, the file, its line, a sentence."""

    def __init__(self, rule: str, file: str, line: int, message: str) -> None:
        super().__init__(message)
        self.answer = {"rule": rule, "file": file, "line": line, "message": message}


def loaded(name: str, rule: str) -> types.ModuleType:
    """A program of the family as a fresh module."""
    module = types.ModuleType(name.removesuffix(".py"))
    module.__file__ = str(FAMILY / name)
    carried_out(name, rule, lambda: exec(compile((FAMILY / name).read_bytes(), name, "exec"), vars(module)))
    return module


def carried_out(name: str, rule: str, work: Callable[[], Any]) -> Any:
    """What `work` returns; whatever it raises is the program's fault, told with its line."""
    try:
        return work()
    except Wrong:
        raise
    except BaseException as error:
        traceback.print_exc()
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else 0
        raise Wrong(rule, name, line or 0, f"{type(error).__name__}: {error}"[:300]) from None


def draw(request: dict[str, Any]) -> list[Any]:
    return [drawn(seed) for seed in request["seeds"]]


def drawn(seed: str | None) -> Any:
    """The values of one seed; None stands for the canonical ones."""
    module = loaded("variant.py", "draw")
    if seed is None and hasattr(module, "CANONICAL"):
        values = module.CANONICAL
    else:
        if not callable(getattr(module, "draw", None)):
            raise Wrong("draw", "variant.py", 0, "it has no function draw")
        values = carried_out("variant.py", "draw", lambda: module.draw(random.Random(seed or "variant 0")))
    try:
        text = json.dumps(plain(values, "the values", 0), allow_nan=False)
    except (ValueError, RecursionError, MemoryError) as error:
        raise Wrong("values", "variant.py", 0, f"the values are no JSON: {error}") from None
    if len(text) > MOST_VALUES:
        raise Wrong(
            "values", "variant.py", 0, f"the values are {len(text)} bytes of JSON, and {MOST_VALUES} are the most"
        )
    return json.loads(text)


def plain(value: Any, where: str, depth: int) -> Any:
    """The same value, if JSON has it."""
    if depth > 20:
        raise Wrong("values", "variant.py", 0, f"{where} is nested more than 20 deep")
    if type(value) is dict:
        for name in value:
            if type(name) is not str:
                raise Wrong("values", "variant.py", 0, f"{where} has a name that is no text: {name!r}"[:300])
        return {name: plain(one, f"{where}.{name}", depth + 1) for name, one in value.items()}
    if type(value) in (list, tuple):
        return [plain(one, f"{where}[{at}]", depth + 1) for at, one in enumerate(value)]
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise Wrong("values", "variant.py", 0, f"{where} is a {type(value).__name__}, which JSON does not have"[:300])


def make(request: dict[str, Any]) -> list[str]:
    values = request["values"]
    for name in request["templates"]:
        rendered(name, values)
    if request["build"]:
        carried_out("build.py", "build", lambda: loaded("build.py", "build").build(values, MADE, WORLD))
    return [look(Path(folder, name)) for folder, _, names in os.walk(MADE) for name in sorted(names)]


def rendered(name: str, values: dict[str, Any]) -> None:
    import jinja2

    loader = jinja2.FileSystemLoader(FAMILY)
    room = jinja2.Environment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        newline_sequence="\n",
    )
    try:
        text = room.get_template(name).render(values)
    except jinja2.TemplateSyntaxError as error:
        raise Wrong("template", error.name or name, error.lineno or 0, str(error.message)) from None
    except UnicodeDecodeError as error:
        raise Wrong("template", name, 0, f"it is not UTF-8 text: {error}") from None
    except Exception as error:
        path = str(FAMILY / name)
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        raise Wrong(
            "template", name, (lines[-1] if lines else 0) or 0, f"{type(error).__name__}: {error}"[:300]
        ) from None
    target = MADE / name.removesuffix(".j2")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8", newline="")
    target.chmod(0o755 if os.access(FAMILY / name, os.X_OK) else 0o644)


def look(path: Path) -> str:
    name = path.relative_to(MADE).as_posix()
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Wrong("build", "build.py", 0, f"it made {name}, which is no file")
    return name


def main() -> None:
    out = os.dup(1)
    os.dup2(2, 1)
    request = json.loads(sys.stdin.buffer.read())
    answer: dict[str, Any]
    try:
        answer = {"done": draw(request) if request["do"] == "draw" else make(request)}
    except Wrong as wrong:
        answer = {"wrong": wrong.answer}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(answer, file)
    os._exit(0)  # threads and whatever else a family's program has begun end with it


if __name__ == "__main__":
    MADE.mkdir(exist_ok=True)
    sys.path[0] = "/maker"
    main()
