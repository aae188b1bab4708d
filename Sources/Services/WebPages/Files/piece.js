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

/** What a tile or the header calls the piece; empty where the monitor is set to nothing. */
export function pieceName(workout, words) {
  const type = line(workout.session_type, 32);
  const length = target(workout, words);
  if (type === '') return '';
  if (type === 'just_row') return words.justRow;
  if (type === 'intervals') {
    return isEqual(workout) && length ? fill(words.each, length) : words.intervals;
  }
  return length || words.workout;
}

/** Whether all intervals have the length that the workout tells: of others it tells the first. */
function isEqual(workout) {
  return EQUAL.indexOf(workout.workout) >= 0;
}

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
    const text = (rest) => withUnit(metres(Math.ceil(rest - 1e-6)), words.units.metres);
    return [workout.target_distance_m, distance, text];
  }
  if (positive(workout.target_time_s) && typeof time === 'number') {
    return [workout.target_time_s, time, remaining];
  }
  if (positive(workout.target_calories_kcal) && typeof kcal === 'number') {
    return [workout.target_calories_kcal, kcal, (rest) => withUnit(rest, 'kcal')];
  }
  return [null, 0, null];
}
