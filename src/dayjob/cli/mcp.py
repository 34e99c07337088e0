"""`dayjob company mcp`: a running company's services as MCP tools, over standard input and output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dayjob.agent.tools.tool import Tool


@click.command(
    epilog="Example: dayjob company mcp --chat http://127.0.0.1:3000 --chat-account sam.reed:sam-reed-first-day"
)
@click.option("--chat", envvar="DAYJOB_CHAT_URL", help="Where chat is, as http://127.0.0.1:3000.")
@click.option("--chat-account", envvar="DAYJOB_CHAT_ACCOUNT", metavar="USER:PASSWORD", help="Who you are there.")
@click.option("--forge", envvar="DAYJOB_FORGE_URL", help="Where the forge is.")
@click.option("--forge-token", envvar="DAYJOB_FORGE_TOKEN", help="An access token there.")
@click.option("--board", envvar="DAYJOB_BOARD_URL", help="Where the board is.")
@click.option("--board-workspace", envvar="DAYJOB_BOARD_WORKSPACE", help="The workspace's slug.")
@click.option("--board-key", envvar="DAYJOB_BOARD_KEY", help="An API key there.")
@click.option("--drive", envvar="DAYJOB_DRIVE_URL", help="Where the drive is.")
@click.option("--control", envvar="DAYJOB_CONTROL_URL", help="Where the control API is, to let time pass.")
@click.option("--drive-account", envvar="DAYJOB_DRIVE_ACCOUNT", metavar="USER:PASSWORD", help="Who you are there.")
def mcp(
    chat: str | None,
    chat_account: str | None,
    forge: str | None,
    forge_token: str | None,
    board: str | None,
    board_workspace: str | None,
    board_key: str | None,
    drive: str | None,
    drive_account: str | None,
    control: str | None,
) -> None:
    """Offer a running company's services as MCP tools, for agents that speak MCP.

    A service is offered when its address and account are given; each option can be an environment variable
    (--chat-account is DAYJOB_CHAT_ACCOUNT), which keeps secrets out of process lists. Speaks JSON-RPC on standard
    input and output until the input ends.
    """
    from dayjob.agent.mcp.server import Server
    from dayjob.agent.tools.web import Address, ChatAddress

    tools: list[Tool] = []
    if chat:
        from dayjob.agent.tools.chat import Chat

        username, password = _account(chat_account, "--chat-account")
        tools += Chat(ChatAddress(chat, username, password), username).tools()
    if forge:
        from dayjob.agent.tools.forge import Forge

        token = _given(forge_token, "--forge-token")
        tools += Forge(Address(forge, headers={"PRIVATE-TOKEN": token})).tools()
    if board:
        from dayjob.agent.tools.board import Board

        workspace, key = _given(board_workspace, "--board-workspace"), _given(board_key, "--board-key")
        tools += Board(Address(board, headers={"x-api-key": key}), workspace).tools()
    if drive:
        from dayjob.agent.tools.drive import Drive

        tools += Drive(Address(drive, auth=_account(drive_account, "--drive-account"))).tools()
    if control:
        from dayjob.agent.tools.clock import Clock

        tools += Clock(Address(control)).tools()
    if not tools:
        raise click.UsageError("no service was named; give at least one of --chat, --forge, --board and --drive.")
    Server(tools, "The services of the company you work for. What you do there is done in your name.").serve(
        sys.stdin, sys.stdout
    )


def _given(value: str | None, option: str) -> str:
    if not value:
        raise click.UsageError(f"{option} is needed too.")
    return value


def _account(value: str | None, option: str) -> tuple[str, str]:
    username, colon, password = _given(value, option).partition(":")
    if not colon or not username:
        raise click.UsageError(f"{option} must be USER:PASSWORD.")
    return username, password
