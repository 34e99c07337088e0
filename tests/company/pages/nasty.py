"""A world whose names and texts all try to run as a script; pages must show them as what they are."""

from __future__ import annotations

from pathlib import Path

SCRIPT = "<script>alert('ran')</script>"
PICTURE = "<img src=x onerror=alert('ran')>"
QUOTED = "\"' onmouseover=alert('ran') x='"
LINK = "[click](javascript:alert('ran'))"
NAMES = {"eve.lind": f"Eve {SCRIPT}", "ivo.petrov": f"Ivo {PICTURE}", "uma.khan": f'Uma "{QUOTED}'}
PASSWORD = "nasty-but-known"
TEXT = f"{SCRIPT} {PICTURE} {LINK} ![x](javascript:alert('ran')) `{SCRIPT}` {QUOTED}"


def write_nasty_world(folder: Path) -> None:
    """People, a channel with messages and a direct conversation; services' tests add the rest through their APIs."""
    for name in ("people", "chat/channels", "chat/direct"):
        (folder / name).mkdir(parents=True)
    (folder / "world.toml").write_text(
        f"""format = 1
name = {_toml("Nasty " + SCRIPT)}
slug = "nasty"
host = "nasty.test"
now = 2026-03-09T09:00:00Z
[accounts.chat]
username = "nasty.admin"
password = "{PASSWORD}"
[accounts.forge]
username = "root"
password = "{PASSWORD}"
token = "nasty-root-token"
[accounts.board]
workspace = "nasty"
email = "admin@nasty.test"
password = "{PASSWORD}"
api_key = "plane_api_nasty"
[accounts.drive]
username = "nasty"
password = "{PASSWORD}"
""",
        "utf-8",
    )
    for username, name in NAMES.items():
        (folder / "people" / f"{username}.yml").write_text(
            f"name: {_yaml(name)}\nusername: {username}\npassword: {PASSWORD}\ntitle: {_yaml(SCRIPT)}\n"
            f"bio: {_yaml(TEXT)}\nchannels: [general]\n",
            "utf-8",
        )
    (folder / "chat" / "channels" / "general.yml").write_text(
        f"name: general\ntopic: {_yaml(TEXT)}\ndescription: {_yaml(PICTURE)}\nmessages:\n"
        + "".join(
            f"  - {{from: {one}, at: 2026-03-08T10:0{at}:00Z, text: {_yaml(TEXT)}}}\n" for at, one in enumerate(NAMES)
        ),
        "utf-8",
    )


def _toml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _yaml(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
