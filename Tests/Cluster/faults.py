#!/usr/bin/env python3
"""Eight ergs row at a cluster of three nodes, which die, are cut off and are restarted meanwhile.

Started by Tests/Cluster/run, as root of namespaces that end with it:

    faults.py PROGRAMS FOLDER ROOT

ROOT is a Debian with RabbitMQ, to be written to. It ends with 0 if all is well, 1 if not.
"""
import contextlib
import pathlib
import subprocess
import sys
import time

from boathouse import GATEWAY, Acknowledgements, Boathouse
from cluster import ADDRESSES, PATIENCE, Cluster, until
from records import Comparison, of_logbook, of_ring
from room import Trouble
from subscriber import Client, Onlooker, refusal

BEGIN = time.monotonic()
# Minimum duration of a fault, in seconds: reconnecting clients must manage without the node.
LASTING = 5


def report(words):
    print("%4d s  %s" % (time.monotonic() - BEGIN, words), flush=True)


class Day:
    def __init__(self, programs, folder, root):
        self.cluster, self.room = Cluster(root, folder), Boathouse(folder, programs)
        self.watch = None

    def start(self):
        report("three nodes formed a cluster in %.0f s" % self.cluster.start())
        self.room.start()
        self.watch = Acknowledgements(self.room)
        self.watch.start()
        self.watch.wait_for_more(0)
        report("eight ergs row")

    # Faults

    def suffer(self, what, node, fault, cure):
        """Keeps a fault until records are acknowledged, then repairs it; prints the delay."""
        self.cluster.settle()
        before, total = self.room.node(), self.watch.begin()
        fault(node)
        time.sleep(LASTING)
        self.watch.wait_for_more(total)
        cure(node)
        self.cluster.settle()
        self.watch.wait_for_more(self.watch.total)
        report("%-24s the gateway was at %s, is at %s; longest without an acknowledgement %5.2f s" % (
            "%s %s:" % (node.name, what), before, self.room.node(), self.watch.longest))

    def suffer_all(self):
        nodes = [self.cluster[name] for name in ADDRESSES]
        for node in nodes:
            self.suffer("killed", node, lambda node: node.kill(), lambda node: node.start())
        self.suffer("cut off", self.cluster[self.room.node()], self.cut, lambda node: node.heal())
        for node in nodes:
            self.suffer("restarted", node, lambda node: node.stop(), lambda node: node.start())

    @staticmethod
    def cut(node):
        """Cuts a node off, and waits until it has paused itself."""
        node.cut()
        until("%s pauses" % node.name, lambda: node.says("minority"))

    # Results

    def look(self, is_there):
        """Checks at each node the retained availability, and when a new subscriber judges correctly."""
        onlookers = {name: Onlooker(at, GATEWAY) for name, at in ADDRESSES.items()}
        begin, gateway = time.monotonic(), self.room.node() if is_there else "nowhere"
        waiting = dict(onlookers)
        while waiting:
            for name, onlooker in list(waiting.items()):
                if onlooker.look() == is_there:
                    report("at %s (the gateway is at %s) availability is kept as %s, and the gateway "
                        "counts as %s after %.0f s" % (
                            name, gateway, onlooker.kept, "there" if is_there else "away",
                            time.monotonic() - begin))
                    del waiting[name]
            if time.monotonic() > begin + PATIENCE:
                raise Trouble("wrong availability at " + " ".join(waiting))

    def leave(self):
        """Ends all pieces, and waits until the backlog is published."""
        self.room.wait_for_all(PATIENCE)
        self.room.control('{"cmd":"leave"}')
        until("nothing waits any more", lambda: self.room.status()["broker"][
            "backlog_messages"] == 0)

    def compare(self):
        """Checks that the logbook has all records of the ring, after waiting for those that are due."""
        def look():
            nonlocal found
            found = Comparison(of_ring(self.room.export()), of_logbook(self.room.path("logbook.db")))
            return found.is_final
        found = None
        try:
            until("every session has ended, and ring and logbook are equal", look)
        finally:
            report(str(found))

    def check(self):
        """Runs `rowgate-logbook check`."""
        done = subprocess.run(
            [self.room.programs / "rowgate-logbook", "check", "--config",
             self.room.path("logbook.toml")], capture_output=True, text=True, check=False)
        report("check: " + done.stdout.split("\n")[0])
        if done.returncode != 0:
            raise Trouble(done.stdout + done.stderr)

    def prove(self):
        """A new subscriber at a node gets no stream messages until everything is announced."""
        address = ADDRESSES[self.room.node()]
        proof = subprocess.Popen(
            [self.room.programs / "rowgatectl", "prove", "--host", address, "--for", "10",
             "--replay", "--from-start", "--gateway", GATEWAY], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        time.sleep(3)
        with contextlib.closing(Client(address)) as client:
            client.publish("rowgate/v1/%s/cmd/announce" % GATEWAY, '{"request_id":"cluster"}')
            client.expect_acknowledged()
        text, complaints = proof.communicate()
        report("prove: " + text.split("\n")[0])
        if proof.returncode != 0 or not text.startswith("COMPLETE"):
            raise Trouble(text + complaints)

    def deny(self):
        """Reports whether a broker gives the reason for rejecting a message."""
        node = self.cluster["r1"]
        for words in (["add_user", "guest2", "guest2"],
                      ["set_permissions", "guest2", ".*", ".*", ".*"],
                      ["set_topic_permissions", "guest2", "amq.topic", "^own", ".*"]):
            node.control(*words)
        report("a publish to a topic without permission: "
            + refusal(node.address, "guest2", "rowgate/v1/other"))
        node.control("set_permissions", "guest2", ".*", "^$", ".*")
        report("a publish without permission for amq.topic: "
            + refusal(node.address, "guest2", "own"))

    def spend(self):
        self.start()
        self.suffer_all()
        self.look(True)
        self.leave()
        self.compare()
        self.check()
        self.prove()
        self.deny()
        self.room.end("rowgate", kill=True)
        time.sleep(LASTING)             # for its last will
        self.look(False)

    def end(self):
        self.room.stop()
        self.cluster.stop()


def main():
    day = Day(*map(pathlib.Path, sys.argv[1:]))
    try:
        day.spend()
    except Trouble as trouble:
        report("FAILED: %s" % trouble)
        return 1
    finally:
        day.end()
    report("all well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
