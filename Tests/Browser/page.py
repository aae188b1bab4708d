"""A browser that shows a page, and helpers that read it."""

import base64
import functools
import os
import pathlib
import time
import unittest

import scenes
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

TV, SMALL_TV, TABLET, PHONE = (1920, 1080), (1280, 720), (1024, 768), (390, 844)
UPRIGHT = (768, 1024)

# Marks tests that measure the time of the processor; `run` starts them when no other browser runs.
measures_processor = unittest.skipIf(
    os.environ.get("WALL_IN_PARALLEL"), "Tests/Browser/run --throttled runs it")

# The visible texts of each tile; hidden elements read as empty.
TILES = """
const text = (tile, selector) => Array.from(tile.querySelectorAll(selector))
  .filter((element) => element.offsetParent !== null).map((element) => element.textContent);
return Array.from(document.querySelectorAll('.tile')).map((tile) => ({
  state: tile.dataset.state, stale: tile.dataset.stale === 'yes',
  place: text(tile, '.place').join(), name: text(tile, '.name').join(),
  word: text(tile, '.word span').join(), big: text(tile, '.value').join(),
  unit: text(tile, '.big .unit').join(), lines: text(tile, '.lines p'),
  row: text(tile, '.row dd'), go: text(tile, '.go').join(),
  curve: (tile.querySelector('.curve .line').getAttribute('d') || '').length,
  share: tile.querySelector('.bar').hidden ? null : tile.querySelector('.bar i').style.transform,
}));
"""


@functools.lru_cache(maxsize=None)
def browser():
    """One browser for all tests of a run."""
    return start_browser()


def start_browser(*more, logs=("browser",)):
    """Starts chromium with `more` arguments; chromedriver keeps these `logs`."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--lang=en-GB", "--enable-precise-memory-info", *more):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {log: "ALL" for log in logs})
    found = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    found.set_script_timeout(120)
    return found


class PageTest(unittest.TestCase):
    """A server with its own room, and the page that shows it."""

    # Console messages that are expected while the server is stopped.
    expected_errors = ()

    @classmethod
    def setUpClass(cls):
        cls.scenes = scenes.Scenes()

    @classmethod
    def tearDownClass(cls):
        browser().get("about:blank")
        cls.scenes.kill()

    def setUp(self):
        self.browser = browser()
        self.resize(TV)
        self.prefer(scheme="dark")
        self.console()

    def tearDown(self):
        strange = [line for line in self.console()
                   if not any(word in line for word in self.expected_errors)]
        self.assertEqual(strange, [], "the console is clean")

    def console(self):
        return [entry["message"] for entry in self.browser.get_log("browser")]

    def command(self, name, **parameters):
        return self.browser.execute_cdp_cmd(name, parameters)

    def resize(self, size):
        self.size = size
        self.command("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                     deviceScaleFactor=1, mobile=size == PHONE)

    def prefer(self, scheme="dark", motion="no-preference"):
        features = [{"name": "prefers-color-scheme", "value": scheme},
                    {"name": "prefers-reduced-motion", "value": motion}]
        self.command("Emulation.setEmulatedMedia", features=features)

    def show(self, ergs, gateways=None, path="/", size=None):
        """Opens the page with a room, and waits for its tiles."""
        if size:
            self.resize(size)
        self.scenes.show(ergs, gateways)
        self.browser.get(self.scenes.address + path)
        self.until(lambda: len(self.tiles()) == len(ergs), "all ergs have a tile")
        return self.tiles()

    def on_paper(self, open_page):
        """Opens a page of a club with a name and a logo, and prints it. Returns its text on paper."""
        self.addCleanup(scenes.club.update, dict(scenes.club))
        scenes.club.update(name="Riverside RC", logo="common/icon-192.png")
        open_page()
        self.until(lambda: self.js("return document.getElementById('logo').complete"), "the logo")
        pdf = base64.b64decode(self.command("Page.printToPDF", preferCSSPageSize=True)["data"])
        self.assertIn(b"/Subtype /Image", pdf, "the logo is printed")
        self.addCleanup(self.command, "Emulation.setEmulatedMedia", media="")
        self.command("Emulation.setEmulatedMedia", media="print")
        self.assertTrue(self.js("return document.getElementById('logo').offsetParent !== null"))
        return self.js("return document.body.innerText")

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def tiles(self):
        return self.js(TILES)

    def tile(self, index=0):
        return self.tiles()[index]

    def text(self, identifier):
        return self.js("const element = document.getElementById(arguments[0]);"
                       "return !element || element.hidden ? '' : element.textContent", identifier)

    def until(self, condition, what, patience=120):
        """Waits for a condition; the long timeout is for busy machines."""
        end = time.monotonic() + patience
        while not (result := condition()):
            if time.monotonic() > end:
                self.fail(f"never: {what}; tiles {self.tiles()[:3]}, {self.text('notice')!r}")
            time.sleep(0.05)
        return result

    def module(self, name, expression, *arguments):
        """The value of an expression about a module `m` of the page."""
        return self.browser.execute_async_script(
            "const done = arguments[arguments.length - 1], given = Array.from(arguments);"
            f"import('/assets/{name}').then((m) => done(({expression})))"
            ".catch((error) => done('failed: ' + error));", *arguments)

    def keys(self, *keys):
        """Presses keys, which go to the element with the focus."""
        webdriver.ActionChains(self.browser).send_keys(*keys).perform()

    def tab_to(self, name, key=Keys.ENTER):
        """Moves by the Tab key alone to the element with this text, label or tag, and presses a key there."""
        for _ in range(80):
            self.keys(Keys.TAB)
            found = self.js("const one = document.activeElement;"
                            "return [one.textContent, one.tagName, one.getAttribute('aria-label')]")
            if name in found:
                self.keys(key)
                return
        self.fail(f"the Tab key does not reach {name!r}")

    def shot(self, name):
        """Saves a screenshot if requested."""
        folder = os.environ.get("WALL_SHOTS")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(str(pathlib.Path(folder) / f"{name}.png"))
