import re
import tempfile
import unittest
from pathlib import Path

from build import HERE, build, fill
from markup import render


class MarkupTest(unittest.TestCase):
    def test_headings_lists_bold_and_links(self):
        made = render("# A & B\n\n- one\n- **two**\n\nSee [there](x.html).")
        self.assertEqual(
            "<h1>A &amp; B</h1>\n<ul>\n<li>one</li>\n<li><strong>two</strong></li>\n</ul>\n"
            '<p>See <a href="x.html">there</a>.</p>',
            made,
        )


class SiteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.site = Path(folder.name, "public")
        self.names = build(HERE, self.site)

    def test_every_link_leads_somewhere(self):
        for page in self.site.glob("*.html"):
            for target in re.findall(r'href="([^":]+)"', page.read_text(encoding="utf-8")):
                self.assertTrue((self.site / target).exists(), f"{page.name}: {target}")

    def test_the_menu_is_in_order(self):
        self.assertEqual(["index", "prices"], self.names[:2])

    def test_the_price_comes_from_one_place(self):
        page = (self.site / "prices.html").read_text(encoding="utf-8")
        self.assertRegex(page, r"<strong>\d+ €</strong> a month")
        self.assertNotIn("{{", page)

    def test_an_unknown_name_stops_the_build(self):
        with self.assertRaises(SystemExit):
            fill("{{price.year}}", {})


if __name__ == "__main__":
    unittest.main()
