// The club records: the fastest athlete of each ranked event.
import { get } from './api-client.js';
import * as format from './format.js';
import { pageAddress, shortDayOf, strings } from './page.js';
import { MACHINES, explainBest, sessionAddress } from './bests.js';
import { addDisclosure, make, tableBody } from './view.js';
import { interpolate } from './strings.js';

/** Loads the records and draws them, with a choice of season. */
export async function showRecords(place) {
  const answer = await get('/api/v1/records');
  if (answer.status !== 200 || !(answer.content.records || []).length) return;
  const all = answer.content.records;
  place.hidden = false;
  const head = make('div', 'bar-of', place);
  make('h2', '', head).textContent = strings.clubRecords;
  const field = make('label', 'field', head);
  make('span', 'spoken', field).textContent = strings.season;
  const select = make('select', '', field);
  const seasons = Array.from(new Set(all.map(({ season }) => season).filter(Boolean)));
  for (const value of ['all'].concat(seasons)) {
    const option = make('option', '', select);
    option.value = String(value);
    option.textContent = value === 'all' ? strings.allTime : interpolate(strings.seasonOf, value);
  }
  const tables = make('div', '', place);
  const show = () => draw(tables, all.filter(({ season }) =>
    (select.value === 'all' ? season === undefined : String(season) === select.value)));
  select.addEventListener('change', show);
  show();
  make('p', 'hint', place).textContent = strings.recordsHint;
}

function draw(place, records) {
  place.textContent = '';
  for (const machine of MACHINES) {
    const of = records.filter((record) => record.machine === machine);
    if (of.length) drawTable(make('table', 'bests records', place), machine, of);
  }
}

function drawTable(table, machine, records) {
  const body = tableBody(table, strings.machines[machine],
    [strings.event, strings.ranked, strings.athlete, strings.date], machine === 'rower');
  for (const event of format.EVENTS) {
    const record = records.find((one) => one.event === event);
    if (record) drawRecord(make('tr', '', body), record);
  }
}

function drawRecord(row, record) {
  const { ranked } = record;
  const name = make('th', 'event', row);
  name.scope = 'row';
  name.textContent = format.eventName(record.event);
  const button = make('button', 'figure ever', make('td', 'ranked', row));
  button.type = 'button';
  const text = format.resultOf(record, ranked, strings);
  button.textContent = text;
  button.setAttribute('aria-label',
    [format.eventName(record.event), text, strings.valueKinds[ranked.kind]].join(', '));
  addDisclosure(button, () => explainBest(
    make('tr', 'why', row.parentNode), record, ranked, false, strings, 4), row);
  const link = make('a', 'when', make('td', '', row));
  link.href = pageAddress('/athlete?id=' + encodeURIComponent(record.athlete_id));
  link.textContent = format.line(record.athlete_id, 64);
  link.dir = 'auto';
  const day = make('a', 'when', make('td', '', row));
  day.href = sessionAddress(ranked.inputs[0]);
  day.textContent = shortDayOf(ranked.at_ms, true);
}
