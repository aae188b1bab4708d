"""A regatta of two heats and a final in a real room; the logbook is killed after the first heat.

Uses the programs of packaging/demo, and rowers that wait for the test, as real_race does.
"""

import atexit
import csv
import datetime
import os
import signal
import subprocess
import urllib.request

from real_coach import LINK, PATIENCE, RealRoom, child
from real_race import HEARD, Rowers
from test_coach import DESK, CoachTest
from test_races import RacesTest

ERGS = (5, 6, 7, 8)
ENTRIES = "name,club,seed\nAna,RC,6:50\nBea,RC,6:55\nCleo,BC,7:00\nDora,BC,7:05\nEve,,\n"


class Logbook:
    """The demo's rowgate-logbook. The one started here ends with the tests: the modules after this one need it."""

    def __init__(self, address):
        self.pid, self.command = child("rowgate-logbook")
        # The demo chose any port; pages know this one.
        self.command[self.command.index("--listen") + 1] = address.removeprefix("http://")

    def kill_and_start(self):
        os.kill(self.pid, signal.SIGKILL)
        self.process = None
        atexit.register(self.end)

    def is_running(self):
        """Starts it, and again if it has ended, as systemd does: the killed one may hold its store or its port for a
        moment, and a program that asks it may get the same port."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return True

    def end(self):
        self.process.terminate()
        self.process.wait()


class RealRegattaTests(RealRoom, RacesTest, CoachTest):
    # Also while the logbook is away.
    expected_errors = RealRoom.expected_errors + ("ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "404 (Not Found)",
                                                  "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING")

    def setUp(self):
        CoachTest.setUp(self)
        self.address = LINK.partition("/sign-in")[0]
        self.rowers = Rowers()
        self.addCleanup(self.rowers.ask, "hold", on=False)

    def send(self, path, content):
        return self.browser.execute_async_script("""
          fetch('/api/v1' + arguments[0], { method: 'POST', headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(arguments[1]) }).then((answer) => answer.json()).then(arguments[2])""", path, content)

    def standings(self):
        return self.browser.execute_async_script(
            "fetch('/api/v1/regattas/' + arguments[0]).then((answer) => answer.json())"
            ".then((regatta) => arguments[1](regatta.events[0].heats.map((heat) => [heat.state, "
            "heat.lanes.map((lane) => lane.standing)])))", self.regatta)

    def current(self):
        """The current race, by its ergs."""
        race = self.browser.execute_async_script("""
          const source = new EventSource('/api/v1/live');
          source.addEventListener('race', (event) => {
            source.close();
            arguments[0](JSON.parse(event.data));
          });""")
        return race, {int(lane["erg"][-1]): lane["standing"] for lane in race.get("lanes", [])}

    def row(self, button, first):
        """Sets the next heat up with the page's button and rows it; the erg `first` starts before the others."""
        self.browser.get(f"{self.address}/regatta?id={self.regatta}")
        self.tap(button)
        self.until(lambda: self.browser.current_url.endswith("/race") or self.text("refusal"), "an answer")
        self.assertEqual(self.text("refusal"), "")
        self.until(lambda: set(self.current()[1].values()) == {"armed"}, "the monitors are set", patience=PATIENCE)
        race, lanes = self.current()
        self.send(f"/races/{race['race_id']}", {"do": "start", "in_s": 5})
        self.until(lambda: self.current()[0]["phase"] == "rowing", "the signal", patience=PATIENCE)
        for number in lanes:
            self.rowers.ask("row", pm=number, s=0.3 if number == first else 3)
        self.until(lambda: self.current()[0]["phase"] == "over", "all are done", patience=PATIENCE)
        return race["race_id"]

    def test_two_heats_and_a_final(self):
        self.resize(DESK)
        self.browser.get(LINK)
        self.until(lambda: sum(line["state"] in HEARD for line in self.lines()[4:8]) == 4, "all four are heard",
                   patience=PATIENCE)
        self.rowers.ask("hold", on=True)
        made = self.send("/regattas", {"name": "Sprints", "place": "Boathouse", "day": str(datetime.date.today()),
                                       "ergs": [{"gw": "boathouse", "erg": f"erg-{number}"} for number in ERGS]})
        self.regatta = made["regatta_id"]
        path = "/regattas/" + self.regatta
        self.send(path, {"do": "event", "name": "Open", "distance_m": 100, "advance_places": 1})
        self.send(path, {"do": "import", "event_id": "v1", "text": ENTRIES})
        drawn = self.send(path, {"do": "draw", "event_id": "v1", "by": "serpentine"})
        self.assertEqual([len(heat["lanes"]) for heat in drawn["events"][0]["heats"]], [3, 2])
        first = self.row("Set up Open, Heat 1", ERGS[0])
        logbook = Logbook(self.address)
        logbook.kill_and_start()
        self.until(lambda: logbook.is_running() and self.answers(), "the logbook answers again", patience=PATIENCE)
        second = self.row("Set up Open, Heat 2", ERGS[1])
        self.browser.get(f"{self.address}/regatta?id={self.regatta}")
        finished = [["over", ["finished"] * count] for count in (3, 2)]
        self.until(lambda: self.standings() == finished, "both heats have results")
        final = self.row("Set up Open, Final", ERGS[1])
        self.browser.get(f"{self.address}/regatta?id={self.regatta}")
        self.until(lambda: self.texts(".event .results h3") == ["Results"], "the results", patience=PATIENCE)
        self.shot("real-regatta")
        self.assertEqual(len({first, second, final}), 3)
        with urllib.request.urlopen(f"{self.address}/api/v1/regattas/{self.regatta}/results", timeout=30) as answer:
            rows = list(csv.DictReader(answer.read().decode().splitlines()))
        self.assertEqual([row["round"] for row in rows], ["heat"] * 5 + ["final"] * 2)
        self.assertTrue(all(row["standing"] == "finished" and row["distance_m"] == "100.0" for row in rows), rows)
        self.assertEqual([row["event_place"] for row in rows[5:]], ["1", "2"])
        winner = rows[5]["name"]
        self.browser.get(self.address + "/races")
        self.until(lambda: any("Open: " + winner in text for text in self.texts("#list li")), "the archive")
        self.shot("real-races")

    def answers(self):
        try:
            with urllib.request.urlopen(self.address + "/api/v1/regattas/" + self.regatta, timeout=5):
                return True
        except OSError:
            return False
