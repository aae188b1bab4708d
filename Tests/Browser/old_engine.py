"""Opens pages in an engine of 2018: Chromium 69, which PyQtWebEngine 5.12 contains.

iOS 12, the oldest system that the pages support, has an engine of the same year. `run --old-engine` installs it.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

import book
import clubhouse
import fleet
import groups
import scenes
from messages import Erg

# Runs in a process of its own for each page, because Qt has one application per process.
VISITOR = """
import json, os, sys
os.environ.update(QT_QPA_PLATFORM="offscreen", QTWEBENGINE_DISABLE_SANDBOX="1",
                  QTWEBENGINE_CHROMIUM_FLAGS="--no-sandbox --disable-gpu --lang=en-GB")
from PyQt5.QtCore import QTimer, QUrl
from PyQt5.QtWebEngineWidgets import QWebEnginePage, QWebEngineView
from PyQt5.QtWidgets import QApplication

address, condition, result, shot = sys.argv[1:5]
messages = []


class Page(QWebEnginePage):
    def javaScriptConsoleMessage(self, level, message, line, source):
        messages.append(f"{message} ({source}:{line})")


application = QApplication(sys.argv[:1])
view = QWebEngineView()
view.setPage(Page(view))
view.resize(375, 667)
view.show()


def answer(found):
    if shot:
        view.grab().save(shot)
    print(json.dumps({"result": found, "console": messages}))
    application.quit()


def check(isTrue):
    if isTrue:
        view.page().runJavaScript(result, answer)


timer = QTimer()
timer.timeout.connect(lambda: view.page().runJavaScript(f"Boolean({condition})", check))
timer.start(200)
QTimer.singleShot(40_000, lambda: answer(None))
view.load(QUrl(address))
application.exec_()
"""


def visit(address, condition, result, shot=""):
    """Opens a page, waits until `condition` is true, and returns the value of `result` and the console."""
    done = subprocess.run([sys.executable, "-c", VISITOR, address, condition, result, shot], timeout=360,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise AssertionError(f"the engine ended with {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(lines[-1])


class OldEngineTest(unittest.TestCase):
    def setUp(self):
        self.scenes = scenes.Scenes()
        self.addCleanup(self.scenes.kill)
        self.scenes.show(scenes.rowers(8))

    def shown(self, path, condition, result="document.body.innerText"):
        """What a page shows, when it shows everything and has reported no error."""
        folder = os.environ.get("WALL_SHOTS")
        name = path.strip("/").split("?")[0] or "wall"
        shot = str(pathlib.Path(folder) / f"2018-{name}.png") if folder else ""
        found = visit(self.scenes.address + path, condition, result, shot)
        self.assertEqual(found["console"], [], path)
        self.assertIsNotNone(found["result"], f"{path} never showed everything")
        return found["result"]

    def test_the_engine_is_of_2018(self):
        agent = visit(self.scenes.address + "/sign-in", "true", "navigator.userAgent")["result"]
        self.assertRegex(agent, r"Chrome/69\.")

    def test_my_erg_shows_live_values(self):
        self.scenes.guest = {"name": "zoe-phone", "role": "athlete", "athlete_id": "someone"}
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        values = self.shown("/erg?gw=boathouse&erg=erg-1", "document.getElementById('big').textContent",
                            "[document.getElementById('big').textContent].concat(Array.from("
                            "document.querySelectorAll('#figures dd'), (one) => one.textContent))")
        self.assertRegex(values[0], r"^\d:\d\d\.\d$")
        self.assertTrue(all(value.isdigit() for value in values[1:]), values)

    def test_my_erg_is_claimed(self):
        self.scenes.guest = {"name": "zoe-phone", "role": "athlete", "athlete_id": "someone"}
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.scenes.posted.clear()
        self.scenes.show([Erg("erg-1").info().state("idle", piece=False)])
        # Clicks once, then waits for the answer to the page's request.
        self.shown("/erg?gw=boathouse&erg=erg-1", """(() => {
          const button = document.querySelector('#doing button');
          if (!button || window.answered !== undefined) return window.answered;
          window.answered = false;
          const send = window.fetch;
          window.fetch = (path, options) => send(path, options).then((answer) => {
            if (options && options.method === 'POST') window.answered = true;
            return answer;
          });
          button.click();
          return false;
        })()""", "1")
        self.assertIn(("/api/v1/ergs/boathouse/erg-1/claim", {}), self.scenes.posted)

    def test_the_wall_shows_every_erg(self):
        count = "document.querySelectorAll('.tile').length"
        self.assertEqual(self.shown("/", f"{count} === 8", count), 8)

    def test_other_pages_show_their_content(self):
        self.scenes.book.sessions = book.evening()
        self.scenes.fleet.gateways = fleet.every_state()
        self.scenes.book.athletes, self.scenes.book.people = clubhouse.club()
        for path, element in (("/coach", "#lines .line"), ("/race", "main h2, main p"), ("/sessions", ".row"),
                              ("/athletes", "main li, main tr"), ("/plans", "main"), ("/gateways", ".gateway"),
                              ("/plan-editor", ".plan-day"),
                              ("/club", ".club-athletes tbody tr")):
            with self.subTest(path):
                self.shown(path, f"document.querySelectorAll('{element}').length", "1")
        self.scenes.book.sessions = groups.training_group()
        first = self.scenes.book.sessions[0]
        self.shown(f"/piece?gw={first.gw}&id={first.id}", "document.querySelectorAll('.athlete-line').length", "8")
        link = self.scenes.links.add(first.gw, first.id)["link"]
        self.addCleanup(self.scenes.links.links.clear)
        self.shown("/shared/" + link.rpartition("/")[2], "document.querySelectorAll('.athlete-line').length", "8")


if __name__ == "__main__":
    unittest.main()
