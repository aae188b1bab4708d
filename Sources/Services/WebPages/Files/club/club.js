// The page of the club: a season against the one before, athletes, groups, weeks and records.
import { kilometres } from '../athletes/volume.js';
import { get, RequestSeries } from '../common/api-client.js';
import { button } from '../common/dialog.js';
import { midnight, whole } from '../common/format.js';
import { loadAthletes } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, pageAddress, queryParam, shortDay, strings as shared } from '../common/page.js';
import { interpolate, pluralize, stringsOfPage } from '../common/strings.js';
import { make } from '../common/view.js';
import { AthleteTable } from './athlete-table.js';
import { drawRecords } from './records.js';
import { changeText, hours } from './summary.js';
import { GroupTable, WeekChart } from './weeks.js';

const strings = stringsOfPage(shared, 'clubPage');
/** The requested season and group; empty for the current season, and for all athletes. */
let [season, group] = [queryParam('season'), queryParam('group')];
/** The shown answer; null before the first one. */
let shown = null;
/** Only the newest choice counts. */
const requests = new RequestSeries();

initPage(strings.club);
makeHeader('/club');
byId('title').textContent = strings.club;
const pageStatus = new PageStatus(load, strings.pageStatus);
const table = new AthleteTable(byId('athletes'), strings, remember);
const weeks = new WeekChart(byId('weeks'), strings);
const groupTable = new GroupTable(byId('groups'), strings, (id) => choose({ group: id }));

/** The query of a request or an address, of the parameters with a value. */
function query(parameters) {
  const text = Object.keys(parameters).filter((name) => parameters[name])
    .map((name) => name + '=' + encodeURIComponent(parameters[name])).join('&');
  return text && '?' + text;
}

function remember() {
  history.replaceState(null, '', pageAddress('/club' + query(Object.assign({ season, group }, table.choice))));
}

async function load() {
  if (!shown) pageStatus.show('loading');
  const signal = requests.next();
  const [answer] = await Promise.all([get('/api/v1/club' + query({ season, group }), signal), loadAthletes()]);
  if (signal.aborted) return;
  if (answer.status !== 200) {
    // The group was removed.
    if (answer.content.code === 'unknown_group') choose({ group: '' });
    // A failed reload keeps the shown values.
    if (answer.content.code === 'unknown_group' || isShown()) return;
    byId('season').hidden = true;
    shown = null;
    pageStatus.show(answer.content.code === 'computing' ? 'computing' : statusOf(answer));
    return;
  }
  shown = answer.content;
  drawChoice(shown);
  const isEmpty = !shown.seasons.length;
  pageStatus.show(isEmpty ? 'none' : '');
  byId('season').hidden = isEmpty;
  if (!isEmpty) draw();
}

/** Whether the page shows the chosen season and group. */
const isShown = () => shown !== null && (!season || String(shown.season) === season)
  && (shown.group_id || '') === group;

/** Shows another season or group. */
function choose(changed) {
  [season, group] = [changed.season === undefined ? season : changed.season,
    changed.group === undefined ? group : changed.group];
  remember();
  load();
}

function draw() {
  byId('title').textContent = interpolate(strings.seasonTitle, shown.season);
  byId('compared').textContent = interpolate(strings.comparedDays, shortDay(shown.from, true),
    shortDay(shown.to, true), shortDay(shown.previous_from, true), shortDay(shown.previous_to, true));
  drawTotals();
  drawRemarks();
  table.show(shown);
  drawRecords(byId('records'), shown, strings);
  weeks.show(shown);
  groupTable.show(shown);
}

// ---- The choice of season and group

const seasons = makeSelect(strings.season, (value) => choose({ season: value }));
const groups = makeSelect(strings.group, (value) => choose({ group: value }));
const file = make('a', 'file', byId('choice'));
file.textContent = strings.asTable;
file.setAttribute('aria-label', strings.saveTable);
file.setAttribute('download', '');
button(byId('choice'), strings.print, () => window.print());

function makeSelect(label, action) {
  const field = make('label', 'field', byId('choice'));
  make('span', '', field).textContent = label;
  const select = make('select', '', field);
  select.addEventListener('change', () => action(select.value));
  return select;
}

function setOptions(select, choices, value) {
  select.textContent = '';
  for (const [id, text] of choices) {
    const option = make('option', '', select);
    option.value = id;
    option.textContent = text;
  }
  select.value = value;
}

function drawChoice({ groups: all, seasons: known, today }) {
  const current = Number(today.slice(0, 4)) + (today.slice(5, 7) >= '05' ? 1 : 0);
  const years = known.filter((year) => year < current).map(String);
  if (season && Number(season) !== current && years.indexOf(season) < 0) years.push(season);
  setOptions(seasons, [['', String(current)]].concat(years.map((year) => [year, year])),
    Number(season) === current ? '' : season);
  setOptions(groups, [['', strings.allGroups]].concat(all.map(({ group_id: id, name }) => [id, name])), group);
  groups.parentNode.hidden = !all.length;
  file.href = '/api/v1/club/export' + query({ season, group });
}

// ---- The large values

function drawTotals() {
  const place = byId('totals');
  place.textContent = '';
  const { total } = shown;
  const before = total.previous;
  drawTotal(place, kilometres(total.distance_m, strings), strings.distance, changed('distance_m'),
    kilometres(before.distance_m, strings));
  drawTotal(place, hours(total.time_s, strings), strings.time, changed('time_s'), hours(before.time_s, strings));
  drawTotal(place, whole(total.sessions), strings.sessions, changed('sessions'), whole(before.sessions));
  if (shown.absent === undefined) {
    drawTotal(place, whole(total.athletes), strings.athletesRowed, changed('athletes'), whole(before.athletes));
    return;
  }
  const present = shown.active - shown.absent;
  const entry = drawTotal(place, interpolate(strings.ofAll, present, shown.active),
    interpolate(strings.rowedLately, shown.absence_days), '', '');
  if (!shown.absent) return;
  const note = make('dd', 'note', entry);
  button(note, pluralize(strings.absentCount, shown.absent), () => {
    table.showAbsent();
    byId('athletes').scrollIntoView();
  }, 'link absent');
}

/** The change of a sum against the season before. */
function changed(name) {
  return changeText(shown.total[name], shown.total.previous[name], strings);
}

function drawTotal(place, value, label, change, before) {
  const entry = make('div', 'panel', place);
  make('dt', '', entry).textContent = label;
  make('dd', 'value', entry).textContent = value;
  if (!change) return entry;
  const note = make('dd', 'note', entry);
  make('b', '', note).textContent = change;
  if (shown.total.previous.sessions) make('span', '', note).textContent = interpolate(strings.before, before);
  return entry;
}

/** A first session that is later in the season before counts as the begin of the recording: days. */
const LATE = 14;

/** Shows why the values are incomplete: a late first session, and sessions without an athlete. */
function drawRemarks() {
  const place = byId('remarks');
  place.textContent = '';
  if (midnight(shown.first_day) - midnight(shown.previous_from) > LATE * 86400000) {
    make('li', '', place).textContent = interpolate(strings.recordedFrom, shortDay(shown.first_day, true));
  }
  if (shown.unassigned_sessions) {
    const link = make('a', '', make('li', '', place));
    link.href = pageAddress('/sessions?unassigned=true');
    link.textContent = pluralize(strings.unassigned, shown.unassigned_sessions);
  }
  place.hidden = !place.firstChild;
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && shown && document.activeElement === document.body) load();
});
load();
