"""How fast files go into and out of the drive: 1 GB each way, beside a raw socket copy of the same gigabyte; and small
reads, beside a bare Starlette application that says hello in JSON.

python -m bench.drive

The raw copy is two processes and one loopback connection: one sends the content, the other receives it. It is shown
twice: memory to memory, and with a file at the server's end, because a drive has to keep what it is given. The
client's half is the same code in every row.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from dayjob.company.world import build_snapshot

ROOT = Path(__file__).parents[1]
SIZE = 1000 * 1000 * 1000
PIECE = 1024 * 1024
ROUNDS = 5
AUTHORIZATION = "Authorization: Basic cm9vdDpibGFuay1yb290LXBhc3M="


def content_piece() -> bytes:
    """Bytes that do not compress, the same in every run."""
    return b"".join(hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(PIECE // 32))


def send_all(connection: socket.socket, piece: bytes) -> None:
    view = memoryview(piece)
    left = SIZE
    while left > 0:
        connection.sendall(view[: min(PIECE, left)])
        left -= min(PIECE, left)


def receive_all(connection: socket.socket, left: int) -> None:
    buffer = bytearray(PIECE)
    while left > 0:
        got = connection.recv_into(buffer, min(PIECE, left))
        if not got:
            raise ConnectionError("the other end went away")
        left -= got


# -- the raw copy ------------------------------------------------------------------------------------------------


def raw_server(pipe: Connection, file: Path | None) -> None:
    """Takes a gigabyte from every odd connection and gives one to every even one."""
    listener = socket.create_server(("127.0.0.1", 0))
    pipe.send(listener.getsockname()[1])
    piece = content_piece()
    while True:
        connection, _ = listener.accept()
        with connection:
            if file is None:
                receive_all(connection, SIZE)
            else:
                buffer, left = memoryview(bytearray(PIECE)), SIZE
                with file.open("wb", buffering=0) as target:
                    while left > 0:
                        got = connection.recv_into(buffer)
                        target.write(buffer[:got])
                        left -= got
            connection.sendall(b"!")
        connection, _ = listener.accept()
        with connection:
            if file is None:
                send_all(connection, piece)
            else:
                with file.open("rb", buffering=0) as source:
                    connection.sendfile(source)


def raw_upload(port: int, piece: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        send_all(connection, piece)
        receive_all(connection, 1)


def raw_download(port: int, piece: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        receive_all(connection, SIZE)


# -- the drive ---------------------------------------------------------------------------------------------------


def drive_server(port: int, cache: Path) -> None:
    """Serves the drive on `port` and the hello application on the next one."""
    import asyncio

    import uvloop
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from dayjob.company.company import Company
    from dayjob.company.host import Host
    from dayjob.http.server import bind

    async def hello(request: Request) -> JSONResponse:
        return JSONResponse({"hello": "world"})

    async def main() -> None:
        company = Company(build_snapshot(ROOT / "worlds" / "blank", cache=cache), folder=cache / "company")
        async with Host() as host:
            await host.serve(company, "drive", bind(port=port))
            await host.listen(Starlette(routes=[Route("/", hello)]), bind(port=port + 1))
            print("ready", flush=True)
            await asyncio.sleep(3600)

    uvloop.run(main())


def head(connection: socket.socket) -> str:
    """The answer's head, byte by byte so that nothing of the body is taken."""
    found = b""
    while not found.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            raise ConnectionError(found.decode())
        found += byte
    return found.decode("latin-1")


def drive_upload(port: int, piece: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        line = f"PUT /remote.php/webdav/big.bin HTTP/1.1\r\nHost: bench\r\n{AUTHORIZATION}\r\n"
        connection.sendall(f"{line}Content-Length: {SIZE}\r\n\r\n".encode())
        send_all(connection, piece)
        answer = head(connection)
        assert answer.startswith(("HTTP/1.1 201", "HTTP/1.1 204")), answer


def drive_download(port: int, piece: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        line = f"GET /remote.php/webdav/big.bin HTTP/1.1\r\nHost: bench\r\n{AUTHORIZATION}\r\n\r\n"
        connection.sendall(line.encode())
        answer = head(connection)
        assert answer.startswith("HTTP/1.1 200"), answer
        receive_all(connection, SIZE)


# -- small reads -------------------------------------------------------------------------------------------------

READS = {
    "a bare Starlette hello-JSON": (1, "GET / HTTP/1.1"),
    "GET of a file of 1 kB": (0, "GET /remote.php/webdav/folder/small.txt HTTP/1.1"),
    "PROPFIND of one file": (0, "PROPFIND /remote.php/webdav/folder/small.txt HTTP/1.1\r\nDepth: 0"),
    "PROPFIND of a folder of ten": (0, "PROPFIND /remote.php/webdav/folder HTTP/1.1\r\nDepth: 1"),
    "OCS: all shares I gave": (0, "GET /ocs/v1.php/apps/files_sharing/api/v1/shares HTTP/1.1"),
}
READ_COUNT = 3000


def answer_of(connection: socket.socket, request: bytes) -> int:
    """Send a request and read its whole answer; says its status."""
    connection.sendall(request)
    found = connection.recv(65536)
    top, _, body = found.partition(b"\r\n\r\n")
    length = int(top.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65536)
    return int(top[9:12])


def prepare_reads(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for target, content in (
            ("folder", b""),
            *((f"folder/{n}.txt", b"x") for n in range(9)),
            ("folder/small.txt", b"x" * 1000),
        ):
            method = "PUT" if "." in target else "MKCOL"
            line = f"{method} /remote.php/webdav/{target} HTTP/1.1\r\nHost: bench\r\n{AUTHORIZATION}\r\n"
            status = answer_of(connection, f"{line}Content-Length: {len(content)}\r\n\r\n".encode() + content)
            assert status == 201, status


def read_rates(port: int) -> dict[str, float]:
    """Requests a second, one after the other on one connection; the rows take turns and meet the same noise."""
    took: dict[str, list[float]] = {name: [] for name in READS}
    for _ in range(ROUNDS):
        for name, (offset, line) in READS.items():
            request = f"{line}\r\nHost: bench\r\n{AUTHORIZATION}\r\n\r\n".encode()
            with socket.create_connection(("127.0.0.1", port + offset)) as connection:
                assert answer_of(connection, request) in (200, 207)
                start = time.perf_counter()
                for _ in range(READ_COUNT):
                    answer_of(connection, request)
                took[name].append(time.perf_counter() - start)
    return {name: READ_COUNT / statistics.median(found) for name, found in took.items()}


def seconds(work: Callable[[int, bytes], None], port: int, piece: bytes) -> float:
    start = time.perf_counter()
    work(port, piece)
    return time.perf_counter() - start


def peak_memory(pid: int) -> int:
    """The most memory a process has held, in MB."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith("VmHWM"))) // 1000


def main() -> None:
    piece = content_piece()
    # In memory where that is possible: the claim is about the drive, not about this machine's disk.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="dayjob-bench-", dir=place) as folder:
        cache = Path(folder)
        ports, helpers = [], []
        for file in (None, cache / "raw.bin"):
            ours, theirs = multiprocessing.Pipe()
            helper = multiprocessing.Process(target=raw_server, args=(theirs, file), daemon=True)
            helper.start()
            helpers.append(helper)
            ports.append(ours.recv())
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        drive = subprocess.Popen(
            [sys.executable, "-m", "bench.drive", "serve", str(port), folder], stdout=subprocess.PIPE, cwd=ROOT
        )
        try:
            assert drive.stdout is not None
            assert drive.stdout.readline() == b"ready\n"
            rows: dict[str, list[tuple[float, float]]] = {"memory": [], "file": [], "drive": []}
            for _ in range(ROUNDS):
                rows["memory"].append((seconds(raw_upload, ports[0], piece), seconds(raw_download, ports[0], piece)))
                rows["file"].append((seconds(raw_upload, ports[1], piece), seconds(raw_download, ports[1], piece)))
                rows["drive"].append((seconds(drive_upload, port, piece), seconds(drive_download, port, piece)))
            memory = peak_memory(drive.pid)
            prepare_reads(port)
            reads = read_rates(port)
        finally:
            drive.kill()
            for helper in helpers:
                helper.kill()
    report(rows, memory)
    report_reads(reads)


def report(rows: dict[str, list[tuple[float, float]]], memory: int) -> None:
    up = {name: SIZE / 1e6 / statistics.median(one for one, _ in found) for name, found in rows.items()}
    down = {name: SIZE / 1e6 / statistics.median(one for _, one in found) for name, found in rows.items()}
    names = {
        "memory": "raw socket copy, memory to memory",
        "file": "raw socket copy, file at the server's end",
        "drive": "the drive (PUT, GET): stored and journalled",
    }
    print(f"1 GB over loopback; median of {ROUNDS} rounds; {os.cpu_count()} cores.", end=" ")
    print(f"The drive's process held at most {memory} MB.\n")
    print("| what | up, MB/s | down, MB/s |\n| --- | ---: | ---: |")
    for name, words in names.items():
        print(f"| {words} | {up[name]:.0f} | {down[name]:.0f} |")
    for name in ("memory", "file"):
        ratio_up, ratio_down = up["drive"] / up[name], down["drive"] / down[name]
        print(f"| ratio of the drive to the {names[name]} | {ratio_up:.0%} | {ratio_down:.0%} |")


def report_reads(rates: dict[str, float]) -> None:
    hello = rates["a bare Starlette hello-JSON"]
    print("\n| what, one request after the other | a second | ratio to hello |\n| --- | ---: | ---: |")
    for name, rate in rates.items():
        print(f"| {name} | {rate:.0f} | {rate / hello:.0%} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        drive_server(int(sys.argv[2]), Path(sys.argv[3]))
    else:
        main()
