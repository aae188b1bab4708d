// What is being rowed, in words, and how far it has come. `workout` is any message that carries
// the contract's workout fields: state, session or summary.
import { duration, line, metres, remaining, withUnit } from './figures.js';
import { fill } from './words.js';

const EQUAL = ['fixed_distance_interval', 'fixed_time_interval', 'fixed_calorie_interval'];

const positive = (value) => typeof value === 'number' && value > 0;

/** The length that is set, `2000 m`; empty where none is. */
export function target(workout, words) {
  if (positive(workout.target_distance_m)) {
    return withUnit(metres(workout.target_distance_m), words.units.metres);
  }
  if (positive(workout.target_time_s)) return duration(workout.target_time_s);
  if (positive(workout.target_calories_kcal)) {
    return withUnit(workout.target_calories_kcal, 'kcal');
  }
  if (positive(workout.target_work_w_min)) return withUnit(workout.target_work_w_min, 'W\u00b7min');
  return '';
}

/** What a tile or the header calls the piece, `8 × 500 m`; empty where the monitor is set to nothing. */
export function pieceName(workout, words) {
  const type = line(workout.session_type, 32);
  const length = target(workout, words);
  if (type === '') return '';
  if (type === 'just_row') return words.justRow;
  if (type === 'intervals') {
    if (!isEqual(workout) || !length) return words.intervals;
    return positive(workout.interval_count)
      ? times(workout.interval_count, length) : fill(words.each, length);
  }
  return length || words.workout;
}

/** `8 × 500 m`. */
export const times = (count, length) => count + '\u2009\u00d7\u2009' + length;

/** Whether all intervals have the length that the workout reports: of others it is the first one's. */
export function isEqual(workout) {
  return EQUAL.indexOf(workout.workout) >= 0;
}

/**
 * What is left as the gateway reports it, run on to the `distance` and the `time` that are shown now;
 * null where it reports nothing. `share` is null where the length is not known.
 */
export function countdown(workout, live, distance, time, kcal, words) {
  const isParted = workout.session_type === 'intervals';
  const shown = (left, write, done) => {
    const rest = Math.max(0, left);
    const whole = typeof done === 'number' ? rest + Math.max(0, done) : 0;
    return { text: fill(words.toGo, write(rest)), share: whole > 0 ? 1 - rest / whole : null };
  };
  if (typeof live.remaining_distance_m === 'number') {
    const more = distance - live.distance_m;
    const done = isParted ? live.interval_distance_m : live.distance_m;
    return shown(live.remaining_distance_m - more, metresLeft(words), done + more);
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

const metresLeft = (words) => (rest) =>
  withUnit(metres(Math.ceil(rest - 1e-6)), words.units.metres);

/**
 * How far the piece, or the present one of equal intervals, has come.
 * `done` is the number of intervals behind it, `kcal` what was burned. `share` is null where no end
 * is set.
 */
export function progress(workout, distance, time, kcal, done, words) {
  const [length, reached, left] = goal(workout, distance, time, kcal, words);
  const isSplit = workout.session_type === 'intervals';
  if (length === null || (isSplit && !isEqual(workout))) return soFar(distance, words);
  const reachedHere = isSplit ? reached - done * length : reached;
  // An interval that was not heard to end: the sum no longer tells where in an interval this is.
  if (isSplit && (reachedHere < 0 || reachedHere > length + 1)) return soFar(distance, words);
  const rest = Math.max(0, length - reachedHere);
  return { text: fill(words.toGo, left(rest)), share: 1 - rest / length };
}

function soFar(distance, words) {
  const text = typeof distance === 'number'
    ? fill(words.soFar, withUnit(metres(Math.floor(distance)), words.units.metres)) : '';
  return { text, share: null };
}

/** The length that is set, what was done in the whole session, and how the remainder is written. */
function goal(workout, distance, time, kcal, words) {
  if (positive(workout.target_distance_m) && typeof distance === 'number') {
    return [workout.target_distance_m, distance, metresLeft(words)];
  }
  if (positive(workout.target_time_s) && typeof time === 'number') {
    return [workout.target_time_s, time, remaining];
  }
  if (positive(workout.target_calories_kcal) && typeof kcal === 'number') {
    return [workout.target_calories_kcal, kcal, (rest) => withUnit(rest, 'kcal')];
  }
  return [null, 0, null];
}
