"""A room of eight ergs at a cluster: the programs of Tests/Soak, and a logbook."""
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
# Interval of queries for acknowledged records, in seconds.
LOOK = 0.05


class Boathouse(Room):
    patience = PATIENCE

    def __init__(self, folder, programs):
        super().__init__(folder, programs, WORKOUTS, seed=1)
        self.servers = "servers = [%s]\n" % ", ".join(
            '"%s:%d"' % (address, PORT) for address in ADDRESSES.values())

    def start_broker(self):
        """Does nothing: the cluster is started separately."""

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
        """The name of the node to which the gateway is connected."""
        broker = self.status()["broker"]
        return next(name for name, at in ADDRESSES.items() if at == broker["host"])


class Acknowledgements(threading.Thread):
    """Measures how long records wait for the broker's acknowledgement."""

    def __init__(self, room):
        super().__init__(daemon=True)
        self.room, self.lock = room, threading.Lock()
        self.total, self.longest, self.since = 0, 0.0, time.monotonic()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(room.path("rowgate.sock"))

    def ask(self):
        """The gateway's broker status; ConnectionError if the gateway is gone."""
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
        """Starts measuring; returns the current number of acknowledged records."""
        with self.lock:
            self.longest = 0.0
            return self.total

    def wait_for_more(self, than, count=30):
        """Waits until that many more records are acknowledged."""
        def is_enough():
            self.room.check()
            return self.total >= than + count
        until("%d more acknowledgements" % count, is_enough)
