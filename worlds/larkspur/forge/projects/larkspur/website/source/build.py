"""Builds the website: content/*.md through templates/page.html into public/."""

import re
import shutil
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from markup import render

HERE = Path(__file__).parent


@dataclass
class Page:
    name: str
    title: str
    order: int
    text: str


def read_page(path):
    """A page: lines of facts, an empty line, the text."""
    head, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    facts = dict(line.split(": ", 1) for line in head.splitlines())
    return Page(path.stem, facts["title"], int(facts.get("order", 99)), text)


def fill(text, values):
    """Put values where {{name}} stands; a name nobody knows stops the build."""
    def value(match):
        if match[1] not in values:
            raise SystemExit(f"nobody knows {{{{{match[1]}}}}}")
        return str(values[match[1]])

    return re.sub(r"\{\{([\w.]+)\}\}", value, text)


def build(root, target):
    """Write the whole site; returns the names of its pages, in the order of the menu."""
    pages = sorted((read_page(path) for path in (root / "content").glob("*.md")), key=lambda page: page.order)
    prices = tomllib.loads((root / "prices.toml").read_text(encoding="utf-8"))
    values = {f"price.{key}": value for key, value in prices.items()}
    template = (root / "templates" / "page.html").read_text(encoding="utf-8")
    menu = "".join(f'<a href="{page.name}.html">{page.title}</a>' for page in pages)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root / "assets", target)
    for page in pages:
        body = render(fill(page.text, values))
        html = fill(template, {"title": page.title, "menu": menu, "body": body})
        (target / f"{page.name}.html").write_text(html, encoding="utf-8")
    return [page.name for page in pages]


if __name__ == "__main__":
    made = build(HERE, HERE / "public")
    print(f"{len(made)} pages: {', '.join(made)}")
    sys.exit(0)
