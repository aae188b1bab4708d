"""The wall keeps its values, reports each outage, and recovers automatically.

Stops the server, the broker, a gateway, an erg or the stream while the page is open.
"""

import scenes
from messages import Erg, gateway
from page import PageTest


class StreamTests(PageTest):
    expected_errors = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING",
                       "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")

    def is_live(self):
        return not self.text("notice") and not any(tile["stale"] for tile in self.tiles())

    def is_live_again(self, erg):
        """Whether the tile is live; the erg is sent again, because it turns stale after three seconds."""
        self.scenes.send_erg(erg)
        return self.tiles() and self.is_live()

    def away(self):
        return self.text("notice").startswith("No connection to the logbook for ")

    def test_server_killed_and_back(self):
        erg = Erg("erg-1", name="Li Wei").rows()
        self.show([erg])
        before = self.tile()
        self.scenes.kill()
        self.until(self.away, "the page says that the logbook is away")
        self.until(lambda: self.tile()["stale"], "the tile greys")
        after = self.tile()
        self.shot("logbook-away")
        self.assertEqual([after[key] for key in ("name", "big", "row")],
                         [before[key] for key in ("name", "big", "row")])
        self.scenes.start()
        self.until(lambda: not self.text("notice"), "the page is back")
        self.scenes.send_erg(erg.rows(pace=109.0))
        self.until(lambda: self.tile()["big"] == "1:49.0", "new figures")

    def test_a_page_opened_too_early_waits(self):
        self.scenes.silent = True
        self.scenes.show([])
        self.browser.get(self.scenes.address + "/")
        self.until(lambda: self.text("notice") == "Connecting to the logbook", "it looks")
        self.shot("connecting")
        self.scenes.silent = False
        erg = Erg("erg-1").rows()
        self.scenes.show([erg])
        self.until(lambda: self.is_live_again(erg), "it found it")

    def test_stream_frozen(self):
        self.show([Erg("erg-1").rows()])
        connections = self.scenes.connections
        self.scenes.silent = True
        self.until(self.away, "an open stream that says nothing counts as lost")
        self.until(lambda: self.scenes.connections > connections, "the page tries anew")
        self.scenes.silent = False
        self.until(lambda: not self.text("notice"), "it is back")

    def test_reconnects_at_once_when_the_page_is_visible(self):
        self.show([Erg("erg-1").rows()])
        self.js("Math.random = () => 1000")
        self.scenes.kill()
        self.until(self.away, "away, and the next attempt is far off")
        self.scenes.start()
        self.js("dispatchEvent(new Event('online'))")
        self.until(lambda: not self.text("notice"), "it is back")

    def test_erg_frozen(self):
        quiet, going = Erg("erg-1").rows(), Erg("erg-2").rows()
        self.show([quiet, going])

        def is_seen():
            for erg in scenes.row_on([going], 0.2):
                self.scenes.send_erg(erg)
            first, second = self.tiles()
            return first["stale"] and first["word"].startswith("no signal for") \
                and not second["stale"]
        self.until(is_seen, "one greys, the other one goes on")
        self.assertEqual(self.tile()["big"], "1:52.4")
        self.scenes.send_erg(quiet.rows(pace=111.0))
        self.until(lambda: self.tile()["big"] == "1:51.0", "it is heard again")

    def test_broker_away_and_back(self):
        self.show([Erg("erg-1").rows()])
        self.scenes.send_broker(False, since_s=40)
        self.until(lambda: self.text("notice").startswith("No connection to the broker for"), "the notice")
        self.shot("broker-away")
        self.scenes.send_broker(True)
        self.until(lambda: not self.text("notice"), "the notice goes")

    def test_gateway_away_and_back(self):
        erg = Erg("erg-1").rows()
        self.show([erg])
        self.scenes.send_gateway(gateway(online=False, age_s=0))
        self.until(lambda: self.tile()["word"].startswith("gateway offline"), "the tile says so")
        self.scenes.send_gateway(gateway())
        self.until(lambda: self.is_live_again(erg), "all is well")

    def test_the_clock_is_the_server_s(self):
        self.scenes.skew_ms = 5 * 3600 * 1000 + 7 * 60 * 1000
        self.addCleanup(setattr, self.scenes, "skew_ms", 0)
        erg = Erg("erg-1").rows()
        self.show([erg])
        clock = self.until(lambda: self.text("clock"), "a clock")
        shown = self.js("return new Date(arguments[0]).getMinutes()",
                        self.scenes.sent_ms())
        self.assertIn(int(clock[3:]), (shown, (shown - 1) % 60))

        def is_fresh():
            self.scenes.send_erg(erg)
            return not self.tile()["stale"]
        self.until(is_fresh, "the clock of the viewer has no say in ages")

    def test_a_new_version_of_the_server_loads_the_page_anew(self):
        self.show([Erg("erg-1").rows()])
        self.js("window.stays = true")
        self.scenes.version = "0.2"
        self.scenes.show([Erg("erg-1").rows()])
        self.until(lambda: not self.js("return window.stays"), "the page is loaded anew")
        self.until(lambda: len(self.tiles()) == 1, "and shows the room")

    def test_ergs_come_and_go(self):
        ergs = scenes.rowers(3)
        self.show(ergs)
        self.js("document.querySelectorAll('.tile')[2].marker = true")
        self.scenes.show(ergs[1:])
        self.until(lambda: len(self.tiles()) == 2, "one is gone")
        self.scenes.send_erg(Erg("erg-9").rows())
        self.until(lambda: len(self.tiles()) == 3, "another one came")
        self.assertTrue(self.js("return document.querySelectorAll('.tile')[1].marker"),
                        "the nodes of who stays are kept")

    def test_distance_moves_between_messages_unless_that_is_unwanted(self):
        self.show([Erg("erg-1").rows()])
        first = self.tile()["go"]
        self.until(lambda: self.tile()["go"] != first, "it moves by itself")
        self.prefer(motion="reduce")
        self.show([Erg("erg-1").rows()])
        self.until(lambda: self.tile()["stale"], "time passes")
        self.assertEqual(self.tile()["go"].replace("\u202f", " "), "214 m to go")
