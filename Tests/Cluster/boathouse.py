"""A room of eight rowers at a cluster: what Tests/Soak starts, and a logbook beside it."""
import contextlib
import json
import pathlib
import socket
import threading
import time

from cluster import ADDRESSES, PATIENCE, PORT, until
from room import Room

GATEWAY = Room.gateway
# Pieces with an end, so that there are manifests.
WORKOUTS = "250m 4x100m/0:20r just-row/1:00 50cal 3x0:30/0:15r"
# How often the gateway is asked what is acknowledged, in seconds.
LOOK = 0.05


class Boathouse(Room):
    patience = PATIENCE

    def __init__(self, folder, programs):
        super().__init__(folder, programs, WORKOUTS, seed=1)
        self.servers = "servers = [%s]\n" % ", ".join(
            '"%s:%d"' % (address, PORT) for address in ADDRESSES.values())

    def start_broker(self):
        """It is there already."""

    def broker(self):
        return self.servers + "will_delay_s = 0\nannounce_min = 1\n"

    def start(self):
        super().start()
        pathlib.Path(self.path("logbook.toml")).write_text(
            '[broker]\n%s[store]\npath = "%s"\n[http]\nlisten = "127.0.0.1:0"\n' % (
                self.servers, self.path("logbook.db")))
        self.spawn("logbook", self.programs / "rowgate-logbook",
                   "--config", self.path("logbook.toml"))

    def node(self):
        """Of which node the gateway says that it serves it; its name."""
        broker = self.status()["broker"]
        return next(name for name, at in ADDRESSES.items() if at == broker["host"])


class Acknowledgements(threading.Thread):
    """Watches how long records wait while the broker acknowledges none."""

    def __init__(self, room):
        super().__init__(daemon=True)
        self.room, self.lock = room, threading.Lock()
        self.total, self.longest, self.since = 0, 0.0, time.monotonic()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(room.path("rowgate.sock"))

    def ask(self):
        """What the gateway says of its broker; ConnectionError when there is no gateway any more."""
        self.socket.sendall(b'{"method":"org.rowgate.Control.Status"}\0')
        answer = b""
        while not answer.endswith(b"\0"):
            part = self.socket.recv(65536)
            if not part:
                raise ConnectionError("the gateway has hung up")
            answer += part
        return json.loads(answer[:-1])["parameters"]["broker"]

    def run(self):
        with contextlib.suppress(ConnectionError):
            self.watch()

    def watch(self):
        while True:
            broker, now = self.ask(), time.monotonic()
            with self.lock:
                self.longest = max(self.longest, now - self.since)
                if broker["published_total"] > self.total or broker["backlog_messages"] == 0:
                    self.total, self.since = broker["published_total"], now
            time.sleep(LOOK)

    def begin(self):
        """From now on; returns how many were acknowledged before."""
        with self.lock:
            self.longest = 0.0
            return self.total

    def wait_for_more(self, than, count=30):
        """Until so many more than before are acknowledged."""
        def is_enough():
            self.room.check()
            return self.total >= than + count
        until("%d more acknowledgements" % count, is_enough)
