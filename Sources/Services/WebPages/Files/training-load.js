// Training load with its averages, and the change of force curves.
import * as format from './format.js';
import { fact, heading, hint } from './training.js';
import { make } from './view.js';
import { interpolate } from './strings.js';

/** Draws the last of the `loads`, which are ordered by time. */
export function drawLoads(place, loads, by, strings) {
  const last = loads[loads.length - 1];
  heading(place, strings.load, last, strings.howLoad, strings);
  const list = make('dl', 'sums', place);
  const tenth = (value) => format.decimal(value, 1, strings.decimal);
  for (const [label, value, note] of [[strings.lastLoads[by], last.load, ''],
    [strings.averageOf42, last.average_42_d, last.low ? strings.lowAverage : ''],
    [strings.averageOf7, last.average_7_d, '']]) {
    fact(list, label, tenth(value), '', note, last, strings.howLoad, strings);
  }
  const unknown = loads.reduce((sum, { unknown_sessions }) => sum + unknown_sessions, 0);
  if (unknown) hint(place, interpolate(strings.unknownLoads, unknown));
  hint(place, strings.loadCaveat);
}

const SHARES = ['avg_to_peak_ratio', 'peak_position_ratio', 'smoothness_ratio', 'similarity_ratio'];

/** Adds the force values of a session to a list. */
export function forceFacts(list, force, strings) {
  for (const name of SHARES) {
    fact(list, strings.forceNames[name], format.whole(force[name] * 100), '%', '', force,
      strings.howForce[name], strings);
  }
}

/** Draws the latest force values, and the change since the first span. */
export function drawForce(place, title, spans, by, strings) {
  const [first, last] = [spans[0], spans[spans.length - 1]];
  heading(place, title, last, strings.howCurves, strings);
  const list = make('dl', 'sums', place);
  for (const name of SHARES) {
    const [before, now] = [first, last].map((span) => format.whole(span[name] * 100));
    const note = spans.length > 1 ? interpolate(strings.since[by], before + '\u202f%', spans.length) : '';
    fact(list, strings.forceNames[name], now, '%', note, last, strings.howForce[name], strings);
  }
}
