"""Wiki pages of projects and groups, each change a commit in the wiki's own repository."""

from __future__ import annotations

import base64
import secrets
from typing import Any

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import both, delete, get, post, put
from dayjob.company.forge.api.uploads import clean
from dayjob.company.forge.errors import Refused, bad, forbidden, not_found, refused
from dayjob.company.forge.git.repositories import RefMoved, ref_sha
from dayjob.company.forge.git.writing import CommitRefused, commit_actions
from dayjob.company.forge.markdown import render
from dayjob.company.forge.merging import author
from dayjob.company.forge.rows.projects import Project, WikiPage
from dayjob.company.forge.store import access, wikis
from dayjob.company.forge.store.wiki_names import ENDINGS, slug_of
from dayjob.company.forge.store.wikis import Wiki


def _wiki(call: Call, kind: str, level: int = 0) -> tuple[Wiki, Project | None]:
    if kind == "project":
        project = call.project(level)
        if not access.may_use(call.store, call.user, project, "wiki"):
            raise not_found() if not level else forbidden()
        return Wiki("project", project.id), project
    return Wiki("group", call.group(level).id), None


def _shape(call: Call, page: WikiPage, *, content: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = {
        "format": page.format, "slug": page.slug, "title": page.title,
        "wiki_page_meta_id": page.id,
    }  # fmt: skip
    if content:
        found["content"] = render(page.content) if call.boolean("render_html") else page.content
        found["encoding"] = "UTF-8"
        found["front_matter"] = {}
    return found


def _page(call: Call, kind: str, level: int = 0) -> tuple[Wiki, Project | None, WikiPage]:
    wiki, project = _wiki(call, kind, level)
    page = wikis.find(call.store, wiki, call.path["slug"])
    if page is None:
        raise not_found("Wiki Page")
    return wiki, project, page


@both(get, "/wikis")
def listed(call: Call, kind: str) -> Any:
    wiki, _ = _wiki(call, kind)
    content = bool(call.boolean("with_content"))
    return [_shape(call, page, content=content) for page in wikis.pages(call.store, wiki)]


def _format(call: Call, default: str = "markdown") -> str:
    found: str = call.choice("format", tuple(ENDINGS), default)
    return found


def _write(
    call: Call,
    wiki: Wiki,
    project: Project | None,
    old: WikiPage | None,
    title: str,
    content: str,
    form: str,
    verb: str,
) -> WikiPage:
    message = call.text("message") or f"{call.me.username} {verb} page: {title}"
    try:
        page = wikis.write(call.store, wiki, author(call.store, call.me), old, title, content, form, message)
    except CommitRefused as error:
        raise Refused(400, {"message": str(error)}) from error
    except RefMoved as error:
        raise refused(409, "The wiki was changed by somebody else; try again") from error
    if project is not None:
        facts = {
            "object_attributes": {
                "title": page.title,
                "slug": page.slug,
                "content": page.content,
                "action": verb.removesuffix("d"),
                "url": f"{call.base}/{project.full_path}/-/wikis/{page.slug}",
            }
        }
        call.forge.deliveries.announce(project, call.me, "wiki_page", facts)
    return page


@both(post, "/wikis")
def create(call: Call, kind: str) -> Any:
    wiki, project = _wiki(call, kind, access.DEVELOPER)
    call.need("title", "content")
    title = call.filled("title")
    if wikis.find(call.store, wiki, slug_of(title)) is not None:
        raise refused(400, "Duplicate page: A page with that title already exists")
    return created(
        _shape(call, _write(call, wiki, project, None, title, call.text("content"), _format(call), "created"))
    )


@both(get, "/wikis/{slug}")
def read(call: Call, kind: str) -> Any:
    return _shape(call, _page(call, kind)[2])


@both(put, "/wikis/{slug}")
def change(call: Call, kind: str) -> Any:
    wiki, project, page = _page(call, kind, access.DEVELOPER)
    if not (call.text("title") or call.has("content") or call.text("format")):
        raise bad("title, content, format are missing, at least one parameter must be provided")
    title = call.text("title") or page.title
    if title == page.title:
        title = page.slug
    if slug_of(title) != page.slug and wikis.find(call.store, wiki, slug_of(title)) is not None:
        raise refused(400, "Duplicate page: A page with that title already exists")
    content = call.text("content", page.content)
    return _shape(call, _write(call, wiki, project, page, title, content, _format(call, page.format), "updated"))


@both(delete, "/wikis/{slug}")
def remove(call: Call, kind: str) -> Any:
    wiki, _, page = _page(call, kind, access.DEVELOPER)
    try:
        wikis.delete(call.store, wiki, author(call.store, call.me), page)
    except RefMoved as error:
        raise refused(409, "The wiki was changed by somebody else; try again") from error
    return no_content()


@both(post, "/wikis/attachments")
def attach(call: Call, kind: str) -> Any:
    wiki, _ = _wiki(call, kind, access.DEVELOPER)
    file = call.file("file")
    if file is None:
        raise bad("file is missing")
    name = clean(file.filename)
    path = f"uploads/{secrets.token_hex(16)}/{name}"
    repo = call.store.repos.open(wiki.repository)
    branch = wikis.branch(repo)
    head = ref_sha(repo, f"refs/heads/{branch}")
    who = author(call.store, call.me)
    action = {
        "action": "create",
        "file_path": path,
        "content": base64.b64encode(file.data).decode(),
        "encoding": "base64",
    }
    call.store.repos.take(wiki.repository, len(file.data))
    commit_actions(repo, branch, head, [action], f"Upload attachment {name}", who, who, head)
    return created(
        {"file_name": name, "file_path": path, "branch": branch, "link": {"url": path, "markdown": f"[{name}]({path})"}}
    )
