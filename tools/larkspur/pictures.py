"""The logo and the photographs, drawn: flat shapes in the company's colours, with a seed for what grows where."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable

from PIL import Image, ImageDraw, ImageFont

FOLDER = "drive/files/Marketing"
GREEN, LEAF, SKY, EARTH, BLUE, CREAM = "#2F6B4F", "#6FA56B", "#DCEBF2", "#8A6B4F", "#5B5FC7", "#FBFAF5"
Draw = ImageDraw.ImageDraw


def png(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(out, "PNG", optimize=True)
    return out.getvalue()


def jpg(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=82)
    return out.getvalue()


def flower(draw: Draw, x: float, y: float, size: float, colour: str) -> None:
    """A larkspur's bloom: five petals around a light heart."""
    for n in range(5):
        angle = math.tau * n / 5 - math.pi / 2
        cx, cy = x + size * 0.6 * math.cos(angle), y + size * 0.6 * math.sin(angle)
        draw.ellipse((cx - size * 0.45, cy - size * 0.45, cx + size * 0.45, cy + size * 0.45), fill=colour)
    draw.ellipse((x - size * 0.25, y - size * 0.25, x + size * 0.25, y + size * 0.25), fill="#F4E9B8")


def logo(size: int, *, words: bool, petal: str = BLUE) -> Image.Image:
    picture = Image.new("RGB", (size * 4 if words else size, size), CREAM)
    draw = ImageDraw.Draw(picture)
    draw.line((size * 0.5, size * 0.3, size * 0.5, size * 0.95), fill=GREEN, width=max(2, size // 24))
    for height, scale in ((0.22, 0.16), (0.42, 0.2), (0.64, 0.24)):
        flower(draw, size * 0.5, size * height, size * scale, petal)
    if words:
        draw.text((size, size * 0.2), "Larkspur", fill=GREEN, font=ImageFont.load_default(size * 0.55))
    return picture


def _scene(seed: str, paint: Callable[[Draw, random.Random], None]) -> Image.Image:
    picture = Image.new("RGB", (1200, 800), SKY)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 520, 1200, 800), fill=LEAF)
    paint(draw, random.Random(f"larkspur picture {seed}"))
    return picture.resize((1600, 1067), Image.Resampling.LANCZOS)


def _greenhouse(draw: Draw, dice: random.Random) -> None:
    draw.polygon([(180, 300), (600, 120), (1020, 300), (1020, 640), (180, 640)], fill="#EEF6F2", outline=GREEN, width=6)
    for x in range(250, 1020, 70):
        draw.line((x, 270, x, 640), fill="#A9C7B5", width=3)
    for _ in range(60):
        flower(draw, dice.randint(210, 990), dice.randint(520, 620), dice.randint(10, 18),
               dice.choice((BLUE, "#C75B7A", "#E0A83C", "#FFFFFF")))  # fmt: skip


def _team(draw: Draw, dice: random.Random) -> None:
    for n in range(20):
        x, y = 120 + n % 10 * 105, 420 + n // 10 * 110
        skin = dice.choice(("#F1C9A5", "#C68C5E", "#8D5A3B", "#E2B08A"))
        draw.ellipse((x - 28, y - 70, x + 28, y - 14), fill=skin)
        draw.rounded_rectangle((x - 42, y - 10, x + 42, y + 110), 18, fill=dice.choice((GREEN, BLUE, "#C75B7A", EARTH)))


def _tablet(draw: Draw, dice: random.Random) -> None:
    draw.rounded_rectangle((260, 140, 940, 640), 30, fill="#2B2B2B")
    draw.rectangle((290, 170, 910, 610), fill=CREAM)
    for row in range(6):
        for day in range(6):
            if dice.random() < 0.75:
                x, y = 310 + day * 98, 190 + row * 68
                draw.rounded_rectangle((x, y, x + 84, y + 52), 8, fill=dice.choice((LEAF, BLUE, "#E0A83C", "#9CC3D5")))


def _market(draw: Draw, dice: random.Random) -> None:
    for stall in range(4):
        x = 60 + stall * 285
        for stripe in range(6):
            colour = "#FFFFFF" if stripe % 2 else dice.choice((GREEN, BLUE))
            draw.polygon([(x + stripe * 42, 280), (x + stripe * 42 + 42, 280), (x + stripe * 40 + 44, 380),
                          (x + stripe * 40 + 4, 380)], fill=colour)  # fmt: skip
        for pole in (x + 4, x + 240):
            draw.rectangle((pole, 280, pole + 6, 640), fill="#5A4636")
        draw.rectangle((x, 520, x + 250, 640), fill=EARTH)
        for _ in range(14):
            flower(draw, x + dice.randint(15, 235), dice.randint(480, 525), dice.randint(12, 20),
                   dice.choice(("#C75B7A", "#E0A83C", BLUE)))  # fmt: skip


def files() -> dict[str, bytes]:
    photographs = {
        "greenhouse-greenacre-nursery": _greenhouse,
        "2026-01-05-team": _team,
        "tablet-with-a-planned-week": _tablet,
        "2026-01-28-trade-fair-essen": _market,
    }
    found = {f"{FOLDER}/Photos/{name}.jpg": jpg(_scene(name, paint)) for name, paint in photographs.items()}
    found[f"{FOLDER}/Logo/larkspur-logo.png"] = png(logo(400, words=True))
    found[f"{FOLDER}/Logo/larkspur-logo-one-colour.png"] = png(logo(400, words=True, petal=GREEN))
    found[f"{FOLDER}/Logo/larkspur-mark.png"] = png(logo(512, words=False))
    return found
