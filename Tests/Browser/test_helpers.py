"""The exported functions of the modules without DOM, each called directly in the browser.

A case is an expression about its module `m` and the expected value. `en` and `de` are the strings, `given` the
arguments. The last test checks that no exported function is missing.
"""

import json
import pathlib
import re

import esprima
from messages import Erg, crew
from page import PageTest, browser
from scenes import PAGES, SCRIPTS, imported, strings_text

# Modules that need the DOM or the server.
OF_PAGES = {f"common/{name}.js" for name in (
    "view", "page", "dialog", "api-client", "stream", "chart", "screen-menu", "wake-lock")}
# Modules whose functions are tested in another file.
ELSEWHERE = {
    "wall/tile-view.js": "test_modules", "wall/ranking.js": "test_modules", "common/render-loop.js": "test_modules",
    "common/strings.js": "test_modules", "common/room.js": "test_modules", "race/course.js": "test_race",
    "races/actions.js": "test_races",
    "common/settings.js": "test_settings",
}


def plain(value):
    """Replaces narrow and no-break spaces by ordinary ones."""
    text = json.dumps(value)
    for space in ("\\u202f", "\\u00a0", "\\u2009"):
        text = text.replace(space, " ")
    return json.loads(text)


def live(**more):
    return {"pace_s_per_500m": 112.4, "power_w": 246, "stroke_rate_spm": 24, "heart_rate_bpm": 156,
            **more}


def pace(low, high, verdict, value=112.4):
    found = live(pace_s_per_500m=value, pace_vs_target=verdict)
    if low is not None:
        found["target_pace_min_s_per_500m"] = low
    if high is not None:
        found["target_pace_max_s_per_500m"] = high
    return found


def run(kind, metres, seconds, begun=0, done=False, goal=2000, speed=4.5):
    """An input of `rankTiles`."""
    return {"tile": {"state": "finished" if done else "rowing"}, "type": kind, "goal": goal,
            "metres": metres, "seconds": seconds, "begun": begun, "isDone": done, "speed": speed}


SPLIT = {"distance_m": 500.0, "duration_s": 112.0, "avg_pace_s_per_500m": 112.0,
         "avg_stroke_rate_spm": 24}
SLOWER = {**SPLIT, "duration_s": 113.2, "avg_pace_s_per_500m": 113.2}
STROKES = [{"stroke": number, "elapsed_s": number * 2.5, "distance_m": number * 10.0,
            "stroke_rate_spm": 24} for number in range(1, 61)]
SUMMARY = {"session_type": "distance", "workout": "fixed_distance_with_splits",
           "distance_m": 1000.0, "result_time_s": 224.0, "avg_pace_s_per_500m": 112.0}
EIGHT = {"session_type": "intervals", "workout": "fixed_distance_interval", "target_distance_m": 500.0,
         "interval_count": 8, "interval_rest_s": 60, "notation": "8x500m/1:00r", "machine": "rower"}
LADDER = {"session_type": "intervals", "workout": "variable_interval", "notation": "1000m+2:00", "machine": "rower"}


def rowed(name, *paces, complete=True, share=None):
    """A row of a group result with repeats of 500 m."""
    return {"athlete_id": name, "complete": complete, "repeats": [
        {"split": index + 1, "distance_m": 500.0, "duration_s": pace} for index, pace in enumerate(paces)],
        **({} if share is None else {"in_target_ratio": share})}


def group(*rows, columns=3, machine="rower"):
    return {"piece": {"workout": {**EIGHT, "machine": machine}}, "rows": rows,
            "columns": [{"distance_m": 500}] * columns}


TARGET = {"target_pace_min_s_per_500m": 110.0, "target_pace_max_s_per_500m": 115.0}
NAMES = "(row) => row.athlete_id"
DETAIL = {"session": {"gw": "boathouse", "session_id": "A", "athlete_id": "anna", "state": "verified",
                      "strokes": 60, "started_ms": 1795370400000},
          "summary": SUMMARY, "manifest": {"stroke_count": 60}, "splits": [SPLIT, SPLIT], "gaps": []}
LOST = {**DETAIL, "session": {**DETAIL["session"], "session_id": "B"},
        "summary": {**SUMMARY, "result_time_s": 226.4, "avg_pace_s_per_500m": 113.2},
        "splits": [SLOWER, SLOWER]}


def on_bike(detail, **summary):
    return {**detail, "summary": {**detail["summary"], "machine_type": "bike_erg", **summary}}


RACE = {"distance_m": 2000, "phase": "rowing", "lanes": [], "name": "heat 2"}
LANE = {"gw": "boathouse", "erg": "erg-3", "standing": "finished", "rank": 1, "place": 1,
        "false_starts": 0, "athlete_name": "Li Wei",
        "result": {"result_time_s": 441.3, "distance_m": 2000.0, "avg_pace_s_per_500m": 110.3,
                   "avg_stroke_rate_spm": 27, "avg_power_w": 261, "verified_against_pm5": True}}
GATEWAY = {"gw": "pier", "presence": "online", "owed": 1200, "stored": 5000, "version": "0.1.0",
           "heard_ms": 0, "health": {"status": "degraded", "clock": "synced", "ring_used_pct": 12,
                                     "ring_reach_s": 90000, "adapters_up": 1, "slots_used": 5,
                                     "reasons": ["the power supply is too weak; use the official one"]},
           "ergs": [{"erg": "erg-1", "availability": "online", "state": "rowing"}]}

# Athletes and records of the page Club.
ROWED = {"name": "Zoe", "athlete_id": "z", "distance_m": 500, "time_s": 120, "sessions": 1, "absent": 2,
         "days_since_last": 3, "previous": {"distance_m": 400}, "best_2000m": {"time_s": 420}}
NEVER = {"name": "Ärne", "athlete_id": "a", "distance_m": 0, "time_s": 0, "sessions": 0, "previous": {"distance_m": 0}}
FAST = {**NEVER, "name": "Ben", "athlete_id": "b", "distance_m": 900, "absent": 1, "days_since_last": 0,
        "previous": {"distance_m": 1000}, "best_2000m": {"time_s": 400}}


def record(athlete, seconds, at=0, event="2000m", machine="rower", **category):
    return {"athlete_id": athlete, "event": event, "machine": machine, **category,
            "ranked": {"time_s": seconds, "distance_m": 2000.0, "at_ms": at}}


RECORDS = [record("anna", 480, gender="female", age_from=17, age_to=18), record("ben", 420, gender="male", age_from=90),
           record("carl", 420, at=-1, gender="male", weight_class="lightweight"), record("guest", 430),
           record("skier", 400, machine="ski"), record("new", 410, season=2027, gender="male")]
ANY = {"gender": "", "age": "", "weight": "", "machine": "rower", "season": ""}

# A plan, and the same after changes.
PLAN = {"title": "Winter", "group": {"name": "", "athletes": ["anna"]}, "workouts": [
    {"id": "a", "day": "2026-12-06", "workout": "2000m"}, {"id": "b", "day": "2026-11-30", "workout": "30:00"},
    {"id": "c", "day": "2026-12-08", "workout": "500m"}]}
CHANGED = {**PLAN, "title": "Spring", "workouts": [
    PLAN["workouts"][0], {**PLAN["workouts"][2], "day": "2026-12-09"},
    {"id": "d", "day": "2026-12-01", "workout": "1:00", "note": ""}]}

# Planned workouts; an athlete got the third one.
SHOWN = [{"day": "2026-12-02", "workout": "500m"}, {"day": "2026-12-02", "workout": "500m", "shown_from": "18:00"},
         {"day": "2026-12-03", "shown_from": "18:00 -1d"}, {"day": "2026-12-05", "workout": "500m",
                                                           "shown_from": "07:30 -2d"}]

CASES = {
    "club/summary.js": [
        ("given.map(([now, before]) => m.changeText(now, before, {nothingBefore: 'none before'}))",
         ["+12 %", "−4 %", "±0 %", "none before", "–"], (112, 100), (96, 100), (1001, 1000), (5, 0), (0, 0)),
        ("given.map((seconds) => m.hours(seconds, en))", ["0.0 h", "15.3 h", "100 h", "1234 h"],
         0, 55_080, 359_900, 4_442_400),
        ("[undefined, 0, 1, 2, 17].map((days) => m.daysAgo(days, Object.assign({}, en, en.clubPage)))",
         ["never", "today", "yesterday", "2 days ago", "17 days ago"]),
        ("['name', 'sessions'].map((one) => m.risesFirst(one))", [True, False]),
        ("Object.keys(m.COLUMNS).map((column) => m.sortRows(given, column, m.risesFirst(column))"
         ".map((row) => row.athlete_id).join(''))",
         ["abz", "bza", "bza", "zab", "zab", "zba", "bza", "zba"], ROWED, NEVER, FAST),
        ("Object.keys(m.COLUMNS).map((column) => m.sortRows(given, column, !m.risesFirst(column))"
         ".map((row) => row.athlete_id).join(''))",
         ["zba", "zba", "azb", "abz", "abz", "bza", "zba", "bza"], ROWED, NEVER, FAST),
        ("given.map((one) => m.ageKey(one))", ["", "0", "17"], {}, {"age_from": 0}, {"age_from": 17}),
        ("given.map((one) => m.ageText(one, Object.assign({range: '{}–{}'}, en, en.clubPage)))",
         ["", "12 and under", "17–18", "90 and over"], {}, {"age_from": 0, "age_to": 12},
         {"age_from": 17, "age_to": 18}, {"age_from": 90}),
        ("given.map((one) => m.categoryText(one, Object.assign({range: '{}–{}'}, de, de.clubPage)))",
         ["", "Frauen · 17–18 · Leichtgewicht", "ab 90"], {},
         {"gender": "female", "age_from": 17, "age_to": 18, "weight_class": "lightweight"}, {"age_from": 90}),
        ("given.slice(1).map((choice) => m.bestRecords(given[0], choice).map((one) => one.athlete_id).join())",
         ["carl", "anna", "ben", "carl", "", "skier", "new"], RECORDS, ANY, {**ANY, "gender": "female"},
         {**ANY, "age": "90"}, {**ANY, "weight": "lightweight"}, {**ANY, "gender": "other"},
         {**ANY, "machine": "ski"}, {**ANY, "season": "2027"}),
    ],
    "planner/notation.js": [
        ("given.map((text) => m.parseWorkout(text).fields)",
         [{"type": "distance", "distance_m": 2000, "target_2k_offset_min_s_per_500m": 12,
           "target_2k_offset_max_s_per_500m": 12},
          {"type": "time", "duration_s": 1800, "target_6k_offset_min_s_per_500m": 4,
           "target_6k_offset_max_s_per_500m": 8, "target_stroke_rate_min_spm": 18, "target_stroke_rate_max_spm": 20},
          {"type": "intervals", "intervals": [
              {"distance_m": 500, "rest_s": 60, "target_2k_offset_min_s_per_500m": -2,
               "target_2k_offset_max_s_per_500m": -2},
              {"distance_m": 1000, "target_2k_offset_min_s_per_500m": 5, "target_2k_offset_max_s_per_500m": 5}]}],
         "2000m@2k+12", "30:00@6k+4-8,18-20spm", "500m/1:00r@2k-2+1000m@2k+5"),
        ("given.map((text) => m.parseWorkout(text).wrong)", ["2k+", "2k+12", None], "2000m@2k+", "2000m@2k+8,2k+12",
         "2000m@2k"),
        ("m.withTarget('500m/1:00r+1000m', '2k')", "500m/1:00r@2k+0+1000m@2k+0"),
        ("m.withoutTarget('500m/1:00r@2k+5+1000m@2k+5')", ["500m/1:00r+1000m", "2k+5"]),
        ("given.map((text) => m.normalized(text))",
         ["4x500m/1:00r@1:50-1:55", "1:30:00@18-20spm", "3x1:15:00/2:00r", "59:00", "1:00:00", "100cal"],
         "4 × 500 m / 1:00 r @ 1:50–1:55", "90:00@18-20SPM", "3x75:00/2:00r", "59:00", "1:00:00", "100 kcal"),
        ("given.map((text) => m.parseWorkout(text).fields)",
         [{"type": "just_row"}, {"type": "distance", "distance_m": 2000, "split_distance_m": 500},
          {"type": "calories", "calories_kcal": 100},
          {"type": "time", "duration_s": 2400, "target_stroke_rate_min_spm": 18, "target_stroke_rate_max_spm": 20,
           "target_heart_rate_max_bpm": 150},
          {"type": "intervals", "repeat": 4, "intervals": [{"distance_m": 500, "rest_s": 60,
           "target_pace_min_s_per_500m": 110.5, "target_pace_max_s_per_500m": 115}]},
          {"type": "intervals", "intervals": [{"distance_m": 500, "undefined_rest": True},
                                              {"duration_s": 120, "target_power_min_w": 200}]},
          {"type": "time", "duration_s": 3600, "target_2k_power_min_pct": 55, "target_2k_power_max_pct": 65}],
         "just-row", "2000m/500m", "100cal", "40:00@18-20spm,-150bpm", "4x500m/1:00r@1:50.5-1:55", "500m/r+2:00@200-w",
         "1:00:00@55-65%"),
        ("given.map((text) => m.parseWorkout(text).wrong)", [""] * 12, "", "x", "2000", "0m", "0x500m", "4x500m/1:00",
         "2000m/500", "1:60", "60:00", "2000m@", "500m/1:00r+", "2000m/100cal"),
        ("given.map((text) => m.parseWorkout('2000m@' + text).wrong)",
         ["150w", "18-20", "200-180w", "1:55-1:50", "-", "1:50-x", "2:00-1:59"],
         "150w", "18-20", "200-180w", "1:55-1:50", "-", "1:50-x", "1:50-1:55,2:00-1:59"),
        ("given.map(([workout, target]) => m.withTarget(workout, target))",
         ["2000m", "2000m@1:50-1:55", "500m/1:00r@20-22spm+1000m@20-22spm", "500m@-150bpm"],
         ("2000m", ""), ("2000m", "1:50-1:55"), ("500m/1:00r+1000m", "20-22spm"), ("500m@-150bpm", "20-22spm")),
        ("given.map((text) => m.withoutTarget(text))",
         [["2000m", ""], ["500m/1:00r+1000m", "20-22spm"], ["500m@-150bpm+1000m", ""]],
         "2000m", "500m/1:00r@20-22spm+1000m@20-22spm", "500m@-150bpm+1000m"),
    ],
    "planner/draft.js": [
        ("given.map((day) => [m.dayAfter(day, 3), m.mondayOf(day)])",
         [["2027-01-02", "2026-12-28"], ["2026-03-31", "2026-03-23"]], "2026-12-30", "2026-03-28"),
        ("m.workoutsOf(given[0], '2026-11-30').map((one) => one.id)", ["b", "a"], PLAN),
        ("(({ id, ...rest }) => Object.assign(rest, { id: id.replace(/-[0-9a-z]+$/, '-…') }))"
         "(m.copyTo(given[0], '2026-12-24'))", {"day": "2026-12-24", "id": "20261224-…", "workout": "2000m"},
         {"day": "2026-12-01", "id": "a", "workout": "2000m"}),
        ("m.withWorkout(given[0], { id: 'c', day: '2026-12-02' }).workouts.map((one) => one.id + one.day)",
         ["a2026-12-06", "b2026-11-30", "c2026-12-02"], PLAN),
        ("m.without(given[0], ['a', 'c', 'x']).workouts.map((one) => one.id)", ["b"], PLAN),
        ("[false, true].map((replaces) => m.withWeeks(given[0], m.workoutsOf(given[0], '2026-11-30'), '2026-11-30',"
         "['2026-12-07', '2026-12-14'], replaces).workouts.map((one) => one.day).sort().slice(2))",
         [["2026-12-07", "2026-12-08", "2026-12-13", "2026-12-14", "2026-12-20"],
          ["2026-12-07", "2026-12-13", "2026-12-14", "2026-12-20"]], PLAN),
        ("given.map(([days, count]) => m.exceeded({ workouts: Array.from({ length: count }, (_, index) =>"
         "({ day: 'd' + index % days })) }))",
         [None, {"limit": "day", "day": "d0"}, None, {"limit": "workouts"}], (1, 8), (1, 9), (100, 366), (100, 367)),
        ("[m.LIMITS, m.MOST_REPEATS]", [{"workouts": 366, "day": 8}, 26]),
        ("m.WEEK_TEMPLATES.map((name) => m.templateWorkouts(name, '2026-11-30', en.plansPage).length)", [5, 5, 3, 5]),
        ("m.templateWorkouts('recovery', '2026-11-30', de.plansPage)[0]",
         {"day": "2026-12-01", "workout": "30:00@55-65%", "name": "Locker"}),
        ("m.weeksOfPlan(given[0]).map((week) => [week.monday, week.workouts.length])",
         [["2026-11-30", 2], ["2026-12-07", 1]], PLAN),
        ("m.cleaned({ shown_from: '18:00', note: '', workout: '2000m', id: 'a', name: 'Test' })",
         {"id": "a", "workout": "2000m", "name": "Test", "shown_from": "18:00"}),
        ("[given[0], given[1]].map((one) => m.changesBetween(given[0], one)).concat(m.changeCount(...given))",
         [{}, {"title": "Spring", "put": [{"id": "d", "day": "2026-12-01", "workout": "1:00"},
               {"id": "c", "day": "2026-12-09", "workout": "500m"}][::-1], "remove": ["b"]}, 4], PLAN, CHANGED),
        ("m.requestsOf(given[0], 100).map((one) => [one.title, one.put.length])", [["Winter", 2], [None, 3], [None, 1]],
         {"title": "Winter", "put": [{"id": "abc", "workout": "200m"}] * 6}),
        ("m.requestsOf({ remove: ['a'] }, 100)", [{"remove": ["a"]}]),
        ("(({ plan, conflicts }) => [plan.title, plan.workouts.map((one) => one.id + one.workout).sort(), conflicts])"
         "(m.merge(given[0], given[1], given[2]))",
         ["Spring", ["a30:00", "c500m", "d1:00"],
          [{"key": "/c", "mine": {"id": "c", "day": "2026-12-09", "workout": "500m"},
            "theirs": {"id": "c", "day": "2026-12-08", "workout": "501m"}}]], PLAN, CHANGED,
         {**PLAN, "workouts": [{**PLAN["workouts"][0], "workout": "30:00"}, PLAN["workouts"][1],
                               {**PLAN["workouts"][2], "workout": "501m"}]}),
        ("[m.withPart(given[0], 'title', 'T').title, m.withPart(given[0], '/a', undefined).workouts.length]",
         ["T", 2], PLAN),
        ("given.map((slug) => m.freeId(slug, ['plan', 'winter', 'winter-2']))", ["plan-2", "winter-3", "summer"],
         "", "winter", "summer"),
    ],
    "plans/shown-from.js": [
        ("given.map((text) => m.parseShownFrom(text)).map((one) => one.days + '/' + one.time)",
         ["0/18:00", "1/18:00", "7/07:05", "0/", "0/"], "18:00", "18:00 -1d", "07:05 -7d", "", "six"),
        ("given.map(([days, time]) => m.shownFrom(days, time))", ["18:00", "18:00 -1d", "", ""],
         (0, "18:00"), (1, "18:00"), (0, ""), (2, "")),
        ("m.MOST_DAYS_BEFORE", 7),
        ("['17:59:59', '18:00:00'].map((time) => given.map((one) => m.isHidden(one,"
         " Date.parse('2026-12-02T' + time + 'Z'))))",
         [[False, True, True, True], [False, False, False, True]], *SHOWN),
        ("given.map((one) => m.shownTime(one, '2026-12-02'))", ["18:00", "18:00", "Thu 07:30", "1 Jan 00:00"],
         *SHOWN[1:], {"day": "2027-01-01", "shown_from": "00:00"}),
        ("m.hiddenText(given[1], '2026-12-01', en.plansPage)", "Test piece, shown from Wed 18:00", *SHOWN),
        ("given.map((one) => m.untilText(one, '2026-12-02', Date.parse('2026-12-02T12:00Z'), de.plansPage))",
         ["", "verborgen bis 18:00", "", "verborgen bis Thu 07:30"], *SHOWN),
        # A second after the first one; never at once, and at the latest in a day.
        ("['2026-12-02T12:00:30', '2026-12-02T17:59:59', '2026-12-02T18:01:00', '2026-12-05T12:00:00',"
         " '2026-11-20T12:00:00'].map((time) => m.nextReveal(given, Date.parse(time + 'Z')))",
         [21_571_000, 30_000, 30_000, 30_000, 86_400_000], *SHOWN),
        ("m.nextReveal(given, Date.parse('2026-12-05T12:00Z'))", None, *SHOWN[:2], SHOWN[3])],
    "common/routes.js": [
        ("m.MENU.filter((entry) => !m.PAGES[entry.path])", []),
        ("m.PAGES['/athlete']", "athletes/athlete.html"),
        ("[m.isAtLeast('captain', 'coach'), m.isAtLeast('coach', 'coach'), m.isAtLeast('athlete', 'coach')]",
         [True, True, False]),
        ("[m.isAtLeast('room', 'wall'), m.isAtLeast('coach', 'room'), m.isAtLeast('athlete', 'room'),"
         " m.isAtLeast('room', 'athlete')]", [True, True, False, False]),
        ("[m.isAtLeast('', 'athlete'), m.isAtLeast(undefined, 'athlete')]", [False, False])],
    "common/check-in-code.js": [
        ("m.nextRequestIn({ status: 200, content: { code: '0042', changes_in_ms: 60000 } })", 60300),
        ("m.nextRequestIn({ status: 200, content: {} })", 300000),
        ("m.nextRequestIn({ status: 0, content: {} })", 15000), ("typeof m.followCode", "function")],
    "common/strings.js": [
        ("m.parkedReason({ reason: 'x', reason_code: 'adapters_full' }, de)",
         "alle Bluetooth-Verbindungen sind belegt"),
        ("m.parkedReason({ reason: 'x', reason_code: 'constructor' }, en)", "x"),
        ("m.parkedReason({ reason: 'x' }, de)", ""),
        ("m.englishOnly('x', en)", "x"), ("m.englishOnly('x', de)", ""),
        ("m.interpolate('{} of {}', 4, 6)", "4 of 6"), ("m.interpolate('{}', '$&')", "$&"),
        ("m.pluralize(['one', '{} of them'], 1)", "one"),
        ("m.pluralize(['one', '{} of them'], 0)", "0 of them"),
        ("m.allStrings({ lang: 'de' }).version", "rowgate {}"),
        ("m.stringsOfPage(en, 'gatewaysPage').pageStatus.refused[0]", "Gateways are for coaches"),
        ("m.stringsOfPage(de, 'plansPage').pageStatus.away === de.pageStatus.away", True)],
    "athletes/merge-text.js": [
        ("m.previewSentences(given[0], 'B', 'A', en)[0]", "42 sessions of B will count for A.", {"sessions": 42}),
        ("m.previewSentences(given[0], 'B', 'A', en)[0]", "One session of B will count for A.", {"sessions": 1}),
        ("m.previewSentences(given[0], 'B', 'A', de)[0]",
         "B hat keine Einheiten; das Profil geht in A auf.", {"sessions": 0}),
        ("m.previewSentences(given[0], 'B', 'A', en).slice(1)",
         ["The profile of A will change: Gender, Note for coaches.", "2 devices of B will be signed in as A.",
          "Groups and plans are taken over too. You can undo this for 30 days."],
         {"changed_fields": ["gender", "note", "archived", "constructor2"], "devices": 2}),
        ("m.previewSentences(given[0], '{}', '$&', en)[0]", "5 sessions of {} will count for $&.", {"sessions": 5}),
        ("m.previewSentences({}, 'B', 'A', de).length", 2),
        ("m.undoableMerges(given[0]).length", 1, [{"undo_until_ms": 5}, {}]), ("m.undoableMerges(undefined)", [])],
    "common/render-loop.js": [("m.frameInterval({ level: 0 })", 200), ("m.frameInterval({ level: 2 })", 500)],
    "wall/ranking.js": [
        ("m.estimateWorkTime({ receivedAt: 1000, payload: given[0] }, 2500, true)", 11.5,
         {"state": "rowing", "elapsed_s": 10.0}),
        ("m.estimateWorkTime({ receivedAt: 1000, payload: given[0] }, 2500, false)", 10.0,
         {"state": "rowing", "elapsed_s": 10.0}),
        ("rankTiles(m, given)", [[1, 0], [2, 90]],
         run("distance", 1000, 220), run("distance", 910, 220)),
        # With two finished, the third is third, however far it has rowed.
        ("rankTiles(m, given)", [[2, None], [1, None], [4, None], [3, None]],
         run("distance", 2000, 441.0, done=True), run("distance", 2000, 432.0, done=True),
         run("distance", 1700, 443.0), run("distance", 1900, 443.0)),
        # All have finished; the erg of an earlier piece has no place.
        ("rankTiles(m, given)", [[0, 0], [1, None], [2, None]],
         run("distance", 2000, 400.0, begun=-900, done=True), run("distance", 2000, 430.0, done=True),
         run("distance", 2000, 431.0, begun=8, done=True)),
        ("rankTiles(m, given)", [[2, None], [1, None]],
         run("time", 7000, 1800.0, goal=1800, done=True), run("time", 7100, 1800.0, goal=1800, done=True)),
        # Another piece, or another start.
        ("rankTiles(m, given)", [[0, 0], [0, 0]],
         run("distance", 2000, 441.0, done=True), run("distance", 100, 30.0, begun=600)),
        ("rankTiles(m, given)", [[0, 0], [0, 0]], run("distance", 900, 220), run("time", 910, 220)),
        ("rankTiles(m, given)", [[0, 0], [0, 0]], run("distance", 900, 220), run("distance", 700, 180)),
        ("m.byPlace([{ key: 'a', rank: 0 }, { key: 'b', rank: 2 }, { key: 'c', rank: 1 }])",
         ["c", "b", "a"])],
    "race/course.js": [
        ("m.boatSpeed({ pace_s_per_500m: 125 })", 4), ("m.boatSpeed({})", 0),
        ("m.marks({ from: -10, to: 60, step: 25 }, 2000)", [0, 25, 50]),
        ("m.marks({ from: 1900, to: 2010, step: 50 }, 2000)", [1900, 1950, 2000]),
        ("m.share(30, { from: 0, to: 60 })", 0.5), ("m.share(-300, { from: 0, to: 60 })", -0.2),
        ("m.marks({ from: 1401, to: 1461, step: 10 }, 2000).filter((metres) =>"
         " m.fitsLabel(metres, { from: 1401, to: 1461 }))", [1410, 1420, 1430, 1440, 1450]),
        ("m.fitsLabel(1410, { from: 1405, to: 1465 })", False),
        ("m.fitsLabel(1460, { from: 1405, to: 1465 })", False),
        ("m.fitsLabel(5500, { from: -240, to: 6090 })", True),
        ("m.fitsLabel(0, { from: -80, to: 2030 })", True), ("m.fitsLabel(0, { from: 0, to: 60 })", False),
        ("m.courseLength({ distance_m: 2000 }, [], 0)", 2000),
        ("m.courseLength({ duration_s: 60 }, [{ time: 30, metres: 150 }], 0)", 350)],
    "race/start-call.js": [
        ("[20, 5.01, 5, 0.2, 0, -2.4, -2.5].map(m.startCall)",
         ["ready", "ready", "attention", "attention", "row", "row", ""])],
    "common/format.js": [
        ("[22, 23, 29].map((day) => m.mondayOf(Date.UTC(2026, 10, day)) === Date.UTC(2026, 10, day === 22 ? 16 : 23))",
         [True, True, True]),
        ("m.eventName('2000m')", "2000 m"), ("m.eventName('30min')", "30 min"), ("m.eventName('x')", ""),
        ("m.EVENTS.length", 13), ("m.resultOf({}, { time_s: 441.3 }, de)", "7:21,3"),
        ("m.resultOf({ event_time_s: 60 }, { distance_m: 301.9 }, en)", "301 m"),
        ("m.DASH", "\u2013"), ("m.decimal(-0.04, 1, '.')", "0.0"), ("m.decimal(-0.06, 1, ',')", "-0,1"),
        ("m.decimal(-0.4, 0, '.')", "0"), ("m.decimal(12.34, 1, ',')", "12,3"),
        ("m.shownDifference(115.04, 115, 1)", 0), ("m.shownDifference(115.05, 115, 1)", 0.1),
        ("m.shownDifference(114.96, 115.04, 1)", 0), ("Object.is(m.shownDifference(1, 1.2, 0), 0)", True),
        ("m.shownDifference(112.4, 114, 1)", -1.6), ("m.shownDifference(246, 300, 0)", -54),
        ("m.sentence('the disk is full; remove it', 40)", "the disk is full; remove it"),
        ("m.sentence('the disk is full; remove it', 13)", "the disk is\u2026"),
        ("m.sentence('abcdefgh', 5)", "abcd\u2026"), ("m.sentence(undefined, 5)", ""),
        ("m.tenths(112.36, '.')", "1:52.4"), ("m.pace(0, '.')", "\u2013"), ("m.elapsed(61.9)", "1:01"),
        ("m.remaining(60.1)", "1:01"), ("m.positiveWhole(0)", "\u2013"), ("m.whole(23.5)", "24"),
        ("m.metres(12345)", "12 345"), ("m.duration(60)", "1 min"), ("m.age(61, en.ages)", "1 min"),
        ("m.withUnit('5', 'm')", "5 m"),
        ("m.pace(56.25, '.', 'bike')", "1:52.5"), ("m.pace(56.25, '.', 'ski')", "0:56.2"),
        ("m.paceFactor('bike')", 2), ("m.paceFactor('ski')", 1),
        ("m.paceUnit('bike', en.units)", "/1000 m"), ("m.paceUnit('rower', de.units)", "/500 m"),
        ("['rower', 'bike'].map((one) => m.paceLabel(one, 'Pace', en.units))", ["Pace", "Pace /1000 m"]),
        ("m.machineOf('bike_erg')", "bike"), ("m.machineOf('ski_erg')", "ski"),
        ("m.machineOf('row_erg')", "rower"), ("m.machineOf(undefined)", "rower"),
        ("m.line(' a  b ', 9)", "a b"), ("m.shortName('Li Wei Po')", "Li P."),
        ("m.ergName('erg-07', 'Erg {}')", "Erg 7"), ("m.ergName('window-left', 'Erg {}')", "window left"),
        ("m.place('erg-07')", "7"),
        # A page without a zone uses UTC; `test_modules` tests others.
        ("m.timeOfDay(Date.UTC(2026, 1, 1, 9, 5))", "09:05"), ("m.timeOfDay(Date.UTC(2026, 1, 1))", "00:00"),
        ("m.dayText(Date.UTC(2026, 1, 1, 23, 59))", "2026-02-01"),
        ("m.midnight('2026-02-01') === Date.UTC(2026, 1, 1)", True)],
    "common/piece.js": [
        ("m.targetRanges(given[0]).length", 1, pace(105, 105, "below")),
        ("m.targetText(given[0], en)", "1:45", pace(105.0, 105.0, "below")),
        ("m.targetText(given[0], en)", "1:50 to 1:55", pace(110, 115, "in")),
        ("m.targetText(given[0], en)", "1:55 or faster", pace(None, 115, "in")),
        # A value that looks equal to the limit is on target.
        ("m.targetState(given[0], en)", {"look": "in", "word": "on target"}, pace(110, 115, "below", 115.04)),
        ("m.scale(given[0], en).text", "on target", pace(110, 115, "below", 115.04)),
        ("m.scale(given[0], en).text", "0.1 s slow", pace(110, 115, "below", 115.06)),
        ("m.scale(given[0], en).text", "15.1 s slow", pace(None, 115, "below", 130.1)),
        ("m.scale(given[0], de).text", "2,6 s zu schnell", pace(115, None, "above")),
        # A BikeErg shows its pace for 1000 m.
        ("m.scale(given[0], en, 'bike').text", "14.8 s slow", pace(105, 105, "below")),
        ("m.scale(given[0], en, 'bike').targetText", "3:30", pace(105, 105, "below")),
        ("m.targetText(given[0], en, en.fromTo, 'bike')", "3:40 to 3:50", pace(110, 115, "in")),
        ("m.scale(given[0], en).text", "7.4 s slow", pace(105, 105, "below")),
        ("m.scale(given[0], en).text", "on target", pace(112, 112, "in")),
        # A single pace is drawn one second wide to each side.
        ("(({ from, to, needle }) => from < needle && needle < to)(m.scale(given[0], en))", True,
         pace(112, 112, "in")),
        ("m.verdict({})", None), ("m.verdict(given[0]).verdict", "in", pace(110, 115, "above", 109.98)),
        ("m.targetTexts({ target_pace_s_per_500m: 105, target_stroke_rate_min_spm: 22,"
         " target_stroke_rate_max_spm: 24 }, en)", ["1:45", "22 to 24 spm"]),
        ("m.targetTexts({ target_2k_power_min_pct: 75, target_2k_power_max_pct: 80 }, en)",
         ["75 to 80 % of 2k"]), ("m.targetTexts({}, en)", []),
        ("m.targetTexts({ target_2k_offset_min_s_per_500m: 12, target_2k_offset_max_s_per_500m: 12,"
         " target_heart_rate_max_bpm: 150 }, en)", ["2k+12", "up to 150 bpm"]),
        ("m.targetTexts({ target_6k_offset_min_s_per_500m: -2.5, target_6k_offset_max_s_per_500m: 0 }, de)",
         ["6k\u22122,5 bis 6k+0"]),
        ("m.targetTexts({ target_2k_offset_max_s_per_500m: 15 }, en)", ["2k+15 or faster"]),
        ("Object.keys(m.OFFSETS)", ["2k", "6k"]),
        ("m.target({ target_time_s: 60 }, en)", "1 min"), ("m.target({}, en)", ""),
        ("m.times(8, '500 m')", "8 \u00d7 500 m"),
        ("m.pieceName(given[0], en)", "8 \u00d7 500 m", {
            "session_type": "intervals", "workout": "fixed_distance_interval",
            "target_distance_m": 500.0, "interval_count": 8}),
        ("m.pieceName(given[0], en)", "500 m intervals", {
            "session_type": "intervals", "workout": "fixed_distance_interval",
            "target_distance_m": 500.0}),
        ("m.isEqual({ workout: 'variable_interval' })", False),
        ("m.countdown({ session_type: 'intervals' }, given[0], 684, 150, 0, en)",
         {"text": "316 m to go", "share": 0.368},
         {"distance_m": 680.0, "interval_distance_m": 180.0, "remaining_distance_m": 320.0}),
        ("m.countdown({ session_type: 'distance' }, given[0], 1500, 300, 0, en)",
         {"text": "500 m to go", "share": 0.75}, {"distance_m": 1500.0, "remaining_distance_m": 500.0}),
        ("m.countdown({ session_type: 'intervals' }, given[0], 900, 226, 0, en)",
         {"text": "0:14 to go", "share": None}, {"elapsed_s": 225.0, "remaining_time_s": 15.0}),
        ("m.countdown({ session_type: 'calories' }, { remaining_calories_kcal: 25 }, 0, 0, 75, en)",
         {"text": "25 kcal to go", "share": 0.75}),
        ("m.countdown({ session_type: 'distance' }, {}, 1, 1, 1, en)", None),
        ("m.progress({ target_distance_m: 2000 }, 1500, 300, 0, 0, en).text", "500 m to go")],
    "coach/workouts.js": [
        ("m.putOffset({}, '1:45')", False), ("(m.putOffset(given[0], '2k-2-2k+2'), given[0])",
                                             {"target_2k_offset_min_s_per_500m": -2,
                                              "target_2k_offset_max_s_per_500m": 2}, {}),
        ("m.DEFAULT_RELEASE_S", 900),
        ("m.describe(m.fieldsOf(given[0]), en)", "8 \u00d7 500 m, rest 1:00, target 1:45 to 1:55",
         {"kind": "intervals", "count": "8", "length": "500", "unit": "m", "rest": "1:00",
          "pace": "1:45-1:55"}),
        ("m.describe(m.fieldsOf(given[0]), en)", "8 \u00d7 500 m, rest 0:01, target 1:45",
         {"kind": "intervals", "count": "8", "length": "500", "unit": "m", "rest": "1", "pace": "1:45"}),
        ("m.describe(m.fieldsOf(given[0]), de)",
         "2 \u00d7 (1000 m, Pause 3:00, Ziel 1:55 + 500 m, Pause, bis es weitergeht, Ziel 1:45)",
         {"kind": "intervals", "count": "2", "length": "1000+500", "unit": "m", "rest": "3:00+*",
          "pace": "1:55+1:45"}),
        ("m.describe(m.fieldsOf(given[0]), en)", "unlimited \u00d7 1 min, target 22 to 24 spm",
         {"kind": "intervals", "count": "*", "length": "1:00", "unit": "s", "rest": "", "rate": "22-24"}),
        ("m.describe(m.fieldsOf(given[0]), en)", "2000 m, splits of 400 m",
         {"kind": "distance", "length": "2000", "split": "400"}),
        ("m.describe(m.fieldsOf(given[0]), en)", "", {"kind": "distance", "length": "2 km"}),
        ("m.describe(m.fieldsOf(given[0]), en)", "", {"kind": "distance", "length": ""}),
        ("m.describe(m.fieldsOf(given[0]), en)", "", {"kind": "distance", "length": "2000", "pace": "fast"}),
        ("m.describe(m.fieldsOf(given[0]), en)", "2 \u00d7 (1000 m, target 2k+12 + 500 m, target 6k\u22122)",
         {"kind": "intervals", "count": "2", "length": "1000+500", "unit": "m", "rest": "",
          "pace": "2k + 12 + 6k-2"}),
        ("m.describe(m.fieldsOf(given[0]), en)", "2000 m, target 2k\u22125 to 2k+0",
         {"kind": "distance", "length": "2000", "pace": "2k-5-2k"}),
        ("m.describe(m.fieldsOf(given[0]), en)", "", {"kind": "distance", "length": "2000", "pace": "2k+1:00"}),
        # 203 W are 1:59.9 per 500 m, and 80 % are 162 W.
        ("m.ownTargets(given[0], { power_2k_w: 203 }, en)", "2:11.9, 2:01.9 to 2:04.9, from 162 W",
         {"intervals": [{"target_2k_offset_min_s_per_500m": 12, "target_2k_offset_max_s_per_500m": 12},
                        {"target_2k_offset_min_s_per_500m": 2, "target_2k_offset_max_s_per_500m": 5},
                        {"target_2k_power_min_pct": 80}]}),
        ("m.ownTargets({ target_6k_offset_max_s_per_500m: 0 }, { power_6k_w: 203 }, en)", "1:59.9 or faster"),
        ("m.ownTargets({ target_6k_offset_max_s_per_500m: 0 }, { power_2k_w: 203 }, en)",
         "no 6k power in the logbook"),
        ("m.ownTargets({ target_2k_power_min_pct: 80 }, {}, de)", "keine 2k-Leistung im Logbuch"),
        ("m.ownTargets({ target_pace_s_per_500m: 110 }, {}, en)", ""),
        ("m.describe({ type: 'just_row' }, en)", "Just row"), ("m.describe({ workout: 'x' }, en)", ""),
        ("m.nameOf({ type: 'intervals', repeat: 4, intervals: [{ distance_m: 500 }] }, en)",
         "4 \u00d7 500 m"), ("m.TEMPLATES.length", 8),
        ("m.currentWorkoutFields({ state: 'ready', session_type: 'just_row' })", {"type": "just_row"}),
        ("m.commandName({ verb: 'assign', fields: { athlete_id: 'a-18' }, ergs: [{ erg: 'erg-8' }] }, en)",
         "a-18 on Erg 8"),
        ("m.commandName({ verb: 'assign', fields: {}, ergs: [{ erg: 'erg-8' }] }, en)",
         "Assignment cleared"),
        ("m.commandName({ verb: 'rate', fields: { ms: 250 } }, en)", "Update rate: every 250 ms")],
    "coach/workout-dialog.js": [
        # `test_coach` opens the dialog.
        ("typeof m.openWorkoutDialog", "function"),
        ("m.shortRest({ intervals: [{ rest_s: 60 }, { rest_s: 1 }, { rest_s: 9.5 }] })", 1),
        ("m.shortRest({ intervals: [{ rest_s: 10 }, { rest_s: 0 }, {}] })", 0), ("m.shortRest({})", 0)],
    "common/alerts.js": [
        ("m.alertText({ rule: 'off_pace', value: 117.6, limit: 115, isAbove: true }, en)",
         "pace 1:57.6, target 1:55 or faster"),
        ("m.alertText({ rule: 'off_pace', value: 107.6, limit: 110.5, isAbove: false }, en)",
         "pace 1:47.6, target 1:50.5 or slower"),
        ("m.alertText({ rule: 'off_pace', value: 115.04, limit: 115, isAbove: true }, en)", "pace off target"),
        ("m.alertText({ rule: 'rate_out_of_band', value: 30, limit: 26, isAbove: true }, de)",
         "Schlagzahl 30, Ziel 26 oder niedriger"),
        ("m.alertText({ rule: 'stopped', value: 6, limit: 6 }, en)", "no stroke for 6 s"),
        ("m.alertText({ rule: 'heart_rate_high', value: 171, limit: 168, isAbove: true }, en)",
         "heart rate 171, limit 168"),
        ("m.alertText({ rule: 'off_pace', value: 60, limit: 57.5, isAbove: true, machine: 'bike' }, en)",
         "pace 2:00.0, target 1:55 or faster"),
        ("m.alertText({ rule: 'heart_rate_high', value: 171 }, en)", "heart rate high"),
        ("m.alertText({ rule: 'new_rule' }, en)", "new rule"),
        ("m.alertPlace({ gw: 'pier' }, en)", "pier"), ("m.alertPlace({ slug: 'erg-5' }, en, 'Li')", "Erg 5 \u00b7 Li"),
        ("m.firingAlerts(roomOf(given[0]), 0).map((one) => one.rule)", ["off_pace"],
         Erg("erg-1").rows().alerts("off_pace").event()),
        ("m.firingAlerts(roomOf(given[0]), 0).map((one) => one.machine)", ["bike"],
         Erg("erg-1").rows().info("bike_without_arms").alerts("off_pace").event()),
        # The live value if it is fresh and beyond the limit, else the value of the record.
        ("[0, 60000].map((now) => m.firingAlerts(roomOf(given[0]), now)[0].value)", [118.4, 120.0],
         Erg("erg-1").rows(pace=118.4).alerts("off_pace", value=120.0, threshold=115.0).event()),
        ("m.firingAlerts(roomOf(given[0]), 0)[0].value", 120.0,
         Erg("erg-1").rows(pace=112.4).alerts("off_pace", value=120.0, threshold=115.0).event()),
        ("m.firingAlerts(roomOf(given[0]), 0)[0].value", 108.8,
         Erg("erg-1").rows(pace=108.8).alerts("off_pace", value=108.0, threshold=110.0).event()),
        # Sorted by the distance from the limit, on both sides; alerts of the gateway are no group.
        ("m.alertGroups(given).map((group) => group.alerts.map((one) => one.id).join(''))", ["cab", "d", "e", "f"],
         {"id": "a", "slug": "1", "rule": "off_pace", "value": 118, "limit": 115},
         {"id": "b", "slug": "2", "rule": "off_pace"},
         {"id": "c", "slug": "3", "rule": "off_pace", "value": 100, "limit": 110},
         {"id": "d", "slug": "3", "rule": "off_pace", "isSeen": True},
         {"id": "e", "slug": "", "rule": "disk"}, {"id": "f", "slug": "", "rule": "disk"}),
        ("m.groupTitle({ rule: 'off_pace', alerts: given }, en)", "4 off pace", 1, 2, 3, 4),
        ("m.groupTitle({ rule: 'battery_low', alerts: given }, de)", "2 Ergos: Batterien schwach", 1, 2)],
    "wall/notifications.js": [
        ("m.crewSimilarity({ f: { a: 0.9, b: 0.8 } }, 'f').toFixed(2)", "0.85"),
        ("m.crewSimilarity({}, 'f')", None),
        ("m.crewText({ gw: 'boathouse', live: { payload: given[1] } }, roomOf(given[0]), en)",
         "1:53.2 \u00b7 24 spm \u00b7 94 % match", Erg("erg-1").event(),
         crew("four", ["erg-1"])["messages"]["live"]["payload"]),
        ("m.crewValue({ gw: 'boathouse', live: { payload: { pace_s_per_500m: 113.2 } } }, roomOf(given[0]), en)",
         "1:53.2", Erg("erg-1").event()),
        ("m.crewValue({ gw: 'boathouse', live: { payload: { pace_s_per_500m: 113.2, members: ['erg-1'] } } },"
         " roomOf(given[0]), en)", "3:46.4 /1000 m", Erg("erg-1").info("bike_without_arms").event()),
        ("m.rowingCrews({ crews: new Map([['x', { gw: 'g', name: 'x', live: { receivedAt: 0,"
         " payload: { pace_s_per_500m: 1 } } }]]) }, 6000)", []),
        ("m.knownCrews({ crews: new Map() })", []),
        ("m.notifications(roomOf(given[0]), { strings: en, now: 0 }, 'best').map((one) => one.kind)", ["best"],
         Erg("erg-1").event())],
    "common/preferences.js": [
        ("m.SETTINGS.value", ["power"]),
        ("m.chosenValue('language', 'a=1; rowgate-language=de')", "de"),
        ("m.chosenValue('theme', 'rowgate-theme=blue')", ""),
        ("m.settingCookie('theme', 'dark')", "rowgate-theme=dark; Path=/; Max-Age=31536000; SameSite=Strict"),
        ("m.settingCookie('theme', '')", "rowgate-theme=; Path=/; Max-Age=0; SameSite=Strict")],
    "wall/header.js": [
        ("m.commonTarget([{ targetText: '1:45' }, { targetText: '1:45' }])", "1:45"),
        ("m.summary([given[0]], en).interval", "2 of 8",
         {"state": "rowing", "interval": "2 of 8", "key": "a"}),
        # Two kinds of machine have no common pace.
        ("['bike', 'rower'].map((other) => m.summary([{ ...given[0], machine: other }, given[1]], en).pace)",
         ["3:44.0 /1000 m", ""], {"state": "rowing", "key": "a", "pace": 111, "rate": 24},
         {"state": "rowing", "key": "b", "pace": 113, "rate": 26, "machine": "bike"}),
        ("m.summary([given[0], given[0]], en).pace", "1:51.0",
         {"state": "rowing", "key": "a", "pace": 111, "machine": "rower"}),
        ("m.header(roomOf(given[0]), [], { strings: en, now: 0 }).title", "Wall", Erg("erg-1").event())],
    "wall/new-bests.js": [
        ("m.bannerText({ bests: [given[0]] }, [], { strings: en, now: 1000 })",
         "erg-1 \u00b7 500 m \u00b7 1:40.0 \u00b7 fastest stretch so far",
         {"receivedAt": 0, "payload": {"gw": "g", "erg": "erg-1", "session_id": "A", "event": "500m",
                                  "result": "effort", "scope": "all_time", "time_s": 100.0,
                                  "before_time_s": 101.0}}),
        ("m.bannerText({ bests: [given[0]] }, [], { strings: en, now: 1000 })", "",
         {"receivedAt": 0, "payload": {"gw": "g", "erg": "erg-1", "session_id": "A", "event": "500m",
                                  "result": "effort", "scope": "all_time", "time_s": 100.0}}),
        ("m.hasGoldEdge({ bests: [] }, {}, 'A', 0)", False)],
    "session/compare.js": [
        ("m.difference([112.44, 112.36], 1)", 0), ("m.difference([112.4, 0], 1)", None),
        ("m.signed(-0.04, 1, en)", "\u00b10.0"), ("m.signed(-1.26, 1, de)", "\u22121,3"),
        ("m.signed(0.4, 0, en)", "\u00b10"), ("m.wholePiece(given[0], given[0]).pace", [112.0, 112.0],
                                              {"detail": DETAIL, "strokes": STROKES}),
        ("m.sections(given[0], given[1]).map((one) => one.lead.toFixed(1))", ["1.2", "2.4"],
         {"detail": DETAIL, "strokes": STROKES}, {"detail": LOST, "strokes": STROKES}),
        ("m.verdict(given[0], given[1], [], en)", ["2.4 s faster", "3:44.0 against 3:46.4"],
         {"detail": DETAIL}, {"detail": LOST}),
        ("m.commonMachine(given[0], given[1])", "rower", {"detail": DETAIL}, {"detail": on_bike(DETAIL)}),
        ("m.verdict(given[0], given[1], [], en).slice(0, 2)",
         ["2.4 s/1000 m faster", "3:44.0 /1000 m against 3:46.4 /1000 m"],
         {"detail": on_bike(DETAIL, distance_m=5000.0)}, {"detail": on_bike(LOST)}),
        ("m.candidates(given[0], [given[1]]).own.length", 1, {**DETAIL["session"], **SUMMARY},
         {**LOST["session"], **SUMMARY})],
    "common/series.js": [
        ("m.isNumber(NaN)", False), ("m.wholeStrokes(given[0]).length", 60, STROKES + [{}]),
        ("m.mean([{ a: 1 }, { a: 2 }, {}], 'a')", 1.5), ("m.mean([], 'a')", None),
        ("m.quarters(given[0], 'distance_m').map(Math.round)", [80, 530], STROKES),
        ("m.halfDifference(given[0]).toFixed(1)", "-1.2", [SPLIT, SLOWER]), ("m.halfDifference([])", None),
        ("m.ticks(0, 10, 5)", [0, 5, 10]), ("m.scale([100, 110], [1, 2, 5, 10], 4).ticks.length < 6", True),
        ("m.gapText({ from_stroke: 3, to_stroke: 4 }, en)", "2 strokes missed"),
        ("m.series(given[0], given[1], 'distance_m', en, true).runs.length", 1, STROKES, DETAIL),
        ("m.withOther({ end: 3 }, { end: 5 }).end", 5)],
    "session/format.js": [
        ("m.knownState('later')", "open"), ("m.kindOf('fixed_time_with_splits', en)", "Time"),
        ("m.distance(12, en)", "12 m"), ("m.distance(undefined, en)", ""), ("m.time(61.04, de)", "1:01,0"),
        ("m.paceOf(given[0], en)", "1:52.0", SUMMARY), ("m.paceOf({}, en)", ""),
        ("m.paceOf({ avg_pace_s_per_500m: 56, machine_type: 'bike_erg' }, de)", "1:52,0"),
        ("m.machineName({ machine_type: 'ski_erg' }, en)", "SkiErg"),
        ("m.machineName({ machine_type: 'bike_erg' }, de)", "BikeErg"),
        ("m.machineName({}, en)", ""),
        ("m.sessionTitle(given[0], {}, [1, 2], en)", "2 \u00d7 500 m", {
            "session_type": "intervals", "workout": "fixed_distance_interval", "interval_count": 8,
            "target_distance_m": 500.0, "distance_m": 1000.0}),
        ("m.stateReasons(given[0], en)", ["all 60 strokes are as the gateway recorded them"], DETAIL),
        ("m.stateReasons(given[0], de)", [
            "alle 60 Schläge sind so, wie sie das Gateway aufgezeichnet hat",
            "das Ende kam nicht an: Distanz und Zeit können zu niedrig sein"],
         {**DETAIL, "summary": {"partial_result": True}}),
        ("m.stateReasons(given[0], en)[1]", "2 more strokes carry the id of this session but are not part of it",
         {**DETAIL, "session": {**DETAIL["session"], "foreign_strokes": 2}})],
    "group/facts.js": [
        ("given.map(m.workSeconds)", [431.3, 431.3, 3723.0, 431.0, None, None, None, None, None, None],
         "7:11.3", " 7:11,3 ", "1:02:03", "7:11", "", "431", "7:61", "7:11.34", "1:60:00", "7:11:3"),
        ("given.map((one) => m.additionMark(one, { workout: { notation: '2000m' } }, one.day ? '28 Nov' : '',"
         " { ...en, ...en.groupPage }))",
         ["by hand, 28 Nov", "made up on 28 Nov", "made up on 28 Nov · 8\u2009×\u2009500\u202fm/1:00r",
          "made up on 28 Nov · Just row", "session no longer stored for this athlete"],
         {"kind": "by_hand", "day": "2026-11-28"}, {"kind": "made_up", "day": "2026-11-28", "workout": "2000m"},
         {"kind": "made_up", "day": "2026-11-28", "workout": "8x500m/1:00r"},
         {"kind": "made_up", "day": "2026-11-28"}, {"kind": "made_up"}),
        ("m.workoutName(given[0], en)", "8 \u00d7 500 m, rest 1:00", EIGHT),
        ("m.workoutName(given[0], de)", "1000 m + 2:00", LADDER),
        ("m.workoutName({ ...given[0], notation: 'intervals' }, en)", "Intervals", LADDER),
        ("m.workoutName(undefined, en)", "Just row"),
        ("m.offTarget(given[0], en)", {"look": "hard", "word": "fast"}, {**TARGET, "avg_pace_s_per_500m": 109.0}),
        ("m.offTarget(given[0], de)", {"look": "easy", "word": "zu langsam"},
         {**TARGET, "avg_pace_s_per_500m": 116.0}),
        ("m.offTarget(given[0], en)", None, {**TARGET, "avg_pace_s_per_500m": 115.0}),
        # A single pace is met within a second.
        ("m.offTarget(given[0], en)", None, {"avg_pace_s_per_500m": 110.9, "target_pace_min_s_per_500m": 110.0,
                                             "target_pace_max_s_per_500m": 110.0}),
        ("m.offTarget(given[0], en)", {"look": "hard", "word": "heart rate too high"},
         {"avg_heart_rate_bpm": 171, "target_heart_rate_max_bpm": 165}),
        ("m.offTarget({ avg_pace_s_per_500m: 110 }, en)", None),
        ("m.repeatIn(given[0], 2).duration_s", 101.0, rowed("a", 100.0, 101.0)),
        ("m.repeatIn(given[0], 3) === undefined", True, rowed("a", 100.0)),
        ("m.paceOfRepeat(given[0])", 200.0, {"duration_s": 40.0, "distance_m": 100.0}),
        ("m.paceOfRepeat({ avg_pace_s_per_500m: 99 })", 99), ("m.paceOfRepeat(undefined) === undefined", True),
        *[(f"m.sortedRows(given[0], '{column}', {turned}, {NAMES}).map({NAMES}).join('')", order,
           [rowed("b", 102.0, 100.0, share=0.5), rowed("c", 101.0), rowed("a", 103.0, 99.0, share=0.2)])
          for column, turned, order in (("name", "false", "abc"), ("name", "true", "cba"), ("1", "false", "cba"),
                                        ("2", "false", "abc"), ("in_target_ratio", "true", "bac"))],
        (f"m.sentences(given[0], {NAMES}, {{ ...en, ...en.groupPage }})",
         ["1 of 2 athletes had at least 80 % of their strokes on target.",
          "b rowed the last repeat 2.0 s faster than the first.", "a lost 3.0 s in repeat 2."],
         group(rowed("a", 100.0, 103.0, 103.0, share=0.9), rowed("b", 110.0, 109.0, 108.0, share=0.1))),
        (f"m.sentences(given[0], {NAMES}, {{ ...de, ...de.groupPage }})",
         ["a ruderte am gleichmäßigsten: alle Wiederholungen innerhalb von 0,6 s."],
         group(rowed("a", 100.0, 100.3, 100.1), rowed("b", 110.0, 110.9, 111.8), machine="bike")),
        (f"m.sentences(given[0], {NAMES}, {{ ...en, ...en.groupPage }})", [],
         group(rowed("a", 100.0, 110.0, complete=False)))],
    "wall/tile.js": [
        ("m.quantity('rate', '24', en)", {"label": "Stroke rate", "value": "24", "unit": "spm"}),
        ("m.quantity('power', '\u2013', en).unit", ""), ("m.heart(0, en)", None),
        ("m.heart(156.4, en).value", "156"), ("m.distance(1999.9, en).value", "1999"),
        ("m.distance(undefined, en).value", "\u2013"),
        ("m.resultShown(given[0], en).big", "3:44.0", SUMMARY),
        ("m.resultShown(given[0], en).lines", ["1000 m \u00b7 3:44.0 /1000 m"],
         {**SUMMARY, "machine_type": "bike_erg"}),
        ("m.resultShown(given[0], en).word", "end not received",
         {**SUMMARY, "complete": True, "partial_result": True}),
        ("m.averageUnit('rower', en) === en.average", True),
        ("m.averageUnit('bike', en) === en.average + ' ' + en.units.bikePace", True),
        ("m.resultLine(given[0], en)", "1000 m \u00b7 3:44.0", SUMMARY),
        ("m.machineOf({ messages: { info: { payload: { machine_type: 'ski_erg' } } } })", "ski"),
        ("m.tile(roomOf(given[0]).ergs.get('boathouse/erg-1'), roomOf(given[0]),"
         " { strings: en, now: 0, track: null }).big", "1:52.4", Erg("erg-1").rows().event()),
        ("m.tiles([], roomOf(given[0]), { strings: en, now: 0 }, () => null)", [], Erg("erg-1").event()),
        ("m.ACTIVE_STATES.length", 3)],
    "races/texts.js": [
        ("['individual', 'team', 'relay'].map((kind) => m.kindText({ kind, team_size: 4 }, en.racesPage))",
         ["", "teams of 4, mean result", "relay"]),
        ("[m.ergsOfLane({ team_size: 4 }, 2, en.racesPage), m.ergsOfLane({}, 2, en.racesPage)]", ["ergs 5–8", ""]),
        ("m.membersText({}, {}, { members: [{ name: 'Ana' }, { name: 'Bea' }] }, en.racesPage)", "Ana, Bea"),
        ("m.membersText({ distance_m: 1000 }, { members: [{ name: 'Ana', standing: 'finished', result:"
         " { result_time_s: 200.1 } }, { name: 'Bea', standing: 'did_not_finish' }, { name: '',"
         " standing: 'waiting' }] }, {}, { ...en, ...en.racesPage })",
         "Ana 3:20.1, Bea DNF, erased athlete"),
        ("m.pieceText({ distance_m: 2000 }, en)", "2000 m"), ("m.pieceText({ duration_s: 240 }, en)", "4 min"),
        ("m.heatText({ number: 2 }, { ...en, ...en.racesPage })", "Heat 2"),
        ("m.heatText({ number: 1, final: true }, { ...de, ...de.racesPage })", "Finale"),
        ("m.progressionText({ advance_places: 2, advance_times: 4 }, en.racesPage)",
         "to the final: the first 2 of each heat and the 4 fastest others"),
        ("m.progressionText({ advance_places: 1, advance_times: 0 }, en.racesPage)",
         "to the final: the winner of each heat"),
        ("m.progressionText({ advance_places: 0, advance_times: 0 }, en.racesPage)", ""),
        ("m.lineText({ distance_m: 500 }, { standing: 'did_not_start' }, en.racesPage)", "DNS"),
    ],
    "race/result.js": [
        ("m.pieceOf({ duration_s: 60 }, en)", "1 min"), ("m.isOver(given[0])", True, LANE),
        ("m.isOut(given[0])", False, LANE), ("m.laneKey(given[0])", "boathouse/erg-3", LANE),
        ("m.laneName(given[0], null, en)", "Li Wei", LANE),
        ("m.laneName({ ...given[0], team_name: 'Mill' }, null, en)", "Mill: Li Wei", LANE),
        ("m.briefName({ ...given[0], team_name: 'Mill' })", "LW \u00b7 Mill", LANE),
        ("m.briefName(given[0])", "", LANE),
        # The gateway publishes no names.
        ("m.laneName({ erg: 'erg-3', athlete_id: 'li' }, null, en)", "Erg 3"),
        ("m.laneStatus({ standing: 'scratched' }, race)", "scratched"),
        ("m.earlyText({ early_s: 0.001, false_starts: 1 }, race, en)", "false start, 0.01 s early"),
        ("m.resultText(given[0], given[1].result, en)", "7:21.3", RACE, LANE),
        ("m.resultText({ distance_m: 2000 }, { result_time_s: 405.34 }, en)", "6:45.3"),
        # Metres are rounded down.
        ("m.resultText({ duration_s: 240 }, { distance_m: 1123.4 }, en)", "1123 m"),
        ("m.resultText({ duration_s: 240 }, { distance_m: 1123.6 }, en)", "1123 m"),
        ("m.gapToFirst({ duration_s: 240 }, { distance_m: 1121.9 }, { distance_m: 1123.6 }, en)", "+2 m"),
        # Times and distances that look equal.
        ("m.gapToFirst(given[0], { result_time_s: 441.34 }, { result_time_s: 441.3 }, en)", "+0.04 s", RACE),
        ("m.gapToFirst(given[0], { result_time_s: 441.36 }, { result_time_s: 441.34 }, en)", "+0.1 s", RACE),
        ("m.gapToFirst(given[0], { result_time_s: 441.3 }, { result_time_s: 441.3 }, en)", "", RACE),
        ("m.gapToFirst({ duration_s: 60 }, { distance_m: 300.1 }, { distance_m: 300.4 }, en)", "+0.3 m"),
        ("m.gapToFirst({ duration_s: 60 }, { distance_m: 290 }, { distance_m: 300.4 }, en)", "+10 m"),
        ("m.resultLines({ distance_m: 2000, lanes: [given[0]] }, new Map(), en, race)[0].big", "7:21.3",
         LANE),
        ("[null, 'bike'].map((machine) => m.resultLines({ distance_m: 2000, lanes: [given[0]] },"
         " new Map([['boathouse/erg-3', { place: '3', machine }]]), en, race)[0])"
         ".map((line) => line.pace + ' ' + line.paceUnit)", ["1:50.3 /500\u202fm", "3:40.6 /1000\u202fm"], LANE),
        ("m.paceBoatText({ distance_m: 2000, pace_s_per_500m: 110 }, 1000, 990, en, race)",
         "pace boat 7:20.0, 10 m behind the leader"),
        ("m.falseStartTexts(given[0], en, race)", "", RACE),
        ("m.subtitle({ ...given[0], lanes: [given[1]] }, 0, 0, en, race)", "heat 2 \u00b7 1 of 1 finished",
         RACE, LANE)],
    "common/api-client.js": [
        ("m.withReceivedPart(given[0])", {"result_time_s": 24.0, "distance_m": 90.2, "partial_result": True,
                                          "received_time_s": 24.0, "received_distance_m": 90.2},
         {"partial_result": True, "received_time_s": 24.0, "received_distance_m": 90.2}),
        ("m.withReceivedPart(given[0]) === given[0]", True, SUMMARY),
        ("m.requestError({ code: 'broker_away', detail: 'x' }, de).slice(0, 15)", "keine Verbindun"),
        ("m.requestError({ code: 'bad_value', detail: given[0] }, de)",
         "Einen Wert von 100 bis 999999 m eingeben", "distance is 20 m, must be 100 to 999999"),
        ("m.requestError({ code: 'bad_value', detail: given[0] }, en)", "Enter a value from 10 to 60",
         "target_stroke_rate_min_spm must be 10 to 60"),
        ("m.requestError({ code: 'missing_field', detail: given[0] }, en)", "Enter the interval length",
         "intervals[1].distance_m, duration_s or calories_kcal is missing"),
        ("m.requestError({ code: 'bad_value', detail: 'line 2, column 2: x' }, en)", "line 2, column 2: x"),
        ("m.requestError({ code: 'bad_value', detail: 'line 2, column 2: x' }, de) === de.requestErrors.other",
         True),
        ("m.requestError({}, en) === en.noAnswer", True),
        ("m.commandError({ code: 'failed', message: 'x' }, en)", "failed on the gateway: x"),
        ("m.commandError({ code: 'failed', message: 'x' }, de)", "auf dem Gateway fehlgeschlagen"),
        ("m.commandError({ code: 'new', message: 'x' }, de)", "x")],
    "common/gateway-problems.js": [
        ("m.problemText({ code: 'battery', erg: 'erg-7', text: 'x' }, {}, de).what",
         "Ergo 7: Batterien schwach"),
        ("m.problemText({ code: 'disk', text: 'x' }, { disk_behind_s: 12 }, en).what",
         "Disk not responding for 12 s"),
        ("m.problemText({ code: 'topic_refused', text: 'x' }, { left_out: ['a/b'] }, en).what",
         "The broker rejects a/b"),
        ("m.problemText({ code: 'records_lost', text: 'x' }, { ring_dropped_total: 12 }, de).what",
         "12 Datens\u00e4tze vor dem Senden verloren"),
        ("m.problemText({ code: 'broker', text: 'a', remedy: 'b' }, {}, en).detail", "a; b"),
        ("m.problemText({ code: 'broker', text: 'a', remedy: 'b' }, {}, de).detail", ""),
        ("m.problemText({ code: 'new', text: 'a', remedy: 'b' }, {}, de)",
         {"what": "a", "remedy": "b", "isForeign": True}),
        ("m.certificateEnd({ broker_certificate_end_ms: 9, own_certificate_end_ms: 5 })", 5),
        ("m.certificateEnd({})", None),
        ("m.isCount(-1)", False), ("m.LONGEST_SENTENCE", 2000)],
    "gateways/gateway.js": [
        ("m.STATES.length", 8), ("m.gateway(given[0], 60000, gw).word", "needs attention", GATEWAY),
        ("m.reportedProblems(given[0].health, gw)[0].remedy", "use the official one", GATEWAY),
        # Long remedies are not cut.
        ("m.reportedProblems({ reasons: [given[0]] }, gw)[0].remedy.slice(-6)", "ending",
         "a; " + "word " * 100 + "ending"),
        ("m.reportedProblems({ reasons: [given[0]] }, gw)[0].remedy.slice(-5)", "word\u2026", "a; " + "word " * 400),
        ("m.figuresOf(given[0].health, gw).map((one) => one.label + ' ' + one.note)",
         ["Bluetooth adapters 5 connections", "Buffer used covers the last 1 d", "Clock "], GATEWAY),
        ("m.missingLines([{ erg: 'erg-1', kind: 'stroke', missing: [{ from_seq: 7, to_seq: 9,"
         " cause: 'unknown' }] }], gw)", [{"place": "erg-1, stroke 7\u20139", "cause": "requested"}]),
        ("m.sharerLines([{ process: 3, parts: [1], gateways: ['a'] }], gw).length", 1),
        ("m.storageLines(given[0], gw)", [
            "No records are stored: the disk is full",
            "The store\u2019s file was removed or moved (09:05)",
            "Messages rejected since the start: 12 (not valid)"],
         {"store": {"state": "failing", "reason": "disk_full", "replaced_ms": 1769936700000},
          "refusals": [{"count": 12, "reason": "no_record"}]}),
        ("m.storageLines({ store: { state: 'ok' }, refusals: [] }, gw)", []),
        ("m.worstFirst({ state: 'failed', name: 'b' }, { state: 'ok', name: 'a' }) < 0", True),
        ("m.sumOf([{ state: 'degraded' }, { state: 'ok' }], gw)", "2 gateways, one needs attention")],
    "coach/rows.js": [
        ("(await lineOf(m.coachRow, given[0])).pace", "1:52.4", Erg("erg-1").rows().event()),
        ("(await lineOf(m.coachRow, given[0])).paceUnit", "", Erg("erg-1").rows().event()),
        ("(await lineOf(m.coachRow, given[0])).paceUnit", "/1000 m",
         Erg("erg-1").rows().info("bike_without_arms").event()),
        ("(await lineOf(m.coachRow, given[0])).scale.targetText", "3:30",
         Erg("erg-1").rows().info("bike_without_arms").live(
             **pace(105.0, 105.0, "below")).event()),
        ("(m.makeHead(page, en), Array.from(page.children).map((one) => one.textContent).slice(0, 3))",
         ["Erg", "Athlete", "Pace"])],
    "coach/panels.js": [
        ("m.commandResult({ status: 'ok' }, {}, 0, en).kind", "done"),
        ("m.shownCommand(given[0], new Map(), 0, en).doneText", "confirmed on erg-1", {
            "id": "x", "verb": "workout", "fields": {"type": "just_row"}, "sent": 0,
            "ergs": [{"gw": "g", "erg": "erg-1", "status": "ok"}]}),
        ("m.shownCommands({ commands: new Map() }, new Map(), 0, en)", [])],
    "wall/tile-view.js": [
        ("(m.fitNames([{ name: 'Li Wei', nameElement: page, wantsFit: () => true, isCut: true,"
         " shorten() { page.textContent = 'Li W.'; } }], ''), [page.title, page.textContent])", ["Li Wei", "Li W."])],
}

# English and German.
LANGUAGES = [json.loads(strings_text(language)) for language in ("en", "de")]

SCRIPT = """
const [module, givens, languages, done] = arguments;
const roomOf = (event) => {
  const room = rooms.emptyRoom();
  rooms.applyEvent(room, 'room', { sent_ms: 0, ergs: [event], gateways: [] }, 0);
  return room;
};
const rankTiles = (m, given) => {
  m.rankTiles(given);
  return given.map(({ tile }) => [tile.rank, tile.gap]);
};
const lineOf = async (line, event) => {
  const room = roomOf(event), view = { strings: en, now: 0, track: null };
  const [erg] = rooms.inOrder(room);
  const { tile } = await import('/assets/wall/tile.js');
  return line(tile(erg, room, view), erg, room, view);
};
let rooms, en, de, race, gw;
const page = document.createElement('div');
(async () => {
  rooms = await import('/assets/common/room.js');
  const strings = await import('/assets/common/strings.js');
  [en, de] = languages.map(strings.allStrings);
  race = en.racePage;
  gw = strings.stringsOfPage(en, 'gatewaysPage');
  const m = await import('/assets/' + module);
  const asks = [%s];
  const found = [];
  for (const [index, ask] of asks.entries()) {
    try {
      const value = await ask(m, givens[index]);
      found.push(value === undefined ? null : JSON.parse(JSON.stringify(value)));
    } catch (error) { found.push('failed: ' + error); }
  }
  return found;
})().then(done, (error) => done('failed: ' + error));
"""


class HelperTests(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        browser().get(cls.scenes.address + "/assets/common/icon.svg")

    def test_each_case(self):
        for module, cases in CASES.items():
            asks = ", ".join(f"async (m, given) => ({case[0]})" for case in cases)
            found = plain(self.browser.execute_async_script(
                SCRIPT % asks, module, [list(case[2:]) for case in cases], LANGUAGES))
            self.assertIsInstance(found, list, f"{module}: {found}")
            for case, value in zip(cases, found):
                with self.subTest(f"{module}: {case[0]} of {case[2:]}"):
                    if isinstance(value, dict) and isinstance(value.get("share"), float):
                        value["share"] = round(value["share"], 3)
                    self.assertEqual(value, plain(case[1]))

    def test_no_exported_function_is_left_out(self):
        here = pathlib.Path(__file__).parent
        missing = []
        for name in SCRIPTS:
            tree = esprima.parseModule((PAGES / name).read_text())
            sources = {imported(name, node.source.value) for node in tree.body
                       if node.type == "ImportDeclaration"}
            if name in OF_PAGES or sources & OF_PAGES and name not in {*CASES, *ELSEWHERE}:
                continue
            text = " ".join(case[0] for case in CASES.get(name, []))
            if name in ELSEWHERE:
                text += (here / f"{ELSEWHERE[name]}.py").read_text()
            missing += [f"{name}: {one}" for one in exported(tree)
                        if not re.search(rf"\b{re.escape(one)}\b", text)]
        self.assertEqual(missing, [])


def exported(tree):
    """The exported functions and constants of a module, without classes."""
    for node in tree.body:
        found = node.declaration if node.type == "ExportNamedDeclaration" else None
        if found and found.type == "FunctionDeclaration":
            yield found.id.name
        if found and found.type == "VariableDeclaration":
            yield from (one.id.name for one in found.declarations)
