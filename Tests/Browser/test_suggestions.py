"""Suggested workouts on the athlete's page: reasons, answers, and results.

The server of scenes.py answers as the interface does (suggested.py). The page is used with clicks and keys.
"""

import athletes
import suggested
import test_sessions
from page import PHONE
from test_athletes import AthletesTest
from test_sessions import DESK, SIZES

BUTTONS = "return Array.from(document.querySelectorAll('#suggestion button.main, " \
          "#suggestion .buttons button')).filter((one, index, all) => all.indexOf(one) === index)"


class SuggestionsTest(AthletesTest):
    def suggest(self, made=(), over=(), more="", size=DESK):
        athlete = athletes.one_session()
        athlete.suggested = suggested.Suggested(made, over)
        self.open(athlete, more, size)
        if made or over:
            self.until(lambda: not self.js("return document.getElementById('suggestion').hidden"),
                       "a suggestion")
        return athlete.suggested

    def click(self, words):
        found = self.js(BUTTONS + ".concat(Array.from(document.querySelectorAll('.dialog button')))"
                        ".filter((one) => one.textContent === arguments[0])", words)
        self.assertEqual(len(found), 1, words)
        found[0].click()

    def last_post(self):
        return self.scenes.posted[-1]

    def focused(self):
        return self.js("return document.activeElement.textContent")


class AnswerTests(SuggestionsTest):
    # The result of a past suggestion.
    expected_errors = ("409 (Conflict)",)

    def test_it_stands_first_with_its_reasons(self):
        self.suggest([suggested.more_power(), suggested.ranked_test()])
        first = self.js("const all = Array.from(document.querySelectorAll('#athlete .panel'));"
                        "return all.filter((one) => !one.hidden)[0].id")
        self.assertEqual(first, "suggestion")
        text = self.read("suggestion")
        for words in ("Suggested next workout", "The same workout with a little more power",
                      "4 × 500 m, 1:00 rest", "195–211 W", "high confidence",
                      "completed 5 times in 42 days · computed",
                      "median 200 W (spread 0.7 %)",
                      "86.5 % of strokes", "2000 m", "1:48.5–1:51.5 /500 m",
                      "the last ranked result is 204 days old, at 1:51.2 /500 m · measured",
                      "other results predict 1:50.0 /500 m · estimated", "medium confidence"):
            self.assertIn(words, text)
        links = self.js("return Array.from(document.querySelectorAll('#suggestion .when'))"
                        ".map((one) => one.getAttribute('href'))")
        # The last six sessions of each reason.
        self.assertEqual(len(links), 5 + 3 + 1 + 1 + 2 + 6)
        for link in links:
            self.assertRegex(link, r"^/session\?gw=boathouse&id=[0-9A-Z]{26}$")
        self.js("document.querySelector('#suggestion .tag').click()")
        self.assertIn("its median result plus 1.5 %", self.read("suggestion"))

    def test_yes(self):
        self.suggest([suggested.more_power()])
        self.click("Accept")
        self.until(lambda: "queued" in self.read("suggestion"), "accepted")
        path, content = self.last_post()
        self.assertEqual(path, "/api/v1/athletes/li-wei/suggestions/"
                         + suggested.more_power()["id"])
        self.assertEqual(content, {"say": "accept"})
        self.assertEqual(self.focused(), "Suggested next workout")
        self.assertEqual(self.text_of_status(), "Queued as next workout")
        self.assertNotIn("Accept", self.read("suggestion"))

    def text_of_status(self):
        return self.js("return document.querySelector('[role=status].spoken').textContent")

    def test_not_now(self):
        self.suggest([suggested.more_power()])
        self.click("Not now…")
        self.until(lambda: self.js("return document.querySelectorAll('.dialog button').length") == 4,
                   "four days")
        self.js("document.querySelectorAll('.dialog button')[1].click()")
        self.until(lambda: "postponed until" in self.read("suggestion"), "put off")
        _, content = self.last_post()
        ahead = content["until_ms"] - self.js("return Date.now()")
        self.assertTrue(2.9 * athletes.DAY < ahead <= 3 * athletes.DAY, ahead)
        self.assertIsNone(self.js("return document.querySelector('.dialog')"))
        self.assertEqual(self.focused(), "Suggested next workout")
        self.click("Accept")
        self.until(lambda: "queued" in self.read("suggestion"), "accepted after all")

    def test_no_says_why(self):
        self.suggest([suggested.more_power()])
        self.click("Decline…")
        self.until(lambda: self.js("return document.querySelector('.dialog input')"), "why")
        self.click("Decline")
        self.assertIsNotNone(self.js("return document.querySelector('.dialog')"))
        self.js("document.querySelector('.dialog input').value = ' no time '")
        self.click("Decline")
        self.until(lambda: "No suggestion at the moment" in self.read("suggestion"), "gone")
        self.assertEqual(self.last_post()[1], {"say": "dismiss", "why": "no time"})
        self.js("document.querySelector('#suggestion summary').click()")
        self.assertIn("declined: no time", self.read("suggestion"))

    def test_a_refusal_is_read(self):
        made = self.suggest([suggested.more_power()])
        made.refusal = (409, "suggestion_over", "it is over; look again")
        self.click("Accept")
        self.until(lambda: "it is over; look again" in self.read("suggestion"), "the refusal")
        self.assertIn("Accept", self.read("suggestion"))
        self.click("Decline…")
        self.until(lambda: self.js("return document.querySelector('.dialog input')"), "why")
        self.js("document.querySelector('.dialog input').value = 'x'")
        self.click("Decline")
        self.until(lambda: self.js("return document.querySelector('.dialog .refusal').textContent")
                   == "it is over; look again", "the refusal in the dialog")

    def test_what_became_of_them(self):
        self.suggest(over=suggested.past())
        self.js("document.querySelector('#suggestion summary').click()")
        text = self.read("suggestion")
        for words in ("No suggestion at the moment", "rowed 4.6 % below the target",
                      "rowed on target", "declined: <b>ill</b> or hurt", "withdrawn"):
            self.assertIn(words, text)
        self.assertEqual(self.js("return document.querySelectorAll('#suggestion b').length"), 0)

    def test_nothing_is_no_panel(self):
        self.suggest()
        self.assertTrue(self.js("return document.getElementById('suggestion').hidden"))


class SuggestionLookTests(SuggestionsTest):
    look = test_sessions.LookTests.look
    accessible = test_sessions.LookTests.accessible

    def test_every_rule_on_every_screen(self):
        for size in SIZES:
            for more in ("&lang=en", "&lang=de&theme=light"):
                with self.subTest(f"{size} {more}"):
                    self.suggest(suggested.every_rule(), suggested.past(), more, size)
                    self.js("document.querySelector('#suggestion .tag').click();"
                            "document.querySelector('#suggestion summary').click()")
                    self.whole(f"suggestions-{size[0]}-{more[6:8]}")
                    self.look(size)
                    self.assertNotIn("undefined", self.read("suggestion"))
                    self.assertNotIn("{}", self.read("suggestion"))

    def test_names_and_roles(self):
        self.suggest([suggested.more_power()])
        found = self.accessible()
        name = "The same workout with a little more power"
        for expected in [("heading", "Suggested next workout"), ("heading", name),
                         ("button", "Accept: " + name), ("button", "Not now: " + name),
                         ("button", "Decline: " + name), ("link", "session 1")]:
            self.assertIn(expected, found)

    def test_touch_targets(self):
        self.suggest(suggested.every_rule(), suggested.past(), size=PHONE)
        small = self.js("""return Array.from(document.querySelectorAll('#suggestion button, #suggestion a,'
          + '#suggestion summary')).filter((one) => one.offsetParent !== null)
          .map((one) => [one.textContent, one.offsetHeight, one.offsetWidth])
          .filter(([, height, width]) => height < 32 || width < 32)""")
        self.assertEqual(small, [])
