"""Goal: a coach asks a real gateway from its card, and reads what it answers.

Method: packaging/demo's programs; every command that a gateway carries out itself is sent by the page, goes
over the broker, and is answered by rowgate: done, records sent again, or refused with what to change.
"""

import re

from page import PageTest
from real_coach import LINK, PATIENCE, RealRoom
from test_coach import DESK
from test_gateways import Asking


class RealGatewayTests(RealRoom, Asking):
    def setUp(self):
        PageTest.setUp(self)

    def ask(self, button, words):
        """The answer, once it has these words."""
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
        for button, words in [("Ping", "It is there: rowgate "),
                              ("Announce again", "The broker has everything"),
                              ("Reload configuration", "")]:
            self.menu()
            self.ask(button, words)
        self.menu()
        self.ask("Health check", "")
        self.until(lambda: "Radios" in self.card("boathouse")["figuresOf"], "its figures")
        self.shot("real-gateway")
        self.sent_again()
        self.not_forgotten()

    def records(self):
        """How many of its records are here, by the card."""
        return int(re.sub(r"\D", "", self.card("boathouse")["records"].partition("record")[0]) or 0)

    def sent_again(self):
        self.until(lambda: self.records() > 200, "everybody has rowed for a while",
                   patience=PATIENCE)
        self.menu()
        self.click("Send records again\u2026")
        self.put("Stream", "erg-1 stroke")
        self.put("From number", "1")
        self.put("To number", "3")
        self.click("Send again")
        self.until(lambda: "3 records came again" in self.answer(), "three strokes",
                   patience=PATIENCE)

    def not_forgotten(self):
        """The demo's gateway does not let the broker's users erase anything."""
        self.menu()
        self.click("Forget an athlete\u2026")
        self.put("Athlete\u2019s id", "nobody")
        self.click("Forget an athlete\u2026")
        self.until(lambda: "Erase for good" in self.js(
            "return document.querySelector('.dialog').textContent"), "what is lost")
        self.click("Erase for good")
        self.until(lambda: "forget" in self.answer() and "[commands]" in self.answer(),
                   "it is refused, with the remedy", patience=PATIENCE)
