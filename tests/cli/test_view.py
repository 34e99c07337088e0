"""`dayjob view` in a real browser: what people do there, by roles and names; an examinee's tricks, in vain."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect, sync_playwright

from dayjob.cli import dayjob
from dayjob.trial.outcome import Label
from tests.report.runs import step, trajectory, write_task, write_trial

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed"),
    pytest.mark.xdist_group("viewer"),
]
# Each would set `window.owned` if it ran anywhere.
TRICKS = (
    "<script>window.owned=1</script><img src=x onerror=window.owned=1>",
    "\"><svg onload=window.owned=1>' onmouseover=window.owned=1 x='",
    "javascript:window.owned=1",
    "</pre></template><iframe srcdoc='<script>parent.owned=1</script>'></iframe>{{ 7*7 }}",
)
TRICK = " ".join(TRICKS)
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c4890000000d49444154789c6360f8cf50"
    "0f0003860180 5a347d6b0000000049454e44ae426082".replace(" ", "")
)


def journal_rows(text: str) -> list[dict[str, Any]]:
    who = {"phase": "work", "role": "examinee", "service": "chat", "account": "sam.reed"}
    npc = {**who, "role": "npc", "account": "mara"}
    told = {
        "room_id": "r",
        "username": "sam.reed",
        "user_name": "Sam Reed",
        "text": text,
        "at": "2026-03-09T09:00:01.5Z",
    }
    answer = {**told, "username": "mara", "user_name": "Mara", "text": "Thanks, I will look."}
    path = {"method": "GET", "path": f"/api/{text}", "query": text, "status": 200}
    return [
        {"kind": "request", "seq": 1, "time": "2026-03-09T09:00:01.000Z", **who, **path},
        {"kind": "change", "seq": 2, "time": "2026-03-09T09:00:01.500Z", **who, "table": "messages", "op": "added",
         "key": "m1", "before": None, "after": told},
        {"kind": "change", "seq": 3, "time": "2026-03-09T09:00:02.500Z", **npc, "table": "messages", "op": "added",
         "key": "m2", "before": None, "after": answer},
    ]  # fmt: skip


def hostile_trial(run: Path, folder: Path) -> Path:
    call = {"tool_call_id": "c", "function_name": TRICK, "arguments": {"command": TRICK}}
    shot = [{"type": "image", "source": {"media_type": "image/png", "path": "screenshots/1.png"}}]
    trial = write_trial(
        run,
        "hostile",
        result=1,
        reason=TRICK,
        folder=folder,
        document=trajectory(
            [
                step(1, "user", TRICK),
                step(
                    2,
                    "agent",
                    TRICK,
                    reasoning_content=TRICK,
                    tool_calls=[call],
                    observation={"results": [{"source_call_id": "c", "content": TRICK}, {"content": shot}]},
                ),
            ]
        ),
        journal=journal_rows(TRICK),
        changes=[{"service": "chat", "op": "added", "words": TRICK, "before": None, "after": {TRICK: TRICK}}],
    )
    (trial / "screenshots").mkdir()
    (trial / "screenshots" / "1.png").write_bytes(PNG)
    (trial / "logs" / "grade.log").write_text(TRICK)
    with tarfile.open(trial / "workspace.tar.gz", "w:gz") as archive:
        for name, text in (("page.html", TRICK), ("a.svg", f"<svg xmlns='http://www.w3.org/2000/svg'>{TRICK}</svg>"),
                           ("<img src=x onerror=owned=1>.txt", TRICK)):  # fmt: skip
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return trial


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("viewed")
    task = write_task(root, "alpha")
    first, second = root / "runs" / "first", root / "runs" / "second"
    long = trajectory([step(number, "agent", f"thought number {number}") for number in range(1, 61)])
    write_trial(
        first, "alpha", "good", result=3, folder=task, document=long, journal=journal_rows("The report is ready")
    )
    write_trial(first, "alpha", "bad", result=0, folder=task,
                changes=[{"service": "drive", "op": "added", "words": "sam.reed removed /pelican.txt",
                          "before": {"name": "pelican.txt"}, "after": None}])  # fmt: skip
    write_trial(first, "beta", "good", label=Label.INFRA_ERROR, reason="the disk was full")
    hostile_trial(second, task)
    return root / "runs"


@pytest.fixture(scope="module")
def address(runs: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "dayjob", "view", str(runs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.match(r"(http://127\.0\.0\.1:\d+/)", process.stdout.readline())
        assert found is not None
        yield found.group(1)
        process.terminate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


class Watch:
    """A page and everything about it that must not happen."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.wrong: list[str] = []
        page.on("console", lambda message: self.wrong.append(message.text) if message.type != "info" else None)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("dialog", lambda dialog: self.wrong.append(f"dialog {dialog.message}"))
        page.on(
            "request", lambda request: self.wrong.append(request.url) if not request.url.startswith(origin) else None
        )

    def check(self) -> None:
        assert self.page.evaluate("window.owned") is None
        assert self.wrong == []


@pytest.fixture
def watch(browser: Browser, address: str) -> Iterator[Watch]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    watch = Watch(context.new_page(), address)
    watch.page.goto(address)
    expect(watch.page.get_by_role("link", name="runs / second")).to_be_visible(timeout=20_000)
    yield watch
    watch.check()
    context.close()


def test_from_the_runs_through_the_matrix_to_a_step(watch: Watch) -> None:
    page = watch.page
    page.get_by_role("link", name="runs / first").click()
    expect(page.get_by_role("heading", name="runs / first", level=1)).to_be_visible()
    cell = page.get_by_role("link", name="alpha, good: 1 of 1 resolved, partial score 100%")
    expect(page.get_by_role("link", name="alpha, bad: 0 of 1 resolved, partial score 0%")).to_be_visible()
    cell.click()
    expect(page.get_by_role("heading", name="alpha · good #1")).to_be_visible()
    expect(
        page.get_by_role("img", name=re.compile("Timeline of .*agent 60, chat 1, messages 2, checkpoints 2"))
    ).to_be_visible()
    expect(page.get_by_text("The drive is tidy.")).to_be_visible()
    page.get_by_role("navigation", name="Trial").get_by_role("link", name="Steps").click()
    expect(page.get_by_role("article")).to_have_count(25)
    page.get_by_role("link", name="Next →").first.click()
    expect(page.get_by_role("article", name="Step 26, agent")).to_contain_text("thought number 26")


def test_a_deep_link_leads_to_its_step(watch: Watch, address: str) -> None:
    watch.page.goto(f"{address}r/runs~first/t/alpha.good.1/steps-2.html#step-40")
    expect(watch.page.get_by_role("article", name="Step 40, agent")).to_be_in_viewport()


def test_keys_move_from_step_to_step_and_to_the_search(watch: Watch, address: str) -> None:
    page = watch.page
    page.goto(f"{address}r/runs~first/t/alpha.good.1/steps.html")
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.get_by_role("article", name="Step 2, agent")).to_be_focused()
    assert page.url.endswith("#step-2")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    page.locator("body").press("Tab")
    page.get_by_role("main").focus()
    page.keyboard.press("]")
    expect(page.get_by_role("article", name="Step 26, agent")).to_be_visible()


def test_chat_is_shown_as_chat(watch: Watch, address: str) -> None:
    watch.page.goto(f"{address}r/runs~first/t/alpha.good.1/chat.html")
    room = watch.page.get_by_role("region", name="A room with sam.reed and mara")
    expect(room.get_by_role("listitem")).to_have_count(2)
    expect(room.get_by_role("listitem").first).to_contain_text("The report is ready")
    expect(room.get_by_role("listitem").last).to_contain_text("colleague")


def test_words_are_found_wherever_they_were_written(watch: Watch) -> None:
    page = watch.page
    page.get_by_role("searchbox").fill("pelican")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="1 trial with “pelican”")).to_be_visible()
    page.get_by_role("main").get_by_role("link").click()
    page.get_by_role("link", name="Changes").click()
    expect(page.get_by_text("-pelican.txt")).to_be_visible()


def test_two_trials_stand_side_by_side(watch: Watch, address: str) -> None:
    page = watch.page
    page.goto(f"{address}r/runs~first/t/alpha.good.1/index.html")
    page.get_by_label("Compare with").select_option(label="bad #1, failed (runs~first)")
    page.get_by_role("button", name="Side by side").click()
    expect(page.get_by_role("region", name="First trial")).to_contain_text("resolved")
    expect(page.get_by_role("region", name="Second trial")).to_contain_text("failed")
    expect(page.get_by_role("row", name="The drive is tidy. ✓ 2/2 ✗ 0/2")).to_be_visible()


def test_trials_are_narrowed_by_outcome(watch: Watch, address: str) -> None:
    page = watch.page
    page.goto(f"{address}r/runs~first/trials.html")
    page.get_by_label("Outcome").select_option("infra_error")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("row").last).to_contain_text("the disk was full")


def test_lists_are_sorted_by_a_click_and_the_other_way_by_another(watch: Watch, address: str) -> None:
    page = watch.page
    page.goto(f"{address}r/runs~first/trials.html")

    def column(place: int) -> list[str]:
        return page.locator(f"tbody tr td:nth-child({place})").all_inner_texts()

    page.get_by_role("button", name="Marks").click()
    expect(page.get_by_role("columnheader", name="Marks")).to_have_attribute("aria-sort", "ascending")
    upwards = column(3)
    page.get_by_role("button", name="Marks").click()
    assert column(3) == upwards[::-1] != upwards
    page.get_by_role("button", name="Trial").click()
    assert column(1) == sorted(column(1), key=str.lower)


def test_nothing_an_examinee_wrote_ever_runs(watch: Watch, address: str) -> None:
    page = watch.page
    base = f"{address}r/runs~second/t/hostile.worker.1/"
    seen = [f"{base}{name}.html" for name in ("index", "steps", "chat", "changes", "journal", "files", "evidence")]
    seen += [f"{base}evidence/logs~grade.log.html", f"{base}file/page.html.html", f"{base}file/a.svg.html"]
    seen += [
        f"{address}search.html?q=owned",
        f"{address}compare.html?a=runs~second/hostile.worker.1&b=runs~second/hostile.worker.1",
    ]
    for url in seen:
        answer = page.goto(url)
        assert answer is not None
        assert answer.status == 200, url
        page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
        # The trick is there to be read; a list of files has other names.
        assert "window.owned=1" in page.inner_text("body") or url.endswith(("files.html", "evidence.html"))
        assert page.evaluate("window.owned") is None, url
        assert page.locator("main iframe, main script, main [onload], main [onerror], main [onmouseover]").count() == 0
        assert not any(
            str(link).startswith("javascript") for link in page.eval_on_selector_all("a", "all => all.map(a => a.href)")
        )
    page.goto(f"{base}files.html")
    page.get_by_role("link", name="<img src=x onerror=owned=1>.txt").click()
    expect(page.get_by_text("{{ 7*7 }}")).to_be_visible()
    page.goto(f"{base}steps.html")
    picture = page.get_by_role("img", name="Screenshot screenshots/1.png")
    expect(picture).to_be_visible()
    assert picture.evaluate("one => one.complete && one.naturalWidth") == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_fit_and_text_has_contrast(browser: Browser, address: str, width: int, scheme: Any) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    trial = "r/runs~first/t/alpha.good.1"
    of_trial = [f"{trial}/{name}.html" for name in ("index", "delivered", "steps", "chat", "journal")]
    of_run = [f"r/runs~first/{name}.html" for name in ("index", "trials", "lost", "t/alpha.bad.1/changes")]
    for path in ("index.html", *of_run, *of_trial):
        page.goto(f"{address}{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.evaluate(POOR_CONTRAST) == [], path
    context.close()


# Every piece of text against what is behind it, by WCAG's formula; 4.5 is AA for ordinary text.
POOR_CONTRAST = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = (colour) => colour.map((c) => linear(c / 255))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const over = (top, below) => top.slice(0, 3).map((c, at) => c * (top[3] ?? 1) + below[at] * (1 - (top[3] ?? 1)));
  const behind = (one) => {
    const layers = [];
    for (let at = one; at; at = at.parentElement) layers.push(parts(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const poor = [];
  for (const one of document.querySelectorAll("body *")) {
    const text = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!text || one.closest("svg, .hidden, .skip, option, script") || !one.getClientRects().length) continue;
    const style = getComputedStyle(one), below = behind(one);
    const colour = over([...parts(style.color).slice(0, 3), Number(style.opacity)], below);
    const [high, low] = [light(colour), light(below)].sort((a, b) => b - a);
    if ((high + 0.05) / (low + 0.05) < 4.5) poor.push(one.outerHTML.slice(0, 80));
  }
  return poor;
}"""


def test_a_run_is_followed_while_it_goes_on(browser: Browser, tmp_path: Path) -> None:
    write_trial(tmp_path / "live", "alpha", ended=False)
    command = [sys.executable, "-m", "dayjob", "view", str(tmp_path / "live")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        page = browser.new_page()
        page.goto(f"{address}r/live/trials.html")
        page.goto(f"{address}index.html")
        expect(page.get_by_role("row", name=re.compile("live.*1 not ended"))).to_be_visible(timeout=20_000)
        shutil.rmtree(tmp_path / "live" / "alpha.worker.1")
        write_trial(tmp_path / "live", "alpha", result=3)
        expect(page.get_by_role("row", name=re.compile("live.*100% 100%"))).to_be_visible(timeout=20_000)
        page.close()
        process.terminate()


@pytest.fixture(scope="module")
def site(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("published") / "site"
    answer = CliRunner().invoke(dayjob, ["view", str(runs), "--export", str(place)])
    assert answer.exit_code == 0, answer.output
    return place


@pytest.fixture
def published(browser: Browser, site: Path) -> Iterator[Watch]:
    """The site as somebody opens it from a disk: no server, and no request that leaves it."""
    watch = Watch(browser.new_page(), "file://")
    watch.page.goto((site / "index.html").as_uri())
    yield watch
    watch.check()
    watch.page.close()


def test_the_static_site_opens_from_the_disk_and_shows_pictures(published: Watch) -> None:
    page = published.page
    page.get_by_role("link", name="runs / second").click()
    page.get_by_role("link", name=re.compile("^hostile, worker")).click()
    page.get_by_role("link", name="Steps").click()
    expect(page.get_by_role("img", name="Screenshot screenshots/1.png")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).margin") == "0px"  # the style sheet was allowed


def test_the_static_site_finds_words_of_rows_and_of_what_trials_did(published: Watch) -> None:
    page = published.page
    page.get_by_role("link", name="Search").click()
    expect(page.get_by_role("row")).to_have_count(5)
    page.get_by_role("searchbox").fill("disk full")
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_role("searchbox").fill("bad pelican")
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("row").last.locator("mark")).to_have_text("pelican")
    expect(page.get_by_text("1 of 4 trials")).to_be_visible()
    page.get_by_role("searchbox").fill("window.owned")
    expect(page.get_by_role("row", name=re.compile("hostile"))).to_be_visible()
    page.get_by_role("searchbox").fill("nowhere-to-be-found")
    expect(page.get_by_role("row")).to_have_count(1)


def test_the_static_site_sets_two_trials_side_by_side_as_the_viewer_does(
    published: Watch, browser: Browser, address: str
) -> None:
    page = published.page
    page.get_by_role("link", name="runs / first").click()
    page.get_by_role("link", name=re.compile("^alpha, good")).click()
    page.get_by_label("Compare with").select_option(label="bad #1, failed (runs~first)")
    page.get_by_role("button", name="Side by side").click()
    expect(page.get_by_role("region", name="First trial")).to_contain_text("resolved")
    expect(page.get_by_role("region", name="Second trial")).to_contain_text("failed")
    expect(page.get_by_role("row", name="The drive is tidy. ✓ 2/2 ✗ 0/2")).to_be_visible()
    expect(page.get_by_text("+sam.reed removed /pelican.txt")).to_be_visible()
    live = browser.new_page()
    live.goto(f"{address}compare.html?a=runs~first/alpha.good.1&b=runs~first/alpha.bad.1")
    for role in ("cell", "rowheader", "listitem"):
        told = [pages.get_by_role(role).all_inner_texts() for pages in (page, live)]
        assert told[0] == told[1], role
    live.close()
    page.get_by_role("link", name="alpha · bad #1").click()
    expect(page.get_by_role("heading", name="alpha · bad #1")).to_be_visible()


def test_a_published_comparison_runs_nothing_an_examinee_wrote(published: Watch, site: Path) -> None:
    page = published.page
    key = "runs~second/hostile.worker.1"
    page.goto(f"{(site / 'compare.html').as_uri()}?a={key}&b={key}")
    expect(page.get_by_role("region", name="Steps of the first")).to_contain_text("window.owned=1")
    assert page.locator("main iframe, main script, main [onload], main [onerror], main [onmouseover]").count() == 0


def test_a_published_comparison_of_what_is_not_there_says_so(browser: Browser, site: Path) -> None:
    page = browser.new_page()
    page.goto(f"{(site / 'compare.html').as_uri()}?a=runs~first/alpha.good.1&b=runs~first/none")
    expect(page.get_by_text("These two cannot be compared")).to_be_visible()
    page.close()


def test_every_link_of_the_static_site_leads_to_a_file_of_it(runs: Path, tmp_path: Path) -> None:
    from urllib.parse import unquote

    site = tmp_path / "site"
    CliRunner().invoke(dayjob, ["view", str(runs), "--export", str(site)])
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        for link in re.findall(r'(?:href|src)="([^"]*)"', page.read_text()):
            path = unquote(link.split("#")[0])
            assert not path or (page.parent / path).resolve().is_relative_to(site.resolve())
            assert not path or (page.parent / path).is_file(), f"{page}: {link}"


def test_a_site_is_not_written_over_something_else(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    answer = CliRunner().invoke(dayjob, ["view", str(runs), "--export", str(tmp_path)])
    assert answer.exit_code == 2
    assert "something else" in answer.stderr


def test_only_this_machine_reads_under_its_own_name(address: str) -> None:
    assert requests.get(address, headers={"Host": "evil.test"}, timeout=10).status_code == 421
    assert requests.post(address, timeout=10).status_code == 405
    answer = requests.get(address, timeout=10)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    for path in ("r/x/index.html", "r/..%2f..%2f/t/x/index.html", "r/runs~first/t/..%2f..%2f..%2fetc/evidence.html",
                 "r/runs~first/t/alpha.good.1/picture/..~..~..~etc~passwd", "static/../app.py",
                 "matrix-99999999999999.html",
                 "r/runs~first/t/alpha.good.1/steps-0.html", "compare.html"):  # fmt: skip
        found = requests.get(f"{address}{path}", timeout=10)
        assert found.status_code == 404, path
        assert "root:" not in found.text


def test_an_index_is_thrown_away_on_request(tmp_path: Path) -> None:
    write_trial(tmp_path / "run", "alpha")
    for extra in ([], ["--rebuild"]):
        answer = CliRunner().invoke(dayjob, ["view", str(tmp_path / "run"), "--export", str(tmp_path / "site"), *extra])
        assert answer.exit_code == 0, answer.output
    (tmp_path / "run" / ".dayjob-index.sqlite-wal").write_bytes(b"what a killed viewer left")
    answer = CliRunner().invoke(
        dayjob, ["view", str(tmp_path / "run"), "--export", str(tmp_path / "site"), "--rebuild"]
    )
    assert answer.exit_code == 0, answer.output
    assert (tmp_path / "site" / "r" / "run" / "t" / "alpha.worker.1" / "index.html").is_file()


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    answer = CliRunner().invoke(dayjob, ["view", str(tmp_path / "none")])
    assert answer.exit_code == 2
    assert "is not a folder" in answer.stderr


def test_json_of_a_run_stays_readable_beside_its_index(runs: Path, address: str) -> None:
    found = CliRunner().invoke(dayjob, ["report", str(runs), "--json"])
    assert len(json.loads(found.stdout)["trials"]) == 4
