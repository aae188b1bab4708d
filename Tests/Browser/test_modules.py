"""Edge cases of formats, names, distance estimates, the render throttle and the room.

The modules without DOM are imported in the browser and called directly; times are arguments.
"""

import copy
import json

from messages import Erg, gateway
from page import PageTest, browser
from scenes import strings_text

ENGLISH = strings_text("en")

NARROW = "\u202f"


class ModuleTests(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        browser().get(cls.scenes.address + "/assets/common/icon.svg")

    def ask(self, module, expression, cases):
        for given, expected in cases:
            with self.subTest(f"{expression} of {given}"):
                arguments = given if isinstance(given, tuple) else (given,)
                self.assertEqual(self.module(module, expression, *arguments), expected)


class FigureTests(ModuleTests):
    def test_pace(self):
        self.ask("common/format.js", "m.pace(given[0], '.')", [
            (112.4, "1:52.4"), (59.96, "0:59.9"), (119.97, "1:59.9"), (605.04, "10:05.0"),
            (130.19, "2:10.1"), (127.1, "2:07.1"), (139.46, "2:19.4"),
            (0, "–"), (None, "–"), (-3, "–"), (4000, "–"), ("112", "–")])

    def test_pace_of_a_bike_erg_is_for_1000_m(self):
        self.ask("common/format.js", "m.pace(given[0], '.', given[1])", [
            ((60.19, "bike"), "2:00.3"), ((60.19, "rower"), "1:00.1"), ((60.19, "ski"), "1:00.1")])
        self.ask("common/format.js", "m.machineOf(given[0])", [
            ("bike_with_arms", "bike"), ("multi_erg_ski", "ski"), ("model_d", "rower"),
            (None, "rower")])
        units = {"pace": "/500", "bikePace": "/1000"}
        self.ask("common/format.js", "m.paceUnit(given[0], given[1])", [
            (("bike", units), "/1000"), (("rower", units), "/500")])

    def test_list_and_session_page_show_the_same_pace(self):
        strings = {"decimal": "."}
        session = {"avg_pace_s_per_500m": 130.19, "distance_m": 2477.9, "result_time_s": 645.2}
        self.ask("session/format.js", "m.paceOf(given[0], given[1])", [
            ((session, strings), "2:10.1"),
            ((dict(session, machine_type="bike_without_arms"), strings), "4:20.3"),
            (({}, strings), "")])

    def test_efforts(self):
        self.ask("common/format.js", "m.positiveWhole(given[0])", [
            (24.4, "24"), (0, "–"), (None, "–"), (-1, "–"), ("24", "–")])

    def test_times(self):
        self.ask("common/format.js", "m.tenths(given[0], ',')", [
            (441.3, "7:21,3"), (130.19, "2:10,2"), (0, "0:00,0"), (3772.4, "1:02:52,4"), (None, "–")])
        self.ask("common/format.js", "m.remaining(given[0])", [
            (37.6, "0:38"), (0, "0:00"), (0.2, "0:01"), (60, "1:00"), (1418.0, "23:38")])
        self.ask("common/format.js", "m.elapsed(given[0])", [(37.9, "0:37"), (3725, "1:02:05")])
        self.ask("common/format.js", "m.duration(given[0])", [
            (1800, f"30{NARROW}min"), (330, "5:30"), (40, "0:40")])

    def test_ages(self):
        units = {"s": "s", "min": "min", "h": "h", "d": "d"}
        self.ask("common/format.js", "m.age(given[0], given[1])", [
            ((12.9, units), f"12{NARROW}s"), ((60, units), f"1{NARROW}min"),
            ((7199, units), f"1{NARROW}h"), ((200000, units), f"2{NARROW}d"),
            ((-4, units), f"0{NARROW}s")])

    def test_metres(self):
        self.ask("common/format.js", "m.metres(given[0])", [
            (0, "0"), (2000, "2000"), (2477.9, "2477"), (2478, "2478"), (21097, f"21{NARROW}097"),
            (None, "–"), ("x", "–")])

    def test_names(self):
        self.ask("common/format.js", "m.shortName(given[0])", [
            ("Amara Okafor", "Amara O."), ("Mia de Vries", "Mia V."), ("Pelé", "Pelé"),
            ("Zoë Ångström", "Zoë Å."), ("A\u030asa A\u030aberg", "A\u030asa \u00c5."),
            ("Ana 🚣", "Ana 🚣.")])
        self.ask("common/format.js", "m.line(given[0], 5)", [
            ("a\nb\u2028c", "a b c"), ("🚣🚣🚣🚣🚣🚣", "🚣🚣🚣🚣🚣"), (None, ""), (7, "")])

    def test_places(self):
        self.ask("common/format.js", "m.place(given[0])", [
            ("erg-7", "7"), ("erg07", "7"), ("12", "12"), ("window-left", "window left"),
            ("ski-2", "ski 2")])


class ClubTimeTests(ModuleTests):
    def test_times_and_days_are_those_of_the_club(self):
        for zone, moment, time, day in [
                ("America/New_York", 1795397400000, "20:30", "2026-11-22"),
                ("America/New_York", 1793505600000 - 1, "23:59", "2026-10-31"),
                ("America/New_York", 1793505600000, "00:00", "2026-11-01"),
                ("Asia/Kolkata", 1767205800000, "00:00", "2026-01-01"),
                ("Australia/Lord_Howe", 1791034200000, "00:00", "2026-10-04"),
                ("Pacific/Kiritimati", 1795372920000, "08:42", "2026-11-23"),
                ("UTC", 1795397400000, "01:30", "2026-11-23")]:
            with self.subTest(f"{moment} in {zone}"):
                self.js("document.documentElement.dataset.zone = arguments[0]", zone)
                # A module reads the zone once, so each zone needs its own import.
                self.assertEqual(self.module(
                    f"common/format.js?{zone}", "[m.timeOfDay(given[0]), m.dayText(given[0])]", moment),
                    [time, day])

    def test_a_browser_that_does_not_know_the_zone_has_its_own_time(self):
        self.js("document.documentElement.dataset.zone = 'Nowhere/Town'")
        self.assertRegex(self.module("common/format.js?nowhere", "m.timeOfDay(1795397400000)"),
                         r"^\d\d:30$|^\d\d:00$")


class RequestTests(ModuleTests):
    def test_a_newer_request_ends_the_one_before(self):
        self.assertEqual(self.module(
            "common/api-client.js", "(async () => {"
            " const series = new m.RequestSeries(), old = series.next(), late = m.get('/api/v1/gateways', old);"
            " const next = series.next(), [first, second] = await Promise.all("
            "   [late, m.get('/api/v1/gateways', next)]);"
            " const third = await m.get('/api/v1/gateways', old);"
            " return [old.aborted, first.status, next.aborted, second.status, third.status]; })()"),
            [True, 0, False, 200, 0])

    def test_without_a_signal_it_is_an_ordinary_request(self):
        self.assertEqual(self.module(
            "common/api-client.js", "Promise.all([m.get('/nothing'), m.getRecords('/nothing', 1)]).then("
            "([one, list]) => [one.status, one.content.code, list])"),
            [404, "not_found", {"status": 404, "records": []}])
        self.expected_errors = ("404",)


class DistanceEstimateTests(ModuleTests):
    LIVE = {"state": "rowing", "distance_m": 100.0, "elapsed_s": 25.0, "speed_m_per_s": 4.0}

    def distance(self, track, received_at, now, moves=True, **live):
        moment = {"receivedAt": received_at, "payload": {**self.LIVE, **live}}
        shown = self.module("wall/ranking.js", "m.estimateDistance(...given.slice(0, 4))", track, moment, now,
                            moves)
        return shown["metres"]

    def test_goes_on_at_the_speed_of_the_last_message(self):
        self.assertAlmostEqual(self.distance(None, 1000, 1500), 102)

    def test_stops_without_messages(self):
        self.assertAlmostEqual(self.distance(None, 1000, 60000), 112)
        self.assertEqual(self.distance({"metres": 108, "at": 59900}, 1000, 60000), 108)

    def test_is_corrected_within_a_second(self):
        metres, now = 90.0, 1000
        for now in range(1100, 2001, 100):
            metres = self.distance({"metres": metres, "at": now - 100}, 1000, now)
        self.assertAlmostEqual(metres, 104, delta=0.3)

    def test_never_rows_backwards(self):
        self.assertEqual(self.distance({"metres": 103, "at": 1000}, 1000, 1100), 103)

    def test_another_piece_begins_at_once(self):
        self.assertEqual(self.distance({"metres": 1999, "at": 1000}, 1000, 1000), 100)

    def test_stands_still_without_motion_and_in_a_rest(self):
        self.assertEqual(self.distance(None, 1000, 2000, moves=False), 100)
        self.assertEqual(self.distance(None, 1000, 2000, state="paused"), 100)


class RenderThrottleTests(ModuleTests):
    def level(self, lates, start=None):
        """The level after frames with this lateness, 100 ms apart."""
        return self.module(
            "common/render-loop.js", "given[0].reduce((load, late, index) => (m.recordLateness(load, late, "
            "index * 100), load), given[1] || m.newThrottle()).level", lates, start)

    def test_a_device_that_keeps_up_loses_nothing(self):
        self.assertEqual(self.level([8] * 3000), 0)

    def test_one_late_picture_is_forgiven(self):
        self.assertEqual(self.level(([8] * 20 + [400]) * 20), 0)

    def test_movement_goes_first_and_curves_next(self):
        self.assertEqual(self.level([200] * 45), 1)
        self.assertEqual(self.level([200] * 90), 2)
        self.assertEqual(self.level([200] * 900), 2)

    def test_comes_back_after_a_minute_on_time(self):
        self.assertEqual(self.level([200] * 90 + [2] * 500), 2)
        self.assertEqual(self.level([200] * 90 + [2] * 700), 1)
        self.assertEqual(self.level([200] * 90 + [2] * 2200), 0)


class GridTests(ModuleTests):
    def test_every_room_fits(self):
        for count in range(1, 65):
            for size in ((1920, 1080), (1024, 768), (768, 1024)):
                grid = self.module("wall/tile-view.js", "m.grid(...given.slice(0, 3))", count, *size)
                self.assertGreaterEqual(grid["columns"] * grid["rows"], count)
                self.assertLess((grid["rows"] - 1) * grid["columns"], count)

    def test_as_designed(self):
        kinds = [(1, "large", 1, 1), (4, "large", 4, 1), (8, "large", 4, 2),
                 (9, "medium", 4, 3), (16, "medium", 4, 4), (36, "small", 6, 6),
                 (37, "line", 4, 10), (64, "line", 4, 16)]
        for count, kind, columns, rows in kinds:
            self.assertEqual(self.module("wall/tile-view.js", "m.grid(given[0], 1920, 1080)", count),
                             {"kind": kind, "columns": columns, "rows": rows})
        self.assertEqual(self.module("wall/tile-view.js", "m.grid(8, 390, 844)")["kind"], "list")
        self.assertEqual(self.module("wall/tile-view.js", "m.grid(8, 844, 390)")["kind"], "list")


class PieceTests(ModuleTests):
    def piece(self, name, **target):
        erg = Erg("erg-1", piece=name, **target)
        return self.module(
            "common/piece.js", "import('/assets/common/strings.js').then((w) => m.pieceName(given[0], "
            "w.allStrings(" + ENGLISH + "))).then(done)", erg.piece)

    def module(self, name, expression, *arguments):
        """Here the expression calls `done` itself."""
        return self.browser.execute_async_script(
            "const done = arguments[arguments.length - 1], given = Array.from(arguments);"
            f"import('/assets/{name}').then((m) => {expression})"
            ".catch((error) => done('failed: ' + error));", *arguments)

    def test_names(self):
        for name, expected in [
                ("just_row", "Just row"), ("distance", "2000 m"), ("time", "30 min"),
                ("calories", "100 kcal"), ("intervals", "500 m intervals"),
                ("minutes", "1 min intervals"), ("variable", "Intervals"),
                ("unknown", "Workout")]:
            self.assertEqual(self.piece(name).replace(NARROW, " "), expected)
        self.assertEqual(self.piece("distance", target_distance_m=21097.0),
                         f"21{NARROW}097{NARROW}m")

    def progress(self, name, distance, time, kcal=None, done=0):
        found = self.module(
            "common/piece.js", "import('/assets/common/strings.js').then((w) => m.progress(given[0], given[1], "
            "given[2], given[3], given[4], w.allStrings(" + ENGLISH + "))).then(done)",
            Erg("1", piece=name).piece, distance, time, kcal, done)
        return found["text"].replace(NARROW, " "), found["share"]

    def test_to_go(self):
        self.assertEqual(self.progress("distance", 1500, 300), ("500 m to go", 0.75))
        self.assertEqual(self.progress("distance", 2003, 300), ("0 m to go", 1))
        self.assertEqual(self.progress("time", 1500, 450), ("22:30 to go", 0.25))
        self.assertEqual(self.progress("calories", 1500, 450, 25), ("75 kcal to go", 0.25))
        self.assertEqual(self.progress("calories", 1500, 450), ("1500 m so far", None))

    def test_to_go_in_an_interval(self):
        self.assertEqual(self.progress("intervals", 1250, 300, done=2), ("250 m to go", 0.5))
        self.assertEqual(self.progress("minutes", 1250, 135, done=2), ("0:45 to go", 0.25))

    def test_an_unheard_end_of_an_interval_is_not_guessed_over(self):
        self.assertEqual(self.progress("intervals", 1250, 300, done=1), ("1250 m so far", None))

    def test_no_end_is_no_bar(self):
        for name in ("just_row", "variable", "unknown"):
            self.assertEqual(self.progress(name, 1250.7, 300), ("1250 m so far", None))


class RoomTests(ModuleTests):
    """Ages at exact times, and the state of the room."""

    SCRIPT = """
    const [events, now, english, done] = arguments;
    Promise.all(['common/room', 'wall/tile', 'wall/header', 'common/strings'].map(
      (name) => import(`/assets/${name}.js`)))
      .then(([room, tile, header, strings]) => {
        const known = room.emptyRoom();
        for (const [name, event, at] of events) room.applyEvent(known, name, event, at);
        const view = { strings: strings.allStrings(english), now, moves: false, track: null,
          serverOffset: known.serverOffset,
          isAway: known.receivedAt !== null && now - known.receivedAt > room.AWAY_AFTER };
        const tiles = room.inOrder(known).map((erg) => tile.tile(erg, known, view));
        done({ tiles, header: header.header(known, tiles, view) });
      }).catch((error) => done('failed: ' + error));
    """

    def after(self, events, now):
        return self.browser.execute_async_script(self.SCRIPT, copy.deepcopy(events), now, json.loads(ENGLISH))

    def room(self, *ergs, at=0, gateways=None, **more):
        content = {"sent_ms": 1795372920000, "version": "0.1", "broker": {"connected": True},
                   "gateways": gateways or [gateway()], "ergs": [erg.event() for erg in ergs]}
        return ["room", copy.deepcopy({**content, **more}), at]

    def test_greys_after_three_seconds(self):
        start = self.room(Erg("erg-1").rows())
        self.assertFalse(self.after([start], 2999)["tiles"][0]["isStale"])
        late = self.after([start], 12400)["tiles"][0]
        self.assertEqual(late["word"], f"no signal for 12{NARROW}s")
        self.assertEqual((late["big"], late["row"][0]["value"]), ("1:52.4", "24"))

    def test_age_at_the_server_counts(self):
        late = self.after([self.room(Erg("erg-1").rows(age_s=9))], 1000)["tiles"][0]
        self.assertEqual(late["word"], f"no signal for 10{NARROW}s")

    def test_figures_of_a_moment_stay_when_the_monitor_falls_silent(self):
        erg = Erg("erg-1").rows()
        start = self.room(erg)
        erg.live(stale=True, distance_m=1790.0)
        tile = self.after([start, ["erg", erg.event(), 6000]], 7000)["tiles"][0]
        self.assertEqual((tile["big"], tile["isStale"]), ("1:52.4", True))
        self.assertEqual(tile["word"], f"no signal for 7{NARROW}s")

    def test_a_page_that_comes_late_shows_dashes_and_no_zero(self):
        erg = Erg("erg-1").rows().live(stale=True)
        tile = self.after([self.room(erg)], 1000)["tiles"][0]
        self.assertEqual((tile["big"], tile["isStale"]), ("–", True))
        self.assertEqual([entry and entry["value"] for entry in tile["row"]], ["–", "–", None])

    def test_figures_of_an_earlier_session_are_not_shown(self):
        erg = Erg("erg-1").rows()
        erg.messages["live"]["age_ms"] = 60000
        erg.messages["state"]["age_ms"] = 100
        self.assertEqual(self.after([self.room(erg)], 10)["tiles"][0]["big"], "–")

    def test_a_result_of_ten_minutes_ago_makes_room(self):
        erg = Erg("erg-1").info().state("idle", piece=False).summary(0)
        start = self.room(erg)
        self.assertEqual(self.after([start], 590000)["tiles"][0]["state"], "finished")
        self.assertEqual(self.after([start], 610000)["tiles"][0]["state"], "free")

    def test_mean_is_of_those_who_row_now(self):
        ergs = [Erg("erg-1").rows(110.0, 22), Erg("erg-2").rows(120.0, 26),
                Erg("erg-3").rows(200.0, 40, age_s=30)]
        self.assertEqual(self.after([self.room(*ergs)], 10)["header"]["mean"],
                         f"room 1:55.0 · 24{NARROW}spm")

    def test_order_is_by_gateway_and_number(self):
        ergs = [Erg("erg-10"), Erg("erg-9"), Erg("erg-1", gw="attic"), Erg("window")]
        keys = [tile["key"] for tile in self.after([self.room(*ergs)], 0)["tiles"]]
        self.assertEqual(keys, ["attic/erg-1", "boathouse/erg-9", "boathouse/erg-10",
                                "boathouse/window"])

    def test_the_room_replaces_everything(self):
        events = [self.room(Erg("erg-1"), Erg("erg-2")), self.room(Erg("erg-2"), at=5)]
        self.assertEqual(len(self.after(events, 10)["tiles"]), 1)

    def test_unknown_events_and_odd_payloads_do_no_harm(self):
        erg = Erg("erg-1").rows().event()
        erg["messages"]["live"]["payload"].update(
            pace_s_per_500m="fast", stroke_rate_spm=None, power_w=[], heart_rate_bpm="x")
        odd = [["room", {"ergs": [erg]}, 0], ["unheard", {}, 0], ["erg", None, 0]]
        self.assertEqual(self.after(odd, 10)["tiles"][0]["big"], "–")

    def test_notices_worst_first(self):
        start = self.room(Erg("erg-1"))
        away = ["gateway", gateway(online=False, age_s=130), 0]
        broker = ["broker", {"connected": False, "since_ms_ago": 40000}, 0]
        failed = ["gateway", gateway(failed="the disk refuses"), 0]
        for events, now, expected in [
                ([], 0, "Connecting to the logbook"),
                ([start], 0, None),
                ([start, failed], 0, "boathouse: not recording: the disk refuses"),
                ([start, away], 0, "Gateway boathouse offline for 2 min"),
                ([start, away, broker], 0, "No connection to the broker for 40 s · "),
                ([start, away, broker], 12000, "No connection to the logbook for 12 s · ")]:
            notice = self.after(events, now)["header"]["notice"]
            text = notice and notice["text"].replace(NARROW, " ")
            self.assertEqual(text and text[:len(expected)], expected)
