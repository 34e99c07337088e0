"""Seals: what was sealed comes back whole with its key, and with anything else there is a sentence and no grade."""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

from dayjob import grading
from dayjob.grading.seal import (
    KEY,
    KEY_FILE,
    OLD_KEY,
    OLD_NAME,
    SealError,
    new_key,
    opened,
    read_key,
    seal,
    unseal,
    unseal_old,
)

FILES = {"/utils/evaluator.py": b"print('secret')\n", "/utils/references/a b.bin": bytes(range(256)), "/x": b""}
PRIVATE = new_key()
BYTES = base64.urlsafe_b64decode(PRIVATE)
SEALED = seal(FILES, BYTES)


@pytest.fixture(params=["cryptography", "openssl"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to open a seal: a host's, and an image's, which has no package for it."""
    if request.param == "openssl":
        for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "cryptography", None)
    return str(request.param)


def test_what_was_sealed_comes_back_whole(library: str) -> None:
    assert unseal(SEALED, BYTES) == FILES
    assert b"secret" not in SEALED


def test_a_seal_is_laid_out_as_images_carry_it() -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        entry = tarfile.TarInfo("utils/a")
        entry.size = 1
        tar.addfile(entry, io.BytesIO(b"a"))
    head = b"dayjob-seal-1\n" + hashlib.sha256(b"dayjob seal key id\0" + BYTES).digest()[:8]
    made = head + bytes(12) + AESGCM(BYTES).encrypt(bytes(12), packed.getvalue(), head)
    assert unseal(made, BYTES) == {"/utils/a": b"a"}
    assert SEALED.startswith(head)
    assert AESGCM(BYTES).decrypt(SEALED[22:34], SEALED[34:], head)[:2] == b"\x1f\x8b"


def test_two_seals_of_the_same_files_share_nothing_but_the_head() -> None:
    other = seal(FILES, BYTES)
    assert other[:22] == SEALED[:22]
    assert other[22:34] != SEALED[22:34]


@given(st.integers(0, len(SEALED) - 1), st.integers(1, 255))
def test_any_changed_byte_is_refused(place: int, change: int) -> None:
    damaged = bytearray(SEALED)
    damaged[place] ^= change
    with pytest.raises(SealError):
        unseal(bytes(damaged), BYTES)


def test_every_changed_byte_is_refused_by_openssl_too(library: str) -> None:
    for place in range(len(SEALED)):
        damaged = bytearray(SEALED)
        damaged[place] ^= 0x40
        with pytest.raises(SealError):
            unseal(bytes(damaged), BYTES)


@given(st.integers(0, len(SEALED) - 1))
def test_a_seal_cut_short_is_refused(size: int) -> None:
    with pytest.raises(SealError, match="damaged"):
        unseal(SEALED[:size], BYTES)


def test_another_key_is_named_as_such() -> None:
    with pytest.raises(SealError, match="made with another key than the one in DAYJOB_SEAL_KEY"):
        unseal(SEALED, base64.urlsafe_b64decode(new_key()))


def test_keys_come_from_the_environment_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "seal.key"
    file.write_text(PRIVATE + "\n")
    assert read_key({KEY: PRIVATE}) == read_key({KEY_FILE: str(file)}) == BYTES


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({}, "there is no key: set DAYJOB_SEAL_KEY, or DAYJOB_SEAL_KEY_FILE to a file that holds it"),
        ({KEY: "password"}, "what DAYJOB_SEAL_KEY holds is not a key; `dayjob image key` makes one"),
        ({KEY: "ä" * 44}, "what DAYJOB_SEAL_KEY holds is not a key; `dayjob image key` makes one"),
        ({KEY_FILE: "/nowhere/key"}, "the key file /nowhere/key cannot be read: .*No such file.*"),
    ],
)
def test_a_key_that_is_none_is_a_sentence(environment: dict[str, str], sentence: str) -> None:
    with pytest.raises(SealError, match=f"^{sentence}$"):
        read_key(environment)


PASSWORD = "a password of the older kind"
EVALUATOR = (
    b"from scoring import Checkpoint, Result\n\ndef grade_checkpoints(trajectory=''):\n"
    b"    return Result([Checkpoint(2, 2)])\n"
)


def old_token(password: str = PASSWORD) -> bytes:
    return Fernet(base64.urlsafe_b64encode(password.encode()[:32].ljust(32, b"\0"))).encrypt(EVALUATOR)


# Made before a test takes the package away.
TOKENS = {password: old_token(password) for password in (PASSWORD, "short", "x" * 40, "ünïcode")}


@pytest.mark.parametrize("password", TOKENS)
def test_the_older_seal_opens_with_its_password(library: str, password: str) -> None:
    assert unseal_old(TOKENS[password], password) == EVALUATOR


def test_the_older_seal_opens_with_nothing_else(library: str) -> None:
    token = TOKENS[PASSWORD]
    with pytest.raises(SealError, match="does not open with this DECRYPTION_KEY, or is damaged"):
        unseal_old(token, "another")
    with pytest.raises(SealError, match="it is not a Fernet token"):
        unseal_old(b"print('not sealed at all')", PASSWORD)


def test_where_nothing_can_open_a_seal_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] in ("cryptography", "_hashlib")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("cryptography", "_hashlib"):
        monkeypatch.setitem(sys.modules, name, None)
    for open_it in (lambda: unseal(SEALED, BYTES), lambda: unseal_old(TOKENS[PASSWORD], PASSWORD)):
        with pytest.raises(SealError, match="install the Python package cryptography"):
            open_it()


@pytest.mark.parametrize("environment", [{}, {OLD_KEY: ""}, {KEY: PRIVATE}])
def test_the_older_seal_names_the_key_it_is_opened_with(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / OLD_NAME).write_bytes(TOKENS[PASSWORD])
    with pytest.raises(SealError, match=f"set {OLD_KEY} to open it"), opened(tmp_path, environment):
        pass
    with opened(tmp_path, {OLD_KEY: PASSWORD}):
        assert (tmp_path / "evaluator.py").read_bytes() == EVALUATOR
    assert not (tmp_path / "evaluator.py").exists()


def signed(version: int, blocks: int, last: bytes = b"") -> bytes:
    """A token of the older kind whose proof is right, whatever the rest of it is."""
    body = bytes([version]) + bytes(8 + 16 + 16 * blocks) + last
    proof = hmac.new(PASSWORD.encode()[:16], body, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(body + proof)


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        (signed(0x81, 1), "it is not a Fernet token"),
        (signed(0x80, 0), "it is not a Fernet token"),
        (signed(0x80, 0, bytes(15)), "it is not a Fernet token"),
        (signed(0x80, 1), "evaluator.py.enc is damaged$"),
        (signed(0x80, 1, bytes(1)), "evaluator.py.enc is damaged$"),
        (signed(0x80, 2), "evaluator.py.enc is damaged$"),
    ],
)
def test_a_token_with_a_right_proof_and_nothing_in_it_is_damaged(library: str, token: bytes, sentence: str) -> None:
    with pytest.raises(SealError, match=sentence):
        unseal_old(token, PASSWORD)


def test_a_new_key_has_just_the_length_of_one() -> None:
    assert len(read_key({KEY: new_key()})) == 32
    assert len(base64.urlsafe_b64decode(new_key())) == 32
    assert new_key() != new_key()


@pytest.mark.parametrize("size", [31, 33])
def test_a_key_of_another_length_is_none(size: int) -> None:
    with pytest.raises(SealError, match="is not a key"):
        read_key({KEY: base64.urlsafe_b64encode(bytes(size)).decode()})


def test_a_key_in_a_variable_goes_before_one_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(new_key())
    assert read_key({KEY: f" {PRIVATE}\n", KEY_FILE: str(file)}) == BYTES
    file.write_text("no key")
    with pytest.raises(SealError, match=f"^what {file} holds is not a key"):
        read_key({KEY: " ", KEY_FILE: str(file)})


def test_a_failing_step_leaves_nothing_open(tmp_path: Path) -> None:
    utils = tmp_path / "utils"
    utils.mkdir()
    (utils / "sealed").write_bytes(SEALED)
    before = sys.dont_write_bytecode

    def step() -> None:
        with opened(utils, {KEY: PRIVATE}, root=tmp_path):
            assert sys.dont_write_bytecode
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        step()
    assert sys.dont_write_bytecode is before
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["sealed", "utils"]


def test_whoever_may_not_write_is_told_to_be_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    (tmp_path / "sealed").write_bytes(SEALED)
    monkeypatch.setattr(Path, "write_bytes", refused)
    with pytest.raises(SealError, match=r"cannot be written: open a sealed image as root"):
        opened(tmp_path, {KEY: PRIVATE}, root=tmp_path / "root").__enter__()


def test_what_somebody_else_changed_meanwhile_is_not_in_the_way(tmp_path: Path) -> None:
    utils = tmp_path / "utils"
    utils.mkdir()
    (utils / "sealed").write_bytes(SEALED)
    with opened(utils, {KEY: PRIVATE}, root=tmp_path):
        (tmp_path / "x").unlink()
        (utils / "references" / "more").touch()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["more", "references", "sealed", "utils"]


@given(st.data())
def test_any_changed_character_of_the_older_seal_is_refused(data: st.DataObject) -> None:
    token = old_token()
    place = data.draw(st.integers(0, len(token.rstrip(b"=")) - 2))  # the last one has bits that mean nothing
    letter = data.draw(st.sampled_from(b"ABCDwxyz0189-_"))
    if token[place] != letter:
        with pytest.raises(SealError):
            unseal_old(token[:place] + bytes([letter]) + token[place + 1 :], PASSWORD)


def test_what_is_open_is_there_for_one_step_and_then_gone(tmp_path: Path) -> None:
    utils = tmp_path / "utils"
    utils.mkdir()
    (utils / "evaluator.py").write_text("a note")
    (utils / "sealed").write_bytes(SEALED)
    with opened(utils, {KEY: PRIVATE}, root=tmp_path):
        for path, content in FILES.items():
            assert (tmp_path / path[1:]).read_bytes() == content
    assert (utils / "evaluator.py").read_text() == "a note"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["evaluator.py", "sealed", "utils"]


def grade(utils: Path, monkeypatch: pytest.MonkeyPatch, **keys: str) -> str | int:
    """The points, or the error that was logged instead."""
    for name in (KEY, KEY_FILE, OLD_KEY):
        monkeypatch.delenv(name, raising=False)
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    out = utils / "result.json"
    done = subprocess.run(
        [sys.executable, "-I", str(utils / "eval.py"), "--trajectory_path", os.devnull, "--result_path", str(out)],
        capture_output=True,
        text=True,
    )
    assert out.exists() == (done.returncode == 0)
    assert "Traceback" not in done.stderr
    if done.returncode:
        return done.stderr
    return int(json.loads(out.read_text())["final_score"]["result"])


@pytest.mark.parametrize("way", ["sealed", OLD_NAME])
def test_a_sealed_evaluator_grades_with_its_key_and_never_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    grading.place(tmp_path)
    if way == OLD_NAME:
        (tmp_path / way).write_bytes(old_token())
        name, right, wrong = OLD_KEY, PASSWORD, "another"
    else:
        (tmp_path / way).write_bytes(seal({f"{tmp_path}/evaluator.py": EVALUATOR}, BYTES))
        name, right, wrong = KEY, PRIVATE, new_key()
    assert grade(tmp_path, monkeypatch, **{name: right}) == 2
    assert not (tmp_path / "evaluator.py").exists()
    assert not list(tmp_path.glob("__pycache__/evaluator*"))
    assert f"set {name}" in str(grade(tmp_path, monkeypatch))
    assert "key" in str(grade(tmp_path, monkeypatch, **{name: wrong})).lower()
    whole = (tmp_path / way).read_bytes()
    (tmp_path / way).write_bytes(whole[:60] + b"AAAA" + whole[64:])
    assert "damaged" in str(grade(tmp_path, monkeypatch, **{name: right}))


def test_an_evaluator_in_the_open_needs_no_key(tmp_path: Path) -> None:
    grading.place(tmp_path)
    (tmp_path / OLD_NAME).write_bytes(b"never looked at")
    (tmp_path / "evaluator.py").write_bytes(EVALUATOR)
    done = subprocess.run([sys.executable, "-I", str(tmp_path / "eval.py")], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_a_command_runs_with_everything_open_and_without_the_key(tmp_path: Path) -> None:
    grading.place(tmp_path)
    (tmp_path / "sealed").write_bytes(seal({f"{tmp_path}/pre_init.sh": b"secret step"}, BYTES))
    show = f"cat {tmp_path}/pre_init.sh; env"
    done = subprocess.run(
        [sys.executable, "-m", "dayjob.grading.seal", "sh", "-c", show],
        env={"PYTHONPATH": str(tmp_path), KEY: PRIVATE},
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("secret step"), done.stderr
    assert PRIVATE not in done.stdout
    assert not (tmp_path / "pre_init.sh").exists()
