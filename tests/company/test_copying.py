"""A company that goes on from another's copy is that company, whatever was done in it before it was at that moment."""

from __future__ import annotations

import asyncio
import io
import tarfile
from pathlib import Path

from dayjob.company.chat import Chat
from dayjob.company.clock import Clock
from dayjob.company.company import Company
from dayjob.company.copying import digests, read_memory, recall, recall_secrets, write_copy
from dayjob.company.world import Snapshot


def chat_of(company: Company) -> Chat:
    found = company.service("chat")
    assert isinstance(found, Chat)
    return found


def test_what_a_copy_did_before_it_was_ready_is_undone(larkspur_pages: Snapshot, tmp_path: Path) -> None:
    async def main() -> None:
        origin = Company(larkspur_pages, seed="1", folder=tmp_path / "origin", clock=Clock(stepped=True))
        origin.set_secrets("chat", {**larkspur_pages.info.accounts["chat"], "password": "another"})
        with origin.acting("chat", "examinee", "POST", "/api/v1/login"):
            chat_of(origin).store.accounts.mint_token("sam.reed")
        origin.ids.short()
        origin.journal.changes_left_out = 3
        out = io.BytesIO()
        write_copy(origin, out, None)
        out.seek(0)
        with tarfile.open(fileobj=out) as tar:
            tar.extractall(tmp_path / "copy", filter="data")
        memory = read_memory(tmp_path / "copy")
        start = origin.clock.start
        twin = Company(
            larkspur_pages, seed="1", folder=tmp_path / "copy", begun=tmp_path / "copy",
            clock=Clock(start, stepped=True),
        )  # fmt: skip
        recall_secrets(twin, memory)
        with twin.acting("chat", "npc", "POST", "/websocket"):
            chat_of(twin).store.accounts.mint_token("mara.lindqvist")
        twin.ids.short()
        assert digests(twin)["chat"] != digests(origin)["chat"]
        recall(twin, tmp_path / "copy", memory)
        assert digests(twin) == digests(origin)
        assert twin.journal.changes_left_out == 3
        assert twin.ids.short() == origin.ids.short()
        twin.reset("chat")
        assert "chat" not in twin.touched
        twin.close()
        origin.close()

    asyncio.run(main())
