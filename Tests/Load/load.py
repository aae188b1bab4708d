"""Many gateways, a broker, a logbook on PostgreSQL: started by Tests/Load/run."""
import argparse
import pathlib
import shutil
import sys
import tempfile
import time

import cluster
from costs import Window, quantiles, table
from fleet import Fleet, Listener
from parts import PATIENCE, Broker, Logbook, Server
from programs import Trouble
from records import rows

# The number of gateways to which the costs are extrapolated.
MANY = 1000
# Seconds at full rate before the measurement, or as long as the measurement itself if that is less; and
# seconds between two counts of the stored records.
WARM_UP, LOOK = 20, 2
# All records have arrived when none has arrived for so many seconds.
QUIET = 5


def options():
    parser = argparse.ArgumentParser(
        prog="Tests/Load/run", formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        description=__doc__)
    parser.add_argument("--gateways", type=int, default=8)
    parser.add_argument("--ergs", type=int, default=8, help="of each gateway; 8 at most")
    parser.add_argument("--minutes", type=float, default=1, help="at full rate, measured")
    parser.add_argument("--backlog-minutes", type=int, default=0,
                        help="what each gateway comes back with before")
    parser.add_argument("--backlog-pause", type=int, default=70,
                        help="seconds between two pieces of it on an erg")
    parser.add_argument("--broker", choices=("mosquitto", "cluster"), default="mosquitto")
    parser.add_argument("--workout", default="2000m", help="rowed again and again, as pm5sim has it")
    parser.add_argument("--seed", type=int, default=1, help="draws other rowers")
    parser.add_argument("--programs", type=pathlib.Path, default=".build/debug")
    parser.add_argument("--fleet", default=".build/debug/GatewayFleet")
    parser.add_argument("--keep", help="a folder for rings, store and journals")
    parser.add_argument("--root", type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


class Mosquitto(Broker):
    """Configured as Brokers.md recommends for a logbook that may be offline for a while."""
    queue, settings = 100_000, ""

    @property
    def roots(self):
        return {"mosquitto": [child.pid for child in self.children.values()]}


class Nodes:
    """A cluster of three RabbitMQ nodes."""
    settings = "will_delay_s = 0\nannounce_min = 5\n"
    servers = ["%s:%d" % (at, cluster.PORT) for at in cluster.ADDRESSES.values()]

    def __init__(self, folder, root):
        self.cluster = cluster.Cluster(root, folder)

    def revive(self):
        self.cluster.start()

    def stop(self):
        self.cluster.stop()

    @property
    def roots(self):
        return {"RabbitMQ, three nodes": [
            node.process.pid for node in self.cluster.nodes.values()]}


class Database(Server):
    """A database with full durability, as in production."""
    options = ()


class Run:
    def __init__(self, folder, asked):
        def own(name):
            (folder / name).mkdir(parents=True)
            return folder / name
        self.asked, self.begin = asked, time.monotonic()
        self.broker = Nodes(own("broker"), asked.root) if asked.broker == "cluster" else \
            Mosquitto(own("broker"))
        self.store = Database(own("store"))
        self.logbook = Logbook(own("logbook"), asked.programs, self.broker.servers, self.store)
        self.fleet, self.ears, self.listener = Fleet(own("fleet"), asked, self.broker), own("ears"), None

    def report(self, words):
        print("%6.1f s  %s" % (time.monotonic() - self.begin, words), flush=True)

    def check(self):
        for part in (self.fleet, self.logbook, self.store):
            part.check()

    # Measurements

    def parts(self):
        return {
            "gateways, all of them": [self.fleet.children["fleet"].pid], **self.broker.roots,
            "logbook": [self.logbook.children["logbook"].pid],
            "PostgreSQL": [self.store.children["postgres"].pid],
            "subscriber of %d" % min(8, self.asked.gateways): [
                self.listener.children["heard"].pid]}

    def stored(self):
        """The number of records in the store."""
        return int(rows(self.store.place, "SELECT coalesce(sum(last - first + 1), 0) FROM span")[0])

    def missing(self, wanted):
        """The number of missing records of each stream, up to the wanted number."""
        there = dict.fromkeys(wanted, 0)
        for line in rows(self.store.place, "SELECT gw, epoch, erg, kind, first, last FROM span "
                                           "JOIN stream ON stream.id = stream"):
            *stream, first, last = line.split("|")
            stream = tuple(stream)
            if stream in wanted and int(first) <= wanted[stream]:
                there[stream] += min(int(last), wanted[stream]) - int(first) + 1
        return sum(wanted.values()) - sum(there.values())

    def stored_lags(self, window):
        """Seconds between a record's time and its insertion in the store."""
        begin = int(window.unix * 1000)
        return [int(text) / 1000 for text in rows(
            self.store.place, "SELECT stored_ms - ts_ms FROM record WHERE ts_ms BETWEEN %d AND %d" % (
                begin, begin + int(window.seconds * 1000)))]

    # The run

    def start(self):
        self.broker.revive()
        self.store.revive()
        self.logbook.start()
        address, _, port = self.broker.servers[-1].rpartition(":")
        self.listener = Listener(self.ears, address, port, self.fleet.names)
        self.report("%s, PostgreSQL and a logbook run" % self.asked.broker)

    def write_past(self):
        begin = time.monotonic()
        self.fleet.write_past(self.asked.backlog_minutes)
        wanted, count = self.fleet.newest()
        self.report("%d records of %d minutes wait in %d rings; written and read in %.0f s" % (
            count, self.asked.backlog_minutes, self.asked.gateways, time.monotonic() - begin))
        return wanted

    def come_back(self, wanted):
        """Waits until the whole backlog is stored; all ergs row meanwhile."""
        window = Window(self.parts, self.stored)
        left, reported, progress = None, time.monotonic(), time.monotonic()
        while (now := self.missing(wanted)) > 0:
            self.check()
            if now != left:
                left, progress = now, time.monotonic()
            if time.monotonic() > progress + PATIENCE:
                raise Trouble("%d old records do not arrive" % now)
            if time.monotonic() > reported + 60:
                reported = time.monotonic()
                self.report("%d old records are still in transit" % now)
            time.sleep(LOOK)
        self.report_window("%d gateways come back with %d minutes each" % (
            self.asked.gateways, self.asked.backlog_minutes), window.end(), has_past=True)

    def row(self):
        time.sleep(min(WARM_UP, 60 * self.asked.minutes))
        window = Window(self.parts, self.stored)
        end = time.monotonic() + 60 * self.asked.minutes
        while time.monotonic() < end:
            self.check()
            time.sleep(max(0, min(LOOK, end - time.monotonic())))
        window.end()
        time.sleep(QUIET)               # for what was rowed, and is on its way
        self.report_window("%d gateways of %d ergs at full rate" % (
            self.asked.gateways, self.asked.ergs), window)

    def report_window(self, what, window, has_past=False):
        rate = window.records / window.seconds
        self.report("%s: %.0f s, %d records stored, %.0f a second; load average %s" % (
            what, window.seconds, window.records, rate, window.load))
        lags = self.listener.lags(window.unix, window.unix + window.seconds)
        named = [("live sample, at a subscriber", lags["live"])]
        if not has_past:
            named += [("stroke, at a subscriber", lags["stroke"]),
                      ("record, in the store", self.stored_lags(window))]
        print("\n".join(table(
            ("seconds late", "count", "p50", "p95", "p99", "most"),
            [(name, str(len(one)), *("%.2f" % value for value in quantiles(one)))
             for name, one in named if one])))
        many = rate / self.asked.gateways * MANY if not has_past else MANY
        print("\n".join(table(
            ("processors", "seconds", "cores", "us/record", "cores for %.0f/s" % many),
            window.rows(many))), flush=True)

    # Results

    def leave(self):
        """Ends all pieces, and waits until all records are published, stored and requested again."""
        self.fleet.leave()
        count, since = -1, time.monotonic()
        while time.monotonic() < since + QUIET:
            self.check()
            if (now := self.stored()) != count:
                count, since = now, time.monotonic()
            time.sleep(1)
        self.report("all pieces are over; %d records are stored" % count)

    def compare(self):
        """Compares every ring, when its sessions have ended and the store is complete."""
        end, count = time.monotonic() + PATIENCE, 0
        for name in self.fleet.names:
            while not (found := self.fleet.compare(name, self.store.place)).is_final:
                self.check()
                if time.monotonic() > end:
                    raise Trouble("%s: %s" % (name, found))
                time.sleep(LOOK)
            count += found.count
        self.report("%d rings and the store are equal: %d records, text for text" % (
            self.asked.gateways, count))

    def judge(self):
        end = time.monotonic() + PATIENCE
        while (verdict := self.logbook.ask("check"))[0] != 0:
            if time.monotonic() > end:
                raise Trouble("check: " + verdict[1])
            time.sleep(LOOK)
        self.report("check: " + verdict[1].partition("\n")[0])

    def spend(self):
        wanted = self.write_past() if self.asked.backlog_minutes else {}
        self.start()
        self.fleet.start()
        if wanted:
            self.come_back(wanted)
        if self.asked.minutes:
            self.row()
        self.leave()
        self.compare()
        self.judge()

    def stop(self):
        for part in (self.fleet, self.listener, self.logbook, self.store, self.broker):
            if part is not None:
                part.stop()


def main():
    asked = options()
    folder = pathlib.Path(asked.keep or tempfile.mkdtemp(prefix="rowgate-load-"))
    # PostgreSQL runs as another user.
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    run = Run(folder, asked)
    try:
        run.spend()
    except Trouble as trouble:
        run.report("FAILED: %s (see %s)" % (trouble, folder))
        return 2 if trouble.is_ours else 1
    finally:
        run.stop()
    if not asked.keep:
        shutil.rmtree(folder)
    run.report("nothing is missing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
