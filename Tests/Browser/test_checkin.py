"""Check-ins without a sign-in: the phone at the erg, the code on the wall, and the tablet of the room."""

import checkin
import scenes
from messages import Erg
from page import PHONE, TABLET, TV, UPRIGHT, PageTest
from selenium.webdriver.common.keys import Keys
from users import Users

NAMES = {"anna": "Anna Meier", "someone": "Zoë Müller-Łukasiewicz", "zoe-2": "Zoë", "zoe": "Zoë"}
ROOM = {"name": "Tablet", "role": "room"}
CAPTAIN = {"name": "Kim Berger", "role": "captain", "user": "kim"}


class CheckInTest(PageTest):
    # Refusals are shown on the page.
    expected_errors = ("401 (", "403 (", "409 (", "503 (")

    def setUp(self):
        super().setUp()
        self.scenes.check_in = checkin.CheckIn()
        self.scenes.check_in.names = NAMES
        self.scenes.posted.clear()
        self.scenes.deleted.clear()
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.addCleanup(setattr, self.scenes, "check_in", checkin.CheckIn())

    def tiles(self):
        return []

    def open(self, path, ergs, guest, size):
        self.resize(size)
        self.scenes.guest = guest
        self.scenes.show(ergs)
        self.browser.get(self.scenes.address + path)

    def press(self, text, within="#page"):
        self.until(lambda: self.js("""
          const found = Array.from(document.querySelectorAll(arguments[0] + ' button')).filter((one) =>
            one.textContent === arguments[1] && !one.disabled)[0];
          if (found) found.click();
          return Boolean(found);""", within, text), f"{text!r} can be pressed")

    def dialog(self):
        return self.js("const one = document.querySelector('.dialog'); return one ? one.innerText : ''")

    def fits(self):
        return self.js("return document.documentElement.scrollWidth <= innerWidth")

    def posts(self, end):
        return [content for path, content in self.scenes.posted if path.endswith(end)]


def free():
    return [Erg("erg-1").info().state("idle", piece=False)]


def taken():
    """An erg with "someone"."""
    return [Erg("erg-1", name="Zoë").info().state("idle", piece=False)]


class PhoneTests(CheckInTest):
    """A phone that is not signed in opens the card of an erg."""

    def setUp(self):
        super().setUp()
        self.scenes.check_in.code, self.scenes.check_in.availability = "4821", "open"

    def open_erg(self, ergs=None, guest=None, size=PHONE, more=""):
        self.open("/erg?gw=boathouse&erg=erg-1" + more, ergs or free(), guest, size)
        self.until(lambda: self.js("return document.querySelector('#doing > *')"), "what to do")

    def enter(self, code):
        self.js("const one = document.querySelector('#check-in input'); one.value = arguments[0]; one.focus();", code)
        self.keys(Keys.ENTER)

    def refusal(self):
        return self.js("return document.querySelector('#check-in .refusal').textContent")

    def test_each_size(self):
        for size, more in ((PHONE, "&lang=de"), (UPRIGHT, ""), (TABLET, "&theme=light"), (TV, "")):
            self.open_erg(size=size, more=more)
            self.shot(f"checkin-phone-{size[0]}")
            self.assertTrue(self.fits(), size)

    def test_it_chooses_a_name_after_the_code_and_sees_the_erg(self):
        connections = self.scenes.connections
        self.open_erg()
        self.assertEqual(self.text("title"), "Erg 1")
        self.assertTrue(self.js("return document.getElementById('live').hidden"))
        self.assertEqual(self.scenes.connections, connections, "no stream before the check-in")
        self.enter("48 21")
        self.until(lambda: "Who rows on Erg 1?" in self.dialog(), "the names")
        self.shot("checkin-phone-names")
        # Two athletes with one name are distinguished; no unknown name can be added.
        self.assertIn("Zoë · zoe-2", self.dialog())
        self.keys("quentin")
        self.until(lambda: "A coach can add one" in self.dialog(), "the explanation")
        self.keys(Keys.BACKSPACE * 7, "muller", Keys.ENTER)
        self.until(lambda: self.posts("/check-in/athlete"), "the choice")
        self.assertEqual(self.posts("/check-in"), [{"code": "4821"}])
        self.assertEqual(self.posts("/check-in/athlete"), [{"athlete_id": "someone"}])
        self.until(lambda: "Checking in" in self.text("doing"), "the page of the erg")
        self.until(lambda: self.text("headline"), "the erg")
        self.scenes.send_erg(taken()[0])
        self.until(lambda: "until this session ends" in self.text("doing"), "checked in")
        self.shot("checkin-phone-in")
        self.press("Leave Erg 1")
        self.until(lambda: self.scenes.deleted, "left")
        self.assertEqual(self.scenes.deleted, ["/api/v1/ergs/boathouse/erg-1/check-in"])
        self.until(lambda: self.js("return document.querySelector('#check-in')"), "the form again")

    def test_another_athlete_is_replaced_after_a_question(self):
        self.scenes.check_in.occupied = {"erg-1"}
        self.open_erg(taken(), guest={"role": "wall"})
        self.enter("4821")
        self.until(lambda: "Who rows on" in self.dialog(), "the names")
        self.press("Anna Meier", ".dialog")
        self.until(lambda: "Another athlete is assigned" in self.dialog(), "a question")
        self.press("Replace", ".dialog")
        self.until(lambda: len(self.posts("/athlete")) == 2, "the choice")
        self.assertEqual(self.posts("/athlete")[-1], {"athlete_id": "anna", "replace": True})

    def test_errors_stand_next_to_the_code(self):
        self.open_erg()
        for code, text in (("", "four digits"), ("12", "four digits"), ("1234", "this code is wrong")):
            self.enter(code)
            self.until(lambda: text in self.refusal(), text)
        self.assertEqual(self.js("return document.activeElement.getAttribute('aria-invalid')"), "true")
        self.shot("checkin-phone-wrong")
        for code, text in (("expired_code", "has changed"), ("too_many_codes", "in a few minutes")):
            self.scenes.refusal = (403, code, code)
            self.enter("1234")
            self.until(lambda: text in self.refusal(), text)
        self.scenes.refusal = None
        self.assertEqual(self.dialog(), "")

    def test_an_expired_ticket_is_explained(self):
        self.open_erg()
        self.enter("4821")
        self.until(lambda: "Who rows on" in self.dialog(), "the names")
        self.scenes.check_in.has_ticket = False
        self.press("Anna Meier", ".dialog")
        self.until(lambda: "enter the code again" in self.dialog(), "the error")

    def test_without_open_check_in_it_explains_the_invitation(self):
        for availability, english, german in (
                ("closed", "ask a coach for an invitation", "bitte einen Trainer um eine Einladung"),
                ("elsewhere", "club’s Wi-Fi only", "nur im WLAN des Vereins")):
            self.scenes.check_in.availability = availability
            for more, text in (("", english), ("&lang=de", german)):
                self.open_erg(more=more)
                self.until(lambda: text in self.text("doing"), text)
                self.assertFalse(self.js("return Boolean(document.querySelector('#check-in'))"))
            self.shot(f"checkin-phone-{availability}")
        address = self.js("return document.querySelector('#links a').getAttribute('href')")
        self.assertIn("/sign-in?next=%2Ferg", address)

    def test_a_guest_sees_the_erg_above_the_form(self):
        self.open_erg(scenes.rowers(1), guest={"role": "wall"}, more="&theme=light")
        self.until(lambda: self.text("big") and self.js("return document.querySelector('#check-in')"), "both")
        self.assertIn("Sign in instead", self.text("links"))
        self.shot("checkin-phone-guest")

    def test_displays_coaches_and_tablets_get_no_form(self):
        for guest in ({"role": "wall", "name": "tv"}, {"role": "coach", "name": "anna"}, ROOM):
            self.open("/erg?gw=boathouse&erg=erg-1", free(), guest, PHONE)
            self.until(lambda: self.text("headline"), "the erg")
            self.assertFalse(self.js("return Boolean(document.querySelector('#check-in'))"), guest)


class RoomDeviceTests(CheckInTest):
    """A tablet that everybody in the room uses."""

    def open_room(self, ergs=None, size=TABLET, more=""):
        self.open("/check-in" + more, ergs or scenes.states(), ROOM, size)
        self.until(lambda: self.js("return document.querySelectorAll('#ergs button').length > 0"), "the ergs")

    def ergs(self):
        return self.js("return Array.from(document.querySelectorAll('#ergs button'), (one) => one.innerText)")

    def tap(self, index):
        self.js("document.querySelectorAll('#ergs button')[arguments[0]].click()", index)
        self.until(self.dialog, "the names")

    def test_each_size(self):
        self.scenes.check_in.code = "4821"
        for size, more in ((PHONE, "?lang=de"), (UPRIGHT, "?lang=de&theme=light"), (TABLET, ""), (TV, "?theme=light")):
            self.open_room(size=size, more=more)
            self.until(lambda: "4821" in self.text("code"), "the code")
            self.shot(f"room-{size[0]}")
            self.assertTrue(self.fits(), size)

    def test_64_ergs(self):
        self.open_room(scenes.room_of(64), PHONE)
        self.until(lambda: len(self.ergs()) == 64, "all ergs")
        self.assertTrue(self.fits())

    def test_a_name_is_assigned_and_cleared(self):
        self.open_room(free())
        self.until(lambda: self.ergs() == ["Erg 1\nChoose name"], "a free erg")
        self.tap(0)
        self.shot("room-names")
        self.keys("muller", Keys.ENTER)
        self.until(lambda: self.posts("/assignment"), "the assignment")
        self.assertEqual(self.posts("/assignment"), [{"athlete_id": "someone", "until": "session_end"}])
        self.until(lambda: not self.dialog(), "closed")
        self.scenes.send_erg(Erg("erg-1", name="Zoë").info().state("idle", piece=False))
        self.until(lambda: "Zoë" in self.ergs()[0], "the name")
        self.tap(0)
        self.js("document.querySelector('.dialog input[type=checkbox]').click()")
        self.press("Anna Meier", ".dialog")
        self.until(lambda: len(self.posts("/assignment")) == 2, "another one")
        self.assertEqual(self.posts("/assignment")[-1], {"athlete_id": "anna", "replace": True})
        self.tap(0)
        self.press("Clear assignment", ".dialog")
        self.until(lambda: self.scenes.deleted, "cleared")
        self.assertEqual(self.scenes.deleted, ["/api/v1/ergs/boathouse/erg-1/assignment"])

    def test_it_asks_in_the_middle_of_a_piece(self):
        self.open_room(scenes.rowers(1))
        self.until(lambda: "rowing" in self.ergs()[0], "a rower")
        self.tap(0)
        self.press("Anna Meier", ".dialog")
        self.until(lambda: "is rowing now" in self.dialog(), "a question")
        self.assertEqual(self.posts("/assignment"), [])
        self.shot("room-question")
        self.press("Cancel", ".dialog")
        self.tap(0)
        self.press("Anna Meier", ".dialog")
        self.press("Assign", ".dialog")
        self.until(lambda: self.posts("/assignment"), "the assignment")

    def test_it_asks_for_an_athlete_who_rows_elsewhere(self):
        rower = scenes.rowers(1)[0]
        self.open_room([rower, Erg("erg-2").info().state("idle", piece=False)])
        self.until(lambda: len(self.ergs()) == 2 and "rowing" in self.ergs()[0], "both ergs")
        self.tap(1)
        self.press("Zoë Müller-Łukasiewicz", ".dialog")
        self.until(lambda: "Athlete on erg 1" in self.dialog() and "is rowing now" in self.dialog(), "a question")
        self.assertEqual(self.posts("/assignment"), [])

    def test_it_says_what_fails(self):
        self.open_room(free())
        self.until(lambda: "Choose name" in self.ergs()[0], "a free erg")
        self.scenes.check_in.occupied = {"erg-1"}
        self.tap(0)
        self.press("Anna Meier", ".dialog")
        self.until(lambda: "another athlete is assigned" in self.dialog(), "the error")
        self.keys("nobody")
        self.until(lambda: "A coach can add one" in self.dialog(), "no new athletes")

    def test_works_by_keyboard(self):
        self.open_room(free())
        self.until(lambda: "Choose name" in self.ergs()[0], "a free erg")
        self.keys(Keys.TAB)
        self.assertEqual(self.js("return document.activeElement.closest('#ergs') !== null"), True)
        self.keys(Keys.ENTER)
        self.until(self.dialog, "the names")
        self.keys("anna", Keys.ENTER)
        self.until(lambda: self.posts("/assignment"), "the assignment")
        self.until(lambda: not self.dialog(), "closed")
        self.assertEqual(self.js("return document.activeElement.closest('#ergs') !== null"), True)

    def test_it_has_no_way_to_other_pages(self):
        self.open_room(free())
        self.assertEqual(self.js("return document.querySelectorAll('a').length"), 0)


class WallCodeTests(CheckInTest):
    def test_signed_in_walls_show_the_code(self):
        for path, size, code in (("/?lang=de", TV, "4821"), ("/?theme=light", TABLET, "0042"), ("/", PHONE, "4821")):
            self.scenes.check_in.code = code
            self.open(path, scenes.rowers(8), {"role": "wall", "name": "tv"}, size)
            self.until(lambda: code in self.text("code") and self.text("clock"), "the code")
            self.shot(f"wall-code-{size[0]}")
            self.assertTrue(self.fits(), size)

    def test_others_show_none(self):
        self.open("/", scenes.rowers(2), {"role": "wall"}, TV)
        self.until(lambda: self.text("clock"), "the wall")
        self.assertEqual(self.text("code"), "")


class RoomDeviceUserTests(CheckInTest):
    def setUp(self):
        super().setUp()
        self.scenes.users = Users().add("kim", "Kim Berger", "captain", "iPad, Safari") \
            .add("tablet", "Tablet", "room", "Android, Chrome")

    def open_users(self, size=TABLET, more=""):
        self.browser.get("about:blank")
        self.open("/users" + more, free(), CAPTAIN, size)
        self.until(lambda: self.js("return document.querySelectorAll('#users .user-list > li').length > 1"), "users")

    def fill(self, name):
        self.js("document.querySelector('.dialog input').value = arguments[0]", name)

    def test_a_captain_invites_a_tablet(self):
        self.open_users(PHONE)
        self.assertIn("Room device", self.text("users"))
        self.shot("users-room-device")
        self.press("Invite room device…")
        self.fill("Boathouse tablet")
        self.press("Invite", ".dialog")
        self.until(lambda: "Invitation for Boathouse tablet" in self.dialog(), "the invitation")
        self.assertEqual(self.posts("/users"), [{"name": "Boathouse tablet", "role": "room"}])

    def test_this_device_becomes_a_room_device(self):
        self.open_users(more="?lang=de")
        self.press("Als Raumgerät benutzen…")
        self.shot("users-use-as-room-device")
        self.fill("Tablet 2")
        self.scenes.users.codes["k7m2-9xqd-4t8w-hz3c-6vnp"] = "tablet"
        self.press("Abmelden und weiter", ".dialog")
        self.until(lambda: "Dieses Gerät benutzen alle im Raum" in self.text("text"), "the invitation")
        self.assertIn(("/api/v1/sign-out", {}), self.scenes.posted)
        self.assertTrue(self.js("return document.getElementById('asked').hidden"))
        self.shot("invitation-room-device")
        self.press("Auf diesem Gerät anmelden", "body")
        self.until(lambda: "/check-in" in self.browser.current_url, "the page of the tablet")

    def test_a_room_device_is_renamed_but_keeps_its_role(self):
        self.open_users()
        self.js("document.querySelector('button[aria-label=\"Edit Tablet\"]').click()")
        self.until(self.dialog, "the dialog")
        self.assertFalse(self.js("return Boolean(document.querySelector('.dialog select'))"))
        self.fill("Tablet 2")
        self.press("Save", ".dialog")
        self.until(lambda: "Tablet 2" in self.text("users"), "the new name")
        self.assertEqual(self.posts("/users/tablet"), [{"name": "Tablet 2"}])
