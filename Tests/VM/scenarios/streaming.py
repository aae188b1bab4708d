"""A room that rows and streams, and its reaction to faults."""
import time

from evidence import Evidence, Table
from machine import ERGS, OUT, PATIENCE, Failure, Subscriber, monitors, report, run, until

# Time limit for all eight to stream, in seconds.
LIMIT = 60
# Rowing between two faults, in seconds.
CALM = 6


def link(state):
    """Grows with each link, and with each subscription on one.

    The kernel keeps a link for two seconds after its last user, so one may outlive bluetoothd and
    serve its successor.
    """
    return state["connections"], state["subscriptions"]


def links():
    """`link` of every monitor, by erg."""
    return {erg: link(state) for erg, state in monitors().items()}


def subscribed_since(before):
    """For `Room.wait_for`: whether an erg's link is newer than in `before`, a result of `links`."""
    return lambda erg, state: link(state) > before[erg] and state["subscribed"]


class Room:
    def __init__(self):
        self.broker = Subscriber()
        self.table, self.blind = Table("what happened", "back after"), []
        # Ergs that are unused at the moment.
        self.resting = set()

    def streaming(self, ergs, since):
        """Whether fresh live values of all of these arrived after a time."""
        newest = [self.broker.last("live", erg, since) for erg in ergs]
        return all(live and not live.fields.get("stale") for live in newest)

    def wait_for(self, what, start, ergs, is_new, limit=LIMIT):
        """Waits until `is_new(erg, state)` holds for each erg, and all that row stream."""
        def all_new():
            states = monitors()
            return all(is_new(erg, states[erg]) for erg in ergs)
        until("%s: subscribed again: %s" % (what, ", ".join(ergs)), limit, all_new)
        since = time.monotonic()
        rowing = [erg for erg in ERGS if erg not in self.resting]
        until("%s: all stream" % what, limit, lambda: self.streaming(rowing, since))
        seconds = time.monotonic() - start
        self.table.add(what, "%.1f s" % seconds)
        report("%-46s %6.1f s" % (what, seconds))
        if seconds > limit * PATIENCE:
            raise Failure("%s: %.0f s are too long" % (what, seconds))

    def fault(self, what, ergs, cause, mend=None, after=0, is_blind=False):
        """Causes a fault that costs `ergs` their links, mends it, and waits for all eight.

        `is_blind`: packets may reach the adapter but not the service.
        """
        before = links()
        start = time.monotonic()
        cause()
        if mend:
            time.sleep(after)
            mend()
        self.wait_for(what, time.monotonic() if mend else start, ergs,
                      subscribed_since(before))
        if is_blind:
            self.blind.append((start, time.monotonic()))
        time.sleep(CALM)

    def begin(self):
        """Starts the service, and waits for all eight."""
        start = time.monotonic()
        run("systemctl", "enable", "--now", "rowgate")
        self.wait_for("start of the service", start, ERGS, lambda _, state: state["subscribed"])
        time.sleep(CALM)

    def end(self):
        """Stops the service, and compares the strokes rowed with those published."""
        end = time.monotonic()
        run("systemctl", "stop", "rowgate")
        time.sleep(1)
        print(self.table.text, flush=True)
        (OUT / "table").write_text(self.table.text + "\n")
        evidence = Evidence.read(OUT / "truth.jsonl", self.broker.received(), self.blind, end)
        print(evidence.text, flush=True)
        (OUT / "evidence").write_text(evidence.text + "\n")
        if evidence.complaints:
            raise Failure("\n".join(evidence.complaints))


def ergs_on(adapter):
    """Ergs that are linked through an adapter, which counts from 0."""
    return [erg for erg, state in monitors().items() if state["adapter"] == adapter]
