"""What an agent was told, taken out of what it is taken to have said: the task's own text, wherever it was repeated.

An agent may print its prompt, read the file it is in, or quote it in a command; none of that is something it did. Words
are compared one after the other, so that a text wrapped, framed, numbered or quoted anew is still known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# So many of the task's words in a row are its text; fewer can be anybody's, as a file's name or an address.
RUN = 8
_SHORTEST = 3
LEFT_OUT = "[…]"

# Words, and what may stand between two of them without being one: a line's number, a colour, an escaped line end.
_WORD = re.compile(
    r"""(?:^[ \t]*\d+(?=[\t:|│→])|\x1b\[[0-9;]*[A-Za-z]|\\[nrt])|(?P<word>(?:(?!\\[nrt]|\x1b\[)\S)+)""", re.MULTILINE
)


def without_task(text: str, instruction: str) -> str:
    """The text with every run of the task's words left out."""
    told = [word for word, _, _ in _words(instruction)]
    shortest = max(_SHORTEST, min(RUN, len(told)))
    places: dict[tuple[str, ...], list[int]] = {}
    for place in range(len(told) - shortest + 1):
        places.setdefault(tuple(told[place : place + shortest]), []).append(place)
    known, parts, kept = set(told), [], 0
    for run in _runs(text, known, shortest):
        at = 0
        while at + shortest <= len(run):
            length = _length(run, at, told, places, shortest)
            if not length:
                at += 1
                continue
            parts += [text[kept : run[at][1]], LEFT_OUT]
            kept = run[at + length - 1][2]
            at += length
    return "".join((*parts, text[kept:])) if parts else text


def _length(
    run: list[tuple[str, int, int]],
    at: int,
    told: list[str],
    places: dict[tuple[str, ...], list[int]],
    shortest: int,
) -> int:
    """How many words from here on the task has in the same order; 0 for less than a run."""
    longest = 0
    for place in places.get(tuple(word for word, _, _ in run[at : at + shortest]), ()):
        length = shortest
        while at + length < len(run) and place + length < len(told) and run[at + length][0] == told[place + length]:
            length += 1
        longest = max(longest, length)
    return longest


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Each word without the signs around it and without regard to case, and where it stands."""
    for found in _WORD.finditer(text):
        if found["word"] and (word := _bare(found["word"])):
            yield word, *found.span("word")


def _bare(word: str) -> str:
    if word.isalnum():
        return word.casefold()
    return re.sub(r"^[^\w/]+|[^\w/]+$", "", word).casefold()


def _runs(text: str, known: set[str], shortest: int) -> Iterator[list[tuple[str, int, int]]]:
    """Words in a row that all occur in the task, where there are enough of them to matter."""
    run: list[tuple[str, int, int]] = []
    for one in _words(text):
        if one[0] in known:
            run.append(one)
            continue
        if len(run) >= shortest:
            yield run
        run = []
    if len(run) >= shortest:
        yield run
