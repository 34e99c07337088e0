"""Multipart forms: with files spooled inside the company's own folder and never to the machine's temporary one, or
part by part as they arrive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from dayjob.http.bodies import pieces

__all__ = ["FormParserError", "MultiPartException", "PartReader", "boundary_of", "read_form"]


class _Parser(MultiPartParser):
    """Starlette's parser, whose files lie where they are told to once they are too large for memory."""

    def __init__(self, folder: Path | None, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._folder = folder

    def on_headers_finished(self) -> None:
        super().on_headers_finished()
        part = self._current_part.file
        if part is not None:
            part.file.close()
            spooled = SpooledTemporaryFile(self.spool_max_size, dir=str(self._folder))  # noqa: SIM115 - closed by the form
            self._files_to_close_on_error.append(spooled)
            part.file = spooled  # type: ignore[assignment]  # as Starlette itself has it


async def read_form(request: Request, folder: Path | None, *, limit: int, files: int, fields: int) -> FormData:
    """A `multipart/form-data` body of at most `limit` bytes; close what comes back.

    Without a folder there can be no files. `MultiPartException` for what cannot be read, or has more than asked for.
    """
    if "content-type" not in request.headers:
        raise MultiPartException("The form has no content type.")
    async with aclosing(pieces(request, limit)) as body:
        try:
            return await _Parser(folder, request.headers, body, max_files=files, max_fields=fields).parse()
        except (ValueError, KeyError, UnicodeError) as error:
            raise MultiPartException("The form cannot be read.") from error


def boundary_of(content_type: str) -> bytes | None:
    """What stands between the parts of a `multipart/form-data` body; None where it is no such body."""
    kind, options = parse_options_header(content_type)
    return options.get(b"boundary") or None if kind == b"multipart/form-data" else None


class PartReader(ABC):
    """Reads a body part by part as it arrives: slow ones let others have their turn."""

    def __init__(self) -> None:
        self.headers: dict[str, bytes] = {}
        """Those of the part that is being read, by their names in small letters."""
        self.whole = False
        """Whether the body came to its end."""
        self._name, self._value = bytearray(), bytearray()

    async def read(self, body: AsyncIterator[bytes], boundary: bytes) -> None:
        """`FormParserError` for what is no multipart body."""
        parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._part_begin,
                "on_header_field": lambda data, start, end: self._name.extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                "on_header_end": self._header_end,
                "on_headers_finished": self.part_headed,
                "on_part_data": lambda data, start, end: self.part_data(data[start:end]),
                "on_part_end": self.part_end,
                "on_end": self._end,
            },
        )
        async for chunk in body:
            parser.write(chunk)
        parser.finalize()

    def disposition(self) -> dict[bytes, bytes]:
        """The `name` of the part, and the `filename` if it is a file."""
        return parse_options_header(self.headers.get("content-disposition", b""))[1]

    def _part_begin(self) -> None:
        self.headers.clear()
        self.part_begin()

    def _header_end(self) -> None:
        self.headers[self._name.decode("latin-1").lower()] = bytes(self._value)
        self._name.clear()
        self._value.clear()

    def _end(self) -> None:
        self.whole = True

    @abstractmethod
    def part_begin(self) -> None: ...

    @abstractmethod
    def part_headed(self) -> None: ...

    @abstractmethod
    def part_data(self, data: bytes) -> None: ...

    @abstractmethod
    def part_end(self) -> None: ...
