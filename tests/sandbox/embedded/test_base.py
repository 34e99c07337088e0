"""The bottom layer of every image: its folders, its own /etc, and what graders import."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from dayjob.sandbox import grader
from dayjob.sandbox.embedded import base
from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.layers import LayerStore
from dayjob.sandbox.sandbox import SandboxError


def test_what_every_image_has_whatever_its_system(tmp_path: Path) -> None:
    base.fill_common(tmp_path, base._packages_folder())
    folders = (
        "dev proc run mnt srv opt home etc var/tmp var/log var/cache var/lib workspace instruction utils npc root tmp "
        "usr/local/bin usr/local/lib usr/local/share"
    )
    assert [name for name in folders.split() if not (tmp_path / name).is_dir()] == []
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("tmp", "var/tmp", "root")}
    assert modes == {"tmp": 0o1777, "var/tmp": 0o1777, "root": 0o700}
    programs = {one.name: os.readlink(one) for one in (tmp_path / "usr/local/bin").iterdir()}
    python = "/usr/bin/python3"
    assert programs == {"python": python, "python3": python, "python_default": python, "pip": "/usr/bin/pip3"}
    packages = tmp_path / base._packages_folder()[1:]
    names = {one.name for one in packages.iterdir() if not one.name.endswith(".dist-info")}
    assert {"requests", "urllib3", "idna", "certifi", "charset_normalizer", "dayjob-standins.pth"} <= names
    assert (packages / "dayjob-standins.pth").read_text() == "/utils/standins\n"
    assert list(packages.rglob("*.so")) == []
    compiled = next((packages / "idna" / "__pycache__").glob("core.*.pyc"))
    path = f"{base._packages_folder()}/idna/core.py".encode()
    assert bytes([len(path)]) + path in compiled.read_bytes()  # as Python writes a short text: its length, and it


def test_packages_of_graders_are_python_alone_and_stay_in_their_folder() -> None:
    names = [name for _, name in grader.package_files()]
    assert {"requests/__init__.py", "idna/core.py"} <= set(names)
    assert [name for name in names if ".." in name or "__pycache__" in name or name.endswith((".so", ".pyc"))] == []


def test_the_base_layer_has_an_etc_of_its_own(tmp_path: Path) -> None:
    base._fill_host(tmp_path)
    passwd = (tmp_path / "etc/passwd").read_text().splitlines()
    assert passwd == [
        "root:x:0:0:root:/root:/bin/bash",
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
        "grader:x:60000:60000:grader:/tmp:/usr/sbin/nologin",
    ]
    assert (tmp_path / "etc/group").read_text() == "root:x:0:\ntty:x:5:\nnogroup:x:65534:\ngrader:x:60000:\n"
    assert (tmp_path / "etc/hosts").read_text() == "127.0.0.1 localhost\n"
    assert (tmp_path / "etc/nsswitch.conf").read_text() == "passwd: files\ngroup: files\nhosts: files dns\n"
    assert (tmp_path / "etc/shells").read_text() == "/bin/sh\n/bin/bash\n"
    assert (tmp_path / "etc/resolv.conf").read_text() == (tmp_path / "etc/gitconfig").read_text() == ""
    assert not (tmp_path / "etc/shadow").exists()
    assert not (tmp_path / "etc/hostname").exists()
    for name in ("bin", "sbin", "lib"):
        assert os.readlink(tmp_path / name) == f"usr/{name}"
    shown = base.host_system()
    assert "/usr/local" not in shown
    assert {"/usr/bin", "/usr/lib"} <= set(shown)
    assert all((tmp_path / path[1:]).is_dir() for path in shown)


def test_of_etc_only_what_anybody_may_read_is_copied_and_links_stay_links(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "sub").mkdir(parents=True)
    for name, mode in {"open": 0o644, "secret": 0o640, "sub/open": 0o604}.items():
        (source / name).write_text(name)
        (source / name).chmod(mode)
    (source / "link").symlink_to("open")
    (source / "dangling").symlink_to("nowhere")
    (source / "localtime").symlink_to("open")
    base._copy(source, target)
    base._copy(tmp_path / "absent", target / "absent")
    assert sorted(str(one.relative_to(target)) for one in target.rglob("*")) == [
        "link",
        "localtime",
        "open",
        "sub",
        "sub/open",
    ]
    assert os.readlink(target / "link") == "open"
    assert (target / "localtime").read_text() == "open"
    assert not (target / "localtime").is_symlink()


ETC = (
    "alternatives ssl/certs ssl/openssl.cnf ca-certificates ld.so.cache ld.so.conf ld.so.conf.d mime.types localtime "
    "services protocols python3 python3.10 python3.11 python3.12 python3.13 perl terminfo magic fonts debian_version "
    "os-release inputrc bash.bashrc profile ImageMagick-6 libreoffice chromium chromium.d java-17-openjdk R"
)


def test_of_the_hosts_etc_a_room_has_these_and_its_graders_these_packages() -> None:
    assert set(base._ETC) == set(ETC.split())
    assert grader.PACKAGES == ("requests", "urllib3", "idna", "certifi", "charset-normalizer")


def test_a_host_without_a_python_for_graders_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "PYTHON", str(tmp_path / "python3"))
    with pytest.raises(SandboxError, match="install the system's python3"):
        base.host_base(LayerStore(tmp_path / "cache", of_this_user()))
