"""The worker's browser: Chromium inside the sandbox, where it sees the company and nothing else, driven from the host.

Chromium listens for its driver on the sandbox's own loopback; the host reaches that port as it reaches any port inside,
and Playwright speaks to it. A page is read as its accessibility tree, whose refs (`e12`) name elements in later calls.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import importlib.util
import re
import socket
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dayjob.agent.tools.tool import Parameter, Tool, shortened
from dayjob.sandbox.relay import Relay
from dayjob.sandbox.sandbox import Sandbox, SandboxError, Stream

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Dialog, Locator, Page

PROGRAM = "chromium"
# Where it is put when the room's system has none: out of the system's own places, which tasks and graders look at.
_OWN = "/opt/agents/browser"
INSTALL = (
    f"command -v {PROGRAM} || test ! -e /var/lib/dpkg/status || {{ set -e; "
    f"mkdir -p {_OWN} /tmp/archives/partial; apt-get update -qq -o APT::Sandbox::User=root; "
    "apt-get install -y -qq --no-install-recommends --download-only -o APT::Sandbox::User=root "
    f"-o Dir::Cache::archives=/tmp/archives {PROGRAM} > /dev/null; "
    f"for one in /tmp/archives/*.deb; do dpkg-deb -x $one {_OWN}; done; "
    "rm -rf /tmp/archives /var/lib/apt/lists/* /var/cache/apt/*; "
    f"libraries=$(find {_OWN}/usr/lib -name '*.so*' -printf '%h\\n' | sort -u | paste -sd:); "
    f"printf '#!/bin/sh\\nLD_LIBRARY_PATH=%s exec {_OWN}/usr/lib/{PROGRAM}/{PROGRAM} \"$@\"\\n' $libraries "
    f"> {_OWN}/{PROGRAM}; chmod 755 {_OWN}/{PROGRAM}; }}"
)
"""A shell line that brings it from Debian's packages, unpacked and not installed."""
ACTIONS = ("open", "click", "type", "select", "press", "back", "read", "screenshot")
MEDIA_TYPE = "image/png"
LONGEST_TREE = 15_000
# Outside what graders see and evidence keeps: a profile is not part of the examinee's work.
_HOME = "/var/tmp/.worker-browser"
_DOWNLOADS = "/workspace/downloads"
_STARTS_WITHIN = 30.0
_ACTION_SECONDS = 10.0
_PAGE_SECONDS = 30.0
_SETTLES_WITHIN = 1.5
_A_MOMENT = 0.1
_ENDPOINT = re.compile(rb"DevTools listening on ws://127\.0\.0\.1:(\d+)(/devtools/browser/[\w-]+)")
# The sandbox is around it already; the shared memory of a container may be small; nobody is there to be asked; and
# Playwright does not hear of a page that comes back from the cache for going back.
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-breakpad",
    "--disable-background-networking",
    "--disable-back-forward-cache",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-sync",
    "--password-store=basic",
    "--no-first-run",
    "--remote-debugging-port=0",
    f"--user-data-dir={_HOME}/profile",
    "--window-size=1280,900",
    "about:blank",
)


class BrowserError(Exception):
    """What went wrong, in a sentence for the model."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What an action showed: text, and for a screenshot the picture."""

    text: str
    picture: bytes | None = None

    @property
    def encoded(self) -> str:
        return base64.b64encode(self.picture or b"").decode()


def has_driver() -> bool:
    """Whether there is a Playwright here."""
    return importlib.util.find_spec("playwright") is not None


async def find_browser(sandbox: Sandbox) -> str | None:
    """The Chromium inside, where there is one and a Playwright here."""
    if not has_driver():
        return None
    found = await sandbox.exec(["/bin/sh", "-c", f"command -v {PROGRAM} || command -v {_OWN}/{PROGRAM}"])
    return found.text.strip() if found.ok else None


def browser_tool(browser: Browser, pictures: bool) -> Tool:
    """What the model is told of it; one that cannot see is offered no screenshots."""

    async def use(**given: Any) -> str:
        return (await browser.use(given)).text

    actions = [action for action in ACTIONS if pictures or action != "screenshot"]
    part = "for click, type and select, and to read only a part: a ref of the last tree, such as e12"
    typed = "what to type (it replaces what is there), the option to select, or the key to press, as Enter"
    return Tool(
        "browser",
        "Use a web browser that is signed in nowhere yet. Each action answers with the page's address, title and "
        "accessibility tree; its refs name the elements for click, type and select.",
        use,
        {
            "action": Parameter("string", f"one of {', '.join(actions)}"),
            "url": Parameter("string", "for open", needed=False),
            "ref": Parameter("string", part, needed=False),
            "text": Parameter("string", typed, needed=False),
        },
        reads=False,
    )


class Browser:
    """One browser, started by the first action. Use as `async with`."""

    def __init__(self, sandbox: Sandbox, program: str) -> None:
        self._sandbox = sandbox
        self._program = program
        self._stack = AsyncExitStack()
        self._page: Page | None = None
        self._said: list[str] = []

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def use(self, arguments: Mapping[str, Any]) -> Seen:
        """Do one action and show what the page is then; a mistake is told, never raised."""
        from playwright.async_api import Error

        try:
            page = self._page or await self._start()
            picture = await self._act(page, arguments)
            part = str(arguments["ref"]) if arguments["action"] == "read" and arguments.get("ref") else None
            shown = await self._shown(part)
        except BrowserError as error:
            return Seen(str(error))
        except KeyError as missing:
            return Seen(f"{arguments.get('action')} needs {missing}")
        except Error as error:
            # Its first line says what; the rest is a log of Playwright's own tries.
            return Seen(f"the browser could not do it: {error.message.splitlines()[0]}")
        return Seen("\n".join([*self._told(), shown]), picture)

    # -- what can be done ----------------------------------------------------------------------------------------

    async def _act(self, page: Page, given: Mapping[str, Any]) -> bytes | None:
        match given["action"]:
            case "open":
                await self._open(page, str(given["url"]))
            case "click":
                await self._click(page, await self._element(page, str(given["ref"])))
            case "type":
                await (await self._element(page, str(given["ref"]))).fill(str(given["text"]))
            case "select":
                await (await self._element(page, str(given["ref"]))).select_option(str(given["text"]))
            case "press":
                await page.keyboard.press(str(given["text"]))
            case "back":
                await page.go_back(timeout=_PAGE_SECONDS * 1000, wait_until="domcontentloaded")
            case "read":
                pass
            case "screenshot":
                return await page.screenshot(timeout=_PAGE_SECONDS * 1000)
            case other:
                raise BrowserError(f"there is no action '{other}'; there are {', '.join(ACTIONS)}")
        return None

    async def _element(self, page: Page, ref: str) -> Locator:
        element = page.locator(f"aria-ref={ref}")
        if not re.fullmatch(r"(f\d+)?e\d+", ref) or not await element.count():
            raise BrowserError(f"there is no element '{ref}' on this page; read it for refs such as e12")
        return element

    async def _click(self, page: Page, element: Locator) -> None:
        if await element.evaluate("one => one.closest('a, area')?.target") != "_blank":
            await element.click()
            return
        async with page.context.expect_page() as opened:
            await element.click()
        await opened.value

    async def _open(self, page: Page, url: str) -> None:
        from playwright.async_api import Error

        try:
            await page.goto(url, timeout=_PAGE_SECONDS * 1000, wait_until="domcontentloaded")
        except Error:
            # Chromium goes on to a page of its own that says so, and would go there in the middle of what comes next.
            with contextlib.suppress(Error):
                await page.wait_for_url("chrome-error://**", timeout=2000)
            raise

    async def _shown(self, part: str | None) -> str:
        """Where we are, and the page or a part of it as its accessibility tree, once it has come to rest."""
        from playwright.async_api import TimeoutError as Late

        page = None
        while page is not self._page:
            page = self._page
            assert page is not None
            await asyncio.sleep(_A_MOMENT)  # what a click brings about, such as another page, begins a little later
            with contextlib.suppress(Late):  # a page that keeps a connection open never rests
                await page.wait_for_load_state("networkidle", timeout=_SETTLES_WITHIN * 1000)
        assert page is not None
        element = page.locator("body") if part is None else await self._element(page, part)
        tree = shortened(await element.aria_snapshot(mode="ai"), LONGEST_TREE, " of the tree; read a part by its ref")
        return f"{page.url} “{await page.title()}”\n{tree or '[an empty page]'}"

    def _told(self) -> list[str]:
        told, self._said = self._said, []
        return told

    # -- starting ------------------------------------------------------------------------------------------------

    async def _start(self) -> Page:
        from playwright.async_api import async_playwright

        port, path = await self._chromium()
        door = socket.create_server(("127.0.0.1", 0))
        await self._stack.enter_async_context(Relay(self._sandbox, {port: door}))
        playwright = await self._stack.enter_async_context(async_playwright())
        # The address is made here: what is inside does not choose where the host connects to.
        browser = await playwright.chromium.connect_over_cdp(f"ws://127.0.0.1:{door.getsockname()[1]}{path}")
        control = await browser.new_browser_cdp_session()
        self._stack.push_async_callback(self._ask_to_end, control)
        behaviour = {"behavior": "allow", "downloadPath": _DOWNLOADS, "eventsEnabled": False}
        await control.send("Browser.setDownloadBehavior", behaviour)
        context = browser.contexts[0]
        context.set_default_timeout(_ACTION_SECONDS * 1000)
        context.on("page", self._turn_to)
        self._turn_to(context.pages[0] if context.pages else await context.new_page())
        assert self._page is not None
        return self._page

    def _turn_to(self, page: Page) -> None:
        """A page that opens is the one looked at; its questions are answered with yes, and told."""
        self._page = page
        page.on("dialog", self._agree)
        page.on("close", self._turn_back)
        page.on("download", lambda one: self._said.append(f"[downloads to {_DOWNLOADS}/{one.suggested_filename}]"))

    def _turn_back(self, closed: Page) -> None:
        left = [page for page in closed.context.pages if page != closed]
        if self._page == closed and left:
            self._page = left[-1]

    async def _agree(self, dialog: Dialog) -> None:
        self._said.append(f"[the page asked: {dialog.message!r}; answered with OK]")
        await dialog.accept()

    async def _chromium(self) -> tuple[int, str]:
        """Start it inside; returns the port it listens on for its driver, and the path there."""
        heard = bytearray()
        told: asyncio.Future[tuple[int, str]] = asyncio.get_running_loop().create_future()

        def hear(_: Stream, data: bytes) -> None:
            if told.done():
                return
            heard.extend(data)
            if found := _ENDPOINT.search(heard):
                told.set_result((int(found[1]), found[2].decode()))

        await self._sandbox.exec(["mkdir", "-p", _HOME])
        running = asyncio.ensure_future(
            self._sandbox.exec(
                [self._program, *_OPTIONS],
                env={"HOME": _HOME, "TMPDIR": _HOME},
                cwd="/workspace",
                on_output=hear,
                keep=4096,
            )
        )
        self._stack.push_async_callback(self._end, running)
        either: set[asyncio.Future[Any]] = {running, told}
        await asyncio.wait(either, timeout=_STARTS_WITHIN, return_when=asyncio.FIRST_COMPLETED)
        if not told.done():
            said = heard.decode("utf-8", "replace").strip().splitlines()
            raise BrowserError(f"the browser does not start: {said[-1] if said else 'it says nothing'}")
        return told.result()

    async def _ask_to_end(self, control: CDPSession) -> None:
        """Politely, so that it ends its own processes too."""
        from playwright.async_api import Error

        with contextlib.suppress(Error, TimeoutError):
            await asyncio.wait_for(control.send("Browser.close"), 5)

    async def _end(self, running: asyncio.Future[Any]) -> None:
        await asyncio.wait({running}, timeout=2)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        with contextlib.suppress(SandboxError):  # it may be going away
            await self._sandbox.remove(_HOME)
