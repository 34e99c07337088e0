"""How a wiki file's path becomes a page's slug and title, and back."""

from __future__ import annotations

FORMATS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".rdoc": "rdoc",
    ".asciidoc": "asciidoc",
    ".adoc": "asciidoc",
    ".org": "org",
}
ENDINGS = {"markdown": ".md", "rdoc": ".rdoc", "asciidoc": ".asciidoc", "org": ".org"}


def page_name(path: str) -> tuple[str, str, str]:
    """(slug, title, format) of the page in a file."""
    for ending, form in FORMATS.items():
        if path.endswith(ending):
            slug = path.removesuffix(ending)
            return slug, slug.replace("-", " "), form
    return path, path.replace("-", " "), "markdown"


def is_page(path: str) -> bool:
    return path.endswith(tuple(FORMATS)) and not path.rpartition("/")[2].startswith(("_", "."))


def slug_of(title: str) -> str:
    """The slug a title gets: spaces become hyphens, slashes stay and make folders."""
    return "/".join(part.strip().replace(" ", "-") for part in title.strip("/ ").split("/"))
