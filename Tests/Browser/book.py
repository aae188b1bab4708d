"""Test sessions with their records, and the answers about them. Records are validated against the contract's
schemas.
"""

import math
import random
import threading
import time
import urllib.parse

import athletes
import clubhouse
import groups
import people
import training
from athletes import checked
from messages import durable, force_curve, session_id, workout

HOUR = 3_600_000
# When the newest session of a list began: a Saturday evening.
EVENING_MS = 1795372920000 - 20 * 60000
PAGE = 100


class Session:
    """A session with strokes; its manifest matches its records."""

    def __init__(self, number=1, erg="erg-1", athlete="a-17", piece="distance", metres=2000.0,
                 seconds=441.3, state="verified", started_ms=EVENING_MS, gw="boathouse", **target):
        self.gw, self.erg, self.athlete, self.state = gw, erg, athlete, state
        self.id = session_id("s", number)
        self.piece, self.metres, self.seconds = workout(piece, **target), metres, seconds
        self.started_ms = started_ms
        self.strokes, self.forces, self.splits, self.gaps = [], [], [], []
        self.summary = self.manifest = None
        self.overrides = None
        # Corrections of the athlete, the oldest first.
        self.corrections = []
        self.machine = "rower"

    def record(self, kind, seq, at_s, **fields):
        fields = {"session_id": self.id, **fields}
        if kind not in ("force", "gap", "manifest"):
            fields["athlete_id"] = self.athlete
        made = durable(kind, self.gw, self.erg, seq, **fields)
        return {**made, "ts_ms": self.started_ms + round(at_s * 1000), "historical": True}

    def add_strokes(self, count=199, parts=4, belt=True, curves=True, rest_s=None, seed=7):
        """Adds strokes, force curves and splits, with a fast start, a slow middle and a fast end."""
        chance = random.Random(seed)
        for number in range(1, count + 1):
            share = number / count
            pace = self.seconds / self.metres * 500 * (1.5 if number == 1 else 1.12 if number == 2
                else 1 + 0.02 * math.sin(share * 3 * math.pi + 4.7)) + chance.uniform(-0.9, 0.9)
            drive = 0.78 + share * 0.05 + chance.uniform(-0.02, 0.02)
            rate = round(27 + 2.4 * math.cos(share * 2 * math.pi) + chance.uniform(-0.6, 0.6))
            watts = round(2.8 / (pace / 500) ** 3)
            self.strokes.append(self.record(
                "stroke", number, share * self.seconds, stroke=number,
                elapsed_s=round(share * self.seconds, 2), distance_m=round(share * self.metres, 1),
                stroke_rate_spm=rate, power_w=watts, pace_s_per_500m=round(pace, 2),
                heart_rate_bpm=round(181 - 55 * math.exp(-share * 4)) if belt else None,
                drive_length_m=round(1.42 - share * 0.05, 2), drive_time_s=round(drive, 2),
                recovery_time_s=round(60 / rate - drive, 2),
                interval=min(parts, int(share * parts - 1e-9) + 1) if parts else None))
            if curves:
                at = 0.33 + share * 0.06
                points = force_curve(420 + watts + chance.uniform(-25, 25), at)
                self.forces.append(self.record(
                    "force", number, share * self.seconds, stroke=number, points=len(points),
                    complete=True, peak_force_n=max(points), peak_position_ratio=round(at, 3),
                    avg_to_peak_ratio=round(0.55 - share * 0.02, 3), force_n=points))
        for number in range(1, parts + 1):
            pace = round(self.seconds / self.metres * 500 + [-1.4, 1.3, 1.5, -1.3][number % 4], 2)
            self.splits.append(self.record(
                "split", number, number / parts * self.seconds, split=number, type="distance",
                distance_m=self.metres / parts,
                duration_s=round(pace * self.metres / parts / 500, 2),
                avg_pace_s_per_500m=pace, avg_power_w=round(2.8 / (pace / 500) ** 3),
                avg_stroke_rate_spm=26 + number % 3, avg_drag_factor=124, rest_s=rest_s,
                avg_heart_rate_bpm=150 + min(31, number * 7) if belt else None))
        return self.ended(belt)

    def ended(self, belt=True, agrees=True):
        pace = round(self.seconds / self.metres * 500, 2)
        self.summary = self.record(
            "summary", 1, self.seconds, revision=1, started_ms=self.started_ms,
            ended_ms=self.started_ms + round(self.seconds * 1000), result_time_s=self.seconds,
            distance_m=self.metres, avg_pace_s_per_500m=pace,
            avg_power_w=round(2.8 / (pace / 500) ** 3), avg_stroke_rate_spm=27,
            avg_heart_rate_bpm=168 if belt else None, max_heart_rate_bpm=181 if belt else None,
            drag_factor_avg=124, calories_kcal=118, strokes=len(self.strokes),
            splits=len(self.splits), complete=True, verified_against_pm5=agrees, **self.piece)
        self.manifest = self.record(
            "manifest", 1, self.seconds, stroke_count=len(self.strokes), stroke_sha256="0" * 64,
            force_count=len(self.forces), split_count=len(self.splits), gap_count=len(self.gaps))
        return self

    def lose(self, first, last, reason="link_lost", declared=True):
        """Removes strokes; with `declared`, a gap reports them."""
        gone = [stroke for stroke in self.strokes if first <= stroke["stroke"] <= last]
        self.strokes = [stroke for stroke in self.strokes if stroke not in gone]
        self.forces = [force for force in self.forces if not first <= force["stroke"] <= last]
        if declared:
            self.gaps.append(self.record(
                "gap", len(self.gaps) + 1, gone[-1]["elapsed_s"], reason=reason, from_stroke=first,
                to_stroke=last, duration_s=round((last - first + 1) * 2.3, 1), recovered=True))
        return self

    def goes_on(self, upto):
        """The session while it is in progress."""
        self.strokes, self.forces = self.strokes[:upto], self.forces[:upto]
        self.splits = self.splits[:1]
        self.summary = self.manifest = None
        self.state = "open"
        return self

    @property
    def line(self):
        """The session as an element of the list."""
        found = {"gw": self.gw, "erg": self.erg, "session_id": self.id,
                 "athlete_id": self.athlete, "started_ms": self.started_ms,
                 "workout": self.piece["workout"], "strokes": len(self.strokes),
                 "state": self.state}
        if self.summary:
            found.update(ended_ms=self.summary["ended_ms"], distance_m=self.metres,
                         result_time_s=self.seconds,
                         avg_pace_s_per_500m=self.summary["avg_pace_s_per_500m"],
                         machine_type=self.summary.get("machine_type"))
        return {name: value for name, value in {**found, **(self.overrides or {})}.items()
                if value is not None}

    @property
    def detail(self):
        found = {"session": self.line, "summary": self.summary, "manifest": self.manifest,
                 "splits": {"records": self.splits}, "gaps": {"records": self.gaps},
                 "corrections": self.corrections or None}
        return {name: value for name, value in found.items() if value is not None}


def cursor_of(index):
    return f"{index:08x}"


NOTHING_SUGGESTED = {"open": [], "past": []}


class SessionStore:
    """Answers as rowgate-logbook does under /api/v1/sessions and /api/v1/athletes."""

    def __init__(self, sessions=()):
        self.sessions = list(sessions)
        # Athletes of athletes.py; without them, the athletes of the sessions.
        self.athletes = []
        self.people = people.People()
        # The results that coaches added to group pieces.
        self.additions = groups.Additions(lambda: self.sessions)
        # An answer to every request instead: status, code, detail.
        self.refusal = None
        # Page size, small so that tests need few records.
        self.page = 1000
        # While cleared, requests wait.
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.requests = []

    def answer(self, path, query):
        self.requests.append((path, query))
        self.may_answer.wait()
        if self.refusal:
            status, code, detail = self.refusal
            return status, {"type": "about:blank", "title": code, "status": status,
                            "code": code, "detail": detail}
        parameters = dict(urllib.parse.parse_qsl(query))
        if path == "/api/v1/club":
            return clubhouse.season(self.athletes, self.people, parameters)
        if path == "/api/v1/records":
            return 200, athletes.records(self.athletes)
        if path.startswith("/api/v1/athletes/"):
            return self.athlete(path.removeprefix("/api/v1/athletes/").split("/"), parameters)
        if path == "/api/v1/groups":
            return self.people.get_groups()
        if path == "/api/v1/merges":
            return self.people.get_merges()
        if path == "/api/v1/athletes":
            names = sorted({one.athlete for one in self.sessions if one.athlete})
            lines = [one.line for one in self.athletes] or [
                {"athlete_id": name, "sessions": 1, "first_ms": 0, "last_ms": 0} for name in names]
            return 200, self.pages("athletes", self.people.lines(lines), parameters, PAGE)
        if path.startswith("/api/v1/pieces"):
            return self.pieces(path.removeprefix("/api/v1/pieces").split("/")[1:], parameters)
        if path == "/api/v1/sessions":
            return 200, self.pages("sessions", self.chosen(parameters), parameters, PAGE)
        return self.one(path.removeprefix("/api/v1/sessions/").split("/"), parameters)

    def athlete(self, names, parameters):
        found = [one for one in self.athletes
                 if names[0] in (one.slug, urllib.parse.quote(one.called or "", safe="!'()*"))]
        if not found and names[0] in self.people.profiles and len(names) == 1:
            line = self.people.named({"athlete_id": names[0], "sessions": 0})
            return 200, {"athlete": line, "seasons": [], "bests": [], "not_ranked": []}
        if not found:
            return 404, {"code": "unknown_athlete", "detail": "no session names them"}
        if len(names) == 1:
            detail = found[0].detail
            return 200, {**detail, "athlete": self.people.named(detail["athlete"])}
        if names[1] == "suggestions":
            return 200, found[0].suggested.content if found[0].suggested else NOTHING_SUGGESTED
        season = int(parameters["season"]) if "season" in parameters else None
        if names[1] == "training":
            return 200, training.of_athlete(found[0], parameters.get("by", "week"), season)
        return 200, found[0].volume(parameters.get("by", "week"), season)

    def correct(self, path, content):
        """Handles a correction of a session's athlete; without content, restores the recorded one."""
        gw, session_id, _ = path.removeprefix("/api/v1/sessions/").split("/")
        found = next(one for one in self.sessions if [one.gw, one.id] == [gw, session_id])
        new = found.recorded if content is None else content["athlete_id"] or None
        if not found.corrections:
            found.recorded = found.athlete
        found.corrections.append({name: value for name, value in {
            "at_ms": EVENING_MS, "by": "anna", "former_athlete_id": found.athlete,
            "athlete_id": new}.items() if value})
        found.athlete = new
        found.overrides = None if content is None else {"corrected": True}
        return 200, found.line

    def post(self, names, content):
        """Handles a reply to a suggestion."""
        found = next(one for one in self.athletes if one.slug == names[0])
        if names[1] == "heart":
            return self.give_heart(found, **content)
        return found.suggested.respond(names[2], content)

    def give_heart(self, athlete, resting_bpm=None, maximal_bpm=None):
        if resting_bpm and maximal_bpm < resting_bpm + 40:
            return 400, {"code": "bad_value", "detail": "the maximal one has to be 40 above it"}
        athlete.heart = (resting_bpm, maximal_bpm, athletes.EVENING_MS) if resting_bpm else None
        return 200, {"heart_zones": training.heart_zones(athlete.heart)}

    def chosen(self, parameters):
        def day(one):
            return time.strftime("%Y-%m-%d", time.gmtime(one.started_ms / 1000))
        found = [one for one in self.sessions
                 if parameters.get("from", "") <= day(one) <= parameters.get("to", "~")]
        lines = [one.line for one in sorted(found, key=lambda one: -one.started_ms)]
        if parameters.get("unassigned") == "true":
            lines = [line for line in lines if "athlete_id" not in line]
        return [line for line in lines if all(
            line.get(name) == parameters[name] for name in ("gw", "erg", "athlete_id", "state")
            if name in parameters)]

    def pieces(self, names, parameters):
        """The list of pieces, or one of them."""
        every = groups.pieces(self.sessions)
        if names:
            found = [piece for piece in every if any([one.gw, one.id] == names for one in piece)]
            return (200, groups.result(found[0], self.additions.of(found[0]))) if found else (
                404, {"code": "unknown_session", "detail": "there is no such session"})
        chosen = {(line["gw"], line["session_id"]) for line in self.chosen(parameters)}
        members = self.people.groups.get(parameters.get("group"), {}).get("athletes", [])
        found = []
        for piece in every:
            shown = [one for one in piece if (one.gw, one.id) in chosen
                     and ("group" not in parameters or one.athlete in members)]
            if shown and parameters.get("workout") in (None, groups.notation(piece[0])):
                line = groups.line(piece, shown)
                # Hostile sessions do not match the schema.
                checked("GroupPiece", {**line, "sessions": []})
                found.append(line)
        return 200, self.pages("pieces", found, parameters, PAGE)

    def pages(self, name, elements, parameters, size):
        first = int(parameters["cursor"], 16) if "cursor" in parameters else 0
        found = {name: elements[first:first + size]}
        if len(elements) > first + size:
            found["next"] = cursor_of(first + size)
        return found

    def one(self, names, parameters):
        found = [one for one in self.sessions if [one.gw, one.id] == names[:2]]
        if not found:
            return 404, {"code": "unknown_session", "detail": "there is no such session"}
        if len(names) == 2:
            return 200, found[0].detail
        if names[2] == "training":
            return 200, training.of_session(found[0])
        if names[2] in ("strokes", "forces", "splits", "gaps"):
            return 200, self.pages("records", getattr(found[0], names[2]), parameters, self.page)
        return 404, {"code": "not_found", "detail": "nothing is there"}


# ---- Stores --------------------------------------------------------------------------------------

def piece(**given):
    """A test over 2000 m with a gap of two strokes."""
    return Session(**given).add_strokes().lose(107, 108).ended()


def intervals():
    rows = Session(2, "erg-3", "li-wei", "intervals", seconds=436.8,
                   started_ms=EVENING_MS - HOUR)
    return rows.add_strokes(parts=4, rest_s=60.0)


def plain():
    """A session without a heart rate belt and without force curves."""
    rows = Session(3, "erg-5", None, "just_row", 3121.0, 812.4,
                   started_ms=EVENING_MS - 26 * HOUR)
    return rows.add_strokes(count=310, parts=0, belt=False, curves=False, seed=3)


def rivals():
    """Sessions that a-17's 2000 m piece can be compared with, and some that it cannot."""
    def row(number, days, athlete="a-17", **given):
        return Session(number, "erg-2", athlete, started_ms=EVENING_MS - days * 24 * HOUR, **given)
    slower = row(41, 7, seconds=447.9, state="gone").add_strokes(count=203, seed=4)
    longer = row(43, 3, metres=5000.0, seconds=1171.4, target_distance_m=5000.0)
    return [
        piece(), slower.lose(80, 91, declared=False).lose(140, 143), row(42, 0, "mia").add_strokes(seed=9),
        longer.add_strokes(count=470, parts=5, belt=False, seed=5), row(44, 2, "li-wei").add_strokes(seed=6),
        row(45, 30, "a-17", state="open").add_strokes().goes_on(60)]


def timed(number, metres, days):
    rows = Session(number, "erg-4", "jon", "time", metres, 1800.0, target_time_s=1800.0,
                   started_ms=EVENING_MS - days * 24 * HOUR)
    rows.add_strokes(count=720, parts=6, seed=number)
    for split in rows.splits:
        split.update(duration_s=300.0, distance_m=round(150000 / split["avg_pace_s_per_500m"], 1))
    return rows


def long():
    rows = Session(4, "erg-2", "jon", "time", 16250.0, 3600.0, started_ms=EVENING_MS - 30 * HOUR,
                   target_time_s=3600.0)
    return rows.add_strokes(count=1440, parts=12, seed=5)


def evening():
    """A list with a session in each state."""
    fetched = Session(5, "erg-4", "sofia", state="missing", started_ms=EVENING_MS - HOUR // 2,
                      seconds=452.9).add_strokes().lose(60, 71, declared=False)
    lost = Session(6, "erg-6", "hanna", state="gone", started_ms=EVENING_MS - 25 * HOUR,
                   seconds=463.2).add_strokes().lose(60, 71, declared=False)
    other = Session(7, "erg-7", "tomas", state="differs", started_ms=EVENING_MS - 27 * HOUR,
                    seconds=449.9).add_strokes().ended(agrees=False)
    rowing = Session(8, "erg-8", "mia", started_ms=EVENING_MS + HOUR // 6).add_strokes().goes_on(88)
    return [piece(), intervals(), plain(), long(), fetched, lost, other, rowing]


def hostile():
    """Sessions with hostile names and invalid values."""
    script = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
    names = [script, "a" * 64, "\u202eelahw yzal \u05d3\u05d5\u05d3", "x" * 20 + " " + "y" * 40,
             "\u0645\u062d\u0645\u062f \u0628\u0646 \u0639\u0644\u064a"]
    found = []
    for index, name in enumerate(names):
        one = Session(20 + index, "window-left-of-the-door-by-the-sea"[:32], "a-1",
                      started_ms=EVENING_MS - index * 60000).add_strokes(count=40, parts=2)
        one.overrides = {"athlete_id": name, "workout": script if index == 1 else "unrecognized_77"}
        found.append(one)
    found[2].overrides.update(distance_m=1e9, result_time_s=9e6, state="<b>new</b>")
    return found


def many(count=250):
    return [Session(number, f"erg-{number % 8 + 1}", ["a-17", "li-wei", None, "mia"][number % 4],
                    started_ms=EVENING_MS - number * HOUR).ended() for number in range(count)]
