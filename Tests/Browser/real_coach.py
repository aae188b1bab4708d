"""A coach controls a real room: rowgate-logbook, a broker, a gateway and eight simulated ergs.

Opens the link that packaging/demo prints (WALL_COACH), and uses the page as test_coach does. The broker of the
demo (WALL_DEMO is its process) is stopped, killed and started again.
"""

import atexit
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from page import PHONE, PageTest
from test_coach import DESK, CoachTest

LINK = os.environ.get("WALL_COACH", "")
DEMO = os.environ.get("WALL_DEMO", "")
# A slow machine confirms eight monitors one after the other.
PATIENCE = 120


def child(name):
    """The pid and arguments of a program among the children of the demo."""
    children = pathlib.Path(f"/proc/{DEMO}/task/{DEMO}/children").read_text().split()
    pid = next(int(pid) for pid in children
               if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == name)
    arguments = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1]
    return pid, [argument.decode() for argument in arguments]


class Broker:
    """The demo's mosquitto."""

    def __init__(self):
        self.pid, self.command = child("mosquitto")
        self.process = None

    def signal(self, number):
        os.kill(self.pid, number)

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def end(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


@unittest.skipUnless(LINK and DEMO, "no demo was started for it")
class RealRoom:
    """Uses the real room instead of scenes."""

    expected_errors = ("503 (Service Unavailable)", "401 (Unauthorized)")

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass


class RealCoachTests(RealRoom, CoachTest):
    def paces(self):
        return sum(bool(re.fullmatch(r"\d:\d\d\.\d", line["pace"])) for line in self.lines())

    def outcome(self, words):
        self.until(lambda: words in self.sent(), words, patience=PATIENCE)

    def test_an_evening_with_a_coach(self):
        self.resize(DESK)
        self.browser.get(LINK)
        self.until(lambda: len(self.lines()) == 8, "eight lines", patience=PATIENCE)
        self.assertTrue(self.browser.current_url.endswith("/coach"), self.browser.current_url)
        self.until(lambda: self.paces() == 8, "all row", patience=PATIENCE)
        self.shot("real-coach")
        self.set_for_all()
        self.end_one()
        self.assign_one()
        self.lose_the_broker()

    def set_for_all(self):
        self.js("document.getElementById('set').click()")
        self.click("5000\u202fm", ".dialog .templates")
        self.click("All", ".dialog")
        self.assertIn("Ends ", self.dialog())
        self.shot("real-coach-set")
        self.click("End and set", ".dialog")
        self.outcome("confirmed on 8 of 8")
        self.shot("real-coach-read-back")
        self.until(lambda: sum("to go" in line["say"] for line in self.lines()) == 8
                   or all("5000 m" in line["say"] or "to go" in line["say"]
                          for line in self.lines()), "all have it", patience=PATIENCE)

    def end_one(self):
        self.until(lambda: any("to go" in line["say"] for line in self.lines()), "one rows it",
                   patience=PATIENCE)
        index = next(index for index, line in enumerate(self.lines()) if "to go" in line["say"])
        place = self.lines()[index]["place"]
        self.menu(index)
        self.click("End piece…", ".dialog")
        self.assertIn(f"Ends the piece of Erg {place}.", self.dialog())
        self.click("End the piece", ".dialog")
        self.outcome(f"ended on Erg {place}")

    def assign_one(self):
        # The dialog asks only about a piece that is under way when it opens.
        self.until(lambda: "to go" in self.lines()[7]["say"], "Erg 8 rows", patience=PATIENCE)
        self.click("Assign athlete… Erg 8", "#lines")
        self.search("crew-7")
        self.click("Add “crew-7” as a new athlete", ".dialog")
        self.until(lambda: "is rowing now" in self.dialog(), "a question, because a piece is under way")
        self.click("Assign", ".dialog")
        self.until(lambda: self.lines()[7]["name"] == "crew-7", "who sits there", patience=PATIENCE)
        self.shot("real-coach-assigned")

    def lose_the_broker(self):
        broker = Broker()
        # Later tests need it too.
        atexit.register(broker.end)
        # A request makes it terminate.
        broker.signal(signal.SIGSTOP)
        self.menu(0)
        self.click("Release to phone app…", ".dialog")
        self.js("const all = Array.from(document.querySelectorAll('.dialog .main'));"
                "all[all.length - 1].click()")
        if "Ends " in self.dialog():
            self.click("Release", ".dialog")
        self.outcome("waiting for Erg 1")
        broker.signal(signal.SIGKILL)
        self.outcome("Erg 1: the connection to the broker was lost")
        self.until(lambda: self.text("notice").startswith("No connection to the broker for"), "it is said")
        before = [line["name"] for line in self.lines()]
        self.shot("real-coach-broker-away")
        self.js("document.getElementById('set').click()")
        self.click("All", ".dialog")
        self.js("document.querySelector('.dialog .main').click()")
        self.until(lambda: "the broker is away" in self.dialog(), "refused in words")
        self.press_escape()
        self.assertEqual([line["name"] for line in self.lines()], before)
        self.assertTrue(all(line["say"] for line in self.lines()))
        broker.start()
        self.until(lambda: not self.text("notice"), "the broker is back", patience=PATIENCE)
        self.until(lambda: self.paces() >= 6, "they are heard again", patience=PATIENCE)
        self.resize(PHONE)
        time.sleep(1)
        self.shot("real-coach-phone")

    def press_escape(self):
        for kind in ("rawKeyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key="Escape", code="Escape",
                         windowsVirtualKeyCode=27)


@unittest.skipUnless(LINK, "no demo was started for it")
class RealSessionsTests(PageTest):
    """The pieces of the room appear in the list with their strokes."""

    @classmethod
    def setUpClass(cls):
        """No scenes here: the room is the real one."""

    @classmethod
    def tearDownClass(cls):
        pass

    def count(self, selector):
        return self.js("return document.querySelectorAll(arguments[0]).length", selector)

    def test_a_session_from_the_list_to_its_strokes(self):
        self.resize(DESK)
        address = LINK.partition("/sign-in")[0]
        self.browser.get(LINK)
        self.until(lambda: self.browser.current_url.endswith("/coach"), "the coach is in", PATIENCE)
        self.browser.get(address + "/sessions")
        self.until(lambda: self.count(".row"), "a session", PATIENCE)
        self.shot("real-sessions")
        for state in self.js("return Array.from(document.querySelectorAll('.row .state'))"
                             ".map((one) => one.textContent)"):
            self.assertIn(state, ["verified", "syncing", "open"])
        self.js("document.querySelector('.row').click()")
        self.until(lambda: self.count("#chart .series.pace"), "its strokes", PATIENCE)
        self.until(lambda: self.count("#curves path.all"), "its force curves", PATIENCE)
        self.assertEqual(self.count("#chart .hole"), 0)
        self.assertTrue(self.text("title"))
        self.shot("real-session")
        for link in self.js("return Array.from(document.querySelectorAll('.file:not([hidden])'))"
                            ".map((one) => one.getAttribute('href'))"):
            status = self.browser.execute_async_script(
                "fetch(arguments[0]).then((answer) => arguments[1](answer.status))", link)
            self.assertEqual(status, 200, link)


if __name__ == "__main__":
    unittest.main()
