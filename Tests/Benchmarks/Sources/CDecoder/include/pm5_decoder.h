// The decoder of Sources/Core/PM5Codec/GATT written once more, in C: the yardstick of its cost.
//
// Same characteristics, carriers, lengths, optional fields and errors; values as on the wire. An
// enumeration is its byte.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A field that some layouts lack.
typedef struct { bool present; uint16_t value; } pm5_optional;

typedef struct { uint16_t date, time; } pm5_log_timestamp;

typedef struct {
    uint32_t elapsed, distance, total_work_distance, workout_duration;
    uint8_t workout_type, interval_type, workout_state, rowing_state, stroke_state;
    uint8_t duration_type, drag_factor;
} pm5_general_status;

typedef struct {
    uint32_t elapsed, rest_time;
    uint16_t speed, current_pace, average_pace, rest_distance;
    uint8_t stroke_rate, heart_rate;
    pm5_optional average_power, machine_type;
} pm5_additional_status_1;

typedef struct {
    uint32_t elapsed, last_split_time, last_split_distance;
    uint16_t total_calories, split_average_pace, split_average_power, split_average_calories;
    uint8_t interval_count;
    pm5_optional average_power;
} pm5_additional_status_2;

typedef struct {
    uint16_t screen_number, last_error, game_score;
    uint8_t operational_state, verification_state, calibration_mode, calibration_state;
    uint8_t calibration_status, game_id;
} pm5_additional_status_3;

typedef struct {
    uint32_t elapsed, distance;
    uint16_t recovery_time, stroke_distance, peak_force, average_force, stroke_count;
    uint8_t drive_length, drive_time;
    pm5_optional work;
} pm5_stroke_data;

typedef struct {
    uint32_t elapsed, projected_time, projected_distance;
    uint16_t power, calories, stroke_count;
    pm5_optional work;
} pm5_additional_stroke_data;

typedef struct {
    uint32_t elapsed, distance, split_time, split_distance;
    uint16_t rest_time, rest_distance;
    uint8_t type, number;
} pm5_split_data;

typedef struct {
    uint32_t elapsed;
    uint16_t average_pace, total_calories, average_calories, speed, power;
    uint8_t stroke_rate, work_heart_rate, rest_heart_rate, drag_factor, number;
    pm5_optional machine_type;
} pm5_additional_split_data;

typedef struct {
    pm5_log_timestamp logged;
    uint32_t elapsed, distance;
    uint8_t stroke_rate, ending_heart_rate, average_heart_rate, minimum_heart_rate;
    uint8_t maximum_heart_rate, drag_factor, recovery_heart_rate, workout_type;
    pm5_optional average_pace;
} pm5_workout_summary;

typedef struct {
    pm5_log_timestamp logged;
    uint32_t rest_distance;
    uint16_t split_size, total_calories, average_power, rest_time, average_calories;
    uint8_t split_count;
    pm5_optional split_type;
} pm5_additional_workout_summary;

typedef struct {
    uint32_t belt_id;
    uint8_t manufacturer, device_type;
} pm5_heart_rate_belt;

typedef struct {
    pm5_log_timestamp logged;
    uint16_t average_pace, game_score;
    uint8_t game_and_verification, machine_type;
} pm5_workout_summary_2;

typedef struct {
    int16_t samples[15];
    uint8_t piece_count, sequence, announced, sample_count;
} pm5_force_curve_piece;

typedef struct {
    uint64_t hash;
    uint32_t address;
    uint16_t size;
    uint8_t machine_type;
} pm5_logged_workout;

typedef struct {
    uint16_t energy, interval, heart_rate, ant_time;
    uint8_t source, flags, ant_beats, ant_heart_rate;
} pm5_heart_rate_input;

typedef struct {
    /// 0x31 to 0x3F, or 0x41.
    uint16_t characteristic;
    bool multiplexed;
    /// Behind the longest layout known.
    size_t extra_bytes;
    union {
        pm5_general_status general_status;
        pm5_additional_status_1 additional_status_1;
        pm5_additional_status_2 additional_status_2;
        pm5_additional_status_3 additional_status_3;
        uint8_t sample_rate;
        pm5_stroke_data stroke_data;
        pm5_additional_stroke_data additional_stroke_data;
        pm5_split_data split_data;
        pm5_additional_split_data additional_split_data;
        pm5_workout_summary workout_summary;
        pm5_additional_workout_summary additional_workout_summary;
        pm5_heart_rate_belt heart_rate_belt;
        pm5_workout_summary_2 workout_summary_2;
        pm5_force_curve_piece force_curve_piece;
        pm5_logged_workout logged_workout;
        pm5_heart_rate_input heart_rate_input;
    };
} pm5_notification;

typedef enum { PM5_OK, PM5_TRUNCATED, PM5_UNKNOWN } pm5_error_kind;

typedef struct {
    pm5_error_kind kind;
    /// For PM5_TRUNCATED.
    size_t needed, had;
    /// For PM5_UNKNOWN.
    uint16_t characteristic;
} pm5_error;

/// Decodes the value of `characteristic`; for 0x80 the first byte names what is inside.
bool pm5_decode(
    uint16_t characteristic, const uint8_t *bytes, size_t length, pm5_notification *result,
    pm5_error *error);

/// The values of a notification in the order in which the Swift type declares them; -1 for one that is absent.
///
/// Returns how many of `values`, at most 32, it filled.
size_t pm5_values(const pm5_notification *notification, int64_t *values);

/// A value to decode.
typedef struct {
    const uint8_t *bytes;
    size_t length;
    uint16_t characteristic;
} pm5_value;

/// Decodes `count` values and adds up a number of each, so that every result is looked at.
uint64_t pm5_decode_all(const pm5_value *values, size_t count);
