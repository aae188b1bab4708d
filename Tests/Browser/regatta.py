"""Test races, validated against the OpenAPI document."""

import json
import pathlib

import jsonschema

INTERFACE = pathlib.Path(__file__).parents[2] / "config/schema/openapi.json"
RACE_ID = "01JD8Z3V5Q0000000000000001"
SCHEMAS = {}


def valid(content, schema="Race"):
    """Returns the content after validating it."""
    if schema not in SCHEMAS:
        components = json.loads(INTERFACE.read_text())["components"]
        SCHEMAS[schema] = jsonschema.Draft202012Validator(
            {"$ref": f"#/components/schemas/{schema}", "components": components})
    SCHEMAS[schema].validate(content)
    return content


def result(erg, time=441.3, distance=2000.0, verified=True, complete=True, **figures):
    found = {"session_id": erg.session, "revision": 1, "complete": complete,
             "result_time_s": time, "distance_m": distance,
             "avg_pace_s_per_500m": round(time / distance * 500, 2), "avg_power_w": 261,
             "avg_stroke_rate_spm": 27, **figures}
    if verified is not None:
        found["verified_against_pm5"] = verified
    return found


def race(ergs, phase="rowing", signal_ms=0, standings=None, results=None, early=None, **terms):
    """A race of these ergs; `standings` and `results` by slug, otherwise as usual for the phase."""
    usual = {"ready": "armed", "countdown": "armed", "rowing": "rowing", "over": "finished"}[phase]
    lanes = []
    for erg in ergs:
        lane = {"gw": erg.gw, "erg": erg.slug, "standing": (standings or {}).get(erg.slug, usual),
                "rank": 0, "false_starts": 0}
        if erg.name:
            lane.update(athlete_id="someone", athlete_name=erg.name)
        if lane["standing"] in ("rowing", "finished", "did_not_finish"):
            lane.update(session_id=erg.session, start_s=0.4)
        if erg.slug in (early or {}):
            lane.update(false_starts=1, early_s=early[erg.slug])
        if erg.slug in (results or {}):
            lane["result"] = results[erg.slug]
        lanes.append(lane)
    place(lanes, terms)
    found = {"race_id": RACE_ID, "name": "winter championship, heat 2", "by": "anna",
             "lanes_fixed": False, "phase": phase, "made_ms": signal_ms - 60000, "lanes": lanes}
    if phase != "ready":
        found.update(called_ms=signal_ms - 10000, signal_ms=signal_ms)
    if "duration_s" not in terms:
        found["distance_m"] = 2000
    return {**found, **terms}


def place(lanes, terms):
    """Sets ranks and places as the server does."""
    order = ["finished", "rowing", "waiting", "armed", "did_not_finish", "did_not_start",
             "scratched"]
    timed = "duration_s" in terms

    def key(lane):
        found = lane.get("result", {})
        best = -found.get("distance_m", 0) if timed or lane["standing"] != "finished" \
            else found.get("result_time_s", 0)
        return order.index(lane["standing"]), best

    for rank, lane in enumerate(sorted(lanes, key=key), 1):
        lane["rank"] = rank
        if lane["standing"] == "finished":
            lane["place"] = rank


def over(ergs, **terms):
    """A finished race: most finished, one stopped, one did not start, one was scratched."""
    standings, results = {}, {}
    for index, erg in enumerate(ergs):
        time = round(431.8 + index * 2.3 + index % 5 * 0.9, 1)
        results[erg.slug] = result(erg, time, verified=None if index % 7 == 3 else index % 7 != 5)
    few = [erg.slug for erg in ergs[-3:]] if len(ergs) > 5 else []
    for slug, standing in zip(few, ("did_not_finish", "did_not_start", "scratched")):
        standings[slug] = standing
        results.pop(slug)
    if few:
        results[few[0]] = result(ergs[-3], 190.0, 842.0, None, complete=False)
    return race(ergs, "over", standings=standings, results=results,
                early={ergs[1].slug: 0.31} if len(ergs) > 2 else None, **terms)


def with_teams(race):
    """Makes teams of two lanes each, with mean results if the race is over."""
    race["teams"] = []
    for number in range(0, len(race["lanes"]), 2):
        team = {"entry_id": f"n{number // 2}", "name": f"Riverside {'ABCDEFGH'[number // 2]}", "standing": "rowing",
                "false_starts": 0}
        for lane in race["lanes"][number:number + 2]:
            lane.update(entry_id=team["entry_id"], team_name=team["name"])
        if race["phase"] == "over":
            team.update(standing="finished", place=number // 2 + 1, result={
                "revision": 1, "complete": True, "result_time_s": 433.5 + number * 2.5, "distance_m": 2000.0,
                "avg_pace_s_per_500m": 108.38, "avg_power_w": 261, "avg_stroke_rate_spm": 27})
        race["teams"].append(team)
    race["teams"][0]["false_starts"] = 1
    return race
