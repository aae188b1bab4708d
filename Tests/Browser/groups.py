"""Test group pieces, as rowgate-logbook answers them below /api/v1/pieces. Answers are validated against the
interface's schema.
"""

import re
import time

import book
import messages
from athletes import checked

WINDOW_MS = 3_600_000
WORKOUT = ("session_type", "workout", "target_distance_m", "target_time_s", "target_calories_kcal",
           "interval_count", "interval_rest_s")

NAMES = {"jon": "Jón Þórsson", "li-wei": "Li Wei", "amara": "Amara Okafor", "hanna": "Hanna Vogel",
         "noor": "Noor Haddad", "tomas": "Tomás Núñez", "mia": "Mia de Vries", "sofia": "Sofia Rossi"}
FIRST_PACES = (107.9, 111.8, 112.4, 113.9, 116.1, 118.3, 120.2, 121.6)
SHARES = (0.35, 0.92, 0.88, 0.81, 0.47, 0.22, 0.09, 0.04)
# Of the eight repeats, against the first one.
CHANGES = (0.0, -0.4, 0.1, 0.5, 0.8, 1.2, 1.6, -1.2)


def training_group(count=8, repeats=8, target=True):
    """8 × 500 m of a group: the first is too fast, half of the others too slow; the last one stops early."""
    sessions = []
    for index in range(count):
        athlete = list(NAMES)[index] if index < len(NAMES) else f"a-{index}"
        pace = FIRST_PACES[index % 8] + index // 8
        one = book.Session(
            60 + index, f"erg-{index + 1}", athlete, "intervals", 500.0 * repeats, pace * repeats,
            started_ms=book.EVENING_MS - 20 * 60000 + index * 4000, target_distance_m=500.0)
        one.piece.update(workout="fixed_distance_interval", interval_count=repeats, interval_rest_s=60)
        for number in range(1, repeats + 1):
            change = CHANGES[(number - 1) % 8] + (4.6 if athlete == "sofia" and number == 7 else 0)
            seconds = round(pace + change, 2)
            ends = {"target_pace_min_s_per_500m": 110.0, "target_pace_max_s_per_500m": 115.0}
            one.splits.append(one.record(
                "split", number, number * 180, split=number, type="distance", distance_m=500.0,
                duration_s=seconds, avg_pace_s_per_500m=seconds, avg_power_w=200, avg_stroke_rate_spm=26,
                rest_s=60.0, **(ends if target else {})))
        one.ended(belt=False)
        if target:
            one.summary.update(target_strokes=200, in_target_ratio=SHARES[index % 8])
        sessions.append(one)
    return sessions


def stopped(session, after=3):
    """The session ended after some repeats and a part of the next one."""
    session.splits = session.splits[:after + 1]
    session.splits[-1].update(distance_m=212.0, duration_s=45.3, avg_pace_s_per_500m=106.84)
    session.summary.update(complete=False)
    return session


def notation(session):
    if session.piece["session_type"] == "just_row":
        return None
    rest = session.piece.get("interval_rest_s")
    if session.piece["session_type"] == "intervals":
        clock = f"/{rest // 60}:{rest % 60:02}r" if rest else ""
        return f"{session.piece.get('interval_count', '*')}x{session.piece.get('target_distance_m', 0):.0f}m{clock}"
    metres = session.piece.get("target_distance_m")
    return f"{metres:.0f}m" if metres else f"{session.piece.get('target_time_s', 0) / 60:.0f}:00"


def pieces(sessions):
    """Groups sessions of one workout in one room and hour, the newest piece first."""
    found = []
    for one in sorted(sessions, key=lambda one: one.started_ms):
        key = (one.gw, notation(one), one.machine)
        fits = [piece for piece in found if notation(one) and piece[0] == key
                and one.started_ms - piece[1][0].started_ms < WINDOW_MS
                and not any(one.athlete and one.athlete == other.athlete for other in piece[1])]
        if fits:
            fits[-1][1].append(one)
        else:
            found.append((key, [one]))
    return [piece for _, piece in sorted(found, key=lambda piece: -piece[1][0].started_ms)]


def line(piece, shown=None):
    first = piece[0]
    workout = {name: first.piece[name] for name in WORKOUT if name in first.piece}
    made = {"gw": first.gw, "session_id": first.id, "started_ms": first.started_ms, "session_count": len(piece),
            "athlete_count": len(piece), "sessions": [one.line for one in shown or piece]}
    if notation(first):
        made["workout"] = {"notation": notation(first), "machine": first.machine, **workout}
    return made


def row(session, count):
    whole = [split for split in session.splits if split["distance_m"] == 500.0]
    paces = [split["avg_pace_s_per_500m"] for split in whole]
    names = [name for split in session.splits for name in split
             if name.startswith("target_") or name in (
                 "split", "distance_m", "duration_s", "avg_pace_s_per_500m", "avg_power_w", "avg_stroke_rate_spm")]
    made = {"gw": session.gw, "erg": session.erg, "session_id": session.id, "started_ms": session.started_ms,
            "complete": len(whole) == count,
            "avg_pace_s_per_500m": round(sum(paces) / max(1, len(paces)), 2), "avg_stroke_rate_spm": 25,
            "repeats": [{**{name: split[name] for name in dict.fromkeys(names) if name in split},
                         **({} if split["distance_m"] == 500.0 else {"partial": True})}
                        for split in session.splits]}
    if session.athlete:
        made["athlete_id"] = session.athlete
    if paces:
        made["best_repeat"] = paces.index(min(paces)) + 1
    if "in_target_ratio" in (session.summary or {}):
        made["in_target_ratio"] = session.summary["in_target_ratio"]
    if len(whole) == count and count > 1:
        half = count // 2
        made["fade_percent"] = round((sum(paces[-half:]) - sum(paces[:half])) / half / sum(paces) * count * 100, 1)
    return made


def result(piece, additions=()):
    count = max(len(one.splits) for one in piece)
    rows = [row(one, count) for one in piece]
    rows.sort(key=lambda one: (not one["complete"], one["avg_pace_s_per_500m"]))
    made = {"piece": line(piece), "columns": [{"distance_m": 500}] * count, "rows": rows,
            "additions": list(additions)}
    if notation(piece[0]):
        made["work"] = {"distance_m": 500 * count}
    # Hostile sessions do not match the schema.
    checked("GroupResult", {**made, "piece": {**made["piece"], "sessions": []}})
    return made


MONTH_MS = 30 * 86_400_000


class Additions:
    """The results that coaches added to group pieces. Each belongs to the piece of a session."""

    def __init__(self, sessions):
        self.sessions, self.stored, self.requests = sessions, [], []

    def handles(self, path):
        return re.fullmatch(r"/api/v1/pieces/[^/]+/[^/]+/additions(/[^/]+)?", path) is not None

    def of(self, piece):
        names = {(one.gw, one.id) for one in piece}
        return [addition for name, addition in self.stored if name in names]

    def post(self, path, content):
        checked("PieceAdditionRequest", content)
        self.requests.append(content)
        made = {"addition_id": f"01JD8Z3V5Q00000000000000{len(self.stored):02}", "athlete_id": content["athlete_id"],
                "added_ms": messages.NOW_MS, "added_by": "anna"}
        if content.get("note"):
            made["note"] = content["note"]
        if "by_hand" in content:
            hand = content["by_hand"]
            made.update(kind="by_hand", distance_m=4000, time_s=hand["time_s"], day=hand["day"],
                        avg_pace_s_per_500m=round(hand["time_s"] / 8, 2))
        else:
            rowed = next(one for one in self.sessions() if one.id == content["made_up"]["session_id"])
            made.update(kind="made_up", gw=rowed.gw, session_id=rowed.id, distance_m=round(rowed.metres),
                        time_s=round(rowed.seconds, 1), day=time.strftime("%Y-%m-%d", time.gmtime(
                            rowed.started_ms / 1000)),
                        avg_pace_s_per_500m=round(rowed.seconds / rowed.metres * 500, 2))
            if notation(rowed):
                made["workout"] = notation(rowed)
        self.stored.append((tuple(path.split("/")[4:6]), checked("PieceAddition", made)))
        return 200, made

    def delete(self, path):
        before = len(self.stored)
        self.stored = [(name, one) for name, one in self.stored if one["addition_id"] != path.split("/")[-1]]
        return (200, {}) if len(self.stored) < before else (404, {"code": "unknown_addition", "detail": "removed"})


class Links:
    """The links to group results that the tests' server stores."""

    def __init__(self, sessions, additions):
        self.sessions, self.additions, self.links, self.requested = sessions, additions, [], []

    def handles(self, path):
        return re.fullmatch(r"/api/v1/(pieces/[^/]+/[^/]+/links(/[^/]+)?|shared/[^/]+(/export)?)", path) is not None

    def add(self, gw, session, by="anna", days_ago=0):
        number, created = len(self.links), messages.NOW_MS - days_ago * 86_400_000
        link = {"link_id": f"{number:012x}", "created_ms": created, "by": by, "expires_ms": created + MONTH_MS,
                "link": f"http://boathouse:8080/shared/{number:04}-9xqd-4t8w-hz3c-6vnp"}
        self.links.append(((gw, session), link))
        return link

    def shown(self, code):
        """The session of a valid code, with its link."""
        return next(((name, link) for name, link in self.links if link["link"].endswith("/" + code)), None)

    def of(self, path):
        gw, session = path.split("/")[4:6]
        piece = next(piece for piece in pieces(self.sessions()) if (gw, session) in [(one.gw, one.id) for one in piece])
        return gw, session, {(one.gw, one.id) for one in piece}

    def get(self, path):
        if path.startswith("/api/v1/shared/"):
            found = self.shown(path.split("/")[4])
            if not found:
                return 404, {"code": "invalid_link", "detail": "this link has expired or was revoked"}
            (gw, session), link = found
            piece = next(one for one in pieces(self.sessions()) if (gw, session) in [(it.gw, it.id) for it in one])
            return 200, shared(piece, link["expires_ms"], self.additions().of(piece))
        _, _, names = self.of(path)
        found = [{name: value for name, value in link.items() if name != "link"}
                 for name, link in self.links if name in names]
        return 200, {"links": [checked("PieceLink", link) for link in found]}

    def post(self, path):
        gw, session, _ = self.of(path)
        return 200, checked("PieceLink", self.add(gw, session))

    def delete(self, path):
        before = len(self.links)
        self.links = [(name, link) for name, link in self.links if link["link_id"] != path.split("/")[-1]]
        return (200, {}) if len(self.links) < before else (404, {"code": "unknown_link", "detail": "it is revoked"})


def shared(piece, expires_ms, additions=()):
    """The result for anybody with a link: names instead of ids, and no notes."""
    content = result(piece)
    content.pop("work", None)
    content["additions"] = [
        {"athlete_name": NAMES.get(one["athlete_id"], one["athlete_id"]), **{
            name: one[name] for name in ("kind", "time_s", "distance_m", "avg_pace_s_per_500m", "day", "workout")
            if name in one}} for one in additions]
    for one in content["rows"]:
        del one["session_id"]
        if "athlete_id" in one:
            athlete = one.pop("athlete_id")
            one["athlete_name"] = NAMES.get(athlete, athlete)
    head = {name: value for name, value in content["piece"].items()
            if name in ("gw", "started_ms", "athlete_count", "workout")}
    head["sessions"] = [{name: line[name] for name in ("state", "ended_ms") if name in line}
                        for line in content["piece"]["sessions"]]
    return checked("SharedResult", {**content, "piece": head, "expires_ms": expires_ms})
