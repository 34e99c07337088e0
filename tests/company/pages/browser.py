"""A person at a browser, for the tests of all pages: signs in by role and name, and remembers whatever went wrong."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect

from tests.clients import ROOT, node_folder
from tests.company.serving import Served

expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong
# The same Chromium without windows of its own costs a third; where there is no such package, the whole one does.
_SHELL, _WHOLE = Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")
CHROMIUM = _SHELL if _SHELL.exists() else _WHOLE
WIDE, NARROW = (1280, 720), (390, 844)
SCREENSHOTS = ROOT / "docs" / "screenshots"
LARGEST_SCREENSHOT = 150_000


class Visitor:
    """One browser context with one page; `page` is Playwright's."""

    def __init__(self, browser: Browser, served: Served, **context: Any) -> None:
        # Without motion: axe would look at colours half-way between two themes.
        options: dict[str, Any] = {"viewport": {"width": WIDE[0], "height": WIDE[1]}, "reduced_motion": "reduce"}
        options |= context
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(30_000)
        self.served = served
        self.problems: list[str] = []
        self.page = self.new_page()

    def new_page(self) -> Page:
        """Another tab of the same browser."""
        page = self.context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.problems.append(f"script error: {error}"))
        page.on("dialog", self._refuse)
        return page

    def _refuse(self, dialog: Dialog) -> None:
        self.problems.append(f"a script said {dialog.message}")
        dialog.dismiss()

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def expect_console(self, pattern: str) -> None:
        """Forget one expected line, such as the browser's own `… status of 403`; it must have been said."""
        found = next((one for one in self.problems if re.search(pattern, one)), None)
        assert found is not None, f"nothing in the console matches {pattern!r}: {self.problems}"
        self.problems.remove(found)

    def assert_no_console_errors(self) -> None:
        assert not self.problems, "\n".join(self.problems)

    def open(self, service: str, path: str = "/") -> Page:
        self.page.goto(self.served.url(service) + path)
        return self.page

    # -- signing in, as the log-in pages offer it -------------------------------------------------------------------

    def sign_in(self, service: str, username: str, password: str, path: str = "/") -> Page:
        """Open a page, sign in on the way, and be on it."""
        page = self.open(service, path)
        if service == "chat":
            page.get_by_role("textbox", name="Email or username").fill(username)
            page.get_by_role("textbox", name="Password").fill(password)
            page.get_by_role("button", name="Login", exact=True).click()
        elif service == "forge":
            page.goto(self.served.url("forge") + "/users/sign_in")
            page.get_by_label("Username or primary email").fill(username)
            page.get_by_label("Password").fill(password)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(re.compile(r"^(?!.*/users/sign_in)"))
            page.goto(self.served.url("forge") + path)
        elif service == "board":
            page.get_by_label("Email").fill(username)
            page.get_by_role("button", name="Continue").click()
            page.get_by_label("Enter password").fill(password)
            page.get_by_role("button", name="Go to workspace").click()
        else:
            page.locator("input[type=text]").first.fill(username)
            page.locator("input[type=password]").fill(password)
            page.get_by_role("button").filter(has_text=re.compile("log ?in", re.I)).click()
        page.wait_for_load_state()
        return page

    # -- what every page must be ------------------------------------------------------------------------------------

    def assert_accessible(self, page: Page | None = None) -> None:
        """axe-core finds nothing serious or critical."""
        page = page or self.page
        script = (node_folder("axe-node") / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
        page.evaluate(script)  # by the debugger's door: the page's own policy stays as it is
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [
            f"{one['id']}: {one['help']} ({', '.join(str(node['target'][0]) for node in one['nodes'][:4])})"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert not serious, f"{page.url}: {'; '.join(serious)}"

    def at_widths(self, check: Callable[[Page], None] | None = None) -> None:
        """The page fits a laptop and a phone: nothing scrolls sideways but what is made to; then `check` holds."""
        for width, height in (NARROW, WIDE):
            self.page.set_viewport_size({"width": width, "height": height})
            self.assert_fits()
            if check is not None:
                check(self.page)

    def assert_good(self) -> None:
        """Accessible and nothing sticks out: on a laptop in light, on a phone in dark."""
        looks: tuple[tuple[tuple[int, int], Literal["light", "dark"]], ...] = ((NARROW, "dark"), (WIDE, "light"))
        for (width, height), scheme in looks:
            self.page.emulate_media(color_scheme=scheme)
            self.page.set_viewport_size({"width": width, "height": height})
            self.assert_fits()
            self.assert_accessible()

    def assert_fits(self) -> None:
        """Nothing scrolls sideways but what is made to."""
        width = self.page.evaluate("window.innerWidth")
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{self.page.url} is {wide} pixels wide on a screen of {width}"

    def shoot(self, name: str) -> None:
        """A picture for the documentation, when DAYJOB_SCREENSHOTS is set; else nothing."""
        if not os.environ.get("DAYJOB_SCREENSHOTS"):
            return
        SCREENSHOTS.mkdir(exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path, animations="disabled", caret="hide")
        _shrink(path)
        assert path.stat().st_size < LARGEST_SCREENSHOT, f"{path.name} is too large for the repository"


def _shrink(path: Path) -> None:
    from PIL import Image

    with Image.open(path) as image:
        image.convert("RGB").quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)


__all__ = ["CHROMIUM", "NARROW", "WIDE", "Visitor", "expect"]
