// Training values, each with an explanation one tap away, or the reason why it is missing.
import * as format from './format.js';
import { shortDayOf } from './page.js';
import { sessionAddress } from './bests.js';
import { addDisclosure, make } from './view.js';
import { interpolate, pluralize } from './strings.js';

const DAYS = 6;

/** A number with at most one decimal. */
function plain(value, strings) {
  return String(Math.round(value * 10) / 10).replace('.', strings.decimal);
}

/** `No critical power: 1 of 3 ranked results of 2 to 20 min available`. */
export function missingText(name, { reason, has, needs }, strings) {
  const of = strings.missingReasonsOf[name] || {};
  const text = of[reason] || strings.missingReasons[reason] || '';
  return strings.missingTitles[name] + ': ' + interpolate(text, plain(has, strings), plain(needs, strings));
}

/** Explains a value: its kind, its method, and the sessions behind it. */
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

/** A name, a value and its unit; a tap shows the explanation. */
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

/** A heading with a button that explains the values below it. */
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

/** A sentence in place of a value. */
export function hint(place, text) {
  make('p', 'hint', place).textContent = text;
}

/** The pace in seconds per 500 m for a power: W = 2.80 / (s per m)^3. */
export function paceOf(watts, strings) {
  return watts > 0 ? format.pace(500 * Math.cbrt(2.8 / watts), strings.decimal) : '';
}
