// The list of athletes with their last session.
import { get } from '../common/api-client.js';
import * as format from '../common/format.js';
import { line } from '../common/format.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, dayOf, initPage, pageAddress, shortDayOf, strings } from '../common/page.js';
import { interpolate, pluralize } from '../common/strings.js';
import { addDisclosure, make, tableBody } from '../common/view.js';
import { explainBest, MACHINES, sessionAddress } from './bests.js';

initPage(strings.athletes);
makeHeader('/athletes');
byId('title').textContent = strings.athletes;
byId('more').textContent = strings.moreAthletes;
byId('more').addEventListener('click', () => load(true));

let shown = [];
let next = '';
const pageStatus = new PageStatus(() => load(false));

async function load(isMore) {
  if (!shown.length) pageStatus.show('loading');
  byId('more').disabled = true;
  const answer = await get('/api/v1/athletes' + (isMore ? '?cursor=' + next : ''));
  byId('more').disabled = false;
  if (answer.status !== 200) {
    pageStatus.show(statusOf(answer));
    return;
  }
  const found = answer.content.athletes || [];
  shown = isMore ? shown.concat(found) : found;
  next = answer.content.next || '';
  pageStatus.show(shown.length ? '' : 'noAthletes');
  draw(isMore ? found[0] : null);
}

/** Draws the list; `first` is the first athlete of an added page and gets the focus. */
function draw(first) {
  const list = byId('people');
  list.textContent = '';
  list.hidden = !shown.length;
  for (const athlete of shown) {
    const link = make('a', 'person', make('li', '', list));
    link.href = pageAddress('/athlete?id=' + encodeURIComponent(athlete.athlete_id));
    const name = make('span', 'athlete', link);
    name.textContent = line(athlete.athlete_id, 64);
    name.dir = 'auto';
    make('span', 'count', link).textContent = pluralize(strings.sessionCount, athlete.sessions);
    make('span', 'last', link).textContent = athlete.last_ms > 0
      ? strings.lastOn.replace('{}', dayOf(athlete.last_ms)) : '';
    if (athlete === first) link.focus();
  }
  byId('more').hidden = !next;
}

load(false);
showRecords(byId('records'));

// ---- The club records: the fastest athlete of each ranked event.

/**
 * Loads the records and draws them, with a choice of season.
 * @type {(place: HTMLElement) => Promise<void>}
 */
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
  const show = () => drawRecords(tables, all.filter(({ season }) =>
    (select.value === 'all' ? season === undefined : String(season) === select.value)));
  select.addEventListener('change', show);
  show();
  make('p', 'hint', place).textContent = strings.recordsHint;
}

function drawRecords(place, records) {
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
