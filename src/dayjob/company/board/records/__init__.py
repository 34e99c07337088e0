"""The board's records: one dataclass for each table, its fields the columns a reader may see."""

from dayjob.company.board.records.items import (
    Activity,
    Attachment,
    Comment,
    CustomRelation,
    Item,
    Link,
    Relation,
    RelationDefinition,
    Worklog,
)
from dayjob.company.board.records.kinds import ItemType, PropertyOption, PropertyValue, TypeProperty
from dayjob.company.board.records.notes import Page, Sticky
from dayjob.company.board.records.people import Invitation, User, Workspace
from dayjob.company.board.records.plans import (
    Cycle,
    CycleItem,
    IntakeItem,
    Milestone,
    MilestoneItem,
    Module,
    ModuleItem,
)
from dayjob.company.board.records.projects import Estimate, EstimatePoint, Label, Project, State

__all__ = [
    "Activity",
    "Attachment",
    "Comment",
    "CustomRelation",
    "Cycle",
    "CycleItem",
    "Estimate",
    "EstimatePoint",
    "IntakeItem",
    "Invitation",
    "Item",
    "ItemType",
    "Label",
    "Link",
    "Milestone",
    "MilestoneItem",
    "Module",
    "ModuleItem",
    "Page",
    "Project",
    "PropertyOption",
    "PropertyValue",
    "Relation",
    "RelationDefinition",
    "State",
    "Sticky",
    "TypeProperty",
    "User",
    "Worklog",
    "Workspace",
]
