// The data behind a session's chart: strokes, gaps, marks and scales. Needs no DOM.
import { pluralize } from './strings.js';

/** @typedef {import('./strings.js').Strings} Strings */

/** @type {(value: any) => boolean} */
export const isNumber = (value) => typeof value === 'number' && isFinite(value);

/** Whether a stroke can be drawn; an unreadable record arrives as an empty object. */
const isWhole = (stroke) =>
  isNumber(stroke.stroke) && isNumber(stroke.elapsed_s) && isNumber(stroke.distance_m);

/**
 * The strokes that can be drawn, in order.
 * @type {(records: object[]) => object[]}
 */
export const wholeStrokes = (records) =>
  records.filter(isWhole).sort((one, other) => one.stroke - other.stroke);

/**
 * The strokes in order, with `runs` of consecutive ones, the `gapSpans` between them, and `marks` at the
 * ends of splits or intervals. `end` is the end of the session on the axis.
 * @type {(records: object[], detail: object, axis: string, strings: Strings, isOver: boolean) => object}
 */
export function series(records, { gaps, splits, summary }, axis, strings, isOver) {
  const strokes = wholeStrokes(records);
  const x = (stroke) => stroke[axis];
  const isParted = summary.session_type === 'intervals';
  const last = strokes.length ? x(strokes[strokes.length - 1]) : 0;
  const reported = axis === 'distance_m' ? summary.distance_m : summary.result_time_s;
  const end = Math.max(last, isNumber(reported) ? reported : 0);
  const gapSpans = declared(gaps, strokes, strings)
    .concat(undeclared(strokes, gaps, strings, isOver))
    .map(({ before, after, text }) => ({
      from: before ? x(before) : 0, to: after ? x(after) : end, text, before, after }));
  const runs = [];
  strokes.forEach((stroke, index) => {
    const before = strokes[index - 1];
    const isNew = !before || stroke.stroke !== before.stroke + 1
      || (isParted && stroke.interval !== before.interval)
      || gapSpans.some((span) => span.before === before && span.after === stroke);
    if (isNew) runs.push([]);
    runs[runs.length - 1].push(stroke);
  });
  return { strokes, x, runs, gapSpans, marks: marks(strokes, x, splits, axis), end, axis };
}

/**
 * `shown` together with another session; the axis covers both.
 * @type {(shown: object, other: object) => object}
 */
export function withOther(shown, other) {
  return Object.assign({}, shown, { other, end: Math.max(shown.end, other.end), own: shown.end });
}

/** Where a split or interval ends: from the splits, else half way between two strokes. */
function marks(strokes, x, splits, axis) {
  const length = axis === 'distance_m' ? 'distance_m' : 'duration_s';
  const found = [];
  strokes.forEach((stroke, index) => {
    const before = strokes[index - 1];
    if (!before || !isNumber(stroke.interval) || stroke.interval === before.interval) return;
    const reported = splits.filter((split) => split.split < stroke.interval)
      .reduce((sum, split) => sum + split[length], 0);
    const isBetween = reported >= x(before) && reported <= x(stroke);
    found.push({ at: isBetween ? reported : (x(before) + x(stroke)) / 2, number: stroke.interval });
  });
  return found;
}

/** The gaps that the gateway reported, with the strokes around them. */
function declared(gaps, strokes, strings) {
  return gaps.filter((gap) => !isNumber(gap.from_split)).map((gap) => {
    const isBefore = isNumber(gap.from_stroke)
      ? (stroke) => stroke.stroke < gap.from_stroke : (stroke) => stroke.ts_ms <= gap.ts_ms;
    const behind = strokes.filter(isBefore);
    return { before: behind[behind.length - 1], after: strokes[behind.length],
      text: gapText(gap, strings) };
  });
}

/** Missing strokes that no reported gap covers. */
function undeclared(strokes, gaps, strings, isOver) {
  const found = [];
  strokes.forEach((after, index) => {
    const before = strokes[index - 1];
    const from = before ? before.stroke + 1 : 1;
    const known = gaps.reduce((sum, gap) => sum + overlap(gap, from, after.stroke - 1), 0);
    const count = after.stroke - from - known;
    if (count <= 0) return;
    found.push({ before, after, text: pluralize(isOver ? strings.strokesLost : strings.strokesAwaited,
      count) });
  });
  return found;
}

function overlap(gap, from, to) {
  if (!isNumber(gap.from_stroke)) return 0;
  return Math.max(0, Math.min(to, gap.to_stroke) - Math.max(from, gap.from_stroke) + 1);
}

/**
 * The effect of a gap: `2 strokes missed`.
 * @type {(gap: object, strings: Strings) => string}
 */
export function gapText(gap, strings) {
  if (isNumber(gap.from_stroke) && isNumber(gap.to_stroke)) {
    return pluralize(strings.strokesMissed, gap.to_stroke - gap.from_stroke + 1);
  }
  if (isNumber(gap.from_split) && isNumber(gap.to_split)) {
    return pluralize(strings.splitsMissed, gap.to_split - gap.from_split + 1);
  }
  return gap.uncounted_strokes ? strings.someMissed : strings.timeMissed;
}

// MARK: Scales

/**
 * The ends of a scale and at most `most` round numbers. Outliers, such as the first strokes, do not stretch
 * it: they are drawn at its edge.
 * @type {(values: number[], steps: number[], most: number) => { from: number, to: number, ticks: number[] }}
 */
export function scale(values, steps, most) {
  const sorted = values.slice().sort((one, other) => one - other);
  const part = (share) => sorted[Math.round(share * (sorted.length - 1))];
  const edge = sorted.length > 20 ? 0.03 : 0;
  const [low, high] = [part(edge), part(1 - edge)];
  const step = steps.find((one) => ends(low, high, one)[2] <= most) || steps[steps.length - 1];
  const [from, to] = ends(low, high, step);
  return { from, to, ticks: ticks(from, to, step) };
}

function ends(low, high, step) {
  const from = Math.floor(low / step - 0.1) * step;
  const to = Math.max(Math.ceil(high / step + 0.1), Math.floor(low / step - 0.1) + 1) * step;
  return [Math.max(0, from), to, Math.round((to - Math.max(0, from)) / step)];
}

/**
 * The round numbers from `from` to `to`.
 * @type {(from: number, to: number, step: number) => number[]}
 */
export function ticks(from, to, step) {
  const found = [];
  for (let index = 0; from + index * step <= to + step / 1000; index += 1) {
    found.push(from + index * step);
  }
  return found;
}

// MARK: Changes

/**
 * The means of the first and last quarter of the records that have a value `name`; null for too few.
 * @type {(records: object[], name: string) => ?[number, number]}
 */
export function quarters(records, name) {
  const found = records.filter((record) => isNumber(record[name]));
  const size = Math.floor(found.length / 4);
  return size < 3 ? null
    : [mean(found.slice(0, size), name), mean(found.slice(-size), name)];
}

/** @type {(records: object[], name: string) => ?number} */
export function mean(records, name) {
  const values = records.map((record) => record[name]).filter(isNumber);
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/**
 * How much faster the second half of the splits was: seconds per 500 m; null if unknown.
 * @type {(splits: object[]) => ?number}
 */
export function halfDifference(splits) {
  const half = Math.floor(splits.length / 2);
  if (half === 0) return null;
  const [first, second] = [splits.slice(0, half), splits.slice(-half)].map((part) => {
    const metres = part.reduce((sum, split) => sum + split.distance_m, 0);
    return part.reduce((sum, split) => sum + split.duration_s, 0) / metres * 500;
  });
  return isFinite(first - second) ? first - second : null;
}
