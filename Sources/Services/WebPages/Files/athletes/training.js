// Training values, each with an explanation one tap away, or the reason why it is missing.
import * as format from '../common/format.js';
import { shortDayOf } from '../common/page.js';
import { interpolate, pluralize } from '../common/strings.js';
import { addDisclosure, make } from '../common/view.js';
import { sessionAddress } from './bests.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

const DAYS = 6;

/** A number with at most one decimal. */
function plain(value, strings) {
  return String(Math.round(value * 10) / 10).replace('.', strings.decimal);
}

/**
 * `No critical power: 1 of 3 ranked results of 2 to 20 min available`.
 * @type {(name: string, missing: object, strings: Strings) => string}
 */
export function missingText(name, { reason, has, needs }, strings) {
  const of = strings.missingReasonsOf[name] || {};
  const text = of[reason] || strings.missingReasons[reason] || '';
  return strings.missingTitles[name] + ': ' + interpolate(text, plain(has, strings), plain(needs, strings));
}

/**
 * Explains a value: its kind, its method, and the sessions behind it.
 * @type {(place: Element, tag: string, figure: object, how: string, strings: Strings) => Element}
 */
export function explain(place, tag, figure, how, strings) {
  const text = make(tag, 'because', place);
  make('b', '', text).textContent = strings.valueKinds[figure.kind] || figure.kind;
  make('span', '', text).textContent = ' \u00b7 ' + how;
  const sessions = figure.inputs || [];
  if (!sessions.length) return text;
  make('span', '', text).textContent = ' \u00b7 ' + pluralize(strings.ofSessions, sessions.length);
  if (sessions.length > DAYS) return text;
  sessions.forEach((session, index) => {
    const link = make('a', 'when', text);
    link.href = sessionAddress(session);
    link.textContent = sessions.length === 1 && figure.at_ms
      ? shortDayOf(figure.at_ms, true) : String(index + 1);
    link.setAttribute('aria-label', interpolate(strings.sessionNumber, index + 1));
  });
  return text;
}

/**
 * A name, a value and its unit; a tap shows the explanation.
 * @type {(list: Element, label: string, value: string, unit: string, note: string, figure: object, how: string, strings: Strings) => void}
 */
export function fact(list, label, value, unit, note, figure, how, strings) {
  const entry = make('div', '', list);
  make('dt', '', entry).textContent = label;
  const place = make('dd', '', entry);
  const button = make('button', 'figure', place);
  button.type = 'button';
  button.textContent = value;
  if (unit) make('small', '', button).textContent = unit;
  button.setAttribute('aria-label', [label, value + ' ' + unit,
    strings.valueKinds[figure.kind]].join(', '));
  if (note) make('small', 'note', place).textContent = note;
  addDisclosure(button, () => explain(list.parentNode, 'p', figure, how, strings), list);
}

/**
 * A heading with a button that explains the values below it.
 * @type {(place: Element, text: string, figure: ?object, how: string, strings: Strings) => Element}
 */
export function heading(place, text, figure, how, strings) {
  const head = make('div', 'bar-of', place);
  make('h2', '', head).textContent = text;
  if (!figure) return head;
  const tag = make('button', 'tag', head);
  tag.type = 'button';
  tag.textContent = strings.valueKinds[figure.kind];
  addDisclosure(tag, () => explain(place, 'p', figure, how, strings), head);
  return head;
}

/**
 * A sentence in place of a value.
 * @type {(place: Element, text: string) => void}
 */
export function hint(place, text) {
  make('p', 'hint', place).textContent = text;
}

/**
 * The pace in seconds per 500 m for a power: W = 2.80 / (s per m)^3.
 * @type {(watts: number, strings: Strings) => string}
 */
export function paceOf(watts, strings) {
  return watts > 0 ? format.pace(500 * Math.cbrt(2.8 / watts), strings.decimal) : '';
}

// ---- Training load with its averages, and the change of force curves.

/**
 * Draws the last of the `loads`, which are ordered by time.
 * @type {(place: HTMLElement, loads: object[], by: string, strings: Strings) => void}
 */
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

/**
 * Adds the force values of a session to a list.
 * @type {(list: Element, force: object, strings: Strings) => void}
 */
export function forceFacts(list, force, strings) {
  for (const name of SHARES) {
    fact(list, strings.forceNames[name], format.whole(force[name] * 100), '%', '', force,
      strings.howForce[name], strings);
  }
}

/**
 * Draws the latest force values, and the change since the first span.
 * @type {(place: HTMLElement, title: string, spans: object[], by: string, strings: Strings) => void}
 */
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
