// The fields of each struct in the order of the Swift type, for the comparison with the Swift decoder.

#include "pm5_decoder.h"

static int64_t optional(pm5_optional field) { return field.present ? field.value : -1; }

// Copies its arguments to `values` and returns their number.
#define FILL(...)                                                                                  \
    do {                                                                                           \
        int64_t list[] = {__VA_ARGS__};                                                            \
        for (size_t i = 0; i < sizeof list / sizeof *list; i++) values[i] = list[i];               \
        return sizeof list / sizeof *list;                                                         \
    } while (0)

static size_t status_values(const pm5_notification *n, int64_t *values) {
    const pm5_general_status *g = &n->general_status;
    const pm5_additional_status_1 *a = &n->additional_status_1;
    const pm5_additional_status_2 *b = &n->additional_status_2;
    const pm5_additional_status_3 *c = &n->additional_status_3;
    switch (n->characteristic) {
    case 0x31:
        FILL(g->elapsed, g->distance, g->workout_type, g->interval_type, g->workout_state,
             g->rowing_state, g->stroke_state, g->total_work_distance, g->workout_duration,
             g->duration_type, g->drag_factor);
    case 0x32:
        FILL(a->elapsed, a->speed, a->stroke_rate, a->heart_rate, a->current_pace, a->average_pace,
             a->rest_distance, a->rest_time, optional(a->average_power),
             optional(a->machine_type));
    case 0x33:
        FILL(b->elapsed, b->interval_count, optional(b->average_power), b->total_calories,
             b->split_average_pace, b->split_average_power, b->split_average_calories,
             b->last_split_time, b->last_split_distance);
    default:
        FILL(c->operational_state, c->verification_state, c->screen_number, c->last_error,
             c->calibration_mode, c->calibration_state, c->calibration_status, c->game_id,
             c->game_score);
    }
}

static size_t stroke_values(const pm5_notification *n, int64_t *values) {
    const pm5_stroke_data *s = &n->stroke_data;
    const pm5_additional_stroke_data *a = &n->additional_stroke_data;
    const pm5_split_data *p = &n->split_data;
    const pm5_additional_split_data *q = &n->additional_split_data;
    switch (n->characteristic) {
    case 0x35:
        FILL(s->elapsed, s->distance, s->drive_length, s->drive_time, s->recovery_time,
             s->stroke_distance, s->peak_force, s->average_force, optional(s->work),
             s->stroke_count);
    case 0x36:
        FILL(a->elapsed, a->power, a->calories, a->stroke_count, a->projected_time,
             a->projected_distance, optional(a->work));
    case 0x37:
        FILL(p->elapsed, p->distance, p->split_time, p->split_distance, p->rest_time,
             p->rest_distance, p->type, p->number);
    default:
        FILL(q->elapsed, q->stroke_rate, q->work_heart_rate, q->rest_heart_rate, q->average_pace,
             q->total_calories, q->average_calories, q->speed, q->power, q->drag_factor, q->number,
             optional(q->machine_type));
    }
}

static size_t summary_values(const pm5_notification *n, int64_t *values) {
    const pm5_workout_summary *s = &n->workout_summary;
    const pm5_additional_workout_summary *a = &n->additional_workout_summary;
    const pm5_workout_summary_2 *b = &n->workout_summary_2;
    const pm5_logged_workout *l = &n->logged_workout;
    switch (n->characteristic) {
    case 0x39:
        FILL(s->logged.date, s->logged.time, s->elapsed, s->distance, s->stroke_rate,
             s->ending_heart_rate, s->average_heart_rate, s->minimum_heart_rate,
             s->maximum_heart_rate, s->drag_factor, s->recovery_heart_rate, s->workout_type,
             optional(s->average_pace));
    case 0x3A:
        FILL(a->logged.date, a->logged.time, optional(a->split_type), a->split_size,
             a->split_count, a->total_calories, a->average_power, a->rest_distance, a->rest_time,
             a->average_calories);
    case 0x3C:
        FILL(b->logged.date, b->logged.time, b->average_pace, b->game_and_verification,
             b->game_score, b->machine_type);
    default: FILL((int64_t)l->hash, l->address, l->size, l->machine_type);
    }
}

static size_t force_values(const pm5_force_curve_piece *p, int64_t *values) {
    size_t count = p->sample_count;
    for (size_t i = 0; i < count; i++) values[i] = p->samples[i];
    values[count] = p->piece_count;
    values[count + 1] = p->sequence;
    values[count + 2] = p->announced;
    return count + 3;
}

size_t pm5_values(const pm5_notification *n, int64_t *values) {
    const pm5_heart_rate_belt *b = &n->heart_rate_belt;
    const pm5_heart_rate_input *h = &n->heart_rate_input;
    switch (n->characteristic) {
    case 0x31: case 0x32: case 0x33: case 0x3E: return status_values(n, values);
    case 0x35: case 0x36: case 0x37: case 0x38: return stroke_values(n, values);
    case 0x39: case 0x3A: case 0x3C: case 0x3F: return summary_values(n, values);
    case 0x34: FILL(n->sample_rate);
    case 0x3B: FILL(b->manufacturer, b->device_type, b->belt_id);
    case 0x3D: return force_values(&n->force_curve_piece, values);
    case 0x41:
        FILL(h->source, h->energy, h->interval, h->heart_rate, h->flags, h->ant_time,
             h->ant_beats, h->ant_heart_rate);
    default: return 0;
    }
}
