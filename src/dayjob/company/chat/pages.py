"""What a browser sees. For now: the log-in page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

if TYPE_CHECKING:
    from dayjob.company.chat.service import Chat

_LOGIN = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title><meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font-family: system-ui, sans-serif; background: #f2f3f5; display: grid; place-items: center;
  min-height: 100vh; margin: 0 }}
form {{ background: #fff; padding: 2rem; border-radius: 8px; width: 20rem; display: grid; gap: .8rem }}
label {{ display: grid; gap: .3rem }} input {{ padding: .5rem; font: inherit }}
button {{ padding: .6rem; font: inherit; background: #156ff5; color: #fff; border: 0; border-radius: 4px }}
[role=alert] {{ color: #b3261e; min-height: 1.2em; margin: 0 }}
</style></head>
<body><main><form id="login" method="post">
<h1>Login</h1>
<label>Email or username <input name="usernameOrEmail" type="text" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<p role="alert" id="problem"></p>
<button type="submit">Login</button>
</form></main>
<script>
document.getElementById("login").addEventListener("submit", async (event) => {{
  event.preventDefault();
  const form = new FormData(event.target);
  const answer = await fetch("/api/v1/login", {{
    method: "POST", headers: {{"content-type": "application/json"}},
    body: JSON.stringify({{user: form.get("usernameOrEmail"), password: form.get("password")}}),
  }});
  const found = await answer.json();
  if (found.status !== "success") {{
    document.getElementById("problem").textContent = "User not found or incorrect password";
    return;
  }}
  document.cookie = "rc_uid=" + found.data.userId + "; path=/; samesite=lax";
  document.cookie = "rc_token=" + found.data.authToken + "; path=/; samesite=lax";
  location.assign("/home");
}});
</script></body></html>
"""


def answer(chat: Chat, request: Request) -> Response:
    """The page at an address."""
    if request.method not in ("GET", "HEAD"):
        return PlainTextResponse("Method not allowed", 405, {"allow": "GET, HEAD"})
    path = request.url.path
    if path in ("/", "/login", "/home"):
        user = chat.visitor(request)
        if user is not None:
            name = escape(user.name)
            return HTMLResponse(f"<!doctype html><html lang=en><title>Home</title><h1>Welcome, {name}</h1></html>")
        title = escape(str(chat.store.settings.get("Site_Name") or "Rocket.Chat"))
        return HTMLResponse(_LOGIN.format(title=title))
    return HTMLResponse("<!doctype html><html lang=en><title>Not found</title><h1>Page not found</h1></html>", 404)
