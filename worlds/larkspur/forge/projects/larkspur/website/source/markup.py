"""As much Markdown as our pages use: headings, paragraphs, lists, bold, links. Everything else is text."""

import html
import re


def inline(text):
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", r'<a href="\2">\1</a>', text)


def block(lines):
    first = lines[0]
    if match := re.match(r"(#{1,3}) (.+)", first):
        level = len(match[1])
        return f"<h{level}>{inline(match[2])}</h{level}>"
    if first.startswith("- "):
        items = "\n".join(f"<li>{inline(line[2:])}</li>" for line in lines)
        return f"<ul>\n{items}\n</ul>"
    return f"<p>{inline(' '.join(lines))}</p>"


def render(text):
    """Markdown to HTML; blocks are separated by empty lines."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n".join(block(one.splitlines()) for one in blocks if one)
