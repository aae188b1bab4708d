// What training asks of somebody: load with what they are used to, and how their force curves change.
import * as figures from './figures.js';
import { fact, heading, hint } from './training.js';
import { make } from './view.js';
import { fill } from './words.js';

/** Draws the last of the `loads`, which are of spans in order. */
export function drawLoads(place, loads, by, words) {
  const last = loads[loads.length - 1];
  heading(place, words.load, last, words.howLoad, words);
  const list = make('dl', 'sums', place);
  const tenth = (value) => figures.decimal(value, 1, words.decimal);
  for (const [label, value, note] of [[words.lastLoads[by], last.load, ''],
    [words.averageOf42, last.average_42_d, last.low ? words.lowAverage : ''],
    [words.averageOf7, last.average_7_d, '']]) {
    fact(list, label, tenth(value), '', note, last, words.howLoad, words);
  }
  const unknown = loads.reduce((sum, { unknown_sessions }) => sum + unknown_sessions, 0);
  if (unknown) hint(place, fill(words.unknownLoads, unknown));
  hint(place, words.loadCaveat);
}

const SHARES = ['avg_to_peak_ratio', 'peak_position_ratio', 'smoothness_ratio', 'similarity_ratio'];

/** Of a session, into a list of facts. */
export function forceFacts(list, force, words) {
  for (const name of SHARES) {
    fact(list, words.forceNames[name], figures.whole(force[name] * 100), '%', '', force,
      words.howForce[name], words);
  }
}

/** Draws what force curves were like at last, and what changed since the first span. */
export function drawForce(place, title, spans, by, words) {
  const [first, last] = [spans[0], spans[spans.length - 1]];
  heading(place, title, last, words.howCurves, words);
  const list = make('dl', 'sums', place);
  for (const name of SHARES) {
    const [before, now] = [first, last].map((span) => figures.whole(span[name] * 100));
    const note = spans.length > 1 ? fill(words.since[by], before + '\u202f%', spans.length) : '';
    fact(list, words.forceNames[name], now, '%', note, last, words.howForce[name], words);
  }
}
