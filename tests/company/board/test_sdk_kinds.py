"""plane-sdk on types, properties, milestones and epics."""

# mypy: disable-error-code="call-arg"
# (plane-sdk gives its models' defaults in a way that mypy sees only with pydantic's plugin)

from __future__ import annotations

import uuid
from typing import Any

import pytest
from plane.errors.errors import HttpError
from plane.models.enums import PropertyType, RelationType
from plane.models.epics import CreateEpic
from plane.models.milestones import CreateMilestone, UpdateMilestone
from plane.models.query_params import WorkItemCountQueryParams
from plane.models.work_item_properties import (
    CreateWorkItemProperty,
    CreateWorkItemPropertyOption,
    CreateWorkItemPropertyValue,
    UpdateWorkItemProperty,
)
from plane.models.work_item_property_configurations import DateAttributeSettings, TextAttributeSettings
from plane.models.work_item_relation_definitions import (
    CreateWorkItemRelationDefinition,
    UpdateWorkItemRelationDefinition,
)
from plane.models.work_item_types import CreateWorkItemType, UpdateWorkItemType
from plane.models.work_items import AdvancedSearchWorkItem, CreateWorkItem, CreateWorkItemCustomRelation

WS = "blank"


@pytest.fixture
def kind(plane: Any, project: str) -> str:
    """The id of a type of work item."""
    return str(plane.work_item_types.create(WS, project, CreateWorkItemType(name="Plant")).id)


def test_types_are_made_changed_and_deleted(plane: Any, project: str, kind: str) -> None:
    assert (
        plane.work_item_types.update(WS, project, kind, UpdateWorkItemType(description="Green")).description == "Green"
    )
    assert [one.name for one in plane.work_item_types.list(WS, project)] == ["Plant"]
    item = plane.work_items.create(WS, project, CreateWorkItem(name="Rose", type_id=kind))
    assert plane.work_items.retrieve(WS, project, item.id).type_id == kind
    with pytest.raises(HttpError) as twice:
        plane.work_item_types.create(WS, project, CreateWorkItemType(name="Plant"))
    assert twice.value.status_code == 409
    plane.work_item_types.delete(WS, project, kind)
    assert plane.work_items.retrieve(WS, project, item.id).type_id is None


@pytest.mark.parametrize(
    ("facts", "value", "wrong"),
    [
        ({"property_type": "TEXT", "settings": TextAttributeSettings(display_format="multi-line")}, "red", None),
        (
            {"property_type": "DATETIME", "settings": DateAttributeSettings(display_format="MM/dd/yyyy")},
            "2026-03-09",
            "soon",
        ),
        ({"property_type": "DECIMAL"}, 2.5, "many"),
        ({"property_type": "BOOLEAN"}, True, "perhaps"),
        ({"property_type": "URL"}, "https://larkspur.test/", None),
        ({"property_type": "EMAIL"}, "sam@larkspur.test", None),
    ],
)
def test_an_item_gives_a_property_a_value_of_its_kind(
    plane: Any, project: str, kind: str, facts: dict[str, Any], value: Any, wrong: Any
) -> None:
    made = plane.work_item_properties.create(WS, project, kind, CreateWorkItemProperty(display_name="Fact", **facts))
    assert made.property_type == PropertyType(facts["property_type"])
    item = plane.work_items.create(WS, project, CreateWorkItem(name="Rose", type_id=kind)).id
    values = plane.work_item_properties.values
    if wrong is not None:
        with pytest.raises(HttpError) as refused:
            values.create(WS, project, item, made.id, CreateWorkItemPropertyValue(value=wrong))
        assert refused.value.status_code == 400
    values.create(WS, project, item, made.id, CreateWorkItemPropertyValue(value=value))
    assert values.retrieve(WS, project, item, made.id).value == value
    values.delete(WS, project, item, made.id)
    with pytest.raises(HttpError):
        values.retrieve(WS, project, item, made.id)


def test_a_property_has_options_and_an_item_chooses_several(plane: Any, project: str, kind: str) -> None:
    wanted = CreateWorkItemProperty(
        display_name="Colour",
        property_type=PropertyType.OPTION,
        is_multi=True,
        options=[CreateWorkItemPropertyOption(name=name) for name in ("red", "white", "pink")],
    )
    made = plane.work_item_properties.create(WS, project, kind, wanted)
    assert [one.name for one in made.options] == ["red", "white", "pink"]
    listed = plane.work_item_properties.list(WS, project, kind)
    assert [[option.name for option in one.options] for one in listed] == [["red", "white", "pink"]]
    item = plane.work_items.create(WS, project, CreateWorkItem(name="Rose", type_id=kind)).id
    chosen = [made.options[0].id, made.options[2].id]
    set_values = plane.work_item_properties.values.create(
        WS, project, item, made.id, CreateWorkItemPropertyValue(value=chosen)
    )
    assert [one.value for one in set_values] == chosen
    changed = plane.work_item_properties.update(WS, project, kind, made.id, UpdateWorkItemProperty(description="Hue"))
    assert changed.description == "Hue"
    plane.work_item_properties.delete(WS, project, kind, made.id)
    assert plane.work_item_properties.list(WS, project, kind) == []


def test_a_relation_names_a_person(plane: Any, project: str, kind: str) -> None:
    wanted = CreateWorkItemProperty(
        display_name="Gardener", property_type=PropertyType.RELATION, relation_type=RelationType.USER
    )
    made = plane.work_item_properties.create(WS, project, kind, wanted)
    item = plane.work_items.create(WS, project, CreateWorkItem(name="Rose")).id
    me = plane.users.get_me().id
    value = CreateWorkItemPropertyValue(value=me)
    assert plane.work_item_properties.values.create(WS, project, item, made.id, value).value == me


def test_milestones_gather_items(plane: Any, project: str) -> None:
    made = plane.milestones.create(WS, project, CreateMilestone(title="Spring", target_date="2026-03-20"))
    item = plane.work_items.create(WS, project, CreateWorkItem(name="Rose")).id
    plane.milestones.add_work_items(WS, project, made.id, [item])
    assert [one.issue for one in plane.milestones.list_work_items(WS, project, made.id).results] == [item]
    plane.milestones.remove_work_items(WS, project, made.id, [item])
    assert plane.milestones.list_work_items(WS, project, made.id).results == []
    assert plane.milestones.update(WS, project, made.id, UpdateMilestone(title="Summer")).title == "Summer"
    assert plane.milestones.list(WS, project).total_count == 1
    plane.milestones.delete(WS, project, made.id)
    assert plane.milestones.list(WS, project).results == []


def test_epics_are_items_with_items_below(plane: Any, project: str) -> None:
    assert plane.epics.list(WS, project).results == []
    epic = plane.epics.create(WS, project, CreateEpic(name="A rose garden"))
    item = plane.work_items.create(WS, project, CreateWorkItem(name="Dig", parent=epic.id)).id
    assert [one.name for one in plane.epics.list(WS, project).results] == ["A rose garden"]
    with pytest.raises(HttpError):
        plane.epics.retrieve(WS, project, item)
    assert plane.epics.retrieve(WS, project, epic.id).sequence_id == 1


def test_items_are_counted_by_what_they_share(plane: Any, project: str) -> None:
    states = {one.name: one.id for one in plane.states.list(WS, project).results}
    rows: Any = (("a", "high", "Todo"), ("b", "high", "Done"), ("c", "low", "Todo"))
    for name, priority, state in rows:
        plane.work_items.create(WS, project, CreateWorkItem(name=name, priority=priority, state=states[state]))
    whole = plane.work_items.count_workspace(WS)
    assert (whole.total_count, whole.grouped_counts) == (3, {})
    params = WorkItemCountQueryParams(group_by="priority", sub_group_by="state__group")
    counted = plane.work_items.count_workspace(WS, params=params)
    assert {name: one.count for name, one in counted.grouped_counts.items()} == {"high": 2, "low": 1}
    high = counted.grouped_counts["high"].sub_grouped_counts
    assert {name: one.count for name, one in high.items()} == {"completed": 1, "unstarted": 1}
    nobody = plane.work_items.count_workspace(WS, params=WorkItemCountQueryParams(group_by="assignees__id"))
    assert {name: one.count for name, one in nobody.grouped_counts.items()} == {"None": 3}


def test_a_search_takes_nested_conditions(plane: Any, project: str) -> None:
    rows: Any = (("Red rose", "high"), ("White rose", "low"), ("Lawn", "high"))
    for name, priority in rows:
        plane.work_items.create(WS, project, CreateWorkItem(name=name, priority=priority))

    def names(**facts: Any) -> set[str]:
        return {one.name for one in plane.work_items.advanced_search(WS, AdvancedSearchWorkItem(**facts))}

    assert names(query="rose") == {"Red rose", "White rose"}
    assert names(query="rose", filters={"and": [{"priority": "high"}]}) == {"Red rose"}
    either = {"or": [{"priority": "low"}, {"and": [{"priority": "high"}, {"project_id": project}]}]}
    assert names(filters=either, limit=2) <= {"Red rose", "White rose", "Lawn"}
    with pytest.raises(HttpError) as refused:
        names(filters={"password": "x"})
    assert refused.value.status_code == 400


def test_a_workspace_defines_its_own_relations(plane: Any, project: str) -> None:
    wanted = CreateWorkItemRelationDefinition(name="shade", outward="shades", inward="is shaded by")
    made = plane.work_item_relation_definitions.create(WS, wanted)
    oak, fern = (plane.work_items.create(WS, project, CreateWorkItem(name=name)).id for name in ("Oak", "Fern"))
    relations = plane.work_items.custom_relations
    assert relations.list(WS, project, oak) == {"shades": [], "is shaded by": []}
    shades = CreateWorkItemCustomRelation(
        relation_definition_id=made.id, relation_definition_type="shades", work_item_ids=[fern]
    )
    assert [(one.id, one.relation_type) for one in relations.create(WS, project, oak, shades)] == [(fern, "shades")]
    assert [one.id for one in relations.list(WS, project, fern)["is shaded by"]] == [oak]
    relations.remove(WS, project, fern, oak)
    assert relations.list(WS, project, oak)["shades"] == []
    unknown = CreateWorkItemCustomRelation(
        relation_definition_id=str(uuid.uuid4()), relation_definition_type="x", work_item_ids=[fern]
    )
    with pytest.raises(HttpError):
        relations.create(WS, project, oak, unknown)
    changed = plane.work_item_relation_definitions.update(
        WS, made.id, UpdateWorkItemRelationDefinition(outward="darkens")
    )
    assert changed.outward == "darkens"
    assert plane.work_item_relation_definitions.list(WS, is_default=False, is_active=True).total_count == 1
    plane.work_item_relation_definitions.delete(WS, made.id)
    assert relations.list(WS, project, oak) == {}
