"""Whether the times of what was published are the times at which it happened.

By three clocks: the boot clock, which stands in the messages of a gateway whose wall clock no time
server sets; the other records of the same erg; and the simulator's, by which each piece began. The
wall clock of the machine must not be set meanwhile.
"""
import json
import statistics

# A record may be so far ahead of the boot clock, in ms: those of one moment are 1 ms apart each.
AHEAD = 1000
# A stroke is told when its drive is over, and so long behind its recovery at most, in ms: what does
# not come is waited for.
EARLY, LATE = 500, 10000
# When a piece began is told by the monitor's clock, in ms.
BEGIN = 500
# The boot clock is held against all messages of a minute, the one before and the one behind.
SPAN = 60000
# Workouts whose clock stands still while nobody rows.
JUST_ROW = 0, 1


def seconds(milliseconds):
    return "%.1f s" % (milliseconds / 1000)


def moments(piece, stroke):
    """When its drive was over, at the earliest, and its recovery, in ms; None if unknown."""
    sums = piece.sums(stroke)
    if sums is None or piece.ended is None:
        return None
    rests = sum(piece.splits[number].get("rest_s", 0) for number in range(1, stroke["interval"]))
    recovery = stroke["elapsed_s"] - stroke.get("drive_end_elapsed_s", stroke["elapsed_s"])
    end = piece.started + rests + sums["elapsed_s"]
    return 1000 * (end - recovery), 1000 * (piece.ended if piece.type in JUST_ROW else end)


class Times:
    """Everything that is wrong is in `complaints`."""

    def __init__(self, path, matches):
        """`matches`: of each session its name, itself, its piece, and the places of its strokes."""
        self.complaints, self.begins = [], {}
        for erg, records in self.read(path).items():
            self.judge_order(erg, records)
            self.judge_boot_clock(erg, records)
        if matches:
            self.judge_pieces(matches)

    def read(self, path):
        """The records of each erg, and of the gateway, in the order of their times, each once."""
        ergs = {}
        with open(path) as file:
            for text in (line.partition(" ")[2] for line in file):
                message = json.loads(text) if text.startswith("{") else {}
                if "boot_ms" in message:
                    self.note_clock(message)
                if "seq" in message:
                    identity = message["epoch"], message["kind"], message["seq"]
                    ergs.setdefault(message.get("erg", "gateway"), {})[identity] = message
        return {erg: sorted(records.values(), key=lambda record: record["ts_ms"])
                for erg, records in ergs.items()}

    # The boot clock

    def note_clock(self, message):
        """Where a message puts the boot's first millisecond; the earliest place is right."""
        place, begin = self.place(message), message["ts_ms"] - message["boot_ms"]
        self.begins[place] = min(begin, self.begins.get(place, begin))

    @staticmethod
    def place(message):
        return message["boot_id"], message["boot_ms"] // SPAN

    def true_time(self, record):
        """By the boot clock; its own where it has none."""
        if "boot_ms" not in record:
            return record["ts_ms"]
        boot, span = self.place(record)
        near = (self.begins.get((boot, other)) for other in (span - 1, span, span + 1))
        return record["boot_ms"] + min(begin for begin in near if begin is not None)

    def judge_boot_clock(self, erg, records):
        """A record that is about an earlier moment than one before it follows that one at once."""
        worst, count, first, before = 0, 0, None, 0
        for record in records:
            ahead = record["ts_ms"] - max(self.true_time(record), before)
            if ahead > AHEAD:
                worst, count, first = max(worst, ahead), count + 1, first or record
            before = max(before, self.true_time(record))
        if count:
            self.complaints.append("%s: %d times ahead of the clock, up to %s, first %s %d" % (
                erg, count, seconds(worst), first["kind"], first["seq"]))

    # Records among themselves

    def judge_order(self, erg, records):
        for before, record in zip(records, records[1:]):
            if before["ts_ms"] == record["ts_ms"]:
                self.complaints.append("%s: %s %d and %s %d have one time" % (
                    erg, before["kind"], before["seq"], record["kind"], record["seq"]))
        last = {}
        for record in records:
            stream = record["epoch"], record["kind"]
            if record["seq"] < last.get(stream, 0):
                self.complaints.append("%s: %s %d has a later time than %d" % (
                    erg, record["kind"], last[stream], record["seq"]))
            last[stream] = record["seq"]

    # What was rowed

    def judge_pieces(self, matches):
        """By the simulator's clock, which is as far behind the wall clock for all of them."""
        begin = statistics.median(
            session.started - 1000 * piece.started for _, session, piece, _ in matches)
        for name, session, piece, places in matches:
            late = session.started - 1000 * piece.started - begin
            if abs(late) > BEGIN:
                self.complaints.append("%s: began %s late" % (name, seconds(late)))
            self.judge_strokes(name, begin, [
                (stroke, moments(piece, piece.strokes[place]))
                for stroke, place in zip(session.strokes, places) if place is not None])

    def judge_strokes(self, name, begin, strokes):
        wrong = [(stroke["ts_ms"] - begin - rowed[0], stroke["stroke"]) for stroke, rowed in strokes
                 if rowed and not rowed[0] - EARLY <= stroke["ts_ms"] - begin <= rowed[1] + LATE]
        if wrong:
            self.complaints.append("%s: %d strokes told up to %s behind their drives, first %d" % (
                name, len(wrong), seconds(max(wrong, key=lambda one: abs(one[0]))[0]), wrong[0][1]))
