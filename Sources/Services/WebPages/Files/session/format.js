// How a session is named, and how its data compare with the gateway's manifest. Needs no DOM.
import * as format from '../common/format.js';
import { pieceName, target } from '../common/piece.js';
import { isNumber } from '../common/series.js';
import { interpolate, pluralize } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

const STATES = ['verified', 'missing', 'gone', 'differs', 'open'];

/**
 * The state; states of a later server count as `open`.
 * @type {(state: string) => string}
 */
export const knownState = (state) => (STATES.indexOf(state) >= 0 ? state : 'open');

/**
 * The kind of piece for a monitor's workout type: one of `strings.kinds`, or "workout".
 * @type {(workout: string, strings: Strings) => string}
 */
export function kindOf(workout, strings) {
  const text = format.line(workout, 64);
  if (/interval/.test(text)) return strings.kinds.intervals;
  const kind = ['just_row', 'distance', 'time', 'calories']
    .find((name) => text.indexOf(name) >= 0);
  return kind ? strings.kinds[kind] : strings.workout;
}

/** @type {(value: number, strings: Strings) => string} */
export function distance(value, strings) {
  return isNumber(value) ? format.withUnit(format.metres(value), strings.units.metres) : '';
}

/** @type {(value: number, strings: Strings) => string} */
export function time(value, strings) {
  return isNumber(value) ? format.tenths(value, strings.decimal) : '';
}

/**
 * The average pace, as on the session's own page.
 * @type {(session: object, strings: Strings) => string}
 */
export function paceOf(session, strings) {
  const { avg_pace_s_per_500m: pace, machine_type: type } = session;
  return isNumber(pace) ? format.pace(pace, strings.decimal, format.machineOf(type)) : '';
}

/**
 * `SkiErg`, for sessions on another machine than a RowErg.
 * @type {(session: object, strings: Strings) => string}
 */
export function machineName(session, strings) {
  const machine = format.machineOf(session.machine_type);
  return machine === 'rower' ? '' : strings.machines[machine];
}

/**
 * The title of a session: its result or workout.
 * @type {(session: object, summary: object, splits: object[], strings: Strings) => string}
 */
export function sessionTitle(session, summary, splits, strings) {
  const facts = Object.assign({}, session, summary);
  const [far, long] = [distance(facts.distance_m, strings), time(facts.result_time_s, strings)];
  if (facts.session_type === 'intervals') {
    const name = pieceName(facts, strings);
    const isEqual = name !== strings.intervals && splits.length > 1;
    return isEqual ? splits.length + ' \u00d7 ' + target(facts, strings) : name;
  }
  return far && long ? interpolate(strings.inTime, far, long) : kindOf(facts.workout, strings);
}

/**
 * Sentences that explain the state of a session.
 * @type {(detail: object, strings: Strings) => string[]}
 */
export function stateReasons(detail, strings) {
  const { session, summary, manifest, gaps } = detail;
  const state = knownState(session.state);
  const all = manifest ? manifest.stroke_count : 0;
  const sentences = [];
  if (state === 'verified' && all > 0) sentences.push(pluralize(strings.allStrokes, all));
  else sentences.push(strings.stateHints[state]);
  if (state === 'missing' || state === 'gone') {
    if (session.strokes < all) sentences.push(interpolate(strings.strokesHere, session.strokes, all));
  }
  if (session.foreign_strokes > 0) sentences.push(pluralize(strings.foreignStrokes, session.foreign_strokes));
  if (gaps.length) sentences.push(pluralize(strings.gapsListed, gaps.length));
  if (summary.partial_result === true) sentences.push(strings.partialHint);
  if (summary.verified_against_pm5 === true) sentences.push(strings.monitorAgrees);
  if (summary.verified_against_pm5 === false) sentences.push(strings.monitorDiffers);
  return sentences;
}
