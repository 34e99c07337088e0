"""Previews: every kind shows its text; broken and hostile documents show a message; nothing in one ever runs."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dayjob.company.drive.previews import runner
from dayjob.company.drive.previews.confinement import landlock_version
from dayjob.company.drive.previews.runner import read_document
from dayjob.company.drive.previews.texts import decode, read_table
from tests.company.drive.pages import documents
from tests.company.drive.pages.finding import FILES, come_in, sams
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

Visit = Callable[..., Visitor]
MAIN_PART = {"docx": "word/document.xml", "xlsx": "xl/worksheets/sheet1.xml", "pptx": "ppt/presentation.xml",
             "odt": "content.xml", "ods": "content.xml", "odp": "content.xml"}  # fmt: skip


def read(tmp_path: Path, kind: str, content: bytes) -> dict[str, Any]:
    """What the worker makes of a document, as a page would ask for it."""
    path = tmp_path / "document"
    path.write_bytes(content)
    asked = read_document("image" if kind == "png" else kind, str(hash(content)), path, len(content))
    # A thread of its own: the browser's loop runs in this one.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, asked).result()


def test_every_kind_of_office_document_is_read(tmp_path: Path) -> None:
    for kind, make in documents.MAKERS.items():
        found = read(tmp_path, kind, make())
        assert "problem" not in found, (kind, found)
        if kind != "png":
            assert "Quarterly plan" in json.dumps(found), kind


def test_a_workbook_shows_values_as_read_formulas_and_the_first_rows(tmp_path: Path) -> None:
    totals, second, long = read(tmp_path, "xlsx", documents.xlsx())["sheets"]
    assert totals["rows"] == [["Quarterly plan", "1,234.50", "=SUM(B1:B1)"]]
    assert second["name"] == "Second"
    assert len(long["rows"]) == 400
    assert long["notes"] == ["The first 400 rows are shown. Download the file for the rest."]


def test_a_sheet_that_repeats_a_million_empty_rows_is_as_small_as_its_content(tmp_path: Path) -> None:
    assert read(tmp_path, "ods", documents.ods())["sheets"][0]["rows"] == [["Quarterly plan", "1234"]]


def test_a_long_pdf_shows_its_first_pages_and_says_so(tmp_path: Path) -> None:
    found = read(tmp_path, "pdf", documents.pdf(pages=23))
    assert (len(found["pages"]), found["count"]) == (20, 23)
    assert found["notes"] == ["The first 20 of 23 pages are shown."]
    assert "Quarterly plan 20" in found["pages"][19]["text"]


@pytest.mark.parametrize(
    "attack", [documents.zip_bomb, documents.entity_bomb, documents.late_entity_bomb, documents.deep]
)
def test_bombs_become_a_message(tmp_path: Path, attack: Callable[[bytes, str], bytes]) -> None:
    for kind in ("docx", "xlsx", "odt"):
        bomb = attack(documents.MAKERS[kind](), MAIN_PART[kind])
        found = read(tmp_path, kind, bomb)
        # A deep tree is not large: a library may also find nothing in it.
        assert "problem" in found or attack is documents.deep, kind


FUZZ = """
import json, random, sys
from dayjob.company.drive.previews import worker
kind, good = sys.argv[1], sys.stdin.buffer.read()
worker.limit_this_process()
chance, seen = random.Random(8), 0
broken = [good[: len(good) * part // 10] for part in range(10)] + [b"PK\\x03\\x04 nothing", b"\\0" * 5000]
for _ in range(25):
    copy = bytearray(good)
    for _ in range(30):
        copy[chance.randrange(len(copy))] = chance.randrange(256)
    broken.append(bytes(copy))
for content in broken:
    try:
        json.dumps(worker.read(kind, content))
    except worker.Unreadable as error:
        seen += bool(str(error))
print(seen)
"""


@pytest.mark.parametrize("kind", documents.MAKERS)
def test_a_broken_document_is_refused_in_words_or_shown_as_far_as_it_goes(kind: str) -> None:
    """Cut short, with changed bytes, or something else altogether: nothing but the one refusal comes out."""
    command = [sys.executable, "-I", "-c", FUZZ, "image" if kind == "png" else kind]
    done = subprocess.run(command, input=documents.MAKERS[kind](), capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    assert int(done.stdout) >= 5


def test_a_picture_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    import struct
    import zlib

    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    content = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    assert "problem" in read(tmp_path, "png", content)


def test_the_worker_cannot_write_a_file_and_is_ended_at_its_limits() -> None:
    body = (
        "from dayjob.company.drive.previews.limits import limit_this_process\nlimit_this_process()\n"
        "try:\n    bytearray(2 << 30)\nexcept MemoryError:\n    print('no memory', flush=True)\n"
        "open('/dev/shm/dayjob-preview-test', 'wb', buffering=0).write(b'x')\n"
    )
    try:
        done = subprocess.run([sys.executable, "-I", "-c", body], capture_output=True, text=True, timeout=60)
        assert done.stdout == "no memory\n"
        assert done.returncode != 0
    finally:
        Path("/dev/shm/dayjob-preview-test").unlink(missing_ok=True)


# Code that a document has brought to run in place of the reader, in the worker's own course of things.
TAKEN_OVER = """
import ctypes, os, signal, socket, subprocess, sys
from dayjob.company.drive.previews import confinement, office, worker

ours, theirs, port, parent = sys.argv[2:6]

def tried(what, *given):
    try:
        return what(*given) or "done"
    except BaseException as error:
        return type(error).__name__

def open_(path, flags=os.O_RDONLY):
    return "opened" if os.open(path, flags) else ""

def attack(content):
    libc = ctypes.CDLL(None)
    return {
        "passwords": tried(open_, "/etc/passwd"),
        "another company": tried(open_, theirs),
        "a folder": tried(os.listdir, os.path.dirname(theirs)),
        "by another way": tried(open_, "/usr/lib/../.." + theirs),
        "a process": tried(open_, f"/proc/{parent}/environ"),
        "itself": tried(open_, "/proc/self/mem"),
        "a write": tried(open_, theirs, os.O_WRONLY),
        "a new file": tried(open_, ours + "/new", os.O_CREAT | os.O_WRONLY),
        "a mode": tried(os.chmod, theirs, 0o777),
        "a removal": tried(os.unlink, theirs),
        "a name": tried(os.rename, theirs, ours + "/taken"),
        "a link": tried(os.symlink, theirs, ours + "/link"),
        "an end": tried(os.truncate, theirs, 0),
        "the network": tried(socket.create_connection, ("127.0.0.1", int(port)), 5),
        "any socket": tried(socket.socket, socket.AF_UNIX),
        "a program": tried(subprocess.run, ["/bin/true"]),
        "a child": tried(os.fork),
        "a signal": tried(os.kill, int(parent), signal.SIGUSR1),
        "a trace": "traced" if libc.ptrace(16, int(parent), 0, 0) == 0 else "OSError",
    }

office.docx = attack
if sys.argv[6] == "sealed":
    confinement.landlock_version = worker.landlock_version = lambda: 0
worker.check_package = lambda content: None
worker.main()
"""


@pytest.mark.parametrize("way", ["landlock", "sealed"])
def test_a_document_that_takes_the_worker_over_gets_nothing(tmp_path: Path, way: str) -> None:
    if way == "landlock" and not landlock_version():
        pytest.skip("this kernel has no Landlock")
    ours, theirs = tmp_path / "ours", tmp_path / "theirs" / "secret"
    ours.mkdir()
    theirs.parent.mkdir()
    theirs.write_text("of another company")
    with socket.create_server(("127.0.0.1", 0)) as server:
        named = [str(ours), str(theirs), str(server.getsockname()[1]), str(os.getpid()), way]
        command = [sys.executable, "-I", "-c", TAKEN_OVER, "docx", *named]
        done = subprocess.run(command, input=b"PK", capture_output=True, timeout=60, env={}, cwd="/")
    assert done.returncode == 0, done.stderr.decode()
    got = json.loads(done.stdout)
    assert len(got) > 15
    assert {what: how for what, how in got.items() if how not in ("PermissionError", "OSError")} == {}
    assert theirs.read_text() == "of another company"
    assert list(ours.iterdir()) == []


def test_every_document_is_read_where_the_kernel_has_no_landlock() -> None:
    body = (
        "from dayjob.company.drive.previews import confinement, worker\n"
        "confinement.landlock_version = worker.landlock_version = lambda: 0\nworker.main()\n"
    )
    for kind, make in documents.MAKERS.items():
        command = [sys.executable, "-I", "-c", body, "image" if kind == "png" else kind]
        done = subprocess.run(command, input=make(), capture_output=True, timeout=60, env={}, cwd="/")
        assert done.returncode == 0, done.stderr.decode()
        assert "problem" not in json.loads(done.stdout), (kind, done.stdout)


def test_a_worker_that_writes_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_REMEMBERED", 1000)
    assert "too large" in read(tmp_path, "xlsx", documents.xlsx())["problem"]


def test_texts_of_any_encoding_and_tables_of_any_separator_are_read() -> None:
    assert decode("Müller".encode()) == ("Müller", "utf-8")
    assert decode("Müller".encode("cp1252")) == ("Müller", "cp1252")
    assert decode("Müller".encode("utf-16")) == ("Müller", "utf-16")
    assert decode(b"\x00\x01\x02") == ("", "")
    assert decode("Mü".encode()[:2], cut=True) == ("M", "utf-8")
    assert read_table("a;b\n1;2,5\n", "x.csv")["sheets"][0]["rows"] == [["a", "b"], ["1", "2,5"]]
    assert read_table('a,"b', "x.csv")["sheets"][0]["rows"] == [["a", "b"]]


# -- in a browser -------------------------------------------------------------------------------------------------


def test_larkspurs_documents_are_read_in_the_browser(office: Served, visit: Visit) -> None:
    sam = visit(office)
    page = come_in(sam, f"{FILES}/?dir=/Company")
    page.get_by_role("link", name="handbook.md", exact=True).click()
    expect(page.get_by_role("heading", name="Larkspur handbook")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    sam.assert_good()
    drive = office.url("drive")
    page.goto(f"{drive}{FILES}/view/Finance/Budgets/2026-q1-budget.xlsx")
    expect(page.get_by_role("region", name="Sheet Summary").get_by_role("cell", name="Personnel")).to_be_visible()
    sam.assert_good()
    sam.shoot("drive-spreadsheet")
    page.goto(f"{drive}{FILES}/view/Marketing/2026-03-16-launch-slides.pptx")
    expect(page.get_by_role("region", name="Slide 1").get_by_role("heading", name="Trellis 2.0")).to_be_visible()
    page.goto(f"{drive}{FILES}/view/Marketing/2026-03-16-launch-flyer.pdf")
    leaf = page.get_by_role("img", name="Page 1 of 1")
    expect(leaf).to_be_visible()
    page.wait_for_function("document.querySelector('.leaf img').naturalWidth > 500")
    expect(page.get_by_role("figure")).to_contain_text("Trellis plans the working week")
    sam.assert_good()
    page.emulate_media(color_scheme="dark")
    sam.shoot("drive-preview-dark")
    page.emulate_media(color_scheme="light")
    page.goto(f"{drive}{FILES}/view/Marketing/Press%20kit/2026-03-16-press-text.docx")
    expect(page.get_by_text("Larkspur was founded in Ghent")).to_be_visible()
    page.goto(f"{drive}{FILES}/view/Finance/Expenses/expense-form-template.ods")
    expect(page.get_by_role("cell", name="Cost centre")).to_be_visible()
    page.goto(f"{drive}{FILES}/view/Customers/churn-reasons.csv")
    expect(page.get_by_role("table").get_by_role("columnheader").nth(1)).to_be_visible()
    page.goto(f"{drive}{FILES}/view/People/org-chart.png")
    sam.expect_console("status of 404")
    page.goto(f"{drive}{FILES}/view/Marketing/Logo/larkspur-mark.png")
    page.wait_for_function("document.querySelector('.picture img').naturalWidth > 10")
    sam.assert_good()


def test_a_markdown_file_shows_pictures_that_lie_beside_it(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.mkcol("/trip")
    api.mkcol("/trip/my photos")
    api.put("/trip/my photos/a.png", documents.png())
    api.put("/trip/report.md", "![the sea](my%20photos/a.png) ![out](../../../x.png) [more](other.md)")
    api.put("/trip/other.md", "# Other")
    sam = visit(office)
    page = come_in(sam, f"{FILES}/view/trip/report.md")
    page.wait_for_function("document.querySelector('img[alt=\"the sea\"]').naturalWidth == 40")
    while sam.problems:
        sam.expect_console("status of 404")
    page.get_by_role("link", name="more").click()
    expect(page.get_by_role("heading", name="Other", exact=True)).to_be_visible()
    page.goto(api.share("/trip", 3)["url"] + "?path=/report.md")
    page.wait_for_function("document.querySelector('img[alt=\"the sea\"]').naturalWidth == 40")
    while sam.problems:
        sam.expect_console("status of 404")


def test_a_broken_document_is_a_page_with_a_message_and_a_download(office: Served, visit: Visit) -> None:
    api = sams(office)
    api.put("/broken.docx", documents.docx()[:900])
    api.put("/no-preview.zip", b"PK\x05\x06" + b"\0" * 18)
    api.put("/empty.txt", b"")
    sam = visit(office)
    page = come_in(sam, f"{FILES}/view/broken.docx")
    expect(page.get_by_role("region", name="Preview of broken.docx")).to_contain_text("This document is damaged")
    expect(page.get_by_role("link", name="Download").first).to_be_visible()
    page.goto(office.url("drive") + f"{FILES}/view/no-preview.zip")
    expect(page.get_by_text("There is no preview of this kind of file (archive).")).to_be_visible()
    page.goto(office.url("drive") + f"{FILES}/view/empty.txt")
    expect(page.get_by_text("This file is empty.")).to_be_visible()


def test_nothing_in_a_name_or_a_document_runs(nasty_office: Served, visit: Visit) -> None:
    from tests.company.drive.client import Client
    from tests.company.pages.nasty import PASSWORD, TEXT

    script = documents.SCRIPT
    api = Client(nasty_office.url("drive"), "eve.lind", PASSWORD)
    folder = "/<img src=x onerror=alert('ran')>\"'"
    api.mkcol(folder)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(\'ran\')"><script>alert("ran")</script>{script}</svg>'
    contents = {
        "a.md": TEXT.encode(), "a.txt": TEXT.encode(), "a.py": TEXT.encode(), "a.html": script.encode(),
        "a.csv": f"{script},{TEXT}".encode(), "a.svg": svg.encode(), "a.docx": documents.docx(script),
        "a.xlsx": documents.xlsx(script), "a.pptx": documents.pptx(script), "a.odt": documents.odt(script),
        "a.pdf": documents.pdf(script),
    }  # fmt: skip
    for name, content in contents.items():
        assert api.put(f"{folder}/{name}", content).status_code == 201
    link = api.share(folder, 3, name=script)["url"]
    eve = visit(nasty_office)
    page = eve.sign_in("drive", "eve.lind", PASSWORD)
    page.get_by_role("link", name="<img src=x").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(folder[1:])
    for name in contents:
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        page.go_back()
    from urllib.parse import quote

    drive = nasty_office.url("drive")
    for verb in ("sharing", "details", "rename", "delete"):
        page.goto(f"{drive}{FILES}/{verb}{quote(folder)}")
    page.goto(f"{drive}{FILES}/edit{quote(folder)}/a.html")
    page.goto(f"{drive}{FILES}/transport?dir=/&files[]={quote(folder[1:])}")
    page.goto(f"{drive}{FILES}/search?q={quote(script)}")
    page.goto(link)
    page.get_by_role("link", name="a.svg").click()
    # Opened by itself, a picture that is a program has no rights.
    for address in (f"{drive}{FILES}/raw{quote(folder)}/a.svg", f"{link}/raw?path=/a.svg"):
        page.goto(address)
        page.wait_for_load_state()
    while eve.problems and "Blocked script execution" in eve.problems[0]:
        eve.expect_console("Blocked script execution")
    while eve.problems and "Content Security Policy" in eve.problems[0]:
        eve.expect_console("Content Security Policy")
