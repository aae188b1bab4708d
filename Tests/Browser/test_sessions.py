"""The list of sessions and the page of one session: content, completeness, comparison, and status texts.

The server of scenes.py answers as the interface does (book.py). The pages are used with clicks and keys.
"""

import json

import book
import scenes
from page import PHONE, TABLET, TV, UPRIGHT, PageTest
from scenes import strings_text
from test_files import contrast

ENGLISH = strings_text("en")

DESK = (1366, 900)
WAITING = ("", "One moment", "Einen Moment")
SIZES = (DESK, TV, TABLET, UPRIGHT, PHONE)

ROWS = """
return Array.from(document.querySelectorAll('.day')).map((day) => [
  day.querySelector('h2').firstChild.data, Array.from(day.querySelectorAll('.row'))
    .map((row) => row.getAttribute('aria-label').replace(/\\u202f/g, ' '))]);
"""

# Each visible text: its box, its neighbour's box, its colour and its background.
SEEN = """
const ground = (element) => {
  for (let one = element; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor;
    if (colour !== 'rgba(0, 0, 0, 0)' && colour !== 'transparent') return colour;
  }
  return getComputedStyle(document.documentElement).backgroundColor;
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  const style = getComputedStyle(element);
  if (!node.data.trim() || element.closest('.spoken, noscript, option')
    || style.visibility === 'hidden') continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const frame = element.getBoundingClientRect(), box = range.getClientRects()[0];
  if (!box || !box.width) continue;
  const isDrawn = element.closest('svg') !== null;
  const isCut = style.textOverflow === 'ellipsis';
  found.push({ text: node.data, isDrawn, left: Math.max(0, box.left),
    right: isCut ? Math.min(box.right, frame.right) : box.right,
    top: box.top + scrollY, bottom: box.bottom + scrollY, size: parseFloat(style.fontSize),
    ink: isDrawn ? style.fill : style.color, ground: ground(element) });
}
return found;
"""


def plain(text):
    return text.replace("\u202f", " ").replace("\xa0", " ")


class SessionsTest(PageTest):
    def setUp(self):
        super().setUp()
        self.scenes.book = book.SessionStore()

    def list(self, sessions, path="/sessions", size=DESK):
        """Opens the list, and waits for it or for a status text."""
        self.resize(size)
        self.scenes.book.sessions = sessions
        self.browser.get(self.scenes.address + path)
        self.until(lambda: self.rows() or self.status_title() not in WAITING, "a list")
        return self.rows()

    def open(self, session, more="", size=DESK):
        """Opens a session, and waits until its strokes are drawn or known to be missing."""
        self.resize(size)
        self.scenes.book.sessions = [session]
        self.browser.get(f"{self.scenes.address}/session?gw={session.gw}&id={session.id}{more}")
        self.until(lambda: self.js("const force = document.getElementById('force');"
                                   "return force && !force.hidden"), "a session")

    def compare(self, sessions, more="", size=DESK):
        """Opens the first session compared with the second, and waits until both are drawn."""
        self.resize(size)
        self.scenes.book.sessions = sessions
        one, other = sessions[:2]
        self.browser.get(f"{self.scenes.address}/session?gw={one.gw}&id={one.id}"
                         f"&with={other.gw}/{other.id}{more}")
        self.until(lambda: self.verdict() and self.drawn("theirs"), "both")

    def verdict(self):
        return plain(self.js("const headline = document.querySelector('.headline');"
                             "return headline ? headline.textContent : ''"))

    def drawn(self, name, chart="chart"):
        """The path of a line in a chart; empty if absent."""
        return self.js("const line = document.querySelector('#' + arguments[0] + ' path.'"
                       "+ arguments[1]); return line ? line.getAttribute('d') : ''", chart, name)

    def rows(self):
        return self.js(ROWS)

    def status_title(self):
        return self.text("empty") if self.text("page-status") else ""

    def read(self, identifier):
        return plain(self.js("return document.getElementById(arguments[0]).innerText", identifier))

    def signs_in_and_comes_back(self, path):
        self.browser.get(self.scenes.address + path)
        self.until(lambda: self.text("sign-in-link") == "Sign in", "the way in")
        self.js("document.getElementById('sign-in-link').click()")
        self.until(lambda: self.js("return location.pathname") == "/sign-in", "the sign-in")
        self.until(lambda: self.text("enter"), "its button")
        self.js("document.getElementById('token').value = 'k7m2';"
                "document.getElementById('enter').click()")
        self.until(lambda: self.js("return location.pathname + location.search") == path, path)

    def whole(self, name):
        """A screenshot of the whole page."""
        size = self.size
        height = self.js("return document.documentElement.scrollHeight")
        self.resize((size[0], max(size[1], height)))
        self.shot(name)
        self.resize(size)


class ClubTimeTests(SessionsTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, scenes, "ZONE", scenes.ZONE)
        scenes.ZONE = "Pacific/Kiritimati"

    def test_days_and_times_are_those_of_the_club(self):
        # Fourteen hours ahead of UTC, whatever the browser's own time zone is.
        days = dict(self.list(book.evening()))
        rows = [plain(row) for row in days["Monday, 23 November 2026"]]
        self.assertIn("08:22, a-17, Erg 1, Distance, 2000 m, 7:21.3, 1:50.3, verified", rows)
        for language, day in (("en", "23 November 2026, 07:22"), ("de", "23. November 2026, 07:22")):
            self.open(book.evening()[1], f"&lang={language}")
            self.assertIn(day, plain(self.js("return document.body.innerText")))


class ListTests(SessionsTest):
    def test_newest_first_by_day(self):
        days = self.list(book.evening())
        self.assertEqual([day for day, _ in days],
                         ["Sunday, 22 November 2026", "Saturday, 21 November 2026"])
        self.assertEqual([len(rows) for _, rows in days], [4, 4])
        self.assertEqual(plain(days[0][1][1]),
                         "18:22, a-17, Erg 1, Distance, 2000 m, 7:21.3, 1:50.3, verified")
        self.assertEqual(plain(days[0][1][0]),
                         "18:32, mia, Erg 8, Distance, 88 strokes so far, open")
        self.assertIn("4 sessions · 6000 m", self.read("days"))
        legend = self.read("legend")
        for words in ("verified", "syncing", "partly lost", "differs", "open",
                      "some records are still being fetched from the gateway"):
            self.assertIn(words, legend)

    def test_a_row_leads_to_its_session(self):
        session = book.piece()
        self.list([session], "/sessions?theme=light&lang=de")
        self.js("document.querySelector('.row').click()")
        self.until(lambda: self.js("return location.pathname") == "/session", "the session")
        self.until(lambda: self.text("title"), "its title")
        self.assertEqual(plain(self.text("title")), "2000 m in 7:21,3")
        self.assertEqual(self.js("return location.search"),
                         f"?gw=boathouse&id={session.id}&theme=light&lang=de")
        self.js("document.getElementById('back').click()")
        self.until(lambda: self.js("return location.pathname") == "/sessions", "the list")

    def choose(self, name, value):
        self.js("const field = document.getElementById('filter').elements[arguments[0]];"
                "field.value = arguments[1]; field.dispatchEvent(new Event('change'))", name, value)

    def test_a_choice(self):
        self.list(book.evening())
        self.choose("athlete_id", "sofia")
        self.until(lambda: sum(len(rows) for _, rows in self.rows()) == 1, "one of them")
        self.assertIn("athlete_id=sofia", self.js("return location.search"))
        self.choose("erg", "boathouse erg-1")
        self.until(lambda: self.status_title() == "No matching sessions", "none of both")
        self.assertIn(("/api/v1/pieces", "athlete_id=sofia&gw=boathouse&erg=erg-1"),
                      self.scenes.book.requests)
        self.shot("sessions-none-such")
        self.js("document.getElementById('retry').click()")
        self.until(lambda: sum(len(rows) for _, rows in self.rows()) == 8, "all of them")
        self.choose("state", "gone")
        self.until(lambda: sum(len(rows) for _, rows in self.rows()) == 1, "the lost one")
        self.browser.refresh()
        self.until(lambda: sum(len(rows) for _, rows in self.rows()) == 1, "the choice stays")

    def test_more_by_cursor(self):
        self.list(book.many(250))
        for count in (100, 200, 250):
            self.until(lambda: self.js("return document.querySelectorAll('.row').length") == count,
                       f"{count} rows")
            if count == 200:
                self.assertEqual(self.js(
                    "return Array.from(document.querySelectorAll('.row'))"
                    ".indexOf(document.activeElement)"), 100, "keys go on where the new ones begin")
            if count < 250:
                self.js("document.getElementById('more').click()")
        self.assertTrue(self.js("return document.getElementById('more').hidden"))
        # Each day appears once.
        days = [day for day, _ in self.rows()]
        self.assertEqual(len(days), len(set(days)))


class PageStatusTests(SessionsTest):
    expected_errors = ("Failed to load resource", "ERR_CONNECTION")

    def test_never_blank(self):
        for refusal, title in [
                ((401, "not_signed_in", ""), "Not signed in"),
                ((403, "not_allowed", ""), "Your token does not open this page"),
                ((503, "busy", ""), "The logbook does not answer"),
                ((404, "no_store", ""), "This logbook stores no records"),
                ((400, "bad_parameter", "the parameter gw is odd"),
                 "Something went wrong")]:
            self.scenes.book.refusal = refusal
            self.list([])
            self.until(lambda: self.status_title() == title, title)
            self.assertTrue(self.text("why"))
            self.shot(f"sessions-{refusal[1]}")
        self.assertEqual(self.text("why"), "the parameter gw is odd")
        self.scenes.book.refusal = None
        self.list([])
        self.assertEqual(self.status_title(), "No sessions yet")

    def test_who_is_refused_signs_in_and_comes_back(self):
        session = book.piece()
        self.scenes.book.refusal = (401, "not_signed_in", "")
        self.scenes.guest = {"role": "wall"}
        self.scenes.book.sessions = [session]
        for path in ("/sessions", "/sessions?gw=boathouse&erg=erg-1&state=open",
                     f"/session?gw=boathouse&id={session.id}"):
            self.signs_in_and_comes_back(path)
            self.scenes.guest = {"role": "wall"}

    def test_redirects_stay_on_this_site(self):
        for place in ("//evil.example", "https://evil.example", "/%5Cevil.example",
                      "/coach/..//evil.example", "/coach%3Fa%23b", "/coach%5C", "/assets/common/page.js",
                      "/sign-in", "javascript:alert(1)"):
            self.scenes.guest = {"role": "wall"}
            self.browser.get(self.scenes.address + "/sign-in?next=" + place)
            self.until(lambda: self.text("enter"), "the page")
            self.js("document.getElementById('token').value = 'k7m2';"
                    "document.getElementById('enter').click()")
            self.until(lambda: self.js("return location.pathname") == "/coach", place)

    def test_a_slow_logbook_is_waited_for(self):
        self.scenes.book.may_answer.clear()
        self.addCleanup(self.scenes.book.may_answer.set)
        self.scenes.book.sessions = [book.piece()]
        self.browser.get(self.scenes.address + "/sessions")
        self.until(lambda: self.status_title() == "One moment", "it is looked up")
        self.scenes.book.may_answer.set()
        self.until(self.rows, "the list")
        self.assertEqual(self.status_title(), "")

    def test_server_killed_and_back(self):
        self.list([book.piece()])
        self.scenes.kill()
        self.js("document.querySelectorAll('#filter select')[2].value = 'verified';"
                "document.querySelectorAll('#filter select')[2]"
                ".dispatchEvent(new Event('change'))")
        self.until(lambda: self.status_title() == "The logbook does not answer", "it says so")
        self.scenes.start()
        self.until(self.rows, "the list comes back by itself")
        self.assertEqual(self.status_title(), "")

    def test_no_such_session(self):
        for query in ("?gw=boathouse&id=01JD8Z3V5Q0000000000000000", "", "?gw=../..&id=%2e"):
            self.browser.get(self.scenes.address + "/session" + query)
            self.until(lambda: self.status_title() == "Session not found", query)
            self.assertTrue(self.js("return document.getElementById('session').hidden"))


class SessionTests(SessionsTest):
    def test_session_content(self):
        self.open(book.piece())
        self.assertEqual(plain(self.text("title")), "2000 m in 7:21.3")
        self.assertEqual(plain(self.text("who")),
                         "a-17 · Sunday, 22 November 2026, 18:22 · Erg 1 · Distance")
        figures = self.read("figures").split("\n")
        for value in ("1:50.3 /500 m", "261 W", "27 spm", "168 bpm max 181", "124", "197"):
            self.assertIn(value.replace(" ", ""), [one.replace(" ", "") for one in figures])
        rows = self.js("return Array.from(document.querySelectorAll('#splits tr'))"
                       ".map((row) => row.innerText.split(/\\s+/))")
        self.assertEqual(rows[1], ["1", "500", "1:51.6", "1:51.6", "252", "27", "157", "124"])
        self.assertIn("second half 2.8 s/500 m faster than the first", self.read("splits"))
        self.assertIn("2 strokes missed · strokes 107–108", self.read("gap-list"))
        files = self.js("return Array.from(document.querySelectorAll('.file'))"
                        ".map((link) => link.getAttribute('href'))")
        session = self.scenes.book.sessions[0]
        self.assertEqual(files, [f"/api/v1/sessions/boathouse/{session.id}/export?format={name}"
                                 for name in ("fit", "tcx", "concept2", "csv", "jsonl")])

    def test_the_downloads_are_a_menu(self):
        self.open(book.piece())
        self.until(lambda: self.read("figures"), "the figures")

        def shown():
            return self.js("return Array.from(document.querySelectorAll('.file'))"
                           ".filter((link) => link.offsetParent).map((link) => link.textContent)")

        self.assertEqual(shown(), [])
        summary = self.browser.find_element("css selector", ".downloads summary")
        summary.send_keys("\n")
        self.assertEqual(shown()[0], "FIT: Garmin, Strava")
        self.assertEqual(len(shown()), 5)
        for size in (TV, TABLET, UPRIGHT, PHONE):
            self.resize(size)
            self.shot(f"session-downloads-{size[0]}")
            self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
            box = self.js("const box = document.querySelector('.downloads ul').getBoundingClientRect();"
                          "return [box.left, box.right]")
            self.assertGreaterEqual(box[0], 0)
            self.assertLessEqual(box[1], size[0])
        summary.send_keys("\ue00c")
        self.assertEqual(shown(), [], "Escape closes it")
        summary.click()
        self.assertEqual(len(shown()), 5)
        self.js("document.getElementById('title').click()")
        self.assertEqual(shown(), [], "a press elsewhere closes it")

    def test_the_athlete_is_corrected_and_restored(self):
        self.scenes.book.people.add("anna", "Anna Müller").add("a-17", "Ben")
        self.open(book.piece())
        self.until(lambda: self.text("who").startswith("Ben · "), "the name")
        self.press("Change athlete…")
        self.until(lambda: self.js("return document.querySelectorAll('.dialog .athletes button').length") == 2,
                   "the athletes")
        self.shot("session-athlete")
        self.press("Anna Müller", ".dialog")
        self.until(lambda: self.text("who").startswith("Anna Müller · "), "corrected")
        self.assertIn("corrected; before: Ben", self.read("correction"))
        self.shot("session-corrected")
        self.press("undo")
        self.until(lambda: self.text("who").startswith("Ben · "), "restored")
        self.assertNotIn("corrected", self.read("correction"))

    def test_only_coaches_correct(self):
        self.scenes.guest = {"name": "zoe", "role": "athlete", "athlete_id": "a-17"}
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.open(book.piece())
        self.assertTrue(self.js("return document.getElementById('correction').hidden"))

    def press(self, text, within="#correction"):
        self.until(lambda: self.js("""
          const found = Array.from(document.querySelectorAll(arguments[0] + ' button')).filter((one) =>
            one.textContent === arguments[1] && !one.disabled)[0];
          if (found) found.click();
          return Boolean(found);""", within, text), f"{text!r} can be pressed")

    def test_a_workout_of_a_phone(self):
        one = book.evening()[0]
        self.open(one)
        self.assertNotIn("set on a phone", self.text("who"))
        one.summary["workout_set_by"] = "phone"
        self.open(one)
        self.until(lambda: plain(self.text("who")).endswith(" · set on a phone"), "who set it")

    def test_how_it_stands(self):
        by_state = {one.state: one for one in book.evening()}
        for state, words in {
                "verified": "✓ verified|all 1440 strokes are as the gateway recorded them",
                "missing": "syncing|187 of 199 strokes are here",
                "gone": "partly lost|187 of 199 strokes are here",
                "differs": "differs|differs from the monitor’s result",
                "open": "open|in progress, or end not received"}.items():
            self.open(by_state[state])
            self.whole(f"session-{state}")
            standing = self.read("standing")
            for word in words.replace("✓ ", "").split("|"):
                self.assertIn(word, standing)
        self.assertEqual(plain(self.text("title")), "884 m so far")
        self.assertEqual(self.js("return document.querySelectorAll('.file:not([hidden])').length"), 4,
                         "a piece that goes on is no result")

    def test_gaps_are_gaps(self):
        self.open(book.piece())
        for name in ("pace", "rate", "heart"):
            self.assertEqual(self.drawn(name).count("M"), 2, name)
        self.assertEqual(self.js("return document.querySelectorAll('#chart .hole').length"), 1)
        self.assertIn("2 strokes missed",
                      self.js("return document.querySelector('#chart .gap-text').textContent"))
        self.open([one for one in book.evening() if one.state == "missing"][0])
        self.assertEqual(self.js("return document.querySelector('#chart .gap-text').textContent"),
                         "12 strokes not received yet")

    def test_intervals_are_parted(self):
        self.open(book.intervals())
        self.assertEqual(plain(self.text("title")), "4 × 500 m")
        self.assertEqual(self.drawn("pace").count("M"), 4)
        self.assertEqual(self.js("return document.querySelectorAll('#chart .mark').length"), 3)
        self.assertIn("Rest", self.read("splits"))

    def test_what_is_not_known_is_not_drawn(self):
        self.open(book.plain())
        self.assertIsNone(self.js("return document.querySelector('#chart .heart')"))
        self.assertNotIn("Heart", self.read("figures"))
        self.assertEqual(self.read("changed"), "No complete force curve received")
        self.assertFalse(self.js("return document.getElementById('splits').offsetHeight"))
        empty = book.Session(9).ended()
        self.open(empty)
        self.assertEqual(self.text("no-strokes"), "No strokes received")
        self.shot("session-empty")

    def test_a_stroke_is_pointed_at(self):
        self.open(book.piece())
        box = self.js("document.getElementById('chart').scrollIntoView();"
                      "const box = document.querySelector('#chart svg').getBoundingClientRect();"
                      "return [box.left + 50 + (box.width - 62) / 2, box.top + 100]")
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
        self.until(lambda: "stroke" in self.text("picked"), "a stroke")
        self.assertRegex(plain(self.text("picked")),
                         r"^stroke (99|100) · \d+ m · 3:\d\d\.\d · Pace 1:\d\d\.\d /500 m · "
                         r"Stroke rate 2\d spm · Heart 17\d bpm$")
        self.assertTrue(self.js("return document.querySelector('#curves .one').getAttribute('d')"))
        self.shot("session-pointed")

    def test_keys_go_from_stroke_to_stroke(self):
        self.open(book.piece(), size=PHONE)
        self.js("document.getElementById('chart').focus()")
        valuetext = "return document.getElementById('chart').getAttribute('aria-valuetext')"
        for key, stroke in [("ArrowRight", 1), ("PageDown", 1), ("ArrowRight", 2), ("PageUp", 12),
                            ("ArrowLeft", 11), ("End", 199)]:
            self.command("Input.dispatchKeyEvent", type="rawKeyDown", key=key)
            self.assertIn(f"stroke {stroke},", self.js(valuetext), key)
        self.command("Input.dispatchKeyEvent", type="rawKeyDown", key="Escape")
        self.assertEqual(self.text("picked"), "point at a stroke, or use the arrow keys"
                         " · each point is the mean of 2 strokes")

    def test_over_time(self):
        self.open(book.piece())
        before = self.drawn("pace")
        self.js("document.querySelectorAll('#axes input')[1].click()")
        self.assertNotEqual(self.js("return document.querySelector('#chart svg').textContent"), "")
        self.assertIn("5:00", self.js("return document.querySelector('#chart svg').textContent"))
        self.assertEqual(before.count("M"), self.drawn("pace").count("M"))

    def test_force_and_what_changed(self):
        self.open(book.piece())
        self.assertEqual(self.drawn("all", "curves").count("M"), 99)
        self.assertTrue(self.drawn("first", "curves") and self.drawn("last", "curves"))
        self.assertEqual(self.read("changed"), "peak at 34 → 38 % of the drive, average/peak "
                         "0.55 → 0.53 · the peak came later towards the end")
        self.assertIn("0.81", self.read("drive-figures"))

    def test_all_pages_of_strokes(self):
        self.scenes.book.page = 30
        self.open(book.piece())
        self.assertEqual(self.drawn("pace").count("L"), 195)

    def test_a_marathon(self):
        marathon = book.Session(10, metres=42195.0, seconds=10462.7, target_distance_m=42195.0)
        self.open(marathon.add_strokes(count=4700, parts=20))
        self.assertEqual(plain(self.text("title")), "42 195 m in 2:54:22.7")
        self.assertLessEqual(self.drawn("all", "curves").count("M"), 160)
        self.whole("session-marathon")

    def test_on_paper(self):
        self.open(book.piece())
        self.command("Emulation.setEmulatedMedia", media="print", features=[
            {"name": "prefers-color-scheme", "value": "dark"}])
        try:
            self.whole("session-print")
            self.assertEqual(self.js("return getComputedStyle(document.documentElement)"
                                     ".backgroundColor"), "rgb(243, 245, 247)")
            for place in ("nav", "#exports", "#axes"):
                self.assertFalse(self.js("return document.querySelector(arguments[0])"
                                         ".offsetHeight", place), place)
        finally:
            self.command("Emulation.setEmulatedMedia", media="", features=[])


class TargetTests(SessionsTest):
    def session(self, *paces):
        session = book.piece()
        for split, pace in zip(session.splits, paces * len(session.splits)):
            split.update(target_pace_min_s_per_500m=pace, target_pace_max_s_per_500m=pace)
        session.summary.update(target_strokes=199, in_target_ratio=0.834)
        return session

    def test_a_target_is_shown(self):
        self.open(self.session(105.0))
        self.assertIn("Target\n1:45\n83 % of strokes on target",
                      self.read("figures").replace("1:4583", "1:45\n83"))
        self.assertNotIn("Target", self.read("splits"))

    def test_splits_have_their_share_on_target(self):
        session = self.session(105.0)
        for split, share in zip(session.splits, (0.5, 1.0)):
            split.update(target_strokes=10, in_target_ratio=share)
        self.open(session)
        self.assertIn("on target", self.read("splits"))
        self.assertIn("50 %", self.read("splits").replace("\u00a0", " ").replace("\u202f", " "))

    def test_targets_that_differ_stand_by_split(self):
        self.open(self.session(105.0, 112.5))
        self.assertIn("Target", self.read("splits"))
        self.assertIn("1:52.5", self.read("splits"))
        self.assertNotIn("Target", self.read("figures"))


class LookTests(SessionsTest):
    def look(self, size):
        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
        texts = self.js(SEEN)
        self.assertGreater(len(texts), 8)
        for text in texts:
            self.assertLessEqual(text["right"], size[0] + 1, f"cut at {size}: {text}")
            self.assertGreaterEqual(contrast(hexed(text["ink"]), hexed(text["ground"])), 4.5, text)
        for index, one in enumerate(texts):
            for other in texts[:index]:
                width = min(one["right"], other["right"]) - max(one["left"], other["left"])
                height = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
                # Letters are lower than the line height.
                if width > 1 and height > 0.5 * min(one["size"], other["size"]):
                    self.fail(f"one over another at {size}: {one} {other}")

    def test_every_list_on_every_screen(self):
        for name, sessions in (("evening", book.evening()), ("hostile", book.hostile())):
            for size in SIZES:
                for more in ("?lang=en", "?lang=de&theme=light"):
                    with self.subTest(f"{name} {size} {more}"):
                        self.list(sessions, "/sessions" + more, size)
                        self.whole(f"sessions-{name}-{size[0]}-{more[6:8]}")
                        self.look(size)

    def test_every_session_on_every_screen(self):
        sessions = {"piece": book.piece(), "intervals": book.intervals(), "plain": book.plain(),
                    "long": book.long(), "hostile": book.hostile()[1]}
        for name, session in sessions.items():
            for size in SIZES:
                for more in ("&lang=en", "&lang=de&theme=light"):
                    with self.subTest(f"{name} {size} {more}"):
                        self.open(session, more, size)
                        self.whole(f"session-{name}-{size[0]}-{more[6:8]}")
                        self.look(size)

    def test_two_sessions_on_every_screen(self):
        sessions = book.rivals()
        pairs = {"same": sessions[:2], "longer": [sessions[0], sessions[3]],
                 "hostile": book.hostile()[:2], "wide": [book.long(), book.hostile()[0]]}
        for name, pair in pairs.items():
            for size in SIZES:
                for more in ("&lang=en", "&lang=de&theme=light"):
                    with self.subTest(f"{name} {size} {more}"):
                        self.compare(pair, more, size)
                        self.whole(f"compare-{name}-{size[0]}-{more[6:8]}")
                        self.look(size)

    def test_hostile_names_are_text(self):
        for session in book.hostile():
            self.open(session)
            self.assertNotIn("owned", self.js("return document.title"))
            self.assertEqual(self.js("return document.querySelectorAll('main script, main img, "
                                     "main b').length"), 0)
        self.list(book.hostile())
        self.assertIn("<script>", json.dumps(self.rows()))
        self.assertEqual(self.js("return document.querySelectorAll('main script, main img, main b')"
                                 ".length"), 0)

    def test_names_and_roles(self):
        self.list(book.evening())
        found = self.accessible()
        for expected in [("link", "Sessions"), ("heading", "Sessions"), ("combobox", "Athlete"),
                         ("combobox", "Erg"), ("combobox", "Status")]:
            self.assertIn(expected, found)
        self.open(book.piece())
        found = self.accessible()
        for expected in [("slider", "Stroke by stroke"), ("table", "Splits"),
                         ("columnheader", "Pace"), ("DisclosureTriangle", "Download"), ("radio", "Time"),
                         ("image", "Force over the drive, of 197 strokes"), ("button", "Print")]:
            self.assertIn(expected, found)

    def accessible(self):
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        found = [(node["role"]["value"], plain(node.get("name", {}).get("value", "")))
                 for node in nodes if not node["ignored"]]
        named = ("button", "link", "slider", "combobox", "radio", "image", "table", "heading")
        self.assertEqual([role for role, name in found if role in named and not name], [])
        return found

    def test_touch_targets(self):
        self.open(book.piece(), size=PHONE)
        small = self.js("""return Array.from(document.querySelectorAll('button, a, .kinds span'))
          .filter((one) => one.offsetParent !== null)
          .map((one) => [one.textContent, one.offsetHeight, one.offsetWidth])
          .filter(([, height, width]) => height < 32 || width < 32)""")
        self.assertEqual(small, [])


class CompareTests(SessionsTest):
    """The comparison of two sessions on the page of one of them."""

    expected_errors = ("404 (Not Found)",)

    def table(self):
        return [[plain(cell) for cell in row] for row in self.js(
            "const shown = (cell) => cell.lastChild ? cell.lastChild.textContent : '';"
            "return Array.from(document.querySelectorAll('.compare tr')).map((row) =>"
            "Array.from(row.cells).filter((cell) => cell.offsetWidth).map(shown))")]

    def test_what_is_worth_it_is_offered_first(self):
        self.open(book.piece())
        self.assertTrue(self.js("return document.getElementById('compare').hidden"),
                        "nothing to compare with")
        self.scenes.book.sessions = book.rivals()
        self.browser.refresh()
        self.until(lambda: self.text("compare"), "a choice")
        groups = self.js("return Array.from(document.querySelectorAll('#compare optgroup'))"
                         ".map((group) => [group.label, Array.from(group.children)"
                         ".map((one) => one.textContent)])")
        self.assertEqual([(name, [plain(text) for text in texts]) for name, texts in groups], [
            ("Same piece", ["15 Nov 2026, 18:22 · 2000 m in 7:27.9"]),
            ("Same piece, other athletes", ["22 Nov 2026, 18:22 · 2000 m in 7:21.3 · mia"]),
            ("Other sessions", ["19 Nov 2026, 18:22 · 5000 m in 19:31.4",
                                "23 Oct 2026, 18:22 · Distance"])])
        chosen = "return document.querySelector('#compare select').selectedOptions[0].textContent"
        self.assertEqual(self.js(chosen), "with another session …")
        self.command("Emulation.setEmulatedMedia", media="print")
        try:
            self.assertFalse(self.js("return document.getElementById('compare').offsetParent"),
                             "on paper a choice is of no use")
        finally:
            self.command("Emulation.setEmulatedMedia", media="")

    def test_a_choice_is_an_address(self):
        self.scenes.book.sessions = sessions = book.rivals()
        self.open(sessions[0], "&lang=en&theme=light")
        self.scenes.book.sessions = sessions
        self.browser.refresh()
        self.until(lambda: self.text("compare"), "a choice")
        choose = ("const select = document.querySelector('#compare select'); select.value ="
                  "arguments[0]; select.dispatchEvent(new Event('change'))")
        self.js(choose, f"boathouse/{sessions[1].id}")
        self.until(self.verdict, "what differs")
        self.assertEqual(self.js("return location.search"), f"?gw=boathouse&id={sessions[0].id}"
                         f"&with=boathouse/{sessions[1].id}&theme=light&lang=en")
        verdict = self.verdict()
        self.browser.refresh()
        self.until(lambda: self.verdict() == verdict, "the same, by its address")
        # The link leads to the reverse comparison.
        self.js("document.querySelector('.key .other a').click()")
        self.until(lambda: "slower" in self.verdict(), "from the other side")
        self.assertIn(f"id={sessions[1].id}&with=boathouse/{sessions[0].id}",
                      self.js("return location.search"))
        self.js(choose, "")
        self.until(lambda: not self.drawn("theirs"), "alone again")
        self.assertEqual(self.verdict(), "")

    def test_what_differs(self):
        self.compare(book.rivals())
        self.assertEqual(self.verdict(), "6.6 s faster · 7:21.3 against 7:27.9")
        head, *rows = self.table()
        self.assertEqual(head, ["No.", "Section", "Pace", "other", "± s", "Rate", "other",
                                "± spm", "Heart", "other", "± bpm", "Lead"])
        self.assertEqual(rows[0], ["1", "500 m", "1:51.6", "1:53.2", "−1.6", "27", "27", "±0",
                                   "157", "157", "±0", "+1.6 s"])
        self.assertEqual(rows[-1][:5], ["All", "", "1:50.3", "1:51.9", "−1.6"])
        self.assertEqual(len(rows), 5)
        self.assertEqual([row[-1] for row in rows[:4]], ["+1.6 s", "+3.3 s", "+4.9 s", "+6.6 s"])
        # All lines of the other session end at its missing strokes.
        self.assertEqual(self.drawn("theirs").count("M"), 3)
        key = self.read("compare")
        for words in ("partly lost", "4 strokes missed", "15 Nov 2026, 18:22"):
            self.assertIn(words, key)
        self.whole("compare")

    def test_halves_of_a_bike_erg_session_have_paces_for_1000_m(self):
        session = book.Session().add_strokes().ended()
        session.machine, session.summary["machine_type"] = "bike", "bike_without_arms"
        self.open(session)
        self.assertIn("second half 5.5 s/1000 m faster than the first", self.read("splits"))
        self.until(lambda: "3:30.4 → 3:27.8 /1000 m" in self.read("steadiness"), "the halves")

    def test_two_on_bike_ergs_have_paces_for_1000_m(self):
        sessions = book.rivals()
        for session in sessions[:2]:
            session.summary["machine_type"] = "bike_without_arms"
        self.compare(sessions)
        head, *rows = self.table()
        self.assertEqual(plain(head[2]), "Pace /1000 m")
        self.assertEqual(rows[0][2:5], ["3:43.2", "3:46.5", "−3.3"])
        self.assertEqual(rows[-1][2:5], ["3:40.6", "3:43.9", "−3.3"])
        sessions[1].summary["machine_type"] = "model_d"
        self.compare(sessions)
        head, *rows = self.table()
        self.assertEqual(head[2], "Pace")
        self.assertEqual(rows[-1][2:5], ["1:50.3", "1:51.9", "−1.6"])

    def test_another_length_is_held_against_in_sections(self):
        longer = book.rivals()[3]
        self.compare([book.piece().lose(123, 126), longer])
        self.assertEqual(self.verdict(), "6.8 s/500 m faster · 1:50.3 /500 m against "
                         "1:57.1 /500 m · different lengths: only paces compare")
        head, *rows = self.table()
        self.assertEqual([row[1] for row in rows[:-1]], ["250 m"] * 8)
        # Four strokes are missing at 1250 m, so the times of the sections on both sides are unknown.
        for row in rows[4:6]:
            self.assertEqual(row[2:5], ["–", row[3], "–"])
        self.assertEqual(rows[4][-1], "")
        self.assertTrue(all(row[-1].startswith("+") for row in rows[:3]))
        self.assertIn("5000 m", plain(self.js("return document.querySelector('#chart svg')"
                                              ".textContent")))
        self.whole("compare-longer")

    def test_pieces_of_a_time_are_metres(self):
        self.compare([book.timed(51, 7912.0, 0), book.timed(52, 7850.0, 9)])
        self.assertTrue(self.verdict().startswith("62 m farther · 7912 m against 7850 m"))
        rows = self.table()
        self.assertEqual((rows[1][1], rows[1][-1][-2:]), ("5:00", " m"))

    def test_intervals_are_held_against_each_other(self):
        other = book.Session(61, "erg-3", "li-wei", "intervals", seconds=431.0,
                             started_ms=book.EVENING_MS - 90 * book.HOUR)
        self.compare([book.intervals(), other.add_strokes(parts=4, rest_s=60.0, seed=12)])
        self.assertTrue(self.verdict().startswith("5.8 s slower · 7:16.8 against 7:11.0"))
        self.assertEqual(len(self.table()), 6)

    def test_the_same_piece_twice_differs_in_nothing(self):
        twin = book.Session(62, started_ms=book.EVENING_MS - 50 * book.HOUR).add_strokes()
        self.compare([book.piece(), twin])
        self.assertTrue(self.verdict().startswith("the same result · 7:21.3 against 7:21.3"))

    def test_machines_and_what_has_no_result(self):
        sessions = book.rivals()
        sessions[1].machine = "bike"
        self.compare(sessions)
        self.assertIn("different machines: paces do not compare", self.verdict())
        self.compare([sessions[0], sessions[5]])
        self.assertEqual(self.verdict(), "one of the two sessions has no result yet")
        self.assertTrue(self.drawn("theirs"))

    def test_a_missing_session_is_reported(self):
        for other in ("boathouse/01JD8Z3V5Q0000000000000000", "x", "../..", "<b>"):
            self.open(book.piece(), f"&with={other}")
            self.until(lambda: "not in this logbook" in self.read("compare"), other)
            self.assertTrue(self.drawn("pace") and not self.drawn("theirs"))

    def test_a_stroke_of_both_is_pointed_at(self):
        self.compare(book.rivals(), size=PHONE)
        self.js("document.getElementById('chart').focus()")
        for key in ("End", "PageDown"):
            self.command("Input.dispatchKeyEvent", type="rawKeyDown", key=key)
        self.assertRegex(plain(self.text("picked")), r"^stroke 189 · 1899 m · .* · other: "
                         r"Pace 1:5\d\.\d /500 m, Stroke rate 2\d spm, Heart 1[78]\d bpm$")
        self.assertEqual(self.js("return Array.from(document.querySelectorAll('#chart .theirs'))"
                                 ".filter((dot) => dot.getAttribute('visibility') === 'inherit')"
                                 ".length"), 3)
        self.whole("compare-pointed-390")

    def test_over_time(self):
        self.compare(book.rivals())
        before = self.drawn("theirs")
        self.js("document.querySelectorAll('#axes input')[1].click()")
        self.assertNotEqual(self.drawn("theirs"), before)
        self.assertEqual(self.drawn("theirs").count("M"), before.count("M"))

    def test_who_signs_in_comes_back_to_both(self):
        one, other = book.rivals()[:2]
        self.scenes.guest = {"role": "wall"}
        self.scenes.book.refusal = (401, "not_signed_in", "")
        self.addCleanup(setattr, self.scenes, "guest", None)
        self.expected_errors = ("401 (Unauthorized)",)
        self.signs_in_and_comes_back(
            f"/session?gw=boathouse&id={one.id}&with=boathouse/{other.id}")


class SeriesTests(SessionsTest):
    """Calculations without drawing."""

    def setUp(self):
        super().setUp()
        self.browser.get(self.scenes.address + "/assets/common/icon.svg")

    def test_scales_are_round(self):
        for values, steps, most, expected in [
                ([108.2, 113.4], [1, 2, 5], 5, [108, 114, [108, 110, 112, 114]]),
                ([24], [1, 2, 5], 3, [23, 25, [23, 24, 25]]),
                ([0, 0], [5], 3, [0, 5, [0, 5]])]:
            found = self.module(
                "common/series.js", "((s) => [s.from, s.to, s.ticks])(m.scale(...given))",
                values, steps, most)
            self.assertEqual(found, expected)

    def test_a_spoiled_record_is_left_out(self):
        strokes = [{}, {"stroke": 2, "elapsed_s": 5.0, "distance_m": 20.0},
                   {"stroke": 1, "elapsed_s": 2.5, "distance_m": 10.0}, {"stroke": "3"}]
        found = self.module(
            "common/series.js", "import('/assets/common/strings.js').then((w) => m.series(given[0], "
            "{gaps: [], splits: [], summary: {}}, 'distance_m', w.allStrings(" + ENGLISH + "), true))"
            ".then((s) => [s.strokes.map((one) => one.stroke), s.end, s.gapSpans.length])", strokes)
        self.assertEqual(found, [[1, 2], 20.0, 0])

    def test_a_split_ends_where_it_says(self):
        strokes = [{"stroke": number, "elapsed_s": number * 2.5, "distance_m": number * 11.0,
                    "interval": 1 + (number > 9)} for number in range(1, 13)]
        for reported, expected in ((100.0, 100.0), (140.0, 104.5)):
            found = self.module(
                "common/series.js", "import('/assets/common/strings.js').then((w) => m.series(given[0], {gaps: [],"
                "splits: [{split: 1, distance_m: given[1]}], summary: {}}, 'distance_m',"
                "w.allStrings(" + ENGLISH + "), true)).then((s) => s.marks.map((one) => one.at))", strokes, reported)
            self.assertEqual(found, [expected])


def hexed(colour):
    parts = colour[colour.index("(") + 1:-1].split(",")[:3]
    return "#" + "".join(f"{int(float(part)):02x}" for part in parts)
