"""A coach sends each gateway command from its card to a real gateway, and reads the result.

Uses the programs of packaging/demo. The results are done, records sent again, or refused with a remedy.
"""

import re

from page import PageTest
from real_coach import LINK, PATIENCE, RealRoom
from test_coach import DESK
from test_gateways import GatewayCommandsTest


class RealGatewayTests(RealRoom, GatewayCommandsTest):
    def setUp(self):
        PageTest.setUp(self)

    def ask(self, button, words):
        """Sends a command, and waits until the result contains `words`."""
        self.click(button)
        return self.until(
            lambda: (found := self.card("boathouse")["answer"]).startswith(button.rstrip("\u2026"))
            and words in found and found, f"{button}: {words}", patience=PATIENCE)

    def test_everything_that_a_gateway_does_itself(self):
        self.resize(DESK)
        self.browser.get(LINK)
        self.until(lambda: self.browser.current_url.endswith("/coach"), "signed in")
        self.browser.get(LINK.partition("/sign-in")[0] + "/gateways?lang=en")
        self.until(lambda: self.cards() and self.card("boathouse")["is"], "the gateway",
                   patience=PATIENCE)
        for button, words in [("Ping", "Online: rowgate "),
                              ("Announce again", "Published everything"),
                              ("Reload configuration", "")]:
            self.menu()
            self.ask(button, words)
        self.menu()
        self.ask("Health check", "")
        self.until(lambda: "Bluetooth adapters" in self.card("boathouse")["figuresOf"], "its figures")
        self.shot("real-gateway")
        self.replays_records()
        self.not_forgotten()

    def records(self):
        """The number of stored records on the card."""
        return int(re.sub(r"\D", "", self.card("boathouse")["records"].partition("record")[0]) or 0)

    def replays_records(self):
        self.until(lambda: self.records() > 200, "everybody has rowed for a while",
                   patience=PATIENCE)
        self.menu()
        self.click("Send records again\u2026")
        self.put("Stream", "erg-1 stroke")
        self.put("From number", "1")
        self.put("To number", "3")
        self.click("Send again")
        self.until(lambda: "3 records sent again" in self.answer(), "three strokes",
                   patience=PATIENCE)

    def not_forgotten(self):
        """The demo's gateway refuses remote erasure."""
        self.menu()
        self.click("Forget an athlete\u2026")
        self.put("Athlete\u2019s id", "nobody")
        self.click("Forget an athlete\u2026")
        self.until(lambda: "Erase permanently" in self.js(
            "return document.querySelector('.dialog').textContent"), "what is lost")
        self.click("Erase permanently")
        self.until(lambda: "forget" in self.answer() and "[commands]" in self.answer(),
                   "it is refused, with the remedy", patience=PATIENCE)
