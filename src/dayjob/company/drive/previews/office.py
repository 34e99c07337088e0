"""Word documents and PowerPoint presentations, with python-docx and python-pptx."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from typing import Any

from dayjob.company.drive.previews import blocks as make
from dayjob.company.drive.previews.blocks import MOST_BLOCKS, MOST_ROWS, Block

_MOST_SLIDES = 150
_DEEPEST = 8


def docx(content: bytes) -> dict[str, Any]:
    from docx import Document

    document = Document(BytesIO(content))
    notes = []
    blocks: list[Block] = []
    for part in islice(document.iter_inner_content(), MOST_BLOCKS + 1):
        blocks.append(_paragraph(part) if hasattr(part, "runs") else _word_table(part))
    if document.inline_shapes:
        notes.append("Pictures in this document are not shown. Download it to see them.")
    return make.written(blocks, notes)


def _paragraph(part: Any) -> Block:
    style = str(part.style.name if part.style is not None else "")
    if style == "Title":
        return make.heading(part.text, 1)
    if style.startswith("Heading"):
        level = style.rpartition(" ")[2]
        return make.heading(part.text, int(level) + 1 if level.isdigit() else 2)
    runs = []
    for piece in part.iter_inner_content():
        bold, italic = getattr(piece, "bold", False), getattr(piece, "italic", False)
        runs.append(make.run(piece.text, bold=bool(bold), italic=bool(italic)))
    if style.startswith("List"):
        return make.item(runs, numbered="Number" in style)
    return make.paragraph(runs)


def _word_table(part: Any) -> Block:
    return make.table([[cell.text for cell in row.cells] for row in islice(part.rows, MOST_ROWS)])


def pptx(content: bytes) -> dict[str, Any]:
    from pptx import Presentation

    presentation = Presentation(BytesIO(content))
    slides = []
    count = len(presentation.slides)
    for slide in islice(presentation.slides, _MOST_SLIDES):
        title = slide.shapes.title
        blocks = [
            block
            for shape in slide.shapes
            if title is None or shape.shape_id != title.shape_id
            for block in _shape(shape, 0)
        ]
        remarks = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        slides.append(
            {
                "title": title.text_frame.text if title is not None and title.has_text_frame else "",
                "blocks": make.gather(blocks),
                "notes": remarks.text if remarks is not None else "",
            }
        )
    notes = [f"The first {_MOST_SLIDES} of {count} slides are shown."] if count > _MOST_SLIDES else []
    return {"slides": slides, "notes": notes}


def _shape(shape: Any, depth: int) -> Iterator[Block]:
    if hasattr(shape, "shapes") and depth < _DEEPEST:
        for inner in shape.shapes:
            yield from _shape(inner, depth + 1)
    elif getattr(shape, "has_table", False):
        yield make.table([[cell.text for cell in row.cells] for row in islice(shape.table.rows, MOST_ROWS)])
    elif getattr(shape, "has_chart", False):
        yield make.picture(f"Chart: {shape.name}")
    elif shape.has_text_frame:
        lines = [line for line in shape.text_frame.paragraphs if line.text.strip()]
        for line in lines:
            runs = [make.run(one.text, bold=bool(one.font.bold), italic=bool(one.font.italic)) for one in line.runs]
            yield make.item(runs) if shape.is_placeholder and len(lines) > 1 else make.paragraph(runs)
    elif hasattr(shape, "image"):
        yield make.picture(f"Picture: {shape.name}")
