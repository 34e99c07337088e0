"""Multipart forms, read as they arrive: fields in memory (little), files straight into the blob store (much)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from dayjob.company.blobs import Blob, BlobStore, BlobWriter
from dayjob.company.chat.errors import ChatError
from dayjob.http.bodies import BodyTooLarge
from dayjob.http.multipart import FormParserError, PartReader, boundary_of

_FIELDS_LIMIT = 1024 * 1024
_PARTS_LIMIT = 200
_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,100}")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]")


class FilePart:
    """A file of a form; kept as a blob when `keep` is called, otherwise gone after the request."""

    def __init__(self, name: str, type: str, writer: BlobWriter) -> None:
        self.name = name
        self.type = type
        self.writer: BlobWriter | None = writer

    def keep(self) -> Blob:
        assert self.writer is not None
        writer, self.writer = self.writer, None
        return writer.finish()

    @property
    def size(self) -> int:
        return self.writer.size if self.writer else 0

    def discard(self) -> None:
        if self.writer is not None:
            self.writer.discard()
            self.writer = None


class Form:
    """The parts of a form by name; of several files with one name, the last."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.files: dict[str, FilePart] = {}

    def file(self, name: str) -> FilePart:
        found = self.files.get(name)
        if found is None:
            raise ChatError(
                "File required" if name == "file" else f"The '{name}' file is required", "error-field-required"
            )
        return found

    def discard(self) -> None:
        for part in self.files.values():
            part.discard()


def safe_name(name: str) -> str:
    """A file's own name: no folders, no control characters, not endless."""
    name = _UNSAFE.sub("", name.replace("\\", "/").rpartition("/")[2]).strip()
    return name[-200:] if name not in ("", ".", "..") else "file"


async def read_form(content_type: str, body: AsyncIterator[bytes], blobs: BlobStore, file_limit: int) -> Form:
    """Read a whole multipart body. `file_limit` bounds each file; -1 means no limit."""
    boundary = boundary_of(content_type)
    if boundary is None:
        raise ChatError("The body must be multipart/form-data with a boundary", "error-invalid-params")
    reader = _Reader(blobs, file_limit)
    try:
        await reader.read(body, boundary)
        if not reader.whole:
            raise ChatError("The multipart body ends too early", "error-invalid-params")
    except (FormParserError, UnicodeError) as error:
        reader.discard()
        raise ChatError(f"The multipart body is malformed: {error}", "error-invalid-params") from None
    except BaseException:
        reader.discard()
        raise
    return reader.form


class _Reader(PartReader):
    def __init__(self, blobs: BlobStore, file_limit: int) -> None:
        super().__init__()
        self.form = Form()
        self._blobs = blobs
        self._limit = file_limit
        self._field = ""
        self._text = bytearray()
        self._file: FilePart | None = None
        self._parts = 0
        self._fields_size = 0

    def discard(self) -> None:
        self.form.discard()
        if self._file is not None:
            self._file.discard()

    def part_begin(self) -> None:
        self._parts += 1
        if self._parts > _PARTS_LIMIT:
            raise ChatError("The form has too many parts", "error-invalid-params", status=413)
        self._text.clear()
        self._file = None

    def part_headed(self) -> None:
        options = self.disposition()
        self._field = options.get(b"name", b"").decode("utf-8", "replace")
        file_name = options.get(b"filename")
        if file_name is not None:
            type = self.headers.get("content-type", b"").decode("utf-8", "replace").partition(";")[0].strip().lower()
            if not _TYPE.fullmatch(type):
                type = "application/octet-stream"
            self._file = FilePart(safe_name(file_name.decode("utf-8", "replace")), type, self._blobs.writer())

    def part_data(self, data: bytes) -> None:
        if self._file is not None:
            assert self._file.writer is not None
            if 0 <= self._limit < self._file.size + len(data):
                raise BodyTooLarge(self._limit)
            self._file.writer.write(data)
            return
        self._fields_size += len(data)
        if self._fields_size > _FIELDS_LIMIT:
            raise BodyTooLarge(_FIELDS_LIMIT)
        self._text += data

    def part_end(self) -> None:
        if self._file is not None:
            earlier = self.form.files.get(self._field)
            if earlier is not None:
                earlier.discard()
            self.form.files[self._field] = self._file
            self._file = None
        else:
            self.form.fields[self._field] = self._text.decode("utf-8", "replace")
