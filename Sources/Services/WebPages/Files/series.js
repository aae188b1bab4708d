// What is drawn of a session's strokes: where each stands, what is between them, and in which
// scale. No page in here.
import { counted } from './words.js';

export const isNumber = (value) => typeof value === 'number' && isFinite(value);

/** A stroke that can be drawn; a record that a disk has spoiled is told as an empty object. */
const isWhole = (stroke) =>
  isNumber(stroke.stroke) && isNumber(stroke.elapsed_s) && isNumber(stroke.distance_m);

/** Those that can be drawn, in order. */
export const wholeStrokes = (records) =>
  records.filter(isWhole).sort((one, other) => one.stroke - other.stroke);

/**
 * The strokes in order, with `runs` of those that follow each other, the `holes` between them, and
 * the `marks` where a split or an interval ends. `end` is how far the session went.
 */
export function series(records, { gaps, splits, summary }, axis, words, isOver) {
  const strokes = wholeStrokes(records);
  const x = (stroke) => stroke[axis];
  const isParted = summary.session_type === 'intervals';
  const last = strokes.length ? x(strokes[strokes.length - 1]) : 0;
  const told = axis === 'distance_m' ? summary.distance_m : summary.result_time_s;
  const end = Math.max(last, isNumber(told) ? told : 0);
  const holes = declared(gaps, strokes, words)
    .concat(undeclared(strokes, gaps, words, isOver))
    .map(({ before, after, text }) => ({
      from: before ? x(before) : 0, to: after ? x(after) : end, text, before, after }));
  const runs = [];
  strokes.forEach((stroke, index) => {
    const before = strokes[index - 1];
    const isNew = !before || stroke.stroke !== before.stroke + 1
      || (isParted && stroke.interval !== before.interval)
      || holes.some((hole) => hole.before === before && hole.after === stroke);
    if (isNew) runs.push([]);
    runs[runs.length - 1].push(stroke);
  });
  return { strokes, x, runs, holes, marks: marks(strokes, x, splits, axis), end, axis };
}

/** `shown` with another session's series in the same picture, which is as wide as the longer one. */
export function beside(shown, other) {
  return Object.assign({}, shown, { other, end: Math.max(shown.end, other.end), own: shown.end });
}

/** Where one split or interval ends and the next begins: as the splits tell, else half way. */
function marks(strokes, x, splits, axis) {
  const length = axis === 'distance_m' ? 'distance_m' : 'duration_s';
  const found = [];
  strokes.forEach((stroke, index) => {
    const before = strokes[index - 1];
    if (!before || !isNumber(stroke.interval) || stroke.interval === before.interval) return;
    const told = splits.filter((split) => split.split < stroke.interval)
      .reduce((sum, split) => sum + split[length], 0);
    const isBetween = told >= x(before) && told <= x(stroke);
    found.push({ at: isBetween ? told : (x(before) + x(stroke)) / 2, number: stroke.interval });
  });
  return found;
}

/** What the gateway says it has not heard, and between which strokes that was. */
function declared(gaps, strokes, words) {
  return gaps.filter((gap) => !isNumber(gap.from_split)).map((gap) => {
    const isBefore = isNumber(gap.from_stroke)
      ? (stroke) => stroke.stroke < gap.from_stroke : (stroke) => stroke.ts_ms <= gap.ts_ms;
    const behind = strokes.filter(isBefore);
    return { before: behind[behind.length - 1], after: strokes[behind.length],
      text: lost(gap, words) };
  });
}

/** Strokes that are not here, and of which no gap tells. */
function undeclared(strokes, gaps, words, isOver) {
  const found = [];
  strokes.forEach((after, index) => {
    const before = strokes[index - 1];
    const from = before ? before.stroke + 1 : 1;
    const known = gaps.reduce((sum, gap) => sum + overlap(gap, from, after.stroke - 1), 0);
    const count = after.stroke - from - known;
    if (count <= 0) return;
    found.push({ before, after, text: counted(isOver ? words.strokesGone : words.strokesAwaited,
      count) });
  });
  return found;
}

function overlap(gap, from, to) {
  if (!isNumber(gap.from_stroke)) return 0;
  return Math.max(0, Math.min(to, gap.to_stroke) - Math.max(from, gap.from_stroke) + 1);
}

/** What was lost by a gap: `2 strokes not heard`. */
export function lost(gap, words) {
  if (isNumber(gap.from_stroke) && isNumber(gap.to_stroke)) {
    return counted(words.strokesLost, gap.to_stroke - gap.from_stroke + 1);
  }
  if (isNumber(gap.from_split) && isNumber(gap.to_split)) {
    return counted(words.splitsLost, gap.to_split - gap.from_split + 1);
  }
  return gap.uncounted_strokes ? words.someLost : words.timeLost;
}

// MARK: Scales

/**
 * The ends of a scale and its round numbers, of which there are `most`. A few strokes beside all
 * others, such as the first ones, do not stretch it: they are drawn at its edge.
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

/** The round numbers from `from` to `to`. */
export function ticks(from, to, step) {
  const found = [];
  for (let index = 0; from + index * step <= to + step / 1000; index += 1) {
    found.push(from + index * step);
  }
  return found;
}

// MARK: What changed

/** The first and the last quarter of the piece, of elements with the `name`d figure. */
export function quarters(records, name) {
  const found = records.filter((record) => isNumber(record[name]));
  const size = Math.floor(found.length / 4);
  return size < 3 ? null
    : [mean(found.slice(0, size), name), mean(found.slice(-size), name)];
}

export function mean(records, name) {
  const values = records.map((record) => record[name]).filter(isNumber);
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** By how many seconds for 500 m the second half of the splits was faster; null where unknown. */
export function halves(splits) {
  const half = Math.floor(splits.length / 2);
  if (half === 0) return null;
  const [first, second] = [splits.slice(0, half), splits.slice(-half)].map((part) => {
    const metres = part.reduce((sum, split) => sum + split.distance_m, 0);
    return part.reduce((sum, split) => sum + split.duration_s, 0) / metres * 500;
  });
  return isFinite(first - second) ? first - second : null;
}
