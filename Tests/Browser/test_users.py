"""Users and devices, invitations, and the cards of ergs."""


import messages
import scenes
from page import PHONE, TABLET, TV, UPRIGHT, PageTest
from selenium.webdriver.common.keys import Keys
from users import Users

CAPTAIN = {"name": "Kim Berger", "role": "captain", "user": "kim"}
ATHLETE = {"name": "Anna Meier", "role": "athlete", "athlete_id": "anna", "user": "anna"}
LONG = "Wilhelmine-Charlotte von Schönaich-Carolath zu Waldenburg"


class UserTest(PageTest):
    # Refusals are shown on the page.
    expected_errors = ("401 (", "404 (", "409 (", "429 (", "503 (")

    def setUp(self):
        super().setUp()
        self.scenes.users = Users().add("kim", "Kim Berger", "captain", "iPhone, Safari", "Mac, Firefox") \
            .add("ben", LONG, "coach", "Android, Chrome") \
            .add("anna", "Anna Meier", "athlete", athlete_id="anna", invited_until_ms=messages.NOW_MS + 86_400_000)
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.addCleanup(setattr, self.scenes, "refusal", None)
        self.scenes.posted.clear()

    def open(self, path, guest=CAPTAIN, size=TABLET):
        self.resize(size)
        self.scenes.guest = guest
        # A change of what follows the # alone loads no page.
        self.browser.get("about:blank")
        self.browser.get(self.scenes.address + path)
        self.until(lambda: self.text("title"), "the page")

    def tiles(self):
        return []

    def press(self, text, within="#page"):
        self.until(lambda: self.js("""
          const found = Array.from(document.querySelectorAll(arguments[0] + ' button')).filter((one) =>
            (one.getAttribute('aria-label') || one.textContent) === arguments[1] && !one.disabled)[0];
          if (found) found.click();
          return Boolean(found);""", within, text), f"{text!r} can be pressed")

    def has_users(self):
        return self.js("return document.querySelectorAll('#users .user-list > li').length > 3")

    def fits(self):
        return self.js("return document.documentElement.scrollWidth <= innerWidth")

    def dialog(self):
        return self.js("const one = document.querySelector('.dialog'); return one ? one.textContent : ''")


class UsersPageTests(UserTest):
    def test_each_size(self):
        for size, more in ((PHONE, "?lang=de"), (UPRIGHT, ""), (TABLET, "?theme=light"), (TV, "")):
            self.open("/users" + more, size=size)
            self.until(self.has_users, "the users")
            self.shot(f"users-{size[0]}")
            self.assertTrue(self.fits(), size)

    def test_an_athlete_sees_the_own_devices_only(self):
        self.scenes.users.add("anna", "Anna Meier", "athlete", "iPhone, Safari", athlete_id="anna")
        self.open("/users", ATHLETE, PHONE)
        self.until(lambda: "iPhone, Safari · this device" in self.text("own"), "the device")
        self.assertTrue(self.js("return document.getElementById('users').hidden"))
        self.press("Sign out iPhone, Safari")
        # The sign-in page leads to the start page of those who are still signed in, as everybody is here.
        self.until(lambda: "/users" not in self.browser.current_url, "another page")
        self.assertEqual(self.scenes.users.deleted, ["/api/v1/me/devices/000000000000"])

    def test_a_token_has_no_devices(self):
        self.open("/users", {"name": "anna", "role": "coach"})
        self.until(lambda: "signed in with a token" in self.text("own"), "the explanation")

    def test_a_guest_is_led_to_the_sign_in(self):
        self.open("/users", {"role": "wall"})
        self.open("/users", {})
        self.until(lambda: self.text("empty") == "Not signed in", "the explanation")

    def test_a_captain_invites_a_coach(self):
        self.open("/users", size=PHONE)
        self.press("Invite coach…")
        self.js("document.querySelector('.dialog input').value = 'Jo Park'")
        self.press("Invite", ".dialog")
        self.until(lambda: "Invitation for Jo Park" in self.dialog(), "the invitation")
        self.assertEqual(self.scenes.posted[-1], ("/api/v1/users", {"name": "Jo Park", "role": "coach"}))
        link = self.js("return document.querySelector('.dialog input').value")
        self.assertEqual(link, "http://boathouse:8080/invitation#k7m2-9xqd-4t8w-hz3c-6vnp")
        self.assertEqual(self.js("return document.querySelector('.qr').getAttribute('viewBox')"), "0 0 37 37")
        self.shot("invitation-dialog")
        self.press("Copy link", ".dialog")
        self.press("Done", ".dialog")
        self.until(lambda: "Jo Park" in self.text("users"), "the new user")

    def test_new_links_are_made_and_revoked(self):
        self.open("/users")
        self.press("New sign-in link for Kim Berger")
        self.until(lambda: "Invitation for Kim Berger" in self.dialog(), "the invitation")
        self.press("Done", ".dialog")
        self.press("Revoke the link of Kim Berger")
        self.until(lambda: self.scenes.users.deleted == ["/api/v1/users/kim/invitation"], "the request")

    def test_users_are_edited_and_removed(self):
        self.open("/users")
        self.press("Edit " + LONG)
        self.js("document.querySelector('.dialog input').value = 'Ben';"
                "document.querySelector('.dialog select').value = 'captain'")
        self.press("Save", ".dialog")
        self.until(lambda: "Ben" in self.text("users") and LONG not in self.text("users"), "the new name")
        self.assertEqual(self.scenes.posted[-1], ("/api/v1/users/ben", {"name": "Ben", "role": "captain"}))
        self.press("Remove Ben")
        self.press("Remove", ".dialog")
        self.until(lambda: "Ben" not in self.text("users"), "the user is gone")

    def test_an_error_is_shown(self):
        self.open("/users")
        self.scenes.refusal = (503, "busy", "busy")
        self.press("New sign-in link for Kim Berger")
        self.until(lambda: "busy" in self.text("refusal"), "the error")

    def test_works_by_keyboard(self):
        self.open("/users")
        self.until(self.has_users, "the users")
        self.js("Array.from(document.querySelectorAll('#doing button'))[0].focus()")
        self.keys(Keys.ENTER)
        self.until(lambda: "New coach" in self.dialog(), "the dialog")
        self.js("document.activeElement.value = ''")
        self.keys("Jo")
        self.keys(Keys.ENTER)
        self.until(lambda: "Invitation for Jo" in self.dialog(), "the invitation")
        self.keys(Keys.ESCAPE)
        self.until(lambda: not self.dialog(), "no dialog")


class InvitationTests(UserTest):
    CODE = "k7m2-9xqd-4t8w-hz3c-6vnp"

    def test_each_size(self):
        for size, more in ((PHONE, "?lang=de"), (UPRIGHT, ""), (TABLET, "?theme=light"), (TV, "")):
            self.scenes.users.codes[self.CODE] = "kim"
            self.open(f"/invitation{more}#{self.CODE}", {}, size)
            self.until(lambda: not self.js("return document.getElementById('enter').hidden"), "the button")
            self.shot(f"invitation-{size[0]}")
            self.assertTrue(self.fits(), size)

    def test_opening_it_does_not_use_it(self):
        self.scenes.users.codes[self.CODE] = "anna"
        for _ in range(2):
            self.open(f"/invitation#{self.CODE}", {}, PHONE)
            self.until(lambda: "You are invited as Anna Meier" in self.text("text"), "the text")
        self.assertIn(self.CODE, self.scenes.users.codes)
        self.assertTrue(self.js("return document.getElementById('asked').hidden"), "athletes have their name")
        self.press("Sign in on this device", "body")
        self.until(lambda: "/athlete?id=anna" in self.browser.current_url, "the page of the athlete")
        self.assertEqual(self.scenes.users.codes, {})
        # The code is neither in the address nor in the history.
        self.assertNotIn("#", self.browser.current_url)

    def test_a_coach_corrects_the_name(self):
        self.scenes.users.codes[self.CODE] = "kim"
        self.open(f"/invitation#{self.CODE}", {}, PHONE)
        self.until(lambda: not self.js("return document.getElementById('asked').hidden"), "the name")
        self.js("document.getElementById('name').value = 'Kim B.'")
        self.press("Sign in on this device", "body")
        self.until(lambda: "/coach" in self.browser.current_url, "the coach's page")
        self.assertEqual(self.scenes.posted[-1][1], {"code": self.CODE, "name": "Kim B."})

    def test_a_used_or_incomplete_link_says_what_to_do(self):
        self.open("/invitation#wrong", {}, PHONE)
        self.until(lambda: "Ask your coach for a new one" in self.text("text"), "the text")
        self.assertTrue(self.js("return document.getElementById('enter').hidden"))
        self.open("/invitation", {}, PHONE)
        self.until(lambda: "This link is incomplete" in self.text("text"), "the text")

    def test_it_can_be_tried_again_after_an_error(self):
        self.scenes.users.codes[self.CODE] = "anna"
        self.scenes.refusal = (429, "too_many_attempts", "wait")
        self.open(f"/invitation#{self.CODE}", {}, PHONE)
        self.until(lambda: "too many wrong tokens or links" in self.text("refusal"), "the error")
        self.scenes.refusal = None
        self.press("Sign in on this device", "body")
        self.until(lambda: "Anna Meier" in self.text("text"), "the text")


class CardsTests(UserTest):
    def test_each_size(self):
        for size, more in ((PHONE, "&lang=de"), (UPRIGHT, ""), (TABLET, "&theme=light"), (TV, "")):
            self.open("/cards?gw=boathouse" + more, size=size)
            self.until(lambda: self.js("return document.querySelectorAll('.qr').length === 3"), "the cards")
            self.shot(f"cards-{size[0]}")
            self.assertTrue(self.fits(), size)
        self.assertIn("http://boathouse:8080/e/boathouse/erg-1", self.text("cards"))

    def test_a_room_without_ergs(self):
        self.open("/cards?gw=empty")
        self.until(lambda: self.text("empty") == "No ergs yet", "the explanation")


class InviteAthleteTests(UserTest):
    def test_from_the_list(self):
        self.scenes.book.people.add("anna", "Anna Meier")
        self.open("/athletes", {"name": "anna", "role": "coach"}, PHONE)
        self.press("Invite Anna Meier")
        self.until(lambda: "Invitation for Anna Meier" in self.dialog(), "the invitation")
        self.assertEqual(self.scenes.posted[-1], ("/api/v1/athletes/anna/invitation", {}))
        self.shot("invite-athlete")
        self.assertTrue(self.fits())
