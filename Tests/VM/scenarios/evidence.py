"""Compares the strokes rowed with those published."""
import json

from machine import ERGS


class Table:
    def __init__(self, *heads):
        self.rows = [heads]

    def add(self, *cells):
        self.rows.append(tuple(str(cell) for cell in cells))

    @property
    def text(self):
        widths = [max(len(row[i]) for row in self.rows) for i in range(len(self.rows[0]))]
        lines = ["   " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                 for row in self.rows]
        lines.insert(1, "   " + "  ".join("-" * width for width in widths))
        return "\n".join(lines)


# The received fields of a stroke, by their names in the truth file and messages. The first is from
# 0x0036, the others from 0x0035: if one packet is lost, the stroke is published without its fields.
TRAITS = ("power_w", "drive_length_m", "drive_time_s", "stroke_distance_m")


def is_same(record, stroke):
    """Whether a published stroke is that rowed stroke: number, and all fields present."""
    known = [name for name in TRAITS if name in stroke]
    return (stroke["stroke"] == record["session_stroke"] and bool(known)
            and all(abs(stroke[name] - record[name]) < 0.006 for name in known))


class Evidence:
    """`complaints` is empty if no delivered stroke is missing.

    If every packet of a stroke reached the adapter, the whole stroke must be published. Only during
    `blind` (pairs of times), when no service used the adapter, may it be published in part or lie in
    a declared gap. Strokes that did not reach the adapter must lie in one.
    Strokes after `end` may be published or missing: the daemon had been asked to stop.
    """

    def __init__(self, truth, messages, blind, end=float("inf")):
        self.complaints, self.blind = [], blind
        self.table = Table("erg", "rowed", "delivered", "published", "in gaps", "lost")
        for number, erg in enumerate(ERGS, 1):
            rowed = [t for t in truth if t["erg"] == "43%07d" % number
                     and t["kind"] in ("stroke", "unsent_stroke")]
            own = [m.fields for m in messages if m.erg == erg and not m.is_retained]
            self.judge(erg, rowed, [f for f in own if f.get("kind") == "stroke"],
                       [f for f in own if f.get("kind") == "gap"], end)

    @classmethod
    def read(cls, path, *rest):
        with open(path) as file:
            return cls([json.loads(line) for line in file], *rest)

    def judge(self, erg, rowed, strokes, gaps, end):
        self.erg = erg
        strokes = self.unique(strokes)
        pairs = [(record, next((s for s in strokes if is_same(record, s)), None))
                 for record in rowed]
        sessions = self.sessions(pairs)
        due = [(record, stroke) for record, stroke in pairs if record["at"] < end]
        missing, lost = 0, 0
        for record, stroke in due:
            if stroke and (record["kind"] != "stroke" or all(name in stroke for name in TRAITS)):
                continue
            missing += 1
            if stroke:
                reason = None if self.was_blind(record) else "delivered, yet published in part"
            else:
                reason = self.why_missing(record, sessions.get(piece(record), set()), strokes, gaps)
            if reason:
                lost += 1
                self.complain("stroke %d of piece %s: %s" % (
                    record["session_stroke"], piece(record), reason))
        matched = [id(stroke) for _, stroke in pairs]
        for stroke in strokes:
            if id(stroke) not in matched and not self.was_in_progress(stroke, rowed, sessions):
                self.complain("stroke %d of session %s was never rowed" % (
                    stroke["stroke"], stroke["session_id"]))
        if not due:
            self.complain("nothing was rowed")
        delivered = sum(record["kind"] == "stroke" for record, _ in due)
        self.table.add(erg, len(due), delivered, len(strokes), missing - lost, lost)

    def complain(self, text):
        self.complaints.append("%s: %s" % (self.erg, text))

    def unique(self, strokes):
        """Strokes without repetitions, which have the same number; none may have two."""
        records = {(s["epoch"], s["seq"]): s for s in strokes}
        seen = set()
        for stroke in records.values():
            name = (stroke["session_id"], stroke["stroke"])
            if name in seen:
                self.complain("stroke %d was published twice" % stroke["stroke"])
            seen.add(name)
        return list(records.values())

    def sessions(self, pairs):
        """The sessions of each piece; exactly one if all is well."""
        sessions = {}
        for record, stroke in pairs:
            if stroke:
                sessions.setdefault(piece(record), set()).add(stroke["session_id"])
        for name, found in sessions.items():
            if len(found) > 1:
                self.complain("piece %s became %d sessions" % (name, len(found)))
        return sessions

    @staticmethod
    def was_in_progress(stroke, rowed, sessions):
        """Whether a stroke was in progress when its monitor was switched off, or at the end."""
        for name, found in sessions.items():
            if stroke["session_id"] in found:
                last = max(r["session_stroke"] for r in rowed if piece(r) == name)
                return stroke["stroke"] == last + 1
        return False

    def why_missing(self, record, sessions, strokes, gaps):
        """Why a stroke should have been published; None if it need not."""
        own = [gap for gap in gaps if gap["session_id"] in sessions]
        is_declared = any(
            gap["from_stroke"] <= record["session_stroke"] <= gap["to_stroke"] for gap in own if "from_stroke" in gap)
        # The monitor reports no count at the end of a piece: strokes before an end that was not received have no
        # numbers.
        last = max((stroke["stroke"] for stroke in strokes if stroke["session_id"] in sessions), default=0)
        is_uncounted = record["session_stroke"] > last and any(gap.get("uncounted_strokes") for gap in own)
        if not is_declared and not is_uncounted:
            return "neither published nor in a gap (%s at %.1f)" % (record["kind"], record["at"])
        if record["kind"] == "stroke" and not self.was_blind(record):
            return "delivered at %.1f, yet declared a gap" % record["at"]
        return None

    def was_blind(self, record):
        return any(start <= record["at"] <= end for start, end in self.blind)

    @property
    def text(self):
        return self.table.text


def piece(record):
    """A piece's identity: its number counts from the monitor's last start."""
    return (record["start"], record["session"])
