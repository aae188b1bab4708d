"""The menu of the wall and the race comes when somebody uses the page, and goes by itself."""

import scenes
from page import PHONE, SMALL_TV, TABLET, TV, PageTest
from selenium.webdriver.common.keys import Keys

GUEST = {"role": "wall"}
MENU = "document.getElementById('menu')"
NAMES = """
return Array.from(document.querySelectorAll('#menu a, #menu button'))
  .filter((element) => element.offsetParent !== null).map((element) => element.textContent);
"""


class ScreenMenuTests(PageTest):
    def open(self, path="/wall", guest=GUEST, size=TV, query=""):
        self.scenes.guest = guest
        self.show(scenes.targets(), path=path + query, size=size)

    def is_shown(self):
        return self.js(f"return {MENU} !== null && !{MENU}.hidden")

    def move(self, x, y):
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def use(self):
        self.move(200, 300)
        self.move(220, 320)
        self.until(self.is_shown, "the menu is shown")

    def focused(self):
        return self.js("return document.activeElement.textContent")

    def test_appears_when_the_pointer_moves_and_leaves_nothing(self):
        self.open()
        self.assertFalse(self.is_shown())
        self.assertEqual(self.js("return getComputedStyle(document.body).cursor"), "none")
        self.use()
        self.until(lambda: "Sign in" in self.js(NAMES), "a guest can sign in")
        self.assertEqual(self.js(NAMES)[:3], ["Wall", "Coach", "Race"])
        self.assertIn("Settings", self.js(NAMES))
        self.assertEqual(self.js(f"return {MENU}.querySelector('[aria-current]').textContent"), "Wall")
        self.assertEqual(self.js("return getComputedStyle(document.body).cursor"), "auto")
        self.until(lambda: not self.is_shown(), "the menu is hidden again")
        self.assertEqual(self.js("return getComputedStyle(document.body).cursor"), "none")

    def test_ignores_a_pointer_that_rests(self):
        self.open()
        script = ("for (let count = 0; count < 3; count += 1) {"
                  " dispatchEvent(new PointerEvent('pointermove', { screenX: 5, screenY: 7 })); }")
        self.js(script)
        self.assertFalse(self.is_shown())
        self.js("dispatchEvent(new PointerEvent('pointermove', { screenX: 6, screenY: 7 }))")
        self.until(self.is_shown, "a pointer that moves shows it")

    def test_appears_with_a_touch(self):
        self.open(size=PHONE)
        self.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": 100, "y": 400}])
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.until(self.is_shown, "a touch shows it")

    def test_works_by_keyboard(self):
        self.open()
        self.keys(Keys.TAB)
        self.until(self.is_shown, "a key shows it")
        self.keys(Keys.TAB)
        self.until(lambda: self.focused() == "Wall", "the first link has the focus")
        for _ in range(len(self.js(NAMES))):
            if self.focused() == "Full screen":
                break
            self.keys(Keys.TAB)
        self.assertEqual(self.focused(), "Full screen")
        self.keys(Keys.ENTER)
        self.until(lambda: self.focused() == "Leave full screen", "the page fills the screen")
        self.assertTrue(self.js("return document.fullscreenElement === document.documentElement"))
        self.keys(Keys.ENTER)
        self.until(lambda: self.focused() == "Full screen", "the page leaves the full screen")

    def test_leads_back_to_the_same_wall_after_the_sign_in(self):
        self.open(query="?order=place&lang=de")
        self.use()
        self.until(lambda: "Anmelden" in self.js(NAMES), "a guest can sign in")
        address = self.js("return Array.from(document.querySelectorAll('#more a'))"
                          ".find((link) => link.textContent === 'Anmelden').getAttribute('href')")
        self.assertEqual(address, "/sign-in?next=%2Fwall%3Forder%3Dplace&lang=de")

    def test_a_signed_in_coach_can_sign_out(self):
        self.open(guest=scenes.COACH)
        self.use()
        self.until(lambda: "Sign out" in self.js(NAMES), "a coach can sign out")
        self.assertNotIn("Sign in", self.js(NAMES))

    def test_is_on_the_page_of_a_race(self):
        self.scenes.guest = GUEST
        self.resize(TABLET)
        self.browser.get(self.scenes.address + "/race")
        self.until(lambda: self.text("title") not in ("", "rowgate"), "the page is there")
        self.use()
        self.assertEqual(self.js(f"return {MENU}.querySelector('[aria-current]').textContent"), "Race")

    def test_fits_each_size(self):
        for size, look in ((TV, "light"), (SMALL_TV, "dark"), (TABLET, "light"), (PHONE, "dark")):
            for language in ("en", "de"):
                with self.subTest(f"{size} {language}"):
                    self.open(size=size, query=f"?lang={language}&theme={look}", guest=scenes.COACH)
                    self.use()
                    self.until(lambda: len(self.js(NAMES)) > 8, "all entries are there")
                    self.shot(f"menu-{size[0]}-{language}")
                    outside = self.js(
                        f"return Array.from({MENU}.querySelectorAll('a, button')).filter((one) => {{"
                        " const box = one.getBoundingClientRect();"
                        " return box.width > 0 && (box.right > innerWidth || box.left < 0 || box.height < 44); })"
                        ".map((one) => one.textContent)")
                    self.assertEqual(outside, [])
