"""What of a container's changes counts as installed."""

from __future__ import annotations

import pytest

from dayjob.sandbox.docker.changes import changes_in

FOLDERS = ("/usr", "/etc")


@pytest.mark.parametrize(
    ("diff", "files", "gone", "folders"),
    [
        ("", set(), [], ()),
        ("C /usr\nC /usr/bin\nA /usr/bin/greet", {"usr/bin/greet"}, [], ("/usr",)),
        ("C /etc\nC /etc/passwd", {"etc/passwd"}, [], ("/etc",)),
        ("C /usr\nA /usr/lib/a\nA /usr/lib/a/b", {"usr/lib/a", "usr/lib/a/b"}, [], ("/usr",)),
        ("C /usr\nC /usr/bin\nD /usr/bin/jq", set(), ["/usr/bin/jq"], ("/usr",)),
        ("C /etc\nA /etc/hosts\nA /etc/ssl/own/x", set(), [], ()),
        ("A /etc/hosts.allow", {"etc/hosts.allow"}, [], ("/etc",)),
        (
            "C /etc\nC /etc/ssl\nC /etc/ssl/own\nA /etc/ssl/own/x\nC /usr\nC /usr/lib\nA /usr/lib/__pycache__",
            set(),
            [],
            (),
        ),
        ("A /workspace/x\nA /usrlocal/x\nC /usr\nA /", set(), [], ()),
        ("A /usr/lib/python3/__pycache__/a.pyc\nA /usr/lib/__pycache__", set(), [], ()),
        ("A /usr/a b\nB /usr/c\n /usr/d", {"usr/a b"}, [], ("/usr",)),
        ("A /etc/x\nD /usr/y", {"etc/x"}, ["/usr/y"], ("/usr", "/etc")),
    ],
)
def test_files_are_told_from_the_folders_they_are_in(
    diff: str, files: set[str], gone: list[str], folders: tuple[str, ...]
) -> None:
    found = changes_in(diff, FOLDERS, ("/etc/hosts", "/etc/ssl/own"))
    assert (found.files, found.gone, found.folders) == (files, gone, folders)
