"""What people wrote, as a project's pages show it: references to people, issues and commits lead there."""

from __future__ import annotations

import posixpath
import re
from html import escape, unescape
from urllib.parse import quote, urlsplit

from markupsafe import Markup

from dayjob.company.forge.git.reading import resolve
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, items, labels, projects, users
from dayjob.company.pages.markdown import render

_PREFIX = "user-content-"
_PERSON = re.compile(r"(?<![\w.@/`])@([A-Za-z0-9_](?:[\w.-]{0,254}\w)?)")
_ITEM = re.compile(r"(?<![\w&/])((?:[\w.-]{1,255}+/){1,20}+[\w.-]{1,255}+)?([#!])(\d{1,15})\b")
_LABEL = re.compile(r"(?<![\w~])~(?:\"([^\"]{1,255})\"|([\w:.-]{1,255}))")
_COMMIT = re.compile(r"(?<![\w./-])[0-9a-f]{8,40}(?![\w./-])")
_PAGE = re.compile(r"\[\[([^\]|]{1,200})\]\]")
_HEADING = re.compile(r"<h([1-5])>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_ADDRESS = re.compile(r'(<(a|img) (?:[a-z]+="[^"]*" )*?(?:href|src)=")([^"]*)"')


def shown(visit: Visit, text: str | None, *, folder: str = "", wiki: bool = False) -> Markup:
    """Markdown of the visit's project. `folder` is `REF/PATH` for files of a repository, whose links are relative."""
    project = visit.project if visit.in_project else None
    references = [(_PERSON, lambda found: _person(visit, found))]
    if project is not None:
        references += [
            (_ITEM, lambda found: _item(visit, project, found)),
            (_LABEL, lambda found: _label(visit, project, found)),
            (_COMMIT, lambda found: _commit(visit, project, found)),
        ]
        if wiki:
            references.append((_PAGE, lambda found: f"{visit.base}/wikis/{quote(found[1].strip().replace(' ', '-'))}"))
    html = _HEADING.sub(_heading, render(text or "", references=references))
    if project is None:
        return Markup(html)
    return Markup(_ADDRESS.sub(lambda found: _address(visit, found, folder, wiki), html))


def _heading(found: re.Match[str]) -> str:
    """A heading one level down, because the page has its own first one, with a name that links in the text can use."""
    name = re.sub(r"[^\w-]+", "-", unescape(_TAG.sub("", found[2])).strip().lower())
    return f'<h{int(found[1]) + 1} id="{_PREFIX}{escape(name)}">{found[2]}</h{int(found[1]) + 1}>'


def _person(visit: Visit, found: re.Match[str]) -> str | None:
    user = users.find(visit.store, found[1]) if not found[1].isdigit() else None
    return f"/{user.username}" if user is not None else None


def _item(visit: Visit, project: Project, found: re.Match[str]) -> str | None:
    home = projects.find(visit.store, found[1]) if found[1] else project
    if home is None or not access.can_see_project(visit.store, visit.user, home):
        return None
    kind, page = ("Issue", "issues") if found[2] == "#" else ("MergeRequest", "merge_requests")
    if not items.exists(visit.store, home, kind, int(found[3])):
        return None
    return f"/{home.full_path}/-/{page}/{found[3]}"


def _label(visit: Visit, project: Project, found: re.Match[str]) -> str | None:
    name = found[1] or found[2]
    label = labels.find_label(visit.store, project, name)
    return f"/{project.full_path}/-/issues?label_name={quote(label.name)}" if label is not None else None


def _commit(visit: Visit, project: Project, found: re.Match[str]) -> str | None:
    if not visit.reads_code or project.empty or found[0].isdigit():
        return None
    commit = resolve(visit.store.repos.open(project.id), found[0])
    return f"/{project.full_path}/-/commit/{commit.id}" if commit is not None else None


def _address(visit: Visit, found: re.Match[str], folder: str, wiki: bool) -> str:
    """A relative address leads to the file, page or attachment it means; every other stays."""
    address = unescape(found[3])
    parts = urlsplit(address)
    if address.startswith("#"):
        return f'{found[1]}#{_PREFIX}{escape(address[1:])}"'
    if parts.scheme or parts.netloc or address.startswith("?") or not address:
        return found[0]
    image = found[2] == "img"
    if address.startswith("/uploads/"):
        address = f"/{visit.project.full_path}{address}"
    elif not address.startswith("/") and folder:
        path = posixpath.normpath(posixpath.join(folder, parts.path))
        inside = not path.startswith("..")
        end = f"#{parts.fragment}" if parts.fragment else ""
        address = f"{visit.base}/{'raw' if image else 'blob'}/{path}{end}" if inside else visit.base.removesuffix("/-")
    elif not address.startswith("/") and wiki:
        address = f"{visit.base}/wikis/{address.removesuffix('.md')}"
    return f'{found[1]}{escape(address)}"'
