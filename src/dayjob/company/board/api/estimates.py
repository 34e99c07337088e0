"""A project's estimate system and its points."""

from __future__ import annotations

from dayjob.company.board import shapes
from dayjob.company.board.api.call import PROJECT, Call, Reply, endpoint, project_entity
from dayjob.company.board.api.projects import OUTSIDE
from dayjob.company.board.errors import BadRequest, Invalid
from dayjob.company.board.rows import Estimate, EstimatePoint
from dayjob.company.board.shapes.payloads import Choice, Flag, Form, Text, Whole, read_form
from dayjob.company.board.store import estimates

_ESTIMATE: Form = {
    "name": Text(limit=255),
    "description": Text(blank=True, null=True),
    "type": Choice(of=("categories", "points", "time")),
    "last_used": Flag(),
    **OUTSIDE,
}
_POINT: Form = {"key": Whole(low=0), "value": Text(limit=255), "description": Text(blank=True, null=True), **OUTSIDE}


def _estimate(call: Call) -> Estimate:
    return estimates.the_one(call.db, call.project().id)


def _named_estimate(call: Call) -> Estimate:
    return estimates.estimate(call.store, call.project().id, call.params["estimate_id"])


def _shape(call: Call, one: Estimate) -> shapes.Shape:
    points = [shapes.plain(point) for point in estimates.points_of(call.db, one.id)]
    return {**shapes.plain(one), "points": points}


@endpoint("GET", PROJECT + "/estimates", permission=project_entity)
def read_estimate(call: Call) -> Reply:
    return Reply(200, _shape(call, _estimate(call)))


@endpoint("POST", PROJECT + "/estimates", permission=project_entity)
def create_estimate(call: Call) -> Reply:
    project = call.project()
    estimates.refuse_second(call.db, project.id)
    facts = read_form(_ESTIMATE, call.payload(), call.db, required=("name",))
    return Reply(201, _shape(call, estimates.create(call.store, project, facts)))


@endpoint("PATCH", PROJECT + "/estimates", permission=project_entity)
def edit_estimate(call: Call) -> Reply:
    estimate = _estimate(call)
    facts = read_form(_ESTIMATE, call.payload(), call.db)
    return Reply(200, _shape(call, estimates.edit(call.store, estimate, facts)))


@endpoint("DELETE", PROJECT + "/estimates", permission=project_entity)
def delete_estimate(call: Call) -> Reply:
    estimate = _estimate(call)
    estimates.remove(call.store, estimate)
    return Reply(204)


_POINTS = PROJECT + "/estimates/{estimate_id}/estimate-points"


@endpoint("GET", _POINTS, permission=project_entity)
def list_points(call: Call) -> Reply:
    return Reply(200, [shapes.plain(one) for one in estimates.points_of(call.db, _named_estimate(call).id)])


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
        made.append(shapes.plain(estimates.add_point(call.store, estimate, facts)))
    return Reply(201, made)


def _point(call: Call) -> EstimatePoint:
    return estimates.point_of(call.store, _named_estimate(call), call.params["point_id"])


@endpoint("PATCH", _POINTS + "/{point_id}", permission=project_entity)
def edit_point(call: Call) -> Reply:
    point = _point(call)
    facts = read_form(_POINT, call.payload(), call.db)
    return Reply(200, shapes.plain(estimates.edit_point(call.store, point, facts)))


@endpoint("DELETE", _POINTS + "/{point_id}", permission=project_entity)
def delete_point(call: Call) -> Reply:
    estimates.remove_point(call.store, _point(call))
    return Reply(204)
