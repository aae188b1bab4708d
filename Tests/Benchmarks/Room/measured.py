"""What a process costs, from /proc, and what its subscriber got, from the broker."""
import glob
import json
import os
import threading
import time

import paho.mqtt.client as mqtt


class Cost:
    """CPU time, context switches and memory of a process and those that it started, since `begin`.

    By thread: its process, its name, its number.
    """

    def __init__(self, pid):
        self.pid, self.threads, self.ended = pid, {}, threading.Event()

    def begin(self):
        self.at = time.monotonic()
        self.sample()
        self.first, self.peak_kib, self.peak_once_kib = dict(self.threads), 0, 0
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        # A thread that ends takes its count with it.
        while not self.ended.wait(0.5):
            self.sample()

    def sample(self):
        resident, own, shared = 0, 0, 0
        for process in self.processes(self.pid):
            try:
                status = {name: int(value.split()[0]) for name, value in
                          fields(process, "status").items() if name.startswith(("Rss", "VmRSS"))}
                resident += status["VmRSS"]
                own += status["RssAnon"] + status["RssShmem"]
                # The memory that a program shares between its processes.
                shared = max(shared, status["RssFile"])
                for thread in os.listdir("/proc/%d/task" % process):
                    self.threads[(process, thread)] = counts(process, "task/%s/" % thread)
            except OSError:
                pass
        self.peak_kib = max(getattr(self, "peak_kib", 0), resident)
        self.peak_once_kib = max(getattr(self, "peak_once_kib", 0), own + shared)

    def processes(self, process):
        yield process
        for file in glob.glob("/proc/%d/task/*/children" % process):
            for child in read(file).split():
                yield from self.processes(int(child))

    def end(self):
        self.sample()
        self.ended.set()
        rows = []
        for (process, thread), (name, *counts) in self.threads.items():
            first = self.first.get((process, thread), (name, 0, 0))
            child = "" if process == self.pid else " (child)"
            rows.append((name + child, counts[0] - first[1], counts[1] - first[2]))
        return {
            "seconds": time.monotonic() - self.at, "cpu_s": sum(row[1] for row in rows) / 1e9,
            "switches": sum(row[2] for row in rows), "rss_mib": self.peak_kib / 1024,
            "once_mib": self.peak_once_kib / 1024,
            "threads": sorted(rows, key=lambda row: -row[2]),
        }


def counts(process, thread):
    """Name, nanoseconds of CPU, context switches."""
    status = fields(process, thread + "status")
    return (
        status["Name"], int(read("/proc/%d/%sschedstat" % (process, thread)).split()[0]),
        int(status["voluntary_ctxt_switches"]) + int(status["nonvoluntary_ctxt_switches"]))


def fields(process, file):
    lines = read("/proc/%d/%s" % (process, file)).splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def read(file):
    with open(file) as opened:
        return opened.read()


class Subscriber:
    """Counts messages and takes the time since they were received, by their own `ts_ms`."""

    def __init__(self, port, topics, kinds):
        self.kinds, self.counts = kinds, False
        self.delays = {kind: [] for kind in kinds}
        self.monitors = set()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_message = self.heard
        self.client.on_connect = lambda client, *_: client.subscribe(topics, qos=1)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def heard(self, _client, _, message):
        now = time.time() * 1000
        *_, erg, kind = message.topic.split("/")
        if not self.counts or kind not in self.kinds:
            return
        body = json.loads(message.payload)
        # Truncated milliseconds: half a millisecond is added to the wait.
        self.delays[kind].append(now - body["ts_ms"] - 0.5)
        self.monitors.add(erg)


def percentiles(values):
    if not values:
        return "none came"
    values = sorted(values)
    return " / ".join(
        "%.1f" % values[min(len(values) - 1, int(len(values) * p))] for p in (0.5, 0.95, 0.99, 1))
