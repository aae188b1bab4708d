"""Steps of scenarios in the machine: install rowgate, start monitors, listen, wait."""
import atexit
import ctypes
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import time

FOLDER = pathlib.Path("/run/scenario")
OUT = FOLDER / "out" / pathlib.Path(sys.argv[0]).name
ERGS = ["erg-%d" % number for number in range(1, 9)]
PACKAGE = FOLDER / "rowgate.deb"


# The factor for time limits; above 1 if the machine is emulated.
PATIENCE = int((FOLDER / "patience").read_text()) if (FOLDER / "patience").exists() else 1

# More rowing and more repetitions, where a scenario has them.
IS_LONG = (FOLDER / "long").exists()


class Failure(Exception):
    """A failure that the scenario detects."""


def report(text):
    print("   " + text, flush=True)


def expect(what, found, expected):
    if found != expected:
        raise Failure("%s: %r, not %r" % (what, found, expected))


def run(*command, check=True):
    """Standard output of a command; a failing one ends the scenario with its output."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if check and done.returncode != 0:
        raise Failure("%s: status %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


def until(what, seconds, condition):
    """Waits for a condition, for that many seconds on a machine that is not emulated."""
    end = time.monotonic() + seconds * PATIENCE
    while True:
        start = time.monotonic()
        if condition():
            return
        if time.monotonic() > end:
            raise Failure("not within %d s: %s" % (seconds * PATIENCE, what))
        # A check may start a program, which takes a second of an emulated processor. Most of the processor is left
        # to what is tested.
        time.sleep(max(0.2, 3 * (time.monotonic() - start)))


def show(unit, *properties):
    """Properties of a unit, as texts."""
    words = [word for name in properties for word in ("-p", name)]
    lines = run("systemctl", "show", unit, *words).splitlines()
    found = dict(line.split("=", 1) for line in lines)
    return [found[name] for name in properties]


# Installing

def configuration(more=""):
    ergs = "".join('\n[[erg]]\nslug = "%s"\nserial = "43%07d"\n' % (slug, number)
                   for number, slug in enumerate(ERGS, 1))
    return '[gateway]\nid = "boathouse"\n\n[bluetooth]\ndiscovery = "listed"\n' + more + ergs


STATE = pathlib.Path("/var/lib/rowgate")


def is_installed():
    return "install ok installed" in run("dpkg-query", "--show", "--showformat=${Status}", "rowgate",
                                         check=False)


def install():
    if not is_installed():
        run("apt-get", "install", "--yes", "--no-install-recommends", str(PACKAGE))
        # The package starts it with the packaged configuration.
        run("systemctl", "stop", "rowgate")
        empty(STATE)
    configure(configuration())


def configure(text):
    pathlib.Path("/etc/rowgate/rowgate.toml").write_text(text)


# The air

def start_room(adapters="7,5", *simulator, capture=False):
    """Broker, bluetoothd, and eight monitors in range of the adapters.

    `capture` records all packets between the kernel and the adapters.
    """
    run("systemctl", "start", "mosquitto")
    # Enabled, as by Debian's package: bluetoothd can then be activated over D-Bus.
    run("systemctl", "enable", "--now", "bluetooth")
    run("systemd-run", "--quiet", "--unit=radio", "--property=Type=notify",
        "--property=WorkingDirectory=%s" % FOLDER, "--setenv=PYTHONDONTWRITEBYTECODE=1",
        # A real radio has a processor of its own.
        "--property=Nice=-15", "python3", "-m", "radio", "--adapters", adapters, "--truth", str(OUT / "truth.jsonl"),
        *(("--capture", str(OUT)) if capture else ()),
        # An emulated machine may need minutes until rowgate runs; the last option wins.
        "--", str(FOLDER / "pm5sim"), "--pipe", "--sleep-after", "0", *simulator)


BLUETOOTH = pathlib.Path("/etc/bluetooth/main.conf")


def keep_bluetooth_options():
    """Restores bluetoothd's configuration after the scenario."""
    before = OUT / "main.conf"
    run("cp", "-a", str(BLUETOOTH), str(before))
    afterwards("cp", "-a", str(before), str(BLUETOOTH))


def leave_phones_alone():
    """Stops bluetoothd from looking for services of a phone; from its next start on."""
    keep_bluetooth_options()
    BLUETOOTH.write_text(BLUETOOTH.read_text().replace(
        "[General]", "[General]\nReverseServiceDiscovery = false", 1))


def adapters_are_on(count=2):
    """Waits for bluetoothd to switch the radio's adapters on."""
    for state in radio("state")["adapters"][:count]:
        path = "/org/bluez/" + state["name"]
        until("%s is on" % state["name"], 30, lambda: run(
            "busctl", "get-property", "org.bluez", path, "org.bluez.Adapter1", "Powered",
            check=False).strip() == "b true")


def set_clock_right():
    """Tells the kernel that its clock is synchronized, as an NTP client does."""
    # struct timex, all else zero: no error, and not STA_UNSYNC.
    maximum_error, status = 0x0004, 0x0010
    buffer = (ctypes.c_char * 256)(*struct.pack("@I", maximum_error | status))
    if ctypes.CDLL(None, use_errno=True).adjtimex(buffer) < 0:
        raise Failure("adjtimex: " + os.strerror(ctypes.get_errno()))


def radio(command, **words):
    """Asks the radio; see its help."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("/run/radio.sock")
        connection.sendall((json.dumps({"command": command, **words}) + "\n").encode())
        answer = json.loads(connection.makefile().readline())
    if not answer["ok"]:
        raise Failure("radio: " + answer["error"])
    return answer


def monitors():
    """The radio's own view of every monitor, by erg."""
    return dict(zip(ERGS, radio("state")["monitors"]))


# The broker

class Message:
    """A message as a subscriber saw it; `at` is on the monotonic clock.

    `kind` is the topic below the gateway, or below its erg: `live` is an erg's, the room's is
    `room/live`.
    """

    def __init__(self, at, retained, topic, text):
        self.at, self.is_retained, self.topic = at, retained, topic
        levels = topic.split("/")
        self.erg = levels[4] if len(levels) > 5 and levels[3] == "erg" else None
        self.kind = "/".join(levels[5 if self.erg else 3:])
        self.fields = json.loads(text) if text.startswith("{") else {"text": text}


class Subscriber:
    """Records all messages, in out/messages."""

    def __init__(self, topic="rowgate/v1/#"):
        self.path = OUT / "messages"
        self.file = open(self.path, "w")
        self.process = subprocess.Popen(
            ["mosquitto_sub", "-V", "5", "-q", "1", "-t", topic, "-F", "%U %r %t %p"],
            stdout=self.file)
        atexit.register(self.process.terminate)
        self.reader, self.messages = open(self.path), []
        # mosquitto_sub prints wall time; nothing sets the clock here.
        self.offset = time.time() - time.monotonic()

    def received(self):
        """All messages so far."""
        while True:
            position = self.reader.tell()
            line = self.reader.readline()
            if not line.endswith("\n"):
                self.reader.seek(position)
                return self.messages
            at, retained, topic, text = line.rstrip("\n").split(" ", 3)
            self.messages.append(Message(float(at) - self.offset, retained == "1", topic, text))

    def last(self, kind, erg=None, since=0.0):
        """The newest fresh message of a kind after a time, or None."""
        for message in reversed(self.received()):
            if message.at < since:
                return None
            if message.kind == kind and message.erg == erg and not message.is_retained:
                return message
        return None


# A clean machine for the next one

UNDO = []


def afterwards(*command):
    """Registers a cleanup command for the end of the scenario; the last one runs first."""
    UNDO.insert(0, command)


def empty(folder):
    for path in folder.glob("*"):
        run("rm", "-rf", str(path))


def leave():
    """Stops all programs of a scenario, and removes their state."""
    run("systemctl", "disable", "--now", "rowgate", check=False)
    run("systemctl", "stop", "radio", "mosquitto", check=False)
    run("systemctl", "disable", "--now", "bluetooth", check=False)
    for command in UNDO:
        run(*command)
    run("systemctl", "daemon-reload")
    run("systemctl", "reset-failed")
    for folder in (STATE, pathlib.Path("/var/lib/mosquitto"), pathlib.Path("/var/lib/bluetooth")):
        empty(folder)


# The machine's own view

def denials(since):
    """AppArmor denials of the daemon: the kernel logs a profile, the message bus a label."""
    lines = run("journalctl", "--since=@%.3f" % since, "--quiet", "--no-pager",
                "--output=cat").splitlines()
    return [line for line in lines if 'apparmor="DENIED"' in line
            and ('profile="rowgate"' in line or 'label="rowgate"' in line)]


def show_room():
    """Prints the state of each component and the journal, after a failure."""
    for view in (["rowgatectl", "status"], ["rowgatectl", "scan"],
                 ["python3", "-m", "radio", "ctl", "state"], ["hcitool", "con"],
                 ["journalctl", "--boot", "--no-pager", "--lines=60", "--output=short-monotonic",
                  "--unit=rowgate", "--unit=bluetooth", "--unit=radio"]):
        print("-- %s" % " ".join(view), flush=True)
        print(run("timeout", "10", *view, check=False), flush=True)


def main(scenario):
    """Runs a scenario; prints the message of its failure."""
    os.chdir(FOLDER)
    start, clock = time.time(), time.monotonic()
    try:
        scenario()
        denied = denials(start)
        if denied:
            raise Failure("the profile of AppArmor lacks something:\n" + "\n".join(denied))
        report("all well after %.0f s" % (time.monotonic() - clock))
    except Failure as failure:
        print("FAILED: %s" % failure, flush=True)
        show_room()
        sys.exit(1)
    finally:
        leave()
