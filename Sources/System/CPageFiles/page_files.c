// The files of the pages and the description of the HTTP interface, embedded in the program.
//
// The assembler copies each file (`.incbin`), which takes no time; Swift needs a minute to compile them
// as arrays. `__has_include` makes the compiler list each file among its dependencies, so that a change
// of a file rebuilds this one. Package.swift gives the folders of the files. A test compares the list
// with the folder.

#include "page_files.h"

#define SYMBOL(id) page_file_##id
#define EMBED(id, name)                                                                              \
    __asm__(".section .rodata,\"a\",%progbits\n"                                                      \
            ".global page_file_" #id "\n"                                                            \
            ".global page_file_" #id "_end\n"                                                        \
            "page_file_" #id ":\n"                                                                   \
            ".incbin \"" name "\"\n"                                                                 \
            "page_file_" #id "_end:\n"                                                               \
            ".byte 0\n"                                                                              \
            ".previous\n");                                                                          \
    extern const unsigned char page_file_##id[];                                                     \
    extern const unsigned char page_file_##id##_end[];

#if !__has_include("acting.js")
#error "acting.js is missing"
#endif
#if !__has_include("alerts.js")
#error "alerts.js is missing"
#endif
#if !__has_include("asking.js")
#error "asking.js is missing"
#endif
#if !__has_include("athlete.css")
#error "athlete.css is missing"
#endif
#if !__has_include("athlete.html")
#error "athlete.html is missing"
#endif
#if !__has_include("athlete.js")
#error "athlete.js is missing"
#endif
#if !__has_include("athletes.html")
#error "athletes.html is missing"
#endif
#if !__has_include("athletes.js")
#error "athletes.js is missing"
#endif
#if !__has_include("base.css")
#error "base.css is missing"
#endif
#if !__has_include("bests.js")
#error "bests.js is missing"
#endif
#if !__has_include("calendar.js")
#error "calendar.js is missing"
#endif
#if !__has_include("chart.js")
#error "chart.js is missing"
#endif
#if !__has_include("choosing.js")
#error "choosing.js is missing"
#endif
#if !__has_include("clubtime.js")
#error "clubtime.js is missing"
#endif
#if !__has_include("coach.css")
#error "coach.css is missing"
#endif
#if !__has_include("coach.html")
#error "coach.html is missing"
#endif
#if !__has_include("coach.js")
#error "coach.js is missing"
#endif
#if !__has_include("compare.js")
#error "compare.js is missing"
#endif
#if !__has_include("crewing.js")
#error "crewing.js is missing"
#endif
#if !__has_include("crews.js")
#error "crews.js is missing"
#endif
#if !__has_include("curves.js")
#error "curves.js is missing"
#endif
#if !__has_include("dialog.js")
#error "dialog.js is missing"
#endif
#if !__has_include("effort.js")
#error "effort.js is missing"
#endif
#if !__has_include("ending.js")
#error "ending.js is missing"
#endif
#if !__has_include("event.js")
#error "event.js is missing"
#endif
#if !__has_include("expected.js")
#error "expected.js is missing"
#endif
#if !__has_include("figures.js")
#error "figures.js is missing"
#endif
#if !__has_include("frames.js")
#error "frames.js is missing"
#endif
#if !__has_include("gateway.js")
#error "gateway.js is missing"
#endif
#if !__has_include("gatewayasking.js")
#error "gatewayasking.js is missing"
#endif
#if !__has_include("gatewaydialogs.js")
#error "gatewaydialogs.js is missing"
#endif
#if !__has_include("gateways.css")
#error "gateways.css is missing"
#endif
#if !__has_include("gateways.html")
#error "gateways.html is missing"
#endif
#if !__has_include("gateways.js")
#error "gateways.js is missing"
#endif
#if !__has_include("gatewayview.js")
#error "gatewayview.js is missing"
#endif
#if !__has_include("gatewaywords.js")
#error "gatewaywords.js is missing"
#endif
#if !__has_include("grid.js")
#error "grid.js is missing"
#endif
#if !__has_include("header.js")
#error "header.js is missing"
#endif
#if !__has_include("heart.js")
#error "heart.js is missing"
#endif
#if !__has_include("icon.svg")
#error "icon.svg is missing"
#endif
#if !__has_include("light.css")
#error "light.css is missing"
#endif
#if !__has_include("line.js")
#error "line.js is missing"
#endif
#if !__has_include("lineview.js")
#error "lineview.js is missing"
#endif
#if !__has_include("load.js")
#error "load.js is missing"
#endif
#if !__has_include("needs.js")
#error "needs.js is missing"
#endif
#if !__has_include("newbest.js")
#error "newbest.js is missing"
#endif
#if !__has_include("page.js")
#error "page.js is missing"
#endif
#if !__has_include("piece.js")
#error "piece.js is missing"
#endif
#if !__has_include("places.js")
#error "places.js is missing"
#endif
#if !__has_include("plandialogs.js")
#error "plandialogs.js is missing"
#endif
#if !__has_include("planned.js")
#error "planned.js is missing"
#endif
#if !__has_include("plans.css")
#error "plans.css is missing"
#endif
#if !__has_include("plans.html")
#error "plans.html is missing"
#endif
#if !__has_include("plans.js")
#error "plans.js is missing"
#endif
#if !__has_include("planset.js")
#error "planset.js is missing"
#endif
#if !__has_include("planweeks.js")
#error "planweeks.js is missing"
#endif
#if !__has_include("planwords.js")
#error "planwords.js is missing"
#endif
#if !__has_include("quantity.js")
#error "quantity.js is missing"
#endif
#if !__has_include("race.css")
#error "race.css is missing"
#endif
#if !__has_include("race.html")
#error "race.html is missing"
#endif
#if !__has_include("race.js")
#error "race.js is missing"
#endif
#if !__has_include("raceboat.js")
#error "raceboat.js is missing"
#endif
#if !__has_include("racecontrol.js")
#error "racecontrol.js is missing"
#endif
#if !__has_include("raceresult.js")
#error "raceresult.js is missing"
#endif
#if !__has_include("raceview.js")
#error "raceview.js is missing"
#endif
#if !__has_include("racewords.js")
#error "racewords.js is missing"
#endif
#if !__has_include("racing.js")
#error "racing.js is missing"
#endif
#if !__has_include("reason.js")
#error "reason.js is missing"
#endif
#if !__has_include("records.js")
#error "records.js is missing"
#endif
#if !__has_include("result.js")
#error "result.js is missing"
#endif
#if !__has_include("room.js")
#error "room.js is missing"
#endif
#if !__has_include("rowed.js")
#error "rowed.js is missing"
#endif
#if !__has_include("sentview.js")
#error "sentview.js is missing"
#endif
#if !__has_include("series.js")
#error "series.js is missing"
#endif
#if !__has_include("session.html")
#error "session.html is missing"
#endif
#if !__has_include("session.js")
#error "session.js is missing"
#endif
#if !__has_include("sessions.css")
#error "sessions.css is missing"
#endif
#if !__has_include("sessions.html")
#error "sessions.html is missing"
#endif
#if !__has_include("sessions.js")
#error "sessions.js is missing"
#endif
#if !__has_include("setting.js")
#error "setting.js is missing"
#endif
#if !__has_include("shell.html")
#error "shell.html is missing"
#endif
#if !__has_include("signin.html")
#error "signin.html is missing"
#endif
#if !__has_include("signin.js")
#error "signin.js is missing"
#endif
#if !__has_include("splits.js")
#error "splits.js is missing"
#endif
#if !__has_include("standing.js")
#error "standing.js is missing"
#endif
#if !__has_include("steadiness.js")
#error "steadiness.js is missing"
#endif
#if !__has_include("stream.js")
#error "stream.js is missing"
#endif
#if !__has_include("strip.js")
#error "strip.js is missing"
#endif
#if !__has_include("suggestion.js")
#error "suggestion.js is missing"
#endif
#if !__has_include("target.js")
#error "target.js is missing"
#endif
#if !__has_include("telling.js")
#error "telling.js is missing"
#endif
#if !__has_include("tile.js")
#error "tile.js is missing"
#endif
#if !__has_include("told.html")
#error "told.html is missing"
#endif
#if !__has_include("top.html")
#error "top.html is missing"
#endif
#if !__has_include("top.js")
#error "top.js is missing"
#endif
#if !__has_include("training.js")
#error "training.js is missing"
#endif
#if !__has_include("travel.js")
#error "travel.js is missing"
#endif
#if !__has_include("versus.js")
#error "versus.js is missing"
#endif
#if !__has_include("view.js")
#error "view.js is missing"
#endif
#if !__has_include("volume.js")
#error "volume.js is missing"
#endif
#if !__has_include("wall.css")
#error "wall.css is missing"
#endif
#if !__has_include("wall.html")
#error "wall.html is missing"
#endif
#if !__has_include("wall.js")
#error "wall.js is missing"
#endif
#if !__has_include("words.js")
#error "words.js is missing"
#endif
#if !__has_include("workouts.js")
#error "workouts.js is missing"
#endif
#if !__has_include("zones.js")
#error "zones.js is missing"
#endif
#if !__has_include("openapi.json")
#error "openapi.json is missing"
#endif

EMBED(acting_js, "acting.js")
EMBED(alerts_js, "alerts.js")
EMBED(asking_js, "asking.js")
EMBED(athlete_css, "athlete.css")
EMBED(athlete_html, "athlete.html")
EMBED(athlete_js, "athlete.js")
EMBED(athletes_html, "athletes.html")
EMBED(athletes_js, "athletes.js")
EMBED(base_css, "base.css")
EMBED(bests_js, "bests.js")
EMBED(calendar_js, "calendar.js")
EMBED(chart_js, "chart.js")
EMBED(choosing_js, "choosing.js")
EMBED(clubtime_js, "clubtime.js")
EMBED(coach_css, "coach.css")
EMBED(coach_html, "coach.html")
EMBED(coach_js, "coach.js")
EMBED(compare_js, "compare.js")
EMBED(crewing_js, "crewing.js")
EMBED(crews_js, "crews.js")
EMBED(curves_js, "curves.js")
EMBED(dialog_js, "dialog.js")
EMBED(effort_js, "effort.js")
EMBED(ending_js, "ending.js")
EMBED(event_js, "event.js")
EMBED(expected_js, "expected.js")
EMBED(figures_js, "figures.js")
EMBED(frames_js, "frames.js")
EMBED(gateway_js, "gateway.js")
EMBED(gatewayasking_js, "gatewayasking.js")
EMBED(gatewaydialogs_js, "gatewaydialogs.js")
EMBED(gateways_css, "gateways.css")
EMBED(gateways_html, "gateways.html")
EMBED(gateways_js, "gateways.js")
EMBED(gatewayview_js, "gatewayview.js")
EMBED(gatewaywords_js, "gatewaywords.js")
EMBED(grid_js, "grid.js")
EMBED(header_js, "header.js")
EMBED(heart_js, "heart.js")
EMBED(icon_svg, "icon.svg")
EMBED(light_css, "light.css")
EMBED(line_js, "line.js")
EMBED(lineview_js, "lineview.js")
EMBED(load_js, "load.js")
EMBED(needs_js, "needs.js")
EMBED(newbest_js, "newbest.js")
EMBED(page_js, "page.js")
EMBED(piece_js, "piece.js")
EMBED(places_js, "places.js")
EMBED(plandialogs_js, "plandialogs.js")
EMBED(planned_js, "planned.js")
EMBED(plans_css, "plans.css")
EMBED(plans_html, "plans.html")
EMBED(plans_js, "plans.js")
EMBED(planset_js, "planset.js")
EMBED(planweeks_js, "planweeks.js")
EMBED(planwords_js, "planwords.js")
EMBED(quantity_js, "quantity.js")
EMBED(race_css, "race.css")
EMBED(race_html, "race.html")
EMBED(race_js, "race.js")
EMBED(raceboat_js, "raceboat.js")
EMBED(racecontrol_js, "racecontrol.js")
EMBED(raceresult_js, "raceresult.js")
EMBED(raceview_js, "raceview.js")
EMBED(racewords_js, "racewords.js")
EMBED(racing_js, "racing.js")
EMBED(reason_js, "reason.js")
EMBED(records_js, "records.js")
EMBED(result_js, "result.js")
EMBED(room_js, "room.js")
EMBED(rowed_js, "rowed.js")
EMBED(sentview_js, "sentview.js")
EMBED(series_js, "series.js")
EMBED(session_html, "session.html")
EMBED(session_js, "session.js")
EMBED(sessions_css, "sessions.css")
EMBED(sessions_html, "sessions.html")
EMBED(sessions_js, "sessions.js")
EMBED(setting_js, "setting.js")
EMBED(shell_html, "shell.html")
EMBED(signin_html, "signin.html")
EMBED(signin_js, "signin.js")
EMBED(splits_js, "splits.js")
EMBED(standing_js, "standing.js")
EMBED(steadiness_js, "steadiness.js")
EMBED(stream_js, "stream.js")
EMBED(strip_js, "strip.js")
EMBED(suggestion_js, "suggestion.js")
EMBED(target_js, "target.js")
EMBED(telling_js, "telling.js")
EMBED(tile_js, "tile.js")
EMBED(told_html, "told.html")
EMBED(top_html, "top.html")
EMBED(top_js, "top.js")
EMBED(training_js, "training.js")
EMBED(travel_js, "travel.js")
EMBED(versus_js, "versus.js")
EMBED(view_js, "view.js")
EMBED(volume_js, "volume.js")
EMBED(wall_css, "wall.css")
EMBED(wall_html, "wall.html")
EMBED(wall_js, "wall.js")
EMBED(words_js, "words.js")
EMBED(workouts_js, "workouts.js")
EMBED(zones_js, "zones.js")
EMBED(openapi_json, "openapi.json")

#define ENTRY(id, name) {name, page_file_##id, page_file_##id##_end}

static const struct page_file files[] = {
    ENTRY(acting_js, "acting.js"),
    ENTRY(alerts_js, "alerts.js"),
    ENTRY(asking_js, "asking.js"),
    ENTRY(athlete_css, "athlete.css"),
    ENTRY(athlete_html, "athlete.html"),
    ENTRY(athlete_js, "athlete.js"),
    ENTRY(athletes_html, "athletes.html"),
    ENTRY(athletes_js, "athletes.js"),
    ENTRY(base_css, "base.css"),
    ENTRY(bests_js, "bests.js"),
    ENTRY(calendar_js, "calendar.js"),
    ENTRY(chart_js, "chart.js"),
    ENTRY(choosing_js, "choosing.js"),
    ENTRY(clubtime_js, "clubtime.js"),
    ENTRY(coach_css, "coach.css"),
    ENTRY(coach_html, "coach.html"),
    ENTRY(coach_js, "coach.js"),
    ENTRY(compare_js, "compare.js"),
    ENTRY(crewing_js, "crewing.js"),
    ENTRY(crews_js, "crews.js"),
    ENTRY(curves_js, "curves.js"),
    ENTRY(dialog_js, "dialog.js"),
    ENTRY(effort_js, "effort.js"),
    ENTRY(ending_js, "ending.js"),
    ENTRY(event_js, "event.js"),
    ENTRY(expected_js, "expected.js"),
    ENTRY(figures_js, "figures.js"),
    ENTRY(frames_js, "frames.js"),
    ENTRY(gateway_js, "gateway.js"),
    ENTRY(gatewayasking_js, "gatewayasking.js"),
    ENTRY(gatewaydialogs_js, "gatewaydialogs.js"),
    ENTRY(gateways_css, "gateways.css"),
    ENTRY(gateways_html, "gateways.html"),
    ENTRY(gateways_js, "gateways.js"),
    ENTRY(gatewayview_js, "gatewayview.js"),
    ENTRY(gatewaywords_js, "gatewaywords.js"),
    ENTRY(grid_js, "grid.js"),
    ENTRY(header_js, "header.js"),
    ENTRY(heart_js, "heart.js"),
    ENTRY(icon_svg, "icon.svg"),
    ENTRY(light_css, "light.css"),
    ENTRY(line_js, "line.js"),
    ENTRY(lineview_js, "lineview.js"),
    ENTRY(load_js, "load.js"),
    ENTRY(needs_js, "needs.js"),
    ENTRY(newbest_js, "newbest.js"),
    ENTRY(page_js, "page.js"),
    ENTRY(piece_js, "piece.js"),
    ENTRY(places_js, "places.js"),
    ENTRY(plandialogs_js, "plandialogs.js"),
    ENTRY(planned_js, "planned.js"),
    ENTRY(plans_css, "plans.css"),
    ENTRY(plans_html, "plans.html"),
    ENTRY(plans_js, "plans.js"),
    ENTRY(planset_js, "planset.js"),
    ENTRY(planweeks_js, "planweeks.js"),
    ENTRY(planwords_js, "planwords.js"),
    ENTRY(quantity_js, "quantity.js"),
    ENTRY(race_css, "race.css"),
    ENTRY(race_html, "race.html"),
    ENTRY(race_js, "race.js"),
    ENTRY(raceboat_js, "raceboat.js"),
    ENTRY(racecontrol_js, "racecontrol.js"),
    ENTRY(raceresult_js, "raceresult.js"),
    ENTRY(raceview_js, "raceview.js"),
    ENTRY(racewords_js, "racewords.js"),
    ENTRY(racing_js, "racing.js"),
    ENTRY(reason_js, "reason.js"),
    ENTRY(records_js, "records.js"),
    ENTRY(result_js, "result.js"),
    ENTRY(room_js, "room.js"),
    ENTRY(rowed_js, "rowed.js"),
    ENTRY(sentview_js, "sentview.js"),
    ENTRY(series_js, "series.js"),
    ENTRY(session_html, "session.html"),
    ENTRY(session_js, "session.js"),
    ENTRY(sessions_css, "sessions.css"),
    ENTRY(sessions_html, "sessions.html"),
    ENTRY(sessions_js, "sessions.js"),
    ENTRY(setting_js, "setting.js"),
    ENTRY(shell_html, "shell.html"),
    ENTRY(signin_html, "signin.html"),
    ENTRY(signin_js, "signin.js"),
    ENTRY(splits_js, "splits.js"),
    ENTRY(standing_js, "standing.js"),
    ENTRY(steadiness_js, "steadiness.js"),
    ENTRY(stream_js, "stream.js"),
    ENTRY(strip_js, "strip.js"),
    ENTRY(suggestion_js, "suggestion.js"),
    ENTRY(target_js, "target.js"),
    ENTRY(telling_js, "telling.js"),
    ENTRY(tile_js, "tile.js"),
    ENTRY(told_html, "told.html"),
    ENTRY(top_html, "top.html"),
    ENTRY(top_js, "top.js"),
    ENTRY(training_js, "training.js"),
    ENTRY(travel_js, "travel.js"),
    ENTRY(versus_js, "versus.js"),
    ENTRY(view_js, "view.js"),
    ENTRY(volume_js, "volume.js"),
    ENTRY(wall_css, "wall.css"),
    ENTRY(wall_html, "wall.html"),
    ENTRY(wall_js, "wall.js"),
    ENTRY(words_js, "words.js"),
    ENTRY(workouts_js, "workouts.js"),
    ENTRY(zones_js, "zones.js"),
};

static const struct page_file openapi = ENTRY(openapi_json, "openapi.json");

const struct page_file *page_files(void) { return files; }

int page_file_count(void) { return sizeof files / sizeof files[0]; }

const struct page_file *openapi_file(void) { return &openapi; }
