"""The coach's page: the table of the room, commands, and the result of each monitor.

The page is used with clicks and keys; the server of scenes.py answers for the gateways.
"""

import json

import scenes
import test_endurance
from messages import Erg, gateway, valid
from page import PHONE, TABLET, TV, UPRIGHT, PageTest
from people import People
from selenium.webdriver.common.keys import Keys

DESK = (1366, 900)

LINES = """
const text = (line, selector) => Array.from(line.querySelectorAll(selector))
  .filter((element) => element.offsetParent !== null).map((element) => element.textContent).join();
return Array.from(document.querySelectorAll('#lines > .line')).map((line) => ({
  state: line.dataset.state, stale: line.dataset.stale === 'yes', place: text(line, '.place'),
  name: text(line, '.name'), pace: text(line, '.pace .number'), rate: text(line, '.rate .number'),
  watts: text(line, '.power .number'), heart: text(line, '.heart .number'),
  say: text(line, '.say p'), mark: line.dataset.mark || '',
  curve: (line.querySelector('.curve .line').getAttribute('d') || '').length,
}));
"""

# Each visible text with its box.
BOXES = """
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!node.data.trim() || element.offsetParent === null
    || element.closest('.spoken, noscript, #head')) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  if (!box.width) continue;
  const isCut = getComputedStyle(element).textOverflow === 'ellipsis'
    || getComputedStyle(element.parentElement).textOverflow === 'ellipsis';
  const frame = isCut ? element.getBoundingClientRect() : box;
  const holder = element.closest('.line, .command, #summary, header, .dialog, button')
    || document.body;
  const outer = holder.getBoundingClientRect();
  const size = parseFloat(getComputedStyle(element).fontSize);
  const middle = (box.top + box.bottom) / 2;
  found.push({ text: node.data, left: box.left, right: Math.min(box.right, frame.right),
    top: middle - size * .34, bottom: middle + size * .34, size,
    holder: holder.className || holder.id,
    outer: [outer.left, outer.right, outer.top, outer.bottom], line: holder.className === 'line'
      || holder.id === 'summary' || holder.tagName === 'HEADER' ? Array.from(
        document.querySelectorAll('.line, #summary, header')).indexOf(holder) : -1 });
}
return found;
"""


def plain(value):
    return json.loads(json.dumps(value).replace("\\u202f", " ").replace("\\u2009", ""))


class CoachTest(PageTest):
    def setUp(self):
        super().setUp()
        # The athletes with a profile.
        self.known = People()

    def open(self, ergs, gateways=None, path="/coach", size=DESK, crews=()):
        self.resize(size)
        # The page of the test before may still send or load something.
        self.browser.get("about:blank")
        self.scenes.posted.clear()
        self.scenes.commands.clear()
        self.scenes.answers = {}
        self.scenes.refusal = None
        self.scenes.book.people = self.known
        self.scenes.show(ergs, gateways, crews)
        self.browser.get(self.scenes.address + path)
        self.until(lambda: len(self.lines()) == len(ergs) and self.text("clock"), "all lines")
        return self.lines()

    def tiles(self):
        return self.js("return []")

    def lines(self):
        return plain(self.js(LINES))

    def fresh(self, ergs):
        """The rows while the first one is fresh: it turns stale after three seconds, so it is sent again."""
        def look():
            lines = self.lines()
            if not lines[0]["stale"]:
                return lines
            for erg in ergs:
                self.scenes.send_erg(erg)
            return None
        return self.until(look, "who has just been heard is not stale")

    def open_workouts(self):
        """Opens the dialog of workouts, which is loaded on first use."""
        self.js("document.getElementById('set').click()")
        self.until(lambda: self.js("return document.querySelector('.dialog .kinds input') !== null"), "the dialog")

    def click(self, text, within="body"):
        """Clicks the last visible element with this text, once it is enabled."""
        self.until(lambda: self.js("""
          const all = Array.from(document.querySelectorAll(arguments[0] + ' button, ' + arguments[0]
            + ' label, ' + arguments[0] + ' a')).filter((one) => one.offsetParent !== null
            && (one.textContent.trim() === arguments[1] || one.getAttribute('aria-label')
              === arguments[1]));
          const last = all[all.length - 1];
          const isEnabled = last && !last.disabled;
          if (isEnabled) last.click();
          return isEnabled;""", within, text), f"{text!r} can be clicked")

    def dialog(self):
        return plain(self.js("const box = document.querySelector('.dialog');"
                             "return box ? box.innerText : ''"))

    def menu(self, index):
        self.js("document.querySelectorAll('#lines .dots')[arguments[0]].click()", index)
        self.until(self.dialog, "the menu")

    def search(self, text):
        """Types into the search of the dialog."""
        self.until(lambda: self.js("return document.querySelector('.dialog input[type=search]')"), "a search")
        self.js("const input = document.querySelector('.dialog input[type=search]');"
                "input.value = arguments[0]; input.dispatchEvent(new Event('input'))", text)

    def choices(self):
        return plain(self.js("return Array.from(document.querySelectorAll('.dialog .athletes li'),"
                             "(one) => one.textContent)"))

    def sent(self):
        return plain(self.js("const panel = document.getElementById('sent');"
                             "return panel.hidden ? '' : panel.innerText"))

    def last_command(self):
        """The last posted command."""
        self.until(lambda: self.scenes.posted, "something is asked for")
        return self.scenes.posted[-1][1]


class StateTests(CoachTest):
    def check(self, line, **expected):
        self.assertEqual({key: line[key] for key in expected}, expected)

    def test_an_evening(self):
        ergs = scenes.wall()
        self.open(ergs)
        self.shot("coach-evening")
        lines = self.fresh(ergs)
        self.check(lines[0], state="rowing", place="1", name="Amara Okafor", pace="1:52.4",
                   rate="22", watts="246", heart="138")
        self.assertRegex(lines[0]["say"], r"^\d+ m to go · interval 3$")
        self.assertGreater(lines[0]["curve"], 100)
        self.check(lines[4], stale=True, pace="1:58.3")
        self.assertRegex(lines[4]["say"], r"^no signal for \d+ s$")
        self.check(lines[6], state="resting", pace="0:38", heart="141",
                   say="rest · interval 2 · next 500 m")
        self.check(lines[7], state="free", name="nobody", pace="", say="free · sit down and row")
        self.assertEqual(plain(self.text("title")), "500 m intervals")
        self.assertEqual(self.sent(), "")

        def is_shown():
            for erg in ergs:
                self.scenes.send_erg(erg)
            summary = self.js("return document.getElementById('figures').innerText")
            return {"5 of 8", "1:53.5"} <= set(plain(summary).split("\n"))
        self.until(is_shown, "how many row, and their mean")

    def test_every_state(self):
        ergs = scenes.states()
        self.open(ergs)
        self.shot("coach-states")
        lines = self.fresh(ergs)
        self.check(lines[0], state="paused", pace="1:53.2")
        self.assertTrue(lines[0]["say"].startswith("paused · 6:40 · "))
        self.check(lines[1], state="finished", mark="yes", pace="7:21.3", rate="27")
        self.check(lines[2], state="armed", say="2000 m · row to start")
        self.assertRegex(lines[3]["say"], r"^asleep since \d\d:\d\d · any button wakes it$")
        self.assertRegex(lines[4]["say"], r"^searching since \d\d:\d\d · press any button")
        self.check(lines[5], state="released", say="with a phone · released to a phone app")
        self.check(lines[6], say="not connected · a phone or another gateway keeps connecting")
        self.check(lines[7], stale=True, pace="1:58.3")
        for line in lines:
            self.assertTrue(line["say"] and line["name"], line)

    def test_before_the_first_stroke_there_are_dashes_and_no_zeros(self):
        erg = Erg("erg-1").info().state("rowing", session="01JD8Z3V5Q0000000000000001")
        erg.live(distance_m=0.0, elapsed_s=0.0)
        self.check(self.open([erg])[0], pace="–", rate="–", watts="–", heart="")

    def test_an_id_stands_where_there_is_no_name(self):
        erg = Erg("erg-1", name="x").rows()
        del erg.messages["state"]["payload"]["athlete_name"]
        self.check(self.open([erg])[0], name="someone")

    def test_an_empty_room_and_a_gateway_away(self):
        self.open([], [gateway()])
        self.assertEqual(self.text("empty"), "No ergs yet")
        self.assertTrue(self.js("return document.getElementById('set').disabled"))
        self.shot("coach-empty")
        self.open([Erg("erg-1", name="Li Wei").rows()], [gateway(online=False)])
        self.assertRegex(plain(self.text("notice")), "^Gateway boathouse offline for")

    def test_german_and_daylight(self):
        self.open(scenes.wall(), path="/coach?lang=de&theme=light")
        self.assertEqual(self.text("set"), "Training einstellen…")
        self.shot("coach-german-light")
        self.menu(0)
        self.shot("coach-menu-german")
        self.click("Training einstellen…", ".dialog")
        self.until(lambda: "Strecke" in self.dialog(), "the dialog, which is loaded on first use")
        self.shot("coach-set-german")

    def test_hostile_names_are_text(self):
        names = ["<script>document.title='taken'</script>", "<img src=x onerror=alert(1)>",
                 "x" * 400, "Maximiliane-Charlotte von und zu Hohenstaufen-Württemberg"]
        for size in (DESK, PHONE):
            self.open([Erg(f"erg-{index}", name=name).rows()
                       for index, name in enumerate(names, 1)], size=size)
            self.shot(f"coach-hostile-{size[0]}")
            self.assertEqual(self.js("return document.querySelectorAll('main script, main img')"
                                     ".length"), 0)
            self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])


class ActionTests(CoachTest):
    def room(self, **options):
        """Two ergs rowing, one ready, one free, one asleep."""
        ergs = scenes.rowers(2) + [
            Erg("erg-3", name="Li Wei").info().state("ready"),
            Erg("erg-4").info().state("idle", piece=False),
            Erg("erg-5").info().offline(2800).state("asleep", 2800, piece=False)]
        return self.open(ergs, **options)

    def test_a_workout_for_those_who_are_free(self):
        self.room()
        self.open_workouts()
        self.assertIn("Set on 2 monitors", self.dialog())
        self.shot("coach-set")
        self.click("8 × 500 m / 3:30".replace(" × ", "\u2009×\u2009").replace(" m", "\u202fm"),
                   ".dialog")
        self.shot("coach-set-intervals")
        self.click("Set on 2 monitors", ".dialog")
        asked = self.last_command()
        self.assertEqual(asked["verb"], "workout")
        self.assertEqual([place["erg"] for place in asked["to"]], ["erg-3", "erg-4"])
        self.assertEqual(asked["fields"], {
            "type": "intervals", "repeat": 8, "intervals": [{"distance_m": 500, "rest_s": 210}]})
        self.until(lambda: "confirmed on 2 of 2" in self.sent(), "both read it back")
        self.until(lambda: self.dialog() == "", "the dialog is closed")
        self.shot("coach-sent")
        self.assertIn("confirmed on 2 of 2", self.text("spoken"))

    def preview(self):
        return plain(self.js("return document.querySelector('.dialog .preview').textContent"))

    def type(self, **texts):
        for name, text in texts.items():
            self.js("const input = document.querySelector('.inputs .' + arguments[0] + ' input');"
                    "input.value = arguments[1]; input.dispatchEvent(new Event('input'))",
                    name, text)

    def test_a_workout_is_read_before_it_is_set(self):
        self.room()
        self.open_workouts()
        self.assertEqual(self.preview(), "2000 m")
        self.js("document.querySelectorAll('.kinds input')[3].click()")
        self.type(count="8", length="500", rest="1:00", pace="1:45-1:55")
        self.assertEqual(self.preview(), "8×500 m, rest 1:00, target 1:45 to 1:55")
        self.shot("coach-set-preview")
        self.type(length="5oo")
        self.assertEqual(self.preview(), "", "nothing is read of what is no length")

    def test_shows_the_pace_of_each_athlete_before_it_is_set(self):
        self.known.add("a-3", "Li Wei", power_2k_w=203).add("a-4", "Kim", power_6k_w=250)
        ergs = [Erg("erg-3", name="Li Wei").info().state("ready"), Erg("erg-4", name="Kim").info().state("ready"),
                Erg("erg-5").info().state("idle", piece=False)]
        for erg, athlete in zip(ergs, ("a-3", "a-4")):
            erg.messages["state"]["payload"]["athlete_id"] = athlete
        self.open(ergs)
        self.open_workouts()
        self.assertEqual(self.own_targets(), "")
        self.type(pace="2k+12")
        self.assertEqual(self.preview(), "2000 m, target 2k+12")
        self.until(lambda: self.own_targets() == "Li Wei: 2:11.9 \u00b7 Kim: no 2k power in the logbook \u00b7 "
                   "Erg 5: nobody", "what each gets")
        self.shot("coach-set-own-targets")
        self.click("4 Kim", ".dialog")
        self.assertNotIn("Kim", self.own_targets())
        self.type(pace="2k+", power="")
        self.assertEqual(self.own_targets(), "")
        self.type(pace="2k+61")
        self.scenes.refusal = (400, "bad_value", "target_2k_offset_min_s_per_500m must be -30 to 60")
        self.click("Set on 2 monitors", ".dialog")
        self.until(lambda: "-30 to 60" in self.dialog(), "the limits")
        self.assertEqual(self.js("return document.querySelector('.inputs .pace input').getAttribute('aria-invalid')"),
                         "true")
        self.scenes.refusal = None
        self.scenes.posted.clear()
        self.type(pace="2k+12")
        self.click("Set on 2 monitors", ".dialog")
        self.assertEqual(self.last_command()["fields"]["target_2k_offset_min_s_per_500m"], 12)

    def own_targets(self):
        return plain(self.js("return document.querySelector('.dialog .own').textContent"))

    def test_a_rest_of_a_second_needs_confirmation(self):
        self.room()
        self.open_workouts()
        self.js("document.querySelectorAll('.kinds input')[3].click()")
        self.type(count="8", length="500", rest="1")
        self.assertEqual(self.preview(), "8×500 m, rest 0:01")
        self.assertIn("The rest is 0:01. Please check it.", self.dialog())
        self.click("Set on 2 monitors", ".dialog")
        self.until(lambda: "Set it anyway" in self.dialog(), "it is asked about")
        self.assertEqual(self.scenes.posted, [])
        self.shot("coach-set-short-rest")
        # New input needs a new confirmation.
        self.type(rest="5")
        self.assertIn("Set on 2 monitors", self.dialog())
        self.click("Set on 2 monitors", ".dialog")
        self.click("Set it anyway", ".dialog")
        self.assertEqual(self.last_command()["fields"]["intervals"], [{"distance_m": 500, "rest_s": 5}])
        self.until(lambda: "confirmed on 2 of 2" in self.sent(), "it is set")

    def test_a_usual_rest_needs_no_confirmation(self):
        self.room()
        self.open_workouts()
        self.js("document.querySelectorAll('.kinds input')[3].click()")
        self.type(count="8", length="500", rest="0:10")
        self.assertNotIn("Please check", self.dialog())
        self.click("Set on 2 monitors", ".dialog")
        self.assertEqual(self.last_command()["fields"]["intervals"], [{"distance_m": 500, "rest_s": 10}])

    def test_refusals_speak_of_the_form(self):
        self.room()
        self.open_workouts()
        for detail, text in [
                ("target_pace_min_s_per_500m is above target_pace_max_s_per_500m",
                 "Pace: enter the faster value first"),
                ("intervals[1].distance_m, duration_s or calories_kcal is missing",
                 "Enter the interval length"), ("distance_m is missing", "Enter the length")]:
            self.scenes.refusal = (400, "bad_value", detail)
            self.click("Set on 2 monitors", ".dialog")
            self.until(lambda: text in self.dialog(), text)
            self.assertNotIn("_", self.dialog())

    def test_each_result_is_shown_and_can_be_retried(self):
        self.room()
        self.scenes.answers = {"erg-3": "not_connected", "erg-4": None, "erg-5": "not_connected"}
        self.open_workouts()
        self.click("None", ".dialog")
        self.assertIn("Choose a monitor", self.dialog())
        for name in ("3 Li Wei", "4 nobody", "5 nobody" + "asleep"):
            self.click(name, ".dialog")
        self.click("Set on 3 monitors", ".dialog")
        self.until(lambda: "Erg 5: asleep, wakes with any button" in self.sent(), "the sleeper")
        self.assertIn("Li Wei: no connection to the monitor", self.sent())
        self.assertIn("waiting for Erg 4", self.sent())
        self.shot("coach-failures")
        self.scenes.answers = {}
        self.click("try again, Li Wei", "#sent")
        self.until(lambda: "confirmed on Li Wei" in self.sent(), "it worked then")
        self.assertEqual([place["erg"] for place in self.last_command()["to"]], ["erg-3"])

    def test_ending_a_piece_names_the_athlete_first(self):
        self.room()
        self.menu(0)
        self.shot("coach-menu")
        self.click("End piece…", ".dialog")
        self.assertIn("Ends the piece of Amara Okafor on erg 1.", self.dialog())
        self.shot("coach-end")
        self.click("Keep rowing", ".dialog")
        self.assertEqual(self.scenes.posted, [])
        self.js("document.getElementById('end').click()")
        self.assertIn("Ends 2 pieces: Amara Okafor on erg 1, Jón Þórsson on erg 2.", self.dialog())
        self.shot("coach-end-all")
        self.click("2 Jón Þórssonrowing", ".dialog")
        self.click("End the piece", ".dialog")
        asked = self.last_command()
        self.assertEqual((asked["verb"], [place["erg"] for place in asked["to"]]),
                         ("terminate", ["erg-1"]))
        self.until(lambda: "ended on Amara Okafor" in self.sent(), "it ended")

    def test_a_workout_over_a_piece_says_so_first(self):
        self.room()
        self.menu(1)
        self.click("Set workout…", ".dialog")
        self.until(lambda: "Ends the piece of Jón Þórsson on erg 2." in self.dialog(), "the dialog is loaded")
        self.click("End and set", ".dialog")
        self.assertTrue(self.last_command()["fields"]["force"])

    def test_a_piece_begun_meanwhile_needs_confirmation(self):
        self.room()
        self.scenes.answers = {"erg-3": "rowing"}
        self.menu(2)
        self.click("Set workout…", ".dialog")
        self.click("Set on one monitor", ".dialog")
        self.until(lambda: "Li Wei: someone is rowing" in self.sent(), "refused")
        self.scenes.answers = {}
        self.click("end piece and set, Li Wei", "#sent")
        self.assertIn("Ends the piece of Li Wei on erg 3.", self.dialog())
        self.click("End and set", ".dialog")
        self.until(lambda: "confirmed on Li Wei" in self.sent(), "done")
        self.assertTrue(self.last_command()["fields"]["force"])

    def test_assign_undo_and_clear(self):
        self.room()
        self.click("Assign athlete… Erg 4", "#lines")
        self.shot("coach-assign")
        self.search("crew 7")
        self.click("Add “crew 7” as a new athlete", ".dialog")
        self.until(lambda: "accepted by Erg 4" in self.sent(), "it is taken")
        self.assertEqual(self.last_command()["fields"], {"athlete_id": "crew-7"})
        self.until(lambda: "crew 7 on Erg 4" in self.sent(), "the athlete's name")
        self.click("undo", "#sent")
        self.until(lambda: len(self.scenes.posted) == 3, "undone")
        self.assertEqual(self.last_command()["fields"], {})

    def test_athletes_are_chosen_by_name(self):
        self.known.add("anna", "Anna Müller").add("anna-2", "Anna Müller").add("zoe", "Zoë Đặng")
        self.known.add("ben", "Ben <b>O'Brien</b>").add("old", "Old Hand", archived=True)
        self.room()
        self.click("Assign athlete… Erg 4", "#lines")
        self.until(lambda: len(self.choices()) == 4, "the athletes")
        self.assertEqual(self.choices(), ["Anna Müller · anna", "Anna Müller · anna-2", "Ben <b>O'Brien</b>",
                                          "Zoë Đặng"])
        for text, found in (("MULLER", 2), ("o'b", 1), ("zoe dang", 1), ("an", 2), ("nna", 1)):
            self.search(text)
            self.until(lambda count=found: len(self.choices()) == count, text)
        self.assertEqual(self.choices(), ["Add “nna” as a new athlete"])
        self.search("zoe")
        self.shot("coach-assign-search")
        # Enter takes the first athlete of the list.
        self.js("document.querySelector('.dialog form').requestSubmit()")
        self.until(lambda: "accepted by Erg 4" in self.sent(), "it is taken")
        self.assertEqual(self.last_command()["fields"], {"athlete_id": "zoe"})
        self.until(lambda: "Zoë Đặng on Erg 4" in self.sent(), "the athlete's name")

    def test_a_change_in_the_middle_of_a_piece_is_confirmed(self):
        self.known.add("zoe", "Zoë Đặng")
        self.room()
        self.menu(0)
        self.click("Assign athlete…", ".dialog")
        self.search("zoe")
        self.click("Zoë Đặng", ".dialog")
        self.until(lambda: "Amara Okafor is rowing now." in self.dialog(), "a question")
        self.assertIn("From now on the piece counts for Zoë Đặng.", self.dialog())
        self.assertEqual(self.scenes.posted, [])
        self.click("Assign", ".dialog")
        self.until(lambda: self.scenes.posted, "it is sent")
        self.assertEqual(self.last_command()["fields"], {"athlete_id": "zoe"})

    def test_all_ergs_at_once(self):
        for name in ("Anna", "Ben", "Cleo"):
            self.known.add(name.lower(), name)
        self.room()
        self.js("localStorage.clear()")
        self.click("Assign all…")
        self.until(lambda: len(self.assigned()) > 3, "a choice for each erg")
        self.shot("coach-assign-all")
        # An athlete who moves leaves the former erg.
        self.choose(2, "anna")
        self.choose(3, "anna")
        self.assertEqual(self.assigned()[2:4], ["", "anna"])
        self.choose(2, "ben")
        self.click("Assign", ".dialog")
        self.until(lambda: self.dialog() == "", "it is sent")
        commands = [(content["to"][0]["erg"], content["fields"].get("athlete_id"))
                    for path, content in self.scenes.posted if path == "/api/v1/commands"]
        self.assertEqual(commands[-2:], [("erg-3", "ben"), ("erg-4", "anna")])
        self.click("Assign all…")
        self.until(lambda: len(self.assigned()) > 3, "the choices again")
        self.click("Clear all", ".dialog")
        self.assertEqual(set(self.assigned()), {""})
        self.click("Same as last time", ".dialog")
        self.assertEqual(self.assigned()[2:4], ["ben", "anna"])
        before = self.assigned()
        self.click("Shuffle", ".dialog")
        self.assertEqual(sorted(self.assigned()), sorted(before))

    def test_all_ergs_by_keyboard(self):
        for name in ("Anna", "Ben"):
            self.known.add(name.lower(), name)
        self.room()
        self.js("localStorage.clear()")
        self.tab_to("Assign all…", Keys.ENTER)
        self.until(lambda: len(self.assigned()) > 3, "a choice for each erg")
        self.tab_to("SELECT", "Ben")
        self.assertIn("ben", self.assigned())
        self.tab_to("Assign", Keys.ENTER)
        self.until(lambda: self.dialog() == "", "it is sent")
        self.assertEqual(self.last_command()["fields"], {"athlete_id": "ben"})

    def assigned(self):
        return self.js("return Array.from(document.querySelectorAll('.dialog .erg-choices select'),"
                       "(one) => one.value)")

    def choose(self, index, athlete):
        self.js("const select = document.querySelectorAll('.dialog .erg-choices select')[arguments[0]];"
                "select.value = arguments[1]; select.dispatchEvent(new Event('change'))", index, athlete)

    def test_release_and_take_back(self):
        self.room()
        self.menu(3)
        self.click("Release to phone app…", ".dialog")
        self.shot("coach-release")
        self.js("document.querySelector('.dialog input').value = 'long'")
        self.scenes.refusal = (400, "bad_value", "for_s must be a number from 0 to 86400")
        self.click("Release", ".dialog")
        self.until(lambda: "Enter a number" in self.dialog(), "the refusal")
        self.assertEqual(self.last_command()["fields"], {"for_s": "long"})
        self.scenes.refusal = None
        self.scenes.posted.clear()
        self.js("document.querySelector('.dialog input').value = '15'")
        self.click("Release", ".dialog")
        self.assertEqual(self.last_command()["fields"], {"for_s": 900})
        self.until(lambda: "done by Erg 4" in self.sent(), "it is told")
        self.assertIn("Released to a phone for 15 min", self.sent())
        self.click("Take back", "#sent")
        self.until(lambda: len(self.scenes.posted) == 2, "taken back")
        self.assertEqual(self.last_command()["fields"], {"for_s": 0})

    def test_a_relay_moves_to_another_erg_and_ends(self):
        relays = [{"adapter": "hci1", "erg": "erg-1", "state": "connected"}]
        self.room(gateways=[gateway(relays=relays)])
        self.menu(3)
        self.click("Phone relay…", ".dialog")
        self.until(lambda: "hci1: Erg 1, a phone is connected" in self.dialog(), "where it is")
        self.assertIn("This disconnects that phone.", self.dialog())
        self.shot("coach-relay")
        self.click("Move relay here", ".dialog")
        self.assertEqual(self.last_command()["verb"], "relay")
        self.assertEqual(self.last_command()["fields"], {"adapter": "hci1", "force": True})
        self.until(lambda: "accepted by Erg 4" in self.sent(), "it is told")
        self.menu(0)
        self.click("Phone relay…", ".dialog")
        self.click("End relay", ".dialog")
        self.until(lambda: "Phone relay ended" in self.sent(), "it is told")
        self.assertEqual(self.last_command()["fields"], {"off": True, "force": True})

    def test_a_room_without_relays_offers_none(self):
        self.room(gateways=[gateway(relays=[])])
        self.menu(3)
        self.assertNotIn("Phone relay", self.dialog())

    def test_a_workout_is_undone_to_what_was_set(self):
        self.room()
        self.menu(2)
        self.click("Set workout…", ".dialog")
        self.click("Just row", ".dialog .templates")
        self.click("Set on one monitor", ".dialog")
        self.until(lambda: "confirmed on Li Wei" in self.sent(), "it is set")
        self.click("undo", "#sent")
        self.until(lambda: len(self.scenes.posted) == 2, "undone")
        self.assertEqual(self.last_command()["fields"], {"type": "distance", "distance_m": 2000})

    def test_refusals_are_shown_beside_their_input(self):
        self.room()
        self.scenes.refusal = (400, "bad_value", "distance is 20 m, must be 100 to 999999")
        self.open_workouts()
        self.click("Set on 2 monitors", ".dialog")
        self.until(lambda: "Enter a value from 100 to 999999 m" in self.dialog(), "the allowed values")
        self.assertEqual(self.js("return document.activeElement.getAttribute('aria-invalid')"),
                         "true")
        self.shot("coach-refused")

    expected_errors = ("400 (Bad Request)",)

    def test_keys_alone_do(self):
        self.room()
        focus = "return document.activeElement.textContent || document.activeElement.tagName"
        self.js("document.querySelectorAll('#lines .dots')[0].focus()")
        self.js("document.activeElement.click()")
        self.assertEqual(self.js(focus), "Set workout…")
        for _ in range(9):
            self.press("Tab", 9)
        self.assertTrue(self.js("return document.querySelector('.dialog').contains("
                                "document.activeElement)"), "the focus stays in the dialog")
        self.press("Escape", 27)
        self.assertEqual(self.dialog(), "")
        self.assertTrue(self.js("return document.activeElement.className === 'dots'"),
                        "the focus goes back")

    def press(self, key, code):
        for kind in ("rawKeyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                         windowsVirtualKeyCode=code)

    def test_names_and_roles(self):
        self.room()
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        found = [(node["role"]["value"], node.get("name", {}).get("value", ""))
                 for node in nodes if not node["ignored"]]
        for expected in [("table", "Ergs"), ("columnheader", "Pace"), ("link", "Wall"),
                         ("button", "Set workout…"),
                         ("button", "Actions for Erg 1, Amara Okafor")]:
            self.assertIn(expected, found)
        self.assertEqual([name for role, name in found if role == "button" and not name], [])


class AlertTests(CoachTest):
    def evening(self, **options):
        return self.open(scenes.targets(), [gateway(workouts=scenes.NAMED)], crews=[scenes.FOUR],
                         **options)

    def needs(self):
        return plain(self.js("const panel = document.getElementById('needs');"
                             "return panel.offsetParent ? panel.innerText : ''"))

    def test_the_band_and_who_is_off_it(self):
        self.evening()
        self.until(lambda: self.js("return document.getElementById('figures').innerText"
                                   ".includes('3 of 5')"), "how many keep to it")
        self.shot("coach-targets")
        verdicts = plain(self.js("return Array.from(document.querySelectorAll('.verdict'))"
                                 ".map((one) => one.textContent)"))
        self.assertEqual(verdicts[:4], ["on target", "2.1 s fast", "on target", "6.6 s slow"])
        self.assertIn("Target 1:50 to 1:55",
                      self.js("return document.getElementById('head').innerText"))
        self.assertIn("1:53.2 · 94 %",
                      plain(self.js("return document.getElementById('figures').innerText")))
        places = self.js("return Array.from(document.querySelectorAll('.line:not([hidden]) "
                         ".needle')).slice(0, 4).map((one) => parseFloat(one.style.left))")
        self.assertTrue(places[3] < places[0] < places[1], places)

    def test_an_alert_is_acknowledged_with_one_tap(self):
        self.evening()
        self.assertEqual([line for line in self.needs().split("\n") if line.startswith("Erg")],
                         ["Erg 2 · Jón Þórsson", "Erg 5 · Tomás Núñez", "Erg 8"])
        self.assertIn("acknowledged by anna", self.needs())
        alert = self.scenes.ergs["boathouse", "erg-5"].messages["alerts"]["payload"]
        self.click("Acknowledge: Erg 5 · Tomás Núñez, no stroke for 9\u202fs", "#needs")
        asked = self.last_command()
        self.assertEqual((asked["verb"], asked["to"], asked["fields"]), (
            "ack", [{"gw": "boathouse"}], {"alert_id": alert["alert_ids"][0], "by": "anna"}))
        self.scenes.send_erg(self.scenes.ergs["boathouse", "erg-5"].alerts("stopped",
                                                                       seen=["stopped"]))
        self.until(lambda: self.needs().count("acknowledged by anna") == 2, "who has seen it is told")
        self.assertEqual(self.sent(), "", "what the alert says itself is not said again")

    def drifting(self, paces=(118.6, 109.2, 121.0, 112.0, 119.9)):
        """Ergs 1, 2, 3 and 5 are off pace; the alerts fired with other values than the live ones."""
        ergs = scenes.wall()
        for erg, pace in zip(ergs, paces, strict=False):
            erg.rows(pace=pace).asks(pace=(110.0, 115.0))
        for index in (0, 1, 2, 4):
            slow = paces[index] > 115
            erg = ergs[index]
            erg.alerts("off_pace", value=116.0 if slow else 108.0, threshold=115.0 if slow else 110.0)
        return ergs

    def test_the_drift_of_many_is_one_row(self):
        self.open(self.drifting(), [gateway()])
        self.until(lambda: "4 off pace" in self.needs(), "one row for all four")
        members = plain(self.js("return Array.from(document.querySelectorAll('.members li'))"
                                ".map((one) => one.innerText.replace(/\\n/g, ' '))"))
        self.assertEqual([one.split(" ")[1] for one in members], ["3", "5", "1", "2"], members)
        self.assertIn("pace 2:01.0, target 1:55 or faster", members[0])
        self.assertIn("pace 1:49.2, target 1:50 or slower", members[3])
        self.shot("coach-drift")
        self.click("Acknowledge: 4 off pace", "#needs")
        self.until(lambda: len(self.scenes.posted) == 4, "each alert is acknowledged")
        sent = {command["fields"]["alert_id"] for _, command in self.scenes.posted}
        fired = {self.scenes.ergs["boathouse", f"erg-{number}"].messages["alerts"]["payload"]["alert_ids"][0]
                 for number in (1, 2, 3, 5)}
        self.assertEqual(sent, fired)

    def test_on_a_phone_the_table_stays_in_view(self):
        ergs = self.drifting()
        for erg, rule in zip(ergs, ("stopped", "heart_rate_high", "battery_low", "drag_out_of_band"), strict=False):
            erg.alerts("off_pace", rule)
        self.open(ergs, [gateway()], size=PHONE)
        self.until(lambda: "5 off pace" in self.needs(), "the alerts are there")
        self.shot("coach-drift-phone")
        top = self.js("const row = document.querySelector('#lines > .line').getBoundingClientRect();"
                      "return [row.top, row.bottom, innerHeight]")
        self.assertLessEqual(top[1], top[2], "the first erg is visible without scrolling")

    def test_no_alerts_is_shown_where_there_is_room(self):
        self.open(scenes.wall(), [gateway()])
        self.until(lambda: self.needs().split("\n")[-1] == "no alerts", "it is said")
        self.resize((1024, 768))
        self.until(lambda: self.needs() == "", "the table comes first")
        self.resize(DESK)
        self.open([], [gateway()])
        self.until(lambda: self.text("empty"), "nobody was heard")
        self.assertEqual(self.needs(), "", "of nobody nothing is said")

    def test_a_failed_acknowledgement_can_be_retried(self):
        self.evening()
        self.scenes.answers = {"ack": "gateway_away"}
        self.js("document.querySelector('#needs button').click()")
        self.until(lambda: "boathouse: the gateway is offline" in self.sent(), "it failed")
        self.scenes.answers = {}
        self.click("try again, boathouse", "#sent")
        self.until(lambda: len(self.scenes.posted) == 2, "asked again")

    def test_a_workout_of_the_gateways_own(self):
        self.evening()
        self.open_workouts()
        self.click("steady", ".dialog")
        self.shot("coach-set-named")
        self.assertIn("30:00@2:05-2:10", self.dialog())
        self.click("Set on one monitor", ".dialog")
        self.assertEqual(self.last_command()["fields"], {"workout": "steady"})
        self.until(lambda: "confirmed on Erg 8" in self.sent(), "read back")
        self.until(lambda: "steady" in self.sent(), "the name of the workout")

    def test_a_target_is_typed(self):
        self.evening()
        self.open_workouts()
        self.shot("coach-set-target")
        self.js("""const put = (name, text) => {
          document.querySelector('.inputs .' + name + ' input').value = text; };
          put('pace', '1:50-1:55'); put('rate', '22-24');""")
        self.click("Set on one monitor", ".dialog")
        self.assertEqual(self.last_command()["fields"], {
            "type": "distance", "distance_m": 2000, "target_pace_min_s_per_500m": 110,
            "target_pace_max_s_per_500m": 115, "target_stroke_rate_min_spm": 22,
            "target_stroke_rate_max_spm": 24})

    def test_crews_are_created_and_removed(self):
        self.evening()
        self.js("document.getElementById('crews').click()")
        self.shot("coach-crews")
        self.assertIn("1, 2, 3, 6", self.dialog())
        self.js("document.querySelector('.dialog input').value = 'pair'")
        for name in ("1 Amara Okaforrowing", "2 Jón Þórssonrowing"):
            self.click(name, ".dialog")
        self.click("Create crew", ".dialog")
        asked = self.last_command()
        self.assertEqual((asked["verb"], asked["to"], asked["fields"]), (
            "crew", [{"gw": "boathouse"}], {"crew": "pair", "members": ["erg-1", "erg-2"]}))
        self.until(lambda: "accepted by boathouse" in self.sent(), "the gateway has it")
        self.click("undo", "#sent")
        self.until(lambda: len(self.scenes.posted) == 2, "undone")
        self.assertEqual(self.last_command()["fields"], {"crew": "pair"})
        self.js("document.getElementById('crews').click()")
        self.click("Remove the crew four", ".dialog")
        self.until(lambda: len(self.scenes.posted) == 3, "taken back")
        self.assertEqual(self.last_command()["fields"], {"crew": "four"})

    def test_which_monitor_and_how_often_it_tells(self):
        self.evening()
        self.menu(0)
        self.shot("coach-menu-all")
        self.click("Identify", ".dialog")
        self.assertEqual(self.last_command()["verb"], "identify")
        self.until(lambda: "Amara Okafor: PM5 431234567" in self.sent(),
                   "the serial number of the monitor")
        self.menu(0)
        self.click("Update rate…", ".dialog")
        self.click("every 250 ms", ".dialog")
        self.until(lambda: len(self.scenes.posted) == 2, "asked")
        self.assertEqual(self.last_command()["fields"], {"ms": 250})
        self.until(lambda: "accepted by Amara Okafor" in self.sent(), "taken")


class SizeTests(CoachTest):
    def test_every_size(self):
        rooms = {"targets": scenes.targets(), "evening": scenes.wall(), "states": scenes.states(),
                 "sixteen": scenes.room_of(16), "sixty-four": scenes.room_of(64)}
        for name, ergs in rooms.items():
            for size in (DESK, TV, TABLET, UPRIGHT, PHONE):
                for language in ("en", "de") if name != "sixty-four" else ("en",):
                    with self.subTest(f"{name} {size} {language}"):
                        self.open(ergs, path=f"/coach?lang={language}", size=size)
                        self.shot(f"coach-{name}-{size[0]}-{language}")
                        self.check(size)

    def test_dialogs_on_every_size(self):
        for size in (DESK, TABLET, PHONE, (667, 375)):
            for language, words in (("en", "Set workout…"), ("de", "Training einstellen…")):
                self.open(scenes.wall(), path=f"/coach?lang={language}", size=size)
                self.open_workouts()
                self.js("document.querySelectorAll('.kinds input')[3].click()")
                self.shot(f"coach-set-{size[0]}-{language}")
                self.assertTrue(self.js(
                    "const box = document.querySelector('.dialog').getBoundingClientRect();"
                    "return box.left >= 0 && box.right <= innerWidth && box.top >= 0"
                    " && box.bottom <= innerHeight + 1"), f"{size} {words}")
                self.check(size, only=".dialog")

    def check(self, size, only=None):
        # On a phone, overflowing content makes the page wider.
        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
        texts = self.js(BOXES)
        for text in texts:
            left, right, _, _ = text["outer"]
            inside = left - 1 <= text["left"] and text["right"] <= min(right + 1, size[0])
            self.assertTrue(inside, f"cut at {size}: {text}")
        for index, text in enumerate(texts):
            for other in texts[:index]:
                if text["line"] >= 0 and text["line"] == other["line"]:
                    width = min(text["right"], other["right"]) - max(text["left"], other["left"])
                    height = min(text["bottom"], other["bottom"]) - max(text["top"], other["top"])
                    self.assertFalse(width > 1 and height > 1,
                                     f"one over another at {size}: {text} {other}")

    def test_touch_targets(self):
        self.open(scenes.wall(), size=PHONE)
        small = self.js("""return Array.from(document.querySelectorAll('button, a'))
          .filter((one) => one.offsetParent !== null)
          .map((one) => [one.textContent, one.offsetHeight, one.offsetWidth])
          .filter(([, height, width]) => height < 32 || width < 32)""")
        self.assertEqual(small, [])


class StreamTests(CoachTest):
    expected_errors = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING",
                       "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")

    def test_server_killed_and_back(self):
        erg = Erg("erg-1", name="Li Wei").rows()
        self.open([erg])
        self.scenes.kill()
        self.until(lambda: self.text("notice").startswith("No connection to the logbook for"), "it says so")
        self.until(lambda: self.lines()[0]["stale"], "the line greys")
        self.assertEqual(self.lines()[0]["pace"], "1:52.4")
        self.assertTrue(self.js("return document.getElementById('set').disabled"))
        self.shot("coach-logbook-away")
        self.scenes.start()
        self.until(lambda: not self.text("notice"), "the page is back")
        self.scenes.send_erg(erg.rows(pace=109.0))
        self.until(lambda: self.lines()[0]["pace"] == "1:49.0", "new figures")

    def test_a_page_opened_later_shows_sent_commands(self):
        self.open([Erg("erg-1", name="Li Wei").info().state("ready")])
        self.menu(0)
        self.click("Set workout…", ".dialog")
        self.click("Set on one monitor", ".dialog")
        self.until(lambda: "confirmed on Li Wei" in self.sent(), "it is set")
        self.browser.refresh()
        self.until(lambda: "confirmed on Li Wei" in self.sent(), "it is still told")


class SignInTests(CoachTest):
    expected_errors = ("401 (Unauthorized)",)

    def test_a_token_is_typed(self):
        self.scenes.show([Erg("erg-1").rows()])
        self.scenes.posted.clear()
        for size in (DESK, PHONE):
            self.resize(size)
            self.scenes.guest = {"role": "wall"}
            self.scenes.refusal = (401, "wrong_token", "there is no such token; it has 20 letters")
            self.browser.get(self.scenes.address + "/sign-in?next=/coach")
            self.until(lambda: self.text("enter"), "the page")
            self.shot(f"sign-in-{size[0]}")
            self.js("document.getElementById('token').value = 'k7m2-9xqd';"
                    "document.getElementById('enter').click()")
            self.until(lambda: self.text("refusal"), "it is refused")
            self.shot(f"sign-in-refused-{size[0]}")
            self.assertEqual(self.scenes.posted[-1], ("/api/v1/sign-in", {"token": "k7m2-9xqd"}))
            self.scenes.refusal = None
            self.js("document.getElementById('enter').click()")
            self.until(lambda: self.js("return location.pathname") == "/coach", "the coach is in")

    def test_a_link_signs_in_and_leaves_no_trace(self):
        self.scenes.show([Erg("erg-1").rows()])
        self.scenes.refusal = None
        self.scenes.guest = {"role": "wall"}
        self.browser.get("about:blank")
        self.browser.get(self.scenes.address + "/sign-in#k7m2-9xqd-4t8w-hz3c-6vnp")
        self.until(lambda: self.js("return location.pathname") == "/coach", "the coach is in")
        self.assertEqual(self.js("return location.hash"), "")
        self.assertEqual(self.scenes.posted[-1][1], {"token": "k7m2-9xqd-4t8w-hz3c-6vnp"})
        self.until(lambda: self.js("return !document.getElementById('out').hidden"), "who is in")
        self.click("Sign out")
        self.until(lambda: self.js("return location.pathname") == "/sign-in", "signed out")

    def test_who_is_in_already_goes_on(self):
        self.scenes.show([Erg("erg-1").rows()])
        self.scenes.guest = scenes.COACH
        self.browser.get(self.scenes.address + "/sign-in?next=/coach&lang=de")
        self.until(lambda: self.js("return location.pathname") == "/coach", "the coach is in")
        self.until(lambda: self.text("set") == "Training einstellen…", "in the same language")


class WorkoutTests(CoachTest):
    """Typed workouts as fields of the contract, without a click."""

    def setUp(self):
        super().setUp()
        self.scenes.show([])
        self.browser.get(self.scenes.address + "/sign-in")

    def test_unclear_relative_paces_are_left_to_the_server(self):
        for text in ("2k12", "2k+", "2k+1:00", "-2k+5-9", "2k-2-6k+2", "2k+1.2.3"):
            fields = self.module("coach/workouts.js", "m.fieldsOf(given[0])",
                                 {"kind": "distance", "length": "2000", "pace": text})
            self.assertEqual(fields["target_2k_offset_min_s_per_500m"], text)

    def test_what_is_typed_becomes_fields(self):
        cases = [
            ({"kind": "distance", "length": " 2000 ", "pace": "1:52,5"},
             {"type": "distance", "distance_m": 2000, "target_pace_s_per_500m": 112.5}),
            ({"kind": "distance", "length": "2 km"}, {"type": "distance", "distance_m": "2 km"}),
            ({"kind": "distance", "length": ""}, {"type": "distance"}),
            ({"kind": "time", "length": "30:00"}, {"type": "time", "duration_s": 1800}),
            ({"kind": "time", "length": "1:10:00"}, {"type": "time", "duration_s": 4200}),
            ({"kind": "time", "length": "90"}, {"type": "time", "duration_s": 90}),
            ({"kind": "calories", "length": "100"}, {"type": "calories", "calories_kcal": 100}),
            ({"kind": "intervals", "count": "4", "length": "1:00", "unit": "s", "rest": "0:45"},
             {"type": "intervals", "repeat": 4, "intervals": [{"duration_s": 60, "rest_s": 45}]}),
            ({"kind": "intervals", "count": "", "length": "20", "unit": "kcal", "rest": ""},
             {"type": "intervals", "intervals": [{"calories_kcal": 20}]}),
            ({"kind": "just_row", "pace": "2:00"}, {"type": "just_row"}),
            ({"kind": "distance", "length": "2000", "split": "400"},
             {"type": "distance", "distance_m": 2000, "split_distance_m": 400}),
            ({"kind": "time", "length": "30:00", "split": "5:00"},
             {"type": "time", "duration_s": 1800, "split_duration_s": 300}),
            ({"kind": "calories", "length": "100", "split": "20"},
             {"type": "calories", "calories_kcal": 100, "split_calories_kcal": 20}),
            ({"kind": "intervals", "count": "*", "length": "500", "unit": "m", "rest": "*"},
             {"type": "intervals", "endless": True,
              "intervals": [{"distance_m": 500, "undefined_rest": True}]}),
            ({"kind": "intervals", "count": "", "length": "1000 + 750 + 500", "unit": "m",
              "rest": "3:00 + 2:00 + *", "rate": "22-24", "pace": "1:55-2:00 + 1:50-1:55 + 1:48",
              "power": "+75%+80 - 90 %", "heart": "+ 150-160"},
             {"type": "intervals", "target_stroke_rate_min_spm": 22, "target_stroke_rate_max_spm": 24,
              "intervals": [
                  {"distance_m": 1000, "rest_s": 180, "target_pace_min_s_per_500m": 115,
                   "target_pace_max_s_per_500m": 120},
                  {"distance_m": 750, "rest_s": 120, "target_pace_min_s_per_500m": 110,
                   "target_pace_max_s_per_500m": 115, "target_2k_power_min_pct": 75,
                   "target_2k_power_max_pct": 75, "target_heart_rate_min_bpm": 150,
                   "target_heart_rate_max_bpm": 160},
                  {"distance_m": 500, "undefined_rest": True, "target_pace_s_per_500m": 108,
                   "target_2k_power_min_pct": 80, "target_2k_power_max_pct": 90,
                   "target_heart_rate_min_bpm": 150, "target_heart_rate_max_bpm": 160}]}),
            ({"kind": "intervals", "count": "4", "length": "2000", "unit": "m", "rest": "3:00", "pace": "2k+12"},
             {"type": "intervals", "repeat": 4, "intervals": [{"distance_m": 2000, "rest_s": 180}],
              "target_2k_offset_min_s_per_500m": 12, "target_2k_offset_max_s_per_500m": 12}),
            *[({"kind": "distance", "length": "2000", "pace": text},
               {"type": "distance", "distance_m": 2000,
                **{f"target_{base}_offset_{end}_s_per_500m": value
                   for end, value in (("min", low), ("max", high)) if value is not None}})
              for text, base, low, high in [
                  ("2k", "2k", 0, 0), ("2K + 12,5", "2k", 12.5, 12.5), ("6k \u2212 2", "6k", -2, -2),
                  ("2k+10\u201315", "2k", 10, 15), ("2k-5-3", "2k", -5, -3), ("2k-3-5", "2k", -5, -3),
                  ("2k-2-2k+2", "2k", -2, 2), ("2k-2k+5", "2k", 0, 5), ("2k+10-", "2k", 10, None),
                  ("2k-", "2k", 0, None), ("-2k+15", "2k", None, 15), ("-6k", "6k", None, 0)]]]
        for given, expected in cases:
            with self.subTest(str(given)):
                self.assertEqual(self.module("coach/workouts.js", "m.fieldsOf(given[0])", given), expected)
                if given["length"] not in ("", "2 km") if "length" in given else True:
                    valid("cmd_workout", {"request_id": "x", **expected})

    def test_every_template_is_a_command(self):
        found = self.module("coach/workouts.js", "m.TEMPLATES.map(m.fieldsOf)")
        self.assertGreater(len(found), 5)
        for fields in found:
            valid("cmd_workout", {"request_id": "x", **fields})

    def test_the_current_workout_as_fields(self):
        cases = [
            ({"state": "ready", "session_type": "time", "target_time_s": 1800.0},
             {"type": "time", "duration_s": 1800}),
            ({"state": "ready", "session_type": "just_row"}, {"type": "just_row"}),
            ({"state": "ready", "session_type": "intervals", "target_distance_m": 500.0}, None),
            ({"state": "rowing", "session_type": "just_row"}, None), ({"state": "idle"}, None)]
        for given, expected in cases:
            self.assertEqual(self.module("coach/workouts.js", "m.currentWorkoutFields(given[0])", given), expected)

    def test_answers_in_words(self):
        strings = f"(await import('/assets/common/strings.js')).allStrings({scenes.strings_text('de')})"
        ask = (f"Promise.resolve().then(async () => m.commandResult(given[0], {{sent: 0}}, given[1], "
               f"{strings}, given[2]).text)")
        for part, now, line, expected in [
                ({"status": "error", "code": "rowing"}, 0, None, "dort wird gerudert"),
                ({"status": "error", "code": "new", "message": "in words"}, 0, None, "in words"),
                ({"status": "error", "code": "not_connected"}, 0, {"state": "asleep"},
                 "schläft, jede Taste weckt es"),
                ({"status": "sent"}, 69000, None, ""),
                ({"status": "sent"}, 71000, None,
                 "eine Minute keine Antwort: das Gateway prüfen")]:
            found = self.js(
                "const given = Array.from(arguments);"
                f"return import('/assets/coach/panels.js').then((m) => {ask})", part, now, line)
            self.assertEqual(found, expected)


class CoachEnduranceTests(CoachTest, test_endurance.EnduranceTests):
    """The endurance tests of the wall, for the coach's page."""

    def show(self, ergs, gateways=None, path="/coach", size=DESK):
        self.open(ergs, gateways, size=size)

    def tile(self, index=0):
        return {"big": self.lines()[index]["pace"]}

    def test_commands_leave_nothing_behind(self):
        self.open([Erg("erg-1", name="Li Wei").info().state("ready")])
        self.command("Performance.enable")
        self.send(40)
        before = self.settled()
        self.send(200, first=40)
        after = self.settled()
        self.command("Performance.disable")
        self.assertLessEqual(after["Nodes"], before["Nodes"] + 16)
        self.assertLessEqual(after["JSEventListeners"], before["JSEventListeners"] + 2)
        self.assertEqual(self.js("return document.querySelectorAll('.command').length"), 5)

    def send(self, count, first=0):
        for number in range(first, first + count):
            self.scenes.send("command", {
                "id": f"c-{number}", "verb": "assign", "by": "ben", "age_ms": 0,
                "fields": {"athlete_id": f"a-{number}"}, "ergs": [{
                    "gw": "boathouse", "erg": "erg-1", "status": "error", "code": "busy"}]})
        self.until(lambda: f"a-{first + count - 1} on Erg 1" in self.sent(), "the last one")
