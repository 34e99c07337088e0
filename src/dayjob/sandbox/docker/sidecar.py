"""Holds a trial's network in a container of its own, and hands its sockets to the host over a mounted Unix socket.

Runs inside the container as a plain script. First message: every listening socket asked for. Then, per request line,
`socket4`, `socket6` (a new TCP socket) or `ports` (what is being listened on). Ends when the host goes away.
"""

import json
import socket
import sys


def listening() -> "list[int]":
    found = set()
    for name in ("tcp", "tcp6"):
        with open("/proc/net/" + name) as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if fields[3] == "0A":
                    found.add(int(fields[1].rpartition(":")[2], 16))
    return sorted(found)


def main(path: str, ports: "list[str]") -> None:
    host = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    host.connect(path)
    sockets = []
    for port in ports:
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", int(port)))
        sock.listen(512)
        sockets.append(sock)
    socket.send_fds(host, [b"listening"], [sock.fileno() for sock in sockets])
    while True:
        asked = host.recv(64)
        if not asked:
            return
        if asked == b"ports":
            host.send(json.dumps(listening()).encode())
            continue
        family = socket.AF_INET6 if asked == b"socket6" else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as sock:
            socket.send_fds(host, [b"socket"], [sock.fileno()])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
