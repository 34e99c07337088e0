"""Seals: what only graders and init scripts may see, encrypted in an image that travels without its task folder.

A sealed image has one file `/utils/sealed`: AES-256-GCM over an archive of files and their places. `opened(utils)`
puts them there for one step and takes them away again. The key comes from `DAYJOB_SEAL_KEY` or the file that
`DAYJOB_SEAL_KEY_FILE` names. The older `evaluator.py.enc` (Fernet, `DECRYPTION_KEY`) is opened likewise.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import io
import os
import secrets
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dayjob.grading.cipher import Damaged, NoCipher, cbc_open, gcm_open, gcm_seal

NAME = "sealed"
OLD_NAME = "evaluator.py.enc"
KEY, KEY_FILE, OLD_KEY = "DAYJOB_SEAL_KEY", "DAYJOB_SEAL_KEY_FILE", "DECRYPTION_KEY"

_MAGIC = b"dayjob-seal-1\n"
_ID, _NONCE = 8, 12


class SealError(Exception):
    """A seal that stays closed; the sentence says why and what to do."""


def new_key() -> str:
    """A key as people pass it on: 32 random bytes in URL-safe base64."""
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode("ascii")


def read_key(environment: Mapping[str, str]) -> bytes:
    """The key these variables name."""
    text, whence = environment.get(KEY, "").strip(), KEY
    if not text and (place := environment.get(KEY_FILE)):
        whence = place
        try:
            text = Path(place).read_text("ascii").strip()
        except (OSError, ValueError) as error:
            raise SealError(f"the key file {place} cannot be read: {error}") from None
    if not text:
        raise SealError(f"there is no key: set {KEY}, or {KEY_FILE} to a file that holds it")
    try:
        key = base64.urlsafe_b64decode(text.encode("ascii"))
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != 32:
        raise SealError(f"what {whence} holds is not a key; `dayjob image key` makes one")
    return key


def seal(files: Mapping[str, bytes], key: bytes) -> bytes:
    """The files, by absolute path, as the content of `/utils/sealed`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(path.lstrip("/"))
            entry.size, entry.mode = len(content), 0o600
            tar.addfile(entry, io.BytesIO(content))
    head = _MAGIC + _key_id(key)
    nonce = secrets.token_bytes(_NONCE)
    return head + nonce + gcm_seal(key, nonce, packed.getvalue(), head)


def unseal(data: bytes, key: bytes) -> dict[str, bytes]:
    """The files of a seal by absolute path; `SealError` for another key and for any byte that is not as it was."""
    head = data[: len(_MAGIC) + _ID]
    if not data.startswith(_MAGIC) or len(data) < len(head) + _NONCE + 16:
        raise SealError("the seal is damaged: it does not begin or end as a seal does; build the image again")
    if head[len(_MAGIC) :] != _key_id(key):
        raise SealError(f"the seal was made with another key than the one in {KEY}")
    rest = data[len(head) :]
    try:
        packed = gcm_open(key, rest[:_NONCE], rest[_NONCE:], head)
    except Damaged:
        raise SealError("the seal is damaged or was tampered with; build the image again") from None
    except NoCipher as error:
        raise SealError(str(error)) from None
    files = {}
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as tar:
        for entry in tar:
            content = tar.extractfile(entry)
            if content is not None:
                files[f"/{entry.name}"] = content.read()
    return files


def _key_id(key: bytes) -> bytes:
    """Tells keys apart without telling anything about them."""
    return hashlib.sha256(b"dayjob seal key id\0" + key).digest()[:_ID]


def unseal_old(token: bytes, password: str) -> bytes:
    """An evaluator sealed the older way: a Fernet token under the password's bytes, filled up with zeros."""
    key = password.encode("utf-8")[:32].ljust(32, b"\0")
    try:
        data = base64.b64decode(token.strip(), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        data = b""
    body, proof = data[:-32], data[-32:]
    if len(data) < 1 + 8 + 16 + 16 + 32 or data[0] != 0x80:
        raise SealError(f"{OLD_NAME} is damaged: it is not a Fernet token")
    if not hmac.compare_digest(hmac.new(key[:16], body, hashlib.sha256).digest(), proof):
        raise SealError(f"{OLD_NAME} does not open with this {OLD_KEY}, or is damaged")
    try:
        return cbc_open(key[16:], body[9:25], body[25:])
    except Damaged:
        raise SealError(f"{OLD_NAME} is damaged") from None
    except NoCipher as error:
        raise SealError(str(error)) from None


@contextmanager
def opened(utils: Path, environment: Mapping[str, str] | None = None, *, root: Path = Path("/")) -> Iterator[None]:
    """Have what is sealed in `utils` in its places, and afterwards not; nothing happens where nothing is sealed."""
    files = _sealed_files(utils, os.environ if environment is None else environment)
    before: list[tuple[Path, bytes | None]] = []
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        for path, content in files.items():
            _put(root / path.lstrip("/"), content, before)
        yield
    finally:
        sys.dont_write_bytecode = writes_bytecode
        for place, former in reversed(before):
            _put_back(place, former)


def _sealed_files(utils: Path, environment: Mapping[str, str]) -> dict[str, bytes]:
    if (utils / NAME).is_file():
        return unseal((utils / NAME).read_bytes(), read_key(environment))
    if (utils / OLD_NAME).is_file() and not (utils / "evaluator.py").exists():
        if not environment.get(OLD_KEY):
            raise SealError(f"the evaluator is sealed ({OLD_NAME}): set {OLD_KEY} to open it")
        source = unseal_old((utils / OLD_NAME).read_bytes(), environment[OLD_KEY])
        return {str((utils / "evaluator.py").absolute()): source}
    return {}


def _put(place: Path, content: bytes, before: list[tuple[Path, bytes | None]]) -> None:
    """Write a file, and note in `before` what was there."""
    try:
        for folder in reversed([one for one in place.parents if not one.exists()]):
            folder.mkdir()
            before.append((folder, None))
        before.append((place, place.read_bytes() if place.is_file() else None))
        place.write_bytes(content)
    except PermissionError:
        raise SealError(f"{place} cannot be written: open a sealed image as root (docker exec -u 0)") from None


def _put_back(place: Path, content: bytes | None) -> None:
    try:
        if content is not None:
            place.write_bytes(content)
        elif place.is_dir():
            place.rmdir()
        else:
            place.unlink(missing_ok=True)
    except OSError:
        pass  # a folder that something else has been put into, or files that somebody else has taken away


def main(arguments: list[str]) -> int:
    """Run a command while everything sealed is open. The key is not passed on to it."""
    keys = (KEY, KEY_FILE, OLD_KEY, "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if name not in keys}
    try:
        with opened(Path(__file__).resolve().parents[2]):
            return subprocess.run(arguments, env=environment).returncode
    except SealError as error:
        print(f"init: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
