"""Test answers of /api/v1/athletes and below. Each answer is validated against the interface's schema."""

import datetime
import json
import pathlib
import random

import jsonschema
from messages import session_id

DOCUMENT = json.loads((pathlib.Path(__file__).parents[2]
                       / "Sources/Services/Logbook/Interface/openapi.json").read_text())
DAY = 86_400_000
# 2026-11-22T18:00:00Z.
EVENING_MS = 1795370400000
EVENTS = [("100m", 100), ("500m", 500), ("1000m", 1000), ("2000m", 2000), ("5000m", 5000),
          ("6000m", 6000), ("10000m", 10000), ("1min", 60), ("4min", 240), ("30min", 1800)]


def checked(schema, content):
    jsonschema.validate(content, {"$ref": f"#/components/schemas/{schema}",
                                  "components": DOCUMENT["components"]})
    return content


def season_of(ms):
    day = datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc)
    return day.year + (day.month >= 5)


class Athlete:
    """An athlete with pieces of (when, metres, seconds)."""

    def __init__(self, slug="a-17", pieces=None, machine="rower"):
        self.slug, self.machine = slug, machine
        self.pieces = pieces or []
        self.ranked, self.efforts, self.unranked = {}, {}, []
        # Replaces the slug, like a hostile publisher.
        self.called = None
        # Suggestions of suggested.py; None for none.
        self.suggested = None
        # Resting and maximum heart rate, and when they were entered.
        self.heart = None

    def name(self, index):
        return {"gw": "boathouse", "session_id": session_id("p", index)}

    def figure(self, index, event, speed):
        word, length = event
        at, _, _ = self.pieces[index]
        metres, seconds = (length, length / speed) if not word.endswith("min") \
            else (round(length * speed, 1), length)
        return {"kind": "measured", "formula": f"result of the {word} piece, as the monitor tells it",
                "time_s": round(seconds, 2), "distance_m": metres,
                "pace_s_per_500m": round(500 / speed, 2), "at_ms": at,
                "inputs": [self.name(index)]}

    def best(self, event, season=None):
        found = {"machine": self.machine, "event": event[0]}
        found["event_time_s" if event[0].endswith("min") else "event_distance_m"] = event[1]
        if season:
            found["season"] = season
        for name, made in (("ranked", self.ranked), ("effort", self.efforts)):
            of = [(speed, index) for index, speed in made.get(event[0], [])
                  if season in (None, season_of(self.pieces[index][0]))]
            if not of:
                continue
            speed, index = max(of)
            found[name] = self.figure(index, event, speed)
            if name == "effort":
                found[name].update(kind="computed", from_s=81.25, formula=f"least t(d + {event[1]} "
                                   "m) - t(d) over all d, distance linear within a stroke")
        return found if "ranked" in found or "effort" in found else None

    @property
    def seasons(self):
        return sorted({season_of(at) for at, _, _ in self.pieces}, reverse=True)

    @property
    def line(self):
        times = [at for at, _, _ in self.pieces]
        return checked("Athlete", {
            "athlete_id": self.slug, "sessions": len(times), "first_ms": min(times),
            "last_ms": max(times)}) | ({"athlete_id": self.called} if self.called else {})

    @property
    def detail(self):
        bests = [self.best(event, season) for season in [None] + self.seasons for event in EVENTS]
        found = {"athlete": self.line, "bests": [best for best in bests if best],
                 "not_ranked": self.unranked, "seasons": self.seasons}
        if not self.called:
            checked("AthleteBests", found)
        return found

    def volume(self, by, season):
        spans = {}
        for index, (at, metres, seconds) in sorted(enumerate(self.pieces), key=lambda one: one[1]):
            if season not in (None, season_of(at)):
                continue
            day = datetime.datetime.fromtimestamp(at / 1000, datetime.timezone.utc).date()
            first = {"day": day, "week": day - datetime.timedelta(days=day.weekday()),
                     "season": datetime.date(season_of(at) - 1, 5, 1)}[by]
            spans.setdefault(first.isoformat(), []).append((index, metres, seconds, at))
        return {"by": by, "volumes": [checked("Volume", {
            "from": first, "kind": "computed", "formula": "sum over the sessions that began in it",
            "at_ms": max(one[3] for one in of), "time_s": round(sum(one[2] for one in of), 2),
            "distance_m": round(sum(one[1] for one in of), 1), "strokes": len(of) * 230,
            "work_kj": round(sum(one[2] for one in of) * .19, 1), "unknown_power_s": 0,
            "sessions": len(of), "inputs": [self.name(one[0]) for one in of]})
            for first, of in sorted(spans.items())]}


def records(found):
    """The club records of these athletes."""
    records = []
    seasons = sorted({season for one in found for season in one.seasons}, reverse=True)
    for season in [None] + seasons:
        for event in EVENTS:
            bests = [(one, one.best(event, season)) for one in found]
            ranked = [(one, best) for one, best in bests if best and "ranked" in best]
            if ranked:
                one, best = min(ranked, key=lambda pair: pair[1]["ranked"]["pace_s_per_500m"])
                records.append({name: value for name, value in best.items() if name != "effort"}
                            | {"athlete_id": one.called or one.slug})
    return checked("ClubRecords", {"records": records})


# ---- Examples ------------------------------------------------------------------------------------

def one_session(slug="li-wei", machine="rower"):
    """An athlete with a single, ranked 2000 m."""
    rower = Athlete(slug, [(EVENING_MS, 2000.0, 441.3)], machine)
    rower.ranked["2000m"] = [(0, 2000 / 441.3)]
    rower.efforts = {"500m": [(0, 4.66)], "1min": [(0, 4.71)]}
    return rower


def busy(slug="a-17"):
    """Two seasons of a regular athlete, with most events and an unranked piece."""
    chance = random.Random(5)
    rower = Athlete(slug)
    for day in range(330):
        for _ in range(chance.choice([0, 0, 1, 1, 2]) if day % 7 != 6 else 0):
            metres = chance.choice([2000.0, 5000.0, 6000.0, 8000.0, 12000.0])
            at = EVENING_MS - day * DAY + chance.randrange(0, 5) * 600000
            rower.pieces.append((at, metres, round(metres / chance.uniform(3.9, 4.4), 2)))
    speeds = {"100m": 5.9, "500m": 5.56, "2000m": 4.78, "5000m": 4.46, "6000m": 4.41,
              "30min": 4.39, "1min": 5.5}
    for word, speed in speeds.items():
        for index in chance.sample(range(len(rower.pieces)), 4):
            rower.ranked.setdefault(word, []).append((index, speed * chance.uniform(.96, 1)))
    for word, speed in {**speeds, "1000m": 4.9, "4min": 4.85, "10000m": 4.3}.items():
        for index in chance.sample(range(len(rower.pieces)), 6):
            rower.efforts.setdefault(word, []).append((index, speed * chance.uniform(.93, .99)))
    for index, reasons in ((3, ["gap"]), (9, ["incomplete", "monitor_differs"]),
                           (14, ["rolling_start"]), (20, ["not_verified"])):
        rower.unranked.append({**rower.name(index), "machine": "rower", "event": "2000m",
                               "at_ms": rower.pieces[index][0], "reasons": reasons})
    return rower


def hostile():
    found = []
    for index, name in enumerate([
            "<script>document.title='owned'</script><img src=x>", "a" * 64,
            "\u202eelahw yzal \u05d3\u05d5\u05d3", "x" * 20 + " " + "y" * 40]):
        rower = one_session(f"h-{index}")
        rower.called = name
        found.append(rower)
    return found
