"""PDF documents as pictures of their pages with the text beside them (PDFium), and the facts of a picture (Pillow)."""

from __future__ import annotations

import base64
import warnings
from io import BytesIO
from typing import Any

from dayjob.company.drive.previews.limits import Unreadable

_MOST_PAGES = 20
_WIDTH, _HEIGHT = 1100, 1600
_MOST_TEXT = 20_000
_MOST_PIXELS = 80_000_000


def pdf(content: bytes) -> dict[str, Any]:
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        raise Unreadable(
            "This PDF is locked with a password." if locked else "This PDF is damaged and cannot be shown."
        ) from error
    count = len(document)
    pages = []
    for number in range(min(count, _MOST_PAGES)):
        page = document[number]
        width, height = page.get_size()
        scale = min(_WIDTH / max(width, 1), _HEIGHT / max(height, 1), 4)
        image = page.render(scale=scale).to_pil().convert("RGB").quantize(96)
        out = BytesIO()
        image.save(out, "PNG")
        text = page.get_textpage().get_text_bounded()[:_MOST_TEXT]
        pages.append(
            {
                "text": text.replace("\r\n", "\n"),
                "width": image.width,
                "height": image.height,
                "png": base64.b64encode(out.getvalue()).decode(),
            }
        )
    notes = [f"The first {_MOST_PAGES} of {count} pages are shown."] if count > _MOST_PAGES else []
    return {"pages": pages, "count": count, "notes": notes}


def image(content: bytes) -> dict[str, Any]:
    from PIL import Image, UnidentifiedImageError

    warnings.simplefilter("ignore")
    try:
        with Image.open(BytesIO(content)) as found:
            width, height = found.size
            if width * height > _MOST_PIXELS:
                raise Unreadable(f"This picture has {width} × {height} points, more than is shown here.")
            found.load()
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise Unreadable("This picture is damaged and cannot be shown.") from error
    return {"width": width, "height": height, "notes": []}
