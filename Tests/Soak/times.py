"""Whether the published times are those of the events.

Three clocks are compared: the boot clock, which the messages of a gateway without a time server
contain; the other records of the same erg; and the simulator's clock at the start of each piece. The
wall clock of the machine must not be set meanwhile.
"""
import json
import statistics

# The most that a record may be ahead of the boot clock, in ms: records of the same moment get times
# 1 ms apart.
AHEAD = 1000
# A stroke is published after its drive, and at most LATE ms after its recovery: the gateway waits for
# missing packets.
EARLY, LATE = 500, 10000
# Tolerance for the start of a piece by the monitor's clock, in ms.
BEGIN = 500
# The boot clock is compared with all messages of a minute, the previous and the next one.
SPAN = 60000
# Workouts whose clock stops during a pause.
JUST_ROW = 0, 1


def seconds(milliseconds):
    return "%.1f s" % (milliseconds / 1000)


def moments(piece, stroke):
    """The earliest end of its drive, and the end of its recovery, in ms; None if unknown."""
    sums = piece.sums(stroke)
    if sums is None or piece.ended is None:
        return None
    rests = sum(piece.splits[number].get("rest_s", 0) for number in range(1, stroke["interval"]))
    recovery = stroke["elapsed_s"] - stroke.get("drive_end_elapsed_s", stroke["elapsed_s"])
    end = piece.started + rests + sums["elapsed_s"]
    return 1000 * (end - recovery), 1000 * (piece.ended if piece.type in JUST_ROW else end)


class Times:
    """All errors are in `complaints`."""

    def __init__(self, path, matches):
        """`matches`: name, session, piece and stroke indices of each session."""
        self.complaints, self.begins = [], {}
        for erg, records in self.read(path).items():
            self.judge_order(erg, records)
            self.judge_boot_clock(erg, records)
        if matches:
            self.judge_pieces(matches)

    def read(self, path):
        """The records of each erg and of the gateway, ordered by time, without repetitions."""
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
        """Notes the start of the boot clock according to a message; the earliest is right."""
        place, begin = self.place(message), message["ts_ms"] - message["boot_ms"]
        self.begins[place] = min(begin, self.begins.get(place, begin))

    @staticmethod
    def place(message):
        return message["boot_id"], message["boot_ms"] // SPAN

    def true_time(self, record):
        """The time by the boot clock, or the record's own if it has none."""
        if "boot_ms" not in record:
            return record["ts_ms"]
        boot, span = self.place(record)
        near = (self.begins.get((boot, other)) for other in (span - 1, span, span + 1))
        return record["boot_ms"] + min(begin for begin in near if begin is not None)

    def judge_boot_clock(self, erg, records):
        """A record of an earlier moment than a previous record follows that record immediately."""
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

    # Truth

    def judge_pieces(self, matches):
        """Compares with the simulator's clock, whose offset to the wall clock is the same for all."""
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
            self.complaints.append("%s: %d strokes published up to %s behind their drives, first %d" % (
                name, len(wrong), seconds(max(wrong, key=lambda one: abs(one[0]))[0]), wrong[0][1]))
