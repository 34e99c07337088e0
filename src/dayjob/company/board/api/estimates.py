"""A project's estimate system and its points."""

from __future__ import annotations

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.payloads import Choice, Flag, Form, Text, Whole, read_form
from dayjob.company.board.records import Estimate, EstimatePoint
from dayjob.company.board.refusals import BadRequest, Conflict, Invalid, NotThere
from dayjob.company.board.store import plain, projects

_ESTIMATE: Form = {
    "name": Text(limit=255),
    "description": Text(blank=True, null=True),
    "type": Choice(of=("categories", "points", "time")),
    "last_used": Flag(),
    **OUTSIDE,
}
_POINT: Form = {"key": Whole(low=0), "value": Text(limit=255), "description": Text(blank=True, null=True), **OUTSIDE}


def _estimate(call: Call) -> Estimate:
    found = projects.estimate_of(call.db, call.project().id)
    if found is None:
        raise NotThere
    return found


def _named_estimate(call: Call) -> Estimate:
    return plain.one(call.ledger, Estimate, call.params["estimate_id"], project=call.project().id)


def _shape(call: Call, one: Estimate) -> shapes.Shape:
    points = [shapes.plain(point) for point in projects.points_of(call.db, one.id)]
    return {**shapes.plain(one), "points": points}


@endpoint("GET", PROJECT + "/estimates", permission=project_entity)
def read_estimate(call: Call) -> Reply:
    return Reply(200, _shape(call, _estimate(call)))


@endpoint("POST", PROJECT + "/estimates", permission=project_entity)
def create_estimate(call: Call) -> Reply:
    project = call.project()
    existing = projects.estimate_of(call.db, project.id)
    if existing is not None:
        raise Conflict("An estimate already exists for this project", existing.id)
    facts = read_form(_ESTIMATE, call.payload(), call.db, required=("name",))
    facts["description"] = facts.get("description") or ""
    made = plain.add(call.ledger, Estimate, {"workspace": project.workspace, "project": project.id, **facts})
    plain.change(call.ledger, project, {"estimate": made.id})
    return Reply(201, _shape(call, made))


@endpoint("PATCH", PROJECT + "/estimates", permission=project_entity)
def edit_estimate(call: Call) -> Reply:
    estimate = _estimate(call)
    facts = read_form(_ESTIMATE, call.payload(), call.db)
    if facts.get("description", "") is None:
        facts["description"] = ""
    return Reply(200, _shape(call, plain.change(call.ledger, estimate, facts)))


@endpoint("DELETE", PROJECT + "/estimates", permission=project_entity)
def delete_estimate(call: Call) -> Reply:
    estimate = _estimate(call)
    projects.remove_estimate(call.ledger, estimate)
    return Reply(204)


_POINTS = PROJECT + "/estimates/{estimate_id}/estimate-points"


@endpoint("GET", _POINTS, permission=project_entity)
def list_points(call: Call) -> Reply:
    return Reply(200, [shapes.plain(one) for one in projects.points_of(call.db, _named_estimate(call).id)])


@endpoint("POST", _POINTS, permission=project_entity)
def create_points(call: Call) -> Reply:
    estimate = _named_estimate(call)
    wanted = call.body.get("estimate_points") if isinstance(call.body, dict) else call.body
    if not isinstance(wanted, list) or not wanted:
        raise BadRequest("Estimate points are required")
    if len(wanted) > 100:
        raise Invalid.whole("Ensure this list has no more than 100 points.")
    made = []
    for at, one in enumerate(wanted):
        facts = {"key": at, **read_form(_POINT, one, call.db, required=("value",))}
        facts["description"] = facts.get("description") or ""
        place = {"workspace": estimate.workspace, "project": estimate.project, "estimate": estimate.id}
        made.append(shapes.plain(plain.add(call.ledger, EstimatePoint, {**place, **facts})))
    return Reply(201, made)


def _point(call: Call) -> EstimatePoint:
    return plain.one(call.ledger, EstimatePoint, call.params["point_id"], estimate=_named_estimate(call).id)


@endpoint("PATCH", _POINTS + "/{point_id}", permission=project_entity)
def edit_point(call: Call) -> Reply:
    point = _point(call)
    facts = read_form(_POINT, call.payload(), call.db)
    if facts.get("description", "") is None:
        facts["description"] = ""
    return Reply(200, shapes.plain(plain.change(call.ledger, point, facts)))


@endpoint("DELETE", _POINTS + "/{point_id}", permission=project_entity)
def delete_point(call: Call) -> Reply:
    projects.remove_point(call.ledger, _point(call))
    return Reply(204)
