"""Test answers about profiles of athletes and groups, as rowgate-logbook gives them. Answers are validated against
the interface's schema.
"""

import csv
import io
import re

from athletes import checked


class People:
    """The profiles and groups that the tests' server stores."""

    def __init__(self):
        # Profiles by athlete id; groups by id, each a name and athletes.
        self.profiles, self.groups = {}, {}

    def add(self, athlete, name, *groups, **more):
        self.profiles[athlete] = {"name": name, **more}
        for group in groups:
            self.groups.setdefault(group.lower(), {"name": group, "athletes": []})["athletes"].append(athlete)
        return self

    def named(self, line):
        """An athlete of a list, with profile and groups."""
        athlete = line["athlete_id"]
        groups = sorted(slug for slug, group in self.groups.items() if athlete in group["athletes"])
        return {**line, **self.profiles.get(athlete, {}), **({"groups": groups} if groups else {})}

    def lines(self, lines):
        """A list of athletes with sessions, with the athletes who only have a profile."""
        known = {line["athlete_id"] for line in lines}
        every = lines + [{"athlete_id": athlete, "sessions": 0} for athlete in self.profiles
                         if athlete not in known]
        return sorted((self.named(line) for line in every), key=lambda line: line["athlete_id"])

    def get_groups(self):
        return 200, {"groups": [checked("Group", {"group_id": slug, **group})
                                for slug, group in sorted(self.groups.items())]}

    def handles(self, path):
        return re.fullmatch(r"/api/v1/(athletes(/[^/]+)?|groups/[^/]+|roster)", path) is not None

    def post(self, path, content):
        what, *names = path.removeprefix("/api/v1/").split("/")
        if what == "roster":
            return self.load(**content)
        if what == "groups":
            group = self.groups.setdefault(names[0], {"name": "", "athletes": []})
            change = dict(checked("SetGroup", content))
            athletes = [*change.pop("athletes", group["athletes"]), *change.pop("add", [])]
            removed = change.pop("remove", [])
            group.update(change, athletes=[one for one in athletes if one not in removed])
            return 200, checked("Group", {"group_id": names[0], **group})
        content = dict(content)
        if isinstance(content.get("birth_year", 2000), str):
            return 400, {"code": "bad_value", "detail": "birth_year must be a number"}
        athlete = names[0] if names else self.new_id(content["name"])
        self.profiles[athlete] = checked("AthleteProfile", content)
        return 200, checked("Athlete", self.named({"athlete_id": athlete, "sessions": 0}))

    def new_id(self, name):
        stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "athlete"
        used = [stem, *(f"{stem}-{number}" for number in range(2, 99))]
        return next(one for one in used if one not in self.profiles)

    def delete(self, path):
        what, name = path.removeprefix("/api/v1/").split("/")
        (self.groups if what == "groups" else self.profiles).pop(name, None)
        return 200, {}

    def load(self, text, dry_run=False):
        rows = list(csv.DictReader(io.StringIO(text)))
        if any(not row["name"] for row in rows):
            return 400, {"code": "bad_value", "detail": "line 2 (name): the name is empty; write a name"}
        if not dry_run:
            for row in rows:
                self.profiles[self.new_id(row["name"])] = {"name": row["name"]}
        return 200, checked("RosterImported", {"added": len(rows), "changed": 0})
