"""Reads a plan with libraries that nobody here wrote, and prints its workouts as JSON.

    read_plans.py FILE.csv
    read_plans.py FILE.ics AGAIN.ics    icalendar; AGAIN gets what it writes of the same calendar
"""

import csv
import datetime
import json
import sys


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, strict=True):
            title = f"{row['name']}: {row['workout']}" if row["name"] else row["workout"]
            yield {"id": row["id"], "day": row["day"], "title": title, "note": row["note"]}


def calendar(path, again):
    import icalendar

    with open(path, "rb") as file:
        read = icalendar.Calendar.from_ical(file.read())
    for event in read.walk("VEVENT"):
        assert not event.errors, event.errors
        begin, end = event.decoded("DTSTART"), event.decoded("DTEND")
        assert type(begin) is datetime.date and end - begin == datetime.timedelta(days=1)
        yield {
            "id": str(event["UID"]).split("@")[0],
            "day": begin.isoformat(),
            "title": str(event["SUMMARY"]),
            "note": str(event.get("DESCRIPTION", "")),
        }
    with open(again, "wb") as file:
        file.write(read.to_ical())


path = sys.argv[1]
found = table(path) if path.endswith(".csv") else calendar(path, sys.argv[2])
print(json.dumps(list(found)))
