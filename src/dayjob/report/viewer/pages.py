"""From an address to a page. The addresses are those of the static site too, and every link is relative, so that what
is served and what is published are the same pages.

Pages are made from evidence by templates that escape everything; nothing an examinee wrote is markup or an address.
"""

from __future__ import annotations

import logging
import posixpath
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined

from dayjob.report.intervals import Interval, rate_interval
from dayjob.report.trajectory_file import TrajectoryError, TrajectoryFile
from dayjob.report.viewer import evidence
from dayjob.report.viewer.chat import pretty, rooms
from dayjob.report.viewer.deliverables import contents, deliverables
from dayjob.report.viewer.delivered import each_shown
from dayjob.report.viewer.diff import field_diffs, text_diff
from dayjob.report.viewer.found import read_outcome, seen_mark
from dayjob.report.viewer.index import Index, Row
from dayjob.report.viewer.lost import checkpoint_shares, lost_points
from dayjob.report.viewer.site_data import KIND, data_script, words_each
from dayjob.report.viewer.timeline import timeline
from dayjob.report.viewer.words import (
    asked_of,
    first_words,
    marked,
    meanings_of,
    moment,
    pager,
    parts,
    record,
    seconds,
    short,
    shown_step,
    size,
)
from dayjob.trial.colleague_rows import SHOWN, fault_in_words
from dayjob.trial.judged import vote_in_words
from dayjob.trial.outcome import MEANINGS, Label
from dayjob.trial.steps import TOLD

log = logging.getLogger("dayjob.viewer")

TASKS_A_PAGE, TRIALS_A_PAGE, STEPS_A_PAGE, ROWS_A_PAGE, DELIVERABLES_A_PAGE = 50, 100, 25, 200, 10
# What is drawn on a trial's time axis; the pages of steps and of the journal hold the rest.
DRAWN_STEPS, DRAWN_BYTES, DRAWN_ROWS = 2000, 4 * 1024 * 1024, 5000
# In a longer trajectory steps are counted only as far as pages are turned.
COUNTED_BYTES = 16 * 1024 * 1024
COMPARED_LINES = 1000
TIMED = (*TOLD, "all")
_ASSETS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
TABS = (
    ("index", "Overview"),
    ("steps", "Steps"),
    ("delivered", "Deliverables"),
    ("chat", "Chat"),
    ("changes", "Changes"),
    ("journal", "Journal"),
    ("files", "Workspace"),
    ("evidence", "Logs and evidence"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """A page or a file: what, of which kind, and a mark that changes when it does."""

    body: bytes
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    version: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two trials that are compared."""

    row: Row
    base: str
    checkpoints: list[dict[str, Any]]
    timings: dict[str, float]
    steps: list[str]
    words: list[str]


class NotThere(Exception):
    """No page has this address."""


@dataclass(slots=True)
class Context:
    """One page being made: where it is, what was asked, and where it links to."""

    path: str
    query: Mapping[str, str]
    static: bool
    links: set[str] = field(default_factory=set)

    def link(self, target: str, **query: str) -> str:
        """The relative address of another page from this one."""
        self.links.add(target)
        here = posixpath.dirname(self.path)
        found = quote(posixpath.relpath(target, here or "."), safe="/~+")
        # A first part with a colon would read as a scheme.
        found = f"./{found}" if ":" in found.split("/")[0] else found
        return f"{found}?{urlencode(query)}" if query else found


class Pages:
    """Makes any page of the viewer over one index."""

    def __init__(self, index: Index, *, static: bool = False) -> None:
        self.index = index
        self.static = static
        self._templates = Environment(
            loader=PackageLoader("dayjob.report.viewer", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters.update(
            percent=lambda value: "–" if value is None else f"{value:.0%}",
            seconds=seconds,
            moment=moment,
            size=size,
            short=short,
            pretty=pretty,
            found=marked,
            vote=vote_in_words,
            fault=fault_in_words,
            meaning=lambda label: MEANINGS[Label(label)].sentence if label != "running" else "no outcome yet",
        )
        self._open: OrderedDict[Path, tuple[str, TrajectoryFile]] = OrderedDict()
        self._opening = threading.Lock()
        self._routes: list[tuple[re.Pattern[str], Callable[..., Answer]]] = [
            (re.compile(pattern), method)
            for pattern, method in (
                (r"index\.html", self._runs),
                (r"matrix(?:-(?P<page>\d+))?\.html", self._matrix),
                (r"search\.html", self._search),
                (r"compare\.html", self._compare),
                (r"static/(?P<name>viewer\.(?:css|js|svg)|site\.js)", self._static),
                (r"search-words\.js", self._search_words),
                (r"r/(?P<run>[^/]+)/index\.html", self._run),
                (r"r/(?P<run>[^/]+)/matrix-(?P<page>\d+)\.html", self._run),
                (r"r/(?P<run>[^/]+)/lost(?:-(?P<page>\d+))?\.html", self._lost),
                (r"r/(?P<run>[^/]+)/trials(?:-(?P<page>\d+))?\.html", self._trials),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/index\.html", self._trial),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/side\.js", self._side_script),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/steps(?:-(?P<page>\d+))?\.html", self._steps),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/chat\.html", self._chat),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/delivered(?:-(?P<page>\d+))?\.html", self._delivered),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/deliveredpicture/(?P<number>\d+)", self._delivered_picture),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/changes(?:-(?P<page>\d+))?\.html", self._changes),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/journal(?:-(?P<page>\d+))?\.html", self._journal),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/files\.html", self._files),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/file/(?P<slug>[^/]+)\.html", self._file),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/evidence\.html", self._evidence),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/evidence/(?P<slug>[^/]+)\.html", self._evidence_file),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/picture/(?P<slug>[^/]+)", self._picture),
                (r"r/(?P<run>[^/]+)/t/(?P<name>[^/]+)/filepicture/(?P<slug>[^/]+)", self._file_picture),
            )
        ]

    def close(self) -> None:
        for _, file in self._open.values():
            file.close()
        self._open.clear()

    def answer(self, path: str, query: Mapping[str, str] | None = None) -> tuple[Answer, set[str]]:
        """The page at an address (without its first slash), and the addresses it links to."""
        context = Context(path or "index.html", query or {}, self.static)
        for pattern, method in self._routes:
            if match := pattern.fullmatch(context.path):
                parts: dict[str, Any] = {name: value for name, value in match.groupdict().items() if value is not None}
                if "page" in parts:
                    parts["page"] = int(parts["page"][:9])
                try:
                    if parts.get("page") == 0:
                        raise NotThere("Pages are counted from 1.")
                    return method(context, **parts), context.links
                except NotThere as error:
                    return self._missing(context, str(error)), set()
                except Exception as error:
                    # Evidence can be of any shape; one page that cannot be made must not take the others with it.
                    log.exception("%s cannot be shown", context.path)
                    sentence = f"This page cannot be made from its evidence: {type(error).__name__}: {error}"
                    return self._page(Context(path, {}, self.static), "missing.html", "", 500, sentence=sentence), set()
        return self._missing(context, "There is no such page."), set()

    # ---- lists --------------------------------------------------------------------------------------------------

    def _runs(self, context: Context) -> Answer:
        runs = [(row, self._rate(row.run)) for row in self.index.runs()]
        return self._page(context, "runs.html", self.index.version(), runs=runs, complete=self.index.complete)

    def _matrix(self, context: Context, page: int = 1) -> Answer:
        return self._page(context, "matrix.html", self.index.version(), run=None, **self._cells(None, page))

    def _run(self, context: Context, run: str, page: int = 1) -> Answer:
        summary = next((row for row in self.index.runs() if row.run == run), None)
        if summary is None:
            raise NotThere(f"There is no run {run}.")
        return self._page(
            context,
            "run.html",
            self.index.version(),
            run=run,
            summary=summary,
            rate=self._rate(run),
            **self._cells(run, page),
        )

    def _rate(self, run: str) -> Interval | None:
        """The interval of a run's resolved rate; None when nothing was scored."""
        return rate_interval([[True] * won + [False] * (all_ - won) for all_, won in self.index.attempts(run)])

    def _cells(self, run: str | None, page: int) -> dict[str, Any]:
        tasks, count = self.index.tasks(run, (page - 1) * TASKS_A_PAGE, TASKS_A_PAGE)
        cells = self.index.cells(run, tasks)
        if page > 1 and not tasks:
            raise NotThere("There are not so many pages.")
        return {
            "tasks": tasks,
            "entrants": self.index.entrants(run),
            "cells": cells,
            "pager": pager(page, count, TASKS_A_PAGE, "tasks"),
        }

    def _lost(self, context: Context, run: str, page: int = 1) -> Answer:
        tasks, count = self.index.tasks(run, (page - 1) * TASKS_A_PAGE, TASKS_A_PAGE)
        if not tasks:
            raise NotThere(f"There is no such page of run {run}.")
        return self._page(
            context,
            "lost.html",
            self.index.version(),
            run=run,
            entrants=self.index.entrants(run),
            lost=lost_points(self.index, run, tasks),
            shares=checkpoint_shares(self.index, run, tasks),
            pager=pager(page, count, TASKS_A_PAGE, "tasks"),
        )

    def _trials(self, context: Context, run: str, page: int = 1) -> Answer:
        where = {name: context.query.get(name, "") for name in ("label", "task", "entrant")}
        rows, count = self.index.page(run, (page - 1) * TRIALS_A_PAGE, TRIALS_A_PAGE, **where)
        if not rows and (page > 1 or not any(where.values())):
            raise NotThere(f"There is no such page of run {run}.")
        return self._page(
            context,
            "trials.html",
            self.index.version(),
            run=run,
            rows=rows,
            where={name: value for name, value in where.items() if value},
            labels=["running", *Label],
            pager=pager(page, count, TRIALS_A_PAGE, "trials"),
        )

    def _search(self, context: Context) -> Answer:
        text = context.query.get("q", "")[:200]
        page = int(context.query.get("page", "1")) if context.query.get("page", "1").isdecimal() else 1
        if self.static:
            rows, count = self.index.page(None, 0, 20_000)
            found = [(row, "") for row in rows]
        else:
            found, count = self.index.search(text, (max(1, page) - 1) * TRIALS_A_PAGE, TRIALS_A_PAGE)
        turned = pager(max(1, page), count, TRIALS_A_PAGE, "trials")
        return self._page(context, "search.html", "", text=text, found=found, count=count, pager=turned)

    def _search_words(self, context: Context) -> Answer:
        texts = self.index.words(words_each(self.index.count()))
        return Answer(data_script("words", dict(texts)), KIND)

    # ---- one trial ----------------------------------------------------------------------------------------------

    def _row(self, run: str, name: str) -> Row:
        row = self.index.trial(run, name)
        if row is None or not Path(row.folder).is_dir():
            raise NotThere(f"There is no trial {name} in run {run}.")
        return row

    def _trial_page(self, context: Context, row: Row, tab: str, template: str, **values: Any) -> Answer:
        values |= {"row": row, "run": row.run, "tab": tab, "tabs": TABS, "base": f"r/{row.run}/t/{row.name}"}
        return self._page(context, template, seen_mark(Path(row.folder)), **values)

    def _trial(self, context: Context, run: str, name: str) -> Answer:
        row = self._row(run, name)
        folder = Path(row.folder)
        outcome = read_outcome(folder)
        steps, last_words, problem = self._drawn_steps(folder)
        journal = evidence.JournalPages(folder / "journal.jsonl")
        rows = journal.rows(0, DRAWN_ROWS)
        drawn = timeline(folder, outcome, steps, rows)
        others, _ = self.index.page(None, 0, 200, task=row.task)
        return self._trial_page(
            context,
            row,
            "index",
            "trial.html",
            outcome=outcome,
            asked=asked_of(folder),
            meanings=meanings_of(folder, len(outcome.checkpoints) if outcome else 0),
            drawn=drawn,
            cut=not journal.complete and journal.known > DRAWN_ROWS,
            last_words=last_words,
            problem=problem,
            others=[other for other in others if other.id != row.id],
            ticks=[drawn.seconds * place / 4 for place in range(5)],
            counted=SHOWN,
        )

    def _drawn_steps(self, folder: Path) -> tuple[list[tuple[str, str, str]], str, str]:
        """Steps as the time axis has them, what the agent said last, and why not all can be read."""
        found, last = [], ""
        try:
            file = self._trajectory(folder)
            for place, step in enumerate(file.within(DRAWN_STEPS, DRAWN_BYTES) if file else ()):
                words = first_words(step)
                page = place // STEPS_A_PAGE + 1
                link = f"steps{f'-{page}' if page > 1 else ''}.html#step-{place + 1}"
                found.append((str(step.get("timestamp") or ""), f"step {place + 1}: {words}", link))
                if step.get("source") == "agent":
                    said = "\n".join(text for kind, text in parts(step.get("message")) if kind == "text")
                    last = said.strip() or last
        except TrajectoryError as error:
            return found, last, str(error)
        return found, last, ""

    def _trajectory(self, folder: Path) -> TrajectoryFile | None:
        """The trial's trajectory, kept open: the places of its steps are found once."""
        path = folder / "trajectory.json"
        if not path.is_file():
            return None
        stat = path.stat()
        mark = f"{stat.st_mtime_ns} {stat.st_size}"
        with self._opening:
            known = self._open.pop(path, None)
            if known is None or known[0] != mark:
                known = (mark, TrajectoryFile(path))
            self._open[path] = known
            while len(self._open) > 8:
                self._open.popitem(last=False)
        return known[1]

    def _steps(self, context: Context, run: str, name: str, page: int = 1) -> Answer:
        row = self._row(run, name)
        steps: list[dict[str, Any]] = []
        head: dict[str, Any] = {}
        problem, turned = "", pager(1, 0, STEPS_A_PAGE, "steps")
        try:
            file = self._trajectory(Path(row.folder))
            if file is not None:
                steps = file.steps((page - 1) * STEPS_A_PAGE, STEPS_A_PAGE)
                if file.size < COUNTED_BYTES or self.static:
                    file.count()
                head = file.head() if page == 1 else {}
                turned = pager(page, file.known, STEPS_A_PAGE, "steps", more=not file.complete)
        except TrajectoryError as error:
            problem = str(error)
        if page > 1 and not steps and not problem:
            raise NotThere("There are not so many steps.")
        return self._trial_page(
            context,
            row,
            "steps",
            "steps.html",
            steps=[shown_step(step) for step in steps],
            first=(page - 1) * STEPS_A_PAGE + 1,
            head=head,
            problem=problem,
            pager=turned,
            slug=lambda path: evidence.Entry(path, 0).slug,
        )

    def _chat(self, context: Context, run: str, name: str) -> Answer:
        row = self._row(run, name)
        folder = Path(row.folder)
        journal = evidence.JournalPages(folder / "journal.jsonl").rows(0, 200_000)
        said = rooms(journal, evidence.read_changes(folder))
        outcome = read_outcome(folder)
        faults: dict[str, list[dict[str, Any]]] = {}
        for fault in outcome.colleague_fault if outcome else ():
            faults.setdefault(fault["message"], []).append(fault)
        there = {message.id for room in said for message in room.messages}
        alone = [one for id, found in faults.items() if id not in there for one in found]
        return self._trial_page(context, row, "chat", "chat.html", rooms=said, faults=faults, alone=alone)

    def _delivered(self, context: Context, run: str, name: str, page: int = 1) -> Answer:
        row = self._row(run, name)
        folder = Path(row.folder)
        found = deliverables(evidence.read_changes(folder))
        part = found[(page - 1) * DELIVERABLES_A_PAGE : page * DELIVERABLES_A_PAGE]
        if page > 1 and not part:
            raise NotThere("There are not so many deliverables.")
        others, _ = self.index.page(None, 0, 200, task=row.task)
        return self._trial_page(
            context,
            row,
            "delivered",
            "delivered.html",
            delivered=each_shown(folder, read_outcome(folder), part),
            oracle=next((one for one in others if _is_oracle_of(one, row)), None),
            pager=pager(page, len(found), DELIVERABLES_A_PAGE, "deliverables"),
        )

    def _delivered_picture(self, context: Context, run: str, name: str, number: str) -> Answer:
        folder = Path(self._row(run, name).folder)
        part = [one for one in deliverables(evidence.read_changes(folder)) if str(one.number) == number]
        content = contents(folder, None, [part[0].new]).get(part[0].new, b"") if part else b""
        if not (kind := evidence.picture_kind(content)):
            raise NotThere("There is no such picture.")
        return Answer(content, kind)

    def _changes(self, context: Context, run: str, name: str, page: int = 1) -> Answer:
        row = self._row(run, name)
        changes = evidence.read_changes(Path(row.folder))
        shown = changes[(page - 1) * STEPS_A_PAGE : page * STEPS_A_PAGE]
        if page > 1 and not shown:
            raise NotThere("There are not so many changes.")
        return self._trial_page(
            context,
            row,
            "changes",
            "changes.html",
            changes=[(change, field_diffs(change)) for change in shown],
            pager=pager(page, len(changes), STEPS_A_PAGE, "changes"),
        )

    def _journal(self, context: Context, run: str, name: str, page: int = 1) -> Answer:
        row = self._row(run, name)
        journal = evidence.JournalPages(Path(row.folder) / "journal.jsonl")
        rows = journal.rows((page - 1) * ROWS_A_PAGE, ROWS_A_PAGE)
        if page > 1 and not rows:
            raise NotThere("There are not so many pages.")
        turned = pager(page, journal.known, ROWS_A_PAGE, "records", more=not journal.complete)
        return self._trial_page(
            context, row, "journal", "journal.html", rows=[record(one) for one in rows], pager=turned
        )

    def _files(self, context: Context, run: str, name: str) -> Answer:
        row = self._row(run, name)
        files = evidence.archive_files(Path(row.folder))
        return self._trial_page(context, row, "files", "files.html", files=files, at="file")

    def _evidence(self, context: Context, run: str, name: str) -> Answer:
        row = self._row(run, name)
        files = evidence.evidence_files(Path(row.folder))
        return self._trial_page(context, row, "evidence", "files.html", files=files, at="evidence")

    def _file(self, context: Context, run: str, name: str, slug: str) -> Answer:
        row = self._row(run, name)
        found = evidence.archive_file(Path(row.folder), slug)
        if found is None:
            raise NotThere("The workspace has no such file.")
        entry, data = found
        content = evidence.content(data, entry.size)
        return self._trial_page(
            context, row, "files", "file.html", entry=entry, content=content, at="filepicture", back="files.html"
        )

    def _evidence_file(self, context: Context, run: str, name: str, slug: str) -> Answer:
        row = self._row(run, name)
        found = evidence.read_evidence(Path(row.folder), slug)
        if found is None:
            raise NotThere("The trial left no such file.")
        return self._trial_page(
            context, row, "evidence", "file.html", entry=found[0], content=found[1], at="picture", back="evidence.html"
        )

    def _picture(self, context: Context, run: str, name: str, slug: str) -> Answer:
        row = self._row(run, name)
        path = re.sub("~~|~", lambda match: "~" if match.group() == "~~" else "/", slug)
        found = evidence.picture(Path(row.folder), path)
        if found is None:
            raise NotThere("There is no such picture.")
        return Answer(found[0], found[1])

    def _file_picture(self, context: Context, run: str, name: str, slug: str) -> Answer:
        found = evidence.archive_file(Path(self._row(run, name).folder), slug, most=16 * 1024 * 1024)
        kind = evidence.picture_kind(found[1]) if found else ""
        if found is None or not kind:
            raise NotThere("There is no such picture.")
        return Answer(found[1], kind)

    # ---- two trials ---------------------------------------------------------------------------------------------

    def _compare(self, context: Context) -> Answer:
        if self.static:
            return self._page(context, "compare.html", "", sides=None)
        sides = [self._side(context.query.get(name, "")) for name in ("a", "b")]
        return self._page(
            context,
            "compare.html",
            "",
            sides=sides,
            pairs=max(len(side.checkpoints) for side in sides),
            changes=text_diff(*("\n".join(side.words) for side in sides)),
            meanings=meanings_of(Path(sides[0].row.folder), None),
            timed=TIMED,
        )

    def _side_script(self, context: Context, run: str, name: str) -> Answer:
        """One trial as a published site's comparison shows it."""
        side = self._side(f"{run}/{name}")
        row = side.row
        facts = {
            "base": quote(side.base, safe="/~+"),
            "run": row.run,
            "title": f"{row.task} · {row.entrant} {row.which}",
            "label": "not ended" if row.label == "running" else row.label.replace("_", " "),
            "kind": row.label if row.label in ("resolved", "partial", "failed", "running") else "fault",
            "marks": f"{row.result}/{row.total} marks, {seconds(row.seconds)}" if row.total else seconds(row.seconds),
            "reason": row.reason,
            "checkpoints": side.checkpoints,
            "meanings": [short(one, 160) for one in meanings_of(Path(row.folder), None)],
            "times": [(name, seconds(side.timings.get(name))) for name in TIMED],
            "changes": "\n".join(side.words).splitlines()[:COMPARED_LINES],
            "steps": side.steps,
        }
        return Answer(data_script(row.key, facts), KIND)

    def _side(self, key: str) -> Side:
        run, _, trial = key.rpartition("/")
        row = self._row(run, trial)
        folder = Path(row.folder)
        outcome = read_outcome(folder)
        try:
            file = self._trajectory(folder)
            steps = file.within(100, DRAWN_BYTES) if file else []
        except TrajectoryError:  # its own page says what is wrong with it
            steps = []
        return Side(
            row,
            f"r/{row.run}/t/{row.name}",
            outcome.checkpoints if outcome else [],
            outcome.timings if outcome else {},
            [first_words(one) for one in steps],
            [str(change.get("words") or "") for change in evidence.read_changes(folder)[:500]],
        )

    # ---- making pages -------------------------------------------------------------------------------------------

    def _page(self, context: Context, template: str, version: str, status: int = 200, **values: Any) -> Answer:
        text = self._templates.get_template(template).render(
            link=context.link, static=context.static, version=version, query=context.query, **values
        )
        # Evidence may hold half a character; a page is always whole.
        return Answer(text.encode("utf-8", "replace"), status=status, version=version)

    def _missing(self, context: Context, sentence: str) -> Answer:
        return self._page(context, "missing.html", "", 404, sentence=sentence)

    def _static(self, context: Context, name: str) -> Answer:
        return Answer(_asset(name), _ASSETS[name.rpartition(".")[2]])


def _is_oracle_of(other: Row, row: Row) -> bool:
    """The oracle's trial of the same task and, in a family, of the same variant."""
    if other.id == row.id or other.entrant != "oracle":
        return False
    ours, theirs = (read_outcome(Path(one.folder)) for one in (row, other))
    return (
        ours is not None
        and theirs is not None
        and (ours.variant, ours.variant_set)
        == (
            theirs.variant,
            theirs.variant_set,
        )
    )


@lru_cache
def _asset(name: str) -> bytes:
    return (resources.files("dayjob.report.viewer") / "static" / name).read_bytes()
