"""Says which links in the handbook lead nowhere: files that do not exist, headings that do not, pages nobody links to."""

import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def anchor(heading):
    """The name a heading is linked to by: small letters, hyphens for spaces."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def without_code(text):
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def check(root):
    """Every problem, as a sentence with file and line."""
    pages = {path.resolve(): path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.md"))}
    linked = set()
    for path, text in pages.items():
        for number, line in enumerate(without_code(text).splitlines(), 1):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, part = target.partition("#")
                found = (path.parent / name).resolve() if name else path
                where = f"{path.relative_to(root.resolve())}:{number}"
                if found not in pages:
                    yield f"{where}: {target} does not exist"
                    continue
                linked.add(found)
                if part and part not in {anchor(heading) for heading in HEADING.findall(pages[found])}:
                    yield f"{where}: {name or path.name} has no heading '{part}'"
    for path in pages:
        if path not in linked and path.name != "README.md":
            yield f"{path.relative_to(root.resolve())}: no page links here"


def main():
    problems = list(check(Path(__file__).parent))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problem(s)")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
