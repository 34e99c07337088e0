"""The forge as a runner sees it: GitLab's runner API, over a socket that only the runner has."""

from __future__ import annotations

import contextlib
import json
import platform
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from dayjob import __version__
from dayjob.runner.payload import Artifact, BadPayload, Dependency, Job, read_job

if TYPE_CHECKING:
    import httpx

_LARGEST_JOB = 16 * 1024 * 1024
_CHUNK = 1 << 16
_SECONDS = 60.0

# What this runner can do, as GitLab asks runners to say.
_CAN = (
    "variables raw_variables image artifacts artifacts_exclude upload_multiple_artifacts refspecs masking "
    "multi_build_steps cancelable cancel_gracefully return_exit_code"
)
INFO: dict[str, Any] = {
    "name": "dayjob-runner",
    "version": __version__,
    "revision": "",
    "platform": "linux",
    "architecture": {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine()),
    "executor": "docker",
    "shell": "bash",
    "features": dict.fromkeys(_CAN.split(), True),
}


class ForgeGone(Exception):
    """The forge does not answer, or answers what no forge would."""


class JobOver(Exception):
    """The forge takes nothing more of this job: it was cancelled, erased, or has ended."""


class ForgeClient:
    """Use as `async with`. `socket` is the path of a Unix socket; without one the address itself is asked."""

    def __init__(self, address: str, token: str, socket: Path | None = None) -> None:
        self.address = address
        self._token = token
        self._socket = socket
        self._http: httpx.AsyncClient | None = None
        self.requests = 0
        """How many jobs it has asked for, for whoever wants to know what waiting costs."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    @property
    def _client(self) -> httpx.AsyncClient:
        if self._http is None:
            import httpx  # late: most trials have no job to ask for

            way = httpx.AsyncHTTPTransport(uds=str(self._socket) if self._socket else None, verify=False)
            self._http = httpx.AsyncClient(
                base_url=f"{self.address}/api/v4", transport=way, timeout=_SECONDS, trust_env=False
            )
        return self._http

    async def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        import httpx

        try:
            return await self._client.request(method, path, **options)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ForgeGone(f"{method} {path}: {type(error).__name__}: {error}") from error

    async def request_job(self) -> Job | None:
        """The next job that waits for this runner, which is ours from then on; None when there is none."""
        while True:
            self.requests += 1
            said = await self._send("POST", "/jobs/request", json={"token": self._token, "info": INFO})
            if said.status_code == 204:
                return None
            if said.status_code != 201 or len(said.content) > _LARGEST_JOB:
                raise ForgeGone(f"asking for a job was answered with {said.status_code}")
            try:
                facts = json.loads(said.content)
            except ValueError as error:
                raise ForgeGone(f"asking for a job was not answered with JSON: {error}") from error
            try:
                return read_job(facts)
            except BadPayload as error:
                await self._refuse(facts, str(error))

    async def _refuse(self, facts: Any, sentence: str) -> None:
        """A job that cannot even be read fails, and says so in its log."""
        try:
            number, headers = int(facts["id"]), {"Job-Token": str(facts["token"])}
        except (KeyError, TypeError, ValueError):
            raise ForgeGone(sentence) from None
        text = f"ERROR: Job failed (system failure): {sentence}\n".encode()
        headers |= {"Content-Range": f"0-{len(text) - 1}", "Content-Type": "text/plain"}
        await self._send("PATCH", f"/jobs/{number}/trace", content=text, headers=headers)
        told = {"token": str(facts["token"]), "state": "failed", "failure_reason": "runner_system_failure"}
        await self._send("PUT", f"/jobs/{number}", json=told)

    async def append(self, job: Job, data: bytes, start: int) -> tuple[int, str]:
        """Add to a job's log. Returns how long it is there now, and the job's state as the forge has it."""
        headers = {"Job-Token": job.token, "Content-Range": f"{start}-{start + len(data) - 1}"}
        headers["Content-Type"] = "text/plain"
        said = await self._send("PATCH", f"/jobs/{job.id}/trace", content=data, headers=headers)
        if said.status_code == 416:
            return _end(said.headers.get("Range", ""), 0), said.headers.get("Job-Status", "")
        if said.status_code != 202:
            raise JobOver(f"its log was answered with {said.status_code}")
        return _end(said.headers.get("Range", ""), start + len(data)), said.headers.get("Job-Status", "")

    async def update(self, job: Job, state: str, **facts: Any) -> str:
        """Say how a job is doing; returns its state as the forge has it."""
        body = {"token": job.token, "state": state, "info": INFO, **facts}
        said = await self._send("PUT", f"/jobs/{job.id}", json=body)
        if said.status_code not in (200, 202):
            raise JobOver(f"its state was answered with {said.status_code}")
        return str(said.headers.get("Job-Status", ""))

    async def upload(self, job: Job, artifact: Artifact, file: IO[bytes], filename: str) -> str:
        """Send an archive or a report; returns why it was not taken, or nothing."""
        options = {"artifact_type": artifact.type, "artifact_format": artifact.format}
        if artifact.expire_in:
            options["expire_in"] = artifact.expire_in
        said = await self._send(
            "POST", f"/jobs/{job.id}/artifacts", params=options, headers={"Job-Token": job.token},
            files={"file": (filename, file, "application/octet-stream")},
        )  # fmt: skip
        if said.status_code == 201:
            return ""
        return {403: "403 Forbidden", 413: "413 Request Entity Too Large"}.get(said.status_code, str(said.status_code))

    @contextlib.asynccontextmanager
    async def download(self, dependency: Dependency) -> AsyncIterator[AsyncIterator[bytes]]:
        """The archive of a job, in parts. Raises `FileNotFoundError` when there is none."""
        import httpx

        path, headers = f"/jobs/{dependency.id}/artifacts", {"Job-Token": dependency.token}
        try:
            async with self._client.stream("GET", path, headers=headers) as said:
                if said.status_code != 200:
                    raise FileNotFoundError(str(said.status_code))
                yield said.aiter_bytes(_CHUNK)
        except httpx.HTTPError as error:
            raise ForgeGone(f"GET {path}: {type(error).__name__}: {error}") from error


def _end(range_header: str, otherwise: int) -> int:
    """How much of a log is there, from `0-N`."""
    last = range_header.rpartition("-")[2]
    return int(last) if last.isdigit() else otherwise
