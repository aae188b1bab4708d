"""The settings of a browser, from `openSettings`: chosen on any page, valid for every page."""

import scenes
from page import PHONE, SMALL_TV, TABLET, TV, PageTest
from selenium.webdriver.common.keys import Keys

DARK, LIGHT = "rgb(11, 16, 22)", "rgb(243, 245, 247)"
GROUND = "return getComputedStyle(document.documentElement).backgroundColor"
NAME = "const button = document.getElementById('settings'); return button && button.title"
CHOOSE = """
document.querySelectorAll('.dialog select').forEach((select, index) => { select.value = arguments[index]; });
"""


class SettingsTests(PageTest):
    def setUp(self):
        super().setUp()
        self.prefer(scheme="dark")

    def tearDown(self):
        self.browser.delete_all_cookies()
        super().tearDown()

    def open(self, path="/coach", size=TV):
        self.scenes.guest = scenes.COACH
        self.resize(size)
        self.scenes.show(scenes.rowers(2))
        self.browser.get(self.scenes.address + path)
        self.until(lambda: self.js(NAME), "the button is there")

    def open_settings(self):
        self.js("const button = document.getElementById('settings'); button.focus(); button.click();")
        self.until(lambda: self.js("return document.querySelectorAll('.dialog select').length") == 3, "the dialog")

    def choose(self, language, theme, value=""):
        self.open_settings()
        self.js(CHOOSE + "document.querySelector('.dialog .main').click()", language, theme, value)

    def is_shown(self, language, ground):
        return self.js("return document.documentElement.lang") == language and self.js(GROUND) == ground

    def test_a_choice_is_valid_for_every_page(self):
        self.open()
        self.assertTrue(self.is_shown("en", DARK))
        self.choose("de", "light")
        self.until(lambda: self.is_shown("de", LIGHT), "German and light")
        for path in ("/wall", "/sessions", "/sign-in"):
            self.browser.get(self.scenes.address + path)
            self.until(lambda: self.is_shown("de", LIGHT), path)

    def test_the_automatic_choice_forgets_the_others(self):
        self.open()
        self.choose("de", "light")
        self.until(lambda: self.is_shown("de", LIGHT), "German and light")
        self.until(lambda: self.js(NAME), "the button is there")
        self.choose("", "")
        self.until(lambda: self.is_shown("en", DARK), "as browser and device")
        self.assertEqual(self.browser.get_cookies(), [])

    def test_replaces_the_language_and_theme_of_the_address(self):
        self.open("/coach?lang=de&theme=light")
        self.assertTrue(self.is_shown("de", LIGHT))
        self.choose("en", "dark")
        self.until(lambda: self.is_shown("en", DARK), "English and dark")
        self.assertEqual(self.js("return location.search"), "")

    def test_shows_what_was_chosen(self):
        self.open()
        self.choose("de", "dark")
        self.until(lambda: self.is_shown("de", DARK), "German and dark")
        self.until(lambda: self.js(NAME), "the button is there")
        self.open_settings()
        values = self.js("return Array.from(document.querySelectorAll('.dialog select'), (one) => one.value)")
        self.assertEqual(values, ["de", "dark", ""])
        self.assertEqual(self.js("const link = document.querySelector('.dialog a');"
                                 " return [link.textContent, link.getAttribute('href')]"),
                         ["Eigene Geräte", self.scenes.address + "/users"])
        self.assertEqual(self.text("club-settings"), f"Zeitzone: {scenes.ZONE}. "
                         "Wer das Logbuch verwaltet, legt dies und das Logo in logbook.toml fest.")
        self.keys(Keys.ESCAPE)
        self.until(lambda: not self.js("return document.querySelector('.dialog')"), "the dialog is closed")
        self.assertEqual(self.js("return document.activeElement.id"), "settings")

    def test_keys_choose_and_save(self):
        """Only with the Tab key, letters and Enter."""
        self.open()
        self.until(lambda: self.text("me"), "the user's name")
        self.tab_to("Settings")
        self.until(lambda: self.js("return document.querySelectorAll('.dialog select').length") == 3, "the dialog")
        self.keys("De", Keys.TAB, "Li")
        self.tab_to("Save")
        self.until(lambda: self.is_shown("de", LIGHT), "German and light")
        self.until(lambda: self.text("me"), "the user's name")
        self.tab_to("Einstellungen")
        self.until(lambda: self.js("return document.querySelectorAll('.dialog select').length") == 3, "the dialog")
        self.tab_to("Abbrechen")
        self.assertEqual(self.js("return document.querySelector('.dialog')"), None)
        self.assertEqual(self.js("return document.activeElement.id"), "settings")

    def test_the_wall_shows_power_instead_of_pace(self):
        self.open()
        self.choose("", "", "power")
        self.until(lambda: self.browser.get_cookie("rowgate-value"), "it is stored")
        for size in (TV, SMALL_TV, TABLET, PHONE):
            with self.subTest(str(size)):
                self.resize(size)
                self.browser.get(self.scenes.address + "/wall")
                self.until(lambda: self.tiles() and self.tile()["big"] not in ("", "\u2013"), "a value")
                live = scenes.rowers(2)[0].messages["live"]["payload"]
                self.assertEqual((self.tile()["big"], self.tile()["unit"]), (str(live["power_w"]), "W"))
                self.assertIn("1:52", self.tile()["row"])
                self.assertEqual(self.js("""return Array.from(document.querySelectorAll('.row')).filter((row) =>
                    row.lastChild.getBoundingClientRect().right > row.parentNode.getBoundingClientRect().right)"""), [])
                self.assertEqual(self.js("return getComputedStyle(document.querySelector('.big .unit')).display"),
                                 "inline")
                self.shot(f"wall-power-{size[0]}")

    def test_fits_each_size(self):
        for size, path in ((TV, "/coach"), (SMALL_TV, "/sessions?lang=de&theme=light"), (TABLET, "/coach?theme=light"),
                           (PHONE, "/sessions?lang=de"), (PHONE, "/coach")):
            with self.subTest(f"{size} {path}"):
                self.open(path, size)
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), size[0])
                self.open_settings()
                self.shot(f"settings-{size[0]}-{path[1:4]}")
                box = self.js("const box = document.querySelector('.dialog').getBoundingClientRect();"
                              " return [box.left, box.right, box.bottom]")
                self.assertTrue(box[0] >= 0 and box[1] <= size[0] and box[2] <= size[1], box)
