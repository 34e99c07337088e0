"""What the runner has done inside a job's room by the room's own Python: archives made, archives unpacked.

This file is text that is sent there (`python3 -I -c`). Everything it reads was written by the job, and everything it
writes stays in the job's room or leaves it as bytes that nobody believes; it imports the standard library alone.
"""

import fnmatch
import gzip
import os
import re
import stat
import subprocess
import sys
import zipfile


def warning(sentence: str) -> str:
    return f"\x1b[0;33mWARNING: {sentence}\x1b[0;m"


def matcher(pattern: str) -> "re.Pattern[str]":
    """A pattern as GitLab reads paths of artifacts: `**` goes through folders, `*` and `?` stay within one."""
    parts = []
    for part in re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]/]+\]|\{[^{}]*\})", pattern):
        if part == "**/":
            parts.append("(?:[^/]+/)*")
        elif part == "**":
            parts.append(".*")
        elif part == "*":
            parts.append("[^/]*")
        elif part == "?":
            parts.append("[^/]")
        elif part.startswith("["):
            parts.append(fnmatch.translate(part)[4:-3])
        elif part.startswith("{"):
            parts.append("(?:" + "|".join(re.escape(one) for one in part[1:-1].split(",")) + ")")
        else:
            parts.append(re.escape(part))
    return re.compile("".join(parts) + r"\Z", re.S)


def inside(path: str) -> str:
    """A pattern's path below the project, or nothing when it leads elsewhere."""
    root = os.getcwd() + "/"
    path = path[len(root) :] if path.startswith(root) else path
    path = os.path.normpath(path)
    return "" if path.startswith(("/", "..")) else path


def everything() -> "list[str]":
    found = []
    for folder, folders, names in os.walk("."):
        folders.sort()
        for name in sorted(folders + names):
            found.append(os.path.relpath(os.path.join(folder, name), "."))
    return found


def below(path: str) -> "list[str]":
    """The path itself, and all that is in it when it is a folder."""
    found = [path]
    if os.path.isdir(path) and not os.path.islink(path):
        for folder, folders, names in os.walk(path):
            folders.sort()
            found += [os.path.normpath(os.path.join(folder, name)) for name in sorted(folders + names)]
    return found


def chosen(paths: "list[str]", exclude: "list[str]", untracked: bool) -> "list[str]":
    """What is to be kept, with a line in the log for each pattern."""
    found: dict[str, None] = {}
    listed = None
    for pattern in paths:
        here = inside(pattern)
        if not here:
            print(warning(f"{pattern}: is outside the project and not uploaded"))
            continue
        if os.path.lexists(here):
            matches = below(here)
        else:
            listed = everything() if listed is None else listed
            wanted = matcher(here)
            matches = [one for path in listed if wanted.match(path) for one in below(path)]
        if matches:
            print(f"{pattern}: found {len(set(matches))} matching artifact files and directories")
        else:
            advice = f"Ensure that the artifact path is relative to the working directory ({os.getcwd()})"
            print(warning(f"{pattern}: no matching files. {advice}"))
        found.update(dict.fromkeys(matches))
    if untracked:
        said = subprocess.run(["git", "ls-files", "-o", "-z"], stdout=subprocess.PIPE, check=False).stdout
        names = [one for one in said.decode("utf-8", "surrogateescape").split("\0") if one]
        print(f"untracked: found {len(names)} files")
        found.update(dict.fromkeys(names))
    left_out = [matcher(inside(pattern) or pattern) for pattern in exclude]
    kept = [path for path in found if path != "." and not any(one.match(path) for one in left_out)]
    return [path for path in kept if not path.startswith(".git/") and path != ".git"]


def archive(target: str, kind: str, arguments: "list[str]") -> int:
    """Write the archive; 3 when there is nothing to put into it."""
    count = int(arguments[0])
    paths, exclude, untracked = arguments[1 : count + 1], arguments[count + 2 :], arguments[count + 1] == "1"
    kept = chosen(paths, exclude, untracked)
    if not kept:
        print("\x1b[31;1mERROR: No files to upload\x1b[0;m")
        return 3
    if kind == "zip":
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as out:
            for path in kept:
                add(out, path)
    else:
        with open(target, "wb") as file:
            for path in kept:
                if os.path.isfile(path):
                    with open(path, "rb") as source, gzip.GzipFile(path, "wb", fileobj=file) as out_part:
                        while part := source.read(1 << 16):
                            out_part.write(part)
    return 0


def add(out: zipfile.ZipFile, path: str) -> None:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        entry = zipfile.ZipInfo(path)
        entry.create_system, entry.external_attr = 3, mode << 16
        out.writestr(entry, os.readlink(path))
    elif stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        out.write(path)


def unpack(source: str) -> int:
    """Unpack an archive of another job below the project, and nowhere else."""
    root = os.path.realpath(".")
    with zipfile.ZipFile(source) as found:
        for entry in found.infolist():
            name = entry.filename.rstrip("/")
            place = os.path.normpath(os.path.join(root, name))
            parent = os.path.dirname(place)
            if os.path.isabs(name) or not place.startswith(root + "/"):
                print(warning(f"{name}: is outside the project and not extracted"))
                continue
            os.makedirs(parent, exist_ok=True)
            if not (os.path.realpath(parent) + "/").startswith(root + "/"):
                print(warning(f"{name}: leads out of the project and is not extracted"))
                continue
            put(found, entry, place)
    return 0


def put(found: zipfile.ZipFile, entry: zipfile.ZipInfo, place: str) -> None:
    mode = entry.external_attr >> 16
    if entry.is_dir():
        os.makedirs(place, exist_ok=True)
        return
    if os.path.lexists(place) and not (os.path.isdir(place) and not os.path.islink(place)):
        os.unlink(place)
    if stat.S_ISLNK(mode):
        os.symlink(found.read(entry).decode("utf-8", "surrogateescape"), place)
        return
    with found.open(entry) as source, open(place, "wb") as target:
        while part := source.read(1 << 16):
            target.write(part)
    os.chmod(place, (mode & 0o777) or 0o644)


def main(arguments: "list[str]") -> int:
    os.chdir(arguments[1])
    if arguments[0] == "unpack":
        return unpack(arguments[2])
    return archive(arguments[2], arguments[3], arguments[4:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
