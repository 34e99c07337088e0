"""The drive's part of a world: what its files become, and what is wrong with them, with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob.company.drive import Drive
from dayjob.company.drive.sizes import parse_size
from dayjob.company.drive.world import Section
from dayjob.company.world import Snapshot, build_snapshot, load_world
from tests.company.drive.client import OC, Client
from tests.company.serving import WORLDS, Served, serve

TOML = '[accounts.drive]\nusername = "company"\npassword = "company-pass"\n'


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in {"world.toml": TOML, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def people(*usernames: str) -> dict[str, str]:
    return {f"people/{name}.yml": f"name: {name.title()}\nusername: {name}\npassword: pw\n" for name in usernames}


def problems(folder: Path, files: dict[str, str]) -> list[str]:
    world = load_world(write(folder, files))
    assert isinstance(Drive.load(world), Section)
    return [str(one) for one in world.problems.found]


def test_everyone_at_larkspur_sees_the_companys_folders(larkspur: Served, sam: Client) -> None:
    assert {"Company", "Customers", "Engineering", "Finance", "Marketing", "Operations", "Product"} <= set(sam.names())
    assert b"Accounts" in sam.get("/Company/onboarding.md")
    assert sam.property("/Company/handbook.md", f"{OC}owner-id") == "larkspur"
    assert sam.put("/Operations/new.md", "x").status_code == 201
    company = Client(larkspur.url("drive"), "larkspur", "admin-of-larkspur-drive")
    assert company.get("/Operations/new.md") == b"x"
    assert sam.get("/notes.md").startswith(b"# Notes")


def test_the_folder_people_is_not_for_everyone(larkspur: Served, sam: Client) -> None:
    """Attendance, applications and salaries: Hana, Felix and Ines have them, Sam does not."""
    assert "People" not in sam.names()
    assert sam.dav("GET", "/People/salaries-2026.xlsx").status_code == 404
    company = Client(larkspur.url("drive"), "larkspur", "admin-of-larkspur-drive")
    assert company.get("/People/salaries-2026.xlsx").startswith(b"PK")
    shares = company.ocs("GET", "/apps/files_sharing/api/v1/shares", params={"path": "/People"})["data"]
    assert {one["share_with"] for one in shares} == {"hana.sato", "felix.brandt", "ines.carvalho"}


def test_documents_of_every_kind_arrive_as_they_were_written(sam: Client) -> None:
    files = WORLDS / "larkspur" / "drive" / "files"
    for path in (
        "Finance/Purchase orders/purchase-orders-2026.xlsx",
        "Finance/Invoices/2026-01-05-invoice-brightwater-hosting-bw-2601.pdf",
        "Operations/Contracts/2024-05-01-contract-noordzee-telecom.docx",
        "Product/Research/2026-02-swap-gestures.odt",
        "Marketing/Logo/larkspur-logo.png",
        "Engineering/Usage/2025-q4-usage.sqlite",
    ):
        assert sam.get(f"/{path}") == (files / path).read_bytes(), path


def test_a_colleague_without_a_password_cannot_sign_in(larkspur: Served) -> None:
    for password in ("", "hana.sato"):
        assert Client(larkspur.url("drive"), "hana.sato", password).dav("GET", "/").status_code == 401


def test_the_press_kits_link_is_open_to_the_world(larkspur: Served) -> None:
    company = Client(larkspur.url("drive"), "larkspur", "admin-of-larkspur-drive")
    (link,) = [one for one in company.ocs("GET", "/apps/files_sharing/api/v1/shares")["data"] if one["share_type"] == 3]
    page = Client(larkspur.url("drive"), None).raw("GET", f"/index.php/s/{link['token']}/download")
    assert page.content.startswith(b"# Larkspur: press kit")


def test_the_blank_drive_is_empty_and_belongs_to_an_administrator(root: Client) -> None:
    assert root.names() == []
    assert root.ocs("GET", "/cloud/users/root/groups")["data"]["groups"] == ["admin"]
    assert root.ocs("GET", "/cloud/users")["data"]["users"] == ["root"]


def test_the_same_world_compiles_to_the_same_bytes(tmp_path: Path) -> None:
    first = build_snapshot(WORLDS / "larkspur", cache=tmp_path / "one")
    second = build_snapshot(WORLDS / "larkspur", cache=tmp_path / "two")
    assert (first.path / "drive.db").read_bytes() == (second.path / "drive.db").read_bytes()


def test_shares_of_a_world_are_as_its_file_says(tmp_path: Path) -> None:
    shares = (
        "- path: /Private\n  with: [ana]\n  permissions: read\n"
        "- path: /plan.md\n  owner: ana\n  with: ben\n  permissions: edit\n"
        "- path: /Open/a.txt\n  with: public link\n  password: sesame\n  expires: 2099-01-01\n  token: openlink1\n"
    )
    files = {
        **people("ana", "ben"),
        "drive/files/Private/secret.txt": "s",
        "drive/files/Open/a.txt": "a",
        "drive/files/Empty/.gitkeep": "",
        "drive/people/ana/plan.md": "plan",
        "drive/shares.yml": shares,
    }
    snapshot: Snapshot = build_snapshot(write(tmp_path / "world", files), cache=tmp_path / "cache")
    with serve(snapshot) as served:
        url = served.url("drive")
        ana, ben = Client(url, "ana", "pw"), Client(url, "ben", "pw")
        assert ana.names() == ["Empty", "Open", "Private", "plan.md"]
        assert ben.names() == ["Empty", "Open", "plan.md"]
        assert ana.put("/Private/secret.txt", "changed").status_code == 403
        assert ben.put("/plan.md", "better").status_code == 204
        assert ana.names("/Empty") == []
        nobody = Client(url, None)
        assert nobody.raw("GET", "/s/openlink1").status_code == 302
        assert Client(url, "openlink1", "sesame").raw("GET", "/public.php/webdav").content == b"a"


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ("- path: /none\n  with: everyone\n", "drive/shares.yml:1: There is no '/none'"),
        ("- path: /a\n  with: stranger\n", "drive/shares.yml:2: Nobody here is called 'stranger'"),
        ("- path: /a\n  with: [ana, stranger]\n", "drive/shares.yml:2: Nobody here is called 'stranger'"),
        ("- path: /a\n  owner: stranger\n  with: ana\n", "drive/shares.yml:2: Nobody here is called 'stranger'"),
        ("- path: /a\n  with: ana\n  permissions: own\n", "drive/shares.yml:3: 'own' is not a permission"),
        ("- path: /a\n  with: ana\n  colour: red\n", "drive/shares.yml:3: 'colour' means nothing"),
        ("- path: /a\n  with: ana\n  password: x\n", "drive/shares.yml:3: Only a public link has a password"),
        ("- path: /a\n  with: public link\n  expires: soon\n", "drive/shares.yml:3: 'soon' is not a date"),
        ("- path: /a\n  with: public link\n  token: a/b\n", "drive/shares.yml:3: 'a/b' is not a link's token"),
        ("- path: /a\n", "drive/shares.yml:1: This share says not with whom"),
        ("- path: /a\n  with: ana\n- path: /a\n  with: ana\n", "drive/shares.yml:3: /a is shared like this twice"),
        ("path: /a\n", "drive/shares.yml:1: Shares are a list"),
        ("- /a\n", "drive/shares.yml:1: '/a' is not a share"),
        ("- path: [\n", "drive/shares.yml:2: This is not valid YAML"),
    ],
)
def test_a_wrong_share_is_named_with_its_line(tmp_path: Path, share: str, expected: str) -> None:
    found = problems(tmp_path, {**people("ana"), "drive/files/a/x.txt": "x", "drive/shares.yml": share})
    assert any(one.startswith(expected) for one in found), found


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("drive/files/a\\b.txt", "'a\\b.txt' cannot be in a drive"),
        ("drive/files/.htaccess", "'.htaccess' cannot be in a drive"),
        ("drive/files/x.part", "'x.part' cannot be in a drive"),
        ("drive/people/stranger/a.txt", "Nobody here is called 'stranger'"),
        ("drive/loose.txt", "This file is in no part of the drive"),
    ],
)
def test_a_file_that_cannot_be_in_a_drive_is_named(tmp_path: Path, file: str, expected: str) -> None:
    (found,) = problems(tmp_path, {file: "x"})
    assert found.startswith(f"{file}: {expected}")


def test_two_spellings_of_one_name_are_one_file_too_many(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, {"drive/files/caf\u00e9.txt": "x", "drive/files/cafe\u0301.txt": "y"})
    assert "is in the drive twice" in found


def test_a_person_cannot_have_the_name_of_the_drives_own_account(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, people("company"))
    assert found.startswith("people/company.yml:1: 'company' is the drive's own account")


@pytest.mark.parametrize(
    ("text", "size"),
    [("5 GB", 5 * 10**9), ("200mb", 2 * 10**8), (1000, 1000), ("12", 12), ("much", None), (-1, None), ("1 XB", None)],
)
def test_a_size_is_read_as_people_write_it(text: object, size: int | None) -> None:
    assert parse_size(text) == size


def test_a_worlds_quota_is_everybodys(tmp_path: Path) -> None:
    folder = write(tmp_path / "world", {**people("ana"), "world.toml": TOML + '[drive]\nquota = "1 kB"\n'})
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        ana = Client(served.url("drive"), "ana", "pw")
        assert ana.put("/a", b"x" * 1000).status_code == 201
        assert ana.put("/b", b"x").status_code == 507
    (found,) = problems(tmp_path / "wrong", {"world.toml": TOML + '[drive]\nquota = "lots"\n'})
    assert found.startswith("world.toml:5: 'lots' is not a size")
