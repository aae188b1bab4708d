// The files of the pages and the description of the HTTP interface, embedded in the program.
//
// The assembler copies each file (`.incbin`), which takes no time; Swift needs a minute to compile them
// as arrays. `__has_include` makes the compiler list each file among its dependencies, so that a change
// of a file rebuilds this one; a macro cannot contain it. Package.swift gives the folders of the files. A
// test compares the list with the folder.

#include "page_files.h"

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

#if !__has_include("athletes/athlete.css")
#error "athletes/athlete.css is missing"
#endif
#if !__has_include("athletes/athlete.html")
#error "athletes/athlete.html is missing"
#endif
#if !__has_include("athletes/athlete.js")
#error "athletes/athlete.js is missing"
#endif
#if !__has_include("athletes/athletes.html")
#error "athletes/athletes.html is missing"
#endif
#if !__has_include("athletes/athletes.js")
#error "athletes/athletes.js is missing"
#endif
#if !__has_include("athletes/bests.js")
#error "athletes/bests.js is missing"
#endif
#if !__has_include("athletes/calendar.js")
#error "athletes/calendar.js is missing"
#endif
#if !__has_include("athletes/dialogs.js")
#error "athletes/dialogs.js is missing"
#endif
#if !__has_include("athletes/merge-text.js")
#error "athletes/merge-text.js is missing"
#endif
#if !__has_include("athletes/merges.js")
#error "athletes/merges.js is missing"
#endif
#if !__has_include("athletes/predictions.js")
#error "athletes/predictions.js is missing"
#endif
#if !__has_include("athletes/suggestion.js")
#error "athletes/suggestion.js is missing"
#endif
#if !__has_include("athletes/training.js")
#error "athletes/training.js is missing"
#endif
#if !__has_include("athletes/volume.js")
#error "athletes/volume.js is missing"
#endif
#if !__has_include("athletes/zones.js")
#error "athletes/zones.js is missing"
#endif
#if !__has_include("club/athlete-table.js")
#error "club/athlete-table.js is missing"
#endif
#if !__has_include("club/club.css")
#error "club/club.css is missing"
#endif
#if !__has_include("club/club.html")
#error "club/club.html is missing"
#endif
#if !__has_include("club/club.js")
#error "club/club.js is missing"
#endif
#if !__has_include("club/records.js")
#error "club/records.js is missing"
#endif
#if !__has_include("club/summary.js")
#error "club/summary.js is missing"
#endif
#if !__has_include("club/weeks.js")
#error "club/weeks.js is missing"
#endif
#if !__has_include("coach/actions.js")
#error "coach/actions.js is missing"
#endif
#if !__has_include("coach/alerts-panel.js")
#error "coach/alerts-panel.js is missing"
#endif
#if !__has_include("coach/assign.js")
#error "coach/assign.js is missing"
#endif
#if !__has_include("coach/coach.css")
#error "coach/coach.css is missing"
#endif
#if !__has_include("coach/coach.html")
#error "coach/coach.html is missing"
#endif
#if !__has_include("coach/coach.js")
#error "coach/coach.js is missing"
#endif
#if !__has_include("coach/erg-picker.js")
#error "coach/erg-picker.js is missing"
#endif
#if !__has_include("coach/panels.js")
#error "coach/panels.js is missing"
#endif
#if !__has_include("coach/relay.js")
#error "coach/relay.js is missing"
#endif
#if !__has_include("coach/rows.js")
#error "coach/rows.js is missing"
#endif
#if !__has_include("coach/workout-dialog.js")
#error "coach/workout-dialog.js is missing"
#endif
#if !__has_include("coach/workouts.js")
#error "coach/workouts.js is missing"
#endif
#if !__has_include("common/alerts.js")
#error "common/alerts.js is missing"
#endif
#if !__has_include("common/api-client.js")
#error "common/api-client.js is missing"
#endif
#if !__has_include("common/athlete-picker.js")
#error "common/athlete-picker.js is missing"
#endif
#if !__has_include("common/base.css")
#error "common/base.css is missing"
#endif
#if !__has_include("common/chart.js")
#error "common/chart.js is missing"
#endif
#if !__has_include("common/check-in-code.js")
#error "common/check-in-code.js is missing"
#endif
#if !__has_include("common/club.webmanifest")
#error "common/club.webmanifest is missing"
#endif
#if !__has_include("common/dialog.js")
#error "common/dialog.js is missing"
#endif
#if !__has_include("common/format.js")
#error "common/format.js is missing"
#endif
#if !__has_include("common/gateway-problems.js")
#error "common/gateway-problems.js is missing"
#endif
#if !__has_include("common/icon-192.png")
#error "common/icon-192.png is missing"
#endif
#if !__has_include("common/icon-512.png")
#error "common/icon-512.png is missing"
#endif
#if !__has_include("common/icon.svg")
#error "common/icon.svg is missing"
#endif
#if !__has_include("common/invitation.js")
#error "common/invitation.js is missing"
#endif
#if !__has_include("common/light.css")
#error "common/light.css is missing"
#endif
#if !__has_include("common/names.js")
#error "common/names.js is missing"
#endif
#if !__has_include("common/page-frame.js")
#error "common/page-frame.js is missing"
#endif
#if !__has_include("common/page-header.html")
#error "common/page-header.html is missing"
#endif
#if !__has_include("common/page-status.html")
#error "common/page-status.html is missing"
#endif
#if !__has_include("common/page.js")
#error "common/page.js is missing"
#endif
#if !__has_include("common/piece.js")
#error "common/piece.js is missing"
#endif
#if !__has_include("common/preferences.js")
#error "common/preferences.js is missing"
#endif
#if !__has_include("common/render-loop.js")
#error "common/render-loop.js is missing"
#endif
#if !__has_include("common/room.js")
#error "common/room.js is missing"
#endif
#if !__has_include("common/routes.js")
#error "common/routes.js is missing"
#endif
#if !__has_include("common/screen-menu-view.js")
#error "common/screen-menu-view.js is missing"
#endif
#if !__has_include("common/screen-menu.css")
#error "common/screen-menu.css is missing"
#endif
#if !__has_include("common/screen-menu.js")
#error "common/screen-menu.js is missing"
#endif
#if !__has_include("common/series.js")
#error "common/series.js is missing"
#endif
#if !__has_include("common/settings.js")
#error "common/settings.js is missing"
#endif
#if !__has_include("common/shell.html")
#error "common/shell.html is missing"
#endif
#if !__has_include("common/stream.js")
#error "common/stream.js is missing"
#endif
#if !__has_include("common/strings.js")
#error "common/strings.js is missing"
#endif
#if !__has_include("common/view.js")
#error "common/view.js is missing"
#endif
#if !__has_include("common/wake-lock.js")
#error "common/wake-lock.js is missing"
#endif
#if !__has_include("erg/check-in.js")
#error "erg/check-in.js is missing"
#endif
#if !__has_include("erg/erg.css")
#error "erg/erg.css is missing"
#endif
#if !__has_include("erg/erg.html")
#error "erg/erg.html is missing"
#endif
#if !__has_include("erg/erg.js")
#error "erg/erg.js is missing"
#endif
#if !__has_include("gateways/commands.js")
#error "gateways/commands.js is missing"
#endif
#if !__has_include("gateways/gateway.js")
#error "gateways/gateway.js is missing"
#endif
#if !__has_include("gateways/gateways.css")
#error "gateways/gateways.css is missing"
#endif
#if !__has_include("gateways/gateways.html")
#error "gateways/gateways.html is missing"
#endif
#if !__has_include("gateways/gateways.js")
#error "gateways/gateways.js is missing"
#endif
#if !__has_include("gateways/view.js")
#error "gateways/view.js is missing"
#endif
#if !__has_include("group/adding.js")
#error "group/adding.js is missing"
#endif
#if !__has_include("group/additions.js")
#error "group/additions.js is missing"
#endif
#if !__has_include("group/facts.js")
#error "group/facts.js is missing"
#endif
#if !__has_include("group/group.css")
#error "group/group.css is missing"
#endif
#if !__has_include("group/group.html")
#error "group/group.html is missing"
#endif
#if !__has_include("group/group.js")
#error "group/group.js is missing"
#endif
#if !__has_include("group/shared.html")
#error "group/shared.html is missing"
#endif
#if !__has_include("group/shared.js")
#error "group/shared.js is missing"
#endif
#if !__has_include("group/sharing.js")
#error "group/sharing.js is missing"
#endif
#if !__has_include("group/view.js")
#error "group/view.js is missing"
#endif
#if !__has_include("planner/dialogs.js")
#error "planner/dialogs.js is missing"
#endif
#if !__has_include("planner/draft.js")
#error "planner/draft.js is missing"
#endif
#if !__has_include("planner/editor.css")
#error "planner/editor.css is missing"
#endif
#if !__has_include("planner/editor.html")
#error "planner/editor.html is missing"
#endif
#if !__has_include("planner/editor.js")
#error "planner/editor.js is missing"
#endif
#if !__has_include("planner/grid.js")
#error "planner/grid.js is missing"
#endif
#if !__has_include("planner/notation.js")
#error "planner/notation.js is missing"
#endif
#if !__has_include("plans/dialogs.js")
#error "plans/dialogs.js is missing"
#endif
#if !__has_include("plans/plan-sender.js")
#error "plans/plan-sender.js is missing"
#endif
#if !__has_include("plans/plans.css")
#error "plans/plans.css is missing"
#endif
#if !__has_include("plans/plans.html")
#error "plans/plans.html is missing"
#endif
#if !__has_include("plans/plans.js")
#error "plans/plans.js is missing"
#endif
#if !__has_include("plans/shown-from.js")
#error "plans/shown-from.js is missing"
#endif
#if !__has_include("plans/weeks.js")
#error "plans/weeks.js is missing"
#endif
#if !__has_include("race/controls.js")
#error "race/controls.js is missing"
#endif
#if !__has_include("race/course.js")
#error "race/course.js is missing"
#endif
#if !__has_include("race/dialog.js")
#error "race/dialog.js is missing"
#endif
#if !__has_include("race/race.css")
#error "race/race.css is missing"
#endif
#if !__has_include("race/race.html")
#error "race/race.html is missing"
#endif
#if !__has_include("race/race.js")
#error "race/race.js is missing"
#endif
#if !__has_include("race/result.js")
#error "race/result.js is missing"
#endif
#if !__has_include("race/start-call.js")
#error "race/start-call.js is missing"
#endif
#if !__has_include("race/view.js")
#error "race/view.js is missing"
#endif
#if !__has_include("races/actions.js")
#error "races/actions.js is missing"
#endif
#if !__has_include("races/heats.js")
#error "races/heats.js is missing"
#endif
#if !__has_include("races/races.css")
#error "races/races.css is missing"
#endif
#if !__has_include("races/races.html")
#error "races/races.html is missing"
#endif
#if !__has_include("races/races.js")
#error "races/races.js is missing"
#endif
#if !__has_include("races/regatta.html")
#error "races/regatta.html is missing"
#endif
#if !__has_include("races/regatta.js")
#error "races/regatta.js is missing"
#endif
#if !__has_include("races/texts.js")
#error "races/texts.js is missing"
#endif
#if !__has_include("room/room.css")
#error "room/room.css is missing"
#endif
#if !__has_include("room/room.html")
#error "room/room.html is missing"
#endif
#if !__has_include("room/room.js")
#error "room/room.js is missing"
#endif
#if !__has_include("session/compare-view.js")
#error "session/compare-view.js is missing"
#endif
#if !__has_include("session/compare.js")
#error "session/compare.js is missing"
#endif
#if !__has_include("session/downloads.js")
#error "session/downloads.js is missing"
#endif
#if !__has_include("session/format.js")
#error "session/format.js is missing"
#endif
#if !__has_include("session/panels.js")
#error "session/panels.js is missing"
#endif
#if !__has_include("session/session.html")
#error "session/session.html is missing"
#endif
#if !__has_include("session/session.js")
#error "session/session.js is missing"
#endif
#if !__has_include("session/sessions.css")
#error "session/sessions.css is missing"
#endif
#if !__has_include("session/sessions.html")
#error "session/sessions.html is missing"
#endif
#if !__has_include("session/sessions.js")
#error "session/sessions.js is missing"
#endif
#if !__has_include("session/uploads.js")
#error "session/uploads.js is missing"
#endif
#if !__has_include("signin/signin.html")
#error "signin/signin.html is missing"
#endif
#if !__has_include("signin/signin.js")
#error "signin/signin.js is missing"
#endif
#if !__has_include("strings/de.json")
#error "strings/de.json is missing"
#endif
#if !__has_include("strings/en.json")
#error "strings/en.json is missing"
#endif
#if !__has_include("users/cards.html")
#error "users/cards.html is missing"
#endif
#if !__has_include("users/cards.js")
#error "users/cards.js is missing"
#endif
#if !__has_include("users/invitation.html")
#error "users/invitation.html is missing"
#endif
#if !__has_include("users/invitation.js")
#error "users/invitation.js is missing"
#endif
#if !__has_include("users/uploads.html")
#error "users/uploads.html is missing"
#endif
#if !__has_include("users/uploads.js")
#error "users/uploads.js is missing"
#endif
#if !__has_include("users/users.css")
#error "users/users.css is missing"
#endif
#if !__has_include("users/users.html")
#error "users/users.html is missing"
#endif
#if !__has_include("users/users.js")
#error "users/users.js is missing"
#endif
#if !__has_include("wall/header.js")
#error "wall/header.js is missing"
#endif
#if !__has_include("wall/new-bests.js")
#error "wall/new-bests.js is missing"
#endif
#if !__has_include("wall/notifications.js")
#error "wall/notifications.js is missing"
#endif
#if !__has_include("wall/ranking.js")
#error "wall/ranking.js is missing"
#endif
#if !__has_include("wall/tile-view.js")
#error "wall/tile-view.js is missing"
#endif
#if !__has_include("wall/tile.js")
#error "wall/tile.js is missing"
#endif
#if !__has_include("wall/wall.css")
#error "wall/wall.css is missing"
#endif
#if !__has_include("wall/wall.html")
#error "wall/wall.html is missing"
#endif
#if !__has_include("wall/wall.js")
#error "wall/wall.js is missing"
#endif
#if !__has_include("openapi.json")
#error "openapi.json is missing"
#endif

#define FILES(FILE) \
    FILE(athletes_athlete_css, "athletes/athlete.css") \
    FILE(athletes_athlete_html, "athletes/athlete.html") \
    FILE(athletes_athlete_js, "athletes/athlete.js") \
    FILE(athletes_athletes_html, "athletes/athletes.html") \
    FILE(athletes_athletes_js, "athletes/athletes.js") \
    FILE(athletes_bests_js, "athletes/bests.js") \
    FILE(athletes_calendar_js, "athletes/calendar.js") \
    FILE(athletes_dialogs_js, "athletes/dialogs.js") \
    FILE(athletes_merge_text_js, "athletes/merge-text.js") \
    FILE(athletes_merges_js, "athletes/merges.js") \
    FILE(athletes_predictions_js, "athletes/predictions.js") \
    FILE(athletes_suggestion_js, "athletes/suggestion.js") \
    FILE(athletes_training_js, "athletes/training.js") \
    FILE(athletes_volume_js, "athletes/volume.js") \
    FILE(athletes_zones_js, "athletes/zones.js") \
    FILE(club_athlete_table_js, "club/athlete-table.js") \
    FILE(club_club_css, "club/club.css") \
    FILE(club_club_html, "club/club.html") \
    FILE(club_club_js, "club/club.js") \
    FILE(club_records_js, "club/records.js") \
    FILE(club_summary_js, "club/summary.js") \
    FILE(club_weeks_js, "club/weeks.js") \
    FILE(coach_actions_js, "coach/actions.js") \
    FILE(coach_alerts_panel_js, "coach/alerts-panel.js") \
    FILE(coach_assign_js, "coach/assign.js") \
    FILE(coach_coach_css, "coach/coach.css") \
    FILE(coach_coach_html, "coach/coach.html") \
    FILE(coach_coach_js, "coach/coach.js") \
    FILE(coach_erg_picker_js, "coach/erg-picker.js") \
    FILE(coach_panels_js, "coach/panels.js") \
    FILE(coach_relay_js, "coach/relay.js") \
    FILE(coach_rows_js, "coach/rows.js") \
    FILE(coach_workout_dialog_js, "coach/workout-dialog.js") \
    FILE(coach_workouts_js, "coach/workouts.js") \
    FILE(common_alerts_js, "common/alerts.js") \
    FILE(common_api_client_js, "common/api-client.js") \
    FILE(common_athlete_picker_js, "common/athlete-picker.js") \
    FILE(common_base_css, "common/base.css") \
    FILE(common_chart_js, "common/chart.js") \
    FILE(common_check_in_code_js, "common/check-in-code.js") \
    FILE(common_club_webmanifest, "common/club.webmanifest") \
    FILE(common_dialog_js, "common/dialog.js") \
    FILE(common_format_js, "common/format.js") \
    FILE(common_gateway_problems_js, "common/gateway-problems.js") \
    FILE(common_icon_192_png, "common/icon-192.png") \
    FILE(common_icon_512_png, "common/icon-512.png") \
    FILE(common_icon_svg, "common/icon.svg") \
    FILE(common_invitation_js, "common/invitation.js") \
    FILE(common_light_css, "common/light.css") \
    FILE(common_names_js, "common/names.js") \
    FILE(common_page_frame_js, "common/page-frame.js") \
    FILE(common_page_header_html, "common/page-header.html") \
    FILE(common_page_status_html, "common/page-status.html") \
    FILE(common_page_js, "common/page.js") \
    FILE(common_piece_js, "common/piece.js") \
    FILE(common_preferences_js, "common/preferences.js") \
    FILE(common_render_loop_js, "common/render-loop.js") \
    FILE(common_room_js, "common/room.js") \
    FILE(common_routes_js, "common/routes.js") \
    FILE(common_screen_menu_view_js, "common/screen-menu-view.js") \
    FILE(common_screen_menu_css, "common/screen-menu.css") \
    FILE(common_screen_menu_js, "common/screen-menu.js") \
    FILE(common_series_js, "common/series.js") \
    FILE(common_settings_js, "common/settings.js") \
    FILE(common_shell_html, "common/shell.html") \
    FILE(common_stream_js, "common/stream.js") \
    FILE(common_strings_js, "common/strings.js") \
    FILE(common_view_js, "common/view.js") \
    FILE(common_wake_lock_js, "common/wake-lock.js") \
    FILE(erg_check_in_js, "erg/check-in.js") \
    FILE(erg_erg_css, "erg/erg.css") \
    FILE(erg_erg_html, "erg/erg.html") \
    FILE(erg_erg_js, "erg/erg.js") \
    FILE(gateways_commands_js, "gateways/commands.js") \
    FILE(gateways_gateway_js, "gateways/gateway.js") \
    FILE(gateways_gateways_css, "gateways/gateways.css") \
    FILE(gateways_gateways_html, "gateways/gateways.html") \
    FILE(gateways_gateways_js, "gateways/gateways.js") \
    FILE(gateways_view_js, "gateways/view.js") \
    FILE(group_adding_js, "group/adding.js") \
    FILE(group_additions_js, "group/additions.js") \
    FILE(group_facts_js, "group/facts.js") \
    FILE(group_group_css, "group/group.css") \
    FILE(group_group_html, "group/group.html") \
    FILE(group_group_js, "group/group.js") \
    FILE(group_shared_html, "group/shared.html") \
    FILE(group_shared_js, "group/shared.js") \
    FILE(group_sharing_js, "group/sharing.js") \
    FILE(group_view_js, "group/view.js") \
    FILE(planner_dialogs_js, "planner/dialogs.js") \
    FILE(planner_draft_js, "planner/draft.js") \
    FILE(planner_editor_css, "planner/editor.css") \
    FILE(planner_editor_html, "planner/editor.html") \
    FILE(planner_editor_js, "planner/editor.js") \
    FILE(planner_grid_js, "planner/grid.js") \
    FILE(planner_notation_js, "planner/notation.js") \
    FILE(plans_dialogs_js, "plans/dialogs.js") \
    FILE(plans_plan_sender_js, "plans/plan-sender.js") \
    FILE(plans_plans_css, "plans/plans.css") \
    FILE(plans_plans_html, "plans/plans.html") \
    FILE(plans_plans_js, "plans/plans.js") \
    FILE(plans_shown_from_js, "plans/shown-from.js") \
    FILE(plans_weeks_js, "plans/weeks.js") \
    FILE(race_controls_js, "race/controls.js") \
    FILE(race_course_js, "race/course.js") \
    FILE(race_dialog_js, "race/dialog.js") \
    FILE(race_race_css, "race/race.css") \
    FILE(race_race_html, "race/race.html") \
    FILE(race_race_js, "race/race.js") \
    FILE(race_result_js, "race/result.js") \
    FILE(race_start_call_js, "race/start-call.js") \
    FILE(race_view_js, "race/view.js") \
    FILE(races_actions_js, "races/actions.js") \
    FILE(races_heats_js, "races/heats.js") \
    FILE(races_races_css, "races/races.css") \
    FILE(races_races_html, "races/races.html") \
    FILE(races_races_js, "races/races.js") \
    FILE(races_regatta_html, "races/regatta.html") \
    FILE(races_regatta_js, "races/regatta.js") \
    FILE(races_texts_js, "races/texts.js") \
    FILE(room_room_css, "room/room.css") \
    FILE(room_room_html, "room/room.html") \
    FILE(room_room_js, "room/room.js") \
    FILE(session_compare_view_js, "session/compare-view.js") \
    FILE(session_compare_js, "session/compare.js") \
    FILE(session_downloads_js, "session/downloads.js") \
    FILE(session_format_js, "session/format.js") \
    FILE(session_panels_js, "session/panels.js") \
    FILE(session_session_html, "session/session.html") \
    FILE(session_session_js, "session/session.js") \
    FILE(session_sessions_css, "session/sessions.css") \
    FILE(session_sessions_html, "session/sessions.html") \
    FILE(session_sessions_js, "session/sessions.js") \
    FILE(session_uploads_js, "session/uploads.js") \
    FILE(signin_signin_html, "signin/signin.html") \
    FILE(signin_signin_js, "signin/signin.js") \
    FILE(strings_de_json, "strings/de.json") \
    FILE(strings_en_json, "strings/en.json") \
    FILE(users_cards_html, "users/cards.html") \
    FILE(users_cards_js, "users/cards.js") \
    FILE(users_invitation_html, "users/invitation.html") \
    FILE(users_invitation_js, "users/invitation.js") \
    FILE(users_uploads_html, "users/uploads.html") \
    FILE(users_uploads_js, "users/uploads.js") \
    FILE(users_users_css, "users/users.css") \
    FILE(users_users_html, "users/users.html") \
    FILE(users_users_js, "users/users.js") \
    FILE(wall_header_js, "wall/header.js") \
    FILE(wall_new_bests_js, "wall/new-bests.js") \
    FILE(wall_notifications_js, "wall/notifications.js") \
    FILE(wall_ranking_js, "wall/ranking.js") \
    FILE(wall_tile_view_js, "wall/tile-view.js") \
    FILE(wall_tile_js, "wall/tile.js") \
    FILE(wall_wall_css, "wall/wall.css") \
    FILE(wall_wall_html, "wall/wall.html") \
    FILE(wall_wall_js, "wall/wall.js")

#define ENTRY(id, name) {name, page_file_##id, page_file_##id##_end},

FILES(EMBED)
EMBED(openapi_json, "openapi.json")

static const struct page_file files[] = {FILES(ENTRY)};

static const struct page_file openapi[] = {ENTRY(openapi_json, "openapi.json")};

const struct page_file *page_files(void) { return files; }

int page_file_count(void) { return sizeof files / sizeof files[0]; }

const struct page_file *openapi_file(void) { return openapi; }
