"""The programs of a soak: started, spoken to, looked at, and stopped."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

ERGS = ["erg-%d" % number for number in range(1, 9)]
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
"""


class Trouble(Exception):
    """What ended a soak before its time; `is_ours`: it could not even begin."""

    def __init__(self, text, is_ours=False):
        super().__init__(text)
        self.is_ours = is_ours


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(name):
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not path:
        raise Trouble(name + " is not installed", is_ours=True)
    return path


def unit_environment():
    """What rowgate.service gives the daemon to live in."""
    unit = pathlib.Path(__file__).resolve().parents[2] / "systemd/rowgate.service"
    return dict(line.split("=", 2)[1:] for line in unit.read_text().splitlines()
                if line.startswith("Environment="))


class Room:
    def __init__(self, folder, programs, workouts, seed):
        self.folder, self.programs = folder, programs
        self.workouts, self.seed, self.port = workouts, seed, free_port()
        self.children, self.connection, self.answers = {}, None, None
        # Of the messages that were read so far: where the next one begins, and what they were.
        self.position, self.received, self.manifests, self.sessions = 0, 0, set(), set()

    def path(self, name):
        return str(self.folder / name)

    # Life

    def start(self):
        pathlib.Path(self.path("bus.conf")).write_text(BUS % self.path("bus"))
        pathlib.Path(self.path("rowgate.toml")).write_text(self.configuration())
        self.spawn("dbus-daemon", program("dbus-daemon"), "--nofork",
                   "--config-file=" + self.path("bus.conf"))
        self.wait("bus", 10, lambda: os.path.exists(self.path("bus")))
        self.start_broker()
        self.start_ergs("unix:path=" + self.path("bus"))

    def start_broker(self):
        """One of its own, and somebody who hears everything."""
        pathlib.Path(self.path("mosquitto.conf")).write_text(
            "listener %d 127.0.0.1\nallow_anonymous true\n" % self.port)
        self.spawn("mosquitto", program("mosquitto"), "-c", self.path("mosquitto.conf"))
        self.wait("broker", 10, self.is_listening)
        self.spawn("messages", program("mosquitto_sub"), "-V", "5", "-h", "127.0.0.1", "-p",
                   str(self.port), "-q", "1", "-t", "rowgate/#", "-F", "%t %p")

    def start_ergs(self, bus):
        self.spawn("pm5sim", self.programs / "pm5sim", "--adapters", "hci0:7,hci1:5", "--repeat",
                   "--seed", str(self.seed), "--workout", self.workouts, "--control",
                   self.path("pm5.sock"), "--truth", self.path("truth.jsonl"), "--bus", bus)
        self.wait("pm5sim", 20, lambda: os.path.exists(self.path("pm5.sock")))
        self.spawn("rowgate", self.programs / "rowgate", "--config", self.path("rowgate.toml"),
                   environment={"DBUS_SYSTEM_BUS_ADDRESS": bus, **unit_environment()})
        self.wait_for_all(90)

    def configuration(self):
        ergs = "".join('[[erg]]\nslug = "%s"\nserial = "43%07d"\n' % (slug, number)
                       for number, slug in enumerate(ERGS, 1))
        return ('[gateway]\nid = "soak"\n[broker]\n%s'
                '[ring]\npath = "%s"\nsize_mib = 64\n[control]\nsocket = "%s"\n'
                '[bluetooth]\ndiscovery = "listed"\n%s' % (
                    self.broker(), self.path("ring.log"), self.path("rowgate.sock"), ergs))

    def broker(self):
        """The lines of its section."""
        return 'host = "127.0.0.1"\nport = %d\n' % self.port

    def spawn(self, name, *command, environment=None):
        if not shutil.which(str(command[0])):
            raise Trouble("no program %s: swift build first" % command[0], is_ours=True)
        with open(self.path(name), "wb") as output, open(self.path(name + ".err"), "wb") as error:
            self.children[name] = subprocess.Popen(
                [str(word) for word in command], stdout=output, stderr=error,
                env={**os.environ, **(environment or {})})

    def is_listening(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def check(self):
        for name, child in self.children.items():
            if child.poll() is not None:
                raise Trouble("%s ended with %d" % (name, child.returncode))

    def stop_daemon(self):
        child = self.children.pop("rowgate")
        child.terminate()
        if child.wait(10) != 0:
            raise Trouble("rowgate ended with %d when it was told to stop" % child.returncode)
        time.sleep(2)                       # for what is still on its way to the subscriber

    def stop(self):
        for child in reversed(list(self.children.values())):
            child.terminate()
        for child in self.children.values():
            child.wait(10)
        self.children = {}

    # Waiting

    def wait(self, what, seconds, condition):
        end = time.monotonic() + seconds
        while not condition():
            self.check()
            if time.monotonic() > end:
                raise Trouble("not within %d s: %s" % (seconds, what))
            time.sleep(0.2)

    def wait_for_all(self, seconds):
        def is_streaming():
            phases = [erg["link"]["phase"] for erg in self.status().get("ergs", [])]
            return phases == ["streaming"] * len(ERGS)
        self.wait("all eight stream", seconds, is_streaming)

    def wait_for_manifests(self, seconds):
        def all_told():
            self.strokes()
            return self.sessions <= self.manifests
        self.wait("a manifest for each session", seconds, all_told)

    # Looking

    def control(self, line):
        """Asks the simulator, on one connection."""
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

    def prove(self):
        """The judgement of the project's own proof: numbers, manifests, digests."""
        return self.rowgatectl("prove", self.path("messages"))

    def figures(self):
        """Resident kB and open descriptors of the daemon."""
        process = "/proc/%d/" % self.children["rowgate"].pid
        with open(process + "status") as file:
            size = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
        return size, len(os.listdir(process + "fd"))

    def strokes(self):
        """Strokes received so far; notes sessions and manifests on the way."""
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
