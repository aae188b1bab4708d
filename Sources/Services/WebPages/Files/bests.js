// The table of bests: ranked results, and beside them best efforts within pieces.
import { EVENTS, eventName, resultOf } from './event.js';
import * as figures from './figures.js';
import { address, shortDayOf } from './page.js';
import { why } from './reason.js';
import { make } from './view.js';
import { fill } from './words.js';

const MACHINES = ['rower', 'ski', 'bike'];

/** The address of the session that a figure rests on. */
export function sessionAddress({ gw, session_id }) {
  return address('/session?gw=' + encodeURIComponent(gw) + '&id=' + encodeURIComponent(session_id));
}

/**
 * Draws the `bests` of a season or of all time; `always` are those of all time where a season is
 * shown, and mark what nobody of it has surpassed since.
 */
export function drawBests(place, bests, always, words) {
  place.textContent = '';
  make('h2', '', place).textContent = words.bests;
  const machines = MACHINES.filter((machine) => bests.some((best) => best.machine === machine));
  for (const machine of machines.length ? machines : ['rower']) {
    const of = bests.filter((best) => best.machine === machine);
    drawTable(make('table', 'bests', place), machine, of, always, words);
  }
  make('p', 'hint', place).textContent = words.bestsHint;
}

function drawTable(table, machine, bests, always, words) {
  make('caption', machine === 'rower' ? 'spoken' : '', table).textContent = words.machines[machine];
  const head = make('tr', '', make('thead', '', table));
  for (const text of [words.event, words.ranked, words.effort]) {
    const cell = make('th', '', head);
    cell.scope = 'col';
    cell.textContent = text;
  }
  const body = make('tbody', '', table);
  for (const event of EVENTS) {
    const best = bests.find((one) => one.event === event) || { event };
    const ever = always.find((one) => one.event === event && one.machine === machine);
    const row = make('tr', '', body);
    const name = make('th', 'event', row);
    name.scope = 'row';
    name.textContent = eventName(event);
    for (const kind of ['ranked', 'effort']) {
      const isEver = kind === 'ranked' && ever && ever[kind] && best[kind] && ever[kind].at_ms === best[kind].at_ms;
      drawFigure(make('td', kind, row), best, best[kind], isEver, row, words);
    }
  }
}

function drawFigure(cell, best, figure, isEver, row, words) {
  if (!figure) {
    make('span', 'yet', cell).textContent = words.notYet;
    return;
  }
  const text = resultOf(best, figure, words);
  const button = make('button', 'figure' + (isEver ? ' ever' : ''), cell);
  button.type = 'button';
  button.textContent = text;
  button.setAttribute('aria-label', [eventName(best.event), text, words.kindsOfFigure[figure.kind],
    isEver ? words.bestEver : ''].filter(Boolean).join(', '));
  why(button, () => explain(make('tr', 'why', row.parentNode), best, figure, isEver, words), row);
  const [session] = figure.inputs;
  const link = make('a', 'when', cell);
  link.href = sessionAddress(session);
  link.textContent = shortDayOf(figure.at_ms, !best.season);
  link.setAttribute('aria-label', fill(words.sessionOn, shortDayOf(figure.at_ms, true)));
}

/** What a figure claims, how it comes about, and what it rests on. */
function explain(row, best, figure, isEver, words) {
  const cell = make('td', '', row);
  cell.colSpan = 3;
  make('b', '', cell).textContent = words.kindsOfFigure[figure.kind] || figure.kind;
  const pace = figures.pace(figure.pace_s_per_500m, words.decimal, best.machine);
  const is = figure.kind === 'measured';
  const how = fill(is ? words.howRanked : words.howEffort, eventName(best.event));
  const said = [how, figures.withUnit(pace, figures.paceUnit(best.machine, words.units)),
    is ? words.isVerified : fill(words.fromOn, figures.elapsed(figure.from_s)),
    isEver ? words.bestEver : ''];
  make('span', '', cell).textContent = said.filter(Boolean).map((text) => ' \u00b7 ' + text).join('');
  if (is) return row;
  const formula = best.event_time_s ? words.formulaTime : words.formulaDistance;
  make('code', '', cell).textContent = fill(formula, eventName(best.event));
  return row;
}

/** Pieces over a ranked event that are no ranked result, and why. */
export function drawUnranked(place, pieces, words) {
  place.textContent = '';
  place.hidden = !pieces.length;
  if (!pieces.length) return;
  make('h2', '', place).textContent = words.unranked;
  const list = make('ul', '', place);
  for (const piece of pieces.slice(0, 8)) {
    const entry = make('li', '', list);
    const link = make('a', 'when', entry);
    link.href = sessionAddress(piece);
    link.textContent = eventName(piece.event) + ', ' + shortDayOf(piece.at_ms, true);
    make('span', '', entry).textContent = piece.reasons
      .map((reason) => words.rankingFaults[reason] || reason).join(', ');
  }
}
