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
# How long a fault lasts at least, in seconds: who reconnects has to live without the node meanwhile.
LASTING = 5


def say(words):
    print("%4d s  %s" % (time.monotonic() - BEGIN, words), flush=True)


class Day:
    def __init__(self, programs, folder, root):
        self.cluster, self.room = Cluster(root, folder), Boathouse(folder, programs)
        self.watch = None

    def start(self):
        say("three nodes formed a cluster in %.0f s" % self.cluster.start())
        self.room.start()
        self.watch = Acknowledgements(self.room)
        self.watch.start()
        self.watch.wait_for_more(0)
        say("eight ergs row")

    # Faults

    def suffer(self, what, node, fault, cure):
        """Has the fault until records are acknowledged, and its cure; prints what that cost."""
        self.cluster.settle()
        before, total = self.room.node(), self.watch.begin()
        fault(node)
        time.sleep(LASTING)
        self.watch.wait_for_more(total)
        cure(node)
        self.cluster.settle()
        self.watch.wait_for_more(self.watch.total)
        say("%-24s the gateway was at %s, is at %s; longest without an acknowledgement %5.2f s" % (
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
        """Until the node itself knows that it is alone, and serves nobody."""
        node.cut()
        until("%s pauses" % node.name, lambda: node.says("minority"))

    # What came of it

    def look(self, is_there):
        """At each node: what is kept there, and when a newcomer judges rightly."""
        onlookers = {name: Onlooker(at, GATEWAY) for name, at in ADDRESSES.items()}
        begin, gateway = time.monotonic(), self.room.node() if is_there else "nowhere"
        waiting = dict(onlookers)
        while waiting:
            for name, onlooker in list(waiting.items()):
                if onlooker.look() == is_there:
                    say("at %s (the gateway is at %s) availability is kept as %s, and the gateway "
                        "counts as %s after %.0f s" % (
                            name, gateway, onlooker.kept, "there" if is_there else "away",
                            time.monotonic() - begin))
                    del waiting[name]
            if time.monotonic() > begin + PATIENCE:
                raise Trouble("wrong availability at " + " ".join(waiting))

    def leave(self):
        """Everybody goes home, and what waits is published."""
        self.room.wait_for_all(PATIENCE)
        self.room.control('{"cmd":"leave"}')
        until("nothing waits any more", lambda: self.room.status()["broker"][
            "backlog_messages"] == 0)

    def compare(self):
        """The logbook has what the ring has; what is due, on its way or asked for is waited for."""
        def look():
            nonlocal found
            found = Comparison(of_ring(self.room.export()), of_logbook(self.room.path("logbook.db")))
            return found.is_final
        found = None
        try:
            until("every session has ended, and ring and logbook are equal", look)
        finally:
            say(str(found))

    def check(self):
        """The judgements of the project's own tools."""
        done = subprocess.run(
            [self.room.programs / "rowgate-logbook", "check", "--config",
             self.room.path("logbook.toml")], capture_output=True, text=True, check=False)
        say("check: " + done.stdout.split("\n")[0])
        if done.returncode != 0:
            raise Trouble(done.stdout + done.stderr)

    def prove(self):
        """A newcomer at a node hears nothing of the streams until everything is announced."""
        address = ADDRESSES[self.room.node()]
        proof = subprocess.Popen(
            [self.room.programs / "rowgatectl", "prove", "--host", address, "--for", "10",
             "--replay", "--from-start", "--gateway", GATEWAY], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        time.sleep(3)
        with contextlib.closing(Client(address)) as client:
            client.publish("rowgate/v1/%s/cmd/announce" % GATEWAY, '{"request_id":"cluster"}')
            client.expect_taken()
        text, complaints = proof.communicate()
        say("prove: " + text.split("\n")[0])
        if proof.returncode != 0 or not text.startswith("COMPLETE"):
            raise Trouble(text + complaints)

    def deny(self):
        """Whether a broker that does not let a message through says why."""
        node = self.cluster["r1"]
        for words in (["add_user", "guest2", "guest2"],
                      ["set_permissions", "guest2", ".*", ".*", ".*"],
                      ["set_topic_permissions", "guest2", "amq.topic", "^own", ".*"]):
            node.control(*words)
        say("a publish to a topic without permission: "
            + refusal(node.address, "guest2", "rowgate/v1/other"))
        node.control("set_permissions", "guest2", ".*", "^$", ".*")
        say("a publish without permission for amq.topic: "
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
        say("FAILED: %s" % trouble)
        return 1
    finally:
        day.end()
    say("all well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
