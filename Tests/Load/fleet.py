"""Gateways in one process, their recordings, and a subscriber to some of them."""
import re
import signal
import subprocess

from programs import Programs, program
from records import Comparison, of_logbook, of_ring

# MiB of the ring for a minute of eight ergs that row, raw values included, and something to spare; and
# for everything else.
RING_MINUTE, RING_BASE = 0.8, 20
# Number of gateways subscribed to: a subscriber to all of them would take their processor time.
HEARD = 8
STAMP = re.compile(r'"ts_ms":(\d+)')
CONFIGURATION = """[gateway]
id = "%(name)s"
[broker]
servers = [%(servers)s]
%(broker)s[ring]
path = "%(folder)s/ring.log"
size_mib = %(size)d
[control]
socket = "%(folder)s/ctl"
[log]
level = "warning"
[bluetooth]
discovery = "listed"
"""


class Fleet(Programs):
    """The process GatewayFleet; each gateway has a folder here."""
    patience = 120

    def __init__(self, folder, asked, broker):
        super().__init__(folder)
        self.asked, self.programs = asked, asked.programs
        self.names = ["load-%03d" % number for number in range(1, asked.gateways + 1)]
        size = RING_BASE + int((asked.minutes + asked.backlog_minutes) * RING_MINUTE)
        for number, name in enumerate(self.names):
            self.configure(number, name, broker, size)

    def configure(self, number, name, broker, size):
        (self.folder / name).mkdir()
        # Each starts at another node.
        first = number % len(broker.servers)
        servers = broker.servers[first:] + broker.servers[:first]
        text = CONFIGURATION % {
            "name": name, "servers": ", ".join('"%s"' % one for one in servers),
            "broker": broker.settings, "folder": self.path(name), "size": size}
        text += "".join('[[erg]]\nslug = "erg-%d"\nserial = "43%05d%02d"\n' % (erg, number, erg)
                        for erg in range(1, self.asked.ergs + 1))
        (self.folder / name / "rowgate.toml").write_text(text)

    def write_past(self, minutes):
        subprocess.run([self.asked.fleet, "past", self.folder, "--minutes", str(minutes),
                        "--seed", str(self.asked.seed), "--workout", self.asked.workout,
                        "--pause", str(self.asked.backlog_pause)],
                       check=True)

    def start(self):
        self.spawn("fleet", self.asked.fleet, "row", self.folder, "--seed", self.asked.seed + 1,
                   "--workout", self.asked.workout)

    def leave(self):
        """Ends all pieces."""
        self.children["fleet"].send_signal(signal.SIGUSR1)

    def export(self, name):
        """All records of a ring, as published."""
        path = self.path("records.jsonl")
        with open(path, "wb") as output:
            subprocess.run([self.programs / "rowgatectl", "log", "export", "--ring",
                            self.path(name) + "/ring.log"], stdout=output, check=True)
        return of_ring(path)

    def newest(self):
        """For each stream of all rings: the last number, and the number of records."""
        last, count = {}, 0
        for name in self.names:
            for epoch, erg, kind, sequence in self.export(name):
                stream = name, epoch, erg, kind
                last[stream] = max(last.get(stream, 0), sequence)
                count += 1
        return last, count

    def compare(self, name, place):
        """Compares the records of a ring and of the store as texts."""
        return Comparison(self.export(name), of_logbook(place, name))


class Listener(Programs):
    """Subscribes to some of the gateways and records arrival times."""

    def __init__(self, folder, host, port, names):
        super().__init__(folder)
        step = -(-len(names) // HEARD)
        topics = [word for name in names[::step] for kind in ("live", "stroke")
                  for word in ("-t", "rowgate/v1/%s/erg/+/%s" % (name, kind))]
        self.spawn("heard", program("mosquitto_sub"), "-V", "5", "-h", host, "-p", str(port), "-q",
                   "1", "-R", *topics, "-F", "%U %t %p")

    def lags(self, since, until):
        """Seconds between a message's time and its arrival, for live samples and for strokes."""
        found = {"live": [], "stroke": []}
        with open(self.path("heard"), errors="replace") as file:
            for line in file:
                words = line.split(" ", 2)
                if len(words) < 3 or not since <= float(words[0]) <= until:
                    continue
                stamp = STAMP.search(words[2])
                if stamp:
                    found[words[1].rpartition("/")[2]].append(
                        float(words[0]) - int(stamp.group(1)) / 1000)
        return found
