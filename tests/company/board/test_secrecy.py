"""What stands in a secret project is in no answer to those who are not in it, whichever address they ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from dayjob.company.board.api import web
from dayjob.company.board.api.call import routes
from dayjob.company.board.pages.page import router
from dayjob.company.board.store import accounts
from dayjob.company.world import Snapshot
from tests.company.board.conftest import Wire, as_person, key_of
from tests.company.crawling import SEARCHED, crawl, filled, given_away, secret
from tests.company.serving import Served, serve


@dataclass
class Office:
    served: Served
    words: dict[str, str] = field(default_factory=dict)
    values: dict[str, list[object]] = field(default_factory=dict)
    people: dict[str, dict[str, str]] = field(default_factory=dict)

    def word(self, what: str) -> str:
        return self.words.setdefault(what, secret(what))

    def addresses(self) -> Iterator[str]:
        tables = (routes, web.routes, router)
        for path in filled([one for table in tables for one in table.patterns("GET")], self.values):
            yield from (path, f"{path}/?search={SEARCHED}&q={SEARCHED}&per_page=1000", f"{path}?expand=project,state")


def headers_of(served: Served, person: str) -> dict[str, str]:
    board: Any = served.company.service("board")

    def enter() -> str:
        user = accounts.user_by_email(board.db, f"{person}@larkspur.test")
        assert user is not None
        return accounts.open_session(board.db, user.id)

    return {"x-api-key": key_of(served, person), "Cookie": f"session-id={served.call(enter)}"}


def hidden_project(office: Office, owner: Wire, outsider: str) -> str:
    """A secret project, full of secrets; the outsider had work in it before they were taken out of it."""
    made = owner.project(office.word("project"), "UMBR", network=0, description=office.word("about"),
                         module_view=True, cycle_view=True, page_view=True, intake_view=True)  # fmt: skip
    at = f"/projects/{made['id']}"
    label = owner.make(f"{at}/labels/", name=office.word("label"), color="#ff0000")
    state = owner.make(f"{at}/states/", name=office.word("state"), color="#00ff00", group="started")
    cycle = owner.make(f"{at}/cycles/", name=office.word("cycle"), project_id=made["id"])
    module = owner.make(f"{at}/modules/", name=office.word("module"))
    item = owner.make(
        f"{at}/work-items/", name=office.word("item"), description_html=f"<p>{office.word('text')}</p>",
        labels=[label["id"]], state=state["id"], priority="urgent",
    )  # fmt: skip
    inside = f"{at}/work-items/{item['id']}"
    comment = owner.make(f"{inside}/comments/", comment_html=f"<p>{office.word('comment')}</p>")
    link = owner.make(f"{inside}/links/", url=f"http://link.test/{office.word('link')}", title="x")
    owner("PATCH", f"{inside}/", {"name": f"{office.words['item']} again", "priority": "low"})
    child = owner.make(f"{at}/work-items/", name=office.word("child"), parent=item["id"])
    owner.make(f"{at}/cycles/{cycle['id']}/cycle-issues/", issues=[item["id"]])
    owner.make(f"{at}/modules/{module['id']}/module-issues/", issues=[item["id"]])
    member = owner.make(f"{at}/project-members/", member=outsider, role=15)
    owner("PATCH", f"{inside}/", {"assignees": [outsider]}).raise_for_status()
    owner("DELETE", f"{at}/project-members/{member['id']}/").raise_for_status()
    open_one = next(one for one in owner.get("/projects/")["results"] if one["id"] != made["id"])
    seen = owner.get(f"/projects/{open_one['id']}/work-items/", per_page=1)["results"][0]
    owner.make(
        f"/projects/{open_one['id']}/work-items/{seen['id']}/relations/", relation_type="blocking", issues=[item["id"]]
    )
    page = owner.make(f"{at}/pages/", name=office.word("page"), description_html=f"<p>{office.word('page-text')}</p>")
    intake = owner.make(f"{at}/intake-issues/", issue={"name": office.word("intake")})
    sticky = owner.make("/stickies/", name=office.word("sticky"), description_html="<p>x</p>")
    activities = owner.get(f"{inside}/activities/")["results"]
    office.values = {
        "slug": ["larkspur"], "project_id": [made["id"], open_one["id"]],
        "issue_id": [item["id"], child["id"], intake["issue"], seen["id"]],
        "item_id": [item["id"], child["id"], seen["id"]], "label_id": [label["id"]], "state_id": [state["id"]],
        "cycle_id": [cycle["id"]], "module_id": [module["id"]], "comment_id": [comment["id"]], "link_id": [link["id"]],
        "activity_id": [one["id"] for one in activities], "page_id": [page["id"]], "sticky_id": [sticky["id"]],
        "number": ["UMBR-1", "UMBR-2"], "key": ["UMBR-1", "UMBR-2"], "user_id": [outsider],
        "which": ["assigned", "created", "subscribed", "activity"], "view": ["all-issues", "assigned", "created"],
        "member_id": [outsider], "related_id": [item["id"]],
        **{name: [made["id"]] for name in ("invitation_id", "attachment_id", "file_id", "estimate_id", "milestone_id",
                                           "property_id", "option_id", "type_id", "definition_id")},
    }  # fmt: skip
    return str(made["id"])


@pytest.fixture(scope="module")
def office(snapshots: dict[str, Snapshot]) -> Iterator[Office]:
    with serve(snapshots["larkspur"]) as served:
        found = Office(served)
        owner = as_person(served, "priya.nair")
        sam = as_person(served, "sam.reed")("GET", f"{served.url('board')}/api/v1/users/me/").json()["id"]
        hidden_project(found, owner, sam)
        found.people = {
            "priya": headers_of(served, "priya.nair"), "sam": headers_of(served, "sam.reed"), "nobody": {},
        }  # fmt: skip
        yield found


def asked(office: Office, who: str) -> dict[str, str]:
    return crawl(office.served.url("board"), office.people[who], office.addresses(), links=True)


def test_whoever_is_in_the_project_finds_every_secret(office: Office) -> None:
    assert set(given_away(asked(office, "priya"), office.words)) == set(office.words)


@pytest.mark.parametrize("who", ["nobody", "sam"])
def test_no_address_tells_others_what_is_in_a_secret_project(office: Office, who: str) -> None:
    assert given_away(asked(office, who), office.words) == {}
