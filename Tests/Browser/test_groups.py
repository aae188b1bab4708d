"""Group pieces: the list of sessions by piece, and the result of one piece."""

import base64
import re

import book
import groups
import scenes
from page import PHONE, TV, UPRIGHT, PageTest
from selenium.webdriver.common.keys import Keys

DESK = (1440, 900)
TABLE = """
return Array.from(document.querySelectorAll('#results tbody tr')).map((row) =>
  Array.from(row.children).map((cell) => cell.innerText.replace(/[\\u202f\\u00a0\\s]+/g, ' ').trim()));
"""


class GroupsTest(PageTest):
    def setUp(self):
        super().setUp()
        self.scenes.book = book.SessionStore(groups.training_group())
        self.scenes.links.links = []
        self.scenes.guest = scenes.COACH
        for athlete, name in groups.NAMES.items():
            self.scenes.book.people.add(athlete, name)

    def open(self, more="", size=DESK, number=0):
        self.resize(size)
        first = self.scenes.book.sessions[number]
        self.browser.get(f"{self.scenes.address}/piece?gw={first.gw}&id={first.id}{more}")
        self.until(lambda: self.names() and not self.names()[0].startswith("jon"), "the result")

    def table(self):
        return self.js(TABLE)

    def names(self):
        return [re.sub(r"^\d+ ", "", row[0]) for row in self.table()]

    def press(self, column):
        self.js("document.querySelector('[data-column=\"' + arguments[0] + '\"]').click()", column)


class ResultTests(GroupsTest):
    def test_a_row_per_athlete_and_a_column_per_repeat(self):
        groups.stopped(self.scenes.book.sessions[2])
        self.open()
        rows = self.table()
        self.assertEqual(rows[0], ["1 Jón Þórsson", "1:47.9 fast", "1:47.5 fast", "1:48.0 fast", "1:48.4 fast",
                                   "1:48.7 fast", "1:49.1 fast", "1:49.5 fast", "1:46.7 fast best repeat",
                                   "1:48.2", "+0.5 %", "25", "35 %"])
        self.assertEqual(rows[-1][0], "Amara Okafor not finished")
        self.assertEqual(rows[-1][4:9], ["1:46.8 212 m", "–", "–", "–", "–"])
        self.assertEqual(self.js("return document.querySelector('#results tr:last-child td:nth-child(5)').className"),
                         "", "a part has no colour")
        self.assertEqual([row[0].split()[0] for row in rows[:-1]], list("1234567"))
        # Only repeats off target have a colour.
        looks = self.js("return Array.from(document.querySelectorAll('#results tbody tr:nth-child(3) td'))"
                        ".slice(0, 8).map((cell) => cell.className)")
        self.assertEqual(looks, ["", "", "", "", "", " easy", " easy", "best"])
        self.assertIn("8\u2009×\u2009500\u202fm, rest 1:00", self.text("title"))
        self.assertIn("target 1:50–1:55", self.text("when"))

    def test_sentences(self):
        self.open()
        self.assertEqual(self.js("return document.getElementById('sentences').innerText").replace("\u202f", " ")
                         .split("\n"), [
            "3 of 8 athletes had at least 80 % of their strokes on target.",
            "Jón Þórsson rowed the last repeat 1.2 s faster than the first.",
            "Sofia Rossi lost 5.0 s in repeat 7."])

    def test_sorts_by_each_column(self):
        self.open()
        by_result = self.names()
        self.press("name")
        self.assertEqual(self.names(), sorted(by_result))
        self.press("name")
        self.assertEqual(self.names(), sorted(by_result, reverse=True))
        self.assertEqual(self.js("return document.querySelector('[aria-sort]').getAttribute('aria-sort')"),
                         "descending")
        self.press("name")
        self.assertEqual(self.names(), by_result)
        self.press("7")
        self.press("7")
        self.assertEqual(self.names()[0], "Sofia Rossi")
        self.assertEqual(self.js("return document.activeElement.dataset.column || ''"), "")

    def test_highlights_the_line_of_a_row(self):
        self.open()
        shown = "return document.getElementById('shown-line').textContent"
        self.assertEqual(self.js(shown), "Jón Þórsson")
        self.js("document.querySelectorAll('#results tbody a')[3].focus()")
        self.assertEqual(self.js(shown), "Hanna Vogel")
        self.assertEqual(self.js("return document.querySelectorAll('.athlete-line').length"), 8)
        self.assertEqual(self.js("return document.querySelectorAll('.athlete-line.one').length"), 1)
        self.assertEqual(self.js("return document.querySelectorAll('tr.highlighted').length"), 1)

    def test_files(self):
        self.open()
        first = self.scenes.book.sessions[0]
        links = self.js("return Array.from(document.querySelectorAll('.file')).map((one) => [one.textContent,"
                        " one.getAttribute('href'), one.hasAttribute('download')])")
        root = f"/api/v1/pieces/{first.gw}/{first.id}/export?format="
        self.assertEqual(links, [["CSV: this table", root + "csv", True],
                                 ["ZIP: a FIT file of each athlete", root + "fit", True]])

    def test_prints_on_one_page(self):
        self.addCleanup(scenes.club.update, dict(scenes.club))
        scenes.club.update(name="Riverside RC", logo="common/icon-192.png")
        for count in (8, 24):
            self.scenes.book.sessions = groups.training_group(count)
            self.open("&theme=dark")
            pdf = base64.b64decode(self.command("Page.printToPDF", preferCSSPageSize=True)["data"])
            self.assertEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 1, count)
            width, height = map(float, re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", pdf).groups())
            self.assertGreater(width, height)

    def test_paper_names_club_date_and_place(self):
        text = self.on_paper(self.open)
        for part in ("Riverside RC", "2026", "boathouse", "Jón Þórsson", "1:48.2"):
            self.assertIn(part, text)
        self.assertNotIn("Sign out", text)
        self.shot("group-paper")

    def test_every_size_language_and_theme(self):
        for size in (PHONE, UPRIGHT, DESK, TV):
            for language in ("en", "de"):
                for theme in ("dark", "light"):
                    self.open(f"&lang={language}&theme={theme}", size)
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                    if language == "en" or size == DESK:
                        self.shot(f"group-{size[0]}-{language}-{theme}")

    def test_one_athlete_alone(self):
        self.scenes.book.sessions = groups.training_group(1)
        self.open()
        self.assertIn("Nobody else rowed this workout", self.text("alone"))

    def test_an_unknown_session(self):
        self.expected_errors = ("Failed to load resource",)
        self.browser.get(self.scenes.address + "/piece?gw=boathouse&id=01JD8Z3V5Q000000000000009Z")
        self.until(lambda: self.text("empty") == "Group result not found", "the status")


class SharingTests(GroupsTest):
    def links(self):
        """The text of each link, and the buttons' names."""
        return self.js("return Array.from(document.querySelectorAll('.link-list li')).map((one) => one.innerText)")

    def dialog(self):
        return self.js("const one = document.querySelector('.dialog'); return one ? one.innerText : ''")

    def press_text(self, text):
        self.js("Array.from(document.querySelectorAll('.dialog button, #exports button, #links button'))"
                ".filter((one) => one.textContent === arguments[0]).pop().click()", text)

    def share(self):
        self.until(lambda: "Share…" in self.js("return document.getElementById('exports').innerText"), "the button")
        self.press_text("Share…")
        self.press_text("Create link")
        self.until(lambda: "Link to this result" in self.dialog(), "the link")

    def test_shares_lists_and_revokes_a_link(self):
        self.open()
        self.assertEqual(self.links(), [])
        self.until(lambda: "Share…" in self.js("return document.getElementById('exports').innerText"), "the button")
        self.press_text("Share…")
        self.assertIn("sees this result with the names of all athletes, without signing in", self.dialog())
        self.assertIn("30 days", self.dialog())
        self.shot("group-share")
        self.press_text("Create link")
        self.until(lambda: "Link to this result" in self.dialog(), "the link")
        self.assertEqual(self.js("return document.querySelector('.dialog input').value"),
                         "http://boathouse:8080/shared/0000-9xqd-4t8w-hz3c-6vnp")
        self.shot("group-link")
        self.press_text("Done")
        self.until(self.links, "the list")
        self.assertRegex(self.links()[0], r"^Created \d+ \w+, \d\d:\d\d by anna\s+works until \d+ \w+, \d\d:\d\d\s+"
                         "Revoke link…$")
        self.press_text("Revoke link…")
        self.assertIn("Nobody can open this link any more.", self.dialog())
        self.press_text("Revoke link")
        self.until(lambda: not self.links(), "no link")
        self.assertTrue(self.js("return document.getElementById('links').hidden"))
        self.assertEqual(self.scenes.links.links, [])

    def test_a_link_that_another_coach_revoked_disappears(self):
        first = self.scenes.book.sessions[0]
        self.scenes.links.add(first.gw, first.id)
        self.expected_errors = ("404 (Not Found)",)
        self.open()
        self.until(self.links, "the list")
        self.scenes.links.links = []
        self.press_text("Revoke link…")
        self.press_text("Revoke link")
        self.until(lambda: not self.links() and not self.dialog(), "no link")

    def test_a_refusal_is_shown(self):
        self.addCleanup(setattr, self.scenes, "refusal", None)
        self.expected_errors = ("409 (Conflict)",)
        self.open()
        self.until(lambda: "Share…" in self.js("return document.getElementById('exports').innerText"), "the button")
        self.press_text("Share…")
        self.scenes.refusal = (409, "too_many_links", "there are 20 links already; revoke some first")
        self.press_text("Create link")
        self.until(lambda: "there are 20 links to this result already" in self.dialog(), "the refusal")

    def test_only_coaches_share(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.scenes.guest = {"role": "athlete", "name": "jon", "athlete_id": "jon"}
        self.open()
        self.until(lambda: self.text("me"), "the user's name")
        self.assertNotIn("Share…", self.js("return document.body.innerText"))
        self.assertTrue(self.js("return document.getElementById('links').hidden"))

    def test_keys_sort_highlight_share_and_revoke(self):
        """Only with the Tab key, Enter and Escape."""
        self.open()
        self.until(lambda: "Share…" in self.js("return document.getElementById('exports').innerText"), "the button")
        by_result = self.names()
        self.tab_to("Athlete")
        self.assertEqual(self.names(), sorted(by_result))
        self.keys(Keys.ENTER)
        self.assertEqual(self.names(), sorted(by_result, reverse=True))
        self.assertEqual(self.js("return document.activeElement.dataset.column"), "name")
        self.keys(Keys.ENTER)
        self.assertEqual(self.names(), by_result)
        self.tab_to("Hanna Vogel", Keys.SHIFT)
        self.assertEqual(self.text("shown-line"), "Hanna Vogel")
        self.assertEqual(self.js("return document.querySelectorAll('.athlete-line.one').length"), 1)

        self.browser.refresh()
        self.until(lambda: "Share…" in self.js("return document.getElementById('exports').innerText"), "the button")
        self.tab_to("Share…", Keys.ENTER)
        self.keys(Keys.ESCAPE)
        self.assertEqual(self.js("return document.activeElement.textContent"), "Share…")
        self.keys(Keys.ENTER)
        self.tab_to("Create link")
        self.until(lambda: "Link to this result" in self.dialog(), "the link")
        self.assertEqual(self.js("return document.activeElement.textContent"), "Copy link")
        self.keys(Keys.ENTER)
        self.until(lambda: "Copied" in self.dialog(), "it is copied")
        self.tab_to("Done")
        self.assertEqual(self.dialog(), "")
        self.until(self.links, "the list")
        self.assertEqual(self.js("return document.activeElement.textContent"), "Share…")
        self.tab_to("Revoke link…")
        self.tab_to("Revoke link")
        self.until(lambda: not self.links() and not self.dialog(), "no link")
        self.assertEqual(self.js("return document.activeElement.textContent"), "Share…")

    def test_every_size_and_theme(self):
        first = self.scenes.book.sessions[0]
        self.scenes.links.add(first.gw, first.id, by="Maximiliane Freifrau von Hohenstein-Weißenburg", days_ago=9)
        self.scenes.links.add(first.gw, first.id)
        for size in (PHONE, UPRIGHT, DESK, TV):
            for more in ("&lang=de&theme=dark", "&theme=light"):
                self.open(more, size)
                self.until(lambda: len(self.links()) == 2, "the links")
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                self.js("scrollTo(0, 99999)")
                self.shot(f"group-links-{size[0]}-{more[-4:]}")


class AdditionTests(GroupsTest):
    """Results that coaches added."""

    def setUp(self):
        super().setUp()
        # On another day and with another workout, on another day with the same, and one that is in progress.
        other = book.piece(number=1, athlete="hanna", started_ms=book.EVENING_MS - 2 * 86_400_000)
        again = groups.training_group(4)[3]
        again.started_ms -= 86_400_000
        again.id = other.id[:-2] + "88"
        rowing = book.piece(number=2, athlete="hanna", started_ms=book.EVENING_MS - 86_400_000).goes_on(40)
        self.scenes.book.sessions += [other, again, rowing]
        self.again = again

    def stored(self, **given):
        first = self.scenes.book.sessions[0]
        return self.scenes.book.additions.post(f"/api/v1/pieces/{first.gw}/{first.id}/additions", given)[1]

    def fill(self):
        self.stored(athlete_id="hanna", made_up={"gw": self.again.gw, "session_id": self.again.id})
        self.stored(athlete_id="hanna", made_up={"gw": "boathouse", "session_id": self.scenes.book.sessions[8].id})
        self.stored(athlete_id="mia", by_hand={"time_s": 911.4, "day": "2026-11-22"}, note="Erg 3 lost its belt")

    def added(self):
        return self.js(TABLE.replace("#results", "#additions"))

    def dialog(self):
        return self.js("const one = document.querySelector('.dialog'); return one ? one.innerText : ''")

    def press_text(self, text):
        self.js("Array.from(document.querySelectorAll('.dialog button, #exports button, #additions button'))"
                ".filter((one) => one.textContent === arguments[0])[0].click()", text)

    def until_coach(self):
        self.until(lambda: "Add result…" in self.js("return document.getElementById('exports').innerText"),
                   "the button")

    def choose(self, name):
        self.until_coach()
        self.press_text("Add result…")
        self.until(lambda: name in self.dialog(), "the athletes")
        self.press_text(name)
        self.until(lambda: f"Result of {name}" in self.dialog(), "the second dialog")

    def test_a_table_below_the_result_marks_each_kind(self):
        self.fill()
        self.open()
        self.until(lambda: len(self.added()) == 3, "the results")
        rows = self.added()
        self.assertEqual(rows[0], ["Hanna Vogel made up on 21 Nov", "15:11.2", "4000 m", "1:53.9", "", "Remove…"])
        self.assertEqual(rows[1][0], "Hanna Vogel made up on 20 Nov · 2000 m")
        self.assertEqual(rows[2], ["Mia de Vries by hand, 22 Nov", "15:11.4", "4000 m", "1:53.9",
                                   "Erg 3 lost its belt", "Remove…"])
        self.assertEqual(len(self.table()), 8)
        self.assertEqual(self.js("return document.querySelectorAll('.athlete-line').length"), 8)
        links = self.js("return Array.from(document.querySelectorAll('#additions a')).map((one) => one.search)")
        self.assertEqual(links, [f"?gw=boathouse&id={self.again.id}",
                                 f"?gw=boathouse&id={self.scenes.book.sessions[8].id}"])

    def test_adds_a_result_by_hand(self):
        self.open()
        self.choose("Mia de Vries")
        self.assertIn("8\u2009×\u2009500\u202fm, rest 1:00: 4000\u202fm of work, without rests.", self.dialog())
        for wrong in ("", "911", "15:61", "15:11.44"):
            self.js("document.querySelector('.by-hand input').value = arguments[0]", wrong)
            self.press_text("Add")
            self.until(lambda: "Enter the time as minutes and seconds, such as 7:11.3" in self.dialog(), "the refusal")
        self.js("document.querySelector('.by-hand input').value = '15:11,4'")
        self.js("Array.from(document.querySelectorAll('.dialog input')).pop().value = 'Erg 3 lost its belt'")
        self.shot("group-add-by-hand")
        self.press_text("Add")
        self.until(lambda: self.added() and not self.dialog(), "the result")
        self.assertEqual(self.added()[0][:5], ["Mia de Vries by hand, 22 Nov", "15:11.4", "4000 m", "1:53.9",
                                               "Erg 3 lost its belt"])
        self.assertEqual(self.scenes.book.additions.requests, [
            {"athlete_id": "mia", "note": "Erg 3 lost its belt", "by_hand": {"day": "2026-11-22", "time_s": 911.4}}])

    def test_adds_a_session_of_the_athlete(self):
        self.open()
        self.choose("Hanna Vogel")
        options = self.js("return Array.from(document.querySelectorAll('.dialog option')).map((one) =>"
                          " one.textContent)")
        self.assertEqual(len(options), 3, "by hand, and the finished sessions outside of the piece")
        self.assertEqual(options[0], "Written by hand")
        self.assertRegex(options[1], r"^21 Nov, \d\d:\d\d · .* · 1:5\d\.\d$")
        self.js("const one = document.querySelector('.dialog select'); one.value = '0';"
                "one.dispatchEvent(new Event('change'))")
        self.assertFalse(self.js("return document.querySelector('.by-hand').offsetParent !== null"))
        self.shot("group-add-session")
        self.press_text("Add")
        self.until(lambda: self.added() and not self.dialog(), "the result")
        self.assertEqual(self.scenes.book.additions.requests[0]["made_up"],
                         {"gw": "boathouse", "session_id": self.again.id})
        self.assertEqual(self.added()[0][0], "Hanna Vogel made up on 21 Nov")

    def test_removes_a_result_after_a_question(self):
        self.fill()
        self.open()
        self.until(lambda: len(self.added()) == 3 and "Remove…" in self.added()[0], "the buttons")
        self.press_text("Remove…")
        self.assertIn("Remove the result of Hanna Vogel", self.dialog())
        self.assertIn("The session stays in the logbook.", self.dialog())
        self.press_text("Cancel")
        self.assertEqual(len(self.added()), 3)
        self.press_text("Remove…")
        self.press_text("Remove")
        self.until(lambda: len(self.added()) == 2 and not self.dialog(), "two results")
        self.assertEqual(self.js("return document.activeElement.textContent"), "Remove…")

    def test_a_refusal_is_shown(self):
        self.addCleanup(setattr, self.scenes, "refusal", None)
        self.expected_errors = ("409 (Conflict)",)
        self.open()
        self.choose("Mia de Vries")
        self.scenes.refusal = (409, "too_many_additions", "there are 100 added results already; remove some first")
        self.js("document.querySelector('.by-hand input').value = '15:11.4'")
        self.press_text("Add")
        self.until(lambda: "there are too many added results: remove one first" in self.dialog(), "the refusal")

    def test_only_coaches_add_and_remove(self):
        self.fill()
        self.scenes.guest = {"role": "athlete", "name": "jon", "athlete_id": "jon"}
        self.open()
        self.until(lambda: self.text("me") and len(self.added()) == 3, "the results")
        self.assertNotIn("Add result…", self.js("return document.body.innerText"))
        self.assertNotIn("Remove…", self.js("return document.body.innerText"))

    def test_keys_add_and_remove(self):
        """Only with the Tab key, Enter and typed text."""
        self.open()
        self.until_coach()
        self.tab_to("Add result…", Keys.ENTER)
        self.until(lambda: "Mia de Vries" in self.dialog(), "the athletes")
        self.keys("mia", Keys.ENTER)
        self.until(lambda: "Result of Mia de Vries" in self.dialog(), "the second dialog")
        self.keys(Keys.TAB, "15:11.4", Keys.ENTER)
        self.until(lambda: self.added() and not self.dialog(), "the result")
        self.assertEqual(self.js("return document.activeElement.textContent"), "Add result…")
        self.tab_to("Remove…")
        self.until(lambda: "Remove the result of Mia de Vries" in self.dialog(), "the question")
        self.tab_to("Remove")
        self.until(lambda: not self.added() and not self.dialog(), "no result")
        self.assertEqual(self.js("return document.activeElement.textContent"), "Add result…")

    def test_a_shared_result_has_names_and_no_notes(self):
        self.fill()
        first = self.scenes.book.sessions[0]
        self.scenes.links.add(first.gw, first.id)
        self.scenes.guest = None
        for size in (PHONE, UPRIGHT, DESK, TV):
            for more in ("?lang=de&theme=dark", "?lang=en&theme=light"):
                self.resize(size)
                self.browser.get(f"{self.scenes.address}/shared/0000-9xqd-4t8w-hz3c-6vnp{more}")
                self.until(self.added, "the results")
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                self.js("document.getElementById('additions').scrollIntoView()")
                self.shot(f"shared-additions-{size[0]}-{more[6:8]}")
        self.assertEqual(self.added()[2], ["Mia de Vries by hand, 22 Nov", "15:11.4", "4000 m", "1:53.9"])
        self.assertEqual(self.js("return document.querySelectorAll('#additions a, #additions button').length"), 0)

    def test_every_size_language_and_theme(self):
        self.fill()
        for size in (PHONE, UPRIGHT, DESK, TV):
            for more in ("&lang=de&theme=dark", "&lang=en&theme=light"):
                self.open(more, size)
                self.until(lambda: len(self.added()) == 3 and len(self.added()[0]) == 6, "the results")
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                self.js("document.getElementById('additions').scrollIntoView()")
                self.shot(f"group-additions-{size[0]}-{more[6:8]}")


class SharedTests(GroupsTest):
    """The page of a link, for a guest without a sign-in."""

    def setUp(self):
        super().setUp()
        first = self.scenes.book.sessions[0]
        self.scenes.links.add(first.gw, first.id)
        self.scenes.guest = None
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)

    def open(self, more="", size=DESK, number=0):
        self.resize(size)
        self.browser.get(f"{self.scenes.address}/shared/0000-9xqd-4t8w-hz3c-6vnp{more}")
        self.until(self.names, "the result")

    def test_shows_the_result_and_nothing_else(self):
        streams = self.scenes.connections
        self.open()
        self.assertEqual(len(self.table()), 8)
        self.assertEqual(self.table()[0][0], "1 Jón Þórsson")
        self.assertIn("8\u2009×\u2009500\u202fm, rest 1:00", self.text("title"))
        self.assertRegex(self.text("until"), r"^Shared by a coach\. This link works until \d+ \w+ \d{4}\.$")
        self.assertIn("3 of 8 athletes", self.text("sentences"))
        links = self.js("return Array.from(document.querySelectorAll('a, form')).filter((one) =>"
                        " one.offsetParent).map((one) => one.getAttribute('href'))")
        self.assertEqual(links, ["/api/v1/shared/0000-9xqd-4t8w-hz3c-6vnp/export"])
        requests = self.js("return performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname)"
                           ".filter((path) => path.indexOf('/api/') === 0)")
        self.assertEqual(requests, ["/api/v1/shared/0000-9xqd-4t8w-hz3c-6vnp"])
        self.assertEqual(self.scenes.connections, streams, "no event stream")

    def test_sorts_and_highlights_with_keys(self):
        self.open()
        by_result = self.names()
        self.tab_to("Athlete")
        self.assertEqual(self.names(), sorted(by_result))
        self.tab_to("Hanna Vogel")
        self.assertEqual(self.text("shown-line"), "Hanna Vogel")

    def test_a_link_that_is_revoked_while_its_page_is_open(self):
        self.expected_errors = ("404 (Not Found)",)
        self.scenes.book.sessions[7].state = "open"
        self.open()
        self.scenes.links.links = []
        self.js("document.dispatchEvent(new Event('visibilitychange'))")
        self.until(lambda: self.text("empty") == "Link not valid", "the status")
        self.assertIn("Ask the coach for a new one.", self.text("why"))
        self.assertTrue(self.js("return document.getElementById('group').hidden"))
        self.assertEqual(self.js("return Array.from(document.querySelectorAll('a')).filter((one) =>"
                                 " one.offsetParent).length"), 0)

    def test_prints_on_one_page(self):
        self.open("?theme=dark")
        pdf = base64.b64decode(self.command("Page.printToPDF", preferCSSPageSize=True)["data"])
        self.assertEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 1)

    def test_a_long_name_on_a_phone_is_shortened_and_on_the_line_of_its_place(self):
        self.addCleanup(groups.NAMES.update, {"li-wei": "Li Wei"})
        groups.NAMES["li-wei"] = "Maximiliane Freifrau von und zu Hohenstein-Weißenburg"
        self.open(size=PHONE)
        boxes = self.js("return Array.from(document.querySelectorAll('#results tbody tr:nth-child(2) th > *')).map("
                        "(one) => one.getBoundingClientRect()).map((box) => [box.left, box.right, box.bottom])")
        self.assertLess(boxes[1][1], 0.55 * PHONE[0])
        self.assertGreater(boxes[1][1] - boxes[1][0], 100)
        self.assertAlmostEqual(boxes[0][2], boxes[1][2], delta=1)

    def test_every_size_language_and_theme(self):
        for size in (PHONE, UPRIGHT, DESK, TV):
            for more in ("?lang=de&theme=dark", "?lang=en&theme=light"):
                self.open(more, size)
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                self.shot(f"shared-{size[0]}-{more[6:8]}")


class ListTests(GroupsTest):
    # The sessions of `groups.py` have no training.
    expected_errors = ("/training - Failed to load resource",)

    def setUp(self):
        super().setUp()
        self.scenes.book.people.add("li-wei", "Li Wei", "Juniors")
        self.scenes.book.sessions += [book.piece(number=1, athlete="hanna", started_ms=book.EVENING_MS),
                                      book.plain()]
        self.scenes.guest = {"role": "coach", "name": "anna"}

    def list(self, path="/sessions", size=DESK):
        self.resize(size)
        self.browser.get(self.scenes.address + path)
        self.until(lambda: self.heads() or self.rows(), "the list")

    def heads(self):
        return self.js("return Array.from(document.querySelectorAll('.group-head')).map((head) =>"
                       " head.innerText.replace(/\\s+/g, ' '))")

    def rows(self):
        return self.js("return document.querySelectorAll('.row').length")

    def test_sessions_of_a_piece_are_together(self):
        self.list()
        self.assertEqual(self.heads(), ["18:02 8 × 500 m, rest 1:00 8 athletes Group result"])
        self.assertEqual(self.rows(), 10)
        self.js("document.querySelector('.group-head').click()")
        self.until(lambda: self.js("return location.pathname") == "/piece", "the result")
        self.until(lambda: len(self.table()) == 8, "its rows")
        self.js("document.getElementById('back').click()")
        self.until(lambda: self.js("return location.pathname") == "/sessions", "the list")

    def test_a_session_leads_to_its_group_result(self):
        first = self.scenes.book.sessions[0]
        third = self.scenes.book.sessions[2]
        for size in (DESK, PHONE):
            self.resize(size)
            self.browser.get(f"{self.scenes.address}/session?gw={third.gw}&id={third.id}&lang=de")
            self.until(lambda: self.text("group-result"), "the link")
            self.assertEqual(self.text("group-result"), "Gruppenergebnis · 8 Athleten\u00a0→")
            self.shot(f"session-of-group-{size[0]}")
            self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
        self.tab_to("Gruppenergebnis · 8 Athleten\u00a0→")
        self.until(lambda: self.js("return location.pathname") == "/piece", "the result")
        self.assertEqual(self.js("return location.search"), f"?gw={first.gw}&id={first.id}&lang=de")
        alone = self.scenes.book.sessions[-1]
        self.browser.get(f"{self.scenes.address}/session?gw={alone.gw}&id={alone.id}")
        self.until(lambda: self.text("title"), "the session")
        self.until(lambda: self.js("return performance.getEntriesByType('resource').some((one) =>"
                                   " one.name.indexOf('/api/v1/pieces') > 0)"), "the request")
        self.assertEqual(self.text("group-result"), "")

    def test_filters_by_group_workout_and_day(self):
        self.list()
        self.until(lambda: not self.js("return document.querySelector('[name=group]').parentNode.hidden"), "groups")
        for name, value, count in (("group", "juniors", 1), ("group", "", 10), ("workout", "8x500m/1:00r", 8),
                                   ("from", "2026-11-22", 8), ("workout", "", 9), ("to", "2026-11-21", 0)):
            self.js("const field = document.querySelector('[name=' + arguments[0] + ']');"
                    "field.value = arguments[1]; field.dispatchEvent(new Event('change'))", name, value)
            self.until(lambda: self.rows() == count and (count or self.text("empty") == "No matching sessions"),
                       f"{count} rows for {name}={value}")
            if value == "juniors":
                self.assertIn("1 of 8 sessions", self.heads()[0])
        self.assertIn("from=2026-11-22", self.js("return location.search"))

    def test_every_size_and_theme(self):
        for size in (PHONE, UPRIGHT, DESK, TV):
            for theme in ("dark", "light"):
                self.list(f"/sessions?theme={theme}", size)
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                self.shot(f"sessions-grouped-{size[0]}-{theme}")
