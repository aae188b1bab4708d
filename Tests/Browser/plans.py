"""Test answers of /api/v1/plans and below. Each answer is validated against the interface's schema."""

import datetime

from athletes import checked
from messages import session_id

TODAY = datetime.date(2026, 12, 2)


def day_of(days):
    return (TODAY + datetime.timedelta(days)).isoformat()


class Plan:
    """A plan: workouts as (days from today, workout, name, note, machine), and their results."""

    def __init__(self, slug="winter", title="Winter, part 1", athletes=(), group="", workouts=()):
        self.id, self.title, self.athletes, self.group = slug, title, sorted(athletes), group
        self.workouts = []
        for days, workout, name, note, *machine in workouts:
            made = {"id": f"{day_of(days).replace('-', '')}-{len(self.workouts) + 1}",
                    "day": day_of(days), "workout": workout, "name": name, "note": note,
                    "machine": "".join(machine)}
            self.workouts.append({key: value for key, value in made.items() if value})
        self.changed_ms = 1
        # The member `source` of a plan that is read from another service.
        self.source = {}
        # Whether an athlete asks before the time of workouts with `shown_from`.
        self.is_hidden = False
        # By athlete and number of the workout: verdict, percent, reasons.
        self.became, self.extra = {}, {}

    @property
    def head(self):
        days = [one["day"] for one in self.workouts]
        span = {"from": min(days), "to": max(days)} if days else {}
        return {"id": self.id, "title": self.title, **span,
                "group": {"name": self.group, "athletes": self.athletes}}

    @property
    def whole(self):
        return checked("Plan", {**self.head, "workouts": self.seen, "changed_ms": self.changed_ms})

    @property
    def seen(self):
        """The workouts as the reader sees them."""
        return [{name: one[name] for name in ("id", "day", "shown_from")} if self.is_hidden and "shown_from" in one
                else one for one in self.workouts]

    def held(self, athlete, number):
        workout = self.seen[number]
        verdict, share, reasons = self.became.get((athlete, number), (
            "missed" if workout["day"] < TODAY.isoformat() else "ahead", 0, []))
        found = {**workout, "verdict": verdict}
        if verdict == "ahead" and "workout" in workout:
            found["fields"] = {"type": "distance", "distance_m": 2000}
        if verdict in ("done", "partly"):
            found.update(share_pct=share, reasons=reasons, session={
                "gw": "boathouse", "session_id": session_id("p", number)})
        return found

    def days(self, athlete):
        numbers = range(len(self.workouts))
        extra = self.extra.get(athlete, [])
        days = {self.workouts[number]["day"] for number in numbers} | {day for day, _ in extra}
        return [{"day": day,
                 "workouts": [self.held(athlete, number) for number in numbers
                              if self.workouts[number]["day"] == day],
                 "extra": [{"gw": "boathouse", "session_id": session_id("e", 1), "time_s": 900.0,
                            "distance_m": metres} for at, metres in extra if at == day]}
                for day in sorted(days)]

    def counts(self, athlete):
        verdicts = [self.held(athlete, number)["verdict"] for number in range(len(self.workouts))]
        return {word: verdicts.count(word) for word in ("done", "partly", "missed", "ahead")}

    @property
    def adherence(self):
        return checked("PlanAdherence", {
            "plan": self.head, "today": TODAY.isoformat(),
            "athletes": [{"athlete_id": athlete, "kind": "computed", "formula": "as documented",
                          "counts": self.counts(athlete), "days": self.days(athlete)}
                         for athlete in self.athletes]})

    def of(self, athlete):
        ahead = [one for one in self.seen if one["day"] >= TODAY.isoformat()]
        return {"id": self.id, "title": self.title, "next": ahead[:3],
                "recent": {"from": day_of(-28), "to": day_of(0), **self.counts(athlete)}}


class PlanStore:
    """All plans, and the requests that change them."""

    def __init__(self, *plans):
        self.plans = {plan.id: plan for plan in plans}
        self.posted, self.refusal = [], None
        # Status and code of every answer; None for normal answers.
        self.closed = None

    def get(self, names):
        if self.closed:
            status, code = self.closed
            return status, {"code": code, "detail": ""}
        if names == [""]:
            return 200, checked("Plans", {"plans": [
                {**plan.head, "workouts": len(plan.workouts), "changed_ms": plan.changed_ms, **plan.source}
                for plan in self.plans.values()]})
        plan = self.plans.get(names[0])
        if plan is None:
            return 404, {"code": "unknown_plan", "detail": "there is no such plan"}
        return 200, plan.adherence if names[1:] == ["adherence"] else plan.whole

    def delete(self, names):
        self.posted.append((names, None))
        if self.refusal:
            return 400, {"code": "bad_value", "detail": self.refusal}
        self.plans.pop(names[0], None)
        return 200, {}

    def post(self, names, content):
        self.posted.append((names, content))
        if self.refusal:
            return 400, {"code": "bad_value", "detail": self.refusal}
        checked("SetPlan", content)
        plan = self.plans.get(names[0])
        stored = plan.changed_ms if plan else 0
        if content.get("changed_ms", stored) != stored:
            return 409, {"code": "plan_changed", "detail": "the plan has changed"}
        if content.get("dry_run"):
            return self.checked_only(names[0], content["put"])
        if plan is None:
            plan = self.plans.setdefault(names[0], Plan(names[0], names[0]))
            plan.changed_ms = 0
        plan.changed_ms += 1
        plan.title = content.get("title", plan.title)
        if "group" in content:
            plan.group, plan.athletes = content["group"]["name"], content["group"]["athletes"]
        if "text" in content:
            plan.workouts = Plan(workouts=[(1, "2000m", "From a file", "")]).workouts
        put = [{key: value for key, value in one.items() if value} for one in content.get("put", [])]
        replaced = {one["id"] for one in put} | set(content.get("remove", []))
        plan.workouts = sorted([one for one in plan.workouts if one["id"] not in replaced] + put,
                               key=lambda one: (one["day"], one["id"]))
        return 200, plan.whole

    def checked_only(self, name, workouts):
        """A dry run; the monitors of the tests accept pieces from 100 m on."""
        if any(one["workout"] in ("5m", "50m") for one in workouts):
            return 400, {"code": "bad_value", "detail": "put[1].workout: piece is 5 m, must be 100 to 50000; "
                                                        "write it as 2000m, 30:00, 4x500m/1:00r or just-row"}
        return 200, Plan(name, name).whole

    def of(self, athlete):
        return checked("AthletePlans", {"today": TODAY.isoformat(), "plans": [
            plan.of(athlete) for plan in self.plans.values() if athlete in plan.athletes]})


def winter():
    """A squad's plan, partly completed."""
    plan = Plan(athletes=["anna", "ben", "cleo", "a-17"], group="Squad A", workouts=[
        (-9, "2000m@1:50-1:55", "Test", "flat out"), (-7, "40:00@18-20spm", "Steady", ""),
        (-2, "4x500m/1:00r", "", "even\nfrom the first"), (-1, "just-row", "Easy", ""),
        (0, "2000m", "Race", "", "ski"), (0, "30:00", "", ""), (2, "8x500m/3:30r", "", ""),
        (33, "500m/1:00r+2:00/1:30r+100cal", "Ladder", "")])
    plan.became = {
        ("anna", 0): ("done", 100, []), ("ben", 0): ("done", 98, []),
        ("anna", 1): ("done", 100, []), ("cleo", 1): ("partly", 75, ["shorter"]),
        ("anna", 2): ("partly", 75, ["fewer_intervals", "longer"]),
        ("ben", 2): ("partly", 100, ["other_form"]), ("anna", 4): ("done", 100, [])}
    plan.extra = {"ben": [(day_of(-2), 3000.0)]}
    return plan


def tests():
    """A plan with tests that athletes see only from a time on."""
    plan = Plan("tests", "Tests", ["anna", "ben", "cleo"], "Squad A", [
        (0, "6000m@1:50-1:55", "6k test", "at 28 spm"), (0, "20:00", "Cool down", ""),
        (3, "2000m", "2k test", ""), (33, "4x1000m/5:00r", "", "")])
    for number, shown in ((0, "18:00"), (2, "18:00 -1d"), (3, "07:30 -2d")):
        plan.workouts[number]["shown_from"] = shown
    return plan


def large():
    """A plan with the largest group and the longest texts."""
    plan = Plan("a" * 32, "W" * 40 + " " + "w" * 39, [f"athlete-{number:02}" for number in range(64)],
                "G" * 80, [(0, "10x500m@1:50-1:55/1:00r", "N" * 60, "note " * 60),
                           (-1, "6000m", "<script>document.title = 'owned'</script>", "<img src=x>")])
    plan.workouts[0]["shown_from"] = "18:00"
    plan.became = {(athlete, 1): ("done", 100, []) for athlete in plan.athletes[:40]}
    return plan
