"""Invitations and cards of a real logbook: another program reads the QR codes from screenshots.

Uses the programs of packaging/demo.
"""

import pathlib
import subprocess
import tempfile

from page import PHONE, PageTest
from real_coach import LINK, PATIENCE, RealRoom

ADDRESS = LINK.partition("/sign-in")[0]


class RealUserTests(RealRoom, PageTest):
    def setUp(self):
        PageTest.setUp(self)

    def tiles(self):
        return []

    def read_codes(self):
        """The texts of all QR codes that are visible, as zbar reads them."""
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "page.png"
            self.browser.save_screenshot(str(picture))
            found = subprocess.run(["zbarimg", "--quiet", "--raw", str(picture)], capture_output=True, text=True)
        return set(found.stdout.split())

    def open(self, path, size):
        self.resize(size)
        self.browser.get(ADDRESS + path)
        self.until(lambda: self.text("title"), "the page", patience=PATIENCE)

    def test_cards_and_an_invitation(self):
        self.browser.get(LINK)
        self.until(lambda: self.browser.current_url.endswith("/coach"), "signed in")
        self.open("/cards?gw=boathouse", (1366, 2400))
        links = self.until(lambda: self.js(
            "return Array.from(document.querySelectorAll('#cards .link'), (one) => one.textContent)"),
            "the cards", patience=PATIENCE)
        self.assertEqual(len(links), 8)
        self.assertEqual(self.read_codes(), set(links))
        self.shot("real-cards")
        # An athlete of the room is invited, and another browser would be signed in by the link.
        self.open("/athletes", PHONE)
        self.until(lambda: self.js("""
          const one = document.querySelector('.entry button:last-child');
          if (one) one.click();
          return Boolean(one);"""), "an athlete can be invited", patience=PATIENCE)
        link = self.until(lambda: self.js(
            "const one = document.querySelector('.dialog input'); return one && one.value"), "the invitation")
        self.assertEqual(self.read_codes(), {link})
        self.shot("real-invitation")
        self.browser.delete_all_cookies()
        self.browser.get("about:blank")
        self.browser.get(ADDRESS + "/invitation" + link[link.index("#"):])
        self.until(lambda: not self.js("return document.getElementById('enter').hidden"), "the button")
        self.js("document.getElementById('enter').click()")
        self.until(lambda: "/athlete?id=" in self.browser.current_url, "the page of the athlete")
        # The page of somebody who has not rowed yet says so.
        self.until(lambda: self.js("const shown = document.getElementById('athlete');"
                                   "return shown && !shown.hidden") or self.text("empty") == "No sessions yet",
                   "the athlete", patience=PATIENCE)
