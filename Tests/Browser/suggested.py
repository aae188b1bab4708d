"""Test answers of /api/v1/athletes/{athlete_id}/suggestions, before and after a reply. Each answer is validated
against the interface's schema.
"""

from athletes import DAY, EVENING_MS, checked
from messages import session_id


def piece(number):
    return {"gw": "boathouse", "session_id": session_id("s", number)}


def reason(finding, *numbers, kind="computed", **figures):
    return {"finding": finding, "kind": kind, **figures, "inputs": [piece(one) for one in numbers]}


def suggestion(rule, target, row, reasons, confidence="high", machine="rower", power=None, number=1):
    workout = {"row": row, "plain": row.split("@")[0], "order": {"type": "just_row"}}
    if power:
        workout.update(power_min_w=power[0], power_max_w=power[1])
    return {"id": f"{rule}-{session_id('s', number)}", "rule": rule, "target": target,
            "machine": machine, "workout": workout,
            "progression": rule in ("more_power", "more_volume"), "confidence": confidence,
            "made_ms": EVENING_MS - DAY, "expires_ms": EVENING_MS + 13 * DAY, "reasons": reasons,
            "evidence": [{**piece(number), "time_s": 400.0, "distance_m": 2000.0}]}


def suggestion_in(state, made, **more):
    found = {"id": made["id"], "state": state, "suggestion": made, **more}
    if state != "offered":
        found.update(said_ms=EVENING_MS, by="anna")
    return checked("StandingSuggestion", found)


def more_power():
    return suggestion("more_power", "4x500m/1:00r", "4x500m/1:00r@195-211w", [
        reason("rowed_often", 1, 2, 3, 4, 5, times=5, days=42),
        reason("held_power", 3, 4, 5, power_w=200.0, percent=0.7),
        reason("target_met", 5, percent=86.5)], power=(195, 211))


def ranked_test():
    return suggestion("ranked_test", "2000m", "2000m@1:48.5-1:51.5", [
        reason("old_result", 6, kind="measured", days=204, pace_s_per_500m=111.2),
        reason("expected_pace", 7, 8, kind="estimated", pace_s_per_500m=110.0),
        reason("in_training", *range(10, 22), times=12, days=28)], "medium", number=6)


def every_rule():
    """One suggestion of each rule."""
    return [
        suggestion("return_after_break", "return", "20:00@18-20spm", [
            reason("paused_for", 1, days=18), reason("before", 1, 2, times=7, time_s=2400)], "low"),
        suggestion("deload_week", "week", "20:00@220-259w", [
            reason("growing_weeks", 1, 2, times=3, percent=33.3, time_s=7200),
            reason("usual_piece", 1, 2, time_s=2160)], power=(220, 259)),
        more_power(),
        suggestion("more_volume", "week", "51:00@220-259w", [
            reason("level_weeks", 1, 2, times=4, percent=0.4, time_s=8400),
            reason("easy_share", 1, 2, days=28, percent=57.1)], power=(220, 259)),
        ranked_test(),
        suggestion("even_pacing", "5000m", "5000m@1:59.5-2:01.5", [
            reason("slower_half", 3, 4, times=2, percent=3.5),
            reason("mean_pace", 4, pace_s_per_500m=120.0)], "medium", machine="ski", number=4),
        suggestion("ranked_test", "1000m", "1000m@1:47.0-1:53.0", [
            reason("missing_result", 1, 2, kind="measured")], "low", number=9),
    ]


def past():
    made = more_power()
    outcome = {**piece(30), "at_ms": EVENING_MS - 9 * DAY, "power_w": 186.1, "percent": -4.6}
    return [
        suggestion_in("done", {**made, "id": "a"}, outcome=checked(
            "SuggestionOutcome", {"verdict": "below", **outcome})),
        suggestion_in("done", {**made, "id": "b"}, outcome={"verdict": "met", **outcome, "percent": 0.0}),
        suggestion_in("dismissed", {**made, "id": "c"}, why="<b>ill</b> or hurt"),
        suggestion_in("withdrawn", {**made, "id": "d"}),
    ]


class Suggested:
    """The suggestions of one athlete."""

    def __init__(self, made=(), over=()):
        self.open = [suggestion_in("offered", one) for one in made]
        self.past = list(over)
        # An error for every request instead: status, code, detail.
        self.refusal = None

    @property
    def content(self):
        return checked("Suggestions", {"open": self.open, "past": self.past})

    def respond(self, identifier, content):
        """Handles a reply."""
        checked("SuggestionAnswer", content)
        if self.refusal:
            status, code, detail = self.refusal
            return status, {"code": code, "detail": detail}
        one = next(one for one in self.open if one["id"] == identifier)
        self.open.remove(one)
        if content["say"] == "accept":
            self.open.insert(0, suggestion_in("accepted", one["suggestion"]))
        elif content["say"] == "snooze":
            self.open.append(suggestion_in("snoozed", one["suggestion"], until_ms=content["until_ms"]))
        else:
            self.past.insert(0, suggestion_in("dismissed", one["suggestion"], why=content["why"]))
        return 200, self.content
