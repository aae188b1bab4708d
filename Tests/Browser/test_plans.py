"""The plans page: weeks, adherence, import, groups and setting workouts; planned workouts of an athlete.

The server of scenes.py answers as the interface does (plans.py). The page is used with clicks and keys.
"""

import pathlib
import tempfile

import athletes
import plans
import scenes
import test_sessions
from messages import Erg
from page import PHONE, TABLET
from people import People
from selenium.webdriver.common.keys import Keys
from test_sessions import DESK, SIZES, WAITING, SessionsTest, plain

DAYS = """
return Array.from(document.querySelectorAll('.planday')).map((day) => [
  day.querySelector('.date').textContent,
  Array.from(day.querySelectorAll('.planned, .planned ~ .became')).map((one) => [
    (one.querySelector('.what') || { textContent: '' }).textContent].concat(Array.from(
      (one.tagName === 'DL' ? one : one.querySelector('dl') || one).querySelectorAll('dt')).map(
        (word) => word.textContent + ': ' + Array.from(word.nextSibling.children).map((name) =>
          name.textContent).join(', '))))]);
"""


CLOCK = """
{
  const moment = Date.parse('%s');
  Date.now = () => moment;
  const later = window.setTimeout;
  if (%s) window.setTimeout = (action, wait) => later(action, Math.min(wait, 1000));
}
"""


class PlansTest(SessionsTest):
    def setUp(self):
        super().setUp()
        self.scenes.posted.clear()
        self.scenes.book.athletes = [athletes.one_session("anna"), athletes.one_session("dora")]

    def open(self, *found, more="", size=DESK):
        self.resize(size)
        self.scenes.plan_store = plans.PlanStore(*found)
        self.browser.get(self.scenes.address + "/plans" + more)
        self.until(lambda: self.status_title() not in WAITING or self.text("about"), "a plan, or why none")

    def set_clock(self, case, moment, soon=False):
        """Pages that are opened now see `moment`; with `soon`, timers of less than a day end within a second."""
        source = CLOCK % (moment, "true" if soon else "false")
        added = self.command("Page.addScriptToEvaluateOnNewDocument", source=source)
        case.addCleanup(self.command, "Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])

    def days(self):
        return [[day, [[plain(text) for text in texts] for texts in found]]
                for day, found in self.js(DAYS)]

    def press(self, text, place="#page"):
        """Clicks a button by its text."""
        self.js("""Array.from(document.querySelectorAll(arguments[1] + ' button')).find((one) =>
          one.textContent === arguments[0] && one.offsetParent !== null).click()""", text, place)

    def dialog(self):
        return self.js("const box = document.querySelector('.dialog');"
                       "return box ? box.querySelector('h2').textContent : ''")

    def type(self, label, value):
        self.js("""const place = Array.from(document.querySelectorAll('.dialog .field')).find(
          (one) => one.firstChild.textContent.startsWith(arguments[0]));
          const input = place.querySelector('input'); input.value = arguments[1];
          input.dispatchEvent(new Event('input'));""", label, value)


class WeeksTests(PlansTest):
    def test_a_plan_of_another_service_is_not_edited(self):
        self.scenes.guest = scenes.COACH
        edit = "return document.querySelector('#choice .edit[href*=\"id=\"]').hidden"
        for source in ({}, {"source": "intervals_icu"}):
            plan = plans.winter()
            plan.source = source
            self.open(plan)
            self.until(lambda: self.js("return document.querySelector('#choice .edit[href*=\"id=\"]') !== null"),
                       "the link", 20)
            self.assertEqual(self.js(edit), bool(source))

    def test_who_did_what(self):
        self.open(plans.winter())
        self.assertEqual(plain(self.text("about")), "Winter, part 1 · 23 Nov 2026 to 4 Jan 2027 · "
                         "8 workouts · Squad A · 4 athletes")
        days = self.days()
        self.assertEqual(days[0], ["Monday 23 November", [
            ["2000m@1:50-1:55Test", "done: anna, ben", "missed: a-17, cleo"]]])
        self.assertEqual(days[1][1], [
            ["40:00@18-20spmSteady", "done: anna", "partly: cleo75 %, shorter", "missed: a-17, ben"]])
        self.assertEqual(days[2][1], [
            ["4x500m/1:00r", "partly: anna75 %, fewer intervals, longer, bendifferent format",
             "missed: a-17, cleo"], ["", "also rowed: ben3.0 km"]])
        self.assertEqual(days[4][0], "Wednesday 2 December · today")
        self.assertEqual(days[4][1][0], ["SkiErg · 2000mRace", "done: anna", "upcoming: a-17, ben, cleo"])
        self.assertEqual(days[4][1][1], ["30:00", "upcoming: everyone · 4 athletes"])
        href = self.js("return document.querySelector('.became a').getAttribute('href')")
        self.assertRegex(href, r"^/session\?gw=boathouse&id=[0-9A-Z]{26}$")

    def test_coaches_see_names(self):
        self.addCleanup(setattr, self.scenes.book, "people", self.scenes.book.people)
        self.scenes.book.people = People().add("anna", "Anna Müller").add("cleo", "Cleo Roth")
        self.open(plans.winter())
        days = self.days()
        self.assertEqual(days[0][1], [
            ["2000m@1:50-1:55Test", "done: Anna Müller, ben", "missed: a-17, Cleo Roth"]])

    def test_what_counts_is_one_tap_away(self):
        self.open(plans.winter())
        self.press("What counts as done")
        self.assertIn("within 5 % of its length", plain(self.text("how")))
        self.press("What counts as done")
        self.assertNotIn("within", self.text("how"))

    def test_earlier_and_later(self):
        self.open(plans.winter())
        self.assertEqual(self.text("span"), "23 Nov to 20 Dec 2026")
        self.assertTrue(self.js("return document.getElementById('earlier').disabled"))
        self.press("Later")
        self.assertEqual(self.text("span"), "21 Dec to 17 Jan 2027")
        self.assertEqual([day for day, _ in self.days()], ["Monday 4 January"])
        self.assertTrue(self.js("return document.getElementById('later').disabled"))

    def test_which_plan(self):
        self.open(plans.winter(), plans.Plan("spring", "Spring"))
        self.js("const select = document.querySelector('#choice select'); select.value = 'spring';"
                "select.dispatchEvent(new Event('change'))")
        self.until(lambda: self.text("about").startswith("Spring"), "the other plan")
        self.assertIn("no group yet", self.text("about"))
        self.assertIn("Nothing is planned", self.read("weeks"))
        self.assertEqual(self.js("return location.search"), "?id=spring")
        self.browser.refresh()
        self.until(lambda: self.text("about").startswith("Spring"), "the same after a reload")

    def test_guest_sees_no_empty_choice(self):
        self.expected_errors = ("401 (Unauthorized)",)
        self.scenes.guest = {"role": "wall"}
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.scenes.plan_store = plans.PlanStore()
        self.scenes.plan_store.closed = (401, "not_signed_in")
        self.addCleanup(setattr, self.scenes, "plan_store", plans.PlanStore())
        self.browser.get(self.scenes.address + "/plans")
        self.until(lambda: self.status_title() == "Not signed in", "why")
        self.assertEqual(self.shown("select"), [])

    def test_athletes_see_no_import_hint(self):
        self.scenes.guest = {"name": "anna", "role": "athlete", "athlete_id": "anna"}
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        for language, why in (("en", "The plans that your coach makes for you appear here."),
                              ("de", "Hier erscheinen die Pläne, die dein Trainer für dich erstellt.")):
            self.open(more="?lang=" + language)
            self.until(lambda: self.text("why") == why, why)
            self.assertEqual(self.shown("main button"), [])

    def shown(self, selector):
        """The texts of visible elements."""
        return self.js("return Array.from(document.querySelectorAll(arguments[0])).filter((one) =>"
                       "one.offsetParent !== null).map((one) => one.textContent)", selector)

    def test_nothing_to_see_says_why(self):
        self.open()
        self.assertEqual(self.status_title(), "No plan yet")
        self.assertTrue(self.js("return document.querySelector('#first button').offsetParent"
                                " !== null"))
        self.open(plans.winter(), more="?id=absent")
        self.assertEqual(self.status_title(), "Plan not found")
        self.open(more="?lang=de")
        self.assertEqual(self.status_title(), "Noch kein Plan")


class HiddenTests(PlansTest):
    ANNA = {"name": "anna", "role": "athlete", "athlete_id": "anna"}
    SECRETS = ("6000", "6k", "1:50", "28 spm", "2000", "2k", "4x1000")

    def setUp(self):
        super().setUp()
        self.plan = plans.tests()
        self.set_clock(self, plans.TODAY.isoformat() + "T17:00:00Z")

    def as_athlete(self):
        self.scenes.guest = self.ANNA
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.plan.is_hidden = True

    def test_an_athlete_sees_only_the_time(self):
        self.as_athlete()
        for language, today, tomorrow, later in (
                ("en", "Test piece, shown from 18:00", "Test piece, shown from Fri 18:00",
                 "Test piece, shown from 2 Jan 07:30"),
                ("de", "Test, sichtbar ab 18:00", "Test, sichtbar ab Fr 18:00", "Test, sichtbar ab 2. Jan. 07:30")):
            self.open(self.plan, more="?lang=" + language)
            shown = [workout[0] for _, found in self.days() for workout in found]
            self.assertEqual(shown, [today, "20:00Cool down", tomorrow])
            self.press("Later" if language == "en" else "Später")
            self.assertEqual(self.days()[-1][1][0][0], later)
        page = self.js("return document.documentElement.innerHTML")
        for secret in self.SECRETS:
            self.assertNotIn(secret, page.replace("1200", ""))

    def test_an_open_page_shows_it_when_the_time_has_come(self):
        self.as_athlete()
        self.set_clock(self, plans.TODAY.isoformat() + "T17:59:59Z", soon=True)
        self.open(self.plan)
        self.assertEqual(self.days()[0][1][0][0], "Test piece, shown from 18:00")
        self.plan.is_hidden = False
        self.until(lambda: self.days()[0][1][0][0] == "6000m@1:50-1:556k test", "the workout")

    def test_a_coach_sees_it_with_a_mark(self):
        marks = "return Array.from(document.querySelectorAll('.until')).map((one) => one.textContent)"
        self.open(self.plan)
        self.assertEqual(self.js(marks), ["hidden until 18:00", "hidden until Fri 18:00"])
        self.assertEqual(self.days()[0][1][0][0], "6000m@1:50-1:556k test")
        self.open(self.plan, more="?lang=de")
        self.assertEqual(self.js(marks), ["verborgen bis 18:00", "verborgen bis Fr 18:00"])
        self.set_clock(self, plans.TODAY.isoformat() + "T18:00:00Z")
        self.open(self.plan)
        self.assertEqual(self.js(marks), ["hidden until Fri 18:00"])

    def test_the_athletes_page(self):
        for is_hidden, expected in (
                (True, "Tests next: Wednesday 2 December, Test piece, shown from 18:00"),
                (False, "Tests next: Wednesday 2 December, 6k test (6000m@1:50-1:55), hidden until 18:00")):
            self.plan.is_hidden = is_hidden
            self.scenes.plan_store = plans.PlanStore(self.plan)
            self.browser.get(self.scenes.address + "/athlete?id=anna")
            self.until(lambda: self.js("const shown = document.getElementById('planned');"
                                       "return shown && !shown.hidden"), "the plan")
            self.assertIn(expected, " ".join(plain(self.js(
                "return document.getElementById('planned').innerText")).split()))

    def test_on_every_screen(self):
        for is_hidden in (True, False):
            self.plan.is_hidden = is_hidden
            for size in SIZES:
                for more in ("?lang=en", "?lang=de&theme=light"):
                    with self.subTest(f"{is_hidden} {size} {more}"):
                        self.open(self.plan, more=more, size=size)
                        who = "athlete" if is_hidden else "coach"
                        self.whole(f"plans-hidden-{who}-{size[0]}-{more[6:8]}")
                        test_sessions.LookTests.look(self, size)


class ActionTests(PlansTest):
    def choose(self, name, content):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, name)
        path.write_bytes(content)
        self.browser.find_element("css selector", "input[type=file]").send_keys(str(path))

    def test_a_file_is_imported(self):
        self.open()
        self.press("Import a file…", "#first")
        self.assertEqual(self.dialog(), "Import a plan")
        self.press("Import", ".dialog")
        self.until(lambda: "Choose a file" in self.refusal(), "what is missing")
        table = "day,workout,note\r\n2026-12-03,2000m,Größe\r\n"
        self.choose("Spring 2027.csv", table.encode())
        self.type("Title", "Spring!")
        self.scenes.plan_store.refusal = 'line 2, column 2 (workout): "x" is not a valid workout; write it as 2000m'
        self.press("Import", ".dialog")
        self.until(lambda: "line 2, column 2" in self.refusal(), "the server's words")
        self.scenes.plan_store.refusal = None
        self.press("Import", ".dialog")
        self.until(lambda: not self.dialog() and self.text("about").startswith("Spring!"), "the plan")
        self.assertEqual(self.scenes.plan_store.posted[-1], (["spring-2027", "set"], {
            "format": "csv", "text": table, "title": "Spring!"}))

    # The server refuses once.
    expected_errors = ("400 (Bad Request)",)

    def refusal(self):
        return self.js("const found = document.querySelector('.dialog .refusal');"
                       "return found ? found.textContent : ''")

    def test_long_and_invalid_files_are_refused(self):
        self.open(plans.winter())
        self.press("Import a file…", "#doing")
        self.assertIn("Replaces the workouts of Winter, part 1", self.js(
            "return document.querySelector('.dialog .hint').textContent"))
        self.choose("plan.pdf", b"%PDF")
        self.press("Import", ".dialog")
        self.until(lambda: ".csv or .ics" in self.refusal(), "which files")
        self.choose("plan.ics", b"x" * 40_000)
        self.press("Import", ".dialog")
        self.until(lambda: "rowgate-logbook plan import" in self.refusal(), "what takes it")
        self.type("Short name", "No!")
        self.press("Import", ".dialog")
        self.until(lambda: "1 to 32" in self.refusal(), "which names")
        self.assertEqual(self.scenes.plan_store.posted, [])

    def test_the_group_is_chosen(self):
        self.open(plans.winter())
        self.press("Group…")
        self.until(lambda: self.dialog() == "Athletes of Winter, part 1", "the dialog")
        self.js("""for (const label of document.querySelectorAll('.dialog .switch')) {
          if (['ben', 'dora'].includes(label.textContent)) label.querySelector('input').click(); }""")
        self.type("Others", "eva, finn")
        self.press("Save", ".dialog")
        self.until(lambda: not self.dialog() and "6 athletes" in self.text("about"), "the group")
        self.assertEqual(self.scenes.plan_store.posted, [(["winter", "set"], {"group": {
            "name": "Squad A", "athletes": ["a-17", "anna", "cleo", "dora", "eva", "finn"]}})])

    def test_a_plan_is_removed_after_confirmation(self):
        self.open(plans.winter())
        self.press("Remove…")
        self.press("Cancel", ".dialog")
        self.assertEqual(self.scenes.plan_store.posted, [])
        self.press("Remove…")
        self.press("Remove the plan", ".dialog")
        self.until(lambda: self.status_title() == "No plan yet", "it is gone")
        self.assertEqual(self.scenes.plan_store.posted, [(["winter"], None)])

    def test_keys_change_a_plan(self):
        """Only with the Tab key, letters and Enter."""
        self.open(plans.winter(), plans.Plan("spring", "Spring"))
        self.tab_to("Later")
        self.assertEqual(self.text("span"), "21 Dec to 17 Jan 2027")
        self.tab_to("Group…")
        self.until(lambda: self.dialog() == "Athletes of Winter, part 1", "the dialog")
        self.keys(Keys.ESCAPE)
        self.assertEqual(self.focused(), "Group…")
        self.keys(Keys.ENTER)
        self.until(lambda: self.dialog() == "Athletes of Winter, part 1", "the dialog")
        self.keys("B", Keys.ENTER)
        self.until(lambda: not self.dialog(), "the group is stored")
        self.assertEqual(self.scenes.plan_store.posted[-1][1]["group"]["name"], "Squad AB")
        self.assertEqual(self.focused(), "Group…")
        self.tab_to("Import a file…")
        self.assertEqual(self.dialog(), "Import a plan")
        self.tab_to("Import")
        self.until(lambda: "Choose a file" in self.refusal(), "what is missing")
        self.tab_to("Cancel")
        self.assertEqual(self.focused(), "Import a file…")
        self.tab_to("What counts as done")
        self.assertIn("within 5 % of its length", plain(self.text("how")))
        self.tab_to("SELECT", "Sp")
        self.until(lambda: self.text("about").startswith("Spring"), "the other plan")
        self.assertEqual(self.js("return document.activeElement.tagName"), "SELECT")
        self.tab_to("Remove…")
        self.tab_to("Remove the plan")
        self.until(lambda: self.text("about").startswith("Winter") and not self.dialog(), "it is gone")
        self.assertEqual(self.scenes.plan_store.posted[-1], (["spring"], None))

    def focused(self):
        return self.js("return document.activeElement.textContent")

    def test_downloads(self):
        self.open(plans.winter())
        links = self.js("return Array.from(document.querySelectorAll('#doing a')).map((one) =>"
                        "[one.getAttribute('href'), one.getAttribute('aria-label')])")
        self.assertEqual(links, [
            ["/api/v1/plans/winter/export?format=csv", "Download the plan as CSV"],
            ["/api/v1/plans/winter/export?format=ics", "Download the plan as a calendar"]])

    def test_todays_workout_goes_onto_the_ergs(self):
        self.open(plans.winter())
        def sitting(slug, athlete, machine="ski_erg"):
            erg = Erg(slug, name=athlete).state("ready").info(machine=machine)
            erg.messages["state"]["payload"]["athlete_id"] = athlete
            return erg

        self.scenes.show([sitting("erg-1", "ben"), sitting("erg-2", "zoe"), Erg("erg-3"),
                          sitting("erg-4", "cleo", "model_d")])
        self.press("Set it on the ergs…")
        self.until(self.dialog, "the coach's dialog")
        self.assertEqual(self.js("return document.querySelector('.dialog .given').textContent"),
                         "Race · 2000m")
        self.press("Set on one monitor", ".dialog")
        self.until(lambda: self.text("message").startswith("Sent."), "what was sent")
        [(path, content)] = self.scenes.posted
        self.assertEqual(path, "/api/v1/commands")
        self.assertEqual([content["verb"], content["to"], content["fields"]], [
            "workout", [{"gw": "boathouse", "erg": "erg-1"}], {"type": "distance", "distance_m": 2000}])


class AthletePlanTests(PlansTest):
    def test_what_is_next_and_how_it_went(self):
        self.scenes.plan_store = plans.PlanStore(plans.winter())
        for slug, expected in (
                ("anna", "Planned Winter, part 1 next: Wednesday 2 December, Race (SkiErg · 2000m) "
                         "last four weeks: 3 done, 1 partly, 1 missed"), ("dora", "")):
            self.browser.get(f"{self.scenes.address}/athlete?id={slug}")
            self.until(lambda: self.js("const shown = document.getElementById('athlete');"
                                       "return shown && !shown.hidden"), "the athlete")
            if expected:
                self.until(lambda: not self.js("return document.getElementById('planned').hidden"),
                           "the plan")
            self.assertEqual(" ".join(plain(self.js(
                "return document.getElementById('planned').innerText")).split()), expected)


class PlanLookTests(PlansTest):
    look = test_sessions.LookTests.look
    accessible = test_sessions.LookTests.accessible

    def test_every_plan_on_every_screen(self):
        for name, plan in (("winter", plans.winter()), ("large", plans.large())):
            for size in SIZES:
                for more in ("?lang=en", "?lang=de&theme=light"):
                    with self.subTest(f"{name} {size} {more}"):
                        self.open(plan, more=more, size=size)
                        self.whole(f"plans-{name}-{size[0]}-{more[6:8]}")
                        self.look(size)
        self.assertNotEqual(self.js("return document.title"), "owned")
        self.assertEqual(self.js("return document.querySelectorAll('main script, main img').length"), 0)

    def test_dialogs_on_small_screens(self):
        for size in (PHONE, TABLET):
            self.open(plans.winter(), more="?lang=de", size=size)
            for button in ("Datei importieren…", "Gruppe…", "Entfernen…"):
                self.press(button)
                self.until(self.dialog, button)
                self.shot(f"plans-dialog-{button[:6]}-{size[0]}")
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                self.press("Abbrechen", ".dialog")

    def test_names_and_roles(self):
        self.open(plans.winter())
        found = self.accessible()
        for expected in [("link", "Plans"), ("heading", "Plans"), ("combobox", "Plan"),
                         ("button", "Import a file…"), ("link", "Download the plan as a calendar"),
                         ("button", "Later"), ("button", "Set it on the ergs…")]:
            self.assertIn(expected, found)

    def test_touch_targets(self):
        self.open(plans.winter(), size=PHONE)
        small = self.js("""return Array.from(document.querySelectorAll('button, a, select'))
          .filter((one) => one.offsetParent !== null)
          .map((one) => [one.textContent, one.offsetHeight, one.offsetWidth])
          .filter(([, height, width]) => height < 32 || width < 32)""")
        self.assertEqual(small, [])
