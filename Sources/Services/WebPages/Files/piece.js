// The name of the current workout, and how far it has come. `workout` is any message with the contract's
// workout fields: state, session or summary.
import { duration, line, metres, remaining, withUnit } from './format.js';
import { interpolate } from './strings.js';

const EQUAL_INTERVALS = ['fixed_distance_interval', 'fixed_time_interval', 'fixed_calorie_interval'];

const positive = (value) => typeof value === 'number' && value > 0;

/** The length that is set: `2000 m`; empty for none. */
export function target(workout, strings) {
  if (positive(workout.target_distance_m)) {
    return withUnit(metres(workout.target_distance_m), strings.units.metres);
  }
  if (positive(workout.target_time_s)) return duration(workout.target_time_s);
  if (positive(workout.target_calories_kcal)) {
    return withUnit(workout.target_calories_kcal, 'kcal');
  }
  if (positive(workout.target_work_w_min)) return withUnit(workout.target_work_w_min, 'W\u00b7min');
  return '';
}

/** The name of the workout: `8 × 500 m`; empty if none is set. */
export function pieceName(workout, strings) {
  const type = line(workout.session_type, 32);
  const length = target(workout, strings);
  if (type === '') return '';
  if (type === 'just_row') return strings.justRow;
  if (type === 'intervals') {
    if (!isEqual(workout) || !length) return strings.intervals;
    return positive(workout.interval_count)
      ? times(workout.interval_count, length) : interpolate(strings.intervalsOf, length);
  }
  return length || strings.workout;
}

export const times = (count, length) => count + '\u2009\u00d7\u2009' + length;

/** Whether all intervals have the reported length; otherwise it is only that of the first. */
export function isEqual(workout) {
  return EQUAL_INTERVALS.indexOf(workout.workout) >= 0;
}

/**
 * The rest as the gateway reports it, continued to the shown `distance` and `time`; null if not
 * reported. `share` is null if the length is unknown.
 */
export function countdown(workout, live, distance, time, kcal, strings) {
  const isParted = workout.session_type === 'intervals';
  const shown = (left, write, done) => {
    const rest = Math.max(0, left);
    const whole = typeof done === 'number' ? rest + Math.max(0, done) : 0;
    return { text: interpolate(strings.toGo, write(rest)), share: whole > 0 ? 1 - rest / whole : null };
  };
  if (typeof live.remaining_distance_m === 'number') {
    const more = distance - live.distance_m;
    const done = isParted ? live.interval_distance_m : live.distance_m;
    return shown(live.remaining_distance_m - more, metresLeft(strings), done + more);
  }
  if (typeof live.remaining_time_s === 'number') {
    const more = time - live.elapsed_s;
    const done = isParted ? live.interval_elapsed_s : live.elapsed_s;
    return shown(live.remaining_time_s - more, remaining, done + more);
  }
  if (typeof live.remaining_calories_kcal !== 'number') return null;
  return shown(live.remaining_calories_kcal, (rest) => withUnit(rest, 'kcal'),
    isParted ? undefined : kcal);
}

const metresLeft = (strings) => (rest) =>
  withUnit(metres(Math.ceil(rest - 1e-6)), strings.units.metres);

/**
 * The progress of the piece, or of the current one of equal intervals. `done` is the number of completed
 * intervals, `kcal` the energy so far. `share` is null without a set length.
 */
export function progress(workout, distance, time, kcal, done, strings) {
  const [length, reached, left] = goal(workout, distance, time, kcal, strings);
  const isSplit = workout.session_type === 'intervals';
  if (length === null || (isSplit && !isEqual(workout))) return soFar(distance, strings);
  const reachedHere = isSplit ? reached - done * length : reached;
  // The end of an interval was missed: the total no longer tells the position within an interval.
  if (isSplit && (reachedHere < 0 || reachedHere > length + 1)) return soFar(distance, strings);
  const rest = Math.max(0, length - reachedHere);
  return { text: interpolate(strings.toGo, left(rest)), share: 1 - rest / length };
}

function soFar(distance, strings) {
  const text = typeof distance === 'number'
    ? interpolate(strings.soFar, withUnit(metres(Math.floor(distance)), strings.units.metres)) : '';
  return { text, share: null };
}

/** The set length, the total so far, and a function that writes the rest. */
function goal(workout, distance, time, kcal, strings) {
  if (positive(workout.target_distance_m) && typeof distance === 'number') {
    return [workout.target_distance_m, distance, metresLeft(strings)];
  }
  if (positive(workout.target_time_s) && typeof time === 'number') {
    return [workout.target_time_s, time, remaining];
  }
  if (positive(workout.target_calories_kcal) && typeof kcal === 'number') {
    return [workout.target_calories_kcal, kcal, (rest) => withUnit(rest, 'kcal')];
  }
  return [null, 0, null];
}
