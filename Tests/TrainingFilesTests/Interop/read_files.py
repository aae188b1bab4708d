"""Reads a training file with a library that nobody here wrote, and prints what it found as JSON.

    read_files.py fitdecode FILE        a FIT file; fitdecode checks both checksums
    read_files.py garmin FILE           a FIT file, by Garmin's own SDK
    read_files.py tcxreader FILE        a TCX file
    read_files.py tcxparser FILE        a TCX file, by python-tcxparser
    read_files.py rowingdata FILE       a FIT or TCX file, by its name
    read_files.py messages FILE         every message of a FIT file, by fitdecode

All but the last print the same: `points` with Unix seconds and metres, `laps`, and totals as far as the
library has them.
"""

import datetime
import json
import sys

UTC = datetime.timezone.utc


def unix(time):
    if isinstance(time, (int, float)):
        return float(time)
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return time.timestamp()


def fit(records, laps, session):
    """What both FIT libraries have under the names of the profile."""
    points = [
        {
            "time": unix(record["timestamp"]),
            "distance": record.get("distance"),
            "speed": record.get("enhanced_speed", record.get("speed")),
            "watts": record.get("power"),
            "cadence": record.get("cadence"),
            "heart": record.get("heart_rate"),
        }
        for record in records
    ]
    return {
        "points": points,
        "laps": [
            {
                "start": unix(lap["start_time"]),
                "end": unix(lap["timestamp"]),
                "time": lap.get("total_timer_time"),
                "elapsed": lap.get("total_elapsed_time"),
                "distance": lap.get("total_distance"),
                "meanHeart": lap.get("avg_heart_rate"),
                "mostHeart": lap.get("max_heart_rate"),
                "watts": lap.get("avg_power"),
            }
            for lap in laps
        ],
        "sport": str(session.get("sport")),
        "subSport": str(session.get("sub_sport")),
        "distance": session.get("total_distance"),
        "time": session.get("total_timer_time"),
        "calories": session.get("total_calories"),
    }


def messages(path):
    import fitdecode

    found = []
    with fitdecode.FitReader(path, check_crc=fitdecode.CrcCheck.RAISE) as reader:
        for frame in reader:
            if frame.frame_type == fitdecode.FIT_FRAME_DATA:
                fields = {f.name: f.value for f in frame.fields if f.value is not None}
                found.append({"message": frame.name, **fields})
    return found


def fitdecode(path):
    found = messages(path)
    of = lambda name: [message for message in found if message["message"] == name]
    return fit(of("record"), of("lap"), of("session")[0])


def garmin(path):
    from garmin_fit_sdk import Decoder, Stream

    decoder = Decoder(Stream.from_file(path))
    assert decoder.is_fit() and decoder.check_integrity()
    found, errors = Decoder(Stream.from_file(path)).read()
    assert not errors, errors
    return fit(found["record_mesgs"], found["lap_mesgs"], found["session_mesgs"][0])


def tcxreader(path):
    from tcxreader.tcxreader import TCXReader

    exercise = TCXReader().read(path, only_gps=False)
    return {
        "sport": exercise.activity_type,
        "distance": exercise.distance,
        "calories": exercise.calories,
        "laps": [
            {
                "distance": lap.distance,
                "start": unix(lap.trackpoints[0].time),
                "end": unix(lap.trackpoints[-1].time),
                "watts": lap.lx_ext.get("AvgWatts"),
            }
            for lap in exercise.laps
        ],
        "points": [
            {
                "time": unix(point.time),
                "distance": point.distance,
                "cadence": point.cadence,
                "heart": point.hr_value,
                "watts": point.tpx_ext.get("Watts"),
                "speed": point.tpx_ext.get("Speed"),
            }
            for point in exercise.trackpoints
        ],
    }


def tcxparser(path):
    from dateutil.parser import isoparse
    from tcxparser import TCXParser

    parser = TCXParser(path)
    number = lambda element, name: float(element[name]) if hasattr(element, name) else None
    beats = lambda lap, name: int(lap[name].Value) if hasattr(lap, name) else None
    return {
        "sport": parser.activity_type,
        "distance": float(parser.distance),
        "time": float(parser.duration),
        "calories": int(parser.calories),
        "watts": parser.power_values(),
        "points": [
            {"time": unix(time), "distance": float(distance)}
            for time, distance in zip(parser.time_objects(), parser.distance_values())
        ],
        "laps": [
            {
                "start": unix(isoparse(lap.attrib["StartTime"])),
                "end": unix(isoparse(str(lap.Track.Trackpoint[-1].Time))),
                "time": number(lap, "TotalTimeSeconds"),
                "distance": number(lap, "DistanceMeters"),
                "meanHeart": beats(lap, "AverageHeartRateBpm"),
                "mostHeart": beats(lap, "MaximumHeartRateBpm"),
            }
            for lap in parser.activity.Lap
        ],
    }


def rowingdata(path):
    import rowingdata as library

    if path.endswith(".fit"):
        frame = library.FITParser(path).df
    else:
        frame = library.TCXParser(path).df
    distance = " Horizontal (meters)" if " Horizontal (meters)" in frame else "distance"
    rows = zip(frame["TimeStamp (sec)"], frame[distance], frame[" Power (watts)"], frame[" lapIdx"])
    finite = lambda value: float(value) if value == value else None
    found = [
        {"time": unix(float(time)), "distance": finite(metres), "watts": finite(watts), "lap": int(lap)}
        for time, metres, watts, lap in rows
    ]
    laps = sorted({row["lap"] for row in found})
    times = {lap: [row["time"] for row in found if row["lap"] == lap] for lap in laps}
    return {
        "points": found,
        "laps": [{"start": min(times[lap]), "end": max(times[lap])} for lap in laps],
    }


def main():
    reader, path = sys.argv[1:]
    readers = [fitdecode, garmin, tcxreader, tcxparser, rowingdata, messages]
    found = {one.__name__: one for one in readers}[reader](path)
    print(json.dumps(found, default=str))


main()
