"""Each state of the contract looks as Wall.md describes, with nothing blank and no false zero.

Shows a room with one erg in that state.
"""

import json
import re

import scenes
from messages import Erg, best, gateway, session_id
from page import PHONE, PageTest

NARROW = "\u202f"


def plain(value):
    """Replaces special spaces by ordinary ones."""
    return json.loads(json.dumps(value).replace("\\u202f", " "))


class StateTests(PageTest):
    def one(self, erg, gateways=None, path="/", name=None):
        """The tile of a room with one erg."""
        self.show([erg], gateways, path)
        self.until(lambda: self.tile()["name"] or self.tile()["place"], "the tile speaks")
        if name:
            self.shot(f"state-{name}")
        live = erg.messages.get("live")
        if gateways or not live or live["age_ms"]:
            return plain(self.tile())

        def fresh():
            tile = self.tile()
            if not tile["stale"]:
                return tile
            # It turns stale after three seconds; a slow machine may read it later.
            return self.scenes.send_erg(erg)
        return plain(self.until(fresh, "who has just been heard is not stale"))

    def check(self, tile, **expected):
        self.assertEqual({key: tile[key] for key in expected}, expected)

    def test_rowing(self):
        tile = self.one(Erg("erg-1", name="Amara Okafor").rows(), name="rowing")
        self.check(tile, state="rowing", stale=False, place="1", name="Amara Okafor",
                   big="1:52.4")
        self.assertEqual([text.replace(" ", "") for text in tile["row"]],
                         ["24spm", "246W", "156bpm"])
        self.assertRegex(tile["go"], r"^2\d\d m to go$")
        self.assertGreater(tile["curve"], 100)

    def test_bike_erg_has_its_pace_for_1000_m(self):
        erg = Erg("erg-1", name="Amara Okafor").rows().info("bike_without_arms")
        tile = self.one(erg)
        self.check(tile, state="rowing", big="3:44.8")
        self.assertEqual(tile["unit"].replace("\u202f", " "), "/1000 m")

    def test_rowing_without_belt_curve_or_end(self):
        erg = Erg("erg-1", piece="just_row").rows(heart=None)
        del erg.messages["force"]
        tile = self.one(erg)
        self.assertEqual(len(tile["row"]), 2)
        self.check(tile, name="Erg 1", curve=0, share=None)
        self.assertRegex(tile["go"], r"^1\d\d\d m so far$")

    def test_before_the_first_stroke_there_are_dashes(self):
        erg = Erg("erg-1").info().state("rowing", session=session_id("x"))
        erg.live(distance_m=0.0, elapsed_s=0.0)
        tile = self.one(erg)
        self.check(tile, big="–", row=["–", "–"], go="2000 m to go")

    def test_an_incomplete_curve_is_not_drawn(self):
        erg = Erg("erg-1").rows()
        erg.force(2, complete=False)
        self.check(self.one(erg), curve=0, big="1:52.4")

    def test_interval(self):
        erg = Erg("erg-1", piece="intervals").rows(distance_m=1250.0, elapsed_s=290.0).split(2)
        self.check(self.one(erg), word="interval 3")

    def test_intervals_that_the_gateway_counts(self):
        """8 x 500 m: number, count and remaining distance."""
        erg = Erg("erg-1", name="Amara Okafor", piece="intervals")
        erg.rows(distance_m=680.0, elapsed_s=150.0)
        erg.interval(2, 8, interval_distance_m=180.0, interval_elapsed_s=40.0,
                     remaining_distance_m=320.0)
        self.prefer(motion="reduce")
        tile = self.one(erg, name="interval-of")
        self.check(tile, word="interval 2 of 8", go="320 m to go", share="scaleX(0.36)")
        self.assertEqual(plain(self.text("title")).replace("\u2009", ""), "8×500 m")
        self.assertIn("interval 2 of 8", self.text("sub"))
        timed = Erg("erg-1", piece="minutes").rows(distance_m=900.0, elapsed_s=225.0)
        timed.interval(4, 10, interval_distance_m=150.0, interval_elapsed_s=45.0,
                       remaining_time_s=15.0)
        self.check(self.one(timed), word="interval 4 of 10", go="0:15 to go", share="scaleX(0.75)")

    def test_of_intervals_that_differ_the_present_one_is_counted_down(self):
        erg = Erg("erg-1", piece="variable").rows(distance_m=1100.0, elapsed_s=250.0)
        erg.interval(2, interval_distance_m=350.0, remaining_distance_m=150.0)
        self.prefer(motion="reduce")
        self.check(self.one(erg), word="interval 2", go="150 m to go", share="scaleX(0.7)")
        self.assertEqual(self.text("title"), "Intervals")

    def test_a_rest_shows_the_last_interval(self):
        # The monitor reports a split only at the end of the rest: the newest one is of the interval before.
        erg = Erg("erg-1", name="Amara Okafor", piece="intervals").info()
        erg.state("resting", session=erg.session).split(2, 120.0).stroke(90, interval=3)
        erg.live(state="resting", rest_time_s=37.6, heart_rate_bpm=141, distance_m=1500.0)
        tile = self.one(erg)
        self.check(tile, word="interval 3", row=["141bpm"])
        erg.interval(3, 8, interval_avg_pace_s_per_500m=113.1)
        self.until(lambda: self.scenes.send_erg(erg) or self.tile()["word"] == "interval 3 of 8",
                   "the count")
        self.check(plain(self.tile()), lines=["next 500 m"])
        self.assertEqual(self.tile()["row"][0].replace("\u202f", " "), "1:53.1last")
        erg.interval(8, 8, interval_avg_pace_s_per_500m=113.1)
        self.until(lambda: self.scenes.send_erg(erg) or self.tile()["word"] == "interval 8 of 8",
                   "the last one")
        self.check(self.tile(), lines=[])

    def test_a_rest_is_known_to_who_comes_late(self):
        erg = Erg("erg-1", name="Amara Okafor", piece="intervals").info()
        erg.state("resting", session=erg.session)
        erg.interval(3, 8, state=True, interval_avg_pace_s_per_500m=113.1)
        tile = self.one(erg)
        self.assertEqual(tile["row"][0].replace("\u202f", " "), "1:53.1last")

    def test_resting(self):
        erg = scenes.wall()[6]
        tile = self.one(erg, name="resting")
        self.check(tile, state="resting", big="0:38", unit="rest", word="interval 2",
                   lines=["next 500 m"])
        self.assertEqual([text.replace(" ", "") for text in tile["row"]],
                         ["1:54.0last", "141bpm"])

    def test_resting_without_a_set_end(self):
        erg = Erg("erg-1", piece="open_rest").info()
        erg.state("resting", session=erg.session).live(state="resting", rest_time_s=0.0)
        self.check(self.one(erg), big="rest", lines=["row when you are ready"])

    def test_every_value_of_a_silent_erg_is_grey(self):
        resting = scenes.wall()[6]
        resting.messages["live"]["age_ms"] = 9000
        for erg in (resting, scenes.states()[7]):
            self.assertTrue(self.one(erg)["stale"])
            colours = self.js("return ['.value', '.number', '.name'].map((name) => "
                              "getComputedStyle(document.querySelector(name)).color)")
            self.assertEqual(set(colours), {"rgb(132, 147, 161)"})

    def test_paused(self):
        tile = self.one(scenes.states()[0], name="paused")
        self.check(tile, state="paused", word="paused", big="1:53.2", unit="average",
                   go="214 m to go")

    def test_finished(self):
        tile = self.one(scenes.states()[1], name="finished")
        self.check(tile, state="finished", word="finished", big="7:21.3",
                   lines=["2000 m · 1:50.3 /500 m", "✓ verified"])

    def best(self, erg, age_ms=0, **others):
        """The event of a new best at an erg."""
        self.scenes.send("best", best(erg, age_ms / 1000, **{
            "event": "2000m", "event_distance_m": 2000, "time_s": 441.3, "distance_m": 2000.0,
            "before_time_s": 450.2, "before_distance_m": 2000.0, **others}))

    def announced_best(self):
        return plain(self.js("const note = document.querySelector('.note[data-kind=best]');"
                             "return note && note.offsetParent ? note.textContent : ''"))

    def gold(self):
        return self.js("return Array.from(document.querySelectorAll('.tile[data-best]'))"
                       ".map((tile) => tile.querySelector('.name').textContent)")

    def test_a_best_shines_briefly_and_is_announced_for_longer(self):
        erg = scenes.states()[1]
        self.one(erg)
        # A less important best of the same piece, and a best of another erg.
        self.best(erg, result="effort", event="500m", event_distance_m=500, time_s=104.9)
        self.best(erg)
        self.until(lambda: self.gold() == [self.tile()["name"]], "the tile is gold")
        self.until(self.announced_best, "it is announced")
        announced = self.announced_best()
        self.assertEqual(announced, f"{self.tile()['name']} \u00b7 2000 m \u00b7 7:21.3 \u00b7 best ever")
        self.shot("state-best")
        self.until(lambda: self.gold() == [], "it is over after six seconds")
        self.assertEqual(self.announced_best(), announced)
        self.assertEqual(self.text("spoken"), self.js(
            "return document.querySelector('.note[data-kind=best]').textContent"))
        self.show([erg])
        self.best(erg, age_ms=59000, scope="season")
        self.until(lambda: "best of the season" in self.announced_best(), "a page that comes late")
        self.assertEqual(self.gold(), [])
        self.until(lambda: self.announced_best() == "", "it is announced for a minute")

    def test_the_first_result_of_its_kind_is_no_best(self):
        erg = scenes.states()[1]
        self.one(erg)
        self.best(erg, before_time_s=None, before_distance_m=None)
        other = Erg("erg-9", name="Amara Okafor")
        self.best(other)
        self.until(self.announced_best, "the other one's is announced")
        self.assertNotIn(self.tile()["name"], self.announced_best())
        self.assertEqual(self.gold(), [])

    def test_a_best_is_shown_beside_the_workout(self):
        ergs = scenes.rowers(2)
        self.show(ergs)
        self.until(lambda: self.text("sub"), "what they row")
        self.best(ergs[0])
        self.until(self.announced_best, "it is announced")
        self.scenes.send_erg(ergs[0])
        seen = "return document.getElementById('sub').offsetParent !== null"
        self.assertTrue(self.js(seen) and "rowing" in self.text("sub"))
        self.command("Emulation.setEmulatedMedia", media="print")
        try:
            self.assertTrue(self.js(seen))
            self.assertEqual(self.announced_best(), "", "it is not printed")
            self.scenes.send("broker", {"connected": False, "since_ms_ago": 4000})
            self.until(lambda: self.text("notice"), "trouble")
            self.assertTrue(self.js(seen), "on paper nothing takes its place")
        finally:
            self.command("Emulation.setEmulatedMedia", media="")
        self.assertFalse(self.js(seen))

    def test_trouble_and_a_best_have_a_place_each(self):
        erg = scenes.states()[1]
        self.one(erg)
        self.best(erg, session_id="01J0000000000000000000000A", event="30min", event_time_s=1800,
                  distance_m=8012.4, result="effort")
        self.until(lambda: "8012" in self.announced_best(), "metres of a time")
        self.assertIn("fastest stretch so far", self.announced_best())
        self.assertEqual(self.gold(), [])
        self.scenes.send("broker", {"connected": False, "since_ms_ago": 4000})
        self.until(lambda: "No connection to the broker" in self.text("notice"), "trouble")
        self.assertIn("fastest stretch so far", self.announced_best())

    def test_finished_and_disputed(self):
        erg = Erg("erg-1").info()
        erg.state("finished", session=erg.session).summary(verified=False, complete=False)
        self.check(self.one(erg, name="disputed"), word="stopped early",
                   lines=["2000 m · 1:50.3 /500 m", "differs from the monitor"])

    def test_finished_by_time_and_by_intervals(self):
        erg = Erg("erg-1", piece="time").info()
        erg.state("finished", session=erg.session)
        erg.summary(distance=7521.0, time=1800.0)
        self.check(self.one(erg), big="7521", unit="m")
        erg = Erg("erg-1", piece="intervals").info()
        erg.state("finished", session=erg.session).summary(verified=None)
        self.check(self.one(erg), big="1:50.3", unit="average", lines=["2000 m · 7:21.3"])

    def test_finished_before_the_summary_came(self):
        erg = Erg("erg-1").info()
        erg.state("finished", session=erg.session).stroke(199, elapsed_s=441.1, distance_m=1999.2)
        self.check(self.one(erg), big="7:21.1", lines=["2000 m"])

    def test_the_result_stays_until_the_next_stroke(self):
        erg = Erg("erg-1").info().state("idle", piece=False).summary()
        self.check(self.one(erg), state="finished", big="7:21.3")
        self.scenes.send_erg(erg.rows())
        self.until(lambda: self.tile()["state"] == "rowing", "rows again")

    def test_armed(self):
        tile = self.one(scenes.states()[2], name="armed")
        self.check(tile, state="armed", word="ready", big="2000 m",
                   lines=["row to start", "last 2000 m · 7:21.3"])
        self.assertEqual(plain(self.text("title")), "2000 m")

    def test_free(self):
        tile = self.one(Erg("erg-8").info().state("idle", piece=False), name="free")
        self.check(tile, state="free", name="Erg 8", big="free", lines=["sit down and row"])
        self.assertEqual(self.text("title"), "Nobody is rowing")

    def test_free_on_other_machines(self):
        for machine in ("ski_erg", "bike_without_arms"):
            erg = Erg("ski-1").info(machine).state("idle", piece=False)
            self.check(self.one(erg), name="ski 1", lines=["ready when you are"])

    def test_asleep(self):
        tile = self.one(scenes.states()[3], name="asleep")
        self.check(tile, state="asleep", lines=["any button wakes it"])
        self.assertRegex(tile["big"], r"^asleep since \d\d:\d\d$")

    def test_searching(self):
        tile = self.one(scenes.states()[4], name="searching")
        self.check(tile, state="searching", lines=["press any button on the monitor"])
        self.assertRegex(tile["big"], r"^searching since \d\d:\d\d$")

    def test_never_found(self):
        self.check(self.one(Erg("erg-9").offline()), state="searching", big="not found yet")

    def test_released_and_parked(self):
        self.check(self.one(scenes.states()[5]), state="released", big="with a phone")
        self.check(self.one(scenes.states()[6], name="parked"), state="parked",
                   lines=["a phone or another gateway keeps connecting"])
        self.check(self.one(scenes.states()[6], path="/?lang=de"), state="parked", big="nicht verbunden",
                   lines=["ein anderes Gerät belegt den Monitor"])

    def test_parked_by_an_earlier_gateway(self):
        for language, lines in ("en", ["hci0 holds 7 of 7 links"]), ("de", []):
            erg = Erg("erg-7").info().offline().state(
                "parked", piece=False, reason="hci0 holds 7 of 7 links")
            self.check(self.one(erg, path="/?lang=" + language), state="parked", lines=lines)

    def test_link_lost_in_a_piece(self):
        tile = self.one(scenes.states()[7], name="lost")
        self.check(tile, state="rowing", stale=True, big="1:58.3")
        self.assertRegex(tile["word"], r"^searching for \d+ s$")

    def test_gateway_away(self):
        away = [gateway(online=False, age_s=180)]
        tile = self.one(Erg("erg-1", name="Li Wei").rows(age_s=190), away, name="gateway-away")
        self.check(tile, stale=True, big="1:52.4", word="gateway offline 3 min")
        self.assertEqual(plain(self.text("notice")), "Gateway boathouse offline for 3 min")
        tile = self.one(Erg("erg-8").state("idle", piece=False), away)
        self.assertRegex(tile["big"], r"^gateway offline since \d\d:\d\d$")

    def test_german(self):
        tile = self.one(Erg("erg-1", name="Jörg Groß").rows(), path="/?lang=de", name="german")
        self.check(tile, big="1:52,4", name="Jörg Groß")
        self.assertRegex(tile["go"], r"^noch 2\d\d m$")
        self.assertEqual(self.js("return document.documentElement.lang"), "de")


class HostileTests(PageTest):
    """Hostile texts are shown as text and keep their place."""

    NAMES = ["<script>document.title='taken'</script>", "<img src=x onerror=alert(1)>",
             "Maximiliane-Charlotte von und zu Hohenstaufen-Württemberg", "x" * 400,
             "\u202eevil drawkcab", "مريم الأنصاري", "山田 花子", "a\u0301\u0302\u0303" * 40]

    def test_names_are_text_and_stay_in_their_place(self):
        for size in ((1920, 1080), PHONE):
            ergs = [Erg(f"erg-{index}", name=name).rows()
                    for index, name in enumerate(self.NAMES, 1)]
            self.show(ergs, size=size)
            self.until(lambda: all(tile["name"] for tile in self.tiles()), "all have names")
            self.shot(f"hostile-{size[0]}")
            self.assertEqual(self.tile()["name"][:7], "<script")
            self.assertEqual(self.js("return document.querySelectorAll('main script, main img')"
                                     ".length"), 0)
            self.assertIn("rowgate", self.browser.title)
            self.assertEqual(self.js("return document.documentElement.scrollWidth "
                                     "<= document.documentElement.clientWidth"), True)

    def test_given_name_and_initial_before_an_ellipsis(self):
        name = "Bartholomew Featherstonehaugh-Cholmondeley"
        self.show([Erg(f"erg-{index}", name=name).rows() for index in range(8)])
        self.until(lambda: self.tile()["name"] == "Bartholomew F.", "the short name")

    def test_reasons_of_a_gateway_are_text(self):
        reason = "<b>" + "the disk refuses " * 30
        self.show([Erg("erg-1").rows()], [gateway(failed=reason)])
        self.until(lambda: self.text("notice").startswith("boathouse: not recording: <b>"),
                   "the reason")
        self.assertTrue(self.js("return document.documentElement.scrollWidth <= innerWidth"))
        self.assertTrue(self.js("const title = document.getElementById('title');"
                                "return title.scrollWidth <= title.clientWidth"), "not squeezed")
        self.shot("failed")


class ReadingTests(PageTest):
    """Screen readers and keyboard use."""

    def test_names_and_roles(self):
        self.show(scenes.wall())
        self.until(lambda: self.text("title") not in ("", "rowgate"), "the title")
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        found = [(node["role"]["value"], node.get("name", {}).get("value", ""))
                 for node in nodes if not node["ignored"]]
        roles = [role for role, _ in found]
        self.assertIn(("heading", f"500{NARROW}m intervals"), found)
        self.assertIn("main", roles)
        self.assertIn("list", roles)
        self.assertEqual(roles.count("listitem"), 8)
        headings = [name for role, name in found if role == "heading"]
        self.assertIn("1 Amara Okafor", [" ".join(name.split()) for name in headings])
        self.assertIn("Stroke rate", [name for role, name in found if role == "StaticText"])

    def test_a_notice_is_read_once(self):
        self.show([Erg("erg-1").rows()], [gateway(online=False, age_s=5)])
        self.until(lambda: self.text("spoken"), "it is spoken")
        announced = self.text("spoken")
        self.until(lambda: self.text("notice") != announced, "the age counts on")
        self.assertEqual(self.text("spoken"), announced)

    def test_no_state_is_shown_by_colour_alone(self):
        self.show(scenes.states())
        self.until(lambda: self.tile()["word"], "words")
        for tile in self.tiles():
            self.assertTrue(tile["word"] or tile["big"], tile)


class HeaderTests(PageTest):
    def test_what_all_row(self):
        ergs = scenes.wall()
        self.show(ergs)

        def is_shown():
            # An erg that is silent for three seconds no longer counts.
            for erg in ergs:
                self.scenes.send_erg(erg)
            title, sub, mean = plain([self.text(name) for name in ("title", "sub", "mean")])
            return (title, sub) == ("500 m intervals", "5 of 8 rowing") \
                and re.match(r"^room 1:53\.5 · 2\d spm$", mean)
        self.until(is_shown, "what, how many, and their mean")

    def test_different_pieces(self):
        self.show([Erg("erg-1").rows(), Erg("erg-2", piece="time").rows()])
        self.until(lambda: self.text("title") == "Different workouts", "the title")

    def test_an_empty_room_says_so(self):
        self.show([], [gateway()])
        self.until(lambda: self.text("empty") == "No ergs yet", "words")
        below = "return document.getElementById('why').getBoundingClientRect().bottom"
        self.assertLess(self.js(below), self.size[1], "it is on the screen")
        self.shot("empty")

    def test_two_gateways_with_the_same_places(self):
        ergs = [Erg("erg-1", gw=gw).info().state("idle", piece=False) for gw in ("attic", "cellar")]
        self.show(ergs)
        self.until(lambda: [tile["name"] for tile in self.tiles()] == ["attic 1", "cellar 1"],
                   "whose they are")

    def test_themes(self):
        ground = "return getComputedStyle(document.documentElement).backgroundColor"
        dark, light = "rgb(11, 16, 22)", "rgb(243, 245, 247)"
        for scheme, path, expected in [
                ("dark", "/", dark), ("light", "/", light), ("dark", "/?theme=light", light),
                ("light", "/?theme=dark", dark)]:
            self.prefer(scheme=scheme)
            self.show([Erg("erg-1").rows()], path=path)
            self.until(lambda: self.js(ground) == expected, f"{scheme} {path} is {expected}")
