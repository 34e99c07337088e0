"""Programs other people wrote, used as they are: pyocclient, webdavclient3, rclone, cadaver, curl."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import owncloud  # type: ignore[import-untyped]  # pyocclient has no type information
import pytest
from webdav3.client import Client as WebdavClient  # type: ignore[import-untyped]  # likewise

from tests.company.drive.client import Client
from tests.company.serving import Served

PASSWORD = "blank-root-pass"


# -- pyocclient --------------------------------------------------------------------------------------------------


@pytest.fixture(params=[0, 1], ids=["webdav", "dav-files"])
def oc(blank: Served, request: pytest.FixtureRequest) -> Any:
    client = owncloud.Client(blank.url("drive"), dav_endpoint_version=request.param)
    client.login("root", PASSWORD)
    return client


NAMES = ["test.txt", "test space and + and #.txt", "文件.txt"]


@pytest.mark.parametrize("name", NAMES)
def test_pyocclient_reads_what_it_wrote(oc: Any, name: str) -> None:
    assert oc.mkdir("/folder")
    assert oc.put_file_contents(f"/folder/{name}", b"hello")
    assert oc.get_file_contents(f"/folder/{name}") == b"hello"
    info = oc.file_info(f"/folder/{name}")
    assert (info.get_name(), info.get_path(), info.get_size()) == (name, "/folder", 5)
    assert info.get_content_type() == "text/plain"
    assert info.get_last_modified().year > 2000
    assert oc.file_info("/folder").is_dir()
    assert [one.get_name() for one in oc.list("/folder")] == [name]
    assert oc.move(f"/folder/{name}", "/folder/moved.txt")
    assert oc.copy("/folder/moved.txt", f"/folder/{name}")
    assert oc.delete("/folder/moved.txt")
    with pytest.raises(owncloud.HTTPResponseError) as refused:
        oc.file_info("/folder/moved.txt")
    assert refused.value.status_code == 404


def test_pyocclient_uploads_in_chunks_and_whole_folders(oc: Any, tmp_path: Path) -> None:
    (tmp_path / "up" / "deep").mkdir(parents=True)
    (tmp_path / "up" / "small.txt").write_text("small")
    (tmp_path / "up" / "deep" / "big.bin").write_bytes(bytes(range(256)) * 20)
    assert oc.put_file("/big.bin", str(tmp_path / "up" / "deep" / "big.bin"), chunk_size=1000)
    assert oc.file_info("/big.bin").get_size() == 5120
    assert oc.get_file_contents("/big.bin") == bytes(range(256)) * 20
    assert oc.put_directory("/", str(tmp_path / "up"))
    assert [one.get_name() for one in oc.list("/up", depth="infinity")] == ["deep", "big.bin", "small.txt"]
    assert oc.get_directory_as_zip("/up", str(tmp_path / "got.zip"))
    assert (tmp_path / "got.zip").read_bytes().startswith(b"PK")


def test_pyocclient_shares_with_people_groups_and_by_link(oc: Any, blank: Served) -> None:
    oc.put_file_contents("/a.txt", b"x")
    oc.create_user("share", "Avcpwd4l!")
    oc.create_group("team")
    user = oc.share_file_with_user("/a.txt", "share", perms=1)
    assert user.get_permissions() == 1
    received = owncloud.Client(blank.url("drive"))
    received.login("share", "Avcpwd4l!")
    (mine,) = received.get_shares("/", shared_with_me=True)
    assert (mine.get_uid_owner(), mine.share_info["file_target"]) == ("root", "/a.txt")
    group = oc.share_file_with_group("/a.txt", "team", perms=31)
    link = oc.share_file_with_link("/a.txt", name="Test Link", password="AnvvsP1234")
    assert link.get_name() == "Test Link"
    assert link.get_link().endswith(link.get_token())
    assert len(oc.get_shares("/a.txt")) == 3
    assert oc.update_share(user.get_id(), perms=19)
    assert oc.get_share(user.get_id()).get_permissions() == 19
    for share in (user, group, link):
        assert oc.delete_share(share.get_id())
    assert not oc.is_shared("/a.txt")


def test_pyocclient_manages_people_and_groups(oc: Any) -> None:
    assert oc.create_user("ghost", "ghost_pass")
    assert oc.create_group("grp1")
    assert oc.user_exists("ghost")
    assert oc.add_user_to_group("ghost", "grp1")
    assert oc.user_is_in_group("ghost", "grp1")
    assert oc.get_group_members("grp1") == ["ghost"]
    assert oc.set_user_attribute("ghost", "email", "test@inf.org")
    assert oc.get_user("ghost")["email"] == "test@inf.org"
    assert oc.remove_user_from_group("ghost", "grp1")
    assert oc.delete_group("grp1")
    assert oc.delete_user("ghost")
    assert not oc.user_exists("ghost")
    for name, arguments, code in (
        ("create_user", ("root", "x"), 102),
        ("set_user_attribute", ("root", "email", "not/an%address"), 102),
        ("add_user_to_group", ("root", "none"), 102),
        ("remove_user_from_group", ("root", ""), 101),
        ("remove_user_from_group", ("nobody", "admin"), 103),
    ):
        with pytest.raises(owncloud.OCSResponseError) as refused:
            getattr(oc, name)(*arguments)
        assert refused.value.status_code == code


def test_pyocclient_keeps_private_notes_and_reads_what_the_server_is(oc: Any) -> None:
    assert oc.set_attribute("app", "attr+plus space", "value and/slash")
    assert oc.get_attribute("app", "attr+plus space") == "value and/slash"
    assert oc.get_attribute("app") == [("attr+plus space", "value and/slash")]
    assert oc.delete_attribute("app", "attr+plus space")
    assert oc.get_attribute("app", "attr+plus space") is None
    assert oc.get_capabilities()["files"]["bigfilechunking"] == "1"
    assert oc.get_version().startswith("10.")
    assert dict(oc.get_config())["website"] == "ownCloud"
    assert oc.get_apps()["provisioning_api"]
    assert oc.enable_app("activity")
    assert oc.disable_app("activity")


def test_pyocclient_uses_a_public_folder(oc: Any, blank: Served, tmp_path: Path) -> None:
    oc.mkdir("/in")
    token = oc.share_file_with_link("/in", perms=4).get_token()
    visitor = owncloud.Client(blank.url("drive"))
    visitor.anon_login(token)
    (tmp_path / "drop.txt").write_text("dropped")
    assert visitor.drop_file(str(tmp_path / "drop.txt"))
    assert oc.get_file_contents("/in/drop.txt") == b"dropped"
    with pytest.raises(owncloud.HTTPResponseError) as refused:
        visitor.list("/")
    assert refused.value.status_code == 404


# -- webdavclient3 -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("root", ["/remote.php/webdav", "/remote.php/dav/files/root/"])
def test_webdavclient3_works_in_all_its_verbs(blank: Served, tmp_path: Path, root: str) -> None:
    address = {"webdav_hostname": blank.url("drive"), "webdav_root": root}
    client = WebdavClient({**address, "webdav_login": "root", "webdav_password": PASSWORD})
    local = tmp_path / "local"
    (local / "inner").mkdir(parents=True)
    (local / "inner" / "тест.txt").write_text("content")
    client.upload("folder", str(local))
    assert client.list("folder/inner") == ["тест.txt"]
    assert client.check("folder/inner/тест.txt")
    assert client.is_dir("folder")
    assert client.info("folder/inner/тест.txt")["size"] == "7"
    client.copy("folder", "copied")
    client.move("copied/inner/тест.txt", "copied/moved.txt")
    assert client.list("copied") == ["inner/", "moved.txt"]
    client.set_property("copied/moved.txt", {"namespace": "test", "name": "colour", "value": "blue"})
    assert client.get_property("copied/moved.txt", {"namespace": "test", "name": "colour"}) == "blue"
    assert client.free() > 0
    with client.lock("copied") as locked:
        locked.upload_to(b"changed", "copied/moved.txt")
    client.download("copied", str(tmp_path / "got"))
    assert (tmp_path / "got" / "moved.txt").read_text() == "changed"
    client.clean("folder")
    assert client.list() == ["copied/"]


# -- command lines -----------------------------------------------------------------------------------------------


def run(*command: str, **options: Any) -> str:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, timeout=60, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_rclone_syncs_both_ways_with_checksums_and_times(blank: Served, tmp_path: Path) -> None:
    secret = run("rclone", "obscure", PASSWORD).strip()
    config = tmp_path / "rclone.conf"
    url = f"{blank.url('drive')}/remote.php/webdav/"
    config.write_text(f"[d]\ntype = webdav\nurl = {url}\nvendor = owncloud\nuser = root\npass = {secret}\n")
    rclone = ("rclone", "--config", str(config))
    source = tmp_path / "source"
    (source / "a b" / "ü").mkdir(parents=True)
    (source / "one.txt").write_text("1")
    (source / "a b" / "ü" / "two#2.bin").write_bytes(os.urandom(300_000))
    os.utime(source / "one.txt", (1_600_000_000, 1_600_000_000))
    run(*rclone, "sync", str(source), "d:backup")
    run(*rclone, "check", str(source), "d:backup")
    listed = {one["Path"]: one for one in json.loads(run(*rclone, "lsjson", "-R", "--hash", "d:backup"))}
    assert listed["one.txt"]["ModTime"].startswith("2020-09-13T12:26:40")
    assert listed["one.txt"]["Hashes"]["sha1"] == "356a192b7913b04c54574d18c28d46e6395428ab"
    (source / "one.txt").unlink()
    run(*rclone, "sync", str(source), "d:backup")
    run(*rclone, "copy", "d:backup", str(tmp_path / "back"))
    assert sorted(path.name for path in (tmp_path / "back").rglob("*.*")) == ["two#2.bin"]
    run(*rclone, "moveto", "d:backup/a b", "d:elsewhere")
    run(*rclone, "purge", "d:backup")
    assert json.loads(run(*rclone, "about", "--json", "d:"))["used"] == 300_000


def test_cadaver_walks_writes_and_locks(blank: Served, tmp_path: Path) -> None:
    (tmp_path / "up.txt").write_text("from cadaver")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".netrc").write_text(f"machine 127.0.0.1 login root password {PASSWORD}\n")
    (home / ".netrc").chmod(0o600)
    commands = "mkcol in\ncd in\nput up.txt\nlock up.txt\nput up.txt\nunlock up.txt\nmove up.txt moved.txt\nls\nquit\n"
    said = run(
        "cadaver",
        f"{blank.url('drive')}/remote.php/webdav/",
        input=commands,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(home)},
    )
    assert "failed" not in said.lower()
    assert "moved.txt" in said
    assert Client(blank.url("drive")).get("/in/moved.txt") == b"from cadaver"


def test_curl_resumes_a_download_and_uploads_without_a_length(blank: Served, tmp_path: Path) -> None:
    url = f"{blank.url('drive')}/remote.php/webdav/file.bin"
    (tmp_path / "up").write_bytes(b"0123456789" * 1000)
    run("curl", "-sSf", "-u", f"root:{PASSWORD}", "-T", "-", url, stdin=(tmp_path / "up").open("rb"))
    (tmp_path / "down").write_bytes(b"0123456789" * 300)
    run("curl", "-sSf", "-u", f"root:{PASSWORD}", "-C", "-", "-o", str(tmp_path / "down"), url)
    assert (tmp_path / "down").read_bytes() == (tmp_path / "up").read_bytes()
