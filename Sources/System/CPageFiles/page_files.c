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

#if !__has_include("alerts-view.js")
#error "alerts-view.js is missing"
#endif
#if !__has_include("alerts.js")
#error "alerts.js is missing"
#endif
#if !__has_include("api-client.js")
#error "api-client.js is missing"
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
#if !__has_include("club-records.js")
#error "club-records.js is missing"
#endif
#if !__has_include("club-time.js")
#error "club-time.js is missing"
#endif
#if !__has_include("coach-row-view.js")
#error "coach-row-view.js is missing"
#endif
#if !__has_include("coach-row.js")
#error "coach-row.js is missing"
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
#if !__has_include("commands-view.js")
#error "commands-view.js is missing"
#endif
#if !__has_include("compare-view.js")
#error "compare-view.js is missing"
#endif
#if !__has_include("compare.js")
#error "compare.js is missing"
#endif
#if !__has_include("crew-dialog.js")
#error "crew-dialog.js is missing"
#endif
#if !__has_include("crews.js")
#error "crews.js is missing"
#endif
#if !__has_include("dialog.js")
#error "dialog.js is missing"
#endif
#if !__has_include("distance-estimate.js")
#error "distance-estimate.js is missing"
#endif
#if !__has_include("end-piece-dialog.js")
#error "end-piece-dialog.js is missing"
#endif
#if !__has_include("erg-actions.js")
#error "erg-actions.js is missing"
#endif
#if !__has_include("erg-picker.js")
#error "erg-picker.js is missing"
#endif
#if !__has_include("force-curves.js")
#error "force-curves.js is missing"
#endif
#if !__has_include("format.js")
#error "format.js is missing"
#endif
#if !__has_include("gateway-commands.js")
#error "gateway-commands.js is missing"
#endif
#if !__has_include("gateway-dialogs.js")
#error "gateway-dialogs.js is missing"
#endif
#if !__has_include("gateway-problems.js")
#error "gateway-problems.js is missing"
#endif
#if !__has_include("gateway-view.js")
#error "gateway-view.js is missing"
#endif
#if !__has_include("gateway.js")
#error "gateway.js is missing"
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
#if !__has_include("header.js")
#error "header.js is missing"
#endif
#if !__has_include("icon.svg")
#error "icon.svg is missing"
#endif
#if !__has_include("light.css")
#error "light.css is missing"
#endif
#if !__has_include("notification-bar.js")
#error "notification-bar.js is missing"
#endif
#if !__has_include("page-header.html")
#error "page-header.html is missing"
#endif
#if !__has_include("page-header.js")
#error "page-header.js is missing"
#endif
#if !__has_include("page-status.html")
#error "page-status.html is missing"
#endif
#if !__has_include("page-status.js")
#error "page-status.js is missing"
#endif
#if !__has_include("page.js")
#error "page.js is missing"
#endif
#if !__has_include("personal-best-banner.js")
#error "personal-best-banner.js is missing"
#endif
#if !__has_include("piece.js")
#error "piece.js is missing"
#endif
#if !__has_include("plan-dialogs.js")
#error "plan-dialogs.js is missing"
#endif
#if !__has_include("plan-sender.js")
#error "plan-sender.js is missing"
#endif
#if !__has_include("plan-weeks.js")
#error "plan-weeks.js is missing"
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
#if !__has_include("predictions.js")
#error "predictions.js is missing"
#endif
#if !__has_include("race-controls.js")
#error "race-controls.js is missing"
#endif
#if !__has_include("race-course.js")
#error "race-course.js is missing"
#endif
#if !__has_include("race-dialog.js")
#error "race-dialog.js is missing"
#endif
#if !__has_include("race-result.js")
#error "race-result.js is missing"
#endif
#if !__has_include("race-view.js")
#error "race-view.js is missing"
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
#if !__has_include("ranking.js")
#error "ranking.js is missing"
#endif
#if !__has_include("render-loop.js")
#error "render-loop.js is missing"
#endif
#if !__has_include("render-throttle.js")
#error "render-throttle.js is missing"
#endif
#if !__has_include("result.js")
#error "result.js is missing"
#endif
#if !__has_include("room.js")
#error "room.js is missing"
#endif
#if !__has_include("series.js")
#error "series.js is missing"
#endif
#if !__has_include("session-format.js")
#error "session-format.js is missing"
#endif
#if !__has_include("session-training.js")
#error "session-training.js is missing"
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
#if !__has_include("stream.js")
#error "stream.js is missing"
#endif
#if !__has_include("strings-de.js")
#error "strings-de.js is missing"
#endif
#if !__has_include("strings-en.js")
#error "strings-en.js is missing"
#endif
#if !__has_include("strings.js")
#error "strings.js is missing"
#endif
#if !__has_include("suggestion.js")
#error "suggestion.js is missing"
#endif
#if !__has_include("target.js")
#error "target.js is missing"
#endif
#if !__has_include("tile-grid.js")
#error "tile-grid.js is missing"
#endif
#if !__has_include("tile.js")
#error "tile.js is missing"
#endif
#if !__has_include("training-load.js")
#error "training-load.js is missing"
#endif
#if !__has_include("training.js")
#error "training.js is missing"
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
#if !__has_include("workout-dialog.js")
#error "workout-dialog.js is missing"
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

EMBED(alerts_view_js, "alerts-view.js")
EMBED(alerts_js, "alerts.js")
EMBED(api_client_js, "api-client.js")
EMBED(athlete_css, "athlete.css")
EMBED(athlete_html, "athlete.html")
EMBED(athlete_js, "athlete.js")
EMBED(athletes_html, "athletes.html")
EMBED(athletes_js, "athletes.js")
EMBED(base_css, "base.css")
EMBED(bests_js, "bests.js")
EMBED(calendar_js, "calendar.js")
EMBED(chart_js, "chart.js")
EMBED(club_records_js, "club-records.js")
EMBED(club_time_js, "club-time.js")
EMBED(coach_row_view_js, "coach-row-view.js")
EMBED(coach_row_js, "coach-row.js")
EMBED(coach_css, "coach.css")
EMBED(coach_html, "coach.html")
EMBED(coach_js, "coach.js")
EMBED(commands_view_js, "commands-view.js")
EMBED(compare_view_js, "compare-view.js")
EMBED(compare_js, "compare.js")
EMBED(crew_dialog_js, "crew-dialog.js")
EMBED(crews_js, "crews.js")
EMBED(dialog_js, "dialog.js")
EMBED(distance_estimate_js, "distance-estimate.js")
EMBED(end_piece_dialog_js, "end-piece-dialog.js")
EMBED(erg_actions_js, "erg-actions.js")
EMBED(erg_picker_js, "erg-picker.js")
EMBED(force_curves_js, "force-curves.js")
EMBED(format_js, "format.js")
EMBED(gateway_commands_js, "gateway-commands.js")
EMBED(gateway_dialogs_js, "gateway-dialogs.js")
EMBED(gateway_problems_js, "gateway-problems.js")
EMBED(gateway_view_js, "gateway-view.js")
EMBED(gateway_js, "gateway.js")
EMBED(gateways_css, "gateways.css")
EMBED(gateways_html, "gateways.html")
EMBED(gateways_js, "gateways.js")
EMBED(header_js, "header.js")
EMBED(icon_svg, "icon.svg")
EMBED(light_css, "light.css")
EMBED(notification_bar_js, "notification-bar.js")
EMBED(page_header_html, "page-header.html")
EMBED(page_header_js, "page-header.js")
EMBED(page_status_html, "page-status.html")
EMBED(page_status_js, "page-status.js")
EMBED(page_js, "page.js")
EMBED(personal_best_banner_js, "personal-best-banner.js")
EMBED(piece_js, "piece.js")
EMBED(plan_dialogs_js, "plan-dialogs.js")
EMBED(plan_sender_js, "plan-sender.js")
EMBED(plan_weeks_js, "plan-weeks.js")
EMBED(plans_css, "plans.css")
EMBED(plans_html, "plans.html")
EMBED(plans_js, "plans.js")
EMBED(predictions_js, "predictions.js")
EMBED(race_controls_js, "race-controls.js")
EMBED(race_course_js, "race-course.js")
EMBED(race_dialog_js, "race-dialog.js")
EMBED(race_result_js, "race-result.js")
EMBED(race_view_js, "race-view.js")
EMBED(race_css, "race.css")
EMBED(race_html, "race.html")
EMBED(race_js, "race.js")
EMBED(ranking_js, "ranking.js")
EMBED(render_loop_js, "render-loop.js")
EMBED(render_throttle_js, "render-throttle.js")
EMBED(result_js, "result.js")
EMBED(room_js, "room.js")
EMBED(series_js, "series.js")
EMBED(session_format_js, "session-format.js")
EMBED(session_training_js, "session-training.js")
EMBED(session_html, "session.html")
EMBED(session_js, "session.js")
EMBED(sessions_css, "sessions.css")
EMBED(sessions_html, "sessions.html")
EMBED(sessions_js, "sessions.js")
EMBED(shell_html, "shell.html")
EMBED(signin_html, "signin.html")
EMBED(signin_js, "signin.js")
EMBED(splits_js, "splits.js")
EMBED(stream_js, "stream.js")
EMBED(strings_de_js, "strings-de.js")
EMBED(strings_en_js, "strings-en.js")
EMBED(strings_js, "strings.js")
EMBED(suggestion_js, "suggestion.js")
EMBED(target_js, "target.js")
EMBED(tile_grid_js, "tile-grid.js")
EMBED(tile_js, "tile.js")
EMBED(training_load_js, "training-load.js")
EMBED(training_js, "training.js")
EMBED(view_js, "view.js")
EMBED(volume_js, "volume.js")
EMBED(wall_css, "wall.css")
EMBED(wall_html, "wall.html")
EMBED(wall_js, "wall.js")
EMBED(workout_dialog_js, "workout-dialog.js")
EMBED(workouts_js, "workouts.js")
EMBED(zones_js, "zones.js")
EMBED(openapi_json, "openapi.json")

#define ENTRY(id, name) {name, page_file_##id, page_file_##id##_end}

static const struct page_file files[] = {
    ENTRY(alerts_view_js, "alerts-view.js"),
    ENTRY(alerts_js, "alerts.js"),
    ENTRY(api_client_js, "api-client.js"),
    ENTRY(athlete_css, "athlete.css"),
    ENTRY(athlete_html, "athlete.html"),
    ENTRY(athlete_js, "athlete.js"),
    ENTRY(athletes_html, "athletes.html"),
    ENTRY(athletes_js, "athletes.js"),
    ENTRY(base_css, "base.css"),
    ENTRY(bests_js, "bests.js"),
    ENTRY(calendar_js, "calendar.js"),
    ENTRY(chart_js, "chart.js"),
    ENTRY(club_records_js, "club-records.js"),
    ENTRY(club_time_js, "club-time.js"),
    ENTRY(coach_row_view_js, "coach-row-view.js"),
    ENTRY(coach_row_js, "coach-row.js"),
    ENTRY(coach_css, "coach.css"),
    ENTRY(coach_html, "coach.html"),
    ENTRY(coach_js, "coach.js"),
    ENTRY(commands_view_js, "commands-view.js"),
    ENTRY(compare_view_js, "compare-view.js"),
    ENTRY(compare_js, "compare.js"),
    ENTRY(crew_dialog_js, "crew-dialog.js"),
    ENTRY(crews_js, "crews.js"),
    ENTRY(dialog_js, "dialog.js"),
    ENTRY(distance_estimate_js, "distance-estimate.js"),
    ENTRY(end_piece_dialog_js, "end-piece-dialog.js"),
    ENTRY(erg_actions_js, "erg-actions.js"),
    ENTRY(erg_picker_js, "erg-picker.js"),
    ENTRY(force_curves_js, "force-curves.js"),
    ENTRY(format_js, "format.js"),
    ENTRY(gateway_commands_js, "gateway-commands.js"),
    ENTRY(gateway_dialogs_js, "gateway-dialogs.js"),
    ENTRY(gateway_problems_js, "gateway-problems.js"),
    ENTRY(gateway_view_js, "gateway-view.js"),
    ENTRY(gateway_js, "gateway.js"),
    ENTRY(gateways_css, "gateways.css"),
    ENTRY(gateways_html, "gateways.html"),
    ENTRY(gateways_js, "gateways.js"),
    ENTRY(header_js, "header.js"),
    ENTRY(icon_svg, "icon.svg"),
    ENTRY(light_css, "light.css"),
    ENTRY(notification_bar_js, "notification-bar.js"),
    ENTRY(page_header_html, "page-header.html"),
    ENTRY(page_header_js, "page-header.js"),
    ENTRY(page_status_html, "page-status.html"),
    ENTRY(page_status_js, "page-status.js"),
    ENTRY(page_js, "page.js"),
    ENTRY(personal_best_banner_js, "personal-best-banner.js"),
    ENTRY(piece_js, "piece.js"),
    ENTRY(plan_dialogs_js, "plan-dialogs.js"),
    ENTRY(plan_sender_js, "plan-sender.js"),
    ENTRY(plan_weeks_js, "plan-weeks.js"),
    ENTRY(plans_css, "plans.css"),
    ENTRY(plans_html, "plans.html"),
    ENTRY(plans_js, "plans.js"),
    ENTRY(predictions_js, "predictions.js"),
    ENTRY(race_controls_js, "race-controls.js"),
    ENTRY(race_course_js, "race-course.js"),
    ENTRY(race_dialog_js, "race-dialog.js"),
    ENTRY(race_result_js, "race-result.js"),
    ENTRY(race_view_js, "race-view.js"),
    ENTRY(race_css, "race.css"),
    ENTRY(race_html, "race.html"),
    ENTRY(race_js, "race.js"),
    ENTRY(ranking_js, "ranking.js"),
    ENTRY(render_loop_js, "render-loop.js"),
    ENTRY(render_throttle_js, "render-throttle.js"),
    ENTRY(result_js, "result.js"),
    ENTRY(room_js, "room.js"),
    ENTRY(series_js, "series.js"),
    ENTRY(session_format_js, "session-format.js"),
    ENTRY(session_training_js, "session-training.js"),
    ENTRY(session_html, "session.html"),
    ENTRY(session_js, "session.js"),
    ENTRY(sessions_css, "sessions.css"),
    ENTRY(sessions_html, "sessions.html"),
    ENTRY(sessions_js, "sessions.js"),
    ENTRY(shell_html, "shell.html"),
    ENTRY(signin_html, "signin.html"),
    ENTRY(signin_js, "signin.js"),
    ENTRY(splits_js, "splits.js"),
    ENTRY(stream_js, "stream.js"),
    ENTRY(strings_de_js, "strings-de.js"),
    ENTRY(strings_en_js, "strings-en.js"),
    ENTRY(strings_js, "strings.js"),
    ENTRY(suggestion_js, "suggestion.js"),
    ENTRY(target_js, "target.js"),
    ENTRY(tile_grid_js, "tile-grid.js"),
    ENTRY(tile_js, "tile.js"),
    ENTRY(training_load_js, "training-load.js"),
    ENTRY(training_js, "training.js"),
    ENTRY(view_js, "view.js"),
    ENTRY(volume_js, "volume.js"),
    ENTRY(wall_css, "wall.css"),
    ENTRY(wall_html, "wall.html"),
    ENTRY(wall_js, "wall.js"),
    ENTRY(workout_dialog_js, "workout-dialog.js"),
    ENTRY(workouts_js, "workouts.js"),
    ENTRY(zones_js, "zones.js"),
};

static const struct page_file openapi = ENTRY(openapi_json, "openapi.json");

const struct page_file *page_files(void) { return files; }

int page_file_count(void) { return sizeof files / sizeof files[0]; }

const struct page_file *openapi_file(void) { return &openapi; }
