"""What the endpoints of cycles and of modules do alike: delete, archive and restore one, and the items in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity
from dayjob.company.board.api.items import item_page
from dayjob.company.board.api.lists import paged
from dayjob.company.board.errors import BadRequest
from dayjob.company.board.rows import Project
from dayjob.company.board.shapes.payloads import Form, Id, Several, read_form
from dayjob.company.board.store import item_lists
from dayjob.company.board.store.base import Store
from dayjob.company.board.store.lists import Listing
from dayjob.company.board.store.plans import AnyPlace, AnyPlan, Plan

ISSUES: Form = {"issues": Several(of=Id())}


class Endpoints(Generic[AnyPlan, AnyPlace]):
    """The endpoints of one kind of plan; `nothing` is said to whoever puts no items into one."""

    def __init__(
        self,
        plan: Plan[AnyPlan, AnyPlace],
        shape: Callable[[Call, list[AnyPlan]], list[shapes.Shape]],
        *,
        nothing: str,
    ) -> None:
        self.plan = plan
        self.shape = shape
        self.nothing = nothing
        self.all = f"{PROJECT}/{plan.noun}s"
        self.one = f"{self.all}/{{{plan.noun}_id}}"
        self.items = f"{self.one}/{plan.noun}-issues"

    def named(self, call: Call) -> AnyPlan:
        """The plan that the path names."""
        return self.plan.one(call.db, call.project().id, call.params[f"{self.plan.noun}_id"])

    def register_edit(self, form: Form, edit: Callable[[Store, Project, AnyPlan, dict[str, Any]], None]) -> None:
        @endpoint("PATCH", self.one, permission=project_entity)
        def change(call: Call) -> Reply:
            edit(call.store, call.project(), self.named(call), read_form(form, call.payload(), call.db))
            return Reply(200, self.shape(call, [self.named(call)])[0])

    def register_archive(self, archived: Callable[[Call], Listing[AnyPlan]], archive: Callable[..., None]) -> None:
        """`archived` lists what was put away; `archive(store, plan, on=…)` puts away and brings back."""
        noun = self.plan.noun

        @endpoint("GET", f"{PROJECT}/archived-{noun}s", permission=project_entity)
        def list_archived(call: Call) -> Reply:
            return paged(call, archived(call), lambda rows: self.shape(call, rows))

        @endpoint("POST", f"{self.one}/archive", permission=project_entity)
        def put_away(call: Call) -> Reply:
            archive(call.store, self.named(call), on=True)
            return Reply(204)

        @endpoint("DELETE", f"{PROJECT}/archived-{noun}s/{{{noun}_id}}/unarchive", permission=project_entity)
        def bring_back(call: Call) -> Reply:
            archive(call.store, self.named(call), on=False)
            return Reply(204)

    def register_deletion(self, delete: Callable[[Store, AnyPlan], None]) -> None:
        @endpoint("DELETE", self.one, permission=project_entity)
        def remove(call: Call) -> Reply:
            delete(call.store, self.named(call))
            return Reply(204)

    def register_items(self, put: Callable[[Store, AnyPlan, Sequence[str]], None]) -> None:
        """The list of a plan's items, and adding to it and taking out of it."""

        @endpoint("GET", self.items, permission=project_entity)
        def list_items(call: Call) -> Reply:
            project = call.project()
            listing = self.plan.listing(project, call.params[f"{self.plan.noun}_id"])
            return item_page(call, listing.unless(project.archived_at))

        @endpoint("POST", self.items, permission=project_entity)
        def add_items(call: Call) -> Reply:
            wanted = read_form(ISSUES, call.payload(), call.db).get("issues")
            if not wanted:
                raise BadRequest(self.nothing)
            plan = self.named(call)
            put(call.store, plan, wanted)
            return Reply(200, [_place(call, row) for row in self.plan.places(call.db, plan.id)])

        @endpoint("DELETE", f"{self.items}/{{issue_id}}", permission=project_entity)
        def take_out(call: Call) -> Reply:
            self.plan.take_out(call.store, self.named(call), call.params["issue_id"])
            return Reply(204)


def _place(call: Call, place: Any) -> shapes.Shape:
    return {**shapes.plain(place), "sub_issues_count": item_lists.children(place.issue).count(call.db)}
