#!/usr/bin/python3
"""Serves the pages' files as rowgate-logbook does, and plays scenes on the event stream.

  scenes.py [--port 8080] [SCENE]    plays one of the scenes below until Ctrl-C
"""

import argparse
import functools
import gzip
import http.cookies
import http.server
import itertools
import json
import pathlib
import posixpath
import queue
import re
import socket
import threading
import time
import urllib.parse

import book
import checkin
import fleet
import groups
import messages
import plans
import regatta
import uploads
import users
from messages import Erg, gateway

PAGES = pathlib.Path(__file__).parents[2] / "Sources/Services/WebPages/Files"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png",
         ".webmanifest": "application/manifest+json"}
HEADERS = {"Cache-Control": "no-cache",
           "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
                                      "frame-ancestors 'none'",
           "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
COACH = {"name": "anna", "role": "coach"}
# The files of the pages, by path, from the pages' own list.
FILES = dict(re.findall(r"'(/[^']*)': '([^']+)'",
                        (PAGES / "common/routes.js").read_text(encoding="utf-8")))

# Parts of pages, which are not served themselves.
PARTS = {"common/shell.html", "common/page-header.html", "common/page-status.html"}
# All files by their path, and the paths of the scripts.
SOURCES = sorted(str(path.relative_to(PAGES)) for path in PAGES.rglob("*") if path.is_file())
SCRIPTS = [name for name in SOURCES if name.endswith(".js")]
# The club's time zone, in which pages show times.
ZONE = "UTC"


def imported(script, address):
    """The path of what `script` imports from `address`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(script), address))


LANGUAGES = ("en", "de")
# The media of the light stylesheet for each theme.
THEMES = {"automatic": "(prefers-color-scheme: light), print", "dark": "print", "light": "all"}


def appearance(query, accepted, cookies):
    """The language and the theme of a page, as rowgate-logbook chooses them."""
    asked, kept = urllib.parse.parse_qs(query), http.cookies.SimpleCookie(cookies)

    def choices(parameter, cookie):
        return [*asked.get(parameter, [])[-1:], *([kept[cookie].value] if cookie in kept else [])]

    languages = [one.strip().partition(";")[0].partition("-")[0].lower()
                 for one in [*choices("lang", "rowgate-language"), *accepted.split(",")]]
    return (next((one for one in languages if one in LANGUAGES), "en"),
            next((one for one in choices("theme", "rowgate-theme") if one in THEMES), "automatic"))


# The name of the club, and the path of its logo below `/assets/`; empty for none.
club = {"name": "", "logo": ""}
# Whether pages name the modules that they load. `first_content.py` measures them without it, too.
preloads_modules = True


def modules(script):
    """The modules that a page's script imports, directly or through others."""
    found = [script]
    for name in found:
        for path in re.findall(r"^(?:import|} from) .*?'([^']+)';$", (PAGES / name).read_text(), re.MULTILINE):
            module = imported(name, path)
            if module not in found:
                found.append(module)
    return found[1:]


def page(name, language, theme):
    """Builds a page as `PageShell` of rowgate-logbook does."""
    first, _, body = (PAGES / name).read_text().partition("\n")
    styles = first.removeprefix("{styles ").removesuffix("}").split()
    for part in ("page-header", "page-status"):
        body = body.replace(f"{{{part}}}\n", (PAGES / f"common/{part}.html").read_text())
    links = "".join(f'<link rel="stylesheet" href="/assets/{style}.css">\n' for style in styles)
    text = (PAGES / "common/shell.html").read_text()
    wanted = modules(name.replace(".html", ".js")) if preloads_modules else []
    preloads = "".join(f'<link rel="modulepreload" href="/assets/{module}">\n' for module in wanted)
    values = {"{styles}\n": links, "{modules}\n": preloads, "{page}": name.partition(".")[0], "{zone}": ZONE,
              "{language}": language, "{light}": THEMES[theme], "{body}\n": body, "{club}": club["name"],
              "{logo}\n": f'<img id="logo" src="/assets/{club["logo"]}" alt="">\n' if club["logo"] else "",
              "{name}": club["name"] or "rowgate"}
    for placeholder, value in values.items():
        text = text.replace(placeholder, value)
    return text.encode()


def strings_text(language):
    """The strings of a language, as JSON."""
    return (PAGES / f"strings/{language}.json").read_text()


def whole(name, language="en", theme="automatic"):
    """A file as browsers get it: complete pages, and strings as a script."""
    strings = re.fullmatch(r"strings/(\w+)\.js", name)
    if strings:
        return f"window.strings = {strings_text(strings[1])};\n".encode()
    if name.endswith(".webmanifest"):
        return (PAGES / name).read_text().replace("{name}", '"rowgate"').encode()
    return page(name, language, theme) if name.endswith(".html") else (PAGES / name).read_bytes()


@functools.lru_cache(maxsize=None)
def compressed(content):
    return gzip.compress(content, mtime=0)


# The paths of all files that browsers can get, below `/assets/`.
SERVED = [re.sub(r"^(strings/\w+)\.json$", r"\1.js", name) for name in SOURCES if name not in PARTS]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two packets; without this, the second waits 40 ms for a delayed acknowledgement.
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.server.scenes.sockets.add(self.connection)

    def finish(self):
        self.server.scenes.sockets.discard(self.connection)
        super().finish()

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/api/v1/live":
            return self.stream(urllib.parse.parse_qs(query).get("gw", [None])[0])
        if path.startswith("/api/v1/ergs/") and path.endswith("/live"):
            return self.stream(path.split("/")[4])
        if self.server.scenes.check_in.handles(path):
            return self.json(*self.server.scenes.check_in.get(path))
        for answers in (self.server.scenes.users, self.server.scenes.uploads):
            if answers.handles(path):
                return self.json(*answers.get(path, self.server.scenes.guest))
        if self.server.scenes.links.handles(path):
            return self.json(*self.server.scenes.links.get(path))
        if path.startswith("/api/v1/plans"):
            names = path.removeprefix("/api/v1/plans").removeprefix("/").split("/")
            return self.json(*self.server.scenes.plan_store.get(names))
        if path.startswith("/api/v1/athletes/") and path.endswith("/plans"):
            return self.json(200, self.server.scenes.plan_store.of(path.split("/")[4]))
        if path.startswith(("/api/v1/sessions", "/api/v1/pieces", "/api/v1/athletes", "/api/v1/records",
                            "/api/v1/groups", "/api/v1/merges", "/api/v1/club")):
            return self.json(*self.server.scenes.book.answer(path, query))
        if path.startswith("/api/v1/gateways"):
            return self.json(*self.server.scenes.fleet.answer(path))
        if path == "/api/v1/races":
            return self.json(200, {"races": self.server.scenes.archive})
        if path.startswith("/api/v1/regattas/"):
            found = self.server.scenes.regatta
            return self.json(200 if found else 404, found or {"code": "unknown_regatta"})
        if path.startswith("/api/v1/races/") and path.count("/") == 4:
            found = self.server.scenes.archived_race
            if isinstance(found, int):
                return self.json(found, {"code": "unavailable"})
            return self.json(200 if found else 404, found or {"code": "unknown_race"})
        if path.startswith("/api/v1/races"):
            return self.answer(200, "text/csv; charset=utf-8", b"place,lane\r\n")
        if path == "/api/v1/me":
            guest = self.server.scenes.guest
            return self.json(200 if guest is not None else 401, guest or {"code": "not_signed_in"})
        if path == "/favicon.ico":
            # Browsers request it with files that are not pages.
            return self.answer(204, "image/svg+xml", b"")
        name = FILES.get(path) or path.removeprefix("/assets/")
        if path.startswith("/shared/") and self.server.scenes.links.shown(path.removeprefix("/shared/")):
            name = "group/shared.html"
        if name not in SERVED:
            return self.answer(404, "application/json", b'{"code": "not_found"}')
        form = appearance(query, self.headers.get("Accept-Language", ""), self.headers.get("Cookie", ""))
        vary = "Accept-Encoding, Accept-Language, Cookie" if name.endswith(".html") else "Accept-Encoding"
        content, headers = whole(name, *form), {"Vary": vary}
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            content, headers = compressed(content), {**headers, "Content-Encoding": "gzip"}
        self.answer(200, TYPES[pathlib.Path(name).suffix], content, headers)

    def do_DELETE(self):
        if self.server.scenes.book.additions.handles(self.path):
            return self.json(*self.server.scenes.book.additions.delete(self.path))
        if self.server.scenes.links.handles(self.path):
            return self.json(*self.server.scenes.links.delete(self.path))
        for answers in (self.server.scenes.users, self.server.scenes.uploads):
            if answers.handles(self.path):
                return self.json(*answers.delete(self.path))
        people = self.server.scenes.book.people
        if people.handles(self.path):
            return self.json(*people.delete(self.path))
        if self.path.startswith("/api/v1/sessions/"):
            return self.json(*self.server.scenes.book.correct(self.path, None))
        if self.path.startswith("/api/v1/ergs/"):
            self.server.scenes.deleted.append(self.path)
            return self.json(*self.server.scenes.check_in.delete(self.path))
        self.json(*self.server.scenes.plan_store.delete(self.path.split("/")[4:]))

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        content = json.loads(self.rfile.read(length))
        if self.path.startswith("/api/v1/plans/"):
            return self.json(*self.server.scenes.plan_store.post(self.path.split("/")[4:], content))
        self.json(*self.server.scenes.post(self.path, content))

    def json(self, status, content):
        self.answer(status, "application/json", json.dumps(content).encode())

    def answer(self, status, content_type, body, headers=None):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end({**HEADERS, **(headers or {})})
        self.wfile.write(body)

    def end(self, headers):
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def stream(self, gw):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end({**HEADERS, "Connection": "close"})
        events = self.server.scenes.subscribe(gw)
        self.wfile.write(b"retry: 1000\n\n")
        try:
            while (event := events.get()) is not None:
                self.wfile.write(event)
        except OSError:
            pass
        finally:
            self.server.scenes.unsubscribe(events)
            self.close_connection = True

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def handle_error(self, *_):
        """Ignores browsers that close the connection."""


class Scenes:
    """The server and its room."""

    def __init__(self, port=0):
        self.port = port
        self.version = "0.1"
        self.broker = {"connected": True, "since_ms_ago": 1000}
        self.ergs, self.gateways, self.crews = {}, {}, {}
        # Ergs that are only sent to requests for their gateway.
        self.more_ergs = 0
        # Open streams, their total number, and all connections.
        self.readers, self.connections, self.sockets = [], 0, set()
        self.lock = threading.Lock()
        self.silent = False
        # The signed-in user; None for a client that sees no wall.
        self.guest = COACH
        # Posted requests, and the answers of commands and ergs: see `post`.
        self.posted, self.commands, self.answers, self.refusal = [], {}, {}, None
        # The paths of DELETE requests about ergs.
        self.deleted = []
        # The other ergs of an athlete that the next claim clears.
        self.cleared = []
        # The fields of a gateway's own replies, by verb.
        self.replies = {}
        # The sessions.
        self.book = book.SessionStore()
        # The links to group results.
        self.links = groups.Links(lambda: self.book.sessions, lambda: self.book.additions)
        # The users, with their devices and invitations.
        self.users = users.Users()
        # The uploads to other services.
        self.uploads = uploads.Uploads()
        # Check-ins without a sign-in.
        self.check_in = checkin.CheckIn()
        # The plans.
        self.plan_store = plans.PlanStore()
        # The present race, if there is one.
        self.race = None
        # The finished races and regattas, and one regatta, as the interface answers.
        self.archive, self.regatta = [], None
        # A race, nothing, or the status of a failure.
        self.archived_race = None
        # The gateways.
        self.fleet = fleet.Fleet()
        # Offset of the server's clock.
        self.skew_ms = 0
        self.started = time.monotonic()
        self.server = None
        self.start()
        threading.Thread(target=self.beats, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        self.server = Server(("127.0.0.1", self.port), Handler)
        self.server.scenes = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def kill(self):
        """Stops like a killed process: nothing listens, and all connections end."""
        self.server.shutdown()
        self.server.server_close()
        with self.lock:
            for events in self.readers:
                events.put(None)
        for connection in list(self.sockets):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def sent_ms(self):
        return messages.NOW_MS + self.skew_ms + round((time.monotonic() - self.started) * 1000)

    def subscribe(self, gw=None):
        """Adds a reader of all gateways or of one, and sends the room first."""
        with self.lock:
            events = queue.Queue()
            self.readers.append(events)
            self.connections += 1
            if not self.silent:
                events.put(self.room(gw))
                events.put(self.text("race", self.race or {}))
                for command in self.commands.values():
                    events.put(self.text("command", command))
            return events

    def post(self, path, content):
        """Handles a POST request; returns status and content."""
        self.posted.append((path, content))
        if self.refusal:
            status, code, message = self.refusal
            return status, {"code": code, "detail": message}
        for answers in (self.users, self.uploads):
            if answers.handles(path):
                return answers.post(path, content)
        if self.book.additions.handles(path):
            return self.book.additions.post(path, content)
        if self.links.handles(path):
            return self.links.post(path)
        if path.startswith("/api/v1/sessions/"):
            return self.book.correct(path, content)
        if self.check_in.handles(path):
            return self.check_in.post(path, content)
        if path.startswith("/api/v1/ergs/"):
            return 202, {"cleared": self.cleared} if self.cleared else {}
        if self.book.people.handles(path):
            return self.book.people.post(path, content)
        if path.startswith("/api/v1/athletes/"):
            return self.book.post(path.removeprefix("/api/v1/athletes/").split("/"), content)
        if path.startswith("/api/v1/regattas"):
            return 200, self.regatta
        if path.startswith("/api/v1/races"):
            return (201 if path == "/api/v1/races" else 200), self.race or {}
        if path != "/api/v1/commands":
            self.guest = COACH if path == "/api/v1/sign-in" else {"role": "wall"}
            return 200, self.guest
        if content["request_id"] in self.commands:
            # A page that polls for the result: it is not sent again.
            self.posted.pop()
            return 202, self.commands[content["request_id"]]
        fields = {"request_id": content["request_id"], **content["fields"]}
        messages.valid(f"cmd_{content['verb']}", fields)
        command = {
            "id": content["request_id"], "verb": content["verb"], "by": "anna", "age_ms": 0,
            "fields": content["fields"], "ergs": [
                {**place, "status": "sent"} for place in content["to"]]}
        self.commands[command["id"]] = command
        threading.Timer(0.3, self.reply, (command,)).start()
        return 202, command

    def reply(self, command):
        """
        Sends the results: of ergs as in `answers` by slug, of gateways by verb; a code, or None for no
        answer. Not for a command of an earlier test.
        """
        if command["id"] not in self.commands:
            return
        for part in command["ergs"]:
            code = self.answers.get(part.get("erg", command["verb"]), "done")
            if code:
                status = "ok" if code == "done" else "error"
                part.update({"status": status, "code": code, "message": f"{code} in the gateway's words",
                             **self.own(part, command, status, code)})
        self.send("command", command)

    def own(self, part, command, status, code):
        """The validated reply of a gateway to its own command."""
        reply = self.replies.get(command["verb"])
        if "erg" in part or not reply:
            return {}
        reply = messages.valid("rsp", {
            "v": 1, "kind": "rsp", "gw": part["gw"], "verb": command["verb"],
            **messages.instant(messages.NOW_MS), "request_id": command["id"], "status": status,
            "code": code, "message": f"{code} in the gateway's words", **reply})
        return {"reply": reply, "message": reply["message"]}

    def unsubscribe(self, events):
        with self.lock:
            self.readers.remove(events)

    def room(self, gw=None):
        content = {"sent_ms": self.sent_ms(), "version": self.version, "broker": self.broker,
                   "gateways": [one for one in self.gateways.values() if gw in (None, one["gw"])],
                   "ergs": [erg.event() for erg in self.ergs.values() if gw in (None, erg.gw)],
                   **({"crews": list(self.crews.values())} if self.crews else {}),
                   **({"more_ergs": self.more_ergs} if self.more_ergs and not gw else {})}
        return self.text("room", content)

    @staticmethod
    def text(name, content):
        return f"event: {name}\ndata: {json.dumps(content)}\n\n".encode()

    def send(self, name, content):
        """Sends an event to all readers, unless the stream is frozen."""
        event = self.text(name, content)
        with self.lock:
            for events in [] if self.silent else self.readers:
                events.put(event)

    def show(self, ergs, gateways=None, crews=()):
        """Replaces the room."""
        self.crews = {(crew["gw"], crew["crew"]): crew for crew in crews}
        self.ergs = {(erg.gw, erg.slug): erg for erg in ergs}
        found = gateways or [gateway(gw) for gw in sorted({erg.gw for erg in ergs})]
        self.gateways = {content["gw"]: content for content in found}
        with self.lock:
            for events in [] if self.silent else self.readers:
                events.put(self.room())

    def send_erg(self, erg):
        self.ergs[erg.gw, erg.slug] = erg
        self.send("erg", erg.event())

    def send_race(self, race):
        """Replaces the race after validating it."""
        self.race = race and regatta.valid(race)
        self.send("race", race or {})

    def send_crew(self, content):
        self.crews[content["gw"], content["crew"]] = content
        self.send("crew", content)

    def send_gateway(self, content):
        self.gateways[content["gw"]] = content
        self.send("gateway", content)

    def send_broker(self, connected, since_s=0):
        self.broker = {"connected": connected, "since_ms_ago": since_s * 1000}
        self.send("broker", self.broker)

    def beats(self):
        while True:
            time.sleep(1)
            self.send("beat", {"sent_ms": self.sent_ms()})


# ---- Scenes -------------------------------------------------------------------------------------

NAMES = ["Amara Okafor", "Jón Þórsson", "Li Wei", "Sofia Rossi", "Tomás Núñez", "Hanna Vogel",
         "Mia de Vries", "Kwame Mensah-Asante", "Zoë Müller-Łukasiewicz", "Noah Smith",
         "Chloé Dubois", "Ingrid Sørensen", "Yuki Tanaka", "Óscar Ibáñez", "Priya Raman", None]
PACES = [112.4, 107.9, 111.8, 121.6, 118.3, 113.9, 116.2, 109.5]


def rowers(count, piece="distance", **target):
    """Rowing ergs with different paces and distances."""
    found = []
    for index in range(count):
        erg = Erg(f"erg-{index + 1}", name=NAMES[index % len(NAMES)], piece=piece, **target)
        pace = PACES[index % 8] + index // 8
        erg.rows(pace, 22 + index % 6, 138 + index * 5 % 40, curve=0.28 + index % 7 * 0.03,
                 distance_m=round(1786.0 - index % 9 * 11, 1), elapsed_s=400.0)
        found.append(erg)
    return found


def wall():
    """An evening of intervals, with all other states."""
    ergs = rowers(6, "intervals")
    for erg in ergs:
        live = erg.messages["live"]["payload"]
        erg.split(2, 114.0).live(**{**figures_of(live), "distance_m": live["distance_m"] - 500})
    silent = ergs[4].messages
    silent["live"]["age_ms"] = 12000
    resting = Erg("erg-7", name="Mia de Vries", piece="intervals").info()
    resting.state("resting", session=resting.session).split(2, 114.0)
    resting.live(state="resting", rest_time_s=37.6, heart_rate_bpm=141, distance_m=1000.0,
                 rest_distance_m=12.0)
    free = Erg("erg-8").info().state("idle", piece=False)
    return ergs + [resting, free]


def targets():
    """The same evening with a target, alerts and a crew."""
    ergs = wall()
    for erg in ergs[:6]:
        erg.asks(pace=(110.0, 115.0))
    ergs[4].alerts("stopped", value=9.0, threshold=6.0)
    ergs[1].alerts("heart_rate_high", value=171.0, threshold=168.0)
    ergs[7].alerts("battery_low", seen=["battery_low"])
    return ergs


FOUR = messages.crew("four", ["erg-1", "erg-2", "erg-3", "erg-6"])
NAMED = {"pyramid": "1000m+750m+500m/2:00r", "steady": "30:00@2:05-2:10", "race-pace": "8x250m/1:00r"}


def figures_of(live):
    head = ("v", "kind", "gw", "erg", "ts_ms", "time", "clock", "state")
    return {name: value for name, value in live.items() if name not in head}


def states():
    """One tile for each state of an erg."""
    paused = Erg("erg-1", name="Amara Okafor").info()
    paused.state("paused", session=paused.session)
    paused.live(state="paused", avg_pace_s_per_500m=113.2, heart_rate_bpm=131)
    finished = Erg("erg-2", name="Jón Þórsson").info()
    finished.state("finished", session=finished.session).summary()
    armed = Erg("erg-3", name="Li Wei").info().state("ready").summary(240)
    asleep = Erg("erg-4").info().offline(2800).state("asleep", 2800, piece=False)
    searching = Erg("erg-5").info().offline(420).state("idle", 420, piece=False)
    released = Erg("erg-6", name="Hanna Vogel").info().offline().state("released", piece=False)
    reason = "a phone or another gateway keeps connecting"
    parked = Erg("erg-7").info().offline().state(
        "parked", piece=False, reason=reason, reason_code="other_device")
    lost = Erg("erg-8", name="Mia de Vries").rows(118.3, 23, 144, age_s=41).offline(38)
    return [paused, finished, armed, asleep, searching, released, parked, lost]


def room_of(count):
    """A full room in which not all ergs row."""
    ergs = rowers(count, "time")
    others = states() + wall()[6:]
    for place, other in zip(range(count // 9, count, count // 9), others):
        taken = ergs[place]
        other.slug = taken.slug
        other.name = other.name and taken.name
        for entry in other.messages.values():
            if isinstance(entry["payload"], dict):
                entry["payload"]["erg"] = taken.slug
        ergs[place] = other
    return ergs


SCENES = {
    "targets": targets, "wall": wall, "states": states, "one": lambda: rowers(1), "three": lambda: rowers(3),
    "sixteen": lambda: rowers(16), "thirty-six": lambda: room_of(36),
    "sixty-four": lambda: room_of(64), "mixed-sixteen": lambda: room_of(16),
}


def row_on(ergs, step_s):
    """All rowing ergs send the next message."""
    for index, erg in enumerate(ergs):
        entry = erg.messages.get("live")
        if not entry or entry["payload"]["state"] != "rowing" or entry["age_ms"] > 3000:
            continue
        live = figures_of(entry["payload"])
        speed = live["speed_m_per_s"]
        live.update(
            live_seq=live["live_seq"] + 1, elapsed_s=round(live["elapsed_s"] + step_s, 2),
            distance_m=round(live["distance_m"] + speed * step_s, 1),
            stroke_rate_spm=22 + (live["live_seq"] + index) % 7,
            pace_s_per_500m=round(PACES[index % 8] + live["live_seq"] * 7 % 30 / 10, 2))
        erg.live(**live)
        if live["live_seq"] % 5 == index % 5:
            number = erg.messages["stroke"]["payload"]["stroke"] + 1
            erg.stroke(number).force(number, 0.28 + number % 8 * 0.02, 560.0 + number % 5 * 40)
        yield erg


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, default=8080)
    arguments.add_argument("scene", nargs="?", choices=list(SCENES), default="wall")
    chosen = arguments.parse_args()
    scenes = Scenes(chosen.port)
    ergs = SCENES[chosen.scene]()
    scenes.show(ergs)
    scenes.book.sessions = book.evening()
    print(f"open {scenes.address}")
    for _ in itertools.count():
        time.sleep(0.5)
        for erg in row_on(ergs, 0.5):
            scenes.send_erg(erg)


if __name__ == "__main__":
    main()
