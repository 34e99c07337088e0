"""Public keys: what counts as one, and deploy keys in several projects."""

from __future__ import annotations

import pytest

from dayjob.company.forge.store import keys
from tests.company.bare import day
from tests.company.forge.offices import Office, refused

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
OTHER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJm"
MD5 = "65:96:2d:fc:e8:d5:a9:11:64:0c:0f:ea:00:6e:5b:bd"
SHA256 = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"


@pytest.mark.parametrize(
    ("key", "good"),
    [(KEY, True), (KEY + " a comment", True), ("ssh-rsa " + KEY.split()[1], False),
     ("ssh-ed25519", False),
     ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5", False), ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5eA==", True),
     ("ssh-ed25519 %%%", False), (KEY.replace("AAAA", "AA%AA"), False),
     ("nothing " + KEY.split()[1], False), ("ssh-ed25519 AAAA", False)],
)  # fmt: skip
def test_what_counts_as_a_public_key(office: Office, key: str, good: bool) -> None:
    assert (keys.fingerprints(key) is not None) is good
    if good:
        keys.add(office.store, "user", office.root.id, "mine", key)
        assert refused(keys.add, office.store, "user", office.root.id, "again", key) == 400
    else:
        assert refused(keys.add, office.store, "user", office.root.id, "mine", key) == 400


def test_a_keys_fingerprints_are_those_ssh_keygen_tells(office: Office) -> None:
    assert keys.fingerprints(KEY) == (MD5, SHA256)
    keys.add(office.store, "user", office.root.id, "mine", KEY)
    other = keys.add(office.store, "user", office.root.id, "other", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5eA==")
    assert other.title == "other"
    kept = keys.add(office.store, "deploy", None, "ci", f" {OTHER} ", day(3))
    assert (kept.kind, kept.user_id, kept.title, kept.key, kept.expires_at) == ("deploy", None, "ci", OTHER, day(3))
    assert (kept.fingerprint, kept.fingerprint_sha256) == keys.fingerprints(OTHER)
    assert (kept.created_at, other.kind, other.user_id, other.expires_at) == (
        office.store.now(), "user", office.root.id, None,
    )  # fmt: skip


def test_a_deploy_key_is_one_key_in_all_its_projects_and_goes_with_the_last(office: Office) -> None:
    shed, barn = office.project("shed"), office.project("barn")
    key = keys.add_to_project(office.store, shed, "ci", KEY, None, can_push=True)
    assert keys.add_to_project(office.store, barn, "again", KEY, None, can_push=False) == key
    assert keys.of_project(office.store, shed) == [(key, True)]
    assert keys.of_project(office.store, barn) == [(key, False)]
    assert [enabled.project_id for enabled in keys.where_enabled(office.store, key)] == [shed.id, barn.id]
    assert keys.projects_with(office.store, key, can_push=True) == [shed]
    keys.change_in_project(office.store, barn, key, title="new", can_push=True)
    changed, push = keys.find_of_project(office.store, barn, key.id)
    assert (changed.title, push) == ("new", True)
    keys.remove_from_project(office.store, shed, key.id)
    assert refused(keys.find_of_project, office.store, shed, key.id) == 404
    assert keys.find(office.store, key.id) is not None
    keys.remove_from_project(office.store, barn, key.id)
    assert keys.find(office.store, key.id) is None


def test_only_deploy_keys_can_be_enabled_in_a_project_and_without_the_right_to_push(office: Office) -> None:
    project = office.project("shed")
    own = keys.add(office.store, "user", office.root.id, "mine", KEY)
    deploy = keys.add(office.store, "deploy", None, "ci", OTHER)
    assert refused(keys.enable, office.store, project, own.id) == 404
    assert keys.enable(office.store, project, deploy.id) == deploy
    assert keys.find_of_project(office.store, project, deploy.id) == (deploy, False)
    assert keys.by_fingerprint(office.store, SHA256) == keys.by_fingerprint(office.store, f"MD5:{MD5}") == own
    assert refused(keys.find_of_user, office.store, office.person("ann"), own.id) == 404
    keys.delete_of_user(office.store, office.root, own.id)
    assert keys.find(office.store, own.id) is None
