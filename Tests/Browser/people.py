"""Test answers about profiles of athletes and groups, as rowgate-logbook gives them. Answers are validated against
the interface's schema.
"""

import csv
import io
import re

from athletes import checked

# 22 November 2026 in the evening.
MERGED_MS = 1_795_372_200_000


class People:
    """The profiles and groups that the tests' server stores."""

    def __init__(self):
        # Profiles by athlete id; groups by id, each a name and athletes. Merges by the merged id, each with the
        # profile that an undo restores.
        self.profiles, self.groups, self.merges = {}, {}, {}
        # Sessions by athlete id, of which merges tell the number.
        self.sessions = {}

    def add(self, athlete, name, *groups, **more):
        self.profiles[athlete] = {"name": name, **more}
        for group in groups:
            self.groups.setdefault(group.lower(), {"name": group, "athletes": []})["athletes"].append(athlete)
        return self

    def named(self, line):
        """An athlete of a list, with profile and groups."""
        athlete = line["athlete_id"]
        groups = sorted(slug for slug, group in self.groups.items() if athlete in group["athletes"])
        ids = sorted(one for one, (merge, _) in self.merges.items() if merge["kept_athlete_id"] == athlete)
        return {**line, **self.profiles.get(athlete, {}), **({"groups": groups} if groups else {}),
                **({"merged_ids": ids} if ids else {})}

    def lines(self, lines):
        """A list of athletes with sessions, with the athletes who only have a profile."""
        lines = [line for line in lines if line["athlete_id"] not in self.merges]
        known = {line["athlete_id"] for line in lines}
        every = lines + [{"athlete_id": athlete, "sessions": 0} for athlete in self.profiles
                         if athlete not in known]
        return sorted((self.named(line) for line in every), key=lambda line: line["athlete_id"])

    def get_groups(self):
        return 200, {"groups": [checked("Group", {"group_id": slug, **group})
                                for slug, group in sorted(self.groups.items())]}

    def get_merges(self):
        return 200, checked("Merges", {"merges": [merge for merge, _ in self.merges.values()]})

    def merge(self, kept, athlete_id, dry_run=False):
        notes = [self.profiles.get(one, {}).get("note") for one in (kept, athlete_id)]
        if all(notes) and len("\n".join(notes)) > 300:
            return 409, {"code": "notes_too_long", "detail": "both notes are too long"}
        former = self.profiles.get(athlete_id, {})
        merge = {"athlete_id": athlete_id, "kept_athlete_id": kept, "sessions": self.sessions.get(athlete_id, 0),
                 "merged_ms": MERGED_MS, "undo_until_ms": MERGED_MS + 30 * 86_400_000, "devices": 1,
                 "changed_fields": sorted(former.keys() - self.profiles.get(kept, {}).keys())}
        if "name" in former:
            merge["name"] = former["name"]
        if not dry_run:
            self.merges[athlete_id] = (merge, self.profiles.pop(athlete_id, None))
        return 200, checked("Merge", merge)

    def handles(self, path):
        return re.fullmatch(r"/api/v1/(athletes(/[^/]+(/merge)?)?|groups/[^/]+|roster|merges/[^/]+)", path) is not None

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
        if names[1:] == ["merge"]:
            return self.merge(names[0], **checked("MergeAthlete", content))
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
        if what == "merges":
            if name not in self.merges:
                return 404, {"code": "unknown_merge", "detail": "it is not merged"}
            merge, self.profiles[name] = self.merges.pop(name)
            return 200, checked("Merge", merge)
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
