"""The club that packaging/demo shows: from its first page to the wall, the history, the plan and the race.

CLUB_WELCOME is the address of the first page. With --shots, it also saves the pictures of README.
"""

import os
import re
import unittest

from page import PageTest

WELCOME = os.environ.get("CLUB_WELCOME", "")
NAMES = ["Amara Okafor", "Mateo Silva", "Lena Fischer", "Jonas Weber", "Noor Haddad", "Tom Becker",
         "Ingrid Larsen", "Kenji Mori"]
# The erg that loses its link, from 0.
FAULTY = 4
# The fault occurs every four minutes. A busy machine is slow.
PATIENCE = 400
DESK = (1280, 720)
ROWING = re.compile(r"\d:\d\d\.\d")


@unittest.skipUnless(WELCOME, "no club was started for it")
class ClubTests(PageTest):
    # The page asks who is signed in before the link signs in.
    expected_errors = ("401 (Unauthorized)",)

    @classmethod
    def setUpClass(cls):
        """Uses the demo instead of scenes."""

    @classmethod
    def tearDownClass(cls):
        pass

    def open(self, link, path):
        """Follows a link of the first page, as a new visitor."""
        self.resize(DESK)
        self.browser.get(WELCOME)
        self.js("document.getElementById(arguments[0]).click()", link)
        self.until(lambda: re.search(path, self.browser.current_url), f"the page {link}", PATIENCE)

    def texts(self, selector):
        return self.js("return Array.from(document.querySelectorAll(arguments[0]), (one) => one.textContent)",
                       selector)

    def open_wall(self):
        self.open("wall", r":\d+/$")
        self.until(lambda: len(self.tiles()) == 8, "eight ergs", PATIENCE)

    def test_the_wall_names_eight_athletes_who_row(self):
        self.open_wall()
        self.assertEqual([tile["name"] for tile in self.tiles()], NAMES)
        self.until(lambda: sum(bool(ROWING.fullmatch(tile["big"])) and not tile["stale"]
                               for tile in self.tiles()) >= 7, "they row", PATIENCE)
        self.until(lambda: all(tile["curve"] for tile in self.tiles()[:4]), "force curves", PATIENCE)
        self.shot("club-wall")

    def test_a_fault_clears_by_itself(self):
        self.open_wall()
        self.until(lambda: self.tiles()[FAULTY]["stale"], "the link is lost", PATIENCE)
        self.until(lambda: not self.tiles()[FAULTY]["stale"], "it is back", PATIENCE)

    def test_pieces_end_and_the_next_begins(self):
        self.open_wall()
        self.until(lambda: any(tile["state"] == "finished" for tile in self.tiles()), "a piece ends", PATIENCE)
        ended = next(index for index, tile in enumerate(self.tiles()) if tile["state"] == "finished")
        self.until(lambda: self.tiles()[ended]["state"] == "rowing", "the next one begins", PATIENCE)

    def test_the_coach_page_lists_the_athletes(self):
        self.open("coach", "/coach")
        self.until(lambda: all(name in self.js("return document.body.textContent") for name in NAMES),
                   "all athletes", PATIENCE)
        self.shot("club-coach")

    def test_the_race_has_seven_results(self):
        self.open("race", "/race")
        self.until(lambda: "7:" in self.js("return document.body.textContent"), "results", PATIENCE)
        text = self.js("return document.body.textContent")
        self.assertIn("2000", text)
        for name in NAMES:
            self.assertEqual(name in text, name != "Ingrid Larsen", name)

    def test_an_athlete_has_a_season(self):
        self.open("athlete", "/athlete")
        self.until(lambda: self.text("athlete"), "the athlete", PATIENCE)
        self.until(lambda: "Ranked" in (self.texts("#bests") or [""])[0], "bests", PATIENCE)
        self.assertEqual(self.text("title"), NAMES[0])
        sessions = int(re.search(r"(\d+) sessions", self.text("sum")).group(1))
        self.assertGreater(sessions, 30)
        self.assertRegex(self.text("bests"), r"2000\s?m\s*7:\d\d\.\d")
        self.assertIn("Winter", self.text("planned"))
        self.until(lambda: self.text("training"), "training", PATIENCE)
        self.shot("club-athlete")

    def test_the_plan_shows_who_did_what(self):
        self.open("plans", "/plans")
        self.until(lambda: self.text("plan"), "the plan", PATIENCE)
        text = self.text("plan")
        for name in ("Amara", "Jonas", "Noor"):
            self.assertIn(name, text)
        self.assertIn("3x1000m/3:00r", text.replace("\u202f", "").replace("×", "x"))

    def test_sessions_of_all_athletes_are_listed(self):
        self.open("sessions", "/sessions")
        self.until(lambda: all(name in self.text("days") for name in NAMES[:3]), "names", PATIENCE)

    def test_the_club_has_a_season_and_an_archive(self):
        self.open("coach", "/coach")
        origin = self.js("return location.origin")
        self.browser.get(origin + "/club?lang=en")
        self.until(lambda: len(self.texts(".club-athletes tbody th")) >= len(NAMES), "the season", PATIENCE)
        for name in NAMES:
            self.assertIn(name, " ".join(self.texts(".club-athletes tbody th")))
        self.browser.get(origin + "/races?lang=en")
        self.until(lambda: self.texts("#list a"), "the archive", PATIENCE)
        self.js("document.querySelector('#list a').click()")
        self.until(lambda: "/race?id=" in self.browser.current_url, "the page of the race", PATIENCE)
        self.until(lambda: len(self.texts(".result .big")) == 7, "its results", PATIENCE)
        self.browser.get(origin + "/sessions?lang=en")
        link = "document.querySelector('a[href*=\"/piece?\"]')"
        self.until(lambda: self.js(f"return {link} !== null"), "a piece", PATIENCE)
        self.js(f"{link}.click()")
        self.until(lambda: len(self.texts("tbody tr")) > 1, "the result of the group", PATIENCE)
