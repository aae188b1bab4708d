"""Processor time of the parts of a system, and its table."""
import collections
import os
import pathlib
import time

OTHERS = "whatever else ran here"
TICK = os.sysconf("SC_CLK_TCK")


def parsed(text):
    """Parent and ticks of a process, including ended children, from /proc/PID/stat."""
    fields = text.rpartition(")")[2].split()
    return int(fields[1]), sum(map(int, fields[11:15]))


def processes():
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = parsed(path.read_text())
        except (FileNotFoundError, ProcessLookupError):
            continue                        # It has ended meanwhile.
    return found


def spent(roots, found):
    """Processor seconds of these processes and all their descendants."""
    children = collections.defaultdict(list)
    for number, (parent, _) in found.items():
        children[parent].append(number)
    waiting, ticks = [number for number in roots if number in found], 0
    while waiting:
        number = waiting.pop()
        ticks += found[number][1]
        waiting += children[number]
    return ticks / TICK


def machine():
    """Busy seconds of all processors from /proc/stat: all but idle and iowait."""
    with open("/proc/stat") as file:
        fields = [int(field) for field in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / TICK


class Window:
    """A measured interval: its length and the cost of each part; `parts` maps parts to processes."""

    def __init__(self, parts, records):
        self.parts, self.records_now = parts, records
        self.unix, self.begin, self.at_begin = time.time(), time.monotonic(), self.look()
        self.seconds, self.records, self.cpu, self.others, self.load = 0, 0, {}, 0, ""

    def look(self):
        found = processes()
        return {name: spent(roots, found) for name, roots in self.parts().items()}, machine(), \
            self.records_now()

    def end(self):
        (parts, whole, records), (before, whole_before, records_before) = self.look(), self.at_begin
        self.seconds = time.monotonic() - self.begin
        self.records = records - records_before
        self.cpu = {name: parts[name] - before[name] for name in parts}
        self.others = whole - whole_before - sum(self.cpu.values())
        with open("/proc/loadavg") as file:
            self.load = " ".join(file.read().split()[:3])
        return self

    def rows(self, records_of_many):
        """For each part: seconds, cores, microseconds a record, and cores at a given rate."""
        for name, cpu in self.cpu.items():
            each = 1e6 * cpu / max(self.records, 1)
            yield name, "%.1f" % cpu, "%.2f" % (cpu / self.seconds), "%.0f" % each, \
                "%.1f" % (each * records_of_many / 1e6)
        yield OTHERS, "%.1f" % self.others, "%.2f" % (self.others / self.seconds), "", ""


def quantiles(values, parts=(0.5, 0.95, 0.99, 1)):
    """Quantiles of a list, which may be empty."""
    ordered = sorted(values)
    return [ordered[min(len(ordered) - 1, int(len(ordered) * part))] for part in parts] \
        if ordered else []


def table(head, rows):
    """Aligned columns: text to the left, figures to the right."""
    rows = [head, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return ["  ".join([row[0].ljust(widths[0])] + [
        cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]) for row in rows]
