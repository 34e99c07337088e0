"""The forge's part of a snapshot: accounts, groups, projects and their work as rows; code as packed bare repositories.

The same world gives the same ids and the same SHAs. All repositories are written through one scratch object store and
packed one by one, so that two hundred small ones take seconds.
"""

from __future__ import annotations

import tempfile

import pygit2

from dayjob import owned
from dayjob.company.forge.store.runners import OWN_DESCRIPTION
from dayjob.company.forge.world.compiling.people import add_accounts, add_group, add_outsiders
from dayjob.company.forge.world.compiling.pipelines import add_pipelines, add_schedules
from dayjob.company.forge.world.compiling.projects import add_project, project_ids
from dayjob.company.forge.world.compiling.rows import Rows
from dayjob.company.forge.world.compiling.work import add_links
from dayjob.company.forge.world.model import Section
from dayjob.company.forge.world.reader import START
from dayjob.company.world import Build


def compile(section: Section, build: Build) -> None:
    rows = Rows(build)
    add_accounts(rows)
    for one in section.groups:
        add_group(rows, one)
    add_outsiders(rows, section.outsiders)
    with tempfile.TemporaryDirectory(prefix=owned.prefix("forge")) as scratch:
        repo = pygit2.init_repository(scratch, bare=True)
        numbered = zip(project_ids(section), section.projects, strict=True)
        projects = [(id, project, add_project(rows, id, project, repo)) for id, project in numbered]
        # Before anything else can be registered: the runner whose token only the host gets.
        runner_id = rows.insert("runners", kind="instance_type", description=OWN_DESCRIPTION, created_at=START)
        add_pipelines(rows, projects, repo, runner_id)
        add_schedules(rows, projects)
    add_links(rows, section)
