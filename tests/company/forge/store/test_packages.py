"""Packages: which files are one package, and which of them counts."""

from __future__ import annotations

from dayjob.company.forge.store import namespaces, packages
from tests.company.forge.offices import Office, refused


def test_files_of_one_name_and_version_are_one_package_and_the_newest_counts(office: Office) -> None:
    project, other = office.project("shed", office.group("garden")), office.project("barn")
    first, second = (
        packages.add_file(office.store, office.root, project, "p", "1", "f", size=1, blob=blob) for blob in "xy"
    )
    assert first.package_id == second.package_id
    assert packages.file_of(office.store, project, "p", "1", "f").blob == "y"
    assert refused(packages.file_of, office.store, project, "p", "2", "f") == 404
    package = packages.find(office.store, project, first.package_id)
    assert refused(packages.find, office.store, other, package.id) == 404
    group = namespaces.get(office.store, project.namespace_id)
    assert packages.of_group(office.store, office.root, group, None, None) == [package]
    assert packages.of_group(office.store, None, group, None, None) == []
    assert packages.of_project(office.store, project, "q", None) == []
    packages.delete_file(office.store, package, second.id)
    assert refused(packages.delete_file, office.store, package, second.id) == 404
    assert packages.files(office.store, package) == [first]


def test_a_package_goes_with_its_files_and_no_other_does(office: Office) -> None:
    project = office.project("shed")
    gone, stays = (
        packages.add_file(office.store, office.root, project, "p", version, "f", size=1, blob=version)
        for version in "12"
    )
    packages.delete(office.store, packages.find(office.store, project, gone.package_id))
    assert [one.id for one in packages.of_project(office.store, project, None, None)] == [stays.package_id]
    assert office.store.values("SELECT id FROM package_files") == [stays.id]
    assert refused(packages.file_of, office.store, project, "p", "1", "f") == 404
    assert packages.file_of(office.store, project, "p", "2", "f").blob == "2"
