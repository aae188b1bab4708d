"""What was rowed, as the simulator wrote it down, against what a subscriber got.

Of pieces without intervals: strokes that are lost at the end of an interval have no numbers, and those
behind them other ones than the simulator's.
"""
import json

# Fields that stand in both accounts, and half a count of the wire.
FIELDS = {
    "elapsed_s": 0.005, "distance_m": 0.05, "power_w": 0.5, "drive_length_m": 0.005,
    "drive_time_s": 0.005, "recovery_time_s": 0.005, "stroke_distance_m": 0.005,
    "peak_force_n": 0.23, "avg_force_n": 0.23, "work_j": 0.05,
}
# A recovery so long, in seconds, is a pause: the stroke is published when it begins, with what was
# known at the end of its drive.
PAUSE = 6
UNKNOWN_IN_PAUSE = ("elapsed_s", "distance_m", "recovery_time_s")
# A stroke of which a packet was lost keeps its number, and of these what came.
TRAITS = ("drive_length_m", "drive_time_s", "stroke_distance_m", "power_w")


def is_equal(told, rowed, name):
    return abs(told[name] - rowed[name]) <= FIELDS[name] + 1e-9


def is_same(told, rowed):
    """Whether a message tells of this stroke, in whole or in part."""
    known = [name for name in TRAITS if name in told and name in rowed]
    return bool(known) and all(is_equal(told, rowed, name) for name in known)


class Account:
    """Everything that is wrong is in `complaints`, and in a list of its kind."""

    def __init__(self, truth, messages):
        self.rowed = self.published = self.in_gaps = 0
        self.lost, self.twice, self.strange, self.wrong, self.torn = [], [], [], [], []
        pieces, self.unsent = self.read_truth(truth)
        sessions = self.read_messages(messages)
        for erg in sorted(pieces):
            self.judge(erg, pieces[erg], sessions.get(erg, {}))

    @property
    def complaints(self):
        return self.lost + self.twice + self.strange + self.wrong + self.torn

    @staticmethod
    def read_truth(path):
        """Strokes by erg, piece and number; which of them were not wholly sent."""
        pieces, unsent = {}, set()
        with open(path) as file:
            for record in map(json.loads, file):
                if record["kind"] not in ("stroke", "unsent_stroke"):
                    continue
                erg = "erg-%d" % (int(record["erg"]) - 430000000)
                piece, number = record["session"], record["session_stroke"]
                pieces.setdefault(erg, {}).setdefault(piece, {})[number] = record
                if record["kind"] == "unsent_stroke":
                    unsent.add((erg, piece, number))
        return pieces, unsent

    def read_messages(self, path):
        """Strokes and gaps by erg and session. What is the same record once more is passed over."""
        sessions, seen = {}, set()
        with open(path) as file:
            for line in file:
                topic, _, text = line.partition(" ")
                kind = topic.rsplit("/", 1)[-1]
                if kind not in ("stroke", "gap"):
                    continue
                record = json.loads(text)
                identity = (record["epoch"], record["erg"], kind, record["seq"])
                if identity in seen:
                    continue
                seen.add(identity)
                session = sessions.setdefault(record["erg"], {}).setdefault(
                    record["session_id"], {"strokes": {}, "gaps": [], "has_open_gap": False})
                if kind == "gap":
                    if "from_stroke" in record:
                        session["gaps"].append((record["from_stroke"], record["to_stroke"]))
                    elif "from_split" not in record:
                        session["has_open_gap"] = True
                elif record["stroke"] in session["strokes"]:
                    self.twice.append("%s %s: stroke %d twice" % (
                        record["erg"], record["session_id"], record["stroke"]))
                else:
                    session["strokes"][record["stroke"]] = record
        return sessions

    def judge(self, erg, pieces, sessions):
        told = {}
        for name, session in sessions.items():
            piece = self.piece_of(session, pieces)
            if piece is not None:
                told.setdefault(piece, []).append(session)
            elif session["strokes"]:
                self.strange.append("%s %s: %d strokes of no piece" % (
                    erg, name, len(session["strokes"])))
        for piece, strokes in pieces.items():
            found = told.get(piece, [])
            if len(found) > 1:
                self.torn.append("%s piece %d became %d sessions" % (erg, piece, len(found)))
            for session in found:
                self.compare(erg, piece, session, strokes)
            for number in strokes:
                self.rowed += 1
                if any(number in session["strokes"] for session in found):
                    self.published += 1
                elif any(self.is_declared(number, session) for session in found):
                    self.in_gaps += 1
                elif found or not self.is_unheard(erg, piece, strokes):
                    self.lost.append("%s piece %d: stroke %d of %d (%s)" % (
                        erg, piece, number, len(strokes), strokes[number]["kind"]))

    @staticmethod
    def is_declared(number, session):
        """In a gap, or behind the last stroke of a piece that ended in one: nobody counted those."""
        is_tail = session["has_open_gap"] and number > max(session["strokes"], default=0)
        return is_tail or any(first <= number <= last for first, last in session["gaps"])

    def is_unheard(self, erg, piece, strokes):
        """Whether nothing at all of a piece was sent, so that nobody knows of it."""
        return all((erg, piece, number) in self.unsent for number in strokes)

    @staticmethod
    def piece_of(session, pieces):
        """The piece most of whose strokes a session tells."""
        def likeness(piece):
            return sum(number in pieces[piece] and is_same(stroke, pieces[piece][number])
                       for number, stroke in session["strokes"].items())
        best = max(pieces, key=likeness, default=None)
        return best if best is not None and likeness(best) else None

    def compare(self, erg, piece, session, strokes):
        for number, stroke in session["strokes"].items():
            rowed = strokes.get(number)
            if rowed is None:
                self.strange.append("%s piece %d: stroke %d was not rowed" % (erg, piece, number))
                continue
            is_whole = (erg, piece, number) not in self.unsent
            is_pause = rowed.get("recovery_time_s", 0) >= PAUSE
            for name in FIELDS:
                if name not in rowed or not is_whole or is_pause and name in UNKNOWN_IN_PAUSE:
                    continue
                if name not in stroke or not is_equal(stroke, rowed, name):
                    self.wrong.append("%s piece %d stroke %d: %s is %s, rowed %s" % (
                        erg, piece, number, name, stroke.get(name), rowed[name]))
