"""Nothing an archive holds lands outside the folder it is unpacked into, whichever Python unpacks it."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from dayjob.unpacking import unpack

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = [python for python in (sys.executable, "/usr/bin/python3") if Path(python).exists()]


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


def archive(path: Path, *entries: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w") as tar:
        for one in entries:
            tar.addfile(one, io.BytesIO(b""))
    return path


GOOD = (entry("a", tarfile.DIRTYPE), entry("a/b"), entry("a/link", tarfile.SYMTYPE, "../a/b"))
BAD = {
    "a name that climbs": (entry("../x"),),
    "a name from the root": (entry("/x"),),
    "a name through a link": (entry("away", tarfile.SYMTYPE, "a"), entry("away/x")),
    "a hard link to what is not in it": (entry("x", tarfile.LNKTYPE, "/etc/passwd"),),
    "a link that climbs": (entry("x", tarfile.SYMTYPE, "a/../../y"),),
    "a link to the root": (entry("x", tarfile.SYMTYPE, "/etc"),),
    "a device": (entry("x", tarfile.CHRTYPE),),
}


@pytest.mark.parametrize("entries", BAD.values(), ids=BAD)
def test_what_leads_elsewhere_is_refused_before_anything_is_written(
    tmp_path: Path, entries: tuple[tarfile.TarInfo, ...]
) -> None:
    into = tmp_path / "into"
    into.mkdir()
    with tarfile.open(archive(tmp_path / "t.tar", entry("first"), *entries)) as tar, pytest.raises(tarfile.TarError):
        unpack(tar, into)
    assert list(into.iterdir()) == []


@pytest.mark.parametrize("python", PYTHONS)
def test_every_python_unpacks_what_is_good_and_refuses_what_is_not(tmp_path: Path, python: str) -> None:
    good, bad = archive(tmp_path / "good.tar", *GOOD), archive(tmp_path / "bad.tar", entry("../x"))
    program = (
        "import sys, tarfile; from pathlib import Path; from dayjob.unpacking import unpack\n"
        "for name in sys.argv[1:]:\n"
        "    Path(name + '.d').mkdir()\n"
        "    try: unpack(tarfile.open(name), Path(name + '.d')); print('unpacked')\n"
        "    except tarfile.TarError as error: print(error)\n"
    )
    command = [python, "-c", program, str(good), str(bad)]
    done = subprocess.run(command, env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["unpacked", "'../x' would leave the folder"], done.stderr
    assert (tmp_path / "good.tar.d" / "a" / "b").is_file()
