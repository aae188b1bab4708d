"""What pages take from the club and the device: its name in titles, the manifest, and a screen that stays on."""

import json

import scenes
from page import PageTest

# Counts the requests; `fails` makes the next one fail, as a browser does when the battery is low.
WAKE_LOCK = """
window.wakeLocks = 0;
window.failures = [];
addEventListener('unhandledrejection', (event) => window.failures.push(String(event.reason)));
Object.defineProperty(navigator, 'wakeLock', { value: { request(kind) {
  window.wakeLocks += kind === 'screen' ? 1 : 0;
  return window.fails ? Promise.reject(new DOMException('battery')) : Promise.resolve({});
} } });
"""


class ClubTests(PageTest):
    def setUp(self):
        super().setUp()
        self.scenes.guest = scenes.COACH
        self.scenes.show(scenes.targets())

    def visit(self, path):
        self.browser.get(self.scenes.address + path)
        self.until(lambda: self.js("return document.title.includes('\\u00b7')"), f"{path} has its title")

    def test_titles_end_with_the_name_of_the_club(self):
        for path, title in (("/wall", "Wall \u00b7 rowgate"), ("/sessions", "Sessions \u00b7 rowgate")):
            self.visit(path)
            self.assertEqual(self.js("return document.title"), title)
        # As the page of a club that has a name.
        title = self.module("common/page.js", "(m.titlePage('8 x 500 m'), document.title)")
        self.assertEqual(title, "8 x 500 m \u00b7 rowgate")

    def test_can_be_installed_on_a_home_screen(self):
        self.visit("/wall")
        self.js("fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())"
                ".then((found) => { window.found = found; })")
        found = self.until(lambda: self.js("return window.found"), "the manifest is there")
        self.assertEqual((found["name"], found["start_url"], found["display"]), ("rowgate", "/", "standalone"))
        sizes = {}
        for icon in found["icons"]:
            self.js("const image = new Image(); window.image = image; image.src = arguments[0]", icon["src"])
            self.until(lambda: self.js("return window.image.complete"), icon["src"])
            sizes[icon["src"]] = self.js("return window.image.naturalWidth")
        self.assertEqual(sizes["/assets/common/icon-192.png"], 192, json.dumps(sizes))
        self.assertEqual(sizes["/assets/common/icon-512.png"], 512, json.dumps(sizes))

    def test_the_screen_stays_on_where_people_row(self):
        # Without splits, which a page would load while it is left.
        self.scenes.show(scenes.rowers(2))
        added = self.command("Page.addScriptToEvaluateOnNewDocument", source=WAKE_LOCK)
        try:
            for path, wanted in (("/wall", 1), ("/race", 1), ("/erg?gw=boathouse&erg=erg-1", 1), ("/coach", 0)):
                self.visit(path)
                self.assertEqual(self.js("return window.wakeLocks"), wanted, path)
            # A browser ends it with a hidden page, so a page that is visible again asks again.
            self.visit("/wall")
            self.js("window.fails = true; document.dispatchEvent(new Event('visibilitychange'))")
            self.until(lambda: self.js("return window.wakeLocks === 2"), "asked again")
            self.assertEqual(self.js("return window.failures"), [])
        finally:
            self.command("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])

    def test_pages_work_without_a_wake_lock(self):
        added = self.command("Page.addScriptToEvaluateOnNewDocument",
                             source="Object.defineProperty(navigator, 'wakeLock', { value: undefined });")
        try:
            self.visit("/wall")
            self.until(self.tiles, "the wall is there")
        finally:
            self.command("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])
