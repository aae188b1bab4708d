"""Compares the simulator's truth file with the messages of a subscriber.

Each session is compared with its piece, stroke by stroke and in order. The monitor restarts the
count with each interval, so the numbers differ from the simulator's behind strokes without a number,
which a gap declares with `uncounted_strokes`.
"""
import json

# Fields of both accounts, with half a count of the wire as tolerance.
FIELDS = {
    "power_w": 0.5, "drive_length_m": 0.005, "drive_time_s": 0.005, "recovery_time_s": 0.005,
    "stroke_distance_m": 0.005, "peak_force_n": 0.23, "avg_force_n": 0.23, "work_j": 0.05,
}
# Fields that count over the whole piece; the simulator's restart with each interval.
SUMS = {"elapsed_s": 0.005, "distance_m": 0.05}
SPLIT_FIELDS = {
    "duration_s": 0.05, "distance_m": 0.5, "avg_stroke_rate_spm": 0.5, "avg_pace_s_per_500m": 0.05,
    "avg_power_w": 0.5, "calories_kcal": 0.5, "avg_drag_factor": 0.5, "work_heart_rate_bpm": 0.5,
}
# Fields of a summary: the monitor's result is published unchanged; values that the gateway computes
# from complete data may differ by a count.
RESULT_FIELDS = {
    "result_time_s": 0.005, "distance_m": 0.05, "avg_pace_s_per_500m": 0.1, "avg_power_w": 1,
    "avg_stroke_rate_spm": 0, "ending_heart_rate_bpm": 2, "recovery_heart_rate_bpm": 0,
    "drag_factor_avg": 1, "calories_kcal": 0,
}
# A partial summary has the received part instead of the result.
RECEIVED_PARTS = {"result_time_s": "received_time_s", "distance_m": "received_distance_m"}
# Heart rates: the simulator's cover work and rest, the gateway's only the work, as the strokes do.
# Between two strokes the rate may have been lower.
HEART_FIELDS = {
    "avg_heart_rate_bpm": (lambda rates: sum(rates) / len(rates), 3),
    "min_heart_rate_bpm": (min, 12), "max_heart_rate_bpm": (max, 3),
}
# Averages over only some of the strokes are close, but not equal.
AVERAGES_OF_A_PART = ("avg_power_w", "avg_heart_rate_bpm", "drag_factor_avg")
# The most that rounding adds to the sums with each interval.
ROUNDING = {"elapsed_s": 0.1, "distance_m": 1.0}
# The monitor's workout types without an end: just rows, and its equal intervals of time, distance and
# calories.
ENDLESS = (0, 1, 6, 7, 12)
# A recovery of at least so many seconds is a pause: the stroke is published when the pause begins, with
# the values known at the end of its drive. The same applies if the link is lost during a recovery.
PAUSE = 6
UNKNOWN_EARLY = ("elapsed_s", "distance_m", "recovery_time_s")
# A stroke with a lost packet keeps its number and those of these fields that arrived.
TRAITS = ("drive_length_m", "drive_time_s", "stroke_distance_m", "power_w")


def is_equal(received, rowed, name, tolerance):
    return abs(received[name] - rowed[name]) <= tolerance + 1e-9


def is_cut(gaps):
    """Whether the link was lost during the stroke before these gaps, which is published incomplete."""
    return any(gap["reason"] != "notifications_lost" for gap in gaps)


def similarity(received, rowed):
    """The share of a message's fields that equal those of the rowed stroke."""
    known = [name for name in TRAITS if name in received and name in rowed]
    equal = [name for name in known if is_equal(received, rowed, name, FIELDS[name])]
    return len(equal) / len(known) if known else 0


def alignment(received, rowed):
    """For each published stroke the index of the rowed one, or None.

    The one that its number names, if it is that one; else the next one that it can be; else the one
    of its number after all, if it is so for the most part.
    """
    places, place, number = [], 0, 0
    for stroke in received:
        named = place + max(0, stroke["stroke"] - number - 1)
        near = [named] if named < len(rowed) else []
        found = next((index for index in near + list(range(place, len(rowed)))
                      if similarity(stroke, rowed[index]) == 1), None)
        if found is None and near and similarity(stroke, rowed[named]) > 0.5:
            found = named
        places.append(found)
        if found is not None:
            place = found + 1
        number = stroke["stroke"]
    return places


class Piece:
    """A piece in the truth file, in order."""

    def __init__(self):
        self.strokes, self.splits, self.is_whole = [], {}, False
        # The monitor's log entry, by revision: the second has the recovery heart rate.
        self.results = {}
        # By the simulator's clock, in seconds.
        self.started = self.ended = self.type = None

    def note(self, edge):
        if edge["event"] == "started":
            self.started, self.type = edge.get("at_s"), edge.get("workout_type")
        else:
            self.ended = edge.get("at_s")
            self.is_whole = edge.get("reason") == "finished"

    @property
    def has_end(self):
        """Whether the monitor ends it; intervals of equal length continue until the rower stops."""
        return self.type not in ENDLESS

    def sums(self, stroke):
        """The simulator's sums of a stroke, including earlier intervals; None if unknown."""
        before = [self.splits.get(number) for number in range(1, stroke["interval"])]
        if None in before:
            return None
        lengths = {"elapsed_s": "duration_s", "distance_m": "distance_m"}
        return {name: stroke[name] + sum(split[lengths[name]] for split in before)
                for name in lengths}

    @property
    def is_unheard(self):
        """Whether no part of it was sent, so that the gateway cannot know of it."""
        return all(stroke["kind"] == "unsent_stroke" for stroke in self.strokes)


class Session:
    """The published records of a session, in order."""

    def __init__(self):
        # For each stroke, the gaps published since the previous one; at the end the gaps behind all.
        self.strokes, self.gaps, self.splits, self.split_gaps = [], [[]], {}, []
        self.started, self.summaries = None, []

    def add_gap(self, gap):
        if "from_split" in gap:
            self.split_gaps.append(range(gap["from_split"], gap["to_split"] + 1))
        else:
            self.gaps[-1].append(gap)

    def add_stroke(self, stroke):
        self.strokes.append(stroke)
        self.gaps.append([])

    def is_uncertain(self, number):
        """Whether a gap before that stroke declares that later sums may be wrong."""
        before = zip(self.gaps, self.strokes)
        return any(not gap["recovered"] for gaps, stroke in before if stroke["stroke"] <= number
                   for gap in gaps)

    def similarity(self, piece):
        """The possible number of strokes and of equal fields: first strokes look alike."""
        found = [(received, piece.strokes[place]) for received, place
                 in zip(self.strokes, alignment(self.strokes, piece.strokes)) if place is not None]
        figures = [is_equal(received, rowed, name, tolerance) for received, rowed in found
                   for name, tolerance in {**FIELDS, **SUMS}.items()
                   if name in received and name in rowed]
        return len(found), sum(figures)


class Account:
    """All errors are in `complaints`, and in a list of their kind."""

    def __init__(self, truth, messages):
        self.rowed = self.published = self.in_gaps = 0
        self.lost, self.twice, self.strange, self.wrong, self.torn = [], [], [], [], []
        # Compared summaries, and their differences.
        self.summaries, self.wrong_summaries = 0, []
        # For each published session: its name, itself, its piece, and its strokes' indices in that.
        self.matches = []
        pieces = self.read_truth(truth)
        sessions = self.read_messages(messages)
        for erg in sorted(pieces):
            self.judge(erg, pieces[erg], sessions.get(erg, {}))

    @property
    def complaints(self):
        return (self.lost + self.twice + self.strange + self.wrong + self.torn
                + self.wrong_summaries)

    @staticmethod
    def read_truth(path):
        """Pieces by erg and number; pieces without a stroke are ignored."""
        pieces = {}
        with open(path) as file:
            for record in map(json.loads, file):
                erg = "erg-%d" % (int(record["erg"]) - 430000000)
                piece = pieces.setdefault(erg, {}).setdefault(record["session"], Piece())
                if record["kind"] in ("stroke", "unsent_stroke"):
                    piece.strokes.append(record)
                elif record["kind"] == "split":
                    piece.splits[record["split"]] = record
                elif record["kind"] == "result":
                    piece.results[record["revision"]] = record
                elif record["kind"] == "session":
                    piece.note(record)
        return {erg: {number: piece for number, piece in all.items() if piece.strokes}
                for erg, all in pieces.items()}

    def read_messages(self, path):
        """Sessions by erg and identifier. Repeated records are ignored."""
        sessions, seen = {}, set()
        with open(path) as file:
            for line in file:
                topic, _, text = line.partition(" ")
                kind = topic.rsplit("/", 1)[-1]
                if kind not in ("session", "stroke", "split", "gap", "summary"):
                    continue
                record = json.loads(text)
                identity = (record["epoch"], record["erg"], kind, record["seq"])
                if identity in seen:
                    continue
                seen.add(identity)
                name = "%s %s" % (record["erg"], record["session_id"])
                session = sessions.setdefault(record["erg"], {}).setdefault(name, Session())
                if kind == "session":
                    session.started = record["started_ms"]
                elif kind == "summary":
                    session.summaries.append(record)
                elif kind == "gap":
                    session.add_gap(record)
                elif any(stroke["stroke"] == record.get("stroke") for stroke in session.strokes) \
                        or record.get("split") in session.splits:
                    self.twice.append("%s: %s %d twice" % (name, kind, record[kind]))
                elif kind == "split":
                    session.splits[record["split"]] = record
                else:
                    session.add_stroke(record)
        return sessions

    def judge(self, erg, pieces, sessions):
        received = {}
        for name, session in sessions.items():
            piece = max(pieces, key=lambda number: session.similarity(pieces[number]))
            if session.similarity(pieces[piece])[0]:
                received.setdefault(piece, []).append(session)
            elif session.strokes:
                self.strange.append("%s: %d strokes of no piece" % (name, len(session.strokes)))
        for number, piece in pieces.items():
            name, found = "%s piece %d" % (erg, number), received.get(number, [])
            self.rowed += len(piece.strokes)
            if len(found) > 1:
                self.torn.append("%s became %d sessions" % (name, len(found)))
            elif found:
                self.compare(name, found[0], piece)
            elif not piece.is_unheard:
                self.lost.append("%s: all %d strokes" % (name, len(piece.strokes)))

    # One session against its piece

    def compare(self, name, session, piece):
        places = alignment(session.strokes, piece.strokes)
        if session.started is not None and piece.started is not None:
            self.matches.append((name, session, piece, places))
        next_place, next_number = 0, 1
        behind = session.gaps[1:]
        for stroke, place, gaps, next_gaps in zip(session.strokes, places, session.gaps, behind):
            number = stroke["stroke"]
            if place is None:
                self.strange.append("%s: stroke %d was not rowed" % (name, number))
                continue
            self.published += 1
            self.expect_declared(
                name, piece.strokes[next_place:place], range(next_number, number), gaps)
            self.compare_stroke(
                "%s stroke %d" % (name, number), stroke, piece, piece.strokes[place],
                is_cut(next_gaps), session.is_uncertain(number))
            next_place, next_number = place + 1, number + 1
        rest = piece.strokes[next_place:]
        numbered = [gap["to_stroke"] for gap in session.gaps[-1] if "to_stroke" in gap]
        self.expect_declared(
            name, rest, range(next_number, max(numbered, default=0) + 1), session.gaps[-1])
        self.compare_splits(name, session, piece)
        for summary in session.summaries:
            self.compare_summary(name, session, piece, summary)

    def expect_declared(self, name, missing, numbers, gaps):
        """Each of the numbers must be in a gap; other strokes may be missing only if a gap declares it."""
        declared = [number for number in numbers if any(
            gap["from_stroke"] <= number <= gap["to_stroke"]
            for gap in gaps if "from_stroke" in gap)]
        is_uncounted = any(gap.get("uncounted_strokes") for gap in gaps)
        is_all = len(declared) == len(numbers) and (
            len(missing) == len(numbers) or is_uncounted and len(missing) > len(numbers))
        if is_all:
            self.in_gaps += len(missing)
        else:
            self.lost.append("%s: strokes %s (%s) are missing, numbers %s, declared %s" % (
                name, [stroke["session_stroke"] for stroke in missing],
                ", ".join(stroke["kind"] for stroke in missing), list(numbers), declared))

    def compare_stroke(self, name, received, piece, rowed, is_cut, is_uncertain):
        if rowed["kind"] == "unsent_stroke":
            return
        expected = {**rowed, **(piece.sums(rowed) or {})}
        wanted = dict(FIELDS)
        if not is_uncertain and piece.sums(rowed):
            for field, tolerance in SUMS.items():
                wanted[field] = tolerance + ROUNDING[field] * (rowed["interval"] - 1)
        is_early = is_cut or rowed.get("recovery_time_s", 0) >= PAUSE
        for field, tolerance in wanted.items():
            if field in rowed and not (is_early and field in UNKNOWN_EARLY):
                if field in received or not is_cut:
                    self.expect(name, received, expected, field, tolerance)

    def compare_splits(self, name, session, piece):
        for number, split in session.splits.items():
            rowed = piece.splits.get(number)
            if rowed is None:
                self.strange.append("%s: split %d was not rowed" % (name, number))
                continue
            for field, tolerance in SPLIT_FIELDS.items():
                # The truth does not say whether each of the two packets was sent.
                if field in rowed and field in split:
                    self.expect("%s split %d" % (name, number), split, rowed, field, tolerance)
        for number in piece.splits:
            is_declared = any(number in gap for gap in session.split_gaps)
            # If a piece was stopped, its last split may not have been sent; if its end was not
            # received, nothing behind the last split is due.
            is_due = piece.is_whole or number < max(piece.splits)
            if any(gap.get("uncounted_strokes") for gap in session.gaps[-1]):
                is_due = number < max(session.splits, default=0)
            if number not in session.splits and not is_declared and is_due:
                self.lost.append("%s: split %d of %d" % (name, number, len(piece.splits)))

    def compare_summary(self, name, session, piece, received):
        """Every field must be absent or equal to the rowed one."""
        rowed = piece.results.get(2) or piece.results.get(1)
        if rowed is None:
            return
        self.summaries += 1
        name = "%s summary %d" % (name, received["revision"])

        def fail(field, value):
            self.wrong_summaries.append(
                "%s: %s is %s, rowed %s" % (name, field, received.get(field), value))

        is_partial = received.get("partial_result", False)
        share = received.get("strokes_received_ratio")
        for field, tolerance in RESULT_FIELDS.items():
            if is_partial and field in ("result_time_s", "distance_m"):
                part = RECEIVED_PARTS[field]
                # The monitor cuts the time of each interval to 0.1 s.
                cut = 0.1 * max(1, len(piece.splits)) if field == "result_time_s" else 0
                if field in received:
                    fail(field, "no result was received")
                if not 0 <= received.get(part, -1) <= rowed[field] + tolerance + cut:
                    fail(part, rowed[field])
                continue
            if field not in received or (share is not None and field in AVERAGES_OF_A_PART):
                continue
            if field == "avg_pace_s_per_500m" and "verified_against_pm5" not in received:
                # The monitor computes it from whole metres, the gateway does not.
                tolerance += received[field] / max(1, received["distance_m"])
            if field not in rowed or not is_equal(received, rowed, field, tolerance):
                fail(field, rowed.get(field))
        rates = [stroke["heart_rate_bpm"] for stroke in piece.strokes if "heart_rate_bpm" in stroke]
        for field, (of_work, tolerance) in HEART_FIELDS.items():
            if field not in received or received[field] == rowed.get(field):
                continue
            if share is not None and field in AVERAGES_OF_A_PART:
                continue
            if not rates or abs(received[field] - of_work(rates)) > tolerance:
                fail(field, rowed.get(field))
        strongest = max(stroke["power_w"] for stroke in piece.strokes)
        if "max_power_w" in received and received["max_power_w"] != strongest:
            fail("max_power_w", strongest)
        if share is not None:
            whole = len(session.strokes) / len(piece.strokes)
            if share >= 1 or abs(share - whole) > 0.002:
                fail("strokes_received_ratio", whole)
        for field, count in (("strokes", len(session.strokes)), ("splits", len(session.splits))):
            if received[field] != count:
                fail(field, "%d published" % count)
        if not is_partial and received["complete"] != (piece.is_whole and piece.has_end):
            fail("complete", piece.is_whole)
        for field in ("pm5_log_address", "pm5_workout_hash"):
            if field in received and received[field] != rowed.get(field):
                fail(field, rowed.get(field))
        if "pm5_log_date" in received and received["pm5_log_date"] != rowed["pm5_log_date"].replace(
                " ", "T"):
            fail("pm5_log_date", rowed["pm5_log_date"])

    def expect(self, name, received, rowed, field, tolerance):
        if field not in received or not is_equal(received, rowed, field, tolerance):
            self.wrong.append("%s: %s is %s, rowed %s" % (
                name, field, received.get(field), rowed[field]))
