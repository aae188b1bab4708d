// The table of the results that coaches added to a group piece. They have no place, line and sentence.
import { button } from '../common/dialog.js';
import * as format from '../common/format.js';
import { shortDay } from '../common/page.js';
import { isNumber } from '../common/series.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';
import { additionMark } from './facts.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/**
 * Draws the results into `place`, or hides it without any. `linkOf` gives the address of a session; null for names
 * without links. `remove` is called with the result to remove; null for users who cannot.
 * @type {(place: HTMLElement, result: object, strings: Strings, nameOf: (addition: object) => string,
 *   linkOf: ?(addition: object) => string, remove: ?(addition: object) => void) => void}
 */
export function drawAdditions(place, result, strings, nameOf, linkOf, remove) {
  const active = document.activeElement;
  const focused = active && place.contains(active) ? active.dataset.addition : '';
  place.textContent = '';
  // Logbooks before this version have none.
  const additions = result.additions || [];
  place.hidden = !additions.length;
  if (place.hidden) return;
  make('h2', '', place).textContent = strings.addedResults;
  make('p', 'hint', place).textContent = strings.addedHint;
  const table = make('table', '', make('div', 'scroll', place));
  make('caption', 'spoken', table).textContent = strings.addedResults;
  const head = make('tr', '', make('thead', '', table));
  const hasNotes = additions.some(({ note }) => note);
  // A phone has no room for the length that the workout sets.
  const { workout = {} } = result.piece;
  const looks = 'target_time_s' in workout ? ['fixed', ''] : ['', 'fixed'];
  for (const [look, label] of [['rower', strings.athlete], [looks[0], strings.time], [looks[1], strings.distance],
    ['', strings.average]].concat(hasNotes ? [['text', strings.noteColumn]] : [])) {
    const cell = make('th', look, head);
    cell.scope = 'col';
    cell.textContent = label;
  }
  if (remove) make('td', '', head);
  const body = make('tbody', '', table);
  for (const addition of additions) drawAddition(make('tr', '', body), addition);

  function drawAddition(line, addition) {
    const who = make('th', 'rower', line);
    who.scope = 'row';
    const name = linkOf && addition.session_id ? make('a', 'athlete', who) : make('span', 'athlete', who);
    if (name.tagName === 'A') name.href = linkOf(addition);
    name.textContent = nameOf(addition);
    name.dir = 'auto';
    make('small', '', who).textContent = additionMark(addition, result.piece,
      addition.day ? shortDay(addition.day) : '', strings);
    make('td', looks[0], line).textContent = isNumber(addition.time_s)
      ? format.tenths(addition.time_s, strings.decimal) : format.DASH;
    make('td', looks[1], line).textContent = isNumber(addition.distance_m)
      ? format.withUnit(format.metres(addition.distance_m), strings.units.metres) : format.DASH;
    make('td', 'strong', line).textContent = format.pace(addition.avg_pace_s_per_500m, strings.decimal,
      workout.machine);
    if (hasNotes) {
      const note = make('td', 'text note', line);
      note.textContent = format.sentence(addition.note || '', 120);
      note.dir = 'auto';
    }
    if (!remove) return;
    const press = button(make('td', '', line), strings.removeAddition + '\u2026', () => remove(addition), 'quiet');
    press.setAttribute('aria-label', interpolate(strings.removeAdditionOf, nameOf(addition)));
    press.dataset.addition = addition.addition_id;
    if (focused === addition.addition_id) press.focus();
  }
}
