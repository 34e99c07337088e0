"""Secrets taken out of a stream of output, wherever the stream is cut.

The output and the secrets are a job's, the time it takes is the driver's: so there are bounds, and every step is one
that takes no longer than the output is long.
"""

from __future__ import annotations

from collections.abc import Iterable

MASKED = b"[MASKED]"
MOST_SECRETS = 64
LONGEST_SECRET = 4096
LONGEST_LINE = 64 * 1024


class Masking:
    """Feed it output, send what it gives back line by line; `rest` is the line that was not at its end."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Of very many secrets the first are masked, of a very long one its beginning, of several lines each."""
        lines = (line for one in secrets for line in one.encode("utf-8", "surrogateescape").splitlines())
        cut = dict.fromkeys(line[:LONGEST_SECRET] for line in lines if line)
        # Longest first, so that one which begins like another is found whole.
        self._secrets = sorted(list(cut)[:MOST_SECRETS], key=len, reverse=True)
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        data = self._held + data
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if len(data) - end > LONGEST_LINE:
            # A secret that has only begun is within the last bytes.
            masked = self._masked(data)
            self._held = masked[len(masked) - LONGEST_SECRET :]
            return masked[: len(masked) - LONGEST_SECRET]
        self._held = data[end:]
        return self._masked(data[:end])

    def rest(self) -> bytes:
        held, self._held = self._held, b""
        return self._masked(held)

    def _masked(self, data: bytes) -> bytes:
        for one in self._secrets:
            data = data.replace(one, MASKED)
        return data
