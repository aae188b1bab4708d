"""Test answers of /api/v1/gateways and below. Answers are validated against the interface's schema, and healths
against the contract's.
"""

import jsonschema
from athletes import DOCUMENT
from messages import EPOCH, NOW_MS, health, instant, valid

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def checked(schema, content):
    jsonschema.validate({name: value for name, value in content.items() if name != "health"}, {
        "$ref": f"#/components/schemas/{schema}", "components": DOCUMENT["components"]})
    return content


class Fleet:
    """Answers as rowgate-logbook does under /api/v1/gateways."""

    def __init__(self):
        self.gateways, self.streams, self.refusal = [], {}, None
        # The logbooks that share the store.
        self.sharers = None
        # The condition of the logbook's own store, and rejected messages.
        self.store, self.refusals = {"state": "ok", "waiting": 0}, []
        # How long the logbook has had no connection to the broker.
        self.broker_away_ms = None
        # Number of requests for the list.
        self.requests = 0

    def answer(self, path):
        if self.refusal:
            status, code, detail = self.refusal
            return status, {"code": code, "detail": detail}
        names = path.split("/")[4:]
        if not names:
            self.requests += 1
            shared = {"sharers": self.sharers} if self.sharers else {}
            return 200, {**shared, "sent_ms": NOW_MS, "broker_connected": self.broker_away_ms is None,
                         "broker_ms": NOW_MS - (self.broker_away_ms or 0), "refused": 0,
                         "refusals": self.refusals, "store": self.store,
                         "gateways": self.gateways}
        streams = self.streams.get(names[0])
        if streams is None:
            return 404, {"code": "unknown_gateway", "detail": "nothing is kept of it"}
        return 200, {"streams": streams}


def health_of(gw, status="ok", reasons=(), **fields):
    """The health of a gateway with one adapter, and five of eight ergs connected."""
    payload = {**health(gw, "x"), "status": status, "reasons": list(reasons), "slots_used": 5,
               "slots_total": 7, "ergs_online": 5, "ring_used_pct": 1.4, "ring_reach_s": 12 * DAY
               // 1000, "adapters_up": 1, **instant(NOW_MS - 4000), **fields}
    payload = {name: value for name, value in payload.items() if value is not None}
    return valid("health", payload)


def problem(code, text, remedy=None, erg=None):
    """An element of a health's problems."""
    severity = "critical" if code in ("bluetooth", "no_adapter") else "warning"
    found = {"code": code, "severity": severity, "erg": erg, "text": text, "remedy": remedy}
    return {name: value for name, value in found.items() if value is not None}


def reported(gw, status, problems, **fields):
    """A health with problems, and the same as reasons."""
    reasons = ["; ".join(filter(None, (one["text"], one.get("remedy")))) for one in problems]
    return health_of(gw, status, reasons, problems=problems, **fields)


LOW_BATTERY = problem("battery", "erg-7: its monitor's batteries are at 9 %",
                      "put in two new D cells", "erg-7")


def erg(number, state="idle", online=True, since_ms=20 * MINUTE, **fields):
    found = {"erg": f"erg-{number}", "availability": "online" if online else "offline",
             "availability_ms": NOW_MS - since_ms, "state": state, "state_ms": NOW_MS - since_ms,
             "battery_pct": 90 - number * 7, **fields}
    return checked("GatewayErg", {name: value for name, value in found.items()
                                  if value is not None})


def room():
    """One erg in each state."""
    return [erg(1, "rowing"), erg(2, "ready"), erg(3, "asleep", False, 47 * MINUTE),
            erg(4, "idle", False, 7 * MINUTE, battery_pct=None), erg(5, "released", False),
            erg(6, "parked", False, reason="a phone or another gateway keeps connecting",
                reason_code="other_device"),
            erg(7, "resting", battery_pct=9), {"erg": "erg-8"}]


def gateway(gw="boathouse", presence="online", health=None, heard_ago_ms=4000, ergs=None,
            counts=(32, 12345, 0, 0, 0), **fields):
    streams, stored, owed, gone, declared = counts or [None] * 5
    found = {"gw": gw, "presence": presence, "version": "0.1.0", "epoch": EPOCH,
             "availability": {"online": "online", "silent": "online", "offline": "offline"}.get(
                 presence), "health": health or health_of(gw), "heard_ms": NOW_MS - heard_ago_ms,
             "health_ms": NOW_MS - heard_ago_ms, "ergs": room() if ergs is None else ergs,
             "streams": streams, "stored": stored, "owed": owed, "gone": gone,
             "declared": declared, "repeats": counts and 0, "conflicts": counts and 0,
             "missing": counts and owed + gone + declared, **fields}
    return checked("Gateway", {name: value for name, value in found.items() if value is not None})


def unheard(gw="shed", **fields):
    """A gateway with stored records that has sent nothing since the start."""
    found = gateway(gw, "unknown", ergs=[], **fields)
    for name in ("health", "health_ms", "heard_ms", "version", "epoch"):
        found.pop(name, None)
    return found


def sharer(process, parts, gateways, **fields):
    return checked("Sharer", {"process": process, "parts": list(parts), "gateways": gateways, **fields})


def well():
    calm = [erg(number, "asleep", False, number * 9 * MINUTE) for number in range(5, 9)]
    rows = [erg(number, "rowing") for number in range(1, 5)]
    return gateway("boathouse", ergs=rows + calm)


def every_state():
    """Gateways in each state, in random order."""
    old = health_of("annex", "degraded", [
        "erg-3: the link broke 4 times in 10 min; switch the monitor off and on; bring it and the "
        "adapter nearer to each other"], **instant(NOW_MS - 3 * HOUR))
    amiss = reported(
        "hall", "degraded", [
            LOW_BATTERY,
            problem("load", "rowgate cannot keep up", "for remedies: sudo rowgatectl doctor"),
            problem("records_lost", "12 unpublished records were lost"),
            problem("clock", "the clock is not synchronised", "connect the gateway")],
        clock="unsynced", boot_id="0" * 32, boot_ms=5000,
        broker_certificate_end_ms=NOW_MS + 200 * DAY, own_certificate_end_ms=NOW_MS + 9 * DAY,
        adapters_up=2, slots_total=14, backlog_messages=1234, backlog_age_s=95)
    failed = health_of("pier", "failed", [
        "no Bluetooth adapter is there; plug one in, or enable the onboard one"], adapters_up=0,
        slots_used=0, slots_total=None, ergs_online=0)
    return [
        well(), gateway("annex", "offline", old, 3 * HOUR, counts=(16, 4321, 12, 1, 1), refusals=[
            {"reason": "it has no elapsed_s", "count": 1200, "last_ms": NOW_MS - 3 * HOUR},
            {"reason": "its epoch is not a ULID", "count": 1, "last_ms": NOW_MS - 4 * HOUR}]),
        gateway("hall", health=amiss), gateway("pier", health=failed,
                                             ergs=[erg(n, "idle", False) for n in (1, 2)]),
        gateway("tower", "silent", heard_ago_ms=4 * MINUTE, ergs=[erg(1), erg(2)]),
        unheard(), gateway("dock", counts=(8, 998, 0, 2, 1), ergs=[erg(1, "rowing")]),
        gateway("quay", counts=(8, 12, 1, 0, 0), ergs=[erg(1)])]


def missing_streams(gw="annex"):
    stream = lambda kind, missing, erg_name="erg-1": checked("Stream", {
        "gw": gw, "epoch": EPOCH, "erg": erg_name, "kind": kind, "from_seq": 1, "to_seq": 900,
        "stored": 886, "repeats": 0, "conflicts": 0, "missing": missing})
    return [stream("stroke", [{"from_seq": 7, "to_seq": 18, "cause": "unknown"},
                              {"from_seq": 40, "to_seq": 40, "cause": "overwritten"}]),
            stream("force", []), stream("split", [{"from_seq": 3, "to_seq": 3, "cause": "gone"}])]


def hostile():
    """Answers that a later or a malicious server might send."""
    script = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
    long = gateway("a" * 32, health=health_of("a" * 32, "degraded", [
        script + "; " + script, "x" * 400, "no remedy here",
        "\u202eelahw yzal; \u05d3\u05d5\u05d3"]))
    long["version"] = script
    long["ergs"] = [{"erg": "window-left-of-the-door-by-the-s", "state": script,
                     "availability": "online", "battery_pct": 1e9},
                    {"erg": "erg-2", "state": "parked", "reason": script, "state_ms": "x"},
                    {"erg": 7}, None]
    odd = {"gw": "odd", "presence": "<b>new</b>", "health": {"status": ["x"], "reasons": "none",
           "adapters_up": "many", "broker_certificate_end_ms": 9e15, "ring_used_pct": 1e300,
           "backlog_messages": -4, "clock": {}},
           "ergs": "none", "heard_ms": "yesterday", "stored": 9007199254740991, "owed": 1e15,
           "streams": 1}
    return [long, odd, {"gw": 7}, None]
