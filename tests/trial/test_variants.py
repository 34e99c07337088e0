"""Variants are drawn and made in a room, the same each time, whole or not at all, whatever a family's programs do."""

from __future__ import annotations

import asyncio
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from dayjob import owned
from dayjob.sandbox.choose import make_site
from dayjob.sandbox.sandbox import Site
from dayjob.task import Task, TaskError
from dayjob.task.family import Values
from dayjob.trial.ingredients import digest
from dayjob.trial.variants import PrivateVariant, Variant, VariantKey, maker_room
from dayjob.trial.variants.checking import draw, leaks, look, same_keys
from dayjob.trial.variants.key import BadKey
from tests.trial.families import family, made, on_site

FINDS_TESTS = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def values(folder: Path) -> dict[str, object]:
    found: dict[str, object] = runpy.run_path(str(folder / "variant.py"))["VALUES"]
    return found


def test_a_made_variant_is_an_ordinary_task_folder_without_templates(tmp_path: Path) -> None:
    folder = made(family(tmp_path, "shelf"), tmp_path / "cache", 3)
    task = Task.load(folder)
    assert task.name == "shelf"
    number = values(folder)["key"]["number"]  # type: ignore[index]
    assert str(number) in (folder / "shelf.txt").read_text()
    names = {path.name for path in folder.rglob("*")}
    assert not any(name.endswith(".j2") for name in names)
    assert "build.py" not in names
    assert "def draw" not in (folder / "variant.py").read_text()


def test_the_canonical_variant_has_the_canonical_values_and_others_have_not(tmp_path: Path) -> None:
    folder = family(tmp_path)
    assert values(made(folder, tmp_path / "cache")) == {"things": "cans", "key": {"number": 4711}}
    assert values(made(folder, tmp_path / "cache", 1))["key"] != {"number": 4711}


def test_two_caches_hold_the_same_bytes_and_a_changed_family_another_folder(tmp_path: Path) -> None:
    build = """
        import openpyxl, subprocess

        def build(values, made, world):
            book = openpyxl.Workbook()
            book.active["A1"] = values["key"]["number"]
            (made / "world").mkdir()
            book.save(made / "world" / "list.xlsx")
            (made / "time.txt").write_text(subprocess.run(["date", "-u"], capture_output=True, text=True).stdout)
            (made / "world.txt").write_text((world / "world.toml").read_text())
        """
    folder = family(tmp_path, build__py=build)
    first, second = (made(folder, tmp_path / name, 2) for name in ("one", "two"))
    assert digest(first) == digest(second)
    assert first.parent.name == second.parent.name
    assert "blank" in (first / "world.txt").read_text()
    (folder / "shelf.txt.j2").write_text("on the shelf: {{ key.number }}\n")
    assert made(folder, tmp_path / "one", 2).parent != first.parent


def test_what_is_kept_of_variants_only_its_user_can_read(tmp_path: Path) -> None:
    folder = made(family(tmp_path), tmp_path / "cache")
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert folder.parent.parent.stat().st_mode & 0o777 == 0o700


WRONG = {
    "raises": ("variant.py", "def draw(random):\n    return {}['no']\n", "DJ801", 2, "KeyError"),
    "ends": ("variant.py", "import os\ndef draw(random):\n    os._exit(3)\n", "DJ801", 0, "ended with 3"),
    "no draw": ("variant.py", "VALUES = 1\n", "DJ801", 0, "no function draw"),
    "syntax": ("variant.py", "def draw(random):\n    return (\n", "DJ801", 2, "SyntaxError"),
    "another each time": (
        "variant.py",
        "import os\ndef draw(random):\n    return {'key': {'a': os.urandom(4).hex()}}\n",
        "DJ803",
        0,
        "differ",
    ),
    "order of a set": (
        "variant.py",
        "def draw(random):\n    return {'key': {'a': list({'ab', 'cd', 'ef', 'gh', 'ij', 'kl', 'mn'})}}\n",
        "DJ803",
        0,
        "differ",
    ),
    "not a number": ("variant.py", "def draw(random):\n    return {'key': {'a': float('nan')}}\n", "DJ804", 0, "JSON"),
    "an object": ("variant.py", "def draw(random):\n    return {'key': {'a': object()}}\n", "DJ804", 0, "key.a is a"),
    "numbers as names": ("variant.py", "def draw(random):\n    return {'key': {1: 2}}\n", "DJ804", 0, "no text: 1"),
    "no dictionary": ("variant.py", "def draw(random):\n    return [1]\n", "DJ804", 0, "no dictionary"),
    "no key": ("variant.py", "def draw(random):\n    return {'a': 1}\n", "DJ804", 0, "no 'key'"),
    "too much": ("variant.py", "def draw(random):\n    return {'key': {'a': 'x' * 10**6}}\n", "DJ804", 0, "most"),
    "in itself": (
        "variant.py",
        "def draw(random):\n    a = {}\n    a['key'] = a\n    return a\n",
        "DJ804",
        0,
        "20 deep",
    ),
    "undefined": ("shelf.txt.j2", "one\ntwo {{ nothing }}\n", "DJ805", 2, "nothing"),
    "open": ("shelf.txt.j2", "one\n{% for a in b %}\n", "DJ805", 2, "end"),
    "no text": ("shelf.txt.j2", "{{ key.number / 0 }}", "DJ805", 1, "ZeroDivision"),
    "both": ("shelf.txt", "there already", "DJ806", 0, "shelf.txt is there as well"),
    "fixed": ("task.toml.j2", "", "DJ806", 0, "task.toml is there as well"),
    "build raises": ("build.py", "def build(values, made, world):\n    1 / 0\n", "DJ809", 2, "ZeroDivision"),
    "build links": (
        "build.py",
        "def build(values, made, world):\n    (made / 'x').symlink_to('/etc/passwd')\n",
        "DJ809",
        0,
        "no file",
    ),
    "build replaces": (
        "build.py",
        "def build(values, made, world):\n    (made / 'evaluator.py').write_text('')\n",
        "DJ809",
        0,
        "there already",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_fault_of_a_family_is_told_with_its_file_and_line(tmp_path: Path, case: str) -> None:
    file, text, rule, line, words = WRONG[case]
    folder = family(tmp_path)
    (folder / file).write_text(text)
    with pytest.raises(TaskError) as caught:
        made(folder, tmp_path / "cache", 1)
    found = caught.value.finding
    assert (found.rule.id, found.line) == (rule, line), str(caught.value)
    assert words in found.message
    assert found.fix
    assert not list((tmp_path / "cache").glob("variants/*"))


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import time; time.sleep(3600)",
        "import os\n    while True: os.fork()",
        "import os, time\n    if not os.fork(): os.setsid(); time.sleep(3600)\n    time.sleep(3600)",
        "a = []\n    while True: a.append(bytearray(10**7))",
    ],
)
def test_a_program_without_end_is_ended_with_all_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(maker_room, "DRAW_SECONDS", 2.0)
    folder = family(tmp_path, variant__py=f"def draw(random):\n    {body}\n")
    with pytest.raises(TaskError) as caught:
        made(folder, tmp_path / "cache")
    assert caught.value.finding.rule.id in ("DJ801", "DJ803", "DJ804")


def test_a_familys_programs_reach_neither_the_network_nor_files_of_the_host(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret of the host")
    with socket.create_server(("127.0.0.1", 0)) as server:
        look_around = f"""
            import os, socket

            def attempt(work):
                try:
                    return str(work())
                except Exception as error:
                    return type(error).__name__

            def draw(random):
                return {{"key": {{
                    "socket": attempt(lambda: socket.create_connection(("127.0.0.1", {server.getsockname()[1]}), 2)),
                    "file": attempt(lambda: open({str(secret)!r}).read()),
                    "proc": attempt(lambda: open("/proc/{os.getpid()}/cmdline").read()),
                    "environment": sorted(name for name in os.environ if name.startswith("DAYJOB")),
                    "evaluator": os.path.exists("/family/evaluator.py"),
                }}}}
            """
        folder = family(tmp_path, variant__py=look_around, shelf__txt__j2="1", task__md__j2="Do it.\n")
        found = values(made(folder, tmp_path / "cache", 1))["key"]
    assert found == {
        "socket": "ConnectionRefusedError",
        "file": "FileNotFoundError",
        "proc": "FileNotFoundError",
        "environment": [],
        "evaluator": False,
    }


def test_two_that_make_the_same_variant_at_once_end_with_one(tmp_path: Path) -> None:
    folder, cache = family(tmp_path), tmp_path / "cache"

    async def both() -> list[Path]:
        async with make_site("embedded", cache) as site:
            return await asyncio.gather(*(Variant(folder, 5).made(site, cache) for _ in range(3)))

    assert len(set(asyncio.run(both()))) == 1
    assert len(list((cache / "variants").iterdir())) == 1


def test_a_killed_making_leaves_nothing_that_is_taken_for_a_variant(tmp_path: Path) -> None:
    build = "import time\ndef build(values, made, world):\n    if values['key']['number'] != 4711: time.sleep(50)\n"
    folder, cache = family(tmp_path, build__py=build), tmp_path / "cache"
    program = (
        "import sys; from pathlib import Path; from tests.trial.families import made; "
        "made(Path(sys.argv[1]), Path(sys.argv[2]), 1)"
    )
    maker = subprocess.Popen([sys.executable, "-c", program, str(folder), str(cache)], env=FINDS_TESTS)
    ends = time.monotonic() + 60
    while not list(cache.glob("variants/*")) and time.monotonic() < ends:
        time.sleep(0.02)
    (left,) = cache.glob("variants/*")
    maker.send_signal(signal.SIGKILL)
    maker.wait()
    assert owned.mark_in(left.name) is not None
    assert Variant(folder, 1).found(cache) is None
    assert made(folder, cache).is_dir()
    assert not left.exists()


def test_a_cache_that_is_full_is_said_and_left_as_it_was(tmp_path: Path) -> None:
    folder = family(tmp_path, build__py="def build(v, made, w):\n    (made / 'big').write_bytes(bytes(3_000_000))\n")
    small = tmp_path / "cache" / "variants"
    small.mkdir(parents=True)
    program = f"""
        mount -t tmpfs -o size=1m,mode=0700 small {small} || exit 77
        {sys.executable} -c '
        from pathlib import Path
        from tests.trial.families import made
        try:
            made(Path("{folder}"), Path("{tmp_path}/cache"))
        except Exception as error:
            print(type(error).__name__, error)
        '
        ls -A {small}
        """
    text = "\n".join(line[8:] for line in program.splitlines())
    command = ["unshare", "--mount", "sh", "-c", text]
    done = subprocess.run(command, env=FINDS_TESTS, capture_output=True, text=True)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    assert "No space left" in done.stdout, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 1, done.stdout


def test_a_private_variant_is_made_with_its_key_alone(tmp_path: Path) -> None:
    folder, cache = family(tmp_path), tmp_path / "cache"
    key, other = VariantKey(b"k" * 32), VariantKey(b"o" * 32)
    variant = Variant(folder, 0, key.fingerprint)

    async def with_key(given: VariantKey | None) -> Path:
        async with make_site("embedded", cache) as site:
            return await variant.made(site, cache, given)

    for wrong in (None, other):
        with pytest.raises(PrivateVariant, match="--variant-key"):
            asyncio.run(with_key(wrong))
    private = asyncio.run(with_key(key))
    assert values(private)["key"] != {"number": 4711}
    assert asyncio.run(with_key(None)) == private
    assert key.seed("shelf", 1) != other.seed("shelf", 1) != key.seed("shelf", 2)
    assert "kkk" not in f"{key!r} {key} {key.fingerprint}"


def test_a_fault_of_a_private_variant_tells_no_value(tmp_path: Path) -> None:
    text = "def draw(random):\n    raise ValueError(f'it was {random.randrange(10**9)} and 7777')\n"
    folder, key = family(tmp_path, variant__py=text), VariantKey(b"k" * 32)
    variant = Variant(folder, 2, key.fingerprint)
    with pytest.raises(TaskError) as caught:
        on_site(tmp_path / "cache", lambda site: variant.made(site, tmp_path / "cache", key))
    assert "7777" not in str(caught.value)
    assert key.fingerprint in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"short\n", b"x" * 5000])
def test_a_file_that_can_be_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(BadKey, match="openssl rand"):
        VariantKey.read(tmp_path / "key")
    with pytest.raises(BadKey, match="cannot be read"):
        VariantKey.read(tmp_path / "none")


def test_what_is_the_same_in_neighbours_or_stands_in_the_task_is_found() -> None:
    alike = [{"key": {"a": 1}}, {"key": {"a": 2}}, {"key": {"a": 2}}]
    assert "variants 1 and 2" in same_keys(alike)[0].message
    assert "all of 2" in same_keys(alike[1:])[0].message
    assert same_keys([{"key": {"a": number}} for number in range(20)]) == []
    told = [({"key": {"sum": 1234, "who": "Ada"}}, "It is 1,234."), ({"key": {"sum": 5678, "who": "Ada"}}, "5678, Ada")]
    assert [finding.message for finding in leaks(told)] == ["it says what key.sum is, in every variant"]
    assert leaks([({"key": {"sum": 1234}}, "It is 12345."), ({"key": {"sum": 9}}, "9")]) == []


def test_a_look_at_a_family_finds_a_leak_and_a_build_that_differs(tmp_path: Path) -> None:
    def findings(folder: Path) -> list[str]:
        found = on_site(tmp_path / "cache", lambda site: look(site, folder, tmp_path / "cache"))
        assert found.made is not None
        return [finding.rule.id for finding in found.findings]

    assert findings(family(tmp_path / "good")) == []
    assert findings(family(tmp_path / "leak", task__md__j2="It is {{ key.number }}.\n")) == ["DJ807"]
    same = "def draw(random):\n    return {'things': 'cans', 'key': {'number': 5}}\n"
    assert findings(family(tmp_path / "same", variant__py=same)) == ["DJ808"]
    random = "import os\ndef build(values, made, world):\n    (made / 'x').write_bytes(os.urandom(9))\n"
    assert findings(family(tmp_path / "random", build__py=random)) == ["DJ809"]


ROOT = Path(__file__).resolve().parents[2]
FAMILIES = sorted(path.parent for path in ROOT.glob("tasks/*/variant.py"))


@pytest.mark.parametrize("folder", FAMILIES, ids=lambda folder: folder.name)
def test_of_fifty_variants_no_two_neighbours_have_the_same_key(folder: Path, tmp_path: Path) -> None:
    key = VariantKey(b"a key for tests, and nothing else")

    async def both(site: Site) -> list[list[Values]]:
        return [await draw(site, folder, 50), await draw(site, folder, 50, key)]

    for drawn in on_site(tmp_path / "cache", both):
        assert same_keys(drawn) == []
        assert len({json.dumps(one["key"], sort_keys=True) for one in drawn}) > 40


def test_a_reader_finds_made_variants_while_another_makes_them(tmp_path: Path) -> None:
    folder, cache = family(tmp_path), tmp_path / "cache"
    made(folder, cache, 1)
    found: list[Path | None] = []
    reading = threading.Thread(target=lambda: found.extend(Variant(folder, 1).found(cache) for _ in range(200)))
    reading.start()
    made(folder, cache, 2)
    reading.join()
    assert set(found) == {Variant(folder, 1).found(cache)}
