#include "pm5_decoder.h"

#include <string.h>

typedef struct {
    const uint8_t *bytes;
    size_t length, offset;
} reader;

static inline size_t remaining(const reader *r) { return r->length - r->offset; }

static inline uint8_t u8(reader *r) { return r->bytes[r->offset++]; }

static inline uint16_t u16(reader *r) {
    const uint8_t *b = r->bytes + r->offset;
    r->offset += 2;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t u24(reader *r) {
    const uint8_t *b = r->bytes + r->offset;
    r->offset += 3;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16;
}

static inline uint32_t u32(reader *r) {
    uint32_t low = u16(r);
    return low | (uint32_t)u16(r) << 16;
}

static inline uint64_t u64(reader *r) {
    uint64_t low = u32(r);
    return low | (uint64_t)u32(r) << 32;
}

static inline pm5_optional some(uint16_t value) { return (pm5_optional){true, value}; }
static inline pm5_optional none(void) { return (pm5_optional){false, 0}; }

static inline pm5_log_timestamp log_timestamp(reader *r) {
    pm5_log_timestamp t = {u16(r), 0};
    t.time = u16(r);
    return t;
}

static bool require(const reader *r, size_t count, pm5_error *error) {
    if (remaining(r) >= count) return true;
    *error = (pm5_error){.kind = PM5_TRUNCATED, .needed = r->offset + count, .had = r->length};
    return false;
}

static bool general_status(reader *r, pm5_general_status *s, pm5_error *e) {
    if (!require(r, 19, e)) return false;
    s->elapsed = u24(r);
    s->distance = u24(r);
    s->workout_type = u8(r);
    s->interval_type = u8(r);
    s->workout_state = u8(r);
    s->rowing_state = u8(r);
    s->stroke_state = u8(r);
    s->total_work_distance = u24(r);
    s->workout_duration = u24(r);
    s->duration_type = u8(r);
    s->drag_factor = u8(r);
    return true;
}

static bool additional_status_1(reader *r, bool mux, pm5_additional_status_1 *s, pm5_error *e) {
    if (!require(r, mux ? 18 : 16, e)) return false;
    s->elapsed = u24(r);
    s->speed = u16(r);
    s->stroke_rate = u8(r);
    s->heart_rate = u8(r);
    s->current_pace = u16(r);
    s->average_pace = u16(r);
    s->rest_distance = u16(r);
    s->rest_time = u24(r);
    s->average_power = mux ? some(u16(r)) : none();
    s->machine_type = remaining(r) > 0 ? some(u8(r)) : none();
    return true;
}

static bool additional_status_2(reader *r, bool mux, pm5_additional_status_2 *s, pm5_error *e) {
    if (!require(r, mux ? 18 : 20, e)) return false;
    s->elapsed = u24(r);
    s->interval_count = u8(r);
    s->average_power = mux ? none() : some(u16(r));
    s->total_calories = u16(r);
    s->split_average_pace = u16(r);
    s->split_average_power = u16(r);
    s->split_average_calories = u16(r);
    s->last_split_time = u24(r);
    s->last_split_distance = u24(r);
    return true;
}

static bool additional_status_3(reader *r, pm5_additional_status_3 *s, pm5_error *e) {
    if (!require(r, 12, e)) return false;
    s->operational_state = u8(r);
    s->verification_state = u8(r);
    s->screen_number = u16(r);
    s->last_error = u16(r);
    s->calibration_mode = u8(r);
    s->calibration_state = u8(r);
    s->calibration_status = u8(r);
    s->game_id = u8(r);
    s->game_score = u16(r);
    return true;
}

static bool sample_rate(reader *r, uint8_t *rate, pm5_error *e) {
    if (!require(r, 1, e)) return false;
    *rate = u8(r);
    return true;
}

static bool stroke_data(reader *r, bool mux, pm5_stroke_data *s, pm5_error *e) {
    if (!require(r, mux ? 18 : 20, e)) return false;
    s->elapsed = u24(r);
    s->distance = u24(r);
    s->drive_length = u8(r);
    s->drive_time = u8(r);
    s->recovery_time = u16(r);
    s->stroke_distance = u16(r);
    s->peak_force = u16(r);
    s->average_force = u16(r);
    s->work = mux ? none() : some(u16(r));
    s->stroke_count = u16(r);
    return true;
}

static bool additional_stroke_data(
    reader *r, bool mux, pm5_additional_stroke_data *s, pm5_error *e) {
    if (!require(r, mux ? 17 : 15, e)) return false;
    s->elapsed = u24(r);
    s->power = u16(r);
    s->calories = u16(r);
    s->stroke_count = u16(r);
    s->projected_time = u24(r);
    s->projected_distance = u24(r);
    s->work = mux ? some(u16(r)) : none();
    return true;
}

static bool split_data(reader *r, pm5_split_data *s, pm5_error *e) {
    if (!require(r, 18, e)) return false;
    s->elapsed = u24(r);
    s->distance = u24(r);
    s->split_time = u24(r);
    s->split_distance = u24(r);
    s->rest_time = u16(r);
    s->rest_distance = u16(r);
    s->type = u8(r);
    s->number = u8(r);
    return true;
}

static bool additional_split_data(reader *r, pm5_additional_split_data *s, pm5_error *e) {
    if (!require(r, 18, e)) return false;
    s->elapsed = u24(r);
    s->stroke_rate = u8(r);
    s->work_heart_rate = u8(r);
    s->rest_heart_rate = u8(r);
    s->average_pace = u16(r);
    s->total_calories = u16(r);
    s->average_calories = u16(r);
    s->speed = u16(r);
    s->power = u16(r);
    s->drag_factor = u8(r);
    s->number = u8(r);
    s->machine_type = remaining(r) > 0 ? some(u8(r)) : none();
    return true;
}

static bool workout_summary(reader *r, bool mux, pm5_workout_summary *s, pm5_error *e) {
    if (!require(r, mux ? 18 : 20, e)) return false;
    s->logged = log_timestamp(r);
    s->elapsed = u24(r);
    s->distance = u24(r);
    s->stroke_rate = u8(r);
    s->ending_heart_rate = u8(r);
    s->average_heart_rate = u8(r);
    s->minimum_heart_rate = u8(r);
    s->maximum_heart_rate = u8(r);
    s->drag_factor = u8(r);
    s->recovery_heart_rate = u8(r);
    s->workout_type = u8(r);
    s->average_pace = mux ? none() : some(u16(r));
    return true;
}

static bool additional_workout_summary(
    reader *r, bool mux, pm5_additional_workout_summary *s, pm5_error *e) {
    if (!require(r, mux ? 18 : 19, e)) return false;
    s->logged = log_timestamp(r);
    s->split_type = mux ? none() : some(u8(r));
    s->split_size = u16(r);
    s->split_count = u8(r);
    s->total_calories = u16(r);
    s->average_power = u16(r);
    s->rest_distance = u24(r);
    s->rest_time = u16(r);
    s->average_calories = u16(r);
    return true;
}

static bool heart_rate_belt(reader *r, pm5_heart_rate_belt *b, pm5_error *e) {
    if (!require(r, 6, e)) return false;
    b->manufacturer = u8(r);
    b->device_type = u8(r);
    b->belt_id = u32(r);
    return true;
}

static bool workout_summary_2(reader *r, pm5_workout_summary_2 *s, pm5_error *e) {
    if (!require(r, 10, e)) return false;
    s->logged = log_timestamp(r);
    s->average_pace = u16(r);
    s->game_and_verification = u8(r);
    s->game_score = u16(r);
    s->machine_type = u8(r);
    return true;
}

static bool force_curve_piece(reader *r, bool mux, pm5_force_curve_piece *p, pm5_error *e) {
    bool cut = mux && remaining(r) == 19;
    if (!require(r, 2, e)) return false;
    uint8_t header = u8(r);
    p->piece_count = header >> 4;
    p->announced = header & 0x0F;
    p->sequence = u8(r);
    if (!cut && !require(r, 2 * (size_t)p->announced, e)) return false;
    size_t whole = remaining(r) / 2;
    p->sample_count = p->announced < whole ? p->announced : (uint8_t)whole;
    memset(p->samples, 0, sizeof p->samples);
    for (uint8_t i = 0; i < p->sample_count; i++) p->samples[i] = (int16_t)u16(r);
    return true;
}

static bool logged_workout(reader *r, pm5_logged_workout *w, pm5_error *e) {
    if (!require(r, 15, e)) return false;
    w->hash = u64(r);
    w->address = u32(r);
    w->size = u16(r);
    w->machine_type = u8(r);
    return true;
}

static bool heart_rate_input(reader *r, pm5_heart_rate_input *h, pm5_error *e) {
    if (!require(r, 20, e)) return false;
    h->source = u8(r);
    h->energy = u16(r);
    h->interval = u16(r);
    h->heart_rate = u16(r);
    h->flags = u8(r);
    h->ant_time = u16(r);
    h->ant_beats = u8(r);
    h->ant_heart_rate = u8(r);
    r->offset += 8;
    return true;
}

static bool unknown(uint16_t characteristic, pm5_error *error) {
    *error = (pm5_error){.kind = PM5_UNKNOWN, .characteristic = characteristic};
    return false;
}

static bool payload(reader *r, pm5_notification *n, pm5_error *e) {
    bool mux = n->multiplexed;
    switch (n->characteristic) {
    case 0x31: return general_status(r, &n->general_status, e);
    case 0x32: return additional_status_1(r, mux, &n->additional_status_1, e);
    case 0x33: return additional_status_2(r, mux, &n->additional_status_2, e);
    case 0x34: return mux ? unknown(0x34, e) : sample_rate(r, &n->sample_rate, e);
    case 0x35: return stroke_data(r, mux, &n->stroke_data, e);
    case 0x36: return additional_stroke_data(r, mux, &n->additional_stroke_data, e);
    case 0x37: return split_data(r, &n->split_data, e);
    case 0x38: return additional_split_data(r, &n->additional_split_data, e);
    case 0x39: return workout_summary(r, mux, &n->workout_summary, e);
    case 0x3A: return additional_workout_summary(r, mux, &n->additional_workout_summary, e);
    case 0x3B: return heart_rate_belt(r, &n->heart_rate_belt, e);
    case 0x3C: return workout_summary_2(r, &n->workout_summary_2, e);
    case 0x3D: return force_curve_piece(r, mux, &n->force_curve_piece, e);
    case 0x3E: return additional_status_3(r, &n->additional_status_3, e);
    case 0x3F: return logged_workout(r, &n->logged_workout, e);
    case 0x41: return mux ? unknown(0x41, e) : heart_rate_input(r, &n->heart_rate_input, e);
    default: return unknown(n->characteristic, e);
    }
}

// Not inlined, as a library's function is not.
__attribute__((noinline)) bool pm5_decode(
    uint16_t characteristic, const uint8_t *bytes, size_t length, pm5_notification *result,
    pm5_error *error) {
    reader r = {bytes, length, 0};
    result->multiplexed = characteristic == 0x80;
    result->characteristic = characteristic;
    if (result->multiplexed) {
        if (!require(&r, 1, error)) return false;
        result->characteristic = u8(&r);
    }
    if (!payload(&r, result, error)) return false;
    result->extra_bytes = remaining(&r);
    return true;
}

static uint32_t first_number(const pm5_notification *n) {
    switch (n->characteristic) {
    case 0x31: return n->general_status.elapsed;
    case 0x32: return n->additional_status_1.elapsed;
    case 0x33: return n->additional_status_2.elapsed;
    case 0x35: return n->stroke_data.elapsed;
    case 0x36: return n->additional_stroke_data.elapsed;
    case 0x37: return n->split_data.elapsed;
    case 0x38: return n->additional_split_data.elapsed;
    case 0x39: return n->workout_summary.elapsed;
    case 0x3A: return n->additional_workout_summary.split_size;
    case 0x3B: return n->heart_rate_belt.belt_id;
    case 0x3C: return n->workout_summary_2.game_score;
    case 0x3D: return n->force_curve_piece.sequence;
    case 0x3E: return n->additional_status_3.verification_state;
    case 0x3F: return n->logged_workout.address;
    case 0x41: return n->heart_rate_input.flags;
    default: return 0;
    }
}

uint64_t pm5_decode_all(const pm5_value *values, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        pm5_notification notification;
        pm5_error error;
        const pm5_value *v = &values[i];
        if (pm5_decode(v->characteristic, v->bytes, v->length, &notification, &error)) {
            sum += first_number(&notification);
        } else {
            sum += 1;
        }
    }
    return sum;
}
