"""Run by the interpreter that has rocketchat-async: two colleagues hear each other. Arguments: address, accounts."""

import asyncio
import sys
from typing import Any

from rocketchat_async import RocketChat  # type: ignore[import-not-found]  # it lives in an environment of its own

address, sam, sam_password, mara, mara_token = sys.argv[1:]


async def heard(queue: asyncio.Queue[Any]) -> Any:
    return await asyncio.wait_for(queue.get(), 20)


async def main() -> None:
    messages: asyncio.Queue[Any] = asyncio.Queue()
    rooms: asyncio.Queue[Any] = asyncio.Queue()
    listener = RocketChat()
    await listener.resume(address, mara, mara_token)
    channels = await listener.get_channels_raw()
    launch = next(room["_id"] for room in channels if room.get("name") == "launch")
    await listener.subscribe_to_channel_messages_raw(launch, messages.put_nowait)
    await listener.subscribe_to_channel_changes(lambda *room: rooms.put_nowait(room))

    speaker = RocketChat()
    await speaker.start(address, sam, sam_password)
    assert (launch, "c") in await speaker.get_channels()
    await speaker.send_message("hello from the wire", launch)
    found = await heard(messages)
    assert (found["msg"], found["u"]["username"], found["rid"]) == ("hello from the wire", sam, launch), found
    assert await heard(rooms) == (launch, "c")

    await speaker.send_message("a reply", launch, found["_id"])
    root = await heard(messages)
    reply = await heard(messages)
    assert (root["tcount"], reply["tmid"], reply["msg"]) == (1, found["_id"], "a reply"), (root, reply)
    await speaker.send_reaction(found["_id"], ":+1:")
    assert (await heard(messages))["reactions"] == {":+1:": {"usernames": [sam]}}
    await speaker.send_typing_event(launch)

    refusal = ""
    try:
        await RocketChat().start(address, sam, "not the password")
    except RuntimeError as error:
        refusal = str(error)
    assert "incorrect password" in refusal
    print("done")


asyncio.run(asyncio.wait_for(main(), 60))
