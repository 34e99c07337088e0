"""A company that no browser visits pays nothing for its pages."""

from __future__ import annotations

import subprocess
import sys


def test_the_services_load_no_template_engine_before_the_first_page() -> None:
    program = (
        "import sys\n"
        "from dayjob.company.services import service_class\n"
        "from dayjob.service_names import NAMES\n"
        "[service_class(name) for name in NAMES]\n"
        "print(*sorted({'jinja2', 'pygments', 'markdown_it'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == []
