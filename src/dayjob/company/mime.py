"""The media type a file name stands for: a fixed table, so that every machine answers alike."""

from __future__ import annotations

FOLDER = "httpd/unix-directory"
UNKNOWN = "application/octet-stream"

_TYPES = {
    "text/plain": "txt text log conf ini diff patch",
    "text/markdown": "md markdown",
    "text/html": "html htm",
    "text/css": "css",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "text/calendar": "ics",
    "text/vcard": "vcf",
    "text/x-python": "py",
    "text/x-c": "c h",
    "text/x-c++src": "cpp hpp cc",
    "text/x-java-source": "java",
    "text/x-shellscript": "sh",
    "text/x-rst": "rst",
    "application/javascript": "js mjs",
    "application/json": "json",
    "application/yaml": "yml yaml",
    "application/toml": "toml",
    "application/xml": "xml",
    "application/sql": "sql",
    "application/pdf": "pdf",
    "application/rtf": "rtf",
    "application/zip": "zip",
    "application/gzip": "gz tgz",
    "application/x-tar": "tar",
    "application/x-7z-compressed": "7z",
    "application/x-bzip2": "bz2",
    "application/epub+zip": "epub",
    "application/msword": "doc dot",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "image/png": "png",
    "image/jpeg": "jpg jpeg",
    "image/gif": "gif",
    "image/svg+xml": "svg",
    "image/webp": "webp",
    "image/bmp": "bmp",
    "image/tiff": "tif tiff",
    "image/x-icon": "ico",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "video/quicktime": "mov",
}
_BY_EXTENSION = {extension: kind for kind, extensions in _TYPES.items() for extension in extensions.split()}


def mime_of(name: str) -> str:
    return _BY_EXTENSION.get(name.rpartition(".")[2].lower(), UNKNOWN) if "." in name else UNKNOWN
