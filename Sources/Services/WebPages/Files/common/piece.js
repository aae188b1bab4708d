// The name of the current workout, and how far it has come. `workout` is any message with the contract's
// workout fields: state, session or summary.
import * as format from './format.js';
import { duration, line, metres, remaining, shownDifference, withUnit } from './format.js';
import { interpolate } from './strings.js';

/** @typedef {{ text: string, share: ?number }} Progress */
/** @typedef {import('./strings.js').Strings} Strings */

const EQUAL_INTERVALS = ['fixed_distance_interval', 'fixed_time_interval', 'fixed_calorie_interval'];

const positive = (value) => typeof value === 'number' && value > 0;

/**
 * The length that is set: `2000 m`; empty for none.
 * @type {(workout: object, strings: Strings) => string}
 */
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

/**
 * The name of the workout: `8 × 500 m`; empty if none is set.
 * @type {(workout: object, strings: Strings) => string}
 */
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

/** @type {(count: number|string, length: string) => string} */
export const times = (count, length) => count + '\u2009\u00d7\u2009' + length;

/**
 * Whether all intervals have the reported length; otherwise it is only that of the first.
 * @type {(workout: object) => boolean}
 */
export function isEqual(workout) {
  return EQUAL_INTERVALS.indexOf(workout.workout) >= 0;
}

/**
 * The rest as the gateway reports it, continued to the shown `distance` and `time`; null if not
 * reported. `share` is null if the length is unknown.
 * @type {(workout: object, live: object, distance: number, time: number, kcal: ?number, strings: Strings) => ?Progress}
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
 * @type {(workout: object, distance: number, time: number, kcal: ?number, done: number, strings: Strings) => ?Progress}
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

// ---- Targets, and how far the current values are from them. Needs no DOM or clock.

/**
 * The values that can have a target, by priority. `least` is the smallest margin of a scale, `half` half
 * the width of a single value's mark, `places` the digits of a difference; `isReversed` if lower is more
 * effort (pace).
 */
const FIGURES = [
  { name: 'pace', field: 'pace_s_per_500m', least: 3, half: 1, places: 1, isReversed: true },
  { name: 'power', field: 'power_w', least: 15, half: 1, places: 0 },
  { name: 'rate', field: 'stroke_rate_spm', least: 2, half: 0.5, places: 0 },
  { name: 'heart', field: 'heart_rate_bpm', least: 6, half: 0.5, places: 0 },
];

const isNumber = (value) => typeof value === 'number' && isFinite(value);

/** For `pace_s_per_500m`, the contract's fields are `target_pace_min_s_per_500m` and `pace_vs_target`. */
function read(live, figure) {
  const [, word, unit] = /^(\w+?)_(s_per_500m|w|spm|bpm)$/.exec(figure.field);
  const [min, max] = ['min', 'max'].map((end) => live['target_' + word + '_' + end + '_' + unit]);
  if (!isNumber(min) && !isNumber(max)) return null;
  const band = { figure, min, max, value: live[figure.field], verdict: live[word + '_vs_target'] };
  // A value that looks equal to the limit is on target.
  if (isOff(band) && distanceOf(band) === 0) band.verdict = 'in';
  return band;
}

const isOff = ({ verdict }) => verdict === 'below' || verdict === 'above';

/** The difference to the limit, as both are shown; null if unknown. */
function distanceOf({ figure, min, max, value }, machine) {
  if (!isNumber(value)) return null;
  const limit = isNumber(min) && value < min ? min : max;
  const factor = figure.name === 'pace' ? format.paceFactor(machine) : 1;
  return isNumber(limit)
    ? Math.abs(shownDifference(value * factor, limit * factor, figure.places)) : null;
}

/**
 * All targets of a message.
 * @type {(live: object) => object[]}
 */
export function targetRanges(live) {
  return FIGURES.map((figure) => read(live, figure)).filter(Boolean);
}

/** Writes a range such as `1:50.0` to `1:55.0`; one end may be open, or both equal. */
function ends({ figure, min, max }, strings, join, machine = 'rower') {
  const short = (text) => text.replace(/[.,]0$/, '');
  const write = figure.name === 'pace' ? (value) => short(format.pace(value, strings.decimal, machine))
    : figure.base ? (value) => figure.base + (value < 0 ? '\u2212' : '+')
      + short(format.decimal(Math.abs(value), 1, strings.decimal)) : format.whole;
  const unit = figure.name === 'pace' || figure.base ? '' : figure.name === 'share' ? '%'
    : strings.units[figure.name];
  const both = isNumber(min) && isNumber(max);
  const text = both && min === max ? write(min) : both ? interpolate(join, write(min), write(max))
    : isNumber(min) ? interpolate(figure.isReversed ? strings.atMostFast : strings.atLeast, write(min))
      : interpolate(figure.isReversed ? strings.atLeastFast : strings.atMost, write(max));
  return unit ? format.withUnit(text, unit) : text;
}

/**
 * The main target: `1:50 to 1:55`, or `1:45`; empty without one.
 * @type {(live: object, strings: Strings, join?: string, machine?: string) => string}
 */
export function targetText(live, strings, join = strings.fromTo, machine = 'rower') {
  const [first] = targetRanges(live);
  return first ? ends(first, strings, join, machine) : '';
}

/** The contract's fields for a pace relative to that of a test distance, without limit and unit. */
export const OFFSETS = { '2k': 'target_2k_offset', '6k': 'target_6k_offset' };

/**
 * All targets of a command by priority: `1:45` or `2k+12`, `22 to 24 spm`, `75 to 80 % of 2k`.
 * @type {(fields: object, strings: Strings) => string[]}
 */
export function targetTexts(fields, strings) {
  const single = fields.target_pace_s_per_500m;
  const found = targetRanges(Object.assign(isNumber(single)
    ? { target_pace_min_s_per_500m: single, target_pace_max_s_per_500m: single } : {}, fields))
    .map((band) => ends(band, strings, strings.fromTo));
  for (const base of Object.keys(OFFSETS)) {
    const [min, max] = ['_min', '_max'].map((end) => fields[OFFSETS[base] + end + '_s_per_500m']);
    if (!isNumber(min) && !isNumber(max)) continue;
    found.unshift(ends({ figure: { base, isReversed: true }, min, max }, strings, strings.fromTo));
  }
  const [min, max] = [fields.target_2k_power_min_pct, fields.target_2k_power_max_pct];
  if (!isNumber(min) && !isNumber(max)) return found;
  const share = { figure: { name: 'share' }, min, max };
  return found.concat(interpolate(strings.of2k, ends(share, strings, strings.fromTo)));
}

/** The look and text of a verdict. */
function verdictWord(band, strings) {
  if (band.verdict === 'in') return { look: 'in', word: strings.onTarget };
  const isLess = band.verdict === 'below';
  return { look: isLess ? 'easy' : 'hard', word: strings.off[band.figure.name][isLess ? 0 : 1] };
}

/**
 * The verdict to show: the first value off target, else the first on target; null without a target or
 * value.
 * @type {(live: object) => ?object}
 */
export function verdict(live) {
  const judged = targetRanges(live).filter((band) => ['below', 'in', 'above'].indexOf(band.verdict) >= 0);
  return judged.filter((band) => band.verdict !== 'in')[0] || judged[0] || null;
}

/**
 * The verdict as a tile shows it.
 * @type {(live: object, strings: Strings) => ?{ look: string, word: string }}
 */
export function targetState(live, strings) {
  const found = verdict(live);
  return found && verdictWord(found, strings);
}

/** How far off target: `2.1 s fast`. */
function distance(band, strings, machine) {
  const { word, look } = verdictWord(band, strings);
  const off = distanceOf(band, machine);
  if (look === 'in' || off === null) return word;
  const { name, places } = band.figure;
  const text = format.decimal(off, places, strings.decimal);
  return interpolate(strings.offBy, format.withUnit(text, name === 'pace' ? 's' : strings.units[name]),
    strings.offShort[name][look === 'easy' ? 0 : 1]);
}

/**
 * The target as a small scale: `from` and `to` of the band and the `needle`, each 0 to 1, more effort to
 * the right; `text` is the difference in words, for the machine's pace. Null without a target.
 * @type {(live: object, strings: Strings, machine?: string) => ?object}
 */
export function scale(live, strings, machine = 'rower') {
  const band = verdict(live) || targetRanges(live)[0];
  if (!band) return null;
  const sign = band.figure.isReversed ? -1 : 1;
  // A single value is drawn as wide as the values that meet it.
  const half = band.min === band.max ? band.figure.half : 0;
  const [low, high] = [[band.min, -half], [band.max, half]]
    .map(([end, by]) => (isNumber(end) ? (end + by) * sign : null))
    .sort((a, b) => (a === null || b === null ? 0 : a - b));
  // An open end lies on the side of more, or of less.
  const isOpenAbove = sign > 0 ? !isNumber(band.max) : !isNumber(band.min);
  const known = low === null ? high : low;
  const margin = Math.max(low !== null && high !== null ? high - low : 0, band.figure.least);
  const [first, last] = low !== null && high !== null ? [low - margin, high + margin]
    : isOpenAbove ? [known - margin, known + 2 * margin] : [known - 2 * margin, known + margin];
  const at = (value) => Math.min(1, Math.max(0, (value - first) / (last - first)));
  return {
    from: low !== null && high !== null ? at(low) : isOpenAbove ? at(known) : 0,
    to: low !== null && high !== null ? at(high) : isOpenAbove ? 1 : at(known),
    needle: isNumber(band.value) ? at(band.value * sign) : null,
    look: band.verdict ? verdictWord(band, strings).look : '', name: strings.names[band.figure.name],
    text: band.verdict ? distance(band, strings, machine) : '',
    targetText: ends(band, strings, strings.range, machine),
  };
}
