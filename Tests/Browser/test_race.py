"""The race page, from the start call to the results, on every screen.

Shows races in every state together with their ergs, and checks the requests of a coach's taps. The clock is that
of scenes.py.
"""

import json
import time

import regatta
import scenes
import test_endurance
from messages import Erg, best
from page import PHONE, SMALL_TV, TABLET, TV, UPRIGHT, PageTest, measures_processor
from selenium.webdriver.common.keys import Keys

LANES = """
const text = (lane, name) => Array.from(lane.querySelectorAll(name))
  .filter((one) => one.offsetParent !== null).map((one) => one.textContent).join();
return Array.from(document.querySelectorAll('.lane')).map((lane) => {
  const hull = lane.querySelector('.hull').getBoundingClientRect();
  return { number: text(lane, '.number'), name: text(lane, '.name'), pace: text(lane, '.pace'),
    gap: text(lane, '.gap'), early: text(lane, '.early'), stale: lane.dataset.stale === 'yes',
    standing: lane.dataset.standing, top: lane.getBoundingClientRect().top,
    left: lane.getBoundingClientRect().left, bow: hull.right };
});
"""

RESULTS = """
const text = (line, name) => Array.from(line.querySelectorAll(name))
  .filter((one) => one.offsetParent !== null).map((one) => one.textContent).join();
return Array.from(document.querySelectorAll('.result')).map((line) => {
  const found = {};
  for (const name of ['place', 'name', 'early', 'big', 'behind', 'pace', 'rate', 'power', 'mark']) {
    found[name] = text(line, '.' + name);
  }
  return found;
});
"""

# Each visible text with its box.
TEXTS = """
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!node.data.trim() || element.offsetParent === null || element.closest('.spoken, noscript'))
    continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  if (!box.width) continue;
  const isCut = getComputedStyle(element).textOverflow === 'ellipsis';
  const frame = isCut ? element.getBoundingClientRect() : box;
  const outer = (element.closest('.box, .result, header, footer') || document.body);
  const edge = outer.getBoundingClientRect();
  const size = parseFloat(getComputedStyle(element).fontSize), middle = (box.top + box.bottom) / 2;
  found.push({ text: node.data, size, left: box.left, right: Math.min(box.right, frame.right),
    top: middle - size * .34, bottom: middle + size * .34, place: element.className || element.id,
    holder: Array.from(document.querySelectorAll('.box, .result, header, footer')).indexOf(outer),
    outer: [edge.left, edge.right, edge.top, edge.bottom] });
}
return found;
"""


def plain(value):
    return json.loads(json.dumps(value).replace("\\u202f", " ").replace("\\u2009", ""))


def field(count, spread=9.0, lead=1412.0, **target):
    """Racing ergs at equal distances behind each other."""
    ergs = scenes.rowers(count, **target)
    for index, erg in enumerate(ergs):
        live = scenes.figures_of(erg.messages["live"]["payload"])
        erg.live(**{**live, "distance_m": round(lead - index * spread, 1)})
    return ergs


class RaceTest(PageTest):
    def setUp(self):
        super().setUp()
        self.scenes.posted.clear()
        self.scenes.guest, self.scenes.refusal = scenes.COACH, None

    def tiles(self):
        return []

    def signal(self, seconds_ago):
        return self.scenes.sent_ms() - round(seconds_ago * 1000)

    def open(self, ergs, race, path="/race", size=TV):
        self.resize(size)
        self.scenes.race = race and regatta.valid(race)
        self.scenes.show(ergs)
        self.browser.get(self.scenes.address + path)
        self.until(lambda: self.text("clock"), "the server's clock")
        return self.until(lambda: self.lanes() or self.results() or self.text("empty"), "a race")

    def lanes(self):
        """The lanes, from the top of the left column."""
        return sorted(plain(self.js(LANES)), key=lambda lane: (lane["left"], lane["top"]))

    def results(self):
        return plain(self.js(RESULTS))

    def ways(self):
        return self.js("return Array.from(document.querySelectorAll('#controls > *'))"
                       ".map((one) => one.textContent)")

    def tap(self, text):
        """Taps a button once it can be tapped: until a step is answered, all buttons are disabled."""
        self.until(lambda: self.js("""
          const found = Array.from(document.querySelectorAll('#controls > *')).find((one) =>
            one.textContent === arguments[0] && !one.disabled);
          if (found) found.click();
          return Boolean(found);""", text), text)

    def posted(self):
        self.until(lambda: self.scenes.posted, "it is sent")
        path, content = self.scenes.posted.pop()
        regatta.valid(content, "RaceStep")
        self.assertEqual(path, f"/api/v1/races/{regatta.RACE_ID}")
        return content

    def check(self, size):
        """Nothing is cut, overlaps, or lies outside of the screen."""
        width, height = size
        self.assertTrue(self.js("const root = document.documentElement;"
                                "return root.scrollWidth <= root.clientWidth"), size)
        texts = [text for text in plain(self.js(TEXTS))
                 if not text["place"].startswith("mark") and text["text"] != "\u2013"]
        for text in texts:
            left, right, top, bottom = text["outer"]
            self.assertTrue(text["left"] >= left - 1 and text["right"] <= right + 1, (size, text))
            self.assertTrue(text["top"] >= top - 1 and text["bottom"] <= bottom + 1, (size, text))
            if size != PHONE:
                self.assertLessEqual(text["bottom"], height, text)
        for index, one in enumerate(texts):
            for other in texts[:index]:
                if one["holder"] == other["holder"] and one["holder"] >= 0:
                    wide = min(one["right"], other["right"]) - max(one["left"], other["left"])
                    high = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
                    self.assertFalse(wide > 1 and high > 1, (size, one["text"], other["text"]))
        return texts


class StateTests(RaceTest):
    def test_no_race(self):
        self.open([Erg("erg-1").rows()], None)
        self.assertEqual(self.text("empty"), "No race yet")
        self.shot("race-none")

    def test_before_the_start(self):
        ergs = field(8)
        race = regatta.race(ergs, "ready", standings={"erg-3": "waiting", "erg-6": "scratched"})
        lanes = self.open(ergs, race)
        self.assertEqual(plain(self.text("sub")), "winter championship, heat 2 · 6 of 7 ready")
        self.assertEqual([lane["gap"] for lane in lanes],
                         ["ready"] * 2 + ["not ready"] + ["ready"] * 2 + ["scratched"] + ["ready"] * 2)
        self.assertEqual([lane["number"] for lane in lanes], [str(number) for number in range(1, 9)])
        self.assertEqual([lane["pace"] for lane in lanes], [""] * 8)
        self.shot("race-ready")
        for size in (TABLET, PHONE):
            self.open(ergs, race, size=size)
            self.check(size)
            self.shot(f"race-ready-{size[0]}x{size[1]}")

    def test_the_call(self):
        ergs = field(8, spread=0.0, lead=6.0)
        race = regatta.race(ergs, "countdown", self.signal(-9), early={"erg-4": 1.8},
                            standings={"erg-4": "rowing"})
        self.open(ergs, race)
        self.until(lambda: self.text("word") == "Sit ready", "sit ready")
        self.assertIn(self.text("count"), "9876")
        self.assertIn("Sofia Rossi: false start, 1.80 s early", self.text("sub"))
        self.assertEqual([lane["gap"] for lane in self.lanes()],
                         ["ready"] * 3 + ["moved early"] + ["ready"] * 4)
        self.check(TV)
        self.shot("race-call")
        seen = []
        while self.text("word") != "Row":
            if self.text("count") not in seen:
                seen.append(self.text("count"))
            if self.text("word") == "Attention" and len(seen) < 6:
                self.shot("race-attention")
            time.sleep(0.03)
        # Each second is called once and in order.
        self.assertEqual(seen, sorted(set(seen), reverse=True))
        self.shot("race-row")
        # The call continues without messages of the server.
        self.until(lambda: not self.js("return document.getElementById('call').offsetParent"),
                   "the call is over")

    def test_the_countdown_is_the_servers(self):
        self.scenes.skew_ms = 3_600_000
        try:
            ergs = field(4)
            self.open(ergs, regatta.race(ergs, "countdown", self.signal(-30)))
            self.until(lambda: self.text("count"), "a number")
            self.assertIn(int(self.text("count")), range(20, 31))
        finally:
            self.scenes.skew_ms = 0

    def test_a_close_field_has_a_window(self):
        ergs = field(8)
        race = regatta.race(ergs, "rowing", self.signal(310), pace_s_per_500m=108.65,
                            pace_name="club record")
        lanes = self.open(ergs, race)
        self.until(lambda: self.lanes()[0]["pace"], "figures")
        lanes = self.lanes()
        self.assertEqual([lane["number"] for lane in lanes], [str(number) for number in range(1, 9)])
        self.assertEqual(lanes[0]["gap"], "leading")
        self.assertRegex(lanes[7]["gap"], r"^\+[5-7]\d m$")
        bows = [lane["bow"] for lane in lanes]
        # A window of 120 m: the field fills half of the water.
        self.assertGreater(bows[0] - bows[-1], 300)
        self.assertRegex(plain(self.text("boat")), r"^pace boat: club record 7:14\.6, \d+ m ")
        self.assertRegex(plain(self.text("sub")), r"heat 2 · 5\d\d m to go for the leader")
        self.assertEqual(self.js("return document.querySelectorAll('.mark[data-kind=boat]').length"),
                         1)
        self.shot("race")

    def test_a_wide_field_has_the_whole_course(self):
        ergs = field(8, spread=60.0)
        self.open(ergs, regatta.race(ergs, "rowing", self.signal(300)))
        self.until(lambda: self.lanes()[0]["pace"], "figures")
        labels = plain(self.js("return Array.from(document.querySelectorAll('.mark span'))"
                               ".map((one) => one.textContent)"))
        self.assertEqual(labels, ["0", "500", "1000", "1500", "finish"])
        bows = [lane["bow"] for lane in self.lanes()]
        self.assertLess(bows[0] - bows[-1], 500)
        self.shot("race-wide")

    def test_a_timed_piece(self):
        ergs = field(6, piece="time", target_time_s=1800.0)
        live = scenes.figures_of(ergs[1].messages["live"]["payload"])
        # It began a second later, so at the leader's time it is level.
        ergs[1].live(**{**live, "elapsed_s": 398.0})
        self.open(ergs, regatta.race(ergs, "rowing", self.signal(400), duration_s=1800))
        self.until(lambda: self.lanes()[0]["gap"] in ("leading", "level"), "figures")
        self.assertRegex(plain(self.text("sub")), r"23:\d\d left")
        self.assertEqual(self.text("title"), "30\u202fmin")
        self.shot("race-timed")

    def test_a_silent_boat_goes_on_at_its_last_speed_and_is_marked(self):
        ergs = field(8, spread=60.0)
        ergs[2].messages["live"]["age_ms"] = 12000
        ergs[4].offline(7)
        self.open(ergs, regatta.race(ergs, "rowing", self.signal(310)))
        self.until(lambda: sum(lane["stale"] for lane in self.lanes()) == 2, "two are stale")
        lost = [lane for lane in self.lanes() if lane["stale"]]
        for lane in lost:
            self.assertRegex(lane["gap"], r"ago$")
            self.assertTrue(lane["name"] and lane["pace"])
        bows = [lane["bow"] for lane in self.js(LANES)]
        moved = lambda index: self.js(LANES)[index]["bow"] - bows[index]
        self.until(lambda: moved(0) > 1, "who is heard moves")
        self.until(lambda: moved(2) > 0.5 and moved(4) > 0.5, "boats without messages go on")
        self.shot("race-stale")

    def test_a_lost_boat_does_not_finish_before_its_monitor_reports(self):
        """Without messages for long, it waits before the finish; the result is the one of the monitor."""
        ergs = field(4, lead=1900.0)
        ergs[1].messages["live"]["age_ms"] = 300000
        race = regatta.race(ergs, "rowing", self.signal(430))
        self.open(ergs, race)
        self.until(lambda: self.lanes()[1]["stale"], "it is marked")
        lost = self.lanes()[1]
        self.assertRegex(lost["gap"], r"ago$")
        finish = self.js("return document.querySelector('.mark[data-kind=end]').getBoundingClientRect().left")
        self.until(lambda: 0 < finish - self.js(LANES)[1]["bow"] < 200, "it is just before the finish")
        race["lanes"][1].update(standing="finished", place=1, result=regatta.result(ergs[1], 441.3))
        self.scenes.send_race(race)
        self.until(lambda: plain(self.lanes()[1]["pace"]) == "7:21.3" or plain(self.lanes()[0]["pace"]) == "7:21.3",
                   "the result is the monitor's")

    def test_the_finish(self):
        ergs = field(8, lead=1996.0)
        results = {"erg-1": regatta.result(ergs[0], 428.4), "erg-2": regatta.result(ergs[1], 431.0)}
        race = regatta.race(ergs, "rowing", self.signal(435), results=results, standings={
            "erg-1": "finished", "erg-2": "finished", "erg-8": "did_not_start"})
        self.open(ergs, race)
        self.until(lambda: self.lanes()[0]["pace"], "figures")
        lanes = self.lanes()
        self.assertEqual([lanes[0]["pace"], lanes[0]["gap"]], ["7:08.4", "finished"])
        self.assertEqual([lanes[1]["pace"], lanes[1]["gap"]], ["7:11.0", "+2.6 s"])
        self.assertEqual(lanes[7]["gap"], "did not start")
        self.assertIn("2 of 8 finished", self.text("sub"))
        self.shot("race-finish")

    def test_a_gateway_or_the_logbook_goes_away(self):
        ergs = field(4)
        self.open(ergs, regatta.race(ergs, "rowing", self.signal(310)))
        self.until(lambda: self.lanes()[0]["pace"], "figures")
        self.scenes.silent = True
        try:
            self.until(lambda: self.text("notice").startswith("No connection to the logbook"), "it is said")
            self.assertTrue(all(lane["name"] and lane["pace"] for lane in self.lanes()))
            self.shot("race-away")
        finally:
            self.scenes.silent = False

    def test_the_list_of_results(self):
        ergs = field(8)
        race = regatta.over(ergs)
        lines = self.open(ergs, race)
        self.assertEqual([line["place"] for line in lines], ["1", "2", "3", "4", "5", "", "", ""])
        self.assertEqual(lines[0]["big"], "7:11.8")
        self.assertEqual(lines[0]["behind"], "")
        self.assertRegex(lines[1]["behind"], r"^\+\d\.\d s$")
        self.assertEqual(lines[1]["early"], "false start, 0.31 s early")
        self.assertEqual(lines[0]["mark"], "\u2713 verified")
        self.assertEqual([line["big"] for line in lines[5:]],
                         ["did not finish · 842 m", "did not start", "scratched"])
        self.until(lambda: self.ways() == ["CSV", "Print", "Races", "Disqualify…", "New race"], "what can be done")
        self.assertEqual(self.js("return document.querySelector('#controls a').getAttribute('href')"),
                         f"/api/v1/races/{regatta.RACE_ID}/results")
        self.shot("race-results")
        self.open(ergs, race, path="/race?lang=de")
        self.assertIn("nicht gestartet", [line["big"] for line in self.results()])
        self.assertEqual(self.results()[1]["early"], "Fehlstart, 0,31 s zu früh")
        self.shot("race-results-de")

    def test_a_coach_disqualifies_after_the_race(self):
        ergs = field(8)
        race = regatta.over(ergs)
        self.open(ergs, race)
        self.tap("Disqualify…")
        name = race["lanes"][0]["athlete_name"] if "athlete_name" in race["lanes"][0] else ergs[0].name
        # Those who did not row cannot be disqualified.
        self.until(lambda: len(self.ways()) == 7, self.ways())
        self.assertEqual(self.ways()[-1], "Nobody")
        self.tap("Disqualify " + name)
        erg = {"gw": race["lanes"][0]["gw"], "erg": race["lanes"][0]["erg"]}
        self.assertEqual(self.posted(), {"do": "disqualify", "erg": erg})
        race["lanes"][0].update(standing="disqualified", standing_before="finished", rank=8)
        del race["lanes"][0]["place"]
        self.open(ergs, race)
        self.until(lambda: "disqualified" in [line["big"] for line in self.results()], "it is shown")
        self.shot("race-disqualified")
        self.tap("Disqualify…")
        self.tap("Reinstate " + name)
        self.assertEqual(self.posted(), {"do": "reinstate", "erg": erg})

    def archived(self, race, wish=""):
        self.scenes.archived_race = race and regatta.valid(race)
        self.scenes.race = None
        self.scenes.show([])
        self.browser.get(f"{self.scenes.address}/race?id={regatta.RACE_ID}{wish}")

    def test_a_race_of_the_archive(self):
        ergs = field(8)
        race = {**regatta.over(ergs, signal_ms=1795737600000), "location": "Riverside boathouse"}
        for size in (TV, (1440, 900), TABLET, PHONE):
            for wish in ("&lang=en&theme=dark", "&lang=de&theme=light"):
                with self.subTest(f"{size} {wish}"):
                    self.resize(size)
                    self.archived(race, wish)
                    self.until(lambda: len(self.results()) == 8, "the results")
                    self.assertEqual(self.results()[0]["place"], "1")
                    self.assertIn("2026 \u00b7 Riverside boathouse", self.text("sub"))
                    self.check(size)
                    self.shot(f"race-archive-{size[0]}-{wish[-5:]}")
        self.until(lambda: self.ways()[:3] == ["CSV", "Drucken", "Rennen"], "it can be printed")
        # Without the live stream, no connection is missing.
        self.assertEqual(self.text("notice"), "")

    def test_a_race_of_the_archive_on_bikes(self):
        race = regatta.over(scenes.rowers(2))
        for lane in race["lanes"]:
            lane["result"].update(machine_type="bike", avg_pace_s_per_500m=50.0)
        self.archived(race, "&lang=en")
        self.until(lambda: len(self.results()) == 2, "the results")
        self.assertIn("1:40.0 /1000 m", plain(self.js("return document.getElementById('results').innerText")))

    def test_an_unknown_race_of_the_archive(self):
        self.expected_errors = ("404 (Not Found)",)
        self.archived(None, "&lang=en")
        self.until(lambda: self.text("empty") == "This race does not exist", "it is said")
        self.until(lambda: "Races" in self.ways(), "the archive is offered")

    def test_a_race_of_the_archive_is_asked_for_again(self):
        self.expected_errors = ("503 (Service Unavailable)",)
        self.archived(regatta.over(scenes.rowers(2)))
        self.scenes.archived_race = 503
        self.browser.refresh()
        self.until(lambda: self.text("notice") != "", "it connects")
        self.scenes.archived_race = regatta.over(scenes.rowers(2))
        self.until(lambda: len(self.results()) == 2, "the results", patience=20)

    def test_a_best_takes_nothings_place(self):
        ergs = field(8)
        self.open(ergs, regatta.over(ergs))
        before = plain(self.text("sub"))
        self.assertIn("winter championship", before)
        self.scenes.send("best", best(ergs[0], event="2000m", event_distance_m=2000, time_s=431.8,
                                      distance_m=2000.0, before_time_s=440.0, before_distance_m=2000.0))
        self.until(lambda: "best ever" in self.text("best"), "it is announced")
        seen = ("return Array.from(arguments).map((id) =>"
                " document.getElementById(id).offsetParent !== null)")
        self.assertEqual(plain(self.text("sub")), before)
        self.assertEqual(self.js(seen, "sub", "best"), [True, True])
        self.check(TV)
        self.shot("race-best")
        self.command("Emulation.setEmulatedMedia", media="print")
        try:
            self.assertEqual(self.js(seen, "sub", "best"), [True, False])
        finally:
            self.command("Emulation.setEmulatedMedia", media="")

    def test_a_long_name_is_whole_where_there_is_room(self):
        ergs = field(8)
        ergs[0].name = "Bartholomew Featherstonehaugh-Cholmondeley"
        self.open(ergs, regatta.over(ergs))
        names = lambda: [line["name"] for line in self.results()]
        self.assertEqual(names()[7], ergs[7].name)
        self.assertIn(ergs[6].name, names())
        self.command("Emulation.setEmulatedMedia", media="print")
        self.resize((794, 1123))
        try:
            self.until(lambda: names()[0] == ergs[0].name, "on paper it is written out")
            self.assertEqual(sorted(names()), sorted(erg.name for erg in ergs))
            self.check((794, 2000))
            self.shot("race-print-names")
        finally:
            self.command("Emulation.setEmulatedMedia", media="")

    def test_hostile_names(self):
        ergs = field(3)
        ergs[0].name = "<img src=x onerror=alert(1)> " + "W" * 60
        ergs[1].name = "مريم العربي"
        race = regatta.race(ergs, "rowing", self.signal(310), name="</h1>" + "M" * 50)
        self.open(ergs, race)
        self.until(lambda: self.lanes()[0]["pace"], "figures")
        self.check(TV)
        self.assertEqual(self.js("return document.images.length"), 0)
        self.shot("race-names")


class SizeTests(RaceTest):
    def test_every_number_of_lanes_on_every_screen(self):
        for count, size in [(2, TV), (8, TV), (16, TV), (64, TV), (64, SMALL_TV), (16, TABLET),
                            (64, TABLET), (16, UPRIGHT), (64, PHONE), (128, TV), (128, SMALL_TV), (128, PHONE)]:
            with self.subTest(f"{count} on {size}"):
                ergs = field(count, spread=2.0)
                race = regatta.race(ergs, "rowing", self.signal(310), pace_s_per_500m=108.65,
                                    pace_name="club record", early={"erg-2": 0.31})
                self.open(ergs, race, size=size)
                self.until(lambda: len(self.lanes()) == count and self.lanes()[0]["pace"], "lanes")
                self.shot(f"race-{count}-{size[0]}x{size[1]}")
                texts = self.check(size)
                # 128 lanes cannot be legible at five metres.
                if size in (TV, SMALL_TV) and count <= 64:
                    least = min(text["size"] for text in texts
                                if text["place"] in ("name", "number", "pace"))
                    self.assertGreaterEqual(least / size[1], 0.0225)

    def test_the_list_on_every_screen(self):
        for count, size in [(8, SMALL_TV), (16, TV), (64, TV), (64, TABLET), (8, UPRIGHT),
                            (16, PHONE)]:
            with self.subTest(f"{count} on {size}"):
                ergs = field(count)
                self.open(ergs, regatta.over(ergs), size=size)
                self.until(lambda: len(self.results()) == count, "lines")
                self.shot(f"race-results-{count}-{size[0]}x{size[1]}")
                self.check(size)

    def test_daylight_and_german(self):
        ergs = field(8)
        race = regatta.race(ergs, "rowing", self.signal(310), pace_s_per_500m=108.65)
        self.open(ergs, race, path="/race?theme=light&lang=de")
        self.until(lambda: self.lanes()[0]["gap"] == "führt", "German")
        self.check(TV)
        self.shot("race-light-de")

    def test_teams_have_their_mean_above_their_members(self):
        ergs = field(4)
        race = regatta.with_teams(regatta.over(ergs, signal_ms=self.signal(600)))
        for size, name in ((TV, "tv"), (PHONE, "phone"), (TABLET, "tablet"), (SMALL_TV, "screen")):
            self.open(ergs, race, size=size)
            lines = self.until(self.results, "the results")
            self.assertEqual([line["place"] for line in lines], ["1", "", "", "2", "", ""])
            self.assertEqual([lines[0]["name"], lines[3]["name"]], ["Riverside A", "Riverside B"])
            self.assertEqual([lines[0]["big"], lines[3]["big"], lines[3]["behind"]], ["7:13.5", "7:18.5", "+5.0 s"])
            self.assertEqual([line["behind"] for line in lines if not line["place"]], [""] * 4)
            self.shot(f"race-teams-{name}")
        race = regatta.with_teams(regatta.race(ergs, "rowing", self.signal(310)))
        self.open(ergs, race)
        self.until(self.lanes, "the lanes")
        self.assertEqual([lane["name"] for lane in self.lanes()], [
            "AO \u00b7 Riverside A", "JÞ \u00b7 Riverside A", "LW \u00b7 Riverside B", "SR \u00b7 Riverside B"])
        self.shot("race-teams-rowing")

    def test_on_paper(self):
        ergs = field(16)
        self.open(ergs, regatta.over(ergs))
        pdf = self.command("Page.printToPDF", printBackground=False)["data"]
        self.assertGreater(len(pdf), 10_000)
        self.command("Emulation.setEmulatedMedia", media="print")
        try:
            self.assertEqual(len(self.results()), 16)
            self.assertFalse(self.js("return document.getElementById('foot').offsetParent"))
            self.assertTrue(all(line["big"] for line in self.results()))
            self.shot("race-print")
        finally:
            self.command("Emulation.setEmulatedMedia", media="")


    def test_paper_names_club_date_and_place(self):
        ergs = field(8)
        race = regatta.over(ergs, location="Boathouse", signal_ms=self.signal(600))
        text = self.on_paper(lambda: self.open(ergs, race))
        for part in ("Riverside RC", "2026", "Boathouse", "winter championship", ergs[0].name):
            self.assertIn(part, text)
        self.shot("race-paper")


class MotionTests(RaceTest):
    def transitions(self):
        return self.js("return Array.from(document.querySelectorAll('.lane, .stream .mover'))"
                       ".map((one) => getComputedStyle(one).transitionDuration)")

    def test_boats_move_between_messages_and_ranks_slide(self):
        ergs = field(4, spread=30.0)
        self.open(ergs, regatta.race(ergs, "rowing", self.signal(310)))
        self.until(lambda: self.lanes()[0]["pace"], "figures")
        self.assertEqual(set(self.transitions()), {"0.3s", "0.45s"})
        places = self.js("return document.querySelector('.stream .mover').style.transform")
        self.until(lambda: self.js("return document.querySelector('.stream .mover')"
                                   ".style.transform") != places, "it moves without a message")
        live = scenes.figures_of(ergs[3].messages["live"]["payload"])
        ergs[3].live(**{**live, "distance_m": 1500.0, "live_seq": 2})
        self.scenes.send_erg(ergs[3])
        self.until(lambda: self.lanes()[0]["name"] == ergs[3].name, "it leads")

    def test_reduced_motion_turns_both_off(self):
        self.prefer(motion="reduce")
        ergs = field(4)
        self.open(ergs, regatta.race(ergs, "rowing", self.signal(310)))
        self.until(lambda: self.lanes()[0]["pace"], "figures")
        self.assertEqual(set(self.transitions()), {"0s"})
        self.assertEqual({lane["number"] for lane in self.lanes()}, {"1", "2", "3", "4"})

    @measures_processor
    def test_a_throttled_processor(self):
        for count in (16, 64):
            with self.subTest(lanes=count):
                self.assertLess(self.row_slowly(field(count, spread=2.0)), 0.5)
        # The largest race has no goal; its figure is for comparison.
        self.row_slowly(field(128, spread=2.0))

    def row_slowly(self, ergs):
        """Returns the share of the main thread."""
        self.open(ergs, regatta.race(ergs, "rowing", self.signal(310)))
        endurance = test_endurance.EnduranceTests
        self.command("Performance.setTimeDomain", timeDomain="threadTicks")
        self.command("Performance.enable")
        self.command("Emulation.setCPUThrottlingRate", rate=6)
        try:
            endurance.row_for(self, ergs, 2)
            shares = []
            while not shares or min(shares) >= 0.5 and len(shares) < 8:
                shares.append(endurance.share(self, ergs))
        finally:
            self.command("Emulation.setCPUThrottlingRate", rate=1)
            self.command("Performance.disable")
        level = self.js("return document.documentElement.dataset.load || '0'")
        print(f"\n{len(ergs)} lanes, six times slower:", *(f"{share:.0%}" for share in shares),
              f"of the main thread, load level {level}", flush=True)
        return min(shares)

    figures = test_endurance.EnduranceTests.figures
    row_for = test_endurance.EnduranceTests.row_for


class CoachTests(RaceTest):
    expected_errors = ("409 (Conflict)",)

    def test_from_the_start_to_the_end(self):
        ergs = field(4)
        self.open(ergs, regatta.race(ergs, "ready"))
        self.tap("Start")
        self.assertEqual(self.posted(), {"do": "start"})
        self.scenes.send_race(regatta.race(ergs, "countdown", self.signal(-20)))
        self.tap("Recall")
        self.assertEqual(self.posted(), {"do": "recall"})
        self.scenes.send_race(regatta.race(ergs, "rowing", self.signal(60)))
        self.tap("End the race")
        self.tap("Sure: End the race")
        self.assertEqual(self.posted(), {"do": "end"})
        self.scenes.send_race(regatta.over(ergs))
        self.until(lambda: self.ways() == ["CSV", "Print", "Races", "Disqualify…", "New race"], "it is over")

    def test_a_television_shows_no_buttons_of_a_coach(self):
        ergs = field(4)
        self.open(ergs, regatta.race(ergs, "ready"))
        self.until(lambda: "Start" in self.ways(), "the coach's buttons")
        shown = "return getComputedStyle(document.getElementById('controls')).visibility === 'visible'"
        self.assertTrue(self.js(shown))
        # By keyboard, because a browser fills the screen only for a person.
        self.keys(Keys.TAB)
        self.until(lambda: self.js("return document.documentElement.hasAttribute('data-menu')"), "the menu")
        self.tab_to("Full screen")
        self.until(lambda: self.js("return document.fullscreenElement !== null"), "the page fills the screen")
        self.js("document.activeElement.blur()")
        move = "dispatchEvent(new PointerEvent('pointermove', { screenX: arguments[0], screenY: 7 }))"
        self.js(move, 5)
        self.js(move, 6)
        self.until(lambda: not self.js(shown), "they go with the menu")
        self.js(move, 7)
        self.until(lambda: self.js(shown), "they appear with the pointer")

    def test_who_is_not_ready_is_named(self):
        ergs = field(4)
        self.open(ergs, regatta.race(ergs, "ready", standings={"erg-2": "waiting"}))
        self.tap("Start without " + ergs[1].name)
        self.assertEqual(self.scenes.posted, [])
        self.tap("Sure: Start without " + ergs[1].name)
        self.assertEqual(self.posted(), {"do": "start", "force": True})
        self.tap("Reset monitors")
        self.assertEqual(self.posted(), {"do": "arm"})

    def test_a_lane_is_scratched(self):
        ergs = field(4)
        self.open(ergs, regatta.race(ergs, "rowing", self.signal(60)))
        self.tap("Scratch…")
        self.shot("race-take-out")
        self.tap("Scratch " + ergs[2].name)
        self.assertEqual(self.posted(),
                         {"do": "scratch", "erg": {"gw": "boathouse", "erg": "erg-3"}})

    def test_a_refusal_is_shown(self):
        ergs = field(4)
        self.open(ergs, regatta.race(ergs, "ready"))
        self.scenes.refusal = (409, "wrong_phase", "not while the race is over")
        self.tap("Start")
        self.until(lambda: self.text("refusal") == "Not sent: not possible at this point of the race", "it is told")

    def focused(self):
        return self.js("return document.activeElement.textContent")

    def test_keys_run_a_race(self):
        """Only with the Tab key, Enter and Space; no step loses the focus."""
        ergs = field(4)
        self.open(ergs, regatta.race(ergs, "ready", standings={"erg-2": "waiting"}))
        self.until(lambda: "Reset monitors" in self.ways(), "the controls of a coach")
        # With a slow answer, each button is disabled for several frames.
        self.js("const quick = window.fetch; window.fetch = (...all) =>"
                " new Promise((done) => setTimeout(() => done(quick(...all)), 500))")
        self.tab_to("Reset monitors", Keys.SPACE)
        self.assertEqual(self.posted(), {"do": "arm"})
        self.until(lambda: self.focused() == "Reset monitors", "the focus is there again")
        self.tab_to("Start without " + ergs[1].name)
        self.until(lambda: self.focused() == "Sure: Start without " + ergs[1].name, "the question")
        self.keys(Keys.ENTER)
        self.assertEqual(self.posted(), {"do": "start", "force": True})
        self.scenes.send_race(regatta.race(ergs, "countdown", self.signal(-20)))
        self.until(lambda: "Recall" in self.ways(), "the call")
        self.tab_to("Recall")
        self.assertEqual(self.posted(), {"do": "recall"})
        self.scenes.send_race(regatta.race(ergs, "rowing", self.signal(60)))
        self.until(lambda: "End the race" in self.ways(), "the race")
        self.tab_to("Fixed lanes")
        self.until(lambda: self.focused() == "By place", "they stay")
        self.tab_to("Scratch…")
        # The choice that changes nothing: a key that is held down scratches nobody.
        self.until(lambda: self.focused() == "Nobody", "the choices")
        self.keys(Keys.ENTER)
        self.until(lambda: self.focused() == "Scratch…", "no choices")
        self.keys(Keys.ENTER)
        self.until(lambda: self.focused() == "Nobody", "the choices")
        self.tab_to("Scratch " + ergs[2].name)
        self.assertEqual(self.posted(), {"do": "scratch", "erg": {"gw": "boathouse", "erg": "erg-3"}})
        self.until(lambda: self.focused() == "Scratch…", "the focus is there again")
        self.tab_to("End the race")
        self.until(lambda: self.focused() == "Sure: End the race", "the question")
        self.keys(Keys.ENTER)
        self.assertEqual(self.posted(), {"do": "end"})
        self.scenes.send_race(regatta.over(ergs))
        self.until(lambda: "New race" in self.ways(), "it is over")
        self.tab_to("Races")
        self.until(lambda: self.browser.current_url.endswith("/races"), "the archive")

    def test_others_have_no_buttons_that_change_it(self):
        self.scenes.guest = {"role": "wall"}
        ergs = field(4)
        self.open(ergs, regatta.race(ergs, "rowing", self.signal(60)))
        self.until(lambda: self.ways() == ["Fixed lanes"], "one way")
        before = [lane["name"] for lane in self.lanes()]
        self.tap("Fixed lanes")
        self.until(lambda: self.ways() == ["By place"], "they stay")
        self.assertEqual([lane["name"] for lane in self.lanes()], before)

    def test_a_race_is_made_on_the_coachs_page(self):
        ergs = [Erg(f"erg-{number}", name=name).info().state("idle", piece=False)
                for number, name in enumerate(scenes.NAMES[:5], 1)]
        self.resize((1366, 900))
        self.scenes.race = None
        self.scenes.show(ergs)
        self.browser.get(self.scenes.address + "/coach")
        self.until(lambda: self.js("return !document.getElementById('race').disabled"), "the room")
        self.js("document.getElementById('race').click()")
        self.until(lambda: self.js("return !!document.querySelector('.dialog')"), "the dialog")
        self.js("""const fields = document.querySelectorAll('.dialog .field input');
          fields[1].value = 'heat 1'; fields[2].value = 'Boathouse'; fields[3].value = '1:48.6';
          fields[4].value = 'record';
          document.querySelector('.dialog .switch input').click();""")
        self.shot("race-make")
        # A text that is not a pace is for the server to reject.
        self.expected_errors = ("400 (Bad Request)",)
        self.scenes.refusal = (400, "bad_value", "pace_s_per_500m must be a number of seconds")
        self.js("document.querySelectorAll('.dialog .field input')[3].value = '2k+5'")
        self.js("document.querySelector('.dialog .main').click()")
        self.until(lambda: self.scenes.posted, "it is sent")
        self.assertEqual(self.scenes.posted.pop()[1]["pace_s_per_500m"], "2k+5")
        self.until(lambda: self.js("return !document.querySelector('.dialog .main').disabled"), "the error")
        self.scenes.refusal = None
        self.js("document.querySelectorAll('.dialog .field input')[3].value = '1:48.6'")
        self.js("document.querySelector('.dialog .main').click()")
        self.until(lambda: self.scenes.posted, "it is sent")
        path, content = self.scenes.posted.pop()
        regatta.valid(content, "RaceMaking")
        self.assertEqual(path, "/api/v1/races")
        self.assertEqual(content["piece"], {"type": "distance", "distance_m": 2000})
        self.assertEqual([content["name"], content["location"], content["pace_s_per_500m"], content["pace_name"]],
                         ["heat 1", "Boathouse", 108.6, "record"])
        self.assertEqual(len(content["to"]), 4)
        self.until(lambda: self.browser.current_url.endswith("/race"), "the race's page")


class RuleTests(RaceTest):
    def test_no_string_of_a_race_has_an_exclamation_mark(self):
        for language in ("en", "de"):
            strings = json.loads(scenes.strings_text(language))["racePage"]
            self.assertEqual([text for text in strings.values() if "!" in text], [])

    def rule(self, expression, *given):
        self.browser.get(self.scenes.address + "/assets/common/icon.svg")
        return self.module("race/course.js", expression, *given)

    def boats(self, *metres, **more):
        return [{"key": f"k{index}", "metres": value, "even": value, "rank": index, "speed": 4,
                 "time": 400, **more} for index, value in enumerate(metres)]

    def test_a_lead_below_one_metre_keeps_the_order(self):
        order = "m.order(given[0], given[1])"
        before = ["k0", "k1", "k2"]
        self.assertEqual(self.rule(order, self.boats(100.0, 100.8, 90.0), before), before)
        self.assertEqual(self.rule(order, self.boats(100.0, 101.2, 90.0), before),
                         ["k1", "k0", "k2"])
        boats = self.boats(100.0, 101.2, 90.0)
        boats[1]["isOut"], boats[2]["isOver"] = True, True
        self.assertEqual(self.rule(order, boats, before), ["k2", "k0", "k1"])

    def test_the_window_follows_the_field(self):
        stretch = "m.stretch(given[0], given[1], given[2])"
        shown = self.rule(stretch, self.boats(1000.0, 960.0), 2000, None)
        self.assertTrue(shown["isWindow"] and shown["from"] < 960 and shown["to"] > 1000)
        self.assertFalse(self.rule(stretch, self.boats(1000.0, 795.0), 2000, None)["isWindow"])
        # It stays up to 220 m, so that it does not flicker.
        self.assertTrue(self.rule(stretch, self.boats(1000.0, 795.0), 2000, shown)["isWindow"])
        lost = self.boats(1000.0, 980.0, 10.0)
        lost[2]["isStale"] = True
        self.assertTrue(self.rule(stretch, lost, 2000, None)["isWindow"])
        start = self.rule(stretch, self.boats(0.0, 0.0), 2000, None)
        self.assertLess(start["from"], 0)
        end = self.rule(stretch, self.boats(1995.0, 1990.0), 2000, None)
        self.assertGreater(end["to"], 2000)

    def test_a_timed_piece_compares_at_the_leaders_time(self):
        boats = self.boats(1600.0, 1596.0)
        boats[1]["time"] = 398
        found = self.rule("m.even(given[0], given[1])", boats, {"duration_s": 1800})
        self.assertEqual([boat["even"] for boat in found], [1600.0, 1604.0])
        found = self.rule("m.even(given[0], given[1])", boats, {"distance_m": 2000})
        self.assertEqual([boat["even"] for boat in found], [1600.0, 1596.0])
