"""Folders and documents of the drive, as task texts name them: by address, by path, in quotes, by a name alone.

A name with spaces is whole in quotes, in brackets and in an address. In plain text it goes on over words with capital
letters, and as far as a folder that is written whole somewhere else in the checkout.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, unquote_plus

from dayjob.importing.checkout import PublishedTask, clean
from dayjob.importing.making import MAKES, quotes, sentences

_KINDS = "pdf|xlsx?|csv|tsv|od[tsp]|docx?|pptx?|zip|rtf|png|jpe?g|gif|svg|mp[34]|mov|ics|eml|vcf|db|sqlite3?"
_TEXTS = "txt|md|json|ya?ml|html?|log"
"""What may as well be a file of a program: a document only where the drive is spoken of."""
_EXTENSION = re.compile(rf"\.(?:{_KINDS}|{_TEXTS})$", re.I)
_OFFICE = re.compile(rf"\.(?:{_KINDS})$", re.I)
_NOT_DOCUMENTS = {"requirements.txt", "cmakelists.txt", "package.json", "readme.md", "license.txt", "robots.txt"}

_DRIVE = re.compile(r"owncloud|nextcloud|:8092\b|\bDocuments/", re.I)
_LOCAL = re.compile(r"/workspace\b|\blocal(?:ly)?\b", re.I)
_ADDRESS = re.compile(r"https?://[^\s<>\"`“”]+")
_ANGLED = re.compile(r"<(https?://[^<>\n]+)>")
_DIR = re.compile(r"[?&]dir=/?([^&#]*)")
_DIRECT = re.compile(r":8092/(?:(?:index\.php/)?remote\.php/(?:webdav|dav/files/[^/]+)/)?(Documents(?:/[^?#]*)?)$")
_FOLDER = re.compile(r"\s*(?:document\s+)?(?:folder|directory|subfolder|subdirectory)\b", re.I)
_FOLDER_BEFORE = re.compile(r"\b(?:folder|directory)\s+(?:called\s+|named\s+|of\s+)?$", re.I)
_WORD = r"[A-Z][\w.&'()+-]*"
_RUN = rf"{_WORD}(?:[ ](?:&[ ]|-[ ])?{_WORD})*"
_CRUMBS = re.compile(rf"\bDocuments((?:\s+(?:-|–|>|→|»)+\s+(?:{_RUN}|[\w.-]+))+)")
_UNQUOTED_FOLDER = re.compile(rf"(?<![\w/.])({_WORD}(?:/{_RUN})+)(?=\s+(?:folder|directory)\b)")
_REST = r"[^\s\"'`“”,;:()\[\]*<>]+"
_PLAIN = re.compile(rf"(?<![\w/.])/?(Documents/{_REST})")
_ON = re.compile(rf"(?:[ ]{_WORD}(?:/{_REST})*)+")
_NAME = re.compile(r"(?<![\w/.%-])(\w[\w.-]*\.\w{2,7})\b(?![/\w-])")
_WRITES = re.compile(
    r"\b(?:(?P<writes>(?:sav|upload|creat|writ|export|stor|renam|generat|produc|output|draft|compil|mak|submit|put)\w*)|"
    r"(?P<reads>(?:read|find|found|open|download|look|check|review|locat|provid|consult|refer|analy|extract|compar|navigat|"
    r"access|view|updat|edit|modif|fill|complet|convert|follow|examin|inspect|collect|retriev|contain|attach)\w*|"
    r"use|uses|used|using|based|from|given|see|cop(?:y|ies|ying)|get|shared?|sent))\b",
    re.I,
)
_WRITTEN_AFTER = re.compile(
    r"^\W*(?:\w+\s+){0,3}?(?:should|must|shall|has to|have to|needs? to|will|to)\s+be\s+"
    r"(?:newly\s+)?(?:sav|upload|creat|writ|export|stor|generat|produc)",
    re.I,
)


@dataclass(slots=True)
class Reading:
    """What one task says of the drive: paths and names, each with whether the examinee writes it."""

    folders: list[tuple[str, bool]] = field(default_factory=list)
    spoken: set[str] = field(default_factory=set)
    """The folders that are named for themselves, not as the way to a document."""
    documents: list[tuple[str, bool]] = field(default_factory=list)
    loose: list[tuple[str, bool]] = field(default_factory=list)


def firm_folders(task: PublishedTask) -> set[str]:
    """The folders that a task writes in a way that leaves no doubt where the name ends, with those above them."""
    found: set[str] = set()
    for sentence in [*sentences(task.text), *sentences(task.told)]:
        for path, _ in _Sentence(sentence, set()).firm():
            parts = path.split("/")
            found |= {"/".join(parts[:end]) for end in range(1, len(parts) + (not _EXTENSION.search(path)))}
    return {path for path in found if " " in path}


def read_documents(task: PublishedTask, known: set[str]) -> Reading:
    """`known`: the folders with spaces in their names that any task of the checkout writes without doubt."""
    found = Reading()
    about = _DRIVE.search(f"{task.text}\n{task.told}") is not None or "owncloud" in task.services
    elsewhere = ":8929" in task.text or "gitlab" in task.services
    names: list[tuple[str, bool, list[str]]] = []
    for sentence in [*sentences(task.text), *sentences(task.told)]:
        read = _Sentence(sentence, known)
        here = list(dict.fromkeys([*read.firm(), *read.plain(), *read.named_folders(about)]))
        for path, writes in here:
            _note(found, path, writes, bool(MAKES["folder"].search(sentence)))
        paths = [path for path, _ in here]
        for name, writes in read.names():
            spoken = _DRIVE.search(sentence) is not None or bool(paths)
            wanted = (
                spoken
                or (bool(_OFFICE.search(name)) and (about or not elsewhere))
                or (name.lower().endswith(".txt") and about)
            )
            if writes and _LOCAL.search(sentence):
                continue
            if name in task.files and not paths:  # an image may copy it to the examinee
                continue
            if wanted and not any(path.endswith(f"/{name}") for path in paths):
                names.append((name, writes, [path for path in paths if not _EXTENSION.search(path)]))
    _place(found, names)
    return found


def _note(found: Reading, path: str, writes: bool, makes_folder: bool) -> None:
    parts = [part for one in path.strip("/ ").split("/") if (part := clean(one))]
    if not parts or ".." in parts or "." in parts:
        return
    parts[-1] = parts[-1].rstrip(".")
    if _EXTENSION.search(parts[-1]):
        found.documents.append(("/".join(parts), writes))
        parts, makes_folder = parts[:-1], False
    elif parts[-1]:
        found.spoken.add("/".join(parts))
    if parts and all(parts):
        found.folders.append(("/".join(parts), makes_folder))


def _place(found: Reading, names: list[tuple[str, bool, list[str]]]) -> None:
    """A name alone belongs to the only folder of its sentence, or to the only one of the task."""
    whole = {path.rpartition("/")[2] for path, _ in found.documents}
    leaves = [path for path in sorted(found.spoken) if not any(other.startswith(f"{path}/") for other in found.spoken)]
    for name, writes, folders in names:
        if name in whole:
            continue
        home = folders if len(folders) == 1 else leaves if not folders and len(leaves) == 1 else []
        if home:
            found.documents.append((f"{home[0]}/{name}", writes))
        else:
            found.loose.append((name, writes))


class _Sentence:
    """One sentence of a task's text. Addresses and quotes are taken out of `rest` as they are read."""

    def __init__(self, text: str, known: set[str]) -> None:
        self.text = text
        self.known = known
        self.rest = text
        self.addresses: list[tuple[str, bool]] = []
        for match in _ANGLED.finditer(self.rest):
            self._address(match[1], match.start(), match.end())
        for match in _ADDRESS.finditer(self.rest):
            cut = re.split(r"[)\]|']", match[0])[0].rstrip(".,;:!?*")
            on = _ON.match(self.rest, match.start() + len(cut))
            if on and "/" in on[0]:  # a space that nobody encoded, with more of the path behind it
                cut += on[0].rstrip(".,;:")
            self._address(cut, match.start(), match.start() + len(cut))
        self.quotes = quotes(self.rest)

    def _address(self, address: str, start: int, end: int) -> None:
        self.rest = self.rest[:start] + " " * (end - start) + self.rest[end:]
        if match := _DIR.search(address):
            self.addresses.append((unquote_plus(match[1]).strip("/ "), self.writes(start, end)))
        elif match := _DIRECT.search(address):
            self.addresses.append((unquote(match[1]).strip("/ "), self.writes(start, end)))

    def firm(self) -> list[tuple[str, bool]]:
        found = [(path, writes) for path, writes in self.addresses if path]
        for written, start, end in self.quotes:
            path = unquote(written).strip("/ ").rstrip(",;.")
            if path.startswith("Documents/") or path == "Documents":
                found.append((path, self.writes(start, end)))
        return found

    def plain(self) -> list[tuple[str, bool]]:
        """Paths in plain text."""
        found = []
        text = self._unquoted()
        for match in _PLAIN.finditer(text):
            path, end = match[1], match.end(1)
            if not _EXTENSION.search(path) and (on := _ON.match(text, end)) and not path.endswith("."):
                path += on[0]
            longest = max((one for one in self.known if text.startswith(one, match.start(1))), key=len, default="")
            behind = match.start(1) + len(longest)
            if len(longest) > len(path) and not text[behind : behind + 1].isalnum():
                tail = re.match(rf"/{_REST}", text[behind:])
                path = longest + (tail[0] if tail else "")
            found.append((unquote(path).strip("/ ").rstrip(",;."), self.writes(match.start(), match.end())))
        for match in _CRUMBS.finditer(text):
            parts = [part for part in re.split(r"\s+(?:-|–|>|→|»)+\s+", match[1]) if part.strip()]
            found.append(("/".join(["Documents", *(part.strip() for part in parts)]), False))
        return found

    def named_folders(self, about: bool) -> list[tuple[str, bool]]:
        """Folders by their name alone: below the folder that an address opens, otherwise below Documents."""
        if not about or "/workspace" in self.text:
            return []
        base = next((path for path, _ in self.addresses if path and not _EXTENSION.search(path)), "Documents")
        names = [
            written.strip("/ ")
            for written, start, end in self.quotes
            if _FOLDER.match(self.text, end) or _FOLDER_BEFORE.search(self.text[:start])
        ]
        names += [match[1] for match in _UNQUOTED_FOLDER.finditer(self._unquoted())]
        found = []
        for name in names:
            if name and not name.startswith(("Documents", ".")) and "://" not in name and not _EXTENSION.search(name):
                found.append((base if f"/{base}".endswith(f"/{name}") else f"{base}/{name}", False))
        return found

    def names(self) -> list[tuple[str, bool]]:
        """Documents by their name alone."""
        found = []
        for written, start, end in self.quotes:
            name = unquote(written)
            if "/" not in name and _EXTENSION.search(name):
                found.append((clean(name), self.writes(start, end)))
        for match in _NAME.finditer(self._unquoted()):
            if _EXTENSION.search(match[1]):
                found.append((match[1], self.writes(match.start(), match.end())))
        return [(name, writes) for name, writes in found if name and name.lower() not in _NOT_DOCUMENTS]

    def _unquoted(self) -> str:
        """The sentence without addresses and without quotes that were read whole."""
        text = self.rest
        for written, start, end in self.quotes:
            if _EXTENSION.search(written) or "Documents/" in written:
                text = text[:start] + " " * (end - start) + text[end:]
        return text

    def writes(self, start: int, end: int) -> bool:
        """Is this something that the sentence has written: by the verb before it, or by one right behind it?"""
        before = list(_WRITES.finditer(self.text[:start]))
        if _WRITTEN_AFTER.search(self.text[end:]):
            return True
        return bool(before) and before[-1].lastgroup == "writes"
