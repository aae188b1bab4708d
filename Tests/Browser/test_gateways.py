"""Goal: a club's volunteer sees which gateway needs them, what mends it, and whether all that was
rowed is here; and is never shown as present what was heard long ago.

Method: the server of scenes answers as the interface does (fleet.py), in every state; the page is
used by clicks and keys, and read as a person reads it.
"""

import fleet
import test_sessions
from page import PHONE
from test_sessions import DESK, SIZES, WAITING, SessionsTest, plain

CARDS = """
const text = (of, selector) => Array.from(of.querySelectorAll(selector))
  .filter((one) => one.offsetParent !== null).map((one) => one.textContent);
return Array.from(document.querySelectorAll('.gateway')).map((card) => ({
  state: card.dataset.state, name: text(card, 'h2').join(), is: text(card, '.is').join(),
  about: text(card, '.about').join(), past: text(card, '.past').join(),
  what: text(card, '.what'), remedy: text(card, '.remedy'),
  figures: text(card, '.figures-of dt').map((label, index) =>
    label + ': ' + text(card, '.figures-of dd')[index]),
  ergs: Array.from(card.querySelectorAll('.erg')).map((erg) =>
    Array.from(erg.children).map((one) => one.textContent).join(', ')),
  records: text(card, '.records').join(), missing: text(card, '.missing-of li'),
}));
"""


class GatewaysTest(SessionsTest):
    def open(self, found, more="", size=DESK):
        self.resize(size)
        self.scenes.fleet.gateways = found
        self.browser.get(self.scenes.address + "/gateways" + more)
        self.until(lambda: self.cards() or self.told() not in WAITING, "the gateways")
        return self.cards()

    def cards(self):
        return plain_all(self.js(CARDS))

    def card(self, name):
        return next(card for card in self.cards() if card["name"] == name)


def plain_all(found):
    if isinstance(found, str):
        return plain(found)
    if isinstance(found, list):
        return [plain_all(one) for one in found]
    return {name: plain_all(value) for name, value in found.items()}


class StateTests(GatewaysTest):
    def test_the_worst_is_first_and_each_problem_has_its_remedy(self):
        cards = self.open(fleet.every_state(), "?lang=en")
        self.assertEqual([(card["name"], card["is"]) for card in cards], [
            ("pier", "records nothing"), ("annex", "away"), ("tower", "says nothing"),
            ("hall", "needs somebody"), ("shed", "not heard"), ("dock", "works, records lost"),
            ("quay", "works, catching up"), ("boathouse", "all well")])
        self.assertEqual(plain(self.text("sum")), "8 gateways, 4 need somebody")
        for card in cards:
            self.assertEqual(len(card["what"]), len(card["remedy"]), card)
            self.assertEqual(card["what"] == [], card["name"] == "boathouse", card)
        hall = self.card("hall")
        self.assertEqual(hall["what"], [
            "Nothing keeps its clock right", "erg-7: its monitor's batteries are at 9 %",
            "the power supply is too weak", "12 records were lost unpublished"])
        self.assertEqual(hall["remedy"][1:], [
            "put in two new D cells", "use one that is made for this board",
            "On the gateway, sudo rowgatectl doctor looks closer."])
        self.assertEqual(hall["figures"], [
            "Radios: 25 of 14 links", "Not sent yet: 1234oldest 1 min",
            "Memory in use: 1 %reaches back 12 d", "Certificate: until 2026-12-01",
            "Clock: not set"])

    def test_what_was_heard_long_ago_has_its_age(self):
        self.open(fleet.every_state(), "?lang=en")
        annex, tower, shed = self.card("annex"), self.card("tower"), self.card("shed")
        self.assertEqual(annex["about"], "rowgate 0.1.0 · last heard 3 h ago")
        self.assertEqual(annex["past"], "What it said when it was last heard, 3 h ago:")
        self.assertEqual(annex["what"][:3], [
            "It is away: switched off, or without a network", "12 records are not here yet",
            "2 records are lost"])
        self.assertIn("Erg 3, asleep, battery 69 %", annex["ergs"], "no age that counts on")
        self.assertIn("has said nothing for 4 min", tower["what"][0])
        self.assertEqual(shed["about"], "not heard since the logbook was started")
        self.assertEqual((shed["ergs"], shed["figures"]), ([], []), "nothing is made up")
        self.assertEqual(self.card("hall")["past"], "")

    def test_every_state_of_an_erg(self):
        card = self.open([fleet.gateway()], "?lang=en")[0]
        self.assertEqual(card["ergs"], [
            "Erg 1, is rowed, battery 83 %", "Erg 2, connected, battery 76 %",
            "Erg 3, asleep for 47 min, battery 69 %", "Erg 4, searching for 7 min",
            "Erg 5, with a phone, battery 55 %",
            "Erg 6, not connected: a phone or another gateway keeps taking it, battery 48 %",
            "Erg 7, is rowed, low battery 9 %", "Erg 8, not heard yet"])

    def test_german(self):
        cards = self.open(fleet.every_state(), "?lang=de")
        self.assertEqual(cards[0]["is"], "zeichnet nichts auf")
        self.assertEqual(plain(self.text("sum")), "8 Gateways, 4 brauchen jemanden")
        self.assertEqual(self.js(
            "return document.querySelector('.past[hidden] + .problems .what').lang"), "en")

    def test_both_languages_have_every_word(self):
        self.browser.get(self.scenes.address + "/assets/icon.svg")
        keys = "(function keys(o) { return Object.keys(o).sort().map((k) => typeof o[k] === " \
            "'object' ? [k, keys(o[k])] : [k, o[k].split('{}').length]); })" \
            "(m.gatewayWords({lang: given[0]}))"
        self.assertEqual(self.module("gatewaywords.js", keys, "en"),
                         self.module("gatewaywords.js", keys, "de"))

    def test_a_logbook_without_a_store_still_tells_who_is_there(self):
        card = self.open([fleet.gateway(counts=None)], "?lang=en")[0]
        self.assertEqual((card["is"], card["records"]),
                         ("all well", "this logbook keeps no records"))


class RecordTests(GatewaysTest):
    def test_what_is_missing_is_one_tap_away(self):
        self.scenes.fleet.streams = {"annex": fleet.missing_streams(), "boathouse": []}
        self.open(fleet.every_state(), "?lang=en")
        card = "Array.from(document.querySelectorAll('.gateway')).find((one) => " \
            "one.querySelector('h2').textContent === arguments[0])"
        self.assertEqual(self.card("annex")["records"], "4321 records here14 missing")
        self.js(f"{card}.querySelector('.tag').click()", "annex")
        self.until(lambda: self.card("annex")["missing"], "what is missing")
        self.assertEqual(self.card("annex")["missing"], [
            "erg-1, stroke 7–18asked for",
            "erg-1, stroke 40lost: written over before it was sent",
            "erg-1, split 3lost: the gateway had it no more"])
        self.assertEqual(self.js(f"return {card}.querySelector('.tag').ariaExpanded", "annex"),
                         "true")
        asked = self.scenes.fleet.asked
        self.until(lambda: self.scenes.fleet.asked > asked, "it is asked anew")
        self.assertTrue(self.card("annex")["missing"], "what is open stays open")
        self.js(f"{card}.querySelector('.tag').click()", "annex")
        self.assertEqual(self.card("annex")["missing"], [])
        self.js(f"{card}.querySelector('.tag').click()", "boathouse")
        self.until(lambda: "Every record" in self.js(
            f"return {card}.querySelector('.missing-of').textContent", "boathouse"), "all is here")


class LiveTests(GatewaysTest):
    expected_errors = ("Failed to load resource", "ERR_CONNECTION")

    def test_it_follows_without_a_reload(self):
        self.open([fleet.well(), fleet.gateway("quay")], "?lang=en")
        self.js("window.kept = true; document.querySelectorAll('.tag')[1].focus()")
        self.scenes.fleet.gateways = [fleet.well(), fleet.gateway("quay", "offline")]
        self.until(lambda: self.cards()[0]["is"] == "away", "the new state")
        self.assertEqual(self.text("spoken"), "quay: away")
        self.assertEqual(self.cards()[0]["name"], "quay")
        self.assertTrue(self.js("return window.kept"), "the page is the same")
        self.scenes.fleet.gateways = [fleet.well()]
        self.until(lambda: len(self.cards()) == 1, "one that is gone goes")

    def test_the_logbook_goes_and_comes_back(self):
        self.open([fleet.well()], "?lang=en")
        self.scenes.kill()
        self.until(lambda: self.text("notice").startswith("Logbook away for"), "it says so")
        self.assertEqual(self.cards()[0]["is"], "all well", "what was told stays")
        self.assertEqual(plain(self.text("sum")), "one gateway")
        self.until(lambda: self.cards()[0]["is"] == "not heard", "it holds for a minute")
        self.assertEqual(self.cards()[0]["what"], [], "nobody is sent to a gateway")
        self.shot("gateways-logbook-away")
        self.scenes.start()
        self.until(lambda: not self.text("notice"), "it comes back by itself")

    def test_without_the_broker_nobody_is_sent_to_a_gateway(self):
        self.scenes.fleet.broker_away_ms = 90000
        found = [{**fleet.well(), "presence": "unknown"}]
        card = self.open(found, "?lang=en")[0]
        self.assertEqual((card["is"], card["what"]), ("not heard", []))
        self.assertTrue(self.text("notice").startswith("Broker away for 1"))
        self.scenes.fleet.broker_away_ms = None
        self.scenes.fleet.gateways = [fleet.well()]
        self.until(lambda: not self.text("notice"), "it is back")
        self.assertEqual(self.cards()[0]["is"], "all well")

    def test_never_blank(self):
        for refusal, title in [((401, "not_signed_in", ""), "Gateways are for coaches"),
                               ((403, "not_allowed", ""), "Gateways are for coaches"),
                               ((503, "busy", ""), "The logbook does not answer")]:
            self.scenes.fleet.refusal = refusal
            self.open([], "?lang=en")
            self.until(lambda: self.told() == title, title)
            self.assertTrue(self.text("why"))
        self.scenes.fleet.refusal = None
        self.open([], "?lang=en")
        self.until(lambda: self.told() == "No gateway yet", "none")
        self.shot("gateways-none")


class GatewayLookTests(GatewaysTest):
    look = test_sessions.LookTests.look
    accessible = test_sessions.LookTests.accessible

    def test_every_state_on_every_screen(self):
        self.scenes.fleet.streams = {"annex": fleet.missing_streams()}
        for name, found in (("states", fleet.every_state()), ("well", [fleet.well()]),
                            ("hostile", fleet.hostile())):
            for size in SIZES:
                for more in ("?lang=en", "?lang=de&theme=light"):
                    with self.subTest(f"{name} {size} {more}"):
                        self.open(found, more, size)
                        if name == "states":
                            self.js("document.querySelectorAll('.tag')[1].click()")
                            self.until(lambda: self.cards()[1]["missing"], "what is missing")
                        self.whole(f"gateways-{name}-{size[0]}-{more[6:8]}")
                        self.look(size)

    def test_hostile_words_are_text(self):
        cards = self.open(fleet.hostile(), "?lang=en")
        self.assertEqual(len(cards), 2)
        self.assertNotEqual(self.js("return document.title"), "owned")
        self.assertEqual(self.js(
            "return document.querySelectorAll('main script, main img, main b b').length"), 0)
        odd = self.card("odd")
        self.assertEqual((odd["is"], odd["ergs"]), ("not heard", []))

    def test_names_and_roles(self):
        self.open(fleet.every_state(), "?lang=en")
        found = self.accessible()
        for expected in [("link", "Gateways"), ("heading", "Gateways"), ("heading", "annex"),
                         ("button", "What is missing: 14 missing"), ("list", "Ergs"),
                         ("listitem", "annex")]:
            self.assertIn(expected, found)

    def test_touch_targets(self):
        self.open(fleet.every_state(), size=PHONE)
        small = self.js("""return Array.from(document.querySelectorAll('button, a'))
          .filter((one) => one.offsetParent !== null)
          .map((one) => [one.textContent, one.offsetHeight, one.offsetWidth])
          .filter(([, height, width]) => height < 32 || width < 32)""")
        self.assertEqual(small, [])
