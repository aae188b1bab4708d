"""The page of the club: the season against the one before, absent athletes, groups, weeks and records.

The server of scenes.py answers as the interface does (clubhouse.py). The page is used with clicks and keys.
"""

import clubhouse
from athletes import one_session
from page import PHONE, TV, UPRIGHT
from people import People
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from test_sessions import SessionsTest, plain

DESK = (1440, 900)


class ClubTest(SessionsTest):
    def tearDown(self):
        super().tearDown()
        self.scenes.book.athletes, self.scenes.book.people = [], People()

    def open(self, more="", size=DESK, club=None):
        self.resize(size)
        self.scenes.book.athletes, self.scenes.book.people = club or clubhouse.club()
        self.browser.get(f"{self.scenes.address}/club{more}")
        self.until(lambda: not self.js("return document.getElementById('season').hidden"), "the season")

    def texts(self, selector):
        return [plain(text) for text in self.js(
            "return Array.from(document.querySelectorAll(arguments[0]), (one) => one.textContent)", selector)]

    def names(self):
        return self.texts(".club-athletes tbody th a")

    def column(self, name):
        return self.texts(f".club-athletes td.{name}")

    def click(self, selector, text=""):
        self.js("Array.from(document.querySelectorAll(arguments[0])).find((one) =>"
                " one.textContent.indexOf(arguments[1]) >= 0).click()", selector, text)

    def choose(self, label, value):
        self.js("""
          const field = Array.from(document.querySelectorAll('label.field'))
            .find((one) => one.firstChild.textContent === arguments[0]);
          field.lastChild.value = arguments[1];
          field.lastChild.dispatchEvent(new Event('change'));""", label, value)

    def address(self):
        return self.js("return location.pathname + location.search")


class SeasonTests(ClubTest):
    def test_sums_are_compared_with_the_same_days_of_the_season_before(self):
        self.open()
        self.assertEqual(self.text("title"), "Season 2027")
        self.assertEqual(self.text("compared"),
                         "1 May 2026 to 22 Nov 2026, compared with 1 May 2025 to 22 Nov 2025")
        answer = clubhouse.Season(*clubhouse.club(), 2027, "").content()
        total, before = answer["total"], answer["total"]["previous"]
        values = self.texts("#totals .value")
        self.assertEqual(values[2], str(total["sessions"]))
        self.assertEqual(values[3], "10 of 12")
        change = round((total["sessions"] / before["sessions"] - 1) * 100)
        sign = "+" if change > 0 else "−" if change < 0 else "±"
        self.assertIn(f"{sign}{abs(change)} %{before['sessions']} before", self.texts("#totals .note"))
        self.assertEqual(self.texts("#remarks li"), [
            "3 sessions of this season have no athlete and are not counted."])

    def test_every_size_language_and_theme(self):
        for size in (PHONE, UPRIGHT, DESK, TV):
            for language, theme in (("en", "dark"), ("de", "light")):
                self.open(f"?lang={language}&theme={theme}", size)
                self.shot(f"club-{size[0]}-{language}-{theme}")
                self.assertFalse(self.js("return document.documentElement.scrollWidth > innerWidth"), size)
                for place in ("athletes", "records"):
                    self.js("document.getElementById(arguments[0]).scrollIntoView()", place)
                    self.shot(f"club-{size[0]}-{language}-{theme}-{place}")

    def test_the_printed_page_has_no_controls(self):
        self.open()
        self.command("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(self.command, "Emulation.setEmulatedMedia", media="")
        controls = self.js("return Array.from(document.querySelectorAll('main button, main select, nav'))"
                           ".filter((one) => one.offsetParent && !one.closest('th')).length")
        self.assertEqual(controls, 0)
        self.shot("club-print")

    def test_a_past_season_has_no_absent_athletes(self):
        self.open("?season=2026")
        self.assertEqual(self.text("title"), "Season 2026")
        self.assertIn("1 May 2025 to 30 Apr 2026", self.text("compared"))
        self.assertEqual(self.texts("#totals dt")[3], "Athletes with sessions")
        self.assertEqual(self.texts(".chip, .last.absent"), [])
        self.assertIn("The first session is of", self.texts("#remarks li")[0])
        self.choose("Season", "")
        self.until(lambda: self.text("title") == "Season 2027", "this season")
        self.assertEqual(self.address(), "/club")

    def test_a_group_and_a_group_that_was_removed(self):
        self.open()
        self.click(".club-groups button", "Squad")
        self.until(lambda: len(self.names()) == 3, "its members")
        self.assertEqual(self.address(), "/club?group=squad")
        self.assertEqual(self.js("return document.querySelector('#choice .file').getAttribute('href')"),
                         "/api/v1/club/export?group=squad")
        self.assertEqual(self.texts(".chosen button"), ["Squad"])
        # The browser reports the answer.
        self.expected_errors = ["404"]
        self.open("?group=gone")
        self.until(lambda: self.address() == "/club" and len(self.names()) == 12, "all athletes")

    def test_groups_sorted_with_the_keyboard(self):
        self.open()
        rows = "return Array.from(document.querySelectorAll('.club-groups tbody tr')).map((row) =>" \
            " [row.children[0].textContent, Number(row.children[3].textContent)])"
        self.assertEqual(self.texts(".club-groups thead button"),
                         ["Group", "Distance", "Time", "Sessions", "Change", "Absent"])
        groups = self.js(rows)
        self.assertGreater(len({count for _, count in groups}), 1, "the groups differ")
        self.assertEqual(groups, sorted(groups))
        self.js("document.querySelector('.club-groups th.sessions button').focus()")
        for sign, order in ((-1, "descending"), (1, "ascending")):
            ActionChains(self.browser).send_keys(Keys.ENTER).perform()
            self.assertEqual(self.js(rows), sorted(groups, key=lambda row: (sign * row[1], row[0])))
            self.assertEqual(
                self.js("return document.querySelector('.club-groups th.sessions').getAttribute('aria-sort')"), order)
        # The athletes keep their own order.
        self.assertEqual(self.js("return document.querySelector('.club-athletes [aria-sort]').className"), "distance")

    def test_an_empty_club(self):
        self.scenes.book.athletes, self.scenes.book.people = [], People()
        self.browser.get(self.scenes.address + "/club")
        self.until(lambda: self.text("empty") == "No sessions yet", "the status")
        self.assertTrue(self.js("return document.getElementById('season').hidden"))

    def test_guests_and_athletes_get_a_status(self):
        self.expected_errors = ["401", "403"]
        for status, code in ((401, "not_signed_in"), (403, "not_allowed")):
            self.scenes.book.refusal = (status, code, "no")
            self.addCleanup(setattr, self.scenes.book, "refusal", None)
            self.browser.get(self.scenes.address + "/club")
            self.until(lambda: self.text("empty") == "The club page is for coaches", "the status")
        self.scenes.book.refusal = None

    def test_a_season_that_is_computed_after_an_update(self):
        self.expected_errors = ["503"]
        self.addCleanup(setattr, self.scenes.book, "refusal", None)
        self.scenes.book.refusal = (503, "computing", "the logbook computes 9000 sessions again")
        self.browser.get(f"{self.scenes.address}/club")
        self.until(lambda: self.text("empty") == "One moment" and "After an update" in self.text("why"), "a reason")
        self.assertFalse(self.js("return document.getElementById('page-status').hidden"))
        self.scenes.book.refusal = None
        self.scenes.book.athletes, self.scenes.book.people = clubhouse.club()
        self.until(lambda: not self.js("return document.getElementById('season').hidden"), "the season, by itself")

    def test_a_season_without_one_before(self):
        self.open(club=([one_session()], People()))
        self.assertEqual(self.texts("#totals .note")[0], "none before")
        self.assertEqual(self.column("change"), ["none before"])


class AthleteTableTests(ClubTest):
    def test_absent_athletes_are_named_in_words_and_can_be_listed(self):
        self.open()
        absent = self.texts(".last.absent")
        self.assertEqual(sorted(absent), ["17 days agoabsent", "neverabsent"])
        self.click("#totals button", "Show 2 absent athletes")
        self.assertEqual(sorted(self.names()), ["Mia de Vries", clubhouse.NAMES[-1]])
        self.assertEqual(self.address(), "/club?show=absent")
        self.click(".chip", "All")
        self.assertEqual(len(self.names()), 12)

    def test_sorted_by_each_column_with_the_keyboard(self):
        self.open()
        heads = self.texts(".club-athletes thead button")
        self.assertEqual(heads, ["Name", "Last session", "Distance", "Time", "Sessions", "Change", "2000 m"])
        sessions = [int(text) for text in self.column("sessions")]
        self.js("document.querySelector('.club-athletes th.sessions button').focus()")
        ActionChains(self.browser).send_keys(Keys.ENTER).perform()
        self.assertEqual([int(text) for text in self.column("sessions")], sorted(sessions, reverse=True))
        self.assertEqual(
            self.js("return document.querySelector('.club-athletes th.sessions').getAttribute('aria-sort')"),
            "descending")
        ActionChains(self.browser).send_keys(Keys.ENTER).perform()
        self.assertEqual([int(text) for text in self.column("sessions")], sorted(sessions))
        self.assertEqual(self.address(), "/club?sort=sessions&order=reversed")
        self.open("?sort=last")
        self.assertEqual(self.column("last")[0], "today")
        self.assertEqual(self.column("last")[-2:], ["17 days agoabsent", "neverabsent"])
        self.open("?sort=name")
        self.assertEqual(self.names()[:2], ["Amara Okafor", "Hanna Vogel"])
        self.open("?sort=best")
        times = self.column("best")
        self.assertEqual(times[-1], "–", "unknown values are last")
        self.assertEqual(times[:-1], sorted(times[:-1]))

    def test_sixty_athletes_fit(self):
        self.open("?sort=name", PHONE, clubhouse.club(64))
        self.assertEqual(len(self.names()), 64)
        self.assertFalse(self.js("return document.documentElement.scrollWidth > innerWidth"))
        self.shot("club-64")

    def test_names_are_text(self):
        found, people = clubhouse.club(3)
        people.profiles["athlete-0"]["name"] = "<b>Anna</b>"
        people.groups["squad"]["name"] = "<i>Squad</i>"
        self.open(club=(found, people))
        self.assertIn("<b>Anna</b>", self.names())
        self.assertIn("<i>Squad</i>", self.texts(".club-groups button"))


class WeekTests(ClubTest):
    def test_bars_of_this_season_and_marks_of_the_one_before(self):
        self.open()
        answer = clubhouse.Season(*clubhouse.club(), 2027, "").content()
        weeks = answer["weeks"]
        self.assertEqual(len(self.texts("rect.week title")), sum(week.get("distance_m", 0) > 0 for week in weeks))
        self.assertEqual(self.js("return document.querySelectorAll('line.before').length"),
                         sum(week["previous"]["distance_m"] > 0 for week in weeks))
        self.js("document.querySelectorAll('#weeks .kinds input')[2].click()")
        most = max(week.get("sessions", 0) for week in weeks)
        self.assertIn(f"Sessions by week: {most} at most", self.js(
            "return document.querySelector('#weeks svg').getAttribute('aria-label')"))
        self.click("#weeks > button")
        rows = self.texts("#weeks tbody tr")
        self.assertEqual(len(rows), sum("sessions" in week for week in weeks))
        self.assertTrue(rows[0].startswith("16 Nov 2026"))
        self.shot("club-weeks-table")
        # The table follows the season.
        self.choose("Season", "2026")
        self.until(lambda: len(self.texts("#weeks tbody tr")) == 53, "the weeks of the season before")


class RecordTests(ClubTest):
    def rows(self):
        return self.texts(".club-records tbody tr")

    def test_records_by_category(self):
        self.open()
        self.assertEqual([row[:5] for row in self.rows()], ["500 m", "2000 ", "30 mi"])
        self.assertIn("Amara Okafor", self.rows()[1])
        self.choose("Gender", "male")
        self.assertIn("Jón Þórsson", self.rows()[1])
        self.assertIn("men · 40–49", self.rows()[1])
        self.choose("Weight class", "lightweight")
        self.assertIn("Sofia Rossi", self.rows()[1])
        self.choose("Age group", "40")
        self.assertEqual(self.rows(), [])
        self.assertIn("No ranked result in this category.", self.texts("#records .hint"))
        # The filters stay with another group.
        self.choose("Group", "masters")
        self.until(lambda: self.address() == "/club?group=masters" and self.texts("#records select"), "the group")
        self.assertEqual(self.js("return document.querySelector('.filters select').value"), "male")
