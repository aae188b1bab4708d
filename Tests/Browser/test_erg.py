"""The page of one erg on an athlete's phone: claim, live values, result, and who may do what."""

import book
import scenes
from messages import Erg
from page import PHONE, TABLET, TV, UPRIGHT, PageTest

# Ergs with a name are assigned to "someone".
ZOE = {"name": "zoe-phone", "role": "athlete", "athlete_id": "someone"}
BEN = {"name": "ben", "role": "athlete", "athlete_id": "ben"}


class ErgTest(PageTest):
    def open(self, ergs, guest=ZOE, size=PHONE, more=""):
        self.resize(size)
        self.scenes.guest = guest
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.scenes.posted.clear()
        self.scenes.deleted.clear()
        self.scenes.refusal = None
        self.scenes.show(ergs)
        self.browser.get(f"{self.scenes.address}/erg?gw=boathouse&erg=erg-1{more}")
        self.until(lambda: self.text("word") or self.text("headline") or self.text("notice"), "the erg")

    def tiles(self):
        return []

    def buttons(self):
        return self.js("return Array.from(document.querySelectorAll('#doing button'), (one) => one.textContent)")

    def press(self, text, within="#doing"):
        self.until(lambda: self.js("""
          const found = Array.from(document.querySelectorAll(arguments[0] + ' button')).filter((one) =>
            one.textContent === arguments[1] && !one.disabled)[0];
          if (found) found.click();
          return Boolean(found);""", within, text), f"{text!r} can be pressed")

    def fits(self):
        return self.js("return document.documentElement.scrollWidth <= innerWidth")


class OfflineTests(ErgTest):
    expected_errors = ("net::ERR_CONNECTION_REFUSED", "net::ERR_EMPTY_RESPONSE", "net::ERR_INCOMPLETE_CHUNKED_ENCODING",
                       "net::ERR_CONNECTION_RESET", "net::ERR_INVALID_CHUNKED_ENCODING")

    def test_a_phone_that_is_offline_for_the_whole_piece_catches_up(self):
        self.open([Erg("erg-1", name="Zoë").info().state("idle", piece=False)])
        self.until(lambda: self.buttons() == ["Leave Erg 1"], "assigned")
        self.scenes.kill()
        self.until(lambda: self.text("notice"), "no connection")
        self.shot("erg-offline")
        # The gateway recorded the piece meanwhile.
        self.scenes.show(scenes.rowers(1))
        self.scenes.start()
        self.until(lambda: self.text("big"), "the piece that goes on now")
        self.assertEqual(self.text("notice"), "")
        self.assertEqual(self.buttons(), ["Leave Erg 1"])


class ErgTests(ErgTest):
    def test_live_values_at_each_size(self):
        for size, more in ((PHONE, "&lang=de"), (UPRIGHT, ""), (TABLET, "&theme=light"), (TV, "")):
            self.open(scenes.rowers(1), size=size, more=more)
            self.until(lambda: self.text("big"), "the pace")
            self.assertRegex(self.text("big"), r"^\d:\d\d[.,]\d$")
            self.shot(f"erg-{size[0]}")
            self.assertTrue(self.fits(), size)
        figures = self.js("return Array.from(document.querySelectorAll('#figures dd'), (one) => one.textContent)")
        self.assertEqual([bool(one.isdigit()) for one in figures], [True, True, True])

    def test_splits_of_a_bike_erg_have_paces_for_1000_m(self):
        piece = book.piece()
        for machine, head, pace in (("model_d", "Pace", "1:51.6"), ("bike_without_arms", "Pace /1000 m", "3:43.2")):
            with self.subTest(machine):
                erg = Erg("erg-1", name="Zoë").rows().info(machine).split(1)
                piece.id = erg.session
                self.scenes.book = book.SessionStore([piece])
                self.addCleanup(setattr, self.scenes, "book", book.SessionStore())
                self.open([erg])
                cells = ("return Array.from(document.querySelectorAll('#splits tr'), (row) =>"
                         " row.children[1].textContent.replace('\\u202f', ' '))")
                self.until(lambda: self.js(cells), "the splits")
                self.assertEqual(self.js(cells)[:2], [head, pace])

    def test_a_free_erg_is_claimed(self):
        self.open([Erg("erg-1").info().state("idle", piece=False)])
        self.until(lambda: self.buttons() == ["Row on Erg 1"], "the button")
        self.shot("erg-free")
        self.press("Row on Erg 1")
        self.until(lambda: self.scenes.posted, "the claim")
        self.assertEqual(self.scenes.posted[-1], ("/api/v1/ergs/boathouse/erg-1/claim", {}))
        # The gateway reports the assignment.
        self.scenes.send_erg(Erg("erg-1", name="Zoë").info().state("idle", piece=False))
        self.until(lambda: self.buttons() == ["Leave Erg 1"], "assigned")
        self.press("Leave Erg 1")
        self.until(lambda: self.scenes.deleted, "left")
        self.assertEqual(self.scenes.deleted, ["/api/v1/ergs/boathouse/erg-1/claim"])
        self.scenes.send_erg(Erg("erg-1").info().state("idle", piece=False))
        self.until(lambda: self.buttons() == ["Row on Erg 1"], "free again")
        self.assertEqual(self.text("notice"), "", "who leaves needs no explanation")

    def test_another_athlete_is_replaced_after_a_question(self):
        self.open(scenes.rowers(1), guest=BEN)
        self.press("Row on Erg 1")
        self.until(lambda: "Another athlete" in self.js("return document.querySelector('.dialog').innerText"),
                   "a question")
        self.assertEqual(self.scenes.posted, [])
        self.press("Replace", ".dialog")
        self.until(lambda: self.scenes.posted, "the claim")
        self.assertEqual(self.scenes.posted[-1][1], {"replace": True})

    def test_a_claim_says_which_erg_is_free_now(self):
        self.open([Erg("erg-1").info().state("idle", piece=False)])
        self.scenes.cleared = [{"gw": "boathouse", "erg": "erg-4"}]
        self.addCleanup(self.scenes.cleared.clear)
        self.press("Row on Erg 1")
        self.until(lambda: self.text("notice") == "Erg 4 is free now, because you row here.", "the other erg")
        self.shot("erg-claimed-other-free")

    def test_a_lost_assignment_is_explained(self):
        free = Erg("erg-1").info().state("idle", piece=False)
        self.open([Erg("erg-1", name="Zoë").info().state("idle", piece=False)])
        self.until(lambda: self.buttons() == ["Leave Erg 1"], "assigned")
        self.scenes.send_erg(free)
        self.until(lambda: "you or a coach chose another one" in self.text("notice"), "why")
        self.assertEqual(self.buttons(), ["Row on Erg 1"])
        self.shot("erg-lost")
        self.scenes.send_erg(Erg("erg-1", name="Zoë").info().state("idle", piece=False))
        self.until(lambda: self.text("notice") == "", "assigned again")

    def test_the_end_of_a_session_is_no_lost_assignment(self):
        self.open(scenes.rowers(1))
        self.until(lambda: self.buttons() == ["Leave Erg 1"], "assigned")
        self.scenes.send_erg(Erg("erg-1", name="Zoë").info().state("idle", piece=False))
        self.until(lambda: self.text("headline"), "the session is over")
        self.scenes.send_erg(Erg("erg-1").info().state("idle", piece=False))
        self.until(lambda: self.buttons() == ["Row on Erg 1"], "free again")
        self.assertEqual(self.text("notice"), "")

    def test_works_by_keyboard(self):
        self.open([Erg("erg-1").info().state("idle", piece=False)])
        self.until(lambda: self.buttons() == ["Row on Erg 1"], "the button")
        self.tab_to("Row on Erg 1")
        self.until(lambda: self.scenes.posted, "the claim")

    def test_guests_are_led_to_the_sign_in(self):
        self.open(scenes.rowers(1), guest={"role": "wall"})
        self.until(lambda: "Sign in to row here" in self.text("links"), "the link")
        self.assertEqual(self.buttons(), [])
        address = self.js("return document.querySelector('#links a').getAttribute('href')")
        self.assertEqual(address, "/sign-in?next=%2Ferg%3Fgw%3Dboathouse%26erg%3Derg-1")

    def test_result_and_unknown_erg(self):
        self.open([Erg("erg-1").info().state("idle", piece=False)])
        self.until(lambda: self.text("headline"), "a text")
        self.scenes.show([Erg("erg-2").info().state("idle", piece=False)])
        self.browser.refresh()
        self.until(lambda: "not in the room" in self.text("notice"), "an explanation")
        self.shot("erg-unknown")
