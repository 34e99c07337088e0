#!/usr/bin/env python3
"""Says what in this repository does not agree with itself. Standard library only; exit code 1 when something is wrong."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
NEEDED = ("host", "role", "release", "port", "workers")


def facts(path):
    """A host's file: lines of `key: value`."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, colon, value = line.partition(":")
        if line.strip() and not line.startswith("#") and colon:
            found[key.strip()] = value.strip()
    return found


def check_hosts(root):
    ports = {}
    for path in sorted((root / "hosts").glob("*.yml")):
        host = facts(path)
        for key in NEEDED:
            if not host.get(key):
                yield f"{path.name}: '{key}' is missing"
        if host.get("host") != path.stem:
            yield f"{path.name}: the host is called '{host.get('host')}'"
        if not re.fullmatch(r"v\d+\.\d+\.\d+(-rc\d+)?", host.get("release", "")):
            yield f"{path.name}: '{host.get('release')}' is no release"
        if not (root / "compose" / f"{host.get('role')}.yml").exists():
            yield f"{path.name}: nothing in compose/ for the role '{host.get('role')}'"
        port = host.get("port", "")
        if port in ports:
            yield f"{path.name}: port {port} is taken by {ports[port]}"
        ports[port] = path.stem


def check_nginx(root):
    hosts = {path.stem: facts(path) for path in (root / "hosts").glob("*.yml")}
    for path in sorted((root / "nginx").glob("*.conf")):
        text = path.read_text(encoding="utf-8")
        if text.count("{") != text.count("}"):
            yield f"{path.name}: braces do not match"
        for name, port in re.findall(r"^\s*server ([\w-]+):(\d+);", text, re.MULTILINE):
            if hosts.get(name, {}).get("port") != port:
                yield f"{path.name}: {name}:{port} is not in hosts/"


def check_compose(root):
    for path in sorted((root / "compose").glob("*.yml")):
        text = path.read_text(encoding="utf-8")
        if "\t" in text:
            yield f"{path.name}: tabs"
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(r"\s+image:", line) and "registry.larkspur.test/" not in line:
                yield f"{path.name}, line {number}: an image that is not ours"


def main():
    problems = [*check_hosts(HERE), *check_nginx(HERE), *check_compose(HERE)]
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problem(s)")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
