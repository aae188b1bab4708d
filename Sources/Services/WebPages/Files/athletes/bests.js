// The table of bests: ranked results, and best efforts within other pieces.
import * as format from '../common/format.js';
import { pageAddress, shortDayOf } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { addDisclosure, make, tableBody } from '../common/view.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** @type {string[]} */
export const MACHINES = ['rower', 'ski', 'bike'];

/**
 * The address of a session's page.
 * @type {(session: { gw: string, session_id: string }) => string}
 */
export function sessionAddress({ gw, session_id }) {
  return pageAddress('/session?gw=' + encodeURIComponent(gw) + '&id=' + encodeURIComponent(session_id));
}

/**
 * Draws the `bests` of a season or of all time. `always` are the bests of all time: they mark the values
 * that are still unbeaten.
 * @type {(place: HTMLElement, bests: object[], always: object[], strings: Strings) => void}
 */
export function drawBests(place, bests, always, strings) {
  place.textContent = '';
  make('h2', '', place).textContent = strings.bests;
  const machines = MACHINES.filter((machine) => bests.some((best) => best.machine === machine));
  for (const machine of machines.length ? machines : ['rower']) {
    const of = bests.filter((best) => best.machine === machine);
    drawTable(make('table', 'bests', place), machine, of, always, strings);
  }
  make('p', 'hint', place).textContent = strings.bestsHint;
}

function drawTable(table, machine, bests, always, strings) {
  const body = tableBody(table, strings.machines[machine],
    [strings.event, strings.ranked, strings.effort], machine === 'rower');
  for (const event of format.EVENTS) {
    const best = bests.find((one) => one.event === event) || { event };
    const ever = always.find((one) => one.event === event && one.machine === machine);
    const row = make('tr', '', body);
    const name = make('th', 'event', row);
    name.scope = 'row';
    name.textContent = format.eventName(event);
    for (const kind of ['ranked', 'effort']) {
      const isEver = kind === 'ranked' && ever && ever[kind] && best[kind]
        && ever[kind].at_ms === best[kind].at_ms;
      drawFigure(make('td', kind, row), best, best[kind], isEver, row, strings);
    }
  }
}

function drawFigure(cell, best, figure, isEver, row, strings) {
  if (!figure) {
    make('span', 'yet', cell).textContent = strings.notYet;
    return;
  }
  const text = format.resultOf(best, figure, strings);
  const button = make('button', 'figure' + (isEver ? ' ever' : ''), cell);
  button.type = 'button';
  button.textContent = text;
  button.setAttribute('aria-label', [format.eventName(best.event), text, strings.valueKinds[figure.kind],
    isEver ? strings.bestEver : ''].filter(Boolean).join(', '));
  addDisclosure(button, () => explainBest(make('tr', 'why', row.parentNode), best, figure, isEver, strings), row);
  const [session] = figure.inputs;
  const link = make('a', 'when', cell);
  link.href = sessionAddress(session);
  link.textContent = shortDayOf(figure.at_ms, !best.season);
  link.setAttribute('aria-label', interpolate(strings.sessionOn, shortDayOf(figure.at_ms, true)));
}

/**
 * Explains a value: its kind, how it was computed, and its pace.
 * @type {(row: Element, best: object, figure: object, isEver: boolean, strings: Strings, columns?: number) => Element}
 */
export function explainBest(row, best, figure, isEver, strings, columns = 3) {
  const cell = make('td', '', row);
  cell.colSpan = columns;
  make('b', '', cell).textContent = strings.valueKinds[figure.kind] || figure.kind;
  const pace = format.pace(figure.pace_s_per_500m, strings.decimal, best.machine);
  const isMeasured = figure.kind === 'measured';
  const how = interpolate(isMeasured ? strings.howRanked : strings.howEffort, format.eventName(best.event));
  const parts = [how, format.withUnit(pace, format.paceUnit(best.machine, strings.units)),
    isMeasured ? strings.isVerified : interpolate(strings.fromOn, format.elapsed(figure.from_s)),
    isEver ? strings.bestEver : ''];
  make('span', '', cell).textContent = parts.filter(Boolean).map((text) => ' \u00b7 ' + text).join('');
  if (isMeasured) return row;
  const formula = best.event_time_s ? strings.formulaTime : strings.formulaDistance;
  make('code', '', cell).textContent = interpolate(formula, format.eventName(best.event));
  return row;
}

/**
 * Lists pieces over a ranked event that do not count as ranked, with the reasons.
 * @type {(place: HTMLElement, pieces: object[], strings: Strings) => void}
 */
export function drawUnranked(place, pieces, strings) {
  place.textContent = '';
  place.hidden = !pieces.length;
  if (!pieces.length) return;
  make('h2', '', place).textContent = strings.unranked;
  const list = make('ul', '', place);
  for (const piece of pieces.slice(0, 8)) {
    const entry = make('li', '', list);
    const link = make('a', 'when', entry);
    link.href = sessionAddress(piece);
    link.textContent = format.eventName(piece.event) + ', ' + shortDayOf(piece.at_ms, true);
    make('span', '', entry).textContent = piece.reasons
      .map((reason) => strings.rankingFaults[reason] || reason).join(', ');
  }
}
