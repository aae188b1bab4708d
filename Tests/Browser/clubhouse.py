"""Test answers of /api/v1/club: the season of all athletes. Each answer is validated against the interface's schema."""

import datetime
import random

from athletes import DAY, EVENING_MS, EVENTS, Athlete, checked, season_of
from people import People

# The first youngest age of each age group, as in AgeGroup.swift.
YOUNGEST = [0, 13, 15, 17, 19, 30, 40, 50, 60, 70, 80, 90, 100]
ABSENCE_DAYS = 14


def day_of(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).date()


TODAY = day_of(EVENING_MS)


def begin_of(season):
    return datetime.date(season - 1, 5, 1)


def monday(day):
    return day - datetime.timedelta(days=day.weekday())


class Season:
    def __init__(self, found, people, year, group):
        self.people, self.year, self.group = people, year, group
        self.is_current = season_of(EVENING_MS) == year
        self.begin = begin_of(year)
        self.end = max(self.begin, min(TODAY, begin_of(year + 1) - datetime.timedelta(days=1)))
        self.before, self.before_end = begin_of(year - 1), self.end.replace(year=self.end.year - 1)
        # Day, metres, seconds and athlete id of each session.
        self.all = [(day_of(at), metres, seconds, one.slug) for one in found for at, metres, seconds in one.pieces]
        members = people.groups[group]["athletes"] if group else None
        self.found = [one for one in found if members is None or one.slug in members]
        ids = {one.slug for one in found} | set(people.profiles)
        self.ids = sorted(one for one in ids if members is None or one in members)

    def volume(self, first, last, ids, counts=True):
        of = [one for one in self.all if first <= one[0] <= last and one[3] in ids]
        volume = {"distance_m": round(sum(one[1] for one in of), 1),
                  "time_s": round(sum(one[2] for one in of), 2), "sessions": len(of)}
        return {**volume, "athletes": len({one[3] for one in of})} if counts else volume

    def compared(self, ids, counts=True):
        return {**self.volume(self.begin, self.end, ids, counts),
                "previous": self.volume(self.before, self.before_end, ids, counts)}

    def is_active(self, athlete):
        return not self.people.profiles.get(athlete, {}).get("archived", False)

    def days_since(self, athlete):
        days = [one[0] for one in self.all if one[3] == athlete]
        return (TODAY - max(days)).days if days else None

    def is_absent(self, athlete):
        days = self.days_since(athlete)
        return self.is_active(athlete) and (days is None or days >= ABSENCE_DAYS)

    def athlete(self, athlete):
        line = {"athlete_id": athlete, **self.compared([athlete], False)}
        if not self.is_active(athlete):
            line["archived"] = True
        days = self.days_since(athlete)
        if days is not None:
            line.update(last_day=(TODAY - datetime.timedelta(days=days)).isoformat(), days_since_last=days)
        if self.is_current:
            line["absent"] = self.is_absent(athlete)
        best = next((one.best(("2000m", 2000), self.year) for one in self.found
                     if one.slug == athlete and one.machine == "rower"), None)
        if best and "ranked" in best:
            line["best_2000m"] = best["ranked"]
        return line

    def weeks(self):
        weeks, first, other = [], monday(self.begin), monday(self.before)
        while first < begin_of(self.year + 1):
            last = first + datetime.timedelta(days=6)
            week = {"from": first.isoformat()}
            if first <= self.end:
                week.update(self.volume(max(first, self.begin), min(last, self.end), self.ids))
            week["previous"] = self.volume(
                max(other, self.before), min(other + datetime.timedelta(days=6),
                                             self.begin - datetime.timedelta(days=1)), self.ids)
            weeks.append(week)
            first, other = last + datetime.timedelta(days=1), other + datetime.timedelta(days=7)
        return weeks

    def groups(self):
        for slug, group in sorted(self.people.groups.items()):
            members = group["athletes"]
            line = {"group_id": slug, "name": group["name"], **self.compared(members),
                    "active": sum(self.is_active(one) for one in members)}
            yield line | ({"absent": sum(self.is_absent(one) for one in members)} if self.is_current else {})

    def category(self, athlete, ms):
        profile = self.people.profiles.get(athlete, {})
        category = {name: profile[name] for name in ("gender", "weight_class") if name in profile}
        if "birth_year" in profile:
            age = day_of(ms).year - profile["birth_year"]
            index = max(index for index, youngest in enumerate(YOUNGEST) if youngest <= age)
            category["age_from"] = YOUNGEST[index]
            if index + 1 < len(YOUNGEST):
                category["age_to"] = YOUNGEST[index + 1] - 1
        return category

    def records(self):
        for season in (None, self.year):
            best = {}
            for one in self.found:
                for event in EVENTS:
                    found = one.best(event, season)
                    if not found or "ranked" not in found:
                        continue
                    category = self.category(one.slug, found["ranked"]["at_ms"])
                    record = {**category, **{name: value for name, value in found.items() if name != "effort"},
                              "athlete_id": one.slug}
                    key = (tuple(sorted(category.items())), one.machine, event)
                    if key not in best or record["ranked"]["pace_s_per_500m"] \
                            < best[key]["ranked"]["pace_s_per_500m"]:
                        best[key] = record
            yield from best.values()

    def content(self):
        rowed = {one[3] for one in self.all if self.before <= one[0] <= self.end}
        shown = [one for one in self.ids if self.is_active(one) or one in rowed]
        answer = {
            "season": self.year, "today": TODAY.isoformat(), "from": self.begin.isoformat(),
            "to": self.end.isoformat(), "previous_from": self.before.isoformat(),
            "previous_to": self.before_end.isoformat(),
            "seasons": sorted({one[0].year + (one[0].month >= 5) for one in self.all}, reverse=True),
            "total": self.compared(self.ids), "active": sum(self.is_active(one) for one in self.ids),
            "absence_days": ABSENCE_DAYS, "weeks": self.weeks(), "groups": list(self.groups()),
            "athletes": [self.athlete(one) for one in shown], "records": list(self.records())}
        if self.all:
            answer["first_day"] = min(one[0] for one in self.all).isoformat()
        if self.is_current:
            answer["absent"] = sum(self.is_absent(one) for one in self.ids)
        if self.group:
            answer["group_id"] = self.group
        else:
            answer["unassigned_sessions"] = 3 if self.all else 0
        return checked("ClubSeason", answer)


def season(found, people, parameters):
    group = parameters.get("group", "")
    if group and group not in people.groups:
        return 404, {"code": "unknown_group", "detail": "unknown group"}
    return 200, Season(found, people, int(parameters.get("season", season_of(EVENING_MS))), group).content()


# ---- Examples ------------------------------------------------------------------------------------

NAMES = ["Amara Okafor", "Jón Þórsson", "Li Wei", "Sofia Rossi", "Tomás Núñez", "Hanna Vogel", "Mia de Vries",
         "Noor Haddad", "Oskar Lind", "Priya Raman", "Quentin Roy", "Wilhelmina Johanna van den Heuvel-Oosterhuis"]


def club(count=12, seasons=2):
    """Athletes of some groups with sessions over the seasons. The seventh rowed 17 days ago, the last one never."""
    chance = random.Random(3)
    people, found = People(), []
    for index in range(count):
        name = NAMES[index] if index < len(NAMES) else f"Athlete {index}"
        slug = f"athlete-{index}"
        more = {"gender": ("female", "male")[index % 2], "birth_year": 1980 + index * 5 % 31}
        if index % 3 == 0:
            more["weight_class"] = "lightweight"
        people.add(slug, name, ("Juniors", "Masters")[more["birth_year"] < 2005],
                   *(["Squad"] if index % 4 == 0 else []), **more)
        if index == count - 1:
            break
        one = Athlete(slug)
        last = 17 if index == 6 else index % 5
        for day in range(last, 365 * (seasons - 1) + 205, 1 + index % 3):
            if chance.random() < .5:
                one.pieces.append((EVENING_MS - day * DAY, chance.choice([2000.0, 6000.0, 10000.0]),
                                   round(chance.uniform(500, 2600), 2)))
        one.pieces[0] = (EVENING_MS - last * DAY, 5000.0, 1210.0)
        for event, speed in (("500m", 5.4), ("2000m", 4.7), ("30min", 4.3)):
            numbers = chance.sample(range(len(one.pieces)), 3)
            one.ranked[event] = [(number, speed - index % 24 * .05 - number * 1e-4) for number in numbers]
        found.append(one)
    return found, people
