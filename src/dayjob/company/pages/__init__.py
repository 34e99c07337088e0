"""What the pages of all four services share: one look, one policy, one way to send a form. See docs/pages.md.

Nothing here costs a company that no browser visits: Jinja2 and Pygments are imported by the first page that needs them.
"""

from dayjob.company.pages.assets import PREFIX
from dayjob.company.pages.forms import (
    FIELD,
    Form,
    form_token,
    from_here,
    header_fits,
    local,
    read_form,
    token_fits,
)
from dayjob.company.pages.frame import Frame, Link, Person, Search, frame
from dayjob.company.pages.templates import POLICY, Pages, see_other

__all__ = [
    "FIELD",
    "POLICY",
    "PREFIX",
    "Form",
    "Frame",
    "Link",
    "Pages",
    "Person",
    "Search",
    "form_token",
    "frame",
    "from_here",
    "header_fits",
    "local",
    "read_form",
    "see_other",
    "token_fits",
]
