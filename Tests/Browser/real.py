"""Basic tests of the pages against a real rowgate-logbook at WALL_REAL: `Tests/Browser/run --real URL`."""

import json
import os
import pathlib
import re
import unittest
import urllib.error
import urllib.request

from page import PHONE, TV, PageTest
from scenes import FILES, HEADERS, SERVED, TYPES, whole

ADDRESS = os.environ.get("WALL_REAL", "").rstrip("/")
# Number of rowers to wait for.
ROWING = int(os.environ.get("WALL_ROWING", "0"))
# Pages that a guest does not get: those of coaches and of room devices.
SIGNED_IN = ("/coach", "/check-in")


class RealTests(PageTest):
    @classmethod
    def setUpClass(cls):
        """Uses the real room instead of scenes."""

    @classmethod
    def tearDownClass(cls):
        pass

    def ask(self, path, method="GET"):
        request = urllib.request.Request(ADDRESS + path, method=method)
        try:
            return urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as error:
            return error

    def test_files_and_headers(self):
        for path in [*FILES, *(f"/assets/{name}" for name in SERVED)]:
            if path in SIGNED_IN:
                continue
            with self.subTest(path):
                answer = self.ask(path)
                self.assertEqual(answer.status, 200)
                name = FILES.get(path) or path.removeprefix("/assets/")
                # The logbook's time zone is that of its configuration, or of its machine.
                content = re.sub(rb'data-zone="[^"]+"', b'data-zone="UTC"', answer.read())
                self.assertEqual(content, whole(name))
                kind = TYPES[pathlib.Path(name).suffix].split(";")[0]
                self.assertEqual(answer.headers["Content-Type"].split(";")[0], kind)
                for header, value in HEADERS.items():
                    self.assertEqual(answer.headers[header], value)
                self.assertTrue(answer.headers["ETag"])

    def test_anything_else_is_refused_in_words(self):
        for path, method, status in [("/nothing", "GET", 404), ("/assets/../wall", "GET", 404),
                                     ("/assets/common/shell.html", "GET", 404), ("/", "POST", 405)]:
            answer = self.ask(path, method)
            self.assertEqual(answer.status, status, path)
            self.assertTrue(json.loads(answer.read())["detail"])

    def test_guests_are_redirected_to_the_sign_in(self):
        for path in SIGNED_IN:
            answer = self.ask(path)
            self.assertTrue(answer.url.endswith("/sign-in?next=" + path), answer.url)
        self.assertEqual(self.ask("/api/v1/commands", "POST").status, 401)

    def test_the_stream_begins_with_the_room(self):
        with self.ask("/api/v1/live") as stream:
            self.assertEqual(stream.headers["Content-Type"].split(";")[0], "text/event-stream")
            lines = []
            while not any(line.startswith("data:") for line in lines):
                lines.append(stream.readline().decode().rstrip("\r\n"))
        self.assertIn("event: room", lines)
        room = json.loads(lines[-1].removeprefix("data:"))
        for field in ("sent_ms", "version", "broker", "gateways", "ergs"):
            self.assertIn(field, room)

    def test_the_wall_shows_the_room(self):
        for size in (TV, PHONE):
            self.resize(size)
            self.browser.get(ADDRESS + "/")
            self.until(lambda: self.text("clock"), "the server's clock")
            self.until(lambda: not self.text("notice"), "nothing is away")
            self.until(lambda: self.tiles() or self.text("empty"), "a room")
            if ROWING:
                self.until(lambda: sum(bool(re.fullmatch(r"\d:\d\d\.\d", tile["big"]))
                                       for tile in self.tiles()) == ROWING,
                           "a pace on each erg", patience=120)
            for tile in self.tiles():
                self.assertTrue(tile["name"] or tile["place"], tile)
                self.assertTrue(tile["big"], tile)
            self.shot(f"real-{size[0]}x{size[1]}")


if __name__ == "__main__":
    unittest.main()
