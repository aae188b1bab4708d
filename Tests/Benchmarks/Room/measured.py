"""What a process costs, from /proc, and what its subscriber got, from the broker."""
import json
import os
import threading
import time

import paho.mqtt.client as mqtt

TICK = os.sysconf("SC_CLK_TCK")


class Cost:
    """CPU time, context switches and memory of a process, since `begin`."""

    def __init__(self, pid):
        self.pid, self.switches, self.ended = pid, {}, threading.Event()

    def begin(self):
        self.cpu, self.at = self.cpu_seconds(), time.monotonic()
        self.sample()
        self.first, self.peak_kib = dict(self.switches), 0
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        # A thread that ends takes its count with it.
        while not self.ended.wait(0.5):
            self.sample()

    def sample(self):
        try:
            for thread in os.listdir("/proc/%d/task" % self.pid):
                fields = self.fields("task/%s/status" % thread)
                self.switches[thread] = int(fields["voluntary_ctxt_switches"]) + int(
                    fields["nonvoluntary_ctxt_switches"])
            self.peak_kib = max(
                getattr(self, "peak_kib", 0), int(self.fields("status")["VmRSS"].split()[0]))
        except OSError:
            pass

    def fields(self, file):
        with open("/proc/%d/%s" % (self.pid, file)) as lines:
            return dict(line.rstrip("\n").split(":\t", 1) for line in lines if ":\t" in line)

    def cpu_seconds(self):
        with open("/proc/%d/stat" % self.pid) as stat:
            values = stat.read().rsplit(")", 1)[1].split()
        return (int(values[11]) + int(values[12])) / TICK

    def end(self):
        self.sample()
        self.ended.set()
        switches = sum(n - self.first.get(t, 0) for t, n in self.switches.items())
        return {
            "seconds": time.monotonic() - self.at, "cpu_s": self.cpu_seconds() - self.cpu,
            "switches": switches, "rss_mib": self.peak_kib / 1024,
        }


class Subscriber:
    """Counts messages and takes the time since they were heard, by their own `ts_ms`."""

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
        # Milliseconds, cut off: half of one is added to what was waited for.
        self.delays[kind].append(now - body["ts_ms"] - 0.5)
        self.monitors.add(erg)


def percentiles(values):
    if not values:
        return "none came"
    values = sorted(values)
    return " / ".join(
        "%.1f" % values[min(len(values) - 1, int(len(values) * p))] for p in (0.5, 0.95, 0.99, 1))
