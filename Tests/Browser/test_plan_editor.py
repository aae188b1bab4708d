"""The plan editor: adding, changing, moving and removing workouts, weeks, templates, groups, saving, and two coaches.

The server of scenes.py answers as the interface does (plans.py). The page is used with clicks and keys.
"""

import re

import plans
import scenes
import test_sessions
from page import PHONE, TABLET, TV, UPRIGHT, Keys
from people import People
from selenium.webdriver import ActionChains
from test_plans import PlansTest

GRID = """
return Array.from(document.querySelectorAll('.plan-day')).map((day) => [day.dataset.day,
  Array.from(day.querySelectorAll('.workout')).map((one) => Array.from(one.children).filter(
    (part) => !part.classList.contains('spoken')).map((part) => part.textContent))])
  .filter(([, found]) => found.length);
"""
DESK = (1440, 900)


def plain(text):
    """Replaces narrow, thin and no-break spaces by ordinary ones."""
    return re.sub("[\u2009\u202f\u00a0]", " ", text)


class EditorTest(PlansTest):
    # Browsers do not ask before the next test leaves an unsaved plan.
    expected_errors = ("beforeunload",)

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, self.scenes, "plan_store", plans.PlanStore())

    def edit(self, *found, more="?id=winter&week=2026-11-30", size=DESK):
        self.resize(size)
        self.scenes.plan_store = plans.PlanStore(*found)
        self.browser.get(self.scenes.address + "/plan-editor" + more)
        self.until(lambda: self.js("return !document.getElementById('editor').hidden"), "the editor")

    def grid(self):
        return {day: [[plain(text) for text in texts] for texts in found] for day, found in self.js(GRID)}

    def fill(self, label, value):
        """Types into a field of the dialog."""
        self.js("""const place = Array.from(document.querySelectorAll('.dialog .field')).find(
          (one) => one.firstChild.textContent.startsWith(arguments[0]));
          const input = place.querySelector('input, textarea, select'); input.value = arguments[1];
          input.dispatchEvent(new Event('input')); input.dispatchEvent(new Event('change'));""", label, value)

    def plus(self, day):
        self.js("document.querySelector(`[data-day='${arguments[0]}'] .more`).click()", day)
        self.until(self.dialog, "the dialog")

    def week(self, action, number=0):
        self.press(action, f"#weeks > :nth-child({number + 1})")

    def fault(self, label):
        return self.js("""return Array.from(document.querySelectorAll('.dialog .field')).find(
          (one) => one.firstChild.textContent.startsWith(arguments[0])).querySelector('.refusal').textContent""", label)

    def preview(self):
        return plain(self.js("return document.querySelector('.dialog .preview').textContent"))

    def save(self):
        self.press("Save", "#doing")
        self.until(lambda: self.text("state") == "Saved.", "it is stored")

    def focused(self):
        return self.js("const one = document.activeElement;"
                       "return [one.textContent, one.closest('[data-day]') && one.closest('[data-day]').dataset.day]")

    def closes_with_a_question(self):
        return self.js("const event = new Event('beforeunload', { cancelable: true });"
                       "window.dispatchEvent(event); return event.defaultPrevented")

    @property
    def stored(self):
        return self.scenes.plan_store.plans["winter"]


class WorkoutTests(EditorTest):
    def test_a_workout_is_added(self):
        self.edit(plans.winter())
        self.assertEqual(self.grid()["2026-12-02"], [["Race", "SkiErg · 2000 m"], ["30 min"]])
        self.assertFalse(self.closes_with_a_question())
        self.plus("2026-12-03")
        self.assertEqual(self.dialog(), "Add a workout on Thursday 3 December")
        self.assertIn("4x500m/1:00r", self.preview())
        self.fill("Workout", "4 × 1000m / 5:00r")
        self.fill("Target", "1:45–1:50")
        self.assertEqual(self.preview(), "4 × 1000 m, rest 5:00, target 1:45 to 1:50")
        self.fill("Name", "Race pace")
        self.fill("Machine", "rower")
        self.fill("Note", "even\nsplits")
        self.press("Add", ".dialog")
        self.until(lambda: not self.dialog(), "it is added")
        text = "RowErg · 4 × 1000 m, rest 5:00, target 1:45 to 1:50"
        self.assertEqual(self.grid()["2026-12-03"], [["Race pace", text, "even splits"]])
        self.until(lambda: self.focused()[1] == "2026-12-03", "the workout has the focus")
        self.assertEqual(self.text("state"), "one unsaved change")
        self.assertTrue(self.closes_with_a_question())
        self.save()
        self.assertFalse(self.closes_with_a_question())
        names, content = self.scenes.plan_store.posted[-1]
        added = content["put"][0]
        self.assertRegex(added.pop("id"), "^20261203-[0-9a-z]+$")
        self.assertEqual((names, content), (["winter", "set"], {"changed_ms": 1, "put": [{
            "day": "2026-12-03", "workout": "4x1000m/5:00r@1:45-1:50", "machine": "rower", "name": "Race pace",
            "note": "even\nsplits"}]}))

    # The server refuses once.
    expected_errors = ("400 (Bad Request)", "beforeunload")

    def test_mistakes_are_shown_at_the_field(self):
        for language, wrong, target, apply in (
                ("en", "Not a workout", "smaller number first", "Add"),
                ("de", "Kein Training", "kleinere Zahl zuerst", "Hinzufügen")):
            self.edit(plans.winter(), more=f"?id=winter&week=2026-11-30&lang={language}")
            self.plus("2026-12-03")
            first = "Workout" if language == "en" else "Training"
            second = "Target" if language == "en" else "Zielbereich"
            for workout, band, field, text in (("", "", first, wrong), ("200", "", first, wrong),
                                               ("2000m", "200-180w", second, target)):
                self.fill(first, workout)
                self.fill(second, band)
                self.press(apply, ".dialog")
                self.until(lambda: text in self.fault(field), text)
                self.assertEqual(self.js("return document.activeElement.getAttribute('aria-invalid')"), "true")
            self.fill(second, "")
            self.fill(first, "5m")
            self.press(apply, ".dialog")
            self.until(lambda: "50000" in self.fault(first), "the limit of the monitor")
            self.fill(first, "500m")
            self.assertEqual(self.fault(first), "")
            day = "Day" if language == "en" else "Tag"
            self.fill(day, "")
            self.press(apply, ".dialog")
            self.until(lambda: self.fault(day), "the missing day")

    def test_a_workout_is_changed_moved_and_deleted(self):
        self.edit(plans.winter())
        self.js("document.querySelector('[data-day=\"2026-12-04\"] .workout').click()")
        self.assertEqual(self.dialog(), "Change workout")
        self.fill("Workout", "90:00")
        self.fill("Day", "2026-12-05")
        self.press("Apply", ".dialog")
        self.until(lambda: "2026-12-05" in self.grid(), "it is on the other day")
        self.assertEqual(self.grid()["2026-12-05"], [["90 min"]])
        self.assertNotIn("2026-12-04", self.grid())
        self.js("document.querySelector('[data-day=\"2026-12-01\"] .workout').click()")
        self.press("Delete", ".dialog")
        self.assertNotIn("2026-12-01", self.grid())
        self.assertEqual(self.text("state"), "Deleted · 2 unsaved changes")
        self.press("Undo", "#doing")
        self.assertIn("2026-12-01", self.grid())
        self.press("Undo", "#doing")
        self.assertEqual(self.grid()["2026-12-04"], [["8 × 500 m, rest 3:30"]])
        self.assertEqual(self.js("return [document.querySelector('#doing .main').disabled,"
                                 "document.querySelector('#doing button').disabled]"), [True, True])

    def test_keys_move_the_focus_and_the_workout(self):
        self.edit(plans.winter())
        self.js("document.querySelector('[data-day=\"2026-12-01\"] .workout').focus()")
        self.keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.focused()[1], "2026-12-02")
        self.keys(Keys.ARROW_LEFT)
        ActionChains(self.browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN).key_up(Keys.SHIFT).perform()
        self.until(lambda: self.focused()[1] == "2026-12-08", "the focus follows")
        self.assertEqual(self.grid()["2026-12-08"], [["Easy", "Just row"]])
        self.assertIn("Moved to Tuesday 8 December", self.text("state"))
        self.keys(Keys.ENTER)
        self.until(lambda: self.dialog() == "Change workout", "the dialog by key")
        self.keys(Keys.ESCAPE)
        self.assertEqual(self.focused()[1], "2026-12-08")

    def test_a_day_has_at_most_eight_workouts(self):
        full = plans.Plan(workouts=[(0, "2000m", "", "")] * 8)
        self.edit(full)
        self.plus("2026-12-02")
        self.fill("Workout", "500m")
        self.press("Add", ".dialog")
        self.until(lambda: "A day can have 8 workouts" in self.js(
            "return document.querySelector('.dialog form > .refusal').textContent"), "the limit")


class HiddenTests(EditorTest):
    def setUp(self):
        super().setUp()
        self.set_clock(self, plans.TODAY.isoformat() + "T17:00:00Z")

    def shown(self):
        return self.js("return ['Visible from', 'Sichtbar ab'].some((label) => Array.from("
                       "document.querySelectorAll('.dialog .field')).some((one) =>"
                       "one.firstChild.textContent === label && one.offsetParent !== null))")

    def hint(self):
        return plain(self.js("return Array.from(document.querySelectorAll('.dialog .asked > .hint')).filter((one) =>"
                             "one.offsetParent !== null).map((one) => one.textContent).join()"))

    def test_a_workout_is_hidden_until_a_time(self):
        self.edit(plans.winter())
        self.plus("2026-12-04")
        self.assertFalse(self.shown())
        self.fill("Workout", "2000m")
        self.fill("Name", "Test")
        self.fill("Visible to athletes", "0")
        self.assertTrue(self.shown())
        self.press("Add", ".dialog")
        self.until(lambda: self.fault("Visible from") == "Enter a time.", "the missing time")
        self.fill("Visible from", "18:00")
        self.assertEqual(self.hint(), "Until then, athletes see only “Test piece, shown from Fri 18:00”. "
                         "A monitor shows the workout as soon as a coach sets it.")
        self.fill("Visible to athletes", "2")
        self.assertIn("“Test piece, shown from 18:00”", self.hint())
        self.press("Add", ".dialog")
        self.until(lambda: not self.dialog(), "it is added")
        self.assertIn(["Test", "2000 m", "hidden until 18:00"], self.grid()["2026-12-04"])
        self.save()
        [added] = self.scenes.plan_store.posted[-1][1]["put"]
        self.assertEqual(added["shown_from"], "18:00 -2d")

    def test_the_time_is_changed_and_removed(self):
        self.edit(plans.tests(), more="?id=tests&week=2026-11-30")
        self.assertEqual(self.grid()["2026-12-05"], [["2k test", "2000 m", "hidden until Fri 18:00"]])
        opened = "document.querySelector('[data-day=\"2026-12-05\"] .workout').click()"
        self.js(opened)
        self.assertEqual(self.js("return Array.from(document.querySelectorAll('.dialog select, .dialog [type=time]'))"
                                 ".map((one) => one.value)"), ["", "1", "18:00"])
        self.fill("Visible to athletes", "")
        self.assertFalse(self.shown())
        self.assertEqual(self.hint(), "")
        self.press("Apply", ".dialog")
        self.until(lambda: not self.dialog(), "the change")
        self.assertEqual(self.grid()["2026-12-05"], [["2k test", "2000 m"]])
        self.press("Undo", "#doing")
        self.js(opened)
        self.fill("Day", "2026-12-12")
        self.press("Apply", ".dialog")
        self.until(lambda: not self.dialog(), "the change")
        self.assertEqual(self.grid()["2026-12-12"], [["2k test", "2000 m", "hidden until 11 Dec 18:00"]])

    def test_copies_are_hidden_until_their_own_day(self):
        self.edit(plans.tests(), more="?id=tests&week=2026-11-30")
        self.week("Copy…")
        self.press("Copy", ".dialog")
        self.until(lambda: not self.dialog(), "the copy")
        grid = self.grid()
        self.assertIn("hidden until 18:00", [one[-1] for one in grid["2026-12-02"]])
        self.assertIn("hidden until 9 Dec 18:00", [one[-1] for one in grid["2026-12-09"]])
        self.assertEqual(grid["2026-12-12"][0][-1], "hidden until 11 Dec 18:00")
        # Also in a week that is taken from another plan.
        self.edit(plans.winter(), plans.tests())
        self.week("Insert…", 2)
        self.fill("From", "/tests")
        self.until(lambda: self.js("return document.querySelectorAll('.template-week li').length") == 3, "its week")
        self.press("Insert", ".dialog")
        self.until(lambda: not self.dialog(), "the week")
        self.assertEqual(self.grid()["2026-12-19"], [["2k test", "2000 m", "hidden until 18 Dec 18:00"]])

    def test_dialogs_on_small_and_large_screens(self):
        for size in (TV, TABLET, UPRIGHT, PHONE):
            for more in ("lang=en", "lang=de&theme=light"):
                self.edit(plans.tests(), more="?id=tests&week=2026-11-30&" + more, size=size)
                self.whole(f"plan-editor-tests-{size[0]}-{more[5:7]}")
                self.js("document.querySelector('[data-day=\"2026-12-05\"] .workout').click()")
                self.js("document.querySelector('.dialog [type=time]').scrollIntoView()")
                self.shot(f"plan-editor-hidden-{size[0]}-{more[5:7]}")
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                self.assertTrue(self.shown())
                self.keys(Keys.ESCAPE)


class WeekTests(EditorTest):
    def test_a_week_is_copied_and_cleared(self):
        self.edit(plans.winter())
        self.week("Copy…")
        self.assertEqual(plain(self.dialog()), "Copy the week 30 Nov–6 Dec 2026")
        self.fill("Number of weeks", "30")
        self.press("Copy", ".dialog")
        self.until(lambda: "1 to 26" in self.fault("Number"), "how many")
        self.fill("Number of weeks", "2")
        self.press("Copy", ".dialog")
        self.until(lambda: not self.dialog(), "the copies")
        grid = self.grid()
        for day in ("07", "14"):
            self.assertEqual(grid[f"2026-12-{day}"], [["4 × 500 m, rest 1:00", "even from the first"]])
        self.assertEqual(len(grid["2026-12-09"]), 2)
        self.assertEqual(self.text("state"), "10 unsaved changes")
        self.week("Clear", 1)
        self.assertNotIn("2026-12-07", self.grid())
        self.save()
        self.assertEqual(len(self.stored.workouts), 13)
        self.assertTrue(all(set(content) <= {"changed_ms", "put"} for _, content in self.scenes.plan_store.posted))

    def test_weeks_can_replace_others(self):
        self.edit(plans.winter())
        self.week("Insert…")
        self.assertEqual(self.js("return document.querySelectorAll('.template-week li').length"), 5)
        self.fill("Week", "Test")
        self.js("document.querySelector('.dialog .check input').click()")
        self.assertIn("planned there now: 5 workouts", self.js(
            "return document.querySelector('.dialog .asked > .hint').textContent"))
        self.press("Insert", ".dialog")
        self.until(lambda: not self.dialog(), "the week")
        self.assertEqual([self.grid()[f"2026-12-0{day}"][0][0] for day in (1, 2, 4, 5)],
                         ["Race pace", "Easy", "Test", "Easy"])
        self.save()
        self.assertEqual(sorted(self.scenes.plan_store.posted[-1][1]), ["changed_ms", "put", "remove"])

    def test_weeks_of_other_plans(self):
        summer = plans.Plan("summer", "Summer", workouts=[(-100, "6000m", "Long", ""), (-97, "500m", "", "")])
        self.edit(plans.winter(), summer)
        self.week("Insert…", 2)
        self.fill("From", "/summer")
        self.until(lambda: self.js("return document.querySelectorAll('.template-week li').length") == 2, "its week")
        self.press("Insert", ".dialog")
        self.until(lambda: not self.dialog(), "the week")
        self.assertEqual(self.grid()["2026-12-14"], [["Long", "6000 m"]])
        self.assertEqual(self.grid()["2026-12-17"], [["500 m"]])

    def test_a_year_is_stored_in_several_requests(self):
        self.edit(plans.Plan(workouts=[(day, "2000m", "N" * 60, "n" * 200) for day in range(-2, 5)]))
        self.week("Copy…")
        self.fill("Number of weeks", "26")
        self.press("Copy", ".dialog")
        self.until(lambda: not self.dialog(), "the copies")
        self.save()
        self.assertEqual(len(self.stored.workouts), 27 * 7)
        self.assertGreater(len(self.scenes.plan_store.posted), 1)

    def test_weeks_are_reached(self):
        self.edit(plans.winter())
        self.press("Later")
        self.assertEqual(plain(self.text("span")), "28 Dec–24 Jan 2027")
        self.edit(plans.winter(), size=PHONE)
        self.assertEqual(self.js("return document.querySelectorAll('.plan-day').length"), 7)
        self.press("Later")
        self.assertEqual(plain(self.text("span")), "7 Dec–13 Dec 2026")


class SavingTests(EditorTest):
    # The server refuses outdated plans.
    expected_errors = ("409 (Conflict)", "404 (Not Found)", "beforeunload")

    def change_elsewhere(self, number, **changes):
        """Another coach changes a workout."""
        self.stored.workouts[number] = {**self.stored.workouts[number], **changes}
        self.stored.changed_ms += 1

    def add(self, day, workout):
        self.plus(day)
        self.fill("Workout", workout)
        self.press("Add", ".dialog")
        self.until(lambda: not self.dialog(), "it is added")

    def test_a_new_plan(self):
        self.edit(plans.winter(), more="?week=2026-11-30")
        self.assertEqual(self.text("title"), "New plan")
        self.add("2026-12-03", "2000m")
        self.press("Save", "#doing")
        self.assertEqual(self.text("state"), "Enter a title.")
        self.js("const input = document.querySelector('#about input'); input.value = 'Winter';"
                "input.dispatchEvent(new Event('input'))")
        self.save()
        names, content = self.scenes.plan_store.posted[-1]
        self.assertEqual((names, content["changed_ms"], content["title"]), (["winter-2", "set"], 0, "Winter"))
        self.assertIn("id=winter-2", self.browser.current_url)
        self.assertEqual(self.text("title"), "Edit plan")

    def test_changes_of_two_coaches_are_kept(self):
        self.edit(plans.winter())
        self.add("2026-12-03", "2000m")
        self.change_elsewhere(6, workout="9x500m/3:30r")
        self.press("Save", "#doing")
        self.until(lambda: "With the changes of another coach" in self.text("state"), "the merged plan")
        self.assertEqual(self.grid()["2026-12-04"], [["9 × 500 m, rest 3:30"]])
        self.assertEqual(self.grid()["2026-12-03"], [["2000 m"]])
        self.assertEqual(len(self.stored.workouts), 9)

    def test_a_conflict_is_shown(self):
        self.edit(plans.winter())
        self.js("document.querySelector('[data-day=\"2026-12-04\"] .workout').click()")
        self.fill("Workout", "6000m")
        self.press("Apply", ".dialog")
        self.until(lambda: not self.dialog(), "the own change")
        self.change_elsewhere(6, workout="9x500m/3:30r")
        self.press("Save", "#doing")
        self.until(lambda: self.text("conflicts"), "the conflict")
        self.assertIn("Not saved", self.text("state"))
        self.assertIn("Yours: Friday 4 December, 6000m. Theirs: Friday 4 December, 9x500m/3:30r.",
                      plain(self.text("conflicts")))
        self.assertEqual(self.grid()["2026-12-04"], [["6000 m"]])
        self.shot("plan-editor-conflict")
        self.press("Use theirs", "#conflicts")
        self.assertEqual(self.grid()["2026-12-04"], [["9 × 500 m, rest 3:30"]])
        self.assertEqual(self.text("conflicts"), "")
        # The own version is kept without a choice.
        self.js("document.querySelector('[data-day=\"2026-12-04\"] .workout').click()")
        self.fill("Workout", "5000m")
        self.press("Apply", ".dialog")
        self.change_elsewhere(6, workout="7x500m/3:30r")
        self.until(lambda: not self.dialog(), "the own change")
        self.press("Save", "#doing")
        self.until(lambda: self.text("conflicts"), "the conflict")
        self.save()
        self.assertEqual(self.stored.workouts[6]["workout"], "5000m")

    def test_a_removed_plan_is_stored_again(self):
        self.edit(plans.winter())
        self.add("2026-12-03", "2000m")
        self.scenes.plan_store.plans.clear()
        self.press("Save", "#doing")
        self.until(lambda: "has removed this plan" in self.text("state"), "why")
        self.save()
        self.assertEqual(len(self.stored.workouts), 9)

    def test_the_group_is_chosen(self):
        self.addCleanup(setattr, self.scenes.book, "people", self.scenes.book.people)
        self.scenes.book.people = People().add("anna", "Anna Müller", "Juniors").add("eva", "Eva Roth", "Juniors")
        self.edit(plans.winter())
        self.press("Group…")
        self.until(lambda: self.dialog() == "Athletes of Winter, part 1", "the dialog")
        self.fill("Take the athletes of a group", "juniors")
        self.press("Apply", ".dialog")
        self.until(lambda: "Juniors · 2 athletes" in plain(self.js(
            "return document.querySelector('#about p').textContent")), "the group")
        self.save()
        self.assertEqual(self.scenes.plan_store.posted[-1][1], {
            "changed_ms": 1, "group": {"name": "Juniors", "athletes": ["anna", "eva"]}})

    def test_only_coaches_edit(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.scenes.guest = {"name": "anna", "role": "athlete", "athlete_id": "anna"}
        self.scenes.plan_store = plans.PlanStore(plans.winter())
        self.browser.get(self.scenes.address + "/plan-editor?id=winter")
        self.until(lambda: self.status_title() not in ("", "One moment"), "why not")
        self.assertEqual(self.status_title(), "Your token does not open this page")
        self.assertTrue(self.js("return document.getElementById('editor').hidden"))
        self.browser.get(self.scenes.address + "/plans?id=winter")
        self.until(lambda: self.text("about"), "the plan")
        self.assertEqual(self.js("return Array.from(document.querySelectorAll('.edit')).filter((one) =>"
                                 "one.offsetParent).length"), 0)

    def test_the_page_of_plans_leads_to_the_editor(self):
        self.open(plans.winter())
        links = self.js("return Array.from(document.querySelectorAll('.edit')).map((one) => one.getAttribute('href'))")
        self.assertEqual(links, ["/plan-editor?id=winter&week=2026-11-23", "/plan-editor"])


class EditorLookTests(EditorTest):
    look = test_sessions.LookTests.look
    accessible = test_sessions.LookTests.accessible

    def test_every_screen(self):
        for name, plan in (("winter", plans.winter()), ("large", plans.large())):
            for size in (TV, TABLET, UPRIGHT, PHONE):
                for more in ("lang=en", "lang=de&theme=light"):
                    with self.subTest(f"{name} {size} {more}"):
                        self.edit(plan, more=f"?id={plan.id}&week=2026-11-30&{more}", size=size)
                        self.whole(f"plan-editor-{name}-{size[0]}-{more[5:7]}")
                        # The bar covers what scrolls below it.
                        self.js("document.getElementById('bar').style.position = 'static'")
                        self.look(size)

    def test_dialogs(self):
        for size in (PHONE, TABLET):
            for language, add, insert, copy in (("en", "Add", "Insert…", "Copy…"),
                                                ("de", "Hinzufügen", "Einfügen…", "Kopieren…")):
                more = f"?id=winter&week=2026-11-30&lang={language}" + ("&theme=light" if language == "de" else "")
                self.edit(plans.winter(), more=more, size=size)
                self.plus("2026-12-03")
                self.until(lambda: add in self.js("return Array.from(document.querySelectorAll('.dialog button'))"
                                                  ".map((one) => one.textContent)"), add)
                self.press(add, ".dialog")
                self.shot(f"plan-editor-add-{size[0]}-{language}")
                self.keys(Keys.ESCAPE)
                for button in (insert, copy):
                    self.week(button)
                    self.shot(f"plan-editor-{button[:4]}-{size[0]}-{language}")
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                    self.keys(Keys.ESCAPE)

    def test_names(self):
        self.edit(plans.winter())
        found = self.accessible()
        for expected in [("heading", "Edit plan"), ("textbox", "Title"), ("button", "Copy… Week 30 Nov–6 Dec 2026"),
                         ("button", "Add a workout on Thursday 3 December"), ("button", "Save"),
                         ("link", "Back to the plan")]:
            self.assertIn(expected, [(role, plain(name)) for role, name in found])

    def test_touch_targets(self):
        self.edit(plans.winter(), size=PHONE)
        small = self.js("""return Array.from(document.querySelectorAll('main button, main a, main input'))
          .filter((one) => one.offsetParent !== null)
          .map((one) => [one.textContent, one.offsetHeight, one.offsetWidth])
          .filter(([, height, width]) => height < 40 || width < 40)""")
        self.assertEqual(small, [])
