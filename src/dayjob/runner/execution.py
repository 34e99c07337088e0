"""One job in one room: sources, artifacts of other jobs, its script, what follows it, and what is kept of it.

The room has the forge for as long as git fetches, and nothing of the job's has run by then; from its first command on
there is no network. What is copied out of it are bytes, bounded; nothing of them is run or believed here.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from dayjob import owned
from dayjob.runner.forge_client import INFO, ForgeClient
from dayjob.runner.images import Images, NoImage
from dayjob.runner.payload import Artifact, Dependency, Expansion, Job, Step, Variable, expanded
from dayjob.runner.shell import GREEN, RED, RESET, SHELL, YELLOW, script
from dayjob.runner.sources import fetching
from dayjob.runner.trace import Trace
from dayjob.sandbox.sandbox import MIB, BuiltImage, Finished, Sandbox, SandboxError, Stream

MOST_ARTIFACTS = 100 * MIB
"""What one archive or report of a job may have, as it is sent."""
_FETCH_SECONDS = 120.0
_PACK_SECONDS = 120.0
_AFTER_SECONDS = 300.0
_READ_QUICKLY = 8 * MIB  # of what a job prints; the log ends before that
_KEPT = 64 * 1024  # of a command's output, besides the log
_BUILDS = "/builds"
_PACKER = resources.files("dayjob.runner").joinpath("in_room.py").read_text("utf-8")
_NOTHING_TO_PACK = 3

# What runs before and after the job's own commands has none of its variables.
_BARE = {
    "HOME": "/root", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/true",
}  # fmt: skip

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended. `reason` is one of GitLab's failure reasons; None is success."""

    reason: str | None = None
    exit_code: int = 0
    sentence: str = ""
    cancelled: bool = False

    @property
    def ok(self) -> bool:
        return self.reason is None and not self.cancelled


class Failure(Exception):
    """What ends a job before or beside its script."""

    def __init__(self, reason: str, sentence: str, exit_code: int = 1) -> None:
        super().__init__(sentence)
        self.ended = Ended(reason, exit_code, sentence)


class Rooms(Protocol):
    """Who makes rooms for jobs: the trial, or whoever else runs a runner."""

    def make(self, image: BuiltImage, host: str, port: int) -> Sandbox:
        """A room, not yet started, in which the forge's address is a port of its own loopback."""

    def forge(self, sandbox: Sandbox) -> contextlib.AbstractAsyncContextManager[None]:
        """Have the room start, with the forge answering at its port for as long as this is open, and never again."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What jobs may use here, and what they are told about it."""

    longest: float = 600.0
    """Seconds a job may take at most, whatever its project says."""
    now: Callable[[], float] = lambda: 0.0
    """The company's time, for the log."""
    runner_name: str = "larkspur-runner"


class Execution:
    """One job, carried out once."""

    def __init__(self, job: Job, forge: ForgeClient, images: Images, rooms: Rooms, settings: Settings) -> None:
        self.job = job
        self.forge = forge
        self.images = images
        self.rooms = rooms
        self.settings = settings
        self.folder = f"{_BUILDS}/{job.project_path}"
        self.beside = f"{self.folder}.tmp"
        """Where scripts, files of variables and archives lie: beside the project, not in it."""
        self.variables = expanded(job.variables, self._own_variables())

    async def run(self, trace: Trace) -> Ended:
        """Carry it out; the log says everything that a person needs to know."""
        trace.say(f"Running with {self.settings.runner_name} on {self.settings.runner_name}")
        try:
            ended = await self._run(trace)
        except Failure as failure:
            ended = failure.ended
        if ended.cancelled:
            trace.say(f"{RED}ERROR: Job failed: canceled{RESET}")
        elif ended.ok:
            trace.say(f"{GREEN}Job succeeded{RESET}")
        else:
            system = " (system failure)" if ended.reason in ("runner_system_failure", "image_pull_failure") else ""
            trace.say(f"{RED}ERROR: Job failed{system}: {ended.sentence}{RESET}")
        return ended

    async def _run(self, trace: Trace) -> Ended:
        name = self.job.image or self.images.default
        with trace.section("prepare_executor", 'Preparing the "docker" executor'):
            trace.say(f"Using Docker executor with image {name} ...")
            if self.job.services:
                raise Failure("runner_system_failure", f"services are not run here: {', '.join(self.job.services)}")
            try:
                image = await self._unless_cancelled(trace, self.images.get(name))
            except NoImage as error:
                raise Failure("image_pull_failure", str(error)) from error
        if image is None:
            return Ended(cancelled=True)
        async with AsyncExitStack() as stack:
            address = urlsplit(self.job.repo_url)
            room = self.rooms.make(image, address.hostname or "", address.port or 80)
            stack.push_async_callback(room.stop)
            async with self.rooms.forge(room):
                with trace.section("get_sources", "Getting source from Git repository"):
                    await self._fetch(room, trace)
            if self.job.dependencies:
                with trace.section("download_artifacts", "Downloading artifacts"):
                    for dependency in self.job.dependencies:
                        await self._bring(room, dependency, trace)
            ended = await self._steps(room, trace)
            if not ended.cancelled:
                await self._keep(room, ended.ok, trace)
            return ended

    def _own_variables(self) -> dict[str, str]:
        """What only the runner knows."""
        return {
            "CI_SERVER": "yes",
            "CI_BUILDS_DIR": _BUILDS,
            "CI_PROJECT_DIR": self.folder,
            "CI_CONCURRENT_ID": "0",
            "CI_CONCURRENT_PROJECT_ID": "0",
            "CI_DISPOSABLE_ENVIRONMENT": "true",
            "CI_JOB_TIMEOUT": str(int(min(self.job.timeout, self.settings.longest))),
            "CI_RUNNER_EXECUTABLE_ARCH": f"linux/{INFO['architecture']}",
        }

    # -- before the script -----------------------------------------------------------------------------------------

    async def _fetch(self, room: Sandbox, trace: Trace) -> None:
        strategy = self.variables.get("GIT_STRATEGY", "fetch")
        command = fetching(self.job, self.folder, self.beside, strategy)
        # With no variable of the job's: they could tell git to run something while the forge is still there.
        done = await room.exec(command, env=_BARE, cwd="/", within=_FETCH_SECONDS, keep=_KEPT)
        trace.output(done.stdout + done.stderr)
        if done.timed_out:
            raise Failure("runner_system_failure", f"git took longer than {_FETCH_SECONDS:g} seconds")
        if not done.ok:
            raise Failure("script_failure", f"exit code {_exit_code(done)}", _exit_code(done))
        for one in self.job.variables:
            if one.file:
                await room.put(one.value.encode("utf-8", "surrogateescape"), f"{self.beside}/{one.key}", mode=0o600)

    async def _bring(self, room: Sandbox, dependency: Dependency, trace: Trace) -> None:
        """The archive of a job that this one needs, unpacked in the room by the room's own Python."""
        trace.say(f"Downloading artifacts for {dependency.name} ({dependency.id})...")
        if not dependency.has_file:
            return
        with tempfile.TemporaryDirectory() as place:
            archive = Path(place, "archive.zip")
            try:
                async with self.forge.download(dependency) as parts:
                    await _written(parts, archive)
            except FileNotFoundError as error:
                trace.say(f"{RED}ERROR: Downloading artifacts from coordinator... not found ({error}){RESET}")
                raise Failure("script_failure", "exit code 1") from error
            path = f"{self.beside}/dependency.zip"
            await room.put(archive, path, mode=0o600)
        done = await self._python(room, ["unpack", self.folder, path])
        trace.output(done.stdout)
        await room.remove(path)
        if not done.ok:
            trace.output(done.stderr[-2000:])
            raise Failure("script_failure", f"the artifacts of {dependency.name} could not be extracted")

    # -- the script ------------------------------------------------------------------------------------------------

    async def _steps(self, room: Sandbox, trace: Trace) -> Ended:
        ended = Ended()
        step = self.job.step("script")
        if step is not None:
            with trace.section("step_script", 'Executing "step_script" stage of the job script'):
                ended = await self._script(room, step, "running", trace)
        after = self.job.step("after_script")
        if after is not None and after.script and (not ended.cancelled or trace.state == "canceling"):
            status = "canceled" if ended.cancelled else "success" if ended.ok else "failed"
            with trace.section("after_script", "Running after_script"):
                trace.say("Running after script...")
                done = await self._command(room, after, status, min(after.timeout, _AFTER_SECONDS), trace)
                if not done.ok:
                    why = "execution took too long" if done.timed_out else f"exit code {_exit_code(done)}"
                    trace.say(f"{YELLOW}WARNING: after_script failed, but job will continue unaffected: {why}{RESET}")
        return ended

    async def _script(self, room: Sandbox, step: Step, status: str, trace: Trace) -> Ended:
        seconds = min(self.job.timeout, step.timeout, self.settings.longest)
        done = await self._unless_cancelled(trace, self._command(room, step, status, seconds, trace))
        if done is None:
            return Ended(cancelled=True)
        if done.timed_out:
            return Ended("job_execution_timeout", 1, f"execution took longer than {_duration(seconds)} seconds")
        if not done.ok:
            return Ended("script_failure", _exit_code(done), f"exit code {_exit_code(done)}")
        return Ended()

    async def _command(self, room: Sandbox, step: Step, status: str, seconds: float, trace: Trace) -> Finished:
        paths = {one.key: f"{self.beside}/{one.key}" for one in self.job.variables if one.file}
        variables = {**self.variables, **paths, "CI_JOB_STATUS": status}
        text = script(self.folder, variables, step.script)
        path = f"{self.beside}/{step.name}"
        await room.put(text.encode("utf-8", "surrogateescape"), path, mode=0o700)

        def heard(_: Stream, data: bytes) -> None:
            trace.output(data)

        return await room.exec(
            [*SHELL, path],
            cwd="/",
            within=seconds,
            keep=_KEPT,
            slow_after=_READ_QUICKLY,
            on_output=heard,
        )

    async def _unless_cancelled(self, trace: Trace, doing: Coroutine[Any, Any, T]) -> T | None:
        """What it gives, or None when the job was cancelled first; then it is given up."""
        working, cancelling = asyncio.ensure_future(doing), asyncio.ensure_future(trace.cancelled.wait())
        try:
            await asyncio.wait({working, cancelling}, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            for one in (working, cancelling):
                one.cancel()
            await asyncio.gather(working, cancelling, return_exceptions=True)

    # -- after it --------------------------------------------------------------------------------------------------

    async def _keep(self, room: Sandbox, succeeded: bool, trace: Trace) -> None:
        wanted = [one for one in self.job.artifacts if one.wanted(succeeded) and (one.paths or one.untracked)]
        if not wanted:
            return
        title = f"Uploading artifacts for {'successful' if succeeded else 'failed'} job"
        with trace.section(f"upload_artifacts_on_{'success' if succeeded else 'failure'}", title):
            for artifact in wanted:
                await self._keep_one(room, artifact, trace)

    async def _keep_one(self, room: Sandbox, artifact: Artifact, trace: Trace) -> None:
        trace.say("Uploading artifacts...")
        known = {one.key: one for one in self.job.variables} | {
            key: Variable(key, value, raw=True) for key, value in self._own_variables().items()
        }
        expand = Expansion(known).fill_in
        paths, exclude = ([expand(one) for one in some] for some in (artifact.paths, artifact.exclude))
        kind = "zip" if artifact.format == "zip" else "gzip"
        filename = _filename(expand(artifact.name) or artifact.type, kind)
        target = f"{self.beside}/packed"
        words = ["archive", self.folder, target, kind, str(len(paths)), *paths, "01"[artifact.untracked], *exclude]
        done = await self._python(room, words)
        trace.output(done.stdout)
        if done.exit_code == _NOTHING_TO_PACK:
            return
        if not done.ok:
            why = "it took too long" if done.timed_out else f"exit code {_exit_code(done)}"
            trace.output(done.stderr[-2000:])
            trace.say(f"{RED}ERROR: Uploading artifacts failed: {why}{RESET}")
            raise Failure("script_failure", "artifacts could not be packed")
        folder = owned.folder("artifacts")
        try:
            await room.get(target, folder / "out", limit=MOST_ARTIFACTS)
            packed = folder / "out" / "packed"
            if packed.is_symlink() or not packed.is_file():
                raise SandboxError("what was packed is no file")
            with packed.open("rb") as file:
                why = await self.forge.upload(self.job, artifact, file, filename)
        except SandboxError as error:
            why = f"too large, or not to be had: {error}"
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if why:
            trace.say(f'{RED}ERROR: Uploading artifacts as "{artifact.type}" to coordinator... {why}{RESET}')
            raise Failure("script_failure", "artifacts could not be uploaded")
        trace.say(f'Uploading artifacts as "{artifact.type}" to coordinator... 201 Created')

    async def _python(self, room: Sandbox, words: Sequence[str]) -> Finished:
        command = ["/usr/bin/python3", "-I", "-c", _PACKER, *words]
        return await room.exec(command, env=_BARE, cwd="/", within=_PACK_SECONDS, keep=_KEPT)


async def _written(parts: AsyncIterator[bytes], file: Path) -> None:
    total = 0
    with file.open("wb") as out:
        async for part in parts:
            total += len(part)
            if total > MOST_ARTIFACTS:
                raise Failure("script_failure", f"artifacts of another job are larger than {MOST_ARTIFACTS} bytes")
            out.write(part)


def _exit_code(done: Finished) -> int:
    """As a shell tells it: a command that was ended by a signal has 128 and the signal's number."""
    return done.exit_code if done.exit_code >= 0 else 128 - done.exit_code


def _duration(seconds: float) -> str:
    """As GitLab's runner writes it: 1h0m0s."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "") + f"{rest}s"


def _filename(name: str, kind: str) -> str:
    safe = "".join(sign if sign.isalnum() or sign in "._-" else "_" for sign in name)[:100].lstrip(".")
    return f"{safe or 'artifacts'}.{'zip' if kind == 'zip' else 'gz'}"
