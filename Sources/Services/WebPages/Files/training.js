// Figures for training: each with what it claims and rests on one tap away, or what it lacks.
import * as figures from './figures.js';
import { shortDayOf } from './page.js';
import { sessionAddress } from './bests.js';
import { why } from './reason.js';
import { make } from './view.js';
import { counted, fill } from './words.js';

const DAYS = 6;

/** A number with so many places, of which the last are only there where they say something. */
function plain(value, words) {
  return String(Math.round(value * 10) / 10).replace('.', words.decimal);
}

/** `No critical power: 1 of 3 ranked results of 2 to 20 min are here`. */
export function lacking(name, { reason, has, needs }, words) {
  const of = words.lacksOf[name] || {};
  const text = of[reason] || words.lacks[reason] || '';
  return words.noFigure[name] + ': ' + fill(text, plain(has, words), plain(needs, words));
}

/** What a figure claims, how it comes about, and the sessions that it rests on, as a paragraph. */
export function explain(place, tag, figure, how, words) {
  const text = make(tag, 'because', place);
  make('b', '', text).textContent = words.kindsOfFigure[figure.kind] || figure.kind;
  make('span', '', text).textContent = ' \u00b7 ' + how;
  const sessions = figure.inputs || [];
  if (!sessions.length) return text;
  make('span', '', text).textContent = ' \u00b7 ' + counted(words.ofSessions, sessions.length);
  if (sessions.length > DAYS) return text;
  sessions.forEach((session, index) => {
    const link = make('a', 'when', text);
    link.href = sessionAddress(session);
    link.textContent = sessions.length === 1 && figure.at_ms
      ? shortDayOf(figure.at_ms, true) : String(index + 1);
    link.setAttribute('aria-label', fill(words.sessionNumber, index + 1));
  });
  return text;
}

/** A name, a figure and its unit, which opens on a tap. */
export function fact(list, label, value, unit, note, figure, how, words) {
  const entry = make('div', '', list);
  make('dt', '', entry).textContent = label;
  const place = make('dd', '', entry);
  const button = make('button', 'figure', place);
  button.type = 'button';
  button.textContent = value;
  if (unit) make('small', '', button).textContent = unit;
  button.setAttribute('aria-label', [label, value + ' ' + unit,
    words.kindsOfFigure[figure.kind]].join(', '));
  if (note) make('small', 'note', place).textContent = note;
  why(button, () => explain(list.parentNode, 'p', figure, how, words), list);
}

/** A heading, and a button at its end that says what the figures below it are. */
export function heading(place, text, figure, how, words) {
  const head = make('div', 'bar-of', place);
  make('h2', '', head).textContent = text;
  if (!figure) return head;
  const tag = make('button', 'tag', head);
  tag.type = 'button';
  tag.textContent = words.kindsOfFigure[figure.kind];
  why(tag, () => explain(place, 'p', figure, how, words), head);
  return head;
}

/** A sentence in the place of a figure. */
export function hint(place, text) {
  make('p', 'hint', place).textContent = text;
}

/** Seconds for 500 m at so many watts: W = 2.80 / (s per m)^3. */
export function paceOf(watts, words) {
  return watts > 0 ? figures.pace(500 * Math.cbrt(2.8 / watts), words.decimal) : '';
}
