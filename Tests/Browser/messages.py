"""Test messages of a gateway. Each is validated against its JSON Schema, so that no test depends on a message
that gateways never send.
"""

import datetime
import json
import math
import pathlib

import jsonschema

SCHEMAS = pathlib.Path(__file__).parents[2] / "config/schema/v1"
NOW_MS = 1795372920000
BOOT = "0123456789abcdef0123456789abcdef"
EPOCH = "01JD8Z3V5Q0000000000000000"
VALIDATORS = {}
# Only the first messages of a kind are validated; load tests send thousands.
ENOUGH = 1000


def valid(kind, payload):
    """Returns the payload after validating it."""
    if kind not in VALIDATORS:
        schema = json.loads((SCHEMAS / f"{kind}.json").read_text())
        VALIDATORS[kind] = [jsonschema.Draft202012Validator(schema), 0]
    entry = VALIDATORS[kind]
    entry[1] += 1
    if entry[1] <= ENOUGH:
        entry[0].validate(payload)
    return payload


def session_id(slug, number=1):
    """A ULID for a session of an erg."""
    letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    value = sum(ord(letter) * 31 ** index for index, letter in enumerate(slug)) + number
    digits = ""
    while value:
        value, digit = divmod(value, 32)
        digits = letters[digit] + digits
    return ("01JD8Z3V5Q" + "0" * 16)[: 26 - len(digits)] + digits


def without_nothing(fields):
    return {name: value for name, value in fields.items() if value is not None}


def passing(kind, gw, erg, ts_ms=NOW_MS, **fields):
    """A live or retained message."""
    # The retained summary has the kind of the summary.
    word = "summary" if kind == "last_summary" else kind
    head = {"v": 1, "kind": word, "gw": gw, "erg": erg, **instant(ts_ms)}
    return valid(kind, without_nothing({**head, **fields}))


def durable(kind, gw, erg, seq=1, **fields):
    head = {"v": 1, "kind": kind, "gw": gw, "erg": erg, "epoch": EPOCH, "seq": seq,
            **instant(NOW_MS)}
    return valid(kind, without_nothing({**head, **fields, "historical": False}))


def instant(ts_ms):
    moment = datetime.datetime.fromtimestamp(ts_ms / 1000, datetime.timezone.utc)
    return {"ts_ms": ts_ms, "clock": "synced",
            "time": moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ts_ms % 1000:03d}Z"}


WORKOUTS = {
    "just_row": ("just_row", "just_row_without_splits", {}),
    "distance": ("distance", "fixed_distance_with_splits", {"target_distance_m": 2000.0}),
    "time": ("time", "fixed_time_with_splits", {"target_time_s": 1800.0}),
    "calories": ("calories", "fixed_calories_with_splits", {"target_calories_kcal": 100}),
    "intervals": ("intervals", "fixed_distance_interval", {"target_distance_m": 500.0}),
    "minutes": ("intervals", "fixed_time_interval", {"target_time_s": 60.0}),
    "variable": ("intervals", "variable_interval", {"target_distance_m": 750.0}),
    "open_rest": ("intervals", "variable_interval_undefined_rest", {"target_distance_m": 750.0}),
    "unknown": ("unrecognized", "unrecognized_77", {}),
}


def workout(name, **target):
    kind, word, usual = WORKOUTS[name]
    return {"session_type": kind, "workout": word, **(target or usual)}


def force_curve(peak=620.0, at=0.36, points=44):
    """Roughly the shape of a drive."""
    bend = math.log(0.5) / math.log(at)
    shape = lambda t: math.sin(math.pi * t ** bend) ** 1.25
    return [round(peak * shape(index / (points - 1)), 1) for index in range(points)]


class Erg:
    """An erg with the newest message of each kind."""

    def __init__(self, slug, gw="boathouse", name=None, piece="distance", **target):
        self.slug, self.gw, self.name = slug, gw, name
        self.piece = workout(piece, **target)
        self.session = session_id(gw + slug)
        self.messages = {}
        self.online()

    def put(self, kind, payload, age_s=0.0):
        self.messages[kind] = {"age_ms": round(age_s * 1000), "payload": payload}
        return self

    def passing(self, kind, age_s=0.0, **fields):
        ts_ms = NOW_MS - round(age_s * 1000)
        return self.put(kind, passing(kind, self.gw, self.slug, ts_ms, **fields), age_s)

    def durable(self, kind, age_s=0.0, **fields):
        return self.put(kind, durable(kind, self.gw, self.slug, **fields), age_s)

    def online(self, age_s=600.0):
        return self.put("availability", valid("availability", "online"), age_s)

    def offline(self, age_s=180.0):
        return self.put("availability", valid("availability", "offline"), age_s)

    def info(self, machine="model_d"):
        return self.passing("info", 600, serial="431234567", address="00:11:22:33:44:55",
                            adapter="hci0", model="PM5", firmware="168.040",
                            machine_type=machine, battery_pct=80, capabilities=["0031"])

    def state(self, state, age_s=60.0, piece=True, session=None, reason=None,
              reason_code=None):
        fields = self.piece if piece else {}
        return self.passing("state", age_s, state=state, reason=reason, reason_code=reason_code,
                            session_id=session,
                            athlete_id="someone" if self.name else None,
                            athlete_name=self.name, **fields)

    def live(self, age_s=0.0, state="rowing", **figures):
        usual = {"live_seq": 1, "elapsed_s": 400.0, "distance_m": 1786.0}
        return self.passing("live", age_s, state=state, **{**usual, **figures})

    def rows(self, pace=112.4, rate=24, heart=156, age_s=0.0, curve=0.36, number=1, **figures):
        """Makes the erg row, with all values that a page shows."""
        watts = round(2.8 / (pace / 500) ** 3)
        self.info().state("rowing", session=self.session)
        self.live(age_s, stroke_rate_spm=rate, pace_s_per_500m=pace, power_w=watts,
                  heart_rate_bpm=heart, avg_pace_s_per_500m=pace + 0.6, drag_factor=124,
                  speed_m_per_s=round(500 / pace, 3), stroke_phase="drive", **figures)
        self.stroke(number)
        return self.force(number, curve, 400.0 + watts)

    def stroke(self, number=1, **figures):
        usual = {"elapsed_s": 400.0, "distance_m": 1786.0}
        return self.durable("stroke", session_id=self.session, stroke=number,
                            **{**usual, **figures})

    def force(self, number, at=0.36, peak=620.0, complete=True):
        points = force_curve(peak, at)
        return self.durable("force", session_id=self.session, stroke=number,
                            points=len(points), complete=complete, force_n=points)

    def split(self, number, pace=114.0):
        return self.durable("split", session_id=self.session, split=number, type="distance",
                            distance_m=500.0, duration_s=pace, avg_pace_s_per_500m=pace,
                            avg_power_w=236, avg_stroke_rate_spm=25)

    def interval(self, number, count=None, state=False, **figures):
        """Adds the current or last interval as a gateway reports it."""
        kind = "state" if state else "live"
        payload = self.messages[kind]["payload"]
        payload.update(interval=number, **figures)
        if count:
            payload["interval_count"] = count
            self.messages["state"]["payload"]["interval_count"] = count
        return self

    def summary(self, age_s=30.0, verified=True, complete=True, distance=2000.0, time=441.3,
                began_s=500.0):
        pace = round(time / distance * 500, 2)
        return self.passing(
            "last_summary", age_s, epoch=EPOCH, seq=1, revision=1, session_id=self.session,
            started_ms=NOW_MS - round(began_s * 1000), ended_ms=NOW_MS - round(age_s * 1000),
            result_time_s=time, distance_m=distance, avg_pace_s_per_500m=pace, avg_power_w=261,
            avg_stroke_rate_spm=27, avg_heart_rate_bpm=168, strokes=199, splits=4,
            complete=complete, verified_against_pm5=verified, **self.piece)

    def asks(self, **target):
        """Adds a target with its verdicts: `pace=(110.0, 115.0)`."""
        live = self.messages["live"]["payload"]
        # A single pace counts as met within a second.
        slack = 1.0 if target.get("pace") and target["pace"][0] == target["pace"][1] else 0.0
        names = {"pace": ("pace", "s_per_500m"), "power": ("power", "w"),
                 "rate": ("stroke_rate", "spm"), "heart": ("heart_rate", "bpm")}
        for figure, (low, high) in target.items():
            word, unit = names[figure]
            live.update(without_nothing({f"target_{word}_min_{unit}": low,
                                         f"target_{word}_max_{unit}": high}))
            value = live[f"{word}_{unit}"]
            near = slack if figure == "pace" else 0.0
            side = "in" if (low is None or value >= low - near) \
                and (high is None or value <= high + near) \
                else "below" if low is not None and value < low else "above"
            if figure == "pace" and side != "in":
                side = {"below": "above", "above": "below"}[side]
            live[f"{word}_vs_target"] = side
        valid("live", live)
        return self

    def alerts(self, *rules, seen=(), **figures):
        """Adds firing alerts, the newest last; `figures` belong to the newest record."""
        at = NOW_MS - 60000
        ids = [alert_id(at + index * 1000, self.slug + rule) for index, rule in enumerate(rules)]
        acknowledged = {ids[rules.index(rule)] for rule in seen}
        self.passing("alerts", firing=len(rules), rules=list(rules), alert_ids=ids,
                     severity="warning" if rules else None,
                     acknowledged_ms={one: NOW_MS for one in acknowledged} or None,
                     acknowledged_by={one: "anna" for one in acknowledged} or None)
        if figures:
            self.durable("alert", alert_id=ids[-1], state="firing", rule=rules[-1],
                         severity="warning", since_ms=at, session_id=self.session, **figures)
        return self

    def event(self):
        return {"gw": self.gw, "erg": self.slug, "messages": self.messages}


def alert_id(ms, salt):
    """A ULID with this time."""
    letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    time = "".join(letters[ms >> shift & 31] for shift in range(45, -1, -5))
    return time + session_id(salt)[10:]


def crew(name, members, pace=113.2, gw="boathouse", alike=0.94, age_s=0.0, **figures):
    """The live message of a crew."""
    payload = {"v": 1, "kind": "crew_live", "gw": gw, **instant(NOW_MS), "live_seq": 1,
               "crew": name, "members": members, "ergs": members, "distance_m": 7000.0,
               "total_power_w": 960.0, "avg_power_w": 240.0, "avg_stroke_rate_spm": 24.0,
               "pace_s_per_500m": pace,
               "erg_rate_similarity_ratio": {erg: 0.98 for erg in members},
               "erg_force_similarity_ratio": {erg: alike for erg in members}, **figures}
    return {"gw": gw, "crew": name, "messages": {
        "live": {"age_ms": round(age_s * 1000), "payload": valid("crew_live", payload)}}}


def best(erg, age_s=0.0, **others):
    """The event of a new best at an erg: that of a logbook, as NoticeTests stores it, with the members in `others`."""
    path = pathlib.Path(__file__).parent.parent / "LogbookTests/Golden/live-best.json"
    payload = json.loads(path.read_text())
    unknown = others.keys() - payload.keys() - {"event_time_s"}
    if unknown:
        raise ValueError(f"the logbook does not send {sorted(unknown)}")
    payload.update({"gw": erg.gw, "erg": erg.slug, "session_id": erg.session, **others})
    return {"age_ms": round(age_s * 1000), "payload": payload}


def gateway(gw="boathouse", online=True, age_s=900.0, failed=None, workouts=None, relays=None):
    """The messages of a gateway."""
    status = valid("availability", "online" if online else "offline")
    found = {"availability": {"age_ms": round(age_s * 1000), "payload": status}}
    if failed:
        found["health"] = {"age_ms": 0, "payload": health(gw, failed)}
    if workouts:
        payload = {"v": 1, "kind": "workouts", "gw": gw, **instant(NOW_MS), "workouts": workouts}
        found["workouts"] = {"age_ms": 0, "payload": valid("workouts", payload)}
    if relays is not None:
        payload = {"v": 1, "kind": "relays", "gw": gw, **instant(NOW_MS), "relays": relays}
        found["relays"] = {"age_ms": 0, "payload": valid("relays", payload)}
    return {"gw": gw, "messages": found}


def health(gw, reason):
    totals = ["rejected_total", "unsubscribed_total", "commands_rejected_total",
              "ring_dropped_total", "disk_behind_s", "backlog_messages", "slots_used",
              "ergs_online"]
    maps = ["erg_rssi_dbm", "erg_link_age_s", "erg_notifications_per_s", "erg_silence_s",
            "erg_reconnects_total", "adapter_links", "adapter_links_max",
            "adapter_power_cycles_total", "adapter_rx_bytes", "adapter_tx_bytes",
            "adapter_errors_total"]
    payload = {"v": 1, "kind": "health", "gw": gw, **instant(NOW_MS), "status": "failed",
               "reasons": [reason], "adapters_up": 1, "ergs_configured": 8,
               "broker_connected": True, "ring_used_pct": 0.0, "notifications_per_s": 0.0,
               **{name: 0 for name in totals}, **{name: {} for name in maps}}
    return valid("health", payload)
