"""On every screen all ergs are visible, large enough, and without overlaps.

Measures the boxes of all texts on a TV, a tablet and a phone.
"""

import scenes
from messages import Erg
from page import PHONE, SMALL_TV, TABLET, TV, UPRIGHT, PageTest

# The ink of each visible text: its box without the space above and below the letters.
INK = """
const found = [];
for (const tile of document.querySelectorAll('.tile')) {
  const texts = [], outer = tile.getBoundingClientRect();
  const walker = document.createTreeWalker(tile, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.data || element.offsetParent === null || element.closest('.spoken')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const frame = element.getBoundingClientRect();
    const isCut = getComputedStyle(element).textOverflow === 'ellipsis';
    const boxes = Array.from(range.getClientRects());
    // For a text with an ellipsis, the browser reports the visible and the whole text.
    for (const box of isCut ? boxes.slice(0, 1) : boxes) {
      const size = parseFloat(getComputedStyle(element).fontSize);
      const middle = (box.top + box.bottom) / 2;
      texts.push({ text: node.data, place: element.className || element.parentElement.className,
        size, left: box.left, top: middle - size * .36, bottom: middle + size * .36,
        right: isCut ? Math.min(box.right, frame.right) : box.right });
    }
  }
  found.push({ texts, left: outer.left, right: outer.right, top: outer.top,
    bottom: outer.bottom });
}
return found;
"""


class SizeTests(PageTest):
    def laid_out(self, ergs, size, path="/"):
        self.show(ergs, path=path, size=size)
        self.until(lambda: all(tile["name"] or tile["place"] for tile in self.tiles()), "names")
        return self.js(INK)

    def check(self, tiles, size):
        width, height = size
        self.assertTrue(self.js(
            "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
        if size != PHONE:
            self.assertTrue(self.js("return document.documentElement.scrollHeight <= innerHeight"))
        for tile in tiles:
            if size != PHONE:
                self.assertLessEqual(tile["bottom"], height)
            self.assertLessEqual(tile["right"], width)
            for text in tile["texts"]:
                self.assertInside(text, tile)
            for index, text in enumerate(tile["texts"]):
                for other in tile["texts"][:index]:
                    self.assertApart(text, other)

    def assertInside(self, text, tile):
        inside = (text["left"] >= tile["left"] and text["right"] <= tile["right"]
                  and text["top"] >= tile["top"] and text["bottom"] <= tile["bottom"])
        if not inside:
            self.fail(f"cut at {self.size}: {text} in {without_texts(tile)}")

    def assertApart(self, one, other):
        width = min(one["right"], other["right"]) - max(one["left"], other["left"])
        height = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
        # With tight tracking, the blank side of a letter may overlap its neighbour.
        if width > 0.08 * one["size"] and height > 1:
            self.fail(f"one over another at {self.size}: {one} {other}")

    def test_every_scene_on_every_screen(self):
        for name, make in scenes.SCENES.items():
            for size in (TV, SMALL_TV, TABLET, UPRIGHT, PHONE):
                for path in ("/", "/?lang=de") if name in ("wall", "states") else ("/",):
                    with self.subTest(f"{name} {size} {path}"):
                        tiles = self.laid_out(make(), size, path)
                        language = path.partition("=")[2] or "en"
                        self.shot(f"{name}-{size[0]}x{size[1]}-{language}")
                        self.check(tiles, size)

    def test_daylight(self):
        for name, size in (("wall", TV), ("states", SMALL_TV), ("sixty-four", TV), ("wall", PHONE)):
            tiles = self.laid_out(scenes.SCENES[name](), size, "/?theme=light")
            self.shot(f"{name}-{size[0]}x{size[1]}-light")
            self.check(tiles, size)

    def test_long_figures(self):
        slow = Erg("erg-1", name="Amara Okafor", piece="just_row")
        slow.rows(905.0, 12, 199, distance_m=121097.0, elapsed_s=31000.0)
        strong = Erg("erg-2", name="Jón Þórsson").rows(72.1, 48, 204)
        long = Erg("erg-3", piece="distance", target_distance_m=42195.0).info()
        long.state("finished", session=long.session).summary(distance=42195.0, time=10462.7)
        rest = Erg("erg-4", piece="open_rest").info()
        rest.state("resting", session=rest.session).split(12, 754.0)
        rest.live(state="resting", heart_rate_bpm=101, rest_time_s=595.0)
        marathon = Erg("erg-5", target_distance_m=42195.0).rows(distance_m=0.0)
        for size in (TV, SMALL_TV, TABLET, UPRIGHT, PHONE):
            ergs = [slow, strong, long, rest, marathon] + scenes.rowers(8)[5:]
            tiles = self.laid_out(ergs, size)
            self.shot(f"long-{size[0]}x{size[1]}")
            self.check(tiles, size)

    def sizes(self, tiles, height):
        """The smallest text of each kind, as a share of the screen height."""
        found = {}
        for tile in tiles:
            for text in tile["texts"]:
                part = text["size"] / height
                found[text["place"]] = min(part, found.get(text["place"], part))
        return found

    def test_legible_across_the_room(self):
        for width, height in (TV, SMALL_TV):
            found = self.sizes(self.laid_out(scenes.rowers(8), (width, height)), height)
            self.assertGreaterEqual(found["value"], 0.09)
            self.assertLessEqual(found["value"], 0.12)
            self.assertGreaterEqual(found["number"], 0.044)
            self.assertGreaterEqual(found["name"], 0.03)
            for count in (1, 3, 8, 16, 36, 64):
                found = self.sizes(self.laid_out(scenes.rowers(count), (width, height)), height)
                self.assertGreaterEqual(min(found.values()), 0.0229, f"{count} {found}")

    def test_a_figure_does_not_move_its_neighbours(self):
        erg = Erg("erg-1").rows(rate=9, heart=99)
        self.laid_out([erg] + scenes.rowers(8)[1:], TV)
        places = """return Array.from(document.querySelector('.tile').querySelectorAll(
          '.figure .unit, .value, .name')).map((element) => element.getBoundingClientRect().left)"""
        before = self.js(places)
        self.scenes.send_erg(erg.rows(pace=151.9, rate=31, heart=188))
        self.until(lambda: self.tile()["big"] == "2:31.9", "the new figures")
        for one, other in zip(self.js(places), before):
            self.assertAlmostEqual(one, other, delta=0.1)

    def test_turned_and_resized(self):
        self.laid_out(scenes.wall(), TV)
        for size in (UPRIGHT, PHONE, TABLET, TV):
            self.resize(size)
            kind = "list" if size == PHONE else "large"
            self.until(lambda: self.js("return document.documentElement.dataset.kind") == kind,
                       f"the layout of {size}")
            self.check(self.js(INK), size)


def without_texts(tile):
    return {name: value for name, value in tile.items() if name != "texts"}
