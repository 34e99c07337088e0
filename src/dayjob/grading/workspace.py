"""What the examinee left in its workspace: cloned repositories and slides."""

from __future__ import annotations

import os
from typing import Any

# A file that only this project has at its top, to tell a clone from an empty folder of the same name.
PROJECT_FILES = {
    "openhands": ".openhands_instructions",
    "janusgraph": ".backportrc.json",
    "colly": "xmlelement_test.go",
    "streamlit": ".ruff.toml",
    "risingwave": "risedev.yml",
    "bustub": "CMakeLists.txt",
}


def check_repo_exists(project_name: str) -> bool:
    """Is a clone of this project in /workspace?"""
    mark = PROJECT_FILES.get(project_name)
    return mark is not None and os.path.isfile(os.path.join("/workspace", project_name, mark))


def get_all_texts_from_slide(slide: Any) -> str:
    """Every text on a python-pptx slide, in lower case, separated by spaces."""
    if slide is None:
        return ""
    return " ".join(shape.text_frame.text.lower() for shape in slide.shapes if shape.has_text_frame)
