// The record list of the club: who rowed each ranked event fastest.
import { get } from './asking.js';
import { EVENTS, eventName, resultOf } from './event.js';
import * as figures from './figures.js';
import { address, shortDayOf, words } from './page.js';
import { sessionAddress } from './bests.js';
import { why } from './reason.js';
import { make } from './view.js';
import { fill } from './words.js';

const MACHINES = ['rower', 'ski', 'bike'];

/** Asks for the list and draws it, with a choice of the season. */
export async function showRecords(place) {
  const answer = await get('/api/v1/records');
  if (answer.status !== 200 || !(answer.content.records || []).length) return;
  const all = answer.content.records;
  place.hidden = false;
  const head = make('div', 'bar-of', place);
  make('h2', '', head).textContent = words.clubRecords;
  const field = make('label', 'field', head);
  make('span', 'spoken', field).textContent = words.season;
  const select = make('select', '', field);
  const seasons = Array.from(new Set(all.map(({ season }) => season).filter(Boolean)));
  for (const value of ['all'].concat(seasons)) {
    const option = make('option', '', select);
    option.value = String(value);
    option.textContent = value === 'all' ? words.allTime : fill(words.seasonOf, value);
  }
  const tables = make('div', '', place);
  const show = () => draw(tables, all.filter(({ season }) =>
    (select.value === 'all' ? season === undefined : String(season) === select.value)));
  select.addEventListener('change', show);
  show();
  make('p', 'hint', place).textContent = words.recordsHint;
}

function draw(place, records) {
  place.textContent = '';
  for (const machine of MACHINES) {
    const of = records.filter((record) => record.machine === machine);
    if (of.length) drawTable(make('table', 'bests records', place), machine, of);
  }
}

function drawTable(table, machine, records) {
  make('caption', machine === 'rower' ? 'spoken' : '', table).textContent = words.machines[machine];
  const head = make('tr', '', make('thead', '', table));
  for (const text of [words.event, words.ranked, words.athlete, words.date]) {
    const cell = make('th', '', head);
    cell.scope = 'col';
    cell.textContent = text;
  }
  const body = make('tbody', '', table);
  for (const event of EVENTS) {
    const record = records.find((one) => one.event === event);
    if (record) drawRecord(make('tr', '', body), record);
  }
}

function drawRecord(row, record) {
  const { ranked } = record;
  const name = make('th', 'event', row);
  name.scope = 'row';
  name.textContent = eventName(record.event);
  const button = make('button', 'figure ever', make('td', 'ranked', row));
  button.type = 'button';
  const text = resultOf(record, ranked, words);
  button.textContent = text;
  button.setAttribute('aria-label',
    [eventName(record.event), text, words.kindsOfFigure[ranked.kind]].join(', '));
  why(button, () => explain(make('tr', 'why', row.parentNode), record), row);
  const link = make('a', 'when', make('td', '', row));
  link.href = address('/athlete?id=' + encodeURIComponent(record.athlete_id));
  link.textContent = figures.line(record.athlete_id, 64);
  link.dir = 'auto';
  const day = make('a', 'when', make('td', '', row));
  day.href = sessionAddress(ranked.inputs[0]);
  day.textContent = shortDayOf(ranked.at_ms, true);
}

function explain(row, { event, machine, ranked }) {
  const cell = make('td', '', row);
  cell.colSpan = 4;
  make('b', '', cell).textContent = words.kindsOfFigure[ranked.kind] || ranked.kind;
  const said = [fill(words.howRanked, eventName(event)),
    figures.withUnit(figures.pace(ranked.pace_s_per_500m, words.decimal, machine),
      figures.paceUnit(machine, words.units)),
    words.isVerified];
  make('span', '', cell).textContent = said.map((one) => ' \u00b7 ' + one).join('');
  return row;
}
