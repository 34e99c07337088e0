"""Generic packages: files by name and version. What is in them is in the company's blobs."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Package, PackageFile, Project
from dayjob.company.forge.store import access, namespaces
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import placeholders


def add_file(
    store: Store, creator: User, project: Project, name: str, version: str, file_name: str, **contents: Any
) -> PackageFile:
    """Put a file into a package; the first one makes the package. `contents` are its size, blob and digests."""
    now = store.now()
    with store.transaction():
        package = store.one(
            Package, "project_id=? AND package_type='generic' AND name=? AND version=?", project.id, name, version
        )
        package_id = package.id if package is not None else store.insert(
            "packages", project_id=project.id, name=name, version=version, package_type="generic", created_at=now,
            creator_id=creator.id,
        )  # fmt: skip
        file_id = store.insert("package_files", package_id=package_id, file_name=file_name, created_at=now, **contents)
    return store.get(PackageFile, file_id)


def file_of(store: Store, project: Project, name: str, version: str, file_name: str) -> PackageFile:
    """A file of a package: of several with one name, the newest."""
    file_id: int | None = store.value(
        "SELECT f.id FROM package_files f JOIN packages p ON p.id=f.package_id WHERE p.project_id=? AND "
        "p.name=? AND p.version=? AND f.file_name=? ORDER BY f.id DESC",
        project.id, name, version, file_name,
    )  # fmt: skip
    if file_id is None:
        raise not_found()
    return store.get(PackageFile, file_id)


def of_project(store: Store, project: Project, name: str | None, kind: str | None) -> list[Package]:
    """A project's packages, narrowed to a part of their name and to a type."""
    return _listed(store, "project_id=?", [project.id], name, kind)


def of_group(store: Store, viewer: User | None, group: Namespace, name: str | None, kind: str | None) -> list[Package]:
    """The packages of a group's projects that somebody may see, those of subgroups among them."""
    below = namespaces.descendants(store, group.id)
    within = f"SELECT id FROM projects WHERE namespace_id IN ({placeholders(below)})"
    seen = access.visible_projects(viewer, "project_id")
    return _listed(store, f"project_id IN ({within}) AND {seen}", list(below), name, kind)


def _listed(store: Store, where: str, args: list[Any], name: str | None, kind: str | None) -> list[Package]:
    if name:
        where += " AND instr(name, ?)"
        args.append(name)
    if kind:
        where += " AND package_type=?"
        args.append(kind)
    return store.all(Package, f"{where} ORDER BY id", *args)


def find(store: Store, project: Project, package_id: int) -> Package:
    return store.required(Package, "id=? AND project_id=?", package_id, project.id)


def files(store: Store, package: Package) -> list[PackageFile]:
    return store.all(PackageFile, "package_id=? ORDER BY id", package.id)


def delete(store: Store, package: Package) -> None:
    store.delete("packages", package.id)


def delete_file(store: Store, package: Package, file_id: int) -> None:
    file = store.one(PackageFile, "id=? AND package_id=?", file_id, package.id)
    if file is None:
        raise not_found()
    store.delete("package_files", file.id)
