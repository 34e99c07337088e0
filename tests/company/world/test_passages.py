"""Everything a world says is found, with the place and what stands above it, in every kind of file."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import docx
import openpyxl  # type: ignore[import-untyped]  # openpyxl ships no types
from pptx import Presentation
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # it ships no types

from dayjob.company.world.files import WorldFiles
from dayjob.company.world.find import find_world
from dayjob.company.world.passages import Passage, passages


def said(folder: Path, overlay: Path | None = None) -> dict[str, list[tuple[int, str, str]]]:
    found: dict[str, list[tuple[int, str, str]]] = {}
    for one in passages(WorldFiles(folder, overlay)):
        found.setdefault(one.file, []).append((one.line, one.text, one.about))
    return found


def write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_texts_by_paragraph_item_and_row(tmp_path: Path) -> None:
    write(
        tmp_path / "drive/files/plan.md",
        "# The plan\n\nOne line\nand another.\n\n## Costs\n\n1. 300 for paper,\n   once\n- none\n\n"
        "| what | eur |\n| --- | --- |\n| phone | 310 |\n",
    )
    write(tmp_path / "forge/x.py", "# a note\nRATE = 310\n")
    assert said(tmp_path) == {
        "drive/files/plan.md": [
            (1, "# The plan", "plan · The plan"),
            (3, "One line and another.", "plan · The plan"),
            (6, "## Costs", "plan · Costs"),
            (8, "300 for paper, once", "plan · Costs"),
            (10, "none", "plan · Costs"),
            (12, "| what | eur |", "plan · Costs · | what | eur |"),
            (13, "| --- | --- |", "plan · Costs · | what | eur |"),
            (14, "| phone | 310 |", "plan · Costs · | what | eur |"),
        ],
        "forge/x.py": [(1, "# a note", "x"), (2, "RATE = 310", "x")],
    }


def test_messages_and_cards_each_whole(tmp_path: Path) -> None:
    write(
        tmp_path / "chat/channels/finance.yml",
        "name: finance\nmessages:\n  - from: tomas\n    at: 2026-02-24T08:00:00Z\n    text: 310 a month\n"
        "    thread:\n      - {from: mara, text: 'Yes, from May', reactions: {':+1:': [sam]}}\n",
    )
    replies = [one for one in passages(WorldFiles(tmp_path)) if one.answers]
    assert [(one.text, one.answers) for one in replies] == [("from: mara; text: Yes, from May", "310 a month")]
    write(tmp_path / "board/x.yml", "items:\n  - name: Phone\n    labels: [contract, office]\n")
    write(tmp_path / "drive/times.yml", "files: 2026-03-06\n")
    write(tmp_path / "bad.yml", "text: [1\n")
    found = said(tmp_path)
    assert found["chat/channels/finance.yml"] == [
        (1, "name: finance", "finance"),
        (3, "from: tomas; text: 310 a month", "finance · finance"),
        (7, "from: mara; text: Yes, from May", "finance · finance"),
    ]
    assert found["board/x.yml"] == [(2, "name: Phone; labels: contract, office", "x")]
    assert found["bad.yml"] == [(1, "text: [1", "bad")]
    person = "name: Chidi\npersona: Calm.\nabout: [hosts]\nvoice:\n  noted: [I do it at 19:00.]\n"
    write(tmp_path / "people/chidi.yml", person + "facts:\n  rota: {says: It changes at nine., asked: [when rota]}\n")
    assert said(tmp_path)["people/chidi.yml"] == [
        (1, "name: Chidi; persona: Calm.", "chidi"),
        (7, "says: It changes at nine.", "chidi · Chidi"),
    ]
    assert "drive/times.yml" not in found


def test_documents(tmp_path: Path) -> None:
    book, page = openpyxl.Workbook(), BytesIO()
    sheet = book.active
    sheet.title = "Teams"
    for row in (["Draft of March"], ["team", "eur"], ["Office", 3300]):
        sheet.append(row)
    sheet.cell(500, 1, "the end")
    book.save(page)
    write(tmp_path / "a.xlsx", page.getvalue())
    write(tmp_path / "b.csv", "vendor;eur\nNoordzee;310\n")
    letter, page = docx.Document(), BytesIO()
    letter.add_heading("Offer", 1)
    letter.add_paragraph("310 a month")
    letter.save(page)
    write(tmp_path / "c.docx", page.getvalue())
    page = BytesIO()
    paper = Canvas(page)
    paper.drawString(72, 700, "Invoice 7")
    paper.drawString(72, 650, "Telephone 298.00")
    paper.save()
    write(tmp_path / "d.pdf", page.getvalue())
    slides, page = Presentation(), BytesIO()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "Support"
    slide.placeholders[1].text = "From 07:30"
    slides.save(page)
    write(tmp_path / "e.pptx", page.getvalue())
    write(tmp_path / "f.png", b"\x89PNG\r\n\x1a\n\0\0")
    assert said(tmp_path) == {
        "a.xlsx": [
            (1, "Draft of March", "a · Teams"),
            (2, "team; eur", "a · Teams"),
            (3, "team: Office; eur: 3300", "a · Teams"),
            (500, "team: the end", "a · Teams"),
        ],
        "b.csv": [(1, "vendor; eur", "b"), (2, "vendor: Noordzee; eur: 310", "b")],
        "c.docx": [(1, "Offer", "c · Offer"), (2, "310 a month", "c · Offer")],
        "d.pdf": [(1, "Invoice 7", "d · Invoice 7"), (1, "Telephone 298.00", "d · Invoice 7")],
        "e.pptx": [(1, "Support", "e"), (1, "From 07:30", "e · Support")],
    }


def test_an_overlays_files_are_read_in_place_of_the_worlds(tmp_path: Path) -> None:
    base, overlay = tmp_path / "base", tmp_path / "overlay"
    write(base / "a.md", "old\n")
    write(overlay / "a.md", "new\n")
    assert said(base, overlay) == {"a.md": [(1, "new", "a")]}
    write(overlay / "a.md", "newer still\n")
    assert said(base, overlay) == {"a.md": [(1, "newer still", "a")]}


def test_every_kind_of_file_of_larkspur_is_read() -> None:
    files = WorldFiles(find_world("larkspur"))
    found: list[Passage] = list(passages(files))
    read = {Path(one.file).suffix.lower() for one in found}
    assert read >= {".yml", ".md", ".csv", ".xlsx", ".docx", ".pdf", ".pptx", ".odt", ".ods", ".odp", ".txt", ".py"}
    silent = {name for name in files.under("drive/files") if name not in {one.file for one in found}}
    assert {Path(name).suffix.lower() for name in silent} <= {".png", ".jpg", ".jpeg", ".sqlite", ".pdf"}
