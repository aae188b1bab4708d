// What a session is called, and how it stands against what its gateway recorded. No page in here.
import * as figures from './figures.js';
import { pieceName, target } from './piece.js';
import { isNumber } from './series.js';
import { counted, fill } from './words.js';

const STATES = ['verified', 'missing', 'gone', 'differs', 'open'];

/** A state that this page knows; a later server's is no reason to say too much. */
export const known = (state) => (STATES.indexOf(state) >= 0 ? state : 'open');

/** What kind of piece the monitor's workout type is: one of `words.kinds`, or a workout. */
export function kindOf(workout, words) {
  const text = figures.line(workout, 64);
  if (/interval/.test(text)) return words.kinds.intervals;
  const kind = ['just_row', 'distance', 'time', 'calories']
    .find((name) => text.indexOf(name) >= 0);
  return kind ? words.kinds[kind] : words.workout;
}

export function distance(value, words) {
  return isNumber(value) ? figures.withUnit(figures.metres(value), words.units.metres) : '';
}

export function time(value, words) {
  return isNumber(value) ? figures.tenths(value, words.decimal) : '';
}

/** The pace of a session of a list, the same figure as on its own page. */
export function paceOf(session, words) {
  const { avg_pace_s_per_500m: pace, machine_type: type } = session;
  return isNumber(pace) ? figures.pace(pace, words.decimal, figures.machineOf(type)) : '';
}

/** `SkiErg`, where a session was rowed on anything but a RowErg. */
export function machineName(session, words) {
  const machine = figures.machineOf(session.machine_type);
  return machine === 'rower' ? '' : words.machines[machine];
}

/** `Erg 3`, or a name that speaks for itself. */
export function ergName(slug, words) {
  const place = figures.place(slug);
  return /^\d+$/.test(place) ? fill(words.erg, place) : place;
}

/** What was rowed, as large as the page has it. */
export function title(session, summary, splits, words) {
  const known = Object.assign({}, session, summary);
  const [far, long] = [distance(known.distance_m, words), time(known.result_time_s, words)];
  if (known.session_type === 'intervals') {
    const name = pieceName(known, words);
    const isEqual = name !== words.intervals && splits.length > 1;
    return isEqual ? splits.length + ' \u00d7 ' + target(known, words) : name;
  }
  return far && long ? fill(words.inTime, far, long) : kindOf(known.workout, words);
}

/** Why a session has the state that it has: sentences. */
export function reasons(detail, words) {
  const { session, summary, manifest, gaps } = detail;
  const state = known(session.state);
  const all = manifest ? manifest.stroke_count : 0;
  const said = [];
  if (state === 'verified' && all > 0) said.push(counted(words.allStrokes, all));
  else said.push(words.stateWhy[state]);
  if (state === 'missing' || state === 'gone') {
    if (session.strokes < all) said.push(fill(words.strokesHere, session.strokes, all));
  }
  if (session.foreign_strokes > 0) said.push(counted(words.foreignStrokes, session.foreign_strokes));
  if (gaps.length) said.push(counted(words.gapsTold, gaps.length));
  if (summary.verified_against_pm5 === true) said.push(words.monitorAgrees);
  if (summary.verified_against_pm5 === false) said.push(words.monitorDiffers);
  return said;
}
