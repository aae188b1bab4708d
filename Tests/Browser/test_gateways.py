"""The gateways page: states, problems with remedies, missing records, and commands.

The server of scenes.py answers as the interface does (fleet.py). The page is used with clicks and keys.
"""

import json
import pathlib
import re

import book
import fleet
import messages
import scenes
import test_sessions
from page import PHONE
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from test_sessions import DESK, SIZES, WAITING, SessionsTest, plain

CARDS = """
const text = (of, selector) => Array.from(of.querySelectorAll(selector))
  .filter((one) => one.offsetParent !== null).map((one) => one.textContent);
return Array.from(document.querySelectorAll('.gateway')).map((card) => ({
  state: card.dataset.state, name: text(card, 'h2').join(), is: text(card, '.is').join(),
  about: text(card, '.about').join(), past: text(card, '.past').join(),
  what: text(card, '.what'), remedy: text(card, '.remedy'), detail: text(card, '.detail'),
  figures: text(card, '.figures-of dt').map((label, index) =>
    label + ': ' + text(card, '.figures-of dd')[index]),
  ergs: Array.from(card.querySelectorAll('.erg')).map((erg) =>
    Array.from(erg.children).map((one) => one.textContent).join(', ')),
  records: text(card, '.records > p, .records .tag').join(''),
  missing: text(card, '.missing-of li'),
  answer: text(card, '.answer b, .answer p, .answer button').join(' | '),
  figuresOf: text(card, '.answer dt').join(),
}));
"""


class GatewaysTest(SessionsTest):
    def open(self, found, more="", size=DESK):
        self.resize(size)
        self.scenes.fleet.gateways = found
        self.browser.get(self.scenes.address + "/gateways" + more)
        self.until(lambda: self.cards() or self.status_title() not in WAITING, "the gateways")
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
            ("pier", "not recording"), ("annex", "offline"), ("tower", "not responding"),
            ("hall", "needs attention"), ("shed", "status unknown"), ("dock", "running, records lost"),
            ("quay", "running, syncing"), ("boathouse", "all well")])
        self.assertEqual(plain(self.text("sum")), "8 gateways, 4 need attention")
        for card in cards:
            self.assertEqual(len(card["what"]), len(card["remedy"]), card)
            self.assertEqual(card["what"] == [], card["name"] == "boathouse", card)
        hall = self.card("hall")
        self.assertEqual(hall["what"], [
            "Erg 7: batteries low", "Gateway too slow: live values are reduced",
            "Records lost before they were sent", "Clock not synchronised"])
        self.assertEqual(hall["remedy"][:3], [
            "Put in two new D cells.",
            "Stop other programs on the gateway, or use a faster machine.",
            "Check why the broker was out of reach for so long."])
        self.assertIn("Connect the gateway to the internet", hall["remedy"][3])
        self.assertEqual(hall["figures"], [
            "Bluetooth adapters: 25 of 14 connections", "Not sent yet: 1234oldest 1 min",
            "Buffer used: 1 %covers the last 12 d", "Certificate: until 2026-12-01",
            "Clock: not synchronised"])

    def test_old_messages_have_their_age(self):
        self.open(fleet.every_state(), "?lang=en")
        annex, tower, shed = self.card("annex"), self.card("tower"), self.card("shed")
        self.assertEqual(annex["about"], "rowgate 0.1.0 · last seen 3 h ago")
        self.assertEqual(annex["past"], "Last report, 3 h ago:")
        self.assertEqual(annex["what"][:4], [
            "Gateway offline: switched off, or without a network", "12 records not received yet",
            "2 records lost", "1201 messages rejected"])
        self.assertIn("rowgate-logbook gateways lists the reasons", annex["remedy"][3])
        self.assertIn("Erg 3, asleep, battery 69 %", annex["ergs"], "no age that counts on")
        self.assertEqual(tower["what"][0], "No message for 4 min")
        self.assertEqual(shed["about"], "not seen since the logbook started")
        self.assertEqual((shed["ergs"], shed["figures"]), ([], []), "nothing is made up")
        self.assertEqual(self.card("hall")["past"], "")

    def test_the_gateway_alone_judges_its_health(self):
        """A clock without synchronisation, a full ring and low batteries are no problems by themselves."""
        health = fleet.health_of("boathouse", clock="unsynced", boot_id="0" * 32, boot_ms=5000,
                                 ring_used_pct=93.0)
        card = self.open([fleet.gateway(health=health)], "?lang=en")[0]
        self.assertEqual((card["is"], card["what"]), ("all well", []))
        self.assertIn("Erg 7, rowing, battery 9 %", card["ergs"])

    def test_every_health_of_a_gateway_is_shown_as_it_judges(self):
        """The healths are those that GatewayTests.HealthJudgementTests makes of each condition."""
        words = {"ok": "all well", "degraded": "needs attention", "failed": "not recording"}
        path = pathlib.Path(__file__).parent.parent / "GatewayTests/Golden/health.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        self.assertGreater(len(lines), 15)
        for line in lines:
            with self.subTest(line["case"]):
                health = {**fleet.health_of("boathouse"), **line["health"]}
                card = self.open([fleet.gateway(health=health)], "?lang=en")[0]
                self.assertEqual(card["is"], words[line["status"]])
                self.assertEqual(len(card["what"]), line["problems"])

    def test_no_sentence_ends_within_a_word(self):
        text = "erg-3: connect timed out after 20 s, " + "in the last of 12 attempts, " * 20
        remedy = "switch the monitor off and on, or move it nearer to the adapter"
        health = fleet.reported("boathouse", "degraded", [
            fleet.problem("link", text.strip(), remedy, "erg-3")])
        card = self.open([fleet.gateway(health=health)], "?lang=en")[0]
        self.assertEqual((card["what"], card["detail"]),
                         (["Erg 3: not connected"], [f"{text.strip()}; {remedy}"]))
        # An earlier version sends no problems.
        old = fleet.health_of("boathouse", "degraded", [text.strip() + "; " + remedy])
        card = self.open([fleet.gateway(health=old)], "?lang=en")[0]
        self.assertEqual((card["what"], card["remedy"]), ([text.strip()], [remedy]))
        line = lambda *given: self.module("common/format.js", "m.line(given[0], given[1])", *given)
        self.assertEqual(line("a phone keeps taking it", 12), "a phone\u2026")
        self.assertEqual(line("a phone keeps", 13), "a phone keeps")
        self.assertEqual(line("x" * 40, 32), "x" * 32)

    def test_every_state_of_an_erg(self):
        health = fleet.reported("boathouse", "degraded", [fleet.LOW_BATTERY])
        card = self.open([fleet.gateway(health=health)], "?lang=en")[0]
        self.assertEqual(card["ergs"], [
            "Erg 1, rowing, battery 83 %", "Erg 2, connected, battery 76 %",
            "Erg 3, asleep for 47 min, battery 69 %", "Erg 4, searching for 7 min",
            "Erg 5, with a phone, battery 55 %",
            "Erg 6, not connected: a phone or another gateway keeps connecting, battery 48 %",
            "Erg 7, rowing, low battery 9 %", "Erg 8, not found yet"])

    def test_german(self):
        cards = self.open(fleet.every_state(), "?lang=de")
        self.assertEqual(cards[0]["is"], "zeichnet nicht auf")
        self.assertEqual(plain(self.text("sum")), "8 Gateways, 4 brauchen Aufmerksamkeit")
        self.assertEqual(self.js(
            "return document.querySelector('.past[hidden] + .problems .what').lang"), "en")

    def test_a_logbook_without_a_store_still_tells_who_is_there(self):
        card = self.open([fleet.gateway(counts=None)], "?lang=en")[0]
        self.assertEqual((card["is"], card["records"]),
                         ("all well", "this logbook stores no records"))


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
            "erg-1, stroke 7–18requested",
            "erg-1, stroke 40lost: overwritten before it was sent",
            "erg-1, split 3lost: no longer on the gateway"])
        self.assertEqual(self.js(f"return {card}.querySelector('.tag').ariaExpanded", "annex"),
                         "true")
        asked = self.scenes.fleet.requests
        self.until(lambda: self.scenes.fleet.requests > asked, "it is asked anew")
        self.assertTrue(self.card("annex")["missing"], "what is open stays open")
        self.js(f"{card}.querySelector('.tag').click()", "annex")
        self.assertEqual(self.card("annex")["missing"], [])
        self.js(f"{card}.querySelector('.tag').click()", "boathouse")
        self.until(lambda: "All announced records" in self.js(
            f"return {card}.querySelector('.missing-of').textContent", "boathouse"), "all is here")


REPLIES = {
    "ping": {"version": "0.1.0", "uptime_s": 7300},
    "diag": {"health": "degraded", "reasons": ["the power supply is too weak; use a better one"],
             "adapters_up": 1, "slots_used": 5, "slots_total": 7, "backlog_messages": 12},
    "reload": {"applied": ["alerts.off_pace", "roster"], "need_restart": ["broker.host"]},
    "announce": {}, "replay": {
        "count": 3, "message": "3 records; no longer in the ring log: 7 to 11, 15 to 15"},
    "forget": {"erased": 1204, "unreadable": 1}}


class GatewayCommandsTest(GatewaysTest):
    """Commands from a gateway's card, and their results."""

    def click(self, text, within=".dialog"):
        """Clicks the first visible button with this text, once it is enabled."""
        self.until(lambda: self.js("""
          const found = Array.from(document.querySelectorAll(arguments[0] + ' button')).filter((one) =>
            one.offsetParent !== null && !one.disabled && (one.textContent === arguments[1]
              || one.getAttribute('aria-label') === arguments[1]))[0];
          if (found) { found.scrollIntoView({ block: 'center' }); found.click(); }
          return Boolean(found);""", within, text), f"{text!r} can be clicked")

    def menu(self, name="boathouse", ask="Diagnose {}"):
        self.click(ask.format(name), "#fleet")

    def answer(self, name="boathouse", over=True):
        return self.until(lambda: (found := self.card(name)["answer"]) and (
            not over or "waiting" not in found and "wartet" not in found) and found, "the answer")

    def put(self, label, value):
        self.js("""
          const label = Array.from(document.querySelectorAll('.dialog label')).filter((one) =>
            one.firstChild.textContent === arguments[0])[0];
          const input = label.querySelector('input, select');
          input.value = arguments[1];
          input.dispatchEvent(new Event('change'));""", label, value)


class GatewayCommandTests(GatewayCommandsTest):
    """Every command that a gateway carries out itself."""

    expected_errors = ("status of 400",)

    def setUp(self):
        super().setUp()
        self.scenes.posted.clear()
        self.scenes.commands.clear()
        self.scenes.answers, self.scenes.refusal, self.scenes.replies = {}, None, dict(REPLIES)

    def commands(self):
        return [content for path, content in self.scenes.posted if path == "/api/v1/commands"]

    def test_commands_without_parameters(self):
        self.open([fleet.gateway()], "?lang=en")
        for button, verb, expected in [
                ("Ping", "ping", "Online: rowgate 0.1.0, running for 2 h"),
                ("Announce again", "announce",
                 "Published everything to the broker again"),
                ("Reload configuration", "reload",
                 "applied: alerts.off_pace, roster; after a restart: broker.host"),
                ("Health check", "diag", "needs attention | the power supply is too weak | "
                                           "use a better one | ")]:
            self.menu()
            self.click(button)
            self.assertTrue(self.answer(over=False).startswith(button))
            self.until(lambda: expected.strip(" |") in self.answer(), expected)
            asked = self.commands()[-1]
            self.assertEqual((asked["verb"], asked["to"], asked["fields"]),
                             (verb, [{"gw": "boathouse"}], {}))
            self.assertIn(expected.split(" | ")[0], plain(self.text("spoken")))
        self.assertEqual(self.card("boathouse")["figuresOf"], "Bluetooth adapters,Not sent yet,Clock")
        self.assertEqual(len(self.commands()), 4, "each was asked once")
        self.shot("gateways-asked")

    def test_a_range_is_replayed(self):
        self.open([fleet.gateway()], "?lang=en")
        self.menu()
        self.click("Send records again…")
        self.shot("gateways-replay")
        self.put("Stream", "erg-2 force")
        self.put("From number", "7")
        self.put("To number", "9")
        self.click("Send again")
        self.assertIn("3 records sent again | No longer on the gateway: 7–11, 15", self.answer())
        self.assertEqual(self.commands()[0]["fields"],
                         {"erg": "erg-2", "kind": "force", "from_seq": 7, "to_seq": 9})
        self.menu()
        self.click("Send records again…")
        self.put("Stream", " room_rollup")
        self.scenes.refusal = (400, "bad_value", "from_seq must be a number from 1")
        self.click("Send again")
        self.until(lambda: self.js("return document.querySelector('.dialog .refusal').textContent")
                   == "Enter a number", "it is refused beside the input")
        self.assertEqual(self.commands()[-1]["fields"],
                         {"kind": "room_rollup", "from_seq": 0, "to_seq": 0})

    def test_a_session_is_replayed(self):
        self.scenes.book.sessions = book.evening()
        session = next(one for one in self.scenes.book.sessions if one.forces and one.splits)
        found = fleet.gateway(session.gw)
        self.open([found], "?lang=en")
        self.menu(found["gw"])
        self.click("Send records again…")
        self.until(lambda: self.js("return document.querySelectorAll('.dialog select')[0].length") > 2,
                   "the sessions")
        self.put("Session", session.id)
        self.assertTrue(self.js("return document.querySelector('.range').hidden"))
        self.click("Send again")
        answer = self.answer(found["gw"])
        asked = {one["fields"]["kind"]: one["fields"] for one in self.commands()}
        self.assertIn(f"{3 * len(asked)} records sent again", answer)
        self.assertLessEqual({"stroke", "force", "split"}, set(asked))
        for kind, records in (("force", session.forces), ("split", session.splits)):
            self.assertEqual(asked[kind], {
                "erg": session.erg, "kind": kind, "from_seq": records[0]["seq"],
                "to_seq": records[-1]["seq"]})

    def test_erasing_an_athlete_needs_confirmation(self):
        self.open([fleet.gateway()], "?lang=en")
        self.menu()
        self.click("Forget an athlete…")
        self.put("Athlete’s id", "Anna Smith")
        self.click("Forget an athlete…")
        self.until(lambda: "letters, digits and signs without spaces" in self.js(
            "return document.querySelector('.dialog .refusal').textContent"), "no id")
        self.put("Athlete’s id", "anna")
        self.click("Forget an athlete…")
        self.until(lambda: "boathouse erases everything that it recorded of anna" in self.js(
            "return document.querySelector('.dialog').textContent"), "what is lost")
        self.assertEqual(self.js("return document.activeElement.textContent"), "Cancel")
        self.shot("gateways-forget")
        self.assertEqual(self.commands(), [], "nothing before that")
        self.click("Erase permanently")
        self.assertIn("1204 records erased | Part of its storage cannot be read", self.answer())
        self.assertEqual(self.commands()[0]["fields"], {"athlete_id": "anna"})

    def test_failures_have_a_remedy_and_can_be_retried(self):
        self.open([fleet.gateway()], "?lang=en")
        for verb, button, code, expected in [
                ("reload", "Reload configuration", "bad_configuration",
                 "bad_configuration in the gateway's words | Run sudo rowgatectl doctor"),
                ("ping", "Ping", "gateway_away",
                 "the gateway is offline | Check its power"),
                ("ping", "Ping", "not_permitted", "topic write rowgate/v1/+/cmd/#")]:
            self.scenes.answers, self.scenes.replies = {verb: code}, {}
            self.menu()
            self.click(button)
            self.until(lambda: expected in self.answer(), expected)
        self.assertIn("again", self.answer())
        self.scenes.answers, self.scenes.replies = {}, dict(REPLIES)
        self.js("document.querySelector('.answer button').focus()")
        self.click("try again: Ping", ".answer")
        self.until(lambda: "Online: rowgate" in self.answer(), "the same once more")
        self.assertEqual(self.js("return document.activeElement.textContent"), "Diagnose…",
                         "whoever uses keys stays at the card")

    def test_it_waits_as_long_as_it_takes(self):
        self.open([fleet.gateway()], "?lang=en")
        self.scenes.answers = {"ping": None}
        self.menu()
        self.click("Ping")
        self.until(lambda: "waiting for its answer" in self.answer(over=False), "it says so")
        self.until(lambda: self.scenes.commands, "sent")
        self.scenes.answers = {}
        self.scenes.reply(next(iter(self.scenes.commands.values())))
        self.until(lambda: "Online: rowgate" in self.answer(), "the answer that came late")

    def test_keys_alone_and_german(self):
        self.open([fleet.gateway()], "?lang=de")
        self.js("document.querySelector('.records .quiet').focus()")
        page = webdriver.ActionChains(self.browser)
        page.send_keys(Keys.ENTER).perform()
        self.until(lambda: self.js("return document.activeElement.textContent") == "Ping",
                   "the first of the menu")
        page = webdriver.ActionChains(self.browser)
        page.send_keys(Keys.TAB).send_keys(Keys.ENTER).perform()
        self.until(lambda: "braucht Aufmerksamkeit" in self.answer(), "it answers")
        self.assertEqual(self.commands()[0]["verb"], "diag")
        self.menu(ask="Diagnose {}")
        self.click("Athlet löschen…")
        webdriver.ActionChains(self.browser).send_keys("li").send_keys(Keys.ENTER).perform()
        self.until(lambda: "boathouse löscht alles, was es von li aufgezeichnet hat" in self.js(
            "return document.querySelector('.dialog').textContent"), "what is lost")
        webdriver.ActionChains(self.browser).send_keys(Keys.ESCAPE).perform()
        self.assertEqual(len(self.commands()), 1, "nothing was erased")

    def test_dialogs_and_answers_on_every_screen(self):
        for size in SIZES:
            for more, send, ask, _ in (
                    ("?lang=en", "Send records again…", "Diagnose {}", "Forget an athlete…"),
                    ("?lang=de&theme=light", "Daten neu senden…", "Diagnose {}",
                     "Athlet löschen…")):
                with self.subTest(f"{size} {more}"):
                    self.open([fleet.gateway(), fleet.gateway("annex", "offline")], more, size)
                    self.menu(ask=ask)
                    self.shot(f"gateways-menu-{size[0]}-{more[6:8]}")
                    self.fits(size)
                    self.click(send)
                    self.shot(f"gateways-replay-{size[0]}-{more[6:8]}")
                    self.fits(size)
                    self.js("document.querySelector('.dialog .buttons button').click()")
                    self.scenes.answers = {"ping": "busy"}
                    self.menu("annex", ask)
                    self.js("document.querySelector('.dialog button').click()")
                    self.answer("annex")
                    self.menu(ask=ask)
                    self.js("document.querySelectorAll('.dialog button')[1].click()")
                    self.answer()
                    self.whole(f"gateways-answers-{size[0]}-{more[6:8]}")
                    self.look(size)

    def fits(self, size):
        """The dialog and its content are within the screen."""
        box, texts = self.js("""
          const edges = ({ left, right, top, bottom }) => [left, right, top, bottom];
          const dialog = document.querySelector('.dialog');
          return [edges(dialog.getBoundingClientRect()), Array.from(dialog.querySelectorAll(
            'h2, button, span, p')).filter((one) => one.offsetParent !== null).map((one) => {
              const range = document.createRange();
              range.selectNodeContents(one);
              return [one.textContent].concat(edges(range.getBoundingClientRect())); })];""")
        self.assertTrue(box[0] >= 0 and box[1] <= size[0] and box[2] >= 0 and box[3] <= size[1] + 1,
                        f"{box} {size}")
        for text, left, right, _, _ in texts:
            self.assertTrue(box[0] <= left and right <= box[1], f"{text} {size}")

    look = test_sessions.LookTests.look

    def test_every_command_can_be_reached_with_all_that_it_takes(self):
        # Other tests post each command; this one checks that no field of the contract is missing.
        scripts = "".join(path.read_text() for path in scenes.PAGES.rglob("*.js"))
        targets = ["pace", "2k_offset", "6k_offset", "power", "2k_power", "stroke_rate", "heart_rate"]
        found = set(re.findall(r"\w+", scripts)) | {
            f"target_{name}_{end}{unit}" for name in targets for end in ("min", "max")
            for unit in ("_s_per_500m", "_w", "_pct", "_spm", "_bpm")
            if f"'target_{name}'" in scripts} | {
            f"split_{name}" for name in ("distance_m", "duration_s", "calories_kcal")
            if "'split_' + UNITS" in scripts}
        for path in sorted((scenes.PAGES.parents[3].parent / "config/schema/v1").glob("cmd_*.json")):
            verb, schema = path.stem.removeprefix("cmd_"), json.loads(path.read_text())
            names = set(schema["properties"]) | set(
                schema["properties"].get("intervals", {}).get("items", {}).get("properties", {}))
            self.assertIn(verb, found)
            self.assertLessEqual(names - {"request_id"}, found, verb)


class SharedTests(GatewaysTest):
    def tearDown(self):
        self.scenes.fleet.sharers = None
        super().tearDown()

    def test_who_keeps_which_gateways(self):
        self.open([fleet.well()], "?lang=en")
        self.assertEqual(self.text("sharers"), "", "one logbook's store")
        self.scenes.fleet.sharers = [
            fleet.sharer(4711, range(12), ["boathouse", "annex"], address="10.0.0.2"),
            fleet.sharer(4712, [], [])]
        self.open([fleet.well(), fleet.gateway("annex"), fleet.gateway("quay")], "?lang=en")
        self.until(lambda: self.text("sharers"), "they are told")
        self.assertEqual(
            self.js("return Array.from(document.querySelectorAll('#sharers li'))"
                    ".map((one) => one.textContent)"),
            ["Logbook (database process 4711), 10.0.0.2 · 12 of 16 parts · boathouse, annex",
             "Logbook (database process 4712) · 0 of 16 parts · no gateway yet"])
        quay = self.card("quay")
        self.assertEqual((quay["is"], quay["what"]),
                         ("needs attention", ["No logbook stores its records at the moment"]))
        self.assertEqual(self.card("annex")["is"], "all well")
        self.whole("gateways-shared")


class StorageTests(GatewaysTest):
    def tearDown(self):
        self.scenes.fleet.store, self.scenes.fleet.refusals = {"state": "ok", "waiting": 0}, []
        super().tearDown()

    def lines(self):
        return self.js("return Array.from(document.querySelectorAll('#storage li'))"
                       ".map((one) => one.textContent)")

    def test_trouble_with_the_store_is_shown_in_both_languages(self):
        self.open([fleet.well()], "?lang=en")
        self.assertEqual(self.lines(), [], "all is well")
        self.scenes.fleet.store = {
            "state": "failing", "reason": "disk_full", "since_ms": messages.NOW_MS, "waiting": 41,
            "replaced": "new", "replaced_ms": messages.NOW_MS}
        self.scenes.fleet.refusals = [{"reason": "disk_full", "count": 13928}]
        self.open([fleet.well()], "?lang=en")
        self.until(self.lines, "it is shown")
        found = self.lines()
        self.assertEqual(found[0], "No records are stored: the disk is full")
        self.assertTrue(found[1].startswith("The store’s file was removed or moved ("), found)
        self.assertEqual(plain(found[2]),
                         "Messages rejected since the start: 13 928 (the disk is full)")
        self.whole("gateways-storage")
        self.open([fleet.well()], "?lang=de")
        self.until(lambda: any("Datenträger ist voll" in line for line in self.lines()), "German")


class RoomTests(GatewaysTest):
    """A wall for each room."""

    def test_a_card_leads_to_the_wall_of_its_room(self):
        self.scenes.show([messages.Erg("erg-1"), messages.Erg("erg-2"),
                          messages.Erg("erg-1", gw="annex")])
        self.open([fleet.gateway(), fleet.gateway("annex")], "?lang=de&theme=light")
        self.js("document.querySelector('[aria-label=\"Tafel, annex\"]').click()")
        self.until(lambda: self.js("return location.pathname + location.search")
                   == "/wall?gw=annex&theme=light&lang=de", "the wall")
        self.until(lambda: len(self.tiles()) == 1, "its one erg")
        for path, count in (("/wall?gw=boathouse", 2), ("/wall", 3), ("/wall?gw=A%26b", 3),
                            ("/wall?gw=quay", 0)):
            self.browser.get(self.scenes.address + path)
            self.until(lambda: self.text("clock") and len(self.tiles()) == count, path)
        self.browser.get(self.scenes.address + "/coach?gw=annex")
        self.until(lambda: self.js("return document.querySelectorAll('#lines > .line').length") == 1,
                   "its line")
        self.assertEqual(self.js("return Array.from(document.querySelectorAll('nav a'))"
                                 ".map((one) => one.getAttribute('href')).slice(0, 4)"),
                         ["/wall?gw=annex", "/coach?gw=annex", "/race?gw=annex", "/plans"])

    def test_a_wall_of_all_says_what_it_has_no_room_for(self):
        self.scenes.more_ergs = 448
        self.addCleanup(setattr, self.scenes, "more_ergs", 0)
        self.scenes.show([messages.Erg("erg-1"), messages.Erg("erg-1", gw="annex")])
        self.browser.get(self.scenes.address + "/wall?lang=en")
        self.until(lambda: self.text("notice")
                   == "448 more ergs: open the wall of a room from Gateways", "it says so")
        self.shot("wall-more")
        self.browser.get(self.scenes.address + "/wall?lang=en&gw=annex")
        self.until(lambda: len(self.tiles()) == 1, "its erg")
        self.assertEqual(self.text("notice"), "")


class LiveTests(GatewaysTest):
    expected_errors = ("Failed to load resource", "ERR_CONNECTION")

    def test_it_follows_without_a_reload(self):
        self.open([fleet.well(), fleet.gateway("quay")], "?lang=en")
        self.js("window.marker = true; document.querySelectorAll('.tag')[1].focus()")
        self.scenes.fleet.gateways = [fleet.well(), fleet.gateway("quay", "offline")]
        self.until(lambda: self.cards()[0]["is"] == "offline", "the new state")
        self.assertEqual(self.text("spoken"), "quay: offline")
        self.assertEqual(self.cards()[0]["name"], "quay")
        self.assertTrue(self.js("return window.marker"), "the page is the same")
        self.scenes.fleet.gateways = [fleet.well()]
        self.until(lambda: len(self.cards()) == 1, "one that is gone goes")

    def test_the_logbook_goes_and_comes_back(self):
        self.open([fleet.well()], "?lang=en")
        self.scenes.kill()
        self.until(lambda: self.text("notice").startswith("No connection to the logbook for"), "it says so")
        self.assertEqual(self.cards()[0]["is"], "all well", "what was told stays")
        self.assertEqual(plain(self.text("sum")), "one gateway")
        self.until(lambda: self.cards()[0]["is"] == "status unknown", "it holds for a minute")
        self.assertEqual(self.cards()[0]["what"], [], "nobody is sent to a gateway")
        self.shot("gateways-logbook-away")
        self.scenes.start()
        self.until(lambda: not self.text("notice"), "it comes back by itself")

    def test_without_the_broker_no_remedy_is_suggested(self):
        self.scenes.fleet.broker_away_ms = 90000
        found = [{**fleet.well(), "presence": "unknown"}]
        card = self.open(found, "?lang=en")[0]
        self.assertEqual((card["is"], card["what"]), ("status unknown", []))
        self.assertTrue(self.text("notice").startswith("No connection to the broker for 1"))
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
            self.until(lambda: self.status_title() == title, title)
            self.assertTrue(self.text("why"))
        self.scenes.fleet.refusal = None
        self.open([], "?lang=en")
        self.until(lambda: self.status_title() == "No gateways yet", "none")
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
        self.assertEqual((odd["is"], odd["ergs"]), ("status unknown", []))

    def test_names_and_roles(self):
        self.open(fleet.every_state(), "?lang=en")
        found = self.accessible()
        for expected in [("link", "Gateways"), ("heading", "Gateways"), ("heading", "annex"),
                         ("button", "Missing records: 14 missing"), ("list", "Ergs"),
                         ("button", "Diagnose annex"), ("link", "Wall, annex"),
                         ("listitem", "annex")]:
            self.assertIn(expected, found)

    def test_touch_targets(self):
        self.open(fleet.every_state(), size=PHONE)
        small = self.js("""return Array.from(document.querySelectorAll('button, a'))
          .filter((one) => one.offsetParent !== null)
          .map((one) => [one.textContent, one.offsetHeight, one.offsetWidth])
          .filter(([, height, width]) => height < 32 || width < 32)""")
        self.assertEqual(small, [])
