"""Multipart forms with files, spooled inside the company's own folder and never to the machine's temporary one."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from dayjob.http.bodies import pieces

__all__ = ["MultiPartException", "read_form"]


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
