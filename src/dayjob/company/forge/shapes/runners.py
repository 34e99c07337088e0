"""Runners on the wire."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.rows.ci import Runner
from dayjob.company.forge.store import namespaces, projects, runners


def basic(call: Call, runner: Runner) -> dict[str, Any]:
    status = runners.status(call.store, runner)
    return {
        "id": runner.id,
        "description": runner.description,
        "ip_address": "" if runner.contacted_at else None,
        "active": not runner.paused,
        "paused": bool(runner.paused),
        "is_shared": runner.kind == "instance_type",
        "runner_type": runner.kind,
        "name": runner.facts.get("name"),
        "online": status == "online",
        "created_at": runner.created_at,
        "status": status,
        "job_execution_status": "active" if runners.is_busy(call.store, runner) else "idle",
    }


def details(call: Call, runner: Runner) -> dict[str, Any]:
    facts = runner.facts
    places = runners.places(call.store, runner)
    found = {
        **basic(call, runner),
        "tag_list": runner.tag_names,
        "run_untagged": bool(runner.run_untagged),
        "locked": bool(runner.locked),
        "maximum_timeout": runner.maximum_timeout,
        "access_level": runner.access_level,
        "maintenance_note": runner.maintenance_note,
        "version": facts.get("version"),
        "revision": facts.get("revision"),
        "platform": facts.get("platform"),
        "architecture": facts.get("architecture"),
        "contacted_at": runner.contacted_at,
        "projects": [],
        "groups": [],
    }
    if runner.kind == "project_type":
        rows = [project for number in places if (project := projects.find(call.store, number)) is not None]
        found["projects"] = [
            {
                "id": project.id,
                "name": project.name,
                "name_with_namespace": project.full_path.replace("/", " / "),
                "path": project.path,
                "path_with_namespace": project.full_path,
            }
            for project in rows
        ]
    elif runner.kind == "group_type":
        groups = [group for number in places if (group := namespaces.find(call.store, number)) is not None]
        found["groups"] = [
            {"id": group.id, "web_url": f"{call.base}/groups/{group.full_path}", "name": group.name} for group in groups
        ]
    return found


def brief(runner: Runner) -> dict[str, Any]:
    """A runner as a job names it."""
    return {
        "id": runner.id,
        "description": runner.description,
        "ip_address": "",
        "active": not runner.paused,
        "paused": bool(runner.paused),
        "is_shared": runner.kind == "instance_type",
        "runner_type": runner.kind,
        "name": runner.facts.get("name"),
        "online": True,
        "created_at": runner.created_at,
        "status": "online",
        "job_execution_status": "idle",
    }


def manager(call: Call, runner: Runner) -> dict[str, Any]:
    facts = runner.facts
    return {
        "id": runner.id,
        "system_id": str(facts.get("system_id") or f"s_{runner.id:012x}"),
        "version": facts.get("version"),
        "revision": facts.get("revision"),
        "platform": facts.get("platform"),
        "architecture": facts.get("architecture"),
        "created_at": runner.created_at,
        "contacted_at": runner.contacted_at,
        "ip_address": "",
        "status": runners.status(call.store, runner),
        "job_execution_status": "active" if runners.is_busy(call.store, runner) else "idle",
    }
