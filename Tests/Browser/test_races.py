"""The archive of races, and a regatta with its heats: what everybody reads, and what coaches change.

The dialogs openSettings, openEvent, openImport, openDraw, openEntry and openAgain are used with clicks.
"""

import regatta
import scenes
from page import PHONE, SMALL_TV, TABLET, PageTest
from selenium.webdriver.common.keys import Keys

DESK = (1440, 900)
REGATTA_ID = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
NAMES = ["Amara Okafor", "Jón Þórsson", "Li Wei", "Sofia Rossi", "Tomás Núñez", "Hanna Vogel"]

OFTEN = """{
  const every = window.setInterval;
  window.setInterval = (action, wait) => every(action, Math.min(wait, 200));
}"""


def result(seconds):
    return {"revision": 1, "complete": True, "result_time_s": seconds, "distance_m": 1000.0}


def line(entry, lane, standing="waiting", place=None, **more):
    found = {"entry_id": f"n{entry}", "lane": lane, "standing": standing, **more}
    return {**found, "place": place} if place else found


def heat(number, state, lanes, final=False, **more):
    return {"heat_id": f"h{9 if final else number}", "number": number, "final": final, "state": state, "annulled": [],
            "lanes": lanes, **more}


def sprints(**more):
    """One event: a heat that is over, and one to row."""
    first = [line(1, 2, "finished", 1, result=result(208.04), advances="place"),
             line(2, 3, "finished", 2, result=result(209.7)),
             line(3, 1, "disqualified", result=result(207.1), reason="second false start")]
    entries = [{"entry_id": f"n{number + 1}", "name": name, "club": "Riverside RC", "seed_s": 208.0 + number}
               for number, name in enumerate(NAMES)]
    event = {"event_id": "v7", "name": "Senior women", "distance_m": 1000, "kind": "individual", "advance_places": 1,
             "advance_times": 1, "entries": entries, "finalists": ["n1"], "results": first, "winners": [],
             "heats": [heat(1, "over", first, race_id=REGATTA_ID), heat(2, "drawn", [line(4, 2), line(5, 1)])]}
    return {"regatta_id": REGATTA_ID, "name": "Winter Sprints", "place": "Boathouse", "day": "2026-11-28",
            "ergs": [{"gw": "boathouse", "erg": "erg-1"}, {"gw": "annex", "erg": "erg-1"}],
            "next": {"event_id": "v7", "heat_id": "h2"}, "events": [event], "changed_ms": 5, "can_undo": True, **more}


def teams(**more):
    """An event of teams: a heat that is over, and one to row; and a relay before its draw."""
    def members(*names):
        return [{"name": name} for name in names]

    def rowed(name, seconds):
        return {"name": name, "standing": "finished", "result": result(seconds)}

    first = [line(1, 1, "finished", 1, result=result(205.3), members=[rowed("Amara Okafor", 204.0),
                                                                      rowed("Li Wei", 206.6)]),
             line(2, 2, "did_not_finish", members=[rowed("Sofia Rossi", 203.2),
                                                   {"name": "Tomás Núñez", "standing": "did_not_finish"}])]
    entries = [{"entry_id": f"n{number}", "name": name, "club": "", "members": members(*names)}
               for number, name, names in ((1, "Riverside A", ("Amara Okafor", "Li Wei")),
                                           (2, "Riverside B", ("Sofia Rossi", "Tomás Núñez")),
                                           (3, "Old Mill", ("Hanna Vogel", "Jón Þórsson")), (4, "Harbour", ()))]
    event = {"event_id": "v7", "name": "Mixed pairs", "distance_m": 1000, "kind": "team", "team_size": 2,
             "advance_places": 0, "advance_times": 0, "entries": entries, "results": first, "winners": [],
             "heats": [heat(1, "over", first, race_id=REGATTA_ID), heat(2, "drawn", [line(3, 2), line(4, 1)])]}
    relay = {"event_id": "v8", "name": "Club relay", "distance_m": 4000, "kind": "relay", "advance_places": 0,
             "advance_times": 0, "results": [], "winners": [], "heats": [],
             "entries": [{**entries[0], "entry_id": "n5", "members": members(*NAMES)}]}
    return {**sprints(), "events": [event, relay], **more}


def archive():
    """A regatta with and without winners, and a race without a name."""
    return [regatta.valid(one, "ArchivedEntry") for one in (
        {"regatta_id": REGATTA_ID, "name": "Winter Sprints", "place": "Boathouse", "day": "2026-11-28",
         "entries": 22, "events": [{"name": "Women", "winners": ["Amara Okafor"]}, {"name": "Men", "winners": []}]},
        {"race_id": REGATTA_ID, "name": "", "distance_m": 2000, "signal_ms": 1795737600000, "entries": 4,
         "winners": [{"gw": "boathouse", "erg": "erg-3"}], "result": {**result(415.2), "distance_m": 2000.0}})]


class RacesTest(PageTest):
    def setUp(self):
        super().setUp()
        self.scenes.guest, self.scenes.posted[:] = scenes.COACH, []
        self.addCleanup(self.leave)

    def leave(self):
        """Removes the races, and the page first: it would ask for a regatta that is not there any more."""
        self.browser.get("about:blank")
        self.scenes.regatta, self.scenes.archive, self.scenes.refusal = None, [], None

    def open(self, size=DESK, more="", found=None):
        self.resize(size)
        self.scenes.regatta = regatta.valid(found or sprints(), "Regatta")
        self.browser.get(f"{self.scenes.address}/regatta?id={REGATTA_ID}{more}")
        self.until(lambda: self.js("return document.querySelectorAll('.event').length"), "the event is shown")

    def texts(self, selector):
        return self.js("return Array.from(document.querySelectorAll(arguments[0]), (one) => one.textContent)", selector)

    def tap(self, text, selector="button"):
        self.until(lambda: self.js("""
          const found = Array.from(document.querySelectorAll(arguments[1])).find((one) =>
            (one.textContent === arguments[0] || one.getAttribute('aria-label') === arguments[0]) && !one.disabled);
          if (found) found.click();
          return Boolean(found);""", text, selector), text)

    def choose(self, label, value):
        self.until(lambda: self.js("""
          const field = Array.from(document.querySelectorAll('.dialog label.field'))
            .find((one) => one.firstChild.textContent === arguments[0]);
          if (field) field.lastChild.value = arguments[1];
          return Boolean(field);""", label, value), label)

    def posted(self):
        self.until(lambda: self.scenes.posted, "it is sent")
        path, content = self.scenes.posted.pop(0)
        self.assertEqual(path, f"/api/v1/regattas/{REGATTA_ID}")
        return regatta.valid(content, "RegattaAction")


class ArchiveTests(RacesTest):
    def test_lists_races_and_regattas_with_winners(self):
        self.resize(DESK)
        self.scenes.archive = archive()
        self.browser.get(self.scenes.address + "/races")
        self.until(lambda: len(self.texts("#list li")) == 2, "both are listed")
        first, second = [text.replace("\u202f", " ") for text in self.texts("#list li")]
        self.assertEqual(first, "28 Nov 2026Winter Sprints Boathouse \u00b7 22 entriesWomen: Amara Okafor")
        self.assertIn("2000 m", second)
        self.assertIn("Erg 3", second)
        self.assertIn("6:55.2", second)
        self.assertEqual(
            self.js("return Array.from(document.querySelectorAll('#list a')).map((one) => one.getAttribute('href'))"),
            [f"/regatta?id={REGATTA_ID}", f"/race?id={REGATTA_ID}"])
        self.shot("races")

    def test_every_size_theme_and_language(self):
        self.scenes.archive = archive()
        for size in (PHONE, TABLET, DESK, SMALL_TV):
            for more in ("", "?theme=light&lang=de"):
                with self.subTest(size=size, more=more):
                    self.resize(size)
                    self.browser.get(self.scenes.address + "/races" + more)
                    self.until(lambda: self.texts("#list li") and self.texts("#actions button"), "the archive")
                    self.shot(f"races-{size[0]}{'-de' if more else ''}")
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth - innerWidth"), 0)
                    lines = self.js("return Array.from(document.querySelectorAll('#list a > span')).map((one) =>"
                                    " Math.round(one.scrollHeight / parseFloat(getComputedStyle(one).fontSize) / 1.2))")
                    self.assertLessEqual(max(lines), 2, "dates, names and winners are not broken into letters")

    def test_an_empty_archive_is_said(self):
        self.browser.get(self.scenes.address + "/races")
        self.until(lambda: self.text("empty") == "No races yet", "it is said")

    def test_a_coach_creates_a_regatta(self):
        self.scenes.regatta = sprints()
        self.browser.get(self.scenes.address + "/races")
        self.tap("New regatta")
        self.until(lambda: self.texts(".dialog h2") == ["New regatta"], "the dialog is there")
        self.choose("Name", "Winter Sprints")
        self.tap("Save")
        self.until(lambda: self.scenes.posted, "it is sent")
        path, content = self.scenes.posted.pop()
        self.assertEqual(path, "/api/v1/regattas")
        self.assertEqual(regatta.valid(content, "RegattaSettings")["name"], "Winter Sprints")
        self.until(lambda: "/regatta?id=" in self.browser.current_url, "the regatta is shown")

    def test_keys_create_a_regatta_and_open_one(self):
        """Only with the Tab key and Enter."""
        self.scenes.archive, self.scenes.regatta = archive(), sprints()
        self.browser.get(self.scenes.address + "/races")
        self.until(lambda: self.texts("#actions button") and self.texts("#list li"), "the archive")
        self.tab_to("New regatta")
        self.until(lambda: self.texts(".dialog h2") == ["New regatta"], "the dialog is there")
        self.keys("Winter Sprints", Keys.ENTER)
        self.until(lambda: "/regatta?id=" in self.browser.current_url, "the regatta is shown")
        self.assertEqual(self.scenes.posted.pop()[1]["name"], "Winter Sprints")
        self.browser.get(self.scenes.address + "/races")
        [text] = self.until(lambda: self.texts("#list li:first-child a"), "the archive")
        self.tab_to(text)
        self.until(lambda: "/regatta?id=" in self.browser.current_url, "the regatta is shown")

    def test_seed_times_are_written_as_they_are_read(self):
        self.open()
        self.assertEqual(self.module("races/actions.js", "[405.3, 62.05].map(m.seedText)"), ["6:45.30", "1:02.05"])
        self.assertEqual(
            self.module("races/actions.js", "['2000', ' 4:00 ', '4:60', '2 km', ''].map((one) => m.pieceOf(one))"),
            [{"distance_m": 2000}, {"duration_s": 240}, None, None, None])
        self.assertEqual(self.module("races/actions.js", "['2000', ' 4:00 ', '4:60', '2 km', ''].map(m.pieceOf)"),
                         [{"distance_m": 2000}, {"duration_s": 240}, None, None, None])


class TeamTests(RacesTest):
    def test_shows_teams_with_their_members(self):
        self.open(found=teams())
        about = [text.replace("\u202f", " ") for text in self.texts(".event .head p:not(.race-actions)")]
        self.assertEqual(about, ["1000 m \u00b7 teams of 2, mean result \u00b7 4 entries",
                                 "4000 m \u00b7 relay \u00b7 one entry"])
        over, drawn, relay = [self.texts(f".event:nth-child({event}) .heats .panel:nth-child({number}) tr")
                              for event, number in ((1, 1), (1, 2), (2, 1))]
        self.assertEqual(over, ["1Riverside AAmara Okafor 3:24.0, Li Wei 3:26.63:25.3\u2026",
                                "Riverside BSofia Rossi 3:23.2, Tomás Núñez DNFDNF\u2026"])
        self.assertEqual(drawn, ["1Harbourergs 1\u20132\u2026", "2Old MillHanna Vogel, Jón Þórssonergs 3\u20134\u2026"])
        self.assertIn(", ".join(NAMES), relay[0])

    def test_every_size_theme_and_language(self):
        for size, name in ((PHONE, "phone"), (TABLET, "tablet"), (DESK, "desk"), (SMALL_TV, "screen")):
            for more in ("", "&theme=light&lang=de"):
                with self.subTest(size=name, more=more):
                    self.open(size, more, teams())
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth - innerWidth"), 0)
                    self.shot(f"regatta-teams-{name}{'-de' if more else ''}")

    def test_paper_names_teams_and_members(self):
        text = self.on_paper(lambda: self.open(found=teams()))
        for part in ("Riverside A", "Amara Okafor 3:24.0, Li Wei 3:26.6", "3:25.3"):
            self.assertIn(part, text)
        self.shot("regatta-teams-paper")

    def test_a_coach_makes_an_event_of_teams(self):
        self.open(found=teams())
        self.tap("Add event")
        shown = ("return Array.from(document.querySelectorAll('.dialog label'))"
                 ".filter((one) => one.offsetParent).map((one) => one.firstChild.textContent)")
        self.until(lambda: "Kind" in self.js(shown), "the dialog")
        self.assertNotIn("Ergs of a team", self.js(shown))
        self.choose("Category", "Fours")
        self.choose("Kind", "team")
        self.js("Array.from(document.querySelectorAll('.dialog select'))[0].dispatchEvent(new Event('change'))")
        self.assertIn("Ergs of a team", self.js(shown))
        self.shot("regatta-teams-dialog")
        self.tap("Save")
        self.assertEqual(self.posted(), {"do": "event", "name": "Fours", "distance_m": 2000, "kind": "team",
                                         "team_size": 4, "advance_places": 0, "advance_times": 0})

    def test_a_coach_changes_the_members(self):
        found = teams()
        found["events"][0]["entries"][2]["members"][0]["athlete_id"] = "a-17"
        self.open(found=found)
        self.tap("Actions for Old Mill")
        self.until(lambda: self.texts(".dialog h2") == ["Old Mill"], "the dialog")
        self.shot("regatta-teams-members")
        self.choose("Members, one a line", "Hanna Vogel\n\n Li Wei ")
        self.tap("Save")
        self.assertEqual(self.posted(), {
            "do": "entry", "event_id": "v7", "entry_id": "n3", "name": "Old Mill", "club": "", "seed": "",
            "members": [{"name": "Hanna Vogel", "athlete_id": "a-17"}, {"name": "Li Wei"}]})
        self.assertEqual(self.module("races/actions.js", "m.membersOf(' A \\n\\nB', [{ name: 'B', athlete_id: 'b' }])"),
                         [{"name": "A"}, {"name": "B", "athlete_id": "b"}])


class RegattaTests(RacesTest):
    def test_shows_heats_with_results_and_who_advances(self):
        self.open()
        self.assertEqual(self.text("title"), "Winter Sprints")
        self.assertEqual(self.text("about").replace(",", ""), "Saturday 28 November 2026 \u00b7 Boathouse")
        self.assertEqual(self.texts(".heats h3"), ["Heat 1 \u00b7 finished", "Heat 2 \u00b7 to row", "In no heat",
                                                   "Advance to the final so far"])
        rows = self.texts(".heats .panel:first-child tr")
        self.assertEqual(rows[0], "1Amara OkaforRiverside RC3:28.0Q\u2026")
        self.assertIn("second false startDSQ", rows[2])
        # A heat to row is in the order of its lanes.
        self.assertTrue(self.texts(".heats .panel:nth-child(2) tr")[0].startswith("1Tom"))

    def test_every_size_theme_and_language(self):
        for size, name in ((PHONE, "phone"), (TABLET, "tablet"), (DESK, "desk"), (SMALL_TV, "screen")):
            for more in ("", "&theme=light&lang=de"):
                with self.subTest(size=name, more=more):
                    self.open(size, more)
                    wide = self.js("return document.documentElement.scrollWidth - innerWidth")
                    self.assertLessEqual(wide, 0)
                    beyond = self.js("const right = (one) => one.getBoundingClientRect().right;"
                                     "return Array.from(document.querySelectorAll('.panel td'))"
                                     ".filter((one) => right(one) > right(one.closest('.panel'))).length")
                    self.assertEqual(beyond, 0, "cells are within their panel")
                    self.shot(f"regatta-{name}{'-de' if more else ''}")

    def test_others_see_no_buttons_of_the_coach(self):
        for role in ("wall", "athlete"):
            with self.subTest(role):
                self.scenes.guest = {"role": role, "name": role, "athlete_id": "a-17"}
                self.open()
                self.assertEqual(self.texts("main button:not([hidden])"), ["Print"])
                self.assertEqual(self.texts(".race-actions a"), ["CSV"])

    def test_the_next_heat_is_set_up_with_one_tap(self):
        self.open()
        self.tap("Set up Senior women, Heat 2")
        self.assertEqual(self.posted(), {"do": "set_up", "name": "Senior women, Heat 2"})
        self.until(lambda: self.browser.current_url.endswith("/race"), "the race is shown")

    def test_a_refusal_is_shown(self):
        self.open()
        self.scenes.refusal = (409, "race_under_way", "there is a race")
        self.tap("Set up Senior women, Heat 2")
        self.until(lambda: self.text("refusal").startswith("there is a race already"), "it is told")
        self.assertIn("/regatta", self.browser.current_url)
        self.browser.get_log("browser")  # The refusal.

    def test_entries_are_imported_and_drawn(self):
        found = sprints()
        found["events"][0].update(heats=[], results=[])
        found["events"][0].pop("finalists")
        found.pop("next")
        self.open(found=found)
        self.tap("Add entries")
        self.until(lambda: self.texts(".dialog h2") == ["Add entries"], "the dialog is there")
        self.js("document.querySelector('.dialog textarea').value = 'name,seed\\nAna,6:45.3'")
        self.tap("Add entries", ".dialog button")
        self.assertEqual(self.posted(), {"do": "import", "event_id": "v7", "text": "name,seed\nAna,6:45.3"})
        self.until(lambda: not self.texts(".dialog"), "the dialog is closed")
        self.tap("Draw heats")
        self.choose("Draw", "fastest_last")
        self.tap("Draw heats", ".dialog button")
        self.assertEqual(self.posted(), {"do": "draw", "event_id": "v7", "by": "fastest_last"})

    def test_a_coach_decides_about_an_entry(self):
        self.open()
        self.tap("Actions for Jón Þórsson")
        self.choose("Status", "disqualified")
        self.choose("Reason", "left the lane")
        self.tap("Save")
        self.assertEqual(self.posted(), {"do": "mark", "event_id": "v7", "heat_id": "h1", "entry_id": "n2",
                                         "standing": "disqualified", "reason": "left the lane"})
        self.until(lambda: not self.texts(".dialog"), "the dialog is closed")
        # An entry of a heat to row moves to another lane, where it swaps.
        self.tap("Actions for Sofia Rossi")
        self.choose("Lane", "1")
        self.tap("Save")
        self.assertEqual(self.posted(), {"do": "move", "event_id": "v7", "heat_id": "h2", "entry_id": "n4", "lane": 1})
        self.until(lambda: not self.texts(".dialog"), "the dialog is closed")
        self.tap("Actions for Sofia Rossi")
        self.choose("Status", "scratched")
        self.choose("Reason", "ill")
        self.tap("Save")
        self.assertEqual(self.posted(), {"do": "scratch", "event_id": "v7", "entry_id": "n4", "reason": "ill"})

    def test_a_heat_is_rowed_again_and_a_change_undone(self):
        self.open()
        self.tap("Row again")
        self.choose("Reason", "wrong distance")
        self.tap("Row again", ".dialog button")
        self.assertEqual(self.posted(), {"do": "again", "event_id": "v7", "heat_id": "h1", "reason": "wrong distance"})
        self.until(lambda: not self.texts(".dialog"), "the dialog is closed")
        self.tap("Undo")
        self.assertEqual(self.posted(), {"do": "undo"})

    def test_an_event_is_changed(self):
        self.open()
        self.tap("Edit event")
        self.choose("Fastest others that advance", "4")
        self.tap("Save")
        self.assertEqual(self.posted(), {"do": "event", "event_id": "v7", "name": "Senior women", "distance_m": 1000,
                                         "kind": "individual", "advance_places": 1, "advance_times": 4})
        self.until(lambda: not self.texts(".dialog"), "the dialog is closed")
        self.tap("Edit event")
        self.choose("Distance in m, or time (4:00)", "2 km")
        self.tap("Save")
        self.until(lambda: self.texts(".dialog .refusal")[0].startswith("Write a distance"), "it is refused")
        self.assertEqual(self.scenes.posted, [])
        self.choose("Distance in m, or time (4:00)", "4:00")
        self.tap("Save")
        self.assertEqual(self.posted(), {"do": "event", "event_id": "v7", "name": "Senior women", "duration_s": 240,
                                         "kind": "individual", "advance_places": 1, "advance_times": 1})

    def test_an_entry_gets_the_sessions_of_an_athlete(self):
        self.scenes.book.people.add("a-17", "Sofia Rossi").add("a-18", "Li Wei")
        self.open()
        self.tap("Actions for Sofia Rossi")
        options = "return Array.from(document.querySelectorAll('.dialog option')).map((one) => one.textContent)"
        self.until(lambda: self.js(options)[-3:] == ["No profile", "Li Wei", "Sofia Rossi"], "the athletes are there")
        self.choose("Athlete", "a-17")
        self.tap("Save")
        self.assertEqual(self.posted(), {"do": "entry", "event_id": "v7", "entry_id": "n4", "name": "Sofia Rossi",
                                         "club": "Riverside RC", "seed": "3:31.00", "athlete_id": "a-17"})

    def focused(self):
        """The name of the element with the focus."""
        return self.js("const one = document.activeElement;"
                       "return one.getAttribute('aria-label') || one.textContent")

    def test_keys_keep_their_place_when_results_arrive(self):
        """The page loads the regatta again every few seconds; here five times a second."""
        added = self.command("Page.addScriptToEvaluateOnNewDocument", source=OFTEN)
        self.addCleanup(self.command, "Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])
        self.open()
        for name in ("Add event", "Edit event", "Actions for Sofia Rossi", "Row again"):
            with self.subTest(name):
                self.tab_to(name, Keys.SHIFT)
                self.change_elsewhere()
                self.assertEqual(self.focused(), name)
                self.keys(Keys.ENTER)
                self.until(lambda: self.texts(".dialog h2"), "the dialog")
                self.change_elsewhere()
                self.keys(Keys.ESCAPE)
                self.assertEqual(self.texts(".dialog"), [])
                self.assertEqual(self.focused(), name)

    def change_elsewhere(self):
        """Another coach changes the place; waits until the page shows it."""
        number = self.scenes.regatta["changed_ms"] + 1
        self.scenes.regatta = {**self.scenes.regatta, "place": f"Boathouse {number}", "changed_ms": number}
        self.until(lambda: f"Boathouse {number}" in self.text("about"), "the changed regatta")

    def test_keys_decide_set_up_and_undo(self):
        """Only with the Tab key, Enter and Escape."""
        self.open()
        self.tab_to("Actions for Jón Þórsson")
        self.until(lambda: self.texts(".dialog h2") == ["Jón Þórsson"], "the dialog")
        self.keys("DSQ", Keys.TAB, "left the lane", Keys.ENTER)
        self.assertEqual(self.posted(), {"do": "mark", "event_id": "v7", "heat_id": "h1", "entry_id": "n2",
                                         "standing": "disqualified", "reason": "left the lane"})
        self.until(lambda: not self.texts(".dialog"), "the dialog is closed")
        self.assertEqual(self.focused(), "Actions for Jón Þórsson")
        self.tab_to("Row again")
        self.until(lambda: self.texts(".dialog h2") == ["Row again"], "the dialog")
        self.keys(Keys.ESCAPE)
        self.assertEqual(self.focused(), "Row again")
        self.tab_to("Undo")
        self.assertEqual(self.posted(), {"do": "undo"})
        self.tab_to("Set up Senior women, Heat 2")
        self.assertEqual(self.posted(), {"do": "set_up", "name": "Senior women, Heat 2"})
        self.until(lambda: self.browser.current_url.endswith("/race"), "the race is shown")

    def test_keys_change_events_and_entries(self):
        found = sprints()
        found["events"][0].update(heats=[], results=[])
        found["events"][0].pop("finalists")
        found.pop("next")
        self.open(found=found)
        self.tab_to("Add entries")
        self.until(lambda: self.texts(".dialog h2") == ["Add entries"], "the dialog")
        self.tab_to("TEXTAREA", "Ana,,6:45.3")
        self.tab_to("Add entries")
        self.assertEqual(self.posted(), {"do": "import", "event_id": "v7", "text": "name,club,seed\nAna,,6:45.3"})
        self.until(lambda: not self.texts(".dialog"), "the dialog is closed")
        self.assertEqual(self.focused(), "Add entries")
        self.tab_to("Draw heats")
        self.until(lambda: self.texts(".dialog h2") == ["Draw heats"], "the dialog")
        self.tab_to("Draw heats")
        self.assertEqual(self.posted(), {"do": "draw", "event_id": "v7", "by": "serpentine"})
        self.until(lambda: not self.texts(".dialog"), "the dialog is closed")
        self.tab_to("Add event")
        self.until(lambda: self.texts(".dialog h2") == ["Add event"], "the dialog")
        self.keys("Masters", Keys.ENTER)
        self.assertEqual(self.posted(), {"do": "event", "name": "Masters", "distance_m": 2000, "kind": "individual",
                                         "advance_places": 0, "advance_times": 0})
        self.until(lambda: not self.texts(".dialog"), "the dialog is closed")
        self.assertEqual(self.focused(), "Add event")
        self.tab_to("Settings and lanes")
        self.until(lambda: self.texts(".dialog h2") == ["Settings and lanes"], "the dialog")
        self.keys(" 2027", Keys.ENTER)
        self.until(lambda: self.scenes.posted, "it is sent")
        self.assertEqual(self.scenes.posted.pop()[1]["name"], "Winter Sprints 2027")

    def test_paper_names_club_date_and_place(self):
        text = self.on_paper(self.open)
        for part in ("Riverside RC", "Winter Sprints", "28 November 2026", "Boathouse", "Amara Okafor", "3:28.0"):
            self.assertIn(part, text)
        self.shot("regatta-paper-club")

    def test_paper_has_no_buttons(self):
        self.open()
        self.command("Emulation.setEmulatedMedia", media="print")
        try:
            shown = self.js("return Array.from(document.querySelectorAll('button, nav a'))"
                            ".filter((one) => one.offsetParent !== null).length")
            self.assertEqual(shown, 0)
            club = self.js("return document.getElementById('club').offsetParent !== null")
            self.assertTrue(club, "the club is named")
            self.shot("regatta-paper")
        finally:
            self.command("Emulation.setEmulatedMedia", media="")
