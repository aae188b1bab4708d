"""Two gateways, a broker, a logbook and its store: real programs, each of which may be killed."""
import glob
import os
import pathlib
import socket
import subprocess

from mixture import Proxy
from programs import Programs, Trouble, free_port, program
from room import Room

# Seconds after which a step counts as hanging, even on a slow machine.
PATIENCE = 1800


class Boathouse(Room):
    """A gateway and its simulated ergs, with a separate broker."""
    patience = PATIENCE
    ergs = ["erg-%d" % number for number in range(1, 5)]
    # Pieces with an end, so that there are manifests.
    workouts = "100m just-row/0:30 3x50m/0:10r 20cal 2x0:20/0:10r"

    def __init__(self, folder, programs, gateway, port, asked):
        super().__init__(folder, programs, self.workouts, asked.seed)
        self.gateway, self.port = gateway, port
        self.simulator = "--speed", asked.speed, "--link-speed", "8"

    def wait(self, what, seconds, condition):
        super().wait(what, max(seconds, self.patience), condition)

    def start_broker(self):
        """Does nothing: the broker is started separately."""

    def broker(self):
        return super().broker() + "will_delay_s = 0\n"

    def kill(self):
        self.end("rowgate", kill=True)

    def revive(self):
        self.start_daemon()


class Broker(Programs):
    """Saves its state every half hour, Debian's default, so that a kill loses what is newer; and silently
    drops all but ten queued messages of a disconnected client."""
    name = "broker"
    patience = PATIENCE
    # The queue limit of a disconnected client, and further lines of the configuration.
    queue, lines = 10, ""

    def __init__(self, folder):
        super().__init__(folder)
        self.port = free_port()

    def revive(self):
        pathlib.Path(self.path("mosquitto.conf")).write_text(
            "listener %d 127.0.0.1\nallow_anonymous true\nuser root\n"
            "persistence true\npersistence_location %s/\nmax_queued_messages %d\n%s" % (
                self.port, self.folder, self.queue, self.lines))
        self.spawn("mosquitto", program("mosquitto"), "-c", self.path("mosquitto.conf"))
        self.wait("broker", PATIENCE, self.is_listening)

    @property
    def servers(self):
        return ["127.0.0.1:%d" % self.port]

    def is_listening(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.end("mosquitto", kill=True)

    def request_extra_replay(self, gateway, number, request):
        """Requests a replay as another client."""
        subprocess.run(
            [program("mosquitto_pub"), "-V", "5", "-h", "127.0.0.1", "-p", str(self.port), "-t",
             "rowgate/v1/%s/cmd/replay" % gateway, "-m",
             '{"request_id":"more-%d",%s}' % (number, request)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False)


class File:
    """A store in a file, which cannot be killed."""
    name = None

    def __init__(self, folder):
        self.place = str(folder / "logbook.db")
        self.settings = 'path = "%s"' % self.place

    def revive(self):
        """Does nothing: a file needs no start."""

    def stop(self):
        """Does nothing: a file needs no stop."""


class Server(Programs):
    """A PostgreSQL server on a socket in its folder."""
    name = "database"
    patience = PATIENCE
    # No durability across a crash of the machine.
    options = ("-F",)

    def __init__(self, folder):
        super().__init__(folder)
        found = glob.glob("/usr/lib/postgresql/*/bin")
        if not found:
            raise Trouble("apt install postgresql", is_ours=True)
        self.tools = sorted(found)[-1] + "/"
        # It refuses to run as root.
        self.user = ["setpriv", "--reuid=nobody", "--clear-groups"] if os.getuid() == 0 else []
        self.place = "host=%s user=postgres dbname=postgres" % folder
        self.settings = 'postgres = "%s"' % self.place

    def make(self):
        if self.user:
            subprocess.run(["chown", "nobody", self.folder], check=True)
        subprocess.run(
            [*self.user, self.tools + "initdb", "-D", self.path("data"), "-U", "postgres", "-A",
             "trust", "--no-sync"], check=True, stdout=subprocess.DEVNULL)

    def revive(self):
        """Starts the server again until no process of the previous one remains."""
        if not os.path.exists(self.path("data")):
            self.make()
        self.wait("database", PATIENCE, self.is_up)

    def is_up(self):
        child = self.children.get("postgres")
        if child is None or child.poll() is not None:
            self.children.pop("postgres", None)
            self.spawn("postgres", *self.user, self.tools + "postgres", "-D", self.path("data"),
                       "-k", self.folder, *self.options, "-c", "listen_addresses=")
        return subprocess.run(
            ["psql", "-qAt", self.place, "-c", "SELECT 1"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False).returncode == 0

    def kill(self):
        self.end("postgres", kill=True)


class Logbook(Programs):
    """A logbook at a broker, configured with these servers."""
    patience = PATIENCE

    def __init__(self, folder, programs, servers, store, shares=False):
        super().__init__(folder)
        self.name = pathlib.Path(folder).name
        self.programs, self.store = programs, store
        pathlib.Path(self.path("logbook.toml")).write_text(
            '[broker]\nservers = [%s]\nclient_id = "%s"\n[store]\n%s\n%s'
            '[http]\nlisten = "127.0.0.1:0"\n' % (
                ", ".join('"%s"' % one for one in servers), self.name, store.settings,
                "shared = true\n" if shares else ""))

    def start(self):
        """Returns when it listens."""
        self.revive()
        self.wait("logbook", PATIENCE, lambda: self.count_in_journal("listening to the broker"))

    def revive(self):
        """Restarts it as systemd does: without its database it does not start."""
        if "logbook" in self.children and self.children["logbook"].poll() is not None:
            self.children.pop("logbook")
        if "logbook" not in self.children:
            self.spawn("logbook", self.programs / "rowgate-logbook", "--config",
                       self.path("logbook.toml"))

    def kill(self):
        if "logbook" in self.children and self.children["logbook"].poll() is None:
            self.end("logbook", kill=True)

    def ask(self, *words):
        done = subprocess.run(
            [self.programs / "rowgate-logbook", *words, "--config", self.path("logbook.toml")],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def count_in_journal(self, words):
        """Number of occurrences in its journal."""
        texts = (pathlib.Path(self.path(name)).read_text(errors="replace")
                 for name in ("logbook", "logbook.err"))
        return sum(text.count(words) for text in texts)

    def share(self):
        """Its last log line about its share of the store; None if there is none."""
        lines = [line for name in ("logbook", "logbook.err")
                 for line in pathlib.Path(self.path(name)).read_text(errors="replace").split("\n")
                 if "this logbook stores " in line]
        return lines[-1].partition("this logbook stores ")[2] if lines else None


class MixedLogbook(Logbook):
    """A logbook behind a proxy that duplicates and reorders messages."""

    def __init__(self, folder, programs, broker, store, seed, shares=False):
        port = free_port()
        super().__init__(folder, programs, ["127.0.0.1:%d" % port], store, shares)
        self.proxy = Proxy(port, broker.port, seed)
        self.proxy.start()
