"""What kind of thing a file is for somebody who looks at it, by its name."""

from __future__ import annotations

_BY_ENDING = {
    "markdown": "md markdown",
    "text": "txt text log ics vcf rst diff patch",
    "code": "py js mjs ts tsx jsx css html htm json yml yaml toml ini cfg conf xml sql sh bash c h cpp hpp cc java go "
    "rs rb php pl lua kt swift cs scala r tex dockerfile makefile gitignore env properties",
    "csv": "csv tsv",
    "image": "png jpg jpeg gif webp bmp ico svg",
    "pdf": "pdf",
    "docx": "docx",
    "xlsx": "xlsx",
    "pptx": "pptx",
    "odt": "odt",
    "ods": "ods",
    "odp": "odp",
    "audio": "mp3 ogg wav",
    "video": "mp4 webm mov",
    "archive": "zip gz tgz tar 7z bz2",
}
_KINDS = {ending: kind for kind, endings in _BY_ENDING.items() for ending in endings.split()}
WORDS = {
    "folder": "Folder",
    "markdown": "Markdown text",
    "text": "Text",
    "code": "Source text",
    "csv": "Comma-separated table",
    "image": "Picture",
    "pdf": "PDF document",
    "docx": "Word document",
    "xlsx": "Excel workbook",
    "pptx": "PowerPoint presentation",
    "odt": "OpenDocument text",
    "ods": "OpenDocument spreadsheet",
    "odp": "OpenDocument presentation",
    "audio": "Sound",
    "video": "Video",
    "archive": "Archive",
    "other": "File",
}
WRITTEN = ("text", "markdown", "code", "csv")
"""Kinds that are plain text, and so can be edited in a page."""


def kind_of(name: str, is_folder: bool = False) -> str:
    if is_folder:
        return "folder"
    ending = name.rpartition(".")[2].lower()
    return _KINDS.get(ending, "other")
