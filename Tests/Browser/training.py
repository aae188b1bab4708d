"""Test answers of /training of an athlete and of a session, validated against the schemas."""

import math
import random
import statistics

from athletes import checked

PERCENTS = {"below": 0, "ut2": 55, "ut1": 65, "at": 75, "tr": 85, "an": 95, "above": 105}
HEART_PERCENTS = {"below": 0, "ut2": 55, "ut1": 70, "at": 80, "tr": 85, "an": 95}
# A week of training as most clubs row it, mostly easy.
SHARES = {"below": 6, "ut2": 48, "ut1": 22, "at": 9, "tr": 8, "an": 5, "above": 2}


def missing(reason, has=None, needs=None):
    lack = {"reason": reason, "has": has, "needs": needs}
    return {"missing": {name: value for name, value in lack.items() if value is not None}}


def figure(athlete, kind, indices, **fields):
    at = max((athlete.pieces[index][0] for index in indices), default=None)
    found = {"kind": kind, "formula": "of results", **fields,
             "inputs": [athlete.name(index) for index in indices]}
    return found if at is None else {**found, "at_ms": at}


def ranked(athlete, word):
    found = athlete.ranked.get(word)
    return max((speed, index) for index, speed in found) if found else None


def zones_of(watts):
    names = list(PERCENTS)
    bounds = [{"zone": name, "from_w": math.ceil(watts * PERCENTS[name] / 100)} for name in names]
    for bound, after in zip(bounds, bounds[1:]):
        bound["to_w"] = after["from_w"]
    return bounds


def zones(athlete):
    best = ranked(athlete, "2000m")
    if not best:
        return missing("no_ranked_2000m")
    speed, index = best
    watts = round(2.8 * speed ** 3, 1)
    return figure(athlete, "rule_of_thumb", [index], power_w=watts, bounds=zones_of(watts))


def heart_zones(limits):
    """Zones for the entered heart rates, or the reason why they are missing."""
    if not limits:
        return missing("no_heart_limits")
    resting, maximal, at_ms = limits
    bounds = [{"zone": name, "from_bpm": resting + math.ceil(percent * (maximal - resting) / 100)}
              for name, percent in HEART_PERCENTS.items()]
    bounds[0]["from_bpm"] = 0
    for bound, after in zip(bounds, bounds[1:]):
        bound["to_bpm"] = after["from_bpm"]
    return {"kind": "rule_of_thumb", "formula": "of the reserve", "at_ms": at_ms, "inputs": [],
            "resting_bpm": resting, "maximal_bpm": maximal, "bounds": bounds}


def time_in_heart_zone(athlete, by, season):
    found = time_in_zone(athlete, by, season) if athlete.heart else []
    return [{**one, "zones": one["zones"][:-1], "unknown_s": 3 * one["unknown_s"]} for one in found]


def time_in_zone(athlete, by, season):
    if not ranked(athlete, "2000m"):
        return []
    chance = random.Random(11)
    found = []
    for volume in athlete.volume(by, season)["volumes"]:
        parts = {zone: share * chance.uniform(.3, 1.6) for zone, share in SHARES.items()}
        if chance.random() < .3:
            parts["an"] = parts["above"] = 0
        whole = volume["time_s"] * .99 / sum(parts.values())
        found.append({"from": volume["from"], "kind": "computed", "formula": "sum of times",
                      "at_ms": athlete.pieces[0][0], "inputs": volume["inputs"],
                      "zones": [{"zone": zone, "time_s": round(part * whole, 2)}
                                for zone, part in parts.items()],
                      "unknown_s": round(volume["time_s"] * .01, 2)})
    return found


def law(athlete):
    """Paul's k of the ranked distances from 500 m, and its predictions."""
    distances = [("500m", 500), ("1000m", 1000), ("2000m", 2000), ("5000m", 5000), ("6000m", 6000),
                 ("10000m", 10000), ("21097m", 21097)]
    known = [(metres, 500 / ranked(athlete, word)[0], ranked(athlete, word)[1])
             for word, metres in distances if ranked(athlete, word)]
    pairs = [(math.log2(far[0] / near[0]), far[1] - near[1])
             for near in known for far in known if near[0] < far[0]]
    if not known:
        return {**figure(athlete, "rule_of_thumb", [], k_s_per_500m=5,
                         own_missing=missing("too_few_results", 0, 2)["missing"])}, []
    if pairs:
        k = sum(x * y for x, y in pairs) / sum(x * x for x, _ in pairs)
        law = figure(athlete, "estimated", [one[2] for one in known], k_s_per_500m=round(k, 2))
    else:
        k = 5
        law = figure(athlete, "rule_of_thumb", [], k_s_per_500m=5,
                      own_missing=missing("too_few_results", 1, 2)["missing"])
    expected = []
    for word, metres in distances:
        base = min(known, key=lambda one: abs(math.log2(metres / one[0])))
        if ranked(athlete, word) or abs(math.log2(metres / base[0])) > 3:
            continue
        pace = base[1] + k * math.log2(metres / base[0])
        expected.append({"event": word, "event_distance_m": metres, "figure": figure(
            athlete, law["kind"], [base[2]], time_s=round(metres / 500 * pace, 2),
            distance_m=metres, pace_s_per_500m=round(pace, 2))})
    return law, expected


def of_athlete(athlete, by, season):
    k, expected = law(athlete)
    machine = {
        "machine": athlete.machine, "zones": zones(athlete),
        "time_in_zone": time_in_zone(athlete, by, season), "pauls_law": k, "predictions": expected,
        "time_in_heart_zone": time_in_heart_zone(athlete, by, season),
        "critical_power": missing("too_few_results", 1, 3),
        "power_curve": missing("too_few_results", len(athlete.ranked), 5)}
    if len(athlete.ranked) > 5:
        machine["critical_power"] = figure(athlete, "estimated", [4, 9, 31], critical_power_w=251.3,
                                           w_prime_j=16820)
        machine["power_curve"] = figure(
            athlete, "estimated", [2, 4, 9, 31, 40, 52], r_squared=.988, from_s=17.1, to_s=1800,
            terms=[{"power_w": 420.0, "time_s": 55.0}, {"power_w": 290.0, "time_s": 11000.0}])
    machine["hour_power"] = missing("no_hour_power") if not ranked(athlete, "2000m") \
        else figure(athlete, "estimated", [0], power_w=198.4)
    spans = [volume["from"] for volume in athlete.volume(by, season)["volumes"]]
    machine["force"] = [] if len(spans) < 3 else [
        {"from": span, **figure(athlete, "computed", [index % len(athlete.pieces)]), "curves": 240,
         "avg_to_peak_ratio": round(.55 + index * .001, 3), "peak_position_ratio": .38,
         "smoothness_ratio": .981, "similarity_ratio": .957}
        for index, span in enumerate(spans)]
    loads = [] if not ranked(athlete, "2000m") else [
        {"from": span, **figure(athlete, "estimated", [index % len(athlete.pieces)]),
         "load": 184.3 + index, "average_42_d": 31.25, "average_7_d": 26.33,
         "low": len(spans) < 6, "unknown_sessions": index % 2}
        for index, span in enumerate(spans)]
    return checked("Training", {
        "by": by, "heart_zones": heart_zones(athlete.heart), "machines": [machine], "loads": loads})


def of_session(session, watts=306.7):
    name = {"gw": session.gw, "session_id": session.id}
    basis = {"kind": "computed", "formula": "of strokes", "at_ms": session.started_ms,
             "inputs": [name]}
    powers = [stroke["power_w"] for stroke in session.strokes[5:]]
    found = {"machine": session.machine, "zones": missing("no_athlete"),
             "heart_zones": missing("no_athlete"),
             "heart_drift": missing("too_short", session.seconds, 1200),
             "split_index": missing("broken" if session.gaps else "intervals"),
             "consistency": missing("too_few_strokes", len(powers), 20)}
    if len(powers) >= 20:
        found["consistency"] = {
            **basis, "strokes": len(powers), "rate_cv_percent": 3.4, "drive_sd_s": .024,
            "power_cv_percent": round(statistics.pstdev(powers) / statistics.mean(powers) * 100, 1)}
    if not session.gaps and session.piece["workout"].startswith("fixed_distance"):
        found["split_index"] = {**basis, "index_percent": -1.2, "even": False,
                                "paces_s_per_500m": [105.2, 103.9]}
    if session.seconds >= 1200 and any("heart_rate_bpm" in one for one in session.strokes):
        found["heart_drift"] = {**basis, "drift_percent": 4.8, "halves": [
            {"power_w": 202.1, "heart_rate_bpm": 148.6}, {"power_w": 199.7, "heart_rate_bpm": 154.3}]}
    if session.athlete:
        found["heart_zones"] = heart_zones((48, 192, session.started_ms))
        found["time_in_heart_zone"] = {**basis, "unknown_s": 0, "zones": [
            {"zone": zone, "time_s": 100} for zone in HEART_PERCENTS]}
        found["zones"] = {**basis, "kind": "rule_of_thumb", "power_w": watts,
                          "bounds": zones_of(watts)}
        times = dict.fromkeys(PERCENTS, 0)
        each = session.seconds / max(1, len(session.strokes))
        for stroke in session.strokes:
            times[[name for name, percent in PERCENTS.items()
                   if stroke["power_w"] >= watts * percent / 100][-1]] += each
        found["time_in_zone"] = {**basis, "unknown_s": 0, "zones": [
            {"zone": zone, "time_s": round(time, 2)} for zone, time in times.items()]}
    found.update(load=missing("no_athlete"), reserve_balance=missing("no_athlete"),
                 force=missing("too_few_curves", 0, 20))
    if session.athlete:
        found["load"] = {**basis, "kind": "estimated", "load": 41.7, "normalized_power_w": 212.4}
        found["reserve_balance"] = {**basis, "kind": "estimated", "experiment": True,
                                    "least_j": 4210, "least_percent": 25.1, "at_s": 301.5}
    if len(powers) >= 20:
        found["force"] = {**basis, "avg_to_peak_ratio": .561, "peak_position_ratio": .382,
                          "smoothness_ratio": .984, "similarity_ratio": .962, "curves": 64}
    return checked("SessionTraining", found)
