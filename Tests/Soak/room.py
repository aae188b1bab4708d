"""The programs of a soak: started, controlled, inspected, and stopped."""
import json
import os
import pathlib
import socket
import subprocess
import time

from programs import Programs, Trouble, free_port, program

ERGS = ["erg-%d" % number for number in range(1, 9)]
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
"""


def unit_environment():
    """The environment that rowgate.service gives the daemon."""
    unit = pathlib.Path(__file__).resolve().parents[2] / "systemd/rowgate.service"
    return dict(line.split("=", 2)[1:] for line in unit.read_text().splitlines()
                if line.startswith("Environment="))


class Room(Programs):
    # The gateway's name, its ergs, and further options of pm5sim; subclasses override them.
    gateway, ergs, simulator = "soak", ERGS, ()

    def __init__(self, folder, programs, workouts, seed):
        super().__init__(folder)
        self.programs = programs
        self.workouts, self.seed, self.port = workouts, seed, free_port()
        self.connection, self.answers = None, None
        # The offset of the next unread message, and the messages read so far.
        self.position, self.received, self.manifests, self.sessions = 0, 0, set(), set()

    # Life

    def start(self):
        pathlib.Path(self.path("bus.conf")).write_text(BUS % self.path("bus"))
        pathlib.Path(self.path("rowgate.toml")).write_text(self.configuration())
        self.spawn("dbus-daemon", program("dbus-daemon"), "--nofork",
                   "--config-file=" + self.path("bus.conf"))
        self.wait("bus", 10, lambda: os.path.exists(self.path("bus")))
        self.start_broker()
        self.start_ergs()

    def start_broker(self):
        """Starts a private broker, and a subscriber to all topics."""
        pathlib.Path(self.path("mosquitto.conf")).write_text(
            "listener %d 127.0.0.1\nallow_anonymous true\n" % self.port)
        self.spawn("mosquitto", program("mosquitto"), "-c", self.path("mosquitto.conf"))
        self.wait("broker", 10, self.is_listening)
        self.spawn("messages", program("mosquitto_sub"), "-V", "5", "-h", "127.0.0.1", "-p",
                   str(self.port), "-q", "1", "-t", "rowgate/#", "-F", "%t %p")

    @property
    def bus(self):
        return "unix:path=" + self.path("bus")

    def start_ergs(self):
        self.spawn("pm5sim", self.programs / "pm5sim", "--adapters", "hci0:7,hci1:5", "--repeat",
                   "--seed", str(self.seed), "--workout", self.workouts, "--control",
                   self.path("pm5.sock"), "--truth", self.path("truth.jsonl"), "--bus",
                   self.bus, "--ergs", len(self.ergs), *self.simulator)
        self.wait("pm5sim", 20, lambda: os.path.exists(self.path("pm5.sock")))
        self.start_daemon()
        self.wait_for_all(90)

    def start_daemon(self):
        self.spawn("rowgate", self.programs / "rowgate", "--config", self.path("rowgate.toml"),
                   environment={"DBUS_SYSTEM_BUS_ADDRESS": self.bus, **unit_environment()})

    def configuration(self):
        ergs = "".join('[[erg]]\nslug = "%s"\nserial = "43%07d"\n' % (slug, number)
                       for number, slug in enumerate(self.ergs, 1))
        return ('[gateway]\nid = "%s"\n[broker]\n%s'
                '[ring]\npath = "%s"\nsize_mib = 64\n[control]\nsocket = "%s"\n'
                '[bluetooth]\ndiscovery = "listed"\n%s' % (
                    self.gateway, self.broker(), self.path("ring.log"), self.path("rowgate.sock"),
                    ergs))

    def broker(self):
        """The broker section of the configuration."""
        return 'host = "127.0.0.1"\nport = %d\n' % self.port

    def is_listening(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop_daemon(self):
        self.end("rowgate")
        time.sleep(2)                       # for what is still on its way to the subscriber

    # Waiting

    def wait_for_all(self, seconds):
        def is_streaming():
            phases = [erg["link"]["phase"] for erg in self.status().get("ergs", [])]
            return phases == ["streaming"] * len(self.ergs)
        self.wait("all eight stream", seconds, is_streaming)

    def wait_for_manifests(self, seconds):
        def all_published():
            self.strokes()
            return self.sessions <= self.manifests
        self.wait("a manifest for each session", seconds, all_published)

    # Looking

    def control(self, line):
        """Sends commands to the simulator, on one connection."""
        if self.connection is None:
            self.connection = socket.socket(socket.AF_UNIX)
            self.connection.connect(self.path("pm5.sock"))
            self.answers = self.connection.makefile()
        self.connection.sendall(line.encode() + b"\n")
        answer = self.answers.readline()
        if not answer or not json.loads(answer)["ok"]:
            raise Trouble("pm5sim to %s: %s" % (line, answer))

    def rowgatectl(self, *words):
        return subprocess.run(
            [str(self.programs / "rowgatectl"), *words], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False,
            env={**os.environ, "ROWGATE_SOCKET": self.path("rowgate.sock")}).stdout

    def status(self):
        text = self.rowgatectl("status", "--json")
        return json.loads(text) if text.startswith("{") else {}

    def export(self):
        """Every record of the ring, as published."""
        path = self.path("ring.jsonl")
        with open(path, "wb") as output:
            subprocess.run([self.programs / "rowgatectl", "log", "export", "--ring",
                            self.path("ring.log")], stdout=output, check=True)
        return path

    def prove(self):
        """The result of `rowgatectl prove`: numbers, manifests, digests."""
        return self.rowgatectl("prove", self.path("messages"))

    def figures(self):
        """Resident kB and open descriptors of the daemon."""
        process = "/proc/%d/" % self.children["rowgate"].pid
        with open(process + "status") as file:
            size = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
        return size, len(os.listdir(process + "fd"))

    def strokes(self):
        """Strokes received so far; also records sessions and manifests."""
        with open(self.path("messages"), "rb") as file:
            file.seek(self.position)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.position += len(line)
                topic, _, text = line.partition(b" ")
                kind = topic.rsplit(b"/", 1)[-1]
                if kind == b"stroke":
                    self.received += 1
                elif kind in (b"manifest", b"session"):
                    session = json.loads(text)["session_id"]
                    (self.manifests if kind == b"manifest" else self.sessions).add(session)
        return self.received
