"""All of it under every heading again, each time as one long line that is a little different."""

from solution import SECTIONS, announce, sign_in, write

everything = " ".join(" ".join(SECTIONS.values()).split())
write(sign_in(), {title: f"{title}. {everything}" for title in SECTIONS})
announce()
