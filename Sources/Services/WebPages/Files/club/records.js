// The records by gender, age group and weight class.
import { MACHINES, sessionAddress } from '../athletes/bests.js';
import { EVENTS, eventName, resultOf } from '../common/format.js';
import { nameOf } from '../common/names.js';
import { pageAddress, shortDayOf } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { make, tableBody } from '../common/view.js';
import { ageKey, ageText, bestRecords, categoryText } from './summary.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** The choice stays when another season or group is shown. */
const choice = { gender: '', age: '', weight: '', season: '' };

/**
 * Draws the records with their filters.
 * @type {(place: HTMLElement, answer: object, strings: Strings) => void}
 */
export function drawRecords(place, { records, season }, strings) {
  place.textContent = '';
  place.hidden = !records.length;
  if (!records.length) return;
  make('h2', '', place).textContent = strings.clubRecords;
  const filters = make('div', 'filters', place);
  const tables = make('div', '', place);
  if (choice.season && choice.season !== String(season)) choice.season = String(season);
  const draw = () => drawTables(tables, records, strings);
  const genders = Object.keys(strings.genders).filter((one) => records.some(({ gender }) => gender === one))
    .map((one) => [one, strings.genders[one]]);
  const ages = new Map(records.filter((one) => ageKey(one)).map((one) => [ageKey(one), ageText(one, strings)]));
  const weights = strings.profileValues.weight_class;
  const weightClasses = Object.keys(weights).filter((one) => records.some((record) => record.weight_class === one))
    .map((one) => [one, weights[one]]);
  addFilter(filters, 'gender', strings.profile.gender, genders, strings.all, draw);
  addFilter(filters, 'age', strings.ageGroup, Array.from(ages).sort((one, other) => one[0] - other[0]),
    strings.all, draw);
  addFilter(filters, 'weight', strings.profile.weight_class, weightClasses, strings.all, draw);
  addFilter(filters, 'season', strings.period, [[String(season), interpolate(strings.seasonOf, season)]],
    strings.allTime, draw);
  draw();
  make('p', 'hint', place).textContent = strings.categoriesHint;
}

function addFilter(place, name, label, choices, any, draw) {
  if (!choices.some(([value]) => value === choice[name])) choice[name] = '';
  if (!choices.length) return;
  const field = make('label', 'field', place);
  make('span', '', field).textContent = label;
  const select = make('select', '', field);
  for (const [value, text] of [['', any]].concat(choices)) {
    const option = make('option', '', select);
    option.value = value;
    option.textContent = text;
  }
  select.value = choice[name];
  select.addEventListener('change', () => {
    choice[name] = select.value;
    draw();
  });
}

function drawTables(place, records, strings) {
  place.textContent = '';
  for (const machine of MACHINES) {
    const found = bestRecords(records, Object.assign({ machine }, choice));
    if (found.length) drawTable(make('table', 'club-records', place), machine, found, strings);
  }
  if (!place.firstChild) make('p', 'hint', place).textContent = strings.noRecords;
}

function drawTable(table, machine, records, strings) {
  const body = tableBody(table, strings.machines[machine], [strings.event, strings.ranked, strings.athlete],
    machine === 'rower');
  for (const event of EVENTS) {
    const record = records.find((one) => one.event === event);
    if (!record) continue;
    const row = make('tr', '', body);
    const name = make('th', '', row);
    name.scope = 'row';
    name.textContent = eventName(event);
    const result = make('a', '', make('td', 'record', row));
    result.href = sessionAddress(record.ranked.inputs[0]);
    result.textContent = resultOf(record, record.ranked, strings);
    const cell = make('td', 'holder', row);
    const link = make('a', '', cell);
    link.href = pageAddress('/athlete?id=' + encodeURIComponent(record.athlete_id));
    link.textContent = nameOf(record.athlete_id);
    link.dir = 'auto';
    const note = make('small', '', cell);
    const category = categoryText(record, strings);
    note.textContent = category ? category + ' \u00b7 ' : '';
    make('span', '', note).textContent = shortDayOf(record.ranked.at_ms, true);
  }
}
