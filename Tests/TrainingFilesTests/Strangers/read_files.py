"""Reads a training file with a library that nobody here wrote, and prints what it found as JSON.

    read_files.py fit FILE      fitdecode, which checks both checksums
    read_files.py tcx FILE      tcxreader
"""

import json
import sys


def fit(path):
    import fitdecode

    found = []
    with fitdecode.FitReader(path, check_crc=fitdecode.CrcCheck.RAISE) as reader:
        for frame in reader:
            if frame.frame_type == fitdecode.FIT_FRAME_DATA:
                fields = {f.name: f.value for f in frame.fields if f.value is not None}
                found.append({"message": frame.name, **fields})
    return found


def tcx(path):
    from tcxreader.tcxreader import TCXReader

    exercise = TCXReader().read(path, only_gps=False)
    return {
        "type": exercise.activity_type,
        "start": exercise.start_time,
        "distance": exercise.distance,
        "duration": exercise.duration,
        "calories": exercise.calories,
        "laps": [
            {"distance": lap.distance, "points": len(lap.trackpoints)} for lap in exercise.laps
        ],
        "points": [
            {
                "time": point.time,
                "distance": point.distance,
                "cadence": point.cadence,
                "heart_rate": point.hr_value,
                **point.tpx_ext,
            }
            for point in exercise.trackpoints
        ],
    }


def main():
    kind, path = sys.argv[1:]
    print(json.dumps({"fit": fit, "tcx": tcx}[kind](path), default=str))


main()
