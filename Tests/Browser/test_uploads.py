"""The accounts of an athlete at other services, and the uploads of a session.

The dialogs openDisconnect and openSecret are used with clicks.
"""

import book
import messages
import scenes
from page import PHONE, TABLET, TV, UPRIGHT
from test_users import ATHLETE, UserTest
from uploads import Uploads

ALL = ("concept2", "intervals_icu", "strava", "webhook")


class UploadsTest(UserTest):
    def setUp(self):
        super().setUp()
        self.scenes.uploads = Uploads(*ALL)
        self.addCleanup(setattr, self.scenes, "uploads", Uploads())

    def rows(self, place="#destinations"):
        return self.js("return Array.from(document.querySelectorAll(arguments[0] + ' .user'), (one) => "
                       "Array.from(one.children, (part) => part.textContent).filter(Boolean).join(' | '))", place)

    def open_accounts(self, more="", guest=ATHLETE, size=TABLET):
        self.open("/uploads" + more, guest, size)


class AccountTests(UploadsTest):
    def test_each_size_and_language(self):
        self.scenes.uploads.connect("concept2", "amara_" + "o" * 60).connect("strava", "A", problem="revoked")
        for size, more in ((PHONE, "?lang=de"), (UPRIGHT, ""), (TABLET, "?theme=light"), (TV, "")):
            with self.subTest(size=size):
                self.open_accounts(more, size=size)
                self.until(lambda: len(self.rows()) == 4, "the services")
                self.assertTrue(self.fits())
                self.shot(f"uploads-{size[0]}")

    def test_the_state_of_each_account(self):
        self.scenes.uploads.connect("concept2", "amara").connect("strava", "Amara O.", problem="it was revoked")
        self.open_accounts()
        self.until(lambda: len(self.rows()) == 4, "the services")
        first, second, third, fourth = self.rows()
        self.assertRegex(first, r"^Concept2 Logbook \| amara, connected since \d+ \w+ \| Disconnect$")
        self.assertEqual(second, "intervals.icu | Connect")
        self.assertEqual(third, "Strava | access ended, connect again | Connect | Disconnect")
        self.assertEqual(fourth, "Webhook | Connect")

    def test_a_service_sends_the_browser_back(self):
        self.open_accounts()
        self.press("Connect: Strava")
        self.until(lambda: "Strava | Anna M." in " ".join(self.rows()), "it is connected")
        self.assertEqual(self.scenes.uploads.posted, [
            ("/api/v1/me/uploads/strava", {}), ("/api/v1/me/uploads", {"state": "st", "code": "c0de"})])
        self.assertTrue(self.browser.current_url.endswith("/uploads"), "the code leaves the address")

    def test_denied_access_is_told(self):
        self.open_accounts("?error=access_denied&state=st")
        self.until(lambda: self.text("refusal"), "the refusal")
        self.assertEqual(self.text("refusal"), "The service was not connected: access was denied.")
        self.assertEqual(self.scenes.uploads.posted, [])
        self.until(lambda: len(self.rows()) == 4, "the services")

    def test_a_key_is_entered_and_checked(self):
        self.scenes.uploads.refusal = (422, {"code": "access_refused", "detail": "wrong"})
        self.open_accounts()
        self.press("Connect: intervals.icu")
        self.js("document.querySelector('.dialog input').value = ' icu-key '")
        self.press("Connect", ".dialog")
        self.until(lambda: "does not accept this key" in self.dialog(), "the refusal")
        self.scenes.uploads.refusal = None
        self.press("Connect", ".dialog")
        self.until(lambda: not self.dialog() and "intervals.icu | Anna M." in " ".join(self.rows()), "connected")
        self.assertEqual(self.scenes.uploads.posted[-1], ("/api/v1/me/uploads/intervals_icu", {"key": "icu-key"}))
        self.browser.get_log("browser")  # The refusal.

    def test_the_secret_of_a_webhook_is_shown_once(self):
        self.open_accounts()
        self.press("Connect: Webhook")
        self.js("document.querySelector('.dialog input').value = 'https://example.org/hook'")
        self.press("Connect", ".dialog")
        self.until(lambda: "not shown again" in self.dialog(), "the secret")
        self.assertEqual(self.js("return document.querySelector('.dialog input').value"), "whsec_" + "x" * 44)
        self.shot("uploads-secret")
        self.press("Done", ".dialog")
        self.until(lambda: "Webhook | example.org" in " ".join(self.rows()), "connected")

    def test_disconnecting_is_confirmed(self):
        self.scenes.uploads.connect("concept2", "amara")
        self.open_accounts()
        self.press("Disconnect: Concept2 Logbook")
        self.assertIn("Uploaded sessions stay at the service.", self.dialog())
        self.press("Disconnect", ".dialog")
        self.until(lambda: "Concept2 Logbook | Connect" in self.rows(), "disconnected")

    def test_who_is_no_athlete(self):
        self.open_accounts(guest=scenes.COACH)
        self.until(lambda: self.text("refusal"), "the refusal")
        self.assertIn("only athletes connect services", self.text("refusal"))
        self.browser.get_log("browser")

    def test_no_service_is_set_up(self):
        self.scenes.uploads = Uploads()
        self.open_accounts()
        self.until(lambda: "No service is set up" in self.text("destinations"), "the hint")

    def test_athletes_find_the_page(self):
        self.scenes.users.add("anna", "Anna Meier", "athlete", "iPhone, Safari", athlete_id="anna")
        self.open("/users", ATHLETE)
        self.until(lambda: self.js("return Boolean(document.querySelector('#own a[href^=\"/uploads\"]'))"), "the link")


class SessionTests(UploadsTest):
    def setUp(self):
        super().setUp()
        self.scenes.book = book.SessionStore([book.piece(number=1, athlete="anna")])

    def open_session(self, guest=ATHLETE, more="", size=TABLET):
        session = self.scenes.book.sessions[0]
        self.open(f"/session?gw={session.gw}&id={session.id}{more}", guest, size)

    def test_the_state_of_each_upload(self):
        moment = {"changed_ms": messages.NOW_MS}
        self.scenes.uploads.connect("concept2", "a").connect("strava", "a").connect("intervals_icu", "a")
        self.scenes.uploads.uploads = {
            "concept2": {"state": "uploaded", **moment}, "intervals_icu": {
                "state": "refused", "reason": "the file has no distance", **moment},
            "strava": {"state": "uploaded", "link": "https://www.strava.com/activities/1", **moment}}
        for size, more in ((PHONE, "&lang=de"), (UPRIGHT, ""), (TABLET, "&theme=light"), (TV, "")):
            with self.subTest(size=size):
                self.open_session(more=more, size=size)
                self.until(lambda: len(self.rows("#uploads")) == 4, "the uploads")
                self.assertTrue(self.fits())
                self.shot(f"session-uploads-{size[0]}")
        first, second, third, fourth = self.rows("#uploads")
        self.assertRegex(first, r"^Concept2 Logbook \| uploaded \d+ \w+, \d\d:\d\d$")
        self.assertEqual(second, "intervals.icu | refused: the file has no distance | Retry")
        self.assertRegex(third, r"^Strava \| uploaded ")
        self.assertEqual(fourth, "Webhook | not connected | Connect")
        self.assertEqual(self.js("return document.querySelector('#uploads a').href"),
                         "https://www.strava.com/activities/1")

    def test_an_earlier_session_is_uploaded_by_hand(self):
        self.scenes.uploads = Uploads("concept2").connect("concept2", "a")
        self.open_session()
        self.press("Upload: Concept2 Logbook")
        self.until(lambda: self.rows("#uploads") == ["Concept2 Logbook | waiting | Retry"], "it waits")
        (path, content), = self.scenes.uploads.posted
        self.assertTrue(path.endswith("/uploads"))
        self.assertEqual(content, {"destination": "concept2"})
        self.scenes.uploads.uploads["concept2"] = {"state": "uploaded", "changed_ms": messages.NOW_MS}
        self.until(lambda: "uploaded" in self.rows("#uploads")[0], "the page follows", 30)

    def test_coaches_do_not_see_uploads(self):
        self.open_session(scenes.COACH)
        self.until(lambda: self.js("return !document.getElementById('session').hidden"), "the session")
        self.assertTrue(self.js("return document.getElementById('uploads').hidden"))
