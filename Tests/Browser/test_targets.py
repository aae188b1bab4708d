"""Targets, places, alerts and crews on the wall.

The wall shows messages with them; modules without DOM are called directly.
"""

import copy
import json

import scenes
from messages import Erg, crew, gateway
from page import PHONE, TV, PageTest, browser

LIGHTS = """
return Array.from(document.querySelectorAll('.tile')).map((tile) => {
  const light = tile.querySelector('.light');
  return { light: tile.dataset.light || '', word: light.offsetParent === null ? ''
    : light.textContent, edge: getComputedStyle(tile, '::before').backgroundColor };
});
"""


def plain(value):
    return json.loads(json.dumps(value).replace("\\u202f", " "))


class WallTests(PageTest):
    def lights(self):
        return self.js(LIGHTS)

    def notes(self):
        return plain(self.js("return Array.from(document.querySelectorAll('.note'))"
                             ".filter((one) => one.offsetParent !== null)"
                             ".map((one) => one.textContent)"))

    def evening(self, size=TV, path="/"):
        ergs = scenes.targets()
        self.resize(size)
        self.scenes.show(ergs, [gateway()], [scenes.FOUR])
        self.browser.get(self.scenes.address + path)
        self.until(lambda: len(self.tiles()) == len(ergs) and self.lights()[0]["light"],
                   "the lights")
        return ergs

    def test_a_light_has_its_word_and_its_colour(self):
        self.evening()
        self.shot("targets-wall")
        lights = self.lights()
        self.assertEqual([(one["light"], one["word"]) for one in lights[:4]], [
            ("in", "on target"), ("hard", "fast"), ("in", "on target"), ("easy", "slow")])
        self.assertEqual(len({one["edge"] for one in lights[:4]}), 3)
        # Stale values have no verdict, and a rest has no target.
        self.assertEqual([one["light"] for one in (lights[4], lights[6], lights[7])], ["", "", ""])
        self.assertIn("target 1:50 to 1:55", plain(self.text("sub")))

    def test_a_single_pace_is_shown(self):
        erg = Erg("erg-1", name="Li Wei").rows(105.6).asks(pace=(105.0, 105.0))
        other = Erg("erg-2", name="Amara Okafor").rows(112.4).asks(pace=(105.0, 105.0))
        self.show([erg, other])
        self.until(lambda: "target 1:45 " in self.text("sub"), "the target")
        self.assertEqual([(one["light"], one["word"]) for one in self.lights()],
                         [("in", "on target"), ("easy", "slow")])
        self.shot("target-single")

    def test_alerts_and_crews_stand_below(self):
        ergs = self.evening()
        self.assertEqual(self.notes(), [
            "Erg 2: heart rate 171, limit 168", "Erg 5: no stroke for 9 s",
            "four · 1:53.2 · 24 spm · 94 % match"])
        ergs[1].alerts("heart_rate_high", seen=["heart_rate_high"])
        self.scenes.send_erg(ergs[1])
        self.until(lambda: len(self.notes()) == 2, "what somebody has seen is off the wall")
        self.until(lambda: self.notes() == ["Erg 5: no stroke for 9 s"],
                   "a crew that is told no more is gone")
        self.scenes.send_crew(crew("four", ["erg-1", "erg-2"], pace=110.0, alike=0.5))
        self.until(lambda: "four · 1:50.0 · 24 spm · 50 % match" in self.notes(), "it rows again")
        for erg in (ergs[4], ergs[7]):
            self.scenes.send_erg(erg.alerts())
        self.until(lambda: len(self.notes()) < 2, "nothing fires")

    def test_the_same_alert_of_many_ergs_is_one_note(self):
        ergs = scenes.rowers(8)
        for erg in ergs:
            erg.alerts("off_pace", value=123.4, threshold=115.0)
        self.show(ergs)
        self.until(lambda: self.notes() == ["8 off pace"], "one note for all eight")
        for erg in ergs[1:]:
            self.scenes.send_erg(erg.alerts())
        self.until(lambda: self.notes() == ["Erg 1: pace 2:03.4, target 1:55 or faster"], "the last one, with values")

    def test_many_alerts_are_a_number(self):
        ergs = scenes.rowers(8)
        rules = ("off_pace", "stopped", "heart_rate_high", "battery_low", "drag_out_of_band")
        for index, erg in enumerate(ergs):
            erg.alerts(rules[min(index, 4)])
        self.show(ergs)
        self.until(lambda: len(self.notes()) == 4, "three and a number")
        hidden = sum(int(note.split()[0]) if note[0].isdigit() else 1 for note in self.notes()[:3])
        self.assertEqual(self.notes()[-1], f"and {8 - hidden} more")

    def test_german(self):
        self.evening(path="/?lang=de&theme=light")
        self.shot("targets-wall-german-light")
        self.assertEqual([one["word"] for one in self.lights()[:4]],
                         ["im Ziel", "zu schnell", "im Ziel", "zu langsam"])

    def test_the_gap_to_the_leader(self):
        ergs = scenes.rowers(3)
        self.show(ergs, path="/?theme=dark")
        def words():
            return [plain(tile["word"]) for tile in self.tiles()]
        self.assertEqual(words()[0], "place 1 · leading")
        self.assertRegex(words()[1], r"^place 2 · \d+ m behind$")
        self.assertRegex(words()[2], r"^place 3 · \d+ m behind$")
        self.shot("places-wall")

    def test_who_has_finished_keeps_the_place(self):
        """Three of four have finished: the fourth is fourth, and does not lead."""
        ergs = [Erg(f"erg-{number}", name=name) for number, name in enumerate(scenes.NAMES[:4], 1)]
        for erg, time in zip(ergs, (441.3, 438.0, 445.9)):
            erg.info().state("finished", session=erg.session)
            erg.summary(age_s=450.0 - time, time=time, began_s=450.0)
        ergs[3].rows(distance_m=1900.0, elapsed_s=449.0)
        self.show(ergs)
        def words():
            for erg in ergs:
                self.scenes.send_erg(erg)
            return [plain(tile["word"]) for tile in self.tiles()]
        expected = ["finished · place 2", "finished · place 1", "finished · place 3", "place 4"]
        self.until(lambda: words() == expected, "the places")
        self.shot("places-finished")
        ergs[3].info().state("finished", session=ergs[3].session)
        ergs[3].summary(age_s=0.5, time=448.5, began_s=449.0)
        self.until(lambda: words()[3] == "finished · place 4", "its place stays")

    def test_who_rows_something_else_has_no_place(self):
        for other in (Erg("erg-2", piece="time").rows(elapsed_s=400.0),
                      Erg("erg-2", target_distance_m=5000.0).rows(elapsed_s=400.0),
                      Erg("erg-2").rows(elapsed_s=340.0, distance_m=1500.0)):
            self.show([Erg("erg-1").rows(elapsed_s=400.0), other])
            self.assertEqual([tile["word"] for tile in self.tiles()], ["", ""])

    def test_tiles_by_place_where_it_is_wished(self):
        ergs = scenes.rowers(4)
        ergs[3].rows(100.0, distance_m=1850.0, elapsed_s=400.0)
        self.show(ergs, path="/?order=place")
        names = lambda: [tile["place"] for tile in self.tiles()]
        self.until(lambda: names() == ["4", "1", "2", "3"], "the leader is first")
        self.show(ergs)
        self.assertEqual(names(), ["1", "2", "3", "4"])

    def test_hostile_rules_and_crews_are_text(self):
        script = "<script>document.title='owned'</script>"
        erg = Erg("erg-1", name="Li Wei").rows().alerts("stopped")
        firing = copy.deepcopy(erg.messages["alerts"]["payload"])
        erg.messages["alerts"]["payload"] = {
            **firing, "rules": [script], "acknowledged_by": {"x": script}}
        four = copy.deepcopy(scenes.FOUR)
        four["messages"]["live"]["payload"].update(erg_force_similarity_ratio={"a": script})
        for size in (TV, PHONE):
            self.resize(size)
            self.scenes.show([erg], [gateway()], [four, {**four, "crew": script}])
            self.browser.get(self.scenes.address + "/")
            self.until(lambda: len(self.notes()) == 3, "all are told")
            self.assertEqual(self.js("return document.querySelectorAll('#notifications script').length"), 0)
            self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
        self.assertNotEqual(self.browser.title, "owned")


class TargetModuleTests(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        browser().get(cls.scenes.address + "/assets/common/icon.svg")

    STRINGS = f"(await import('/assets/common/strings.js')).allStrings({scenes.strings_text('en')})"

    def ask(self, expression, live, module="common/piece.js"):
        return plain(self.browser.execute_async_script(
            "const [live, done] = [arguments[0], arguments[1]];"
            f"(async () => {{ const m = await import('/assets/{module}');"
            f" const strings = {self.STRINGS}; return {expression}; }})().then(done,"
            " (error) => done('failed: ' + error));", live))

    def live(self, **target):
        return Erg("erg-1").rows(112.4).asks(**target).messages["live"]["payload"]

    def test_target_text(self):
        for target, expected in [
                ({"pace": (110.0, 115.0)}, "1:50 to 1:55"), ({"pace": (110.5, None)},
                                                             "1:50.5 or slower"),
                ({"pace": (None, 115.0)}, "1:55 or faster"), ({"power": (200, 220)},
                                                              "200 to 220 W"),
                ({"rate": (22, None)}, "from 22 spm"), ({"heart": (None, 150)}, "up to 150 bpm"),
                ({}, "")]:
            self.assertEqual(self.ask("m.targetText(live, strings)", self.live(**target)), expected)

    def test_what_is_off_goes_before_what_is_in(self):
        for target, expected in [
                ({"pace": (110.0, 115.0), "rate": (20, 22)}, ["hard", "rate too high"]),
                ({"pace": (100.0, 105.0), "rate": (20, 22)}, ["easy", "slow"]),
                ({"pace": (110.0, 115.0), "heart": (160, 170)}, ["easy", "heart rate too low"]),
                ({"power": (100, 200)}, ["hard", "power too high"])]:
            light = self.ask("m.targetState(live, strings)", self.live(**target))
            self.assertEqual([light["look"], light["word"]], expected)
        self.assertIsNone(self.ask("m.targetState(live, strings)", self.live()))

    def test_more_effort_is_to_the_right(self):
        for target, text, order in [
                ({"pace": (110.0, 115.0)}, "on target", "fnt"),
                ({"pace": (114.0, 120.0)}, "1.6 s fast", "ftn"),
                ({"pace": (100.0, 105.0)}, "7.4 s slow", "nft"),
                ({"power": (300, 320)}, "54 W too low", "nft"),
                ({"pace": (None, 105.0)}, "7.4 s slow", "nft"),
                ({"pace": (120.0, None)}, "7.6 s fast", "ftn"),
                ({"rate": (18, 20)}, "4 spm too high", "ftn")]:
            scale = self.ask("m.scale(live, strings)", self.live(**target))
            places = {"f": scale["from"], "t": scale["to"], "n": scale["needle"]}
            self.assertEqual(scale["text"], text)
            self.assertEqual("".join(sorted(places, key=places.get)), order, target)
            self.assertTrue(all(0 <= place <= 1 for place in places.values()), scale)

    def test_a_band_without_a_figure_has_no_needle(self):
        live = self.live(pace=(110.0, 115.0))
        for name in ("pace_s_per_500m", "pace_vs_target"):
            del live[name]
        scale = self.ask("m.scale(live, strings)", live)
        self.assertIsNone(scale["needle"])
        self.assertEqual((scale["text"], scale["targetText"]), ("", "1:50–1:55"))
        self.assertIsNone(self.ask("m.scale(live, strings)", self.live()))

    def test_workouts_with_targets_are_what_the_contract_has(self):
        typed = {"kind": "distance", "length": "2000", "pace": "1:50-1:55", "power": "180 - 200",
                 "rate": "24", "heart": "-160"}
        self.assertEqual(self.ask("m.fieldsOf(live)", typed, "coach/workouts.js"), {
            "type": "distance", "distance_m": 2000, "target_pace_min_s_per_500m": 110,
            "target_pace_max_s_per_500m": 115, "target_power_min_w": 180, "target_power_max_w": 200,
            "target_stroke_rate_min_spm": 24, "target_stroke_rate_max_spm": 24,
            "target_heart_rate_max_bpm": 160})
        typed = {"kind": "distance", "length": "2000", "pace": "1:52", "power": "75-80 %"}
        self.assertEqual(self.ask("m.fieldsOf(live)", typed, "coach/workouts.js"), {
            "type": "distance", "distance_m": 2000, "target_pace_s_per_500m": 112,
            "target_2k_power_min_pct": 75, "target_2k_power_max_pct": 80})
