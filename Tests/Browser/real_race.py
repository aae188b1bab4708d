"""Four rowers race in a real room, from the coach's dialog to the table of results.

Uses the programs of packaging/demo. The simulated rowers are controlled at the control socket of pm5sim: one
makes a false start and the race is recalled, one is scratched, three race. The results are compared with the
sessions that the logbook stored.
"""

import csv
import json
import socket
import urllib.request

from page import TV
from real_coach import LINK, PATIENCE, RealRoom, child
from test_coach import DESK, CoachTest
from test_race import RaceTest

RACING = (2, 3, 4, 5)
# States in which a monitor accepts a workout.
HEARD = ("free", "armed", "rowing", "resting", "paused", "finished")
# Reaction time of each rower in seconds.
REACTIONS = {2: 0.25, 3: 0.4, 4: 0.31}


class Rowers:
    """The demo's simulated rowers, by the control socket of pm5sim."""

    def __init__(self):
        _, arguments = child("pm5sim")
        self.path = arguments[arguments.index("--control") + 1]

    def ask(self, command, **fields):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.path)
            connection.sendall(json.dumps({"cmd": command, **fields}).encode() + b"\n")
            answer = json.loads(connection.makefile().readline())
        assert answer["ok"], answer


class RealRaceTests(RealRoom, RaceTest, CoachTest):
    def setUp(self):
        CoachTest.setUp(self)
        self.address = LINK.partition("/sign-in")[0]
        self.rowers = Rowers()
        self.addCleanup(self.rowers.ask, "hold", on=False)

    def race(self):
        """The first race event of the stream."""
        with urllib.request.urlopen(self.address + "/api/v1/live", timeout=30) as stream:
            while stream.readline().strip() != b"event: race":
                pass
            line = stream.readline().decode()
        return json.loads(line.removeprefix("data:"))

    def standings(self, *wanted):
        def stand():
            return [lane["standing"] for lane in self.race()["lanes"]]
        self.until(lambda: stand() == list(wanted), wanted, patience=PATIENCE)

    def make(self):
        self.resize(DESK)
        self.browser.get(LINK)
        self.until(lambda: sum(line["state"] in HEARD for line in self.lines()[1:5]) == 4,
                   "all four are heard", patience=PATIENCE)
        self.rowers.ask("hold", on=True)
        self.click("Race…")
        self.click("None", ".dialog")
        self.js("document.querySelector('.dialog .length input').value = '100'")
        for number in RACING:
            self.js("document.querySelectorAll('.dialog .switch input')[arguments[0]].click()",
                    number - 1)
        self.shot("real-race-dialog")
        self.js("document.querySelector('.dialog .main').click()")
        self.until(lambda: self.browser.current_url.endswith("/race"), "its page")

    def test_a_race(self):
        self.make()
        self.resize(TV)
        self.standings(*["armed"] * 4)
        self.until(lambda: len(self.lanes()) == 4, "four lanes")
        self.shot("real-race-ready")
        self.move_early()
        self.tap("Scratch…")
        self.tap("Scratch Erg 5")
        self.standings("armed", "armed", "armed", "scratched")
        self.tap("Start")
        self.until(lambda: self.race()["phase"] == "rowing", "the signal")
        for number, seconds in REACTIONS.items():
            self.rowers.ask("row", pm=number, s=seconds)
        self.standings("rowing", "rowing", "rowing", "scratched")
        self.shot("real-race-rowing")
        self.until(lambda: self.race()["phase"] == "over", "all are done", patience=PATIENCE)
        self.until(lambda: len(self.results()) == 4, "the list")
        self.shot("real-race-results")
        self.hold_against_the_sessions()

    def move_early(self):
        """Starts a minute before the signal, so that even a slow machine notices."""
        race = self.race()["race_id"]
        self.js("fetch('/api/v1/races/' + arguments[0], { method: 'POST', headers: "
                "{ 'Content-Type': 'application/json' }, body: arguments[1] })", race,
                json.dumps({"do": "start", "in_s": 60}))
        self.until(lambda: self.race()["phase"] == "countdown", "the call")
        self.rowers.ask("row", pm=3, s=0)
        self.until(lambda: self.text("sub").startswith("Erg 3: false start, "),
                   "who moved is named")
        self.assertEqual(self.text("sub").count("false start"), 1)
        self.shot("real-race-false-start")
        self.tap("Recall")
        self.standings(*["armed"] * 4)

    def session(self, row):
        """The stored session of a row of the result table."""
        return self.browser.execute_async_script(
            "fetch(arguments[0]).then((answer) => answer.json()).then(arguments[1])",
            f"/api/v1/sessions/{row['gw']}/{row['session_id']}")

    def hold_against_the_sessions(self):
        link = self.js("return Array.from(document.querySelectorAll('#controls a'))"
                       ".find((one) => one.textContent === 'CSV').href")
        with urllib.request.urlopen(link, timeout=30) as answer:
            rows = list(csv.DictReader(answer.read().decode().splitlines()))
        self.assertEqual([row["place"] for row in rows], ["1", "2", "3", ""])
        self.assertEqual(rows[3]["standing"], "scratched")
        self.assertEqual({row["erg"]: row["false_starts"] for row in rows},
                         {"erg-2": "0", "erg-3": "1", "erg-4": "0", "erg-5": "0"})
        times = [float(row["result_time_s"]) for row in rows[:3]]
        self.assertEqual(times, sorted(times))
        for row in rows[:3]:
            self.assertGreaterEqual(float(row["start_s"]), 0, row)
            self.assertEqual(float(row["distance_m"]), 100)
            # The race gets a result before the store has it.
            self.until(lambda row=row: "summary" in self.session(row), "its summary is kept")
            self.assertEqual(self.session(row)["summary"]["result_time_s"],
                             float(row["result_time_s"]))
        places = [(line["place"], line["name"]) for line in self.results()]
        self.assertEqual(places[:3], [(row["place"], "Erg " + row["erg"][-1])
                                      for row in rows[:3]])


