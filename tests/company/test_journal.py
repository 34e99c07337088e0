"""The journal: nothing lost, nothing secret, nothing half."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.company.journal import Journal, Role, Visit, cut_value, without_secrets

TIME = "2026-03-09T09:00:00.000Z"


def visit(path: str = "/", *, service: str = "forge", role: Role = "examinee", status: int = 200) -> Visit:
    return Visit(service, role, "work", "GET", path, account="sam.reed", status=status)


def test_requests_are_found_by_service_path_and_account() -> None:
    journal = Journal()
    journal.record(visit("/larkspur/api-server/-/tree"), TIME)
    journal.record(visit("/larkspur/api-server-two"), TIME)
    journal.record(visit("/api/v1/me", service="chat"), TIME)
    assert [row.path for row in journal.requests("forge", "/larkspur/api-server")] == ["/larkspur/api-server/-/tree"]
    assert [row.seq for row in journal.requests()] == [1, 2, 3]
    assert journal.requests(account="mara.lindqvist") == []
    assert journal.requests(since=2)[0].service == "chat"


def test_only_an_answered_visit_of_the_examinee_counts_as_access() -> None:
    journal = Journal()
    journal.record(visit("/secret", status=403), TIME)
    journal.record(visit("/plan", role="npc"), TIME)
    journal.record(visit("/plan", role="grader"), TIME)
    journal.record(visit("/plan", status=302), TIME)
    assert not journal.accessed("forge", "/secret")
    assert not journal.accessed("forge", "/plan")
    journal.record(visit("/plan"), TIME)
    assert journal.accessed("forge", "/plan")
    assert not journal.accessed("forge", "/plan", method="POST")


def test_a_visit_is_one_request_however_often_it_is_recorded() -> None:
    journal = Journal()
    one = visit()
    journal.record(one, TIME)
    one.pending.append(("notes", "added", "7", None, '{"id":7}'))
    journal.record(one, TIME)
    journal.record(one, TIME)
    assert len(journal.requests()) == 1
    assert [change.after for change in journal.changes()] == [{"id": 7}]


def test_a_line_half_written_by_a_crash_is_cut_off_and_the_count_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.record(visit("/first"), TIME)
    journal.close()
    with path.open("a") as file:
        file.write('{"kind":"request","seq":2,"time":"20')
    journal = Journal(path)
    journal.record(visit("/second"), TIME)
    assert [(row.seq, row.path) for row in journal.requests()] == [(1, "/first"), (2, "/second")]


def test_what_was_recorded_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    program = (
        "import os, sys, signal, pathlib\n"
        "from dayjob.company.journal import Journal, Visit\n"
        "journal = Journal(pathlib.Path(sys.argv[1]))\n"
        "for number in range(50):\n"
        "    journal.record(Visit('chat', 'examinee', 'work', 'GET', f'/{number}', status=200), 'now')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert ended.returncode == -9
    assert [row.path for row in Journal(path).requests()] == [f"/{number}" for number in range(50)]


SECRET = ("private_token", "access_token", "token", "password", "rc_token", "job_token", "resume", "api_key")


def spelled(name: str) -> list[str]:
    """Ways to write a parameter's name that a server reads as the same."""
    first = f"%{ord(name[0]):02X}"
    return [name, name.upper(), name.title(), first + name[1:], first.lower() + name[1:], name.replace("e", "%65")]


@pytest.mark.parametrize("name", SECRET)
def test_a_secret_in_a_query_never_reaches_the_file_however_its_name_is_spelled(tmp_path: Path, name: str) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    for spelling in spelled(name):
        one = visit()
        one.query = f"page=2&{spelling}=hunter2&{spelling}=hunter%32&x=3"
        journal.record(one, TIME)
    text = (tmp_path / "journal.jsonl").read_text()
    assert "hunter" not in text
    for row in journal.requests():
        assert row.query.startswith("page=2&")
        assert row.query.endswith("&x=3")


@pytest.mark.parametrize(
    "query",
    ["", "page=2", "a=%20b&c", "tokens=2", "x=token", "a=private_token", "passwords=1", "resumed=1", "q=100%25"],
)
def test_what_is_no_secret_stays_as_it_was_written(query: str) -> None:
    assert without_secrets(query) == query


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_path_and_query_can_be_written_and_read_back(path: str, query: str) -> None:
    journal = Journal()
    one = visit(path.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    one.query = query.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    journal.record(one, TIME)
    assert journal.requests()[0].path == one.path
    assert journal.requests()[0].query == without_secrets(one.query)
    journal.close()


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    Journal(tmp_path / "journal.jsonl").record(visit(), TIME)
    assert os.stat(tmp_path / "journal.jsonl").st_mode & 0o077 == 0
    assert json.loads((tmp_path / "journal.jsonl").read_text())["account"] == "sam.reed"


def test_on_a_full_disk_a_record_is_refused_whole_and_the_journal_stays_readable(tmp_path: Path) -> None:
    program = (
        "import pathlib, resource, signal, sys\n"
        "from dayjob.company.journal import Journal, JournalFull, Visit\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "journal, refused = Journal(pathlib.Path(sys.argv[1])), 0\n"
        "for number in range(20):\n"
        "    try:\n"
        "        journal.record(Visit('chat', 'examinee', 'work', 'GET', f'/{number}', status=200), 'now')\n"
        "    except JournalFull:\n"
        "        refused += 1\n"
        "print(len(journal.requests()), refused)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "journal.jsonl")], capture_output=True, text=True, check=True
    )
    written, refused = map(int, ended.stdout.split())
    assert written > 0
    assert written + refused == 20
    assert (tmp_path / "journal.jsonl").read_bytes().endswith(b"\n")


# -- bounds ----------------------------------------------------------------------------------------------------------


def test_long_addresses_and_accounts_are_cut_with_a_mark_and_still_found() -> None:
    journal = Journal()
    long = visit("/larkspur/" + "a" * 60_000)
    long.query, long.account = "q=" + "b" * 60_000, "c" * 60_000
    journal.record(long, TIME)
    (row,) = journal.requests("forge", "/larkspur")
    assert row.path.endswith("[cut: 60010 characters]")
    assert row.query.endswith("[cut: 60002 characters]")
    assert sum(len(str(one)) for one in (row.path, row.query, row.account)) < 8_000
    assert journal.requests(path="/larkspur/" + "a" * 60_000) == [row]


def test_a_secret_is_blanked_in_a_query_that_is_cut() -> None:
    journal = Journal()
    one = visit()
    one.query = "a=" + "x" * 4080 + "&private_token=glpat-1234567890"
    journal.record(one, TIME)
    assert "glpat" not in journal.requests()[0].query


def test_a_huge_value_of_a_change_keeps_its_beginning_its_length_and_its_hash() -> None:
    first, second = (cut_value("x" * 100_000 + end) for end in ("1", "2"))
    assert isinstance(first, str)
    assert len(first) < 5_000
    assert first.startswith("x" * 4096 + "… [cut: 100001 characters, SHA-256 ")
    assert first != second
    assert cut_value("x" * 65_536) == "x" * 65_536
    assert cut_value(7) == 7


def full(path: Path | None = None) -> Journal:
    """A journal of 20 KB after many more requests than that."""
    journal = Journal(path, limit=20_000)
    for _ in range(200):
        journal.record(visit("/flood/" + "x" * 200), TIME)
    return journal


def test_a_full_journal_leaves_requests_out_counts_them_and_says_so(tmp_path: Path) -> None:
    journal = full(tmp_path / "journal.jsonl")
    kept = len(journal.requests())
    assert 0 < kept < 200
    assert journal.left_out == 200 - kept
    assert journal.changes_left_out == 0
    assert [note.text for note in journal.notes] == [
        f"The journal is full; {200 - kept} rows were left out, 0 of them changes."
    ]
    assert journal.trouble == ""
    assert (tmp_path / "journal.jsonl").stat().st_size < 20_000


def test_a_flood_of_requests_cannot_hide_a_change() -> None:
    journal = full()
    one = visit()
    one.pending.append(("notes", "added", "7", None, '{"id":7}'))
    journal.record(one, TIME)
    assert [change.key for change in journal.changes()] == ["7"]


def test_changes_left_out_are_counted_apart() -> None:
    journal = full()
    for key in range(300):
        one = visit()
        one.pending.append(("notes", "added", str(key), None, '{"id":7}'))
        journal.record(one, TIME)
    assert 0 < len(journal.changes()) < 300
    assert journal.changes_left_out == 300 - len(journal.changes())


def test_a_full_journal_is_still_full_when_it_is_opened_again(tmp_path: Path) -> None:
    journal = full(tmp_path / "journal.jsonl")
    left_out, last = journal.left_out, journal.requests()[-1].seq
    journal.close()
    again = Journal(tmp_path / "journal.jsonl", limit=20_000)
    assert again.left_out == left_out
    assert again.notes
    again.record(visit(), TIME)
    assert again.left_out == left_out + 1
    assert again.requests()[-1].seq == last


def test_rows_are_found_by_what_their_path_begins_with_encoded_or_not() -> None:
    journal = Journal()
    journal.record(visit("/api/v4/projects/larkspur%2Fapi-server/issues"), TIME)
    journal.record(visit("/api/v4/projects/other"), TIME)
    found = journal.requests(prefix="/api/v4/projects/larkspur/api")
    assert [row.seq for row in found] == [1]
