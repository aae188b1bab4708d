// Facts of a group piece: the name of its workout, which repeats were off target, the order of its rows, sentences
// about it, and how a result was added. Needs no DOM.
import * as format from '../common/format.js';
import { isEqual, pieceName, targetState } from '../common/piece.js';
import { isNumber } from '../common/series.js';
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** At most so many sentences. */
const MOST = 3;
/** Seconds per 500 m: smaller changes are not worth a sentence. */
const LEAST_GAIN = 0.5, LEAST_LOSS = 2;
/** A row with this share of strokes on target counts as on target. */
const ON_TARGET = 0.8;

/**
 * The workout of a piece: `8 × 500 m, rest 1:00`, `1000 m + 750 m`; the kind of piece without a set workout.
 * @type {(workout: ?object, strings: Strings) => string}
 */
export function workoutName(workout, strings) {
  if (!workout) return strings.justRow;
  if (workout.session_type === 'intervals' && !isEqual(workout)) {
    const lengths = String(workout.notation).split('+').map((text) => {
      const [, metres] = /^(\d+)m$/.exec(text) || [];
      return metres ? format.withUnit(format.metres(Number(metres)), strings.units.metres) : format.line(text, 20);
    });
    return lengths[0] === 'intervals' ? strings.intervals : lengths.join(' + ');
  }
  const name = pieceName(workout, strings);
  return workout.interval_rest_s > 0
    ? interpolate(strings.workoutWithRest, name, format.elapsed(workout.interval_rest_s)) : name;
}

/** Averages of a split by the name of their target, with the field that a stroke has for them. */
const AVERAGES = [
  ['pace', 'avg_pace_s_per_500m', 'pace_s_per_500m', 's_per_500m'],
  ['power', 'avg_power_w', 'power_w', 'w'],
  ['stroke_rate', 'avg_stroke_rate_spm', 'stroke_rate_spm', 'spm'],
  ['heart_rate', 'avg_heart_rate_bpm', 'heart_rate_bpm', 'bpm'],
];

/** The position of a repeat's average: `below` is less effort. A single pace is met within a second. */
function position(name, value, min, max) {
  if (!isNumber(value) || (!isNumber(min) && !isNumber(max))) return '';
  const margin = name === 'pace' && min === max ? 1 : 0;
  const [isLess, isMore] = [isNumber(min) && value < min - margin, isNumber(max) && value > max + margin];
  if (name === 'pace') return isLess ? 'above' : isMore ? 'below' : 'in';
  return isLess ? 'below' : isMore ? 'above' : 'in';
}

/**
 * How a repeat differs from its target: the look and the word; null on target and without a target.
 * @type {(repeat: object, strings: Strings) => ?{ look: string, word: string }}
 */
export function offTarget(repeat, strings) {
  const live = Object.assign({}, repeat);
  for (const [name, average, field, unit] of AVERAGES) {
    const ends = ['min', 'max'].map((end) => repeat['target_' + name + '_' + end + '_' + unit]);
    live[field] = repeat[average];
    live[name + '_vs_target'] = position(name, repeat[average], ends[0], ends[1]);
  }
  const state = targetState(live, strings);
  return state && state.look !== 'in' ? state : null;
}

/**
 * The repeat of a row in a column from 1 on; undefined if it was not rowed.
 * @type {(row: object, column: number) => ?object}
 */
export const repeatIn = (row, column) => row.repeats.filter((one) => one.split === column)[0];

/**
 * The pace of a repeat in seconds per 500 m; undefined if unknown.
 * @type {(repeat: ?object) => ?number}
 */
export function paceOfRepeat(repeat) {
  if (!repeat) return undefined;
  if (isNumber(repeat.avg_pace_s_per_500m)) return repeat.avg_pace_s_per_500m;
  return repeat.distance_m > 0 ? repeat.duration_s / repeat.distance_m * 500 : undefined;
}

/**
 * Rows sorted by a column: `name`, a number of a repeat, or a member of the rows. Rows without a value are last.
 * @type {(rows: object[], column: string, isReversed: boolean, nameOf: (row: object) => string) => object[]}
 */
export function sortedRows(rows, column, isReversed, nameOf) {
  const value = (row) => (column === 'name' ? nameOf(row)
    : /^\d+$/.test(column) ? paceOfRepeat(repeatIn(row, Number(column))) : row[column]);
  const isKnown = (one) => typeof one === 'string' || isNumber(one);
  return rows.map((row, index) => ({ row, index, key: value(row) })).sort((one, other) => {
    if (!isKnown(one.key) || !isKnown(other.key)) {
      return (isKnown(other.key) ? 1 : 0) - (isKnown(one.key) ? 1 : 0) || one.index - other.index;
    }
    const order = column === 'name' ? one.key.localeCompare(other.key) : one.key - other.key;
    return (isReversed ? -order : order) || one.index - other.index;
  }).map(({ row }) => row);
}

/** The paces of the whole repeats of a row with every repeat; empty for another row. */
function wholePaces(row, count) {
  if (!row.complete) return [];
  const paces = row.repeats.filter((one) => !one.partial).map(paceOfRepeat).filter(isNumber);
  return paces.length === count ? paces : [];
}

/**
 * At most three sentences about a result: how many met the target, the fastest finish, the largest loss, and the
 * most even row. Only repeats of equal lengths are compared.
 * @type {(result: object, nameOf: (row: object) => string, strings: Strings) => string[]}
 */
export function sentences({ piece, columns, rows }, nameOf, strings) {
  const found = [];
  const withTarget = rows.filter((row) => isNumber(row.in_target_ratio));
  if (withTarget.length > 1) {
    const met = withTarget.filter((row) => row.in_target_ratio >= ON_TARGET).length;
    found.push(interpolate(strings.metTarget, met, withTarget.length));
  }
  const machine = piece.workout ? piece.workout.machine : 'rower';
  const seconds = (value) =>
    format.withUnit(format.decimal(value * format.paceFactor(machine), 1, strings.decimal), 's');
  const areEqual = columns.every((one) => JSON.stringify(one) === JSON.stringify(columns[0]));
  const whole = areEqual && columns.length > 1
    ? rows.map((row) => ({ name: nameOf(row), paces: wholePaces(row, columns.length) }))
      .filter(({ paces }) => paces.length) : [];
  // The best of all by `value`, the first of equal ones.
  const most = (list) => list.reduce((best, one) => (!best || one.value > best.value ? one : best), null);
  const finish = most(whole.map(({ name, paces }) => ({ name, value: paces[0] - paces[paces.length - 1] })));
  if (finish && finish.value >= LEAST_GAIN) {
    found.push(interpolate(strings.fasterFinish, finish.name, seconds(finish.value)));
  }
  const losses = [].concat(...whole.map(({ name, paces }) => paces.slice(1).map((pace, index) => (
    { name, number: index + 2, value: pace - paces[index] }))));
  const loss = most(losses);
  if (loss && loss.value >= LEAST_LOSS) {
    found.push(interpolate(strings.largestLoss, loss.name, seconds(loss.value), loss.number));
  }
  const even = most(whole.map(({ name, paces }) => (
    { name, value: Math.min(...paces) - Math.max(...paces) })));
  if (even && whole.length > 1) found.push(interpolate(strings.mostEven, even.name, seconds(-even.value)));
  return found.slice(0, MOST);
}

/**
 * Seconds of a work time such as `7:11.3`, `7:11,3` or `1:02:03`; null for another text.
 * @type {(text: string) => ?number}
 */
export function workSeconds(text) {
  const match = /^\s*(?:(\d):)?(\d{1,2}):([0-5]\d)(?:[.,](\d))?\s*$/.exec(text);
  if (!match || (match[1] && Number(match[2]) > 59)) return null;
  const [hours, minutes, seconds, tenths] = match.slice(1).map((part) => Number(part || 0));
  return Math.round((hours * 3600 + minutes * 60 + seconds + tenths / 10) * 10) / 10;
}

/**
 * How a result was added: `by hand, 28 Nov`, `made up on 28 Nov`, with the workout if it is not that of the piece.
 * `day` is the text of its day, empty for a session that is gone.
 * @type {(addition: object, piece: object, day: string, strings: Strings) => string}
 */
export function additionMark(addition, piece, day, strings) {
  if (!day) return strings.sessionGone;
  if (addition.kind === 'by_hand') return interpolate(strings.byHandOn, day);
  const isOther = addition.workout !== (piece.workout || {}).notation;
  const text = interpolate(strings.madeUpOn, day);
  return isOther ? text + ' \u00b7 ' + (notationText(addition.workout) || strings.justRow) : text;
}

/** `8\u2009×\u2009500\u202fm/1:00r` for `8x500m/1:00r`. */
const notationText = (notation) => format.line(notation, 40)
  .replace(/^(\d+|\*)x/, '$1\u2009\u00d7\u2009').replace(/(\d)m(?=$|[+/])/g, '$1\u202fm');
