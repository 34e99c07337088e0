"""A page that uses every shared component, served as if it belonged to one of the services: for tests and for eyes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dayjob.company import pages
from dayjob.company.pages import highlight, markdown
from dayjob.http.server import Server, bind
from tests.company.serving import Served

PAGES = pages.Pages(Path(__file__).parent)
SOURCE = Path(__file__).read_text("utf-8")
SESSION = "the-session-of-the-gallery"
TEXT = """# Launch plan

Ship **Trellis 2.0** in *spring*, see <https://example.com/plan> and https://example.com/other.

- [x] Costs reviewed
- [ ] Help page ~~written~~ proofread

| Who | What |
| --- | --- |
| Mara | Checklist |

> No heroics, please.

```python
def swap(shift: Shift, other: Shift) -> None:
    \"\"\"Two people change places.\"\"\"
    shift.person, other.person = other.person, shift.person  # both or none
```
"""


class Gallery:
    """An ASGI app: the gallery at `/`, a form that needs the session's token at `/note`."""

    def __init__(self, served: Served, service: str) -> None:
        self._service = served.company.service(service)
        self.notes: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = PAGES.asset(request) or await self._answer(request)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        person = pages.Person(
            "Sam Reed", "sam.reed", "/leave", links=(pages.Link("Profile", "/"), pages.Link("Settings", "/"))
        )
        search = pages.Search("/", "Search rooms, people, messages", value=request.query_params.get("q", ""))
        frame = pages.frame(self._service, request, session=SESSION, person=person, search=search)
        if request.method == "POST":
            form = await pages.read_form(request)
            if not pages.token_fits(request, SESSION, form):
                return PAGES.error(frame, 403, "This form is out of date", "Open the page again and send it once more.")
            self.notes.append(form.line("note"))
            return pages.see_other("/", f"Saved “{form.line('note')}”.")
        if request.url.path != "/":
            return PAGES.error(frame, 404, "Page not found", "There is nothing at this address.")
        return PAGES.page(
            frame,
            "gallery.html",
            notes=self.notes,
            prose=markdown.render(TEXT),
            code=highlight.lines(SOURCE, "gallery.py")[:14],
        )


def open_gallery(served: Served, service: str) -> tuple[Gallery, str]:
    """The gallery on a port of its own, on the company's loop."""
    gallery, sock = Gallery(served, service), bind()
    asyncio.run_coroutine_threadsafe(Server().listen(gallery, sock), served.loop).result(10)
    return gallery, f"http://127.0.0.1:{sock.getsockname()[1]}"
